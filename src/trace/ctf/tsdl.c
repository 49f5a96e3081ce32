// SPDX-License-Identifier: MIT
/*
 * tsdl.c - the metadata of CTF 1.8 in its language, TSDL.
 */
#include "trace/ctf/tsdl.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/hash_index.h"
#include "base/table.h"
#include "trace/ctf/ctf_schema.h"

/*
 * A word may hold single dots (packet.header), and a number is a word; ":=" and "..." are one mark, any other is
 * one byte.  A string has its quotes.
 */
struct tsdl {
	const char *begin; /* of all the text */
	const char *at;    /* what follows the token */
	const char *text;  /* of the token; not terminated */
	size_t size;       /* 0 at the end */
	size_t lines;      /* of the text that was read before this one */
};

enum { TSDL_BUCKETS = 4096 };

/* A name of a type, until the scope that it was made in ends. */
struct tsdl_name {
	const char *name; /* "uint64_t", "unsigned long", "struct packet_context" */
	uint64_t hash;
	struct ctf_type *type;
	struct tsdl_name *next;  /* in its bucket: made before it */
	struct tsdl_name *older; /* of all names: made before it */
};

struct tsdl_reader {
	struct tsdl tsdl;
	struct ctf_schema *schema;
	struct histree_error *error;
	struct tsdl_name *buckets[TSDL_BUCKETS];
	struct tsdl_name *names; /* the youngest */
	bool has_trace, has_order;
	bool in_pieces; /* more text may follow: what a packet is must not change */
};

/* ---- words and marks ----------------------------------------------------------------------------------------- */

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

static void tsdl_next(struct tsdl *tsdl)
{
	const char *at = skip_blanks(tsdl->at);
	tsdl->text = at;
	if (isalnum((unsigned char)*at) || *at == '_') {
		for (at++;
		     (isalnum((unsigned char)*at) || *at == '_' || (*at == '.' && at[1] != '.' && at[-1] != '.'));)
			at++;
	} else if (*at == '"') {
		/* The byte after a string that begins at `at`, which is its opening quote. */
		for (at++; *at != '\0' && *at != '"'; at++)
			if (at[0] == '\\' && at[1] != '\0')
				at++;
		at = *at == '"' ? at + 1 : at;
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

/* Begin, after `lines` lines of other text; the first token is current. */
static struct tsdl tsdl_begin(const char *metadata, size_t lines)
{
	struct tsdl tsdl = { .begin = metadata, .at = metadata, .lines = lines };
	tsdl_next(&tsdl);
	return tsdl;
}

/* Whether the current token is this one. */
static bool tsdl_is(const struct tsdl *tsdl, const char *token)
{
	return tsdl->size == strlen(token) && memcmp(tsdl->text, token, tsdl->size) == 0;
}

static bool tsdl_is_word(const struct tsdl *tsdl)
{
	return tsdl->size > 0 && (isalpha((unsigned char)*tsdl->text) || *tsdl->text == '_');
}

static bool tsdl_is_number(const struct tsdl *tsdl)
{
	return tsdl->size > 0 && isdigit((unsigned char)*tsdl->text);
}

static bool tsdl_is_string(const struct tsdl *tsdl)
{
	return tsdl->size > 0 && *tsdl->text == '"';
}

/* Step over the current token if it is this one. */
static bool tsdl_accept(struct tsdl *tsdl, const char *token)
{
	if (!tsdl_is(tsdl, token))
		return false;
	tsdl_next(tsdl);
	return true;
}

/* The number of the line that the current token is in, from 1. */
static size_t tsdl_line(const struct tsdl *tsdl)
{
	size_t line = tsdl->lines + 1;
	for (const char *at = tsdl->begin; at < tsdl->text; at++)
		line += *at == '\n';
	return line;
}

/*
 * Read the current token as a number in C's notation.  Returns false if it is not a number, or does not fit 64
 * bits.
 */
static bool tsdl_number(const struct tsdl *tsdl, uint64_t *out)
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

/* Write the text of the current token, a string without its quotes and escapes, and a zero to size + 1 bytes. */
static size_t tsdl_copy(const struct tsdl *tsdl, char *out)
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

static struct ctf_type *tsdl_type(struct tsdl_reader *reader, unsigned depth);

/* ---- tsdl reader --------------------------------------------------------------------------------------------- */

/* Set the error to "line 12 of the metadata: WHAT"; returns false. */
static bool tsdl_fail(struct tsdl_reader *reader, const char *format, ...)
{
	char text[256];
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	error_set(reader->error, HISTREE_ERR_TRACE, "line %zu of the metadata: %s", tsdl_line(&reader->tsdl), text);
	return false;
}

/* Say what was wanted, and what is there. */
static bool tsdl_fail_at_token(struct tsdl_reader *reader, const char *wanted)
{
	const struct tsdl *tsdl = &reader->tsdl;
	if (tsdl->size == 0)
		return tsdl_fail(reader, "the text ends where %s is expected", wanted);
	return tsdl_fail(reader, "'%.*s' stands where %s is expected", (int)(tsdl->size < 40 ? tsdl->size : 40),
			 tsdl->text, wanted);
}

/* Step over a mark that must stand here. */
static bool tsdl_expect(struct tsdl_reader *reader, const char *mark)
{
	char wanted[16];
	if (tsdl_accept(&reader->tsdl, mark))
		return true;
	snprintf(wanted, sizeof(wanted), "'%s'", mark);
	return tsdl_fail_at_token(reader, wanted);
}

/* Room in the memory of the schema. */
static void *tsdl_allocate(struct tsdl_reader *reader, size_t count, size_t size)
{
	return ctf_schema_allocate(reader->schema, count, size, reader->error);
}

/* Keep the text of the current token, and step over it. */
static char *tsdl_take(struct tsdl_reader *reader)
{
	if (reader->tsdl.size == 0) {
		tsdl_fail_at_token(reader, "a name");
		return NULL;
	}
	char *text = tsdl_allocate(reader, reader->tsdl.size + 1, 1);
	if (text != NULL)
		tsdl_copy(&reader->tsdl, text);
	tsdl_next(&reader->tsdl);
	return text;
}

/* The same for a word, which `wanted` calls by its meaning. */
static char *tsdl_take_word(struct tsdl_reader *reader, const char *wanted)
{
	if (tsdl_is_word(&reader->tsdl))
		return tsdl_take(reader);
	tsdl_fail_at_token(reader, wanted);
	return NULL;
}

/* Read a number, which may be negative, and step over it. */
static bool tsdl_take_number(struct tsdl_reader *reader, uint64_t *out)
{
	bool is_negative = tsdl_accept(&reader->tsdl, "-");
	if (!is_negative)
		tsdl_accept(&reader->tsdl, "+");
	if (!tsdl_number(&reader->tsdl, out))
		return tsdl_fail_at_token(reader, "a number of at most 64 bits");
	if (is_negative)
		*out = -*out;
	tsdl_next(&reader->tsdl);
	return true;
}

/* Step over everything up to and with the next ";" outside brackets. */
static bool tsdl_skip(struct tsdl_reader *reader)
{
	size_t depth = 0;
	struct tsdl *tsdl = &reader->tsdl;
	while (depth > 0 || !tsdl_is(tsdl, ";")) {
		if (tsdl->size == 0 || (depth == 0 && tsdl_is(tsdl, "}")))
			return tsdl_fail_at_token(reader, "';'");
		depth += tsdl_is(tsdl, "{");
		depth -= tsdl_is(tsdl, "}");
		tsdl_next(tsdl);
	}
	tsdl_next(tsdl);
	return true;
}

/* ---- names ----------------------------------------------------------------------------------------------- */

/* Names that are made from here on end when the scope is left. */
static struct tsdl_name *tsdl_scope_enter(const struct tsdl_reader *reader)
{
	return reader->names;
}

static void tsdl_scope_leave(struct tsdl_reader *reader, struct tsdl_name *entered)
{
	while (reader->names != entered) {
		struct tsdl_name *name = reader->names;
		reader->buckets[name->hash % TSDL_BUCKETS] = name->next;
		reader->names = name->older;
	}
}

/* Give a type a name. */
static bool tsdl_name_add(struct tsdl_reader *reader, const char *text, struct ctf_type *type)
{
	struct tsdl_name *name = tsdl_allocate(reader, 1, sizeof(*name));
	if (name == NULL)
		return false;
	uint64_t hash = hash_bytes(text, strlen(text));
	struct tsdl_name **bucket = &reader->buckets[hash % TSDL_BUCKETS];
	*name = (struct tsdl_name){
		.name = text, .hash = hash, .type = type, .next = *bucket, .older = reader->names
	};
	*bucket = reader->names = name;
	return true;
}

/* Returns a type for another place of the tree: members are of their place. */
static struct ctf_type *tsdl_type_copy(struct tsdl_reader *reader, struct ctf_type *type)
{
	return ctf_type_copy(reader->schema, type, reader->error);
}

/* Returns the type with a name, for another place of the tree, or NULL. */
static struct ctf_type *tsdl_name_use(struct tsdl_reader *reader, const char *text)
{
	uint64_t hash = hash_bytes(text, strlen(text));
	const struct tsdl_name *name = reader->buckets[hash % TSDL_BUCKETS];
	while (name != NULL && (name->hash != hash || strcmp(name->name, text) != 0))
		name = name->next;
	struct ctf_type *type = name == NULL ? NULL : name->type;
	if (type == NULL)
		tsdl_fail(reader, "there is no type '%.80s'", text);
	return tsdl_type_copy(reader, type);
}

/* ---- tsdl scalar --------------------------------------------------------------------------------------------- */

enum { ALIGN_MAX = 1 << 20 };

static enum ctf_order order_of(const struct tsdl *tsdl)
{
	if (tsdl_is(tsdl, "be") || tsdl_is(tsdl, "network"))
		return CTF_BIG;
	return tsdl_is(tsdl, "le") ? CTF_LITTLE : CTF_NATIVE;
}

/* The same for a size or an alignment. */
static bool tsdl_take_small(struct tsdl_reader *reader, const char *what, uint32_t *out)
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
	if (strcmp(key, "map") == 0) {
		/* "clock.NAME.value" */
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
	if (strcmp(key, "signed") == 0)
		type->is_signed = tsdl_is(tsdl, "true") || tsdl_is(tsdl, "TRUE") || tsdl_is(tsdl, "1");
	else if (strcmp(key, "base") == 0)
		type->base = base_of(tsdl);
	else if (strcmp(key, "byte_order") == 0)
		type->order = order_of(tsdl);
	else if (strcmp(key, "encoding") == 0)
		type->is_text = !tsdl_is(tsdl, "none");
	return true;
}

/* Returns whether an alignment is a power of two. */
static bool tsdl_check_align(struct tsdl_reader *reader, uint32_t align)
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
static struct ctf_type *tsdl_scalar(struct tsdl_reader *reader, enum ctf_kind kind)
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

/* ---- tsdl type ----------------------------------------------------------------------------------------------- */

/* ---- arrays ---------------------------------------------------------------------------------------------- */

/* Reads "[3][length]" after a name: an array of three sequences. */
static struct ctf_type *read_dimensions(struct tsdl_reader *reader, struct ctf_type *element, unsigned depth)
{
	struct tsdl *tsdl = &reader->tsdl;
	if (element == NULL || !tsdl_accept(tsdl, "["))
		return element;
	struct ctf_type *type = tsdl_allocate(reader, 1, sizeof(*type));
	if (type == NULL)
		return NULL;
	*type = (struct ctf_type){ .kind = tsdl_is_number(tsdl) ? CTF_ARRAY : CTF_SEQUENCE };
	if (depth > CTF_NESTING_MAX) {
		tsdl_fail(reader, "types are nested more than %d deep", CTF_NESTING_MAX);
		return NULL;
	}
	if (type->kind == CTF_ARRAY ? !tsdl_take_number(reader, &type->length)
				    : (type->path = tsdl_take_word(reader, "a length")) == NULL)
		return NULL;
	if (!tsdl_expect(reader, "]"))
		return NULL;
	type->element = element = read_dimensions(reader, element, depth + 1);
	if (element == NULL)
		return NULL;
	type->align = element->align;
	type->is_text =
		element->kind == CTF_INTEGER && element->is_text && element->size == 8 && element->align == 8;
	return type;
}

/* ---- structures, variants, enumerations ------------------------------------------------------------------ */

struct member_list {
	struct ctf_member *members;
	size_t count, capacity;
};

/* LTTng puts an underscore before names so that none is a keyword; it is not a part of the name. */
static const char *plain_name(const char *name)
{
	return name[0] == '_' ? name + 1 : name;
}

static bool read_alias_if_any(struct tsdl_reader *reader, unsigned depth, bool *found);

static bool is_keyword(const struct tsdl *tsdl)
{
	return tsdl_is(tsdl, "struct") || tsdl_is(tsdl, "variant") || tsdl_is(tsdl, "enum");
}

/* Reads "TYPE name, name[3];", or "struct NAME { ... };", which is no field but a definition. */
static bool read_member(struct tsdl_reader *reader, struct member_list *list, unsigned depth)
{
	bool may_be_definition = is_keyword(&reader->tsdl);
	struct ctf_type *base = tsdl_type(reader, depth);
	if (base != NULL && may_be_definition && tsdl_accept(&reader->tsdl, ";"))
		return true;
	for (bool is_first = true; base != NULL; is_first = false) {
		const char *name = tsdl_take_word(reader, "the name of a field");
		struct ctf_type *type = is_first ? base : tsdl_type_copy(reader, base);
		if (name == NULL || (type = read_dimensions(reader, type, depth)) == NULL)
			return false;
		if (!array_reserve(&list->members, &list->capacity, list->count + 1)) {
			error_memory(reader->error, "the metadata");
			return false;
		}
		list->members[list->count++] =
			(struct ctf_member){ .name = plain_name(name), .type = type, .slot = CTF_NO_SLOT };
		if (!tsdl_accept(&reader->tsdl, ","))
			return tsdl_expect(reader, ";");
	}
	return false;
}

/* Reads what follows the "{" of a structure or a variant, up to and with "}". */
static bool read_members(struct tsdl_reader *reader, struct ctf_type *type, unsigned depth)
{
	struct member_list list = { 0 };
	struct tsdl_name *scope = tsdl_scope_enter(reader);
	bool ok = true, found;
	while (ok && !tsdl_accept(&reader->tsdl, "}")) {
		ok = read_alias_if_any(reader, depth, &found);
		if (ok && !found)
			ok = read_member(reader, &list, depth);
	}
	tsdl_scope_leave(reader, scope);
	type->members = ok ? tsdl_allocate(reader, list.count, sizeof(*list.members)) : NULL;
	if (type->members != NULL && list.count > 0)
		memcpy(type->members, list.members, list.count * sizeof(*list.members));
	type->member_count = list.count;
	free(list.members);
	if (type->members == NULL)
		return false;
	for (size_t i = 0; type->kind == CTF_STRUCTURE && i < type->member_count; i++)
		if (type->align < type->members[i].type->align)
			type->align = type->members[i].type->align;
	return true;
}

/* Reads one of "a, b = 3, c = 4 ... 6"; *next is the number of a label that says none. */
static bool read_label(struct tsdl_reader *reader, struct ctf_label *label, uint64_t *next)
{
	struct tsdl *tsdl = &reader->tsdl;
	const char *name = tsdl_is_string(tsdl) ? tsdl_take(reader) : tsdl_take_word(reader, "a label");
	if (name == NULL)
		return false;
	*label = (struct ctf_label){ .name = plain_name(name), .low = *next, .high = *next };
	if (tsdl_accept(tsdl, "=")) {
		if (!tsdl_take_number(reader, &label->low))
			return false;
		label->high = label->low;
		if (tsdl_accept(tsdl, "...") && !tsdl_take_number(reader, &label->high))
			return false;
	}
	*next = label->high + 1;
	return true;
}

/* Reads "align(32)", if that follows a structure. */
static bool read_align(struct tsdl_reader *reader, struct ctf_type *type)
{
	uint32_t align = 0;
	if (!tsdl_accept(&reader->tsdl, "align"))
		return true;
	if (!tsdl_expect(reader, "(") || !tsdl_take_small(reader, "the alignment", &align) ||
	    !tsdl_check_align(reader, align) || !tsdl_expect(reader, ")"))
		return false;
	if (type->align < align)
		type->align = align;
	return true;
}

static bool read_tag(struct tsdl_reader *reader, const char **tag)
{
	if (!tsdl_accept(&reader->tsdl, "<"))
		return true;
	*tag = tsdl_take_word(reader, "a tag");
	return *tag != NULL && tsdl_expect(reader, ">");
}

static bool read_body(struct tsdl_reader *reader, struct ctf_type *type, unsigned depth)
{
	if (type->kind == CTF_INTEGER) {
		/* Reads what follows "enum NAME": ": TYPE { labels }"; without a type it is an int. */
		struct ctf_type *base = tsdl_accept(&reader->tsdl, ":") ? tsdl_type(reader, depth + 1)
									: tsdl_name_use(reader, "int");
		if (base == NULL)
			return false;
		if (base->kind != CTF_INTEGER)
			return tsdl_fail(reader, "an enumeration is of integers");
		*type = *base;
		type->is_enumeration = true;
		type->is_text = false;
		struct tsdl *tsdl = &reader->tsdl;
		struct ctf_label *labels = NULL;
		size_t count = 0, capacity = 0;
		uint64_t next = 0;
		bool ok = tsdl_expect(reader, "{");
		while (ok && !tsdl_is(tsdl, "}")) {
			ok = array_reserve(&labels, &capacity, count + 1);
			if (!ok)
				error_memory(reader->error, "the metadata");
			ok = ok && read_label(reader, &labels[count++], &next);
			if (ok && !tsdl_accept(tsdl, ",") && !tsdl_is(tsdl, "}"))
				ok = tsdl_fail_at_token(reader, "',' or '}'");
		}
		type->labels =
			ok && tsdl_expect(reader, "}") ? tsdl_allocate(reader, 2 * count, sizeof(*labels)) : NULL;
		type->label_count = count;
		if (type->labels != NULL && count > 0) {
			memcpy(type->labels, labels, count * sizeof(*labels));
			ctf_labels_sort(type);
		}
		free(labels);
		return type->labels != NULL;
	}
	return tsdl_expect(reader, "{") && read_members(reader, type, depth + 1) &&
	       (type->kind != CTF_STRUCTURE || read_align(reader, type));
}

static char *full_name(struct tsdl_reader *reader, const char *keyword, const char *name)
{
	size_t size = strlen(keyword) + strlen(name) + 2;
	char *full = tsdl_allocate(reader, size, 1);
	if (full != NULL)
		snprintf(full, size, "%s %s", keyword, name);
	return full;
}

/* Reads what follows the keyword: a name, a body, or both, and the tag of a variant before or behind its body. */
static struct ctf_type *read_named(struct tsdl_reader *reader, const char *keyword, enum ctf_kind kind,
				   unsigned depth)
{
	struct tsdl *tsdl = &reader->tsdl;
	const char *name = NULL, *tag = NULL;
	if (tsdl_is_word(tsdl) && !tsdl_is(tsdl, "align")) {
		char *word = tsdl_take(reader);
		if (word == NULL || (name = full_name(reader, keyword, word)) == NULL)
			return NULL;
	}
	if (kind == CTF_VARIANT && !read_tag(reader, &tag))
		return NULL;
	struct ctf_type *type;
	if (tsdl_is(tsdl, "{") || (kind == CTF_INTEGER && tsdl_is(tsdl, ":"))) {
		type = tsdl_allocate(reader, 1, sizeof(*type));
		if (type == NULL)
			return NULL;
		*type = (struct ctf_type){ .kind = kind, .align = 1 };
		if (!read_body(reader, type, depth))
			return NULL;
		if (name != NULL &&
		    (!tsdl_name_add(reader, name, type) || (type = tsdl_type_copy(reader, type)) == NULL))
			return NULL;
	} else if (name == NULL) {
		tsdl_fail_at_token(reader, "a name or '{'");
		return NULL;
	} else if ((type = tsdl_name_use(reader, name)) == NULL) {
		return NULL;
	}
	if (kind == CTF_VARIANT && tag == NULL && !read_tag(reader, &tag))
		return NULL;
	if (tag != NULL)
		type->path = tag;
	return type;
}

/* ---- types and declarations ------------------------------------------------------------------------------ */

/* Words with one blank between them: as long as words follow, but not the last, where that is a name. */
static char *read_words(struct tsdl_reader *reader, bool leave_last)
{
	struct tsdl *tsdl = &reader->tsdl;
	char words[256];
	size_t used = 0;
	for (int count = 0; tsdl_is_word(tsdl); count++) {
		struct tsdl ahead = *tsdl;
		tsdl_next(&ahead);
		bool is_last = !tsdl_is_word(&ahead) && !tsdl_is(&ahead, ":=") && !tsdl_is(&ahead, "{");
		if (leave_last && count > 0 && is_last)
			break;
		if (used + tsdl->size + 2 > sizeof(words)) {
			tsdl_fail(reader, "the name of a type is too long");
			return NULL;
		}
		used += (size_t)snprintf(words + used, sizeof(words) - used, "%s%.*s", used == 0 ? "" : " ",
					 (int)tsdl->size, tsdl->text);
		*tsdl = ahead;
	}
	if (used == 0) {
		tsdl_fail_at_token(reader, "a type");
		return NULL;
	}
	char *copy = tsdl_allocate(reader, used + 1, 1);
	return copy == NULL ? NULL : memcpy(copy, words, used + 1);
}

/* Read a type that a name or a mark follows; NULL if there is no type. */
static struct ctf_type *tsdl_type(struct tsdl_reader *reader, unsigned depth)
{
	struct tsdl *tsdl = &reader->tsdl;
	if (depth > CTF_NESTING_MAX) {
		tsdl_fail(reader, "types are nested more than %d deep", CTF_NESTING_MAX);
		return NULL;
	}
	if (tsdl_accept(tsdl, "integer"))
		return tsdl_scalar(reader, CTF_INTEGER);
	if (tsdl_accept(tsdl, "floating_point"))
		return tsdl_scalar(reader, CTF_FLOAT);
	if (tsdl_accept(tsdl, "string"))
		return tsdl_scalar(reader, CTF_STRING);
	if (tsdl_accept(tsdl, "struct"))
		return read_named(reader, "struct", CTF_STRUCTURE, depth);
	if (tsdl_accept(tsdl, "variant"))
		return read_named(reader, "variant", CTF_VARIANT, depth);
	if (tsdl_accept(tsdl, "enum"))
		return read_named(reader, "enum", CTF_INTEGER, depth);
	char *name = read_words(reader, true);
	return name == NULL ? NULL : tsdl_name_use(reader, name);
}

static bool read_alias_if_any(struct tsdl_reader *reader, unsigned depth, bool *found)
{
	struct tsdl *tsdl = &reader->tsdl;
	bool is_typedef = tsdl_is(tsdl, "typedef");
	*found = is_typedef || tsdl_is(tsdl, "typealias");
	if (!*found)
		return true;
	tsdl_next(tsdl);
	/* "typealias TYPE := NAME;" or "typedef TYPE NAME[3];" */
	struct ctf_type *type = tsdl_type(reader, depth);
	if (type == NULL || (!is_typedef && !tsdl_expect(reader, ":=")))
		return false;
	const char *name = read_words(reader, false);
	if (name == NULL || (type = read_dimensions(reader, type, depth)) == NULL)
		return false;
	return tsdl_name_add(reader, name, type) && tsdl_expect(reader, ";");
}

/*
 * Step over a definition of a name, outside of types: typealias, typedef, or a structure, variant or enumeration
 * with a name.  *found says whether one stood here.
 */
static bool tsdl_definition(struct tsdl_reader *reader, bool *found)
{
	if (!read_alias_if_any(reader, 0, found))
		return false;
	if (*found || !is_keyword(&reader->tsdl))
		return true;
	*found = true;
	return tsdl_type(reader, 0) != NULL && tsdl_expect(reader, ";");
}

/* ---- tsdl block ---------------------------------------------------------------------------------------------- */

/* One entry of a block, "key = value;" or "key := type;".  Returns false, with the error set, if it is wrong. */
typedef bool (*read_entry)(struct tsdl_reader *reader, void *block, const char *key);

static bool read_block(struct tsdl_reader *reader, read_entry entry, void *block)
{
	struct tsdl_name *scope = tsdl_scope_enter(reader);
	bool ok = tsdl_expect(reader, "{"), found;
	while (ok && !tsdl_accept(&reader->tsdl, "}")) {
		ok = tsdl_definition(reader, &found);
		if (!ok || found)
			continue;
		const char *key = tsdl_take(reader);
		ok = key != NULL && entry(reader, block, key) && tsdl_skip(reader);
	}
	tsdl_scope_leave(reader, scope);
	return ok && tsdl_expect(reader, ";");
}

/* Step over the "=" or ":=" before a value that is not wanted. */
static bool pass_over(struct tsdl_reader *reader)
{
	return tsdl_accept(&reader->tsdl, "=") || tsdl_expect(reader, ":=");
}

static bool read_number(struct tsdl_reader *reader, uint64_t *out)
{
	return tsdl_expect(reader, "=") && tsdl_take_number(reader, out);
}

static bool read_text(struct tsdl_reader *reader, const char **out)
{
	return tsdl_expect(reader, "=") && (*out = tsdl_take(reader)) != NULL;
}

/* The fields of a scope are a structure. */
static bool read_scope(struct tsdl_reader *reader, struct ctf_type **out)
{
	if (!tsdl_expect(reader, ":=") || (*out = tsdl_type(reader, 0)) == NULL)
		return false;
	return (*out)->kind == CTF_STRUCTURE || tsdl_fail(reader, "a structure is expected");
}

static unsigned digit_of(char byte)
{
	return (unsigned)(isdigit((unsigned char)byte) ? byte - '0' : (byte | 32) - 'a' + 10);
}

static bool read_trace_entry(struct tsdl_reader *reader, void *block, const char *key)
{
	struct ctf_schema *schema = block;
	uint64_t number;
	if (strcmp(key, "packet.header") == 0)
		return read_scope(reader, &schema->packet_header);
	if (strcmp(key, "uuid") == 0) {
		const char *text;
		if (!read_text(reader, &text))
			return false;
		unsigned digits = 0;
		for (; *text != '\0' && digits < 32; text++) {
			if (!isxdigit((unsigned char)*text))
				continue;
			uint8_t *byte = &reader->schema->uuid[digits++ / 2];
			*byte = (uint8_t)(*byte << 4 | digit_of(*text));
		}
		reader->schema->has_uuid = digits == 32;
		return reader->schema->has_uuid || tsdl_fail(reader, "a UUID has 32 hexadecimal digits");
	}
	if (strcmp(key, "major") == 0)
		return read_number(reader, &number) &&
		       (number == 1 || tsdl_fail(reader, "this is CTF %u, not CTF 1.8", (unsigned)number));
	if (strcmp(key, "byte_order") != 0)
		return pass_over(reader);
	if (!tsdl_expect(reader, "="))
		return false;
	const struct tsdl *tsdl = &reader->tsdl;
	bool is_big = tsdl_is(tsdl, "be") || tsdl_is(tsdl, "network");
	if (!is_big && !tsdl_is(tsdl, "le"))
		return tsdl_fail(reader, "the byte order of a trace is le, be or network");
	schema->order = is_big ? CTF_BIG : CTF_LITTLE;
	reader->has_order = true;
	return true;
}

static bool read_environment_entry(struct tsdl_reader *reader, void *block, const char *key)
{
	struct ctf_schema *schema = block;
	if (!tsdl_expect(reader, "="))
		return false;
	struct ctf_environment entry = { .key = key };
	uint64_t number = 0;
	if (tsdl_is_string(&reader->tsdl) || tsdl_is_word(&reader->tsdl)) {
		entry.text = tsdl_take(reader);
		if (entry.text == NULL)
			return false;
	} else if (!tsdl_take_number(reader, &number)) {
		return false;
	}
	entry.number = (int64_t)number;
	if (!array_reserve(&schema->environment, &schema->environment_capacity, schema->environment_count + 1)) {
		error_memory(reader->error, "the metadata");
		return false;
	}
	schema->environment[schema->environment_count++] = entry;
	return true;
}

static bool read_clock_entry(struct tsdl_reader *reader, void *block, const char *key)
{
	struct ctf_clock *clock = block;
	uint64_t number = 0;
	if (strcmp(key, "name") == 0)
		return read_text(reader, &clock->name);
	if (strcmp(key, "freq") == 0)
		return read_number(reader, &clock->frequency) &&
		       (clock->frequency > 0 || tsdl_fail(reader, "a clock of 0 Hz stands still"));
	if (strcmp(key, "uuid") == 0 && tsdl_accept(&reader->tsdl, "="))
		return !tsdl_is_string(&reader->tsdl) || (clock->uid = tsdl_take(reader)) != NULL;
	bool is_seconds = strcmp(key, "offset_s") == 0;
	if (!is_seconds && strcmp(key, "offset") != 0)
		return pass_over(reader);
	if (!read_number(reader, &number))
		return false;
	*(is_seconds ? &clock->offset_seconds : &clock->offset_cycles) = (int64_t)number;
	return true;
}

static bool read_stream_entry(struct tsdl_reader *reader, void *block, const char *key)
{
	struct ctf_stream_type *stream = block;
	if (strcmp(key, "id") == 0)
		return read_number(reader, &stream->id);
	if (strcmp(key, "packet.context") == 0)
		return read_scope(reader, &stream->packet_context);
	if (strcmp(key, "event.header") == 0)
		return read_scope(reader, &stream->event_header);
	if (strcmp(key, "event.context") == 0)
		return read_scope(reader, &stream->event_context);
	return pass_over(reader);
}

static bool read_event_entry(struct tsdl_reader *reader, void *block, const char *key)
{
	struct ctf_event_type *event = block;
	if (strcmp(key, "name") == 0)
		return read_text(reader, &event->name);
	if (strcmp(key, "id") == 0)
		return event->has_id = read_number(reader, &event->id);
	if (strcmp(key, "stream_id") == 0)
		return event->has_stream = read_number(reader, &event->stream_id);
	if (strcmp(key, "context") == 0)
		return read_scope(reader, &event->context);
	if (strcmp(key, "fields") == 0)
		return read_scope(reader, &event->payload);
	return pass_over(reader);
}

static bool ignore_entry(struct tsdl_reader *reader, void *block, const char *key)
{
	(void)block;
	(void)key;
	return pass_over(reader);
}

static bool out_of_memory(struct tsdl_reader *reader)
{
	error_memory(reader->error, "the metadata");
	return false;
}

static bool read_event(struct tsdl_reader *reader)
{
	struct ctf_schema *schema = reader->schema;
	struct ctf_event_type *event = ctf_schema_allocate(schema, 1, sizeof(*event), reader->error);
	if (event == NULL)
		return false;
	if (!array_reserve(&schema->events, &schema->event_capacity, schema->event_count + 1))
		return out_of_memory(reader);
	*event = (struct ctf_event_type){ .name = "" };
	schema->events[schema->event_count++] = event;
	return read_block(reader, read_event_entry, event);
}

static bool read_top(struct tsdl_reader *reader)
{
	struct tsdl *tsdl = &reader->tsdl;
	bool found;
	if (tsdl_accept(tsdl, ";"))
		return true;
	if (!tsdl_definition(reader, &found))
		return false;
	if (found)
		return true;
	if (tsdl_is(tsdl, "trace") && reader->in_pieces && reader->has_trace)
		return tsdl_fail(reader, "the trace is declared twice");
	if (tsdl_accept(tsdl, "trace")) {
		reader->has_trace = true;
		return read_block(reader, read_trace_entry, reader->schema);
	}
	if (tsdl_accept(tsdl, "env"))
		return read_block(reader, read_environment_entry, reader->schema);
	if (tsdl_accept(tsdl, "clock")) {
		struct ctf_schema *schema = reader->schema;
		if (schema->clock_count == CTF_CLOCKS_MAX)
			return tsdl_fail(reader, "there are more than %d clocks", CTF_CLOCKS_MAX);
		if (!array_reserve(&schema->clocks, &schema->clock_capacity, CTF_CLOCKS_MAX))
			return out_of_memory(reader);
		struct ctf_clock *clock = &schema->clocks[schema->clock_count++];
		*clock = (struct ctf_clock){ .name = "", .uid = "", .frequency = 1000000000 };
		return read_block(reader, read_clock_entry, clock);
	}
	if (tsdl_accept(tsdl, "stream")) {
		struct ctf_schema *schema = reader->schema;
		struct ctf_stream_type *stream = ctf_schema_allocate(schema, 1, sizeof(*stream), reader->error);
		if (stream == NULL)
			return false;
		if (!array_reserve(&schema->streams, &schema->stream_capacity, schema->stream_count + 1))
			return out_of_memory(reader);
		*stream = (struct ctf_stream_type){ 0 };
		schema->streams[schema->stream_count++] = stream;
		return read_block(reader, read_stream_entry, stream);
	}
	if (tsdl_accept(tsdl, "event"))
		return read_event(reader);
	if (tsdl_accept(tsdl, "callsite"))
		return read_block(reader, ignore_entry, NULL);
	return tsdl_fail(reader, "'%.*s' does not begin a declaration", (int)(tsdl->size < 40 ? tsdl->size : 40),
			 tsdl->text);
}

static bool read_blocks(struct tsdl_reader *reader)
{
	while (reader->tsdl.size > 0)
		if (!read_top(reader))
			return false;
	return true;
}

static bool read_all(struct tsdl_reader *reader)
{
	if (!read_blocks(reader))
		return false;
	if (!reader->has_trace)
		return tsdl_fail(reader, "the text ends and has declared no trace");
	return reader->has_order || tsdl_fail(reader, "the trace has no byte order");
}

enum histree_status tsdl_read(struct ctf_schema *schema, const char *text, struct histree_error *error)
{
	struct histree_error own;
	struct histree_error *told = error != NULL ? error : &own; /* the status of a failure is found there */
	struct tsdl_reader *reader = calloc(1, sizeof(*reader));
	if (reader == NULL)
		return error_memory(error, "the metadata");
	reader->schema = schema;
	schema->version = 1;
	reader->error = told;
	reader->tsdl = tsdl_begin(text, 0);
	enum histree_status status = read_all(reader) ? ctf_schema_link(schema, told) : told->status;
	free(reader);
	return status;
}

struct tsdl_reader *tsdl_reader_create(struct ctf_schema *schema)
{
	struct tsdl_reader *reader = calloc(1, sizeof(*reader));
	if (reader == NULL)
		return NULL;
	reader->schema = schema;
	reader->in_pieces = true;
	schema->version = 1;
	return reader;
}

bool tsdl_reader_is_begun(const struct tsdl_reader *reader)
{
	return reader->has_trace && reader->has_order;
}

enum histree_status tsdl_read_more(struct tsdl_reader *reader, const char *text, struct histree_error *error)
{
	struct histree_error own;
	reader->error = error != NULL ? error : &own;
	reader->tsdl = tsdl_begin(text, reader->tsdl.lines);
	if (!read_blocks(reader))
		return reader->error->status;
	reader->tsdl.lines = tsdl_line(&reader->tsdl) - 1;
	return tsdl_reader_is_begun(reader) ? ctf_schema_link_more(reader->schema, reader->error) : HISTREE_OK;
}
