// SPDX-License-Identifier: MIT
/*
 * test_block_file.c - blocks and sections there and back; files that are torn, foreign, newer or damaged.
 */
#include <errno.h>
#include <fcntl.h>

#include "base/bytes.h"
#include "store/block_file.h"
#include "support/memory_io.h"
#include "support/test.h"

enum { BLOCK = 4096, BLOCKS = 3 };

static const char text_one[] = "a section", text_two[] = ", in two pieces";

static void make_file(struct memory_io *memory)
{
	struct block_file *file;
	uint8_t block[BLOCK];
	memory_io_init(memory);
	assert_ok(block_file_create(&memory->io, "f", BLOCK, &file, NULL));
	for (uint32_t number = 0; number < BLOCKS; number++) {
		memset(block, (int)number + 1, sizeof(block));
		assert_ok(block_file_write_part(file, number, block, file->block_size, NULL));
	}
	assert_ok(block_file_section_begin(file, SECTION_TREE, NULL));
	assert_ok(block_file_section_write(file, text_one, sizeof(text_one) - 1, NULL));
	assert_ok(block_file_section_write(file, text_two, sizeof(text_two), NULL));
	block_file_section_end(file);
	assert_ok(block_file_section_begin(file, SECTION_PROVIDER, NULL));
	block_file_section_end(file);
	assert_ok(block_file_complete(file, NULL));
	block_file_close(file);
	assert_non_null(memory_io_find(memory, "f"));
}

static uint8_t *header_of(struct memory_io *memory)
{
	return memory_io_find(memory, "f")->bytes;
}

enum { HEADER_COPIED = 88 };

/* The copy at the end of the file. */
static uint8_t *copy_of_header(struct memory_io *memory)
{
	return header_of(memory) + memory_io_find(memory, "f")->size - HEADER_COPIED;
}

static void fix_header(struct memory_io *memory)
{
	put_le32(header_of(memory) + BLOCK_AT_CRC, crc32c(0, header_of(memory), 64));
	memcpy(copy_of_header(memory), header_of(memory), HEADER_COPIED);
}

/* Opening gives this status, and a message with this in it. */
static void assert_open_fails(struct memory_io *memory, enum histree_status status, const char *reason)
{
	struct block_file *file;
	struct histree_error error = { 0 };
	assert_int_equal(block_file_open(&memory->io, "f", &file, &error), status);
	assert_null(file);
	assert_int_equal(error.status, status);
	if (strstr(error.message, reason) == NULL || strstr(error.message, "'f'") == NULL)
		fail_msg("refused, but because: %s", error.message);
}

TEST(blocks_and_sections_come_back)
{
	struct memory_io memory;
	make_file(&memory);
	struct block_file *file;
	assert_ok(block_file_open(&memory.io, "f", &file, NULL));
	assert_int_equal(file->block_size, BLOCK);
	assert_int_equal(file->block_count, BLOCKS);
	assert_int_equal(file->version, 2);
	assert_int_equal(file->size, memory_io_find(&memory, "f")->size);
	assert_string_equal(file->path, "f");
	uint8_t block[BLOCK], expected[BLOCK];
	for (uint32_t number = 0; number < BLOCKS; number++) {
		memset(expected, (int)number + 1, sizeof(expected));
		assert_ok(block_file_read(file, number, block, NULL));
		assert_memory_equal(block, expected, BLOCK);
	}
	struct histree_error error;
	assert_int_equal(block_file_read(file, BLOCKS, block, &error), HISTREE_ERR_FORMAT);
	assert_string_equal(error.message, "'f': node 3 of 3");

	uint8_t *bytes;
	size_t size;
	assert_ok(block_file_section(file, SECTION_TREE, &bytes, &size, NULL));
	assert_int_equal(size, sizeof(text_one) - 1 + sizeof(text_two));
	assert_string_equal((char *)bytes, "a section, in two pieces");
	free(bytes);
	assert_ok(block_file_section(file, SECTION_PROVIDER, &bytes, &size, NULL));
	assert_int_equal(size, 0);
	free(bytes);
	assert_int_equal(block_file_section(file, SECTION_ATTRIBUTES, &bytes, &size, &error), HISTREE_ERR_FORMAT);
	assert_string_equal(error.message, "'f': section ATTR: is missing");
	assert_null(bytes);
	block_file_close(file);
	memory_io_release(&memory);
}

TEST(one_section_at_a_time_and_64_at_most)
{
	struct memory_io memory;
	struct block_file *file;
	memory_io_init(&memory);
	assert_ok(block_file_create(&memory.io, "f", BLOCK, &file, NULL));
	for (uint32_t i = 0; i < 64; i++) {
		assert_ok(block_file_section_begin(file, i, NULL));
		assert_int_equal(block_file_section_begin(file, i, NULL), HISTREE_ERR_INTERNAL);
		block_file_section_end(file);
	}
	assert_int_equal(block_file_section_begin(file, 64, NULL), HISTREE_ERR_INTERNAL);
	block_file_close(file);
	assert_null(memory_io_find(&memory, "f"));
	memory_io_release(&memory);
}

TEST(an_existing_file_is_left_alone)
{
	struct memory_io memory;
	struct block_file *file;
	struct histree_error error;
	memory_io_init(&memory);
	assert_true(memory_io_put(&memory, "f", "precious", 8));
	assert_int_equal(block_file_create(&memory.io, "f", BLOCK, &file, &error), HISTREE_ERR_EXISTS);
	assert_null(file);
	assert_non_null(strstr(error.message, "'f'"));
	assert_memory_equal(memory_io_find(&memory, "f")->bytes, "precious", 8);
	memory_io_release(&memory);
}

TEST(a_missing_file_and_a_folder_are_said)
{
	struct block_file *file;
	struct histree_error error;
	assert_int_equal(block_file_open(&io_posix, "no/such/file", &file, &error), HISTREE_ERR_IO);
	assert_non_null(strstr(error.message, "'no/such/file'"));
	assert_int_equal(block_file_create(&io_posix, "no/such/file", BLOCK, &file, &error), HISTREE_ERR_IO);
	assert_true(block_file_open(&io_posix, "/", &file, &error) < 0);
	assert_null(file);
}

TEST(what_is_not_completed_is_removed)
{
	struct memory_io memory;
	struct block_file *file;
	uint8_t block[BLOCK] = { 0 };
	memory_io_init(&memory);
	assert_ok(block_file_create(&memory.io, "f", BLOCK, &file, NULL));
	assert_ok(block_file_write_part(file, 0, block, file->block_size, NULL));
	block_file_close(file);
	assert_null(memory_io_find(&memory, "f"));
	block_file_close(NULL);
	memory_io_release(&memory);
}

/* The process died: nobody could remove the file. */
TEST(a_torn_file_says_that_it_was_never_completed)
{
	struct memory_io memory;
	make_file(&memory);
	memset(header_of(&memory), 0, BLOCK_FILE_HEADER_SIZE);
	assert_open_fails(&memory, HISTREE_ERR_INCOMPLETE, "was never completed; build it again");
	memory_io_release(&memory);
}

TEST(foreign_and_short_files_are_refused)
{
	struct memory_io memory;
	memory_io_init(&memory);
	assert_true(memory_io_put(&memory, "f", "", 0));
	assert_open_fails(&memory, HISTREE_ERR_FORMAT, "is no histree file: it has only 0 bytes");
	char other[BLOCK_FILE_HEADER_SIZE];
	memset(other, 'x', sizeof(other));
	assert_true(memory_io_put(&memory, "f", other, sizeof(other)));
	assert_open_fails(&memory, HISTREE_ERR_FORMAT, "is no histree file");
	memory_io_release(&memory);

	make_file(&memory);
	size_t size = memory_io_find(&memory, "f")->size;
	for (size_t cut = BLOCK_FILE_HEADER_SIZE; cut < size; cut += 511) {
		memory_io_find(&memory, "f")->size = cut;
		assert_open_fails(&memory, HISTREE_ERR_FORMAT, "is cut short");
	}
	memory_io_find(&memory, "f")->size = size - 1;
	assert_open_fails(&memory, HISTREE_ERR_FORMAT, "is cut short");
	memory_io_release(&memory);
}

TEST(newer_files_are_refused_with_a_way_out)
{
	struct memory_io memory;
	make_file(&memory);
	put_le32(header_of(&memory) + BLOCK_AT_VERSION, 9);
	put_le32(header_of(&memory) + BLOCK_AT_OLDEST_READER, 3);
	fix_header(&memory);
	assert_open_fails(
		&memory, HISTREE_ERR_VERSION,
		"is of format 9, which needs a reader of format 3 or later, and this is 2; use a newer histree, "
		"or build it again with this one");
	put_le32(header_of(&memory) + BLOCK_AT_OLDEST_READER, 1); /* newer, but we are told that we understand it */
	put_le32(header_of(&memory) + BLOCK_AT_OTHER_FEATURES, 0xffff); /* features that may be ignored */
	fix_header(&memory);
	struct block_file *file;
	assert_ok(block_file_open(&memory.io, "f", &file, NULL));
	assert_int_equal(file->version, 9);
	block_file_close(file);
	put_le32(header_of(&memory) + 20, 4);
	fix_header(&memory);
	assert_open_fails(
		&memory, HISTREE_ERR_VERSION,
		"uses features (0x400000000) that this version does not know; use a newer histree, or build it "
		"again with this one");
	memory_io_release(&memory);
}

static void keep_fault(void *context, const char *fault)
{
	char *faults = context;
	size_t length = strlen(faults);
	snprintf(faults + length, 400 - length, "%s\n", fault);
}

static void assert_check_says(struct memory_io *memory, const char *expected)
{
	struct block_file *file;
	char faults[400] = "";
	assert_ok(block_file_open(&memory->io, "f", &file, NULL));
	assert_ok(block_file_check(file, keep_fault, faults, NULL));
	assert_string_equal(faults, expected);
	block_file_close(file);
}

/* One of two may be damaged, wherever it is: the other is taken. */
TEST(a_damaged_header_has_a_copy)
{
	struct memory_io memory;
	make_file(&memory);
	assert_check_says(&memory, "");
	for (int bit = 0; bit < 68 * 8; bit++) {
		struct block_file *file;
		header_of(&memory)[bit / 8] ^= (uint8_t)(1 << bit % 8);
		assert_check_says(&memory, "header: damaged; its copy is sound\n");
		copy_of_header(&memory)[bit % 68] ^= 0x10;
		assert_int_equal(block_file_open(&memory.io, "f", &file, NULL), HISTREE_ERR_FORMAT);
		header_of(&memory)[bit / 8] ^= (uint8_t)(1 << bit % 8);
		assert_check_says(&memory, "");
		copy_of_header(&memory)[bit % 68] ^= 0x10;
	}
	memory_io_release(&memory);
}

TEST(a_wrong_header_is_refused)
{
	struct memory_io memory;
	make_file(&memory);
	static const struct {
		uint32_t offset, value;
		const char *reason;
	} damages[] = {
		{ 32, 0, "blocks of 0 bytes" },
		{ 32, 2048, "blocks of 2048 bytes" },
		{ 32, 12288, "blocks of 12288 bytes" },
		{ 32, 2 << 20, "blocks of 2097152 bytes" },
		{ 36, 4, "4 blocks" },
		{ 36, UINT32_MAX, "4294967295 blocks" },
		{ 40, UINT32_MAX, "at 4294967295" },
		{ 44, UINT32_MAX, "a table of 3 sections" },
		{ 48, 65, "a table of 65 sections" },
		{ 48, 1, "table of sections: checksum mismatch" },
		{ 60, 1, "is cut short" },
	};
	for (size_t i = 0; i < sizeof(damages) / sizeof(damages[0]); i++) {
		uint8_t kept[HEADER_COPIED];
		memcpy(kept, header_of(&memory), sizeof(kept));
		put_le32(header_of(&memory) + damages[i].offset, damages[i].value);
		fix_header(&memory);
		assert_open_fails(&memory, HISTREE_ERR_FORMAT, damages[i].reason);
		memcpy(header_of(&memory), kept, sizeof(kept));
		memcpy(copy_of_header(&memory), kept, sizeof(kept));
	}
	memory_io_release(&memory);
}

/* Small sections have a copy, and so has their table; a large one, or one whose copy is damaged too, is refused. */
TEST(damaged_sections_are_noticed)
{
	struct memory_io memory;
	struct block_file *file;
	uint8_t *bytes;
	size_t size;
	struct histree_error error;
	make_file(&memory);
	uint64_t table = get_le64(header_of(&memory) + BLOCK_AT_TABLE);
	uint64_t section = get_le64(header_of(&memory) + table + 8);
	header_of(&memory)[section] ^= 1;
	header_of(&memory)[table + 8] ^= 1;
	assert_check_says(&memory, "table of sections: damaged; its copy is sound\n"
				   "section TREE: checksum mismatch; its copy is sound\n");
	assert_ok(block_file_open(&memory.io, "f", &file, NULL));
	assert_ok(block_file_section(file, SECTION_TREE, &bytes, &size, &error));
	assert_int_equal(size, sizeof(text_one) - 1 + sizeof(text_two));
	assert_memory_equal(bytes, text_one, sizeof(text_one) - 1);
	free(bytes);
	block_file_close(file);
	header_of(&memory)[table + 8] ^= 1;

	header_of(&memory)[512 + 12] ^= 1; /* the copy */
	assert_check_says(&memory, "section TREE: checksum mismatch\n");
	assert_ok(block_file_open(&memory.io, "f", &file, NULL));
	assert_int_equal(block_file_section(file, SECTION_TREE, &bytes, &size, &error), HISTREE_ERR_FORMAT);
	assert_string_equal(error.message, "'f': section TREE: checksum mismatch");
	assert_null(bytes);
	block_file_close(file);
	header_of(&memory)[section] ^= 1;

	memset(header_of(&memory) + 512, 0, 3000); /* so that no copy of the table helps */
	put_le64(header_of(&memory) + table + SECTION_AT_SIZE, UINT64_MAX - 5);
	put_le32(header_of(&memory) + BLOCK_AT_TABLE_CRC, crc32c(0, header_of(&memory) + table, 72));
	fix_header(&memory);
	assert_open_fails(&memory, HISTREE_ERR_FORMAT, "section 0 lies outside the file");
	memory_io_release(&memory);
}

/* ---- blocks of other files ------------------------------------------------------------------------------ */

static void assert_read_is(struct memory_io *memory, uint32_t number, enum histree_status status, bool salvage)
{
	struct block_file *file;
	struct histree_error error;
	uint8_t block[BLOCK];
	assert_ok(salvage ? block_file_salvage(&memory->io, "f", &file, NULL)
			  : block_file_open(&memory->io, "f", &file, NULL));
	assert_int_equal(block_file_read(file, number, block, &error), status);
	if (status != HISTREE_OK)
		assert_non_null(strstr(error.message, "is not the one that was written"));
	assert_int_equal(block_file_peek(file, number, block, 4, NULL), status);
	block_file_close(file);
}

TEST(a_block_of_another_file_is_none_of_ours)
{
	struct memory_io memory;
	uint8_t kept[BLOCK];
	make_file(&memory);
	uint8_t *block = header_of(&memory) + BLOCK_FILE_HEADER_SIZE + BLOCK;
	memcpy(kept, block, BLOCK);
	memset(block, 77, BLOCK); /* whatever its checksum says of it */
	assert_read_is(&memory, 0, HISTREE_OK, false);
	assert_read_is(&memory, 1, HISTREE_ERR_FORMAT, false);
	memcpy(block, kept, BLOCK);
	assert_read_is(&memory, 1, HISTREE_OK, false);

	/* The section of checksums has a copy in the header. */
	uint64_t table = get_le64(header_of(&memory) + BLOCK_AT_TABLE);
	uint8_t *sums = header_of(&memory) + get_le64(header_of(&memory) + table + 2 * 24 + 8);
	assert_int_equal(get_le32(header_of(&memory) + table + 2 * 24), SECTION_SUMS);
	sums[5] ^= 1;
	assert_check_says(&memory, "section SUMS: checksum mismatch; its copy is sound\n");
	memset(block, 77, BLOCK);
	assert_read_is(&memory, 1, HISTREE_ERR_FORMAT, false);
	/* Without it the blocks are anybody's, and only who salvages reads them. */
	memset(header_of(&memory) + 512, 0, 3000);
	assert_open_fails(&memory, HISTREE_ERR_FORMAT, "section SUMS is damaged");
	assert_read_is(&memory, 1, HISTREE_OK, true);
	memory_io_release(&memory);
}

/* Make it one of a version that did not know the section. */
static void lose_sums(struct memory_io *memory)
{
	uint8_t *bytes = header_of(memory), *table = bytes + get_le64(bytes + BLOCK_AT_TABLE);
	uint32_t count = get_le32(bytes + BLOCK_AT_SECTION_COUNT);
	for (uint32_t i = 0; i < count; i++)
		if (get_le32(table + (size_t)i * 24) == SECTION_SUMS)
			put_le32(table + (size_t)i * 24, SECTION_ID('X', 'X', 'X', 'X'));
	put_le32(bytes + BLOCK_AT_TABLE_CRC, crc32c(0, table, (size_t)count * 24));
	fix_header(memory);
}

TEST(files_without_checksums_of_blocks_are_read)
{
	struct memory_io memory;
	make_file(&memory);
	lose_sums(&memory);
	memset(header_of(&memory) + BLOCK_FILE_HEADER_SIZE, 77, BLOCK);
	assert_read_is(&memory, 0, HISTREE_OK, false);
	memory_io_release(&memory);
}

/* A hole takes no room on a disk, and is read no further than it takes to see it. */
TEST(a_hole_costs_a_page)
{
	enum { LARGE = 1 << 20 };
	static uint8_t block[LARGE];
	struct memory_io memory;
	struct block_file *file;
	struct histree_error error;
	memory_io_init(&memory);
	assert_ok(block_file_create(&memory.io, "f", LARGE, &file, NULL));
	for (uint32_t number = 0; number < 2; number++) {
		block[4] = (uint8_t)number;
		assert_ok(block_file_write_part(file, number, block, file->block_size, NULL));
	}
	assert_ok(block_file_complete(file, NULL));
	block_file_close(file);
	assert_ok(block_file_open(&memory.io, "f", &file, NULL));
	uint64_t before = memory.bytes_read;
	assert_int_equal(block_file_read(file, 0, block, &error), HISTREE_ERR_FORMAT);
	assert_non_null(strstr(error.message, "node 0 at offset 0x1000: is a hole"));
	assert_int_equal(memory.bytes_read - before, BLOCK_SIZE_MIN);
	assert_ok(block_file_read(file, 1, block, &error));
	assert_int_equal(memory.bytes_read - before, BLOCK_SIZE_MIN + LARGE);
	block_file_close(file);
	memory_io_release(&memory);
}

/* Only what has no checksums of its blocks says how many there are without a byte for each. */
TEST(many_holes_are_no_file)
{
	enum { MANY = 200000 };
	for (int step = 1; step < 4; step++) {
		static uint8_t block[BLOCK_PART_SIZE_MIN];
		struct memory_io memory;
		struct block_file *file;
		memory_io_init(&memory);
		assert_ok(block_file_create(&memory.io, "f", BLOCK, &file, NULL));
		for (uint32_t number = 0; number < MANY; number++) {
			block[4] = number % 4 < (uint32_t)step;
			assert_ok(block_file_write_part(file, number, block, sizeof(block), NULL));
		}
		assert_ok(block_file_complete(file, NULL));
		block_file_close(file);
		for (int has_sums = 1; has_sums >= 0; has_sums--) {
			enum histree_status wanted = has_sums || step > 1 ? HISTREE_OK : HISTREE_ERR_FORMAT;
			assert_int_equal(block_file_open(&memory.io, "f", &file, NULL), wanted);
			block_file_close(wanted == HISTREE_OK ? file : NULL);
			lose_sums(&memory);
		}
		memory_io_release(&memory);
	}
}
