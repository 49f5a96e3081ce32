// SPDX-License-Identifier: MIT
/*
 * sql_table.c - the module of SQLite that presents any relation (sql_table.h): constraints become the words of a
 * plan, and these become a query of the library.
 *
 * Only the plan's text goes from a plan to its cursor: table_best_index() chooses constraints by the roles of their
 * columns, and table_filter() reads from the text which ones were chosen.  A cursor stands at a row of the batch
 * that the relation read last, so most rows cost an addition.
 */
#include "sql/sql_table.h"

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/costly.h"
#include "base/error.h"
#include "base/hash_index.h"
#include "base/search.h"
#include "base/sqlite.h"
#include "base/table.h"
#include "histree/states.h"
#include "sql/sql_store.h"

static inline bool sql_is_comparison(enum sql_operator operation)
{
	return operation == SQL_EQUAL || (operation >= SQL_LESS && operation <= SQL_AT_LEAST);
}

struct sql_plan {
	sqlite3_index_info *info;
	char text[512];
	size_t used;
	int arguments;
};

static inline struct sql_plan sql_plan(sqlite3_index_info *info)
{
	return (struct sql_plan){ .info = info };
}

struct sql_term {
	const char *column;
	size_t column_size;
	enum sql_operator operation;
};

/* ---- sql plan ------------------------------------------------------------------------------------------------ */

static const char *const signs[] = {
	[SQL_EQUAL] = "=",   [SQL_IN] = "in",       [SQL_LESS] = "<",    [SQL_AT_MOST] = "<=",
	[SQL_GREATER] = ">", [SQL_AT_LEAST] = ">=", [SQL_GLOB] = "glob",
};

/*
 * Returns what a constraint says of its column: one of the operators above, or SQL_NONE if it is any other, or
 * cannot be used now, or compares text other than byte by byte.
 */
static enum sql_operator sql_plan_operator(sqlite3_index_info *info, int constraint)
{
	assert(constraint >= 0 && constraint < info->nConstraint);
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
	assert(plan->used < sizeof(plan->text));
	size_t room = sizeof(plan->text) - plan->used;
	int size = snprintf(plan->text + plan->used, room, "%s%s%s%s", before, text, between, after);
	if (size < 0 || (size_t)size >= room) {
		plan->text[plan->used] = '\0';
		return false;
	}
	plan->used += (size_t)size;
	return true;
}

/* Takes a constraint over.  Returns false, without taking it, if the plan has no room for it. */
static bool sql_plan_take(struct sql_plan *plan, int constraint, const char *column, enum sql_operator operation)
{
	char sign[16];
	assert(operation != SQL_NONE);
	assert(plan->info->aConstraintUsage[constraint].argvIndex == 0);
	snprintf(sign, sizeof(sign), " %s ?", signs[operation]);
	if (!add_words(plan, plan->arguments > 0 ? " and " : "", column, sign, ""))
		return false;
	if (operation == SQL_IN)
		sqlite3_vtab_in(plan->info, constraint, 1);
	plan->info->aConstraintUsage[constraint].argvIndex = ++plan->arguments;
	return true;
}

/* Reads the next term, and goes behind it.  Returns false if the plan has no more terms. */
static bool sql_term_next(const char **plan, struct sql_term *out)
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
			out->operation = (enum sql_operator)i;
	/* What was planned was written by sql_plan_take(). */
	assert(out->operation != SQL_NONE);
	assert(strncmp(sign + size, " ?", 2) == 0);
	*plan = sign + size + sizeof(" ?") - 1;
	return true;
}

static bool sql_term_is_of(const struct sql_term *term, const char *column)
{
	return strncmp(term->column, column, term->column_size) == 0 && column[term->column_size] == '\0';
}

/* ---- windows ------------------------------------------------------------------------------------------ */

static const enum histree_comparison comparisons[] = {
	[SQL_EQUAL] = HISTREE_EQUAL_TO, [SQL_LESS] = HISTREE_BELOW,        [SQL_AT_MOST] = HISTREE_AT_MOST,
	[SQL_GREATER] = HISTREE_ABOVE,  [SQL_AT_LEAST] = HISTREE_AT_LEAST,
};

void sql_window_narrow(struct histree_window *window, enum sql_operator operation, sqlite3_value *value)
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
	if (operation != SQL_NONE && operation != SQL_IN && operation != SQL_GLOB)
		histree_window_narrow(window, comparisons[operation], &number);
}

/* ---- one value, or each of a list ---------------------------------------------------------------------- */

typedef enum histree_status (*adder)(struct sql_cursor *cursor, sqlite3_value *value, struct histree_error *error);

/* Select, instead of what was selected, what "quark, path or thread operator value" leaves, or more. */
static enum histree_status select_each(struct sql_cursor *cursor, enum sql_operator operation, sqlite3_value *value,
				       adder add, struct histree_error *error)
{
	sqlite3_value *each;
	histree_selection_none(&cursor->selection);
	if (operation != SQL_IN)
		return add(cursor, value, error);
	int code = sqlite3_vtab_in_first(value, &each);
	while (code == SQLITE_OK && each != NULL) {
		enum histree_status status = add(cursor, each, error);
		if (status != HISTREE_OK)
			return status;
		code = sqlite3_vtab_in_next(value, &each);
	}
	return code == SQLITE_OK || code == SQLITE_DONE ? HISTREE_OK : error_memory(error, "a list of attributes");
}

/* Gets a value that is a whole number and not negative; returns false if it is something else, such as 1.5. */
static bool read_whole(sqlite3_value *value, uint64_t *out)
{
	struct histree_window window = HISTREE_WINDOW_ALL;
	sql_window_narrow(&window, SQL_EQUAL, value);
	*out = (uint64_t)window.from;
	return !window.is_empty && window.from == window.to && window.from >= 0;
}

/* A number that is no quark leaves nothing. */
static enum histree_status add_number(struct sql_cursor *cursor, sqlite3_value *value, struct histree_error *error)
{
	uint64_t quark;
	return read_whole(value, &quark) ? histree_selection_add_quark(&cursor->selection, quark, error)
					 : HISTREE_OK;
}

/* ---- paths -------------------------------------------------------------------------------------------- */

/* Of a path with a zero byte in it nothing is found here, as SQLite's own text functions would not. */
static enum histree_status add_path(struct sql_cursor *cursor, sqlite3_value *value, struct histree_error *error)
{
	const char *path = (const char *)sqlite3_value_text(value);
	return path == NULL ? HISTREE_OK : histree_selection_add_path(&cursor->selection, path, error);
}

static bool is_matched(void *context, histree_quark quark, const char *path, size_t size)
{
	(void)quark;
	(void)size;
	return sqlite3_strglob(*(const char **)context, path) == 0;
}

static enum histree_status add_glob(struct sql_cursor *cursor, sqlite3_value *value, struct histree_error *error)
{
	struct histree_selection *selection = &cursor->selection;
	const char *pattern = (const char *)sqlite3_value_text(value);
	histree_quark top = HISTREE_ROOT;
	if (pattern == NULL)
		return HISTREE_OK;

	/* The size of the path of the folder below which a pattern of SQLite lies; 0: it may lie anywhere. */
	size_t folder = 0;
	bool is_escaped = false;
	for (size_t i = 0; pattern[i] != '\0' && strchr("*?[", pattern[i]) == NULL; i++) {
		if (pattern[i] == '/' && !is_escaped)
			folder = i;
		is_escaped = pattern[i] == '\\' && !is_escaped;
	}

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

/* Select what matches a pattern of histree (attributes.h); a pattern that matches nothing is no error. */
static enum histree_status sql_select_by_pattern(struct histree_selection *selection, sqlite3_value *value,
						 struct histree_error *error)
{
	const char *pattern = (const char *)sqlite3_value_text(value);
	histree_selection_none(selection);
	return pattern == NULL ? HISTREE_OK : histree_selection_add_pattern(selection, pattern, error);
}

/* ---- threads ------------------------------------------------------------------------------------------ */

/* Where the row of a thread begins: what is of the thread is there and below. */
struct sql_thread_row {
	int32_t tid;
	histree_quark quark;
};

COMPARE(by_thread, struct sql_thread_row, BY(tid))

/* Finds the rows of all threads, the first time that one is asked for. */
static enum histree_status find_thread_rows(struct sql_table *table, struct histree_error *error)
{
	const struct histree_attributes *attributes = histree_history_attributes(table->history);
	struct sql_thread_row *rows = NULL;
	size_t count = 0, capacity = 0;
	bool has_memory = array_reserve(&rows, &capacity, 1);
	for (histree_quark quark = 0; has_memory && quark < histree_attributes_count(attributes); quark++) {
		const int32_t tid = histree_attributes_thread(attributes, quark);
		const histree_quark above = histree_attributes_parent(attributes, quark);
		if (tid == 0 || (above != HISTREE_ROOT && histree_attributes_thread(attributes, above) == tid))
			continue;
		has_memory = array_reserve(&rows, &capacity, count + 1);
		if (has_memory)
			rows[count++] = (struct sql_thread_row){ .tid = tid, .quark = quark };
	}
	if (!has_memory) {
		free(rows);
		return error_memory(error, "the rows of threads");
	}
	qsort(rows, count, sizeof(*rows), by_thread);
	table->thread_rows = rows;
	table->thread_row_count = count;
	return HISTREE_OK;
}

static enum histree_status add_thread(struct sql_cursor *cursor, sqlite3_value *value, struct histree_error *error)
{
	struct sql_table *table = sql_table_of(cursor);
	const struct histree_attributes *attributes = histree_history_attributes(table->history);
	uint64_t tid;
	if (!read_whole(value, &tid) || tid > INT32_MAX)
		return HISTREE_OK;
	enum histree_status status = table->thread_rows == NULL ? find_thread_rows(table, error) : HISTREE_OK;
	if (status != HISTREE_OK)
		return status;
	const struct sql_thread_row *rows = table->thread_rows, *end = rows + table->thread_row_count;
	const size_t first = SEARCH(i, 0, table->thread_row_count, rows[i].tid < (int32_t)tid);
	for (const struct sql_thread_row *row = rows + first; row < end && row->tid == (int32_t)tid; row++)
		for (histree_quark quark = row->quark; status == HISTREE_OK && quark != HISTREE_ROOT;
		     quark = histree_attributes_next_below(attributes, row->quark, quark))
			status = histree_selection_add_quark(&cursor->selection, quark, error);
	return status;
}

/* ---- hosts -------------------------------------------------------------------------------------------- */

static void name_host(const struct histree_history_host *hosts, size_t count, sqlite3_value *value, bool *wanted)
{
	const char *name = (const char *)sqlite3_value_text(value);
	for (size_t i = 0; name != NULL && i < count; i++)
		wanted[i] = wanted[i] || strcmp(hosts[i].name, name) == 0;
}

static int name_hosts(const struct histree_history_host *hosts, size_t count, enum sql_operator operation,
		      sqlite3_value *value, bool *wanted)
{
	sqlite3_value *each;
	if (operation != SQL_IN) {
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
	assert(hosts != NULL || count == 0);
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

/* Leave, of what was selected, what is of the hosts that "host operator value" names: the shards of others rest. */
static enum histree_status sql_select_by_host(struct histree_selection *selection, enum sql_operator operation,
					      sqlite3_value *value, struct histree_error *error)
{
	size_t count;
	const struct histree_history_host *hosts = histree_history_hosts(selection->history, &count);
	bool *wanted = calloc(count + 1, sizeof(*wanted));
	if (wanted == NULL)
		return error_memory(error, "a list of hosts");
	int code = name_hosts(hosts, count, operation, value, wanted);
	enum histree_status status = code == SQLITE_OK || code == SQLITE_DONE
					     ? keep_hosts(selection, hosts, count, wanted, error)
					     : error_memory(error, "a list of hosts");
	free(wanted);
	return status;
}

/* ---- sql table ----------------------------------------------------------------------------------------------- */

static const char limit_term[] = "limit";

static struct sql_cursor *cursor_of(sqlite3_vtab_cursor *base)
{
	return (struct sql_cursor *)base;
}

/* ---- failures ------------------------------------------------------------------------------------------ */

static int fail_with(char **message, const struct histree_error *error)
{
	sqlite3_free(*message);
	*message = sqlite3_mprintf("%s", error->message);
	if (error->status == HISTREE_ERR_CANCELLED)
		return SQLITE_INTERRUPT;
	return error->status == HISTREE_ERR_MEMORY ? SQLITE_NOMEM : SQLITE_ERROR;
}

static int cursor_fail(struct sql_cursor *cursor, const struct histree_error *error)
{
	int code = fail_with(&cursor->base.pVtab->zErrMsg, error);
	return cursor->code != SQLITE_OK ? cursor->code : code;
}

/* ---- the table ----------------------------------------------------------------------------------------- */

/* SQLite hands out arguments as they are written: 'it''s' or "it" or it. */
static char *without_quotes(const char *argument)
{
	char quote = argument[0];
	if (quote != '\'' && quote != '"')
		return sqlite3_mprintf("%s", argument);
	char *text = sqlite3_mprintf("%s", argument + 1);
	if (text == NULL)
		return NULL;
	char *to = text;
	for (const char *from = text; *from != '\0'; from++) {
		if (*from == quote && *++from != quote)
			break;
		*to++ = *from;
	}
	*to = '\0';
	return text;
}

enum histree_status sql_table_add(struct sql_table *table, const struct sql_column *column,
				  struct histree_error *error)
{
	if (!array_reserve(&table->columns, &table->column_capacity, table->column_count + 1) ||
	    !array_reserve(&table->places, &table->place_capacity, table->column_count + 1))
		return error_memory(error, "the columns of a table");
	table->places[table->column_count] = (struct sql_place){ .cell = column->cell, .offset = column->offset };
	table->columns[table->column_count++] = *column;
	return HISTREE_OK;
}

static bool has_hosts(const struct sql_table *table)
{
	size_t count;
	return table->history != NULL && histree_history_hosts(table->history, &count) != NULL;
}

static enum histree_status open_history(struct sql_table *table, const char *analysis, struct histree_error *error)
{
	enum histree_status status = sql_store_history(table->store, analysis, &table->history, error);
	if (status != HISTREE_OK)
		return status;
	table->info = histree_history_info(table->history);
	if (table->relation->has_paths && (table->paths = sql_store_paths(table->store, table->history)) == NULL)
		return error_memory(error, "the paths of attributes");
	return HISTREE_OK;
}

static enum histree_status open_table(struct sql_table *table, struct sql_connection *connection, const char *path,
				      const struct sql_origin *origin, struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	table->rows = sql_connection_row_counter(connection);
	if (!table->relation->is_of_no_store)
		status = sql_store_share(connection, path, &table->store, error);
	if (status == HISTREE_OK && table->relation->is_of_history)
		status = open_history(table, origin->analysis, error);
	if (status == HISTREE_OK) {
		for (const struct sql_column *each = table->relation->columns;
		     status == HISTREE_OK && each->name != NULL; each++) {
			bool is_argument = each->role >= SQL_ARGUMENT;
			if (is_argument && table->argument_count++ == 0)
				table->first_argument = (int)table->column_count;
			if (each->cell != SQL_HOST || has_hosts(table))
				status = sql_table_add(table, each, error);
		}
	}
	if (status == HISTREE_OK && table->relation->open != NULL)
		status = table->relation->open(table, origin, error);
	return status;
}

static void free_cursor(struct sql_cursor *cursor)
{
	if (cursor == NULL)
		return;
	if (sql_table_of(cursor)->relation->end != NULL)
		sql_table_of(cursor)->relation->end(cursor);
	histree_selection_release(&cursor->selection);
	free(cursor);
}

static int table_disconnect(sqlite3_vtab *base)
{
	struct sql_table *table = (struct sql_table *)base;
	free_cursor(table->idle);
	if (table->relation->close != NULL)
		table->relation->close(table);
	sql_store_leave(table->store);
	free(table->thread_rows);
	free(table->columns);
	free(table->places);
	free(table);
	return SQLITE_OK;
}

/* The arguments of CREATE VIRTUAL TABLE, after the name of the module. */
enum { SCHEMA = 1, STORE = 3, ANALYSIS = 4 };

static int table_connect(sqlite3 *db, void *data, int argument_count, const char *const *arguments,
			 sqlite3_vtab **out, char **message)
{
	const struct sql_module *module = data;
	struct histree_error error;
	if (argument_count <= STORE && !module->relation->is_of_no_store) {
		*message = sqlite3_mprintf(
			"%s needs the path of a store; histree_attach(PATH) makes all tables of one", arguments[0]);
		return SQLITE_ERROR;
	}
	const size_t own_size = module->relation->table_size;
	assert(module->relation->next != NULL && (own_size == 0 || own_size >= sizeof(struct sql_table)));
	struct sql_table *table = calloc(1, own_size != 0 ? own_size : sizeof(struct sql_table));
	char *path = without_quotes(argument_count > STORE ? arguments[STORE] : "");
	char *analysis = without_quotes(argument_count > ANALYSIS ? arguments[ANALYSIS] : "");
	int code = table == NULL || path == NULL || analysis == NULL ? SQLITE_NOMEM : SQLITE_OK;
	if (code == SQLITE_OK) {
		const struct sql_origin origin = { .db = db, .schema = arguments[SCHEMA], .analysis = analysis };
		table->relation = module->relation;
		if (open_table(table, module->connection, path, &origin, &error) != HISTREE_OK)
			code = fail_with(message, &error);
	}
	if (code == SQLITE_OK) {
		sqlite3_str *text = sqlite3_str_new(db);
		for (size_t i = 0; i < table->column_count; i++) {
			sqlite3_str_appendall(text, i == 0 ? "CREATE TABLE x(" : ", ");

			/*
			 * Names of ours need no format, which costs more than all the rest where no statement
			 * follows.
			 */
			sqlite3_str_appendall(text, "\"");
			if (table->columns[i].prefix != NULL)
				sqlite3_str_appendall(text, table->columns[i].prefix);
			if (strchr(table->columns[i].name, '"') != NULL)
				sqlite3_str_appendf(text, "%w", table->columns[i].name);
			else
				sqlite3_str_appendall(text, table->columns[i].name);
			sqlite3_str_appendall(text, "\" ");
			sqlite3_str_appendall(text, table->columns[i].type);
		}
		if (table->relation->key != NULL)
			sqlite3_str_appendf(text, ", PRIMARY KEY(%s)) WITHOUT ROWID", table->relation->key);
		else
			sqlite3_str_appendall(text, ")");
		char *declaration = sqlite3_str_finish(text);
		code = declaration == NULL ? SQLITE_NOMEM : sqlite3_declare_vtab(db, declaration);
		sqlite3_free(declaration);
	}
	sqlite3_free(path);
	sqlite3_free(analysis);
	if (code == SQLITE_OK)
		*out = &table->base;
	else if (table != NULL && table->relation != NULL)
		table_disconnect(&table->base);
	else
		free(table);
	return code;
}

/* ---- the plan ------------------------------------------------------------------------------------------ */

static const struct sql_column *column_at(const struct sql_table *table, int number)
{
	static const struct sql_column none;
	return number >= 0 && (size_t)number < table->column_count ? &table->columns[number] : &none;
}

static const char *term_of(const struct sql_column *column)
{
	return column->term != NULL ? column->term : column->name;
}

/* Returns the constraint that gives an argument; -1 if no constraint does. */
static int find_argument(sqlite3_index_info *info, int column, bool *is_asked)
{
	*is_asked = false;
	for (int i = 0; i < info->nConstraint; i++) {
		if (info->aConstraint[i].iColumn != column)
			continue;
		*is_asked = true;
		if (sql_plan_operator(info, i) != SQL_NONE)
			return i;
	}
	return -1;
}

/*
 * Take the arguments of a table function in their order.  Returns SQLITE_CONSTRAINT if one cannot be known now, is
 * missing, or stands behind one that is.
 */
static int take_arguments(const struct sql_table *table, struct sql_plan *plan)
{
	bool has_ended = false;
	for (int i = table->first_argument; i < table->first_argument + table->argument_count; i++) {
		bool is_asked;
		int constraint = find_argument(plan->info, i, &is_asked);
		if (is_asked && (has_ended || constraint < 0))
			return SQLITE_CONSTRAINT;
		has_ended = !is_asked;
		if (has_ended)
			continue;
		/* Of a list, SQLite asks for one after the other. */
		enum sql_operator operation = sql_plan_operator(plan->info, constraint);
		if ((operation != SQL_EQUAL && operation != SQL_IN) ||
		    !sql_plan_take(plan, constraint, term_of(&table->columns[i]), SQL_EQUAL))
			return SQLITE_CONSTRAINT;
		plan->info->aConstraintUsage[constraint].omit = 1;
	}
	return plan->arguments < table->relation->required ? SQLITE_CONSTRAINT : SQLITE_OK;
}

static enum sql_rank attribute_rank(enum sql_role role, enum sql_operator operation)
{
	if (role != SQL_BY_QUARK && role != SQL_BY_PATH && role != SQL_BY_THREAD)
		return SQL_ALL_ATTRIBUTES;
	if (operation == SQL_EQUAL)
		return role == SQL_BY_QUARK ? SQL_QUARK_IS : role == SQL_BY_PATH ? SQL_PATH_IS : SQL_THREAD_IS;
	if (operation == SQL_IN)
		return role == SQL_BY_QUARK ? SQL_QUARK_IN : role == SQL_BY_PATH ? SQL_PATH_IN : SQL_THREAD_IN;
	return operation == SQL_GLOB && role == SQL_BY_PATH ? SQL_PATH_GLOB : SQL_ALL_ATTRIBUTES;
}

/* Takes the constraint that picks the attributes best; one is enough. */
static void take_attributes(const struct sql_table *table, struct sql_plan *plan, struct sql_taken *taken)
{
	sqlite3_index_info *info = plan->info;
	int best = -1;
	for (int i = 0; i < info->nConstraint; i++) {
		const enum sql_rank rank = attribute_rank(column_at(table, info->aConstraint[i].iColumn)->role,
							  sql_plan_operator(info, i));
		if (rank > taken->rank) {
			best = i;
			taken->rank = rank;
		}
	}
	if (best >= 0 && !sql_plan_take(plan, best, term_of(&table->columns[info->aConstraint[best].iColumn]),
					sql_plan_operator(info, best)))
		taken->rank = SQL_ALL_ATTRIBUTES;
}

/*
 * A limit tells how many rows to look for.  It is taken only where nothing is chosen besides, and rows come in the
 * order that is wanted: else SQLite may skip some.
 */
static void take_limit(struct sql_plan *plan, struct sql_taken *taken)
{
	sqlite3_index_info *info = plan->info;
	sqlite3_value *value;
	if (info->nConstraint != 1 || info->aConstraint[0].op != SQLITE_INDEX_CONSTRAINT_LIMIT ||
	    !info->aConstraint[0].usable || taken->order < 0 || !sql_plan_take(plan, 0, limit_term, SQL_EQUAL))
		return;
	bool is_known = sqlite3_vtab_rhs_value(info, 0, &value) == SQLITE_OK;
	double limit = is_known ? (double)sqlite3_value_int64(value) : 10;
	if (limit >= 0)
		taken->limit = limit;
}

static int table_best_index(sqlite3_vtab *base, sqlite3_index_info *info)
{
	const struct sql_table *table = (const struct sql_table *)base;
	const struct sql_relation *relation = table->relation;
	struct sql_plan plan = sql_plan(info);
	struct sql_taken taken = { .window = HISTREE_WINDOW_ALL, .guess = 1, .limit = 1e300, .order = -1 };
	int code = take_arguments(table, &plan);
	if (code != SQLITE_OK)
		return code;
	if (table->argument_count == 0)
		take_attributes(table, &plan, &taken);

	for (int i = 0; i < plan.info->nConstraint && !taken.has_host; i++) {
		const struct sql_column *column = column_at(table, plan.info->aConstraint[i].iColumn);
		enum sql_operator how = sql_plan_operator(plan.info, i);
		if (column->role == SQL_BY_HOST && (how == SQL_EQUAL || how == SQL_IN))
			taken.has_host = sql_plan_take(&plan, i, term_of(column), how);
	}

	/* Takes the comparisons, and guess what they leave. */
	sqlite3_value *value;
	for (int i = 0; i < plan.info->nConstraint; i++) {
		const struct sql_column *column = column_at(table, plan.info->aConstraint[i].iColumn);
		enum sql_operator operation = sql_plan_operator(plan.info, i);
		if (column->role < SQL_BY_START || column->role > SQL_BY_FIELD || !sql_is_comparison(operation) ||
		    (column->role == SQL_BY_FIELD && operation != SQL_EQUAL) ||
		    !sql_plan_take(&plan, i, term_of(column), operation))
			continue;
		taken.equals += operation == SQL_EQUAL;
		taken.bounds += operation != SQL_EQUAL;
		if (column->role > SQL_BY_END)
			taken.guess /= 2;
		else if (sqlite3_vtab_rhs_value(plan.info, i, &value) == SQLITE_OK)
			sql_window_narrow(&taken.window, operation, value);
		else
			taken.guess /= 10;
	}

	const struct sql_column *column = column_at(table, info->nOrderBy == 1 ? info->aOrderBy[0].iColumn : -1);
	taken.is_down = info->nOrderBy == 1 && info->aOrderBy[0].desc;
	if ((column->orders & (taken.is_down ? SQL_DOWN : SQL_UP)) != 0)
		taken.order = info->aOrderBy[0].iColumn;

	if (relation->has_limit)
		take_limit(&plan, &taken);
	taken.arguments = plan.arguments;

	char text[64];
	if (taken.order >= 0) {
		sqlite3_snprintf(sizeof(text), text, "%s%s", term_of(&table->columns[taken.order]),
				 taken.is_down ? ", downwards" : "");

		add_words(&plan, plan.arguments > 0 ? ", " : "", "in order of ", text, "");
		plan.info->orderByConsumed = 1;
	}

	info->estimatedRows = (sqlite3_int64)relation->rows + 1;
	info->estimatedCost = relation->cost;
	if (relation->estimate != NULL)
		relation->estimate(table, &taken, info);

	plan.info->idxStr = sqlite3_mprintf("%s", plan.text);
	plan.info->needToFreeIdxStr = 1;
	return plan.info->idxStr == NULL ? SQLITE_NOMEM : SQLITE_OK;
}

/* ---- the cursor ---------------------------------------------------------------------------------------- */

static int table_open_cursor(sqlite3_vtab *base, sqlite3_vtab_cursor **out)
{
	struct sql_table *table = (struct sql_table *)base;
	struct sql_cursor *cursor = table->idle;
	struct histree_error error;
	table->idle = NULL;
	if (cursor != NULL) {
		assert(cursor->base.pVtab == base);
		*out = &cursor->base;
		return SQLITE_OK;
	}
	assert(table->relation->cursor_size >= sizeof(struct sql_cursor));
	cursor = calloc(1, table->relation->cursor_size);
	if (cursor == NULL)
		return SQLITE_NOMEM;
	cursor->base.pVtab = base;
	cursor->row = (const char *)cursor; /* of a relation whose cells lie elsewhere */
	cursor->row_size = table->relation->row_size;
	histree_selection_begin(&cursor->selection, table->history);
	if (table->relation->begin != NULL && table->relation->begin(cursor, &error) != HISTREE_OK) {
		histree_selection_release(&cursor->selection);
		free(cursor);
		return fail_with(&base->zErrMsg, &error);
	}
	*out = &cursor->base;
	return SQLITE_OK;
}

/* A prepared statement opens its cursors whenever it is run. */
static int table_close_cursor(sqlite3_vtab_cursor *base)
{
	struct sql_cursor *cursor = cursor_of(base);
	struct sql_table *table = sql_table_of(cursor);
	if (table->idle == NULL && table->relation->is_small != NULL && table->relation->is_small(cursor))
		table->idle = cursor;
	else
		free_cursor(cursor);
	return SQLITE_OK;
}

static __attribute__((noinline)) int read_rows(struct sql_cursor *cursor)
{
	struct histree_error error;
	enum histree_status status = sql_table_of(cursor)->relation->next(cursor, &error);
	assert(status != HISTREE_OK || cursor->row != NULL);
	cursor->is_done = status != HISTREE_OK;
	return status >= 0 ? SQLITE_OK : cursor_fail(cursor, &error);
}

static int table_next(sqlite3_vtab_cursor *base)
{
	struct sql_cursor *cursor = cursor_of(base);
	cursor->number++;
	if (cursor->left == 0)
		return read_rows(cursor);
	costly_assert(cursor->row_size > 0 || sql_table_of(cursor)->relation->cell != NULL);
	cursor->left--;
	cursor->row += cursor->row_size;
	return SQLITE_OK;
}

static enum histree_status take_term(struct sql_cursor *cursor, const struct sql_term *term, sqlite3_value *value,
				     struct histree_error *error)
{
	const struct sql_table *table = sql_table_of(cursor);
	struct histree_selection *selection = &cursor->selection;

	size_t i = 0;
	while (i < table->column_count &&
	       (table->columns[i].role == SQL_NOTHING || !sql_term_is_of(term, term_of(&table->columns[i]))))
		i++;
	int column = (int)i;
	const enum sql_role role = column_at(table, column)->role;

	/* SQLite would read '+5ms' as the number 5, or 'now' as 0. */
	if (role >= SQL_TIME && sqlite3_value_numeric_type(value) == SQLITE_TEXT)
		return error_set(error, HISTREE_ERR_ARGUMENT,
				 "%s: '%s' is a text, and a time is a number of ns: "
				 "write histree_time('%s')",
				 table->relation->name, sqlite3_value_text(value), sqlite3_value_text(value));
	switch (role) {
	case SQL_BY_QUARK:
		return select_each(cursor, term->operation, value, add_number, error);
	case SQL_BY_PATH:
		return select_each(cursor, term->operation, value,
				   term->operation == SQL_GLOB ? add_glob : add_path, error);
	case SQL_BY_THREAD:
		return select_each(cursor, term->operation, value, add_thread, error);
	case SQL_BY_HOST:
		return sql_select_by_host(selection, term->operation, value, error);
	case SQL_PATTERN:
		return sql_select_by_pattern(selection, value, error);
	case SQL_BY_START:
		sql_window_narrow(&cursor->selection.window, term->operation, value);
		if (term->operation != SQL_LESS && term->operation != SQL_AT_MOST)
			sql_window_narrow(&cursor->starts, term->operation, value);
		break;
	case SQL_BY_END:
	case SQL_AT:
		sql_window_narrow(&selection->window, term->operation, value);
		break;
	case SQL_FROM:
		sql_window_narrow(&selection->window, SQL_AT_LEAST, value);
		break;
	case SQL_TO:
		sql_window_narrow(&selection->window, SQL_AT_MOST, value);
		break;
	case SQL_BY_NUMBER:
	case SQL_BY_FIELD:
		assert(table->relation->narrow != NULL);
		table->relation->narrow(cursor, column, term->operation, value);
		break;
	default:
		if (sql_term_is_of(term, limit_term)) /* 0 asks for nothing, and a negative one for all */
			cursor->limit = sqlite3_value_int64(value) > 0 ? (uint64_t)sqlite3_value_int64(value) : 0;
		break;
	}
	return HISTREE_OK;
}

static int table_filter(sqlite3_vtab_cursor *base, int order, const char *plan, int argument_count,
			sqlite3_value **arguments)
{
	struct sql_cursor *cursor = cursor_of(base);
	const struct sql_relation *relation = sql_table_of(cursor)->relation;
	struct histree_error error;
	struct sql_term term;
	enum histree_status status = HISTREE_OK;
	cursor->order = order;
	cursor->number = 0;
	cursor->left = 0;
	cursor->limit = 0;
	cursor->code = SQLITE_OK;
	cursor->is_done = true;
	cursor->starts = HISTREE_WINDOW_ALL;
	cursor->arguments = arguments;
	cursor->argument_count = argument_count;
	histree_selection_all(&cursor->selection);
	if (relation->clear != NULL)
		relation->clear(cursor);
	for (int i = 0; status == HISTREE_OK && i < argument_count && sql_term_next(&plan, &term); i++)
		status = take_term(cursor, &term, arguments[i], &error);
	if (status == HISTREE_OK && relation->start != NULL)
		status = relation->start(cursor, &error);
	if (status < 0)
		return cursor_fail(cursor, &error);
	return status == HISTREE_OK ? table_next(base) : SQLITE_OK;
}

static int table_is_at_end(sqlite3_vtab_cursor *base)
{
	return cursor_of(base)->is_done;
}

static int table_row_id(sqlite3_vtab_cursor *base, sqlite3_int64 *out)
{
	const struct sql_cursor *cursor = cursor_of(base);
	const struct sql_table *table = sql_table_of(cursor);
	const void *first = cursor->row;
	if (!table->relation->is_numbered)
		*out = cursor->number;
	else if (table->columns[0].cell == SQL_UINT32)
		*out = *(const uint32_t *)first;
	else
		*out = *(const sqlite3_int64 *)first;
	return SQLITE_OK;
}

bool sql_cursor_region(struct sql_cursor *cursor, struct histree_region *out)
{
	const struct sql_table *table = sql_table_of(cursor);
	struct histree_window window = cursor->selection.window;
	assert(table->info != NULL);
	if (table->argument_count > 0 && !window.is_empty &&
	    (window.from > window.to || !histree_window_fit(&window, table->info->start, table->info->end))) {
		sql_connection_warn_of_time(sql_store_connection(table->store), table->info->start,
					    table->info->end);
		return false;
	}
	return histree_selection_region(&cursor->selection, out);
}

struct histree_work sql_cursor_cancel(const struct sql_cursor *cursor)
{
	return sql_connection_cancel(sql_store_connection(sql_table_of(cursor)->store));
}

void sql_cursor_warn(const struct sql_cursor *cursor)
{
	const struct sql_table *table = sql_table_of(cursor);
	sql_connection_warn_of_history(sql_store_connection(table->store), sql_store_info(table->store)->path,
				       table->history);
}

/* ---- cells --------------------------------------------------------------------------------------------- */

__attribute__((noinline)) void sql_result_value(sqlite3_context *context, const struct histree_value *value)
{
	switch (value->type) {
	case HISTREE_INT:
		sqlite3_result_int(context, value->int32);
		break;
	case HISTREE_LONG:
		sqlite3_result_int64(context, value->int64);
		break;
	case HISTREE_DOUBLE:
		sqlite3_result_double(context, value->real);
		break;
	case HISTREE_BOOL:
		sqlite3_result_int(context, value->boolean);
		break;
	case HISTREE_STRING:
		sqlite3_result_text64(context, value->bytes, value->size, SQLITE_TRANSIENT, SQLITE_UTF8);
		break;
	case HISTREE_CUSTOM:
		sqlite3_result_blob64(context, value->bytes, value->size, SQLITE_TRANSIENT);
		break;
	default: /* null or unknown */
		sqlite3_result_null(context);
		break;
	}
}

void sql_result_uint64(sqlite3_context *context, uint64_t number)
{
	sqlite3_result_int64(context, number > INT64_MAX ? INT64_MAX : (sqlite3_int64)number);
}

static void sql_result_path(sqlite3_context *context, struct sql_cursor *cursor, histree_quark quark)
{
	size_t size;
	struct sql_paths *paths = sql_table_of(cursor)->paths;
	const char *kept = paths != NULL ? sql_paths_get(paths, quark, &size) : NULL;
	const char *path = kept != NULL ? kept : histree_selection_path(&cursor->selection, quark, &size);
	if (path != NULL)
		sqlite3_result_text64(context, path, size, kept != NULL ? SQLITE_STATIC : SQLITE_TRANSIENT,
				      SQLITE_UTF8);
	else
		sqlite3_result_error_nomem(context);
}

static void result_thread(sqlite3_context *context, const struct histree_attributes *attributes,
			  histree_quark quark)
{
	const int32_t tid = histree_attributes_thread(attributes, quark);
	if (tid != 0)
		sqlite3_result_int(context, tid);
}

static void result_host(sqlite3_context *context, const struct histree_history *history, histree_quark quark)
{
	size_t count;
	const struct histree_history_host *hosts = histree_history_hosts(history, &count);
	assert(hosts == NULL || (size_t)histree_history_host_of(history, quark) < count);
	if (hosts != NULL)
		sqlite3_result_text(context, hosts[histree_history_host_of(history, quark)].name, -1,
				    SQLITE_TRANSIENT);
}

static void result_text(sqlite3_context *context, const char *text)
{
	if (text != NULL && text[0] != '\0')
		sqlite3_result_text(context, text, -1, SQLITE_TRANSIENT);
}

uint64_t sql_value_bits(const struct histree_value *value)
{
	uint64_t bits;
	switch (value->type) {
	case HISTREE_INT:
		return (uint64_t)value->int32;
	case HISTREE_LONG:
		return (uint64_t)value->int64;
	case HISTREE_DOUBLE:
		memcpy(&bits, &value->real, sizeof(bits));
		return bits;
	case HISTREE_BOOL:
		return value->boolean;
	case HISTREE_STRING:
	case HISTREE_CUSTOM:
		return hash_bytes(value->bytes, value->size);
	default:
		return UINT64_C(0x6e756c6c); /* null is not 0 */
	}
}

/* What is more than a load; apart from table_column(), which then has no registers to save. */
static __attribute__((noinline)) void result_cell(struct sql_cursor *cursor, sqlite3_context *context, int number)
{
	const struct sql_table *table = sql_table_of(cursor);
	const struct sql_column *column = &table->columns[number];
	const void *at = cursor->row + column->offset;
	switch (column->cell) {
	case SQL_INT32:
		if (!column->is_known_from_0 || *(const int32_t *)at >= 0)
			sqlite3_result_int(context, *(const int32_t *)at);
		break;
	case SQL_UINT64:
		sql_result_uint64(context, *(const uint64_t *)at);
		break;
	case SQL_TEXT:
		result_text(context, *(const char *const *)at);
		break;
	case SQL_PATH:
		sql_result_path(context, cursor, *(const histree_quark *)at);
		break;
	case SQL_THREAD:
		result_thread(context, histree_history_attributes(table->history), *(const histree_quark *)at);
		break;
	case SQL_HOST:
		result_host(context, table->history, *(const histree_quark *)at);
		break;
	default: /* SQL_NULL */
		break;
	}
}

static int table_column(sqlite3_vtab_cursor *base, sqlite3_context *context, int number)
{
	struct sql_cursor *cursor = cursor_of(base);
	costly_assert(number >= 0 && (size_t)number < sql_table_of(cursor)->column_count);
	struct sql_place place = sql_table_of(cursor)->places[number];
	const void *at = cursor->row + place.offset;
	const struct histree_interval *interval = at;
	const struct histree_segment *segment = (const void *)cursor->row;
	switch (place.cell) {
	case SQL_UINT32:
		sqlite3_result_int64(context, *(const uint32_t *)at);
		break;
	case SQL_INT64:
		sqlite3_result_int64(context, *(const int64_t *)at);
		break;
	case SQL_DURATION:
		sqlite3_result_int64(context,
				     (sqlite3_int64)((uint64_t)interval->end - (uint64_t)interval->start + 1));
		break;
	case SQL_LENGTH:
		sql_result_uint64(context, histree_segment_duration(segment));
		break;
	case SQL_VALUE:
		sql_result_value(context, at);
		break;
	case SQL_TYPE:
		sqlite3_result_text(context, histree_type_name(((const struct histree_value *)at)->type), -1,
				    SQLITE_STATIC);
		break;
	case SQL_CONTENT:
		sql_result_value(context, &segment->content[place.offset]);
		break;
	case SQL_NAME:
		if (*(const uint32_t *)at < sql_table_of(cursor)->name_count)
			sqlite3_result_text(context, sql_table_of(cursor)->names[*(const uint32_t *)at], -1,
					    SQLITE_STATIC);
		break;
	case SQL_OTHER:
		sql_table_of(cursor)->relation->cell(cursor, context, number);
		break;
	default:
		result_cell(cursor, context, number);
		break;
	}
	return SQLITE_OK;
}

const sqlite3_module sql_module = {
	.xCreate = table_connect,
	.xConnect = table_connect,
	.xBestIndex = table_best_index,
	.xDisconnect = table_disconnect,
	.xDestroy = table_disconnect,
	.xOpen = table_open_cursor,
	.xClose = table_close_cursor,
	.xFilter = table_filter,
	.xNext = table_next,
	.xEof = table_is_at_end,
	.xColumn = table_column,
	.xRowid = table_row_id,
};
