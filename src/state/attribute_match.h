/* SPDX-License-Identifier: MIT */
/*
 * attribute_match.h - the attributes that patterns of paths match.
 *
 * Patterns of attributes (histree_attributes_match()): their components, and whether one
 * names an attribute.
 */
#ifndef STATE_ATTRIBUTE_MATCH_H
#define STATE_ATTRIBUTE_MATCH_H

#include "state/attributes.h"

/* Returns HISTREE_ERR_ARGUMENT if the text is no pattern. */
enum histree_status pattern_check(const char *pattern, struct histree_error *error);
bool pattern_is_up(const struct path_component *component);
bool pattern_is_any_depth(const struct path_component *component);
bool pattern_has_star(const struct path_component *component);

/* Returns whether a component, which is neither `..` nor `**`, names `name`. */
bool pattern_component_matches(const struct path_component *component, const char *name, size_t name_size);

/* What lies deeper is on no way. */
enum { ATTRIBUTE_WAY_MAX = 64 };

/* The attributes from one up to the top, for a few patterns to be held against. */
struct attribute_way {
	const struct histree_attributes *attributes;
	struct attribute_range near;
	histree_quark quarks[ATTRIBUTE_WAY_MAX]; /* the lowest first */
	size_t count;
};

/* Returns false if it is deeper than that. */
bool attribute_way_find(struct attribute_way *way, const struct histree_attributes *attributes,
			histree_quark quark);

/* Returns whether a pattern without `..` names the attribute at the end of the way. */
bool attribute_way_matches(struct attribute_way *way, const char *pattern);

#endif
