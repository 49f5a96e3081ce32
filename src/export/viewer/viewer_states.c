// SPDX-License-Identifier: MIT
/*
 * viewer_states.c - the states of a history as spans and counters, and the arrows between them, in order of time.
 *
 * What was going on when the range begins comes first, then the changes in it.  Of those that begin at one time the
 * longest comes first, so that what nests does.
 *
 * Arrows are forks and wake-ups of threads, and flows of a trace of tracks.  They are read from where view/view.h
 * has them, but one after another: a list for a chart is thinned to its pixels.
 */
#include <stdlib.h>

#include "base/table.h"
#include "base/error.h"
#include "export/viewer/viewer_rows.h"
#include "export/viewer/viewer_walk.h"
#include "histree/states.h"

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

static int compare_forks(const void *one, const void *other)
{
	const struct viewer_fork *a = one, *b = other;
	return a->time != b->time ? (a->time > b->time) - (a->time < b->time) : (a->to > b->to) - (a->to < b->to);
}

static void find_forks(struct viewer_flows *flows)
{
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
}

/* ---- all of them ------------------------------------------------------------------------------------------ */

static enum histree_status viewer_flows_begin(struct viewer_flows *flows, struct viewer_walk *walk,
					      struct viewer_rows *rows)
{
	*flows = (struct viewer_flows){ .walk = walk, .rows = rows };
	find_forks(flows);
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

static void viewer_flows_release(struct viewer_flows *flows)
{
	struct histree_cursor *const cursors[] = { flows->wakeups.iter, flows->flows.iter };
	for (size_t i = 0; i < 2; i++) {
		if (cursors[i] != NULL)
			viewer_walk_lose(flows->walk, histree_cursor_loss(cursors[i]));
		histree_cursor_free(cursors[i]);
	}
	free(flows->forks);
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
	       (status = histree_cursor_next(states->rows.query, file->error)) == HISTREE_OK) {
		interval = *histree_cursor_interval(states->rows.query);
		struct histree_value *value = &interval.value;
		if ((value->type == HISTREE_STRING || value->type == HISTREE_CUSTOM) &&
		    (value->bytes = arena_copy(&states->bytes, value->bytes, value->size)) == NULL)
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

/* What the first took, of which there is one for each row, is not what the changes of a time take. */
static void forget_first(struct states *states)
{
	histree_cursor_free(states->rows.query);
	states->rows.query = NULL;
	free(states->pending);
	states->pending = NULL;
	states->capacity = 0;
	free(states->first);
	states->first = NULL;
	arena_release(&states->bytes);
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

static enum histree_status write_all(struct states *states)
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
	forget_first(states);
	if (status == HISTREE_OK && write_changes(states, changes) == HISTREE_OK)
		viewer_flows_write(&states->flows, INT64_MAX);
	histree_cursor_free(changes);
	return walk->file->status;
}

enum histree_status viewer_walk_states(struct viewer_walk *walk)
{
	const struct histree_viewer_request *request = walk->request;
	struct states states = { .walk = walk };
	viewer_rows_begin(&states.rows, walk->file, request->history, request->quarks, request->quark_count,
			  request->from, request->to, request->work);
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
