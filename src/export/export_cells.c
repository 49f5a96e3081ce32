// SPDX-License-Identifier: MIT
/*
 * export_cells.c - the batches of an Arrow stream cell by cell, for formats that are written row by row.
 */
#include "export/export_cells.h"

#include <stdlib.h>

#include "base/error.h"

static bool find_kind(const char *format, struct export_column *column)
{
	static const struct {
		char format;
		enum export_cell_kind kind;
		unsigned bytes;
	} kinds[] = {
		{ 'b', EXPORT_BOOL, 1 },     { 'c', EXPORT_SIGNED, 1 },   { 'C', EXPORT_UNSIGNED, 1 },
		{ 's', EXPORT_SIGNED, 2 },   { 'S', EXPORT_UNSIGNED, 2 }, { 'i', EXPORT_SIGNED, 4 },
		{ 'I', EXPORT_UNSIGNED, 4 }, { 'l', EXPORT_SIGNED, 8 },   { 'L', EXPORT_UNSIGNED, 8 },
		{ 'f', EXPORT_REAL, 4 },     { 'g', EXPORT_REAL, 8 },     { 'u', EXPORT_TEXT, 4 },
	};
	bool is_time = strncmp(format, "ts", 2) == 0;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		if (is_time ? kinds[i].format != 'l' : format[0] != kinds[i].format || format[1] != '\0')
			continue;
		column->kind = kinds[i].kind;
		column->bytes = kinds[i].bytes;
		return true;
	}
	return false;
}

enum histree_status export_cells_create(struct export_cells *cells, const struct ArrowSchema *schema,
					struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	*cells = (struct export_cells){ 0 };
	if (schema->n_children < 1 || strcmp(schema->format, "+s") != 0)
		return error_set(error, HISTREE_ERR_ARGUMENT, "a stream without columns");
	cells->columns = calloc((size_t)schema->n_children, sizeof(*cells->columns));
	if (cells->columns == NULL)
		return error_memory(error, "the columns");
	cells->count = (size_t)schema->n_children;
	for (size_t i = 0; i < cells->count && status == HISTREE_OK; i++) {
		const char *name = schema->children[i]->name != NULL ? schema->children[i]->name : "";
		const struct ArrowSchema *words = schema->children[i]->dictionary;
		bool is_known = find_kind(schema->children[i]->format, &cells->columns[i]);
		if (words != NULL) {
			is_known = is_known && strcmp(words->format, "u") == 0 &&
				   (cells->columns[i].kind == EXPORT_SIGNED ||
				    cells->columns[i].kind == EXPORT_UNSIGNED);
			cells->columns[i].is_signed = cells->columns[i].kind == EXPORT_SIGNED;
			cells->columns[i].kind = EXPORT_WORD;
		}
		if (!is_known) {
			status = error_set(error, HISTREE_ERR_ARGUMENT,
					   "column '%s': there is no cell for '%s' of Arrow; leave the column out, "
					   "or cast it to "
					   "an integer, a double, a text or a timestamp",
					   name, words != NULL ? words->format : schema->children[i]->format);
		} else {
			cells->columns[i].name = strdup(name);
			status = cells->columns[i].name != NULL ? HISTREE_OK : error_memory(error, "the columns");
		}
	}
	return status;
}

void export_cells_release(struct export_cells *cells)
{
	for (size_t i = 0; i < cells->count; i++)
		free(cells->columns[i].name);
	free(cells->columns);
}

enum histree_status export_cells_take(struct export_cells *cells, const struct ArrowArray *batch,
				      struct histree_error *error)
{
	if (batch->n_children != (int64_t)cells->count)
		return error_set(error, HISTREE_ERR_ARGUMENT, "a batch of %lld columns, where the schema has %zu",
				 (long long)batch->n_children, cells->count);
	if (batch->null_count != 0 && batch->n_buffers > 0 && batch->buffers[0] != NULL)
		return error_set(error, HISTREE_ERR_ARGUMENT, "rows that are null as a whole have no cells");
	for (size_t i = 0; i < cells->count; i++) {
		const struct ArrowArray *array = batch->children[i], *words = array->dictionary;
		struct export_column *column = &cells->columns[i];
		int64_t buffers = column->kind == EXPORT_TEXT ? 3 : 2;
		bool has_words = array->dictionary != NULL && array->dictionary->n_buffers == 3;
		if ((array->n_buffers != buffers || (column->kind == EXPORT_WORD && !has_words)) ||
		    array->length < batch->length)
			return error_set(error, HISTREE_ERR_ARGUMENT,
					 "column '%s': its batch is not as the schema says", column->name);
		column->offset = array->offset + batch->offset;
		column->validity = array->null_count == 0 ? NULL : array->buffers[0];
		column->values = array->buffers[1];
		column->text = column->kind == EXPORT_TEXT ? array->buffers[2] : NULL;
		if (column->kind != EXPORT_WORD)
			continue;
		column->word_count = (size_t)words->length;
		column->word_offset = words->offset;
		column->word_starts = words->buffers[1];
		column->words = words->buffers[2];
	}
	return HISTREE_OK;
}
