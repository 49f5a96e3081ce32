/* SPDX-License-Identifier: MIT */
/*
 * dat_stream.h - a trace.dat as a source: a stream for each CPU of each buffer, page by page, and gaps where the
 * kernel lost events.
 *
 * Pages lie one after another, plain or in compressed chunks.  Classes of events are "SYSTEM:NAME", with the
 * fields of its description, and `common_tgid`, if the file says which processes threads belong to.
 *
 * A page is a time, a word that says how many bytes of entries follow and whether events are missing before them,
 * and entries.  An entry begins with a word of 32 bits: 5 of a type or length, and 27 of the time since the entry
 * before.  Sources: include/linux/ring_buffer.h and kernel/trace/ring_buffer.c of Linux, and its own description in
 * /sys/kernel/tracing/events/header_page and header_event.
 *
 * Without libtraceevent, dat_format explains the alternatives.
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
	const struct id_map *processes;      /* of the file */
	const struct tracepoint_field *pid;  /* the thread in which it happened; NULL: it does not say */
	bool is_call;                        /* of a function of the kernel */
	const struct tracepoint_field *mark; /* what a program may have marked; NULL: it is of another kind */
};

/* By the number in an event; NULL: not met yet. */
struct dat_classes {
	struct dat_class **of;
	bool have_spans; /* some event says of a span, which is not read of such a file */
	bool is_told;    /* and that was noted */
};

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

/* How its files are told, also where they cannot be read: trace-cmd.dat(5). */
static inline bool dat_begins(const void *bytes, size_t size)
{
	static const char magic[] = "\x17\x08\x44tracing";
	return size >= sizeof(magic) - 1 && memcmp(bytes, magic, sizeof(magic) - 1) == 0;
}

#define DAT_NAME "a recording of trace-cmd"

#endif
