// SPDX-License-Identifier: MIT
/*
 * test_export_faults.c - files for viewers, and CSV, while memory is refused and file calls fail: each once, and
 * all after it.
 *
 * Whatever fails, the call says so, an older file stays as it was, nothing half written is left, and nothing leaks
 * (AddressSanitizer looks).  What did not fail has the bytes that it has when nothing does.
 */
#include "export/csv/csv_export.h"
#include "export/viewer/viewer_export.h"
#include "histree/states.h"
#include "support/effort.h"
#include "support/faulty_io.h"
#include "support/faulty_memory.h"
#include "support/memory_history.h"
#include "support/test.h"

static const char old_bytes[] = "what was there";

struct fixture;
typedef enum histree_status exporter(struct fixture *fixture, const struct io *io, struct histree_error *error);

struct fixture {
	struct memory_io memory, files; /* of the history; of what is exported */
	struct workload workload;
	struct histree_history *history;
	exporter *export;
	uint8_t *whole; /* what is written when nothing fails */
	size_t size;
};

/* ---- what is exported ------------------------------------------------------------------------------------- */

static enum histree_status export_viewer(struct fixture *fixture, const struct io *io,
					 enum histree_viewer_format format, struct histree_error *error)
{
	const struct histree_history_info *info = histree_history_info(fixture->history);
	const struct histree_viewer_request request = { .format = format,
							.from = info->start,
							.to = info->end,
							.origin = info->start,
							.history = fixture->history };
	return viewer_export(&request, io, "out", error);
}

static enum histree_status export_chrome(struct fixture *fixture, const struct io *io, struct histree_error *error)
{
	return export_viewer(fixture, io, HISTREE_VIEWER_CHROME, error);
}

static enum histree_status export_perfetto(struct fixture *fixture, const struct io *io,
					   struct histree_error *error)
{
	return export_viewer(fixture, io, HISTREE_VIEWER_PERFETTO, error);
}

static enum histree_status export_csv(struct fixture *fixture, const struct io *io, struct histree_error *error)
{
	static const struct histree_csv_options options;
	const struct histree_history_info *info = histree_history_info(fixture->history);
	const struct histree_region all = { .from = info->start, .to = info->end };
	struct export_output output;
	struct ArrowArrayStream stream;
	enum histree_status status = export_output_open(&output, io, "out", error);
	if (status != HISTREE_OK)
		return status;
	status = histree_query_arrow(fixture->history, &all, NULL, &stream, error);
	if (status == HISTREE_OK) {
		status = csv_export(&stream, &output, &options, error);
		stream.release(&stream);
	}
	return export_output_finish(&output, status, error);
}

/* ---- the world -------------------------------------------------------------------------------------------- */

static void set_up(struct fixture *fixture, exporter *export)
{
	static const struct workload_kind kind = {
		.name = "small", .key_count = 12, .changes = 400, .start = 100, .step_max = 50, .text_size_max = 60
	};
	const struct histree_tree_options tree = { .node_size = 4096, .fan_out = 4 };
	struct histree_error error;
	*fixture = (struct fixture){ .export = export };
	memory_io_init(&fixture->memory);
	memory_io_init(&fixture->files);
	assert_true(workload_make(&fixture->workload, &kind, test_seed()));
	assert_int_equal(memory_history_build(&fixture->memory, &tree, &fixture->workload, &error), HISTREE_OK);
	assert_int_equal(memory_history_open(&fixture->memory, "f", false, &fixture->history, &error), HISTREE_OK);
	assert_int_equal(export(fixture, &fixture->files.io, &error), HISTREE_OK);
	const struct memory_file *file = memory_io_find(&fixture->files, "out");
	assert_non_null(file);
	assert_null(memory_io_find(&fixture->files, "out.part"));
	fixture->size = file->size;
	fixture->whole = malloc(file->size);
	assert_non_null(fixture->whole);
	memcpy(fixture->whole, file->bytes, file->size);
}

static void tear_down(struct fixture *fixture)
{
	histree_history_close(fixture->history);
	workload_release(&fixture->workload);
	memory_io_release(&fixture->memory);
	memory_io_release(&fixture->files);
	free(fixture->whole);
}

static void put_old(struct fixture *fixture)
{
	assert_true(memory_io_put(&fixture->files, "out", old_bytes, sizeof(old_bytes)));
}

/* After a call: the new bytes if it succeeded, else the old ones; or the new ones that may be lost again. */
static void check_file(struct fixture *fixture, enum histree_status status)
{
	const struct memory_file *file = memory_io_find(&fixture->files, "out");
	assert_non_null(file);
	assert_null(memory_io_find(&fixture->files, "out.part"));
	if (status != HISTREE_OK && file->size == sizeof(old_bytes)) {
		assert_memory_equal(file->bytes, old_bytes, sizeof(old_bytes));
		return;
	}
	assert_int_equal(file->size, fixture->size);
	assert_memory_equal(file->bytes, fixture->whole, fixture->size);
}

static void fail_io(struct fixture *fixture, bool for_ever)
{
	struct faulty_io faulty;
	enum histree_status status = HISTREE_ERR_IO;
	uint64_t n = 0;
	while (status != HISTREE_OK) {
		struct histree_error error = { 0 };
		faulty_io_init(&faulty, &fixture->files.io);
		faulty.fail_at = ++n;
		faulty.for_ever = for_ever;
		faulty.short_transfers = n % 2 == 0;
		put_old(fixture);
		status = fixture->export(fixture, &faulty.io, &error);
		if (status != HISTREE_OK) {
			assert_int_equal(status, HISTREE_ERR_IO);
			assert_int_equal(error.status, HISTREE_ERR_IO);
			assert_true(strlen(error.message) > 0);
		}
		check_file(fixture, status);
	}
	assert_true(n >= 5); /* open, write, sync, rename, and the folder */
}

static void fail_memory(struct fixture *fixture, bool for_ever)
{
	enum histree_status status = HISTREE_ERR_MEMORY;
	uint64_t n = 0;
	for (bool refused = true; refused;) {
		struct histree_error error = { 0 };
		put_old(fixture);
		faulty_memory_begin(++n, for_ever);
		status = fixture->export(fixture, &fixture->files.io, &error);
		refused = faulty_memory.refused;
		faulty_memory_end();
		if (status != HISTREE_OK) {
			assert_true(status == HISTREE_ERR_MEMORY || status == HISTREE_ERR_IO);
			assert_true(strlen(error.message) > 0);
		}
		check_file(fixture, status);
	}
	assert_int_equal(status, HISTREE_OK);
	assert_true(n > 20);
}

static void check_all(exporter *export)
{
	struct fixture fixture;
	set_up(&fixture, export);
	fail_io(&fixture, false);
	fail_io(&fixture, true);
	fail_memory(&fixture, false);
	fail_memory(&fixture, true);
	tear_down(&fixture);
}

TEST(test_chrome)
{
	check_all(export_chrome);
}

TEST(test_perfetto)
{
	check_all(export_perfetto);
}

TEST(test_csv)
{
	check_all(export_csv);
}
