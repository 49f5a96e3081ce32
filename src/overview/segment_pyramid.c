// SPDX-License-Identifier: MIT
/*
 * segment_pyramid.c - the pyramid beside a segment store: summaries by cells of time, level above level, and by
 * parts of duration.
 *
 * Open are summaries, one for each cell of time, value and bucket of duration; and, of all of the time and of all
 * values, one for each part of duration (segment_summary.h), which are as narrow as a number of summaries allows.
 */
#include "overview/segment_pyramid.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/hash_index.h"
#include "base/io.h"
#include "base/table.h"
#include "query/value_table.h"
#include "segment/segment_memory.h"
#include "segment/segment_overviews.h"
#include "segment/segment_summary.h"
#include "segment_tree/segment_scan.h"

/* So many at most are open in any case: 7 MB. */
enum { SUMMARY_CELLS_MAX = 1 << 16 };

struct summary_cell {
	struct segment_summary summary;
	uint64_t time;  /* the number of the cell */
	uint32_t value; /* its number */
	uint32_t bucket;
};

/* A zeroed one is empty. */
struct summary_cells {
	struct summary_cell *cells; /* in the order of their first segments */
	size_t count, capacity;
	struct hash_index index; /* of cells */
};

enum summary_added { SUMMARY_ADDED, SUMMARY_NO_ROOM, SUMMARY_NO_MEMORY };

/* One whose `longest` and `max` are set, and the rest is zero, has to be begun. */
struct part_sums {
	uint64_t longest; /* duration of the store */
	size_t max;       /* the most summaries */
	struct duration_parts parts;
	unsigned log2; /* of the parts; 0: there would be too many in any case, and nothing is added up */
	struct summary_cells cells;
};

struct segment_level {
	unsigned width_log2;
	uint64_t period; /* of time, in which its open cells are: a slice, or one cell */
	struct summary_cells cells;
	bool is_dropped;                     /* it will not get a file */
	struct histree_segment_store *store; /* NULL: it has no file yet, or none any more */
	char *path;                          /* of that, NULL too */
	uint64_t summaries;
};

enum { LEVELS_MAX = 24, LEVEL_OF_PARTS = LEVELS_MAX, ONE_SLICE = 64 };

struct segment_pyramid {
	const struct io *io;
	const char *path; /* of the segment store */
	const struct histree_segment_store_info *of;
	size_t field; /* or SEGMENT_OVERVIEWS_TOGETHER */
	struct segment_overview_limits limits;
	struct duration_buckets buckets;
	struct segment_level levels[LEVELS_MAX + 1]; /* the last is that of the sums by parts */
	struct part_sums parts;
	unsigned count;
	unsigned slice_log2; /* of the ns in a slice, counted as cells are; ONE_SLICE: one slice */
	size_t cells_max;    /* that a level has open */
	uint64_t seen;       /* segments so far */
	unsigned first;      /* those below it are dropped, and nothing is in them */
};

static void part_sums_release(struct part_sums *sums);

/* ---- summary cells ------------------------------------------------------------------------------------------- */

static uint64_t hash_of(const struct summary_cell *cell)
{
	return hash_mix(((uint64_t)cell->value << 32 | cell->bucket) + cell->time * UINT64_C(0x9e3779b97f4a7c15));
}

static uint64_t hash_at(const void *cells, uint32_t number)
{
	return hash_of((const struct summary_cell *)cells + number);
}

static bool is_same(const void *cells, uint32_t number, const void *key)
{
	const struct summary_cell *one = (const struct summary_cell *)cells + number, *other = key;
	return one->time == other->time && one->value == other->value && one->bucket == other->bucket;
}

/*
 * SUMMARY_NO_ROOM: what is open has to be taken out first, for there are `max` of them or the sum would not fit.
 * What comes later is a second summary of its kind then.
 */
static enum summary_added summary_cells_add(struct summary_cells *cells, const struct summary_cell *cell,
					    size_t max)
{
	uint32_t known = hash_index_find(&cells->index, hash_of(cell), is_same, cells->cells, cell);
	if (known != HASH_INDEX_NONE)
		return segment_summary_merge(&cells->cells[known].summary, &cell->summary) ? SUMMARY_ADDED
											   : SUMMARY_NO_ROOM;
	if (cells->count >= max)
		return SUMMARY_NO_ROOM;
	if (!array_reserve(&cells->cells, &cells->capacity, cells->count + 1) ||
	    !hash_index_reserve(&cells->index, cells->count + 1, hash_at, cells->cells))
		return SUMMARY_NO_MEMORY;
	hash_index_add(&cells->index, hash_of(cell), (uint32_t)cells->count);
	cells->cells[cells->count++] = *cell;
	return SUMMARY_ADDED;
}

static void summary_cells_release(struct summary_cells *cells)
{
	free(cells->cells);
	hash_index_release(&cells->index);
	*cells = (struct summary_cells){ 0 };
}

/* ---- part sums ----------------------------------------------------------------------------------------------- */

/* With wider parts than these, a percentile is not found sooner than in the buckets. */
enum { LOG2_MIN = 2 };

static enum summary_added part_sums_add_one(struct part_sums *sums, const struct segment_summary *summary,
					    size_t bucket)
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
		added = part_sums_add_one(sums, summary,
					  duration_bucket_of(&sums->parts.buckets, summary->longest));
	}
	summary_cells_release(&cells);
	return added;
}

/* `bucket` is that of the duration.  Returns false if memory runs out. */
static bool part_sums_add(struct part_sums *sums, const struct segment_summary *segment, size_t bucket)
{
	struct segment_summary summary = *segment;
	if (sums->log2 == 0)
		return true;
	summary.value = histree_null();
	enum summary_added added = part_sums_add_one(sums, &summary, bucket);
	while (added == SUMMARY_NO_ROOM && sums->log2 > LOG2_MIN && sums->cells.count >= sums->max) {
		added = widen(sums);
		if (added == SUMMARY_ADDED)
			added = part_sums_add_one(sums, &summary, bucket);
	}
	if (added == SUMMARY_NO_ROOM) {
		sums->log2 = 0;
		part_sums_release(sums);
	}
	return added != SUMMARY_NO_MEMORY;
}

static void part_sums_release(struct part_sums *sums)
{
	summary_cells_release(&sums->cells);
}

/* ---- levels ------------------------------------------------------------------------------------------ */

enum {
	CELL_SEGMENTS = 256, /* the least average number of segments in a cell of the lowest level */
	NODE_SIZE = 8 << 10,
	BUFFER_SIZE = 1 << 20,
	SUMMARY_BYTES = 16,  /* about */
	PARTS_MAX = 1 << 16, /* of summaries by parts, which are in memory together: 7 MB */
	SLICES_AT_ONCE = 2,  /* a store of fewer slices is one */
	TRIAL_PART = 32,     /* of the segments, after which it is known what a level will have */
};

/* ---- files -------------------------------------------------------------------------------------------- */

/* Until it is known which of them are kept, they have numbers of their own. */
static char *path_of_level(const struct segment_pyramid *pyramid, unsigned level)
{
	char *path = segment_overview_path(pyramid->path, level + 1);
	char *made = path != NULL ? malloc(strlen(path) + sizeof(".new")) : NULL;
	if (made != NULL)
		sprintf(made, "%s.new", path);
	free(path);
	return made;
}

static void drop_file(struct segment_pyramid *pyramid, struct segment_level *level)
{
	histree_segment_store_close(level->store);
	level->store = NULL;
	if (level->path != NULL)
		pyramid->io->unlink(pyramid->io->context, level->path);
	free(level->path);
	level->path = NULL;
}

static enum histree_status create_file(struct segment_pyramid *pyramid, unsigned number,
				       struct histree_error *error)
{
	struct segment_level *level = &pyramid->levels[number];
	struct histree_segment_field fields[SUMMARY_FIELD_COUNT];
	char provider[SEGMENT_OVERVIEW_PROVIDER_SIZE];
	bool is_parts = number == LEVEL_OF_PARTS;
	size_t field = is_parts ? SEGMENT_OVERVIEWS_TOGETHER : pyramid->field;
	bool together = field == SEGMENT_OVERVIEWS_TOGETHER;
	const struct segment_overview_name name = { pyramid->of->identity, pyramid->of->segment_count, field,
						    level->width_log2, is_parts ? pyramid->parts.log2 : 0 };
	segment_summary_fields(together ? HISTREE_INT : pyramid->of->schema.fields[pyramid->field].type, fields);
	segment_overview_provider(&name, provider);
	level->path = path_of_level(pyramid, number);
	if (level->path == NULL)
		return error_memory(error, "an overview");
	const struct histree_segment_store_options options = {
		.path = level->path,
		.schema = { provider, SEGMENT_OVERVIEW_VERSION, fields, SUMMARY_FIELD_COUNT },
		.node_size = NODE_SIZE,
		.memory_max = BUFFER_SIZE,
	};
	pyramid->io->unlink(pyramid->io->context, level->path); /* of a maker that died */
	return segment_store_create(pyramid->io, &options, &level->store, error);
}

/* ---- cells -------------------------------------------------------------------------------------------- */

/* The shortest power of two in which there are `segments` segments or more on average. */
static unsigned width_of(const struct histree_segment_store_info *of, uint64_t segments)
{
	uint64_t span = (uint64_t)of->end - (uint64_t)of->start;
	uint64_t width = span / (of->segment_count / segments + 1);
	unsigned log2 = 0;
	while (log2 < 63 && width >> log2 > 1)
		log2++;
	return log2;
}

static uint64_t summaries_max(const struct segment_pyramid *pyramid)
{
	const struct segment_overview_limits *limits = &pyramid->limits;
	uint64_t of_bytes = limits->bytes_max / 3 * 2 / SUMMARY_BYTES;
	return of_bytes < limits->summaries_max ? of_bytes : limits->summaries_max;
}

static void drop(struct segment_pyramid *pyramid, struct segment_level *level)
{
	drop_file(pyramid, level);
	level->is_dropped = true;
}

static enum histree_status write_summary(struct segment_pyramid *pyramid, unsigned number,
					 const struct segment_summary *summary, struct histree_error *error)
{
	struct segment_level *level = &pyramid->levels[number];
	struct histree_value content[SUMMARY_FIELD_COUNT];
	const struct histree_segment segment = segment_summary_put(summary, content);
	enum histree_status status = level->store == NULL ? create_file(pyramid, number, error) : HISTREE_OK;
	if (status == HISTREE_OK)
		status = histree_segment_store_add(level->store, &segment, error);
	level->summaries++;
	if (status != HISTREE_ERR_TOO_LARGE)
		return status;
	drop(pyramid, level); /* of a value too long for its nodes */
	return HISTREE_OK;
}

/*
 * How many times more summaries a level has, with those that are open, than it may, or, long before that, is going
 * to have; below 1: not too many.
 */
static double excess_of(const struct segment_pyramid *pyramid, const struct segment_level *level)
{
	uint64_t max = summaries_max(pyramid), all = pyramid->of->segment_count;
	double has = (double)level->summaries + (double)level->cells.count;
	double excess = has / ((double)max + 1);
	double expected = has * ((double)all / (double)pyramid->seen) / (2 * (double)max + 1);
	return pyramid->seen > all / TRIAL_PART && expected > excess ? expected : excess;
}

/*
 * Each level with a file is to have a third as many summaries as the one before.  Where segments come in several
 * slices, the lowest may turn out to have too many: the one after it, which stands by, does not count.  Those with
 * cells longer than a slice are written at other times than these, and are few.
 */
static bool is_one_too_many(const struct segment_pyramid *pyramid, unsigned number)
{
	bool is_known = pyramid->slice_log2 == ONE_SLICE;
	bool is_likely = pyramid->seen > pyramid->of->segment_count / TRIAL_PART;
	unsigned files = 0;
	uint64_t before = 0;
	for (unsigned i = 0; i < number; i++)
		if (pyramid->levels[i].store != NULL && (is_known || files++ != 1))
			before = pyramid->levels[i].summaries;
	const struct segment_level *level = &pyramid->levels[number];
	if (before == 0 || level->width_log2 > pyramid->slice_log2 || !(is_known || (is_likely && files > 1)))
		return false;
	return level->summaries + level->cells.count > before / 3;
}

/*
 * A cell twice as long has half as many summaries at best, which gives the number of levels up that may have few
 * enough.
 */
static void drop_levels(struct segment_pyramid *pyramid, unsigned number, double excess)
{
	for (; excess > 1 && number < pyramid->count; excess /= 2)
		drop(pyramid, &pyramid->levels[number++]);
}

/* The next level that has a file or may get one; the last one takes all that comes. */
static unsigned next_level(const struct segment_pyramid *pyramid, unsigned number)
{
	number++;
	while (number + 1 < pyramid->count && pyramid->levels[number].is_dropped &&
	       pyramid->levels[number].cells.count == 0)
		number++;
	return number;
}

static enum histree_status enter(struct segment_pyramid *pyramid, unsigned number, const struct summary_cell *cell,
				 struct histree_error *error);

/* One that is too large makes room for the next, before that is written. */
static enum histree_status finish_level(struct segment_pyramid *pyramid, unsigned number,
					struct histree_error *error)
{
	struct segment_level *level = &pyramid->levels[number];
	if (level->store == NULL || level->store->finished)
		return HISTREE_OK;
	enum histree_status status = histree_segment_store_finish(level->store, error);
	if (status == HISTREE_OK &&
	    histree_segment_store_info(level->store)->file_bytes > pyramid->limits.bytes_max)
		drop(pyramid, level);
	return status;
}

/* Its summaries go to its file and up the pyramid. */
static enum histree_status flush(struct segment_pyramid *pyramid, unsigned number, struct histree_error *error)
{
	struct segment_level *level = &pyramid->levels[number];
	enum histree_status status = HISTREE_OK;
	if (level->cells.count == 0)
		return HISTREE_OK;
	if (!level->is_dropped)
		drop_levels(pyramid, number, excess_of(pyramid, level));
	if (!level->is_dropped && is_one_too_many(pyramid, number))
		drop(pyramid, level);
	unsigned next = next_level(pyramid, number);
	for (size_t i = 0; i < level->cells.count && status == HISTREE_OK; i++) {
		const struct summary_cell *cell = &level->cells.cells[i];
		if (!level->is_dropped)
			status = write_summary(pyramid, number, &cell->summary, error);
		if (status == HISTREE_OK && next < pyramid->count)
			status = enter(pyramid, next, cell, error);
	}
	level->cells.count = 0;
	hash_index_clear(&level->cells.index);
	return status;
}

static uint64_t period_of(const struct segment_pyramid *pyramid, const struct segment_level *level,
			  histree_time start)
{
	if (level->width_log2 > pyramid->slice_log2)
		return segment_overview_cell(start, level->width_log2);
	return pyramid->slice_log2 < ONE_SLICE ? segment_overview_cell(start, pyramid->slice_log2) : 0;
}

/* The calls go up the pyramid, never down, so they are no deeper than it. */
static enum histree_status enter(struct segment_pyramid *pyramid, unsigned number,
				 const struct summary_cell *entered, struct histree_error *error)
{
	struct segment_level *level = &pyramid->levels[number];
	struct summary_cell cell = *entered;
	histree_time start = cell.summary.longest_start;
	uint64_t period = period_of(pyramid, level, start);
	enum histree_status status = HISTREE_OK;
	if (level->cells.count > 0 && period != level->period)
		status = flush(pyramid, number, error);
	level->period = period;
	cell.time = segment_overview_cell(start, level->width_log2);
	while (status == HISTREE_OK) {
		switch (summary_cells_add(&level->cells, &cell, pyramid->cells_max)) {
		case SUMMARY_ADDED:
			return HISTREE_OK;
		case SUMMARY_NO_MEMORY:
			return error_memory(error, "an overview");
		case SUMMARY_NO_ROOM:
			status = flush(pyramid, number, error);
			break;
		}
	}
	return status;
}

/* What they have left goes up; nothing enters them again. */
static enum histree_status pass_by_dropped(struct segment_pyramid *pyramid, struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	while (status == HISTREE_OK && pyramid->first + 1 < pyramid->count &&
	       pyramid->levels[pyramid->first].is_dropped) {
		status = flush(pyramid, pyramid->first, error);
		summary_cells_release(&pyramid->levels[pyramid->first++].cells);
	}
	return status;
}

/* No more segments of a slice come. */
static enum histree_status segment_pyramid_end_slice(struct segment_pyramid *pyramid, struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	for (unsigned i = pyramid->first; i < pyramid->count && status == HISTREE_OK; i++) {
		if (pyramid->levels[i].width_log2 > pyramid->slice_log2)
			break;
		status = flush(pyramid, i, error);
		if (status == HISTREE_OK && pyramid->slice_log2 == ONE_SLICE)
			status = finish_level(pyramid, i, error);
	}
	return status == HISTREE_OK ? pass_by_dropped(pyramid, error) : status;
}

/* ---- what is kept ------------------------------------------------------------------------------------- */

/*
 * Choose from level `first` up: each has half as many summaries as the one before at most, until they are few.
 * Returns the bytes of all.
 */
static uint64_t choose_from(const struct segment_pyramid *pyramid, unsigned first, bool chosen[LEVELS_MAX])
{
	uint64_t bytes = 0, before = UINT64_MAX;
	for (unsigned i = 0; i < pyramid->count; i++) {
		const struct segment_level *level = &pyramid->levels[i];
		chosen[i] = i >= first && level->store != NULL && level->summaries <= before / 20 * 9 &&
			    before > pyramid->limits.enough;
		if (!chosen[i])
			continue;
		before = level->summaries;
		bytes += histree_segment_store_info(level->store)->file_bytes;
	}
	return bytes;
}

/* The shortest cells with which all together are small enough. */
static void choose(struct segment_pyramid *pyramid)
{
	bool chosen[LEVELS_MAX] = { false };
	unsigned first = 0;
	while (choose_from(pyramid, first, chosen) > pyramid->limits.bytes_max)
		first++;
	for (unsigned i = 0; i < pyramid->count; i++)
		if (!chosen[i])
			drop_file(pyramid, &pyramid->levels[i]);
}

static enum histree_status write_parts(struct segment_pyramid *pyramid, struct histree_error *error)
{
	struct segment_level *level = &pyramid->levels[LEVEL_OF_PARTS];
	enum histree_status status = HISTREE_OK;
	for (size_t i = 0; i < pyramid->parts.cells.count && status == HISTREE_OK && !level->is_dropped; i++)
		status = write_summary(pyramid, LEVEL_OF_PARTS, &pyramid->parts.cells.cells[i].summary, error);
	if (status == HISTREE_OK && level->store != NULL)
		status = histree_segment_store_finish(level->store, error);
	if (status == HISTREE_OK && level->store != NULL &&
	    histree_segment_store_info(level->store)->file_bytes > pyramid->limits.parts_bytes)
		drop(pyramid, level);
	return status;
}

/* ---- segment overview writer --------------------------------------------------------------------------------- */

enum {
	SEGMENTS_MIN = 1 << 17, /* fewer are all read and sorted in 30 ms, which is fast enough */
	BYTES_PART = 8,         /* of the store's nodes, which overviews by cells may take */
	PARTS_PART = 40,        /* the same of that by parts: 15 % together */
	FEWER = 16,             /* an overview has at least this many times fewer summaries than segments */
	ENOUGH = 2048,
	SLICE = 1 << 17,
	VALUES_MAX = 1 << 16,
};

struct maker {
	struct segment_pyramid pyramid;
	struct value_table values;
	struct histree_cursor *iter;
};

/* What charts of segments are drawn by: the text field "name", or the first text field. */
static size_t field_of(const struct histree_segment_schema *schema)
{
	size_t found = SEGMENT_OVERVIEWS_TOGETHER;
	for (size_t i = schema->field_count; i-- > 0;) {
		if (schema->fields[i].type != HISTREE_STRING)
			continue;
		if (strcmp(schema->fields[i].name, "name") == 0)
			return i;
		found = i;
	}
	return found;
}

static enum histree_status segment_overview_writer_add(struct maker *maker, const struct histree_segment *segment,
						       struct histree_error *error)
{
	size_t field = maker->pyramid.field;
	uint32_t number = 0;
	enum histree_status status = HISTREE_OK;
	if (field != SEGMENT_OVERVIEWS_TOGETHER)
		status = value_table_add(&maker->values, &segment->content[field], &number, error);
	if (status == HISTREE_OK && maker->values.count > VALUES_MAX)
		return HISTREE_END;
	if (status != HISTREE_OK)
		return status;

	/* `number` is that of the value, whose bytes stay where they are. */
	const struct histree_value *value = &maker->values.values[number];
	const struct summary_cell cell = {
		.summary = segment_summary_of(segment, value),
		.value = number,
		.bucket = (uint32_t)duration_bucket_of(&maker->pyramid.buckets, histree_segment_duration(segment)),
	};
	maker->pyramid.seen++;
	if (!part_sums_add(&maker->pyramid.parts, &cell.summary, cell.bucket))
		return error_memory(error, "an overview");
	status = enter(&maker->pyramid, maker->pyramid.first, &cell, error);
	return status == HISTREE_OK ? pass_by_dropped(&maker->pyramid, error) : status;
}

/* The segments that start in [from, to], as they lie in the file: sorting would cost as much as the rest. */
struct slice {
	histree_time from, to;
};

static bool may_start(void *context, const struct segment_bounds *bounds)
{
	const struct slice *slice = context;
	return bounds->start_min <= slice->to && bounds->start_max >= slice->from;
}

static enum histree_status read_slice(struct maker *maker, struct slice slice, struct histree_work work,
				      struct histree_error *error)
{
	const struct histree_segment_query query = { .from = slice.from, .to = slice.to, .work = work };
	bool together = maker->pyramid.field == SEGMENT_OVERVIEWS_TOGETHER;
	const struct segment_choice choice = { may_start, &slice, together ? 1 : maker->pyramid.field + 1 };
	enum histree_status status = segments_start_choice(maker->iter, &query, choice, error);
	while (status == HISTREE_OK && (status = histree_cursor_next(maker->iter, error)) == HISTREE_OK) {
		status = segment_overview_writer_add(maker, histree_cursor_segment(maker->iter), error);
		if (status == HISTREE_END)
			return status;
	}
	if (status == HISTREE_END && histree_cursor_loss(maker->iter).nodes > 0)
		return error_set(error, HISTREE_ERR_FORMAT,
				 "'%s': a node is damaged, and overviews need all segments", maker->pyramid.path);
	return status == HISTREE_END ? segment_pyramid_end_slice(&maker->pyramid, error) : status;
}

/* HISTREE_END: it has too many values for summaries to be worth it. */
static enum histree_status read_segments(struct maker *maker, struct histree_work work, struct histree_error *error)
{
	const struct histree_segment_store_info *of = maker->pyramid.of;
	uint64_t last = segment_overview_cell(of->end, 0);
	uint64_t last_of_slice =
		maker->pyramid.slice_log2 < ONE_SLICE ? (UINT64_C(1) << maker->pyramid.slice_log2) - 1 : UINT64_MAX;
	enum histree_status status = HISTREE_OK;
	for (uint64_t from = segment_overview_cell(of->start, 0), to; status == HISTREE_OK; from = to + 1) {
		to = (from | last_of_slice) < last ? from | last_of_slice : last;
		struct slice slice = { segment_overview_time(from), segment_overview_time(to) };
		status = read_slice(maker, slice, work, error);
		if (to == last)
			break;
	}
	if (status == HISTREE_OK && maker->pyramid.seen != of->segment_count)
		return error_set(error, HISTREE_ERR_FORMAT, "'%s': has not the segments that it says it has",
				 maker->pyramid.path);
	if (status != HISTREE_OK)
		return status;

	/* Write what is open, and remove the files that are not worth their bytes. */
	for (unsigned i = 0; i < maker->pyramid.count && status == HISTREE_OK; i++)
		status = flush(&maker->pyramid, i, error);
	for (unsigned i = 0; i < maker->pyramid.count && status == HISTREE_OK; i++)
		status = finish_level(&maker->pyramid, i, error);
	if (status == HISTREE_OK)
		choose(&maker->pyramid);
	if (status == HISTREE_OK)
		status = write_parts(&maker->pyramid, error);
	return status;
}

static enum histree_status give_name(struct segment_pyramid *pyramid, struct segment_level *level, uint32_t number,
				     struct histree_error *error)
{
	char *path = segment_overview_path(pyramid->path, number);
	enum histree_status status = HISTREE_OK;
	if (path == NULL)
		return error_memory(error, "an overview");
	histree_segment_store_close(level->store);
	level->store = NULL;
	if (pyramid->io->rename(pyramid->io->context, level->path, path) != 0) {
		status = error_set(error, HISTREE_ERR_IO, "cannot rename '%s'", level->path);
	} else {
		free(level->path);
		level->path = NULL;
	}
	free(path);
	return status;
}

/* Those that are kept are numbered, the shortest cells first; that of parts is nothing without them. */
static enum histree_status give_names(struct segment_pyramid *pyramid, struct histree_error *error)
{
	uint32_t given = 0;
	enum histree_status status = HISTREE_OK;
	for (unsigned i = 0; i < pyramid->count && status == HISTREE_OK; i++)
		if (pyramid->levels[i].store != NULL)
			status = give_name(pyramid, &pyramid->levels[i], ++given, error);
	struct segment_level *parts = &pyramid->levels[LEVEL_OF_PARTS];
	if (status == HISTREE_OK && parts->store != NULL && given > 0 && given < SEGMENT_OVERVIEWS_MAX)
		status = give_name(pyramid, parts, given + 1, error);
	return status;
}

static enum histree_status remove_all(const struct segment_pyramid *pyramid, struct histree_error *error)
{
	for (uint32_t number = 1; number <= SEGMENT_OVERVIEWS_MAX; number++) {
		char *path = segment_overview_path(pyramid->path, number);
		if (path == NULL)
			return error_memory(error, "an overview");
		pyramid->io->unlink(pyramid->io->context, path);
		free(path);
	}
	return HISTREE_OK;
}

static enum histree_status segment_pyramid_make(struct maker *maker, struct histree_segment_store *store,
						struct histree_work work, struct histree_error *error)
{
	enum histree_status status = value_table_reset(&maker->values, error);
	if (status == HISTREE_OK)
		status = histree_segments_create(store, &maker->iter, error);
	if (status == HISTREE_OK) {
		/* The pyramid, which knows whose it is, gets its levels. */
		const struct histree_segment_store_info *of = maker->pyramid.of;
		uint64_t span = (uint64_t)of->end - (uint64_t)of->start;
		duration_buckets_init(&maker->pyramid.buckets, SUMMARY_BUCKETS_PER_DECADE);
		/* A level that has more open ones than it may have at all is dropped, the sooner the better. */
		uint64_t max = summaries_max(&maker->pyramid);
		maker->pyramid.cells_max = max < SUMMARY_CELLS_MAX - 2 ? (size_t)max + 2 : SUMMARY_CELLS_MAX;
		uint64_t parts = maker->pyramid.limits.parts_bytes / 3 * 2 / SUMMARY_BYTES;
		maker->pyramid.parts.max = parts < PARTS_MAX ? (size_t)parts : PARTS_MAX;
		maker->pyramid.parts.longest = of->duration_max;
		maker->pyramid.parts.log2 = maker->pyramid.parts.max > 0 ? DURATION_PARTS_LOG2_MAX : 0;
		duration_parts_init(&maker->pyramid.parts.parts, maker->pyramid.parts.log2,
				    maker->pyramid.parts.longest);
		maker->pyramid.levels[LEVEL_OF_PARTS].width_log2 = SEGMENT_OVERVIEW_OF_ALL;
		maker->pyramid.slice_log2 = of->segment_count / SLICES_AT_ONCE < maker->pyramid.limits.slice
						    ? ONE_SLICE
						    : width_of(of, maker->pyramid.limits.slice);
		for (unsigned width = width_of(of, CELL_SEGMENTS); maker->pyramid.count < LEVELS_MAX && width <= 63;
		     width++) {
			maker->pyramid.levels[maker->pyramid.count++].width_log2 = width;
			if (span >> width == 0)
				break;
		}
		status = read_segments(maker, work, error);
	}
	if (status == HISTREE_OK)
		status = give_names(&maker->pyramid, error);
	return status == HISTREE_END ? HISTREE_OK : status;
}

struct segment_overview_limits segment_overview_limits(const struct histree_segment_store_info *of)
{
	return (struct segment_overview_limits){
		.segments_min = SEGMENTS_MIN,
		.bytes_max = of->node_bytes / BYTES_PART,
		.parts_bytes = of->node_bytes / PARTS_PART,
		.summaries_max = of->segment_count / FEWER,
		.enough = ENOUGH,
		.slice = SLICE,
	};
}

enum histree_status segment_overviews_write(struct histree_segment_store *store,
					    const struct segment_overview_limits *limits, struct histree_work work,
					    struct histree_error *error)
{
	if (!store->finished || store->backend->cursor_choose == NULL)
		return error_set(error, HISTREE_ERR_ARGUMENT,
				 "only a finished segment store on disk has overviews");
	struct maker *maker = calloc(1, sizeof(*maker));
	if (maker == NULL)
		return error_memory(error, "overviews");
	maker->pyramid = (struct segment_pyramid){
		.io = store->room.io,
		.path = store->path,
		.of = &store->info,
		.field = field_of(&store->info.schema),
		.limits = *limits,
	};
	segment_overviews_close(store->overviews);
	store->overviews = NULL;
	enum histree_status status = remove_all(&maker->pyramid, error);
	if (status == HISTREE_OK && store->info.segment_count >= limits->segments_min &&
	    store->info.segment_count > 0)
		status = segment_pyramid_make(maker, store, work, error);
	if (status != HISTREE_OK)
		remove_all(&maker->pyramid, NULL);
	histree_cursor_free(maker->iter);

	/* Close all, and remove the files that are left. */
	for (unsigned i = 0; i <= LEVEL_OF_PARTS; i++) {
		drop_file(&maker->pyramid, &maker->pyramid.levels[i]);
		summary_cells_release(&maker->pyramid.levels[i].cells);
	}
	part_sums_release(&maker->pyramid.parts);
	maker->pyramid.count = 0;
	value_table_release(&maker->values);
	free(maker);
	return status;
}

enum histree_status histree_segment_store_make_overviews(struct histree_segment_store *store,
							 struct histree_work work, struct histree_error *error)
{
	const struct segment_overview_limits limits = segment_overview_limits(&store->info);
	return segment_overviews_write(store, &limits, work, error);
}
