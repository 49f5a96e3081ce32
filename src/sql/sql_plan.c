// SPDX-License-Identifier: MIT
/*
 * sql_plan.c - constraints of SQLite as words, and words as what the library is asked for.
 */
#include "sql/sql_plan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

static const char *const signs[] = {
	[SQL_EQUAL] = "=",   [SQL_IN] = "in",       [SQL_LESS] = "<",    [SQL_AT_MOST] = "<=",
	[SQL_GREATER] = ">", [SQL_AT_LEAST] = ">=", [SQL_GLOB] = "glob",
};

enum sql_operator sql_plan_operator(sqlite3_index_info *info, int constraint)
{
	const struct sqlite3_index_constraint *asked = &info->aConstraint[constraint];
	if (!asked->usable)
		return SQL_NONE;
	switch (asked->op) {
	case SQLITE_INDEX_CONSTRAINT_EQ:
		if (strcmp(sqlite3_vtab_collation(info, constraint), "BINARY") != 0)
			return SQL_NONE;
		return sqlite3_vtab_in(info, constraint, -1) ? SQL_IN : SQL_EQUAL;
	case SQLITE_INDEX_CONSTRAINT_LT:
		return SQL_LESS;
	case SQLITE_INDEX_CONSTRAINT_LE:
		return SQL_AT_MOST;
	case SQLITE_INDEX_CONSTRAINT_GT:
		return SQL_GREATER;
	case SQLITE_INDEX_CONSTRAINT_GE:
		return SQL_AT_LEAST;
	case SQLITE_INDEX_CONSTRAINT_GLOB:
		return SQL_GLOB;
	default:
		return SQL_NONE;
	}
}

static bool add_words(struct sql_plan *plan, const char *before, const char *text, const char *between,
		      const char *after)
{
	size_t room = sizeof(plan->text) - plan->used;
	int size = snprintf(plan->text + plan->used, room, "%s%s%s%s", before, text, between, after);
	if (size < 0 || (size_t)size >= room) {
		plan->text[plan->used] = '\0';
		return false;
	}
	plan->used += (size_t)size;
	return true;
}

bool sql_plan_take(struct sql_plan *plan, int constraint, const char *column, enum sql_operator operator)
{
	char sign[16];
	snprintf(sign, sizeof(sign), " %s ?", signs[operator]);
	if (!add_words(plan, plan->arguments > 0 ? " and " : "", column, sign, ""))
		return false;
	if (operator== SQL_IN)
		sqlite3_vtab_in(plan->info, constraint, 1);
	plan->info->aConstraintUsage[constraint].argvIndex = ++plan->arguments;
	return true;
}

void sql_plan_order(struct sql_plan *plan, const char *order)
{
	add_words(plan, plan->arguments > 0 ? ", " : "", "in order of ", order, "");
}

int sql_plan_finish(const struct sql_plan *plan)
{
	plan->info->idxStr = sqlite3_mprintf("%s", plan->text);
	plan->info->needToFreeIdxStr = 1;
	return plan->info->idxStr == NULL ? SQLITE_NOMEM : SQLITE_OK;
}

bool sql_term_next(const char **plan, struct sql_term *out)
{
	const char *at = *plan;
	if (strncmp(at, " and ", 5) == 0)
		at += 5;
	size_t column = strcspn(at, " ,");
	if (column == 0 || at[column] != ' ' || strncmp(at, "in order", 8) == 0)
		return false;
	const char *sign = at + column + 1;
	size_t size = strcspn(sign, " ");
	*out = (struct sql_term){ .column = at, .column_size = column };
	for (size_t i = SQL_EQUAL; i < sizeof(signs) / sizeof(*signs); i++)
		if (strlen(signs[i]) == size && memcmp(signs[i], sign, size) == 0)
			out->operator=(enum sql_operator) i;
	*plan = sign + size + sizeof(" ?") - 1;
	return true;
}

bool sql_term_is_of(const struct sql_term *term, const char *column)
{
	return strncmp(term->column, column, term->column_size) == 0 && column[term->column_size] == '\0';
}

/* ---- windows ------------------------------------------------------------------------------------------ */

static const enum histree_comparison comparisons[] = {
	[SQL_EQUAL] = HISTREE_EQUAL_TO, [SQL_LESS] = HISTREE_BELOW,        [SQL_AT_MOST] = HISTREE_AT_MOST,
	[SQL_GREATER] = HISTREE_ABOVE,  [SQL_AT_LEAST] = HISTREE_AT_LEAST,
};

void sql_window_narrow(struct histree_window *window, enum sql_operator operator, sqlite3_value * value)
{
	struct histree_value number;
	switch (sqlite3_value_numeric_type(value)) {
	case SQLITE_NULL:
		number = histree_null();
		break;
	case SQLITE_INTEGER:
		number = histree_long(sqlite3_value_int64(value));
		break;
	case SQLITE_FLOAT:
		number = histree_double(sqlite3_value_double(value));
		break;
	default:
		return;
	}
	if (operator!= SQL_NONE && operator!= SQL_IN && operator!= SQL_GLOB)
		histree_window_narrow(window, comparisons[operator], &number);
}

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
