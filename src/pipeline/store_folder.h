/* SPDX-License-Identifier: MIT */
/*
 * store_folder.h - a store while it is made: a folder beside its final name, which it takes at the end.
 *
 * STORE.building is held by a lock, so that two builds of one store do not meet; a folder left by a build that
 * was killed is nobody's and is cleared.  Only files that we could have made are ever removed.
 */
#ifndef PIPELINE_STORE_FOLDER_H
#define PIPELINE_STORE_FOLDER_H

#include <stdbool.h>

#include "base/io.h"

struct store_folder {
	const struct io *io;
	char *final;    /* STORE, without slashes at its end */
	char *building; /* STORE.building; NULL once it was published */
	int lock;       /* file held open, -1: none */
};

/*
 * Make STORE.building.  Refuses if STORE exists without `replace` (HISTREE_ERR_EXISTS), and always if it is
 * something else than a store.
 */
enum histree_status store_folder_begin(struct store_folder *folder, const struct io *io, const char *store,
				       bool replace, struct histree_error *error);

/* The path of a file in it; the caller frees it.  NULL when memory is out. */
char *store_folder_path(const struct store_folder *folder, const char *name);

/* Give the folder its final name, in one step, and remove what had it before. */
enum histree_status store_folder_publish(struct store_folder *folder, bool replace, struct histree_error *error);

/* Let go; what was not published is removed. */
void store_folder_release(struct store_folder *folder);

#endif
