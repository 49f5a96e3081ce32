// SPDX-License-Identifier: MIT
#include "sql/sql_selection.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "sql/sql_window.h"

/* ---- one value, or each of a list ---------------------------------------------------------------------- */

typedef enum histree_status (*adder)(struct histree_selection *selection, sqlite3_value *value,
				     struct histree_error *error);

static enum histree_status select_each(struct histree_selection *selection, enum sql_operator operator,
				       sqlite3_value * value, adder add, struct histree_error *error)
{
	sqlite3_value *each;
	histree_selection_none(selection);
	if (operator!= SQL_IN)
		return add(selection, value, error);
	int code = sqlite3_vtab_in_first(value, &each);
	while (code == SQLITE_OK && each != NULL) {
		enum histree_status status = add(selection, each, error);
		if (status != HISTREE_OK)
			return status;
		code = sqlite3_vtab_in_next(value, &each);
	}
	return code == SQLITE_OK || code == SQLITE_DONE ? HISTREE_OK : error_memory(error, "a list of attributes");
}

/* A number that is no quark leaves nothing: neither 1.5 nor -1. */
static enum histree_status add_number(struct histree_selection *selection, sqlite3_value *value,
				      struct histree_error *error)
{
	struct histree_window window = HISTREE_WINDOW_ALL;
	sql_window_narrow(&window, SQL_EQUAL, value);
	if (window.is_empty || window.from != window.to || window.from < 0)
		return HISTREE_OK;
	return histree_selection_add_quark(selection, (uint64_t)window.from, error);
}

enum histree_status sql_select_by_quark(struct histree_selection *selection, enum sql_operator operator,
					sqlite3_value * value, struct histree_error *error)
{
	return select_each(selection, operator, value, add_number, error);
}

/* ---- paths -------------------------------------------------------------------------------------------- */

/* Of a path with a zero byte in it nothing is found here, as SQLite's own text functions would not. */
static enum histree_status add_path(struct histree_selection *selection, sqlite3_value *value,
				    struct histree_error *error)
{
	const char *path = (const char *)sqlite3_value_text(value);
	return path == NULL ? HISTREE_OK : histree_selection_add_path(selection, path, error);
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

static bool is_matched(void *context, histree_quark quark, const char *path, size_t size)
{
	(void)quark;
	(void)size;
	return sqlite3_strglob(*(const char **)context, path) == 0;
}

static enum histree_status add_glob(struct histree_selection *selection, sqlite3_value *value,
				    struct histree_error *error)
{
	const char *pattern = (const char *)sqlite3_value_text(value);
	histree_quark top = HISTREE_ROOT;
	if (pattern == NULL)
		return HISTREE_OK;
	size_t folder = literal_folder(pattern);
	if (folder > 0) {
		char *path = strndup(pattern, folder);
		if (path == NULL)
			return error_memory(error, "a pattern");
		bool exists = histree_attributes_find(histree_history_attributes(selection->history), HISTREE_ROOT,
						      path, &top) == HISTREE_OK;
		free(path);
		if (!exists)
			return HISTREE_OK;
	}
	return histree_selection_add_wanted(selection, top, is_matched, &pattern, error);
}

enum histree_status sql_select_by_path(struct histree_selection *selection, enum sql_operator operator,
				       sqlite3_value * value, struct histree_error *error)
{
	return select_each(selection, operator, value, operator== SQL_GLOB ? add_glob : add_path, error);
}

enum histree_status sql_select_by_pattern(struct histree_selection *selection, sqlite3_value *value,
					  struct histree_error *error)
{
	const char *pattern = (const char *)sqlite3_value_text(value);
	histree_selection_none(selection);
	return pattern == NULL ? HISTREE_OK : histree_selection_add_pattern(selection, pattern, error);
}

/* ---- hosts -------------------------------------------------------------------------------------------- */

static void name_host(const struct histree_history_host *hosts, size_t count, sqlite3_value *value, bool *wanted)
{
	const char *name = (const char *)sqlite3_value_text(value);
	for (size_t i = 0; name != NULL && i < count; i++)
		wanted[i] = wanted[i] || strcmp(hosts[i].name, name) == 0;
}

static int name_hosts(const struct histree_history_host *hosts, size_t count, enum sql_operator operator,
		      sqlite3_value * value, bool *wanted)
{
	sqlite3_value *each;
	if (operator!= SQL_IN) {
		name_host(hosts, count, value, wanted);
		return SQLITE_OK;
	}
	int code = sqlite3_vtab_in_first(value, &each);
	while (code == SQLITE_OK && each != NULL) {
		name_host(hosts, count, each, wanted);
		code = sqlite3_vtab_in_next(value, &each);
	}
	return code;
}

static enum histree_status keep_hosts(struct histree_selection *selection, const struct histree_history_host *hosts,
				      size_t count, const bool *wanted, struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	size_t kept = 0;
	for (size_t i = 0; !selection->has_all && i < selection->count; i++)
		if (wanted[histree_history_host_of(selection->history, selection->quarks[i])])
			selection->quarks[kept++] = selection->quarks[i];
	if (!selection->has_all) {
		selection->count = kept;
		return HISTREE_OK;
	}
	histree_selection_none(selection);
	for (size_t i = 0; i < count && status == HISTREE_OK; i++)
		for (uint64_t k = 0; wanted[i] && k <= hosts[i].count && status == HISTREE_OK; k++)
			status = histree_selection_add_quark(selection, hosts[i].folder + k, error);
	return status;
}

enum histree_status sql_select_by_host(struct histree_selection *selection, enum sql_operator operator,
				       sqlite3_value * value, struct histree_error *error)
{
	size_t count;
	const struct histree_history_host *hosts = histree_history_hosts(selection->history, &count);
	bool *wanted = calloc(count + 1, sizeof(*wanted));
	if (wanted == NULL)
		return error_memory(error, "a list of hosts");
	int code = name_hosts(hosts, count, operator, value, wanted);
	enum histree_status status = code == SQLITE_OK || code == SQLITE_DONE
					     ? keep_hosts(selection, hosts, count, wanted, error)
					     : error_memory(error, "a list of hosts");
	free(wanted);
	return status;
}

void sql_result_path(sqlite3_context *context, struct histree_selection *selection, histree_quark quark)
{
	size_t size;
	const char *path = histree_selection_path(selection, quark, &size);
	if (path != NULL)
		sqlite3_result_text64(context, path, size, SQLITE_TRANSIENT, SQLITE_UTF8);
	else
		sqlite3_result_error_nomem(context);
}
