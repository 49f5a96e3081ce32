// SPDX-License-Identifier: MIT
#include "support/model_tree.h"

#include <stdlib.h>

#include "base/error.h"

enum { SHUFFLING_PRIME = 7919 };

struct histree_interval *model_intervals(const struct model *model, size_t *count)
{
	const uint32_t keys = model->keys, turns = model->turns;
	const histree_time turn_length = (histree_time)MODEL_STEP * keys, end = model_end(model);
	struct histree_interval *intervals = calloc((size_t)keys * (turns + 1), sizeof(*intervals));
	histree_time *starts = calloc(keys, sizeof(*starts));
	*count = 0;
	if (intervals == NULL || starts == NULL) {
		free(starts);
		free(intervals);
		return NULL;
	}
	for (uint32_t turn = 0; turn <= turns; turn++)
		for (uint32_t i = 0; i < keys; i++) {
			histree_quark key = (histree_quark)((uint64_t)i * SHUFFLING_PRIME % keys);
			bool is_last = turn == turns;
			if (!is_last && model_is_slow(model, key) && turn % model->slowness != 0)
				continue;
			histree_time next = is_last ? end + 1 : turn_length * turn + (histree_time)MODEL_STEP * i;
			if (starts[key] >= next) /* the first change is at the start */
				continue;
			intervals[(*count)++] = (struct histree_interval){ .start = starts[key],
									   .end = next - 1,
									   .quark = key,
									   .value = histree_int((int32_t)turn) };
			starts[key] = next;
		}
	free(starts);
	return intervals;
}

enum histree_status model_tree_build(struct model_tree *built, const struct histree_tree_options *asked,
				     const struct model *model, struct histree_error *error)
{
	*built = (struct model_tree){ .turn = (histree_time)MODEL_STEP * model->keys };
	memory_io_init(&built->memory);
	struct reference reference;
	size_t count;
	struct histree_interval *intervals = model_intervals(model, &count);
	if (intervals == NULL || !reference_make(&reference, intervals, count, 0, model_end(model), model->keys)) {
		free(intervals);
		return error_memory(error, "the model");
	}
	enum histree_status status = tree_file_write(&built->memory.io, "f", asked, &reference, intervals, error);
	if (status == HISTREE_OK)
		status = tree_file_open(&built->memory.io, "f", 1 << 20, &built->tree, error);
	if (status == HISTREE_OK)
		tree_reader_info(built->tree.reader, &built->info);
	reference_release(&reference);
	free(intervals);
	return status;
}

void model_tree_release(struct model_tree *built)
{
	tree_file_close(&built->tree);
	memory_io_release(&built->memory);
}
