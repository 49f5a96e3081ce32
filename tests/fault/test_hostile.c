// SPDX-License-Identifier: MIT
/*
 * test_hostile.c - what nobody sends in good faith: names of any bytes, deep paths, long texts, the ends of time,
 * stores in which a file is something else, or says that it is larger than anything.  All of it works, or is
 * refused.
 */
#include <sys/stat.h>

#include "base/bytes.h"
#include "histree/histree.h"
#include "store/block_file.h"
#include "support/data.h"
#include "support/test.h"

struct world {
	char folder[64], path[80];
};

static int set_up(void **state)
{
	struct world *world = calloc(1, sizeof(*world));
	assert_non_null(world);
	scratch_folder(world->folder, sizeof(world->folder));
	snprintf(world->path, sizeof(world->path), "%s/f.sht", world->folder);
	*state = world;
	return 0;
}

static struct histree_state_system *create(const struct world *world, histree_time start)
{
	struct histree_state_system *system;
	struct histree_error error;
	const struct histree_history_options options = { .path = world->path, .start = start };
	if (histree_state_create(&options, &system, &error) != HISTREE_OK)
		fail_msg("%s", error.message);
	return system;
}

static struct histree_history *finish(const struct world *world, struct histree_state_system *system,
				      histree_time end)
{
	struct histree_history *history;
	struct histree_error error;
	if (histree_state_close(system, end, &error) != HISTREE_OK)
		fail_msg("%s", error.message);
	histree_state_free(system);
	if (histree_history_open(world->path, NULL, &history, &error) != HISTREE_OK)
		fail_msg("%s", error.message);
	assert_ok(histree_history_verify(history, NULL, NULL, NULL));
	return history;
}

static struct histree_value state_at(struct histree_history *history, histree_quark quark, histree_time time)
{
	struct histree_cursor *query;
	struct histree_interval found;
	assert_ok(histree_query_create(history, &query, NULL));
	assert_ok(histree_query_single(query, quark, time, &found, NULL));
	struct histree_value value = found.value;
	histree_cursor_free(query);
	return value;
}

/* ---- names ------------------------------------------------------------------------------------------------ */

TEST_WITH(names_may_have_any_byte, set_up, scratch_remove_world)
{
	const struct world *world = *state;
	struct histree_state_system *system = create(world, 0);
	histree_quark quarks[256], whole;
	char all[256];
	for (int byte = 0; byte < 256; byte++) {
		char name[] = { 'a', (char)byte, 'b' };
		all[byte] = (char)byte;
		assert_ok(histree_state_child(system, HISTREE_ROOT, name, sizeof(name), &quarks[byte], NULL));
		assert_ok(histree_state_modify(system, 1, quarks[byte], histree_int(byte), NULL));
	}
	assert_ok(histree_state_child(system, quarks[0], all, sizeof(all), &whole, NULL));
	struct histree_history *history = finish(world, system, 9);
	const struct histree_attributes *attributes = histree_history_attributes(history);
	for (int byte = 0; byte < 256; byte++) {
		char name[] = { 'a', (char)byte, 'b' };
		histree_quark found;
		assert_ok(histree_attributes_child(attributes, HISTREE_ROOT, name, sizeof(name), &found));
		assert_int_equal(found, quarks[byte]);
		assert_int_equal(state_at(history, found, 5).int32, byte);
		if (byte == 0) /* a path as text ends there */
			continue;
		char path[16];
		assert_true(histree_attributes_path(attributes, found, path, sizeof(path)) < sizeof(path));
		assert_ok(histree_attributes_find(attributes, HISTREE_ROOT, path, &found));
		assert_int_equal(found, quarks[byte]);
	}
	char name[sizeof(all) + 1];
	assert_int_equal(histree_attributes_name(attributes, whole, name, sizeof(name)), sizeof(all));
	assert_memory_equal(name, all, sizeof(all));
	histree_history_close(history);
}

static bool count_match(void *context, histree_quark quark)
{
	(void)quark;
	(*(unsigned *)context)++;
	return true;
}

TEST_WITH(paths_may_have_a_thousand_levels, set_up, scratch_remove_world)
{
	enum { LEVELS = 1000 };
	const struct world *world = *state;
	struct histree_state_system *system = create(world, 0);
	char path[2 * LEVELS], back[2 * LEVELS], pattern[2 * LEVELS] = "";
	histree_quark deepest, found;
	unsigned matches = 0;
	for (int level = 0; level < LEVELS; level++) {
		path[2 * level] = (char)('a' + level % 2);
		path[2 * level + 1] = '/';
	}
	path[2 * LEVELS - 1] = '\0';
	assert_ok(histree_state_attribute(system, HISTREE_ROOT, path, &deepest, NULL));
	assert_int_equal(deepest, LEVELS - 1);
	assert_ok(histree_state_modify(system, 1, deepest, histree_bool(true), NULL));
	assert_ok(histree_state_remove(system, 5, 0, NULL)); /* with all that is below */
	struct histree_history *history = finish(world, system, 9);
	const struct histree_attributes *attributes = histree_history_attributes(history);
	assert_int_equal(histree_attributes_path(attributes, deepest, back, sizeof(back)), strlen(path));
	assert_string_equal(back, path);
	assert_ok(histree_attributes_find(attributes, HISTREE_ROOT, path, &found));
	assert_int_equal(found, deepest);
	assert_int_equal(state_at(history, deepest, 4).type, HISTREE_BOOL);
	assert_int_equal(state_at(history, deepest, 5).type, HISTREE_NULL);
	assert_ok(histree_attributes_match(attributes, HISTREE_ROOT, "**", count_match, &matches, NULL));
	assert_int_equal(matches, LEVELS);
	/* A pattern that could be matched in more ways than there are atoms. */
	for (int level = 0; level < 100; level++)
		strcat(pattern, "**/a/");
	strcat(pattern, "c");
	assert_int_equal(histree_attributes_match(attributes, HISTREE_ROOT, pattern, count_match, &matches, NULL),
			 HISTREE_NOT_FOUND);
	histree_history_close(history);
}

/* ---- values and times ------------------------------------------------------------------------------------- */

TEST_WITH(long_texts_fit_or_are_refused, set_up, scratch_remove_world)
{
	enum { LONGEST = 3 << 20 };
	const struct world *world = *state;
	struct histree_state_system *system = create(world, 0);
	struct histree_error error;
	histree_quark quark;
	histree_time time = 0;
	char *text = malloc(LONGEST);
	assert_non_null(text);
	memset(text, 'x', LONGEST);
	assert_ok(histree_state_attribute(system, HISTREE_ROOT, "text", &quark, NULL));
	assert_ok(histree_state_modify(system, ++time, quark, histree_string_n(text, 32 << 10), NULL));
	assert_ok(histree_state_modify(system, ++time, quark, histree_string_n(text, (32 << 10) + 1), NULL));
	size_t fits = 32 << 10;
	for (size_t size = fits; size <= LONGEST; size += size / 7) {
		enum histree_status status =
			histree_state_modify(system, ++time, quark, histree_string_n(text, size), &error);
		assert_true(status == HISTREE_OK || status == HISTREE_ERR_TOO_LARGE);
		if (status == HISTREE_OK)
			fits = size;
		else
			assert_non_null(strstr(error.message, "use larger nodes"));
	}
	assert_true(fits >= 64 << 10 && fits < LONGEST); /* nodes have 256 KiB */
	assert_ok(histree_state_modify(system, ++time, quark, histree_string_n(text, fits), NULL));
	struct histree_history *history = finish(world, system, ++time);
	assert_int_equal(state_at(history, quark, time).size, fits);
	assert_int_equal(state_at(history, quark, 1).size, 32 << 10);
	histree_history_close(history);
	free(text);
}

TEST_WITH(time_has_two_ends, set_up, scratch_remove_world)
{
	const struct world *world = *state;
	struct histree_state_system *system = create(world, INT64_MIN);
	histree_quark quark;
	struct histree_history *now;
	assert_ok(histree_state_attribute(system, HISTREE_ROOT, "a", &quark, NULL));
	assert_ok(histree_state_publish(system, INT64_MIN, NULL));
	assert_ok(histree_state_modify(system, INT64_MIN, quark, histree_int(1), NULL));
	assert_ok(histree_state_modify(system, INT64_MIN + 1, quark, histree_int(2), NULL));
	assert_ok(histree_state_modify(system, INT64_MAX - 1, quark, histree_int(3), NULL));
	assert_ok(histree_state_history(system, INT64_MAX - 1, NULL, &now, NULL));
	assert_int_equal(state_at(now, quark, 0).int32, 2);
	assert_int_equal(state_at(now, quark, INT64_MAX - 1).int32, 3);
	histree_history_close(now);
	/* After the last moment none could follow. */
	assert_int_equal(histree_state_publish(system, INT64_MAX, NULL), HISTREE_ERR_TIME_RANGE);
	assert_int_equal(histree_state_publish(system, INT64_MIN, NULL), HISTREE_ERR_TIME_RANGE);
	struct histree_history *history = finish(world, system, INT64_MAX - 1);
	assert_int_equal(state_at(history, quark, INT64_MIN).int32, 1);
	assert_int_equal(state_at(history, quark, INT64_MAX - 2).int32, 2);
	assert_int_equal(state_at(history, quark, INT64_MAX - 1).int32, 3);
	histree_history_close(history);
}

/* ---- files ------------------------------------------------------------------------------------------------ */

TEST_WITH(what_is_no_file_is_refused_at_once, set_up, scratch_remove_world)
{
	const struct world *world = *state;
	struct histree_history *history;
	struct histree_store *store;
	struct histree_error error;
	char manifest[96];
	assert_int_equal(mkfifo(world->path, 0666), 0);
	assert_true(histree_history_open(world->path, NULL, &history, &error) < 0);
	assert_non_null(strstr(error.message, world->path));
	assert_int_equal(unlink(world->path), 0);
	assert_int_equal(mkdir(world->path, 0777), 0);
	assert_true(histree_history_open(world->path, NULL, &history, &error) < 0);
	assert_true(histree_history_open("/dev/zero", NULL, &history, &error) < 0);
	snprintf(manifest, sizeof(manifest), "%s/manifest.json", world->folder);
	assert_int_equal(mkfifo(manifest, 0666), 0);
	assert_true(histree_store_open(world->folder, &store, &error) < 0);
}

/* A file of 4 GiB and more that takes no place on the disk, and a section that fills it. */
TEST_WITH(no_memory_is_asked_for_on_the_word_of_a_file, set_up, scratch_remove_world)
{
	const struct world *world = *state;
	struct histree_state_system *system = create(world, 0);
	struct histree_history *history;
	struct histree_error error;
	uint8_t header[88], table[24];
	histree_history_close(finish(world, system, 1));
	FILE *file = fopen(world->path, "r+b");
	assert_non_null(file);
	assert_int_equal(fread(header, 1, sizeof(header), file), sizeof(header));
	uint64_t place = get_le64(header + BLOCK_AT_TABLE), size = UINT64_C(1) << 40;
	assert_int_equal(fseek(file, (long)place, SEEK_SET), 0);
	assert_int_equal(fread(table, 1, sizeof(table), file), sizeof(table));
	put_le64(table + SECTION_AT_SIZE, size / 2);
	assert_int_equal(fseek(file, (long)place, SEEK_SET), 0);
	assert_int_equal(fwrite(table, 1, sizeof(table), file), sizeof(table));
	put_le32(header + BLOCK_AT_SECTION_COUNT, 1);
	put_le32(header + BLOCK_AT_TABLE_CRC, crc32c(0, table, sizeof(table)));
	put_le64(header + BLOCK_AT_SIZE, size);
	put_le32(header + BLOCK_AT_CRC, crc32c(0, header, 64));
	rewind(file);
	assert_int_equal(fwrite(header, 1, sizeof(header), file), sizeof(header));
	assert_int_equal(fclose(file), 0);
	if (truncate(world->path, (off_t)size) != 0)
		skip(); /* a file system without holes */
	assert_int_equal(histree_history_open(world->path, NULL, &history, &error), HISTREE_ERR_FORMAT);
	assert_non_null(strstr(error.message, "too many"));
}
