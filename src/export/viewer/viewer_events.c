// SPDX-License-Identifier: MIT
/*
 * viewer_events.c - the events of a trace as instants, on a track for each CPU.
 */
#include <stdio.h>

#include "export/viewer/viewer_walk.h"

struct events {
	struct viewer_walk *walk;
	struct histree_event_reader *reader;
	const char *const *types;
	const struct histree_event_host *hosts; /* NULL: there is one */
};

/* Events of no CPU are on one track. */
static struct viewer_track *track_of(struct viewer_file *file, int32_t cpu)
{
	char name[32] = "events";
	const struct viewer_track *group = viewer_file_track(
		file, &(struct viewer_track_key){ .kind = VIEWER_GROUP, .name = viewer_text("Events") });
	if (cpu >= 0)
		snprintf(name, sizeof(name), "CPU %d", cpu);
	return viewer_file_track(file, &(struct viewer_track_key){
					       .kind = VIEWER_LANE, .parent = group, .name = viewer_text(name) });
}

static void write_event(struct events *events, const struct histree_event *event)
{
	struct viewer_file *file = events->walk->file;
	if (events->hosts != NULL)
		viewer_file_host(file, event->host + 1, events->hosts[event->host].name);
	struct viewer_track *track = track_of(file, event->cpu);
	const char *contents = histree_event_reader_contents(events->reader);
	if (contents == NULL)
		viewer_file_lacks_memory(file);
	if (track == NULL || contents == NULL)
		return;
	const struct viewer_argument fields = { "fields", histree_string(contents) };
	viewer_file_instant(file, track,
			    &(struct viewer_span){ .start = event->time,
						   .end = event->time,
						   .name = viewer_text(events->types[event->type]),
						   .category = viewer_text("event"),
						   .arguments = &fields,
						   .argument_count = contents[0] != '\0' });
}

static enum histree_status write_all(struct events *events)
{
	struct viewer_walk *walk = events->walk;
	const struct histree_viewer_request *request = walk->request;
	struct histree_event event;
	uint64_t first;
	histree_time last = request->from;
	enum histree_status status =
		histree_event_reader_find(events->reader, request->from, &first, walk->file->error);
	if (status == HISTREE_OK)
		status = histree_event_reader_seek(events->reader, first, walk->file->error);
	while (status == HISTREE_OK &&
	       (status = histree_event_reader_next(events->reader, &event, walk->file->error)) == HISTREE_OK) {
		if (event.time > request->to)
			return walk->file->status;
		/* Where a clock steps back, events are in the order of their numbers, and time stands. */
		event.time = last = event.time > last ? event.time : last;
		write_event(events, &event);
		if (!viewer_walk_goes_on(walk, event.time))
			return walk->file->status;
	}
	return status == HISTREE_END ? walk->file->status : viewer_walk_fail(walk, status);
}

enum histree_status viewer_walk_events(struct viewer_walk *walk)
{
	size_t count;
	struct events events = { .walk = walk,
				 .types = histree_events_types(walk->request->events, &count),
				 .hosts = histree_events_hosts(walk->request->events, &count) };
	enum histree_status status =
		histree_event_reader_create(walk->request->events, &events.reader, walk->file->error);
	if (status == HISTREE_OK)
		status = write_all(&events);
	histree_event_reader_free(events.reader);
	return status == HISTREE_OK ? walk->file->status : viewer_walk_fail(walk, status);
}
