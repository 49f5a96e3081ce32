// SPDX-License-Identifier: MIT
/*
 * kernel_slice.c - the memory of what a slice guesses.
 */
#include "analysis/kernel/kernel_slice.h"

#include <stdlib.h>

struct kernel_slice *kernel_slice_create(struct change_log *log)
{
	struct kernel_slice *slice = calloc(1, sizeof(*slice));
	if (slice != NULL)
		slice->log = log;
	return slice;
}

void kernel_slice_free(struct kernel_slice *slice)
{
	if (slice == NULL)
		return;
	id_map_release(&slice->cpus);
	arena_release(&slice->memory);
	free(slice);
}
