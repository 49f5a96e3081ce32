/* SPDX-License-Identifier: MIT */
/*
 * overview_file.h - a file of a pyramid beside a history, as tests that damage and forge it have it.
 */
#ifndef SUPPORT_OVERVIEW_FILE_H
#define SUPPORT_OVERVIEW_FILE_H

#include "histree/history.h"

struct overview_file {
	char path[96];
	uint8_t *bytes; /* as it was made */
	size_t size;
};

/* Keep what is in the file, and write something else there; what fails fails the test. */
void overview_file_read(struct overview_file *file);
void overview_file_write(const struct overview_file *file, const uint8_t *bytes, size_t size);

/* Remove the file, and forget what was in it. */
void overview_file_end(struct overview_file *file);

typedef enum histree_status overview_verifier(struct histree_history *history,
					      void (*hear)(void *context, const char *fault), void *context,
					      struct histree_error *error);

/*
 * Whether verifying the history, and by `verify` what is in its overviews, says that one is wrong: of each fault
 * the file is named, which ends in `suffix`.
 */
bool overview_file_is_told(const char *history_path, overview_verifier *verify, const char *suffix);

/* Returns how many overviews the history has. */
uint32_t overview_file_count(const char *history_path);

#endif
