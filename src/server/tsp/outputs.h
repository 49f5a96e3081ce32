/* SPDX-License-Identifier: MIT */
/*
 * outputs.h - the outputs of an experiment ("data providers" in the protocol), in one table.
 *
 * An output shows a view of a dataset, which is made once and does not change.  Its functions get a call that has
 * both, and the part of the view: the analysis, for an output of each segment store; the thread, for an output of a
 * thread; the name, for a chart.  They answer with an envelope, whose model they write, or let steps write.
 * Endpoints use outputs through this table only: a request for a function that an output lacks is answered with
 * 405, as clients expect.
 *
 * The endpoints of the Trace Server Protocol 0.6.0 (its API.yaml), below /tsp/api.
 *
 * Times in the protocol are nanoseconds since the epoch; the end of a state is exclusive, ours plus one.
 */
#ifndef SERVER_TSP_OUTPUTS_H
#define SERVER_TSP_OUTPUTS_H

#include "histree/attributes.h"
#include "server/catalogue/dataset.h"
#include "server/http/http.h"

enum output_type {
	OUTPUT_TABLE,
	OUTPUT_TREE_TIME_XY,
	OUTPUT_TIME_GRAPH,
	OUTPUT_DATA_TREE,
	OUTPUT_TREE_GENERIC_XY,
	OUTPUT_GANTT_CHART, /* a time graph whose axis is not the time of the trace */
};

struct output {
	const char *id, *name, *description;
	enum output_type type;
	/*
	 * There is one for each segment store: its id ends with a colon and the analysis, and its name begins so.
	 */
	bool is_per_segments;
	/* There is one, and one more for each thread, whose id ends with a colon and TID or HOST/TID. */
	bool is_per_thread;
	/* There is one for each chart of a kind: its id ends with a colon and its name, and it has its title. */
	bool is_per_chart;
	enum histree_chart_kind chart_kind;
	/* NULL: the dataset itself is the view, and `applies` decides. */
	const struct view_kind *view;
	bool (*applies)(const struct dataset *dataset); /* NULL: as the view does */
	/* Each may be NULL.  They answer an error themselves. */
	endpoint_function *tree, *states, *arrows, *tooltip, *style, *xy, *columns, *lines;
};

/* By name, as clients list them; NULL at the end. */
extern const struct output *const outputs[];

extern const struct output output_call_stack, output_chart_lines, output_chart_states, output_control_flow,
	output_critical_path, output_flame_graph, output_resources, output_cpu_usage, output_histogram,
	output_events, output_statistics, output_state_system, output_segment_table, output_segment_scatter,
	output_segment_statistics, output_segment_density;

/* Returns the output of an id that applies to a dataset, or may apply once it is ready; NULL if no output does. */
const struct output *output_find(const struct dataset *dataset, const char *id);

/*
 * Visits every output that applies to a dataset, by name; while the dataset is not ready, every one that may
 * apply.  The analysis is that of an output for each segment store, or the name of a chart, else NULL.
 */
typedef void output_visit(void *context, const struct output *output, const char *analysis);

endpoint_function tsp_health, tsp_identifier;

endpoint_function tsp_traces, tsp_trace, tsp_open_trace, tsp_delete_trace;

endpoint_function tsp_experiments, tsp_experiment, tsp_open_experiment, tsp_delete_experiment;

endpoint_function tsp_bookmarks, tsp_add_bookmark, tsp_bookmark, tsp_change_bookmark, tsp_remove_bookmark;

endpoint_function tsp_outputs, tsp_output, tsp_derive_output, tsp_delete_output, tsp_marker_sets;

/* How an output can be made of one. */
endpoint_function tsp_configuration_types, tsp_configuration_type;

endpoint_function tsp_tree, tsp_states, tsp_arrows, tsp_tooltip, tsp_xy, tsp_columns, tsp_lines;

endpoint_function tsp_style, tsp_annotation_categories, tsp_annotations;

/* Finds the dataset of the experiment in the path of a call; returns false if it has answered instead. */
bool tsp_dataset(struct call *call);

/* Answers that there is no such configuration. */
void tsp_no_configuration(struct call *call);

/* Configurations: files that define analyses, which what is made of traces gets. */
endpoint_function tsp_definition_types, tsp_definition_type, tsp_definitions, tsp_definition, tsp_add_definition,
	tsp_change_definition, tsp_forget_definition;

#endif
