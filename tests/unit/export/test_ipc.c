// SPDX-License-Identifier: MIT
/*
 * test_ipc.c - Arrow IPC of streams that are not ours: what is refused, what is told, where the bytes go.
 *
 * What the bytes say is read by others in tests/export.
 */
#include <fcntl.h>

#include "base/bytes.h"
#include "export/export_output.h"
#include "support/foreign_stream.h"
#include "support/memory_io.h"
#include "support/test.h"

static const char old_bytes[] = "old";

/* Export into a file in memory that has old bytes, and look whether all was released. */
static enum histree_status export(struct memory_io *files, const struct foreign_options *foreign,
				  const struct histree_ipc_options *options, struct histree_error *error) {
	struct ArrowArrayStream stream = foreign_stream(foreign);
	assert_true(memory_io_put(files, "out", old_bytes, sizeof(old_bytes)));
	enum histree_status status = ipc_export(&files->io, &stream, "out", options, error);
	assert_null(stream.release);
	assert_int_equal(foreign_batches, 0);
	assert_null(memory_io_find(files, "out.part"));
	return status;
}

static void assert_refused(const struct foreign_options *foreign, const struct histree_ipc_options *options,
			   enum histree_status expected, const char *sentence)
{
	struct memory_io files;
	struct histree_error error = { 0 };
	memory_io_init(&files);
	assert_int_equal(export(&files, foreign, options, &error), expected);
	if (strstr(error.message, sentence) == NULL)
		fail_msg("'%s' does not say '%s'", error.message, sentence);
	const struct memory_file *file = memory_io_find(&files, "out");
	assert_int_equal(file->size, sizeof(old_bytes));
	assert_memory_equal(file->bytes, old_bytes, sizeof(old_bytes));
	memory_io_release(&files);
}

TEST(test_refused)
{
	static const char *const formats[] = { "+l", "d:10,2", "z", "U", "tsx:", "ts", "tsn", "n", "vu", "" };
	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++)
		assert_refused(&(struct foreign_options){ .format = formats[i] }, NULL, HISTREE_ERR_ARGUMENT,
			       "column 'more' is of a type that cannot be written");
	assert_refused(&(struct foreign_options){ .batches = 3, .has_null_rows = true }, NULL, HISTREE_ERR_ARGUMENT,
		       "null as a whole");
	assert_refused(&(struct foreign_options){ .batches = 3, .loses_column = true }, NULL, HISTREE_ERR_ARGUMENT,
		       "a batch has 17 columns; its schema has 18");
	assert_refused(&(struct foreign_options){ .batches = 3, .fail_at = 2 }, NULL, HISTREE_ERR_IO,
		       "the well is dry");
	assert_refused(&(struct foreign_options){ .batches = 3, .replaces = true }, NULL, HISTREE_ERR_ARGUMENT,
		       "write it as a stream");
	if (histree_export_has_zstd())
		assert_refused(&(struct foreign_options){ .batches = 3 },
			       &(struct histree_ipc_options){ .is_compressed = true, .level = 20 },
			       HISTREE_ERR_ARGUMENT, "level 20");
	else
		assert_refused(&(struct foreign_options){ .batches = 3 },
			       &(struct histree_ipc_options){ .is_compressed = true }, HISTREE_ERR_ARGUMENT,
			       "libzstd-dev");
}

static bool never(void *context)
{
	return --*(int *)context >= 0;
}

TEST(test_cancel)
{
	int left = 2;
	assert_refused(&(struct foreign_options){ .batches = 5 },
		       &(struct histree_ipc_options){ .work = { .go_on = never, .context = &left } },
		       HISTREE_ERR_CANCELLED, "no longer wanted");
}

static void count_calls(void *context, const struct histree_progress *now)
{
	unsigned *calls = context;
	++*calls;
	assert_true(now->share < 0 && now->bytes > 0); /* batches may be empty */
}

/* What everybody can see of a file: the magic bytes, the footer's size, and that messages begin where they may. */
TEST(test_frame)
{
	struct memory_io files;
	struct histree_error error;
	struct histree_export_counts counts = { 0 };
	unsigned calls = 0;
	const struct histree_ipc_options options = { .counts = &counts,
						     .work = { .context = &calls, .progress = count_calls } };
	memory_io_init(&files);
	assert_ok(export(&files, &(struct foreign_options){ .batches = 7 }, &options, &error));
	const struct memory_file *file = memory_io_find(&files, "out");
	assert_int_equal(calls, 7);
	assert_int_equal(counts.row_groups, 7);
	assert_int_equal(counts.files, 1);
	assert_int_equal(counts.bytes, file->size);
	assert_memory_equal(file->bytes, "ARROW1\0\0\xff\xff\xff\xff", 12);
	assert_memory_equal(file->bytes + file->size - 6, "ARROW1", 6);
	size_t footer = get_le32(file->bytes + file->size - 10);
	assert_true(footer % 8 == 0 && footer + 10 < file->size);
	/* The first body would begin at a multiple of 64; the end of the stream lies right before the footer. */
	assert_int_equal((8 + 8 + get_le32(file->bytes + 12)) % 64, 0);
	assert_memory_equal(file->bytes + file->size - 10 - footer - 8, "\xff\xff\xff\xff\0\0\0\0", 8);
	memory_io_release(&files);
}

/* A pipe gets what a file gets. */
TEST(test_descriptor)
{
	struct memory_io files;
	struct histree_error error;
	int ends[2];
	const struct foreign_options foreign = { .seed = 3, .batches = 4 };
	struct histree_ipc_options options = { .is_stream = true };
	memory_io_init(&files);
	assert_ok(export(&files, &foreign, &options, &error));
	const struct memory_file *file = memory_io_find(&files, "out");
	assert_int_equal(pipe(ends), 0);
	assert_true(fcntl(ends[1], F_SETPIPE_SZ, 1 << 20) >= (int)file->size);
	options.descriptor = ends[1];
	struct ArrowArrayStream stream = foreign_stream(&foreign);
	assert_ok(histree_export_arrow(&stream, NULL, &options, &error));
	close(ends[1]);
	uint8_t *bytes = malloc(file->size + 1);
	assert_non_null(bytes);
	size_t size = 0;
	ssize_t done;
	while ((done = read(ends[0], bytes + size, file->size + 1 - size)) > 0)
		size += (size_t)done;
	close(ends[0]);
	assert_int_equal(size, file->size);
	assert_memory_equal(bytes, file->bytes, size);
	assert_memory_equal(bytes + size - 8, "\xff\xff\xff\xff\0\0\0\0", 8);
	free(bytes);
	memory_io_release(&files);
}

/* Nothing to read: a file all the same. */
TEST(test_no_batches)
{
	struct memory_io files;
	struct histree_error error;
	memory_io_init(&files);
	assert_ok(export(&files, &(struct foreign_options){ 0 }, NULL, &error));
	assert_memory_equal(memory_io_find(&files, "out")->bytes, "ARROW1", 6);
	memory_io_release(&files);
}
