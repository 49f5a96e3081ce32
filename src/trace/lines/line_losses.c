// SPDX-License-Identifier: MIT
#include "trace/lines/line_losses.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "trace/lines/line_head.h"

/* More are of no trace; what is behind them is not marked, but counted. */
enum { LOSSES_MAX = 1 << 18 };

/* The last event of a CPU in the order of the text, and what was lost since. */
struct last {
	histree_time time;
	bool is_known, has_lost;
	uint64_t lost; /* 0: nobody counted */
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

/* Returns NULL when memory is out. */
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
		line_head_read(line, size, &head);
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
		line_head_read(line, size, &head);
		*out = head.kind == LINE_LOSS || head.kind == LINE_BEGIN;
	}
	return *out || status == HISTREE_END ? HISTREE_OK : status;
}

static int compare_gaps(const void *a, const void *b)
{
	const struct event_gap *first = a, *second = b;
	if (first->begin != second->begin)
		return first->begin < second->begin ? -1 : 1;
	return (first->cpu > second->cpu) - (first->cpu < second->cpu);
}

enum histree_status line_losses_find(struct line_losses *losses, const struct line_place *place,
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

void line_losses_release(struct line_losses *losses)
{
	free(losses->gaps);
	*losses = (struct line_losses){ 0 };
}
