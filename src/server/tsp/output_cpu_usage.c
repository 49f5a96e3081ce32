// SPDX-License-Identifier: MIT
/*
 * output_cpu_usage.c - how busy the CPUs were, and with whom.
 *
 * Entry 1 is all threads together.  The entry of thread i of Control Flow is i + 2.  A tree has the threads that
 * ran in the range that is asked for, those of the most time first.
 *
 * Where it is not known who had the CPUs, as events were lost or a part of the store is damaged, no number is the
 * usage, and the protocol has none that means "unknown": the numbers are then the least that there was, and named
 * so, and the entry after that of the last thread is how much is unknown, which viewers show beside the total.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/time_text.h"
#include "server/model/kernel_threads.h"
#include "server/tsp/parameters.h"
#include "server/tsp/tree_reply.h"
#include "server/tsp/xy_reply.h"

static const char not_known[] =
	"in a part of the range it is not known who had the CPUs: the usage is the least that "
	"there was";

enum { TOTAL_ID = 1, FIRST_THREAD_ID = 2, CURVES_MAX = 256 };

static int64_t unknown_id(const struct kernel_threads *threads)
{
	return (int64_t)threads->count + FIRST_THREAD_ID;
}

/* The range that is asked for, as far as there is history; false: answered, there is nothing. */
static bool clip(const struct kernel_view *view, histree_time *start, histree_time *end)
{
	*start = *start > view->start ? *start : view->start;
	*end = *end < view->end ? *end : view->end;
	return *start <= *end;
}

/* ---- tree -------------------------------------------------------------------------------------------- */

struct usage_tree {
	const struct kernel_threads *threads;
	struct histree_cpu_time *times; /* of the threads that are known */
	size_t count;
	int64_t total, unknown;
	histree_time start, end;
};

static void tree_free(void *context)
{
	struct usage_tree *tree = context;
	free(tree->times);
	free(tree);
}

static void write_labels(struct json_writer *json, const char *name, const char *tid, int64_t ns, double span)
{
	char share[16], time[TIME_TEXT_SIZE];
	snprintf(share, sizeof(share), "%.2f %%", 100 * (double)ns / span);
	time_format_duration((uint64_t)ns, time);
	json_key(json, "labels");
	json_begin_array(json);
	json_put_text(json, name);
	json_put_text(json, tid);
	json_put_text(json, share);
	json_put_text(json, time);
	json_end(json);
}

static bool write_entry(const void *context, size_t index, struct json_writer *json)
{
	const struct usage_tree *tree = context;
	const struct kernel_threads *threads = tree->threads;
	struct tree_entry entry = { TOTAL_ID, -1, tree->start, tree->end, true, true };
	double span = (double)(tree->end - tree->start) + 1;
	if (index == 0) {
		tree_entry_begin(json, &entry);
		write_labels(json, tree->unknown > 0 ? "Total, at least" : "Total", "", tree->total, span);
		return true;
	}
	if (index == 1 && tree->unknown > 0) {
		entry.id = unknown_id(threads);
		tree_entry_begin(json, &entry);
		write_labels(json, "Unknown", "", tree->unknown, span);
		return true;
	}
	index -= tree->unknown > 0;
	if (index > tree->count)
		return false;
	const struct histree_cpu_time *time = &tree->times[index - 1];
	uint32_t thread = histree_control_flow_find(threads->flow, time->tid, -1);
	char tid[16];
	snprintf(tid, sizeof(tid), "%d", time->tid);
	entry = (struct tree_entry){
		(int64_t)thread + FIRST_THREAD_ID, TOTAL_ID, tree->start, tree->end, true, false
	};
	tree_entry_begin(json, &entry);
	write_labels(json, threads->list[thread].name, tid, time->ns, span);
	return true;
}

static enum histree_status take_times(struct usage_tree *tree, const struct histree_cpu_usage *usage,
				      struct histree_error *error)
{
	size_t count;
	const struct histree_cpu_time *times = histree_cpu_usage_times(usage, &count);
	double width = (double)(tree->end - tree->start) + 1;
	tree->unknown = (int64_t)(histree_cpu_usage_unknown(usage)[0] / 100 * width + 0.5);
	tree->times = calloc(count + 1, sizeof(*tree->times));
	if (tree->times == NULL)
		return error_memory(error, "the threads");
	for (size_t i = 0; i < count; i++) {
		tree->total += times[i].ns;
		if (histree_control_flow_find(tree->threads->flow, times[i].tid, -1) != HISTREE_NO_INDEX)
			tree->times[tree->count++] = times[i];
	}
	return HISTREE_OK;
}

static enum histree_status make_tree(struct usage_tree *tree, struct histree_cancel cancel,
				     struct histree_error *error)
{
	struct histree_cpu_usage_request request = {
		.from = tree->start, .to = tree->end, .pixels = 1, .cancel = cancel
	};
	if (!clip(tree->threads->kernel, &request.from, &request.to))
		return HISTREE_OK;
	struct histree_cpu_usage *usage;
	enum histree_status status =
		histree_cpu_usage_create(tree->threads->kernel->history, &request, &usage, error);
	if (status == HISTREE_OK) {
		status = take_times(tree, usage, error);
		histree_cpu_usage_free(usage);
	}
	return status;
}

static void tree(const struct output_call *output)
{
	static const struct tree_header headers[] = {
		{ "Process", "the name of its program", NULL },
		{ "TID", "the number of the thread", "NUMBER" },
		{ "%", "share of one CPU", "NUMBER" },
		{ "Time", "on all CPUs together", "STRING" },
		{ 0 },
	};
	static const struct tree_source source = { headers, -1, write_entry, tree_free };
	struct usage_tree *tree = calloc(1, sizeof(*tree));
	struct histree_error error = { 0 };
	if (tree == NULL) {
		reply_error(output->call->reply, HTTP_SERVER_ERROR, "out of memory");
		return;
	}
	tree->threads = output->view;
	tree->start = tree->threads->kernel->start;
	tree->end = tree->threads->kernel->end;
	if (!parameters_range(output->call, &tree->start, &tree->end)) {
		tree_free(tree);
		return;
	}
	if (make_tree(tree, reply_cancel(output->call->reply), &error) != HISTREE_OK) {
		tree_free(tree);
		reply_failure(output->call->reply, &error);
		return;
	}
	if (tree->unknown > 0)
		output->call->reply->notice = not_known;
	tree_reply(output, &source, tree);
}

/* ---- curves ------------------------------------------------------------------------------------------ */

struct usage_request {
	int32_t tids[CURVES_MAX];
	int64_t ids[CURVES_MAX];
	size_t tid_count;
	bool wants_total, wants_unknown;
};

static void choose_curves(const struct kernel_threads *threads, const int64_t *items, size_t count,
			  struct usage_request *request)
{
	for (size_t i = 0; i < count; i++) {
		int64_t index = items[i] - FIRST_THREAD_ID;
		request->wants_total = request->wants_total || items[i] == TOTAL_ID;
		request->wants_unknown = request->wants_unknown || items[i] == unknown_id(threads);
		if (index < 0 || index >= threads->count || request->tid_count == CURVES_MAX)
			continue;
		request->ids[request->tid_count] = items[i];
		request->tids[request->tid_count++] = threads->list[index].tid;
	}
}

static void write_curves(const struct output_call *output, const struct usage_request *request,
			 const struct histree_cpu_usage *usage, const struct xy_samples *samples)
{
	const struct kernel_threads *threads = output->view;
	struct reply *reply = output->call->reply;
	const double *unknown = samples->pixels > 0 ? histree_cpu_usage_unknown(usage) : NULL;
	bool is_known = true;
	for (uint32_t i = 0; i < samples->pixels; i++)
		is_known = is_known && unknown[i] == 0;
	if (!is_known)
		reply->notice = not_known;
	struct xy_curve curve = { .id = TOTAL_ID, .label = "CPU usage", .unit = "%" };
	if (request->wants_total) {
		curve.name = is_known ? "Total" : "Total, at least";
		curve.values = samples->pixels > 0 ? histree_cpu_usage_curve(usage, HISTREE_NO_INDEX) : NULL;
		xy_put(reply, samples, &curve);
	}
	if (request->wants_unknown) {
		curve.id = unknown_id(threads);
		curve.name = "Unknown";
		curve.values = unknown;
		xy_put(reply, samples, &curve);
	}
	for (size_t i = 0; i < request->tid_count; i++) {
		const struct histree_thread *thread = &threads->list[request->ids[i] - FIRST_THREAD_ID];
		char name[64];
		snprintf(name, sizeof(name), "%s (%d)%s", thread->name, thread->tid, is_known ? "" : ", at least");
		curve.id = request->ids[i];
		curve.name = name;
		curve.values = samples->pixels > 0 ? histree_cpu_usage_curve(usage, (uint32_t)i) : NULL;
		xy_put(reply, samples, &curve);
	}
}

static void xy(const struct output_call *output)
{
	const struct kernel_threads *threads = output->view;
	const struct kernel_view *view = threads->kernel;
	struct reply *reply = output->call->reply;
	struct usage_request request = { .tid_count = 0 };
	struct xy_samples samples;
	int64_t *items = NULL;
	size_t item_count;
	struct histree_cpu_usage *usage = NULL;
	struct histree_error error = { 0 };
	if (!xy_samples_read(output->call, view->start, view->end, &samples))
		return;
	if (!parameters_items(output->call, &items, &item_count))
		goto out;
	choose_curves(threads, items, item_count, &request);
	if (samples.pixels > 0) {
		struct histree_cpu_usage_request usage_request = {
			.from = samples.from,
			.to = samples.to,
			.pixels = samples.pixels,
			.tids = request.tids,
			.tid_count = request.tid_count,
			.cancel = reply_cancel(reply),
		};
		if (histree_cpu_usage_create(view->history, &usage_request, &usage, &error) != HISTREE_OK) {
			reply_failure(reply, &error);
			goto out;
		}
	}
	xy_begin(reply, "CPU Usage");
	write_curves(output, &request, usage, &samples);
	xy_end(reply);
out:
	histree_cpu_usage_free(usage);
	free(items);
}

const struct output output_cpu_usage = {
	.id = "org.eclipse.tracecompass.analysis.os.linux.core.cpuusage.CpuUsageDataProvider",
	.name = "CPU Usage",
	.description = "How busy the CPUs were, and with whom",
	.type = OUTPUT_TREE_TIME_XY,
	.applies = kernel_view_applies,
	.make = kernel_threads_make,
	.free = kernel_threads_free,
	.tree = tree,
	.xy = xy,
};
