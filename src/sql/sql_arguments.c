// SPDX-License-Identifier: MIT
#include "sql/sql_arguments.h"

/* Returns the constraint that gives an argument; -1: there is none. */
static int find(sqlite3_index_info *info, int column)
{
	for (int i = 0; i < info->nConstraint; i++)
		if (info->aConstraint[i].iColumn == column && sql_plan_operator(info, i) != SQL_NONE)
			return i;
	return -1;
}

static bool is_asked(const sqlite3_index_info *info, int column)
{
	for (int i = 0; i < info->nConstraint; i++)
		if (info->aConstraint[i].iColumn == column)
			return true;
	return false;
}

int sql_arguments_take(const struct sql_arguments *arguments, sqlite3_index_info *info, double rows)
{
	struct sql_plan plan = sql_plan(info);
	bool has_ended = false;
	for (int i = 0; i < arguments->count; i++) {
		int column = arguments->first_column + i, constraint = find(info, column);
		bool is_there = is_asked(info, column);
		if (is_there && (has_ended || constraint < 0))
			return SQLITE_CONSTRAINT;
		has_ended = !is_there;
		if (has_ended)
			continue;
		/* Of a list, SQLite asks for one after the other. */
		enum sql_operator operator= sql_plan_operator(info, constraint);
		if ((operator!= SQL_EQUAL && operator!= SQL_IN) ||
		    !sql_plan_take(&plan, constraint, arguments->names[i], SQL_EQUAL))
			return SQLITE_CONSTRAINT;
		info->aConstraintUsage[constraint].omit = 1;
	}
	if (plan.arguments < arguments->required)
		return SQLITE_CONSTRAINT;
	info->estimatedRows = (sqlite3_int64)rows + 1;
	info->estimatedCost = 100 + 10 * rows;
	return sql_plan_finish(&plan);
}
