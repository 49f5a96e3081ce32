// SPDX-License-Identifier: MIT
#include "analysis/kernel/kernel_slice.h"

#include <stdlib.h>

#include "base/error.h"

enum histree_status kernel_slice_create(const struct change_log_frame *frame, struct kernel_slice **out,
					struct histree_error *error)
{
	*out = calloc(1, sizeof(**out));
	if (*out == NULL)
		return error_memory(error, "a slice of the trace");
	enum histree_status status = change_log_init(&(*out)->log, frame, error);
	if (status != HISTREE_OK) {
		free(*out);
		*out = NULL;
	}
	return status;
}

void kernel_slice_free(struct kernel_slice *slice)
{
	if (slice == NULL)
		return;
	change_log_release(&slice->log);
	id_map_release(&slice->cpus);
	arena_release(&slice->memory);
	free(slice);
}
