/* SPDX-License-Identifier: MIT */
/*
 * line_json.h - a text of ftrace that is a member of a trace in JSON: "systemTraceEvents", as Chrome and Catapult
 * write it.  The bytes of its string, unescaped.
 */
#ifndef TRACE_LINES_LINE_JSON_H
#define TRACE_LINES_LINE_JSON_H

#include <stdbool.h>
#include <stddef.h>

struct line_json;

/* Returns NULL if memory is out. */
struct line_json *line_json_create(void);

/* Room for what comes next of the file; bytes that were put there are told by line_json_put(). */
char *line_json_room(struct line_json *json, size_t *size);
void line_json_put(struct line_json *json, size_t size);

/* Get what is known of the text; 0 bytes: more of the file is needed, unless the text has ended. */
size_t line_json_get(struct line_json *json, char *room, size_t room_size);
bool line_json_has_ended(const struct line_json *json);

/* NULL is none. */
void line_json_free(struct line_json *json);

#endif
