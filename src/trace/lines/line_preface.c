// SPDX-License-Identifier: MIT
#include "trace/lines/line_preface.h"

#include <string.h>

#include "trace/lines/line_head.h"
#include "trace/lines/line_scan.h"

/* So far a text is looked at; a header of "perf script --header" has some hundred lines. */
enum { PREFACE_SIZE = 256 << 10, PREFACE_LINES = 16 };

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

static enum histree_status read_lines(struct line_text *text, struct line_preface *out, struct histree_error *error)
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
		line_head_read(line, size, &head);
		if (head.kind == LINE_COMMENT)
			read_comment((struct line_scan){ line, line + size }, out);
		else if (head.kind == LINE_OTHER)
			others++;
		out->has_event = head.kind == LINE_EVENT;
		out->is_count = out->has_event && head.is_count;
	}
	out->is_trace = out->has_event || out->tracer[0] != '\0';
	return status == HISTREE_END ? HISTREE_OK : status;
}

enum histree_status line_preface_read(const struct line_place *place, struct line_preface *out,
				      struct histree_error *error)
{
	struct line_text text;
	*out = (struct line_preface){ 0 };
	enum histree_status status = line_text_open(&text, place, error);
	if (status == HISTREE_OK)
		status = read_lines(&text, out, error);
	line_text_close(&text);
	return status;
}
