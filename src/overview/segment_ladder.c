// SPDX-License-Identifier: MIT
#include "overview/segment_ladder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "segment/segment_backend.h"

enum {
	CELL_SEGMENTS = 256, /* so many segments are in a cell of the lowest rung on average, at least */
	STEP_LOG2 = 1,
	NODE_SIZE = 8 << 10,
	BUFFER_SIZE = 1 << 20,
	SUMMARY_BYTES_MIN = 12, /* less it takes seldom */
	TRIAL_PART = 32,        /* of the segments, after which it is known what a rung will have */
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
	bool together = ladder->field == SEGMENT_OVERVIEWS_TOGETHER;
	const struct segment_overview_name name = { ladder->of->identity, ladder->of->segment_count, ladder->field,
						    rung->width_log2 };
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

enum histree_status segment_ladder_init(struct segment_ladder *ladder, struct histree_error *error)
{
	const struct histree_segment_store_info *of = ladder->of;
	uint64_t span = (uint64_t)of->end - (uint64_t)of->start;
	uint64_t cell = span / (of->segment_count / CELL_SEGMENTS + 1);
	unsigned width = 0;
	duration_buckets_init(&ladder->buckets, SUMMARY_BUCKETS_PER_DECADE);
	while (width < 63 && cell >> width > 1)
		width++;
	for (; ladder->count < LADDER_RUNGS_MAX && width <= 63; width += STEP_LOG2) {
		struct ladder_rung *rung = &ladder->rungs[ladder->count++];
		rung->width_log2 = width;
		enum histree_status status = create_file(ladder, ladder->count - 1, error);
		if (status != HISTREE_OK)
			return status;
		if (span >> width == 0)
			break;
	}
	return HISTREE_OK;
}

static enum histree_status write_summary(struct segment_ladder *ladder, struct ladder_rung *rung,
					 const struct segment_summary *summary, struct histree_error *error)
{
	struct histree_value content[SUMMARY_FIELD_COUNT];
	const struct histree_segment segment = segment_summary_put(summary, content);
	enum histree_status status = histree_segment_store_add(rung->store, &segment, error);
	rung->summaries++;
	if (status != HISTREE_ERR_TOO_LARGE)
		return status;
	drop_file(ladder, rung); /* of a value too long for its nodes */
	return HISTREE_OK;
}

/* By what it has, or, long before that, by what it is going to have. */
static bool has_too_many(const struct segment_ladder *ladder, const struct ladder_rung *rung)
{
	const struct segment_overview_limits *limits = &ladder->limits;
	uint64_t of_bytes = limits->bytes_max / SUMMARY_BYTES_MIN, all = ladder->of->segment_count;
	uint64_t max = of_bytes < limits->summaries_max ? of_bytes : limits->summaries_max;
	double expected = (double)rung->summaries * (double)all / (double)ladder->seen;
	return rung->summaries > max || (ladder->seen > all / TRIAL_PART && expected > 2 * (double)max);
}

static enum histree_status enter(struct segment_ladder *ladder, unsigned number, const struct summary_cell *cell,
				 struct histree_error *error);

/* Its summaries go to its file and up the ladder. */
static enum histree_status flush(struct segment_ladder *ladder, unsigned number, struct histree_error *error)
{
	struct ladder_rung *rung = &ladder->rungs[number];
	enum histree_status status = HISTREE_OK;
	for (size_t i = 0; i < rung->cells.count && status == HISTREE_OK; i++) {
		const struct summary_cell *cell = &rung->cells.cells[i];
		if (rung->store != NULL)
			status = write_summary(ladder, rung, &cell->summary, error);
		if (status == HISTREE_OK && number + 1 < ladder->count)
			status = enter(ladder, number + 1, cell, error);
	}
	summary_cells_clear(&rung->cells);
	if (rung->store != NULL && has_too_many(ladder, rung))
		drop_file(ladder, rung);
	return status;
}

/* The calls go up the ladder, never down, so they are no deeper than it. */
static enum histree_status enter(struct segment_ladder *ladder, unsigned number, const struct summary_cell *cell,
				 struct histree_error *error)
{
	struct ladder_rung *rung = &ladder->rungs[number];
	uint64_t at = segment_overview_cell(cell->summary.longest_start, rung->width_log2);
	enum histree_status status = HISTREE_OK;
	if (rung->cells.count > 0 && at != rung->cell)
		status = flush(ladder, number, error);
	rung->cell = at;
	while (status == HISTREE_OK) {
		switch (summary_cells_add(&rung->cells, cell)) {
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

enum histree_status segment_ladder_add(struct segment_ladder *ladder, const struct histree_segment *segment,
				       const struct histree_value *value, uint32_t number,
				       struct histree_error *error)
{
	const struct summary_cell cell = {
		.summary = segment_summary_of(segment, value),
		.value = number,
		.bucket = (uint32_t)duration_bucket_of(&ladder->buckets, histree_segment_duration(segment)),
	};
	enum histree_status status = HISTREE_OK;
	ladder->seen++;
	while (status == HISTREE_OK && ladder->rungs[ladder->first].store == NULL &&
	       ladder->first + 1 < ladder->count)
		status = flush(ladder, ladder->first++, error);
	return status == HISTREE_OK ? enter(ladder, ladder->first, &cell, error) : status;
}

/* ---- what is kept ------------------------------------------------------------------------------------- */

/*
 * Choose from rung `first` up: each has a third as many summaries as the one before at most, until they are few.
 * Returns the bytes of all.
 */
static uint64_t choose_from(const struct segment_ladder *ladder, unsigned first, bool chosen[LADDER_RUNGS_MAX])
{
	uint64_t bytes = 0, before = UINT64_MAX;
	for (unsigned i = 0; i < ladder->count; i++) {
		const struct ladder_rung *rung = &ladder->rungs[i];
		chosen[i] = i >= first && rung->store != NULL && rung->summaries <= before / 3 &&
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

enum histree_status segment_ladder_finish(struct segment_ladder *ladder, struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	for (unsigned i = 0; i < ladder->count && status == HISTREE_OK; i++)
		status = flush(ladder, i, error);
	for (unsigned i = 0; i < ladder->count && status == HISTREE_OK; i++)
		if (ladder->rungs[i].store != NULL)
			status = histree_segment_store_finish(ladder->rungs[i].store, error);
	if (status == HISTREE_OK)
		choose(ladder);
	return status;
}

void segment_ladder_release(struct segment_ladder *ladder)
{
	for (unsigned i = 0; i < ladder->count; i++) {
		drop_file(ladder, &ladder->rungs[i]);
		summary_cells_release(&ladder->rungs[i].cells);
	}
	ladder->count = 0;
}
