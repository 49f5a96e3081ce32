// SPDX-License-Identifier: MIT
#include "event/event.h"

#include <string.h>

static uint32_t find(const struct event_class *class, uint32_t from, const char *name)
{
	for (uint32_t field = from; field < class->field_count; field++)
		if (strcmp(class->fields[field], name) == 0)
			return field;
	return EVENT_NO_FIELD;
}

uint32_t event_class_field(const struct event_class *class, const char *name)
{
	return find(class, 0, name);
}

uint32_t event_class_context_field(const struct event_class *class, const char *name)
{
	return find(class, class->payload_count, name);
}
