/* SPDX-License-Identifier: MIT */
/*
 * tracepoint_field.h - a field of an event that the kernel wrote: where it is, and its value.
 *
 * Offsets and sizes are what a description says; they are compared with the size of each event.
 */
#ifndef TRACE_TRACEPOINT_FIELD_H
#define TRACE_TRACEPOINT_FIELD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum tracepoint_field_kind {
	TRACEPOINT_OTHER,   /* an array of numbers, or larger than a number */
	TRACEPOINT_INTEGER, /* of 1, 2, 4 or 8 bytes */
	TRACEPOINT_TEXT,    /* so many bytes at most, up to the first zero; of size 0: to the end of the event */
	TRACEPOINT_DISTANT_TEXT, /* 32 bits that say where in the event it is: the lower half; and how long */
	TRACEPOINT_RELATIVE_TEXT /* the same, from the end of the field on */
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

#endif
