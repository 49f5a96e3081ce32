/* SPDX-License-Identifier: MIT */
/*
 * segment_cell.h - a segment as a line of a table: start, end, duration, the fields, and the start as a number.
 */
#ifndef SERVER_MODEL_SEGMENT_CELL_H
#define SERVER_MODEL_SEGMENT_CELL_H

#include "histree/segment.h"
#include "server/text/piece.h"

enum { SEGMENT_START, SEGMENT_END, SEGMENT_DURATION, SEGMENT_FIELDS };

/* The column by which viewers know the time of a line; it stands last. */
static inline unsigned segment_time_column(const struct histree_segment_schema *schema)
{
	return SEGMENT_FIELDS + (unsigned)schema->field_count;
}

struct segment_line {
	const struct histree_segment_schema *schema;
	struct histree_segment segment;
	struct piece text; /* of the cell that was asked for last; release it */
};

/* A cell_text: it writes times of the day and nanoseconds; null is empty. */
const char *segment_line_cell(void *line, unsigned column);

/* Adds a value as plain text. */
void segment_put_value(struct piece *piece, const struct histree_value *value);

#endif
