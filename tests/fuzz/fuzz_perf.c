// SPDX-License-Identifier: MIT
/*
 * fuzz_perf.c - bytes as a recording of perf.  Whatever they say, there are no more events than bytes, counting
 * those that are unpacked; each field of each is within its record; and from the place of an event on the same
 * events come.
 */
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "event/event.h"
#include "fuzz.h"
#include "trace/trace.h"

enum { EVENTS_MAX = 20000 };

static volatile uint64_t seen; /* so that each byte of a text is looked at */

/* Call chains and build ids. */
static bool look_inside(void *context, const struct event_part *part)
{
	(void)context;
	if (part->kind == EVENT_INT || part->kind == EVENT_UNSIGNED)
		seen += (uint64_t)part->integer;
	for (size_t i = 0; part->kind == EVENT_BYTES && i < part->size; i++)
		seen += (unsigned char)part->bytes[i];
	return true;
}

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
		else
			event_visit(event, field, look_inside, NULL);
	}
}

/* What there was before the first event. */
static void look_at_images(const struct event_images *images)
{
	for (size_t i = 0; images != NULL && i < images->image_count; i++) {
		const struct event_image *image = &images->images[i];
		seen += strlen(image->path) + image->begin + image->offset;
		for (size_t byte = 0; byte < image->build_id_size; byte++)
			seen += image->build_id[byte];
	}
	for (size_t i = 0; images != NULL && i < images->name_count; i++)
		seen += strlen(images->names[i].name);
}

/* The place of an event is not of a loss, which is found from the start only. */
static void read_on(const char *path, const struct trace_position *place, const struct event *first)
{
	struct trace *trace;
	struct event event;
	REQUIRE(trace_open_at(&path, 1, place, 1, &trace, NULL) == HISTREE_OK);
	REQUIRE(trace_next(trace, &event, NULL) == HISTREE_OK);
	REQUIRE(event.time == first->time && event.cpu == first->cpu);
	trace_close(trace);
}

static void read_events(const char *path, struct trace *trace)
{
	struct event event;
	size_t events = 0;
	enum histree_status status;
	bool has_places = trace_file_count(trace) == 1;
	trace_want_gaps(trace);
	look_at_images(trace_at(trace, 0)->images);
	while ((status = trace_next(trace, &event, NULL)) == HISTREE_OK && events++ < EVENTS_MAX) {
		struct trace_position place;
		look_at(&event);
		if (!has_places || event.gap != NULL || events % 16 != 1 || events > 256)
			continue;
		trace_positions(trace, &place);
		read_on(path, &place, &event);
	}
	REQUIRE(status >= 0);
}

FUZZ_TARGET(bytes, size)
{
	char path[64];
	struct trace *trace;
	int file = memfd_create("perf.data", 0);
	REQUIRE(file >= 0 && write(file, bytes, size) == (ssize_t)size);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", file);
	const char *paths[] = { path };
	if (size >= 8 && (memcmp(bytes, "PERFILE2", 8) == 0 || memcmp(bytes, "2ELIFREP", 8) == 0) &&
	    trace_open(paths, 1, &trace, NULL) == HISTREE_OK) {
		read_events(path, trace);
		trace_close(trace);
	}
	close(file);
	return 0;
}
