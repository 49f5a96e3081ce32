// SPDX-License-Identifier: MIT
/*
 * What the iterators of all stores have in common: filter, limit, token, and the orders that a store does not have
 * by itself.
 */
#include <stdlib.h>

#include "base/error.h"
#include "segment/segment_backend.h"
#include "segment/segment_sort.h"

struct histree_segment_iter {
	struct histree_segment_store *store;
	void *cursor;
	struct histree_segment_query query;
	struct segment_sort *sort; /* of an order that the store does not have; else NULL */
	struct histree_segment_token token;
	uint64_t skip; /* after resuming: segments of the first key, or of the sort, that were handed out before */
	uint64_t handed_out;
	enum histree_status broken; /* of a call that failed: there is nothing more until the next start */
};

enum histree_status histree_segment_iter_create(struct histree_segment_store *store,
						struct histree_segment_iter **out, struct histree_error *error)
{
	*out = NULL;
	if (!store->finished)
		return error_set(error, HISTREE_ERR_ARGUMENT,
				 "the segment store is still being filled; finish it before reading");
	struct histree_segment_iter *iter = calloc(1, sizeof(*iter));
	if (iter == NULL)
		return error_memory(error, "an iterator");
	iter->store = store;
	iter->broken = HISTREE_END;
	enum histree_status status = store->backend->cursor_create(store->body, &iter->cursor, error);
	if (status != HISTREE_OK) {
		free(iter);
		return status;
	}
	*out = iter;
	return HISTREE_OK;
}

void histree_segment_iter_free(struct histree_segment_iter *iter)
{
	if (iter == NULL)
		return;
	segment_sort_free(iter->sort);
	iter->store->backend->cursor_free(iter->cursor);
	free(iter);
}

static enum histree_status check_query(const struct histree_segment_iter *iter,
				       const struct histree_segment_query *query, struct histree_error *error)
{
	if (query->from > query->to)
		return error_set(error, HISTREE_ERR_ARGUMENT,
				 "a query from %lld to %lld: the end is before the start", (long long)query->from,
				 (long long)query->to);
	if (query->order > HISTREE_SEGMENTS_BY_COMPARE)
		return error_set(error, HISTREE_ERR_ARGUMENT, "a query in order %u: there is none",
				 (unsigned)query->order);
	size_t fields = iter->store->info.schema.field_count;
	if (query->order == HISTREE_SEGMENTS_BY_FIELD && query->field >= fields)
		return error_set(error, HISTREE_ERR_ARGUMENT, "a query by field %zu: the segments have %zu",
				 query->field, fields);
	if (query->order == HISTREE_SEGMENTS_BY_COMPARE && query->compare == NULL)
		return error_set(error, HISTREE_ERR_ARGUMENT, "a query by comparison needs the comparison");
	return HISTREE_OK;
}

static bool is_wanted(const struct histree_segment_iter *iter, const struct histree_segment *segment)
{
	return iter->query.filter == NULL || iter->query.filter(iter->query.filter_context, segment);
}

/* The next that passes the filter, in the store's own orders. */
static enum histree_status next_of_cursor(struct histree_segment_iter *iter, struct histree_segment *out,
					  struct histree_error *error)
{
	enum histree_status status;
	do
		status = iter->store->backend->cursor_next(iter->cursor, out, error);
	while (status == HISTREE_OK && !is_wanted(iter, out));
	return status;
}

/* All that are wanted into a sort. */
static enum histree_status fill_sort(struct histree_segment_iter *iter, struct histree_error *error)
{
	const struct histree_segment_store *store = iter->store;
	struct histree_segment_query all = { .from = iter->query.from, .to = iter->query.to };
	enum histree_status status =
		segment_sort_create(&iter->query, &store->info.schema, &store->room, &iter->sort, error);
	if (status == HISTREE_OK)
		status = store->backend->cursor_start(iter->cursor, &all, NULL, error);
	struct histree_segment segment;
	while (status == HISTREE_OK && (status = next_of_cursor(iter, &segment, error)) == HISTREE_OK)
		status = segment_sort_add(iter->sort, &segment, error);
	return status == HISTREE_END ? segment_sort_finish(iter->sort, error) : status;
}

enum histree_status histree_segment_iter_start(struct histree_segment_iter *iter,
					       const struct histree_segment_query *query,
					       const struct histree_segment_token *resume,
					       struct histree_error *error)
{
	enum histree_status status = check_query(iter, query, error);
	if (status != HISTREE_OK)
		return status;
	segment_sort_free(iter->sort);
	iter->sort = NULL;
	iter->query = *query;
	iter->token = resume != NULL ? *resume : (struct histree_segment_token){ 0 };
	iter->handed_out = 0;
	bool sorts = query->order == HISTREE_SEGMENTS_BY_FIELD || query->order == HISTREE_SEGMENTS_BY_COMPARE;
	if (sorts) {
		iter->skip = iter->token.given;
		status = fill_sort(iter, error);
	} else {
		iter->skip = query->order != HISTREE_SEGMENTS_UNSORTED ? iter->token.with_key : 0;
		status = iter->store->backend->cursor_start(iter->cursor, query, resume, error);
	}
	iter->broken = status;
	return status;
}

/* How many of the same key were handed out, as the last segment is one more. */
static void advance_token(struct histree_segment_iter *iter)
{
	struct histree_segment_token *token = &iter->token;
	if (iter->sort == NULL) {
		uint64_t key[2];
		iter->store->backend->cursor_key(iter->cursor, key);
		bool same = token->given > 0 && key[0] == token->key[0] && key[1] == token->key[1];
		token->with_key = same ? token->with_key + 1 : 1;
		token->key[0] = key[0];
		token->key[1] = key[1];
	}
	token->given++;
	iter->handed_out++;
}

enum histree_status histree_segment_iter_next(struct histree_segment_iter *iter, struct histree_segment *out,
					      struct histree_error *error)
{
	if (iter->broken != HISTREE_OK)
		return iter->broken == HISTREE_END
			       ? HISTREE_END
			       : error_set(error, iter->broken, "the iterator failed before; start it again");
	if (iter->query.limit > 0 && iter->token.given >= iter->query.limit)
		return HISTREE_END;
	enum histree_status status;
	do
		status = iter->sort != NULL ? segment_sort_next(iter->sort, out, error)
					    : next_of_cursor(iter, out, error);
	while (status == HISTREE_OK && iter->skip > 0 && iter->skip-- > 0);
	if (status == HISTREE_OK)
		advance_token(iter);
	else
		iter->broken = status;
	return status;
}

struct histree_segment_token histree_segment_iter_token(const struct histree_segment_iter *iter)
{
	return iter->token;
}

struct histree_segment_iter_stats histree_segment_iter_stats(const struct histree_segment_iter *iter)
{
	struct histree_segment_iter_stats stats = { .segments = iter->handed_out };
	iter->store->backend->cursor_stats(iter->cursor, &stats);
	if (iter->sort != NULL)
		stats.spilled_bytes += segment_sort_spilled_bytes(iter->sort);
	return stats;
}
