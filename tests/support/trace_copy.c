// SPDX-License-Identifier: MIT
#include "support/trace_copy.h"
#include "support/files.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/crew.h"
#include "support/data.h"
#include "support/test.h"

void run_command(const char *format, ...)
{
	char command[DATA_PATH_SIZE + 1024];
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(command, sizeof(command), format, arguments);
	va_end(arguments);
	if (system(command) != 0)
		fail_msg("%s", command);
}

void trace_copy(const char *name, const char *copy)
{
	char path[DATA_PATH_SIZE], inside[64];
	snprintf(inside, sizeof(inside), "tests/data/%s", name);
	source_path(path, inside);
	remove_all("%s", copy);
	copy_all(path, copy);
}

/* Change some bytes of a file, but of its first ones, or cut it. */
static void damage_file(const char *path, struct random *random)
{
	FILE *file = fopen(path, "r+");
	assert_non_null(file);
	fseek(file, 0, SEEK_END);
	long size = ftell(file), least = 512;
	for (unsigned i = 0; size > least && i < 1 + random_below(random, 8); i++) {
		fseek(file, least + (long)random_below(random, (uint64_t)(size - least)), SEEK_SET);
		fputc((int)random_below(random, 256), file);
	}
	fclose(file);
	if (size > least && random_percent(random, 25))
		assert_int_equal(truncate(path, least + (long)random_below(random, (uint64_t)(size - least))), 0);
}

void trace_copy_damage(const char *copy, struct random *random)
{
	struct stat facts;
	assert_int_equal(stat(copy, &facts), 0);
	if (!S_ISDIR(facts.st_mode)) {
		damage_file(copy, random);
		return;
	}
	DIR *folder = opendir(copy);
	const struct dirent *entry;
	assert_non_null(folder);
	while ((entry = readdir(folder)) != NULL) {
		char path[512];
		snprintf(path, sizeof(path), "%s/%s", copy, entry->d_name);
		if (entry->d_name[0] != '.' && strcmp(entry->d_name, "metadata") != 0 && stat(path, &facts) == 0 &&
		    S_ISREG(facts.st_mode) && random_percent(random, 60))
			damage_file(path, random);
	}
	closedir(folder);
}

/* ---- threads ----------------------------------------------------------------------------------------------- */

static unsigned threads_at_first; /* one, and what a sanitizer has of its own */

static unsigned count_threads(void)
{
	DIR *tasks = opendir("/proc/self/task");
	const struct dirent *entry;
	unsigned count = 0;
	assert_non_null(tasks);
	while ((entry = readdir(tasks)) != NULL)
		count += entry->d_name[0] != '.';
	closedir(tasks);
	return count;
}

static void *return_at_once(void *context)
{
	return context;
}

bool threads_begin(void)
{
	/* A sanitizer may make one of its own beside the first. */
	pthread_t thread;
	if (!thread_create(&thread, return_at_once, NULL) || pthread_join(thread, NULL) != 0)
		return false;
	usleep(50 * 1000);
	threads_at_first = count_threads();
	return true;
}

/* A thread that was waited for may be seen a moment longer. */
void assert_no_thread_left(void)
{
	for (unsigned tries = 0; tries < 1000 && count_threads() != threads_at_first; tries++)
		usleep(1000);
	assert_int_equal(count_threads(), threads_at_first);
}
