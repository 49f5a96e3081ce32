// SPDX-License-Identifier: MIT
/*
 * host_rows.c - the rows of each model over the hosts of a dataset of several, and the packets between these.
 *
 * Questions about a row go to the model of its host.
 */
#include "server/model/host_rows.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/search.h"
#include "server/catalogue/dataset.h"
#include "server/model/kernel_rows.h"
#include "server/model/row_model.h"

/* ---- making ---------------------------------------------------------------------------------------------- */

static enum histree_status say_why(struct host_view *host, const char *why, struct histree_error *error)
{
	host->why = strdup(why);
	return host->why != NULL ? HISTREE_OK : error_memory(error, "a host");
}

static uint32_t count_of(const struct row_model *model, const void *view)
{
	uint32_t count;
	memcpy(&count, (const char *)view + model->count, sizeof(count));
	return count;
}

/* That of the history of a model, or of the store. */
static void set_range(const struct dataset *dataset, const struct row_model *model, histree_time *start,
		      histree_time *end)
{
	const struct histree_store_info *store = histree_store_info(dataset->store);
	const struct histree_history *history = model->history != NULL ? model->history(dataset) : NULL;
	*start = history != NULL ? histree_history_info(history)->start : store->start;
	*end = history != NULL ? histree_history_info(history)->end : store->end;
}

static enum histree_status make_own(struct host_rows *rows, struct host_view *host, struct histree_error *error)
{
	struct histree_error own_error = { 0 };
	const struct row_model *model = rows->model;
	host->places = calloc(host->own->history_count + 1, sizeof(*host->places));
	if (host->places == NULL)
		return error_memory(error, "a host");
	for (size_t i = 0; i < host->own->history_count; i++)
		host->places[i] = dataset_place_of(host->own, host->own->histories[i]);
	enum histree_status status = dataset_view(host->own, &model->own, &host->view, &own_error);
	if (status == HISTREE_OK) {
		host->count = count_of(model, host->view);
		set_range(host->own, model, &host->start, &host->end);
		return HISTREE_OK;
	}
	/* Memory that is out, and a cancelled answer, are of no single host. */
	if (!rows->has_hosts || status == HISTREE_ERR_MEMORY || status == HISTREE_ERR_CANCELLED) {
		if (error != NULL)
			*error = own_error;
		return status;
	}
	return say_why(host, own_error.message, error);
}

static enum histree_status make_host(struct host_rows *rows, const struct dataset *dataset, size_t index,
				     struct histree_error *error)
{
	struct host_view *host = &rows->hosts[index];
	const char *why = NULL;
	host->name = dataset->hosts[index].name;
	host->own = dataset->hosts[index].own;
	host->folder = HISTREE_ROOT;
	host->start = rows->start;
	host->end = rows->end;
	host->history = rows->model->history != NULL ? rows->model->history(dataset) : dataset->histories[0];
	if (host->history != NULL)
		host->folder = dataset_host_folder(dataset, index, host->history, &why);
	if (why != NULL)
		return say_why(host, why, error);
	if (host->own == NULL || !rows->model->own.applies(host->own))
		return HISTREE_OK;
	return make_own(rows, host, error);
}

/* Numbers of rows have 32 bits, and the last one stands for none. */
static enum histree_status number(struct host_rows *rows, struct histree_error *error)
{
	uint64_t next = 0;
	for (size_t i = 0; i < rows->host_count; i++) {
		rows->hosts[i].first = (uint32_t)next;
		next += (uint64_t)rows->hosts[i].count + rows->has_hosts;
		if (next >= HISTREE_NO_INDEX)
			return error_set(
				error, HISTREE_ERR_ARGUMENT,
				"the hosts of this store have more than %u rows together: open the store of "
				"a host",
				HISTREE_NO_INDEX);
	}
	rows->count = (uint32_t)next;
	return HISTREE_OK;
}

static void host_rows_free(void *view)
{
	struct host_rows *rows = view;
	for (size_t i = 0; rows->hosts != NULL && i < rows->host_count; i++) {
		free(rows->hosts[i].why);
		free(rows->hosts[i].places);
	}
	free(rows->hosts);
	histree_cursor_free(rows->paths);
	pthread_mutex_destroy(&rows->paths_lock);
	free(rows);
}

/* Makes the rows of a model of one host; a host whose rows cannot be made has a sentence in their place. */
static enum histree_status host_rows_make(struct dataset *dataset, const struct row_model *model,
					  struct host_rows **out, struct histree_error *error)
{
	*out = NULL;
	const struct histree_store_info *store = histree_store_info(dataset->store);
	struct host_rows *rows = calloc(1, sizeof(*rows));
	if (rows == NULL)
		return error_memory(error, "a view");
	rows->model = model;
	rows->has_hosts = dataset->host_count > 0;
	pthread_mutex_init(&rows->paths_lock, NULL);
	rows->graph = rows->has_hosts && model == &row_model_threads ? dataset_history(dataset, "graph") : NULL;
	rows->host_count = rows->has_hosts ? dataset->host_count : 1;
	rows->hosts = calloc(rows->host_count, sizeof(*rows->hosts));
	rows->name =
		model->history == NULL
			? store->path
			: path_name(store->trace_count == 1 && !rows->has_hosts ? store->traces[0] : store->path);
	set_range(dataset, model, &rows->start, &rows->end);
	enum histree_status status = rows->hosts != NULL ? HISTREE_OK : error_memory(error, "a view");
	if (status == HISTREE_OK && !rows->has_hosts) {
		rows->hosts[0].own = dataset;
		status = make_own(rows, &rows->hosts[0], error);
	}
	for (size_t i = 0; i < rows->host_count && rows->has_hosts && status == HISTREE_OK; i++)
		status = make_host(rows, dataset, i, error);
	if (status == HISTREE_OK)
		status = number(rows, error);
	if (status == HISTREE_OK)
		*out = rows;
	else
		host_rows_free(rows);
	return status;
}

/* ---- finding --------------------------------------------------------------------------------------------- */

const struct host_view *host_rows_search(const struct host_rows *rows, uint32_t row, uint32_t *own)
{
	const size_t after = SEARCH(i, 0, rows->host_count, rows->hosts[i].first <= row);
	const struct host_view *host = &rows->hosts[after - 1];
	*own = row > host->first ? row - host->first - 1 : HISTREE_NO_INDEX;
	return host;
}

struct dataset_place host_view_place(const struct host_view *host, struct histree_history *history)
{
	for (size_t i = 0; host->places != NULL && i < host->own->history_count; i++)
		if (host->own->histories[i] == history)
			return host->places[i];
	return (struct dataset_place){ history, 0 };
}

/* ---- what is asked of a row ------------------------------------------------------------------------------ */

void host_rows_facts(const struct host_rows *rows, uint32_t row, struct row_facts *out)
{
	uint32_t own;
	const struct host_view *host = host_rows_find(rows, row, &own);
	if (own == HISTREE_NO_INDEX) {
		/* A host that can be read has no states of its own; one that cannot is unknown. */
		*out = (struct row_facts){
			.history = host->history,
			.quark = host->why != NULL ? host->folder : HISTREE_ROOT,
			.label = HISTREE_ROOT,
			.descendants = host->count,
			.parent = HISTREE_NO_INDEX,
			.host = host->name,
			.why = host->why,
		};
		return;
	}
	rows->model->facts(host->view, own, out);
	out->view = host->view;
	out->row = own;
	if (!rows->has_hosts)
		return;
	const struct dataset_place place = host_view_place(host, out->history);
	out->history = place.history;
	out->quark += out->quark != HISTREE_ROOT ? place.first : 0;
	out->label += out->label != HISTREE_ROOT ? place.first : 0;
	out->depth++;
	/*
	 * The table of what values of a kernel mean in the whole dataset, in place of that of a host, which says
	 * the same: so a chart has each style once.
	 */
	bool is_of_kernel = out->table != NULL && out->table->meaning != HISTREE_MEANS_ANYTHING;
	const struct histree_label_table *found =
		is_of_kernel ? histree_labels_for(place.history, out->table->meaning) : NULL;
	out->table = found != NULL ? found : out->table;
	out->host = host->name;
	out->first = place.first;
}

void host_rows_describe(const struct host_rows *rows, uint32_t row, struct json_writer *json)
{
	uint32_t own;
	struct byte_buffer label = { 0 };
	const struct row_model *model = rows->model;
	const struct host_view *host = host_rows_find(rows, row, &own);
	if (own == HISTREE_NO_INDEX) {
		json_text_member(json, "name", host->name);
		json_bool_member(json, "isHost", true);
		if (host->why != NULL)
			json_text_member(json, "why", host->why);
	} else if (model->label != NULL) {
		model->label(host->view, own, &label);
		json_string_member(json, "name", byte_buffer_chars(&label), label.size);
		byte_buffer_release(&label);
	}
	if (own != HISTREE_NO_INDEX && model->describe != NULL)
		model->describe(host->view, own, json);
	if (host->name != NULL)
		json_text_member(json, "host", host->name);
}

void host_rows_label(const struct host_rows *rows, uint32_t row, struct byte_buffer *text)
{
	uint32_t own;
	const struct host_view *host = host_rows_find(rows, row, &own);
	if (own != HISTREE_NO_INDEX && rows->model->label != NULL)
		rows->model->label(host->view, own, text);
}

enum row_match host_rows_match(const struct host_rows *rows, uint32_t row, const char *text)
{
	uint32_t own;
	const struct host_view *host = host_rows_find(rows, row, &own);
	if (own == HISTREE_NO_INDEX)
		return row_text_match(host->name, strlen(host->name), text);

	/* As the page searches for it. */
	if (rows->model->matches != NULL)
		return rows->model->matches(host->view, own, text);
	struct byte_buffer label = { 0 };
	rows->model->label(host->view, own, &label);
	const enum row_match match = row_text_match(byte_buffer_chars(&label), label.size, text);
	byte_buffer_release(&label);
	return match;
}

/* Of the host that is said, or of the first one that has such a row. */
uint32_t host_rows_seek(const struct host_rows *rows, const struct row_wanted *wanted)
{
	for (size_t i = 0; i < rows->host_count && rows->model->find != NULL; i++) {
		const struct host_view *host = &rows->hosts[i];
		bool is_meant =
			host->name == NULL || *wanted->host == '\0' || strcmp(wanted->host, host->name) == 0;
		uint32_t own =
			host->view != NULL && is_meant ? rows->model->find(host->view, wanted) : HISTREE_NO_INDEX;
		if (own != HISTREE_NO_INDEX)
			return host_row(rows, host, own);
	}
	return HISTREE_NO_INDEX;
}

enum histree_status host_rows_prepare(const struct host_rows *rows, enum row_sort sort, struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	for (size_t i = 0; i < rows->host_count && rows->model->prepare != NULL && status == HISTREE_OK; i++)
		if (rows->hosts[i].view != NULL)
			status = rows->model->prepare(rows->hosts[i].view, sort, error);
	return status;
}

enum histree_status host_rows_activity(const struct host_rows *rows, histree_time from, histree_time to,
				       struct row_activity **out, struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	*out = calloc((size_t)rows->count + 1, sizeof(**out));
	if (*out == NULL)
		return error_memory(error, "what rows did");
	for (size_t i = 0; i < rows->host_count && status == HISTREE_OK; i++) {
		const struct host_view *host = &rows->hosts[i];
		const uint32_t count = host->view != NULL ? count_of(rows->model, host->view) : 0;
		const uint32_t first = host_row(rows, host, 0);
		if (count > 0)
			status = rows->model->activity(host->view, from, to, *out + first, error);
		for (uint32_t row = 0; row < count && status == HISTREE_OK; row++)
			(*out)[first + row].group += first;
	}
	return status;
}

/* Orders other than that of the tree have no rows of hosts (row_order.c). */
uint64_t host_rows_sort_key(const struct host_rows *rows, uint32_t row, enum row_sort sort)
{
	uint32_t own;
	const struct host_view *host = host_rows_find(rows, row, &own);
	return own != HISTREE_NO_INDEX ? rows->model->sort_key(host->view, own, sort) : UINT64_MAX;
}

/* ---- packets between hosts --------------------------------------------------------------------------------- */

/*
 * Arrows over the rows of threads of all hosts, or over those of the hosts where these are folded or the kernel
 * sent the packet.
 */

/* Who ever received a packet is found with the first question, and known from then on. */
static enum histree_status packet_arrows_make(const void *context, const struct arrow_range *range,
					      struct histree_arrows **out, struct histree_error *error)
{
	struct host_rows *rows = (struct host_rows *)(uintptr_t)context;
	struct histree_arrows_request request = { .history = rows->graph };
	const struct histree_history_info *info = histree_history_info(rows->graph);
	enum histree_status status = HISTREE_OK;
	if (range->from > info->end || range->to < info->start)
		return HISTREE_OK;
	pthread_mutex_lock(&rows->paths_lock);
	if (rows->paths == NULL)
		status = histree_critical_path_create(rows->graph, &rows->paths, error);
	request.paths = rows->paths;
	if (status == HISTREE_OK)
		status = arrow_model_within(&request, range, out, error);
	pthread_mutex_unlock(&rows->paths_lock);
	return status;
}

/* Hosts of the graph are known by their names; NULL: the rows do not have that one. */
static const struct host_view *find_host(const struct host_rows *rows, uint32_t number)
{
	size_t count;
	const struct histree_history_host *hosts = histree_history_hosts(rows->graph, &count);
	for (size_t i = 0; number < count && i < rows->host_count; i++)
		if (strcmp(rows->hosts[i].name, hosts[number].name) == 0)
			return &rows->hosts[i];
	return NULL;
}

static bool find_row(const struct host_rows *rows, uint32_t number, int32_t tid, histree_time at, uint32_t *row)
{
	const struct host_view *host = find_host(rows, number);
	if (host == NULL)
		return false;
	const struct kernel_threads *threads = host->view;
	uint32_t own = threads != NULL && tid > 0 ? histree_control_flow_find_at(threads->flow, tid, -1, at)
						  : HISTREE_NO_INDEX;
	*row = own != HISTREE_NO_INDEX ? host_row(rows, host, own) : host->first;
	return true;
}

static bool rows_of_packet(const void *context, const struct histree_arrow *arrow, uint32_t *from, uint32_t *to)
{
	const struct host_rows *rows = context;
	return find_row(rows, arrow->from_host, arrow->from, arrow->start, from) &&
	       find_row(rows, arrow->to_host, arrow->to, arrow->end, to);
}

/* "sshd (42) on b", or "b". */
static void name_of_row(const void *context, uint32_t row, struct byte_buffer *name)
{
	uint32_t own;
	const struct host_rows *rows = context;
	const struct host_view *host = host_rows_find(rows, row, &own);
	if (host != NULL && own != HISTREE_NO_INDEX) {
		const struct kernel_threads *threads = host->view;
		kernel_thread_label(threads->kernel, threads->list[own].tid, threads->list[own].from, name);
		byte_buffer_put_chars(name, " on ");
	}
	if (host != NULL)
		byte_buffer_put_chars(name, host->name);
}

static uint32_t row_of_host(const void *context, uint32_t row)
{
	uint32_t own;
	const struct host_view *host = host_rows_find(context, row, &own);
	return host != NULL ? host->first : row;
}

static const struct arrow_model packets = { packet_arrows_make, rows_of_packet, name_of_row, row_of_host };

bool host_rows_arrows(const void *view, size_t index, struct arrow_source *out)
{
	const struct host_rows *rows = view;
	*out = (struct arrow_source){ 0 };
	if (index == rows->host_count && rows->graph != NULL)
		*out = (struct arrow_source){ .model = &packets, .view = rows };
	if (index >= rows->host_count)
		return out->model != NULL;
	const struct host_view *host = &rows->hosts[index];
	if (host->view != NULL && rows->model->arrows != NULL)
		rows->model->arrows(host->view, out);
	out->first_row += host_row(rows, host, 0);
	out->row_count = rows->has_hosts ? host->count : 0;
	return true;
}

/* ---- the models ------------------------------------------------------------------------------------------ */

#define ROWS_OF_ALL(name, model)                                                                                  \
	static enum histree_status name##_make(struct dataset *dataset, void **view, struct histree_error *error) \
	{                                                                                                         \
		return host_rows_make(dataset, &(model), (struct host_rows **)view, error);                       \
	}                                                                                                         \
	static bool name##_apply(const struct dataset *dataset)                                                   \
	{                                                                                                         \
		return (model).own.applies(dataset);                                                              \
	}                                                                                                         \
	const struct view_kind name = { name##_apply, name##_make, host_rows_free };
ROWS_OF_ALL(host_threads, row_model_threads)
ROWS_OF_ALL(host_early_threads, row_model_early_threads)
ROWS_OF_ALL(host_resources, row_model_resources)
ROWS_OF_ALL(host_calls, row_model_calls)
ROWS_OF_ALL(host_charts, row_model_charts)
ROWS_OF_ALL(host_attributes, row_model_attributes)
ROWS_OF_ALL(host_spans, row_model_spans)
ROWS_OF_ALL(host_explorer, row_model_explorer)

const struct view_kind *host_rows_kind(const struct row_model *model)
{
	static const struct {
		const struct row_model *model;
		const struct view_kind *kind;
	} kinds[] = {
		{ &row_model_threads, &host_threads },     { &row_model_early_threads, &host_early_threads },
		{ &row_model_resources, &host_resources }, { &row_model_calls, &host_calls },
		{ &row_model_charts, &host_charts },       { &row_model_attributes, &host_attributes },
		{ &row_model_explorer, &host_explorer },   { &row_model_spans, &host_spans },
	};
	size_t i = 0;
	while (kinds[i].model != model)
		i++;
	return kinds[i].kind;
}

const struct row_model *const row_models[] = {
	&row_model_threads,
	&row_model_resources,
	&row_model_spans,
	&row_model_calls,
	&row_model_charts,
	&row_model_attributes,
	NULL,
};

const struct row_model *row_model_find(const struct dataset *dataset, const char *name)
{
	for (size_t i = 0; row_models[i] != NULL; i++)
		if (strcmp(row_models[i]->name, name) == 0)
			return row_models[i]->own.applies(dataset) ? row_models[i] : NULL;
	return NULL;
}
