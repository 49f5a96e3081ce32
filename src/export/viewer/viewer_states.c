// SPDX-License-Identifier: MIT
/*
 * viewer_states.c - the states of a history as spans and counters, in the order of time.
 *
 * What was going on when the range begins comes first, then the changes in it.  Of those that begin at one time the
 * longest comes first, so that what nests does.
 */
#include <stdlib.h>

#include "base/array.h"
#include "base/error.h"
#include "export/viewer/viewer_flows.h"
#include "export/viewer/viewer_words.h"
#include "histree/lookup.h"

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
	struct viewer_text name = viewer_words(&states->rows, row, &interval->value, room, &says_value);
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
static bool keep(struct states *states, size_t number)
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
		if (!keep(states, i))
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
	       (status = histree_query_next(states->rows.query, &interval, file->error)) == HISTREE_OK) {
		struct histree_value *value = &interval.value;
		if ((value->type == HISTREE_STRING || value->type == HISTREE_CUSTOM) &&
		    (value->bytes = arena_copy(&states->bytes, value->bytes, value->size)) == NULL)
			return viewer_file_lacks_memory(file);
		if (!array_reserve(&states->first, &states->first_capacity, states->first_count + 1))
			return viewer_file_lacks_memory(file);
		states->first[states->first_count++] = interval;
	}
	states->walk->counts->damaged_nodes += histree_query_stats(states->rows.query).nodes_damaged;
	if (status != HISTREE_END)
		return viewer_walk_fail(states->walk, status);
	return write_all_of(states, request->from, states->first, states->first_count);
}

/* What the first took, of which there is one for each row, is not what the changes of a time take. */
static void forget_first(struct states *states)
{
	histree_query_free(states->rows.query);
	states->rows.query = NULL;
	free(states->pending);
	states->pending = NULL;
	states->capacity = 0;
	free(states->first);
	states->first = NULL;
	arena_release(&states->bytes);
}

static enum histree_status write_changes(struct states *states, struct histree_changes *changes)
{
	const struct histree_viewer_request *request = states->walk->request;
	struct viewer_file *file = states->walk->file;
	struct histree_change change;
	const struct histree_changes_region region = { .quarks = states->rows.quarks,
						       .quark_count = states->rows.quark_count,
						       .from = request->from + 1,
						       .to = request->to };
	if (request->from == request->to)
		return file->status;
	enum histree_status status = histree_changes_start(changes, &region, file->error);
	while (status == HISTREE_OK &&
	       (status = histree_changes_next(changes, &change, file->error)) == HISTREE_OK) {
		if (write_all_of(states, change.time, change.intervals, change.count) != HISTREE_OK ||
		    !viewer_walk_goes_on(states->walk, change.time))
			return file->status;
	}
	/* How many they are is not said; some may be those of the first query. */
	if (states->walk->counts->damaged_nodes == 0 && histree_changes_are_damaged(changes))
		states->walk->counts->damaged_nodes = 1;
	return status == HISTREE_END ? file->status : viewer_walk_fail(states->walk, status);
}

static enum histree_status write_all(struct states *states)
{
	struct viewer_walk *walk = states->walk;
	struct histree_changes *changes = NULL;
	if (states->rows.count == 0)
		return viewer_walk_fail(walk, error_set(walk->file->error, HISTREE_NOT_FOUND,
							"the history has no states that a viewer could show"));
	enum histree_status status = histree_changes_create(walk->request->history, &changes, walk->file->error);
	if (status != HISTREE_OK)
		return viewer_walk_fail(walk, status);
	status = write_first(states);
	forget_first(states);
	if (status == HISTREE_OK && write_changes(states, changes) == HISTREE_OK)
		viewer_flows_write(&states->flows, INT64_MAX);
	histree_changes_free(changes);
	return walk->file->status;
}

enum histree_status viewer_walk_states(struct viewer_walk *walk)
{
	const struct histree_viewer_request *request = walk->request;
	struct states states = { .walk = walk };
	viewer_rows_begin(&states.rows, walk->file, request->history, request->quarks, request->quark_count,
			  request->from, request->to, request->cancel);
	viewer_flows_begin(&states.flows, walk, &states.rows);
	if (walk->file->status == HISTREE_OK)
		write_all(&states);
	viewer_flows_release(&states.flows);
	viewer_rows_release(&states.rows);
	arena_release(&states.bytes);
	free(states.first);
	free(states.pending);
	return walk->file->status;
}
