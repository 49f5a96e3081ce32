// SPDX-License-Identifier: MIT
/*
 * ctf_cursor.c - a place in the bytes of a packet, and the steps that move it on.  It never moves beyond the
 * content of its packet, whatever the lengths in it say.
 */
#include "trace/ctf/ctf_cursor.h"

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

bool ctf_cursor_text(const struct ctf_cursor *cursor, const struct ctf_field *field, const char **text,
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
