// SPDX-License-Identifier: MIT
#include "event/event.h"

#include <string.h>

uint32_t event_class_field(const struct event_class *class, const char *name)
{
	for (uint32_t field = 0; field < class->field_count; field++)
		if (strcmp(class->fields[field], name) == 0)
			return field;
	return EVENT_NO_FIELD;
}
