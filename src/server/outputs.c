// SPDX-License-Identifier: MIT
#include "server/output.h"

#include <string.h>

const struct output *const outputs[] = {
	&output_cpu_usage, &output_call_stack, &output_control_flow, &output_events, &output_statistics,
	&output_histogram, &output_resources,  &output_state_system, NULL,
};

const char *output_type_name(enum output_type type)
{
	static const char *const names[] = { "TABLE", "TREE_TIME_XY", "TIME_GRAPH", "DATA_TREE" };
	return names[type];
}

const struct output *output_find(const struct dataset *dataset, const char *id)
{
	for (size_t i = 0; outputs[i] != NULL; i++) {
		const struct output *output = outputs[i];
		if (strcmp(output->id, id) == 0)
			return dataset_status(dataset) != DATASET_READY || output->applies(dataset) ? output : NULL;
	}
	return NULL;
}
