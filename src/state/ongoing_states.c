// SPDX-License-Identifier: MIT
/*
 * ongoing_states.c - states that have not ended, or are not decided yet, and the sink where intervals go.
 *
 * Undecided states are runs of pieces, kept in buckets by the fact for which they wait.
 */
#include "state/ongoing_states.h"

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/hash_index.h"
#include "base/table.h"
#include "histree/history.h"
#include "histree/value.h"

/* ---- value pool ---------------------------------------------------------------------------------------------- */

enum { UNHELD_BYTES_MIN = 64 << 10 };

/* What a value costs; the overhead makes values without bytes count too. */
static size_t cost_of(const struct pooled_value *value)
{
	return sizeof(*value) + value->size;
}

struct wanted {
	const void *bytes;
	uint32_t size;
};

static bool has_bytes(const void *values, uint32_t id, const void *key)
{
	const struct pooled_value *value = (const struct pooled_value *)values + id;
	const struct wanted *wanted = key;
	return value->size == wanted->size &&
	       (wanted->size == 0 || memcmp(value->bytes, wanted->bytes, wanted->size) == 0);
}

static uint64_t hash_of(const void *values, uint32_t id)
{
	const struct pooled_value *value = (const struct pooled_value *)values + id;
	return hash_bytes(value->bytes, value->size);
}

static void forget_unheld(struct value_pool *pool)
{
	hash_index_clear(&pool->index);
	for (uint32_t id = 0; id < pool->count; id++) {
		struct pooled_value *value = &pool->values[id];
		if (value->holders > 0)
			hash_index_add(&pool->index, hash_of(pool->values, id), id);
		if (value->bytes == NULL || value->holders > 0)
			continue;
		free(value->bytes);
		*value = (struct pooled_value){ .size = pool->free_id };
		pool->free_id = id + 1;
	}
	pool->unheld_bytes = 0;
}

/* The arrays count as well, because forgetting goes through all of them: that keeps its share constant. */
static bool worth_forgetting(const struct value_pool *pool)
{
	size_t kept = pool->held_bytes + pool->count * sizeof(*pool->values) +
		      pool->index.slot_count * sizeof(*pool->index.slots);
	return pool->unheld_bytes > UNHELD_BYTES_MIN + kept / 4;
}

static bool take_id(struct value_pool *pool, uint32_t *id)
{
	if (pool->free_id != 0) {
		*id = pool->free_id - 1;
		assert(*id < pool->count && pool->values[*id].bytes == NULL);
		pool->free_id = pool->values[*id].size;
		return true;
	}
	if (pool->count == UINT32_MAX / 4 ||
	    !table_reserve(&pool->table, &pool->values, &pool->capacity, (size_t)pool->count + 1))
		return false;
	*id = pool->count++;
	return true;
}

/* Whether the id is that of a value with these bytes.  A free id has no bytes, and is not in the index. */
static inline bool is_recent(const struct value_pool *pool, uint32_t id, const void *bytes, uint32_t size)
{
	return id < pool->count && pool->values[id].bytes != NULL && pool->values[id].size == size &&
	       (size == 0 || memcmp(pool->values[id].bytes, bytes, size) == 0);
}

/*
 * Hold these bytes, which may be bytes of the pool itself.  Returns false if memory runs out, which never happens
 * for bytes that the pool has already.
 */
static bool value_pool_hold(struct value_pool *pool, const void *bytes, uint32_t size, uint32_t *id)
{
	uint32_t *recent = &pool->recent[hash_ends(bytes, size) % POOL_RECENT], known = *recent;
	if (!is_recent(pool, known, bytes, size)) {
		uint64_t hash = hash_bytes(bytes, size);
		known = hash_index_find(&pool->index, hash, has_bytes, pool->values,
					&(struct wanted){ bytes, size });
		if (known == HASH_INDEX_NONE) {
			unsigned char *copy = malloc(size > 0 ? size : 1);
			if (copy == NULL)
				return false;
			if (size > 0)
				memcpy(copy, bytes, size);
			/* Only now: `bytes` may be part of a value without a holder. */
			if (worth_forgetting(pool))
				forget_unheld(pool);
			if (!hash_index_reserve(&pool->index, (size_t)pool->index.count + 1, hash_of,
						pool->values) ||
			    !take_id(pool, id)) {
				free(copy);
				return false;
			}
			pool->values[*id] = (struct pooled_value){ .bytes = copy, .size = size, .holders = 1 };
			hash_index_add(&pool->index, hash, *id);
			assert(pool->index.count <= pool->count);
			pool->held_bytes += cost_of(&pool->values[*id]);
			return true;
		}
		*recent = known;
	}
	struct pooled_value *value = &pool->values[known];
	assert(value->bytes != NULL && value->size == size);
	if (value->holders++ == 0) {
		assert(pool->unheld_bytes >= cost_of(value));
		pool->unheld_bytes -= cost_of(value);
		pool->held_bytes += cost_of(value);
	}
	*id = known;
	return true;
}

static void value_pool_drop(struct value_pool *pool, uint32_t id)
{
	assert(id < pool->count);
	struct pooled_value *value = &pool->values[id];
	assert(value->holders > 0 && value->bytes != NULL);
	if (--value->holders == 0) {
		assert(pool->held_bytes >= cost_of(value));
		pool->held_bytes -= cost_of(value);
		pool->unheld_bytes += cost_of(value);
	}
}

/* ---- ongoing states ------------------------------------------------------------------------------------------ */

_Static_assert(sizeof(struct ongoing_state) == 24, "the memory an attribute takes is promised above");

void ongoing_states_use_space(struct ongoing_states *ongoing, struct table_space *space)
{
	ongoing->table.space = ongoing->pool.table.space = ongoing->pool.index.table.space = space;
}

bool ongoing_states_reserve(struct ongoing_states *ongoing, size_t count)
{
	return table_reserve(&ongoing->table, &ongoing->states, &ongoing->capacity, count);
}

void ongoing_states_extend(struct ongoing_states *ongoing, uint32_t count, histree_time since)
{
	assert(count <= ongoing->capacity || count <= ongoing->count);
	assert(ongoing->count <= ongoing->capacity);
	while (ongoing->count < count)
		ongoing->states[ongoing->count++] = (struct ongoing_state){ .since = since, .type = HISTREE_NULL };
}

static bool is_text(unsigned type)
{
	return type == HISTREE_STRING || type == HISTREE_CUSTOM;
}

bool ongoing_states_hold(struct ongoing_states *ongoing, const struct histree_value *value, struct held_value *held)
{
	*held = (struct held_value){ .type = (uint8_t)value->type };
	if (value->type == HISTREE_INT) { /* most are */
		held->bits = (uint32_t)value->int32;
		return true;
	}
	switch (value->type) {
	case HISTREE_NULL:
	case HISTREE_UNKNOWN:
	case HISTREE_INT:
		break;
	case HISTREE_LONG:
		held->bits = (uint64_t)value->int64;
		break;
	case HISTREE_DOUBLE:
		memcpy(&held->bits, &value->real, sizeof(held->bits));
		break;
	case HISTREE_BOOL:
		held->bits = value->boolean;
		break;
	case HISTREE_STRING:
	case HISTREE_CUSTOM: {
		uint32_t id;
		if (!value_pool_hold(&ongoing->pool, value->bytes, value->size, &id))
			return false;
		held->bits = id;
		break;
	}
	}
	return true;
}

void ongoing_states_drop(struct ongoing_states *ongoing, const struct held_value *held)
{
	if (is_text(held->type))
		value_pool_drop(&ongoing->pool, (uint32_t)held->bits);
}

void ongoing_states_set(struct ongoing_states *ongoing, histree_quark quark, histree_time since,
			const struct held_value *held)
{
	assert(quark < ongoing->count);
	struct ongoing_state *state = &ongoing->states[quark];
	assert(!is_text(held->type) || ongoing->pool.values[held->bits].holders > 0);
	if (is_text(state->type))
		value_pool_drop(&ongoing->pool, (uint32_t)state->bits);
	state->since = since;
	state->bits = held->bits;
	state->type = held->type;
	if (state->fixed_type == HISTREE_NULL && held->type != HISTREE_UNKNOWN)
		state->fixed_type = held->type;
}

void ongoing_states_release(struct ongoing_states *ongoing)
{
	struct value_pool *pool = &ongoing->pool;
	for (uint32_t id = 0; id < pool->count; id++)
		free(pool->values[id].bytes);
	table_release(&pool->table, pool->values);
	hash_index_release(&pool->index);
	*pool = (struct value_pool){ 0 };
	table_release(&ongoing->table, ongoing->states);
	*ongoing = (struct ongoing_states){ 0 };
}

/* ---- undecided states ---------------------------------------------------------------------------------------- */

static struct undecided_piece *piece_at(const struct undecided_states *undecided, uint32_t number)
{
	assert(number > 0 && number <= undecided->used);
	return &undecided->pieces[number - 1];
}

static bool is_undecided(const struct undecided_piece *piece)
{
	return piece->fact != HISTREE_ROOT;
}

static struct histree_value value_of(const struct undecided_piece *piece)
{
	struct histree_value value = { .type = (enum histree_type)piece->type };
	if (value.type == HISTREE_INT)
		value.int32 = piece->value;
	return value;
}

static void set_value(struct undecided_piece *piece, struct histree_value value)
{
	assert(value.type == HISTREE_INT || value.type == HISTREE_UNKNOWN);
	piece->type = (uint8_t)value.type;
	piece->value = value.type == HISTREE_INT ? value.int32 : 0;
}

/* ---- room ---------------------------------------------------------------------------------------------------- */

/* Returns the number of a new piece, zeroed except for facts and attributes; 0 if memory runs out. */
static uint32_t take_piece(struct undecided_states *undecided)
{
	uint32_t number = undecided->free;
	if (number != 0) {
		undecided->free = piece_at(undecided, number)->next;
	} else {
		if (!array_reserve(&undecided->pieces, &undecided->capacity, (size_t)undecided->used + 1))
			return 0;
		number = ++undecided->used;
	}
	*piece_at(undecided, number) = (struct undecided_piece){ .quark = HISTREE_ROOT, .fact = HISTREE_ROOT };
	return number;
}

static void free_piece(struct undecided_states *undecided, uint32_t number)
{
	struct undecided_piece *piece = piece_at(undecided, number);
	assert(!is_undecided(piece));
	*piece = (struct undecided_piece){ .quark = HISTREE_ROOT, .fact = HISTREE_ROOT, .next = undecided->free };
	undecided->free = number;
}

static size_t bucket_of(histree_quark fact)
{
	return (size_t)hash_mix(fact) & (UNDECIDED_BUCKETS - 1);
}

static bool has_room(const struct undecided_states *undecided, histree_quark fact)
{
	enum { SHARE = 8 };
	return undecided->counts[bucket_of(fact)] * SHARE < UNDECIDED_MAX - undecided->total;
}

static void put_into_bucket(struct undecided_states *undecided, uint32_t number, histree_quark fact)
{
	struct undecided_piece *piece = piece_at(undecided, number);
	size_t bucket = bucket_of(fact);
	assert(fact != HISTREE_ROOT && !is_undecided(piece));
	assert(undecided->total < UNDECIDED_MAX);
	piece->fact = fact;
	piece->before_in_bucket = 0;
	piece->after_in_bucket = undecided->buckets[bucket];
	if (piece->after_in_bucket != 0)
		piece_at(undecided, piece->after_in_bucket)->before_in_bucket = number;
	undecided->buckets[bucket] = number;
	undecided->counts[bucket]++;
	undecided->total++;
}

static void take_from_bucket(struct undecided_states *undecided, uint32_t number)
{
	struct undecided_piece *piece = piece_at(undecided, number);
	assert(is_undecided(piece));
	size_t bucket = bucket_of(piece->fact);
	if (piece->before_in_bucket != 0)
		piece_at(undecided, piece->before_in_bucket)->after_in_bucket = piece->after_in_bucket;
	else
		undecided->buckets[bucket] = piece->after_in_bucket;
	if (piece->after_in_bucket != 0)
		piece_at(undecided, piece->after_in_bucket)->before_in_bucket = piece->before_in_bucket;
	assert(undecided->counts[bucket] > 0 && undecided->total > 0);
	undecided->counts[bucket]--;
	undecided->total--;
	piece->fact = HISTREE_ROOT;
}

/* The piece is of no state any more.  If it is undecided, it takes room until its fact is known, as everywhere. */
static void drop_piece(struct undecided_states *undecided, uint32_t number)
{
	struct undecided_piece *piece = piece_at(undecided, number);
	if (is_undecided(piece))
		piece->quark = HISTREE_ROOT;
	else
		free_piece(undecided, number);
}

struct undecided_states *undecided_create(struct ongoing_states *ongoing, const struct interval_sink *sink)
{
	struct undecided_states *undecided = calloc(1, sizeof(*undecided));
	if (undecided != NULL) {
		undecided->ongoing = ongoing;
		undecided->sink = sink;
	}
	return undecided;
}

void undecided_free(struct undecided_states *undecided)
{
	if (undecided != NULL)
		free(undecided->pieces);
	free(undecided);
}

/* ---- runs ---------------------------------------------------------------------------------------------------- */

static uint32_t last_of(const struct undecided_states *undecided, uint32_t first)
{
	return piece_at(undecided, first)->last;
}

/* Add a certain piece to the run of the ongoing state, or begin a run with it.  Returns 0 if memory runs out. */
static uint32_t add_piece(struct undecided_states *undecided, histree_quark quark, histree_time from,
			  struct histree_value value)
{
	struct ongoing_state *state = &undecided->ongoing->states[quark];
	uint32_t number = take_piece(undecided);
	if (number == 0)
		return 0;
	struct undecided_piece *piece = piece_at(undecided, number);
	piece->quark = quark;
	piece->from = from;
	piece->to = INT64_MAX;
	set_value(piece, value);
	if (state->run == 0) {
		state->run = piece->first = piece->last = number;
		piece->open = 1;
		return number;
	}
	assert(piece_at(undecided, state->run)->quark == quark);
	struct undecided_piece *last = piece_at(undecided, last_of(undecided, state->run));
	assert(last->from < from);
	last->to = from - 1;
	last->next = number;
	piece->first = state->run;
	piece_at(undecided, state->run)->last = number;
	return number;
}

/* The run has no pieces after `end`. */
static void cut_run(struct undecided_states *undecided, uint32_t first, histree_time end)
{
	struct undecided_piece *run = piece_at(undecided, first);
	assert(run->from <= end);
	assert(run->first == first);
	bool is_whole = piece_at(undecided, run->last)->from <= end;
	uint32_t last = is_whole ? run->last : first, next;
	while ((next = piece_at(undecided, last)->next) != 0 && piece_at(undecided, next)->from <= end)
		last = next;
	piece_at(undecided, last)->next = 0;
	run->last = last;
	if (piece_at(undecided, last)->to > end)
		piece_at(undecided, last)->to = end;
	while (next != 0) {
		uint32_t after = piece_at(undecided, next)->next;
		run->open -= is_undecided(piece_at(undecided, next));
		drop_piece(undecided, next);
		next = after;
	}
}

static enum histree_status give(const struct interval_sink *sink, const struct histree_interval *interval,
				const uint32_t *token, struct histree_error *error)
{
	return token != NULL && sink->add_late != NULL ? sink->add_late(sink->context, interval, *token, error)
						       : sink->add(sink->context, interval, error);
}

/* Give the sink a run up to `end`: neighbours of one value are one interval. */
static enum histree_status give_run(const struct undecided_states *undecided, const struct interval_sink *sink,
				    uint32_t first, histree_time end, const uint32_t *token,
				    struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	for (uint32_t at = first; at != 0 && status == HISTREE_OK;) {
		const struct undecided_piece *piece = piece_at(undecided, at);
		if (piece->from > end)
			break;
		struct histree_interval interval = {
			.start = piece->from, .end = piece->to, .quark = piece->quark, .value = value_of(piece)
		};
		while ((at = piece->next) != 0) {
			const struct histree_value next = value_of(piece_at(undecided, at));
			if (!histree_value_equal(&interval.value, &next))
				break;
			piece = piece_at(undecided, at);
			interval.end = piece->to;
		}
		interval.end = interval.end < end ? interval.end : end;
		assert(interval.start <= interval.end && interval.quark != HISTREE_ROOT);
		status = give(sink, &interval, token, error);
	}
	return status;
}

static void free_run(struct undecided_states *undecided, uint32_t first)
{
	for (uint32_t at = first, next; at != 0; at = next) {
		next = piece_at(undecided, at)->next;
		free_piece(undecided, at);
	}
}

/* All pieces of a run that has ended are decided. */
static enum histree_status finish_run(struct undecided_states *undecided, uint32_t first,
				      struct histree_error *error)
{
	const uint32_t token = piece_at(undecided, first)->token;
	assert(piece_at(undecided, first)->open == 0);
	enum histree_status status = give_run(undecided, undecided->sink, first, INT64_MAX, &token, error);
	free_run(undecided, first);
	return status;
}

/* All pieces of a run that goes on are decided, and as they were believed: it is a state like any other. */
static void forget_if_plain(struct undecided_states *undecided, uint32_t first)
{
	const struct undecided_piece *run = piece_at(undecided, first);
	struct ongoing_state *state = &undecided->ongoing->states[run->quark];
	const struct histree_value now = ongoing_states_value(undecided->ongoing, run->quark);
	assert(run->first == first);
	if (run->open != 1 || state->run != first)
		return;
	for (uint32_t at = first; at != 0; at = piece_at(undecided, at)->next) {
		const struct histree_value value = value_of(piece_at(undecided, at));
		if (!histree_value_equal(&value, &now))
			return;
	}
	state->run = 0;
	free_run(undecided, first);
}

/* ---- changes ------------------------------------------------------------------------------------------------- */

bool undecided_goes_on_alike(const struct undecided_states *undecided, histree_quark quark,
			     const struct undecided_value *value)
{
	uint32_t run = undecided->ongoing->states[quark].run;
	if (run == 0)
		return false;
	const struct undecided_piece *last = piece_at(undecided, last_of(undecided, run));
	const struct histree_value now = value_of(last);
	return last->fact == value->fact && last->if_null == value->if_null && last->if_other == value->if_other &&
	       histree_value_equal(&now, &value->believed);
}

enum histree_status undecided_add(struct undecided_states *undecided, histree_time t, histree_quark quark,
				  const struct undecided_value *value, struct histree_error *error)
{
	const struct ongoing_state *state = &undecided->ongoing->states[quark];
	const histree_time from = t > state->since ? t : state->since;
	bool has_memory = true;
	uint32_t number = 0;
	if (!has_room(undecided, value->fact))
		return HISTREE_NOT_FOUND;
	if (state->run != 0)
		number = last_of(undecided, state->run); /* certain from then on, as it was just said */
	else if (state->since < from)
		has_memory = add_piece(undecided, quark, state->since, value->believed) != 0;
	if (has_memory && (number == 0 || piece_at(undecided, number)->from < from))
		number = add_piece(undecided, quark, from, value->believed);
	if (!has_memory || number == 0)
		return error_memory(error, "states that are not decided");
	struct undecided_piece *piece = piece_at(undecided, number);
	assert(!is_undecided(piece));
	piece->if_null = value->if_null;
	piece->if_other = value->if_other;
	put_into_bucket(undecided, number, value->fact);
	piece_at(undecided, piece->first)->open++;
	return HISTREE_OK;
}

enum histree_status undecided_go_on(struct undecided_states *undecided, histree_quark quark, histree_time t,
				    struct histree_error *error)
{
	const struct ongoing_state *state = &undecided->ongoing->states[quark];
	assert(state->run != 0);
	if (t <= state->since) {
		undecided_replace(undecided, quark);
		return HISTREE_OK;
	}
	const struct undecided_piece *last = piece_at(undecided, last_of(undecided, state->run));
	if (last->from <= t && !is_undecided(last))
		return HISTREE_OK;
	cut_run(undecided, state->run, t - 1);
	return add_piece(undecided, quark, t, ongoing_states_value(undecided->ongoing, quark)) != 0
		       ? HISTREE_OK
		       : error_memory(error, "states that are not decided");
}

void undecided_replace(struct undecided_states *undecided, histree_quark quark)
{
	struct ongoing_state *state = &undecided->ongoing->states[quark];
	for (uint32_t at = state->run, next; at != 0; at = next) {
		next = piece_at(undecided, at)->next;
		drop_piece(undecided, at);
	}
	state->run = 0;
}

enum histree_status undecided_end(struct undecided_states *undecided, histree_quark quark, histree_time end,
				  struct histree_error *error)
{
	const struct interval_sink *sink = undecided->sink;
	struct ongoing_state *state = &undecided->ongoing->states[quark];
	const uint32_t first = state->run;
	const struct histree_interval interval = {
		.start = state->since,
		.end = end,
		.quark = quark,
		.value = ongoing_states_value(undecided->ongoing, quark),
	};
	assert(first != 0 && piece_at(undecided, first)->quark == quark);
	cut_run(undecided, first, end);
	forget_if_plain(undecided, first);
	if (state->run == 0)
		return give(sink, &interval, NULL, error);
	struct undecided_piece *run = piece_at(undecided, first);
	enum histree_status status = HISTREE_OK;
	state->run = 0;
	assert(run->open > 0);
	run->open--;
	if (sink->withhold != NULL)
		status = sink->withhold(sink->context, &interval, &run->token, error);
	return status == HISTREE_OK && run->open == 0 ? finish_run(undecided, first, error) : status;
}

/* ---- what becomes known -------------------------------------------------------------------------------------- */

enum histree_status undecided_decide(struct undecided_states *undecided, histree_quark fact,
				     enum undecided_outcome outcome, histree_time since,
				     struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	for (uint32_t at = undecided->buckets[bucket_of(fact)], next; at != 0 && status == HISTREE_OK; at = next) {
		struct undecided_piece *piece = piece_at(undecided, at);
		next = piece->after_in_bucket;
		if (piece->fact != fact)
			continue;
		take_from_bucket(undecided, at);
		if (piece->quark == HISTREE_ROOT) {
			free_piece(undecided, at);
			continue;
		}
		const uint32_t first = piece->first;
		assert(piece_at(undecided, first)->open > 0);
		bool goes_on = piece->to == INT64_MAX;
		const bool is_known = outcome == FACT_IS_NULL || outcome == FACT_IS_OTHER;
		if (!goes_on && is_known && piece->from >= since)
			set_value(piece, histree_int(outcome == FACT_IS_NULL ? piece->if_null : piece->if_other));
		if (--piece_at(undecided, first)->open == 0)
			status = finish_run(undecided, first, error);
		else
			forget_if_plain(undecided, first);
	}
	return status;
}

uint32_t undecided_count(const struct undecided_states *undecided, histree_quark fact)
{
	uint32_t count = 0;
	for (uint32_t at = undecided->buckets[bucket_of(fact)]; at != 0;
	     at = piece_at(undecided, at)->after_in_bucket)
		count += piece_at(undecided, at)->fact == fact;
	return count;
}

bool undecided_resume(struct undecided_states *undecided, histree_quark fact, uint32_t count)
{
	if (count > UNDECIDED_MAX - undecided->total)
		return false;
	for (uint32_t i = 0; i < count; i++) {
		uint32_t number = take_piece(undecided);
		if (number == 0)
			return false;
		put_into_bucket(undecided, number, fact);
	}
	return true;
}

/* ---- the end ------------------------------------------------------------------------------------------------- */

/* Whether this is the first piece of a run. */
static bool is_first(const struct undecided_piece *piece, uint32_t number)
{
	return piece->quark != HISTREE_ROOT && piece->first == number;
}

enum histree_status undecided_tell(const struct undecided_states *undecided, const struct interval_sink *branch,
				   histree_time end, struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	for (uint32_t at = 1; at <= undecided->used && status == HISTREE_OK; at++)
		if (is_first(piece_at(undecided, at), at))
			status = give_run(undecided, branch, at, end, NULL, error);
	return status;
}

enum histree_status undecided_close(struct undecided_states *undecided, histree_time end,
				    struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	for (uint32_t at = 1; at <= undecided->used && status == HISTREE_OK; at++) {
		const struct undecided_piece *piece = piece_at(undecided, at);
		if (!is_first(piece, at))
			continue;
		struct ongoing_state *state = &undecided->ongoing->states[piece->quark];
		if (state->run == at) {
			status = undecided_end(undecided, piece->quark, end, error);
			state->since = end + 1; /* it has nothing after it */
		}
		const uint32_t token = piece_at(undecided, at)->token;
		if (status == HISTREE_OK && is_first(piece_at(undecided, at), at))
			status = give_run(undecided, undecided->sink, at, end, &token, error);
	}
	return status;
}
