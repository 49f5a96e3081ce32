// SPDX-License-Identifier: MIT
#include "support/workload.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/table.h"
#include "base/hash_index.h"

const struct workload_kind workload_kinds[] = {
	{ "few long, many short", 60, 2500, 1000, 900, 10, CHOOSE_FEW, 0, 0 },
	{ "any attribute", 300, 2500, 0, 50, 30, CHOOSE_ANY, 0, 0 },
	{ "ties", 40, 2500, 1, 7, 95, CHOOSE_ANY, 0, 0 },
	{ "a giant", 50, 2500, 0, 3, 0, CHOOSE_FIRST, 0, 0 },
	{ "many attributes", 2000, 2500, 0, 100, 20, CHOOSE_ANY, 0, 0 },
	{ "late attributes", 800, 2500, 5000, 1000, 20, CHOOSE_LATE, 0, 0 },
	{ "long texts", 30, 700, 0, 1000, 20, CHOOSE_ANY, 1900, 0 },
	{ "negative times", 80, 2000, -1000000, 1000, 20, CHOOSE_FEW, 40, 0 },
	{ "all of time", 80, 1500, INT64_MIN, UINT64_C(1) << 53, 20, CHOOSE_FEW, 40, 0 },
	{ "out of order", 60, 2500, 0, 900, 20, CHOOSE_FEW, 40, 12 },
	{ "one moment", 200, 300, 77, 0, 0, CHOOSE_ANY, 40, 0 },
	{ "no changes", 500, 0, -3, 9, 0, CHOOSE_ANY, 0, 0 },
	{ "no attributes", 0, 0, 5, 1000, 0, CHOOSE_ANY, 0, 0 },
	{ NULL, 0, 0, 0, 0, 0, CHOOSE_ANY, 0, 0 },
};

/* ---- making ------------------------------------------------------------------------------------------ */

static bool make_text(struct workload *workload, struct random *random, uint32_t size_max, enum histree_type type,
		      struct histree_value *out)
{
	uint32_t size = (uint32_t)random_below(random, 20);
	if (size_max > 0 && random_percent(random, 10))
		size = size_max - (uint32_t)random_below(random, size_max < 4 ? 1 : 4);
	char *text = arena_allocate(&workload->bytes, size > 0 ? size : 1, 1);
	if (text == NULL)
		return false;
	for (uint32_t i = 0; i < size; i++)
		text[i] = (char)('a' + random_below(random, 26));
	*out = (struct histree_value){ .type = type, .size = size, .bytes = text };
	return true;
}

/* The type of an attribute never changes (state_system.h). */
static bool make_value(struct workload *workload, struct random *random, const struct workload_kind *kind,
		       histree_quark quark, struct histree_value *out)
{
	static const int32_t ints[] = { 0, -1, 1, INT32_MIN, INT32_MAX };
	static const int64_t longs[] = { 0, -1, INT64_MIN, INT64_MAX, INT64_C(1) << 40 };
	const double doubles[] = { 0.0, -0.0, (double)NAN, (double)INFINITY, 1e-300 };
	enum histree_type type = (enum histree_type)(HISTREE_INT + quark % HISTREE_CUSTOM);
	uint64_t edge = random_below(random, 40); /* below 5: a value at the edge of its type */
	*out = histree_null();
	if (random_percent(random, 10))
		return true;
	if (random_percent(random, 3)) {
		*out = histree_unknown();
		return true;
	}
	switch (type) {
	case HISTREE_INT:
		*out = histree_int(edge < 5 ? ints[edge] : (int32_t)random_below(random, 5000));
		return true;
	case HISTREE_LONG:
		*out = histree_long(edge < 5 ? longs[edge] : (int64_t)random_bits(random) >> (edge % 60));
		return true;
	case HISTREE_DOUBLE:
		*out = histree_double(edge < 5 ? doubles[edge] : (double)random_below(random, 1000) / 7);
		return true;
	case HISTREE_BOOL:
		*out = histree_bool(random_percent(random, 50));
		return true;
	case HISTREE_NULL:
	case HISTREE_UNKNOWN:
	case HISTREE_STRING:
	case HISTREE_CUSTOM:
		break;
	}
	return make_text(workload, random, kind->text_size_max, type, out);
}

static histree_quark choose_quark(struct random *random, const struct workload_kind *kind, size_t step)
{
	uint32_t keys = kind->key_count, few = (keys + 9) / 10;
	switch (kind->choice) {
	case CHOOSE_ANY:
		break;
	case CHOOSE_FEW:
		if (random_percent(random, 95))
			return (histree_quark)(random_below(random, few) * keys / few);
		break;
	case CHOOSE_FIRST:
		if (!random_percent(random, 5))
			return 0;
		break;
	case CHOOSE_LATE:
		keys = (uint32_t)((step + 1) * keys / kind->changes);
		return keys == 0 ? 0 : keys - 1 - (histree_quark)random_below(random, keys < 30 ? keys : 30);
	}
	return (histree_quark)random_below(random, keys);
}

bool workload_make(struct workload *workload, const struct workload_kind *kind, uint64_t seed)
{
	*workload = (struct workload){
		.start = kind->start, .key_count = kind->key_count, .disorder = kind->disorder, .seed = seed
	};
	struct random random = { seed };
	workload->changes = calloc(kind->changes + 1, sizeof(*workload->changes));
	if (workload->changes == NULL)
		return false;
	histree_time now = kind->start;
	for (size_t step = 0; step < kind->changes; step++) {
		if (kind->step_max > 0 && !random_percent(&random, kind->tie_percent))
			now += (histree_time)random_below(&random, kind->step_max);
		struct change *change = &workload->changes[workload->count++];
		change->at = now;
		change->quark = choose_quark(&random, kind, step);
		if (!make_value(workload, &random, kind, change->quark, &change->value)) {
			workload_release(workload);
			return false;
		}
	}
	workload->end = now;
	if (kind->step_max > 0 && random_percent(&random, 50))
		workload->end += (histree_time)random_below(&random, kind->step_max);
	return true;
}

void workload_release(struct workload *workload)
{
	free(workload->changes);
	arena_release(&workload->bytes);
	*workload = (struct workload){ 0 };
}

/* ---- intervals ----------------------------------------------------------------------------------------- */

struct ongoing {
	histree_time since;
	struct histree_value value;
};

/* Swap neighbours at random: none moves further than the disorder, most much less. */
static void put_out_of_order(const struct workload *workload, struct histree_interval *intervals, size_t count)
{
	struct random random = { workload->seed ^ 1 };
	for (size_t i = 0; i + workload->disorder < count; i++) {
		size_t other = i + (size_t)random_below(&random, workload->disorder);
		struct histree_interval kept = intervals[i];
		intervals[i] = intervals[other];
		intervals[other] = kept;
	}
}

struct histree_interval *workload_intervals(const struct workload *workload, size_t *count)
{
	/* Each change ends one interval at most, and the end of the history one an attribute. */
	struct histree_interval *intervals = calloc(workload->count + workload->key_count + 1, sizeof(*intervals));
	struct ongoing *ongoing = calloc((size_t)workload->key_count + 1, sizeof(*ongoing));
	*count = 0;
	if (intervals == NULL || ongoing == NULL) {
		free(intervals);
		free(ongoing);
		return NULL;
	}
	for (uint32_t quark = 0; quark < workload->key_count; quark++)
		ongoing[quark] = (struct ongoing){ .since = workload->start, .value = histree_null() };
	for (size_t i = 0; i < workload->count; i++) {
		const struct change *change = &workload->changes[i];
		struct ongoing *state = &ongoing[change->quark];
		if (histree_value_equal(&state->value, &change->value))
			continue;
		if (change->at > state->since)
			intervals[(*count)++] = (struct histree_interval){ .start = state->since,
									   .end = change->at - 1,
									   .quark = change->quark,
									   .value = state->value };
		*state = (struct ongoing){ .since = change->at, .value = change->value };
	}
	for (uint32_t quark = 0; quark < workload->key_count; quark++)
		intervals[(*count)++] = (struct histree_interval){ .start = ongoing[quark].since,
								   .end = workload->end,
								   .quark = quark,
								   .value = ongoing[quark].value };
	free(ongoing);
	if (workload->disorder > 0)
		put_out_of_order(workload, intervals, *count);
	return intervals;
}

void workload_print(const struct workload *workload)
{
	fprintf(stderr, "workload: from %lld to %lld, %u attributes, disorder %zu, %zu changes\n",
		(long long)workload->start, (long long)workload->end, workload->key_count, workload->disorder,
		workload->count);
	for (size_t i = 0; i < workload->count && i < 200; i++) {
		const struct change *change = &workload->changes[i];
		fprintf(stderr, "\tat %lld: attribute %u = %s, %u bytes\n", (long long)change->at, change->quark,
			histree_type_name(change->value.type), change->value.size);
	}
}
