// SPDX-License-Identifier: MIT
/*
 * ctf2_json.c - values in a fragment of CTF 2 metadata, each with its path, and checks of their types.
 */
#include "trace/ctf/ctf2_json.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/json_text.h"

enum {
	JSON_MEMORY_MAX = 96 << 20, /* that the values of one fragment may take */
	PLACE_SIZE = 240,
	LONG_DIGITS = 19, /* a number with as many may not fit in 63 bits */
	LONG_MARK = 1,    /* begins the string that stands for such a number */
	ALIGNMENT_MAX = 1 << 20,
};

/* ---- faults ---------------------------------------------------------------------------------------------- */

void ctf2_place(const struct ctf2_value *value, char *out, size_t size)
{
	char path[PLACE_SIZE], step[PLACE_SIZE];
	size_t used = 0;
	path[0] = '\0';
	for (const struct ctf2_value *at = value; at->outer != NULL; at = at->outer) {
		bool is_first = at->outer->outer == NULL;
		if (at->key == NULL)
			snprintf(step, sizeof(step), "[%zu]", at->index);
		else
			snprintf(step, sizeof(step), "%s%.100s", is_first ? "" : ".", at->key);
		size_t length = strlen(step);
		if (used + length + sizeof("...") > sizeof(path)) {
			memmove(path + 3, path, used + 1);
			memcpy(path, "...", 3);
			break;
		}
		memmove(path + length, path, used + 1);
		memcpy(path, step, length);
		used += length;
	}
	snprintf(out, size, "fragment %zu of the metadata%s%s", value->reader->fragment,
		 path[0] == '\0' ? "" : ", ", path);
}

bool ctf2_fail(const struct ctf2_value *value, const char *format, ...)
{
	char place[PLACE_SIZE + 80], text[256];
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	ctf2_place(value, place, sizeof(place));
	error_set(value->reader->error, HISTREE_ERR_TRACE, "%s: %s", place, text);
	return false;
}

void *ctf2_allocate(const struct ctf2_value *value, size_t count, size_t size)
{
	return ctf_schema_allocate(value->reader->schema, count, size, value->reader->error);
}

/* ---- texts of JSON --------------------------------------------------------------------------------------- */

/* Returns how many bytes of a number begin here, and whether it is an integer that may not fit 63 bits. */
static size_t number_size(const char *at, const char *end, bool *is_long)
{
	const char *from = at, *digits;
	if (at < end && *at == '-')
		at++;
	digits = at;
	while (at < end && isdigit((unsigned char)*at))
		at++;
	bool is_integer = at == end || (*at != '.' && *at != 'e' && *at != 'E');
	*is_long = is_integer && at - digits >= LONG_DIGITS && *digits != '0';
	while (at < end && (isalnum((unsigned char)*at) || *at == '.' || *at == '+' || *at == '-'))
		at++;
	return (size_t)(at - from);
}

static const char *string_end(const char *at, const char *end)
{
	for (at++; at < end && *at != '"'; at++)
		if (*at == '\\' && at + 1 < end)
			at++;
	return at < end ? at + 1 : end;
}

/*
 * Copy a text and make strings of its long integers.  With `out` NULL nothing is written.  Returns the size of the
 * copy; *has_long says whether it differs.
 */
static size_t widen(const char *text, size_t size, char *out, bool *has_long)
{
	static const char before[] = "\"\\u0001";
	const char *at = text, *end = text + size;
	size_t used = 0;
	while (at < end) {
		bool is_long = false;
		size_t step = 1;
		if (*at == '"')
			step = (size_t)(string_end(at, end) - at);
		else if (*at == '-' || isdigit((unsigned char)*at))
			step = number_size(at, end, &is_long);
		if (step == 0)
			step = 1;
		*has_long |= is_long;
		if (is_long) {
			if (out != NULL)
				memcpy(out + used, before, sizeof(before) - 1);
			used += sizeof(before) - 1;
		}
		if (out != NULL)
			memcpy(out + used, at, step);
		used += step;
		if (is_long) {
			if (out != NULL)
				out[used] = '"';
			used++;
		}
		at += step;
	}
	return used;
}

json_t *ctf2_json(struct ctf2_reader *reader, const char *text, size_t size)
{
	struct ctf2_value all = { .reader = reader };
	if (json_weight(text, size) > JSON_MEMORY_MAX) {
		ctf2_fail(&all, "it takes more than %d MiB of memory", JSON_MEMORY_MAX >> 20);
		return NULL;
	}
	bool has_long = false;
	char *wide = NULL;
	size_t wide_size = widen(text, size, NULL, &has_long);
	if (has_long && (wide = malloc(wide_size)) == NULL) {
		error_memory(reader->error, "the metadata");
		return NULL;
	}
	if (has_long)
		widen(text, size, wide, &has_long);
	json_error_t fault;
	json_t *json =
		json_loadb(has_long ? wide : text, has_long ? wide_size : size, JSON_REJECT_DUPLICATES, &fault);
	free(wide);
	if (json == NULL)
		ctf2_fail(&all, "line %d, column %d: %s", fault.line, fault.column, fault.text);
	return json;
}

/* ---- values ---------------------------------------------------------------------------------------------- */

struct ctf2_value ctf2_member(const struct ctf2_value *object, const char *key)
{
	return (struct ctf2_value){
		.json = json_object_get(object->json, key), .outer = object, .key = key, .reader = object->reader
	};
}

struct ctf2_value ctf2_element(const struct ctf2_value *array, size_t index)
{
	return (struct ctf2_value){
		.json = json_array_get(array->json, index), .outer = array, .index = index, .reader = array->reader
	};
}

static const char *name_of_type(json_type type)
{
	switch (type) {
	case JSON_OBJECT:
		return "an object";
	case JSON_ARRAY:
		return "an array";
	case JSON_STRING:
		return "a string";
	case JSON_INTEGER:
		return "an integer";
	case JSON_REAL:
	case JSON_TRUE:
	case JSON_FALSE:
	case JSON_NULL:
		break;
	}
	return "that";
}

bool ctf2_get(const struct ctf2_value *object, const char *key, json_type type, bool is_required,
	      struct ctf2_value *out)
{
	*out = ctf2_member(object, key);
	if (out->json == NULL)
		return !is_required || ctf2_fail(object, "'%s' is missing", key);
	return json_typeof(out->json) == type || ctf2_fail(out, "%s is expected", name_of_type(type));
}

bool ctf2_get_text(const struct ctf2_value *object, const char *key, bool is_required, const char **out)
{
	struct ctf2_value value;
	*out = NULL;
	if (!ctf2_get(object, key, JSON_STRING, is_required, &value))
		return false;
	if (value.json == NULL)
		return true;
	size_t size = json_string_length(value.json) + 1;
	char *copy = ctf2_allocate(object, size, 1);
	if (copy != NULL)
		memcpy(copy, json_string_value(value.json), size);
	*out = copy;
	return copy != NULL;
}

/* A number of more digits than jansson takes: they are behind the mark. */
static bool long_number(const json_t *json, ctf_wide *out)
{
	char *end;
	const char *text = json_string_value(json) + 1;
	bool is_negative = *text == '-';
	errno = 0;
	unsigned long long number = strtoull(text + is_negative, &end, 10);
	*out = is_negative ? -(ctf_wide)number : (ctf_wide)number;
	return errno == 0 && *end == '\0';
}

bool ctf2_number(const struct ctf2_value *value, ctf_wide low, ctf_wide high, ctf_wide *out)
{
	bool is_long = json_is_string(value->json) && json_string_value(value->json)[0] == LONG_MARK, fits = true;
	ctf_wide number = 0;
	if (is_long)
		fits = long_number(value->json, &number);
	else if (json_is_integer(value->json))
		number = json_integer_value(value->json);
	else
		return ctf2_fail(value, "an integer is expected");
	*out = number;
	if (fits && number >= low && number <= high)
		return true;
	if (!fits || high > INT64_MAX)
		return ctf2_fail(value, "the integer is out of range");
	return ctf2_fail(value, "an integer from %lld to %lld is expected", (long long)low, (long long)high);
}

bool ctf2_get_number(const struct ctf2_value *object, const char *key, bool is_required, ctf_wide low,
		     ctf_wide high, ctf_wide *out)
{
	struct ctf2_value value = ctf2_member(object, key);
	if (value.json == NULL)
		return !is_required || ctf2_fail(object, "'%s' is missing", key);
	return ctf2_number(&value, low, high, out);
}

bool ctf2_get_word(const struct ctf2_value *object, const char *key, bool is_required, const char *const *words,
		   size_t count, size_t *out)
{
	struct ctf2_value value;
	if (!ctf2_get(object, key, JSON_STRING, is_required, &value))
		return false;
	if (value.json == NULL)
		return true;
	for (size_t i = 0; i < count; i++)
		if (strcmp(json_string_value(value.json), words[i]) == 0) {
			*out = i;
			return true;
		}
	return ctf2_fail(&value, "\"%.60s\" is not known here", json_string_value(value.json));
}

bool ctf2_get_alignment(const struct ctf2_value *object, const char *key, uint32_t *out)
{
	ctf_wide number = 1;
	if (!ctf2_get_number(object, key, false, 1, ALIGNMENT_MAX, &number))
		return false;
	*out = (uint32_t)number;
	struct ctf2_value value = ctf2_member(object, key);
	return (*out & (*out - 1)) == 0 || ctf2_fail(&value, "%u is not a power of two", *out);
}

bool ctf2_check_extensions(const struct ctf2_value *object)
{
	struct ctf2_value extensions;
	const char *space, *name;
	json_t *of_space, *ignored;
	bool is_preamble = !object->reader->has_preamble;
	if (!ctf2_get(object, "extensions", JSON_OBJECT, false, &extensions) || extensions.json == NULL)
		return extensions.json == NULL;
	json_object_foreach(extensions.json, space, of_space)
	{
		struct ctf2_value value = ctf2_member(&extensions, space);
		if (!json_is_object(of_space))
			return ctf2_fail(&value, "an object is expected");
		json_object_foreach(of_space, name, ignored) return ctf2_fail(
			&value,
			is_preamble ? "the trace needs the extension \"%.60s\", which histree does not have"
				    : "the extension \"%.60s\" is not declared in the preamble",
			name);
	}
	return true;
}
