// SPDX-License-Identifier: MIT
#include "overview/segment_overview_writer.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "query/value_table.h"
#include "segment/segment_backend.h"
#include "segment_tree/segment_iter.h"

enum {
	SEGMENTS_MIN = 1 << 17, /* fewer are all read, and sorted, in 30 ms: nobody notices */
	BYTES_PART = 8,         /* of the store's nodes, which overviews by cells may take */
	PARTS_PART = 40,        /* the same of that by parts: 15 % together */
	FEWER = 16,             /* so many times fewer summaries than segments an overview has at least */
	ENOUGH = 2048,
	SLICE = 1 << 17,
	VALUES_MAX = 1 << 16,
};

struct maker {
	struct segment_ladder ladder;
	struct value_table values;
	struct histree_segment_iter *iter;
};

/* What charts of segments are drawn by: the text field "name", or the first text field. */
static size_t field_of(const struct histree_segment_schema *schema)
{
	size_t found = SEGMENT_OVERVIEWS_TOGETHER;
	for (size_t i = schema->field_count; i-- > 0;) {
		if (schema->fields[i].type != HISTREE_STRING)
			continue;
		if (strcmp(schema->fields[i].name, "name") == 0)
			return i;
		found = i;
	}
	return found;
}

static enum histree_status add(struct maker *maker, const struct histree_segment *segment,
			       struct histree_error *error)
{
	size_t field = maker->ladder.field;
	uint32_t number = 0;
	enum histree_status status = HISTREE_OK;
	if (field != SEGMENT_OVERVIEWS_TOGETHER)
		status = value_table_add(&maker->values, &segment->content[field], &number, error);
	if (status == HISTREE_OK && maker->values.count > VALUES_MAX)
		return HISTREE_END;
	return status == HISTREE_OK
		       ? segment_ladder_add(&maker->ladder, segment, &maker->values.values[number], number, error)
		       : status;
}

/* The segments that start in [from, to], as they lie in the file: sorting would cost as much as the rest. */
struct slice {
	histree_time from, to;
};

static bool may_start(void *context, const struct segment_bounds *bounds)
{
	const struct slice *slice = context;
	return bounds->start_min <= slice->to && bounds->start_max >= slice->from;
}

static enum histree_status read_slice(struct maker *maker, struct slice slice, struct histree_cancel cancel,
				      struct histree_error *error)
{
	const struct histree_segment_query query = { .from = slice.from, .to = slice.to, .cancel = cancel };
	bool together = maker->ladder.field == SEGMENT_OVERVIEWS_TOGETHER;
	const struct segment_choice choice = { may_start, &slice, together ? 1 : maker->ladder.field + 1 };
	struct histree_segment segment;
	enum histree_status status = segment_iter_start_choice(maker->iter, &query, choice, error);
	while (status == HISTREE_OK &&
	       (status = histree_segment_iter_next(maker->iter, &segment, error)) == HISTREE_OK) {
		status = add(maker, &segment, error);
		if (status == HISTREE_END)
			return status;
	}
	if (status == HISTREE_PARTIAL)
		return error_set(error, HISTREE_ERR_FORMAT,
				 "'%s': a node is damaged, and overviews need all segments", maker->ladder.path);
	return status == HISTREE_END ? segment_ladder_end_slice(&maker->ladder, error) : status;
}

/* HISTREE_END: it has too many values for summaries to be worth it. */
static enum histree_status read_segments(struct maker *maker, struct histree_cancel cancel,
					 struct histree_error *error)
{
	const struct histree_segment_store_info *of = maker->ladder.of;
	uint64_t last = segment_overview_cell(of->end, 0);
	uint64_t last_of_slice = maker->ladder.slice_log2 < LADDER_ONE_SLICE
					 ? (UINT64_C(1) << maker->ladder.slice_log2) - 1
					 : UINT64_MAX;
	enum histree_status status = HISTREE_OK;
	for (uint64_t from = segment_overview_cell(of->start, 0), to; status == HISTREE_OK; from = to + 1) {
		to = (from | last_of_slice) < last ? from | last_of_slice : last;
		struct slice slice = { segment_overview_time(from), segment_overview_time(to) };
		status = read_slice(maker, slice, cancel, error);
		if (to == last)
			break;
	}
	if (status == HISTREE_OK && maker->ladder.seen != of->segment_count)
		return error_set(error, HISTREE_ERR_FORMAT, "'%s': has not the segments that it says it has",
				 maker->ladder.path);
	return status == HISTREE_OK ? segment_ladder_finish(&maker->ladder, error) : status;
}

static enum histree_status give_name(struct segment_ladder *ladder, struct ladder_rung *rung, uint32_t number,
				     struct histree_error *error)
{
	char *path = segment_overview_path(ladder->path, number);
	enum histree_status status = HISTREE_OK;
	if (path == NULL)
		return error_memory(error, "an overview");
	histree_segment_store_close(rung->store);
	rung->store = NULL;
	if (ladder->io->rename(ladder->io->context, rung->path, path) != 0) {
		status = error_set(error, HISTREE_ERR_IO, "cannot rename '%s'", rung->path);
	} else {
		free(rung->path);
		rung->path = NULL;
	}
	free(path);
	return status;
}

/* Those that are kept are numbered, the shortest cells first; that of parts is nothing without them. */
static enum histree_status give_names(struct segment_ladder *ladder, struct histree_error *error)
{
	uint32_t given = 0;
	enum histree_status status = HISTREE_OK;
	for (unsigned i = 0; i < ladder->count && status == HISTREE_OK; i++)
		if (ladder->rungs[i].store != NULL)
			status = give_name(ladder, &ladder->rungs[i], ++given, error);
	struct ladder_rung *parts = &ladder->rungs[LADDER_PARTS];
	if (status == HISTREE_OK && parts->store != NULL && given > 0 && given < SEGMENT_OVERVIEWS_MAX)
		status = give_name(ladder, parts, given + 1, error);
	return status;
}

static enum histree_status remove_all(const struct segment_ladder *ladder, struct histree_error *error)
{
	for (uint32_t number = 1; number <= SEGMENT_OVERVIEWS_MAX; number++) {
		char *path = segment_overview_path(ladder->path, number);
		if (path == NULL)
			return error_memory(error, "an overview");
		ladder->io->unlink(ladder->io->context, path);
		free(path);
	}
	return HISTREE_OK;
}

static enum histree_status make(struct maker *maker, struct histree_segment_store *store,
				struct histree_cancel cancel, struct histree_error *error)
{
	enum histree_status status = value_table_reset(&maker->values, error);
	if (status == HISTREE_OK)
		status = histree_segment_iter_create(store, &maker->iter, error);
	if (status == HISTREE_OK) {
		segment_ladder_init(&maker->ladder);
		status = read_segments(maker, cancel, error);
	}
	if (status == HISTREE_OK)
		status = give_names(&maker->ladder, error);
	return status == HISTREE_END ? HISTREE_OK : status;
}

struct segment_overview_limits segment_overview_limits(const struct histree_segment_store_info *of)
{
	return (struct segment_overview_limits){
		.segments_min = SEGMENTS_MIN,
		.bytes_max = of->node_bytes / BYTES_PART,
		.parts_bytes = of->node_bytes / PARTS_PART,
		.summaries_max = of->segment_count / FEWER,
		.enough = ENOUGH,
		.slice = SLICE,
	};
}

enum histree_status segment_overviews_write(struct histree_segment_store *store,
					    const struct segment_overview_limits *limits,
					    struct histree_cancel cancel, struct histree_error *error)
{
	if (!store->finished || store->backend->cursor_choose == NULL)
		return error_set(error, HISTREE_ERR_ARGUMENT,
				 "only a finished segment store on disk has overviews");
	struct maker *maker = calloc(1, sizeof(*maker));
	if (maker == NULL)
		return error_memory(error, "overviews");
	maker->ladder = (struct segment_ladder){
		.io = store->room.io,
		.path = store->path,
		.of = &store->info,
		.field = field_of(&store->info.schema),
		.limits = *limits,
	};
	segment_overviews_close(store->overviews);
	store->overviews = NULL;
	enum histree_status status = remove_all(&maker->ladder, error);
	if (status == HISTREE_OK && store->info.segment_count >= limits->segments_min &&
	    store->info.segment_count > 0)
		status = make(maker, store, cancel, error);
	if (status != HISTREE_OK)
		remove_all(&maker->ladder, NULL);
	histree_segment_iter_free(maker->iter);
	segment_ladder_release(&maker->ladder);
	value_table_release(&maker->values);
	free(maker);
	return status;
}

enum histree_status histree_segment_store_make_overviews(struct histree_segment_store *store,
							 struct histree_cancel cancel, struct histree_error *error)
{
	const struct segment_overview_limits limits = segment_overview_limits(&store->info);
	return segment_overviews_write(store, &limits, cancel, error);
}
