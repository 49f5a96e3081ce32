// SPDX-License-Identifier: MIT
/*
 * make_corpus.c - the first inputs of each target: what a real history looks like to it.
 *
 * They are made when they are needed (corpus_main.c).  What cannot be made, and inputs that once failed, are files
 * in tests/fuzz/corpus.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analysis/analysis.h"
#include "base/bytes.h"
#include "base/hash_index.h"
#include "event_index/event_index.h"
#include "fuzz.h"
#include "image.h"
#include "item/value.h"
#include "names_history.h"
#include "overview/overview_writer.h"
#include "segment/segment_memory.h"
#include "segment/segment_table.h"
#include "segment_tree/segment_scan.h"
#include "slice_corpus.h"
#include "state/attribute_section.h"
#include "state/labels.h"
#include "state/pyramid_cells.h"
#include "store/block_file.h"
#include "support/data.h"
#include "support/live_daemon.h"
#include "support/memory_io.h"
#include "support/segments.h"
#include "support/tree_file.h"
#include "support/workload.h"
#include "trace/ctf/ctf_live.h"

enum { NODE_SIZE = 4096 };

static corpus_put *put_input;
static void *put_context;

static void put(const char *target, const char *name, const uint8_t *bytes, size_t size)
{
	put_input(put_context, target, name, bytes, size);
}

/* The same with the byte before it that chooses what it is. */
static void put_chosen(const char *target, const char *name, uint8_t choice, const uint8_t *bytes, size_t size)
{
	uint8_t *chosen = malloc(size + 1);
	REQUIRE(chosen != NULL);
	chosen[0] = choice;
	memcpy(chosen + 1, bytes, size);
	put(target, name, chosen, size + 1);
	free(chosen);
}

static void put_values(void)
{
	const struct histree_value values[] = {
		histree_null(),
		histree_int(INT32_MIN),
		histree_long(INT64_MAX),
		histree_double((double)NAN),
		histree_bool(true),
		histree_string("running"),
		histree_custom("\1\2", 2),
		histree_unknown(),
	};
	uint8_t bytes[128], *at = bytes;
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
		at = value_encode(at, &values[i]);
	put("value", "all-types", bytes, (size_t)(at - bytes));
}

/* Ints, doubles and both; the eight bytes before are those of fuzz_numbers.c. */
static void put_numbers(void)
{
	static const char *const names[] = { "ints", "doubles", "mixed" };
	const struct histree_value values[3][4] = {
		{ histree_int(-7), histree_int(1000), histree_unknown(), histree_int(3) },
		{ histree_double(0.1), histree_double(-2.5e10), histree_null(), histree_double(3e-300) },
		{ histree_long(INT64_MIN), histree_double((double)INFINITY), histree_int(1), histree_bool(true) },
	};
	for (size_t i = 0; i < 3; i++) {
		struct number_summary summary = { 0 };
		uint8_t bytes[8 + NUMBER_SUMMARY_SIZE_MAX];
		for (size_t k = 0; k < 4; k++)
			number_summary_add(&summary, &values[i][k], 1000 + k);
		put_le64(bytes, 4005);
		put("numbers", names[i], bytes, 8 + number_summary_put(&summary, bytes + 8));
	}
}

/* Rows of idle loops, of nothing, of what nobody knows; owners; the nine bytes before are those of fuzz_cube.c. */
static void put_cube(void)
{
	static const struct cube_row calls[] = {
		{ { .status = 2, .cpu = 3, .system_call = 0, .had_by = USE_NOTHING }, 1000, 3, 2 },
		{ { .status = 2, .cpu = 0, .system_call = USE_NOTHING, .had_by = USE_NOTHING, .is_idle = true },
		  70,
		  1,
		  0 },
		{ { .status = USE_NOT_KNOWN,
		    .cpu = USE_NOTHING,
		    .system_call = USE_NOT_KNOWN,
		    .had_by = USE_NOTHING },
		  5,
		  0,
		  1 },
		{ { .status = 5, .cpu = USE_NOT_KNOWN, .system_call = 1, .had_by = USE_NOTHING }, 123456789, 0, 0 },
	};
	static const struct cube_row owners[] = {
		{ { .cpu = USE_NOTHING, .system_call = USE_NOTHING, .had_by = 42 }, 1000, 3, 0 },
		{ { .cpu = USE_NOTHING, .system_call = USE_NOTHING, .had_by = -1 }, 7, 7, 0 },
		{ { .cpu = USE_NOTHING, .system_call = USE_NOTHING, .had_by = USE_NOT_KNOWN }, 1 << 30, 0, 0 },
	};
	static const char *const names[CUBE_PARTS] = { "calls", "owners" };
	for (int part = 0; part < CUBE_PARTS; part++) {
		const struct cube_row *rows = part == CUBE_OF_CALLS ? calls : owners;
		const size_t count =
			part == CUBE_OF_CALLS ? sizeof(calls) / sizeof(*calls) : sizeof(owners) / sizeof(*owners);
		struct cube_cell cell = { 0 };
		struct intern texts = { 0 };
		struct byte_buffer saved = { 0 };
		uint8_t before[9] = { (uint8_t)part };
		put_le64(before + 1, UINT64_C(1) << 48);
		REQUIRE(intern_add(&texts, "write", 5) == 0 && intern_add(&texts, "futex", 5) == 1);
		byte_buffer_put(&saved, before, sizeof(before));
		for (size_t i = 0; i < count; i++)
			REQUIRE(cube_cell_add(&cell, &rows[i]));
		cube_cell_put(&cell, (enum cube_part)part, &texts, &saved);
		REQUIRE(!saved.failed);
		put("cube", names[part], saved.bytes, saved.size);
		byte_buffer_release(&saved);
		cube_cell_release(&cell);
		intern_release(&texts);
	}
}

/* One value, and several with unknown; the eight bytes before are those of fuzz_sums.c. */
static void put_sums(void)
{
	static const char *const names[] = { "one", "several" };
	const struct state_sum_part parts[] = { { .value = -5, .ns = 100, .begins = 3 },
						{ .value = INT32_MAX, .ns = 7 },
						{ .is_unknown = true, .ns = 1, .begins = 1 } };
	for (uint32_t i = 0; i < 2; i++) {
		struct state_sum sum = { 0 };
		uint8_t bytes[8 + STATE_SUM_SIZE_MAX];
		for (uint32_t k = 0; k < 1 + 2 * i; k++)
			REQUIRE(state_sum_add(&sum, &parts[k]));
		put_le64(bytes, 128);
		put("sums", names[i], bytes, 8 + state_sum_put(&sum, bytes + 8));
	}
}

/* The first and the last node of the file; the byte before it is that of fuzz_node.c, for a fan-out of 3. */
static void put_nodes(const struct block_file *file, const struct tree_variant *variant)
{
	uint8_t choice = (uint8_t)(variant->child_bounds | (variant->leaves == LEAVES_OF_COLUMNS ? 4 : 0) | 1 << 3);
	uint32_t numbers[] = { 0, file->block_count - 1 };
	for (size_t i = 0; i < 2; i++) {
		char name[64];
		uint8_t node[NODE_SIZE];
		snprintf(name, sizeof(name), "%s-%s", i == 0 ? "leaf" : "root", variant->name);
		REQUIRE(block_file_read(file, numbers[i], node, NULL) == HISTREE_OK);
		put_chosen("node", name, choice, node, get_le32(node + 40));
	}
}

/* The byte before it is that of fuzz_sections.c. */
static void put_section(const struct block_file *file, uint32_t id, uint8_t choice, const char *name,
			const char *of)
{
	uint8_t *bytes;
	size_t size;
	char named[64];
	snprintf(named, sizeof(named), "%s-%s", name, of);
	REQUIRE(block_file_section(file, id, &bytes, &size, NULL) == HISTREE_OK);
	put_chosen("sections", named, choice, bytes, size);
	free(bytes);
}

/* A tail behind a file without blocks, whose identity is zero as that of fuzz_tail.c. */
static void put_tail(const struct tree_variant *variant, const struct histree_interval *intervals, size_t count,
		     const struct reference *reference)
{
	struct memory_io memory;
	struct block_file *file, *tail;
	struct tree_writer *writer;
	struct tree_options options;
	const struct histree_tree_options asked = { .variant = variant->name,
						    .node_size = NODE_SIZE,
						    .fan_out = 3 };
	memory_io_init(&memory);
	REQUIRE(tree_options_resolve(&asked, reference->start, &options, NULL) == HISTREE_OK);
	REQUIRE(block_file_create(&memory.io, "f", NODE_SIZE, &file, NULL) == HISTREE_OK);
	REQUIRE(block_file_create_tail(file, "t", &tail, NULL) == HISTREE_OK);
	REQUIRE(tree_writer_create(tail, &options, &writer, NULL) == HISTREE_OK);
	size_t added;
	REQUIRE(tree_writer_add(writer, intervals, count, &added, NULL) == HISTREE_OK);
	REQUIRE(tree_writer_finish(writer, reference->end, reference->key_count, NULL) == HISTREE_OK);
	REQUIRE(block_file_complete(tail, NULL) == HISTREE_OK);
	tree_writer_free(writer);
	struct memory_file *image = memory_io_find(&memory, "t");
	uint8_t *packed = malloc(image->size * 2);
	REQUIRE(packed != NULL);
	put_le64(image->bytes + BLOCK_AT_IDENTITY, 0);
	put_le64(image->bytes + image->size - 88 + BLOCK_AT_IDENTITY, 0); /* the copy of the header */
	put("tail", variant->name, packed, image_pack(image->bytes, image->size, packed));
	free(packed);
	block_file_close(tail);
	block_file_close(file);
	memory_io_release(&memory);
}

/* The file of names of some threads, and one that is cut. */
static void put_names(void)
{
	const struct overview_options options = {
		.history_states_min = 1, .percent_max = 1, .names_percent_max = 100000, .threads = 1
	};
	struct memory_io memory;
	memory_io_init(&memory);
	names_history_make(&memory);
	REQUIRE(overviews_write(&memory.io, "f", &options, NULL) == HISTREE_OK);
	const struct memory_file *file = memory_io_find(&memory, "f.names");
	REQUIRE(file != NULL);
	uint8_t *packed = malloc(file->size * 2);
	REQUIRE(packed != NULL);
	const size_t size = image_pack(file->bytes, file->size, packed);
	put("names", "threads", packed, size);
	put("names", "cut", packed, size / 2);
	free(packed);
	memory_io_release(&memory);
}

static void put_tree(const struct tree_variant *variant, const struct workload_kind *kind)
{
	struct memory_io memory;
	struct workload workload;
	struct reference reference;
	size_t count;
	REQUIRE(workload_make(&workload, kind, 1));
	struct histree_interval *intervals = workload_intervals(&workload, &count);
	REQUIRE(intervals != NULL);
	REQUIRE(reference_make(&reference, intervals, count, workload.start, workload.end, workload.key_count));
	memory_io_init(&memory);
	const struct histree_tree_options asked = { .variant = variant->name,
						    .node_size = NODE_SIZE,
						    .fan_out = 3 };
	REQUIRE(tree_file_write(&memory.io, "f", &asked, &reference, intervals, NULL) == HISTREE_OK);
	struct memory_file *file = memory_io_find(&memory, "f");
	uint8_t *packed = malloc(file->size * 2);
	REQUIRE(packed != NULL);
	put("file", variant->name, packed, image_pack(file->bytes, file->size, packed));
	free(packed);
	struct block_file *opened;
	REQUIRE(block_file_open(&memory.io, "f", &opened, NULL) == HISTREE_OK);
	put_nodes(opened, variant);
	put_section(opened, SECTION_TREE, 0, "shape", variant->name);
	put_section(opened, SECTION_STATISTICS, 1, "statistics", variant->name);
	if (variant->has_lifetimes)
		put_section(opened, SECTION_LIFETIMES, 4, "lifetimes", variant->name);
	block_file_close(opened);
	memory_io_release(&memory);
	put_tail(variant, intervals, count, &reference);
	reference_release(&reference);
	free(intervals);
	workload_release(&workload);
}

/* Pages of a side table: with its places, and some that lead nowhere. */
static void put_pages(void)
{
	enum { COUNT = 400 };
	uint64_t places[COUNT];
	uint8_t page[TABLE_PAGE_SIZE];
	for (uint32_t i = 0; i < COUNT; i++)
		places[i] = segment_location(i / 100, 0, i % 100);
	put("table", "places", page, table_page_put(page, 0, places, COUNT));
	places[7] = segment_location(UINT32_MAX, 3, 1);
	put("table", "no-node", page, table_page_put(page, 0, places, COUNT));
	places[7] = segment_location(1, 999, 1);
	put("table", "no-block", page, table_page_put(page, 0, places, COUNT));
	places[7] = segment_location(1, 0, 127);
	put("table", "no-segment", page, table_page_put(page, 0, places, COUNT));
	put("table", "few", page, table_page_put(page, 0, places, 3));
}

/* Summaries as fuzz_summary.c has them: of one segment, of ten, and of so many that they are those of its store. */
static uint8_t *put_summary(uint8_t *at, uint64_t start, uint64_t duration, uint64_t count)
{
	const uint64_t numbers[] = { start, duration, count, duration / 20, 7, duration / 20 * (count / 2) };
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		put_le64(at + 8 * i, numbers[i]);
	put_le32(at + 48, 0x40000000);
	at[52] = count == 1 ? 0xff : 0;
	at[53] = (uint8_t)count;
	return at + 54;
}

static void put_summaries(void)
{
	uint8_t bytes[54 * 4], *at = put_summary(bytes, 1000, 70, 1);
	put("summary", "one", bytes, (size_t)(at - bytes));
	at = put_summary(at, 5000, 650, 10);
	put("summary", "two", bytes, (size_t)(at - bytes));
	at = put_summary(at, 20000, 650, 200);
	at = put_summary(at, 20100, 900, 89);
	put("summary", "all", bytes, (size_t)(at - bytes));
}

/* The first leaf, the root and the schema of a segment store. */
static void put_segments(const struct segment_kind *kind)
{
	struct memory_io memory;
	struct segments segments;
	struct histree_segment_store *store;
	struct block_file *file;
	memory_io_init(&memory);
	REQUIRE(segments_make(&segments, kind, 1));
	const struct histree_segment_store_options options = { .path = "f",
							       .schema = *segments.schema,
							       .node_size = NODE_SIZE };
	REQUIRE(segment_store_create(&memory.io, &options, &store, NULL) == HISTREE_OK);
	for (size_t i = 0; i < segments.count; i++)
		REQUIRE(histree_segment_store_add(store, &segments.segments[i], NULL) == HISTREE_OK);
	REQUIRE(histree_segment_store_finish(store, NULL) == HISTREE_OK);
	histree_segment_store_close(store);
	REQUIRE(block_file_open(&memory.io, "f", &file, NULL) == HISTREE_OK);
	uint32_t numbers[] = { 0, file->block_count - 1 };
	for (size_t i = 0; i < 2; i++) {
		char name[64];
		uint8_t node[NODE_SIZE];
		snprintf(name, sizeof(name), "%s-%s", i == 0 ? "leaf" : "root", kind->name);
		REQUIRE(block_file_read(file, numbers[i], node, NULL) == HISTREE_OK);
		put("segments", name, node, get_le32(node + 40));
	}
	put_section(file, SECTION_SEGMENTS, 5, "schema", kind->name);
	block_file_close(file);
	memory_io_release(&memory);
	segments_release(&segments);
}

struct memory_bytes {
	uint8_t bytes[4096];
	size_t size;
};

static enum histree_status keep_bytes(void *context, const void *bytes, size_t size, struct histree_error *error)
{
	(void)error;
	struct memory_bytes *memory = context;
	REQUIRE(size <= sizeof(memory->bytes) - memory->size);
	memcpy(memory->bytes + memory->size, bytes, size);
	memory->size += size;
	return HISTREE_OK;
}

/* Threads with the same attributes, one of which came late, and names that are alone. */
static void put_attributes(void)
{
	static const char *const paths[] = { "CPUs/0/Current_thread", "CPUs/1/Current_thread", "Threads/7/PPID",
					     "Threads/7/Status",      "Threads/8/PPID",        "Threads/8/Status",
					     "Threads/9/PPID",        "Threads/9/Status",      "Threads/8/Prio",
					     "IRQs/28\\/eno1",        "Threads/0_1/Status" };
	struct attribute_tree tree;
	struct memory_bytes saved = { 0 };
	histree_quark quark;
	attribute_tree_init(&tree);
	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++)
		REQUIRE(attribute_tree_add_path(&tree, HISTREE_ROOT, paths[i], &quark, NULL) == HISTREE_OK);
	const struct section_sink sink = { .write = keep_bytes, .context = &saved };
	REQUIRE(attribute_section_save(&tree, &sink, NULL) == HISTREE_OK);
	put_chosen("sections", "attributes", 2, saved.bytes, saved.size);
	attribute_tree_release(&tree);
}

static void put_label_tables(const char *name, const struct histree_label_table *tables, size_t count)
{
	struct told_list copy;
	uint8_t *bytes;
	size_t size;
	REQUIRE(label_tables_copy(tables, count, &copy, NULL) == HISTREE_OK);
	REQUIRE(told_encode(&told_labels, copy.tables, copy.count, &bytes, &size, NULL) == HISTREE_OK);
	put_chosen("sections", name, 7, bytes, size);
	told_list_release(&copy);
	free(bytes);
}

/* Those of an analysis, and one with labels of each kind. */
static void put_labels(void)
{
	static const char *const patterns[] = { "Machines/**/*\\/x", "*", NULL };
	static const struct histree_label labels[] = {
		{ .first = INT64_MIN,
		  .last = -5,
		  .is_code = true,
		  .has_no_colour = true,
		  .style = { "a", "b", 0, 0, 0 } },
		{ .first = 1, .last = 1, .is_hidden = true },
		{ .kind = HISTREE_LABEL_TEXT, .text = "", .style = { "none", "says nothing", 0, 0xffffff, 1 } },
		{ .kind = HISTREE_LABEL_TEXT, .text = "on", .is_code = true, .style = { "c", "d", 1, 2, 0.33 } },
		{ .kind = HISTREE_LABEL_OTHERS, .style = { "e", "f", 3, 4, 0.5 } },
	};
	const struct histree_label_table table = {
		"made", HISTREE_MEANS_ANYTHING, patterns, labels, sizeof(labels) / sizeof(labels[0]), true
	};
	put_label_tables("labels-kernel", analysis_kernel.labels, analysis_kernel.label_table_count);
	put_label_tables("labels-of-each-kind", &table, 1);
}

/* Long enough that nodes are closed. */
static void put_operations(void)
{
	for (uint8_t choice = 0; choice < 6; choice++) {
		uint8_t bytes[2000];
		char name[16];
		struct random random = { choice };
		for (size_t i = 0; i < sizeof(bytes); i++)
			bytes[i] = (uint8_t)random_bits(&random);
		bytes[0] = choice;
		snprintf(name, sizeof(name), "random-%u", choice);
		put("history", name, bytes, sizeof(bytes));
	}
}

static void put_words(void)
{
	static const char *const words[] = { "CPUs/*/Current_thread",
					     "**",
					     "Threads/42/..",
					     "CPUs/1/IRQs/3\\/*",
					     "+12.5ms",
					     "23:59:59.999999999",
					     "-9223372036854775808",
					     "a/**/a/**/a/**/c" };
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		char name[16];
		snprintf(name, sizeof(name), "word-%zu", i);
		put("words", name, (const uint8_t *)words[i], strlen(words[i]));
	}
}

static void put_filters(void)
{
	static const char *const filters[] = { "duration > 1ms && name == futex",
					       "ret < 0 || !(tid present)",
					       "'Start Time' >= +12.5ms && \"Start Time\" < 17:46:23.1",
					       "name matches \"^(rt_)?[a-z[:digit:]]+\\\\w*$\"",
					       "running && !label contains 'a b' && main = true",
					       "ratio <= -1.5e3 || tid != 42",
					       "((a))||!b" };
	for (size_t i = 0; i < sizeof(filters) / sizeof(filters[0]); i++) {
		char name[16];
		snprintf(name, sizeof(name), "filter-%zu", i);
		put("filter", name, (const uint8_t *)filters[i], strlen(filters[i]));
	}
}

/* Gaps, and no events; one of a whole trace is among the inputs that were added by hand. */
static void put_event_index(void)
{
	static const struct event_gap gaps[] = { { .cpu = 0, .begin = 100, .end = 190, .events = 7 },
						 { .cpu = -1, .begin = 90, .end = INT64_MAX },
						 { .cpu = 3, .begin = INT64_MIN, .end = -5, .events = 1 } };
	struct event_index_writer writer = { .end = 200 };
	struct memory_io memory;
	memory_io_init(&memory);
	for (size_t i = 0; i < sizeof(gaps) / sizeof(gaps[0]); i++)
		REQUIRE(event_index_add_gap(&writer, &gaps[i], NULL) == HISTREE_OK);
	uint64_t identity;
	REQUIRE(event_index_write(&writer, &memory.io, "index", &identity, NULL) == HISTREE_OK);
	const struct memory_file *file = memory_io_find(&memory, "index");
	put("event_index", "gaps", file->bytes, file->size);
	event_index_writer_release(&writer);
	memory_io_release(&memory);
}

/* What a relay daemon answers while a session is read. */
static void put_live(const char *name, const struct live_daemon_options *options)
{
	char path[DATA_PATH_SIZE], folder[64];
	snprintf(folder, sizeof(folder), "tests/data/%s", name);
	const char *folders[] = { source_path(path, folder) };
	struct live_daemon *daemon = live_daemon_create(folders, 1, options);
	struct trace_notes notes = { 0 };
	uint32_t class_count = 0;
	struct ctf_live live = { .notes = &notes, .class_count = &class_count };
	live_daemon_connect(daemon, &live.relay);
	enum histree_status status = ctf_live_attach(&live, LIVE_DAEMON_ADDRESS, NULL);
	while (status == HISTREE_OK || status == HISTREE_NOT_FOUND)
		status = ctf_live_next(&live, NULL);
	REQUIRE(status == HISTREE_END);
	size_t size;
	const uint8_t *answers = live_daemon_answers(daemon, &size);
	put("live", name, answers, size);
	ctf_live_close(&live);
	trace_notes_release(&notes);
	live_daemon_free(daemon);
}

static void put_slice(const char *name, uint8_t form, const uint8_t *bytes, size_t size)
{
	put_chosen("slice", name, form, bytes, size);
}

/* Times that go back by less than what a text may be late, and one that is later than that. */
static void put_late_events(void)
{
	char text[1 << 16];
	int size = snprintf(text, sizeof(text), "\ntime,name\n");
	for (int i = 0; i < 200; i++)
		size += snprintf(text + size, sizeof(text) - (size_t)size, "%d,a\n", i * 19 % 50);
	put("event_text", "disorder", (const uint8_t *)text, (size_t)size);
	size = snprintf(text, sizeof(text), "\ntime,name\n");
	for (int i = 0; i < 5000; i++)
		size += snprintf(text + size, sizeof(text) - (size_t)size, "%d,a\n", i);
	size += snprintf(text + size, sizeof(text) - (size_t)size, "1,b\n");
	put("event_text", "late", (const uint8_t *)text, (size_t)size);
}

/* Files of tests/data are inputs as they are. */
struct loaded {
	const char *target, *name;
};

static void put_loaded(void *context, const uint8_t *bytes, size_t size)
{
	const struct loaded *loaded = context;
	put(loaded->target, loaded->name, bytes, size);
}

static void put_data(const char *target, const char *folder, const char *file)
{
	char path[DATA_PATH_SIZE];
	struct loaded loaded = { target, strrchr(folder, '/') + 1 };
	REQUIRE(fuzz_load(source_path(path, folder), file, put_loaded, &loaded) == 1);
}

enum { MANIFEST_SIZE = 1 << 12 };

static void replace_in_manifest(char text[static MANIFEST_SIZE], const char *old, const char *new)
{
	char *at = strstr(text, old);
	REQUIRE(at != NULL && strlen(text) + strlen(new) < MANIFEST_SIZE);
	memmove(at + strlen(new), at + strlen(old), strlen(at + strlen(old)) + 1);
	memcpy(at, new, strlen(new));
}

/* The manifest of two hosts says of them what it must not, or seldom does. */
static void put_manifests(void *context, const uint8_t *bytes, size_t size)
{
	static const struct {
		const char *name;
		struct {
			const char *old, *new;
		} edits[4];
	} kinds[] = {
		{ "absolute", { { "\"VM3\"", "\"x\"" }, { "hosts/VM3", "/etc" } } },
		{ "escaped",
		  { { "\"VM1\"", "\".a/b\"" },
		    { "hosts/VM1", "hosts/%2Ea%2Fb" },
		    { "\"VM3\"", "\"c.building\"" },
		    { "hosts/VM3", "hosts/c%2Ebuilding" } } },
		{ "neighbour", { { "VM3\",\n   \"neighbour\": 0", "VM3\",\n   \"neighbour\": 2" } } },
		{ "outside", { { "\"VM3\"", "\"x\"" }, { "hosts/VM3", "hosts/../x" } } },
		{ "quality",
		  { { "\"VM3\"", "\"b\"" }, { "hosts/VM3", "hosts/b" }, { "\"accurate\",", "\"good\"," } } },
		{ "rate",
		  { { "1361214092834760755", "9223372036854775807" },
		    { "1361214092915325956", "-9223372036854775808" },
		    { "270360398968000", "4611686018427387904" } } },
		{ "twice", { { "\"VM3\"", "\"VM1\"" }, { "hosts/VM3", "hosts/VM1" } } },
		{ "wrong_rate", { { "270360398968000", "-4611686018427387904" } } },
	};
	(void)context;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		char text[MANIFEST_SIZE] = { 0 };
		REQUIRE(size < sizeof(text));
		memcpy(text, bytes, size);
		for (size_t j = 0; j < 4 && kinds[i].edits[j].old != NULL; j++)
			replace_in_manifest(text, kinds[i].edits[j].old, kinds[i].edits[j].new);
		put("manifest", kinds[i].name, (const uint8_t *)text, strlen(text));
	}
}

void corpus_make(corpus_put *input, void *context)
{
	put_input = input;
	put_context = context;
	put_values();
	put_numbers();
	put_sums();
	put_cube();
	put_operations();
	put_words();
	put_filters();
	put_event_index();
	const struct workload_kind kind = { "corpus", 30, 750, -100, 50, 20, CHOOSE_FEW, 30, 0 };
	for (size_t i = 0; tree_variants[i] != NULL; i++)
		put_tree(tree_variants[i], &kind);
	put_names();
	put_pages();
	put_summaries();
	put_segments(&(struct segment_kind){ "times", SEGMENTS_BY_END, 900, false });
	put_segments(&(struct segment_kind){ "content", SEGMENTS_SCATTERED, 150, true });
	static const uint8_t provider[] = "\1\0\0\0kernel";
	put_live("ctf-calls", &(struct live_daemon_options){ .refusals = 2, .metadata_size = 600 });
	put_live("ctf-made", &(struct live_daemon_options){ .is_packetized = true, .tells_late = true });
	put_attributes();
	put_labels();
	slice_corpus(put_slice);
	put_chosen("sections", "provider", 3, provider, sizeof(provider) - 1);
	put_late_events();
	put_data("ctf_metadata", "tests/data/ctf-calls", "metadata");
	put_data("ctf_metadata", "tests/data/ctf-made", "metadata");
	put_data("lines", "tests/data/lines-made", "trace.txt");
	char path[DATA_PATH_SIZE];
	REQUIRE(fuzz_load(source_path(path, "tests/fuzz/corpus/manifest"), "two", put_manifests, NULL) == 1);
}
