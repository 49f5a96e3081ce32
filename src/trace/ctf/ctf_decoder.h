/* SPDX-License-Identifier: MIT */
/*
 * ctf_decoder.h - decodes the bytes of a packet into events, by the procedures of one trace: for packet headers,
 * event headers, and each class.
 *
 * A class is made when its first event is met, so that ids are dense over the classes that occur.
 */
#ifndef TRACE_CTF_CTF_DECODER_H
#define TRACE_CTF_CTF_DECODER_H

#include "event/event.h"
#include "trace/ctf/ctf_cursor.h"
#include "trace/ctf/ctf_procedure.h"
#include "trace/ctf/ctf_schema.h"

/* LTTng's header of events: a short id and the lower bits of the time, or behind the greatest id both at length. */
struct ctf_short_header {
	uint32_t id_bits, bits; /* 0: the header is another one */
	uint32_t slot;          /* of the id */
};

struct ctf_stream_decoder {
	const struct ctf_stream_type *type;
	struct ctf_procedure packet_context, event_header;
	struct ctf_short_header short_header;
	uint32_t head_roles;          /* that the context of packets has, 1 << enum ctf_role */
	struct id_map classes;        /* struct ctf_class, by the id of the event */
	struct ctf_class *by_id[256]; /* the same, of small ids */
	ctf_wide base_ns;             /* of the clock */
};

/*
 * Whether a packet says by itself what the clock is: one of CTF 1.8 whose times have less than 64 bits, and which
 * does not say with 64 when it begins, goes on with the clock of the packet before.
 */
bool ctf_stream_knows_clock(const struct ctf_stream_decoder *stream, unsigned version);

/* Whether the context of its packets has fields of a role. */
static inline bool ctf_stream_has(const struct ctf_stream_decoder *stream, enum ctf_role role)
{
	return (stream->head_roles & 1u << role) != 0;
}

/* What a trace is to analyses, by its metadata, with the functions below; its id and its path stay as they are. */
void ctf_schema_describe(const struct ctf_schema *schema, struct event_trace *trace);

struct ctf_decoder {
	const struct ctf_schema *schema;
	const struct event_trace *trace;
	uint32_t *class_count; /* of all traces of the input */
	struct arena memory;
	struct ctf_procedure packet_header;
	const struct ctf_field *magic; /* or NULL */
	bool has_stream_id;
	uint32_t uuid_at;                    /* bytes from the start of a packet; UINT32_MAX: no UUID */
	struct ctf_stream_decoder **streams; /* as the schema's */
	size_t stream_count, stream_capacity;
	size_t place_count; /* that the head of a packet and the header of an event need */
};

enum histree_status ctf_decoder_init(struct ctf_decoder *decoder, const struct ctf_schema *schema,
				     const struct event_trace *trace, uint32_t *class_count,
				     struct histree_error *error);

/* Take what the schema has got since.  What was made stays where it is. */
enum histree_status ctf_decoder_extend(struct ctf_decoder *decoder, struct histree_error *error);
void ctf_decoder_release(struct ctf_decoder *decoder);

/*
 * Find or make the class of an id; *out is NULL if the metadata does not declare it.  Returns HISTREE_ERR_MEMORY.
 */
enum histree_status ctf_decoder_class(struct ctf_decoder *decoder, struct ctf_stream_decoder *stream, uint64_t id,
				      struct ctf_class **out, struct histree_error *error);

/* Returns the time of a value of the stream's clock; false if the stream has no clock or the time does not fit. */
bool ctf_decoder_time(const struct ctf_stream_decoder *stream, uint64_t ticks, histree_time *out);

#define CTF_UNKNOWN UINT64_MAX

/* What the header and the context of a packet say. */
struct ctf_head {
	struct ctf_stream_decoder *stream;
	uint64_t instance;      /* which of the streams of its kind; CTF_UNKNOWN: the trace does not say */
	uint64_t size, content; /* bits; CTF_UNKNOWN: to the end of the file */
	uint64_t begin, end;    /* ticks */
	uint64_t discarded, sequence;
	int32_t cpu;   /* -1 where the trace does not say */
	uint64_t bits; /* of the head: events begin there */
};

#define CTF_MAGIC_NUMBER UINT32_C(0xc1fc1fc1)

/*
 * Read the head of the packet that a cursor is at the start of.  CTF_SHORT if the window is not enough; CTF_BROKEN
 * if this is no packet, or not one of the stream `expected`, which is NULL if any will do: *why says "does not
 * begin with the magic number" or the like.
 */
enum ctf_outcome ctf_head_read(const struct ctf_decoder *decoder, struct ctf_cursor *cursor,
			       const struct ctf_stream_decoder *expected, struct ctf_head *out, const char **why);

/* Step over the header of an event.  The id is in the cursor. */
enum ctf_outcome ctf_event_header_read(const struct ctf_stream_decoder *stream, struct ctf_cursor *cursor);

#endif
