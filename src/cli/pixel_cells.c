// SPDX-License-Identifier: MIT
#include "cli/pixel_cells.h"

#include <stdlib.h>

#include "base/cancel.h"
#include "histree/attributes.h"

struct asking {
	const struct pixel_question *question;
	struct histree_cursor *rows;
	histree_quark *quarks; /* of one host */
	pixel_taker *take;
	void *context;
};

static histree_time end_of(const struct pixel_question *question, uint32_t pixel, histree_time start)
{
	if (pixel + 1 == question->pixels)
		return question->to;
	histree_time next = histree_pixel_start(question->from, question->to, question->pixels, pixel + 1);
	return next > start ? next - 1 : start;
}

static void hand_out(const struct asking *asking, const struct listed_attribute *attribute,
		     const struct histree_row *row)
{
	const struct pixel_question *question = asking->question;
	const struct histree_label_table *table = histree_labels_of(question->history, attribute->quark);
	for (uint32_t pixel = 0; pixel < question->pixels; pixel++) {
		const struct histree_cell *from = &row->cells[pixel];
		histree_time start = histree_pixel_start(question->from, question->to, question->pixels, pixel);
		struct pixel_cell cell = { .pixel = pixel,
					   .start = start,
					   .end = end_of(question, pixel, start),
					   .value = histree_rows_value(asking->rows, from->value),
					   .has_other = from->other != HISTREE_NO_VALUE,
					   .other = histree_unknown() };
		if (from->other < histree_rows_value_count(asking->rows))
			cell.other = histree_rows_value(asking->rows, from->other);
		cell.label = histree_label_words(table, &cell.value);
		cell.other_label = cell.has_other ? histree_label_words(table, &cell.other) : NULL;
		asking->take(asking->context, attribute, &cell);
	}
}

/* Those of one host; attributes that are sorted by path are sorted by host. */
static enum histree_status ask(const struct asking *asking, const struct listed_attribute *attributes, size_t count,
			       bool *is_damaged, struct histree_error *error)
{
	const struct pixel_question *question = asking->question;
	const struct histree_rows_request request = { .quarks = asking->quarks,
						      .quark_count = count,
						      .from = question->from,
						      .to = question->to,
						      .pixels = question->pixels };
	for (size_t i = 0; i < count; i++)
		asking->quarks[i] = attributes[i].quark;
	enum histree_status status = histree_rows_start(asking->rows, &request, error);
	while (status == HISTREE_OK) {
		status = cancel_check(&question->work, 0, error);
		if (status == HISTREE_OK)
			status = histree_cursor_next(asking->rows, error);
		if (status != HISTREE_OK)
			break;
		const struct histree_row *row = histree_cursor_row(asking->rows);
		hand_out(asking, &attributes[row->index], row);
	}
	*is_damaged |= histree_cursor_loss(asking->rows).nodes > 0;
	return status == HISTREE_END ? HISTREE_OK : status;
}

enum histree_status pixel_cells(const struct pixel_question *question, pixel_taker *take, void *context,
				bool *is_damaged, struct histree_error *error)
{
	const struct attribute_list *list = question->attributes;
	struct asking asking = { .question = question, .take = take, .context = context };
	*is_damaged = false;
	asking.quarks = malloc((list->count + 1) * sizeof(*asking.quarks));
	enum histree_status status = asking.quarks == NULL
					     ? error_memory(error, "rows")
					     : histree_rows_create(question->history, &asking.rows, error);
	for (size_t first = 0, end; first < list->count && status == HISTREE_OK; first = end) {
		size_t host = histree_history_host_of(question->history, list->attributes[first].quark);
		for (end = first + 1; end < list->count; end++)
			if (histree_history_host_of(question->history, list->attributes[end].quark) != host)
				break;
		status = ask(&asking, list->attributes + first, end - first, is_damaged, error);
	}
	histree_cursor_free(asking.rows);
	free(asking.quarks);
	return status;
}
