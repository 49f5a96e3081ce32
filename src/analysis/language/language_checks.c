// SPDX-License-Identifier: MIT
/*
 * language_checks.c - what only the whole of an analysis shows.
 */
#include <stdio.h>
#include <string.h>

#include "analysis/language/language_tree.h"
#include "base/nearest.h"

struct checks {
	const struct language_source *source;
	struct language_tree *tree;
	enum histree_status status;
	struct histree_error *error;
};

static bool is_constant(const struct language_component *component)
{
	return component->name->kind == LANGUAGE_CONSTANT && component->name->type == LANGUAGE_STRING;
}

static bool may_be_same(const struct language_component *a, const struct language_component *b)
{
	return !is_constant(a) || !is_constant(b) || strcmp(a->name->constant.bytes, b->name->constant.bytes) == 0;
}

/* Whether an attribute of one path may be one of the other.  A deleted one changes what is below it. */
static bool may_meet(const struct language_path *set, const struct language_path *looked_at)
{
	const struct language_component *a = set->components, *b = looked_at->components;
	while (a != NULL && b != NULL && may_be_same(a, b)) {
		a = a->next;
		b = b->next;
	}
	/* The elements of a stack are attributes below it. */
	return a == NULL && (b == NULL || set->is_stack || set->is_deleted);
}

static bool is_set_somewhere(const struct checks *checks, const struct language_path *path)
{
	for (const struct language_path *set = checks->tree->paths; set != NULL; set = set->next)
		if (set->is_set && may_meet(set, path))
			return true;
	return false;
}

/* A state that nobody sets is a slip of the pen, and would be null for ever. */
static void check_look(struct checks *checks, const struct language_path *path)
{
	char text[200], other[200], nearest_text[200] = "";
	if (is_set_somewhere(checks, path))
		return;
	snprintf(text, sizeof(text), "%.*s", (int)path->size, checks->source->text + path->at);
	for (const struct language_path *set = checks->tree->paths; set != NULL; set = set->next) {
		snprintf(other, sizeof(other), "%.*s", (int)set->size, checks->source->text + set->at);
		struct nearest nearest = nearest_begin(text);
		nearest_offer(&nearest, other);
		if (set->is_set && nearest.word != NULL)
			memcpy(nearest_text, other, sizeof(other));
	}
	checks->status =
		language_refuse(checks->source, path->at, checks->error, "no line sets the state '%.60s'%s%.60s%s",
				text, nearest_text[0] != '\0' ? "; the nearest is '" : "", nearest_text,
				nearest_text[0] != '\0' ? "'" : "");
}

static void check_span(struct checks *checks, const struct language_span *span)
{
	if (!span->has_end)
		checks->status =
			language_refuse(checks->source, span->begin_at, checks->error,
					"the span '%.60s' begins and never ends; expected 'end %.60s(...)' "
					"in some line",
					span->name, span->name);
	else if (!span->has_begin)
		checks->status =
			language_refuse(checks->source, span->end_at, checks->error,
					"the span '%.60s' ends and never begins; expected 'begin %.60s(...)' "
					"in some line",
					span->name, span->name);
}

/* Two paths that are written alike are the same attributes. */
static bool is_written_alike(const struct checks *checks, const struct language_path *a,
			     const struct language_path *b)
{
	const char *text = checks->source->text;
	return a->size == b->size && memcmp(text + a->at, text + b->at, a->size) == 0;
}

static void check_type(struct checks *checks, const struct language_path *path)
{
	if (path->type <= LANGUAGE_NULL)
		return;
	for (const struct language_path *other = path->next; other != NULL; other = other->next) {
		if (!other->is_set || other->type <= LANGUAGE_NULL || other->type == path->type ||
		    !is_written_alike(checks, path, other))
			continue;
		checks->status =
			language_refuse(checks->source, path->at, checks->error,
					"this attribute is %s here, and %s in line %zu; an attribute has one type",
					language_type_text(path->type), language_type_text(other->type),
					language_place_of(checks->source, other->at).line);
		return;
	}
}

/* Changes say of what type their attributes are. */
static void note_types(struct language_statement *statement)
{
	for (; statement != NULL; statement = statement->next) {
		struct language_path *path = statement->path;
		switch (statement->kind) {
		case LANGUAGE_SET:
		case LANGUAGE_WAS:
			path->type = statement->value->type;
			break;
		case LANGUAGE_ADD:
			/* Null counts as 0, and what is added says of which type. */
			path->type = statement->value->type;
			break;
		case LANGUAGE_PUSH:
		case LANGUAGE_POP:
		case LANGUAGE_POP_ALL:
			path->is_stack = true;
			break;
		case LANGUAGE_IF:
			note_types(statement->then);
			note_types(statement->otherwise);
			break;
		default:
			break;
		}
	}
}

static void check_stack(struct checks *checks, const struct language_path *path)
{
	if (!path->is_stack)
		return;
	for (const struct language_path *other = checks->tree->paths; other != NULL; other = other->next) {
		if (other->is_set && !other->is_stack && !other->is_deleted &&
		    is_written_alike(checks, path, other)) {
			checks->status = language_refuse(checks->source, other->at, checks->error,
							 "this attribute is a stack in line %zu; its own state is "
							 "its depth",
							 language_place_of(checks->source, path->at).line);
			return;
		}
	}
}

enum histree_status language_check(const struct language_source *source, struct language_tree *tree,
				   struct histree_error *error)
{
	struct checks checks = { .source = source, .tree = tree, .error = error };
	for (struct language_handler *handler = tree->handlers; handler != NULL; handler = handler->next)
		note_types(handler->statements);
	for (const struct language_span *span = tree->spans; span != NULL && checks.status == HISTREE_OK;
	     span = span->next)
		check_span(&checks, span);
	for (const struct language_path *path = tree->paths; path != NULL && checks.status == HISTREE_OK;
	     path = path->next) {
		if (!path->is_set)
			check_look(&checks, path);
		else
			check_stack(&checks, path);
		if (path->is_set && checks.status == HISTREE_OK)
			check_type(&checks, path);
	}
	return checks.status;
}
