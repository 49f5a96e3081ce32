// SPDX-License-Identifier: MIT
#include "server/model/host_rows.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/search.h"
#include "histree/critical_path.h"
#include "server/catalogue/allowed_paths.h"

/* ---- making ---------------------------------------------------------------------------------------------- */

static void find_places(struct host_view *host)
{
	host->place_count = host->own->history_count;
	for (size_t i = 0; i < host->place_count; i++) {
		host->own_histories[i] = host->own->histories[i];
		host->places[i] = dataset_place_of(host->own, host->own->histories[i]);
	}
}

/* Memory that is out, and a cancelled answer, are of no single host. */
static bool is_of_host(enum histree_status status)
{
	return status != HISTREE_ERR_MEMORY && status != HISTREE_ERR_CANCELLED;
}

static enum histree_status say_why(struct host_view *host, const char *why, struct histree_error *error)
{
	host->why = strdup(why);
	return host->why != NULL ? HISTREE_OK : error_memory(error, "a host");
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
	find_places(host);
	enum histree_status status = dataset_view(host->own, model->make, model->free, &host->view, &own_error);
	if (status == HISTREE_OK) {
		host->count = model->count(host->view);
		set_range(host->own, model, &host->start, &host->end);
		return HISTREE_OK;
	}
	if (!rows->has_hosts || !is_of_host(status)) {
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
	if (host->own == NULL || !rows->model->applies(host->own))
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

enum histree_status host_rows_make(struct dataset *dataset, const struct row_model *model, struct host_rows **out,
				   struct histree_error *error)
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
	rows->name = path_name(store->trace_count == 1 && !rows->has_hosts ? store->traces[0] : store->path);
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

void host_rows_free(void *view)
{
	struct host_rows *rows = view;
	for (size_t i = 0; rows->hosts != NULL && i < rows->host_count; i++)
		free(rows->hosts[i].why);
	free(rows->hosts);
	histree_critical_path_free(rows->paths);
	pthread_mutex_destroy(&rows->paths_lock);
	free(rows);
}

/* ---- finding --------------------------------------------------------------------------------------------- */

struct sought_row {
	const struct host_view *hosts;
	uint32_t row;
};

static bool begins_before(const void *context, size_t index)
{
	const struct sought_row *sought = context;
	return sought->hosts[index].first <= sought->row;
}

const struct host_view *host_rows_find(const struct host_rows *rows, uint32_t row, uint32_t *own)
{
	const struct sought_row sought = { rows->hosts, row };
	*own = HISTREE_NO_INDEX;
	if (row >= rows->count)
		return NULL;
	size_t after = search_first(0, rows->host_count, rows->host_count / 2, begins_before, &sought);
	const struct host_view *host = &rows->hosts[after - 1];
	uint32_t below = row - host->first;
	if (!rows->has_hosts)
		*own = below;
	else if (below > 0)
		*own = below - 1;
	return host;
}

struct dataset_place host_view_place(const struct host_view *host, struct histree_history *history)
{
	for (size_t i = 0; i < host->place_count; i++)
		if (host->own_histories[i] == history)
			return host->places[i];
	return (struct dataset_place){ history, 0 };
}

const struct histree_label_table *host_view_table(const struct histree_history *whole,
						  const struct histree_label_table *own)
{
	bool is_of_kernel = own != NULL && own->meaning != HISTREE_MEANS_ANYTHING;
	const struct histree_label_table *found = is_of_kernel ? histree_labels_for(whole, own->meaning) : NULL;
	return found != NULL ? found : own;
}
