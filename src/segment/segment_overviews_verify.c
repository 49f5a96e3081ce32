// SPDX-License-Identifier: MIT
#include <stdlib.h>

#include "base/error.h"
#include "segment/segment_overviews_check.h"
#include "segment/segment_summary.h"
#include "store/overview_faults.h"

static bool is_one_cell(const struct segment_summary *summary, unsigned width_log2)
{
	return segment_overview_cell(summary->longest_start, width_log2) ==
	       segment_overview_cell(summary->shortest_start, width_log2);
}

/* Each segment is in one summary, and the longest and the shortest of all are among theirs. */
static enum histree_status check_summaries(const struct segment_overview *overview,
					   const struct histree_segment_store_info *of, struct histree_error *error)
{
	const struct histree_segment_query all = HISTREE_SEGMENTS_ALL;
	struct histree_segment_iter *iter;
	struct histree_segment segment;
	struct segment_summary summary = { 0 };
	struct duration_buckets buckets;
	uint64_t count = 0, longest = 0, shortest = UINT64_MAX;
	duration_buckets_init(&buckets, SUMMARY_BUCKETS_PER_DECADE);
	enum histree_status status = histree_segment_iter_create(overview->store, &iter, error);
	if (status != HISTREE_OK)
		return status;
	status = histree_segment_iter_start(iter, &all, NULL, error);
	while (status == HISTREE_OK && (status = histree_segment_iter_next(iter, &segment, error)) == HISTREE_OK) {
		if (!segment_summary_get(&buckets, &segment, &summary) ||
		    !is_one_cell(&summary, overview->width_log2))
			status = error_set(error, HISTREE_ERR_FORMAT, "has a summary that no segments have");
		count += summary.count;
		longest = summary.longest > longest ? summary.longest : longest;
		shortest = summary.shortest < shortest ? summary.shortest : shortest;
	}
	histree_segment_iter_free(iter);
	if (status != HISTREE_END)
		return status;
	if (count != of->segment_count || longest != of->duration_max || shortest != of->duration_min)
		return error_set(error, HISTREE_ERR_FORMAT, "is not of the segments that the store has");
	return HISTREE_OK;
}

/* The overviews of a store, one after the other; each is compared with the one before, if that is sound. */
struct verified {
	const struct io *io;
	const struct histree_segment_store_info *of;
	struct histree_segment_store *segments;
	struct segment_overview before; /* store NULL: none */
	size_t field;                   /* of that */
	struct overview_faults faults;
};

static enum histree_status verify_sums(const struct verified *verified, const struct segment_overview *overview,
				       size_t field, struct histree_error *error)
{
	const struct segment_overview *before = &verified->before;
	bool follows = before->store != NULL && field == verified->field &&
		       overview->width_log2 > before->width_log2 && overview->parts_log2 == 0;
	enum histree_status status = check_summaries(overview, verified->of, error);
	/* Without the segments it may still be compared with the one before. */
	if (status != HISTREE_OK || (!follows && verified->segments == NULL))
		return status;
	return segment_overview_check(overview, follows ? before : NULL, verified->segments, field, error);
}

static enum histree_status verify_overview(struct verified *verified, const char *path, struct histree_error *error)
{
	enum { CACHE_BYTES = 1 << 20 };
	struct overview_faults *faults = &verified->faults;
	struct segment_overview overview;
	struct histree_error fault = { 0 };
	uint64_t before = faults->count;
	size_t field;
	faults->path = path;
	enum histree_status status =
		segment_overview_open(verified->io, path, verified->of, CACHE_BYTES, &overview, &field, &fault);
	if (status == HISTREE_OK)
		status = histree_segment_store_verify(overview.store, overview_faults_report, faults, &fault);
	if (status == HISTREE_OK)
		status = verify_sums(verified, &overview, field, &fault);
	if (status == HISTREE_OK) {
		histree_segment_store_close(verified->before.store);
		verified->before = overview;
		verified->field = field;
	} else {
		histree_segment_store_close(overview.store);
	}
	return overview_faults_judge(faults, before, status, &fault, error);
}

enum histree_status segment_overviews_verify(const struct io *io, const char *path,
					     const struct histree_segment_store_info *of,
					     struct histree_segment_store *segments,
					     void (*report)(void *context, const char *fault), void *context,
					     struct histree_error *error)
{
	struct verified verified = {
		.io = io, .of = of, .segments = segments, .faults = { .report = report, .context = context }
	};
	enum histree_status status = HISTREE_OK;
	for (uint32_t number = 1; number <= SEGMENT_OVERVIEWS_MAX && status == HISTREE_OK; number++) {
		char *name = segment_overview_path(path, number);
		if (name == NULL)
			status = error_memory(error, "a path");
		else if (overview_is_there(io, name))
			status = verify_overview(&verified, name, error);
		free(name);
	}
	histree_segment_store_close(verified.before.store);
	return status == HISTREE_OK ? overview_faults_sum(&verified.faults, path, error) : status;
}
