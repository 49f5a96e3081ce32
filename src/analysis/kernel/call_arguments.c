// SPDX-License-Identifier: MIT
#include "analysis/kernel/call_arguments.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/number_text.h"

struct argument {
	uint32_t field;
	uint32_t name_size;
	const char *name; /* the class's */
};

struct argument_list {
	size_t count;
	struct argument all[];
};

/* ---- which fields are arguments ---------------------------------------------------------------------- */

/* perf puts what it says of itself and of the call's number in front of the arguments. */
static bool is_argument(const struct event_class *class, uint32_t field)
{
	static const char *const others[] = { "perf_", "common_", "__syscall_nr" };
	const char *name = class->fields[field];
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (strncmp(name, others[i], strlen(others[i])) == 0)
			return false;
	return strncmp(class->name, "raw_syscalls:", strlen("raw_syscalls:")) != 0;
}

/* Returns NULL when memory is out. */
static const struct argument_list *make_list(struct class_table *lists, const struct event_class *class)
{
	size_t size = sizeof(struct argument_list) + class->payload_count * sizeof(struct argument);
	struct argument_list *list = malloc(size);
	if (list == NULL)
		return NULL;
	list->count = 0;
	for (uint32_t field = 0; field < class->payload_count; field++) {
		const char *name = class->fields[field];
		if (is_argument(class, field))
			list->all[list->count++] = (struct argument){ field, (uint32_t)strlen(name), name };
	}
	const struct argument_list *kept = class_table_add(lists, class, list, size);
	free(list);
	return kept;
}

/* ---- as text ----------------------------------------------------------------------------------------- */

static void append(struct call_text *text, const char *bytes, size_t size)
{
	memcpy(*text->bytes + text->size, bytes, size);
	text->size += size;
}

/* The comma after the argument before, the name, and room for a value of so many bytes.  False: no memory. */
static bool append_name(struct call_text *text, const struct argument *argument, size_t value_size)
{
	size_t needed = text->size + 2 + argument->name_size + 3 + value_size;
	if (!array_reserve(text->bytes, text->capacity, needed))
		return false;
	if (text->size > 0)
		append(text, ", ", 2);
	append(text, argument->name, argument->name_size);
	append(text, " = ", 3);
	return true;
}

static size_t format_address(uint64_t address, char *digits)
{
	size_t count = 2;
	unsigned shift = address == 0 ? 0 : (unsigned)(63 - __builtin_clzll(address)) & ~3U;
	memcpy(digits, "0x", 2);
	for (;; shift -= 4) {
		digits[count++] = "0123456789ABCDEF"[address >> shift & 15];
		if (shift == 0)
			return count;
	}
}

/* A number so large that it can only be an address is in hexadecimal. */
static bool append_number(struct call_text *text, const struct argument *argument, int64_t number)
{
	if (!append_name(text, argument, NUMBER_TEXT_SIZE))
		return false;
	bool is_address = number > UINT32_MAX || number < INT32_MIN;
	char *digits = *text->bytes + text->size;
	text->size += is_address ? format_address((uint64_t)number, digits) : number_format_signed(number, digits);
	return true;
}

static bool append_string(struct call_text *text, const struct argument *argument, const char *bytes, size_t size)
{
	if (!append_name(text, argument, size + 2))
		return false;
	append(text, "\"", 1);
	append(text, bytes, size);
	append(text, "\"", 1);
	return true;
}

/* A field of another kind, such as an array, is left out. */
static bool append_argument(struct call_text *text, const struct argument *argument, const struct event *event)
{
	const char *bytes;
	size_t size;
	int64_t number;
	if (event_int(event, argument->field, &number))
		return append_number(text, argument, number);
	if (event_string(event, argument->field, &bytes, &size))
		return append_string(text, argument, bytes, size);
	return true;
}

bool call_arguments_append(struct class_table *lists, const struct event *event, struct call_text *text)
{
	const struct argument_list *list = class_table_find(lists, event->class);
	if (list == NULL)
		list = make_list(lists, event->class);
	if (list == NULL)
		return false;
	for (size_t i = 0; i < list->count; i++)
		if (!append_argument(text, &list->all[i], event))
			return false;
	return true;
}
