// SPDX-License-Identifier: MIT
/*
 * test_csv.c - CSV of streams that are not ours: every type of column, arrays that begin anywhere, dictionaries
 * that grow or are others each time, against a plain reading of the same cells; and what is refused.
 */
#include "export/export_output.h"
#include "support/arrow_cells.h"
#include "support/effort.h"
#include "support/foreign_stream.h"
#include "support/memory_io.h"
#include "support/test.h"

static const struct histree_csv_options defaults;

static enum histree_status export(struct memory_io *files, const struct foreign_options *foreign,
				  const struct histree_csv_options *options, struct histree_error *error) {
	struct ArrowArrayStream stream = foreign_stream(foreign); struct export_output output;
	assert_ok(export_output_open(&output, &files->io, "out", error));
	enum histree_status status = export_output_finish(&output, csv_export(&stream, &output, options, error),
							  error);
	stream.release(&stream);
	assert_int_equal(foreign_batches, 0);
	assert_null(memory_io_find(files, "out.part"));
	return status;
}

/* ---- a plain reading -------------------------------------------------------------------------------------- */

static void print_text(FILE *out, const char *text, size_t size)
{
	bool is_plain = size > 0;
	for (size_t i = 0; i < size; i++)
		is_plain = is_plain && strchr(",\"\r\n", text[i]) == NULL;
	if (is_plain) {
		fwrite(text, 1, size, out);
		return;
	}
	fputc('"', out);
	for (size_t i = 0; i < size; i++)
		fputs(text[i] == '"' ? "\"\"" : (char[]){ text[i], '\0' }, out);
	fputc('"', out);
}

static int64_t number_at(const void *values, char format, int64_t at)
{
	switch (format) {
	case 'c':
		return ((const int8_t *)values)[at];
	case 'C':
		return ((const uint8_t *)values)[at];
	case 's':
		return ((const int16_t *)values)[at];
	case 'S':
		return ((const uint16_t *)values)[at];
	case 'i':
		return ((const int32_t *)values)[at];
	case 'I':
		return ((const uint32_t *)values)[at];
	default:
		return ((const int64_t *)values)[at];
	}
}

static void print_real(FILE *out, double real)
{
	char text[40];
	for (int digits = 15; digits <= 17; digits++) {
		snprintf(text, sizeof(text), "%.*g", digits, real);
		double back = strtod(text, NULL);
		if (memcmp(&back, &real, sizeof(real)) == 0)
			break;
	}
	fputs(real != real ? "nan" : text, out);
}

static void print_cell(FILE *out, const struct ArrowSchema *schema, const struct ArrowArray *array, int64_t row)
{
	const char *format = schema->format;
	const void *values = array->buffers[1];
	int64_t at = array->offset + row;
	size_t size;
	if (arrow_is_null(array, row))
		return;
	if (schema->dictionary != NULL) {
		const char *word = arrow_utf8(array->dictionary, number_at(values, format[0], at), &size);
		print_text(out, word, size);
	} else if (format[0] == 'u') {
		const char *text = arrow_utf8(array, row, &size);
		print_text(out, text, size);
	} else if (format[0] == 'b') {
		fputs(arrow_bit(values, at) ? "true" : "false", out);
	} else if (format[0] == 'f') {
		print_real(out, (double)((const float *)values)[at]);
	} else if (format[0] == 'g') {
		print_real(out, ((const double *)values)[at]);
	} else if (format[0] == 'L') {
		fprintf(out, "%" PRIu64, ((const uint64_t *)values)[at]);
	} else {
		fprintf(out, "%" PRId64, number_at(values, format[0] == 't' ? 'l' : format[0], at));
	}
}

/* What the file must hold; the caller frees it. */
static char *read_plainly(const struct foreign_options *foreign, size_t *size)
{
	char *text = NULL;
	FILE *out = open_memstream(&text, size);
	struct ArrowArrayStream stream = foreign_stream(foreign);
	struct ArrowSchema schema;
	struct ArrowArray batch;
	assert_non_null(out);
	assert_int_equal(stream.get_schema(&stream, &schema), 0);
	for (int64_t i = 0; i < schema.n_children; i++)
		fprintf(out, "%s%s", i > 0 ? "," : "", schema.children[i]->name);
	fputs("\r\n", out);
	while (stream.get_next(&stream, &batch) == 0 && batch.release != NULL) {
		for (int64_t row = 0; row < batch.length; row++) {
			for (int64_t i = 0; i < batch.n_children; i++) {
				if (i > 0)
					fputc(',', out);
				print_cell(out, schema.children[i], batch.children[i], batch.offset + row);
			}
			fputs("\r\n", out);
		}
		batch.release(&batch);
	}
	schema.release(&schema);
	stream.release(&stream);
	fclose(out);
	return text;
}

static void check(uint64_t seed, bool replaces)
{
	const struct foreign_options foreign = { .seed = seed, .batches = 6, .replaces = replaces };
	struct histree_export_counts counts = { 0 };
	const struct histree_csv_options options = { .counts = &counts,
						     .dictionaries_grow = !replaces && seed % 2 == 0 };
	struct memory_io files;
	struct histree_error error;
	size_t size;
	memory_io_init(&files);
	char *expected = read_plainly(&foreign, &size);
	assert_ok(export(&files, &foreign, &options, &error));
	const struct memory_file *file = memory_io_find(&files, "out");
	assert_int_equal(file->size, size);
	assert_memory_equal(file->bytes, expected, size);
	assert_int_equal(counts.bytes, size);
	assert_int_equal(counts.row_groups, 6);
	free(expected);
	memory_io_release(&files);
}

TEST(test_cells)
{
	for (uint64_t seed = 0; seed < 50; seed++) {
		check(test_seed() + seed, false);
		check(test_seed() + seed, true);
	}
}

TEST(test_refused)
{
	static const struct {
		struct foreign_options foreign;
		enum histree_status status;
		const char *says;
	} rows[] = {
		{ { .batches = 2, .format = "+l" }, HISTREE_ERR_ARGUMENT, "there is no cell for '+l'" },
		{ { .batches = 2, .format = "d:10,2" }, HISTREE_ERR_ARGUMENT, "there is no cell" },
		{ { .batches = 3, .has_null_rows = true }, HISTREE_ERR_ARGUMENT, "null as a whole" },
		{ { .batches = 3, .loses_column = true }, HISTREE_ERR_ARGUMENT, "a batch of" },
		{ { .batches = 3, .fail_at = 2 }, HISTREE_ERR_IO, "" },
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct memory_io files;
		struct histree_error error = { 0 };
		memory_io_init(&files);
		assert_true(memory_io_put(&files, "out", "old", 3));
		assert_int_equal(export(&files, &rows[i].foreign, &defaults, &error), rows[i].status);
		if (strstr(error.message, rows[i].says) == NULL)
			fail_msg("'%s' does not say '%s'", error.message, rows[i].says);
		assert_int_equal(memory_io_find(&files, "out")->size, 3);
		memory_io_release(&files);
	}
}
