// SPDX-License-Identifier: MIT
#include "support/reference.h"
#include "base/search.h"
#include "tree/tree_iter.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

COMPARE(by_key_and_start, struct histree_interval, BY(quark) BY(start))

bool reference_make(struct reference *reference, const struct histree_interval *intervals, size_t count,
		    histree_time start, histree_time end, uint32_t key_count)
{
	*reference = (struct reference){ .count = count, .start = start, .end = end, .key_count = key_count };
	reference->sorted = malloc((count + 1) * sizeof(*reference->sorted));
	if (reference->sorted == NULL)
		return false;
	if (count > 0)
		memcpy(reference->sorted, intervals, count * sizeof(*intervals));
	qsort(reference->sorted, count, sizeof(*reference->sorted), by_key_and_start);
	return true;
}

void reference_release(struct reference *reference)
{
	free(reference->sorted);
	*reference = (struct reference){ 0 };
}

const struct histree_interval *reference_at(const struct reference *reference, histree_quark quark, histree_time t)
{
	for (size_t i = 0; i < reference->count; i++)
		if (reference->sorted[i].quark == quark && reference->sorted[i].start <= t &&
		    t <= reference->sorted[i].end)
			return &reference->sorted[i];
	return NULL;
}

bool answer_make(struct answer *answer, const struct reference *reference)
{
	*answer = (struct answer){ .seen = calloc(reference->count + 1, 1),
				   .wanted = calloc((size_t)reference->key_count + 1, 1) };
	if (answer->seen != NULL && answer->wanted != NULL)
		return true;
	answer_release(answer);
	return false;
}

void answer_release(struct answer *answer)
{
	free(answer->seen);
	free(answer->wanted);
	answer->seen = answer->wanted = NULL;
}

/* ---- comparing ----------------------------------------------------------------------------------------- */

static bool meets(const struct histree_region *region, const struct histree_interval *interval)
{
	if (region->times == NULL)
		return interval->start <= region->to && interval->end >= region->from;
	for (size_t i = 0; i < region->time_count; i++)
		if (interval->start <= region->times[i] && region->times[i] <= interval->end)
			return true;
	return false;
}

static const char *wrong(struct answer *answer, const struct histree_interval *interval, const char *what)
{
	snprintf(answer->fault, sizeof(answer->fault), "attribute %" PRIu32 " from %" PRId64 " to %" PRId64 ": %s",
		 interval->quark, interval->start, interval->end, what);
	return answer->fault;
}

static const char *take(const struct reference *reference, struct answer *answer,
			const struct histree_region *region, const struct histree_interval *found)
{
	const struct histree_interval *known =
		bsearch(found, reference->sorted, reference->count, sizeof(*reference->sorted), by_key_and_start);
	if (known == NULL || known->end != found->end)
		return wrong(answer, found, "was never added");
	if (!histree_value_equal(&known->value, &found->value))
		return wrong(answer, found, "has another value");
	if (!answer->wanted[found->quark] || !meets(region, found))
		return wrong(answer, found, "was not asked for");
	if (answer->seen[known - reference->sorted]++ > 0)
		return wrong(answer, found, "came twice");
	return NULL;
}

/* Everything that was asked for has come; and the marks are wiped away. */
static const char *check_all(const struct reference *reference, struct answer *answer,
			     const struct histree_region *region)
{
	const char *fault = NULL;
	for (size_t i = 0; i < reference->count; i++) {
		const struct histree_interval *known = &reference->sorted[i];
		if (answer->seen[i] == 0 && answer->wanted[known->quark] && meets(region, known) && fault == NULL)
			fault = wrong(answer, known, "is missing");
	}
	return fault;
}

static void want(const struct reference *reference, struct answer *answer, const struct histree_region *region)
{
	memset(answer->seen, 0, reference->count);
	memset(answer->wanted, region->quarks == NULL, reference->key_count);
	for (size_t i = 0; region->quarks != NULL && i < region->quark_count; i++)
		answer->wanted[region->quarks[i]] = 1;
}

static const char *check_stats(struct answer *answer, const struct subject *subject, uint64_t found)
{
	struct tree_counts stats = subject->stats(subject->query);
	if (stats.intervals == found && stats.nodes_visited <= subject->node_count &&
	    stats.nodes_loaded <= stats.nodes_visited)
		return NULL;
	snprintf(answer->fault, sizeof(answer->fault),
		 "%" PRIu64 " intervals, but the statistics say %" PRIu64 "; %" PRIu64 " nodes visited of %" PRIu64
		 ", %" PRIu64 " loaded",
		 found, stats.intervals, stats.nodes_visited, subject->node_count, stats.nodes_loaded);
	return answer->fault;
}

const char *reference_compare(const struct reference *reference, struct answer *answer,
			      const struct subject *subject, const struct histree_region *region, size_t most)
{
	struct histree_error error = { .message = "" };
	struct histree_interval found;
	want(reference, answer, region);
	enum histree_status status = subject->start(subject->query, region, &error);
	size_t count = 0;
	while (status == HISTREE_OK) {
		status = subject->next(subject->query, &found, &error);
		if (status != HISTREE_OK)
			break;
		count++;
		const char *fault = take(reference, answer, region, &found);
		if (fault != NULL)
			return fault;
		if (count == most)
			return check_stats(answer, subject, count);
	}
	if (status != HISTREE_END) {
		snprintf(answer->fault, sizeof(answer->fault), "status %d: %.250s", status, error.message);
		return answer->fault;
	}
	const char *fault = check_all(reference, answer, region);
	return fault != NULL ? fault : check_stats(answer, subject, count);
}

/* ---- regions ------------------------------------------------------------------------------------------- */

/* A moment of the history; often one at which something begins or ends. */
static histree_time some_time(const struct reference *reference, struct random *random)
{
	if (reference->count > 0 && random_percent(random, 70)) {
		const struct histree_interval *near = &reference->sorted[random_below(random, reference->count)];
		return random_percent(random, 50) ? near->start : near->end;
	}
	uint64_t length = (uint64_t)reference->end - (uint64_t)reference->start;
	return (histree_time)((uint64_t)reference->start +
			      (length == UINT64_MAX ? random_bits(random) : random_below(random, length + 1)));
}

static int by_time(const void *one, const void *other)
{
	const histree_time *a = one, *b = other;
	return *a < *b ? -1 : *a > *b;
}

/* A sorted list without repetitions: one, a run, or some from everywhere. */
static void some_quarks(const struct reference *reference, struct random *random, struct region_room *room,
			struct histree_region *region)
{
	uint32_t keys = reference->key_count;
	uint32_t wanted = random_percent(random, 40) ? 1 : 1 + (uint32_t)random_below(random, REGION_QUARKS_MAX);
	uint32_t quark = (uint32_t)random_below(random, keys);
	uint32_t stride = random_percent(random, 30) ? 1 : 1 + keys / wanted;
	region->quarks = room->quarks;
	for (; quark < keys && region->quark_count < wanted; quark += 1 + (uint32_t)random_below(random, stride))
		room->quarks[region->quark_count++] = quark;
}

static void some_times(const struct reference *reference, struct random *random, struct region_room *room,
		       struct histree_region *region)
{
	region->from = some_time(reference, random);
	switch (random_below(random, 4)) {
	case 0:
		region->to = region->from;
		break;
	case 1:
		region->from = reference->start;
		region->to = reference->end;
		break;
	case 2:
		region->to = some_time(reference, random);
		if (region->to < region->from) {
			histree_time kept = region->to;
			region->to = region->from;
			region->from = kept;
		}
		break;
	default:
		region->time_count = 1 + random_below(random, REGION_TIMES_MAX);
		for (size_t i = 0; i < region->time_count; i++)
			room->times[i] = some_time(reference, random);
		qsort(room->times, region->time_count, sizeof(room->times[0]), by_time);
		region->times = room->times;
	}
}

struct histree_region reference_region(const struct reference *reference, struct random *random,
				       struct region_room *room)
{
	struct histree_region region = { 0 };
	if (reference->key_count > 0 && !random_percent(random, 30))
		some_quarks(reference, random, room, &region);
	some_times(reference, random, room, &region);
	return region;
}

const char *reference_compare_many(const struct reference *reference, struct answer *answer,
				   const struct subject *subject, struct random *random, unsigned count)
{
	/* What a query borrows stays until the next one is started, as its threads may still read ahead. */
	static _Thread_local struct region_room rooms[2];
	for (unsigned i = 0; i < count; i++) {
		struct histree_region region = reference_region(reference, random, &rooms[i % 2]);
		size_t most = random_percent(random, 20) ? 1 + random_below(random, 50) : 0;
		const char *fault = reference_compare(reference, answer, subject, &region, most);
		if (fault != NULL)
			return fault;
	}
	return NULL;
}
