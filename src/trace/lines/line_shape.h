/* SPDX-License-Identifier: MIT */
/*
 * line_shape.h - how events of the kernel are printed, and what their fields are called: a table of facts, and the
 * matching of a text with one.
 *
 * A shape is text with fields in braces, "comm={comm:text} pid={pid} prio={prio}", as the TP_printk() of the event
 * has it (include/trace/events/ of Linux), with the names and the values of its fields:
 *
 * 	{name}		a number, decimal or hexadecimal with 0x
 * 	{name:hex}	hexadecimal without 0x
 * 	{name:text}	text, up to where what follows fits, to the next text
 * 	{name:state}	the states of a task as letters, "S", "D|K", "R+"; as bits since Linux 4.14
 * 	{name:bits}	the same as libtraceevent writes it: a letter for each of the lowest eight bits
 * 	{name:device}	"254,0": the number of a device as the kernel counts inside, (major << 20) + minor
 * 	{:text}		text that is no field
 *
 * A space matches any number of spaces.  Text after the shape is ignored.
 */
#ifndef TRACE_LINES_LINE_SHAPE_H
#define TRACE_LINES_LINE_SHAPE_H

#include "base/arena.h"
#include "text/text_table.h"

enum { SHAPE_FIELDS_MAX = 16 };

enum shape_kind {
	SHAPE_END, /* only what stands before it */
	SHAPE_NUMBER,
	SHAPE_HEX,
	SHAPE_TEXT,
	SHAPE_STATE,
	SHAPE_BITS,
	SHAPE_DEVICE,
};

/* What stands before a field, and the field. */
struct shape_step {
	const char *before;
	size_t before_size;
	enum shape_kind kind;
	int column; /* -1: it is no field */
};

struct line_shape {
	struct shape_step steps[SHAPE_FIELDS_MAX + 1]; /* up to one whose kind is SHAPE_END */
	const char *fields[SHAPE_FIELDS_MAX];
	size_t sizes[SHAPE_FIELDS_MAX]; /* of their names */
	uint16_t field_count;
};

struct shape_row {
	const char *event; /* "sched:sched_switch" */
	const char *shape; /* in the words above */
};

/* Returns the first row of an event, with its subsystem or without; NULL: none.  Others of it follow. */
const struct shape_row *shape_row_find(const char *event, size_t size);

/* Returns the next row of the same event, NULL: none. */
const struct shape_row *shape_row_next(const struct shape_row *row);

/* Returns false if memory runs out. */
bool line_shape_make(struct line_shape *shape, const char *words, struct arena *memory);

/* Match a text with a shape; fill a cell for each field.  Returns false if it does not fit. */
bool line_shape_match(const struct line_shape *shape, char *text, size_t size, struct text_cell *cells);

#endif
