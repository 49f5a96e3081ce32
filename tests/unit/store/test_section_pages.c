// SPDX-License-Identifier: MIT
/*
 * test_section_pages.c - what is mostly holes is no section, for who reads as for who writes.
 */
#include "base/bytes.h"
#include "store/block_file.h"
#include "support/memory_io.h"
#include "support/test.h"

enum { BLOCK = 4096, PAGES = 3 * SECTION_EMPTY_PAGES_MIN, SIZE = PAGES * SECTION_PAGE_SIZE };

/* Of `size` bytes, the first of every `step` pages is not zero; 0: none. */
static uint8_t *make_bytes(size_t size, size_t step)
{
	uint8_t *bytes = calloc(size, 1);
	assert_non_null(bytes);
	for (size_t page = 0; step > 0 && page * SECTION_PAGE_SIZE < size; page += step)
		bytes[page * SECTION_PAGE_SIZE] = 1;
	return bytes;
}

static bool allows(const uint8_t *bytes, size_t size, size_t piece)
{
	struct section_pages pages = { 0 };
	bool allowed = true;
	for (size_t at = 0; at < size && allowed; at += piece)
		allowed = section_pages_add(&pages, bytes + at, size - at < piece ? size - at : piece);
	return allowed;
}

TEST(pages_are_counted_however_they_come)
{
	static const size_t pieces[] = { 100, SECTION_PAGE_SIZE, 4097, SIZE };
	for (size_t i = 0; i < sizeof(pieces) / sizeof(pieces[0]); i++) {
		/* Some holes any section may have, half of it is too many only beyond that. */
		for (size_t step = 0; step < 8; step++) {
			uint8_t *bytes = make_bytes(SIZE, step);
			size_t full = step == 0 ? 0 : (PAGES + step - 1) / step;
			assert_int_equal(allows(bytes, SIZE, pieces[i]),
					 PAGES - full <= full + SECTION_EMPTY_PAGES_MIN);
			free(bytes);
		}
		uint8_t *few = make_bytes(SIZE, 0);
		assert_true(allows(few, SECTION_EMPTY_PAGES_MIN * (size_t)SECTION_PAGE_SIZE, pieces[i]));
		free(few);
	}
}

static enum histree_status write_file(struct memory_io *memory, const uint8_t *bytes, size_t size)
{
	struct block_file *file;
	memory_io_init(memory);
	assert_ok(block_file_create(&memory->io, "f", BLOCK, &file, NULL));
	assert_ok(block_file_section_begin(file, SECTION_ATTRIBUTES, NULL));
	enum histree_status status = block_file_section_write(file, bytes, size, NULL);
	block_file_section_end(file);
	if (status == HISTREE_OK)
		status = block_file_complete(file, NULL);
	block_file_close(file);
	return status;
}

TEST(what_is_not_read_is_not_written)
{
	struct memory_io memory;
	uint8_t *bytes = make_bytes(SIZE, 0);
	assert_int_equal(write_file(&memory, bytes, SIZE), HISTREE_ERR_FORMAT);
	memory_io_release(&memory);
	free(bytes);
}

/* A section that was sound is made a hole, with a right checksum: it is given up where the zeros are too many. */
TEST(a_hole_is_not_read)
{
	struct memory_io memory;
	struct block_file *file;
	struct histree_error error;
	uint8_t *bytes = make_bytes(SIZE, 1), *section;
	size_t size;
	assert_ok(write_file(&memory, bytes, SIZE));
	uint8_t *whole = memory_io_find(&memory, "f")->bytes;
	for (int is_hole = 0; is_hole < 2; is_hole++) {
		assert_ok(block_file_open(&memory.io, "f", &file, &error));
		uint64_t before = memory.bytes_read;
		enum histree_status status = block_file_section(file, SECTION_ATTRIBUTES, &section, &size, &error);
		assert_int_equal(status, is_hole ? HISTREE_ERR_FORMAT : HISTREE_OK);
		assert_true(is_hole ? memory.bytes_read - before < SIZE / 2 : size == SIZE);
		assert_true(is_hole ? block_file_section_worth(file, SECTION_ATTRIBUTES) < BLOCK
				    : block_file_section_worth(file, SECTION_ATTRIBUTES) == SIZE);
		free(section);
		block_file_close(file);
		memset(whole + get_le64(whole + get_le64(whole + BLOCK_AT_TABLE) + 8), 0, SIZE);
		memset(bytes, 0, SIZE);
		put_le32(whole + get_le64(whole + BLOCK_AT_TABLE) + SECTION_AT_CRC, crc32c(0, bytes, SIZE));
		put_le32(whole + BLOCK_AT_TABLE_CRC, crc32c(0, whole + get_le64(whole + BLOCK_AT_TABLE),
							    get_le32(whole + BLOCK_AT_SECTION_COUNT) * (size_t)24));
		put_le32(whole + BLOCK_AT_CRC, crc32c(0, whole, 64));
	}
	memory_io_release(&memory);
	free(bytes);
}
