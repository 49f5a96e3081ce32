// SPDX-License-Identifier: MIT
/*
 * switch_counts.c - how often each thread was switched from in a window, as differences of running sums, so that
 * the cost does not depend on the length of the window.
 */
#include "cli/switch_counts.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static int by_quark(const void *one, const void *other)
{
	const struct number_change *a = one, *b = other;
	return (a->quark > b->quark) - (a->quark < b->quark);
}

/* Returns the attributes of a pattern in changes[*count] and after it; with NULL, they are counted only. */
struct found_sums {
	struct number_change *changes;
	size_t count;
};

static bool add_sum(void *context, histree_quark quark)
{
	struct found_sums *found = context;
	if (found->changes != NULL)
		found->changes[found->count].quark = quark;
	found->count++;
	return true;
}

static enum histree_status find_sums(const struct histree_attributes *attributes, struct found_sums *found,
				     struct histree_error *error)
{
	static const char *const patterns[] = { "Threads/*/voluntary", "Threads/*/involuntary", "gaps" };
	enum histree_status status = HISTREE_OK;
	found->count = 0;
	for (size_t i = 0; i < sizeof(patterns) / sizeof(*patterns) && status >= HISTREE_OK; i++)
		status = histree_attributes_match(attributes, HISTREE_ROOT, patterns[i], add_sum, found, error);
	return status < 0 ? status : HISTREE_OK;
}

/* The sums before the window and at its end; before the trace they were 0. */
static enum histree_status read_sums(struct switch_host *host, histree_time from, histree_time to, bool *is_damaged,
				     struct histree_error *error)
{
	const struct histree_history_info *info = histree_history_info(host->history);
	const bool is_whole = from <= info->start;
	to = to < info->end ? to : info->end;
	if (from > to || to < info->start) {
		host->count = 0;
		return HISTREE_OK;
	}
	enum histree_status status = number_changes_read(host->history, host->changes, host->count,
							 is_whole ? to : from - 1, to, is_damaged, error);
	for (size_t i = 0; i < host->count && is_whole; i++)
		host->changes[i].before = histree_null();
	return status;
}

static uint64_t change_of(const struct switch_host *host, histree_quark quark)
{
	const struct number_change *change =
		host->count == 0 ? NULL
				 : bsearch(&(struct number_change){ .quark = quark }, host->changes, host->count,
					   sizeof(*host->changes), by_quark);
	if (change == NULL)
		return 0;
	const struct histree_value value = number_change_value(change);
	return value.type == HISTREE_LONG ? (uint64_t)value.int64 : 0;
}

static enum histree_status read_host(struct switch_counts *counts, struct switch_host *host, histree_time from,
				     histree_time to, struct histree_error *error)
{
	const struct histree_attributes *attributes = histree_history_attributes(host->history);
	struct found_sums found = { .changes = NULL };
	bool is_damaged = false;
	histree_quark gaps;
	enum histree_status status = find_sums(attributes, &found, error);
	if (status != HISTREE_OK)
		return status;
	host->changes = found.changes = calloc(found.count + 1, sizeof(*found.changes));
	if (host->changes == NULL) {
		snprintf(error->message, sizeof(error->message), "out of memory for the sums of switches");
		return HISTREE_ERR_MEMORY;
	}
	status = find_sums(attributes, &found, error);
	host->count = found.count;
	qsort(host->changes, host->count, sizeof(*host->changes), by_quark);
	if (status == HISTREE_OK)
		status = read_sums(host, from, to, &is_damaged, error);
	counts->is_damaged |= is_damaged;
	if (status == HISTREE_OK && histree_attributes_find(attributes, HISTREE_ROOT, "gaps", &gaps) == HISTREE_OK)
		counts->has_gaps |= change_of(host, gaps) > 0;
	return status;
}

enum cli_exit switch_counts_read(struct switch_counts *counts, const struct target *target, histree_time from,
				 histree_time to)
{
	struct histree_error error = { 0 };
	size_t count;
	enum histree_status status = target_history(target, "switches", false, &counts->history, &error);
	if (status == HISTREE_NOT_FOUND)
		return report_exit(CLI_USAGE,
				   "'%s' does not know how often threads were switched; build it with "
				   "'-a kernel,switches'",
				   target->path);
	if (status != HISTREE_OK)
		return report_error(&error);
	const struct histree_history_host *hosts = histree_history_hosts(counts->history, &count);
	const struct histree_history_info *info = histree_history_info(counts->history);
	counts->from = from > info->start ? from : info->start;
	counts->to = to < info->end ? to : info->end;
	counts->hosts = calloc(count + 1, sizeof(*counts->hosts));
	if (counts->hosts == NULL)
		return report_no_memory();
	counts->host_count = count > 0 ? count : 1;
	for (size_t i = 0; i < counts->host_count && status == HISTREE_OK; i++) {
		struct switch_host *host = &counts->hosts[i];
		host->history = count > 0 ? hosts[i].history : counts->history;
		counts->is_damaged |= host->history == NULL && hosts[i].why != NULL;
		if (host->history != NULL)
			status = read_host(counts, host, from, to, &error);
	}
	return status == HISTREE_OK ? CLI_OK : report_error(&error);
}

void switch_counts_release(struct switch_counts *counts)
{
	for (size_t i = 0; i < counts->host_count; i++)
		free(counts->hosts[i].changes);
	free(counts->hosts);
	histree_history_close(counts->history);
}

/* A life that begins or ends in the window gets only what was counted within it. */
static struct switch_host count_life(struct switch_counts *counts, const struct switch_host *host,
				     struct number_change *changes, size_t change_count, histree_time from,
				     histree_time to)
{
	struct switch_host life = { .history = host->history, .changes = changes, .count = change_count };
	struct histree_error error = { 0 };
	bool is_damaged = false;
	from = from > counts->from ? from : counts->from;
	to = to < counts->to ? to : counts->to;
	if (life.count > 1)
		qsort(changes, life.count, sizeof(*changes), by_quark);
	if (read_sums(&life, from, to, &is_damaged, &error) != HISTREE_OK) {
		is_damaged = true;
		life.count = 0;
	}
	counts->is_damaged |= is_damaged;
	return life;
}

struct switch_count switch_counts_of(struct switch_counts *counts, const struct histree_use_row *row)
{
	struct switch_count out = { 0 };
	struct switch_host life, *of = &counts->hosts[row->host];
	struct number_change changes[2];
	histree_quark quarks[2];
	size_t count = 0;
	if (row->host >= counts->host_count || of->history == NULL)
		return out;
	const struct histree_attributes *attributes = histree_history_attributes(of->history);
	for (size_t i = 0; i < 2; i++) {
		char path[64];
		snprintf(path, sizeof(path), "Threads/%" PRId32 "/%s", row->keys[HISTREE_USE_BY_THREAD].int32,
			 i == 0 ? "voluntary" : "involuntary");
		if (histree_attributes_find(attributes, HISTREE_ROOT, path, &quarks[i]) == HISTREE_OK)
			changes[count++] = (struct number_change){ .quark = quarks[i] };
	}
	if (row->from > counts->from || row->to < counts->to) {
		life = count_life(counts, of, changes, count, row->from, row->to);
		of = &life;
	}
	out.voluntary = change_of(of, quarks[0]);
	out.involuntary = change_of(of, quarks[1]);
	return out;
}
