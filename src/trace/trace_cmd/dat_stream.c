// SPDX-License-Identifier: MIT
/*
 * dat_stream.c - the events of one CPU in one buffer, page by page, and gaps where the kernel lost some.
 */
#include "trace/trace_cmd/dat_stream.h"

#include <inttypes.h>

#include "base/error.h"
#include "trace/trace_position.h"

void dat_stream_begin(struct dat_stream *stream, uint64_t page)
{
	stream->next_page = page;
	stream->is_in_page = stream->has_loss = stream->is_done = false;
	stream->page_events = stream->lost = stream->unknown = 0;
	stream->current.is_big = stream->file->is_big;
}

void dat_stream_position(const struct dat_stream *stream, struct trace_position *out)
{
	out->packet = stream->next_page - stream->is_in_page;
	out->events = stream->page_events - (stream->base.upcoming.gap == NULL);
}

/* ---- losses ---------------------------------------------------------------------------------------------- */

static histree_time time_of(const struct dat_stream *stream, uint64_t stamp)
{
	histree_time time;
	return dat_clock_time(&stream->file->clock, stream->pages.cpu->number, stamp, &time) ? time : INT64_MIN;
}

/* What is missing lies before a time, or before the end. */
static void note_loss(struct dat_stream *stream, histree_time end)
{
	struct trace_span span = { .begin = INT64_MIN, .end = end };
	stream->has_loss = false;
	trace_stream_lose(&stream->base, span, stream->lost);
	stream->lost = 0;
}

/* The kernel says with a page that it had no room for what came before. */
static void read_loss(struct dat_stream *stream)
{
	const struct ring_page *page = &stream->page;
	struct trace_stream *base = &stream->base;
	struct trace_span span = { .begin = base->has_events ? base->last : INT64_MIN,
				   .end = time_of(stream, page->stamp) };
	trace_stream_note_loss(base, "event", page->lost > 0 ? &page->lost : NULL, span);
	base->notes->report.discarded_events += page->lost;
	stream->has_loss = true;
	stream->lost += page->lost;
}

/* A page costs itself, from its damage on. */
static void leave_page(struct dat_stream *stream, uint64_t page, const char *why)
{
	bool is_expected = stream->pages.is_cut && page + 1 >= stream->pages.count;
	if (!is_expected)
		trace_notes_warn(stream->base.notes,
				 "%s: page %" PRIu64 " cannot be decoded (%s); the events before that are read",
				 stream->base.name, page, why);
	if (!stream->is_damaged)
		stream->base.notes->report.damaged_streams++;
	stream->is_damaged = stream->has_loss = true;
	stream->is_in_page = false;
}

/* ---- pages ----------------------------------------------------------------------------------------------- */

/* Begin the next sound page.  Returns HISTREE_END after the last one. */
static enum histree_status open_page(struct dat_stream *stream, struct histree_error *error)
{
	while (stream->next_page < stream->pages.count) {
		const uint8_t *bytes;
		size_t size;
		struct histree_error why;
		uint64_t number = stream->next_page++;
		stream->page_events = 0;
		enum histree_status status = dat_pages_load(&stream->pages, number, &bytes, &size, &why);
		if (status == HISTREE_ERR_MEMORY)
			return error_memory(error, "a page of a trace");
		if (status != HISTREE_OK) {
			stream->next_page = dat_pages_behind(&stream->pages, number);
			leave_page(stream, number, why.message);
			continue;
		}
		stream->is_in_page = ring_page_open(&stream->page, &stream->file->page, stream->file->is_big, bytes,
						    size, stream->pages.buffer->page_size);
		if (!stream->is_in_page) {
			leave_page(stream, number, "its head is none");
			continue;
		}
		if (stream->page.has_loss)
			read_loss(stream);
		if (stream->has_loss)
			note_loss(stream, time_of(stream, stream->page.stamp));
		return HISTREE_OK;
	}
	return HISTREE_END;
}

static void end_stream(struct dat_stream *stream)
{
	if (stream->is_done)
		return;
	stream->is_done = true;
	if (stream->pages.is_cut) {
		trace_notes_warn(stream->base.notes, "%s: it was cut short; the events that it has are read",
				 stream->base.name);
		if (!stream->is_damaged)
			stream->base.notes->report.damaged_streams++;
		stream->is_damaged = stream->has_loss = true;
	}
	if (stream->unknown > 0)
		trace_notes_warn(stream->base.notes,
				 "%s: %" PRIu64 " event%s %s of no class that the file describes, and left out",
				 stream->base.name, stream->unknown, stream->unknown == 1 ? "" : "s",
				 stream->unknown == 1 ? "is" : "are");
	if (stream->has_loss)
		note_loss(stream, INT64_MAX);
	trace_stream_end(&stream->base);
}

/* ---- events ---------------------------------------------------------------------------------------------- */

/* Make the event of the page the upcoming one.  HISTREE_END: it is not handed out. */
static enum histree_status put_event(struct dat_stream *stream, struct histree_error *error)
{
	const struct ring_page *page = &stream->page;
	const struct dat_class *class;
	uint32_t cpu = stream->pages.cpu->number;
	uint16_t number = ordered_u16(page->event, page->is_big); /* common_type; an event has 4 bytes at least */
	enum histree_status status = dat_classes_find(stream->classes, stream->file, number, stream->base.trace,
						      stream->class_count, &class, error);
	if (status != HISTREE_OK)
		return status;
	if (class == NULL) {
		stream->unknown++;
		return HISTREE_END;
	}
	struct event event = { .cpu = (int32_t)cpu, .class = &class->class, .handle = &stream->current };
	if (!dat_clock_time(&stream->file->clock, cpu, page->stamp, &event.time)) {
		leave_page(stream, stream->next_page - 1, "an event has no time");
		return HISTREE_END;
	}
	stream->current.bytes = page->event;
	stream->current.size = page->event_size;
	stream->page_events++;
	trace_stream_put(&stream->base, &event);
	return HISTREE_OK;
}

enum histree_status dat_stream_next(struct dat_stream *stream, struct histree_error *error)
{
	stream->base.has_upcoming = false;
	for (;;) {
		if (!stream->is_in_page) {
			enum histree_status status = open_page(stream, error);
			if (status == HISTREE_END)
				end_stream(stream);
			if (status < 0)
				return status;
			if (trace_stream_put_gap(&stream->base))
				return HISTREE_OK;
			if (status == HISTREE_END)
				return HISTREE_END;
		}
		enum ring_outcome outcome = ring_page_next(&stream->page);
		if (outcome == RING_EVENT) {
			enum histree_status status = put_event(stream, error);
			if (status != HISTREE_END)
				return status;
		} else if (outcome == RING_END) {
			stream->is_in_page = false;
		} else {
			leave_page(stream, stream->next_page - 1,
				   outcome == RING_CUT ? "it is cut short" : "an entry reaches behind its end");
		}
	}
}
