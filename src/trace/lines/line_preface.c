// SPDX-License-Identifier: MIT
/*
 * line_preface.c - what a text says before its first event, and whether it is the text of a trace at all.
 */
#include "trace/lines/line_preface.h"

#include <string.h>

#include "trace/lines/line_graph.h"
#include "trace/lines/line_samples.h"
#include "trace/lines/line_scan.h"
#include "trace/lines/line_strace.h"

/* So far a text is looked at; a header of "perf script --header" has some hundred lines. */
enum { PREFACE_SIZE = 256 << 10, PREFACE_LINES = 16 };

/* Of a text with samples, a chain of calls comes with the first event, or with one of those after it. */
enum { SAMPLE_LINES = 64 };

static void copy_rest(struct line_scan scan, char out[TRACE_FACT_SIZE])
{
	line_scan_spaces(&scan);
	size_t size = (size_t)(scan.end - scan.at);
	while (size > 0 && scan.at[size - 1] == ' ')
		size--;
	if (size >= TRACE_FACT_SIZE)
		size = TRACE_FACT_SIZE - 1;
	memcpy(out, scan.at, size);
	out[size] = '\0';
}

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
		if (line_scan_word(&scan, facts[i].begin))
			copy_rest(scan, facts[i].fact);
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
	bool has_tracepoint;
};

static bool has_frame(struct line_sample *sample, const char *line, size_t size)
{
	bool is_kept;
	line_sample_begin(sample);
	return line_sample_take(sample, line, size, &is_kept);
}

static bool has_frame_in(struct line_sample *sample, const struct line_head *head)
{
	line_sample_begin(sample);
	return line_sample_take_only(sample, head) && sample->chain_size > 0;
}

static void look_for_samples(struct first_lines *first, struct line_preface *out, const struct line_head *head,
			     const char *line, size_t size)
{
	if (head->kind == LINE_EVENT) {
		first->has_tracepoint |=
			!line_sample_is_counted(head->name, head->name_size) || out->tracer[0] != '\0';
		out->has_samples |= has_frame_in(&first->sample, head);
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
	const bool is_frame =
		((first->may_be_untimed || first->may_be_head) && has_frame(&first->sample, line, size)) ||
		(first->may_be_nobody && line_sample_is_frame(line, size)) ||
		(line_sample_is_alone(line, size) && has_frame(&first->sample, line, size));
	if (is_frame) {
		out->has_event = out->has_samples = out->has_only_samples = true;
		out->has_no_times = !first->may_be_head;
	}
	first->may_be_head = head->kind == LINE_SAMPLE;
	first->may_be_untimed = !first->may_be_head && line_sample_head(line, size, &untimed);
	first->may_be_nobody = !first->may_be_head && untimed.kind == LINE_SAMPLE;
}

static enum histree_status read_lines(struct line_text *text, struct line_preface *out, struct first_lines *first,
				      struct histree_error *error)
{
	struct line_head head;
	char *line;
	size_t size;
	enum histree_status status = HISTREE_OK;
	for (unsigned others = 0;
	     !out->has_event && others < PREFACE_LINES && text->line_at - text->begin < PREFACE_SIZE;) {
		status = line_text_next(text, &line, &size, error);
		if (status != HISTREE_OK)
			break;
		line_head_read(line, size, out->columns, &head);
		if (head.kind == LINE_COMMENT)
			read_comment((struct line_scan){ line, line + size }, out);
		else if (head.kind == LINE_OTHER || head.kind == LINE_SAMPLE)
			others++;
		out->is_graph |= head.kind == LINE_OTHER && line_graph_is(line, size);
		out->is_strace |= head.kind == LINE_OTHER && !out->is_graph && line_strace_is(line, size);
		out->has_event = head.kind == LINE_EVENT;
		if (out->has_event && out->columns == 0)
			out->columns = head.flags;
		if (out->has_event && head.has_time)
			out->first = head.time;
		out->is_count = out->has_event && head.is_count;
		out->lacks_cpu = out->has_event && head.cpu == LINE_NO_CPU;
		if (out->has_event)
			look_for_samples(first, out, &head, line, size);
		else
			look_for_heads(first, out, &head, line, size);
	}
	while (status == HISTREE_OK && out->has_event && !out->has_no_times && first->left > 0) {
		status = line_text_next(text, &line, &size, error);
		if (status != HISTREE_OK)
			break;
		line_head_read(line, size, out->columns, &head);
		out->columns = out->columns == 0 ? head.flags : out->columns;
		look_for_samples(first, out, &head, line, size);
	}
	out->lacks_cpu = out->lacks_cpu && !out->has_only_samples;
	out->is_graph = !out->has_event && (out->is_graph || strcmp(out->tracer, "function_graph") == 0);
	out->is_strace = out->is_strace && !out->has_event && !out->is_graph;
	out->is_trace = out->has_event || out->is_graph || out->is_strace || out->tracer[0] != '\0';
	return status == HISTREE_END ? HISTREE_OK : status;
}

enum histree_status line_preface_read(const struct line_place *place, struct line_preface *out,
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
