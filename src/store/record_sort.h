/* SPDX-License-Identifier: MIT */
/*
 * record_sort.h - records of bytes by a key, those of one key in the order of arrival: an external merge sort.
 *
 * Records gather in memory; when there is no more, they are sorted and written as a run to a file without a name
 * beside `neighbour`; the runs are merged.  What arrives in its order costs no comparison.
 *
 *	uint8_t *at = record_sort_room(sort, size_max, &error);		// many times
 *	record_sort_add(sort, key, size);
 *	record_sort_finish(sort, &error);
 *	while ((status = record_sort_next(sort, &record, &error)) == HISTREE_OK)
 *		...;			// HISTREE_END, or the error
 *
 * A run: for each record its key less the one before as a varint, its size as a varint, and its bytes.
 */
#ifndef STORE_RECORD_SORT_H
#define STORE_RECORD_SORT_H

#include <stddef.h>
#include <stdint.h>

#include "base/io.h"

struct record_sort;

struct sorted_record {
	uint64_t key;
	const uint8_t *bytes; /* borrowed until the next one is asked for */
	size_t size;
};

/* Numbers below zero come first. */
static inline uint64_t record_key_signed(int64_t number)
{
	return (uint64_t)number ^ UINT64_C(1) << 63;
}

/* `io` and `neighbour` outlive it.  It takes about `memory_max` bytes, and at least 1 MiB. */
enum histree_status record_sort_create(const struct io *io, const char *neighbour, size_t memory_max,
				       struct record_sort **out, struct histree_error *error);

/* Returns room for a record of so many bytes; NULL, and the error, if a run cannot be written or memory is out. */
uint8_t *record_sort_room(struct record_sort *sort, size_t size_max, struct histree_error *error);

/* Add what was put into the room, of which it takes `size` bytes. */
void record_sort_add(struct record_sort *sort, uint64_t key, size_t size);

/* No more are added.  Most of the memory is given back if there are runs. */
enum histree_status record_sort_finish(struct record_sort *sort, struct histree_error *error);

/* Get the next record, or return HISTREE_END. */
enum histree_status record_sort_next(struct record_sort *sort, struct sorted_record *out,
				     struct histree_error *error);

uint64_t record_sort_spilled_bytes(const struct record_sort *sort);

/* Free the sort, or do nothing if it is NULL. */
void record_sort_free(struct record_sort *sort);

#endif
