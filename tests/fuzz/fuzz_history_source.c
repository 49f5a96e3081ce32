// SPDX-License-Identifier: MIT
/*
 * fuzz_history_source.c - bytes as the description of a history that came from another rank.  What is read has
 * names, folders and labels that can be asked for.
 */
#include "fuzz.h"
#include "histree/histree.h"

static enum histree_status no_cursor(void *context, uint32_t part, void **cursor, struct histree_error *error)
{
	(void)context, (void)part, (void)error;
	*cursor = NULL;
	return HISTREE_ERR_MEMORY;
}

static void count_free(void *context)
{
	++*(int *)context;
}

FUZZ_TARGET(bytes, size)
{
	enum { ENOUGH = 1000 };
	int freed = 0;
	const struct histree_history_source source = { .context = &freed,
						       .cursor_create = no_cursor,
						       .free = count_free };
	const struct histree_value one = histree_int(1);
	struct histree_history *history;
	struct histree_error error = { 0 };
	enum histree_status status = histree_history_of_source(&source, bytes, size, &history, &error);
	REQUIRE(status == HISTREE_OK || status == HISTREE_ERR_FORMAT || status == HISTREE_ERR_VERSION);
	REQUIRE(freed == (status != HISTREE_OK));
	if (status != HISTREE_OK)
		return 0;
	const struct histree_attributes *attributes = histree_history_attributes(history);
	REQUIRE(histree_history_info(history)->attribute_count == histree_attributes_count(attributes));
	for (histree_quark quark = 0; quark < histree_attributes_count(attributes) && quark < ENOUGH; quark++) {
		char path[256];
		histree_attributes_path(attributes, quark, path, sizeof(path));
		histree_attributes_is_folder(attributes, quark);
		histree_label_of(history, quark, &one);
	}
	histree_history_close(history);
	REQUIRE(freed == 1);
	return 0;
}
