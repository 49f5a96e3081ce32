// SPDX-License-Identifier: MIT
#include "support/random_columns.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_text.h"
#include "base/hash_index.h"

enum { SPECS = 22, TEXT_MAX = 300, PAD_MAX = 10, BATCH_MAX = 900, ENTRIES_MAX = 400 };

/* What the numbers of a column are like. */
enum shape { CONSTANT, RISING, ANYTHING, SMALL, FEW, EDGES, SHAPES };

struct spec {
	const char *format, *values; /* values: of a dictionary; NULL: there is none */
	bool is_fixed;               /* it never has nulls */
};

/* The first two are what rows can be sorted by. */
static const struct spec specs[SPECS] = {
	{ "I", NULL, true },     { "tsn:UTC", NULL, true }, { "b", NULL, false },    { "c", NULL, false },
	{ "C", NULL, false },    { "s", NULL, false },      { "S", NULL, false },    { "i", NULL, false },
	{ "I", NULL, false },    { "l", NULL, false },      { "L", NULL, false },    { "g", NULL, false },
	{ "u", NULL, false },    { "U", NULL, false },      { "tsn:", NULL, false }, { "tsu:UTC", NULL, false },
	{ "tsm:", NULL, false }, { "C", "u", false },       { "I", "u", false },     { "i", "U", false },
	{ "l", "u", false },     { "S", "u", true },
};

struct text {
	char bytes[TEXT_MAX];
	size_t size;
	bool is_null;
};

struct column {
	enum shape shape;
	unsigned null_percent, text_pieces;
	bool is_nullable, grows;
	uint64_t base; /* where numbers begin */
	struct text *entries;
	size_t entry_count;
};

struct columns {
	struct random random;
	size_t rows_left;
	FILE *expected;
	unsigned batch, fail_at;
	struct column columns[SPECS];
};

/* ---- memory: one array of pointers a structure ------------------------------------------------------------ */

static void *must_have(size_t size)
{
	void *memory = calloc(1, size + 8);
	if (memory == NULL)
		abort(); /* a test without memory is none */
	return memory;
}

static void release_array(struct ArrowArray *array)
{
	for (int64_t i = 0; i < array->n_children; i++) {
		release_array(array->children[i]);
		free(array->children[i]);
	}
	if (array->dictionary != NULL) {
		release_array(array->dictionary);
		free(array->dictionary);
	}
	for (int64_t i = 0; i < array->n_buffers; i++)
		free((void *)(uintptr_t)array->buffers[i]);
	free(array->children);
	free(array->buffers);
	array->release = NULL;
}

static void release_schema(struct ArrowSchema *schema)
{
	for (int64_t i = 0; i < schema->n_children; i++) {
		release_schema(schema->children[i]);
		free(schema->children[i]);
	}
	free(schema->dictionary);
	free(schema->children);
	free((char *)(uintptr_t)schema->name);
	schema->release = NULL;
}

static struct ArrowArray *make_array(size_t buffers, size_t length, size_t offset)
{
	struct ArrowArray *array = must_have(sizeof(*array));
	*array = (struct ArrowArray){ .length = (int64_t)length,
				      .offset = (int64_t)offset,
				      .release = release_array };
	array->n_buffers = (int64_t)buffers;
	array->buffers = must_have(buffers * sizeof(*array->buffers));
	return array;
}

/* ---- values ----------------------------------------------------------------------------------------------- */

static uint64_t random_number(struct random *random, struct column *column)
{
	static const uint64_t edges[] = { 0,
					  1,
					  UINT64_MAX,
					  INT64_MAX,
					  (uint64_t)INT64_MIN,
					  INT32_MAX,
					  (uint64_t)INT32_MIN,
					  UINT32_MAX,
					  127,
					  128,
					  255,
					  32767,
					  32768,
					  65535 };
	switch (column->shape) {
	case CONSTANT:
		return column->base;
	case RISING:
		return column->base += random_below(random, 1000);
	case SMALL:
		return random_below(random, 5);
	case FEW:
		return hash_mix(random_below(random, 7) + column->base);
	case EDGES:
		return edges[random_below(random, sizeof(edges) / sizeof(*edges))];
	default:
		return random_bits(random);
	}
}

/* A time that DuckDB has as well: some at the far ends of int64 are infinite there. */
static int64_t limit_time(uint64_t number, const char *format)
{
	int64_t max = format[2] == 'n'   ? INT64_C(9000000000000000000)
		      : format[2] == 'u' ? INT64_C(1) << 52
					 : INT64_C(1) << 42;
	return (int64_t)number % max;
}

static uint64_t real_bits(struct random *random, struct column *column)
{
	static const double edges[] = { 0.0, -0.0, 1.0, -1.5, 1e300, -1e300, 5e-324, 1.0 / 3 };
	double real;
	if (random_percent(random, column->shape == EDGES ? 30 : 3))
		return random_percent(random, 50) ? UINT64_C(0x7ff8000000000000) : UINT64_C(0xfff0000000000000);
	if (column->shape == ANYTHING)
		real = (double)random_bits(random) / 1e6;
	else if (column->shape == RISING)
		real = (double)(column->base += random_below(random, 9)) / 8;
	else
		real = edges[random_below(random, sizeof(edges) / sizeof(*edges))];
	uint64_t bits;
	memcpy(&bits, &real, sizeof(bits));
	return bits;
}

static void random_text(struct random *random, struct column *column, struct text *text)
{
	static const char *const pieces[] = {
		"a",      "Threads/",    "\xc3\xa9t\xc3\xa9", "\xe6\x97\xa5\xe6\x9c\xac", "\xf0\x9f\x90\xa7",
		"\"\\\n", "plain words", "0123456789"
	};
	size_t count = random_below(random, column->text_pieces + 1);
	text->size = 0;
	text->is_null = false;
	for (size_t i = 0; i < count; i++) {
		const char *piece = pieces[random_below(random, sizeof(pieces) / sizeof(*pieces))];
		size_t size = strlen(piece);
		if (text->size + size > TEXT_MAX)
			break;
		memcpy(text->bytes + text->size, piece, size);
		text->size += size;
	}
}

/* ---- cells ------------------------------------------------------------------------------------------------- */

static void print_text(FILE *file, const char *bytes, size_t size)
{
	putc('"', file);
	while (size > 0) {
		struct json_piece piece = json_piece_next(bytes, size);
		fwrite(bytes, 1, piece.plain, file);
		fwrite(piece.escape, 1, piece.escape_size, file);
		bytes += piece.taken, size -= piece.taken;
	}
	putc('"', file);
}

static void print_number(FILE *file, const char *format, uint64_t number)
{
	double real;
	memcpy(&real, &number, sizeof(real));
	if (strcmp(format, "g") == 0 && real != real)
		fputs("\"nan\"", file);
	else if (strcmp(format, "g") == 0 || format[0] == 'L')
		fprintf(file, "\"%" PRIu64 "\"", number);
	else
		fprintf(file, "\"%" PRId64 "\"", (int64_t)number);
}

/* Bytes of a number; 0: a bit. */
static size_t size_of(const char *format)
{
	switch (format[0]) {
	case 'b':
		return 0;
	case 'c':
	case 'C':
		return 1;
	case 's':
	case 'S':
		return 2;
	case 'i':
	case 'I':
		return 4;
	default:
		return 8;
	}
}

/* The number as it is in so many bytes. */
static uint64_t cut_number(const char *format, uint64_t number)
{
	switch (format[0]) {
	case 'b':
		return number & 1;
	case 'c':
		return (uint64_t)(int64_t)(int8_t)number;
	case 'C':
		return (uint8_t)number;
	case 's':
		return (uint64_t)(int64_t)(int16_t)number;
	case 'S':
		return (uint16_t)number;
	case 'i':
		return (uint64_t)(int64_t)(int32_t)number;
	case 'I':
		return (uint32_t)number;
	case 't':
		return (uint64_t)limit_time(number, format);
	default:
		return number;
	}
}

static void store_number(uint8_t *values, const char *format, size_t at, uint64_t number)
{
	size_t size = size_of(format);
	if (size == 0 && (number & 1) != 0)
		values[at / 8] |= (uint8_t)(1 << at % 8);
	for (size_t i = 0; i < size; i++)
		values[at * size + i] = (uint8_t)(number >> (8 * i));
}

/* ---- arrays ------------------------------------------------------------------------------------------------ */

struct texts {
	char *bytes;
	size_t size, capacity;
};

static void add_text(struct ArrowArray *array, struct texts *texts, bool is_large, size_t at,
		     const struct text *text)
{
	if (texts->size + text->size > texts->capacity) {
		texts->capacity = 2 * texts->capacity + TEXT_MAX;
		texts->bytes = realloc(texts->bytes, texts->capacity);
		if (texts->bytes == NULL)
			abort();
	}
	if (text->size > 0)
		memcpy(texts->bytes + texts->size, text->bytes, text->size);
	texts->size += text->size;
	uint8_t *offsets = (uint8_t *)(uintptr_t)array->buffers[1];
	uint64_t end = texts->size;
	memcpy(offsets + (at + 1) * (is_large ? 8 : 4), &end,
	       is_large ? 8 : 4); /* little endian, as the tests are */
}

static void set_null(struct ArrowArray *array, size_t bits, size_t at, bool is_null)
{
	uint8_t *valid = (uint8_t *)(uintptr_t)array->buffers[0];
	if (valid == NULL) {
		if (!is_null)
			return;
		array->buffers[0] = valid = must_have(bits / 8 + 1);
		memset(valid, 0xff, bits / 8 + 1);
	}
	if (is_null) {
		valid[at / 8] &= (uint8_t) ~(1 << at % 8);
		array->null_count = -1; /* not counted: whoever wants to know counts */
	}
}

static struct ArrowArray *make_dictionary(struct random *random, struct column *column, const char *values)
{
	size_t pad = random_below(random, PAD_MAX);
	struct texts texts = { 0 };
	bool is_large = values[0] == 'U';
	struct ArrowArray *array = make_array(3, column->entry_count, pad);
	size_t all = pad + column->entry_count;
	array->buffers[1] = must_have((all + 1) * 8);
	for (size_t i = 0; i < all; i++) {
		struct text none = { .size = 0 };
		const struct text *text = i < pad ? &none : &column->entries[i - pad];
		add_text(array, &texts, is_large, i, text);
		set_null(array, all, i, text->is_null);
	}
	array->buffers[2] = texts.bytes != NULL ? texts.bytes : must_have(1);
	return array;
}

/* More entries than before, or others. */
static void change_entries(struct random *random, struct column *column, const char *format)
{
	size_t max = format[0] == 'C' ? 200 : ENTRIES_MAX;
	if (column->entries == NULL)
		column->entries = must_have(ENTRIES_MAX * sizeof(*column->entries));
	size_t old = column->grows ? column->entry_count : 0;
	size_t count = old + 1 + random_below(random, 60);
	column->entry_count = count < max ? count : max;
	for (size_t i = old; i < column->entry_count; i++) {
		random_text(random, column, &column->entries[i]);
		if (column->is_nullable && random_percent(random, column->null_percent / 4))
			column->entries[i].is_null = true, column->entries[i].size = 0;
	}
}

/* Make a column of a batch; `cells` gets what is in its rows, `skip` rows are before them. */
static struct ArrowArray *make_column(struct columns *columns, const struct spec *spec, struct column *column,
				      size_t skip, size_t rows, FILE **cells)
{
	struct random *random = &columns->random;
	const char *format = spec->format;
	bool is_text = format[0] == 'u' || format[0] == 'U';
	size_t pad = random_below(random, PAD_MAX), all = pad + skip + rows;
	struct texts texts = { 0 };
	struct ArrowArray *array = make_array(is_text ? 3 : 2, skip + rows, pad);
	array->buffers[1] = must_have((all + 1) * 8);
	if (spec->values != NULL) {
		change_entries(random, column, format);
		array->dictionary = make_dictionary(random, column, spec->values);
	}
	for (size_t i = 0; i < all; i++) {
		FILE *cell = i < pad + skip ? NULL : cells[i - pad - skip];
		bool is_null = column->is_nullable && random_percent(random, column->null_percent);
		struct text text;
		uint64_t number = 0;
		if (is_text) {
			random_text(random, column, &text);
			add_text(array, &texts, format[0] == 'U', i, &text);
		} else if (spec->values != NULL) {
			number = random_below(random, column->entry_count);
			text = column->entries[number];
			store_number((uint8_t *)(uintptr_t)array->buffers[1], format, i,
				     is_null ? random_bits(random) : number);
		} else {
			number = format[0] == 'g' ? real_bits(random, column) : random_number(random, column);
			number = cut_number(format, number);
			store_number((uint8_t *)(uintptr_t)array->buffers[1], format, i, number);
		}
		set_null(array, all, i, is_null);
		if (cell == NULL)
			continue;
		if (is_null || (spec->values != NULL && text.is_null))
			fputs("null", cell);
		else if (is_text || spec->values != NULL)
			print_text(cell, text.bytes, text.size);
		else
			print_number(cell, format, number);
	}
	if (is_text)
		array->buffers[2] = texts.bytes != NULL ? texts.bytes : must_have(1);
	return array;
}

static void print_rows(FILE *expected, FILE **cells, char **lines, size_t rows)
{
	for (size_t i = 0; i < rows; i++) {
		fclose(cells[i]);
		if (expected != NULL)
			fprintf(expected, "[%s]\n", lines[i]);
		free(lines[i]);
	}
}

static int get_next(struct ArrowArrayStream *stream, struct ArrowArray *out)
{
	struct columns *columns = stream->private_data;
	*out = (struct ArrowArray){ 0 };
	if (++columns->batch == columns->fail_at)
		return EIO;
	if (columns->rows_left == 0)
		return 0;
	size_t rows = random_below(&columns->random, BATCH_MAX), skip = random_below(&columns->random, 4);
	rows = rows < columns->rows_left ? rows : columns->rows_left;
	columns->rows_left -= rows;
	FILE *cells[BATCH_MAX];
	char *lines[BATCH_MAX];
	size_t sizes[BATCH_MAX];
	for (size_t i = 0; i < rows; i++)
		if ((cells[i] = open_memstream(&lines[i], &sizes[i])) == NULL)
			abort();
	struct ArrowArray *batch = make_array(1, rows, skip);
	batch->n_children = SPECS;
	batch->children = must_have(SPECS * sizeof(*batch->children));
	for (size_t i = 0; i < SPECS; i++) {
		batch->children[i] = make_column(columns, &specs[i], &columns->columns[i], skip, rows, cells);
		for (size_t row = 0; row < rows && i + 1 < SPECS; row++)
			putc(',', cells[row]);
	}
	print_rows(columns->expected, cells, lines, rows);
	*out = *batch;
	free(batch);
	return 0;
}

static int get_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out)
{
	struct columns *columns = stream->private_data;
	*out = (struct ArrowSchema){ .format = "+s", .n_children = SPECS, .release = release_schema };
	out->children = must_have(SPECS * sizeof(*out->children));
	for (size_t i = 0; i < SPECS; i++) {
		struct ArrowSchema *child = out->children[i] = must_have(sizeof(*child));
		char name[32];
		snprintf(name, sizeof(name), i == 0 ? "quark" : i == 1 ? "start" : "c%zu %s", i, specs[i].format);
		*child = (struct ArrowSchema){ .format = specs[i].format,
					       .name = strdup(name),
					       .release = release_schema };
		child->flags = columns->columns[i].is_nullable ? ARROW_FLAG_NULLABLE : 0;
		if (specs[i].values == NULL)
			continue;
		child->dictionary = must_have(sizeof(*child));
		*child->dictionary = (struct ArrowSchema){ .format = specs[i].values, .release = release_schema };
	}
	return 0;
}

static const char *get_last_error(struct ArrowArrayStream *stream)
{
	(void)stream;
	return "the stream was told to fail";
}

static void release_stream(struct ArrowArrayStream *stream)
{
	struct columns *columns = stream->private_data;
	for (size_t i = 0; i < SPECS; i++)
		free(columns->columns[i].entries);
	free(columns);
	stream->release = NULL;
}

bool random_columns_open(struct ArrowArrayStream *out, uint64_t seed, size_t rows_max, FILE *expected)
{
	static const unsigned percents[] = { 0, 10, 50, 95, 100 };
	struct columns *columns = calloc(1, sizeof(*columns));
	if (columns == NULL)
		return false;
	columns->random.state = seed;
	columns->expected = expected;
	columns->rows_left = random_percent(&columns->random, 5) ? 0 : random_below(&columns->random, rows_max + 1);
	for (size_t i = 0; i < SPECS; i++) {
		struct column *column = &columns->columns[i];
		*column = (struct column){
			.shape = (enum shape)random_below(&columns->random, SHAPES),
			.null_percent = percents[random_below(&columns->random, 5)],
			.text_pieces = random_percent(&columns->random, 20) ? 60 : 3,
			.is_nullable = !specs[i].is_fixed && random_percent(&columns->random, 75),
			.grows = random_percent(&columns->random, 60),
			.base = random_bits(&columns->random) >> random_below(&columns->random, 64),
		};
	}
	*out = (struct ArrowArrayStream){ .get_schema = get_schema,
					  .get_next = get_next,
					  .get_last_error = get_last_error,
					  .release = release_stream,
					  .private_data = columns };
	return true;
}

void random_columns_fail_at(struct ArrowArrayStream *stream, unsigned batch)
{
	struct columns *columns = stream->private_data;
	columns->fail_at = batch;
}
