// SPDX-License-Identifier: MIT
#include "symbols/rust_reader.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "symbols/punycode.h"

enum { DEPTH_MAX = 200 };

void rust_fail(struct rust_reader *reader)
{
	reader->has_failed = true;
	reader->at = reader->size;
}

char rust_peek(const struct rust_reader *reader)
{
	return reader->at < reader->size ? reader->text[reader->at] : '\0';
}

char rust_next(struct rust_reader *reader)
{
	const char letter = rust_peek(reader);
	if (letter == '\0')
		rust_fail(reader);
	else
		reader->at++;
	return letter;
}

bool rust_eat(struct rust_reader *reader, char letter)
{
	if (rust_peek(reader) != letter)
		return false;
	reader->at++;
	return true;
}

bool rust_has_more(struct rust_reader *reader)
{
	return !reader->has_failed && !rust_eat(reader, 'E');
}

void rust_put_bytes(struct rust_reader *reader, const char *bytes, size_t size)
{
	if (reader->silent > 0 || reader->has_failed)
		return;
	if (size >= reader->room - reader->used) {
		rust_fail(reader);
		return;
	}
	memcpy(reader->out + reader->used, bytes, size);
	reader->used += size;
}

void rust_put(struct rust_reader *reader, const char *text)
{
	rust_put_bytes(reader, text, strlen(text));
}

void rust_put_number(struct rust_reader *reader, uint64_t number)
{
	char text[24];
	rust_put_bytes(reader, text, (size_t)snprintf(text, sizeof(text), "%llu", (unsigned long long)number));
}

bool rust_enter(struct rust_reader *reader)
{
	if (reader->depth == DEPTH_MAX)
		rust_fail(reader);
	reader->depth++;
	return !reader->has_failed;
}

void rust_leave(struct rust_reader *reader)
{
	reader->depth--;
}

/* ---- numbers and identifiers -------------------------------------------------------------------------------- */

/* "_" is 0, and any other number is one more than its digits say. */
uint64_t rust_read_number(struct rust_reader *reader)
{
	uint64_t number = 0;
	if (rust_eat(reader, '_'))
		return 0;
	while (!rust_eat(reader, '_')) {
		const char letter = rust_next(reader);
		const int digit = isdigit((unsigned char)letter)   ? letter - '0'
				  : islower((unsigned char)letter) ? letter - 'a' + 10
				  : isupper((unsigned char)letter) ? letter - 'A' + 36
								   : -1;
		if (digit < 0 || number > (UINT64_MAX - 64) / 62) {
			rust_fail(reader);
			return 0;
		}
		number = number * 62 + (uint64_t)digit;
	}
	return number + 1;
}

uint64_t rust_read_disambiguator(struct rust_reader *reader)
{
	return rust_eat(reader, 's') ? rust_read_number(reader) + 1 : 0;
}

struct rust_identifier rust_read_identifier(struct rust_reader *reader)
{
	struct rust_identifier found = { .is_punycode = rust_eat(reader, 'u') };
	if (!isdigit((unsigned char)rust_peek(reader)))
		rust_fail(reader);
	if (!rust_eat(reader, '0'))
		while (isdigit((unsigned char)rust_peek(reader)) && found.size <= reader->size)
			found.size = found.size * 10 + (size_t)(rust_next(reader) - '0');
	rust_eat(reader, '_');
	if (found.size > reader->size - reader->at) {
		rust_fail(reader);
		return (struct rust_identifier){ .size = 0 };
	}
	found.bytes = reader->text + reader->at;
	reader->at += found.size;
	return found;
}

void rust_put_identifier(struct rust_reader *reader, const struct rust_identifier *identifier)
{
	char letters[PUNYCODE_LETTERS_MAX * UTF8_LETTER_SIZE];
	if (!identifier->is_punycode) {
		rust_put_bytes(reader, identifier->bytes, identifier->size);
		return;
	}
	const size_t size = punycode_read(identifier->bytes, identifier->size, '_', letters);
	if (size == 0)
		rust_fail(reader);
	rust_put_bytes(reader, letters, size);
}

bool rust_jump(struct rust_reader *reader, size_t *back)
{
	const size_t reference = reader->at - 1; /* its B */
	const uint64_t target = rust_read_number(reader);
	if (target >= reference)
		rust_fail(reader);
	if (reader->silent > 0 || reader->has_failed)
		return false;
	*back = reader->at;
	reader->at = (size_t)target;
	return true;
}

void rust_come_back(struct rust_reader *reader, size_t back)
{
	if (!reader->has_failed)
		reader->at = back;
}
