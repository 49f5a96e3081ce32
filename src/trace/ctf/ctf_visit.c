// SPDX-License-Identifier: MIT
/*
 * ctf_visit.c - a visit of what is inside of the fields of an event: a walk of the tree of types over its bytes.
 *
 * Most events are asked for fields as a whole, of which the procedure knows the places.  What is inside has no
 * places that are kept, so it is found from the first field on, and lengths and tags are read again on the way:
 * those that the procedure has left are of the last element of an array.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "trace/ctf/ctf_decoder.h"

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

/* ---- numbers --------------------------------------------------------------------------------------------- */

static void keep(struct visit *visit, const struct ctf_member *member, uint64_t number)
{
	if (member == NULL)
		return;
	if (member->slot != CTF_NO_SLOT)
		visit->slots[member->slot] = number;
	for (const struct ctf_slot *more = member->more_slots; more != NULL; more = more->next)
		visit->slots[more->slot] = number;
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
				  .label = visit->visitor != NULL ? ctf_label_find(type, number) : NULL,
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
 * A number of IEEE 754-2008, of which the upper 64 bits say enough: its sign, so many bits of exponent, and the
 * first of the mantissa.  The exponent of binary128 and what is larger has round(4 log2(size)) - 13 bits.
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

/* ---- texts and bytes ------------------------------------------------------------------------------------- */

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

/* ---- arrays ---------------------------------------------------------------------------------------------- */

static bool is_plain(const struct ctf_type *type)
{
	bool has_size = type->kind == CTF_INTEGER || type->kind == CTF_FLOAT || type->kind == CTF_BITS;
	return has_size && type->size % type->align == 0;
}

static void visit_elements(struct visit *visit, const struct ctf_type *type, uint64_t count)
{
	for (uint64_t i = 0; i < count && !visit->is_over; i++) {
		uint64_t before = visit->at;
		visit_type(visit, type->element, (struct place){ .index = i });
		if (visit->at == before) /* nothing is read, as in the procedure */
			break;
	}
}

static void visit_array(struct visit *visit, const struct ctf_type *type, struct place place)
{
	uint64_t count = type->kind == CTF_ARRAY ? type->length : visit->slots[type->slot];
	uint64_t bits = type->element->size;
	if (!reach(visit, type->align, 0))
		return;
	bool plain = is_plain(type->element);
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
		visit_elements(visit, type, count);
		visit->depth--;
		tell(visit, (struct event_part){ .kind = EVENT_END }, place);
		return;
	}
	visit->at += count * bits;
}

/* ---- structures and variants ----------------------------------------------------------------------------- */

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

/* ---- fields ---------------------------------------------------------------------------------------------- */

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
