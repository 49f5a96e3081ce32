// SPDX-License-Identifier: MIT
/*
 * The struct of a schema, its columns and their dictionaries are one block, which each of them holds (see
 * columns_batch.h).  The names are copied into it.
 */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "columns/columns_batch.h"

struct schema_block {
	_Atomic uint32_t holders;
	struct ArrowSchema columns[COLUMNS_MAX], dictionaries[COLUMNS_MAX], *children[COLUMNS_MAX];
	char names[];
};

static const char *const formats[] = {
	[COLUMN_UINT32] = "I", [COLUMN_UINT64] = "L",     [COLUMN_INT32] = "i", [COLUMN_INT64] = "l",
	[COLUMN_REAL] = "g",   [COLUMN_TIME] = "tsn:UTC", [COLUMN_BOOL] = "b",  [COLUMN_TEXT] = "u",
	[COLUMN_WORD] = "I",   [COLUMN_SHORT] = "C",
};

static void release(struct ArrowSchema *schema)
{
	struct schema_block *block = schema->private_data;
	for (int64_t i = 0; i < schema->n_children; i++)
		if (schema->children[i]->release != NULL)
			schema->children[i]->release(schema->children[i]);
	if (schema->dictionary != NULL && schema->dictionary->release != NULL)
		schema->dictionary->release(schema->dictionary);
	schema->release = NULL;
	if (atomic_fetch_sub_explicit(&block->holders, 1, memory_order_acq_rel) == 1)
		free(block);
}

static void set_schema(struct ArrowSchema *out, struct schema_block *block, const char *format, const char *name,
		       int64_t flags)
{
	*out = (struct ArrowSchema){
		.format = format, .name = name, .flags = flags, .release = release, .private_data = block
	};
	atomic_fetch_add_explicit(&block->holders, 1, memory_order_relaxed);
}

static const char *copy_name(char **at, const char *name)
{
	size_t size = strlen(name) + 1;
	const char *copy = memcpy(*at, name, size);
	*at += size;
	return copy;
}

enum histree_status columns_schema(const struct columns_layout *layout, struct ArrowSchema *out,
				   struct histree_error *error)
{
	size_t size = 0;
	for (size_t i = 0; i < layout->count; i++)
		size += strlen(layout->columns[i].name) + 1;
	struct schema_block *block = calloc(1, sizeof(*block) + size);
	if (block == NULL) {
		out->release = NULL;
		return error_memory(error, "columns");
	}
	char *names = block->names;
	for (size_t i = 0; i < layout->count; i++) {
		const struct columns_column *column = &layout->columns[i];
		struct ArrowSchema *schema = block->children[i] = &block->columns[i];
		set_schema(schema, block, formats[column->kind], copy_name(&names, column->name),
			   column->is_nullable ? ARROW_FLAG_NULLABLE : 0);
		if (column->kind == COLUMN_WORD || column->kind == COLUMN_SHORT) {
			schema->dictionary = &block->dictionaries[i];
			set_schema(schema->dictionary, block, "u", "", 0);
		}
	}
	set_schema(out, block, "+s", "", 0);
	out->n_children = (int64_t)layout->count;
	out->children = block->children;
	return HISTREE_OK;
}
