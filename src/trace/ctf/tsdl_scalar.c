// SPDX-License-Identifier: MIT
/*
 * Types of TSDL that have no parts, CTF 1.8, section 4.1: integers, floating point numbers, strings.
 */
#include <string.h>

#include "trace/ctf/tsdl_reader.h"

enum { ALIGN_MAX = 1 << 20 };

static enum ctf_order order_of(const struct tsdl *tsdl)
{
	if (tsdl_is(tsdl, "be") || tsdl_is(tsdl, "network"))
		return CTF_BIG;
	return tsdl_is(tsdl, "le") ? CTF_LITTLE : CTF_NATIVE;
}

static bool is_true(const struct tsdl *tsdl)
{
	return tsdl_is(tsdl, "true") || tsdl_is(tsdl, "TRUE") || tsdl_is(tsdl, "1");
}

/* "clock.NAME.value" */
static bool read_clock(struct tsdl_reader *reader, struct ctf_type *type)
{
	char *name = tsdl_take_word(reader, "clock.NAME.value");
	if (name == NULL)
		return false;
	if (strncmp(name, "clock.", 6) != 0)
		return tsdl_fail(reader, "'%.40s' is not the value of a clock", name);
	type->clock_name = name + 6;
	char *value = strrchr(name + 6, '.');
	if (value != NULL && strcmp(value, ".value") == 0)
		*value = '\0';
	return true;
}

bool tsdl_take_small(struct tsdl_reader *reader, const char *what, uint32_t *out)
{
	uint64_t number;
	if (!tsdl_take_number(reader, &number))
		return false;
	if (number > ALIGN_MAX)
		return tsdl_fail(reader, "%s is out of range", what);
	*out = (uint32_t)number;
	return true;
}

/* CTF 1.8, section 4.1.5: a number, or a word or letter of printf(3) for it. */
static uint8_t base_of(const struct tsdl *tsdl)
{
	static const struct {
		const char *word;
		uint8_t base;
	} words[] = { { "hexadecimal", 16 }, { "hex", 16 },  { "x", 16 },  { "X", 16 }, { "p", 16 },
		      { "16", 16 },          { "octal", 8 }, { "oct", 8 }, { "o", 8 },  { "8", 8 },
		      { "binary", 2 },       { "bin", 2 },   { "b", 2 },   { "2", 2 } };
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (tsdl_is(tsdl, words[i].word))
			return words[i].base;
	return 0;
}

static bool read_attribute(struct tsdl_reader *reader, struct ctf_type *type, const char *key)
{
	const struct tsdl *tsdl = &reader->tsdl;
	uint32_t digits = 0;
	if (strcmp(key, "size") == 0)
		return tsdl_take_small(reader, "the size", &type->size);
	if (strcmp(key, "align") == 0)
		return tsdl_take_small(reader, "the alignment", &type->align);
	if (strcmp(key, "exp_dig") == 0 || strcmp(key, "mant_dig") == 0) {
		if (!tsdl_take_small(reader, "the size", &digits))
			return false;
		type->size += digits;
		return true;
	}
	if (strcmp(key, "map") == 0)
		return read_clock(reader, type);
	if (strcmp(key, "signed") == 0)
		type->is_signed = is_true(tsdl);
	else if (strcmp(key, "base") == 0)
		type->base = base_of(tsdl);
	else if (strcmp(key, "byte_order") == 0)
		type->order = order_of(tsdl);
	else if (strcmp(key, "encoding") == 0)
		type->is_text = !tsdl_is(tsdl, "none");
	return true;
}

bool tsdl_check_align(struct tsdl_reader *reader, uint32_t align)
{
	return (align > 0 && (align & (align - 1)) == 0) ||
	       tsdl_fail(reader, "an alignment of %u is not a power of two", (unsigned)align);
}

static bool check_number(struct tsdl_reader *reader, struct ctf_type *type)
{
	if (type->align == 0)
		type->align = type->size % 8 == 0 ? 8 : 1;
	if (type->kind == CTF_INTEGER && (type->size == 0 || type->size > 64))
		return tsdl_fail(reader, "an integer has 1 to 64 bits, not %u", (unsigned)type->size);
	if (type->kind == CTF_FLOAT && type->size != 32 && type->size != 64)
		return tsdl_fail(reader, "a floating point number has 32 or 64 bits, not %u", (unsigned)type->size);
	return tsdl_check_align(reader, type->align);
}

/* Reads "{ key = value; ... }", which a string may lack. */
struct ctf_type *tsdl_scalar(struct tsdl_reader *reader, enum ctf_kind kind)
{
	struct tsdl *tsdl = &reader->tsdl;
	struct ctf_type *type = tsdl_allocate(reader, 1, sizeof(*type));
	if (type == NULL)
		return NULL;
	*type = (struct ctf_type){ .kind = kind, .align = kind == CTF_STRING ? 8 : 0 };
	if (kind == CTF_STRING && !tsdl_is(tsdl, "{"))
		return type;
	if (!tsdl_expect(reader, "{"))
		return NULL;
	while (!tsdl_accept(tsdl, "}")) {
		char *key = tsdl_take_word(reader, "an attribute");
		if (key == NULL || !tsdl_expect(reader, "=") || !read_attribute(reader, type, key) ||
		    !tsdl_skip(reader))
			return NULL;
	}
	return kind == CTF_STRING || check_number(reader, type) ? type : NULL;
}
