// SPDX-License-Identifier: MIT
#include "export/viewer/viewer_flows.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/error.h"

/* ---- ends ------------------------------------------------------------------------------------------------- */

/* The track of a thread whose status is shown at a time; NULL if it is not. */
static struct viewer_track *track_of_thread(struct viewer_flows *flows, int32_t tid, histree_time time)
{
	const struct viewer_threads *threads = &flows->rows->threads;
	uint32_t index = threads->flow == NULL || tid <= 0 ? HISTREE_NO_INDEX
							   : histree_control_flow_find(threads->flow, tid, -1);
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
	struct histree_segment segment;
	enum histree_status status = HISTREE_OK;
	segments->has_next = false;
	while (segments->iter != NULL && !segments->has_next && flows->walk->file->status == HISTREE_OK) {
		status = histree_segment_iter_next(segments->iter, &segment, flows->walk->file->error);
		if (status == HISTREE_PARTIAL) {
			flows->walk->counts->damaged_nodes++;
			continue;
		}
		if (status != HISTREE_OK)
			break;
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
	query.cancel = request->cancel;
	enum histree_status status = histree_segment_iter_create(store, &segments->iter, error);
	if (status == HISTREE_OK)
		status = histree_segment_iter_start(segments->iter, &query, NULL, error);
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

enum histree_status viewer_flows_begin(struct viewer_flows *flows, struct viewer_walk *walk,
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

enum histree_status viewer_flows_write(struct viewer_flows *flows, histree_time before)
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

void viewer_flows_release(struct viewer_flows *flows)
{
	histree_segment_iter_free(flows->wakeups.iter);
	histree_segment_iter_free(flows->flows.iter);
	free(flows->forks);
}
