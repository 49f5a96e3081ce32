/* SPDX-License-Identifier: MIT */
/*
 * file_work.h - how far a call is that makes new files of those of a store, and whether it is to go on.
 *
 * A file counts by its bytes.
 */
#ifndef PIPELINE_COPY_FILE_WORK_H
#define PIPELINE_COPY_FILE_WORK_H

#include <stdbool.h>
#include <stdint.h>

#include "histree/cancel.h"

struct file_work {
	struct histree_cancel cancel;
	void (*progress)(void *context, double share); /* may be NULL */
	void *context;
	uint64_t bytes_total; /* of all that were planned */
	uint64_t bytes_done;  /* of those before the one that is worked on */
	uint64_t bytes_here;
};

/* A file that will be worked on; before the first begins. */
void file_work_plan(struct file_work *work, const char *path);

/* The next file; the one before it is done. */
void file_work_begin(struct file_work *work, const char *path);

/* A share of this file is done.  Returns false if the caller of the call wants it to end. */
bool file_work_goes_on(const struct file_work *work, double share);

#endif
