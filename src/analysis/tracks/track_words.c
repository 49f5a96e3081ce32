// SPDX-License-Identifier: MIT
#include "analysis/tracks/track_words.h"

#include <string.h>

struct track_binding {
	enum track_class class;
	uint32_t fields[TRACK_FIELD_COUNT];
};

bool track_words_apply(const struct event_trace *trace)
{
	return strcmp(trace->domain, TRACK_DOMAIN) == 0;
}

static const struct track_binding *binding_of(struct class_table *bindings, const struct event_class *class)
{
	const struct track_binding *known = class_table_find(bindings, class);
	struct track_binding binding = { .class = TRACK_CLASS_COUNT };
	if (known != NULL)
		return known;
	for (int i = 0; track_words_apply(class->trace) && i < TRACK_CLASS_COUNT; i++)
		if (strcmp(class->name, track_class_names[i]) == 0)
			binding.class = (enum track_class)i;
	for (int i = 0; i < TRACK_FIELD_COUNT; i++)
		binding.fields[i] = event_class_field(class, track_field_names[i]);
	return class_table_add(bindings, class, &binding, sizeof(binding));
}

static struct track_text text_of(const struct event *event, uint32_t field)
{
	struct track_text text;
	return event_string(event, field, &text.bytes, &text.size) ? text : (struct track_text){ 0 };
}

bool track_words_read(struct class_table *bindings, const struct event *event, struct track_words *out)
{
	const struct track_binding *binding = binding_of(bindings, event->class);
	*out = (struct track_words){ .class = TRACK_CLASS_COUNT, .time = event->time, .event = event };
	if (binding == NULL)
		return false;
	out->class = binding->class;
	if (out->class == TRACK_CLASS_COUNT)
		return true;
	const uint32_t *fields = binding->fields;
	out->has_pid = event_int(event, fields[TRACK_PID], &out->pid);
	out->has_tid = event_int(event, fields[TRACK_TID], &out->tid);
	out->has_duration = event_int(event, fields[TRACK_DURATION], &out->duration);
	out->has_thread_duration = event_int(event, fields[TRACK_THREAD_DURATION], &out->thread_duration);
	out->has_sort_index =
		out->class >= TRACK_PROCESS_NAME && event_int(event, fields[TRACK_SORT_INDEX], &out->sort_index);
	out->name = text_of(event, fields[TRACK_NAME]);
	out->category = text_of(event, fields[TRACK_CATEGORY]);
	out->track = text_of(event, fields[TRACK_TRACK]);
	out->id = text_of(event, fields[TRACK_ID]);
	out->series = text_of(event, fields[TRACK_SERIES]);
	out->args = fields[TRACK_ARGS];
	out->value = fields[TRACK_VALUE];
	return true;
}
