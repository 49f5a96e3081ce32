/* SPDX-License-Identifier: MIT */
/*
 * sql_table.h - relations as virtual tables of SQLite: one module, and a description of each relation.
 *
 * A relation is the content of a table: columns, and rows that come in batches for a region of it.  A row is a
 * struct of the library; a column says where in it the cell is, and what a constraint on it narrows: attributes, a
 * window of time, an argument.  So planning, reading a plan, walking and handing out cells are implemented here,
 * once; a relation says what it opens, how a region is started and how the next rows are read.
 *
 * A plan is words: "quark = ? and start <= ?, in order of start".  xBestIndex writes it, EXPLAIN QUERY PLAN shows
 * it, and xFilter reads it: its terms are those of the arguments, in their order, and narrow a selection
 * (histree/states.h) or a window (histree/filter.h).  SQLite checks every row again, so a term may be applied as
 * far as possible: a relation may hand out a superset.
 */
#ifndef SQL_SQL_TABLE_H
#define SQL_SQL_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/sqlite.h"
#include "histree/states.h"
#include "sql/sql_store.h"

enum sql_operator { SQL_NONE, SQL_EQUAL, SQL_IN, SQL_LESS, SQL_AT_MOST, SQL_GREATER, SQL_AT_LEAST, SQL_GLOB };

/* ---- written ------------------------------------------------------------------------------------------ */

/* ---- read --------------------------------------------------------------------------------------------- */

/* ---- what it narrows ---------------------------------------------------------------------------------- */

/*
 * Narrow a window by "column operator value", where the column is the start or the end of what a table has, or a
 * number that is both.  A value that is not a number narrows nothing, and NULL leaves nothing, as it is with
 * comparisons of SQL.
 */
void sql_window_narrow(struct histree_window *window, enum sql_operator operation, sqlite3_value *value);

/* Where a cell is, and what it is there. */
enum sql_cell {
	SQL_OTHER,    /* the relation's function says it */
	SQL_NULL,     /* of an argument, which the statement knows */
	SQL_INT32,    /* a negative one is NULL where the column is_known_from_0 */
	SQL_UINT32,   /* also a quark */
	SQL_INT64,    /* also a time */
	SQL_UINT64,   /* INT64_MAX if it is more */
	SQL_TEXT,     /* a const char *, as long as the store is open; "" is NULL */
	SQL_NAME,     /* the number of one of the table's names */
	SQL_DURATION, /* of a start and an end, both counted */
	SQL_LENGTH,   /* of a segment: from its start to its end */
	SQL_VALUE,    /* a struct histree_value */
	SQL_TYPE,     /* the name of the type of one */
	SQL_CONTENT,  /* of a segment, the field of this index */
	SQL_PATH,     /* of a quark */
	SQL_THREAD,   /* of a quark: the number of the thread whose row it is at or below; of another NULL */
	SQL_HOST,     /* of a quark; the column is there where the history has hosts */
};

/* What a constraint on a column narrows. */
enum sql_role {
	SQL_NOTHING,
	SQL_BY_QUARK, /* of this and the next two, the best is taken: = or IN, of a path GLOB as well */
	SQL_BY_PATH,
	SQL_BY_THREAD,
	SQL_BY_HOST,
	SQL_BY_START, /* with the next, the window: comparisons */
	SQL_BY_END,
	SQL_BY_NUMBER, /* what the relation makes of comparisons */
	SQL_BY_FIELD,  /* the same, of = only */
	/* What a table function is given, as hidden columns.  From here on, none is a column of the rows. */
	SQL_ARGUMENT,
	SQL_PATTERN,
	SQL_TIME, /* of this and the next three, a text that is no number is refused */
	SQL_AT,
	SQL_FROM,
	SQL_TO,
};

enum { SQL_UP = 1, SQL_DOWN = 2 };

struct sql_column {
	const char *name, *type;
	enum sql_cell cell;
	uint32_t offset; /* in the row */
	enum sql_role role;
	const char *term;   /* what a plan calls it; NULL: as its name */
	const char *prefix; /* of the name in a declaration; NULL: none */
	uint8_t orders;     /* in which rows may come by this column: SQL_UP, SQL_DOWN */
	bool is_known_from_0;
};

/* The members of a column of rows; of one whose cells the relation's function says; and of an argument. */
#define SQL_COLUMN(name_, type_, cell_, offset_) \
	.name = (name_), .type = (type_), .cell = (cell_), .offset = (offset_)
#define SQL_SAID(name_, type_) .name = (name_), .type = (type_)
#define SQL_GIVEN(name_, role_) .name = (name_), .type = "HIDDEN", .cell = SQL_NULL, .role = (role_)

struct sql_table;
struct sql_cursor;

/* Which constraint picks attributes, from none to the best. */
enum sql_rank {
	SQL_ALL_ATTRIBUTES,
	SQL_PATH_GLOB,
	SQL_THREAD_IN,
	SQL_PATH_IN,
	SQL_QUARK_IN,
	SQL_THREAD_IS,
	SQL_PATH_IS,
	SQL_QUARK_IS,
};

/* Guesses how many of all attributes a constraint leaves. */
static inline double sql_attributes_left(enum sql_rank rank, double all)
{
	if (rank > SQL_PATH_GLOB)
		return rank >= SQL_PATH_IS ? 1 : 10;
	return rank == SQL_PATH_GLOB ? all / 8 : all;
}

/* What was taken of a statement, and what it leaves. */
struct sql_taken {
	enum sql_rank rank;
	bool has_host;
	int arguments;                /* constraints in all */
	unsigned equals, bounds;      /* comparisons of numbers */
	struct histree_window window; /* of times that are known now */
	double guess;                 /* which share other constraints leave */
	double limit;                 /* rows that the statement wants, if it says so */
	int order;                    /* a column; -1: any */
	bool is_down;
};

/* Where a table is made. */
struct sql_origin {
	sqlite3 *db;
	const char *schema, *analysis;
};

struct sql_relation {
	const char *name;          /* of the module: "histree_" goes before it */
	bool is_of_no_store;       /* made of statements alone */
	bool is_of_history;        /* the table opens it, with its paths if they are to stay */
	bool has_paths, has_limit; /* of the rows that are wanted in an order, a plan says how many */
	bool is_numbered;          /* the first column is that of the rowid */
	const struct sql_column *columns;
	const char *key;   /* by which SQLite identifies rows of two scans; NULL: there is a rowid */
	int required;      /* leading arguments that must be given */
	double rows, cost; /* what a plan says, if it is not estimated */
	size_t table_size; /* of the struct that begins with a struct sql_table; 0: of that */
	size_t cursor_size, row_size;

	/* All may be NULL but `next`.  What fails in `begin` has released all. */
	enum histree_status (*open)(struct sql_table *table, const struct sql_origin *origin,
				    struct histree_error *error);
	void (*close)(struct sql_table *table);
	void (*estimate)(const struct sql_table *table, const struct sql_taken *taken, sqlite3_index_info *info);
	enum histree_status (*begin)(struct sql_cursor *cursor, struct histree_error *error);
	void (*end)(struct sql_cursor *cursor);
	bool (*is_small)(const struct sql_cursor *cursor); /* it may wait for the next statement */

	/* A constraint of SQL_BY_NUMBER or SQL_BY_FIELD, after `clear`. */
	void (*clear)(struct sql_cursor *cursor);
	void (*narrow)(struct sql_cursor *cursor, int column, enum sql_operator operation, sqlite3_value *value);

	/* HISTREE_END: there are no rows. */
	enum histree_status (*start)(struct sql_cursor *cursor, struct histree_error *error);

	/* The next rows: cursor->row is the first, cursor->left how many follow it.  Or HISTREE_END. */
	enum histree_status (*next)(struct sql_cursor *cursor, struct histree_error *error);
	void (*cell)(struct sql_cursor *cursor, sqlite3_context *context, int column);
};

struct sql_place {
	enum sql_cell cell;
	uint32_t offset;
};

/* The first member of a table. */
struct sql_table {
	sqlite3_vtab base;
	const struct sql_relation *relation;
	struct sql_store *store;
	struct histree_history *history;
	const struct histree_history_info *info; /* NULL: it is of no history */
	struct sql_paths *paths;
	struct sql_thread_row *thread_rows; /* by number; NULL: not asked for */
	size_t thread_row_count;
	uint64_t *rows; /* that were read, of all tables */
	const char *const *names;
	size_t name_count;
	struct sql_column *columns;
	struct sql_place *places; /* of the columns' cells, close to each other */
	size_t column_count, column_capacity, place_capacity;
	int first_argument, argument_count;
	struct sql_cursor *idle; /* of the statement before: the next one need not make it again; or NULL */
};

/* The first member of a cursor. */
struct sql_cursor {
	sqlite3_vtab_cursor base;
	const char *row;
	size_t left, row_size;
	bool is_done;
	int order;                          /* the number of the plan */
	sqlite3_int64 number;               /* of the row */
	struct histree_selection selection; /* what constraints leave */
	struct histree_window starts;       /* in which rows begin, as far as they say it */
	uint64_t limit;                     /* 0: none */
	sqlite3_value **arguments;          /* while it is started */
	int argument_count;
	int code; /* of SQLite, for a failure that has one */
};

/* Defines NAME_of(), which returns the struct NAME_cursor that begins with a cursor. */
#define SQL_CURSOR(name)                                                  \
	static struct name##_cursor *name##_of(struct sql_cursor *cursor) \
	{                                                                 \
		return (struct name##_cursor *)cursor;                    \
	}

static inline struct sql_table *sql_table_of(const struct sql_cursor *cursor)
{
	return (struct sql_table *)cursor->base.pVtab;
}

/* What of a connection the module is given as its pAux, for each relation. */
struct sql_module {
	struct sql_connection *connection; /* a share */
	const struct sql_relation *relation;
};

extern const sqlite3_module sql_module;

/* Appends a column to those that the relation declares.  The names are borrowed. */
enum histree_status sql_table_add(struct sql_table *table, const struct sql_column *column,
				  struct histree_error *error);

/*
 * Make the region of a history that was asked for.  Returns false if nothing is left; if a table function was asked
 * for a time outside of the history, that is a warning.
 */
bool sql_cursor_region(struct sql_cursor *cursor, struct histree_region *out);
struct histree_work sql_cursor_cancel(const struct sql_cursor *cursor);

/* Leave a warning that the history is damaged. */
void sql_cursor_warn(const struct sql_cursor *cursor);

/* Makes a value of the library the result.  Null and unknown are NULL. */
void sql_result_value(sqlite3_context *context, const struct histree_value *value);
void sql_result_uint64(sqlite3_context *context, uint64_t number);

/* For a hash of a value, its bits; those of texts are hashed. */
uint64_t sql_value_bits(const struct histree_value *value);

/* The relations.  sql_extension.c has others. */
extern const struct sql_relation sql_attributes, sql_states, sql_state_at, sql_states_in, sql_state_sums, sql_rows,
	sql_numbers, sql_threads, sql_time_use, sql_histogram, sql_segments, sql_events;

#endif
