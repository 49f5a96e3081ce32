/* SPDX-License-Identifier: MIT */
/*
 * sql_paths.h - paths of a history's attributes that are made once and stay where they are.
 *
 * A row whose path does not move is handed to SQLite without a copy.  What there is no room for is made again and
 * again (histree_selection_path()), so that the memory of a history of millions of attributes stays bounded.
 */
#ifndef SQL_SQL_PATHS_H
#define SQL_SQL_PATHS_H

#include "base/sqlite.h"
#include "histree/attributes.h"

struct sql_paths;

/* At most `bytes` are used.  Returns NULL if memory is out.  The attributes are borrowed. */
struct sql_paths *sql_paths_create(const struct histree_attributes *attributes, size_t bytes);
void sql_paths_free(struct sql_paths *paths);

/* Returns a path that stays until the paths are freed; NULL: there is no room for it. */
const char *sql_paths_get(struct sql_paths *paths, histree_quark quark, size_t *size);

#endif
