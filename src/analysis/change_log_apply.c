// SPDX-License-Identifier: MIT
/*
 * change_log_apply.c - the changes of a slice, done in the true system.
 */
#include <stdlib.h>
#include <string.h>

#include "analysis/change_log.h"
#include "analysis/logged_change.h"
#include "base/error.h"
#include "state/state_resume.h"
#include "state/state_system.h"

enum { INTERVALS_AT_ONCE = 128 };

static struct histree_value value_of(const struct change_log *log, const struct logged_change *change)
{
	struct histree_value value = { .type = (enum histree_type)change->type };
	size_t size;
	switch (value.type) {
	case HISTREE_NULL:
	case HISTREE_UNKNOWN:
		break;
	case HISTREE_INT:
		value.int32 = (int32_t)change->bits;
		break;
	case HISTREE_LONG:
		value.int64 = (int64_t)change->bits;
		break;
	case HISTREE_DOUBLE:
		memcpy(&value.real, &change->bits, sizeof(value.real));
		break;
	case HISTREE_BOOL:
		value.boolean = change->bits != 0;
		break;
	case HISTREE_STRING:
	case HISTREE_CUSTOM:
		value.bytes = intern_get(&log->texts, (uint32_t)change->bits, &size);
		value.size = (uint32_t)size;
		break;
	}
	return value;
}

/* Returns the name of an attribute of the slice, and its parent there. */
static struct attribute_name name_of(const struct change_log *log, histree_quark quark, histree_quark *parent)
{
	const struct attribute_tree *tree = &log->system->attributes;
	struct attribute_name name = { .text = NULL };
	if (log->names == NULL) {
		*parent = tree->attributes[quark].parent;
		return attribute_tree_name(tree, quark);
	}
	const struct logged_name *logged = &log->names[quark];
	*parent = logged->parent;
	if ((logged->name & ATTRIBUTE_IS_NUMBER) != 0)
		return attribute_name_number(logged->name & ~ATTRIBUTE_IS_NUMBER);
	name.text = intern_get(&log->name_texts, logged->name, &name.size);
	return name;
}

static enum histree_status map_attributes(struct change_log *log, struct histree_state_system *system,
					  struct histree_error *error)
{
	size_t count = change_log_attributes(log);
	enum histree_status status = HISTREE_OK;
	log->map = malloc((count + 1) * sizeof(*log->map));
	if (log->map == NULL)
		return error_memory(error, "the attributes of a slice");
	for (histree_quark quark = 0; quark < count && status == HISTREE_OK; quark++) {
		char room[ATTRIBUTE_NUMBER_SIZE];
		size_t size;
		histree_quark parent;
		const struct attribute_name name = name_of(log, quark, &parent);
		const char *text = attribute_name_text(&name, room, &size);
		status = histree_state_child(system, parent == HISTREE_ROOT ? parent : log->map[parent], text, size,
					     &log->map[quark], error);
	}
	return status;
}

struct application {
	const struct change_log *log;
	struct histree_state_system *system;
	const histree_quark *map;
	struct histree_error *error;
	struct histree_interval intervals[INTERVALS_AT_ONCE]; /* that the system is still to take */
	size_t count;
};

static enum histree_status hand_over(struct application *application)
{
	size_t added, count = application->count;
	application->count = 0;
	return count == 0 ? HISTREE_OK
			  : state_add_intervals(application->system, application->intervals, count, &added,
						application->error);
}

static enum histree_status modify(const struct application *application, histree_time time, histree_quark quark,
				  struct histree_value value)
{
	enum histree_status status =
		histree_state_modify(application->system, time, quark, value, application->error);
	/* As changes.c does where the clock of a trace steps back. */
	if (status == HISTREE_ERR_TIME_BACKWARDS)
		status = histree_state_update(application->system, quark, value, application->error);
	return status;
}

static struct histree_value true_value(const struct application *application, histree_quark quark)
{
	struct histree_value value = histree_null();
	return histree_state_ongoing(application->system, quark, &value, NULL, NULL) == HISTREE_OK ? value
												   : histree_null();
}

static enum histree_status choose_true(const struct application *application, const struct logged_change *change)
{
	struct histree_value of = true_value(application, application->map[change->bits]);
	uint64_t choice = (uint64_t)change->end;
	int32_t value = (int32_t)(of.type == HISTREE_NULL ? choice >> 32 : choice & UINT32_MAX);
	return modify(application, change->time, application->map[change->quark],
		      of.type == HISTREE_UNKNOWN ? of : histree_int(value));
}

static enum histree_status end_child(const struct application *application, const struct logged_change *change)
{
	const struct histree_attributes *attributes = histree_state_attributes(application->system);
	size_t size;
	const char *name = intern_get(&application->log->texts, (uint32_t)change->bits, &size);
	histree_quark child;
	if (histree_attributes_child(attributes, application->map[change->quark], name, size, &child) != HISTREE_OK)
		return HISTREE_OK;
	return modify(application, change->time, child, histree_null());
}

static enum histree_status widen(const struct application *application, const struct logged_change *change)
{
	histree_quark quark = application->map[change->quark];
	struct histree_value now = true_value(application, quark);
	int64_t value = (int64_t)change->bits;
	bool wider =
		now.type != HISTREE_LONG || (change->kind == CHANGE_LEAST ? value < now.int64 : value > now.int64);
	return wider ? histree_state_update(application->system, quark, histree_long(value), application->error)
		     : HISTREE_OK;
}

static enum histree_status settle_true(const struct application *application, histree_quark quark,
				       histree_time since, const struct histree_value *value)
{
	return state_resume_state(application->system, quark, since, value)
		       ? HISTREE_OK
		       : error_memory(application->error, "the value of an attribute");
}

static enum histree_status apply_one(struct application *application, const struct logged_change *change)
{
	struct histree_value value;
	histree_quark quark = application->map[change->quark];
	switch ((enum change_kind)change->kind) {
	case CHANGE_INTERVAL:
		break;
	case CHANGE_SET:
		return modify(application, change->time, quark, value_of(application->log, change));
	case CHANGE_SETTLE:
		value = value_of(application->log, change);
		return settle_true(application, quark, change->time, &value);
	case CHANGE_CHOOSE:
		return choose_true(application, change);
	case CHANGE_COPY:
		return modify(application, change->time, quark,
			      true_value(application, application->map[change->bits]));
	case CHANGE_END_CHILD:
		return end_child(application, change);
	case CHANGE_LEAST:
	case CHANGE_GREATEST:
		return widen(application, change);
	}
	return HISTREE_OK;
}

/* What is exact at the end of the slice is so in the true system. */
static enum histree_status settle_all(const struct application *application)
{
	const struct histree_state_system *slice = application->log->system;
	enum histree_status status = HISTREE_OK;
	for (histree_quark quark = 0; quark < application->log->known_count && status == HISTREE_OK; quark++) {
		if (application->log->known[quark] != KNOWN_EXACT)
			continue;
		const struct ongoing_state *state = &slice->ongoing.states[quark];
		const struct histree_value value = ongoing_states_value(&slice->ongoing, quark);
		status = settle_true(application, application->map[quark], state->since, &value);
	}
	histree_time end = histree_state_current_end(slice);
	if (end > application->system->current_end)
		application->system->current_end = end;
	return status;
}

static enum histree_status apply_chunk(struct application *application, const struct change_chunk *chunk)
{
	enum histree_status status = HISTREE_OK;
	for (size_t i = 0; i < chunk->count && status == HISTREE_OK; i++) {
		const struct logged_change *change = &chunk->changes[i];
		if (change->kind == CHANGE_INTERVAL) {
			application->intervals[application->count++] = (struct histree_interval){
				.start = change->time,
				.end = change->end,
				.quark = application->map[change->quark],
				.value = value_of(application->log, change),
			};
			if (application->count == INTERVALS_AT_ONCE)
				status = hand_over(application);
			continue;
		}
		status = hand_over(application);
		if (status == HISTREE_OK)
			status = apply_one(application, change);
	}
	return status;
}

enum histree_status change_log_apply(struct change_log *log, struct histree_state_system *system,
				     struct histree_error *error)
{
	struct application *application = calloc(1, sizeof(*application));
	if (application == NULL)
		return error_memory(error, "the states of a slice");
	enum histree_status status = map_attributes(log, system, error);
	*application = (struct application){ .log = log, .system = system, .map = log->map, .error = error };
	for (const struct change_chunk *chunk = log->first; chunk != NULL && status == HISTREE_OK;
	     chunk = chunk->next)
		status = apply_chunk(application, chunk);
	if (status == HISTREE_OK)
		status = hand_over(application);
	if (status == HISTREE_OK)
		status = settle_all(application);
	free(application);
	return status;
}

histree_quark *change_log_take_keys(struct change_log *log, size_t *count)
{
	histree_quark *keys = log->map;
	*count = change_log_attributes(log);
	log->map = NULL;
	return keys;
}
