// SPDX-License-Identifier: MIT
/*
 * fuzz_event_text.c - a line of bytes as a map, the others as a text of events.  Whatever they are, reading ends,
 * events come by their times, their fields can be asked for, and reading on from any of them gives the same.
 */
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz.h"
#include "trace/trace.h"

enum { MAP_SIZE_MAX = 200, EVENTS_MAX = 2000, PLACE = 7 };

static void ask_fields(const struct event *event)
{
	int64_t number;
	const char *text;
	size_t size;
	for (uint32_t i = 0; i < event->class->field_count; i++) {
		REQUIRE(event->class->fields[i] != NULL);
		event_int(event, i, &number);
		if (event_string(event, i, &text, &size))
			REQUIRE(text[size] == '\0');
	}
}

static void read_events(const char *word)
{
	struct trace *trace;
	struct event event;
	struct trace_position at;
	histree_time last = INT64_MIN, time = 0;
	size_t count = 0;
	if (trace_open(&word, 1, &trace, NULL) != HISTREE_OK)
		return;
	for (; count < EVENTS_MAX && trace_next(trace, &event, NULL) == HISTREE_OK; count++) {
		REQUIRE(event.time >= last);
		last = event.time;
		ask_fields(&event);
		if (count == PLACE) {
			trace_positions(trace, &at);
			time = event.time;
		}
	}
	trace_close(trace);
	if (count <= PLACE || trace_open_at(&word, 1, &at, 1, &trace, NULL) != HISTREE_OK)
		return;
	REQUIRE(trace_next(trace, &event, NULL) == HISTREE_OK && event.time == time);
	trace_close(trace);
}

FUZZ_TARGET(bytes, size)
{
	char word[MAP_SIZE_MAX + 64];
	const uint8_t *end = size > 0 ? memchr(bytes, '\n', size) : NULL;
	if (end == NULL || end - bytes > MAP_SIZE_MAX)
		return 0;
	int file = memfd_create("events", 0);
	size_t map_size = (size_t)(end - bytes), rest = size - map_size - 1;
	REQUIRE(file >= 0 && write(file, end + 1, rest) == (ssize_t)rest);
	snprintf(word, sizeof(word), "text:%.*s:/proc/self/fd/%d", (int)map_size, (const char *)bytes, file);
	/* A colon in the map would be the end of it, and the rest a path. */
	if (memchr(bytes, ':', map_size) == NULL && memchr(bytes, '\0', map_size) == NULL)
		read_events(word);
	close(file);
	return 0;
}
