// SPDX-License-Identifier: MIT
#include "analysis/change_log.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "state/state_resume.h"
#include "state/state_system.h"

enum change_kind {
	CHANGE_INTERVAL, /* of an exact attribute */
	CHANGE_SET,
	CHANGE_SETTLE, /* what was exact is the state of the true system from now on */
	CHANGE_CHOOSE,
	CHANGE_COPY,
	CHANGE_END_CHILD,
	CHANGE_LEAST,
	CHANGE_GREATEST,
};

enum { INTERVALS_AT_ONCE = 128 };

void change_log_fail(struct change_log *log, const char *why)
{
	if (log->why == NULL)
		log->why = why;
}

/* ---- values -------------------------------------------------------------------------------------------------- */

/* Returns false if memory is out. */
static bool put_value(struct change_log *log, struct logged_change *change, const struct histree_value *value)
{
	change->type = (uint8_t)value->type;
	switch (value->type) {
	case HISTREE_NULL:
	case HISTREE_UNKNOWN:
		return true;
	case HISTREE_INT:
		change->bits = (uint32_t)value->int32;
		return true;
	case HISTREE_LONG:
		change->bits = (uint64_t)value->int64;
		return true;
	case HISTREE_DOUBLE:
		memcpy(&change->bits, &value->real, sizeof(value->real));
		return true;
	case HISTREE_BOOL:
		change->bits = value->boolean;
		return true;
	case HISTREE_STRING:
	case HISTREE_CUSTOM:
		change->bits = intern_add(&log->texts, value->bytes, value->size);
		return change->bits != INTERN_NONE;
	}
	return true;
}

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

static void put(struct change_log *log, const struct logged_change *change)
{
	if (log->count == log->capacity && !array_reserve(&log->changes, &log->capacity, log->count + 1)) {
		log->no_memory = true;
		return;
	}
	log->changes[log->count++] = *change;
}

static void put_with(struct change_log *log, struct logged_change change, const struct histree_value *value)
{
	if (put_value(log, &change, value))
		put(log, &change);
	else
		log->no_memory = true;
}

/* ---- the system of the slice --------------------------------------------------------------------------------- */

static enum histree_status add(void *context, const struct histree_interval *interval, struct histree_error *error)
{
	struct change_log *log = context;
	(void)error;
	if (!log->is_muted)
		put_with(log,
			 (struct logged_change){ .time = interval->start,
						 .end = interval->end,
						 .quark = interval->quark,
						 .kind = CHANGE_INTERVAL },
			 &interval->value);
	return HISTREE_OK;
}

static enum histree_status finish(void *context, const struct attribute_tree *attributes, histree_time end,
				  struct histree_error *error)
{
	(void)context, (void)attributes, (void)end, (void)error;
	return HISTREE_OK;
}

enum histree_status change_log_init(struct change_log *log, histree_time start, size_t value_size_max,
				    struct histree_error *error)
{
	const struct interval_sink sink = {
		.add = add,
		.finish = finish,
		.context = log,
		.value_size_max = value_size_max,
	};
	*log = (struct change_log){ 0 };
	return state_system_create(start, &sink, &log->system, error);
}

void change_log_release(struct change_log *log)
{
	histree_state_free(log->system);
	free(log->changes);
	free(log->known);
	intern_release(&log->texts);
	*log = (struct change_log){ 0 };
}

/* ---- what is known ------------------------------------------------------------------------------------------- */

enum change_known change_log_known(const struct change_log *log, histree_quark quark)
{
	return quark < log->known_count ? (enum change_known)log->known[quark] : KNOWN_AS_BEFORE;
}

static void know(struct change_log *log, histree_quark quark, enum change_known known)
{
	if (quark >= log->known_count) {
		if (!array_reserve(&log->known, &log->known_capacity, (size_t)quark + 1)) {
			log->no_memory = true;
			return;
		}
		memset(log->known + log->known_count, KNOWN_AS_BEFORE, quark + 1 - log->known_count);
		log->known_count = (size_t)quark + 1;
	}
	log->known[quark] = (uint8_t)known;
}

bool change_log_knows(const struct change_log *log, histree_quark quark)
{
	enum change_known known = change_log_known(log, quark);
	return known != KNOWN_AS_BEFORE && known != KNOWN_CHOSEN;
}

static struct histree_value local_value(const struct change_log *log, histree_quark quark)
{
	struct histree_value value = histree_null();
	if (histree_state_ongoing(log->system, quark, &value, NULL, NULL) != HISTREE_OK)
		return histree_null();
	return value;
}

struct histree_value change_log_value(struct change_log *log, histree_quark quark)
{
	if (change_log_knows(log, quark))
		return local_value(log, quark);
	change_log_fail(log, "a state is asked for that is as it was before the slice");
	return histree_null();
}

/* The slice's system has the value; what it makes of that is not known. */
static void set_local(struct change_log *log, histree_time time, histree_quark quark, struct histree_value value)
{
	log->is_muted = true;
	enum histree_status status = histree_state_modify(log->system, time, quark, value, NULL);
	log->is_muted = false;
	if (status == HISTREE_ERR_MEMORY)
		log->no_memory = true;
	else if (status != HISTREE_OK)
		change_log_fail(log, "a change is refused");
}

void change_log_guess(struct change_log *log, histree_quark quark, struct histree_value value)
{
	if (change_log_known(log, quark) > KNOWN_GUESS)
		return;
	set_local(log, histree_state_start(log->system), quark, value);
	know(log, quark, KNOWN_GUESS);
}

/* ---- changes ------------------------------------------------------------------------------------------------- */

/* The true system is to know what is exact: the next change needs it there. */
static void settle(struct change_log *log, histree_quark quark)
{
	struct histree_value value;
	histree_time since;
	if (change_log_known(log, quark) != KNOWN_EXACT ||
	    histree_state_ongoing(log->system, quark, &value, &since, NULL) != HISTREE_OK)
		return;
	put_with(log, (struct logged_change){ .time = since, .quark = quark, .kind = CHANGE_SETTLE }, &value);
	know(log, quark, KNOWN_VALUE);
}

struct histree_value change_log_choice(struct change_log *log, const struct change_choice *choice)
{
	log->choice = *choice;
	return (struct histree_value){ .type = HISTREE_CUSTOM, .bytes = &log->choice };
}

static void choose(struct change_log *log, histree_time time, histree_quark quark)
{
	const struct change_choice *choice = &log->choice;
	settle(log, quark);
	settle(log, choice->of);
	put(log, &(struct logged_change){
			 .time = time,
			 .bits = choice->of,
			 .end = (histree_time)((uint64_t)(uint32_t)choice->null << 32 | (uint32_t)choice->other),
			 .quark = quark,
			 .kind = CHANGE_CHOOSE });
	know(log, quark, KNOWN_CHOSEN);
}

void change_log_set(struct change_log *log, histree_time time, histree_quark quark, struct histree_value value)
{
	enum change_known known = change_log_known(log, quark);
	if (value.type == HISTREE_CUSTOM && value.bytes == &log->choice) {
		choose(log, time, quark);
		return;
	}
	if (known == KNOWN_EXACT) {
		enum histree_status status = histree_state_modify(log->system, time, quark, value, NULL);
		if (status == HISTREE_ERR_MEMORY)
			log->no_memory = true;
		else if (status != HISTREE_OK)
			change_log_fail(log, "a change is refused");
		return;
	}
	const struct histree_value before = local_value(log, quark);
	bool is_same = known == KNOWN_VALUE && histree_value_equal(&before, &value);
	if (is_same)
		return;
	put_with(log, (struct logged_change){ .time = time, .quark = quark, .kind = CHANGE_SET }, &value);
	set_local(log, time, quark, value);
	/* Another value begins now, whenever the one before it began. */
	know(log, quark, known == KNOWN_VALUE ? KNOWN_EXACT : KNOWN_VALUE);
}

void change_log_copy(struct change_log *log, histree_time time, histree_quark quark, histree_quark of)
{
	settle(log, quark);
	settle(log, of);
	put(log, &(struct logged_change){ .time = time, .bits = of, .quark = quark, .kind = CHANGE_COPY });
	know(log, quark, KNOWN_CHOSEN);
}

void change_log_end_child(struct change_log *log, histree_time time, histree_quark parent, const char *name)
{
	uint32_t text = intern_add(&log->texts, name, strlen(name));
	if (text == INTERN_NONE)
		log->no_memory = true;
	else
		put(log, &(struct logged_change){
				 .time = time, .bits = text, .quark = parent, .kind = CHANGE_END_CHILD });
}

void change_log_widen(struct change_log *log, histree_quark quark, bool is_least, int64_t value)
{
	const struct histree_value wide = histree_long(value);
	put_with(log, (struct logged_change){ .quark = quark, .kind = is_least ? CHANGE_LEAST : CHANGE_GREATEST },
		 &wide);
	know(log, quark, KNOWN_CHOSEN);
}

/* ---- in the true system -------------------------------------------------------------------------------------- */

enum histree_status change_log_map(const struct change_log *log, struct histree_state_system *system,
				   histree_quark **map, struct histree_error *error)
{
	const struct histree_attributes *attributes = histree_state_attributes(log->system);
	uint32_t count = histree_attributes_count(attributes);
	enum histree_status status = HISTREE_OK;
	char *name = NULL;
	size_t capacity = 0;
	*map = malloc(((size_t)count + 1) * sizeof(**map));
	if (*map == NULL)
		return error_memory(error, "the attributes of a slice");
	for (histree_quark quark = 0; quark < count && status == HISTREE_OK; quark++) {
		histree_quark parent = histree_attributes_parent(attributes, quark);
		size_t size = histree_attributes_name(attributes, quark, name, capacity);
		if (size >= capacity) {
			if (!array_reserve(&name, &capacity, size + 1)) {
				status = error_memory(error, "the attributes of a slice");
				break;
			}
			histree_attributes_name(attributes, quark, name, capacity);
		}
		status = histree_state_child(system, parent == HISTREE_ROOT ? parent : (*map)[parent], name, size,
					     &(*map)[quark], error);
	}
	free(name);
	if (status != HISTREE_OK) {
		free(*map);
		*map = NULL;
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

enum histree_status change_log_apply(const struct change_log *log, struct histree_state_system *system,
				     const histree_quark *map, struct histree_error *error)
{
	struct application *application = calloc(1, sizeof(*application));
	enum histree_status status = HISTREE_OK;
	if (application == NULL)
		return error_memory(error, "the states of a slice");
	*application = (struct application){ .log = log, .system = system, .map = map, .error = error };
	for (size_t i = 0; i < log->count && status == HISTREE_OK; i++) {
		const struct logged_change *change = &log->changes[i];
		if (change->kind == CHANGE_INTERVAL) {
			application->intervals[application->count++] = (struct histree_interval){
				.start = change->time,
				.end = change->end,
				.quark = map[change->quark],
				.value = value_of(log, change),
			};
			if (application->count == INTERVALS_AT_ONCE)
				status = hand_over(application);
			continue;
		}
		status = hand_over(application);
		if (status == HISTREE_OK)
			status = apply_one(application, change);
	}
	if (status == HISTREE_OK)
		status = hand_over(application);
	if (status == HISTREE_OK)
		status = settle_all(application);
	free(application);
	return status;
}
