// SPDX-License-Identifier: MIT
#include "support/memory_history.h"

#include <stdio.h>
#include <stdlib.h>

#include "state/history.h"
#include "state/state_file.h"
#include "store/block_file.h"

enum { CACHE_BYTES = 1 << 20 };

static enum histree_status apply(struct histree_state_system *system, const struct workload *workload,
				 struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	for (uint32_t key = 0; status == HISTREE_OK && key < workload->key_count; key++) {
		char name[16];
		histree_quark quark;
		snprintf(name, sizeof(name), "a%u", key);
		status = histree_state_attribute(system, HISTREE_ROOT, name, &quark, error);
	}
	for (size_t i = 0; status == HISTREE_OK && i < workload->count; i++) {
		const struct change *change = &workload->changes[i];
		status = histree_state_modify(system, change->at, change->quark, change->value, error);
	}
	return status == HISTREE_OK ? histree_state_close(system, workload->end, error) : status;
}

enum histree_status memory_history_build(struct memory_io *memory, const struct histree_tree_options *tree,
					 const struct workload *workload, struct histree_error *error)
{
	struct histree_state_system *system;
	const struct histree_history_options options = {
		.path = "f", .provider = "test", .start = workload->start, .tree = *tree
	};
	enum histree_status status = state_file_create(&memory->io, &options, &system, error);
	if (status != HISTREE_OK)
		return status;
	status = apply(system, workload, error);
	histree_state_free(system);
	return status;
}

bool memory_history_reference(const struct workload *workload, struct reference *out)
{
	size_t count;
	struct histree_interval *intervals = workload_intervals(workload, &count);
	bool made = intervals != NULL &&
		    reference_make(out, intervals, count, workload->start, workload->end, workload->key_count);
	free(intervals);
	return made;
}

enum histree_status memory_history_open(struct memory_io *memory, const char *path, bool salvage,
					struct histree_history **out, struct histree_error *error)
{
	struct block_file *file;
	const struct histree_open_options options = { .cache_bytes = CACHE_BYTES, .salvage = salvage };
	*out = NULL;
	enum histree_status status = salvage ? block_file_salvage(&memory->io, path, &file, error)
					     : block_file_open(&memory->io, path, &file, error);
	return status == HISTREE_OK ? history_open_file(file, &options, out, error) : status;
}
