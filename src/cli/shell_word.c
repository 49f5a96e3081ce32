// SPDX-License-Identifier: MIT
#include "cli/shell_word.h"

#include <stdbool.h>
#include <string.h>

static bool is_plain(const char *text)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=,.:/@%";
	return text[0] != '\0' && text[strspn(text, plain)] == '\0';
}

void shell_word_put(FILE *stream, const char *text)
{
	if (is_plain(text)) {
		fputs(text, stream);
		return;
	}
	fputc('\'', stream);
	for (; *text != '\0'; text++)
		if (*text == '\'')
			fputs("'\\''", stream);
		else
			fputc(*text, stream);
	fputc('\'', stream);
}

void shell_word_copy(char *word, size_t size, const char *text)
{
	FILE *stream = fmemopen(word, size, "w");
	word[0] = '\0';
	if (stream == NULL)
		return;
	shell_word_put(stream, text);
	long length = ftell(stream);
	fclose(stream);
	if (length < 0 || (size_t)length >= size)
		word[0] = '\0';
}
