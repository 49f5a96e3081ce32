// SPDX-License-Identifier: MIT
/*
 * property_lookup.c - what states.h and states.h make of queries, compared with a search through an array of all
 * intervals.
 */
#include "driver.h"
#include "history_case.h"
#include "histree/states.h"
#include "support/history_subject.h"
#include "support/test.h"

enum { QUESTIONS = 30 };

struct lookup_case {
	struct history_case base;
	char cut_path[64];
};

static bool is_same(const struct histree_interval *a, const struct histree_interval *b)
{
	return a->quark == b->quark && a->start == b->start && a->end == b->end &&
	       histree_value_equal(&a->value, &b->value);
}

static histree_time some_time(const struct reference *reference, struct random *random)
{
	const struct histree_interval *some = &reference->sorted[random_below(random, reference->count)];
	return random_percent(random, 50) ? some->start : some->end;
}

static void some_range(const struct reference *reference, struct random *random, histree_time *from,
		       histree_time *to)
{
	histree_time a = some_time(reference, random), b = some_time(reference, random);
	*from = a < b ? a : b;
	*to = a < b ? b : a;
}

/* ---- the first value ---------------------------------------------------------------------------------- */

static const char *check_first_value(struct histree_cursor *query, const struct reference *reference,
				     struct random *random)
{
	histree_time from, to;
	some_range(reference, random, &from, &to);
	histree_quark quark = (histree_quark)random_below(random, reference->key_count);
	const struct histree_interval *expected = NULL;
	for (size_t i = 0; i < reference->count && expected == NULL; i++) {
		const struct histree_interval *each = &reference->sorted[i];
		if (each->quark == quark && each->start <= to && each->end >= from &&
		    each->value.type != HISTREE_NULL)
			expected = each;
	}
	struct histree_interval found;
	enum histree_status status = histree_lookup_first_value(query, quark, from, to, &found, NULL);
	if (expected == NULL)
		return status == HISTREE_NOT_FOUND ? NULL : "a first value where there is none";
	return status == HISTREE_OK && is_same(&found, expected) ? NULL : "another first value";
}

/* ---- numbers ------------------------------------------------------------------------------------------- */

static double as_real(const struct histree_value *value)
{
	if (value->type == HISTREE_DOUBLE)
		return value->real;
	return value->type == HISTREE_INT ? value->int32 : (double)value->int64;
}

static bool has_number(const struct histree_value *value)
{
	return value->type == HISTREE_INT || value->type == HISTREE_LONG ||
	       (value->type == HISTREE_DOUBLE && value->real == value->real);
}

struct plain_numbers {
	uint64_t states, number_ns, unknown_ns, other_ns;
	double min, max, sum;
};

static void add_plain(struct plain_numbers *plain, const struct histree_interval *interval, histree_time from,
		      histree_time to)
{
	histree_time start = interval->start < from ? from : interval->start;
	histree_time end = interval->end > to ? to : interval->end;
	uint64_t ns = (uint64_t)(end - start) + 1;
	if (interval->value.type == HISTREE_UNKNOWN) {
		plain->unknown_ns += ns;
	} else if (!has_number(&interval->value)) {
		plain->other_ns += ns;
	} else {
		double number = as_real(&interval->value);
		plain->min = plain->states == 0 || number < plain->min ? number : plain->min;
		plain->max = plain->states == 0 || number > plain->max ? number : plain->max;
		plain->sum += number * (double)ns;
		plain->number_ns += ns;
		plain->states++;
	}
}

/* Sums of doubles depend on their order, and infinities have no mean. */
static bool is_about(double found, double expected, const struct plain_numbers *plain)
{
	double scale = (plain->max > -plain->min ? plain->max : -plain->min) + 1e-300;
	if (!(scale < 1e300))
		return true;
	double off = found - expected;
	return off <= 1e-9 * scale && off >= -1e-9 * scale;
}

static const char *check_numbers(struct histree_cursor *query, const struct reference *reference,
				 struct random *random)
{
	histree_time from, to;
	some_range(reference, random, &from, &to);
	histree_quark quark = (histree_quark)random_below(random, reference->key_count);
	struct plain_numbers plain = { 0 };
	for (size_t i = 0; i < reference->count; i++) {
		const struct histree_interval *each = &reference->sorted[i];
		if (each->quark == quark && each->start <= to && each->end >= from)
			add_plain(&plain, each, from, to);
	}
	struct histree_numbers found;
	if (histree_lookup_numbers(query, quark, from, to, &found, NULL) != HISTREE_OK)
		return "numbers could not be asked for";
	if (found.states != plain.states || found.number_ns != plain.number_ns ||
	    found.unknown_ns != plain.unknown_ns || found.other_ns != plain.other_ns)
		return "another count or time of numbers";
	if (plain.states == 0)
		return found.min.type == HISTREE_NULL && found.max.type == HISTREE_NULL && found.mean == 0
			       ? NULL
			       : "numbers where there are none";
	if (as_real(&found.min) != plain.min || as_real(&found.max) != plain.max)
		return "another least or greatest number";
	return is_about(found.mean, plain.sum / (double)plain.number_ns, &plain) ? NULL : "another mean";
}

/* ---- changes ------------------------------------------------------------------------------------------- */

struct wanted_changes {
	const struct histree_interval **list;
	size_t count;
	bool backwards;
};

static int by_time(const void *one, const void *other)
{
	const struct histree_interval *a = *(const struct histree_interval *const *)one;
	const struct histree_interval *b = *(const struct histree_interval *const *)other;
	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return a->quark < b->quark ? -1 : 1;
}

static bool is_among(histree_quark quark, const struct histree_changes_region *region)
{
	for (size_t i = 0; region->quarks != NULL && i < region->quark_count; i++)
		if (region->quarks[i] == quark)
			return true;
	return region->quarks == NULL;
}

/* Those of a region, forwards. */
static bool list_changes(const struct reference *reference, const struct histree_changes_region *region,
			 struct wanted_changes *out)
{
	*out = (struct wanted_changes){ .list = malloc((reference->count + 1) * sizeof(*out->list)) };
	for (size_t i = 0; out->list != NULL && i < reference->count; i++) {
		const struct histree_interval *each = &reference->sorted[i];
		if (each->start >= region->from && each->start <= region->to && is_among(each->quark, region))
			out->list[out->count++] = each;
	}
	if (out->list != NULL)
		qsort(out->list, out->count, sizeof(*out->list), by_time);
	return out->list != NULL;
}

static const char *compare_changes(struct histree_cursor *changes, const struct wanted_changes *wanted,
				   bool backwards, size_t most)
{
	struct histree_change change;
	enum histree_status status = HISTREE_OK;
	size_t low = 0, high = wanted->count;
	while (most-- > 0 && (status = histree_cursor_next(changes, NULL)) == HISTREE_OK) {
		change = *histree_cursor_change(changes);
		/* The wanted ones of one time, from either end. */
		if (low == high)
			return "a change too many";
		size_t first = low, last = high;
		if (backwards)
			for (first = high;
			     first > low && wanted->list[first - 1]->start == wanted->list[high - 1]->start;)
				first--;
		else
			for (last = low; last < high && wanted->list[last]->start == wanted->list[low]->start;)
				last++;
		if (change.count != last - first || change.time != wanted->list[first]->start)
			return "a change at another time, or of other attributes";
		for (size_t i = 0; i < change.count; i++)
			if (!is_same(&change.intervals[i], wanted->list[first + i]))
				return "a change to another state";
		low = backwards ? low : last;
		high = backwards ? first : high;
	}
	return status < 0 || (status == HISTREE_END && low != high) ? "changes are missing" : NULL;
}

static const char *check_changes(struct histree_cursor *changes, const struct reference *reference,
				 struct random *random)
{
	struct region_room room;
	struct wanted_changes wanted;
	struct histree_region some = reference_region(reference, random, &room);
	struct histree_changes_region region = { .quarks = some.quarks,
						 .quark_count = some.quark_count,
						 .backwards = random_percent(random, 50) };
	some_range(reference, random, &region.from, &region.to);
	if (random_percent(random, 20))
		region.from = reference->start, region.to = reference->end;
	if (!list_changes(reference, &region, &wanted))
		return "out of memory";
	const char *fault = "changes could not be asked for";
	size_t most = random_percent(random, 20) ? 3 : SIZE_MAX;
	if (histree_changes_start(changes, &region, NULL) == HISTREE_OK)
		fault = compare_changes(changes, &wanted, region.backwards, most);
	free(wanted.list);
	return fault;
}

/* ---- snapshots ----------------------------------------------------------------------------------------- */

static const char *check_snapshot(const struct histree_snapshot *snapshot, const struct reference *reference)
{
	for (histree_quark quark = 0; quark < reference->key_count; quark++) {
		const struct histree_interval *found = histree_snapshot_interval(snapshot, quark);
		const struct histree_interval *expected =
			reference_at(reference, quark, histree_snapshot_time(snapshot));
		if (found == NULL || expected == NULL || !is_same(found, expected))
			return "another state in a snapshot";
	}
	return histree_snapshot_interval(snapshot, reference->key_count) == NULL
		       ? NULL
		       : "a snapshot of an attribute that there is not";
}

/*
 * A change to a state, also to one that is equal to the one before: what replaces a state at its start is not
 * merged with what was there before.
 */
static enum histree_status begin_state(struct histree_state_system *system, const struct histree_interval *state,
				       struct histree_error *error)
{
	struct histree_value other = state->value.type == HISTREE_NULL ? histree_unknown() : histree_null();
	enum histree_status status = histree_state_modify(system, state->start, state->quark, other, error);
	if (status == HISTREE_OK)
		status = histree_state_modify(system, state->start, state->quark, state->value, error);
	return status;
}

/* Make what the reference says after `t` the changes of a system that begins there. */
static enum histree_status go_on(struct histree_state_system *system, const struct reference *reference,
				 histree_time t, struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	for (size_t i = 0; i < reference->count && status == HISTREE_OK; i++)
		if (reference->sorted[i].start > t)
			status = begin_state(system, &reference->sorted[i], error);
	return status == HISTREE_OK ? histree_state_close(system, reference->end, error) : status;
}

/* The second half of a history, cut at the time of the snapshot, as a reference. */
static bool cut_reference(const struct reference *whole, histree_time t, struct reference *out)
{
	struct histree_interval *intervals = malloc((whole->count + 1) * sizeof(*intervals));
	size_t count = 0;
	for (size_t i = 0; intervals != NULL && i < whole->count; i++)
		if (whole->sorted[i].end >= t) {
			intervals[count] = whole->sorted[i];
			if (intervals[count].start < t)
				intervals[count].start = t;
			count++;
		}
	bool made = intervals != NULL && reference_make(out, intervals, count, t, whole->end, whole->key_count);
	free(intervals);
	return made;
}

/* A history that begins with a snapshot and goes on with the later changes is the later part of the whole. */
static const char *check_restored(struct lookup_case *test, const struct histree_snapshot *snapshot,
				  const struct reference *whole)
{
	const struct histree_history_options options = { .path = test->cut_path,
							 .start = histree_snapshot_time(snapshot),
							 .tree = test->base.options };
	struct histree_state_system *system = NULL;
	struct histree_history *history = NULL;
	struct reference later = { 0 };
	struct histree_error error = { 0 };
	const char *fault = NULL;
	unlink(test->cut_path);
	enum histree_status status = histree_state_create(&options, &system, &error);
	if (status == HISTREE_OK)
		status = histree_snapshot_restore(snapshot, system, &error);
	if (status == HISTREE_OK && histree_snapshot_restore(snapshot, system, NULL) != HISTREE_ERR_ARGUMENT)
		fault = "a snapshot was restored twice";
	if (status == HISTREE_OK)
		status = go_on(system, whole, options.start, &error);
	if (system != NULL)
		histree_state_free(system);
	if (status == HISTREE_OK)
		status = histree_history_open(test->cut_path, NULL, &history, &error);
	if (status != HISTREE_OK) {
		snprintf(test->base.fault, sizeof(test->base.fault), "a restored history: %s", error.message);
		fault = test->base.fault;
	} else if (fault == NULL) {
		fault = cut_reference(whole, options.start, &later)
				? history_compare(history, &later, test->base.seed, QUESTIONS / 3, test->base.fault)
				: "out of memory";
	}
	histree_history_close(history);
	reference_release(&later);
	unlink(test->cut_path);
	return fault;
}

static const char *check_snapshots(struct lookup_case *test, struct histree_history *history,
				   const struct reference *reference, struct random *random)
{
	const char *fault = NULL;
	for (int i = 0; i < 2 && fault == NULL; i++) {
		struct histree_snapshot *snapshot;
		if (histree_snapshot_take(history, some_time(reference, random), &snapshot, NULL) != HISTREE_OK)
			return "a snapshot could not be taken";
		fault = check_snapshot(snapshot, reference);
		if (fault == NULL)
			fault = check_restored(test, snapshot, reference);
		histree_snapshot_free(snapshot);
	}
	return fault;
}

/* ---- the property -------------------------------------------------------------------------------------- */

static const char *check_history(struct history_case *base, struct histree_history *history,
				 const struct reference *reference)
{
	struct lookup_case *test = (struct lookup_case *)base;
	struct random random = { test->base.seed };
	struct histree_cursor *query = NULL;
	struct histree_cursor *changes = NULL;
	const char *fault = NULL;
	if (reference->count == 0)
		return NULL;
	if (histree_query_create(history, &query, NULL) != HISTREE_OK ||
	    histree_changes_create(history, &changes, NULL) != HISTREE_OK)
		fault = "out of memory";
	for (int i = 0; i < QUESTIONS && fault == NULL; i++) {
		fault = check_first_value(query, reference, &random);
		if (fault == NULL)
			fault = check_numbers(query, reference, &random);
		if (fault == NULL)
			fault = check_changes(changes, reference, &random);
	}
	if (fault == NULL)
		fault = check_snapshots(test, history, reference, &random);
	histree_cursor_free(changes);
	histree_cursor_free(query);
	return fault;
}

static void make_case(struct lookup_case *test, const char *variant, uint64_t seed)
{
	*test = (struct lookup_case){
		.base = { .check = check_history,
			  .options = { .variant = variant, .node_size = 64 << 10, .fan_out = 7 },
			  .seed = seed }
	};
	snprintf(test->cut_path, sizeof(test->cut_path), "property_lookup.%ld.cut.sht", (long)getpid());
}

static void looks_up_what_intervals_say(const void *chosen, uint64_t seed)
{
	const struct workload_kind *kind = chosen;
	static const char *const variants[] = { "cluster", "esht", "rsht" };
	struct workload workload;
	assert_true(workload_make(&workload, kind, seed));
	for (size_t i = 0; i < sizeof(variants) / sizeof(*variants); i++) {
		struct lookup_case test;
		make_case(&test, variants[i], seed);
		history_case_check(&test.base, "lookup", &workload, kind->name);
	}
	workload_release(&workload);
}

static void looks_up_what_intervals_of_hosts_say(const void *kind, uint64_t seed)
{
	struct lookup_case test;
	make_case(&test, "cluster", seed);
	history_case_check_union(&test.base, "lookup", kind);
}

PROPERTIES({ KINDS(workload_kinds), .rounds = 1, .check = looks_up_what_intervals_say },
	   { KINDS(workload_kinds), .rounds = 1, .check = looks_up_what_intervals_of_hosts_say })
