// SPDX-License-Identifier: MIT
/*
 * path_waits.c - the times at which a thread had no CPU, and the chain of the threads that ended them.
 *
 * The waker of a thread ran at that moment, and may itself have waited before, for another waker: as long as that
 * happened during the wait, the wait was for that one too.
 */
#include "base/cancel.h"
#include "base/error.h"
#include "graph/path_walk.h"

/*
 * Goes back along the wakers of a wait to the end of its own last wait since `start`; *is_over if there is no
 * further waker.
 */
static enum histree_status go_back(struct histree_critical_path *path, struct graph_thread *thread,
				   histree_time start, histree_time *time, bool *is_over,
				   struct histree_error *error)
{
	*is_over = false;
	while (*time > start && path->work < path->work_max) {
		struct graph_link edge;
		bool is_found = false;
		enum histree_status status = cancel_check(&path->cancel, path->work++, error);
		if (status == HISTREE_OK)
			status = path_found(graph_edge_before(&path->view, thread, *time, &edge, error), &is_found);
		if (status == HISTREE_OK && is_found)
			status = path_correct_edge(path, &edge, start, error);
		if (status != HISTREE_OK)
			return status;
		if (!is_found)
			break;
		if (path_ends_with_wakeup(&edge))
			return HISTREE_OK;
		*time = edge.start;
	}
	*is_over = true;
	return HISTREE_OK;
}

static enum histree_status find_wakers(struct histree_critical_path *path, const struct graph_link *edge,
				       unsigned depth, struct histree_path_wait *out, struct histree_error *error)
{
	struct graph_thread *thread = edge->to;
	histree_time time = edge->end;
	bool is_over = !path_ends_with_wakeup(edge);
	while (!is_over && out->waker_count < depth) {
		struct graph_link arrow;
		bool has_arrow = false;
		enum histree_status status =
			path_found(graph_arrow_into(&path->view, thread, time, &arrow, error), &has_arrow);
		if (status != HISTREE_OK || !has_arrow || !path_follows_arrow(path, &arrow, out->start))
			return status;
		thread = arrow.from;
		time = arrow.start;
		out->wakers[out->waker_count++] = (struct histree_path_waker){ .host = thread->host->number,
									       .tid = thread->tid,
									       .time = time };
		status = go_back(path, thread, out->start, &time, &is_over, error);
		if (status != HISTREE_OK)
			return status;
	}
	return HISTREE_OK;
}

static bool is_off_cpu(const struct graph_link *edge)
{
	return edge->state != HISTREE_GRAPH_RUNNING && edge->state != HISTREE_GRAPH_DEFAULT;
}

enum histree_status histree_critical_path_next_wait(struct histree_critical_path *path, unsigned depth,
						    struct histree_path_wait *out, struct histree_error *error)
{
	struct graph_link edge;
	if (!path->has_own_rules || depth > HISTREE_PATH_WAKERS_MAX)
		return error_set(error, HISTREE_ERR_ARGUMENT,
				 "waits are those of a path by our own rules, with %d wakers each at most",
				 HISTREE_PATH_WAKERS_MAX);
	while (path->thread != NULL && path->next < path->to) {
		bool is_found = false;
		enum histree_status status = cancel_check(&path->cancel, path->work++, error);
		if (status == HISTREE_OK)
			status = path_found(graph_edge_from(&path->view, path->thread, path->next, &edge, error),
					    &is_found);
		if (status == HISTREE_OK && is_found)
			status = path_correct_edge(path, &edge, path->first, error);
		if (status != HISTREE_OK)
			return status;
		if (!is_found || edge.start >= path->to)
			break;
		path->next = edge.end;
		if (!is_off_cpu(&edge))
			continue;
		*out = (struct histree_path_wait){
			.start = edge.start > path->first ? edge.start : path->first,
			.end = edge.end < path->to ? edge.end : path->to,
			.state = edge.state,
		};
		return find_wakers(path, &edge, depth, out, error);
	}
	path->thread = NULL;
	return HISTREE_END;
}
