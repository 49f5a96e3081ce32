// SPDX-License-Identifier: MIT
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/io.h"
#include "segment/segment_overviews.h"
#include "segment/segment_summary.h"

struct overview_faults {
	void (*report)(void *context, const char *fault);
	void *context;
	const char *path; /* of the overview */
	uint64_t count;
};

static void report_overview(void *context, const char *fault)
{
	struct overview_faults *faults = context;
	char text[1024];
	faults->count++;
	snprintf(text, sizeof(text), "overview '%s': %s; nothing is lost: remove the file, or build again",
		 faults->path, fault);
	faults->report(faults->context, text);
}

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

static enum histree_status verify_overview(const struct io *io, const char *path,
					   const struct histree_segment_store_info *of,
					   struct overview_faults *faults, struct histree_error *error)
{
	enum { CACHE_BYTES = 1 << 20 };
	struct segment_overview overview;
	struct histree_error fault = { 0 };
	uint64_t count = faults->count;
	size_t field;
	faults->path = path;
	enum histree_status status = segment_overview_open(io, path, of, CACHE_BYTES, &overview, &field, &fault);
	if (status == HISTREE_OK)
		status = histree_segment_store_verify(overview.store, report_overview, faults, &fault);
	if (status == HISTREE_OK)
		status = check_summaries(&overview, of, &fault);
	histree_segment_store_close(overview.store);
	/* One that a newer version made is of no more use. */
	bool is_damaged =
		status == HISTREE_ERR_FORMAT || status == HISTREE_ERR_INCOMPLETE || status == HISTREE_ERR_VERSION;
	if (is_damaged && faults->count == count)
		report_overview(faults, fault.message);
	return status == HISTREE_OK || is_damaged ? HISTREE_OK : error_set(error, status, "%s", fault.message);
}

/* One that cannot be opened is there. */
static bool is_there(const struct io *io, const char *path)
{
	int file = io->open(io->context, path, O_RDONLY, 0);
	if (file < 0)
		return errno != ENOENT;
	io->close(io->context, file);
	return true;
}

enum histree_status segment_overviews_verify(const struct io *io, const char *path,
					     const struct histree_segment_store_info *of,
					     void (*report)(void *context, const char *fault), void *context,
					     struct histree_error *error)
{
	struct overview_faults faults = { .report = report, .context = context };
	enum histree_status status = HISTREE_OK;
	for (uint32_t number = 1; number <= SEGMENT_OVERVIEWS_MAX && status == HISTREE_OK; number++) {
		char *name = segment_overview_path(path, number);
		if (name == NULL)
			return error_memory(error, "a path");
		if (is_there(io, name))
			status = verify_overview(io, name, of, &faults, error);
		free(name);
	}
	if (status == HISTREE_OK && faults.count > 0)
		status = error_set(error, HISTREE_ERR_FORMAT, "'%s': %" PRIu64 " fault%s in its overviews", path,
				   faults.count, faults.count == 1 ? "" : "s");
	return status;
}
