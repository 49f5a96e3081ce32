// SPDX-License-Identifier: MIT
/*
 * corpus_main.c - run a target on each file of some folders: the committed corpus as a normal test.
 */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "fuzz.h"

enum { INPUT_SIZE_MAX = 1 << 20 };

static int run_file(const char *folder, const char *name)
{
	char path[4096];
	snprintf(path, sizeof(path), "%s/%s", folder, name);
	FILE *file = fopen(path, "rb");
	uint8_t *bytes = malloc(INPUT_SIZE_MAX);
	int failed = file == NULL || bytes == NULL;
	if (!failed) {
		size_t size = fread(bytes, 1, INPUT_SIZE_MAX, file);
		/* Of the very size, so that a read behind the end is seen. */
		uint8_t *input = realloc(bytes, size > 0 ? size : 1);
		if (input != NULL)
			bytes = input;
		LLVMFuzzerTestOneInput(bytes, size);
	} else {
		fprintf(stderr, "%s: %s\n", path, strerror(errno));
	}
	free(bytes);
	if (file != NULL)
		fclose(file);
	return failed;
}

int main(int count, char **folders)
{
	int failed = 0, inputs = 0;
	for (int i = 1; i < count; i++) {
		DIR *folder = opendir(folders[i]);
		if (folder == NULL) {
			fprintf(stderr, "%s: %s\n", folders[i], strerror(errno));
			return 1;
		}
		for (struct dirent *entry; (entry = readdir(folder)) != NULL;)
			if (entry->d_name[0] != '.') {
				failed |= run_file(folders[i], entry->d_name);
				inputs++;
			}
		closedir(folder);
	}
	printf("%d inputs\n", inputs);
	return failed || inputs == 0;
}
