// SPDX-License-Identifier: MIT
/*
 * property_live.c - a history that is looked at while it grows, and one whose builder is gone.
 *
 * At random moments of a workload the history is published, opened, and compared with what the changes so far
 * say; where nothing is cut off, the file and its tail are also, byte by byte, the file that a build makes which
 * ends there.  Looking changes nothing: the file that is closed in the end is the one that nobody looked at.
 */
#include "driver.h"
#include "state/history.h"
#include "state/state_file.h"
#include "support/history_subject.h"
#include "support/memory_io.h"
#include "support/test.h"
#include "support/workload.h"
#include "tree/tree_shape.h"

enum { QUESTIONS = 6, LOOKS = 4, HEADER_COPIED = 88 };

struct live_case {
	struct histree_tree_options options;
	const struct workload *workload;
	struct memory_io memory;
	struct histree_state_system *system;
	uint32_t key_count; /* attributes so far */
	uint64_t seed;
	const char *what; /* is being done, for messages */
};

#define check(test, status)                                                                              \
	do {                                                                                             \
		struct histree_error error = { 0 };                                                      \
		if ((status) != HISTREE_OK)                                                              \
			fail_msg("%s, variant %s, seed %llu: %s", (test)->what, (test)->options.variant, \
				 (unsigned long long)(test)->seed, error.message);                       \
	} while (0)

static void begin(struct live_case *test, const char *path, bool resume)
{
	const struct histree_history_options options = { .path = path,
							 .provider = "test",
							 .start = test->workload->start,
							 .resume = resume,
							 .tree = test->options };
	test->key_count = 0;
	check(test, state_file_create(&test->memory.io, &options, &test->system, &error));
}

/* An attribute is made when it is first heard of, as in a trace. */
static void change(struct live_case *test, const struct change *change)
{
	for (; test->key_count <= change->quark; test->key_count++) {
		char name[16];
		histree_quark quark;
		snprintf(name, sizeof(name), "%u", test->key_count);
		check(test, histree_state_attribute(test->system, HISTREE_ROOT, name, &quark, &error));
	}
	check(test, histree_state_modify(test->system, change->at, change->quark, change->value, &error));
}

static void finish(struct live_case *test, histree_time end)
{
	check(test, histree_state_close(test->system, end, &error));
	histree_state_free(test->system);
}

/* What the first `count` changes say, as far as they are known at `end`. */
static void expect(const struct live_case *test, size_t count, histree_time end, struct reference *out)
{
	struct workload so_far = *test->workload;
	size_t interval_count;
	so_far.end = end;
	so_far.key_count = test->key_count;
	so_far.disorder = 0;
	so_far.count = count;
	while (so_far.count > 0 && so_far.changes[so_far.count - 1].at > end)
		so_far.count--;
	struct histree_interval *intervals = workload_intervals(&so_far, &interval_count);
	assert_non_null(intervals);
	assert_true(reference_make(out, intervals, interval_count, so_far.start, end, so_far.key_count));
	free(intervals);
}

static void compare(struct live_case *test, struct histree_history *history, size_t count, histree_time end)
{
	struct reference reference;
	char room[512];
	expect(test, count, end, &reference);
	const char *fault = history_compare(history, &reference, test->seed, QUESTIONS, room);
	if (fault != NULL)
		fail_msg("%s after %zu changes, at %lld, variant %s, seed %llu: %s", test->what, count,
			 (long long)end, test->options.variant, (unsigned long long)test->seed, fault);
	reference_release(&reference);
}

static struct histree_history *open_history(struct live_case *test, const char *path)
{
	struct block_file *file;
	struct histree_history *history;
	check(test, block_file_open(&test->memory.io, path, &file, &error));
	check(test, history_open_file(file, NULL, &history, &error));
	return history;
}

static void assert_same_bytes(struct live_case *test, const uint8_t *bytes, size_t size, const char *path)
{
	const struct memory_file *other = memory_io_find(&test->memory, path);
	assert_non_null(other);
	if (size != other->size || memcmp(bytes, other->bytes, size) != 0)
		fail_msg("%s, variant %s, seed %llu: the bytes differ", test->what, test->options.variant,
			 (unsigned long long)test->seed);
}

/* The file up to where its tail goes on, then the tail, are what a build makes that ends here. */
static void compare_bytes(struct live_case *test, size_t count, histree_time end)
{
	struct live_case other = { .options = test->options, .workload = test->workload, .what = test->what };
	memory_io_init(&other.memory);
	begin(&other, "f", false);
	for (size_t i = 0; i < count; i++)
		change(&other, &test->workload->changes[i]);
	finish(&other, end);
	const struct memory_file *file = memory_io_find(&test->memory, "f");
	const struct memory_file *tail = memory_io_find(&test->memory, "f.tail");
	struct block_file *joined;
	check(test, block_file_open(&test->memory.io, "f", &joined, &error));
	size_t size = (size_t)joined->size, body = size - BLOCK_FILE_HEADER_SIZE;
	size_t own = tail->size - BLOCK_FILE_HEADER_SIZE;
	block_file_close(joined);
	uint8_t *bytes = calloc(1, size), *whole = memory_io_find(&other.memory, "f")->bytes;
	assert_non_null(bytes);
	memcpy(bytes, whole, BLOCK_FILE_HEADER_SIZE);
	memcpy(bytes + BLOCK_FILE_HEADER_SIZE, file->bytes + BLOCK_FILE_HEADER_SIZE, body - own);
	memcpy(bytes + size - own, tail->bytes + BLOCK_FILE_HEADER_SIZE, own);
	/* That it is a tail stands in its header, and in the copy of that. */
	memcpy(bytes + size - HEADER_COPIED, whole + size - HEADER_COPIED, HEADER_COPIED);
	assert_same_bytes(&other, bytes, size, "f");
	free(bytes);
	memory_io_release(&other.memory);
}

/* Publish and look, as somebody else would; then look as this process can. */
static void look(struct live_case *test, size_t count, bool cut)
{
	histree_time now = histree_state_current_end(test->system), end = cut ? now - 1 : now;
	if (end < test->workload->start)
		return;
	check(test, histree_state_publish(test->system, end, &error));
	struct histree_history *history = open_history(test, "f");
	assert_false(histree_history_info(history)->complete);
	compare(test, history, count, end);
	histree_history_close(history);
	if (!cut)
		compare_bytes(test, count, end);
}

static bool is_time_to_look(struct live_case *test, size_t count)
{
	struct random random = { test->seed ^ count };
	return random_below(&random, test->workload->count / LOOKS + 1) == 0;
}

static void looking_changes_nothing(struct live_case *test)
{
	const struct workload *workload = test->workload;
	test->what = "looking";
	begin(test, "f", false);
	for (size_t i = 0; i < workload->count; i++) {
		change(test, &workload->changes[i]);
		if (is_time_to_look(test, i))
			look(test, i + 1, i % 2 == 0);
	}
	finish(test, workload->end);
	assert_null(memory_io_find(&test->memory, "f.tail"));
	assert_null(memory_io_find(&test->memory, "f.tail.new"));

	begin(test, "alone", false);
	for (size_t i = 0; i < workload->count; i++)
		change(test, &workload->changes[i]);
	finish(test, workload->end);
	const struct memory_file *alone = memory_io_find(&test->memory, "alone");
	assert_same_bytes(test, alone->bytes, alone->size, "f");
	test->memory.io.unlink(&test->memory, "f");
}

/* The builder goes away at a random moment after it published; another does the same from the beginning. */
static void what_was_published_is_gone_on_with(struct live_case *test)
{
	const struct workload *workload = test->workload;
	struct random random = { test->seed };
	size_t published = (size_t)random_below(&random, workload->count);
	size_t killed = published + (size_t)random_below(&random, workload->count - published);
	test->what = "going on";
	begin(test, "f", false);
	for (size_t i = 0; i <= published; i++)
		change(test, &workload->changes[i]);
	histree_time end = histree_state_current_end(test->system);
	check(test, histree_state_publish(test->system, end, &error));
	uint32_t known = test->key_count;
	for (size_t i = published + 1; i <= killed; i++)
		change(test, &workload->changes[i]);
	histree_state_free(test->system);

	begin(test, "f", true);
	bool looked = false;
	for (size_t i = 0; i < workload->count; i++) {
		change(test, &workload->changes[i]);
		if (histree_state_current_end(test->system) > end)
			continue;
		/* Earlier than what is there: nothing becomes of it. */
		if (is_time_to_look(test, i))
			check(test,
			      histree_state_publish(test->system, histree_state_current_end(test->system), &error));
		if (i == published) {
			struct histree_history *history = open_history(test, "f");
			assert_true(histree_history_info(history)->end >= end);
			assert_true(histree_history_info(history)->attribute_count >= known);
			histree_history_close(history);
			looked = true;
		}
	}
	assert_true(looked);
	finish(test, workload->end);
	const struct memory_file *alone = memory_io_find(&test->memory, "alone");
	assert_same_bytes(test, alone->bytes, alone->size, "f");
	assert_null(memory_io_find(&test->memory, "f.tail"));
	test->memory.io.unlink(&test->memory, "f");
}

/* Other changes than those that the file was made of: it is theirs in the end. */
static void another_trace_is_noticed(struct live_case *test, struct workload *other)
{
	const struct workload *workload = test->workload;
	test->what = "another trace";
	test->workload = other;
	begin(test, "f", false);
	for (size_t i = 0; i < other->count; i++)
		change(test, &other->changes[i]);
	check(test, histree_state_publish(test->system, histree_state_current_end(test->system), &error));
	histree_state_free(test->system);

	test->workload = workload;
	begin(test, "f", true);
	for (size_t i = 0; i < workload->count; i++)
		change(test, &workload->changes[i]);
	finish(test, workload->end);
	struct histree_history *history = open_history(test, "f");
	assert_true(histree_history_info(history)->complete);
	compare(test, history, workload->count, workload->end);
	histree_history_close(history);
	test->memory.io.unlink(&test->memory, "f");
}

static void is_what_the_changes_so_far_say(const void *chosen, uint64_t seed)
{
	const struct workload_kind *kind = chosen;
	static const uint32_t node_sizes[] = { 4 << 10, 64 << 10 };
	struct workload workload, other;
	assert_true(workload_make(&workload, kind, seed));
	assert_true(workload_make(&other, kind, seed + 1));
	for (size_t shape = 0; tree_variants[shape / 2] != NULL && workload.count > 0; shape++) {
		struct live_case test = {
			.options = { .variant = tree_variants[shape / 2]->name,
				     .node_size = node_sizes[shape % 2],
				     .fan_out = 7,
				     .nulls = (enum histree_nulls)((seed + shape) % 3) },
			.workload = &workload,
			.seed = seed + shape,
		};
		memory_io_init(&test.memory);
		looking_changes_nothing(&test);
		what_was_published_is_gone_on_with(&test);
		another_trace_is_noticed(&test, &other);
		memory_io_release(&test.memory);
	}
	workload_release(&other);
	workload_release(&workload);
}

PROPERTIES({ KINDS(workload_kinds), .rounds = 1, .check = is_what_the_changes_so_far_say })
