// SPDX-License-Identifier: MIT
/*
 * perfetto.c - track events of Perfetto as messages of protocol buffers: one packet after another, of one writer.
 *
 * Sources: "Encoding" of the Protocol Buffers documentation (protobuf.dev/programming-guides/encoding);
 * protos/perfetto/trace of Perfetto (trace_packet, track_event/track_descriptor, track_event/track_event,
 * interned_data, clock_snapshot, all .proto).
 *
 * The clock of the trace is the time of day, under both of the names that readers look for.  Packets count from
 * the one before, on a clock of the writer's own: a time then is one to four bytes.  Names are interned; when
 * there are very many, the writer begins a new state without any.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/error.h"
#include "base/json_text.h"
#include "export/viewer/viewer_rows.h"

/* ---- perfetto message ---------------------------------------------------------------------------------------- */

enum { WIRE_VARINT = 0, WIRE_FIXED64 = 1, WIRE_BYTES = 2 };

static void put_tag(struct byte_buffer *message, uint32_t field, unsigned wire)
{
	byte_buffer_put_number(message, (uint64_t)field << 3 | wire);
}

static void perfetto_message_varint(struct byte_buffer *message, uint32_t field, uint64_t value)
{
	put_tag(message, field, WIRE_VARINT);
	byte_buffer_put_number(message, value);
}

static void perfetto_message_fixed64(struct byte_buffer *message, uint32_t field, uint64_t value)
{
	uint8_t bytes[sizeof(value)];
	put_le64(bytes, value);
	put_tag(message, field, WIRE_FIXED64);
	byte_buffer_put(message, bytes, sizeof(bytes));
}

static void perfetto_message_real(struct byte_buffer *message, uint32_t field, double value)
{
	uint64_t bits;
	memcpy(&bits, &value, sizeof(bits));
	perfetto_message_fixed64(message, field, bits);
}

static void perfetto_message_bytes(struct byte_buffer *message, uint32_t field, const void *bytes, size_t size)
{
	put_tag(message, field, WIRE_BYTES);
	byte_buffer_put_text(message, bytes, size);
}

/* A string must be UTF-8: what is not becomes U+FFFD. */
static void perfetto_message_text(struct byte_buffer *message, uint32_t field, const char *bytes, size_t size)
{
	if (utf8_is_valid(bytes, size)) {
		perfetto_message_bytes(message, field, bytes, size);
		return;
	}
	char *text = malloc(3 * size);
	if (text == NULL) {
		message->failed = true;
		return;
	}
	perfetto_message_bytes(message, field, text, utf8_repair(bytes, size, text));
	free(text);
}

/* A message in a message; failure is handed on. */
static void perfetto_message_message(struct byte_buffer *message, uint32_t field, const struct byte_buffer *inner)
{
	message->failed = message->failed || inner->failed;
	perfetto_message_bytes(message, field, inner->bytes, inner->size);
}

/* ---- perfetto ------------------------------------------------------------------------------------------------ */

enum { CLOCK_REALTIME_ID = 1, CLOCK_BOOTTIME_ID = 6, CLOCK_OWN_ID = 64 };

enum { FLAG_CLEARED = 1, FLAG_NEEDS_STATE = 2, SEQUENCE = 1 };

enum { EVENT_BEGIN = 1, EVENT_END = 2, EVENT_INSTANT = 3, EVENT_COUNTER = 4 };

/* Fields of TracePacket. */
enum {
	PACKET_CLOCK_SNAPSHOT = 6,
	PACKET_TIMESTAMP = 8,
	PACKET_SEQUENCE = 10,
	PACKET_EVENT = 11,
	PACKET_INTERNED = 12,
	PACKET_FLAGS = 13,
	PACKET_CLOCK = 58,
	PACKET_DEFAULTS = 59,
	PACKET_DESCRIPTOR = 60,
	PACKET_FIRST = 87,
};

/* Fields of TrackEvent. */
enum {
	EVENT_CATEGORIES = 3,
	EVENT_ANNOTATIONS = 4,
	EVENT_TYPE = 9,
	EVENT_NAME = 10,
	EVENT_TRACK = 11,
	EVENT_VALUE = 30,
	EVENT_REAL_VALUE = 44,
	EVENT_FLOWS = 47,
	EVENT_LAST_FLOWS = 48,
};

/* Tables of InternedData: their fields. */
enum interned_table { TABLE_CATEGORIES = 1, TABLE_NAMES = 2, TABLE_ANNOTATIONS = 3, TABLE_COUNT = 4 };

/* A reader keeps what is interned in memory, and so does this writer. */
enum { INTERNED_MAX = 65536, INTERNED_BYTES_MAX = 8 << 20 };

struct perfetto {
	struct byte_buffer packet, event, interned, inner, part;
	struct intern tables[TABLE_COUNT];
	size_t interned_bytes;
	histree_time last; /* of the last packet */
	bool has_state;    /* the sequence has begun */
	bool was_begun;    /* at least once */
};

static void *create(void)
{
	return calloc(1, sizeof(struct perfetto));
}

static void forget(struct perfetto *perfetto)
{
	for (int table = 0; table < TABLE_COUNT; table++) {
		intern_release(&perfetto->tables[table]);
		perfetto->tables[table] = (struct intern){ 0 };
	}
	perfetto->interned_bytes = 0;
}

static void release(void *state)
{
	struct perfetto *perfetto = state;
	byte_buffer_release(&perfetto->packet);
	byte_buffer_release(&perfetto->event);
	byte_buffer_release(&perfetto->interned);
	byte_buffer_release(&perfetto->inner);
	byte_buffer_release(&perfetto->part);
	forget(perfetto);
	free(perfetto);
}

/* ---- packets ---------------------------------------------------------------------------------------------- */

static void put_packet(struct viewer_file *file)
{
	struct perfetto *perfetto = file->state;
	enum { TRACE_PACKET = 1 };
	byte_buffer_clear(&perfetto->part);
	perfetto_message_message(&perfetto->part, TRACE_PACKET, &perfetto->packet);
	if (perfetto->part.failed)
		viewer_file_lacks_memory(file);
	else
		export_bytes(file->output, (const char *)perfetto->part.bytes, perfetto->part.size);
}

static void begin_packet(struct perfetto *perfetto)
{
	byte_buffer_clear(&perfetto->packet);
	perfetto_message_varint(&perfetto->packet, PACKET_SEQUENCE, SEQUENCE);
}

static void put_clock(struct perfetto *perfetto, uint64_t id, uint64_t time, bool is_incremental)
{
	byte_buffer_clear(&perfetto->part);
	perfetto_message_varint(&perfetto->part, 1, id);
	perfetto_message_varint(&perfetto->part, 2, time);
	if (is_incremental)
		perfetto_message_varint(&perfetto->part, 3, 1);
	perfetto_message_message(&perfetto->inner, 1, &perfetto->part);
}

/* Begin a state of the writer: which clock its packets have, and nothing interned. */
static void begin_state(struct viewer_file *file, histree_time time)
{
	struct perfetto *perfetto = file->state;
	forget(perfetto);
	begin_packet(perfetto);
	perfetto_message_varint(&perfetto->packet, PACKET_TIMESTAMP, (uint64_t)time);
	perfetto_message_varint(&perfetto->packet, PACKET_CLOCK, CLOCK_BOOTTIME_ID);
	perfetto_message_varint(&perfetto->packet, PACKET_FLAGS, FLAG_CLEARED);
	if (!perfetto->was_begun)
		perfetto_message_varint(&perfetto->packet, PACKET_FIRST, 1);
	byte_buffer_clear(&perfetto->inner);
	put_clock(perfetto, CLOCK_BOOTTIME_ID, (uint64_t)time, false);
	put_clock(perfetto, CLOCK_REALTIME_ID, (uint64_t)time, false);
	put_clock(perfetto, CLOCK_OWN_ID, (uint64_t)time, true);
	perfetto_message_varint(&perfetto->inner, 2, CLOCK_BOOTTIME_ID);
	perfetto_message_message(&perfetto->packet, PACKET_CLOCK_SNAPSHOT, &perfetto->inner);
	byte_buffer_clear(&perfetto->inner);
	perfetto_message_varint(&perfetto->inner, PACKET_CLOCK, CLOCK_OWN_ID);
	perfetto_message_message(&perfetto->packet, PACKET_DEFAULTS, &perfetto->inner);
	put_packet(file);
	perfetto->has_state = perfetto->was_begun = true;
	perfetto->last = time;
}

/* Begin a packet with a time.  Returns false if the format cannot express the time. */
static bool begin_timed(struct viewer_file *file, histree_time time)
{
	struct perfetto *perfetto = file->state;
	if (time < 0) {
		file->status =
			error_set(file->error, HISTREE_ERR_ARGUMENT,
				  "time %lld is before 1970, and Perfetto's format has no such times: choose a "
				  "later '--from', or Chrome's format",
				  (long long)time);
		return false;
	}
	if (!perfetto->has_state)
		begin_state(file, time);
	begin_packet(perfetto);
	bool is_later = time >= perfetto->last;
	perfetto_message_varint(&perfetto->packet, PACKET_TIMESTAMP,
				is_later ? (uint64_t)time - (uint64_t)perfetto->last : (uint64_t)time);
	if (!is_later)
		perfetto_message_varint(&perfetto->packet, PACKET_CLOCK, CLOCK_BOOTTIME_ID);
	else
		perfetto->last = time;
	perfetto_message_varint(&perfetto->packet, PACKET_FLAGS, FLAG_NEEDS_STATE);
	byte_buffer_clear(&perfetto->interned);
	return file->status == HISTREE_OK;
}

/* ---- what is interned ------------------------------------------------------------------------------------- */

/* Returns the id of a text, which the packet says if it is new. */
static uint64_t iid_of(struct viewer_file *file, enum interned_table table, struct viewer_text text)
{
	struct perfetto *perfetto = file->state;
	struct intern *known = &perfetto->tables[table];
	uint32_t before = known->count, id = intern_add(known, text.bytes, text.size);
	if (id == INTERN_NONE) {
		viewer_file_lacks_memory(file);
		return 0;
	}
	if (id == before) {
		perfetto->interned_bytes += text.size;
		byte_buffer_clear(&perfetto->part);
		perfetto_message_varint(&perfetto->part, 1, (uint64_t)id + 1);
		perfetto_message_text(&perfetto->part, 2, text.bytes, text.size);
		perfetto_message_message(&perfetto->interned, table, &perfetto->part);
	}
	return (uint64_t)id + 1;
}

/* ---- events ----------------------------------------------------------------------------------------------- */

static bool begin_event(struct viewer_file *file, const struct viewer_track *track, histree_time time,
			uint64_t type)
{
	struct perfetto *perfetto = file->state;
	if (!begin_timed(file, time))
		return false;
	byte_buffer_clear(&perfetto->event);
	perfetto_message_varint(&perfetto->event, EVENT_TYPE, type);
	perfetto_message_varint(&perfetto->event, EVENT_TRACK, track->number);
	return true;
}

static void put_event(struct viewer_file *file)
{
	struct perfetto *perfetto = file->state;
	if (perfetto->interned.size > 0 || perfetto->interned.failed)
		perfetto_message_message(&perfetto->packet, PACKET_INTERNED, &perfetto->interned);
	perfetto_message_message(&perfetto->packet, PACKET_EVENT, &perfetto->event);
	put_packet(file);
	if (perfetto->tables[TABLE_NAMES].count >= INTERNED_MAX || perfetto->interned_bytes >= INTERNED_BYTES_MAX)
		perfetto->has_state = false;
}

static void put_annotation(struct viewer_file *file, const struct viewer_argument *argument)
{
	enum { NAME = 1, BOOL = 2, UNSIGNED = 3, INT = 4, REAL = 5, TEXT = 6 };
	struct perfetto *perfetto = file->state;
	const struct histree_value *value = &argument->value;
	char room[VIEWER_WORDS_SIZE];
	uint64_t name = iid_of(file, TABLE_ANNOTATIONS, viewer_text(argument->name));
	byte_buffer_clear(&perfetto->inner);
	perfetto_message_varint(&perfetto->inner, NAME, name);
	if (value->type == HISTREE_INT) {
		perfetto_message_varint(&perfetto->inner, INT, (uint64_t)(int64_t)value->int32);
	} else if (value->type == HISTREE_LONG) {
		perfetto_message_varint(&perfetto->inner, value->size == HISTREE_UNSIGNED ? UNSIGNED : INT,
					(uint64_t)value->int64);
	} else if (value->type == HISTREE_DOUBLE) {
		perfetto_message_real(&perfetto->inner, REAL, value->real);
	} else if (value->type == HISTREE_BOOL) {
		perfetto_message_varint(&perfetto->inner, BOOL, value->boolean);
	} else {
		struct viewer_text text = viewer_value_text(value, room);
		perfetto_message_text(&perfetto->inner, TEXT, text.bytes, text.size);
	}
	perfetto_message_message(&perfetto->event, EVENT_ANNOTATIONS, &perfetto->inner);
}

static void put_words(struct viewer_file *file, const struct viewer_span *span)
{
	struct perfetto *perfetto = file->state;
	perfetto_message_varint(&perfetto->event, EVENT_NAME, iid_of(file, TABLE_NAMES, span->name));
	if (span->category.size > 0)
		perfetto_message_varint(&perfetto->event, EVENT_CATEGORIES,
					iid_of(file, TABLE_CATEGORIES, span->category));
	for (size_t i = 0; i < span->argument_count; i++)
		put_annotation(file, &span->arguments[i]);
}

static void put_span(struct viewer_file *file, const struct viewer_track *track, const struct viewer_span *span)
{
	if (!begin_event(file, track, span->start, EVENT_BEGIN))
		return;
	put_words(file, span);
	put_event(file);
}

static void put_end(struct viewer_file *file, const struct viewer_track *track, histree_time time,
		    struct viewer_text name)
{
	(void)name;
	if (begin_event(file, track, time, EVENT_END))
		put_event(file);
}

static void put_instant(struct viewer_file *file, const struct viewer_track *track, const struct viewer_span *span)
{
	if (!begin_event(file, track, span->start, EVENT_INSTANT))
		return;
	put_words(file, span);
	put_event(file);
}

static void put_count(struct viewer_file *file, const struct viewer_track *track, histree_time time,
		      const struct histree_value *value)
{
	struct perfetto *perfetto = file->state;
	if (!begin_event(file, track, time, EVENT_COUNTER))
		return;
	if (value->type == HISTREE_DOUBLE)
		perfetto_message_real(&perfetto->event, EVENT_REAL_VALUE, value->real);
	else
		perfetto_message_varint(&perfetto->event, EVENT_VALUE,
					(uint64_t)(value->type == HISTREE_INT ? value->int32 : value->int64));
	put_event(file);
}

/* Flows go from event to event: an instant is the one that a span has in its middle. */
static void put_flow(struct viewer_file *file, const struct viewer_track *track, const struct viewer_flow *flow)
{
	struct perfetto *perfetto = file->state;
	if (!begin_event(file, track, flow->time, EVENT_INSTANT))
		return;
	perfetto_message_varint(&perfetto->event, EVENT_NAME, iid_of(file, TABLE_NAMES, viewer_text(flow->name)));
	perfetto_message_varint(&perfetto->event, EVENT_CATEGORIES,
				iid_of(file, TABLE_CATEGORIES, viewer_text("flow")));
	perfetto_message_fixed64(&perfetto->event, flow->is_end ? EVENT_LAST_FLOWS : EVENT_FLOWS, flow->id);
	put_event(file);
}

/* ---- tracks ----------------------------------------------------------------------------------------------- */

/* A counter that has several values is as many counters here. */
static void put_name(struct viewer_file *file, const struct viewer_track *track)
{
	enum { DESCRIPTOR_NAME = 2 };
	struct perfetto *perfetto = file->state;
	if (track->kind != VIEWER_COUNTER || track->series_size == 0) {
		perfetto_message_text(&perfetto->inner, DESCRIPTOR_NAME, track->name, track->name_size);
		return;
	}
	size_t size = track->name_size + 1 + track->series_size;
	char *name = malloc(size);
	if (name == NULL) {
		viewer_file_lacks_memory(file);
		return;
	}
	memcpy(name, track->name, track->name_size);
	name[track->name_size] = ' ';
	memcpy(name + track->name_size + 1, track->series, track->series_size);
	perfetto_message_text(&perfetto->inner, DESCRIPTOR_NAME, name, size);
	free(name);
}

static void describe(struct viewer_file *file, const struct viewer_track *track)
{
	enum { UUID = 1, PARENT = 5, CHILD_ORDER = 11, RANK = 12, EXPLICIT = 3 };
	struct perfetto *perfetto = file->state;
	bool is_owner = track->kind == VIEWER_PROCESS || track->kind == VIEWER_THREAD;
	begin_packet(perfetto);
	byte_buffer_clear(&perfetto->inner);
	perfetto_message_varint(&perfetto->inner, UUID, track->number);
	if (is_owner) {
		/* process_descriptor.proto, thread_descriptor.proto */
		bool is_thread = track->kind == VIEWER_THREAD;
		byte_buffer_clear(&perfetto->part);
		if (track->has_pid)
			perfetto_message_varint(&perfetto->part, 1, (uint64_t)track->pid);
		if (is_thread)
			perfetto_message_varint(&perfetto->part, 2, (uint64_t)track->tid);
		if (track->name != NULL)
			perfetto_message_text(&perfetto->part, is_thread ? 5 : 6, track->name, track->name_size);
		perfetto_message_message(&perfetto->inner, is_thread ? 4 : 3, &perfetto->part);

		if (track->place != 0)
			perfetto_message_varint(&perfetto->inner, RANK, track->place);
	} else {
		put_name(file, track);
		if (track->parent != 0)
			perfetto_message_varint(&perfetto->inner, PARENT, track->parent);
		perfetto_message_varint(&perfetto->inner, RANK, track->number);
	}
	if (track->kind == VIEWER_COUNTER) {
		/* counter_descriptor.proto */
		enum { DESCRIPTOR_COUNTER = 8, UNIT_NAME = 6 };
		byte_buffer_clear(&perfetto->part);
		if (track->unit != NULL)
			perfetto_message_text(&perfetto->part, UNIT_NAME, track->unit, strlen(track->unit));
		perfetto_message_message(&perfetto->inner, DESCRIPTOR_COUNTER, &perfetto->part);
	}
	if (track->kind == VIEWER_GROUP)
		perfetto_message_varint(&perfetto->inner, CHILD_ORDER, EXPLICIT);
	perfetto_message_message(&perfetto->packet, PACKET_DESCRIPTOR, &perfetto->inner);
	put_packet(file);
}

/* ---- the file --------------------------------------------------------------------------------------------- */

static void perfetto_begin(struct viewer_file *file, const struct viewer_head *head)
{
	(void)head;
	(void)file;
}

static bool wants_ends(const struct viewer_file *file, const struct viewer_track *track)
{
	(void)file;
	(void)track;
	return true;
}

static void finish(struct viewer_file *file)
{
	(void)file;
}

const struct viewer_format viewer_perfetto = {
	.create = create,
	.free = release,
	.begin = perfetto_begin,
	.describe = describe,
	.wants_ends = wants_ends,
	.span = put_span,
	.end = put_end,
	.count = put_count,
	.instant = put_instant,
	.flow = put_flow,
	.finish = finish,
};
