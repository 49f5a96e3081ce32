// SPDX-License-Identifier: MIT
/*
 * server.c - the server and its endpoints: the table of paths.
 */
#include "server/server.h"

#include <malloc.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/error.h"
#include "histree/status.h"
#include "server/api/api.h"
#include "server/catalogue/bookmarks.h"
#include "server/catalogue/catalogue.h"
#include "server/http/http.h"
#include "server/model/host_rows.h"
#include "server/tsp/outputs.h"
#include "server/web/web.h"

/* ---- routes -------------------------------------------------------------------------------------------------- */

#define TSP "tsp/api/"
#define API "api/v1/"
#define EXPERIMENT TSP "experiments/?/"
#define OUTPUTS EXPERIMENT "outputs/"
#define CONFIGURATIONS TSP "config/types/"
const struct route routes[] = {
	{ HTTP_GET, TSP "health", tsp_health },
	{ HTTP_GET, TSP "identifier", tsp_identifier },

	{ HTTP_GET, TSP "traces", tsp_traces },
	{ HTTP_POST, TSP "traces", tsp_open_trace },
	{ HTTP_GET, TSP "traces/?", tsp_trace },
	{ HTTP_DELETE, TSP "traces/?", tsp_delete_trace },

	{ HTTP_GET, TSP "experiments", tsp_experiments },
	{ HTTP_POST, TSP "experiments", tsp_open_experiment },
	{ HTTP_GET, TSP "experiments/?", tsp_experiment },
	{ HTTP_DELETE, TSP "experiments/?", tsp_delete_experiment },

	{ HTTP_GET, EXPERIMENT "bookmarks", tsp_bookmarks },
	{ HTTP_POST, EXPERIMENT "bookmarks", tsp_add_bookmark },
	{ HTTP_GET, EXPERIMENT "bookmarks/?", tsp_bookmark },
	{ HTTP_PUT, EXPERIMENT "bookmarks/?", tsp_change_bookmark },
	{ HTTP_DELETE, EXPERIMENT "bookmarks/?", tsp_remove_bookmark },

	{ HTTP_GET, EXPERIMENT "outputs", tsp_outputs },
	{ HTTP_GET, OUTPUTS "markerSets", tsp_marker_sets },
	{ HTTP_GET, OUTPUTS "?", tsp_output },
	{ HTTP_POST, OUTPUTS "timeGraph/?/tree", tsp_tree },
	{ HTTP_POST, OUTPUTS "timeGraph/?/states", tsp_states },
	{ HTTP_POST, OUTPUTS "timeGraph/?/arrows", tsp_arrows },
	{ HTTP_POST, OUTPUTS "timeGraph/?/tooltip", tsp_tooltip },
	{ HTTP_POST, OUTPUTS "XY/?/tree", tsp_tree },
	{ HTTP_POST, OUTPUTS "XY/?/xy", tsp_xy },
	{ HTTP_POST, OUTPUTS "genericXY/?/tree", tsp_tree },
	{ HTTP_POST, OUTPUTS "genericXY/?/xy", tsp_xy },
	{ HTTP_POST, OUTPUTS "data/?/tree", tsp_tree },
	{ HTTP_POST, OUTPUTS "table/?/columns", tsp_columns },
	{ HTTP_POST, OUTPUTS "table/?/lines", tsp_lines },
	{ HTTP_POST, OUTPUTS "?/style", tsp_style },
	{ HTTP_GET, OUTPUTS "?/annotations", tsp_annotation_categories },
	{ HTTP_POST, OUTPUTS "?/annotations", tsp_annotations },
	{ HTTP_GET, OUTPUTS "?/configTypes", tsp_configuration_types },
	{ HTTP_GET, OUTPUTS "?/configTypes/?", tsp_configuration_type },
	{ HTTP_POST, OUTPUTS "?", tsp_derive_output },
	{ HTTP_DELETE, OUTPUTS "?/?", tsp_delete_output },

	{ HTTP_GET, TSP "config/types", tsp_definition_types },
	{ HTTP_GET, CONFIGURATIONS "?", tsp_definition_type },
	{ HTTP_POST, CONFIGURATIONS "?", tsp_add_definition }, /* where the TypeScript client does */
	{ HTTP_GET, CONFIGURATIONS "?/configs", tsp_definitions },
	{ HTTP_POST, CONFIGURATIONS "?/configs", tsp_add_definition },
	{ HTTP_GET, CONFIGURATIONS "?/configs/?", tsp_definition },
	{ HTTP_PUT, CONFIGURATIONS "?/configs/?", tsp_change_definition },
	{ HTTP_DELETE, CONFIGURATIONS "?/configs/?", tsp_forget_definition },

	{ HTTP_GET, API "experiments", api_experiments },
	{ HTTP_GET, API "traces", api_traces },
	{ HTTP_GET, API "legend", api_legend },
	{ HTTP_GET, API "rows", api_rows },
	{ HTTP_GET, API "state", api_state },
	{ HTTP_GET, API "search", api_search },
	{ HTTP_GET, API "find-row", api_find_row },
	{ HTTP_GET, API "search-state", api_search_state },
	{ HTTP_GET, API "state-hits", api_state_hits },
	{ HTTP_GET, API "matches", api_matches },
	{ HTTP_GET, API "usage", api_usage },
	{ HTTP_GET, API "density", api_density },
	{ HTTP_GET, API "arrows", api_arrows },
	{ HTTP_GET, API "charts", api_charts_list },
	{ HTTP_GET, API "chart", api_chart_lines },
	{ HTTP_GET, API "path", api_path },
	{ HTTP_GET, API "flame", api_flame },
	{ HTTP_GET, API "time-use", api_time_use },
	{ HTTP_GET, API "compare", api_compare },
	{ HTTP_GET, API "sql", api_sql },
	{ HTTP_GET, API "perfetto", api_perfetto },
	{ HTTP_POST, API "cut-store", api_cut_store },
	{ HTTP_GET, API "bookmarks", api_bookmarks },
	{ HTTP_GET, API "gaps", api_gaps },
	{ HTTP_GET, API "events", api_events },
	{ HTTP_GET, API "event-search", api_event_search },
	{ HTTP_GET, API "event-types", api_event_types },
	{ HTTP_GET, API "nodes", api_nodes },

	{ HTTP_GET, API "segment-stores", api_segment_stores },
	{ HTTP_GET, API "segments", api_segments },
	{ HTTP_GET, API "segments-csv", api_segments_csv },
	{ HTTP_GET, API "segment-scatter", api_segment_scatter },
	{ HTTP_GET, API "segment-density", api_segment_density },
	{ HTTP_GET, API "segment-stats", api_segment_stats },

	{ HTTP_GET, "*", web_file },
	{ 0 },
};

/* ---- server -------------------------------------------------------------------------------------------------- */

struct server {
	struct service service;
	struct router router;
	struct http *http;
	struct histree_error warning;
};

/* What fails here fails again, and is reported, when a client asks. */
static void warm(struct dataset *dataset)
{
	void *view;
	if (host_threads.applies(dataset))
		dataset_view(dataset, &host_threads, &view, NULL);
}

/*
 * Answers take and give up large buffers, each on a thread of its own.  glibc would keep what is given up for the
 * thread that had it; from one arena, with large buffers outside of it, it goes back.  With two, nodes that leave
 * the cache of a store make room in one arena while others come into the other: 64 MiB of cache took 128.
 */
static void keep_little(void)
{
	mallopt(M_ARENA_MAX, 1);
	mallopt(M_MMAP_THRESHOLD, 512 << 10); /* a fixed one: else it grows with what was freed */
	mallopt(M_TRIM_THRESHOLD, 2 << 20);
}

enum histree_status server_start(const struct server_options *options, struct server **out,
				 struct histree_error *error)
{
	*out = NULL;
	struct server *server = calloc(1, sizeof(*server));
	if (server == NULL)
		return error_memory(error, "a server");
	keep_little();
	server->service.web_root = options->web_root;
	server->router = (struct router){ routes, &server->service };
	struct catalogue_options catalogue = {
		.paths = options->paths,
		.path_count = options->path_count,
		.stores = options->stores != NULL ? options->stores : ".",
		.trusts_stores = options->trusts_stores,
		.warm = warm,
	};
	enum histree_status status = catalogue_create(&catalogue, &server->service.catalogue, error);
	if (status == HISTREE_OK)
		status = bookmarks_create(&io_posix, catalogue.stores, &server->service.bookmarks, error);
	if (status == HISTREE_OK)
		bookmarks_check(server->service.bookmarks, &server->warning);
	struct http_options http = {
		.bind = options->bind != NULL ? options->bind : "127.0.0.1",
		.port = options->port,
		.allowed_origin = options->allowed_origin,
		.limits = HTTP_LIMITS,
		.handle = router_handle,
		.context = &server->router,
	};
	if (options->memory != 0)
		http.limits.memory = options->memory;
	if (status == HISTREE_OK)
		status = http_start(&http, &server->http, error);
	if (status != HISTREE_OK) {
		server_stop(server);
		return status;
	}
	*out = server;
	return HISTREE_OK;
}

uint16_t server_port(const struct server *server)
{
	return http_port(server->http);
}

const char *server_warning(const struct server *server)
{
	return server->warning.status != HISTREE_OK ? server->warning.message : NULL;
}

void server_stop(struct server *server)
{
	if (server == NULL)
		return;
	http_stop(server->http);
	catalogue_free(server->service.catalogue);
	bookmarks_free(server->service.bookmarks);
	free(server);
}
