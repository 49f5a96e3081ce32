// SPDX-License-Identifier: MIT
/*
 * tracks.c - the analyses of tracks: the stacks of spans and the values of counters, as states; spans and flows as
 * segments.
 *
 * As segments, spans go from their beginning to their end, and flows from track to track (track_stacks.h); instants
 * begin and end at once.
 *
 * Depth 1 is the outermost.  The self time of a span is its duration without the spans directly inside it; null if
 * one of those is incomplete or continues after it.  A field that the trace does not give is null.
 *
 * `ending` is null for a span whose end is in the trace, "cut" for one without an end, which ends with the span
 * around it, and "open" for one that was open at the end of the trace.
 */
#include <inttypes.h>
#include <math.h>
#include <stdalign.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/analysis.h"
#include "analysis/changes.h"
#include "analysis/tracks/track_places.h"
#include "analysis/tracks/track_stacks.h"
#include "base/error.h"
#include "base/hash_index.h"
#include "base/search.h"
#include "histree/attributes.h"

/* ---- tracks -------------------------------------------------------------------------------------------------- */

/* The attributes of a place. */
struct place_row {
	histree_quark stack;
	uint32_t count, capacity;
	histree_quark *slots;
};

/* What a trace says of a process or thread before its first event. */
struct naming {
	bool has_pid, has_tid, has_index;
	int64_t pid, tid, index, process_index;
	uint32_t number, size; /* of the name */
	const char *name;      /* NULL: it says only the index */
};

struct counter {
	histree_quark quark;
	bool is_real; /* the kind of its first value */
};

struct tracks {
	struct changes changes;
	struct track_stacks *stacks; /* borrowed */
	struct pool memory;
	struct place_row *rows; /* by the numbers of places */
	size_t row_count, row_capacity;
	struct table row_table;
	struct intern counter_keys;
	struct counter *counters;
	size_t counter_count, counter_capacity;
	struct table counter_table;
	struct naming *namings; /* that came before anything else, in their order, until something else comes */
	size_t naming_count, naming_capacity;
	struct table naming_table;
	bool has_begun; /* something else came */
};

/* ---- attributes ------------------------------------------------------------------------------------------ */

static histree_quark child(struct changes *changes, histree_quark parent, const char *name, size_t size)
{
	histree_quark quark = NO_ATTRIBUTE;
	return changes_child(changes, &quark, parent, name, size);
}

static histree_quark folder(struct changes *changes, histree_quark parent, const char *name, size_t size)
{
	histree_quark quark = NO_ATTRIBUTE;
	return changes_folder(changes, &quark, parent, name, size);
}

static histree_quark child_of_number(struct changes *changes, histree_quark parent, int64_t number)
{
	char name[32];
	int size = snprintf(name, sizeof(name), "%" PRId64, number);
	return child(changes, parent, name, (size_t)size);
}

/* Returns the attribute of a process or a thread; the root if it is of neither. */
static histree_quark owner_of(struct changes *changes, bool has_pid, int64_t pid, bool has_tid, int64_t tid)
{
	histree_quark owner = HISTREE_ROOT;
	if (has_pid)
		owner = child_of_number(changes, folder(changes, HISTREE_ROOT, "Processes", 9), pid);
	else if (has_tid)
		owner = folder(changes, HISTREE_ROOT, "Threads", 7);
	return has_tid ? child_of_number(changes, owner, tid) : owner;
}

/* Returns NULL when memory runs out, and the event has failed. */
static struct place_row *row_of(struct tracks *tracks, const struct track_place *place)
{
	if (place->number >= tracks->row_capacity &&
	    !table_reserve(&tracks->row_table, &tracks->rows, &tracks->row_capacity, (size_t)place->number + 1)) {
		changes_fail(&tracks->changes, HISTREE_ERR_MEMORY, "no memory for the tracks of the trace");
		return NULL;
	}
	while (tracks->row_count <= place->number)
		tracks->rows[tracks->row_count++] = (struct place_row){ .stack = NO_ATTRIBUTE };
	struct place_row *row = &tracks->rows[place->number];
	if (row->stack == NO_ATTRIBUTE && tracks->changes.status == HISTREE_OK) {
		histree_quark owner =
			owner_of(&tracks->changes, place->has_pid, place->pid, place->has_tid, place->tid);
		if (place->group != NULL) {
			char lane[16];
			int size = snprintf(lane, sizeof(lane), "%" PRIu32, place->lane + 1);
			owner = folder(&tracks->changes, owner, "Async", 5);
			owner = folder(&tracks->changes, owner, place->group, place->group_size);
			owner = folder(&tracks->changes, owner, lane, (size_t)size);
		}
		row->stack = child(&tracks->changes, owner, "CallStack", 9);
	}
	return row;
}

static histree_quark slot_of(struct tracks *tracks, struct place_row *row, size_t slot)
{
	if (slot >= row->capacity && !pool_reserve(&tracks->memory, &row->slots, &row->capacity, slot + 1)) {
		changes_fail(&tracks->changes, HISTREE_ERR_MEMORY, "no memory for the tracks of the trace");
		return NO_ATTRIBUTE;
	}
	while (row->count <= slot && tracks->changes.status == HISTREE_OK) {
		row->slots[row->count] = child_of_number(&tracks->changes, row->stack, (int64_t)row->count + 1);
		row->count += tracks->changes.status == HISTREE_OK;
	}
	return slot < row->count ? row->slots[slot] : NO_ATTRIBUTE;
}

/* ---- names and their order ------------------------------------------------------------------------------- */

static void name_owner(struct tracks *tracks, const struct naming *naming)
{
	histree_quark owner =
		owner_of(&tracks->changes, naming->has_pid, naming->pid, naming->has_tid, naming->tid);
	if (owner != HISTREE_ROOT && naming->name != NULL)
		change(&tracks->changes, owner, histree_string_n(naming->name, naming->size));
}

COMPARE(by_owner, struct naming, BY(has_pid) BY(pid) BY(has_tid) BY(tid) BY(number))

COMPARE(by_index, struct naming, BY(process_index) BY(has_tid) BY(index) BY(number))

static bool is_same(const struct naming *a, const struct naming *b)
{
	return a->has_pid == b->has_pid && a->has_tid == b->has_tid && (!a->has_pid || a->pid == b->pid) &&
	       (!a->has_tid || a->tid == b->tid);
}

/* All that is said of one owner has its index, the last that is said, and that of its process; 0 where none is. */
static void share_indexes(struct tracks *tracks)
{
	struct naming *all = tracks->namings;
	int64_t of_process = 0;
	size_t next;
	qsort(all, tracks->naming_count, sizeof(*all), by_owner);
	for (size_t i = 0; i < tracks->naming_count; i = next) {
		int64_t index = 0;
		for (next = i; next < tracks->naming_count && is_same(&all[i], &all[next]); next++)
			index = all[next].has_index ? all[next].index : index;
		bool is_first = i == 0 || all[i - 1].has_pid != all[i].has_pid || all[i - 1].pid != all[i].pid;
		of_process = !all[i].has_tid ? index : is_first ? 0 : of_process;
		for (size_t each = i; each < next; each++) {
			all[each].index = all[i].has_tid ? index : 0;
			all[each].process_index = of_process;
		}
	}
	qsort(all, tracks->naming_count, sizeof(*all), by_index);
}

/* Attributes have the order in which they are made, and so lists of them have it, too. */
static enum histree_status begin_rest(struct tracks *tracks, struct histree_error *error)
{
	bool has_index = false;
	if (tracks->has_begun)
		return HISTREE_OK;
	tracks->has_begun = true;
	for (size_t i = 0; i < tracks->naming_count; i++)
		has_index |= tracks->namings[i].has_index;
	if (has_index)
		share_indexes(tracks);
	enum histree_status status = HISTREE_OK;
	for (size_t i = 0; i < tracks->naming_count && status == HISTREE_OK; i++) {
		const struct naming *naming = &tracks->namings[i];
		changes_begin(&tracks->changes, tracks->stacks->first);
		name_owner(tracks, naming);
		status = changes_end(&tracks->changes, error);
	}
	table_release(&tracks->naming_table, tracks->namings);
	tracks->namings = NULL;
	tracks->naming_count = tracks->naming_capacity = 0;
	return status;
}

static enum histree_status take_naming(struct tracks *tracks, const struct track_words *event,
				       struct histree_error *error)
{
	enum { NAMINGS_MAX = 1 << 20 };
	struct naming naming = {
		.has_pid = event->has_pid,
		.has_tid = event->class == TRACK_THREAD_NAME && event->has_tid,
		.has_index = event->has_sort_index,
		.pid = event->has_pid ? event->pid : 0,
		.tid = event->class == TRACK_THREAD_NAME && event->has_tid ? event->tid : 0,
		.index = event->sort_index,
		.size = (uint32_t)event->name.size,
		.name = event->name.size > 0 && event->name.size < UINT32_MAX ? event->name.bytes : NULL,
	};
	if ((naming.name == NULL && !naming.has_index) || (!naming.has_pid && !naming.has_tid))
		return HISTREE_OK;
	if (!tracks->has_begun && tracks->naming_count < NAMINGS_MAX) {
		/* Names are copied: they wait for what may come before them. */
		char *copy = naming.name != NULL ? pool_take(&tracks->memory, (size_t)naming.size + 1) : NULL;
		if ((naming.name != NULL && copy == NULL) ||
		    !table_reserve(&tracks->naming_table, &tracks->namings, &tracks->naming_capacity,
				   tracks->naming_count + 1))
			return error_memory(error, "the names of processes and threads");
		if (copy != NULL)
			naming.name = memcpy(copy, naming.name, naming.size);
		naming.number = (uint32_t)tracks->naming_count;
		tracks->namings[tracks->naming_count++] = naming;
		return HISTREE_OK;
	}
	enum histree_status status = begin_rest(tracks, error);
	if (status != HISTREE_OK || naming.name == NULL)
		return status;
	changes_begin(&tracks->changes, event->time);
	name_owner(tracks, &naming);
	return changes_end(&tracks->changes, error);
}

/* ---- spans ----------------------------------------------------------------------------------------------- */

static void change_slot(struct tracks *tracks, const struct track *track, size_t slot, struct histree_value value)
{
	struct place_row *row = row_of(tracks, track->place);
	histree_quark quark = row != NULL ? slot_of(tracks, row, slot) : NO_ATTRIBUTE;
	if (quark == NO_ATTRIBUTE)
		return;
	change(&tracks->changes, quark, value);
	change(&tracks->changes, row->stack, histree_int((int32_t)track->depth));
}

static enum histree_status opened(void *context, const struct track *track, size_t slot, histree_time time,
				  struct histree_error *error)
{
	struct tracks *tracks = context;
	const struct track_frame *frame = &track->frames[slot];
	enum histree_status status = begin_rest(tracks, error);
	if (status != HISTREE_OK)
		return status;
	changes_begin(&tracks->changes, time);
	change_slot(tracks, track, slot, histree_string_n(frame->text, frame->name_size));
	return changes_end(&tracks->changes, error);
}

static enum histree_status tracks_closed(void *context, const struct track *track, const struct track_frame *frame,
					 size_t slot, enum track_ending ending, histree_time time,
					 struct histree_error *error)
{
	struct tracks *tracks = context;
	(void)frame;
	/* What is open at the end of the trace lasts to the end of the history. */
	if (slot == SIZE_MAX || ending == TRACK_OPEN)
		return HISTREE_OK;
	changes_begin(&tracks->changes, time);
	change_slot(tracks, track, slot, histree_null());
	return changes_end(&tracks->changes, error);
}

/* ---- gaps ------------------------------------------------------------------------------------------------ */

static void change_row(struct tracks *tracks, const struct place_row *row, struct histree_value value)
{
	if (row->stack != NO_ATTRIBUTE)
		change(&tracks->changes, row->stack, value);
	for (size_t slot = 0; slot < row->count; slot++)
		change(&tracks->changes, row->slots[slot], value);
}

static enum histree_status renewed(void *context, const struct track_place *place, histree_time time,
				   struct histree_error *error)
{
	struct tracks *tracks = context;
	changes_begin(&tracks->changes, time);
	if (place->number < tracks->row_count)
		change_row(tracks, &tracks->rows[place->number], histree_null());
	return changes_end(&tracks->changes, error);
}

static enum histree_status doubted(void *context, const struct track_place *place, histree_time time,
				   struct histree_error *error)
{
	struct tracks *tracks = context;
	changes_begin(&tracks->changes, time);
	if (place->number < tracks->row_count)
		change_row(tracks, &tracks->rows[place->number], histree_unknown());
	return changes_end(&tracks->changes, error);
}

static enum histree_status on_gap(void *instance, const struct event_gap *gap, struct histree_error *error)
{
	struct tracks *tracks = instance;
	enum histree_status status = begin_rest(tracks, error);
	if (status != HISTREE_OK)
		return status;
	changes_begin(&tracks->changes, gap->begin);
	for (size_t i = 0; i < tracks->row_count; i++) {
		change_row(tracks, &tracks->rows[i], histree_unknown());
		if (i % 512 == 511)
			table_space_look(tracks->row_table.space);
	}
	for (size_t i = 0; i < tracks->counter_count; i++)
		if (tracks->counters[i].quark != NO_ATTRIBUTE)
			change(&tracks->changes, tracks->counters[i].quark, histree_unknown());
	return changes_end(&tracks->changes, error);
}

/* ---- counters ------------------------------------------------------------------------------------------- */

static histree_quark counter_quark(struct changes *changes, const struct track_words *event)
{
	histree_quark owner = owner_of(changes, event->has_pid, event->pid, event->has_tid, event->tid);
	histree_quark counter =
		child(changes, folder(changes, owner, "Counters", 8), event->name.bytes, event->name.size);
	return event->series.size > 0 ? child(changes, counter, event->series.bytes, event->series.size) : counter;
}

/* Returns the counter of an event, made if it does not exist; NULL when memory runs out. */
static struct counter *counter_of(struct tracks *tracks, const struct track_words *event, bool is_real)
{
	char owner[64];
	int owner_size = snprintf(owner, sizeof(owner), "%d %" PRId64 " %d %" PRId64 " %zu ", event->has_pid,
				  event->pid, event->has_tid, event->tid, event->name.size);
	size_t size = (size_t)owner_size + event->name.size + event->series.size;
	char *key = pool_take(&tracks->memory, size);
	if (key == NULL)
		return NULL;
	memcpy(key, owner, (size_t)owner_size);
	memcpy(key + owner_size, event->name.bytes, event->name.size);
	if (event->series.size > 0)
		memcpy(key + owner_size + event->name.size, event->series.bytes, event->series.size);
	uint32_t number = intern_add(&tracks->counter_keys, key, size);
	pool_give(&tracks->memory, key, size);
	if (number == INTERN_NONE || !table_reserve(&tracks->counter_table, &tracks->counters,
						    &tracks->counter_capacity, (size_t)number + 1))
		return NULL;
	struct counter *counter = &tracks->counters[number];
	if (number == tracks->counter_count) {
		*counter = (struct counter){ counter_quark(&tracks->changes, event), is_real };
		tracks->counter_count++;
	}
	return counter;
}

static bool take_value(void *context, const struct event_part *part)
{
	*(struct event_part *)context = *part;
	return false;
}

static void count(struct tracks *tracks, const struct track_words *event)
{
	struct event_part part = { .kind = EVENT_NOTHING };
	if (event->value == EVENT_NO_FIELD || event->name.size == 0)
		return;
	event_visit(event->event, event->value, take_value, &part);
	bool is_real = part.kind == EVENT_REAL, is_unsigned = part.kind == EVENT_UNSIGNED;
	if (!is_real && !is_unsigned && part.kind != EVENT_INT)
		return;
	struct counter *counter = counter_of(tracks, event, is_real);
	if (counter == NULL) {
		changes_fail(&tracks->changes, HISTREE_ERR_MEMORY, "no memory for the counters of the trace");
		return;
	}
	double real = is_real ? part.real : is_unsigned ? (double)(uint64_t)part.integer : (double)part.integer;
	/* A counter that is not a number has no value. */
	if (!isfinite(real)) {
		if (counter->quark != NO_ATTRIBUTE)
			change(&tracks->changes, counter->quark, histree_null());
		return;
	}
	bool fits = is_real ? fabs(real) < 0x1p63 : !is_unsigned || part.integer >= 0;
	int64_t integer = is_real && fits ? llround(real) : fits ? part.integer : INT64_MAX;
	if (counter->quark != NO_ATTRIBUTE)
		change(&tracks->changes, counter->quark,
		       counter->is_real ? histree_double(real) : histree_long(integer));
}

/* A counter of which values are missing, up to its next one. */
static void doubt_counter(struct tracks *tracks, const struct track_words *event)
{
	struct counter *counter = counter_of(tracks, event, false);
	if (counter == NULL)
		changes_fail(&tracks->changes, HISTREE_ERR_MEMORY, "no memory for the counters of the trace");
	else if (counter->quark != NO_ATTRIBUTE)
		change(&tracks->changes, counter->quark, histree_unknown());
}

/* Of spans the stacks tell. */
static bool wants(const void *instance, const struct event_class *class)
{
	(void)instance;
	enum track_class of = track_class_of(class);
	return of == TRACK_COUNTER || of == TRACK_PROCESS_NAME || of == TRACK_THREAD_NAME || of == TRACK_LOSS;
}

static enum histree_status on_event(void *instance, const struct event *source, struct histree_error *error)
{
	struct tracks *tracks = instance;
	const struct track_words *event = &tracks->stacks->event;
	if (event->class == TRACK_PROCESS_NAME || event->class == TRACK_THREAD_NAME)
		return take_naming(tracks, event, error);
	const bool is_loss = event->class == TRACK_LOSS && event->name.size > 0;
	if ((event->class != TRACK_COUNTER && !is_loss) || source->time <= tracks->stacks->gap_end)
		return HISTREE_OK;
	enum histree_status status = begin_rest(tracks, error);
	if (status != HISTREE_OK)
		return status;
	changes_begin(&tracks->changes, source->time);
	if (is_loss)
		doubt_counter(tracks, event);
	else
		count(tracks, event);
	return changes_end(&tracks->changes, error);
}

/* ---- the analysis ---------------------------------------------------------------------------------------- */

static enum histree_status create(const struct analysis *analysis, struct histree_state_system *system, void *input,
				  void **instance, struct histree_error *error)
{
	(void)analysis;
	struct tracks *tracks = calloc(1, sizeof(*tracks));
	*instance = tracks;
	if (tracks == NULL)
		return error_memory(error, "the analysis of tracks");
	tracks->changes.system = system;
	tracks->stacks = input;
	struct table_space *space = tracks->stacks->places.track_table.space;
	tracks->memory.memory.space = tracks->row_table.space = tracks->counter_table.space = space;
	tracks->naming_table.space = space;
	intern_use_space(&tracks->counter_keys, space);
	const struct track_listener listener = {
		.context = tracks, .renewed = renewed, .doubted = doubted, .opened = opened, .closed = tracks_closed
	};
	track_stacks_listen(tracks->stacks, &listener);
	return HISTREE_OK;
}

static enum histree_status tracks_finish(void *instance, histree_time *end, struct histree_error *error)
{
	struct tracks *tracks = instance;
	*end = tracks->stacks->last_end;
	enum histree_status status = begin_rest(tracks, error);
	return status == HISTREE_OK ? track_stacks_finish(tracks->stacks, error) : status;
}

static uint64_t refused(const void *instance)
{
	return ((const struct tracks *)instance)->changes.refused;
}

static void missing(const void *instance, char *text, size_t size)
{
	track_stacks_missing(((const struct tracks *)instance)->stacks, text, size);
}

static void free_tracks(void *instance)
{
	struct tracks *tracks = instance;
	if (tracks == NULL)
		return;
	table_release(&tracks->row_table, tracks->rows);
	table_release(&tracks->counter_table, tracks->counters);
	table_release(&tracks->naming_table, tracks->namings);
	intern_release(&tracks->counter_keys);
	pool_release(&tracks->memory);
	free(tracks);
}

/* Counters of processes, which may have several series, and of what names no process. */
static const struct histree_chart_entry counter_entries[] = {
	{ .parent = HISTREE_CHART_TOP, .path = "Processes/*", .name = "." },
	{ .parent = 0, .path = "Counters/*", .shown = "." },
	{ .parent = 1, .path = "*", .shown = "." },
	{ .parent = HISTREE_CHART_TOP, .path = "Counters/*", .shown = "." },
	{ .parent = 3, .path = "*", .shown = "." },
};

static const struct histree_chart counter_charts[] = {
	{ .name = "counters",
	  .title = "Counters",
	  .unit = "",
	  .entries = counter_entries,
	  .entry_count = sizeof(counter_entries) / sizeof(*counter_entries) },
};

const struct analysis analysis_tracks = {
	.name = "tracks",
	.version = 4,
	.summary = "spans of programs that describe themselves, as a stack a thread, and their counters",
	.charts = counter_charts,
	.chart_count = sizeof(counter_charts) / sizeof(*counter_charts),
	.input = &track_stacks_kind,
	.applies = track_words_apply,
	.create = create,
	.wants = wants,
	.event = on_event,
	.gap = on_gap,
	.finish = tracks_finish,
	.refused = refused,
	.missing = missing,
	.free = free_tracks,
};

/* ---- segments track spans ------------------------------------------------------------------------------------ */

enum {
	SPAN_NAME,
	SPAN_CATEGORY,
	SPAN_PID,
	SPAN_TID,
	SPAN_TRACK,
	SPAN_DEPTH,
	SPAN_SELF,
	SPAN_THREAD_DURATION,
	SPAN_ARGS,
	SPAN_ENDING,
	SPAN_FIELD_COUNT, /* of most traces; of those that have requests also */
	SPAN_REQUEST = SPAN_FIELD_COUNT,
	SPAN_CRITICAL = SPAN_REQUEST + TRACK_REQUEST_TEXTS,
	SPAN_FIELDS_MAX,
};

static const struct histree_segment_field segments_track_spans_fields[SPAN_FIELDS_MAX] = {
	{ "name", HISTREE_STRING },      { "category", HISTREE_STRING },      { "pid", HISTREE_LONG },
	{ "tid", HISTREE_LONG },         { "track", HISTREE_STRING },         { "depth", HISTREE_INT },
	{ "self", HISTREE_LONG },        { "thread_duration", HISTREE_LONG }, { "args", HISTREE_STRING },
	{ "ending", HISTREE_STRING },    { "service", HISTREE_STRING },       { "kind", HISTREE_STRING },
	{ "status", HISTREE_STRING },    { "trace_id", HISTREE_STRING },      { "span_id", HISTREE_STRING },
	{ "parent_id", HISTREE_STRING }, { "critical", HISTREE_LONG },
};

struct track_spans {
	struct histree_segment_store *store; /* borrowed */
	struct track_stacks *stacks;         /* borrowed */
};

static struct histree_value text_or_null(const char *bytes, size_t size)
{
	return size > 0 ? histree_string_n(bytes, size) : histree_null();
}

/* What a span of a request has besides: its own reckoning of `self` knows the spans of other services. */
static void put_request(const struct track_request *request, struct histree_value values[SPAN_FIELDS_MAX])
{
	for (int i = SPAN_REQUEST; i < SPAN_FIELDS_MAX; i++)
		values[i] = histree_null();
	if (request == NULL)
		return;
	const char *text = request->texts;
	for (int i = 0; i < TRACK_REQUEST_TEXTS; text += request->sizes[i++])
		values[SPAN_REQUEST + i] = text_or_null(text, request->sizes[i]);
	if (request->critical >= 0)
		values[SPAN_CRITICAL] = histree_long(request->critical);
	if (request->self >= 0)
		values[SPAN_SELF] = histree_long(request->self);
}

static enum histree_status segments_tracks_closed(void *context, const struct track *track,
						  const struct track_frame *frame, size_t slot,
						  enum track_ending ending, histree_time time,
						  struct histree_error *error)
{
	const struct track_spans *spans = context;
	struct histree_value values[SPAN_FIELDS_MAX];
	const struct histree_segment segment = { frame->start, time, values };
	const char *category = frame->text + frame->name_size;
	if (ending == TRACK_LOST)
		return HISTREE_OK;
	values[SPAN_NAME] = text_or_null(frame->text, frame->name_size);
	values[SPAN_CATEGORY] = text_or_null(category, frame->category_size);
	values[SPAN_PID] = track->has_pid ? histree_long(track->pid) : histree_null();
	values[SPAN_TID] = track->has_tid && track->id == NULL ? histree_long(track->tid) : histree_null();
	values[SPAN_TRACK] = text_or_null(track->id, track->id != NULL ? track->id_size : 0);
	values[SPAN_DEPTH] = slot != SIZE_MAX ? histree_int((int32_t)slot + 1) : histree_null();
	uint64_t duration = histree_segment_duration(&segment);
	bool is_known = frame->is_whole && frame->inside <= duration && duration - frame->inside <= INT64_MAX;
	values[SPAN_SELF] = is_known ? histree_long((int64_t)(duration - frame->inside)) : histree_null();
	values[SPAN_THREAD_DURATION] =
		frame->thread_duration != INT64_MIN ? histree_long(frame->thread_duration) : histree_null();
	values[SPAN_ARGS] = text_or_null(category + frame->category_size, frame->args_size);
	values[SPAN_ENDING] =
		ending == TRACK_ENDED ? histree_null() : histree_string(ending == TRACK_CUT ? "cut" : "open");
	put_request(frame->request, values);
	return histree_segment_store_add(spans->store, &segment, error);
}

static void segments_track_spans_begin(const struct segment_analysis *analysis, void *instance)
{
	(void)analysis;
	struct track_spans *spans = instance;
	const struct track_listener listener = { .context = spans, .closed = segments_tracks_closed };
	spans->stacks->wants_args = true;
	track_stacks_listen(spans->stacks, &listener);
}

static bool has_requests(const struct event_trace *trace)
{
	return trace->has_requests;
}

static enum histree_status segments_tracks_finish(void *instance, histree_time *end, struct histree_error *error)
{
	struct track_spans *spans = instance;
	*end = spans->stacks->last_end;
	return track_stacks_finish(spans->stacks, error);
}

static struct segment_counts segments_track_spans_counts(const void *instance)
{
	const struct track_stacks *stacks = ((const struct track_spans *)instance)->stacks;
	return (struct segment_counts){
		.without_start = stacks->counts.unmatched,
		.without_end = track_stacks_without_end(stacks),
	};
}

const struct segment_analysis segment_analysis_track_spans = {
	.name = "track-spans",
	.version = 7,
	.summary = "spans of programs that describe themselves, from beginning to end",
	.fields = segments_track_spans_fields,
	.field_count = SPAN_FIELD_COUNT,
	.more_fields = SPAN_FIELDS_MAX - SPAN_FIELD_COUNT,
	.has_more = has_requests,
	.input = &track_stacks_kind,
	.applies = track_words_apply,
	.size = sizeof(struct track_spans),
	.begin = segments_track_spans_begin,
	.finish = segments_tracks_finish,
	.counts = segments_track_spans_counts,
	.free = free,
};

/* ---- segments track flows ------------------------------------------------------------------------------------ */

enum {
	FLOW_NAME,
	FLOW_CATEGORY,
	FLOW_FROM_PID,
	FLOW_FROM_TID,
	FLOW_FROM_TRACK,
	FLOW_FROM_STACK, /* a path in the history `tracks` */
	FLOW_TO_PID,
	FLOW_TO_TID,
	FLOW_TO_TRACK,
	FLOW_TO_STACK,
	FLOW_FIELD_COUNT,
};

static const struct histree_segment_field segments_track_flows_fields[FLOW_FIELD_COUNT] = {
	{ "name", HISTREE_STRING },     { "category", HISTREE_STRING },   { "from_pid", HISTREE_LONG },
	{ "from_tid", HISTREE_LONG },   { "from_track", HISTREE_STRING }, { "from_stack", HISTREE_STRING },
	{ "to_pid", HISTREE_LONG },     { "to_tid", HISTREE_LONG },       { "to_track", HISTREE_STRING },
	{ "to_stack", HISTREE_STRING },
};

/* Where a flow was last. */
struct flow {
	uint64_t key; /* of its id */
	histree_time start;
	int64_t pid, tid;
	char *text; /* name, category, track and stack, behind one another */
	uint32_t name_size, category_size, track_size, stack_size;
	bool has_pid, has_tid;
	bool has_begun;    /* by a `flow_begin` */
	bool has_ended;    /* in a sweep */
	uint32_t ended_in; /* its number */
};

struct track_flows {
	struct histree_segment_store *store; /* borrowed */
	struct track_stacks *stacks;         /* borrowed */
	struct pool memory;
	struct flow **flows; /* those in use are in the index */
	size_t flow_count, flow_capacity;
	struct table flow_table;
	struct hash_index index;
	uint64_t open;          /* without an end so far */
	uint64_t ended;         /* since the last sweep */
	uint32_t sweep;         /* its number */
	struct stack_path path; /* of the current event */
	struct segment_counts counts;
};

static void segments_track_flows_begin(const struct segment_analysis *analysis, void *instance)
{
	(void)analysis;
	struct track_flows *flows = instance;
	struct table_space *space = flows->stacks->places.track_table.space;
	flows->memory.memory.space = flows->flow_table.space = flows->index.table.space = space;
}

/* ---- flows that are known -------------------------------------------------------------------------------- */

static bool has_key(const void *flows, uint32_t number, const void *key)
{
	return ((struct flow *const *)flows)[number]->key == *(const uint64_t *)key;
}

static uint64_t hash_of(const void *flows, uint32_t number)
{
	return hash_mix(((struct flow *const *)flows)[number]->key);
}

static struct flow *flow_find(const struct track_flows *flows, uint64_t key)
{
	uint32_t number = hash_index_find(&flows->index, hash_mix(key), has_key, (const void *)flows->flows, &key);
	return number != HASH_INDEX_NONE ? flows->flows[number] : NULL;
}

static void give_text(struct track_flows *flows, struct flow *flow)
{
	pool_give(&flows->memory, flow->text,
		  (size_t)flow->name_size + flow->category_size + flow->track_size + flow->stack_size + 1);
	flow->text = NULL;
}

/* Those that are kept move to the front, and are added to the index anew. */
static void forget_ended(struct track_flows *flows)
{
	size_t used = 0, count = flows->index.count;
	hash_index_clear(&flows->index);
	for (size_t i = 0; i < count; i++) {
		struct flow *flow = flows->flows[i];
		if (i % 512 == 511)
			table_space_look(flows->flow_table.space);
		if (flow->has_ended && flow->ended_in != flows->sweep) {
			give_text(flows, flow);
			continue;
		}
		flows->flows[i] = flows->flows[used];
		flows->flows[used] = flow;
		hash_index_add(&flows->index, hash_mix(flow->key), (uint32_t)used++);
	}
	flows->ended = 0;
	flows->sweep++;
}

/* Returns a flow of a key that none has; NULL when memory runs out. */
static struct flow *add_flow(struct track_flows *flows, uint64_t key)
{
	enum { ENDED_MAX = 4096 };
	if (flows->ended > ENDED_MAX && flows->ended > flows->index.count / 4)
		forget_ended(flows);
	size_t used = flows->index.count;
	if (used == flows->flow_count) {
		if (!table_reserve(&flows->flow_table, &flows->flows, &flows->flow_capacity, used + 1))
			return NULL;
		struct flow *made = arena_allocate(&flows->memory.memory, sizeof(*made), alignof(struct flow));
		if (made == NULL)
			return NULL;
		flows->flows[flows->flow_count++] = made;
	}
	if (!hash_index_reserve(&flows->index, used + 1, hash_of, (const void *)flows->flows))
		return NULL;
	struct flow *flow = flows->flows[used];
	*flow = (struct flow){ .key = key, .has_ended = true };
	hash_index_add(&flows->index, hash_mix(key), (uint32_t)used);
	return flow;
}

/* ---- steps ----------------------------------------------------------------------------------------------- */

static struct histree_value number_or_null(bool is_there, int64_t number)
{
	return is_there ? histree_long(number) : histree_null();
}

/* The flow is here now. */
static enum histree_status begin_step(struct track_flows *flows, struct flow *flow, bool begins, histree_time time,
				      struct histree_error *error)
{
	const struct track_words *event = &flows->stacks->event;
	const struct track_text parts[] = {
		event->name, event->category, event->track, { flows->path.bytes, flows->path.size }
	};
	size_t size = 1;
	for (int i = 0; i < 4; i++)
		size += parts[i].size;
	give_text(flows, flow);
	char *at = size < UINT32_MAX ? pool_take(&flows->memory, size) : NULL;
	flow->name_size = flow->category_size = flow->track_size = flow->stack_size = 0;
	if (at == NULL)
		return error_memory(error, "the flows of the trace");
	flow->text = at;
	for (int i = 0; i < 4; at += parts[i++].size)
		if (parts[i].size > 0)
			memcpy(at, parts[i].bytes, parts[i].size);
	flow->name_size = (uint32_t)parts[0].size;
	flow->category_size = (uint32_t)parts[1].size;
	flow->track_size = (uint32_t)parts[2].size;
	flow->stack_size = (uint32_t)parts[3].size;
	flow->has_begun = flow->has_begun || begins;
	flow->start = time;
	flow->has_pid = event->has_pid;
	flow->has_tid = event->has_tid;
	flow->pid = event->pid;
	flow->tid = event->tid;
	flows->open += flow->has_ended;
	flow->has_ended = false;
	return HISTREE_OK;
}

static enum histree_status add_step(struct track_flows *flows, const struct flow *flow, histree_time time,
				    struct histree_error *error)
{
	const struct track_words *event = &flows->stacks->event;
	struct histree_value values[FLOW_FIELD_COUNT];
	const char *category = flow->text + flow->name_size, *track = category + flow->category_size;
	values[FLOW_NAME] = text_or_null(flow->text, flow->name_size);
	values[FLOW_CATEGORY] = text_or_null(category, flow->category_size);
	values[FLOW_FROM_PID] = number_or_null(flow->has_pid, flow->pid);
	values[FLOW_FROM_TID] = number_or_null(flow->has_tid, flow->tid);
	values[FLOW_FROM_TRACK] = text_or_null(track, flow->track_size);
	values[FLOW_FROM_STACK] = text_or_null(track + flow->track_size, flow->stack_size);
	values[FLOW_TO_PID] = number_or_null(event->has_pid, event->pid);
	values[FLOW_TO_TID] = number_or_null(event->has_tid, event->tid);
	values[FLOW_TO_TRACK] = text_or_null(event->track.bytes, event->track.size);
	values[FLOW_TO_STACK] = text_or_null(flows->path.bytes, flows->path.size);
	const struct histree_segment segment = { flow->start, time, values };
	return histree_segment_store_add(flows->store, &segment, error);
}

static void end_flow(struct track_flows *flows, struct flow *flow)
{
	flows->open -= !flow->has_ended;
	flows->ended += !flow->has_ended;
	flow->has_ended = true;
	flow->ended_in = flows->sweep;
}

static bool segments_track_flows_wants(const void *instance, const struct event_class *class)
{
	(void)instance;
	enum track_class of = track_class_of(class);
	return of == TRACK_FLOW_BEGIN || of == TRACK_FLOW_STEP || of == TRACK_FLOW_END;
}

static enum histree_status segments_track_flows_on_event(void *instance, const struct event *source,
							 struct histree_error *error)
{
	struct track_flows *flows = instance;
	const struct track_words *event = &flows->stacks->event;
	bool begins = event->class == TRACK_FLOW_BEGIN, ends = event->class == TRACK_FLOW_END;
	if (event->id.size == 0)
		return HISTREE_OK;
	if (!stack_path_write(&flows->path, &flows->stacks->places, event))
		return error_memory(error, "the flows of the trace");
	uint64_t key = hash_bytes(event->id.bytes, event->id.size);
	struct flow *flow = flow_find(flows, key);
	flows->counts.without_end += begins && flow != NULL && !flow->has_ended;
	flows->counts.without_start += ends && flow == NULL;
	if (ends && flow == NULL)
		return HISTREE_OK;
	enum histree_status status = HISTREE_OK;
	if (flow != NULL && !begins && (ends || !flow->has_ended || flow->has_begun))
		status = add_step(flows, flow, source->time, error);
	if (flow == NULL && (flow = add_flow(flows, key)) == NULL)
		return error_memory(error, "the flows of the trace");
	if (status == HISTREE_OK && ends)
		end_flow(flows, flow);
	else if (status == HISTREE_OK)
		status = begin_step(flows, flow, begins, source->time, error);
	return status;
}

static struct segment_counts segments_track_flows_counts(const void *instance)
{
	const struct track_flows *flows = instance;
	struct segment_counts all = flows->counts;
	all.without_end += flows->open;
	return all;
}

static void free_flows(void *instance)
{
	struct track_flows *flows = instance;
	if (flows == NULL)
		return;
	table_release(&flows->flow_table, (void *)flows->flows);
	hash_index_release(&flows->index);
	pool_release(&flows->memory);
	stack_path_release(&flows->path);
	free(flows);
}

const struct segment_analysis segment_analysis_track_flows = {
	.name = "track-flows",
	.version = 5,
	.summary = "flows between tracks, a segment from each step to the next",
	.fields = segments_track_flows_fields,
	.field_count = FLOW_FIELD_COUNT,
	.input = &track_stacks_kind,
	.applies = track_words_apply,
	.size = sizeof(struct track_flows),
	.begin = segments_track_flows_begin,
	.wants = segments_track_flows_wants,
	.event = segments_track_flows_on_event,
	.counts = segments_track_flows_counts,
	.free = free_flows,
};

/* ---- segments track instants --------------------------------------------------------------------------------- */

enum {
	INSTANT_NAME,
	INSTANT_CATEGORY,
	INSTANT_PID,
	INSTANT_TID,
	INSTANT_TRACK,
	INSTANT_STACK, /* a path in the history `tracks` */
	INSTANT_FIELD_COUNT,
};

static const struct histree_segment_field segments_track_instants_fields[INSTANT_FIELD_COUNT] = {
	{ "name", HISTREE_STRING }, { "category", HISTREE_STRING }, { "pid", HISTREE_LONG },
	{ "tid", HISTREE_LONG },    { "track", HISTREE_STRING },    { "stack", HISTREE_STRING },
};

struct track_instants {
	struct histree_segment_store *store; /* borrowed */
	struct track_stacks *stacks;         /* borrowed */
	struct stack_path path;              /* of the current event */
};

static bool segments_track_instants_wants(const void *instance, const struct event_class *class)
{
	(void)instance;
	return track_class_of(class) == TRACK_INSTANT;
}

static enum histree_status segments_track_instants_on_event(void *instance, const struct event *source,
							    struct histree_error *error)
{
	struct track_instants *instants = instance;
	const struct track_words *event = &instants->stacks->event;
	if (!stack_path_write(&instants->path, &instants->stacks->places, event))
		return error_memory(error, "the instants of the trace");
	const struct histree_value values[INSTANT_FIELD_COUNT] = {
		[INSTANT_NAME] = text_or_null(event->name.bytes, event->name.size),
		[INSTANT_CATEGORY] = text_or_null(event->category.bytes, event->category.size),
		[INSTANT_PID] = number_or_null(event->has_pid, event->pid),
		[INSTANT_TID] = number_or_null(event->has_tid, event->tid),
		[INSTANT_TRACK] = text_or_null(event->track.bytes, event->track.size),
		[INSTANT_STACK] = text_or_null(instants->path.bytes, instants->path.size),
	};
	const struct histree_segment segment = { source->time, source->time, values };
	return histree_segment_store_add(instants->store, &segment, error);
}

static void free_instants(void *instance)
{
	struct track_instants *instants = instance;
	if (instants != NULL)
		stack_path_release(&instants->path);
	free(instants);
}

const struct segment_analysis segment_analysis_track_instants = {
	.name = "track-instants",
	.version = 2,
	.summary = "instants of programs that describe themselves: what happened, and on which track",
	.fields = segments_track_instants_fields,
	.field_count = INSTANT_FIELD_COUNT,
	.input = &track_stacks_kind,
	.applies = track_words_apply,
	.size = sizeof(struct track_instants),
	.wants = segments_track_instants_wants,
	.event = segments_track_instants_on_event,
	.free = free_instants,
};
