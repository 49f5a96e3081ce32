// SPDX-License-Identifier: MIT
/*
 * line_source.c - the text of a kernel trace, one event a line: ftrace's files `trace` and `trace_pipe`, and the
 * output of "trace-cmd report" and "perf script".  A file is one stream.
 *
 * Lines are sorted by time within a window (event_text.h).  A line earlier than those already handed out comes
 * after all lines before it: the clock has stepped back.  A line that is not an event is skipped and counted.
 *
 * Spans, counters and instants in the text are a trace of domain "tracks" beside that of the kernel: markers of
 * programs among its events (packed_markers.h), or calls of functions that ftrace drew (line_graph.h), or system
 * calls that strace printed (line_strace.h).  They are read once, and sorted.
 *
 * A trace is named "FILE", or "text:machine=x86_64:FILE" if the text does not say to which machine its system call
 * numbers belong.
 */

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/trace_word.h"
#include "trace/formats.h"
#include "trace/lines/line_graph.h"
#include "trace/lines/line_head.h"
#include "trace/lines/line_samples.h"
#include "trace/lines/line_strace.h"
#include "trace/lines/line_stream.h"
#include "trace/lines/line_text.h"
#include "trace/packed/packed_markers.h"
#include "trace/task_states.h"
#include "trace/text/event_text.h"
#include "trace/trace_source.h"

struct line_preface {
	bool is_trace;         /* it has an event, or says which tracer wrote it */
	bool has_event;        /* among the first lines */
	bool has_others;       /* before it: lines that are nothing known */
	bool is_strace;        /* it has no events, but system calls (line_strace.h) */
	bool is_graph;         /* it has no events, but calls of functions (line_graph.h) */
	bool has_samples;      /* with chains of calls, or where it was alone */
	bool has_only_samples; /* and no tracepoint */
	bool has_differences;  /* in place of times */
	bool is_bare;          /* their heads lack the time or the thread (line_sample_head()) */
	bool has_no_times;     /* which samples can do without */
	bool lacks_cpu;        /* the first of these, and it is not of samples alone */
	bool has_dump;         /* of processes, before the events (line_head.h) */
	struct task_state_signs state_signs;
	bool is_count;                /* the clock of which counts something else than time */
	char tracer[TRACE_FACT_SIZE]; /* of ftrace: "nop", "function_graph"; "" where it does not say */
	char machine[TRACE_FACT_SIZE];
	struct trace_facts facts;
	uint64_t overwritten;       /* events that were written, and are not there any more */
	histree_time first;         /* of the first event; INT64_MIN: it has no time */
	unsigned columns;           /* of flags; 0: no line says it */
	char file[TRACE_FACT_SIZE]; /* of the first event, in a report of several; "" */
};

/* ---- line preface -------------------------------------------------------------------------------------------- */

/* So far a text is looked at; a header of "perf script --header" has some hundred lines. */
enum { PREFACE_SIZE = 256 << 10, PREFACE_LINES = 16, DUMP_SIZE = 16 << 20 };

/* Of a text with samples, a chain of calls comes with the first event, or with one of those after it. */
enum { SAMPLE_LINES = 64 };

/* "# arch : x86_64", as "perf script --header" writes it, or "# tracer: nop", as ftrace does. */
static void read_comment(struct line_scan scan, struct line_preface *out)
{
	struct {
		const char *begin;
		char *fact;
	} const facts[] = {
		{ "# tracer:", out->tracer },
		{ "# hostname :", out->facts.hostname },
		{ "# os release :", out->facts.kernel },
		{ "# arch :", out->machine },
	};
	uint64_t kept, written;
	/* The legend of the flags, a line each: "# / _----=> need-resched". */
	const char *arrow = memmem(scan.at, (size_t)(scan.end - scan.at), "-=> ", 4);
	out->columns += arrow != NULL && memchr(scan.at, '_', (size_t)(arrow - scan.at)) != NULL;
	for (size_t i = 0; i < sizeof(facts) / sizeof(facts[0]); i++)
		if (line_scan_word(&scan, facts[i].begin)) {
			struct line_scan rest = scan;
			line_scan_spaces(&rest);
			size_t size = (size_t)(rest.end - rest.at);
			while (size > 0 && rest.at[size - 1] == ' ')
				size--;
			if (size >= TRACE_FACT_SIZE)
				size = TRACE_FACT_SIZE - 1;
			memcpy(facts[i].fact, rest.at, size);
			facts[i].fact[size] = '\0';
		}
	if (!line_scan_word(&scan, "# entries-in-buffer/entries-written:"))
		return;
	line_scan_spaces(&scan);
	if (line_scan_number(&scan, &kept) && line_scan_byte(&scan, '/') && line_scan_number(&scan, &written) &&
	    written > kept)
		out->overwritten = written - kept;
}

/* The lines from the first event on, which are looked at for a chain of calls. */
struct first_lines {
	struct line_sample sample;
	unsigned left; /* to be looked at */
	/* The line before, if a chain follows; what says nothing of itself, if that is perf's without doubt. */
	bool may_be_head, may_be_untimed, may_be_nobody;
	bool is_timed; /* that line, if it lacks the thread */
	bool has_tracepoint;
	/* Of the events: how many, how many of them seem to be earlier than the one before, and its time. */
	unsigned events, steps_back;
	histree_time last;
};

static bool has_frame(struct line_sample *sample, const char *line, size_t size)
{
	bool is_kept;
	line_sample_begin(sample);
	return line_sample_take(sample, line, size, &is_kept);
}

static void look_for_samples(struct first_lines *first, struct line_preface *out, const struct line_head *head,
			     const char *line, size_t size)
{
	if (head->kind == LINE_EVENT) {
		first->has_tracepoint |=
			!line_sample_is_counted(head->name, head->name_size) || out->tracer[0] != '\0';
		line_sample_begin(&first->sample);
		out->has_samples |= line_sample_take_only(&first->sample, head) && first->sample.chain_size > 0;
	} else if (head->kind == LINE_CHAIN || head->kind == LINE_OTHER) {
		out->has_samples |= has_frame(&first->sample, line, size);
	}
	out->has_only_samples = out->has_samples && !first->has_tracepoint;
	first->left--;
}

/* The head of a sample without an event or a time is one if a frame follows. */
static void look_for_heads(struct first_lines *first, struct line_preface *out, const struct line_head *head,
			   char *line, size_t size)
{
	struct line_head untimed = { .kind = LINE_OTHER };
	const bool may_be_untimed = head->kind != LINE_SAMPLE && line_sample_head(line, size, &untimed);
	const bool has_own = head->is_frame || untimed.is_frame;
	const bool is_frame =
		has_own ||
		((first->may_be_head || (first->may_be_untimed && line_sample_is_likely(line, size))) &&
		 has_frame(&first->sample, line, size)) ||
		(first->may_be_nobody && line_sample_is_frame(line, size)) ||
		(line_sample_is_alone(line, size) && has_frame(&first->sample, line, size));
	if (is_frame) {
		out->has_event = out->has_samples = out->has_only_samples = true;
		out->is_bare = has_own ? untimed.is_frame : !first->may_be_head;
		out->has_no_times = out->is_bare && !(has_own ? untimed.has_time : first->is_timed);
	}
	first->may_be_head = head->kind == LINE_SAMPLE;
	first->may_be_untimed = may_be_untimed;
	first->is_timed = untimed.has_time;
	first->may_be_nobody = !first->may_be_head && untimed.kind == LINE_SAMPLE;
}

/*
 * What perf script --deltatime has in place of a time is how long it was since the line before: the first one is
 * 0, and many are less than the one before.  Added up they would be wrong, as each is cut to us.
 */
static void look_at_time(struct first_lines *first, struct line_preface *out, const struct line_head *head)
{
	enum { FEW = 8 };
	if (head->kind != LINE_EVENT || !head->has_time)
		return;
	first->steps_back += first->events > 0 && head->time < first->last;
	first->last = head->time;
	first->events++;
	out->has_differences = out->first == 0 && out->tracer[0] == '\0' && first->steps_back > 0 &&
			       first->steps_back >= first->events / FEW;
}

static enum histree_status read_lines(struct line_text *text, struct line_preface *out, struct first_lines *first,
				      struct histree_error *error)
{
	struct line_head head;
	char *line;
	size_t size;
	enum histree_status status = HISTREE_OK;
	for (unsigned others = 0; !out->has_event && (others < PREFACE_LINES || out->has_dump || text->is_page) &&
				  text->line_at - text->begin < (out->has_dump ? DUMP_SIZE : PREFACE_SIZE);) {
		status = line_text_next(text, &line, &size, error);
		if (status == HISTREE_OK && text->is_cut && memchr(line, '\0', size) != NULL)
			status = HISTREE_END; /* no text: where its line ends may be gigabytes away */
		if (status != HISTREE_OK)
			break;
		line_head_read(line, size, out->columns, &head);
		out->has_dump |= line_begins_dump(line, size);
		if (head.kind == LINE_COMMENT)
			read_comment((struct line_scan){ line, line + size }, out);
		else if (head.kind == LINE_OTHER || head.kind == LINE_SAMPLE)
			others++;
		out->has_others |= head.kind == LINE_OTHER;
		out->is_graph |= (head.kind == LINE_OTHER || head.kind == LINE_CHAIN) && line_graph_is(line, size);
		out->is_strace |= head.kind == LINE_OTHER && !out->is_graph && line_strace_is(line, size);
		out->has_event = head.kind == LINE_EVENT;
		if (out->has_event && out->columns == 0)
			out->columns = head.flags;
		if (out->has_event && head.has_time)
			out->first = head.time;
		look_at_time(first, out, &head);
		const char *file;
		const size_t file_size = out->has_event ? line_file(line, size, &file) : 0;
		if (file_size > 0 && file_size < sizeof(out->file))
			memcpy(out->file, file, file_size);
		out->is_count = out->has_event && head.is_count;
		out->lacks_cpu = out->has_event && head.cpu == LINE_NO_CPU;
		if (out->has_event)
			look_for_samples(first, out, &head, line, size);
		else if (!out->is_strace && !out->is_graph && head.kind != LINE_RECORD)
			look_for_heads(first, out, &head, line, size);
	}
	while (status == HISTREE_OK && out->has_event && !out->is_bare && first->left > 0) {
		status = line_text_next(text, &line, &size, error);
		if (status != HISTREE_OK)
			break;
		line_head_read(line, size, out->columns, &head);
		out->columns = out->columns == 0 ? head.flags : out->columns;
		look_at_time(first, out, &head);
		look_for_samples(first, out, &head, line, size);
	}
	out->lacks_cpu = out->lacks_cpu && !out->has_only_samples;
	out->is_graph = !out->has_event && (out->is_graph || strcmp(out->tracer, "function_graph") == 0);
	out->is_strace = out->is_strace && !out->has_event && !out->is_graph;
	out->is_trace = out->has_event || out->is_graph || out->is_strace || out->tracer[0] != '\0';
	return status == HISTREE_END ? HISTREE_OK : status;
}

/* Returns HISTREE_ERR_IO, HISTREE_ERR_TRACE, HISTREE_ERR_MEMORY if it cannot be read. */
static enum histree_status line_preface_read(const struct line_place *place, struct line_preface *out,
					     struct histree_error *error)
{
	struct line_text text;
	struct first_lines first = { .left = SAMPLE_LINES };
	*out = (struct line_preface){ .first = INT64_MIN };
	enum histree_status status = line_text_open(&text, place, error);
	if (status == HISTREE_OK)
		status = read_lines(&text, out, &first, error);
	line_text_close(&text);
	line_sample_release(&first.sample);
	return status;
}

/* ---- line source --------------------------------------------------------------------------------------------- */

/* ---- line tracks --------------------------------------------------------------------------------------------- */

struct line_tracks {
	struct packed_source packed;
	const char *path; /* of the file */
	bool is_in_json;
	struct line_preface preface;
	struct line_text text; /* while the events are read */
};

/* ---- markers --------------------------------------------------------------------------------------------- */

/* Returns whether a line may be a marker: most are not, and are not read. */
static bool may_be_marker(const char *line, size_t size)
{
	static const char end[] = ": E";
	const size_t end_size = strlen(end);
	return memchr(line, '|', size) != NULL ||
	       (size > end_size && memcmp(line + size - end_size, end, end_size) == 0);
}

/*
 * What code of the kernel writes by trace_puts() and trace_printk() is called as its function: it is a marker if it
 * names a process, as "B|100|name" and "E|100" do.  A lone "E" is one of what writes markers only.
 */
static bool is_marker(const struct line_head *head)
{
	static const char *const names[] = { "print", "ftrace:print" };
	bool is = packed_marker_is_writer(head->name, head->name_size) ||
		  (head->text_size > 2 && head->text[1] == '|' && head->text[2] >= '0' && head->text[2] <= '9');
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		is |= head->name_size == strlen(names[i]) && memcmp(head->name, names[i], head->name_size) == 0;
	return (is && packed_marker_is(head->text, head->text_size)) || line_graph_is_event(head);
}

static bool read_marker(char *line, size_t size, unsigned columns, struct line_head *head)
{
	if (!may_be_marker(line, size))
		return false;
	line_head_read(line, size, columns, head);
	return head->kind == LINE_EVENT && head->has_time && is_marker(head);
}

/* "  name-1042 ...", of a thread whose name is not lost: "<...>". */
static size_t name_of_thread(const char *line, const struct line_head *head, const char **name)
{
	enum { COMM_MAX = 15 };
	char number[16];
	int size = snprintf(number, sizeof(number), "-%" PRId32, head->pid);
	while (*line == ' ')
		line++;
	const char *end = memmem(line, (size_t)(head->name - line), number, (size_t)size);
	*name = line;
	return end == NULL || end == line || end - line > COMM_MAX || *line == '<' ? 0 : (size_t)(end - line);
}

static enum histree_status read_markers(struct line_tracks *tracks, struct packed_markers *markers,
					struct line_graph *graph, struct histree_error *error)
{
	struct line_head head;
	char *line;
	size_t size;
	enum histree_status status;
	while ((status = line_text_next(&tracks->text, &line, &size, error)) == HISTREE_OK) {
		if (!read_marker(line, size, tracks->text.columns, &head)) {
			if (tracks->text.lines % 1024 == 0)
				status = packed_source_look(&tracks->packed, error);
		} else {
			struct marker_thread thread = { .number = head.pid };
			thread.name_size = name_of_thread(line, &head, &thread.name);
			status = line_graph_is_event(&head) ? line_graph_take(graph, &head, &thread)
							    : packed_markers_take(markers, head.time, &thread,
										  head.text, head.text_size, error);
		}
		if (status != HISTREE_OK)
			return status;
	}
	return status;
}

/* ---- reading --------------------------------------------------------------------------------------------- */

static enum histree_status read_kind(struct line_tracks *tracks, const struct line_place *place,
				     struct histree_error *error)
{
	struct packed_markers markers = { 0 };
	if (tracks->preface.is_graph)
		return line_graph_read(&tracks->packed, &tracks->text, error);
	if (tracks->preface.is_strace)
		return line_strace_read(&tracks->packed, place, &tracks->text, error);
	struct line_graph *graph = NULL;
	enum histree_status status =
		packed_markers_begin(&markers, &tracks->packed, error) ? HISTREE_OK : error->status;
	if (status == HISTREE_OK)
		status = line_graph_create(&graph, &tracks->packed, error);
	if (status == HISTREE_OK)
		status = read_markers(tracks, &markers, graph, error);
	line_graph_free(graph);
	if (markers.others > 0)
		trace_notes_warn(tracks->packed.base.notes,
				 "%s: markers of programs that are not whole are left out: %" PRIu64, tracks->path,
				 markers.others);
	packed_markers_release(&markers);
	return status;
}

static enum histree_status read_events(struct packed_source *packed, struct histree_error *error)
{
	struct line_tracks *tracks = (struct line_tracks *)packed;
	const struct line_place place = { packed->base.io, tracks->path, packed->work, tracks->is_in_json,
					  tracks->preface.columns };
	enum histree_status status = line_text_open(&tracks->text, &place, error);
	if (status == HISTREE_OK)
		status = read_kind(tracks, &place, error);
	line_text_close(&tracks->text);
	if (status == HISTREE_ERR_TRACE)
		status = packed_source_lose_rest(packed, error);
	return status == HISTREE_END ? HISTREE_OK : status;
}

static uint64_t bytes_read(const struct packed_source *packed)
{
	uint64_t at = ((const struct line_tracks *)packed)->text.input.at;
	return at < packed->base.bytes ? at : packed->base.bytes;
}

static const struct packed_reader reader = { .read = read_events, .bytes_read = bytes_read };

/* ---- the trace ------------------------------------------------------------------------------------------- */

static const struct trace_format_kind line_tracks_in_json_format;

static enum histree_status look(struct line_tracks *tracks, const struct line_place *place,
				struct histree_error *error)
{
	bool has_markers = false;
	enum histree_status status = line_preface_read(place, &tracks->preface, error);
	if (status != HISTREE_OK)
		return status;
	if (tracks->preface.is_graph)
		return line_graph_check(place, error);
	if (tracks->preface.is_strace)
		return line_strace_check(place, error);
	if (tracks->preface.is_bare || !tracks->preface.is_trace)
		return HISTREE_END;
	struct line_text text;
	struct line_head head;
	char *line;
	size_t size;
	status = line_text_open(&text, place, error);
	while (status == HISTREE_OK && !has_markers) {
		status = line_text_next_with(&text, '|', &line, &size, error);
		has_markers = status == HISTREE_OK && read_marker(line, size, text.columns, &head);
	}
	line_text_close(&text);
	/* Damage is reported where the other events are read. */
	status = status == HISTREE_END || status == HISTREE_ERR_TRACE ? HISTREE_OK : status;
	return status == HISTREE_OK && !has_markers ? HISTREE_END : status;
}

static enum histree_status line_tracks_scan(struct trace_source *base, struct histree_error *error)
{
	struct line_tracks *tracks = (struct line_tracks *)base;
	packed_source_init(&tracks->packed, &reader);
	tracks->is_in_json = base->kind == &line_tracks_in_json_format;
	tracks->text.input.file = -1;
	tracks->path = trace_word_path(base->path);
	const struct line_place place = { base->io, tracks->path, NULL, tracks->is_in_json, 0 };
	enum histree_status status = look(tracks, &place, error);
	if (status != HISTREE_OK)
		return status == HISTREE_ERR_IO ? error_set(error, HISTREE_ERR_TRACE, "%s", error->message)
						: status;
	base->facts = tracks->preface.facts;
	packed_source_describe(&tracks->packed, TRACK_DOMAIN, tracks->preface.is_strace ? "strace" : "ftrace");
	base->trace.machine = tracks->preface.machine;
	return HISTREE_OK;
}

static enum histree_status read_facts(const char *path, struct trace_facts *out, struct histree_error *error)
{
	struct line_preface preface;
	const struct line_place place = { .io = &io_posix, .path = trace_word_path(path) };
	enum histree_status status = line_preface_read(&place, &preface, error);
	*out = preface.facts;
	return status;
}

static void line_tracks_release(struct trace_source *base)
{
	struct line_tracks *tracks = (struct line_tracks *)base;
	if (tracks->text.bytes != NULL)
		line_text_close(&tracks->text);
	packed_source_release(&tracks->packed);
}

static const struct trace_format_kind line_tracks_format = { .size = sizeof(struct line_tracks),
							     .scan = line_tracks_scan,
							     .facts = read_facts,
							     PACKED_SOURCE_KIND,
							     .release = line_tracks_release };

/* What a trace in JSON says of itself its other part does. */
static const struct trace_format_kind line_tracks_in_json_format = { .size = sizeof(struct line_tracks),
								     .scan = line_tracks_scan,
								     PACKED_SOURCE_KIND,
								     .release = line_tracks_release };

/* ---- line source --------------------------------------------------------------------------------------------- */

struct line_source {
	struct trace_source base;
	const char *path; /* of the file */
	bool is_in_json;
	struct line_preface preface;
	struct line_classes classes;
	struct line_stream stream;
};

/* ---- what the text says of itself ------------------------------------------------------------------------ */

/* A map can only say the machine here, as there are no columns. */
static enum histree_status read_map(struct line_source *source, struct histree_error *error)
{
	struct event_map map = { 0 };
	if (source->path == source->base.path)
		return HISTREE_OK;
	const char *text = source->base.path + strlen(TRACE_WORD_TEXT);
	enum histree_status status = event_map_read(&map, text, (size_t)(source->path - text) - 1, error);
	if (status == HISTREE_OK && map.machine != NULL)
		strncpy(source->preface.machine, map.machine, TRACE_FACT_SIZE - 1);
	event_map_release(&map);
	return status;
}

static enum histree_status read_preface(struct line_source *source, struct histree_error *error)
{
	struct line_preface *preface = &source->preface;
	const struct line_place place = { source->base.io, source->path, NULL, source->is_in_json, 0 };
	enum histree_status status = line_preface_read(&place, preface, error);
	if (status != HISTREE_OK)
		return status;
	if (preface->is_count)
		return error_set(error, HISTREE_ERR_TRACE,
				 "'%.200s' has counts instead of times: record with a clock of time, as in 'echo "
				 "mono > trace_clock'",
				 source->path);
	if (preface->has_differences)
		return error_set(
			error, HISTREE_ERR_TRACE,
			"'%.200s' has differences in place of times (perf script --deltatime), which do not "
			"add up to times: print it without --deltatime",
			source->path);
	if (preface->has_event)
		return preface->lacks_cpu ? line_cpus_check(&place, error) : HISTREE_OK;
	if (preface->is_graph || preface->is_strace)
		return HISTREE_END;
	if (source->is_in_json) {
		if (preface->has_others)
			trace_notes_warn(source->base.notes,
					 "%s: its \"systemTraceEvents\" is no text of ftrace, and not read",
					 source->path);
		return HISTREE_END;
	}
	bool is_nop = strcmp(preface->tracer, "nop") == 0 || strcmp(preface->tracer, "function") == 0;
	if (is_nop)
		return error_set(error, HISTREE_ERR_TRACE, "'%.200s' has no events", source->path);
	return error_set(
		error, HISTREE_ERR_TRACE,
		"'%.200s' is what the tracer '%.40s' wrote, which has no event in each line: record events "
		"with 'echo nop > current_tracer'",
		source->path, preface->tracer);
}

static bool has_word(const char *begin, const char *end, const char *word)
{
	return memmem(begin, (size_t)(end - begin), word, strlen(word)) != NULL;
}

/* The state of "prev_state=S ", or "prev_state=1 "; what is not told apart here is another one than R and S. */
static int64_t state_of(struct line_scan scan)
{
	enum { ANOTHER = 2, WAS_PREEMPTED = 0x100 };
	int64_t number;
	if (line_scan_integer(&scan, &number))
		return number;
	if (line_scan_byte(&scan, 'R'))
		return line_scan_byte(&scan, '+') ? WAS_PREEMPTED : 0;
	return line_scan_byte(&scan, 'S') && scan.at < scan.end && *scan.at == ' ' ? 1 : ANOTHER;
}

/*
 * "prev_pid=0 prev_prio=120 prev_state=S ... next_pid=", or "swapper/0:0 [120] S ==> job:101 [120]".  The latter
 * has R also for what no letter is known of.
 */
static void look_at_state(char *line, size_t size, struct task_state_signs *signs)
{
	static const char state[] = " prev_state=", idle[] = ":0 [";
	char *const end = line + size;
	char *at = memmem(line, size, state, strlen(state));
	const char *arrow = memmem(line, size, " ==> ", 5);
	if (at != NULL)
		task_state_signs_see(signs, !has_word(line, at, " prev_pid=0 "),
				     state_of((struct line_scan){ at + strlen(state), end }),
				     !has_word(at, end, " next_pid=0 "));
	else if (arrow != NULL && arrow > line + 2 && arrow[-2] == ' ')
		task_state_signs_see(signs, !has_word(line, arrow, idle), arrow[-1] == 'S' ? 1 : 2,
				     !has_word(arrow, end, idle));
}

/* Look for signs of shifted states in the first lines.  Damage is reported where the events are read. */
static enum histree_status look_at_states(struct line_source *source, struct histree_error *error)
{
	enum { LINES_MAX = 20000 };
	const struct line_place place = { source->base.io, source->path, NULL, source->is_in_json, 0 };
	struct task_state_signs signs = { 0 };
	struct line_text text;
	char *line;
	size_t size;
	enum histree_status status = line_text_open(&text, &place, error);
	for (unsigned i = 0; i < LINES_MAX && status == HISTREE_OK && !signs.has_runnable; i++) {
		status = line_text_next(&text, &line, &size, error);
		if (status == HISTREE_OK)
			look_at_state(line, size, &signs);
	}
	line_text_close(&text);
	source->preface.state_signs = signs;
	return status == HISTREE_END || status == HISTREE_ERR_TRACE ? HISTREE_OK : status;
}

static enum histree_status line_source_scan(struct trace_source *base, struct histree_error *error)
{
	struct line_source *source = (struct line_source *)base;
	source->is_in_json = base->kind == &line_in_json_format;
	source->path = trace_word_path(base->path);
	enum histree_status status = read_preface(source, error);
	if (status == HISTREE_OK)
		status = read_map(source, error);
	if (status == HISTREE_OK && !source->preface.has_only_samples)
		status = look_at_states(source, error);
	if (status == HISTREE_OK) {
		struct text_input input;
		status = text_input_open(&input, source->base.io, source->path, error);
		source->base.bytes = source->is_in_json ? 0 : input.size; /* bytes of a file count once */
		text_input_close(&input);
	}
	if (status != HISTREE_OK)
		return status == HISTREE_ERR_IO ? error_set(error, HISTREE_ERR_TRACE, "%s", error->message)
						: status;
	base->facts = source->preface.facts;
	base->file_count = 1;
	trace_source_describe(base, "kernel", "perf");
	base->trace.machine = source->preface.machine;
	/* Letters have become those bits, whatever the kernel (line_shape.h). */
	base->trace.has_new_task_states = true;
	base->trace.has_samples = source->preface.has_samples;
	base->trace.has_only_samples = source->preface.has_only_samples;
	base->trace.get_int = event_row_get_int;
	base->trace.get_string = event_row_get_string;
	base->trace.visit = event_row_visit;
	task_states_decide(&base->trace, source->preface.state_signs);
	source->classes.trace = &base->trace;
	source->classes.class_count = base->class_count;
	return HISTREE_OK;
}

/* ---- the stream ------------------------------------------------------------------------------------------ */

static const struct trace_stream_kind stream_kind = { .next = line_stream_next, .position = line_stream_position };

static enum histree_status open_streams(struct trace_source *base, const struct trace_opening *opening,
					struct histree_error *error)
{
	struct line_source *source = (struct line_source *)base;
	struct line_stream *stream = &source->stream;
	const struct trace_position *at = opening->positions;
	uint64_t begin = at == NULL || at->packet == TRACE_FILE_DONE ? base->bytes : at->packet;
	enum histree_status status = trace_source_add(base, &stream->base, &stream_kind, 0, source->path, error);
	if (status != HISTREE_OK)
		return status;
	stream->classes = &source->classes;
	stream->tells_cpus = source->preface.lacks_cpu;
	if (at == NULL && source->preface.overwritten > 0) {
		base->notes->report.discarded_events += source->preface.overwritten;
		trace_notes_warn(base->notes, "%s: the tracer wrote over %llu events that were before the first",
				 source->path, (unsigned long long)source->preface.overwritten);
	}
	stream->has_samples = source->preface.has_samples;
	stream->is_bare = source->preface.is_bare;
	stream->has_no_times = source->preface.has_no_times;
	stream->first = source->preface.first;
	stream->file = source->preface.file;
	stream->in_dump = source->preface.has_dump;
	if (at == NULL && stream->has_no_times)
		trace_notes_warn(
			base->notes,
			"%s: its samples have no times, and are counted in the order of the file, one a ns; "
			"'perf script -F +time' writes times",
			source->path);
	const struct line_place place = { base->io, source->path, opening->work, source->is_in_json,
					  source->preface.columns };
	status = line_stream_init(stream, &place, at == NULL ? NULL : &begin, error);
	if (stream->losses.has_calls)
		base->trace.declares |= EVENT_DECLARES_SYSTEM_CALLS;
	return status;
}

/* ---- what is known of it --------------------------------------------------------------------------------- */

/*
 * What is packed can be read from the start only, and so can samples whose time is their number and events whose
 * CPU those before them tell.
 */
static bool has_places(const struct trace_source *base)
{
	const struct line_source *source = (const struct line_source *)base;
	const struct line_preface *preface = &source->preface;
	return source->stream.text.unpack == NULL && !source->is_in_json && !preface->has_no_times &&
	       !preface->lacks_cpu;
}

static bool has_position(const struct trace_source *base, size_t file, const struct trace_position *at)
{
	(void)file;
	return at->packet < base->bytes;
}

static uint64_t bytes_done(const struct trace_source *base)
{
	return ((const struct line_source *)base)->stream.text.input.at;
}

static void release(struct trace_source *base)
{
	struct line_source *source = (struct line_source *)base;
	line_stream_release(&source->stream);
	line_classes_release(&source->classes);
}

static bool is_file(const char *path)
{
	struct line_preface preface;
	const struct line_place place = { .io = &io_posix, .path = trace_word_path(path) };
	return line_preface_read(&place, &preface, NULL) == HISTREE_OK && preface.is_trace;
}

#define LINES                                                                               \
	.size = sizeof(struct line_source), .scan = line_source_scan, .open = open_streams, \
	.has_places = has_places, .has_position = has_position, .bytes_done = bytes_done, .release = release
const struct trace_format_kind line_format = { .reads = "texts of ftrace and perf script",
					       .is_file = is_file,
					       .facts = read_facts,
					       .beside = &line_tracks_format,
					       LINES };

const struct trace_format_kind line_in_json_format = { .beside = &line_tracks_in_json_format, LINES };
