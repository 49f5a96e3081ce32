// SPDX-License-Identifier: MIT
#include "server/bookmarks.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"

struct bookmarks {
	pthread_mutex_t lock;  /* guards what follows */
	struct bookmark *list; /* by start; of one start the older first */
	size_t count, capacity;
	uint64_t made; /* since the server began: no UUID is used twice */
};

enum histree_status bookmarks_create(struct bookmarks **out, struct histree_error *error)
{
	*out = calloc(1, sizeof(**out));
	if (*out == NULL)
		return error_memory(error, "bookmarks");
	pthread_mutex_init(&(*out)->lock, NULL);
	return HISTREE_OK;
}

void bookmarks_free(struct bookmarks *bookmarks)
{
	if (bookmarks == NULL)
		return;
	pthread_mutex_destroy(&bookmarks->lock);
	free(bookmarks->list);
	free(bookmarks);
}

void bookmarks_each(struct bookmarks *bookmarks, const char *experiment, bookmark_visit *visit, void *context)
{
	pthread_mutex_lock(&bookmarks->lock);
	for (size_t i = 0; i < bookmarks->count; i++)
		if (strcmp(bookmarks->list[i].experiment, experiment) == 0)
			visit(context, &bookmarks->list[i]);
	pthread_mutex_unlock(&bookmarks->lock);
}

/* ---- under the lock -------------------------------------------------------------------------------------- */

/* `count`: there is none. */
static size_t find(const struct bookmarks *bookmarks, const char *experiment, const char *uuid)
{
	size_t i = 0;
	while (i < bookmarks->count && (strcmp(bookmarks->list[i].uuid, uuid) != 0 ||
					strcmp(bookmarks->list[i].experiment, experiment) != 0))
		i++;
	return i;
}

static void take_out(struct bookmarks *bookmarks, size_t index)
{
	bookmarks->count--;
	memmove(&bookmarks->list[index], &bookmarks->list[index + 1],
		(bookmarks->count - index) * sizeof(*bookmarks->list));
}

/* There is room for one more. */
static void put_in(struct bookmarks *bookmarks, const struct bookmark *bookmark)
{
	size_t index = bookmarks->count++;
	for (; index > 0 && bookmarks->list[index - 1].start > bookmark->start; index--)
		bookmarks->list[index] = bookmarks->list[index - 1];
	bookmarks->list[index] = *bookmark;
}

static void name_anew(struct bookmarks *bookmarks, struct bookmark *bookmark)
{
	char number[24];
	struct uuid_maker maker = uuid_begin("bookmark");
	snprintf(number, sizeof(number), "%" PRIu64, bookmarks->made++);
	uuid_add(&maker, bookmark->experiment);
	uuid_add(&maker, number);
	uuid_end(&maker, bookmark->uuid);
}

/* ---- changes --------------------------------------------------------------------------------------------- */

static enum histree_status fill(struct bookmark *bookmark, const char *name, histree_time start, histree_time end,
				struct histree_error *error)
{
	if (*name == '\0' || strlen(name) > BOOKMARK_NAME_MAX)
		return error_set(error, HISTREE_ERR_ARGUMENT, "a bookmark has a name of up to %d bytes",
				 BOOKMARK_NAME_MAX);
	if (start > end)
		return error_set(error, HISTREE_ERR_ARGUMENT, "a bookmark does not end before it starts");
	snprintf(bookmark->name, sizeof(bookmark->name), "%s", name);
	bookmark->start = start;
	bookmark->end = end;
	return HISTREE_OK;
}

enum histree_status bookmarks_add(struct bookmarks *bookmarks, const char *experiment, const char *name,
				  histree_time start, histree_time end, bookmark_visit *visit, void *context,
				  struct histree_error *error)
{
	struct bookmark bookmark = { .start = 0 };
	enum histree_status status = fill(&bookmark, name, start, end, error);
	if (status != HISTREE_OK)
		return status;
	snprintf(bookmark.experiment, sizeof(bookmark.experiment), "%s", experiment);
	pthread_mutex_lock(&bookmarks->lock);
	if (bookmarks->count == BOOKMARKS_MAX) {
		status = error_set(error, HISTREE_ERR_TOO_LARGE, "there are %d bookmarks already; remove some",
				   BOOKMARKS_MAX);
	} else if (!array_reserve(&bookmarks->list, &bookmarks->capacity, bookmarks->count + 1)) {
		status = error_memory(error, "a bookmark");
	} else {
		name_anew(bookmarks, &bookmark);
		put_in(bookmarks, &bookmark);
		visit(context, &bookmark);
	}
	pthread_mutex_unlock(&bookmarks->lock);
	return status;
}

enum histree_status bookmarks_find(struct bookmarks *bookmarks, const char *experiment, const char *uuid,
				   bookmark_visit *visit, void *context)
{
	pthread_mutex_lock(&bookmarks->lock);
	size_t index = find(bookmarks, experiment, uuid);
	bool found = index < bookmarks->count;
	if (found)
		visit(context, &bookmarks->list[index]);
	pthread_mutex_unlock(&bookmarks->lock);
	return found ? HISTREE_OK : HISTREE_NOT_FOUND;
}

enum histree_status bookmarks_change(struct bookmarks *bookmarks, const char *experiment, const char *uuid,
				     const char *name, histree_time start, histree_time end, bookmark_visit *visit,
				     void *context, struct histree_error *error)
{
	enum histree_status status = HISTREE_NOT_FOUND;
	pthread_mutex_lock(&bookmarks->lock);
	size_t index = find(bookmarks, experiment, uuid);
	if (index < bookmarks->count) {
		struct bookmark bookmark = bookmarks->list[index];
		status = fill(&bookmark, name, start, end, error);
		if (status == HISTREE_OK) {
			take_out(bookmarks, index);
			put_in(bookmarks, &bookmark);
			visit(context, &bookmark);
		}
	}
	pthread_mutex_unlock(&bookmarks->lock);
	return status;
}

enum histree_status bookmarks_remove(struct bookmarks *bookmarks, const char *experiment, const char *uuid,
				     bookmark_visit *visit, void *context)
{
	pthread_mutex_lock(&bookmarks->lock);
	size_t index = find(bookmarks, experiment, uuid);
	bool found = index < bookmarks->count;
	if (found) {
		visit(context, &bookmarks->list[index]);
		take_out(bookmarks, index);
	}
	pthread_mutex_unlock(&bookmarks->lock);
	return found ? HISTREE_OK : HISTREE_NOT_FOUND;
}
