// SPDX-License-Identifier: MIT
#include "export/export_buffer.h"

#include <stdlib.h>

struct export_buffer *export_buffer_create(struct export_output *file, struct histree_error *error)
{
	struct export_buffer *output = malloc(sizeof(*output));
	if (output == NULL)
		return NULL;
	output->file = file;
	output->status = HISTREE_OK;
	output->error = error;
	output->used = 0;
	return output;
}

enum histree_status export_buffer_flush(struct export_buffer *output)
{
	if (output->used > 0 && output->status == HISTREE_OK)
		output->status = export_output_write(output->file, output->bytes, output->used, output->error);
	output->used = 0;
	return output->status;
}

void export_long_bytes(struct export_buffer *output, const char *bytes, size_t size)
{
	if (export_buffer_flush(output) == HISTREE_OK)
		output->status = export_output_write(output->file, bytes, size, output->error);
}
