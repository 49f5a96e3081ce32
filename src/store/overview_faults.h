/* SPDX-License-Identifier: MIT */
/*
 * overview_faults.h - the faults that verifying finds in the overviews beside a file, as sentences to the caller.
 */
#ifndef STORE_OVERVIEW_FAULTS_H
#define STORE_OVERVIEW_FAULTS_H

#include <stdbool.h>

#include "base/io.h"

struct overview_faults {
	void (*report)(void *context, const char *fault);
	void *context;
	const char *path; /* of the overview at hand */
	uint64_t count;   /* of all so far */
};

/* Whether there is a file of that name, also if it cannot be opened. */
bool overview_is_there(const struct io *io, const char *path);

/* Report a fault of the overview at hand; `faults` is a struct overview_faults. */
void overview_faults_report(void *faults, const char *fault);

/*
 * Judge how reading the overview at hand ended, of whose faults `before` were known before it: a damaged one is a
 * fault, and no error.  An overview that a newer version made is of no use either.
 */
enum histree_status overview_faults_judge(struct overview_faults *faults, uint64_t before,
					  enum histree_status status, const struct histree_error *fault,
					  struct histree_error *error);

/* Returns HISTREE_ERR_FORMAT if there were faults in the overviews of the file at `path`. */
enum histree_status overview_faults_sum(const struct overview_faults *faults, const char *path,
					struct histree_error *error);

#endif
