/* SPDX-License-Identifier: MIT */
/*
 * ctf_schema.h - what the metadata of a trace declares: clocks, streams, events, and the types of their fields.
 *
 * It does not change once it was read, but that metadata which come in pieces add to it.  Whatever the text holds,
 * reading it is bounded: in depth by CTF_NESTING_MAX, and in memory by CTF_SCHEMA_BYTES_MAX.
 */
#ifndef TRACE_CTF_CTF_SCHEMA_H
#define TRACE_CTF_CTF_SCHEMA_H

#include "base/arena.h"
#include "base/id_map.h"
#include "histree/status.h"
#include "trace/ctf/ctf_type.h"

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
	uint32_t slot_count;                                            /* of the slots that are in use */
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
	uint32_t shared_slots;          /* in use; the first are what the head of a packet says, by enum ctf_role */
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

/* A part of that: what integers of CTF 1.8 mean, in streams that are not linked yet. */
void ctf_roles_imply(const struct ctf_schema *schema);

/*
 * A part of that: find what each length and tag of a stream and of its new events names, and give those members
 * slots.
 */
enum histree_status ctf_references_find(struct ctf_schema *schema, struct ctf_stream_type *stream,
					struct histree_error *error);

#endif
