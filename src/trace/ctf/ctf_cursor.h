/* SPDX-License-Identifier: MIT */
/*
 * ctf_cursor.h - a place in the bytes of a packet, and what can be read there: integers, texts, the fields of an
 * event.
 *
 * The bytes are a window on the packet, from `origin` on.  A procedure that reaches the end of the window reports
 * it; the window is moved or made larger, and the procedure starts again.  Every length is compared with what is
 * left of the packet before it is used.
 *
 * Texts of an event that are not UTF-8 are converted to it; the results stay until the next event.
 */
#ifndef TRACE_CTF_CTF_CURSOR_H
#define TRACE_CTF_CTF_CURSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "event/event.h"
#include "trace/ctf/ctf_procedure.h"
#include "trace/ctf/ctf_schema.h"

struct ctf_text; /* one that is kept */

/* A zeroed one is empty. */
struct ctf_texts {
	struct ctf_text *kept; /* until the next event */
	char *last;            /* until the next one */
	size_t last_capacity;
	uint64_t *slots; /* of a visit */
	size_t slot_capacity;
};

/*
 * Make *text, which has *size bytes in an encoding, UTF-8 that stays until the next event.  What is no character
 * becomes U+FFFD.  Returns false if memory runs out.
 */
bool ctf_texts_keep(struct ctf_texts *texts, enum ctf_encoding encoding, const char **text, size_t *size);

/* The same, until it is called again. */
bool ctf_texts_make(struct ctf_texts *texts, enum ctf_encoding encoding, const char **text, size_t *size);

/* The texts that are kept are not needed any more. */
void ctf_texts_clear(struct ctf_texts *texts);
void ctf_texts_release(struct ctf_texts *texts);

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
	struct ctf_texts *texts;  /* converted texts of the event; NULL: no text can be converted */
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

bool ctf_cursor_leb128(const struct ctf_cursor *cursor, const struct ctf_field *field, int64_t *out);

/* The integer of a field of the procedure that was run last, which must have succeeded. */
static inline bool ctf_cursor_integer(const struct ctf_cursor *cursor, const struct ctf_field *field, int64_t *out)
{
	if (field->kind == CTF_FIELD_LEB128)
		return ctf_cursor_leb128(cursor, field, out);
	if (field->kind != CTF_FIELD_INTEGER)
		return false;
	*out = (int64_t)ctf_integer_read(cursor->bytes, cursor->places[field->operation].begin + field->offset,
					 field->integer);
	return true;
}

/* The functions of struct event_trace; event->handle is a cursor. */
bool ctf_field_int(const struct event *event, uint32_t field, int64_t *out);
bool ctf_field_string(const struct event *event, uint32_t field, const char **text, size_t *size);
bool ctf_field_visit(const struct event *event, uint32_t field, event_visitor visitor, void *context);

#endif
