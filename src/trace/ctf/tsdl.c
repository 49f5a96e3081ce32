// SPDX-License-Identifier: MIT
#include "trace/ctf/tsdl.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
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
		at = end + (*end == '*' ? 2 : 1);
	}
}

static bool is_word_byte(const char *at)
{
	return isalnum((unsigned char)*at) || *at == '_' || (*at == '.' && at[1] != '.' && at[-1] != '.');
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
	if (isalnum((unsigned char)*at) || *at == '_') {
		for (at++; is_word_byte(at);)
			at++;
	} else if (*at == '"') {
		at = string_end(at);
	} else if (at[0] == ':' && at[1] == '=') {
		at += 2;
	} else if (strncmp(at, "...", 3) == 0) {
		at += 3;
	} else if (*at != '\0') {
		at++;
	}
	tsdl->size = (size_t)(at - tsdl->text);
	tsdl->at = at;
}

struct tsdl tsdl_begin(const char *metadata, size_t lines)
{
	struct tsdl tsdl = { .begin = metadata, .at = metadata, .lines = lines };
	tsdl_next(&tsdl);
	return tsdl;
}

bool tsdl_is(const struct tsdl *tsdl, const char *token)
{
	return tsdl->size == strlen(token) && memcmp(tsdl->text, token, tsdl->size) == 0;
}

bool tsdl_is_word(const struct tsdl *tsdl)
{
	return tsdl->size > 0 && (isalpha((unsigned char)*tsdl->text) || *tsdl->text == '_');
}

bool tsdl_is_number(const struct tsdl *tsdl)
{
	return tsdl->size > 0 && isdigit((unsigned char)*tsdl->text);
}

bool tsdl_is_string(const struct tsdl *tsdl)
{
	return tsdl->size > 0 && *tsdl->text == '"';
}

bool tsdl_accept(struct tsdl *tsdl, const char *token)
{
	if (!tsdl_is(tsdl, token))
		return false;
	tsdl_next(tsdl);
	return true;
}

size_t tsdl_line(const struct tsdl *tsdl)
{
	size_t line = tsdl->lines + 1;
	for (const char *at = tsdl->begin; at < tsdl->text; at++)
		line += *at == '\n';
	return line;
}

bool tsdl_number(const struct tsdl *tsdl, uint64_t *out)
{
	char *end;
	if (!tsdl_is_number(tsdl))
		return false;
	errno = 0;
	*out = strtoull(tsdl->text, &end, 0);
	while (*end == 'u' || *end == 'U' || *end == 'l' || *end == 'L')
		end++;
	return errno == 0 && end == tsdl->text + tsdl->size;
}

static char escaped(const char **at)
{
	static const char letters[] = "abefnrtv", bytes[] = "\a\b\033\f\n\r\t\v";
	char letter = **at;
	const char *known = letter == '\0' ? NULL : strchr(letters, letter);
	unsigned value = 0, digits = 0;
	if (letter == 'x' && isxdigit((unsigned char)(*at)[1])) {
		for (++*at; digits < 2 && isxdigit((unsigned char)**at); digits++, ++*at)
			value = 16 * value +
				(unsigned)(isdigit((unsigned char)**at) ? **at - '0' : (**at | 32) - 'a' + 10);
		return (char)value;
	}
	if (letter >= '0' && letter <= '7') {
		for (; digits < 3 && **at >= '0' && **at <= '7'; digits++, ++*at)
			value = 8 * value + (unsigned)(**at - '0');
		return (char)value;
	}
	++*at;
	return known == NULL ? letter : bytes[known - letters];
}

size_t tsdl_copy(const struct tsdl *tsdl, char *out)
{
	const char *at = tsdl->text, *end = at + tsdl->size;
	char *to = out;
	bool is_string = tsdl_is_string(tsdl);
	if (is_string) {
		at++;
		end -= tsdl->size > 1 && end[-1] == '"';
	}
	while (at < end) {
		if (is_string && *at == '\\' && at + 1 < end) {
			at++;
			*to = escaped(&at);
			to += *to != '\0';
		} else {
			*to++ = *at++;
		}
	}
	*to = '\0';
	return (size_t)(to - out);
}
