// SPDX-License-Identifier: MIT
/*
 * fuzz_perfetto.c - bytes as a trace of Perfetto.  Whatever they say, reading ends, and each text of each event,
 * and what is inside of its fields, can be looked at.
 */
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz.h"
#include "trace/perfetto/perfetto_packets.h"
#include "trace/trace.h"

enum { EVENTS_MAX = 20000 };

static volatile uint64_t seen; /* so that each byte of a text is looked at */

static bool look_at(void *context, const struct event_part *part)
{
	(void)context;
	seen += (uint64_t)part->integer;
	if (part->kind == EVENT_TEXT)
		for (size_t i = 0; i < part->size; i++)
			seen += (unsigned char)part->bytes[i];
	if (part->name != NULL)
		seen += strlen(part->name);
	return true;
}

static void read_events(struct trace *trace)
{
	struct event event;
	size_t events = 0;
	histree_time last = INT64_MIN;
	enum histree_status status;
	trace_want_gaps(trace);
	while ((status = trace_next(trace, &event, NULL)) == HISTREE_OK && events++ < EVENTS_MAX) {
		REQUIRE(event.time >= last);
		last = event.time;
		for (uint32_t field = 0; event.gap == NULL && field < event.class->field_count; field++)
			event_visit(&event, field, look_at, NULL);
	}
	REQUIRE(status >= 0);
}

FUZZ_TARGET(bytes, size)
{
	char path[64];
	struct trace *trace;
	bool is_gzip = size > 2 && bytes[0] == 0x1f && bytes[1] == 0x8b;
	if (!is_gzip && !perfetto_packets_begin(bytes, size))
		return 0;
	int file = memfd_create("trace.pftrace", 0);
	REQUIRE(file >= 0 && write(file, bytes, size) == (ssize_t)size);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", file);
	const char *paths[] = { path };
	if (trace_open(paths, 1, &trace, NULL) == HISTREE_OK) {
		read_events(trace);
		trace_close(trace);
	}
	close(file);
	return 0;
}
