// SPDX-License-Identifier: MIT
/*
 * Tokens as the reader wants them, and the names of types.
 */
#include "trace/ctf/tsdl_reader.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/hash.h"

bool tsdl_fail(struct tsdl_reader *reader, const char *format, ...)
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
bool tsdl_fail_at_token(struct tsdl_reader *reader, const char *wanted)
{
	const struct tsdl *tsdl = &reader->tsdl;
	if (tsdl->size == 0)
		return tsdl_fail(reader, "the text ends where %s is expected", wanted);
	return tsdl_fail(reader, "'%.*s' stands where %s is expected", (int)(tsdl->size < 40 ? tsdl->size : 40),
			 tsdl->text, wanted);
}

bool tsdl_expect(struct tsdl_reader *reader, const char *mark)
{
	char wanted[16];
	if (tsdl_accept(&reader->tsdl, mark))
		return true;
	snprintf(wanted, sizeof(wanted), "'%s'", mark);
	return tsdl_fail_at_token(reader, wanted);
}

void *tsdl_allocate(struct tsdl_reader *reader, size_t count, size_t size)
{
	return ctf_schema_allocate(reader->schema, count, size, reader->error);
}

char *tsdl_take(struct tsdl_reader *reader)
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

char *tsdl_take_word(struct tsdl_reader *reader, const char *wanted)
{
	if (tsdl_is_word(&reader->tsdl))
		return tsdl_take(reader);
	tsdl_fail_at_token(reader, wanted);
	return NULL;
}

bool tsdl_take_number(struct tsdl_reader *reader, uint64_t *out)
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

bool tsdl_skip(struct tsdl_reader *reader)
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

struct tsdl_name *tsdl_scope_enter(const struct tsdl_reader *reader)
{
	return reader->names;
}

void tsdl_scope_leave(struct tsdl_reader *reader, struct tsdl_name *entered)
{
	while (reader->names != entered) {
		struct tsdl_name *name = reader->names;
		reader->buckets[name->hash % TSDL_BUCKETS] = name->next;
		reader->names = name->older;
	}
}

bool tsdl_name_add(struct tsdl_reader *reader, const char *text, struct ctf_type *type)
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

static struct ctf_type *find_name(const struct tsdl_reader *reader, const char *text)
{
	uint64_t hash = hash_bytes(text, strlen(text));
	const struct tsdl_name *name = reader->buckets[hash % TSDL_BUCKETS];
	while (name != NULL && (name->hash != hash || strcmp(name->name, text) != 0))
		name = name->next;
	return name == NULL ? NULL : name->type;
}

struct ctf_type *tsdl_type_copy(struct tsdl_reader *reader, struct ctf_type *type)
{
	return ctf_type_copy(reader->schema, type, reader->error);
}

struct ctf_type *tsdl_name_use(struct tsdl_reader *reader, const char *text)
{
	struct ctf_type *type = find_name(reader, text);
	if (type == NULL)
		tsdl_fail(reader, "there is no type '%.80s'", text);
	return tsdl_type_copy(reader, type);
}
