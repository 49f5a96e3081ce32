// SPDX-License-Identifier: MIT
/*
 * ctf_cursor.c - the bytes of a packet: integers and texts in them, steps over what a procedure describes, and the
 * fields of an event.
 *
 * A cursor never moves beyond the content of its packet, whatever lengths the packet states.
 *
 * Most callers read whole fields, whose places the procedure keeps.  The places inside a field are not kept, so a
 * visit walks the tree of types over the bytes, from the first field on, and reads lengths and tags again on the
 * way: the ones that the procedure left behind belong to the last element of an array.
 */
#include "trace/ctf/ctf_cursor.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_text.h"
#include "base/table.h"
#include "event/event.h"
#include "trace/ctf/ctf_procedure.h"
#include "trace/ctf/ctf_schema.h"

/* ---- steps ------------------------------------------------------------------------------------------------ */

uint64_t ctf_bits_read(const uint8_t *bytes, uint64_t at, struct ctf_integer integer)
{
	uint64_t number = 0;
	uint32_t left = integer.size, done = 0;
	while (left > 0) {
		uint32_t in_byte = (uint32_t)(at % 8), take = 8 - in_byte < left ? 8 - in_byte : left;
		uint32_t part = bytes[at / 8];
		/* Big endian bits are taken from the top of a byte, little endian ones from its bottom. */
		part = integer.is_big ? part >> (8 - in_byte - take) : part >> in_byte;
		part &= (1u << take) - 1;
		number = integer.is_big ? number << take | part : number | (uint64_t)part << done;
		at += take;
		done += take;
		left -= take;
	}
	return number;
}

uint64_t ctf_form_apply(uint64_t number, struct ctf_integer integer)
{
	if ((integer.form & CTF_REVERSED) != 0) {
		uint64_t reversed = 0;
		for (uint32_t bit = 0; bit < integer.size; bit++)
			reversed |= (number >> bit & 1) << (integer.size - 1 - bit);
		number = reversed;
	}
	return (integer.form & CTF_BOOLEAN) != 0 ? number != 0 : number;
}

enum ctf_outcome ctf_leb128_read(const uint8_t *byte, const uint8_t *end, bool is_signed, uint64_t *out,
				 unsigned *size)
{
	uint64_t number = 0;
	for (unsigned count = 0; count < 10; count++) {
		if (byte + count >= end)
			return CTF_SHORT;
		number |= (uint64_t)(byte[count] & 0x7f) << 7 * count;
		if ((byte[count] & 0x80) != 0)
			continue;
		if (count == 9 && byte[9] > 1 && !(is_signed && byte[9] == 0x7f)) /* no number of 64 bits */
			return CTF_BROKEN;
		*size = count + 1;
		*out = is_signed && *size < 10 ? (uint64_t)ctf_sign_extend(number, 7 * *size) : number;
		return CTF_DONE;
	}
	return CTF_BROKEN;
}

/* Step to the next `bits` aligned bits and have them in the window; `place` gets the place before. */
static inline enum ctf_outcome step(struct ctf_cursor *cursor, uint64_t mask, uint64_t size,
				    struct ctf_place *place)
{
	uint64_t at = ((cursor->at + cursor->origin + mask) & ~mask) - cursor->origin;
	if (at <= cursor->end && size <= cursor->end - at) {
		place->begin = at;
		place->end = cursor->at = at + size;
		return CTF_DONE;
	}
	return at <= cursor->content && size <= cursor->content - at ? CTF_SHORT : CTF_BROKEN;
}

static enum ctf_outcome step_text(struct ctf_cursor *cursor, const struct ctf_operation *operation,
				  struct ctf_place *place)
{
	enum ctf_outcome outcome = step(cursor, operation->mask, 0, place);
	if (outcome != CTF_DONE)
		return outcome;
	const uint8_t *text = cursor->bytes + place->begin / 8;
	size_t left = (cursor->end - place->begin) / 8;
	if (operation->size == 8) {
		const uint8_t *zero = memchr(text, 0, left);
		place->end = place->begin + 8 * (zero == NULL ? left : (uint64_t)(zero - text));
	} else {
		place->end = place->begin + 8 * ctf_text_length(text, left, (unsigned)operation->size / 8);
	}
	cursor->at = place->end + operation->size;
	if (cursor->at <= cursor->end)
		return CTF_DONE;
	return cursor->end < cursor->content ? CTF_SHORT : CTF_BROKEN;
}

static enum ctf_outcome step_leb128(struct ctf_cursor *cursor, const struct ctf_operation *operation,
				    struct ctf_place *place, uint64_t *number, unsigned *size)
{
	enum ctf_outcome outcome = step(cursor, operation->mask, 0, place);
	if (outcome != CTF_DONE)
		return outcome;
	outcome = ctf_leb128_read(cursor->bytes + place->begin / 8, cursor->bytes + cursor->end / 8,
				  operation->is_signed, number, size);
	if (outcome == CTF_SHORT && cursor->end >= cursor->content)
		return CTF_BROKEN;
	if (outcome == CTF_DONE)
		place->end = cursor->at = place->begin + 8 * (uint64_t)*size;
	return outcome;
}

static enum ctf_outcome step_elements(struct ctf_cursor *cursor, const struct ctf_operation *operation,
				      struct ctf_place *place)
{
	uint64_t count = cursor->slots[operation->slot];
	if (count > UINT64_MAX / 2 / operation->size)
		return CTF_BROKEN;
	return step(cursor, operation->mask, count * operation->size, place);
}

static enum ctf_outcome run_body(struct ctf_cursor *cursor, const struct ctf_body *body, struct ctf_place *places);

/*
 * A body that was run and moved nothing has read nothing, so it will move nothing the next time: however often it
 * is to be repeated, the work is bounded by the bits that are there.
 */
static enum ctf_outcome repeat(struct ctf_cursor *cursor, const struct ctf_operation *operation)
{
	uint64_t count = operation->slot == CTF_NO_SLOT ? operation->size : cursor->slots[operation->slot];
	while (count-- > 0) {
		uint64_t before = cursor->at;
		enum ctf_outcome outcome = run_body(cursor, operation->bodies[0], NULL);
		if (outcome != CTF_DONE)
			return outcome;
		if (cursor->at == before)
			break;
	}
	return CTF_DONE;
}

const struct ctf_choice *ctf_choice_find(const struct ctf_choice *choices, size_t count, bool is_signed,
					 uint64_t tag)
{
	for (size_t i = 0; i < count; i++) {
		const struct ctf_choice *choice = &choices[i];
		bool fits = is_signed
				    ? (int64_t)tag >= (int64_t)choice->low && (int64_t)tag <= (int64_t)choice->high
				    : tag >= choice->low && tag <= choice->high;
		if (fits)
			return choice;
	}
	return NULL;
}

static enum ctf_outcome choose(struct ctf_cursor *cursor, const struct ctf_operation *operation)
{
	const struct ctf_choice *choice = ctf_choice_find(operation->choices, operation->choice_count,
							  operation->is_signed, cursor->slots[operation->slot]);
	if (choice != NULL)
		return run_body(cursor, operation->bodies[choice->member], NULL);
	return operation->is_optional ? CTF_DONE : CTF_BROKEN;
}

/* The places of operations inside of other ones are not kept: `places` is NULL. */
static enum ctf_outcome run_body(struct ctf_cursor *cursor, const struct ctf_body *body, struct ctf_place *places)
{
	uint64_t run = 0;         /* where the last one began */
	uint64_t leb128 = 0;      /* the last integer of this kind */
	unsigned leb128_size = 0; /* its bytes */
	for (size_t i = 0; i < body->count; i++) {
		const struct ctf_operation *operation = &body->operations[i];
		struct ctf_place own = { 0 }, *place = places == NULL ? &own : &places[i];
		enum ctf_outcome outcome = CTF_DONE;
		uint64_t number;
		switch (operation->kind) {
		case CTF_RUN:
			outcome = step(cursor, operation->mask, operation->size, place);
			run = place->begin;
			break;
		case CTF_TEXT:
			outcome = step_text(cursor, operation, place);
			break;
		case CTF_LEB128:
			outcome = step_leb128(cursor, operation, place, &leb128, &leb128_size);
			break;
		case CTF_FORGET:
			cursor->slots[operation->slot] = CTF_NO_NUMBER;
			break;
		case CTF_ELEMENTS:
			outcome = step_elements(cursor, operation, place);
			break;
		case CTF_REPEAT:
			outcome = repeat(cursor, operation);
			break;
		case CTF_CHOOSE:
			outcome = choose(cursor, operation);
			break;
		case CTF_SAVE:
		case CTF_TICK:
		case CTF_IDENTIFY:
			number = operation->integer.size == 0
					 ? leb128
					 : ctf_integer_read(cursor->bytes, run + operation->offset,
							    operation->integer);
			if (operation->kind == CTF_SAVE) {
				cursor->slots[operation->slot] = number;
			} else if (operation->kind == CTF_TICK) {
				cursor->clock = ctf_clock_tick(
					cursor->clock, number,
					operation->integer.size == 0 ? 7 * leb128_size : operation->integer.size);
			} else {
				cursor->id = number;
				cursor->has_id = true;
			}
			break;
		}
		if (outcome != CTF_DONE)
			return outcome;
	}
	return CTF_DONE;
}

enum ctf_outcome ctf_cursor_run(struct ctf_cursor *cursor, const struct ctf_procedure *procedure)
{
	return run_body(cursor, &procedure->body, cursor->places);
}

size_t ctf_text_length(const uint8_t *bytes, size_t size, unsigned unit)
{
	static const uint8_t zero[4];
	if (unit == 1)
		return strnlen((const char *)bytes, size);
	size_t length = 0;
	while (length + unit <= size && memcmp(bytes + length, zero, unit) != 0)
		length += unit;
	return length;
}

bool ctf_cursor_leb128(const struct ctf_cursor *cursor, const struct ctf_field *field, int64_t *out)
{
	const struct ctf_place *place = &cursor->places[field->operation];
	uint64_t number;
	unsigned size;
	if (ctf_leb128_read(cursor->bytes + place->begin / 8, cursor->bytes + place->end / 8,
			    field->type->is_signed, &number, &size) != CTF_DONE)
		return false;
	*out = (int64_t)number;
	return true;
}

/* The bytes of a text as they are in the packet, without the zero behind them. */
static bool ctf_cursor_text(const struct ctf_cursor *cursor, const struct ctf_field *field, const char **text,
			    size_t *size)
{
	const struct ctf_place *place = &cursor->places[field->operation];
	uint64_t begin = place->begin + field->offset;
	const uint8_t *bytes = cursor->bytes + begin / 8;
	*text = (const char *)bytes;
	switch (field->kind) {
	case CTF_FIELD_STRING:
		*size = (place->end - place->begin) / 8;
		return true;
	case CTF_FIELD_TEXT:
		*size = ctf_text_length(bytes, field->count, ctf_unit_size(field->type->encoding));
		return true;
	case CTF_FIELD_TEXT_ELEMENTS:
		*size = ctf_text_length(bytes, (place->end - place->begin) / 8,
					ctf_unit_size(field->type->encoding));
		return true;
	case CTF_FIELD_OTHER:
	case CTF_FIELD_INTEGER:
	case CTF_FIELD_LEB128:
		break;
	}
	return false;
}

/* ---- texts that are not in UTF-8 -------------------------------------------------------------------------- */

struct ctf_text {
	struct ctf_text *next;
	const char *source; /* where it is in the packet; what is empty may be where another text is */
	size_t source_size, size;
	char bytes[];
};

enum { REPLACEMENT = 0xfffd };

static uint32_t unit_at(const uint8_t *at, unsigned unit, bool is_big)
{
	uint32_t number = 0;
	for (unsigned i = 0; i < unit; i++)
		number |= (uint32_t)at[i] << 8 * (is_big ? unit - 1 - i : i);
	return number;
}

/* Take the character at *at, and step over it; `left` is at least a unit. */
static uint32_t text_take(const uint8_t **at, size_t left, enum ctf_encoding encoding)
{
	unsigned unit = ctf_unit_size(encoding);
	bool is_big = encoding == CTF_UTF_16_BIG || encoding == CTF_UTF_32_BIG;
	uint32_t code = unit_at(*at, unit, is_big), low = 0;
	if (unit == 2 && code >= 0xd800 && code < 0xdc00 && left >= 4)
		low = unit_at(*at + 2, unit, is_big);
	*at += unit;
	if (low >= 0xdc00 && low < 0xe000) {
		*at += unit;
		return 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
	}
	return (code >= 0xd800 && code < 0xe000) || code > 0x10ffff ? REPLACEMENT : code;
}

/* Each unit becomes at most three bytes of UTF-8, a pair of units four. */
static size_t room_for(size_t size, enum ctf_encoding encoding)
{
	unsigned unit = ctf_unit_size(encoding);
	return size / unit * (unit == 2 ? 3 : UTF8_SIZE_MAX);
}

static size_t convert(const char *text, size_t size, enum ctf_encoding encoding, char *out)
{
	const uint8_t *at = (const uint8_t *)text, *end = at + size;
	size_t used = 0;
	while ((size_t)(end - at) >= ctf_unit_size(encoding))
		used += utf8_put(out + used, text_take(&at, (size_t)(end - at), encoding));
	return used;
}

bool ctf_texts_keep(struct ctf_texts *texts, enum ctf_encoding encoding, const char **text, size_t *size)
{
	struct ctf_text *kept = texts->kept;
	while (kept != NULL && (kept->source != *text || kept->source_size != *size))
		kept = kept->next;
	if (kept == NULL) {
		kept = malloc(sizeof(*kept) + room_for(*size, encoding));
		if (kept == NULL)
			return false;
		kept->source = *text;
		kept->source_size = *size;
		kept->size = convert(*text, *size, encoding, kept->bytes);
		kept->next = texts->kept;
		texts->kept = kept;
	}
	*text = kept->bytes;
	*size = kept->size;
	return true;
}

bool ctf_texts_make(struct ctf_texts *texts, enum ctf_encoding encoding, const char **text, size_t *size)
{
	if (!array_reserve(&texts->last, &texts->last_capacity, room_for(*size, encoding) + 1))
		return false;
	*size = convert(*text, *size, encoding, texts->last);
	*text = texts->last;
	return true;
}

void ctf_texts_clear(struct ctf_texts *texts)
{
	while (texts->kept != NULL) {
		struct ctf_text *next = texts->kept->next;
		free(texts->kept);
		texts->kept = next;
	}
}

void ctf_texts_release(struct ctf_texts *texts)
{
	ctf_texts_clear(texts);
	free(texts->last);
	free(texts->slots);
	*texts = (struct ctf_texts){ 0 };
}

/* ---- what is inside of fields ----------------------------------------------------------------------------- */

struct visit {
	const struct ctf_cursor *cursor;
	uint64_t at; /* bits from the start of the window */
	uint64_t *slots;
	enum ctf_order order;
	event_visitor visitor; /* NULL: step over it */
	void *context;
	uint32_t depth;
	bool is_over; /* the visitor has ended it, or there is no memory */
};

/* What a type is called where it stands: a member, or an element. */
struct place {
	const struct ctf_member *member; /* or NULL */
	uint64_t index;
};

static void visit_type(struct visit *visit, const struct ctf_type *type, struct place place);

static void tell(struct visit *visit, struct event_part part, struct place place)
{
	if (visit->visitor == NULL || visit->is_over)
		return;
	part.name = place.member == NULL ? NULL : place.member->name;
	part.index = place.index;
	part.depth = visit->depth;
	visit->is_over = !visit->visitor(visit->context, &part);
}

/* Align, and return whether `bits` bits are left: they are, in an event that was decoded. */
static bool reach(struct visit *visit, uint32_t align, uint64_t bits)
{
	uint64_t mask = align - 1, origin = visit->cursor->origin;
	visit->at = ((visit->at + origin + mask) & ~mask) - origin;
	bool is_there = visit->at <= visit->cursor->end && bits <= visit->cursor->end - visit->at;
	visit->is_over |= !is_there;
	return is_there;
}

static void keep(struct visit *visit, const struct ctf_member *member, uint64_t number)
{
	if (member == NULL)
		return;
	if (member->slot != CTF_NO_SLOT)
		visit->slots[member->slot] = number;
	for (const struct ctf_slot *more = member->more_slots; more != NULL; more = more->next)
		visit->slots[more->slot] = number;
}

/* The flags of a bit map that are set, "READ|WRITE"; NULL: none has a name.  As the texts of event_part are. */
static const char *flags_of(const struct ctf_type *type, uint64_t number)
{
	enum { TEXTS = 8, TEXT_SIZE = 256 };
	static _Thread_local char texts[TEXTS][TEXT_SIZE];
	static _Thread_local unsigned next;
	char *text = texts[next++ % TEXTS];
	size_t length = 0;
	for (size_t i = 0; i < type->label_count; i++) {
		const struct ctf_label *flag = &type->values[i];
		const uint64_t high = flag->high < 63 ? flag->high : 63;
		if (flag->low > high || (number >> flag->low & (UINT64_MAX >> (63 - (high - flag->low)))) == 0)
			continue;
		const int size =
			snprintf(text + length, TEXT_SIZE - length, "%s%s", length > 0 ? "|" : "", flag->name);
		const bool fits = size >= 0 && (size_t)size < TEXT_SIZE - length;
		length += fits ? (size_t)size : 0;
		text[length] = '\0';
	}
	return length > 0 ? text : NULL;
}

static const char *label_of(const struct ctf_type *type, uint64_t number)
{
	return type->is_enumeration || type->label_count == 0 ? ctf_label_find(type, number)
							      : flags_of(type, number);
}

static void visit_integer(struct visit *visit, const struct ctf_type *type, struct place place)
{
	uint64_t number = 0;
	unsigned size;
	const uint8_t *bytes = visit->cursor->bytes;
	if (type->kind == CTF_INTEGER) {
		if (!reach(visit, type->align, type->size))
			return;
		number = ctf_integer_read(bytes, visit->at, ctf_integer_of(type, visit->order));
		visit->at += type->size;
	} else {
		if (!reach(visit, 8, 8))
			return;
		if (ctf_leb128_read(bytes + visit->at / 8, bytes + visit->cursor->end / 8, type->is_signed, &number,
				    &size) != CTF_DONE) {
			visit->is_over = true;
			return;
		}
		visit->at += 8 * (uint64_t)size;
	}
	keep(visit, place.member, number);
	tell(visit,
	     (struct event_part){ .kind = type->is_signed ? EVENT_INT : EVENT_UNSIGNED,
				  .integer = (int64_t)number,
				  .label = visit->visitor != NULL ? label_of(type, number) : NULL,
				  .base = type->base,
				  .bits = (uint8_t)type->size },
	     place);
}

/* In little endian the upper bits come last, in big endian first; the other order of bits turns that round. */
static bool are_upper_bits_last(struct ctf_integer integer)
{
	return integer.is_big == ((integer.form & CTF_REVERSED) != 0);
}

/*
 * A number of IEEE 754-2008.  Its upper 64 bits are enough: its sign, the exponent, and the first bits of the
 * mantissa.  The exponent of binary128 and larger formats has round(4 log2(size)) - 13 bits.
 */
static double real_of(uint64_t upper, uint32_t size)
{
	uint32_t bits = size == 16 ? 5 : size == 32 ? 8 : size == 64 ? 11 : (uint32_t)lround(4 * log2(size)) - 13;
	uint32_t mantissa_bits = 63 - bits;
	uint64_t mantissa = upper & (((uint64_t)1 << mantissa_bits) - 1);
	int64_t exponent = (int64_t)(upper << 1 >> (64 - bits)), most = ((int64_t)1 << bits) - 1;
	double magnitude;
	if (exponent == most)
		magnitude = mantissa != 0 ? (double)NAN : (double)INFINITY;
	else if (exponent == 0)
		magnitude = ldexp((double)mantissa, (int)(1 - most / 2 - mantissa_bits));
	else if (exponent - most / 2 > 1100 || exponent - most / 2 < -1200)
		magnitude = exponent > most / 2 ? (double)INFINITY : 0;
	else
		magnitude = ldexp((double)(mantissa | (uint64_t)1 << mantissa_bits),
				  (int)(exponent - most / 2 - (int64_t)mantissa_bits));
	return upper >> 63 != 0 ? -magnitude : magnitude;
}

static void visit_real(struct visit *visit, const struct ctf_type *type, struct place place)
{
	if (!reach(visit, type->align, type->size))
		return;
	struct ctf_integer integer = ctf_integer_of(type, visit->order);
	integer.size = type->size < 64 ? type->size : 64;
	uint64_t at = visit->at + (are_upper_bits_last(integer) ? type->size - integer.size : 0);
	uint64_t upper = ctf_integer_read(visit->cursor->bytes, at, integer) << (64 - integer.size);
	visit->at += type->size;
	tell(visit, (struct event_part){ .kind = EVENT_REAL, .real = real_of(upper, type->size) }, place);
}

/* Bits that are more than a number has, as hexadecimal digits; of a negative one those of its complement. */
static void tell_digits(struct visit *visit, const struct ctf_type *type, struct place place)
{
	struct ctf_texts *texts = visit->cursor->texts;
	struct ctf_integer integer = ctf_integer_of(type, visit->order);
	bool are_last = are_upper_bits_last(integer);
	if (visit->visitor == NULL || visit->is_over)
		return;
	if (!array_reserve(&texts->last, &texts->last_capacity, type->size / 4 + sizeof("0x") + 1)) {
		visit->is_over = true;
		return;
	}
	size_t used = (size_t)sprintf(texts->last, "0x");
	integer.is_signed = false;
	for (uint32_t left = type->size; left > 0; left -= integer.size) {
		integer.size = left % 64 == 0 ? 64 : left % 64;
		uint64_t at = visit->at + (are_last ? left - integer.size : type->size - left);
		uint64_t number = ctf_integer_read(visit->cursor->bytes, at, integer);
		used += (size_t)sprintf(texts->last + used, "%0*" PRIx64, (int)(integer.size + 3) / 4, number);
	}
	tell(visit, (struct event_part){ .kind = EVENT_TEXT, .bytes = texts->last, .size = used }, place);
}

static void visit_bits(struct visit *visit, const struct ctf_type *type, struct place place)
{
	if (!reach(visit, type->align, type->size))
		return;
	bool is_whole = visit->at % 8 == 0 && type->size % 8 == 0;
	if (is_whole && !type->is_number)
		tell(visit,
		     (struct event_part){ .kind = EVENT_BYTES,
					  .bytes = (const char *)visit->cursor->bytes + visit->at / 8,
					  .size = type->size / 8 },
		     place);
	else
		tell_digits(visit, type, place);
	visit->at += type->size;
}

static void tell_text(struct visit *visit, const struct ctf_type *type, size_t size, struct place place)
{
	struct event_part part = { .kind = EVENT_TEXT,
				   .bytes = (const char *)visit->cursor->bytes + visit->at / 8,
				   .size = ctf_text_length(visit->cursor->bytes + visit->at / 8, size,
							   ctf_unit_size(type->encoding)) };
	if (visit->visitor != NULL && type->encoding != CTF_UTF_8 &&
	    !ctf_texts_make(visit->cursor->texts, type->encoding, &part.bytes, &part.size))
		visit->is_over = true;
	tell(visit, part, place);
}

static void visit_string(struct visit *visit, const struct ctf_type *type, struct place place)
{
	unsigned unit = ctf_unit_size(type->encoding);
	if (!reach(visit, 8, 8 * unit))
		return;
	size_t left = (visit->cursor->end - visit->at) / 8;
	size_t size = ctf_text_length(visit->cursor->bytes + visit->at / 8, left, unit);
	tell_text(visit, type, size, place);
	visit->at += 8 * (size + unit);
}

static void visit_array(struct visit *visit, const struct ctf_type *type, struct place place)
{
	uint64_t count = type->kind == CTF_ARRAY ? type->length : visit->slots[type->slot];
	uint64_t bits = type->element->size;
	if (!reach(visit, type->align, 0))
		return;
	bool plain = ctf_type_is_plain(type->element);
	if (plain && (count > UINT64_MAX / 2 / bits || !reach(visit, 1, count * bits))) {
		visit->is_over = true;
		return;
	}
	if (plain && type->is_text) {
		tell_text(visit, type, (size_t)count, place);
	} else if (type->is_blob) {
		tell(visit,
		     (struct event_part){ .kind = EVENT_BYTES,
					  .bytes = (const char *)visit->cursor->bytes + visit->at / 8,
					  .size = (size_t)count },
		     place);
	} else if (!plain || visit->visitor != NULL) {
		tell(visit, (struct event_part){ .kind = EVENT_ARRAY }, place);
		visit->depth++;
		for (uint64_t i = 0; i < count && !visit->is_over; i++) {
			uint64_t before = visit->at;
			visit_type(visit, type->element, (struct place){ .index = i });
			if (visit->at == before) /* nothing is read, as in the procedure */
				break;
		}
		visit->depth--;
		tell(visit, (struct event_part){ .kind = EVENT_END }, place);
		return;
	}
	visit->at += count * bits;
}

static void visit_structure(struct visit *visit, const struct ctf_type *type, struct place place)
{
	if (!reach(visit, type->align, 0))
		return;
	tell(visit, (struct event_part){ .kind = EVENT_STRUCTURE }, place);
	visit->depth++;
	for (size_t i = 0; i < type->member_count && !visit->is_over; i++)
		visit_type(visit, type->members[i].type, (struct place){ .member = &type->members[i] });
	visit->depth--;
	tell(visit, (struct event_part){ .kind = EVENT_END }, place);
}

static void forget(struct visit *visit, const struct ctf_type *type)
{
	if (type->kind != CTF_STRUCTURE && type->kind != CTF_VARIANT)
		return;
	for (size_t i = 0; i < type->member_count; i++) {
		keep(visit, &type->members[i], CTF_NO_NUMBER);
		forget(visit, type->members[i].type);
	}
}

/* A variant is what is chosen: its options have no names of their own in a path. */
static void visit_variant(struct visit *visit, const struct ctf_type *type, struct place place)
{
	forget(visit, type);
	const struct ctf_choice *choice = ctf_choice_find(type->choices, type->choice_count,
							  type->target->type->is_signed, visit->slots[type->slot]);
	if (choice == NULL) {
		visit->is_over |= !type->is_optional;
		tell(visit, (struct event_part){ .kind = EVENT_NOTHING }, place);
		return;
	}
	/* What a length names is the option; what it is called is the variant. */
	const struct ctf_member *option = &type->members[choice->member];
	struct ctf_member named = *option;
	named.name = place.member == NULL ? NULL : place.member->name;
	visit_type(visit, option->type, (struct place){ .member = &named, .index = place.index });
}

static void visit_type(struct visit *visit, const struct ctf_type *type, struct place place)
{
	if (visit->is_over)
		return;
	switch (type->kind) {
	case CTF_INTEGER:
	case CTF_VARINT:
		visit_integer(visit, type, place);
		break;
	case CTF_FLOAT:
		visit_real(visit, type, place);
		break;
	case CTF_BITS:
		visit_bits(visit, type, place);
		break;
	case CTF_STRING:
		visit_string(visit, type, place);
		break;
	case CTF_STRUCTURE:
		visit_structure(visit, type, place);
		break;
	case CTF_VARIANT:
		visit_variant(visit, type, place);
		break;
	case CTF_ARRAY:
	case CTF_SEQUENCE:
		visit_array(visit, type, place);
		break;
	}
}

/* Which scope a field is in; *field becomes its place there. */
static enum ctf_event_scope scope_of(const struct ctf_class *class, uint32_t *field)
{
	static const enum ctf_event_scope order[] = { CTF_PAYLOAD, CTF_OWN_CONTEXT, CTF_COMMON_CONTEXT };
	for (size_t i = 0; i + 1 < CTF_EVENT_SCOPES; i++) {
		const struct ctf_type *structure = class->scopes[order[i]];
		size_t count = structure == NULL ? 0 : structure->member_count;
		if (*field < count)
			return order[i];
		*field -= (uint32_t)count;
	}
	return CTF_COMMON_CONTEXT;
}

bool ctf_field_visit(const struct event *event, uint32_t field, event_visitor visitor, void *context)
{
	const struct ctf_class *class = (const struct ctf_class *)event->class;
	const struct ctf_cursor *cursor = event->handle;
	struct ctf_texts *texts = cursor->texts;
	if (field >= class->class.field_count || texts == NULL ||
	    !array_reserve(&texts->slots, &texts->slot_capacity, class->slot_count))
		return true;
	memcpy(texts->slots, cursor->slots, class->slot_count * sizeof(*texts->slots));
	struct visit visit = {
		.cursor = cursor, .at = cursor->fields, .slots = texts->slots, .order = class->order
	};
	enum ctf_event_scope wanted = scope_of(class, &field);
	for (enum ctf_event_scope scope = 0; scope <= wanted; scope++) {
		const struct ctf_type *structure = class->scopes[scope];
		if (structure == NULL || !reach(&visit, structure->align, 0))
			continue;
		for (uint32_t i = 0; i < structure->member_count; i++) {
			bool is_wanted = scope == wanted && i == field;
			visit.visitor = is_wanted ? visitor : NULL;
			visit.context = context;
			visit_type(&visit, structure->members[i].type,
				   (struct place){ .member = &structure->members[i] });
			if (is_wanted || visit.is_over)
				return !visit.is_over;
		}
	}
	return true;
}

/* ---- fields as a whole ------------------------------------------------------------------------------------ */

bool ctf_field_int(const struct event *event, uint32_t field, int64_t *out)
{
	const struct ctf_class *class = (const struct ctf_class *)event->class;
	return field < class->class.field_count && ctf_cursor_integer(event->handle, &class->fields[field], out);
}

bool ctf_field_string(const struct event *event, uint32_t field, const char **text, size_t *size)
{
	const struct ctf_class *class = (const struct ctf_class *)event->class;
	if (field >= class->class.field_count || !ctf_cursor_text(event->handle, &class->fields[field], text, size))
		return false;
	enum ctf_encoding encoding = class->fields[field].type->encoding;
	if (encoding == CTF_UTF_8)
		return true;
	const struct ctf_cursor *cursor = event->handle;
	return cursor->texts != NULL && ctf_texts_keep(cursor->texts, encoding, text, size);
}
