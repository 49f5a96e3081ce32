// SPDX-License-Identifier: MIT
/*
 * test_answer_chunk.c - rows that travel as columns arrive as they were, and no other bytes pass for them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "mpi/answer.h"
#include "support/effort.h"
#include "support/test.h"

enum { ROUNDS = 200, ATTRIBUTES = 12, ROWS = 300, TEXTS = 5 };

static const char *const texts[TEXTS] = { "", "a", "waits for a CPU", "\\/",
					  "a longer text, as paths of files are" };

/* What was written, to compare with. */
struct rows {
	struct histree_interval intervals[ROWS];
	const char *labels[ROWS], *other_labels[ROWS];
	bool has_other[ROWS];
	struct histree_value others[ROWS];
	uint32_t hosts[ATTRIBUTES], attribute_of[ROWS];
	char paths[ATTRIBUTES][16];
	uint32_t count, attribute_count;
};

static struct histree_value some_value(struct random *random)
{
	const char *text = texts[random_below(random, TEXTS)];
	switch ((enum histree_type)random_below(random, HISTREE_TYPE_COUNT)) {
	case HISTREE_INT:
		return histree_int((int32_t)random_bits(random));
	case HISTREE_LONG:
		return histree_long((int64_t)random_bits(random));
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

static struct histree_interval some_interval(struct random *random, histree_time next)
{
	histree_time start = random_percent(random, 70) ? next : (histree_time)random_bits(random);
	uint64_t room = (uint64_t)INT64_MAX - (uint64_t)start;
	uint64_t lasts = random_percent(random, 90) ? random_below(random, 100000) : random_bits(random);
	if (random_percent(random, 5))
		lasts = room;
	return (struct histree_interval){ .start = start,
					  .end = (histree_time)((uint64_t)start + (lasts < room ? lasts : room)),
					  .value = some_value(random) };
}

static void write_some(struct random *random, struct chunk_writer *writer, struct rows *rows)
{
	bool labelled = random_percent(random, 50), are_cells = random_percent(random, 50);
	histree_time next = 1457128583461504100;
	rows->count = 1 + (uint32_t)random_below(random, ROWS);
	rows->attribute_count = 0;
	for (uint32_t i = 0; i < rows->count; i++) {
		if (i == 0 || (rows->attribute_count < ATTRIBUTES && random_percent(random, 10))) {
			uint32_t attribute = rows->attribute_count++;
			rows->hosts[attribute] = (uint32_t)random_below(random, 1000);
			snprintf(rows->paths[attribute], sizeof(rows->paths[attribute]), "VM%u/CPU %u",
				 rows->hosts[attribute], attribute);
			assert_true(chunk_add_attribute(writer, rows->hosts[attribute], rows->paths[attribute],
							strlen(rows->paths[attribute])));
		}
		rows->intervals[i] = some_interval(random, next);
		rows->labels[i] =
			labelled && random_percent(random, 70) ? texts[random_below(random, TEXTS)] : NULL;
		rows->attribute_of[i] = rows->attribute_count - 1;
		next = (histree_time)((uint64_t)rows->intervals[i].end + 1);
		assert_true(chunk_add_row(writer, &rows->intervals[i], rows->labels[i]));
		rows->has_other[i] = are_cells && random_percent(random, 60);
		if (!rows->has_other[i])
			continue;
		rows->others[i] = some_value(random);
		rows->other_labels[i] =
			labelled && random_percent(random, 70) ? texts[random_below(random, TEXTS)] : NULL;
		assert_true(chunk_add_other(writer, &rows->others[i], rows->other_labels[i]));
	}
}

static void check(const struct chunk *chunk, const struct rows *rows)
{
	assert_int_equal(chunk->row_count, rows->count);
	assert_int_equal(chunk->attribute_count, rows->attribute_count);
	for (uint32_t i = 0; i < rows->count; i++) {
		const struct chunk_row *row = &chunk->rows[i];
		const struct chunk_attribute *attribute = &chunk->attributes[row->attribute];
		const char *path = rows->paths[rows->attribute_of[i]];
		assert_int_equal(row->attribute, rows->attribute_of[i]);
		assert_int_equal(attribute->host, rows->hosts[row->attribute]);
		assert_int_equal(attribute->path.size, strlen(path));
		assert_memory_equal(attribute->path.bytes, path, strlen(path));
		assert_true(row->start == rows->intervals[i].start && row->end == rows->intervals[i].end);
		assert_true(histree_value_equal(&row->value, &rows->intervals[i].value));
		assert_int_equal(row->label == NULL, rows->labels[i] == NULL);
		if (row->label != NULL)
			assert_string_equal(row->label, rows->labels[i]);
		assert_int_equal(row->has_other, rows->has_other[i]);
		if (!row->has_other)
			continue;
		assert_true(histree_value_equal(&row->other, &rows->others[i]));
		assert_int_equal(row->other_label == NULL, rows->other_labels[i] == NULL);
		if (row->other_label != NULL)
			assert_string_equal(row->other_label, rows->other_labels[i]);
	}
}

static void rows_arrive_as_they_were(void **state)
{
	(void)state;
	struct random random = { .state = test_seed() };
	struct chunk_writer writer = { 0 };
	struct chunk chunk = { 0 };
	struct message message = { 0 };
	struct histree_error error;
	static struct rows rows;
	for (int i = 0; i < ROUNDS; i++) {
		write_some(&random, &writer, &rows);
		message_clear(&message);
		chunk_write(&writer, &message);
		assert_int_equal(chunk_read(&chunk, message.bytes, message.size, &error), HISTREE_OK);
		check(&chunk, &rows);
	}
	chunk_release(&chunk);
	chunk_writer_release(&writer);
	message_release(&message);
}

/* One that ends early is refused; so is one with more behind it. */
static void no_part_of_a_chunk_is_one(void **state)
{
	(void)state;
	struct random random = { .state = test_seed() + 1 };
	struct chunk_writer writer = { 0 };
	struct chunk chunk = { 0 };
	struct message message = { 0 };
	struct histree_error error;
	static struct rows rows;
	write_some(&random, &writer, &rows);
	chunk_write(&writer, &message);
	for (size_t size = 0; size < message.size; size++) {
		uint8_t *cut = malloc(size + 1); /* a reader that goes too far meets the sanitizer */
		memcpy(cut, message.bytes, size);
		assert_int_equal(chunk_read(&chunk, cut, size, &error), HISTREE_ERR_FORMAT);
		assert_int_equal(chunk.row_count, 0);
		free(cut);
	}
	message_byte(&message, 0);
	assert_int_equal(chunk_read(&chunk, message.bytes, message.size, &error), HISTREE_ERR_FORMAT);
	chunk_release(&chunk);
	chunk_writer_release(&writer);
	message_release(&message);
}

/* Any change gives an error, or rows whose indices are those of things that there are. */
static void changed_bytes_do_no_harm(void **state)
{
	(void)state;
	struct random random = { .state = test_seed() + 2 };
	struct chunk_writer writer = { 0 };
	struct chunk chunk = { 0 };
	struct message message = { 0 };
	static struct rows rows;
	write_some(&random, &writer, &rows);
	chunk_write(&writer, &message);
	for (size_t i = 0; i < message.size; i++) {
		uint8_t was = message.bytes[i];
		message.bytes[i] = (uint8_t)(was ^ (1 + random_below(&random, 255)));
		if (chunk_read(&chunk, message.bytes, message.size, NULL) == HISTREE_OK)
			for (uint32_t row = 0; row < chunk.row_count; row++) {
				assert_true(chunk.rows[row].attribute < chunk.attribute_count);
				assert_true(chunk.rows[row].start <= chunk.rows[row].end);
			}
		message.bytes[i] = was;
	}
	chunk_release(&chunk);
	chunk_writer_release(&writer);
	message_release(&message);
}

static void a_chunk_says_when_it_is_full(void **state)
{
	(void)state;
	struct chunk_writer writer = { 0 };
	const struct histree_interval interval = { .start = 1, .end = 2, .value = histree_int(3) };
	uint32_t rows = 0;
	assert_true(chunk_add_attribute(&writer, 0, "a", 1));
	for (; !chunk_is_full(&writer); rows++)
		assert_true(chunk_add_row(&writer, &interval, NULL));
	assert_int_equal(rows, CHUNK_ROWS_MAX);
	chunk_writer_release(&writer);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_arrive_as_they_were),
		cmocka_unit_test(no_part_of_a_chunk_is_one),
		cmocka_unit_test(changed_bytes_do_no_harm),
		cmocka_unit_test(a_chunk_says_when_it_is_full),
	};
	return cmocka_run_group_tests_name("answer_chunk", tests, NULL, NULL);
}
