// SPDX-License-Identifier: MIT
/*
 * row_outputs.c - the rows of hosts (host_rows.h) as outputs: threads, resources, call stacks, attributes; and the
 * states of rows.
 *
 * The model of a row provides its name, its states and the facts about them.  This file translates these into the
 * protocol, in the same way for all models. row_outputs.h defines the entries.
 */
#include "server/tsp/row_outputs.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/search.h"
#include "base/table.h"
#include "histree/states.h"
#include "server/model/host_rows.h"
#include "server/model/kernel_rows.h"
#include "server/model/row_model.h"
#include "server/model/state_search.h"
#include "server/tsp/outputs.h"
#include "server/tsp/parameters.h"
#include "server/tsp/replies.h"

/* ---- state rows ---------------------------------------------------------------------------------------------- */

/* Rows of a group times the times that are asked for: the most states that are held, about 6 MB. */
enum { GROUP_STATES_MAX = 65536 };

/* An interval that was read, its bytes in the arena of the group. */
struct gathered {
	histree_quark quark;
	histree_time start, end;
	struct histree_value value;
};

struct state_rows {
	const void *view;
	state_row_find *find;
	const struct state_kind *kind;
	struct parameter_times times;
	struct state_tags tags;
	struct histree_work work;
	int64_t *items;
	size_t item_count;

	struct state_row *rows; /* of the group */
	size_t row_count, rows_capacity;
	size_t next_item; /* the first after the group */
	struct histree_cursor *query;
	struct histree_history *query_history; /* that the query is for */
	histree_quark *quarks;
	size_t quark_count, quarks_capacity;
	struct gathered *states;
	size_t state_count, states_capacity;
	struct arena bytes;

	size_t next_row;               /* of the group */
	const struct row_facts *facts; /* of the row at hand */
	bool is_plain;                 /* and of its states */
	size_t at;                     /* the next of its states */
	struct byte_buffer text;       /* of a label */
};

static void rows_release(void *state)
{
	struct state_rows *rows = state;
	histree_cursor_free(rows->query);
	byte_buffer_release(&rows->text);
	arena_release(&rows->bytes);
	state_tags_release(&rows->tags);
	free(rows->rows);
	free(rows->quarks);
	free(rows->states);
}

/* ---- reading a group --------------------------------------------------------------------------------- */

static bool add_quark(struct state_rows *rows, histree_quark quark)
{
	if (quark == HISTREE_ROOT)
		return true;
	if (!array_reserve(&rows->quarks, &rows->quarks_capacity, rows->quark_count + 1))
		return false;
	rows->quarks[rows->quark_count++] = quark;
	return true;
}

/* The next rows of one history, as many as may be held; unknown items are skipped. */
static enum histree_status choose_group(struct state_rows *rows, struct histree_error *error)
{
	size_t rows_max = GROUP_STATES_MAX / (rows->times.count + 1) + 1;
	rows->row_count = rows->quark_count = 0;
	for (; rows->next_item < rows->item_count && rows->row_count < rows_max; rows->next_item++) {
		struct state_row row;
		if (!rows->find(rows->view, rows->items[rows->next_item], &row))
			continue;
		if (rows->row_count > 0 && row.facts.history != rows->rows[0].facts.history)
			break;
		if (!array_reserve(&rows->rows, &rows->rows_capacity, rows->row_count + 1) ||
		    (row.facts.history != NULL &&
		     (!add_quark(rows, row.facts.quark) || !add_quark(rows, row.facts.label))))
			return error_memory(error, "rows");
		rows->rows[rows->row_count++] = row;
	}
	size_t count = 0;
	if (rows->quark_count > 0)
		qsort(rows->quarks, rows->quark_count, sizeof(*rows->quarks), compare_u32);
	for (size_t i = 0; i < rows->quark_count; i++)
		if (count == 0 || rows->quarks[i] != rows->quarks[count - 1])
			rows->quarks[count++] = rows->quarks[i];
	rows->quark_count = count;
	return rows->row_count > 0 ? HISTREE_OK : HISTREE_END;
}

static enum histree_status keep(struct state_rows *rows, const struct histree_interval *interval,
				struct histree_error *error)
{
	struct gathered state = { interval->quark, interval->start, interval->end, interval->value };
	if (!array_reserve(&rows->states, &rows->states_capacity, rows->state_count + 1))
		return error_memory(error, "states");
	if (state.value.size > 0) {
		state.value.bytes = arena_copy(&rows->bytes, state.value.bytes, state.value.size);
		if (state.value.bytes == NULL)
			return error_memory(error, "states");
	}
	rows->states[rows->state_count++] = state;
	return HISTREE_OK;
}

COMPARE(compare_states, struct gathered, BY(quark) BY(start))

/* Once sorted: states of an attribute do not overlap; a label may have been read for several states. */
static void states_assert(const struct state_rows *rows)
{
	for (size_t i = 0; i < rows->state_count; i++) {
		const struct gathered *state = &rows->states[i], *before = i > 0 ? state - 1 : NULL;
		assert(state->start <= state->end);
		assert(before == NULL || before->quark != state->quark || before->end < state->start ||
		       (before->start == state->start && before->end == state->end));
	}
}

static enum histree_status open_query(struct state_rows *rows, struct histree_history *history,
				      struct histree_error *error)
{
	if (rows->query_history == history)
		return HISTREE_OK;
	histree_cursor_free(rows->query);
	rows->query = NULL;
	rows->query_history = NULL;
	enum histree_status status = histree_query_create(history, &rows->query, error);
	if (status == HISTREE_OK)
		rows->query_history = history;
	return status;
}

/* A state between two samples, and what names it. */
static enum histree_status keep_deep(void *context, const struct row_facts *facts,
				     const struct histree_interval *state, struct histree_error *error)
{
	struct state_rows *rows = context;
	struct histree_interval label;
	enum histree_status status = keep(rows, state, error);
	if (status == HISTREE_OK && facts->label != HISTREE_ROOT)
		status = histree_query_single(rows->query, facts->label, state->start, &label, error);
	return status == HISTREE_OK && facts->label != HISTREE_ROOT ? keep(rows, &label, error) : status;
}

static void facts_of_group(const void *context, uint32_t position, struct row_facts *out)
{
	const struct state_rows *rows = context;
	*out = rows->rows[position].facts;
}

static enum histree_status read_deep(struct state_rows *rows, const struct parameter_times *times,
				     struct histree_error *error)
{
	const struct searched_rows asked = {
		.facts = facts_of_group,
		.context = rows,
		.count = (uint32_t)rows->row_count,
		.filter = rows->tags.both,
		.work = rows->work,
	};
	return state_search_between(&asked, times->times, times->count, keep_deep, rows, error);
}

static enum histree_status read_group(struct state_rows *rows, struct histree_error *error)
{
	struct histree_history *history = rows->rows[0].facts.history;
	rows->state_count = 0;
	arena_release(&rows->bytes);
	if (history == NULL)
		return HISTREE_OK;
	const struct histree_history_info *info = histree_history_info(history);
	struct parameter_times times = parameter_times_within(&rows->times, info->start, info->end);
	struct histree_region region = {
		.quarks = rows->quarks,
		.quark_count = rows->quark_count,
		.times = times.times,
		.time_count = times.count,
	};
	struct histree_interval interval;
	enum histree_status status = open_query(rows, history, error);
	if (status == HISTREE_OK)
		status = histree_query_start(rows->query, &region, error);
	while (status == HISTREE_OK && (status = histree_cursor_next(rows->query, error)) == HISTREE_OK) {
		interval = *histree_cursor_interval(rows->query);
		status = keep(rows, &interval, error);
	}
	if (status == HISTREE_END)
		status = rows->tags.both != NULL ? read_deep(rows, &times, error) : HISTREE_OK;
	if (status != HISTREE_OK)
		return status;
	if (rows->state_count > 0)
		qsort(rows->states, rows->state_count, sizeof(*rows->states), compare_states);
	states_assert(rows);
	return HISTREE_OK;
}

/* ---- writing it -------------------------------------------------------------------------------------- */

/* The first state of an attribute, or after it, that ends at `time` or later. */
static size_t find_state(const struct state_rows *rows, histree_quark quark, histree_time time)
{
	const struct gathered *states = rows->states;
	return SEARCH(i, 0, rows->state_count,
		      states[i].quark < quark || (states[i].quark == quark && states[i].end < time));
}

static struct histree_value label_of(const struct state_rows *rows, histree_quark label,
				     const struct gathered *state)
{
	if (label == HISTREE_ROOT)
		return histree_null();
	/* The first that was read and meets the state: mostly there is one, as long as the state. */
	size_t at = find_state(rows, label, state->start);
	bool meets =
		at < rows->state_count && rows->states[at].quark == label && rows->states[at].start <= state->end;
	return meets ? rows->states[at].value : histree_null();
}

static enum histree_status next_state(void *context, struct shown_state *out, struct histree_error *error)
{
	struct state_rows *rows = context;
	const struct row_facts *facts = rows->facts;
	if (rows->at >= rows->state_count || rows->states[rows->at].quark != facts->quark)
		return HISTREE_END;
	const struct gathered *state = &rows->states[rows->at++];
	const struct histree_interval interval = {
		.quark = state->quark, .start = state->start, .end = state->end, .value = state->value
	};
	*out = (struct shown_state){ .start = state->start, .end = state->end + 1 };
	out->tags = state_tags_of(&rows->tags, facts, &interval);
	/* What is excluded is sent as if nothing was there. */
	const bool is_others = (facts->life.from != 0 || facts->life.to != 0) &&
			       (state->end < facts->life.from || state->start > facts->life.to);
	rows->text.size = 0;
	if (!is_others && (out->tags & STATE_EXCLUDED) == 0)
		out->style = histree_style_of(rows->is_plain ? NULL : facts->table, &state->value);
	if (out->style != NULL) {
		/* What stands in a state: the name of a system call, or what its kind says. */
		if (facts->why != NULL) {
			byte_buffer_put_chars(&rows->text, facts->why);
		} else if (state_is_named(facts->label, &state->value)) {
			const struct histree_value label = label_of(rows, facts->label, state);
			state_value_text(&label, &rows->text);
		} else if (rows->kind->text != NULL) {
			rows->kind->text(facts->view, facts->table, &state->value, state->start, &rows->text);
		}
	}
	out->label = rows->text.size > 0 ? byte_buffer_chars(&rows->text) : NULL;
	out->label_size = rows->text.size;
	return rows->text.failed ? error_memory(error, "a label") : HISTREE_OK;
}

/* The next row of the group, if it is that of the item, or of the next group. */
static enum histree_status go_to_row(void *context, int64_t item, struct histree_error *error)
{
	struct state_rows *rows = context;
	enum histree_status status = HISTREE_OK;
	if (rows->next_row == rows->row_count) {
		rows->next_row = 0;
		status = choose_group(rows, error);
		if (status == HISTREE_OK)
			status = read_group(rows, error);
	}
	if (status < 0)
		return status;
	if (status != HISTREE_OK || rows->rows[rows->next_row].id != item)
		return HISTREE_NOT_FOUND;
	rows->is_plain = rows->rows[rows->next_row].is_plain;
	rows->facts = &rows->rows[rows->next_row++].facts;
	rows->at =
		rows->facts->history != NULL ? find_state(rows, rows->facts->quark, INT64_MIN) : rows->state_count;
	return HISTREE_OK;
}

void state_rows_reply(struct call *call, state_row_find *find, const struct state_kind *kind)
{
	static const struct states_source source = { go_to_row, next_state, rows_release };
	const struct histree_store_info *info = histree_store_info(call->dataset->store);
	struct state_rows *rows = reply_memory(call->reply, 1, sizeof(*rows));
	if (rows == NULL || !parameters_times(call, &rows->times) ||
	    !parameters_items(call, &rows->items, &rows->item_count) ||
	    !state_tags_read(call, kind, info->start, info->end, &rows->tags))
		return;
	rows->view = call->view;
	rows->find = find;
	rows->kind = kind;
	rows->work = reply_cancel(call->reply);
	states_reply(call, &source, rows, rows->items, rows->item_count);
}

/* ---- arrows reply -------------------------------------------------------------------------------------------- */

struct arrows_answer {
	struct arrow_set set;
	size_t part, next;
};

static void answer_release(void *state)
{
	struct arrows_answer *answer = state;
	arrow_set_release(&answer->set);
}

static enum histree_status write_arrows(void *state, struct json_writer *json, struct histree_error *error)
{
	(void)error;
	struct arrows_answer *answer = state;
	for (; answer->part < answer->set.count; answer->part++, answer->next = 0) {
		const struct arrow_part *part = &answer->set.parts[answer->part];
		while (answer->next < part->count && json->out->size < PIECE_SIZE) {
			const struct histree_arrow *arrow = &part->list[answer->next++];
			uint32_t from, to;
			if (arrow->kind != HISTREE_ARROW_INSTANT &&
			    part->source.model->rows(part->source.view, arrow, &from, &to)) {
				arrow_put(json, (int64_t)arrow_source_row(&part->source, from) + HOST_ENTRIES_FIRST,
					  (int64_t)arrow_source_row(&part->source, to) + HOST_ENTRIES_FIRST,
					  arrow->start, arrow->end, histree_arrow_style(arrow->kind)->key);
			}
		}
		if (answer->next < part->count)
			return HISTREE_OK;
	}
	return HISTREE_END;
}

/* The arrows that meet the range, thinned to one a CPU and kind, or stack, that ends between two of the times. */
static void arrows(struct call *call)
{
	struct parameter_times times;
	struct arrows_answer *answer = reply_memory(call->reply, 1, sizeof(*answer));
	if (answer == NULL || !parameters_times(call, &times))
		return;
	const struct arrow_asked asked = { .next = host_rows_arrows, .view = call->view };
	const struct arrow_range range = { times.start, times.end, parameter_times_pixels(&times),
					   reply_cancel(call->reply) };
	enum histree_status status = arrow_set_make(&answer->set, &asked, &range, &call->reply->error);
	if (reply_ok(call->reply, status))
		arrows_reply(call, &(struct reply_steps){ write_arrows, answer_release, answer });
	else
		answer_release(answer);
}

/* ---- row outputs --------------------------------------------------------------------------------------------- */

/* What differs between the outputs. */
struct row_output {
	const struct row_model *model;
	struct tree_source tree;
	void (*put_labels)(const void *view, uint32_t row, struct json_writer *json); /* NULL: its own, alone */
	const char *above;                    /* in a tooltip, what the row above is; NULL: it is not in there */
	bool is_plain;                        /* states have colours of the palette, whatever their values mean */
	const enum histree_meaning *meanings; /* of its states; NULL: none */
	size_t meaning_count;
	const enum histree_arrow_kind *arrows;
	size_t arrow_count;
};

static const struct row_output *row_output_of(const struct host_rows *rows);

/* ---- entries ----------------------------------------------------------------------------------------------- */

const struct host_view *host_entry_find(const struct host_rows *rows, int64_t id, uint32_t *own)
{
	int64_t row = id - HOST_ENTRIES_FIRST;
	*own = HISTREE_NO_INDEX;
	return row >= 0 && row < rows->count ? host_rows_find(rows, (uint32_t)row, own) : NULL;
}

int64_t host_entry_id(const struct host_rows *rows, const struct host_view *host, uint32_t own)
{
	if (own != HISTREE_NO_INDEX)
		return (int64_t)host_row(rows, host, own) + HOST_ENTRIES_FIRST;
	return rows->has_hosts ? (int64_t)host->first + HOST_ENTRIES_FIRST : HOST_ENTRIES_ROOT;
}

static void put_list_of_one(struct json_writer *json, const char *key, const struct histree_value *value)
{
	json_begin_array_member(json, key);
	if (value->type == HISTREE_STRING)
		json_put_string(json, value->bytes, value->size);
	else
		json_put_int(json, value->type == HISTREE_INT ? value->int32 : -1);
	json_end(json);
}

/* By which viewers find the row of an event. */
static void put_metadata(const struct row_model *model, const struct row_facts *facts, const char *host,
			 struct json_writer *json)
{
	bool has_some = false;
	const struct fact_request request = { .facts = facts };
	for (const struct state_fact *fact = model->kind.facts; fact != NULL && fact->name != NULL; fact++) {
		if (fact->use != FACT_OF_ROWS && fact->use != FACT_OF_SOME_ROWS)
			continue;
		const struct histree_value value = model->kind.fact(&request, (size_t)(fact - model->kind.facts));
		if (fact->use == FACT_OF_SOME_ROWS && value.type == HISTREE_NULL)
			continue;
		if (!has_some)
			json_begin_object_member(json, "metadata");
		has_some = true;
		put_list_of_one(json, fact->name, &value);
	}
	if (has_some && host != NULL) {
		const struct histree_value name = histree_string(host);
		put_list_of_one(json, "host", &name);
	}
	if (has_some)
		json_end(json);
}

/* Of a host, a host that cannot be read has states. */
static void row_outputs_write_row(const struct host_rows *rows, const struct host_view *host, uint32_t own,
				  struct tree_entry *entry, struct json_writer *json)
{
	struct row_facts facts;
	const struct row_output *output = row_output_of(rows);
	host_rows_facts(rows, (uint32_t)(entry->id - HOST_ENTRIES_FIRST), &facts);
	entry->start = host->start;
	entry->end = host->end;
	entry->has_data = own != HISTREE_NO_INDEX ? facts.quark != HISTREE_ROOT : facts.why != NULL;
	entry->parent = own != HISTREE_NO_INDEX ? host_entry_id(rows, host, facts.parent) : HOST_ENTRIES_ROOT;
	if (facts.seen.from != 0 || facts.seen.to != 0) {
		entry->has_data = facts.seen.from <= facts.seen.to;
		entry->start = entry->has_data ? facts.seen.from : host->start;
		entry->end = entry->has_data ? facts.seen.to : host->end;
	}
	tree_entry_begin(json, entry);
	if (own == HISTREE_NO_INDEX || output->put_labels == NULL) {
		struct byte_buffer label = { 0 };
		if (own != HISTREE_NO_INDEX)
			rows->model->label(host->view, own, &label);
		else
			byte_buffer_put_chars(&label, host->name);
		tree_entry_label(json, byte_buffer_chars(&label), label.size);
		byte_buffer_release(&label);
	} else {
		output->put_labels(host->view, own, json);
	}
	if (own != HISTREE_NO_INDEX)
		put_metadata(rows->model, &facts, host->name, json);
}

static bool write_entry(const void *context, size_t index, struct json_writer *json)
{
	uint32_t own;
	const struct host_rows *rows = context;
	struct tree_entry entry = { HOST_ENTRIES_ROOT, -1, rows->start, rows->end, false, false };
	if (index == 0) {
		tree_entry_begin(json, &entry);
		tree_entry_label(json, rows->name, strlen(rows->name));
		return true;
	}
	entry.id = (int64_t)index - 1 + HOST_ENTRIES_FIRST;
	const struct host_view *host = host_entry_find(rows, entry.id, &own);
	if (host != NULL)
		row_outputs_write_row(rows, host, own, &entry, json);
	return host != NULL;
}

static void tree(struct call *call)
{
	tree_reply(call, &row_output_of(call->view)->tree, call->view);
}

/* ---- states, style --------------------------------------------------------------------------------- */

static bool find_row(const void *view, int64_t id, struct state_row *out)
{
	const struct host_rows *rows = view;
	int64_t row = id - HOST_ENTRIES_FIRST;
	*out = (struct state_row){ .id = id, .facts = { .label = HISTREE_ROOT } };
	if (row < 0 || row >= rows->count)
		return id == HOST_ENTRIES_ROOT;
	host_rows_facts(rows, (uint32_t)row, &out->facts);
	if (out->facts.quark == HISTREE_ROOT)
		out->facts.history = NULL;
	out->is_plain = row_output_of(rows)->is_plain;
	return true;
}

static void states(struct call *call)
{
	const struct host_rows *rows = call->view;
	state_rows_reply(call, find_row, &rows->model->kind);
}

static void style(struct call *call)
{
	enum { MEANINGS_MAX = 8 };
	const struct row_output *own = row_output_of(call->view);
	const struct histree_label_table *tables[MEANINGS_MAX] = { NULL }; /* of the palette */
	for (size_t i = 0; i < own->meaning_count; i++)
		tables[i] = histree_labels_for(own->model->history(call->dataset), own->meanings[i]);
	style_reply_with_arrows(call, tables, own->meaning_count > 0 ? own->meaning_count : 1, own->arrows,
				own->arrow_count);
}

/* ---- tooltip ----------------------------------------------------------------------------------------------- */

static void put_text(struct call *call, const char *key, const char *text)
{
	struct byte_buffer value = { 0 };
	if (text != NULL)
		byte_buffer_put_chars(&value, text);
	tooltip_pair(call, key, &value);
	byte_buffer_release(&value);
}

static void tooltip(struct call *call)
{
	struct tooltip_request request;
	uint32_t own;
	struct row_facts facts;
	const struct host_rows *rows = call->view;
	const char *above = row_output_of(rows)->above;
	if (!tooltip_begin(call, rows->start, rows->end, &request))
		return;
	const struct host_view *host = host_entry_find(rows, request.item, &own);
	if (host == NULL)
		return;
	host_rows_facts(rows, (uint32_t)(request.item - HOST_ENTRIES_FIRST), &facts);
	put_text(call, "Host", host->name);
	put_text(call, "Unknown", facts.why);
	if (own == HISTREE_NO_INDEX)
		return;
	if (above != NULL) {
		struct byte_buffer text = { 0 };
		rows->model->label(host->view, facts.parent != HISTREE_NO_INDEX ? facts.parent : own, &text);
		tooltip_pair(call, above, &text);
		byte_buffer_release(&text);
	}

	/* Nothing of a host is known outside of its own times. */
	const struct histree_history_info *info = histree_history_info(facts.history);
	struct fact_memory memory = { 0 };
	struct histree_cursor *query = NULL;
	if (facts.host != NULL && (request.time < info->start || request.time > info->end))
		return;
	if (histree_query_create(facts.history, &query, NULL) != HISTREE_OK)
		return;
	const struct state_kind *kind = &rows->model->kind;
	const struct fact_request asked = { &facts, request.time, query, &memory };
	for (const struct state_fact *fact = kind->facts; fact != NULL && fact->name != NULL; fact++) {
		if (fact->use != FACT_OF_STATES)
			continue;
		struct byte_buffer text = { 0 };
		const struct histree_value value = kind->fact(&asked, (size_t)(fact - kind->facts));
		state_value_text(&value, &text);
		tooltip_pair(call, fact->name, &text);
		byte_buffer_release(&text);
	}
	struct histree_interval state;
	if (facts.quark != HISTREE_ROOT &&
	    histree_query_single(query, facts.quark, request.time, &state, NULL) == HISTREE_OK &&
	    row_is_open(&facts, &state))
		put_text(call, "Ending", "open at the end of the trace");
	histree_cursor_free(query);
}

/* ---- threads ----------------------------------------------------------------------------------------------- */

/* Of the tree, at first: viewers ask for the states of all rows that they show before they show any. */
enum { EXPANDED_LEVELS = 3 };

static void put_thread_labels(const void *view, uint32_t row, struct json_writer *json)
{
	const struct kernel_threads *threads = view;
	const struct histree_thread *thread = &threads->list[row];
	const int32_t numbers[] = { thread->tid, thread->has_process ? thread->pid : -1, thread->ppid };
	json_begin_array_member(json, "labels");
	json_put_text(json, thread->name[0] != '\0' ? thread->name : "unknown"); /* viewers draw no empty row */
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		char text[16] = "";
		if (numbers[i] >= 0)
			snprintf(text, sizeof(text), "%d", numbers[i]);
		json_put_text(json, text);
	}
	json_end(json);
}

/* What all outputs over rows have. */
#define OVER_ROWS(rows) \
	.type = OUTPUT_TIME_GRAPH, .view = (rows), .tree = tree, .states = states, .tooltip = tooltip

static const struct tree_header thread_headers[] = {
	{ "Process", "the name of its program", NULL },
	{ "TID", "the number of the thread", "NUMBER" },
	{ "PID", "the process that it belongs to", "NUMBER" },
	{ "PTID", "the thread that made it", "NUMBER" },
	{ 0 },
};

const struct output output_control_flow = {
	.id = "org.eclipse.tracecompass.internal.analysis.os.linux.core.threadstatus.ThreadStatusDataProvider",
	.name = "Control Flow",
	.description = "What each thread did, as a tree of processes",
	OVER_ROWS(&host_threads),
	.arrows = arrows,
	.style = style,
};

/* ---- resources: the interrupts of a CPU stand below the row of its status ---------------------------------- */

static const struct tree_header resource_headers[] = { { 0 } };

const struct output output_resources = {
	.id = "org.eclipse.tracecompass.internal.analysis.os.linux.core.threadstatus.ResourcesStatusDataProvider",
	.name = "Resources",
	.description = "What each CPU and each interrupt did",
	OVER_ROWS(&host_resources),
	.arrows = arrows,
	.style = style,
};

/* ---- call stacks: the functions that threads were in, as a flame chart ------------------------------------- */

static const struct tree_header call_headers[] = {
	{ "Thread, depth", "a thread of the program, and how deep its calls are", NULL },
	{ 0 },
};

const struct output output_call_stack = {
	.id = "org.eclipse.tracecompass.internal.analysis.profiling.callstack.provider.CallStackDataProvider",
	.name = "Call Stack",
	.description = "The functions that threads were in, as a flame chart",
	OVER_ROWS(&host_calls),
	.style = style,
};

/* ---- attributes: every one of every history, as it is -------------------------------------------------------- */

/*
 * Of one history, and the palette.  If several histories have so many, states of the last ones have keys without a
 * style.
 */
enum { EXPLORER_TABLES = HISTREE_LABEL_TABLES_MAX + 1 };

/* Hosts have the tables of their own histories, which mostly are those of the first one. */
static bool is_listed(const struct histree_label_table *const *used, size_t count,
		      const struct histree_label_table *table)
{
	for (size_t i = 1; i < count; i++)
		if (strcmp(used[i]->name, table->name) == 0 && used[i]->label_count == table->label_count)
			return true;
	return false;
}

/* Returns how many tables there are after those of a dataset; the first one is the palette. */
static size_t list_tables(const struct dataset *dataset, bool is_host, const struct histree_label_table **used,
			  size_t used_count)
{
	for (size_t i = 0; i < dataset->history_count; i++) {
		size_t count;
		const struct histree_label_table *tables = histree_labels(dataset->histories[i], &count);
		for (size_t k = 0; k < count && used_count < EXPLORER_TABLES; k++)
			if (tables[k].meaning == HISTREE_MEANS_ANYTHING &&
			    !(is_host && is_listed(used, used_count, &tables[k])))
				used[used_count++] = &tables[k];
	}
	return used_count;
}

static void attribute_style(struct call *call)
{
	static const enum histree_arrow_kind arrow = HISTREE_ARROW_FLOW;
	const struct host_rows *rows = call->view;
	const struct histree_label_table *used[EXPLORER_TABLES] = { NULL };
	size_t count = 1;
	bool has_flows = false;
	for (size_t i = 0; i < rows->host_count; i++) {
		if (rows->hosts[i].own == NULL)
			continue;
		count = list_tables(rows->hosts[i].own, rows->has_hosts, used, count);
		has_flows = has_flows || rows->model->has_arrows(rows->hosts[i].own);
	}
	style_reply_with_arrows(call, used, count, &arrow, has_flows);
}

static const struct tree_header attribute_headers[] = { { "Attribute", "a component of its path", NULL }, { 0 } };

const struct output output_state_system = {
	.id = "org.eclipse.tracecompass.internal.tmf.core.statesystem.provider.StateSystemDataProvider",
	.name = "State System Explorer",
	.description = "Every attribute of every history",
	OVER_ROWS(&host_explorer),
	.arrows = arrows,
	.style = attribute_style,
};

/* ---- all of them ------------------------------------------------------------------------------------------- */

static const enum histree_meaning meanings_of_threads[] = { HISTREE_MEANS_THREAD_STATUS };

static const enum histree_meaning meanings_of_resources[] = {
	HISTREE_MEANS_CPU_STATUS, HISTREE_MEANS_TID,       HISTREE_MEANS_IRQ,
	HISTREE_MEANS_SOFT_IRQ,   HISTREE_MEANS_FREQUENCY,
};

static const enum histree_arrow_kind arrows_of_threads[] = { HISTREE_ARROW_SWITCH, HISTREE_ARROW_FORK,
							     HISTREE_ARROW_WAKEUP, HISTREE_ARROW_PACKET };

/* From the CPU that a thread left to the one where it went on. */
static const enum histree_arrow_kind arrows_of_resources[] = { HISTREE_ARROW_MIGRATION };

static const struct row_output row_outputs[] = {
	{ .model = &row_model_threads,
	  .tree = { thread_headers, EXPANDED_LEVELS, write_entry, NULL },
	  .put_labels = put_thread_labels,
	  .meanings = meanings_of_threads,
	  .meaning_count = sizeof(meanings_of_threads) / sizeof(meanings_of_threads[0]),
	  .arrows = arrows_of_threads,
	  .arrow_count = sizeof(arrows_of_threads) / sizeof(arrows_of_threads[0]) },
	{ .model = &row_model_resources,
	  .tree = { resource_headers, 1, write_entry, NULL },
	  .meanings = meanings_of_resources,
	  .meaning_count = sizeof(meanings_of_resources) / sizeof(meanings_of_resources[0]),
	  .arrows = arrows_of_resources,
	  .arrow_count = 1 },
	{ .model = &row_model_explorer, .tree = { attribute_headers, 2, write_entry, NULL } },
	{ .model = &row_model_calls,
	  .tree = { call_headers, -1, write_entry, NULL },
	  .above = "Thread",
	  .is_plain = true },
};

static const struct row_output *row_output_of(const struct host_rows *rows)
{
	size_t i = 0;
	while (row_outputs[i].model != rows->model)
		i++;
	return &row_outputs[i];
}
