// SPDX-License-Identifier: MIT
/*
 * rust_name.c - names of Rust, read by the grammar of RFC 2603 from left to right and written on the way.
 *
 * A reference to what came before (B) is read anew where it points to.  That ends, as it points back, and soon:
 * what branches also writes something, and of both the text and the depth there is a bound.
 */
#include "symbols/rust_name.h"

#include <ctype.h>
#include <string.h>

#include "symbols/rust_const.h"

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
