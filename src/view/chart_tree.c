// SPDX-License-Identifier: MIT
/*
 * chart_tree.c - who stands below whom in a chart, where rows of one entry say whose children they are.
 */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "view/chart_view.h"

struct kin_order {
	const struct chart_kin *kin;
	const struct histree_chart_row *row;
	uint32_t index, parent; /* parent: before any row moved */
};

static int compare_places(const struct kin_order *a, uint32_t entry, uint32_t parent, const char *id)
{
	if (a->row->entry != entry)
		return a->row->entry < entry ? -1 : 1;
	if (a->parent != parent)
		return a->parent < parent ? -1 : 1;
	return strcmp(a->kin->id, id);
}

/* Of rows with one id the last one is it: numbers are used again. */
static int compare_kin(const void *one, const void *other)
{
	const struct kin_order *a = one, *b = other;
	int order = compare_places(a, b->row->entry, b->parent, b->kin->id);
	return order != 0 ? order : (a->index > b->index) - (a->index < b->index);
}

static uint32_t find_above(const struct kin_order *sorted, uint32_t count, const struct kin_order *of)
{
	uint32_t low = 0, high = count;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		if (compare_places(&sorted[middle], of->row->entry, of->parent, of->kin->above) <= 0)
			low = middle + 1;
		else
			high = middle;
	}
	bool is_there =
		low > 0 && compare_places(&sorted[low - 1], of->row->entry, of->parent, of->kin->above) == 0;
	return is_there ? sorted[low - 1].index : UINT32_MAX;
}

/* Whether a row is `above` or below it, or so deep that nobody asks. */
static bool is_below(const struct histree_chart_row *rows, uint32_t row, uint32_t above)
{
	unsigned steps = 0;
	for (; row != UINT32_MAX && row != above && steps < CHART_KIN_DEPTH_MAX; steps++)
		row = rows[row].parent;
	return row == above || steps == CHART_KIN_DEPTH_MAX;
}

static void adopt(struct histree_chart_row *rows, const struct kin_order *sorted, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		const struct kin_order *of = &sorted[i];
		uint32_t above = of->kin->above[0] != '\0' ? find_above(sorted, count, of) : UINT32_MAX;
		if (above == UINT32_MAX || is_below(rows, above, of->index))
			continue; /* a ring, or deeper than anybody looks */
		if (rows[of->index].first <= rows[above].last && rows[above].first <= rows[of->index].last)
			rows[of->index].parent = above;
	}
}

/* ---- the order of the tree -------------------------------------------------------------------------------- */

struct links {
	uint32_t *first, *last,
		*next;   /* children of each row, and of none at the end; the next one of its parent */
	uint32_t *moved; /* where a row is in the new order */
};

static void link_rows(const struct histree_chart_view *view, struct links *links)
{
	for (uint32_t i = 0; i <= view->count; i++)
		links->first[i] = links->last[i] = links->next[i] = UINT32_MAX;
	for (uint32_t i = 0; i < view->count; i++) {
		uint32_t parent = view->rows[i].parent != UINT32_MAX ? view->rows[i].parent : view->count;
		if (links->first[parent] == UINT32_MAX)
			links->first[parent] = i;
		else
			links->next[links->last[parent]] = i;
		links->last[parent] = i;
	}
}

/* Writes the rows in the order of the tree; a row comes before those below it. */
static void write_rows(const struct histree_chart_view *view, const struct links *links,
		       struct histree_chart_row *out)
{
	uint32_t at = links->first[view->count], written = 0;
	while (at != UINT32_MAX) {
		struct histree_chart_row row = view->rows[at];
		uint32_t parent = row.parent;
		row.parent = parent != UINT32_MAX ? links->moved[parent] : UINT32_MAX;
		row.depth = parent != UINT32_MAX ? out[row.parent].depth + 1 : 0;
		links->moved[at] = written;
		out[written++] = row;
		uint32_t next = links->first[at];
		for (uint32_t up = at; next == UINT32_MAX && up != UINT32_MAX; up = view->rows[up].parent)
			next = links->next[up];
		at = next;
	}
}

enum histree_status chart_tree_arrange(struct histree_chart_view *view, const struct chart_kin *kin,
				       struct histree_error *error)
{
	size_t room = (size_t)view->count + 1;
	struct kin_order *sorted = malloc(room * sizeof(*sorted));
	struct histree_chart_row *rows = malloc(room * sizeof(*rows));
	uint32_t *numbers = malloc(4 * room * sizeof(*numbers));
	bool has_room = sorted != NULL && rows != NULL && numbers != NULL;
	if (has_room) {
		for (uint32_t i = 0; i < view->count; i++)
			sorted[i] = (struct kin_order){ &kin[i], &view->rows[i], i, view->rows[i].parent };
		if (view->count > 1)
			qsort(sorted, view->count, sizeof(*sorted), compare_kin);
		adopt(view->rows, sorted, view->count);
		struct links links = { numbers, numbers + room, numbers + 2 * room, numbers + 3 * room };
		link_rows(view, &links);
		write_rows(view, &links, rows);
		free(view->rows);
		view->rows = rows;
		view->capacity = room;
		rows = NULL;
	}
	free(sorted);
	free(rows);
	free(numbers);
	return has_room ? HISTREE_OK : error_memory(error, "a chart");
}
