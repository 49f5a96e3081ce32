// SPDX-License-Identifier: MIT
#include "server/event_match.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
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

static bool is_bounded(const char *expression)
{
	for (const char *at = expression; *at != '\0'; at++)
		if (*at == '{' || (*at == '\\' && at[1] >= '0' && at[1] <= '9'))
			return false;
	return strlen(expression) <= EVENT_EXPRESSION_MAX;
}

enum histree_status event_match_add(struct event_match *match, enum event_column column, const char *expression,
				    struct histree_error *error)
{
	if (!is_bounded(expression))
		return error_set(error, HISTREE_ERR_ARGUMENT,
				 "an expression has up to %d bytes, and neither counts nor back references",
				 EVENT_EXPRESSION_MAX);
	int result = regcomp(&match->expressions[column], expression, REG_EXTENDED | REG_NOSUB);
	if (result != 0) {
		char reason[128];
		regerror(result, &match->expressions[column], reason, sizeof(reason));
		return error_set(error, HISTREE_ERR_ARGUMENT, "'%s' is no regular expression: %s", expression,
				 reason);
	}
	match->has[column] = true;
	return HISTREE_OK;
}

bool event_match_line(const struct event_match *match, const struct event_line *line)
{
	char room[EVENT_CELL_SIZE];
	bool found = !match->any;
	for (unsigned i = 0; i < EVENT_COLUMNS; i++) {
		if (!match->has[i])
			continue;
		const char *cell = event_line_cell(line, (enum event_column)i, room);
		found = regexec(&match->expressions[i], cell, 0, NULL, 0) == 0;
		if (found == match->any)
			return found;
	}
	return found;
}

void event_match_release(struct event_match *match)
{
	for (unsigned i = 0; i < EVENT_COLUMNS; i++)
		if (match->has[i])
			regfree(&match->expressions[i]);
	*match = (struct event_match){ 0 };
}
