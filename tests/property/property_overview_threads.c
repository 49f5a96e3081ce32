// SPDX-License-Identifier: MIT
/*
 * property_overview_threads.c - overviews are the same to the byte, however many threads make them.
 */
#include "driver.h"
#include "overview_case.h"
#include "state/history.h"
#include "state/pyramid.h"
#include "support/effort.h"
#include "support/history_file.h"
#include "support/test.h"

enum { NAME_MAX_SIZE = 128 };

struct threads_case {
	uint64_t seed;
	char one[64], other[64]; /* histories: one file by two names */
	char fault[512];
};

/* A test that compares nothing shall not pass. */
static uint64_t files_compared, histories_with_several, histories_with_sums;

/* The name of a level of rows; those of the other pyramids are behind the last one; NULL behind that. */
static const char *name_of(const char *path, uint32_t number, char name[NAME_MAX_SIZE])
{
	if (number >= PYRAMID_LEVELS_MAX + PYRAMIDS)
		return NULL;
	pyramid_path(number > PYRAMID_LEVELS_MAX ? number - PYRAMID_LEVELS_MAX : PYRAMID_ROWS, path, number, name);
	return name;
}

static bool are_equal(FILE *one, FILE *other)
{
	char bytes[4096], others[sizeof(bytes)];
	size_t size;
	do {
		size = fread(bytes, 1, sizeof(bytes), one);
		if (fread(others, 1, sizeof(others), other) != size || memcmp(bytes, others, size) != 0)
			return false;
	} while (size > 0);
	return feof(one) && feof(other);
}

/* Two files that are not there are equal. */
static const char *compare_files(const char *one, const char *other)
{
	FILE *file = fopen(one, "rb"), *second = fopen(other, "rb");
	const char *fault = NULL;
	if ((file == NULL) != (second == NULL))
		fault = "some threads make an overview that others do not";
	else if (file != NULL && !are_equal(file, second))
		fault = "other threads, other overviews";
	files_compared += file != NULL;
	if (file != NULL)
		fclose(file);
	if (second != NULL)
		fclose(second);
	return fault;
}

static const char *compare_overviews(const struct threads_case *test)
{
	char name[NAME_MAX_SIZE], other[NAME_MAX_SIZE];
	const char *fault = NULL;
	for (uint32_t number = 1; fault == NULL && name_of(test->one, number, name) != NULL; number++)
		fault = compare_files(name, name_of(test->other, number, other));
	pyramid_path(PYRAMID_ROWS, test->one, 2, name);
	histories_with_several += access(name, F_OK) == 0;
	pyramid_path(PYRAMID_SUMS, test->one, 1, name);
	histories_with_sums += access(name, F_OK) == 0;
	return fault;
}

static const char *check_threads(struct threads_case *test)
{
	struct histree_error error;
	struct random random = { test->seed };
	struct overview_options options = overview_case_options(&random), more;
	overview_case_vary(&options, &random);
	more = options;
	options.threads = 1;
	more.threads = 2 + (uint32_t)random_below(&random, 5);
	if (overviews_write(&io_posix, test->one, &options, &error) == HISTREE_OK &&
	    overviews_write(&io_posix, test->other, &more, &error) == HISTREE_OK)
		return compare_overviews(test);
	snprintf(test->fault, sizeof(test->fault), "no overviews: %.400s", error.message);
	return test->fault;
}

static const char *check_workload(void *context, const struct workload *workload)
{
	const struct histree_tree_options options = { .node_size = 4 << 10, .fan_out = 7 };
	struct threads_case *test = context;
	struct histree_error error;
	histree_quark *quarks = calloc((size_t)workload->key_count + 1, sizeof(*quarks));
	const char *fault = "a history that cannot be made";
	history_files_remove(test->one);
	history_files_remove(test->other);
	if (quarks != NULL &&
	    history_file_build_statuses(test->one, &options, workload, quarks, &error) == HISTREE_OK &&
	    link(test->one, test->other) == 0)
		fault = check_threads(test);
	history_files_remove(test->one);
	history_files_remove(test->other);
	free(quarks);
	return fault;
}

static void threads_make_no_difference(const void *kind, uint64_t seed)
{
	struct workload workload;
	struct threads_case test = { .seed = seed };
	snprintf(test.one, sizeof(test.one), "property_overview_threads.%ld.sht", (long)getpid());
	snprintf(test.other, sizeof(test.other), "property_overview_threads.%ld.again.sht", (long)getpid());
	assert_true(workload_make(&workload, kind, seed));
	overview_case_choose_values(&workload);
	const char *fault = check_workload(&test, &workload);
	if (fault != NULL)
		property_fail_shrunk(&workload, &(struct workload_check){ check_workload, &test }, fault,
				     "from 2 threads on");
	workload_release(&workload);
}

static const struct property property = {
	.kinds = workload_kinds,
	.kind_size = sizeof(*workload_kinds),
	.rounds = 8,
	.check = threads_make_no_difference,
};

static bool is_enough(void)
{
	return files_compared > 10 && histories_with_several > 0 && histories_with_sums > 0;
}

TEST(something_was_compared)
{
	bool is_so = property_go_on(&property, is_enough);
	fprintf(stderr, "%llu files compared; %llu histories have several overviews, %llu sums\n",
		(unsigned long long)files_compared, (unsigned long long)histories_with_several,
		(unsigned long long)histories_with_sums);
	assert_true(is_so);
}

TEST_SUITE
{
	return properties_run(__FILE__, &property, 1);
}
