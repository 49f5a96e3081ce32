// SPDX-License-Identifier: MIT
#include "kill_store.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void kill_store_wrong(struct kill_store *store, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	fputs("WRONG: ", stderr);
	vfprintf(stderr, format, arguments);
	fputc('\n', stderr);
	va_end(arguments);
	store->wrong++;
}

/* ---- a look ---------------------------------------------------------------------------------------------- */

static void see_end(struct kill_store *store, const struct histree_history_info *info)
{
	if (info->end < store->end)
		kill_store_wrong(store, "the end went back from %" PRId64 " to %" PRId64, store->end, info->end);
	store->end = info->end;
	if (info->start != store->truth->start)
		kill_store_wrong(store, "the history begins at %" PRId64, info->start);
}

static void ask_once(struct kill_store *store, struct histree_history *history)
{
	const struct histree_history_info *info = histree_history_info(history);
	uint32_t count =
		info->attribute_count < store->truth->key_count ? info->attribute_count : store->truth->key_count;
	histree_quark quark = random_index(&store->random, count);
	histree_time at =
		info->start + (histree_time)random_below(&store->random, (uint64_t)(info->end - info->start) + 1);
	struct histree_cursor *query;
	struct histree_interval interval;
	struct histree_error error;
	const struct histree_region region = { .from = at, .to = at, .quarks = &quark, .quark_count = 1 };
	if (histree_query_create(history, &query, &error) != HISTREE_OK)
		give_up("%s", error.message);
	enum histree_status status = histree_query_start(query, &region, &error);
	if (status == HISTREE_OK) {
		status = histree_cursor_next(query, &error);
		if (status == HISTREE_OK)
			interval = *histree_cursor_interval(query);
	}
	const struct histree_interval *expected = truth_at(store->truth, quark, at);
	if (status != HISTREE_OK)
		kill_store_wrong(store, "no answer: %s", error.message);
	else if (interval.start != expected->start || !histree_value_equal(&interval.value, &expected->value))
		kill_store_wrong(store, "'%s' has another state at %" PRId64, store->truth->paths[quark], at);
	histree_cursor_free(query);
}

/* Returns NULL if there is none; that is wrong once there was one. */
static struct histree_history *open_history(struct kill_store *store)
{
	struct histree_store *opened;
	struct histree_history *history = NULL;
	struct histree_error error = { 0 };
	char manifest[160];
	snprintf(manifest, sizeof(manifest), "%s/manifest.json", store->building);
	/* Before: a build that runs may publish its first part in between. */
	bool was_there = store->end != INT64_MIN || access(manifest, F_OK) == 0;
	enum histree_status status = histree_store_open(store->path, &opened, &error);
	if (status == HISTREE_OK) {
		store->complete = histree_store_info(opened)->complete;
		status = histree_store_history(opened, NULL, false, NULL, &history, &error);
		histree_store_close(opened);
	}
	if (status != HISTREE_OK && was_there)
		kill_store_wrong(store, "it does not open: %s", error.message);
	return history;
}

void kill_store_look(struct kill_store *store)
{
	struct histree_history *history = open_history(store);
	if (history == NULL)
		return;
	store->looks++;
	see_end(store, histree_history_info(history));
	ask_once(store, history);
	histree_history_close(history);
}

/* ---- everything ------------------------------------------------------------------------------------------ */

static bool check_names(struct kill_store *store, const struct histree_attributes *attributes)
{
	const struct truth *truth = store->truth;
	uint32_t count = histree_attributes_count(attributes);
	for (histree_quark quark = 0; quark < count; quark++) {
		char *path = truth_path(attributes, quark);
		bool same = quark < truth->key_count && strcmp(path, truth->paths[quark]) == 0;
		if (!same)
			kill_store_wrong(store, "attribute %u is '%s'", quark, path);
		free(path);
		if (!same)
			return false;
	}
	return true;
}

/*
 * How many intervals the truth has up to `end`.  Attributes that are not known yet must be null, or have one state
 * from the beginning to after `end`: of a system call that was under way when the trace began only its exit tells.
 */
static uint64_t count_expected(struct kill_store *store, uint32_t key_count, histree_time end)
{
	const struct truth *truth = store->truth;
	uint64_t count = 0;
	for (histree_quark quark = 0; quark < truth->key_count; quark++) {
		size_t first = truth->first[quark], stop = truth->first[quark + 1];
		for (size_t at = first; at < stop && truth->intervals[at].start <= end; at++) {
			if (quark < key_count)
				count++;
			else if (truth->intervals[at].value.type != HISTREE_NULL &&
				 (at != first || truth->intervals[at].end <= end))
				kill_store_wrong(store, "attribute %u is missing at %" PRId64, quark, end);
		}
	}
	return count;
}

static void check_intervals(struct kill_store *store, struct histree_history *history)
{
	const struct histree_history_info *info = histree_history_info(history);
	struct histree_cursor *query = truth_ask_all(history);
	struct histree_interval interval;
	struct histree_error error = { 0 };
	enum histree_status status;
	uint64_t count = 0;
	while ((status = histree_cursor_next(query, &error)) == HISTREE_OK) {
		interval = *histree_cursor_interval(query);
		const struct histree_interval *expected = truth_find(store->truth, &interval);
		count++;
		if (expected != NULL && histree_value_equal(&expected->value, &interval.value) &&
		    interval.end == (expected->end < info->end ? expected->end : info->end))
			continue;
		kill_store_wrong(store, "'%s' has a state from %" PRId64 " to %" PRId64 " of another end or value",
				 store->truth->paths[interval.quark], interval.start, interval.end);
		break;
	}
	if (status < 0)
		kill_store_wrong(store, "%s", error.message);
	else if (status == HISTREE_END && count != count_expected(store, info->attribute_count, info->end))
		kill_store_wrong(store, "%" PRIu64 " intervals up to %" PRId64, count, info->end);
	store->intervals += count;
	histree_cursor_free(query);
}

static void take_fault(void *context, const char *fault)
{
	kill_store_wrong(context, "verify: %s", fault);
}

bool kill_store_check(struct kill_store *store)
{
	struct histree_history *history = open_history(store);
	struct histree_error error = { 0 };
	if (history == NULL)
		return false;
	store->opened++;
	see_end(store, histree_history_info(history));
	enum histree_status status = histree_history_verify(history, take_fault, store, &error);
	if (status < 0)
		kill_store_wrong(store, "verify: %s", error.message);
	if (status == HISTREE_OK && check_names(store, histree_history_attributes(history)))
		check_intervals(store, history);
	histree_history_close(history);
	return true;
}
