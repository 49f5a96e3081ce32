// SPDX-License-Identifier: MIT
/*
 * attribute_match.c - the attributes that patterns of paths match, and those whose names match a regular
 * expression.
 *
 * A pattern is a list of components, each of which turns a set of attributes into another one: their children with
 * a matching name, their parents (..), or everything below them (**).  So the work is at most one visit of each
 * attribute per component, whatever the pattern, plus the matching of names, which is at most the size of the
 * component times that of the name.
 *
 * Up to the first ** all attributes of the set are equally deep.  They are kept as a list in the order of the
 * walk, and a step costs what it visits: all children of Threads/42 are found without a visit to the other
 * threads.  From ** on the set is a bitmap over all attributes; parents come before children, so a step is one
 * loop over it.
 */
#include "state/attribute_match.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/pattern.h"
#include "base/table.h"
#include "state/attributes.h"

/* ---- attribute pattern --------------------------------------------------------------------------------------- */

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

/* Returns whether the attribute `level` levels below the top has a name that matches the component. */
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
 * Works like stars within a component: on a mismatch the latest ** takes one level more, and earlier ones need no
 * second try.
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

/* ---- attribute match ----------------------------------------------------------------------------------------- */

struct search {
	const struct histree_attributes *attributes;
	struct attribute_range near; /* where the last look was */
	/* The list: the set, and what it becomes. */
	histree_quark *now, *next;
	size_t now_count, next_count, now_capacity, next_capacity;
	/* The bitmap: bit quark + 1, so that the root is bit 0. */
	uint64_t *marks, *next_marks;
	size_t mark_words;
};

/* ---- names --------------------------------------------------------------------------------------------- */

static bool names_attribute(struct search *search, const struct path_component *component, histree_quark quark)
{
	struct attribute_name name = search->attributes->source->name(search->attributes, quark, &search->near);
	char room[ATTRIBUTE_NUMBER_SIZE];
	size_t size;
	const char *text = attribute_name_text(&name, room, &size);
	return pattern_component_matches(component, text, size);
}

static histree_quark parent_of(struct search *search, histree_quark quark)
{
	return search->attributes->source->parent(search->attributes, quark, &search->near);
}

static histree_quark first_below(struct search *search, histree_quark quark)
{
	return search->attributes->source->first_child(search->attributes, quark, &search->near);
}

static histree_quark next_sibling(struct search *search, histree_quark quark)
{
	return search->attributes->source->next_sibling(search->attributes, quark, &search->near);
}

/* ---- the list --------------------------------------------------------------------------------------- */

static enum histree_status list_add(struct search *search, histree_quark quark, struct histree_error *error)
{
	if (!array_reserve(&search->next, &search->next_capacity, search->next_count + 1))
		return error_memory(error, "the attributes that a pattern names");
	search->next[search->next_count++] = quark;
	return HISTREE_OK;
}

static enum histree_status list_children(struct search *search, histree_quark parent,
					 const struct path_component *component, struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	histree_quark child;
	if (!component->escaped && !pattern_has_star(component)) {
		status = histree_attributes_child(search->attributes, parent, component->text, component->size,
						  &child);
		return status == HISTREE_OK ? list_add(search, child, error) : HISTREE_OK;
	}
	for (child = first_below(search, parent); child != HISTREE_ROOT && status == HISTREE_OK;
	     child = next_sibling(search, child))
		if (names_attribute(search, component, child))
			status = list_add(search, child, error);
	return status;
}

/* Siblings are side by side in the list, so that a parent met twice was met just before. */
static enum histree_status list_parent(struct search *search, histree_quark quark, struct histree_error *error)
{
	if (quark == HISTREE_ROOT)
		return HISTREE_OK;
	histree_quark parent = parent_of(search, quark);
	if (search->next_count > 0 && search->next[search->next_count - 1] == parent)
		return HISTREE_OK;
	return list_add(search, parent, error);
}

/* What was found becomes the set. */
static void list_turn(struct search *search)
{
	histree_quark *list = search->now;
	size_t capacity = search->now_capacity;
	search->now = search->next;
	search->now_capacity = search->next_capacity;
	search->now_count = search->next_count;
	search->next = list;
	search->next_capacity = capacity;
	search->next_count = 0;
}

static bool list_report(const struct search *search, bool (*found)(void *context, histree_quark quark),
			void *context)
{
	bool any = false;
	for (size_t at = 0; at < search->now_count; at++) {
		if (search->now[at] == HISTREE_ROOT)
			continue;
		any = true;
		if (!found(context, search->now[at]))
			break;
	}
	return any;
}

/* ---- the bitmap ------------------------------------------------------------------------------------ */

static bool marked(const uint64_t *marks, histree_quark quark)
{
	uint32_t bit = quark + 1;
	return (marks[bit / 64] >> bit % 64 & 1) != 0;
}

static void mark(uint64_t *marks, histree_quark quark)
{
	uint32_t bit = quark + 1;
	marks[bit / 64] |= UINT64_C(1) << bit % 64;
}

static enum histree_status marks_begin(struct search *search, struct histree_error *error)
{
	search->mark_words = search->attributes->count / 64 + 1;
	search->marks = calloc(search->mark_words, sizeof(*search->marks));
	search->next_marks = calloc(search->mark_words, sizeof(*search->next_marks));
	if (search->marks == NULL || search->next_marks == NULL)
		return error_memory(error, "the attributes that a pattern names");
	for (size_t at = 0; at < search->now_count; at++)
		mark(search->marks, search->now[at]);
	return HISTREE_OK;
}

/* The attribute after `quark` in the walk from the root, leaving out what is below it. */
static histree_quark next_outside(struct search *search, histree_quark quark)
{
	histree_quark sibling = HISTREE_ROOT;
	for (; quark != HISTREE_ROOT && sibling == HISTREE_ROOT; quark = parent_of(search, quark))
		sibling = next_sibling(search, quark);
	return sibling;
}

/* In the order of the walk, without entering branches that hold nothing. */
static bool marks_report(struct search *search, bool (*found)(void *context, histree_quark quark), void *context)
{
	uint64_t *below = search->next_marks; /* marked, or something below it is */
	bool any = false;
	memcpy(below, search->marks, search->mark_words * sizeof(*below));
	for (histree_quark quark = search->attributes->count; quark-- > 0;)
		if (marked(below, quark))
			mark(below, parent_of(search, quark));

	histree_quark quark = first_below(search, HISTREE_ROOT);
	while (quark != HISTREE_ROOT) {
		if (marked(search->marks, quark)) {
			any = true;
			if (!found(context, quark))
				break;
		}
		quark = marked(below, quark)
				? attributes_next(search->attributes, HISTREE_ROOT, quark, &search->near)
				: next_outside(search, quark);
	}
	return any;
}

/* ---- the search --------------------------------------------------------------------------------------- */

static enum histree_status search_step(struct search *search, const struct path_component *component,
				       struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	if (search->marks == NULL && !pattern_is_any_depth(component)) {
		status = HISTREE_OK;
		for (size_t at = 0; at < search->now_count && status == HISTREE_OK; at++)
			status = pattern_is_up(component)
					 ? list_parent(search, search->now[at], error)
					 : list_children(search, search->now[at], component, error);
		list_turn(search);
		return status;
	}
	if (search->marks == NULL)
		status = marks_begin(search, error);
	if (status == HISTREE_OK && pattern_is_any_depth(component)) {
		/* The children's marks come from their parents', which are known by then. */
		for (histree_quark quark = 0; quark < search->attributes->count; quark++)
			if (marked(search->marks, parent_of(search, quark)))
				mark(search->marks, quark);
	} else if (status == HISTREE_OK) {
		uint64_t *next = search->next_marks;
		bool up = pattern_is_up(component);
		memset(next, 0, search->mark_words * sizeof(*next));
		for (histree_quark quark = 0; quark < search->attributes->count; quark++) {
			histree_quark parent = parent_of(search, quark);
			if (up && marked(search->marks, quark))
				mark(next, parent);
			else if (!up && marked(search->marks, parent) && names_attribute(search, component, quark))
				mark(next, quark);
		}
		search->next_marks = search->marks;
		search->marks = next;
	}
	return status;
}

enum histree_status histree_attributes_match(const struct histree_attributes *attributes, histree_quark from,
					     const char *pattern, bool (*found)(void *context, histree_quark quark),
					     void *context, struct histree_error *error)
{
	struct search search = { .attributes = attributes };
	struct path_component component;
	enum histree_status status = pattern_check(pattern, error);
	if (status == HISTREE_OK && from != HISTREE_ROOT)
		status = attributes_check(attributes, from, error);
	if (status == HISTREE_OK)
		status = list_add(&search, from, error);
	list_turn(&search);
	for (const char *rest = pattern; status == HISTREE_OK && path_cut(&rest, &component);)
		status = search_step(&search, &component, error);

	if (status == HISTREE_OK) {
		bool any = search.marks != NULL ? marks_report(&search, found, context)
						: list_report(&search, found, context);
		if (!any)
			status = error_set(error, HISTREE_NOT_FOUND, "no attribute matches '%.200s'", pattern);
	}
	free(search.now);
	free(search.next);
	free(search.marks);
	free(search.next_marks);
	return status;
}

/* ---- attribute search ---------------------------------------------------------------------------------------- */

static bool name_matches(const struct histree_attributes *attributes, histree_quark quark,
			 const struct pattern *pattern, struct attribute_range *near)
{
	char room[ATTRIBUTE_NUMBER_SIZE];
	size_t size;
	struct attribute_name name = attributes->source->name(attributes, quark, near);
	const char *text = attribute_name_text(&name, room, &size);
	return pattern_find(pattern, text, size);
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
		/* In a walk of all levels, or of the children alone. */
		quark = all_levels ? attributes_next(attributes, from, quark, &walk)
				   : attributes->source->next_sibling(attributes, quark, &walk);
	}
	pattern_free(pattern);
	return any ? HISTREE_OK
		   : error_set(error, HISTREE_NOT_FOUND, "no attribute has a name that matches '%.200s'",
			       expression);
}
