// SPDX-License-Identifier: MIT
/*
 * row_model_hosts.c - the rows of each model over the hosts of a dataset of several.
 *
 * What is asked of a row is asked of the model of its host.
 */
#include "server/model/call_view.h"
#include "server/model/host_rows.h"
#include "server/model/kernel_facts.h"
#include "server/model/kernel_text.h"
#include "server/model/state_text.h"
#include "server/model/track_arrows.h"

static uint32_t count(const void *view)
{
	const struct host_rows *rows = view;
	return rows->count;
}

/* A host that can be read has no states of its own; one that cannot is unknown. */
static void facts_of_host(const struct host_view *host, struct row_facts *out)
{
	*out = (struct row_facts){
		.history = host->history,
		.quark = host->why != NULL ? host->folder : HISTREE_ROOT,
		.label = HISTREE_ROOT,
		.descendants = host->count,
		.host = host->name,
		.why = host->why,
	};
}

static void facts(const void *view, uint32_t row, struct row_facts *out)
{
	uint32_t own;
	const struct host_rows *rows = view;
	const struct host_view *host = host_rows_find(rows, row, &own);
	if (own == HISTREE_NO_INDEX) {
		facts_of_host(host, out);
		return;
	}
	rows->model->facts(host->view, own, out);
	const struct dataset_place place = host_view_place(host, out->history);
	out->history = place.history;
	out->quark += out->quark != HISTREE_ROOT ? place.first : 0;
	out->label += out->label != HISTREE_ROOT ? place.first : 0;
	out->depth++;
	out->table = host_view_table(place.history, out->table);
	out->host = host->name;
	out->host_view = host->view;
	out->host_row = own;
	out->host_first = place.first;
}

static void describe(const void *view, uint32_t row, struct json_writer *json)
{
	uint32_t own;
	const struct host_rows *rows = view;
	const struct host_view *host = host_rows_find(rows, row, &own);
	if (own != HISTREE_NO_INDEX) {
		rows->model->describe(host->view, own, json);
	} else {
		json_text_member(json, "name", host->name);
		json_bool_member(json, "isHost", true);
		if (host->why != NULL)
			json_text_member(json, "why", host->why);
	}
	json_text_member(json, "host", host->name);
}

static bool matches(const void *view, uint32_t row, const char *text)
{
	uint32_t own;
	const struct host_rows *rows = view;
	const struct host_view *host = host_rows_find(rows, row, &own);
	return own != HISTREE_NO_INDEX ? rows->model->matches(host->view, own, text)
				       : row_text_contains(host->name, strlen(host->name), text);
}

/* Of the host that is said, or of the first one that has such a row. */
static uint32_t find(const void *view, const struct row_wanted *wanted)
{
	const struct host_rows *rows = view;
	for (size_t i = 0; i < rows->host_count; i++) {
		const struct host_view *host = &rows->hosts[i];
		if (host->view == NULL || (*wanted->host != '\0' && strcmp(wanted->host, host->name) != 0))
			continue;
		uint32_t own = rows->model->find(host->view, wanted);
		if (own != HISTREE_NO_INDEX)
			return host_row(rows, host, own);
	}
	return HISTREE_NO_INDEX;
}

static enum histree_status prepare(void *view, enum row_sort sort, struct histree_error *error)
{
	const struct host_rows *rows = view;
	enum histree_status status = HISTREE_OK;
	for (size_t i = 0; i < rows->host_count && status == HISTREE_OK; i++)
		if (rows->hosts[i].view != NULL)
			status = rows->model->prepare(rows->hosts[i].view, sort, error);
	return status;
}

/* Orders other than that of the tree have no rows of hosts (row_order.c). */
static uint64_t sort_key(const void *view, uint32_t row, enum row_sort sort)
{
	uint32_t own;
	const struct host_rows *rows = view;
	const struct host_view *host = host_rows_find(rows, row, &own);
	return own != HISTREE_NO_INDEX ? rows->model->sort_key(host->view, own, sort) : UINT64_MAX;
}

bool host_rows_arrows(const void *view, size_t index, struct arrow_source *out)
{
	const struct host_rows *rows = view;
	*out = (struct arrow_source){ 0 };
	if (index == rows->host_count && rows->graph != NULL)
		*out = (struct arrow_source){ .model = &arrow_model_packets, .view = rows };
	if (index >= rows->host_count)
		return out->model != NULL;
	const struct host_view *host = &rows->hosts[index];
	if (host->view != NULL)
		(void)rows->model->arrows(host->view, 0, out);
	out->first_row = host_row(rows, host, 0);
	out->row_count = host->count;
	return true;
}

/* ---- the models ------------------------------------------------------------------------------------------ */

enum histree_status host_threads_make(struct dataset *dataset, void **view, struct histree_error *error)
{
	return host_rows_make(dataset, &row_model_threads, (struct host_rows **)view, error);
}

enum histree_status host_resources_make(struct dataset *dataset, void **view, struct histree_error *error)
{
	return host_rows_make(dataset, &row_model_resources, (struct host_rows **)view, error);
}

enum histree_status host_calls_make(struct dataset *dataset, void **view, struct histree_error *error)
{
	return host_rows_make(dataset, &row_model_calls, (struct host_rows **)view, error);
}

enum histree_status host_charts_make(struct dataset *dataset, void **view, struct histree_error *error)
{
	return host_rows_make(dataset, &row_model_charts, (struct host_rows **)view, error);
}

enum histree_status host_attributes_make(struct dataset *dataset, void **view, struct histree_error *error)
{
	return host_rows_make(dataset, &row_model_attributes, (struct host_rows **)view, error);
}

static bool has_charts(const struct dataset *dataset)
{
	return row_model_charts.applies(dataset);
}

static bool has_histories(const struct dataset *dataset)
{
	return dataset->history_count > 0;
}

const struct row_model row_model_host_threads = {
	.name = "control-flow",
	.title = "Control Flow",
	.applies = kernel_view_applies,
	.has_arrows = kernel_view_applies,
	.history = kernel_view_history,
	.make = host_threads_make,
	.free = host_rows_free,
	.count = count,
	.facts = facts,
	.describe = describe,
	.matches = matches,
	.find = find,
	.prepare = prepare,
	.sort_key = sort_key,
	.text = kernel_thread_text,
	.kind = { kernel_thread_facts, NULL },
	.arrows = host_rows_arrows,
};

const struct row_model row_model_host_resources = {
	.name = "resources",
	.title = "Resources",
	.applies = kernel_view_applies,
	.has_arrows = kernel_view_applies,
	.history = kernel_view_history,
	.make = host_resources_make,
	.free = host_rows_free,
	.count = count,
	.facts = facts,
	.describe = describe,
	.matches = matches,
	.find = find,
	.text = kernel_resource_text,
	.kind = { kernel_resource_facts, kernel_resource_text },
	.arrows = host_rows_arrows,
};

const struct row_model row_model_host_calls = {
	.name = "calls",
	.title = "Call Stack",
	.applies = call_view_applies,
	.history = call_view_history,
	.make = host_calls_make,
	.free = host_rows_free,
	.count = count,
	.facts = facts,
	.describe = describe,
	.matches = matches,
	.find = find,
	.text = state_any_text,
	.kind = { call_facts, state_any_text },
};

const struct row_model row_model_host_charts = {
	.name = "state-charts",
	.title = "Charts of states",
	.applies = has_charts,
	.make = host_charts_make,
	.free = host_rows_free,
	.count = count,
	.facts = facts,
	.describe = describe,
	.matches = matches,
	.text = state_any_text,
	.kind = { NULL, state_any_text },
};

const struct row_model row_model_host_attributes = {
	.name = "attributes",
	.title = "Attributes",
	.applies = has_histories,
	.has_arrows = track_arrows_apply,
	.make = host_attributes_make,
	.free = host_rows_free,
	.count = count,
	.facts = facts,
	.describe = describe,
	.matches = matches,
	.text = state_any_text,
	.kind = { NULL, state_any_text },
	.arrows = host_rows_arrows,
};
