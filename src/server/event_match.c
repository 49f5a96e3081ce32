// SPDX-License-Identifier: MIT
#include "server/event_match.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

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
	case EVENT_COLUMNS:
		break;
	}
	return room;
}

enum histree_status event_match_add(struct event_match *match, enum event_column column, const char *expression,
				    struct histree_error *error)
{
	return pattern_create(expression, &match->patterns[column], error);
}

bool event_match_line(const struct event_match *match, const struct event_line *line)
{
	char room[EVENT_CELL_SIZE];
	bool found = !match->any;
	for (unsigned i = 0; i < EVENT_COLUMNS; i++) {
		if (match->patterns[i] == NULL)
			continue;
		const char *cell = event_line_cell(line, (enum event_column)i, room);
		found = pattern_find(match->patterns[i], cell, strlen(cell));
		if (found == match->any)
			return found;
	}
	return found;
}

void event_match_release(struct event_match *match)
{
	for (unsigned i = 0; i < EVENT_COLUMNS; i++)
		pattern_free(match->patterns[i]);
	*match = (struct event_match){ 0 };
}
