// SPDX-License-Identifier: MIT
#include "support/data.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "support/files.h"

const char *source_path(char path[static DATA_PATH_SIZE], const char *name)
{
	const char *root = getenv("HISTREE_SOURCE_ROOT");
	snprintf(path, DATA_PATH_SIZE, "%s/%s", root != NULL ? root : ".", name);
	return path;
}

bool shared_path(char path[static DATA_PATH_SIZE], const char *name)
{
	const char *shared = getenv("HISTREE_SHARED");
	char beside[DATA_PATH_SIZE];
	if (shared == NULL)
		shared = source_path(beside, "../shared");
	int size = snprintf(path, DATA_PATH_SIZE, "%s/%s", shared, name);
	return size < DATA_PATH_SIZE && access(path, R_OK) == 0;
}

void scratch_folder(char *path, size_t size)
{
	const char *temporary = getenv("TMPDIR");
	int length = snprintf(path, size, "%s/histree-XXXXXX", temporary != NULL ? temporary : "/tmp");
	if (length < 0 || (size_t)length >= size || mkdtemp(path) == NULL) {
		fprintf(stderr, "no folder '%s'\n", path);
		exit(1);
	}
}

int scratch_remove_world(void **state)
{
	remove_all("%s", (const char *)*state);
	free(*state);
	return 0;
}
