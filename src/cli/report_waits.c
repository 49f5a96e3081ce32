// SPDX-License-Identifier: MIT
/*
 * report_waits.c - the section of a report about what ended the waits of threads, from the graph of who waited for
 * whom.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/cancel.h"
#include "base/error.h"
#include "base/time_text.h"
#include "cli/report_sections.h"
#include "cli/shell_word.h"
#include "histree/critical_path.h"
#include "histree/query.h"

enum { NAME_SIZE = 24, CHILDREN = 1024 };

static const struct {
	enum histree_graph_state state;
	const char *words;
} reasons[] = {
	{ HISTREE_GRAPH_BLOCKED, "another thread, or what is not known" },
	{ HISTREE_GRAPH_NETWORK, "a packet" },
	{ HISTREE_GRAPH_BLOCK_DEVICE, "a disk" },
	{ HISTREE_GRAPH_TIMER, "a timer" },
	{ HISTREE_GRAPH_INTERRUPTED, "an interrupt of the scheduler" },
};
enum { REASONS = sizeof(reasons) / sizeof(*reasons) };

struct reason {
	uint64_t count, ns, longest_ns;
	histree_time longest_start;
	histree_quark longest; /* the thread */
};

/* Of one host. */
struct waits {
	const struct report_source *source;
	struct histree_history *history;
	histree_quark *threads; /* ascending */
	size_t count, capacity;
	struct reason reasons[REASONS];
};

static void name_of(const struct waits *waits, histree_quark thread, char name[NAME_SIZE])
{
	histree_attributes_name(histree_history_attributes(waits->history), thread, name, NAME_SIZE);
}

static int by_quark(const void *one, const void *other)
{
	const histree_quark *a = one, *b = other;
	return (*a > *b) - (*a < *b);
}

/* All but the idle loop and the kernel where it works for nobody. */
static enum histree_status list_threads(struct waits *waits, struct histree_error *error)
{
	char name[NAME_SIZE];
	histree_quark children[CHILDREN], folder, last = HISTREE_ROOT;
	size_t found = CHILDREN;
	const struct histree_attributes *attributes = histree_history_attributes(waits->history);
	if (histree_attributes_find(attributes, HISTREE_ROOT, "Threads", &folder) != HISTREE_OK)
		return HISTREE_OK;
	while (found == CHILDREN) {
		found = histree_attributes_children(attributes, folder, last, children, CHILDREN);
		if (!array_reserve(&waits->threads, &waits->capacity, waits->count + found))
			return error_memory(error, "a report");
		for (size_t i = 0; i < found; i++) {
			name_of(waits, children[i], name);
			if (strcmp(name, "0") != 0 && strcmp(name, "-1") != 0)
				waits->threads[waits->count++] = children[i];
		}
		last = found > 0 ? children[found - 1] : last;
	}
	if (waits->count > 0)
		qsort(waits->threads, waits->count, sizeof(*waits->threads), by_quark);
	return HISTREE_OK;
}

static void take(struct waits *waits, const struct histree_interval *edge, histree_time from, histree_time to)
{
	size_t i = 0;
	while (i < REASONS && (edge->value.type != HISTREE_INT || edge->value.int32 != (int32_t)reasons[i].state))
		i++;
	if (i == REASONS)
		return;
	struct reason *reason = &waits->reasons[i];
	histree_time start = edge->start > from ? edge->start : from, end = edge->end < to ? edge->end : to;
	uint64_t ns = (uint64_t)end - (uint64_t)start + 1;
	reason->count++;
	reason->ns += ns;
	if (ns > reason->longest_ns) {
		reason->longest_ns = ns;
		reason->longest_start = start;
		reason->longest = edge->quark;
	}
}

static enum histree_status read_edges(struct waits *waits, struct histree_error *error)
{
	const struct histree_history_info *info = histree_history_info(waits->history);
	const struct report_source *source = waits->source;
	const struct histree_region region = { .quarks = waits->threads,
					       .quark_count = waits->count,
					       .from = source->from > info->start ? source->from : info->start,
					       .to = source->to < info->end ? source->to : info->end };
	struct histree_query *query = NULL;
	struct histree_interval edge;
	if (waits->count == 0 || region.from > region.to)
		return HISTREE_OK;
	enum histree_status status = histree_query_create(waits->history, &query, error);
	if (status == HISTREE_OK)
		status = histree_query_start(query, &region, error);
	for (uint64_t step = 0; status == HISTREE_OK; step++) {
		status = cancel_check(&source->cancel, step, error);
		if (status == HISTREE_OK)
			status = histree_query_next(query, &edge, error);
		if (status == HISTREE_OK)
			take(waits, &edge, region.from, region.to);
	}
	if (status == HISTREE_END && histree_query_stats(query).nodes_damaged > 0)
		source->uses->is_damaged = true;
	histree_query_free(query);
	return status < 0 ? status : HISTREE_OK;
}

static void put_row(struct overview_page *page, const struct waits *waits, const char *host, size_t index)
{
	char at[TIME_TEXT_SIZE], name[NAME_SIZE];
	const struct reason *reason = &waits->reasons[index];
	time_format_clock(reason->longest_start, at);
	name_of(waits, reason->longest, name);
	if (host != NULL)
		row_text(&page->rows, host);
	row_text(&page->rows, reasons[index].words);
	row_unsigned(&page->rows, reason->count);
	row_duration(&page->rows, reason->ns);
	row_duration(&page->rows, reason->ns / reason->count);
	row_duration(&page->rows, reason->longest_ns);
	row_text(&page->rows, at);
	row_text(&page->rows, name);
	row_end(&page->rows);
}

#define RIGHT(text, columns)                                         \
	{                                                            \
		.name = text, .width = columns, .to_the_right = true \
	}

/* The waits of each host; `hosts` NULL: of one. */
static void put_table(struct overview_page *page, const struct waits *waits,
		      const struct histree_history_host *hosts, size_t count)
{
	static const struct row_column columns[] = { { .name = "host", .width = 12 },
						     { .name = "woken by", .width = 36 },
						     RIGHT("waits", 8),
						     RIGHT("total", 11),
						     RIGHT("mean", 11),
						     RIGHT("longest", 11),
						     RIGHT("at", 18),
						     RIGHT("thread", 8) };
	const size_t first = hosts == NULL;
	overview_page_section(page, "What ended the waits of threads");
	overview_page_table(page, columns + first, sizeof(columns) / sizeof(*columns) - first);
	for (size_t host = 0; host < count; host++)
		for (size_t i = 0; i < REASONS; i++)
			if (waits[host].reasons[i].count > 0)
				put_row(page, &waits[host], hosts != NULL ? hosts[host].name : NULL, i);
	overview_page_table_end(page);
}

/* Of the thread that waited longest for others. */
static void put_command(struct overview_page *page, const struct waits *waits,
			const struct histree_history_host *hosts, size_t count)
{
	char name[NAME_SIZE], thread[256], word[512], words[768];
	const struct waits *longest = NULL;
	for (size_t i = 0; i < count; i++)
		if (waits[i].reasons[0].count > 0 &&
		    (longest == NULL || waits[i].reasons[0].longest_ns > longest->reasons[0].longest_ns))
			longest = &waits[i];
	if (longest == NULL)
		return;
	name_of(longest, longest->reasons[0].longest, name);
	const char *host = hosts != NULL ? hosts[longest - waits].name : NULL;
	snprintf(thread, sizeof(thread), "%s%s%s", host != NULL ? host : "", host != NULL ? "/" : "", name);
	shell_word_copy(word, sizeof(word), thread);
	snprintf(words, sizeof(words), " %s%s", word, longest->source->window);
	overview_page_command(page, "why", longest->source->target->path, words);
}

static bool has_graph(const struct histree_store_info *info)
{
	for (size_t i = 0; i < info->history_count; i++)
		if (strcmp(info->histories[i].analysis, "graph") == 0)
			return true;
	return false;
}

enum histree_status report_waits(struct overview_page *page, const struct report_source *source,
				 struct histree_error *error)
{
	struct histree_history *graph;
	size_t host_count;
	bool has_any = false;
	if (!has_graph(histree_store_info(source->target->store)))
		return HISTREE_OK;
	enum histree_status status = target_history(source->target, "graph", true, &graph, error);
	if (status != HISTREE_OK)
		return status;
	const struct histree_history_host *hosts = histree_history_hosts(graph, &host_count);
	const size_t count = hosts != NULL ? host_count : 1;
	struct waits *waits = calloc(count + 1, sizeof(*waits));
	if (waits == NULL)
		status = error_memory(error, "a report");
	for (size_t i = 0; i < count && status == HISTREE_OK; i++) {
		waits[i].source = source;
		waits[i].history = hosts != NULL ? hosts[i].history : graph;
		if (waits[i].history == NULL)
			continue;
		status = list_threads(&waits[i], error);
		if (status == HISTREE_OK)
			status = read_edges(&waits[i], error);
		for (size_t k = 0; k < REASONS; k++)
			has_any = has_any || waits[i].reasons[k].count > 0;
	}
	if (status == HISTREE_OK && has_any) {
		put_table(page, waits, hosts, count);
		put_command(page, waits, hosts, count);
	}
	for (size_t i = 0; i < count && waits != NULL; i++)
		free(waits[i].threads);
	free(waits);
	histree_history_close(graph);
	return status;
}
