// SPDX-License-Identifier: MIT
/*
 * sum_pyramid.c - the pyramid of sums: for how long an attribute had each of its values in a cell of 2^W ns, in
 * eight of these cells, and so on (docs/design/05-pyramid.md).
 *
 * Cells that are alike all the time are a run: one state, and one addition to the level above, however many there
 * are.
 */
#include "base/bytes.h"
#include "base/error.h"
#include "histree/attributes.h"
#include "overview/overview_choice.h"
#include "overview/pyramid_maker.h"
#include "state/pyramid.h"
#include "state/pyramid_cells.h"

enum {
	CELLS_MAX = 1 << 15, /* 12 MiB */
	CELL_BYTES = 24,     /* about, with what a tree adds to it */
	CELLS_LOG2_MOST = 12,
	CELLS_LOG2_LEAST = 6, /* with fewer, most of a range is at its ends */
};

enum sum_content { SUM_NOTHING, SUM_CONSTANT, SUM_OF_NO_USE };

/* A cell that is being filled, and the cells before it that are all alike. */
struct sum_cell {
	struct state_sum sum;
	bool is_of_no_use; /* the cell, and all that follow */
	enum sum_content run;
	struct state_sum_part value; /* of the run, if that is not null */
	bool is_null;
	histree_time run_start, run_end;
};

_Static_assert(sizeof(((struct pyramid_maker *)NULL)->room) >= STATE_SUM_SIZE_MAX, "a cell fits");

/* ---- which attributes, and how wide cells are -------------------------------------------------------------- */

/* Whose values are codes: what is done, not how much. */
static bool is_status(const struct pyramid_maker *maker, histree_quark quark)
{
	const struct histree_label_table *table = histree_labels_of(maker->source->history, quark);
	for (size_t i = 0; table != NULL && i < table->label_count; i++)
		if (table->labels[i].kind == HISTREE_LABEL_NUMBERS && table->labels[i].is_code)
			return true;
	return false;
}

static enum histree_status choose_statuses(struct pyramid_maker *maker, struct histree_error *error)
{
	const struct state_counts *counts = maker->source->counts;
	enum histree_status status = HISTREE_OK;
	for (histree_quark quark = 0; quark < maker->of.attribute_count && status == HISTREE_OK; quark++) {
		state_counts_pass(counts, quark);
		if (counts->states[quark] >= maker->source->options->sum_states_min &&
		    pyramid_maker_has(maker, quark) && is_status(maker, quark))
			status = pyramid_maker_choose(maker, quark, error);
	}
	return status;
}

static uint64_t length_of(const struct pyramid_maker *maker)
{
	return (uint64_t)maker->of.end - (uint64_t)maker->of.start;
}

/* About how many bytes all cells have, those of the levels above as well. */
static uint64_t bytes_of(const struct pyramid_maker *maker, unsigned width_log2)
{
	uint64_t cells = (length_of(maker) >> width_log2) + 1, all = 0;
	for (uint32_t i = 0; i < maker->choice.count; i++) {
		uint64_t states = maker->choice.condensed[i].read;
		all += states < cells ? states : cells;
	}
	return all * CELL_BYTES / 7 * 8;
}

/* Leave out those with fewest states, down to half of them. */
static void choose_fewer(struct overview_choice *choice)
{
	uint64_t lowest = choice->count > 0 ? 2 * (choice->states / choice->count) : 0, states = 0;
	uint32_t kept = 0;
	for (uint32_t i = 0; i < choice->count; i++) {
		if (choice->condensed[i].read < lowest / 2 + 1)
			continue;
		states += choice->condensed[i].read;
		choice->condensed[kept++] = choice->condensed[i];
	}
	choice->count = kept < choice->count ? kept : 0;
	choice->states = choice->count > 0 ? states : 0;
}

/* Returns the width of the smallest cells that are likely to fit into `bytes_max`; 0: there is no such width. */
static unsigned width_for(const struct pyramid_maker *maker, uint64_t bytes_max)
{
	const unsigned bits = bits_needed(length_of(maker));
	unsigned least = bits > CELLS_LOG2_MOST ? bits - CELLS_LOG2_MOST : 1;
	unsigned most = bits > CELLS_LOG2_LEAST ? bits - CELLS_LOG2_LEAST : 0;
	for (unsigned width = least; width <= most && width <= pyramid_kinds[PYRAMID_SUMS].log2_max; width++)
		if (bytes_of(maker, width) <= bytes_max)
			return width;
	return 0;
}

/* One that is larger than it may be gets wider cells, until these are too few. */
static enum histree_status sum_choose(struct pyramid_maker *maker, uint64_t bytes, struct histree_error *error)
{
	struct overview_choice *choice = &maker->choice;
	enum histree_status status = HISTREE_OK;
	unsigned width = 0;
	maker->is_wanted = false;
	if (bytes > 0) {
		maker->bytes_wanted = maker->bytes_wanted / (bytes / maker->bytes_max + 1);
		width = width_for(maker, maker->bytes_wanted);
		if (width == 0)
			return HISTREE_OK;
		width = width > maker->log2 ? width : maker->log2 + 1;
	} else {
		maker->bytes_wanted = maker->bytes_max;
		status = choose_statuses(maker, error);
		while (choice->count > 0 && (width = width_for(maker, maker->bytes_max)) == 0)
			choose_fewer(choice);
	}
	if (width < maker->kept.log2)
		width = maker->kept.log2;
	maker->log2 = width;
	maker->grid = pyramid_grid(PYRAMID_SUMS, &maker->of, width);
	while ((uint64_t)choice->count * maker->grid.level_count > CELLS_MAX)
		choose_fewer(choice);
	pyramid_maker_clear_owners(maker);
	for (uint32_t i = 0; i < choice->count && status == HISTREE_OK; i++)
		status = pyramid_maker_own(maker, choice->condensed[i].quark, maker->grid.level_count, error);
	maker->is_wanted = choice->count > 0;
	return status;
}

/* ---- what is ready ----------------------------------------------------------------------------------------- */

/* An owner, and a level from 0 on. */
struct place {
	struct pyramid_maker *maker;
	uint32_t owner, level;
};

static struct sum_cell *cell_of(const struct place *at)
{
	return (struct sum_cell *)(void *)at->maker->cells + (at->maker->owners[at->owner].first + at->level);
}

static unsigned width_of(const struct place *at)
{
	return at->maker->log2 + at->level * PYRAMID_STEP_LOG2;
}

static bool has_above(const struct place *at)
{
	return at->level + 1 < at->maker->grid.level_count;
}

static struct histree_value value_of_run(const struct sum_cell *cell)
{
	if (cell->run == SUM_OF_NO_USE)
		return histree_custom("", 1);
	return cell->is_null            ? histree_null()
	       : cell->value.is_unknown ? histree_custom("", 0)
					: histree_int(cell->value.value);
}

static enum histree_status add_value(const struct place *at, histree_time first, histree_time last,
				     const struct state_sum_part *part, bool is_of_no_use,
				     struct histree_error *error);

/* The cells before the one at hand are alike no longer, or what is ready is wanted. */
static enum histree_status end_run(const struct place *at, struct histree_error *error)
{
	struct sum_cell *cell = cell_of(at);
	const struct place above = { at->maker, at->owner, at->level + 1 };
	if (cell->run == SUM_NOTHING)
		return HISTREE_OK;
	const struct histree_value value = value_of_run(cell);
	const bool is_of_no_use = cell->run == SUM_OF_NO_USE;
	const struct state_sum_part part = cell->value;
	cell->run = SUM_NOTHING;
	enum histree_status status =
		pyramid_maker_ready(at->maker, at->owner, at->level, cell->run_start, cell->run_end, &value, error);
	if (status != HISTREE_OK || !has_above(at))
		return status;
	return add_value(&above, cell->run_start, cell->run_end, cell->is_null ? NULL : &part, is_of_no_use, error);
}

static bool goes_on(const struct sum_cell *cell, histree_time start, const struct state_sum_part *part,
		    bool is_of_no_use)
{
	if (cell->run == SUM_NOTHING || cell->run_end + 1 != start || is_of_no_use != (cell->run == SUM_OF_NO_USE))
		return false;
	if (is_of_no_use || cell->is_null || part == NULL)
		return is_of_no_use || (cell->is_null && part == NULL);
	return cell->value.value == part->value && cell->value.is_unknown == part->is_unknown;
}

/* Whole cells that are all alike: of one value, of null, or of no use. */
static enum histree_status add_run(const struct place *at, histree_time start, histree_time end,
				   const struct state_sum_part *part, bool is_of_no_use,
				   struct histree_error *error)
{
	struct sum_cell *cell = cell_of(at);
	if (!goes_on(cell, start, part, is_of_no_use)) {
		enum histree_status status = end_run(at, error);
		if (status != HISTREE_OK)
			return status;
		cell->run = is_of_no_use ? SUM_OF_NO_USE : SUM_CONSTANT;
		cell->is_null = part == NULL;
		if (part != NULL)
			cell->value =
				(struct state_sum_part){ .value = part->value, .is_unknown = part->is_unknown };
		cell->run_start = start;
	}
	cell->run_end = end;
	return HISTREE_OK;
}

static enum histree_status close_full(const struct place *at, uint64_t start, uint64_t end,
				      struct histree_error *error);

/* A cell has all that is in it. */
static enum histree_status end_cell(const struct place *at, histree_time start, histree_time end,
				    struct histree_error *error)
{
	const uint64_t origin = (uint64_t)at->maker->of.start;
	const struct place above = { at->maker, at->owner, at->level + 1 };
	struct sum_cell *cell = cell_of(at);
	const uint32_t parts = cell->sum.count;
	if (cell->is_of_no_use || state_sum_is_constant(&cell->sum, (uint64_t)end - (uint64_t)start + 1)) {
		cell->sum.count = 0;
		return add_run(at, start, end, parts > 0 ? &cell->sum.parts[0] : NULL, cell->is_of_no_use, error);
	}
	enum histree_status status = end_run(at, error);
	if (status == HISTREE_OK)
		status = pyramid_maker_close(at->maker, at->owner, at->level, start, end, error);
	if (status != HISTREE_OK || !has_above(at))
		return status;
	return close_full(&above, (uint64_t)start - origin, (uint64_t)end - origin, error);
}

/* An attribute with too many values in the cell above is of no use from there on. */
static enum histree_status sum_merge(void *into, const void *cell, struct histree_error *error)
{
	struct sum_cell *above = into;
	(void)error;
	above->is_of_no_use =
		above->is_of_no_use || !state_sum_add_sum(&above->sum, &((const struct sum_cell *)cell)->sum);
	return HISTREE_OK;
}

static enum histree_status sum_put(struct pyramid_maker *maker, void *cell, struct histree_value *out,
				   struct histree_error *error)
{
	(void)error;
	*out = histree_custom(maker->room, state_sum_put(&((struct sum_cell *)cell)->sum, maker->room));
	return HISTREE_OK;
}

static void sum_clear(void *cell)
{
	((struct sum_cell *)cell)->sum.count = 0;
}

/* ---- what is added ----------------------------------------------------------------------------------------- */

/* The cell may be full with what is from `start` to `end`, as ns since the origin. */
static enum histree_status close_full(const struct place *at, uint64_t start, uint64_t end,
				      struct histree_error *error)
{
	const uint64_t origin = (uint64_t)at->maker->of.start, mask = (UINT64_C(1) << width_of(at)) - 1;
	if (end != (start | mask))
		return HISTREE_OK;
	return end_cell(at, (histree_time)(origin + (start & ~mask)), (histree_time)(origin + end), error);
}

/* A value that the attribute had all the time, or null; a state may begin at its beginning. */
static enum histree_status add_value(const struct place *at, histree_time first, histree_time last,
				     const struct state_sum_part *part, bool is_of_no_use,
				     struct histree_error *error)
{
	const uint64_t origin = (uint64_t)at->maker->of.start, mask = (UINT64_C(1) << width_of(at)) - 1;
	const uint64_t end = (uint64_t)last - origin;
	struct sum_cell *cell = cell_of(at);
	enum histree_status status = HISTREE_OK;
	uint64_t start = (uint64_t)first - origin, part_end, begins = part != NULL ? part->begins : 0;
	cell->is_of_no_use = cell->is_of_no_use || is_of_no_use;
	do {
		part_end = start | mask; /* of the cell */
		if ((start & mask) == 0 && part_end <= end && begins == 0) {
			/* In one step, however many cells there are. */
			part_end = (end & mask) == mask ? end : (end & ~mask) - 1;
			status = add_run(at, (histree_time)(origin + start), (histree_time)(origin + part_end),
					 part, cell->is_of_no_use, error);
		} else {
			part_end = end < part_end ? end : part_end;
			const struct state_sum_part here = { .value = part != NULL ? part->value : 0,
							     .is_unknown = part != NULL && part->is_unknown,
							     .ns = part_end - start + 1,
							     .begins = begins };
			if (part != NULL && !state_sum_add(&cell->sum, &here))
				cell->is_of_no_use = true;
			status = close_full(at, start, part_end, error);
		}
		begins = 0;
		start = part_end + 1;
	} while (status == HISTREE_OK && part_end != end);
	return status;
}

/* Add a state that lies within a cell and does not end it, as most do.  Returns whether it does. */
static bool add_within_cell(const struct pyramid_maker *maker, struct sum_cell *cell,
			    const struct histree_interval *state)
{
	const uint64_t origin = (uint64_t)maker->of.start, mask = (UINT64_C(1) << maker->log2) - 1;
	const uint64_t start = (uint64_t)state->start - origin, end = (uint64_t)state->end - origin;
	const bool is_int = state->value.type == HISTREE_INT;
	if ((start ^ end) >> maker->log2 != 0 || (end & mask) == mask ||
	    (!is_int && state->value.type != HISTREE_UNKNOWN))
		return false;
	const struct state_sum_part here = { is_int ? state->value.int32 : 0, !is_int, end - start + 1, 1 };
	if (!state_sum_add(&cell->sum, &here))
		cell->is_of_no_use = true;
	return true;
}

static enum histree_status sum_add(struct pyramid_maker *maker, uint32_t owner,
				   const struct histree_interval *state, struct histree_error *error)
{
	const struct place at = { maker, owner, 0 };
	const struct histree_value *value = &state->value;
	const bool is_int = value->type == HISTREE_INT, is_unknown = value->type == HISTREE_UNKNOWN;
	struct sum_cell *cell = cell_of(&at);
	if (maker->again == NULL && cell->is_of_no_use) {
		maker->kept.of[owner] = HISTREE_ROOT;
		return HISTREE_OK;
	}
	if (add_within_cell(maker, cell, state))
		return HISTREE_OK;
	const struct state_sum_part part = { .value = is_int ? value->int32 : 0,
					     .is_unknown = is_unknown,
					     .begins = 1 };
	return add_value(&at, state->start, state->end, is_int || is_unknown ? &part : NULL,
			 !is_int && !is_unknown && value->type != HISTREE_NULL, error);
}

static enum histree_status sum_feed_begin(struct pyramid_maker *maker, struct histree_error *error)
{
	(void)error;
	maker->is_wanted = true;
	return HISTREE_OK;
}

static enum histree_status sum_take_kept(struct pyramid_maker *maker, uint32_t owner,
					 const struct histree_interval *kept, struct histree_error *error)
{
	const struct place at = { maker, owner, 0 };
	const struct histree_value *value = &kept->value;
	const bool is_run = value->type != HISTREE_CUSTOM || value->size <= 1;
	if (is_run) {
		const struct state_sum_part part = { .value = value->type == HISTREE_INT ? value->int32 : 0,
						     .is_unknown = pyramid_value_is_rest(value) };
		const bool is_of_no_use = pyramid_value_is_of_no_use(value);
		return add_value(&at, kept->start, kept->end,
				 value->type == HISTREE_NULL || is_of_no_use ? NULL : &part, is_of_no_use, error);
	}
	const uint64_t origin = (uint64_t)maker->of.start;
	struct sum_cell *cell = cell_of(&at);
	struct state_sum sum;
	if (!state_sum_get(&sum, (uint64_t)kept->end - (uint64_t)kept->start + 1, value->bytes, value->size))
		return error_set(error, HISTREE_ERR_INTERNAL, "a cell of an overview is malformed");
	cell->is_of_no_use = cell->is_of_no_use || !state_sum_add_sum(&cell->sum, &sum);
	return close_full(&at, (uint64_t)kept->start - origin, (uint64_t)kept->end - origin, error);
}

/* All runs have ended, and the cell has what lies before the open one. */
static void sum_go_on(struct pyramid_maker *maker, uint32_t owner, const void *open)
{
	struct sum_cell *cell = cell_of(&(struct place){ maker, owner, 0 });
	const struct sum_cell *below = open;
	cell->is_of_no_use =
		cell->is_of_no_use || below->is_of_no_use || !state_sum_add_sum(&cell->sum, &below->sum);
}

/* Below first: what ends there is added above. */
static enum histree_status sum_flush(struct pyramid_maker *maker, struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	for (uint32_t level = 0; level < maker->grid.level_count; level++)
		for (uint32_t owner = 0; owner < maker->owner_count && status == HISTREE_OK; owner++)
			status = end_run(&(struct place){ maker, owner, level }, error);
	return status;
}

/* The last cell is not whole. */
static enum histree_status sum_feed_end(struct pyramid_maker *maker, const struct feed_window *window,
					struct histree_error *error)
{
	(void)window;
	return sum_flush(maker, error);
}

/* Behind the last whole cell of a level is null, up to the end of the history. */
static enum histree_status sum_finish(struct pyramid_maker *maker, struct histree_error *error)
{
	static const struct histree_value null = { .type = HISTREE_NULL };
	const uint64_t after = length_of(maker) + 1;
	enum histree_status status = HISTREE_OK;
	for (uint32_t level = 0; level < maker->grid.level_count; level++) {
		const uint64_t mask = (UINT64_C(1) << (maker->log2 + level * PYRAMID_STEP_LOG2)) - 1;
		const histree_time start = (histree_time)((uint64_t)maker->of.start + (after & ~mask));
		for (uint32_t owner = 0; (after & mask) != 0 && owner < maker->owner_count; owner++)
			if (status == HISTREE_OK)
				status = pyramid_maker_ready(maker, owner, level, start, maker->of.end, &null,
							     error);
	}
	return status;
}

const struct cell_kind sum_cells = {
	.id = PYRAMID_SUMS,
	.size = sizeof(struct sum_cell),
	.cells_max = CELLS_MAX,
	.choose = sum_choose,
	.add = sum_add,
	.flush = sum_flush,
	.finish = sum_finish,
	.feed_begin = sum_feed_begin,
	.feed_end = sum_feed_end,
	.take_kept = sum_take_kept,
	.go_on = sum_go_on,
	.merge = sum_merge,
	.put = sum_put,
	.clear = sum_clear,
};
