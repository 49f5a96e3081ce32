/* SPDX-License-Identifier: MIT */
/*
 * spill_runs.h - sorted runs of items in a temporary file: each is written once, then all are merged.
 *
 * What an item is, its owner knows: it encodes items, and says how to decode and to compare them.
 *
 *	uint8_t *at = spill_runs_room(&runs, size_max, &error);		// for each item of a run, in its order
 *	spill_runs_put(&runs, size, &error);
 *	spill_runs_end_run(&runs, &error);				// for each run
 *	spill_runs_merge(&runs, memory_max, &error);
 *	while ((status = spill_runs_next(&runs, &item, &error)) == HISTREE_OK)
 *		...;			// HISTREE_END, or the error
 */
#ifndef STORE_SPILL_RUNS_H
#define STORE_SPILL_RUNS_H

#include "base/bytes.h"
#include "store/spill_file.h"

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

/* Returns room for so many bytes; NULL, and the error, if memory is out. */
uint8_t *spill_runs_room(struct spill_runs *runs, size_t size_max, struct histree_error *error);

/* Add the item that was put into the room.  After an error of this or the next, the run is not there. */
enum histree_status spill_runs_put(struct spill_runs *runs, size_t size, struct histree_error *error);
enum histree_status spill_runs_end_run(struct spill_runs *runs, struct histree_error *error);

/* No more are added.  About `memory_max` bytes are used to read them, and at least 4 KiB a run. */
enum histree_status spill_runs_merge(struct spill_runs *runs, size_t memory_max, struct histree_error *error);

/* Get the next item, which is valid until the next call, or return HISTREE_END. */
enum histree_status spill_runs_next(struct spill_runs *runs, const void **item, struct histree_error *error);

void spill_runs_release(struct spill_runs *runs);

#endif
