/* SPDX-License-Identifier: MIT */
/*
 * event_match.h - which lines of events are looked for: regular expressions on cells.
 *
 * An expression comes from a client, so it is one whose cost has a bound (base/pattern.h).
 */
#ifndef SERVER_EVENT_MATCH_H
#define SERVER_EVENT_MATCH_H

#include "base/pattern.h"
#include "histree/events.h"

enum event_column { EVENT_CLOCK, EVENT_CPU, EVENT_TYPE, EVENT_CONTENTS, EVENT_TIME, EVENT_COLUMNS };

enum { EVENT_CELL_SIZE = 48 };

struct event_line {
	uint64_t number;
	histree_time time;
	int32_t cpu;
	const char *type, *contents;
};

/* A cell as text; `room` is where short ones are made. */
const char *event_line_cell(const struct event_line *line, enum event_column column, char room[EVENT_CELL_SIZE]);

/* A zeroed one matches all. */
struct event_match {
	struct pattern *patterns[EVENT_COLUMNS]; /* NULL: the column may hold anything */
	bool any;                                /* it is enough that one of them matches */
};

/* HISTREE_ERR_ARGUMENT: the expression cannot be used. */
enum histree_status event_match_add(struct event_match *match, enum event_column column, const char *expression,
				    struct histree_error *error);

bool event_match_line(const struct event_match *match, const struct event_line *line);

void event_match_release(struct event_match *match);

#endif
