// SPDX-License-Identifier: MIT
#include "server/model/call_view.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "histree/attributes.h"
#include "server/model/name_piece.h"

struct histree_history *call_view_history(const struct dataset *dataset)
{
	return dataset_history(dataset, "ust-calls");
}

bool call_view_applies(const struct dataset *dataset)
{
	return call_view_history(dataset) != NULL;
}

/* ---- making ---------------------------------------------------------------------------------------------- */

struct call_maker {
	struct call_view *view;
	const struct histree_attributes *attributes;
	struct histree_query *query;
	size_t row_capacity, program_capacity;
	struct piece name; /* of an attribute */
};

/* The name of an attribute as a number above 0; 0: it is none. */
static int32_t number_of(struct call_maker *maker, histree_quark quark)
{
	maker->name.size = 0;
	piece_put_name(maker->attributes, quark, &maker->name);
	piece_put_char(&maker->name, '\0');
	if (maker->name.failed)
		return 0;
	char *rest;
	errno = 0;
	long number = strtol(maker->name.bytes, &rest, 10);
	bool is_number = errno == 0 && rest != maker->name.bytes && *rest == '\0' && number <= INT32_MAX;
	return is_number && number > 0 ? (int32_t)number : 0;
}

/* The last name of the thread's process that is not null; "" where there is none. */
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
	char *copy = strndup(name.value.bytes, name.value.size);
	if (copy == NULL || !array_reserve(&view->programs, &maker->program_capacity, view->program_count + 1)) {
		free(copy);
		return error_memory(error, "the call stacks");
	}
	view->programs[view->program_count++] = copy;
	*out = copy;
	return HISTREE_OK;
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
static enum histree_status add_thread(struct call_maker *maker, histree_quark thread, struct histree_error *error)
{
	histree_quark stack;
	struct call_view *view = maker->view;
	struct call_row row = { .quark = HISTREE_ROOT, .thread = view->row_count };
	row.tid = number_of(maker, thread);
	if (row.tid == 0 || histree_attributes_find(maker->attributes, thread, "CallStack", &stack) != HISTREE_OK)
		return HISTREE_OK;
	enum histree_status status = find_program(maker, thread, &row.program, error);
	if (status != HISTREE_OK)
		return status;
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
	histree_query_free(maker->query);
	return status;
}

enum histree_status call_view_make(struct dataset *dataset, void **out, struct histree_error *error)
{
	*out = NULL;
	struct call_view *view = calloc(1, sizeof(*view));
	if (view == NULL)
		return error_memory(error, "the call stacks");
	view->history = call_view_history(dataset);
	view->start = histree_history_info(view->history)->start;
	view->end = histree_history_info(view->history)->end;
	struct call_maker maker = { .view = view, .attributes = histree_history_attributes(view->history) };
	enum histree_status status = add_threads(&maker, error);
	piece_release(&maker.name);
	if (status == HISTREE_OK)
		*out = view;
	else
		call_view_free(view);
	return status;
}

void call_view_free(void *context)
{
	struct call_view *view = context;
	for (size_t i = 0; i < view->program_count; i++)
		free(view->programs[i]);
	free(view->programs);
	free(view->rows);
	free(view);
}

/* ---- what is known of a row ------------------------------------------------------------------------------ */

void call_row_name(const struct call_row *row, struct piece *name)
{
	if (row->depth > 0)
		piece_format(name, "%d", row->depth);
	else
		piece_format(name, *row->program != '\0' ? "%s (%d)" : "%s%d", row->program, row->tid);
}

static const struct call_row *row_of(const struct fact_request *request)
{
	const struct call_view *view = request->view;
	return &view->rows[request->row];
}

static struct histree_value tid(const struct fact_request *request)
{
	return histree_int(row_of(request)->tid);
}

static struct histree_value program(const struct fact_request *request)
{
	return histree_string(row_of(request)->program);
}

static struct histree_value depth(const struct fact_request *request)
{
	return histree_int(row_of(request)->depth);
}

const struct state_fact call_facts[] = {
	{ "TID", tid },
	{ "Exec_Name", program },
	{ "Depth", depth },
	{ 0 },
};
