// SPDX-License-Identifier: MIT
/*
 * row_feed.c - the rows of a history while it is made: pages of states, which become cells, which become wider.
 */
#include "overview/row_feed.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/error.h"
#include "base/search.h"
#include "base/table.h"
#include "state/pyramid.h"

enum {
	PAGE_STATES = 128,
	KEPT_LEAST = 7 << 16,   /* states, 6 MiB: that many are no matter */
	VALUES_LEAST = 1 << 16, /* different ones, 2 MiB: likewise */
	BYTES_FOR_VALUE = 32, /* of tables: then the index of values, 5 to 11 each, is not all that fills memory */
	PIECE_STATES = 1 << 15, /* that are made fewer at once, at least */
};

/* States that follow one another, by their ends. */
struct row_page {
	histree_time from;
	histree_time ends[PAGE_STATES];
	uint32_t values[PAGE_STATES];
};

/* ---- pages -------------------------------------------------------------------------------------------------- */

/* Whenever a page is added, there is room to give it back. */
static bool take_page(struct row_feed *feed, struct row_owner *owner)
{
	if (!array_reserve(&owner->pages, &owner->page_capacity, owner->page_count + 1))
		return false;
	if (feed->free_count > 0) {
		owner->pages[owner->page_count++] = feed->free_pages[--feed->free_count];
		return true;
	}
	if (!table_reserve(&feed->of_pages, &feed->pages, &feed->page_capacity, feed->page_count + 1) ||
	    !array_reserve(&feed->free_pages, &feed->free_capacity, feed->page_count + 1))
		return false;
	owner->pages[owner->page_count++] = (uint32_t)feed->page_count++;
	return true;
}

/* All pages from one on. */
static void give_back(struct row_feed *feed, struct row_owner *owner, size_t first)
{
	while (owner->page_count > first)
		feed->free_pages[feed->free_count++] = owner->pages[--owner->page_count];
	assert(feed->free_count <= feed->page_count);
}

struct overview_state row_feed_state(const struct row_feed *feed, uint32_t owner, size_t index)
{
	assert(index < feed->owners[owner].kept);
	const struct row_page *page = &feed->pages[feed->owners[owner].pages[index / PAGE_STATES]];
	const size_t at = index % PAGE_STATES;
	return (struct overview_state){ .start = at > 0 ? page->ends[at - 1] + 1 : page->from,
					.end = page->ends[at],
					.value = page->values[at],
					.attribute = owner };
}

size_t row_feed_after(const struct row_feed *feed, uint32_t owner, size_t index, histree_time time)
{
	const struct row_owner *of = &feed->owners[owner];
	return SEARCH(i, index, of->kept, feed->pages[of->pages[i / PAGE_STATES]].ends[i % PAGE_STATES] <= time);
}

/* States of an owner, page by page, to `piece`, which has room for them. */
static void copy_piece(struct row_feed *feed, uint32_t number, size_t first, size_t count)
{
	const struct row_owner *owner = &feed->owners[number];
	struct overview_state *to = feed->piece;
	for (size_t left = count, at = first % PAGE_STATES, page_number = first / PAGE_STATES; left > 0; at = 0) {
		const struct row_page *page = &feed->pages[owner->pages[page_number++]];
		const size_t here = PAGE_STATES - at < left ? PAGE_STATES - at : left;
		histree_time start = at > 0 ? page->ends[at - 1] + 1 : page->from;
		for (size_t i = at; i < at + here; i++) {
			*to++ = (struct overview_state){ start, page->ends[i], page->values[i], number };
			start = page->ends[i] + 1;
		}
		left -= here;
	}
}

/* There is a page for it. */
static void keep_state(struct row_feed *feed, const struct row_owner *owner, size_t index, histree_time start,
		       histree_time end, uint32_t value)
{
	struct row_page *page = &feed->pages[owner->pages[index / PAGE_STATES]];
	const size_t at = index % PAGE_STATES;
	assert(at == 0 || start == page->ends[at - 1] + 1);
	if (at == 0)
		page->from = start;
	page->ends[at] = end;
	page->values[at] = value;
}

static void leave_out(struct row_feed *feed, struct row_owner *owner)
{
	give_back(feed, owner, 0);
	feed->kept -= owner->kept;
	owner->kept = owner->settled = 0;
	owner->is_left_out = true;
}

/* ---- fewer -------------------------------------------------------------------------------------------------- */

/*
 * Where an owner is being made fewer: `next` is the first state that is not in a cell, or not wholly, `written` how
 * many there are in place of those before it.  What is written lies in pages before that of `next`.
 */
struct widening {
	uint32_t number;
	size_t next, written;
	struct overview_scale scale;
};

/* Returns the last ns of the last cell that has ended when such a state has. */
static histree_time end_of_cells(const struct overview_scale *scale, histree_time end)
{
	const uint64_t cells = ((uint64_t)end + 1 - (uint64_t)scale->origin) >> scale->width_log2;
	return (histree_time)((uint64_t)scale->origin + (cells << scale->width_log2) - 1);
}

/* Add whole cells of some states from `next` on, or all that is left.  Returns false without memory. */
static bool widen_piece(struct row_feed *feed, struct widening *widening)
{
	const struct row_owner *owner = &feed->owners[widening->number];
	struct overview_scale *scale = &widening->scale;
	const size_t left = owner->kept - widening->next;
	for (size_t count = PIECE_STATES;; count *= 2) {
		count = count < left ? count : left;
		if (!array_reserve(&feed->piece, &feed->piece_capacity, count))
			return false;
		copy_piece(feed, widening->number, widening->next, count);
		scale->to = feed->piece[count - 1].end;
		if (count < left)
			scale->to = end_of_cells(scale, scale->to);
		if (count < left && scale->to < scale->from)
			continue; /* all of them lie in one cell */
		if (overview_cells_add(&feed->cells, scale, feed->piece, count, NULL) != HISTREE_OK)
			return false;
		widening->next += SEARCH(i, 0, count, feed->piece[i].end <= scale->to);
		if (widening->next < owner->kept)
			scale->from = scale->to + 1;
		return true;
	}
}

/* Write the states of cells that are complete, as far as there is room before `next`; at the end, all of them. */
static bool write_cells(struct row_feed *feed, struct widening *widening)
{
	struct row_owner *owner = &feed->owners[widening->number];
	const bool is_end = widening->next == owner->kept;
	const size_t before = widening->next / PAGE_STATES * PAGE_STATES;
	const size_t room = before > widening->written ? before - widening->written : 0;
	size_t count = feed->cells.count;
	if (is_end) {
		feed->cells.can_go_on = false;
	} else if (count > 0) {
		count--; /* which may go on */
		count = count < room ? count : room;
	}
	while (owner->page_count * PAGE_STATES < widening->written + count)
		if (!take_page(feed, owner))
			return false;
	for (size_t i = 0; i < count; i++) {
		const struct overview_state *state = &feed->cells.states[i];
		keep_state(feed, owner, widening->written++, state->start, state->end, state->value);
	}
	overview_cells_drop(&feed->cells, count);
	return true;
}

bool row_feed_widen(struct row_feed *feed, uint32_t number, unsigned width_log2)
{
	struct row_owner *owner = &feed->owners[number];
	if (owner->kept == 0 || width_log2 > PYRAMID_ROWS_WIDTH_LOG2_MAX)
		return true;
	const size_t first = width_log2 > owner->width_log2 ? 0 : owner->settled;
	if (owner->kept == first)
		return true;
	owner->width_log2 = width_log2 > owner->width_log2 ? width_log2 : owner->width_log2;
	struct widening widening = {
		.number = number,
		.next = first,
		.written = first,
		.scale = { .origin = feed->start,
			   .from = row_feed_state(feed, number, first).start,
			   .width_log2 = owner->width_log2,
			   .value_count = (uint32_t)feed->values.count },
	};
	overview_scale_keep_idle_apart(&widening.scale, &feed->values);
	overview_cells_clear(&feed->cells);
	while (widening.next < owner->kept)
		if (!widen_piece(feed, &widening) || !write_cells(feed, &widening))
			return false;
	assert(feed->cells.count == 0);
	feed->kept += widening.written - owner->kept;
	owner->kept = owner->settled = widening.written;
	give_back(feed, owner, (owner->kept + PAGE_STATES - 1) / PAGE_STATES);
	return true;
}

static uint64_t most_of_owner(const struct row_feed *feed, uint64_t states)
{
	return overview_options_cost(&feed->options, states);
}

/* Have the owners with most states, as many as there is room for. */
static void leave_out_least(struct row_feed *feed, uint64_t most)
{
	uint64_t costs[65] = { 0 }, all = 0;
	unsigned bits = 65;
	for (size_t i = 0; i < feed->owner_count; i++)
		if (!feed->owners[i].is_left_out)
			costs[bits_needed(feed->owners[i].states)] += most_of_owner(feed, feed->owners[i].states);
	while (bits > 0 && all + costs[bits - 1] <= most)
		all += costs[--bits];
	for (size_t i = 0; i < feed->owner_count; i++)
		if (!feed->owners[i].is_left_out && bits_needed(feed->owners[i].states) < bits)
			leave_out(feed, &feed->owners[i]);
}

/* Whether an owner has grown enough since its states were made fewer that it is worth doing again. */
static bool has_many(const struct row_feed *feed, const struct row_owner *owner)
{
	const uint64_t most = most_of_owner(feed, owner->states);
	return owner->kept > most + most / 4 && owner->kept > owner->settled + owner->settled / 4;
}

/* Returns where the value of a kept state is: an index of `values`, or OVERVIEW_REST. */
static uint32_t *value_at(struct row_feed *feed, const struct row_owner *owner, size_t index)
{
	assert(index < owner->kept);
	return &feed->pages[owner->pages[index / PAGE_STATES]].values[index % PAGE_STATES];
}

/*
 * Make `renamed`, zeroed, of all values: those that a kept state has go on in `values`, in the same order, and
 * there is room for as many again.  Returns false without memory.
 */
static bool rename_values(struct row_feed *feed, uint32_t *renamed)
{
	struct value_table all = feed->values;
	size_t used = 0;
	for (size_t i = 0; i < feed->owner_count; i++)
		for (size_t at = 0; at < feed->owners[i].kept; at++) {
			const uint32_t value = *value_at(feed, &feed->owners[i], at);
			if (value == OVERVIEW_REST || renamed[value] != 0)
				continue;
			renamed[value] = 1;
			used++;
		}
	feed->values = value_table_in(all.table.space);
	bool is_well = value_table_reset(&feed->values, NULL) == HISTREE_OK &&
		       value_table_reserve(&feed->values, 2 * used + 1);
	for (size_t i = 1; i < all.count && is_well; i++) /* null is the first of any table */
		if (renamed[i] != 0)
			is_well = value_table_add(&feed->values, &all.values[i], &renamed[i], NULL) == HISTREE_OK;
	renamed[0] = 0;
	value_table_release(&all);
	return is_well;
}

/*
 * Forget the values that no kept state has any more: of a sum, each state has one of its own, and they would grow
 * with the trace.  Returns false without memory.
 */
static bool forget_values(struct row_feed *feed)
{
	if (feed->values.count <= VALUES_LEAST || feed->values.count / 2 <= feed->kept)
		return true;
	uint32_t *renamed = calloc(feed->values.count, sizeof(*renamed));
	const bool is_well = renamed != NULL && rename_values(feed, renamed);
	for (size_t i = 0; i < feed->owner_count && is_well; i++)
		for (size_t at = 0; at < feed->owners[i].kept; at++) {
			uint32_t *value = value_at(feed, &feed->owners[i], at);
			*value = *value == OVERVIEW_REST ? OVERVIEW_REST : renamed[*value];
		}
	free(renamed);
	assert(!is_well || feed->values.count <= feed->kept + 1);
	return is_well;
}

static uint32_t with_most_kept(const struct row_feed *feed)
{
	uint32_t most = 0;
	for (uint32_t i = 1; i < feed->owner_count; i++)
		if (feed->owners[i].kept > feed->owners[most].kept)
			most = i;
	return most;
}

/*
 * So many values that the index of them is too large for memory are those of sums: wider cells of the owners with
 * most states have fewer.  Returns false without memory.
 */
static bool limit_values(struct row_feed *feed)
{
	const uint32_t values = feed->options.values_max;
	while (feed->values.count > values && feed->kept > values / 2) {
		const uint32_t most = with_most_kept(feed);
		const unsigned width_log2 = feed->owners[most].width_log2 + 1;
		if (width_log2 > PYRAMID_ROWS_WIDTH_LOG2_MAX)
			return true;
		if (!row_feed_widen(feed, most, width_log2) || !forget_values(feed))
			return false;
	}
	return true;
}

bool row_feed_look(struct row_feed *feed, uint64_t states)
{
	const uint64_t likely = states / feed->options.cost_max_share;
	const uint64_t most = likely > KEPT_LEAST ? likely : KEPT_LEAST;
	/* Pages of few are written again and again; of many, most are cells that rest until they get wider. */
	feed->of_pages.is_random = likely <= KEPT_LEAST;
	if (feed->kept <= most + most / 4)
		return true;
	leave_out_least(feed, most);
	for (uint32_t i = 0; i < feed->owner_count; i++) {
		struct row_owner *owner = &feed->owners[i];
		if (!has_many(feed, owner))
			continue;
		const histree_time now = row_feed_state(feed, i, owner->kept - 1).end;
		const uint64_t ns = (uint64_t)now - (uint64_t)owner->from;
		if (!row_feed_widen(feed, i, overview_options_width(&feed->options, ns, owner->states)))
			return false;
	}
	return forget_values(feed) && limit_values(feed);
}

/* ---- from begin to end ------------------------------------------------------------------------------------- */

enum histree_status row_feed_begin(struct row_feed *feed, const struct overview_options *options,
				   histree_time start, struct table_space *tables, struct histree_error *error)
{
	*feed = (struct row_feed){ .options = *options, .start = start, .values = value_table_in(tables) };
	feed->of_pages.space = feed->cells.of_slots.space = tables;
	if (tables != NULL && feed->options.values_max > tables->memory_max / BYTES_FOR_VALUE)
		feed->options.values_max = (uint32_t)(tables->memory_max / BYTES_FOR_VALUE);
	return value_table_reset(&feed->values, error);
}

bool row_feed_own(struct row_feed *feed)
{
	if (!array_reserve(&feed->owners, &feed->owners_capacity, feed->owner_count + 1))
		return false;
	feed->owners[feed->owner_count++] = (struct row_owner){ .from = feed->start };
	return true;
}

bool row_feed_add(struct row_feed *feed, uint32_t number, const struct histree_interval *state)
{
	struct row_owner *owner = &feed->owners[number];
	const struct histree_value *value = &state->value;
	uint32_t index = 0;
	if (owner->states++ == 0 && value->type == HISTREE_NULL)
		owner->from = state->end + 1;
	if (owner->is_left_out)
		return true;
	if (value->type == HISTREE_CUSTOM) { /* it could be mistaken for a rest */
		leave_out(feed, owner);
		return true;
	}
	if (value->type != HISTREE_NULL && /* which is the first of a table */
	    value_table_add(&feed->values, value, &index, NULL) != HISTREE_OK)
		return false;
	if (owner->kept == owner->page_count * PAGE_STATES && !take_page(feed, owner))
		return false;
	keep_state(feed, owner, owner->kept, state->start, state->end, index);
	owner->kept++;
	feed->kept++;
	return true;
}

void row_feed_release(struct row_feed *feed)
{
	for (size_t i = 0; i < feed->owner_count; i++)
		free(feed->owners[i].pages);
	free(feed->owners);
	table_release(&feed->of_pages, feed->pages);
	free(feed->free_pages);
	value_table_release(&feed->values);
	overview_cells_release(&feed->cells);
	free(feed->piece);
	*feed = (struct row_feed){ .owners = NULL };
}
