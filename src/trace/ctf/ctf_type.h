/* SPDX-License-Identifier: MIT */
/*
 * ctf_type.h - types of fields, as the metadata of a CTF trace declares them: a tree.
 *
 * A member stands at one place of the tree, so that a length or a tag can name it: structures, variants, arrays and
 * sequences are copied where a name stands for them.  Integers, floating point numbers and strings are shared.
 * Sizes and alignments are in bits, as in CTF 1.8, section 4.
 */
#ifndef TRACE_CTF_CTF_TYPE_H
#define TRACE_CTF_CTF_TYPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum ctf_kind { CTF_INTEGER, CTF_FLOAT, CTF_STRING, CTF_STRUCTURE, CTF_VARIANT, CTF_ARRAY, CTF_SEQUENCE };

enum ctf_order { CTF_NATIVE, CTF_LITTLE, CTF_BIG };

/* A counter of cycles; the time of an event is its value, as nanoseconds, behind the offset. */
struct ctf_clock {
	const char *name;
	uint64_t frequency;
	int64_t offset_seconds;
	int64_t offset_cycles;
};

/* A name of the numbers from low to high, which are signed as the enumeration is. */
struct ctf_label {
	const char *name;
	uint64_t low, high;
};

struct ctf_type;

#define CTF_NO_SLOT UINT32_MAX

struct ctf_member {
	const char *name; /* as fields are called: without the first of the underscores before it */
	struct ctf_type *type;
	uint32_t slot; /* where its number is kept for a length or a tag that names it; CTF_NO_SLOT: none does */
};

/* What a variant is when its tag is from low to high. */
struct ctf_choice {
	uint64_t low, high;
	uint32_t member;
};

struct ctf_type {
	enum ctf_kind kind;
	enum ctf_order order;
	bool is_signed;
	bool is_text; /* an integer is a character; an array or a sequence is a text of them */
	bool is_enumeration;
	uint32_t align;
	uint32_t size;                 /* of an integer or a floating point number */
	const char *clock_name;        /* of an integer: whose lower bits it is; NULL: no clock's */
	const struct ctf_clock *clock; /* the same, found */
	union {
		struct {
			struct ctf_label *labels; /* by name */
			size_t label_count;
		};
		struct {
			struct ctf_member *members;
			size_t member_count;
		};
		struct {
			struct ctf_type *element;
			uint64_t length; /* of an array */
		};
	};
	const char *path;          /* of the length of a sequence, or the tag of a variant */
	struct ctf_member *target; /* that is there */
	struct ctf_choice *choices;
	size_t choice_count;
};

static inline bool ctf_type_is_compound(const struct ctf_type *type)
{
	return type->kind >= CTF_STRUCTURE;
}

#endif
