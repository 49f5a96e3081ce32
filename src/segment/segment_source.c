// SPDX-License-Identifier: MIT
/*
 * segment_source.c - a store whose segments come from a source.
 */
#include "histree/segments.h"

#include <stdlib.h>

#include "base/error.h"
#include "segment/segment_memory.h"
#include "segment/segment_overviews.h"
#include "segment/segment_schema.h"

struct source_cursor {
	const struct histree_segment_source *source;
	void *cursor;
	struct segment_choice choice;
	bool is_ahead; /* a segment was taken whose losses come first */
	struct histree_segment ahead;
	size_t told; /* of the losses */
	struct histree_loss loss;
};

static enum histree_status source_cursor_create(void *body, void **out, struct histree_error *error)
{
	const struct histree_segment_source *source = body;
	struct source_cursor *cursor = calloc(1, sizeof(*cursor));
	*out = NULL;
	if (cursor == NULL)
		return error_memory(error, "an iterator");
	cursor->source = source;
	enum histree_status status = source->cursor_create(source->context, &cursor->cursor, error);
	if (status != HISTREE_OK) {
		free(cursor);
		return status;
	}
	*out = cursor;
	return HISTREE_OK;
}

static enum histree_status segment_source_start(struct source_cursor *cursor,
						const struct histree_segment_query *query,
						struct histree_error *error)
{
	cursor->choice = (struct segment_choice){ 0 };
	cursor->is_ahead = false;
	cursor->told = 0;
	return cursor->source->cursor_start(cursor->cursor, query, error);
}

static enum histree_status source_cursor_start(void *context, const struct histree_segment_query *query,
					       const struct histree_segment_token *resume,
					       struct histree_error *error)
{
	if (resume != NULL && resume->given > 0)
		return error_set(error, HISTREE_ERR_ARGUMENT, "segments of a source are read from their beginning");
	struct histree_segment_query plain = *query;
	plain.filter = NULL;
	plain.limit = 0;
	return segment_source_start(context, &plain, error);
}

static enum histree_status source_cursor_start_field(void *context, const struct histree_segment_query *query,
						     uint64_t rank, struct histree_error *error)
{
	if (rank > 0)
		return error_set(error, HISTREE_ERR_ARGUMENT, "segments of a source are read from their beginning");
	return segment_source_start(context, query, error);
}

static void source_cursor_choose(void *context, struct segment_choice choice)
{
	((struct source_cursor *)context)->choice = choice;
}

static bool is_chosen(const struct source_cursor *cursor, const struct histree_segment *segment)
{
	uint64_t duration = histree_segment_duration(segment);
	const struct segment_bounds bounds = { segment->start, segment->start, duration, duration };
	return cursor->choice.may_have == NULL || cursor->choice.may_have(cursor->choice.context, &bounds);
}

static enum histree_status source_cursor_next(void *context, struct histree_segment *out,
					      struct histree_error *error)
{
	struct source_cursor *cursor = context;
	enum histree_status status = HISTREE_OK;
	size_t lost;
	if (!cursor->is_ahead)
		do
			status = cursor->source->cursor_next(cursor->cursor, &cursor->ahead, error);
		while (status == HISTREE_OK && !is_chosen(cursor, &cursor->ahead));
	if (status < 0)
		return status;
	const struct histree_loss *losses = cursor->source->cursor_losses(cursor->cursor, &lost);
	if (cursor->told < lost) {
		cursor->is_ahead = status == HISTREE_OK; /* the end is found again */
		cursor->loss = losses[cursor->told++];
		return HISTREE_PARTIAL;
	}
	cursor->is_ahead = false;
	*out = cursor->ahead;
	return status;
}

static struct histree_loss source_cursor_loss(const void *context)
{
	return ((const struct source_cursor *)context)->loss;
}

static void source_cursor_key(const void *context, uint64_t key[2])
{
	(void)context;
	key[0] = key[1] = 0;
}

static void source_cursor_stats(const void *context, struct histree_statistics *stats)
{
	(void)context, (void)stats;
}

static void source_cursor_free(void *context)
{
	struct source_cursor *cursor = context;
	cursor->source->cursor_free(cursor->cursor);
	free(cursor);
}

static void source_free(void *body)
{
	struct histree_segment_source *source = body;
	source->free(source->context);
	free(source);
}

static const struct segment_backend backend = {
	.free = source_free,
	.cursor_create = source_cursor_create,
	.cursor_start = source_cursor_start,
	.cursor_start_field = source_cursor_start_field,
	.cursor_choose = source_cursor_choose,
	.cursor_next = source_cursor_next,
	.cursor_loss = source_cursor_loss,
	.cursor_key = source_cursor_key,
	.cursor_stats = source_cursor_stats,
	.cursor_free = source_cursor_free,
};

/* They are the store's in any case. */
static enum histree_status take_overviews(struct histree_segment_store *store,
					  const struct histree_segment_overview *overviews, size_t count,
					  struct histree_error *error)
{
	struct segment_overviews *own = store->overviews = calloc(1, sizeof(*own));
	bool is_well = own != NULL;
	for (size_t i = 0; i < count; i++) {
		const struct histree_segment_overview *from = &overviews[i];
		const struct segment_overview overview = { from->store, from->width_log2, from->parts_log2 };
		bool is_parts = from->parts_log2 != 0;
		if (own == NULL || (is_parts ? own->parts.store != NULL : own->count == SEGMENT_OVERVIEWS_MAX)) {
			histree_segment_store_close(from->store);
			is_well = false;
			continue;
		}
		if (is_parts)
			own->parts = overview;
		else
			own->overviews[own->count++] = overview;
		own->field = from->field;
	}
	if (own == NULL)
		return error_memory(error, "a segment store");
	return is_well ? HISTREE_OK
		       : error_set(error, HISTREE_ERR_ARGUMENT, "a store has %d overviews at most",
				   SEGMENT_OVERVIEWS_MAX);
}

enum histree_status histree_segment_store_of_source(const struct histree_segment_source *source,
						    const struct histree_segment_store_info *info,
						    const struct histree_segment_overview *overviews,
						    size_t overview_count, struct histree_segment_store **out,
						    struct histree_error *error)
{
	struct histree_segment_store *store = calloc(1, sizeof(*store));
	struct histree_segment_source *body = malloc(sizeof(*body));
	*out = NULL;
	if (store == NULL || body == NULL) {
		for (size_t i = 0; i < overview_count; i++)
			histree_segment_store_close(overviews[i].store);
		source->free(source->context);
		free(store);
		free(body);
		return error_memory(error, "a segment store");
	}
	*body = *source;
	pthread_mutex_init(&store->mutex, NULL);
	store->backend = &backend;
	store->body = body;
	store->info = *info;
	store->info.kind = HISTREE_SEGMENTS_SOURCE;
	store->info.schema = (struct histree_segment_schema){ 0 };
	store->finished = true;
	enum histree_status status = take_overviews(store, overviews, overview_count, error);
	if (status == HISTREE_OK)
		status = segment_schema_copy(&info->schema, &store->info.schema, error);
	if (status != HISTREE_OK) {
		histree_segment_store_close(store);
		return status;
	}
	*out = store;
	return HISTREE_OK;
}

enum histree_status histree_segment_store_overview(struct histree_segment_store *store, size_t index,
						   struct histree_segment_overview *out)
{
	const struct segment_overviews *overviews = segment_store_overviews(store);
	if (overviews == NULL || index > overviews->count ||
	    (index == overviews->count && overviews->parts.store == NULL))
		return HISTREE_NOT_FOUND;
	const struct segment_overview *found =
		index < overviews->count ? &overviews->overviews[index] : &overviews->parts;
	*out = (struct histree_segment_overview){ found->store, found->width_log2, found->parts_log2,
						  overviews->field };
	return HISTREE_OK;
}
