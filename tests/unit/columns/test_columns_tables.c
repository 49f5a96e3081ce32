// SPDX-License-Identifier: MIT
/*
 * test_columns_tables.c - segments, attributes and events as columns, compared with what iterators and look-ups
 * say; and what damage does.
 */
#include "histree/build.h"
#include "support/arrow_cells.h"
#include "support/data.h"
#include "support/files.h"
#include "support/memory_history.h"
#include "support/segments.h"
#include "support/test.h"

static struct histree_error error;

static struct ArrowArray next_batch(struct ArrowArrayStream *stream)
{
	struct ArrowArray batch;
	if (stream->get_next(stream, &batch) != 0)
		fail_msg("%s", stream->get_last_error(stream));
	return batch;
}

static void assert_names(struct ArrowArrayStream *stream, const char *const *names, const char *const *formats)
{
	struct ArrowSchema schema;
	assert_int_equal(stream->get_schema(stream, &schema), 0);
	for (int64_t i = 0; i < schema.n_children; i++) {
		assert_string_equal(schema.children[i]->name, names[i]);
		assert_string_equal(schema.children[i]->format, formats[i]);
	}
	assert_null(names[schema.n_children]);
	schema.release(&schema);
}

/* ---- segments ----------------------------------------------------------------------------------------- */

/* A value of a field, as the column has it. */
static void assert_field(const struct ArrowArray *column, int64_t row, const struct histree_value *value)
{
	size_t size = 0;
	const char *text;
	assert_int_equal(arrow_is_null(column, row), value->type == HISTREE_NULL);
	switch (value->type) {
	case HISTREE_INT:
		assert_int_equal(((const int32_t *)column->buffers[1])[row], value->int32);
		break;
	case HISTREE_LONG:
		assert_true(arrow_int64(column, row) == value->int64);
		break;
	case HISTREE_DOUBLE:
		assert_memory_equal((const double *)column->buffers[1] + row, &value->real, sizeof(double));
		break;
	case HISTREE_BOOL:
		assert_int_equal(arrow_bit(column->buffers[1], row), value->boolean);
		break;
	case HISTREE_STRING:
		text = arrow_word(column, row, &size);
		assert_int_equal(size, value->size);
		assert_memory_equal(text, value->bytes, size);
		break;
	default:
		break;
	}
}

static void compare_segments(struct histree_segment_store *store, const struct histree_segment_query *query)
{
	const struct histree_arrow_options options = { .batch_rows = 64 };
	size_t fields = histree_segment_store_info(store)->schema.field_count;
	struct histree_cursor *iter;
	struct histree_segment segment;
	struct ArrowArrayStream stream;
	assert_ok(histree_segments_create(store, &iter, &error));
	assert_ok(histree_segments_start(iter, query, NULL, &error));
	assert_ok(histree_segments_arrow(store, query, &options, &stream, &error));
	for (;;) {
		struct ArrowArray batch = next_batch(&stream);
		if (batch.release == NULL)
			break;
		assert_int_equal(batch.n_children, 3 + fields);
		for (int64_t row = 0; row < batch.length; row++) {
			assert_ok(histree_cursor_next(iter, &error));
			segment = *histree_cursor_segment(iter);
			uint64_t ns = histree_segment_duration(&segment);
			assert_true(arrow_int64(batch.children[0], row) == segment.start);
			assert_true(arrow_int64(batch.children[1], row) == segment.end);
			assert_true(arrow_int64(batch.children[2], row) ==
				    (ns > INT64_MAX ? INT64_MAX : (int64_t)ns));
			for (size_t i = 0; i < fields; i++)
				assert_field(batch.children[3 + i], row, &segment.content[i]);
		}
		batch.release(&batch);
	}
	assert_int_equal(histree_cursor_next(iter, &error), HISTREE_END);
	stream.release(&stream);
	histree_cursor_free(iter);
}

TEST(test_segments)
{
	for (const struct segment_kind *kind = segment_kinds; kind->name != NULL; kind++) {
		struct segments segments;
		struct histree_segment_query query = HISTREE_SEGMENTS_ALL;
		assert_true(segments_make(&segments, kind, 5));
		struct histree_segment_store *store = segments_store(&segments);
		assert_non_null(store);
		compare_segments(store, &query);
		query.order = HISTREE_SEGMENTS_BY_DURATION;
		query.descending = true;
		query.limit = 100;
		compare_segments(store, &query);
		histree_segment_store_close(store);
		segments_release(&segments);
	}
}

/* A field may be called as a column that every segment has. */
TEST(test_segment_names)
{
	static const struct histree_segment_field fields[] = { { "End", HISTREE_INT },
							       { "name", HISTREE_STRING },
							       { "flag", HISTREE_BOOL },
							       { "ratio", HISTREE_DOUBLE } };
	static const char *const names[] = {
		"start", "end", "duration", "field_End", "name", "flag", "ratio", NULL
	};
	static const char *const formats[] = { "tsn:UTC", "tsn:UTC", "l", "i", "I", "b", "g" };
	static const char *const some_names[] = { "duration", "name", NULL }, *const some_formats[] = { "l", "I" };
	const struct histree_segment_store_options options = {
		.kind = HISTREE_SEGMENTS_ARRAY, .schema = { .provider = "test", .fields = fields, .field_count = 4 }
	};
	const struct histree_arrow_options some = { .columns = HISTREE_ARROW_DURATION | HISTREE_ARROW_FIELD(1) };
	struct histree_segment_store *store;
	struct ArrowArrayStream stream;
	assert_ok(histree_segment_store_create(&options, &store, &error));
	assert_ok(histree_segment_store_finish(store, &error));
	assert_ok(histree_segments_arrow(store, NULL, NULL, &stream, &error));
	assert_names(&stream, names, formats);
	stream.release(&stream);
	assert_ok(histree_segments_arrow(store, NULL, &some, &stream, &error));
	assert_names(&stream, some_names, some_formats);
	stream.release(&stream);

	/* By their names, which are those of columns and not of fields. */
	static const char *const chosen[] = { "end", "field_End", "name", NULL }, *const chosen_formats[] = {
		"tsn:UTC", "i", "I"
	};
	struct histree_arrow_options named = { .names = "name,field_End,end" };
	assert_ok(histree_segments_arrow(store, NULL, &named, &stream, &error));
	assert_names(&stream, chosen, chosen_formats);
	stream.release(&stream);
	named.names = "name,End";
	assert_int_equal(histree_segments_arrow(store, NULL, &named, &stream, &error), HISTREE_ERR_ARGUMENT);
	assert_string_equal(error.message,
			    "there is no column 'End'; there are start, end, duration, field_End, name, "
			    "flag, ratio");
	named.names = "";
	assert_int_equal(histree_segments_arrow(store, NULL, &named, &stream, &error), HISTREE_ERR_ARGUMENT);
	histree_segment_store_close(store);
}

/* ---- attributes and events ---------------------------------------------------------------------------- */

static void check_attributes(const struct histree_attributes *attributes)
{
	static const char *const names[] = { "quark", "parent", "name", "path", "depth", NULL };
	static const char *const formats[] = { "I", "I", "u", "u", "I" };
	const struct histree_arrow_options options = { .batch_rows = 7 };
	struct ArrowArrayStream stream;
	histree_quark quark = 0;
	assert_ok(histree_attributes_arrow(attributes, &options, &stream, &error));
	assert_names(&stream, names, formats);
	for (;;) {
		struct ArrowArray batch = next_batch(&stream);
		if (batch.release == NULL)
			break;
		for (int64_t row = 0; row < batch.length; row++, quark++) {
			histree_quark parent = histree_attributes_parent(attributes, quark);
			char expected[256];
			size_t size = 0, slashes = 0;
			assert_int_equal(arrow_uint32(batch.children[0], row), quark);
			assert_int_equal(arrow_is_null(batch.children[1], row), parent == HISTREE_ROOT);
			if (parent != HISTREE_ROOT)
				assert_int_equal(arrow_uint32(batch.children[1], row), parent);
			histree_attributes_name(attributes, quark, expected, sizeof(expected));
			const char *text = arrow_utf8(batch.children[2], row, &size);
			assert_true(arrow_text_is(text, size, expected));
			histree_attributes_path(attributes, quark, expected, sizeof(expected));
			text = arrow_utf8(batch.children[3], row, &size);
			assert_true(arrow_text_is(text, size, expected));
			for (const char *at = expected; *at != '\0'; at++)
				slashes += *at == '/' && at[-1] != '\\';
			assert_int_equal(arrow_uint32(batch.children[4], row), slashes);
		}
		batch.release(&batch);
	}
	stream.release(&stream);
	assert_int_equal(quark, histree_attributes_count(attributes));
	assert_true(quark > 7);
}

static uint64_t check_events(const struct histree_events *events, histree_time from, histree_time to)
{
	static const char *const names[] = { "number", "time", "cpu", "name", "fields", NULL };
	static const char *const formats[] = { "L", "tsn:UTC", "i", "I", "u" };
	const struct histree_arrow_options options = { .batch_rows = 500 };
	struct histree_cursor *reader;
	struct ArrowArrayStream stream;
	struct histree_event event;
	uint64_t count = 0, first;
	size_t types;
	const char *const *type_names = histree_events_types(events, &types);
	assert_ok(histree_event_reader_create(events, &reader, &error));
	assert_ok(histree_event_reader_find(reader, from, &first, &error));
	assert_ok(histree_event_reader_seek(reader, first, &error));
	assert_ok(histree_events_arrow(events, from, to, &options, &stream, &error));
	assert_names(&stream, names, formats);
	for (;;) {
		struct ArrowArray batch = next_batch(&stream);
		if (batch.release == NULL)
			break;
		for (int64_t row = 0; row < batch.length; row++, count++) {
			size_t size = 0;
			assert_ok(histree_cursor_next(reader, &error));
			event = *histree_cursor_event(reader);
			assert_true(event.time <= to);
			assert_int_equal(arrow_int64(batch.children[0], row), event.number);
			assert_int_equal(arrow_int64(batch.children[1], row), event.time);
			assert_int_equal(((const int32_t *)batch.children[2]->buffers[1])[row], event.cpu);
			const char *text = arrow_word(batch.children[3], row, &size);
			assert_true(arrow_text_is(text, size, type_names[event.type]));
			const int32_t *ends = (const int32_t *)batch.children[4]->buffers[1] + row;
			assert_true(arrow_text_is((const char *)batch.children[4]->buffers[2] + ends[0],
						  (size_t)(ends[1] - ends[0]), histree_event_reader_json(reader)));
		}
		batch.release(&batch);
	}
	assert_true(histree_cursor_next(reader, &error) == HISTREE_END || histree_cursor_event(reader)->time > to);
	stream.release(&stream);
	histree_cursor_free(reader);
	return count;
}

/* Each field of one type as a column: the value that a look-up by its path has, for every event. */
static void check_fields(const struct histree_events *events, const char *type)
{
	char where[64];
	struct histree_cursor *reader;
	struct ArrowArrayStream stream;
	struct ArrowSchema schema;
	struct histree_event event;
	struct histree_value value;
	uint64_t rows = 0, texts = 0;
	size_t count;
	const char *const *types = histree_events_types(events, &count);
	snprintf(where, sizeof(where), "type == \"%s\"", type);
	const struct histree_arrow_options options = { .batch_rows = 100, .where = where };
	assert_ok(histree_event_reader_create(events, &reader, &error));
	assert_ok(histree_events_arrow(events, INT64_MIN, INT64_MAX, &options, &stream, &error));
	assert_int_equal(stream.get_schema(&stream, &schema), 0);
	assert_true(schema.n_children > 8);
	for (;;) {
		struct ArrowArray batch = next_batch(&stream);
		if (batch.release == NULL)
			break;
		for (int64_t row = 0; row < batch.length; row++, rows++) {
			do {
				assert_ok(histree_cursor_next(reader, &error));
				event = *histree_cursor_event(reader);
			} while (strcmp(types[event.type], type) != 0);
			assert_int_equal(arrow_int64(batch.children[0], row), event.number);
			for (int64_t i = 4; i < batch.n_children; i++) {
				const char *name = schema.children[i]->name, *format = schema.children[i]->format;
				size_t size = 0;
				assert_ok(histree_event_reader_value(reader, name, &value));
				assert_false(arrow_is_null(batch.children[i], row));
				if (format[0] != 'u') {
					assert_true(value.type == HISTREE_LONG
							    ? format[0] == 'l' || format[0] == 'L'
							    : format[0] == 'L');
					assert_true(value.type != HISTREE_LONG ||
						    arrow_int64(batch.children[i], row) == value.int64);
					continue;
				}
				const char *text = arrow_utf8(batch.children[i], row, &size);
				assert_true(value.type == HISTREE_STRING && size == value.size);
				assert_memory_equal(text, value.bytes, size);
				texts++;
			}
		}
		batch.release(&batch);
	}
	assert_true(rows > 200 && texts > 0);
	schema.release(&schema);
	stream.release(&stream);
	histree_cursor_free(reader);
}

TEST(test_store)
{
	char folder[] = "/tmp/histree-columns-XXXXXX", trace[DATA_PATH_SIZE], path[64];
	struct histree_store *store;
	struct histree_history *history;
	struct histree_events *events;
	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/s.histree", folder);
	source_path(trace, "demo/trace");
	const struct histree_build_options options = { .traces = (const char *[]){ trace },
						       .trace_count = 1,
						       .store = path };
	assert_true(histree_build(&options, &error) >= 0);
	assert_ok(histree_store_open(path, &store, &error));
	assert_ok(histree_store_history(store, "kernel", false, NULL, &history, &error));
	assert_ok(histree_events_open(store, &events, &error));
	const struct histree_history_info *info = histree_history_info(history);
	check_attributes(histree_history_attributes(history));
	histree_time middle = info->start + (info->end - info->start) / 2;
	uint64_t all = check_events(events, INT64_MIN, INT64_MAX);
	assert_int_equal(all, histree_events_count(events));
	assert_int_equal(check_events(events, INT64_MIN, middle) + check_events(events, middle + 1, INT64_MAX),
			 all);
	check_fields(events, "sched:sched_switch");
	histree_events_close(events);
	histree_history_close(history);
	histree_store_close(store);
	remove_all("%s", folder);
}

/* ---- damage ------------------------------------------------------------------------------------------- */

/* A node that cannot be read: its states are unknown, and the stream says that it met one. */
TEST(test_damage)
{
	static const struct workload_kind kind = {
		.name = "some", .key_count = 20, .changes = 4000, .step_max = 50
	};
	const struct histree_tree_options tree = { .node_size = 4096, .fan_out = 8 };
	const struct histree_arrow_options options = { .batch_rows = 1000, .columns = HISTREE_ARROW_TYPE };
	struct memory_io memory;
	struct workload workload;
	struct histree_history *history;
	struct ArrowArrayStream stream;
	uint64_t unknown = 0;
	memory_io_init(&memory);
	assert_true(workload_make(&workload, &kind, 1));
	for (size_t i = 0; i < workload.count; i++) /* nothing is unknown but what damage makes so */
		if (workload.changes[i].value.type == HISTREE_UNKNOWN)
			workload.changes[i].value = histree_null();
	assert_ok(memory_history_build(&memory, &tree, &workload, &error));
	struct memory_file *file = memory_io_find(&memory, "f");
	file->bytes[file->size / 2] ^= 0x40;
	assert_ok(memory_history_open(&memory, "f", false, &history, &error));
	const struct histree_history_info *info = histree_history_info(history);
	const struct histree_region all = { .from = info->start, .to = info->end };
	assert_ok(histree_query_arrow(history, &all, &options, &stream, &error));
	assert_int_equal(histree_arrow_loss(&stream).nodes, 0);
	for (;;) {
		struct ArrowArray batch = next_batch(&stream);
		if (batch.release == NULL)
			break;
		for (int64_t row = 0; row < batch.length; row++)
			unknown += ((const uint8_t *)batch.children[0]->buffers[1])[row] == HISTREE_UNKNOWN;
		batch.release(&batch);
	}
	assert_int_equal(histree_arrow_loss(&stream).nodes, 1);
	assert_true(unknown > 0);
	stream.release(&stream);
	assert_int_equal(histree_arrow_loss(&stream).nodes, 0);
	histree_history_close(history);
	workload_release(&workload);
	memory_io_release(&memory);
}
