// SPDX-License-Identifier: MIT
/*
 * test_columns.c - answers as columns: each type, nulls, empty answers, small batches, and releases in any order.
 */
#include <errno.h>

#include "base/json_text.h"
#include "histree/attributes.h"
#include "histree/columns.h"
#include "histree/history.h"
#include "support/arrow_cells.h"
#include "support/test.h"

enum { QUARK, PATH, START, END, DURATION, TYPE, VALUE, REAL, TEXT, LABEL, PARTS };

static struct histree_history *make_history(const char *path)
{
	const struct histree_history_options options = { .path = path, .start = 100 };
	struct histree_state_system *system;
	struct histree_history *history;
	struct histree_error error = { 0 };
	histree_quark quark[8];
	unlink(path);
	assert_ok(histree_state_create(&options, &system, &error));
	for (unsigned i = 0; i < 8; i++) {
		char name[16];
		snprintf(name, sizeof(name), "a/%u", i);
		assert_ok(histree_state_attribute(system, HISTREE_ROOT, name, &quark[i], &error));
	}
	const struct histree_value values[] = {
		histree_int(-7),
		histree_long(INT64_MIN),
		histree_double(0.5),
		histree_bool(true),
		histree_string("na\xc3\xafve"),
		histree_custom("\x01\xab", 2),
		histree_string("bad \xff!"),
		histree_string(""),
	};
	for (unsigned i = 0; i < 8; i++)
		assert_ok(histree_state_modify(system, 110, quark[i], values[i], &error));
	static const char *const patterns[] = { "a/0", "a/3", NULL };
	static const struct histree_label labels[] = {
		{ .first = -7, .last = -7, .is_code = true, .style = { "SEVEN", "seven below", 0, 0, 1 } },
		{ .first = 1, .last = 1, .is_code = false, .style = { "DRAWN", "only drawn", 0, 0, 1 } },
	};
	static const struct histree_label_table table = {
		.name = "test", .patterns = patterns, .labels = labels, .label_count = 2
	};
	assert_ok(histree_state_labels(system, &table, 1, &error));
	assert_ok(histree_state_close(system, 200, &error));
	histree_state_free(system);
	assert_ok(histree_history_open(path, NULL, &history, &error));
	return history;
}

static int set_up(void **state)
{
	static char path[64];
	snprintf(path, sizeof(path), "columns-%d.sht", (int)getpid());
	*state = make_history(path);
	unlink(path);
	return 0;
}

static int tear_down(void **state)
{
	histree_history_close(*state);
	return 0;
}

static const struct histree_region everything = { .from = 100, .to = 200 };

static struct ArrowArrayStream open_stream(struct histree_history *history,
					   const struct histree_arrow_options *options)
{
	struct ArrowArrayStream stream;
	struct histree_error error = { 0 };
	assert_ok(histree_query_arrow(history, &everything, options, &stream, &error));
	return stream;
}

static struct ArrowArray next_batch(struct ArrowArrayStream *stream)
{
	struct ArrowArray batch;
	assert_int_equal(stream->get_next(stream, &batch), 0);
	return batch;
}

static void assert_text(const char *text, size_t size, const char *expected)
{
	if (!arrow_text_is(text, size, expected))
		fail_msg("'%.*s' instead of '%s'", text != NULL ? (int)size : 0, text != NULL ? text : "",
			 expected);
}

/* ---- schemas ------------------------------------------------------------------------------------------ */

TEST(test_schema)
{
	static const struct {
		const char *name, *format, *dictionary;
		int64_t flags;
	} expected[PARTS] = {
		{ "quark", "I", NULL, 0 },
		{ "path", "I", "u", 0 },
		{ "start", "tsn:UTC", NULL, 0 },
		{ "end", "tsn:UTC", NULL, 0 },
		{ "duration", "l", NULL, 0 },
		{ "type", "C", "u", 0 },
		{ "value", "l", NULL, ARROW_FLAG_NULLABLE },
		{ "real", "g", NULL, ARROW_FLAG_NULLABLE },
		{ "text", "I", "u", ARROW_FLAG_NULLABLE },
		{ "label", "I", "u", ARROW_FLAG_NULLABLE },
	};
	struct ArrowArrayStream stream = open_stream(*state, NULL);
	struct ArrowSchema schema;
	assert_int_equal(stream.get_schema(&stream, &schema), 0);
	stream.release(&stream);
	assert_string_equal(schema.format, "+s");
	assert_int_equal(schema.n_children, PARTS);
	for (int i = 0; i < PARTS; i++) {
		assert_string_equal(schema.children[i]->name, expected[i].name);
		assert_string_equal(schema.children[i]->format, expected[i].format);
		assert_int_equal(schema.children[i]->flags, expected[i].flags);
		assert_int_equal(schema.children[i]->dictionary != NULL, expected[i].dictionary != NULL);
		if (expected[i].dictionary != NULL)
			assert_string_equal(schema.children[i]->dictionary->format, expected[i].dictionary);
	}
	/* A column that is moved away outlives the schema. */
	struct ArrowSchema moved = *schema.children[PATH];
	schema.children[PATH]->release = NULL;
	schema.release(&schema);
	assert_null(schema.release);
	assert_string_equal(moved.name, "path");
	assert_string_equal(moved.dictionary->format, "u");
	moved.release(&moved);
	assert_null(moved.release);
}

/* ---- values ------------------------------------------------------------------------------------------- */

/* The row of the state of a path after the first; -1: there is none. */
static int64_t find_row(const struct ArrowArray *batch, const char *path)
{
	for (int64_t row = 0; row < batch->length; row++) {
		size_t size = 0;
		const char *text = arrow_word(batch->children[PATH], row, &size);
		if (arrow_text_is(text, size, path) && arrow_int64(batch->children[START], row) == 110)
			return row;
	}
	return -1;
}

TEST(test_values)
{
	static const struct {
		const char *path, *type, *text;
		bool has_value, has_real;
		int64_t value;
	} expected[] = {
		{ "a/0", "int", NULL, true, false, -7 },
		{ "a/1", "long", NULL, true, false, INT64_MIN },
		{ "a/2", "double", NULL, false, true, 0 },
		{ "a/3", "bool", NULL, true, false, 1 },
		{ "a/4", "string", "na\xc3\xafve", false, false, 0 },
		{ "a/5", "custom", "01ab", false, false, 0 },
		{ "a/6", "string", "bad \xef\xbf\xbd!", false, false, 0 },
		{ "a/7", "string", "", false, false, 0 },
	};
	struct ArrowArrayStream stream = open_stream(*state, NULL);
	struct ArrowArray batch = next_batch(&stream), end = next_batch(&stream);
	assert_null(end.release);
	assert_int_equal(histree_arrow_loss(&stream).nodes, 0);
	stream.release(&stream);
	assert_int_equal(batch.length, 17); /* nine nulls, one of them of "a", and eight values */
	for (int i = 0; i < PARTS; i++) {
		assert_int_equal(batch.children[i]->length, batch.length);
		assert_int_equal(batch.children[i]->null_count, arrow_count_nulls(batch.children[i]));
		assert_int_equal((uintptr_t)batch.children[i]->buffers[1] % 64, 0);
	}
	for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++) {
		int64_t row = find_row(&batch, expected[i].path);
		size_t size = 0;
		assert_true(row >= 0);
		const char *text = arrow_short(batch.children[TYPE], row, &size);
		assert_text(text, size, expected[i].type);
		assert_int_equal(arrow_int64(batch.children[END], row), 200);
		assert_int_equal(arrow_int64(batch.children[DURATION], row), 91);
		assert_int_equal(arrow_is_null(batch.children[VALUE], row), !expected[i].has_value);
		if (expected[i].has_value)
			assert_int_equal(arrow_int64(batch.children[VALUE], row), expected[i].value);
		assert_int_equal(arrow_is_null(batch.children[REAL], row), !expected[i].has_real);
		if (expected[i].has_real)
			assert_true(arrow_real(batch.children[REAL], row) == 0.5);
		assert_int_equal(arrow_is_null(batch.children[TEXT], row), expected[i].text == NULL);
		if (expected[i].text != NULL) {
			text = arrow_word(batch.children[TEXT], row, &size);
			assert_text(text, size, expected[i].text);
		}
	}
	batch.release(&batch);
	assert_null(batch.release);
}

/* Only what has a label that says what the value means. */
TEST(test_labels)
{
	const struct histree_arrow_options options = { .batch_rows = 3 };
	struct ArrowArrayStream stream = open_stream(*state, &options);
	int64_t rows = 0, labels = 0;
	for (;;) {
		struct ArrowArray batch = next_batch(&stream);
		if (batch.release == NULL)
			break;
		const struct ArrowArray *label = batch.children[LABEL];
		for (int64_t row = 0; row < batch.length; row++, rows++) {
			size_t size = 0;
			if (arrow_is_null(label, row))
				continue;
			const char *text = arrow_word(label, row, &size);
			assert_text(text, size, "seven below");
			assert_int_equal(arrow_int64(batch.children[VALUE], row), -7);
			labels++;
		}
		batch.release(&batch);
	}
	stream.release(&stream);
	assert_int_equal(rows, 17);
	assert_int_equal(labels, 1);
}

TEST(test_some_columns)
{
	const struct histree_arrow_options options = { .columns = HISTREE_ARROW_VALUE | HISTREE_ARROW_QUARK };
	struct ArrowArrayStream stream = open_stream(*state, &options);
	struct ArrowSchema schema;
	assert_int_equal(stream.get_schema(&stream, &schema), 0);
	assert_int_equal(schema.n_children, 2);
	assert_string_equal(schema.children[0]->name, "quark");
	assert_string_equal(schema.children[1]->name, "value");
	schema.release(&schema);
	struct ArrowArray batch = next_batch(&stream);
	assert_int_equal(batch.n_children, 2);
	assert_int_equal(batch.children[1]->null_count, 14);
	batch.release(&batch);
	stream.release(&stream);
}

TEST(test_nothing)
{
	struct histree_history *history = *state;
	struct ArrowArrayStream stream;
	const struct histree_region none = { .quarks = (const histree_quark[1]){ 0 }, .from = 100, .to = 200 };
	assert_ok(histree_query_arrow(history, &none, NULL, &stream, NULL));
	for (int i = 0; i < 2; i++) {
		struct ArrowArray batch = next_batch(&stream);
		assert_null(batch.release);
	}
	struct ArrowSchema schema;
	assert_int_equal(stream.get_schema(&stream, &schema), 0);
	assert_int_equal(schema.n_children, PARTS);
	schema.release(&schema);
	stream.release(&stream);
	assert_null(stream.release);
}

TEST(test_wrong_options)
{
	struct histree_history *history = *state;
	struct ArrowArrayStream stream;
	struct histree_error error;
	struct histree_arrow_options options = { .columns = HISTREE_ARROW_CPU };
	assert_int_equal(histree_query_arrow(history, &everything, &options, &stream, &error),
			 HISTREE_ERR_ARGUMENT);
	assert_null(stream.release);
	options = (struct histree_arrow_options){ .batch_rows = HISTREE_ARROW_BATCH_ROWS_MAX + 1 };
	assert_int_equal(histree_query_arrow(history, &everything, &options, &stream, &error),
			 HISTREE_ERR_ARGUMENT);
	const struct histree_region outside = { .from = 100, .to = 201 };
	assert_int_equal(histree_query_arrow(history, &outside, NULL, &stream, &error), HISTREE_ERR_TIME_RANGE);
	assert_null(stream.release);
}

/* ---- paths --------------------------------------------------------------------------------------------- */

/* Names that need backslashes, are long or are no UTF-8, below each other. */
TEST(test_paths)
{
	static const char long_name[] =
		"a name that is longer than the room that one begins with / and goes on \\ and on and on and on";
	static const struct {
		const char *name;
		size_t size;
	} names[] = { { "plain", 5 },
		      { "sl/ash", 6 },
		      { "back\\slash", 10 },
		      { "//\\", 3 },
		      { "\xff/", 2 },
		      { "\xc3\xa9/", 3 },
		      { long_name, sizeof(long_name) - 1 } };
	enum { NAMES = sizeof(names) / sizeof(names[0]), QUARKS = NAMES + NAMES * NAMES };
	char path[64];
	snprintf(path, sizeof(path), "columns-paths-%d.sht", (int)getpid());
	const struct histree_history_options options = { .path = path };
	struct histree_state_system *system;
	struct histree_history *history;
	struct histree_error error;
	unlink(path);
	assert_ok(histree_state_create(&options, &system, &error));
	for (int i = 0; i < NAMES; i++) {
		histree_quark parent, child;
		assert_ok(histree_state_child(system, HISTREE_ROOT, names[i].name, names[i].size, &parent, &error));
		for (int j = 0; j < NAMES; j++)
			assert_ok(
				histree_state_child(system, parent, names[j].name, names[j].size, &child, &error));
	}
	assert_ok(histree_state_close(system, 10, &error));
	histree_state_free(system);
	assert_ok(histree_history_open(path, NULL, &history, &error));
	unlink(path);
	const struct histree_region all = { .from = 0, .to = 10 };
	struct ArrowArrayStream stream;
	assert_ok(histree_query_arrow(history, &all, NULL, &stream, &error));
	struct ArrowArray batch = next_batch(&stream);
	assert_int_equal(batch.length, QUARKS);
	for (int64_t row = 0; row < batch.length; row++) {
		char expected[512], repaired[3 * sizeof(expected)];
		size_t size = histree_attributes_path(histree_history_attributes(history),
						      arrow_uint32(batch.children[QUARK], row), expected,
						      sizeof(expected));
		repaired[utf8_repair(expected, size, repaired)] = '\0';
		const char *text = arrow_word(batch.children[PATH], row, &size);
		assert_text(text, size, repaired);
	}
	batch.release(&batch);
	stream.release(&stream);
	histree_history_close(history);
}

/* ---- batches and what they share ---------------------------------------------------------------------- */

enum { BATCHES = 17 };

static void take_batches(struct histree_history *history, struct ArrowArray *batches, bool keeps_stream,
			 struct ArrowArrayStream *stream)
{
	const struct histree_arrow_options options = { .batch_rows = 1 };
	*stream = open_stream(history, &options);
	for (int i = 0; i < BATCHES; i++) {
		batches[i] = next_batch(stream);
		assert_non_null(batches[i].release);
		assert_int_equal(batches[i].length, 1);
	}
	struct ArrowArray end = next_batch(stream);
	assert_null(end.release);
	if (!keeps_stream)
		stream->release(stream);
}

/* The dictionary of a batch begins with that of the one before, and older ones stay as they were. */
TEST(test_dictionaries_grow)
{
	struct ArrowArrayStream stream;
	struct ArrowArray batches[BATCHES];
	take_batches(*state, batches, false, &stream);
	for (int i = 1; i < BATCHES; i++) {
		for (int part = 0; part < PARTS; part++) {
			const struct ArrowArray *old = batches[i - 1].children[part]->dictionary;
			const struct ArrowArray *new = batches[i].children[part]->dictionary;
			if (old == NULL)
				continue;
			assert_true(new->length >= old->length);
			for (int64_t row = 0; row < old->length; row++) {
				size_t old_size, new_size;
				const char *old_text = arrow_utf8(old, row, &old_size);
				const char *new_text = arrow_utf8(new, row, &new_size);
				assert_int_equal(old_size, new_size);
				assert_memory_equal(old_text, new_text, old_size);
			}
		}
	}
	assert_int_equal(batches[BATCHES - 1].children[PATH]->dictionary->length, 9);
	for (int i = 0; i < BATCHES; i++)
		batches[i].release(&batches[i]);
}

/* Orders of release: the stream first or last, batches forwards or backwards, columns moved out of them. */
TEST(test_release_orders)
{
	for (unsigned order = 0; order < 8; order++) {
		struct ArrowArrayStream stream;
		struct ArrowArray batches[BATCHES], columns[BATCHES], dictionaries[BATCHES];
		bool stream_first = (order & 1) != 0, backwards = (order & 2) != 0, moves = (order & 4) != 0;
		take_batches(*state, batches, !stream_first, &stream);
		for (int i = 0; i < BATCHES && moves; i++) {
			columns[i] = *batches[i].children[PATH];
			batches[i].children[PATH]->release = NULL;
			dictionaries[i] = *batches[i].children[TYPE]->dictionary;
			batches[i].children[TYPE]->dictionary->release = NULL;
		}
		for (int i = 0; i < BATCHES; i++) {
			struct ArrowArray *batch = &batches[backwards ? BATCHES - 1 - i : i];
			batch->release(batch);
		}
		if (!stream_first)
			stream.release(&stream);
		for (int i = 0; i < BATCHES && moves; i++) {
			size_t size = 0;
			assert_non_null(arrow_word(&columns[i], 0, &size));
			columns[i].release(&columns[i]);
			const char *text = arrow_utf8(&dictionaries[i], HISTREE_UNKNOWN, &size);
			assert_text(text, size, "unknown");
			dictionaries[i].release(&dictionaries[i]);
		}
	}
}

/* ---- what goes wrong ---------------------------------------------------------------------------------- */

static bool never(void *context)
{
	(void)context;
	return false;
}

TEST(test_cancel)
{
	const struct histree_arrow_options options = { .work = { .go_on = never } };
	struct ArrowArrayStream stream = open_stream(*state, &options);
	assert_null(stream.get_last_error(&stream));
	for (int i = 0; i < 2; i++) {
		struct ArrowArray batch;
		assert_int_equal(stream.get_next(&stream, &batch), ECANCELED);
		assert_null(batch.release);
		assert_string_equal(stream.get_last_error(&stream), "the answer is no longer wanted");
	}
	stream.release(&stream);
}

TEST(test_too_many_texts)
{
	const struct histree_arrow_options options = { .text_bytes = 8 };
	struct ArrowArrayStream stream = open_stream(*state, &options);
	struct ArrowArray batch;
	assert_int_equal(stream.get_next(&stream, &batch), EIO);
	assert_non_null(strstr(stream.get_last_error(&stream), "more than 8 bytes"));
	stream.release(&stream);
}

TEST_FILE(set_up, tear_down)
