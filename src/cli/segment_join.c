// SPDX-License-Identifier: MIT
/*
 * segment_join.c - `segments --join`: the states and the segments that overlap in time, a row for each pair.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/hash_index.h"
#include "base/search.h"
#include "cli/attribute_list.h"
#include "cli/segment_target.h"
#include "cli/target.h"
#include "cli/thread_words.h"
#include "cli/verb.h"
#include "cli/verb_segments.h"
#include "histree/segment_stats.h"

enum { STATE_COLUMNS = 7, COLUMNS_MAX = STATE_COLUMNS + HISTREE_SEGMENT_FIELDS_MAX };

struct joining {
	struct segment_target target;
	struct histree_history *history;
	struct attribute_list list;               /* by path */
	const struct listed_attribute **by_quark; /* the same */
	histree_quark *quarks;                    /* theirs */
	size_t field;                             /* of --on */
	bool is_by;
	histree_time from, to; /* what is asked for */
	struct row_writer rows;
	struct row_column columns[COLUMNS_MAX];
};

/* ---- attributes -------------------------------------------------------------------------------------- */

COMPARE_POINTERS(compare_quarks, struct listed_attribute, BY(quark))

static const struct listed_attribute *attribute_of(const struct joining *joining, histree_quark quark)
{
	const struct listed_attribute wanted = { .quark = quark }, *key = &wanted;
	const struct listed_attribute *const *found =
		bsearch(&key, joining->by_quark, joining->list.count, sizeof(*joining->by_quark), compare_quarks);
	return *found;
}

/* ---- pairs ------------------------------------------------------------------------------------------- */

/* Returns the end of a component of a path; a row of one life, "614 (life 1)", belongs to the number before it. */
static const char *end_of_component(const char *at)
{
	const char *end = strchrnul(at, '/'), *life = strstr(at, " (life ");
	return life != NULL && life < end && strtol(at, NULL, 10) > 0 ? life : end;
}

/* Whether a text is a component of an escaped path; one with a slash or backslash in it never is. */
static bool is_component(const char *path, const char *text, size_t size)
{
	for (const char *at = path;; at++) {
		const char *end = end_of_component(at);
		if ((size_t)(end - at) == size && memcmp(at, text, size) == 0)
			return true;
		at = strchrnul(end, '/');
		if (*at == '\0')
			return false;
	}
}

/* The field of --on as it would stand in a path. */
struct field_text {
	const char *text;
	size_t size;
	char number[24];
};

/* Returns false if it would not. */
static bool write_field(const struct joining *joining, const struct histree_segment *segment,
			struct field_text *out)
{
	const struct histree_value *value = &segment->content[joining->field];
	if (value->type == HISTREE_STRING) {
		out->text = value->bytes;
		out->size = value->size;
		return true;
	}
	if (value->type != HISTREE_INT && value->type != HISTREE_LONG)
		return false;
	int64_t digits = value->type == HISTREE_INT ? value->int32 : value->int64;
	out->text = out->number;
	out->size = (size_t)snprintf(out->number, sizeof(out->number), "%" PRId64, digits);
	return true;
}

/* Cuts a range to the time in which the segment's thread had its number: nothing is left of another thread's. */
static void cut_to_life(const struct joining *joining, const struct histree_interval *state,
			const struct histree_segment *segment, histree_time *from, histree_time *to)
{
	if (!thread_lives_are_any(&joining->target.lives))
		return;
	const struct histree_thread *thread =
		segment_target_thread(&joining->target, histree_history_host_of(joining->history, state->quark),
				      segment, &segment->content[joining->field]);
	if (thread == NULL)
		return;
	struct thread_row row;
	if (thread_row_of_path(joining->history, attribute_of(joining, state->quark)->path, &row) &&
	    row.is_its_own && row.life != thread->life)
		*to = INT64_MIN;
	*from = *from > thread->from ? *from : thread->from;
	*to = *to < thread->to ? *to : thread->to;
}

static bool belong_together(void *context, const struct histree_interval *state,
			    const struct histree_segment *segment)
{
	const struct joining *joining = context;
	struct field_text field;
	histree_time from = state->start > segment->start ? state->start : segment->start;
	histree_time to = state->end < segment->end ? state->end : segment->end;
	from = from > joining->from ? from : joining->from;
	to = to < joining->to ? to : joining->to;
	if (!write_field(joining, segment, &field) ||
	    !is_component(attribute_of(joining, state->quark)->path, field.text, field.size))
		return false;
	cut_to_life(joining, state, segment, &from, &to);
	return from <= to;
}

static bool key_of_segment(void *context, const struct histree_segment *segment, uint64_t *key)
{
	struct field_text field;
	if (!write_field(context, segment, &field))
		return false;
	*key = hash_bytes(field.text, field.size);
	return true;
}

/* Each component of the path is one. */
static bool key_of_attribute(void *context, histree_quark quark, size_t index, uint64_t *key)
{
	const char *at = attribute_of(context, quark)->path, *end = strchrnul(at, '/');
	for (; index > 0 && *end != '\0'; index--) {
		at = end + 1;
		end = strchrnul(at, '/');
	}
	*key = hash_bytes(at, (size_t)(end_of_component(at) - at));
	return index == 0;
}

static enum cli_exit put_pairs(struct joining *joining, const struct histree_join_query *query)
{
	struct histree_cursor *join = NULL;
	struct histree_error error = { 0 };
	enum cli_exit lost = CLI_OK;
	enum histree_status status = histree_join_create(joining->history, joining->target.store, &join, &error);
	if (status == HISTREE_OK)
		status = histree_join_start(join, query, &error);
	while (status == HISTREE_OK) {
		status = rows_are_full(&joining->rows) ? HISTREE_END : histree_cursor_next(join, &error);
		if (status == HISTREE_OK) {
			const struct histree_join_pair *pair = histree_cursor_pair(join);
			struct row_writer *rows = &joining->rows;
			const struct listed_attribute *attribute = attribute_of(joining, pair->state->quark);
			histree_time from = pair->start, to = pair->end;
			if (joining->is_by)
				cut_to_life(joining, pair->state, pair->segment, &from, &to);
			row_path(rows, attribute->path, attribute->path_size);
			row_clock(rows, pair->state->start);
			row_clock(rows, pair->state->end);
			row_state_value(rows, &pair->state->value,
					histree_label_words(histree_labels_of(joining->history, pair->state->quark),
							    &pair->state->value));
			row_clock(rows, pair->segment->start);
			row_clock(rows, pair->segment->end);
			row_duration(rows, (uint64_t)to - (uint64_t)from + 1);
			for (size_t i = STATE_COLUMNS; i < rows->column_count; i++)
				row_value(rows, &pair->segment->content[i - STATE_COLUMNS]);
			row_end(rows);
		}
	}
	if (join != NULL)
		lost = segment_target_report_losses(joining->target.store, join);
	histree_cursor_free(join);
	if (status != HISTREE_END)
		return report_error(&error);
	return lost != CLI_OK || joining->rows.row_count > 0
		       ? lost
		       : report_exit(CLI_NOTHING, "no such segment overlaps such a state");
}

/* ------------------------------------------------------------------------------------------------------- */

static enum cli_exit join(struct joining *joining, const struct segments_options *chosen)
{
	const struct histree_history_info *info = histree_history_info(joining->history);
	const struct histree_segment_query *segments = &joining->target.query;
	const struct histree_join_query query = {
		.quarks = joining->quarks,
		.quark_count = joining->list.count,
		.from = segments->from > info->start ? segments->from : info->start,
		.to = segments->to < info->end ? segments->to : info->end,
		.segment = segments->filter,
		.segment_context = segments->filter_context,
		.pair = chosen->on != NULL ? belong_together : NULL,
		.pair_context = joining,
		.attribute_key = chosen->on != NULL ? key_of_attribute : NULL,
		.segment_key = chosen->on != NULL ? key_of_segment : NULL,
		.key_context = joining,
	};
	joining->from = query.from;
	joining->to = query.to;
	if (query.from > query.to)
		return CLI_NOTHING;

	static const struct row_column of_state[STATE_COLUMNS] = {
		{ .name = "path", .width = 24 },
		{ .name = "state_start", .width = 22, .to_the_right = true, .cell = CELL_CLOCK },
		{ .name = "state_end", .width = 18, .to_the_right = true },
		{ .name = "value", .width = 19 },
		{ .name = "start", .width = 18, .to_the_right = true },
		{ .name = "end", .width = 18, .to_the_right = true },
		{ .name = "overlap", .width = 10, .to_the_right = true },
	};
	const struct histree_segment_schema *schema = &histree_segment_store_info(joining->target.store)->schema;
	memcpy(joining->columns, of_state, sizeof(of_state));
	joining->columns[0].width = attribute_list_width(&joining->list, 40);
	for (size_t i = 0; i < schema->field_count; i++)
		joining->columns[STATE_COLUMNS + i] = segment_target_column(schema, i);
	enum cli_exit code = rows_open(&joining->rows, &chosen->question, joining->columns,
				       STATE_COLUMNS + schema->field_count, ROWS_PLAIN);

	row_say_day(&joining->rows, histree_history_info(joining->history)->start);
	if (code == CLI_OK)
		code = put_pairs(joining, &query);
	return (enum cli_exit)rows_close(&joining->rows, code);
}

static enum cli_exit open_all(struct joining *joining, const struct cli_words *words,
			      const struct segments_options *chosen)
{
	struct histree_error error = { 0 };
	enum cli_exit code =
		segment_target_open(&joining->target, words->words[0], words->words[1], &chosen->question);
	if (code != CLI_OK)
		return code;
	const struct target *target = &joining->target.target;
	if (target_history(target, chosen->question.analysis, true, &joining->history, &error) != HISTREE_OK)
		return report_error(&error);
	const struct histree_history_info *info = histree_history_info(joining->history);
	target_warn_of_version(target, info->provider, info->provider_version);
	if (chosen->on != NULL)
		code = segment_target_threads(&joining->target, "on", chosen->on, &joining->field);
	joining->is_by = chosen->on != NULL;
	if (code == CLI_OK)
		code = thread_words_match(&joining->list, target, joining->history, words->words + 2,
					  words->count - 2, ATTRIBUTES_WITH_STATES);
	if (code != CLI_OK)
		return code;
	size_t count = joining->list.count;
	joining->by_quark = calloc(count + 1, sizeof(*joining->by_quark));
	joining->quarks = calloc(count + 1, sizeof(*joining->quarks));
	if (joining->by_quark == NULL || joining->quarks == NULL)
		return report_no_memory();
	for (size_t i = 0; i < count; i++)
		joining->by_quark[i] = &joining->list.attributes[i];
	qsort(joining->by_quark, count, sizeof(*joining->by_quark), compare_quarks);
	for (size_t i = 0; i < count; i++)
		joining->quarks[i] = joining->by_quark[i]->quark;
	return CLI_OK;
}

int segment_join_run(void *said, const struct cli_words *words)
{
	struct segments_options *chosen = said;
	struct joining joining = { 0 };
	if (chosen->on == NULL)
		chosen->on = chosen->question.by;
	int status = open_all(&joining, words, chosen);
	if (status == CLI_OK)
		status = join(&joining, chosen);
	free(joining.by_quark);
	free(joining.quarks);
	attribute_list_release(&joining.list);
	histree_history_close(joining.history);
	segment_target_close(&joining.target);
	return status;
}
