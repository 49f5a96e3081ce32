/* SPDX-License-Identifier: MIT */
/*
 * partial_section.h - how the rest of a partial history is made again: the section PART of its file
 * (docs/design/12-build.md).
 *
 * A checkpoint is a place between two events, and what whoever makes states knew there.  A slice is what lies
 * between a checkpoint and the next one, or the end: the intervals that began and ended there, which are in no
 * node.
 *
 * All numbers are varints, signed ones zigzag; a time is the difference to the time before it, the first to the
 * start of the history.
 *
 *	version; size of the origin, and its bytes
 *	checkpoints: how many, at least one; for each its time, how many attributes there were more than at the one
 *	before, and the slice that it begins: 0 or, if it has intervals whose times a query must look at, 1, its
 *	first time less that of the checkpoint, and its length; how many intervals, 8 bytes of their sum, bytes of
 *	knowledge
 *	exceptions: how many; for each the attribute, its first checkpoint, how many more, the start, the fixed
 *	type (one byte) and the value
 *	the knowledge of all checkpoints
 */
#ifndef STATE_PARTIAL_SECTION_H
#define STATE_PARTIAL_SECTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "histree/status.h"
#include "histree/value.h"

enum { PARTIAL_SECTION_VERSION = 1, PARTIAL_EXCEPTION_NO_STATE = 255 };

/* What identifies the content of a slice when it is made again. */
struct partial_slice {
	histree_time from, to; /* of its intervals, without those that lifetimes say; from > to: it has none */
	uint64_t interval_count;
	uint64_t sum; /* of interval_sum() of all of them, in any order */
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
	uint8_t *bytes; /* of the section, which all of it borrows */
};

/* Returns the bytes of a section, which the caller frees, or NULL if memory is out. */
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

#endif
