// SPDX-License-Identifier: MIT
/*
 * reason_walk.c - the steps of a path by our own rules
 * (histree/critical_path.h, docs/design/09-kernel-analyses.md).
 *
 * A wait is resolved backwards, as by the rules of Trace Compass.  Its links cover all of it: what is not known of
 * it is a link too, so that the path has no gap, and nothing is to be joined.
 */
#include "base/cancel.h"
#include "base/error.h"
#include "graph/path_walk.h"

static histree_time later(histree_time a, histree_time b)
{
	return a > b ? a : b;
}

static void note(struct histree_critical_path *path, enum histree_path_rule rule, histree_time start,
		 histree_time end)
{
	struct histree_path_departure *departure = &path->departures[rule];
	uint64_t ns = (uint64_t)end - (uint64_t)start;
	departure->count++;
	departure->ns += ns;
	if (departure->count == 1 || ns > departure->longest_ns) {
		departure->longest_ns = ns;
		departure->longest_start = start;
	}
}

bool path_ends_with_wakeup(const struct graph_link *edge)
{
	return edge->state == HISTREE_GRAPH_BLOCKED || edge->state == HISTREE_GRAPH_NETWORK ||
	       edge->state == HISTREE_GRAPH_TIMER || edge->state == HISTREE_GRAPH_BLOCK_DEVICE ||
	       edge->state == HISTREE_GRAPH_INTERRUPTED;
}

enum histree_status path_correct_edge(struct histree_critical_path *path, struct graph_link *edge,
				      histree_time bound, struct histree_error *error)
{
	struct graph_link before;
	bool is_found = false;
	if (!path_ends_with_wakeup(edge))
		return HISTREE_OK;
	enum histree_status status = graph_was_woken_leaving(edge->from, edge->start, &is_found, error);
	if (status != HISTREE_OK || is_found) {
		edge->state = HISTREE_GRAPH_PREEMPTED;
		return status;
	}
	status = path_found(graph_edge_before(&path->view, edge->from, edge->start, &before, error), &is_found);
	if (status == HISTREE_OK && is_found && path_ends_with_wakeup(&before)) {
		edge->state = HISTREE_GRAPH_PREEMPTED;
		note(path, HISTREE_PATH_WOKEN_AGAIN, later(edge->start, bound), edge->end);
	}
	return status;
}

bool path_follows_arrow(struct histree_critical_path *path, const struct graph_link *arrow, histree_time start)
{
	const struct graph_thread *from = arrow->from;
	enum histree_path_rule rule;
	if (from == arrow->to)
		rule = HISTREE_PATH_FROM_ITSELF;
	else if (from->tid == HISTREE_IDLE_TID || (from->tid < 0 && arrow->state != HISTREE_GRAPH_NETWORK))
		rule = HISTREE_PATH_FROM_IDLE;
	else if (arrow->start <= start)
		rule = HISTREE_PATH_SENT_BEFORE;
	else
		return true;
	note(path, rule, start, arrow->end);
	return false;
}

/* ---- resolving a wait --------------------------------------------------------------------------------------- */

/* Where the way back is. */
struct place {
	struct graph_thread *thread;
	histree_time time;
	bool is_over;
};

static enum histree_status reason(struct histree_critical_path *path, const struct graph_link *edge,
				  histree_time bound, unsigned depth, struct histree_error *error);

/* A wait on the way back is what it waited for, or else itself. */
static enum histree_status add_wait(struct histree_critical_path *path, const struct graph_link *edge,
				    histree_time bound, unsigned depth, struct histree_error *error)
{
	size_t before = path->links.count;
	enum histree_status status = reason(path, edge, bound, depth + 1, error);
	if (status != HISTREE_OK || path->links.count > before)
		return status;
	return path_add_link(path, edge, error);
}

/* One step back from a vertex; where a thread begins, to the one that made it. */
static enum histree_status step_back(struct histree_critical_path *path, struct place *at, histree_time bound,
				     unsigned depth, struct histree_error *error)
{
	struct graph_link edge, arrow;
	bool has_edge, has_arrow = false;
	enum histree_status status =
		path_found(graph_edge_before(&path->view, at->thread, at->time, &edge, error), &has_edge);
	if (status == HISTREE_OK && has_edge)
		status = path_correct_edge(path, &edge, bound, error);
	else if (status == HISTREE_OK)
		status = path_found(graph_arrow_into(&path->view, at->thread, at->time, &arrow, error), &has_arrow);
	if (status != HISTREE_OK)
		return status;
	has_arrow = has_arrow && path_follows_arrow(path, &arrow, bound);
	at->is_over = !has_edge && !has_arrow;
	if (has_edge)
		at->time = edge.start;
	else if (has_arrow)
		*at = (struct place){ .thread = arrow.from, .time = arrow.start };
	if (has_edge && path_is_wait(&edge))
		return add_wait(path, &edge, bound, depth, error);
	return at->is_over ? HISTREE_OK : path_add_link(path, has_edge ? &edge : &arrow, error);
}

/* From the thread that waited, the path goes over to where the links begin. */
static enum histree_status add_entry(struct histree_critical_path *path, struct graph_thread *waited,
				     histree_time time, struct histree_error *error)
{
	struct graph_thread *first = path->links.all[path->links.count - 1].from;
	const struct graph_link arrow = { .from = waited,
					  .to = first,
					  .start = time,
					  .end = time,
					  .is_arrow = true,
					  .state = HISTREE_GRAPH_DEFAULT };
	return first == waited ? HISTREE_OK : path_add_link(path, &arrow, error);
}

/* The links go back to `time`: what of the wait is before that is the wait. */
static enum histree_status complete(struct histree_critical_path *path, const struct graph_link *edge,
				    histree_time bound, histree_time time, struct histree_error *error)
{
	histree_time start = later(edge->start, bound);
	if (time <= start) /* a wait that began before the bound is within another, which goes on from here */
		return edge->start >= bound ? add_entry(path, edge->from, start, error) : HISTREE_OK;
	struct graph_link rest = *edge;
	rest.start = start;
	rest.end = time;
	note(path, HISTREE_PATH_BEGINS_LATER, start, time);
	enum histree_status status = add_entry(path, edge->from, time, error);
	return status == HISTREE_OK ? path_add_link(path, &rest, error) : status;
}

/*
 * Add the links from the end of a wait back to its beginning, or to `bound` if that is later; no links if the
 * waker is not known.
 */
static enum histree_status reason(struct histree_critical_path *path, const struct graph_link *edge,
				  histree_time bound, unsigned depth, struct histree_error *error)
{
	const size_t before = path->links.count;
	const histree_time start = later(edge->start, bound);
	struct graph_link arrow;
	bool has_arrow = false;
	enum histree_status status = HISTREE_OK;
	if (depth < PATH_DEPTH_MAX && path->work < path->work_max)
		status = path_found(graph_arrow_into(&path->view, edge->to, edge->end, &arrow, error), &has_arrow);
	if (status == HISTREE_OK && !has_arrow && depth > 0 && edge->state == HISTREE_GRAPH_BLOCKED)
		note(path, HISTREE_PATH_WAIT_KEPT, start, edge->end);
	if (status != HISTREE_OK || !has_arrow || !path_follows_arrow(path, &arrow, start))
		return status;
	status = path_add_link(path, &arrow, error);
	struct place at = { .thread = arrow.from, .time = arrow.start };
	while (status == HISTREE_OK && !at.is_over && at.time > start && at.thread->tid > 0 &&
	       path->work < path->work_max) {
		status = cancel_check(&path->cancel, path->work++, error);
		if (status == HISTREE_OK)
			status = step_back(path, &at, start, depth, error);
	}
	if (status == HISTREE_OK && path->work >= path->work_max) {
		path->links.count = before;
		return HISTREE_OK;
	}
	return status == HISTREE_OK ? complete(path, edge, bound, at.time, error) : status;
}

/* ---- the path ----------------------------------------------------------------------------------------------- */

/* From `start` on, and not beyond the end of the path. */
static enum histree_status put(struct histree_critical_path *path, const struct graph_link *link,
			       histree_time start, struct histree_error *error)
{
	const struct histree_path_step step = { .is_arrow = link->is_arrow,
						.start = later(link->start, start),
						.end = link->end < path->to ? link->end : path->to,
						.host = link->from->host->number,
						.to_host = link->to->host->number,
						.tid = link->from->tid,
						.to_tid = link->to->tid,
						.state = link->state };
	bool is_beyond = step.start >= path->to;
	bool is_empty = !step.is_arrow && step.start >= step.end;
	return is_beyond || is_empty ? HISTREE_OK : path_add_step(path, &step, error);
}

enum histree_status path_take_reasoned_edge(struct histree_critical_path *path, struct histree_error *error)
{
	struct graph_link edge;
	bool is_found = false;
	enum histree_status status = cancel_check(&path->cancel, path->work++, error);
	if (status == HISTREE_OK && path->next < path->to)
		status = path_found(graph_edge_after(&path->view, path->thread, path->next, &edge, error),
				    &is_found);
	if (status != HISTREE_OK || !is_found) {
		path->thread = NULL;
		return status;
	}
	path->next = edge.end;
	path->links.count = 0;
	status = path_correct_edge(path, &edge, path->first, error);
	edge.start = later(edge.start, path->first);
	if (status == HISTREE_OK && path_is_wait(&edge))
		status = reason(path, &edge, path->first, 0, error);
	if (status == HISTREE_OK && path->links.count == 0)
		return put(path, &edge, edge.start, error);
	histree_time start = edge.start;
	for (size_t left = path->links.count; left > 0 && status == HISTREE_OK; left--) {
		const struct graph_link *link = &path->links.all[left - 1];
		status = put(path, link, start, error);
		start = link->end;
	}
	return status;
}

const struct histree_path_departure *histree_critical_path_departures(const struct histree_critical_path *path)
{
	return path->departures;
}
