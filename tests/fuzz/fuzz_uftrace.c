// SPDX-License-Identifier: MIT
/*
 * fuzz_uftrace.c - bytes as the files of a folder of uftrace: each has its size in two bytes, little end first, in
 * front; the first is "info", then come the calls of two tasks, the tasks, a map and symbols.  Whatever they are,
 * there are no more calls than records have room, and from the place of a call on the same ones come.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fuzz.h"
#include "trace/trace.h"

enum { FILES = 6, RECORD_SIZE = 16, EVENTS_MAX = 5000, PLACES = 4 };

static const char *const names[FILES] = { "info", "100.dat", "101.dat", "task.txt", "sid-aa00.map", "made.sym" };
static void remove_files(const char *folder)
{
	for (size_t i = 0; i < FILES; i++) {
		char path[64];
		snprintf(path, sizeof(path), "%s/%s", folder, names[i]);
		unlink(path);
	}
	rmdir(folder);
}

static void write_files(const char *folder, const uint8_t *bytes, size_t size)
{
	for (size_t i = 0; i < FILES; i++) {
		char path[64];
		size_t length = size < 2 ? 0 : bytes[0] | (size_t)bytes[1] << 8;
		size_t used = size < 2 ? size : 2;
		length = length < size - used ? length : size - used;
		snprintf(path, sizeof(path), "%s/%s", folder, names[i]);
		FILE *file = fopen(path, "w");
		REQUIRE(file != NULL && fwrite(bytes + used, 1, length, file) == length && fclose(file) == 0);
		bytes += used + length;
		size -= used + length;
	}
}

static void look_at(const struct event *event)
{
	int64_t number;
	const char *text;
	size_t size;
	for (uint32_t field = 0; field < event->class->field_count; field++) {
		event_int(event, field, &number);
		if (event_string(event, field, &text, &size))
			REQUIRE(strlen(text) == size);
	}
}

static void read_calls(struct trace *trace, size_t size)
{
	struct trace_position places[PLACES][2];
	histree_time times[PLACES];
	struct event event;
	size_t count = 0, kept = 0;
	enum histree_status status;
	trace_want_gaps(trace);
	while ((status = trace_next(trace, &event, NULL)) == HISTREE_OK && count < EVENTS_MAX) {
		if (event.gap != NULL)
			continue;
		look_at(&event);
		count++;
		if (kept < PLACES && count % 5 == 1 && trace_file_count(trace) == 2) {
			trace_positions(trace, places[kept]);
			times[kept++] = event.time;
		}
	}
	REQUIRE(status >= 0 && count <= size / RECORD_SIZE);
	while (kept-- > 0) {
		REQUIRE(trace_move(trace, places[kept], 2, NULL) == HISTREE_OK);
		REQUIRE(trace_next(trace, &event, NULL) == HISTREE_OK && event.time == times[kept]);
	}
}

FUZZ_TARGET(bytes, size)
{
	char folder[] = "/tmp/histree-fuzz-XXXXXX";
	const char *path = folder;
	struct trace *trace;
	REQUIRE(mkdtemp(folder) != NULL);
	write_files(folder, bytes, size);
	if (trace_open(&path, 1, &trace, NULL) == HISTREE_OK) {
		read_calls(trace, size);
		trace_close(trace);
	}
	remove_files(folder);
	return 0;
}
