// SPDX-License-Identifier: MIT
#include "cli/html_text.h"

#include <stdbool.h>

#include "base/json_text.h"

static const char *entity_of(char c)
{
	switch (c) {
	case '&':
		return "&amp;";
	case '<':
		return "&lt;";
	case '>':
		return "&gt;";
	case '"':
		return "&quot;";
	default:
		return NULL;
	}
}

void html_text(struct output *output, const char *bytes, size_t size)
{
	for (size_t i = 0; i < size;) {
		size_t length = utf8_character_size((const unsigned char *)bytes + i, size - i);
		const char *entity = entity_of(bytes[i]);
		bool is_control = length == 1 && ((unsigned char)bytes[i] < 0x20 || bytes[i] == 0x7f);
		if (entity != NULL)
			output_text(output, entity);
		else if (length == 0 || is_control)
			output_text(output, UTF8_REPLACEMENT);
		else
			output_bytes(output, bytes + i, length);
		i += length > 0 ? length : 1;
	}
}

static bool is_plain(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == ' ' || c == '=' ||
	       c == '/' || c == '.' || c == ',' || c == '-' || c == ':' || c == ';' || c == '(' || c == ')';
}

void html_data(struct output *output, const char *bytes, size_t size)
{
	static const char digits[] = "0123456789abcdef";
	for (size_t i = 0; i < size; i++) {
		if (is_plain(bytes[i])) {
			output_char(output, bytes[i]);
			continue;
		}
		output_char(output, '%');
		output_char(output, digits[(unsigned char)bytes[i] >> 4]);
		output_char(output, digits[(unsigned char)bytes[i] & 15]);
	}
}
