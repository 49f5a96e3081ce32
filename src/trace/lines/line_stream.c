// SPDX-License-Identifier: MIT
/*
 * line_stream.c - the events of a text in the order of time, with its losses.
 */
#include "trace/lines/line_stream.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/search.h"
#include "base/table.h"
#include "trace/lines/line_class.h"
#include "trace/lines/line_head.h"
#include "trace/lines/line_samples.h"
#include "trace/lines/line_text.h"
#include "trace/text/event_text.h"
#include "trace/trace_source.h"

/* ---- line losses --------------------------------------------------------------------------------------------- */

/* More are of no trace; what is behind them is not marked, but counted. */
enum { LOSSES_MAX = 1 << 18 };

/* The last event of a CPU in the order of the text, and what was lost since. */
struct last {
	histree_time time;
	bool is_known, has_lost;
	uint64_t lost; /* 0: not counted */
	histree_time since;
};

struct walk {
	struct line_losses *losses;
	struct trace_stream *stream;
	struct last *lasts; /* by CPU */
	size_t last_count, last_capacity;
	histree_time first; /* of all events */
	bool has_first;
};

static enum histree_status no_memory(struct histree_error *error)
{
	return error_memory(error, "the losses of a trace");
}

/* Returns NULL when memory runs out. */
static struct last *last_of(struct walk *walk, int32_t cpu)
{
	if (!array_reserve(&walk->lasts, &walk->last_capacity, (size_t)cpu + 1))
		return NULL;
	while (walk->last_count <= (size_t)cpu)
		walk->lasts[walk->last_count++] = (struct last){ 0 };
	return &walk->lasts[cpu];
}

/* Since a time, which is known, and up to another. */
static enum histree_status add_gap(struct walk *walk, int32_t cpu, struct last *last, histree_time end,
				   struct histree_error *error)
{
	struct line_losses *losses = walk->losses;
	struct trace_span span = { .begin = last->since, .end = end == INT64_MAX ? INT64_MIN : end };
	last->has_lost = false;
	walk->stream->notes->report.discarded_events += last->lost;
	trace_stream_note_loss(walk->stream, "event", last->lost == 0 ? NULL : &last->lost, span);
	if (last->since == INT64_MIN || last->since == INT64_MAX || losses->count == LOSSES_MAX)
		return HISTREE_OK;
	if (!array_reserve(&losses->gaps, &losses->capacity, losses->count + 1))
		return no_memory(error);
	losses->gaps[losses->count++] = (struct event_gap){
		.trace = walk->stream->trace,
		.cpu = cpu,
		.begin = last->since + 1,
		.end = end > last->since ? end : last->since + 1,
		.events = last->lost,
	};
	return HISTREE_OK;
}

static enum histree_status meet_event(struct walk *walk, const struct line_head *head, struct histree_error *error)
{
	if (!walk->has_first)
		walk->first = head->time;
	walk->has_first = true;
	if (head->cpu == LINE_NO_CPU)
		return HISTREE_OK;
	struct last *last = last_of(walk, head->cpu);
	if (last == NULL)
		return no_memory(error);
	enum histree_status status =
		last->has_lost ? add_gap(walk, head->cpu, last, head->time, error) : HISTREE_OK;
	last->time = head->time;
	last->is_known = true;
	return status;
}

/* What a CPU lost before its first event is not known anyway, but where its buffer begins, it was there before. */
static enum histree_status meet_loss(struct walk *walk, const struct line_head *head, struct histree_error *error)
{
	struct last *last = head->cpu == LINE_NO_CPU ? NULL : last_of(walk, head->cpu);
	if (last == NULL)
		return head->cpu == LINE_NO_CPU ? HISTREE_OK : no_memory(error);
	bool is_beginning = head->kind == LINE_BEGIN && !last->is_known;
	if (!last->has_lost) {
		last->lost = 0;
		last->since = last->is_known                    ? last->time
			      : is_beginning && walk->has_first ? walk->first
								: INT64_MIN;
	}
	last->has_lost = true;
	last->lost += head->lost;
	return head->has_time ? add_gap(walk, head->cpu, last, head->time, error) : HISTREE_OK;
}

static enum histree_status walk_lines(struct walk *walk, struct line_text *text, struct histree_error *error)
{
	struct line_head head;
	char *line;
	size_t size;
	enum histree_status status;
	while ((status = line_text_next(text, &line, &size, error)) == HISTREE_OK) {
		line_head_read(line, size, text->columns, &head);
		walk->losses->has_calls |=
			head.kind == LINE_EVENT && event_name_is_system_call(head.name, head.name_size);
		if (head.kind == LINE_EVENT && head.has_time)
			status = meet_event(walk, &head, error);
		else if (head.kind == LINE_LOSS || head.kind == LINE_BEGIN)
			status = meet_loss(walk, &head, error);
		if (status != HISTREE_OK)
			return status;
	}
	for (size_t cpu = 0; status == HISTREE_END && cpu < walk->last_count; cpu++)
		if (walk->lasts[cpu].has_lost &&
		    add_gap(walk, (int32_t)cpu, &walk->lasts[cpu], INT64_MAX, error) != HISTREE_OK)
			return HISTREE_ERR_MEMORY;
	return status == HISTREE_END ? HISTREE_OK : status;
}

/* Whether the text has a line about a loss; only lines that begin like one are read. */
static enum histree_status look(struct line_text *text, bool *out, struct histree_error *error)
{
	struct line_head head;
	char *line;
	size_t size;
	enum histree_status status;
	*out = false;
	while (!*out && (status = line_text_next(text, &line, &size, error)) == HISTREE_OK) {
		bool may_be = size > 8 && (memcmp(line, "CPU:", 4) == 0 || memcmp(line, "#####", 5) == 0 ||
					   (*line == '[' && memmem(line, size, "] CPU:", 6) != NULL) ||
					   memmem(line, size, "PERF_RECORD_LOST", 16) != NULL);
		if (!may_be)
			continue;
		line_head_read(line, size, text->columns, &head);
		*out = head.kind == LINE_LOSS || head.kind == LINE_BEGIN;
	}
	return *out || status == HISTREE_END ? HISTREE_OK : status;
}

COMPARE(compare_gaps, struct event_gap, BY(begin) BY(cpu))

/* Find them and say so in the notes of the stream.  Returns what line_text does, or HISTREE_ERR_CANCELLED. */
static enum histree_status line_losses_find(struct line_losses *losses, const struct line_place *place,
					    struct trace_stream *stream, struct histree_error *error)
{
	struct walk walk = { .losses = losses, .stream = stream };
	struct line_text text;
	bool has_losses = false;
	enum histree_status status = line_text_open(&text, place, error);
	if (status == HISTREE_OK)
		status = look(&text, &has_losses, error);
	line_text_close(&text);
	if (status != HISTREE_OK || !has_losses)
		return status;
	status = line_text_open(&text, place, error);
	if (status == HISTREE_OK)
		status = walk_lines(&walk, &text, error);
	line_text_close(&text);
	if (losses->count > 0)
		qsort(losses->gaps, losses->count, sizeof(*losses->gaps), compare_gaps);
	free(walk.lasts);
	return status;
}

/* ---- line cpus ----------------------------------------------------------------------------------------------- */

/* "swapper/3" */
static const char idle[] = "swapper/";

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
	if (!event_string(event, event_class_field(event->class, field), &name, &size))
		return LINE_NO_CPU;
	struct line_scan scan = { (char *)(uintptr_t)name, (char *)(uintptr_t)name + size };
	uint64_t cpu;
	bool is = line_scan_word(&scan, idle) && line_scan_number(&scan, &cpu) && scan.at == scan.end;
	return is && cpu <= LINE_CPU_MAX ? (int32_t)cpu : LINE_NO_CPU;
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

/*
 * Learn from an event, which follows the others in time, and tell its CPU or LINE_NO_CPU.  False: memory runs out.
 */
static bool line_cpus_tell(struct line_cpus *cpus, struct event_row *row, int32_t thread)
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
		line_head_read(line, size, text->columns, &head);
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
	if (status == HISTREE_ERR_TRACE || status == HISTREE_END) /* damage is reported where events are read */
		status = HISTREE_OK;
	if (status == HISTREE_OK && needs && !says_cpu)
		return error_set(error, HISTREE_ERR_TRACE,
				 "'%.200s' has events of the kernel without their CPUs: print them too, with 'perf "
				 "script -F +cpu' "
				 "(of what 'perf record -C' or '-a' or '--sample-cpu' has recorded)",
				 place->path);
	return status;
}

/* ---- line stream --------------------------------------------------------------------------------------------- */

enum histree_status line_stream_init(struct line_stream *stream, const struct line_place *place, const uint64_t *at,
				     struct histree_error *error)
{
	stream->is_whole = at == NULL;
	enum histree_status status =
		at == NULL ? line_losses_find(&stream->losses, place, &stream->base, error) : HISTREE_OK;
	if (status == HISTREE_OK)
		status = line_text_open(&stream->text, place, error);
	stream->text.work = NULL; /* it asks no longer than opening takes */
	if (status == HISTREE_OK && at != NULL)
		line_text_seek(&stream->text, *at);
	return status;
}

void line_stream_release(struct line_stream *stream)
{
	if (stream->held != NULL)
		event_row_free(stream->held);
	line_sample_release(&stream->sample);
	free(stream->pending_line);
	event_window_release(&stream->window);
	struct line_losses *losses = &stream->losses;
	free(losses->gaps);
	*losses = (struct line_losses){ 0 };
	struct line_cpus *cpus = &stream->cpus;
	free(cpus->runs);
	*cpus = (struct line_cpus){ 0 };
	switch_records_release(&stream->switches);
	if (stream->text.bytes != NULL)
		line_text_close(&stream->text);
}

/* ---- lines to rows --------------------------------------------------------------------------------------- */

static void keep_words(char *words, size_t room, const char *line, size_t size)
{
	memcpy(words, line, size < room - 1 ? size : room - 1);
	for (char *byte = words; *byte != '\0'; byte++)
		if ((unsigned char)*byte < ' ')
			*byte = ' ';
}

/* What is no event. */
static void pass_over(struct line_stream *stream, const struct line_head *head, const char *line, size_t size,
		      uint64_t number)
{
	stream->chain_lines += head->kind == LINE_CHAIN;
	bool is_other = head->kind == LINE_OTHER || head->kind == LINE_EVENT || head->kind == LINE_SAMPLE;
	if (is_other && stream->others++ == 0) {
		stream->first_other = number;
		keep_words(stream->first_words, sizeof(stream->first_words), line, size);
	}
}

/*
 * What the records of switches say with those before them, which are read again where reading begins anew.  Returns
 * false when memory runs out.
 */
static bool meet_record(struct line_stream *stream, struct line_head *head)
{
	static const char ended[] = "perf_exit";
	stream->tells_switches |= head->has_turn;
	if (head->has_turn)
		return switch_records_meet(&stream->switches, &head->turn);
	if (head->name_size != strlen(ended) || memcmp(head->name, ended, head->name_size) != 0)
		return true;
	struct line_scan scan = { head->text, head->text + head->text_size };
	uint64_t process, thread;
	if (line_scan_byte(&scan, '(') && line_scan_number(&scan, &process) && line_scan_byte(&scan, ':') &&
	    line_scan_number(&scan, &thread) && thread <= INT32_MAX)
		switch_records_exit(&stream->switches, (int32_t)thread);
	return true;
}

static enum histree_status make_row(struct line_stream *stream, const struct line_head *of, uint64_t line_at,
				    struct event_row **out, struct histree_error *error)
{
	struct line_head met;
	const struct line_head *head = of;
	if (of->is_record) {
		met = *of;
		head = &met;
		if (!meet_record(stream, &met))
			return error_memory(error, "the switches of a trace");
	}
	struct text_cell cells[LINE_CELLS_MAX];
	const struct text_class *class;
	size_t count;
	enum histree_status status =
		line_classes_read(stream->classes, head, &stream->sample, cells, &count, &class, error);
	if (status != HISTREE_OK)
		return status;
	struct event_row *row = event_window_room(&stream->window);
	*out = row;
	if (row == NULL || !event_row_copy(row, cells, count))
		return error_memory(error, "an event");
	row->time = head->time;
	row->cpu = head->cpu;
	row->class = class;
	row->row_at = line_at;
	if (stream->tells_cpus && row->cpu == LINE_NO_CPU && !head->is_record &&
	    !line_cpus_tell(&stream->cpus, row, head->pid))
		return error_memory(error, "the CPUs of a trace");
	return HISTREE_OK;
}

/* Returns false if the row is late. */
static bool put_in_window(struct line_stream *stream, struct event_row *row)
{
	if (!event_window_add(&stream->window, row))
		return false;
	stream->starts[row->arrival % LINE_STREAM_STARTS] = row->row_at;
	return true;
}

static enum histree_status add_row(struct line_stream *stream, const struct line_head *head, uint64_t line_at,
				   struct histree_error *error)
{
	struct event_row *row = NULL;
	enum histree_status status = make_row(stream, head, line_at, &row, error);
	if (status == HISTREE_OK && !put_in_window(stream, row))
		stream->held = row;
	else if (status != HISTREE_OK && row != NULL)
		event_window_drop(&stream->window, row);
	return status;
}

/*
 * If a row was late and the window is empty now, it begins anew with that row.  Nothing that was
 * handed out is compared with any more.
 */
static void begin_anew(struct line_stream *stream)
{
	if (stream->held == NULL || stream->window.count > 0)
		return;
	event_window_give(&stream->window);
	stream->begin = stream->window.read;
	put_in_window(stream, stream->held);
	stream->held = NULL;
}

/* What no state is known without: as its fields are not understood, the analyses have no such event. */
static void note_unfit(struct line_stream *stream, const struct line_head *head, uint64_t number)
{
	static const char *const names[] = { "sched_switch", "sched_wakeup", "sched_wakeup_new", "sched_waking" };
	const char *colon = memchr(head->name, ':', head->name_size);
	const char *name = colon != NULL ? colon + 1 : head->name;
	const size_t size = (size_t)(head->name + head->name_size - name);
	bool is = false;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		is |= size == strlen(names[i]) && memcmp(name, names[i], size) == 0;
	if (!is || head->text_size == 0 || stream->unfit++ > 0)
		return;
	stream->first_unfit = number;
	keep_words(stream->unfit_words, sizeof(stream->unfit_words), head->text, head->text_size);
}

/* An event, or with HISTREE_NOT_FOUND none, which is passed over. */
static enum histree_status take_event(struct line_stream *stream, const struct line_head *head, const char *line,
				      size_t size, uint64_t line_at, uint64_t number, struct histree_error *error)
{
	bool is_event = head->kind == LINE_EVENT && head->has_time;
	static const char sched[] = "sched:sched_";
	stream->bare += is_event && head->text_size == 0 && head->name_size > strlen(sched) &&
			memcmp(head->name, sched, strlen(sched)) == 0;
	enum histree_status status = is_event ? add_row(stream, head, line_at, error) : HISTREE_NOT_FOUND;
	if (status == HISTREE_OK && stream->classes->is_unfit)
		note_unfit(stream, head, number);
	if (status != HISTREE_NOT_FOUND)
		return status;
	pass_over(stream, head, line, size, number);
	return HISTREE_OK;
}

/*
 * A record of perf that says whose a thread is.  What was so when perf began has no time, 0.000000: it comes first,
 * at the time of the first event, as does what was before that.  Nobody did it then, and no thread is made.
 */
static enum histree_status take_record(struct line_stream *stream, struct line_head *head, const char *line,
				       size_t size, struct histree_error *error)
{
	static char fork[] = "perf_fork", thread[] = "perf_thread";
	const bool is_early = head->has_time && (head->time < stream->first || head->time == 0);
	if (is_early) {
		if (head->name_size == strlen(fork) && memcmp(head->name, fork, head->name_size) == 0) {
			head->name = thread;
			head->name_size = strlen(thread);
		}
		head->pid = LINE_NO_THREAD;
		head->cpu = LINE_NO_CPU;
		head->time = stream->first;
	}
	head->kind = LINE_EVENT;
	head->is_record = true;
	return take_event(stream, head, line, size, stream->text.line_at, stream->text.lines, error);
}

static bool is_told(const struct line_stream *stream, const struct line_head *head)
{
	return head->kind == LINE_RECORD && head->name_size > 0 && head->has_time && stream->first != INT64_MIN;
}

/* ---- samples --------------------------------------------------------------------------------------------- */

/* A possible head without a chain behind it is not a head. */
static enum histree_status add_pending(struct line_stream *stream, struct histree_error *error)
{
	struct line_head *head = &stream->pending;
	if (!stream->has_pending)
		return HISTREE_OK;
	stream->has_pending = false;
	if (!line_sample_take_only(&stream->sample, head) ||
	    !line_sample_take_none(&stream->sample, stream->pending_line, head))
		return error_memory(error, "a chain of calls");
	const bool is_sample = stream->sample.chain_size > 0;
	if (is_sample)
		line_sample_whose(&stream->sample, stream->pending_line, stream->pending_size, head);
	if (is_sample && head->kind == LINE_SAMPLE)
		head->kind = LINE_EVENT;
	if (!is_sample && stream->pending_size == 0) /* an empty line */
		return HISTREE_OK;
	if (stream->has_no_times && is_sample) {
		head->time = (histree_time)stream->samples++;
		head->has_time = true;
	}
	enum histree_status status = take_event(stream, head, stream->pending_line, stream->pending_size,
						stream->pending_at, stream->pending_number, error);
	line_sample_begin(&stream->sample);
	return status;
}

/* Texts of a head are parts of its line, except names that are not in it. */
static void move_text(char **text, const char *line, size_t size, char *to)
{
	const uintptr_t at = (uintptr_t)*text, begin = (uintptr_t)line;
	if (at >= begin && at <= begin + size)
		*text = to + (at - begin);
}

static enum histree_status keep_pending(struct line_stream *stream, const struct line_head *head, const char *line,
					size_t size, struct histree_error *error)
{
	if (!array_reserve(&stream->pending_line, &stream->pending_capacity, size + 1))
		return error_memory(error, "a line");
	memcpy(stream->pending_line, line, size);
	stream->pending = *head;
	move_text(&stream->pending.name, line, size, stream->pending_line);
	move_text(&stream->pending.text, line, size, stream->pending_line);
	move_text(&stream->pending.comm, line, size, stream->pending_line);
	stream->pending_size = size;
	stream->pending_at = stream->text.line_at;
	stream->pending_number = stream->text.lines;
	stream->has_pending = true;
	line_sample_begin(&stream->sample);
	return HISTREE_OK;
}

/* A line behind an event that may be one of its chain. */
static bool take_chain(struct line_stream *stream, const struct line_head *head, const char *line, size_t size,
		       enum histree_status *status, struct histree_error *error)
{
	bool is_kept;
	*status = HISTREE_OK;
	if (!stream->has_pending || (head->kind != LINE_CHAIN && head->kind != LINE_OTHER))
		return false;
	if (head->kind == LINE_CHAIN && head->pid != LINE_NO_THREAD) /* "<stack trace>": of the event before */
		return head->pid == stream->pending.pid;
	bool is_chain = line_sample_take(&stream->sample, line, size, &is_kept);
	if (!is_kept)
		*status = error_memory(error, "a chain of calls");
	return is_chain;
}

/* A line of a text with samples. */
static enum histree_status take_line(struct line_stream *stream, char *line, size_t size,
				     struct histree_error *error)
{
	struct line_head head;
	enum histree_status status;
	if (!stream->is_bare)
		line_head_read(line, size, stream->text.columns, &head);
	else
		line_sample_head(line, size, &head);
	if (stream->is_bare && line_sample_is_alone(line, size)) {
		/* A sample whose line has nothing but its frame. */
		static char nobody[] = "";
		bool is_kept;
		status = add_pending(stream, error);
		line_sample_head(nobody, 0, &head);
		if (status == HISTREE_OK)
			status = keep_pending(stream, &head, nobody, 0, error);
		if (status == HISTREE_OK && line_sample_take(&stream->sample, line, size, &is_kept) && !is_kept)
			status = error_memory(error, "a chain of calls");
		return status;
	}
	if (take_chain(stream, &head, line, size, &status, error) || status != HISTREE_OK)
		return status;
	status = add_pending(stream, error);
	if (status != HISTREE_OK)
		return status;
	if (is_told(stream, &head))
		return take_record(stream, &head, line, size, error);
	if (head.kind == LINE_EVENT || head.kind == LINE_SAMPLE)
		return keep_pending(stream, &head, line, size, error);
	pass_over(stream, &head, line, size, stream->text.lines);
	return HISTREE_OK;
}

/* ---- the window ------------------------------------------------------------------------------------------ */

/* Threads and CPUs of another file are those of another machine, or the same once more. */
static bool is_of_other(struct line_stream *stream, const char *line, size_t size)
{
	const char *file;
	const size_t file_size = *stream->file != '\0' ? line_file(line, size, &file) : 0;
	const bool is =
		file_size > 0 && (file_size != strlen(stream->file) || memcmp(file, stream->file, file_size) != 0);
	stream->of_others += is;
	return is;
}

/* What ps printed before the events is told at the time of the first one. */
static enum histree_status take_dump(struct line_stream *stream, char *line, size_t size,
				     struct histree_error *error)
{
	struct line_head head;
	if (stream->first == INT64_MIN || !line_dump_read(line, size, &head))
		return HISTREE_OK;
	head.time = stream->first;
	head.has_time = head.is_record = true;
	return take_event(stream, &head, line, size, stream->text.line_at, stream->text.lines, error);
}

/* Read lines until the window is full, a line is late, or the text at its end. */
static enum histree_status fill(struct line_stream *stream, struct histree_error *error)
{
	char *line;
	size_t size;
	struct line_head head;
	begin_anew(stream);
	while (!stream->is_done && stream->held == NULL && !event_window_is_full(&stream->window)) {
		enum histree_status status = line_text_next(&stream->text, &line, &size, error);
		stream->is_done = status != HISTREE_OK;
		if (status != HISTREE_OK) {
			enum histree_status last = add_pending(stream, error);
			return last < 0 ? last : status == HISTREE_END ? HISTREE_OK : status;
		}
		if (is_of_other(stream, line, size))
			continue;
		if (stream->has_samples) {
			status = take_line(stream, line, size, error);
		} else {
			line_head_read(line, size, stream->text.columns, &head);
			stream->in_dump = stream->in_dump && head.kind != LINE_EVENT;
			status = stream->in_dump ? take_dump(stream, line, size, error)
				 : is_told(stream, &head)
					 ? take_record(stream, &head, line, size, error)
					 : take_event(stream, &head, line, size, stream->text.line_at,
						      stream->text.lines, error);
		}
		if (status != HISTREE_OK)
			return status;
	}
	return HISTREE_OK;
}

/* ---- events ---------------------------------------------------------------------------------------------- */

static bool has_event(const struct line_stream *stream, const char *name)
{
	return intern_find(&stream->classes->names, name, strlen(name)) != INTERN_NONE;
}

static void end_stream(struct line_stream *stream)
{
	struct trace_notes *notes = stream->base.notes;
	if (stream->is_whole && stream->tells_switches && !has_event(stream, "sched:sched_switch") &&
	    !has_event(stream, "sched_switch"))
		trace_notes_warn(
			notes,
			"%s: its switches are those of --show-switch-events, which say neither why a thread "
			"slept nor when it was woken: that it waited for a CPU counts as blocked, unless it was "
			"preempted; 'perf record -e sched:sched_switch,sched:sched_wakeup' has all of that",
			stream->base.name);
	if (stream->is_whole && stream->others > 0)
		trace_notes_warn(notes,
				 "%s: %" PRIu64 " line%s no event%s and left out, at first line %" PRIu64 ": '%s'",
				 stream->base.name, stream->others, stream->others == 1 ? " is" : "s are",
				 stream->others == 1 ? "" : "s", stream->first_other, stream->first_words);
	if (stream->is_whole && stream->bare > 0)
		trace_notes_warn(notes,
				 "%s: events of the scheduler without their fields, which say nothing: %" PRIu64
				 "; 'perf script -F +trace' prints them",
				 stream->base.name, stream->bare);
	if (stream->is_whole && stream->unfit > 0)
		trace_notes_warn(
			notes,
			"%s: switches and wakeups whose fields are not understood, and which say nothing of "
			"threads: %" PRIu64 ", at first line %" PRIu64 ": '%s'",
			stream->base.name, stream->unfit, stream->first_unfit, stream->unfit_words);
	if (stream->is_whole && stream->of_others > 0)
		trace_notes_warn(notes,
				 "%s: it is a report of several files, and %" PRIu64
				 " line%s of others than '%s' %s "
				 "left out: report each by itself, as in 'trace-cmd report FILE'",
				 stream->base.name, stream->of_others, stream->of_others == 1 ? "" : "s",
				 stream->file, stream->of_others == 1 ? "is" : "are");
	if (stream->is_whole && stream->chain_lines > 0)
		trace_notes_warn(notes, "%s: %" PRIu64 " line%s of chains of calls %s left out", stream->base.name,
				 stream->chain_lines, stream->chain_lines == 1 ? "" : "s",
				 stream->chain_lines == 1 ? "is" : "are");
	if (stream->cpus.unknown > 0)
		trace_notes_warn(notes,
				 "%s: of %" PRIu64 " event%s the CPU is neither printed nor known from switches "
				 "before: 'perf script -F +cpu' prints it",
				 stream->base.name, stream->cpus.unknown, stream->cpus.unknown == 1 ? "" : "s");
	trace_stream_end(&stream->base);
}

/* The row that comes next; NULL: none. */
static const struct event_row *peek(const struct event_window *window)
{
	return window->count == 0 ? NULL : window->rows[window->first];
}

/* Returns a loss that begins before a row, or at its time, or NULL. */
static const struct event_gap *loss_before(const struct line_stream *stream, const struct event_row *row)
{
	const struct line_losses *losses = &stream->losses;
	bool is_due =
		losses->next < losses->count && (row == NULL || losses->gaps[losses->next].begin <= row->time);
	return is_due ? &losses->gaps[losses->next] : NULL;
}

enum histree_status line_stream_next(struct trace_stream *base, struct histree_error *error)
{
	struct line_stream *stream = (struct line_stream *)base;
	struct histree_error why;
	base->has_upcoming = false;
	enum histree_status status = fill(stream, &why);
	if (status == HISTREE_ERR_MEMORY)
		return error_set(error, status, "%s", why.message);
	if (status != HISTREE_OK)
		stream->failure = why;
	const struct event_gap *loss = loss_before(stream, peek(&stream->window));
	if (loss != NULL) {
		stream->losses.next++;
		base->gap = *loss;
		base->has_gap = true;
		trace_stream_put_gap(base);
		return HISTREE_OK;
	}
	const struct event_row *row = event_window_give(&stream->window);
	if (row != NULL) {
		const struct event event = {
			.time = row->time, .cpu = row->cpu, .class = &row->class->class, .handle = row
		};
		trace_stream_put(base, &event);
		return HISTREE_OK;
	}
	if (stream->failure.status != HISTREE_OK) {
		/* The file cannot be read on: all CPUs lack what comes behind what was read. */
		struct trace_notes *notes = stream->base.notes;
		notes->report.damaged_streams++;
		trace_notes_warn(notes, "%s: %s; the events before that are read", stream->base.name,
				 stream->failure.message);
		stream->failure.status = HISTREE_OK;
		if (stream->base.has_events && stream->base.last < INT64_MAX) {
			stream->base.gap = (struct event_gap){ .trace = stream->base.trace,
							       .cpu = -1,
							       .begin = stream->base.last + 1,
							       .end = INT64_MAX };
			stream->base.has_gap = true;
		}
	}
	if (trace_stream_put_gap(base))
		return HISTREE_OK;
	end_stream(stream);
	return HISTREE_END;
}

/*
 * Which rows are late depends on those before them: so reading begins two windows before, or where the window began
 * anew, unless a row that is older still waits.
 */
void line_stream_position(const struct trace_stream *base, struct trace_position *out)
{
	const struct line_stream *stream = (const struct line_stream *)base;
	const struct event_window *window = &stream->window;
	if (window->out == NULL) {
		*out = (struct trace_position){ .packet = peek(window)->row_at };
		return;
	}
	event_window_position(window, &out->packet, &out->events);
	uint64_t last = window->given - 1, oldest = last - out->events;
	uint64_t first = window->read > LINE_STREAM_STARTS ? window->read - LINE_STREAM_STARTS : 0;
	if (first < stream->begin)
		first = stream->begin;
	if (first < oldest)
		*out = (struct trace_position){ stream->starts[first % LINE_STREAM_STARTS], last - first };
	out->events += stream->base.upcoming.gap != NULL;
}
