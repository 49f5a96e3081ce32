// SPDX-License-Identifier: MIT
/*
 * fuzz_dat.c - bytes as a trace.dat.  Whatever they say, reading ends; each field of each event is within it; and
 * from the place of an event on the same events come.
 */
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz.h"
#include "trace/trace.h"

enum { EVENTS_MAX = 20000, STREAMS_MAX = 16 };

static volatile uint64_t seen; /* so that each byte of a text is looked at */

static void look_at(const struct event *event)
{
	int64_t number;
	const char *text;
	size_t size;
	for (uint32_t field = 0; event->gap == NULL && field < event->class->field_count; field++) {
		if (event_int(event, field, &number))
			seen += (uint64_t)number;
		else if (event_string(event, field, &text, &size))
			for (size_t i = 0; i < size; i++)
				seen += (unsigned char)text[i];
	}
}

/* The place of an event is not of a loss, which is met on the way only. */
static void read_on(const char *path, const struct trace_position *places, size_t count, const struct event *first)
{
	struct trace *trace;
	struct event event;
	REQUIRE(trace_open_at(&path, 1, places, count, &trace, NULL) == HISTREE_OK);
	REQUIRE(trace_next(trace, &event, NULL) == HISTREE_OK);
	REQUIRE(event.time == first->time && event.cpu == first->cpu);
	trace_close(trace);
}

static void read_events(const char *path, struct trace *trace)
{
	struct event event;
	size_t events = 0;
	enum histree_status status;
	size_t streams = trace_file_count(trace);
	bool has_places = streams > 0 && streams <= STREAMS_MAX;
	trace_want_gaps(trace);
	while ((status = trace_next(trace, &event, NULL)) == HISTREE_OK && events++ < EVENTS_MAX) {
		struct trace_position places[STREAMS_MAX];
		look_at(&event);
		if (!has_places || event.gap != NULL || events % 16 != 1 || events > 256)
			continue;
		trace_positions(trace, places);
		read_on(path, places, streams, &event);
	}
	REQUIRE(status >= 0);
}

FUZZ_TARGET(bytes, size)
{
	char path[64];
	struct trace *trace;
	int file = memfd_create("trace.dat", 0);
	REQUIRE(file >= 0 && write(file, bytes, size) == (ssize_t)size);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", file);
	const char *paths[] = { path };
	if (size >= 10 && memcmp(bytes, "\x17\x08\x44tracing", 10) == 0 &&
	    trace_open(paths, 1, &trace, NULL) == HISTREE_OK) {
		read_events(path, trace);
		trace_close(trace);
	}
	close(file);
	return 0;
}
