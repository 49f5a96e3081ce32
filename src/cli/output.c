// SPDX-License-Identifier: MIT
#include "cli/output.h"

#include <assert.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct output *output_create(int file)
{
	struct output *output = malloc(sizeof(*output));
	if (output == NULL)
		return NULL;
	output->file = file;
	output->failure = 0;
	output->used = 0;
	return output;
}

static void write_all(struct output *output, const char *bytes, size_t size)
{
	while (size > 0 && output->failure == 0) {
		ssize_t written = write(output->file, bytes, size);
		if (written >= 0) {
			bytes += written;
			size -= (size_t)written;
		} else if (errno != EINTR) {
			output->failure = errno;
		}
	}
}

void output_flush(struct output *output)
{
	write_all(output, output->bytes, output->used);
	output->used = 0;
}

char *output_room(struct output *output, size_t size)
{
	assert(size <= OUTPUT_SIZE && output->used <= OUTPUT_SIZE);
	if (size > OUTPUT_SIZE - output->used)
		output_flush(output);
	return output->bytes + output->used;
}

void output_bytes(struct output *output, const char *bytes, size_t size)
{
	if (size > OUTPUT_SIZE) {
		output_flush(output);
		write_all(output, bytes, size);
	} else if (size > 0) {
		memcpy(output_room(output, size), bytes, size);
		output->used += size;
	}
}

void output_spaces(struct output *output, size_t count)
{
	while (count > 0) {
		const size_t now = count < OUTPUT_SIZE ? count : OUTPUT_SIZE;
		memset(output_room(output, now), ' ', now);
		output->used += now;
		count -= now;
	}
}

void output_format(struct output *output, const char *format, ...)
{
	enum { SIZE_MAX_OF_CALL = 4096 };
	char *at = output_room(output, SIZE_MAX_OF_CALL);
	va_list arguments;
	va_start(arguments, format);
	int length = vsnprintf(at, SIZE_MAX_OF_CALL, format, arguments);
	va_end(arguments);
	if (length > 0)
		output->used += length < SIZE_MAX_OF_CALL ? (size_t)length : SIZE_MAX_OF_CALL - 1;
}

int output_free(struct output *output)
{
	if (output == NULL)
		return 0;
	output_flush(output);
	int failure = output->failure;
	free(output);
	return failure;
}
