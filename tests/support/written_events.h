/* SPDX-License-Identifier: MIT */
/*
 * written_events.h - events that are written by hand, for analyses.
 *
 *	struct written_events events;
 *	written_events_init(&events, "lttng-modules", 2, 8);
 *	struct event event = written_event(&events, 10, 0, "sched_waking", "tid=5 prio=20 target_cpu=1 | tid=7");
 */
#ifndef SUPPORT_WRITTEN_EVENTS_H
#define SUPPORT_WRITTEN_EVENTS_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "event/event.h"
#include "support/test.h"

enum { WRITTEN_CLASSES_MAX = 32, WRITTEN_FIELDS_MAX = 16, WRITTEN_TEXT_SIZE = 512 };

struct written_field {
	char name[32];
	bool is_number;
	int64_t number;
	char text[64];
};

struct written_class {
	struct event_class class;
	char name[64];
	const char *names[WRITTEN_FIELDS_MAX];
	char name_texts[WRITTEN_FIELDS_MAX][32];
};

struct written_events {
	struct event_trace trace;
	struct written_class classes[WRITTEN_CLASSES_MAX];
	uint32_t class_count;
	struct written_field fields[WRITTEN_FIELDS_MAX]; /* of the current event */
	uint32_t field_count, payload_count;
};

static inline bool written_get_int(const struct event *event, uint32_t field, int64_t *out)
{
	const struct written_events *events = event->handle;
	if (field >= events->field_count || !events->fields[field].is_number)
		return false;
	*out = events->fields[field].number;
	return true;
}

static inline bool written_get_string(const struct event *event, uint32_t field, const char **text, size_t *size)
{
	const struct written_events *events = event->handle;
	if (field >= events->field_count || events->fields[field].is_number)
		return false;
	*text = events->fields[field].text;
	*size = strlen(*text);
	return true;
}

static inline void written_events_init(struct written_events *events, const char *tracer, int major, int minor)
{
	*events = (struct written_events){ .class_count = 0 };
	events->trace = (struct event_trace){ .path = "",
					      .domain = strcmp(tracer, "lttng-ust") == 0 ? "ust" : "kernel",
					      .tracer_name = tracer,
					      .tracer_major = major,
					      .tracer_minor = minor,
					      .hostname = "",
					      .machine = "x86_64",
					      .get_int = written_get_int,
					      .get_string = written_get_string };
}

/*
 * "tid=5 comm=sh | vtid=7": what does not begin like a number is text; blanks cannot be said.  After the bar is the
 * context, before it the payload.
 */
static inline void written_fields(struct written_events *events, const char *fields)
{
	char copy[WRITTEN_TEXT_SIZE], *rest = NULL;
	snprintf(copy, sizeof(copy), "%s", fields);
	events->field_count = 0;
	events->payload_count = UINT32_MAX;
	for (char *word = strtok_r(copy, " ", &rest); word != NULL; word = strtok_r(NULL, " ", &rest)) {
		if (strcmp(word, "|") == 0) {
			events->payload_count = events->field_count;
			continue;
		}
		assert_true(events->field_count < WRITTEN_FIELDS_MAX);
		struct written_field *field = &events->fields[events->field_count++];
		char *value = strchr(word, '=');
		assert_non_null(value);
		*value++ = '\0';
		snprintf(field->name, sizeof(field->name), "%s", word);
		snprintf(field->text, sizeof(field->text), "%s", value);
		char *end;
		field->number = strtoll(value, &end, 0);
		field->is_number = end != value && *end == '\0';
	}
	if (events->payload_count > events->field_count)
		events->payload_count = events->field_count;
}

/* The class of a name has the fields of the first event of that name. */
static inline const struct event_class *written_class(struct written_events *events, const char *name)
{
	for (uint32_t id = 0; id < events->class_count; id++)
		if (strcmp(events->classes[id].name, name) == 0)
			return &events->classes[id].class;
	assert_true(events->class_count < WRITTEN_CLASSES_MAX);
	struct written_class *class = &events->classes[events->class_count];
	snprintf(class->name, sizeof(class->name), "%s", name);
	for (uint32_t field = 0; field < events->field_count; field++) {
		memcpy(class->name_texts[field], events->fields[field].name, sizeof(class->name_texts[field]));
		class->names[field] = class->name_texts[field];
	}
	class->class = (struct event_class){ .trace = &events->trace,
					     .id = events->class_count++,
					     .name = class->name,
					     .field_count = events->field_count,
					     .payload_count = events->payload_count,
					     .fields = class->names };
	return &class->class;
}

/* Valid until the next one. */
static inline struct event written_event(struct written_events *events, histree_time time, int32_t cpu,
					 const char *name, const char *fields)
{
	written_fields(events, fields);
	return (struct event){ .time = time, .cpu = cpu, .class = written_class(events, name), .handle = events };
}

#endif
