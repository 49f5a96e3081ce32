// SPDX-License-Identifier: MIT
/*
 * events_hosts.c - the events of a store of several hosts: those of the store of each.
 */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "event_index/events.h"

/* Who shows why a host has no events names the host, as some of those do who say why. */
static const char *without_host(const char *message, const char *name)
{
	const char *rest = message;
	if (strncmp(rest, "host '", strlen("host '")) != 0)
		return message;
	rest += strlen("host '");
	if (strncmp(rest, name, strlen(name)) != 0)
		return message;
	rest += strlen(name);
	return strncmp(rest, "': ", strlen("': ")) == 0 ? rest + strlen("': ") : message;
}

/* What cannot be opened of a host is a part that says why.  Returns HISTREE_ERR_MEMORY. */
static enum histree_status open_part(const struct histree_store *store, size_t index, struct events_part *part,
				     char **why, struct histree_error *error)
{
	struct histree_store *host = NULL;
	struct histree_error message;
	void *context;
	histree_event_opener *opener = histree_store_event_opener(store, &context);
	enum histree_status status = opener != NULL ? opener(context, index, &part->events, &message)
						    : histree_store_host(store, index, &host, &message);
	if (status == HISTREE_OK && opener == NULL)
		status = histree_events_open(host, &part->events, &message);
	histree_store_close(host);
	if (status == HISTREE_OK)
		return HISTREE_OK;
	*why = status != HISTREE_ERR_MEMORY ? strdup(without_host(message.message, part->name)) : NULL;
	part->why = *why;
	return *why != NULL ? HISTREE_OK : error_memory(error, "the events of a store");
}

enum histree_status events_open_hosts(const struct histree_store *store, struct histree_events **out,
				      struct histree_error *error)
{
	const struct histree_store_info *info = histree_store_info(store);
	struct events_part *parts = calloc(info->host_count, sizeof(*parts));
	char **sentences = calloc(info->host_count, sizeof(*sentences));
	enum histree_status status =
		parts != NULL && sentences != NULL ? HISTREE_OK : error_memory(error, "the events of a store");
	size_t opened = 0;
	for (size_t i = 0; i < info->host_count && status == HISTREE_OK; i++) {
		parts[i].name = info->hosts[i].name;
		status = open_part(store, i, &parts[i], &sentences[i], error);
		opened += parts[i].events != NULL;
	}
	if (status == HISTREE_OK && opened == 0)
		status = error_set(error, HISTREE_NOT_FOUND, "'%s': no host has an index of events; %s: %s",
				   info->path, parts[0].name, parts[0].why);
	if (status == HISTREE_OK)
		status = events_unite(parts, info->host_count, out, error);
	else
		for (size_t i = 0; parts != NULL && i < info->host_count; i++)
			histree_events_close(parts[i].events);
	for (size_t i = 0; sentences != NULL && i < info->host_count; i++)
		free(sentences[i]);
	free(sentences);
	free(parts);
	return status;
}
