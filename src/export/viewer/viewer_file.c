// SPDX-License-Identifier: MIT
/*
 * viewer_file.c - a viewer's file while it is written: tracks, and the spans open on them, whose ends are written
 * in the order of time.
 */
#include "export/viewer/viewer_file.h"

#include <stdalign.h>
#include <stdlib.h>

#include "base/bytes.h"
#include "base/error.h"
#include "base/heap.h"
#include "base/table.h"

enum histree_status viewer_file_lacks_memory(struct viewer_file *file)
{
	if (file->status == HISTREE_OK)
		file->status = error_memory(file->error, "the tracks of the export");
	return file->status;
}

/* ---- tracks ----------------------------------------------------------------------------------------------- */

static char *text_put(char *at, const void *bytes, size_t size)
{
	if (size > 0)
		memcpy(at, bytes, size);
	return at + size;
}

/* The numbers of a key, each as long as it is, are before its texts. */
enum { KEY_NUMBERS_SIZE = 7 * VARINT_SIZE_MAX };

static size_t put_key_numbers(const struct viewer_file *file, const struct viewer_track_key *key, uint8_t *bytes)
{
	uint8_t *at = put_varint(bytes, (uint64_t)key->kind << 1 | key->has_pid);
	at = put_varint(at, key->parent != NULL ? key->parent->number : 0);
	at = put_varint(at, (uint64_t)key->pid);
	at = put_varint(at, (uint64_t)key->tid);
	at = put_varint(at, key->again);
	at = put_varint(at, file->host);
	at = put_varint(at, key->name.size);
	return (size_t)(at - bytes);
}

/* Returns the number that the key is interned with; INTERN_NONE when memory runs out. */
static uint32_t number_of(struct viewer_file *file, const struct viewer_track_key *key)
{
	char small[256], *bytes = small;
	size_t size = KEY_NUMBERS_SIZE + key->name.size + key->series.size;
	if (size > sizeof(small) && (bytes = malloc(size)) == NULL)
		return INTERN_NONE;
	char *end = bytes + put_key_numbers(file, key, (uint8_t *)bytes);
	end = text_put(text_put(end, key->name.bytes, key->name.size), key->series.bytes, key->series.size);
	uint32_t number = intern_add(&file->keys, bytes, (size_t)(end - bytes));
	if (bytes != small)
		free(bytes);
	return number;
}

/* What stands at the top says its host. */
static bool says_host(const struct viewer_track *track)
{
	return track->host != NULL && track->parent == 0 && !track->holds_overlaps;
}

/* Its own copy of a name. */
static bool set_name(struct viewer_file *file, struct viewer_track *track, struct viewer_text name)
{
	bool has_host = says_host(track);
	size_t host = has_host ? strlen(track->host) : 0, size = host + (has_host ? 2 : 0) + name.size;
	char *text = size <= UINT32_MAX ? arena_allocate(&file->memory, size + 1, 1) : NULL;
	if (text == NULL)
		return false;
	text_put(text_put(text_put(text, track->host, host), ": ", has_host ? 2 : 0), name.bytes, name.size);
	track->name = text;
	track->name_size = (uint32_t)size;
	return true;
}

/* The texts of a key, which are at its end and stay, are those of its track. */
static bool set_texts(struct viewer_file *file, struct viewer_track *track, const struct viewer_track_key *key)
{
	size_t size;
	const char *name = intern_get(&file->keys, track->number - 1, &size);
	name += size - key->name.size - key->series.size;
	if (key->series.bytes != NULL) {
		track->series = name + key->name.size;
		track->series_size = (uint32_t)key->series.size;
	}
	if (key->kind == VIEWER_PROCESS || key->kind == VIEWER_THREAD)
		return true;
	if (says_host(track))
		return set_name(file, track, (struct viewer_text){ name, key->name.size });
	track->name = name;
	track->name_size = (uint32_t)key->name.size;
	return true;
}

static struct viewer_track *track_make(struct viewer_file *file, uint32_t number,
				       const struct viewer_track_key *key)
{
	if (!array_reserve(&file->tracks, &file->track_capacity, (size_t)number + 1))
		return NULL;
	file->tracks[number] = NULL;
	struct viewer_track *track = arena_allocate(&file->memory, sizeof(*track), alignof(struct viewer_track));
	if (track == NULL)
		return NULL;
	bool is_owner = key->kind == VIEWER_PROCESS || key->kind == VIEWER_THREAD;
	bool has_parent = key->parent != NULL;
	const bool has_process = has_parent && key->parent->kind == VIEWER_PROCESS;

	/*
	 * By how much the numbers of a process or thread are raised: viewers know them by their numbers, which
	 * hosts have in common, and which are used again.  What there is no room for stays with the one before it.
	 */
	const uint64_t host = file->host > 0 ? file->host - 1 : 0,
		       count = file->host_count > 0 ? file->host_count : 1;
	const uint64_t place = host + key->again * count;
	int64_t raised = (int64_t)((place <= VIEWER_HOSTS_MAX ? place : host) * VIEWER_HOST_NUMBERS);

	*track = (struct viewer_track){ .number = number + 1,
					.parent = has_parent ? key->parent->number : 0,
					.kind = key->kind,
					.has_pid = is_owner ? key->has_pid : has_parent && key->parent->has_pid,
					.pid = is_owner && has_process ? key->parent->pid
					       : is_owner              ? key->pid + raised
					       : has_parent            ? key->parent->pid
								       : 0,
					.tid = is_owner     ? key->tid + raised
					       : has_parent ? key->parent->tid
							    : 0,
					.host = file->host_name,
					/* Its name is derived from that of another track. */
					.holds_overlaps = !is_owner && key->tid != 0 };
	if (!set_texts(file, track, key))
		return NULL;
	file->tracks[number] = track;
	return track;
}

struct viewer_track *viewer_file_track(struct viewer_file *file, const struct viewer_track_key *key)
{
	if (file->status != HISTREE_OK)
		return NULL;
	uint32_t before = file->keys.count, number = number_of(file, key);
	struct viewer_track *track = number == INTERN_NONE ? NULL
				     : number < before     ? file->tracks[number]
							   : track_make(file, number, key);
	if (track == NULL)
		viewer_file_lacks_memory(file);
	return track;
}

void viewer_file_name(struct viewer_file *file, struct viewer_track *track, struct viewer_text name)
{
	if (file->status == HISTREE_OK && track->name == NULL && name.size > 0 && !set_name(file, track, name))
		viewer_file_lacks_memory(file);
}

void viewer_file_host(struct viewer_file *file, uint32_t host, const char *name)
{
	file->host = host;
	file->host_name = name;
}

/* Parents come before their children, and a thread's process before it. */
static void describe(struct viewer_file *file, struct viewer_track *track)
{
	if (track->is_described)
		return;
	track->is_described = true;
	if (track->parent != 0)
		describe(file, file->tracks[track->parent - 1]);
	/* A process without a name shows at least its host. */
	if (track->host != NULL && track->name == NULL && track->kind == VIEWER_PROCESS) {
		track->name = track->host;
		track->name_size = (uint32_t)strlen(track->host);
	}
	file->format->describe(file, track);
}

/* ---- ends ------------------------------------------------------------------------------------------------- */

static bool is_before(const struct viewer_end *a, const struct viewer_end *b)
{
	return a->time != b->time ? a->time < b->time : a->order > b->order;
}

static bool push_end(struct viewer_ends *ends, const struct viewer_end *end)
{
	if (!array_reserve(&ends->heap, &ends->capacity, ends->count + 1))
		return false;
	HEAP_PUSH(ends->heap, ends->count, *end, a, b, is_before(a, b));
	return true;
}

static struct viewer_end pop_end(struct viewer_ends *ends)
{
	const struct viewer_end first = ends->heap[0];
	HEAP_POP(ends->heap, ends->count, a, b, is_before(a, b));
	return first;
}

static void end_span(struct viewer_file *file)
{
	struct viewer_end end = pop_end(&file->spans);
	if (file->status == HISTREE_OK)
		file->format->end(file, end.track, end.time, (struct viewer_text){ end.name, end.name_size });
	free(end.name);
}

static void end_flow(struct viewer_file *file)
{
	struct viewer_end end = pop_end(&file->flows);
	if (file->status != HISTREE_OK)
		return;
	describe(file, end.track);
	file->format->flow(
		file, end.track,
		&(struct viewer_flow){ .id = end.order, .time = end.time, .is_end = true, .name = end.flow_name });
	file->rows++;
}

/* What ends until a time: spans that end then, but no flows, which wait for the spans that begin then. */
static void advance(struct viewer_file *file, histree_time time)
{
	for (;;) {
		bool ends_span = file->spans.count > 0 && file->spans.heap[0].time <= time;
		bool ends_flow = file->flows.count > 0 && file->flows.heap[0].time < time;
		if (ends_span && (!ends_flow || file->spans.heap[0].time <= file->flows.heap[0].time))
			end_span(file);
		else if (ends_flow)
			end_flow(file);
		else
			return;
	}
}

static void schedule_end(struct viewer_file *file, struct viewer_track *track, const struct viewer_span *span)
{
	if (!file->format->wants_ends(file, track))
		return;
	struct viewer_end end = { .time = span->end, .order = ++file->order, .track = track };
	bool has_name = file->format->ends_have_names && span->name.size > 0;
	char *name = has_name ? malloc(span->name.size) : NULL;
	if (name != NULL) {
		text_put(name, span->name.bytes, span->name.size);
		end.name = name;
		end.name_size = span->name.size;
	}
	if ((!has_name || name != NULL) && push_end(&file->spans, &end))
		return;
	free(name);
	viewer_file_lacks_memory(file);
}

/* ---- spans ------------------------------------------------------------------------------------------------ */

/* The track of what overlaps; NULL after a failure. */
static struct viewer_track *overlaps_of(struct viewer_file *file, struct viewer_track *track)
{
	if (track->overlaps != 0)
		return file->tracks[track->overlaps - 1];
	bool is_owner = track->kind == VIEWER_PROCESS || track->kind == VIEWER_THREAD;
	const struct viewer_track *parent = is_owner             ? track
					    : track->parent != 0 ? file->tracks[track->parent - 1]
								 : NULL;
	/* The number in the key tells it from a lane that is called so by itself. */
	char name[300];
	size_t size = track->name_size < 200 ? track->name_size : 200;
	text_put(name, track->name, size);
	if (!track->holds_overlaps)
		size = (size_t)(text_put(name + size, " (overlaps)", strlen(" (overlaps)")) - name);
	struct viewer_track *made = viewer_file_track(file, &(struct viewer_track_key){ .kind = VIEWER_LANE,
											.parent = parent,
											.name = { name, size },
											.tid = track->number });
	if (made != NULL) {
		track->overlaps = made->number;
		made->holds_overlaps = true;
	}
	return made;
}

static histree_time innermost_end(const struct viewer_track *track)
{
	return track->depth > 1 ? track->inner_ends[track->depth - 2] : track->outermost_end;
}

/* The first of a track and those of its overlaps on which a span nests. */
static struct viewer_track *lane_for(struct viewer_file *file, struct viewer_track *track,
				     const struct viewer_span *span)
{
	for (; track != NULL; track = overlaps_of(file, track)) {
		while (track->depth > 0 && innermost_end(track) <= span->start)
			track->depth--;
		if (track->depth == 0 || innermost_end(track) >= span->end)
			break;
	}
	if (track == NULL)
		return NULL;
	if (track->depth > 0 && !array_reserve(&track->inner_ends, &track->capacity, track->depth)) {
		viewer_file_lacks_memory(file);
		return NULL;
	}
	*(track->depth > 0 ? &track->inner_ends[track->depth - 1] : &track->outermost_end) = span->end;
	track->depth++;
	return track;
}

void viewer_file_span(struct viewer_file *file, struct viewer_track *track, const struct viewer_span *span)
{
	advance(file, span->start);
	struct viewer_track *lane = file->status == HISTREE_OK ? lane_for(file, track, span) : NULL;
	if (lane == NULL)
		return;
	describe(file, lane);
	file->rows++;
	file->format->span(file, lane, span);
	schedule_end(file, lane, span);
}

void viewer_file_count(struct viewer_file *file, struct viewer_track *track, histree_time time,
		       const struct histree_value *value)
{
	advance(file, time);
	if (file->status != HISTREE_OK)
		return;
	describe(file, track);
	file->rows++;
	file->format->count(file, track, time, value);
}

void viewer_file_instant(struct viewer_file *file, struct viewer_track *track, const struct viewer_span *span)
{
	advance(file, span->start);
	if (file->status != HISTREE_OK)
		return;
	describe(file, track);
	file->rows++;
	file->format->instant(file, track, span);
}

void viewer_file_flow(struct viewer_file *file, const struct viewer_arrow *arrow)
{
	const struct viewer_end end = {
		.time = arrow->end, .order = ++file->order, .track = arrow->to, .flow_name = arrow->name
	};
	advance(file, arrow->start);
	if (file->status != HISTREE_OK)
		return;
	describe(file, arrow->from);
	file->format->flow(file, arrow->from,
			   &(struct viewer_flow){ .id = end.order, .time = arrow->start, .name = arrow->name });
	file->rows++;
	if (!push_end(&file->flows, &end))
		viewer_file_lacks_memory(file);
}

void viewer_file_catch_up(struct viewer_file *file)
{
	advance(file, INT64_MAX);
	while (file->flows.count > 0)
		end_flow(file);
}

/* ---- begin and end ---------------------------------------------------------------------------------------- */

enum histree_status viewer_file_begin(struct viewer_file *file, const struct viewer_format *format,
				      struct export_output *output, const struct viewer_head *head,
				      struct histree_error *error)
{
	*file = (struct viewer_file){ .format = format, .error = error };
	file->output = export_buffer_create(output, error);
	file->state = format->create();
	if (file->output == NULL || file->state == NULL)
		return viewer_file_lacks_memory(file);
	format->begin(file, head);
	return file->status;
}

enum histree_status viewer_file_end(struct viewer_file *file)
{
	viewer_file_catch_up(file);
	if (file->status == HISTREE_OK)
		file->format->finish(file);
	if (file->status == HISTREE_OK)
		file->status = export_buffer_flush(file->output);
	for (uint32_t i = 0; i < file->keys.count && file->tracks != NULL; i++)
		if (i < file->track_capacity && file->tracks[i] != NULL)
			free(file->tracks[i]->inner_ends);
	free(file->tracks);
	free(file->spans.heap);
	free(file->flows.heap);
	intern_release(&file->keys);
	arena_release(&file->memory);
	if (file->state != NULL)
		file->format->free(file->state);
	free(file->output);
	return file->status;
}
