// SPDX-License-Identifier: MIT
#include "state/state_sum.h"

#include "base/bytes.h"

bool state_sum_add(struct state_sum *sum, const struct state_sum_part *part)
{
	uint32_t i = 0;
	while (i < sum->count &&
	       (sum->parts[i].value != part->value || sum->parts[i].is_unknown != part->is_unknown))
		i++;
	if (i == STATE_SUM_VALUES_MAX)
		return false;
	if (i == sum->count)
		sum->parts[sum->count++] =
			(struct state_sum_part){ .value = part->value, .is_unknown = part->is_unknown };
	sum->parts[i].ns += part->ns;
	sum->parts[i].begins += part->begins;
	return true;
}

bool state_sum_add_sum(struct state_sum *sum, const struct state_sum *other)
{
	for (uint32_t i = 0; i < other->count; i++)
		if (!state_sum_add(sum, &other->parts[i]))
			return false;
	return true;
}

bool state_sum_is_constant(const struct state_sum *sum, uint64_t ns)
{
	return sum->count == 0 || (sum->count == 1 && sum->parts[0].ns == ns && sum->parts[0].begins == 0);
}

/* ---- as bytes ----------------------------------------------------------------------------------------------- */

/* How many values; of each: twice the value, zigzag, plus 2, or 1 for unknown; its ns; how many states begin. */
size_t state_sum_put(const struct state_sum *sum, uint8_t room[STATE_SUM_SIZE_MAX])
{
	uint8_t *at = put_varint(room, sum->count);
	for (uint32_t i = 0; i < sum->count; i++) {
		const struct state_sum_part *part = &sum->parts[i];
		at = put_varint(at, part->is_unknown ? 1 : 2 * (zigzag(part->value) + 1));
		at = put_varint(at, part->ns);
		at = put_varint(at, part->begins);
	}
	return (size_t)(at - room);
}

static bool get_part(struct byte_reader *reader, struct state_sum_part *part)
{
	uint64_t code = read_varint(reader);
	part->is_unknown = code == 1;
	int64_t value = part->is_unknown ? 0 : unzigzag(code / 2 - 1);
	part->ns = read_varint(reader);
	part->begins = read_varint(reader);
	part->value = (int32_t)value;
	return !reader->failed && (part->is_unknown || (code >= 2 && code % 2 == 0)) && value == part->value &&
	       part->ns > 0 && part->begins <= part->ns;
}

bool state_sum_get(struct state_sum *sum, uint64_t ns, const uint8_t *bytes, size_t size)
{
	struct byte_reader reader = byte_reader(bytes, size);
	uint64_t count = read_varint(&reader), left = ns;
	*sum = (struct state_sum){ 0 };
	if (reader.failed || count == 0 || count > STATE_SUM_VALUES_MAX)
		return false;
	for (uint64_t i = 0; i < count; i++) {
		struct state_sum_part part;
		if (!get_part(&reader, &part) || part.ns > left || !state_sum_add(sum, &part))
			return false;
		left -= part.ns;
	}
	return byte_reader_left(&reader) == 0 && sum->count == count;
}
