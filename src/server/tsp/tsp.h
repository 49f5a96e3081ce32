/* SPDX-License-Identifier: MIT */
/*
 * tsp.h - the endpoints of the Trace Server Protocol 0.6.0 (its API.yaml), below /tsp/api.
 *
 * Times in the protocol are nanoseconds since the epoch; the end of a state is exclusive, ours plus one.
 */
#ifndef SERVER_TSP_TSP_H
#define SERVER_TSP_TSP_H

#include "server/http/http.h"

endpoint_function tsp_health, tsp_identifier;

endpoint_function tsp_traces, tsp_trace, tsp_open_trace, tsp_delete_trace;
endpoint_function tsp_experiments, tsp_experiment, tsp_open_experiment, tsp_delete_experiment;

endpoint_function tsp_bookmarks, tsp_add_bookmark, tsp_bookmark, tsp_change_bookmark, tsp_remove_bookmark;

endpoint_function tsp_outputs, tsp_output, tsp_derive_output, tsp_marker_sets;
endpoint_function tsp_tree, tsp_states, tsp_arrows, tsp_tooltip, tsp_xy, tsp_columns, tsp_lines;
endpoint_function tsp_style, tsp_annotation_categories, tsp_annotations;

/* Finds the dataset of the experiment in the path of a call; returns false if it has answered instead. */
bool tsp_dataset(struct call *call);

/* There are no configurations of outputs: lists are empty, and names unknown. */
endpoint_function tsp_no_list, tsp_no_configuration;

#endif
