// SPDX-License-Identifier: MIT
#include "trace/trace_cmd/dat_class.h"

#include <stdalign.h>
#include <stdio.h>
#include <stdlib.h>

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
static struct dat_class *make_class(const struct tracepoint *tracepoint, struct arena *memory,
				    const struct event_trace *trace, uint32_t id)
{
	char name[256];
	int size = snprintf(name, sizeof(name), "%s:%s", tracepoint->system, tracepoint->name);
	const char *copy = arena_copy(memory, name, size < (int)sizeof(name) ? (size_t)size : sizeof(name) - 1);
	struct dat_class *class = arena_allocate(memory, sizeof(*class), alignof(struct dat_class));
	const char **fields =
		arena_allocate(memory, (tracepoint->field_count + 1) * sizeof(char *), alignof(char *));
	if (copy == NULL || class == NULL || fields == NULL)
		return NULL;
	for (uint32_t i = 0; i < tracepoint->field_count; i++)
		fields[i] = tracepoint->fields[i].name;
	*class = (struct dat_class){
		.class = { .trace = trace,
			   .id = id,
			   .name = copy,
			   .field_count = tracepoint->field_count,
			   .fields = fields,
			   .payload_count = tracepoint->field_count },
		.tracepoint = tracepoint,
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
			*class = make_class(tracepoint, &file->memory, trace, *class_count);
			if (*class == NULL)
				return error_memory(error, "the classes of events");
			++*class_count;
		}
	}
	*out = *class;
	return HISTREE_OK;
}

bool dat_event_int(const struct event *event, uint32_t field, int64_t *out)
{
	const struct dat_class *class = (const struct dat_class *)event->class;
	const struct tracepoint_bytes *bytes = event->handle;
	return field < class->class.field_count &&
	       tracepoint_field_int(&class->tracepoint->fields[field], *bytes, out);
}

bool dat_event_string(const struct event *event, uint32_t field, const char **text, size_t *size)
{
	const struct dat_class *class = (const struct dat_class *)event->class;
	const struct tracepoint_bytes *bytes = event->handle;
	return field < class->class.field_count &&
	       tracepoint_field_text(&class->tracepoint->fields[field], *bytes, text, size);
}
