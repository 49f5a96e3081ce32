// SPDX-License-Identifier: MIT
#include "sql/sql_sums.h"

#include <stdlib.h>
#include <string.h>

#include "base/cancel.h"
#include "base/error.h"
#include "base/hash.h"
#include "histree/time_in_state.h"
#include "sql/sql_arguments.h"
#include "sql/sql_hosts.h"
#include "sql/sql_selection.h"
#include "sql/sql_table.h"
#include "sql/sql_window.h"

enum column { QUARK, PATH, TYPE, VALUE, NS, ARGUMENTS };
enum argument { PATTERN, FROM, TO, ARGUMENT_COUNT };

/* Where there are several. */
enum { HOST = ARGUMENTS + ARGUMENT_COUNT };

/* Slots are a power of two, at most half of them are taken; texts and bytes of values have a limit too. */
enum { SLOTS_FIRST = 256, SLOTS_MAX = 1 << 16, BYTES_MAX = 4 << 20, BATCH = 256 };

static const char *const names[] = { "pattern", "t1", "t2" };

struct sums_table {
	struct sql_table base;
	struct histree_history *history;
	uint64_t *rows; /* that were read, of all tables */
};

struct sum {
	histree_quark quark;
	bool is_taken;
	struct histree_value value; /* its bytes are a copy */
	uint64_t ns;
};

struct sums_cursor {
	sqlite3_vtab_cursor base;
	struct histree_time_in_state *times;
	struct histree_selection selection;
	struct histree_window window;
	struct histree_state_time batch[BATCH];
	size_t used, read; /* of the batch */
	bool has_all;      /* the query has ended */

	struct sum *sums;
	size_t slots, count, bytes;
	size_t row; /* a slot that is taken */
	sqlite3_int64 number;
};

static enum histree_status open_table(struct sql_table *base, const struct sql_module *module, const char *analysis,
				      char **declaration, struct histree_error *error)
{
	struct sums_table *table = (struct sums_table *)base;
	table->rows = sql_connection_row_counter(module->connection);
	*declaration = sqlite3_mprintf("CREATE TABLE x(quark INTEGER, path TEXT, type TEXT, value, ns INTEGER, "
				       "pattern HIDDEN, t1 HIDDEN, t2 HIDDEN)");
	enum histree_status status = sql_store_history(base->store, analysis, &table->history, error);
	if (status == HISTREE_OK)
		*declaration = sql_hosts_declare(table->history, *declaration);
	return status;
}

static int connect(sqlite3 *db, void *module, int argument_count, const char *const *arguments, sqlite3_vtab **out,
		   char **message)
{
	return sql_table_connect(db, module, argument_count, arguments, sizeof(struct sums_table), open_table, out,
				 message);
}

static int best_index(sqlite3_vtab *table, sqlite3_index_info *info)
{
	const struct sql_arguments arguments = {
		.first_column = ARGUMENTS, .names = names, .count = ARGUMENT_COUNT, .required = ARGUMENT_COUNT
	};
	(void)table;
	return sql_arguments_take(&arguments, info, 1000);
}

static enum histree_status begin_cursor(sqlite3_vtab *table, sqlite3_vtab_cursor *cursor,
					struct histree_error *error)
{
	struct histree_history *history = ((struct sums_table *)table)->history;
	histree_selection_begin(&((struct sums_cursor *)cursor)->selection, history);
	return histree_time_in_state_create(history, &((struct sums_cursor *)cursor)->times, error);
}

static int open_cursor(sqlite3_vtab *table, sqlite3_vtab_cursor **out)
{
	return sql_cursor_open(table, out, sizeof(struct sums_cursor), begin_cursor);
}

/* ---- sums ---------------------------------------------------------------------------------------------- */

static void free_value(struct sum *sum)
{
	void *copy;
	if (!sum->is_taken || sum->value.size == 0)
		return;
	memcpy(&copy, &sum->value.bytes, sizeof(copy));
	free(copy);
}

static void forget_sums(struct sums_cursor *cursor)
{
	for (size_t i = 0; i < cursor->slots; i++) {
		free_value(&cursor->sums[i]);
		cursor->sums[i].is_taken = false;
	}
	cursor->count = cursor->bytes = 0;
}

static int close_cursor(sqlite3_vtab_cursor *base)
{
	struct sums_cursor *cursor = (struct sums_cursor *)base;
	forget_sums(cursor);
	free(cursor->sums);
	histree_time_in_state_free(cursor->times);
	histree_selection_release(&cursor->selection);
	free(cursor);
	return SQLITE_OK;
}

static uint64_t bits_of(const struct histree_value *value)
{
	uint64_t bits = 0;
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
		return 0;
	}
}

static bool has_bytes(const struct histree_value *value)
{
	return value->type == HISTREE_STRING || value->type == HISTREE_CUSTOM;
}

/* Doubles are the same if their bits are: 0 and -0 are two rows, which SQLite adds up. */
static bool is_same(const struct histree_value *a, const struct histree_value *b)
{
	if (a->type != b->type)
		return false;
	if (!has_bytes(a))
		return bits_of(a) == bits_of(b);
	return a->size == b->size && (a->size == 0 || memcmp(a->bytes, b->bytes, a->size) == 0);
}

/* Returns the slot of an attribute and value, or the one where they belong. */
static struct sum *slot_of(const struct sums_cursor *cursor, histree_quark quark, const struct histree_value *value)
{
	uint64_t hash = hash_mix(bits_of(value) + hash_mix(((uint64_t)quark << 8) + (uint64_t)value->type));
	size_t at = (size_t)hash & (cursor->slots - 1);
	while (cursor->sums[at].is_taken &&
	       (cursor->sums[at].quark != quark || !is_same(&cursor->sums[at].value, value)))
		at = (at + 1) & (cursor->slots - 1);
	return &cursor->sums[at];
}

/* Returns whether memory was there. */
static bool widen(struct sums_cursor *cursor)
{
	struct sums_cursor wider = { .slots = cursor->slots == 0 ? SLOTS_FIRST : 2 * cursor->slots };
	wider.sums = calloc(wider.slots, sizeof(*wider.sums));
	if (wider.sums == NULL)
		return false;
	for (size_t i = 0; i < cursor->slots; i++)
		if (cursor->sums[i].is_taken)
			*slot_of(&wider, cursor->sums[i].quark, &cursor->sums[i].value) = cursor->sums[i];
	free(cursor->sums);
	cursor->sums = wider.sums;
	cursor->slots = wider.slots;
	return true;
}

static bool is_full(const struct sums_cursor *cursor)
{
	return cursor->bytes >= BYTES_MAX || (cursor->slots == SLOTS_MAX && cursor->count >= SLOTS_MAX / 2);
}

static bool add(struct sums_cursor *cursor, const struct histree_state_time *state)
{
	if (2 * cursor->count >= cursor->slots && !widen(cursor))
		return false;
	struct sum *sum = slot_of(cursor, state->quark, &state->value);
	if (!sum->is_taken) {
		struct sum fresh = { .quark = state->quark, .is_taken = true, .value = state->value };
		if (has_bytes(&state->value) && state->value.size > 0) {
			void *copy = malloc(state->value.size);
			if (copy == NULL)
				return false;
			memcpy(copy, state->value.bytes, state->value.size);
			fresh.value.bytes = copy;
			cursor->bytes += state->value.size;
		} else {
			fresh.value.size = 0;
		}
		*sum = fresh;
		cursor->count++;
	}
	sum->ns += state->ns;
	return true;
}

/* ---- rows ---------------------------------------------------------------------------------------------- */

/* Add states up until there are no more, or no room for other sums. */
static enum histree_status fill(struct sums_cursor *cursor, struct histree_error *error)
{
	const struct sums_table *table = (const struct sums_table *)cursor->base.pVtab;
	const struct histree_cancel cancel = sql_connection_cancel(sql_store_connection(table->base.store));
	forget_sums(cursor);
	for (uint64_t step = 0; !is_full(cursor); step++) {
		if (cursor->used == cursor->read) {
			cursor->used = cursor->read = 0;
			enum histree_status status = cancel_check(&cancel, step, error);
			if (status == HISTREE_OK)
				status = histree_time_in_state_read(cursor->times, cursor->batch, BATCH,
								    &cursor->read, error);
			cursor->has_all = status == HISTREE_END;
			if (status != HISTREE_OK)
				return status < 0 ? status : HISTREE_OK;
			*table->rows += cursor->read;
		}
		/* A batch is borrowed until the next one: all of it, or what has room, is taken now. */
		for (; cursor->used < cursor->read && !is_full(cursor); cursor->used++)
			if (!add(cursor, &cursor->batch[cursor->used]))
				return error_memory(error, "sums of states");
	}
	return HISTREE_OK;
}

static int first_row(struct sums_cursor *cursor)
{
	struct sums_table *table = (struct sums_table *)cursor->base.pVtab;
	struct histree_error error;
	if (fill(cursor, &error) != HISTREE_OK)
		return sql_table_fail(&table->base.base, &error);
	if (histree_time_in_state_is_damaged(cursor->times))
		sql_connection_warn_of_history(sql_store_connection(table->base.store),
					       sql_store_info(table->base.store)->path, table->history);
	cursor->row = 0;
	while (cursor->row < cursor->slots && !cursor->sums[cursor->row].is_taken)
		cursor->row++;
	return SQLITE_OK;
}

static int next(sqlite3_vtab_cursor *base)
{
	struct sums_cursor *cursor = (struct sums_cursor *)base;
	cursor->number++;
	do
		cursor->row++;
	while (cursor->row < cursor->slots && !cursor->sums[cursor->row].is_taken);
	return cursor->row == cursor->slots && !cursor->has_all ? first_row(cursor) : SQLITE_OK;
}

static int filter(sqlite3_vtab_cursor *base, int number, const char *plan, int argument_count,
		  sqlite3_value **arguments)
{
	struct sums_cursor *cursor = (struct sums_cursor *)base;
	const struct sums_table *table = (const struct sums_table *)base->pVtab;
	const struct histree_history_info *info = histree_history_info(table->history);
	struct histree_error error;
	(void)number;
	(void)plan;
	(void)argument_count;
	forget_sums(cursor);
	cursor->has_all = true;
	cursor->row = cursor->slots;
	cursor->used = cursor->read = 0;
	cursor->window = HISTREE_WINDOW_ALL;
	enum histree_status status = sql_select_by_pattern(&cursor->selection, arguments[PATTERN], &error);
	if (status != HISTREE_OK)
		return sql_table_fail(base->pVtab, &error);
	histree_selection_sort(&cursor->selection);
	sql_window_narrow(&cursor->window, SQL_AT_LEAST, arguments[FROM]);
	sql_window_narrow(&cursor->window, SQL_AT_MOST, arguments[TO]);
	if (cursor->window.is_empty)
		return SQLITE_OK;
	if (cursor->window.from > cursor->window.to ||
	    !histree_window_fit(&cursor->window, info->start, info->end)) {
		sql_connection_warn_of_time(sql_store_connection(table->base.store), info->start, info->end);
		return SQLITE_OK;
	}
	if (cursor->selection.count == 0)
		return SQLITE_OK;
	const struct histree_region region = { .quarks = cursor->selection.quarks,
					       .quark_count = cursor->selection.count,
					       .from = cursor->window.from,
					       .to = cursor->window.to };
	if (histree_time_in_state_start(cursor->times, &region, &error) != HISTREE_OK)
		return sql_table_fail(base->pVtab, &error);
	cursor->has_all = false;
	return first_row(cursor);
}

static int is_at_end(sqlite3_vtab_cursor *base)
{
	const struct sums_cursor *cursor = (const struct sums_cursor *)base;
	return cursor->row == cursor->slots;
}

static int column(sqlite3_vtab_cursor *base, sqlite3_context *context, int number)
{
	struct sums_cursor *cursor = (struct sums_cursor *)base;
	const struct sum *sum = &cursor->sums[cursor->row];
	switch (number) {
	case QUARK:
		sqlite3_result_int64(context, sum->quark);
		break;
	case PATH:
		sql_result_path(context, &cursor->selection, sum->quark);
		break;
	case TYPE:
		sqlite3_result_text(context, histree_type_name(sum->value.type), -1, SQLITE_STATIC);
		break;
	case VALUE:
		sql_result_value(context, &sum->value);
		break;
	case NS:
		sqlite3_result_int64(context, sum->ns > INT64_MAX ? INT64_MAX : (sqlite3_int64)sum->ns);
		break;
	case HOST:
		sql_hosts_result(context, ((struct sums_table *)base->pVtab)->history, sum->quark);
		break;
	default: /* an argument: whoever gave it knows it */
		break;
	}
	return SQLITE_OK;
}

static int row_id(sqlite3_vtab_cursor *base, sqlite3_int64 *out)
{
	*out = ((struct sums_cursor *)base)->number;
	return SQLITE_OK;
}

const sqlite3_module sql_sums_module = SQL_TABLE_MODULE(sql_table_disconnect, row_id);
