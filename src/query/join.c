// SPDX-License-Identifier: MIT
/*
 * join.c - joins on a key and a time: states with segments, segments with segments.
 *
 * A join is a sweep over the changes of states and the starts of segments (thesis 2.4.4, after [46]).  What
 * arrives at the sweep line is paired with everything of the other kind that the line crosses, so each pair is
 * found once, when the later of the two begins.  At one time states arrive before segments.  With keys, only
 * partners with the same key count, in the same order.
 *
 * The line crosses at most one state for each attribute, and any number of segments, kept in the order of their
 * arrival; each is a copy.  The keys of an attribute are found once.  Then its state comes and goes in a step for
 * each of its keys, and the states of a key are found without a visit to any other.
 */
#include "query/join.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cursor.h"
#include "base/error.h"
#include "base/hash_index.h"
#include "base/search.h"
#include "base/table.h"
#include "histree/segment_stats.h"
#include "histree/segments.h"
#include "histree/states.h"
#include "histree/value.h"
#include "item/value.h"

/* One piece of memory, with the content.  It may be in a list of the caller's, of those that share something. */
struct active_segment {
	struct histree_segment segment;
	size_t size;     /* of the segment and its content */
	uint64_t number; /* ascends with arrival */
	struct active_segment *next,
		**place; /* in the list: the next, and what points to this one; NULL: in none */
};

/* A zeroed one is empty. */
struct active_segments {
	struct active_segment **segments;
	size_t count, capacity;
	size_t bytes; /* of all segments and their content */
	size_t field_count;
	uint64_t added;          /* since the last clear */
	histree_time latest_end; /* of those added, if any */
};

/* An attribute under one of its keys; a link of the list of those under that key that have an active state. */
struct keyed_attribute {
	histree_quark quark;
	uint32_t key;            /* its number */
	uint32_t next, previous; /* places of others in `attributes` plus one, 0: none */
};

/* A zeroed one has no keys. */
struct join_keys {
	struct keyed_attribute *attributes; /* those of one quark side by side */
	size_t count, capacity;
	uint32_t *first_of; /* by quark: the first place of it, if it has any */
	uint64_t *keys;     /* by number */
	uint32_t *active;   /* by number of the key: place of the first with an active state plus one, 0: none */
	struct active_segment **segments; /* by number of the key: a list; some of it may have ended */
	size_t key_count, key_capacity, active_capacity, segments_capacity;
	struct hash_index numbers; /* of keys */
};

/* The places of an attribute are those from the first on that are its own. */
static inline bool join_keys_is_of(const struct join_keys *keys, size_t place, histree_quark quark)
{
	return place < keys->count && keys->attributes[place].quark == quark;
}

/* A zeroed one is empty. */
struct active_states {
	struct histree_interval *states; /* with bytes of their own */
	size_t count, capacity;
	uint32_t *places; /* by quark: place in `states` plus one, 0: none */
};

/* A zeroed one is empty.  What is in it is borrowed until the next arrival. */
struct partners {
	struct partner *partners;
	size_t count, capacity;
};

static void active_segment_leave_list(struct active_segment *active);

/* ---- join keys ----------------------------------------------------------------------------------------------- */

/* Have room for the quarks of this many attributes; false if memory runs out. */
static bool join_keys_init(struct join_keys *keys, uint32_t attribute_count)
{
	*keys = (struct join_keys){ .first_of = calloc((size_t)attribute_count + 1, sizeof(*keys->first_of)) };
	return keys->first_of != NULL;
}

static uint64_t hash_of(const void *elements, uint32_t number)
{
	return hash_mix(((const uint64_t *)elements)[number]);
}

static bool has_key(const void *elements, uint32_t number, const void *key)
{
	return ((const uint64_t *)elements)[number] == *(const uint64_t *)key;
}

/* Returns the number of a key, or HASH_INDEX_NONE if no attribute has it. */
static uint32_t join_keys_find(const struct join_keys *keys, uint64_t key)
{
	return hash_index_find(&keys->numbers, hash_mix(key), has_key, keys->keys, &key);
}

static bool number_key(struct join_keys *keys, uint64_t key, uint32_t *number)
{
	*number = join_keys_find(keys, key);
	if (*number != HASH_INDEX_NONE)
		return true;
	if (!array_reserve(&keys->keys, &keys->key_capacity, keys->key_count + 1) ||
	    !array_reserve(&keys->active, &keys->active_capacity, keys->key_count + 1) ||
	    !array_reserve(&keys->segments, &keys->segments_capacity, keys->key_count + 1) ||
	    !hash_index_reserve(&keys->numbers, keys->key_count + 1, hash_of, keys->keys))
		return false;
	assert(keys->numbers.count == keys->key_count);
	*number = (uint32_t)keys->key_count++;
	keys->keys[*number] = key;
	keys->active[*number] = 0;
	keys->segments[*number] = NULL;
	hash_index_add(&keys->numbers, hash_mix(key), *number);
	return true;
}

/*
 * Put an attribute under a key before anything is active. Its keys follow each other. Returns false if memory runs
 * out.
 */
static bool join_keys_add(struct join_keys *keys, histree_quark quark, uint64_t key)
{
	uint32_t number;
	if (keys->count >= UINT32_MAX || !number_key(keys, key, &number) ||
	    !array_reserve(&keys->attributes, &keys->capacity, keys->count + 1))
		return false;
	if (keys->count == 0 || keys->attributes[keys->count - 1].quark != quark)
		keys->first_of[quark] = (uint32_t)keys->count;
	for (size_t place = keys->first_of[quark]; join_keys_is_of(keys, place, quark); place++)
		if (keys->attributes[place].key == number)
			return true; /* a component that a path has twice */
	keys->attributes[keys->count++] = (struct keyed_attribute){ .quark = quark, .key = number };
	return true;
}

static void join_keys_leave(struct join_keys *keys, histree_quark quark)
{
	for (size_t place = keys->first_of[quark]; join_keys_is_of(keys, place, quark); place++) {
		const struct keyed_attribute *leaving = &keys->attributes[place];
		assert(leaving->key < keys->key_count);
		assert((leaving->previous == 0) == (keys->active[leaving->key] == place + 1));
		if (leaving->previous != 0)
			keys->attributes[leaving->previous - 1].next = leaving->next;
		else
			keys->active[leaving->key] = leaving->next;
		if (leaving->next != 0)
			keys->attributes[leaving->next - 1].previous = leaving->previous;
	}
}

/* ---- partners ------------------------------------------------------------------------------------------------ */

static bool join_add(struct partners *partners, const struct partner *partner)
{
	if (!array_reserve(&partners->partners, &partners->capacity, partners->count + 1))
		return false;
	partners->partners[partners->count++] = *partner;
	return true;
}

COMPARE(by_order, struct partner, BY(order))

static void sort(struct partners *partners)
{
	if (partners->count > 1)
		qsort(partners->partners, partners->count, sizeof(*partners->partners), by_order);
}

/* Find the segments of a state.  Those that have ended leave the lists.  Returns false if memory runs out. */
static bool partners_of_state(struct partners *partners, const struct join_keys *keys,
			      const struct histree_interval *state)
{
	partners->count = 0;
	for (size_t place = keys->first_of[state->quark]; join_keys_is_of(keys, place, state->quark); place++) {
		struct active_segment *next, *at = keys->segments[keys->attributes[place].key];
		for (; at != NULL; at = next) {
			next = at->next;
			assert(at->place != NULL);
			if (at->segment.end < state->start)
				active_segment_leave_list(at);
			else if (!join_add(partners, &(struct partner){ at->number, state, &at->segment }))
				return false;
		}
	}
	sort(partners);
	return true;
}

/* Find the states of a segment that has this key.  Returns false if memory runs out. */
static bool partners_of_segment(struct partners *partners, const struct join_keys *keys, uint32_t key,
				const struct active_states *states, const struct histree_segment *segment)
{
	partners->count = 0;
	for (uint32_t at = keys->active[key]; at != 0; at = keys->attributes[at - 1].next) {
		uint32_t place = states->places[keys->attributes[at - 1].quark];
		assert(place > 0 && place <= states->count);
		assert(states->states[place - 1].quark == keys->attributes[at - 1].quark);
		if (!join_add(partners, &(struct partner){ place, &states->states[place - 1], segment }))
			return false;
	}
	sort(partners);
	return true;
}

/* ---- active segments ----------------------------------------------------------------------------------------- */

static size_t size_of_texts(const struct active_segments *active, const struct histree_segment *segment)
{
	size_t size = 0;
	for (size_t i = 0; segment->content != NULL && i < active->field_count; i++)
		size += segment->content[i].size;
	return size;
}

/* The segment, its values, the bytes of these. */
static struct active_segment *copy(const struct active_segments *active, const struct histree_segment *segment)
{
	size_t content_size = active->field_count * sizeof(struct histree_value) + size_of_texts(active, segment);
	struct active_segment *made = malloc(sizeof(*made) + content_size);
	if (made == NULL)
		return NULL;
	struct histree_value *values = (struct histree_value *)(made + 1);
	char *texts = (char *)(values + active->field_count);
	*made = (struct active_segment){ .segment = { segment->start, segment->end, values },
					 .size = sizeof(*segment) + content_size };
	for (size_t i = 0; i < active->field_count; i++) {
		values[i] = segment->content != NULL ? segment->content[i] : histree_null();
		if (values[i].size == 0)
			continue;
		memcpy(texts, values[i].bytes, values[i].size);
		values[i].bytes = texts;
		texts += values[i].size;
	}
	return made;
}

static void enter_list(struct active_segment *entering, struct active_segment **list)
{
	assert(entering->place == NULL);
	entering->next = *list;
	entering->place = list;
	if (entering->next != NULL)
		entering->next->place = &entering->next;
	*list = entering;
}

/* Take it out of its list, if it is in one. */
static void active_segment_leave_list(struct active_segment *active)
{
	if (active->place == NULL)
		return;
	*active->place = active->next;
	if (active->next != NULL)
		active->next->place = active->place;
	active->place = NULL;
}

/* Add a copy, to a list too unless that is NULL.  Returns NULL if memory runs out. */
static const struct histree_segment *active_segments_add(struct active_segments *active,
							 const struct histree_segment *segment,
							 struct active_segment **list)
{
	if (!array_reserve(&active->segments, &active->capacity, active->count + 1))
		return NULL;
	assert(segment->start <= segment->end);
	struct active_segment *made = copy(active, segment);
	if (made == NULL)
		return NULL;
	if (list != NULL)
		enter_list(made, list);
	if (active->added == 0 || segment->end > active->latest_end)
		active->latest_end = segment->end;
	made->number = active->added++;
	active->segments[active->count++] = made;
	active->bytes += made->size;
	return &made->segment;
}

/* Let go of those that ended before `t`; they leave their lists. */
static void active_segments_pass(struct active_segments *active, histree_time t)
{
	size_t kept = 0;
	for (size_t i = 0; i < active->count; i++) {
		struct active_segment *passed = active->segments[i];
		if (passed->segment.end >= t) {
			active->segments[kept++] = passed;
			continue;
		}
		active_segment_leave_list(passed);
		assert(active->bytes >= passed->size);
		active->bytes -= passed->size;
		free(passed);
	}
	assert(kept > 0 || active->bytes == 0);
	active->count = kept;
}

static void active_segments_clear(struct active_segments *active)
{
	for (size_t i = 0; i < active->count; i++)
		free(active->segments[i]);
	active->count = active->bytes = 0;
	active->added = 0;
}

/* ---- active states ------------------------------------------------------------------------------------------- */

/* Have room for these many attributes; false if memory runs out. */
static bool active_states_init(struct active_states *active, uint32_t attribute_count)
{
	*active = (struct active_states){ .places = calloc((size_t)attribute_count + 1, sizeof(*active->places)) };
	return active->places != NULL;
}

/* The last one takes its place. */
static void active_states_drop(struct active_states *active, histree_quark quark)
{
	uint32_t place = active->places[quark];
	if (place == 0)
		return;
	assert(place <= active->count && active->states[place - 1].quark == quark);
	active->places[quark] = 0;
	struct histree_interval *state = &active->states[place - 1];
	if (value_has_bytes(&state->value))
		free((char *)(uintptr_t)state->value.bytes);
	active->count--;
	if (place - 1 == active->count)
		return;
	active->states[place - 1] = active->states[active->count];
	active->places[active->states[place - 1].quark] = place;
}

/* Make a copy the state of its attribute.  Returns false if memory runs out. */
static bool active_states_set(struct active_states *active, const struct histree_interval *interval)
{
	struct histree_interval state = *interval;
	if (!array_reserve(&active->states, &active->capacity, active->count + 1))
		return false;
	if (value_has_bytes(&interval->value)) {
		void *bytes = malloc((size_t)interval->value.size + 1);
		if (bytes == NULL)
			return false;
		if (interval->value.size > 0)
			memcpy(bytes, interval->value.bytes, interval->value.size);
		state.value.bytes = bytes;
	}
	active_states_drop(active, interval->quark);
	assert(active->places[interval->quark] == 0);
	active->states[active->count++] = state;
	active->places[interval->quark] = (uint32_t)active->count;
	return true;
}

static void active_states_clear(struct active_states *active)
{
	while (active->count > 0)
		active_states_drop(active, active->states[active->count - 1].quark);
}

/* ---- join ---------------------------------------------------------------------------------------------------- */

static const size_t memory_default = (size_t)64 << 20;

enum arrival { NO_ARRIVAL, STATE_ARRIVED, SEGMENT_ARRIVED };

struct join {
	struct histree_cursor cursor;
	struct histree_join_pair pair; /* handed out last */
	struct histree_history *history;
	/* both sides have several hosts: a state and a segment are a pair only if they belong to one */
	bool by_host;
	struct histree_join_query query;
	struct histree_cursor *states; /* of those at the start of the range */
	struct histree_cursor *changes;
	struct histree_cursor *segments;
	size_t losses_seen; /* of the segments */
	/* What comes next of either kind. */
	struct histree_change change;
	size_t change_at; /* of its intervals */
	struct histree_segment segment;
	bool changes_end, has_segment, segments_end;
	/* What the line crosses, and what has arrived there last: `partner_at` of the other kind are done. */
	struct active_states active_states;
	struct active_segments active_segments;
	size_t pass_at; /* number of active segments at which those that ended are let go of */
	enum arrival arrival;
	histree_quark arrived_quark;
	const struct histree_segment *arrived_segment;
	size_t partner_at;
	/* With keys: the attributes that have them, and the states and segments that share one with the arrival. */
	struct join_keys keys;
	struct partners partners;
};

static enum histree_status next_pair(struct histree_cursor *cursor, struct histree_error *error);
static void free_join(struct histree_cursor *cursor);

static const struct cursor_kind kind_of_joins = {
	.rows = CURSOR_PAIRS,
	.next = next_pair,
	.free = free_join,
};

static struct join *join_of(struct histree_cursor *cursor)
{
	assert(cursor->kind == &kind_of_joins);
	return (struct join *)cursor;
}

enum histree_status histree_join_create(struct histree_history *history, struct histree_segment_store *store,
					struct histree_cursor **out, struct histree_error *error)
{
	*out = NULL;
	struct join *join = calloc(1, sizeof(*join));
	if (join == NULL)
		return error_memory(error, "a join");
	join->cursor = (struct histree_cursor){ .kind = &kind_of_joins, .row = &join->pair };
	join->history = history;
	size_t hosts, parts;
	join->by_host = histree_history_hosts(history, &hosts) != NULL &&
			histree_segment_store_parts(store, &parts) != NULL;
	join->changes_end = join->segments_end = true;
	enum histree_status status = histree_query_create(history, &join->states, error);
	if (status == HISTREE_OK)
		status = histree_changes_create(history, &join->changes, error);
	if (status == HISTREE_OK)
		status = histree_segments_create(store, &join->segments, error);
	if (status == HISTREE_OK &&
	    (!active_states_init(&join->active_states, histree_history_info(history)->attribute_count) ||
	     !join_keys_init(&join->keys, histree_history_info(history)->attribute_count)))
		status = error_memory(error, "a join");
	join->active_segments.field_count =
		status == HISTREE_OK ? histree_segment_store_info(store)->schema.field_count : 0;
	if (status != HISTREE_OK) {
		histree_cursor_free(&join->cursor);
		return status;
	}
	*out = &join->cursor;
	return HISTREE_OK;
}

static void free_join(struct histree_cursor *cursor)
{
	struct join *join = join_of(cursor);
	histree_cursor_free(join->states);
	histree_cursor_free(join->changes);
	histree_cursor_free(join->segments);
	active_states_clear(&join->active_states);
	free(join->active_states.states);
	free(join->active_states.places);
	active_segments_clear(&join->active_segments);
	free(join->active_segments.segments);
	hash_index_release(&join->keys.numbers);
	free(join->keys.attributes);
	free(join->keys.first_of);
	free(join->keys.keys);
	free(join->keys.active);
	free(join->keys.segments);
	free(join->partners.partners);
	free(join);
}

/* ---- hosts ------------------------------------------------------------------------------------------- */

static struct histree_value host_of_attribute(const struct join *join, histree_quark quark)
{
	size_t count;
	const struct histree_history_host *hosts = histree_history_hosts(join->history, &count);
	return histree_string(hosts[histree_history_host_of(join->history, quark)].name);
}

/* The last field of a union is the host. */
static struct histree_value host_of_segment(const struct join *join, const struct histree_segment *segment)
{
	return segment->content[join->active_segments.field_count - 1];
}

/* The keys of a host are others than the same ones of another host. */
static uint64_t key_within(uint64_t key, struct histree_value host)
{
	return hash_mix(key ^ hash_bytes(host.bytes, host.size));
}

/* ---- keys -------------------------------------------------------------------------------------------- */

static bool has_keys(const struct join *join)
{
	return join->query.attribute_key != NULL;
}

/* Returns the number of the key of a segment; HASH_INDEX_NONE: no attribute has it. */
static uint32_t key_of(const struct join *join, const struct histree_segment *segment)
{
	uint64_t key;
	if (!join->query.segment_key(join->query.key_context, segment, &key))
		return HASH_INDEX_NONE;
	return join_keys_find(&join->keys, join->by_host ? key_within(key, host_of_segment(join, segment)) : key);
}

/* ---- arrivals ---------------------------------------------------------------------------------------- */

static const struct histree_interval *state_of(const struct join *join, histree_quark quark)
{
	return &join->active_states.states[join->active_states.places[quark] - 1];
}

static bool takes_part(const struct join *join, const struct histree_interval *state)
{
	const struct histree_join_query *query = &join->query;
	return query->state != NULL ? query->state(query->state_context, state) : state->value.type != HISTREE_NULL;
}

/* The attribute has a new state, or none that takes part. */
static enum histree_status take_state(struct join *join, const struct histree_interval *state,
				      struct histree_error *error)
{
	if (has_keys(join) && join->active_states.places[state->quark] != 0)
		join_keys_leave(&join->keys, state->quark);
	if (!takes_part(join, state)) {
		active_states_drop(&join->active_states, state->quark);
		return HISTREE_OK;
	}
	if (!active_states_set(&join->active_states, state))
		return error_memory(error, "a join");
	join->arrival = STATE_ARRIVED;
	join->arrived_quark = state->quark;
	if (has_keys(join)) {
		/* The attribute has a state that is active, or none any more; it had none, or one. */
		for (size_t place = join->keys.first_of[state->quark];
		     join_keys_is_of(&join->keys, place, state->quark); place++) {
			struct keyed_attribute *entering = &join->keys.attributes[place];
			uint32_t *first = &join->keys.active[entering->key];
			assert(entering->key < join->keys.key_count);
			entering->previous = 0;
			entering->next = *first;
			*first = (uint32_t)place + 1;
			if (entering->next != 0)
				join->keys.attributes[entering->next - 1].previous = *first;
		}
		if (!partners_of_state(&join->partners, &join->keys, state_of(join, state->quark)))
			return error_memory(error, "a join");
	}
	join->partner_at = 0;
	return HISTREE_OK;
}

static enum histree_status take_next_state(struct join *join, struct histree_error *error)
{
	const struct histree_change *change = &join->change;
	if (join->change_at == 0 && !has_keys(join))
		active_segments_pass(&join->active_segments, change->time);
	return take_state(join, &change->intervals[join->change_at++], error);
}

static void pass_segments(struct join *join, histree_time t)
{
	enum { WORTH_IT = 64 };
	if (join->active_segments.count < join->pass_at)
		return;
	active_segments_pass(&join->active_segments, t);
	join->pass_at = 2 * join->active_segments.count + WORTH_IT;
}

static enum histree_status take_next_segment(struct join *join, struct histree_error *error)
{
	struct active_segments *active = &join->active_segments;
	size_t memory_max = join->query.memory_max != 0 ? join->query.memory_max : memory_default;
	struct active_segment **list = NULL;
	join->has_segment = false;
	uint32_t key = has_keys(join) ? key_of(join, &join->segment) : 0;
	if (key == HASH_INDEX_NONE)
		return HISTREE_OK;
	if (has_keys(join))
		list = &join->keys.segments[key];
	pass_segments(join, join->segment.start);
	join->arrived_segment = active_segments_add(active, &join->segment, list);
	if (join->arrived_segment == NULL)
		return error_memory(error, "a join");
	if (has_keys(join) &&
	    !partners_of_segment(&join->partners, &join->keys, key, &join->active_states, join->arrived_segment))
		return error_memory(error, "a join");
	if (active->bytes > memory_max)
		active_segments_pass(active, join->segment.start);
	if (active->bytes > memory_max)
		return error_set(error, HISTREE_ERR_TOO_LARGE,
				 "%zu segments overlap at %" PRId64 ", more than %zu bytes hold; choose fewer",
				 active->count, join->segment.start, memory_max);
	join->arrival = SEGMENT_ARRIVED;
	join->partner_at = 0;
	return HISTREE_OK;
}

static enum histree_status next_segment(struct join *join, struct histree_error *error)
{
	const enum histree_status status = histree_cursor_next(join->segments, error);
	enum histree_status kept = HISTREE_OK;
	size_t lost;
	const struct histree_loss *losses = histree_cursor_losses(join->segments, &lost);
	for (; kept == HISTREE_OK && join->losses_seen < lost; join->losses_seen++)
		kept = cursor_lose(&join->cursor, &losses[join->losses_seen], error);
	if (status == HISTREE_OK)
		join->segment = *histree_cursor_segment(join->segments);
	return kept == HISTREE_OK ? status : kept;
}

/* Have what comes next of either kind. */
static enum histree_status look_ahead(struct join *join, struct histree_error *error)
{
	if (!join->changes_end && join->change_at == join->change.count) {
		enum histree_status status = histree_cursor_next(join->changes, error);
		if (status != HISTREE_OK && status != HISTREE_END)
			return status;
		join->change =
			status == HISTREE_OK ? *histree_cursor_change(join->changes) : (struct histree_change){ 0 };
		join->change_at = 0;
		join->changes_end = status == HISTREE_END;
	}
	if (!join->segments_end && !join->has_segment) {
		enum histree_status status = next_segment(join, error);
		if (status != HISTREE_OK && status != HISTREE_END)
			return status;
		join->has_segment = status == HISTREE_OK;
		join->segments_end = status == HISTREE_END;
	}
	return HISTREE_OK;
}

static enum histree_status next_arrival(struct join *join, struct histree_error *error)
{
	enum histree_status status = look_ahead(join, error);
	if (status != HISTREE_OK)
		return status;
	const struct active_segments *active = &join->active_segments;
	if (!join->has_segment && (active->count == 0 || join->change.time > active->latest_end))
		return HISTREE_END; /* no state meets anything any more */
	if (!join->changes_end && (!join->has_segment || join->change.time <= join->segment.start))
		return take_next_state(join, error);
	return join->has_segment ? take_next_segment(join, error) : HISTREE_END;
}

/* ---- pairs ------------------------------------------------------------------------------------------- */

static bool belong_together(const struct join *join, const struct histree_interval *state,
			    const struct histree_segment *segment)
{
	const struct histree_join_query *query = &join->query;
	if (join->by_host) {
		const struct histree_value of_state = host_of_attribute(join, state->quark);
		const struct histree_value of_segment = host_of_segment(join, segment);
		if (!histree_value_equal(&of_state, &of_segment))
			return false;
	}
	return query->pair == NULL || query->pair(query->pair_context, state, segment);
}

/* How many of the other kind may be a pair with what has arrived. */
static size_t partner_total(const struct join *join)
{
	if (join->arrival == NO_ARRIVAL)
		return 0;
	if (has_keys(join))
		return join->partners.count;
	return join->arrival == STATE_ARRIVED ? join->active_segments.count : join->active_states.count;
}

static struct partner partner_of(const struct join *join, size_t at)
{
	if (has_keys(join))
		return join->partners.partners[at];
	if (join->arrival == STATE_ARRIVED)
		return (struct partner){ at, state_of(join, join->arrived_quark),
					 &join->active_segments.segments[at]->segment };
	return (struct partner){ at, &join->active_states.states[at], join->arrived_segment };
}

/* The next pair of the arrival; false if it has no more partners. */
static bool next_partner(struct join *join, struct histree_join_pair *out)
{
	size_t count = partner_total(join);
	while (join->partner_at < count) {
		const struct partner partner = partner_of(join, join->partner_at++);
		out->state = partner.state;
		out->segment = partner.segment;
		if (belong_together(join, out->state, out->segment))
			return true;
	}
	join->arrival = NO_ARRIVAL;
	return false;
}

static void set_overlap(const struct join *join, struct histree_join_pair *pair)
{
	pair->start = pair->state->start > pair->segment->start ? pair->state->start : pair->segment->start;
	pair->end = pair->state->end < pair->segment->end ? pair->state->end : pair->segment->end;
	if (pair->start < join->query.from)
		pair->start = join->query.from;
	if (pair->end > join->query.to)
		pair->end = join->query.to;
}

static void end_join(struct join *join)
{
	join->arrival = NO_ARRIVAL;
	join->changes_end = join->segments_end = true;
	join->has_segment = false;
	join->change = (struct histree_change){ .count = 0 };
	join->change_at = 0;
	active_states_clear(&join->active_states);
	active_segments_clear(&join->active_segments);
}

static enum histree_status next_pair(struct histree_cursor *cursor, struct histree_error *error)
{
	struct join *join = join_of(cursor);
	while (!next_partner(join, &join->pair)) {
		enum histree_status status = next_arrival(join, error);
		if (status != HISTREE_OK) {
			end_join(join);
			return status;
		}
	}
	set_overlap(join, &join->pair);
	return HISTREE_OK;
}

/* ---- the start --------------------------------------------------------------------------------------- */

static bool add_keys_of(struct join *join, histree_quark quark)
{
	const struct histree_join_query *query = &join->query;
	uint64_t key;
	for (size_t i = 0; query->attribute_key(query->key_context, quark, i, &key); i++)
		if (!join_keys_add(&join->keys, quark,
				   join->by_host ? key_within(key, host_of_attribute(join, quark)) : key))
			return false;
	return true;
}

static enum histree_status take_keys(struct join *join, struct histree_error *error)
{
	const struct histree_join_query *query = &join->query;
	bool all = query->quarks == NULL;
	size_t count = all ? histree_history_info(join->history)->attribute_count : query->quark_count;
	/* Forget all attributes and keys. */
	join->keys.count = join->keys.key_count = 0;
	hash_index_clear(&join->keys.numbers);
	if (!has_keys(join))
		return HISTREE_OK;
	for (size_t i = 0; i < count; i++)
		if (!add_keys_of(join, all ? (histree_quark)i : query->quarks[i]))
			return error_memory(error, "a join");
	return HISTREE_OK;
}

/* The states that hold when the range begins; there is no segment yet that they could meet. */
static enum histree_status take_first_states(struct join *join, struct histree_error *error)
{
	const struct histree_join_query *query = &join->query;
	const struct histree_region region = {
		.quarks = query->quarks, .quark_count = query->quark_count, .from = query->from, .to = query->from
	};
	struct histree_interval state;
	enum histree_status status = histree_query_start(join->states, &region, error);
	while (status == HISTREE_OK && (status = histree_cursor_next(join->states, error)) == HISTREE_OK) {
		state = *histree_cursor_interval(join->states);
		status = take_state(join, &state, error);
	}
	join->arrival = NO_ARRIVAL;
	return status == HISTREE_END ? HISTREE_OK : status;
}

static enum histree_status start_changes(struct join *join, struct histree_error *error)
{
	const struct histree_join_query *query = &join->query;
	if (query->from == query->to)
		return HISTREE_OK;
	const struct histree_changes_region region = {
		.quarks = query->quarks, .quark_count = query->quark_count, .from = query->from + 1, .to = query->to
	};
	enum histree_status status = histree_changes_start(join->changes, &region, error);
	join->changes_end = status != HISTREE_OK;
	return status;
}

enum histree_status histree_join_start(struct histree_cursor *cursor, const struct histree_join_query *query,
				       struct histree_error *error)
{
	struct join *join = join_of(cursor);
	const struct histree_segment_query segments = {
		.from = query->from,
		.to = query->to,
		.order = HISTREE_SEGMENTS_BY_START,
		.filter = query->segment,
		.filter_context = query->segment_context,
	};
	const struct histree_region whole = {
		.quarks = query->quarks, .quark_count = query->quark_count, .from = query->from, .to = query->to
	};
	end_join(join);
	cursor_forget_losses(cursor);
	join->losses_seen = 0;
	join->query = *query;
	enum histree_status status = histree_query_start(join->states, &whole, error);
	if (status == HISTREE_OK)
		status = take_keys(join, error);
	if (status == HISTREE_OK)
		status = take_first_states(join, error);
	if (status == HISTREE_OK)
		status = start_changes(join, error);
	if (status == HISTREE_OK)
		status = histree_segments_start(join->segments, &segments, NULL, error);
	join->segments_end = status != HISTREE_OK;
	if (status != HISTREE_OK)
		end_join(join);
	return status;
}
