// SPDX-License-Identifier: MIT
/*
 * test_base.c - the helpers under everything: arena, array, bytes, CRC-32C, intern, error, io.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "base/error.h"
#include "base/hash_index.h"
#include "base/io.h"
#include "base/number_text.h"
#include "base/search.h"
#include "base/table.h"
#include "support/test.h"

/* Keys for which the leading bits suffice, nearly do, and do not. */
static uint64_t sort_key(struct random *random, unsigned kind, size_t place)
{
	switch (kind) {
	case 0:
		return random_bits(random);
	case 1:
		return random_bits(random) >> random_below(random, 64);
	case 2:
		return place == 7 ? UINT64_MAX : random_below(random, 1000) << 20;
	default:
		return UINT64_MAX - place / 3;
	}
}

TEST(radix_sort_is_stable_whatever_the_keys)
{
	enum { COUNT = 3000 };
	static struct keyed_index entries[COUNT], spare[COUNT];
	static uint64_t keys[COUNT];
	struct random random = { 1 };
	for (unsigned round = 0; round < 40; round++) {
		size_t count = round < 4 ? round : COUNT - random_below(&random, COUNT / 2);
		for (size_t i = 0; i < count; i++) {
			keys[i] = sort_key(&random, round % 4, i);
			entries[i] = (struct keyed_index){ .key = keys[i], .index = (uint32_t)i };
		}
		radix_sort(entries, spare, count);
		for (size_t i = 0; i < count; i++) {
			assert_true(entries[i].index < count && entries[i].key == keys[entries[i].index]);
			if (i > 0)
				assert_true(entries[i - 1].key < entries[i].key ||
					    (entries[i - 1].key == entries[i].key &&
					     entries[i - 1].index < entries[i].index));
		}
	}
}

TEST(arena_gives_aligned_memory_that_stays)
{
	struct arena arena = { 0 };
	enum { COUNT = 3000 };
	uint32_t *numbers[COUNT];
	for (uint32_t i = 0; i < COUNT; i++) {
		assert_non_null(arena_allocate(&arena, i % 7, 1));
		numbers[i] = arena_allocate(&arena, sizeof(uint32_t), _Alignof(uint32_t));
		assert_non_null(numbers[i]);
		assert_int_equal((uintptr_t)numbers[i] % _Alignof(uint32_t), 0);
		*numbers[i] = i;
	}
	for (uint32_t i = 0; i < COUNT; i++)
		assert_int_equal(*numbers[i], i);
	arena_release(&arena);
	assert_null(arena.chunk);
	assert_int_equal(arena.bytes_total, 0);
}

TEST(arena_gives_more_than_a_chunk)
{
	struct arena arena = { 0 };
	const size_t large = 5 << 20;
	char *bytes = arena_allocate(&arena, large, 8);
	assert_non_null(bytes);
	memset(bytes, 1, large);
	char *copy = arena_copy(&arena, "ab\0cd", 5);
	assert_memory_equal(copy, "ab\0cd", 6);
	assert_string_equal(arena_copy(&arena, NULL, 0), "");
	assert_null(arena_copy(&arena, "", SIZE_MAX));
	assert_null(arena_allocate(&arena, SIZE_MAX - 8, 1));
	assert_memory_equal(copy, "ab\0cd", 6);
	arena_release(&arena);
}

TEST(array_grows_and_keeps)
{
	uint64_t *array = NULL;
	size_t capacity = 0;
	for (size_t i = 0; i < 10000; i++) {
		assert_true(array_reserve(&array, &capacity, i + 1));
		assert_true(capacity > i);
		array[i] = i * i;
	}
	for (size_t i = 0; i < 10000; i++)
		assert_int_equal(array[i], i * i);

	size_t before = capacity;
	assert_true(array_reserve(&array, &capacity, 1));
	assert_int_equal(capacity, before);
	const uint64_t *same = array;
	assert_false(array_reserve(&array, &capacity, SIZE_MAX / 2));
	assert_ptr_equal(array, same);
	assert_int_equal(capacity, before);
	free(array);
}

TEST(numbers_are_little_endian)
{
	uint8_t bytes[8];
	put_le64(bytes, UINT64_C(0x0102030405060708));
	assert_memory_equal(bytes, "\x08\x07\x06\x05\x04\x03\x02\x01", 8);
	assert_int_equal(get_le64(bytes), UINT64_C(0x0102030405060708));
	assert_int_equal(get_le32(bytes), 0x05060708);
	assert_int_equal(get_le16(bytes), 0x0708);
	put_le32(bytes, 0xfedcba98);
	assert_int_equal(get_le32(bytes), 0xfedcba98);
}

TEST(varints_come_back)
{
	for (unsigned bit = 0; bit <= 64; bit++) {
		for (int step = -1; step <= 1; step++) {
			uint64_t number = (bit == 64 ? 0 : UINT64_C(1) << bit) + (uint64_t)(int64_t)step;
			uint8_t bytes[VARINT_SIZE_MAX];
			const uint8_t *end = put_varint(bytes, number);
			assert_int_equal(end - bytes, varint_size(number));
			uint64_t back = ~number;
			assert_ptr_equal(get_varint(bytes, end, &back), end);
			assert_int_equal(back, number);
			assert_null(get_varint(bytes, end - 1, &back));
		}
	}
	assert_int_equal(varint_size(127), 1);
	assert_int_equal(varint_size(128), 2);
	assert_int_equal(varint_size(UINT64_MAX), VARINT_SIZE_MAX);
}

TEST(malformed_varints_are_refused)
{
	static const uint8_t too_large[] = { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x02 };
	static const uint8_t too_long[] = { 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x00 };
	uint64_t number;
	assert_null(get_varint(too_large, too_large + sizeof(too_large), &number));
	assert_null(get_varint(too_long, too_long + sizeof(too_long), &number));
	assert_null(get_varint(too_long, too_long, &number));
}

TEST(zigzag_folds_small_numbers)
{
	assert_int_equal(zigzag(0), 0);
	assert_int_equal(zigzag(-1), 1);
	assert_int_equal(zigzag(1), 2);
	assert_int_equal(zigzag(-2), 3);
	static const int64_t edges[] = { INT64_MIN, INT64_MIN + 1, -1, 0, 1, INT64_MAX };
	for (size_t i = 0; i < sizeof(edges) / sizeof(edges[0]); i++)
		assert_true(unzigzag(zigzag(edges[i])) == edges[i]);
}

TEST(reader_stops_at_the_end_and_stays_failed)
{
	static const uint8_t bytes[] = { 1, 0, 0, 0, 0x85, 0x01, 7 };
	struct byte_reader reader = byte_reader(bytes, sizeof(bytes));
	assert_int_equal(read_le32(&reader), 1);
	assert_int_equal(read_varint(&reader), 133);
	assert_int_equal(byte_reader_left(&reader), 1);
	assert_false(reader.failed);
	assert_int_equal(read_le64(&reader), 0);
	assert_true(reader.failed);
	/* One byte is left, but nothing is read any more. */
	assert_null(read_bytes(&reader, 1));
	assert_int_equal(read_varint(&reader), 0);

	reader = byte_reader(bytes, sizeof(bytes));
	assert_null(read_bytes(&reader, SIZE_MAX));
	assert_true(reader.failed);
}

TEST(crc32c_has_the_published_values)
{
	uint8_t bytes[32] = { 0 };
	assert_int_equal(crc32c(0, "123456789", 9), 0xe3069283);
	/* RFC 3720, appendix B.4: 32 bytes of zeros, of ones, counting up, counting down. */
	assert_int_equal(crc32c(0, bytes, sizeof(bytes)), 0x8a9136aa);
	memset(bytes, 0xff, sizeof(bytes));
	assert_int_equal(crc32c(0, bytes, sizeof(bytes)), 0x62a8ab43);
	for (uint8_t i = 0; i < 32; i++)
		bytes[i] = i;
	assert_int_equal(crc32c(0, bytes, sizeof(bytes)), 0x46dd794e);
	for (uint8_t i = 0; i < 32; i++)
		bytes[i] = 31 - i;
	assert_int_equal(crc32c(0, bytes, sizeof(bytes)), 0x113fdb5c);
}

TEST(crc32c_fast_and_portable_agree)
{
	uint8_t bytes[300];
	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)(i * 151 + i / 7);
	for (size_t from = 0; from < 9; from++) {
		for (size_t size = 0; from + size <= sizeof(bytes); size++) {
			uint32_t whole = crc32c(0, bytes + from, size);
			assert_int_equal(whole, crc32c_portable(0, bytes + from, size));
			size_t half = size / 2;
			uint32_t continued = crc32c(0, bytes + from, half);
			assert_int_equal(whole, crc32c(continued, bytes + from + half, size - half));
		}
	}
}

TEST(intern_numbers_each_string_once)
{
	struct intern intern = { 0 };
	assert_int_equal(intern_find(&intern, "a", 1), INTERN_NONE);
	enum { COUNT = 5000 };
	for (int round = 0; round < 2; round++) {
		for (uint32_t i = 0; i < COUNT; i++) {
			char text[16];
			size_t size = (size_t)snprintf(text, sizeof(text), "%u", i);
			assert_int_equal(intern_add(&intern, text, size), i);
		}
	}
	assert_int_equal(intern.count, COUNT);
	assert_int_equal(intern_find(&intern, "4711", 4), 4711);
	assert_int_equal(intern_find(&intern, "5000", 4), INTERN_NONE);
	size_t size;
	assert_string_equal(intern_get(&intern, 1234, &size), "1234");
	assert_int_equal(size, 4);
	intern_release(&intern);
	assert_int_equal(intern.count, 0);
}

TEST(intern_tells_bytes_apart_not_strings)
{
	struct intern intern = { 0 };
	uint32_t empty = intern_add(&intern, NULL, 0);
	uint32_t zero = intern_add(&intern, "\0", 1);
	uint32_t zeros = intern_add(&intern, "\0\0", 2);
	assert_int_not_equal(empty, zero);
	assert_int_not_equal(zero, zeros);
	assert_int_equal(intern_find(&intern, "", 0), empty);
	size_t size;
	assert_memory_equal(intern_get(&intern, zeros, &size), "\0\0", 3);
	assert_int_equal(size, 2);
	intern_release(&intern);
}

TEST(errors_gather_context)
{
	struct histree_error error;
	assert_int_equal(error_set(&error, HISTREE_ERR_FORMAT, "node %d: checksum mismatch", 7),
			 HISTREE_ERR_FORMAT);
	error_prefix(&error, "'%s'", "kernel.sht");
	assert_int_equal(error.status, HISTREE_ERR_FORMAT);
	assert_string_equal(error.message, "'kernel.sht': node 7: checksum mismatch");

	assert_int_equal(error_memory(&error, "a node"), HISTREE_ERR_MEMORY);
	assert_string_equal(error.message, "out of memory for a node");
	assert_int_equal(error_set(NULL, HISTREE_ERR_IO, "nobody listens"), HISTREE_ERR_IO);
	error_prefix(NULL, "nobody listens");
}

TEST(long_errors_are_cut_and_terminated)
{
	struct histree_error error;
	char text[2 * sizeof(error.message)];
	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	/* Every length around the size of the message, as what stands there and as what comes before it. */
	for (size_t length = sizeof(error.message) - 6; length < sizeof(error.message) + 6; length++) {
		error_set(&error, HISTREE_ERR_IO, "%.*s", (int)length, text);
		assert_true(strlen(error.message) < sizeof(error.message));
		error_prefix(&error, "y");
		assert_int_equal(strncmp(error.message, "y: x", 4), 0);
		error_set(&error, HISTREE_ERR_IO, "tail");
		error_prefix(&error, "%.*s", (int)length, text);
		assert_int_equal(error.message[0], 'x');
		assert_true(strlen(error.message) < sizeof(error.message));
	}
}

TEST(every_status_has_a_text)
{
#define X(name, number, text) assert_string_equal(histree_status_text(name), text);
	HISTREE_STATUS_LIST(X)
#undef X
	assert_string_equal(histree_status_text((enum histree_status)12345), "unknown status");
	assert_string_equal(histree_version(), HISTREE_VERSION);
}

/* A file in memory that gives and takes at most three bytes a call, and is interrupted every other time. */
struct stutter {
	char bytes[32];
	size_t size; /* where it ends */
	unsigned calls;
	int fails_with; /* an errno for every call; 0: none */
};

static ssize_t stutter_next(struct stutter *file, size_t size, off_t offset)
{
	if (file->fails_with != 0 || ++file->calls % 2 == 1) {
		errno = file->fails_with != 0 ? file->fails_with : EINTR;
		return -1;
	}
	size_t left = (size_t)offset < file->size ? file->size - (size_t)offset : 0;
	size_t most = left < 3 ? left : 3;
	return (ssize_t)(size < most ? size : most);
}

static ssize_t stutter_pread(void *context, int descriptor, void *bytes, size_t size, off_t offset)
{
	struct stutter *file = context;
	assert_int_equal(descriptor, 5);
	ssize_t count = stutter_next(file, size, offset);
	if (count > 0)
		memcpy(bytes, file->bytes + offset, (size_t)count);
	return count;
}

static ssize_t stutter_pwrite(void *context, int descriptor, const void *bytes, size_t size, off_t offset)
{
	struct stutter *file = context;
	assert_int_equal(descriptor, 5);
	ssize_t count = stutter_next(file, size, offset);
	if (count > 0)
		memcpy(file->bytes + offset, bytes, (size_t)count);
	return count;
}

TEST(io_goes_on_after_short_calls)
{
	struct stutter file = { .size = sizeof(file.bytes) };
	struct io io = { .pread = stutter_pread, .pwrite = stutter_pwrite, .context = &file };
	struct histree_error error;
	assert_ok(io_write_all(&io, 5, "state history tree", 18, 4, &error));
	assert_memory_equal(file.bytes, "\0\0\0\0state history tree\0", 23);
	assert_int_equal(file.calls, 12);

	char back[18];
	assert_ok(io_read_all(&io, 5, back, sizeof(back), 4, &error));
	assert_memory_equal(back, "state history tree", 18);
	assert_ok(io_read_all(&io, 5, NULL, 0, 0, &error));
}

/* A file of four terabytes that has some bytes is copied as quickly, and takes no more room. */
TEST(io_copy_leaves_holes)
{
	static const char path[] = "test_base.sparse", copy[] = "test_base.copy";
	static const off_t places[] = { 0, 1 << 20, (off_t)1 << 40 };
	struct stat facts;
	unlink(copy);
	int file = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
	assert_true(file >= 0);
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(pwrite(file, "data", 4, places[i]), 4);
	if (ftruncate(file, (off_t)1 << 42) != 0 || fstat(file, &facts) != 0 || facts.st_blocks > 1 << 16) {
		close(file);
		unlink(path);
		skip(); /* no file system for it */
	}
	close(file);
	assert_ok(io_copy(&io_posix, path, copy, NULL));
	file = open(copy, O_RDONLY);
	assert_true(file >= 0 && fstat(file, &facts) == 0);
	assert_true(facts.st_size == (off_t)1 << 42 && facts.st_blocks < 1 << 16);
	for (size_t i = 0; i < 3; i++) {
		char bytes[6];
		assert_int_equal(pread(file, bytes, 6, places[i]), 6);
		assert_memory_equal(bytes, "data\0\0", 6);
	}
	close(file);
	unlink(path);
	unlink(copy);
}

TEST(io_tells_the_end_from_a_failure)
{
	struct stutter file = { .size = 10 };
	struct io io = { .pread = stutter_pread, .pwrite = stutter_pwrite, .context = &file };
	struct histree_error error;
	char bytes[11];
	assert_ok(io_read_all(&io, 5, bytes, 10, 0, &error));
	assert_int_equal(io_read_all(&io, 5, bytes, 11, 0, &error), HISTREE_ERR_FORMAT);
	assert_string_equal(error.message, "the file ends too early");

	file.fails_with = ENOSPC;
	assert_int_equal(io_write_all(&io, 5, bytes, 1, 0, &error), HISTREE_ERR_IO);
	assert_non_null(strstr(error.message, strerror(ENOSPC)));
	assert_int_equal(io_read_all(&io, 5, bytes, 1, 0, NULL), HISTREE_ERR_IO);
}

/* ---- search ---------------------------------------------------------------------------------------------- */

struct looking {
	size_t low, high, first;
	size_t *looks;
};

static bool is_before(const void *context, size_t index)
{
	const struct looking *looking = context;
	assert_in_range(index, looking->low, looking->high - 1);
	++*looking->looks;
	return index < looking->first;
}

/* Wherever it begins; soon if the guess is good, and never late. */
TEST(a_search_finds_the_first_that_is_not_before)
{
	enum { MOST = 40, LOOKS_MAX = 14 };
	for (size_t high = 0; high < MOST; high++)
		for (size_t low = 0; low <= high; low++)
			for (size_t first = low; first <= high; first++)
				for (size_t guess = 0; guess < MOST + 2; guess++) {
					size_t looks = 0;
					const struct looking looking = { low, high, first, &looks };
					assert_int_equal(search_first(low, high, guess, is_before, &looking),
							 first);
					assert_in_range(looks, low < high, guess == first ? 2 : LOOKS_MAX);
				}
	size_t looks = 0;
	assert_int_equal(search_first(5, 3, 4, is_before, &(struct looking){ 0, 9, 9, &looks }), 3);
	assert_int_equal(looks, 0);
}

struct ordered {
	uint64_t most;
	int64_t least;
	const char *name;
};

COMPARE(by_members, struct ordered, BY_MOST(most) BY(least) BY_TEXT(name))
COMPARE_POINTERS(by_name, struct ordered, BY_TEXT(name))

TEST(structs_are_compared_by_the_first_member_that_differs)
{
	static const struct ordered ascending[] = { { UINT64_MAX, 1, "b" },
						    { 1, INT64_MIN, "z" },
						    { 1, INT64_MAX, "a" },
						    { 1, INT64_MAX, "c" },
						    { 0, 0, "" } };
	for (int i = 0; i < 5; i++)
		for (int j = 0; j < 5; j++) {
			const int order = by_members(&ascending[i], &ascending[j]);
			assert_int_equal((order > 0) - (order < 0), (i > j) - (i < j));
		}
	const struct ordered *a = &ascending[2], *b = &ascending[0];
	assert_true(by_name(&a, &b) < 0);
	assert_int_equal(by_name(&a, &a), 0);
}

TEST(numbers_are_read_whole_or_not_at_all)
{
	static const char *const wrong[] = { "", "-", "+-1", " 1", "1 ", "0x10", "nan", "inf", "1e", "." };
	int64_t number;
	double real;
	assert_true(number_parse_signed("-9223372036854775808", &number) && number == INT64_MIN);
	assert_true(number_parse_signed("+9223372036854775807", &number) && number == INT64_MAX);
	assert_false(number_parse_signed("9223372036854775808", &number));
	assert_false(number_parse_signed("-9223372036854775809", &number));
	assert_false(number_parse_signed("1.5", &number));
	assert_true(number_parse_real("-1.5e3", &real) && real == -1500);
	assert_true(number_parse_real("42", &real) && real == 42);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		assert_false(number_parse_signed(wrong[i], &number));
		assert_false(number_parse_real(wrong[i], &real));
	}
}

/* Blocks in use never overlap, and what was given back is taken before the arena grows. */
TEST(a_pool_takes_back_what_it_gave)
{
	enum { BLOCKS = 200 };
	struct pool pool = { 0 };
	struct random random = { 7 };
	unsigned char *blocks[BLOCKS] = { NULL };
	size_t sizes[BLOCKS] = { 0 }, settled = 0;
	for (unsigned round = 0; round < 20000; round++) {
		size_t i = random_below(&random, BLOCKS);
		for (size_t at = 0; blocks[i] != NULL && at < sizes[i]; at++)
			assert_int_equal(blocks[i][at], (unsigned char)i);
		pool_give(&pool, blocks[i], sizes[i]);
		sizes[i] = 1 + random_below(&random, 300);
		blocks[i] = pool_take(&pool, sizes[i]);
		assert_non_null(blocks[i]);
		assert_int_equal((uintptr_t)blocks[i] % 16, 0);
		memset(blocks[i], (int)i, sizes[i]);
		if (round == 10000)
			settled = pool.memory.bytes_total;
	}
	assert_in_range(pool.memory.bytes_total, settled, 2 * settled);
	assert_in_range(settled, 1, (size_t)BLOCKS * 512 * 5);
	uint32_t *numbers = NULL, capacity = 0;
	for (uint32_t i = 0; i < 1000; i++) {
		assert_true(pool_reserve(&pool, &numbers, &capacity, (size_t)i + 1));
		numbers[i] = i;
	}
	for (uint32_t i = 0; i < 1000; i++)
		assert_int_equal(numbers[i], i);
	pool_release(&pool);
}
