/* SPDX-License-Identifier: MIT */
/*
 * manifest.h - manifest.json: what a store says of its trace and of its build.
 *
 * The file is JSON so that anything can read it; times and counts are integers.  Its version rules are those
 * of the history file: "oldest_reader" above ours is refused.
 */
#ifndef STORE_FOLDER_MANIFEST_H
#define STORE_FOLDER_MANIFEST_H

#include "base/arena.h"
#include "base/io.h"
#include "histree/store.h"

#define MANIFEST_FILE "manifest.json"

/* Writes `info`, all but its path and `building`; the file replaces what is there at once. */
enum histree_status manifest_write(const struct io *io, const char *path, const struct histree_store_info *info,
				   struct histree_error *error);

/* Reads a manifest; strings and lists go into the arena. */
enum histree_status manifest_read(const struct io *io, const char *path, struct arena *arena,
				  struct histree_store_info *out, struct histree_error *error);

#endif
