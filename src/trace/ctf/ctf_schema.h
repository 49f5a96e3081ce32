/* SPDX-License-Identifier: MIT */
/*
 * ctf_schema.h - the declarations of the metadata of a CTF trace: clocks, streams, events, and the types of their
 * fields, as a tree.
 *
 * Declarations never change; metadata that arrive in pieces only add to them.  Reading is bounded for any text: in
 * depth by CTF_NESTING_MAX, and in memory by CTF_SCHEMA_BYTES_MAX.
 *
 * A member has one place in the tree, so that a length or a tag can refer to it: structures, variants, arrays and
 * sequences are copied where a name refers to them.  Integers, floating point numbers and strings are shared. Sizes
 * and alignments are in bits, as in CTF 1.8, section 4.
 *
 * Metadata of CTF 1.8 and of CTF 2 make the same tree.  Types that only CTF 2 has are mapped: a boolean, a bit
 * array and a bit map are integers, an optional field is a variant with one option that may be missing, a string of
 * a length and a BLOB are arrays or sequences of bytes.
 */
#ifndef TRACE_CTF_CTF_SCHEMA_H
#define TRACE_CTF_CTF_SCHEMA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/hash_index.h"
#include "histree/status.h"

enum ctf_kind {
	CTF_INTEGER,
	CTF_VARINT, /* an integer in LEB128 */
	CTF_FLOAT,
	CTF_BITS, /* more of them than a number has */
	CTF_STRING,
	CTF_STRUCTURE,
	CTF_VARIANT,
	CTF_ARRAY,
	CTF_SEQUENCE
};

enum ctf_order { CTF_NATIVE, CTF_LITTLE, CTF_BIG };

/* How a text is encoded; the units of UTF-16 have two bytes, those of UTF-32 four. */
enum ctf_encoding { CTF_UTF_8, CTF_UTF_16_LITTLE, CTF_UTF_16_BIG, CTF_UTF_32_LITTLE, CTF_UTF_32_BIG };

/* Which bits of a number come first, and what they say; none of it is the usual. */
enum ctf_form {
	CTF_REVERSED = 1, /* the bits are in the order that is not usual in the byte order */
	CTF_BOOLEAN = 2,  /* 1 if any bit is set */
};

/* A counter of cycles; the time of an event is its value, as nanoseconds, behind the offset. */
struct ctf_clock {
	const char *name;
	uint64_t frequency;
	int64_t offset_seconds;
	int64_t offset_cycles;
	/* What CTF 2 says besides; "" and CTF_NOT_SAID where it does not. */
	const char *id, *uid, *origin;
	uint64_t precision, accuracy; /* cycles */
};

#define CTF_NOT_SAID UINT64_MAX

/*
 * The roles of an integer, a bit each.  CTF 2 states them (roles); in CTF 1.8 they follow from names and clocks.
 * The roles up to CTF_ROLE_CPU occur in packet headers.
 */
enum ctf_role {
	CTF_ROLE_STREAM,
	CTF_ROLE_INSTANCE,
	CTF_ROLE_PACKET_SIZE, /* both sizes in bits */
	CTF_ROLE_CONTENT_SIZE,
	CTF_ROLE_BEGIN,
	CTF_ROLE_END,
	CTF_ROLE_DISCARDED,
	CTF_ROLE_SEQUENCE,
	CTF_ROLE_CPU,
	CTF_HEAD_ROLES,
	CTF_ROLE_MAGIC = CTF_HEAD_ROLES,
	CTF_ROLE_UUID,
	CTF_ROLE_EVENT, /* the id of its class */
	CTF_ROLE_TICK,  /* the lower bits of the clock */
	CTF_ROLE_COUNT
};

/* A name of the numbers from low to high, which are signed as the enumeration is. */
struct ctf_label {
	const char *name;
	uint64_t low, high;
};

/* Holds any integer of 64 bits, signed or not, and any number of ticks as nanoseconds. */
__extension__ typedef __int128 ctf_wide;

struct ctf_type;

#define CTF_NO_SLOT UINT32_MAX

struct ctf_member {
	const char *name; /* as fields are called: without the first of the underscores before it */
	struct ctf_type *type;
	uint32_t slot;  /* where its number is kept for a length or a tag that names it; CTF_NO_SLOT: none does */
	uint32_t roles; /* 1 << enum ctf_role, of an integer or of the bytes of a UUID */
	const struct ctf_slot *more_slots; /* where one length may name one of several members */
};

/* Another slot of a member. */
struct ctf_slot {
	uint32_t slot;
	const struct ctf_slot *next;
};

/* A path from a structure to a member, CTF 2, section 5.3.1. */
struct ctf_location {
	int origin;               /* enum ctf_scope_kind; -1: the structure around */
	const char *const *names; /* NULL: to the structure around that */
	size_t count;
	const char *text; /* for people */
};

/* What a variant is when its tag is from low to high. */
struct ctf_choice {
	uint64_t low, high;
	uint32_t member;
};

/* The same as it was declared, before it is known whether the tag is signed. */
struct ctf_range {
	ctf_wide low, high;
	uint32_t member;
};

struct ctf_type {
	enum ctf_kind kind;
	enum ctf_order order;
	bool is_signed;
	bool is_text;        /* an integer is a character; an array or a sequence is a text of them */
	bool is_enumeration; /* if not, its labels are flags, whose ranges are of numbers of bits */
	bool is_optional;    /* a variant may select no option */
	bool is_blob;        /* an array or a sequence is of bytes that are no numbers */
	bool is_number;      /* the bits are those of an integer that is too wide for 64 bits */
	uint8_t form;        /* enum ctf_form */
	uint8_t base;        /* of the digits in which an integer is shown, 2, 8, 16; 0: 10 */
	enum ctf_encoding encoding;
	uint32_t roles; /* that its metadata give it, 1 << enum ctf_role: they are its member's in some scopes */
	uint32_t align;
	uint32_t size;                 /* of an integer or a floating point number */
	const char *clock_name;        /* of an integer: whose lower bits it is; NULL: no clock's */
	const struct ctf_clock *clock; /* the same, found */
	union {
		struct {
			struct ctf_label *labels; /* by name */
			struct ctf_label *values; /* the same by their lowest number */
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
	const char *path;                    /* of the length of a sequence, or the tag of a variant: CTF 1.8 */
	const struct ctf_location *location; /* the same in CTF 2 */
	struct ctf_member *target;           /* that is there, or the first that may be */
	uint32_t slot;                       /* where its number is kept */
	const struct ctf_range *ranges;      /* of the choices of a variant of CTF 2 */
	size_t range_count;
	struct ctf_choice *choices;
	size_t choice_count;
};

/* Sort labels, for searches by name and by number. */
void ctf_labels_sort(struct ctf_type *type);

/* Returns the name of a number in a type, or NULL; of several names, that of the smallest range. */
const char *ctf_label_find(const struct ctf_type *type, uint64_t number);

static inline bool ctf_type_is_integer(const struct ctf_type *type)
{
	return type->kind == CTF_INTEGER || type->kind == CTF_VARINT;
}

/* Bytes of a unit of a text. */
static inline unsigned ctf_unit_size(enum ctf_encoding encoding)
{
	return encoding == CTF_UTF_8 ? 1 : encoding <= CTF_UTF_16_BIG ? 2 : 4;
}

static inline bool ctf_type_is_compound(const struct ctf_type *type)
{
	return type->kind >= CTF_STRUCTURE;
}

/* Whether each element is as long as its alignment lets the next one follow at once: integers mostly. */
static inline bool ctf_type_is_plain(const struct ctf_type *type)
{
	bool has_size = type->kind == CTF_INTEGER || type->kind == CTF_FLOAT || type->kind == CTF_BITS;
	return has_size && type->size % type->align == 0;
}

enum {
	CTF_NESTING_MAX = 64,
	CTF_SCHEMA_BYTES_MAX = 96 << 20,
	CTF_SHARED_SLOTS = 256, /* of members before an event's own; those of the event come behind them */
	CTF_SLOTS_MAX = 4096,
	CTF_CHOICES_MAX = 256,
	CTF_CLOCKS_MAX = 64,
	CTF_SEARCHES_MAX = 100000000, /* members looked at, to find what lengths and tags name */
};

/* The structures that come one after the other: of a packet, then of an event. */
enum ctf_scope_kind {
	CTF_SCOPE_PACKET_HEADER,
	CTF_SCOPE_PACKET_CONTEXT,
	CTF_SCOPE_EVENT_HEADER,
	CTF_SCOPE_EVENT_CONTEXT,
	CTF_SCOPE_CONTEXT,
	CTF_SCOPE_PAYLOAD,
	CTF_SCOPE_COUNT
};

struct ctf_event_type {
	uint64_t id, stream_id;
	bool has_id, has_stream;
	const char *name;
	struct ctf_type *context, *payload; /* structures, or NULL */
};

struct ctf_stream_type {
	uint64_t id;
	size_t index;                                                   /* in the schema */
	struct ctf_type *packet_context, *event_header, *event_context; /* structures, or NULL */
	const struct ctf_clock *clock;                                  /* of the times of its events, or NULL */
	struct id_map events;                                           /* struct ctf_event_type, by id */
	/* How many of them are linked, the first ones */
	size_t linked_events;
	uint32_t slot_count; /* of the slots that are in use */
};

struct ctf_environment {
	const char *key, *text; /* the text is NULL for a number */
	int64_t number;
};

struct ctf_schema {
	struct arena memory;
	enum ctf_order order;
	unsigned version; /* of CTF: 1, 2 */
	bool has_uuid;
	uint8_t uuid[16];
	const char *uid;                /* of the trace; NULL: it does not have one */
	struct ctf_type *packet_header; /* or NULL */
	uint32_t shared_slots;          /* in use; the first ones belong to the packet header, by enum ctf_role */
	uint64_t searches;              /* members looked at so far */
	struct ctf_clock *clocks;
	size_t clock_count, clock_capacity;
	struct ctf_stream_type **streams;
	size_t stream_count, stream_capacity;
	struct id_map streams_by_id;
	struct ctf_event_type **events;
	size_t event_count, event_capacity;
	size_t linked_streams, linked_events; /* how many have been linked, the first ones */
	struct ctf_environment *environment;
	size_t environment_count, environment_capacity;
};

/* A zeroed one is empty; what a reader of metadata has filled, or half filled, is released. */
void ctf_schema_release(struct ctf_schema *schema);
const struct ctf_environment *ctf_schema_environment(const struct ctf_schema *schema, const char *key);

/* Room in the schema's memory; NULL, with the error set, when that is out or above its bound. */
void *ctf_schema_allocate(struct ctf_schema *schema, size_t count, size_t size, struct histree_error *error);

/* Returns a type for another place of the tree: members are of their place.  NULL, with the error set, as above. */
struct ctf_type *ctf_type_copy(struct ctf_schema *schema, struct ctf_type *type, struct histree_error *error);

/* Put together what was read: events and streams, clocks, and what lengths and tags name. */
enum histree_status ctf_schema_link(struct ctf_schema *schema, struct histree_error *error);

/*
 * The same for metadata that come in pieces: what was read since the last call, which leaves the rest as it is.
 * The metadata may have declared no stream yet.
 */
enum histree_status ctf_schema_link_more(struct ctf_schema *schema, struct histree_error *error);

#endif
