// SPDX-License-Identifier: MIT
/*
 * peer_tide.c - the idea of TIDE (Wang, Moti, Papadias: "Disk-Based Interval Indexes Under the Increasing Ending
 * Time Assumption", arXiv 2606.22773) in memory: intervals in classes of duration, each class in the order of end,
 * which is the order in which they come.  No file and no pages: what everything at one moment costs at least.
 *
 * Of a class whose longest interval lasts `longest`, what meets a range of times ends between its beginning and its
 * end plus `longest`: one search, and a walk over rows side by side.  A class holds durations of a quarter of a
 * power of two, so that the walk passes by few that begin too late.  Attributes have no order: those that are not
 * asked for are walked over.
 */
#include <stdlib.h>

#include "base/table.h"
#include "base/error.h"
#include "base/arena.h"
#include "base/search.h"
#include "peers/kept_value.h"
#include "peers/peer.h"

struct tide_row {
	histree_time start, end;
	histree_quark quark;
	uint32_t type, value; /* kept_value.h */
};

struct tide_class {
	struct tide_row *rows; /* by end */
	size_t count, capacity;
	uint64_t longest; /* end - start, of any row */
};

enum { TIDE_CLASSES = 4 * 64 };

struct tide {
	struct tide_class classes[TIDE_CLASSES];
	struct intern values;
	uint32_t attribute_count;
	bool *is_asked; /* by quark; all false between two questions */
};

/* ---- build ---------------------------------------------------------------------------------------------- */

/* By the highest three bits of a duration. */
static unsigned class_of(uint64_t duration)
{
	if (duration < 4)
		return (unsigned)duration;
	unsigned power = 63 - (unsigned)__builtin_clzll(duration);
	return 4 * (power - 1) + (unsigned)(duration >> (power - 2) & 3);
}

static bool add_row(struct tide *tide, const struct histree_interval *interval)
{
	const uint64_t duration = (uint64_t)interval->end - (uint64_t)interval->start;
	struct tide_class *class = &tide->classes[class_of(duration)];
	uint32_t value;
	if (!kept_value_add(&tide->values, &interval->value, &value) ||
	    !array_reserve(&class->rows, &class->capacity, class->count + 1))
		return false;
	class->rows[class->count++] =
		(struct tide_row){ interval->start, interval->end, interval->quark, interval->value.type, value };
	class->longest = duration > class->longest ? duration : class->longest;
	return true;
}

static bool fill(struct tide *tide, const struct interval_source *source)
{
	struct interval_cursor cursor;
	interval_cursor_begin(&cursor, source);
	struct histree_interval interval;
	while (interval_cursor_next(&cursor, &interval))
		if (!add_row(tide, &interval))
			return false;
	return true;
}

/* ---- queries -------------------------------------------------------------------------------------------- */

/* Whether a row that meets the range is asked for. */
static inline bool is_wanted(const struct tide *tide, const struct tide_row *row,
			     const struct histree_region *question)
{
	if (question->quarks != NULL && !tide->is_asked[row->quark])
		return false;
	if (question->times == NULL)
		return true;
	size_t next = SEARCH(i, 0, question->time_count, question->times[i] < row->start);
	return next < question->time_count && question->times[next] <= row->end;
}

static void ask_class(const struct tide *tide, const struct tide_class *class, histree_time from, histree_time to,
		      const struct histree_region *question, struct bench_answer *answer)
{
	const uint64_t end_most = (uint64_t)to + class->longest;
	const histree_time last =
		class->longest > (uint64_t)INT64_MAX - (uint64_t)to ? INT64_MAX : (histree_time)end_most;
	const bool is_all = question->quarks == NULL && question->times == NULL;
	const struct tide_row *rows = class->rows;
	for (size_t i = SEARCH(middle, 0, class->count, rows[middle].end < from);
	     i < class->count && rows[i].end <= last; i++) {
		const struct tide_row *row = &rows[i];
		if (row->start > to || !(is_all || is_wanted(tide, row, question)))
			continue;
		const struct histree_interval interval = {
			row->start, row->end, row->quark,
			kept_value_get(&tide->values, (enum histree_type)row->type, row->value)
		};
		bench_answer_add(answer, &interval);
	}
}

static enum histree_status tide_ask(void *self, enum bench_shape shape, const struct histree_region *question,
				    struct bench_answer *answer, struct histree_error *error)
{
	struct tide *tide = self;
	const bool is_list = question->times != NULL;
	const histree_time from = is_list ? question->times[0] : question->from;
	const histree_time to = is_list ? question->times[question->time_count - 1] : question->to;
	(void)shape, (void)error;
	for (size_t i = 0; question->quarks != NULL && i < question->quark_count; i++)
		tide->is_asked[question->quarks[i]] = true;
	for (unsigned i = 0; i < TIDE_CLASSES; i++)
		if (tide->classes[i].count > 0)
			ask_class(tide, &tide->classes[i], from, to, question, answer);
	for (size_t i = 0; question->quarks != NULL && i < question->quark_count; i++)
		tide->is_asked[question->quarks[i]] = false;
	return HISTREE_OK;
}

/* ------------------------------------------------------------------------------------------------------------ */

static uint64_t tide_bytes(const void *self)
{
	const struct tide *tide = self;
	uint64_t bytes = sizeof(*tide) + tide->attribute_count + tide->values.bytes.bytes_total;
	for (unsigned i = 0; i < TIDE_CLASSES; i++)
		bytes += tide->classes[i].count * sizeof(struct tide_row);
	return bytes;
}

static void tide_free(void *self)
{
	struct tide *tide = self;
	if (tide == NULL)
		return;
	for (unsigned i = 0; i < TIDE_CLASSES; i++)
		free(tide->classes[i].rows);
	intern_release(&tide->values);
	free(tide->is_asked);
	free(tide);
}

static enum histree_status tide_build(const struct peer_setup *setup, void **out, struct histree_error *error)
{
	struct tide *tide = calloc(1, sizeof(*tide));
	*out = NULL;
	if (tide == NULL)
		return error_memory(error, "the classes");
	tide->attribute_count = setup->source->attribute_count;
	tide->is_asked = calloc(tide->attribute_count, sizeof(*tide->is_asked));
	if (tide->is_asked == NULL || !fill(tide, setup->source)) {
		tide_free(tide);
		return error_memory(error, "the classes");
	}
	*out = tide;
	return HISTREE_OK;
}

const struct peer peer_tide = {
	.name = "TIDE",
	.build = tide_build,
	.ask = tide_ask,
	.bytes = tide_bytes,
	.free = tide_free,
};
