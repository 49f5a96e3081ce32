/* SPDX-License-Identifier: MIT */
/*
 * bookmarks.h - times of experiments that somebody gave a name.
 *
 * They are kept as long as the server runs, also while their experiment is closed: it has the same UUID when it is
 * opened again.  Threads: any; there is one lock, under which bookmarks are visited.
 */
#ifndef SERVER_BOOKMARKS_H
#define SERVER_BOOKMARKS_H

#include "histree/status.h"
#include "histree/value.h"
#include "server/uuid.h"

/* Of all experiments together. */
enum { BOOKMARKS_MAX = 4096, BOOKMARK_NAME_MAX = 256 };

struct bookmark {
	char uuid[UUID_TEXT_SIZE], experiment[UUID_TEXT_SIZE];
	char name[BOOKMARK_NAME_MAX + 1];
	histree_time start, end;
};

struct bookmarks;

enum histree_status bookmarks_create(struct bookmarks **out, struct histree_error *error);
void bookmarks_free(struct bookmarks *bookmarks); /* NULL is fine */

typedef void bookmark_visit(void *context, const struct bookmark *bookmark);

/* Those of an experiment by their starts. */
void bookmarks_each(struct bookmarks *bookmarks, const char *experiment, bookmark_visit *visit, void *context);

/*
 * Each calls `visit` with the bookmark as it then is, or last was.  HISTREE_ERR_ARGUMENT: the name is empty or too
 * long, or start is behind end.  HISTREE_ERR_TOO_LARGE: there are BOOKMARKS_MAX.  HISTREE_NOT_FOUND: there is no
 * such bookmark of this experiment.
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
				     bookmark_visit *visit, void *context);

#endif
