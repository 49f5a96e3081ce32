// SPDX-License-Identifier: MIT
#include "server/catalogue/dataset.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"

/* The host of that name in a history of several, which nearly always is at its place; NULL: there is none. */
static const struct histree_history_host *find_host(const struct histree_history *history, size_t index,
						    const char *name)
{
	size_t count;
	const struct histree_history_host *hosts = histree_history_hosts(history, &count);
	if (index < count && strcmp(hosts[index].name, name) == 0)
		return &hosts[index];
	for (size_t i = 0; i < count; i++)
		if (strcmp(hosts[i].name, name) == 0)
			return &hosts[i];
	return NULL;
}

static void borrow_histories(struct dataset *own, const struct dataset *whole, size_t index)
{
	for (size_t i = 0; i < whole->history_count; i++) {
		const struct histree_history_host *host =
			find_host(whole->histories[i], index, whole->hosts[index].name);
		if (host == NULL || host->history == NULL || host->count == 0)
			continue;
		own->histories[own->history_count] = host->history;
		own->analyses[own->history_count++] = whole->analyses[i];
	}
}

/* What cannot be opened is said of the host, and keeps no other one from being shown. */
static enum histree_status open_host(struct dataset *dataset, size_t index, struct histree_error *error)
{
	struct dataset_host *host = &dataset->hosts[index];
	const struct histree_store_info *info = histree_store_info(dataset->store);
	struct dataset *own;
	host->name = info->hosts[index].name;
	host->why = info->hosts[index].why;
	if (host->why != NULL)
		return HISTREE_OK;
	enum histree_status status = dataset_create(NULL, 0, info->path, dataset->readable, &own, error);
	if (status != HISTREE_OK)
		return status;
	own->whole = dataset;
	status = histree_store_host(dataset->store, index, &own->store, error);
	if (status == HISTREE_OK) {
		borrow_histories(own, dataset, index);
		own->may_read_traces = dataset->may_read_traces;
		if (histree_events_open(own->store, &own->trace_events, NULL) != HISTREE_OK)
			own->trace_events = NULL;
		own->status = DATASET_READY;
		host->own = own;
		return HISTREE_OK;
	}
	dataset_release(own);
	if (status == HISTREE_ERR_MEMORY)
		return status;
	host->why = "its store was there, and can no longer be opened";
	return HISTREE_OK;
}

enum histree_status dataset_hosts_open(struct dataset *dataset, struct histree_error *error)
{
	const struct histree_store_info *info = histree_store_info(dataset->store);
	enum histree_status status = HISTREE_OK;
	if (info->host_count == 0)
		return HISTREE_OK;
	dataset->hosts = calloc(info->host_count, sizeof(*dataset->hosts));
	if (dataset->hosts == NULL)
		return error_memory(error, "the hosts of a store");
	dataset->host_count = info->host_count;
	for (size_t i = 0; i < info->host_count && status == HISTREE_OK; i++)
		status = open_host(dataset, i, error);
	return status;
}

void dataset_hosts_close(struct dataset *dataset)
{
	for (size_t i = 0; i < dataset->host_count; i++)
		dataset_release(dataset->hosts[i].own);
	free(dataset->hosts);
	dataset->hosts = NULL;
	dataset->host_count = 0;
}

struct dataset_place dataset_place_of(const struct dataset *dataset, struct histree_history *history)
{
	for (size_t i = 0; dataset->whole != NULL && i < dataset->whole->history_count; i++) {
		size_t count;
		struct histree_history *whole = dataset->whole->histories[i];
		const struct histree_history_host *hosts = histree_history_hosts(whole, &count);
		for (size_t k = 0; k < count; k++)
			if (hosts[k].history == history)
				return (struct dataset_place){ whole, hosts[k].folder + 1 };
	}
	return (struct dataset_place){ history, 0 };
}

histree_quark dataset_host_folder(const struct dataset *dataset, size_t host, const struct histree_history *history,
				  const char **why)
{
	const struct histree_history_host *found = find_host(history, host, dataset->hosts[host].name);
	*why = dataset->hosts[host].why != NULL ? dataset->hosts[host].why : found != NULL ? found->why : NULL;
	return found != NULL ? found->folder : HISTREE_ROOT;
}
