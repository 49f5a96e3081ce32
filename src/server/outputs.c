// SPDX-License-Identifier: MIT
#include "server/output.h"

#include <string.h>

const struct output *const outputs[] = {
	&output_state_system,
	NULL,
};

const char *output_type_name(enum output_type type)
{
	static const char *const names[] = { "TABLE", "TREE_TIME_XY", "TIME_GRAPH", "DATA_TREE" };
	return names[type];
}

const struct output *output_find(const struct dataset *dataset, const char *id, size_t *index)
{
	for (*index = 0; outputs[*index] != NULL; ++*index) {
		const struct output *output = outputs[*index];
		if (strcmp(output->id, id) == 0)
			return dataset_status(dataset) != DATASET_READY || output->applies(dataset) ? output : NULL;
	}
	return NULL;
}
