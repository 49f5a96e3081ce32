/* SPDX-License-Identifier: MIT */
/*
 * manifest.h - manifest.json: the description of a store, its trace and its build.
 *
 * The file is JSON so that anything can read it; times and counts are integers.  Its version rules are those of the
 * history file: an "oldest_reader" above our version is refused.  Its last member is a checksum of the bytes before
 * it, and it has the identity of each file that it lists (docs/design/02-store-file.md).
 */
#ifndef STORE_FOLDER_MANIFEST_H
#define STORE_FOLDER_MANIFEST_H

#include <jansson.h>

#include "base/arena.h"
#include "base/io.h"
#include "histree/store.h"
#include "store_folder/store_folder.h"

enum {
	MANIFEST_VERSION = 2, /* 1 had neither a checksum nor the identity of every file */
	MANIFEST_OLDEST_READER = 1,
	MANIFEST_VERSION_HOSTS = 3, /* of a store of several hosts, or with a clock: older readers know neither */
};

/* Returns the text, which the caller frees, as it is without a checksum; NULL if memory runs out. */
char *manifest_encode(const struct histree_store_info *info);

/* Take from the text what it says; strings and lists go into the arena. */
enum histree_status manifest_decode(const char *path, json_t *root, struct arena *arena,
				    struct histree_store_info *out, struct histree_error *error);

enum {
	MANIFEST_ANALYSES_MAX = 256, /* histories of a store, or segment stores; a build makes a dozen */
	MANIFEST_HOSTS_MAX = 10000,
};

/* Writes `info`, all but its path and `building`; the file replaces what is there at once. */
enum histree_status manifest_write(const struct io *io, const char *path, const struct histree_store_info *info,
				   struct histree_error *error);

/*
 * Returns whether a history is the one that the manifest means, as far as that says it.  One that was completed
 * since has another identity, until the store is complete and its manifest says so: it is known by what it is and
 * when it begins.
 */
bool manifest_means_history(const struct histree_store_info *store, const struct histree_store_history *meant,
			    const struct histree_history_info *found);

/* Reads a manifest; strings and lists go into the arena. */
enum histree_status manifest_read(const struct io *io, const char *path, struct arena *arena,
				  struct histree_store_info *out, struct histree_error *error);

#endif
