// SPDX-License-Identifier: MIT
/*
 * range_sums.c - how long attributes had each value in a range, by the pyramid of sums or by the states; and the
 * distinct values of an answer, whose indices stay valid until the reset.
 */
#include "query/range_sums.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/hash_index.h"
#include "base/search.h"
#include "base/table.h"
#include "histree/history.h"
#include "histree/states.h"
#include "histree/value.h"
#include "item/value.h"
#include "state/history.h"
#include "state/pyramid.h"
#include "state/pyramid_cells.h"

/* ---- value table --------------------------------------------------------------------------------------------- */

/* The number of a value that has no bytes, in the order of numbers of its type; of doubles, their bits. */
static int64_t number_of(const struct histree_value *value)
{
	int64_t bits;
	switch (value->type) {
	case HISTREE_INT:
		return value->int32;
	case HISTREE_LONG:
		return value->int64;
	case HISTREE_DOUBLE:
		memcpy(&bits, &value->real, sizeof(bits));
		return bits;
	case HISTREE_BOOL:
		return value->boolean;
	case HISTREE_NULL:
	case HISTREE_UNKNOWN:
	case HISTREE_STRING:
	case HISTREE_CUSTOM:
		break;
	}
	return 0;
}

static uint64_t hash_of(const struct histree_value *value)
{
	uint64_t content =
		value_has_bytes(value) ? hash_bytes(value->bytes, value->size) : (uint64_t)number_of(value);
	return hash_mix(content + (uint64_t)value->type * UINT64_C(0x9e3779b97f4a7c15));
}

static uint64_t hash_at(const void *values, uint32_t index)
{
	return hash_of((const struct histree_value *)values + index);
}

static bool is_equal(const void *values, uint32_t index, const void *value)
{
	return histree_value_equal((const struct histree_value *)values + index, value);
}

enum histree_status value_table_reset(struct value_table *table, struct histree_error *error)
{
	value_table_release(table);
	const struct histree_value null = histree_null();
	uint32_t index;
	return value_table_add(table, &null, &index, error);
}

/* Returns where a value would be among the recent ones. */
static inline uint32_t *recent_of(struct value_table *table, const struct histree_value *value)
{
	const uint8_t *bytes = value->bytes;
	uint64_t bits = (uint64_t)value->type;
	if (value->type == HISTREE_INT)
		bits = (uint32_t)value->int32;
	else if (value_has_bytes(value) && value->size > 0)
		bits = value->size * UINT64_C(7) + bytes[0] * UINT64_C(31) + bytes[value->size / 2] * UINT64_C(5) +
		       bytes[value->size - 1];
	return &table->recent[bits % VALUES_RECENT];
}

static inline bool is_same(const struct histree_value *one, const struct histree_value *other)
{
	if (one->type == HISTREE_INT)
		return other->type == HISTREE_INT && one->int32 == other->int32;
	if (value_has_bytes(one))
		return one->type == other->type && one->size == other->size &&
		       (one->size == 0 || memcmp(one->bytes, other->bytes, one->size) == 0);
	return histree_value_equal(one, other);
}

bool value_table_find(struct value_table *table, const struct histree_value *value, uint32_t *out)
{
	uint32_t *recent = recent_of(table, value);
	if (*recent < table->count && is_same(value, &table->values[*recent])) {
		*out = *recent;
		return true;
	}
	uint32_t index = hash_index_find(&table->index, hash_of(value), is_equal, table->values, value);
	if (index == HASH_INDEX_NONE)
		return false;
	*out = *recent = index;
	return true;
}

bool value_table_reserve(struct value_table *table, size_t count)
{
	return table_reserve(&table->table, &table->values, &table->capacity, count) &&
	       hash_index_reserve(&table->index, count, hash_at, table->values);
}

enum histree_status value_table_add_any(struct value_table *table, const struct histree_value *value, uint32_t *out,
					struct histree_error *error)
{
	*out = 0;
	if (value_table_find(table, value, out))
		return HISTREE_OK;
	struct histree_value copy = *value;
	if (!value_table_reserve(table, table->count + 1) || !value_keep(&copy, &table->bytes))
		return error_memory(error, "the values of an answer");
	uint32_t index = (uint32_t)table->count;
	table->values[table->count++] = copy;
	hash_index_add(&table->index, hash_of(&copy), index);
	*out = *recent_of(table, value) = index;
	return HISTREE_OK;
}

int value_compare(const struct histree_value *a, const struct histree_value *b)
{
	if (a->type != b->type)
		return a->type < b->type ? -1 : 1;
	if (!value_has_bytes(a)) {
		int64_t x = number_of(a), y = number_of(b);
		return (x > y) - (x < y);
	}
	return bytes_order(a->bytes, a->size, b->bytes, b->size);
}

void value_table_release(struct value_table *table)
{
	table_release(&table->table, table->values);
	hash_index_release(&table->index);
	arena_release(&table->bytes);
	*table = value_table_in(table->table.space);
}

/* ---- cell sums ----------------------------------------------------------------------------------------------- */

enum histree_status cell_sums_begin(struct cell_sums *sums, size_t cell_count, struct histree_error *error)
{
	if (!array_reserve(&sums->cells, &sums->cells_capacity, cell_count) ||
	    !array_reserve(&sums->first, &sums->first_capacity, cell_count))
		return error_memory(error, "the cells of rows");
	memset(sums->cells, 0xff, cell_count * sizeof(*sums->cells)); /* HISTREE_NO_VALUE, all of them */
	memset(sums->first, 0, cell_count * sizeof(*sums->first));
	sums->cell_count = cell_count;
	sums->share_count = 0;
	return HISTREE_OK;
}

enum histree_status cell_sums_add(struct cell_sums *sums, size_t cell, uint32_t value, uint64_t weight,
				  struct histree_error *error)
{
	assert(cell < sums->cell_count && weight > 0);
	for (uint32_t at = sums->first[cell]; at != 0; at = sums->shares[at - 1].next) {
		struct cell_share *share = &sums->shares[at - 1];
		if (share->value == value) { /* all of time is one ns more than can be said */
			share->weight = weight > UINT64_MAX - share->weight ? UINT64_MAX : share->weight + weight;
			return HISTREE_OK;
		}
	}
	if (sums->share_count >= UINT32_MAX - 1 ||
	    !array_reserve(&sums->shares, &sums->shares_capacity, sums->share_count + 1))
		return error_memory(error, "the states that share a pixel");
	sums->shares[sums->share_count++] =
		(struct cell_share){ .weight = weight, .value = value, .next = sums->first[cell] };
	sums->first[cell] = (uint32_t)sums->share_count;
	return HISTREE_OK;
}

static bool is_greater(const struct cell_share *one, const struct cell_share *other,
		       const struct value_table *values)
{
	if (other == NULL || one->weight != other->weight)
		return other == NULL || one->weight > other->weight;
	/* By type, then by content: an order that does not depend on when they were seen. */
	return value_compare(&values->values[one->value], &values->values[other->value]) < 0;
}

struct histree_cell cell_sums_get(const struct cell_sums *sums, size_t cell, const struct value_table *values)
{
	assert(cell < sums->cell_count);
	struct histree_cell decided = sums->cells[cell];
	if (decided.value != HISTREE_NO_VALUE)
		return decided;
	const struct cell_share *max = NULL, *second = NULL;
	for (uint32_t at = sums->first[cell]; at != 0; at = sums->shares[at - 1].next) {
		const struct cell_share *share = &sums->shares[at - 1];
		if (is_greater(share, max, values)) {
			second = max;
			max = share;
		} else if (is_greater(share, second, values)) {
			second = share;
		}
	}
	return (struct histree_cell){
		.value = max != NULL ? max->value : HISTREE_NO_VALUE,
		.other = second != NULL ? second->value : HISTREE_NO_VALUE,
	};
}

void cell_sums_release(struct cell_sums *sums)
{
	free(sums->cells);
	free(sums->first);
	free(sums->shares);
	*sums = (struct cell_sums){ 0 };
}

/* ---- range sums ---------------------------------------------------------------------------------------------- */

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

/* ---- range cube ---------------------------------------------------------------------------------------------- */

struct range_cube_reading {
	const struct pyramid *of;
	struct pyramid_grid grid;
	uint32_t threads_max;
	enum cube_part part;
	histree_quark quark;
	struct range_cube *cube;
	struct intern *texts;
	struct histree_cursor *query;
};

/* ---- cells -------------------------------------------------------------------------------------------------- */

static enum histree_status range_cube_read_cells(void *context, uint32_t level, uint64_t first, uint64_t after,
						 struct histree_error *error);

/* HISTREE_ERR_FORMAT: it is of no use. */
static enum histree_status read_cell(struct range_cube_reading *reading, uint32_t level, uint64_t cell,
				     struct histree_error *error)
{
	const struct pyramid_entry *entry = pyramid_level_find(&reading->of->levels[level], reading->quark);
	struct histree_interval state;
	histree_time start, end;
	if (entry == NULL)
		return HISTREE_ERR_FORMAT;
	pyramid_grid_times(&reading->grid, level, cell, &start, &end);
	enum histree_status status = histree_query_single(reading->query, entry->own, start, &state, error);
	if (status != HISTREE_OK)
		return status;
	if (state.value.type == HISTREE_NULL)
		return state.end >= end ? HISTREE_OK : HISTREE_ERR_FORMAT;
	if (state.value.type != HISTREE_CUSTOM || state.start != start || state.end != end)
		return HISTREE_ERR_FORMAT;
	if (!pyramid_value_is_of_no_use(&state.value)) {
		status = cube_cell_get(&reading->cube->parts[reading->part], reading->part, reading->texts,
				       (uint64_t)end - (uint64_t)start + 1, reading->threads_max,
				       (const uint8_t *)state.value.bytes, state.value.size);
		return status == HISTREE_ERR_MEMORY ? error_memory(error, "a cube") : status;
	}
	if (level == 0)
		return HISTREE_ERR_FORMAT;
	const uint64_t below = pyramid_grid_cells(&reading->grid, level - 1);
	const uint64_t after = (cell + 1) << PYRAMID_STEP_LOG2;
	return range_cube_read_cells(reading, level - 1, cell << PYRAMID_STEP_LOG2, after < below ? after : below,
				     error);
}

static enum histree_status range_cube_read_cells(void *context, uint32_t level, uint64_t first, uint64_t after,
						 struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	for (uint64_t cell = first; cell < after && status == HISTREE_OK; cell++)
		status = read_cell(context, level, cell, error);
	return status;
}

/* ------------------------------------------------------------------------------------------------------------- */

static enum histree_status read_part(struct range_cube_reading *reading, const struct histree_history *history,
				     enum cube_part part, uint64_t first, uint64_t after,
				     struct histree_error *error)
{
	static const char *const above[CUBE_PARTS] = { "Threads", "CPUs" };
	reading->part = part;
	if (histree_attributes_find(histree_history_attributes(history), HISTREE_ROOT, above[part],
				    &reading->quark) != HISTREE_OK)
		return HISTREE_ERR_FORMAT;
	return pyramid_grid_walk(&reading->grid, first, after, range_cube_read_cells, reading, error);
}

static enum histree_status read_parts(struct range_cube_reading *reading, const struct histree_history *history,
				      bool needs_owners, uint64_t first, uint64_t after,
				      struct histree_error *error)
{
	enum histree_status status = histree_query_create(reading->of->levels[0].history, &reading->query, error);
	if (status == HISTREE_OK)
		status = read_part(reading, history, CUBE_OF_CALLS, first, after, error);
	if (status == HISTREE_OK && needs_owners)
		status = read_part(reading, history, CUBE_OF_OWNERS, first, after, error);
	histree_cursor_free(reading->query);
	return status;
}

/* If the cube is wrong in any way, the caller reads the same from the history. */
enum histree_status range_cube_read(struct range_cube *cube, struct histree_history *history, histree_time from,
				    histree_time to, bool needs_owners, struct intern *texts,
				    struct histree_error *error)
{
	const struct pyramid *of = history_pyramid(history, PYRAMID_CUBE);
	const struct histree_history_info *info = histree_history_info(history);
	uint64_t first, after;
	histree_time ignored;
	*cube = (struct range_cube){ 0 };
	if (of->level_count == 0)
		return HISTREE_OK;
	struct range_cube_reading reading = {
		.of = of,
		.grid = pyramid_grid(PYRAMID_CUBE, info, of->log2),
		.threads_max = info->attribute_count,
		.cube = cube,
		.texts = texts,
	};
	if (of->level_count != reading.grid.level_count || pyramid_grid_cells(&reading.grid, 0) > CUBE_CELLS_MAX ||
	    !pyramid_grid_inside(&reading.grid, from, to, &first, &after))
		return HISTREE_OK;
	pyramid_grid_times(&reading.grid, 0, first, &cube->from, &ignored);
	pyramid_grid_times(&reading.grid, 0, after - 1, &ignored, &cube->to);
	enum histree_status status = read_parts(&reading, history, needs_owners, first, after, error);
	cube->is_any = status == HISTREE_OK;
	if (status != HISTREE_OK)
		range_cube_release(cube);
	return status == HISTREE_ERR_MEMORY || status == HISTREE_ERR_CANCELLED ? status : HISTREE_OK;
}

void range_cube_release(struct range_cube *cube)
{
	for (int part = 0; part < CUBE_PARTS; part++)
		cube_cell_release(&cube->parts[part]);
	*cube = (struct range_cube){ 0 };
}
