// SPDX-License-Identifier: MIT
/*
 * test_load.c - whatever fails while texts are loaded, nothing is left of it, and a store that was there stays.
 */
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "histree/states.h"
#include "histree/store.h"
#include "pipeline/load/load.h"
#include "support/data.h"
#include "support/effort.h"
#include "support/faulty_io.h"
#include "support/test.h"

enum { ROWS = 30000 };

struct world {
	char folder[64], text[96], segments[96], pipe[96], store[96];
	const char *files[1];
	struct histree_load_options options;
	unsigned looks;
};

static void write_rows(FILE *file)
{
	for (int i = 0; i < ROWS; i++)
		fprintf(file, "%d\tThreads/%d/Status\t%d\n", 1000 + i * 7919 % ROWS, i % 50, i % 5);
}

static int set_up(void **state)
{
	struct world *world = calloc(1, sizeof(*world));
	scratch_folder(world->folder, sizeof(world->folder));
	snprintf(world->text, sizeof(world->text), "%s/text", world->folder);
	snprintf(world->segments, sizeof(world->segments), "%s/segments", world->folder);
	snprintf(world->pipe, sizeof(world->pipe), "%s/pipe", world->folder);
	snprintf(world->store, sizeof(world->store), "%s/s", world->folder);
	FILE *file = fopen(world->text, "w");
	fputs("time\tpath\tvalue\n", file);
	write_rows(file);
	fclose(file);
	file = fopen(world->segments, "w");
	fputs("start,end,name,size\n", file);
	for (int i = 0; i < ROWS; i++)
		fprintf(file, "%d,%d,call%d,%d\n", i * 7919 % ROWS, i * 7919 % ROWS + i % 90, i % 4, i);
	fclose(file);
	world->files[0] = world->text;
	world->options = (struct histree_load_options){
		.files = world->files, .file_count = 1, .store = world->store, .tree = { .memory_max = 1 << 20 }
	};
	*state = world;
	return 0;
}

static bool is_there(const struct world *world, const char *suffix)
{
	char name[128];
	struct stat facts;
	snprintf(name, sizeof(name), "%s%s", world->store, suffix);
	return lstat(name, &facts) == 0;
}

static void whatever_fails_nothing_is_left(struct world *world)
{
	uint64_t failures = 0;
	enum histree_status status = HISTREE_ERR_IO;
	for (uint64_t at = 1; status != HISTREE_OK; at += test_effort(1, 3)) {
		struct faulty_io faulty;
		struct histree_error error = { 0 };
		faulty_io_init(&faulty, &io_posix);
		faulty.fail_at = at;
		status = pipeline_load(&world->options, &faulty.io, NULL, &error);
		assert_true(status == HISTREE_OK || (status == HISTREE_ERR_IO && error.message[0] != '\0'));
		assert_int_equal(is_there(world, ""), status == HISTREE_OK);
		assert_false(is_there(world, ".building"));
		failures += status != HISTREE_OK;
	}
	assert_true(failures > 10);
}

TEST_WITH(of_changes, set_up, scratch_remove_world)
{
	whatever_fails_nothing_is_left(*state);
}

TEST_WITH(of_segments, set_up, scratch_remove_world)
{
	struct world *world = *state;
	world->files[0] = world->segments;
	whatever_fails_nothing_is_left(world);
}

TEST_WITH(a_text_that_is_wrong_leaves_the_store, set_up, scratch_remove_world)
{
	struct world *world = *state;
	struct histree_load_result result;
	struct histree_error error;
	assert_ok(histree_load(&world->options, &result, &error));
	assert_int_equal(result.rows, ROWS);
	assert_true(result.sorted_bytes > 0);
	assert_int_equal(histree_load(&world->options, NULL, &error), HISTREE_ERR_EXISTS);
	FILE *file = fopen(world->text, "a");
	fputs("soon\tA\t1\n", file);
	fclose(file);
	world->options.force = true;
	assert_int_equal(histree_load(&world->options, NULL, &error), HISTREE_ERR_FORMAT);
	assert_non_null(strstr(error.message, "line 30002, column 1 (time): 'soon'"));
	struct histree_store *store;
	assert_ok(histree_store_open(world->store, &store, &error));
	assert_true(histree_store_info(store)->complete);
	histree_store_close(store);
}

TEST_WITH(a_pipe_is_read_to_its_end, set_up, scratch_remove_world)
{
	struct world *world = *state;
	assert_int_equal(mkfifo(world->pipe, 0600), 0);
	pid_t writer = fork();
	if (writer == 0) {
		FILE *file = fopen(world->pipe, "w");
		write_rows(file);
		_exit(fclose(file) == 0 ? 0 : 1);
	}
	struct histree_load_result result;
	struct histree_error error = { 0 };
	world->files[0] = world->pipe;
	world->options.columns = "time,path,value";
	if (histree_load(&world->options, &result, &error) != HISTREE_OK)
		fail_msg("%s", error.message);
	assert_int_equal(result.rows, ROWS);
	int status;
	assert_int_equal(waitpid(writer, &status, 0), writer);
}

static bool goes_on_a_little(void *context)
{
	struct world *world = context;
	return world->looks-- > 0;
}

TEST_WITH(what_is_not_wanted_any_more_leaves_nothing, set_up, scratch_remove_world)
{
	struct world *world = *state;
	world->options.work = (struct histree_work){ .go_on = goes_on_a_little, .context = world };
	for (unsigned looks = 0; looks < 10; looks += 3) {
		world->looks = looks;
		assert_int_equal(histree_load(&world->options, NULL, NULL), HISTREE_ERR_CANCELLED);
		assert_false(is_there(world, ""));
		assert_false(is_there(world, ".building"));
	}
}
