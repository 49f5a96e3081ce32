// SPDX-License-Identifier: MIT
/*
 * trace_hosts.c - decides whether traces can be of one host, by what each pair says of its boot and its host, and
 * finds traces that are there twice or say nothing.
 */
#include "trace/trace_hosts.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "trace/trace_list.h"

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
		status = entry->kind->facts(entry->path, &facts[i], error);
		hosts[i] = (struct trace_host){ .path = entry->path, .facts = &facts[i], .begin = 1, .end = 0 };
	}
	if (status == HISTREE_OK)
		status = trace_hosts_check(hosts, list.count, error);
	free(hosts);
	free(facts);
	trace_list_release(&list);
	return status;
}
