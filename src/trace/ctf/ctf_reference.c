// SPDX-License-Identifier: MIT
/*
 * ctf_reference.c - fields that others name, such as lengths, selectors and those with a role; and visits of what
 * is inside of the fields of an event: a walk of the tree of types over its bytes.
 *
 * Most events are asked for fields as a whole, of which the procedure knows the places.  What is inside has no
 * places that are kept, so it is found from the first field on, and lengths and tags are read again on the way:
 * those that the procedure has left are of the last element of an array.
 */
#include "trace/ctf/ctf_reference.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/table.h"
#include "base/error.h"
#include "base/search.h"
#include "trace/ctf/ctf_decoder.h"
#include "trace/ctf/ctf_schema.h"

/* ---- ctf visit ----------------------------------------------------------------------------------------------- */

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

/* ---- ctf reference ------------------------------------------------------------------------------------------- */

/* ---- ctf roles ----------------------------------------------------------------------------------------------- */

struct name_of_role {
	const char *name;
	enum ctf_role role;
};

static const struct name_of_role of_header[] = {
	{ "magic", CTF_ROLE_MAGIC },
	{ "stream_id", CTF_ROLE_STREAM },
	{ "stream_instance_id", CTF_ROLE_INSTANCE },
};

static const struct name_of_role of_context[] = {
	{ "packet_size", CTF_ROLE_PACKET_SIZE },
	{ "content_size", CTF_ROLE_CONTENT_SIZE },
	{ "timestamp_begin", CTF_ROLE_BEGIN },
	{ "timestamp_end", CTF_ROLE_END },
	{ "events_discarded", CTF_ROLE_DISCARDED },
	{ "packet_seq_num", CTF_ROLE_SEQUENCE },
	{ "cpu_id", CTF_ROLE_CPU },
};

/* The first member of a name has a role, if it is an integer. */
static void give(const struct ctf_type *structure, const struct name_of_role *names, size_t count)
{
	for (size_t name = 0; structure != NULL && name < count; name++)
		for (size_t i = 0; i < structure->member_count; i++) {
			struct ctf_member *member = &structure->members[i];
			if (strcmp(member->name, names[name].name) != 0)
				continue;
			if (member->type->kind == CTF_INTEGER)
				member->roles |= 1u << names[name].role;
			break;
		}
}

/* Integers of a name have a role, at any depth. */
static void give_all(const struct ctf_type *type, const char *name, enum ctf_role role)
{
	while (type != NULL && (type->kind == CTF_ARRAY || type->kind == CTF_SEQUENCE))
		type = type->element;
	if (type == NULL || !ctf_type_is_compound(type))
		return;
	for (size_t i = 0; i < type->member_count; i++) {
		struct ctf_member *member = &type->members[i];
		if (member->type->kind == CTF_INTEGER && strcmp(member->name, name) == 0)
			member->roles |= 1u << role;
		give_all(member->type, name, role);
	}
}

/* Each array of bytes of this name is the UUID; which of them is at a constant place, the decoder finds. */
static void give_uuid(const struct ctf_type *structure)
{
	for (size_t i = 0; structure != NULL && i < structure->member_count; i++)
		if (strcmp(structure->members[i].name, "uuid") == 0)
			structure->members[i].roles |= 1u << CTF_ROLE_UUID;
}

void ctf_roles_imply(const struct ctf_schema *schema)
{
	give(schema->packet_header, of_header, sizeof(of_header) / sizeof(of_header[0]));
	give_uuid(schema->packet_header);
	for (size_t i = schema->linked_streams; i < schema->stream_count; i++) {
		const struct ctf_stream_type *stream = schema->streams[i];
		give(stream->packet_context, of_context, sizeof(of_context) / sizeof(of_context[0]));
		give_all(stream->packet_context, "timestamp_end", CTF_ROLE_END);
		give_all(stream->event_header, "id", CTF_ROLE_EVENT);
	}
}

/* ---- ctf reference ------------------------------------------------------------------------------------------- */

static const char *const roots[CTF_SCOPE_COUNT] = {
	[CTF_SCOPE_PACKET_HEADER] = "trace.packet.header.",
	[CTF_SCOPE_PACKET_CONTEXT] = "stream.packet.context.",
	[CTF_SCOPE_EVENT_HEADER] = "stream.event.header.",
	[CTF_SCOPE_EVENT_CONTEXT] = "stream.event.context.",
	[CTF_SCOPE_CONTEXT] = "event.context.",
	[CTF_SCOPE_PAYLOAD] = "event.fields.",
};

static enum histree_status find_in(struct ctf_finder *finder, struct ctf_type *type,
				   const struct ctf_around *around);

static struct ctf_member *find_member(const struct ctf_type *structure, size_t before, const char *name,
				      size_t size, uint64_t *searches)
{
	*searches += before;
	if (size > 0 && name[0] == '_') {
		name++;
		size--;
	}
	for (size_t i = before; structure != NULL && i-- > 0;) {
		struct ctf_member *member = &structure->members[i];
		if (strncmp(member->name, name, size) == 0 && member->name[size] == '\0')
			return member;
	}
	return NULL;
}

/* Follow "a.b.c" down from a structure. */
static struct ctf_member *follow(const struct ctf_type *structure, size_t before, const char *path,
				 uint64_t *searches)
{
	for (;;) {
		size_t size = strcspn(path, ".");
		struct ctf_member *member = find_member(structure, before, path, size, searches);
		if (member == NULL || path[size] == '\0')
			return member;
		if (member->type->kind != CTF_STRUCTURE)
			return NULL;
		structure = member->type;
		before = structure->member_count;
		path += size + 1;
	}
}

static struct ctf_member *find_target(const struct ctf_finder *finder, const char *path,
				      const struct ctf_around *around, enum ctf_scope_kind *scope)
{
	struct ctf_member *found = NULL;
	uint64_t *searches = &finder->schema->searches;
	const struct ctf_around *root = around;
	while (root->outer != NULL)
		root = root->outer;
	for (*scope = CTF_SCOPE_PACKET_HEADER; *scope < CTF_SCOPE_COUNT; ++*scope) {
		size_t size = strlen(roots[*scope]);
		const struct ctf_type *structure = finder->scopes[*scope];
		if (strncmp(path, roots[*scope], size) != 0 || structure == NULL || *scope > finder->scope)
			continue;
		return follow(structure, *scope == finder->scope ? root->before + 1 : structure->member_count,
			      path + size, searches);
	}
	*scope = finder->scope;
	for (; found == NULL && around != NULL; around = around->outer)
		found = follow(around->structure, around->before, path, searches);
	for (int before = (int)finder->scope - 1; found == NULL && before >= 0; before--) {
		*scope = (enum ctf_scope_kind)before;
		if (finder->scopes[before] != NULL)
			found = follow(finder->scopes[before], finder->scopes[before]->member_count, path,
				       searches);
	}
	return found;
}

static bool take_slot(struct ctf_finder *finder, enum ctf_scope_kind scope, uint32_t *out)
{
	bool is_shared = scope < CTF_SCOPE_CONTEXT;
	uint32_t *used = is_shared ? &finder->schema->shared_slots : &finder->event_slots;
	if (is_shared && finder->scopes_made > scope) {
		error_set(finder->error, HISTREE_ERR_TRACE,
			  "a length or a tag names a field that an earlier piece of the metadata declared");
		return false;
	}
	if (*used == (is_shared ? CTF_SHARED_SLOTS : CTF_SLOTS_MAX)) {
		error_set(finder->error, HISTREE_ERR_TRACE,
			  "the metadata has too many fields that are lengths or tags");
		return false;
	}
	*out = (*used)++;
	return true;
}

static bool has_slot(const struct ctf_member *member, uint32_t slot)
{
	const struct ctf_slot *more = member->more_slots;
	while (more != NULL && more->slot != slot)
		more = more->next;
	return member->slot == slot || more != NULL;
}

/* A slot that all members have which a length or a tag may be: the one that they have, or a new one. */
static enum histree_status give_slot(struct ctf_finder *finder, const struct ctf_targets *targets, uint32_t *out)
{
	struct ctf_member *first = targets->members[0];
	const struct ctf_slot *more = first->more_slots;
	for (*out = first->slot; *out != CTF_NO_SLOT; *out = more->slot, more = more->next) {
		size_t have = 0;
		while (have < targets->count && has_slot(targets->members[have], *out))
			have++;
		if (have == targets->count)
			return HISTREE_OK;
		if (more == NULL)
			break;
	}
	if (!take_slot(finder, targets->scope, out))
		return finder->error->status;
	for (size_t i = 0; i < targets->count; i++) {
		struct ctf_member *member = targets->members[i];
		if (member->slot == CTF_NO_SLOT) {
			member->slot = *out;
			continue;
		}
		struct ctf_slot *another = ctf_schema_allocate(finder->schema, 1, sizeof(*another), finder->error);
		if (another == NULL)
			return finder->error->status;
		*another = (struct ctf_slot){ .slot = *out, .next = member->more_slots };
		member->more_slots = another;
	}
	return HISTREE_OK;
}

/* Each option is chosen by the numbers of the label that is called as it is. */
static enum histree_status find_choices(struct ctf_finder *finder, struct ctf_type *variant)
{
	const struct ctf_type *tag = variant->target->type;
	struct ctf_choice choices[CTF_CHOICES_MAX];
	size_t count = 0;
	for (size_t option = 0; option < variant->member_count; option++) {
		const char *name = variant->members[option].name;
		size_t low = SEARCH(i, 0, tag->label_count, strcmp(tag->labels[i].name, name) < 0);
		for (; low < tag->label_count && strcmp(tag->labels[low].name, name) == 0; low++) {
			if (count == CTF_CHOICES_MAX)
				return error_set(finder->error, HISTREE_ERR_TRACE,
						 "a variant of the metadata has more than %d choices",
						 CTF_CHOICES_MAX);
			choices[count++] = (struct ctf_choice){
				.low = tag->labels[low].low,
				.high = tag->labels[low].high,
				.member = (uint32_t)option,
			};
		}
	}
	variant->choices = ctf_schema_allocate(finder->schema, count, sizeof(*choices), finder->error);
	if (variant->choices == NULL)
		return finder->error->status;
	memcpy(variant->choices, choices, count * sizeof(*choices));
	variant->choice_count = count;
	return HISTREE_OK;
}

static enum histree_status check_searches(const struct ctf_finder *finder)
{
	if (finder->schema->searches > CTF_SEARCHES_MAX)
		return error_set(finder->error, HISTREE_ERR_TRACE,
				 "the metadata has too many lengths and tags in structures too large");
	return HISTREE_OK;
}

/* The ranges of a variant as numbers of its tag: what no tag can be is left out. */
static enum histree_status take_ranges(struct ctf_finder *finder, struct ctf_type *variant)
{
	bool is_signed = variant->target->type->is_signed;
	ctf_wide least = is_signed ? INT64_MIN : 0, most = is_signed ? INT64_MAX : (ctf_wide)UINT64_MAX;
	variant->choices = ctf_schema_allocate(finder->schema, variant->range_count + 1, sizeof(*variant->choices),
					       finder->error);
	variant->choice_count = 0;
	if (variant->choices == NULL)
		return finder->error->status;
	for (size_t i = 0; i < variant->range_count; i++) {
		const struct ctf_range *range = &variant->ranges[i];
		ctf_wide low = range->low < least ? least : range->low;
		ctf_wide high = range->high > most ? most : range->high;
		if (low <= high)
			variant->choices[variant->choice_count++] = (struct ctf_choice){ .low = (uint64_t)low,
											 .high = (uint64_t)high,
											 .member = range->member };
	}
	if (variant->is_optional && (variant->target->type->form & CTF_BOOLEAN) != 0)
		variant->choices[variant->choice_count++] = (struct ctf_choice){ .low = 1, .high = 1 };
	return HISTREE_OK;
}

/* What the members that a length or a selector may be have to be.  Returns what is wrong, NULL if nothing is. */
static const char *fault_of_targets(const struct ctf_type *type, const struct ctf_targets *targets)
{
	bool is_variant = type->kind == CTF_VARIANT;
	bool is_boolean = targets->count > 0 && (targets->members[0]->type->form & CTF_BOOLEAN) != 0;
	if (targets->are_too_many)
		return "too many fields may be there";
	if (targets->count == 0)
		return is_variant ? "there is no boolean and no integer before the field that needs it"
				  : "there is no integer before the field that needs it";
	for (size_t i = 0; i < targets->count; i++) {
		const struct ctf_type *target = targets->members[i]->type;
		if (target->is_signed && !is_variant)
			return "the length is a signed integer";
		if (((target->form & CTF_BOOLEAN) != 0) != is_boolean ||
		    target->is_signed != targets->members[0]->type->is_signed)
			return "the fields that may be there are not of one kind";
	}
	if (is_boolean && !type->is_optional)
		return is_variant ? "the selector of a variant is a boolean" : "the length is a boolean";
	if (is_boolean && type->range_count > 0)
		return "the selector is a boolean, which has no ranges";
	return type->is_optional && !is_boolean && type->range_count == 0
		       ? "the selector is an integer, but 'selector-field-ranges' is missing"
		       : NULL;
}

static enum histree_status find_location(struct ctf_finder *finder, struct ctf_type *type,
					 const struct ctf_around *around)
{
	struct ctf_targets targets;
	ctf_location_find(finder, type->location, around, &targets);
	enum histree_status status = check_searches(finder);
	const char *fault = fault_of_targets(type, &targets);
	if (status == HISTREE_OK && fault != NULL)
		status = error_set(finder->error, HISTREE_ERR_TRACE, "%s: %s", type->location->text, fault);
	if (status == HISTREE_OK)
		status = give_slot(finder, &targets, &type->slot);
	type->target = targets.members[0];
	return status == HISTREE_OK && type->kind == CTF_VARIANT ? take_ranges(finder, type) : status;
}

/* A length may be an entry of the environment: then it is the same in each event, and the sequence an array. */
static bool take_environment(const struct ctf_schema *schema, struct ctf_type *type)
{
	static const char root[] = "env.";
	if (type->kind != CTF_SEQUENCE || strncmp(type->path, root, sizeof(root) - 1) != 0)
		return false;
	const struct ctf_environment *entry = ctf_schema_environment(schema, type->path + sizeof(root) - 1);
	if (entry == NULL || entry->text != NULL || entry->number < 0)
		return false;
	type->kind = CTF_ARRAY;
	type->length = (uint64_t)entry->number;
	return true;
}

static enum histree_status find_reference(struct ctf_finder *finder, struct ctf_type *type,
					  const struct ctf_around *around)
{
	bool is_variant = type->kind == CTF_VARIANT;
	struct ctf_targets targets = { .count = 1 };
	if (type->location != NULL)
		return find_location(finder, type, around);
	if (type->path == NULL)
		return error_set(finder->error, HISTREE_ERR_TRACE, "a variant of the metadata has no tag");
	struct ctf_member *target = find_target(finder, type->path, around, &targets.scope);
	if (check_searches(finder) != HISTREE_OK)
		return finder->error->status;
	if (target == NULL && take_environment(finder->schema, type))
		return HISTREE_OK;
	if (target == NULL || target->type->kind != CTF_INTEGER || (is_variant && !target->type->is_enumeration))
		return error_set(finder->error, HISTREE_ERR_TRACE,
				 "the metadata has no %s \"%.80s\" before the %s that needs it",
				 is_variant ? "enumeration" : "integer", type->path,
				 is_variant ? "variant" : "sequence");
	if (!is_variant && target->type->is_signed)
		return error_set(finder->error, HISTREE_ERR_TRACE,
				 "the length \"%.80s\" in the metadata is a signed integer", type->path);
	targets.members[0] = type->target = target;
	enum histree_status status = give_slot(finder, &targets, &type->slot);
	return status == HISTREE_OK && is_variant ? find_choices(finder, type) : status;
}

static enum histree_status find_in_members(struct ctf_finder *finder, struct ctf_type *type,
					   const struct ctf_around *outer)
{
	enum histree_status status = HISTREE_OK;
	for (size_t i = 0; status == HISTREE_OK && i < type->member_count; i++) {
		struct ctf_around around = { .structure = type, .before = i, .outer = outer };
		/* The options of a variant do not come one before the other. */
		bool is_structure = type->kind == CTF_STRUCTURE;
		if (ctf_type_is_compound(type->members[i].type))
			status = find_in(finder, type->members[i].type, is_structure ? &around : outer);
	}
	return status;
}

static enum histree_status find_in(struct ctf_finder *finder, struct ctf_type *type,
				   const struct ctf_around *around)
{
	enum histree_status status = HISTREE_OK;
	if (type->kind == CTF_SEQUENCE || type->kind == CTF_VARIANT)
		status = find_reference(finder, type, around);
	if (status != HISTREE_OK)
		return status;
	if (type->kind == CTF_STRUCTURE || type->kind == CTF_VARIANT)
		return find_in_members(finder, type, around);
	return ctf_type_is_compound(type) && ctf_type_is_compound(type->element)
		       ? find_in(finder, type->element, around)
		       : HISTREE_OK;
}

static enum histree_status find_in_scope(struct ctf_finder *finder, enum ctf_scope_kind scope)
{
	finder->scope = scope;
	return finder->scopes[scope] == NULL ? HISTREE_OK : find_in(finder, finder->scopes[scope], NULL);
}

enum histree_status ctf_references_find(struct ctf_schema *schema, struct ctf_stream_type *stream,
					struct histree_error *error)
{
	struct ctf_finder finder = {
		.schema = schema,
		.scopes = { [CTF_SCOPE_PACKET_HEADER] = schema->packet_header,
			    [CTF_SCOPE_PACKET_CONTEXT] = stream->packet_context,
			    [CTF_SCOPE_EVENT_HEADER] = stream->event_header,
			    [CTF_SCOPE_EVENT_CONTEXT] = stream->event_context },
		.event_slots = CTF_SHARED_SLOTS,
		.error = error,
	};
	bool is_known = stream->index < schema->linked_streams;
	if (is_known)
		finder.scopes_made = CTF_SCOPE_CONTEXT;
	else if (schema->linked_streams > 0)
		finder.scopes_made = CTF_SCOPE_PACKET_CONTEXT;
	if (!is_known)
		stream->slot_count = CTF_SHARED_SLOTS;
	enum histree_status status = HISTREE_OK;
	for (enum ctf_scope_kind scope = finder.scopes_made; status == HISTREE_OK && scope < CTF_SCOPE_CONTEXT;
	     scope++)
		status = find_in_scope(&finder, scope);
	for (size_t i = stream->linked_events; status == HISTREE_OK && i < stream->events.count; i++) {
		struct ctf_event_type *event = stream->events.entries[i].record;
		finder.scopes[CTF_SCOPE_CONTEXT] = event->context;
		finder.scopes[CTF_SCOPE_PAYLOAD] = event->payload;
		finder.event_slots = CTF_SHARED_SLOTS;
		status = find_in_scope(&finder, CTF_SCOPE_CONTEXT);
		if (status == HISTREE_OK)
			status = find_in_scope(&finder, CTF_SCOPE_PAYLOAD);
		if (stream->slot_count < finder.event_slots)
			stream->slot_count = finder.event_slots;
	}
	return status;
}
