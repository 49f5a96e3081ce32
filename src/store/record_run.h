/* SPDX-License-Identifier: MIT */
/*
 * record_run.h - a sorted run of records in a temporary file, read once from front to back (record_sort.h).
 */
#ifndef STORE_RECORD_RUN_H
#define STORE_RECORD_RUN_H

#include "store/spill_file.h"

struct sorted_record {
	uint64_t key;
	const uint8_t *bytes; /* borrowed until the next one is asked for */
	size_t size;
};

struct record_run {
	uint64_t at, end; /* in the file: what was not read yet */
	uint8_t *window;  /* a piece of it */
	size_t used, filled, capacity;
	struct sorted_record first; /* the next; its bytes are in the window */
};

/* Begin to read what lies from `at` to `end`, in windows of that many bytes.  HISTREE_ERR_MEMORY only. */
enum histree_status record_run_open(struct record_run *run, uint64_t at, uint64_t end, size_t window);

/* Make the next record the first.  Returns HISTREE_END if there is none. */
enum histree_status record_run_next(struct record_run *run, const struct spill_file *spill,
				    struct histree_error *error);

void record_run_release(struct record_run *run);

#endif
