// SPDX-License-Identifier: MIT
#include "overview/part_sums.h"

#include "segment/segment_overviews.h"

/* With wider parts than these, a percentile is not found sooner than in the buckets. */
enum { LOG2_MIN = 2 };

void part_sums_begin(struct part_sums *sums)
{
	sums->log2 = sums->max > 0 ? DURATION_PARTS_LOG2_MAX : 0;
	duration_parts_init(&sums->parts, sums->log2, sums->longest);
}

static enum summary_added add(struct part_sums *sums, const struct segment_summary *summary, size_t bucket)
{
	const struct summary_cell of_part = {
		.summary = *summary,
		.time = segment_overview_cell(summary->longest_start, SEGMENT_OVERVIEW_OF_ALL),
		.bucket = duration_part_in(&sums->parts, bucket, summary->longest),
	};
	return summary_cells_add(&sums->cells, &of_part, sums->max);
}

/* Make parts twice as wide; the summaries that then share one are joined. */
static enum summary_added widen(struct part_sums *sums)
{
	struct summary_cells cells = sums->cells;
	enum summary_added added = SUMMARY_ADDED;
	sums->cells = (struct summary_cells){ 0 };
	duration_parts_init(&sums->parts, --sums->log2, sums->longest);
	for (size_t i = 0; i < cells.count && added == SUMMARY_ADDED; i++) {
		const struct segment_summary *summary = &cells.cells[i].summary;
		added = add(sums, summary, duration_bucket_of(&sums->parts.buckets, summary->longest));
	}
	summary_cells_release(&cells);
	return added;
}

bool part_sums_add(struct part_sums *sums, const struct segment_summary *segment, size_t bucket)
{
	struct segment_summary summary = *segment;
	if (sums->log2 == 0)
		return true;
	summary.value = histree_null();
	enum summary_added added = add(sums, &summary, bucket);
	while (added == SUMMARY_NO_ROOM && sums->log2 > LOG2_MIN && sums->cells.count >= sums->max) {
		added = widen(sums);
		if (added == SUMMARY_ADDED)
			added = add(sums, &summary, bucket);
	}
	if (added == SUMMARY_NO_ROOM) {
		sums->log2 = 0;
		part_sums_release(sums);
	}
	return added != SUMMARY_NO_MEMORY;
}

void part_sums_release(struct part_sums *sums)
{
	summary_cells_release(&sums->cells);
}
