// SPDX-License-Identifier: MIT
/*
 * test_packed.c - events that a reader has decoded come out as it added them, by time and, at one time, in the
 * order of arrival, whatever memory has no room for; and what goes wrong on the way is said.
 */
#include "base/bytes.h"
#include "base/hash_index.h"
#include "support/faulty_io.h"
#include "support/memory_io.h"
#include "support/test.h"
#include "trace/packed/packed_source.h"

enum { EVENTS = 30000, FIELDS = 6 };

static const char *const field_names[FIELDS] = { "whole", "big", "real", "text", "inside", "number" };

/* A trace of so many events, whose content follows from their numbers; it begins with one that has no time. */
struct made {
	struct packed_source packed;
	struct trace_notes notes;
	uint32_t class_count;
	uint32_t count;
	bool in_order;
	histree_time times[EVENTS];
	uint32_t order[EVENTS]; /* as they come out */
	uint64_t half;          /* greatest count of bytes done that was seen while it was read */
	unsigned asked, asked_max;
};

static histree_time time_of(const struct made *made, uint32_t number)
{
	struct random random = { number };
	return made->in_order ? (histree_time)number : (histree_time)random_below(&random, 5000) - 100;
}

static void put_inside(struct packed_parts *parts, uint32_t number)
{
	packed_parts_clear(parts);
	packed_parts_open(parts, EVENT_STRUCTURE, NULL, 0);
	packed_parts_int(parts, "n", 1, -(int64_t)number);
	packed_parts_open(parts, EVENT_ARRAY, "list", 4);
	packed_parts_real(parts, NULL, 0, number / 4.0);
	packed_parts_nothing(parts, NULL, 0);
	packed_parts_text(parts, NULL, 0, "a\0b", 3);
	packed_parts_close(parts);
	packed_parts_unsigned(parts, "u", 1, UINT64_MAX - number);
	packed_parts_close(parts);
	assert_true(parts->depth == 0 && !parts->has_failed);
}

static enum histree_status add_event(struct made *made, uint32_t number, struct packed_parts *parts,
				     struct histree_error *error)
{
	char name[32], text[600];
	struct packed_cell cells[FIELDS] = { 0 };
	const struct event_class as = {
		.name = name, .fields = field_names, .field_count = FIELDS, .payload_count = FIELDS
	};
	snprintf(name, sizeof(name), "class_%u", number % 7);
	memset(text, 'a' + (int)(number % 26), sizeof(text));
	if (number % 2 == 0)
		cells[0] = packed_int((int64_t)number - 1000);
	if (number % 3 == 0)
		cells[1] = packed_unsigned(UINT64_MAX - number);
	if (number % 4 == 0)
		cells[2] = packed_real(number / 8.0);
	if (number % 5 == 0)
		cells[3] = packed_text(text, number % 600);
	put_inside(parts, number);
	if (number % 7 == 0)
		cells[4] = packed_value(parts);
	cells[5] = packed_int(number);
	struct packed_event event = { .time = number == 7 ? PACKED_NO_TIME : time_of(made, number),
				      .cpu = (int32_t)(number % 5) - 1,
				      .class = packed_source_class(&made->packed, &as, error),
				      .cells = cells };
	assert_non_null(event.class);
	return packed_source_add(&made->packed, &event, error);
}

static enum histree_status read_made(struct packed_source *source, struct histree_error *error)
{
	struct made *made = (struct made *)source;
	struct packed_parts parts = { 0 };
	enum histree_status status = HISTREE_OK;
	for (uint32_t number = 0; status == HISTREE_OK && number < made->count; number++)
		status = add_event(made, number, &parts, error);
	packed_parts_release(&parts);
	return status;
}

static uint64_t bytes_read(const struct packed_source *source)
{
	return source->added;
}

static const struct packed_reader reader = { .read = read_made, .bytes_read = bytes_read };

static bool look_and_count(void *context)
{
	struct made *made = context;
	made->asked++;
	made->half = packed_source_bytes_done(&made->packed.base);
	return made->asked_max == 0 || made->asked < made->asked_max;
}

static struct made *make(const struct io *io, uint32_t count)
{
	struct made *made = calloc(1, sizeof(*made));
	assert_non_null(made);
	made->count = count;
	made->packed.base.notes = &made->notes;
	made->packed.base.class_count = &made->class_count;
	made->packed.base.path = strdup("made");
	assert_non_null(made->packed.base.path);
	made->packed.base.bytes = count;
	made->packed.base.trace = (struct event_trace){ .get_int = packed_event_int,
							.get_string = packed_event_string,
							.visit = packed_event_visit };
	packed_source_init(&made->packed, &reader);
	made->packed.io = io;
	made->packed.memory_max = 1 << 20;
	return made;
}

static enum histree_status open_made(struct made *made, struct histree_error *error)
{
	const struct histree_work cancel = { .go_on = look_and_count, .context = made };
	const struct trace_opening opening = { .work = &cancel };
	return packed_source_open(&made->packed.base, &opening, error);
}

static void free_made(struct made *made)
{
	packed_source_release(&made->packed);
	free((void *)made->packed.base.streams);
	free(made->packed.base.path);
	trace_notes_release(&made->notes);
	free(made);
}

static enum histree_status next(struct made *made, struct event *event, struct histree_error *error)
{
	struct trace_stream *stream = made->packed.base.streams[0];
	enum histree_status status = stream->kind->next(stream, error);
	*event = stream->upcoming;
	assert_true(stream->has_upcoming == (status == HISTREE_OK));
	return status;
}

/* ---- what comes out -------------------------------------------------------------------------------------- */

static const struct made *ordered; /* for compare() */

static int compare(const void *one, const void *other)
{
	uint32_t a = *(const uint32_t *)one, b = *(const uint32_t *)other;
	histree_time time_a = a == 7 ? INT64_MIN : time_of(ordered, a);
	histree_time time_b = b == 7 ? INT64_MIN : time_of(ordered, b);
	if (time_a != time_b)
		return time_a < time_b ? -1 : 1;
	return a < b ? -1 : 1;
}

static bool print_part(void *context, const struct event_part *part)
{
	FILE *file = context;
	fprintf(file, "%u:%s", part->depth, part->name != NULL ? part->name : "");
	if (part->name == NULL)
		fprintf(file, "[%u]", (unsigned)part->index);
	if (part->kind == EVENT_TEXT)
		fprintf(file, "=%zu", part->size);
	else if (part->kind == EVENT_REAL)
		fprintf(file, "=%g", part->real);
	else
		fprintf(file, "=%d/%lld", (int)part->kind, (long long)part->integer);
	fprintf(file, " ");
	return true;
}

static void check_inside(const struct event *event, uint32_t number)
{
	char *text = NULL, expected[300];
	size_t size = 0;
	FILE *file = open_memstream(&text, &size);
	assert_non_null(file);
	event_visit(event, 4, print_part, file);
	fclose(file);
	snprintf(expected, sizeof(expected),
		 "0:inside=%d/0 1:n=%d/-%u 1:list=%d/0 2:[0]=%g 2:[1]=0/0 2:[2]=3 1:[0]=%d/0 1:u=%d/-%u "
		 "0:inside=%d/0 ",
		 EVENT_STRUCTURE, EVENT_INT, number, EVENT_ARRAY, number / 4.0, EVENT_END, EVENT_UNSIGNED,
		 number + 1, EVENT_END);
	if (number == 0)
		expected[0] = '\0', text[0] = '\0';
	assert_string_equal(text, expected);
	free(text);
	struct event_part part;
	assert_true(event_find(event, "inside.list[2]", &part));
	assert_memory_equal(part.bytes, "a\0b", 3);
}

static void check_event(const struct made *made, const struct event *event, uint32_t number)
{
	int64_t integer;
	const char *text;
	size_t size;
	struct event_part part;
	char name[32];
	snprintf(name, sizeof(name), "class_%u", number % 7);
	assert_string_equal(event->class->name, name);
	assert_int_equal(event->class->id, number % 7);
	assert_int_equal(event->cpu, (int32_t)(number % 5) - 1);
	assert_int_equal(event->time, number == 7 ? made->packed.first : time_of(made, number));
	assert_true(event_int(event, 0, &integer) == (number % 2 == 0));
	if (number % 2 == 0)
		assert_int_equal(integer, (int64_t)number - 1000);
	assert_true(event_int(event, 1, &integer) == (number % 3 == 0));
	if (number % 3 == 0)
		assert_int_equal((uint64_t)integer, UINT64_MAX - number);
	assert_false(event_int(event, 2, &integer));
	assert_true(event_find(event, "real", &part) == (number % 4 == 0));
	if (number % 4 == 0)
		assert_true(part.kind == EVENT_REAL && part.real == number / 8.0);
	assert_true(event_string(event, 3, &text, &size) == (number % 5 == 0));
	if (number % 5 == 0) {
		assert_int_equal(size, number % 600);
		assert_true(size == 0 || text[size - 1] == 'a' + (char)(number % 26));
	}
	assert_false(event_string(event, 4, &text, &size));
	if (number % 7 == 0)
		check_inside(event, number);
	assert_false(event_int(event, FIELDS, &integer));
}

static void check_all(struct made *made)
{
	struct histree_error error;
	struct event event;
	for (uint32_t i = 0; i < made->count; i++)
		made->order[i] = i;
	ordered = made;
	qsort(made->order, made->count, sizeof(made->order[0]), compare);
	uint64_t done = packed_source_bytes_done(&made->packed.base);
	assert_true(done == made->count / 2);
	for (uint32_t i = 0; i < made->count; i++) {
		int64_t number;
		assert_ok(next(made, &event, &error));
		assert_true(event_int(&event, 5, &number));
		assert_int_equal(number, made->order[i]);
		check_event(made, &event, made->order[i]);
		assert_true(packed_source_bytes_done(&made->packed.base) >= done);
		done = packed_source_bytes_done(&made->packed.base);
	}
	assert_int_equal(done, made->count);
	assert_int_equal(next(made, &event, &error), HISTREE_END);
	assert_int_equal(made->notes.report.clock_steps_back, 0);
}

TEST(events_come_by_time)
{
	for (int way = 0; way < 3; way++) {
		struct memory_io io;
		struct histree_error error;
		memory_io_init(&io);
		struct made *made = make(&io.io, way == 2 ? 1000 : EVENTS);
		made->in_order = way == 1;
		assert_ok(open_made(made, &error));
		assert_true((record_sort_spilled_bytes(made->packed.sort) > 0) == (way != 2));
		assert_true(way == 2 || (made->half > 0 && made->half <= EVENTS / 2));
		assert_true(made->in_order == (made->packed.disorder == 0));
		check_all(made);
		/* Again, from the start: the classes are the same. */
		packed_source_leave(&made->packed.base);
		assert_ok(open_made(made, &error));
		check_all(made);
		assert_int_equal(made->class_count, 7);
		free_made(made);
		memory_io_release(&io);
	}
}

/* ---- gaps ------------------------------------------------------------------------------------------------ */

static enum histree_status read_with_gaps(struct packed_source *source, struct histree_error *error)
{
	const struct event_class as = { .name = "event" };
	struct packed_event event = { .cpu = -1, .class = packed_source_class(source, &as, error) };
	static const histree_time times[] = { 100, 300, 200, 250, 400 };
	packed_source_lose(source, 3, (struct trace_span){ 50, 60 }, 9, error);
	packed_source_lose(source, 2, (struct trace_span){ 220, 240 }, 5, error);
	event.time = PACKED_NO_TIME; /* comes at 100, after the first gap */
	packed_source_add(source, &event, error);
	for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++) {
		event.time = times[i];
		packed_source_add(source, &event, error);
	}
	return packed_source_lose_rest(source, error);
}

TEST(gaps_have_their_place)
{
	static const struct packed_reader with_gaps = { .read = read_with_gaps, .bytes_read = bytes_read };
	static const histree_time expected[] = { 100, 100, 200, 220, 250, 300, 300, 400 };
	struct memory_io io;
	struct histree_error error;
	struct event event;
	memory_io_init(&io);
	struct made *made = make(&io.io, 0);
	packed_source_init(&made->packed, &with_gaps);
	made->packed.io = &io.io;
	assert_ok(open_made(made, &error));
	for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++) {
		assert_ok(next(made, &event, &error));
		assert_int_equal(event.time, expected[i]);
		assert_true((event.gap != NULL) == (i == 3 || i == 6));
		if (i == 3)
			assert_true(event.gap->cpu == 2 && event.gap->end == 240 && event.gap->events == 5);
		if (i == 6) /* the file was 100 ns out of order */
			assert_true(event.gap->cpu == -1 && event.gap->end == INT64_MAX && event.gap->events == 0);
	}
	assert_int_equal(next(made, &event, &error), HISTREE_END);
	free_made(made);
	memory_io_release(&io);
}

/* ---- what goes wrong ------------------------------------------------------------------------------------- */

TEST(a_full_disk_is_said_with_the_way_out)
{
	struct memory_io io;
	struct faulty_io faulty;
	struct histree_error error = { 0 };
	memory_io_init(&io);
	faulty_io_init(&faulty, &io.io);
	faulty.fail_at = 3;
	faulty.for_ever = true;
	struct made *made = make(&faulty.io, EVENTS);
	assert_int_equal(open_made(made, &error), HISTREE_ERR_IO);
	assert_non_null(strstr(error.message, "trace \"made\""));
	assert_non_null(strstr(error.message, "TMPDIR=FOLDER names another folder"));
	free_made(made);
	memory_io_release(&io);
}

TEST(who_waits_can_end_it)
{
	struct memory_io io;
	struct histree_error error = { 0 };
	memory_io_init(&io);
	struct made *made = make(&io.io, EVENTS);
	made->asked_max = 3;
	assert_int_equal(open_made(made, &error), HISTREE_ERR_CANCELLED);
	assert_true(made->asked == 3);
	free_made(made);
	memory_io_release(&io);
}

TEST(what_is_too_deep_is_left_out)
{
	struct packed_parts parts = { 0 };
	for (unsigned depth = 0; depth < 10 * PACKED_DEPTH_MAX; depth++)
		packed_parts_open(&parts, depth % 2 == 0 ? EVENT_ARRAY : EVENT_STRUCTURE,
				  depth % 2 == 0 ? NULL : "x", 1);
	packed_parts_int(&parts, "lost", 4, 1);
	for (unsigned depth = 0; depth < 10 * PACKED_DEPTH_MAX; depth++)
		packed_parts_close(&parts);
	assert_true(parts.has_left_out && !parts.has_failed && parts.depth == 0 && parts.too_deep == 0);
	char *text = NULL;
	size_t size = 0;
	FILE *file = open_memstream(&text, &size);
	assert_non_null(file);
	assert_true(packed_parts_visit(parts.bytes, parts.size, "deep", print_part, file));
	fclose(file);
	assert_null(strstr(text, "lost"));
	assert_non_null(strstr(text, "63:"));
	free(text);
	packed_parts_release(&parts);
}

/* Bytes that are cut or changed, as of a disk that fails, end the visit. */
TEST(bytes_of_any_kind_are_visited)
{
	struct packed_parts parts = { 0 };
	struct random random = { 1 };
	FILE *nowhere = fopen("/dev/null", "w");
	assert_non_null(nowhere);
	put_inside(&parts, 12345);
	for (unsigned round = 0; round < 20000; round++) {
		size_t size = random_below(&random, parts.size + 1);
		uint8_t *bytes = malloc(size + 1), *copy = malloc(size + 1);
		struct packed_cell cells[FIELDS];
		assert_true(bytes != NULL && copy != NULL);
		memcpy(bytes, parts.bytes, size);
		for (unsigned change = 0; size > 0 && change < round % 4; change++)
			bytes[random_below(&random, size)] = (uint8_t)random_bits(&random);
		/* What is behind the bytes belongs to somebody else. */
		uint8_t *exact = size > 0 ? realloc(copy, size) : copy;
		assert_non_null(exact);
		memcpy(exact, bytes, size);
		packed_parts_visit(exact, size, "x", print_part, nowhere);
		struct byte_reader from = { .at = exact, .end = exact + size };
		packed_cells_read(&from, cells, FIELDS);
		free(exact);
		free(bytes);
	}
	fclose(nowhere);
	packed_parts_release(&parts);
}

TEST(classes_have_an_end)
{
	struct memory_io io;
	struct histree_error error = { 0 };
	char name[32];
	struct event_class as = { .name = name };
	memory_io_init(&io);
	struct made *made = make(&io.io, 0);
	for (unsigned i = 0; i < PACKED_CLASSES_MAX; i++) {
		snprintf(name, sizeof(name), "%u", i);
		const struct packed_class *class = packed_source_class(&made->packed, &as, &error);
		assert_true(class != NULL && class->number == i);
	}
	assert_ptr_equal(packed_source_class(&made->packed, &as, &error)->class.name,
			 made->packed.classes[PACKED_CLASSES_MAX - 1]->class.name);
	snprintf(name, sizeof(name), "one more");
	assert_null(packed_source_class(&made->packed, &as, &error));
	assert_int_equal(error.status, HISTREE_ERR_TRACE);
	free_made(made);
	memory_io_release(&io);
}
