// SPDX-License-Identifier: MIT
#include "sql/sql_selection.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "sql/sql_window.h"

void sql_selection_release(struct sql_selection *selection)
{
	free(selection->quarks);
	*selection = (struct sql_selection){ 0 };
}

static enum histree_status add(struct sql_selection *selection, histree_quark quark, struct histree_error *error)
{
	if (!array_reserve(&selection->quarks, &selection->capacity, selection->count + 1))
		return error_memory(error, "a list of attributes");
	selection->quarks[selection->count++] = quark;
	return HISTREE_OK;
}

static int compare_quarks(const void *a, const void *b)
{
	histree_quark left = *(const histree_quark *)a, right = *(const histree_quark *)b;
	return (left > right) - (left < right);
}

static void sort_distinct(struct sql_selection *selection)
{
	size_t kept = 0;
	if (selection->count > 1)
		qsort(selection->quarks, selection->count, sizeof(*selection->quarks), compare_quarks);
	for (size_t i = 0; i < selection->count; i++)
		if (i == 0 || selection->quarks[i] != selection->quarks[kept - 1])
			selection->quarks[kept++] = selection->quarks[i];
	selection->count = kept;
}

/* ---- one value, or each of a list ---------------------------------------------------------------------- */

typedef enum histree_status (*selector)(struct sql_selection *selection,
					const struct histree_attributes *attributes, sqlite3_value *value,
					struct histree_error *error);

static enum histree_status select_each(struct sql_selection *selection, const struct histree_attributes *attributes,
				       enum sql_operator operator, sqlite3_value * value, selector select,
				       struct histree_error *error)
{
	sqlite3_value *each;
	selection->is_all = false;
	selection->count = 0;
	if (operator!= SQL_IN)
		return select(selection, attributes, value, error);
	int code = sqlite3_vtab_in_first(value, &each);
	while (code == SQLITE_OK && each != NULL) {
		enum histree_status status = select(selection, attributes, each, error);
		if (status != HISTREE_OK)
			return status;
		code = sqlite3_vtab_in_next(value, &each);
	}
	sort_distinct(selection);
	return code == SQLITE_OK || code == SQLITE_DONE ? HISTREE_OK : error_memory(error, "a list of attributes");
}

static enum histree_status add_number(struct sql_selection *selection, const struct histree_attributes *attributes,
				      sqlite3_value *value, struct histree_error *error)
{
	struct sql_window window = SQL_WINDOW_ALL;
	sql_window_narrow(&window, SQL_EQUAL, value);
	if (window.is_empty || window.from != window.to || window.from < 0 ||
	    window.from >= (int64_t)histree_attributes_count(attributes))
		return HISTREE_OK;
	return add(selection, (histree_quark)window.from, error);
}

enum histree_status sql_select_by_quark(struct sql_selection *selection,
					const struct histree_attributes *attributes, enum sql_operator operator,
					sqlite3_value * value, struct histree_error *error)
{
	return select_each(selection, attributes, operator, value, add_number, error);
}

/* ---- paths -------------------------------------------------------------------------------------------- */

/* Of a path with a zero byte in it nothing is found here, as SQLite's own text functions would not. */
static enum histree_status add_path(struct sql_selection *selection, const struct histree_attributes *attributes,
				    sqlite3_value *value, struct histree_error *error)
{
	histree_quark quark;
	const char *path = (const char *)sqlite3_value_text(value);
	if (path == NULL || histree_attributes_find(attributes, HISTREE_ROOT, path, &quark) != HISTREE_OK)
		return HISTREE_OK;
	return add(selection, quark, error);
}

/* Returns the size of the path of the folder below which a pattern of SQLite lies; 0: it may lie anywhere. */
static size_t literal_folder(const char *pattern)
{
	size_t folder = 0;
	bool is_escaped = false;
	for (size_t i = 0; pattern[i] != '\0' && strchr("*?[", pattern[i]) == NULL; i++) {
		if (pattern[i] == '/' && !is_escaped)
			folder = i;
		is_escaped = pattern[i] == '\\' && !is_escaped;
	}
	return folder;
}

/* The next attribute below `top`, depth first. */
static histree_quark next_below(const struct histree_attributes *attributes, histree_quark top, histree_quark quark)
{
	histree_quark next = histree_attributes_first_child(attributes, quark);
	while (next == HISTREE_ROOT && quark != top) {
		next = histree_attributes_next_sibling(attributes, quark);
		quark = histree_attributes_parent(attributes, quark);
	}
	return next;
}

static enum histree_status select_glob(struct sql_selection *selection, const struct histree_attributes *attributes,
				       sqlite3_value *value, struct histree_error *error)
{
	const char *pattern = (const char *)sqlite3_value_text(value);
	struct sql_path path = { 0 };
	histree_quark top = HISTREE_ROOT;
	enum histree_status status = HISTREE_OK;
	if (pattern == NULL)
		return HISTREE_OK;
	size_t folder = literal_folder(pattern);
	if (folder > 0) {
		char *text = strndup(pattern, folder);
		if (text == NULL)
			return error_memory(error, "a pattern");
		bool exists = histree_attributes_find(attributes, HISTREE_ROOT, text, &top) == HISTREE_OK;
		free(text);
		if (!exists)
			return HISTREE_OK;
	}
	for (histree_quark quark = next_below(attributes, top, top); status == HISTREE_OK && quark != HISTREE_ROOT;
	     quark = next_below(attributes, top, quark)) {
		if (!sql_path_find(&path, attributes, quark))
			status = error_memory(error, "a path");
		else if (sqlite3_strglob(pattern, path.text) == 0)
			status = add(selection, quark, error);
	}
	free(path.text);
	sort_distinct(selection);
	return status;
}

enum histree_status sql_select_by_path(struct sql_selection *selection, const struct histree_attributes *attributes,
				       enum sql_operator operator, sqlite3_value * value,
				       struct histree_error *error)
{
	return select_each(selection, attributes, operator, value, operator== SQL_GLOB ? select_glob : add_path,
			   error);
}

struct gathering {
	struct sql_selection *selection;
	enum histree_status status;
	struct histree_error *error;
};

static bool gather(void *context, histree_quark quark)
{
	struct gathering *gathering = context;
	gathering->status = add(gathering->selection, quark, gathering->error);
	return gathering->status == HISTREE_OK;
}

enum histree_status sql_select_by_pattern(struct sql_selection *selection,
					  const struct histree_attributes *attributes, sqlite3_value *value,
					  struct histree_error *error)
{
	struct gathering gathering = { .selection = selection, .error = error };
	const char *pattern = (const char *)sqlite3_value_text(value);
	selection->is_all = false;
	selection->count = 0;
	if (pattern == NULL)
		return HISTREE_OK;
	enum histree_status status =
		histree_attributes_match(attributes, HISTREE_ROOT, pattern, gather, &gathering, error);
	sort_distinct(selection);
	if (gathering.status != HISTREE_OK)
		return gathering.status;
	return status == HISTREE_NOT_FOUND ? HISTREE_OK : status;
}

/* ---- the path of a quark ------------------------------------------------------------------------------- */

bool sql_path_find(struct sql_path *path, const struct histree_attributes *attributes, histree_quark quark)
{
	if (path->is_known && path->quark == quark)
		return true;
	path->size = histree_attributes_path(attributes, quark, path->text, path->capacity);
	if (path->size >= path->capacity) {
		path->is_known = false;
		if (!array_reserve(&path->text, &path->capacity, path->size + 1))
			return false;
		histree_attributes_path(attributes, quark, path->text, path->capacity);
	}
	path->is_known = true;
	path->quark = quark;
	return true;
}

void sql_result_path(sqlite3_context *context, struct sql_path *path, const struct histree_attributes *attributes,
		     histree_quark quark)
{
	if (sql_path_find(path, attributes, quark))
		sqlite3_result_text64(context, path->text, path->size, SQLITE_TRANSIENT, SQLITE_UTF8);
	else
		sqlite3_result_error_nomem(context);
}
