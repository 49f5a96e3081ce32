// SPDX-License-Identifier: MIT
#include "trace/trace_group.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "trace/trace_list.h"

static bool is_same(const char *a, const char *b)
{
	return a[0] != '\0' && strcmp(a, b) == 0;
}

static bool are_of_one_host(const struct trace_facts *a, const struct trace_facts *b)
{
	if (a->boot[0] != '\0' && b->boot[0] != '\0')
		return strcmp(a->boot, b->boot) == 0;
	return is_same(a->hostname, b->hostname);
}

static struct trace_group *find(const struct trace_groups *groups, const struct trace_facts *facts)
{
	for (size_t i = 0; i < groups->count; i++)
		if (are_of_one_host(&groups->groups[i].facts, facts))
			return &groups->groups[i];
	return NULL;
}

static bool is_taken(const struct trace_groups *groups, const char *name)
{
	for (size_t i = 0; i < groups->count; i++)
		if (strcmp(groups->groups[i].name, name) == 0)
			return true;
	return false;
}

enum { NUMBER_SIZE = 16 };

/* Two starts of a machine have one name: the second one is "NAME (2)". */
static void choose_name(const struct trace_groups *groups, const char *path, struct trace_group *out)
{
	const char *last = strrchr(path, '/');
	const char *base = out->facts.hostname[0] != '\0'    ? out->facts.hostname
			   : last != NULL && last[1] != '\0' ? last + 1
							     : path;
	int size = (int)strnlen(base, sizeof(out->name) - NUMBER_SIZE);
	snprintf(out->name, sizeof(out->name), "%.*s", size, base);
	for (unsigned number = 2; is_taken(groups, out->name); number++)
		snprintf(out->name, sizeof(out->name), "%.*s (%u)", size, base, number);
}

static bool add_path(struct trace_group *group, const char *path)
{
	char **paths = realloc(group->paths, (group->path_count + 1) * sizeof(*paths));
	if (paths == NULL)
		return false;
	group->paths = paths;
	paths[group->path_count] = strdup(path);
	return paths[group->path_count++] != NULL;
}

static enum histree_status add_trace(struct trace_groups *groups, const struct trace_entry *entry,
				     struct histree_error *error)
{
	struct trace_facts facts = { 0 };
	enum histree_status status = entry->kind->facts(entry->path, &facts, error);
	if (status != HISTREE_OK)
		return status;
	struct trace_group *group = find(groups, &facts);
	if (group == NULL) {
		group = realloc(groups->groups, (groups->count + 1) * sizeof(*group));
		if (group == NULL)
			return error_memory(error, "the hosts of traces");
		groups->groups = group;
		group += groups->count;
		*group = (struct trace_group){ .facts = facts };
		choose_name(groups, entry->path, group);
		groups->count++;
	}
	return add_path(group, entry->path) ? HISTREE_OK : error_memory(error, "the hosts of traces");
}

enum histree_status trace_groups_find(struct trace_groups *groups, const char *const *paths, size_t path_count,
				      struct histree_error *error)
{
	struct trace_list list = { 0 };
	enum histree_status status = HISTREE_OK;
	for (size_t i = 0; i < path_count && status == HISTREE_OK; i++)
		status = trace_list_find(&list, paths[i], error);
	for (size_t i = 0; i < list.count && status == HISTREE_OK; i++)
		status = add_trace(groups, &list.entries[i], error);
	trace_list_release(&list);
	return status;
}

void trace_groups_release(struct trace_groups *groups)
{
	for (size_t i = 0; i < groups->count; i++) {
		for (size_t path = 0; path < groups->groups[i].path_count; path++)
			free(groups->groups[i].paths[path]);
		free(groups->groups[i].paths);
	}
	free(groups->groups);
	*groups = (struct trace_groups){ 0 };
}
