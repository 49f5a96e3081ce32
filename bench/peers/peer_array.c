// SPDX-License-Identifier: MIT
/*
 * peer_array.c - a sorted array in memory: no file, no compression, no limit.  What a query costs at least.
 *
 * 24 bytes an interval and eight an attribute; what has more than four bytes is kept once.
 */
#include <stdlib.h>

#include "base/error.h"
#include "base/intern.h"
#include "base/radix_sort.h"
#include "peers/ordered_peer.h"
#include "peers/peer.h"

struct row {
	histree_time start, end;
	uint32_t type;
	uint32_t value; /* the number itself, or where it is in `values` */
};

struct array {
	struct ordered_peer ordered;
	struct row *rows; /* by quark, then by end */
	uint64_t count;
	uint64_t *first;      /* by quark: its first row; one more at the end */
	struct intern values; /* eight bytes of a number, or those of a string */
	histree_quark quark;  /* that was asked for last, */
	uint64_t at;          /* and its row that was found last */
};

/* ---- build ---------------------------------------------------------------------------------------------- */

/* INTERN_NONE when memory is out. */
static uint32_t keep_value(struct array *array, const struct histree_value *value)
{
	switch (value->type) {
	case HISTREE_NULL:
	case HISTREE_UNKNOWN:
		return 0;
	case HISTREE_INT:
		return (uint32_t)value->int32;
	case HISTREE_BOOL:
		return value->boolean;
	case HISTREE_LONG:
	case HISTREE_DOUBLE:
		return intern_add(&array->values, &value->int64, sizeof(value->int64));
	case HISTREE_STRING:
	case HISTREE_CUSTOM:
		return intern_add(&array->values, value->bytes, value->size);
	}
	return INTERN_NONE;
}

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
	while (next_quark <= array->ordered.attribute_count)
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
		uint32_t value = keep_value(array, &interval.value), index = (uint32_t)array->count++;
		unsorted[index] = (struct row){ interval.start, interval.end, interval.value.type, value };
		entries[index] = (struct keyed_index){ .key = interval.quark, .index = index };
		done = value != INTERN_NONE || interval.value.type == HISTREE_INT;
	}
	if (done)
		sort_rows(array, unsorted, entries);
	free(entries);
	free(unsorted);
	return done;
}

/* ---- queries -------------------------------------------------------------------------------------------- */

static struct histree_value value_of(const struct array *array, const struct row *row)
{
	struct histree_value value = { .type = (enum histree_type)row->type };
	size_t size = 0;
	if (value.type == HISTREE_INT) {
		value.int32 = (int32_t)row->value;
	} else if (value.type == HISTREE_BOOL) {
		value.boolean = row->value != 0;
	} else if (value.type == HISTREE_STRING || value.type == HISTREE_CUSTOM) {
		value.bytes = intern_get(&array->values, row->value, &size);
		value.size = (uint32_t)size;
	} else if (value.type != HISTREE_NULL) {
		memcpy(&value.int64, intern_get(&array->values, row->value, &size), sizeof(value.int64));
	}
	return value;
}

static enum histree_status give(const struct array *array, struct histree_interval *out)
{
	if (array->at == array->first[array->quark + 1])
		return HISTREE_END;
	const struct row *row = &array->rows[array->at];
	*out = (struct histree_interval){ row->start, row->end, array->quark, value_of(array, row) };
	return HISTREE_OK;
}

static enum histree_status seek(void *self, histree_quark quark, histree_time end, struct histree_interval *out,
				struct histree_error *error)
{
	struct array *array = self;
	uint64_t low = array->first[quark], high = array->first[quark + 1];
	(void)error;
	while (low < high) {
		uint64_t middle = low + (high - low) / 2;
		if (array->rows[middle].end < end)
			low = middle + 1;
		else
			high = middle;
	}
	array->quark = quark;
	array->at = low;
	return give(array, out);
}

static enum histree_status next(void *self, struct histree_interval *out, struct histree_error *error)
{
	struct array *array = self;
	(void)error;
	array->at++;
	return give(array, out);
}

static enum histree_status array_ask(void *self, enum bench_shape shape, const struct histree_region *question,
				     struct bench_answer *answer, struct histree_error *error)
{
	(void)shape;
	return ordered_peer_ask(&((struct array *)self)->ordered, self, question, answer, error);
}

/* ------------------------------------------------------------------------------------------------------------ */

static uint64_t array_bytes(const void *self)
{
	const struct array *array = self;
	return array->count * sizeof(*array->rows) +
	       ((uint64_t)array->ordered.attribute_count + 1) * sizeof(*array->first) +
	       array->values.bytes.bytes_total;
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
	array->ordered = (struct ordered_peer){ seek, next, source->attribute_count };
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
