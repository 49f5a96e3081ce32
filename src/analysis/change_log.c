// SPDX-License-Identifier: MIT
/*
 * change_log.c - the changes of a part of a trace, kept until the states before it are known.
 */
#include "analysis/change_log.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/logged_change.h"
#include "base/array.h"
#include "base/error.h"
#include "state/state_system.h"
#include "tree/leaf_pack.h"

enum { ATTRIBUTE_BYTES = 100 }; /* about, of a slice's own system */

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

size_t change_log_attributes(const struct change_log *log)
{
	return log->names != NULL ? log->name_count : log->system->attributes.base.count;
}

size_t change_log_bytes(const struct change_log *log)
{
	size_t attributes = log->names != NULL ? log->name_count : log->known_count;
	return log->count * sizeof(struct logged_change) + attributes * ATTRIBUTE_BYTES;
}

/* Fail the slice if it has more than it may have. */
static void check_size(struct change_log *log)
{
	if (change_log_bytes(log) > log->bytes_max)
		change_log_fail(log, "it changes more than there is memory for");
}

static bool add_chunk(struct change_log *log)
{
	struct change_chunk *chunk = malloc(sizeof(*chunk));
	if (chunk == NULL)
		return false;
	chunk->next = NULL;
	chunk->count = 0;
	*(log->last == NULL ? &log->first : &log->last->next) = chunk;
	log->last = chunk;
	return true;
}

void change_log_put(struct change_log *log, const struct logged_change *change)
{
	check_size(log);
	if ((log->last == NULL || log->last->count == CHANGES_PER_CHUNK) && !add_chunk(log)) {
		log->no_memory = true;
		return;
	}
	log->last->changes[log->last->count++] = *change;
	log->count++;
}

static void put_with(struct change_log *log, struct logged_change change, const struct histree_value *value)
{
	if (put_value(log, &change, value))
		change_log_put(log, &change);
	else
		log->no_memory = true;
}

/* ---- the system of the slice --------------------------------------------------------------------------------- */

static enum histree_status add(void *context, const struct histree_interval *interval, struct histree_error *error)
{
	struct change_log *log = context;
	(void)error;
	if (log->is_muted)
		return HISTREE_OK;
	if (log->pack != NULL) {
		enum histree_status status = leaf_pack_keep(log->pack, interval, NULL);
		if (status == HISTREE_ERR_TOO_LARGE)
			change_log_fail(log, "it has more intervals than there is memory for");
		else if (status != HISTREE_OK)
			log->no_memory = true;
		return HISTREE_OK;
	}
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

enum histree_status change_log_init(struct change_log *log, const struct change_log_frame *frame,
				    struct histree_error *error)
{
	const struct interval_sink sink = {
		.add = add,
		.finish = finish,
		.context = log,
		.value_size_max = frame->value_size_max,
	};
	*log = (struct change_log){ .bytes_max = frame->bytes_max,
				    .value_size_max = frame->value_size_max,
				    .pack = frame->pack };
	return state_system_create(frame->start, &sink, &log->system, error);
}

void change_log_release(struct change_log *log)
{
	histree_state_free(log->system);
	while (log->first != NULL) {
		struct change_chunk *chunk = log->first;
		log->first = chunk->next;
		free(chunk);
	}
	free(log->known);
	free(log->map);
	free(log->names);
	intern_release(&log->name_texts);
	intern_release(&log->texts);
	*log = (struct change_log){ 0 };
}

/* ---- what is known ------------------------------------------------------------------------------------------- */

/* HISTREE_ROOT stands for an attribute that could not be made, which fails the event: of it nothing is known. */
static void know(struct change_log *log, histree_quark quark, enum change_known known)
{
	if (quark == HISTREE_ROOT)
		return;
	if (quark >= log->known_count) {
		if (!array_reserve(&log->known, &log->known_capacity, (size_t)quark + 1)) {
			log->no_memory = true;
			return;
		}
		memset(log->known + log->known_count, KNOWN_AS_BEFORE, quark + 1 - log->known_count);
		log->known_count = (size_t)quark + 1;
		check_size(log);
	}
	log->known[quark] = (uint8_t)known;
}

bool change_log_knows(const struct change_log *log, histree_quark quark)
{
	enum change_known known = change_log_known(log, quark);
	return known != KNOWN_AS_BEFORE && known != KNOWN_CHOSEN;
}

struct histree_value change_log_value(struct change_log *log, histree_quark quark)
{
	if (change_log_knows(log, quark))
		return state_system_value(log->system, quark);
	change_log_fail(log, "a state is asked for that is as it was before the slice");
	return histree_null();
}

/* Whether an attribute that is known has the value. */
static bool has_local(const struct change_log *log, histree_quark quark, const struct histree_value *value)
{
	if (state_system_has_int(log->system, quark, value))
		return true;
	const struct histree_value now = state_system_value(log->system, quark);
	return histree_value_equal(&now, value);
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

void change_log_settle(struct change_log *log)
{
	log->bytes_max = SIZE_MAX;
	for (size_t quark = 0; quark < log->known_count; quark++)
		settle(log, (histree_quark)quark);
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
	change_log_put(log, &(struct logged_change){ .time = time,
						     .bits = choice->of,
						     .end = (histree_time)((uint64_t)(uint32_t)choice->null << 32 |
									   (uint32_t)choice->other),
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
	bool is_known = known == KNOWN_VALUE || known == KNOWN_GUESS;
	if (is_known && has_local(log, quark, &value))
		return;
	put_with(log, (struct logged_change){ .time = time, .quark = quark, .kind = CHANGE_SET }, &value);
	set_local(log, time, quark, value);
	/* Another value begins now, whenever the one before it began. */
	know(log, quark, is_known ? KNOWN_EXACT : KNOWN_VALUE);
}

void change_log_copy(struct change_log *log, histree_time time, histree_quark quark, histree_quark of)
{
	settle(log, quark);
	settle(log, of);
	change_log_put(log,
		       &(struct logged_change){ .time = time, .bits = of, .quark = quark, .kind = CHANGE_COPY });
	know(log, quark, KNOWN_CHOSEN);
}

void change_log_end_child(struct change_log *log, histree_time time, histree_quark parent, const char *name)
{
	uint32_t text = intern_add(&log->texts, name, strlen(name));
	if (text == INTERN_NONE)
		log->no_memory = true;
	else
		change_log_put(log,
			       &(struct logged_change){
				       .time = time, .bits = text, .quark = parent, .kind = CHANGE_END_CHILD });
}

void change_log_widen(struct change_log *log, histree_quark quark, bool is_least, int64_t value)
{
	const struct histree_value wide = histree_long(value);
	put_with(log, (struct logged_change){ .quark = quark, .kind = is_least ? CHANGE_LEAST : CHANGE_GREATEST },
		 &wide);
	know(log, quark, KNOWN_CHOSEN);
}
