// SPDX-License-Identifier: MIT
#include "trace/ctf/tsdl.h"

#include <ctype.h>
#include <string.h>

static const char *skip_blanks(const char *at)
{
	for (;;) {
		while (isspace((unsigned char)*at))
			at++;
		const char *end;
		if (at[0] == '/' && at[1] == '*')
			end = strstr(at + 2, "*/");
		else if (at[0] == '/' && at[1] == '/')
			end = strchr(at, '\n');
		else
			return at;
		if (end == NULL)
			return at + strlen(at);
		at = end + (at[1] == '*' ? 2 : 1);
	}
}

static bool is_word_byte(char byte)
{
	return isalnum((unsigned char)byte) || byte == '_' || byte == '.';
}

/* The byte after a string that begins at `at`, which is its opening quote. */
static const char *string_end(const char *at)
{
	for (at++; *at != '\0' && *at != '"'; at++)
		if (at[0] == '\\' && at[1] != '\0')
			at++;
	return *at == '"' ? at + 1 : at;
}

void tsdl_next(struct tsdl *tsdl)
{
	const char *at = skip_blanks(tsdl->at);
	tsdl->text = at;
	if (is_word_byte(*at)) {
		while (is_word_byte(*at))
			at++;
	} else if (*at == '"') {
		at = string_end(at);
	} else if (at[0] == ':' && at[1] == '=') {
		at += 2;
	} else if (*at != '\0') {
		at++;
	}
	tsdl->size = (size_t)(at - tsdl->text);
	tsdl->at = at;
}

struct tsdl tsdl_begin(const char *metadata)
{
	struct tsdl tsdl = { .at = metadata };
	tsdl_next(&tsdl);
	return tsdl;
}

bool tsdl_is(const struct tsdl *tsdl, const char *token)
{
	return tsdl->size == strlen(token) && memcmp(tsdl->text, token, tsdl->size) == 0;
}

bool tsdl_is_word(const struct tsdl *tsdl)
{
	return tsdl->size > 0 && is_word_byte(*tsdl->text);
}

bool tsdl_accept(struct tsdl *tsdl, const char *token)
{
	if (!tsdl_is(tsdl, token))
		return false;
	tsdl_next(tsdl);
	return true;
}

void tsdl_skip_past(struct tsdl *tsdl, const char *end)
{
	size_t depth = 0;
	while (tsdl->size > 0) {
		if (depth == 0 && tsdl_accept(tsdl, end))
			return;
		char mark = *tsdl->text;
		if (mark == '{' || mark == '[')
			depth++;
		else if (mark == '}' && depth == 0)
			return;
		else if ((mark == '}' || mark == ']') && depth > 0)
			depth--;
		tsdl_next(tsdl);
	}
}
