/* SPDX-License-Identifier: MIT */
/*
 * interval_recorder.h - a state system whose intervals go to memory, for the tests of its rules.
 */
#ifndef UNIT_INTERVAL_RECORDER_H
#define UNIT_INTERVAL_RECORDER_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/table.h"
#include "state/state_system.h"
#include "support/test.h"

enum { VALUE_SIZE_MAX = 40, START = 1000 };

/* ---- a sink that records ------------------------------------------------------------------------------ */

struct copied_value {
	struct histree_value value; /* without its bytes */
	unsigned char bytes[64];
};

struct record {
	histree_quark quark;
	histree_time start, end;
	struct copied_value value;
};

struct recorder {
	struct record *records;
	size_t count, capacity;
	size_t fail_at; /* the interval that cannot be written, from 1; 0: none */
	bool fail_finish, finished, freed;
	histree_time end;
};

static inline struct copied_value copy_value(const struct histree_value *value)
{
	struct copied_value copy = { .value = *value };
	if (value->type == HISTREE_STRING || value->type == HISTREE_CUSTOM) {
		assert_true(value->size <= sizeof(copy.bytes));
		if (value->size > 0)
			memcpy(copy.bytes, value->bytes, value->size);
	}
	return copy;
}

static inline struct histree_value copied(const struct copied_value *copy)
{
	struct histree_value value = copy->value;
	if (value.type == HISTREE_STRING || value.type == HISTREE_CUSTOM)
		value.bytes = copy->bytes;
	return value;
}

static inline bool equal_values(const struct copied_value *a, const struct copied_value *b)
{
	struct histree_value first = copied(a);
	struct histree_value second = copied(b);
	return histree_value_equal(&first, &second);
}

static inline enum histree_status record_add(void *context, const struct histree_interval *interval,
					     struct histree_error *error)
{
	(void)error;
	struct recorder *recorder = context;
	if (recorder->count + 1 == recorder->fail_at)
		return HISTREE_ERR_IO;
	assert_true(array_reserve(&recorder->records, &recorder->capacity, recorder->count + 1));
	recorder->records[recorder->count++] = (struct record){
		.quark = interval->quark,
		.start = interval->start,
		.end = interval->end,
		.value = copy_value(&interval->value),
	};
	return HISTREE_OK;
}

static inline enum histree_status record_finish(void *context, const struct attribute_tree *attributes,
						histree_time end, struct histree_error *error)
{
	(void)attributes;
	(void)error;
	struct recorder *recorder = context;
	if (recorder->fail_finish)
		return HISTREE_ERR_IO;
	recorder->finished = true;
	recorder->end = end;
	return HISTREE_OK;
}

static inline void record_free(void *context)
{
	struct recorder *recorder = context;
	recorder->freed = true;
}

static inline struct histree_state_system *create(struct recorder *recorder)
{
	*recorder = (struct recorder){ 0 };
	const struct interval_sink sink = {
		.add = record_add,
		.finish = record_finish,
		.free = record_free,
		.context = recorder,
		.value_size_max = VALUE_SIZE_MAX,
	};
	struct histree_state_system *system;
	assert_ok(state_system_create(START, &sink, &system, NULL));
	return system;
}

static inline void release(struct histree_state_system *system, struct recorder *recorder)
{
	histree_state_free(system);
	assert_true(recorder->freed);
	free(recorder->records);
}

/* ---- helpers --------------------------------------------------------------------------------------------- */

static inline histree_quark attribute(struct histree_state_system *system, const char *path)
{
	histree_quark quark;
	assert_ok(histree_state_attribute(system, HISTREE_ROOT, path, &quark, NULL));
	return quark;
}

static inline void assert_ongoing(const struct histree_state_system *system, histree_quark quark,
				  struct histree_value expected, histree_time expected_since)
{
	struct histree_value value;
	histree_time since;
	assert_ok(histree_state_ongoing(system, quark, &value, &since, NULL));
	assert_true(histree_value_equal(&value, &expected));
	assert_int_equal(since, expected_since);
}

static inline void assert_record(const struct recorder *recorder, size_t at, histree_quark quark,
				 histree_time start, histree_time end, struct histree_value expected)
{
	assert_true(at < recorder->count);
	const struct record *record = &recorder->records[at];
	assert_int_equal(record->quark, quark);
	assert_int_equal(record->start, start);
	assert_int_equal(record->end, end);
	struct histree_value value = copied(&record->value);
	assert_true(histree_value_equal(&value, &expected));
}

/* Refused, with a message that says so, and nothing recorded. */
#define assert_refused(recorder, call, expected)             \
	do {                                                 \
		struct histree_error error = { 0 };          \
		size_t before = (recorder)->count;           \
		assert_int_equal((call), (expected));        \
		assert_int_equal(error.status, (expected));  \
		assert_true(strlen(error.message) > 0);      \
		assert_int_equal((recorder)->count, before); \
	} while (0)

#endif
