/* SPDX-License-Identifier: MIT */
/*
 * ring_page.h - the events of one page of the kernel's ring buffer.
 *
 * A page is a time, a word that says how many bytes of entries follow and whether events are missing before them,
 * and entries.  An entry begins with a word of 32 bits: 5 of a type or length, and 27 of the time since the entry
 * before.  Sources: include/linux/ring_buffer.h and kernel/trace/ring_buffer.c of Linux, and what it says itself in
 * /sys/kernel/tracing/events/header_page and header_event.
 */
#ifndef TRACE_TRACE_CMD_RING_PAGE_H
#define TRACE_TRACE_CMD_RING_PAGE_H

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

#endif
