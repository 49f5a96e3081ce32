// SPDX-License-Identifier: MIT
/*
 * fuzz_json.c - any bytes as a trace in the Trace Event Format.  Whatever they are, reading ends, events come by
 * their times, and what is inside of their fields can be visited.
 */
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz.h"
#include "trace/formats.h"
#include "trace/trace_source.h"

static bool count_part(void *context, const struct event_part *part)
{
	REQUIRE(part->kind != EVENT_TEXT || part->size == 0 || part->bytes[part->size - 1] != '\0');
	REQUIRE(part->kind == EVENT_END || part->name != NULL || part->depth > 0);
	return ++*(uint64_t *)context < 100000;
}

static void ask_fields(const struct event *event)
{
	uint64_t parts = 0;
	for (uint32_t i = 0; i < event->class->field_count; i++)
		event_visit(event, i, count_part, &parts);
}

static void read_events(struct trace_source *source)
{
	const struct trace_opening opening = { .window_size = 4096 };
	histree_time last = INT64_MIN;
	if (source->kind->open(source, &opening, NULL) != HISTREE_OK)
		return;
	struct trace_stream *stream = source->streams[0];
	while (stream->kind->next(stream, NULL) == HISTREE_OK) {
		REQUIRE(stream->upcoming.time >= last);
		last = stream->upcoming.time;
		if (stream->upcoming.gap == NULL)
			ask_fields(&stream->upcoming);
	}
	REQUIRE(source->kind->bytes_done(source) == source->bytes);
}

FUZZ_TARGET(bytes, size)
{
	char path[64];
	struct trace_notes notes = { 0 };
	uint32_t class_count = 0;
	int file = memfd_create("trace", 0);
	REQUIRE(file >= 0 && write(file, bytes, size) == (ssize_t)size);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", file);
	struct trace_source *source = trace_source_create(&json_format, path);
	REQUIRE(source != NULL);
	source->notes = &notes;
	source->class_count = &class_count;
	if (json_format.scan(source, NULL) == HISTREE_OK)
		read_events(source);
	trace_source_free(source);
	trace_notes_release(&notes);
	close(file);
	return 0;
}
