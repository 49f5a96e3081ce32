// SPDX-License-Identifier: MIT
/*
 * event_merger.c - the events of several hosts in one order.
 *
 * Hosts are merged by their next events; where the clock of one steps back, by the greatest time so far of each,
 * which is the same: what follows such an event of its host comes at once.  So all events before a time are those
 * before it in each host, and a position is found by time (docs/design/0054-many-hosts-segments-events.md).
 */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "event_index/events.h"

/* So many events are read rather than looked for. */
enum { AHEAD_MAX = 2 * EVENTS_PER_BLOCK };

struct merge_part {
	struct histree_event_reader *reader; /* NULL: it has no events */
	struct histree_event head;           /* its next event, with our type */
	histree_time greatest;               /* of its times so far */
	uint32_t host;
};

struct event_merger {
	const struct histree_events *events;
	struct merge_part *parts;
	struct merge_part **heap; /* those that have a next event; the first of them first */
	size_t heap_count;
	size_t unread_count;     /* hosts whose first event after a move was not read yet: the last so many */
	struct merge_part *last; /* that gave the event before `next`; the first of the heap, or NULL */
	uint64_t next;           /* the number of the event that comes after `last` */
	uint64_t wanted;         /* the number that the caller gets next */
	bool is_placed;          /* false: the readers may be anywhere */
};

enum histree_status event_merger_create(const struct histree_events *events, struct event_merger **out,
					struct histree_error *error)
{
	*out = NULL;
	struct event_merger *merger = calloc(1, sizeof(*merger));
	if (merger == NULL)
		return error_memory(error, "a reader of events");
	merger->events = events;
	merger->parts = calloc(events->host_count + 1, sizeof(*merger->parts));
	merger->heap = calloc(events->host_count + 1, sizeof(struct merge_part *));
	enum histree_status status = merger->parts != NULL && merger->heap != NULL
					     ? HISTREE_OK
					     : error_memory(error, "a reader of events");
	for (size_t i = 0; status == HISTREE_OK && i < events->host_count; i++) {
		merger->parts[i].host = (uint32_t)i;
		if (events->parts[i] != NULL)
			status = histree_event_reader_create(events->parts[i], &merger->parts[i].reader, error);
	}
	if (status == HISTREE_OK)
		*out = merger;
	else
		event_merger_free(merger);
	return status;
}

void event_merger_free(struct event_merger *merger)
{
	if (merger == NULL)
		return;
	for (size_t i = 0; merger->parts != NULL && i < merger->events->host_count; i++)
		histree_event_reader_free(merger->parts[i].reader);
	free(merger->parts);
	free(merger->heap);
	free(merger);
}

void event_merger_keep_closed(struct event_merger *merger, const char *why)
{
	for (size_t i = 0; i < merger->events->host_count; i++)
		if (merger->parts[i].reader != NULL)
			histree_event_reader_keep_closed(merger->parts[i].reader, why);
}

/* Which host could not be read. */
static enum histree_status of_host(const struct event_merger *merger, const struct merge_part *part,
				   enum histree_status status, struct histree_error *error)
{
	if (status < 0)
		error_prefix(error, "%s", merger->events->hosts[part->host].name);
	return status;
}

/* ---- the heap -------------------------------------------------------------------------------------------- */

static bool comes_before(const struct merge_part *a, const struct merge_part *b)
{
	return a->greatest != b->greatest ? a->greatest < b->greatest : a->host < b->host;
}

static void sink(struct event_merger *merger)
{
	struct merge_part **heap = merger->heap, *part = heap[0];
	size_t at = 0;
	for (size_t child; (child = 2 * at + 1) < merger->heap_count; at = child) {
		if (child + 1 < merger->heap_count && comes_before(heap[child + 1], heap[child]))
			child++;
		if (!comes_before(heap[child], part))
			break;
		heap[at] = heap[child];
	}
	heap[at] = part;
}

static void put(struct event_merger *merger, struct merge_part *part)
{
	struct merge_part **heap = merger->heap;
	size_t at = merger->heap_count++;
	for (; at > 0 && comes_before(part, heap[(at - 1) / 2]); at = (at - 1) / 2)
		heap[at] = heap[(at - 1) / 2];
	heap[at] = part;
}

/* ---- one after the other --------------------------------------------------------------------------------- */

static enum histree_status read_head(struct event_merger *merger, struct merge_part *part,
				     struct histree_error *error)
{
	enum histree_status status = histree_event_reader_next(part->reader, &part->head, error);
	if (status != HISTREE_OK)
		return of_host(merger, part, status, error);
	part->head.type = merger->events->types_of_part[part->host][part->head.type];
	part->head.host = part->host;
	if (part->head.time > part->greatest)
		part->greatest = part->head.time;
	return HISTREE_OK;
}

/* Make the next event the last one. */
static enum histree_status step(struct event_merger *merger, struct histree_error *error)
{
	enum histree_status status;
	if (merger->last != NULL) {
		status = read_head(merger, merger->last, error);
		if (status < 0)
			return status;
		if (status == HISTREE_END)
			merger->heap[0] = merger->heap[--merger->heap_count];
		if (merger->heap_count > 0)
			sink(merger);
		merger->last = NULL;
	}
	while (merger->unread_count > 0) {
		struct merge_part *part = &merger->parts[merger->unread_count - 1];
		status = part->reader != NULL ? read_head(merger, part, error) : HISTREE_END;
		if (status < 0)
			return status;
		if (status == HISTREE_OK)
			put(merger, part);
		merger->unread_count--;
	}
	if (merger->heap_count == 0)
		return HISTREE_END;
	merger->last = merger->heap[0];
	merger->next++;
	return HISTREE_OK;
}

/* ---- places ---------------------------------------------------------------------------------------------- */

/* Each host before its first event that is not before `time`. */
static enum histree_status place_at(struct event_merger *merger, histree_time time, struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	merger->is_placed = false;
	merger->next = 0;
	for (size_t i = 0; status == HISTREE_OK && i < merger->events->host_count; i++) {
		struct merge_part *part = &merger->parts[i];
		uint64_t number = 0;
		if (part->reader == NULL)
			continue;
		const struct event_index *index = &merger->events->parts[i]->index;
		if (index->event_count > 0 && time > index->ticks[0])
			status = histree_event_reader_find(part->reader, time, &number, error);
		if (status == HISTREE_OK)
			status = histree_event_reader_seek(part->reader, number, error);
		part->greatest = INT64_MIN;
		merger->next += number;
		of_host(merger, part, status, error);
	}
	merger->heap_count = 0;
	merger->unread_count = merger->events->host_count;
	merger->last = NULL;
	merger->is_placed = status == HISTREE_OK;
	return status;
}

/* At most so many events of a host are before a time. */
static uint64_t most_before(const struct event_index *index, histree_time time)
{
	if (index->event_count == 0 || time <= index->ticks[0])
		return 0;
	if (time > index->end)
		return index->event_count;
	uint64_t most = ((uint64_t)event_index_tick_before(index, time) + 1) * EVENTS_PER_TICK;
	return most < index->event_count ? most : index->event_count;
}

/* The latest time before which there are surely no more than `number` events. */
static histree_time time_before(const struct event_merger *merger, uint64_t number)
{
	/* Times as numbers from 0 on. */
	uint64_t low = 0, high = UINT64_MAX;
	while (low < high) {
		uint64_t middle = low + (high - low) / 2 + 1, most = 0;
		for (size_t i = 0; i < merger->events->host_count; i++)
			if (merger->events->parts[i] != NULL)
				most += most_before(&merger->events->parts[i]->index,
						    (histree_time)(middle ^ UINT64_C(1) << 63));
		if (most <= number)
			low = middle;
		else
			high = middle - 1;
	}
	return (histree_time)(low ^ UINT64_C(1) << 63);
}

enum histree_status event_merger_seek(struct event_merger *merger, uint64_t number, struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	uint64_t count = merger->events->index.event_count;
	merger->wanted = number < count ? number : count;
	if (number >= count)
		return HISTREE_OK;
	if (merger->is_placed && merger->last != NULL && number + 1 == merger->next)
		return HISTREE_OK; /* the last one once more */
	if (!merger->is_placed || number < merger->next || number - merger->next > AHEAD_MAX)
		status = place_at(merger, time_before(merger, number), error);
	while (status == HISTREE_OK && merger->next < number)
		status = step(merger, error);
	if (status < 0)
		merger->is_placed = false;
	return status;
}

enum histree_status event_merger_next(struct event_merger *merger, struct histree_event *out,
				      struct histree_error *error)
{
	if (merger->wanted >= merger->events->index.event_count)
		return HISTREE_END;
	enum histree_status status = event_merger_seek(merger, merger->wanted, error);
	if (status == HISTREE_OK && merger->next == merger->wanted)
		status = step(merger, error);
	if (status == HISTREE_END)
		status = error_set(error, HISTREE_ERR_TRACE,
				   "a trace has changed since its store was built; build it again");
	merger->is_placed = merger->is_placed && status == HISTREE_OK;
	if (status != HISTREE_OK)
		return status;
	*out = merger->last->head;
	out->number = merger->wanted++;
	return HISTREE_OK;
}

enum histree_status event_merger_find(struct event_merger *merger, histree_time time, uint64_t *number,
				      struct histree_error *error)
{
	*number = merger->events->index.event_count;
	if (*number == 0 || time > merger->events->index.end)
		return HISTREE_OK;
	enum histree_status status = place_at(merger, time, error);
	if (status == HISTREE_OK)
		*number = merger->next;
	return status;
}

struct histree_event_reader *event_merger_last(const struct event_merger *merger)
{
	return merger->is_placed && merger->last != NULL ? merger->last->reader : NULL;
}

/* ---- sums ------------------------------------------------------------------------------------------------ */

enum histree_status event_merger_count_types(struct event_merger *merger, histree_time from, histree_time to,
					     uint64_t *counts, struct histree_error *error)
{
	const struct histree_events *events = merger->events;
	uint64_t *of_part = calloc(events->index.type_count + 1, sizeof(*of_part));
	enum histree_status status = of_part != NULL ? HISTREE_OK : error_memory(error, "counts of events");
	merger->is_placed = false;
	for (size_t i = 0; status == HISTREE_OK && i < events->host_count; i++) {
		struct merge_part *part = &merger->parts[i];
		if (part->reader == NULL)
			continue;
		status = histree_event_reader_count_types(part->reader, from, to, of_part, error);
		for (uint32_t type = 0; status == HISTREE_OK && type < events->parts[i]->index.type_count; type++)
			counts[events->types_of_part[i][type]] += of_part[type];
		of_host(merger, part, status, error);
	}
	free(of_part);
	return status;
}

enum histree_status event_merger_density(struct event_merger *merger, histree_time from, histree_time to,
					 uint32_t pixels, double *counts, bool *are_exact,
					 struct histree_error *error)
{
	double *of_part = calloc(pixels, sizeof(*of_part));
	enum histree_status status = of_part != NULL ? HISTREE_OK : error_memory(error, "counts of events");
	memset(counts, 0, pixels * sizeof(*counts));
	merger->is_placed = false;
	*are_exact = true;
	for (size_t i = 0; status == HISTREE_OK && i < merger->events->host_count; i++) {
		struct merge_part *part = &merger->parts[i];
		bool is_exact;
		if (part->reader == NULL)
			continue;
		status = histree_event_reader_density(part->reader, from, to, pixels, of_part, &is_exact, error);
		if (status != HISTREE_OK) {
			of_host(merger, part, status, error);
			break;
		}
		*are_exact = *are_exact && is_exact;
		for (uint32_t pixel = 0; pixel < pixels; pixel++)
			counts[pixel] += of_part[pixel];
	}
	free(of_part);
	return status;
}
