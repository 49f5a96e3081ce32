// SPDX-License-Identifier: MIT
/*
 * test_golden.c - histories of format versions 1 and 2, kept for ever: every later version must read them, and say
 * the same.
 *
 * The last test holds the format still: if it fails, the bytes that histree writes have changed.  Then an older
 * histree may not understand them: either undo the change, or give the format a new version (store/block_file.h),
 * add golden files of it, and keep these.
 */
#include "golden_history.h"
#include "golden_segments.h"
#include "support/data.h"
#include "support/test.h"

static const char *const variants[] = { "sht", "osht", "esht", "rsht", "vrsht", "cluster" };
enum { VARIANTS = sizeof(variants) / sizeof(variants[0]), VERSIONS = 2 };

static void golden_path(char path[static DATA_PATH_SIZE], const char *name)
{
	char below[256];
	snprintf(below, sizeof(below), "tests/golden/%s", name);
	source_path(path, below);
}

/* With a zero behind it. */
static char *read_all(const char *path, size_t *size)
{
	FILE *file = fopen(path, "rb");
	if (file == NULL)
		fail_msg("cannot open %s", path);
	assert_int_equal(fseek(file, 0, SEEK_END), 0);
	long end = ftell(file);
	assert_true(end >= 0);
	*size = (size_t)end;
	rewind(file);
	char *bytes = malloc(*size + 1);
	assert_non_null(bytes);
	assert_int_equal(fread(bytes, 1, *size, file), *size);
	bytes[*size] = '\0';
	fclose(file);
	return bytes;
}

/* What a golden file was read as must have the sums that are kept; else the lines of a group are shown. */
static void assert_text(const char *file, const char *text, const char *sums_name)
{
	char path[DATA_PATH_SIZE], *sums;
	size_t expected_size, size, same = 0;
	golden_path(path, sums_name);
	char *expected = read_all(path, &expected_size);
	FILE *out = open_memstream(&sums, &size);
	assert_non_null(out);
	golden_sum(text, out);
	fclose(out);
	while (same < size && same < expected_size && sums[same] == expected[same])
		same++;
	if (same < size || size != expected_size) {
		int group = 0;
		for (size_t i = 0; i < same; i++)
			group += sums[i] == '\n';
		for (int line = 0; line < group * GOLDEN_GROUP && (text = strchr(text, '\n')) != NULL; line++)
			text++;
		fail_msg("%s: not as %s says, from line %d on:\n%.2000s", file, sums_name, group * GOLDEN_GROUP + 1,
			 text != NULL ? text : "(no lines)");
	}
	free(expected);
	free(sums);
}

static void report(void *context, const char *fault)
{
	(void)context;
	print_error("%s\n", fault);
}

TEST(every_golden_file_says_the_same)
{
	char path[DATA_PATH_SIZE], name[64];
	for (size_t i = 0; i < VARIANTS * VERSIONS; i++) {
		struct histree_history *history;
		struct histree_error error;
		char *text;
		size_t size;
		uint32_t version = 1 + (uint32_t)(i / VARIANTS);
		snprintf(name, sizeof(name), "v%u-%s.sht", version, variants[i % VARIANTS]);
		golden_path(path, name);
		if (histree_history_open(path, NULL, &history, &error) != HISTREE_OK)
			fail_msg("%s", error.message);
		assert_ok(histree_history_verify(history, report, NULL, NULL));
		FILE *out = open_memstream(&text, &size);
		assert_non_null(out);
		if (golden_dump(history, out, &error) != HISTREE_OK)
			fail_msg("%s", error.message);
		fclose(out);
		assert_text(name, text, "history.txt");
		free(text);

		const struct histree_history_info *info = histree_history_info(history);
		assert_string_equal(info->variant, variants[i % VARIANTS]);
		assert_string_equal(info->provider, "golden");
		assert_int_equal(info->provider_version, 3);
		assert_int_equal(info->format_version, version);
		assert_true(info->depth >= 2);
		histree_history_close(history);
	}
}

/* The file was made again: it must have come out as the golden one. */
static void assert_made_again(const char *name, enum histree_status made_status, const char *made,
			      const struct histree_error *error)
{
	char path[DATA_PATH_SIZE];
	size_t expected_size, size, same = 0;
	if (made_status != HISTREE_OK)
		fail_msg("%s", error->message);
	golden_path(path, name);
	char *expected = read_all(path, &expected_size), *bytes = read_all(made, &size);
	unlink(made);
	while (same < size && same < expected_size && bytes[same] == expected[same])
		same++;
	if (same < size || size != expected_size)
		fail_msg("%s: the bytes differ from offset %zu on (see the head of test_golden.c)", name, same);
	free(expected);
	free(bytes);
}

TEST(the_format_has_not_changed)
{
	char made[64], name[64];
	struct histree_error error;
	snprintf(made, sizeof(made), "test_golden.%ld.sht", (long)getpid());
	unlink(made);
	for (size_t i = 0; i < VARIANTS; i++) {
		snprintf(name, sizeof(name), "v%d-%s.sht", VERSIONS, variants[i]);
		assert_made_again(name, golden_build(made, variants[i], &error), made, &error);
	}
	enum histree_status status = golden_segments_build(made, &error);
	if (status == HISTREE_OK)
		status = golden_segments_make_table(made, &error);
	char table[80];
	snprintf(table, sizeof(table), "%s.0.order", made);
	assert_made_again("v2-segments.sht.0.order", status, table, &error);
	assert_made_again("v2-segments.sht", status, made, &error);
}

static void assert_segments_say_the_same(const char *name, uint32_t version)
{
	char path[DATA_PATH_SIZE], *text;
	size_t size;
	struct histree_error error;
	struct histree_segment_store *store;
	golden_path(path, name);
	if (histree_segment_store_open(path, NULL, &store, &error) != HISTREE_OK)
		fail_msg("%s", error.message);
	assert_ok(histree_segment_store_verify(store, report, NULL, NULL));
	assert_int_equal(histree_segment_store_info(store)->format_version, version);
	assert_true(histree_segment_store_info(store)->depth >= 2);
	FILE *out = open_memstream(&text, &size);
	assert_non_null(out);
	if (golden_segments_dump(store, out, &error) != HISTREE_OK)
		fail_msg("%s", error.message);
	fclose(out);
	assert_text(name, text, "segments.txt");
	free(text);
	histree_segment_store_close(store);
}

TEST(the_golden_segments_say_the_same)
{
	assert_segments_say_the_same("v1-segments.sht", 1);
	assert_segments_say_the_same("v2-segments.sht", 2);
}

/* It is used, and says what sorting says. */
static void assert_table_leads_through(const char *name)
{
	enum { BY_TABLE, BY_SORTING };
	char path[DATA_PATH_SIZE];
	struct histree_segment_store *stores[2];
	struct histree_cursor *iters[2];
	struct histree_segment segments[2];
	struct histree_error error;
	struct histree_segment_query query = HISTREE_SEGMENTS_ALL;
	query.order = HISTREE_SEGMENTS_BY_FIELD;
	golden_path(path, name);
	for (size_t i = BY_TABLE; i <= BY_SORTING; i++) {
		const struct histree_segment_open_options options = { .tables = i == BY_TABLE
											? HISTREE_TABLES_AS_THEY_ARE
											: HISTREE_TABLES_NEVER };
		assert_ok(histree_segment_store_open(path, &options, &stores[i], &error));
		assert_ok(histree_segments_create(stores[i], &iters[i], &error));
		assert_ok(histree_segments_start(iters[i], &query, NULL, &error));
	}
	for (;;) {
		enum histree_status status = histree_cursor_next(iters[BY_TABLE], &error);
		assert_int_equal(histree_cursor_next(iters[BY_SORTING], &error), status);
		if (status == HISTREE_END)
			break;
		assert_ok(status);
		for (size_t i = BY_TABLE; i <= BY_SORTING; i++)
			segments[i] = *histree_cursor_segment(iters[i]);
		assert_int_equal(segments[BY_TABLE].start, segments[BY_SORTING].start);
		assert_int_equal(segments[BY_TABLE].end, segments[BY_SORTING].end);
		for (size_t field = 0; field < histree_segment_store_info(stores[0])->schema.field_count; field++)
			assert_true(histree_value_equal(&segments[BY_TABLE].content[field],
							&segments[BY_SORTING].content[field]));
	}
	assert_int_equal(histree_segments_token(iters[BY_TABLE]).key[0], 1200);
	assert_int_equal(histree_segments_token(iters[BY_SORTING]).key[0], 0);
	for (size_t i = BY_TABLE; i <= BY_SORTING; i++) {
		histree_cursor_free(iters[i]);
		histree_segment_store_close(stores[i]);
	}
}

TEST(the_golden_side_tables_lead_through)
{
	assert_table_leads_through("v1-segments.sht");
	assert_table_leads_through("v2-segments.sht");
}
