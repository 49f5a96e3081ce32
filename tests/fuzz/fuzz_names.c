// SPDX-License-Identifier: MIT
/*
 * fuzz_names.c - a file of names in memory (image.h), its checksums made right, beside a history of a few threads
 * (names_history.h): the list of threads that is read with it ends and is one.  If the file is found sound and to
 * say what the history does, the list is that of the history.
 */
#include <string.h>

#include "fuzz.h"
#include "histree/history.h"
#include "histree/states.h"
#include "image.h"
#include "names_history.h"
#include "query/thread_list.h"
#include "state/history.h"
#include "state/history_inside.h"
#include "state/pyramid.h"

static void ignore(void *context, const char *fault)
{
	(void)context, (void)fault;
}

/* NULL: it is no history. */
static struct histree_history *open_history(struct memory_io *memory, const char *path)
{
	struct block_file *file;
	struct histree_history *history = NULL;
	if (block_file_open(&memory->io, path, &file, NULL) == HISTREE_OK &&
	    history_open_file(file, NULL, &history, NULL) != HISTREE_OK)
		return NULL;
	return history;
}

/* That of the history takes what it has beside it as this, without who it says that it is of. */
static void put_beside(struct histree_history *history, struct histree_history *names)
{
	struct pyramid *pyramid = &history->pyramids[PYRAMID_NAMES];
	pyramid->levels[0].history = names;
	pyramid->level_count = 1;
}

static bool can_be_of(const struct histree_history *names, const struct histree_history *history)
{
	const struct histree_history_info *info = histree_history_info(names), *of = histree_history_info(history);
	return info->complete && info->start == of->start && info->end == of->end;
}

static void require_same(const struct thread_list *list, const struct thread_list *other)
{
	REQUIRE(list->count == other->count && list->number_count == other->number_count);
	for (size_t i = 0; i < list->count; i++) {
		const struct histree_thread *one = &list->threads[i], *two = &other->threads[i];
		REQUIRE(one->tid == two->tid && one->pid == two->pid && one->ppid == two->ppid);
		REQUIRE(one->from == two->from && one->to == two->to && one->last_status == two->last_status);
		REQUIRE(strcmp(one->name, two->name) == 0);
	}
}

FUZZ_TARGET(bytes, size)
{
	struct memory_io memory;
	struct thread_list list = { 0 }, alone = { 0 };
	const struct histree_work never = { 0 };
	size_t image_size;
	uint8_t *image = image_unpack(bytes, size, &image_size);
	REQUIRE(image != NULL);
	memory_io_init(&memory);
	names_history_make(&memory);
	REQUIRE(memory_io_put(&memory, "names", image, image_size));
	free(image);
	struct histree_history *history = open_history(&memory, "f"), *names = open_history(&memory, "names");
	REQUIRE(history != NULL);
	if (names != NULL && can_be_of(names, history)) {
		const bool is_sound = history_verify_file(names, ignore, NULL, NULL) == HISTREE_OK;
		REQUIRE(thread_list_read(&alone, history, INT64_MIN, INT64_MAX, never, NULL) == HISTREE_OK);
		put_beside(history, names);
		const enum histree_status status =
			thread_list_read(&list, history, INT64_MIN, INT64_MAX, never, NULL);
		REQUIRE(status == HISTREE_OK || status == HISTREE_ERR_MEMORY);
		if (is_sound && histree_sums_verify(history, ignore, NULL, NULL) == HISTREE_OK)
			require_same(&list, &alone);
	} else {
		histree_history_close(names);
	}
	thread_list_release(&list);
	thread_list_release(&alone);
	histree_history_close(history);
	memory_io_release(&memory);
	return 0;
}
