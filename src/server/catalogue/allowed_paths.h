/* SPDX-License-Identifier: MIT */
/*
 * allowed_paths.h - which paths a client may name: those of the command line and what lies below its folders.
 *
 * A path is compared once all links in it are resolved, so that none leads out.  A store names the traces that it
 * was built from; it may come from anywhere, so those are held to the same rule.
 */
#ifndef SERVER_CATALOGUE_ALLOWED_PATHS_H
#define SERVER_CATALOGUE_ALLOWED_PATHS_H

#include "histree/status.h"

#include <stdbool.h>
#include <stddef.h>

/* A zeroed one allows nothing. */
struct allowed_paths {
	char **paths; /* resolved */
	size_t count, capacity;
};

enum histree_status allowed_paths_add(struct allowed_paths *allowed, const char *path, struct histree_error *error);
bool allowed_paths_contain(const struct allowed_paths *allowed, const char *resolved);

/* Resolves the path first.  The address of a live trace is never allowed. */
bool allowed_paths_allow(const struct allowed_paths *allowed, const char *path);
void allowed_paths_release(struct allowed_paths *allowed);

enum path_kind {
	PATH_NOTHING, /* nothing is there */
	PATH_FILE,    /* that is no trace */
	PATH_FOLDER,  /* neither of: */
	PATH_STORE,   /* it may be damaged */
	PATH_TRACE,   /* a trace, or a folder with one below it */
};

/* Returns what is at a path; looks a few folders deep, at a bounded number of them. */
enum path_kind path_kind_of(const char *path);

/* Returns the last component of a path that does not end in a slash. */
const char *path_name(const char *path);

#endif
