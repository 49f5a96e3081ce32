// SPDX-License-Identifier: MIT
/*
 * number_pyramid.c - the pyramid of numbers: summaries of 2^B consecutive states, of eight of these cells, and so
 * on (docs/design/05-pyramid.md).
 */

#include "base/bytes.h"
#include "base/error.h"
#include "overview/overview_choice.h"
#include "overview/pyramid_maker.h"
#include "state/pyramid.h"
#include "state/pyramid_cells.h"

enum {
	CELLS_MAX = 1 << 15, /* 14 MiB */
	CELL_BYTES = 32,     /* about, with what a tree adds to it */
	CELLS_ENOUGH = 16,   /* fewer are read at once, */
	CELLS_MIN = 4,       /* and of fewer states they are not worth a level */
	FED_LOG2 = 6,        /* while they are fed, until they become too many */
};

struct number_cell {
	histree_time start;
	uint32_t filled; /* states, or cells of the level below; 0: `start` is not known */
	struct number_summary summary;
};

_Static_assert(sizeof(((struct pyramid_maker *)NULL)->room) >= NUMBER_SUMMARY_SIZE_MAX, "a cell fits");

/* ---- which attributes -------------------------------------------------------------------------------------- */

/* Returns how many levels an attribute has; 0: it is not worth any, or has fewer states than `lowest`. */
static uint32_t levels_of(const struct pyramid_maker *maker, histree_quark quark, uint64_t lowest)
{
	const struct state_counts *counts = maker->source->counts;
	uint32_t levels = 1;
	state_counts_pass(counts, quark);
	uint64_t cells = counts->states[quark] >> maker->log2;
	if (counts->states[quark] < lowest || (counts->kinds[quark] & HAS_NUMBER) == 0 || cells < CELLS_MIN ||
	    !pyramid_maker_has(maker, quark))
		return 0;
	for (; cells > CELLS_ENOUGH && levels < PYRAMID_STEPS_MAX; levels++)
		cells >>= PYRAMID_STEP_LOG2;
	return levels;
}

/* The attributes with most states come first, as many as may be in memory at once. */
static uint64_t lowest_count(const struct pyramid_maker *maker)
{
	for (uint64_t lowest = maker->source->options->number_states_min;; lowest *= 2) {
		uint64_t cells = 0;
		for (histree_quark quark = 0; quark < maker->of.attribute_count; quark++)
			cells += levels_of(maker, quark, lowest);
		if (cells <= CELLS_MAX)
			return lowest;
	}
}

/* So many states in a cell that all of them are likely to be small enough. */
static unsigned first_log2(const struct pyramid_maker *maker)
{
	const struct state_counts *counts = maker->source->counts;
	uint64_t states = 0;
	unsigned log2 = maker->source->options->number_states_log2;
	for (histree_quark quark = 0; quark < maker->of.attribute_count; quark++) {
		state_counts_pass(counts, quark);
		if ((counts->kinds[quark] & HAS_NUMBER) != 0)
			states += counts->states[quark];
	}
	while (log2 < pyramid_kinds[PYRAMID_NUMBERS].log2_max && (states >> log2) > maker->bytes_max / CELL_BYTES)
		log2++;
	return log2;
}

static enum histree_status number_choose(struct pyramid_maker *maker, uint64_t bytes, struct histree_error *error)
{
	maker->is_wanted = false;
	if (bytes > 0 && maker->bytes_max == 0)
		return HISTREE_OK;
	maker->log2 = bytes > 0 ? maker->log2 + bits_needed(bytes / maker->bytes_max) : first_log2(maker);
	if (maker->log2 < maker->kept.log2)
		maker->log2 = maker->kept.log2;
	if (maker->log2 > pyramid_kinds[PYRAMID_NUMBERS].log2_max)
		return HISTREE_OK;
	pyramid_maker_clear_choice(maker);
	pyramid_maker_clear_owners(maker);
	uint64_t lowest = lowest_count(maker);
	for (histree_quark quark = 0; quark < maker->of.attribute_count; quark++) {
		const uint32_t levels = levels_of(maker, quark, lowest);
		if (levels == 0)
			continue;
		enum histree_status status = pyramid_maker_choose(maker, quark, error);
		if (status == HISTREE_OK)
			status = pyramid_maker_own(maker, quark, levels, error);
		if (status != HISTREE_OK)
			return status;
	}
	maker->is_wanted = maker->owner_count > 0;
	return HISTREE_OK;
}

/* ---- cells ------------------------------------------------------------------------------------------------- */

static enum histree_status number_merge(void *into, const void *cell, struct histree_error *error)
{
	struct number_cell *above = into;
	const struct number_cell *below = cell;
	(void)error;
	if (above->filled++ == 0)
		above->start = below->start;
	number_summary_add_summary(&above->summary, &below->summary);
	return HISTREE_OK;
}

static enum histree_status number_put(struct pyramid_maker *maker, void *cell, struct histree_value *out,
				      struct histree_error *error)
{
	(void)error;
	*out = histree_custom(maker->room, number_summary_put(&((struct number_cell *)cell)->summary, maker->room));
	return HISTREE_OK;
}

static struct number_cell *cell_of(const struct pyramid_maker *maker, uint32_t owner, uint32_t level)
{
	return (struct number_cell *)(void *)maker->cells + (maker->owners[owner].first + level);
}

/* Close a cell that is full, and those above it that become full by that. */
static enum histree_status close_full(struct pyramid_maker *maker, uint32_t owner, histree_time end,
				      struct histree_error *error)
{
	struct number_cell *cell = cell_of(maker, owner, 0);
	uint32_t full = UINT32_C(1) << maker->log2;
	enum histree_status status = HISTREE_OK;
	for (uint32_t level = 0; level < maker->owners[owner].level_count && status == HISTREE_OK; level++) {
		if (cell[level].filled < full)
			break;
		status = pyramid_maker_close(maker, owner, level, cell[level].start, end, error);
		full = 1 << PYRAMID_STEP_LOG2;
	}
	return status;
}

static enum histree_status number_add(struct pyramid_maker *maker, uint32_t owner,
				      const struct histree_interval *state, struct histree_error *error)
{
	struct number_cell *cell = cell_of(maker, owner, 0);
	if (cell->filled++ == 0)
		cell->start = state->start;
	number_summary_add(&cell->summary, &state->value, number_summary_ns(state->start, state->end));
	return cell->filled >> maker->log2 == 0 ? HISTREE_OK : close_full(maker, owner, state->end, error);
}

static enum histree_status number_feed_begin(struct pyramid_maker *maker, struct histree_error *error)
{
	(void)error;
	if (maker->again == NULL)
		maker->log2 = FED_LOG2;
	maker->is_wanted = true;
	return HISTREE_OK;
}

/* States go on in a cell that is wider. */
static void number_go_on(struct pyramid_maker *maker, uint32_t owner, const void *open)
{
	struct number_cell *cell = cell_of(maker, owner, 0);
	const struct number_cell *below = open;
	if (cell->filled == 0)
		cell->start = below->start;
	cell->filled += below->filled;
	number_summary_add_summary(&cell->summary, &below->summary);
}

/* The last one may be of fewer states, and is the last then. */
static enum histree_status number_take_kept(struct pyramid_maker *maker, uint32_t owner,
					    const struct histree_interval *kept, struct histree_error *error)
{
	struct number_cell cell = { .start = kept->start, .filled = UINT32_C(1) << maker->kept.log2 };
	if (!number_summary_get(&cell.summary, number_summary_ns(kept->start, kept->end), kept->value.bytes,
				kept->value.size))
		return error_set(error, HISTREE_ERR_INTERNAL, "a cell of an overview is malformed");
	number_go_on(maker, owner, &cell);
	return close_full(maker, owner, kept->end, error);
}

/* Close what is not full. */
static enum histree_status number_finish(struct pyramid_maker *maker, struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	for (uint32_t owner = 0; owner < maker->owner_count; owner++)
		for (uint32_t level = 0; level < maker->owners[owner].level_count && status == HISTREE_OK;
		     level++) {
			const struct number_cell *cell = cell_of(maker, owner, level);
			if (cell->filled > 0)
				status =
					pyramid_maker_close(maker, owner, level, cell->start, maker->of.end, error);
		}
	return status;
}

static enum histree_status number_feed_end(struct pyramid_maker *maker, const struct feed_window *window,
					   struct histree_error *error)
{
	(void)window;
	return number_finish(maker, error);
}

const struct cell_kind number_cells = {
	.id = PYRAMID_NUMBERS,
	.size = sizeof(struct number_cell),
	.cells_max = CELLS_MAX,
	.choose = number_choose,
	.add = number_add,
	.finish = number_finish,
	.feed_begin = number_feed_begin,
	.feed_end = number_feed_end,
	.take_kept = number_take_kept,
	.go_on = number_go_on,
	.merge = number_merge,
	.put = number_put,
};
