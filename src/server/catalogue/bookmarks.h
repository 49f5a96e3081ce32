/* SPDX-License-Identifier: MIT */
/*
 * bookmarks.h - times of experiments that somebody gave a name, kept in a file.
 *
 * The file is what counts: it is read anew when it has changed, and written anew, as a whole, with each change.  So
 * several servers may keep theirs in one folder, and bookmarks are there again after a restart, also while their
 * experiment is closed: it has the same UUID when it is opened again.  A file that is not understood is never
 * written; whoever wants to change a bookmark is told so.
 *
 * Threads: any; there is one lock, under which bookmarks are visited.
 */
#ifndef SERVER_CATALOGUE_BOOKMARKS_H
#define SERVER_CATALOGUE_BOOKMARKS_H

#include "base/io.h"
#include "server/catalogue/bookmark_list.h"

/* In the folder of stores. */
#define BOOKMARKS_FILE "histree-bookmarks.json"

struct bookmarks;

/* Makes the bookmarks of a folder; nothing is read yet. */
enum histree_status bookmarks_create(const struct io *io, const char *folder, struct bookmarks **out,
				     struct histree_error *error);
void bookmarks_free(struct bookmarks *bookmarks); /* NULL is fine */

/* Whether the file can be understood, or there is none; the error says why not. */
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
