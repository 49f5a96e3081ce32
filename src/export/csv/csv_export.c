// SPDX-License-Identifier: MIT
/*
 * csv_export.c - a header line, then a line for each row.
 *
 * Source: RFC 4180.  A word of a dictionary is quoted once, however often it occurs.
 */
#include "export/export_output.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/hash_index.h"
#include "base/table.h"
#include "export/export_cells.h"

/* The words of a column as they stand in a line. */
struct csv_words {
	char *bytes;
	size_t size, capacity;
	size_t *ends; /* of each in `bytes` */
	size_t count, ends_capacity;
	size_t longest;
	uint64_t hash; /* of the words as they came */
};

struct csv {
	struct export_buffer *output;
	size_t row_room; /* the most that a row of the batch takes; 0: a text may take any */
	struct export_cells cells;
	struct csv_words *words; /* by column */
	bool dictionaries_grow;
};

/* ---- texts ------------------------------------------------------------------------------------------------ */

/* An empty text is quoted, as an empty cell is null. */
static bool needs_quotes(const char *text, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if (text[i] == ',' || text[i] == '"' || text[i] == '\n' || text[i] == '\r')
			return true;
	return size == 0;
}

/* Returns the size of a text in a line, for which there is room for `2 * size + 2`. */
static size_t quote(const char *text, size_t size, char *out)
{
	size_t length = 0;
	if (!needs_quotes(text, size)) {
		memcpy(out, text, size);
		return size;
	}
	out[length++] = '"';
	for (size_t i = 0; i < size; i++) {
		if (text[i] == '"')
			out[length++] = '"';
		out[length++] = text[i];
	}
	out[length++] = '"';
	return length;
}

static uint64_t hash_of(const struct export_column *column, size_t count)
{
	size_t size;
	const int32_t *starts = column->word_starts + column->word_offset;
	const char *text = export_word(column, 0, &size);
	return count == 0 ? 0
			  : hash_mix(hash_bytes(starts, (count + 1) * sizeof(*starts)) ^
				     hash_bytes(text, (size_t)(starts[count] - starts[0])));
}

/*
 * Quote the words that a dictionary has more than before, or all of them where it is another one, as streams of
 * others may have.  Returns false if memory runs out.
 */
static bool learn(struct csv_words *words, const struct export_column *column, bool grows)
{
	if (column->word_count < words->count || (!grows && hash_of(column, words->count) != words->hash))
		words->count = words->size = words->longest = 0;
	for (size_t word = words->count; word < column->word_count; word++) {
		size_t size;
		const char *text = export_word(column, word, &size);
		if (!array_reserve(&words->bytes, &words->capacity, words->size + 2 * size + 2) ||
		    !array_reserve(&words->ends, &words->ends_capacity, word + 1))
			return false;
		size_t quoted = quote(text, size, words->bytes + words->size);
		words->size += quoted;
		words->longest = quoted > words->longest ? quoted : words->longest;
		words->ends[word] = words->size;
		words->count = word + 1;
	}
	words->hash = grows ? 0 : hash_of(column, words->count);
	return true;
}

/* One that is longer than the buffer is written piece by piece. */
static void put_text(struct csv *csv, const char *text, size_t size)
{
	if (size < EXPORT_BUFFER_SIZE / 4) {
		char *room = export_room(csv->output, 2 * size + 2);
		csv->output->used += quote(text, size, room);
		return;
	}
	export_char(csv->output, '"');
	for (size_t i = 0; i < size; i++) {
		if (text[i] == '"')
			export_char(csv->output, '"');
		export_char(csv->output, text[i]);
	}
	export_char(csv->output, '"');
}

/* ---- cells ------------------------------------------------------------------------------------------------ */

static void put_word(struct csv *csv, size_t column, size_t word)
{
	const struct csv_words *words = &csv->words[column];
	if (word >= words->count)
		return;
	size_t begin = word > 0 ? words->ends[word - 1] : 0;
	export_bytes(csv->output, words->bytes + begin, words->ends[word] - begin);
}

static void put_real(struct csv *csv, double real)
{
	char *room = export_room(csv->output, NUMBER_TEXT_SIZE);
	csv->output->used += number_format_real(real, room);
}

/* As put_cell(), where there is room; returns what is behind it. */
static inline char *write_cell(const struct csv *csv, size_t i, int64_t row, char *at)
{
	const struct export_column *column = &csv->cells.columns[i];
	const struct csv_words *words = &csv->words[i];
	if (export_cell_is_null(column, row))
		return at;
	if (column->kind == EXPORT_WORD) {
		size_t word = export_cell_word(column, row);
		size_t begin = word > 0 && word < words->count ? words->ends[word - 1] : 0;
		size_t size = word < words->count ? words->ends[word] - begin : 0;
		memcpy(at, words->bytes + begin, size);
		return at + size;
	}
	if (column->kind == EXPORT_SIGNED)
		return at + number_format_signed(export_cell_signed(column, row), at);
	if (column->kind == EXPORT_UNSIGNED)
		return at + number_format_unsigned(export_cell_unsigned(column, row), at);
	if (column->kind == EXPORT_REAL)
		return at + number_format_real(export_cell_real(column, row), at);
	bool truth = export_cell_bool(column, row);
	memcpy(at, truth ? "true" : "false", 5);
	return at + (truth ? 4 : 5);
}

static inline void put_cell(struct csv *csv, size_t i, int64_t row)
{
	const struct export_column *column = &csv->cells.columns[i];
	const char *text;
	size_t size;
	if (export_cell_is_null(column, row))
		return;
	switch (column->kind) {
	case EXPORT_BOOL:
		export_text(csv->output, export_cell_bool(column, row) ? "true" : "false");
		break;
	case EXPORT_SIGNED:
		export_signed(csv->output, export_cell_signed(column, row));
		break;
	case EXPORT_UNSIGNED:
		export_unsigned(csv->output, export_cell_unsigned(column, row));
		break;
	case EXPORT_REAL:
		put_real(csv, export_cell_real(column, row));
		break;
	case EXPORT_WORD:
		put_word(csv, i, export_cell_word(column, row));
		break;
	case EXPORT_TEXT:
		text = export_cell_text(column, row, &size);
		put_text(csv, text, size);
		break;
	}
}

/* Most rows fit into the buffer in any case. */
static void write_row(struct csv *csv, int64_t row)
{
	char *begin = export_room(csv->output, csv->row_room);
	char *at = write_cell(csv, 0, row, begin);
	for (size_t i = 1; i < csv->cells.count; i++) {
		*at++ = ',';
		at = write_cell(csv, i, row, at);
	}
	*at++ = '\r';
	*at++ = '\n';
	csv->output->used += (size_t)(at - begin);
}

static size_t row_room(const struct csv *csv)
{
	size_t room = 2;
	for (size_t i = 0; i < csv->cells.count; i++) {
		enum export_cell_kind kind = csv->cells.columns[i].kind;
		if (kind == EXPORT_TEXT)
			return 0;
		room += 1 + (kind == EXPORT_WORD ? csv->words[i].longest : NUMBER_TEXT_SIZE);
	}
	return csv->cells.count > 1 && room < EXPORT_BUFFER_SIZE / 4 ? room : 0;
}

/* ---- the file --------------------------------------------------------------------------------------------- */

static enum histree_status put_batch(struct csv *csv, const struct ArrowArray *batch, struct histree_error *error)
{
	enum histree_status status = export_cells_take(&csv->cells, batch, error);
	if (status != HISTREE_OK)
		return status;
	for (size_t i = 0; i < csv->cells.count; i++)
		if (csv->cells.columns[i].kind == EXPORT_WORD &&
		    !learn(&csv->words[i], &csv->cells.columns[i], csv->dictionaries_grow))
			return error_memory(error, "the words of a column");
	csv->row_room = row_room(csv);
	for (int64_t row = 0; row < batch->length; row++) {
		if (csv->row_room > 0) {
			write_row(csv, row);
		} else {
			/* A line of one column that is null must not be empty: that is no row to most readers. */
			put_cell(csv, 0, row);
			if (csv->cells.count == 1 && export_cell_is_null(&csv->cells.columns[0], row))
				export_text(csv->output, "\"\"");
			for (size_t i = 1; i < csv->cells.count; i++) {
				export_char(csv->output, ',');
				put_cell(csv, i, row);
			}
			export_bytes(csv->output, "\r\n", 2);
		}
	}
	return csv->output->status;
}

static enum histree_status csv_begin(struct csv *csv, struct ArrowArrayStream *stream, struct export_output *output,
				     struct histree_error *error)
{
	struct ArrowSchema schema;
	enum histree_status status = export_stream_schema(stream, &schema, error);
	if (status != HISTREE_OK)
		return status;
	status = export_cells_create(&csv->cells, &schema, error);
	schema.release(&schema);
	if (status != HISTREE_OK)
		return status;
	csv->output = export_buffer_create(output, error);
	csv->words = calloc(csv->cells.count, sizeof(*csv->words));
	if (csv->output == NULL || csv->words == NULL)
		return error_memory(error, "the columns");

	for (size_t i = 0; i < csv->cells.count; i++) {
		const char *name = csv->cells.columns[i].name;
		if (i > 0)
			export_char(csv->output, ',');
		put_text(csv, name, strlen(name));
	}
	export_bytes(csv->output, "\r\n", 2);

	return HISTREE_OK;
}

enum histree_status csv_export(struct ArrowArrayStream *stream, struct export_output *output,
			       const struct histree_csv_options *options, struct histree_error *error)
{
	struct csv csv = { .dictionaries_grow = options->dictionaries_grow };
	struct ArrowArray batch;
	struct histree_export_counts counts = { .files = 1 };
	enum histree_status status = csv_begin(&csv, stream, output, error);
	while (status == HISTREE_OK &&
	       (status = export_stream_next(stream, &options->work, &batch, error)) == HISTREE_OK) {
		status = put_batch(&csv, &batch, error);
		counts.rows += (uint64_t)batch.length;
		counts.row_groups++;
		counts.bytes = output->size;
		batch.release(&batch);
		export_tell(&options->work, &counts);
	}
	if (status == HISTREE_END)
		status = export_buffer_flush(csv.output);
	counts.bytes = output->size;
	counts.loss = histree_arrow_loss(stream);
	if (options->counts != NULL)
		*options->counts = counts;

	for (size_t i = 0; i < csv.cells.count && csv.words != NULL; i++) {
		free(csv.words[i].bytes);
		free(csv.words[i].ends);
	}
	free(csv.words);
	free(csv.output);
	export_cells_release(&csv.cells);

	return status;
}

enum histree_status histree_export_csv(struct ArrowArrayStream *stream, const char *path,
				       const struct histree_csv_options *options, struct histree_error *error)
{
	static const struct histree_csv_options defaults;
	struct export_output output;
	enum histree_status status = HISTREE_OK;
	options = options != NULL ? options : &defaults;
	if (path == NULL)
		export_output_use(&output, options->descriptor);
	else
		status = export_output_open(&output, &io_posix, path, error);
	if (status == HISTREE_OK)
		status = export_output_finish(&output, csv_export(stream, &output, options, error), error);
	stream->release(stream);
	return status;
}
