/* SPDX-License-Identifier: MIT */
/*
 * output.h - what can be seen of an experiment: one table of outputs ("data providers" in the protocol).
 *
 * An output makes a view of a dataset, once, which all requests then share; a view does not change.  Its functions
 * write the model of an answer, or let steps write it.  Endpoints know outputs by this table only: one that has no
 * such function is answered with 405, as clients expect.
 */
#ifndef SERVER_OUTPUT_H
#define SERVER_OUTPUT_H

#include "server/call.h"

enum output_type { OUTPUT_TABLE, OUTPUT_TREE_TIME_XY, OUTPUT_TIME_GRAPH, OUTPUT_DATA_TREE };

/* What an endpoint hands to an output: the answer is an envelope, whose model is to be written. */
struct output_call {
	struct call *call;
	struct dataset *dataset; /* steps that outlive the call hold it */
	void *view;
};

struct output {
	const char *id, *name, *description;
	enum output_type type;
	bool (*applies)(const struct dataset *dataset);
	dataset_view_make *make; /* several outputs may share one view */
	void (*free)(void *view);
	/* Each may be NULL.  They answer an error themselves. */
	void (*tree)(const struct output_call *output);
	void (*states)(const struct output_call *output);
	void (*arrows)(const struct output_call *output);
	void (*tooltip)(const struct output_call *output);
	void (*style)(const struct output_call *output);
	void (*xy)(const struct output_call *output);
	void (*columns)(const struct output_call *output);
	void (*lines)(const struct output_call *output);
};

/* By name, as clients list them; NULL at the end. */
extern const struct output *const outputs[];

extern const struct output output_call_stack, output_control_flow, output_resources, output_cpu_usage,
	output_histogram, output_events, output_statistics, output_state_system;

const char *output_type_name(enum output_type type);

/* The output of an id that applies to a dataset; NULL: there is none. */
const struct output *output_find(const struct dataset *dataset, const char *id);

#endif
