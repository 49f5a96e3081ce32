// SPDX-License-Identifier: MIT
/*
 * fuzz_lines.c - bytes as the text of a trace, or as one in JSON that has such a text.  Whatever they are, there
 * are no more events than lines, each field can be asked for, and from the place of an event on the same events
 * come.
 */
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz.h"
#include "trace/formats.h"
#include "trace/trace.h"

enum { EVENTS_MAX = 20000 };

static volatile uint64_t seen; /* so that each byte of a text is looked at */

static bool see_part(void *context, const struct event_part *part)
{
	(void)context;
	seen += (uint64_t)part->kind;
	return true;
}

static void look_at(const struct event *event)
{
	int64_t number;
	const char *text;
	size_t size;
	for (uint32_t field = 0; event->gap == NULL && field < event->class->field_count; field++) {
		event_visit(event, field, see_part, NULL);
		if (event_int(event, field, &number))
			seen += (uint64_t)number;
		if (event_string(event, field, &text, &size)) {
			REQUIRE(strcmp(event->class->trace->domain, "kernel") != 0 || text[size] == '\0');
			for (size_t i = 0; i < size; i++)
				seen += (unsigned char)text[i];
		}
	}
}

static void read_on(const char *path, const struct trace_position *place, const struct event *first)
{
	struct trace *trace;
	struct event event;
	REQUIRE(trace_open_at(&path, 1, place, 1, &trace, NULL) == HISTREE_OK);
	REQUIRE(trace_next(trace, &event, NULL) == HISTREE_OK);
	REQUIRE(event.time == first->time && event.cpu == first->cpu);
	REQUIRE(strcmp(event.class->name, first->class->name) == 0);
	trace_close(trace);
}

static void read_events(const char *path, struct trace *trace, size_t lines)
{
	struct event event;
	size_t events = 0;
	enum histree_status status;
	bool has_places = trace_file_count(trace) == 1;
	trace_want_gaps(trace);
	while ((status = trace_next(trace, &event, NULL)) == HISTREE_OK && events < EVENTS_MAX) {
		struct trace_position place;
		look_at(&event);
		events += event.gap == NULL;
		if (!has_places || event.gap != NULL || events % 16 != 1 || events > 256)
			continue;
		trace_positions(trace, &place);
		read_on(path, &place, &event);
	}
	REQUIRE(status >= 0);
	REQUIRE(!has_places || events <= lines);
}

FUZZ_TARGET(bytes, size)
{
	char path[64];
	struct trace *trace;
	size_t lines = 1;
	for (size_t i = 0; i < size; i++)
		lines += bytes[i] == '\n';
	int file = memfd_create("trace", 0);
	REQUIRE(file >= 0 && write(file, bytes, size) == (ssize_t)size);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", file);
	const char *paths[] = { path };
	bool is_in_json = memmem(bytes, size, "systemTraceEvents", 17) != NULL;
	if ((line_format.is_file(path) || is_in_json) && trace_open(paths, 1, &trace, NULL) == HISTREE_OK) {
		read_events(path, trace, lines);
		trace_close(trace);
	}
	close(file);
	return 0;
}
