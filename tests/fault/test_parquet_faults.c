// SPDX-License-Identifier: MIT
/*
 * test_parquet_faults.c - a Parquet file, or a folder of them, is whole or is not there: whichever file operation
 * or allocation fails, whatever the stream says, and whenever the caller has had enough.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>

#include "base/hash_index.h"
#include "export/export_output.h"
#include "support/effort.h"
#include "support/faulty_io.h"
#include "support/faulty_memory.h"
#include "support/files.h"
#include "support/random_columns.h"
#include "support/test.h"

enum { ROWS = 1500, SEED = 11 };

static char folder[64];

static struct histree_parquet_options options_of(struct histree_export_counts *counts)
{
	return (struct histree_parquet_options){ .row_group_rows = 400, .page_rows = 150, .counts = counts };
}

static void open_stream(struct ArrowArrayStream *stream)
{
	assert_true(random_columns_open(stream, SEED, ROWS, NULL));
}

/* A stream whose batches are there before it is asked for them. */
struct recording {
	struct ArrowSchema schema;
	struct ArrowArray batches[64];
	size_t count, next;
};

static int play_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out)
{
	struct recording *recording = stream->private_data;
	*out = recording->schema;
	recording->schema.release = NULL;
	return 0;
}

static int play_next(struct ArrowArrayStream *stream, struct ArrowArray *out)
{
	struct recording *recording = stream->private_data;
	*out = recording->next < recording->count ? recording->batches[recording->next] : (struct ArrowArray){ 0 };
	recording->next += recording->next < recording->count;
	return 0;
}

static void play_end(struct ArrowArrayStream *stream)
{
	struct recording *recording = stream->private_data;
	if (recording->schema.release != NULL)
		recording->schema.release(&recording->schema);
	for (size_t i = recording->next; i < recording->count; i++)
		recording->batches[i].release(&recording->batches[i]);
	stream->release = NULL;
}

static void play(struct ArrowArrayStream *stream, struct recording *recording)
{
	struct ArrowArrayStream recorded;
	*recording = (struct recording){ 0 };
	open_stream(&recorded);
	assert_int_equal(recorded.get_schema(&recorded, &recording->schema), 0);
	for (;;) {
		struct ArrowArray batch;
		assert_int_equal(recorded.get_next(&recorded, &batch), 0);
		if (batch.release == NULL)
			break;
		assert_true(recording->count < 64);
		recording->batches[recording->count++] = batch;
	}
	recorded.release(&recorded);
	*stream = (struct ArrowArrayStream){
		.get_schema = play_schema, .get_next = play_next, .release = play_end, .private_data = recording
	};
}

/* Returns how many names a folder has, at any depth, and puts the last into `name` unless that is NULL. */
static unsigned count_names(const char *path, char *name)
{
	unsigned count = 0;
	DIR *opened = opendir(path);
	const struct dirent *entry;
	while (opened != NULL && (entry = readdir(opened)) != NULL) {
		char inside[512];
		if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
			continue;
		snprintf(inside, sizeof(inside), "%s/%s", path, entry->d_name);
		count += 1 + count_names(inside, name);
		if (name != NULL)
			snprintf(name, 256, "%.255s", entry->d_name);
	}
	if (opened != NULL)
		closedir(opened);
	return count;
}

static char *read_file(const char *path, size_t *size)
{
	FILE *file = fopen(path, "r");
	char *bytes = malloc(1 << 20);
	assert_true(file != NULL && bytes != NULL);
	*size = fread(bytes, 1, 1 << 20, file);
	fclose(file);
	return bytes;
}

/* ---- one file ---------------------------------------------------------------------------------------------- */

static enum histree_status write_file(const struct io *io, const char *path, struct histree_error *error)
{
	struct histree_export_counts counts;
	const struct histree_parquet_options options = options_of(&counts);
	struct ArrowArrayStream stream;
	open_stream(&stream);
	enum histree_status status = parquet_export(&stream, io, path, &options, error);
	assert_null(stream.release); /* consumed, whatever happened */
	return status;
}

TEST(a_file_is_the_old_one_or_the_new_one)
{
	char path[128];
	size_t size, new_size;
	struct faulty_io faulty;
	struct histree_error error;
	snprintf(path, sizeof(path), "%s/x.parquet", folder);
	assert_ok(write_file(&io_posix, path, &error));
	char *whole = read_file(path, &size);
	assert_true(size > 8 && memcmp(whole, "PAR1", 4) == 0 && memcmp(whole + size - 4, "PAR1", 4) == 0);

	for (uint64_t at = 1;; at++) {
		FILE *old = fopen(path, "w");
		assert_non_null(old);
		fputs("an older one", old);
		fclose(old);
		faulty_io_init(&faulty, &io_posix);
		faulty.fail_at = at;
		faulty.for_ever = at % 2 == 0;
		faulty.short_transfers = at % 3 == 0;
		enum histree_status status = write_file(&faulty.io, path, &error);
		char *bytes = read_file(path, &new_size);
		bool is_old = new_size == strlen("an older one");
		assert_true(is_old || (new_size == size && memcmp(bytes, whole, size) == 0));
		free(bytes);
		assert_int_equal(count_names(folder, NULL), 1);
		if (faulty.operations < at) {
			assert_ok(status);
			assert_true(at > 30); /* there were writes to fail */
			break;
		}
		assert_true(status == HISTREE_ERR_IO && error.message[0] != '\0');
	}
	free(whole);
	unlink(path);
}

TEST(memory_that_is_out_is_said)
{
	char path[128];
	struct histree_error error;
	snprintf(path, sizeof(path), "%s/x.parquet", folder);
	uint64_t step = test_effort(7, 60);
	for (uint64_t at = 1;; at += step) {
		struct histree_export_counts counts;
		const struct histree_parquet_options options = options_of(&counts);
		struct ArrowArrayStream stream;
		struct recording recording;
		play(&stream, &recording); /* what a stream allocates is no part of what is tested */
		faulty_memory_begin(at, at % 2 == 0);
		enum histree_status status = histree_export_parquet(&stream, path, &options, &error);
		bool refused = faulty_memory.refused;
		faulty_memory_end();
		assert_true(status == HISTREE_OK || status == HISTREE_ERR_MEMORY);
		/* A file that has its name is whole, even if bringing the name to disk failed. */
		char name[256] = "x.parquet";
		unsigned names = count_names(folder, name);
		assert_true(names == 1 || (names == 0 && status != HISTREE_OK));
		assert_string_equal(name, "x.parquet");
		unlink(path);
		if (!refused) {
			assert_ok(status);
			assert_true(at > 100);
			break;
		}
	}
}

TEST(a_stream_that_fails_is_heard)
{
	char path[128];
	snprintf(path, sizeof(path), "%s/x.parquet", folder);
	for (unsigned batch = 1; batch < 4; batch++) {
		struct ArrowArrayStream stream;
		struct histree_error error;
		open_stream(&stream);
		random_columns_fail_at(&stream, batch);
		assert_int_equal(histree_export_parquet(&stream, path, NULL, &error), HISTREE_ERR_IO);
		assert_string_equal(error.message, "the stream was told to fail");
		assert_int_equal(count_names(folder, NULL), 0);
	}
}

static bool go_on(void *context)
{
	unsigned *left = context;
	return (*left)-- > 0;
}

TEST(a_file_that_is_not_wanted_is_not_there)
{
	char path[128];
	snprintf(path, sizeof(path), "%s/x.parquet", folder);
	for (unsigned asked = 0; asked < 60; asked += 7) {
		unsigned left = asked;
		struct ArrowArrayStream stream;
		struct histree_error error;
		struct histree_parquet_options options = options_of(NULL);
		options.work = (struct histree_work){ .go_on = go_on, .context = &left };
		open_stream(&stream);
		assert_int_equal(histree_export_parquet(&stream, path, &options, &error), HISTREE_ERR_CANCELLED);
		assert_int_equal(count_names(folder, NULL), 0);
	}
}

TEST(a_pipe_may_be_full_or_closed)
{
	struct histree_error error;
	struct histree_parquet_options options = options_of(NULL);
	struct ArrowArrayStream stream;
	int ends[2];
	options.descriptor = open("/dev/full", O_WRONLY);
	assert_true(options.descriptor >= 0);
	open_stream(&stream);
	assert_int_equal(histree_export_parquet(&stream, NULL, &options, &error), HISTREE_ERR_IO);
	assert_non_null(strstr(error.message, strerror(ENOSPC)));
	close(options.descriptor);

	signal(SIGPIPE, SIG_IGN);
	assert_int_equal(pipe(ends), 0);
	close(ends[0]);
	options.descriptor = ends[1];
	open_stream(&stream);
	assert_int_equal(histree_export_parquet(&stream, NULL, &options, &error), HISTREE_ERR_IO);
	assert_non_null(strstr(error.message, strerror(EPIPE)));
	close(ends[1]);
}

/* ---- a folder ---------------------------------------------------------------------------------------------- */

static enum histree_status write_folder(const struct io *io, bool replace, struct histree_error *error)
{
	char path[128];
	struct ArrowArrayStream stream;
	const struct histree_partition_options options = {
		.analysis = "kernel", .slice = HISTREE_SLICE_DAY, .replace = replace, .file = options_of(NULL)
	};
	snprintf(path, sizeof(path), "%s/out", folder);
	/* Of this seed all starts are of a few days. */
	assert_true(random_columns_open(&stream, 10, ROWS, NULL));
	enum histree_status status = parquet_export_partitions(&stream, io, path, &options, error);
	assert_null(stream.release);
	return status;
}

static void remove_what_was_written(void)
{
	remove_all("%s/out", folder);
}

TEST(a_folder_appears_when_it_is_whole)
{
	char out[128], name[256] = "";
	struct faulty_io faulty;
	struct histree_error error;
	snprintf(out, sizeof(out), "%s/out", folder);
	assert_ok(write_folder(&io_posix, false, &error));
	unsigned names = count_names(out, name);
	assert_string_equal(name, "analysis=kernel");
	assert_true(names >= 3);
	assert_int_equal(write_folder(&io_posix, false, &error), HISTREE_ERR_EXISTS);
	assert_int_equal(count_names(out, NULL), names);
	assert_ok(write_folder(&io_posix, true, &error));
	assert_int_equal(count_names(out, name), names);
	remove_what_was_written();

	uint64_t at = 1, step = test_effort(2, 17);
	for (bool failed = true; failed; at += step) {
		faulty_io_init(&faulty, &io_posix);
		faulty.fail_at = at;
		enum histree_status status = write_folder(&faulty.io, false, &error);
		failed = faulty.operations >= at;
		assert_int_equal(status, failed ? HISTREE_ERR_IO : HISTREE_OK);
		name[0] = '\0';
		unsigned there = count_names(out, name);
		/* After the name is given only bringing it to disk can fail. */
		assert_true(there == 0 || (there == names && strcmp(name, "analysis=kernel") == 0));
		remove_what_was_written();
	}
	assert_true(at > 20);
}

TEST(what_a_killed_run_has_left_goes)
{
	char command[512], name[256];
	struct histree_error error;
	snprintf(command, sizeof(command),
		 "mkdir -p '%s/out/.analysis=kernel.part/day=2026-11-23' && "
		 "touch '%s/out/.analysis=kernel.part/day=2026-11-23/part-0.parquet.part'",
		 folder, folder);
	assert_int_equal(system(command), 0);
	assert_ok(write_folder(&io_posix, false, &error));
	snprintf(command, sizeof(command), "%s/out", folder);
	count_names(command, name);
	assert_string_equal(name, "analysis=kernel");
	remove_what_was_written();
}

TEST(what_cannot_be_written_is_refused)
{
	struct ArrowArrayStream stream;
	struct histree_error error;
	struct histree_parquet_options options = { .level = 20 };
	struct histree_partition_options parts = { .analysis = "a/b" };
	open_stream(&stream);
	assert_int_equal(histree_export_parquet(&stream, "/dev/null", &options, &error), HISTREE_ERR_ARGUMENT);
	options = (struct histree_parquet_options){ .row_group_rows = UINT32_MAX };
	open_stream(&stream);
	assert_int_equal(histree_export_parquet(&stream, "/dev/null", &options, &error), HISTREE_ERR_ARGUMENT);
	open_stream(&stream);
	assert_int_equal(histree_export_partitions(&stream, folder, &parts, &error), HISTREE_ERR_ARGUMENT);
	assert_int_equal(count_names(folder, NULL), 0);
}

static int make_folder(void **state)
{
	(void)state;
	snprintf(folder, sizeof(folder), "/tmp/histree-parquet-XXXXXX");
	return mkdtemp(folder) == NULL;
}

static int remove_empty_folder(void **state)
{
	(void)state;
	return rmdir(folder);
}

TEST_FILE(make_folder, remove_empty_folder)
