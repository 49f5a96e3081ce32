// SPDX-License-Identifier: MIT
/*
 * call_view.c - the functions that the threads of an instrumented program were in (analysis `ust-calls`), or,
 * without them, the stacks of a file of definitions: for each thread a row that holds its stack together, and below
 * it one for each depth, the outermost call first.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/table.h"
#include "histree/attributes.h"
#include "server/catalogue/dataset.h"
#include "server/model/row_model.h"
#include "server/model/state_filter.h"

struct call_row {
	histree_quark quark; /* of this depth; HISTREE_ROOT: the thread itself */
	uint32_t thread;     /* index of the row of its thread */
	int32_t depth;       /* 1 is the outermost; 0: the thread itself */
	int32_t tid;         /* 0: what has the stack is no thread, and is called what `program` says */
	uint32_t below;      /* rows that follow it and are of the same thread; 0 for a depth */
	const char *program;
};

struct call_view {
	struct histree_history *history;
	histree_time start, end;
	struct call_row *rows;
	uint32_t row_count;
	char **programs;
	size_t program_count;
};

static struct histree_history *call_view_history(const struct dataset *dataset)
{
	return dataset->calls;
}

static bool call_view_applies(const struct dataset *dataset)
{
	return dataset->calls != NULL;
}

/* ---- making ------------------------------------------------------------------------------------------------ */

struct call_maker {
	struct call_view *view;
	const struct histree_attributes *attributes;
	struct histree_cursor *query;
	size_t row_capacity, program_capacity;
	struct byte_buffer name; /* of an attribute */
};

/* The name of an attribute as a number above 0; 0: it is no number. */
static int32_t number_of(struct call_maker *maker, histree_quark quark)
{
	maker->name.size = 0;
	attribute_name_put(maker->attributes, quark, &maker->name);
	byte_buffer_put_byte(&maker->name, '\0');
	if (maker->name.failed)
		return 0;
	const char *name = byte_buffer_chars(&maker->name);
	char *rest;
	errno = 0;
	long number = strtol(name, &rest, 10);
	bool is_number = errno == 0 && rest != name && *rest == '\0' && number <= INT32_MAX;
	return is_number && number > 0 ? (int32_t)number : 0;
}

/* The view has it from then on, also if there is no room. */
static enum histree_status keep_program(struct call_maker *maker, char *copy, const char **out,
					struct histree_error *error)
{
	struct call_view *view = maker->view;
	if (copy == NULL || !array_reserve(&view->programs, &maker->program_capacity, view->program_count + 1)) {
		free(copy);
		return error_memory(error, "the call stacks");
	}
	view->programs[view->program_count++] = copy;
	*out = copy;
	return HISTREE_OK;
}

/* The last name of the thread's process that is not null; "" if all are null. */
static enum histree_status find_program(struct call_maker *maker, histree_quark thread, const char **out,
					struct histree_error *error)
{
	histree_quark quark;
	struct histree_interval name;
	struct call_view *view = maker->view;
	*out = "";
	if (histree_attributes_find(maker->attributes, thread, "Name", &quark) != HISTREE_OK)
		return HISTREE_OK;
	enum histree_status status = histree_query_single(maker->query, quark, view->end, &name, error);
	if (status != HISTREE_OK || name.value.type != HISTREE_STRING)
		return status;
	return keep_program(maker, strndup(name.value.bytes, name.value.size), out, error);
}

static bool add_row(struct call_maker *maker, const struct call_row *row)
{
	struct call_view *view = maker->view;
	if (view->row_count == UINT32_MAX ||
	    !array_reserve(&view->rows, &maker->row_capacity, (size_t)view->row_count + 1))
		return false;
	view->rows[view->row_count++] = *row;
	return true;
}

/* Depths come in the order in which they were first reached, from the outermost on. */
static enum histree_status add_stack(struct call_maker *maker, histree_quark stack, struct call_row row,
				     struct histree_error *error)
{
	struct call_view *view = maker->view;
	uint32_t top = view->row_count;
	bool has_room = add_row(maker, &row);
	for (row.quark = histree_attributes_first_child(maker->attributes, stack);
	     has_room && row.quark != HISTREE_ROOT;
	     row.quark = histree_attributes_next_sibling(maker->attributes, row.quark)) {
		row.depth = number_of(maker, row.quark);
		has_room = row.depth == 0 || add_row(maker, &row);
	}
	if (!has_room)
		return error_memory(error, "the call stacks");
	view->rows[top].below = view->row_count - top - 1;
	return HISTREE_OK;
}

static enum histree_status add_thread(struct call_maker *maker, histree_quark thread, struct histree_error *error)
{
	histree_quark stack;
	struct call_row row = { .quark = HISTREE_ROOT, .thread = maker->view->row_count };
	row.tid = number_of(maker, thread);
	if (row.tid == 0 || histree_attributes_find(maker->attributes, thread, "CallStack", &stack) != HISTREE_OK)
		return HISTREE_OK;
	enum histree_status status = find_program(maker, thread, &row.program, error);
	return status == HISTREE_OK ? add_stack(maker, stack, row, error) : status;
}

struct declared {
	struct call_maker *maker;
	enum histree_status status;
	struct histree_error *error;
};

/* The outermost level of a stack, wherever it is. */
static bool add_declared(void *context, histree_quark level)
{
	struct declared *declared = context;
	struct call_maker *maker = declared->maker;
	histree_quark stack = histree_attributes_parent(maker->attributes, level);
	struct call_row row = { .quark = HISTREE_ROOT, .thread = maker->view->row_count };

	/* The path of what has a stack. */
	const histree_quark owner = histree_attributes_parent(maker->attributes, stack);
	size_t size = owner != HISTREE_ROOT ? histree_attributes_path(maker->attributes, owner, NULL, 0) : 0;
	char *path = malloc(size + 1);
	if (path != NULL)
		path[0] = '\0';
	if (path != NULL && owner != HISTREE_ROOT)
		histree_attributes_path(maker->attributes, owner, path, size + 1);
	declared->status = keep_program(maker, path, &row.program, declared->error);
	if (declared->status == HISTREE_OK)
		declared->status = add_stack(maker, stack, row, declared->error);
	return declared->status == HISTREE_OK;
}

static enum histree_status add_all_declared(struct call_maker *maker, struct histree_error *error)
{
	struct declared declared = { maker, HISTREE_OK, error };
	enum histree_status status = histree_attributes_match(maker->attributes, HISTREE_ROOT, "**/CallStack/1",
							      add_declared, &declared, error);
	if (declared.status != HISTREE_OK)
		return declared.status;
	return status == HISTREE_NOT_FOUND ? HISTREE_OK : status;
}

static enum histree_status add_threads(struct call_maker *maker, struct histree_error *error)
{
	histree_quark threads;
	if (histree_attributes_find(maker->attributes, HISTREE_ROOT, "Threads", &threads) != HISTREE_OK)
		return HISTREE_OK;
	enum histree_status status = histree_query_create(maker->view->history, &maker->query, error);
	for (histree_quark thread = histree_attributes_first_child(maker->attributes, threads);
	     status == HISTREE_OK && thread != HISTREE_ROOT;
	     thread = histree_attributes_next_sibling(maker->attributes, thread))
		status = add_thread(maker, thread, error);
	histree_cursor_free(maker->query);
	return status;
}

static void call_view_free(void *context)
{
	struct call_view *view = context;
	for (size_t i = 0; i < view->program_count; i++)
		free(view->programs[i]);
	free(view->programs);
	free(view->rows);
	free(view);
}

static enum histree_status call_view_make(struct dataset *dataset, void **out, struct histree_error *error)
{
	*out = NULL;
	struct call_view *view = calloc(1, sizeof(*view));
	if (view == NULL)
		return error_memory(error, "the call stacks");
	view->history = dataset->calls;
	view->start = histree_history_info(view->history)->start;
	view->end = histree_history_info(view->history)->end;
	struct call_maker maker = { .view = view, .attributes = histree_history_attributes(view->history) };
	bool is_declared = view->history != dataset_history(dataset, "ust-calls");
	enum histree_status status = is_declared ? add_all_declared(&maker, error) : add_threads(&maker, error);
	byte_buffer_release(&maker.name);
	if (status == HISTREE_OK)
		*out = view;
	else
		call_view_free(view);
	return status;
}

/* ---- what is known of a row -------------------------------------------------------------------------------- */

/* Adds "glxgears (4297)", or "depth 2". */
static void call_row_name(const struct call_row *row, struct byte_buffer *name)
{
	if (row->depth > 0)
		byte_buffer_format(name, "depth %d", row->depth);
	else if (row->tid == 0)
		byte_buffer_put_chars(name, *row->program != '\0' ? row->program : "stack");
	else
		byte_buffer_format(name, *row->program != '\0' ? "%s (%d)" : "%s%d", row->program, row->tid);
}

static const struct state_fact call_facts[] = {
	{ "TID", FACT_OF_ROWS },
	{ "Exec_Name", FACT_NOT_SHOWN },
	{ "Depth", FACT_NOT_SHOWN },
	{ 0 },
};

static struct histree_value call_fact(const struct fact_request *request, size_t fact)
{
	const struct call_view *view = request->facts->view;
	const struct call_row *row = &view->rows[request->facts->row];
	return fact == 0   ? histree_int(row->tid)
	       : fact == 1 ? histree_string(row->program)
			   : histree_int(row->depth);
}

/* ---- the rows ---------------------------------------------------------------------------------------------- */

static void calls_facts(const void *context, uint32_t index, struct row_facts *out)
{
	const struct call_view *view = context;
	const struct call_row *row = &view->rows[index];
	*out = (struct row_facts){
		.history = view->history,
		.quark = row->quark,
		.label = HISTREE_ROOT,
		.table = histree_labels_of(view->history, row->quark),
		.depth = row->depth > 0,
		.descendants = row->below,
		.parent = row->depth > 0 ? row->thread : HISTREE_NO_INDEX,
	};
}

static void calls_label(const void *context, uint32_t index, struct byte_buffer *text)
{
	const struct call_view *view = context;
	call_row_name(&view->rows[index], text);
}

static void calls_describe(const void *context, uint32_t index, struct json_writer *json)
{
	const struct call_view *view = context;
	json_int_member(json, "ofThread", view->rows[index].tid);
}

/* With a thread come its depths. */
static enum row_match calls_matches(const void *context, uint32_t index, const char *text)
{
	const struct call_view *view = context;
	struct byte_buffer name = { 0 };
	call_row_name(&view->rows[view->rows[index].thread], &name);
	const enum row_match match = row_text_match(byte_buffer_chars(&name), name.size, text);
	byte_buffer_release(&name);
	return match;
}

static uint32_t calls_find(const void *context, const struct row_wanted *wanted)
{
	const struct call_view *view = context;
	for (uint32_t i = 0; wanted->tid >= 0 && i < view->row_count; i += view->rows[i].below + 1)
		if (view->rows[i].tid == wanted->tid)
			return i;
	return HISTREE_NO_INDEX;
}

const struct row_model row_model_calls = {
	.name = "calls",
	.title = "Call Stack",
	.own = { call_view_applies, call_view_make, call_view_free },
	.history = call_view_history,
	.count = offsetof(struct call_view, row_count),
	.facts = calls_facts,
	.label = calls_label,
	.describe = calls_describe,
	.matches = calls_matches,
	.find = calls_find,
	.text = state_any_text,
	.kind = { call_facts, call_fact, state_any_text },
};
