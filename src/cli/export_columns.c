// SPDX-License-Identifier: MIT
/*
 * export_columns.c - what is exported as a stream of columns.
 */
#include "cli/export_columns.h"

static uint64_t rows_of_states(const struct export_source *source)
{
	const struct histree_history_info *info = histree_history_info(source->history);
	double rows = (double)info->interval_count;
	if (source->quarks != NULL)
		rows *= (double)source->quark_count / ((double)info->attribute_count + 1);
	rows *= ((double)source->to - (double)source->from + 1) / ((double)info->end - (double)info->start + 1);
	return (uint64_t)rows;
}

enum histree_status export_columns_open(const struct export_source *source, uint64_t columns, const char *names,
					const struct histree_cancel *cancel, struct ArrowArrayStream *out,
					uint64_t *rows, struct histree_error *error)
{
	const struct histree_arrow_options options = { .columns = columns,
						       .cancel = *cancel,
						       .where = source->where,
						       .start = source->origin,
						       .end = source->trace_end,
						       .names = names };
	if (source->segments != NULL) {
		*rows = histree_segment_store_info(source->segments)->segment_count;
		return histree_segments_arrow(source->segments, &source->chosen.query, &options, out, error);
	}
	if (source->events != NULL) {
		*rows = histree_events_count(source->events);
		return histree_events_arrow(source->events, source->from, source->to, &options, out, error);
	}
	const struct histree_region region = {
		.quarks = source->quarks, .quark_count = source->quark_count, .from = source->from, .to = source->to
	};
	*rows = rows_of_states(source);
	return histree_query_arrow(source->history, &region, &options, out, error);
}
