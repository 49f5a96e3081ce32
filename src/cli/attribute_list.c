// SPDX-License-Identifier: MIT
/*
 * attribute_list.c - attributes of a history with their paths, sorted by path as bytes, each once.
 */
#include "cli/attribute_list.h"

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/search.h"
#include "base/table.h"
#include "cli/report.h"
#include "histree/history.h"

/* ---- attribute list ------------------------------------------------------------------------------------------ */

struct matching {
	struct attribute_list *list;
	const struct histree_history *history;
	const struct histree_attributes *attributes;
	enum attribute_kinds kinds;
	size_t left_out; /* folders that match */
	bool no_memory;
};

static struct matching matching_of(struct attribute_list *list, const struct histree_history *history,
				   enum attribute_kinds kinds)
{
	return (struct matching){
		.list = list, .history = history, .attributes = histree_history_attributes(history), .kinds = kinds
	};
}

static char *path_of(struct attribute_list *list, const struct histree_attributes *attributes, histree_quark quark,
		     size_t *size)
{
	char short_path[256];
	*size = histree_attributes_path(attributes, quark, short_path, sizeof(short_path));
	if (*size < sizeof(short_path))
		return arena_copy(&list->paths, short_path, *size);
	char *path = arena_allocate(&list->paths, *size + 1, 1);
	if (path != NULL)
		histree_attributes_path(attributes, quark, path, *size + 1);
	return path;
}

static bool matching_add(void *context, histree_quark quark)
{
	struct matching *matching = context;
	struct attribute_list *list = matching->list;
	size_t size;
	if (matching->kinds == ATTRIBUTES_WITH_STATES &&
	    histree_attributes_is_folder(matching->attributes, quark)) {
		matching->left_out++;
		return true;
	}
	const char *path = path_of(list, matching->attributes, quark, &size);
	matching->no_memory = path == NULL || !array_reserve(&list->attributes, &list->capacity, list->count + 1);
	if (matching->no_memory)
		return false;
	list->attributes[list->count++] =
		(struct listed_attribute){ .path = path, .path_size = (uint32_t)size, .quark = quark };
	return true;
}

COMPARE(compare_paths, struct listed_attribute, BY_ORDER(bytes_order(a->path, a->path_size, b->path, b->path_size)))

/* Whether the list has the order that its header promises, and each attribute once. */
static bool is_ascending(const struct attribute_list *list)
{
	for (size_t i = 1; i < list->count; i++)
		if (compare_paths(&list->attributes[i - 1], &list->attributes[i]) >= 0)
			return false;
	return true;
}

/* Several patterns may name one attribute. */
static void sort_and_drop_doubles(struct attribute_list *list)
{
	if (list->count == 0)
		return;
	qsort(list->attributes, list->count, sizeof(*list->attributes), compare_paths);
	size_t kept = 1;
	for (size_t i = 1; i < list->count; i++)
		if (list->attributes[i].quark != list->attributes[kept - 1].quark)
			list->attributes[kept++] = list->attributes[i];
	list->count = kept;
	assert(is_ascending(list));
}

static bool stop(void *context, histree_quark quark)
{
	(void)context;
	(void)quark;
	return false;
}

/* Returns whether a pattern begins with a level that is not a host, as one for a single host does. */
static bool lacks_host(const struct matching *matching, const char *pattern)
{
	size_t count;
	histree_history_hosts(matching->history, &count);
	const char *end = pattern;
	while (*end != '\0' && *end != '/')
		end += *end == '\\' && end[1] != '\0' ? 2 : 1;
	char *first = count > 0 ? strndup(pattern, (size_t)(end - pattern)) : NULL;
	struct histree_error error;
	bool is_none = first != NULL && histree_attributes_match(matching->attributes, HISTREE_ROOT, first, stop,
								 NULL, &error) == HISTREE_NOT_FOUND;
	free(first);
	return is_none;
}

static enum cli_exit match_one(struct matching *matching, const char *pattern)
{
	struct histree_error error = { 0 };
	size_t before = matching->list->count, left_out = matching->left_out;
	enum histree_status status = histree_attributes_match(matching->attributes, HISTREE_ROOT, pattern,
							      matching_add, matching, &error);
	if ((status == HISTREE_OK || status == HISTREE_NOT_FOUND) &&
	    histree_history_match_missing(matching->history, pattern, matching_add, matching) > 0)
		status = HISTREE_OK;
	if (matching->no_memory)
		return report_no_memory();
	if (status == HISTREE_OK && matching->list->count == before && matching->left_out > left_out)
		return report_exit(CLI_NOTHING,
				   "'%s' is a folder, which has no states; '%s/*' stands for what is in it",
				   pattern, pattern);
	if (status == HISTREE_NOT_FOUND && lacks_host(matching, pattern))
		return report_exit(CLI_NOTHING,
				   "%s; with several hosts, paths begin with a host: '*/%s' asks all of them",
				   error.message, pattern);
	return status == HISTREE_OK ? CLI_OK : report_error(&error);
}

enum cli_exit attribute_list_match(struct attribute_list *list, const struct histree_history *history,
				   char *const *patterns, size_t pattern_count, enum attribute_kinds kinds)
{
	struct matching matching = matching_of(list, history, kinds);
	enum cli_exit code = CLI_OK;
	for (size_t i = 0; i < pattern_count; i++) {
		enum cli_exit one = match_one(&matching, patterns[i]);
		if (one > CLI_NOTHING) {
			attribute_list_release(list);
			return one;
		}
		if (one != CLI_OK)
			code = one;
	}
	uint32_t count = pattern_count > 0 ? 0 : histree_attributes_count(matching.attributes);
	for (histree_quark quark = 0; quark < count; quark++) {
		if (!matching_add(&matching, quark)) {
			attribute_list_release(list);
			return report_no_memory();
		}
	}
	sort_and_drop_doubles(list);
	return code;
}

enum cli_exit attribute_list_search(struct attribute_list *list, const struct histree_history *history,
				    char *const *patterns, size_t pattern_count, const char *expression,
				    bool all_levels)
{
	struct matching matching = matching_of(list, history, ALL_ATTRIBUTES);
	struct attribute_list below = { 0 };
	struct histree_error error = { 0 };
	enum cli_exit code =
		pattern_count == 0 ? CLI_OK
				   : attribute_list_match(&below, history, patterns, pattern_count, ALL_ATTRIBUTES);
	size_t count = pattern_count == 0 ? 1 : below.count;
	enum histree_status status = HISTREE_OK;
	for (size_t i = 0; i < count && (status == HISTREE_OK || status == HISTREE_NOT_FOUND); i++) {
		histree_quark from = pattern_count == 0 ? HISTREE_ROOT : below.attributes[i].quark;
		status = histree_attributes_search(matching.attributes, from, expression, all_levels, matching_add,
						   &matching, &error);
	}
	attribute_list_release(&below);
	if (matching.no_memory)
		code = report_no_memory();
	else if (status < 0)
		code = report_exit(CLI_USAGE, "'--name': %s", error.message);
	else if (code == CLI_OK && list->count == 0)
		code = report_exit(CLI_NOTHING, "no attribute is called '%s'", expression);
	if (code > CLI_NOTHING)
		attribute_list_release(list);
	else
		sort_and_drop_doubles(list);
	return code;
}

static int compare_places(const void *one, const void *other, void *context)
{
	const uint32_t *places = context;
	const struct listed_attribute *a = one, *b = other;
	return (places[a->quark] > places[b->quark]) - (places[a->quark] < places[b->quark]);
}

bool attribute_list_sort_by_tree(struct attribute_list *list, const struct histree_attributes *attributes)
{
	uint32_t count = histree_attributes_count(attributes), place = 0;
	uint32_t *places = calloc((size_t)count + 1, sizeof(*places));
	if (places == NULL)
		return false;
	histree_quark quark = HISTREE_ROOT;
	while ((quark = histree_attributes_next_below(attributes, HISTREE_ROOT, quark)) != HISTREE_ROOT)
		places[quark] = place++;
	qsort_r(list->attributes, list->count, sizeof(*list->attributes), compare_places, places);
	free(places);
	return true;
}

void attribute_list_keep(struct attribute_list *list, const histree_quark *quarks, size_t count)
{
	size_t kept = 0;
	for (size_t i = 0; i < list->count && count > 0; i++)
		if (bsearch(&list->attributes[i].quark, quarks, count, sizeof(*quarks), compare_u32) != NULL)
			list->attributes[kept++] = list->attributes[i];
	list->count = kept;
}

unsigned attribute_list_width(const struct attribute_list *list, unsigned max)
{
	uint32_t width = 0;
	for (size_t i = 0; i < list->count; i++)
		if (list->attributes[i].path_size > width)
			width = list->attributes[i].path_size;
	return width < max ? width : max;
}

void attribute_list_release(struct attribute_list *list)
{
	arena_release(&list->paths);
	free(list->attributes);
	*list = (struct attribute_list){ 0 };
}

/* ---- name list ----------------------------------------------------------------------------------------------- */

void name_list_add(char *names, size_t size, const char *name)
{
	size_t length = strlen(names);
	snprintf(names + length, size - length, "%s%s", length > 0 ? ", " : "", name);
}
