// SPDX-License-Identifier: MIT
/*
 * segment_batch.c - segments as columns: start, duration, and a code for each value whose order is that of the
 * values.
 */
#include "item/segment_batch.h"

#include <assert.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/hash_index.h"
#include "histree/segments.h"
#include "item/value.h"

/* ---- segment copy -------------------------------------------------------------------------------------------- */

bool segment_copy_content(struct arena *arena, size_t field_count, struct histree_segment *segment)
{
	if (field_count == 0) {
		segment->content = NULL;
		return true;
	}
	struct histree_value *values =
		arena_allocate(arena, field_count * sizeof(*values), _Alignof(struct histree_value));
	if (values == NULL)
		return false;
	memcpy(values, segment->content, field_count * sizeof(*values));
	for (size_t i = 0; i < field_count; i++)
		if (!value_keep(&values[i], arena))
			return false;
	segment->content = values;
	return true;
}

/* ---- segment batch ------------------------------------------------------------------------------------------- */

static const uint64_t sign_bit = UINT64_C(1) << 63;

/* ---- codes -------------------------------------------------------------------------------------- */

uint64_t segment_code(const struct histree_value *value)
{
	uint64_t bits = 0;
	switch (value->type) {
	case HISTREE_INT:
		return (uint64_t)(int64_t)value->int32 ^ sign_bit;
	case HISTREE_LONG:
		return (uint64_t)value->int64 ^ sign_bit;
	case HISTREE_DOUBLE:
		memcpy(&bits, &value->real, sizeof(bits));
		return bits & sign_bit ? ~bits : bits | sign_bit;
	case HISTREE_BOOL:
		return value->boolean;
	case HISTREE_NULL:
	case HISTREE_UNKNOWN:
	case HISTREE_STRING:
	case HISTREE_CUSTOM:
		break;
	}
	return 0;
}

bool segment_code_value(enum histree_type type, uint64_t code, struct histree_value *out)
{
	int64_t number = (int64_t)(code ^ sign_bit);
	switch (type) {
	case HISTREE_INT:
		*out = histree_int((int32_t)number);
		return number >= INT32_MIN && number <= INT32_MAX;
	case HISTREE_LONG:
		*out = histree_long(number);
		return true;
	case HISTREE_DOUBLE: {
		uint64_t bits = code & sign_bit ? code ^ sign_bit : ~code;
		*out = histree_double(0);
		memcpy(&out->real, &bits, sizeof(bits));
		return true;
	}
	case HISTREE_BOOL:
		*out = histree_bool(code != 0);
		return code <= 1;
	case HISTREE_NULL:
	case HISTREE_UNKNOWN:
	case HISTREE_STRING:
	case HISTREE_CUSTOM:
		break;
	}
	return false;
}

/* ---- the batch ---------------------------------------------------------------------------------- */

enum histree_status segment_batch_init(struct segment_batch *batch, const struct histree_segment_field *fields,
				       size_t field_count, size_t capacity)
{
	*batch = (struct segment_batch){ .field_count = field_count, .capacity = capacity };
	batch->times = malloc(capacity * sizeof(*batch->times));
	bool whole = batch->times != NULL;
	for (size_t i = 0; i < field_count; i++) {
		struct segment_column *column = &batch->columns[i];
		column->type = fields[i].type;
		column->codes = malloc(capacity * sizeof(*column->codes));
		column->nulls = malloc(capacity * sizeof(*column->nulls));
		whole = whole && column->codes != NULL && column->nulls != NULL;
	}
	if (whole)
		return HISTREE_OK;
	segment_batch_release(batch);
	return HISTREE_ERR_MEMORY;
}

/* Returns the number of a string in the list; INTERN_NONE if memory is out. */
static inline uint32_t list_string(struct segment_batch *batch, const struct histree_value *value)
{
	const uint64_t ends = hash_ends(value->bytes, value->size);
	struct recent_string *recent = &batch->recent[ends % SEGMENT_RECENT];
	if (recent->bytes != NULL && recent->ends == ends && recent->size == value->size &&
	    (value->size == 0 || memcmp(recent->bytes, value->bytes, value->size) == 0))
		return recent->id;
	const uint32_t id = intern_add(&batch->strings, value->bytes, value->size);
	if (id != INTERN_NONE)
		*recent = (struct recent_string){ ends, intern_get(&batch->strings, id, NULL), value->size, id };
	return id;
}

enum histree_status segment_batch_add(struct segment_batch *batch, const struct histree_segment *segment)
{
	const size_t at = batch->count;
	assert(at < batch->capacity);
	for (size_t i = 0; i < batch->field_count; i++) {
		struct segment_column *column = &batch->columns[i];
		const struct histree_value *value = segment->content != NULL ? &segment->content[i] : NULL;
		const bool is_null = value == NULL || value->type == HISTREE_NULL;
		uint64_t code = 0;
		if (!is_null && column->type == HISTREE_STRING) {
			code = list_string(batch, value);
			if (code == INTERN_NONE)
				return HISTREE_ERR_MEMORY;
		} else if (!is_null) {
			code = segment_code(value);
		}
		column->codes[at] = code;
		column->nulls[at] = is_null;
		column->null_count += is_null;
	}
	batch->times[at] =
		(struct segment_times){ .start = segment->start, .duration = histree_segment_duration(segment) };
	batch->count++;
	return HISTREE_OK;
}

void segment_batch_clear(struct segment_batch *batch)
{
	batch->count = 0;
	for (size_t i = 0; i < batch->field_count; i++)
		batch->columns[i].null_count = 0;
	intern_release(&batch->strings);
	memset(batch->recent, 0, sizeof(batch->recent));
}

void segment_batch_release(struct segment_batch *batch)
{
	for (size_t i = 0; i < batch->field_count; i++) {
		free(batch->columns[i].codes);
		free(batch->columns[i].nulls);
	}
	free(batch->times);
	intern_release(&batch->strings);
	*batch = (struct segment_batch){ 0 };
}
