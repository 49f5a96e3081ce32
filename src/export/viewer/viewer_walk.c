// SPDX-License-Identifier: MIT
/*
 * viewer_walk.c - the walk, in the order of time, that fills a viewer's file; and the walk over events.
 *
 * Events of a trace are instants of the threads that they belong to, with their fields.  The thread of an event is
 * the one that it names itself, as tracers write it (thread_fields); else the one that ran on its CPU at that time
 * by the history of the kernel.  An event that belongs to no thread is on a track of its CPU.
 */
#include "export/viewer/viewer_walk.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/table.h"
#include "event_index/event_owner.h"
#include "export/viewer/viewer_rows.h"
#include "histree/events.h"
#include "histree/states.h"

/* Progress is asked for and shown once in this many steps. */
enum { STEPS_EVERY = 4096 };

bool viewer_walk_goes_on(struct viewer_walk *walk, histree_time time)
{
	const struct histree_viewer_request *request = walk->request;
	struct viewer_file *file = walk->file;
	if (file->output->status != HISTREE_OK)
		viewer_walk_fail(walk, file->output->status);
	if (file->status != HISTREE_OK || ++walk->since_shown < STEPS_EVERY)
		return file->status == HISTREE_OK;
	walk->since_shown = 0;
	if (request->work.go_on != NULL && !request->work.go_on(request->work.context))
		viewer_walk_fail(walk, error_set(file->error, HISTREE_ERR_CANCELLED, "cancelled"));
	double length = (double)request->to - (double)request->from + 1;
	double share = ((double)time - (double)request->from) / length;
	if (walk->share_of > 0)
		share = walk->share_from + share * walk->share_of;
	const struct histree_progress now = { .share = share < 0   ? 0
						       : share > 1 ? 1
								   : share,
					      .rows = walk->counts->rows };
	if (request->work.progress != NULL)
		request->work.progress(request->work.context, &now);
	return file->status == HISTREE_OK;
}

/* ---- events ------------------------------------------------------------------------------------------- */

struct events {
	struct viewer_walk *walk;
	struct histree_cursor *reader;
	const char *const *types;
	const struct histree_event_host *hosts; /* NULL: there is one */
	struct viewer_threads *known;           /* by host; one if there is one */
	size_t known_count;
	struct event_owners owners;
	struct histree_cursor *query;
	struct viewer_argument *fields;
	size_t field_count, capacity;
};

/* ---- who ------------------------------------------------------------------------------------------------- */

/*
 * LTTng's contexts, the numbers that programs have of themselves, the kernel's own field, perf's, and of a switch
 * who ran until then.
 */
static const struct {
	const char *thread, *process;
} thread_fields[] = {
	{ "tid", "pid" },           { "vtid", "vpid" },   { "common_pid", "common_tgid" },
	{ "perf_tid", "perf_pid" }, { "prev_tid", NULL }, { "prev_pid", NULL },
};

static bool number_of(const struct events *events, const char *name, int64_t *out)
{
	struct histree_value value;
	if (histree_event_reader_value(events->reader, name, &value) != HISTREE_OK || value.type != HISTREE_LONG)
		return false;
	*out = value.int64;
	return true;
}

/* Each host has threads of its own, known by its own history, which is called as it. */
static enum histree_status prepare_hosts(struct events *events)
{
	const struct histree_viewer_request *request = events->walk->request;
	struct viewer_file *file = events->walk->file;
	enum histree_status status =
		event_owners_begin(&events->owners, request->events, request->names, file->error);
	if (status != HISTREE_OK)
		return status;
	events->known = calloc(events->owners.host_count + 1, sizeof(*events->known));
	if (events->known == NULL)
		return error_memory(file->error, "the hosts");
	events->known_count = events->owners.host_count;
	for (size_t i = 0; i < events->known_count && status == HISTREE_OK; i++)
		status = viewer_threads_begin(&events->known[i], file, event_owners_history(&events->owners, i),
					      request->work);
	return status;
}

/* Events of no CPU are on one track. */
static struct viewer_track *track_of_cpu(struct viewer_file *file, int32_t cpu)
{
	char name[32] = "events";
	const struct viewer_track *group = viewer_file_track(
		file, &(struct viewer_track_key){ .kind = VIEWER_GROUP, .name = viewer_text("Events") });
	if (cpu >= 0)
		snprintf(name, sizeof(name), "CPU %d", cpu);
	return viewer_file_track(file, &(struct viewer_track_key){
					       .kind = VIEWER_LANE, .parent = group, .name = viewer_text(name) });
}

/* ---- fields ---------------------------------------------------------------------------------------------- */

/* What is inside of a field is shown as JSON. */
static struct histree_value value_of(const struct histree_event_field *field)
{
	switch (field->kind) {
	case HISTREE_EVENT_SIGNED:
		return histree_long(field->integer);
	case HISTREE_EVENT_UNSIGNED:
		return histree_unsigned((uint64_t)field->integer);
	case HISTREE_EVENT_REAL:
		return histree_double(field->real);
	case HISTREE_EVENT_TEXT:
	case HISTREE_EVENT_LABEL:
	case HISTREE_EVENT_PARTS:
		break;
	}
	return histree_string_n(field->text, field->size);
}

static bool read_fields(struct events *events)
{
	size_t count;
	const struct histree_event_field *fields = histree_event_reader_fields(events->reader, &count);
	if (fields == NULL || !array_reserve(&events->fields, &events->capacity, count))
		return false;
	for (size_t i = 0; i < count; i++)
		events->fields[i] = (struct viewer_argument){ fields[i].name, value_of(&fields[i]) };
	events->field_count = count;
	return true;
}

static void write_event(struct events *events, const struct histree_event *event)
{
	struct viewer_file *file = events->walk->file;
	if (events->hosts != NULL)
		viewer_file_host(file, event->host + 1, events->hosts[event->host].name);

	/* Idle threads are one of each CPU, and all have the number 0. */
	const size_t host = events->hosts != NULL ? event->host : 0;
	int64_t tid = 0, pid = 0;
	bool has_pid = false, is_told = false;
	/* A state dump tells of others. */
	const bool is_dump = strncmp(events->types[event->type], "lttng_statedump", strlen("lttng_statedump")) == 0;
	for (size_t i = is_dump; i < sizeof(thread_fields) / sizeof(*thread_fields) && !is_told; i++) {
		/* A field pid alone is that of the thread that the event is about. */
		is_told = number_of(events, thread_fields[i].thread, &tid);
		has_pid = is_told && thread_fields[i].process != NULL &&
			  number_of(events, thread_fields[i].process, &pid) && pid > 0;
	}
	if (!is_told)
		tid = event_owners_thread(&events->owners, host, event->cpu, event->time);
	struct viewer_track *track =
		tid > 0 ? viewer_threads_find(&events->known[host], tid, has_pid, pid, event->time)
			: track_of_cpu(events->walk->file, event->cpu);

	if (!read_fields(events))
		viewer_file_lacks_memory(file);
	if (track == NULL || file->status != HISTREE_OK)
		return;
	viewer_file_instant(file, track,
			    &(struct viewer_span){ .start = event->time,
						   .end = event->time,
						   .name = viewer_text(events->types[event->type]),
						   .category = viewer_text("event"),
						   .arguments = events->fields,
						   .argument_count = events->field_count });
}

static enum histree_status viewer_events_write_all(struct events *events)
{
	struct viewer_walk *walk = events->walk;
	const struct histree_viewer_request *request = walk->request;
	struct histree_event event;
	histree_time last = request->from;
	const struct histree_event_range range = { HISTREE_WINDOW_ALL, { request->from, request->to, false } };
	enum histree_status status = histree_event_query_start(events->query, &range, walk->file->error);
	while (status == HISTREE_OK &&
	       (status = histree_cursor_next(events->query, walk->file->error)) == HISTREE_OK) {
		event = *histree_cursor_event(events->query);
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
		status = histree_event_query_create(walk->request->events, events.reader, walk->request->where,
						    walk->request->origin, walk->request->end, &events.query,
						    walk->file->error);
	if (status == HISTREE_OK) {
		histree_event_query_set_cancel(events.query, walk->request->work);
		if (walk->request->names != NULL && histree_event_query_names_threads(events.query))
			status = histree_event_query_take_threads(events.query, walk->request->names,
								  walk->file->error);
	}
	if (status == HISTREE_OK)
		status = prepare_hosts(&events);
	if (status == HISTREE_OK)
		status = viewer_events_write_all(&events);

	for (size_t i = 0; i < events.known_count; i++)
		viewer_threads_release(&events.known[i]);
	free(events.known);
	event_owners_release(&events.owners);

	free(events.fields);
	histree_cursor_free(events.query);
	histree_cursor_free(events.reader);
	return status == HISTREE_OK ? walk->file->status : viewer_walk_fail(walk, status);
}
