// SPDX-License-Identifier: MIT
#include "support/overview_file.h"
#include "support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void overview_file_read(struct overview_file *file)
{
	FILE *stream = fopen(file->path, "rb");
	assert_non_null(stream);
	fseek(stream, 0, SEEK_END);
	file->size = (size_t)ftell(stream);
	rewind(stream);
	file->bytes = malloc(file->size);
	assert_non_null(file->bytes);
	assert_int_equal(fread(file->bytes, 1, file->size, stream), file->size);
	fclose(stream);
}

void overview_file_write(const struct overview_file *file, const uint8_t *bytes, size_t size)
{
	FILE *stream = fopen(file->path, "wb");
	assert_non_null(stream);
	assert_int_equal(fwrite(bytes, 1, size, stream), size);
	assert_int_equal(fclose(stream), 0);
}

void overview_file_end(struct overview_file *file)
{
	unlink(file->path);
	free(file->bytes);
	*file = (struct overview_file){ .bytes = NULL };
}

struct hearing {
	const char *suffix;
	unsigned faults;
};

static void hear(void *context, const char *fault)
{
	struct hearing *hearing = context;
	assert_non_null(strstr(fault, hearing->suffix));
	hearing->faults++;
}

bool overview_file_is_told(const char *history_path, overview_verifier *verify, const char *suffix)
{
	struct histree_history *history;
	struct hearing hearing = { .suffix = suffix };
	assert_ok(histree_history_open(history_path, NULL, &history, NULL));
	enum histree_status status = histree_history_verify(history, hear, &hearing, NULL);
	if (status == HISTREE_OK)
		status = verify(history, hear, &hearing, NULL);
	histree_history_close(history);
	assert_true(status == HISTREE_OK || status == HISTREE_ERR_FORMAT);
	assert_true(status != HISTREE_OK || hearing.faults == 0);
	return status != HISTREE_OK;
}

uint32_t overview_file_count(const char *history_path)
{
	struct histree_history *history;
	assert_ok(histree_history_open(history_path, NULL, &history, NULL));
	uint32_t count = histree_history_info(history)->overview_count;
	histree_history_close(history);
	return count;
}
