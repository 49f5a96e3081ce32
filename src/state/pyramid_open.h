/* SPDX-License-Identifier: MIT */
/*
 * pyramid_open.h - opens the pyramids beside a history, and verifies their files.
 */
#ifndef STATE_PYRAMID_OPEN_H
#define STATE_PYRAMID_OPEN_H

#include "base/io.h"
#include "state/pyramid.h"

/* Open that of a history, as far as it has one.  HISTREE_ERR_MEMORY only. */
enum histree_status pyramid_open(struct pyramid *pyramid, enum pyramid_id id, const char *path,
				 const struct histree_history_info *of, size_t cache_bytes,
				 struct histree_error *error);

/*
 * Take a history that another process answers as the next file; it is closed if it does not belong to this
 * history.
 */
enum histree_status pyramid_attach(struct pyramid *pyramid, enum pyramid_id id, struct histree_history *history,
				   const struct histree_history_info *of, struct histree_error *error);

struct overview_faults;

/* Read all files of all kinds that are beside a history, whether they can be used or not. */
enum histree_status pyramids_verify(const struct io *io, const char *path, const struct histree_history_info *of,
				    struct overview_faults *faults, struct histree_error *error);

#endif
