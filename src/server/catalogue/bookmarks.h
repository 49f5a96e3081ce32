/* SPDX-License-Identifier: MIT */
/*
 * bookmarks.h - the bookmarks of each experiment, kept in a file, and the identifiers (UUID) of the objects of the
 * protocol.
 *
 * A *UUID* (RFC 9562) is always the same for the same content.
 *
 * A client finds its trace again after a restart of the server, because the UUID of a trace follows from its name
 * and path, and that of an experiment from its name and traces.
 *
 * Bookmarks are named times of experiments, kept in a file as JSON, ordered by their starts:
 *
 * 	{"format": "histree bookmarks", "version": 1, "made": 3,
 * 	 "bookmarks": [{"uuid": ..., "experiment": ..., "name": ..., "start": ..., "end": ...}, ...]}
 *
 * `made` counts all bookmarks ever made, so that no UUID is used twice.
 *
 * The file is authoritative: it is read again when it has changed, and rewritten as a whole with each change.  So
 * several servers may keep bookmarks in one folder, and bookmarks survive a restart, also those of closed
 * experiments, which get the same UUID when they are opened again.  A file that cannot be parsed is never
 * overwritten; a client that tries to change a bookmark gets an error.
 *
 * Threads: any; there is one lock, under which bookmarks are visited.
 */
#ifndef SERVER_CATALOGUE_BOOKMARKS_H
#define SERVER_CATALOGUE_BOOKMARKS_H

#include <stddef.h>
#include <stdint.h>

#include "base/io.h"
#include "histree/status.h"
#include "histree/value.h"
#include "server/text/json_writer.h"

enum { UUID_TEXT_SIZE = 37 };

/* Gathers what a UUID is made of. */
struct uuid_maker {
	uint64_t high, low;
};

struct uuid_maker uuid_begin(const char *kind);

/* Texts do not run together: "ab", "c" is another content than "a", "bc". */
void uuid_add(struct uuid_maker *maker, const char *text);
void uuid_end(const struct uuid_maker *maker, char text[UUID_TEXT_SIZE]);

/* How many bookmarks all experiments have together, how long a name is, and how large the file is, at most. */
enum { BOOKMARKS_MAX = 4096, BOOKMARK_NAME_MAX = 256, BOOKMARKS_SIZE_MAX = 8 << 20 };

struct bookmark {
	char uuid[UUID_TEXT_SIZE], experiment[UUID_TEXT_SIZE];
	char name[BOOKMARK_NAME_MAX + 1];
	histree_time start, end;
};

/* A zeroed one is empty. */
struct bookmark_list {
	struct bookmark *bookmarks; /* by start, the older ones of one start first */
	size_t count, capacity;
	int64_t made;
};

void bookmark_list_release(struct bookmark_list *list);

/* Inserts a bookmark where its start belongs; the list has room for it. */
void bookmark_list_insert(struct bookmark_list *list, const struct bookmark *bookmark);
void bookmark_list_encode(const struct bookmark_list *list, struct byte_buffer *text);

/* Reads the JSON. Returns HISTREE_ERR_FORMAT if the bytes are no bookmarks of ours, and the error says where. */
enum histree_status bookmark_list_decode(struct bookmark_list *out, const char *bytes, size_t size,
					 struct histree_error *error);

/* Writes {uuid, name, start, end}; `context` is a struct json_writer. */
void bookmark_write_json(void *context, const struct bookmark *bookmark);

/* In the folder of stores. */
#define BOOKMARKS_FILE "histree-bookmarks.json"

struct bookmarks;

/* Makes the bookmarks of a folder; nothing is read yet. */
enum histree_status bookmarks_create(const struct io *io, const char *folder, struct bookmarks **out,
				     struct histree_error *error);
void bookmarks_free(struct bookmarks *bookmarks); /* NULL is fine */

/* Returns whether the file is absent or can be understood; the error says why not. */
enum histree_status bookmarks_check(struct bookmarks *bookmarks, struct histree_error *error);

typedef void bookmark_visit(void *context, const struct bookmark *bookmark);

/* Visits the bookmarks of an experiment by their starts, from the file as it was when it last could be read. */
void bookmarks_each(struct bookmarks *bookmarks, const char *experiment, bookmark_visit *visit, void *context);

/*
 * Each calls `visit` with the bookmark as it then is, or last was, once that is on disk.  HISTREE_ERR_ARGUMENT: the
 * name is empty or too long, or start is after end.  HISTREE_ERR_TOO_LARGE: there are BOOKMARKS_MAX.
 * HISTREE_NOT_FOUND: there is no such bookmark of this experiment.  HISTREE_ERR_IO, HISTREE_ERR_FORMAT: of the
 * file, which is as it was.
 */
enum histree_status bookmarks_add(struct bookmarks *bookmarks, const char *experiment, const char *name,
				  histree_time start, histree_time end, bookmark_visit *visit, void *context,
				  struct histree_error *error);
enum histree_status bookmarks_find(struct bookmarks *bookmarks, const char *experiment, const char *uuid,
				   bookmark_visit *visit, void *context);
enum histree_status bookmarks_change(struct bookmarks *bookmarks, const char *experiment, const char *uuid,
				     const char *name, histree_time start, histree_time end, bookmark_visit *visit,
				     void *context, struct histree_error *error);
enum histree_status bookmarks_remove(struct bookmarks *bookmarks, const char *experiment, const char *uuid,
				     bookmark_visit *visit, void *context, struct histree_error *error);

#endif
