// SPDX-License-Identifier: MIT
/*
 * peer_array.c - a sorted array in memory: no file, no compression, no limit.  What a query of some attributes
 * costs at least.
 *
 * 24 bytes an interval and eight an attribute; what has more than four bytes is kept once.  It has loops of its own
 * instead of those that peers on disk share, so that nothing stands between a question and its rows.
 */
#include <stdlib.h>

#include "base/error.h"
#include "base/arena.h"
#include "base/search.h"
#include "peers/kept_value.h"
#include "peers/peer.h"

struct row {
	histree_time start, end;
	uint32_t type, value; /* kept_value.h */
};

struct array {
	uint32_t attribute_count;
	struct row *rows; /* by quark, then by end */
	uint64_t count;
	uint64_t *first; /* by quark: its first row; one more at the end */
	struct intern values;
};

/* ---- build ---------------------------------------------------------------------------------------------- */

/* They come by end; a stable sort by attribute is all that is left to do. */
static void sort_rows(struct array *array, const struct row *unsorted, struct keyed_index *entries)
{
	radix_sort(entries, entries + array->count, array->count);
	uint64_t next_quark = 0;
	for (uint64_t i = 0; i < array->count; i++) {
		array->rows[i] = unsorted[entries[i].index];
		while (next_quark <= entries[i].key)
			array->first[next_quark++] = i;
	}
	while (next_quark <= array->attribute_count)
		array->first[next_quark++] = array->count;
}

static bool fill(struct array *array, const struct interval_source *source)
{
	struct row *unsorted = malloc(source->interval_count * sizeof(*unsorted));
	struct keyed_index *entries = malloc(2 * source->interval_count * sizeof(*entries));
	struct interval_cursor cursor;
	interval_cursor_begin(&cursor, source);
	struct histree_interval interval;
	bool done = unsorted != NULL && entries != NULL && array->rows != NULL && array->first != NULL;
	while (done && interval_cursor_next(&cursor, &interval)) {
		uint32_t value, index = (uint32_t)array->count++;
		done = kept_value_add(&array->values, &interval.value, &value);
		unsorted[index] = (struct row){ interval.start, interval.end, interval.value.type, value };
		entries[index] = (struct keyed_index){ .key = interval.quark, .index = index };
	}
	if (done)
		sort_rows(array, unsorted, entries);
	free(entries);
	free(unsorted);
	return done;
}

/* ---- queries -------------------------------------------------------------------------------------------- */

static inline void add_row(const struct array *array, histree_quark quark, uint64_t at, struct bench_answer *answer)
{
	const struct row *row = &array->rows[at];
	const struct histree_interval interval = { row->start, row->end, quark,
						   kept_value_get(&array->values, (enum histree_type)row->type,
								  row->value) };
	bench_answer_add(answer, &interval);
}

static inline uint64_t first_to_end(const struct array *array, uint64_t low, uint64_t high, histree_time end)
{
	return SEARCH(i, low, high, array->rows[i].end < end);
}

static void ask_range(const struct array *array, histree_quark quark, const struct histree_region *question,
		      struct bench_answer *answer)
{
	const uint64_t last = array->first[quark + 1];
	uint64_t at = first_to_end(array, array->first[quark], last, question->from);
	for (; at < last && array->rows[at].start <= question->to; at++)
		add_row(array, quark, at, answer);
}

/* Where the next time is not in the next interval either, another search is better than walking there. */
static void ask_times(const struct array *array, histree_quark quark, const struct histree_region *question,
		      struct bench_answer *answer)
{
	const uint64_t last = array->first[quark + 1];
	uint64_t at = first_to_end(array, array->first[quark], last, question->times[0]);
	for (size_t i = 0; at < last; at++) {
		if (array->rows[at].end < question->times[i])
			at = first_to_end(array, at + 1, last, question->times[i]);
		if (at == last)
			return;
		add_row(array, quark, at, answer);
		while (i < question->time_count && question->times[i] <= array->rows[at].end)
			i++;
		if (i == question->time_count)
			return;
	}
}

static enum histree_status array_ask(void *self, enum bench_shape shape, const struct histree_region *question,
				     struct bench_answer *answer, struct histree_error *error)
{
	const struct array *array = self;
	size_t count = question->quarks != NULL ? question->quark_count : array->attribute_count;
	(void)shape, (void)error;
	for (size_t i = 0; i < count; i++) {
		histree_quark quark = question->quarks != NULL ? question->quarks[i] : (histree_quark)i;
		if (question->times != NULL)
			ask_times(array, quark, question, answer);
		else
			ask_range(array, quark, question, answer);
	}
	return HISTREE_OK;
}

/* ------------------------------------------------------------------------------------------------------------ */

static uint64_t array_bytes(const void *self)
{
	const struct array *array = self;
	return array->count * sizeof(*array->rows) +
	       ((uint64_t)array->attribute_count + 1) * sizeof(*array->first) + array->values.bytes.bytes_total;
}

static void array_free(void *self)
{
	struct array *array = self;
	if (array == NULL)
		return;
	free(array->rows);
	free(array->first);
	intern_release(&array->values);
	free(array);
}

static enum histree_status array_build(const struct peer_setup *setup, void **out, struct histree_error *error)
{
	const struct interval_source *source = setup->source;
	struct array *array = calloc(1, sizeof(*array));
	*out = NULL;
	if (array == NULL)
		return error_memory(error, "the array");
	array->attribute_count = source->attribute_count;
	array->rows = malloc(source->interval_count * sizeof(*array->rows));
	array->first = malloc(((uint64_t)source->attribute_count + 1) * sizeof(*array->first));
	if (!fill(array, source)) {
		array_free(array);
		return error_memory(error, "the array");
	}
	*out = array;
	return HISTREE_OK;
}

const struct peer peer_array = {
	.name = "array",
	.build = array_build,
	.ask = array_ask,
	.bytes = array_bytes,
	.free = array_free,
};
