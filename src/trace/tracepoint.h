/* SPDX-License-Identifier: MIT */
/*
 * tracepoint.h - the layout of the events of a tracepoint, according to the kernel's description: the text of
 * /sys/kernel/tracing/events/SYSTEM/NAME/format, which perf and trace-cmd copy into their files.
 *
 * Offsets and sizes are those of the description; they are compared with the size of each event.  Only tracepoint.c
 * calls libtraceevent.
 *
 * The tools copy from the tracing folder the layout of pages, and the descriptions of tracepoints, system by
 * system.  In perf.data it is a section of tracing data, in a trace.dat of version 6 its beginning, and in one of
 * version 7 its parts are sections of their own (trace-cmd.dat.v6(5), trace-cmd.dat.v7(5)).
 *
 * A cursor reads the header of a file: numbers in its byte order, texts, blocks.
 *
 * The bytes are in memory, or come from a file as they are taken; either way each size is compared with what is
 * left before it is used.  After the first failure nothing more is read.
 */
#ifndef TRACE_TRACEPOINT_H
#define TRACE_TRACEPOINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/hash_index.h"
#include "histree/status.h"
#include "trace/trace_bytes.h"

/* tracepoint.h - numbers in memory, in the byte order of the writer of a file. */
#ifndef TRACE_ORDERED_BYTES_H
#define TRACE_ORDERED_BYTES_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

static inline uint16_t ordered_u16(const uint8_t *at, bool is_big)
{
	unsigned number = is_big ? at[0] << 8 | at[1] : at[1] << 8 | at[0];
	return (uint16_t)number;
}

static inline uint32_t ordered_u32(const uint8_t *at, bool is_big)
{
	uint32_t number;
	memcpy(&number, at, sizeof(number));
	return is_big == (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__) ? number : __builtin_bswap32(number);
}

static inline uint64_t ordered_u64(const uint8_t *at, bool is_big)
{
	uint64_t number;
	memcpy(&number, at, sizeof(number));
	return is_big == (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__) ? number : __builtin_bswap64(number);
}

#endif

struct trace_cursor {
	struct trace_window *window; /* of the file; NULL: the bytes are in memory */
	const uint8_t *bytes;
	uint64_t at, end; /* in the file, or in memory */
	bool is_big;
	enum histree_status status; /* HISTREE_END: it ended early; or why the file could not be read */
	struct histree_error *error;
};

/* Returns the next `size` bytes, which are valid until the next are taken; NULL: see the status. */
const uint8_t *trace_cursor_take(struct trace_cursor *cursor, uint64_t size);

/* Step over `size` bytes, without reading them. */
bool trace_cursor_skip(struct trace_cursor *cursor, uint64_t size);
bool trace_cursor_u16(struct trace_cursor *cursor, uint16_t *out);
bool trace_cursor_u32(struct trace_cursor *cursor, uint32_t *out);
bool trace_cursor_u64(struct trace_cursor *cursor, uint64_t *out);

/* Returns a text that ends with a zero, and is of less than 4 KiB; valid as bytes are. */
const char *trace_cursor_text(struct trace_cursor *cursor);
bool trace_cursor_skip_block(struct trace_cursor *cursor);

enum tracepoint_field_kind {
	TRACEPOINT_OTHER,   /* an array of numbers, or larger than a number */
	TRACEPOINT_INTEGER, /* of 1, 2, 4 or 8 bytes */
	TRACEPOINT_TEXT,    /* at most `size` bytes, up to the first zero; of size 0: to the end of the event */
	TRACEPOINT_DISTANT_TEXT,  /* 32 bits that say where in the event it is: the lower half; and how long */
	TRACEPOINT_RELATIVE_TEXT, /* the same, from the end of the field on */
	TRACEPOINT_ADDRESS        /* of a host, 4 or 16 bytes; as text */
};

struct tracepoint_field {
	const char *name;
	enum tracepoint_field_kind kind;
	bool is_signed;
	uint32_t offset, size;
};

/* The bytes of an event. */
struct tracepoint_bytes {
	const uint8_t *bytes;
	size_t size;
	bool is_big;
};

/* As the functions of struct event_trace: false where the field is not in the event, or of another kind. */
bool tracepoint_field_int(const struct tracepoint_field *field, struct tracepoint_bytes event, int64_t *out);
bool tracepoint_field_text(const struct tracepoint_field *field, struct tracepoint_bytes event, const char **text,
			   size_t *size);

struct tracepoint {
	const char *system, *name;
	uint32_t id;
	uint32_t field_count;
	const struct tracepoint_field *fields; /* in the order of the description, the common ones first */
};

struct tracepoint_parser;

/* For events in this byte order.  Returns NULL when memory runs out. */
struct tracepoint_parser *tracepoint_parser_create(bool is_big);
void tracepoint_parser_free(struct tracepoint_parser *parser);

struct tracing_head {
	char version[8];
	bool is_big;
	uint8_t long_size; /* of programs */
	uint32_t page_size;
};

/* How a page of the kernel's buffers begins: a time of 64 bits, a long word, and then events. */
struct tracing_page {
	uint32_t long_size; /* of the kernel; 0: it does not say */
	uint32_t begin;     /* of events */
};

/* Where descriptions go. */
struct tracing_points {
	struct id_map *by_id; /* const struct tracepoint *; the first of an id is kept */
	struct arena *memory;
	struct tracepoint_parser *parser;
	/* The bit that sched_switch prints as "Z": 16 before Linux 4.14, 32 since; 0: no description says. */
	unsigned *zombie_bit;
};

/* Returns whether bits of states of tasks are those of Linux 4.14 and later, as far as is known. */
bool tracepoint_has_new_task_states(unsigned zombie_bit, const char *release);

/*
 * Each reads on from the cursor and sets its byte order where that is said.  They return false, and HISTREE_END, if
 * the bytes end early or are of something else.
 */
bool tracing_head_read(struct trace_cursor *cursor, struct tracing_head *out);
bool tracing_page_read(struct trace_cursor *cursor, struct tracing_page *out);

/* Those of events that the tracer of functions writes itself, of the system "ftrace"; NULL: step over them. */
enum histree_status tracing_ftrace_read(struct trace_cursor *cursor, const struct tracing_points *points,
					struct histree_error *error);
enum histree_status tracing_systems_read(struct trace_cursor *cursor, const struct tracing_points *points,
					 struct histree_error *error);

#endif
