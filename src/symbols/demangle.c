// SPDX-License-Identifier: MIT
/*
 * demangle.c - names of functions as people wrote them: of C++ by its runtime, of Rust by ourselves.
 *
 * The letters of a name of Rust (demangle.h) and the text that becomes of it: what its grammar is
 * made of, and what is written while it is read.
 *
 * Once something was wrong there are no letters any more, so that all that reads ends.
 *
 * Constants among the arguments of names of Rust: numbers, letters, truths.
 *
 * Names of Rust, read by the grammar of RFC 2603 from left to right and written on the way.
 *
 * A reference to what came before (B) is read anew where it points to.  That ends, as it points back, and soon:
 * what branches also writes something, and of both the text and the depth there is a bound.
 */
#include "symbols/demangle.h"

#include <ctype.h>
#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct rust_reader {
	const char *text; /* after "_R" */
	size_t size, at;
	char *out;
	size_t used, room;
	unsigned depth;
	unsigned silent;    /* above 0: what is read is not written */
	uint64_t lifetimes; /* that are bound around what is read */
	bool has_failed;
};

struct rust_identifier {
	const char *bytes;
	size_t size;
	bool is_punycode;
};

/* ---- punycode ------------------------------------------------------------------------------------------------ */

/* The numbers of RFC 3492, section 5. */
enum { BASE = 36, T_MIN = 1, T_MAX = 26, SKEW = 38, DAMP = 700, FIRST_BIAS = 72, FIRST_LETTER = 128 };

#define LAST_LETTER 0x10ffff
/* Writes a letter and returns its size; 0 if Unicode has none of this number. */
static size_t utf8_write_letter(unsigned long number, char out[UTF8_LETTER_SIZE])
{
	if (number > LAST_LETTER || (number >= 0xd800 && number <= 0xdfff))
		return 0;
	const size_t size = number < 0x80 ? 1 : number < 0x800 ? 2 : number < 0x10000 ? 3 : 4;
	static const unsigned char first[] = { 0, 0x00, 0xc0, 0xe0, 0xf0 };
	for (size_t i = size - 1; i > 0; i--, number >>= 6)
		out[i] = (char)(0x80 | (number & 0x3f));
	out[0] = (char)(first[size] | number);
	return size;
}

static uint32_t adapt(uint32_t delta, uint32_t letters, bool is_first)
{
	uint32_t steps = 0;
	delta = is_first ? delta / DAMP : delta / 2;
	delta += delta / letters;
	for (; delta > (BASE - T_MIN) * T_MAX / 2; steps += BASE)
		delta /= BASE - T_MIN;
	return steps + (BASE - T_MIN + 1) * delta / (delta + SKEW);
}

static uint32_t digit_of(char letter)
{
	return letter >= 'a' && letter <= 'z'   ? (uint32_t)(letter - 'a')
	       : letter >= '0' && letter <= '9' ? (uint32_t)(letter - '0') + 26
						: BASE;
}

/* Reads the number that follows, which grows by it; returns false if there is none. */
static bool read_number(const char **at, const char *end, uint32_t bias, uint32_t *number)
{
	uint32_t weight = 1;
	for (uint32_t k = BASE;; k += BASE) {
		const uint32_t digit = *at < end ? digit_of(*(*at)++) : BASE;
		const uint32_t threshold = k <= bias + T_MIN ? T_MIN : k >= bias + T_MAX ? T_MAX : k - bias;
		if (digit == BASE || digit > (UINT32_MAX - *number) / weight)
			return false;
		*number += digit * weight;
		if (digit < threshold)
			return true;
		if (weight > UINT32_MAX / (BASE - threshold))
			return false;
		weight *= BASE - threshold;
	}
}

static size_t write_letters(const uint32_t *letters, size_t count, char *out)
{
	size_t used = 0;
	for (size_t i = 0; i < count; i++) {
		const size_t size = utf8_write_letter(letters[i], out + used);
		if (size == 0)
			return 0;
		used += size;
	}
	return used;
}

size_t punycode_read(const char *bytes, size_t size, char delimiter, char *out)
{
	uint32_t letters[PUNYCODE_LETTERS_MAX];
	uint32_t letter = FIRST_LETTER, place = 0, bias = FIRST_BIAS;
	const char *at = bytes, *const end = bytes + size;
	const char *const basic_end = memrchr(bytes, delimiter, size);
	size_t count = 0;
	for (; basic_end != NULL && at < basic_end; at++) {
		if (count == PUNYCODE_LETTERS_MAX || (unsigned char)*at >= FIRST_LETTER)
			return 0;
		letters[count++] = (unsigned char)*at;
	}
	at += basic_end != NULL;
	while (at < end) {
		const uint32_t before = place;
		if (count == PUNYCODE_LETTERS_MAX || !read_number(&at, end, bias, &place))
			return 0;
		const uint32_t room = (uint32_t)count + 1;
		bias = adapt(place - before, room, before == 0);
		if (place / room > LAST_LETTER - letter)
			return 0;
		letter += place / room;
		place %= room;
		memmove(&letters[place + 1], &letters[place], (count - place) * sizeof(*letters));
		letters[place++] = letter;
		count++;
	}
	return write_letters(letters, count, out);
}

/* ---- rust reader --------------------------------------------------------------------------------------------- */

enum { DEPTH_MAX = 200 };

static void rust_fail(struct rust_reader *reader)
{
	reader->has_failed = true;
	reader->at = reader->size;
}

/* The next letter; 0 at the end, which rust_next() takes for a failure. */
static char rust_peek(const struct rust_reader *reader)
{
	return reader->at < reader->size ? reader->text[reader->at] : '\0';
}

static char rust_next(struct rust_reader *reader)
{
	const char letter = rust_peek(reader);
	if (letter == '\0')
		rust_fail(reader);
	else
		reader->at++;
	return letter;
}

/* Takes the letter if it comes next. */
static bool rust_eat(struct rust_reader *reader, char letter)
{
	if (rust_peek(reader) != letter)
		return false;
	reader->at++;
	return true;
}

/* Whether a list goes on; takes its end. */
static bool rust_has_more(struct rust_reader *reader)
{
	return !reader->has_failed && !rust_eat(reader, 'E');
}

static void rust_put_bytes(struct rust_reader *reader, const char *bytes, size_t size)
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

static void rust_put(struct rust_reader *reader, const char *text)
{
	rust_put_bytes(reader, text, strlen(text));
}

static void rust_put_number(struct rust_reader *reader, uint64_t number)
{
	char text[24];
	rust_put_bytes(reader, text, (size_t)snprintf(text, sizeof(text), "%llu", (unsigned long long)number));
}

/* Begin and end a part that has parts; false if there are too many within each other. */
static bool rust_enter(struct rust_reader *reader)
{
	if (reader->depth == DEPTH_MAX)
		rust_fail(reader);
	reader->depth++;
	return !reader->has_failed;
}

static void rust_leave(struct rust_reader *reader)
{
	reader->depth--;
}

/* ---- numbers and identifiers -------------------------------------------------------------------------------- */

/* "_" is 0, and any other number is one more than its digits say. */
static uint64_t rust_read_number(struct rust_reader *reader)
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

static uint64_t rust_read_disambiguator(struct rust_reader *reader)
{
	return rust_eat(reader, 's') ? rust_read_number(reader) + 1 : 0;
}

static struct rust_identifier rust_read_identifier(struct rust_reader *reader)
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

static void rust_put_identifier(struct rust_reader *reader, const struct rust_identifier *identifier)
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

/*
 * After the letter B: go to where it points to, and back to where it came from.  False if there is nothing to see:
 * in silence, or after a failure.
 */
static bool rust_jump(struct rust_reader *reader, size_t *back)
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

static void rust_come_back(struct rust_reader *reader, size_t back)
{
	if (!reader->has_failed)
		reader->at = back;
}

/* ---- rust const ---------------------------------------------------------------------------------------------- */

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

/* Texts, tuples and structures, which came to the form later, are a failure. */
static void rust_read_const(struct rust_reader *reader)
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

/* ---- rust name ----------------------------------------------------------------------------------------------- */

enum { LETTERS = 26 };

static void read_path(struct rust_reader *reader, bool is_value);

static void read_type(struct rust_reader *reader);

/* ---- lifetimes ---------------------------------------------------------------------------------------------- */

/* Of those that are bound, the innermost is 1; 0 was erased. */
static void put_lifetime(struct rust_reader *reader, uint64_t index)
{
	if (index > reader->lifetimes) {
		rust_fail(reader);
		return;
	}
	const uint64_t level = reader->lifetimes - index;
	rust_put(reader, "'");
	if (index == 0)
		rust_put(reader, "_");
	else if (level < LETTERS)
		rust_put_bytes(reader, &"abcdefghijklmnopqrstuvwxyz"[level], 1);
	else {
		rust_put(reader, "_");
		rust_put_number(reader, level);
	}
}

/* Reads how many lifetimes are bound for what follows; the caller takes them away after it. */
static uint64_t read_binder(struct rust_reader *reader)
{
	const uint64_t count = rust_eat(reader, 'G') ? rust_read_number(reader) + 1 : 0;
	if (count > reader->size) { /* no more than there is room to name them */
		rust_fail(reader);
		return 0;
	}
	for (uint64_t i = 0; i < count; i++) {
		rust_put(reader, i == 0 ? "for<" : ", ");
		reader->lifetimes++;
		put_lifetime(reader, 1);
	}
	if (count > 0)
		rust_put(reader, "> ");
	return count;
}

/* ---- paths -------------------------------------------------------------------------------------------------- */

static void read_silently(struct rust_reader *reader)
{
	reader->silent++;
	read_path(reader, false);
	reader->silent--;
}

/* A lower-case namespace is the compiler's own; others hold what has no name in the source. */
static void put_nested(struct rust_reader *reader, char space, uint64_t number,
		       const struct rust_identifier *identifier)
{
	if (islower((unsigned char)space)) {
		rust_put(reader, identifier->size > 0 ? "::" : "");
		rust_put_identifier(reader, identifier);
		return;
	}
	rust_put(reader, "::{");
	if (space == 'C')
		rust_put(reader, "closure");
	else if (space == 'S')
		rust_put(reader, "shim");
	else
		rust_put_bytes(reader, &space, 1);
	if (identifier->size > 0) {
		rust_put(reader, ":");
		rust_put_identifier(reader, identifier);
	}
	rust_put(reader, "#");
	rust_put_number(reader, number);
	rust_put(reader, "}");
}

static void read_nested(struct rust_reader *reader, bool is_value)
{
	const char space = rust_next(reader);
	if (!isalpha((unsigned char)space))
		rust_fail(reader);
	read_path(reader, is_value);
	const uint64_t number = rust_read_disambiguator(reader);
	const struct rust_identifier identifier = rust_read_identifier(reader);
	put_nested(reader, space, number, &identifier);
}

/* The list stays open. */
static void read_arguments(struct rust_reader *reader)
{
	rust_put(reader, "<");
	for (bool is_first = true; rust_has_more(reader); is_first = false) {
		rust_put(reader, is_first ? "" : ", ");
		if (rust_eat(reader, 'L'))
			put_lifetime(reader, rust_read_number(reader));
		else if (rust_eat(reader, 'K'))
			rust_read_const(reader);
		else
			read_type(reader);
	}
}

/* <Type> or <Type as Trait>: what is of an impl also says where that is, which nobody asks for. */
static void read_impl(struct rust_reader *reader, char tag)
{
	if (tag != 'Y') {
		rust_read_disambiguator(reader);
		read_silently(reader);
	}
	rust_put(reader, "<");
	read_type(reader);
	if (tag != 'M') {
		rust_put(reader, " as ");
		read_path(reader, false);
	}
	rust_put(reader, ">");
}

/* A path of values has its arguments behind another "::". */
static void read_path(struct rust_reader *reader, bool is_value)
{
	struct rust_identifier identifier;
	size_t back;
	if (!rust_enter(reader))
		return;
	const char tag = rust_next(reader);
	switch (tag) {
	case 'C':
		rust_read_disambiguator(reader);
		identifier = rust_read_identifier(reader);
		rust_put_identifier(reader, &identifier);
		break;
	case 'M':
	case 'X':
	case 'Y':
		read_impl(reader, tag);
		break;
	case 'N':
		read_nested(reader, is_value);
		break;
	case 'I':
		read_path(reader, is_value);
		rust_put(reader, is_value ? "::" : "");
		read_arguments(reader);
		rust_put(reader, ">");
		break;
	case 'B':
		if (rust_jump(reader, &back)) {
			read_path(reader, is_value);
			rust_come_back(reader, back);
		}
		break;
	default:
		rust_fail(reader);
	}
	rust_leave(reader);
}

/* ---- types -------------------------------------------------------------------------------------------------- */

static const char *const basic_types[LETTERS] = {
	['a' - 'a'] = "i8",    ['b' - 'a'] = "bool", ['c' - 'a'] = "char", ['d' - 'a'] = "f64",
	['e' - 'a'] = "str",   ['f' - 'a'] = "f32",  ['h' - 'a'] = "u8",   ['i' - 'a'] = "isize",
	['j' - 'a'] = "usize", ['l' - 'a'] = "i32",  ['m' - 'a'] = "u32",  ['n' - 'a'] = "i128",
	['o' - 'a'] = "u128",  ['p' - 'a'] = "_",    ['s' - 'a'] = "i16",  ['t' - 'a'] = "u16",
	['u' - 'a'] = "()",    ['v' - 'a'] = "...",  ['x' - 'a'] = "i64",  ['y' - 'a'] = "u64",
	['z' - 'a'] = "!",
};

static void read_reference(struct rust_reader *reader, bool is_mutable)
{
	rust_put(reader, "&");
	const uint64_t lifetime = rust_eat(reader, 'L') ? rust_read_number(reader) : 0;
	if (lifetime > 0) {
		put_lifetime(reader, lifetime);
		rust_put(reader, " ");
	}
	rust_put(reader, is_mutable ? "mut " : "");
	read_type(reader);
}

static size_t read_types(struct rust_reader *reader)
{
	size_t count = 0;
	for (; rust_has_more(reader); count++) {
		rust_put(reader, count > 0 ? ", " : "");
		read_type(reader);
	}
	return count;
}

/* An identifier cannot have the dashes that names of calling conventions have. */
static void read_convention(struct rust_reader *reader)
{
	struct rust_identifier convention = { .bytes = "C", .size = 1 };
	if (!rust_eat(reader, 'C'))
		convention = rust_read_identifier(reader);
	if (convention.is_punycode)
		rust_fail(reader);
	rust_put(reader, "extern \"");
	for (size_t i = 0; i < convention.size; i++)
		rust_put_bytes(reader, convention.bytes[i] == '_' ? "-" : &convention.bytes[i], 1);
	rust_put(reader, "\" ");
}

static void read_function(struct rust_reader *reader)
{
	const uint64_t bound = read_binder(reader);
	if (rust_eat(reader, 'U'))
		rust_put(reader, "unsafe ");
	if (rust_eat(reader, 'K'))
		read_convention(reader);
	rust_put(reader, "fn(");
	read_types(reader);
	rust_put(reader, ")");
	if (!rust_eat(reader, 'u')) { /* nothing is returned */
		rust_put(reader, " -> ");
		read_type(reader);
	}
	reader->lifetimes -= bound;
}

/* The path of a trait whose list of arguments stays open for what follows, if it has one. */
static bool read_open_path(struct rust_reader *reader)
{
	bool is_open = false;
	size_t back;
	if (!rust_enter(reader))
		return false;
	if (rust_eat(reader, 'B')) {
		if (rust_jump(reader, &back)) {
			is_open = read_open_path(reader);
			rust_come_back(reader, back);
		}
	} else if (rust_eat(reader, 'I')) {
		read_path(reader, false);
		read_arguments(reader);
		is_open = true;
	} else {
		read_path(reader, false);
	}
	rust_leave(reader);
	return is_open;
}

static void read_trait(struct rust_reader *reader)
{
	bool is_open = read_open_path(reader);
	while (rust_eat(reader, 'p')) {
		rust_put(reader, is_open ? ", " : "<");
		is_open = true;
		const struct rust_identifier identifier = rust_read_identifier(reader);
		rust_put_identifier(reader, &identifier);
		rust_put(reader, " = ");
		read_type(reader);
	}
	rust_put(reader, is_open ? ">" : "");
}

static void read_dyn(struct rust_reader *reader)
{
	rust_put(reader, "dyn ");
	const uint64_t bound = read_binder(reader);
	for (bool is_first = true; rust_has_more(reader); is_first = false) {
		rust_put(reader, is_first ? "" : " + ");
		read_trait(reader);
	}
	reader->lifetimes -= bound;
	if (!rust_eat(reader, 'L'))
		rust_fail(reader);
	const uint64_t lifetime = rust_read_number(reader);
	if (lifetime > 0) {
		rust_put(reader, " + ");
		put_lifetime(reader, lifetime);
	}
}

static void read_tagged(struct rust_reader *reader, char tag)
{
	size_t back;
	switch (tag) {
	case 'R':
	case 'Q':
		read_reference(reader, tag == 'Q');
		break;
	case 'P':
	case 'O':
		rust_put(reader, tag == 'P' ? "*const " : "*mut ");
		read_type(reader);
		break;
	case 'A':
	case 'S':
		rust_put(reader, "[");
		read_type(reader);
		if (tag == 'A') {
			rust_put(reader, "; ");
			rust_read_const(reader);
		}
		rust_put(reader, "]");
		break;
	case 'T':
		rust_put(reader, "(");
		rust_put(reader, read_types(reader) == 1 ? ",)" : ")");
		break;
	case 'F':
		read_function(reader);
		break;
	case 'D':
		read_dyn(reader);
		break;
	case 'B':
		if (rust_jump(reader, &back)) {
			read_type(reader);
			rust_come_back(reader, back);
		}
		break;
	default:
		reader->at--; /* it is that of a path */
		read_path(reader, false);
	}
}

static void read_type(struct rust_reader *reader)
{
	if (!rust_enter(reader))
		return;
	const char tag = rust_next(reader);
	const char *basic = islower((unsigned char)tag) ? basic_types[tag - 'a'] : NULL;
	if (basic != NULL)
		rust_put(reader, basic);
	else if (isupper((unsigned char)tag))
		read_tagged(reader, tag);
	else
		rust_fail(reader);
	rust_leave(reader);
}

/* ------------------------------------------------------------------------------------------------------------- */

bool rust_name_read(const char *name, char *out, size_t size)
{
	if (strncmp(name, "_R", 2) != 0 || !isupper((unsigned char)name[2]) || size == 0)
		return false;
	struct rust_reader reader = { .text = name + 2, .size = strlen(name + 2), .out = out, .room = size };
	read_path(&reader, true);
	if (isupper((unsigned char)rust_peek(&reader)))
		read_silently(&reader); /* the crate that asked for this copy */
	const char after = rust_peek(&reader);
	if (reader.has_failed || (after != '\0' && after != '.' && after != '$'))
		return false;
	out[reader.used] = '\0';
	return true;
}

/* ---- demangle ------------------------------------------------------------------------------------------------ */

#define LIBRARY "libstdc++.so.6"
static const uint64_t SIZE_BOUND = (uint64_t)256 << 20;

enum { RUST_TEXT_SIZE = 16384 };

enum { BYTES_OF_LETTER = 24 }; /* "Sd" is std::basic_iostream<char, std::char_traits<char> > */

/*
 * Whether the text may be longer than the bound.  Each reference to what came before, S_ or T12_, doubles it at
 * most, and each expansion of a pack repeats it less often than the name has letters.  Letters within identifiers
 * that look so are counted too: a bound is all that is asked for.
 */
static bool may_be_too_long(const char *name)
{
	const uint64_t letters = strlen(name);
	uint64_t bound = letters * BYTES_OF_LETTER;
	for (const char *at = name; *at != '\0' && bound <= SIZE_BOUND; at++) {
		size_t size = 1;
		if ((at[0] == 'D' && at[1] == 'p') || (at[0] == 's' && (at[1] == 'p' || at[1] == 'Z')))
			bound *= letters;
		if (*at != 'S' && *at != 'T')
			continue;
		while (isdigit((unsigned char)at[size]) || isupper((unsigned char)at[size]))
			size++;
		if (at[size] == '_')
			bound *= 2;
	}
	return bound > SIZE_BOUND;
}

static void load(struct demangler *demangler)
{
	demangler->is_tried = true;
	demangler->library = dlopen(LIBRARY, RTLD_LAZY | RTLD_LOCAL);
	void *found = demangler->library != NULL ? dlsym(demangler->library, "__cxa_demangle") : NULL;
	if (found != NULL)
		memcpy(&demangler->demangle, &found, sizeof(found)); /* as POSIX has it: ISO C has no such cast */
}

/* ---- Rust, in its older form --------------------------------------------------------------------------------- */

/* Returns where the hash begins that ends such a name, "::h0123456789abcdef"; NULL: it is of C++. */
static char *find_hash(char *text)
{
	const size_t size = strlen(text);
	if (size < 19 || memcmp(text + size - 19, "::h", 3) != 0)
		return NULL;
	for (const char *at = text + size - 16; *at != '\0'; at++)
		if (!isdigit((unsigned char)*at) && (*at < 'a' || *at > 'f'))
			return NULL;
	return text + size - 19;
}

/* What Rust writes for characters that identifiers of C have not; returns the size of the code, 0 if it is none. */
static size_t read_code(const char *at, char *out)
{
	static const struct {
		const char *code;
		char letter;
	} codes[] = { { "$SP$", '@' }, { "$BP$", '*' }, { "$RF$", '&' }, { "$LT$", '<' }, { "$GT$", '>' },
		      { "$LP$", '(' }, { "$RP$", ')' }, { "$C$", ',' },  { "..", ':' } };
	for (size_t i = 0; i < sizeof(codes) / sizeof(*codes); i++)
		if (strncmp(at, codes[i].code, strlen(codes[i].code)) == 0) {
			*out = codes[i].letter;
			return strlen(codes[i].code);
		}
	char *end;
	if (at[0] != '$' || at[1] != 'u' || !isxdigit((unsigned char)at[2]))
		return 0;
	const unsigned long letter = strtoul(at + 2, &end, 16);
	if (*end != '$' || letter < ' ' || letter > '~')
		return 0;
	*out = (char)letter;
	return (size_t)(end + 1 - at);
}

/* In place: no code is shorter than what it stands for. */
static void make_rust(char *text, char *hash)
{
	char *out = text;
	*hash = '\0';
	for (const char *at = text; *at != '\0';) {
		char letter;
		const bool begins = at == text || at[-1] == ':';
		const size_t size = read_code(at, &letter);
		if (begins && at[0] == '_' && at[1] == '$') {
			at++; /* an identifier that begins with a code has this before it */
			continue;
		}
		*out++ = size > 0 ? letter : *at;
		if (size > 0 && letter == ':')
			*out++ = ':';
		at += size > 0 ? size : 1;
	}
	*out = '\0';
}

/* ------------------------------------------------------------------------------------------------------------- */

static const char *demangle_rust(struct demangler *demangler, const char *name)
{
	if (demangler->rust_text == NULL)
		demangler->rust_text = malloc(RUST_TEXT_SIZE);
	return demangler->rust_text != NULL && rust_name_read(name, demangler->rust_text, RUST_TEXT_SIZE)
		       ? demangler->rust_text
		       : name;
}

const char *demangle(struct demangler *demangler, const char *name)
{
	int status = 0;
	if (strncmp(name, "_R", 2) == 0)
		return demangle_rust(demangler, name);
	if (strncmp(name, "_Z", 2) != 0 || may_be_too_long(name))
		return name;
	if (!demangler->is_tried)
		load(demangler);
	if (demangler->demangle == NULL)
		return name;
	char *text = demangler->demangle(name, NULL, NULL, &status);
	if (text == NULL)
		return name;
	free(demangler->text);
	demangler->text = text;
	char *hash = find_hash(text);
	if (hash != NULL)
		make_rust(text, hash);
	return text;
}

void demangler_release(struct demangler *demangler)
{
	free(demangler->text);
	free(demangler->rust_text);
	if (demangler->library != NULL)
		dlclose(demangler->library);
	*demangler = (struct demangler){ .library = NULL };
}
