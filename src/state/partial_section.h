/* SPDX-License-Identifier: MIT */
/*
 * partial_section.h - a partial history: the section PART, and the slices between its checkpoints while they are
 * in memory.
 *
 * A *slice* holds the intervals that a partial history has left out between two checkpoints, made again: in memory,
 * sorted by attribute and start.
 *
 * It takes forty bytes an interval, which is too much for a whole history, and is made in the time of a sort.
 *
 * The section PART says how the rest of a partial history is made again (docs/design/12-build.md).
 *
 * A checkpoint is a place between two events, and what the maker of states knew there.  A slice is what lies
 * between a checkpoint and the next one, or the end: the intervals that began and ended there, which are in no
 * node.
 *
 * All numbers are varints, signed ones zigzag; a time is the difference to the time before it, the first to the
 * start of the history.
 *
 * 	version; size of the origin, and its bytes
 * 	checkpoints: how many, at least one; for each its time, how many attributes there were more than at the one
 * 	before, and the slice that it begins: 0 or, if it has intervals whose times a query must look at, 1, its
 * 	first time less that of the checkpoint, and its length; how many intervals, 8 bytes of their sum, bytes of
 * 	knowledge
 * 	exceptions: how many; for each the attribute, its first checkpoint, how many more, the start, the fixed
 * 	type (one byte) and the value
 * 	the knowledge of all checkpoints
 *
 * A history knows from its file which slices there are.  Somebody above, who can read the trace, gives it the
 * functions that make them; without them it answers nothing of what was left out.
 */
#ifndef STATE_PARTIAL_SECTION_H
#define STATE_PARTIAL_SECTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "histree/status.h"
#include "histree/value.h"
#include "node/node.h"

/* A zeroed one is empty. */
struct state_slice {
	struct histree_interval *intervals;
	size_t count, capacity;
	struct intern texts; /* the bytes of the values */
};

/* Add an interval, whose bytes are copied.  Returns false if memory runs out. */
bool state_slice_add(struct state_slice *slice, const struct histree_interval *interval);

/* All were added. */
void state_slice_sort(struct state_slice *slice);

/* Returns how many bytes of memory it has. */
size_t state_slice_bytes(const struct state_slice *slice);
void state_slice_release(struct state_slice *slice);

/* Where a walk through the intervals of a region is. */
struct slice_cursor {
	const struct state_slice *slice;
	const struct node_region *region; /* both borrowed */
	size_t at;                        /* in the intervals */
	size_t quark_at;                  /* in the quarks of the region */
};

void slice_cursor_begin(struct slice_cursor *cursor, const struct state_slice *slice,
			const struct node_region *region);

/* Returns how many of the next intervals it gave, up to `room`; 0: there are no more. */
size_t slice_cursor_read(struct slice_cursor *cursor, struct histree_interval *out, size_t room);

/* What identifies the content of a slice when it is made again. */
struct partial_slice {
	/* times of its intervals, except those that lifetimes give; from > to: it has none */
	histree_time from, to;
	uint64_t interval_count;
	uint64_t sum; /* sum of interval_sum() over all of them, in any order */
};

struct partial_checkpoint {
	histree_time time;        /* the greatest of a change before it */
	uint32_t attribute_count; /* that there were */
	struct partial_slice slice;
	const uint8_t *knowledge; /* only the producer of states understands it */
	size_t knowledge_size;
};

/*
 * What an attribute was at some checkpoints where the intervals of the file say something else: the value of its
 * ongoing state was replaced later on, or the state was found to have ended before.
 */
struct partial_exception {
	histree_quark quark;
	uint32_t first, last; /* checkpoints */
	histree_time since;
	struct histree_value value;
	uint8_t fixed_type; /* enum histree_type, of the attribute; null: it had none, or the value says it */
	bool has_state;     /* false: it is only about the type */
};

struct partial_section {
	const uint8_t *origin; /* for all checkpoints; only the producer of states understands it */
	size_t origin_size;
	struct partial_checkpoint *checkpoints;
	size_t checkpoint_count;
	struct partial_exception *exceptions;
	size_t exception_count;
	uint8_t *bytes; /* bytes of the section; everything here borrows from them */
};

/* Returns the bytes of a section, which the caller frees, or NULL if memory runs out. */
uint8_t *partial_section_encode(const struct partial_section *section, histree_time start, size_t *size);

/*
 * Takes the bytes, and frees them after a failure.  The history starts at `start` and has `attributes`
 * attributes. Returns HISTREE_ERR_FORMAT or HISTREE_ERR_MEMORY.
 */
enum histree_status partial_section_decode(uint8_t *bytes, size_t size, histree_time start,
					   uint32_t attribute_count, struct partial_section *out,
					   struct histree_error *error);
void partial_section_release(struct partial_section *section);

/* A number by which intervals are compared: CRC-32C of attribute, start, end and value. */
bool interval_sum(const struct histree_interval *interval, uint64_t *sum);

struct history_slices {
	/* Hold the slice that a checkpoint begins.  It is released before the history is closed. */
	enum histree_status (*hold)(void *context, size_t checkpoint, const struct state_slice **out,
				    struct histree_error *error);
	void (*release)(void *context, const struct state_slice *slice);
	void (*free)(void *context);
	void *context;
};

struct histree_history;

/* Returns what the file says of the slices; NULL: the history is not partial. */
const struct partial_section *history_partial(const struct histree_history *history);

/* Give the history the functions, which are copied; it calls `free` when it is closed. */
void history_attach_slices(struct histree_history *history, const struct history_slices *slices);

/* Returns the slices, or NULL if the history has none. */
const struct history_slices *history_slices(const struct histree_history *history);

#endif
