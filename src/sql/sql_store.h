/* SPDX-License-Identifier: MIT */
/*
 * sql_store.h - the stores that a connection of SQLite uses: each is opened once, and so are its histories, however
 * many tables use them.
 *
 * A connection is used by one thread at a time, and so is everything here.
 */
#ifndef SQL_SQL_STORE_H
#define SQL_SQL_STORE_H

#include <stddef.h>

#include "base/sqlite.h"
#include "histree/events.h"
#include "histree/store.h"

struct sql_connection;
struct sql_paths;
struct sql_store;

/* Each of what SQLite keeps of a connection has a share in it; the last one that is given back frees it. */
struct sql_connection *sql_connection_create(void);
struct sql_connection *sql_connection_share(struct sql_connection *connection);
void sql_connection_leave(void *connection);

/* The caches of all that is in a store that is opened from now on; 0: what the library takes, for each. */
void sql_connection_set_cache(struct sql_connection *connection, size_t bytes);

/* How stores are opened from now on; until it is set, histree_store_open() is called. */
typedef enum histree_status sql_store_opener(void *context, const char *path, struct histree_store **out,
					     struct histree_error *error);
void sql_connection_set_opener(struct sql_connection *connection, sql_store_opener *opener, void *context);

/* Returns the open store that was opened first; NULL if no store is open. */
const struct sql_store *sql_connection_first(const struct sql_connection *connection);

/* How many rows tables have handed out, of all statements, and of tables that count them: states and segments. */
uint64_t sql_connection_rows(const struct sql_connection *connection);
uint64_t *sql_connection_row_counter(struct sql_connection *connection);

/* Keeps a sentence on what was wrong with an answer, until it is taken.  The same sentence is kept once. */
void sql_connection_warn(struct sql_connection *connection, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* What several tables have to say; of a history also which hosts are missing, if it is one of several. */
void sql_connection_warn_of_time(struct sql_connection *connection, histree_time start, histree_time end);
void sql_connection_warn_of_history(struct sql_connection *connection, const char *path,
				    const struct histree_history *history);
void sql_connection_warn_of_segments(struct sql_connection *connection, const char *path);
/* The same, or that those of a host are missing. */
void sql_connection_warn_of_loss(struct sql_connection *connection, const char *path,
				 const struct histree_segment_store *store, struct histree_loss loss);

/* What ends a long call of the library; until it is set, nothing does. */
void sql_connection_set_cancel(struct sql_connection *connection, struct histree_work work);
struct histree_work sql_connection_cancel(const struct sql_connection *connection);

/* Returns the sentences since the last call, a line each, to be freed with sqlite3_free(); NULL: none. */
char *sql_connection_take_warnings(struct sql_connection *connection);

/* Gets a share in the store at a path, which is opened if it has no share yet. */
enum histree_status sql_store_share(struct sql_connection *connection, const char *path, struct sql_store **out,
				    struct histree_error *error);
void sql_store_leave(struct sql_store *store);

struct sql_connection *sql_store_connection(const struct sql_store *store);
const struct histree_store_info *sql_store_info(const struct sql_store *store);

/*
 * The borrowed histories and segments live as long as there is a share in the store. `analysis` "" is the default
 * one.  They are in the state of the time when they were first requested.
 */
enum histree_status sql_store_history(struct sql_store *store, const char *analysis, struct histree_history **out,
				      struct histree_error *error);

/*
 * The paths of a history that was opened by this store, made once, or NULL if memory runs out; borrowed likewise.
 * They stay where they are, so that a row is handed to SQLite without a copy of its path.  What there is no room
 * for is made again and again (histree_selection_path()): the memory of a history of millions of attributes is
 * bounded.
 */
struct sql_paths *sql_store_paths(struct sql_store *store, const struct histree_history *history);

/* Returns NULL if there is no room for the path. */
const char *sql_paths_get(struct sql_paths *paths, histree_quark quark, size_t *size);

enum histree_status sql_store_segments(struct sql_store *store, const char *analysis,
				       struct histree_segment_store **out, struct histree_error *error);
enum histree_status sql_store_events(struct sql_store *store, struct histree_events **out,
				     struct histree_error *error);

#endif
