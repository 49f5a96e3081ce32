// SPDX-License-Identifier: MIT
#include "sql/sql_plan.h"

#include <stdio.h>
#include <string.h>

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

static bool add(struct sql_plan *plan, const char *before, const char *text, const char *between, const char *after)
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
	if (!add(plan, plan->arguments > 0 ? " and " : "", column, sign, ""))
		return false;
	if (operator== SQL_IN)
		sqlite3_vtab_in(plan->info, constraint, 1);
	plan->info->aConstraintUsage[constraint].argvIndex = ++plan->arguments;
	return true;
}

void sql_plan_order(struct sql_plan *plan, const char *order)
{
	add(plan, plan->arguments > 0 ? ", " : "", "in order of ", order, "");
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
