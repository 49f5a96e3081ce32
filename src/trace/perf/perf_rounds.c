// SPDX-License-Identifier: MIT
#include "trace/perf/perf_rounds.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

/* What an entry depends on: the rounds up to so many before the last. */
enum { ROUNDS_BEFORE = 2 };

static struct perf_round *round_of(struct perf_rounds *rounds, uint64_t number)
{
	return &rounds->known[number % PERF_ROUNDS_KNOWN];
}

void perf_rounds_begin(struct perf_rounds *rounds, uint64_t offset)
{
	uint64_t number = rounds->begun++;
	*round_of(rounds, number) = (struct perf_round){ .offset = offset };
	rounds->alive[number % PERF_ROUNDS_ALIVE].size = 0;
	rounds->added_count = 0;
}

size_t perf_rounds_size(const struct perf_rounds *rounds)
{
	/* Until they are merged, entries are in two arrays and a third. */
	return rounds->alive[(rounds->begun - 1) % PERF_ROUNDS_ALIVE].size +
	       3 * rounds->added_count * sizeof(*rounds->added);
}

bool perf_rounds_add(struct perf_rounds *rounds, struct perf_entry entry, const void *record, size_t size,
		     bool counts)
{
	uint64_t number = rounds->begun - 1, slot = number % PERF_ROUNDS_ALIVE;
	struct perf_round *round = round_of(rounds, number);
	uint8_t **bytes = &rounds->alive[slot].bytes;
	size_t begin = rounds->alive[slot].size;
	bool has_room =
		begin + size + 8 <= rounds->alive[slot].capacity && rounds->added_count < rounds->added_capacity;
	if (!has_room && (!array_reserve(bytes, &rounds->alive[slot].capacity, begin + size + 8) ||
			  !array_reserve(&rounds->added, &rounds->added_capacity, rounds->added_count + 1)))
		return false;
	if (size > 0)
		memcpy(*bytes + begin, record, size);
	rounds->alive[slot].size = begin + (size + 7) / 8 * 8;
	entry.place = (uint32_t)slot << 30 | (uint32_t)(begin / 8);
	rounds->added[rounds->added_count++] = entry;
	round->count += counts;
	if (!round->has_latest || entry.time > round->latest) {
		round->has_latest = true;
		round->latest = entry.time;
	}
	return true;
}

/* ---- order ----------------------------------------------------------------------------------------------- */

static inline bool is_before(const struct perf_entry *a, const struct perf_entry *b)
{
	return a->time != b->time ? a->time < b->time : a->cpu < b->cpu;
}

/* Returns how many entries from the first on are in order. */
static size_t run_length(const struct perf_entry *entries, size_t count)
{
	size_t length = count > 0;
	while (length < count && !is_before(&entries[length], &entries[length - 1]))
		length++;
	return length;
}

/* Of two that are equal, that of the first comes first. */
static void merge(const struct perf_entry *first, size_t first_count, const struct perf_entry *second,
		  size_t second_count, struct perf_entry *out)
{
	const struct perf_entry *first_end = first + first_count, *second_end = second + second_count;
	while (first < first_end && second < second_end)
		*out++ = is_before(second, first) ? *second++ : *first++;
	memcpy(out, first, (size_t)(first_end - first) * sizeof(*out));
	memcpy(out + (first_end - first), second, (size_t)(second_end - second) * sizeof(*out));
}

/* What is in order already, such as the entries of one CPU, is merged with what follows it. */
static void merge_runs(const struct perf_entry *from, size_t count, struct perf_entry *to)
{
	for (size_t at = 0; at < count;) {
		size_t first = run_length(from + at, count - at);
		size_t second = run_length(from + at + first, count - at - first);
		merge(from + at, first, from + at + first, second, to + at);
		at += first + second;
	}
}

static bool sort_added(struct perf_rounds *rounds)
{
	size_t count = rounds->added_count;
	while (run_length(rounds->added, count) < count) {
		if (!array_reserve(&rounds->scratch, &rounds->scratch_capacity, count))
			return false;
		struct perf_entry *from = rounds->added;
		size_t capacity = rounds->added_capacity;
		merge_runs(from, count, rounds->scratch);
		rounds->added = rounds->scratch;
		rounds->added_capacity = rounds->scratch_capacity;
		rounds->scratch = from;
		rounds->scratch_capacity = capacity;
	}
	return true;
}

static bool merge_added(struct perf_rounds *rounds)
{
	size_t left = rounds->count - rounds->next, count = left + rounds->added_count;
	if (!array_reserve(&rounds->scratch, &rounds->scratch_capacity, count + 1))
		return false;
	if (left > 0)
		merge(rounds->pending + rounds->next, left, rounds->added, rounds->added_count, rounds->scratch);
	else if (rounds->added_count > 0)
		memcpy(rounds->scratch, rounds->added, rounds->added_count * sizeof(*rounds->added));
	struct perf_entry *entries = rounds->pending;
	size_t capacity = rounds->capacity;
	rounds->pending = rounds->scratch;
	rounds->capacity = rounds->scratch_capacity;
	rounds->scratch = entries;
	rounds->scratch_capacity = capacity;
	rounds->next = 0;
	rounds->count = count;
	return true;
}

bool perf_rounds_end(struct perf_rounds *rounds, bool is_last)
{
	uint64_t number = rounds->begun - 1;
	rounds->has_limit = is_last;
	rounds->limit = INT64_MAX;
	if (!is_last && number >= 1) {
		const struct perf_round *before = round_of(rounds, number - 1);
		rounds->has_limit = before->has_latest;
		rounds->limit = before->latest;
	}
	return sort_added(rounds) && merge_added(rounds);
}

const struct perf_entry *perf_rounds_peek(const struct perf_rounds *rounds)
{
	if (!rounds->has_limit || rounds->next == rounds->count)
		return NULL;
	const struct perf_entry *entry = &rounds->pending[rounds->next];
	return entry->time <= rounds->limit ? entry : NULL;
}

void perf_rounds_take(struct perf_rounds *rounds, bool counts)
{
	/* The last round that has this slot. */
	uint64_t slot = rounds->pending[rounds->next++].place >> 30, last = rounds->begun - 1;
	uint64_t back = (last - slot) % PERF_ROUNDS_ALIVE;
	assert(back <= last);
	round_of(rounds, last - back)->emitted += counts;
}

uint64_t perf_rounds_base(const struct perf_rounds *rounds, uint64_t *before)
{
	uint64_t last = rounds->begun - 1, first = last < ROUNDS_BEFORE ? 0 : last - ROUNDS_BEFORE;
	*before = 0;
	for (uint64_t number = first; number <= last; number++)
		*before += rounds->known[number % PERF_ROUNDS_KNOWN].emitted;
	return rounds->known[first % PERF_ROUNDS_KNOWN].offset;
}

void perf_rounds_release(struct perf_rounds *rounds)
{
	for (size_t i = 0; i < PERF_ROUNDS_ALIVE; i++)
		free(rounds->alive[i].bytes);
	free(rounds->pending);
	free(rounds->added);
	free(rounds->scratch);
	*rounds = (struct perf_rounds){ 0 };
}
