/* SPDX-License-Identifier: MIT */
/*
 * dat_stream.h - the events of one CPU of a trace.dat in one buffer, and where some are missing.
 *
 * Pages lie one after another, plain or in compressed chunks.  Classes of events are "SYSTEM:NAME", with the
 * fields of its description, and `common_tgid`, if the file says which processes threads belong to.
 *
 * A page of the kernel's ring buffer:
 *
 * A page is a time, a word that says how many bytes of entries follow and whether events are missing before them,
 * and entries.  An entry begins with a word of 32 bits: 5 of a type or length, and 27 of the time since the entry
 * before.  Sources: include/linux/ring_buffer.h and kernel/trace/ring_buffer.c of Linux, and what it says itself in
 * /sys/kernel/tracing/events/header_page and header_event.
 */
#ifndef TRACE_TRACE_CMD_DAT_STREAM_H
#define TRACE_TRACE_CMD_DAT_STREAM_H

#include "event/event.h"
#include "trace/trace_cmd/dat_file.h"
#include "trace/trace_source.h"
#include "trace/tracepoint.h"

enum ring_outcome {
	RING_EVENT,
	RING_END,
	RING_CUT,     /* there are fewer bytes than the page says, or should have */
	RING_DAMAGED, /* an entry is invalid */
};

struct ring_page {
	const uint8_t *bytes;
	uint32_t at, end; /* of entries */
	bool is_big, is_cut;
	uint64_t stamp; /* of the event; at first of the page */

	bool has_loss; /* events are missing before the first of the page */
	uint64_t lost; /* how many; 0: not counted */

	const uint8_t *event;
	uint32_t event_size;
};

/* Begin a page of `page_size` bytes, of which `size` are there.  Returns whether it is one. */
bool ring_page_open(struct ring_page *page, const struct tracing_page *layout, bool is_big, const uint8_t *bytes,
		    size_t size, size_t page_size);

/* Go on to the next event. */
enum ring_outcome ring_page_next(struct ring_page *page);

struct dat_class {
	struct event_class class;
	const struct tracepoint *tracepoint;
	const struct id_map *processes;     /* of the file */
	const struct tracepoint_field *pid; /* the thread in which it happened; NULL: it does not say */
};

/* By the number in an event; NULL: not met yet. */
struct dat_classes {
	struct dat_class **of;
};

/* Returns false when memory is out. */
bool dat_classes_init(struct dat_classes *classes);
void dat_classes_release(struct dat_classes *classes);

/* The two functions of struct event_trace; a handle is a struct tracepoint_bytes. */
bool dat_event_int(const struct event *event, uint32_t field, int64_t *out);
bool dat_event_string(const struct event *event, uint32_t field, const char **text, size_t *size);

/* Some pages that were compressed together. */
struct dat_chunk {
	uint64_t offset; /* in the file */
	uint32_t size, plain_size;
	uint64_t begin; /* among the plain bytes */
};

struct dat_pages {
	const struct dat_file *file;
	const struct dat_buffer *buffer;
	const struct dat_cpu *cpu;
	uint64_t plain_size; /* of all that is there */
	uint64_t count;      /* of pages, the last of which may be cut */
	bool is_cut;
	struct dat_chunk *chunks; /* of those that are compressed */
	size_t chunk_count, chunk_capacity;
	uint32_t chunk_size_max; /* of a chunk, plain */

	struct trace_window window;
	size_t window_size;
	uint8_t *plain; /* of the chunk that is unpacked */
	size_t unpacked;
	bool has_unpacked;
};

/* Find out how many there are.  `pages` is zeroed.  Returns HISTREE_ERR_IO, HISTREE_ERR_MEMORY. */
enum histree_status dat_pages_find(struct dat_pages *pages, const struct dat_file *file,
				   const struct dat_buffer *buffer, const struct dat_cpu *cpu,
				   struct histree_error *error);

/* Prepare for reading, so many bytes of the file at a time at least. */
void dat_pages_open(struct dat_pages *pages, size_t window_size, bool stays_open);

/*
 * Returns a page and how many bytes of it are there, which are valid until the next.  HISTREE_ERR_TRACE: it is
 * damaged; HISTREE_ERR_IO, HISTREE_ERR_MEMORY.
 */
enum histree_status dat_pages_load(struct dat_pages *pages, uint64_t number, const uint8_t **out, size_t *size,
				   struct histree_error *error);

/* It can be opened again. */
void dat_pages_close(struct dat_pages *pages);
void dat_pages_release(struct dat_pages *pages);

struct dat_stream {
	struct trace_stream base;
	struct dat_file *file;
	struct dat_classes *classes;
	uint32_t *class_count;
	struct dat_pages pages;

	uint64_t next_page;
	struct ring_page page; /* the one before that */
	bool is_in_page;
	uint64_t page_events; /* of it that were put */
	bool has_loss;        /* since the last event */
	uint64_t lost;
	uint64_t unknown; /* events that were left out as the file does not describe them */
	bool is_damaged, is_done;
	struct tracepoint_bytes current;
};

/* Begin at a page.  What is above `next_page` is set. */
void dat_stream_begin(struct dat_stream *stream, uint64_t page);
enum histree_status dat_stream_next(struct dat_stream *stream, struct histree_error *error);

/* Where the upcoming event comes first. */
void dat_stream_position(const struct dat_stream *stream, struct trace_position *out);

#endif
