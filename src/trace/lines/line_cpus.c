// SPDX-License-Identifier: MIT
#include "trace/lines/line_cpus.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "trace/lines/line_scan.h"

/* "swapper/3" */
static const char idle[] = "swapper/";

static int32_t cpu_of_name(const char *name, size_t size)
{
	struct line_scan scan = { (char *)(uintptr_t)name, (char *)(uintptr_t)name + size };
	uint64_t cpu;
	bool is = line_scan_word(&scan, idle) && line_scan_number(&scan, &cpu) && scan.at == scan.end;
	return is && cpu <= LINE_CPU_MAX ? (int32_t)cpu : LINE_NO_CPU;
}

static int32_t cpu_of_thread(const struct line_cpus *cpus, int64_t thread)
{
	for (size_t i = 0; thread > 0 && i < cpus->count; i++)
		if (cpus->runs[i] == thread)
			return (int32_t)i;
	return LINE_NO_CPU;
}

/* A thread runs on one CPU. */
static bool set(struct line_cpus *cpus, int32_t cpu, int64_t thread)
{
	if (!array_reserve(&cpus->runs, &cpus->capacity, (size_t)cpu + 1))
		return false;
	while (cpus->count <= (size_t)cpu)
		cpus->runs[cpus->count++] = LINE_NO_THREAD;
	int32_t before = cpu_of_thread(cpus, thread);
	if (before != LINE_NO_CPU)
		cpus->runs[before] = LINE_NO_THREAD;
	cpus->runs[cpu] = thread;
	return true;
}

/* ---- events ---------------------------------------------------------------------------------------------- */

static int64_t number_of(const struct event *event, const char *field)
{
	int64_t number;
	return event_int(event, event_class_field(event->class, field), &number) ? number : LINE_NO_THREAD;
}

/* Of an idle thread with that name. */
static int32_t cpu_by_name(const struct event *event, const char *field)
{
	const char *name;
	size_t size;
	return event_string(event, event_class_field(event->class, field), &name, &size) ? cpu_of_name(name, size)
											 : LINE_NO_CPU;
}

static bool tell_switch(struct line_cpus *cpus, const struct event *event, int32_t *out)
{
	int64_t before = number_of(event, "prev_pid"), next = number_of(event, "next_pid");
	int32_t cpu = before == 0 ? cpu_by_name(event, "prev_comm") : LINE_NO_CPU;
	if (cpu == LINE_NO_CPU && next == 0)
		cpu = cpu_by_name(event, "next_comm");
	if (cpu == LINE_NO_CPU)
		cpu = cpu_of_thread(cpus, before);
	*out = cpu;
	return cpu == LINE_NO_CPU || set(cpus, cpu, next);
}

bool line_cpus_tell(struct line_cpus *cpus, struct event_row *row, int32_t thread)
{
	const struct event event = { .class = &row->class->class, .handle = row };
	bool is_told = true;
	if (strcmp(event.class->name, "sched:sched_switch") == 0)
		is_told = tell_switch(cpus, &event, &row->cpu);
	else
		row->cpu = cpu_of_thread(cpus, thread);
	cpus->unknown += row->cpu == LINE_NO_CPU;
	return is_told;
}

/* ---- the whole ------------------------------------------------------------------------------------------- */

/* Of what the states of a kernel are made. */
static bool needs_cpu(const struct line_head *head)
{
	static const char *const groups[] = { "sched:", "raw_syscalls:", "syscalls:", "irq:", "sched_switch" };
	bool is = false;
	for (size_t i = 0; head->kind == LINE_EVENT && i < sizeof(groups) / sizeof(groups[0]); i++)
		is |= head->name_size >= strlen(groups[i]) && memcmp(head->name, groups[i], strlen(groups[i])) == 0;
	return is;
}

static enum histree_status find_switch(struct line_text *text, bool *needs, bool *says_cpu,
				       struct histree_error *error)
{
	struct line_head head;
	char *line;
	size_t size;
	enum histree_status status = HISTREE_OK;
	while (!*says_cpu && (status = line_text_next(text, &line, &size, error)) == HISTREE_OK) {
		line_head_read(line, size, &head);
		if (!needs_cpu(&head))
			continue;
		*needs = true;
		*says_cpu =
			head.cpu != LINE_NO_CPU || memmem(head.text, head.text_size, idle, strlen(idle)) != NULL;
	}
	return status;
}

enum histree_status line_cpus_check(const struct line_place *place, struct histree_error *error)
{
	struct line_text text;
	bool needs = false, says_cpu = false;
	enum histree_status status = line_text_open(&text, place, error);
	if (status == HISTREE_OK)
		status = find_switch(&text, &needs, &says_cpu, error);
	line_text_close(&text);
	if (status == HISTREE_ERR_TRACE || status == HISTREE_END) /* damage is told where events are read */
		status = HISTREE_OK;
	if (status == HISTREE_OK && needs && !says_cpu)
		return error_set(error, HISTREE_ERR_TRACE,
				 "'%.200s' has events of the kernel without their CPUs: print them too, with 'perf "
				 "script -F +cpu' "
				 "(of what 'perf record -C' or '-a' or '--sample-cpu' has recorded)",
				 place->path);
	return status;
}

void line_cpus_release(struct line_cpus *cpus)
{
	free(cpus->runs);
	*cpus = (struct line_cpus){ 0 };
}
