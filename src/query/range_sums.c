// SPDX-License-Identifier: MIT
/*
 * range_sums.c - how long attributes had each value in a range, by the pyramid of sums.
 */
#include "query/range_sums.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/search.h"
#include "base/table.h"
#include "histree/states.h"
#include "state/history.h"
#include "state/pyramid.h"

/* Those of a level, as the caller has them. */
struct wanted {
	histree_quark own;
	uint32_t sum;
};

struct range_sums_reading {
	const struct pyramid *of;
	struct pyramid_grid grid;
	struct range_sums *sums;
	const histree_quark *quarks; /* that are asked for */
	size_t quark_count;
	uint32_t level; /* of `wanted`; UINT32_MAX: of none yet */
	struct wanted *wanted;
	histree_quark *own; /* of the level */
	size_t count;
	uint64_t *left; /* by sum: how many ns of the level are not known yet */
	bool *is_wrong; /* by sum */
	struct histree_cursor *query;
};

/* ---- which attributes --------------------------------------------------------------------------------------- */

static enum histree_status find_attributes(struct range_sums *sums, const struct pyramid *of,
					   const histree_quark *quarks, size_t count, struct histree_error *error)
{
	sums->at = malloc((count + 1) * sizeof(*sums->at));
	if (sums->at == NULL)
		return error_memory(error, "sums of states");
	for (size_t i = 0; i < count; i++) {
		sums->at[i] = RANGE_SUMS_NONE;
		if (pyramid_level_find(&of->levels[0], quarks[i]) == NULL)
			continue;
		if (!array_reserve(&sums->sums, &sums->capacity, sums->count + 1))
			return error_memory(error, "sums of states");
		sums->sums[sums->count] = (struct state_sum){ 0 };
		sums->at[i] = (uint32_t)sums->count++;
	}
	return HISTREE_OK;
}

/* ---- a level ------------------------------------------------------------------------------------------------ */

static const struct wanted *find_wanted(const struct range_sums_reading *reading, histree_quark own)
{
	const size_t at = SEARCH(i, 0, reading->count, reading->wanted[i].own < own);
	return at < reading->count && reading->wanted[at].own == own ? &reading->wanted[at] : NULL;
}

/* Whether an interval is a sum that some states could have, of which the part in the range is added. */
static bool range_sums_take(struct range_sums_reading *reading, const struct histree_interval *interval,
			    unsigned width_log2, histree_time from, histree_time to)
{
	const struct wanted *wanted = find_wanted(reading, interval->quark);
	const histree_time first = interval->start > from ? interval->start : from;
	const histree_time last = interval->end < to ? interval->end : to;
	assert(first <= last && wanted != NULL);
	const uint64_t ns = (uint64_t)last - (uint64_t)first + 1, width = UINT64_C(1) << width_log2;
	const struct histree_value *value = &interval->value;
	struct state_sum *sum = &reading->sums->sums[wanted->sum], cell;
	if (ns > reading->left[wanted->sum])
		return false;
	reading->left[wanted->sum] -= ns;
	struct state_sum_part all = { .ns = ns };
	switch (value->type) {
	case HISTREE_NULL:
		return true;
	case HISTREE_INT:
		all.value = value->int32;
		return state_sum_add(sum, &all);
	case HISTREE_CUSTOM:
		all.is_unknown = true;
		if (value->size == 0)
			return state_sum_add(sum, &all);
		return first == interval->start && last == interval->end && ns == width &&
		       ((uint64_t)first - (uint64_t)reading->grid.origin) % width == 0 &&
		       state_sum_get(&cell, ns, (const uint8_t *)value->bytes, value->size) &&
		       state_sum_add_sum(sum, &cell);
	default:
		return false;
	}
}

static enum histree_status read_intervals(struct range_sums_reading *reading, unsigned width_log2,
					  histree_time from, histree_time to, struct histree_error *error)
{
	const struct histree_region region = {
		.quarks = reading->own, .quark_count = reading->count, .from = from, .to = to
	};
	struct histree_interval interval;
	enum histree_status status = histree_query_start(reading->query, &region, error);
	while (status == HISTREE_OK && (status = histree_cursor_next(reading->query, error)) == HISTREE_OK) {
		interval = *histree_cursor_interval(reading->query);
		const struct wanted *wanted = find_wanted(reading, interval.quark);
		if (wanted != NULL && !range_sums_take(reading, &interval, width_log2, from, to))
			reading->is_wrong[wanted->sum] = true;
	}
	return status;
}

/* Reads a range of cells of a level.  On any error except HISTREE_ERR_MEMORY the cells count as not known. */
static enum histree_status range_sums_read_cells(void *context, uint32_t level, uint64_t first, uint64_t after,
						 struct histree_error *error)
{
	struct range_sums_reading *reading = context;
	assert(first < after && level < reading->of->level_count);
	histree_time from, to, ignored;
	pyramid_grid_times(&reading->grid, level, first, &from, &ignored);
	pyramid_grid_times(&reading->grid, level, after - 1, &ignored, &to);
	if (level != reading->level) {
		/* Those of the level that are wanted; all others are not known. */
		reading->level = level;
		reading->count = 0;
		for (size_t i = 0; i < reading->quark_count; i++) {
			uint32_t sum = reading->sums->at[i];
			if (sum == RANGE_SUMS_NONE)
				continue;
			const struct pyramid_entry *entry =
				pyramid_level_find(&reading->of->levels[level], reading->quarks[i]);
			reading->is_wrong[sum] = reading->is_wrong[sum] || entry == NULL;
			if (entry == NULL)
				continue;
			assert(reading->count < reading->sums->count && sum < reading->sums->count);
			assert(reading->count == 0 || reading->wanted[reading->count - 1].own < entry->own);
			reading->wanted[reading->count] = (struct wanted){ entry->own, sum };
			reading->own[reading->count++] = entry->own;
		}
	}
	for (size_t i = 0; i < reading->sums->count; i++)
		reading->left[i] = (uint64_t)to - (uint64_t)from + 1;
	enum histree_status status =
		read_intervals(reading, reading->of->log2 + level * PYRAMID_STEP_LOG2, from, to, error);
	if (status == HISTREE_ERR_MEMORY || status == HISTREE_ERR_CANCELLED)
		return status;
	bool is_damaged = status != HISTREE_END || histree_cursor_loss(reading->query).nodes > 0;
	for (size_t i = 0; i < reading->sums->count; i++)
		reading->is_wrong[i] = reading->is_wrong[i] || is_damaged || reading->left[i] != 0;
	return HISTREE_OK;
}

/* ------------------------------------------------------------------------------------------------------------- */

static enum histree_status read_all(struct range_sums *sums, const struct pyramid *of, struct pyramid_grid grid,
				    const histree_quark *quarks, size_t count, uint64_t first, uint64_t after,
				    struct histree_error *error)
{
	struct range_sums_reading reading = {
		.of = of,
		.grid = grid,
		.sums = sums,
		.quarks = quarks,
		.quark_count = count,
		.level = UINT32_MAX,
		.wanted = calloc(sums->count, sizeof(*reading.wanted)),
		.own = calloc(sums->count, sizeof(*reading.own)),
		.left = calloc(sums->count, sizeof(*reading.left)),
		.is_wrong = calloc(sums->count, sizeof(*reading.is_wrong)),
	};
	bool has_memory =
		reading.wanted != NULL && reading.own != NULL && reading.left != NULL && reading.is_wrong != NULL;
	enum histree_status status = has_memory ? histree_query_create(of->levels[0].history, &reading.query, error)
						: error_memory(error, "sums of states");
	if (status == HISTREE_OK)
		status = pyramid_grid_walk(&grid, first, after, range_sums_read_cells, &reading, error);
	for (size_t i = 0; i < count && status == HISTREE_OK; i++)
		if (sums->at[i] != RANGE_SUMS_NONE && reading.is_wrong[sums->at[i]])
			sums->at[i] = RANGE_SUMS_NONE;
	histree_cursor_free(reading.query);
	free(reading.wanted);
	free(reading.own);
	free(reading.left);
	free(reading.is_wrong);
	return status;
}

enum histree_status range_sums_read(struct range_sums *sums, struct histree_history *history,
				    const histree_quark *quarks, size_t count, histree_time from, histree_time to,
				    struct histree_error *error)
{
	const struct pyramid *of = history_pyramid(history, PYRAMID_SUMS);
	struct pyramid_grid grid = pyramid_grid(PYRAMID_SUMS, histree_history_info(history), of->log2);
	uint64_t first, after;
	histree_time ignored;
	*sums = (struct range_sums){ 0 };
	grid.level_count = of->level_count; /* as many as it has */
	if (of->level_count == 0 || !pyramid_grid_inside(&grid, from, to, &first, &after))
		return HISTREE_OK;
	enum histree_status status = find_attributes(sums, of, quarks, count, error);
	if (status == HISTREE_OK && sums->count > 0)
		status = read_all(sums, of, grid, quarks, count, first, after, error);
	sums->is_any = status == HISTREE_OK && sums->count > 0;
	pyramid_grid_times(&grid, 0, first, &sums->from, &ignored);
	pyramid_grid_times(&grid, 0, after - 1, &ignored, &sums->to);
	if (status != HISTREE_OK)
		range_sums_release(sums);
	return status;
}

const struct state_sum *range_sums_of(const struct range_sums *sums, size_t index)
{
	return sums->is_any && sums->at[index] != RANGE_SUMS_NONE ? &sums->sums[sums->at[index]] : NULL;
}

void range_sums_release(struct range_sums *sums)
{
	free(sums->at);
	free(sums->sums);
	*sums = (struct range_sums){ 0 };
}
