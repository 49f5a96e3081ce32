// SPDX-License-Identifier: MIT
#include "export/parquet/parquet_writer.h"

#include <stdlib.h>

#include "base/cancel.h"

enum {
	ROW_GROUP_ROWS = 1 << 20,
	ROW_GROUP_ROWS_MAX = 1 << 24,
	STEP_ROWS = 1 << 12,        /* added between two looks at the texts */
	TEXT_BYTES_MAX = 128 << 20, /* distinct ones of a column in a row group: a page must not reach 2 GiB */
	FORMS_EVERY = 8,            /* row groups: forms are tried again, since what states are like changes */
	LEVEL = 3,
};

static const struct histree_parquet_options default_options;

static int find_column(const struct parquet_writer *writer, const char *name)
{
	for (size_t i = 0; i < writer->column_count; i++)
		if (strcmp(writer->columns[i].name, name) == 0 && parquet_order_can(&writer->columns[i]))
			return (int)i;
	return -1;
}

static void find_order(struct parquet_writer *writer)
{
	enum histree_parquet_order order = writer->options->order;
	int start = find_column(writer, "start"), quark = find_column(writer, "quark");
	bool by_attribute = order == HISTREE_PARQUET_BY_ATTRIBUTE && start >= 0 && quark >= 0;
	bool by_time = order == HISTREE_PARQUET_BY_TIME && start >= 0;
	writer->sorted_by[0] = by_attribute ? quark : by_time ? start : -1;
	writer->sorted_by[1] = by_attribute ? start : by_time ? quark : -1;
}

static void set_time(struct parquet_type *type, enum histree_parquet_times times)
{
	if (times != HISTREE_PARQUET_TIMES_AS_THEY_ARE)
		type->is_utc = false;
	if (times == HISTREE_PARQUET_TIMES_NUMBERS)
		type->unit = PARQUET_NO_TIME;
}

static enum histree_status init_columns(struct parquet_writer *writer, const struct ArrowSchema *schema,
					struct histree_error *error)
{
	if (schema->format == NULL || strcmp(schema->format, "+s") != 0 || schema->n_children <= 0 ||
	    schema->n_children > INT16_MAX)
		return error_set(error, HISTREE_ERR_ARGUMENT, "the stream has no columns: it is of '%s' of Arrow",
				 schema->format != NULL ? schema->format : "nothing");
	size_t count = (size_t)schema->n_children;
	writer->columns = calloc(count, sizeof(*writer->columns));
	writer->chunks = calloc(count, sizeof(*writer->chunks));
	writer->forms = calloc(count, sizeof(*writer->forms));
	if (writer->columns == NULL || writer->chunks == NULL || writer->forms == NULL)
		return error_memory(error, "the columns of a file");
	for (size_t i = 0; i < count; i++) {
		writer->column_count = i + 1;
		enum histree_status status = parquet_column_init(&writer->columns[i], schema->children[i], error);
		if (status != HISTREE_OK)
			return status;
		set_time(&writer->columns[i].type, writer->options->times);
	}
	return HISTREE_OK;
}

static enum histree_status init_codec(struct parquet_writer *writer, struct histree_error *error)
{
	const struct histree_parquet_options *options = writer->options;
	int level = options->level == 0 ? LEVEL : options->level;
	bool is_wanted = options->compression == HISTREE_PARQUET_ZSTD ||
			 (options->compression == HISTREE_PARQUET_DEFAULT_COMPRESSION && parquet_codec_has_zstd());
	if (level < 1 || level > 19)
		return error_set(error, HISTREE_ERR_ARGUMENT, "level %d of zstd is not one of 1 to 19", level);
	if (is_wanted && !parquet_codec_has_zstd())
		return error_set(
			error, HISTREE_ERR_ARGUMENT,
			"this histree was built without zstd; write pages without compression, or build it "
			"with zstd (Debian: libzstd-dev)");
	if (is_wanted && !parquet_codec_init(&writer->workshop.codec, level))
		return error_memory(error, "the compression of pages");
	return HISTREE_OK;
}

enum histree_status parquet_writer_create(struct parquet_writer **out, const struct ArrowSchema *schema,
					  const struct histree_parquet_options *options,
					  struct export_output *output, struct histree_error *error)
{
	struct parquet_writer *writer = calloc(1, sizeof(*writer));
	*out = NULL;
	if (writer == NULL)
		return error_memory(error, "a file of columns");
	writer->options = options != NULL ? options : &default_options;
	writer->output = output;
	writer->row_max = writer->options->row_group_rows;
	if (writer->row_max == 0)
		writer->row_max = ROW_GROUP_ROWS;
	writer->page_rows = writer->options->page_rows;
	if (writer->page_rows == 0 || writer->page_rows > writer->row_max)
		writer->page_rows = writer->row_max;
	enum histree_status status = HISTREE_OK;
	if (writer->row_max > ROW_GROUP_ROWS_MAX)
		status = error_set(error, HISTREE_ERR_ARGUMENT, "row groups of %zu rows are too large: at most %d",
				   writer->row_max, ROW_GROUP_ROWS_MAX);
	if (status == HISTREE_OK)
		status = init_columns(writer, schema, error);
	if (status == HISTREE_OK)
		status = init_codec(writer, error);
	if (status == HISTREE_OK)
		status = export_output_write(output, PARQUET_MAGIC, strlen(PARQUET_MAGIC), error);
	if (status != HISTREE_OK) {
		parquet_writer_free(writer);
		return status;
	}
	find_order(writer);
	*out = writer;
	return HISTREE_OK;
}

static enum histree_status chunk_failed(const struct parquet_writer *writer, const struct parquet_column *column,
					struct histree_error *error)
{
	if (writer->workshop.page_is_too_large)
		return error_set(
			error, HISTREE_ERR_TOO_LARGE,
			"the texts of column '%s' take more than 2 GiB in %zu rows; write smaller row groups",
			column->name, writer->row_count);
	return error_memory(error, "the pages of a row group");
}

static void swap_chunks(struct parquet_chunk *one, struct parquet_chunk *other)
{
	struct parquet_chunk chunk = *one;
	*one = *other;
	*other = chunk;
}

/* Make a chunk in each form that may be the smallest, and keep that. */
static bool try_forms(struct parquet_writer *writer, struct parquet_chunk *chunk, enum parquet_form *best)
{
	bool is_first = true, had_dictionary = false;
	for (int form = 0; form < PARQUET_FORM_COUNT; form++) {
		bool can = form == PARQUET_FORM_WHOLE_NUMBERS
				   ? had_dictionary && writer->workshop.codec.context != NULL
				   : parquet_chunk_can(&writer->workshop, &writer->values, (enum parquet_form)form);
		had_dictionary |= form == PARQUET_FORM_DICTIONARY && can;
		if (writer->workshop.distinct.failed)
			return false;
		if (!can)
			continue;
		struct parquet_chunk *made = is_first ? chunk : &writer->trial;
		if (!parquet_chunk_make(made, &writer->workshop, &writer->values, (enum parquet_form)form))
			return false;
		if (!is_first && made->bytes.size < chunk->bytes.size)
			swap_chunks(chunk, made);
		else if (!is_first)
			continue;
		*best = (enum parquet_form)form;
		is_first = false;
	}
	return true;
}

/* Make a chunk in the form that was best last time, if the values still allow that. */
static bool make_chunk(struct parquet_writer *writer, struct parquet_chunk *chunk, enum parquet_form *best)
{
	struct parquet_values *values = &writer->values;
	bool is_time_to_try = writer->footer.group_count % FORMS_EVERY == 0;
	if (values->count == 0)
		return parquet_chunk_make(chunk, &writer->workshop, values, PARQUET_FORM_PLAIN);
	enum parquet_form asked = *best == PARQUET_FORM_WHOLE_NUMBERS ? PARQUET_FORM_DICTIONARY : *best;
	if (is_time_to_try || !parquet_chunk_can(&writer->workshop, values, asked))
		return try_forms(writer, chunk, best);
	return parquet_chunk_make(chunk, &writer->workshop, values, *best);
}

static enum histree_status sort_rows(struct parquet_writer *writer, const uint32_t **rows,
				     struct histree_error *error)
{
	const struct parquet_column *columns = writer->columns;
	int first = writer->sorted_by[0], second = writer->sorted_by[1];
	*rows = NULL;
	if (first < 0)
		return HISTREE_OK;
	if (!parquet_order_sort(&writer->sorting, &columns[first], second < 0 ? NULL : &columns[second],
				writer->row_count))
		return error_memory(error, "the order of a row group");
	*rows = writer->sorting.rows;
	return HISTREE_OK;
}

/* Make the chunks of all columns, and note them for the footer. */
static enum histree_status make_group(struct parquet_writer *writer, struct histree_error *error)
{
	struct parquet_group_note group = { .offset = writer->output->size, .row_count = writer->row_count };
	const uint32_t *rows;
	enum histree_status status = sort_rows(writer, &rows, error);
	if (status != HISTREE_OK)
		return status;
	memcpy(group.sorted_by, writer->sorted_by, sizeof(group.sorted_by));
	for (size_t i = 0; i < writer->column_count; i++) {
		struct parquet_chunk *chunk = &writer->chunks[i];
		if (cancel_asked(&writer->options->cancel))
			return error_set(error, HISTREE_ERR_CANCELLED, "the file is no longer wanted");
		if (!parquet_values_arrange(&writer->values, &writer->columns[i], rows, writer->row_count,
					    writer->page_rows))
			return error_memory(error, "the order of a row group");
		if (!make_chunk(writer, chunk, &writer->forms[i]))
			return chunk_failed(writer, &writer->columns[i], error);
		parquet_footer_add_chunk(&writer->footer, chunk, &writer->values,
					 writer->workshop.codec.context != NULL, group.offset + group.size);
		group.uncompressed_size += chunk->uncompressed_size;
		group.size += chunk->bytes.size;
	}
	parquet_footer_add_group(&writer->footer, &group);
	return writer->footer.failed ? error_memory(error, "the footer of a file") : HISTREE_OK;
}

enum histree_status parquet_writer_flush(struct parquet_writer *writer, struct histree_error *error)
{
	if (writer->row_count == 0)
		return HISTREE_OK;
	enum histree_status status = make_group(writer, error);
	for (size_t i = 0; i < writer->column_count && status == HISTREE_OK; i++)
		status = export_output_write(writer->output, writer->chunks[i].bytes.bytes,
					     writer->chunks[i].bytes.size, error);
	if (status != HISTREE_OK)
		return status;
	writer->counts.rows += writer->row_count;
	writer->counts.row_groups++;
	writer->counts.bytes = writer->output->size;
	writer->row_count = 0;
	for (size_t i = 0; i < writer->column_count; i++)
		parquet_column_clear(&writer->columns[i]);
	parquet_writer_begin_batch(writer); /* what was known of the one at hand is forgotten */
	return HISTREE_OK;
}

/* Whether a column has so many texts that the row group should end. */
static bool has_much_text(const struct parquet_writer *writer)
{
	for (size_t i = 0; i < writer->column_count; i++)
		if (writer->columns[i].texts.bytes.bytes_total > TEXT_BYTES_MAX)
			return true;
	return false;
}

void parquet_writer_begin_batch(struct parquet_writer *writer)
{
	for (size_t i = 0; i < writer->column_count; i++)
		parquet_column_begin_batch(&writer->columns[i]);
}

enum histree_status parquet_writer_add(struct parquet_writer *writer, const struct ArrowArray *batch, size_t from,
				       size_t count, struct histree_error *error)
{
	if (batch->length < 0 || batch->offset < 0 || from > (size_t)batch->length ||
	    count > (size_t)batch->length - from || batch->n_children != (int64_t)writer->column_count)
		return error_set(error, HISTREE_ERR_ARGUMENT, "a batch of the stream is not as its schema says");
	if (batch->null_count > 0)
		return error_set(error, HISTREE_ERR_ARGUMENT, "a batch of the stream has rows that are null");
	from += (size_t)batch->offset;
	while (count > 0) {
		size_t room = writer->row_max - writer->row_count, part = count < room ? count : room;
		enum histree_status status = HISTREE_OK;
		part = part < STEP_ROWS ? part : STEP_ROWS;
		for (size_t i = 0; i < writer->column_count && status == HISTREE_OK; i++)
			status = parquet_column_append(&writer->columns[i], writer->row_count, batch->children[i],
						       from, part, error);
		from += part;
		count -= part;
		writer->row_count += part;
		if (status == HISTREE_OK && (writer->row_count == writer->row_max || has_much_text(writer)))
			status = parquet_writer_flush(writer, error);
		if (status != HISTREE_OK)
			return status;
	}
	return HISTREE_OK;
}

void parquet_writer_shrink(struct parquet_writer *writer)
{
	for (size_t i = 0; i < writer->column_count; i++) {
		parquet_column_shrink(&writer->columns[i]);
		parquet_chunk_release(&writer->chunks[i]);
	}
	parquet_chunk_release(&writer->trial);
	parquet_order_release(&writer->sorting);
	parquet_values_release(&writer->values);
	parquet_workshop_shrink(&writer->workshop);
}

enum histree_status parquet_writer_end(struct parquet_writer *writer, struct histree_error *error)
{
	struct parquet_bytes bytes = { 0 };
	enum histree_status status = parquet_writer_flush(writer, error);
	if (status == HISTREE_OK &&
	    !parquet_footer_put(&writer->footer, &bytes, writer->columns, writer->column_count,
				writer->options->notes, writer->options->note_count, writer->output->size))
		status = error_memory(error, "the footer of a file");
	if (status == HISTREE_OK)
		status = export_output_write(writer->output, bytes.bytes, bytes.size, error);
	writer->counts.bytes = writer->output->size;
	free(bytes.bytes);
	return status;
}

void parquet_writer_free(struct parquet_writer *writer)
{
	if (writer == NULL)
		return;
	for (size_t i = 0; i < writer->column_count; i++) {
		parquet_column_release(&writer->columns[i]);
		parquet_chunk_release(&writer->chunks[i]);
	}
	parquet_chunk_release(&writer->trial);
	parquet_order_release(&writer->sorting);
	parquet_workshop_release(&writer->workshop);
	parquet_values_release(&writer->values);
	parquet_footer_release(&writer->footer);
	free(writer->forms);
	free(writer->columns);
	free(writer->chunks);
	free(writer);
}
