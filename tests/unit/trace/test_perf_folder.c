// SPDX-License-Identifier: MIT
/*
 * test_perf_folder.c - folders of perf record --threads: what is in them, cut, changed, missing, or fails to be
 * read.
 *
 * tests/data/perf-made/threads has the events of file.data beside it, of CPU 0 in data.0 and of CPU 1 in data.1.
 */
#include "base/hash_index.h"
#include "base/io.h"
#include "support/data.h"
#include "support/effort.h"
#include "support/faulty_io.h"
#include "support/test.h"
#include "trace/trace.h"

enum { EVENTS = 17, EVENTS_OF_CPU_0 = 10, GAPS = 2, LOST = 9, FILES = 3, BYTES_MAX = 8192 };

static const char *const names[FILES] = { "data", "data.0", "data.1" };

static char folder[] = "/tmp/histree-perf-XXXXXX";

struct bytes {
	uint8_t bytes[BYTES_MAX];
	size_t size;
};

static struct bytes made[FILES];

static const char *path_of(unsigned file)
{
	static char path[64];
	snprintf(path, sizeof(path), "%s/%s", folder, names[file]);
	return path;
}

static void put(unsigned file, const uint8_t *bytes, size_t size)
{
	FILE *out = fopen(path_of(file), "wb");
	assert_non_null(out);
	assert_int_equal(fwrite(bytes, 1, size, out), size);
	assert_int_equal(fclose(out), 0);
}

static void put_back(unsigned file)
{
	put(file, made[file].bytes, made[file].size);
}

static int make_folder(void **state)
{
	(void)state;
	if (mkdtemp(folder) == NULL)
		return -1;
	for (unsigned i = 0; i < FILES; i++) {
		char path[DATA_PATH_SIZE], name[64];
		snprintf(name, sizeof(name), "tests/data/perf-made/threads/%s", names[i]);
		FILE *file = fopen(source_path(path, name), "rb");
		if (file == NULL)
			return -1;
		made[i].size = fread(made[i].bytes, 1, BYTES_MAX, file);
		fclose(file);
		put_back(i);
	}
	return 0;
}

static int remove_folder(void **state)
{
	(void)state;
	for (unsigned i = 0; i < FILES; i++)
		unlink(path_of(i));
	return rmdir(folder);
}

/* What came of the folder. */
struct outcome {
	struct histree_error error;
	unsigned events[2]; /* by CPU */
	unsigned gaps;
	bool is_refused, is_damaged, has_open_gap;
	uint64_t lost;
};

static struct outcome read_folder(const struct io *io)
{
	struct outcome outcome = { .is_refused = false };
	const char *path = folder;
	struct trace *trace;
	struct event event;
	enum histree_status status = trace_open_by(io, &path, 1, &trace, &outcome.error);
	outcome.is_refused = status != HISTREE_OK;
	if (outcome.is_refused) {
		assert_non_null(strstr(outcome.error.message, folder));
		return outcome;
	}
	histree_time last = INT64_MIN;
	trace_want_gaps(trace);
	while ((status = trace_next(trace, &event, &outcome.error)) == HISTREE_OK) {
		assert_true(event.time >= last);
		last = event.time;
		if (event.gap == NULL)
			outcome.events[event.cpu == 1]++;
		outcome.gaps += event.gap != NULL;
		outcome.has_open_gap |= event.gap != NULL && event.gap->events == 0;
	}
	assert_int_equal(status, HISTREE_END);
	struct trace_report report = trace_report(trace);
	assert_int_equal(report.bytes_done, report.bytes_total);
	outcome.is_damaged = report.damaged_streams > 0;
	outcome.lost = report.discarded_events;
	trace_close(trace);
	return outcome;
}

static bool is_whole(const struct outcome *outcome)
{
	return !outcome->is_refused && outcome->events[0] == EVENTS_OF_CPU_0 &&
	       outcome->events[1] == EVENTS - EVENTS_OF_CPU_0 && outcome->gaps == GAPS && outcome->lost == LOST;
}

/* Also by its file; it can be read from its start only. */
TEST(events_and_losses_are_read)
{
	struct outcome outcome = read_folder(&io_posix);
	assert_true(is_whole(&outcome) && !outcome.is_damaged);
	struct trace *trace;
	const char *path = path_of(0);
	struct event event;
	unsigned events = 0;
	assert_ok(trace_open(&path, 1, &trace, NULL));
	assert_int_equal(trace_file_count(trace), 0);
	while (trace_next(trace, &event, NULL) == HISTREE_OK)
		events++;
	assert_int_equal(events, EVENTS);
	trace_close(trace);
}

/* The other CPU has all of its events, and this one those before the cut. */
TEST(a_part_that_is_cut_is_read_as_far_as_it_goes)
{
	for (unsigned cpu = 0; cpu < 2; cpu++) {
		unsigned before = 0, damaged = 0;
		for (size_t cut = 0; cut < made[1 + cpu].size; cut++) {
			put(1 + cpu, made[1 + cpu].bytes, cut);
			struct outcome outcome = read_folder(&io_posix);
			assert_false(outcome.is_refused);
			assert_int_equal(outcome.events[1 - cpu],
					 cpu == 1 ? EVENTS_OF_CPU_0 : EVENTS - EVENTS_OF_CPU_0);
			assert_true(outcome.events[cpu] >= before);
			before = outcome.events[cpu];
			damaged += outcome.is_damaged;
		}
		/* Every cut is seen, but those between two records. */
		assert_true(damaged >= made[1 + cpu].size - 2 * EVENTS);
		put_back(1 + cpu);
	}
}

TEST(a_head_that_is_cut_is_refused)
{
	for (size_t cut = 8; cut < made[0].size; cut += test_effort(3, 7)) {
		put(0, made[0].bytes, cut);
		struct outcome outcome = read_folder(&io_posix);
		assert_true(outcome.is_refused || outcome.events[0] + outcome.events[1] <= EVENTS);
	}
	put_back(0);
}

TEST(a_part_that_is_missing_is_named)
{
	assert_int_equal(unlink(path_of(1)), 0);
	struct outcome outcome = read_folder(&io_posix);
	assert_true(outcome.is_refused);
	assert_non_null(strstr(outcome.error.message, "\"data.0\""));
	assert_int_equal(unlink(path_of(2)), 0);
	outcome = read_folder(&io_posix);
	assert_true(outcome.is_refused);
	assert_non_null(strstr(outcome.error.message, "copy the whole folder"));
	put_back(1);
	put_back(2);
}

TEST(changed_bytes_do_no_harm)
{
	for (uint64_t round = 0; round < test_effort(1000, 300); round++) {
		struct random random = { .state = test_seed() + round };
		unsigned file = (unsigned)round % FILES;
		struct bytes changed = made[file];
		for (uint64_t changes = 1 + random_below(&random, 8); changes > 0; changes--)
			changed.bytes[8 + random_below(&random, changed.size - 8)] =
				random_percent(&random, 50) ? (uint8_t)random_bits(&random) : 0xff;
		put(file, changed.bytes, changed.size);
		read_folder(&io_posix);
		put_back(file);
	}
}

/* Each call fails once, or all do from it on: with a sentence, or a gap. */
TEST(reads_may_fail)
{
	for (unsigned for_ever = 0; for_ever < 2; for_ever++) {
		unsigned refused = 0, known = 0;
		bool has_failed = true;
		for (uint64_t fail_at = 1; has_failed; fail_at++) {
			struct faulty_io faulty;
			faulty_io_init(&faulty, &io_posix);
			faulty.fail_at = fail_at;
			faulty.for_ever = for_ever == 1;
			struct outcome outcome = read_folder(&faulty.io);
			has_failed = faulty.operations >= fail_at;
			bool is_known = outcome.is_refused || outcome.is_damaged || outcome.has_open_gap;
			assert_true(has_failed ? is_known : is_whole(&outcome) && !is_known);
			refused += outcome.is_refused;
			known += is_known && !outcome.is_refused;
		}
		assert_true(refused >= 6 && known >= 2);
	}
}

TEST_FILE(make_folder, remove_folder)
