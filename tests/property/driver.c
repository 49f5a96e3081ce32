// SPDX-License-Identifier: MIT
#include "driver.h"

#include "support/effort.h"

enum { TESTS_MAX = 64, SHRINK_RUNS = 400 };

/* A property of one kind of input: what cmocka calls a test. */
struct kind_test {
	const struct property *property;
	const void *kind;
	uint64_t seed; /* of the round that runs */
	bool is_through;
};

static const char *kind_name(const void *kind)
{
	const char *name;
	memcpy(&name, kind, sizeof(name));
	return name;
}

static void run_rounds(void **state)
{
	struct kind_test *test = *state;
	uint64_t rounds = test_effort(test->property->rounds, (test->property->rounds + 3) / 4);
	uint64_t end = test_seed() + rounds * test_rounds();
	for (test->seed = test_seed(); test->seed < end; test->seed++)
		test->property->check(test->kind, test->seed);
	test->is_through = true;
}

/* cmocka calls it after the rounds, however they ended. */
static int print_replay(void **state)
{
	const struct kind_test *test = *state;
	if (!test->is_through)
		print_error("'%s' failed; run it again with HISTREE_SEED=%llu\n", kind_name(test->kind),
			    (unsigned long long)test->seed);
	return 0;
}

/* Adds the tests of a property; returns how many there are then. */
static size_t add_kinds(const struct property *property, struct kind_test *kinds, struct CMUnitTest *tests,
			size_t count)
{
	const char *kind = property->kinds;
	for (; kind_name(kind) != NULL; kind += property->kind_size) {
		if (property->applies != NULL && !property->applies(kind))
			continue;
		assert_true(count < TESTS_MAX);
		kinds[count] = (struct kind_test){ .property = property, .kind = kind };
		tests[count] = (struct CMUnitTest){ .name = kind_name(kind),
						    .test_func = run_rounds,
						    .teardown_func = print_replay,
						    .initial_state = &kinds[count] };
		count++;
	}
	return count;
}

int properties_run(const char *file, const struct property *properties, size_t property_count)
{
	struct kind_test kinds[TESTS_MAX];
	struct CMUnitTest tests[TESTS_MAX];
	size_t count = 0;
	for (size_t i = 0; i < property_count; i++)
		count = add_kinds(&properties[i], kinds, tests, count);
	count += tests_of(file, tests + count, TESTS_MAX - count);
	return _cmocka_run_group_tests(file, tests, count, NULL, NULL);
}

bool property_go_on(const struct property *property, bool (*is_enough)(void))
{
	enum { OTHER_SEEDS = 1000000, ROUNDS_MAX = 64 };
	for (uint64_t round = 0; round < ROUNDS_MAX && !is_enough(); round++) {
		const char *kind = property->kinds;
		for (; kind_name(kind) != NULL && !is_enough(); kind += property->kind_size)
			if (property->applies == NULL || property->applies(kind))
				property->check(kind, test_seed() + OTHER_SEEDS + round);
	}
	return is_enough();
}

void property_fail_shrunk(struct workload *workload, const struct workload_check *check, const char *fault,
			  const char *shape, ...)
{
	va_list arguments;
	fprintf(stderr, "FAULT: %s\n", fault);
	va_start(arguments, shape);
	vfprintf(stderr, shape, arguments);
	va_end(arguments);
	fprintf(stderr, "; shrinking ...\n");
	workload_shrink(workload, check, SHRINK_RUNS);
	fault = check->check(check->context, workload);
	fprintf(stderr, "FAULT: %s\n", fault != NULL ? fault : "gone: it does not happen each time");
	workload_print(workload);
	fail();
}
