// SPDX-License-Identifier: MIT
/*
 * partial_section.c - a partial history: the section PART, and the slices between its checkpoints while they are
 * in memory.
 *
 * A decoded section has no more checkpoints, slices and exceptions than its bytes have room for.
 */
#include "state/partial_section.h"

#include <assert.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "base/error.h"
#include "base/search.h"
#include "base/table.h"
#include "histree/status.h"
#include "histree/value.h"
#include "item/value.h"
#include "node/node.h"

enum { PARTIAL_SECTION_VERSION = 1, PARTIAL_EXCEPTION_NO_STATE = 255 };

/* ---- state slice --------------------------------------------------------------------------------------------- */

bool state_slice_add(struct state_slice *slice, const struct histree_interval *interval)
{
	if (!array_reserve(&slice->intervals, &slice->capacity, slice->count + 1))
		return false;
	struct histree_interval *added = &slice->intervals[slice->count];
	*added = *interval;
	if (!value_keep_once(&added->value, &slice->texts))
		return false;
	slice->count++;
	return true;
}

COMPARE(by_quark_and_start, struct histree_interval, BY(quark) BY(start))

void state_slice_sort(struct state_slice *slice)
{
	if (slice->count > 0)
		qsort(slice->intervals, slice->count, sizeof(*slice->intervals), by_quark_and_start);
}

size_t state_slice_bytes(const struct state_slice *slice)
{
	return slice->capacity * sizeof(*slice->intervals) + slice->texts.bytes.bytes_total +
	       slice->texts.strings_capacity * sizeof(*slice->texts.strings);
}

void state_slice_release(struct state_slice *slice)
{
	free(slice->intervals);
	intern_release(&slice->texts);
	*slice = (struct state_slice){ 0 };
}

/* ---- walking ------------------------------------------------------------------------------------------------- */

/*
 * Returns the first interval from `low` on that is of this attribute or a later one, and does not end before
 * `from`.
 */
static size_t find_first(const struct state_slice *slice, size_t low, histree_quark quark, histree_time from)
{
	const struct histree_interval *intervals = slice->intervals;
	assert(low <= slice->count);
	return SEARCH(i, low, slice->count,
		      intervals[i].quark < quark || (intervals[i].quark == quark && intervals[i].end < from));
}

void slice_cursor_begin(struct slice_cursor *cursor, const struct state_slice *slice,
			const struct node_region *region)
{
	*cursor = (struct slice_cursor){ .slice = slice, .region = region };
	if (region->quarks != NULL && region->quark_count > 0)
		cursor->at = find_first(slice, 0, region->quarks[0], region->from);
}

/* Go on with the next attribute of the list. */
static bool next_quark(struct slice_cursor *cursor)
{
	const struct node_region *region = cursor->region;
	if (++cursor->quark_at >= region->quark_count)
		return false;
	assert(region->quarks[cursor->quark_at - 1] < region->quarks[cursor->quark_at]);
	cursor->at = find_first(cursor->slice, cursor->at, region->quarks[cursor->quark_at], region->from);
	return true;
}

size_t slice_cursor_read(struct slice_cursor *cursor, struct histree_interval *out, size_t room)
{
	const struct node_region *region = cursor->region;
	size_t count = 0;
	while (count < room && cursor->at < cursor->slice->count) {
		const struct histree_interval *interval = &cursor->slice->intervals[cursor->at];
		if (region->quarks != NULL) {
			if (cursor->quark_at >= region->quark_count)
				break;
			if (interval->quark != region->quarks[cursor->quark_at] || interval->start > region->to) {
				if (!next_quark(cursor))
					break;
				continue;
			}
		}
		cursor->at++;
		if (region_has_time_of(region, interval->start, interval->end))
			out[count++] = *interval;
	}
	return count;
}

/* ---- partial section ----------------------------------------------------------------------------------------- */

/* The least and the greatest size of a checkpoint and of an exception, without knowledge and value. */
enum { CHECKPOINT_SIZE_MAX = 7 * VARINT_SIZE_MAX + 8, CHECKPOINT_SIZE_MIN = 13, EXCEPTION_SIZE_MIN = 6 };

bool interval_sum(const struct histree_interval *interval, uint64_t *sum)
{
	uint8_t room[256], *bytes = room;
	size_t size = 20 + value_encoded_size(&interval->value);
	if (size > sizeof(room) && (bytes = malloc(size)) == NULL)
		return false;
	put_le32(bytes, interval->quark);
	put_le64(bytes + 4, (uint64_t)interval->start);
	put_le64(bytes + 12, (uint64_t)interval->end);
	value_encode(bytes + 20, &interval->value);
	*sum = crc32c(0, bytes, size);
	if (bytes != room)
		free(bytes);
	return true;
}

/* ---- encoding ------------------------------------------------------------------------------------------------ */

static uint8_t *put_difference(uint8_t *at, histree_time to, histree_time from)
{
	return put_varint(at, zigzag((int64_t)((uint64_t)to - (uint64_t)from)));
}

static uint8_t *put_slice(uint8_t *at, const struct partial_checkpoint *checkpoint)
{
	const struct partial_slice *slice = &checkpoint->slice;
	bool has_times = slice->from <= slice->to;
	at = put_varint(at, has_times);
	if (has_times) {
		at = put_difference(at, slice->from, checkpoint->time);
		at = put_varint(at, (uint64_t)slice->to - (uint64_t)slice->from);
	}
	at = put_varint(at, slice->interval_count);
	put_le64(at, slice->sum);
	return put_varint(at + 8, checkpoint->knowledge_size);
}

static uint8_t *put_exception(uint8_t *at, const struct partial_exception *exception, histree_time start)
{
	assert(exception->first <= exception->last && exception->since >= start);
	at = put_varint(at, exception->quark);
	at = put_varint(at, exception->first);
	at = put_varint(at, exception->last - exception->first);
	at = put_difference(at, exception->since, start);
	*at++ = exception->fixed_type;
	if (exception->has_state)
		return value_encode(at, &exception->value);
	*at++ = PARTIAL_EXCEPTION_NO_STATE;
	return at;
}

static size_t size_max(const struct partial_section *section)
{
	size_t size = 4 * VARINT_SIZE_MAX + section->origin_size;
	for (size_t i = 0; i < section->checkpoint_count; i++)
		size += CHECKPOINT_SIZE_MAX + section->checkpoints[i].knowledge_size;
	for (size_t i = 0; i < section->exception_count; i++)
		size += 5 * VARINT_SIZE_MAX + value_encoded_size(&section->exceptions[i].value);
	return size;
}

uint8_t *partial_section_encode(const struct partial_section *section, histree_time start, size_t *size)
{
	uint8_t *bytes = malloc(size_max(section)), *at = bytes;
	if (bytes == NULL)
		return NULL;
	at = put_varint(at, PARTIAL_SECTION_VERSION);
	at = put_varint(at, section->origin_size);
	memcpy(at, section->origin, section->origin_size);
	at = put_varint(at + section->origin_size, section->checkpoint_count);
	histree_time time = start;
	uint32_t attributes = 0;
	for (size_t i = 0; i < section->checkpoint_count; i++) {
		const struct partial_checkpoint *checkpoint = &section->checkpoints[i];
		assert(checkpoint->time >= time && checkpoint->attribute_count >= attributes);
		at = put_difference(at, checkpoint->time, time);
		at = put_varint(at, checkpoint->attribute_count - attributes);
		at = put_slice(at, checkpoint);
		time = checkpoint->time;
		attributes = checkpoint->attribute_count;
	}
	at = put_varint(at, section->exception_count);
	for (size_t i = 0; i < section->exception_count; i++)
		at = put_exception(at, &section->exceptions[i], start);
	for (size_t i = 0; i < section->checkpoint_count; i++) {
		const struct partial_checkpoint *checkpoint = &section->checkpoints[i];
		if (checkpoint->knowledge_size > 0)
			memcpy(at, checkpoint->knowledge, checkpoint->knowledge_size);
		at += checkpoint->knowledge_size;
	}
	*size = (size_t)(at - bytes);
	assert(*size <= size_max(section));
	return bytes;
}

/* ---- decoding ------------------------------------------------------------------------------------------------ */

static histree_time read_difference(struct byte_reader *reader, histree_time from)
{
	return (histree_time)((uint64_t)from + (uint64_t)unzigzag(read_varint(reader)));
}

static size_t read_size(struct byte_reader *reader)
{
	uint64_t size = read_varint(reader);
	if (size > SIZE_MAX / 2)
		reader->failed = true;
	return reader->failed ? 0 : (size_t)size;
}

static uint32_t read_below(struct byte_reader *reader, uint64_t limit)
{
	uint64_t number = read_varint(reader);
	if (number >= limit)
		reader->failed = true;
	return reader->failed ? 0 : (uint32_t)number;
}

static void read_exception(struct byte_reader *reader, histree_time start, uint32_t attribute_count,
			   const struct partial_section *section, struct partial_exception *out)
{
	out->quark = read_below(reader, attribute_count);
	out->first = read_below(reader, section->checkpoint_count);
	out->last = out->first + read_below(reader, section->checkpoint_count - out->first);
	out->since = read_difference(reader, start);
	const uint8_t *type = read_bytes(reader, 1);
	out->fixed_type = type != NULL ? *type : 0;
	if (reader->failed || out->since < start || histree_type_name((enum histree_type)out->fixed_type) == NULL) {
		reader->failed = true;
		return;
	}
	out->has_state = byte_reader_left(reader) > 0 && *reader->at != PARTIAL_EXCEPTION_NO_STATE;
	if (out->has_state)
		out->value = value_decode(reader);
	else
		read_bytes(reader, 1);
}

/*
 * Returns zeroed room for `count` things of at least `bytes_min` bytes each in the input; NULL, and failed, if
 * they cannot fit.
 */
static void *room_for(struct byte_reader *reader, size_t count, size_t bytes_min, size_t size, bool *no_memory)
{
	if (reader->failed || count > byte_reader_left(reader) / bytes_min) {
		reader->failed = true;
		return NULL;
	}
	void *room = calloc(count + 1, size);
	*no_memory = *no_memory || room == NULL;
	return room;
}

static bool decode(struct byte_reader *reader, histree_time start, uint32_t attribute_count,
		   struct partial_section *out)
{
	bool no_memory = false;
	out->origin_size = read_size(reader);
	out->origin = read_bytes(reader, out->origin_size);
	out->checkpoint_count = read_size(reader);
	out->checkpoints =
		room_for(reader, out->checkpoint_count, CHECKPOINT_SIZE_MIN, sizeof(*out->checkpoints), &no_memory);
	if (out->checkpoints == NULL)
		return !no_memory;
	histree_time time = start;
	uint32_t attributes = 0;
	for (size_t i = 0; i < out->checkpoint_count && !reader->failed; i++) {
		struct partial_checkpoint *checkpoint = &out->checkpoints[i];
		checkpoint->time = read_difference(reader, time);
		uint64_t more = read_varint(reader);
		if (checkpoint->time < time || more > attribute_count - attributes)
			reader->failed = true;
		checkpoint->attribute_count = attributes + (uint32_t)more;
		struct partial_slice *slice = &checkpoint->slice;
		*slice = (struct partial_slice){ .from = INT64_MAX, .to = INT64_MIN };
		uint64_t has_times = read_varint(reader);
		if (has_times == 1) {
			slice->from = read_difference(reader, checkpoint->time);
			slice->to = (histree_time)((uint64_t)slice->from + read_varint(reader));
		}
		slice->interval_count = read_varint(reader);
		slice->sum = read_le64(reader);
		checkpoint->knowledge_size = read_size(reader);
		if (has_times > 1 || (has_times == 1 && slice->to < slice->from))
			reader->failed = true;
		time = checkpoint->time;
		attributes = checkpoint->attribute_count;
	}
	out->exception_count = read_size(reader);
	out->exceptions =
		room_for(reader, out->exception_count, EXCEPTION_SIZE_MIN, sizeof(*out->exceptions), &no_memory);
	if (out->exceptions == NULL)
		return !no_memory;
	for (size_t i = 0; i < out->exception_count && !reader->failed; i++)
		read_exception(reader, start, attribute_count, out, &out->exceptions[i]);
	for (size_t i = 0; i < out->checkpoint_count && !reader->failed; i++)
		out->checkpoints[i].knowledge = read_bytes(reader, out->checkpoints[i].knowledge_size);
	return true;
}

enum histree_status partial_section_decode(uint8_t *bytes, size_t size, histree_time start,
					   uint32_t attribute_count, struct partial_section *out,
					   struct histree_error *error)
{
	*out = (struct partial_section){ .bytes = bytes };
	struct byte_reader reader = byte_reader(bytes, size);
	enum histree_status status = HISTREE_OK;
	uint64_t version = read_varint(&reader);
	if (!reader.failed && version != PARTIAL_SECTION_VERSION)
		status = error_set(error, HISTREE_ERR_VERSION,
				   "is of version %" PRIu64
				   ", and this one knows %d; use a newer histree, or build it "
				   "again with this one",
				   version, PARTIAL_SECTION_VERSION);
	else if (!decode(&reader, start, attribute_count, out))
		status = error_memory(error, "the checkpoints of a history");
	else if (reader.failed || byte_reader_left(&reader) > 0 || out->checkpoint_count == 0)
		status = error_set(error, HISTREE_ERR_FORMAT, "its checkpoints make no sense");
	if (status != HISTREE_OK)
		partial_section_release(out);
	return status;
}

void partial_section_release(struct partial_section *section)
{
	free(section->checkpoints);
	free(section->exceptions);
	free(section->bytes);
	*section = (struct partial_section){ 0 };
}
