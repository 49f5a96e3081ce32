/* SPDX-License-Identifier: MIT */
/*
 * event_match.h - an event as a line of a table, and whether it is looked for.
 */
#ifndef SERVER_MODEL_EVENT_MATCH_H
#define SERVER_MODEL_EVENT_MATCH_H

#include "histree/events.h"
#include "server/model/cell_match.h"

/* The last one only where there are several hosts. */
enum event_column { EVENT_CLOCK, EVENT_CPU, EVENT_TYPE, EVENT_CONTENTS, EVENT_TIME, EVENT_HOST, EVENT_COLUMNS };

enum { EVENT_CELL_SIZE = 48 };

struct event_line {
	uint64_t number;
	histree_time time;
	int32_t cpu;
	const char *type, *contents;
	const char *host; /* NULL: there is but one */
};

/* Returns a cell as text; `room` is where short ones are made. */
const char *event_line_cell(const struct event_line *line, enum event_column column, char room[EVENT_CELL_SIZE]);

/* Returns whether a line matches; the columns of the expressions are those of an event. */
bool event_match_line(const struct cell_match *match, const struct event_line *line);

#endif
