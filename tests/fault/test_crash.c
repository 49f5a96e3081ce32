// SPDX-License-Identifier: MIT
/*
 * test_crash.c - the power fails at each operation of a build, and the disk has lost what it may lose.
 *
 * Whatever is left: once something was published, it opens, reaches at least that far, and says nothing wrong;
 * before that, it opens and is right, or is refused.  Another builder goes on from there to the same end.
 */
#include "state/history.h"
#include "state/state_file.h"
#include "support/crash_io.h"
#include "support/effort.h"
#include "support/history_subject.h"
#include "support/test.h"
#include "support/workload.h"
#include "tree/tree_shape.h"

enum { TAILS = 5, OUTCOMES = 6, QUESTIONS = 3 };

struct crash_case {
	const char *variant;
	struct workload workload, other; /* of another trace */
	const struct workload *builds;   /* which of them */
	uint64_t seed;
	bool published;
	histree_time published_end; /* of what was published last */
};

/* Publishes now and then; the first failure ends it. */
static enum histree_status build(struct crash_case *test, const struct io *io, bool resume,
				 struct histree_error *error)
{
	const struct workload *workload = test->builds;
	const struct histree_history_options options = {
		.path = "f",
		.provider = "test",
		.start = workload->start,
		.resume = resume,
		.tree = { .variant = test->variant, .node_size = 4096, .fan_out = 4 }
	};
	struct histree_state_system *system;
	enum histree_status status = state_file_create(io, &options, &system, error);
	if (status != HISTREE_OK)
		return status;
	for (uint32_t key = 0; status == HISTREE_OK && key < workload->key_count; key++) {
		char name[16];
		histree_quark quark;
		snprintf(name, sizeof(name), "%u", key);
		status = histree_state_attribute(system, HISTREE_ROOT, name, &quark, error);
	}
	for (size_t i = 0; status == HISTREE_OK && i < workload->count; i++) {
		const struct change *change = &workload->changes[i];
		status = histree_state_modify(system, change->at, change->quark, change->value, error);
		if (status != HISTREE_OK || (i + 1) % (workload->count / TAILS + 1) != 0)
			continue;
		histree_time end = histree_state_current_end(system) - 1; /* more may come at that time itself */
		status = histree_state_publish(system, end, error);
		if (status == HISTREE_OK && (!test->published || end > test->published_end)) {
			test->published = true;
			test->published_end = end;
		}
	}
	if (status == HISTREE_OK)
		status = histree_state_close(system, workload->end, error);
	if (status == HISTREE_OK) {
		test->published = true;
		test->published_end = workload->end;
	}
	histree_state_free(system);
	return status;
}

/* What the changes say up to `end`. */
static void expect(const struct workload *workload, histree_time end, struct reference *out)
{
	struct workload so_far = *workload;
	size_t count;
	so_far.end = end;
	so_far.disorder = 0;
	while (so_far.count > 0 && so_far.changes[so_far.count - 1].at > end)
		so_far.count--;
	struct histree_interval *intervals = workload_intervals(&so_far, &count);
	assert_non_null(intervals);
	assert_true(reference_make(out, intervals, count, so_far.start, end, so_far.key_count));
	free(intervals);
}

/* Whether a history is what these changes say up to its end; if not, `room` may say why. */
static const char *compare(const struct workload *workload, struct histree_history *history, char room[512])
{
	struct reference reference;
	expect(workload, histree_history_info(history)->end, &reference);
	const char *fault = history_compare(history, &reference, workload->seed, QUESTIONS, room);
	reference_release(&reference);
	return fault;
}

/* Whether it can be opened; if so, it is right. */
static bool opens(struct crash_case *test, struct memory_io *memory)
{
	struct block_file *file;
	struct histree_history *history;
	struct histree_error error = { 0 };
	enum histree_status status = block_file_open(&memory->io, "f", &file, &error);
	if (status == HISTREE_OK)
		status = history_open_file(file, NULL, &history, &error);
	if (status != HISTREE_OK) {
		if (test->published)
			fail_msg("%s, seed %llu: published to %lld, but: %s", test->variant,
				 (unsigned long long)test->seed, (long long)test->published_end, error.message);
		return false;
	}
	char room[512];
	histree_time end = histree_history_info(history)->end;
	if (test->published && end < test->published_end)
		fail_msg("%s, seed %llu: published to %lld, but it ends at %lld", test->variant,
			 (unsigned long long)test->seed, (long long)test->published_end, (long long)end);
	const char *fault = compare(test->builds, history, room);
	if (fault != NULL)
		fail_msg("%s, seed %llu: %s", test->variant, (unsigned long long)test->seed, fault);
	histree_history_close(history);
	return true;
}

/* One crash, and what may be left of it. */
static enum histree_status crash(struct crash_case *test, uint64_t stop_at, uint64_t *opened)
{
	struct crash_io disk;
	struct memory_io memory;
	struct histree_error error;
	test->seed = hash_mix(stop_at + 1000 * ++test->workload.seed);
	test->published = false;
	crash_io_init(&disk, test->seed);
	disk.stop_at = stop_at;
	enum histree_status status = build(test, &disk.io, false, &error);
	for (int outcome = 0; outcome < OUTCOMES; outcome++) {
		crash_io_leave(&disk, &memory);
		*opened += opens(test, &memory);
		if (outcome == 0 && status != HISTREE_OK) {
			struct crash_case again = *test;
			assert_ok(build(&again, &memory.io, true, &error));
			assert_true(opens(&again, &memory));
			assert_int_equal(again.published_end, test->builds->end);
		}
		memory_io_release(&memory);
	}
	crash_io_release(&disk);
	return status;
}

static void set_up(struct crash_case *test, const char *variant)
{
	static const struct workload_kind kind = {
		.name = "small", .key_count = 12, .changes = 700, .start = 100, .step_max = 50, .text_size_max = 60
	};
	*test = (struct crash_case){ .variant = variant };
	assert_true(workload_make(&test->workload, &kind, test_seed()));
	assert_true(workload_make(&test->other, &kind, test_seed() + 1));
	test->builds = &test->workload;
}

static void tear_down(struct crash_case *test)
{
	workload_release(&test->workload);
	workload_release(&test->other);
}

TEST(what_was_published_survives_the_power)
{
	for (size_t i = 0; tree_variants[i] != NULL; i++) {
		struct crash_case test;
		uint64_t operations = 0, opened = 0;
		set_up(&test, tree_variants[i]->name);
		while (crash(&test, ++operations, &opened) != HISTREE_OK)
			;
		assert_true(operations > 60 && opened > OUTCOMES * operations / 2);
		tear_down(&test);
	}
}

/*
 * A build goes on with what another trace left, finds out, and the power fails: what is left is of this trace, or
 * nothing, or as it was; never a mixture.
 */
TEST(two_traces_never_mix)
{
	for (size_t i = 0; tree_variants[i] != NULL; i++) {
		enum histree_status status = HISTREE_ERR_IO;
		for (uint64_t stop_after = 1; status != HISTREE_OK; stop_after++) {
			struct crash_case test;
			struct crash_io disk;
			struct memory_io memory;
			struct histree_error error;
			set_up(&test, tree_variants[i]->name);
			test.seed = hash_mix(stop_after);
			crash_io_init(&disk, test.seed);
			disk.stop_at = 40; /* in the middle of the first build, behind its first tails */
			test.builds = &test.other;
			assert_int_equal(build(&test, &disk.io, false, &error), HISTREE_ERR_IO);
			assert_true(test.published);
			disk.stop_at = disk.operations + stop_after;
			struct crash_case mine = test;
			mine.builds = &test.workload;
			mine.published = false; /* nor is it, before it is behind what the other left */
			status = build(&mine, &disk.io, true, &error);
			crash_io_leave(&disk, &memory);
			struct histree_history *history;
			struct block_file *file;
			bool readable = block_file_open(&memory.io, "f", &file, NULL) == HISTREE_OK &&
					history_open_file(file, NULL, &history, NULL) == HISTREE_OK;
			if (status == HISTREE_OK) {
				assert_true(opens(&mine, &memory));
			} else if (readable) {
				char room[512];
				assert_true(compare(test.builds, history, room) == NULL ||
					    compare(mine.builds, history, room) == NULL);
			}
			if (readable)
				histree_history_close(history);
			memory_io_release(&memory);
			crash_io_release(&disk);
			tear_down(&test);
		}
	}
}
