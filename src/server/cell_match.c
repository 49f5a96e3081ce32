// SPDX-License-Identifier: MIT
#include "server/cell_match.h"

#include <string.h>

#include "base/error.h"

static bool is_bounded(const char *expression)
{
	for (const char *at = expression; *at != '\0'; at++)
		if (*at == '{' || (*at == '\\' && at[1] >= '0' && at[1] <= '9'))
			return false;
	return strlen(expression) <= CELL_EXPRESSION_MAX;
}

enum histree_status cell_match_add(struct cell_match *match, unsigned column, const char *expression,
				   struct histree_error *error)
{
	if (!is_bounded(expression))
		return error_set(error, HISTREE_ERR_ARGUMENT,
				 "an expression has up to %d bytes, and neither counts nor back references",
				 CELL_EXPRESSION_MAX);
	int result = regcomp(&match->expressions[column], expression, REG_EXTENDED | REG_NOSUB);
	if (result != 0) {
		char reason[128];
		regerror(result, &match->expressions[column], reason, sizeof(reason));
		return error_set(error, HISTREE_ERR_ARGUMENT, "'%s' is no regular expression: %s", expression,
				 reason);
	}
	match->has[column] = true;
	return HISTREE_OK;
}

bool cell_match_line(const struct cell_match *match, cell_text *text, void *line)
{
	bool found = !match->any;
	for (unsigned i = 0; i < CELL_COLUMNS_MAX; i++) {
		if (!match->has[i])
			continue;
		found = regexec(&match->expressions[i], text(line, i), 0, NULL, 0) == 0;
		if (found == match->any)
			return found;
	}
	return found;
}

void cell_match_release(struct cell_match *match)
{
	for (unsigned i = 0; i < CELL_COLUMNS_MAX; i++)
		if (match->has[i])
			regfree(&match->expressions[i]);
	*match = (struct cell_match){ 0 };
}
