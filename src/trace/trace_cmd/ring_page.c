// SPDX-License-Identifier: MIT
/*
 * ring_page.c - the events of one page of the kernel's ring buffer.  No event reaches beyond the page.
 */
#include "trace/trace_cmd/ring_page.h"

enum { TYPE_LONG = 0, TYPE_PADDING = 29, TYPE_TIME_EXTEND = 30, TYPE_TIME_STAMP = 31, DELTA_BITS = 27 };

#define DELTA_MASK ((UINT32_C(1) << DELTA_BITS) - 1)
#define COMMIT_MASK ((UINT32_C(1) << 27) - 1)
#define MISSED (UINT32_C(1) << 31)
#define MISSED_STORED (UINT32_C(1) << 30)
#define STAMP_TOP_BITS (UINT64_C(0xf8) << 56) /* that a time of 59 bits does not have */

static uint64_t read_long(const uint8_t *at, uint32_t size, bool is_big)
{
	return size == 8 ? ordered_u64(at, is_big) : ordered_u32(at, is_big);
}

bool ring_page_open(struct ring_page *page, const struct tracing_page *layout, bool is_big, const uint8_t *bytes,
		    size_t size, size_t page_size)
{
	if (size < layout->begin || page_size < layout->begin)
		return false;
	uint32_t commit = (uint32_t)read_long(bytes + 8, layout->long_size, is_big), length = commit & COMMIT_MASK;
	if (length > page_size - layout->begin)
		return false;
	uint32_t end = layout->begin + length;
	*page = (struct ring_page){
		.bytes = bytes,
		.at = layout->begin,
		.end = end <= size ? end : (uint32_t)size,
		.is_big = is_big,
		.is_cut = end > size,
		.stamp = ordered_u64(bytes, is_big),
		.has_loss = (commit & MISSED) != 0,
	};
	/* The count is behind the entries. */
	if (page->has_loss && (commit & MISSED_STORED) != 0 && layout->long_size <= size - page->end &&
	    !page->is_cut)
		page->lost = read_long(bytes + end, layout->long_size, is_big);
	return true;
}

/* The entry needs bytes that are not there. */
static enum ring_outcome lacks(const struct ring_page *page)
{
	return page->is_cut ? RING_CUT : RING_DAMAGED;
}

enum ring_outcome ring_page_next(struct ring_page *page)
{
	for (;;) {
		uint32_t left = page->end - page->at;
		const uint8_t *at = page->bytes + page->at;
		if (left < 4)
			return left > 0 || page->is_cut ? lacks(page) : RING_END;
		uint32_t word = ordered_u32(at, page->is_big);
		uint32_t type = page->is_big ? word >> DELTA_BITS : word & 31;
		uint64_t delta = page->is_big ? word & DELTA_MASK : word >> 5;
		bool has_word = type == TYPE_LONG || type >= TYPE_PADDING;
		if (has_word && left < 8) {
			/* The rest of a page that is no entry any more. */
			if (type == TYPE_PADDING && delta == 0)
				return RING_END;
			return lacks(page);
		}
		uint64_t next = has_word ? ordered_u32(at + 4, page->is_big) : 0;
		switch (type) {
		case TYPE_PADDING:
			if (delta == 0)
				return RING_END;
			page->stamp += delta;
			next = 4 + next;
			break;
		case TYPE_TIME_EXTEND:
			page->stamp += (next << DELTA_BITS) + delta;
			next = 8;
			break;
		case TYPE_TIME_STAMP:
			page->stamp = (page->stamp & STAMP_TOP_BITS) | ((next << DELTA_BITS) + delta);
			next = 8;
			break;
		case TYPE_LONG:
			page->stamp += delta;
			if (next <= 4 || next > left - 4)
				return lacks(page);
			page->event = at + 8;
			page->event_size = (uint32_t)next - 4;
			next = 4 + (next + 3) / 4 * 4;
			page->at += (uint32_t)(next < left ? next : left);
			return RING_EVENT;
		default:
			page->stamp += delta;
			if (4 * type > left - 4)
				return lacks(page);
			page->event = at + 4;
			page->event_size = 4 * type;
			page->at += 4 + 4 * type;
			return RING_EVENT;
		}
		if (next > left)
			return lacks(page);
		page->at += (uint32_t)next;
	}
}
