// SPDX-License-Identifier: MIT
/*
 * flame_waits.c - the times at which threads had no CPU, as stacks: thread, system call, reason, waker.
 */
#include <inttypes.h>
#include <stdalign.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/hash_index.h"
#include "histree/critical_path.h"
#include "histree/states.h"
#include "histree/time_use.h"

/* A frame of a thread is a host, a name and a number. */
enum { FRAMES_MAX = 3 + HISTREE_PATH_WAKERS_MAX, NAME_SIZE = 256, FRAME_SIZE = 2 * NAME_SIZE + 16 };

struct waits_work {
	struct histree_flame *flame;
	const struct histree_flame_waits_request *request;
	struct histree_cursor *path;
	const struct histree_history_host *hosts; /* NULL: one */
	size_t host_count;
	histree_time from, to;
	/* Of the thread, where the history of the kernel has them: its states and its system calls. */
	struct histree_cursor *query;
	const struct histree_history *queried;
	histree_quark status, call;
	struct id_map names; /* frames of threads, struct named_thread, by host and tid */
	struct arena texts;  /* of these */
	char call_name[FRAME_SIZE];
	struct histree_flame_frame frames[FRAMES_MAX];
	size_t count;
};

static const char *reason_of(enum histree_graph_state state)
{
	static const char *const words[HISTREE_GRAPH_STATE_COUNT] = {
		[HISTREE_GRAPH_PREEMPTED] = "waits for a CPU", [HISTREE_GRAPH_BLOCKED] = "blocked",
		[HISTREE_GRAPH_NETWORK] = "network",           [HISTREE_GRAPH_TIMER] = "timer",
		[HISTREE_GRAPH_BLOCK_DEVICE] = "disk",         [HISTREE_GRAPH_INTERRUPTED] = "interrupt",
	};
	const char *word = (unsigned)state < HISTREE_GRAPH_STATE_COUNT ? words[state] : NULL;
	return word != NULL ? word : "not known";
}

/* ---- frames ------------------------------------------------------------------------------------------------- */

static void push(struct waits_work *work, enum histree_flame_kind kind, const char *name)
{
	work->frames[work->count++] =
		(struct histree_flame_frame){ .name = name, .size = strlen(name), .kind = kind };
}

/* What the thread is called that got a number at a time. */
struct named_thread {
	histree_time life;
	const char *name;
	struct named_thread *next; /* that had the number, too */
};

/* HOST/NAME (TID), as far as there are several hosts, a name, and a number is asked for. */
static void write_name(struct waits_work *work, size_t host, int32_t tid, histree_time time,
		       char text[static FRAME_SIZE])
{
	char name[NAME_SIZE], number[16] = "";
	histree_critical_path_name(work->path, host, tid, time, name, sizeof(name));
	if (tid == HISTREE_KERNEL_TID)
		snprintf(name, sizeof(name), "kernel");
	else if (work->request->by_thread || name[0] == '\0')
		snprintf(number, sizeof(number), "%s%" PRId32 "%s", name[0] != '\0' ? " (" : "", tid,
			 name[0] != '\0' ? ")" : "");
	snprintf(text, FRAME_SIZE, "%.*s%s%s%s", NAME_SIZE - 1, work->hosts != NULL ? work->hosts[host].name : "",
		 work->hosts != NULL ? "/" : "", name, number);
}

/* A thread waits often, and wakes others more often: its name is made once. */
static enum histree_status push_thread(struct waits_work *work, enum histree_flame_kind kind, size_t host,
				       int32_t tid, histree_time time, struct histree_error *error)
{
	char text[FRAME_SIZE];
	const uint64_t id = (uint64_t)host << 32 | (uint32_t)tid;
	const histree_time life = histree_critical_path_life(work->path, host, tid, time);
	struct named_thread *first = id_map_find(&work->names, id), *found = first;
	while (found != NULL && found->life != life)
		found = found->next;
	if (found == NULL) {
		write_name(work, host, tid, time, text);
		found = arena_allocate(&work->texts, sizeof(*found), alignof(struct named_thread));
		const char *name = arena_copy(&work->texts, text, strlen(text));
		if (found == NULL || name == NULL)
			return error_memory(error, "a flame graph of waits");
		*found = (struct named_thread){ life, name, first == NULL ? NULL : first->next };
		if (first != NULL)
			first->next = found;
		else if (!id_map_add(&work->names, id, found))
			return error_memory(error, "a flame graph of waits");
	}
	push(work, kind, found->name);
	return HISTREE_OK;
}

/* Unknown where the history of the kernel has nothing of it. */
static enum histree_status value_at(struct waits_work *work, histree_quark quark, histree_time time,
				    struct histree_interval *out, struct histree_error *error)
{
	out->value = histree_unknown();
	if (quark == HISTREE_ROOT)
		return HISTREE_OK;
	enum histree_status status = histree_query_single(work->query, quark, time, out, error);
	return status == HISTREE_ERR_TIME_RANGE ? HISTREE_OK : status;
}

static enum histree_status push_call(struct waits_work *work, histree_time time, struct histree_error *error)
{
	struct histree_interval state;
	enum histree_status status = value_at(work, work->call, time, &state, error);
	if (status != HISTREE_OK)
		return status;
	const struct histree_value *value = &state.value;
	if (value->type == HISTREE_STRING)
		snprintf(work->call_name, sizeof(work->call_name), "%.*s", (int)value->size,
			 (const char *)value->bytes);
	else
		snprintf(work->call_name, sizeof(work->call_name), "%s",
			 value->type == HISTREE_NULL ? "no system call" : "system call not known");
	push(work, HISTREE_FLAME_FRAME, work->call_name);
	return HISTREE_OK;
}

static enum histree_status add_wait(struct waits_work *work, size_t host, int32_t tid,
				    const struct histree_path_wait *wait, struct histree_error *error)
{
	work->count = 0;
	enum histree_status status = push_thread(work, HISTREE_FLAME_GROUP, host, tid, wait->start, error);
	if (status == HISTREE_OK && work->request->kernel != NULL)
		status = push_call(work, wait->start, error);
	if (status == HISTREE_OK) {
		/*
		 * For the graph a thread that dies, or idles as those of the kernel do, waits for a CPU, as for
		 * Trace Compass.
		 */
		enum { WAITS_FOR_CPU = 5 };
		struct histree_interval state = { .value = histree_unknown() };
		status = HISTREE_OK;
		if (wait->state == HISTREE_GRAPH_PREEMPTED)
			status = value_at(work, work->status, wait->start, &state, error);
		bool is_denied = state.value.type != HISTREE_UNKNOWN &&
				 (state.value.type != HISTREE_INT || state.value.int32 != WAITS_FOR_CPU);
		if (status == HISTREE_OK)
			push(work, HISTREE_FLAME_FRAME, is_denied ? "other" : reason_of(wait->state));
	}
	for (unsigned i = 0; i < wait->waker_count && status == HISTREE_OK; i++)
		status = push_thread(work, HISTREE_FLAME_FRAME, wait->wakers[i].host, wait->wakers[i].tid,
				     wait->wakers[i].time, error);
	if (status != HISTREE_OK)
		return status;
	return histree_flame_add(work->flame, work->request->side, work->frames, work->count,
				 (uint64_t)wait->end - (uint64_t)wait->start, error);
}

/* ---- threads ------------------------------------------------------------------------------------------------ */

/* Returns the history of a host, or the common one; NULL: there is none. */
static struct histree_history *history_of(struct histree_history *history, const struct waits_work *work,
					  size_t host)
{
	size_t count;
	const struct histree_history_host *hosts = histree_history_hosts(history, &count);
	if (work->hosts == NULL || hosts == NULL)
		return work->hosts == NULL && hosts == NULL ? history : NULL;
	for (size_t i = 0; i < count; i++)
		if (strcmp(hosts[i].name, work->hosts[host].name) == 0)
			return hosts[i].history;
	return NULL;
}

/* Finds where the states and the system calls of a thread are. */
static enum histree_status find_kernel(struct waits_work *work, size_t host, int32_t tid,
				       struct histree_error *error)
{
	char path[64];
	work->status = work->call = HISTREE_ROOT;
	if (work->request->kernel == NULL)
		return HISTREE_OK;
	struct histree_history *history = history_of(work->request->kernel, work, host);
	if (history == NULL)
		return HISTREE_OK;
	if (history != work->queried) {
		histree_cursor_free(work->query);
		work->query = NULL;
		enum histree_status status = histree_query_create(history, &work->query, error);
		if (status != HISTREE_OK)
			return status;
		work->queried = history;
	}
	const struct histree_attributes *attributes = histree_history_attributes(history);
	snprintf(path, sizeof(path), "Threads/%" PRId32, tid);
	if (histree_attributes_find(attributes, HISTREE_ROOT, path, &work->status) != HISTREE_OK)
		work->status = HISTREE_ROOT;
	else if (histree_attributes_child(attributes, work->status, "System_call", strlen("System_call"),
					  &work->call) != HISTREE_OK)
		work->call = HISTREE_ROOT;
	return HISTREE_OK;
}

static enum histree_status add_thread(struct waits_work *work, size_t host, int32_t tid,
				      struct histree_error *error)
{
	const struct histree_path_request request = { .rules = HISTREE_PATH_RULES_OWN,
						      .host = host,
						      .tid = tid,
						      .from = work->from,
						      .to = work->to,
						      .waits = true,
						      .depth = work->request->depth,
						      .work = work->request->work };
	enum histree_status status = find_kernel(work, host, tid, error);
	if (status == HISTREE_OK)
		status = histree_critical_path_start(work->path, &request, error);
	while (status == HISTREE_OK) {
		status = histree_cursor_next(work->path, error);
		if (status == HISTREE_OK)
			status = add_wait(work, host, tid, histree_cursor_path_wait(work->path), error);
	}
	/* What has nothing in that time does not wait in it. */
	return status == HISTREE_END || status == HISTREE_NOT_FOUND ? HISTREE_OK : status;
}

static enum histree_status add_host(struct waits_work *work, size_t host, struct histree_error *error)
{
	struct histree_history *history = work->hosts != NULL ? work->hosts[host].history : work->request->graph;
	histree_quark threads;
	enum histree_status status = HISTREE_OK;
	if (history == NULL)
		return HISTREE_OK;
	const struct histree_attributes *attributes = histree_history_attributes(history);
	if (histree_attributes_find(attributes, HISTREE_ROOT, "Threads", &threads) != HISTREE_OK)
		return HISTREE_OK;
	for (histree_quark thread = histree_attributes_first_child(attributes, threads);
	     thread != HISTREE_ROOT && status == HISTREE_OK;
	     thread = histree_attributes_next_sibling(attributes, thread)) {
		char name[16], *end;
		size_t size = histree_attributes_name(attributes, thread, name, sizeof(name));
		long tid = size > 0 && size < sizeof(name) ? strtol(name, &end, 10) : 0;
		if (tid > 0 && tid <= INT32_MAX && *end == '\0')
			status = add_thread(work, host, (int32_t)tid, error);
	}
	return status;
}

static enum histree_status add_all(struct waits_work *work, struct histree_error *error)
{
	const struct histree_flame_waits_request *request = work->request;
	const struct histree_history_info *info = histree_history_info(request->graph);
	enum histree_status status = HISTREE_OK;
	work->hosts = histree_history_hosts(request->graph, &work->host_count);
	/* The last edge ends one after the history. */
	work->from = request->from > info->start ? request->from : info->start;
	work->to = (request->to < info->end ? request->to : info->end) + 1;
	if (work->from >= work->to)
		return HISTREE_OK;
	for (size_t i = 0; request->threads != NULL && i < request->thread_count && status == HISTREE_OK; i++)
		status = add_thread(work, request->threads[i].host, request->threads[i].tid, error);
	const size_t hosts = work->hosts != NULL ? work->host_count : 1;
	for (size_t host = 0; request->threads == NULL && host < hosts && status == HISTREE_OK; host++)
		status = add_host(work, host, error);
	return status;
}

enum histree_status histree_flame_add_waits(struct histree_flame *flame,
					    const struct histree_flame_waits_request *request,
					    struct histree_error *error)
{
	struct waits_work *work = calloc(1, sizeof(*work));
	if (work == NULL)
		return error_memory(error, "a flame graph of waits");
	work->flame = flame;
	work->request = request;
	enum histree_status status = histree_critical_path_create(request->graph, &work->path, error);
	if (status == HISTREE_OK && request->depth > HISTREE_PATH_WAKERS_MAX)
		status = error_set(error, HISTREE_ERR_ARGUMENT, "%u wakers of a wait; there are %d at most",
				   request->depth, HISTREE_PATH_WAKERS_MAX);
	if (status == HISTREE_OK)
		status = add_all(work, error);
	histree_cursor_free(work->path);
	histree_cursor_free(work->query);
	id_map_release(&work->names);
	arena_release(&work->texts);
	free(work);
	return status;
}
