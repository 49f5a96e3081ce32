// SPDX-License-Identifier: MIT
/*
 * property_union.c - a history of several hosts answers as the array of all their intervals: with every kind of
 * query, whatever the variants, times and sizes of its shards, and however many threads and bytes of cache it has.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "driver.h"
#include "histree/query.h"
#include "support/history_subject.h"
#include "support/union_history.h"

enum { QUESTIONS = 60 };

/* ---- single queries --------------------------------------------------------------------------------------- */

static const char *check_single(struct histree_query *query, const struct reference *reference,
				struct random *random)
{
	for (int i = 0; i < QUESTIONS; i++) {
		const struct histree_interval *some = &reference->sorted[random_below(random, reference->count)];
		histree_time t = random_percent(random, 50) ? some->start : some->end;
		struct histree_interval found;
		if (histree_query_single(query, some->quark, t, &found, NULL) != HISTREE_OK)
			return "a single query failed";
		if (found.quark != some->quark || found.start != some->start || found.end != some->end ||
		    !histree_value_equal(&found.value, &some->value))
			return "a single query found another interval";
		if (histree_query_stats(query).intervals != 1)
			return "a single query counts other intervals";
	}
	return NULL;
}

/* ---- what is missing -------------------------------------------------------------------------------------- */

/* A query whose answers are compared but for the folders of missing hosts, of which it keeps what is said. */
struct filtered_query {
	struct histree_query *query;
	const struct union_history *made;
	const struct histree_region *region;
	uint64_t unknown;
	const char *fault;
};

static bool is_missing(const struct union_history *made, histree_quark quark)
{
	for (size_t i = 0; i < made->missing_count; i++)
		if (made->missing[i] == quark)
			return true;
	return false;
}

static enum histree_status filtered_start(void *context, const struct histree_region *region,
					  struct histree_error *error)
{
	struct filtered_query *filtered = context;
	filtered->region = region;
	filtered->unknown = 0;
	return histree_query_start(filtered->query, region, error);
}

/* How often the folder of a missing host must be said to be unknown. */
static uint64_t unknown_wanted(const struct filtered_query *filtered)
{
	const struct histree_region *region = filtered->region;
	uint64_t folders = 0, times = region->times == NULL;
	for (size_t i = 0; i < filtered->made->missing_count; i++) {
		bool is_asked = region->quarks == NULL;
		for (size_t k = 0; region->quarks != NULL && k < region->quark_count; k++)
			is_asked = is_asked || region->quarks[k] == filtered->made->missing[i];
		folders += is_asked;
	}
	for (size_t i = 0; region->times != NULL && i < region->time_count; i++)
		times += i == 0 || region->times[i] != region->times[i - 1];
	if (histree_query_stats(filtered->query).nodes_damaged != (times > 0 ? folders : 0))
		return UINT64_MAX;
	return folders * times;
}

static enum histree_status filtered_next(void *context, struct histree_interval *out, struct histree_error *error)
{
	struct filtered_query *filtered = context;
	const struct histree_region *region = filtered->region;
	enum histree_status status;
	while ((status = histree_query_next(filtered->query, out, error)) == HISTREE_OK &&
	       is_missing(filtered->made, out->quark)) {
		bool fits = out->value.type == HISTREE_UNKNOWN;
		if (region->times == NULL)
			fits = fits && out->start == region->from && out->end == region->to;
		else
			fits = fits && out->start == out->end;
		filtered->unknown++;
		if (!fits)
			filtered->fault = "a missing host is not unknown";
	}
	if (status == HISTREE_END && filtered->unknown != unknown_wanted(filtered))
		filtered->fault = "a missing host is unknown too often, or too seldom";
	return status;
}

static struct histree_query_stats filtered_stats(const void *context)
{
	struct histree_query_stats stats = histree_query_stats(((const struct filtered_query *)context)->query);
	stats.nodes_damaged = 0; /* checked at the end */
	stats.intervals -= ((const struct filtered_query *)context)->unknown;
	return stats;
}

static const char *check_missing(const struct union_history *made, struct histree_query *query)
{
	struct histree_interval found;
	for (size_t i = 0; i < made->missing_count; i++) {
		if (histree_query_single(query, made->missing[i], made->reference.end, &found, NULL) !=
			    HISTREE_OK ||
		    found.value.type != HISTREE_UNKNOWN || histree_query_stats(query).nodes_damaged != 1)
			return "a single query knows a missing host";
	}
	if (made->missing_count > 0 &&
	    histree_history_verify(made->history, NULL, NULL, NULL) != HISTREE_ERR_FORMAT)
		return "a history without a host is sound";
	return NULL;
}

/* ---- the property ----------------------------------------------------------------------------------------- */

static const char *check_queries(const struct union_history *made, unsigned threads, uint64_t seed, char fault[512])
{
	const struct histree_history_info *info = histree_history_info(made->history);
	struct answer answer;
	struct random random = { seed };
	struct filtered_query filtered = { .made = made };
	const struct subject subject = { &filtered, filtered_start, filtered_next, filtered_stats,
					 info->node_count };
	if (info->interval_count != made->reference.count || info->attribute_count != made->reference.key_count ||
	    info->start != made->reference.start || info->end != made->reference.end)
		return "the history says other things of itself than it was made of";
	if (histree_query_create(made->history, &filtered.query, NULL) != HISTREE_OK ||
	    histree_query_set_threads(filtered.query, threads, NULL) != HISTREE_OK ||
	    !answer_make(&answer, &made->reference))
		return "out of memory";
	const char *found = NULL;
	for (int i = 0; i < 2 && found == NULL; i++) {
		found = check_single(filtered.query, &made->reference, &random);
		if (found == NULL)
			found = reference_compare_many(&made->reference, &answer, &subject, &random, QUESTIONS);
	}
	found = found != NULL ? found : filtered.fault;
	if (found == NULL)
		found = check_missing(made, filtered.query);
	if (found != NULL)
		snprintf(fault, 512, "%s", found);
	answer_release(&answer);
	histree_query_free(filtered.query);
	return found != NULL ? fault : NULL;
}

static void answers_as_all_intervals(const void *kind, uint64_t seed)
{
	static const size_t caches[] = { 0, 1, 100 << 10, 1 << 20 };
	for (unsigned i = 0; i < 8; i++) {
		char path[64], fault[512];
		struct union_history made;
		snprintf(path, sizeof(path), "property_union.%ld.sht", (long)getpid());
		const struct union_wishes wishes = { .kind = kind,
						     .seed = seed * 8 + i,
						     .path = path,
						     .cache_bytes = caches[i % 4],
						     .may_miss = i % 2 == 1 };
		const char *found = union_history_make(&made, &wishes, fault) ? NULL : fault;
		for (unsigned threads = 1; threads <= 3 && found == NULL; threads += 2)
			found = check_queries(&made, threads, seed + threads, fault);
		if (found == NULL && made.missing_count == 0)
			found = history_compare(made.history, &made.reference, seed, QUESTIONS / 4, fault);
		if (found != NULL)
			print_error("union %u of %zu hosts, %zu of them missing: %s\n", i, made.host_count,
				    made.missing_count, found);
		union_history_release(&made);
		assert_null(found);
	}
}

int main(void)
{
	static const struct property property = { .kinds = workload_kinds,
						  .kind_size = sizeof(*workload_kinds),
						  .rounds = 1,
						  .check = answers_as_all_intervals };
	return property_run("union", &property, 1, NULL, 0);
}
