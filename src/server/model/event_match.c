// SPDX-License-Identifier: MIT
#include "server/model/event_match.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/time_text.h"

const char *event_line_cell(const struct event_line *line, enum event_column column, char room[EVENT_CELL_SIZE])
{
	_Static_assert((int)EVENT_CELL_SIZE >= (int)TIME_TEXT_SIZE, "a time fits");
	room[0] = '\0';
	switch (column) {
	case EVENT_CLOCK:
		time_format_clock(line->time, room);
		break;
	case EVENT_CPU:
		if (line->cpu >= 0)
			snprintf(room, EVENT_CELL_SIZE, "%" PRId32, line->cpu);
		break;
	case EVENT_TYPE:
		return line->type;
	case EVENT_CONTENTS:
		return line->contents;
	case EVENT_TIME:
		snprintf(room, EVENT_CELL_SIZE, "%" PRId64, line->time);
		break;
	case EVENT_HOST:
		return line->host != NULL ? line->host : room;
	case EVENT_COLUMNS:
		break;
	}
	return room;
}

struct line_cells {
	const struct event_line *line;
	char room[EVENT_CELL_SIZE];
};

static const char *cell_of(void *context, unsigned column)
{
	struct line_cells *cells = context;
	return event_line_cell(cells->line, (enum event_column)column, cells->room);
}

bool event_match_line(const struct cell_match *match, const struct event_line *line)
{
	struct line_cells cells = { .line = line };
	return cell_match_line(match, cell_of, &cells);
}
