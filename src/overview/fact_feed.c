// SPDX-License-Identifier: MIT
/*
 * fact_feed.c - keeps the states that say what threads are called and whose they are, and what those did that did
 * little, and writes them into a file of their own.
 */
#include "overview/fact_feed.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/search.h"
#include "item/value.h"
#include "overview/feed_item.h"
#include "overview/pyramid_maker.h"
#include "query/thread.h"
#include "state/pyramid.h"

enum {
	/* States that may be kept: this number, and this share of all. */
	KEPT_ALWAYS = 1 << 20,
	STATES_FOR_KEPT = 16,
	STALE_ALWAYS = 1 << 16,
	BYTES_LEAST = 2,        /* that a state takes in a file */
	VALUE_BYTES_MAX = 1024, /* of a name: fewer than a node of the file has room for */
	FEW_LEAST = 256,        /* the least limit of states of a status that is of use; a lower one becomes 0 */
};

enum histree_status fact_feed_begin(struct fact_feed *feed, const char *provider, uint32_t few_max,
				    struct table_space *tables, struct histree_error *error)
{
	*feed = (struct fact_feed){ .is_wanted = histree_thread_analysis_is(provider),
				    .few = few_max < UINT16_MAX ? few_max : UINT16_MAX - 1,
				    .of_items.space = tables,
				    .of_seen.space = tables,
				    .values = value_table_in(tables) };
	return feed->is_wanted ? value_table_reset(&feed->values, error) : HISTREE_OK;
}

enum thread_fact fact_feed_takes(struct fact_feed *feed, const struct histree_attributes *attributes,
				 histree_quark quark)
{
	return feed->is_wanted ? thread_fact_of_quark(attributes, quark, &feed->near) : THREAD_FACT_COUNT;
}

static void forget(struct fact_feed *feed)
{
	if (feed->items != NULL)
		table_release(&feed->of_items, feed->items);
	if (feed->seen != NULL)
		table_release(&feed->of_seen, feed->seen);
	if (feed->is_wanted)
		value_table_release(&feed->values);
	feed->items = NULL;
	feed->seen = NULL;
	feed->count = feed->capacity = feed->names = feed->stale = feed->seen_count = feed->seen_capacity = 0;
	feed->is_wanted = false;
}

/* ---- how many states a status has ---------------------------------------------------------------------------- */

/* Sort out what is of a status with too many. */
static void drop_stale(struct fact_feed *feed)
{
	size_t kept = 0;
	for (size_t i = 0; i < feed->count; i++) {
		const histree_quark quark = column_item_key(&feed->items[i]);
		if (quark >= feed->seen_count || feed->seen[quark] <= feed->few)
			feed->items[kept++] = feed->items[i];
	}
	feed->count = kept;
	feed->stale = 0;
}

static void have_fewer(struct fact_feed *feed)
{
	feed->few = feed->few / 2 >= FEW_LEAST ? feed->few / 2 : 0;
}

/* Returns whether the state is one of few, or *is_well is false without memory. */
static bool count_status(struct fact_feed *feed, histree_quark quark, bool *is_well)
{
	if (quark >= feed->seen_count) {
		const size_t known = feed->seen_count;
		*is_well = table_reserve(&feed->of_seen, &feed->seen, &feed->seen_capacity, (size_t)quark + 1);
		if (!*is_well)
			return false;
		feed->seen_count = feed->seen_capacity;
		memset(feed->seen + known, 0, (feed->seen_count - known) * sizeof(*feed->seen));
	}
	if (feed->seen[quark] > feed->few || ++feed->seen[quark] <= feed->few)
		return feed->seen[quark] <= feed->few;
	feed->stale += feed->few;
	if (feed->stale > STALE_ALWAYS && feed->stale > feed->count / 2)
		drop_stale(feed);
	return false;
}

/* Returns how many states are left when those that are stale have been sorted out. */
static size_t states_left(const struct fact_feed *feed)
{
	size_t left = feed->names;
	for (size_t i = 0; i < feed->seen_count; i++)
		left += feed->seen[i] <= feed->few ? feed->seen[i] : 0;
	return left;
}

/*
 * Drops what threads did until no more than this many are left.  The counts tell how many that will be, so that
 * the states, which may be in a file, are gone through once.
 */
static void make_room(struct fact_feed *feed, uint64_t most)
{
	size_t left = states_left(feed);
	while (left > most && feed->few > 0) {
		have_fewer(feed);
		left = states_left(feed);
	}
	if (left < feed->count)
		drop_stale(feed);
}

bool fact_feed_take(struct fact_feed *feed, const struct histree_interval *state, bool is_status, uint64_t states)
{
	const bool has_bytes = value_has_bytes(&state->value);
	const uint64_t most = KEPT_ALWAYS + states / STATES_FOR_KEPT;
	bool is_well = true;
	if (!feed->is_wanted || (is_status && !count_status(feed, state->quark, &is_well)))
		return is_well;
	if (feed->count >= most)
		make_room(feed, most / 2);
	if (is_status && feed->seen[state->quark] > feed->few)
		return true;
	if (feed->count >= most || (has_bytes && state->value.size > VALUE_BYTES_MAX)) {
		forget(feed);
		feed->are_of_no_use = true;
		return true;
	}
	if (!table_reserve(&feed->of_items, &feed->items, &feed->capacity, feed->count + 1) ||
	    !feed_item_keep(&feed->values, state, &feed->items[feed->count]))
		return false;
	feed->count++;
	feed->names += !is_status;
	return true;
}

/* ---- the file ----------------------------------------------------------------------------------------------- */

/* In the order of a tree; states that end together go by attribute, so the file does not depend on who fed it. */
static int by_end(const void *one, const void *other, void *context)
{
	const struct column_item *a = one, *b = other;
	(void)context;
	if (a->end != b->end)
		return a->end < b->end ? -1 : 1;
	const histree_quark of = column_item_key(a), of_other = column_item_key(b);
	return (of > of_other) - (of < of_other);
}

/* What is in the file, by place among the attributes that may be. */
struct fact_file {
	struct pyramid_file file;
	const struct thread_fact_quark *quarks;
	size_t count;
	uint32_t *states;   /* that were kept */
	histree_quark *own; /* the attribute in the file; HISTREE_ROOT: it is not there */
};

static size_t place_of(const struct fact_file *facts, const struct column_item *item)
{
	const histree_quark quark = column_item_key(item);
	const size_t at = SEARCH(i, 0, facts->count, facts->quarks[i].quark < quark);
	return at < facts->count && facts->quarks[at].quark == quark ? at : facts->count;
}

/* The first attribute is the parent of all others. */
static enum histree_status name_all(const struct fact_feed *feed, struct fact_file *facts,
				    struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	for (size_t i = 0; i < feed->count; i++)
		facts->states[place_of(facts, &feed->items[i])]++;
	for (size_t i = 0; i < facts->count && status == HISTREE_OK; i++) {
		facts->own[i] = HISTREE_ROOT;
		/* Of a status without any kept there were too many. */
		if (!facts->quarks[i].is_status || (facts->states[i] > 0 && facts->states[i] <= feed->few))
			status = pyramid_file_name(&facts->file, 1, facts->quarks[i].quark, &facts->own[i], error);
	}
	return status;
}

/* What was kept of an attribute that no thread has is left out. */
static enum histree_status add_all(const struct fact_feed *feed, struct fact_file *facts,
				   const struct histree_history_info *of, struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	for (size_t i = 0; i < feed->count && status == HISTREE_OK; i++) {
		const struct column_item *item = &feed->items[i];
		const size_t at = place_of(facts, item);
		const struct histree_interval state = { .quark = at < facts->count ? facts->own[at] : HISTREE_ROOT,
							.start = item->start,
							.end = item->end,
							.value = feed_item_value(feed->values.values, item) };
		if (state.quark != HISTREE_ROOT)
			status = pyramid_file_add(&facts->file, &state, error);
	}
	for (size_t i = 0; i < facts->count && status == HISTREE_OK; i++) {
		const struct histree_interval null = {
			.quark = facts->own[i], .start = of->start, .end = of->end, .value = histree_null()
		};
		if (facts->states[i] == 0 && null.quark != HISTREE_ROOT)
			status = pyramid_file_add(&facts->file, &null, error);
	}
	return status;
}

static enum histree_status write_file(const struct fact_feed *feed, const struct io *io, const char *path,
				      const struct histree_history_info *of, const struct overview_options *options,
				      const struct thread_fact_quark *quarks, size_t count, uint64_t *bytes,
				      struct histree_error *error)
{
	struct fact_file facts = { .quarks = quarks,
				   .count = count,
				   .states = calloc(count + 1, sizeof(*facts.states)),
				   .own = calloc(count + 1, sizeof(*facts.own)) };
	enum histree_status status =
		facts.states != NULL && facts.own != NULL ? HISTREE_OK : error_memory(error, "an overview");
	if (status == HISTREE_OK)
		status = pyramid_file_begin(&facts.file, PYRAMID_NAMES, io, path, of, 0,
					    pyramid_kinds[PYRAMID_NAMES].node_size, options, NULL, error);
	if (status == HISTREE_OK)
		status = name_all(feed, &facts, error);
	if (status == HISTREE_OK)
		status = add_all(feed, &facts, of, error);
	if (status == HISTREE_OK)
		status = pyramid_file_finish(&facts.file, io, path, of, bytes, error);
	pyramid_file_drop(&facts.file);
	free(facts.states);
	free(facts.own);
	return status;
}

/* A file that is too large is written again with less, until it has names alone. */
enum histree_status fact_feed_write(struct fact_feed *feed, const struct io *io, const char *path,
				    const struct histree_history *history, const struct overview_options *options,
				    uint64_t bytes_max, uint64_t *bytes, struct histree_error *error)
{
	struct histree_history_info of = *histree_history_info(history);
	struct thread_fact_quark *quarks = NULL;
	size_t count = 0;
	bool is_last = false;
	*bytes = 0;
	if (feed->is_wanted)
		make_room(feed, bytes_max / BYTES_LEAST);
	if (!feed->is_wanted || feed->count == 0 || feed->count > bytes_max / BYTES_LEAST)
		return HISTREE_OK;
	of.nodes_at_height = NULL;
	enum histree_status status =
		thread_fact_quarks(histree_history_attributes(history), &quarks, &count, error);
	if (status == HISTREE_OK &&
	    !table_sort(feed->of_items.space, feed->items, feed->count, sizeof(*feed->items), by_end, NULL))
		status = error_memory(error, "an overview");
	for (; status == HISTREE_OK && *bytes == 0 && !is_last; have_fewer(feed)) {
		is_last = feed->few == 0;
		status = write_file(feed, io, path, &of, options, quarks, count, bytes, error);
		if (status == HISTREE_OK && *bytes > bytes_max) {
			io->unlink(io->context, path);
			*bytes = 0;
		}
	}
	free(quarks);
	return status;
}

void fact_feed_release(struct fact_feed *feed)
{
	forget(feed);
	*feed = (struct fact_feed){ .is_wanted = false };
}
