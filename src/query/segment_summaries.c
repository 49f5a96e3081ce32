// SPDX-License-Identifier: MIT
/*
 * segment_summaries.c - the summaries of segments from which a question is answered, of one store or of a union.
 *
 * A density counts segments by bucket of duration, column of time and value; from summaries if the store has
 * suitable ones.
 */
#include "query/segment_summaries.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/search.h"
#include "base/table.h"
#include "histree/segment_stats.h"
#include "histree/segments.h"
#include "query/row_group.h"
#include "query/value_table.h"
#include "segment/segment_memory.h"
#include "segment/segment_overviews.h"
#include "segment/segment_summary.h"
#include "segment/segment_union.h"
#include "segment_tree/segment_scan.h"

/* ---- segment summaries --------------------------------------------------------------------------------------- */

/* The parts of a union that a query reads, one after the other. */
struct summary_parts {
	const struct histree_segment_store *store;
	const struct summaries_request *request; /* of the union */
	size_t next;
	struct histree_segment_store *part; /* the current one; NULL: it is missing */
	struct summaries_request of_part;   /* its own */
	struct histree_value value;         /* that its summaries get */
	bool has_value;                     /* false: they have theirs */
};

static inline bool summary_parts_has(const struct histree_segment_store *store)
{
	size_t count;
	return histree_segment_store_parts(store, &count) != NULL;
}

/* ---- summary parts ------------------------------------------------------------------------------------------- */

/* Begin before the first part; both are borrowed. */
static struct summary_parts summary_parts(const struct histree_segment_store *store,
					  const struct summaries_request *request)
{
	return (struct summary_parts){ .store = store, .request = request };
}

/* Hands it on as it is, but with a null value if the part does not have that field. */
static enum histree_status segment_summaries_take(void *context, const struct segment_summary *summary,
						  struct histree_error *error)
{
	const struct summary_parts *parts = context;
	struct segment_summary own = *summary;
	if (parts->has_value)
		own.value = parts->value;
	return parts->request->take(parts->request->context, &own, error);
}

/* The field of a part for a field of the union; `together`: the part does not have it, or it is the host. */
static size_t field_of_part(const struct segment_union *body, const struct union_part *part, size_t field)
{
	if (field == SEGMENT_OVERVIEWS_TOGETHER || field + 1 == body->field_count ||
	    part->fields[field] == UNION_NO_FIELD)
		return SEGMENT_OVERVIEWS_TOGETHER;
	return part->fields[field];
}

static bool is_wanted(const struct segment_union *body, size_t part, const struct histree_segment_query *query)
{
	return query->host_filter == NULL || query->host_filter(query->host_context, body->parts[part].name);
}

/* Go to the next wanted part; false: there is no further one. */
static bool summary_parts_next(struct summary_parts *parts)
{
	const struct segment_union *body = parts->store->body;
	const struct summaries_request *request = parts->request;
	while (parts->next < body->part_count) {
		size_t at = parts->next++;
		const struct union_part *part = &body->sources[at];
		if (!is_wanted(body, at, request->query))
			continue;
		bool is_host = request->field + 1 == body->field_count;
		parts->part = part->store;
		parts->of_part = *request;
		parts->of_part.field = field_of_part(body, part, request->field);
		parts->of_part.context = parts;
		parts->of_part.take = segment_summaries_take;
		parts->has_value = parts->of_part.field == SEGMENT_OVERVIEWS_TOGETHER;
		parts->value = is_host ? part->host : histree_null();
		return true;
	}
	return false;
}

/* ---- segment summaries --------------------------------------------------------------------------------------- */

/* A window of fewer of the shortest cells is cut into little else than single segments. */
enum { WINDOW_CELLS = 4 };

/* Times as numbers from 0 on, as cells count them. */
static uint64_t number_of(histree_time time)
{
	return segment_overview_cell(time, 0);
}

struct reading {
	struct histree_segment_store *store;
	const struct segment_overviews *overviews;
	const struct summaries_request *request;
	struct duration_buckets buckets;
	struct histree_error *error;
	uint64_t count; /* of segments that were taken */
};

bool segment_summaries_can(struct histree_segment_store *store, const struct histree_segment_query *query,
			   size_t field)
{
	const bool is_regrouped = query->group != NULL && field != SEGMENT_OVERVIEWS_TOGETHER;
	if (query->filter != NULL || is_regrouped || query->from > query->to)
		return false;
	if (summary_parts_has(store)) {
		/* Each part that is wanted can be read by one of both ways, and one at least by summaries. */
		const struct summaries_request request = { .query = query, .field = field };
		struct summary_parts parts = summary_parts(store, &request);
		bool any = false;
		while (summary_parts_next(&parts)) {
			if (parts.part == NULL || parts.part->backend->cursor_choose == NULL)
				return false;
			any = any || segment_summaries_can(parts.part, query, parts.of_part.field);
		}
		return any;
	}
	const struct segment_overviews *overviews = segment_store_overviews(store);
	if (overviews == NULL || (field != SEGMENT_OVERVIEWS_TOGETHER && field != overviews->field))
		return false;
	const struct histree_segment_store_info *info = histree_segment_store_info(store);
	if (query->from <= info->start && query->to >= info->end)
		return true;
	uint64_t span = (uint64_t)query->to - (uint64_t)query->from;
	return span >> overviews->overviews[0].width_log2 >= WINDOW_CELLS;
}

/* Returns the overview with the longest cells up to a width, or -1. */
static int find_level(const struct segment_overviews *overviews, unsigned width_log2_max)
{
	int level = overviews != NULL ? (int)overviews->count - 1 : -1;
	while (level >= 0 && overviews->overviews[level].width_log2 > width_log2_max)
		level--;
	return level;
}

unsigned segment_summaries_width(struct histree_segment_store *store, unsigned width_log2_max)
{
	if (summary_parts_has(store)) {
		/* For a union, the longest cells that any part has. */
		size_t count;
		const struct histree_segment_part *parts = histree_segment_store_parts(store, &count);
		unsigned longest = UINT_MAX;
		for (size_t i = 0; i < count; i++) {
			unsigned width = parts[i].store != NULL
						 ? segment_summaries_width(parts[i].store, width_log2_max)
						 : UINT_MAX;
			if (width != UINT_MAX && (longest == UINT_MAX || width > longest))
				longest = width;
		}
		return longest;
	}
	const struct segment_overviews *overviews = segment_store_overviews(store);
	int level = find_level(overviews, width_log2_max);
	return level >= 0 ? overviews->overviews[level].width_log2 : UINT_MAX;
}

/* Returns the width of the shortest cells; there are some. */
static unsigned segment_summaries_shortest(struct histree_segment_store *store)
{
	size_t count;
	const struct histree_segment_part *parts = histree_segment_store_parts(store, &count);
	unsigned shortest = 0;
	if (parts == NULL)
		return segment_store_overviews(store)->overviews[0].width_log2;
	for (size_t i = 0; i < count; i++) {
		struct histree_segment_store *part = parts[i].store;
		if (part == NULL || segment_store_overviews(part) == NULL)
			continue;
		unsigned of_part = segment_summaries_shortest(part);
		shortest = of_part > shortest ? of_part : shortest;
	}
	return shortest;
}

/* ---- one file ------------------------------------------------------------------------------------------ */

/* Which starts and durations are wanted. */
struct starts {
	histree_time from, to;
};

static bool may_start(void *context, const struct segment_bounds *bounds)
{
	const struct starts *starts = context;
	return bounds->start_min <= starts->to && bounds->start_max >= starts->from;
}

/*
 * Whether it can be of a cell of its overview, and of segments of the store.  That is not all that can be wrong
 * with a summary whose checksum is right, but all that one summary shows (docs/design/05-pyramid.md).
 */
static bool is_plausible(const struct reading *reading, const struct segment_summary *summary, unsigned width_log2)
{
	const struct histree_segment_store_info *info = histree_segment_store_info(reading->store);
	uint64_t last = number_of(info->end), start = number_of(summary->longest_start);
	return start <= last && summary->longest <= last - start && summary->shortest_start >= info->start &&
	       summary->longest_start >= info->start && summary->longest <= info->duration_max &&
	       summary->shortest >= info->duration_min && summary->count <= info->segment_count &&
	       segment_overview_cell(summary->shortest_start, width_log2) == start >> width_log2;
}

/* From an overview, if that is not NULL. */
static enum histree_status take_segment(struct reading *reading, const struct histree_segment *segment,
					const struct segment_overview *overview)
{
	const struct summaries_request *request = reading->request;
	const struct histree_value null = histree_null();
	struct segment_summary summary;
	bool together = request->field == SEGMENT_OVERVIEWS_TOGETHER;
	if (overview == NULL)
		summary = segment_summary_of(segment, together ? &null : &segment->content[request->field]);
	else if (!segment_summary_get(&reading->buckets, segment, &summary) ||
		 !is_plausible(reading, &summary, overview->width_log2))
		return HISTREE_PARTIAL;
	reading->count += summary.count;
	if (together)
		summary.value = null;
	return request->take(request->context, &summary, reading->error);
}

/* Reads the store if `overview` is NULL; `window` is what the segments of the file overlap. */
static enum histree_status read_file(struct reading *reading, const struct segment_overview *overview,
				     struct segment_window window, struct segment_choice choice)
{
	const struct histree_segment_query query = { .from = window.from,
						     .to = window.to,
						     .work = reading->request->query->work };
	struct histree_cursor *iter;
	if (overview == NULL)
		choice.field_count =
			reading->request->field == SEGMENT_OVERVIEWS_TOGETHER ? 1 : reading->request->field + 1;
	enum histree_status status =
		histree_segments_create(overview != NULL ? overview->store : reading->store, &iter, reading->error);
	if (status != HISTREE_OK)
		return status;
	status = segments_start_choice(iter, &query, choice, reading->error);
	while (status == HISTREE_OK && (status = histree_cursor_next(iter, reading->error)) == HISTREE_OK)
		status = take_segment(reading, histree_cursor_segment(iter), overview);
	if (status == HISTREE_END && histree_cursor_loss(iter).nodes > 0)
		status = HISTREE_PARTIAL;
	histree_cursor_free(iter);
	/* What an overview lacks or says wrongly is no fault of the store. */
	if (overview != NULL && status == HISTREE_ERR_FORMAT)
		return HISTREE_PARTIAL;
	return status == HISTREE_END ? HISTREE_OK : status;
}

static enum histree_status read_starts_of(struct reading *reading, const struct segment_overview *overview,
					  histree_time from, histree_time to)
{
	struct starts starts = { from, to };
	return read_file(reading, overview, (struct segment_window){ from, to },
			 (struct segment_choice){ .may_have = may_start, .context = &starts });
}

/* ---- cutting the window --------------------------------------------------------------------------------- */

/* Segments that start in [from, to], numbers both, from overview `level` and those with shorter cells. */
static enum histree_status read_range(struct reading *reading, int level, uint64_t from, uint64_t to)
{
	const struct histree_segment_store_info *info = histree_segment_store_info(reading->store);
	bool alone = reading->request->longest_alone;
	if (level < 0 && alone)
		return HISTREE_OK; /* a part of a union that has no cells */
	if (level < 0)
		return read_starts_of(reading, NULL, segment_overview_time(from), segment_overview_time(to));
	const struct segment_overview *overview = &reading->overviews->overviews[level];
	uint64_t last_of_cell = (UINT64_C(1) << overview->width_log2) - 1;
	/* Where the store has nothing before or after, the cell at its end is whole. */
	uint64_t first = from <= number_of(info->start) ? from & ~last_of_cell : from;
	uint64_t last = to >= number_of(info->end) ? to | last_of_cell : to;
	uint64_t cells_first = (first & last_of_cell) == 0 ? first : (first | last_of_cell) + 1;
	uint64_t cells_last = (last & last_of_cell) == last_of_cell ? last : (last & ~last_of_cell) - 1;
	/* Wrapped: no cell begins, or none ends. */
	bool none = cells_first < first || cells_last > last || cells_first > cells_last;
	if (none && !alone)
		return read_range(reading, level - 1, from, to);
	if (none)
		return HISTREE_OK;
	enum histree_status status = read_starts_of(reading, overview, segment_overview_time(cells_first),
						    segment_overview_time(cells_last));
	if (status == HISTREE_OK && !alone && cells_first > from)
		status = read_range(reading, level - 1, from, cells_first - 1);
	if (status == HISTREE_OK && !alone && cells_last < to)
		status = read_range(reading, level - 1, cells_last + 1, to);
	return status;
}

static struct reading segment_summaries_begin(struct histree_segment_store *store,
					      const struct summaries_request *request, struct histree_error *error)
{
	struct reading reading = {
		.store = store, .overviews = segment_store_overviews(store), .request = request, .error = error
	};
	duration_buckets_init(&reading.buckets, SUMMARY_BUCKETS_PER_DECADE);
	return reading;
}

enum histree_status segment_summaries_read_starts(struct histree_segment_store *store,
						  const struct summaries_request *request, histree_time from,
						  histree_time to, struct histree_error *error)
{
	if (summary_parts_has(store)) {
		struct summary_parts parts = summary_parts(store, request);
		enum histree_status status = HISTREE_OK;
		while (status == HISTREE_OK && summary_parts_next(&parts))
			status = segment_summaries_read_starts(parts.part, &parts.of_part, from, to, error);
		return status;
	}
	struct reading reading = segment_summaries_begin(store, request, error);
	const struct histree_segment_store_info *info = histree_segment_store_info(store);
	/* A part of a union may have no such summaries. */
	if (!segment_summaries_can(store, request->query, request->field))
		reading.overviews = NULL;
	int level = find_level(reading.overviews, request->width_log2_max);
	enum histree_status status = read_range(&reading, level, number_of(from), number_of(to));
	bool is_all = from <= info->start && to >= info->end && !request->longest_alone;
	return status == HISTREE_OK && is_all && reading.count != info->segment_count ? HISTREE_PARTIAL : status;
}

bool segment_summaries_can_parts(struct histree_segment_store *store, const struct histree_segment_query *query,
				 size_t field, struct duration_parts *parts)
{
	const struct histree_segment_store_info *info = histree_segment_store_info(store);
	/* Those of several hosts may be of other parts. */
	if (field != SEGMENT_OVERVIEWS_TOGETHER || summary_parts_has(store) ||
	    !segment_summaries_can(store, query, field) || query->from > info->start || query->to < info->end)
		return false;
	const struct segment_overviews *overviews = segment_store_overviews(store);
	duration_parts_init(parts, overviews->parts.parts_log2, info->duration_max);
	return overviews->parts.store != NULL;
}

enum histree_status segment_summaries_read_parts(struct histree_segment_store *store,
						 const struct summaries_request *request,
						 struct histree_error *error)
{
	struct reading reading = segment_summaries_begin(store, request, error);
	enum histree_status status =
		read_file(&reading, &reading.overviews->parts, (struct segment_window){ INT64_MIN, INT64_MAX },
			  (struct segment_choice){ 0 });
	bool is_all = reading.count == histree_segment_store_info(store)->segment_count;
	return status == HISTREE_OK && !is_all ? HISTREE_PARTIAL : status;
}

/* Those that are in the window at its start. */
static enum histree_status segment_summaries_read_earlier(struct histree_segment_store *store,
							  const struct summaries_request *request,
							  struct histree_error *error)
{
	histree_time from = request->query->from;
	if (summary_parts_has(store)) {
		struct summary_parts parts = summary_parts(store, request);
		enum histree_status status = HISTREE_OK;
		while (status == HISTREE_OK && summary_parts_next(&parts))
			status = segment_summaries_read_earlier(parts.part, &parts.of_part, error);
		return status;
	}
	if (from <= histree_segment_store_info(store)->start)
		return HISTREE_OK;
	struct reading reading = segment_summaries_begin(store, request, error);
	struct starts before = { INT64_MIN, from - 1 };
	return read_file(&reading, NULL, (struct segment_window){ from, from },
			 (struct segment_choice){ .may_have = may_start, .context = &before });
}

enum histree_status segment_summaries_read(struct histree_segment_store *store,
					   const struct summaries_request *request, struct histree_error *error)
{
	const struct histree_segment_query *query = request->query;
	enum histree_status status = segment_summaries_read_earlier(store, request, error);
	return status == HISTREE_OK ? segment_summaries_read_starts(store, request, query->from, query->to, error)
				    : status;
}

enum histree_status segment_summaries_read_chosen(struct histree_segment_store *store,
						  const struct summaries_request *request,
						  struct segment_choice choice, struct histree_error *error)
{
	if (summary_parts_has(store)) {
		struct summary_parts parts = summary_parts(store, request);
		enum histree_status status = HISTREE_OK;
		while (status == HISTREE_OK && summary_parts_next(&parts))
			status = segment_summaries_read_chosen(parts.part, &parts.of_part, choice, error);
		return status;
	}
	struct reading reading = segment_summaries_begin(store, request, error);
	const struct histree_segment_query *query = request->query;
	return read_file(&reading, NULL, (struct segment_window){ query->from, query->to }, choice);
}

/* ---- segment density ----------------------------------------------------------------------------------------- */

enum { GROUP_MAX_DEFAULT = 1000, CELLS_MAX = 128 * 1024 * 1024 / sizeof(uint64_t) };

#define NO_GROUP UINT32_MAX
/* `first_cell`: of its columns, one after the other, each with a count for every bucket. */
struct group {
	struct histree_density_group facts;
	size_t first_cell;
};

struct histree_segment_density {
	struct duration_buckets scale;
	size_t first, used; /* the buckets from the least to the greatest that holds a segment */
	struct histree_duration_bucket *buckets; /* those */
	struct pixel_scale columns;
	uint32_t column_count;
	size_t field, group_max;
	struct value_table values;
	uint32_t *group_of; /* by the index of a value */
	size_t values_capacity;
	struct group *groups;
	size_t group_count, groups_capacity;
	uint64_t *cells;
	size_t cells_capacity;
	struct histree_loss loss;
};

/* ---- options ------------------------------------------------------------------------------------- */

static enum histree_status check(const struct histree_density_options *options, size_t field_count,
				 struct histree_error *error)
{
	if (options->field != HISTREE_SEGMENTS_TOGETHER && options->field >= field_count)
		return error_set(error, HISTREE_ERR_ARGUMENT, "there is no field %zu", options->field);
	if (options->column_count > HISTREE_PIXELS_MAX)
		return error_set(error, HISTREE_ERR_ARGUMENT, "%u columns of time; at most %d are possible",
				 options->column_count, HISTREE_PIXELS_MAX);
	if (options->column_count > 0 && options->from > options->to)
		return error_set(error, HISTREE_ERR_ARGUMENT, "the time of the columns ends before it begins");
	return HISTREE_OK;
}

static enum histree_status prepare(struct histree_segment_density *density,
				   const struct histree_density_options *options, struct histree_error *error)
{
	unsigned per_decade = options->per_decade != 0 ? options->per_decade : 3;
	if (!duration_buckets_init(&density->scale, per_decade))
		return error_set(error, HISTREE_ERR_ARGUMENT, "%u buckets a decade; there are 1, 3, 5, 10 and 20",
				 per_decade);
	density->column_count = options->column_count > 0 ? options->column_count : 1;
	density->columns = pixel_scale(options->from, options->to, density->column_count);
	density->field = options->field;
	density->group_max = options->group_max != 0 ? options->group_max : GROUP_MAX_DEFAULT;
	if (options->field == HISTREE_SEGMENTS_TOGETHER)
		density->group_max = 1;
	size_t cells = density->scale.count * density->column_count;
	if (density->group_max >= CELLS_MAX / cells)
		return error_set(error, HISTREE_ERR_ARGUMENT,
				 "%zu values, %u columns of time and %zu buckets can take more than 128 MB; choose "
				 "fewer",
				 density->group_max, density->column_count, density->scale.count);
	return value_table_reset(&density->values, error);
}

/* ---- counting ------------------------------------------------------------------------------------ */

static enum histree_status add_group(struct histree_segment_density *density, const struct histree_value *value,
				     uint32_t *index, struct histree_error *error)
{
	size_t row = density->scale.count * density->column_count, first = density->group_count * row;
	if (!array_reserve(&density->groups, &density->groups_capacity, density->group_count + 1) ||
	    !array_reserve(&density->cells, &density->cells_capacity, first + row))
		return error_memory(error, "a density");
	memset(density->cells + first, 0, row * sizeof(*density->cells));
	*index = (uint32_t)density->group_count++;
	density->groups[*index] = (struct group){ .facts.value = *value, .first_cell = first };
	return HISTREE_OK;
}

/* The index in `group_of` of a value that is in the table, or now put there. */
static enum histree_status add_value(struct histree_segment_density *density, const struct histree_value *value,
				     uint32_t *number, struct histree_error *error)
{
	enum histree_status status = value_table_add(&density->values, value, number, error);
	size_t known = density->values_capacity;
	if (status != HISTREE_OK)
		return status;
	if (!array_reserve(&density->group_of, &density->values_capacity, density->values.count))
		return error_memory(error, "a density");
	for (; known < density->values_capacity; known++)
		density->group_of[known] = NO_GROUP;
	return HISTREE_OK;
}

/* Values that came too late share the group after those with one of their own, and are not kept. */
static enum histree_status find_group(struct histree_segment_density *density, const struct histree_value *value,
				      uint32_t *index, struct histree_error *error)
{
	const struct histree_value null = histree_null();
	uint32_t number, rest = (uint32_t)density->group_max;
	bool has_rest = density->group_count > rest;
	*index = rest;
	if (has_rest && !value_table_find(&density->values, value, &number))
		return HISTREE_OK;
	enum histree_status status = add_value(density, value, &number, error);
	if (status != HISTREE_OK)
		return status;
	uint32_t *group = &density->group_of[number];
	if (*group == NO_GROUP && has_rest) {
		*group = rest;
	} else if (*group == NO_GROUP) {
		bool is_rest = density->group_count == rest;
		status = add_group(density, is_rest ? &null : &density->values.values[number], group, error);
		if (status != HISTREE_OK)
			return status;
		density->groups[*group].facts.is_rest = is_rest;
	}
	*index = *group;
	return HISTREE_OK;
}

static uint32_t column_of(const struct histree_segment_density *density, histree_time start)
{
	if (density->column_count == 1 || start < density->columns.from)
		return 0;
	return start > density->columns.to ? density->column_count - 1 : pixel_to(&density->columns, start);
}

/* So many that last about as long. */
static enum histree_status count(struct histree_segment_density *density, const struct histree_value *value,
				 uint32_t column, uint64_t duration, uint64_t segments, struct histree_error *error)
{
	uint32_t index;
	enum histree_status status = find_group(density, value, &index, error);
	if (status != HISTREE_OK)
		return status;
	struct group *group = &density->groups[index];
	size_t bucket = duration_bucket_of(&density->scale, duration);
	group->facts.count += segments;
	density->cells[group->first_cell + column * density->scale.count + bucket] += segments;
	if (density->used == 0 || bucket < density->first) {
		density->used += density->used == 0 ? 1 : density->first - bucket;
		density->first = bucket;
	} else if (bucket >= density->first + density->used) {
		density->used = bucket - density->first + 1;
	}
	return HISTREE_OK;
}

static enum histree_status count_all(struct histree_segment_density *density, struct histree_segment_store *store,
				     const struct histree_segment_query *query, struct histree_error *error)
{
	struct histree_segment_query plain = *query;
	plain.order = HISTREE_SEGMENTS_UNSORTED;
	plain.limit = 0;
	struct histree_cursor *iter = NULL;
	enum histree_status status = histree_segments_create(store, &iter, error);
	if (status == HISTREE_OK)
		status = histree_segments_start(iter, &plain, NULL, error);
	while (status == HISTREE_OK && (status = histree_cursor_next(iter, error)) == HISTREE_OK) {
		const struct histree_segment *segment = histree_cursor_segment(iter);
		const struct histree_value value = density->field == HISTREE_SEGMENTS_TOGETHER
							   ? histree_null()
							   : segment_group_value(query, segment, density->field);
		status = count(density, &value, column_of(density, segment->start),
			       histree_segment_duration(segment), 1, error);
	}
	if (iter != NULL)
		density->loss = histree_cursor_loss(iter);
	histree_cursor_free(iter);
	return status == HISTREE_END ? HISTREE_OK : status;
}

/* ---- counting summaries -------------------------------------------------------------------------- */

/* Which values have counts of their own depends on the order in which segments are read: HISTREE_PARTIAL. */
static enum histree_status take_summary(void *context, const struct segment_summary *summary,
					struct histree_error *error)
{
	struct histree_segment_density *density = context;
	enum histree_status status = count(density, &summary->value, column_of(density, summary->longest_start),
					   summary->longest, summary->count, error);
	return status == HISTREE_OK && density->group_count > density->group_max ? HISTREE_PARTIAL : status;
}

/*
 * Columns are read one by one, each cut into whole cells: that pays where a column has some.  The first has all
 * that starts before it, the last what starts after it.
 */
static enum histree_status count_columns(struct histree_segment_density *density,
					 struct histree_segment_store *store, struct summaries_request *request,
					 struct histree_error *error)
{
	histree_time from = request->query->from;
	enum histree_status status = segment_summaries_read_earlier(store, request, error);
	for (uint32_t column = column_of(density, from); status == HISTREE_OK && from <= request->query->to;
	     column++) {
		bool is_last = column + 1 == density->column_count;
		histree_time to = is_last ? INT64_MAX : pixel_last(&density->columns, column);
		to -= !is_last &&
		      column_of(density, to) != column; /* of two columns that share it, the later has it */
		to = to < request->query->to ? to : request->query->to;
		status = segment_summaries_read_starts(store, request, from, to, error);
		if (to == INT64_MAX)
			break;
		from = to + 1;
	}
	return status;
}

static bool can_summarize(const struct histree_segment_density *density, struct histree_segment_store *store,
			  const struct histree_segment_query *query)
{
	enum { CELLS_LOG2 = 1 }; /* of a column, at least */
	if (!segment_summaries_can(store, query, density->field))
		return false;
	if (density->column_count == 1)
		return true;
	uint64_t width = (uint64_t)pixel_last(&density->columns, 0) - (uint64_t)density->columns.from;
	unsigned shortest = segment_summaries_shortest(store);
	return shortest + CELLS_LOG2 < 64 && width >> (shortest + CELLS_LOG2) > 0;
}

/* ---- answering ----------------------------------------------------------------------------------- */

COMPARE(compare, struct group,
	BY(facts.is_rest) BY_MOST(facts.count) BY_ORDER(value_compare(&a->facts.value, &b->facts.value)))

static enum histree_status finish(struct histree_segment_density *density, struct histree_error *error)
{
	if (density->used == 0)
		return HISTREE_OK;
	density->buckets = calloc(density->used, sizeof(*density->buckets));
	if (density->buckets == NULL)
		return error_memory(error, "a density");
	for (size_t i = 0; i < density->used; i++) {
		density->buckets[i].min = density->scale.min[density->first + i];
		density->buckets[i].max = duration_bucket_max(&density->scale, density->first + i);
	}
	qsort(density->groups, density->group_count, sizeof(*density->groups), compare);
	return HISTREE_OK;
}

static void release(struct histree_segment_density *density)
{
	value_table_release(&density->values);
	free(density->group_of);
	free(density->groups);
	free(density->cells);
	free(density->buckets);
}

/* Forget what was counted. */
static enum histree_status begin_again(struct histree_segment_density *density,
				       const struct histree_density_options *options, struct histree_error *error)
{
	release(density);
	*density = (struct histree_segment_density){ 0 };
	return prepare(density, options, error);
}

enum histree_status histree_segment_density_create(struct histree_segment_store *store,
						   const struct histree_segment_query *query,
						   const struct histree_density_options *options,
						   struct histree_segment_density **out,
						   struct histree_error *error)
{
	*out = NULL;
	enum histree_status status = check(options, histree_segment_store_info(store)->schema.field_count, error);
	if (status != HISTREE_OK)
		return status;
	struct histree_segment_density *density = calloc(1, sizeof(*density));
	bool is_counted = false;
	status = density == NULL ? error_memory(error, "a density") : prepare(density, options, error);
	if (status == HISTREE_OK && can_summarize(density, store, query)) {
		struct summaries_request request = { .query = query,
						     .field = density->field,
						     .width_log2_max = UINT_MAX,
						     .context = density,
						     .take = take_summary };
		status = density->column_count == 1 ? segment_summaries_read(store, &request, error)
						    : count_columns(density, store, &request, error);
		is_counted = status == HISTREE_OK;
		if (status == HISTREE_PARTIAL)
			status = begin_again(density, options, error);
	}
	if (status == HISTREE_OK && !is_counted)
		status = count_all(density, store, query, error);
	if (status == HISTREE_OK)
		status = finish(density, error);
	if (status != HISTREE_OK) {
		histree_segment_density_free(density);
		return status;
	}
	*out = density;
	return HISTREE_OK;
}

struct histree_loss histree_segment_density_loss(const struct histree_segment_density *density)
{
	return density->loss;
}

const struct histree_duration_bucket *histree_segment_density_buckets(const struct histree_segment_density *density,
								      size_t *count)
{
	*count = density->used;
	return density->buckets;
}

const struct histree_density_group *histree_segment_density_group(const struct histree_segment_density *density,
								  size_t index)
{
	return index < density->group_count ? &density->groups[index].facts : NULL;
}

uint64_t histree_segment_density_count(const struct histree_segment_density *density, size_t group, uint32_t column,
				       size_t bucket)
{
	if (group >= density->group_count || column >= density->column_count || bucket >= density->used)
		return 0;
	return density->cells[density->groups[group].first_cell + column * density->scale.count + density->first +
			      bucket];
}

void histree_segment_density_free(struct histree_segment_density *density)
{
	if (density == NULL)
		return;
	release(density);
	free(density);
}
