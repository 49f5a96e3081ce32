/* SPDX-License-Identifier: MIT */
/*
 * ctf_procedure.h - procedures that step over the bytes of structures and find the places of their fields.
 *
 * Consecutive structures become a list of operations.  The fields up to the first one of variable size are one
 * operation, a run, in which each field has a constant place: most events are one run, so that one comparison
 * checks them, and reading a field is a load.  A run has an alignment, and a field that needs a larger one begins
 * another run.  The inside of variants and of arrays of structures has a separate procedure.
 *
 * All places are in bits; a procedure does not change once it is made.
 */
#ifndef TRACE_CTF_CTF_PROCEDURE_H
#define TRACE_CTF_CTF_PROCEDURE_H

#include "base/arena.h"
#include "trace/ctf/ctf_schema.h"

enum ctf_operation_kind {
	CTF_RUN,      /* step over `size` bits */
	CTF_SAVE,     /* keep an integer of the last run, or the one before in LEB128, in a slot */
	CTF_TICK,     /* such an integer is the lower bits of the clock */
	CTF_IDENTIFY, /* such an integer is the id of the event */
	CTF_LEB128,   /* an integer of as many bytes as it takes */
	CTF_FORGET,   /* a slot has no number: the field that it is of may not be there */
	CTF_TEXT,     /* a string up to its zero, a unit of `size` bits */
	CTF_ELEMENTS, /* a slot says how many elements of `size` bits there are */
	CTF_REPEAT,   /* the body as often as a slot says, or `size` times */
	CTF_CHOOSE,   /* the body of the choice that a slot is in */
};

/* An integer, and how it is read. */
struct ctf_integer {
	uint32_t size; /* bits; 0: it is in LEB128 */
	bool is_signed, is_big;
	uint8_t form; /* enum ctf_form */
};

struct ctf_body;

struct ctf_operation {
	enum ctf_operation_kind kind;
	uint32_t slot;   /* CTF_NO_SLOT: `size` says it */
	uint64_t mask;   /* the alignment before it, less one */
	uint64_t size;   /* bits, or times */
	uint64_t offset; /* of the integer in the last run */
	struct ctf_integer integer;
	const struct ctf_choice *choices; /* member: index in bodies */
	size_t choice_count;
	bool is_signed;                       /* the tag */
	bool is_optional;                     /* that no choice fits is no fault */
	const struct ctf_body *const *bodies; /* of the choices, or one to be repeated */
};

struct ctf_body {
	struct ctf_operation *operations;
	size_t count;
};

enum ctf_field_kind {
	CTF_FIELD_OTHER,
	CTF_FIELD_INTEGER,
	CTF_FIELD_LEB128,        /* the operation is an integer */
	CTF_FIELD_STRING,        /* the operation is a text */
	CTF_FIELD_TEXT,          /* `count` characters in a run */
	CTF_FIELD_TEXT_ELEMENTS, /* the operation is elements */
};

/* A member of one of the structures. */
struct ctf_field {
	const char *name;
	const struct ctf_type *type;
	uint32_t roles;
	enum ctf_field_kind kind;
	struct ctf_integer integer;
	uint32_t operation; /* of the body */
	uint64_t offset;    /* in the run */
	uint64_t count;
};

struct ctf_procedure {
	struct ctf_body body;
	struct ctf_field *fields;
	uint32_t field_count;
};

/* What integers mean to the reader, beside the lengths, tags and roles that they have. */
struct ctf_meaning {
	enum ctf_order order;          /* of the trace */
	const struct ctf_clock *clock; /* whose ticks are taken; NULL: none are */
};

/* A structure to step over; NULL: no structure. */
struct ctf_scope {
	const struct ctf_type *structure;
	struct ctf_meaning meaning;
};

/* Make the procedure of some scopes.  Returns false if memory runs out. */
bool ctf_procedure_make(struct ctf_procedure *procedure, const struct ctf_scope *scopes, size_t scope_count,
			struct arena *memory);

/* Returns the first field with a role, or NULL. */
const struct ctf_field *ctf_procedure_find(const struct ctf_procedure *procedure, enum ctf_role role);

/* How an integer is read in a trace of a byte order. */
struct ctf_integer ctf_integer_of(const struct ctf_type *type, enum ctf_order order);

#endif
