// SPDX-License-Identifier: MIT
/*
 * test_export_faults.c - files for viewers, of columns, and CSV, while memory is refused and file calls fail: each
 * once, and all after it; and columns of events, which are no file.
 *
 * Whatever fails, the call says so, an older file stays as it was, nothing half written is left, and nothing leaks
 * (AddressSanitizer looks).  What did not fail has the bytes that it has when nothing does.
 */
#include "export/export_output.h"
#include "histree/build.h"
#include "histree/states.h"
#include "support/data.h"
#include "support/effort.h"
#include "support/faulty_io.h"
#include "support/faulty_memory.h"
#include "support/files.h"
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

static enum histree_status export_ipc(struct fixture *fixture, const struct io *io,
				      const struct histree_ipc_options *options, struct histree_error *error)
{
	const struct histree_history_info *info = histree_history_info(fixture->history);
	const struct histree_region all = { .from = info->start, .to = info->end };
	const struct histree_arrow_options columns = { .batch_rows = 100 };
	struct ArrowArrayStream stream;
	enum histree_status status = histree_query_arrow(fixture->history, &all, &columns, &stream, error);
	return status == HISTREE_OK ? ipc_export(io, &stream, "out", options, error) : status;
}

static enum histree_status export_ipc_file(struct fixture *fixture, const struct io *io,
					   struct histree_error *error)
{
	return export_ipc(fixture, io, &(struct histree_ipc_options){ 0 }, error);
}

static enum histree_status export_ipc_stream(struct fixture *fixture, const struct io *io,
					     struct histree_error *error)
{
	return export_ipc(fixture, io, &(struct histree_ipc_options){ .is_stream = true }, error);
}

static enum histree_status export_ipc_compressed(struct fixture *fixture, const struct io *io,
						 struct histree_error *error)
{
	return export_ipc(fixture, io, &(struct histree_ipc_options){ .is_compressed = true }, error);
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
	assert_ok(memory_history_build(&fixture->memory, &tree, &fixture->workload, &error));
	assert_ok(memory_history_open(&fixture->memory, "f", false, &fixture->history, &error));
	assert_ok(export(fixture, &fixture->files.io, &error));
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

static void fail_io(struct fixture *fixture, bool for_ever, uint64_t calls_min)
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
	assert_true(n >= calls_min);
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
	assert_ok(status);
	assert_true(n > 20);
}

static void check_all(exporter *export, uint64_t calls_min)
{
	struct fixture fixture;
	set_up(&fixture, export);
	fail_io(&fixture, false, calls_min);
	fail_io(&fixture, true, calls_min);
	fail_memory(&fixture, false);
	fail_memory(&fixture, true);
	tear_down(&fixture);
}

enum { CALLS_OF_ONE_WRITE = 5 /* open, write, sync, rename, and the folder */ };

TEST(test_chrome)
{
	check_all(export_chrome, CALLS_OF_ONE_WRITE);
}

TEST(test_perfetto)
{
	check_all(export_perfetto, CALLS_OF_ONE_WRITE);
}

TEST(test_csv)
{
	check_all(export_csv, CALLS_OF_ONE_WRITE);
}

TEST(test_ipc_file)
{
	check_all(export_ipc_file, CALLS_OF_ONE_WRITE + 1);
}

TEST(test_ipc_stream)
{
	check_all(export_ipc_stream, CALLS_OF_ONE_WRITE + 1);
}

TEST(test_ipc_compressed)
{
	if (!histree_export_has_zstd())
		skip();
	check_all(export_ipc_compressed, CALLS_OF_ONE_WRITE + 1);
}

/* Writes that do a part only, and are interrupted. */
TEST(test_short_transfers)
{
	struct fixture fixture;
	struct faulty_io faulty;
	struct histree_error error;
	set_up(&fixture, export_ipc_file);
	faulty_io_init(&faulty, &fixture.files.io);
	faulty.short_transfers = true;
	enum histree_status status = export_ipc_file(&fixture, &faulty.io, &error);
	assert_ok(status);
	check_file(&fixture, status);
	tear_down(&fixture);
}

/* ---- events of one type --------------------------------------------------------------------------------- */

/* Returns how many rows there are of a type, each field a column. */
static enum histree_status read_events(const struct histree_events *events, int64_t *rows,
				       struct histree_error *error)
{
	const struct histree_arrow_options options = { .batch_rows = 50, .where = "type == 'sched:sched_switch'" };
	struct ArrowArrayStream stream;
	struct ArrowArray batch = { .length = 0 };
	int failed = 0;
	*rows = 0;
	enum histree_status status = histree_events_arrow(events, INT64_MIN, INT64_MAX, &options, &stream, error);
	if (status != HISTREE_OK)
		return status;
	while ((failed = stream.get_next(&stream, &batch)) == 0 && batch.release != NULL) {
		*rows += batch.length;
		batch.release(&batch);
	}
	stream.release(&stream);
	return failed == 0 ? HISTREE_OK : HISTREE_ERR_MEMORY;
}

static void fail_events(const struct histree_events *events, int64_t wanted, bool for_ever)
{
	struct histree_error error;
	enum histree_status status = HISTREE_ERR_MEMORY;
	int64_t rows = 0;
	uint64_t n = 0;
	/* Once the trace is open, what fails is ours, but opening it takes many steps of the same kind. */
	const uint64_t step = test_effort(1, 7);
	for (bool refused = true; refused; n += step) {
		faulty_memory_begin(n + 1, for_ever);
		status = read_events(events, &rows, &error);
		refused = faulty_memory.refused;
		faulty_memory_end();
		assert_true(status == HISTREE_OK ? rows == wanted : status < 0);
	}
	assert_ok(status);
	assert_true(n > 50);
}

TEST(test_events)
{
	char folder[] = "/tmp/histree-columns-XXXXXX", trace[DATA_PATH_SIZE], path[64];
	struct histree_error error;
	struct histree_store *store;
	struct histree_events *events;
	int64_t rows;
	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/s.histree", folder);
	source_path(trace, "tests/data/demo-trace");
	const struct histree_build_options options = { .traces = (const char *[]){ trace },
						       .trace_count = 1,
						       .store = path };
	assert_true(histree_build(&options, &error) >= 0);
	assert_ok(histree_store_open(path, &store, &error));
	assert_ok(histree_events_open(store, &events, &error));
	assert_ok(read_events(events, &rows, &error));
	assert_true(rows > 100);
	fail_events(events, rows, false);
	fail_events(events, rows, true);
	histree_events_close(events);
	histree_store_close(store);
	remove_all("%s", folder);
}
