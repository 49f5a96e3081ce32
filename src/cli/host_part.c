// SPDX-License-Identifier: MIT
/*
 * host_part.c - one host of a store of several, and sentences for hosts that are missing.
 */
#include "cli/host_part.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/name_list.h"
#include "cli/picture_file.h"

enum { NAMES_SIZE = 256 };

char *host_part_condition(const char *host)
{
	char *name = malloc(2 * strlen(host) + 1), *to = name, *condition = NULL;
	if (name == NULL)
		return NULL;
	for (; *host != '\0'; host++) {
		if (*host == '"' || *host == '\\')
			*to++ = '\\';
		*to++ = *host;
	}
	*to = '\0';
	if (asprintf(&condition, "host == \"%s\"", name) < 0)
		condition = NULL;
	free(name);
	return condition;
}

static enum cli_exit refuse(const struct target *target, const char *option, const char *host, const char *names)
{
	if (names[0] == '\0')
		return report_exit(CLI_USAGE, "'--%s': '%s' is not of several hosts", option, target->path);
	return report_exit(CLI_USAGE, "'--%s': '%s' has no host '%s'; it has %s", option, target->path, host,
			   names);
}

enum cli_exit host_part_history(const struct target *target, struct histree_history *history, const char *option,
				const char *host, struct histree_history **out)
{
	size_t count;
	char names[NAMES_SIZE] = "";
	const struct histree_history_host *hosts = histree_history_hosts(history, &count);
	*out = NULL;
	for (size_t i = 0; i < count; i++) {
		name_list_add(names, sizeof(names), hosts[i].name);
		if (strcmp(hosts[i].name, host) != 0)
			continue;
		*out = hosts[i].history;
		if (*out != NULL)
			return CLI_OK;
		return hosts[i].why != NULL ? report_exit(CLI_INPUT, "host '%s' is missing: %s", host, hosts[i].why)
					    : report_exit(CLI_NOTHING, "host '%s' has no history of analysis '%s'",
							  host, histree_history_info(history)->provider);
	}
	return refuse(target, option, host, names);
}

enum cli_exit host_part_segments(const struct target *target, const struct histree_segment_store *store,
				 const char *option, const char *host)
{
	size_t count;
	char names[NAMES_SIZE] = "";
	const struct histree_segment_part *parts = histree_segment_store_parts(store, &count);
	for (size_t i = 0; i < count; i++)
		if (strcmp(parts[i].name, host) == 0)
			return CLI_OK;
	const struct histree_store_info *info = target->store != NULL ? histree_store_info(target->store) : NULL;
	for (size_t i = 0; info != NULL && i < info->host_count; i++) {
		name_list_add(names, sizeof(names), info->hosts[i].name);
		if (strcmp(info->hosts[i].name, host) == 0)
			return report_exit(CLI_NOTHING, "host '%s' has no segments of analysis '%s'", host,
					   histree_segment_store_info(store)->schema.provider);
	}
	return refuse(target, option, host, names);
}

char *host_part_title(const char *path, const char *host)
{
	char *store = picture_file_title(path), *both = NULL;
	if (host == NULL || store == NULL)
		return store;
	if (asprintf(&both, "%s, %s", store, host) < 0)
		both = NULL;
	free(store);
	return both;
}

enum cli_exit host_part_missing(const struct histree_history *history)
{
	size_t count;
	enum cli_exit code = CLI_OK;
	const struct histree_history_host *hosts = histree_history_hosts(history, &count);
	for (size_t i = 0; i < count; i++)
		if (hosts[i].history == NULL && hosts[i].why != NULL)
			code = report_exit(CLI_INPUT, "incomplete: host '%s' is missing: %s", hosts[i].name,
					   hosts[i].why);
	return code;
}

enum cli_exit host_part_damaged(const struct histree_history *history)
{
	host_part_missing(history);
	return report_damaged_history();
}
