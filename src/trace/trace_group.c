// SPDX-License-Identifier: MIT
/*
 * trace_group.c - groups the traces at and below some paths by host: by what the traces say, or by names that the
 * caller gives.
 */
#include "trace/trace_group.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/utf8.h"
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

static bool has_path(const struct trace_group *group, const char *path)
{
	return group->path_count > 0 && strcmp(group->paths[group->path_count - 1], path) == 0;
}

/* What two formats read a part of is of one host, although it may not say which; one that is named has its own. */
static struct trace_group *find(const struct trace_groups *groups, const struct trace_facts *facts,
				const char *path)
{
	for (size_t i = 0; i < groups->count; i++) {
		const struct trace_group *group = &groups->groups[i];
		if (are_of_one_host(&group->facts, facts) || (!group->is_named && has_path(group, path)))
			return &groups->groups[i];
	}
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
	if (!utf8_is_valid(out->name, strlen(out->name)))
		for (char *at = out->name; *at != '\0'; at++)
			*at = (unsigned char)*at < 0x80 ? *at : '?';
	for (unsigned number = 2; is_taken(groups, out->name); number++)
		snprintf(out->name + strnlen(out->name, (size_t)size), NUMBER_SIZE, " (%u)", number);
}

static bool add_path(struct trace_group *group, const char *path)
{
	char **paths = realloc(group->paths, (group->path_count + 1) * sizeof(*paths));
	if (paths == NULL)
		return false;
	group->paths = paths;
	if (has_path(group, path))
		return true;
	paths[group->path_count] = strdup(path);
	return paths[group->path_count++] != NULL;
}

/* One that is not counted yet.  Returns NULL if memory is out. */
static struct trace_group *new_group(struct trace_groups *groups, const struct trace_facts *facts)
{
	struct trace_group *group = realloc(groups->groups, (groups->count + 1) * sizeof(*group));
	if (group == NULL)
		return NULL;
	groups->groups = group;
	group += groups->count;
	*group = (struct trace_group){ .facts = *facts };
	return group;
}

static enum histree_status add_trace(struct trace_groups *groups, const struct trace_entry *entry,
				     struct histree_error *error)
{
	struct trace_facts facts = { 0 };
	enum histree_status status = entry->kind->facts(entry->path, &facts, error);
	if (status != HISTREE_OK)
		return status;
	struct trace_group *group = find(groups, &facts, entry->path);
	if (group == NULL) {
		group = new_group(groups, &facts);
		if (group == NULL)
			return error_memory(error, "the hosts of traces");
		choose_name(groups, entry->path, group);
		groups->count++;
	}
	return add_path(group, entry->path) ? HISTREE_OK : error_memory(error, "the hosts of traces");
}

static struct trace_group *find_named(const struct trace_groups *groups, const char *name)
{
	for (size_t i = 0; i < groups->count; i++)
		if (strcmp(groups->groups[i].name, name) == 0)
			return &groups->groups[i];
	return NULL;
}

/* What the first trace of a named host says is what other traces are compared with; its name is the given one. */
static enum histree_status add_named(struct trace_groups *groups, const char *name, const struct trace_entry *entry,
				     struct histree_error *error)
{
	struct trace_group *group = find_named(groups, name);
	if (group == NULL) {
		struct trace_facts facts = { 0 };
		enum histree_status status = entry->kind->facts(entry->path, &facts, error);
		if (status != HISTREE_OK)
			return status;
		snprintf(facts.hostname, sizeof(facts.hostname), "%.*s", TRACE_FACT_SIZE - 1, name);
		group = new_group(groups, &facts);
		if (group == NULL)
			return error_memory(error, "the hosts of traces");
		snprintf(group->name, sizeof(group->name), "%s", name);
		group->is_named = true;
		groups->count++;
	}
	return add_path(group, entry->path) ? HISTREE_OK : error_memory(error, "the hosts of traces");
}

enum histree_status trace_groups_add(struct trace_groups *groups, const char *name, const char *path,
				     struct histree_error *error)
{
	struct trace_list list = { 0 };
	if (name[0] == '\0' || strlen(name) >= TRACE_FACT_SIZE || !utf8_is_valid(name, strlen(name)))
		return error_set(error, HISTREE_ERR_ARGUMENT,
				 "'%.128s' can be no name of a host: it takes 1 to %d bytes of UTF-8", name,
				 TRACE_FACT_SIZE - 1);
	enum histree_status status = trace_list_find(&list, path, error);
	for (size_t i = 0; i < list.count && status == HISTREE_OK; i++)
		status = add_named(groups, name, &list.entries[i], error);
	trace_list_release(&list);
	return status;
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
