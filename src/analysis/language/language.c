// SPDX-License-Identifier: MIT
#include "analysis/language/language.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/language/language_tree.h"
#include "base/error.h"

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

static enum histree_status add(const struct language_source *source, struct language_tree *tree,
			       struct program *program, struct definitions *definitions,
			       struct histree_error *error)
{
	struct program_analysis *analysis;
	struct program_about about = { .name = tree->name, .summary = tree->summary, .domain = tree->domain };
	about.labels = tables_of(tree, &about.label_table_count);
	if (about.name == NULL)
		about.name = name_of_file(source->path, &tree->arena);
	if (about.labels == NULL) {
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
