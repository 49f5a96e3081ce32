/* SPDX-License-Identifier: MIT */
/*
 * ctf_writer.h - write a trace in CTF 1.8, laid out as LTTng 2.8 and later lay out a kernel channel: one stream
 * file a CPU, packets with the channel's header and context, and the large event header (a 16-bit class, a
 * 32-bit time).
 *
 * Classes of events are a table; the metadata and the bytes of an event are both made from it, so that they
 * cannot differ.  A packet spans less than 2^32 ns, so that the low half of a time is always enough: a stream
 * that was silent for longer begins a new packet.
 *
 * Memory: one packet a stream, whatever the length of the trace.
 */
#ifndef TRACES_CTF_WRITER_H
#define TRACES_CTF_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum ctf_field_kind {
	CTF_NO_FIELD, /* ends a list of fields */
	CTF_COMM,     /* 16 characters, filled up with zeros */
	CTF_STRING,
	CTF_UINT16,
	CTF_INT32,
	CTF_UINT32,
	CTF_INT64,
	CTF_UINT64,
	CTF_INT32_LIST, /* a sequence of one number, with its length before it */
};

enum { CTF_COMM_SIZE = 16, CTF_FIELDS_MAX = 13, CTF_STRING_SIZE_MAX = 64 };

struct ctf_event_class {
	const char *name;
	struct ctf_field {
		enum ctf_field_kind kind;
		const char *name;
	} fields[CTF_FIELDS_MAX + 1];
};

union ctf_value {
	int64_t number;
	const char *text; /* CTF_COMM: all 16 characters; CTF_STRING: shorter than CTF_STRING_SIZE_MAX */
};

struct ctf_stream {
	const struct ctf_event_class *classes;
	const uint8_t *uuid; /* of the trace */
	uint32_t cpu;
	int file;
	int failure; /* errno of the first write that failed: what comes after it is dropped */
	uint8_t *packet;
	size_t size;                                    /* bytes of it that are filled; 0: no packet has begun */
	uint64_t begin, end;                            /* of the packet */
	uint64_t packet_count, event_count, byte_count; /* of the file; bytes as of the last whole packet */
};

/* What the metadata says apart from the classes. */
struct ctf_trace {
	const struct ctf_event_class *classes;
	size_t class_count;
	const char *host; /* without quotes or backslashes */
	uint8_t uuid[16];
	int64_t clock_offset; /* ns from the epoch to the zero of the streams' times */
};

/* Each returns 0 or an errno.  A stream that was opened is closed, whatever happened in between. */
int ctf_metadata_write(const struct ctf_trace *trace, const char *folder);
int ctf_stream_open(struct ctf_stream *stream, const struct ctf_trace *trace, const char *folder, uint32_t cpu);
int ctf_stream_close(struct ctf_stream *stream);

/* One value a field of the class; times of a stream never go back. */
void ctf_stream_event(struct ctf_stream *stream, uint64_t time, unsigned class, const union ctf_value *values);

#endif
