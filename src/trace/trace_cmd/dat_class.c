// SPDX-License-Identifier: MIT
/*
 * dat_class.c - the classes of events in a trace.dat: "SYSTEM:NAME", with the fields of its description.
 */
#include "trace/trace_cmd/dat_class.h"

#include <stdalign.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

bool dat_classes_init(struct dat_classes *classes)
{
	classes->of = calloc(DAT_CLASSES_MAX, sizeof(struct dat_class *));
	return classes->of != NULL;
}

void dat_classes_release(struct dat_classes *classes)
{
	free((void *)classes->of);
	classes->of = NULL;
}

/* Returns NULL when memory is out. */
static struct dat_class *make_class(const struct tracepoint *tracepoint, struct dat_file *file,
				    const struct event_trace *trace, uint32_t id)
{
	struct arena *memory = &file->memory;
	const uint32_t field_count = tracepoint->field_count + (file->processes.count > 0 ? 1 : 0);
	char name[256];
	int size = snprintf(name, sizeof(name), "%s:%s", tracepoint->system, tracepoint->name);
	const char *copy = arena_copy(memory, name, size < (int)sizeof(name) ? (size_t)size : sizeof(name) - 1);
	struct dat_class *class = arena_allocate(memory, sizeof(*class), alignof(struct dat_class));
	const char **fields =
		arena_allocate(memory, (tracepoint->field_count + 1) * sizeof(char *), alignof(char *));
	if (copy == NULL || class == NULL || fields == NULL)
		return NULL;
	const struct tracepoint_field *pid = NULL;
	fields[tracepoint->field_count] = "common_tgid";
	for (uint32_t i = 0; i < tracepoint->field_count; i++) {
		fields[i] = tracepoint->fields[i].name;
		if (strcmp(fields[i], "common_pid") == 0)
			pid = &tracepoint->fields[i];
	}
	*class = (struct dat_class){
		.class = { .trace = trace,
			   .id = id,
			   .name = copy,
			   .field_count = field_count,
			   .fields = fields,
			   .payload_count = field_count },
		.tracepoint = tracepoint,
		.processes = &file->processes,
		.pid = pid,
	};
	return class;
}

enum histree_status dat_classes_find(struct dat_classes *classes, struct dat_file *file, uint16_t number,
				     const struct event_trace *trace, uint32_t *class_count,
				     const struct dat_class **out, struct histree_error *error)
{
	struct dat_class **class = &classes->of[number];
	if (*class == NULL) {
		const struct tracepoint *tracepoint = id_map_find(&file->tracepoints, number);
		if (tracepoint != NULL) {
			*class = make_class(tracepoint, file, trace, *class_count);
			if (*class == NULL)
				return error_memory(error, "the classes of events");
			++*class_count;
		}
	}
	*out = *class;
	return HISTREE_OK;
}

/* Of which process the thread is in which the event happened. */
static bool process_of(const struct dat_class *class, struct tracepoint_bytes bytes, int64_t *out)
{
	int64_t tid;
	if (class->pid == NULL || !tracepoint_field_int(class->pid, bytes, &tid))
		return false;
	*out = (int64_t)(uintptr_t)id_map_find(class->processes, (uint64_t)tid);
	return *out > 0;
}

bool dat_event_int(const struct event *event, uint32_t field, int64_t *out)
{
	const struct dat_class *class = (const struct dat_class *)event->class;
	const struct tracepoint_bytes *bytes = event->handle;
	if (field >= class->class.field_count)
		return false;
	return field < class->tracepoint->field_count
		       ? tracepoint_field_int(&class->tracepoint->fields[field], *bytes, out)
		       : process_of(class, *bytes, out);
}

bool dat_event_string(const struct event *event, uint32_t field, const char **text, size_t *size)
{
	const struct dat_class *class = (const struct dat_class *)event->class;
	const struct tracepoint_bytes *bytes = event->handle;
	return field < class->tracepoint->field_count &&
	       tracepoint_field_text(&class->tracepoint->fields[field], *bytes, text, size);
}
