// SPDX-License-Identifier: MIT
/*
 * change_log.c - keeps the changes of a slice, applies them to the true system, and converts them to bytes and
 * back.
 *
 * The bytes of a log on its way to another process (docs/design/12-build.md):
 *
 * 	end less start of the history
 * 	texts		of names: how many, each with its size; then of values, likewise
 * 	attributes	how many; of each how many quarks before it its parent is (0: none), and the name: a number
 * 			twice, or the number of a text twice and one
 * 	changes		how many; of each kind and type in one number, the difference of the quark to that before,
 * 			of the time to that before, and what its kind has
 *
 * The bytes are checked for memory safety: attributes and texts that are referred to exist, times are not before
 * the history.  The reader trusts that the changes are correct.
 */
#include "analysis/change_log.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "base/error.h"
#include "base/table.h"
#include "histree/history.h"
#include "histree/value.h"
#include "state/state_file.h"
#include "state/state_system.h"
#include "tree/leaf_pack.h"

enum change_kind {
	CHANGE_INTERVAL, /* of an exact attribute, where there is no pack */
	CHANGE_SET,
	CHANGE_SETTLE, /* what was exact is the state of the true system from now on */
	CHANGE_CHOOSE,
	CHANGE_COPY,
	CHANGE_END_CHILD,
	CHANGE_LEAST,
	CHANGE_GREATEST,
	CHANGE_DECIDE, /* a fact is known (ongoing_states.h): the outcome is its value */
};

/* ---- change log ---------------------------------------------------------------------------------------------- */

enum { ATTRIBUTE_BYTES = 100 }; /* about, of a slice's own system */

void change_log_fail(struct change_log *log, const char *why)
{
	if (log->why == NULL)
		log->why = why;
}

/* ---- values -------------------------------------------------------------------------------------------------- */

/* Returns false if memory runs out. */
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

/* Add what the log has already decided on: change_log.h. */
static void change_log_put(struct change_log *log, const struct logged_change *change)
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

static enum histree_status change_log_add(void *context, const struct histree_interval *interval,
					  struct histree_error *error)
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
		.add = change_log_add,
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
	free(log->facts);
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

struct histree_value change_log_choice(struct change_log *log, const struct change_choice *choice)
{
	log->choice = *choice;
	return (struct histree_value){ .type = HISTREE_CUSTOM, .bytes = &log->choice };
}

void change_log_set(struct change_log *log, histree_time time, histree_quark quark, struct histree_value value)
{
	enum change_known known = change_log_known(log, quark);
	if (value.type == HISTREE_CUSTOM && value.bytes == &log->choice) {
		const struct change_choice *choice = &log->choice;
		settle(log, quark);
		settle(log, choice->of);
		change_log_put(
			log, &(struct logged_change){ .time = time,
						      .bits = choice->of,
						      .end = (histree_time)((uint64_t)(uint32_t)choice->null << 32 |
									    (uint32_t)choice->other),
						      .quark = quark,
						      .kind = CHANGE_CHOOSE,
						      .type = (uint8_t)choice->doubt });
		know(log, quark, KNOWN_CHOSEN);
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

void change_log_decide(struct change_log *log, histree_time time, histree_quark fact,
		       enum undecided_outcome outcome)
{
	const struct histree_value value = histree_int((int32_t)outcome);
	put_with(log, (struct logged_change){ .time = time, .quark = fact, .kind = CHANGE_DECIDE }, &value);
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

/* ---- change log apply ---------------------------------------------------------------------------------------- */

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

bool change_log_begin_facts(struct change_log *log)
{
	log->facts = calloc(change_log_attributes(log) + 1, 1);
	return log->facts != NULL;
}

/* What the choice follows from is null, as far as anybody knows. */
static enum histree_status choose_undecided(const struct application *application,
					    const struct logged_change *change)
{
	uint64_t choice = (uint64_t)change->end;
	const struct undecided_value value = {
		.fact = application->map[change->bits],
		.believed = histree_int((int32_t)(choice >> 32)),
		.if_null = (int32_t)(choice >> 32),
		.if_other = (int32_t)(choice & UINT32_MAX),
	};
	histree_quark quark = application->map[change->quark];
	enum histree_status status =
		state_modify_undecided(application->system, change->time, quark, &value, application->error);
	if (status == HISTREE_NOT_FOUND) {
		application->log->facts[change->bits] |= CHANGE_FACT_HAD_NO_ROOM;
		status = HISTREE_OK;
	} else if (status == HISTREE_ERR_TIME_BACKWARDS) {
		status = histree_state_update(application->system, quark, value.believed, application->error);
	}
	return status;
}

static bool is_told(const struct change_log *log, histree_quark fact)
{
	return log->facts != NULL && (log->facts[fact] & CHANGE_FACT_IS_TOLD) != 0;
}

static bool is_undecided(const struct change_log *log, const struct logged_change *choice)
{
	const unsigned fact = log->facts != NULL ? log->facts[choice->bits] : 0;
	const bool is_asked = !is_told(log, (histree_quark)choice->bits);
	return (fact & CHANGE_FACT_IS_OPEN) != 0 && !(is_asked && choice->type == DOUBT_NEVER) &&
	       ((is_asked && choice->type == DOUBT_IF_OPEN) || (fact & CHANGE_FACT_IS_CERTAIN) == 0);
}

static enum histree_status choose_true(const struct application *application, const struct logged_change *change)
{
	struct histree_value of = true_value(application, application->map[change->bits]);
	uint64_t choice = (uint64_t)change->end;
	if (of.type == HISTREE_NULL && is_undecided(application->log, change))
		return choose_undecided(application, change);
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
	case CHANGE_DECIDE:
		return change->bits == FACT_IS_BELIEVED && is_told(application->log, change->quark)
			       ? HISTREE_OK
			       : state_decide(application->system, quark, (enum undecided_outcome)change->bits,
					      INT64_MIN, application->error);
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
	if (status == HISTREE_OK) {
		/* What is exact at the end of the slice is so in the true system. */
		const struct histree_state_system *slice = application->log->system;
		status = HISTREE_OK;
		for (histree_quark quark = 0; quark < application->log->known_count && status == HISTREE_OK;
		     quark++) {
			if (application->log->known[quark] != KNOWN_EXACT)
				continue;
			const struct ongoing_state *state = &slice->ongoing.states[quark];
			const struct histree_value value = ongoing_states_value(&slice->ongoing, quark);
			status = settle_true(application, application->map[quark], state->since, &value);
		}
		histree_time end = histree_state_current_end(slice);
		if (end > application->system->current_end)
			application->system->current_end = end;
	}
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

/* ---- change log bytes ---------------------------------------------------------------------------------------- */

enum { TYPES = 16 }; /* room for those in the number of a change */

_Static_assert((int)HISTREE_UNKNOWN < (int)TYPES, "a type has four bits");

/* Whether more can be coded. */
static bool goes_on(const struct change_log *log, const struct codec *codec)
{
	return codec_goes_on(codec) && (!codec_loads(codec) || !log->no_memory);
}

static void code_texts(struct change_log *log, struct codec *codec, struct intern *texts, size_t size_max)
{
	size_t count = code_count(codec, texts->count, 1);
	for (size_t id = 0; id < count && goes_on(log, codec); id++) {
		size_t size = 0;
		const char *text = codec_loads(codec) ? NULL : intern_get(texts, (uint32_t)id, &size);
		code_text(codec, &text, &size);
		if (!codec_loads(codec))
			continue;
		codec_require(codec, size <= size_max);
		uint32_t got = codec_goes_on(codec) ? intern_add(texts, text, size) : 0;
		log->no_memory = got == INTERN_NONE;
		codec_require(codec, got == id);
	}
}

/* Of a log that is loaded, the names are its own. */
static void code_attributes(struct change_log *log, struct codec *codec)
{
	const struct attribute_tree *tree = &log->system->attributes;
	size_t count = code_count(codec, tree->base.count, 2);
	if (codec_loads(codec))
		log->names = calloc(count + 1, sizeof(*log->names));
	if (codec_loads(codec) && log->names == NULL) {
		log->no_memory = true;
		return;
	}
	for (size_t quark = 0; quark < count && goes_on(log, codec); quark++) {
		uint64_t up = 0, name = 0;
		if (!codec_loads(codec)) {
			const struct attribute *attribute = &tree->attributes[quark];
			const bool is_number = (attribute->name & ATTRIBUTE_IS_NUMBER) != 0;
			up = attribute->parent == HISTREE_ROOT ? 0 : quark - attribute->parent;
			name = (uint64_t)(attribute->name & ~ATTRIBUTE_IS_NUMBER) << 1 | !is_number;
		}
		up = code_below(codec, up, quark + 1);
		name = code_number(codec, name);
		if (!codec_loads(codec))
			continue;
		const bool is_text = (name & 1) != 0;
		codec_require(codec,
			      name >> 1 < (is_text ? log->name_texts.count : (uint64_t)ATTRIBUTE_NUMBER_MAX + 1));
		log->names[quark] = (struct logged_name){
			.parent = up == 0 ? HISTREE_ROOT : (histree_quark)(quark - up),
			.name = (uint32_t)(name >> 1) | (is_text ? 0 : ATTRIBUTE_IS_NUMBER),
		};
	}
	log->name_count = codec_loads(codec) ? count : 0;
}

static bool names_another(const struct logged_change *change)
{
	return change->kind == CHANGE_CHOOSE || change->kind == CHANGE_COPY;
}

/* The least and the greatest value are of no time. */
static bool has_time(const struct logged_change *change)
{
	return change->kind != CHANGE_LEAST && change->kind != CHANGE_GREATEST;
}

static bool has_value(const struct logged_change *change)
{
	return change->kind != CHANGE_END_CHILD && !names_another(change);
}

static void code_value(const struct change_log *log, struct codec *codec, struct logged_change *change)
{
	switch ((enum histree_type)change->type) {
	case HISTREE_NULL:
	case HISTREE_UNKNOWN:
		break;
	case HISTREE_INT:
		change->bits = (uint32_t)code_int32(codec, (int32_t)(uint32_t)change->bits);
		break;
	case HISTREE_LONG:
		change->bits = (uint64_t)code_signed(codec, (int64_t)change->bits);
		break;
	case HISTREE_DOUBLE:
		change->bits = code_number(codec, change->bits);
		break;
	case HISTREE_BOOL:
		change->bits = code_below(codec, change->bits, 2);
		break;
	case HISTREE_STRING:
	case HISTREE_CUSTOM:
		change->bits = code_below(codec, change->bits, log->texts.count);
		break;
	default:
		codec_require(codec, false);
	}
}

static uint64_t code_quark(const struct change_log *log, struct codec *codec, uint64_t quark, histree_quark base)
{
	const uint64_t said = (uint64_t)base + (uint64_t)code_signed(codec, (int64_t)(quark - base));
	codec_require(codec, said < log->name_count);
	return said;
}

static void code_change(const struct change_log *log, struct codec *codec, struct logged_change *change,
			const struct logged_change *before)
{
	const uint64_t kind = code_below(codec, (uint64_t)change->kind * TYPES + change->type,
					 ((uint64_t)CHANGE_DECIDE + 1) * TYPES);
	change->kind = (uint8_t)(kind / TYPES);
	change->type = (uint8_t)(kind % TYPES);
	change->quark = (histree_quark)code_quark(log, codec, change->quark, before->quark);
	change->time = has_time(change) ? code_time(codec, change->time, before->time) : before->time;
	if (change->kind == CHANGE_INTERVAL)
		change->end = code_time(codec, change->end, change->time);
	if (names_another(change))
		change->bits = code_quark(log, codec, change->bits, change->quark);
	if (change->kind == CHANGE_CHOOSE) {
		const uint64_t limit = (uint64_t)INT32_MAX + 1,
			       null = code_below(codec, (uint64_t)change->end >> 32, limit),
			       other = code_below(codec, (uint64_t)change->end & UINT32_MAX, limit);
		change->end = (histree_time)(null << 32 | other);
	}
	if (change->kind == CHANGE_END_CHILD)
		change->bits = code_below(codec, change->bits, log->texts.count);
	if (has_value(change))
		code_value(log, codec, change);
}

/* The true system sees for itself whether it has come to the time of a change. */
static bool makes_sense(const struct logged_change *change, histree_time start, histree_time end)
{
	switch ((enum change_kind)change->kind) {
	case CHANGE_LEAST:
	case CHANGE_GREATEST:
		return change->type == HISTREE_LONG;
	case CHANGE_INTERVAL:
		return change->time >= start && change->end >= change->time && change->end < end;
	case CHANGE_SETTLE:
		return change->time >= start && change->time <= end;
	case CHANGE_DECIDE:
		return change->type == HISTREE_INT && change->bits <= FACT_IS_BELIEVED && change->time >= start;
	case CHANGE_CHOOSE:
		return change->type <= DOUBT_NEVER && change->time >= start;
	case CHANGE_SET:
	case CHANGE_COPY:
	case CHANGE_END_CHILD:
		return change->time >= start;
	}
	return false;
}

static void code_changes(struct change_log *log, struct codec *codec, histree_time start, histree_time end)
{
	struct logged_change before = { .time = start };
	const struct change_chunk *chunk = log->first;
	size_t count = code_count(codec, log->count, 3), at = 0;
	for (size_t i = 0; i < count && goes_on(log, codec); i++) {
		struct logged_change change = { 0 };
		if (!codec_loads(codec)) {
			chunk = at < chunk->count ? chunk : chunk->next;
			at = at < CHANGES_PER_CHUNK ? at : 0;
			change = chunk->changes[at++];
		}
		code_change(log, codec, &change, &before);
		before = change;
		if (!codec_loads(codec))
			continue;
		codec_require(codec, makes_sense(&change, start, end));
		if (codec_goes_on(codec))
			change_log_put(log, &change);
	}
}

/* There are no more changes when it is saved: what is exact is a change, too. */
static void settle_all(struct change_log *log)
{
	log->bytes_max = SIZE_MAX;
	for (size_t quark = 0; quark < log->known_count; quark++)
		settle(log, (histree_quark)quark);
}

enum histree_status change_log_code(struct change_log *log, struct codec *codec, struct histree_error *error)
{
	struct histree_state_system *system = log->system;
	const histree_time start = histree_state_start(system);
	if (!codec_loads(codec))
		settle_all(log);
	else if (log->bytes_max <= SIZE_MAX / 2)
		log->bytes_max *= 2; /* what was exact has become changes */
	const histree_time end = code_time(codec, histree_state_current_end(system), start);
	codec_require(codec, end >= start);
	system->current_end = end;
	code_texts(log, codec, codec_loads(codec) ? &log->name_texts : &system->attributes.texts, UINT32_MAX);
	code_texts(log, codec, &log->texts, log->value_size_max);
	code_attributes(log, codec);
	code_changes(log, codec, start, end);
	if (log->no_memory)
		return error_memory(error, "the changes of a slice");
	if (!codec_goes_on(codec) || log->why != NULL)
		return error_set(error, HISTREE_ERR_FORMAT, "the changes of a slice make no sense");
	return HISTREE_OK;
}
