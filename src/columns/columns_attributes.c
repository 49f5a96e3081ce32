// SPDX-License-Identifier: MIT
/*
 * columns_attributes.c - attributes as columns.
 */
#include <stdlib.h>

#include "base/table.h"
#include "base/cancel.h"
#include "base/error.h"
#include "columns/relation.h"
#include "histree/columns.h"

enum part { QUARK, PARENT, NAME, PATH, DEPTH, PARTS };

struct attributes_source {
	struct relation base;
	const struct histree_attributes *attributes;
	histree_quark next;
	int column[PARTS];
	struct columns_texts names, paths; /* of the batch being filled */
	char *text;                        /* room for one */
	size_t text_capacity;
	struct columns_repair room;
};

static struct attributes_source *source_of(struct relation *base)
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
	histree_quark parent = HISTREE_ROOT;
	enum histree_status status = HISTREE_OK;
	if (column[PARENT] != COLUMN_NONE)
		parent = histree_attributes_parent(source->attributes, source->next);
	relation_put_uint32(batch, column[QUARK], source->next);
	relation_put_or_null(batch, column[PARENT], parent == HISTREE_ROOT ? 0 : parent, parent != HISTREE_ROOT);
	if (column[NAME] != COLUMN_NONE)
		status = add_text(source, &source->names, histree_attributes_name, error);
	if (status == HISTREE_OK && column[PATH] != COLUMN_NONE)
		status = add_text(source, &source->paths, histree_attributes_path, error);
	if (column[DEPTH] != COLUMN_NONE)
		relation_put_uint32(batch, column[DEPTH], depth_of(source->attributes, source->next));
	batch->rows++;
	source->next++;
	return status;
}

static enum histree_status next_attributes(struct relation *base, struct columns_batch *batch,
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

static void release_attributes(struct relation *base)
{
	struct attributes_source *source = source_of(base);
	columns_texts_release(&source->names);
	columns_texts_release(&source->paths);
	free(source->text);
	free(source->room.bytes);
}

static enum histree_status open_attributes(struct relation *base, const struct relation_question *question,
					   struct histree_error *error)
{
	struct attributes_source *source = source_of(base);
	const struct relation_part parts[PARTS] = {
		[QUARK] = { HISTREE_ARROW_QUARK, { "quark", COLUMN_UINT32, false, NULL } },
		[PARENT] = { HISTREE_ARROW_PARENT, { "parent", COLUMN_UINT32, true, NULL } },
		[NAME] = { HISTREE_ARROW_NAME, { "name", COLUMN_TEXT, false, &source->names } },
		[PATH] = { HISTREE_ARROW_PATH, { "path", COLUMN_TEXT, false, &source->paths } },
		[DEPTH] = { HISTREE_ARROW_DEPTH, { "depth", COLUMN_UINT32, false, NULL } },
	};
	enum histree_status status = relation_configure(base, question->options, parts, PARTS, "", error);
	if (status != HISTREE_OK)
		return status;
	relation_add_parts(base, parts, PARTS, source->column);
	source->attributes = question->attributes;
	source->names.size_max = source->paths.size_max = relation_text_bytes(question->options);
	return HISTREE_OK;
}

enum histree_status histree_attributes_arrow(const struct histree_attributes *attributes,
					     const struct histree_arrow_options *options,
					     struct ArrowArrayStream *out, struct histree_error *error)
{
	static const struct relation_kind kind = { .size = sizeof(struct attributes_source),
						   .open = open_attributes,
						   .next = next_attributes,
						   .release = release_attributes };
	const struct relation_question question = { .attributes = attributes, .options = options };
	return relation_open(&kind, &question, out, error);
}
