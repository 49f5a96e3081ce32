// SPDX-License-Identifier: MIT
/*
 * test_perf.c - recordings of perf: the order of rounds against a sorted array, places, and what is cut or changed.
 *
 * tests/data/perf-made has one recording in five forms (make-perf-made.py says what is in it).
 */
#include <sys/stat.h>

#include "base/hash_index.h"
#include "base/io.h"
#include "support/data.h"
#include "support/effort.h"
#include "support/faulty_io.h"
#include "support/scratch_trace.h"
#include "support/test.h"
#include "trace/perf/perf_source.h"
#include "trace/tracepoint.h"

enum { MADE_EVENTS = 17, MADE_GAPS = 2, MADE_LOST = 9, BYTES_MAX = 16384 };

/* ---- rounds against a sorted array ----------------------------------------------------------------------- */

enum { ENTRIES_MAX = 8192, CPUS_MAX = 64 };

/* Entries in the order of the file; `place` is their number. */
struct model {
	struct perf_entry entries[ENTRIES_MAX], sorted[ENTRIES_MAX];
	uint32_t round[ENTRIES_MAX];
	uint32_t count, rounds;
};

static int compare_entries(const void *a, const void *b)
{
	const struct perf_entry *first = a, *second = b;
	if (first->time != second->time)
		return first->time < second->time ? -1 : 1;
	if (first->cpu != second->cpu)
		return first->cpu < second->cpu ? -1 : 1;
	return first->place < second->place ? -1 : 1;
}

/* A round empties the buffers of all CPUs in turn; what comes on a CPU after its turn is left for the next one. */
static void draw_model(struct model *model, struct random *random)
{
	histree_time emptied[CPUS_MAX] = { 0 }, now = 0;
	uint32_t cpus = 1 + random_index(random, 40), most = 2 + random_index(random, 30);
	model->count = 0;
	for (model->rounds = 0; model->count < ENTRIES_MAX / 2; model->rounds++) {
		for (uint32_t cpu = 0; cpu < cpus; cpu++) {
			now += (histree_time)random_below(random, 50);
			histree_time time = emptied[cpu];
			for (uint32_t left = random_index(random, most); left > 0 && time <= now; left--) {
				assert_true(model->count < ENTRIES_MAX);
				model->round[model->count] = model->rounds;
				model->entries[model->count] = (struct perf_entry){ .time = time,
										    .cpu = (uint16_t)cpu,
										    .place = model->count };
				model->count++;
				time += (histree_time)random_below(random, 12);
			}
			emptied[cpu] = now + 1;
		}
	}
	memcpy(model->sorted, model->entries, model->count * sizeof(*model->sorted));
	qsort(model->sorted, model->count, sizeof(*model->sorted), compare_entries);
}

/* Where reading on was tried from. */
struct places {
	uint64_t round, before; /* of the first */
	uint32_t at;
	uint32_t every; /* so many entries */
};

static void read_model(const struct model *model, uint64_t first_round, uint64_t skipped, uint32_t at,
		       struct places *place)
{
	struct perf_rounds rounds = { 0 };
	const struct perf_entry *entry;
	uint32_t next = 0;
	while (model->round[next] < first_round)
		next++;
	for (uint64_t number = first_round; number < model->rounds; number++) {
		perf_rounds_begin(&rounds, number);
		for (; next < model->count && model->round[next] == number; next++)
			assert_true(perf_rounds_add(&rounds, model->entries[next], &next, sizeof(next), true));
		assert_true(perf_rounds_end(&rounds, number + 1 == model->rounds));
		while ((entry = perf_rounds_peek(&rounds)) != NULL) {
			uint32_t record;
			memcpy(&record, perf_rounds_record(&rounds, entry), sizeof(record));
			if (place != NULL && at == place->at)
				place->round = perf_rounds_base(&rounds, &place->before);
			perf_rounds_take(&rounds, true);
			if (skipped > 0) {
				skipped--;
				continue;
			}
			assert_int_equal(record, model->sorted[at].place);
			at++;
		}
	}
	assert_int_equal(at, model->count);
	perf_rounds_release(&rounds);
}

TEST(rounds_give_what_a_sorted_array_has)
{
	struct model *model = calloc(1, sizeof(*model));
	assert_non_null(model);
	for (uint64_t round = 0; round < test_effort(200, 20); round++) {
		struct random random = { .state = test_seed() + round };
		draw_model(model, &random);
		struct places place = { .at = random_index(&random, model->count) };
		read_model(model, 0, 0, 0, &place);
		read_model(model, place.round, place.before, place.at, NULL);
	}
	free(model);
}

/* ---- the made recording ---------------------------------------------------------------------------------- */

static const char *made(const char *form)
{
	static char path[DATA_PATH_SIZE];
	char name[64];
	snprintf(name, sizeof(name), "tests/data/perf-made/%s.data", form);
	return source_path(path, name);
}

static size_t read_made(const char *form, uint8_t bytes[static BYTES_MAX])
{
	char name[64];
	snprintf(name, sizeof(name), "tests/data/perf-made/%s.data", form);
	return source_read(name, bytes, BYTES_MAX);
}

TEST(events_and_losses_are_read)
{
	static const char *const forms[] = { "file", "swapped", "pipe", "chains" };
	for (size_t form = 0; form < sizeof(forms) / sizeof(forms[0]); form++) {
		struct trace *trace = trace_must_open(made(forms[form]));
		struct event event;
		histree_time last = INT64_MIN;
		unsigned events = 0, gaps = 0;
		trace_want_gaps(trace);
		while (trace_next(trace, &event, NULL) == HISTREE_OK) {
			assert_true(event.time >= last);
			last = event.time;
			events += event.gap == NULL;
			gaps += event.gap != NULL;
		}
		struct trace_report report = trace_report(trace);
		assert_int_equal(events, MADE_EVENTS);
		assert_int_equal(gaps, MADE_GAPS);
		assert_int_equal(report.discarded_events, MADE_LOST);
		assert_int_equal(report.damaged_streams, 0);
		assert_int_equal(report.bytes_done, report.bytes_total);
		const struct event_trace *of = trace_at(trace, 0);
		assert_string_equal(of->hostname, "demo");
		assert_string_equal(of->machine, "x86_64");
		assert_string_equal(of->tracer_name, "perf");
		trace_close(trace);
	}
}

/* What is not signed is not negative: pointers are such numbers. */
TEST(numbers_know_whether_they_are_signed)
{
	static const struct {
		const char *path;
		enum event_part_kind kind;
		int64_t number;
	} parts[] = { { "s8", EVENT_INT, -100 },
		      { "u8", EVENT_UNSIGNED, 200 },
		      { "u64", EVENT_UNSIGNED, INT64_MIN },
		      { "pointer", EVENT_UNSIGNED, -4096 } };
	struct trace *trace = trace_must_open(made("file"));
	struct event event;
	unsigned found = 0;
	while (trace_next(trace, &event, NULL) == HISTREE_OK)
		for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
			struct event_part part;
			if (strcmp(event.class->name, "made:sizes") != 0)
				continue;
			assert_true(event_find(&event, parts[i].path, &part));
			assert_int_equal(part.kind, parts[i].kind);
			assert_int_equal(part.integer, parts[i].number);
			found++;
		}
	assert_int_equal(found, 8);
	trace_close(trace);
}

/* What an event is told by. */
struct kept_event {
	histree_time time;
	int32_t cpu;
	char name[64];
	uint64_t offset, before;
};

static size_t read_stream(const char *path, size_t round_size, const uint64_t *at, struct kept_event *kept)
{
	static const struct event_trace trace = { .path = "" };
	struct trace_notes notes = { 0 };
	struct perf_file file = { 0 };
	struct perf_loss_count loss_count = { 0 };
	uint32_t class_count = 0;
	size_t count = 0;
	assert_ok(perf_file_open(&file, &io_posix, path, NULL));
	struct perf_stream stream = {
		.base = { .trace = &trace, .notes = &notes, .name = path },
		.file = &file,
		.part = &file.part,
		.loss_count = &loss_count,
		.class_count = &class_count,
		.window_size = 256 << 10,
		.round_size = round_size,
	};
	assert_ok(perf_stream_init(&stream, at, NULL));
	while (perf_stream_next(&stream.base, NULL) == HISTREE_OK) {
		const struct event *event = &stream.base.upcoming;
		if (event->gap != NULL)
			continue;
		struct kept_event *one = &kept[count++];
		*one = (struct kept_event){ .time = event->time, .cpu = event->cpu };
		snprintf(one->name, sizeof(one->name), "%s", event->class->name);
		one->offset = perf_rounds_base(&stream.rounds, &one->before);
	}
	perf_stream_release(&stream);
	perf_file_close(&file);
	trace_notes_release(&notes);
	return count;
}

/* From the place of each event on, and with rounds that are taken together or not, the same events come. */
TEST(a_recording_is_read_on_from_any_event)
{
	static const char *const forms[] = { "file", "swapped", "pipe", "chains" };
	static const size_t sizes[] = { 1, 500, 100000 };
	for (size_t i = 0; i < 12; i++) {
		struct kept_event all[MADE_EVENTS + 1], rest[MADE_EVENTS + 1];
		const char *path = made(forms[i % 4]);
		size_t size = sizes[i / 4];
		assert_int_equal(read_stream(path, size, NULL, all), MADE_EVENTS);
		for (size_t first = 0; first < MADE_EVENTS; first++) {
			size_t count = read_stream(path, size, &all[first].offset, rest);
			/* The place counts the event itself as one that came. */
			uint64_t skipped = all[first].before - 1;
			assert_int_equal(count - skipped, MADE_EVENTS - first);
			for (size_t k = 0; k < MADE_EVENTS - first; k++) {
				assert_int_equal(rest[skipped + k].time, all[first + k].time);
				assert_int_equal(rest[skipped + k].cpu, all[first + k].cpu);
				assert_string_equal(rest[skipped + k].name, all[first + k].name);
			}
		}
	}
}

/* ---- what is cut or changed ------------------------------------------------------------------------------ */

/* Of a file, which has its descriptions at the end, and of a pipe, which has them first. */
TEST(a_cut_recording_is_read_as_far_as_it_goes)
{
	static const char *const forms[] = { "file", "swapped", "pipe", "packed" };
	for (size_t form = 0; form < sizeof(forms) / sizeof(forms[0]); form++) {
		uint8_t bytes[BYTES_MAX];
		size_t size = read_made(forms[form], bytes), damaged = 0;
		unsigned before = 0;
		for (size_t cut = 0; cut < size; cut += test_effort(4, 13)) {
			bool is_refused, is_damaged;
			scratch_write(bytes, cut);
			unsigned events = scratch_read(&is_refused, &is_damaged);
			assert_true(events <= MADE_EVENTS && (is_refused || events >= before));
			before = events;
			damaged += is_damaged;
		}
		/* Within a pipe every cut is seen, but those between two records. */
		if (strcmp(forms[form], "pipe") == 0)
			assert_true(damaged > test_effort(250, 50) && before > MADE_EVENTS - 3);
	}
}

/* A pipe that goes on with ends of rounds, so that it is read by several calls. */
static const char *long_pipe(void)
{
	enum { ROUNDS = 100000 };
	static const uint8_t end_of_round[8] = { PERF_FINISHED_ROUND, 0, 0, 0, 0, 0, 8, 0 };
	uint8_t bytes[BYTES_MAX];
	scratch_write(bytes, read_made("pipe", bytes));
	FILE *file = fopen(scratch, "ab");
	assert_non_null(file);
	for (unsigned i = 0; i < ROUNDS; i++)
		assert_int_equal(fwrite(end_of_round, 1, sizeof(end_of_round), file), sizeof(end_of_round));
	assert_int_equal(fclose(file), 0);
	return scratch;
}

/*
 * Each call for the file fails once, or all do from it on: the recording is refused with a sentence, or what is
 * missing is known; what comes of it is the same as before else.
 */
TEST(reads_may_fail)
{
	enum { FORMS = 3 };
	for (unsigned round = 0; round < 2 * FORMS; round++) {
		const char *path = round / 2 == 0 ? made("file") : round / 2 == 1 ? made("packed") : long_pipe();
		uint64_t refused = 0, damaged = 0;
		bool has_failed = true;
		for (uint64_t fail_at = 1; has_failed; fail_at++) {
			struct faulty_io faulty;
			struct trace *trace;
			struct histree_error error = { 0 };
			faulty_io_init(&faulty, &io_posix);
			faulty.fail_at = fail_at;
			faulty.for_ever = round % 2 == 1;
			enum histree_status status = trace_open_by(&faulty.io, &path, 1, &trace, &error);
			if (status == HISTREE_OK) {
				struct event event;
				unsigned events = 0, gaps = 0;
				bool has_open_gap = false; /* nobody knows how much is missing */
				trace_want_gaps(trace);
				while ((status = trace_next(trace, &event, NULL)) == HISTREE_OK) {
					events += event.gap == NULL;
					gaps += event.gap != NULL;
					has_open_gap |= event.gap != NULL && event.gap->events == 0;
				}
				assert_int_equal(status, HISTREE_END);
				bool is_whole = events == MADE_EVENTS && gaps == MADE_GAPS;
				bool is_known = has_open_gap || trace_report(trace).damaged_streams == 1;
				assert_true(faulty.operations >= fail_at ? is_known : is_whole && !is_known);
				damaged += trace_report(trace).damaged_streams;
				trace_close(trace);
			} else {
				assert_null(trace);
				assert_non_null(strstr(error.message, path));
				assert_non_null(strstr(error.message, "cannot"));
				refused++;
			}
			has_failed = faulty.operations >= fail_at;
		}
		assert_true(refused >= 3);
		assert_true(damaged >= 2 || round / 2 < 2);
	}
}

TEST(changed_bytes_do_no_harm)
{
	static const char *const forms[] = { "file", "swapped", "pipe", "packed", "chains" };
	for (uint64_t round = 0; round < test_effort(1500, 400); round++) {
		struct random random = { .state = test_seed() + round };
		uint8_t bytes[BYTES_MAX];
		size_t size = read_made(forms[round % 5], bytes);
		bool is_refused, is_damaged;
		for (uint64_t changes = 1 + random_below(&random, 8); changes > 0; changes--)
			bytes[8 + random_below(&random, size - 8)] =
				random_percent(&random, 50) ? (uint8_t)random_bits(&random) : 0xff;
		scratch_write(bytes, size);
		scratch_read(&is_refused, &is_damaged);
	}
}

/* Behind a record that is none, the next round is read, and the CPUs lack what came since their last events. */
TEST(reading_goes_on_behind_damage)
{
	enum { SECOND_OF_ROUND = 1696 };
	uint8_t bytes[BYTES_MAX];
	size_t size = read_made("file", bytes);
	struct event event;
	unsigned gaps[2] = { 0 };
	bytes[SECOND_OF_ROUND + 6] = 4;
	scratch_write(bytes, size);
	struct trace *trace = trace_must_open(scratch);
	trace_want_gaps(trace);
	uint64_t events = 0;
	for (; trace_next(trace, &event, NULL) == HISTREE_OK; events += event.gap == NULL)
		if (event.gap != NULL && event.gap->events == 0) {
			assert_in_range(event.cpu, 0, 1);
			gaps[event.cpu]++;
		}
	assert_int_equal(events, MADE_EVENTS - 4);
	assert_true(gaps[0] == 1 && gaps[1] == 1);
	assert_int_equal(trace_report(trace).damaged_streams, 1);
	trace_close(trace);
}

TEST(what_shrinks_while_it_is_read_is_damaged)
{
	uint8_t bytes[BYTES_MAX];
	size_t size = read_made("pipe", bytes);
	struct event event;
	scratch_write(bytes, size);
	struct trace *trace = trace_must_open(scratch);
	assert_int_equal(truncate(scratch, 100), 0);
	while (trace_next(trace, &event, NULL) == HISTREE_OK)
		continue;
	trace_close(trace);
	scratch_write(bytes, size);
}

static uint64_t number_at(const uint8_t *bytes)
{
	return ordered_u64(bytes, false);
}

/* What a filter of the user's left out was not lost (PERF_RECORD_MISC_LOST_SAMPLES_BPF). */
TEST(what_a_filter_left_out_is_not_lost)
{
	uint8_t bytes[BYTES_MAX];
	size_t size = read_made("file", bytes), changed = 0;
	for (uint64_t at = number_at(bytes + 40), end = at + number_at(bytes + 48); at < end;
	     at += ordered_u16(bytes + at + 6, false))
		if (ordered_u32(bytes + at, false) == PERF_LOST_SAMPLES) {
			bytes[at + 5] |= PERF_MISC_LEFT_OUT >> 8;
			changed++;
		}
	assert_int_equal(changed, 1);
	scratch_write(bytes, size);
	struct trace *trace = trace_must_open(scratch);
	struct event event;
	while (trace_next(trace, &event, NULL) == HISTREE_OK)
		continue;
	assert_int_equal(trace_report(trace).discarded_events, 7);
	trace_close(trace);
}

/* Where many events claim the same ids, looking at them would take longer than the file is long. */
TEST(ids_are_no_more_than_there_is_room_for)
{
	uint8_t bytes[BYTES_MAX];
	size_t size = read_made("file", bytes);
	uint64_t entry = number_at(bytes + 16), at = number_at(bytes + 24), end = at + number_at(bytes + 32);
	const uint64_t whole[2] = { 0, size };
	for (; at < end; at += entry)
		memcpy(bytes + at + entry - 16, whole, sizeof(whole));
	scratch_write(bytes, size);
	const char *path = scratch;
	struct trace *trace;
	struct histree_error error = { 0 };
	assert_int_equal(trace_open(&path, 1, &trace, &error), HISTREE_ERR_TRACE);
	assert_non_null(strstr(error.message, "more ids"));
}

/* A recording that was cut does not say that it is compressed; it can be read from its start only all the same. */
TEST(what_is_compressed_has_no_places)
{
	enum { FEATURES_AT = 72, UNREAD = 26 };
	uint8_t bytes[BYTES_MAX];
	size_t size = read_made("packed", bytes);
	uint64_t features = number_at(bytes + FEATURES_AT);
	features = (features & ~(UINT64_C(1) << PERF_FEATURE_COMPRESSED)) | UINT64_C(1) << UNREAD;
	memcpy(bytes + FEATURES_AT, &features, sizeof(features));
	scratch_write(bytes, size);
	struct trace *trace = trace_must_open(scratch);
	assert_int_equal(trace_file_count(trace), 0);
	trace_close(trace);
}

static uint64_t count_of(const char *const *paths, size_t count, uint64_t *warnings)
{
	struct trace *trace;
	struct event event;
	uint64_t events = 0;
	assert_ok(trace_open(paths, count, &trace, NULL));
	while (trace_next(trace, &event, NULL) == HISTREE_OK)
		events++;
	struct trace_report report = trace_report(trace);
	assert_int_equal(report.bytes_done, report.bytes_total);
	*warnings = report.warning_count;
	for (size_t i = 0; i < report.warning_count; i++)
		*warnings += strstr(report.warnings[i], "it is taken once") != NULL ? 1000 : 0;
	trace_close(trace);
	return events;
}

/* By the same path, and as a copy; another recording of as many bytes is another. */
TEST(what_is_named_twice_is_taken_once)
{
	uint8_t bytes[BYTES_MAX];
	uint64_t warnings;
	char path[DATA_PATH_SIZE];
	snprintf(path, sizeof(path), "%s", made("file"));
	size_t size = read_made("file", bytes);
	scratch_write(bytes, size);
	assert_int_equal(count_of((const char *[]){ path, path }, 2, &warnings), MADE_EVENTS);
	assert_int_equal(warnings / 1000, 1);
	assert_int_equal(count_of((const char *[]){ path, scratch, path }, 3, &warnings), MADE_EVENTS);
	assert_int_equal(warnings / 1000, 2);
	bytes[size - 1] ^= 1;
	scratch_write(bytes, size);
	assert_int_equal(count_of((const char *[]){ path, scratch }, 2, &warnings), 2 * MADE_EVENTS);
	assert_int_equal(warnings / 1000, 0);
}

static void assert_refused(const char *path, const char *why)
{
	struct trace *trace;
	struct histree_error error = { 0 };
	assert_int_equal(trace_open(&path, 1, &trace, &error), HISTREE_ERR_TRACE);
	if (strstr(error.message, why) == NULL)
		fail_msg("\"%s\" does not say \"%s\"", error.message, why);
}

/* A pipe is not waited for, and a folder of perf is known for what it is. */
TEST(what_is_not_read_says_what_to_do)
{
	char folder[] = "/tmp/histree-perf-XXXXXX", path[64];
	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/pipe", folder);
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_refused(path, "write it into a file");
	assert_int_equal(unlink(path), 0);

	enum { FEATURES_AT = 72 };
	uint8_t bytes[BYTES_MAX];
	size_t size = read_made("packed", bytes);
	uint64_t features = number_at(bytes + FEATURES_AT);
	features = (features & ~(UINT64_C(1) << PERF_FEATURE_COMPRESSED)) | UINT64_C(1) << PERF_FEATURE_DIR_FORMAT;
	memcpy(bytes + FEATURES_AT, &features, sizeof(features));
	snprintf(path, sizeof(path), "%s/data", folder);
	FILE *file = fopen(path, "wb");
	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, size, file), size);
	assert_int_equal(fclose(file), 0);
	assert_refused(folder, "copy the whole folder");
	assert_int_equal(unlink(path), 0);
	assert_int_equal(rmdir(folder), 0);
}

TEST_FILE(scratch_make, scratch_remove)
