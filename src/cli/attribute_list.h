/* SPDX-License-Identifier: MIT */
/*
 * attribute_list.h - some attributes of a history with their paths, sorted by path as bytes.
 *
 * The paths are held in memory: about 16 bytes an attribute, and its text.
 *
 * It also formats names for a message, such as "A, B, C", as many as there is room for.
 */
#ifndef CLI_ATTRIBUTE_LIST_H
#define CLI_ATTRIBUTE_LIST_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "cli/report.h"
#include "histree/history.h"

struct listed_attribute {
	const char *path; /* escaped */
	uint32_t path_size;
	histree_quark quark;
};

/* A zeroed one is empty. */
struct attribute_list {
	struct listed_attribute *attributes;
	size_t count, capacity;
	struct arena paths;
};

enum attribute_kinds { ALL_ATTRIBUTES, ATTRIBUTES_WITH_STATES /* no folders */ };

/*
 * Lists all attributes that the patterns match, each once; without patterns, all attributes.  If a pattern matches
 * none, or only folders where states are wanted, that is reported on standard error, the others are listed, and the
 * result is CLI_NOTHING.  After any other failure the list is empty.
 *
 * A pattern for attributes of a missing host matches the folder of the host, which is unknown.
 */
enum cli_exit attribute_list_match(struct attribute_list *list, const struct histree_history *history,
				   char *const *patterns, size_t pattern_count, enum attribute_kinds kinds);

/*
 * Lists the attributes below those that the patterns match, or below the root without patterns, whose names match a
 * regular expression (histree_attributes_search()).  The rest is as above.
 */
enum cli_exit attribute_list_search(struct attribute_list *list, const struct histree_history *history,
				    char *const *patterns, size_t pattern_count, const char *expression,
				    bool all_levels);

/* Sorts them by the tree instead: what is below a parent comes behind it, in the order in which it was made. */
bool attribute_list_sort_by_tree(struct attribute_list *list, const struct histree_attributes *attributes);

/* Drops all attributes but these, which are ascending. */
void attribute_list_keep(struct attribute_list *list, const histree_quark *quarks, size_t count);

/* Returns the length of the longest path, or `max` if that is less: for the width of a column. */
unsigned attribute_list_width(const struct attribute_list *list, unsigned max);
void attribute_list_release(struct attribute_list *list);

/* Adds a name to a text, which is empty before the first one. */
void name_list_add(char *names, size_t size, const char *name);

#endif
