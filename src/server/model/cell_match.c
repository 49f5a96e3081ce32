// SPDX-License-Identifier: MIT
#include "server/model/cell_match.h"

#include <string.h>

enum histree_status cell_match_add(struct cell_match *match, unsigned column, const char *expression,
				   struct histree_error *error)
{
	return pattern_create(expression, &match->patterns[column], error);
}

bool cell_match_line(const struct cell_match *match, cell_text *text, void *line)
{
	bool found = !match->any;
	for (unsigned i = 0; i < CELL_COLUMNS_MAX; i++) {
		if (match->patterns[i] == NULL)
			continue;
		const char *cell = text(line, i);
		found = pattern_find(match->patterns[i], cell, strlen(cell));
		if (found == match->any)
			return found;
	}
	return found;
}

void cell_match_release(struct cell_match *match)
{
	for (unsigned i = 0; i < CELL_COLUMNS_MAX; i++)
		pattern_free(match->patterns[i]);
	*match = (struct cell_match){ 0 };
}
