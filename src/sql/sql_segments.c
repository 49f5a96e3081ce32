// SPDX-License-Identifier: MIT
#include "sql/sql_segments.h"

#include <stdlib.h>
#include <string.h>

#include "histree/segment_filter.h"
#include "sql/sql_table.h"
#include "sql/sql_twins.h"
#include "sql/sql_window.h"

/* The fields of the store follow, and a hidden column. */
enum column { START, END, DURATION, FIELDS };

static const char *const names[] = { [START] = "start", [END] = "end", [DURATION] = "duration" };

static const char limit_name[] = "limit";

/* The longest expression, and the greatest number of comparisons, that filter.h takes. */
enum { EXPRESSION_MAX = 4096, COMPARISONS_MAX = 64 };

/* In the number of a plan: rows may be compared with those of another scan, for "this or that". */
enum { MAY_BE_COMPARED = 256 };

struct segments_table {
	struct sql_table base;
	struct histree_segment_store *segments;
	const struct histree_segment_store_info *info;
	uint64_t *rows; /* that were read, of all tables */
};

struct segments_cursor {
	sqlite3_vtab_cursor base;
	struct histree_segment_iter *iter;
	struct histree_segment_filter *filter; /* NULL: none */
	struct histree_segment segment;
	struct sql_twins twins;
	uint64_t twin;  /* tells this one from others of the same start and end */
	bool has_twins; /* are told from one another */
	bool is_done;
};

/* ---- the table ---------------------------------------------------------------------------------------- */

static const char *type_name(enum histree_type type)
{
	return type == HISTREE_DOUBLE ? "REAL" : type == HISTREE_STRING ? "TEXT" : "INTEGER";
}

/* A field that is called as a column that every segment has gets a name of its own. */
static const char *prefix_of(const char *field)
{
	for (size_t i = 0; i < FIELDS; i++)
		if (sqlite3_stricmp(field, names[i]) == 0)
			return "field_";
	return "";
}

/*
 * Returns NULL if memory is out.  By its key SQLite tells which rows of two scans are the same, where it asks for
 * "this or that".  Columns of a key are never NULL, so that fields are not in it: a hidden column stands for them.
 */
static char *columns_of(const struct histree_segment_schema *schema)
{
	sqlite3_str *text = sqlite3_str_new(NULL);
	sqlite3_str_appendall(text, "CREATE TABLE x(start INTEGER, \"end\" INTEGER, duration INTEGER");
	for (size_t i = 0; i < schema->field_count; i++) {
		const struct histree_segment_field *field = &schema->fields[i];
		sqlite3_str_appendf(text, ", \"%s%w\" %s", prefix_of(field->name), field->name,
				    type_name(field->type));
	}
	sqlite3_str_appendall(text, ", twin HIDDEN, PRIMARY KEY(start, \"end\", twin)) WITHOUT ROWID");
	return sqlite3_str_finish(text);
}

static enum histree_status open_table(struct sql_table *base, const struct sql_module *module, const char *analysis,
				      char **declaration, struct histree_error *error)
{
	struct segments_table *table = (struct segments_table *)base;
	enum histree_status status = sql_store_segments(base->store, analysis, &table->segments, error);
	if (status != HISTREE_OK)
		return status;
	table->rows = sql_connection_row_counter(module->connection);
	table->info = histree_segment_store_info(table->segments);
	*declaration = columns_of(&table->info->schema);
	return HISTREE_OK;
}

static int connect(sqlite3 *db, void *module, int argument_count, const char *const *arguments, sqlite3_vtab **out,
		   char **message)
{
	return sql_table_connect(db, module, argument_count, arguments, sizeof(struct segments_table), open_table,
				 out, message);
}

/* ---- the plan ----------------------------------------------------------------------------------------- */

static bool is_number(enum histree_type type)
{
	return type == HISTREE_INT || type == HISTREE_LONG;
}

/* Returns what a plan calls a column, or NULL if this constraint of it is not taken. */
static const char *name_to_take(const struct segments_table *table, int column, enum sql_operator operator)
{
	if (column < 0 || operator<SQL_EQUAL || operator> SQL_AT_LEAST || operator== SQL_IN)
		return NULL;
	if (column < FIELDS)
		return names[column];
	if (column - FIELDS >= (int)table->info->schema.field_count)
		return NULL;
	const struct histree_segment_field *field = &table->info->schema.fields[column - FIELDS];
	bool can_be_named =
		*prefix_of(field->name) == '\0' && strcspn(field->name, " ,\"\\?") == strlen(field->name);
	bool has_equals = is_number(field->type) || field->type == HISTREE_STRING;
	return can_be_named && has_equals && operator== SQL_EQUAL ? field->name : NULL;
}

static const struct {
	int column;
	enum histree_segment_order order;
} orders[] = {
	{ START, HISTREE_SEGMENTS_BY_START },
	{ END, HISTREE_SEGMENTS_BY_END },
	{ DURATION, HISTREE_SEGMENTS_BY_DURATION },
};

/*
 * The number of the plan is the order, twice, plus one if it goes down, and MAY_BE_COMPARED.  Where segments are
 * chosen, those that are equal come one after the other, in the same order in every scan; where all are asked for,
 * nobody compares scans.
 */
static void plan_order(struct sql_plan *plan)
{
	sqlite3_index_info *info = plan->info;
	info->idxNum = 2 * (int)(plan->arguments > 0 ? HISTREE_SEGMENTS_BY_START : HISTREE_SEGMENTS_UNSORTED);
	for (size_t i = 0; info->nOrderBy == 1 && i < sizeof(orders) / sizeof(*orders); i++) {
		if (orders[i].column != info->aOrderBy[0].iColumn)
			continue;
		char text[32];
		sqlite3_snprintf(sizeof(text), text, "%s%s", names[orders[i].column],
				 info->aOrderBy[0].desc ? ", downwards" : "");
		sql_plan_order(plan, text);
		info->idxNum = 2 * (int)orders[i].order + (info->aOrderBy[0].desc ? 1 : 0);
		info->orderByConsumed = 1;
	}
	if (info->nConstraint > 0)
		info->idxNum |= MAY_BE_COMPARED;
}

/*
 * A limit tells how many segments to look for.  It is taken only where nothing is chosen besides, and rows come in
 * the order that is wanted: else SQLite may skip some.  Returns how many rows there will be.
 */
static double take_limit(struct sql_plan *plan, double rows)
{
	sqlite3_index_info *info = plan->info;
	sqlite3_value *value;
	bool has_order =
		info->nOrderBy == 1 && info->aOrderBy[0].iColumn >= 0 && info->aOrderBy[0].iColumn < FIELDS;
	if (info->nConstraint != 1 || info->aConstraint[0].op != SQLITE_INDEX_CONSTRAINT_LIMIT ||
	    !info->aConstraint[0].usable || !has_order || !sql_plan_take(plan, 0, limit_name, SQL_EQUAL))
		return rows;
	bool is_known = sqlite3_vtab_rhs_value(info, 0, &value) == SQLITE_OK;
	double limit = is_known ? (double)sqlite3_value_int64(value) : 10;
	return limit >= 0 && limit < rows ? limit : rows;
}

static int best_index(sqlite3_vtab *base, sqlite3_index_info *info)
{
	const struct segments_table *table = (const struct segments_table *)base;
	struct histree_window window = HISTREE_WINDOW_ALL;
	double whole = (double)table->info->end - (double)table->info->start + 1;
	double rows = (double)table->info->segment_count;
	struct sql_plan plan = sql_plan(info);
	for (int i = 0; i < info->nConstraint; i++) {
		sqlite3_value *value;
		int column = info->aConstraint[i].iColumn;
		enum sql_operator operator= sql_plan_operator(info, i);
		const char *name = name_to_take(table, column, operator);
		if (name == NULL || !sql_plan_take(&plan, i, name, operator))
			continue;
		if (column <= END && sqlite3_vtab_rhs_value(info, i, &value) == SQLITE_OK)
			sql_window_narrow(&window, operator, value);
		else
			rows /= column <= END ? 10 : 2;
	}
	rows = take_limit(&plan, rows);
	plan_order(&plan);
	rows *= histree_window_fit(&window, table->info->start, table->info->end)
			? ((double)window.to - (double)window.from + 1) / whole
			: 0;
	info->estimatedRows = (sqlite3_int64)rows + 1;
	info->estimatedCost = 20 + 2 * rows;
	return sql_plan_finish(&plan);
}

/* ---- the cursor --------------------------------------------------------------------------------------- */

static enum histree_status begin_cursor(sqlite3_vtab *table, sqlite3_vtab_cursor *cursor,
					struct histree_error *error)
{
	return histree_segment_iter_create(((struct segments_table *)table)->segments,
					   &((struct segments_cursor *)cursor)->iter, error);
}

static int open_cursor(sqlite3_vtab *table, sqlite3_vtab_cursor **out)
{
	return sql_cursor_open(table, out, sizeof(struct segments_cursor), begin_cursor);
}

static int close_cursor(sqlite3_vtab_cursor *base)
{
	struct segments_cursor *cursor = (struct segments_cursor *)base;
	histree_segment_iter_free(cursor->iter);
	histree_segment_filter_free(cursor->filter);
	sql_twins_release(&cursor->twins);
	free(cursor);
	return SQLITE_OK;
}

static int next(sqlite3_vtab_cursor *base)
{
	struct segments_cursor *cursor = (struct segments_cursor *)base;
	const struct sql_table *table = (const struct sql_table *)base->pVtab;
	struct histree_error error;
	enum histree_status status;
	while ((status = histree_segment_iter_next(cursor->iter, &cursor->segment, &error)) == HISTREE_PARTIAL)
		sql_connection_warn_of_loss(sql_store_connection(table->store), sql_store_info(table->store)->path,
					    ((const struct segments_table *)table)->segments,
					    histree_segment_iter_loss(cursor->iter));
	if (status < 0)
		return sql_table_fail(base->pVtab, &error);
	cursor->is_done = status == HISTREE_END;
	*((const struct segments_table *)table)->rows += 1;
	if (cursor->is_done || !cursor->has_twins)
		return SQLITE_OK;
	bool is_known =
		sql_twins_number(&cursor->twins, &cursor->segment,
				 ((const struct segments_table *)table)->info->schema.field_count, &cursor->twin);
	return is_known ? SQLITE_OK : SQLITE_NOMEM;
}

/* A filter expression that grows by comparisons; what has no room is left to SQLite. */
struct expression {
	char text[EXPRESSION_MAX];
	size_t size;
	unsigned comparisons;
};

static void add_comparison(struct expression *expression, const char *comparison)
{
	size_t size = strlen(comparison), between = expression->size > 0 ? 4 : 0;
	if (expression->comparisons == COMPARISONS_MAX || expression->size + between + size >= EXPRESSION_MAX)
		return;
	memcpy(expression->text + expression->size, " && ", between);
	memcpy(expression->text + expression->size + between, comparison, size + 1);
	expression->size += between + size;
	expression->comparisons++;
}

static void compare_duration(struct expression *expression, enum sql_operator operator, sqlite3_value * value)
{
	char text[64];
	struct histree_window window = HISTREE_WINDOW_ALL;
	sql_window_narrow(&window, operator, value);
	if (window.is_empty || window.to < 0)
		window = (struct histree_window){ .from = 1, .to = 0 }; /* no duration is both */
	if (window.from > 0) {
		sqlite3_snprintf(sizeof(text), text, "duration >= %lld", (long long)window.from);
		add_comparison(expression, text);
	}
	if (window.to < INT64_MAX) {
		sqlite3_snprintf(sizeof(text), text, "duration <= %lld", (long long)window.to);
		add_comparison(expression, text);
	}
}

static void compare_text(struct expression *expression, const char *field, sqlite3_value *value)
{
	char text[EXPRESSION_MAX];
	const char *wanted = (const char *)sqlite3_value_text(value);
	size_t size = (size_t)sqlite3_value_bytes(value), used;
	if (wanted == NULL || strlen(wanted) != size || 2 * size + strlen(field) + 16 > sizeof(text))
		return;
	sqlite3_snprintf(sizeof(text), text, "\"%s\" == \"", field);
	used = strlen(text);
	for (size_t i = 0; i < size; i++) {
		if (wanted[i] == '"' || wanted[i] == '\\')
			text[used++] = '\\';
		text[used++] = wanted[i];
	}
	text[used++] = '"';
	text[used] = '\0';
	add_comparison(expression, text);
}

static void compare_field(struct expression *expression, const struct histree_segment_field *field,
			  sqlite3_value *value)
{
	char text[512];
	if (field->type == HISTREE_STRING && sqlite3_value_type(value) == SQLITE_TEXT)
		compare_text(expression, field->name, value);
	if (is_number(field->type) && sqlite3_value_type(value) == SQLITE_INTEGER && strlen(field->name) < 400) {
		sqlite3_snprintf(sizeof(text), text, "\"%s\" == %lld", field->name,
				 (long long)sqlite3_value_int64(value));
		add_comparison(expression, text);
	}
}

static void read_term(const struct segments_table *table, const struct sql_term *term, sqlite3_value *value,
		      struct histree_window *window, struct expression *expression, uint64_t *limit)
{
	const struct histree_segment_schema *schema = &table->info->schema;
	if (sql_term_is_of(term, limit_name)) {
		sqlite3_int64 count =
			sqlite3_value_int64(value); /* 0 asks for nothing, and a negative one for all */
		*limit = count > 0 ? (uint64_t)count : 0;
	} else if (sql_term_is_of(term, names[START]) || sql_term_is_of(term, names[END])) {
		sql_window_narrow(window, term->operator, value);
	} else if (sql_term_is_of(term, names[DURATION])) {
		compare_duration(expression, term->operator, value);
	} else {
		for (size_t i = 0; i < schema->field_count; i++)
			if (sql_term_is_of(term, schema->fields[i].name))
				compare_field(expression, &schema->fields[i], value);
	}
}

static enum histree_status start(struct segments_cursor *cursor, const struct histree_window *window,
				 const struct expression *expression, int order, uint64_t limit,
				 struct histree_error *error)
{
	const struct segments_table *table = (const struct segments_table *)cursor->base.pVtab;
	struct histree_segment_query query = {
		.from = window->from,
		.to = window->to,
		.order = (enum histree_segment_order)(order / 2),
		.descending = order % 2 != 0,
		.limit = limit,
		.cancel = sql_connection_cancel(sql_store_connection(table->base.store)),
	};
	histree_segment_filter_free(cursor->filter);
	cursor->filter = NULL;
	if (expression->size > 0) {
		enum histree_status status =
			histree_segment_filter_create(&table->info->schema, expression->text, table->info->start,
						      table->info->end, &cursor->filter, error);
		if (status != HISTREE_OK)
			return status;
		histree_segment_filter_apply(cursor->filter, &query);
	}
	return histree_segment_iter_start(cursor->iter, &query, NULL, error);
}

static int filter(sqlite3_vtab_cursor *base, int order, const char *plan, int argument_count,
		  sqlite3_value **arguments)
{
	struct segments_cursor *cursor = (struct segments_cursor *)base;
	struct histree_window window = HISTREE_WINDOW_ALL;
	struct expression expression = { .size = 0 };
	struct histree_error error;
	struct sql_term term;
	uint64_t limit = 0;
	sql_twins_begin(&cursor->twins);
	for (int i = 0; i < argument_count && sql_term_next(&plan, &term); i++)
		read_term((struct segments_table *)base->pVtab, &term, arguments[i], &window, &expression, &limit);
	const struct histree_segment_store_info *info = ((struct segments_table *)base->pVtab)->info;
	/* A scan of everything is compared with no other one. */
	cursor->has_twins = (order & MAY_BE_COMPARED) != 0;
	order &= ~MAY_BE_COMPARED;
	cursor->is_done = !histree_window_fit(&window, info->start, info->end);
	if (cursor->is_done)
		return SQLITE_OK;
	if (start(cursor, &window, &expression, order, limit, &error) != HISTREE_OK)
		return sql_table_fail(base->pVtab, &error);
	return next(base);
}

static int is_at_end(sqlite3_vtab_cursor *base)
{
	return ((struct segments_cursor *)base)->is_done;
}

static int column(sqlite3_vtab_cursor *base, sqlite3_context *context, int number)
{
	const struct segments_cursor *cursor = (const struct segments_cursor *)base;
	const struct histree_segment *segment = &cursor->segment;
	size_t fields = ((const struct segments_table *)base->pVtab)->info->schema.field_count;
	uint64_t duration = histree_segment_duration(segment);
	if (number == START)
		sqlite3_result_int64(context, segment->start);
	else if (number == END)
		sqlite3_result_int64(context, segment->end);
	else if (number == DURATION)
		sqlite3_result_int64(context, duration > INT64_MAX ? INT64_MAX : (sqlite3_int64)duration);
	else if (number - FIELDS < (int)fields)
		sql_result_value(context, &segment->content[number - FIELDS]);
	else
		sqlite3_result_int64(context, (sqlite3_int64)cursor->twin);
	return SQLITE_OK;
}

const sqlite3_module sql_segments_module = SQL_TABLE_MODULE(sql_table_disconnect, NULL);
