// SPDX-License-Identifier: MIT
#include "cli/report_sections.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/time_text.h"
#include "histree/draw.h"
#include "histree/segment_stats.h"

/* ---- what there is ------------------------------------------------------------------------------- */

static void put_losses(struct overview_page *page, const struct histree_store_info *info)
{
	if (info->discarded_events + info->discarded_packets + info->gap_count == 0)
		overview_page_sentence(page, "No event is known to be lost.");
	else
		overview_page_sentence(page,
				       "%" PRIu64 " events and %" PRIu64 " packets were lost when it was recorded; "
				       "in %" PRIu64 " gaps states are unknown.",
				       info->discarded_events, info->discarded_packets, info->gap_count);
	for (size_t i = 0; i < info->warning_count; i++)
		overview_page_sentence(page, "Warning: %s.", info->warnings[i]);
}

void report_facts(struct overview_page *page, const struct report_source *source)
{
	const struct histree_store_info *info = histree_store_info(source->target->store);
	char start[TIME_TEXT_SIZE], lasts[TIME_TEXT_SIZE];
	time_format_date(source->from, start);
	time_format_duration((uint64_t)source->to - (uint64_t)source->from, lasts);
	overview_page_sentence(page, "%s from %s on (UTC)%s; %" PRIu64 " events in all.", lasts, start,
			       source->has_window ? ", a part of the trace" : "", info->event_count);
	for (size_t i = 0; i < info->host_count; i++)
		overview_page_sentence(page, "Host %s: %" PRIu64 " events%s%s.", info->hosts[i].name,
				       info->hosts[i].event_count, info->hosts[i].why != NULL ? "; missing: " : "",
				       info->hosts[i].why != NULL ? info->hosts[i].why : "");
	put_losses(page, info);
	overview_page_command(page, "info", source->target->path, "");
}

/* ---- pictures ------------------------------------------------------------------------------------ */

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
				enum histree_draw_view view, const char *what, struct histree_error *error)
{
	struct picture picture = { 0 };
	const struct histree_draw_options options = { .view = view,
						      .from = source->from,
						      .to = source->to,
						      .width = 1200,
						      .height = view == HISTREE_DRAW_RESOURCES ? 0 : 480,
						      .title = what,
						      .cancel = source->cancel };
	picture.file = open_memstream(&picture.bytes, &picture.size);
	if (picture.file == NULL)
		return HISTREE_ERR_MEMORY;
	enum histree_status status = histree_draw(source->history, &options, keep, &picture, error);
	fclose(picture.file);
	if (status == HISTREE_OK)
		overview_page_picture(page, what, picture.bytes, picture.size);
	free(picture.bytes);
	return status;
}

enum histree_status report_pictures(struct overview_page *page, const struct report_source *source,
				    struct histree_error *error)
{
	if (!page->is_html || source->history == NULL || !histree_can_draw())
		return HISTREE_OK;
	overview_page_section(page, "Over time");
	enum histree_status threads = draw(page, source, HISTREE_DRAW_CONTROL_FLOW, "threads", error);
	enum histree_status cpus = HISTREE_NOT_FOUND;
	if (threads == HISTREE_OK || threads == HISTREE_NOT_FOUND)
		cpus = draw(page, source, HISTREE_DRAW_RESOURCES, "CPUs", error);
	if (threads == HISTREE_NOT_FOUND && cpus == HISTREE_NOT_FOUND)
		threads = draw(page, source, HISTREE_DRAW_ATTRIBUTES, "states", error);
	overview_page_command(page, "serve", source->target->path, "");
	return threads != HISTREE_OK && threads != HISTREE_NOT_FOUND ? threads
	       : cpus != HISTREE_NOT_FOUND                           ? cpus
								     : HISTREE_OK;
}

/* ---- segments ------------------------------------------------------------------------------------ */

#define RIGHT(text, columns)                                         \
	{                                                            \
		.name = text, .width = columns, .to_the_right = true \
	}

static const struct row_column segment_columns[] = {
	{ .name = "name", .width = 24 },
	RIGHT("count", 8),
	RIGHT("mean", 11),
	RIGHT("p99", 11),
	RIGHT("longest", 11),
	RIGHT("total", 11),
	RIGHT("at", 18),
};

static void put_group(struct row_writer *rows, const struct histree_segment_group *group)
{
	char at[TIME_TEXT_SIZE];
	time_format_clock(group->max_start, at);
	if (group->value.type == HISTREE_NULL)
		row_text(rows, "(all)");
	else
		row_value(rows, &group->value);
	row_unsigned(rows, group->count);
	row_duration(rows, (uint64_t)group->mean);
	row_duration(rows, group->percentiles[HISTREE_P99]);
	row_duration(rows, group->max);
	row_duration(rows, group->total);
	row_text(rows, at);
	row_end(rows);
}

static void put_stats(struct overview_page *page, const struct report_source *source, const char *analysis,
		      const struct histree_segment_stats *stats)
{
	const struct histree_segment_group *all = histree_segment_stats_all(stats), *group;
	char command[256];
	if (all->count == 0)
		return;
	overview_page_section(page, analysis);
	if (histree_segment_stats_loss(stats) != NULL)
		overview_page_sentence(page, "Some are missing, as nodes of the store are damaged.");
	overview_page_table(page, segment_columns, sizeof(segment_columns) / sizeof(segment_columns[0]));
	for (size_t i = 0; i < source->row_max && (group = histree_segment_stats_group(stats, i)) != NULL; i++)
		put_group(&page->rows, group);
	put_group(&page->rows, all);
	overview_page_table_end(page);
	snprintf(command, sizeof(command), " %s%s --sort duration --reverse --top 20", analysis, source->window);
	overview_page_command(page, "segments", source->target->path, command);
}

/* By name where they have one. */
static enum histree_status put_segments(struct overview_page *page, const struct report_source *source,
					const char *analysis, struct histree_error *error)
{
	struct histree_segment_store *store;
	struct histree_segment_stats *stats = NULL;
	struct histree_segment_query query = HISTREE_SEGMENTS_ALL;
	size_t field;
	enum histree_status status = target_segments(source->target, analysis, true, &store, error);
	if (status != HISTREE_OK)
		return status;
	query.cancel = source->cancel;
	if (source->has_window) {
		query.from = source->from;
		query.to = source->to;
	}
	if (histree_segment_store_field(store, "name", &field) != HISTREE_OK)
		field = HISTREE_SEGMENTS_TOGETHER;
	status = histree_segment_stats_create(store, &query, field, &stats, error);
	if (status >= 0)
		put_stats(page, source, analysis, stats);
	histree_segment_stats_free(stats);
	histree_segment_store_close(store);
	return status < 0 ? status : HISTREE_OK;
}

enum histree_status report_segments(struct overview_page *page, const struct report_source *source,
				    struct histree_error *error)
{
	const struct histree_store_info *info = histree_store_info(source->target->store);
	enum histree_status status = HISTREE_OK;
	for (size_t i = 0; i < info->segments_count && status == HISTREE_OK; i++)
		status = put_segments(page, source, info->segments[i].analysis, error);
	return status;
}

/* ---- what there could be -------------------------------------------------------------------------- */

void report_more(struct overview_page *page, const struct report_source *source)
{
	const struct histree_store_info *info = histree_store_info(source->target->store);
	bool is_kernel =
		source->history != NULL && strcmp(histree_history_info(source->history)->provider, "kernel") == 0;
	if (!is_kernel || target_find_segments(source->target, "system-calls") != NULL || info->trace_count == 0)
		return;
	overview_page_section(page, "More");
	overview_page_sentence(page,
			       "Built with more analyses, the store also says how long system calls, interrupts "
			       "and wake-ups take, and what a thread waited for:");
	overview_page_command(page,
			      "build -a kernel,system-calls,irqs,softirqs,wakeups,block-io,graph -o NEW.histree",
			      info->traces[0], "");
}
