// SPDX-License-Identifier: MIT
/*
 * perfetto_packets.c - the packets of a trace of Perfetto, in the order of the file, and what each writer has
 * interned.
 */
#include "trace/perfetto/perfetto_packets.h"

#include <inttypes.h>
#include <stdalign.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/hash_index.h"
#include "base/zlib.h"
#include "base/zstd.h"
#include "trace/perfetto/wire.h"
#include "trace/trace_bytes.h"

struct perfetto_flat perfetto_flat(struct wire_message message)
{
	struct perfetto_flat flat = { 0 };
	struct wire_field field;
	while (wire_next(&message, &field)) {
		if (field.number >= PERFETTO_FLAT_FIELDS)
			continue;
		flat.has |= UINT32_C(1) << field.number;
		flat.numbers[field.number] = field.value;
		if (field.bytes != NULL)
			flat.texts[field.number] = (struct perfetto_text){ (const char *)field.bytes, field.size };
	}
	return flat;
}

/* ---- perfetto packet ----------------------------------------------------------------------------------------- */

enum {
	TIMESTAMP = 8,
	SEQUENCE_ID = 10,
	INTERNED_DATA = 12,
	SEQUENCE_FLAGS = 13,
	STATE_CLEARED = 41, /* of old */
	PREVIOUS_DROPPED = 42,
	CLOCK_ID = 58,
	DEFAULTS = 59,
	FIRST_ON_SEQUENCE = 87,
	MACHINE_ID = 98,
};

enum { FLAG_CLEARED = 1, FLAG_NEEDS_STATE = 2 };

static bool is_data(uint32_t number)
{
	switch ((enum perfetto_data)number) {
	case PERFETTO_FTRACE_EVENTS:
	case PERFETTO_PROCESS_TREE:
	case PERFETTO_CLOCK_SNAPSHOT:
	case PERFETTO_SYS_STATS:
	case PERFETTO_PROCESS_STATS:
	case PERFETTO_TRACK_EVENT:
	case PERFETTO_FTRACE_STATS:
	case PERFETTO_BATTERY:
	case PERFETTO_ANDROID_LOG:
	case PERFETTO_POWER_RAILS:
	case PERFETTO_GPU_COUNTERS:
	case PERFETTO_GPU_STAGE:
	case PERFETTO_PROCESS_DESCRIPTOR:
	case PERFETTO_THREAD_DESCRIPTOR:
	case PERFETTO_SYSTEM_INFO:
	case PERFETTO_STREAMING_PROFILE:
	case PERFETTO_TRACK_DESCRIPTOR:
	case PERFETTO_PERF_SAMPLE:
	case PERFETTO_GPU_MEMORY:
	case PERFETTO_FRAME_TIMELINE:
	case PERFETTO_ENERGY:
	case PERFETTO_TRANSLATION_TABLE:
	case PERFETTO_TRACE_UUID:
	case PERFETTO_RESIDENCY:
	case PERFETTO_TASK_STATE:
	case PERFETTO_TASK_FREQUENCY:
	case PERFETTO_TASK_RENAME:
	case PERFETTO_TASK_TREE:
		return true;
	default:
		return false;
	}
}

static void read_number(struct perfetto_packet *packet, uint32_t number, uint64_t value)
{
	switch (number) {
	case TIMESTAMP:
		packet->time = value;
		packet->has_time = true;
		break;
	case CLOCK_ID:
		packet->clock = (uint32_t)value;
		packet->has_clock = true;
		break;
	case SEQUENCE_ID:
		packet->sequence = (uint32_t)value;
		break;
	case SEQUENCE_FLAGS:
		packet->begins_state |= (value & FLAG_CLEARED) != 0;
		packet->needs_state |= (value & FLAG_NEEDS_STATE) != 0;
		break;
	case STATE_CLEARED:
		packet->begins_state |= value != 0;
		break;
	case PREVIOUS_DROPPED:
		packet->is_behind_loss = value != 0;
		break;
	case FIRST_ON_SEQUENCE:
		packet->is_first = value != 0;
		break;
	case MACHINE_ID:
		packet->machine = (uint32_t)value;
		break;
	default:
		break;
	}
}

void perfetto_packet_read(struct perfetto_packet *packet, struct wire_message message)
{
	struct wire_field field;
	/* Field by field: to clear all of it would take as long as to read it. */
	packet->data = PERFETTO_NO_DATA;
	packet->has_interned = packet->has_defaults = packet->has_time = packet->has_clock = false;
	packet->sequence = packet->machine = packet->other = 0;
	packet->begins_state = packet->needs_state = packet->is_behind_loss = packet->is_first = false;
	while (wire_next(&message, &field)) {
		if (field.bytes == NULL) {
			read_number(packet, field.number, field.value);
		} else if (is_data(field.number)) {
			packet->data = (enum perfetto_data)field.number;
			packet->content = wire_inside(&field);
		} else if (field.number == INTERNED_DATA) {
			packet->interned = wire_inside(&field);
			packet->has_interned = true;
		} else if (field.number == DEFAULTS) {
			packet->defaults = wire_inside(&field);
			packet->has_defaults = true;
		} else {
			packet->other = field.number;
		}
	}
	packet->is_damaged = message.is_damaged;
}

/* ---- perfetto interned --------------------------------------------------------------------------------------- */

/* Bytes of texts and their index; a browser's session needs a hundredth of that. */
enum { BYTES_MAX = 32 << 20, ENTRY_COST = 64 };

/*
 * A few bytes refer to a text, which then is in each event, or to a message, which is read for each: what is longer
 * is cut.  What is read once is not.
 */
enum { TEXT_MAX = 4096, MESSAGE_MAX = 1 << 16, READ_ONCE = BYTES_MAX };

static const struct table_row {
	uint32_t field; /* of InternedData */
	size_t size_max;
	bool is_message; /* it is kept, not only a field of it */
} tables[PERFETTO_TABLE_COUNT] = {
	[PERFETTO_CATEGORIES] = { 1, TEXT_MAX, false },
	[PERFETTO_EVENT_NAMES] = { 2, TEXT_MAX, false },
	[PERFETTO_ARGUMENT_NAMES] = { 3, TEXT_MAX, false },
	[PERFETTO_ARGUMENT_TEXTS] = { 29, TEXT_MAX, false },
	[PERFETTO_CORRELATIONS] = { 43, TEXT_MAX, false },
	[PERFETTO_LOG_TEXTS] = { 20, TEXT_MAX, false },
	[PERFETTO_FUNCTION_NAMES] = { 5, TEXT_MAX, false },
	[PERFETTO_MAPPING_PATHS] = { 17, TEXT_MAX, false },
	[PERFETTO_SOURCE_PATHS] = { 18, TEXT_MAX, false },
	[PERFETTO_SOURCE_LOCATIONS] = { 4, MESSAGE_MAX, true },
	[PERFETTO_MAPPINGS] = { 19, MESSAGE_MAX, true },
	[PERFETTO_FRAMES] = { 6, MESSAGE_MAX, true },
	[PERFETTO_CALLSTACKS] = { 7, MESSAGE_MAX, true },
	[PERFETTO_KERNEL_SYMBOLS] = { 26, TEXT_MAX, false },
	[PERFETTO_GPU_SPECIFICATIONS] = { 24, TEXT_MAX, false },
	[PERFETTO_GPU_DESCRIPTORS] = { 47, READ_ONCE, true },
};

/* Every entry has its number as field 1, and its text as field 2. */
static bool add_entry(struct perfetto_interned *interned, enum perfetto_table table, struct perfetto_budget *budget,
		      struct wire_message message)
{
	struct perfetto_text text = { (const char *)message.at, (size_t)(message.end - message.at) };
	struct wire_field field;
	uint64_t number = 0;
	if (!tables[table].is_message)
		text = (struct perfetto_text){ "", 0 };
	while (wire_next(&message, &field)) {
		if (field.number == 1)
			number = field.value;
		else if (field.number == 2 && field.bytes != NULL && !tables[table].is_message)
			text = (struct perfetto_text){ (const char *)field.bytes, field.size };
	}
	if (text.size > tables[table].size_max)
		text.size = tables[table].size_max;
	struct perfetto_text *entry = id_map_find(&interned->tables[table], number);
	bool is_new = entry == NULL;
	if (!is_new && entry->size == text.size && memcmp(entry->bytes, text.bytes, text.size) == 0)
		return true;
	if (budget->bytes + text.size + ENTRY_COST > BYTES_MAX) {
		budget->left_out++;
		return true;
	}
	if (is_new)
		entry = arena_allocate(&interned->memory, sizeof(*entry), alignof(struct perfetto_text));
	text.bytes = arena_copy(&interned->memory, text.bytes, text.size);
	if (entry == NULL || text.bytes == NULL)
		return false;
	*entry = text;
	interned->bytes += text.size + ENTRY_COST;
	budget->bytes += text.size + ENTRY_COST;
	return !is_new || id_map_add(&interned->tables[table], number, entry);
}

/* Returns false if memory runs out. */
static bool perfetto_interned_add(struct perfetto_interned *interned, struct perfetto_budget *budget,
				  struct wire_message message)
{
	struct wire_field field;
	while (wire_next(&message, &field))
		for (int table = 0; field.bytes != NULL && table < PERFETTO_TABLE_COUNT; table++)
			if (tables[table].field == field.number &&
			    !add_entry(interned, (enum perfetto_table)table, budget, wire_inside(&field)))
				return false;
	return true;
}

const struct perfetto_text *perfetto_interned_find(struct perfetto_interned *interned, enum perfetto_table table,
						   uint64_t number)
{
	return id_map_find_again(&interned->tables[table], number);
}

/* It is then an empty one. */
static void perfetto_interned_release(struct perfetto_interned *interned, struct perfetto_budget *budget)
{
	for (int table = 0; table < PERFETTO_TABLE_COUNT; table++)
		id_map_release(&interned->tables[table]);
	arena_release(&interned->memory);
	budget->bytes -= interned->bytes;
	interned->bytes = 0;
}

/* ---- perfetto sequence --------------------------------------------------------------------------------------- */

/* More writers are in no trace; those that are too many are taken for one. */
enum { SEQUENCES_MAX = 1 << 14 };

struct perfetto_sequence *perfetto_sequences_of(struct perfetto_sequences *sequences, uint32_t id)
{
	struct perfetto_sequence *sequence = id_map_find_again(&sequences->map, id);
	if (sequence == NULL && sequences->map.count >= SEQUENCES_MAX) {
		id = 0;
		sequence = id_map_find(&sequences->map, id);
	}
	if (sequence != NULL)
		return sequence;
	sequence = calloc(1, sizeof(*sequence));
	if (sequence == NULL)
		return NULL;
	sequence->id = id;
	if (id_map_add(&sequences->map, id, sequence))
		return sequence;
	free(sequence);
	return NULL;
}

/* ---- state ----------------------------------------------------------------------------------------------- */

static void lose(struct perfetto_sequence *sequence)
{
	sequence->is_losing = true;
	sequence->is_valid = false;
}

static void add_counters(struct perfetto_counters *counters, const struct wire_field *field)
{
	struct wire_list list = wire_list(field, WIRE_VARINT);
	uint64_t track;
	while (counters->count < PERFETTO_COUNTERS_MAX && wire_list_next(&list, &track))
		counters->tracks[counters->count++] = track;
}

/* protos/perfetto/trace/track_event/track_event.proto, TrackEventDefaults */
static void read_track_defaults(struct perfetto_sequence *sequence, struct wire_message message)
{
	enum { TRACK = 11, COUNTERS = 31, REAL_COUNTERS = 45 };
	struct wire_field field;
	sequence->counters.count = sequence->real_counters.count = 0;
	while (wire_next(&message, &field)) {
		if (field.number == TRACK)
			sequence->track = field.value;
		else if (field.number == COUNTERS)
			add_counters(&sequence->counters, &field);
		else if (field.number == REAL_COUNTERS)
			add_counters(&sequence->real_counters, &field);
	}
}

enum histree_status perfetto_sequence_begin(struct perfetto_sequence *sequence, struct perfetto_budget *budget,
					    const struct perfetto_packet *packet, struct histree_error *error)
{
	if (packet->is_behind_loss && sequence->is_met && !packet->is_first)
		lose(sequence);
	sequence->is_met = true;
	if (packet->begins_state) {
		perfetto_interned_release(&sequence->interned, budget);
		sequence->clock = 0;
		sequence->track = 0;
		sequence->counters.count = sequence->real_counters.count = 0;
		sequence->generation++;
		sequence->is_valid = true;
	}
	if (packet->has_defaults) {
		/* protos/perfetto/trace/trace_packet_defaults.proto */
		struct wire_message message = packet->defaults;
		enum { CLOCK = 58, TRACK_EVENT = 11 };
		struct wire_field field;
		while (wire_next(&message, &field)) {
			if (field.number == CLOCK)
				sequence->clock = (uint32_t)field.value;
			else if (field.number == TRACK_EVENT && field.bytes != NULL)
				read_track_defaults(sequence, wire_inside(&field));
		}
	}
	if (packet->has_interned && !perfetto_interned_add(&sequence->interned, budget, packet->interned))
		return error_memory(error, "what is interned in a trace");
	return HISTREE_OK;
}

void perfetto_sequences_lose(struct perfetto_sequences *sequences)
{
	const struct id_entry *entry;
	for (size_t at = 0; (entry = id_map_next(&sequences->map, &at)) != NULL;)
		lose(entry->record);
}

void perfetto_sequences_release(struct perfetto_sequences *sequences)
{
	const struct id_entry *entry;
	for (size_t at = 0; (entry = id_map_next(&sequences->map, &at)) != NULL;) {
		struct perfetto_sequence *sequence = entry->record;
		perfetto_interned_release(&sequence->interned, &sequences->budget);
		id_map_release(&sequence->rows);
		id_map_release(&sequence->counted);
		free(sequence);
	}
	id_map_release(&sequences->map);
	*sequences = (struct perfetto_sequences){ 0 };
}

/* ---- times ----------------------------------------------------------------------------------------------- */

bool perfetto_sequence_time(struct perfetto_sequence *sequence, const struct perfetto_clocks *clocks,
			    const struct perfetto_packet *packet, histree_time *out)
{
	uint32_t id = packet->has_clock      ? packet->clock
		      : sequence->clock != 0 ? sequence->clock
					     : PERFETTO_CLOCK_BOOTTIME;
	bool is_said = packet->has_clock || sequence->clock != 0;
	uint64_t trace;
	if (!packet->has_time)
		return false;
	if (perfetto_clock_is_own(id)) {
		if (!perfetto_own_clocks_convert(&sequence->clocks, id, packet->time, &trace))
			return false;
	} else if (!perfetto_clocks_convert(clocks, id, packet->time, &trace)) {
		if (is_said)
			return false;
		trace = packet->time;
	}
	return perfetto_clocks_time(clocks, trace, out);
}

/* TrackEvent.timestamp, of the monotonic clock. */
bool perfetto_sequence_time_of_old(struct perfetto_sequence *sequence, const struct perfetto_clocks *clocks,
				   struct wire_message event, histree_time *out)
{
	enum { DELTA_US = 1, ABSOLUTE_US = 16, MONOTONIC = 3 };
	struct wire_field field;
	uint64_t us = 0, trace;
	bool has_time = false;
	while (wire_next(&event, &field)) {
		if (field.number != DELTA_US && field.number != ABSOLUTE_US)
			continue;
		if (field.number == DELTA_US)
			sequence->last_us += field.value;
		us = field.number == DELTA_US ? sequence->last_us : field.value;
		has_time = true;
	}
	if (!has_time || us > INT64_MAX / 1000)
		return false;
	if (!perfetto_clocks_convert(clocks, MONOTONIC, us * 1000, &trace))
		trace = us * 1000;
	return perfetto_clocks_time(clocks, trace, out);
}

/* ---- perfetto packets ---------------------------------------------------------------------------------------- */

enum { TAG_OF_PACKET = 1 << 3 | WIRE_BYTES, COMPRESSED_PACKETS = 50, ZSTD_PACKETS = 133, SEARCH_SIZE = 64 << 10 };

/* Extensions of a packet end at 1999. */
enum { FIELD_MAX = 1999 };

enum { HEAD_SIZE_MAX = 1 + VARINT_SIZE_MAX, PACKET_SIZE_MAX = TRACE_WINDOW_SIZE_MAX };

/* The service's own constant, the last field of its packet. */
static const uint8_t marker[] = { 0x82, 0x47, 0x7a, 0x76, 0xb2, 0x8d, 0x42, 0xba,
				  0x81, 0xdc, 0x33, 0x32, 0x6d, 0x57, 0xa0, 0x79 };

/*
 * Text may begin with an empty line, which looks like the tag of a packet: so the fields in it are looked at, as
 * far as they are there.
 */
bool perfetto_packets_begin(const void *bytes, size_t size)
{
	const uint8_t *at = bytes, *end = at + size;
	uint64_t length;
	struct wire_field field;
	at = size > 0 && *at == TAG_OF_PACKET ? get_varint(at + 1, end, &length) : NULL;
	if (at == NULL || length == 0 || length > PACKET_SIZE_MAX)
		return false;
	bool is_whole = length <= (size_t)(end - at);
	struct wire_message packet = wire_message(at, is_whole ? (size_t)length : (size_t)(end - at));
	if (!is_whole)
		return wire_begins(&packet, (size_t)length, FIELD_MAX);
	while (wire_next(&packet, &field))
		if (field.number > FIELD_MAX)
			return false;
	at += length;
	return !packet.is_damaged && (at == end || *at == TAG_OF_PACKET);
}

enum histree_status perfetto_packets_open(struct perfetto_packets *packets, const struct io *io, const char *path,
					  struct histree_error *error)
{
	*packets = (struct perfetto_packets){ 0 };
	return trace_bytes_open(&packets->bytes, io, path, error);
}

void perfetto_packets_close(struct perfetto_packets *packets)
{
	trace_bytes_close(&packets->bytes);
	free(packets->inner);
	*packets = (struct perfetto_packets){ 0 };
}

static enum histree_status broken(const struct perfetto_packets *packets, const char *why,
				  struct histree_error *error)
{
	return error_set(error, HISTREE_ERR_TRACE, "at offset %" PRIu64 "%s %s",
			 trace_bytes_offset(&packets->bytes),
			 packets->bytes.gunzip != NULL ? " of what is packed" : "", why);
}

/* What is wrong inside of a packet does not hide where the next one is. */
static enum histree_status broken_inside(struct perfetto_packets *packets, const char *why,
					 struct histree_error *error)
{
	packets->is_in_place = true;
	return broken(packets, why, error);
}

/* Have `size` bytes of the content there, or what is left of it. */
static enum histree_status see(struct perfetto_packets *packets, size_t size, size_t *count,
			       struct histree_error *error)
{
	struct trace_bytes *bytes = &packets->bytes;
	enum histree_status status = HISTREE_OK;
	while (status == HISTREE_OK && (size_t)(bytes->end - bytes->at) < size)
		status = trace_bytes_more(bytes, error);
	*count = (size_t)(bytes->end - bytes->at);
	if (status == HISTREE_ERR_IO)
		return broken(packets, "the file cannot be read any more", error);
	return status == HISTREE_END ? HISTREE_OK : status;
}

/* ---- compressed packets ---------------------------------------------------------------------------------- */

static enum histree_status grow(struct perfetto_packets *packets, struct histree_error *error)
{
	size_t capacity = packets->inner_capacity == 0 ? SEARCH_SIZE : 2 * packets->inner_capacity;
	if (capacity > PACKET_SIZE_MAX)
		return broken_inside(packets, "there are compressed packets of more than 64 MiB", error);
	uint8_t *larger = realloc(packets->inner, capacity);
	if (larger == NULL)
		return error_memory(error, "compressed packets");
	packets->inner = larger;
	packets->inner_capacity = capacity;
	return HISTREE_OK;
}

/* By gzip, or by zstd if `gunzip` is NULL. */
static enum histree_status unpack_all(struct perfetto_packets *packets, struct gunzip *gunzip,
				      struct zstd_stream *zstd, const struct wire_field *field,
				      struct histree_error *error)
{
	size_t at = 0, count = 0, used = 0, got = 0;
	do {
		enum histree_status status = count == packets->inner_capacity ? grow(packets, error) : HISTREE_OK;
		if (status != HISTREE_OK)
			return status;
		uint8_t *room = packets->inner + count;
		const size_t room_size = packets->inner_capacity - count;
		used = 0;
		got = gunzip != NULL
			      ? gunzip_read(gunzip, field->bytes + at, field->size - at, &used, room, room_size)
			      : zstd_stream_unpack(zstd, field->bytes + at, field->size - at, &used, room,
						   room_size);
		at += used;
		count += got == SIZE_MAX ? 0 : got;
		if (!unpack_limit_count(&packets->limit, used, got == SIZE_MAX ? 0 : got))
			return broken(packets, "what is in compressed packets " UNPACK_IS_TOO_MUCH, error);
	} while (got != SIZE_MAX && (got > 0 || used > 0) && (gunzip == NULL || !gunzip_is_whole(gunzip)));
	packets->inside = wire_message(packets->inner, count);
	packets->is_inner_cut = gunzip != NULL ? !gunzip_is_whole(gunzip) : got == SIZE_MAX || count == 0;
	return HISTREE_OK;
}

static enum histree_status unpack(struct perfetto_packets *packets, const struct wire_field *field,
				  struct histree_error *error)
{
	struct gunzip *gunzip = NULL;
	struct zstd_stream *zstd = NULL;
	enum histree_status status = HISTREE_OK;
	if (field->number == COMPRESSED_PACKETS)
		status = gunzip_create(&gunzip, error);
	else if (!zstd_is_there)
		status = error_set(error, HISTREE_ERR_TRACE,
				   "packets are packed by zstd; build histree with libzstd (Debian: libzstd-dev)");
	else if ((zstd = zstd_stream_create()) == NULL)
		status = error_memory(error, "compressed packets");
	packets->is_in_place = status == HISTREE_ERR_TRACE;
	if (status == HISTREE_OK)
		status = unpack_all(packets, gunzip, zstd, field, error);
	gunzip_free(gunzip);
	zstd_stream_free(zstd);
	return status;
}

/* Returns whether the packet holds others, and where: it has no field before that. */
static inline bool is_compressed(struct wire_message packet, struct wire_field *out)
{
	enum {
		BY_ZLIB = ((COMPRESSED_PACKETS << 3 | WIRE_BYTES) & 0x7f) | 0x80
	}; /* tags of others begin so, too */
	enum { BY_ZSTD = ((ZSTD_PACKETS << 3 | WIRE_BYTES) & 0x7f) | 0x80 };
	return packet.at < packet.end && (*packet.at == BY_ZLIB || *packet.at == BY_ZSTD) &&
	       wire_next(&packet, out) && (out->number == COMPRESSED_PACKETS || out->number == ZSTD_PACKETS) &&
	       out->bytes != NULL;
}

/* The next one of a packet of packets; compressed ones contain none. */
static enum histree_status next_inside(struct perfetto_packets *packets, struct wire_message *out,
				       struct histree_error *error)
{
	struct wire_field field;
	if (packets->inside.at == packets->inside.end && !packets->is_inner_cut && !packets->inside.is_damaged)
		return HISTREE_END; /* nearly always */
	while (wire_next(&packets->inside, &field))
		if (field.number == 1 && field.bytes != NULL) {
			*out = wire_inside(&field);
			return HISTREE_OK;
		}
	bool is_damaged = packets->inside.is_damaged || packets->is_inner_cut;
	packets->inside = wire_message(NULL, 0);
	packets->is_inner_cut = false;
	return is_damaged ? broken_inside(packets, "compressed packets are cut or damaged", error) : HISTREE_END;
}

/* ---- packets of the file --------------------------------------------------------------------------------- */

/* Get one that is whole in what was read of the file; false: that takes a closer look. */
static inline bool next_in_sight(struct trace_bytes *bytes, struct wire_message *out)
{
	uint64_t size;
	if (bytes->end - bytes->at < HEAD_SIZE_MAX || bytes->at[0] != TAG_OF_PACKET)
		return false;
	const uint8_t *body = get_varint(bytes->at + 1, bytes->end, &size);
	if (body == NULL || size > PACKET_SIZE_MAX || size > (size_t)(bytes->end - body))
		return false;
	*out = wire_message(body, (size_t)size);
	bytes->at = body + size;
	return true;
}

static enum histree_status next_of_file(struct perfetto_packets *packets, struct wire_message *out,
					struct histree_error *error)
{
	struct trace_bytes *bytes = &packets->bytes;
	size_t count;
	uint64_t size;
	if (next_in_sight(bytes, out))
		return HISTREE_OK;
	enum histree_status status = see(packets, HEAD_SIZE_MAX, &count, error);
	if (status != HISTREE_OK)
		return status;
	if (count == 0)
		return !bytes->is_cut ? HISTREE_END
		       : gunzip_is_over(bytes->gunzip)
			       ? broken(packets, "what is packed by gzip " UNPACK_IS_TOO_MUCH, error)
			       : broken(packets, "what is packed by gzip is cut or damaged", error);
	const uint8_t *body = bytes->at[0] == TAG_OF_PACKET ? get_varint(bytes->at + 1, bytes->end, &size) : NULL;
	if (body == NULL)
		return broken(packets, "there is no packet", error);
	if (size > PACKET_SIZE_MAX)
		return broken(packets, "there is a packet of more than 64 MiB", error);
	size_t head = (size_t)(body - bytes->at);
	status = see(packets, head + (size_t)size, &count, error);
	if (status == HISTREE_OK && count < head + size)
		return broken(packets, "a packet is longer than the rest of the file", error);
	if (status == HISTREE_OK) {
		*out = wire_message(bytes->at + head, (size_t)size);
		bytes->at += head + size;
	}
	return status;
}

enum histree_status perfetto_packets_next(struct perfetto_packets *packets, struct wire_message *out,
					  struct histree_error *error)
{
	struct wire_field inner;
	for (;;) {
		enum histree_status status = next_inside(packets, out, error);
		if (status != HISTREE_END)
			return status;
		status = next_of_file(packets, out, error);
		if (status != HISTREE_OK || !is_compressed(*out, &inner))
			return status;
		status = unpack(packets, &inner, error);
		if (status != HISTREE_OK)
			return status;
	}
}

/* ---- behind damage --------------------------------------------------------------------------------------- */

enum histree_status perfetto_packets_resume(struct perfetto_packets *packets, struct histree_error *error)
{
	struct trace_bytes *bytes = &packets->bytes;
	size_t count;
	if (packets->limit.is_over)
		return HISTREE_END;
	if (packets->is_in_place) {
		packets->is_in_place = false;
		return HISTREE_OK;
	}
	for (;;) {
		enum histree_status status = see(packets, SEARCH_SIZE, &count, error);
		if (status != HISTREE_OK)
			return status == HISTREE_ERR_TRACE ? HISTREE_END : status;
		const uint8_t *found = count == 0 ? NULL : memmem(bytes->at, count, marker, sizeof(marker));
		if (found != NULL)
			bytes->at = found + sizeof(marker);
		if (found != NULL || count < SEARCH_SIZE)
			return found != NULL ? HISTREE_OK : HISTREE_END;
		bytes->at += count - sizeof(marker) + 1;
	}
}
