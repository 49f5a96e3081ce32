// SPDX-License-Identifier: MIT
/*
 * test_rank_columns.c - rows that travel as columns arrive as they were, and no other bytes pass for them.
 */
#include "base/hash_index.h"
#include "mpi/stream.h"
#include "support/effort.h"
#include "support/test.h"

enum { ROUNDS = 200, ROWS = 300, TEXTS = 5, FIELDS = 4 };

static const char *const texts[TEXTS] = { "", "a", "waits for a CPU", "\\/",
					  "a longer text, as paths of files are" };

/* What was written, to compare with. */
struct rows {
	enum column_layout layout;
	uint32_t count;
	size_t value_count;
	int64_t numbers[ROWS][COLUMNS_NUMBERS_MAX];
	struct histree_value values[ROWS][FIELDS];
	bool has[ROWS][FIELDS];
};

static struct histree_value some_value(struct random *random)
{
	const char *text = texts[random_below(random, TEXTS)];
	switch ((enum histree_type)random_below(random, HISTREE_TYPE_COUNT)) {
	case HISTREE_INT:
		return histree_int((int32_t)random_bits(random));
	case HISTREE_LONG:
		return random_percent(random, 30) ? histree_unsigned(random_bits(random))
						  : histree_long((int64_t)random_bits(random));
	case HISTREE_DOUBLE:
		return histree_double((double)random_bits(random) / 3);
	case HISTREE_BOOL:
		return histree_bool(random_percent(random, 50));
	case HISTREE_STRING:
		return histree_string(text);
	case HISTREE_CUSTOM:
		return histree_custom(text, strlen(text));
	case HISTREE_UNKNOWN:
		return histree_unknown();
	case HISTREE_NULL:
		break;
	}
	return histree_null();
}

static void write_times(struct random *random, struct column_writer *writer, int64_t *times, size_t column,
			uint64_t *next)
{
	histree_time start = random_percent(random, 70) ? (histree_time)*next : (histree_time)random_bits(random);
	uint64_t room = (uint64_t)INT64_MAX - (uint64_t)start;
	uint64_t lasts = random_percent(random, 90) ? random_below(random, 100000) : random_bits(random);
	if (random_percent(random, 5))
		lasts = room;
	times[column] = start;
	times[column + 1] = (histree_time)((uint64_t)start + (lasts < room ? lasts : room));
	*next = (uint64_t)times[column + 1] + 1;
	columns_add_times(writer, column, times[column], times[column + 1]);
}

static void write_some(struct random *random, struct column_writer *writer, struct rows *rows)
{
	uint64_t next = 1457128583461504100;
	size_t of_some = (size_t)random_below(random, FIELDS + 1);
	rows->layout = (enum column_layout)random_below(random, COLUMN_LAYOUTS);
	rows->value_count = rows->layout == STATE_ROWS ? 1 : (size_t)random_below(random, FIELDS + 1);
	rows->count = 1 + (uint32_t)random_below(random, ROWS);
	columns_begin(writer, rows->layout, rows->value_count);
	for (uint32_t row = 0; row < rows->count; row++) {
		int64_t *numbers = rows->numbers[row];
		size_t plain = rows->layout == EVENT_ROWS ? 3 : rows->layout == STATE_ROWS ? 1 : 0;
		for (size_t i = 0; i < plain; i++) {
			numbers[i] = random_percent(random, 80) ? (int64_t)random_below(random, 50)
								: (int64_t)random_bits(random);
			columns_add_number(writer, i, numbers[i]);
		}
		if (rows->layout != EVENT_ROWS)
			write_times(random, writer, numbers, plain, &next);
		for (size_t i = 0; i < rows->value_count; i++) {
			rows->has[row][i] = i != of_some && random_percent(random, 95);
			rows->values[row][i] = some_value(random);
			columns_add_value(writer, i, rows->has[row][i] ? &rows->values[row][i] : NULL);
		}
		columns_end_row(writer);
	}
}

static void check(const struct columns *columns, const struct rows *rows)
{
	assert_int_equal(columns->rows, rows->count);
	assert_int_equal(columns->value_count, rows->value_count);
	for (uint32_t row = 0; row < rows->count; row++) {
		const struct histree_value *values = columns_values(columns, row);
		assert_memory_equal(columns_numbers(columns, row), rows->numbers[row],
				    columns->number_count * sizeof(int64_t));
		for (size_t i = 0; i < rows->value_count; i++) {
			const struct histree_value *wanted = &rows->values[row][i];
			assert_int_equal(columns_has(&values[i]), rows->has[row][i]);
			if (!rows->has[row][i])
				continue;
			assert_true(histree_value_equal(&values[i], wanted));
			assert_int_equal(values[i].size, wanted->size);
			if (wanted->type == HISTREE_STRING)
				assert_string_equal(values[i].bytes, wanted->bytes);
		}
	}
}

TEST(rows_arrive_as_they_were)
{
	struct random random = { .state = test_seed() };
	struct column_writer writer = { 0 };
	struct columns columns = { 0 };
	struct byte_buffer message = { 0 };
	struct histree_error error;
	static struct rows rows;
	for (int i = 0; i < ROUNDS; i++) {
		write_some(&random, &writer, &rows);
		byte_buffer_clear(&message);
		columns_write(&writer, &message);
		struct byte_reader reader = byte_reader(message.bytes, message.size);
		assert_ok(columns_read(&columns, rows.layout, &reader, &error));
		check(&columns, &rows);
	}
	columns_release(&columns);
	column_writer_release(&writer);
	byte_buffer_release(&message);
}

/* Rows that end early are refused; so are rows with more behind them, or of another layout. */
TEST(no_part_of_rows_is_rows)
{
	struct random random = { .state = test_seed() + 1 };
	struct column_writer writer = { 0 };
	struct columns columns = { 0 };
	struct byte_buffer message = { 0 };
	struct histree_error error;
	static struct rows rows;
	write_some(&random, &writer, &rows);
	columns_write(&writer, &message);
	for (size_t size = 0; size < message.size; size++) {
		uint8_t *cut = malloc(size + 1); /* a reader that goes too far meets the sanitizer */
		memcpy(cut, message.bytes, size);
		struct byte_reader reader = byte_reader(cut, size);
		assert_int_equal(columns_read(&columns, rows.layout, &reader, &error), HISTREE_ERR_FORMAT);
		assert_int_equal(columns.rows, 0);
		free(cut);
	}
	struct byte_reader other = byte_reader(message.bytes, message.size);
	assert_int_equal(columns_read(&columns, (rows.layout + 1) % COLUMN_LAYOUTS, &other, &error),
			 HISTREE_ERR_FORMAT);
	byte_buffer_put_byte(&message, 0);
	struct byte_reader reader = byte_reader(message.bytes, message.size);
	assert_int_equal(columns_read(&columns, rows.layout, &reader, &error), HISTREE_ERR_FORMAT);
	columns_release(&columns);
	column_writer_release(&writer);
	byte_buffer_release(&message);
}

/* Any change gives an error, or rows with ends behind their starts and types that there are. */
TEST(changed_bytes_do_no_harm)
{
	struct random random = { .state = test_seed() + 2 };
	struct column_writer writer = { 0 };
	struct columns columns = { 0 };
	struct byte_buffer message = { 0 };
	static struct rows rows;
	do
		write_some(&random, &writer, &rows);
	while (rows.layout != STATE_ROWS);
	columns_write(&writer, &message);
	for (size_t i = 0; i < message.size; i++) {
		uint8_t was = message.bytes[i];
		message.bytes[i] = (uint8_t)(was ^ (1 + random_below(&random, 255)));
		struct byte_reader reader = byte_reader(message.bytes, message.size);
		if (columns_read(&columns, STATE_ROWS, &reader, NULL) == HISTREE_OK)
			for (uint32_t row = 0; row < columns.rows; row++) {
				const int64_t *numbers = columns_numbers(&columns, row);
				assert_true(numbers[STATE_START] <= numbers[STATE_END]);
				assert_true(columns_values(&columns, row)->type < HISTREE_TYPE_COUNT);
			}
		message.bytes[i] = was;
	}
	columns_release(&columns);
	column_writer_release(&writer);
	byte_buffer_release(&message);
}

static uint32_t rows_until_full(struct column_writer *writer, const struct histree_value *value)
{
	columns_begin(writer, STATE_ROWS, 1);
	while (!columns_are_full(writer)) {
		columns_add_number(writer, STATE_ATTRIBUTE, 7);
		columns_add_times(writer, STATE_START, 1, 2);
		columns_add_value(writer, 0, value);
		columns_end_row(writer);
	}
	return writer->rows;
}

TEST(rows_say_when_they_are_enough)
{
	static char text[COLUMNS_BYTES_MAX];
	struct column_writer writer = { 0 };
	const struct histree_value small = histree_int(3), large = histree_string_n(text, sizeof(text));
	assert_int_equal(rows_until_full(&writer, &small), COLUMNS_ROWS_MAX);
	assert_int_equal(rows_until_full(&writer, &large), 1);
	column_writer_release(&writer);
}
