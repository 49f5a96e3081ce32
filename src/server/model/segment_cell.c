// SPDX-License-Identifier: MIT
#include "server/model/segment_cell.h"

#include <inttypes.h>

#include "base/number_text.h"
#include "base/time_text.h"

void segment_put_value(struct piece *piece, const struct histree_value *value)
{
	char text[NUMBER_TEXT_SIZE];
	switch (value->type) {
	case HISTREE_INT:
		piece_put(piece, text, number_format_signed(value->int32, text));
		break;
	case HISTREE_LONG:
		piece_put(piece, text, number_format_signed(value->int64, text));
		break;
	case HISTREE_DOUBLE:
		piece_put(piece, text, number_format_real(value->real, text));
		break;
	case HISTREE_BOOL:
		piece_put_text(piece, value->boolean ? "true" : "false");
		break;
	case HISTREE_STRING:
		piece_put(piece, value->bytes, value->size);
		break;
	case HISTREE_NULL:
	case HISTREE_UNKNOWN:
	case HISTREE_CUSTOM:
		break;
	}
}

static void put_clock(struct piece *piece, histree_time time)
{
	char text[TIME_TEXT_SIZE];
	piece_put(piece, text, time_format_clock(time, text));
}

const char *segment_line_cell(void *context, unsigned column)
{
	struct segment_line *line = context;
	const struct histree_segment *segment = &line->segment;
	struct piece *text = &line->text;
	text->size = 0;
	if (column == SEGMENT_START)
		put_clock(text, segment->start);
	else if (column == SEGMENT_END)
		put_clock(text, segment->end);
	else if (column == SEGMENT_DURATION)
		piece_format(text, "%" PRIu64, histree_segment_duration(segment));
	else if (column < segment_time_column(line->schema))
		segment_put_value(text, &segment->content[column - SEGMENT_FIELDS]);
	else
		piece_format(text, "%" PRId64, segment->start);
	piece_put_char(text, '\0');
	return text->failed ? "" : text->bytes;
}
