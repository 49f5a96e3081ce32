// SPDX-License-Identifier: MIT
/*
 * trace_hosts.c - groups the traces at and below some paths by host, by what the traces say or by names that the
 * caller gives: what each pair says of its boot and its host, which are there twice, and which say nothing.
 */
#include "trace/trace_hosts.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/json_text.h"
#include "histree/status.h"
#include "trace/trace_list.h"
#include "trace/trace_source.h"

/* ---- trace group --------------------------------------------------------------------------------------------- */

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

static enum histree_status read_facts(const struct trace_entry *entry, struct trace_facts *out,
				      struct histree_error *error)
{
	*out = (struct trace_facts){ 0 };
	return entry->kind->facts != NULL ? entry->kind->facts(entry->path, out, error) : HISTREE_OK;
}

static enum histree_status add_trace(struct trace_groups *groups, const struct trace_entry *entry,
				     struct histree_error *error)
{
	struct trace_facts facts;
	enum histree_status status = read_facts(entry, &facts, error);
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
		struct trace_facts facts;
		enum histree_status status = read_facts(entry, &facts, error);
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

/* ---- trace hosts --------------------------------------------------------------------------------------------- */

static bool differ(const char *a, const char *b)
{
	return a[0] != '\0' && b[0] != '\0' && strcmp(a, b) != 0;
}

/* Containers have names of their own, and the CPUs of the machine that they are on. */
static bool are_of_one_boot(const struct trace_facts *a, const struct trace_facts *b)
{
	return a->boot[0] != '\0' && strcmp(a->boot, b->boot) == 0;
}

static bool overlap(const struct trace_host *a, const struct trace_host *b)
{
	return a->begin <= b->end && b->begin <= a->end;
}

static enum histree_status refuse(const struct trace_host *a, const struct trace_host *b, const char *first,
				  const char *second, struct histree_error *error)
{
	return error_set(
		error, HISTREE_ERR_ARGUMENT,
		"trace \"%.64s\" is of %s and \"%.64s\" of %s: their CPUs and threads would be taken for the "
		"same; 'histree build' makes a store of several hosts, with '--host NAME=TRACE' where traces do "
		"not say whose "
		"they are",
		a->path, first, b->path, second);
}

/* Two starts of one machine are never at the same time. */
static enum histree_status check_pair(const struct trace_host *a, const struct trace_host *b,
				      struct histree_error *error)
{
	char first[TRACE_FACT_SIZE + 8], second[TRACE_FACT_SIZE + 8];
	if (are_of_one_boot(a->facts, b->facts))
		return HISTREE_OK;
	if (differ(a->facts->hostname, b->facts->hostname)) {
		snprintf(first, sizeof(first), "host '%s'", a->facts->hostname);
		snprintf(second, sizeof(second), "host '%s'", b->facts->hostname);
		return refuse(a, b, first, second, error);
	}
	if (!differ(a->facts->boot, b->facts->boot) || !overlap(a, b))
		return HISTREE_OK;
	return refuse(a, b, "one host", "another of the same name, which ran at the same time", error);
}

/* Each trace is compared with the first ones that say something of each kind: those before agree with them. */
enum histree_status trace_hosts_check(const struct trace_host *traces, size_t count, struct histree_error *error)
{
	const struct trace_host *first[2] = { NULL };
	for (size_t i = 0; i < count; i++) {
		const struct trace_facts *facts = traces[i].facts;
		const char *says[] = { facts->boot, facts->hostname };
		for (size_t kind = 0; kind < 2; kind++) {
			enum histree_status status =
				first[kind] != NULL ? check_pair(first[kind], &traces[i], error) : HISTREE_OK;
			if (status != HISTREE_OK)
				return status;
			if (first[kind] == NULL && says[kind][0] != '\0')
				first[kind] = &traces[i];
		}
	}
	return HISTREE_OK;
}

/* What does not say which recording it is may be another part of the same one. */
static bool are_doubled(const struct trace_host *a, const struct trace_host *b)
{
	return a->is_of_kernel && b->is_of_kernel && !a->is_left_out && !b->is_left_out &&
	       are_of_one_boot(a->facts, b->facts) && differ(a->facts->uuid, b->facts->uuid) &&
	       a->begin <= a->end && b->begin <= b->end && overlap(a, b);
}

bool trace_hosts_find_doubled(const struct trace_host *traces, size_t count, size_t *first, size_t *second)
{
	for (; *first < count; ++*first)
		for (*second = *first + 1; *second < count; ++*second)
			if (are_doubled(&traces[*first], &traces[*second]))
				return true;
	return false;
}

static bool is_unnamed(const struct trace_host *trace)
{
	return trace->has_kernel && !trace->is_left_out && trace->facts->boot[0] == '\0' &&
	       trace->facts->hostname[0] == '\0';
}

bool trace_hosts_find_unnamed(const struct trace_host *traces, size_t count, size_t *first, size_t *second)
{
	for (; *first < count; ++*first)
		for (*second = *first + 1; *second < count; ++*second) {
			const struct trace_host *a = &traces[*first], *b = &traces[*second];
			bool have_times = a->begin <= a->end && b->begin <= b->end;
			if (is_unnamed(a) && is_unnamed(b) && (!have_times || overlap(a, b)))
				return true;
		}
	return false;
}

enum histree_status trace_hosts_check_paths(const char *const *paths, size_t count, struct histree_error *error)
{
	struct trace_list list = { 0 };
	enum histree_status status = HISTREE_OK;
	for (size_t i = 0; i < count && status == HISTREE_OK; i++)
		status = trace_list_find(&list, paths[i], error);
	struct trace_facts *facts = calloc(list.count + 1, sizeof(*facts));
	struct trace_host *hosts = calloc(list.count + 1, sizeof(*hosts));
	if (facts == NULL || hosts == NULL)
		status = error_memory(error, "the hosts of traces");
	for (size_t i = 0; i < list.count && status == HISTREE_OK; i++) {
		const struct trace_entry *entry = &list.entries[i];
		status = read_facts(entry, &facts[i], error);
		hosts[i] = (struct trace_host){ .path = entry->path, .facts = &facts[i], .begin = 1, .end = 0 };
	}
	if (status == HISTREE_OK)
		status = trace_hosts_check(hosts, list.count, error);
	free(hosts);
	free(facts);
	trace_list_release(&list);
	return status;
}
