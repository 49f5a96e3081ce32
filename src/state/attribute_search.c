// SPDX-License-Identifier: MIT
/*
 * attribute_search.c - the attributes below another whose names match a regular expression.
 */
#include "base/error.h"
#include "base/pattern.h"
#include "state/attributes.h"

static bool name_matches(const struct histree_attributes *attributes, histree_quark quark,
			 const struct pattern *pattern, struct attribute_range *near)
{
	char room[ATTRIBUTE_NUMBER_SIZE];
	size_t size;
	struct attribute_name name = attributes->source->name(attributes, quark, near);
	const char *text = attribute_name_text(&name, room, &size);
	return pattern_find(pattern, text, size);
}

/* In a walk of all levels, or of the children alone. */
static histree_quark next_below(const struct histree_attributes *attributes, histree_quark from,
				histree_quark quark, bool all_levels, struct attribute_range *near)
{
	return all_levels ? attributes_next(attributes, from, quark, near)
			  : attributes->source->next_sibling(attributes, quark, near);
}

enum histree_status histree_attributes_search(const struct histree_attributes *attributes, histree_quark from,
					      const char *expression, bool all_levels,
					      bool (*found)(void *context, histree_quark quark), void *context,
					      struct histree_error *error)
{
	struct pattern *pattern = NULL;
	enum histree_status status = HISTREE_OK;
	if (from != HISTREE_ROOT)
		status = attributes_check(attributes, from, error);
	if (status == HISTREE_OK)
		status = pattern_create(expression, &pattern, error);
	if (status != HISTREE_OK)
		return status;
	struct attribute_range walk = { 0 }, look = { 0 };
	bool any = false, goes_on = true;
	histree_quark quark = attributes->source->first_child(attributes, from, &walk);
	while (goes_on && quark != HISTREE_ROOT) {
		if (name_matches(attributes, quark, pattern, &look)) {
			any = true;
			goes_on = found(context, quark);
		}
		quark = next_below(attributes, from, quark, all_levels, &walk);
	}
	pattern_free(pattern);
	return any ? HISTREE_OK
		   : error_set(error, HISTREE_NOT_FOUND, "no attribute has a name that matches '%.200s'",
			       expression);
}
