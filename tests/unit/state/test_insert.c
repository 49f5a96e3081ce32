// SPDX-License-Identifier: MIT
/*
 * test_insert.c - whole intervals in arrays of any length make the file that one interval at a time makes, byte for
 * byte, wherever one of them is refused.
 */
#include "base/hash_index.h"
#include "histree/history.h"
#include "support/test.h"

enum { ATTRIBUTES = 400, INTERVALS = 30000, ARRAY_MAX = 300 };

static struct histree_state_system *create(const char *path, const struct histree_tree_options *tree)
{
	const struct histree_history_options options = { .path = path, .provider = "test", .tree = *tree };
	struct histree_state_system *system;
	assert_ok(histree_state_create(&options, &system, NULL));
	for (int i = 0; i < ATTRIBUTES; i++) {
		char name[16];
		histree_quark quark;
		int size = snprintf(name, sizeof(name), "%d", i);
		assert_ok(histree_state_child(system, HISTREE_ROOT, name, (size_t)size, &quark, NULL));
	}
	return system;
}

/* Some attributes are of strings.  Now and then a value is null or unknown, or of the wrong type. */
static struct histree_value draw_value(struct random *random, histree_quark quark)
{
	static const char *const texts[] = { "read", "write", "poll" };
	bool is_text = quark % 50 == 0;
	switch (random_below(random, 40)) {
	case 0:
		return histree_null();
	case 1:
		return histree_unknown();
	case 2:
		is_text = random_below(random, 20) == 0 ? !is_text : is_text;
	}
	return is_text ? histree_string(texts[random_below(random, 3)])
		       : histree_int((int32_t)random_below(random, 9));
}

/* Mostly, an interval begins where the one before it of the attribute ended; some begin later, few before. */
static void draw(struct random *random, struct histree_interval *intervals)
{
	histree_time next[ATTRIBUTES] = { 0 };
	for (size_t i = 0; i < INTERVALS; i++) {
		histree_quark quark = random_index(random, ATTRIBUTES);
		histree_time start = next[quark];
		if (random_below(random, 10) == 0)
			start += (histree_time)random_below(random, 500);
		if (random_below(random, 200) == 0)
			start -= 1 + (histree_time)random_below(random, 500);
		histree_time end = start + (histree_time)random_below(random, 2000);
		if (random_below(random, 500) == 0)
			end = random_below(random, 2) == 0 ? start - 1 : INT64_MAX;
		else if (end >= next[quark])
			next[quark] = end + 1;
		if (random_below(random, 1000) == 0)
			quark = ATTRIBUTES;
		intervals[i] = (struct histree_interval){
			.start = start, .end = end, .quark = quark, .value = draw_value(random, quark)
		};
	}
}

/* In arrays of `length` at most; returns how many were refused. */
static size_t insert(struct histree_state_system *system, const struct histree_interval *intervals, size_t length,
		     uint64_t seed)
{
	struct random random = { seed };
	size_t refused = 0;
	for (size_t done = 0; done < INTERVALS;) {
		size_t count = 1 + (size_t)random_below(&random, length), inserted;
		count = count < INTERVALS - done ? count : INTERVALS - done;
		enum histree_status status = histree_state_insert(system, intervals + done, count, &inserted, NULL);
		assert_int_equal(inserted < count, status != HISTREE_OK);
		refused += status != HISTREE_OK;
		done += inserted + (status != HISTREE_OK);
	}
	return refused;
}

static char *read_file(const char *path, size_t *size)
{
	FILE *file = fopen(path, "rb");
	assert_non_null(file);
	assert_int_equal(fseek(file, 0, SEEK_END), 0);
	*size = (size_t)ftell(file);
	rewind(file);
	char *bytes = malloc(*size);
	assert_int_equal(fread(bytes, 1, *size, file), *size);
	fclose(file);
	return bytes;
}

static void check(const char *folder, const struct histree_tree_options *tree, uint64_t seed)
{
	static struct histree_interval intervals[INTERVALS];
	struct random random = { seed };
	char *bytes[2];
	size_t sizes[2], refused[2];
	draw(&random, intervals);
	for (int i = 0; i < 2; i++) {
		char path[96];
		snprintf(path, sizeof(path), "%s/%d.sht", folder, i);
		struct histree_state_system *system = create(path, tree);
		refused[i] = insert(system, intervals, i == 0 ? 1 : ARRAY_MAX, seed);
		assert_ok(histree_state_close(system, histree_state_current_end(system), NULL));
		histree_state_free(system);
		bytes[i] = read_file(path, &sizes[i]);
		unlink(path);
	}
	assert_true(refused[0] > 50 && refused[0] < INTERVALS / 4);
	assert_int_equal(refused[0], refused[1]);
	assert_int_equal(sizes[0], sizes[1]);
	assert_memory_equal(bytes[0], bytes[1], sizes[0]);
	free(bytes[0]);
	free(bytes[1]);
}

TEST(arrays_make_the_same_file)
{
	static const char *const variants[] = { "sht", "osht", "esht", "rsht", "vrsht", "cluster" };
	char folder[] = "/tmp/histree-insert-XXXXXX";
	assert_non_null(mkdtemp(folder));
	for (size_t i = 0; i < sizeof(variants) / sizeof(variants[0]); i++)
		for (enum histree_nulls nulls = HISTREE_NULLS_KEPT; nulls <= HISTREE_NULLS_LEFT_OUT; nulls++)
			check(folder,
			      &(struct histree_tree_options){
				      .variant = variants[i], .node_size = 16384, .nulls = nulls },
			      i + 10 * (uint64_t)nulls);
	assert_int_equal(rmdir(folder), 0);
}
