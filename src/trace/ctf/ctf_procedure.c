// SPDX-License-Identifier: MIT
/*
 * ctf_procedure.c - compiles types of fields into steps of a procedure, so that decoding an event needs no
 * metadata.
 */
#include "trace/ctf/ctf_procedure.h"

#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

#include "base/table.h"

#define NO_RUN SIZE_MAX
#define RUN_SIZE_MAX (UINT64_MAX / 8) /* bits; what does not fit a packet fails when it is met */

struct maker {
	struct arena *memory;
	struct ctf_meaning meaning;
	struct ctf_operation *operations;
	size_t count, capacity;
	size_t run; /* the one that fixed sizes are added to */
	struct ctf_field *fields;
	size_t field_count, field_capacity;
	bool failed;
	struct ctf_operation nowhere; /* what is added when memory runs out */
};

static const struct ctf_member nobody = { .name = "", .slot = CTF_NO_SLOT };

static void ctf_procedure_make_type(struct maker *maker, const struct ctf_type *type,
				    const struct ctf_member *member);

static struct ctf_operation *ctf_procedure_add(struct maker *maker, struct ctf_operation operation)
{
	if (maker->failed || !array_reserve(&maker->operations, &maker->capacity, maker->count + 1)) {
		maker->failed = true;
		return &maker->nowhere;
	}
	maker->operations[maker->count] = operation;
	return &maker->operations[maker->count++];
}

/* Returns the offset of `bits` bits in the run, which is a new one if they need a better alignment than it has. */
static uint64_t place(struct maker *maker, uint32_t alignment, uint64_t bits)
{
	uint64_t mask = alignment - 1;
	struct ctf_operation *run = maker->run == NO_RUN ? NULL : &maker->operations[maker->run];
	if (run != NULL && run->size == 0 && mask > run->mask)
		run->mask = mask;
	if (run == NULL || mask > run->mask || run->size > RUN_SIZE_MAX) {
		run = ctf_procedure_add(
			maker, (struct ctf_operation){ .kind = CTF_RUN, .slot = CTF_NO_SLOT, .mask = mask });
		maker->run = maker->failed ? NO_RUN : maker->count - 1;
	}
	uint64_t offset = (run->size + mask) & ~mask;
	run->size = offset + bits;
	return offset;
}

/* What follows is aligned so; where it need not be, it needs no run either. */
static void align(struct maker *maker, uint32_t bits)
{
	if (bits > 1)
		place(maker, bits, 0);
}

struct ctf_integer ctf_integer_of(const struct ctf_type *type, enum ctf_order order)
{
	return (struct ctf_integer){
		.size = type->kind == CTF_VARINT ? 0 : type->size,
		.is_signed = type->is_signed,
		.is_big = (type->order == CTF_NATIVE ? order : type->order) == CTF_BIG,
		.form = type->form,
	};
}

static struct ctf_integer integer_of(const struct maker *maker, const struct ctf_type *type)
{
	return ctf_integer_of(type, maker->meaning.order);
}

static void add_for_integer(struct maker *maker, enum ctf_operation_kind kind, uint32_t slot,
			    struct ctf_integer integer, uint64_t offset)
{
	ctf_procedure_add(
		maker, (struct ctf_operation){ .kind = kind, .slot = slot, .offset = offset, .integer = integer });
}

/*
 * What an integer is beside a field: a tick, the id of the event, something that the head of a packet says, a
 * length or a tag.  The end of a packet is no tick: it comes before the events.
 */
static void add_meaning(struct maker *maker, const struct ctf_type *type, const struct ctf_member *member,
			uint64_t offset)
{
	const struct ctf_meaning *meaning = &maker->meaning;
	struct ctf_integer integer = integer_of(maker, type);
	uint32_t roles = member->roles;
	bool is_of_clock = meaning->clock != NULL && type->clock == meaning->clock;
	if ((is_of_clock && (roles & 1u << CTF_ROLE_END) == 0) || (roles & 1u << CTF_ROLE_TICK) != 0)
		add_for_integer(maker, CTF_TICK, CTF_NO_SLOT, integer, offset);
	if ((roles & 1u << CTF_ROLE_EVENT) != 0)
		add_for_integer(maker, CTF_IDENTIFY, CTF_NO_SLOT, integer, offset);
	for (uint32_t role = 0; role < CTF_HEAD_ROLES; role++)
		if ((roles & 1u << role) != 0)
			add_for_integer(maker, CTF_SAVE, role, integer, offset);
	if (member->slot != CTF_NO_SLOT)
		add_for_integer(maker, CTF_SAVE, member->slot, integer, offset);
	for (const struct ctf_slot *more = member->more_slots; more != NULL; more = more->next)
		add_for_integer(maker, CTF_SAVE, more->slot, integer, offset);
}

/* Operations of their own, for what is done some times or none. */
static const struct ctf_body *make_body(struct maker *maker, const struct ctf_type *type)
{
	struct maker inner = { .memory = maker->memory, .meaning = maker->meaning, .run = NO_RUN };
	struct ctf_body *body = arena_allocate(maker->memory, sizeof(*body), alignof(struct ctf_body));
	ctf_procedure_make_type(&inner, type, &nobody);
	struct ctf_operation *operations = arena_allocate(maker->memory, (inner.count + 1) * sizeof(*operations),
							  alignof(struct ctf_operation));
	if (inner.failed || body == NULL || operations == NULL) {
		maker->failed = true;
	} else {
		if (inner.count > 0)
			memcpy(operations, inner.operations, inner.count * sizeof(*operations));
		*body = (struct ctf_body){ .operations = operations, .count = inner.count };
	}
	free(inner.operations);
	return body;
}

/* What a length or a tag may find in one option is not there if another one is chosen. */
static void forget(struct maker *maker, const struct ctf_type *type)
{
	if (type->kind != CTF_STRUCTURE && type->kind != CTF_VARIANT)
		return;
	for (size_t i = 0; i < type->member_count && !maker->failed; i++) {
		const struct ctf_member *member = &type->members[i];
		if (member->slot != CTF_NO_SLOT)
			ctf_procedure_add(maker,
					  (struct ctf_operation){ .kind = CTF_FORGET, .slot = member->slot });
		for (const struct ctf_slot *more = member->more_slots; more != NULL; more = more->next)
			ctf_procedure_add(maker, (struct ctf_operation){ .kind = CTF_FORGET, .slot = more->slot });
		forget(maker, member->type);
	}
}

static void make_choose(struct maker *maker, const struct ctf_type *type)
{
	const struct ctf_body **bodies = arena_allocate(maker->memory, (type->member_count + 1) * sizeof(*bodies),
							alignof(struct ctf_body *));
	for (size_t i = 0; bodies != NULL && i < type->member_count && !maker->failed; i++) {
		/* A structure of the one option: its name matters to what it means. */
		const struct ctf_type alone = {
			.kind = CTF_STRUCTURE, .align = 1, .members = &type->members[i], .member_count = 1
		};
		bodies[i] = make_body(maker, &alone);
	}
	if (bodies == NULL)
		maker->failed = true;
	maker->run = NO_RUN;
	forget(maker, type);
	ctf_procedure_add(maker, (struct ctf_operation){
					 .kind = CTF_CHOOSE,
					 .slot = type->slot,
					 .choices = type->choices,
					 .choice_count = type->choice_count,
					 .is_signed = type->target->type->is_signed,
					 .is_optional = type->is_optional,
					 .bodies = bodies,
				 });
}

static void make_repeat(struct maker *maker, const struct ctf_type *type)
{
	const struct ctf_body **body = arena_allocate(maker->memory, sizeof(*body), alignof(struct ctf_body *));
	if (body != NULL)
		*body = make_body(maker, type->element);
	maker->failed |= body == NULL;
	bool is_array = type->kind == CTF_ARRAY;
	/* An array of nothing still is where its alignment puts it. */
	align(maker, type->align);
	maker->run = NO_RUN;
	ctf_procedure_add(maker, (struct ctf_operation){
					 .kind = CTF_REPEAT,
					 .slot = is_array ? CTF_NO_SLOT : type->slot,
					 .size = is_array ? type->length : 0,
					 .bodies = body,
				 });
}

static void make_text(struct maker *maker, const struct ctf_type *type)
{
	maker->run = NO_RUN;
	ctf_procedure_add(maker, (struct ctf_operation){
					 .kind = CTF_TEXT,
					 .slot = CTF_NO_SLOT,
					 .mask = 7,
					 .size = 8 * ctf_unit_size(type->encoding),
				 });
}

static void make_leb128(struct maker *maker, const struct ctf_type *type, const struct ctf_member *member)
{
	maker->run = NO_RUN;
	ctf_procedure_add(
		maker, (struct ctf_operation){
			       .kind = CTF_LEB128, .slot = CTF_NO_SLOT, .mask = 7, .is_signed = type->is_signed });
	add_meaning(maker, type, member, 0);
}

static void ctf_procedure_make_type(struct maker *maker, const struct ctf_type *type,
				    const struct ctf_member *member)
{
	if (maker->failed)
		return;
	switch (type->kind) {
	case CTF_INTEGER:
		add_meaning(maker, type, member, place(maker, type->align, type->size));
		break;
	case CTF_VARINT:
		make_leb128(maker, type, member);
		break;
	case CTF_FLOAT:
	case CTF_BITS:
		place(maker, type->align, type->size);
		break;
	case CTF_STRING:
		make_text(maker, type);
		break;
	case CTF_STRUCTURE:
		align(maker, type->align);
		for (size_t i = 0; i < type->member_count && !maker->failed; i++)
			ctf_procedure_make_type(maker, type->members[i].type, &type->members[i]);
		break;
	case CTF_VARIANT:
		make_choose(maker, type);
		break;
	case CTF_ARRAY:
		if (ctf_type_is_plain(type->element) && type->length <= RUN_SIZE_MAX / 64)
			place(maker, type->align, type->length * type->element->size);
		else
			make_repeat(maker, type);
		break;
	case CTF_SEQUENCE:
		if (ctf_type_is_plain(type->element)) {
			maker->run = NO_RUN;
			ctf_procedure_add(maker, (struct ctf_operation){
							 .kind = CTF_ELEMENTS,
							 .slot = type->slot,
							 .mask = type->align - 1,
							 .size = type->element->size,
						 });
		} else {
			make_repeat(maker, type);
		}
		break;
	}
}

/* ---- fields ---------------------------------------------------------------------------------------------- */

static enum ctf_field_kind field_kind_of(const struct ctf_type *type)
{
	switch (type->kind) {
	case CTF_INTEGER:
		return CTF_FIELD_INTEGER;
	case CTF_VARINT:
		return CTF_FIELD_LEB128;
	case CTF_STRING:
		return CTF_FIELD_STRING;
	case CTF_ARRAY:
		return type->is_text && ctf_type_is_plain(type->element) ? CTF_FIELD_TEXT : CTF_FIELD_OTHER;
	case CTF_SEQUENCE:
		return type->is_text ? CTF_FIELD_TEXT_ELEMENTS : CTF_FIELD_OTHER;
	case CTF_FLOAT:
	case CTF_BITS:
	case CTF_STRUCTURE:
	case CTF_VARIANT:
		break;
	}
	return CTF_FIELD_OTHER;
}

/* A field of which `operation` was the first that was added, if any was. */
static void add_field(struct maker *maker, const struct ctf_member *member, uint32_t operation)
{
	if (!array_reserve(&maker->fields, &maker->field_capacity, maker->field_count + 1)) {
		maker->failed = true;
		return;
	}
	struct ctf_field *field = &maker->fields[maker->field_count++];
	*field = (struct ctf_field){
		.name = member->name,
		.type = member->type,
		.roles = member->roles,
		.kind = field_kind_of(member->type),
	};
	if (field->kind == CTF_FIELD_LEB128)
		field->operation = operation;
	bool in_run = field->kind == CTF_FIELD_INTEGER || field->kind == CTF_FIELD_TEXT;
	if (in_run && maker->run == NO_RUN) /* a text too long for any packet */
		field->kind = CTF_FIELD_OTHER;
	if (field->kind == CTF_FIELD_OTHER || field->kind == CTF_FIELD_LEB128)
		return;
	uint64_t bits = member->type->size;
	if (field->kind == CTF_FIELD_INTEGER)
		field->integer = integer_of(maker, member->type);
	if (field->kind == CTF_FIELD_TEXT) {
		field->count = member->type->length;
		bits = 8 * field->count;
	}
	field->operation = (uint32_t)(in_run ? maker->run : maker->count - 1);
	field->offset = in_run ? maker->operations[maker->run].size - bits : 0;
}

/* The members of a scope are fields; they are made one by one, so that each is the last of the run then. */
static void make_scope(struct maker *maker, const struct ctf_scope *scope)
{
	maker->meaning = scope->meaning;
	if (scope->structure == NULL)
		return;
	align(maker, scope->structure->align);
	for (size_t i = 0; i < scope->structure->member_count && !maker->failed; i++) {
		struct ctf_member *member = &scope->structure->members[i];
		const struct ctf_type alone = {
			.kind = CTF_STRUCTURE, .align = 1, .members = member, .member_count = 1
		};
		uint32_t operation = (uint32_t)maker->count;
		ctf_procedure_make_type(maker, &alone, &nobody);
		if (!maker->failed)
			add_field(maker, member, operation);
	}
}

bool ctf_procedure_make(struct ctf_procedure *procedure, const struct ctf_scope *scopes, size_t scope_count,
			struct arena *memory)
{
	struct maker maker = { .memory = memory, .run = NO_RUN };
	*procedure = (struct ctf_procedure){ 0 };
	for (size_t i = 0; i < scope_count; i++)
		make_scope(&maker, &scopes[i]);
	struct ctf_operation *operations =
		arena_allocate(memory, (maker.count + 1) * sizeof(*operations), alignof(struct ctf_operation));
	struct ctf_field *fields =
		arena_allocate(memory, (maker.field_count + 1) * sizeof(*fields), alignof(struct ctf_field));
	bool ok = !maker.failed && operations != NULL && fields != NULL;
	if (ok && maker.count > 0)
		memcpy(operations, maker.operations, maker.count * sizeof(*operations));
	if (ok && maker.field_count > 0)
		memcpy(fields, maker.fields, maker.field_count * sizeof(*fields));
	if (ok)
		*procedure = (struct ctf_procedure){
			.body = { .operations = operations, .count = maker.count },
			.fields = fields,
			.field_count = (uint32_t)maker.field_count,
		};
	free(maker.operations);
	free(maker.fields);
	return ok;
}

const struct ctf_field *ctf_procedure_find(const struct ctf_procedure *procedure, enum ctf_role role)
{
	for (uint32_t i = 0; i < procedure->field_count; i++)
		if ((procedure->fields[i].roles & 1u << role) != 0)
			return &procedure->fields[i];
	return NULL;
}
