// SPDX-License-Identifier: MIT
/*
 * definition_files.c - reads files that define analyses, or folders of such files.  A front end is one row of the
 * table here.  A pair of events, or a sequence of more, defines an analysis in one line, which is rewritten in our
 * own language.
 */
#include "analysis/definition/definition_files.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "analysis/language/language.h"
#include "analysis/shipped_definitions.h"
#include "analysis/xml/xml_definitions.h"
#include "base/bytes.h"
#include "base/error.h"

static const struct front_end {
	const char *suffix;
	definitions_reader *read;
} front_ends[] = {
	{ ".xml", xml_definitions_read },
	{ LANGUAGE_SUFFIX, language_read },
};

static const struct front_end *front_end_of(const char *path)
{
	size_t size = strlen(path);
	for (size_t i = 0; i < sizeof(front_ends) / sizeof(*front_ends); i++) {
		size_t suffix = strlen(front_ends[i].suffix);
		if (size > suffix && strcmp(path + size - suffix, front_ends[i].suffix) == 0)
			return &front_ends[i];
	}
	return NULL;
}

/* ---- a file ----------------------------------------------------------------------------------------------- */

static enum histree_status failed(const char *path, struct histree_error *error)
{
	return error_set(error, HISTREE_ERR_IO, "'%s': %s", path, strerror(errno));
}

static enum histree_status load_bytes(const char *path, char **bytes, size_t *size, struct histree_error *error)
{
	FILE *file = fopen(path, "rbe");
	if (file == NULL)
		return failed(path, error);
	*bytes = malloc(DEFINITION_BYTES_MAX + 2);
	*size = *bytes != NULL ? fread(*bytes, 1, DEFINITION_BYTES_MAX + 1, file) : 0;
	enum histree_status status = HISTREE_OK;
	if (*bytes == NULL)
		status = error_memory(error, "a file that defines analyses");
	else if (ferror(file))
		status = failed(path, error);
	else if (*size > DEFINITION_BYTES_MAX)
		status = error_set(error, HISTREE_ERR_TOO_LARGE,
				   "'%s': has more than 4 MiB, which is too much for the definition of an analysis",
				   path);
	else
		(*bytes)[*size] = '\0';
	fclose(file);
	if (status != HISTREE_OK)
		free(*bytes);
	return status;
}

static enum histree_status read_file(struct definitions *definitions, const char *path, struct histree_error *error)
{
	const struct front_end *front_end = front_end_of(path);
	char *bytes = NULL;
	size_t size = 0;
	enum histree_status status = load_bytes(path, &bytes, &size, error);
	if (status != HISTREE_OK)
		return status;
	if (front_end ==
	    NULL) /* its name does not say what it is, but XML begins with a '<', with a mark at most */
		front_end = &front_ends[strchr("<\xef", bytes[strspn(bytes, " \t\r\n")]) != NULL ? 0 : 1];
	status = front_end->read(path, bytes, size, definitions, error);
	free(bytes);
	return status;
}

/* ---- a sequence of events --------------------------------------------------------------------------------- */

/* A part of a line. */
struct pair_part {
	const char *begin, *end;
};

/* Returns where a word begins, outside of quotes and with blanks around it; part.end if it is not there. */
static const char *find_word(struct pair_part part, const char *word)
{
	const size_t size = strlen(word);
	char quote = '\0';
	for (const char *at = part.begin; at < part.end; at++) {
		if (quote != '\0') {
			at += *at == '\\' && at + 1 < part.end;
			quote = *at == quote ? '\0' : quote;
		} else if (*at == '"' || *at == '\'') {
			quote = *at;
		} else if ((size_t)(part.end - at) >= size && memcmp(at, word, size) == 0 &&
			   (at == part.begin || at[-1] == ' ') && (at + size == part.end || at[size] == ' ')) {
			return at;
		}
	}
	return part.end;
}

/* Splits at a word; returns what is behind it, which is empty if the word is not there. */
static struct pair_part cut_at(struct pair_part *part, const char *word)
{
	const char *at = find_word(*part, word);
	struct pair_part rest = { at < part->end ? at + strlen(word) : at, part->end };
	part->end = at;
	return rest;
}

static struct pair_part trim(struct pair_part part)
{
	while (part.begin < part.end && *part.begin == ' ')
		part.begin++;
	while (part.begin < part.end && part.end[-1] == ' ')
		part.end--;
	return part;
}

static void put_part(struct byte_buffer *text, const char *before, struct pair_part part, const char *behind)
{
	byte_buffer_put_chars(text, before);
	byte_buffer_put(text, part.begin, (size_t)(part.end - part.begin));
	byte_buffer_put_chars(text, behind);
}

/* "sched_switch where next_tid == 5" becomes a rule that begins or ends a span, or is a step of it. */
static void put_rule(struct byte_buffer *text, struct pair_part events, const char *what, struct pair_part keys)
{
	struct pair_part condition = trim(cut_at(&events, "where"));
	put_part(text, "on ", trim(events), "");
	if (condition.begin < condition.end)
		put_part(text, " when ", condition, "");
	put_part(text, what, keys, ")");
}

/* What lasts from one event of a sequence to the next. */
static void put_step(struct byte_buffer *text, size_t number)
{
	char field[64];
	snprintf(field, sizeof(field), " with integer step_%zu = elapsed\n", number);
	byte_buffer_put_chars(text, field);
}

enum { PARTS_MAX = 16 };

/*
 * NAME = EVENTS [where CONDITION] -> ... -> EVENTS [where CONDITION] by KEY, ... [as NAME] [with FIELDS]
 *
 * The rule of the end is before that of the beginning, so that an event that is both ends what began before it.
 * Segments have the name of the analysis if there is none behind `as`.
 */
static enum histree_status read_pair(struct definitions *definitions, const char *pair, struct histree_error *error)
{
	struct byte_buffer text = { 0 };
	struct pair_part name = { pair, pair + strlen(pair) }, parts[PARTS_MAX] = { cut_at(&name, "=") };
	size_t last = 0;
	bool is_whole = true;
	while (last + 1 < PARTS_MAX && find_word(parts[last], "->") < parts[last].end) {
		parts[last + 1] = cut_at(&parts[last], "->");
		is_whole = is_whole && trim(parts[last]).begin < parts[last].end;
		last++;
	}
	struct pair_part keys = cut_at(&parts[last], "by"), with = keys;
	with.begin = find_word(keys, "with");
	keys.end = with.begin;
	struct pair_part as = cut_at(&keys, "as");
	const bool is_named = as.begin < as.end;
	name = trim(name);
	keys = trim(keys);
	if (last == 0 || !is_whole || name.begin == name.end || keys.begin == keys.end ||
	    trim(parts[last]).begin == parts[last].end)
		return error_set(
			error, HISTREE_ERR_ARGUMENT,
			"'%s' is no pair: NAME = EVENT [where EXPR] -> EVENT [where EXPR] by FIELD, ... [as "
			"NAME] [with FIELDS]; up to %d events may follow one another",
			pair, PARTS_MAX);
	put_part(&text, "analysis ", name, "\n");
	for (size_t i = 1; i < last; i++) {
		put_rule(&text, parts[i], ": step pair(", keys);
		put_step(&text, i);
	}
	put_rule(&text, parts[last], ": end pair(", keys);
	if (last > 1)
		put_step(&text, last);
	else
		byte_buffer_put_chars(&text, "\n");
	put_rule(&text, parts[0], ": begin pair(", keys);
	put_part(&text, is_named ? " as" : " as \"", is_named ? as : name, is_named ? " " : "\" ");
	put_part(&text, "", with, "\n");
	byte_buffer_put_byte(&text, '\0'); /* behind what is read */
	const enum histree_status status =
		text.failed ? error_memory(error, "a pair of events")
			    : language_read(pair, byte_buffer_chars(&text), text.size - 1, definitions, error);
	byte_buffer_release(&text);
	/* Its name is free again if it makes nothing. */
	if (status == HISTREE_OK)
		program_analysis_keep_if_any(definitions->analyses[definitions->count - 1]);
	return status;
}

/* ---- those that come with histree ------------------------------------------------------------------------- */

#define SHIPPED_ROW(name, text) { (name), (text) },
static const struct shipped_definition {
	const char *name, *text;
} shipped[] = { SHIPPED_DEFINITIONS(SHIPPED_ROW) };
#undef SHIPPED_ROW

enum { SHIPPED_COUNT = sizeof(shipped) / sizeof(shipped[0]) };

const char *definition_shipped(size_t index)
{
	return index < SHIPPED_COUNT ? shipped[index].name : NULL;
}

static const struct shipped_definition *shipped_of(const char *name)
{
	for (size_t i = 0; i < SHIPPED_COUNT; i++)
		if (strcmp(shipped[i].name, name) == 0)
			return &shipped[i];
	return NULL;
}

bool definition_is_shipped(const char *name)
{
	return shipped_of(name) != NULL;
}

/* ---- a folder --------------------------------------------------------------------------------------------- */

static int is_wanted(const struct dirent *entry)
{
	return entry->d_name[0] != '.' && front_end_of(entry->d_name) != NULL;
}

static enum histree_status read_folder(struct definitions *definitions, const char *path,
				       struct histree_error *error)
{
	struct dirent **entries;
	int count = scandir(path, &entries, is_wanted, alphasort);
	enum histree_status status = count < 0 ? failed(path, error) : HISTREE_OK;
	if (count == 0)
		status = error_set(error, HISTREE_ERR_ARGUMENT,
				   "'%s': has no file that defines an analysis (*%s, *%s)", path,
				   front_ends[0].suffix, front_ends[1].suffix);
	for (int i = 0; i < count; i++) {
		char *file = NULL;
		if (status == HISTREE_OK && asprintf(&file, "%s/%s", path, entries[i]->d_name) < 0)
			status = error_memory(error, "a path");
		if (status == HISTREE_OK)
			status = read_file(definitions, file, error);
		status = status == HISTREE_NOT_FOUND ? HISTREE_OK : status;
		free(file);
		free(entries[i]);
	}
	if (count >= 0)
		free(entries);
	return status;
}

enum histree_status definition_files_read(struct definitions *definitions, const char *path,
					  struct histree_error *error)
{
	struct stat about;
	const bool is_there = stat(path, &about) == 0;
	const struct shipped_definition *known = is_there ? NULL : shipped_of(path);
	if (known != NULL)
		return language_read(path, known->text, strlen(known->text), definitions, error);
	if (!is_there)
		return strstr(path, "->") != NULL ? read_pair(definitions, path, error) : failed(path, error);
	if (S_ISDIR(about.st_mode))
		return read_folder(definitions, path, error);
	enum histree_status status = read_file(definitions, path, error);
	return status == HISTREE_NOT_FOUND ? HISTREE_ERR_ARGUMENT : status;
}
