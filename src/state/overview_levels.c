// SPDX-License-Identifier: MIT
#include "state/overview_levels.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/error.h"
#include "base/search.h"
#include "state/attributes.h"

static enum histree_status add_entry(struct overview_level *level, struct level_entry entry,
				     struct histree_error *error)
{
	if (!array_reserve(&level->entries, &level->capacity, level->count + 1))
		return error_memory(error, "an overview");
	level->entries[level->count++] = entry;
	return HISTREE_OK;
}

/* Attribute L of the root begins a level, and those of L are its children until the next one begins. */
enum histree_status overview_levels_read(struct histree_history *overview, uint32_t attribute_count,
					 struct overview_level *levels, uint32_t levels_max, uint32_t *level_count,
					 struct histree_error *error)
{
	const struct histree_attributes *attributes = histree_history_attributes(overview);
	const struct attribute_source *source = attributes->source;
	struct attribute_range near = { 0 };
	histree_quark level_own = HISTREE_ROOT;
	*level_count = 0;
	enum histree_status status = HISTREE_OK;
	for (histree_quark own = 0; own < attributes->count && status == HISTREE_OK; own++) {
		struct attribute_name name = source->name(attributes, own, &near);
		histree_quark parent = source->parent(attributes, own, &near);
		bool begins =
			parent == HISTREE_ROOT && *level_count < levels_max && name.number == *level_count + 1;
		struct overview_level *level = *level_count > 0 ? &levels[*level_count - 1] : NULL;
		bool goes_on = parent != HISTREE_ROOT && parent == level_own && name.number < attribute_count &&
			       (level->count == 0 || name.number > level->entries[level->count - 1].quark);
		if (name.text != NULL || !(begins || goes_on))
			return error_set(error, HISTREE_ERR_FORMAT,
					 "attribute %" PRIu32 " is not one of an overview with levels", own);
		if (begins) {
			level_own = own;
			(*level_count)++;
		} else {
			status = add_entry(level, (struct level_entry){ name.number, own }, error);
		}
	}
	return status;
}

void overview_levels_release(struct overview_level *levels, uint32_t level_count)
{
	for (uint32_t i = 0; i < level_count; i++)
		free(levels[i].entries);
}

/* ---- finding --------------------------------------------------------------------------------------------- */

struct sought {
	const struct level_entry *entries;
	histree_quark quark;
};

static bool is_before(const void *context, size_t index)
{
	const struct sought *sought = context;
	return sought->entries[index].quark < sought->quark;
}

const struct level_entry *overview_level_find(const struct overview_level *level, histree_quark quark)
{
	const struct sought sought = { level->entries, quark };
	size_t at = search_first(0, level->count, level->count / 2, is_before, &sought);
	return at < level->count && level->entries[at].quark == quark ? &level->entries[at] : NULL;
}
