/* SPDX-License-Identifier: MIT */
/*
 * segment_batch.h - segments on their way to disk, column by column; and the content of one, kept beyond the call
 * that hands it out.
 *
 * A value of a field is a code: a number whose order, unsigned, is that of the values.  So a column of codes can be
 * stored as differences to the smallest one, whatever its type is.  The code of a string is its number in the
 * batch's list.
 */
#ifndef ITEM_SEGMENT_BATCH_H
#define ITEM_SEGMENT_BATCH_H

#include <stdbool.h>

#include "base/arena.h"
#include "histree/segments.h"

/* Its values, and the bytes of strings, move into the arena; returns false if memory runs out. */
bool segment_copy_content(struct arena *arena, size_t field_count, struct histree_segment *segment);

/* Returns the code of an int, long, double or bool.  Doubles are in the total order of IEEE 754. */
uint64_t segment_code(const struct histree_value *value);

/* Get the value of a code.  Returns false if this type has no such code. */
bool segment_code_value(enum histree_type type, uint64_t code, struct histree_value *out);

struct segment_times {
	histree_time start;
	uint64_t duration;
};

struct segment_column {
	enum histree_type type;
	uint64_t *codes; /* 0 where the value is null */
	uint8_t *nulls;  /* 1: null */
	size_t null_count;
};

enum { SEGMENT_RECENT = 256 };

/* A string that was there lately, such as the name of a thread; without bytes, the place is free. */
struct recent_string {
	uint64_t ends;     /* its first and last bytes, and its size, as one number */
	const char *bytes; /* of the list */
	size_t size;
	uint32_t id;
};

struct segment_batch {
	size_t field_count;
	struct segment_column columns[HISTREE_SEGMENT_FIELDS_MAX];
	struct segment_times *times;
	size_t count, capacity;
	struct intern strings;
	struct recent_string recent[SEGMENT_RECENT];
};

/* An empty batch with room for `capacity` segments.  HISTREE_ERR_MEMORY only; then there is nothing to release. */
enum histree_status segment_batch_init(struct segment_batch *batch, const struct histree_segment_field *fields,
				       size_t field_count, size_t capacity);

/* There must be room, and the values of the fields' types.  HISTREE_ERR_MEMORY only. */
enum histree_status segment_batch_add(struct segment_batch *batch, const struct histree_segment *segment);
void segment_batch_clear(struct segment_batch *batch);
void segment_batch_release(struct segment_batch *batch);

#endif
