// SPDX-License-Identifier: MIT
/*
 * line_table.c - lines that are requested by number, in turns.
 */
#include "server/model/line_table.h"

#include <inttypes.h>
#include <string.h>

#include "base/cancel.h"
#include "base/error.h"
#include "base/monotonic.h"

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

static void enter(const struct line_table *table)
{
	if (table->kind->enter != NULL)
		table->kind->enter(table->lines);
}

static void leave(const struct line_table *table)
{
	if (table->kind->leave != NULL)
		table->kind->leave(table->lines);
}

enum histree_status line_table_read(const struct line_table *table, uint64_t first, uint64_t count,
				    line_visit *visit, void *context, struct histree_error *error)
{
	if (first >= table->count)
		return HISTREE_OK;
	enter(table);
	enum histree_status status = table->kind->seek(table->lines, first, error);
	for (uint64_t i = 0; status == HISTREE_OK && i < count; i++) {
		status = table->kind->next(table->lines, error);
		if (status == HISTREE_OK)
			visit(context, table->lines, first + i);
	}
	leave(table);
	return status == HISTREE_END ? HISTREE_OK : status;
}

enum histree_status line_table_find(const struct line_table *table, histree_time time, uint64_t *number,
				    struct histree_error *error)
{
	enter(table);
	enum histree_status status = table->kind->find(table->lines, time, number, error);
	leave(table);
	return status;
}

enum histree_status line_table_search(const struct line_table *table, const struct cell_match *match,
				      uint64_t first, bool backwards, struct histree_work work, uint64_t *number,
				      struct histree_error *error)
{
	const struct line_kind *kind = table->kind;
	const int64_t deadline = kind->seconds > 0 ? monotonic_ms() + INT64_C(1000) * kind->seconds : INT64_MAX;
	enum histree_status status = HISTREE_NOT_FOUND;
	uint64_t from = first, end = first < table->count ? first + 1 : table->count;
	while (status == HISTREE_NOT_FOUND && (backwards ? end > 0 : from < table->count)) {
		if (cancel_asked(&work))
			return error_set(error, HISTREE_ERR_CANCELLED, "the answer is no longer wanted");
		if (monotonic_ms() > deadline)
			return error_set(error, HISTREE_ERR_CANCELLED,
					 "no %s found in %u s; go to %s %" PRIu64 " and search on from there",
					 kind->one_line, kind->seconds, kind->one_line, backwards ? end : from);
		if (backwards)
			from = end > kind->turn ? end - kind->turn : 0;
		else
			end = table->count - from > kind->turn ? from + kind->turn : table->count;

		/* The first of the lines [first, end) that matches, or the last. */
		bool found = false;
		enter(table);
		status = table->kind->seek(table->lines, from, error);
		for (uint64_t i = from; status == HISTREE_OK && i < end && (backwards || !found); i++) {
			status = table->kind->next(table->lines, error);
			if (status == HISTREE_OK && cell_match_line(match, table->kind->cell, table->lines)) {
				found = true;
				*number = i;
			}
		}
		leave(table);
		status = status == HISTREE_OK && !found ? HISTREE_NOT_FOUND : status;
		if (backwards)
			end = from;
		else
			from = end;
	}
	return status;
}
