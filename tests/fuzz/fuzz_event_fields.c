// SPDX-License-Identifier: MIT
/*
 * fuzz_event_fields.c - bytes from somewhere else as the fields of an event: whatever they are, reading ends, and
 * each field is what its kind says, with a text that ends.
 */
#include <stdlib.h>
#include <string.h>

#include "event_index/event_text.h"
#include "fuzz.h"

FUZZ_TARGET(bytes, size)
{
	struct event_fields fields = { 0 };
	char *json = malloc(size + 1);
	REQUIRE(json != NULL);
	if (size > 0)
		memcpy(json, bytes, size);
	json[size] = '\0';
	REQUIRE(event_fields_read(&fields, json));
	for (size_t i = 0; i < fields.count; i++) {
		const struct histree_event_field *field = &fields.fields[i];
		REQUIRE(strlen(field->name) <= size && field->text[field->size] == '\0');
		REQUIRE(field->kind == HISTREE_EVENT_TEXT || field->kind == HISTREE_EVENT_PARTS ||
			field->size == 0);
	}
	event_fields_release(&fields);
	free(json);
	return 0;
}
