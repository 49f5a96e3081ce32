// SPDX-License-Identifier: MIT
#include "server/routes.h"

#include "server/api/api.h"
#include "server/tsp/tsp.h"
#include "server/web/web.h"

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
	{ HTTP_GET, OUTPUTS "?/configTypes", tsp_no_list },
	{ HTTP_GET, OUTPUTS "?/configTypes/?", tsp_no_configuration },
	{ HTTP_POST, OUTPUTS "?", tsp_derive_output },
	{ HTTP_DELETE, OUTPUTS "?/?", tsp_no_configuration },

	{ HTTP_GET, TSP "config/types", tsp_no_list },
	{ HTTP_GET, CONFIGURATIONS "*", tsp_no_configuration },
	{ HTTP_POST, CONFIGURATIONS "*", tsp_no_configuration },
	{ HTTP_PUT, CONFIGURATIONS "*", tsp_no_configuration },
	{ HTTP_DELETE, CONFIGURATIONS "*", tsp_no_configuration },

	{ HTTP_GET, API "experiments", api_experiments },
	{ HTTP_GET, API "traces", api_traces },
	{ HTTP_GET, API "legend", api_legend },
	{ HTTP_GET, API "rows", api_rows },
	{ HTTP_GET, API "state", api_state },
	{ HTTP_GET, API "search", api_search },
	{ HTTP_GET, API "find-row", api_find_row },
	{ HTTP_GET, API "search-state", api_search_state },
	{ HTTP_GET, API "matches", api_matches },
	{ HTTP_GET, API "usage", api_usage },
	{ HTTP_GET, API "density", api_density },
	{ HTTP_GET, API "arrows", api_arrows },
	{ HTTP_GET, API "charts", api_charts_list },
	{ HTTP_GET, API "chart", api_chart_lines },
	{ HTTP_GET, API "path", api_path },
	{ HTTP_GET, API "flame", api_flame },
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
