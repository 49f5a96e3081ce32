// SPDX-License-Identifier: MIT
/*
 * chart_view.c - charts that analyses declare: their rows as a tree, their lines.
 *
 * Rows are the attributes that an entry names, with those of the entries below it; rows of one entry may name their
 * parents.  Lines are the states of attributes at some times, from one query.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/cancel.h"
#include "base/error.h"
#include "base/search.h"
#include "base/table.h"
#include "histree/states.h"
#include "view/view.h"

struct histree_chart_view {
	struct histree_history *history; /* borrowed */
	const struct histree_chart *chart;
	struct histree_chart_row *rows;
	uint32_t count;
	size_t capacity;
	struct arena names;
};

enum { CHART_ROWS_MAX = 1 << 20, CHART_KIN_DEPTH_MAX = 256 };

/* What a row says of itself while the tree is made: "" is nothing. */
struct chart_kin {
	const char *id, *above;
};

/* ---- chart tree ---------------------------------------------------------------------------------------------- */

struct kin_order {
	const struct chart_kin *kin;
	const struct histree_chart_row *row;
	uint32_t index, parent; /* parent: before any row moved */
};

static int chart_tree_compare_places(const struct kin_order *a, uint32_t entry, uint32_t parent, const char *id)
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
	int order = chart_tree_compare_places(a, b->row->entry, b->parent, b->kin->id);
	return order != 0 ? order : (a->index > b->index) - (a->index < b->index);
}

static uint32_t find_above(const struct kin_order *sorted, uint32_t count, const struct kin_order *of)
{
	const uint32_t low = (uint32_t)SEARCH(
		i, 0, count,
		chart_tree_compare_places(&sorted[i], of->row->entry, of->parent, of->kin->above) <= 0);
	bool is_there = low > 0 && chart_tree_compare_places(&sorted[low - 1], of->row->entry, of->parent,
							     of->kin->above) == 0;
	return is_there ? sorted[low - 1].index : UINT32_MAX;
}

/* Returns whether a row is `above`, or below it, or too deep to be followed up. */
static bool is_below(const struct histree_chart_row *rows, uint32_t row, uint32_t above)
{
	unsigned steps = 0;
	for (; row != UINT32_MAX && row != above && steps < CHART_KIN_DEPTH_MAX; steps++)
		row = rows[row].parent;
	return row == above || steps == CHART_KIN_DEPTH_MAX;
}

/* ---- the order of the tree -------------------------------------------------------------------------------- */

struct links {
	uint32_t *first, *last,
		*next;   /* children of each row, and of none at the end; the next one of its parent */
	uint32_t *moved; /* where a row is in the new order */
};

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

/*
 * Put rows below those of the same entry and the same parent that they name, unless that would make a ring or the
 * two are never there together; then all in the order of the tree.  `kin` has one for each row.
 */
static enum histree_status chart_tree_arrange(struct histree_chart_view *view, const struct chart_kin *kin,
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
		for (uint32_t k = 0; k < view->count; k++) {
			const struct kin_order *of = &sorted[k];
			uint32_t above =
				of->kin->above[0] != '\0' ? find_above(sorted, view->count, of) : UINT32_MAX;
			if (above == UINT32_MAX || is_below(view->rows, above, of->index))
				continue; /* a ring, or too deep to be followed up */
			if (view->rows[of->index].first <= view->rows[above].last &&
			    view->rows[above].first <= view->rows[of->index].last)
				view->rows[of->index].parent = above;
		}
		struct links links = { numbers, numbers + room, numbers + 2 * room, numbers + 3 * room };
		for (uint32_t n = 0; n <= view->count; n++)
			links.first[n] = links.last[n] = links.next[n] = UINT32_MAX;
		for (uint32_t n = 0; n < view->count; n++) {
			uint32_t parent = view->rows[n].parent != UINT32_MAX ? view->rows[n].parent : view->count;
			if (links.first[parent] == UINT32_MAX)
				links.first[parent] = n;
			else
				links.next[links.last[parent]] = n;
			links.last[parent] = n;
		}
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

/* ---- chart lines --------------------------------------------------------------------------------------------- */

/* The line of a row, by what it shows. */
struct line {
	histree_quark quark;
	double *values;
};

COMPARE(compare_lines, struct line, BY(quark))

/* A text that is a number is one, as in Trace Compass. */
static double number_in(const struct histree_value *value)
{
	char text[64], *end;
	if (value->size == 0 || value->size >= sizeof(text))
		return 0;
	memcpy(text, value->bytes, value->size);
	text[value->size] = '\0';
	double number = strtod(text, &end);
	return *end == '\0' && isfinite(number) ? number : 0;
}

static double number_of(const struct histree_value *value)
{
	switch (value->type) {
	case HISTREE_INT:
		return value->int32;
	case HISTREE_LONG:
		return (double)value->int64;
	case HISTREE_DOUBLE:
		return isfinite(value->real) ? value->real : 0;
	case HISTREE_BOOL:
		return value->boolean;
	case HISTREE_STRING:
		return number_in(value);
	case HISTREE_UNKNOWN:
		return NAN;
	default:
		return 0;
	}
}

static void fill(const struct line *lines, size_t count, const struct histree_interval *interval,
		 const histree_time *times, size_t time_count)
{
	const struct line key = { .quark = interval->quark };
	const struct line *line = bsearch(&key, lines, count, sizeof(*lines), compare_lines);
	double number = number_of(&interval->value);
	/* The index of the first time that is not before `time`. */
	const size_t low = SEARCH(i, 0, time_count, times[i] < interval->start);
	size_t first = low;
	if (line == NULL)
		return;
	while (line > lines && line[-1].quark == interval->quark)
		line--;
	for (; line < lines + count && line->quark == interval->quark; line++)
		for (size_t k = first; k < time_count && times[k] <= interval->end; k++)
			line->values[k] = number;
}

/* The states at those times. */
static enum histree_status read_states(const struct histree_chart_view *view, struct line *lines, size_t count,
				       const histree_time *times, size_t time_count, struct histree_error *error)
{
	histree_quark *quarks = malloc((count + 1) * sizeof(*quarks));
	struct histree_cursor *query = NULL;
	size_t quark_count = 0;
	enum histree_status status = quarks != NULL ? histree_query_create(view->history, &query, error)
						    : error_memory(error, "a chart");
	if (status == HISTREE_OK && count > 1)
		qsort(lines, count, sizeof(*lines), compare_lines);
	for (size_t i = 0; i < count && status == HISTREE_OK; i++)
		if (quark_count == 0 || quarks[quark_count - 1] != lines[i].quark)
			quarks[quark_count++] = lines[i].quark;
	if (status == HISTREE_OK) {
		const struct histree_region region = {
			.quarks = quarks, .quark_count = quark_count, .times = times, .time_count = time_count
		};
		struct histree_interval interval;
		status = histree_query_start(query, &region, error);
		while (status == HISTREE_OK && (status = histree_cursor_next(query, error)) == HISTREE_OK) {
			interval = *histree_cursor_interval(query);
			fill(lines, count, &interval, times, time_count);
		}
		status = status == HISTREE_END ? HISTREE_OK : status;
	}
	histree_cursor_free(query);
	free(quarks);
	return status;
}

static void measure(const struct histree_chart_entry *entry, const histree_time *times, size_t count,
		    double *values)
{
	double factor = entry->factor != 0 ? entry->factor : 1;
	if (entry->measure != HISTREE_CHART_VALUE) {
		for (size_t k = count; k-- > 1;) {
			double seconds = (double)((uint64_t)times[k] - (uint64_t)times[k - 1]) * 1e-9;
			values[k] -= values[k - 1];
			if (entry->measure == HISTREE_CHART_RATE)
				values[k] = seconds > 0 ? values[k] / seconds : 0;
		}
		if (count > 0)
			values[0] = count > 1 ? values[1] : 0;
	}
	for (size_t k = 0; k < count && factor != 1; k++)
		values[k] *= factor;
}

static bool has_numbers(const struct histree_chart_view *view, uint32_t row)
{
	return row < view->count && view->rows[row].shown != HISTREE_ROOT &&
	       view->chart->kind == HISTREE_CHART_LINES;
}

enum histree_status histree_chart_view_lines(const struct histree_chart_view *view, const uint32_t *rows,
					     size_t row_count, const histree_time *times, size_t time_count,
					     double *values, struct histree_error *error)
{
	struct line *lines = malloc((row_count + 1) * sizeof(*lines));
	size_t count = 0;
	enum histree_status status = lines != NULL ? HISTREE_OK : error_memory(error, "a chart");
	for (size_t i = 0; i < row_count && status == HISTREE_OK; i++) {
		double *own = values + i * time_count;
		for (size_t k = 0; k < time_count; k++)
			own[k] = NAN;
		if (has_numbers(view, rows[i]))
			lines[count++] = (struct line){ view->rows[rows[i]].shown, own };
	}
	if (status == HISTREE_OK && count > 0 && time_count > 0)
		status = read_states(view, lines, count, times, time_count, error);
	for (size_t i = 0; i < row_count && status == HISTREE_OK; i++)
		if (has_numbers(view, rows[i]))
			measure(&view->chart->entries[view->rows[rows[i]].entry], times, time_count,
				values + i * time_count);
	free(lines);
	return status;
}

/* ---- the busiest ------------------------------------------------------------------------------------------ */

struct rank {
	double weight;
	uint32_t row;
};

COMPARE(compare_ranks, struct rank, BY_MOST(weight) BY(row))

static double size_of(double number)
{
	return isnan(number) ? 0 : fabs(number);
}

/* The greatest number that a row has in a range, which may be 0 at both ends of it. */
static enum histree_status weigh_value(const struct histree_chart_view *view, uint32_t row,
				       const histree_time times[2], struct histree_cursor *query, double *weight,
				       struct histree_error *error)
{
	struct histree_numbers numbers;
	const double factor = view->chart->entries[view->rows[row].entry].factor;
	enum histree_status status =
		histree_lookup_numbers(query, view->rows[row].shown, times[0], times[1], &numbers, error);
	if (status != HISTREE_OK)
		return status;
	const double most = fmax(size_of(number_of(&numbers.min)), size_of(number_of(&numbers.max)));
	*weight = fmax(*weight, factor != 0 ? most * fabs(factor) : most);
	return HISTREE_OK;
}

/* Of a row with differences, by how much it grew. */
static enum histree_status weigh(const struct histree_chart_view *view, uint32_t row, const histree_time times[2],
				 const double ends[2], struct histree_cursor *query, double *weight,
				 struct histree_error *error)
{
	*weight = size_of(ends[1]);
	if (view->chart->entries[view->rows[row].entry].measure != HISTREE_CHART_VALUE)
		return HISTREE_OK;
	*weight = fmax(*weight, size_of(ends[0])); /* also where it is a number in a text */
	return weigh_value(view, row, times, query, weight, error);
}

enum histree_status histree_chart_view_busiest(const struct histree_chart_view *view, histree_time from,
					       histree_time to, uint32_t *indices, size_t room, size_t *found,
					       struct histree_error *error)
{
	const histree_time times[2] = { from, to };
	size_t count = 0, ranked = 0;
	*found = 0;
	uint32_t *rows = malloc(((size_t)view->count + 1) * sizeof(*rows));
	double *ends = malloc(((size_t)view->count + 1) * sizeof(*ends) * 2);
	struct rank *ranks = malloc(((size_t)view->count + 1) * sizeof(*ranks));
	bool has_room = rows != NULL && ends != NULL && ranks != NULL;
	for (uint32_t i = 0; i < view->count && has_room; i++)
		if (has_numbers(view, i))
			rows[count++] = i;
	struct histree_cursor *query = NULL;
	enum histree_status status =
		has_room ? histree_query_create(view->history, &query, error) : error_memory(error, "a chart");
	if (status == HISTREE_OK)
		status = histree_chart_view_lines(view, rows, count, times, 2, ends, error);
	for (size_t i = 0; i < count && status == HISTREE_OK; i++) {
		double weight;
		status = weigh(view, rows[i], times, ends + 2 * i, query, &weight, error);
		if (status == HISTREE_OK && weight > 0)
			ranks[ranked++] = (struct rank){ weight, rows[i] };
	}
	if (ranked > 1)
		qsort(ranks, ranked, sizeof(*ranks), compare_ranks);
	for (; *found < room && *found < ranked; ++*found)
		indices[*found] = ranks[*found].row;
	histree_cursor_free(query);
	free(rows);
	free(ends);
	free(ranks);
	return status;
}

/* ---- chart view ---------------------------------------------------------------------------------------------- */

enum { ROW_NAME_SIZE = 256 }; /* longer ones are cut */

/* The rows of one host. */
struct making {
	struct histree_chart_view *view;
	struct histree_history *history;
	const struct histree_attributes *attributes;
	const struct histree_chart *chart;
	struct histree_cursor *query;
	struct chart_kin **kin; /* one for each row, of all hosts */
	size_t *kin_capacity;
	histree_time start, end;
	struct histree_work work;
	struct histree_error *error;
};

/* ---- what a row is called --------------------------------------------------------------------------------- */

/* "." is the row's attribute, "a/b" one below it, "/a/b" one from the top; HISTREE_ROOT: not found. */
static histree_quark refer(const struct histree_attributes *attributes, const char *reference, histree_quark row)
{
	histree_quark found;
	bool is_absolute = reference[0] == '/';
	if (strcmp(reference, ".") == 0)
		return row;
	enum histree_status status = histree_attributes_find(attributes, is_absolute ? HISTREE_ROOT : row,
							     reference + (is_absolute ? 1 : 0), &found);
	return status == HISTREE_OK ? found : HISTREE_ROOT;
}

static void write_value(const struct histree_value *value, char *text, size_t size)
{
	text[0] = '\0';
	switch (value->type) {
	case HISTREE_INT:
		snprintf(text, size, "%" PRId32, value->int32);
		break;
	case HISTREE_LONG:
		snprintf(text, size, "%" PRId64, value->int64);
		break;
	case HISTREE_DOUBLE:
		snprintf(text, size, "%g", value->real);
		break;
	case HISTREE_STRING:
		snprintf(text, size, "%.*s", (int)(value->size < size ? value->size : size),
			 (const char *)value->bytes);
		break;
	default:
		break;
	}
}

/* Writes the first value of the attribute that a reference names; "" if it has no value. */
static enum histree_status read_text(const struct making *making, const char *reference, histree_quark row,
				     char *text, size_t size)
{
	struct histree_interval interval;
	histree_quark quark = reference != NULL ? refer(making->attributes, reference, row) : HISTREE_ROOT;
	text[0] = '\0';
	if (quark == HISTREE_ROOT || histree_attributes_is_folder(making->attributes, quark))
		return HISTREE_OK;
	enum histree_status status = histree_lookup_first_value(making->query, quark, making->start, making->end,
								&interval, making->error);
	if (status == HISTREE_OK)
		write_value(&interval.value, text, size);
	return status == HISTREE_NOT_FOUND ? HISTREE_OK : status;
}

/* Returns NULL if memory runs out. */
static const char *keep(const struct making *making, const char *text)
{
	return arena_copy(&making->view->names, text, strlen(text));
}

static enum histree_status name_row(const struct making *making, const struct histree_chart_entry *entry,
				    struct histree_chart_row *row, struct chart_kin *kin)
{
	char name[ROW_NAME_SIZE], id[ROW_NAME_SIZE], above[ROW_NAME_SIZE];
	enum histree_status status = HISTREE_OK;
	snprintf(name, sizeof(name), "%s", entry->label != NULL ? entry->label : "");
	if (entry->label == NULL)
		status = read_text(making, entry->name, row->attribute, name, sizeof(name));
	if (name[0] == '\0')
		histree_attributes_name(making->attributes, row->attribute, name, sizeof(name));
	if (status == HISTREE_OK)
		status = read_text(making, entry->id, row->attribute, id, sizeof(id));
	if (status == HISTREE_OK)
		status = read_text(making, entry->above, row->attribute, above, sizeof(above));
	if (status != HISTREE_OK)
		return status;
	row->name = keep(making, name);
	kin->id = entry->above == NULL ? "" : entry->id == NULL ? row->name : keep(making, id);
	kin->above = above[0] == '\0' ? "" : keep(making, above);
	bool is_kept = row->name != NULL && kin->id != NULL && kin->above != NULL;
	return is_kept ? HISTREE_OK : error_memory(making->error, "a chart");
}

/* ---- rows ------------------------------------------------------------------------------------------------- */

static enum histree_status add_row(const struct making *making, const struct histree_chart_row *row,
				   const struct chart_kin *kin)
{
	struct histree_chart_view *view = making->view;
	if (!array_reserve(&view->rows, &view->capacity, view->count + 1) ||
	    !array_reserve(making->kin, making->kin_capacity, view->count + 1))
		return error_memory(making->error, "a chart");
	(*making->kin)[view->count] = *kin;
	view->rows[view->count++] = *row;
	return HISTREE_OK;
}

struct quark_list {
	histree_quark *quarks;
	size_t count, capacity;
	bool failed;
};

static bool take_quark(void *context, histree_quark quark)
{
	struct quark_list *list = context;
	list->failed = !array_reserve(&list->quarks, &list->capacity, list->count + 1);
	if (list->failed || list->count >= CHART_ROWS_MAX)
		return false;
	list->quarks[list->count++] = quark;
	return true;
}

static enum histree_status add_entries(const struct making *making, uint32_t parent_entry, uint32_t parent_row);

/* Adds what an entry says of an attribute, and what is below it, but no row that shows and groups nothing. */
static enum histree_status add_attribute(const struct making *making, uint32_t index, uint32_t parent,
					 histree_quark quark)
{
	const struct histree_chart_entry *entry = &making->chart->entries[index];
	struct histree_chart_view *view = making->view;
	struct histree_chart_row row = { .attribute = quark,
					 .shown = entry->shown != NULL
							  ? refer(making->attributes, entry->shown, quark)
							  : HISTREE_ROOT,
					 .parent = parent,
					 .entry = index,
					 .first = making->start,
					 .last = making->end };
	struct chart_kin kin;
	if ((entry->shown != NULL && row.shown == HISTREE_ROOT) || view->count == CHART_ROWS_MAX)
		return HISTREE_OK;
	uint32_t number = view->count;
	enum histree_status status = name_row(making, entry, &row, &kin);
	if (status == HISTREE_OK)
		status = add_row(making, &row, &kin);
	if (status == HISTREE_OK)
		status = add_entries(making, index, number);
	if (status == HISTREE_OK && entry->shown == NULL && view->count == number + 1)
		view->count--;
	return status;
}

static enum histree_status add_entries(const struct making *making, uint32_t parent_entry, uint32_t parent_row)
{
	const struct histree_chart *chart = making->chart;
	enum histree_status status = HISTREE_OK;
	histree_quark from =
		parent_entry != HISTREE_CHART_TOP ? making->view->rows[parent_row].attribute : HISTREE_ROOT;
	status = cancel_check(&making->work, 0, making->error);
	for (uint32_t i = 0; i < chart->entry_count && status == HISTREE_OK; i++) {
		struct quark_list list = { 0 };
		if (chart->entries[i].parent != parent_entry)
			continue;
		status = histree_attributes_match(making->attributes, from, chart->entries[i].path, take_quark,
						  &list, making->error);
		if (status == HISTREE_NOT_FOUND)
			status = HISTREE_OK;
		if (list.failed)
			status = error_memory(making->error, "a chart");
		for (size_t k = 0; k < list.count && status == HISTREE_OK; k++)
			status = add_attribute(making, i, parent_row, list.quarks[k]);
		free(list.quarks);
	}
	return status;
}

/* ---- when a row was there --------------------------------------------------------------------------------- */

struct row_place {
	histree_quark attribute;
	uint32_t row;
};

COMPARE(chart_view_compare_places, struct row_place, BY(attribute))

static void clip_rows(const struct making *making, const struct row_place *places, size_t count,
		      const struct histree_interval *null)
{
	struct row_place key = { .attribute = null->quark };
	const struct row_place *place = bsearch(&key, places, count, sizeof(*places), chart_view_compare_places);
	if (place == NULL)
		return;
	while (place > places && place[-1].attribute == null->quark)
		place--;
	for (; place < places + count && place->attribute == null->quark; place++) {
		struct histree_chart_row *row = &making->view->rows[place->row];
		if (null->end < making->end)
			row->first = null->end + 1;
		if (null->start > making->start)
			row->last = null->start - 1;
	}
}

/* The rows from `first` on. */
static enum histree_status find_lifetimes(const struct making *making, uint32_t first)
{
	const histree_time times[] = { making->start, making->end };
	uint32_t count = making->view->count - first;
	struct row_place *places = malloc(((size_t)count + 1) * sizeof(*places));
	histree_quark *quarks = malloc(((size_t)count + 1) * sizeof(*quarks));
	enum histree_status status =
		places != NULL && quarks != NULL ? HISTREE_OK : error_memory(making->error, "a chart");
	size_t quark_count = 0, placed = 0;
	for (uint32_t i = 0; i < count && status == HISTREE_OK; i++)
		if (!histree_attributes_is_folder(making->attributes, making->view->rows[first + i].attribute))
			places[placed++] = (struct row_place){ making->view->rows[first + i].attribute, first + i };
	if (placed > 1)
		qsort(places, placed, sizeof(*places), chart_view_compare_places);
	for (size_t i = 0; i < placed; i++)
		if (quark_count == 0 || quarks[quark_count - 1] != places[i].attribute)
			quarks[quark_count++] = places[i].attribute;
	const struct histree_region region = { .quarks = quarks,
					       .quark_count = quark_count,
					       .times = times,
					       .time_count = making->start < making->end ? 2 : 1 };
	if (status == HISTREE_OK && quark_count > 0) {
		struct histree_interval interval;
		status = histree_query_start(making->query, &region, making->error);
		while (status == HISTREE_OK &&
		       (status = histree_cursor_next(making->query, making->error)) == HISTREE_OK) {
			interval = *histree_cursor_interval(making->query);
			if (interval.value.type == HISTREE_NULL)
				clip_rows(making, places, placed, &interval);
		}
		status = status == HISTREE_END ? HISTREE_OK : status;
	}
	free(places);
	free(quarks);
	return status;
}

/* ---- hosts ------------------------------------------------------------------------------------------------ */

/* The rows of the history of one host, below `parent`; quark q of it is `shift` + q of the whole. */
static enum histree_status add_history(struct making *making, struct histree_history *history,
				       const struct histree_chart *chart, uint32_t parent, histree_quark shift)
{
	const struct histree_history_info *info = histree_history_info(history);
	uint32_t first = making->view->count;
	making->history = history;
	making->attributes = histree_history_attributes(history);
	making->chart = chart;
	making->start = info->start;
	making->end = info->end;
	enum histree_status status = histree_query_create(history, &making->query, making->error);
	if (status != HISTREE_OK)
		return status;
	status = add_entries(making, HISTREE_CHART_TOP, parent);
	if (status == HISTREE_OK)
		status = find_lifetimes(making, first);
	histree_cursor_free(making->query);
	for (uint32_t i = first; i < making->view->count; i++) {
		struct histree_chart_row *row = &making->view->rows[i];
		row->attribute += shift;
		row->shown += row->shown != HISTREE_ROOT ? shift : 0;
	}
	return status;
}

static enum histree_status add_hosts(struct making *making, const struct histree_history_host *hosts, size_t count)
{
	const struct histree_history_info *info = histree_history_info(making->view->history);
	static const struct chart_kin none = { "", "" };
	enum histree_status status = HISTREE_OK;
	for (size_t i = 0; i < count && status == HISTREE_OK; i++) {
		struct histree_history *history = hosts[i].history;
		const struct histree_chart *chart =
			history != NULL ? histree_chart_find(history, making->view->chart->name) : NULL;
		struct histree_chart_row row = {
			.name = keep(making, hosts[i].name),
			.attribute = HISTREE_ROOT,
			.shown = HISTREE_ROOT,
			.parent = UINT32_MAX,
			.entry = UINT32_MAX,
			.first = history != NULL ? histree_history_info(history)->start : info->start,
			.last = history != NULL ? histree_history_info(history)->end : info->end
		};
		uint32_t number = making->view->count;
		status = row.name != NULL ? add_row(making, &row, &none) : error_memory(making->error, "a chart");
		if (status == HISTREE_OK && chart != NULL)
			status = add_history(making, history, chart, number, hosts[i].folder + 1);
	}
	return status;
}

/* ---- whether there are any ---------------------------------------------------------------------------------- */

struct row_search {
	const struct histree_attributes *attributes;
	const struct histree_chart *chart;
	uint32_t entry; /* whose attributes are looked at */
	bool found;
};

static bool has_row_below(const struct histree_attributes *attributes, const struct histree_chart *chart,
			  uint32_t parent, histree_quark from);

/* A row shows something, or groups rows that do. */
static bool find_row(void *context, histree_quark quark)
{
	struct row_search *search = context;
	const char *shown = search->chart->entries[search->entry].shown;
	search->found = shown != NULL ? refer(search->attributes, shown, quark) != HISTREE_ROOT
				      : has_row_below(search->attributes, search->chart, search->entry, quark);
	return !search->found;
}

static bool has_row_below(const struct histree_attributes *attributes, const struct histree_chart *chart,
			  uint32_t parent, histree_quark from)
{
	struct row_search search = { .attributes = attributes, .chart = chart };
	struct histree_error ignored;
	for (; search.entry < chart->entry_count && !search.found; search.entry++)
		if (chart->entries[search.entry].parent == parent &&
		    histree_attributes_match(attributes, from, chart->entries[search.entry].path, find_row, &search,
					     &ignored) < 0)
			return true; /* the reader is told why */
	return search.found;
}

bool histree_chart_has_rows(const struct histree_history *history, const struct histree_chart *chart)
{
	size_t count;
	const struct histree_history_host *hosts = histree_history_hosts(history, &count);
	if (hosts == NULL)
		return has_row_below(histree_history_attributes(history), chart, HISTREE_CHART_TOP, HISTREE_ROOT);
	for (size_t i = 0; i < count; i++) {
		const struct histree_chart *own =
			hosts[i].history != NULL ? histree_chart_find(hosts[i].history, chart->name) : NULL;
		if (own != NULL && histree_chart_has_rows(hosts[i].history, own))
			return true;
	}
	return false;
}

enum histree_status histree_chart_view_create(struct histree_history *history, const char *name,
					      struct histree_work work, struct histree_chart_view **out,
					      struct histree_error *error)
{
	*out = NULL;
	const struct histree_chart *chart = histree_chart_find(history, name);
	if (chart == NULL)
		return error_set(
			error, HISTREE_NOT_FOUND,
			"the history has no chart '%.100s'; 'histree info --charts' lists those that it has", name);
	struct histree_chart_view *view = calloc(1, sizeof(*view));
	if (view == NULL)
		return error_memory(error, "a chart");
	view->history = history;
	view->chart = chart;
	struct chart_kin *kin = NULL;
	size_t kin_capacity = 0, host_count;
	struct making making = {
		.view = view, .kin = &kin, .kin_capacity = &kin_capacity, .work = work, .error = error
	};
	const struct histree_history_host *hosts = histree_history_hosts(history, &host_count);
	enum histree_status status = hosts != NULL ? add_hosts(&making, hosts, host_count)
						   : add_history(&making, history, chart, UINT32_MAX, 0);
	if (status == HISTREE_OK)
		status = chart_tree_arrange(view, kin, error);
	free(kin);
	if (status != HISTREE_OK) {
		histree_chart_view_free(view);
		return status;
	}
	*out = view;
	return HISTREE_OK;
}

void histree_chart_view_free(struct histree_chart_view *view)
{
	if (view == NULL)
		return;
	free(view->rows);
	arena_release(&view->names);
	free(view);
}

const struct histree_chart *histree_chart_view_chart(const struct histree_chart_view *view)
{
	return view->chart;
}

const struct histree_chart_row *histree_chart_view_rows(const struct histree_chart_view *view, uint32_t *count)
{
	*count = view->count;
	return view->rows;
}

size_t histree_chart_view_name(const struct histree_chart_view *view, uint32_t row, char *buffer, size_t capacity)
{
	size_t size = 0;
	if (row < view->count && view->rows[row].parent != UINT32_MAX)
		size = histree_chart_view_name(view, view->rows[row].parent, buffer, capacity);
	size_t at = size < capacity ? size : capacity;
	return size + (size_t)snprintf(buffer + at, capacity - at, "%s%s", size > 0 ? " / " : "",
				       row < view->count ? view->rows[row].name : "");
}

const struct histree_label_table *histree_chart_view_labels(const struct histree_chart_view *view, uint32_t row)
{
	size_t count = 0;
	const char *name = view->chart->labels;
	const struct histree_label_table *tables = name != NULL ? histree_labels(view->history, &count) : NULL;
	for (size_t i = 0; i < count; i++)
		if (strcmp(tables[i].name, name) == 0)
			return &tables[i];
	return view->rows[row].shown != HISTREE_ROOT ? histree_labels_of(view->history, view->rows[row].shown)
						     : NULL;
}
