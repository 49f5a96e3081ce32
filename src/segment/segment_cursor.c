// SPDX-License-Identifier: MIT
/*
 * segment_cursor.c - what the cursors of all stores have in common: filter, limit, token, losses, and the orders
 * that a store does not provide itself.
 */
#include <assert.h>
#include <stdlib.h>

#include "base/cancel.h"
#include "base/cursor.h"
#include "base/error.h"
#include "base/table.h"
#include "segment/segment_memory.h"

struct segment_cursor {
	struct histree_cursor base;
	struct histree_segment row;
	struct histree_segment_store *store;
	void *cursor; /* of the backend */
	struct histree_segment_query query;
	struct segment_sort *sort; /* of an order that the store does not have; else NULL */
	bool by_rank;              /* in the order of a field, which the store has */
	bool by_choice;            /* there is no token then */
	struct histree_segment_token token;
	uint64_t skip; /* after resuming: segments of the first key, or of the sort, that were handed out before */
	/* What was found missing while sorting, to be told before anything is handed out. */
	struct histree_loss *sort_losses;
	size_t loss_count, losses_capacity, losses_told;
	struct histree_loss loss; /* that segments_step() told last */
	uint64_t handed_out;
	uint64_t step;              /* of the store's cursor, to ask now and then whether to go on */
	enum histree_status broken; /* of a call that failed: there is nothing more until the next start */
};

static enum histree_status check_query(const struct segment_cursor *iter, const struct histree_segment_query *query,
				       struct histree_error *error)
{
	if (query->from > query->to)
		return error_set(error, HISTREE_ERR_ARGUMENT,
				 "a query from %lld to %lld: the end is before the start", (long long)query->from,
				 (long long)query->to);
	if (query->order > HISTREE_SEGMENTS_BY_COMPARE)
		return error_set(error, HISTREE_ERR_ARGUMENT, "there is no order %u of queries",
				 (unsigned)query->order);
	size_t fields = iter->store->info.schema.field_count;
	if (query->order == HISTREE_SEGMENTS_BY_FIELD && query->field >= fields)
		return error_set(error, HISTREE_ERR_ARGUMENT, "a query by field %zu: the segments have %zu",
				 query->field, fields);
	if (query->order == HISTREE_SEGMENTS_BY_COMPARE && query->compare == NULL)
		return error_set(error, HISTREE_ERR_ARGUMENT, "a query by comparison needs the comparison");
	return HISTREE_OK;
}

static bool is_wanted(const struct segment_cursor *iter, const struct histree_segment *segment)
{
	return iter->query.filter == NULL || iter->query.filter(iter->query.filter_context, segment);
}

/* The next that passes the filter, in the store's own orders. */
static enum histree_status next_of_cursor(struct segment_cursor *iter, struct histree_segment *out,
					  struct histree_error *error)
{
	enum histree_status status;
	do {
		status = cancel_check(&iter->query.work, iter->step++, error);
		if (status == HISTREE_OK)
			status = iter->store->backend->cursor_next(iter->cursor, out, error);
	} while (status == HISTREE_OK && !is_wanted(iter, out));
	return status;
}

static bool keep_loss(struct segment_cursor *iter)
{
	if (!array_reserve(&iter->sort_losses, &iter->losses_capacity, iter->loss_count + 1))
		return false;
	assert(iter->loss_count < iter->losses_capacity);
	iter->sort_losses[iter->loss_count++] = iter->store->backend->cursor_loss(iter->cursor);
	return true;
}

/* Sort, and pass over what was handed out before. */
static enum histree_status start_sort(struct segment_cursor *iter, struct histree_error *error)
{
	iter->by_rank = false;
	iter->skip = iter->token.given;
	/* All that are wanted into a sort. */
	const struct histree_segment_store *store = iter->store;
	struct histree_segment_query all = { .from = iter->query.from,
					     .to = iter->query.to,
					     .host_filter = iter->query.host_filter,
					     .host_context = iter->query.host_context };
	enum histree_status status =
		segment_sort_create(&iter->query, &store->info.schema, &store->room, &iter->sort, error);
	if (status == HISTREE_OK)
		status = store->backend->cursor_start(iter->cursor, &all, NULL, error);
	struct histree_segment segment;
	uint64_t arrivals = 0;
	while (status == HISTREE_OK) {
		status = next_of_cursor(iter, &segment, error);
		if (status == HISTREE_OK)
			status = segment_sort_add(iter->sort, &segment, arrivals++, error);
		else if (status == HISTREE_PARTIAL)
			status = keep_loss(iter) ? HISTREE_OK : error_memory(error, "a cursor");
	}
	return status == HISTREE_END ? segment_sort_finish(iter->sort, error) : status;
}

/* A position in the order of a field that has a side table is a rank, if the token is from there. */
static enum histree_status start_field(struct segment_cursor *iter, struct histree_error *error)
{
	const struct segment_backend *backend = iter->store->backend;
	enum histree_status status = HISTREE_NOT_FOUND;
	if (backend->cursor_start_field != NULL)
		status = backend->cursor_start_field(iter->cursor, &iter->query, iter->token.key[0], error);
	if (status == HISTREE_NOT_FOUND)
		return start_sort(iter, error);
	iter->by_rank = status == HISTREE_OK;
	iter->skip = iter->token.key[0] == 0 ? iter->token.given : 0;
	return status;
}

static enum histree_status segment_cursor_begin(struct segment_cursor *iter,
						const struct histree_segment_token *resume,
						struct histree_error *error)
{
	switch (iter->query.order) {
	case HISTREE_SEGMENTS_BY_FIELD:
		return start_field(iter, error);
	case HISTREE_SEGMENTS_BY_COMPARE:
		return start_sort(iter, error);
	case HISTREE_SEGMENTS_UNSORTED:
	case HISTREE_SEGMENTS_BY_START:
	case HISTREE_SEGMENTS_BY_END:
	case HISTREE_SEGMENTS_BY_DURATION:
		break;
	}
	iter->skip = iter->query.order != HISTREE_SEGMENTS_UNSORTED ? iter->token.with_key : 0;
	return iter->store->backend->cursor_start(iter->cursor, &iter->query, resume, error);
}

enum histree_status histree_segments_start(struct histree_cursor *cursor, const struct histree_segment_query *query,
					   const struct histree_segment_token *resume, struct histree_error *error)
{
	struct segment_cursor *iter = (struct segment_cursor *)cursor;
	enum histree_status status = check_query(iter, query, error);
	if (status != HISTREE_OK)
		return status;
	segment_sort_free(iter->sort);
	iter->sort = NULL;
	iter->by_rank = iter->by_choice = false;
	cursor_forget_losses(cursor);
	iter->query = *query;
	iter->token = resume != NULL ? *resume : (struct histree_segment_token){ 0 };
	iter->handed_out = 0;
	iter->loss_count = iter->losses_told = 0;
	iter->broken = status = segment_cursor_begin(iter, resume, error);
	return status;
}

enum histree_status segments_start_choice(struct histree_cursor *cursor, const struct histree_segment_query *query,
					  struct segment_choice choice, struct histree_error *error)
{
	struct segment_cursor *iter = (struct segment_cursor *)cursor;
	assert(query->order == HISTREE_SEGMENTS_UNSORTED && iter->store->backend->cursor_choose != NULL);
	enum histree_status status = histree_segments_start(cursor, query, NULL, error);
	if (status == HISTREE_OK)
		iter->store->backend->cursor_choose(iter->cursor, choice);
	iter->by_choice = status == HISTREE_OK;
	return status;
}

static enum histree_status next_in_order(struct segment_cursor *iter, struct histree_segment *out,
					 struct histree_error *error)
{
	assert(iter->losses_told <= iter->loss_count);
	if (iter->losses_told < iter->loss_count) {
		iter->loss = iter->sort_losses[iter->losses_told++];
		return HISTREE_PARTIAL;
	}
	if (iter->sort != NULL) {
		struct sorted_segment item;
		enum histree_status status = segment_sort_next(iter->sort, &item, error);
		if (status == HISTREE_OK)
			*out = item.segment;
		return status;
	}
	enum histree_status status = next_of_cursor(iter, out, error);
	if (status == HISTREE_PARTIAL)
		iter->loss = iter->store->backend->cursor_loss(iter->cursor);
	return status;
}

/* The next that was not handed out before the query was resumed. */
static enum histree_status next_new(struct segment_cursor *iter, struct histree_segment *out,
				    struct histree_error *error)
{
	for (;;) {
		enum histree_status status = next_in_order(iter, out, error);
		if (status == HISTREE_NOT_FOUND && iter->by_rank) {
			status = start_sort(iter, error);
			if (status == HISTREE_OK)
				continue;
		}
		if (status != HISTREE_OK || iter->skip == 0)
			return status;
		iter->skip--;
	}
}

enum histree_status segments_step(struct histree_cursor *cursor, struct histree_segment *out,
				  struct histree_loss *loss, struct histree_error *error)
{
	struct segment_cursor *iter = (struct segment_cursor *)cursor;
	if (iter->broken != HISTREE_OK)
		return iter->broken == HISTREE_END
			       ? HISTREE_END
			       : error_set(error, iter->broken, "the cursor failed before; start it again");
	if (iter->query.limit > 0 && iter->token.given >= iter->query.limit)
		return HISTREE_END;
	enum histree_status status = next_new(iter, out, error);
	assert(status != HISTREE_OK || out->start <= out->end);
	if (status == HISTREE_OK && !iter->by_choice) {
		/* How many of the same key were handed out, as the last segment is one more. */
		struct histree_segment_token *token = &iter->token;
		if (iter->sort == NULL) {
			uint64_t key[2];
			iter->store->backend->cursor_key(iter->cursor, key);
			bool same = token->given > 0 && key[0] == token->key[0] && key[1] == token->key[1];
			token->with_key = same ? token->with_key + 1 : 1;
			token->key[0] = key[0];
			token->key[1] = key[1];
		} else {
			token->key[0] = 0; /* not a rank */
		}
		token->given++;
		iter->handed_out++;
	} else if (status == HISTREE_PARTIAL)
		*loss = iter->loss;
	else if (status != HISTREE_OK)
		iter->broken = status;
	return status;
}

struct histree_segment_token histree_segments_token(const struct histree_cursor *cursor)
{
	return ((const struct segment_cursor *)cursor)->token;
}

struct histree_loss histree_segment_store_loss(struct histree_segment_store *store)
{
	pthread_mutex_lock(&store->mutex);
	const struct histree_loss loss = store->loss;
	pthread_mutex_unlock(&store->mutex);
	return loss;
}

/* ---- the cursor ------------------------------------------------------------------------------------------- */

static enum histree_status segments_next(struct histree_cursor *base, struct histree_error *error)
{
	struct segment_cursor *iter = (struct segment_cursor *)base;
	struct histree_loss loss;
	enum histree_status status;
	while ((status = segments_step(base, &iter->row, &loss, error)) == HISTREE_PARTIAL) {
		status = cursor_lose(base, &loss, error);
		if (status != HISTREE_OK)
			return iter->broken = status;
		/* The loss that a store added last is the latest one of its cursor. */
		pthread_mutex_lock(&iter->store->mutex);
		if (base->loss.nodes > iter->store->loss.nodes)
			iter->store->loss = base->loss;
		pthread_mutex_unlock(&iter->store->mutex);
	}
	return status;
}

static struct histree_statistics segments_statistics(const struct histree_cursor *base)
{
	const struct segment_cursor *iter = (const struct segment_cursor *)base;
	struct histree_statistics statistics = { .rows = iter->handed_out };
	iter->store->backend->cursor_stats(iter->cursor, &statistics);
	if (iter->sort != NULL)
		statistics.spilled_bytes += segment_sort_spilled_bytes(iter->sort);
	return statistics;
}

static void segments_free(struct histree_cursor *base)
{
	struct segment_cursor *iter = (struct segment_cursor *)base;
	segment_sort_free(iter->sort);
	iter->store->backend->cursor_free(iter->cursor);
	free(iter->sort_losses);
	free(iter);
}

static const struct cursor_kind of_segments = {
	.rows = CURSOR_SEGMENTS,
	.next = segments_next,
	.statistics = segments_statistics,
	.free = segments_free,
};

enum histree_status histree_segments_create(struct histree_segment_store *store, struct histree_cursor **out,
					    struct histree_error *error)
{
	*out = NULL;
	if (!store->finished)
		return error_set(error, HISTREE_ERR_ARGUMENT,
				 "the segment store is still being filled; finish it before reading");
	struct segment_cursor *iter = calloc(1, sizeof(*iter));
	if (iter == NULL)
		return error_memory(error, "a cursor");
	iter->base.kind = &of_segments;
	iter->base.row = &iter->row;
	iter->store = store;
	assert(store->body != NULL && store->backend->cursor_create != NULL);
	iter->broken = HISTREE_END;
	enum histree_status status = store->backend->cursor_create(store->body, &iter->cursor, error);
	if (status != HISTREE_OK) {
		free(iter);
		return status;
	}
	*out = &iter->base;
	return HISTREE_OK;
}
