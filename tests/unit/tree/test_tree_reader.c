// SPDX-License-Identifier: MIT
/*
 * test_tree_reader.c - sections that are malformed, the iterator, and tree_verify(), which must find what a hostile
 * or careless writer does to a tree whose checksums are all right.
 */
#include "base/bytes.h"
#include "store/block_file.h"
#include "support/block_parts.h"
#include "support/faulty_io.h"
#include "support/memory_io.h"
#include "support/test.h"
#include "support/tree_file.h"
#include "support/workload.h"
#include "tree/tree_iter.h"
#include "tree/tree_reader.h"

enum { NODE_SIZE = 4096 };

/* A tree of some levels in memory, with the oracle of its intervals. */
struct fixture {
	struct memory_io memory;
	struct workload workload;
	struct reference reference;
	struct tree_file tree;
};

static void set_up(struct fixture *fixture, const char *variant, size_t kind)
{
	struct histree_error error;
	size_t count;
	assert_true(workload_make(&fixture->workload, &workload_kinds[kind], 11));
	struct histree_interval *intervals = workload_intervals(&fixture->workload, &count);
	assert_non_null(intervals);
	assert_true(reference_make(&fixture->reference, intervals, count, fixture->workload.start,
				   fixture->workload.end, fixture->workload.key_count));
	memory_io_init(&fixture->memory);
	const struct histree_tree_options asked = { .variant = variant, .node_size = NODE_SIZE, .fan_out = 3 };
	if (tree_file_write(&fixture->memory.io, "f", &asked, &fixture->reference, intervals, &error) !=
		    HISTREE_OK ||
	    tree_file_open(&fixture->memory.io, "f", 1, &fixture->tree, &error) != HISTREE_OK)
		fail_msg("%s", error.message);
	free(intervals);
}

static void tear_down(struct fixture *fixture)
{
	tree_file_close(&fixture->tree);
	reference_release(&fixture->reference);
	workload_release(&fixture->workload);
	memory_io_release(&fixture->memory);
}

/* ---- sections ------------------------------------------------------------------------------------------ */

static void put_section(struct block_file *file, uint32_t id, const void *bytes, size_t size)
{
	assert_ok(block_file_section_begin(file, id, NULL));
	assert_ok(block_file_section_write(file, bytes, size, NULL));
	block_file_section_end(file);
}

/* Opening a file of one empty block with these sections fails so. */
static void assert_sections_refused(const uint8_t *shape, size_t shape_size, const uint8_t *statistics,
				    size_t statistics_size, enum histree_status expected, const char *reason)
{
	struct memory_io memory;
	struct block_file *file;
	struct tree_reader *reader;
	struct histree_error error = { 0 };
	uint8_t block[NODE_SIZE] = { 0 };
	memory_io_init(&memory);
	assert_ok(block_file_create(&memory.io, "f", NODE_SIZE, &file, NULL));
	assert_ok(block_file_write_part(file, 0, block, file->block_size, NULL));
	put_section(file, SECTION_TREE, shape, shape_size);
	put_section(file, SECTION_STATISTICS, statistics, statistics_size);
	assert_ok(block_file_complete(file, NULL));
	block_file_close(file);
	assert_ok(block_file_open(&memory.io, "f", &file, NULL));
	assert_int_equal(tree_reader_open(file, 1 << 20, 0, &reader, &error), expected);
	if (expected == HISTREE_OK)
		tree_reader_close(reader);
	else if (strstr(error.message, reason) == NULL)
		fail_msg("refused, but because: %s", error.message);
	block_file_close(file);
	memory_io_release(&memory);
}

TEST(malformed_sections_are_refused)
{
	uint8_t shape[36] = { 0 }, statistics[40] = { 0 };
	put_le32(shape, 3);
	put_le32(shape + 8, 50);
	put_le32(shape + 16, 4);
	put_le64(shape + 20, 100);
	put_le64(shape + 28, 200);
	statistics[3] = 1; /* one height */
	statistics[5] = 20;
	size_t size = 26; /* 4 numbers, 1 height, the 20 buckets and their number */
	assert_sections_refused(shape, 36, statistics, size, HISTREE_OK, NULL);
	for (size_t cut = 0; cut < 36; cut++)
		assert_sections_refused(shape, cut, statistics, size, HISTREE_ERR_FORMAT,
					"section TREE: is cut short");
	for (size_t cut = 0; cut < size; cut++)
		assert_sections_refused(shape, 36, statistics, cut, HISTREE_ERR_FORMAT,
					"section STAT is malformed");

	static const struct {
		uint32_t offset, value;
		enum histree_status status;
		const char *reason;
	} damages[] = {
		{ 0, 0, HISTREE_ERR_VERSION, "tree variant 0 is not known to this version; use a newer histree" },
		{ 0, 99, HISTREE_ERR_VERSION, "tree variant 99" },
		{ 8, 1, HISTREE_ERR_FORMAT, "fan-out 1" },
		{ 12, 1, HISTREE_ERR_FORMAT, "root 1 of 1 nodes" },
		{ 28, 99, HISTREE_ERR_FORMAT, "from 100 to 99" },
	};
	for (size_t i = 0; i < sizeof(damages) / sizeof(damages[0]); i++) {
		uint8_t damaged[36];
		memcpy(damaged, shape, sizeof(damaged));
		put_le32(damaged + damages[i].offset, damages[i].value);
		assert_sections_refused(damaged, 36, statistics, size, damages[i].status, damages[i].reason);
	}
	put_le64(shape + 28, INT64_MAX); /* nothing could come after it */
	assert_sections_refused(shape, 36, statistics, size, HISTREE_ERR_FORMAT, "from 100 to 9223372036854775807");
	put_le64(shape + 28, 200);
	statistics[3] = 0x7f;
	assert_sections_refused(shape, 36, statistics, size, HISTREE_ERR_FORMAT, "malformed");
	statistics[3] = 1;
	statistics[5] = 19;
	assert_sections_refused(shape, 36, statistics, size, HISTREE_ERR_FORMAT, "malformed");
}

/* ---- the iterator -------------------------------------------------------------------------------------- */

TEST(an_iterator_is_at_its_end_until_it_is_started)
{
	struct fixture fixture;
	struct tree_iter *iter;
	struct histree_interval interval;
	set_up(&fixture, "esht", 0);
	assert_ok(tree_iter_create(fixture.tree.reader, &iter, NULL));
	assert_int_equal(tree_iter_next(iter, &interval, NULL), HISTREE_END);
	const struct histree_region all = { .from = fixture.reference.start, .to = fixture.reference.end };
	tree_iter_start(iter, &all);
	assert_ok(tree_iter_next(iter, &interval, NULL));
	tree_iter_stop(iter);
	assert_int_equal(tree_iter_next(iter, &interval, NULL), HISTREE_END);
	tree_iter_free(iter);
	tree_iter_free(NULL);
	tear_down(&fixture);
}

TEST(one_node_is_held_at_most)
{
	for (size_t i = 0; tree_variants[i] != NULL; i++) {
		struct fixture fixture;
		struct subject subject;
		struct answer answer;
		struct random random = { i };
		set_up(&fixture, tree_variants[i]->name, 1);
		uint32_t nodes = fixture.tree.file->block_count;
		assert_true(nodes > 5);
		assert_ok(tree_file_subject(&fixture.tree, &subject, NULL));
		assert_true(answer_make(&answer, &fixture.reference));
		const char *fault = reference_compare_many(&fixture.reference, &answer, &subject, &random, 60);
		if (fault != NULL)
			fail_msg("%s", fault);
		tree_iter_free(subject.query);
		answer_release(&answer);
		assert_in_range(node_cache_block_bytes(fixture.tree.reader->cache), 1, NODE_SIZE);
		tear_down(&fixture);
	}
}

/* Cost grows with what is asked: one key at one time is a path or two, not the tree. */
TEST(a_single_query_visits_few_nodes)
{
	for (size_t i = 0; tree_variants[i] != NULL; i++) {
		struct fixture fixture;
		struct tree_iter *iter;
		struct histree_interval interval;
		set_up(&fixture, tree_variants[i]->name, 0);
		uint32_t nodes = fixture.tree.file->block_count;
		assert_ok(tree_iter_create(fixture.tree.reader, &iter, NULL));
		uint64_t visited = 0;
		for (size_t k = 0; k < fixture.reference.count; k += 17) {
			const struct histree_interval *known = &fixture.reference.sorted[k];
			const struct histree_region region = {
				.quarks = &known->quark, .quark_count = 1, .from = known->end, .to = known->end
			};
			tree_iter_start(iter, &region);
			assert_ok(tree_iter_next(iter, &interval, NULL));
			assert_int_equal(interval.start, known->start);
			assert_int_equal(tree_iter_next(iter, &interval, NULL), HISTREE_END);
			visited += tree_iter_stats(iter).nodes_visited;
		}
		assert_true(visited * 2 < (uint64_t)nodes * (fixture.reference.count / 17));
		tree_iter_free(iter);
		tear_down(&fixture);
	}
}

/* Whoever asks again after an error gets the rest, not less. */
TEST(an_interrupted_query_goes_on_where_it_was)
{
	struct fixture fixture;
	set_up(&fixture, "esht", 0);
	struct faulty_io faulty;
	faulty_io_init(&faulty, &fixture.memory.io);
	struct tree_file tree;
	assert_ok(tree_file_open(&faulty.io, "f", 1, &tree, NULL));
	struct tree_iter *iter;
	assert_ok(tree_iter_create(tree.reader, &iter, NULL));
	const struct histree_region all = { .from = fixture.reference.start, .to = fixture.reference.end };
	tree_iter_start(iter, &all);
	size_t count = 0, failures = 0;
	for (;;) {
		struct histree_interval interval;
		if (failures <= count / 100)
			faulty.fail_at = faulty.operations + 1;
		enum histree_status status = tree_iter_next(iter, &interval, NULL);
		if (status == HISTREE_END)
			break;
		assert_true(status == HISTREE_OK || status == HISTREE_ERR_IO);
		count += status == HISTREE_OK;
		failures += status == HISTREE_ERR_IO;
	}
	assert_int_equal(count, fixture.reference.count);
	assert_true(failures > 0);
	tree_iter_free(iter);
	tree_file_close(&tree);
	tear_down(&fixture);
}

/* Every key at some times: all that is unknown or not. */
static size_t count_unknown(struct fixture *fixture, const struct tree_file *tree)
{
	struct tree_iter *iter;
	size_t unknown = 0;
	assert_ok(tree_iter_create(tree->reader, &iter, NULL));
	for (size_t k = 0; k < fixture->reference.count; k += 7) {
		const struct histree_interval *known = &fixture->reference.sorted[k];
		const struct histree_region region = {
			.quarks = &known->quark, .quark_count = 1, .from = known->end, .to = known->end
		};
		struct histree_interval interval;
		tree_iter_start(iter, &region);
		assert_ok(tree_iter_next(iter, &interval, NULL));
		unknown += interval.value.type == HISTREE_UNKNOWN;
		assert_int_equal(tree_iter_next(iter, &interval, NULL), HISTREE_END);
	}
	tree_iter_free(iter);
	return unknown;
}

/* A leaf that was refused is not read by the next question. */
TEST(a_damaged_leaf_is_read_once)
{
	for (size_t i = 0; tree_variants[i] != NULL; i++) {
		struct fixture fixture;
		struct tree_file tree;
		set_up(&fixture, tree_variants[i]->name, 0);
		struct memory_file *file = memory_io_find(&fixture.memory, "f");
		size_t size;
		block_parts_node(file->bytes, file->size, 0, &size)[40] ^= 16;
		assert_ok(tree_file_open(&fixture.memory.io, "f", 64 << 20, &tree, NULL));
		size_t unknown = count_unknown(&fixture, &tree);
		assert_true(unknown > 0 && unknown < fixture.reference.count / 7);
		uint64_t read = fixture.memory.bytes_read;
		for (int again = 0; again < 3; again++)
			assert_int_equal(count_unknown(&fixture, &tree), unknown);
		assert_int_equal(fixture.memory.bytes_read, read);
		tree_file_close(&tree);
		tear_down(&fixture);
	}
}

/* ---- verify -------------------------------------------------------------------------------------------- */

static uint8_t *file_bytes(struct fixture *fixture)
{
	return memory_io_find(&fixture->memory, "f")->bytes;
}

/* Make every checksum right. */
static void seal(struct fixture *fixture)
{
	block_parts_seal(file_bytes(fixture), memory_io_find(&fixture->memory, "f")->size);
}

static uint8_t *node_bytes(struct fixture *fixture, uint32_t number)
{
	return file_bytes(fixture) + BLOCK_FILE_HEADER_SIZE + (size_t)number * NODE_SIZE;
}

struct faults {
	unsigned count;
	const char *reason;
	bool named; /* one of them says the reason */
	char first[200];
};

static void count_fault(void *context, const char *fault)
{
	struct faults *faults = context;
	if (faults->count++ == 0)
		snprintf(faults->first, sizeof(faults->first), "%s", fault);
	faults->named |= strstr(fault, faults->reason) != NULL;
}

/* The file as it is now has a fault that says `reason`. */
static void assert_fault(struct fixture *fixture, const char *reason)
{
	struct tree_file tree;
	struct faults faults = { .reason = reason };
	struct histree_error error;
	assert_ok(tree_file_open(&fixture->memory.io, "f", 1 << 20, &tree, NULL));
	assert_int_equal(tree_verify(tree.reader, count_fault, &faults, &error), HISTREE_ERR_FORMAT);
	if (!faults.named)
		fail_msg("%u faults, but not '%s'; the first is: %s", faults.count, reason, faults.first);
	char last[64];
	snprintf(last, sizeof(last), "'f': %u fault%s", faults.count, faults.count == 1 ? "" : "s");
	assert_string_equal(error.message, last);

	/* And it can be queried, with an answer or an error. */
	struct subject subject;
	struct histree_interval interval;
	const struct histree_region all = { .from = fixture->reference.start, .to = fixture->reference.end };
	assert_ok(tree_file_subject(&tree, &subject, NULL));
	tree_iter_start(subject.query, &all);
	enum histree_status status;
	while ((status = tree_iter_next(subject.query, &interval, NULL)) == HISTREE_OK)
		;
	assert_true(status == HISTREE_END || status == HISTREE_ERR_FORMAT);
	tree_iter_free(subject.query);
	tree_file_close(&tree);
}

/* Change a number of a node, see the fault, change it back. */
static void assert_node_fault(struct fixture *fixture, uint32_t number, uint32_t offset, uint64_t value,
			      size_t size, const char *reason)
{
	uint8_t kept[NODE_SIZE], *node = node_bytes(fixture, number);
	memcpy(kept, node, NODE_SIZE);
	if (size == 8)
		put_le64(node + offset, value);
	else if (size == 4)
		put_le32(node + offset, (uint32_t)value);
	else
		put_le16(node + offset, (uint16_t)value);
	seal(fixture);
	assert_fault(fixture, reason);
	memcpy(node, kept, NODE_SIZE);
	seal(fixture);
}

TEST(every_fault_of_a_node_is_found)
{
	struct fixture fixture;
	set_up(&fixture, "esht", 0);
	uint32_t root = fixture.tree.reader->shape.root;
	uint8_t *node = node_bytes(&fixture, root);
	assert_ok(tree_verify(fixture.tree.reader, NULL, NULL, NULL));
	enum { CHILD = 48, CHILD_SIZE = 28 };
	uint32_t child = get_le32(node + CHILD);
	uint64_t start = get_le64(node + CHILD + 4), end = get_le64(node + CHILD + 12);

	assert_node_fault(&fixture, root, CHILD, root, 4, "as a child");
	assert_node_fault(&fixture, root, CHILD + 4, start + 1, 8, "has other bounds of its child");
	assert_node_fault(&fixture, root, CHILD + 12, end + 1, 8, "has other bounds of its child");
	assert_node_fault(&fixture, root, CHILD + 20, 1, 4, "has other bounds of its child");
	assert_node_fault(&fixture, root, CHILD + 24, 3, 4, "has other bounds of its child");
	assert_node_fault(&fixture, root, 8, get_le16(node_bytes(&fixture, child) + 8), 2, "that is not below it");
	assert_node_fault(&fixture, root, 16, start + 5, 8, "does not enclose its child");
	assert_node_fault(&fixture, root, 24, (uint64_t)fixture.reference.end + 1, 8,
			  "outside the history in time");
	assert_node_fault(&fixture, root, 8, 60000, 2, "height 60000 of");
	assert_node_fault(&fixture, 0, 12, get_le32(node_bytes(&fixture, 0) + 12) - 1, 4, "rows, but it says");
	assert_node_fault(&fixture, 0, 36, get_le32(node_bytes(&fixture, 0) + 36) + 1, 4, "its keys are from");
	uint32_t used = get_le32(node_bytes(&fixture, 0) + 40);
	assert_node_fault(&fixture, 0, used - 4, 1, 4, "its index does not lead to its rows");
	assert_node_fault(&fixture, 0, get_le32(node_bytes(&fixture, 0) + 44) + 3, 0x07, 4, "is malformed");

	node = node_bytes(&fixture, 0);
	node[100] ^= 1;
	assert_fault(&fixture, "'f': node 0: checksum mismatch");
	node[100] ^= 1;
	if (used < NODE_SIZE) {
		node[NODE_SIZE - 1] = 1;
		assert_fault(&fixture, "bytes after its end are not zero");
		node[NODE_SIZE - 1] = 0;
	}
	assert_ok(tree_verify(fixture.tree.reader, NULL, NULL, NULL));
	tear_down(&fixture);
}

/* Each interval is right, the statistics are, and yet they are not a history. */
TEST(holes_and_overlaps_are_found)
{
	static const struct {
		struct histree_interval intervals[3];
		uint32_t keys;
		const char *reason; /* NULL: a history */
	} cases[] = {
		{ { { 0, 4, 0, { 0 } }, { 5, 8, 0, { 0 } }, { 9, 9, 0, { 0 } } }, 1, NULL },
		{ { { 0, 4, 0, { 0 } }, { 5, 7, 0, { 0 } }, { 9, 9, 0, { 0 } } },
		  1,
		  "attribute 0: its intervals do not cover" },
		{ { { 0, 4, 0, { 0 } }, { 5, 8, 0, { 0 } }, { 9, 9, 0, { 0 } } },
		  2,
		  "attribute 1: its intervals do not cover" },
		{ { { 0, 4, 0, { 0 } }, { 5, 9, 0, { 0 } }, { 9, 9, 0, { 0 } } },
		  1,
		  "is not after the one before it" },
		{ { { 0, 4, 0, { 0 } }, { 0, 9, 1, { 0 } }, { 6, 9, 0, { 0 } } },
		  2,
		  "attribute 0: its intervals do not cover" },
		{ { { 0, 9, 0, { 0 } }, { 0, 8, 1, { 0 } }, { 0, 9, 2, { 0 } } },
		  3,
		  "attribute 1: its intervals do not cover" },
		{ { { 0, 9, 0, { 0 } }, { 1, 9, 1, { 0 } }, { 0, 9, 2, { 0 } } },
		  3,
		  "attribute 1: its intervals do not cover" },
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct fixture fixture = { 0 };
		memory_io_init(&fixture.memory);
		assert_true(reference_make(&fixture.reference, cases[i].intervals, 3, 0, 9, cases[i].keys));
		const struct histree_tree_options asked = { .variant = "esht", .node_size = NODE_SIZE };
		assert_ok(tree_file_write(&fixture.memory.io, "f", &asked, &fixture.reference, cases[i].intervals,
					  NULL));
		if (cases[i].reason != NULL) {
			assert_fault(&fixture, cases[i].reason);
		} else {
			assert_ok(tree_file_open(&fixture.memory.io, "f", 0, &fixture.tree, NULL));
			assert_ok(tree_verify(fixture.tree.reader, NULL, NULL, NULL));
		}
		tear_down(&fixture);
	}
}

TEST(wrong_statistics_are_found)
{
	struct fixture fixture;
	set_up(&fixture, "rsht", 0);
	uint8_t *bytes = file_bytes(&fixture);
	uint8_t *entry = bytes + get_le64(bytes + BLOCK_AT_TABLE) + 24; /* of the second section */
	assert_int_equal(get_le32(entry), SECTION_STATISTICS);
	uint8_t *section = bytes + get_le64(entry + 8);
	size_t size = get_le64(entry + 16), heights = 0;
	for (int number = 0; number < 4; number++) /* intervals, nulls, bytes; then the number of heights */
		while (section[heights++] & 0x80)
			;
	static const char *const reasons[] = { "but the file says", "nodes at height 0, but the file says" };
	size_t offsets[] = { 0, heights };
	for (int i = 0; i < 2; i++) {
		section[offsets[i]] ^= 1;
		put_le32(entry + SECTION_AT_CRC, crc32c(0, section, size));
		put_le32(bytes + BLOCK_AT_TABLE_CRC, crc32c(0, bytes + get_le64(bytes + BLOCK_AT_TABLE),
							    get_le32(bytes + BLOCK_AT_SECTION_COUNT) * 24));
		put_le32(bytes + BLOCK_AT_CRC, crc32c(0, bytes, 64));
		assert_fault(&fixture, reasons[i]);
		section[offsets[i]] ^= 1;
	}
	tear_down(&fixture);
}

/* A flipped bit of an end makes gaps of a power of two, and many attributes multiply it. */
TEST(no_gap_is_so_large_that_it_is_none)
{
	for (unsigned bit = 0; bit < 63; bit++)
		for (size_t keys = 1; keys < 100; keys++) {
			const struct node_region gap = { .from = 0, .to = (INT64_C(1) << bit) - 1 };
			assert_false(tree_coverage_is_whole(&gap, tree_coverage_of(&gap, keys)));
		}
}
