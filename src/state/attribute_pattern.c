// SPDX-License-Identifier: MIT
#include "state/attribute_pattern.h"

#include <string.h>

#include "base/error.h"

/* ---- components ----------------------------------------------------------------------------------- */

bool pattern_is_up(const struct path_component *component)
{
	return component->size == 2 && memcmp(component->text, "..", 2) == 0;
}

bool pattern_is_any_depth(const struct path_component *component)
{
	return component->size == 2 && memcmp(component->text, "**", 2) == 0;
}

bool pattern_has_star(const struct path_component *component)
{
	return memchr(component->text, '*', component->size) != NULL;
}

enum histree_status pattern_check(const char *pattern, struct histree_error *error)
{
	struct path_component component;
	for (const char *rest = pattern; path_cut(&rest, &component);) {
		if (component.size == 0)
			return error_set(error, HISTREE_ERR_ARGUMENT,
					 "the pattern '%.200s' has an empty component; '*' matches any one",
					 pattern);
		/* A backslash that escapes nothing is the last character of all. */
		const char *end = component.text + component.size;
		size_t backslashes = 0;
		while (backslashes < component.size && end[-1 - (ptrdiff_t)backslashes] == '\\')
			backslashes++;
		if (rest == NULL && backslashes % 2 == 1)
			return error_set(error, HISTREE_ERR_ARGUMENT,
					 "the pattern '%.200s' ends in a stray backslash; write '\\\\'", pattern);
	}
	return HISTREE_OK;
}

/*
 * Whether a component names `name`.  On a mismatch the latest star takes one character more; earlier ones
 * need no second try, because what follows them was found as far left as it can be.
 */
bool pattern_component_matches(const struct path_component *component, const char *name, size_t name_size)
{
	const char *at = component->text;
	const char *end = at + component->size;
	const char *name_end = name + name_size;
	const char *star = NULL;
	const char *star_name = NULL;
	while (name < name_end || at < end) {
		if (at < end && *at == '*') {
			star = ++at;
			star_name = name;
			continue;
		}
		if (at < end && name < name_end) {
			const char *literal = *at == '\\' ? at + 1 : at;
			if (*literal == *name) {
				at = literal + 1;
				name++;
				continue;
			}
		}
		if (star == NULL || star_name == name_end)
			return false;
		at = star;
		name = ++star_name;
	}
	return true;
}

/* ---- one attribute ----------------------------------------------------------------------------------- */

/* Whether the attribute so many levels below the top has a name that the component matches. */
static bool is_named(struct attribute_way *way, size_t level, const struct path_component *component)
{
	if (component->size == 1 && component->text[0] == '*')
		return true;
	struct attribute_name name =
		way->attributes->source->name(way->attributes, way->quarks[way->count - 1 - level], &way->near);
	char room[ATTRIBUTE_NUMBER_SIZE];
	size_t size;
	const char *text = attribute_name_text(&name, room, &size);
	return pattern_component_matches(component, text, size);
}

/*
 * As stars within a component: on a mismatch the latest ** takes one level more, and earlier ones need no second
 * try.
 */
bool attribute_way_matches(struct attribute_way *way, const char *pattern)
{
	const char *rest = pattern, *after_star = NULL;
	size_t level = 0, star_level = 0;
	bool has_star = false;
	for (;;) {
		struct path_component component;
		const char *next = rest;
		bool more = path_cut(&next, &component);
		if (more && pattern_is_any_depth(&component)) {
			rest = after_star = next;
			has_star = true;
			star_level = level;
			continue;
		}
		if (!more && level == way->count)
			return true;
		if (more && level < way->count && is_named(way, level, &component)) {
			rest = next;
			level++;
			continue;
		}
		if (!has_star || star_level == way->count)
			return false;
		level = ++star_level;
		rest = after_star;
	}
}

bool attribute_way_find(struct attribute_way *way, const struct histree_attributes *attributes, histree_quark quark)
{
	*way = (struct attribute_way){ .attributes = attributes };
	for (; quark != HISTREE_ROOT; quark = attributes->source->parent(attributes, quark, &way->near)) {
		if (way->count == ATTRIBUTE_WAY_MAX || quark >= attributes->count)
			return false;
		way->quarks[way->count++] = quark;
	}
	return true;
}
