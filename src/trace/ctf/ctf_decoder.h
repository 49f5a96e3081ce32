/* SPDX-License-Identifier: MIT */
/*
 * ctf_decoder.h - the bytes of a packet become events, by the procedures of one trace: for the heads of its
 * packets, the headers of events, and each class.
 *
 * The bytes are a window on the packet: those from `origin` on, as many as are there.  A procedure that comes to
 * the end of the window says so, the window is moved or made larger, and the procedure begins again.  Every length
 * is compared with what is left of the packet before it is used.
 *
 * A class is made when its first event is met, so that ids are dense over the classes that occur.
 */
#ifndef TRACE_CTF_CTF_DECODER_H
#define TRACE_CTF_CTF_DECODER_H

#include <string.h>

#include "event/event.h"
#include "trace/ctf/ctf_procedure.h"
#include "trace/ctf/ctf_schema.h"
#include "trace/ctf/ctf_facts.h"

/* Where an operation began and ended, in bits from the start of the window. */
struct ctf_place {
	uint64_t begin, end;
};

struct ctf_cursor {
	const uint8_t *bytes;
	uint64_t origin;  /* of the bytes, in bits from the start of the packet; a whole number of bytes */
	uint64_t at;      /* bits from the start of the window, as all that follows */
	uint64_t end;     /* of the window */
	uint64_t content; /* the end of what the packet holds: what is behind the window is still to be read */
	uint64_t clock;   /* ticks */
	uint64_t id;      /* of the event */
	bool has_id;
	uint64_t *slots;
	struct ctf_place *places; /* of the operations of the procedure that was run last */
	uint64_t fields;          /* where the fields of the event begin, behind its header */
	struct ctf_texts *texts;  /* what is made of texts of the event; NULL: nothing can be */
};

enum ctf_outcome {
	CTF_DONE,
	CTF_SHORT,  /* the window ends before */
	CTF_BROKEN, /* the packet ends before, or a variant has no such choice */
};

/* Step over what a procedure describes. */
enum ctf_outcome ctf_cursor_run(struct ctf_cursor *cursor, const struct ctf_procedure *procedure);

/* Of a slot, where the field that it is of is not there. */
#define CTF_NO_NUMBER UINT64_MAX

/* Returns that number of bits, the lowest last. */
uint64_t ctf_bits_read(const uint8_t *bytes, uint64_t at, struct ctf_integer integer);

/* Returns what bits that were read mean where their order or their meaning is not the usual one. */
uint64_t ctf_form_apply(uint64_t number, struct ctf_integer integer);

/*
 * Read an integer in LEB128 out of the bytes from `byte` up to `end`; *size becomes how many it has.  CTF_SHORT if
 * they end before it does, CTF_BROKEN if it has more than ten or does not fit 64 bits.
 */
enum ctf_outcome ctf_leb128_read(const uint8_t *byte, const uint8_t *end, bool is_signed, uint64_t *out,
				 unsigned *size);

static inline int64_t ctf_sign_extend(uint64_t number, uint32_t size)
{
	return (int64_t)(number << (64 - size)) >> (64 - size);
}

/* Returns the integer that begins at a bit; signed ones as the two's complement of 64 bits. */
static inline uint64_t ctf_integer_read(const uint8_t *bytes, uint64_t at, struct ctf_integer integer)
{
	const uint8_t *byte = bytes + at / 8;
	uint64_t number;
	if (at % 8 == 0 && !integer.is_big && integer.form == 0 && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__) {
		uint32_t four;
		uint16_t two;
		switch (integer.size) {
		case 32:
			memcpy(&four, byte, 4);
			return integer.is_signed ? (uint64_t)(int32_t)four : four;
		case 64:
			memcpy(&number, byte, 8);
			return number;
		case 8:
			return integer.is_signed ? (uint64_t)(int8_t)*byte : *byte;
		case 16:
			memcpy(&two, byte, 2);
			return integer.is_signed ? (uint64_t)(int16_t)two : two;
		default:
			break;
		}
	}
	number = ctf_bits_read(bytes, at, integer);
	if (integer.form != 0)
		number = ctf_form_apply(number, integer);
	return integer.is_signed ? (uint64_t)ctf_sign_extend(number, integer.size) : number;
}

/* The lower bits of the clock: it has wrapped once where they are less than before. */
static inline uint64_t ctf_clock_tick(uint64_t clock, uint64_t number, uint32_t size)
{
	if (size >= 64)
		return number;
	uint64_t mask = ((uint64_t)1 << size) - 1;
	number &= mask;
	uint64_t wrap = number < (clock & mask) ? mask + 1 : 0;
	return ((clock + wrap) & ~mask) | number;
}

/* Returns the choice that a tag is in, or NULL. */
const struct ctf_choice *ctf_choice_find(const struct ctf_choice *choices, size_t count, bool is_signed,
					 uint64_t tag);

/* Returns how many bytes come before the first zero unit of a text; a partial unit does not count. */
size_t ctf_text_length(const uint8_t *bytes, size_t size, unsigned unit);

/* The scopes of an event, in the order of their bytes. */
enum ctf_event_scope { CTF_COMMON_CONTEXT, CTF_OWN_CONTEXT, CTF_PAYLOAD, CTF_EVENT_SCOPES };

struct ctf_class {
	struct event_class class;                        /* first: a pointer to it is a pointer to this */
	struct ctf_procedure procedure;                  /* the contexts, then the payload */
	const struct ctf_field *fields;                  /* as class.fields: the payload, then the contexts */
	const struct ctf_type *scopes[CTF_EVENT_SCOPES]; /* structures, or NULL */
	enum ctf_order order;                            /* of the trace */
	uint32_t slot_count;                             /* that its stream needs */
	uint32_t cpu_field;                              /* that says the CPU (perf), or EVENT_NO_FIELD */
};

/* LTTng's header of events: a short id and the lower bits of the time, or behind the greatest id both at length. */
struct ctf_short_header {
	uint32_t id_bits, bits; /* 0: the header is another one */
	uint32_t slot;          /* of the id */
};

struct ctf_stream_decoder {
	const struct ctf_stream_type *type;
	struct ctf_procedure packet_context, event_header;
	struct ctf_short_header short_header;
	uint32_t head_roles;          /* that the context of packets has, 1 << enum ctf_role */
	struct id_map classes;        /* struct ctf_class, by the id of the event */
	struct ctf_class *by_id[256]; /* the same, of small ids */
	ctf_wide base_ns;             /* of the clock */
};

/*
 * Whether a packet says by itself what the clock is: one of CTF 1.8 whose times have less than 64 bits, and which
 * does not say with 64 when it begins, goes on with the clock of the packet before.
 */
bool ctf_stream_knows_clock(const struct ctf_stream_decoder *stream, unsigned version);

/* Whether the context of its packets has fields of a role. */
static inline bool ctf_stream_has(const struct ctf_stream_decoder *stream, enum ctf_role role)
{
	return (stream->head_roles & 1u << role) != 0;
}

/* What a trace is to analyses, by its metadata, with the functions below; its id and its path stay as they are. */
void ctf_schema_describe(const struct ctf_schema *schema, struct event_trace *trace);

struct ctf_decoder {
	const struct ctf_schema *schema;
	const struct event_trace *trace;
	uint32_t *class_count; /* of all traces of the input */
	struct arena memory;
	struct ctf_procedure packet_header;
	const struct ctf_field *magic; /* or NULL */
	bool has_stream_id;
	uint32_t uuid_at;                    /* bytes from the start of a packet; UINT32_MAX: no UUID */
	struct ctf_stream_decoder **streams; /* as the schema's */
	size_t stream_count, stream_capacity;
	size_t place_count; /* that the head of a packet and the header of an event need */
};

enum histree_status ctf_decoder_init(struct ctf_decoder *decoder, const struct ctf_schema *schema,
				     const struct event_trace *trace, uint32_t *class_count,
				     struct histree_error *error);

/* Take what the schema has got since.  What was made stays where it is. */
enum histree_status ctf_decoder_extend(struct ctf_decoder *decoder, struct histree_error *error);
void ctf_decoder_release(struct ctf_decoder *decoder);

/*
 * Find or make the class of an id; *out is NULL if the metadata does not declare it.  Returns HISTREE_ERR_MEMORY.
 */
enum histree_status ctf_decoder_class(struct ctf_decoder *decoder, struct ctf_stream_decoder *stream, uint64_t id,
				      struct ctf_class **out, struct histree_error *error);

/* Returns the time of a value of the stream's clock; false if the stream has no clock or the time does not fit. */
bool ctf_decoder_time(const struct ctf_stream_decoder *stream, uint64_t ticks, histree_time *out);

/* The functions of struct event_trace; event->handle is a cursor. */
bool ctf_field_int(const struct event *event, uint32_t field, int64_t *out);
bool ctf_field_string(const struct event *event, uint32_t field, const char **text, size_t *size);
bool ctf_field_visit(const struct event *event, uint32_t field, event_visitor visitor, void *context);

#define CTF_UNKNOWN UINT64_MAX

/* What the header and the context of a packet say. */
struct ctf_head {
	struct ctf_stream_decoder *stream;
	uint64_t instance;      /* which of the streams of its kind; CTF_UNKNOWN: the trace does not say */
	uint64_t size, content; /* bits; CTF_UNKNOWN: to the end of the file */
	uint64_t begin, end;    /* ticks */
	uint64_t discarded, sequence;
	int32_t cpu;   /* -1 where the trace does not say */
	uint64_t bits; /* of the head: events begin there */
};

#define CTF_MAGIC_NUMBER UINT32_C(0xc1fc1fc1)

/*
 * Read the head of the packet that a cursor is at the start of.  CTF_SHORT if the window is not enough; CTF_BROKEN
 * if this is no packet, or not one of the stream `expected`, which is NULL if any will do: *why says "does not
 * begin with the magic number" or the like.
 */
enum ctf_outcome ctf_head_read(const struct ctf_decoder *decoder, struct ctf_cursor *cursor,
			       const struct ctf_stream_decoder *expected, struct ctf_head *out, const char **why);

/* Step over the header of an event.  The id is in the cursor. */
enum ctf_outcome ctf_event_header_read(const struct ctf_stream_decoder *stream, struct ctf_cursor *cursor);

#endif
