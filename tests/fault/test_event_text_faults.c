// SPDX-License-Identifier: MIT
/*
 * test_event_text_faults.c - whatever fails while a text of events is read, the events before it come, then a
 * sentence; and no text takes much more memory than it has bytes.
 */
#include "support/faulty_io.h"
#include "support/faulty_memory.h"
#include "support/test.h"
#include "trace/formats.h"
#include "trace/trace.h"
#include "trace/trace_source.h"

enum { ROWS = 200000 };

struct world {
	char text[64];
	struct faulty_io faulty;
	struct trace_notes notes;
	uint32_t class_count;
	struct histree_error error;
};

static int set_up(void **state)
{
	struct world *world = calloc(1, sizeof(*world));
	strcpy(world->text, "/tmp/histree-events-XXXXXX");
	int file = mkstemp(world->text);
	assert_true(file >= 0);
	close(file);
	faulty_io_init(&world->faulty, &io_posix);
	*state = world;
	return 0;
}

static int tear_down(void **state)
{
	struct world *world = *state;
	int status = unlink(world->text);
	free(world);
	return status;
}

static void write_rows(const struct world *world)
{
	FILE *file = fopen(world->text, "w");
	fputs("time\tname\n", file);
	for (int i = 0; i < ROWS; i++)
		fprintf(file, "%d\tname\n", i);
	assert_int_equal(fclose(file), 0);
}

/* Reads the text through the table that fails.  Returns how it ended, and how many events came. */
static enum histree_status read_text(struct world *world, uint64_t *count)
{
	struct trace_source *source = trace_source_create(&event_text_format, world->text);
	assert_non_null(source);
	source->io = &world->faulty.io;
	source->notes = &world->notes;
	source->class_count = &world->class_count;
	*count = 0;
	enum histree_status status = source->kind->scan(source, &world->error);
	if (status == HISTREE_OK)
		status = source->kind->open(source, &(struct trace_opening){ 0 }, &world->error);
	while (status == HISTREE_OK) {
		struct trace_stream *stream = source->streams[0];
		status = stream->kind->next(stream, &world->error);
		if (status == HISTREE_OK)
			assert_int_equal(stream->upcoming.time, (*count)++);
	}
	trace_source_free(source);
	return status;
}

TEST_WITH(a_read_that_fails_ends_the_text, set_up, tear_down)
{
	struct world *world = *state;
	enum histree_status status = HISTREE_ERR_IO;
	uint64_t failures = 0, count, before = 0;
	write_rows(world);
	for (; status != HISTREE_END; failures++) {
		faulty_io_init(&world->faulty, &io_posix);
		world->faulty.fail_at = failures + 1;
		memset(&world->error, 0, sizeof(world->error));
		status = read_text(world, &count);
		assert_true(status == HISTREE_END || status == HISTREE_ERR_IO);
		assert_true(count >= before);
		if (status == HISTREE_ERR_IO && strstr(world->error.message, world->text) == NULL)
			fail_msg("'%s' says of no file", world->error.message);
		before = count;
	}
	assert_true(failures > 5);
	assert_int_equal(count, ROWS);
}

TEST_WITH(reads_may_be_short, set_up, tear_down)
{
	struct world *world = *state;
	uint64_t count;
	write_rows(world);
	world->faulty.short_transfers = true;
	assert_int_equal(read_text(world, &count), HISTREE_END);
	assert_int_equal(count, ROWS);
}

static void check_memory(struct world *world, size_t ceiling)
{
	uint64_t count;
	counted_memory_begin(ceiling);
	enum histree_status status = read_text(world, &count);
	assert_false(counted_memory_refused());
	assert_int_equal(status, HISTREE_END);
}

/* Many names of events in a text of many columns: what all have in common is there once. */
TEST_WITH(names_and_columns_take_memory_once, set_up, tear_down)
{
	enum { NAMES = 4000, COLUMNS = 1000 };
	struct world *world = *state;
	char tabs[COLUMNS + 1];
	memset(tabs, '\t', COLUMNS);
	tabs[COLUMNS] = '\0';
	FILE *file = fopen(world->text, "w");
	fputs("time\tname", file);
	for (int i = 0; i < COLUMNS; i++)
		fprintf(file, "\t%0200d", i);
	for (int i = 0; i < NAMES; i++)
		fprintf(file, "\n%d\tname %d%s", i, i, tabs);
	assert_int_equal(fclose(file), 0);
	check_memory(world, 64 << 20);
}

/* Each new column of JSON makes new classes of the names that have it. */
TEST_WITH(columns_that_come_one_by_one_take_memory_once, set_up, tear_down)
{
	enum { NAMES = 40, COLUMNS = 1000 };
	struct world *world = *state;
	FILE *file = fopen(world->text, "w");
	for (int i = 0, time = 0; i < COLUMNS; i++)
		for (int name = 0; name < NAMES; name++)
			fprintf(file, "{\"time\":%d,\"name\":\"%d\",\"%0200d\":1}\n", time++, name, i);
	assert_int_equal(fclose(file), 0);
	check_memory(world, 64 << 20);
}
