// SPDX-License-Identifier: MIT
/*
 * fact_feed.c - keeps the states that say what threads are called and whose they are, and writes them into a file
 * of their own.
 */
#include "overview/fact_feed.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/search.h"
#include "overview/feed_item.h"
#include "overview/pyramid_maker.h"
#include "query/thread.h"
#include "query/thread_names.h"
#include "state/pyramid.h"

enum {
	/* States that may be kept: so many, and one in so many of all. */
	KEPT_ALWAYS = 1 << 20,
	STATES_FOR_KEPT = 16,
	BYTES_LEAST = 2,        /* that a state takes in a file */
	VALUE_BYTES_MAX = 1024, /* of a name: fewer than a node of the file has room for */
};

enum histree_status fact_feed_begin(struct fact_feed *feed, const char *provider, struct table_space *tables,
				    struct histree_error *error)
{
	*feed = (struct fact_feed){ .is_wanted = histree_thread_analysis_is(provider),
				    .of_items.space = tables,
				    .values = value_table_in(tables) };
	return feed->is_wanted ? value_table_reset(&feed->values, error) : HISTREE_OK;
}

bool fact_feed_takes(struct fact_feed *feed, const struct histree_attributes *attributes, histree_quark quark)
{
	return feed->is_wanted && thread_name_quark_is(attributes, quark, &feed->near);
}

static void forget(struct fact_feed *feed)
{
	if (feed->items != NULL)
		table_release(&feed->of_items, feed->items);
	if (feed->is_wanted)
		value_table_release(&feed->values);
	feed->items = NULL;
	feed->count = feed->capacity = 0;
	feed->is_wanted = false;
}

bool fact_feed_take(struct fact_feed *feed, const struct histree_interval *state, uint64_t states)
{
	if (!feed->is_wanted)
		return true;
	const bool has_bytes = state->value.type == HISTREE_STRING || state->value.type == HISTREE_CUSTOM;
	if (feed->count >= KEPT_ALWAYS + states / STATES_FOR_KEPT ||
	    (has_bytes && state->value.size > VALUE_BYTES_MAX)) {
		forget(feed);
		feed->are_of_no_use = true;
		return true;
	}
	if (!table_reserve(&feed->of_items, &feed->items, &feed->capacity, feed->count + 1) ||
	    !feed_item_keep(&feed->values, state, &feed->items[feed->count]))
		return false;
	feed->count++;
	return true;
}

/* ---- the file ----------------------------------------------------------------------------------------------- */

/* As a tree wants them; what ends together by attribute, so that the file is the same whoever fed. */
static int by_end(const void *one, const void *other, void *context)
{
	const struct column_item *a = one, *b = other;
	(void)context;
	if (a->end != b->end)
		return a->end < b->end ? -1 : 1;
	const histree_quark of = column_item_key(a), of_other = column_item_key(b);
	return (of > of_other) - (of < of_other);
}

static enum histree_status name_all(struct pyramid_file *file, const histree_quark *quarks, size_t count,
				    struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	histree_quark own = HISTREE_ROOT;
	for (size_t i = 0; i < count && status == HISTREE_OK; i++)
		status = pyramid_file_name(file, 1, quarks[i], &own, error);
	return status;
}

/* Attribute i of those is i + 1 of the file, whose first is their parent. */
static enum histree_status add_all(const struct fact_feed *feed, struct pyramid_file *file,
				   const histree_quark *quarks, bool *has_states, size_t count,
				   const struct histree_history_info *of, struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	for (size_t i = 0; i < feed->count && status == HISTREE_OK; i++) {
		const struct column_item *item = &feed->items[i];
		const histree_quark quark = column_item_key(item);
		const size_t at = SEARCH(k, 0, count, quarks[k] < quark);
		const struct histree_interval state = { .quark = (histree_quark)at + 1,
							.start = item->start,
							.end = item->end,
							.value = feed_item_value(feed->values.values, item) };
		if (at == count || quarks[at] != quark)
			return error_set(error, HISTREE_ERR_INTERNAL, "attribute %u is of no thread", quark);
		has_states[at] = true;
		status = pyramid_file_add(file, &state, error);
	}
	for (size_t i = 0; i < count && status == HISTREE_OK; i++) {
		const struct histree_interval null = {
			.quark = (histree_quark)i + 1, .start = of->start, .end = of->end, .value = histree_null()
		};
		if (!has_states[i])
			status = pyramid_file_add(file, &null, error);
	}
	return status;
}

static enum histree_status write_file(const struct fact_feed *feed, const struct io *io, const char *path,
				      const struct histree_history_info *of, const struct overview_options *options,
				      const histree_quark *quarks, size_t count, uint64_t *bytes,
				      struct histree_error *error)
{
	struct pyramid_file file = { .is_begun = false };
	bool *has_states = calloc(count + 1, sizeof(*has_states));
	enum histree_status status = has_states != NULL ? HISTREE_OK : error_memory(error, "an overview");
	if (status == HISTREE_OK)
		status = pyramid_file_begin(&file, PYRAMID_NAMES, io, path, of, 0,
					    pyramid_kinds[PYRAMID_NAMES].node_size, options, NULL, error);
	if (status == HISTREE_OK)
		status = name_all(&file, quarks, count, error);
	if (status == HISTREE_OK)
		status = add_all(feed, &file, quarks, has_states, count, of, error);
	if (status == HISTREE_OK)
		status = pyramid_file_finish(&file, io, path, of, bytes, error);
	pyramid_file_drop(&file);
	free(has_states);
	return status;
}

enum histree_status fact_feed_write(struct fact_feed *feed, const struct io *io, const char *path,
				    const struct histree_history *history, const struct overview_options *options,
				    uint64_t bytes_max, uint64_t *bytes, struct histree_error *error)
{
	struct histree_history_info of = *histree_history_info(history);
	histree_quark *quarks = NULL;
	size_t count = 0;
	*bytes = 0;
	if (!feed->is_wanted || feed->count == 0 || feed->count > bytes_max / BYTES_LEAST)
		return HISTREE_OK;
	of.nodes_at_height = NULL;
	enum histree_status status =
		thread_name_quarks(histree_history_attributes(history), &quarks, &count, error);
	if (status == HISTREE_OK &&
	    !table_sort(feed->of_items.space, feed->items, feed->count, sizeof(*feed->items), by_end, NULL))
		status = error_memory(error, "an overview");
	if (status == HISTREE_OK)
		status = write_file(feed, io, path, &of, options, quarks, count, bytes, error);
	if (status == HISTREE_OK && *bytes > bytes_max) {
		io->unlink(io->context, path);
		*bytes = 0;
	}
	free(quarks);
	return status;
}

void fact_feed_release(struct fact_feed *feed)
{
	forget(feed);
	*feed = (struct fact_feed){ .is_wanted = false };
}
