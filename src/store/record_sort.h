/* SPDX-License-Identifier: MIT */
/*
 * record_sort.h - records by a key, sorted in memory and, where that has no room, in runs on disk.
 *
 * The temporary file is made beside `neighbour` at the first write and has no name from then on, so a crash leaves
 * nothing behind.
 *
 * Spill runs are sorted runs of items in such a file: each is written once, then all are merged.  The owner defines
 * what an item is: it encodes items, and gives functions that decode and compare them.
 *
 * 	uint8_t *at = spill_runs_room(&runs, size_max, &error);		// for each item of a run, in its order
 * 	spill_runs_put(&runs, size, &error);
 * 	spill_runs_end_run(&runs, &error);				// for each run
 * 	spill_runs_merge(&runs, memory_max, &error);
 * 	while ((status = spill_runs_next(&runs, &item, &error)) == HISTREE_OK)
 * 		...;			// HISTREE_END, or the error
 *
 * A record sort is an external merge sort of records of bytes by a key; records with equal keys keep the order of
 * their arrival.  Records gather in memory; when it is full, they are sorted and written as a run.  Records that
 * arrive in order are written as they lie, and are one run, however many they are.
 *
 * 	uint8_t *at = record_sort_room(sort, size_max, &error);		// many times
 * 	record_sort_add(sort, key, size);
 * 	record_sort_finish(sort, &error);
 * 	while ((status = record_sort_next(sort, &record, &error)) == HISTREE_OK)
 * 		...;			// HISTREE_END, or the error
 *
 * A run: for each record its key less the one before as a varint, its size as a varint, and its bytes.
 */
#ifndef STORE_RECORD_SORT_H
#define STORE_RECORD_SORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/io.h"

struct spill_file {
	const struct io *io;   /* borrowed */
	const char *neighbour; /* borrowed: the file whose folder it is made in */
	bool open;
	int file;
};

/* `neighbour` and `io` outlive it. */
static inline struct spill_file spill_file(const struct io *io, const char *neighbour)
{
	return (struct spill_file){ .io = io, .neighbour = neighbour };
}

enum histree_status spill_file_write(struct spill_file *spill, const void *bytes, size_t size, uint64_t offset,
				     struct histree_error *error);
enum histree_status spill_file_read(const struct spill_file *spill, void *bytes, size_t size, uint64_t offset,
				    struct histree_error *error);
void spill_file_close(struct spill_file *spill);

struct spill_item_kind {
	size_t size; /* of a decoded item */
	/*
	 * Decode the next item of a run into the place of the one before, which is zero at first.  It may point
	 * into the bytes.  Returns false, and leaves what it needs again, if the bytes end within the item.
	 */
	bool (*decode)(struct byte_reader *reader, void *item, const void *context);
	/* Less than 0, 0 or more than 0.  Of equal items that of the run that was written first comes first. */
	int (*compare)(const void *a, const void *b, const void *context);
};

struct spill_extent {
	uint64_t at, end;
};

struct spill_runs {
	const struct spill_item_kind *kind;
	const void *context; /* of its functions; borrowed */
	struct spill_file file;
	uint64_t bytes; /* of the runs that are whole */

	/* Being written: a piece of the run, and where it ends in the file. */
	uint8_t *piece;
	size_t used, capacity;
	uint64_t end;

	struct spill_extent *extents;
	size_t count, extent_capacity;

	/* Being merged: a heap of runs by their first items. */
	struct spill_run *runs;
	struct spill_run **heap;
	size_t heap_count;
	bool first_is_out; /* the first item of the first run was handed out */
};

/* `io` and `neighbour`, beside which the file is made, outlive it. */
static inline struct spill_runs spill_runs(const struct io *io, const char *neighbour,
					   const struct spill_item_kind *kind, const void *context)
{
	return (struct spill_runs){ .kind = kind, .context = context, .file = spill_file(io, neighbour) };
}

/* Returns room for `size_max` bytes; NULL, and the error, if memory runs out. */
uint8_t *spill_runs_room(struct spill_runs *runs, size_t size_max, struct histree_error *error);

/* Add the item that was put into the room.  After an error of this or the next, the run is not there. */
enum histree_status spill_runs_put(struct spill_runs *runs, size_t size, struct histree_error *error);

/* Add items that lie behind one another, where none was put into the room since the run began. */
enum histree_status spill_runs_put_all(struct spill_runs *runs, const void *items, size_t size,
				       struct histree_error *error);
enum histree_status spill_runs_end_run(struct spill_runs *runs, struct histree_error *error);

/* No more are added.  About `memory_max` bytes are used to read them, and at least 4 KiB a run. */
enum histree_status spill_runs_merge(struct spill_runs *runs, size_t memory_max, struct histree_error *error);

/* Get the next item, which is valid until the next call, or return HISTREE_END. */
enum histree_status spill_runs_next(struct spill_runs *runs, const void **item, struct histree_error *error);
void spill_runs_release(struct spill_runs *runs);

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

/*
 * Returns room for a record of `size_max` bytes; NULL, and the error, if a run cannot be written or memory runs
 * out.
 */
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
