// SPDX-License-Identifier: MIT
/*
 * Types of TSDL, CTF 1.8, section 4.  A declaration is a type, then names that may be arrays of it; which word is
 * the last of a type and which the name of a member is known only by what follows.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "trace/ctf/tsdl_reader.h"

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

static bool read_labels(struct tsdl_reader *reader, struct ctf_type *type)
{
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
	type->labels = ok && tsdl_expect(reader, "}") ? tsdl_allocate(reader, 2 * count, sizeof(*labels)) : NULL;
	type->label_count = count;
	if (type->labels != NULL && count > 0) {
		memcpy(type->labels, labels, count * sizeof(*labels));
		ctf_labels_sort(type);
	}
	free(labels);
	return type->labels != NULL;
}

/* Reads what follows "enum NAME": ": TYPE { labels }"; without a type it is an int. */
static bool read_enumeration(struct tsdl_reader *reader, struct ctf_type *type, unsigned depth)
{
	struct ctf_type *base =
		tsdl_accept(&reader->tsdl, ":") ? tsdl_type(reader, depth) : tsdl_name_use(reader, "int");
	if (base == NULL)
		return false;
	if (base->kind != CTF_INTEGER)
		return tsdl_fail(reader, "an enumeration is of integers");
	*type = *base;
	type->is_enumeration = true;
	type->is_text = false;
	return read_labels(reader, type);
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
	if (type->kind == CTF_INTEGER)
		return read_enumeration(reader, type, depth + 1);
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

struct ctf_type *tsdl_type(struct tsdl_reader *reader, unsigned depth)
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

/* "typealias TYPE := NAME;" or "typedef TYPE NAME[3];" */
static bool read_alias(struct tsdl_reader *reader, bool is_typedef, unsigned depth)
{
	struct ctf_type *type = tsdl_type(reader, depth);
	if (type == NULL || (!is_typedef && !tsdl_expect(reader, ":=")))
		return false;
	const char *name = read_words(reader, false);
	if (name == NULL || (type = read_dimensions(reader, type, depth)) == NULL)
		return false;
	return tsdl_name_add(reader, name, type) && tsdl_expect(reader, ";");
}

static bool read_alias_if_any(struct tsdl_reader *reader, unsigned depth, bool *found)
{
	struct tsdl *tsdl = &reader->tsdl;
	bool is_typedef = tsdl_is(tsdl, "typedef");
	*found = is_typedef || tsdl_is(tsdl, "typealias");
	if (!*found)
		return true;
	tsdl_next(tsdl);
	return read_alias(reader, is_typedef, depth);
}

bool tsdl_definition(struct tsdl_reader *reader, bool *found)
{
	if (!read_alias_if_any(reader, 0, found))
		return false;
	if (*found || !is_keyword(&reader->tsdl))
		return true;
	*found = true;
	return tsdl_type(reader, 0) != NULL && tsdl_expect(reader, ";");
}
