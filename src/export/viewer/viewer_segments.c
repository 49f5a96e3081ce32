// SPDX-License-Identifier: MIT
/*
 * viewer_segments.c - the segments of a store as spans: on the track of their thread, process, CPU or analysis.
 *
 * Segments come in the order of their starts, of equal ones the shortest first.  Spans nest if the longest comes
 * first, so those that begin at one time are kept until the next one begins.
 */
#include <stdlib.h>

#include "base/table.h"
#include "base/error.h"
#include "export/viewer/viewer_rows.h"
#include "export/viewer/viewer_walk.h"

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

static struct viewer_track *track_of(struct segments *segments, const struct histree_segment *segment)
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
	struct viewer_track *track = track_of(segments, segment);
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

static int compare_kept(const void *one, const void *other)
{
	const struct kept *a = one, *b = other;
	if (a->segment.end != b->segment.end)
		return a->segment.end > b->segment.end ? -1 : 1;
	return (a->number > b->number) - (a->number < b->number);
}

static void write_kept(struct segments *segments)
{
	if (segments->count > 1)
		qsort(segments->kept, segments->count, sizeof(*segments->kept), compare_kept);
	for (size_t i = 0; i < segments->count; i++)
		write_segment(segments, &segments->kept[i].segment);
	segments->count = 0;
	arena_release(&segments->bytes);
}

static bool has_bytes(const struct histree_value *value)
{
	return value->type == HISTREE_STRING || value->type == HISTREE_CUSTOM;
}

/* Returns false when memory is out. */
static bool keep(struct segments *segments, const struct histree_segment *segment)
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
		if (has_bytes(&values[i]) &&
		    (values[i].bytes = arena_copy(&segments->bytes, values[i].bytes, values[i].size)) == NULL)
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

static void take(struct segments *segments, const struct histree_segment *segment)
{
	bool is_tie = segments->count > 0 && segments->count < TIES_MAX &&
		      start_of(segments, &segments->kept[0].segment) == start_of(segments, segment);
	if (segments->count > 0 && !is_tie)
		write_kept(segments);
	if (!keep(segments, segment))
		viewer_file_lacks_memory(segments->walk->file);
}

/* ---- the walk --------------------------------------------------------------------------------------------- */

static enum histree_status write_all(struct segments *segments, struct histree_cursor *iter)
{
	struct viewer_walk *walk = segments->walk;
	enum histree_status status;
	bool goes_on = true;
	while (goes_on && (status = histree_cursor_next(iter, walk->file->error)) == HISTREE_OK) {
		const struct histree_segment *segment = histree_cursor_segment(iter);
		take(segments, segment);
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

static void find_fields(struct segments *segments)
{
	segments->fields = (struct fields){ .name = find_field(segments, "name"),
					    .category = find_field(segments, "category"),
					    .tid = find_field(segments, "tid"),
					    .pid = find_field(segments, "pid"),
					    .cpu = find_field(segments, "cpu"),
					    .track = find_field(segments, "track") };
	for (size_t i = 0; i < segments->schema->field_count && segments->fields.name == SIZE_MAX; i++)
		if (segments->schema->fields[i].type == HISTREE_STRING && i != segments->fields.track &&
		    i != segments->fields.category)
			segments->fields.name = i;
}

enum histree_status viewer_walk_segments(struct viewer_walk *walk)
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
	find_fields(&segments);
	bool has_names = request->names != NULL && viewer_is_of_kernel(request->names);
	viewer_threads_begin(&segments.threads, walk->file, has_names ? request->names : NULL, query.work);
	enum histree_status status = walk->file->status;
	if (status == HISTREE_OK && query.from <= query.to) {
		status = histree_segments_create(request->segments, &iter, walk->file->error);
		if (status == HISTREE_OK)
			status = histree_segments_start(iter, &query, NULL, walk->file->error);
		if (status == HISTREE_OK)
			status = write_all(&segments, iter);
	}
	if (status < 0)
		viewer_walk_fail(walk, status);
	histree_cursor_free(iter);
	viewer_threads_release(&segments.threads);
	arena_release(&segments.bytes);
	free(segments.kept);
	return walk->file->status;
}
