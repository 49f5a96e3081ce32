// SPDX-License-Identifier: MIT
/*
 * report_sections.c - the sections of 'histree report', each with a table and the command that shows more; those
 * about segments show how long they lasted, and which were the longest.
 */
#include "cli/report_sections.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number_text.h"
#include "cli/overview_page.h"
#include "cli/target.h"
#include "draw/pictures.h"
#include "histree/segment_stats.h"
#include "histree/status.h"

/* ---- report sections ----------------------------------------------------------------------------------------- */

/* ---- what there is ------------------------------------------------------------------------------- */

/* Why a host whose store is there has no states; NULL: it has, or need not. */
static const char *why_no_states(const struct report_source *source, const char *host)
{
	size_t count = 0, i = 0;
	const struct histree_history_host *hosts =
		source->history != NULL ? histree_history_hosts(source->history, &count) : NULL;
	while (i < count && strcmp(hosts[i].name, host) != 0)
		i++;
	return i < count ? hosts[i].why : NULL;
}

void report_facts(struct overview_page *page, const struct report_source *source)
{
	const struct histree_store_info *info = histree_store_info(source->target->store);
	char start[OVERVIEW_PAGE_FROM_SIZE], lasts[TIME_TEXT_SIZE];
	overview_page_from(source->from, start);
	time_format_duration((uint64_t)source->to - (uint64_t)source->from, lasts);
	overview_page_sentence(page, "%s from %s%s; %" PRIu64 " events in all.", lasts, start,
			       source->has_window ? ", a part of the trace" : "", info->event_count);
	for (size_t i = 0; i < info->host_count; i++) {
		const char *why = info->hosts[i].why != NULL ? info->hosts[i].why
							     : why_no_states(source, info->hosts[i].name);
		overview_page_sentence(page, "Host %s: %" PRIu64 " events%s%s.", info->hosts[i].name,
				       info->hosts[i].event_count, why != NULL ? "; missing: " : "",
				       why != NULL ? why : "");
	}

	if (info->discarded_events + info->discarded_packets + info->gap_count == 0)
		overview_page_sentence(page, "No event is known to be lost.");
	else
		overview_page_sentence(page,
				       "%" PRIu64 " events and %" PRIu64 " packets were lost when it was recorded; "
				       "in %" PRIu64 " gaps states are unknown.",
				       info->discarded_events, info->discarded_packets, info->gap_count);
	for (size_t i = 0; i < info->warning_count; i++)
		overview_page_sentence(page, "Warning: %s.", info->warnings[i]);

	overview_page_command(page, "info", source->target->path, "");
}

/* ---- pictures ------------------------------------------------------------------------------------ */

enum { PICTURE_WIDTH = 1200, PICTURE_HEIGHT = 480, CHART_HEIGHT = 280 };

struct picture {
	char *bytes;
	size_t size;
	FILE *file;
};

static bool keep(void *context, const void *bytes, size_t size)
{
	struct picture *picture = context;
	return fwrite(bytes, 1, size, picture->file) == size;
}

/* A view that the history does not have makes no picture. */
static enum histree_status draw(struct overview_page *page, const struct report_source *source,
				struct histree_history *history, const struct histree_draw_options *options,
				const char *what, struct histree_error *error)
{
	const struct histree_history_info *info = histree_history_info(history);
	struct picture picture = { 0 };
	struct histree_draw_options all = *options;
	all.from = source->from > info->start ? source->from : info->start;
	all.to = source->to < info->end ? source->to : info->end;
	all.look.width = PICTURE_WIDTH;
	all.work = source->work;
	if (all.from > all.to)
		return HISTREE_NOT_FOUND;
	picture.file = open_memstream(&picture.bytes, &picture.size);
	if (picture.file == NULL)
		return HISTREE_ERR_MEMORY;
	enum histree_status status = histree_draw(history, &all, keep, &picture, error);
	fclose(picture.file);
	if (status == HISTREE_OK)
		overview_page_picture(page, what, picture.bytes, picture.size);
	free(picture.bytes);
	return status;
}

static enum histree_status draw_view(struct overview_page *page, const struct report_source *source,
				     enum histree_draw_view view, const char *title, bool *is_drawn,
				     struct histree_error *error)
{
	const struct histree_draw_options options = {
		.view = view,
		.look = { .title = title, .height = view == HISTREE_DRAW_RESOURCES ? 0 : PICTURE_HEIGHT },
	};
	enum histree_status status = draw(page, source, source->history, &options, title, error);
	*is_drawn = *is_drawn || status == HISTREE_OK;
	return status == HISTREE_NOT_FOUND ? HISTREE_OK : status;
}

/* Numbers over time, as analyses say that they are worth looking at. */
static enum histree_status draw_charts(struct overview_page *page, const struct report_source *source,
				       const char *analysis, bool *is_drawn, struct histree_error *error)
{
	struct histree_history *history;
	enum histree_status status = target_history(source->target, analysis, true, &history, error);
	if (status != HISTREE_OK)
		return status;
	size_t count;
	const struct histree_chart *charts = histree_charts(history, &count);
	for (size_t i = 0; i < count && status >= 0; i++) {
		const struct histree_draw_options options = { .view = HISTREE_DRAW_CHART,
							      .chart = charts[i].name,
							      .look = { .title = charts[i].title,
									.height = CHART_HEIGHT } };
		if (charts[i].kind == HISTREE_CHART_LINES && histree_chart_has_rows(history, &charts[i]))
			status = draw(page, source, history, &options, charts[i].title, error);
		*is_drawn = *is_drawn || status == HISTREE_OK;
	}
	histree_history_close(history);
	return status < 0 ? status : HISTREE_OK;
}

enum histree_status report_pictures(struct overview_page *page, const struct report_source *source,
				    struct histree_error *error)
{
	const struct histree_store_info *info = histree_store_info(source->target->store);
	bool is_drawn = false;
	if (!page->is_html || source->history == NULL || !histree_can_draw())
		return HISTREE_OK;
	overview_page_section(page, "Over time");
	enum histree_status status =
		draw_view(page, source, HISTREE_DRAW_CONTROL_FLOW, "Threads", &is_drawn, error);
	if (status == HISTREE_OK)
		status = draw_view(page, source, HISTREE_DRAW_RESOURCES, "CPUs", &is_drawn, error);
	for (size_t i = 0; i < info->history_count && status == HISTREE_OK; i++)
		status = draw_charts(page, source, info->histories[i].analysis, &is_drawn, error);
	if (status == HISTREE_OK && !is_drawn)
		status = draw_view(page, source, HISTREE_DRAW_ATTRIBUTES, "States", &is_drawn, error);
	overview_page_command(page, "serve", source->target->path, "");
	return status;
}

/* ---- what there could be -------------------------------------------------------------------------- */

static bool is_listed(const char *name, const char *const *names, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(names[i], name) == 0)
			return true;
	return false;
}

/* What of these the store does not have and its trace may tell; " NAME" each, "" if there are all. */
static void list_missing(const struct report_source *source, char *text, size_t size)
{
	static const char *const analyses[] = { "system-calls", "irqs",     "softirqs", "wakeups",
						"preemptions",  "block-io", "graph" };
	const struct histree_store_info *info = histree_store_info(source->target->store);
	size_t length = 0;
	text[0] = '\0';
	for (size_t i = 0; i < sizeof(analyses) / sizeof(*analyses) && length < size; i++) {
		bool is_there = target_find_segments(source->target, analyses[i]) != NULL ||
				is_listed(analyses[i], info->lacking, info->lacking_count);
		for (size_t j = 0; j < info->history_count; j++)
			is_there = is_there || strcmp(info->histories[j].analysis, analyses[i]) == 0;
		if (!is_there)
			length += (size_t)snprintf(text + length, size - length, " %s", analyses[i]);
	}
}

/* Of a program's calls: what adds up their stacks, and what would say how long they took. */
static void put_more_of_calls(struct overview_page *page, const struct report_source *source)
{
	const struct histree_store_info *info = histree_store_info(source->target->store);
	overview_page_section(page, "More");
	overview_page_sentence(page, "Call stacks, added up:");
	overview_page_command(page, "flame", source->target->path, source->window);
	if (target_find_segments(source->target, "function-calls") != NULL || info->trace_count == 0)
		return;
	overview_page_sentence(page,
			       "With one more analysis the store also says how long calls of functions took:");
	overview_page_command(page, "add", source->target->path, " function-calls");
}

void report_damage(struct overview_page *page, const struct report_source *source)
{
	if (!source->uses->is_damaged)
		return;
	overview_page_section(page, "Damage");
	overview_page_sentence(page,
			       "The store is damaged, and what is lost is in none of these numbers. To see what "
			       "that is:");
	overview_page_command(page, "verify", source->target->path, "");
}

void report_more(struct overview_page *page, const struct report_source *source)
{
	const struct histree_store_info *info = histree_store_info(source->target->store);
	const char *provider = source->history != NULL ? histree_history_info(source->history)->provider : "";
	bool is_kernel = strcmp(provider, "kernel") == 0;
	char missing[128];
	if (strcmp(provider, "ust-calls") == 0)
		put_more_of_calls(page, source);
	list_missing(source, missing, sizeof(missing));
	if (!is_kernel || missing[0] == '\0' || info->trace_count == 0)
		return;
	overview_page_section(page, "More");
	overview_page_sentence(page,
			       "With more analyses, the store also says how long system calls, interrupts, "
			       "wake-ups and requests to disks take, who took a CPU from whom, and what threads "
			       "waited for:");
	overview_page_command(page, "add", source->target->path, missing);
}

/* ---- report segments ----------------------------------------------------------------------------------------- */

/* How a section is called, and by what its rows are; an analysis that is not here is called by its name. */
static const struct section {
	const char *analysis, *title, *by;
} sections[] = {
	{ "system-calls", "System calls", "name" },
	{ "futex", "Locks: calls of futex", "name" },
	{ "irqs", "Interrupts", "name" },
	{ "softirqs", "Softirqs", "name" },
	{ "wakeups", "Wake-ups: how long woken threads waited for a CPU", "name" },
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
	{ "reclaim", "Reclaim of memory: by who had to", "name" },
	{ "signals", "Signals: from when they were sent to when they were taken", "name" },
	{ "ipis", "Interrupts between CPUs: calls that were queued, and at work", "name" },
	{ "grace-periods", "Grace periods of RCU", "name" },
	{ "file-systems", "Calls of file systems", "name" },
	{ "connections", "Connections: with whom", "name" },
	{ "handshakes", "Connections: until they were established", "name" },
	{ "packets", "Network packets: from the queue to the driver, from there to who reads them", "name" },
	{ "function-calls", "Functions", "name" },
	{ "samples", "Samples: the functions that ran", "name" },
	{ "track-spans", "Spans", "name" },
	{ "track-flows", "Flows", "name" },
};

enum { SECTIONS = sizeof(sections) / sizeof(*sections) };

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
	struct histree_cursor *iter = NULL;
	struct histree_segment_query query = HISTREE_SEGMENTS_ALL;
	query.from = query.to = group->max_start;
	query.work = asking->source->work;
	text[0] = '\0';
	enum histree_status status = histree_segments_create(asking->store, &iter, error);
	if (status == HISTREE_OK)
		status = histree_segments_start(iter, &query, NULL, error);
	while (status == HISTREE_OK && text[0] == '\0' &&
	       (status = histree_cursor_next(iter, error)) == HISTREE_OK) {
		const struct histree_segment *segment = histree_cursor_segment(iter);
		if (segment->start == group->max_start && segment->end == group->max_end)
			describe(asking, segment, text, size);
	}
	histree_cursor_free(iter);
	return status < 0 ? status : HISTREE_OK;
}

/* A group, or all of them, as it is printed. */
struct section_row {
	struct histree_segment_group group;
	uint64_t mean_ns;
	double percent;
	char by[128]; /* who made the longest, where segments say that */
};

#define RIGHT(text, columns, kind, at) ROW_RIGHT(text, columns, kind, struct section_row, at)
enum { COLUMNS = 8 };

static const struct row_column section_columns[COLUMNS] = {
	ROW_LEFT("name", 24, CELL_GROUP, struct section_row, group.value),
	RIGHT("count", 8, CELL_UNSIGNED, group.count),
	RIGHT("mean", 11, CELL_DURATION, mean_ns),
	RIGHT("p99", 11, CELL_DURATION, group.percentiles[HISTREE_P99]),
	RIGHT("longest", 11, CELL_DURATION, group.max),
	RIGHT("total", 11, CELL_DURATION, group.total),
	RIGHT("at", 18, CELL_CLOCK, group.max_start),
	ROW_LEFT("thread", 24, CELL_CHARS, struct section_row, by),
};

/* Of those that are moments. */
static const struct row_column moment_columns[] = {
	ROW_LEFT("name", 24, CELL_GROUP, struct section_row, group.value),
	RIGHT("count", 8, CELL_UNSIGNED, group.count),
	RIGHT("percent", 8, CELL_PERCENT, percent),
};
#undef RIGHT

static struct section_row row_of(const struct histree_segment_stats *stats,
				 const struct histree_segment_group *group)
{
	const struct histree_segment_group *all = histree_segment_stats_all(stats);
	struct section_row row = { .group = *group, .mean_ns = (uint64_t)group->mean };
	row.percent = 100.0 * (double)group->count / (double)all->count;
	if (group == all)
		row.group.value = histree_string("(all)");
	return row;
}

static enum histree_status put_group(struct overview_page *page, const struct asking *asking,
				     const struct histree_segment_stats *stats,
				     const struct histree_segment_group *group, struct histree_error *error)
{
	struct section_row row = row_of(stats, group);
	enum histree_status status =
		asking->tid != SIZE_MAX ? find_longest(asking, group, row.by, sizeof(row.by), error) : HISTREE_OK;
	row_put(&page->rows, &row);
	return status;
}

/* None of them lasts, so they are counted. */
static enum histree_status put_moments(struct overview_page *page, const struct asking *asking,
				       const struct histree_segment_stats *stats)
{
	const struct histree_segment_group *all = histree_segment_stats_all(stats), *group;
	overview_page_table(page, ROW_COLUMNS(moment_columns), ROWS_PLAIN);
	for (size_t i = 0; i <= asking->source->row_max; i++) {
		group = i < asking->source->row_max ? histree_segment_stats_group(stats, i) : all;
		if (group == NULL)
			continue;
		const struct section_row row = row_of(stats, group);
		row_put(&page->rows, &row);
	}
	overview_page_table_end(page);
	return HISTREE_OK;
}

static enum histree_status put_durations(struct overview_page *page, const struct asking *asking,
					 const struct histree_segment_stats *stats, struct histree_error *error)
{
	const struct histree_segment_group *group;
	enum histree_status status = HISTREE_OK;
	overview_page_table(page, section_columns, asking->tid != SIZE_MAX ? COLUMNS : COLUMNS - 1, ROWS_PLAIN);
	for (size_t i = 0; status == HISTREE_OK && i < asking->source->row_max &&
			   (group = histree_segment_stats_group(stats, i)) != NULL;
	     i++)
		status = put_group(page, asking, stats, group, error);
	if (status == HISTREE_OK)
		status = put_group(page, asking, stats, histree_segment_stats_all(stats), error);
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
	if (histree_segment_stats_loss(stats).nodes > 0)
		overview_page_sentence(page, "Some are missing, as nodes of the store are damaged.");
	status = lasts ? put_durations(page, asking, stats, error) : put_moments(page, asking, stats);
	snprintf(command, sizeof(command), " %s%s --by %s", section->analysis, asking->source->window, section->by);
	overview_page_command(page, "segments", path, command);
	if (strcmp(section->analysis, "samples") == 0)
		overview_page_command(page, "flame", path, asking->source->window);
	if (strcmp(section->by, "name") != 0 || !lasts)
		return status;
	snprintf(command, sizeof(command), " %s%s --sort duration --limit 20", section->analysis,
		 asking->source->window);
	overview_page_command(page, "segments", path, command);
	return status;
}

void report_segments_close(const struct report_source *source, struct histree_segment_store *store)
{
	source->uses->is_damaged = source->uses->is_damaged || histree_segment_store_loss(store).nodes > 0;
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
	query.work = source->work;
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
		/* report_files(); and stacks of samples last, but not because anything took so long. */
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
