// SPDX-License-Identifier: MIT
#include "server/http/target.h"

#include <stdlib.h>
#include <string.h>

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* Decode in place; a '+' of a query is a space (HTML forms).  False if it cannot be a text. */
static bool decode(char *text, bool is_query)
{
	char *to = text;
	for (const char *from = text; *from != '\0'; from++) {
		char c = *from;
		if (c == '%') {
			int high = hex_digit(from[1]);
			int low = high < 0 ? -1 : hex_digit(from[2]);
			if (low < 0 || high + low == 0)
				return false;
			c = (char)(high << 4 | low);
			from += 2;
		} else if (c == '+' && is_query) {
			c = ' ';
		}
		*to++ = c;
	}
	*to = '\0';
	return true;
}

/* The part up to the next of `separators`, cut off; *rest is what follows it, NULL if nothing does. */
static char *cut(char **rest, char separator)
{
	char *part = *rest;
	char *end = strchr(part, separator);
	if (end != NULL)
		*end++ = '\0';
	*rest = end;
	return part;
}

static enum target_result parse_path(struct target *target, char *path)
{
	while (path != NULL) {
		char *segment = cut(&path, '/');
		if (*segment == '\0')
			continue;
		if (target->segment_count == TARGET_SEGMENTS_MAX)
			return TARGET_TOO_LARGE;
		if (!decode(segment, false))
			return TARGET_BAD;
		target->segments[target->segment_count++] = segment;
	}
	return TARGET_OK;
}

static enum target_result parse_query(struct target *target, char *query)
{
	while (query != NULL) {
		char *value = cut(&query, '&');
		char *name = cut(&value, '=');
		if (*name == '\0')
			continue;
		if (target->parameter_count == TARGET_PARAMETERS_MAX)
			return TARGET_TOO_LARGE;
		if (!decode(name, true) || (value != NULL && !decode(value, true)))
			return TARGET_BAD;
		target->parameters[target->parameter_count++] =
			(struct target_parameter){ name, value != NULL ? value : "" };
	}
	return TARGET_OK;
}

enum target_result target_parse(struct target *target, const char *uri)
{
	*target = (struct target){ 0 };
	if (uri[0] != '/')
		return TARGET_BAD;
	if (strlen(uri) > TARGET_SIZE_MAX)
		return TARGET_TOO_LARGE;
	target->text = strdup(uri);
	if (target->text == NULL)
		return TARGET_NO_MEMORY;
	char *query = target->text;
	char *path = cut(&query, '?');
	enum target_result result = parse_path(target, path);
	return result == TARGET_OK ? parse_query(target, query) : result;
}

const char *target_parameter(const struct target *target, const char *name)
{
	for (size_t i = 0; i < target->parameter_count; i++)
		if (strcmp(target->parameters[i].name, name) == 0)
			return target->parameters[i].value;
	return NULL;
}

void target_release(struct target *target)
{
	free(target->text);
	*target = (struct target){ 0 };
}
