// SPDX-License-Identifier: MIT
/*
 * language.c - reads an analysis in the language of histree (histree-analysis(5)): its name, what it needs, its
 * statements, labels and charts.
 */
#include "analysis/language/language.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/language/language_tree.h"
#include "base/error.h"

enum { EXPECTED_MAX = 200 }; /* names of events, and of fields, that a trace is held against */

/* The name of the file without its folder and suffix; "" if memory is out. */
static const char *name_of_file(const char *path, struct arena *arena)
{
	const char *slash = strrchr(path, '/'), *name = slash != NULL ? slash + 1 : path;
	size_t size = strlen(name), suffix = sizeof(LANGUAGE_SUFFIX) - 1;
	if (size > suffix && strcmp(name + size - suffix, LANGUAGE_SUFFIX) == 0)
		size -= suffix;
	const char *copy = arena_copy(arena, name, size);
	return copy != NULL ? copy : "";
}

/* Each table has one pattern, and a NULL behind it. */
static struct histree_label_table *tables_of(struct language_tree *tree, size_t *count)
{
	struct histree_label_table *tables;
	const char **patterns;
	*count = 0;
	for (const struct language_label *label = tree->labels; label != NULL; label = label->next)
		++*count;
	tables = arena_allocate(&tree->arena, (*count + 1) * sizeof(*tables), _Alignof(struct histree_label_table));
	patterns = arena_allocate(&tree->arena, 2 * (*count + 1) * sizeof(*patterns), _Alignof(const char *));
	if (tables == NULL || patterns == NULL)
		return NULL;
	struct histree_label_table *table = tables;
	for (const struct language_label *label = tree->labels; label != NULL; label = label->next, patterns += 2) {
		patterns[0] = label->pattern;
		patterns[1] = NULL;
		*table++ = (struct histree_label_table){ .name = label->pattern,
							 .patterns = patterns,
							 .labels = label->labels,
							 .label_count = label->count,
							 .uses_palette = true };
	}
	return tables;
}

/* Returns NULL if memory is out. */
static struct histree_chart *charts_of(struct language_tree *tree, size_t *count)
{
	*count = 0;
	for (const struct language_chart *chart = tree->charts; chart != NULL; chart = chart->next)
		++*count;
	struct histree_chart *charts =
		arena_allocate(&tree->arena, (*count + 1) * sizeof(*charts), _Alignof(struct histree_chart));
	struct histree_chart *next = charts;
	for (const struct language_chart *chart = tree->charts; charts != NULL && chart != NULL;
	     chart = chart->next)
		*next++ = chart->chart;
	return charts;
}

/* One name once, in *count places that there is room for. */
static void add_name(const char **names, size_t *count, const char *name)
{
	for (size_t i = 0; i < *count; i++)
		if (strcmp(names[i], name) == 0)
			return;
	names[(*count)++] = name;
}

static bool is_optional(const struct language_tree *tree, const char *name)
{
	for (const struct language_expression *field = tree->fields; field != NULL; field = field->next_field)
		if (field->is_optional && strcmp(field->field, name) == 0)
			return true;
	return false;
}

/*
 * Events that are named, not only fit a pattern, each the only one of its line; and fields but those of which a
 * line asks whether they are there.  Returns false if memory is out.
 */
static bool expect(struct language_tree *tree, struct program_expected *expected)
{
	size_t room = EXPECTED_MAX;
	const char **events = arena_allocate(&tree->arena, room * sizeof(*events), _Alignof(const char *));
	const char **fields = arena_allocate(&tree->arena, room * sizeof(*fields), _Alignof(const char *));
	if (events == NULL || fields == NULL)
		return false;
	*expected = (struct program_expected){ .events = events, .fields = fields };
	for (const struct language_handler *on = tree->handlers; on != NULL; on = on->next)
		if (strpbrk(on->events, "*|") == NULL && expected->event_count < room)
			add_name(events, &expected->event_count, on->events);
	for (const struct language_expression *field = tree->fields; field != NULL; field = field->next_field)
		if (strpbrk(field->field, ".[") == NULL && expected->field_count < room &&
		    !is_optional(tree, field->field))
			add_name(fields, &expected->field_count, field->field);
	return true;
}

static enum histree_status add(const struct language_source *source, struct language_tree *tree,
			       struct program *program, struct definitions *definitions,
			       struct histree_error *error)
{
	struct program_analysis *analysis;
	struct program_about about = { .name = tree->name, .summary = tree->summary, .domain = tree->domain };
	about.labels = tables_of(tree, &about.label_table_count);
	if (about.name == NULL)
		about.name = name_of_file(source->path, &tree->arena);
	about.charts = charts_of(tree, &about.chart_count);
	if (about.labels == NULL || about.charts == NULL || !expect(tree, &about.expected)) {
		program_free(program);
		return error_memory(error, "an analysis");
	}
	enum histree_status status = program_analysis_create(program, &about, &analysis, error);
	if (status == HISTREE_OK)
		status = definitions_add(definitions, analysis, error);
	if (status != HISTREE_OK)
		error_prefix(error, "%.200s:1:1", source->path);
	return status;
}

enum histree_status language_read(const char *path, const char *bytes, size_t size, struct definitions *definitions,
				  struct histree_error *error)
{
	struct language_source source = { .path = path, .text = bytes, .size = size };
	struct language_tree tree = { 0 };
	struct program *program = NULL;
	enum histree_status status = language_source_check(&source, error);
	if (status == HISTREE_OK)
		status = language_parse(&source, &tree, error);
	if (status == HISTREE_OK)
		status = language_check(&source, &tree, error);
	if (status == HISTREE_OK)
		status = language_compile(&source, &tree, &program, error);
	if (status == HISTREE_OK)
		status = add(&source, &tree, program, definitions, error);
	language_tree_release(&tree);
	return status;
}
