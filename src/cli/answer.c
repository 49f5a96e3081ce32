// SPDX-License-Identifier: MIT
/*
 * answer.c - the intervals of some attributes, sorted by path and then by start, in bounded memory: an answer that
 * is too large is queried in parts.  And the cells of a chart, in the same order.
 */
#include "cli/answer.h"

#include <assert.h>
#include <stdlib.h>

#include "base/cancel.h"
#include "base/error.h"
#include "base/monotonic.h"
#include "base/search.h"
#include "base/table.h"
#include "histree/attributes.h"

struct row {
	struct histree_interval interval;
	uint32_t position; /* of its attribute among those of the part */
};

/* An attribute of a part.  Members are sorted by quark, as a query wants them. */
struct member {
	histree_quark quark;
	uint32_t position; /* by path */
};

/*
 * A rectangle of the question.  Times are cut so that an interval belongs to the part in which it is first met:
 * later parts leave out what starts at or before `after`, the last time of the part before.
 */
struct part {
	const struct listed_attribute *attributes;
	size_t attribute_count;
	const histree_time *times; /* NULL: from, to */
	size_t time_count;
	histree_time from, to;
	bool has_after;
	histree_time after;
};

struct answering {
	struct histree_cursor *query;
	const struct histree_history_info *info;
	answer_taker *take;
	void *context;
	struct answer_stats *stats;
	struct histree_state_filter *filter;
	struct histree_work work;
	size_t bytes_max;
	struct member *members; /* room for all attributes */
	histree_quark *quarks;  /* the same, of members */
	struct row *rows;
	size_t row_count, row_capacity;
	uint64_t rows_left; /* to be handed on */
	struct arena values;
};

/* ---- collect --------------------------------------------------------------------------------------- */

COMPARE(compare_members, struct member, BY(quark))

static const struct member *member_of(const struct answering *answering, const struct part *part,
				      histree_quark quark)
{
	const struct member *members = answering->members;
	const size_t count = part->attribute_count;
	/* If no quark between them is missing, the index follows from the quark. */
	if (members[count - 1].quark - members[0].quark == count - 1)
		return quark >= members[0].quark && quark <= members[count - 1].quark
			       ? &members[quark - members[0].quark]
			       : NULL;
	const size_t at = SEARCH(i, 0, count, members[i].quark < quark);
	return at < count && members[at].quark == quark ? &members[at] : NULL;
}

static bool keep(struct answering *answering, const struct histree_interval *interval, uint32_t position)
{
	if (!array_reserve(&answering->rows, &answering->row_capacity, answering->row_count + 1))
		return false;
	struct row *row = &answering->rows[answering->row_count];
	*row = (struct row){ .interval = *interval, .position = position };
	if (interval->value.type == HISTREE_STRING || interval->value.type == HISTREE_CUSTOM) {
		row->interval.value.bytes =
			arena_copy(&answering->values, interval->value.bytes, interval->value.size);
		if (row->interval.value.bytes == NULL)
			return false;
	}
	answering->row_count++;
	return true;
}

static bool is_full(const struct answering *answering)
{
	return answering->row_count * sizeof(*answering->rows) + answering->values.bytes_total >
	       answering->bytes_max;
}

/* Takes all intervals of the part.  Returns HISTREE_END if there is no room for them. */
static enum histree_status pull(struct answering *answering, const struct part *part, struct histree_error *error)
{
	enum histree_status status;
	uint64_t step = 0;
	while ((status = histree_cursor_next(answering->query, error)) == HISTREE_OK) {
		const struct histree_interval *interval = histree_cursor_interval(answering->query);
		status = cancel_check(&answering->work, step++, error);
		if (status != HISTREE_OK)
			return status;
		if (part->has_after && interval->start <= part->after)
			continue;
		if (answering->filter != NULL && !histree_state_filter_match(answering->filter, interval))
			continue;
		const struct member *member = member_of(answering, part, interval->quark);
		if (member == NULL)
			return error_set(error, HISTREE_ERR_INTERNAL,
					 "the query gave an attribute that was not asked for");
		if (is_full(answering))
			return HISTREE_END;
		if (!keep(answering, interval, member->position))
			return error_memory(error, "the intervals found");
	}
	return status == HISTREE_END ? HISTREE_OK : status;
}

static enum histree_status collect(struct answering *answering, const struct part *part,
				   struct histree_error *error)
{
	for (size_t i = 0; i < part->attribute_count; i++)
		answering->members[i] =
			(struct member){ .quark = part->attributes[i].quark, .position = (uint32_t)i };
	qsort(answering->members, part->attribute_count, sizeof(*answering->members), compare_members);
	for (size_t i = 0; i < part->attribute_count; i++)
		answering->quarks[i] = answering->members[i].quark;

	answering->row_count = 0;
	arena_release(&answering->values);
	struct histree_region region = {
		.quarks = part->attribute_count < answering->info->attribute_count ? answering->quarks : NULL,
		.quark_count = part->attribute_count,
		.times = part->times,
		.time_count = part->time_count,
		.from = part->from,
		.to = part->to,
	};
	int64_t begun = monotonic_ns();
	enum histree_status status = histree_query_start(answering->query, &region, error);
	if (status == HISTREE_OK)
		status = pull(answering, part, error);
	answering->stats->ns += monotonic_ns() - begun;
	const struct histree_statistics pass = histree_cursor_statistics(answering->query);
	answering->stats->query.nodes_visited += pass.nodes_visited;
	answering->stats->query.nodes_loaded += pass.nodes_loaded;
	answering->stats->query.rows += pass.rows;
	answering->stats->nodes_damaged += histree_cursor_loss(answering->query).nodes;
	return status;
}

/* ---- sort and hand on ------------------------------------------------------------------------------- */

COMPARE_POINTERS(compare_starts, struct row, BY(interval.start))

static bool is_ascending(const struct row *const *rows, size_t count)
{
	for (size_t i = 1; i < count; i++)
		if (rows[i - 1]->interval.start > rows[i]->interval.start)
			return false;
	return true;
}

/* The intervals of an attribute do not overlap, and none is there twice. */
static bool is_in_order(const struct row *const *rows, size_t count)
{
	for (size_t i = 1; i < count; i++)
		if (rows[i - 1]->interval.end >= rows[i]->interval.start)
			return false;
	return true;
}

/* Sorts rows by attribute, by counting.  The tree mostly gives those of one attribute in order. */
static enum histree_status hand_on(struct answering *answering, const struct part *part,
				   struct histree_error *error)
{
	size_t *ends = calloc(part->attribute_count + 1, sizeof(*ends));
	const struct row **sorted = malloc((answering->row_count + 1) * sizeof(*sorted));
	enum histree_status status = HISTREE_OK;
	if (ends == NULL || sorted == NULL) {
		status = error_memory(error, "sorting");
		goto out;
	}
	for (size_t i = 0; i < answering->row_count; i++)
		ends[answering->rows[i].position + 1]++;
	for (size_t position = 0; position < part->attribute_count; position++)
		ends[position + 1] += ends[position];
	/* ends[p] is where attribute p begins, and after this loop where it ends. */
	for (size_t i = 0; i < answering->row_count; i++)
		sorted[ends[answering->rows[i].position]++] = &answering->rows[i];
	size_t first = 0;
	for (size_t position = 0; position < part->attribute_count && status == HISTREE_OK;
	     first = ends[position], position++) {
		size_t count = ends[position] - first;
		if (!is_ascending(sorted + first, count))
			qsort((void *)(sorted + first), count, sizeof(*sorted), compare_starts);
		assert(is_in_order(sorted + first, count));
		for (size_t i = first; i < first + count && status == HISTREE_OK && answering->rows_left > 0; i++) {
			answering->rows_left--;
			answering->take(answering->context, &part->attributes[position], &sorted[i]->interval);
			status = cancel_check(&answering->work, i, error);
		}
	}
out:
	free((void *)sorted);
	free(ends);
	return status;
}

/* ---- cut -------------------------------------------------------------------------------------------- */

/* Returns false if the part is one attribute at one time, which cannot be cut. */
static bool cut(const struct part *part, struct part *one, struct part *other)
{
	*one = *other = *part;
	if (part->attribute_count > 1) {
		one->attribute_count = part->attribute_count / 2;
		other->attributes += one->attribute_count;
		other->attribute_count -= one->attribute_count;
		return true;
	}
	if (part->times != NULL ? part->time_count < 2 : part->from == part->to)
		return false;
	other->has_after = true;
	if (part->times != NULL) {
		one->time_count = part->time_count / 2;
		other->times += one->time_count;
		other->time_count -= one->time_count;
		other->after = other->times[-1];
	} else {
		one->to = part->from + (histree_time)(((uint64_t)part->to - (uint64_t)part->from) / 2);
		other->from = one->to + 1;
		other->after = one->to;
	}
	return true;
}

/*
 * Whether a part is so large, if intervals are spread evenly, that it need not be tried: what was pulled would be
 * lost.
 */
static bool is_hopeless(const struct answering *answering, const struct part *part)
{
	const struct histree_history_info *info = answering->info;
	double attributes = (double)part->attribute_count, rows;
	if (part->times != NULL)
		rows = attributes * (double)part->time_count;
	else
		rows = attributes + (double)info->interval_count * attributes / (double)info->attribute_count *
					    ((double)part->to - (double)part->from + 1) /
					    ((double)info->end - (double)info->start + 1);
	double rows_max = attributes / (double)info->attribute_count * (double)info->interval_count;
	return (rows < rows_max ? rows : rows_max) * (double)sizeof(struct row) > (double)answering->bytes_max;
}

static enum histree_status answer_part(struct answering *answering, const struct part *part,
				       struct histree_error *error)
{
	struct part one, other;
	assert(part->attribute_count > 0 && (part->times == NULL ? part->from <= part->to : part->time_count > 0));
	if (answering->rows_left == 0)
		return HISTREE_OK;
	bool hopeless = answering->filter == NULL && part->attribute_count > 1 && is_hopeless(answering, part);
	enum histree_status status = hopeless ? HISTREE_END : collect(answering, part, error);
	if (status == HISTREE_OK)
		return hand_on(answering, part, error);
	if (status != HISTREE_END)
		return status;
	if (!cut(part, &one, &other))
		return error_set(error, HISTREE_ERR_INTERNAL, "one attribute has too many intervals at one time");
	status = answer_part(answering, &one, error);
	return status == HISTREE_OK ? answer_part(answering, &other, error) : status;
}

/* Rows that are thrown away cost as much as others: room for some times as many as are wanted is enough. */
static size_t room_for(const struct answer_question *question)
{
	const uint64_t few = 8 * 1024 * 1024, wanted = question->row_max;
	if (question->bytes_max != 0)
		return question->bytes_max;
	if (wanted == 0 || wanted >= ANSWER_BYTES / (8 * sizeof(struct row)))
		return ANSWER_BYTES;
	return wanted * 8 * sizeof(struct row) > few ? (size_t)wanted * 8 * sizeof(struct row) : (size_t)few;
}

enum histree_status answer(const struct answer_question *question, answer_taker *take, void *context,
			   struct answer_stats *stats, struct histree_error *error)
{
	size_t count = question->attributes->count;
	struct part whole = {
		.attributes = question->attributes->attributes,
		.attribute_count = count,
		.times = question->times,
		.time_count = question->time_count,
		.from = question->from,
		.to = question->to,
	};
	struct answering answering = {
		.info = histree_history_info(question->history),
		.take = take,
		.context = context,
		.stats = stats,
		.filter = question->filter,
		.work = question->work,
		.bytes_max = room_for(question),
		.rows_left = question->row_max != 0 ? question->row_max : UINT64_MAX,
		.members = malloc((count + 1) * sizeof(*answering.members)),
		.quarks = malloc((count + 1) * sizeof(*answering.quarks)),
	};
	*stats = (struct answer_stats){ 0 };
	enum histree_status status = HISTREE_OK;
	if (answering.members == NULL || answering.quarks == NULL)
		status = error_memory(error, "the attributes asked for");
	else if (count > 0)
		status = histree_query_create(question->history, &answering.query, error);
	if (status == HISTREE_OK && count > 0)
		status = answer_part(&answering, &whole, error);
	histree_cursor_free(answering.query);
	arena_release(&answering.values);
	free(answering.rows);
	free(answering.quarks);
	free(answering.members);
	return status;
}

int answer_exit(bool is_damaged, int status)
{
	return is_damaged ? (int)report_damaged_history() : status;
}

/* ---- cells of a chart ---------------------------------------------------------------------------------------- */

struct cell_asking {
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

static void hand_out_cells(const struct cell_asking *asking, const struct listed_attribute *attribute,
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
static enum histree_status ask_cells(const struct cell_asking *asking, const struct listed_attribute *attributes,
				     size_t count, bool *is_damaged, struct histree_error *error)
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
		status = cancel_or_next(&question->work, 0, asking->rows, error);
		if (status != HISTREE_OK)
			break;
		const struct histree_row *row = histree_cursor_row(asking->rows);
		hand_out_cells(asking, &attributes[row->index], row);
	}
	*is_damaged |= histree_cursor_loss(asking->rows).nodes > 0;
	return status == HISTREE_END ? HISTREE_OK : status;
}

enum histree_status pixel_cells(const struct pixel_question *question, pixel_taker *take, void *context,
				bool *is_damaged, struct histree_error *error)
{
	const struct attribute_list *list = question->attributes;
	struct cell_asking asking = { .question = question, .take = take, .context = context };
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
		status = ask_cells(&asking, list->attributes + first, end - first, is_damaged, error);
	}
	histree_cursor_free(asking.rows);
	free(asking.quarks);
	return status;
}
