// SPDX-License-Identifier: MIT
/*
 * test_uftrace.c - a recording of uftrace that make-uftrace-made.py wrote: its calls and their names, places,
 * losses, and files that are cut or changed.
 */
#include <dirent.h>
#include <sys/stat.h>

#include "base/hash_index.h"
#include "support/data.h"
#include "support/effort.h"
#include "support/test.h"
#include "symbols/elf_names.h"
#include "trace/formats.h"
#include "trace/trace.h"

enum { CALLS = 15, BYTES_MAX = 4096, FILES_MAX = 16 };

static char scratch[] = "/tmp/histree-uftrace-XXXXXX";

struct made_file {
	char name[64], path[128];
	uint8_t bytes[BYTES_MAX];
	size_t size;
};

static struct made_file made[FILES_MAX];
static size_t made_count;

static void write_file(const struct made_file *file, const uint8_t *bytes, size_t size)
{
	FILE *out = fopen(file->path, "w");
	assert_non_null(out);
	assert_int_equal(fwrite(bytes, 1, size, out), size);
	assert_int_equal(fclose(out), 0);
}

static int make_scratch(void **state)
{
	char folder[DATA_PATH_SIZE], path[DATA_PATH_SIZE + 300];
	(void)state;
	DIR *entries = opendir(source_path(folder, "tests/data/uftrace-made"));
	const struct dirent *entry;
	if (mkdtemp(scratch) == NULL || entries == NULL)
		return -1;
	while ((entry = readdir(entries)) != NULL) {
		struct made_file *file = &made[made_count];
		if (entry->d_name[0] == '.')
			continue;
		snprintf(file->name, sizeof(file->name), "%.60s", entry->d_name);
		snprintf(file->path, sizeof(file->path), "%s/%.60s", scratch, entry->d_name);
		snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
		FILE *in = fopen(path, "r");
		if (in == NULL)
			return -1;
		file->size = fread(file->bytes, 1, BYTES_MAX, in);
		fclose(in);
		write_file(file, file->bytes, file->size);
		made_count++;
	}
	closedir(entries);
	return 0;
}

static int remove_scratch(void **state)
{
	(void)state;
	for (size_t i = 0; i < made_count; i++)
		unlink(made[i].path);
	return rmdir(scratch);
}

static struct made_file *file_of(const char *name)
{
	for (size_t i = 0; i < made_count; i++)
		if (strcmp(made[i].name, name) == 0)
			return &made[i];
	fail_msg("no file '%s'", name);
	return NULL;
}

/* ---- calls ----------------------------------------------------------------------------------------------- */

static const struct {
	histree_time time;
	int tid;
	const char *class, *name;
} calls[CALLS] = {
	{ 1000, 100, "uftrace:func_entry", "main" },      { 1050, 101, "uftrace:func_entry", "leaf" },
	{ 1100, 100, "uftrace:func_entry", "leaf" },      { 1120, 102, "uftrace:func_exit", "leaf" },
	{ 1130, 102, "uftrace:func_entry", "leaf" },      { 1140, 102, "uftrace:func_exit", "leaf" },
	{ 1200, 100, "uftrace:func_exit", "leaf" },       { 1300, 100, "uftrace:func_entry", "inner" },
	{ 1350, 100, "uftrace:func_exit", "inner" },      { 1400, 101, "uftrace:func_exit", "leaf" },
	{ 1500, 100, "uftrace:func_exit", "main" },       { 1600, 100, "uftrace:func_entry", NULL },
	{ 1650, 100, "uftrace:func_exit", NULL },         { 2000, 102, "uftrace:func_entry", "other_main" },
	{ 2100, 102, "uftrace:func_exit", "other_main" },
};

static void check_call(const struct event *event, size_t number)
{
	int64_t tid;
	const char *name;
	size_t size;
	assert_true(number < CALLS);
	assert_int_equal(event->time, calls[number].time);
	assert_string_equal(event->class->name, calls[number].class);
	assert_true(event_int(event, event_class_field(event->class, "vtid"), &tid));
	assert_int_equal(tid, calls[number].tid);
	bool has_name = event_string(event, event_class_field(event->class, "name"), &name, &size);
	assert_int_equal(has_name, calls[number].name != NULL);
	if (has_name) {
		assert_int_equal(size, strlen(calls[number].name));
		assert_memory_equal(name, calls[number].name, size);
	}
}

static struct trace *open_scratch(void)
{
	const char *path = scratch;
	struct trace *trace;
	struct histree_error error;
	if (trace_open(&path, 1, &trace, &error) != HISTREE_OK)
		fail_msg("%s", error.message);
	return trace;
}

TEST(calls_have_their_names)
{
	struct trace *trace = open_scratch();
	struct event event;
	size_t count = 0, gaps = 0;
	trace_want_gaps(trace);
	while (trace_next(trace, &event, NULL) == HISTREE_OK) {
		if (event.gap == NULL) {
			check_call(&event, count++);
			continue;
		}
		assert_int_equal(event.gap->begin, 1351);
		assert_int_equal(event.gap->end, 1500);
		assert_int_equal(event.gap->events, 7);
		gaps++;
	}
	assert_int_equal(count, CALLS);
	assert_int_equal(gaps, 1);
	assert_int_equal(trace_report(trace).discarded_events, 7);
	trace_close(trace);
}

TEST(functions_of_cpp_have_the_names_of_people)
{
	static const char symbols[] = "0000000000000100 T _ZN3app4View4drawEi\n0000000000000200 T _Z\n"
				      "0000000000000280 ? __sym_end\n";
	const struct made_file *file = file_of("made.sym");
	struct event event;
	const char *name;
	size_t size, drawn = 0, others = 0;
	if (!elf_names_can_read())
		skip();
	write_file(file, (const uint8_t *)symbols, strlen(symbols));
	struct trace *trace = open_scratch();
	while (trace_next(trace, &event, NULL) == HISTREE_OK) {
		if (!event_string(&event, event_class_field(event.class, "name"), &name, &size))
			continue;
		drawn += size == strlen("app::View::draw(int)") && memcmp(name, "app::View::draw(int)", size) == 0;
		others += size == 2 && memcmp(name, "_Z", size) == 0;
	}
	assert_int_equal(drawn, 2);
	assert_int_equal(others, 7);
	trace_close(trace);
	write_file(file, file->bytes, file->size);
}

TEST(from_each_place_the_same_comes)
{
	struct trace *trace = open_scratch(), *other;
	struct trace_position places[CALLS][3];
	struct event event;
	const char *path = scratch;
	assert_int_equal(trace_file_count(trace), 3);
	for (size_t i = 0; i < CALLS; i++) {
		assert_ok(trace_next(trace, &event, NULL));
		trace_positions(trace, places[i]);
	}
	for (size_t i = CALLS; i-- > 0;) {
		assert_ok(trace_move(trace, places[i], 3, NULL));
		assert_ok(trace_open_at(&path, 1, places[i], 3, &other, NULL));
		for (size_t next = i; next < CALLS; next++) {
			assert_ok(trace_next(trace, &event, NULL));
			check_call(&event, next);
			assert_ok(trace_next(other, &event, NULL));
			check_call(&event, next);
		}
		assert_int_equal(trace_next(trace, &event, NULL), HISTREE_END);
		trace_close(other);
	}
	trace_close(trace);
}

/* ---- what is cut or changed ------------------------------------------------------------------------------- */

/* Returns how many calls the scratch has, if it can be read. */
static size_t count_calls(void)
{
	const char *path = scratch, *text;
	struct trace *trace;
	struct event event;
	int64_t number;
	size_t count = 0, size;
	if (trace_open(&path, 1, &trace, NULL) != HISTREE_OK)
		return 0;
	trace_want_gaps(trace);
	while (trace_next(trace, &event, NULL) == HISTREE_OK) {
		count += event.gap == NULL;
		for (uint32_t field = 0; event.gap == NULL && field < event.class->field_count; field++) {
			event_int(&event, field, &number);
			event_string(&event, field, &text, &size);
		}
	}
	trace_close(trace);
	return count;
}

TEST(a_cut_file_has_what_is_there)
{
	struct made_file *file = file_of("100.dat");
	size_t last = 7; /* of the other tasks */
	for (size_t cut = 0; cut <= file->size; cut++) {
		write_file(file, file->bytes, cut);
		size_t count = count_calls();
		/* A record whose arguments are cut is one. */
		assert_true(count >= last && count <= last + 1);
		last = count;
	}
	assert_int_equal(last, CALLS);
}

TEST(a_changed_folder_does_no_harm)
{
	struct random random = { test_seed() };
	uint8_t changed[BYTES_MAX];
	for (uint64_t round = 0; round < test_effort(5000, 500); round++) {
		struct made_file *file = &made[random_below(&random, made_count)];
		memcpy(changed, file->bytes, file->size);
		for (uint64_t count = 1 + random_below(&random, 8); count > 0; count--)
			changed[random_below(&random, file->size)] = (uint8_t)random_below(&random, 256);
		write_file(file, changed,
			   random_below(&random, 4) > 0 ? file->size : random_below(&random, file->size));
		assert_true(count_calls() < 64);
		write_file(file, file->bytes, file->size);
	}
	assert_int_equal(count_calls(), CALLS);
}

TEST(a_missing_text_costs_only_names)
{
	static const char *const texts[] = { "task.txt", "sid-aa00.map", "made.sym", "plugin.so.sym" };
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		const struct made_file *file = file_of(texts[i]);
		assert_int_equal(unlink(file->path), 0);
		assert_int_equal(count_calls(), CALLS);
		write_file(file, file->bytes, file->size);
	}
	const struct made_file *info = file_of("info");
	assert_int_equal(unlink(info->path), 0);
	assert_false(uftrace_format.is_folder(scratch));
	write_file(info, info->bytes, info->size);
	assert_true(uftrace_format.is_folder(scratch));
}

TEST_FILE(make_scratch, remove_scratch)
