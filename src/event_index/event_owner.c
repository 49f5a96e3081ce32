// SPDX-License-Identifier: MIT
#include "event_index/event_owner.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/table.h"
#include "histree/attributes.h"

/* More have no machine; an event of a forged trace may name any. */
enum { CPUS_MAX = 1 << 16 };

/* A CPU, and what was its state when it was last asked for. */
struct event_owner_cpu {
	histree_quark quark;     /* HISTREE_ROOT: it has no such attribute */
	histree_time start, end; /* start > end: it was not asked for */
	int32_t tid;
};

struct event_owner_host {
	struct histree_history *history;
	struct histree_cursor *query;
	struct event_owner_cpu *cpus;
	size_t cpu_count, capacity;
};

enum histree_status event_owners_begin(struct event_owners *owners, const struct histree_events *events,
				       struct histree_history *kernel, struct histree_error *error)
{
	size_t count, known = 0;
	const struct histree_event_host *hosts = histree_events_hosts(events, &count);
	const struct histree_history_host *parts = kernel != NULL ? histree_history_hosts(kernel, &known) : NULL;
	enum histree_status status = HISTREE_OK;
	*owners = (struct event_owners){ .hosts = calloc(count + 1, sizeof(*owners->hosts)),
					 .host_count = hosts != NULL ? count : 1 };
	if (owners->hosts == NULL)
		return error_memory(error, "the threads of events");
	for (size_t i = 0; i < owners->host_count && status == HISTREE_OK; i++) {
		struct event_owner_host *host = &owners->hosts[i];
		host->history = hosts == NULL && parts == NULL ? kernel : NULL;
		for (size_t at = 0; hosts != NULL && at < known; at++)
			if (strcmp(parts[at].name, hosts[i].name) == 0)
				host->history = parts[at].history;
		if (host->history != NULL)
			status = histree_query_create(host->history, &host->query, error);
	}
	return status;
}

void event_owners_release(struct event_owners *owners)
{
	for (size_t i = 0; i < owners->host_count && owners->hosts != NULL; i++) {
		histree_cursor_free(owners->hosts[i].query);
		free(owners->hosts[i].cpus);
	}
	free(owners->hosts);
	*owners = (struct event_owners){ 0 };
}

struct histree_history *event_owners_history(const struct event_owners *owners, size_t host)
{
	return host < owners->host_count ? owners->hosts[host].history : NULL;
}

static struct event_owner_cpu *cpu_of(struct event_owner_host *host, int32_t number)
{
	char path[48];
	const struct histree_attributes *attributes = histree_history_attributes(host->history);
	if (!array_reserve(&host->cpus, &host->capacity, (size_t)number + 1))
		return NULL;
	for (; host->cpu_count <= (size_t)number; host->cpu_count++) {
		struct event_owner_cpu *cpu = &host->cpus[host->cpu_count];
		*cpu = (struct event_owner_cpu){ .start = 1, .end = 0, .quark = HISTREE_ROOT };
		snprintf(path, sizeof(path), "CPUs/%zu/Current_thread", host->cpu_count);
		if (histree_attributes_find(attributes, HISTREE_ROOT, path, &cpu->quark) != HISTREE_OK)
			cpu->quark = HISTREE_ROOT;
	}
	return &host->cpus[number];
}

int32_t event_owners_thread(struct event_owners *owners, size_t host, int32_t cpu, histree_time time)
{
	struct event_owner_host *of = host < owners->host_count ? &owners->hosts[host] : NULL;
	struct histree_interval state;
	if (of == NULL || of->query == NULL || cpu < 0 || cpu >= CPUS_MAX)
		return -1;
	struct event_owner_cpu *known = cpu_of(of, cpu);
	if (known == NULL || known->quark == HISTREE_ROOT)
		return -1;
	if (time < known->start || time > known->end) {
		if (histree_query_single(of->query, known->quark, time, &state, NULL) != HISTREE_OK)
			return -1;
		known->start = state.start;
		known->end = state.end;
		known->tid = state.value.type == HISTREE_INT ? state.value.int32 : -1;
	}
	return known->tid;
}
