// SPDX-License-Identifier: MIT
/*
 * row_model_threads.c - the threads of a kernel as a tree by PPID.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "server/model/kernel_rows.h"
#include "server/model/row_model.h"

static uint32_t count(const void *context)
{
	const struct kernel_threads *threads = context;
	return threads->count;
}

static void facts(const void *context, uint32_t row, struct row_facts *out)
{
	const struct kernel_threads *threads = context;
	const struct histree_thread *thread = &threads->list[row];
	*out = (struct row_facts){
		.history = threads->kernel->history,
		.quark = thread->status,
		.label = thread->system_call,
		.table = histree_labels_for(threads->kernel->history, HISTREE_MEANS_THREAD_STATUS),
		.depth = thread->depth,
		.descendants = thread->descendants,
		.life = { thread->from, thread->to },
	};
}

static void describe(const void *context, uint32_t row, struct json_writer *json)
{
	const struct kernel_threads *threads = context;
	const struct histree_thread *thread = &threads->list[row];
	json_text_member(json, "name", thread->name);
	json_int_member(json, "tid", thread->tid);
	json_int_member(json, "pid", thread->pid);
	json_int_member(json, "ppid", thread->ppid);
	if (thread->first <= thread->last) {
		json_int_member(json, "first", thread->first - threads->kernel->shown_from);
		json_int_member(json, "last", thread->last - threads->kernel->shown_from);
	}
	int64_t cpu_ns = kernel_threads_cpu_ns(threads, row);
	if (cpu_ns >= 0)
		json_int_member(json, "cpu", cpu_ns);
}

static bool matches(const void *context, uint32_t row, const char *text)
{
	const struct kernel_threads *threads = context;
	const struct histree_thread *thread = &threads->list[row];
	char tid[16];
	if (row_text_contains(thread->name, strlen(thread->name), text))
		return true;
	snprintf(tid, sizeof(tid), "%d", thread->tid);
	return strncmp(tid, text, strlen(text)) == 0;
}

/* Finds the row of the thread that had a CPU, which may be its idle one. */
static uint32_t find(const void *context, const struct row_wanted *wanted)
{
	const struct kernel_threads *threads = context;
	int32_t tid =
		wanted->tid >= 0 ? wanted->tid : kernel_view_thread_on(threads->kernel, wanted->cpu, wanted->at);
	return tid >= 0 ? histree_control_flow_find_at(threads->flow, tid, wanted->cpu, wanted->at)
			: HISTREE_NO_INDEX;
}

static enum histree_status prepare(void *view, enum row_sort sort, struct histree_error *error)
{
	return sort == ROW_SORT_CPU ? kernel_threads_add_up_cpu(view, error) : HISTREE_OK;
}

/* The first letters decide; names that begin alike stay in the order of the tree. */
static uint64_t name_key(const char *name)
{
	uint64_t key = 0;
	for (int i = 0; i < 8; i++) {
		key = key << 8 | (unsigned char)*name;
		name += *name != '\0';
	}
	return key;
}

static uint64_t sort_key(const void *context, uint32_t row, enum row_sort sort)
{
	const struct kernel_threads *threads = context;
	const struct histree_thread *thread = &threads->list[row];
	switch (sort) {
	case ROW_SORT_TID:
		return (uint64_t)((int64_t)thread->tid - INT32_MIN);
	case ROW_SORT_NAME:
		return name_key(thread->name);
	case ROW_SORT_FIRST:
		return (uint64_t)thread->first - (uint64_t)threads->kernel->shown_from;
	case ROW_SORT_CPU: /* most first */
		return (uint64_t)(INT64_MAX - kernel_threads_cpu_ns(threads, row));
	case ROW_SORT_TREE:
	case ROW_SORT_COUNT:
		break;
	}
	return row;
}

static bool arrows(const void *context, size_t index, struct arrow_source *out)
{
	const struct kernel_threads *threads = context;
	*out = (struct arrow_source){ .model = &arrow_model_threads, .view = threads->kernel };
	return index == 0;
}

const struct row_model row_model_threads = {
	.name = "control-flow",
	.title = "Control Flow",
	.applies = kernel_view_applies,
	.has_arrows = kernel_view_applies,
	.history = kernel_view_history,
	.make = kernel_threads_make,
	.free = kernel_threads_free,
	.count = count,
	.facts = facts,
	.describe = describe,
	.matches = matches,
	.find = find,
	.arrows = arrows,
	.prepare = prepare,
	.sort_key = sort_key,
	.text = kernel_thread_text,
	.kind = { kernel_thread_facts, NULL },
	.early = &row_model_early_threads,
};
