// SPDX-License-Identifier: MIT
/*
 * critical_path.c - the critical path: along a thread, and where it was blocked, along those that it waited for,
 * by the rules of Trace Compass or by our own (histree/critical_path.h, docs/design/09-kernel-analyses.md).
 *
 * Packets between hosts are read for a range, one after the other in no order.  The threads that ever received one
 * are found once for each host; so a question reads only its range.
 *
 * A wait is resolved backwards, from the arrow that ended it to the time when it began: links are found from the
 * last to the first, and glued into the path the other way round.
 *
 * The waker of a thread ran at that time, and may itself have waited before that, for another waker: as far as this
 * happened during the wait, the thread also waited for that one.
 *
 * By our own rules, a wait is resolved backwards, too.  Its links cover all of it: an unknown part is also a link,
 * so the path has no gap, and nothing needs to be joined.
 */

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/cancel.h"
#include "base/cursor.h"
#include "base/error.h"
#include "base/search.h"
#include "base/table.h"
#include "graph/graph_view.h"
#include "histree/status.h"

struct path_links {
	struct graph_link *all;
	size_t count, capacity;
};

/* A vertex with an arrow into it that was not followed, for the time when the way that was taken ends. */
struct path_fork {
	size_t reached; /* the links up to the one by which the vertex was reached; 0 if that is not among them */
	struct graph_link arrow;
};

struct critical_path {
	struct histree_cursor cursor;  /* of steps or of waits */
	struct histree_path_step step; /* handed out last */
	struct histree_path_wait wait;
	unsigned wakers_max; /* of a wait */
	struct graph_view view;
	struct path_links links; /* of the wait that is being resolved, and of those within it */
	struct path_fork *forks;
	size_t fork_count, fork_capacity;
	struct histree_path_step *steps; /* found, and not handed out yet */
	size_t step_count, step_capacity, handed_out;
	uint64_t walk;                /* number of the path */
	uint64_t tried, tried_max;    /* steps back so far, and how many there may be */
	struct graph_thread *thread;  /* whose path it is; NULL: it is over */
	histree_time first, next, to; /* its first vertex, its next one, and where to end */
	bool has_own_rules;           /* ours, not Trace Compass's: critical_path.h */
	struct histree_work work;
	struct histree_path_departure departures[HISTREE_PATH_RULE_COUNT];
};

/* Return HISTREE_OK and say whether it was found. */
static inline enum histree_status path_found(enum histree_status status, bool *is_found)
{
	*is_found = status == HISTREE_OK;
	return status == HISTREE_NOT_FOUND ? HISTREE_OK : status;
}

static struct critical_path *critical_path_of(struct histree_cursor *cursor);

/* ---- packet arrows ------------------------------------------------------------------------------------------- */

enum { CHILDREN = 1024 };

COMPARE(by_quark, struct graph_receiver, BY(quark))

static bool add_receiver(struct graph_host *host, const struct graph_receiver *receiver)
{
	if (!array_reserve(&host->receivers, &host->receiver_capacity, host->receiver_count + 1))
		return false;
	host->receivers[host->receiver_count++] = *receiver;
	return true;
}

/* Adds a thread if it ever received anything. */
static enum histree_status look_at(struct graph_host *host, histree_quark thread, struct histree_error *error)
{
	char name[16], *end;
	struct graph_receiver receiver;
	enum histree_status status =
		histree_attributes_child(host->attributes, thread, "Received", 8, &receiver.quark);
	if (status != HISTREE_OK ||
	    histree_attributes_name(host->attributes, thread, name, sizeof(name)) >= sizeof(name))
		return HISTREE_OK;
	receiver.tid = (int32_t)strtol(name, &end, 10);
	if (*end != '\0' || end == name)
		return HISTREE_OK;
	return add_receiver(host, &receiver) ? HISTREE_OK : error_memory(error, "threads of a graph");
}

static enum histree_status find_receivers(struct graph_host *host, const struct histree_work *work,
					  struct histree_error *error)
{
	histree_quark children[CHILDREN], last = HISTREE_ROOT;
	size_t found = CHILDREN;
	enum histree_status status = HISTREE_OK;
	if (host->has_receivers || host->threads == HISTREE_ROOT)
		return HISTREE_OK;
	host->receiver_count = 0;
	while (found == CHILDREN && status == HISTREE_OK) {
		found = histree_attributes_children(host->attributes, host->threads, last, children, CHILDREN);
		status = cancel_check(work, 0, error);
		for (size_t i = 0; i < found && status == HISTREE_OK; i++)
			status = look_at(host, children[i], error);
		last = found > 0 ? children[found - 1] : last;
	}
	if (host->receiver_count > 0)
		qsort(host->receivers, host->receiver_count, sizeof(*host->receivers), by_quark);
	host->has_receivers = status == HISTREE_OK;
	return status;
}

/* ---- a range ------------------------------------------------------------------------------------------------ */

/* When a thread received something. */
struct arrival {
	int32_t tid;
	histree_time time;
};

struct arrivals {
	struct arrival *all;
	size_t count, capacity;
};

static enum histree_status read_arrivals(struct arrivals *arrivals, const struct graph_host *host,
					 struct histree_cursor *query,
					 const struct histree_packets_request *request, struct histree_error *error)
{
	struct histree_interval interval;
	enum histree_status status = HISTREE_OK;
	for (uint64_t step = 0; status == HISTREE_OK; step++) {
		status = cancel_or_next(&request->work, step, query, error);
		if (status == HISTREE_OK)
			interval = *histree_cursor_interval(query);
		if (status != HISTREE_OK || interval.value.type != HISTREE_STRING || interval.start < request->from)
			continue;
		const struct graph_receiver wanted = { .quark = interval.quark };
		const struct graph_receiver *receiver =
			bsearch(&wanted, host->receivers, host->receiver_count, sizeof(wanted), by_quark);
		if (!array_reserve(&arrivals->all, &arrivals->capacity, arrivals->count + 1))
			return error_memory(error, "packets");
		if (receiver != NULL)
			arrivals->all[arrivals->count++] = (struct arrival){ receiver->tid, interval.start };
		if (arrivals->count > request->count_max)
			return HISTREE_END;
	}
	return status;
}

static enum histree_status find_arrivals(struct arrivals *arrivals, const struct graph_host *host,
					 const struct histree_packets_request *request, struct histree_error *error)
{
	const struct histree_history_info *info = histree_history_info(host->history);
	struct histree_region region = { .quark_count = host->receiver_count,
					 .from = request->from > info->start ? request->from : info->start,
					 .to = request->to < info->end ? request->to : info->end };
	struct histree_cursor *query = NULL;
	if (region.from > region.to || host->receiver_count == 0)
		return HISTREE_END;
	histree_quark *quarks = malloc(host->receiver_count * sizeof(*quarks));
	for (size_t i = 0; quarks != NULL && i < host->receiver_count; i++)
		quarks[i] = host->receivers[i].quark;
	region.quarks = quarks;
	enum histree_status status = quarks != NULL ? histree_query_create(host->history, &query, error)
						    : error_memory(error, "packets");
	if (status == HISTREE_OK)
		status = histree_query_start(query, &region, error);
	if (status == HISTREE_OK)
		status = read_arrivals(arrivals, host, query, request, error);
	histree_cursor_free(query);
	free(quarks);
	return status;
}

static enum histree_status visit_arrival(struct critical_path *path, const struct graph_host *host,
					 const struct arrival *arrival,
					 const struct histree_packets_request *request, struct histree_error *error)
{
	struct graph_thread *thread;
	struct graph_link link;
	bool is_found = false;
	enum histree_status status = graph_view_thread(&path->view, host->number, arrival->tid, &thread, error);
	if (status == HISTREE_OK)
		status = path_found(graph_packet_into(&path->view, thread, arrival->time, &link, error), &is_found);
	if (status != HISTREE_OK || !is_found)
		return status;
	const struct histree_path_step step = { .is_arrow = true,
						.start = link.start,
						.end = link.end,
						.host = link.from->host->number,
						.to_host = host->number,
						.tid = link.from->tid,
						.to_tid = arrival->tid,
						.state = HISTREE_GRAPH_NETWORK };
	return request->visit(request->context, &step, error);
}

static enum histree_status visit_host(struct critical_path *path, struct graph_host *host,
				      const struct histree_packets_request *request, struct histree_error *error)
{
	struct arrivals arrivals = { 0 };
	enum histree_status status = find_receivers(host, &request->work, error);
	if (status == HISTREE_OK)
		status = find_arrivals(&arrivals, host, request, error);
	bool are_too_many = arrivals.count > request->count_max;
	if (status == HISTREE_END)
		status = are_too_many ? HISTREE_NOT_FOUND : HISTREE_OK;
	for (size_t i = 0; i < arrivals.count && status == HISTREE_OK; i++) {
		status = cancel_check(&request->work, i, error);
		if (status == HISTREE_OK)
			status = visit_arrival(path, host, &arrivals.all[i], request, error);
	}
	free(arrivals.all);
	return are_too_many && status == HISTREE_NOT_FOUND
		       ? error_set(error, HISTREE_NOT_FOUND, "more than %zu packets came in that time",
				   request->count_max)
		       : status;
}

enum histree_status histree_critical_path_packets(struct histree_cursor *cursor,
						  const struct histree_packets_request *request,
						  struct histree_error *error)
{
	struct critical_path *path = critical_path_of(cursor);
	enum histree_status status = HISTREE_OK;
	for (uint32_t i = 0; i < path->view.host_count && path->view.host_count > 1 && status == HISTREE_OK; i++)
		if (path->view.hosts[i].history != NULL)
			status = visit_host(path, &path->view.hosts[i], request, error);
	return status;
}

/* ---- critical path ------------------------------------------------------------------------------------------- */

/*
 * Waits within waits.  What is deeper than this stays the wait that it is; so do the waits of a path that has gone
 * back so often for each interval of the graph, which only happens where a graph was made to have more ways back
 * than anybody can try.
 */
enum { PATH_DEPTH_MAX = 4096, PATH_WORK_PER_INTERVAL = 4, PATH_WORK_MIN = 1 << 12 };

static inline bool path_is_wait(const struct graph_link *edge)
{
	return edge->state == HISTREE_GRAPH_BLOCKED || edge->state == HISTREE_GRAPH_NETWORK;
}

static bool path_ends_with_wakeup(const struct graph_link *edge);

static enum histree_status path_correct_edge(struct critical_path *path, struct graph_link *edge,
					     histree_time bound, struct histree_error *error);

static bool path_follows_arrow(struct critical_path *path, const struct graph_link *arrow, histree_time start);

static enum histree_status path_take_reasoned_edge(struct critical_path *path, struct histree_error *error);

/* ---- critical path ------------------------------------------------------------------------------------------- */

static enum histree_status next_step(struct histree_cursor *cursor, struct histree_error *error);

static enum histree_status next_wait(struct histree_cursor *cursor, struct histree_error *error);

static void free_path(struct histree_cursor *cursor);

static const struct cursor_kind kind_of_steps = {
	.rows = CURSOR_PATH_STEPS,
	.next = next_step,
	.free = free_path,
};

static const struct cursor_kind kind_of_waits = {
	.rows = CURSOR_PATH_WAITS,
	.next = next_wait,
	.free = free_path,
};

static struct critical_path *critical_path_of(struct histree_cursor *cursor)
{
	assert(cursor->kind == &kind_of_steps || cursor->kind == &kind_of_waits);
	return (struct critical_path *)cursor;
}

enum histree_status histree_critical_path_create(struct histree_history *history, struct histree_cursor **out,
						 struct histree_error *error)
{
	*out = NULL;
	struct critical_path *path = calloc(1, sizeof(*path));
	if (path == NULL)
		return error_memory(error, "a critical path");
	path->cursor = (struct histree_cursor){ .kind = &kind_of_steps, .row = &path->step };
	enum histree_status status = graph_view_open(&path->view, history, error);
	if (status != HISTREE_OK) {
		free_path(&path->cursor);
		return status;
	}
	path->tried_max = PATH_WORK_MIN + PATH_WORK_PER_INTERVAL * histree_history_info(history)->interval_count;
	*out = &path->cursor;
	return HISTREE_OK;
}

static void free_path(struct histree_cursor *cursor)
{
	struct critical_path *path = critical_path_of(cursor);
	graph_view_release(&path->view);
	free(path->links.all);
	free(path->forks);
	free(path->steps);
	free(path);
}

/* ---- resolving a wait --------------------------------------------------------------------------------------- */

static enum histree_status path_add_link(struct critical_path *path, const struct graph_link *link,
					 struct histree_error *error)
{
	struct path_links *links = &path->links;
	if (!array_reserve(&links->all, &links->capacity, links->count + 1))
		return error_memory(error, "a critical path");
	links->all[links->count++] = *link;
	return HISTREE_OK;
}

static enum histree_status add_fork(struct critical_path *path, size_t reached, const struct graph_link *arrow,
				    struct histree_error *error)
{
	if (!array_reserve(&path->forks, &path->fork_capacity, path->fork_count + 1))
		return error_memory(error, "a critical path");
	path->forks[path->fork_count++] = (struct path_fork){ .reached = reached, .arrow = *arrow };
	return HISTREE_OK;
}

/* A wait that is resolved, and where its links and forks begin: those of waits around it come before. */
struct wait {
	size_t links, forks;
	histree_time bound; /* how far back it goes */
	unsigned depth;
};

/* Where the way back is. */
struct back {
	struct graph_thread *thread;
	histree_time time;
	size_t reached; /* as in a fork */
	bool is_over;
};

static enum histree_status resolve(struct critical_path *path, const struct graph_link *edge, histree_time bound,
				   unsigned depth, struct histree_error *error);

/*
 * The way back goes on with the arrow of the last fork, and the links after the one by which that was reached are
 * dropped: all of this wait, if that link was replaced by what it waited for.
 */
static enum histree_status take_fork(struct critical_path *path, const struct wait *wait, struct back *back,
				     struct histree_error *error)
{
	back->is_over = path->fork_count == wait->forks;
	if (back->is_over)
		return HISTREE_OK;
	const struct path_fork fork = path->forks[--path->fork_count];
	path->links.count = fork.reached != 0 ? fork.reached : wait->links;
	enum histree_status status = path_add_link(path, &fork.arrow, error);
	*back = (struct back){ fork.arrow.from, fork.arrow.start, path->links.count, false };
	return status;
}

/* One step back from a vertex. */
static enum histree_status critical_path_step_back(struct critical_path *path, const struct wait *wait,
						   struct back *back, struct histree_error *error)
{
	struct graph_link arrow, edge;
	bool has_arrow, has_edge = false;
	enum histree_status status =
		path_found(graph_arrow_into(&path->view, back->thread, back->time, &arrow, error), &has_arrow);
	if (status == HISTREE_OK && has_arrow && arrow.start <= wait->bound) {
		back->is_over = true;
		return path_add_link(path, &arrow, error);
	}
	if (status == HISTREE_OK)
		status = path_found(graph_edge_before(&path->view, back->thread, back->time, &edge, error),
				    &has_edge);
	if (status == HISTREE_OK && has_arrow && !(has_edge && path_is_wait(&edge)))
		status = add_fork(path, back->reached, &arrow, error);
	if (status != HISTREE_OK)
		return status;
	if (!has_edge)
		return take_fork(path, wait, back, error);
	back->time = edge.start;
	/* Add an edge on the way back, or what it waited for instead. */
	size_t *reached = &back->reached;
	size_t before = path->links.count;
	*reached = 0;
	if (path_is_wait(&edge)) {
		status = resolve(path, &edge, wait->bound, wait->depth + 1, error);
		bool stays = path->links.count == before && edge.state == HISTREE_GRAPH_NETWORK;
		if (status != HISTREE_OK || !stays)
			return status;
	}
	status = path_add_link(path, &edge, error);
	*reached = path->links.count;
	return status;
}

/* Add the links from the end of an edge back to its beginning, or to `bound`; none if no arrow ended it. */
static enum histree_status resolve(struct critical_path *path, const struct graph_link *edge, histree_time bound,
				   unsigned depth, struct histree_error *error)
{
	const struct wait wait = { path->links.count, path->fork_count, edge->start > bound ? edge->start : bound,
				   depth };
	struct graph_link arrow;
	bool has_arrow = false;
	enum histree_status status = HISTREE_OK;
	if (depth < PATH_DEPTH_MAX && path->tried < path->tried_max)
		status = path_found(graph_arrow_into(&path->view, edge->to, edge->end, &arrow, error), &has_arrow);
	if (status != HISTREE_OK || !has_arrow)
		return status;
	status = path_add_link(path, &arrow, error);
	struct back back = { arrow.from, arrow.start, path->links.count, false };
	while (status == HISTREE_OK && !back.is_over && back.time > wait.bound && path->tried < path->tried_max) {
		status = cancel_check(&path->work, path->tried++, error);
		if (status == HISTREE_OK)
			status = critical_path_step_back(path, &wait, &back, error);
	}
	if (path->tried == path->tried_max)
		path->links.count = wait.links;
	path->fork_count = wait.forks;
	return status;
}

/* ---- gluing ------------------------------------------------------------------------------------------------- */

static enum histree_status path_add_step(struct critical_path *path, const struct histree_path_step *step,
					 struct histree_error *error)
{
	if (!array_reserve(&path->steps, &path->step_capacity, path->step_count + 1))
		return error_memory(error, "a critical path");
	path->steps[path->step_count++] = *step;
	return HISTREE_OK;
}

/* The thread has a vertex on the path, later than its last one there.  Returns false if it is not later. */
static bool move_to(struct critical_path *path, struct graph_thread *thread, histree_time time)
{
	if (thread->walk == path->walk && time <= thread->last)
		return false;
	thread->walk = path->walk;
	thread->last = time;
	return true;
}

/* The path goes on along a thread that is on it. */
static enum histree_status extend(struct critical_path *path, struct graph_thread *thread, histree_time time,
				  enum histree_graph_state state, struct histree_error *error)
{
	const struct histree_path_step step = { .start = thread->last,
						.end = time,
						.tid = thread->tid,
						.to_tid = thread->tid,
						.state = state,
						.host = thread->host->number,
						.to_host = thread->host->number };
	return move_to(path, thread, time) ? path_add_step(path, &step, error) : HISTREE_OK;
}

/* It goes over to another thread. */
static enum histree_status cross(struct critical_path *path, struct graph_thread *from, struct graph_thread *to,
				 histree_time time, enum histree_graph_state state, struct histree_error *error)
{
	move_to(path, to, time);
	const struct histree_path_step step = { .is_arrow = true,
						.start = from->last,
						.end = to->last,
						.tid = from->tid,
						.to_tid = to->tid,
						.host = from->host->number,
						.to_host = to->host->number,
						.state = state };
	return path_add_step(path, &step, error);
}

/* Where the path is. */
struct tip {
	struct graph_thread *thread;
	histree_time time;
};

/* A link need not begin where the one before it ended: nothing is known of what is between. */
static enum histree_status join(struct critical_path *path, const struct tip *tip, const struct graph_link *link,
				struct histree_error *error)
{
	histree_time time = tip->time > link->start ? tip->time : link->start;
	if (link->from == tip->thread && link->start == tip->time)
		return HISTREE_OK;
	return link->from != tip->thread ? cross(path, tip->thread, link->from, time, HISTREE_GRAPH_DEFAULT, error)
					 : extend(path, link->from, time, HISTREE_GRAPH_DEFAULT, error);
}

/* To where a resolved wait begins, which may be on another thread. */
static enum histree_status enter(struct critical_path *path, const struct graph_link *edge,
				 const struct graph_link *first, struct histree_error *error)
{
	if (first->from == edge->from)
		return HISTREE_OK;
	enum histree_status status =
		cross(path, edge->from, first->from, edge->start, HISTREE_GRAPH_DEFAULT, error);
	if (status == HISTREE_OK && first->start > edge->start)
		status = extend(path, first->from, first->start, HISTREE_GRAPH_UNKNOWN, error);
	return status;
}

/* The links of a wait, which are there from the last to the first. */
static enum histree_status glue(struct critical_path *path, const struct graph_link *edge,
				struct histree_error *error)
{
	const struct path_links *links = &path->links;
	const struct graph_link *link = &links->all[links->count - 1];
	enum histree_status status = enter(path, edge, link, error);
	struct tip tip = { link->from, link->start };
	for (size_t left = links->count; left > 0 && status == HISTREE_OK; left--) {
		link = &links->all[left - 1];
		status = join(path, &tip, link, error);
		if (status == HISTREE_OK)
			status = link->is_arrow ? cross(path, link->from, link->to, link->end, link->state, error)
						: extend(path, link->from, link->end, link->state, error);
		tip = (struct tip){ link->to, link->end };
	}
	return status;
}

/* ---- the path ----------------------------------------------------------------------------------------------- */

/* Begin a path anew, with nothing found. */
static enum histree_status path_begin(struct critical_path *path, const struct histree_path_request *request,
				      struct graph_thread **thread, struct histree_error *error)
{
	path->thread = NULL;
	path->step_count = path->handed_out = 0;
	path->walk++;
	path->tried = 0;
	path->work = request->work;
	path->has_own_rules = request->rules == HISTREE_PATH_RULES_OWN;
	memset(path->departures, 0, sizeof(path->departures));
	if (request->from > request->to)
		return error_set(error, HISTREE_ERR_ARGUMENT, "a path from %lld to %lld", (long long)request->from,
				 (long long)request->to);
	return graph_view_thread(&path->view, request->host, request->tid, thread, error);
}

static enum histree_status has_no_edge(int32_t tid, struct histree_error *error)
{
	return error_set(error, HISTREE_NOT_FOUND, "nothing is known of thread %d in that time", tid);
}

/* Begins at that time, on any edge of the thread. */
static enum histree_status begin_at_time(struct critical_path *path, struct graph_thread *thread, histree_time from,
					 struct histree_error *error)
{
	struct graph_link edge;
	bool is_found;
	enum histree_status status =
		path_found(graph_edge_over(&path->view, thread, from, &edge, error), &is_found);
	if (status == HISTREE_OK && !is_found)
		status = graph_edge_from(&path->view, thread, from, &edge, error);
	if (status == HISTREE_NOT_FOUND || (status == HISTREE_OK && edge.start >= path->to))
		return has_no_edge(thread->tid, error);
	if (status != HISTREE_OK)
		return status;
	path->thread = thread;
	path->next = edge.start;
	path->first = edge.start > from ? edge.start : from;
	if (path->first < path->to)
		return HISTREE_OK;
	path->thread = NULL;
	return has_no_edge(thread->tid, error);
}

/* Have waits or steps from now on. */
static enum histree_status choose_rows(struct critical_path *path, const struct histree_path_request *request,
				       struct histree_error *error)
{
	if (request->waits &&
	    (request->rules != HISTREE_PATH_RULES_OWN || request->depth > HISTREE_PATH_WAKERS_MAX))
		return error_set(error, HISTREE_ERR_ARGUMENT,
				 "waits are those of a path by our own rules, with %d wakers each at most",
				 HISTREE_PATH_WAKERS_MAX);
	path->cursor.kind = request->waits ? &kind_of_waits : &kind_of_steps;
	path->cursor.row = request->waits ? (const void *)&path->wait : &path->step;
	path->wakers_max = request->depth;
	return HISTREE_OK;
}

enum histree_status histree_critical_path_start(struct histree_cursor *cursor,
						const struct histree_path_request *request,
						struct histree_error *error)
{
	struct critical_path *path = critical_path_of(cursor);
	struct graph_thread *thread;
	enum histree_status status = path_begin(path, request, &thread, error);
	if (status == HISTREE_OK)
		status = choose_rows(path, request, error);
	if (status != HISTREE_OK)
		return status;
	histree_time start = histree_history_info(thread->host->history)->start;
	histree_time from = request->from < start ? start : request->from;
	path->to = request->to;
	if (path->has_own_rules)
		return begin_at_time(path, thread, from, error);
	/* From its first vertex in that time. */
	struct graph_link edge;
	status = graph_edge_from(&path->view, thread, from, &edge, error);
	if (status == HISTREE_NOT_FOUND || (status == HISTREE_OK && edge.start >= path->to))
		return has_no_edge(thread->tid, error);
	if (status != HISTREE_OK)
		return status;
	path->thread = thread;
	path->first = path->next = edge.start;
	move_to(path, thread, edge.start);
	return HISTREE_OK;
}

/* The next edge of the thread, or what it waited for. */
static enum histree_status take_edge(struct critical_path *path, struct histree_error *error)
{
	struct graph_link edge;
	bool is_found = false;
	enum histree_status status = cancel_check(&path->work, 0, error);
	if (status == HISTREE_OK && path->next < path->to)
		status = path_found(graph_edge_after(&path->view, path->thread, path->next, &edge, error),
				    &is_found);
	if (status != HISTREE_OK || !is_found) {
		path->thread = NULL;
		return status;
	}
	path->next = edge.end;
	path->links.count = path->fork_count = 0;
	if (path_is_wait(&edge))
		status = resolve(path, &edge, path->first, 0, error);
	if (status != HISTREE_OK)
		return status;
	return path->links.count > 0 ? glue(path, &edge, error)
				     : extend(path, edge.to, edge.end, edge.state, error);
}

static enum histree_status next_step(struct histree_cursor *cursor, struct histree_error *error)
{
	struct critical_path *path = critical_path_of(cursor);
	while (path->handed_out == path->step_count) {
		path->handed_out = path->step_count = 0;
		if (path->thread == NULL)
			return HISTREE_END;
		enum histree_status status =
			path->has_own_rules ? path_take_reasoned_edge(path, error) : take_edge(path, error);
		if (status != HISTREE_OK) {
			path->thread = NULL;
			path->step_count = 0;
			return status;
		}
	}
	path->step = path->steps[path->handed_out++];
	return HISTREE_OK;
}

/* Finds the name at a time; false: none is known. */
static bool find_name(struct critical_path *path, size_t host, int32_t tid, histree_time time,
		      struct graph_thread **thread, struct histree_interval *name)
{
	if (graph_view_thread(&path->view, host, tid, thread, NULL) != HISTREE_OK ||
	    graph_part(*thread, GRAPH_NAME) == HISTREE_ROOT)
		return false;
	const struct histree_history_info *info = histree_history_info((*thread)->host->history);
	time = time < info->start ? info->start : time > info->end ? info->end : time;
	return histree_query_single((*thread)->host->query, graph_part(*thread, GRAPH_NAME), time, name, NULL) ==
		       HISTREE_OK &&
	       name->value.type == HISTREE_STRING;
}

size_t histree_critical_path_name(struct histree_cursor *cursor, size_t host, int32_t tid, histree_time time,
				  char *buffer, size_t capacity)
{
	struct critical_path *path = critical_path_of(cursor);
	struct histree_interval interval;
	struct graph_thread *thread;
	const bool is_named = find_name(path, host, tid, time, &thread, &interval);
	size_t size = is_named ? interval.value.size : 0;
	if (capacity > 0) {
		size_t kept = size < capacity ? size : capacity - 1;
		memcpy(buffer, is_named ? interval.value.bytes : "", kept);
		buffer[kept] = '\0';
	}
	return size;
}

/* Nearly always a number is one thread's, which is asked once. */
histree_time histree_critical_path_life(struct histree_cursor *cursor, size_t host, int32_t tid, histree_time time)
{
	struct critical_path *path = critical_path_of(cursor);
	struct histree_interval interval;
	struct graph_thread *thread;
	if (graph_view_thread(&path->view, host, tid, &thread, NULL) != HISTREE_OK)
		return INT64_MIN;
	if (thread->life_from <= time && time <= thread->life_to)
		return thread->life_from;
	const struct histree_history_info *info = histree_history_info(thread->host->history);
	if (!find_name(path, host, tid, time, &thread, &interval))
		return info->start;
	thread->life_from = interval.start;
	thread->life_to = interval.end;
	return interval.start;
}

/* ---- path waits ---------------------------------------------------------------------------------------------- */

/*
 * Goes back along the wakers of a wait to the end of its own last wait since `start`; *is_over if there is no
 * further waker.
 */
static enum histree_status go_back(struct critical_path *path, struct graph_thread *thread, histree_time start,
				   histree_time *time, bool *is_over, struct histree_error *error)
{
	*is_over = false;
	while (*time > start && path->tried < path->tried_max) {
		struct graph_link edge;
		bool is_found = false;
		enum histree_status status = cancel_check(&path->work, path->tried++, error);
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

static enum histree_status find_wakers(struct critical_path *path, const struct graph_link *edge, unsigned depth,
				       struct histree_path_wait *out, struct histree_error *error)
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

static enum histree_status next_wait(struct histree_cursor *cursor, struct histree_error *error)
{
	struct critical_path *path = critical_path_of(cursor);
	struct graph_link edge;
	while (path->thread != NULL && path->next < path->to) {
		bool is_found = false;
		enum histree_status status = cancel_check(&path->work, path->tried++, error);
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
		if (edge.state == HISTREE_GRAPH_RUNNING || edge.state == HISTREE_GRAPH_DEFAULT)
			continue;
		path->wait = (struct histree_path_wait){
			.start = edge.start > path->first ? edge.start : path->first,
			.end = edge.end < path->to ? edge.end : path->to,
			.state = edge.state,
		};
		return find_wakers(path, &edge, path->wakers_max, &path->wait, error);
	}
	path->thread = NULL;
	return HISTREE_END;
}

/* ---- reason walk --------------------------------------------------------------------------------------------- */

static histree_time later(histree_time a, histree_time b)
{
	return a > b ? a : b;
}

static void note(struct critical_path *path, enum histree_path_rule rule, histree_time start, histree_time end)
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

/* Whether a wake-up ended an edge. */
static bool path_ends_with_wakeup(const struct graph_link *edge)
{
	return edge->state == HISTREE_GRAPH_BLOCKED || edge->state == HISTREE_GRAPH_NETWORK ||
	       edge->state == HISTREE_GRAPH_TIMER || edge->state == HISTREE_GRAPH_BLOCK_DEVICE ||
	       edge->state == HISTREE_GRAPH_INTERRUPTED;
}

/*
 * A thread that was woken and did not run since then waits for a CPU, whatever the edge says.  That is noted,
 * from `bound` on.
 */
static enum histree_status path_correct_edge(struct critical_path *path, struct graph_link *edge,
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

/* Whether an arrow says whom a thread waited for since `start`; why not is noted. */
static bool path_follows_arrow(struct critical_path *path, const struct graph_link *arrow, histree_time start)
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

static enum histree_status reason(struct critical_path *path, const struct graph_link *edge, histree_time bound,
				  unsigned depth, struct histree_error *error);

/* One step back from a vertex; where a thread begins, to the one that made it. */
static enum histree_status reason_walk_step_back(struct critical_path *path, struct place *at, histree_time bound,
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
	if (has_edge && path_is_wait(&edge)) {
		/*
		 * A wait met on the way back is replaced by what it waited for or, if that is not known, by itself.
		 */
		size_t before = path->links.count;
		status = reason(path, &edge, bound, depth + 1, error);
		if (status != HISTREE_OK || path->links.count > before)
			return status;
		return path_add_link(path, &edge, error);
	}
	return at->is_over ? HISTREE_OK : path_add_link(path, has_edge ? &edge : &arrow, error);
}

/* From the thread that waited, the path goes over to where the links begin. */
static enum histree_status add_entry(struct critical_path *path, struct graph_thread *waited, histree_time time,
				     struct histree_error *error)
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
static enum histree_status complete(struct critical_path *path, const struct graph_link *edge, histree_time bound,
				    histree_time time, struct histree_error *error)
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
static enum histree_status reason(struct critical_path *path, const struct graph_link *edge, histree_time bound,
				  unsigned depth, struct histree_error *error)
{
	const size_t before = path->links.count;
	const histree_time start = later(edge->start, bound);
	struct graph_link arrow;
	bool has_arrow = false;
	enum histree_status status = HISTREE_OK;
	if (depth < PATH_DEPTH_MAX && path->tried < path->tried_max)
		status = path_found(graph_arrow_into(&path->view, edge->to, edge->end, &arrow, error), &has_arrow);
	if (status == HISTREE_OK && !has_arrow && depth > 0 && edge->state == HISTREE_GRAPH_BLOCKED)
		note(path, HISTREE_PATH_WAIT_KEPT, start, edge->end);
	if (status != HISTREE_OK || !has_arrow || !path_follows_arrow(path, &arrow, start))
		return status;
	status = path_add_link(path, &arrow, error);
	struct place at = { .thread = arrow.from, .time = arrow.start };
	while (status == HISTREE_OK && !at.is_over && at.time > start && at.thread->tid > 0 &&
	       path->tried < path->tried_max) {
		status = cancel_check(&path->work, path->tried++, error);
		if (status == HISTREE_OK)
			status = reason_walk_step_back(path, &at, start, depth, error);
	}
	if (status == HISTREE_OK && path->tried >= path->tried_max) {
		path->links.count = before;
		return HISTREE_OK;
	}
	return status == HISTREE_OK ? complete(path, edge, bound, at.time, error) : status;
}

/* ---- the path ----------------------------------------------------------------------------------------------- */

/* From `start` on, and not beyond the end of the path. */
static enum histree_status critical_path_put(struct critical_path *path, const struct graph_link *link,
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

/* Find the steps of the next edge of the thread by our own rules. */
static enum histree_status path_take_reasoned_edge(struct critical_path *path, struct histree_error *error)
{
	struct graph_link edge;
	bool is_found = false;
	enum histree_status status = cancel_check(&path->work, path->tried++, error);
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
		return critical_path_put(path, &edge, edge.start, error);
	histree_time start = edge.start;
	for (size_t left = path->links.count; left > 0 && status == HISTREE_OK; left--) {
		const struct graph_link *link = &path->links.all[left - 1];
		status = critical_path_put(path, link, start, error);
		start = link->end;
	}
	return status;
}

const struct histree_path_departure *histree_critical_path_departures(const struct histree_cursor *cursor)
{
	assert(cursor->kind == &kind_of_steps || cursor->kind == &kind_of_waits);
	return ((const struct critical_path *)cursor)->departures;
}
