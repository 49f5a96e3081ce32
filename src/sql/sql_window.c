// SPDX-License-Identifier: MIT
#include "sql/sql_window.h"

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
