// SPDX-License-Identifier: MIT
/*
 * property_union.c - a history of several hosts answers as the array of all their intervals: with every kind of
 * query, whatever the variants, times and sizes of its shards, and however many threads and bytes of cache it has.
 */
#include "driver.h"
#include "histree/states.h"
#include "support/effort.h"
#include "support/history_subject.h"
#include "support/test.h"
#include "support/union_history.h"
#include "tree/tree_iter.h"

enum { QUESTIONS = 60 };

/* ---- single queries --------------------------------------------------------------------------------------- */

static const char *check_single(struct histree_cursor *query, const struct reference *reference,
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
		if (histree_cursor_statistics(query).rows != 1)
			return "a single query counts other intervals";
	}
	return NULL;
}

/* ---- what is missing -------------------------------------------------------------------------------------- */

/* A query whose answers are compared but for the folders of missing hosts, of which it keeps what is said. */
struct filtered_query {
	struct histree_cursor *query;
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
	if (histree_cursor_loss(filtered->query).nodes != (times > 0 ? folders : 0))
		return UINT64_MAX;
	return folders * times;
}

static enum histree_status filtered_next(void *context, struct histree_interval *out, struct histree_error *error)
{
	struct filtered_query *filtered = context;
	const struct histree_region *region = filtered->region;
	enum histree_status status;
	while ((status = histree_cursor_next(filtered->query, error)) == HISTREE_OK) {
		*out = *histree_cursor_interval(filtered->query);
		if (!is_missing(filtered->made, out->quark))
			break;
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

static struct tree_counts filtered_stats(const void *context)
{
	struct tree_counts stats = history_counts(((const struct filtered_query *)context)->query);
	stats.nodes_damaged = 0; /* checked at the end */
	stats.intervals -= ((const struct filtered_query *)context)->unknown;
	return stats;
}

static const char *check_missing(const struct union_history *made, struct histree_cursor *query)
{
	struct histree_interval found;
	for (size_t i = 0; i < made->missing_count; i++) {
		if (histree_query_single(query, made->missing[i], made->reference.end, &found, NULL) !=
			    HISTREE_OK ||
		    found.value.type != HISTREE_UNKNOWN || histree_cursor_loss(query).nodes != 1)
			return "a single query knows a missing host";
	}
	/* Those that are lent can be verified where they are alone. */
	const enum histree_status status = histree_history_verify(made->history, NULL, NULL, NULL);
	if (made->missing_count > 0 && status != HISTREE_ERR_FORMAT &&
	    (status != HISTREE_ERR_ARGUMENT || !made->lends))
		return "a history without a host is sound";
	return NULL;
}

/* ---- threads ---------------------------------------------------------------------------------------------- */

static bool is_same(const struct histree_interval *a, const struct histree_interval *b)
{
	return a->quark == b->quark && a->start == b->start && a->end == b->end &&
	       histree_value_equal(&a->value, &b->value);
}

static const char *compare_order(struct histree_cursor *alone, struct histree_cursor *threads,
				 const struct histree_region *region, size_t most)
{
	struct histree_interval one, other;
	enum histree_status status = HISTREE_OK;
	if (histree_query_start(alone, region, NULL) != HISTREE_OK ||
	    histree_query_start(threads, region, NULL) != HISTREE_OK)
		return "a query could not be started";
	for (size_t i = 0; i < most && status == HISTREE_OK; i++) {
		status = histree_cursor_next(alone, NULL);
		if (status == HISTREE_OK)
			one = *histree_cursor_interval(alone);
		if (histree_cursor_next(threads, NULL) != status)
			return "threads find more, or less";
		if (status == HISTREE_OK)
			other = *histree_cursor_interval(threads);
		if (status == HISTREE_OK && !is_same(&one, &other))
			return "threads change the order";
	}
	const struct tree_counts a = history_counts(alone), b = history_counts(threads);
	if (status == HISTREE_END && (a.nodes_visited != b.nodes_visited || a.intervals != b.intervals ||
				      a.nodes_damaged != b.nodes_damaged))
		return "threads have other statistics";
	return NULL;
}

static const char *check_order(const struct union_history *made, uint64_t seed)
{
	struct histree_cursor *alone, *threads;
	struct random random = { seed };
	const char *found = NULL;
	if (histree_query_create(made->history, &alone, NULL) != HISTREE_OK ||
	    histree_query_create(made->history, &threads, NULL) != HISTREE_OK ||
	    histree_query_set_threads(threads, 3, NULL) != HISTREE_OK)
		return "out of memory";
	struct region_room rooms[2]; /* the lists of a query that is stopped stay until the next one is started */
	for (int i = 0; i < QUESTIONS && found == NULL; i++) {
		struct histree_region region = reference_region(&made->reference, &random, &rooms[i % 2]);
		found = compare_order(alone, threads, &region, random_percent(&random, 20) ? 7 : SIZE_MAX);
	}
	histree_cursor_free(alone);
	histree_cursor_free(threads);
	return found;
}

/* ---- names ------------------------------------------------------------------------------------------------ */

struct named {
	const struct histree_attributes *attributes;
	const char *pattern;
	char *matches; /* by quark */
};

/* As histree/attributes.h says it, level by level: `**` is any number of levels. */
static bool matches(const char *pattern, const char *path)
{
	if (*pattern == '\0' || *path == '\0')
		return *pattern == *path;
	if (strncmp(pattern, "**/", 3) == 0) {
		const char *rest = strchr(path, '/');
		return matches(pattern + 3, path) || (rest != NULL && matches(pattern, rest + 1));
	}
	if (*pattern == '*') {
		size_t level = strcspn(path, "/");
		return matches(pattern + 1 + (pattern[1] == '/'), path + level + (path[level] == '/')) &&
		       (pattern[1] == '/') == (path[level] == '/');
	}
	return *pattern == *path && matches(pattern + 1, path + 1);
}

static bool keep_match(void *context, histree_quark quark)
{
	struct named *named = context;
	named->matches[quark]++;
	return true;
}

/* What a pattern finds is what a walk through all paths finds; names lead back to their attributes. */
static const char *check_names(const struct union_history *made)
{
	static const char *const patterns[] = { "*", "VM1/*", "**/3", "7/Group/*/*", "*/Group/2/9", "VM0/**/1" };
	const struct histree_attributes *attributes = histree_history_attributes(made->history);
	uint32_t count = histree_attributes_count(attributes);
	char path[128], name[64];
	struct named named = { attributes, NULL, NULL };
	const char *found = NULL;
	for (histree_quark quark = 0; quark < count && found == NULL; quark++) {
		histree_quark again, parent = histree_attributes_parent(attributes, quark);
		histree_attributes_path(attributes, quark, path, sizeof(path));
		if (histree_attributes_find(attributes, HISTREE_ROOT, path, &again) != HISTREE_OK || again != quark)
			found = "a path leads to another attribute";
		size_t size = histree_attributes_name(attributes, quark, name, sizeof(name));
		if (histree_attributes_child(attributes, parent, name, size, &again) != HISTREE_OK ||
		    again != quark)
			found = "a name leads to another attribute";
		size_t host = histree_history_host_of(made->history, quark), hosts;
		const struct histree_history_host *list = histree_history_hosts(made->history, &hosts);
		if (host >= hosts || quark < list[host].folder || quark > list[host].folder + list[host].count ||
		    (quark == list[host].folder) != (parent == HISTREE_ROOT))
			found = "an attribute of another host";
	}
	for (size_t i = 0; i < sizeof(patterns) / sizeof(*patterns) && found == NULL; i++) {
		named = (struct named){ attributes, patterns[i], calloc(count, 1) };
		assert_non_null(named.matches);
		if (histree_attributes_match(attributes, HISTREE_ROOT, patterns[i], keep_match, &named, NULL) < 0)
			found = "a pattern could not be asked for";
		for (histree_quark quark = 0; quark < count; quark++) {
			histree_attributes_path(attributes, quark, path, sizeof(path));
			/* An escaped '/' is no end of a level. */
			for (char *at = strstr(path, "\\/"); at != NULL; at = strstr(at, "\\/"))
				at[1] = '|';
			if (named.matches[quark] != matches(patterns[i], path))
				found = "a pattern finds other attributes than a walk";
		}
		free(named.matches);
	}
	return found;
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
	histree_cursor_free(filtered.query);
	return found != NULL ? fault : NULL;
}

static void answers_as_all_intervals(const void *kind, uint64_t seed)
{
	static const size_t caches[] = { 0, 1, 100 << 10, 1 << 20 };
	for (unsigned i = 0; i < test_effort(8, 2); i++) {
		char path[64], fault[512];
		struct union_history made;
		snprintf(path, sizeof(path), "property_union.%ld.sht", (long)getpid());
		const struct union_wishes wishes = { .kind = kind,
						     .seed = seed * 8 + i,
						     .path = path,
						     .cache_bytes = caches[i % 4],
						     .may_miss = i % 2 == 1,
						     .may_lend = (seed + i) % 2 == 0 };
		const char *found = union_history_make(&made, &wishes, fault) ? NULL : fault;
		for (unsigned threads = 1; threads <= 3 && found == NULL; threads += 2)
			found = check_queries(&made, threads, seed + threads, fault);
		if (found == NULL)
			found = check_order(&made, seed);
		if (found == NULL)
			found = check_names(&made);
		if (found == NULL && made.missing_count == 0)
			found = history_compare(made.history, &made.reference, seed, QUESTIONS / 4, fault);
		if (found != NULL)
			print_error("union %u of %zu hosts, %zu of them missing: %s\n", i, made.host_count,
				    made.missing_count, found);
		union_history_release(&made);
		assert_null(found);
	}
}

PROPERTIES({ KINDS(workload_kinds), .rounds = 1, .check = answers_as_all_intervals })
