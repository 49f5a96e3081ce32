/* SPDX-License-Identifier: MIT */
/*
 * json_event.h - one event of a trace in the Trace Event Format, as it is written: an object with a phase.
 *
 * Of members with one name the last one counts.
 */
#ifndef TRACE_JSON_JSON_EVENT_H
#define TRACE_JSON_JSON_EVENT_H

#include "trace/json/json_number.h"
#include "trace/json/json_text.h"

/* The members that say something; each is absent if the event lacks it. */
enum json_event_member {
	MEMBER_NAME,
	MEMBER_CATEGORY,
	MEMBER_PHASE,
	MEMBER_TIME,
	MEMBER_DURATION,
	MEMBER_THREAD_DURATION,
	MEMBER_THREAD_TIME,
	MEMBER_PID,
	MEMBER_TID,
	MEMBER_ID,
	MEMBER_ID_SCOPE, /* tells ids from one another */
	MEMBER_ID_LOCAL, /* told from others within a process */
	MEMBER_ID_GLOBAL,
	MEMBER_INSTANT_SCOPE,
	MEMBER_BIND_ID,
	MEMBER_FLOW_IN,
	MEMBER_FLOW_OUT,
	MEMBER_STACK_FRAME,
	MEMBER_COUNT,
};

/* A zeroed one can be used again and again. */
struct json_event {
	struct json_word members[MEMBER_COUNT];
	struct packed_parts args;
	bool has_args;
};

/* Read an object, whose brace is next. */
enum json_result json_event_read(struct json_text *text, struct json_event *event);

/* A number, or a string that is one; a real that is an integer is one. */
bool json_word_int(const struct json_word *word, int64_t *out);

/* A count of microseconds, as a number or a string, in 10^-9 ns. */
bool json_word_time(const struct json_word *word, json_wide *out);

/* A number as a number or a string, or what programs write for one, such as nan. */
bool json_word_real(const struct json_word *word, double *out);

void json_event_release(struct json_event *event);

#endif
