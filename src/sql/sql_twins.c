// SPDX-License-Identifier: MIT
#include "sql/sql_twins.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/hash.h"

static uint64_t hash_value(const struct histree_value *value)
{
	switch (value->type) {
	case HISTREE_INT:
		return (uint64_t)value->int32;
	case HISTREE_LONG:
		return (uint64_t)value->int64;
	case HISTREE_DOUBLE:
		return hash_bytes(&value->real, sizeof(value->real));
	case HISTREE_BOOL:
		return value->boolean;
	case HISTREE_STRING:
	case HISTREE_CUSTOM:
		return hash_bytes(value->bytes, value->size);
	default:
		return UINT64_C(0x6e756c6c); /* null is not 0 */
	}
}

bool sql_twins_number(struct sql_twins *twins, const struct histree_segment *segment, size_t field_count,
		      uint64_t *number)
{
	uint64_t hash = 0, equal = 0;
	for (size_t i = 0; i < field_count; i++)
		hash = hash_mix(hash + hash_value(&segment->content[i]));
	if (twins->count > 0 && (twins->start != segment->start || twins->end != segment->end))
		twins->count = 0;
	twins->start = segment->start;
	twins->end = segment->end;
	for (size_t i = 0; i < twins->count; i++)
		equal += twins->hashes[i] == hash;
	if (!array_reserve(&twins->hashes, &twins->capacity, twins->count + 1))
		return false;
	twins->hashes[twins->count++] = hash;
	*number = hash_mix(hash + equal);
	return true;
}

void sql_twins_release(struct sql_twins *twins)
{
	free(twins->hashes);
}
