// SPDX-License-Identifier: MIT
/*
 * call_labels.c - the names of functions as labels of a history: one table for all processes if they agree on
 * every address, else one for the threads of each.
 */
#include "analysis/ust/call_labels.h"

#include <inttypes.h>
#include <stdalign.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "histree/labels.h"
#include "state/labels.h"

/* The most bytes of a label besides its texts, and of all tables. */
enum { LABEL_BYTES = 40, BYTES_MAX = LABEL_SECTION_SIZE_MAX / 2 };

/* Functions with names, each of an address once. */
struct name_list {
	struct histree_label *labels;
	size_t count, capacity;
	struct id_map known; /* struct call_function by address */
	struct arena texts;
	size_t bytes; /* of the texts of labels */
	bool differ;  /* one address has two names */
	bool joins;   /* then they become one: "main or start" */
};

static bool has_name(const char *names, const char *name)
{
	static const char or [] = " or ";
	const size_t size = strlen(name);
	for (const char *end; names != NULL; names = end != NULL ? end + sizeof(or) - 1 : NULL) {
		end = strstr(names, or);
		if (strncmp(names, name, size) == 0 && names + size == (end != NULL ? end : names + strlen(names)))
			return true;
	}
	return false;
}

/* Two programs of one process have different functions at an address: the label says both. */
static bool join(struct name_list *list, struct histree_label *label, const char *name)
{
	char text[HISTREE_LABEL_TEXT_MAX + 1];
	if (!list->joins || has_name(label->style.name, name))
		return true;
	const int size = snprintf(text, sizeof(text), "%s or %s", label->style.name, name);
	if (size >= (int)sizeof(text))
		return true;
	list->bytes += (size_t)size;
	label->style.name = arena_copy(&list->texts, text, (size_t)size);
	return label->style.name != NULL;
}

static bool list_function(struct name_list *list, struct call_function *function)
{
	char text[32];
	const struct call_function *known = id_map_find(&list->known, function->address);
	if (function->name == NULL)
		return true;
	if (known != NULL) {
		const bool differs = strcmp(known->name, function->name) != 0;
		list->differ |= differs;
		return !differs || join(list, &list->labels[known->label], function->name);
	}
	/* What is too much for the labels of a history keeps its address. */
	list->bytes += LABEL_BYTES + 2 * strlen(function->key) + strlen(function->name);
	if (list->count == LABELS_MAX || list->bytes > BYTES_MAX)
		return true;
	const struct histree_value name = histree_string(function->name);
	const struct histree_style *style = histree_style_of(NULL, &name);
	int size = snprintf(text, sizeof(text), "0x%" PRIx64, function->address);
	const char *copy = arena_copy(&list->texts, text, (size_t)size);
	if (copy == NULL || !array_reserve(&list->labels, &list->capacity, list->count + 1) ||
	    !id_map_add(&list->known, function->address, function))
		return false;
	function->label = (uint32_t)list->count;
	/* A function has one colour everywhere: that of its name. */
	list->labels[list->count++] = (struct histree_label){
		.kind = HISTREE_LABEL_TEXT,
		.text = copy,
		.is_code = true,
		.style = { .key = function->key,
			   .name = function->name,
			   .light = style->light,
			   .dark = style->dark,
			   .height = style->height },
	};
	return true;
}

static bool list_functions(struct name_list *list, const struct id_map *functions)
{
	const struct id_entry *function;
	for (size_t i = 0; (function = id_map_next(functions, &i)) != NULL;)
		if (!list_function(list, function->record))
			return false;
	return true;
}

static bool list_space(struct name_list *list, const struct call_space *space)
{
	for (size_t i = 0; i < space->before_count; i++)
		if (!list_functions(list, &space->before[i]))
			return false;
	return list_functions(list, &space->functions);
}

static void release_list(struct name_list *list)
{
	free(list->labels);
	id_map_release(&list->known);
	arena_release(&list->texts);
	*list = (struct name_list){ 0 };
}

struct label_tables_made {
	struct histree_label_table tables[HISTREE_LABEL_TABLES_MAX];
	struct name_list lists[HISTREE_LABEL_TABLES_MAX];
	size_t count;
	struct arena patterns;
};

static const char table_name[] = "function";

/* "Threads/7/CallStack/..." for each thread of a space, or of all of them. */
static const char *const *patterns_of(struct label_tables_made *made, const struct call_owner *owners, size_t count,
				      const struct call_space *space)
{
	size_t used = 0;
	char text[64];
	const char **patterns =
		arena_allocate(&made->patterns, (count + 2) * sizeof(*patterns), alignof(const char *));
	if (patterns == NULL)
		return NULL;
	if (space == NULL)
		patterns[used++] = "Threads/*/CallStack/*";
	for (size_t i = 0; i < count && space != NULL && used < LABEL_PATTERNS_MAX; i++) {
		if (owners[i].space != space)
			continue;
		int size = snprintf(text, sizeof(text), "Threads/%" PRId32 "/CallStack/*", owners[i].tid);
		patterns[used] = arena_copy(&made->patterns, text, (size_t)size);
		if (patterns[used++] == NULL)
			return NULL;
	}
	patterns[used] = NULL;
	return patterns;
}

static bool add_table(struct label_tables_made *made, const struct call_owner *owners, size_t owner_count,
		      const struct call_space *space)
{
	const struct name_list *list = &made->lists[made->count];
	const char *const *patterns = patterns_of(made, owners, owner_count, space);
	if (patterns == NULL)
		return false;
	if (list->count > 0 && patterns[0] != NULL)
		made->tables[made->count++] = (struct histree_label_table){ .name = table_name,
									    .patterns = patterns,
									    .labels = list->labels,
									    .label_count = list->count,
									    .uses_palette = true };
	return true;
}

/* One table for all spaces if they agree; else one for each. */
static bool make_tables(const struct call_symbols *symbols, struct label_tables_made *made,
			const struct call_owner *owners, size_t owner_count)
{
	const struct id_entry *space;
	struct name_list *all = &made->lists[0];
	for (size_t at = 0; (space = id_map_next(&symbols->spaces, &at)) != NULL;)
		if (!list_space(all, space->record))
			return false;
	if (!all->differ)
		return add_table(made, owners, owner_count, NULL);
	release_list(all);
	size_t bytes = 0;
	for (size_t at = 0;
	     made->count < HISTREE_LABEL_TABLES_MAX && (space = id_map_next(&symbols->spaces, &at)) != NULL;) {
		release_list(&made->lists[made->count]);
		made->lists[made->count].bytes = bytes;
		made->lists[made->count].joins = true;
		if (!list_space(&made->lists[made->count], space->record) ||
		    !add_table(made, owners, owner_count, space->record))
			return false;
		bytes = made->lists[made->count > 0 ? made->count - 1 : 0].bytes;
	}
	return true;
}

enum histree_status call_labels_write(struct call_symbols *symbols, struct histree_state_system *system,
				      const struct call_owner *owners, size_t owner_count,
				      struct histree_error *error)
{
	if (!symbols->is_on)
		return HISTREE_OK;
	enum histree_status status = call_symbols_name_all(symbols, error);
	struct label_tables_made *made = calloc(1, sizeof(*made));
	if (status == HISTREE_OK && (made == NULL || !make_tables(symbols, made, owners, owner_count)))
		status = error_memory(error, "names of functions");
	if (status == HISTREE_OK && made->count > 0)
		status = histree_state_labels(system, made->tables, made->count, error);
	for (size_t i = 0; made != NULL && i < HISTREE_LABEL_TABLES_MAX; i++)
		release_list(&made->lists[i]);
	if (made != NULL)
		arena_release(&made->patterns);
	free(made);
	return status;
}
