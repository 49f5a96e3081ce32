// SPDX-License-Identifier: MIT
#include "overview/segment_ladder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "segment/segment_backend.h"

enum {
	CELL_SEGMENTS = 256, /* so many segments are in a cell of the lowest rung on average, at least */
	NODE_SIZE = 8 << 10,
	BUFFER_SIZE = 1 << 20,
	SUMMARY_BYTES = 16,  /* about */
	PARTS_MAX = 1 << 16, /* of summaries by parts, which are in memory together: 7 MB */
	SLICES_AT_ONCE = 2,  /* a store of fewer slices is one */
	TRIAL_PART = 32,     /* of the segments, after which it is known what a rung will have */
};

/* ---- files -------------------------------------------------------------------------------------------- */

/* Until it is known which of them are kept, they have numbers of their own. */
static char *path_of_rung(const struct segment_ladder *ladder, unsigned rung)
{
	char *path = segment_overview_path(ladder->path, rung + 1);
	char *made = path != NULL ? malloc(strlen(path) + sizeof(".new")) : NULL;
	if (made != NULL)
		sprintf(made, "%s.new", path);
	free(path);
	return made;
}

static void drop_file(struct segment_ladder *ladder, struct ladder_rung *rung)
{
	histree_segment_store_close(rung->store);
	rung->store = NULL;
	if (rung->path != NULL)
		ladder->io->unlink(ladder->io->context, rung->path);
	free(rung->path);
	rung->path = NULL;
}

static enum histree_status create_file(struct segment_ladder *ladder, unsigned number, struct histree_error *error)
{
	struct ladder_rung *rung = &ladder->rungs[number];
	struct histree_segment_field fields[SUMMARY_FIELD_COUNT];
	char provider[SEGMENT_OVERVIEW_PROVIDER_SIZE];
	bool is_parts = number == LADDER_PARTS;
	size_t field = is_parts ? SEGMENT_OVERVIEWS_TOGETHER : ladder->field;
	bool together = field == SEGMENT_OVERVIEWS_TOGETHER;
	const struct segment_overview_name name = { ladder->of->identity, ladder->of->segment_count, field,
						    rung->width_log2, is_parts ? ladder->parts.log2 : 0 };
	segment_summary_fields(together ? HISTREE_INT : ladder->of->schema.fields[ladder->field].type, fields);
	segment_overview_provider(&name, provider);
	rung->path = path_of_rung(ladder, number);
	if (rung->path == NULL)
		return error_memory(error, "an overview");
	const struct histree_segment_store_options options = {
		.path = rung->path,
		.schema = { provider, SEGMENT_OVERVIEW_VERSION, fields, SUMMARY_FIELD_COUNT },
		.node_size = NODE_SIZE,
		.memory_max = BUFFER_SIZE,
	};
	ladder->io->unlink(ladder->io->context, rung->path); /* of a maker that died */
	return segment_store_create(ladder->io, &options, &rung->store, error);
}

/* ---- cells -------------------------------------------------------------------------------------------- */

/* The shortest power of two in which there are so many segments or more on average. */
static unsigned width_of(const struct histree_segment_store_info *of, uint64_t segments)
{
	uint64_t span = (uint64_t)of->end - (uint64_t)of->start;
	uint64_t width = span / (of->segment_count / segments + 1);
	unsigned log2 = 0;
	while (log2 < 63 && width >> log2 > 1)
		log2++;
	return log2;
}

static uint64_t summaries_max(const struct segment_ladder *ladder)
{
	const struct segment_overview_limits *limits = &ladder->limits;
	uint64_t of_bytes = limits->bytes_max / 3 * 2 / SUMMARY_BYTES;
	return of_bytes < limits->summaries_max ? of_bytes : limits->summaries_max;
}

void segment_ladder_init(struct segment_ladder *ladder)
{
	const struct histree_segment_store_info *of = ladder->of;
	uint64_t span = (uint64_t)of->end - (uint64_t)of->start;
	duration_buckets_init(&ladder->buckets, SUMMARY_BUCKETS_PER_DECADE);
	/* A rung that has more open ones than it may have at all is dropped, the sooner the better. */
	uint64_t max = summaries_max(ladder);
	ladder->cells_max = max < SUMMARY_CELLS_MAX - 2 ? (size_t)max + 2 : SUMMARY_CELLS_MAX;
	uint64_t parts = ladder->limits.parts_bytes / 3 * 2 / SUMMARY_BYTES;
	ladder->parts.max = parts < PARTS_MAX ? (size_t)parts : PARTS_MAX;
	ladder->parts.longest = of->duration_max;
	part_sums_begin(&ladder->parts);
	ladder->rungs[LADDER_PARTS].width_log2 = SEGMENT_OVERVIEW_OF_ALL;
	ladder->slice_log2 = of->segment_count / SLICES_AT_ONCE < ladder->limits.slice
				     ? LADDER_ONE_SLICE
				     : width_of(of, ladder->limits.slice);
	for (unsigned width = width_of(of, CELL_SEGMENTS); ladder->count < LADDER_RUNGS_MAX && width <= 63;
	     width++) {
		ladder->rungs[ladder->count++].width_log2 = width;
		if (span >> width == 0)
			break;
	}
}

static void drop(struct segment_ladder *ladder, struct ladder_rung *rung)
{
	drop_file(ladder, rung);
	rung->is_dropped = true;
}

static enum histree_status write_summary(struct segment_ladder *ladder, unsigned number,
					 const struct segment_summary *summary, struct histree_error *error)
{
	struct ladder_rung *rung = &ladder->rungs[number];
	struct histree_value content[SUMMARY_FIELD_COUNT];
	const struct histree_segment segment = segment_summary_put(summary, content);
	enum histree_status status = rung->store == NULL ? create_file(ladder, number, error) : HISTREE_OK;
	if (status == HISTREE_OK)
		status = histree_segment_store_add(rung->store, &segment, error);
	rung->summaries++;
	if (status != HISTREE_ERR_TOO_LARGE)
		return status;
	drop(ladder, rung); /* of a value too long for its nodes */
	return HISTREE_OK;
}

/*
 * How many times more summaries a rung has, with those that are open, than it may, or, long before that, is going
 * to have; below 1: not too many.
 */
static double excess_of(const struct segment_ladder *ladder, const struct ladder_rung *rung)
{
	uint64_t max = summaries_max(ladder), all = ladder->of->segment_count;
	double has = (double)rung->summaries + (double)rung->cells.count;
	double excess = has / ((double)max + 1);
	double expected = has * ((double)all / (double)ladder->seen) / (2 * (double)max + 1);
	return ladder->seen > all / TRIAL_PART && expected > excess ? expected : excess;
}

/*
 * Each rung with a file is to have a third as many summaries as the one before.  Where segments come in several
 * slices, the lowest may turn out to have too many: the one after it, which stands by, does not count.  Those with
 * cells longer than a slice are written at other times than these, and are few.
 */
static bool is_one_too_many(const struct segment_ladder *ladder, unsigned number)
{
	bool is_known = ladder->slice_log2 == LADDER_ONE_SLICE;
	bool is_likely = ladder->seen > ladder->of->segment_count / TRIAL_PART;
	unsigned files = 0;
	uint64_t before = 0;
	for (unsigned i = 0; i < number; i++)
		if (ladder->rungs[i].store != NULL && (is_known || files++ != 1))
			before = ladder->rungs[i].summaries;
	const struct ladder_rung *rung = &ladder->rungs[number];
	if (before == 0 || rung->width_log2 > ladder->slice_log2 || !(is_known || (is_likely && files > 1)))
		return false;
	return rung->summaries + rung->cells.count > before / 3;
}

/* A cell twice as long has half as many summaries at best: so many rungs up it may have few enough. */
static void drop_rungs(struct segment_ladder *ladder, unsigned number, double excess)
{
	for (; excess > 1 && number < ladder->count; excess /= 2)
		drop(ladder, &ladder->rungs[number++]);
}

/* The next rung that has a file or may get one; the last one takes all that comes. */
static unsigned next_rung(const struct segment_ladder *ladder, unsigned number)
{
	number++;
	while (number + 1 < ladder->count && ladder->rungs[number].is_dropped &&
	       ladder->rungs[number].cells.count == 0)
		number++;
	return number;
}

static enum histree_status enter(struct segment_ladder *ladder, unsigned number, const struct summary_cell *cell,
				 struct histree_error *error);

/* One that is too large makes room for the next, before that is written. */
static enum histree_status finish_rung(struct segment_ladder *ladder, unsigned number, struct histree_error *error)
{
	struct ladder_rung *rung = &ladder->rungs[number];
	if (rung->store == NULL || rung->store->finished)
		return HISTREE_OK;
	enum histree_status status = histree_segment_store_finish(rung->store, error);
	if (status == HISTREE_OK && histree_segment_store_info(rung->store)->file_bytes > ladder->limits.bytes_max)
		drop(ladder, rung);
	return status;
}

/* Its summaries go to its file and up the ladder. */
static enum histree_status flush(struct segment_ladder *ladder, unsigned number, struct histree_error *error)
{
	struct ladder_rung *rung = &ladder->rungs[number];
	enum histree_status status = HISTREE_OK;
	if (rung->cells.count == 0)
		return HISTREE_OK;
	if (!rung->is_dropped)
		drop_rungs(ladder, number, excess_of(ladder, rung));
	if (!rung->is_dropped && is_one_too_many(ladder, number))
		drop(ladder, rung);
	unsigned next = next_rung(ladder, number);
	for (size_t i = 0; i < rung->cells.count && status == HISTREE_OK; i++) {
		const struct summary_cell *cell = &rung->cells.cells[i];
		if (!rung->is_dropped)
			status = write_summary(ladder, number, &cell->summary, error);
		if (status == HISTREE_OK && next < ladder->count)
			status = enter(ladder, next, cell, error);
	}
	summary_cells_clear(&rung->cells);
	return status;
}

static uint64_t period_of(const struct segment_ladder *ladder, const struct ladder_rung *rung, histree_time start)
{
	if (rung->width_log2 > ladder->slice_log2)
		return segment_overview_cell(start, rung->width_log2);
	return ladder->slice_log2 < LADDER_ONE_SLICE ? segment_overview_cell(start, ladder->slice_log2) : 0;
}

/* The calls go up the ladder, never down, so they are no deeper than it. */
static enum histree_status enter(struct segment_ladder *ladder, unsigned number, const struct summary_cell *entered,
				 struct histree_error *error)
{
	struct ladder_rung *rung = &ladder->rungs[number];
	struct summary_cell cell = *entered;
	histree_time start = cell.summary.longest_start;
	uint64_t period = period_of(ladder, rung, start);
	enum histree_status status = HISTREE_OK;
	if (rung->cells.count > 0 && period != rung->period)
		status = flush(ladder, number, error);
	rung->period = period;
	cell.time = segment_overview_cell(start, rung->width_log2);
	while (status == HISTREE_OK) {
		switch (summary_cells_add(&rung->cells, &cell, ladder->cells_max)) {
		case SUMMARY_ADDED:
			return HISTREE_OK;
		case SUMMARY_NO_MEMORY:
			return error_memory(error, "an overview");
		case SUMMARY_NO_ROOM:
			status = flush(ladder, number, error);
			break;
		}
	}
	return status;
}

/* What they have left goes up; nothing enters them again. */
static enum histree_status pass_by_dropped(struct segment_ladder *ladder, struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	while (status == HISTREE_OK && ladder->first + 1 < ladder->count &&
	       ladder->rungs[ladder->first].is_dropped) {
		status = flush(ladder, ladder->first, error);
		summary_cells_release(&ladder->rungs[ladder->first++].cells);
	}
	return status;
}

enum histree_status segment_ladder_add(struct segment_ladder *ladder, const struct histree_segment *segment,
				       const struct histree_value *value, uint32_t number,
				       struct histree_error *error)
{
	const struct summary_cell cell = {
		.summary = segment_summary_of(segment, value),
		.value = number,
		.bucket = (uint32_t)duration_bucket_of(&ladder->buckets, histree_segment_duration(segment)),
	};
	ladder->seen++;
	if (!part_sums_add(&ladder->parts, &cell.summary, cell.bucket))
		return error_memory(error, "an overview");
	enum histree_status status = enter(ladder, ladder->first, &cell, error);
	return status == HISTREE_OK ? pass_by_dropped(ladder, error) : status;
}

enum histree_status segment_ladder_end_slice(struct segment_ladder *ladder, struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	for (unsigned i = ladder->first; i < ladder->count && status == HISTREE_OK; i++) {
		if (ladder->rungs[i].width_log2 > ladder->slice_log2)
			break;
		status = flush(ladder, i, error);
		if (status == HISTREE_OK && ladder->slice_log2 == LADDER_ONE_SLICE)
			status = finish_rung(ladder, i, error);
	}
	return status == HISTREE_OK ? pass_by_dropped(ladder, error) : status;
}

/* ---- what is kept ------------------------------------------------------------------------------------- */

/*
 * Choose from rung `first` up: each has half as many summaries as the one before at most, until they are few.
 * Returns the bytes of all.
 */
static uint64_t choose_from(const struct segment_ladder *ladder, unsigned first, bool chosen[LADDER_RUNGS_MAX])
{
	uint64_t bytes = 0, before = UINT64_MAX;
	for (unsigned i = 0; i < ladder->count; i++) {
		const struct ladder_rung *rung = &ladder->rungs[i];
		chosen[i] = i >= first && rung->store != NULL && rung->summaries <= before / 20 * 9 &&
			    before > ladder->limits.enough;
		if (!chosen[i])
			continue;
		before = rung->summaries;
		bytes += histree_segment_store_info(rung->store)->file_bytes;
	}
	return bytes;
}

/* The shortest cells with which all together are small enough. */
static void choose(struct segment_ladder *ladder)
{
	bool chosen[LADDER_RUNGS_MAX] = { false };
	unsigned first = 0;
	while (choose_from(ladder, first, chosen) > ladder->limits.bytes_max)
		first++;
	for (unsigned i = 0; i < ladder->count; i++)
		if (!chosen[i])
			drop_file(ladder, &ladder->rungs[i]);
}

static enum histree_status write_parts(struct segment_ladder *ladder, struct histree_error *error)
{
	struct ladder_rung *rung = &ladder->rungs[LADDER_PARTS];
	enum histree_status status = HISTREE_OK;
	for (size_t i = 0; i < ladder->parts.cells.count && status == HISTREE_OK && !rung->is_dropped; i++)
		status = write_summary(ladder, LADDER_PARTS, &ladder->parts.cells.cells[i].summary, error);
	if (status == HISTREE_OK && rung->store != NULL)
		status = histree_segment_store_finish(rung->store, error);
	if (status == HISTREE_OK && rung->store != NULL &&
	    histree_segment_store_info(rung->store)->file_bytes > ladder->limits.parts_bytes)
		drop(ladder, rung);
	return status;
}

enum histree_status segment_ladder_finish(struct segment_ladder *ladder, struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	for (unsigned i = 0; i < ladder->count && status == HISTREE_OK; i++)
		status = flush(ladder, i, error);
	for (unsigned i = 0; i < ladder->count && status == HISTREE_OK; i++)
		status = finish_rung(ladder, i, error);
	if (status == HISTREE_OK)
		choose(ladder);
	if (status == HISTREE_OK)
		status = write_parts(ladder, error);
	return status;
}

void segment_ladder_release(struct segment_ladder *ladder)
{
	for (unsigned i = 0; i <= LADDER_PARTS; i++) {
		drop_file(ladder, &ladder->rungs[i]);
		summary_cells_release(&ladder->rungs[i].cells);
	}
	part_sums_release(&ladder->parts);
	ladder->count = 0;
}
