/* SPDX-License-Identifier: MIT */
/*
 * wire.h - messages of protocol buffers, and times of any clock of a trace of Perfetto as times of the day.
 *
 * A *message* is read field by field, as it is on the wire (https://protobuf.dev/programming-guides/encoding/).
 *
 * 	struct wire_message message = wire_message(bytes, size);
 * 	struct wire_field field;
 * 	while (wire_next(&message, &field))
 * 		...;			// then message.is_damaged says whether it ended before its end
 *
 * A field says how its value is written, not its type, which only the reader of the message knows.  Groups, which
 * are obsolete, are damage.
 *
 * Times of any clock of a trace as times of the day
 * (protos/perfetto/trace/clock_snapshot.proto).
 *
 * A snapshot has the times of several clocks at one instant.  One of them is the clock of the trace, by default the
 * time since the start of the machine; the first snapshot that also has the time of the day relates the two, once,
 * so that setting the clock does not tear a trace apart.  A time of another clock is converted by its distance from
 * the last snapshot of that clock.
 *
 * Clocks of a sequence apply to its packets only and are read along with these; the other clocks are read before
 * the events.
 */
#ifndef TRACE_PERFETTO_WIRE_H
#define TRACE_PERFETTO_WIRE_H

#include "base/bytes.h"
#include "histree/value.h"

enum wire_kind { WIRE_VARINT = 0, WIRE_FIXED64 = 1, WIRE_BYTES = 2, WIRE_FIXED32 = 5 };

struct wire_field {
	uint32_t number;
	enum wire_kind kind;
	uint64_t value;       /* of a number; of bytes their size */
	const uint8_t *bytes; /* NULL: it is a number */
	size_t size;          /* of them */
};

struct wire_message {
	const uint8_t *at, *end;
	bool is_damaged; /* the bytes behind the last field are not a field */
};

static inline struct wire_message wire_message(const void *bytes, size_t size)
{
	const uint8_t *at = bytes;
	return (struct wire_message){ .at = at, .end = size == 0 ? at : at + size };
}

/* The message that a field holds; of a number an empty one. */
static inline struct wire_message wire_inside(const struct wire_field *field)
{
	return wire_message(field->bytes, field->bytes == NULL ? 0 : field->size);
}

/* As wire_next(), of any field and of damage. */
bool wire_next_any(struct wire_message *message, struct wire_field *out);

/*
 * Get the next field.  Returns false after the last one.
 *
 * Numbers and bytes, as nearly all fields are, are read here, and what is asked for stays in registers: so what is
 * not read here gets copies.
 */
static inline bool wire_next(struct wire_message *message, struct wire_field *out)
{
	const uint8_t *at = message->at, *const end = message->end;
	if (at == end)
		return false;
	uint64_t tag = *at++, value = 0;
	if (tag >= 0x80) {
		if (at == end || *at >= 0x80)
			goto any;
		tag = (tag & 0x7f) | (uint64_t)*at++ << 7;
	}
	const unsigned kind = tag & 7;
	if (tag >> 3 == 0 || (kind != WIRE_VARINT && kind != WIRE_BYTES) || at == end)
		goto any;
	value = *at++;
	if (value >= 0x80) {
		at = get_varint(at - 1, end, &value);
		if (at == NULL)
			goto any;
	}
	if (kind == WIRE_BYTES && value > (size_t)(end - at))
		goto any;
	*out = (struct wire_field){ .number = (uint32_t)(tag >> 3), .kind = (enum wire_kind)kind, .value = value };
	if (kind == WIRE_BYTES) {
		out->bytes = at;
		out->size = (size_t)value;
		at += value;
	}
	message->at = at;
	return true;
any:;
	struct wire_message copy = *message;
	struct wire_field field;
	const bool is_there = wire_next_any(&copy, &field);
	*message = copy;
	if (is_there)
		*out = field;
	return is_there;
}

/* Returns whether the fields of a message of `size` bytes, of which only the first are there, may be such. */
bool wire_begins(const struct wire_message *message, size_t size, uint32_t number_max);

/*
 * Get the next number of a repeated field, which may be one number, or many in a row as bytes.  `list` is what
 * wire_list() made of the field; each number is written as `kind` says.
 */
struct wire_list {
	const uint8_t *at, *end;
	uint64_t single;
	bool has_single;
	enum wire_kind kind;
};

static inline struct wire_list wire_list(const struct wire_field *field, enum wire_kind kind)
{
	struct wire_message inside = wire_inside(field);
	return (struct wire_list){ .at = inside.at,
				   .end = inside.end,
				   .single = field->value,
				   .has_single = field->bytes == NULL,
				   .kind = kind };
}

bool wire_list_next(struct wire_list *list, uint64_t *out);

/* A field of fixed64 that is a double. */
static inline double wire_real(uint64_t value)
{
	double real;
	memcpy(&real, &value, sizeof(real));
	return real;
}

enum { PERFETTO_CLOCK_REALTIME = 1, PERFETTO_CLOCK_BOOTTIME = 6 };

/* One instant on a clock and on that of the trace. */
struct perfetto_instant {
	uint64_t own, trace;
};

struct perfetto_clock {
	uint32_t id;
	struct perfetto_instant *instants;
	size_t count, capacity;
};

enum { PERFETTO_CLOCKS_MAX = 16 };

/* A zeroed one knows of no snapshot. */
struct perfetto_clocks {
	uint32_t trace_clock; /* 0: there was no snapshot yet */
	bool is_chosen;       /* a snapshot says which is the trace's */
	struct perfetto_clock clocks[PERFETTO_CLOCKS_MAX];
	size_t count;
	bool has_wall;
	uint64_t wall; /* the time of the day when the trace's clock was 0; may be below zero */
};

/* Clocks of one sequence: those from 64 to 127. */
struct perfetto_own_clock {
	uint32_t id;
	bool is_incremental;
	uint64_t unit;                 /* ns */
	uint64_t last;                 /* of an incremental one: the time of the last packet */
	struct perfetto_instant begin; /* of the last snapshot */
};

enum { PERFETTO_OWN_CLOCKS_MAX = 4 };

struct perfetto_own_clocks {
	struct perfetto_own_clock clocks[PERFETTO_OWN_CLOCKS_MAX];
	size_t count;
};

static inline bool perfetto_clock_is_own(uint32_t id)
{
	return id >= 64 && id < 128;
}

/* Learn from a snapshot.  Returns false if memory runs out. */
bool perfetto_clocks_learn(struct perfetto_clocks *clocks, struct wire_message snapshot);

/* No more are learned: put what is known in order. */
void perfetto_clocks_finish(struct perfetto_clocks *clocks);

/* Learn what a snapshot says of the clocks of its sequence. */
void perfetto_own_clocks_learn(struct perfetto_own_clocks *own, const struct perfetto_clocks *clocks,
			       struct wire_message snapshot);

/* Returns whether a time of a clock can be told on the trace's. */
bool perfetto_clocks_convert(const struct perfetto_clocks *clocks, uint32_t id, uint64_t time, uint64_t *out);

/* The same for a clock of a sequence; of an incremental one a packet's time is what passed since the one before. */
bool perfetto_own_clocks_convert(struct perfetto_own_clocks *own, uint32_t id, uint64_t time, uint64_t *out);

/* Returns whether a time of the trace's clock is one of 64 bits, and as one of the day. */
bool perfetto_clocks_time(const struct perfetto_clocks *clocks, uint64_t time, histree_time *out);
void perfetto_clocks_release(struct perfetto_clocks *clocks);

#endif
