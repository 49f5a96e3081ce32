// SPDX-License-Identifier: MIT
/*
 * report_segments.c - the sections of a report about segments: what lasted how long, and who made the longest.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/time_text.h"
#include "cli/report_sections.h"
#include "histree/segment_stats.h"

/* How a section is called, and by what its rows are; an analysis that is not here is called by its name. */
static const struct section {
	const char *analysis, *title, *by;
} sections[] = {
	{ "system-calls", "System calls", "name" },
	{ "futex", "Locks: calls of futex", "name" },
	{ "irqs", "Interrupts", "name" },
	{ "softirqs", "Softirqs", "name" },
	{ "wakeups", "Wake-ups: from when a thread could run to when it ran", "name" },
	{ "preemptions", "Threads that lost their CPU, and for how long", "name" },
	{ "preemptions", "Who took it, and the longest from whom", "taker_name" },
	{ "block-io", "Requests to disks", "name" },
	{ "guest-runs", "Guests: by why they were left", "name" },
	{ "locks", "Waits for locks of the kernel", "name" },
	{ "idle-states", "Idle states of CPUs", "name" },
	{ "work-queued", "Work of the kernel: in its queues", "name" },
	{ "work", "Work of the kernel: at work", "name" },
	{ "timers", "Functions of timers", "name" },
	{ "softirq-raises", "Softirqs: from when they were raised to their entry", "name" },
	{ "packets", "Network packets: from the queue to the driver, from there to who reads them", "name" },
	{ "function-calls", "Functions", "name" },
	{ "samples", "Samples: the functions that ran", "name" },
	{ "track-spans", "Spans", "name" },
	{ "track-flows", "Flows", "name" },
};
enum { SECTIONS = sizeof(sections) / sizeof(*sections) };

#define RIGHT(text, columns)                                         \
	{                                                            \
		.name = text, .width = columns, .to_the_right = true \
	}

static const struct row_column columns[] = {
	{ .name = "name", .width = 24 },
	RIGHT("count", 8),
	RIGHT("mean", 11),
	RIGHT("p99", 11),
	RIGHT("longest", 11),
	RIGHT("total", 11),
	RIGHT("at", 18),
	{ .name = "thread", .width = 24 }, /* of the longest, where segments have one */
};
enum { COLUMNS = sizeof(columns) / sizeof(*columns) };

/* Of those that are moments. */
static const struct row_column moment_columns[] = {
	{ .name = "name", .width = 24 },
	RIGHT("count", 8),
	RIGHT("percent", 8),
};

/* What is asked of one store. */
struct asking {
	const struct report_source *source;
	const struct section *section;
	struct histree_segment_store *store;
	size_t tid, process, host; /* fields; SIZE_MAX: it has no such field */
};

/* The thread of a segment: its host, if there are several, its tid, and its name where the segment has it. */
static void describe(const struct asking *asking, const struct histree_segment *segment, char *text, size_t size)
{
	const struct histree_value *tid = &segment->content[asking->tid];
	const struct histree_value *process =
		asking->process != SIZE_MAX ? &segment->content[asking->process] : NULL;
	const struct histree_value *host = asking->host != SIZE_MAX ? &segment->content[asking->host] : NULL;
	bool is_named = process != NULL && process->type == HISTREE_STRING;
	bool has_host = host != NULL && host->type == HISTREE_STRING;
	if (tid->type == HISTREE_INT)
		snprintf(text, size, "%.*s%s%" PRId32 "%s%.*s", has_host ? (int)host->size : 0,
			 has_host ? (const char *)host->bytes : "", has_host ? "/" : "", tid->int32,
			 is_named ? " " : "", is_named ? (int)process->size : 0,
			 is_named ? (const char *)process->bytes : "");
}

/* Who made the longest of a group: one of those that were open when it began. */
static enum histree_status find_longest(const struct asking *asking, const struct histree_segment_group *group,
					char *text, size_t size, struct histree_error *error)
{
	struct histree_segment_iter *iter;
	struct histree_segment segment;
	struct histree_segment_query query = HISTREE_SEGMENTS_ALL;
	query.from = query.to = group->max_start;
	query.cancel = asking->source->cancel;
	text[0] = '\0';
	enum histree_status status = histree_segment_iter_create(asking->store, &iter, error);
	if (status == HISTREE_OK)
		status = histree_segment_iter_start(iter, &query, NULL, error);
	while ((status == HISTREE_OK || status == HISTREE_PARTIAL) && text[0] == '\0') {
		status = histree_segment_iter_next(iter, &segment, error);
		if (status == HISTREE_OK && segment.start == group->max_start && segment.end == group->max_end)
			describe(asking, &segment, text, size);
	}
	histree_segment_iter_free(iter);
	return status < 0 ? status : HISTREE_OK;
}

static void put_name(struct row_writer *rows, const struct histree_segment_group *group, bool is_all)
{
	if (is_all || group->value.type == HISTREE_NULL)
		row_text(rows, is_all ? "(all)" : "(unknown)");
	else
		row_value(rows, &group->value);
}

static enum histree_status put_group(struct overview_page *page, const struct asking *asking,
				     const struct histree_segment_group *group, bool is_all,
				     struct histree_error *error)
{
	char at[TIME_TEXT_SIZE], by[128];
	struct row_writer *rows = &page->rows;
	enum histree_status status = HISTREE_OK;
	time_format_clock(group->max_start, at);
	put_name(rows, group, is_all);
	row_unsigned(rows, group->count);
	row_duration(rows, (uint64_t)group->mean);
	row_duration(rows, group->percentiles[HISTREE_P99]);
	row_duration(rows, group->max);
	row_duration(rows, group->total);
	row_text(rows, at);
	if (asking->tid != SIZE_MAX) {
		status = find_longest(asking, group, by, sizeof(by), error);
		row_text(rows, by);
	}
	row_end(rows);
	return status;
}

/* None of them lasts, so they are counted. */
static enum histree_status put_moments(struct overview_page *page, const struct asking *asking,
				       const struct histree_segment_stats *stats)
{
	const struct histree_segment_group *all = histree_segment_stats_all(stats), *group;
	overview_page_table(page, moment_columns, sizeof(moment_columns) / sizeof(*moment_columns));
	for (size_t i = 0; i <= asking->source->row_max; i++) {
		group = i < asking->source->row_max ? histree_segment_stats_group(stats, i) : all;
		if (group == NULL)
			continue;
		put_name(&page->rows, group, group == all);
		row_unsigned(&page->rows, group->count);
		row_percent(&page->rows, 100.0 * (double)group->count / (double)all->count);
		row_end(&page->rows);
	}
	overview_page_table_end(page);
	return HISTREE_OK;
}

static enum histree_status put_durations(struct overview_page *page, const struct asking *asking,
					 const struct histree_segment_stats *stats, struct histree_error *error)
{
	const struct histree_segment_group *group;
	enum histree_status status = HISTREE_OK;
	overview_page_table(page, columns, asking->tid != SIZE_MAX ? COLUMNS : COLUMNS - 1);
	for (size_t i = 0; status == HISTREE_OK && i < asking->source->row_max &&
			   (group = histree_segment_stats_group(stats, i)) != NULL;
	     i++)
		status = put_group(page, asking, group, false, error);
	if (status == HISTREE_OK)
		status = put_group(page, asking, histree_segment_stats_all(stats), true, error);
	overview_page_table_end(page);
	return status;
}

static enum histree_status put_stats(struct overview_page *page, const struct asking *asking,
				     const struct histree_segment_stats *stats, struct histree_error *error)
{
	const struct histree_segment_group *all = histree_segment_stats_all(stats);
	const struct section *section = asking->section;
	const char *path = asking->source->target->path;
	const bool lasts = all->max > 0;
	enum histree_status status = HISTREE_OK;
	char command[256];
	if (all->count == 0)
		return HISTREE_OK;
	overview_page_section(page, section->title);
	if (histree_segment_stats_loss(stats) != NULL)
		overview_page_sentence(page, "Some are missing, as nodes of the store are damaged.");
	status = lasts ? put_durations(page, asking, stats, error) : put_moments(page, asking, stats);
	const bool by_name = strcmp(section->by, "name") == 0;
	snprintf(command, sizeof(command), " %s%s%s%s", section->analysis, asking->source->window,
		 by_name ? "" : " --by ", by_name ? "" : section->by);
	overview_page_command(page, "stats", path, command);
	if (strcmp(section->analysis, "samples") == 0)
		overview_page_command(page, "flame", path, asking->source->window);
	if (!by_name || !lasts)
		return status;
	snprintf(command, sizeof(command), " %s%s --sort duration --reverse --top 20", section->analysis,
		 asking->source->window);
	overview_page_command(page, "segments", path, command);
	return status;
}

void report_segments_close(const struct report_source *source, struct histree_segment_store *store)
{
	source->uses->is_damaged = source->uses->is_damaged || histree_segment_store_met_damage(store);
	histree_segment_store_close(store);
}

static size_t find_field(struct histree_segment_store *store, const char *name)
{
	size_t field;
	return histree_segment_store_field(store, name, &field) == HISTREE_OK ? field : SIZE_MAX;
}

/* Groups by name where segments have one. */
static enum histree_status put_section(struct overview_page *page, const struct report_source *source,
				       const struct section *section, struct histree_error *error)
{
	struct asking asking = { .source = source, .section = section };
	struct histree_segment_stats *stats = NULL;
	struct histree_segment_query query = HISTREE_SEGMENTS_ALL;
	size_t parts;
	enum histree_status status = target_segments(source->target, section->analysis, true, &asking.store, error);
	if (status != HISTREE_OK)
		return status;
	query.cancel = source->cancel;
	if (source->has_window) {
		query.from = source->from;
		query.to = source->to;
	}
	asking.tid = find_field(asking.store, "tid");
	asking.process = find_field(asking.store, "process");
	/* In a store of one host, an analysis may have a field of that name. */
	asking.host = histree_segment_store_parts(asking.store, &parts) != NULL ? find_field(asking.store, "host")
										: SIZE_MAX;
	status = histree_segment_stats_create(asking.store, &query, find_field(asking.store, section->by), &stats,
					      error);
	if (status >= 0)
		status = put_stats(page, &asking, stats, error);
	histree_segment_stats_free(stats);
	report_segments_close(source, asking.store);
	return status;
}

enum histree_status report_segments(struct overview_page *page, const struct report_source *source,
				    struct histree_error *error)
{
	const struct histree_store_info *info = histree_store_info(source->target->store);
	enum histree_status status = HISTREE_OK;
	for (size_t i = 0; i < info->segments_count; i++) {
		const char *analysis = info->segments[i].analysis;
		/* report_memory(); and stacks of samples last, but not because anything took so long. */
		bool is_known = strcmp(analysis, "allocations") == 0 || strcmp(analysis, "sample-stacks") == 0;
		for (size_t j = 0; j < SECTIONS && status == HISTREE_OK; j++) {
			if (strcmp(analysis, sections[j].analysis) != 0)
				continue;
			is_known = true;
			status = put_section(page, source, &sections[j], error);
		}
		if (!is_known && status == HISTREE_OK)
			status = put_section(page, source, &(struct section){ analysis, analysis, "name" }, error);
	}
	return status;
}
