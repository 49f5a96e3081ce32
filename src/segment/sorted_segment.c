// SPDX-License-Identifier: MIT
#include "segment/sorted_segment.h"

#include "item/value_codec.h"

size_t sorted_segment_size(const struct histree_segment *segment, size_t field_count)
{
	size_t size = 3 * VARINT_SIZE_MAX;
	for (size_t i = 0; i < field_count; i++)
		size += value_encoded_size(&segment->content[i]);
	return size;
}

uint8_t *sorted_segment_put(uint8_t *at, const struct sorted_segment *item, size_t field_count)
{
	at = put_varint(at, zigzag(item->segment.start));
	at = put_varint(at, histree_segment_duration(&item->segment));
	at = put_varint(at, item->arrival);
	for (size_t i = 0; i < field_count; i++)
		at = value_encode(at, &item->segment.content[i]);
	return at;
}

bool sorted_segment_decode(struct byte_reader *reader, struct decoded_segment *out, size_t field_count)
{
	struct histree_segment *segment = &out->item.segment;
	segment->start = unzigzag(read_varint(reader));
	segment->end = (histree_time)((uint64_t)segment->start + read_varint(reader));
	segment->content = out->content;
	out->item.arrival = read_varint(reader);
	for (size_t i = 0; i < field_count; i++)
		out->content[i] = value_decode(reader);
	return !reader->failed;
}
