// SPDX-License-Identifier: MIT
/*
 * event.c - fields of events by name and by path, whatever reader the event comes from.
 */
#include "event/event.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "histree/value.h"

/* ---- event --------------------------------------------------------------------------------------------------- */

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

/* ---- what is inside of fields ---------------------------------------------------------------------------- */

bool event_visit(const struct event *event, uint32_t field, event_visitor visitor, void *context)
{
	const struct event_trace *trace = event->class->trace;
	struct event_part part = { .kind = EVENT_NOTHING, .name = event->class->fields[field] };
	if (trace->visit != NULL)
		return trace->visit(event, field, visitor, context);
	if (trace->get_int(event, field, &part.integer))
		part.kind = EVENT_INT;
	else if (trace->get_string(event, field, &part.bytes, &part.size))
		part.kind = EVENT_TEXT;
	return visitor(context, &part);
}

uint64_t event_part_unsigned(const struct event_part *part)
{
	uint64_t number = (uint64_t)part->integer;
	bool is_cut = part->bits > 0 && part->bits < 64;
	return is_cut ? number & ((UINT64_C(1) << part->bits) - 1) : number;
}

void event_part_digits(const struct event_part *part, char text[EVENT_DIGITS_SIZE])
{
	uint64_t number = event_part_unsigned(part);
	if (part->base == 16) {
		snprintf(text, EVENT_DIGITS_SIZE, "0x%" PRIx64, number);
	} else if (part->base == 8) {
		snprintf(text, EVENT_DIGITS_SIZE, "%#" PRIo64, number);
	} else if (part->base == 2) {
		int bit = 63;
		while (bit > 0 && (number >> bit & 1) == 0)
			bit--;
		text += sprintf(text, "0b");
		for (; bit >= 0; bit--)
			*text++ = (char)('0' + (number >> bit & 1));
		*text = '\0';
	} else if (part->kind == EVENT_UNSIGNED) {
		snprintf(text, EVENT_DIGITS_SIZE, "%" PRIu64, (uint64_t)part->integer);
	} else {
		snprintf(text, EVENT_DIGITS_SIZE, "%" PRId64, part->integer);
	}
}

/* Where a path has come to: what is left of it names something at a depth. */
struct search {
	const char *path;
	uint32_t depth;
	struct event_part *out;
	bool found;
};

/* Returns what is behind the name of a part in a path, NULL if the path does not begin with it. */
static const char *behind(const char *path, const struct event_part *part)
{
	if (part->name == NULL) {
		char *end;
		if (*path != '[' || !isdigit((unsigned char)path[1]) ||
		    strtoull(path + 1, &end, 10) != part->index || *end != ']')
			return NULL;
		return end + 1;
	}
	size_t size = strlen(part->name);
	if (part->depth > 0 && *path++ != '.')
		return NULL;
	if (strncmp(path, part->name, size) != 0)
		return NULL;
	path += size;
	return *path == '\0' || *path == '.' || *path == '[' ? path : NULL;
}

static bool look(void *context, const struct event_part *part)
{
	struct search *search = context;
	if (part->depth < search->depth) /* the end of where it should have been */
		return false;
	const char *rest =
		part->depth > search->depth || part->kind == EVENT_END ? NULL : behind(search->path, part);
	if (rest == NULL)
		return true;
	if (*rest == '\0') {
		*search->out = *part;
		search->found =
			part->kind != EVENT_STRUCTURE && part->kind != EVENT_ARRAY && part->kind != EVENT_NOTHING;
		return false;
	}
	if (part->kind != EVENT_STRUCTURE && part->kind != EVENT_ARRAY)
		return false;
	search->path = rest;
	search->depth++;
	return true;
}

bool event_find(const struct event *event, const char *path, struct event_part *out)
{
	const struct event_class *class = event->class;
	for (uint32_t field = 0; field < class->field_count; field++) {
		const struct event_part part = { .name = class->fields[field] };
		struct search search = { .path = path, .out = out };
		if (behind(path, &part) == NULL)
			continue;
		event_visit(event, field, look, &search);
		if (search.found)
			return true;
	}
	return false;
}

bool event_name_is_system_call(const char *name, size_t size)
{
	static const char *const prefixes[] = { "syscall_", "exit_syscall",  "compat_sys",
						"sys_",     "raw_syscalls:", "syscalls:" };
	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++)
		if (size >= strlen(prefixes[i]) && memcmp(name, prefixes[i], strlen(prefixes[i])) == 0)
			return true;
	return false;
}
