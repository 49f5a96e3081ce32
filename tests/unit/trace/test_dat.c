// SPDX-License-Identifier: MIT
/*
 * test_dat.c - recordings of trace-cmd: what is in them, places, and what is cut or changed.
 *
 * tests/data/dat-made has one recording in seven forms (make-dat-made.py says what is in it).
 */
#include "base/hash_index.h"
#include "support/data.h"
#include "support/effort.h"
#include "support/faulty_io.h"
#include "support/scratch_trace.h"
#include "support/test.h"
#include "trace/trace_cmd/dat_file.h"
#include "trace/trace_cmd/dat_stream.h"

enum { EVENTS = 17, GAPS = 2, LOST = 7, STREAMS = 3, BYTES_MAX = 16384 };

static const char *const forms[] = { "row", "swapped", "sections", "zlib", "zstd", "guest" };
enum { FORMS = sizeof(forms) / sizeof(forms[0]), PLAIN_FORMS = 3 };

static const char *made(const char *form)
{
	static char path[DATA_PATH_SIZE];
	char name[64];
	snprintf(name, sizeof(name), "tests/data/dat-made/%s.dat", form);
	return source_path(path, name);
}

static size_t read_made(const char *form, uint8_t bytes[static BYTES_MAX])
{
	char name[64];
	snprintf(name, sizeof(name), "tests/data/dat-made/%s.dat", form);
	return source_read(name, bytes, BYTES_MAX);
}

static bool can_read(const char *form)
{
	return !(strcmp(form, "zlib") == 0 && !dat_can_unpack(DAT_PACKING_ZLIB)) &&
	       !(strcmp(form, "zstd") == 0 && !dat_can_unpack(DAT_PACKING_ZSTD));
}

/* What an event is told by. */
struct kept_event {
	histree_time time;
	int32_t cpu;
	char name[32];
	struct trace_position places[STREAMS];
};

static void keep(const struct event *event, struct kept_event *out)
{
	*out = (struct kept_event){ .time = event->time, .cpu = event->cpu };
	snprintf(out->name, sizeof(out->name), "%s", event->class->name);
}

static size_t read_events(struct trace *trace, struct kept_event *kept)
{
	struct event event;
	size_t count = 0;
	while (trace_next(trace, &event, NULL) == HISTREE_OK) {
		assert_true(count < EVENTS);
		keep(&event, &kept[count]);
		trace_positions(trace, kept[count++].places);
	}
	return count;
}

static void assert_same(const struct kept_event *a, const struct kept_event *b)
{
	assert_int_equal(a->time, b->time);
	assert_int_equal(a->cpu, b->cpu);
	assert_string_equal(a->name, b->name);
}

/* ---- what is in them ------------------------------------------------------------------------------------- */

TEST(events_and_losses_are_read)
{
	for (size_t form = 0; form < FORMS; form++) {
		if (!can_read(forms[form]))
			continue;
		struct trace *trace = trace_must_open(made(forms[form]));
		struct event event;
		histree_time last = INT64_MIN;
		unsigned events = 0, gaps = 0;
		uint64_t lost = 0;
		trace_want_gaps(trace);
		while (trace_next(trace, &event, NULL) == HISTREE_OK) {
			assert_true(event.time >= last);
			last = event.time;
			events += event.gap == NULL;
			gaps += event.gap != NULL;
			lost += event.gap == NULL ? 0 : event.gap->events;
		}
		struct trace_report report = trace_report(trace);
		assert_int_equal(events, EVENTS);
		assert_int_equal(gaps, GAPS);
		assert_int_equal(lost, LOST);
		assert_int_equal(report.discarded_events, LOST);
		assert_int_equal(report.damaged_streams, 0);
		assert_int_equal(report.bytes_done, report.bytes_total);
		const struct event_trace *of = trace_at(trace, 0);
		assert_string_equal(of->hostname, "demo");
		assert_string_equal(of->machine, "x86_64");
		assert_string_equal(of->tracer_name, "trace-cmd");
		assert_int_equal(of->tracer_major, 3);
		trace_close(trace);
	}
}

/* DATE has 0x10000 us, OFFSET -536 ns; of the guest a tick is 3/2 ns, and its CPUs lag. */
TEST(times_are_those_that_the_file_says)
{
	static const histree_time offset = 65536000 - 536;
	struct kept_event events[EVENTS];
	struct trace *trace = trace_must_open(made("row"));
	assert_int_equal(read_events(trace, events), EVENTS);
	assert_int_equal(events[0].time, offset + 1000);
	assert_int_equal(events[EVENTS - 1].time, offset + 2000000005);
	trace_close(trace);
	trace = trace_must_open(made("guest"));
	assert_int_equal(read_events(trace, events), EVENTS);
	assert_int_equal(events[0].time, offset);
	/* 2000000005 ticks, of which -1000 and, as it goes on to -2000 in 2^30 ticks, -1862 are the offset. */
	assert_int_equal(events[EVENTS - 1].time, offset + INT64_C(1999997143) * 3 / 2);
	trace_close(trace);
}

/* ---- places ---------------------------------------------------------------------------------------------- */

TEST(a_recording_is_read_on_from_any_event)
{
	for (size_t form = 0; form < FORMS; form++) {
		struct kept_event all[EVENTS], rest[EVENTS];
		if (!can_read(forms[form]))
			continue;
		const char *path = made(forms[form]);
		struct trace *trace = trace_must_open(path);
		assert_int_equal(trace_file_count(trace), STREAMS);
		assert_true(trace_can_move(trace));
		assert_int_equal(read_events(trace, all), EVENTS);
		for (size_t first = EVENTS; first-- > 0;) {
			struct trace *other;
			assert_ok(trace_open_at(&path, 1, all[first].places, STREAMS, &other, NULL));
			assert_ok(trace_move(trace, all[first].places, STREAMS, NULL));
			assert_int_equal(read_events(other, rest), EVENTS - first);
			for (size_t i = first; i < EVENTS; i++)
				assert_same(&rest[i - first], &all[i]);
			assert_int_equal(read_events(trace, rest), EVENTS - first);
			assert_same(&rest[0], &all[first]);
			trace_close(other);
		}
		struct trace_position wrong[STREAMS] = { { .packet = 1000 } };
		assert_int_equal(trace_move(trace, wrong, STREAMS, NULL), HISTREE_ERR_TRACE);
		trace_close(trace);
	}
}

/* ---- what is cut or changed ------------------------------------------------------------------------------ */

TEST(a_cut_recording_is_read_as_far_as_it_goes)
{
	for (size_t form = 0; form < FORMS; form++) {
		uint8_t bytes[BYTES_MAX];
		if (!can_read(forms[form]))
			continue;
		size_t size = read_made(forms[form], bytes), damaged = 0;
		unsigned before = 0;
		for (size_t cut = 0; cut < size; cut += test_effort(4, 13)) {
			bool is_refused, is_damaged;
			scratch_write(bytes, cut);
			unsigned events = scratch_read(&is_refused, &is_damaged);
			assert_true(events <= EVENTS && (is_refused || events >= before));
			before = events;
			damaged += is_damaged;
		}
		/* Version 6 says first where the events are, version 7 behind them. */
		bool is_row = form < 2;
		assert_true(is_row ? damaged > test_effort(250, 70) : damaged == 0);
		if (is_row)
			assert_in_range(before, EVENTS - 2, EVENTS);
	}
}

TEST(changed_bytes_do_no_harm)
{
	for (uint64_t round = 0; round < test_effort(2000, 600); round++) {
		struct random random = { .state = test_seed() + round };
		uint8_t bytes[BYTES_MAX];
		size_t size = read_made(forms[round % FORMS], bytes);
		bool is_refused, is_damaged;
		for (uint64_t changes = 1 + random_below(&random, 8); changes > 0; changes--)
			bytes[10 + random_below(&random, size - 10)] =
				random_percent(&random, 50) ? (uint8_t)random_bits(&random) : 0xff;
		scratch_write(bytes, size);
		scratch_read(&is_refused, &is_damaged);
	}
}

TEST(what_shrinks_while_it_is_read_is_damaged)
{
	uint8_t bytes[BYTES_MAX];
	size_t size = read_made("row", bytes);
	struct event event;
	scratch_write(bytes, size);
	struct trace *trace = trace_must_open(scratch);
	struct trace_position start[STREAMS] = { 0 };
	assert_int_equal(truncate(scratch, 100), 0);
	assert_ok(trace_move(trace, start, STREAMS, NULL));
	assert_int_equal(trace_next(trace, &event, NULL), HISTREE_END);
	assert_int_equal(trace_report(trace).damaged_streams, STREAMS);
	trace_close(trace);
}

/* Whatever read fails: the recording is refused, or it is damaged and the other events come. */
TEST(a_read_that_fails_costs_what_was_read)
{
	for (size_t form = 0; form < FORMS; form++) {
		const char *path = made(forms[form]);
		uint64_t refused = 0, damaged = 0, fail_at = 1;
		if (!can_read(forms[form]))
			continue;
		for (bool has_failed = true; has_failed; fail_at++) {
			struct faulty_io faulty;
			struct histree_error error = { 0 };
			struct kept_event events[EVENTS];
			struct trace *trace;
			faulty_io_init(&faulty, &io_posix);
			faulty.fail_at = fail_at;
			enum histree_status status = trace_open_by(&faulty.io, &path, 1, &trace, &error);
			if (status != HISTREE_OK) {
				assert_true(status == HISTREE_ERR_IO && strstr(error.message, path) != NULL);
				refused++;
				continue;
			}
			size_t count = read_events(trace, events);
			/* When the trace begins and ends need not be known. */
			bool is_damaged = trace_report(trace).damaged_streams > 0;
			assert_true(is_damaged ? count < EVENTS : count == EVENTS);
			damaged += is_damaged;
			has_failed = faulty.operations >= fail_at;
			trace_close(trace);
		}
		assert_true(refused > 1 && damaged >= STREAMS);
	}
}

/* ---- what is refused ------------------------------------------------------------------------------------- */

/* Returns the sentence for a recording in which some bytes are others, of the same number. */
static const char *refusal(const char *form, const char *from, const char *to)
{
	static struct histree_error error;
	uint8_t bytes[BYTES_MAX];
	const char *path = scratch;
	struct trace *trace;
	size_t size = read_made(form, bytes), length = strlen(from);
	uint8_t *at = memmem(bytes, size, from, length);
	assert_non_null(at);
	memcpy(at, to, length);
	scratch_write(bytes, size);
	assert_int_equal(trace_open(&path, 1, &trace, &error), HISTREE_ERR_TRACE);
	return error.message;
}

TEST(what_is_not_read_is_said)
{
	assert_non_null(strstr(refusal("row", "flyrecord", "latency  "), "tracer of latencies"));
	assert_non_null(strstr(refusal("row", "tracing6", "tracing5"), "version '5'"));
	assert_non_null(strstr(refusal("sections", "none", "lzma"), "compressed with 'lzma'"));
	assert_non_null(strstr(refusal("row", "commit;\toffset:8;\tsize:8", "commit;\toffset:8;\tsize:3"),
			       "as no kernel has"));
	assert_non_null(strstr(refusal("row", " commit;", " kommit;"), "older than Linux 2.6.31"));
}

/* ---- pages ----------------------------------------------------------------------------------------------- */

/* A time stamp has 59 bits; the others are those of the time before. */
TEST(a_long_time_keeps_its_upper_bits)
{
	static const struct tracing_page layout = { .long_size = 8, .begin = 16 };
	uint8_t bytes[64] = { 0 };
	struct ring_page page;
	const uint64_t stamp = UINT64_C(0x1800000000000005), length = 16;
	const uint32_t words[] = { 9 << 5 | 31, 2, 1 << 5 | 1, 0x1234 };
	memcpy(bytes, &stamp, 8);
	memcpy(bytes + 8, &length, 8);
	memcpy(bytes + 16, words, sizeof(words));
	assert_true(ring_page_open(&page, &layout, false, bytes, sizeof(bytes), sizeof(bytes)));
	assert_int_equal(ring_page_next(&page), RING_EVENT);
	assert_int_equal(page.stamp, UINT64_C(0x1800000000000000) + (UINT64_C(2) << 27) + 10);
	assert_int_equal(page.event_size, 4);
	assert_int_equal(ring_page_next(&page), RING_END);
}

TEST_FILE(scratch_make, scratch_remove)
