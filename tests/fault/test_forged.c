// SPDX-License-Identifier: MIT
/*
 * test_forged.c - histories that somebody made so that they do harm, each with right checksums: a few bytes that
 * claim much, one byte that is told of many times, nodes that are not what others say of them.
 *
 * Whatever is asked, the work is bounded by the bytes of the file.  It is counted: bytes read and intervals handed
 * out.  And each answer is true, or says what is unknown, or is refused.
 */
#include "base/bytes.h"
#include "node/column_block.h"
#include "support/block_parts.h"
#include "support/effort.h"
#include "support/memory_history.h"
#include "support/sound_answers.h"
#include "support/test.h"
#include "tree/lifetimes.h"
#include "tree/tree_reader.h"
#include "tree/tree_shape.h"

enum {
	QUESTIONS = 20,
	/* A column block of 21 bytes may have 32 series of 64 intervals that are alike. */
	INTERVALS_PER_BYTE = 128,
	/* A block is read once for a query; when damage is met, all blocks once more, and the query's again. */
	READS_PER_QUESTION = 4,
	END = 1 << 20, /* of the histories made here, which begin at 0 */
};

/* ---- making files --------------------------------------------------------------------------------------- */

struct forger {
	struct memory_io memory;
	struct block_file *file;
	struct tree_shape shape;
	uint8_t *block;
};

static void begin(struct forger *forger, const char *variant, uint32_t node_size, uint32_t fan_out)
{
	memory_io_init(&forger->memory);
	const struct tree_variant *row = tree_variant_by_name(variant);
	forger->shape = (struct tree_shape){
		.variant = row,
		.layout = tree_variant_layout(row, node_size, fan_out),
		.fan_out = fan_out,
		.end = END,
	};
	/* So many children as have room: the fan-out is a number in the file. */
	forger->block = calloc(1, node_size);
	assert_non_null(forger->block);
	assert_ok(block_file_create(&forger->memory.io, "f", node_size, &forger->file, NULL));
}

/* Write the block as a node of these bounds; its other bytes are there.  Returns its number. */
static uint32_t put_node(struct forger *forger, uint32_t height, uint32_t children, uint32_t rows, uint32_t used,
			 uint32_t body_offset, uint32_t keys)
{
	const struct node_header header = {
		.bounds = { .number = forger->shape.node_count,
			    .start = 0,
			    .end = END,
			    .key_min = rows > 0 ? 0 : UINT32_MAX,
			    .key_max = rows > 0 ? keys - 1 : 0 },
		.height = height,
		.child_count = children,
		.item_count = rows,
		.used = used,
		.body_offset = body_offset,
	};
	uint32_t size = (used + 63) / 64 * 64;
	node_put_header(forger->block, &header);
	assert_ok(block_file_write_part(forger->file, header.bounds.number, forger->block,
					size < BLOCK_PART_SIZE_MIN ? BLOCK_PART_SIZE_MIN : size, NULL));
	memset(forger->block, 0, forger->shape.layout.node_size);
	return forger->shape.node_count++;
}

/* A leaf of columns whose block index has `count` entries, all of which are of one block without any payload. */
static uint32_t put_columns(struct forger *forger, uint32_t count, bool one_block)
{
	uint8_t *block = forger->block;
	const uint32_t block_size = COLUMN_BLOCK_PREFIX_SIZE + COLUMN_COUNT_OF_COLUMNS;
	uint32_t blocks = one_block ? 1 : count, index = COLUMN_HEADER_SIZE + blocks * block_size;
	for (uint32_t i = 0; i < blocks; i++) {
		uint8_t *at = block + COLUMN_HEADER_SIZE + (size_t)i * block_size;
		at[0] = SERIES_PER_BLOCK - 1;
		at[COLUMN_BLOCK_PREFIX_SIZE + COLUMN_COUNT] = SERIES_INTERVALS_MAX - 1;
		at[COLUMN_BLOCK_PREFIX_SIZE + COLUMN_STEP_MIN] = 1;
		at[COLUMN_BLOCK_PREFIX_SIZE + COLUMN_KIND] = VALUES_NULL;
	}
	for (uint32_t i = 0; i < count; i++)
		put_le32(block + index + (size_t)i * BLOCK_ENTRY_SIZE + 4,
			 COLUMN_HEADER_SIZE + (one_block ? 0 : i * block_size));
	uint32_t used = index + count * BLOCK_ENTRY_SIZE;
	put_le32(block + COLUMN_AT_DIRECT, 1); /* times are direct */
	put_le32(block + COLUMN_AT_BLOCK_COUNT, count);
	put_le32(block + COLUMN_AT_TIMES, COLUMN_HEADER_SIZE);
	put_le32(block + COLUMN_AT_BLOCK_INDEX, index);
	put_le32(block + COLUMN_AT_DICTIONARY, COLUMN_HEADER_SIZE);
	put_le32(block + COLUMN_AT_SERIES_COUNT, count * SERIES_PER_BLOCK);
	return put_node(forger, 0, 0, count * SERIES_PER_BLOCK * SERIES_INTERVALS_MAX, used, NODE_HEADER_SIZE, 1);
}

/* A core node whose children are all one node, or `count` nodes from that one on. */
static uint32_t put_core(struct forger *forger, uint32_t height, uint32_t child, uint32_t count, bool is_one)
{
	uint32_t size = node_child_size(&forger->shape.layout);
	for (uint32_t i = 0; i < count; i++) {
		uint8_t *at = forger->block + NODE_HEADER_SIZE + (size_t)i * size;
		put_le32(at, is_one ? child : child + i);
		put_le64(at + 12, END); /* the start and the smallest key are 0 */
	}
	uint32_t end = NODE_HEADER_SIZE + count * size;
	return put_node(forger, height, count, 0, end, end, 0);
}

static void put_section(struct forger *forger, uint32_t id, const void *bytes, size_t size)
{
	assert_ok(block_file_section_begin(forger->file, id, NULL));
	assert_ok(block_file_section_write(forger->file, bytes, size, NULL));
	block_file_section_end(forger->file);
}

/* One range of names, "0" and so on: forty bytes, for any number of attributes. */
static void put_names(struct forger *forger, uint32_t count)
{
	uint8_t bytes[128], *at = bytes;
	for (unsigned column = 0; column < 7; column++) {
		at = put_varint(at, column == 1 ? count - 1 : 0); /* groups, less 1 */
		*at++ = 0;
	}
	for (unsigned column = 0; column < 7; column++)
		*at++ = 0;
	uint64_t ranges = (uint64_t)(at - bytes);
	*at++ = 0;                                  /* the directory: one block, at 0 */
	*at++ = 1, *at++ = 0, *at++ = 0, *at++ = 0; /* one shape of one byte: no members; its directory */
	put_le32(at, count);
	put_le32(at + 4, 0);
	put_le32(at + 8, 1);
	put_le32(at + 12, 1);
	put_le64(at + 16, 0);
	put_le64(at + 24, 3);
	put_le64(at + 32, ranges);
	put_section(forger, SECTION_ATTRIBUTES, bytes, (size_t)(at + 40 - bytes));
}

static void finish(struct forger *forger, uint32_t keys)
{
	static const uint8_t provider[] = { 0, 0, 0, 0, 'x' };
	struct tree_statistics statistics = { 0 };
	forger->shape.root = forger->shape.node_count - 1;
	forger->shape.key_count = keys;
	assert_ok(tree_shape_write(&forger->shape, forger->file, NULL));
	assert_ok(tree_statistics_write(&statistics, forger->file, NULL));
	if (forger->shape.variant->has_lifetimes) {
		struct lifetimes lifetimes = { 0 };
		for (uint32_t key = 0; key < keys; key++)
			assert_ok(lifetimes_add(&lifetimes, key, (struct lifetime){ 0, END }));
		assert_ok(lifetimes_write(&lifetimes, keys, 0, END, forger->file, NULL));
		free(lifetimes.by_key);
	}
	put_names(forger, keys);
	put_section(forger, SECTION_PROVIDER, provider, sizeof(provider));
	assert_ok(block_file_complete(forger->file, NULL));
	block_file_close(forger->file);
}

/* Where the environment names a folder, each file goes there too, for those who try the command on it. */
static void save(struct forger *forger)
{
	static unsigned number;
	const char *folder = getenv("HISTREE_FORGED_FOLDER");
	const struct memory_file *file = memory_io_find(&forger->memory, "f");
	char path[4096];
	if (folder == NULL || file == NULL)
		return;
	snprintf(path, sizeof(path), "%s/forged%u.sht", folder, number++);
	FILE *out = fopen(path, "wb");
	assert_non_null(out);
	assert_int_equal(fwrite(file->bytes, 1, file->size, out), file->size);
	assert_int_equal(fclose(out), 0);
}

static void release(struct forger *forger)
{
	save(forger);
	memory_io_release(&forger->memory);
	free(forger->block);
}

/* ---- asking --------------------------------------------------------------------------------------------- */

struct work {
	uint64_t bytes; /* of the file */
	uint64_t faults, nodes;
};

static void count_fault(void *context, const char *fault)
{
	(void)fault;
	((struct work *)context)->faults++;
}

static bool count_node(void *context, const struct histree_node *node)
{
	(void)node;
	((struct work *)context)->nodes++;
	return true;
}

/* Fails unless what was read since `before` is few times the file. */
static void assert_read(struct memory_io *memory, const struct work *work, uint64_t *before, const char *what)
{
	uint64_t bytes = memory->bytes_read - *before;
	if (bytes > READS_PER_QUESTION * work->bytes)
		fail_msg("%s: %llu bytes read of a file of %llu", what, (unsigned long long)bytes,
			 (unsigned long long)work->bytes);
	*before = memory->bytes_read;
}

/* Whatever is asked of a file ends, and costs no more than some times its bytes. */
static void assert_bounded(struct memory_io *memory, uint32_t keys)
{
	struct work work = { .bytes = memory_io_find(memory, "f")->size };
	struct histree_history *history;
	struct histree_error error;
	struct random random = { 1 };
	struct reference nothing;
	if (memory_history_open(memory, "f", false, &history, &error) != HISTREE_OK)
		fail_msg("%s", error.message);
	assert_true(reference_make(&nothing, NULL, 0, 0, END, keys));
	uint64_t read = memory->bytes_read;
	for (unsigned i = 0; i < 6; i++) {
		struct sound_answers answers = { .intervals_max = INTERVALS_PER_BYTE * work.bytes,
						 .any_truth = true };
		const char *fault = sound_answers_ask(&answers, history, &nothing, &random, i == 0 ? 1 : 2);
		if (fault != NULL)
			fail_msg("%s", fault);
		assert_read(memory, &work, &read, "a query");
	}
	enum histree_status status = histree_history_verify(history, count_fault, &work, &error);
	assert_int_equal(status, HISTREE_ERR_FORMAT);
	assert_true(work.faults > 0 && work.faults <= work.bytes / 16);
	assert_read(memory, &work, &read, "verify");
	status = histree_history_nodes(history, count_node, &work, &error);
	assert_true(status == HISTREE_OK || status == HISTREE_ERR_FORMAT);
	assert_true(work.nodes <= work.bytes / BLOCK_PART_SIZE_MIN);
	assert_read(memory, &work, &read, "nodes");
	histree_history_close(history);
	reference_release(&nothing);
}

/* ---- a few bytes that claim much ------------------------------------------------------------------------ */

TEST(attributes_need_bytes)
{
	static const char *const variants[] = { "sht", "osht", "esht", "rsht", "vrsht" };
	for (size_t i = 0; i < sizeof(variants) / sizeof(variants[0]); i++) {
		struct forger forger = { 0 };
		struct histree_history *history;
		struct histree_error error;
		begin(&forger, variants[i], 4096, 50);
		put_node(&forger, 0, 0, 0, NODE_HEADER_SIZE, NODE_HEADER_SIZE, 0);
		finish(&forger, 1 << 30);
		for (int salvage = 0; salvage < 2; salvage++) {
			assert_int_equal(memory_history_open(&forger.memory, "f", salvage != 0, &history, &error),
					 HISTREE_ERR_FORMAT);
			assert_non_null(strstr(error.message, "1073741824 attributes"));
		}
		release(&forger);
	}
}

/* A hole in a file takes no room: a mebibyte of zeros holds no attribute. */
TEST(attributes_need_bytes_that_are_there)
{
	enum { HOLES = 4, HOLE = 1 << 20, CLAIMED = HOLES * HOLE / 8 };
	for (int has_bytes = 0; has_bytes < 2; has_bytes++) {
		struct forger forger = { 0 };
		struct histree_history *history;
		struct histree_error error;
		begin(&forger, "osht", HOLE, 50);
		for (uint32_t i = 0; i < HOLES; i++) {
			put_le32(forger.block + NODE_AT_USED, has_bytes ? HOLE : 0); /* used, as a node says */
			assert_ok(
				block_file_write_part(forger.file, i, forger.block, forger.file->block_size, NULL));
		}
		forger.shape.node_count = HOLES;
		finish(&forger, CLAIMED + (1 << 17));
		for (int salvage = 0; salvage < 2; salvage++) {
			enum histree_status status =
				memory_history_open(&forger.memory, "f", salvage != 0, &history, &error);
			assert_int_equal(status, has_bytes ? HISTREE_OK : HISTREE_ERR_FORMAT);
			histree_history_close(history);
		}
		release(&forger);
	}
}

TEST(a_block_is_told_of_once)
{
	struct forger forger = { 0 };
	begin(&forger, "cluster", 1 << 20, 1000);
	put_columns(&forger, 130000, true);
	finish(&forger, 1);
	assert_bounded(&forger.memory, 1);
	release(&forger);
}

/* The most that bytes can hold. */
TEST(many_blocks_are_read_once)
{
	struct forger forger = { 0 };
	begin(&forger, "cluster", 16 << 10, 1000);
	for (uint32_t i = 0; i < 4; i++)
		put_columns(&forger, 400, false);
	put_core(&forger, 1, 0, 4, false);
	finish(&forger, 1);
	assert_bounded(&forger.memory, 1);
	release(&forger);
}

TEST(a_child_is_reached_once)
{
	static const char *const variants[] = { "esht", "cluster" };
	for (size_t i = 0; i < sizeof(variants) / sizeof(variants[0]); i++) {
		struct forger forger = { 0 };
		begin(&forger, variants[i], 1 << 20, 18000);
		bool columns = forger.shape.layout.columns;
		uint32_t node = columns ? put_columns(&forger, 400, false)
					: put_node(&forger, 0, 0, 0, NODE_HEADER_SIZE, NODE_HEADER_SIZE, 0);
		for (uint32_t height = 1; height <= 3; height++)
			node = put_core(&forger, height, node, forger.shape.layout.child_capacity, true);
		finish(&forger, 1);
		assert_bounded(&forger.memory, 1);
		release(&forger);
	}
}

/* Different nodes on each level, each of which has all of those below as its children. */
TEST(a_node_has_one_parent)
{
	enum { WIDTH = 50 };
	struct forger forger = { 0 };
	begin(&forger, "cluster", 16 << 10, 200);
	uint32_t first = 0;
	for (uint32_t i = 0; i < WIDTH; i++)
		put_columns(&forger, 4, false);
	for (uint32_t height = 1; height <= 4; height++) {
		uint32_t count = height < 4 ? WIDTH : 1, next = forger.shape.node_count;
		for (uint32_t i = 0; i < count; i++)
			put_core(&forger, height, first, WIDTH, false);
		first = next;
	}
	finish(&forger, 1);
	assert_bounded(&forger.memory, 1);
	release(&forger);
}

/* What is unknown is found by asking once more, whatever else there is. */
TEST(damage_does_not_multiply_the_work)
{
	for (int level = 0; level < 2; level++) {
		struct forger forger = { 0 };
		begin(&forger, "cluster", 64 << 10, 18000);
		for (uint32_t i = 0; i < 6; i++)
			put_columns(&forger, 200, false);
		for (uint32_t i = 0; i < 100; i++)
			put_columns(&forger, 1, false);
		if (level > 0) /* one of those that are damaged has children */
			put_core(&forger, 1, 106, 0, false);
		put_core(&forger, 2, 0, 106 + (uint32_t)level, false);
		finish(&forger, 1);
		struct memory_file *file = memory_io_find(&forger.memory, "f");
		size_t size;
		for (uint32_t number = 50; number < 107; number += 7)
			block_parts_node(file->bytes, file->size, number, &size)[20] ^= 1;
		assert_bounded(&forger.memory, 1);
		release(&forger);
	}
}

/* Blocks of 64 bytes in a file whose nodes may have a mebibyte. */
TEST(short_blocks_cost_what_they_are_long)
{
	struct forger forger = { 0 };
	begin(&forger, "esht", 1 << 20, 18000);
	for (uint32_t i = 0; i < 10000; i++)
		put_node(&forger, 0, 0, 0, NODE_HEADER_SIZE, NODE_HEADER_SIZE, 0);
	put_core(&forger, 1, 0, 10000, false);
	finish(&forger, 1);
	/* And one that says that it uses all of it. */
	struct memory_file *file = memory_io_find(&forger.memory, "f");
	static uint8_t long_node[1 << 20];
	size_t size;
	uint8_t *node = block_parts_node(file->bytes, file->size, 5, &size);
	put_le32(node + NODE_AT_USED, sizeof(long_node));
	memcpy(long_node, node, size);
	put_le32(node, crc32c(0, long_node + 4, sizeof(long_node) - 4));
	assert_bounded(&forger.memory, 1);
	release(&forger);
}

/* ---- nodes that are not what others say of them --------------------------------------------------------- */

static const char *const variants[] = { "sht", "osht", "esht", "rsht", "vrsht", "cluster" };
enum { VARIANTS = sizeof(variants) / sizeof(variants[0]) };

struct lie {
	struct workload workload;
	struct reference reference;
	struct memory_io memory;
	struct tree_shape shape;
	uint8_t *kept; /* the file as it was */
	size_t size;
};

static void set_up(struct lie *lie, const char *variant, uint64_t seed)
{
	const struct histree_tree_options options = { .variant = variant,
						      .node_size = 4096,
						      .fan_out = 4,
						      .r_depth = variant[0] == 'r' || variant[0] == 'v' ? 2 : 0,
						      .memory_max = 1 << 20 };
	struct histree_error error;
	struct block_file *file;
	memory_io_init(&lie->memory);
	assert_true(workload_make(&lie->workload, &workload_kinds[1], seed));
	if (memory_history_build(&lie->memory, &options, &lie->workload, &error) != HISTREE_OK)
		fail_msg("%s", error.message);
	assert_true(memory_history_reference(&lie->workload, &lie->reference));
	assert_ok(block_file_open(&lie->memory.io, "f", &file, NULL));
	assert_ok(tree_shape_read(file, &lie->shape, NULL));
	block_file_close(file);
	lie->size = memory_io_find(&lie->memory, "f")->size;
	lie->kept = malloc(lie->size);
	assert_non_null(lie->kept);
	memcpy(lie->kept, memory_io_find(&lie->memory, "f")->bytes, lie->size);
}

static void tear_down(struct lie *lie)
{
	free(lie->kept);
	memory_io_release(&lie->memory);
	reference_release(&lie->reference);
	workload_release(&lie->workload);
}

static uint8_t *bytes_of(struct lie *lie)
{
	return memory_io_find(&lie->memory, "f")->bytes;
}

/* The file as it is now says nothing untrue, and verify finds the fault.  Then it is as it was. */
static void assert_sound(struct lie *lie, const char *what)
{
	struct sound_answers answers = { .intervals_max = 100 * lie->reference.count };
	struct histree_history *history;
	struct histree_error error;
	struct random random = { 7 };
	struct work work = { 0 };
	enum histree_status status = memory_history_open(&lie->memory, "f", false, &history, &error);
	if (status == HISTREE_OK) {
		const char *fault = sound_answers_ask(&answers, history, &lie->reference, &random, QUESTIONS / 2);
		if (fault != NULL)
			fail_msg("%s, %s: %s", lie->shape.variant->name, what, fault);
		if (histree_history_verify(history, count_fault, &work, NULL) == HISTREE_OK)
			fail_msg("%s, %s: nothing is found", lie->shape.variant->name, what);
		histree_history_close(history);
		if (memory_history_open(&lie->memory, "f", false, &history, &error) != HISTREE_OK ||
		    histree_history_verify(history, count_fault, &work, NULL) == HISTREE_OK)
			fail_msg("%s, %s: nothing is found at once", lie->shape.variant->name, what);
		histree_history_close(history);
	}
	assert_int_equal(status < 0 ? HISTREE_ERR_FORMAT : HISTREE_OK, status);
	memcpy(bytes_of(lie), lie->kept, lie->size);
}

TEST(a_node_is_filed_under_its_own_bounds)
{
	const uint32_t step = (uint32_t)test_effort(4, 120);
	for (size_t i = 0; i < VARIANTS; i++) {
		struct lie lie = { 0 };
		set_up(&lie, variants[i], 3);
		const uint32_t child_size = node_child_size(&lie.shape.layout);
		size_t size, children = 0, told = 0;
		for (uint32_t number = 0; number < lie.shape.node_count; number++) {
			uint32_t count = get_le16(block_parts_node(bytes_of(&lie), lie.size, number, &size) +
						  NODE_AT_CHILD_COUNT);
			for (uint32_t child = 0; child < count; child++) {
				if (children++ % step != 0)
					continue;
				for (uint32_t field = 4; field < child_size; field += field < 20 ? 8 : 4) {
					uint8_t *at = block_parts_node(bytes_of(&lie), lie.size, number, &size) +
						      NODE_HEADER_SIZE + child * child_size + field;
					/* Later starts, earlier ends, fewer keys: a query would pass by. */
					if (field == 4)
						put_le64(at, get_le64(at) + 40);
					else if (field == 12)
						put_le64(at, get_le64(at) - 40);
					else
						put_le32(at, get_le32(at) + (field == 20 ? 9 : (uint32_t)-9));
					block_parts_seal(bytes_of(&lie), lie.size);
					assert_sound(&lie, "other bounds");
					told++;
				}
			}
		}
		assert_true(told > 0);
		tear_down(&lie);
	}
}

TEST(two_nodes_do_not_share_a_child)
{
	for (size_t i = 0; i < VARIANTS; i++) {
		struct lie lie = { 0 };
		set_up(&lie, variants[i], 4);
		const uint32_t child_size = node_child_size(&lie.shape.layout);
		size_t size;
		uint8_t *root = block_parts_node(bytes_of(&lie), lie.size, lie.shape.root, &size);
		assert_true(get_le16(root + NODE_AT_CHILD_COUNT) >= 2);
		/* The whole entry: what is said of it is true. */
		memcpy(root + NODE_HEADER_SIZE, root + NODE_HEADER_SIZE + child_size, child_size);
		block_parts_seal(bytes_of(&lie), lie.size);
		assert_sound(&lie, "a child twice");
		/* A grandchild in place of a child. */
		root = block_parts_node(bytes_of(&lie), lie.size, lie.shape.root, &size);
		for (uint32_t child = 0; child < get_le16(root + NODE_AT_CHILD_COUNT); child++) {
			const uint8_t *below =
				block_parts_node(bytes_of(&lie), lie.size,
						 get_le32(root + NODE_HEADER_SIZE + child * child_size), &size);
			if (get_le16(below + NODE_AT_CHILD_COUNT) == 0)
				continue;
			memcpy(root + NODE_HEADER_SIZE + child * child_size, below + NODE_HEADER_SIZE, child_size);
			block_parts_seal(bytes_of(&lie), lie.size);
			assert_sound(&lie, "a grandchild");
			root = block_parts_node(bytes_of(&lie), lie.size, lie.shape.root, &size);
		}
		tear_down(&lie);
	}
}

/* Every block in turn is that of another history, or of another build of this one. */
TEST(a_block_of_another_history_is_damage)
{
	for (size_t i = 0; i < VARIANTS; i++) {
		struct lie lie = { 0 }, other = { 0 };
		set_up(&lie, variants[i], 5);
		set_up(&other, variants[i], 6);
		unsigned spliced = 0;
		for (uint32_t number = 0; number < lie.shape.node_count; number++) {
			size_t size, other_size;
			uint8_t *node = block_parts_node(bytes_of(&lie), lie.size, number, &size);
			const uint8_t *foreign = block_parts_node(other.kept, other.size, number, &other_size);
			if (foreign == NULL || other_size > size || memcmp(node, foreign, other_size) == 0)
				continue;
			memset(node, 0, size);
			memcpy(node, foreign, other_size);
			assert_sound(&lie, "a foreign block");
			spliced++;
		}
		assert_true(spliced > 2);
		tear_down(&other);
		tear_down(&lie);
	}
}

/* Nodes of 64 bytes below cores of many children: what is kept beside each is in proportion to it. */
TEST(many_short_blocks_take_little_memory)
{
	enum { CORES = 4, EACH = 17000 };
	struct forger forger = { 0 };
	begin(&forger, "esht", 1 << 20, 18000);
	for (uint32_t i = 0; i < CORES * EACH; i++)
		put_node(&forger, 0, 0, 0, NODE_HEADER_SIZE, NODE_HEADER_SIZE, 0);
	for (uint32_t i = 0; i < CORES; i++)
		put_core(&forger, 1, i * EACH, EACH, false);
	put_core(&forger, 2, CORES * EACH, CORES, false);
	finish(&forger, 1);
	const uint64_t size = memory_io_find(&forger.memory, "f")->size;
	struct block_file *file;
	struct tree_reader *reader;
	assert_ok(block_file_open(&forger.memory.io, "f", &file, NULL));
	assert_ok(tree_reader_open(file, 64 << 20, 0, &reader, NULL));
	struct node_pin *pin;
	bool loaded;
	assert_ok(node_pin_create(reader->cache, &pin, NULL));
	for (uint32_t number = 0; number < forger.shape.node_count; number++)
		(void)node_pin_hold(pin, number, &loaded, NULL); /* or it is refused */
	const size_t taken = node_cache_block_bytes(reader->cache) + node_cache_other_bytes(reader->cache);
	assert_in_range(taken, size, (64 << 20) + 4 * size);
	node_pin_free(pin);
	tree_reader_close(reader);
	block_file_close(file);
	assert_bounded(&forger.memory, 1);
	release(&forger);
}
