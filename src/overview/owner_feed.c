// SPDX-License-Identifier: MIT
/*
 * owner_feed.c - attributes of a history while it is made: young ones, owners, and the input of each kind of cells.
 */
#include "overview/owner_feed.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/table.h"
#include "overview/feed_item.h"

enum {
	YOUNG_IN_WINDOWS = 2,   /* as many states as windows have, of 32 bytes */
	STATES_OF_OWNER = 256,  /* as many as the least that a kind chooses, or fewer */
	YOUNG_FOR_OFTEN = 8192, /* an owner of fewer than one in this many young states is forgotten, */
	STATES_OFTEN = 4,       /* or of fewer than this */
	OWNERS_MAX = 8192,      /* about 1 KiB each */
	WAITING_MAX = 4096,
	TAKEN_BETWEEN = 4096, /* looks at how much is kept */
	/* One cell for this many states of the history is twice what a file is likely to have room for. */
	STATES_FOR_CELL = 160,
	CELLS_LEAST = 1 << 14,
	BYTES_OF_MEMORY_FOR_CELL = 256, /* a cell of a kind for so much of what a tree may have */
	MEMORY_DEFAULT = 64 << 20,
};

/* By quark.  `at` is one more than the place of the last young state, or an owner's place and IS_OWNER. */
struct fed_attribute {
	uint32_t states, at;
};

enum { AT_NOTHING = 0 };
#define AT_FORGOTTEN UINT32_MAX
#define IS_OWNER (UINT32_C(1) << 31)

struct young_state {
	struct column_item item;
	uint32_t before; /* of the same attribute, as in struct fed_attribute */
};

/* ---- owners ------------------------------------------------------------------------------------------------- */

static void find_fed(struct owner_feed *feed)
{
	feed->fed_count = 0;
	for (unsigned id = 0; id < PYRAMIDS; id++)
		if (pyramid_maker_is_by_owner(&feed->makers[id]))
			feed->fed[feed->fed_count++] = &feed->makers[id];
}

/* A kind that cannot go on is left out. */
static void drop_kind(struct owner_feed *feed, struct pyramid_maker *maker, enum histree_status status)
{
	feed->lacks_memory |= status == HISTREE_ERR_MEMORY;
	pyramid_maker_release(maker);
	find_fed(feed);
}

static bool add_state(struct owner_feed *feed, uint32_t owner, const struct histree_interval *state)
{
	struct fed_owner *of = &feed->owners[owner];
	assert(state->start == of->next && state->start <= state->end);
	of->next = state->end + 1;
	of->states += of->states < UINT32_MAX;
	of->kinds |= state->value.type == HISTREE_INT ? HAS_NUMBER : (uint8_t)state_counts_kind(&state->value);
	for (unsigned i = feed->fed_count; i-- > 0;) {
		const enum histree_status status = pyramid_maker_add(feed->fed[i], owner, state, NULL);
		if (status != HISTREE_OK)
			drop_kind(feed, feed->fed[i], status);
	}
	return !feed->keeps_rows || row_feed_add(&feed->rows, owner, state);
}

/* Behind a gap that is filled later, or never. */
static bool let_wait(struct owner_feed *feed, struct fed_owner *owner, const struct histree_interval *state)
{
	struct column_item item;
	if (owner->waiting_count == WAITING_MAX) {
		feed->lacks_states = true; /* it is not complete any more */
		return true;
	}
	if (!feed_item_keep(&feed->waiting_values, state, &item) ||
	    !array_reserve(&owner->waiting, &owner->waiting_capacity, owner->waiting_count + 1))
		return false;
	size_t at = owner->waiting_count++;
	for (; at > owner->waiting_first && owner->waiting[at - 1].start > item.start; at--)
		owner->waiting[at] = owner->waiting[at - 1];
	owner->waiting[at] = item;
	return true;
}

/* A state of an owner, and those that waited for it. */
static bool take_state(struct owner_feed *feed, uint32_t number, const struct histree_interval *state)
{
	struct fed_owner *owner = &feed->owners[number];
	if (state->start != owner->next)
		return let_wait(feed, owner, state);
	bool is_well = add_state(feed, number, state);
	while (is_well && owner->waiting_first < owner->waiting_count &&
	       owner->waiting[owner->waiting_first].start == owner->next) {
		const struct column_item *item = &owner->waiting[owner->waiting_first++];
		const struct histree_interval next = { .quark = owner->quark,
						       .start = item->start,
						       .end = item->end,
						       .value =
							       feed_item_value(feed->waiting_values.values, item) };
		is_well = add_state(feed, number, &next);
	}
	if (owner->waiting_first == owner->waiting_count)
		owner->waiting_first = owner->waiting_count = 0;
	return is_well;
}

/* Nobody has more cells than there may be. */
static bool look_at_cells(struct owner_feed *feed)
{
	const uint64_t likely = feed->states / STATES_FOR_CELL;
	size_t cells = likely > CELLS_LEAST ? (size_t)likely : CELLS_LEAST;
	cells = cells < feed->cells_max ? cells : feed->cells_max;
	for (unsigned i = feed->fed_count; i-- > 0;) {
		const enum histree_status status = pyramid_maker_keep_few(feed->fed[i], cells, NULL);
		if (status != HISTREE_OK)
			drop_kind(feed, feed->fed[i], status);
	}
	return !feed->keeps_rows || row_feed_look(&feed->rows, feed->states);
}

/* ---- young ones ---------------------------------------------------------------------------------------------- */

/* The chain of an attribute becomes the first states of an owner. */
static bool make_owner(struct owner_feed *feed, histree_quark quark, histree_time now)
{
	struct fed_attribute *attribute = &feed->attributes[quark];
	const size_t count = attribute->states;
	size_t left = count;
	if (!array_reserve(&feed->first, &feed->first_capacity, count) ||
	    !array_reserve(&feed->owners, &feed->owners_capacity, feed->owner_count + 1))
		return false;
	for (uint32_t at = attribute->at; at != AT_NOTHING; at = feed->young[at - 1].before)
		feed->first[--left] = feed->young[at - 1].item;
	assert(left == 0);
	const uint32_t owner = (uint32_t)feed->owner_count++;
	feed->owners[owner] = (struct fed_owner){ .quark = quark, .next = feed->start };
	for (unsigned i = 0; i < feed->fed_count; i++)
		if (pyramid_maker_feed_owner(feed->fed[i], quark, now, NULL) != HISTREE_OK)
			return false;
	if (feed->keeps_rows && !row_feed_own(&feed->rows))
		return false;
	attribute->at = IS_OWNER | owner;
	bool is_well = true;
	for (size_t i = 0; i < count && is_well; i++) {
		const struct histree_interval state = { .quark = quark,
							.start = feed->first[i].start,
							.end = feed->first[i].end,
							.value = feed_item_value(feed->young_values.values,
										 &feed->first[i]) };
		is_well = take_state(feed, owner, &state);
	}
	return is_well;
}

/* There are too many: who is seen often, and was so lately, becomes an owner. */
static bool grow_up(struct owner_feed *feed, histree_time now)
{
	const size_t often = feed->young_max / YOUNG_FOR_OFTEN;
	bool is_well = true;
	for (size_t i = 0; i < feed->young_count && is_well; i++) {
		const histree_quark quark = column_item_key(&feed->young[i].item);
		struct fed_attribute *attribute = &feed->attributes[quark];
		if (attribute->at != i + 1)
			continue;
		if (attribute->states >= (often > STATES_OFTEN ? often : STATES_OFTEN) &&
		    i >= feed->young_count / 2 && feed->owner_count < OWNERS_MAX)
			is_well = make_owner(feed, quark, now);
		else
			attribute->at = AT_FORGOTTEN;
	}
	feed->young_count = 0;
	return is_well && value_table_reset(&feed->young_values, NULL) == HISTREE_OK;
}

static bool take_young(struct owner_feed *feed, const struct histree_interval *state)
{
	if (feed->young_count == feed->young_max && !grow_up(feed, state->end))
		return false;
	struct fed_attribute *attribute = &feed->attributes[state->quark];
	if (attribute->at == AT_FORGOTTEN)
		return true;
	if ((attribute->at & IS_OWNER) != 0)
		return take_state(feed, attribute->at & ~IS_OWNER, state);
	if (feed->young_count == feed->young_capacity &&
	    !table_reserve(&feed->of_young, &feed->young, &feed->young_capacity, feed->young_count + 1))
		return false;
	struct young_state *young = &feed->young[feed->young_count];
	if (!feed_item_keep(&feed->young_values, state, &young->item))
		return false;
	young->before = attribute->at;
	attribute->at = (uint32_t)++feed->young_count;
	attribute->states++;
	if (attribute->states < feed->owner_states)
		return true;
	if (feed->owner_count < OWNERS_MAX)
		return make_owner(feed, state->quark, state->end);
	attribute->at = AT_FORGOTTEN;
	return true;
}

/* ---- from begin to end ------------------------------------------------------------------------------------- */

static bool know(struct owner_feed *feed, histree_quark quark)
{
	const size_t known = feed->attribute_count;
	if (!table_reserve(&feed->of_attributes, &feed->attributes, &feed->attributes_capacity, (size_t)quark + 1))
		return false;
	feed->attribute_count = feed->attributes_capacity;
	memset(feed->attributes + known, 0, (feed->attribute_count - known) * sizeof(*feed->attributes));
	return true;
}

static uint32_t least_of_owner(const struct overview_options *options)
{
	uint32_t least = STATES_OF_OWNER;
	least = options->states_min < least ? options->states_min : least;
	least = options->number_states_min < least ? options->number_states_min : least;
	return options->sum_states_min < least ? options->sum_states_min : least;
}

/* Have the owners of a pyramid that is there. */
static bool take_given(struct owner_feed *feed)
{
	const struct pyramid_maker *maker = feed->fed[0];
	feed->are_given = true;
	if (!array_reserve(&feed->owners, &feed->owners_capacity, maker->owner_count + 1))
		return false;
	for (; feed->owner_count < maker->owner_count; feed->owner_count++) {
		const histree_quark quark = maker->owners[feed->owner_count].quark;
		if (quark >= feed->attribute_count && !know(feed, quark))
			return false;
		feed->owners[feed->owner_count] = (struct fed_owner){ .quark = quark, .next = feed->start };
		feed->attributes[quark].at = IS_OWNER | (uint32_t)feed->owner_count;
	}
	return true;
}

bool owner_feed_takes(const struct owner_feed *feed, histree_quark quark)
{
	if (feed->makers == NULL || !feed->are_given)
		return feed->makers != NULL;
	return quark < feed->attribute_count && (feed->attributes[quark].at & IS_OWNER) != 0;
}

enum histree_status owner_feed_begin(struct owner_feed *feed, struct pyramid_maker *makers, histree_time start,
				     const struct overview_options *options, bool keeps_rows,
				     struct table_space *tables, struct table_space *kept,
				     struct histree_error *error)
{
	const size_t memory = options->memory_max > 0 ? options->memory_max : MEMORY_DEFAULT;
	*feed = (struct owner_feed){
		.makers = makers,
		.keeps_rows = keeps_rows,
		.start = start,
		.owner_states = least_of_owner(options),
		.young_max = (size_t)options->states_in_window * YOUNG_IN_WINDOWS,
		.cells_max = memory / BYTES_OF_MEMORY_FOR_CELL,
		.of_attributes.space = tables,
		.of_young = { .space = tables, .is_random = true },
	};
	find_fed(feed);
	enum histree_status status = value_table_reset(&feed->young_values, error);
	if (status == HISTREE_OK)
		status = value_table_reset(&feed->waiting_values, error);
	if (status == HISTREE_OK && keeps_rows)
		status = row_feed_begin(&feed->rows, options, start, kept, error);
	if (status == HISTREE_OK && feed->fed_count == 1 && feed->fed[0]->again != NULL && !take_given(feed))
		status = error_memory(error, "an overview");
	return status;
}

bool owner_feed_take(struct owner_feed *feed, const struct histree_interval *state)
{
	if (feed->lacks_states || !owner_feed_takes(feed, state->quark))
		return true;
	if (state->quark >= feed->attribute_count &&
	    (state->quark >= COLUMN_KEY_LIMIT || !know(feed, state->quark)))
		return false;
	const uint32_t at = feed->attributes[state->quark].at;
	if (++feed->states % TAKEN_BETWEEN == 0 && !look_at_cells(feed))
		return false;
	if ((at & IS_OWNER) == 0)
		return take_young(feed, state);
	return at == AT_FORGOTTEN || take_state(feed, at & ~IS_OWNER, state);
}

/* What was kept is of no use: who makes the pyramids feeds all states of all owners again. */
static void give_up(struct owner_feed *feed)
{
	while (feed->fed_count > 0)
		drop_kind(feed, feed->fed[0], HISTREE_OK);
	row_feed_release(&feed->rows);
	feed->keeps_rows = false;
}

bool owner_feed_end(struct owner_feed *feed, histree_time end)
{
	if (feed->makers == NULL)
		return true;
	if (feed->lacks_states) {
		give_up(feed);
		return true;
	}
	if (!look_at_cells(feed))
		return false;
	for (size_t i = 0; i < feed->owner_count; i++)
		feed->owners[i].is_complete = feed->owners[i].next == end + 1;
	for (unsigned i = feed->fed_count; i-- > 0;) {
		const enum histree_status status = pyramid_maker_feed_end(feed->fed[i], end, NULL);
		if (status != HISTREE_OK)
			drop_kind(feed, feed->fed[i], status);
	}
	return true;
}

void owner_feed_release_tables(struct owner_feed *feed)
{
	if (feed->attributes != NULL) /* else their space may be gone */
		table_release(&feed->of_attributes, feed->attributes);
	if (feed->young != NULL)
		table_release(&feed->of_young, feed->young);
	feed->attributes = NULL;
	feed->young = NULL;
	feed->attribute_count = feed->attributes_capacity = feed->young_count = feed->young_capacity = 0;
	value_table_release(&feed->young_values);
	value_table_release(&feed->waiting_values);
	free(feed->first);
	feed->first = NULL;
	feed->first_capacity = 0;
	feed->makers = NULL;
}

enum histree_status owner_feed_counts(const struct owner_feed *feed, struct state_counts *counts, const char *path,
				      uint32_t attribute_count, size_t memory_max, struct histree_error *error)
{
	enum histree_status status = state_counts_begin(counts, path, attribute_count, memory_max, error);
	for (size_t i = 0; i < feed->owner_count && status == HISTREE_OK; i++) {
		const struct fed_owner *owner = &feed->owners[i];
		if (!owner->is_complete || owner->quark >= attribute_count)
			continue;
		counts->states[owner->quark] = owner->states;
		counts->kinds[owner->quark] = owner->kinds;
	}
	return status;
}

void owner_feed_release(struct owner_feed *feed)
{
	owner_feed_release_tables(feed);
	for (size_t i = 0; i < feed->owner_count; i++)
		free(feed->owners[i].waiting);
	free(feed->owners);
	row_feed_release(&feed->rows);
	*feed = (struct owner_feed){ .makers = NULL };
}
