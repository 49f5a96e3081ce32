// SPDX-License-Identifier: MIT
/*
 * viewer_export.c - a viewer's file made from a history, segments or events, in the order of time.
 *
 * *Events* of a trace are instants of the threads that they belong to, with their fields.  The thread of an event
 * is the one that it names itself, as tracers write it (thread_fields); else the one that ran on its CPU at that
 * time by the history of the kernel.  An event that belongs to no thread is on a track of its CPU.
 *
 * *Segments* of a store are spans: on the track of their thread, process, CPU or analysis.
 *
 * Segments come in the order of their starts, of equal ones the shortest first.  Spans nest if the longest comes
 * first, so those that begin at one time are kept until the next one begins.
 *
 * *States* of a history are spans and counters, and the arrows between them, in order of time.
 *
 * States that are ongoing when the range begins come first, then the changes in it.  Of those that begin at one
 * time the longest comes first, so that spans nest.
 *
 * Arrows are forks and wake-ups of threads, and flows of a trace of tracks.  They are read from the same source as
 * in view/view.h, but one after another, since the list for a chart is thinned to its pixels.
 *
 * Several hosts go into one file: each is walked over by itself, as if it were the only one.  Viewers identify
 * processes by their numbers, which two hosts may share: the numbers of a host are raised by 2^22, the limit of
 * Linux, for each host before it, and names of processes and groups begin with that of the host.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cursor.h"
#include "base/error.h"
#include "base/search.h"
#include "base/table.h"
#include "event_index/event_owner.h"
#include "export/export_output.h"
#include "export/viewer/viewer_file.h"
#include "export/viewer/viewer_rows.h"
#include "histree/events.h"
#include "histree/export.h"
#include "histree/states.h"
#include "item/value.h"

/* ---- viewer walk --------------------------------------------------------------------------------------------- */

struct viewer_walk {
	const struct histree_viewer_request *request;
	struct viewer_file *file;
	struct histree_export_counts *counts;
	uint64_t since_shown;        /* steps since progress was shown */
	double share_from, share_of; /* of all that is walked over; 0: it is all */
};

/* Take note of what a cursor lost. */
static inline void viewer_walk_lose(struct viewer_walk *walk, struct histree_loss loss)
{
	loss_add(&walk->counts->loss, &loss);
}

/* Keep a failure of a call that has filled file->error.  Returns the status. */
static inline enum histree_status viewer_walk_fail(struct viewer_walk *walk, enum histree_status status)
{
	if (walk->file->status == HISTREE_OK)
		walk->file->status = status;
	return walk->file->status;
}

/* Progress is asked for and shown once in this many steps. */
enum { STEPS_EVERY = 4096 };

/* A step was taken, up to a time: show progress now and then.  Returns false if the walk is to end. */
static bool viewer_walk_goes_on(struct viewer_walk *walk, histree_time time)
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

/* The walk over the events of the request. */
static enum histree_status viewer_walk_events(struct viewer_walk *walk)
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

/* ---- viewer segments ----------------------------------------------------------------------------------------- */

/* More that begin at one time are shown on tracks of their own, where they overlap. */
enum { TIES_MAX = 65536 };

struct kept {
	struct histree_segment segment;
	uint64_t number;
};

/* The fields that name the place; SIZE_MAX: the store has no such field. */
struct fields {
	size_t name, category, tid, pid, cpu, track;
};

struct segments {
	struct viewer_walk *walk;
	struct viewer_threads threads;
	const struct histree_segment_schema *schema;
	struct fields fields;
	struct kept *kept;
	size_t count, capacity;
	uint64_t number;
	struct arena bytes; /* of what is kept */
	histree_time from, to;
};

/* ---- places ----------------------------------------------------------------------------------------------- */

static size_t find_field(const struct segments *segments, const char *name)
{
	for (size_t i = 0; i < segments->schema->field_count; i++)
		if (strcmp(segments->schema->fields[i].name, name) == 0)
			return i;
	return SIZE_MAX;
}

static bool number_at(const struct histree_segment *segment, size_t field, int64_t *out)
{
	if (field == SIZE_MAX)
		return false;
	const struct histree_value *value = &segment->content[field];
	*out = value->type == HISTREE_INT ? value->int32 : value->int64;
	return value->type == HISTREE_INT || value->type == HISTREE_LONG;
}

static struct viewer_text text_at(const struct histree_segment *segment, size_t field)
{
	if (field == SIZE_MAX || segment->content[field].type != HISTREE_STRING)
		return (struct viewer_text){ 0 };
	return (struct viewer_text){ segment->content[field].bytes, segment->content[field].size };
}

static struct viewer_track *lane(struct segments *segments, const struct viewer_track *parent,
				 struct viewer_text name)
{
	return viewer_file_track(segments->walk->file,
				 &(struct viewer_track_key){ .kind = VIEWER_LANE, .parent = parent, .name = name });
}

static struct viewer_track *lane_of_group(struct segments *segments, const char *group, const char *name)
{
	const struct viewer_track *parent =
		viewer_file_track(segments->walk->file,
				  &(struct viewer_track_key){ .kind = VIEWER_GROUP, .name = viewer_text(group) });
	return lane(segments, parent, viewer_text(name));
}

static struct viewer_track *viewer_segments_track_of(struct segments *segments,
						     const struct histree_segment *segment)
{
	const struct fields *fields = &segments->fields;
	struct viewer_text track = text_at(segment, fields->track);
	int64_t tid, pid = 0, cpu;
	bool has_pid = number_at(segment, fields->pid, &pid);
	if (track.size > 0)
		return lane(segments,
			    has_pid ? viewer_threads_process(&segments->threads, pid, segment->start) : NULL,
			    track);
	if (number_at(segment, fields->tid, &tid))
		return viewer_threads_find(&segments->threads, tid, has_pid, pid, segment->start);
	if (has_pid)
		return viewer_threads_process(&segments->threads, pid, segment->start);
	if (number_at(segment, fields->cpu, &cpu)) {
		char name[32] = "CPU ";
		name[strlen("CPU ") + number_format_signed(cpu, name + strlen("CPU "))] = '\0';
		return lane_of_group(segments, "CPUs", name);
	}
	return lane_of_group(segments, segments->schema->provider, segments->schema->provider);
}

/* ---- spans ------------------------------------------------------------------------------------------------ */

static void write_segment(struct segments *segments, const struct histree_segment *segment)
{
	const struct histree_segment_schema *schema = segments->schema;
	const struct fields *fields = &segments->fields;
	struct viewer_argument arguments[HISTREE_SEGMENT_FIELDS_MAX];
	size_t count = 0;
	struct viewer_track *track = viewer_segments_track_of(segments, segment);
	struct viewer_text name = text_at(segment, fields->name);
	struct viewer_text category = text_at(segment, fields->category);
	if (track == NULL)
		return;
	for (size_t i = 0; i < schema->field_count; i++)
		if (i != fields->name && i != fields->category && i != fields->tid && i != fields->pid &&
		    segment->content[i].type != HISTREE_NULL)
			arguments[count++] =
				(struct viewer_argument){ schema->fields[i].name, segment->content[i] };
	viewer_file_span(
		segments->walk->file, track,
		&(struct viewer_span){ .start = segment->start > segments->from ? segment->start : segments->from,
				       .end = segment->end < segments->to ? segment->end : segments->to,
				       .name = name.size > 0 ? name : viewer_text(schema->provider),
				       .category = category.size > 0 ? category : viewer_text(schema->provider),
				       .arguments = arguments,
				       .argument_count = count });
}

COMPARE(compare_kept, struct kept, BY_MOST(segment.end) BY(number))

static void write_kept(struct segments *segments)
{
	if (segments->count > 1)
		qsort(segments->kept, segments->count, sizeof(*segments->kept), compare_kept);
	for (size_t i = 0; i < segments->count; i++)
		write_segment(segments, &segments->kept[i].segment);
	segments->count = 0;
	arena_release(&segments->bytes);
}

/* Returns false when memory runs out. */
static bool viewer_segments_keep(struct segments *segments, const struct histree_segment *segment)
{
	size_t fields = segments->schema->field_count;
	if (!array_reserve(&segments->kept, &segments->capacity, segments->count + 1))
		return false;
	struct histree_value *values =
		arena_allocate(&segments->bytes, (fields + 1) * sizeof(*values), _Alignof(struct histree_value));
	if (values == NULL)
		return false;
	for (size_t i = 0; i < fields; i++) {
		values[i] = segment->content[i];
		if (!value_keep(&values[i], &segments->bytes))
			return false;
	}
	segments->kept[segments->count++] =
		(struct kept){ { segment->start, segment->end, values }, segments->number++ };
	return true;
}

/* What begins before the range is cut to begin with it, so it counts as beginning there. */
static histree_time start_of(const struct segments *segments, const struct histree_segment *segment)
{
	return segment->start > segments->from ? segment->start : segments->from;
}

/* ---- the walk --------------------------------------------------------------------------------------------- */

static enum histree_status viewer_segments_write_all(struct segments *segments, struct histree_cursor *iter)
{
	struct viewer_walk *walk = segments->walk;
	enum histree_status status;
	bool goes_on = true;
	while (goes_on && (status = histree_cursor_next(iter, walk->file->error)) == HISTREE_OK) {
		const struct histree_segment *segment = histree_cursor_segment(iter);

		bool is_tie = segments->count > 0 && segments->count < TIES_MAX &&
			      start_of(segments, &segments->kept[0].segment) == start_of(segments, segment);
		if (segments->count > 0 && !is_tie)
			write_kept(segments);
		if (!viewer_segments_keep(segments, segment))
			viewer_file_lacks_memory(segments->walk->file);

		goes_on = viewer_walk_goes_on(walk, segment->start);
	}
	viewer_walk_lose(walk, histree_cursor_loss(iter));
	if (!goes_on)
		return walk->file->status;
	if (status != HISTREE_END)
		return viewer_walk_fail(walk, status);
	write_kept(segments);
	return walk->file->status;
}

static enum histree_status viewer_walk_segments(struct viewer_walk *walk)
{
	const struct histree_viewer_request *request = walk->request;
	struct histree_segment_query query = request->query != NULL ? *request->query : HISTREE_SEGMENTS_ALL;
	struct segments segments = { .walk = walk,
				     .schema = &histree_segment_store_info(request->segments)->schema,
				     .from = request->from,
				     .to = request->to };
	struct histree_cursor *iter = NULL;
	query.from = query.from > request->from ? query.from : request->from;
	query.to = query.to < request->to ? query.to : request->to;
	query.order = HISTREE_SEGMENTS_BY_START;
	query.descending = false;
	query.work = request->work;

	segments.fields = (struct fields){ .name = find_field(&segments, "name"),
					   .category = find_field(&segments, "category"),
					   .tid = find_field(&segments, "tid"),
					   .pid = find_field(&segments, "pid"),
					   .cpu = find_field(&segments, "cpu"),
					   .track = find_field(&segments, "track") };
	for (size_t i = 0; i < segments.schema->field_count && segments.fields.name == SIZE_MAX; i++)
		if (segments.schema->fields[i].type == HISTREE_STRING && i != segments.fields.track &&
		    i != segments.fields.category)
			segments.fields.name = i;

	bool has_names = request->names != NULL &&
			 histree_thread_analysis_is(histree_history_info(request->names)->provider);
	viewer_threads_begin(&segments.threads, walk->file, has_names ? request->names : NULL, query.work);
	enum histree_status status = walk->file->status;
	if (status == HISTREE_OK && query.from <= query.to) {
		status = histree_segments_create(request->segments, &iter, walk->file->error);
		if (status == HISTREE_OK)
			status = histree_segments_start(iter, &query, NULL, walk->file->error);
		if (status == HISTREE_OK)
			status = viewer_segments_write_all(&segments, iter);
	}
	if (status < 0)
		viewer_walk_fail(walk, status);
	histree_cursor_free(iter);
	viewer_threads_release(&segments.threads);
	arena_release(&segments.bytes);
	free(segments.kept);
	return walk->file->status;
}

/* ---- arrows ------------------------------------------------------------------------------------------------ */

struct viewer_segment_flows {
	struct histree_cursor *iter; /* NULL: none */
	size_t from_field, to_field;
	bool has_next;
	struct viewer_arrow next;
};

struct viewer_fork {
	histree_time time;
	int32_t from, to;
};

struct viewer_flows {
	struct viewer_walk *walk;
	struct viewer_rows *rows;
	struct viewer_segment_flows wakeups, flows;
	struct viewer_fork *forks; /* by time */
	size_t fork_count, fork_capacity, fork_next;
};

/* ---- ends ------------------------------------------------------------------------------------------------- */

/* The track of a thread whose status is shown at a time; NULL if it is not. */
static struct viewer_track *track_of_thread(struct viewer_flows *flows, int32_t tid, histree_time time)
{
	const struct viewer_threads *threads = &flows->rows->threads;
	uint32_t index = threads->flow == NULL || tid <= 0
				 ? HISTREE_NO_INDEX
				 : histree_control_flow_find_at(threads->flow, tid, -1, time);
	const struct viewer_row *row = index == HISTREE_NO_INDEX
					       ? NULL
					       : viewer_rows_at(flows->rows, threads->threads[index].status, time);
	return row != NULL ? row->track : NULL;
}

/* The track of the stack at a path, which is that of the first row below it. */
static struct viewer_track *track_of_stack(struct viewer_flows *flows, const struct histree_value *path)
{
	histree_quark stack, slot;
	if (path->type != HISTREE_STRING)
		return NULL;
	char *text = strndup(path->bytes, path->size);
	if (text == NULL) {
		viewer_file_lacks_memory(flows->walk->file);
		return NULL;
	}
	enum histree_status status = histree_attributes_find(flows->rows->attributes, HISTREE_ROOT, text, &stack);
	free(text);
	if (status != HISTREE_OK ||
	    histree_attributes_child(flows->rows->attributes, stack, "1", 1, &slot) != HISTREE_OK)
		return NULL;
	const struct viewer_row *row = viewer_rows_of(flows->rows, slot);
	return row != NULL ? row->track : NULL;
}

static int32_t int_of(const struct histree_value *value)
{
	return value->type == HISTREE_INT ? value->int32 : -1;
}

/* ---- segments --------------------------------------------------------------------------------------------- */

/* Get the next arrow of a segment store whose ends are both shown. */
static void read_next(struct viewer_flows *flows, struct viewer_segment_flows *segments)
{
	const struct histree_viewer_request *request = flows->walk->request;
	enum histree_status status = HISTREE_OK;
	segments->has_next = false;
	while (segments->iter != NULL && !segments->has_next && flows->walk->file->status == HISTREE_OK) {
		status = histree_cursor_next(segments->iter, flows->walk->file->error);
		if (status != HISTREE_OK)
			break;
		const struct histree_segment segment = *histree_cursor_segment(segments->iter);
		if (segment.start < request->from || segment.end > request->to)
			continue;
		const struct histree_value *from = &segment.content[segments->from_field];
		const struct histree_value *to = &segment.content[segments->to_field];
		bool is_wakeup = segments == &flows->wakeups;
		segments->next = (struct viewer_arrow){
			.from = is_wakeup ? track_of_thread(flows, int_of(from), segment.start)
					  : track_of_stack(flows, from),
			.to = is_wakeup ? track_of_thread(flows, int_of(to), segment.end)
					: track_of_stack(flows, to),
			.start = segment.start,
			.end = segment.end,
			.name = is_wakeup ? "wake-up" : "flow",
		};
		segments->has_next = segments->next.from != NULL && segments->next.to != NULL;
	}
	if (status < 0)
		viewer_walk_fail(flows->walk, status);
}

static void begin_segments(struct viewer_flows *flows, struct viewer_segment_flows *segments,
			   struct histree_segment_store *store, const char *from, const char *to)
{
	const struct histree_viewer_request *request = flows->walk->request;
	struct histree_error *error = flows->walk->file->error;
	struct histree_segment_query query = HISTREE_SEGMENTS_ALL;
	if (store == NULL || flows->walk->file->status != HISTREE_OK)
		return;
	if (histree_segment_store_field(store, from, &segments->from_field) != HISTREE_OK ||
	    histree_segment_store_field(store, to, &segments->to_field) != HISTREE_OK) {
		viewer_walk_fail(flows->walk,
				 error_set(error, HISTREE_ERR_ARGUMENT,
					   "these segments are no arrows: they have no '%s' and '%s'", from, to));
		return;
	}
	query.from = request->from;
	query.to = request->to;
	query.order = HISTREE_SEGMENTS_BY_START;
	query.work = request->work;
	enum histree_status status = histree_segments_create(store, &segments->iter, error);
	if (status == HISTREE_OK)
		status = histree_segments_start(segments->iter, &query, NULL, error);
	if (status != HISTREE_OK)
		viewer_walk_fail(flows->walk, status);
	else
		read_next(flows, segments);
}

/* ---- forks ------------------------------------------------------------------------------------------------ */

COMPARE(compare_forks, struct viewer_fork, BY(time) BY(to))

/* ---- all of them ------------------------------------------------------------------------------------------ */

static enum histree_status viewer_flows_begin(struct viewer_flows *flows, struct viewer_walk *walk,
					      struct viewer_rows *rows)
{
	*flows = (struct viewer_flows){ .walk = walk, .rows = rows };

	const struct viewer_threads *threads = &flows->rows->threads;
	const struct histree_viewer_request *request = flows->walk->request;
	struct viewer_file *file = flows->walk->file;
	for (uint32_t i = 0; i < threads->count && file->status == HISTREE_OK; i++) {
		const struct histree_thread *thread = &threads->threads[i];
		bool is_fork = false;
		if (thread->tid <= 0 || thread->ppid <= 0 || thread->first < request->from ||
		    thread->first > request->to || track_of_thread(flows, thread->ppid, thread->first) == NULL ||
		    track_of_thread(flows, thread->tid, thread->first) == NULL)
			continue;
		enum histree_status status =
			histree_thread_is_forked(flows->rows->query, thread, &is_fork, file->error);
		if (status != HISTREE_OK)
			viewer_walk_fail(flows->walk, status);
		else if (is_fork && !array_reserve(&flows->forks, &flows->fork_capacity, flows->fork_count + 1))
			viewer_file_lacks_memory(file);
		else if (is_fork)
			flows->forks[flows->fork_count++] =
				(struct viewer_fork){ thread->first, thread->ppid, thread->tid };
	}
	if (flows->fork_count > 0)
		qsort(flows->forks, flows->fork_count, sizeof(*flows->forks), compare_forks);

	begin_segments(flows, &flows->wakeups, walk->request->wakeups, "waker", "tid");
	begin_segments(flows, &flows->flows, walk->request->flows, "from_stack", "to_stack");
	return walk->file->status;
}

static bool comes_before(const struct viewer_segment_flows *one, const struct viewer_segment_flows *other)
{
	return one->has_next && (!other->has_next || one->next.start <= other->next.start);
}

static enum histree_status viewer_flows_write(struct viewer_flows *flows, histree_time before)
{
	struct viewer_file *file = flows->walk->file;
	while (file->status == HISTREE_OK) {
		struct viewer_segment_flows *segments =
			comes_before(&flows->wakeups, &flows->flows) ? &flows->wakeups : &flows->flows;
		const struct viewer_fork *fork =
			flows->fork_next < flows->fork_count ? &flows->forks[flows->fork_next] : NULL;
		bool is_fork = fork != NULL && (!segments->has_next || fork->time <= segments->next.start);
		if (is_fork ? fork->time >= before : !segments->has_next || segments->next.start >= before)
			break;
		if (is_fork) {
			flows->fork_next++;
			viewer_file_flow(file, &(struct viewer_arrow){
						       .from = track_of_thread(flows, fork->from, fork->time),
						       .to = track_of_thread(flows, fork->to, fork->time),
						       .start = fork->time,
						       .end = fork->time,
						       .name = "fork" });
		} else {
			viewer_file_flow(file, &segments->next);
			read_next(flows, segments);
		}
	}
	return file->status;
}

/* ---- states ------------------------------------------------------------------------------------------------ */

/* Numbers, not pointers: where a trace is damaged, all states begin at one time. */
struct pending {
	uint32_t row;      /* of `rows` */
	uint32_t interval; /* of `intervals` */
	histree_time end;  /* of the range, if it goes beyond that */
};

struct states {
	struct viewer_walk *walk;
	struct viewer_rows rows;
	struct viewer_flows flows;
	struct pending *pending; /* of one time */
	size_t count, capacity;
	const struct histree_interval *intervals; /* of that time */
	struct histree_interval *first;           /* those that begin before the range, */
	size_t first_count, first_capacity;
	struct arena bytes; /* and their values */
};

/* ---- one state -------------------------------------------------------------------------------------------- */

static bool is_number(const struct viewer_row *row, const struct histree_value *value)
{
	return row->counts &&
	       (row->track == NULL || value->type == HISTREE_LONG || value->type == HISTREE_DOUBLE) &&
	       (value->type == HISTREE_INT || value->type == HISTREE_LONG || value->type == HISTREE_DOUBLE);
}

/* Numbers of an attribute that may have others too are on a counter next to its lane. */
static struct viewer_track *counter_of(struct states *states, struct viewer_row *row)
{
	struct viewer_file *file = states->walk->file;
	if (row->counter == NULL)
		row->counter = viewer_file_track(
			file, &(struct viewer_track_key){ .kind = VIEWER_COUNTER,
							  .parent = file->tracks[row->track->parent - 1],
							  .name = { row->track->name, row->track->name_size } });
	return row->counter;
}

static void write_state(struct states *states, const struct pending *pending)
{
	const struct histree_viewer_request *request = states->walk->request;
	const struct histree_interval *interval = &states->intervals[pending->interval];
	struct viewer_row *row = &states->rows.rows[pending->row];
	char room[VIEWER_WORDS_SIZE];
	bool says_value;
	histree_time start = interval->start > request->from ? interval->start : request->from, end = pending->end;
	if (is_number(row, &interval->value)) {
		struct viewer_track *counter = counter_of(states, row);
		if (counter != NULL)
			viewer_file_count(states->walk->file, counter, start, &interval->value);
		return;
	}
	if (row->track == NULL)
		return; /* no number: the counter keeps its last one */
	struct viewer_text name =
		viewer_words(&states->rows, row, &interval->value, interval->start, room, &says_value);
	const struct viewer_argument value = { "value", interval->value };
	viewer_file_span(states->walk->file, row->track,
			 &(struct viewer_span){ .start = start,
						.end = end < INT64_MAX ? end + 1 : end,
						.name = name,
						.category = viewer_text(row->category),
						.arguments = &value,
						.argument_count = !says_value });
}

/* ---- states of one time ----------------------------------------------------------------------------------- */

static int compare_pending(const void *one, const void *other, void *context)
{
	const struct pending *a = one, *b = other;
	const struct viewer_row *rows = ((const struct states *)context)->rows.rows;
	if (a->end != b->end)
		return a->end > b->end ? -1 : 1;
	if (rows[a->row].rank != rows[b->row].rank)
		return rows[a->row].rank < rows[b->row].rank ? -1 : 1;
	return (rows[a->row].quark > rows[b->row].quark) - (rows[a->row].quark < rows[b->row].quark);
}

/* What goes beyond the range ends with it: of those the outermost is the first, too. */
static bool viewer_states_keep(struct states *states, size_t number)
{
	const struct histree_interval *interval = &states->intervals[number];
	const histree_time to = states->walk->request->to;
	const struct viewer_row *row = viewer_rows_at(&states->rows, interval->quark, interval->start);
	if (interval->value.type == HISTREE_NULL || row == NULL)
		return true;
	if (!array_reserve(&states->pending, &states->capacity, states->count + 1))
		return false;
	states->pending[states->count++] = (struct pending){ .row = (uint32_t)(row - states->rows.rows),
							     .interval = (uint32_t)number,
							     .end = interval->end < to ? interval->end : to };
	return true;
}

/* The states that begin at one time, or were going on then. */
static enum histree_status write_all_of(struct states *states, histree_time time,
					const struct histree_interval *intervals, size_t count)
{
	states->intervals = intervals;
	states->count = 0;
	for (size_t i = 0; i < count; i++)
		if (!viewer_states_keep(states, i))
			return viewer_file_lacks_memory(states->walk->file);
	viewer_flows_write(&states->flows, time);
	if (states->count > 1)
		qsort_r(states->pending, states->count, sizeof(*states->pending), compare_pending, states);
	for (size_t i = 0; i < states->count; i++)
		write_state(states, &states->pending[i]);
	return states->walk->file->status;
}

/* ---- the walk --------------------------------------------------------------------------------------------- */

/* What was going on when the range began, or begins there. */
static enum histree_status write_first(struct states *states)
{
	const struct histree_viewer_request *request = states->walk->request;
	struct viewer_file *file = states->walk->file;
	struct histree_interval interval;
	const struct histree_region region = { .quarks = states->rows.quarks,
					       .quark_count = states->rows.quark_count,
					       .from = request->from,
					       .to = request->from };
	enum histree_status status = histree_query_start(states->rows.query, &region, file->error);
	while (status == HISTREE_OK &&
	       (status = histree_cursor_next(states->rows.query, file->error)) == HISTREE_OK) {
		interval = *histree_cursor_interval(states->rows.query);
		if (!value_keep(&interval.value, &states->bytes))
			return viewer_file_lacks_memory(file);
		if (!array_reserve(&states->first, &states->first_capacity, states->first_count + 1))
			return viewer_file_lacks_memory(file);
		states->first[states->first_count++] = interval;
	}
	viewer_walk_lose(states->walk,
			 (struct histree_loss){ .nodes = histree_cursor_loss(states->rows.query).nodes });
	if (status != HISTREE_END)
		return viewer_walk_fail(states->walk, status);
	return write_all_of(states, request->from, states->first, states->first_count);
}

static enum histree_status write_changes(struct states *states, struct histree_cursor *changes)
{
	const struct histree_viewer_request *request = states->walk->request;
	struct viewer_file *file = states->walk->file;
	const struct histree_changes_region region = { .quarks = states->rows.quarks,
						       .quark_count = states->rows.quark_count,
						       .from = request->from + 1,
						       .to = request->to };
	if (request->from == request->to)
		return file->status;
	enum histree_status status = histree_changes_start(changes, &region, file->error);
	while (status == HISTREE_OK && (status = histree_cursor_next(changes, file->error)) == HISTREE_OK) {
		const struct histree_change *change = histree_cursor_change(changes);
		if (write_all_of(states, change->time, change->intervals, change->count) != HISTREE_OK ||
		    !viewer_walk_goes_on(states->walk, change->time))
			return file->status;
	}
	/* How many they are is not said; some may be those of the first query. */
	if (states->walk->counts->loss.nodes == 0)
		viewer_walk_lose(states->walk, histree_cursor_loss(changes));
	return status == HISTREE_END ? file->status : viewer_walk_fail(states->walk, status);
}

static enum histree_status viewer_states_write_all(struct states *states)
{
	struct viewer_walk *walk = states->walk;
	struct histree_cursor *changes = NULL;
	if (states->rows.count == 0)
		return viewer_walk_fail(walk, error_set(walk->file->error, HISTREE_NOT_FOUND,
							"the history has no states that a viewer could show"));
	enum histree_status status = histree_changes_create(walk->request->history, &changes, walk->file->error);
	if (status != HISTREE_OK)
		return viewer_walk_fail(walk, status);
	status = write_first(states);

	/* What the first took, of which there is one for each row, is not what the changes of a time take. */
	histree_cursor_free(states->rows.query);
	states->rows.query = NULL;
	free(states->pending);
	states->pending = NULL;
	states->capacity = 0;
	free(states->first);
	states->first = NULL;
	arena_release(&states->bytes);

	if (status == HISTREE_OK && write_changes(states, changes) == HISTREE_OK)
		viewer_flows_write(&states->flows, INT64_MAX);
	histree_cursor_free(changes);
	return walk->file->status;
}

/* Each fills the file and returns its status, which is also that of the walk. */
static enum histree_status viewer_walk_states(struct viewer_walk *walk)
{
	const struct histree_viewer_request *request = walk->request;
	struct states states = { .walk = walk };
	viewer_rows_begin(&states.rows, walk->file, request->history, request->quarks, request->quark_count,
			  request->from, request->to, request->work);
	viewer_flows_begin(&states.flows, walk, &states.rows);
	if (walk->file->status == HISTREE_OK)
		viewer_states_write_all(&states);

	struct histree_cursor *const cursors[] = { states.flows.wakeups.iter, states.flows.flows.iter };
	for (size_t i = 0; i < 2; i++) {
		if (cursors[i] != NULL)
			viewer_walk_lose(states.flows.walk, histree_cursor_loss(cursors[i]));
		histree_cursor_free(cursors[i]);
	}
	free(states.flows.forks);

	viewer_rows_release(&states.rows);
	arena_release(&states.bytes);
	free(states.first);
	free(states.pending);
	return walk->file->status;
}

/* ---- hosts ------------------------------------------------------------------------------------------------- */

/* What two walks of one kind differ in. */
struct host_walk {
	struct viewer_walk walk;
	struct histree_viewer_request request;
	struct histree_segment_query query; /* of segments: with a filter by host */
	histree_quark *quarks;
	const char *host;
	bool (*host_filter)(void *context, const char *host);
	void *host_context;
};

/* The attributes of the host among those that are wanted. */
static enum histree_status choose_quarks(struct host_walk *one, const struct histree_history_host *host,
					 struct histree_error *error)
{
	struct histree_viewer_request *request = &one->request;
	size_t first = 0, count = 0;
	if (request->quarks == NULL)
		return HISTREE_OK;
	while (first < request->quark_count && request->quarks[first] <= host->folder)
		first++;
	while (first + count < request->quark_count && request->quarks[first + count] <= host->folder + host->count)
		count++;
	one->quarks = malloc((count + 1) * sizeof(*one->quarks));
	if (one->quarks == NULL)
		return error_memory(error, "the tracks of the export");
	for (size_t i = 0; i < count; i++)
		one->quarks[i] = request->quarks[first + i] - host->folder - 1;
	request->quarks = one->quarks;
	request->quark_count = count;
	return HISTREE_OK;
}

static struct histree_segment_store *part_of(struct histree_segment_store *store, const char *host)
{
	size_t count = 0;
	const struct histree_segment_part *parts =
		store != NULL ? histree_segment_store_parts(store, &count) : NULL;
	for (size_t i = 0; i < count; i++)
		if (strcmp(parts[i].name, host) == 0)
			return parts[i].store;
	return NULL;
}

static enum histree_status walk_states(struct host_walk *one, const struct histree_history_host *host)
{
	struct histree_viewer_request *request = &one->request;
	if (host->history == NULL) {
		viewer_walk_lose(&one->walk,
				 (struct histree_loss){ .nodes = host->why != NULL && request->quarks == NULL });
		return one->walk.file->status;
	}
	const struct histree_history_info *info = histree_history_info(host->history);
	request->history = host->history;
	request->from = request->from > info->start ? request->from : info->start;
	request->to = request->to < info->end ? request->to : info->end;
	request->wakeups = part_of(request->wakeups, host->name);
	request->flows = part_of(request->flows, host->name);
	enum histree_status status = choose_quarks(one, host, one->walk.file->error);
	if (status != HISTREE_OK)
		return viewer_walk_fail(&one->walk, status);
	if (request->from > request->to || (request->quarks != NULL && request->quark_count == 0))
		return one->walk.file->status;
	return viewer_walk_states(&one->walk);
}

/* ---- segments --------------------------------------------------------------------------------------------- */

static bool is_this_host(void *context, const char *host)
{
	struct host_walk *one = context;
	return strcmp(host, one->host) == 0 &&
	       (one->host_filter == NULL || one->host_filter(one->host_context, host));
}

static struct histree_history *history_of(struct histree_history *history, const char *host)
{
	size_t count = 0;
	const struct histree_history_host *hosts = history != NULL ? histree_history_hosts(history, &count) : NULL;
	for (size_t i = 0; i < count; i++)
		if (strcmp(hosts[i].name, host) == 0)
			return hosts[i].history;
	return NULL;
}

static enum histree_status walk_segments(struct host_walk *one, const char *host)
{
	struct histree_viewer_request *request = &one->request;
	one->query = request->query != NULL ? *request->query : HISTREE_SEGMENTS_ALL;
	one->host = host;
	one->host_filter = one->query.host_filter;
	one->host_context = one->query.host_context;
	one->query.host_filter = is_this_host;
	one->query.host_context = one;
	request->query = &one->query;
	request->names = history_of(request->names, host);
	return viewer_walk_segments(&one->walk);
}

/* ---- all of them ------------------------------------------------------------------------------------------ */

static enum histree_status check_count(const struct viewer_walk *walk, size_t count)
{
	return count <= VIEWER_HOSTS_MAX ? HISTREE_OK
					 : error_set(walk->file->error, HISTREE_ERR_TOO_LARGE,
						     "a file for a viewer has numbers for the processes of %d "
						     "hosts, and these are %zu; "
						     "export some of them by patterns, or by a filter",
						     VIEWER_HOSTS_MAX, count);
}

/* How many hosts the content of a request has; 0: it is of one host. */
static size_t viewer_host_count(const struct histree_viewer_request *request)
{
	size_t count = 0;
	if (request->history != NULL)
		histree_history_hosts(request->history, &count);
	else if (request->segments != NULL)
		histree_segment_store_parts(request->segments, &count);
	else
		histree_events_hosts(request->events, &count);
	return count;
}

static enum histree_status viewer_walk_hosts(struct viewer_walk *walk)
{
	const struct histree_viewer_request *request = walk->request;
	size_t count;
	const struct histree_history_host *hosts =
		request->history != NULL ? histree_history_hosts(request->history, &count) : NULL;
	const struct histree_segment_part *parts =
		request->segments != NULL ? histree_segment_store_parts(request->segments, &count) : NULL;
	count = viewer_host_count(request);
	walk->file->host_count = (uint32_t)count;
	if (check_count(walk, count) != HISTREE_OK)
		return viewer_walk_fail(walk, HISTREE_ERR_TOO_LARGE);
	if (hosts == NULL && parts == NULL) /* each event says its own, and they are in one order */
		return viewer_walk_events(walk);
	bool has_any = false;
	for (size_t i = 0; i < count && walk->file->status == HISTREE_OK; i++) {
		struct host_walk one = { .walk = *walk, .request = *request };
		one.walk.request = &one.request;
		one.walk.share_from = (double)i / (double)count;
		one.walk.share_of = 1 / (double)count;
		viewer_file_host(walk->file, (uint32_t)i + 1, hosts != NULL ? hosts[i].name : parts[i].name);
		if (hosts != NULL)
			walk_states(&one, &hosts[i]);
		else
			walk_segments(&one, parts[i].name);
		walk->since_shown = one.walk.since_shown;
		free(one.quarks);
		/* A host need not have what another one has. */
		if (walk->file->status == HISTREE_NOT_FOUND)
			walk->file->status = HISTREE_OK;
		has_any = has_any || hosts == NULL || walk->file->rows > 0;
		viewer_file_catch_up(walk->file);
	}
	if (walk->file->status == HISTREE_OK && !has_any)
		viewer_walk_fail(walk, error_set(walk->file->error, HISTREE_NOT_FOUND,
						 "the history has no states that a viewer could show"));
	return walk->file->status;
}

/* ---- the file ---------------------------------------------------------------------------------------------- */

static enum histree_status check_request(const struct histree_viewer_request *request, struct histree_error *error)
{
	int contents = (request->history != NULL) + (request->segments != NULL) + (request->events != NULL);
	if (contents != 1)
		return error_set(error, HISTREE_ERR_ARGUMENT,
				 "a viewer is shown a history, segments or events: one of them");
	if (request->from > request->to)
		return error_set(error, HISTREE_ERR_ARGUMENT, "a range from %lld to %lld", (long long)request->from,
				 (long long)request->to);
	if (request->history == NULL)
		return HISTREE_OK;
	const struct histree_history_info *info = histree_history_info(request->history);
	if (request->from < info->start || request->to > info->end)
		return error_set(error, HISTREE_ERR_TIME_RANGE,
				 "an export from %lld to %lld; the history goes from %lld to %lld",
				 (long long)request->from, (long long)request->to, (long long)info->start,
				 (long long)info->end);
	return HISTREE_OK;
}

static const char *title_of(const struct histree_viewer_request *request)
{
	if (request->title != NULL)
		return request->title;
	if (request->history != NULL)
		return histree_history_info(request->history)->provider;
	return request->segments != NULL ? histree_segment_store_info(request->segments)->schema.provider
					 : "events";
}

enum histree_status viewer_export(const struct histree_viewer_request *request, const struct io *io,
				  const char *path, struct histree_error *error)
{
	struct histree_error own; /* a walk may look at what was said */
	struct histree_export_counts counts = { 0 };
	struct export_output output;
	error = error != NULL ? error : &own;
	enum histree_status status = check_request(request, error);
	if (status != HISTREE_OK)
		return status;
	if (path == NULL)
		export_output_use(&output, request->descriptor);
	else if ((status = export_output_open(&output, io, path, error)) != HISTREE_OK)
		return status;

	static const struct viewer_format *const formats[] = {
		[HISTREE_VIEWER_CHROME] = &viewer_chrome, [HISTREE_VIEWER_PERFETTO] = &viewer_perfetto
	};
	const struct viewer_head head = { .title = title_of(request), .origin = request->origin };
	struct viewer_file file;
	struct viewer_walk walk = { .request = request, .file = &file, .counts = &counts };
	if (viewer_file_begin(&file, formats[request->format], &output, &head, error) == HISTREE_OK) {
		if (viewer_host_count(request) > 0)
			viewer_walk_hosts(&walk);
		else if (request->history != NULL)
			viewer_walk_states(&walk);
		else if (request->segments != NULL)
			viewer_walk_segments(&walk);
		else
			viewer_walk_events(&walk);
	}
	status = viewer_file_end(&file);
	counts.rows = file.rows;
	counts.bytes = output.size;
	counts.files = 1;

	if (request->counts != NULL)
		*request->counts = counts;
	return export_output_finish(&output, status, error);
}

enum histree_status histree_export_viewer(const struct histree_viewer_request *request, const char *path,
					  struct histree_error *error)
{
	return viewer_export(request, &io_posix, path, error);
}
