// SPDX-License-Identifier: MIT
/*
 * corpus_main.c - all targets in one program, run on files as a test: the committed corpus, or changes of it.
 *
 *	corpus TARGET FOLDER		each file of the folder
 *	corpus made			all that make_corpus.c makes, each by its target
 *	corpus make FOLDER		the same as files in FOLDER/TARGET, for libFuzzer
 *	corpus json FOLDER PREFIX	ctf_packets on changes of files whose names begin so (json_mutations.c)
 *	corpus wire FOLDER		perfetto on changes of files (wire_mutations.c)
 */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

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

static FILE *open_file(const char *folder, const char *name, const char *how)
{
	char path[2 * PATH_SIZE];
	snprintf(path, sizeof(path), "%s/%s", folder, name);
	FILE *file = fopen(path, how);
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
		FILE *file = open_file(folder_path, entry->d_name, "rb");
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

static void run_made(void *context, const char *target, const char *name, const uint8_t *bytes, size_t size)
{
	(void)name;
	fuzz_run(fuzz_target(target), bytes, size);
	++*(size_t *)context;
}

static void write_made(void *context, const char *target, const char *name, const uint8_t *bytes, size_t size)
{
	char folder[PATH_SIZE];
	snprintf(folder, sizeof(folder), "%s/%s", (const char *)context, target);
	REQUIRE(mkdir(folder, 0777) == 0 || errno == EEXIST);
	FILE *file = open_file(folder, name, "wb");
	REQUIRE(fwrite(bytes, 1, size, file) == size && fclose(file) == 0);
}

int main(int count, char **words)
{
	size_t inputs = 0;
	if (count == 3 && strcmp(words[1], "make") == 0) {
		corpus_make(write_made, words[2]);
		return 0;
	}
	if (count == 2 && strcmp(words[1], "made") == 0) {
		corpus_make(run_made, &inputs);
		printf("%zu inputs\n", inputs);
		return inputs == 0;
	}
	if (count == 4 && strcmp(words[1], "json") == 0)
		return json_mutations(words[2], words[3]);
	if (count == 3 && strcmp(words[1], "wire") == 0)
		return wire_mutations(words[2]);
	if (count != 3) {
		fprintf(stderr, "usage: corpus TARGET FOLDER, or corpus made\n");
		return 2;
	}
	fuzz_function *target = fuzz_target(words[1]);
	inputs = fuzz_load(words[2], "", run_file, &target);
	printf("%zu inputs\n", inputs);
	return inputs == 0;
}
