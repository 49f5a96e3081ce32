// SPDX-License-Identifier: MIT
/*
 * test_event_stream.c - a stream hands out what its trace does, whoever reads it, and nothing twice.
 */
#include "base/crew.h"
#include "support/data.h"
#include "support/test.h"
#include "trace/event_stream.h"

enum { EVENTS_MAX = 1 << 14 };

/* What was seen, by time and class. */
struct seen {
	struct sight {
		histree_time time;
		uint32_t class;
	} events[EVENTS_MAX];
	size_t count;
	size_t fails_at; /* 0: never */
};

static void note(struct seen *seen, const struct event *event)
{
	assert_true(seen->count < EVENTS_MAX);
	seen->events[seen->count++] = (struct sight){ event->time, event->class->id };
}

static enum histree_status see(void *context, const struct trace *trace, const struct event *event,
			       struct histree_error *error)
{
	struct seen *seen = context;
	(void)error;
	assert_true(trace_time_here(trace) <= event->time); /* it is where the event is */
	note(seen, event);
	return seen->count == seen->fails_at ? HISTREE_ERR_MEMORY : HISTREE_OK;
}

struct world {
	char path[DATA_PATH_SIZE];
	const char *paths[1];
	struct event_origin origin;
	struct seen all, watched, read;
	struct event_stream stream;
	struct histree_error error;
};

/* What the trace says by itself. */
static struct world *begin(void)
{
	struct world *world = calloc(1, sizeof(*world));
	struct trace *trace;
	struct event event;
	source_path(world->path, "tests/data/demo-trace");
	world->paths[0] = world->path;
	world->origin = (struct event_origin){ .paths = world->paths, .path_count = 1 };
	assert_ok(trace_open(world->paths, 1, &trace, NULL));
	while (trace_next(trace, &event, NULL) == HISTREE_OK)
		note(&world->all, &event);
	trace_close(trace);
	assert_true(world->all.count > 2000);
	assert_ok(event_stream_open(&world->stream, &world->origin, NULL, &world->error));
	world->stream.watch = (struct event_watch){ see, &world->watched };
	return world;
}

static void end(struct world *world)
{
	event_stream_close(&world->stream);
	free(world);
}

/* Returns what ended it. */
static enum histree_status read_all(struct world *world)
{
	struct event_stream *stream = &world->stream;
	enum histree_status status;
	while ((status = event_stream_look(stream, &world->error)) == HISTREE_OK) {
		assert_ok(event_stream_look(stream, NULL)); /* which is the same again */
		for (size_t i = 0; i < stream->count; i++)
			note(&world->read, &stream->events[i]);
		status = event_stream_pass(stream, &world->error);
		if (status != HISTREE_OK)
			break;
	}
	return status;
}

static void assert_all(const struct world *world, const struct seen *seen)
{
	assert_int_equal(seen->count, world->all.count);
	assert_memory_equal(seen->events, world->all.events, seen->count * sizeof(*seen->events));
}

TEST(what_is_read_is_the_trace)
{
	struct world *world = begin();
	assert_int_equal(read_all(world), HISTREE_END);
	assert_all(world, &world->read);
	assert_all(world, &world->watched);
	assert_int_equal(event_stream_look(&world->stream, NULL), HISTREE_END);
	assert_int_equal(event_stream_report(&world->stream).events, world->all.count);
	end(world);
}

TEST(what_is_read_ahead_is_the_same)
{
	struct world *world = begin();
	struct crew crew;
	assert_true(crew_begin(&crew, 2));
	assert_true(event_stream_read_ahead(&world->stream, &crew));
	assert_int_equal(read_all(world), HISTREE_END);
	assert_int_equal(event_stream_report(&world->stream).events, world->all.count);
	event_stream_end_ahead(&world->stream, false);
	event_stream_release_ahead(&world->stream);
	crew_end(&crew);
	assert_all(world, &world->read);
	assert_all(world, &world->watched);
	assert_false(world->stream.has_failed);
	end(world);
}

/* A watch that fails ends both, and neither for a reason of the trace. */
TEST(a_watch_that_fails_ends_the_stream)
{
	struct world *world = begin();
	struct crew crew;
	world->watched.fails_at = 1500;
	assert_int_equal(read_all(world), HISTREE_ERR_MEMORY);
	assert_int_equal(world->read.count, 1500);
	end(world);
	world = begin();
	world->watched.fails_at = 1500;
	assert_true(crew_begin(&crew, 1));
	assert_true(event_stream_read_ahead(&world->stream, &crew));
	assert_int_equal(read_all(world), HISTREE_ERR_MEMORY);
	assert_true(world->stream.has_failed);
	assert_true(world->read.count < 1500);
	event_stream_end_ahead(&world->stream, true);
	event_stream_release_ahead(&world->stream);
	crew_end(&crew);
	end(world);
}

/* What was looked at and not passed is not seen there, and is met again from where it is. */
TEST(what_is_forgotten_is_met_again)
{
	struct world *world = begin();
	struct event_stream *stream = &world->stream;
	size_t files = trace_file_count(stream->trace);
	struct trace_position *positions = calloc(files + 1, sizeof(*positions));
	for (size_t i = 0; i <= 1000; i++)
		assert_ok(event_stream_next(stream, NULL));
	assert_int_equal(world->watched.count, 1000);
	trace_positions(stream->trace, positions);
	assert_ok(event_stream_go(stream, positions, files, NULL));
	assert_int_equal(world->watched.count, 1000);
	assert_ok(event_stream_look(stream, NULL));
	assert_int_equal(stream->events->time, world->all.events[1000].time);
	struct event_stream other = { 0 };
	assert_ok(event_stream_open_at(&other, &world->origin, positions, files, NULL));
	assert_ok(event_stream_look(&other, NULL));
	assert_int_equal(other.events->time, stream->events->time);
	event_stream_close(&other);
	free(positions);
	end(world);
}

TEST(another_trace_is_refused)
{
	struct world *world = begin();
	struct event_origin origin = world->origin;
	struct event_stream again = { 0 };
	origin.bytes = trace_bytes(world->stream.trace);
	origin.file_count = trace_file_count(world->stream.trace);
	origin.changed = "it is another one";
	assert_ok(event_stream_open(&again, &origin, NULL, &world->error));
	event_stream_close(&again);
	origin.bytes++;
	assert_int_equal(event_stream_open(&again, &origin, NULL, &world->error), HISTREE_ERR_TRACE);
	assert_string_equal(world->error.message, "it is another one");
	assert_null(again.trace);
	origin.bytes--;
	origin.file_count++;
	assert_int_equal(event_stream_open(&again, &origin, NULL, &world->error), HISTREE_ERR_TRACE);
	end(world);
}
