// SPDX-License-Identifier: MIT
/*
 * requests_tree.c - spans of requests as trees: who caused whom; how long each was at work itself; how long the
 * request waited for it; and on which track it is.
 *
 * Clocks of hosts differ, parents are missing, and spans last longer than those that caused them: an order of time
 * is nowhere assumed.
 *
 * The *critical path* of a request goes back from its end: at each time it is in the span that ended last of those
 * below the one that it came from, as in Jaeger, for as much of it as lies in that.  So the parts of all spans add
 * up to the duration of the outermost one.
 *
 * Spans and what finds them may be in files: who walks over them looks at what is resident, and what is sorted are
 * their times.
 */
#include "base/error.h"
#include "base/table.h"
#include "trace/requests/requests.h"

static int compare(uint64_t one, uint64_t other)
{
	return (one > other) - (one < other);
}

static int compare_times(histree_time one, histree_time other)
{
	return (one > other) - (one < other);
}

static bool is_same(struct request_id one, struct request_id other)
{
	return one.high == other.high && one.low == other.low;
}

/* What is around others comes before them. */
static int by_times(const void *a, const void *b, void *context)
{
	const struct request_order *one = a, *other = b;
	(void)context;
	int order = compare_times(one->first, other->first);
	order = order != 0 ? order : compare_times(other->last, one->last);
	order = order != 0 ? order : compare(one->depth, other->depth);
	return order != 0 ? order : compare(one->span, other->span);
}

static enum histree_status sort_order(struct requests *requests)
{
	return table_sort(&requests->packed->tables, requests->order, requests->count, sizeof(*requests->order),
			  by_times, NULL)
		       ? HISTREE_OK
		       : error_memory(requests->error, "the spans of requests");
}

/* ---- who caused whom ------------------------------------------------------------------------------------- */

/* How near a span is to one that it may have caused: both sides of a call of Zipkin have one id. */
static int nearness(const struct request_span *span, const struct request_span *other)
{
	if (other->is_shared && is_same(span->id, other->id))
		return !span->is_shared;
	return span->service == other->service ? 2 : span->is_shared;
}

struct span_key {
	struct request_id trace, id;
};

static bool has_key(const void *spans, uint32_t number, const void *wanted)
{
	const struct request_span *span = &((const struct request_span *)spans)[number];
	const struct span_key *key = wanted;
	return is_same(span->id, key->id) && is_same(span->trace, key->trace);
}

static uint64_t hash_of_ids(struct request_id trace, struct request_id id)
{
	const struct span_key key = { trace, id };
	return hash_bytes(&key, sizeof(key));
}

static uint64_t hash_of(const void *spans, uint32_t number)
{
	const struct request_span *span = &((const struct request_span *)spans)[number];
	return hash_of_ids(span->trace, span->id);
}

static uint32_t first_with(const struct requests *requests, struct request_id trace, struct request_id id)
{
	const struct span_key key = { trace, id };
	return hash_index_find(&requests->index, hash_of_ids(trace, id), has_key, requests->spans, &key);
}

enum { LOOKED_AT = 16 }; /* of the spans that have the same ids */

/*
 * Returns the earlier span that is the same one, or NULL: exporters send again what they got no answer for. Both
 * sides of a call may have the same ids, and a writer that knows no better may use one again.
 */
static struct request_span *find_repeated(struct request_span *spans, uint32_t first,
					  const struct request_span *span)
{
	static const struct request_id none = { 0, 0 };
	uint32_t at = first;
	for (int i = 0; i < LOOKED_AT && at != REQUEST_NONE; i++, at = spans[at].same)
		if (spans[at].begin == span->begin && spans[at].service == span->service &&
		    spans[at].is_shared == span->is_shared && !is_same(span->id, none))
			return &spans[at];
	return NULL;
}

/*
 * The first span with each pair of ids is in the index, and leads to the others. Of repeated ones that which ends
 * last is kept: some are written while they go on, and once more when they have ended.
 */
static enum histree_status make_index(struct requests *requests)
{
	struct request_span *spans = requests->spans;
	enum histree_status status = HISTREE_OK;
	requests->index.table.space = &requests->packed->tables;
	if (!hash_index_reserve(&requests->index, requests->count, hash_of, spans))
		return error_memory(requests->error, "the spans of requests");
	uint32_t kept = 0;
	for (uint32_t i = 0; i < requests->count && status == HISTREE_OK; i++) {
		status = packed_source_look(requests->packed, requests->error);
		struct request_span span = spans[i];
		const uint32_t first = first_with(requests, span.trace, span.id);
		struct request_span *same = first != HASH_INDEX_NONE ? find_repeated(spans, first, &span) : NULL;
		if (same != NULL && span.end <= same->end)
			continue;
		requests->without_end += span.lacks_end;
		if (same != NULL) {
			requests->without_end -= same->lacks_end;
			span.same = same->same;
			*same = span;
			continue;
		}
		span.same = first != HASH_INDEX_NONE ? spans[first].same : REQUEST_NONE;
		spans[kept] = span;
		if (first != HASH_INDEX_NONE)
			spans[first].same = kept;
		else
			hash_index_add(&requests->index, hash_of(spans, kept), kept);
		kept++;
	}
	requests->repeated = requests->count - kept;
	requests->count = kept;
	return status;
}

uint32_t requests_tree_find(const struct requests *requests, struct request_id trace, struct request_id id,
			    const struct request_span *other)
{
	const uint32_t first = first_with(requests, trace, id);
	const struct request_span *best = NULL;
	uint32_t at = first != HASH_INDEX_NONE ? first : REQUEST_NONE;
	for (int i = 0; i < LOOKED_AT && at != REQUEST_NONE; i++, at = requests->spans[at].same) {
		const struct request_span *span = &requests->spans[at];
		if (span != other && (best == NULL || nearness(span, other) > nearness(best, other)))
			best = span;
	}
	return best != NULL ? (uint32_t)(best - requests->spans) : REQUEST_NONE;
}

static uint32_t find_above(struct requests *requests, const struct request_span *span)
{
	static const struct request_id none = { 0, 0 };
	uint32_t above = REQUEST_NONE;
	if (span->is_shared)
		above = requests_tree_find(requests, span->trace, span->id, span);
	if (above != REQUEST_NONE && !requests->spans[above].is_shared)
		return above;
	if (is_same(span->parent, none) || is_same(span->parent, span->id))
		return REQUEST_NONE;
	above = requests_tree_find(requests, span->trace, span->parent, span);
	requests->without_parent += above == REQUEST_NONE;
	return above;
}

/* ---- how long -------------------------------------------------------------------------------------------- */

/* Those below it come by their ends, the last one first, so that what they cover grows from the end back. */
static enum histree_status reckon(struct requests *requests, struct request_span *span, uint32_t root)
{
	struct request_span *spans = requests->spans;
	enum histree_status status = HISTREE_OK;
	histree_time covered = span->end, at = span->path_end;
	span->self = span->end - span->begin;
	span->critical = 0;
	for (uint32_t i = span->first; i != REQUEST_NONE && status == HISTREE_OK; i = spans[i].next) {
		struct request_span *below = &spans[i];
		status = packed_source_look(requests->packed, requests->error);
		if (i == root)
			continue;
		below->is_seen = true;
		below->depth = span->depth + 1;
		const histree_time begin = below->begin > span->begin ? below->begin : span->begin;
		histree_time end = below->end < covered ? below->end : covered;
		if (begin < end) {
			span->self -= end - begin;
			covered = begin;
		}
		end = below->end < span->path_end ? below->end : span->path_end;
		below->path_begin = below->begin > span->path_begin ? below->begin : span->path_begin;
		below->path_end = end;
		if (below->is_async || end > at || below->path_begin >= end) {
			below->path_end = below->path_begin; /* the request did not wait for it */
			continue;
		}
		span->critical += at - end;
		at = below->path_begin;
	}
	span->critical += at - span->path_begin;
	return status;
}

/* One that is the first of a circle is not below itself. */
static uint32_t skip(const struct request_span *spans, uint32_t number, uint32_t root)
{
	return number == root ? spans[number].next : number;
}

static enum histree_status reckon_tree(struct requests *requests, uint32_t root)
{
	struct request_span *spans = requests->spans, *top = &spans[root];
	enum histree_status status = HISTREE_OK;
	top->is_seen = true;
	top->depth = 0;
	top->path_begin = top->begin;
	top->path_end = top->end;
	for (uint32_t at = root; at != REQUEST_NONE && status == HISTREE_OK;) {
		status = packed_source_look(requests->packed, requests->error);
		if (status == HISTREE_OK)
			status = reckon(requests, &spans[at], root);
		uint32_t next = skip(spans, spans[at].first, root);
		while (next == REQUEST_NONE && at != root) {
			next = skip(spans, spans[at].next, root);
			at = spans[at].above;
		}
		at = next;
	}
	return status;
}

/* Files may lie: what no tree has seen is below a circle.  Returns a span of it. */
static uint32_t find_circle(struct request_span *spans, uint32_t number)
{
	uint32_t at = number;
	for (; spans[at].depth != number + 1; at = spans[at].above)
		spans[at].depth = number + 1; /* until its tree is made */
	return at;
}

/* ---- tracks ---------------------------------------------------------------------------------------------- */

/*
 * A span is on the track of the one that caused it if that is of the same service, encloses it, and has nothing
 * else there at the time.
 */
static uint32_t track_of(struct request_span *spans, const struct request_span *span, uint32_t *count)
{
	struct request_span *above = span->above != REQUEST_NONE ? &spans[span->above] : NULL;
	const bool is_inside = above != NULL && above->track != 0 && above->service == span->service &&
			       span->begin >= above->begin && span->begin < above->end && span->end <= above->end &&
			       above->busy <= span->begin;
	if (!is_inside)
		return ++*count;
	above->busy = span->end;
	return above->track;
}

/* Those below each span, the one that ends last first. */
static enum histree_status make_lists(struct requests *requests)
{
	struct request_span *spans = requests->spans;
	struct request_order *order = requests->order;
	enum histree_status status = HISTREE_OK;
	for (uint32_t i = 0; i < requests->count && status == HISTREE_OK; i++) {
		spans[i].above = find_above(requests, &spans[i]);
		spans[i].first = spans[i].next = REQUEST_NONE;
		order[i] = (struct request_order){ .first = spans[i].end, .span = i };
		status = packed_source_look(requests->packed, requests->error);
	}
	if (status == HISTREE_OK)
		status = sort_order(requests);
	for (size_t i = 0; i < requests->count && status == HISTREE_OK; i++) {
		struct request_span *span = &spans[order[i].span];
		status = packed_source_look(requests->packed, requests->error);
		if (span->above == REQUEST_NONE)
			continue;
		span->next = spans[span->above].first;
		spans[span->above].first = order[i].span;
	}
	return status;
}

/* A tree of each span that nothing caused; then what no tree has seen, which is below a circle. */
static enum histree_status reckon_all(struct requests *requests)
{
	struct request_span *spans = requests->spans;
	enum histree_status status = HISTREE_OK;
	for (uint32_t i = 0; i < requests->count && status == HISTREE_OK; i++) {
		status = packed_source_look(requests->packed, requests->error);
		if (spans[i].above == REQUEST_NONE && status == HISTREE_OK)
			status = reckon_tree(requests, i);
	}
	for (uint32_t i = 0; i < requests->count && status == HISTREE_OK; i++) {
		status = packed_source_look(requests->packed, requests->error);
		if (!spans[i].is_seen && status == HISTREE_OK)
			status = reckon_tree(requests, find_circle(spans, i));
	}
	return status;
}

static enum histree_status make_tracks(struct requests *requests)
{
	struct request_span *spans = requests->spans;
	struct request_order *order = requests->order;
	enum histree_status status = HISTREE_OK;
	uint32_t tracks = 0;
	for (uint32_t i = 0; i < requests->count && status == HISTREE_OK; i++) {
		order[i] = (struct request_order){ spans[i].begin, spans[i].end, spans[i].depth, i };
		status = packed_source_look(requests->packed, requests->error);
	}
	if (status == HISTREE_OK)
		status = sort_order(requests);
	for (size_t i = 0; i < requests->count && status == HISTREE_OK; i++) {
		struct request_span *span = &spans[order[i].span];
		span->busy = span->begin;
		span->track = track_of(spans, span, &tracks);
		status = packed_source_look(requests->packed, requests->error);
	}
	return status;
}

enum histree_status requests_tree_make(struct requests *requests)
{
	size_t capacity = 0;
	if (requests->count == 0)
		return HISTREE_OK;
	enum histree_status status = make_index(requests);
	if (status == HISTREE_OK &&
	    !table_reserve(&requests->order_table, &requests->order, &capacity, requests->count))
		status = error_memory(requests->error, "the spans of requests");
	if (status == HISTREE_OK)
		status = make_lists(requests);
	if (status == HISTREE_OK)
		status = reckon_all(requests);
	return status == HISTREE_OK ? make_tracks(requests) : status;
}
