/* SPDX-License-Identifier: MIT */
/*
 * sqlite.h - SQLite's functions, called through the table that SQLite hands to its extensions.
 *
 * An extension gets the table when it is loaded; the command and the exports request it, and so load SQLite only
 * when it is needed (library.h).  After sqlite_load(), or in an extension, sqlite3_step() and the others are what
 * they are in <sqlite3.h>.
 */
#ifndef BASE_SQLITE_H
#define BASE_SQLITE_H

#include <sqlite3ext.h>

#include "histree/status.h"

extern const sqlite3_api_routines *sqlite3_api;

/* Any thread may call this at any time.  Returns HISTREE_NOT_FOUND if SQLite is not installed, or too old. */
enum histree_status sqlite_load(struct histree_error *error);

#endif
