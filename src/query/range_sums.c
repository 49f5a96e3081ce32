// SPDX-License-Identifier: MIT
#include "query/range_sums.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/error.h"
#include "base/search.h"
#include "histree/query.h"
#include "state/history.h"

/* Those of a level, as the caller has them. */
struct wanted {
	histree_quark own;
	uint32_t sum;
};

struct reading {
	const struct leveled_overview *of;
	histree_time origin;
	struct range_sums *sums;
	struct wanted *wanted;
	histree_quark *own; /* of the level */
	size_t count;
	uint64_t *left; /* by sum: how many ns of the level are not known yet */
	bool *is_wrong; /* by sum */
	struct histree_query *query;
};

/* ---- which attributes, and which cells --------------------------------------------------------------------- */

/* The cells of level 1 that lie inside, as numbers. */
static bool find_cells(const struct leveled_overview *of, const struct histree_history_info *info,
		       histree_time from, histree_time to, uint64_t *first, uint64_t *after)
{
	const uint64_t width = UINT64_C(1) << of->log2;
	const uint64_t start = (uint64_t)from - (uint64_t)info->start, end = (uint64_t)to - (uint64_t)info->start;
	*first = from == info->start ? 0 : start / width + 1;
	*after = end / width + (end % width == width - 1);
	return *first < *after;
}

static enum histree_status find_attributes(struct range_sums *sums, const struct leveled_overview *of,
					   const histree_quark *quarks, size_t count, struct histree_error *error)
{
	sums->at = malloc((count + 1) * sizeof(*sums->at));
	if (sums->at == NULL)
		return error_memory(error, "sums of states");
	for (size_t i = 0; i < count; i++) {
		sums->at[i] = RANGE_SUMS_NONE;
		if (overview_level_find(&of->levels[0], quarks[i]) == NULL)
			continue;
		if (!array_reserve(&sums->sums, &sums->capacity, sums->count + 1))
			return error_memory(error, "sums of states");
		sums->sums[sums->count] = (struct state_sum){ 0 };
		sums->at[i] = (uint32_t)sums->count++;
	}
	return HISTREE_OK;
}

/* ---- a level ------------------------------------------------------------------------------------------------ */

static bool is_before(const void *context, size_t index)
{
	const struct wanted *const *sought = context;
	return sought[0][index].own < sought[1]->own;
}

static const struct wanted *find_wanted(const struct reading *reading, histree_quark own)
{
	const struct wanted wanted = { .own = own };
	const struct wanted *sought[] = { reading->wanted, &wanted };
	size_t at = search_halves(0, reading->count, is_before, sought);
	return at < reading->count && reading->wanted[at].own == own ? &reading->wanted[at] : NULL;
}

/* Whether an interval is a sum that some states could have, of which the part in the range is added. */
static bool take(struct reading *reading, const struct histree_interval *interval, unsigned width_log2,
		 histree_time from, histree_time to)
{
	const struct wanted *wanted = find_wanted(reading, interval->quark);
	const histree_time first = interval->start > from ? interval->start : from;
	const histree_time last = interval->end < to ? interval->end : to;
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
		       ((uint64_t)first - (uint64_t)reading->origin) % width == 0 &&
		       state_sum_get(&cell, ns, (const uint8_t *)value->bytes, value->size) &&
		       state_sum_add_sum(sum, &cell);
	default:
		return false;
	}
}

static enum histree_status read_intervals(struct reading *reading, unsigned width_log2, histree_time from,
					  histree_time to, struct histree_error *error)
{
	const struct histree_region region = {
		.quarks = reading->own, .quark_count = reading->count, .from = from, .to = to
	};
	struct histree_interval interval;
	enum histree_status status = histree_query_start(reading->query, &region, error);
	while (status == HISTREE_OK &&
	       (status = histree_query_next(reading->query, &interval, error)) == HISTREE_OK) {
		const struct wanted *wanted = find_wanted(reading, interval.quark);
		if (wanted != NULL && !take(reading, &interval, width_log2, from, to))
			reading->is_wrong[wanted->sum] = true;
	}
	return status;
}

/* A range of cells of a level.  What goes wrong is not known, but for memory. */
static enum histree_status read_cells(struct reading *reading, uint32_t level, uint64_t first, uint64_t after,
				      struct histree_error *error)
{
	const unsigned width_log2 = reading->of->log2 + level * LEVELED_STEP_LOG2;
	const histree_time from = (histree_time)((uint64_t)reading->origin + (first << width_log2));
	const histree_time to = (histree_time)((uint64_t)reading->origin + (after << width_log2) - 1);
	if (first >= after)
		return HISTREE_OK;
	for (size_t i = 0; i < reading->sums->count; i++)
		reading->left[i] = (uint64_t)to - (uint64_t)from + 1;
	enum histree_status status = read_intervals(reading, width_log2, from, to, error);
	if (status == HISTREE_ERR_MEMORY || status == HISTREE_ERR_CANCELLED)
		return status;
	bool is_damaged = status != HISTREE_END || histree_query_stats(reading->query).nodes_damaged > 0;
	for (size_t i = 0; i < reading->sums->count; i++)
		reading->is_wrong[i] = reading->is_wrong[i] || is_damaged || reading->left[i] != 0;
	return HISTREE_OK;
}

/* Those of the level that are wanted; all others are not known. */
static void set_level(struct reading *reading, uint32_t level, const histree_quark *quarks, size_t count)
{
	reading->count = 0;
	for (size_t i = 0; i < count; i++) {
		uint32_t sum = reading->sums->at[i];
		if (sum == RANGE_SUMS_NONE)
			continue;
		const struct level_entry *entry = overview_level_find(&reading->of->levels[level], quarks[i]);
		reading->is_wrong[sum] = reading->is_wrong[sum] || entry == NULL;
		if (entry == NULL)
			continue;
		reading->wanted[reading->count] = (struct wanted){ entry->own, sum };
		reading->own[reading->count++] = entry->own;
	}
}

/* From the ends to the middle: at each level what does not fill a cell of the next. */
static enum histree_status read_levels(struct reading *reading, const histree_quark *quarks, size_t count,
				       uint64_t first, uint64_t after, struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	for (uint32_t level = 0; level < reading->of->level_count && first < after && status == HISTREE_OK;
	     level++) {
		const uint64_t step = 1 << LEVELED_STEP_LOG2;
		uint64_t next_first = (first + step - 1) / step, next_after = after / step;
		set_level(reading, level, quarks, count);
		if (level + 1 == reading->of->level_count || next_first >= next_after)
			return read_cells(reading, level, first, after, error);
		status = read_cells(reading, level, first, next_first * step, error);
		if (status == HISTREE_OK)
			status = read_cells(reading, level, next_after * step, after, error);
		first = next_first;
		after = next_after;
	}
	return status;
}

/* ------------------------------------------------------------------------------------------------------------- */

static enum histree_status read_all(struct range_sums *sums, const struct leveled_overview *of, histree_time origin,
				    const histree_quark *quarks, size_t count, uint64_t first, uint64_t after,
				    struct histree_error *error)
{
	struct reading reading = {
		.of = of,
		.origin = origin,
		.sums = sums,
		.wanted = calloc(sums->count, sizeof(*reading.wanted)),
		.own = calloc(sums->count, sizeof(*reading.own)),
		.left = calloc(sums->count, sizeof(*reading.left)),
		.is_wrong = calloc(sums->count, sizeof(*reading.is_wrong)),
	};
	bool has_memory =
		reading.wanted != NULL && reading.own != NULL && reading.left != NULL && reading.is_wrong != NULL;
	enum histree_status status = has_memory ? histree_query_create(of->history, &reading.query, error)
						: error_memory(error, "sums of states");
	if (status == HISTREE_OK)
		status = read_levels(&reading, quarks, count, first, after, error);
	for (size_t i = 0; i < count && status == HISTREE_OK; i++)
		if (sums->at[i] != RANGE_SUMS_NONE && reading.is_wrong[sums->at[i]])
			sums->at[i] = RANGE_SUMS_NONE;
	histree_query_free(reading.query);
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
	const struct leveled_overview *of = history_sums(history);
	const struct histree_history_info *info = histree_history_info(history);
	uint64_t first, after;
	*sums = (struct range_sums){ 0 };
	if (of->history == NULL || !find_cells(of, info, from, to, &first, &after))
		return HISTREE_OK;
	enum histree_status status = find_attributes(sums, of, quarks, count, error);
	if (status == HISTREE_OK && sums->count > 0)
		status = read_all(sums, of, info->start, quarks, count, first, after, error);
	sums->is_any = status == HISTREE_OK && sums->count > 0;
	sums->from = (histree_time)((uint64_t)info->start + (first << of->log2));
	sums->to = (histree_time)((uint64_t)info->start + (after << of->log2) - 1);
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
