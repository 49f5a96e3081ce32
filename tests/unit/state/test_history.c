// SPDX-License-Identifier: MIT
/*
 * test_history.c - history files: made by a state system, opened again, and refused where they are damaged.
 *
 * The same state changes go to a file and to a recorder; what the file gives back must be what was recorded.  Where
 * the reference material is present, a whole history of Trace Compass is replayed too.
 */
#include <errno.h>

#include "base/hash_index.h"
#include "base/io.h"
#include "histree/history.h"
#include "interval_recorder.h"
#include "state/attribute_section.h"
#include "state/history.h"
#include "state/history_sections.h"
#include "store/block_file.h"
#include "support/data.h"
#include "support/test.h"
#include "tree/tree_iter.h"
#include "tree/tree_reader.h"
#include "tree/tree_writer.h"

/* ---- helpers ------------------------------------------------------------------------------------------- */

struct folder {
	char path[64];
	char file[80];
};

static int make_folder(void **state)
{
	struct folder *folder = calloc(1, sizeof(*folder));
	if (folder == NULL)
		return -1;
	strcpy(folder->path, "/tmp/histree-test-XXXXXX");
	if (mkdtemp(folder->path) == NULL)
		return -1;
	snprintf(folder->file, sizeof(folder->file), "%s/kernel.sht", folder->path);
	*state = folder;
	return 0;
}

static int remove_folder(void **state)
{
	struct folder *folder = *state;
	unlink(folder->file);
	int result = rmdir(folder->path); /* fails if something else was left */
	free(folder);
	return result;
}

static bool exists(const char *path)
{
	return access(path, F_OK) == 0;
}

static struct histree_state_system *create_file(const struct folder *folder,
						const struct histree_tree_options *tree, histree_time start)
{
	const struct histree_history_options options = {
		.path = folder->file,
		.provider = "kernel",
		.provider_version = 31,
		.start = start,
		.tree = *tree,
	};
	struct histree_state_system *system;
	struct histree_error error;
	if (histree_state_create(&options, &system, &error) != HISTREE_OK)
		fail_msg("%s", error.message);
	return system;
}

static struct histree_history *open_file(const struct folder *folder)
{
	struct histree_history *history;
	struct histree_error error;
	if (histree_history_open(folder->file, NULL, &history, &error) != HISTREE_OK)
		fail_msg("%s", error.message);
	return history;
}

static void fail_on_fault(void *context, const char *fault)
{
	(void)context;
	fail_msg("%s", fault);
}

static int compare_records(const void *a, const void *b)
{
	const struct record *first = a;
	const struct record *second = b;
	if (first->quark != second->quark)
		return first->quark < second->quark ? -1 : 1;
	return (first->start > second->start) - (first->start < second->start);
}

/* Every interval of the history, sorted. */
static void read_all(struct histree_history *history, struct recorder *recorder)
{
	const struct histree_history_info *info = histree_history_info(history);
	struct tree_iter *iter;
	struct histree_interval interval;
	enum histree_status status;
	assert_ok(tree_iter_create(history_tree(history), &iter, NULL));
	tree_iter_start(iter, &(struct histree_region){ .from = info->start, .to = info->end });
	while ((status = tree_iter_next(iter, &interval, NULL)) == HISTREE_OK)
		assert_ok(record_add(recorder, &interval, NULL));
	assert_int_equal(status, HISTREE_END);
	tree_iter_free(iter);
	qsort(recorder->records, recorder->count, sizeof(struct record), compare_records);
}

/* The history on disk has the intervals that the recorder was given. */
static void assert_same_history(struct histree_history *history, struct recorder *expected)
{
	struct recorder found = { 0 };
	read_all(history, &found);
	qsort(expected->records, expected->count, sizeof(struct record), compare_records);
	assert_int_equal(found.count, expected->count);
	for (size_t i = 0; i < found.count; i++) {
		assert_int_equal(found.records[i].quark, expected->records[i].quark);
		assert_int_equal(found.records[i].start, expected->records[i].start);
		assert_int_equal(found.records[i].end, expected->records[i].end);
		assert_true(equal_values(&found.records[i].value, &expected->records[i].value));
	}
	assert_int_equal(histree_history_info(history)->interval_count, expected->count);
	free(found.records);
}

/* Attributes of all types, some long and many short states. */
static void change_at_random(struct histree_state_system *const systems[2], struct random random, unsigned changes)
{
	histree_time t = START;
	for (unsigned i = 0; i < changes; i++) {
		char path[32], text[24];
		uint32_t number = random_index(&random, 60);
		snprintf(path, sizeof(path), "Threads/%u/%s", number, number % 2 == 0 ? "Status" : "Name");
		uint32_t state = random_index(&random, 5);
		snprintf(text, sizeof(text), "state %u", state);
		const struct histree_value values[] = {
			histree_int((int32_t)state), histree_long(-(INT64_C(1) << 40) * state),
			histree_double(state / 4.0), histree_bool(state > 2),
			histree_string(text),        histree_custom(text, state),
		};
		struct histree_value value = state == 0 ? histree_null() : values[number % 6];
		t += random_index(&random, 3);
		for (size_t at = 0; at < 2; at++) {
			histree_quark quark;
			assert_ok(histree_state_attribute(systems[at], HISTREE_ROOT, path, &quark, NULL));
			assert_ok(histree_state_modify(systems[at], t, quark, value, NULL));
		}
	}
}

/* ---- making and opening ---------------------------------------------------------------------------------- */

TEST_WITH(a_history_comes_back_from_disk, make_folder, remove_folder)
{
	const struct folder *folder = *state;
	static const char *const variants[] = { "sht", "osht", "esht", "rsht", "vrsht" };
	for (size_t i = 0; i < sizeof(variants) / sizeof(variants[0]); i++) {
		const struct histree_tree_options tree = { .variant = variants[i],
							   .node_size = 4096,
							   .fan_out = 4 };
		struct recorder recorder;
		struct histree_state_system *systems[2] = { create_file(folder, &tree, START), create(&recorder) };
		change_at_random(systems, (struct random){ i }, 20000);
		histree_time end = histree_state_current_end(systems[0]);
		for (size_t at = 0; at < 2; at++)
			assert_ok(histree_state_close(systems[at], end, NULL));

		struct histree_history *history = open_file(folder);
		const struct histree_attributes *attributes = histree_history_attributes(history);
		const struct histree_history_info *info = histree_history_info(history);
		assert_string_equal(info->variant, variants[i]);
		assert_string_equal(info->provider, "kernel");
		assert_int_equal(info->provider_version, 31);
		assert_int_equal(info->node_size, 4096);
		assert_int_equal(info->start, START);
		assert_int_equal(info->end, end);
		assert_int_equal(info->attribute_count, histree_attributes_count(attributes));
		assert_true(info->attribute_bytes > 0);
		assert_same_history(history, &recorder);
		assert_ok(histree_history_verify(history, fail_on_fault, NULL, NULL));

		const struct histree_attributes *made = histree_state_attributes(systems[1]);
		assert_int_equal(histree_attributes_count(attributes), histree_attributes_count(made));
		for (histree_quark quark = 0; quark < histree_attributes_count(made); quark++) {
			char path[64], expected[64];
			histree_attributes_path(attributes, quark, path, sizeof(path));
			histree_attributes_path(made, quark, expected, sizeof(expected));
			assert_string_equal(path, expected);
		}
		histree_history_close(history);
		histree_state_free(systems[0]);
		assert_true(exists(folder->file));
		unlink(folder->file);
		release(systems[1], &recorder);
	}
}

TEST_WITH(a_history_may_be_empty, make_folder, remove_folder)
{
	const struct folder *folder = *state;
	const struct histree_history_options options = { .path = folder->file, .start = -5 };
	struct histree_state_system *system;
	assert_ok(histree_state_create(&options, &system, NULL));
	assert_ok(histree_state_close(system, -5, NULL));
	histree_state_free(system);
	struct histree_history *history = open_file(folder);
	const struct histree_history_info *info = histree_history_info(history);
	assert_int_equal(info->attribute_count, 0);
	assert_int_equal(info->interval_count, 0);
	assert_int_equal(info->start, -5);
	assert_int_equal(info->end, -5);
	assert_string_equal(info->provider, "");
	assert_ok(histree_history_verify(history, fail_on_fault, NULL, NULL));
	histree_history_close(history);
	histree_history_close(NULL);
}

TEST_WITH(the_greatest_value_fits_a_node, make_folder, remove_folder)
{
	const struct folder *folder = *state;
	const struct histree_tree_options tree = { .node_size = 4096 };
	struct histree_state_system *system = create_file(folder, &tree, START);
	histree_quark quark;
	assert_ok(histree_state_attribute(system, HISTREE_ROOT, "a", &quark, NULL));
	char text[4096];
	memset(text, 'x', sizeof(text));
	size_t size = sizeof(text);
	struct histree_error error;
	while (histree_state_modify(system, 2000, quark, histree_string_n(text, size), &error) != HISTREE_OK) {
		assert_int_equal(error.status, HISTREE_ERR_TOO_LARGE);
		assert_true(--size > 0);
	}
	assert_true(size > 1000);
	assert_true(size < 4096);
	assert_ok(histree_state_modify(system, 3000, quark, histree_string_n(text, size - 1), NULL));
	assert_ok(histree_state_close(system, 4000, NULL));
	histree_state_free(system);
	struct histree_history *history = open_file(folder);
	assert_int_equal(histree_history_info(history)->interval_count, 3);
	assert_ok(histree_history_verify(history, fail_on_fault, NULL, NULL));
	histree_history_close(history);
}

/* ---- what must not be left ------------------------------------------------------------------------------ */

TEST_WITH(a_history_that_was_not_closed_is_removed, make_folder, remove_folder)
{
	const struct folder *folder = *state;
	struct histree_state_system *system = create_file(folder, &(struct histree_tree_options){ 0 }, START);
	assert_true(exists(folder->file));
	histree_quark quark;
	assert_ok(histree_state_attribute(system, HISTREE_ROOT, "a", &quark, NULL));
	assert_ok(histree_state_modify(system, 2000, quark, histree_int(1), NULL));
	histree_state_free(system);
	assert_false(exists(folder->file));
}

TEST_WITH(an_existing_file_is_left_alone, make_folder, remove_folder)
{
	const struct folder *folder = *state;
	struct histree_state_system *system = create_file(folder, &(struct histree_tree_options){ 0 }, START);
	assert_ok(histree_state_close(system, START, NULL));
	histree_state_free(system);
	const struct histree_history_options options = { .path = folder->file, .start = START };
	struct histree_error error;
	assert_int_equal(histree_state_create(&options, &system, &error), HISTREE_ERR_EXISTS);
	assert_null(system);
	histree_history_close(open_file(folder));
}

TEST_WITH(wrong_options_leave_no_file, make_folder, remove_folder)
{
	const struct folder *folder = *state;
	char long_name[65];
	memset(long_name, 'n', sizeof(long_name) - 1);
	long_name[sizeof(long_name) - 1] = '\0';
	const struct histree_history_options wrong[] = {
		{ .path = NULL },
		{ .path = "" },
		{ .path = folder->file, .tree.variant = "oak" },
		{ .path = folder->file, .tree.node_size = 5000 },
		{ .path = folder->file, .provider = long_name },
	};
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct histree_state_system *system;
		struct histree_error error = { 0 };
		assert_int_equal(histree_state_create(&wrong[i], &system, &error), HISTREE_ERR_ARGUMENT);
		assert_null(system);
		assert_true(strlen(error.message) > 0);
		assert_true(wrong[i].provider == NULL || strstr(error.message, "is longer than 63 bytes") != NULL);
		assert_false(exists(folder->file));
	}
	const struct histree_history_options nowhere = { .path = "/nonexistent/folder/kernel.sht" };
	struct histree_state_system *system;
	assert_int_equal(histree_state_create(&nowhere, &system, NULL), HISTREE_ERR_IO);
	long_name[63] = '\0';
	const struct histree_history_options longest = { .path = folder->file, .provider = long_name };
	assert_ok(histree_state_create(&longest, &system, NULL));
	assert_ok(histree_state_close(system, 0, NULL));
	histree_state_free(system);
	struct histree_history *history = open_file(folder);
	assert_string_equal(histree_history_info(history)->provider, long_name);
	histree_history_close(history);
}

/* ---- what must not be opened ---------------------------------------------------------------------------- */

static void assert_not_opened(const struct folder *folder, enum histree_status expected, const char *says)
{
	struct histree_history *history = (struct histree_history *)1;
	struct histree_error error = { 0 };
	assert_int_equal(histree_history_open(folder->file, NULL, &history, &error), expected);
	assert_null(history);
	if (strstr(error.message, says) == NULL || strstr(error.message, folder->file) == NULL)
		fail_msg("'%s' does not name the file and '%s'", error.message, says);
}

/* A file whose tree has `key_count` keys and no interval, with these sections beside it. */
static void write_file(const struct folder *folder, uint32_t key_count, const void *attributes,
		       size_t attributes_size, const void *provider, size_t provider_size)
{
	struct block_file *file;
	struct tree_writer *writer;
	struct tree_options options;
	assert_ok(tree_options_resolve(&(struct histree_tree_options){ 0 }, START, &options, NULL));
	assert_ok(block_file_create(&io_posix, folder->file, options.node_size, &file, NULL));
	assert_ok(tree_writer_create(file, &options, &writer, NULL));
	assert_ok(tree_writer_finish(writer, START, key_count, NULL));
	if (attributes != NULL) {
		assert_ok(block_file_section_begin(file, SECTION_ATTRIBUTES, NULL));
		assert_ok(block_file_section_write(file, attributes, attributes_size, NULL));
		block_file_section_end(file);
	}
	if (provider != NULL) {
		assert_ok(block_file_section_begin(file, SECTION_PROVIDER, NULL));
		assert_ok(block_file_section_write(file, provider, provider_size, NULL));
		block_file_section_end(file);
	}
	assert_ok(block_file_complete(file, NULL));
	tree_writer_free(writer);
	block_file_close(file);
}

TEST_WITH(faulty_sections_are_refused, make_folder, remove_folder)
{
	const struct folder *folder = *state;
	/* No attribute; and one, the number 0: a run of 21 bytes, a shape of three, a directory behind each. */
	static const uint8_t none[40] = { 0 };
	static const uint8_t one[26 + 40] = { [22] = 1, [26] = 1, [34] = 1, [38] = 1, [50] = 3, [58] = 21 };
	static const uint8_t kernel[] = { 31, 0, 0, 0, 'k', 'e', 'r', 'n', 'e', 'l' };
	static const uint8_t zero[] = { 31, 0, 0, 0, 'k', 0, 'r' };
	uint8_t long_name[4 + 64] = { 31 };
	memset(long_name + 4, 'n', 64);
	const struct {
		const char *says;
		const void *attributes, *provider;
		size_t attributes_size, provider_size;
	} faults[] = {
		{ "ATTR", NULL, kernel, 0, sizeof(kernel) },
		{ "ATTR", one, kernel, sizeof(one) - 1, sizeof(kernel) },
		{ "ATTR", one, kernel, sizeof(one), sizeof(kernel) },
		{ "PROV", none, NULL, sizeof(none), 0 },
		{ "PROV", none, kernel, sizeof(none), 3 },
		{ "PROV", none, zero, sizeof(none), sizeof(zero) },
		{ "PROV", none, long_name, sizeof(none), sizeof(long_name) },
	};
	write_file(folder, 0, none, sizeof(none), kernel, sizeof(kernel));
	histree_history_close(open_file(folder));
	unlink(folder->file);
	for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++) {
		write_file(folder, 0, faults[i].attributes, faults[i].attributes_size, faults[i].provider,
			   faults[i].provider_size);
		assert_not_opened(folder, HISTREE_ERR_FORMAT, faults[i].says);
		unlink(folder->file);
	}
}

/* Whatever byte is damaged: the file is refused when it is opened, or verify finds it, or it meant nothing. */
static void count_fault(void *context, const char *fault)
{
	assert_true(strlen(fault) > 0);
	(*(unsigned *)context)++;
}

TEST_WITH(damage_is_noticed, make_folder, remove_folder)
{
	const struct folder *folder = *state;
	const struct histree_tree_options tree = { .node_size = 4096, .fan_out = 4 };
	struct recorder recorder;
	struct histree_state_system *systems[2] = { create_file(folder, &tree, START), create(&recorder) };
	change_at_random(systems, (struct random){ 7 }, 3000);
	assert_ok(histree_state_close(systems[0], 100000, NULL));
	assert_ok(histree_state_close(systems[1], 100000, NULL));
	histree_state_free(systems[0]);

	FILE *file = fopen(folder->file, "r+b");
	assert_non_null(file);
	assert_int_equal(fseek(file, 0, SEEK_END), 0);
	long size = ftell(file);
	struct random random = { 3 };
	unsigned noticed = 0;
	enum { TRIES = 300 };
	for (unsigned i = 0; i < TRIES; i++) {
		long at = 4096 + (long)random_index(&random, (uint32_t)(size - 4096));
		fseek(file, at, SEEK_SET);
		int byte = fgetc(file);
		fseek(file, at, SEEK_SET);
		fputc(byte ^ (int)(1u << random_index(&random, 8)), file);
		fflush(file);
		struct histree_history *history;
		struct histree_error error;
		unsigned faults = 0;
		enum histree_status status = histree_history_open(folder->file, NULL, &history, &error);
		if (status == HISTREE_OK) {
			status = histree_history_verify(history, count_fault, &faults, &error);
			assert_int_equal(histree_history_verify(history, NULL, NULL, &error), status);
			assert_int_equal(status == HISTREE_OK, faults == 0);
			if (faults == 0)
				assert_same_history(history, &recorder);
			histree_history_close(history);
		}
		noticed += status != HISTREE_OK;
		fseek(file, at, SEEK_SET);
		fputc(byte, file);
		fflush(file);
	}
	fclose(file);
	assert_true(noticed > TRIES / 2);

	struct histree_history *history = open_file(folder);
	assert_same_history(history, &recorder);
	histree_history_close(history);
	assert_int_equal(truncate(folder->file, size - 1), 0);
	assert_not_opened(folder, HISTREE_ERR_FORMAT, "");
	release(systems[1], &recorder);
}

TEST_WITH(what_is_no_history_is_refused, make_folder, remove_folder)
{
	const struct folder *folder = *state;
	assert_not_opened(folder, HISTREE_ERR_IO, "");
	FILE *file = fopen(folder->file, "wb");
	assert_non_null(file);
	fclose(file);
	assert_not_opened(folder, HISTREE_ERR_FORMAT, "");
	file = fopen(folder->file, "wb");
	assert_non_null(file);
	for (unsigned i = 0; i < 10000; i++)
		fputs("no history", file);
	fclose(file);
	assert_not_opened(folder, HISTREE_ERR_FORMAT, "");
}

/* ---- a history of Trace Compass -------------------------------------------------------------------------- */

struct line {
	char path[96];
	histree_time start, end;
	char type[8], value[48];
};

static int compare_lines(const void *a, const void *b)
{
	const struct line *first = a;
	const struct line *second = b;
	return (first->start > second->start) - (first->start < second->start);
}

static struct histree_value line_value(const struct line *line)
{
	if (strcmp(line->type, "int") == 0)
		return histree_int((int32_t)strtol(line->value, NULL, 10));
	if (strcmp(line->type, "string") == 0)
		return histree_string(line->value);
	assert_string_equal(line->type, "null");
	return histree_null();
}

static struct line *read_lines(const char *path, size_t *count)
{
	char command[DATA_PATH_SIZE + 16], text[512];
	struct line *lines = NULL;
	size_t capacity = 0;
	snprintf(command, sizeof(command), "gzip -dc '%s'", path);
	FILE *pipe = popen(command, "r");
	assert_non_null(pipe);
	for (*count = 0; fgets(text, sizeof(text), pipe) != NULL; (*count)++) {
		assert_true(array_reserve(&lines, &capacity, *count + 1));
		struct line *line = &lines[*count];
		*line = (struct line){ 0 };
		assert_true(sscanf(text, "%95[^\t]\t%" SCNd64 "\t%" SCNd64 "\t%7[^\t]\t%47[^\n]", line->path,
				   &line->start, &line->end, line->type, line->value) >= 4);
	}
	assert_int_equal(pclose(pipe), 0);
	return lines;
}

/* Its intervals, made state changes again, give the same intervals. */
TEST_WITH(a_history_of_trace_compass_comes_out_the_same, make_folder, remove_folder)
{
	const struct folder *folder = *state;
	char path[DATA_PATH_SIZE];
	if (!shared_path(path, "oracle/scp_dest.tsv.gz"))
		skip();
	size_t count;
	struct line *lines = read_lines(path, &count);
	assert_int_equal(count, 64814);
	qsort(lines, count, sizeof(*lines), compare_lines);

	struct recorder expected = { 0 };
	struct histree_state_system *system =
		create_file(folder, &(struct histree_tree_options){ 0 }, lines[0].start);
	histree_time end = 0;
	for (size_t i = 0; i < count; i++) {
		struct histree_interval interval = {
			.start = lines[i].start,
			.end = lines[i].end,
			.value = line_value(&lines[i]),
		};
		assert_ok(histree_state_attribute(system, HISTREE_ROOT, lines[i].path, &interval.quark, NULL));
		assert_ok(histree_state_modify(system, interval.start, interval.quark, interval.value, NULL));
		assert_ok(record_add(&expected, &interval, NULL));
		end = interval.end > end ? interval.end : end;
	}
	assert_ok(histree_state_close(system, end, NULL));
	histree_state_free(system);

	struct histree_history *history = open_file(folder);
	assert_int_equal(histree_history_info(history)->attribute_count, 453);
	assert_same_history(history, &expected);
	assert_ok(histree_history_verify(history, fail_on_fault, NULL, NULL));
	histree_history_close(history);
	free(expected.records);
	free(lines);
}

/* ---- folders ------------------------------------------------------------------------------------------------ */

/* Asks for all states of a folder, which is one null.  Returns how many nodes were visited for it. */
static uint64_t visits_for_folder(struct histree_history *history, histree_quark quark)
{
	const struct histree_history_info *info = histree_history_info(history);
	struct tree_iter *iter;
	struct histree_interval interval;
	size_t count = 0;
	assert_ok(tree_iter_create(history_tree(history), &iter, NULL));
	tree_iter_start(iter, &(struct histree_region){
				      .from = info->start, .to = info->end, .quarks = &quark, .quark_count = 1 });
	while (tree_iter_next(iter, &interval, NULL) == HISTREE_OK) {
		assert_int_equal(interval.value.type, HISTREE_NULL);
		assert_int_equal(interval.start, info->start);
		assert_int_equal(interval.end, info->end);
		count++;
	}
	assert_int_equal(count, 1);
	uint64_t visited = tree_iter_stats(iter).nodes_visited;
	tree_iter_free(iter);
	return visited;
}

static void check_folders(const struct folder *folder, enum histree_nulls nulls, const char *variant)
{
	const struct histree_tree_options tree = { .variant = variant, .node_size = 4096, .nulls = nulls };
	struct histree_state_system *system = create_file(folder, &tree, 10);
	struct histree_error error;
	histree_quark group, leaf, late;
	assert_ok(histree_state_attribute(system, HISTREE_ROOT, "Threads", &group, NULL));
	assert_ok(histree_state_attribute(system, group, "1", &leaf, NULL));
	assert_ok(histree_state_folder(system, group, NULL));
	assert_ok(histree_state_folder(system, group, NULL));
	assert_int_equal(histree_state_modify(system, 20, group, histree_int(1), &error), HISTREE_ERR_TYPE);
	assert_string_equal(error.message,
			    "attribute 'Threads': a value of type int, but it is a folder, which has no "
			    "states");
	assert_int_equal(histree_state_modify(system, 20, group, histree_unknown(), NULL), HISTREE_ERR_TYPE);
	assert_int_equal(histree_state_update(system, group, histree_string("x"), NULL), HISTREE_ERR_TYPE);
	assert_int_equal(
		histree_state_insert(system,
				     &(struct histree_interval){
					     .start = 10, .end = 20, .quark = group, .value = histree_int(1) },
				     1, NULL, NULL),
		HISTREE_ERR_TYPE);
	assert_ok(histree_state_modify(system, 20, leaf, histree_int(7), NULL));
	assert_int_equal(histree_state_folder(system, leaf, &error), HISTREE_ERR_TYPE);
	assert_string_equal(error.message, "attribute 'Threads/1': it cannot become a folder: it had a state");
	assert_ok(histree_state_remove(system, 30, group, NULL));
	assert_ok(histree_state_publish(system, 40, NULL));
	assert_ok(histree_state_attribute(system, HISTREE_ROOT, "CPUs", &late, NULL));
	assert_ok(histree_state_folder(system, late, NULL));
	assert_true(histree_attributes_is_folder(histree_state_attributes(system), late));

	struct histree_history *history = open_file(folder); /* what was published */
	assert_int_equal(histree_history_info(history)->folder_count, 1);
	assert_ok(histree_history_verify(history, fail_on_fault, NULL, NULL));
	histree_history_close(history);
	assert_ok(histree_state_close(system, 50, NULL));
	histree_state_free(system);

	history = open_file(folder);
	const struct histree_attributes *attributes = histree_history_attributes(history);
	assert_int_equal(histree_history_info(history)->attribute_count, 3);
	assert_int_equal(histree_history_info(history)->folder_count, 2);
	assert_true(histree_attributes_is_folder(attributes, group));
	assert_false(histree_attributes_is_folder(attributes, leaf));
	assert_true(histree_attributes_is_folder(attributes, late));
	assert_false(histree_attributes_is_folder(attributes, 3));
	assert_int_equal(visits_for_folder(history, group), 0);
	assert_ok(histree_history_verify(history, fail_on_fault, NULL, NULL));
	histree_history_close(history);
	unlink(folder->file);
}

TEST_WITH(folders_have_no_states, make_folder, remove_folder)
{
	const struct folder *folder = *state;
	static const char *const variants[] = { "sht", "osht", "esht", "rsht", "vrsht", "cluster" };
	for (size_t i = 0; i < sizeof(variants) / sizeof(variants[0]); i++)
		for (enum histree_nulls nulls = HISTREE_NULLS_OF_VARIANT; nulls <= HISTREE_NULLS_LEFT_OUT; nulls++)
			check_folders(folder, nulls, variants[i]);
}

/* A null at an end is in no node; one in the middle is. */
TEST_WITH(nulls_are_kept_or_left_out, make_folder, remove_folder)
{
	const struct folder *folder = *state;
	static const char *const variants[] = { "sht", "osht", "esht", "rsht", "vrsht", "cluster" };
	for (size_t i = 0; i < sizeof(variants) / sizeof(variants[0]); i++) {
		uint64_t used[2];
		for (int left_out = 0; left_out < 2; left_out++) {
			const struct histree_tree_options tree = {
				.variant = variants[i],
				.node_size = 4096,
				.nulls = left_out ? HISTREE_NULLS_LEFT_OUT : HISTREE_NULLS_KEPT,
			};
			struct histree_state_system *system = create_file(folder, &tree, 0);
			for (int key = 0; key < 50; key++) {
				char name[16];
				histree_quark quark;
				snprintf(name, sizeof(name), "%d", key);
				assert_ok(histree_state_attribute(system, HISTREE_ROOT, name, &quark, NULL));
				assert_ok(histree_state_modify(system, 10 + key, quark, histree_int(key), NULL));
				assert_ok(histree_state_modify(system, 100 + key, quark, histree_null(), NULL));
				assert_ok(histree_state_modify(system, 200 + key, quark, histree_int(key), NULL));
				assert_ok(histree_state_modify(system, 300 + key, quark, histree_null(), NULL));
			}
			assert_ok(histree_state_close(system, 1000, NULL));
			histree_state_free(system);
			struct histree_history *history = open_file(folder);
			const struct histree_history_info *info = histree_history_info(history);
			assert_int_equal(info->interval_count, 250);
			assert_int_equal(info->null_interval_count, 150);
			assert_ok(histree_history_verify(history, fail_on_fault, NULL, NULL));
			used[left_out] = info->node_bytes_used;
			histree_history_close(history);
			unlink(folder->file);
		}
		assert_true(used[1] < used[0]);
	}
}
