// SPDX-License-Identifier: MIT
#include "symbols/rust_const.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "symbols/punycode.h"

static void put_letter(struct rust_reader *reader, uint64_t number)
{
	char text[16];
	size_t size = number >= ' ' && number != 0x7f ? utf8_write_letter(number, text) : 0;
	rust_put(reader, "'");
	if (number == '\'' || number == '\\')
		rust_put(reader, "\\");
	if (number == '\n' || number == '\t' || number == '\r')
		rust_put(reader, number == '\n' ? "\\n" : number == '\t' ? "\\t" : "\\r");
	else if (size > 0)
		rust_put_bytes(reader, text, size);
	else
		rust_put_bytes(reader, text,
			       (size_t)snprintf(text, sizeof(text), "\\u{%x}", (unsigned)(number & UINT32_MAX)));
	rust_put(reader, "'");
}

static void put_const(struct rust_reader *reader, char type, uint64_t number)
{
	if (type == 'b' && number <= 1)
		rust_put(reader, number == 1 ? "true" : "false");
	else if (type == 'c' && number <= UINT32_MAX)
		put_letter(reader, number);
	else if (type == 'b' || type == 'c')
		rust_fail(reader);
	else
		rust_put_number(reader, number);
}

/* Digits of base 16, of any number: what has too many of them for us is shown so. */
static void read_digits(struct rust_reader *reader, char type)
{
	const char *digits = reader->text + reader->at;
	uint64_t number = 0;
	size_t count = 0;
	while (!rust_eat(reader, '_')) {
		const char digit = rust_next(reader);
		if (!isdigit((unsigned char)digit) && (digit < 'a' || digit > 'f')) {
			rust_fail(reader);
			return;
		}
		number = number << 4 | (uint64_t)(isdigit((unsigned char)digit) ? digit - '0' : digit - 'a' + 10);
		count++;
	}
	for (; count > 0 && *digits == '0'; count--)
		digits++;
	if (count <= 16) {
		put_const(reader, type, number);
		return;
	}
	rust_put(reader, "0x");
	rust_put_bytes(reader, digits, count);
}

void rust_read_const(struct rust_reader *reader)
{
	size_t back;
	if (!rust_enter(reader))
		return;
	const char type = rust_next(reader);
	if (type == 'B') {
		if (rust_jump(reader, &back)) {
			rust_read_const(reader);
			rust_come_back(reader, back);
		}
	} else if (type == 'p') {
		rust_put(reader, "_");
	} else if (type != '\0' && strchr("aslxnihtmyojbc", type) != NULL) {
		if (strchr("aslxni", type) != NULL && rust_eat(reader, 'n'))
			rust_put(reader, "-");
		read_digits(reader, type);
	} else {
		rust_fail(reader);
	}
	rust_leave(reader);
}
