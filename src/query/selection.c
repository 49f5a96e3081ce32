// SPDX-License-Identifier: MIT
/*
 * selection.c - the attributes and times with which a question can be concerned.  A selection may be too large, but
 * is never too small.
 */
#include "histree/states.h"

#include <assert.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/search.h"
#include "base/table.h"

static const struct histree_attributes *attributes_of(const struct histree_selection *selection)
{
	return histree_history_attributes(selection->history);
}

void histree_selection_begin(struct histree_selection *selection, struct histree_history *history)
{
	*selection = (struct histree_selection){ .history = history, .path_quark = HISTREE_ROOT };
	histree_selection_all(selection);
}

void histree_selection_release(struct histree_selection *selection)
{
	free(selection->quarks);
	free(selection->path);
	*selection = (struct histree_selection){ 0 };
}

void histree_selection_all(struct histree_selection *selection)
{
	selection->window = HISTREE_WINDOW_ALL;
	selection->has_all = true;
	selection->count = 0;
}

void histree_selection_none(struct histree_selection *selection)
{
	selection->has_all = false;
	selection->count = 0;
}

/* ---- attributes ----------------------------------------------------------------------------------------- */

enum histree_status histree_selection_add_quark(struct histree_selection *selection, uint64_t quark,
						struct histree_error *error)
{
	if (quark >= histree_attributes_count(attributes_of(selection)))
		return HISTREE_OK;
	if (!array_reserve(&selection->quarks, &selection->capacity, selection->count + 1))
		return error_memory(error, "a list of attributes");
	selection->quarks[selection->count++] = (histree_quark)quark;
	return HISTREE_OK;
}

enum histree_status histree_selection_add_path(struct histree_selection *selection, const char *path,
					       struct histree_error *error)
{
	histree_quark quark;
	if (histree_attributes_find(attributes_of(selection), HISTREE_ROOT, path, &quark) != HISTREE_OK)
		return HISTREE_OK;
	return histree_selection_add_quark(selection, quark, error);
}

struct gathering {
	struct histree_selection *selection;
	enum histree_status status;
	struct histree_error *error;
};

static bool gather(void *context, histree_quark quark)
{
	struct gathering *gathering = context;
	gathering->status = histree_selection_add_quark(gathering->selection, quark, gathering->error);
	return gathering->status == HISTREE_OK;
}

enum histree_status histree_selection_add_pattern(struct histree_selection *selection, const char *pattern,
						  struct histree_error *error)
{
	struct gathering gathering = { .selection = selection, .error = error };
	enum histree_status status = histree_attributes_match(attributes_of(selection), HISTREE_ROOT, pattern,
							      gather, &gathering, error);
	if (gathering.status != HISTREE_OK)
		return gathering.status;
	return status == HISTREE_NOT_FOUND ? HISTREE_OK : status;
}

enum histree_status histree_selection_add_wanted(struct histree_selection *selection, histree_quark top,
						 histree_wanted *wanted, void *context, struct histree_error *error)
{
	const struct histree_attributes *attributes = attributes_of(selection);
	enum histree_status status = HISTREE_OK;
	for (histree_quark quark = histree_attributes_next_below(attributes, top, top);
	     status == HISTREE_OK && quark != HISTREE_ROOT;
	     quark = histree_attributes_next_below(attributes, top, quark)) {
		size_t size;
		const char *path = histree_selection_path(selection, quark, &size);
		if (path == NULL)
			status = error_memory(error, "a path");
		else if (wanted(context, quark, path, size))
			status = histree_selection_add_quark(selection, quark, error);
	}
	return status;
}

enum histree_status histree_selection_keep_wanted(struct histree_selection *selection, histree_wanted *wanted,
						  void *context, struct histree_error *error)
{
	size_t kept = 0;
	if (selection->has_all) {
		histree_selection_none(selection);
		return histree_selection_add_wanted(selection, HISTREE_ROOT, wanted, context, error);
	}
	for (size_t i = 0; i < selection->count; i++) {
		size_t size;
		const char *path = histree_selection_path(selection, selection->quarks[i], &size);
		if (path == NULL)
			return error_memory(error, "a path");
		if (wanted(context, selection->quarks[i], path, size))
			selection->quarks[kept++] = selection->quarks[i];
	}
	assert(kept <= selection->count);
	selection->count = kept;
	return HISTREE_OK;
}

const char *histree_selection_path(struct histree_selection *selection, histree_quark quark, size_t *size)
{
	const struct histree_attributes *attributes = attributes_of(selection);
	if (quark != selection->path_quark || selection->path == NULL) {
		selection->path_quark = HISTREE_ROOT;
		selection->path_size =
			histree_attributes_path(attributes, quark, selection->path, selection->path_capacity);
		if (selection->path_size >= selection->path_capacity) {
			if (!array_reserve(&selection->path, &selection->path_capacity, selection->path_size + 1))
				return NULL;
			histree_attributes_path(attributes, quark, selection->path, selection->path_capacity);
		}
		selection->path_quark = quark;
	}
	assert(selection->path_size < selection->path_capacity);
	*size = selection->path_size;
	return selection->path;
}

/* ---- the region ----------------------------------------------------------------------------------------- */

void histree_selection_sort(struct histree_selection *selection)
{
	size_t kept = 0;
	bool is_ascending = true; /* as most ways to select give them */
	for (size_t i = 1; i < selection->count && is_ascending; i++)
		is_ascending = selection->quarks[i - 1] < selection->quarks[i];
	if (is_ascending)
		return;
	qsort(selection->quarks, selection->count, sizeof(*selection->quarks), compare_u32);
	for (size_t i = 0; i < selection->count; i++)
		if (i == 0 || selection->quarks[i] != selection->quarks[kept - 1])
			selection->quarks[kept++] = selection->quarks[i];
	selection->count = kept;
}

bool histree_selection_region(struct histree_selection *selection, struct histree_region *out)
{
	const struct histree_history_info *info = histree_history_info(selection->history);
	struct histree_window window = selection->window;
	if (!histree_window_fit(&window, info->start, info->end) || (!selection->has_all && selection->count == 0))
		return false;
	if (!selection->has_all)
		histree_selection_sort(selection);
	*out = (struct histree_region){
		.quarks = selection->has_all ? NULL : selection->quarks,
		.quark_count = selection->has_all ? 0 : selection->count,
		.from = window.from,
		.to = window.to,
	};
	return true;
}
