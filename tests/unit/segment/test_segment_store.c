// SPDX-License-Identifier: MIT
/*
 * test_segment_store.c - what a segment store refuses, what it says when the disk fails or lies, and that many may
 * read it.  That its answers are right is for tests/property.
 */
#include <pthread.h>

#include "base/bytes.h"
#include "segment/segment_memory.h"
#include "segment/segment_schema.h"
#include "store/block_file.h"
#include "support/block_parts.h"
#include "support/faulty_io.h"
#include "support/memory_io.h"
#include "support/segments.h"
#include "support/test.h"
#include "support/tree_file.h"

static const struct segment_kind with_content = { "unit", SEGMENTS_BY_END, 3000, true };
static const struct segment_kind small = { "small", SEGMENTS_BY_END, 500, true };

/* Small nodes and batches, so that there are some of each. */
static enum histree_status build(const struct io *io, const struct segments *segments, struct histree_error *error)
{
	const struct histree_segment_store_options options = {
		.path = "f", .schema = *segments->schema, .node_size = 4096, .memory_max = 60000
	};
	struct histree_segment_store *store;
	enum histree_status status = segment_store_create(io, &options, &store, error);
	if (status != HISTREE_OK)
		return status;
	for (size_t i = 0; status == HISTREE_OK && i < segments->count; i++)
		status = histree_segment_store_add(store, &segments->segments[i], error);
	if (status == HISTREE_OK)
		status = histree_segment_store_finish(store, error);
	histree_segment_store_close(store);
	return status;
}

/* ---- refusals ------------------------------------------------------------------------------------- */

static void assert_refused(const struct histree_segment_store_options *options, const char *word)
{
	struct histree_segment_store *store;
	struct histree_error error;
	assert_int_equal(histree_segment_store_create(options, &store, &error), HISTREE_ERR_ARGUMENT);
	assert_null(store);
	assert_non_null(strstr(error.message, word));
}

TEST(wrong_options_are_refused)
{
	const struct histree_segment_field null = { "n", HISTREE_NULL }, nameless = { "", HISTREE_INT };
	const struct histree_segment_field twins[] = { { "a", HISTREE_INT }, { "a", HISTREE_LONG } };
	assert_refused(&(struct histree_segment_store_options){ 0 }, "path");
	assert_refused(&(struct histree_segment_store_options){ .path = "p", .node_size = 5000 }, "5000");
	assert_refused(&(struct histree_segment_store_options){ .kind = 9 }, "9");
	assert_refused(&(struct histree_segment_store_options){ .kind = HISTREE_SEGMENTS_MAP,
								.schema = { .fields = &null, .field_count = 1 } },
		       "'n'");
	assert_refused(
		&(struct histree_segment_store_options){ .kind = HISTREE_SEGMENTS_MAP,
							 .schema = { .fields = &nameless, .field_count = 1 } },
		"name");
	assert_refused(&(struct histree_segment_store_options){ .kind = HISTREE_SEGMENTS_MAP,
								.schema = { .fields = twins, .field_count = 2 } },
		       "'a'");
	assert_refused(&(struct histree_segment_store_options){ .kind = HISTREE_SEGMENTS_MAP,
								.schema = { .field_count = 33 } },
		       "33");
}

/* As many fields as there may be, with names as long as they may be. */
TEST(the_largest_schema_comes_back)
{
	enum { LONGEST = 255 };
	static char names[HISTREE_SEGMENT_FIELDS_MAX][LONGEST + 2], provider[LONGEST + 2];
	struct histree_segment_field fields[HISTREE_SEGMENT_FIELDS_MAX];
	struct memory_io memory;
	struct histree_segment_store *store;
	memory_io_init(&memory);
	memset(provider, 'p', LONGEST);
	for (size_t i = 0; i < HISTREE_SEGMENT_FIELDS_MAX; i++) {
		memset(names[i], 'a' + (int)(i % 26), LONGEST);
		names[i][0] = (char)('A' + (int)(i % 26));
		names[i][1] = (char)('0' + (int)(i / 26));
		fields[i] = (struct histree_segment_field){ names[i], HISTREE_LONG };
	}
	struct histree_segment_store_options options = {
		.path = "f",
		.schema = { .provider = provider, .fields = fields, .field_count = HISTREE_SEGMENT_FIELDS_MAX },
	};
	assert_ok(segment_store_create(&memory.io, &options, &store, NULL));
	assert_ok(histree_segment_store_finish(store, NULL));
	histree_segment_store_close(store);
	assert_ok(segment_store_open(&memory.io, "f", NULL, &store, NULL));
	const struct histree_segment_schema *schema = &histree_segment_store_info(store)->schema;
	assert_string_equal(schema->provider, provider);
	assert_int_equal(schema->field_count, HISTREE_SEGMENT_FIELDS_MAX);
	for (size_t i = 0; i < HISTREE_SEGMENT_FIELDS_MAX; i++)
		assert_string_equal(schema->fields[i].name, names[i]);
	histree_segment_store_close(store);

	names[3][LONGEST] = 'x';
	options.path = "g";
	assert_int_equal(segment_store_create(&memory.io, &options, &store, NULL), HISTREE_ERR_ARGUMENT);
	names[3][LONGEST] = '\0';
	provider[LONGEST] = 'x';
	assert_int_equal(segment_store_create(&memory.io, &options, &store, NULL), HISTREE_ERR_ARGUMENT);
	assert_null(store);
	memory_io_release(&memory);
}

TEST(wrong_segments_are_refused_and_change_nothing)
{
	struct memory_io memory;
	struct histree_segment_store *store;
	struct histree_error error;
	struct histree_value content[SEGMENT_TEST_FIELDS + 1] = { 0 };
	static char text[5000];
	content[SEGMENT_TEST_FIELDS] = histree_string_n(text, sizeof(text)); /* of no field */
	memory_io_init(&memory);
	const struct histree_segment_store_options options = { .path = "f",
							       .schema = segment_test_schema,
							       .node_size = 4096 };
	assert_ok(segment_store_create(&memory.io, &options, &store, &error));
	struct histree_segment segment = { .start = 5, .end = 4 };
	assert_int_equal(histree_segment_store_add(store, &segment, &error), HISTREE_ERR_TIME_RANGE);
	segment = (struct histree_segment){ .start = 5, .end = 5, .content = content };
	content[SEGMENT_NAME] = histree_int(3);
	assert_int_equal(histree_segment_store_add(store, &segment, &error), HISTREE_ERR_TYPE);
	assert_non_null(strstr(error.message, "'name'"));
	content[SEGMENT_NAME] = histree_string_n(text, sizeof(text));
	assert_int_equal(histree_segment_store_add(store, &segment, &error), HISTREE_ERR_TOO_LARGE);
	content[SEGMENT_NAME] = histree_string_n(text, 2048); /* as much as such a node takes */
	assert_ok(histree_segment_store_add(store, &segment, &error));
	struct histree_cursor *iter = (struct histree_cursor *)&segment;
	assert_int_equal(histree_segments_create(store, &iter, &error), HISTREE_ERR_ARGUMENT);
	assert_null(iter);
	assert_ok(histree_segment_store_finish(store, &error));
	assert_int_equal(histree_segment_store_add(store, &segment, &error), HISTREE_ERR_CLOSED);
	assert_int_equal(histree_segment_store_finish(store, &error), HISTREE_ERR_CLOSED);
	assert_int_equal(histree_segment_store_info(store)->segment_count, 1);
	size_t field;
	assert_ok(histree_segment_store_field(store, "tid", &field));
	assert_int_equal(field, SEGMENT_TID);
	assert_int_equal(histree_segment_store_field(store, "pid", &field), HISTREE_NOT_FOUND);
	histree_segment_store_close(store);
	memory_io_release(&memory);
}

TEST(wrong_queries_are_refused)
{
	struct histree_segment_store *store;
	struct histree_cursor *iter;
	const struct histree_segment_store_options options = { .kind = HISTREE_SEGMENTS_LAZY };
	assert_ok(histree_segment_store_create(&options, &store, NULL));
	assert_ok(histree_segment_store_finish(store, NULL));
	assert_ok(histree_segments_create(store, &iter, NULL));
	assert_int_equal(histree_cursor_next(iter, NULL), HISTREE_END); /* not started */
	struct histree_segment_query query = { .from = 1, .to = 0 };
	assert_int_equal(histree_segments_start(iter, &query, NULL, NULL), HISTREE_ERR_ARGUMENT);
	query = HISTREE_SEGMENTS_ALL;
	query.order = HISTREE_SEGMENTS_BY_FIELD;
	assert_int_equal(histree_segments_start(iter, &query, NULL, NULL), HISTREE_ERR_ARGUMENT);
	query.order = HISTREE_SEGMENTS_BY_COMPARE;
	assert_int_equal(histree_segments_start(iter, &query, NULL, NULL), HISTREE_ERR_ARGUMENT);
	histree_cursor_free(iter);
	histree_segment_store_close(store);
}

/* What an iterator says that it did is of the query that was started last. */
TEST(a_query_may_be_asked_again)
{
	struct histree_segment_store *store;
	struct histree_cursor *iter;
	const struct histree_segment_store_options options = { .kind = HISTREE_SEGMENTS_LAZY };
	assert_ok(histree_segment_store_create(&options, &store, NULL));
	for (histree_time t = 0; t < 5; t++)
		assert_ok(histree_segment_store_add(store, &(struct histree_segment){ .start = t, .end = t + 10 },
						    NULL));
	assert_ok(histree_segment_store_finish(store, NULL));
	assert_ok(histree_segments_create(store, &iter, NULL));
	for (int i = 0; i < 2; i++) {
		const struct histree_segment_query query = HISTREE_SEGMENTS_ALL;
		assert_ok(histree_segments_start(iter, &query, NULL, NULL));
		while (histree_cursor_next(iter, NULL) == HISTREE_OK)
			;
		assert_int_equal(histree_cursor_statistics(iter).rows, 5);
	}
	histree_cursor_free(iter);
	histree_segment_store_close(store);
}

static void expect_fault(void *context, const char *fault)
{
	(void)context;
	assert_true(strlen(fault) > 0);
}

static void assert_forged_is_found(struct memory_io *memory)
{
	struct memory_file *file = memory_io_find(memory, "f");
	struct histree_segment_store *store;
	block_parts_seal(file->bytes, file->size);
	enum histree_status status = segment_store_open(&memory->io, "f", NULL, &store, NULL);
	if (status == HISTREE_OK)
		status = histree_segment_store_verify(store, expect_fault, NULL, NULL);
	assert_int_equal(status, HISTREE_ERR_FORMAT);
	histree_segment_store_close(store);
}

/* Every checksum is right, and what the store says of all its segments, or a leaf of its blocks, is not. */
TEST(forged_extents_and_counts_are_found)
{
	enum { BLOCK_COUNT = 80, EXTENTS = 4 };
	struct memory_io memory;
	struct segments segments;
	memory_io_init(&memory);
	assert_true(segments_make(&segments, &small, 1));
	assert_ok(build(&memory.io, &segments, NULL));
	struct memory_file *file = memory_io_find(&memory, "f");
	size_t size;
	uint8_t *section = block_parts_section(file->bytes, file->size, SECTION_SEGMENTS, &size);
	assert_non_null(section);
	for (int extent = 0; extent < EXTENTS; extent++) { /* start, end, smallest and greatest duration */
		uint64_t sound = get_le64(section + 8 * extent);
		put_le64(section + 8 * extent, extent % 2 == 0 ? sound - 1 : sound + 1);
		assert_forged_is_found(&memory);
		put_le64(section + 8 * extent, sound);
	}
	static const uint32_t counts[] = { 0, 1000, UINT32_MAX };
	uint8_t *leaf = block_parts_node(file->bytes, file->size, 0, &size);
	uint32_t sound = get_le32(leaf + BLOCK_COUNT);
	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		put_le32(leaf + BLOCK_COUNT, counts[i]);
		assert_forged_is_found(&memory);
	}
	put_le32(leaf + BLOCK_COUNT, sound);
	block_parts_seal(file->bytes, file->size);
	struct histree_segment_store *store;
	assert_ok(segment_store_open(&memory.io, "f", NULL, &store, NULL));
	assert_ok(histree_segment_store_verify(store, expect_fault, NULL, NULL));
	histree_segment_store_close(store);
	segments_release(&segments);
	memory_io_release(&memory);
}

/* A history is no segment store, and the other way about; each says so. */
TEST(the_two_kinds_of_tree_are_not_mixed_up)
{
	struct memory_io memory;
	struct segments segments;
	struct histree_error error;
	struct tree_file tree;
	struct histree_segment_store *store;
	memory_io_init(&memory);
	assert_true(segments_make(&segments, &with_content, 1));
	assert_ok(build(&memory.io, &segments, &error));
	assert_int_equal(tree_file_open(&memory.io, "f", 1, &tree, &error), HISTREE_ERR_FORMAT);
	assert_non_null(strstr(error.message, "is a segment store"));
	segments_release(&segments);

	struct reference history;
	const struct histree_interval interval = { .end = 9, .value = histree_int(1) };
	assert_true(reference_make(&history, &interval, 1, 0, 9, 1));
	assert_ok(
		tree_file_write(&memory.io, "h", &(struct histree_tree_options){ 0 }, &history, &interval, &error));
	assert_int_equal(segment_store_open(&memory.io, "h", NULL, &store, &error), HISTREE_ERR_FORMAT);
	assert_non_null(strstr(error.message, "is a history of states"));
	reference_release(&history);
	memory_io_release(&memory);
}

/* A file of this section alone, as far as a schema is read from it. */
static enum histree_status read_schema(struct memory_io *memory, const uint8_t *bytes, size_t size,
				       struct histree_error *error)
{
	struct block_file *file;
	struct histree_segment_store_info info = { 0 };
	assert_ok(block_file_create(&memory->io, "copy", 4096, &file, NULL));
	assert_ok(block_file_section_begin(file, SECTION_SEGMENTS, NULL));
	assert_ok(block_file_section_write(file, bytes, size, NULL));
	block_file_section_end(file);
	assert_ok(block_file_complete(file, NULL));
	enum histree_status status = segment_schema_read(file, &info, error);
	segment_schema_release(&info.schema);
	block_file_close(file);
	assert_int_equal(memory->io.unlink(memory->io.context, "copy"), 0);
	return status;
}

TEST(a_schema_is_as_long_as_its_fields)
{
	struct memory_io memory;
	struct segments segments;
	struct block_file *file;
	struct histree_error error;
	uint8_t *bytes;
	size_t size;
	memory_io_init(&memory);
	assert_true(segments_make(&segments, &small, 1));
	assert_ok(build(&memory.io, &segments, &error));
	assert_ok(block_file_open(&memory.io, "f", &file, NULL));
	assert_ok(block_file_section(file, SECTION_SEGMENTS, &bytes, &size, NULL));
	uint8_t *longer = calloc(1, size + 3);
	assert_non_null(longer);
	memcpy(longer, bytes, size);
	assert_ok(read_schema(&memory, longer, size, &error));
	assert_int_equal(read_schema(&memory, longer, size - 1, &error), HISTREE_ERR_FORMAT);
	assert_int_equal(read_schema(&memory, longer, size + 3, &error), HISTREE_ERR_FORMAT);
	assert_non_null(strstr(error.message, "3 bytes after its last field"));
	free(longer);
	free(bytes);
	block_file_close(file);
	segments_release(&segments);
	memory_io_release(&memory);
}

/* ---- faults --------------------------------------------------------------------------------------- */

static void count_fault(void *context, const char *text)
{
	unsigned *faults = context;
	assert_true(strstr(text, "node") != NULL || strstr(text, "section") != NULL ||
		    strstr(text, "header") != NULL);
	++*faults;
}

/* Open, verify and read it in an order of each kind. */
static enum histree_status use(const struct io *io, size_t *count, struct histree_error *error)
{
	static const enum histree_segment_order orders[] = { HISTREE_SEGMENTS_UNSORTED,
							     HISTREE_SEGMENTS_BY_DURATION,
							     HISTREE_SEGMENTS_BY_FIELD };
	const struct histree_segment_open_options options = { .cache_bytes = 1,
							      .queue_bytes = 1,
							      .tables = HISTREE_TABLES_NEVER };
	struct histree_segment_store *store;
	struct histree_cursor *iter = NULL;
	enum histree_status status = segment_store_open(io, "f", &options, &store, error);
	if (status == HISTREE_OK)
		status = histree_segments_create(store, &iter, error);
	*count = 0;
	for (size_t i = 0; status == HISTREE_OK && i < 3; i++) {
		struct histree_segment_query query = HISTREE_SEGMENTS_ALL;
		query.order = orders[i];
		query.field = SEGMENT_NAME;
		status = histree_segments_start(iter, &query, NULL, error);
		while (status == HISTREE_OK && (status = histree_cursor_next(iter, error)) == HISTREE_OK)
			++*count;
		if (status == HISTREE_END)
			status = HISTREE_OK;
		else /* and it says so again */
			assert_int_equal(histree_cursor_next(iter, NULL), status);
	}
	histree_cursor_free(iter);
	histree_segment_store_close(store);
	return status;
}

TEST(every_operation_may_fail)
{
	struct memory_io memory;
	struct faulty_io faulty;
	struct segments segments;
	struct histree_error error = { 0 };
	size_t count;
	memory_io_init(&memory);
	faulty_io_init(&faulty, &memory.io);
	assert_true(segments_make(&segments, &small, 2));
	enum histree_status status = HISTREE_ERR_IO;
	for (faulty.fail_at = 1; status != HISTREE_OK; faulty.fail_at++) {
		faulty.operations = 0;
		status = build(&faulty.io, &segments, &error);
		if (status == HISTREE_OK)
			break;
		assert_int_equal(status, HISTREE_ERR_IO);
		assert_non_null(strstr(error.message, "'f'"));
		assert_null(memory_io_find(&memory, "f"));
	}
	assert_true(faulty.fail_at > 10);
	assert_non_null(memory_io_find(&memory, "f"));
	status = HISTREE_ERR_IO;
	for (faulty.fail_at = 1;; faulty.fail_at += 1 + faulty.fail_at / 40) { /* there are thousands */
		faulty.operations = 0;
		status = use(&faulty.io, &count, &error);
		if (status == HISTREE_OK)
			break;
		assert_int_equal(status, HISTREE_ERR_IO);
		assert_non_null(strstr(error.message, "'f"));
	}
	assert_int_equal(count, 3 * segments.count);
	assert_true(faulty.fail_at > 100);
	segments_release(&segments);
	memory_io_release(&memory);
}

/* All of the store by name; whether the side table was used. */
static enum histree_status read_by_name(const struct io *io, const struct segments *segments, bool *used,
					struct histree_error *error)
{
	struct histree_segment_store *store;
	struct histree_cursor *iter = NULL;
	struct histree_segment_query query = HISTREE_SEGMENTS_ALL;
	query.order = HISTREE_SEGMENTS_BY_FIELD;
	query.field = SEGMENT_NAME;
	enum histree_status status = segment_store_open(io, "f", NULL, &store, error);
	if (status == HISTREE_OK)
		status = histree_segments_create(store, &iter, error);
	if (status == HISTREE_OK)
		status = histree_segments_start(iter, &query, NULL, error);
	while (status == HISTREE_OK)
		status = histree_cursor_next(iter, error);
	*used = false;
	if (status == HISTREE_END) {
		assert_int_equal(histree_segments_token(iter).given, segments->count);
		*used = histree_segments_token(iter).key[0] == segments->count;
	}
	histree_cursor_free(iter);
	histree_segment_store_close(store);
	return status;
}

static enum histree_status make_table(const struct io *io, struct histree_error *error)
{
	struct histree_segment_store *store;
	enum histree_status status = segment_store_open(io, "f", NULL, &store, error);
	if (status == HISTREE_OK)
		status = histree_segment_store_make_table(store, SEGMENT_NAME, error);
	histree_segment_store_close(store);
	return status;
}

/* What fails while a side table is made leaves none, or the one before; and no query fails for want of one. */
TEST(side_tables_are_done_without)
{
	struct memory_io memory;
	struct faulty_io faulty;
	struct segments segments;
	struct histree_error error = { 0 };
	bool used;
	memory_io_init(&memory);
	faulty_io_init(&faulty, &memory.io);
	assert_true(segments_make(&segments, &small, 2));
	assert_ok(build(&memory.io, &segments, &error));
	unsigned sorted = 0, failed = 0;
	for (faulty.fail_at = 1;; faulty.fail_at++) {
		faulty.operations = 0;
		enum histree_status status = make_table(&faulty.io, &error);
		if (status == HISTREE_OK)
			break;
		assert_int_equal(status, HISTREE_ERR_IO);
		assert_non_null(strstr(error.message, "'f"));
		assert_null(memory_io_find(&memory, "f.1.order.new"));
		assert_int_equal(read_by_name(&memory.io, &segments, &used, &error), HISTREE_END);
		/* The last that can fail is opening what has its name already. */
		assert_true(!used || memory_io_find(&memory, "f.1.order") != NULL);
	}
	assert_true(faulty.fail_at > 20);
	assert_int_equal(read_by_name(&memory.io, &segments, &used, &error), HISTREE_END);
	assert_true(used);
	/* What fails of the table is sorted instead; what fails of the store is told. */
	for (faulty.fail_at = 1;; faulty.fail_at++) {
		faulty.operations = 0;
		enum histree_status status = read_by_name(&faulty.io, &segments, &used, &error);
		if (faulty.operations < faulty.fail_at)
			break;
		assert_true(status == HISTREE_END || status == HISTREE_ERR_IO);
		sorted += status == HISTREE_END && !used;
		failed += status == HISTREE_ERR_IO;
		if (memory_io_find(&memory, "f.1.order") == NULL) /* it was taken for damaged */
			assert_ok(make_table(&memory.io, &error));
	}
	assert_true(sorted > 3 && failed > 3);
	segments_release(&segments);
	memory_io_release(&memory);
}

/* A maker that died leaves its file: the next one takes that away, the one after it makes the table. */
TEST(the_file_of_a_maker_that_died_goes)
{
	struct memory_io memory;
	struct segments segments;
	struct histree_error error = { 0 };
	memory_io_init(&memory);
	assert_true(segments_make(&segments, &small, 2));
	assert_ok(build(&memory.io, &segments, &error));
	assert_true(memory_io_put(&memory, "f.1.order.new", "half", 4));
	assert_int_equal(make_table(&memory.io, &error), HISTREE_ERR_EXISTS);
	assert_ok(make_table(&memory.io, &error));
	assert_null(memory_io_find(&memory, "f.1.order.new"));
	segments_release(&segments);
	memory_io_release(&memory);
}

/* Every byte of the file that is in use counts: if one is wrong, somebody says so. */
TEST(damage_is_found)
{
	struct memory_io memory;
	struct segments segments;
	struct histree_error error;
	struct random random = { 8 };
	memory_io_init(&memory);
	assert_true(segments_make(&segments, &with_content, 3));
	assert_ok(build(&memory.io, &segments, &error));
	struct memory_file *file = memory_io_find(&memory, "f");
	unsigned unseen = 0;
	for (unsigned i = 0; i < 300; i++) {
		size_t at = BLOCK_FILE_HEADER_SIZE + random_below(&random, file->size - BLOCK_FILE_HEADER_SIZE);
		uint8_t bit = (uint8_t)(1u << random_below(&random, 8));
		struct histree_segment_store *store;
		unsigned faults = 0;
		file->bytes[at] ^= bit;
		if (segment_store_open(&memory.io, "f", NULL, &store, &error) == HISTREE_OK) {
			enum histree_status status =
				histree_segment_store_verify(store, count_fault, &faults, &error);
			assert_int_equal(status, faults > 0 ? HISTREE_ERR_FORMAT : HISTREE_OK);
			assert_int_equal(histree_segment_store_verify(store, NULL, NULL, &error), status);
			unseen += faults == 0;
			histree_segment_store_close(store);
		}
		file->bytes[at] ^= bit;
	}
	assert_true(unseen < 30); /* what fills a block up to its 64 bytes */

	/* Overviews are looked for where the store is, which need not be a file system. */
	struct histree_segment_store *beside;
	assert_true(memory_io_put(&memory, "f.overview1", (const uint8_t *)"none", 4));
	assert_ok(segment_store_open(&memory.io, "f", NULL, &beside, &error));
	assert_int_equal(histree_segment_store_verify(beside, NULL, NULL, &error), HISTREE_ERR_FORMAT);
	histree_segment_store_close(beside);
	assert_int_equal(memory.io.unlink(memory.io.context, "f.overview1"), 0);

	/* The header has a copy: the store can be used, and the fault is found. */
	struct histree_segment_store *store;
	unsigned faults = 0;
	file->bytes[20] ^= 4;
	assert_ok(segment_store_open(&memory.io, "f", NULL, &store, &error));
	assert_int_equal(histree_segment_store_verify(store, count_fault, &faults, &error), HISTREE_ERR_FORMAT);
	assert_true(faults > 0);
	histree_segment_store_close(store);
	segments_release(&segments);
	memory_io_release(&memory);
}

/* ---- threads -------------------------------------------------------------------------------------- */

static void *read_sorted(void *context)
{
	struct histree_segment_store *store = context;
	struct histree_cursor *iter;
	size_t count = 0;
	struct histree_segment_query query = HISTREE_SEGMENTS_ALL;
	query.order = HISTREE_SEGMENTS_BY_END;
	if (histree_segments_create(store, &iter, NULL) != HISTREE_OK)
		return NULL;
	if (histree_segments_start(iter, &query, NULL, NULL) == HISTREE_OK)
		while (histree_cursor_next(iter, NULL) == HISTREE_OK)
			count++;
	histree_cursor_free(iter);
	return (void *)(uintptr_t)count;
}

TEST(many_threads_read_one_store)
{
	struct segments segments;
	struct memory_io memory;
	assert_true(segments_make(&segments, &with_content, 4));
	memory_io_init(&memory);
	for (unsigned kind = HISTREE_SEGMENTS_DISK; kind <= HISTREE_SEGMENTS_MAP; kind++) {
		const struct histree_segment_store_options options = {
			.kind = (enum histree_segment_store_kind)kind,
			.path = "f",
			.schema = segment_test_schema,
			.node_size = 4096,
		};
		struct histree_segment_store *store;
		pthread_t threads[4];
		assert_ok(segment_store_create(&memory.io, &options, &store, NULL));
		for (size_t i = 0; i < segments.count; i++)
			assert_ok(histree_segment_store_add(store, &segments.segments[i], NULL));
		assert_ok(histree_segment_store_finish(store, NULL));
		for (unsigned i = 0; i < 4; i++)
			assert_int_equal(pthread_create(&threads[i], NULL, read_sorted, store), 0);
		for (unsigned i = 0; i < 4; i++) {
			void *count;
			assert_int_equal(pthread_join(threads[i], &count), 0);
			assert_int_equal((uintptr_t)count, segments.count);
		}
		histree_segment_store_close(store);
	}
	memory_io_release(&memory);
	segments_release(&segments);
}

/* By name; how many came, of a thread. */
static void *read_by_field(void *context)
{
	struct histree_segment_store *store = context;
	struct histree_cursor *iter;
	size_t count = 0;
	struct histree_segment_query query = HISTREE_SEGMENTS_ALL;
	query.order = HISTREE_SEGMENTS_BY_FIELD;
	query.field = SEGMENT_NAME;
	if (histree_segments_create(store, &iter, NULL) != HISTREE_OK)
		return NULL;
	if (histree_segments_start(iter, &query, NULL, NULL) == HISTREE_OK)
		while (histree_cursor_next(iter, NULL) == HISTREE_OK)
			count++;
	histree_cursor_free(iter);
	return (void *)(uintptr_t)count;
}

/*
 * The first of several threads that ask makes the table, and all use it; where nothing is to be written, nobody
 * does.
 */
TEST(a_large_store_makes_its_table)
{
	static const struct segment_kind large = { "large", SEGMENTS_BY_END, 60000, true };
	struct segments segments;
	struct histree_segment_store *store;
	char path[64], table[80];
	snprintf(path, sizeof(path), "test_segment_store.%ld.seg", (long)getpid());
	snprintf(table, sizeof(table), "%s.%d.order", path, SEGMENT_NAME);
	assert_true(segments_make(&segments, &large, 5));
	const struct histree_segment_store_options made = { .path = path, .schema = segment_test_schema };
	assert_ok(histree_segment_store_create(&made, &store, NULL));
	for (size_t i = 0; i < segments.count; i++)
		assert_ok(histree_segment_store_add(store, &segments.segments[i], NULL));
	assert_ok(histree_segment_store_finish(store, NULL));
	histree_segment_store_close(store);
	static const enum histree_segment_tables policies[] = { HISTREE_TABLES_NEVER, HISTREE_TABLES_AS_THEY_ARE,
								HISTREE_TABLES_ON_DEMAND };
	for (size_t i = 0; i < 3; i++) {
		const struct histree_segment_open_options options = { .tables = policies[i] };
		pthread_t threads[3];
		assert_ok(histree_segment_store_open(path, &options, &store, NULL));
		for (unsigned thread = 0; thread < 3; thread++)
			assert_int_equal(pthread_create(&threads[thread], NULL, read_by_field, store), 0);
		for (unsigned thread = 0; thread < 3; thread++) {
			void *count;
			assert_int_equal(pthread_join(threads[thread], &count), 0);
			assert_int_equal((uintptr_t)count, segments.count);
		}
		histree_segment_store_close(store);
		assert_int_equal(access(table, F_OK) == 0, policies[i] == HISTREE_TABLES_ON_DEMAND);
	}
	unlink(table);
	unlink(path);
	segments_release(&segments);
}
