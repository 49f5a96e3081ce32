// SPDX-License-Identifier: MIT
/*
 * test_io_fault.c - the world fails on request: each operation of a build, of opening and of asking fails once.
 *
 * Whatever fails, the status says so, nothing leaks (AddressSanitizer looks), no file of a failed build is left,
 * and no answer is short without an error.
 */
#include <signal.h>
#include <sys/resource.h>

#include "histree/history.h"
#include "histree/states.h"
#include "support/faulty_io.h"
#include "support/memory_io.h"
#include "support/test.h"
#include "support/tree_file.h"
#include "support/workload.h"

struct fixture {
	struct memory_io memory;
	struct faulty_io faulty;
	struct workload workload;
	struct histree_interval *intervals;
	struct reference reference;
};

static void set_up(struct fixture *fixture)
{
	size_t count;
	memory_io_init(&fixture->memory);
	faulty_io_init(&fixture->faulty, &fixture->memory.io);
	assert_true(workload_make(&fixture->workload, &workload_kinds[0], 3));
	fixture->intervals = workload_intervals(&fixture->workload, &count);
	assert_non_null(fixture->intervals);
	assert_true(reference_make(&fixture->reference, fixture->intervals, count, fixture->workload.start,
				   fixture->workload.end, fixture->workload.key_count));
}

static void tear_down(struct fixture *fixture)
{
	reference_release(&fixture->reference);
	free(fixture->intervals);
	workload_release(&fixture->workload);
	memory_io_release(&fixture->memory);
}

static enum histree_status build(struct fixture *fixture, const char *variant, struct histree_error *error)
{
	const struct histree_tree_options asked = { .variant = variant, .node_size = 4096, .fan_out = 3 };
	return tree_file_write(&fixture->faulty.io, "f", &asked, &fixture->reference, fixture->intervals, error);
}

static void assert_clear_error(enum histree_status status, const struct histree_error *error)
{
	assert_int_equal(status, HISTREE_ERR_IO);
	assert_int_equal(error->status, HISTREE_ERR_IO);
	if (strstr(error->message, "'f'") == NULL || strstr(error->message, strerror(5)) == NULL)
		fail_msg("the message does not say which file or why: %s", error->message);
}

TEST(every_operation_of_a_build_may_fail)
{
	for (size_t i = 0; tree_variants[i] != NULL; i++)
		for (int for_ever = 0; for_ever < 2; for_ever++) {
			struct fixture fixture;
			set_up(&fixture);
			enum histree_status status = HISTREE_ERR_IO;
			uint64_t failures = 0;
			while (status != HISTREE_OK) {
				struct histree_error error = { 0 };
				fixture.faulty.operations = 0;
				fixture.faulty.fail_at = ++failures;
				fixture.faulty.for_ever = for_ever != 0;
				status = build(&fixture, tree_variants[i]->name, &error);
				if (status == HISTREE_OK)
					break;
				assert_clear_error(status, &error);
				assert_null(memory_io_find(&fixture.memory, "f"));
			}
			assert_true(failures > 12);
			assert_non_null(memory_io_find(&fixture.memory, "f"));
			tear_down(&fixture);
		}
}

/* Open, verify, ask for all and for some; `why` says what went wrong where nothing may. */
static enum histree_status use(struct fixture *fixture, const char **why, struct histree_error *error)
{
	struct tree_file tree;
	struct subject subject;
	struct answer answer;
	*why = NULL;
	enum histree_status status = tree_file_open(&fixture->faulty.io, "f", 1, &tree, error);
	if (status != HISTREE_OK)
		return status;
	status = tree_verify(tree.reader, NULL, NULL, error);
	if (status == HISTREE_OK)
		status = tree_file_subject(&tree, &subject, error);
	if (status == HISTREE_OK) {
		assert_true(answer_make(&answer, &fixture->reference));
		const struct histree_region all = { .from = fixture->reference.start,
						    .to = fixture->reference.end };
		*why = reference_compare(&fixture->reference, &answer, &subject, &all, 0);
		answer_release(&answer);
		tree_iter_free(subject.query);
	}
	tree_file_close(&tree);
	return status;
}

TEST(every_operation_of_a_query_may_fail)
{
	for (size_t i = 0; tree_variants[i] != NULL; i++) {
		struct fixture fixture;
		struct histree_error error = { 0 };
		set_up(&fixture);
		assert_ok(build(&fixture, tree_variants[i]->name, &error));
		uint64_t failures = 0, in_queries = 0;
		for (;;) {
			const char *why;
			fixture.faulty.operations = 0;
			fixture.faulty.fail_at = ++failures;
			enum histree_status status = use(&fixture, &why, &error);
			if (status != HISTREE_OK) {
				assert_clear_error(status, &error);
			} else if (why != NULL) {
				assert_non_null(strstr(why, "status -3: 'f': node ")); /* HISTREE_ERR_IO */
				in_queries++;
			} else {
				break;
			}
		}
		assert_true(failures > fixture.faulty.operations);
		assert_true(in_queries > 3);
		tear_down(&fixture);
	}
}

TEST(short_and_interrupted_transfers_change_nothing)
{
	for (size_t i = 0; tree_variants[i] != NULL; i++) {
		struct fixture fixture;
		struct histree_error error = { 0 };
		const char *why;
		set_up(&fixture);
		assert_ok(build(&fixture, tree_variants[i]->name, &error));
		struct memory_file *file = memory_io_find(&fixture.memory, "f");
		size_t size = file->size;
		uint8_t *bytes = malloc(size);
		assert_non_null(bytes);
		memcpy(bytes, file->bytes, size);
		fixture.memory.io.unlink(&fixture.memory, "f");

		fixture.faulty.short_transfers = true;
		assert_ok(build(&fixture, tree_variants[i]->name, &error));
		file = memory_io_find(&fixture.memory, "f");
		assert_int_equal(file->size, size);
		assert_memory_equal(file->bytes, bytes, size);
		assert_ok(use(&fixture, &why, &error));
		assert_null(why);
		free(bytes);
		tear_down(&fixture);
	}
}

static ssize_t write_nothing(void *context, int file, const void *bytes, size_t size, off_t offset)
{
	(void)context, (void)file, (void)bytes, (void)size, (void)offset;
	return 0;
}

TEST(a_system_that_takes_no_bytes_is_not_asked_for_ever)
{
	struct fixture fixture;
	struct histree_error error;
	set_up(&fixture);
	fixture.faulty.io.pwrite = write_nothing;
	assert_int_equal(build(&fixture, "esht", &error), HISTREE_ERR_IO);
	assert_null(memory_io_find(&fixture.memory, "f"));
	tear_down(&fixture);
}

/* ---- the whole way, with a real file that may not grow ------------------------------------------------- */

static enum histree_status build_history(const char *path, const struct workload *workload,
					 struct histree_error *error)
{
	struct histree_state_system *system;
	const struct histree_history_options options = { .path = path,
							 .provider = "full",
							 .start = workload->start,
							 .tree = { .node_size = 4096, .fan_out = 3 } };
	enum histree_status status = histree_state_create(&options, &system, error);
	if (status != HISTREE_OK)
		return status;
	for (histree_quark key = 0; status == HISTREE_OK && key < workload->key_count; key++) {
		char name[16];
		histree_quark quark;
		snprintf(name, sizeof(name), "%u", key);
		status = histree_state_attribute(system, HISTREE_ROOT, name, &quark, error);
	}
	for (size_t i = 0; status == HISTREE_OK && i < workload->count; i++)
		status = histree_state_modify(system, workload->changes[i].at, workload->changes[i].quark,
					      workload->changes[i].value, error);
	if (status == HISTREE_OK)
		status = histree_state_close(system, workload->end, error);
	histree_state_free(system);
	return status;
}

TEST(a_full_disk_leaves_no_file)
{
	struct fixture fixture;
	char path[64];
	struct rlimit before;
	set_up(&fixture);
	snprintf(path, sizeof(path), "test_io_fault.%ld.sht", (long)getpid());
	unlink(path);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
	void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
	enum histree_status status = HISTREE_ERR_IO;
	unsigned failures = 0;
	for (rlim_t limit = 0; status != HISTREE_OK; limit += 3001) {
		struct histree_error error = { 0 };
		struct rlimit full = before;
		full.rlim_cur = limit;
		assert_int_equal(setrlimit(RLIMIT_FSIZE, &full), 0);
		status = build_history(path, &fixture.workload, &error);
		assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
		if (status == HISTREE_OK)
			break;
		failures++;
		assert_int_equal(status, HISTREE_ERR_IO);
		assert_non_null(strstr(error.message, path));
		assert_int_equal(access(path, F_OK), -1);
	}
	signal(SIGXFSZ, handler);
	assert_true(failures > 5);
	struct histree_history *history;
	assert_ok(histree_history_open(path, NULL, &history, NULL));
	assert_ok(histree_history_verify(history, NULL, NULL, NULL));
	assert_int_equal(histree_history_info(history)->interval_count, fixture.reference.count);
	histree_history_close(history);
	unlink(path);
	tear_down(&fixture);
}
