// SPDX-License-Identifier: MIT
/*
 * Attributes as columns.
 */
#include <stdlib.h>

#include "base/array.h"
#include "base/cancel.h"
#include "base/error.h"
#include "columns/columns_stream.h"
#include "histree/arrow.h"

enum part { QUARK, PARENT, NAME, PATH, DEPTH, PARTS };

struct attributes_source {
	struct columns_source base;
	const struct histree_attributes *attributes;
	histree_quark next;
	int column[PARTS];
	struct columns_texts names, paths; /* of the batch being filled */
	char *text;                        /* room for one */
	size_t text_capacity;
	struct columns_repair room;
};

static struct attributes_source *source_of(struct columns_source *base)
{
	return (struct attributes_source *)base;
}

typedef size_t text_of(const struct histree_attributes *attributes, histree_quark quark, char *buffer,
		       size_t capacity);

static enum histree_status add_text(struct attributes_source *source, struct columns_texts *texts, text_of *write,
				    struct histree_error *error)
{
	size_t size = write(source->attributes, source->next, source->text, source->text_capacity);
	if (size >= source->text_capacity) {
		if (!array_reserve(&source->text, &source->text_capacity, size + 1))
			return error_memory(error, "a path");
		write(source->attributes, source->next, source->text, source->text_capacity);
	}
	const void *bytes = source->text;
	enum histree_status status = columns_repair(&source->room, &bytes, &size, error);
	return status == HISTREE_OK ? columns_texts_add(texts, bytes, size, error) : status;
}

static uint32_t depth_of(const struct histree_attributes *attributes, histree_quark quark)
{
	uint32_t depth = 0;
	while ((quark = histree_attributes_parent(attributes, quark)) != HISTREE_ROOT)
		depth++;
	return depth;
}

static enum histree_status fill_row(struct attributes_source *source, struct columns_batch *batch,
				    struct histree_error *error)
{
	const int *column = source->column;
	size_t row = batch->rows;
	enum histree_status status = HISTREE_OK;
	if (column[QUARK] != COLUMN_NONE)
		((uint32_t *)batch->values[column[QUARK]])[row] = source->next;
	if (column[PARENT] != COLUMN_NONE) {
		histree_quark parent = histree_attributes_parent(source->attributes, source->next);
		bool is_top = parent == HISTREE_ROOT;
		((uint32_t *)batch->values[column[PARENT]])[row] = is_top ? 0 : parent;
		batch->valid[column[PARENT]][row] = !is_top;
	}
	if (column[NAME] != COLUMN_NONE)
		status = add_text(source, &source->names, histree_attributes_name, error);
	if (status == HISTREE_OK && column[PATH] != COLUMN_NONE)
		status = add_text(source, &source->paths, histree_attributes_path, error);
	if (column[DEPTH] != COLUMN_NONE)
		((uint32_t *)batch->values[column[DEPTH]])[row] = depth_of(source->attributes, source->next);
	batch->rows++;
	source->next++;
	return status;
}

static enum histree_status fill(struct columns_source *base, struct columns_batch *batch,
				struct histree_error *error)
{
	struct attributes_source *source = source_of(base);
	uint32_t count = histree_attributes_count(source->attributes);
	columns_texts_release(&source->names);
	columns_texts_release(&source->paths);
	enum histree_status status = HISTREE_OK;
	while (status == HISTREE_OK && source->next < count && batch->rows < base->layout.rows_max) {
		status = cancel_check(&base->cancel, source->next, error);
		if (status == HISTREE_OK)
			status = fill_row(source, batch, error);
	}
	return status == HISTREE_OK && source->next == count ? HISTREE_END : status;
}

static void free_source(struct columns_source *base)
{
	struct attributes_source *source = source_of(base);
	columns_texts_release(&source->names);
	columns_texts_release(&source->paths);
	free(source->text);
	free(source->room.bytes);
	free(source);
}

static enum histree_status begin(struct attributes_source *source, const struct histree_arrow_options *options,
				 struct histree_error *error)
{
	const struct {
		uint64_t bit;
		struct columns_column column;
	} all[PARTS] = {
		[QUARK] = { HISTREE_ARROW_QUARK, { "quark", COLUMN_UINT32, false, NULL } },
		[PARENT] = { HISTREE_ARROW_PARENT, { "parent", COLUMN_UINT32, true, NULL } },
		[NAME] = { HISTREE_ARROW_NAME, { "name", COLUMN_TEXT, false, &source->names } },
		[PATH] = { HISTREE_ARROW_PATH, { "path", COLUMN_TEXT, false, &source->paths } },
		[DEPTH] = { HISTREE_ARROW_DEPTH, { "depth", COLUMN_UINT32, false, NULL } },
	};
	uint64_t known = 0, wanted;
	for (int part = 0; part < PARTS; part++)
		known |= all[part].bit;
	enum histree_status status = columns_source_configure(&source->base, options, known, &wanted, error);
	if (status != HISTREE_OK)
		return status;
	for (int part = 0; part < PARTS; part++)
		source->column[part] = (wanted & all[part].bit) != 0
					       ? columns_source_add(&source->base, all[part].column)
					       : COLUMN_NONE;
	source->names.size_max = source->paths.size_max = columns_text_bytes(options);
	return HISTREE_OK;
}

enum histree_status histree_attributes_arrow(const struct histree_attributes *attributes,
					     const struct histree_arrow_options *options,
					     struct ArrowArrayStream *out, struct histree_error *error)
{
	*out = (struct ArrowArrayStream){ 0 };
	struct attributes_source *source = calloc(1, sizeof(*source));
	if (source == NULL)
		return error_memory(error, "columns");
	source->attributes = attributes;
	source->base.fill = fill;
	source->base.free = free_source;
	enum histree_status status = begin(source, options, error);
	if (status == HISTREE_OK)
		return columns_stream_open(&source->base, out, error);
	free_source(&source->base);
	return status;
}
