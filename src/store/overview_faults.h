/* SPDX-License-Identifier: MIT */
/*
 * overview_faults.h - reports to the caller, as sentences, the faults that verification finds in the overviews
 * beside a file.
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
 * Judge how reading the current overview ended; `before` of its faults were known before that.  A damaged overview
 * is a fault, not an error.  An overview made by a newer version cannot be used either.
 */
enum histree_status overview_faults_judge(struct overview_faults *faults, uint64_t before,
					  enum histree_status status, const struct histree_error *fault,
					  struct histree_error *error);

/* Returns HISTREE_ERR_FORMAT if there were faults in the overviews of the file at `path`. */
enum histree_status overview_faults_sum(const struct overview_faults *faults, const char *path,
					struct histree_error *error);

#endif
