// SPDX-License-Identifier: MIT
/*
 * What a trace of tracks says: who was in which spans, and what counters counted.
 *
 *	Processes/<pid>                         its name
 *	Processes/<pid>/<tid>                   its name
 *	Processes/<pid>/<tid>/CallStack         depth; below it 1, 2, ...: the name of the span
 *	Processes/<pid>/CallStack               the same of what belongs to no thread
 *	Processes/<pid>/Async/<name>/<lane>/CallStack   of what is asynchronous, side by side
 *	Processes/<pid>/Counters/<name>         the value; with several of one counter, below it
 *	Threads/..., Async/..., Counters/..., CallStack   of what says no process
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/analysis.h"
#include "analysis/changes.h"
#include "analysis/tracks/track_stacks.h"
#include "base/error.h"
#include "histree/attributes.h"

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

static histree_quark stack_of(struct changes *changes, const struct track_place *place)
{
	histree_quark owner = owner_of(changes, place->has_pid, place->pid, place->has_tid, place->tid);
	if (place->group != NULL) {
		char lane[16];
		int size = snprintf(lane, sizeof(lane), "%" PRIu32, place->lane + 1);
		owner = folder(changes, owner, "Async", 5);
		owner = folder(changes, owner, place->group, place->group_size);
		owner = folder(changes, owner, lane, (size_t)size);
	}
	return child(changes, owner, "CallStack", 9);
}

/* Returns NULL when memory is out, and the event has failed. */
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
	if (row->stack == NO_ATTRIBUTE && tracks->changes.status == HISTREE_OK)
		row->stack = stack_of(&tracks->changes, place);
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

static int compare_numbers(int64_t a, int64_t b)
{
	return (a > b) - (a < b);
}

static int by_owner(const void *left, const void *right)
{
	const struct naming *a = left, *b = right;
	int order = (int)a->has_pid - (int)b->has_pid;
	order = order != 0 ? order : compare_numbers(a->pid, b->pid);
	order = order != 0 ? order : (int)a->has_tid - (int)b->has_tid;
	order = order != 0 ? order : compare_numbers(a->tid, b->tid);
	return order != 0 ? order : compare_numbers(a->number, b->number);
}

static int by_index(const void *left, const void *right)
{
	const struct naming *a = left, *b = right;
	int order = compare_numbers(a->process_index, b->process_index);
	order = order != 0 ? order : (int)a->has_tid - (int)b->has_tid;
	order = order != 0 ? order : compare_numbers(a->index, b->index);
	return order != 0 ? order : compare_numbers(a->number, b->number);
}

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

/* Names are copied: they wait for what may come before them. */
static enum histree_status keep_naming(struct tracks *tracks, struct naming naming, struct histree_error *error)
{
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

static enum histree_status take_naming(struct tracks *tracks, const struct track_words *event,
				       struct histree_error *error)
{
	enum { NAMINGS_MAX = 1 << 20 };
	const struct naming naming = {
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
	if (!tracks->has_begun && tracks->naming_count < NAMINGS_MAX)
		return keep_naming(tracks, naming, error);
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

static enum histree_status closed(void *context, const struct track *track, const struct track_frame *frame,
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

/* Returns the counter of an event, made if it does not exist; NULL when memory is out. */
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

static enum histree_status on_event(void *instance, const struct event *source, struct histree_error *error)
{
	struct tracks *tracks = instance;
	const struct track_words *event = &tracks->stacks->event;
	if (event->class == TRACK_PROCESS_NAME || event->class == TRACK_THREAD_NAME)
		return take_naming(tracks, event, error);
	if (event->class != TRACK_COUNTER || source->time <= tracks->stacks->gap_end)
		return HISTREE_OK;
	enum histree_status status = begin_rest(tracks, error);
	if (status != HISTREE_OK)
		return status;
	changes_begin(&tracks->changes, source->time);
	count(tracks, event);
	return changes_end(&tracks->changes, error);
}

/* ---- the analysis ---------------------------------------------------------------------------------------- */

static enum histree_status create(struct histree_state_system *system, void *input, void **instance,
				  struct histree_error *error)
{
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
		.context = tracks, .renewed = renewed, .opened = opened, .closed = closed
	};
	track_stacks_listen(tracks->stacks, &listener);
	return HISTREE_OK;
}

static enum histree_status finish(void *instance, histree_time *end, struct histree_error *error)
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

const struct analysis analysis_tracks = {
	.name = "tracks",
	.version = 2,
	.summary = "spans of programs that describe themselves, as a stack a thread, and their counters",
	.input = &track_stacks_kind,
	.applies = track_words_apply,
	.create = create,
	.event = on_event,
	.gap = on_gap,
	.finish = finish,
	.refused = refused,
	.missing = missing,
	.free = free_tracks,
};
