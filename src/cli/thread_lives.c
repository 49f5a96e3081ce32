// SPDX-License-Identifier: MIT
#include "cli/thread_lives.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

static bool is_of_kernel(const struct histree_history *history)
{
	return history != NULL && strncmp(histree_history_info(history)->provider, "kernel", strlen("kernel")) == 0;
}

/* The threads of a host are kept only if a number of theirs was used again. */
static enum histree_status read_host(struct histree_history *history, struct histree_cancel cancel,
				     struct histree_control_flow **out, struct histree_error *error)
{
	if (!is_of_kernel(history))
		return HISTREE_OK;
	enum histree_status status = histree_control_flow_create(history, cancel, out, error);
	if (status == HISTREE_OK && !histree_control_flow_has_lives(*out)) {
		histree_control_flow_free(*out);
		*out = NULL;
	}
	return status;
}

enum histree_status thread_lives_read(struct thread_lives *lives, struct histree_history *history, const char *host,
				      struct histree_cancel cancel, struct histree_error *error)
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
			status = read_host(hosts != NULL ? hosts[i].history : history, cancel, &lives->flows[i],
					   error);
	return status;
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

size_t thread_lives_name(const struct histree_thread *thread, char *text, size_t size)
{
	return (size_t)snprintf(text, size, "%" PRId32 " (%s, life %" PRId32 ")", thread->tid,
				*thread->name != '\0' ? thread->name : "?", thread->life);
}
