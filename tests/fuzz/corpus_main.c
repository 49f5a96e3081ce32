// SPDX-License-Identifier: MIT
/*
 * corpus_main.c - all targets in one program, run on files as a test: the committed corpus, or changes of it.
 *
 *	corpus TARGET FOLDER		each file of the folder
 *	corpus json FOLDER PREFIX	ctf_packets on changes of files whose names begin so (json_mutations.c)
 *	corpus wire FOLDER		perfetto on changes of files (wire_mutations.c)
 */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "fuzz.h"

enum { INPUT_SIZE_MAX = 1 << 20, PATH_SIZE = 4096 };

static struct fuzz_target *targets;

void fuzz_target_add(struct fuzz_target *target)
{
	target->next = targets;
	targets = target;
}

fuzz_function *fuzz_target(const char *name)
{
	char file[64];
	snprintf(file, sizeof(file), "fuzz_%s.c", name);
	for (const struct fuzz_target *target = targets; target != NULL; target = target->next) {
		const char *last = strrchr(target->file, '/');
		if (strcmp(last != NULL ? last + 1 : target->file, file) == 0)
			return target->run;
	}
	fprintf(stderr, "corpus: no target '%s'\n", name);
	exit(2);
}

void fuzz_run(fuzz_function *target, const uint8_t *bytes, size_t size)
{
	uint8_t *copy = malloc(size > 0 ? size : 1);
	REQUIRE(copy != NULL);
	if (size > 0)
		memcpy(copy, bytes, size);
	target(copy, size);
	free(copy);
}

static FILE *open_file(const char *folder, const char *name)
{
	char path[PATH_SIZE];
	snprintf(path, sizeof(path), "%s/%s", folder, name);
	FILE *file = fopen(path, "rb");
	if (file == NULL) {
		fprintf(stderr, "%s: %s\n", path, strerror(errno));
		exit(1);
	}
	return file;
}

size_t fuzz_load(const char *folder_path, const char *prefix,
		 void (*load)(void *context, const uint8_t *bytes, size_t size), void *context)
{
	static uint8_t bytes[INPUT_SIZE_MAX];
	DIR *folder = opendir(folder_path);
	size_t count = 0;
	if (folder == NULL) {
		fprintf(stderr, "%s: %s\n", folder_path, strerror(errno));
		exit(1);
	}
	for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
		if (entry->d_name[0] == '.' || strncmp(entry->d_name, prefix, strlen(prefix)) != 0)
			continue;
		FILE *file = open_file(folder_path, entry->d_name);
		load(context, bytes, fread(bytes, 1, sizeof(bytes), file));
		fclose(file);
		count++;
	}
	closedir(folder);
	return count;
}

static void run_file(void *context, const uint8_t *bytes, size_t size)
{
	fuzz_run(*(fuzz_function **)context, bytes, size);
}

int main(int count, char **words)
{
	if (count == 4 && strcmp(words[1], "json") == 0)
		return json_mutations(words[2], words[3]);
	if (count == 3 && strcmp(words[1], "wire") == 0)
		return wire_mutations(words[2]);
	if (count != 3) {
		fprintf(stderr, "usage: corpus TARGET FOLDER\n");
		return 2;
	}
	fuzz_function *target = fuzz_target(words[1]);
	size_t inputs = fuzz_load(words[2], "", run_file, &target);
	printf("%zu inputs\n", inputs);
	return inputs == 0;
}
