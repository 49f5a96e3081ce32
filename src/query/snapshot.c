// SPDX-License-Identifier: MIT
/*
 * snapshot.c - all states at one time, by one full query, kept by quark; and a new state system that begins with
 * them.
 */
#include "histree/states.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/error.h"
#include "item/value.h"

struct histree_snapshot {
	const struct histree_attributes *attributes; /* of the history */
	histree_time time;
	struct histree_interval *intervals; /* by quark */
	uint32_t count;
	struct intern texts; /* the bytes of the values */
};

static enum histree_status keep(struct histree_snapshot *snapshot, const struct histree_interval *interval,
				struct histree_error *error)
{
	assert(interval->quark < snapshot->count);
	assert(interval->start <= snapshot->time && interval->end >= snapshot->time);
	struct histree_interval *kept = &snapshot->intervals[interval->quark];
	*kept = *interval;
	return value_keep_once(&kept->value, &snapshot->texts) ? HISTREE_OK : error_memory(error, "a snapshot");
}

static enum histree_status snapshot_fill(struct histree_snapshot *snapshot, struct histree_cursor *query,
					 struct histree_error *error)
{
	const struct histree_region region = { .from = snapshot->time, .to = snapshot->time };
	struct histree_interval interval;
	uint32_t found = 0;
	enum histree_status status = histree_query_start(query, &region, error);
	while (status == HISTREE_OK && (status = histree_cursor_next(query, error)) == HISTREE_OK) {
		interval = *histree_cursor_interval(query);
		status = keep(snapshot, &interval, error);
		found++;
	}
	if (status == HISTREE_END && found != snapshot->count)
		return error_set(error, HISTREE_ERR_FORMAT,
				 "%" PRIu32 " of %" PRIu32 " attributes have a state at %" PRId64
				 ": verify the history",
				 found, snapshot->count, snapshot->time);
	return status == HISTREE_END ? HISTREE_OK : status;
}

enum histree_status histree_snapshot_take(struct histree_history *history, histree_time t,
					  struct histree_snapshot **out, struct histree_error *error)
{
	struct histree_cursor *query = NULL;
	*out = NULL;
	struct histree_snapshot *snapshot = calloc(1, sizeof(*snapshot));
	if (snapshot == NULL)
		return error_memory(error, "a snapshot");
	snapshot->attributes = histree_history_attributes(history);
	snapshot->count = histree_history_info(history)->attribute_count;
	snapshot->time = t;
	enum histree_status status = histree_query_create(history, &query, error);
	snapshot->intervals = calloc((size_t)snapshot->count + 1, sizeof(*snapshot->intervals));
	if (status == HISTREE_OK && snapshot->intervals == NULL)
		status = error_memory(error, "a snapshot");
	if (status == HISTREE_OK)
		status = snapshot_fill(snapshot, query, error);
	histree_cursor_free(query);
	if (status != HISTREE_OK) {
		histree_snapshot_free(snapshot);
		return status;
	}
	*out = snapshot;
	return HISTREE_OK;
}

histree_time histree_snapshot_time(const struct histree_snapshot *snapshot)
{
	return snapshot->time;
}

const struct histree_interval *histree_snapshot_interval(const struct histree_snapshot *snapshot,
							 histree_quark quark)
{
	return quark < snapshot->count ? &snapshot->intervals[quark] : NULL;
}

/* Parents have smaller quarks than their children, so in the order of quarks each finds its parent. */
static enum histree_status restore_one(const struct histree_snapshot *snapshot, histree_quark quark,
				       struct histree_state_system *system, struct histree_error *error)
{
	char small[256], *name = small;
	size_t size = histree_attributes_name(snapshot->attributes, quark, small, sizeof(small));
	if (size >= sizeof(small)) {
		name = malloc(size + 1);
		if (name == NULL)
			return error_memory(error, "a name");
		histree_attributes_name(snapshot->attributes, quark, name, size + 1);
	}
	histree_quark made, parent = histree_attributes_parent(snapshot->attributes, quark);
	enum histree_status status = histree_state_child(system, parent, name, size, &made, error);
	if (name != small)
		free(name);
	if (status == HISTREE_OK && made != quark)
		return error_set(error, HISTREE_ERR_FORMAT, "two attributes of the snapshot have one name");
	if (status == HISTREE_OK && histree_attributes_is_folder(snapshot->attributes, quark))
		return histree_state_folder(system, quark, error);
	return status == HISTREE_OK ? histree_state_modify(system, histree_state_start(system), quark,
							   snapshot->intervals[quark].value, error)
				    : status;
}

enum histree_status histree_snapshot_restore(const struct histree_snapshot *snapshot,
					     struct histree_state_system *system, struct histree_error *error)
{
	if (histree_attributes_count(histree_state_attributes(system)) > 0)
		return error_set(
			error, HISTREE_ERR_ARGUMENT,
			"the state system has attributes already; a snapshot is what a history begins with");
	enum histree_status status = HISTREE_OK;
	for (histree_quark quark = 0; quark < snapshot->count && status == HISTREE_OK; quark++)
		status = restore_one(snapshot, quark, system, error);
	return status;
}

void histree_snapshot_free(struct histree_snapshot *snapshot)
{
	if (snapshot == NULL)
		return;
	intern_release(&snapshot->texts);
	free(snapshot->intervals);
	free(snapshot);
}
