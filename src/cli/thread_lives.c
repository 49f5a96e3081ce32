// SPDX-License-Identifier: MIT
#include "cli/thread_lives.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "histree/states.h"

bool thread_lives_are_of(const struct histree_history *history)
{
	return history != NULL && histree_thread_analysis_is(histree_history_info(history)->provider);
}

/* The threads of a host are kept only if a number of theirs was used again. */
static enum histree_status read_host(struct histree_history *history, struct histree_work work,
				     struct histree_control_flow **out, struct histree_error *error)
{
	if (!thread_lives_are_of(history))
		return HISTREE_OK;
	enum histree_status status = histree_control_flow_create(history, work, out, error);
	if (status == HISTREE_OK && !histree_control_flow_has_lives(*out)) {
		histree_control_flow_free(*out);
		*out = NULL;
	}
	return status;
}

enum histree_status thread_lives_read(struct thread_lives *lives, struct histree_history *history, const char *host,
				      struct histree_work work, struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	size_t count = 0;
	*lives = (struct thread_lives){ 0 };
	if (history == NULL)
		return HISTREE_OK;
	const struct histree_history_host *hosts = histree_history_hosts(history, &count);
	lives->flows = calloc(count + 1, sizeof(struct histree_control_flow *));
	if (lives->flows == NULL)
		return error_memory(error, "the threads");
	lives->host_count = hosts != NULL ? count : 1;
	for (size_t i = 0; i < lives->host_count && status == HISTREE_OK; i++)
		if (hosts == NULL || host == NULL || strcmp(hosts[i].name, host) == 0)
			status = read_host(hosts != NULL ? hosts[i].history : history, work, &lives->flows[i],
					   error);
	return status;
}

/* Whether the name of a thread was null between two others. */
static enum histree_status is_used_again(struct histree_cursor *query, const struct histree_history_info *info,
					 histree_quark name, bool *out, struct histree_error *error)
{
	struct histree_interval state;
	const struct histree_region region = {
		.quarks = &name, .quark_count = 1, .from = info->start, .to = info->end
	};
	enum histree_status status = histree_query_start(query, &region, error);
	while (status == HISTREE_OK) {
		status = histree_cursor_next(query, error);
		if (status == HISTREE_OK)
			state = *histree_cursor_interval(query);
		if (status == HISTREE_OK && state.value.type == HISTREE_NULL && state.start > info->start &&
		    state.end < info->end)
			*out = true;
	}
	return status == HISTREE_END ? HISTREE_OK : status;
}

static enum histree_status are_used_again(struct histree_history *history, const int32_t *tids, size_t tid_count,
					  bool *out, struct histree_error *error)
{
	const struct histree_attributes *attributes = histree_history_attributes(history);
	struct histree_cursor *query;
	enum histree_status status = histree_query_create(history, &query, error);
	for (size_t i = 0; i < tid_count && status == HISTREE_OK && !*out; i++) {
		char path[48];
		histree_quark name;
		snprintf(path, sizeof(path), "Threads/%" PRId32 "/Exec_name", tids[i]);
		if (histree_attributes_find(attributes, HISTREE_ROOT, path, &name) == HISTREE_OK)
			status = is_used_again(query, histree_history_info(history), name, out, error);
	}
	histree_cursor_free(query);
	return status;
}

enum histree_status thread_lives_read_of(struct thread_lives *lives, struct histree_history *history,
					 const int32_t *tids, size_t tid_count, struct histree_work work,
					 struct histree_error *error)
{
	enum { FEW = 64 };
	size_t count = 0;
	bool are_any = false;
	enum histree_status status = HISTREE_OK;
	const struct histree_history_host *hosts = history != NULL ? histree_history_hosts(history, &count) : NULL;
	*lives = (struct thread_lives){ 0 };
	if (tid_count > FEW)
		return thread_lives_read(lives, history, NULL, work, error);
	for (size_t i = 0; i < count && hosts != NULL && status == HISTREE_OK && !are_any; i++)
		if (thread_lives_are_of(hosts[i].history))
			status = are_used_again(hosts[i].history, tids, tid_count, &are_any, error);
	if (hosts == NULL && thread_lives_are_of(history))
		status = are_used_again(history, tids, tid_count, &are_any, error);
	return are_any ? thread_lives_read(lives, history, NULL, work, error) : status;
}

void thread_lives_release(struct thread_lives *lives)
{
	for (size_t i = 0; i < lives->host_count; i++)
		histree_control_flow_free(lives->flows[i]);
	free(lives->flows);
	*lives = (struct thread_lives){ 0 };
}

bool thread_lives_are_any(const struct thread_lives *lives)
{
	for (size_t i = 0; i < lives->host_count; i++)
		if (lives->flows[i] != NULL)
			return true;
	return false;
}

const struct histree_thread *thread_lives_find(const struct thread_lives *lives, size_t host, int32_t tid,
					       histree_time time)
{
	const struct histree_control_flow *flow = host < lives->host_count ? lives->flows[host] : NULL;
	uint32_t count;
	if (flow == NULL || tid <= 0)
		return NULL;
	const struct histree_thread *threads = histree_control_flow_threads(flow, &count);
	const uint32_t last = histree_control_flow_find(flow, tid, -1);
	if (last == HISTREE_NO_INDEX || threads[last].life == 0)
		return NULL;
	return &threads[histree_control_flow_find_at(flow, tid, -1, time)];
}

static bool is_made_by(const struct histree_history *history, const char *const *analyses)
{
	while (*analyses != NULL && strcmp(histree_history_info(history)->provider, *analyses) != 0)
		analyses++;
	return *analyses != NULL;
}

bool thread_row_read(const struct histree_history *history, const char *name, struct thread_row *out)
{
	static const char *const of_threads[] = { "kernel-memory", NULL }, *const of_numbers[] = { "ust-memory",
												   NULL };
	char *end, after;
	const long tid = strtol(name, &end, 10);
	*out = (struct thread_row){ .tid = (int32_t)tid, .is_its_own = is_made_by(history, of_threads) };
	if (end == name || tid < INT32_MIN || tid > INT32_MAX || is_made_by(history, of_numbers))
		return false;
	return *end == '\0' ||
	       (out->is_its_own && sscanf(end, " (life %" SCNd32 "%c", &out->life, &after) == 2 && after == ')');
}

static const char *after_slash(const char *path)
{
	const char *slash = strchr(path, '/');
	return slash != NULL ? slash + 1 : "";
}

bool thread_row_of_path(const struct histree_history *history, const char *path, struct thread_row *out)
{
	static const char *const by_cpu[] = { "cpu-usage", NULL };
	const bool is_below_cpu = is_made_by(history, by_cpu);
	const char *folder = is_below_cpu ? "CPUs/" : "Threads/";
	size_t count;
	char name[48];
	if (histree_history_hosts(history, &count) != NULL)
		path = after_slash(path);
	if (strncmp(path, folder, strlen(folder)) != 0)
		return false;
	path = is_below_cpu ? after_slash(after_slash(path)) : after_slash(path);
	snprintf(name, sizeof(name), "%.*s", (int)(strchrnul(path, '/') - path), path);
	return thread_row_read(history, name, out);
}

const struct histree_thread *thread_lives_of_row(const struct thread_lives *lives, size_t host,
						 const struct thread_row *row, histree_time time)
{
	const struct histree_thread *thread =
		thread_lives_find(lives, host, row->tid, row->is_its_own ? INT64_MIN : time);
	while (row->is_its_own && thread != NULL && thread->life < row->life) {
		const struct histree_thread *next =
			thread->to < INT64_MAX ? thread_lives_find(lives, host, row->tid, thread->to + 1) : thread;
		thread = next != thread ? next : NULL;
	}
	return thread;
}

size_t thread_lives_name(const struct histree_thread *thread, char *text, size_t size)
{
	return (size_t)snprintf(text, size, "%" PRId32 " (%s, life %" PRId32 ")", thread->tid,
				*thread->name != '\0' ? thread->name : "?", thread->life);
}
