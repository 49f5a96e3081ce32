// SPDX-License-Identifier: MIT
/*
 * line_graph.c - the output of ftrace's function_graph tracer as spans of threads.
 */
#include "trace/lines/line_graph.h"

#include <inttypes.h>
#include <stdalign.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/hash_index.h"
#include "base/table.h"
#include "trace/lines/line_head.h"
#include "trace/lines/line_text.h"
#include "trace/packed/packed_markers.h"

/* The kernel draws calls that are 50 deep at most. */
enum { DEPTH_MAX = 256, NO_THREAD = 0, NO_CPU = -1 };

enum graph_kind {
	GRAPH_OTHER,  /* a rule, an interrupt's arrow */
	GRAPH_EVENT,  /* of a tracepoint, as a comment */
	GRAPH_ENTRY,  /* "f() {" */
	GRAPH_LEAF,   /* "f();" */
	GRAPH_RETURN, /* "}", with the name in newer kernels or where the beginning is not drawn */
	GRAPH_SWITCH, /* "1)  sh-4802  =>  cat-77" */
};

/* Texts are parts of the line. */
struct graph_line {
	enum graph_kind kind;
	bool has_time, has_cpu, has_duration;
	histree_time time, duration;
	int32_t cpu;
	int64_t thread; /* NO_THREAD: the line does not say, or it is the idle one */
	const char *comm, *name, *args, *ret;
	size_t comm_size, name_size, args_size, ret_size; /* args: of the call; ret: what it returned */
	size_t depth;                                     /* columns before the text */
};

/* ---- a line ---------------------------------------------------------------------------------------------- */

static bool read_cpu(struct line_scan *scan, struct graph_line *out)
{
	struct line_scan at = *scan;
	uint64_t cpu;
	line_scan_spaces(&at);
	if (!line_scan_number(&at, &cpu) || cpu > LINE_CPU_MAX || !line_scan_byte(&at, ')'))
		return false;
	out->has_cpu = true;
	out->cpu = (int32_t)cpu;
	*scan = at;
	return true;
}

/*
 * "      102 us |   1)": since the buffer began, as the tracers of latencies draw calls; a duration has no CPU
 * behind it.
 */
static bool read_relative(struct line_scan *scan, struct graph_line *out)
{
	enum { US = 1000 };
	struct line_scan at = *scan;
	uint64_t us = 0;
	line_scan_spaces(&at);
	if (!line_scan_number(&at, &us) || us > (uint64_t)INT64_MAX / US / 2 || !line_scan_word(&at, " us |") ||
	    !read_cpu(&at, out))
		return false;
	out->has_time = true;
	out->time = (histree_time)(us * US);
	*scan = at;
	return true;
}

/* "100.000102 |" */
static bool read_time(struct line_scan *scan, struct graph_line *out)
{
	struct line_scan at = *scan;
	uint64_t seconds, part = 0, unit = 1000000000, ns;
	line_scan_spaces(&at);
	if (!line_scan_number(&at, &seconds) || !line_scan_byte(&at, '.'))
		return false;
	for (; at.at < at.end && *at.at >= '0' && *at.at <= '9' && unit > 1; at.at++) {
		unit /= 10;
		part += (uint64_t)(*at.at - '0') * unit;
	}
	line_scan_spaces(&at);
	if (!line_scan_byte(&at, '|') || __builtin_mul_overflow(seconds, UINT64_C(1000000000), &ns) ||
	    __builtin_add_overflow(ns, part, &ns) || ns > (uint64_t)INT64_MAX / 2)
		return false;
	out->has_time = true;
	out->time = (histree_time)ns;
	*scan = at;
	return true;
}

static struct line_scan trimmed(char *begin, char *end)
{
	struct line_scan scan = { begin, end };
	line_scan_spaces(&scan);
	while (scan.end > scan.at && (scan.end[-1] == ' ' || scan.end[-1] == '\t'))
		scan.end--;
	return scan;
}

/* "sh-4802" */
static bool read_thread(struct line_scan scan, struct graph_line *out)
{
	char *digits = scan.end;
	while (digits > scan.at && digits[-1] >= '0' && digits[-1] <= '9')
		digits--;
	struct line_scan number = { digits, scan.end };
	uint64_t thread;
	if (digits <= scan.at + 1 || digits[-1] != '-' || !line_scan_number(&number, &thread) || thread > INT32_MAX)
		return false;
	out->thread = (int64_t)thread;
	out->comm = scan.at;
	out->comm_size = (size_t)(digits - 1 - scan.at);
	return true;
}

/* "+ 10.000 us", "$ 2000000 us": the mark says how long it is once more. */
static bool read_duration(struct line_scan scan, struct graph_line *out)
{
	enum { US = 1000 };
	uint64_t us, part = 0, unit = US;
	if (scan.at < scan.end && strchr("+!#*@$", *scan.at) != NULL)
		scan.at++;
	line_scan_spaces(&scan);
	if (!line_scan_number(&scan, &us) || us > (uint64_t)INT64_MAX / US / 2)
		return false;
	if (line_scan_byte(&scan, '.'))
		for (; scan.at < scan.end && *scan.at >= '0' && *scan.at <= '9' && unit > 1; scan.at++) {
			unit /= 10;
			part += (uint64_t)(*scan.at - '0') * unit;
		}
	line_scan_spaces(&scan);
	if (!line_scan_word(&scan, "us"))
		return false;
	out->has_duration = true;
	out->duration = (histree_time)(us * US + part);
	return true;
}

/* "d..1." */
static bool are_flags(struct line_scan scan)
{
	enum { FLAGS_MAX = 7 };
	size_t size = (size_t)(scan.end - scan.at);
	for (const char *at = scan.at; at < scan.end; at++)
		if (strchr(".dDXNnpbBHhsSzZlL0123456789abcdef", *at) == NULL || *at == '\0')
			return false;
	return size > 0 && size <= FLAGS_MAX;
}

/* What it returned, behind the sign: "ret=0x5", "= 0x5". */
static void read_value(const char *at, const char *end, struct graph_line *out)
{
	const char *sign = at < end ? memchr(at, '=', (size_t)(end - at)) : NULL;
	if (sign == NULL)
		return;
	for (at = sign + 1; at < end && *at == ' ';)
		at++;
	out->ret = at;
	while (at < end && *at != ' ')
		at++;
	out->ret_size = (size_t)(at - out->ret);
}

static void read_call(struct line_scan scan, struct graph_line *out)
{
	const size_t size = (size_t)(scan.end - scan.at);
	const char *open = memchr(scan.at, '(', size);
	if (line_scan_word(&scan, "/* "))
		out->kind = GRAPH_EVENT;
	if (size == 0 || open == scan.at || open == NULL || out->kind == GRAPH_EVENT)
		return;
	const size_t rest = (size_t)(scan.end - open);
	out->name = scan.at;
	out->name_size = (size_t)(open - scan.at);
	const char *close = memmem(open, rest, ") {", 3), *last = memmem(open, rest, ");", 2);
	if (close != NULL)
		out->kind = GRAPH_ENTRY;
	else if ((close = last) != NULL)
		out->kind = GRAPH_LEAF;
	if (close == NULL)
		return;
	out->args = open + 1;
	out->args_size = (size_t)(close - out->args);
	const char *comment = memmem(close, (size_t)(scan.end - close), "/*", 2);
	if (comment != NULL)
		read_value(comment + 2, scan.end, out);
}

/* The name is in a comment: as it is, or before what it returned. */
static void read_return(struct line_scan scan, struct graph_line *out)
{
	out->kind = GRAPH_RETURN;
	line_scan_spaces(&scan);
	if (!line_scan_word(&scan, "/*"))
		return;
	line_scan_spaces(&scan);
	out->name = scan.at;
	read_value(scan.at, scan.end, out);
	while (scan.at < scan.end && *scan.at != ' ')
		scan.at++;
	out->name_size = (size_t)(scan.at - out->name);
	if (out->name_size > 0 && (*out->name == '*' || memchr(out->name, '=', out->name_size) != NULL))
		out->name_size = 0;
}

static void read_function(struct line_scan scan, struct graph_line *out)
{
	char *begin = scan.at;
	scan = trimmed(scan.at, scan.end);
	out->depth = (size_t)(scan.at - begin);
	if (line_scan_byte(&scan, '}'))
		read_return(scan, out);
	else
		read_call(scan, out);
}

static bool read_switch(struct line_scan scan, struct graph_line *out)
{
	char *arrow = memmem(scan.at, (size_t)(scan.end - scan.at), "=>", 2);
	if (arrow == NULL || !out->has_cpu || !read_thread(trimmed(arrow + 2, scan.end), out))
		return false;
	out->kind = GRAPH_SWITCH;
	return true;
}

/* The columns between the CPU and the function, which begins with the first text that fits no column. */
static void read_columns(struct line_scan *scan, struct graph_line *out)
{
	char *bar;
	while ((bar = memchr(scan->at, '|', (size_t)(scan->end - scan->at))) != NULL) {
		const struct line_scan column = trimmed(scan->at, bar);
		bool is_last = column.at == column.end || read_duration(column, out) ||
			       memmem(column.at, (size_t)(column.end - column.at), "=====", 5) != NULL;
		if (!is_last && !read_thread(column, out) && !are_flags(column))
			return;
		scan->at = bar + 1;
		if (is_last)
			return;
	}
}

static struct graph_line read_line(char *line, size_t size)
{
	struct graph_line out = { .cpu = NO_CPU, .thread = NO_THREAD };
	struct line_scan scan = { line, line + size };
	if (size > 0 && *line == '#')
		return out;
	if (!read_relative(&scan, &out)) {
		read_time(&scan, &out);
		read_cpu(&scan, &out);
	}
	if (read_switch(scan, &out))
		return out;
	read_columns(&scan, &out);
	read_function(scan, &out);
	return out;
}

bool line_graph_is(char *line, size_t size)
{
	const struct graph_line read = read_line(line, size);
	return (read.has_time || read.has_cpu) && read.kind != GRAPH_OTHER && read.kind != GRAPH_EVENT &&
	       memchr(line, '|', size) != NULL;
}

/* ---- spans ----------------------------------------------------------------------------------------------- */

struct graph_span {
	histree_time begin;
	size_t depth;
};

/* The calls of a thread, or of a CPU if the thread is not known. */
struct graph_stack {
	int64_t thread;
	int32_t cpu;
	histree_time last; /* when something of it began or ended last */
	struct graph_span *open;
	size_t count, capacity;
};

struct line_graph {
	struct packed_source *packed;
	const struct packed_class *classes[TRACK_CLASS_COUNT];
	struct id_map stacks;
	struct arena memory;
	struct packed_parts args;
	int64_t *runs; /* on each CPU: a thread */
	size_t cpu_count, cpu_capacity;
	uint64_t others, untimed, lost, events;
	bool lacks_thread;
	struct histree_error *error;
};

static enum histree_status no_memory(const struct line_graph *graph)
{
	return error_memory(graph->error, "the calls of functions");
}

static enum histree_status line_graph_add(struct line_graph *graph, const struct graph_stack *stack,
					  enum track_class class, histree_time time, struct packed_cell *cells)
{
	char track[32];
	if (stack->thread != NO_THREAD) {
		cells[TRACK_TID] = packed_int(stack->thread);
	} else {
		int size = stack->cpu == NO_CPU ? snprintf(track, sizeof(track), "CPU")
						: snprintf(track, sizeof(track), "CPU %" PRId32, stack->cpu);
		cells[TRACK_TRACK] = packed_text(track, (size_t)size);
		if (class == TRACK_TRACK_NAME)
			cells[TRACK_NAME] = cells[TRACK_TRACK];
	}
	const struct packed_event event = {
		.time = time, .cpu = -1, .class = graph->classes[class], .cells = cells
	};
	return packed_source_add(graph->packed, &event, graph->error);
}

static enum histree_status stack_of(struct line_graph *graph, const struct graph_line *line,
				    struct graph_stack **out)
{
	const int64_t thread = line->thread != NO_THREAD ? line->thread
			       : line->has_cpu && (size_t)line->cpu < graph->cpu_count && line->comm_size == 0
				       ? graph->runs[line->cpu]
				       : NO_THREAD;
	const uint64_t id = thread != NO_THREAD ? (uint64_t)thread << 1 : (uint64_t)(line->cpu + 1) << 1 | 1;
	*out = id_map_find(&graph->stacks, id);
	graph->lacks_thread |= thread == NO_THREAD && line->comm_size == 0;
	if (*out != NULL)
		return HISTREE_OK;
	*out = arena_allocate(&graph->memory, sizeof(**out), alignof(struct graph_stack));
	if (*out == NULL || !id_map_add(&graph->stacks, id, *out))
		return no_memory(graph);
	**out = (struct graph_stack){ .thread = thread, .cpu = line->cpu, .last = INT64_MIN };
	/* Names of threads and of CPUs are reported once. */
	const struct graph_stack *stack = *out;
	struct packed_cell cells[TRACK_FIELD_COUNT] = { { .kind = PACKED_ABSENT } };
	if (stack->thread == NO_THREAD)
		return line_graph_add(graph, stack, TRACK_TRACK_NAME, PACKED_NO_TIME, cells);
	if (line->comm_size == 0 || line->comm[0] == '<')
		return HISTREE_OK;
	cells[TRACK_NAME] = packed_text(line->comm, line->comm_size);
	return line_graph_add(graph, stack, TRACK_THREAD_NAME, PACKED_NO_TIME, cells);
}

static void put_text(struct packed_parts *parts, const char *name, const char *text, size_t size)
{
	if (size > 0)
		packed_parts_text(parts, name, strlen(name), text, size);
}

/* The arguments of a call, and what it returned, where the kernel was asked to print them. */
static void put_args(struct line_graph *graph, const struct graph_line *line, struct packed_cell *cells)
{
	if (line->args_size == 0 && line->ret_size == 0)
		return;
	packed_parts_clear(&graph->args);
	packed_parts_open(&graph->args, EVENT_STRUCTURE, NULL, 0);
	put_text(&graph->args, "args", line->args, line->args_size);
	put_text(&graph->args, "ret", line->ret, line->ret_size);
	packed_parts_close(&graph->args);
	if (!graph->args.has_failed)
		cells[TRACK_ARGS] = packed_value(&graph->args);
}

/* By a line, or with NULL by what comes next. */
static enum histree_status end_span(struct line_graph *graph, struct graph_stack *stack,
				    const struct graph_line *line, histree_time end)
{
	struct packed_cell cells[TRACK_FIELD_COUNT] = { { .kind = PACKED_ABSENT } };
	if (line != NULL)
		put_args(graph, line, cells);
	stack->last = end > stack->last ? end : stack->last;
	if (--stack->count == 0) {
		free(stack->open);
		stack->open = NULL;
		stack->capacity = 0;
	}
	return line_graph_add(graph, stack, TRACK_SPAN_END, stack->last, cells);
}

/* Those whose ends are not in the text end before what is drawn beside them, or around them. */
static enum histree_status end_deeper(struct line_graph *graph, struct graph_stack *stack, size_t depth,
				      histree_time time)
{
	enum histree_status status = HISTREE_OK;
	while (status == HISTREE_OK && stack->count > 0 && stack->open[stack->count - 1].depth >= depth)
		status = end_span(graph, stack, NULL, time);
	return status;
}

static void put_name(struct packed_cell *cells, const struct graph_line *line)
{
	cells[TRACK_NAME] = packed_text(line->name, line->name_size);
}

/* Of one that goes on, or of one that is drawn in one line. */
static enum histree_status take_call(struct line_graph *graph, struct graph_stack *stack,
				     const struct graph_line *line)
{
	struct packed_cell cells[TRACK_FIELD_COUNT] = { { .kind = PACKED_ABSENT } };
	enum histree_status status = end_deeper(graph, stack, line->depth, line->time);
	if (status != HISTREE_OK)
		return status;
	histree_time begin = line->time > stack->last ? line->time : stack->last;
	put_name(cells, line);
	put_args(graph, line, cells);
	stack->last = begin;
	if (line->kind == GRAPH_LEAF) {
		histree_time duration = line->has_duration ? line->duration : 0;
		cells[TRACK_DURATION] = packed_int(duration);
		stack->last = begin + duration;
		return line_graph_add(graph, stack, TRACK_SPAN, begin, cells);
	}
	if (stack->count >= DEPTH_MAX)
		return HISTREE_OK;
	if (!array_reserve(&stack->open, &stack->capacity, stack->count + 1))
		return no_memory(graph);
	stack->open[stack->count++] = (struct graph_span){ begin, line->depth };
	return line_graph_add(graph, stack, TRACK_SPAN_BEGIN, begin, cells);
}

static enum histree_status take_return(struct line_graph *graph, struct graph_stack *stack,
				       const struct graph_line *line)
{
	struct packed_cell cells[TRACK_FIELD_COUNT] = { { .kind = PACKED_ABSENT } };
	enum histree_status status = end_deeper(graph, stack, line->depth + 1, line->time);
	const struct graph_span *span = stack->count > 0 ? &stack->open[stack->count - 1] : NULL;
	if (status != HISTREE_OK)
		return status;
	if (span != NULL && span->depth == line->depth)
		return end_span(graph, stack, line, line->has_duration ? span->begin + line->duration : line->time);
	if (!line->has_duration || line->name_size == 0) {
		graph->others++;
		return HISTREE_OK;
	}
	/* It was called before the drawing began. */
	put_name(cells, line);
	put_args(graph, line, cells);
	cells[TRACK_DURATION] = packed_int(line->duration);
	return line_graph_add(graph, stack, TRACK_SPAN, line->time - line->duration, cells);
}

static enum histree_status line_graph_take_line(struct line_graph *graph, const struct graph_line *line)
{
	struct graph_stack *stack;
	enum histree_status status = stack_of(graph, line, &stack);
	if (status != HISTREE_OK)
		return status;
	return line->kind == GRAPH_RETURN ? take_return(graph, stack, line) : take_call(graph, stack, line);
}

static enum histree_status take_line(struct line_graph *graph, char *line, size_t size)
{
	const struct graph_line read = read_line(line, size);
	if (read.kind == GRAPH_SWITCH) {
		struct graph_stack *stack;
		if (!array_reserve(&graph->runs, &graph->cpu_capacity, (size_t)read.cpu + 1))
			return no_memory(graph);
		while (graph->cpu_count <= (size_t)read.cpu)
			graph->runs[graph->cpu_count++] = NO_THREAD;
		graph->runs[read.cpu] = read.thread;
		return read.thread == NO_THREAD ? HISTREE_OK : stack_of(graph, &read, &stack);
	}
	if (read.kind == GRAPH_EVENT)
		graph->events++;
	if (read.kind == GRAPH_OTHER || read.kind == GRAPH_EVENT) {
		struct line_head head;
		if (size > 4 && memcmp(line, "CPU:", 4) == 0) {
			line_head_read(line, size, 0, &head);
			graph->lost += head.kind == LINE_LOSS;
			graph->packed->base.notes->report.discarded_events += head.lost;
		}
		return HISTREE_OK;
	}
	if (!read.has_time) {
		graph->untimed++;
		return HISTREE_OK;
	}
	return line_graph_take_line(graph, &read);
}

/* ---- the text -------------------------------------------------------------------------------------------- */

enum histree_status line_graph_create(struct line_graph **out, struct packed_source *packed,
				      struct histree_error *error)
{
	struct line_graph *graph = *out = calloc(1, sizeof(*graph));
	if (graph == NULL)
		return error_memory(error, "the calls of functions");
	graph->packed = packed;
	graph->error = error;
	return packed_track_classes(packed, NULL, graph->classes, error) ? HISTREE_OK : error->status;
}

void line_graph_free(struct line_graph *graph)
{
	const struct id_entry *entry;
	if (graph == NULL)
		return;
	struct trace_notes *notes = graph->packed->base.notes;
	const char *path = graph->packed->base.path;
	if (graph->lost > 0)
		trace_notes_warn(notes,
				 "%s: calls were lost in %" PRIu64 " places: what was open there ends with "
				 "what comes next",
				 path, graph->lost);
	if (graph->lacks_thread)
		trace_notes_warn(notes,
				 "%s: calls without their thread are shown by CPU: 'echo 1 > "
				 "options/funcgraph-proc' prints it",
				 path);
	if (graph->events > 0)
		trace_notes_warn(notes,
				 "%s: events between drawn calls are left out: %" PRIu64 "; record them with "
				 "'trace-cmd record -p function_graph -e ...', whose report has both",
				 path, graph->events);
	if (graph->untimed > 0)
		trace_notes_warn(notes, "%s: calls without a time are left out: %" PRIu64, path, graph->untimed);
	if (graph->others > 0)
		trace_notes_warn(notes,
				 "%s: ends of calls that began before the text, and have no name, are left "
				 "out: %" PRIu64,
				 path, graph->others);
	for (size_t at = 0; (entry = id_map_next(&graph->stacks, &at)) != NULL;)
		free(((struct graph_stack *)entry->record)->open);
	id_map_release(&graph->stacks);
	arena_release(&graph->memory);
	packed_parts_release(&graph->args);
	free(graph->runs);
	free(graph);
}

bool line_graph_is_event(const struct line_head *head)
{
	static const char *const names[] = { "funcgraph_entry", "funcgraph_exit" };
	bool is = false;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		is |= head->name_size == strlen(names[i]) && memcmp(head->name, names[i], head->name_size) == 0;
	return is;
}

enum histree_status line_graph_take(struct line_graph *graph, const struct line_head *head,
				    const struct marker_thread *thread)
{
	struct graph_line line = { .has_time = true,
				   .time = head->time,
				   .has_cpu = head->cpu != LINE_NO_CPU,
				   .cpu = head->cpu,
				   .thread = head->pid > 0 ? head->pid : NO_THREAD,
				   .comm = head->pid == 0 ? "<idle>" : thread->name,
				   .comm_size = head->pid == 0 ? strlen("<idle>") : thread->name_size };
	struct line_scan scan = { head->text, head->text + head->text_size };
	struct graph_line columns = line;
	read_columns(&scan, &columns);
	line.has_duration = columns.has_duration;
	line.duration = columns.duration;
	read_function(scan, &line);
	return line.kind == GRAPH_OTHER || line.kind == GRAPH_EVENT ? HISTREE_OK
								    : line_graph_take_line(graph, &line);
}

enum histree_status line_graph_read(struct packed_source *packed, struct line_text *text,
				    struct histree_error *error)
{
	struct line_graph *graph;
	char *line;
	size_t size;
	enum histree_status status = line_graph_create(&graph, packed, error);
	while (status == HISTREE_OK && (status = line_text_next(text, &line, &size, error)) == HISTREE_OK) {
		status = take_line(graph, line, size);
		if (status == HISTREE_OK && text->lines % 1024 == 0)
			status = packed_source_look(packed, error);
	}
	line_graph_free(graph);
	return status;
}

enum histree_status line_graph_check(const struct line_place *place, struct histree_error *error)
{
	struct line_text text;
	char *line;
	size_t size;
	struct graph_line read = { 0 };
	enum histree_status status = line_text_open(&text, place, error);
	while (status == HISTREE_OK &&
	       (read.kind == GRAPH_OTHER || read.kind == GRAPH_EVENT || read.kind == GRAPH_SWITCH)) {
		status = line_text_next(&text, &line, &size, error);
		if (status == HISTREE_OK)
			read = read_line(line, size);
	}
	line_text_close(&text);
	if (status == HISTREE_END)
		return error_set(error, HISTREE_ERR_TRACE, "'%.200s' has no events", place->path);
	if (status == HISTREE_OK && !read.has_time)
		return error_set(
			error, HISTREE_ERR_TRACE,
			"'%.200s' has calls of functions without times: record with 'echo 1 > "
			"options/funcgraph-abstime' and, for their threads, 'echo 1 > options/funcgraph-proc'",
			place->path);
	return status;
}
