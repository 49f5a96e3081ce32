// SPDX-License-Identifier: MIT
/*
 * property_columns.c - a stream of columns says what the plain query says, row by row: any region, any columns,
 * any size of batches, every variant.
 */
#include "driver.h"
#include "history_case.h"
#include "support/arrow_cells.h"
#include "support/test.h"

enum { QUESTIONS = 12 };

enum part { QUARK, PATH, START, END, DURATION, TYPE, VALUE, REAL, TEXT, LABEL, PARTS };

/* ---- a row -------------------------------------------------------------------------------------------- */

static bool is_bits(double found, double expected)
{
	return memcmp(&found, &expected, sizeof(found)) == 0;
}

static bool is_hexadecimal_of(const char *text, size_t size, const struct histree_value *value)
{
	const unsigned char *bytes = value->bytes;
	bool is_same = size == 2 * (size_t)value->size;
	for (size_t i = 0; is_same && i < value->size; i++) {
		char digits[3];
		snprintf(digits, sizeof(digits), "%02x", bytes[i]);
		is_same = memcmp(text + 2 * i, digits, 2) == 0;
	}
	return is_same;
}

/* The texts of a workload are letters. */
static bool is_text(const struct ArrowArray *column, int64_t row, const struct histree_value *value)
{
	size_t size = 0;
	if (value->type != HISTREE_STRING && value->type != HISTREE_CUSTOM)
		return arrow_is_null(column, row);
	const char *text = arrow_is_null(column, row) ? NULL : arrow_word(column, row, &size);
	if (text == NULL)
		return false;
	if (value->type == HISTREE_CUSTOM)
		return is_hexadecimal_of(text, size, value);
	return size == value->size && (size == 0 || memcmp(text, value->bytes, size) == 0);
}

static bool is_number(const struct ArrowArray *column, int64_t row, const struct histree_value *value)
{
	bool has_number = value->type == HISTREE_INT || value->type == HISTREE_LONG || value->type == HISTREE_BOOL;
	int64_t number = value->type == HISTREE_INT    ? value->int32
			 : value->type == HISTREE_BOOL ? value->boolean
						       : value->int64;
	return has_number ? !arrow_is_null(column, row) && arrow_int64(column, row) == number
			  : arrow_is_null(column, row);
}

static bool is_cell(const struct histree_history *history, const struct ArrowArray *column, int64_t row,
		    enum part part, const struct histree_interval *state)
{
	uint64_t after = (uint64_t)state->end - (uint64_t)state->start; /* its first ns */
	const struct histree_value *value = &state->value;
	size_t size = 0;
	const char *text;
	char path[256];
	switch (part) {
	case QUARK:
		return arrow_uint32(column, row) == state->quark;
	case PATH:
		histree_attributes_path(histree_history_attributes(history), state->quark, path, sizeof(path));
		text = arrow_word(column, row, &size);
		return arrow_text_is(text, size, path);
	case START:
		return arrow_int64(column, row) == state->start;
	case END:
		return arrow_int64(column, row) == state->end;
	case DURATION:
		return arrow_int64(column, row) == (after >= INT64_MAX ? INT64_MAX : (int64_t)after + 1);
	case TYPE:
		text = arrow_short(column, row, &size);
		return arrow_text_is(text, size, histree_type_name(value->type));
	case VALUE:
		return is_number(column, row, value);
	case REAL:
		return value->type == HISTREE_DOUBLE
			       ? !arrow_is_null(column, row) && is_bits(arrow_real(column, row), value->real)
			       : arrow_is_null(column, row);
	case TEXT:
		return is_text(column, row, value);
	case LABEL:
	case PARTS:
		break;
	}
	return arrow_is_null(column, row); /* these histories have no labels */
}

/* ---- a stream ----------------------------------------------------------------------------------------- */

static const char *compare_batch(struct history_case *test, struct histree_cursor *query,
				 const struct ArrowArray *batch, uint64_t columns)
{
	for (int64_t row = 0; row < batch->length; row++) {
		if (histree_cursor_next(query, NULL) != HISTREE_OK)
			return "a row too many";
		const struct histree_interval state = *histree_cursor_interval(query);
		int64_t column = 0;
		for (int part = 0; part < PARTS; part++) {
			if ((columns >> part & 1) == 0)
				continue;
			if (is_cell(histree_query_history(query), batch->children[column++], row, (enum part)part,
				    &state))
				continue;
			snprintf(test->fault, sizeof(test->fault),
				 "row %" PRId64 ", attribute %u from %" PRId64 ": another cell in column %d", row,
				 state.quark, state.start, part);
			return test->fault;
		}
	}
	for (int64_t i = 0; i < batch->n_children; i++)
		if (batch->children[i]->null_count != arrow_count_nulls(batch->children[i]))
			return "another count of nulls";
	return NULL;
}

static const char *compare_stream(struct history_case *test, struct histree_cursor *query,
				  struct ArrowArrayStream *stream, const struct histree_arrow_options *options)
{
	const uint64_t columns = options->columns != 0 ? options->columns : (UINT64_C(1) << PARTS) - 1;
	const char *fault = NULL;
	struct ArrowArray batch;
	while (fault == NULL) {
		if (stream->get_next(stream, &batch) != 0)
			return stream->get_last_error(stream);
		if (batch.release == NULL)
			break;
		if (batch.length < 1 || batch.length > (options->batch_rows != 0 ? options->batch_rows : 65536))
			fault = "a batch of another size";
		else
			fault = compare_batch(test, query, &batch, columns);
		batch.release(&batch);
	}
	if (fault == NULL && histree_cursor_next(query, NULL) != HISTREE_END)
		fault = "rows are missing";
	return fault;
}

static const char *check_question(struct history_case *test, struct histree_cursor *query,
				  const struct reference *reference, struct random *random)
{
	struct region_room room, copy;
	struct histree_region region = reference_region(reference, random, &room);
	const struct histree_arrow_options options = {
		.columns = random_percent(random, 50) ? 0 : 1 + random_below(random, (1 << PARTS) - 1),
		.batch_rows = random_percent(random, 30) ? 0 : 1 + random_index(random, 300),
		.threads = random_percent(random, 10) ? 2 : 0,
	};
	struct ArrowArrayStream stream;
	struct histree_error error;
	enum histree_status status =
		histree_query_arrow(histree_query_history(query), &region, &options, &stream, &error);
	/* The stream has lists of its own; the query borrows them. */
	copy = room;
	region.quarks = region.quarks != NULL ? copy.quarks : NULL;
	region.times = region.times != NULL ? copy.times : NULL;
	if (status == HISTREE_OK)
		status = histree_query_start(query, &region, &error);
	if (status != HISTREE_OK) {
		snprintf(test->fault, sizeof(test->fault), "%s", error.message);
		return test->fault;
	}
	memset(&room, 0xff, sizeof(room));
	const char *fault = compare_stream(test, query, &stream, &options);
	if (fault == stream.get_last_error(&stream) && fault != NULL) {
		snprintf(test->fault, sizeof(test->fault), "%s", fault);
		fault = test->fault;
	}
	stream.release(&stream);
	return fault;
}

/* ---- the property ------------------------------------------------------------------------------------- */

static const char *check_history(struct history_case *test, struct histree_history *history,
				 const struct reference *reference)
{
	struct random random = { test->seed };
	struct histree_cursor *query = NULL;
	const char *fault = NULL;
	if (reference->count == 0)
		return NULL;
	if (histree_query_create(history, &query, NULL) != HISTREE_OK)
		return "out of memory";
	for (int i = 0; i < QUESTIONS && fault == NULL; i++)
		fault = check_question(test, query, reference, &random);
	histree_cursor_free(query);
	return fault;
}

static void columns_say_what_queries_say(const void *chosen, uint64_t seed)
{
	const struct workload_kind *kind = chosen;
	static const char *const variants[] = { "cluster", "sht", "osht", "esht", "rsht", "vrsht" };
	struct workload workload;
	assert_true(workload_make(&workload, kind, seed));
	for (size_t i = 0; i < sizeof(variants) / sizeof(*variants); i++) {
		struct history_case test = {
			.check = check_history,
			.options = { .variant = variants[i], .node_size = 4096, .fan_out = 7 },
			.seed = seed + i,
		};
		history_case_check(&test, "columns", &workload, kind->name);
	}
	workload_release(&workload);
}

PROPERTIES({ KINDS(workload_kinds), .rounds = 2, .check = columns_say_what_queries_say })
