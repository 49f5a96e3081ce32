// SPDX-License-Identifier: MIT
/*
 * test_history_source.c - histories that somebody else answers for: what a description has, and that no other bytes
 * pass for one.  What such histories answer, the properties of unions say: some of their hosts are such.
 */
#include "base/hash_index.h"
#include "histree/histree.h"
#include "support/effort.h"
#include "support/local_source.h"
#include "support/test.h"

enum { ATTRIBUTES = 50, STATES = 3000 };

static const struct histree_label labels[] = {
	{ .kind = HISTREE_LABEL_NUMBERS,
	  .first = 0,
	  .last = 2,
	  .is_code = true,
	  .style = { "low", "low", 1, 2, 1 } },
};
static const char *const label_patterns[] = { "Group/a1*", NULL };
static const struct histree_label_table label_table = {
	.name = "levels", .patterns = label_patterns, .labels = labels, .label_count = 1
};

static struct histree_history *make(void)
{
	char path[64];
	snprintf(path, sizeof(path), "test_history_source.%ld.sht", (long)getpid());
	const struct histree_history_options options = { .path = path, .provider = "counter", .start = 100 };
	struct histree_state_system *system;
	struct histree_history *history;
	histree_quark folder, quarks[ATTRIBUTES];
	unlink(path);
	assert_ok(histree_state_create(&options, &system, NULL));
	assert_ok(histree_state_attribute(system, HISTREE_ROOT, "Group", &folder, NULL));
	assert_ok(histree_state_folder(system, folder, NULL));
	for (int i = 0; i < ATTRIBUTES; i++) {
		char name[16];
		snprintf(name, sizeof(name), "a%d", i);
		assert_ok(histree_state_attribute(system, folder, name, &quarks[i], NULL));
	}
	for (int i = 0; i < STATES; i++)
		assert_ok(histree_state_modify(system, 100 + i, quarks[i % ATTRIBUTES],
					       histree_int(i / ATTRIBUTES % 5), NULL));
	assert_ok(histree_state_labels(system, &label_table, 1, NULL));
	assert_ok(histree_state_close(system, 100 + STATES, NULL));
	histree_state_free(system);
	assert_ok(histree_history_open(path, NULL, &history, NULL));
	unlink(path);
	return history;
}

/* Looks at all that a description has; bytes that are none must not lead out of it. */
static void look_at(struct histree_history *history)
{
	const struct histree_attributes *attributes = histree_history_attributes(history);
	const struct histree_value one = histree_int(1);
	char path[256];
	size_t count;
	for (histree_quark q = 0; q < histree_attributes_count(attributes) && q < 2 * ATTRIBUTES; q++) {
		histree_attributes_path(attributes, q, path, sizeof(path));
		histree_attributes_is_folder(attributes, q);
		histree_label_of(history, q, &one);
	}
	histree_labels(history, &count);
	histree_charts(history, &count);
	assert_true(histree_history_info(history)->start <= histree_history_info(history)->end);
}

TEST(it_is_what_it_was_made_of)
{
	struct histree_history *history = make(), *again;
	const struct histree_history_info one = *histree_history_info(history);
	assert_ok(local_source_make(history, &again, NULL));
	const struct histree_history_info *other = histree_history_info(again);
	const struct histree_attributes *attributes = histree_history_attributes(again);
	histree_quark quark;
	struct histree_cursor *query;
	struct histree_interval interval;
	struct histree_error error;
	const struct histree_value low = histree_int(1), high = histree_int(3);
	assert_string_equal(other->provider, "counter");
	assert_string_equal(other->variant, one.variant);
	assert_true(other->identity == one.identity && other->start == 100 && other->end == 100 + STATES);
	assert_true(other->interval_count == one.interval_count && other->node_count == one.node_count);
	assert_int_equal(other->folder_count, 1);
	assert_memory_equal(other->nodes_at_height, histree_history_info(history)->nodes_at_height,
			    one.depth * sizeof(uint64_t));
	assert_ok(histree_attributes_find(attributes, HISTREE_ROOT, "Group/a17", &quark));
	assert_string_equal(histree_label_of(again, quark, &low), "low");
	assert_null(histree_label_of(again, quark, &high));
	assert_ok(histree_query_create(again, &query, NULL));
	assert_ok(histree_query_single(query, quark, 100 + 17 + 3 * ATTRIBUTES, &interval, NULL));
	assert_true(interval.quark == quark && interval.value.int32 == 3);
	assert_int_equal(histree_query_single(query, quark, 5, &interval, &error), HISTREE_ERR_TIME_RANGE);
	assert_ok(histree_query_set_threads(query, 4, NULL));
	histree_cursor_free(query);
	assert_int_equal(histree_history_verify(again, NULL, NULL, &error), HISTREE_ERR_ARGUMENT);
	assert_int_equal(histree_history_nodes(again, NULL, NULL, &error), HISTREE_ERR_ARGUMENT);
	histree_history_close(again);
}

static void nobody_frees(void *context)
{
	++*(int *)context;
}

static enum histree_status no_cursor(void *context, uint32_t part, void **cursor, struct histree_error *error)
{
	(void)context, (void)part, (void)error;
	*cursor = NULL;
	return HISTREE_ERR_MEMORY;
}

static enum histree_status read_bytes_of(const uint8_t *bytes, size_t size)
{
	int freed = 0;
	const struct histree_history_source source = { .context = &freed,
						       .cursor_create = no_cursor,
						       .free = nobody_frees };
	struct histree_history *history;
	struct histree_error error;
	enum histree_status status = histree_history_of_source(&source, bytes, size, &history, &error);
	if (status == HISTREE_OK) {
		look_at(history);
		assert_int_equal(freed, 0);
		histree_history_close(history);
	} else {
		assert_null(history);
	}
	assert_int_equal(freed, 1);
	return status;
}

TEST(no_other_bytes_are_one)
{
	struct random random = { .state = test_seed() };
	struct histree_history *history = make();
	void *bytes;
	size_t size;
	assert_ok(histree_history_describe(history, &bytes, &size, NULL));
	histree_history_close(history);
	assert_ok(read_bytes_of(bytes, size));
	for (size_t cut = 0; cut < size; cut++) {
		uint8_t *some = malloc(cut + 1);
		memcpy(some, bytes, cut);
		assert_int_equal(read_bytes_of(some, cut), HISTREE_ERR_FORMAT);
		free(some);
	}
	uint8_t *more = calloc(1, size + 1);
	memcpy(more, bytes, size);
	assert_int_equal(read_bytes_of(more, size + 1), HISTREE_ERR_FORMAT);
	for (int i = 0; i < 4000; i++) {
		memcpy(more, bytes, size);
		for (uint64_t k = random_below(&random, 4) + 1; k > 0; k--)
			more[random_below(&random, size)] = (uint8_t)random_bits(&random);
		read_bytes_of(more, size);
	}
	free(more);
	free(bytes);
}
