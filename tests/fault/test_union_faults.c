// SPDX-License-Identifier: MIT
/*
 * test_union_faults.c - a history of several hosts while memory is out or reads fail: it refuses, with nothing left
 * behind, or answers what it answers when nothing fails; and who asks again is told all of it.
 */
#include <errno.h>

#include "histree/histree.h"
#include "state/history.h"
#include "store/block_file.h"
#include "support/faulty_io.h"
#include "support/faulty_memory.h"
#include "support/memory_history.h"
#include "support/test.h"

enum { HOSTS = 3, CACHE_BYTES = 64 << 10 };

struct shards {
	struct memory_io memory[HOSTS];
	struct faulty_io faulty[HOSTS];
	struct histree_history_part parts[HOSTS];
	uint64_t sum; /* of what they answer when nothing fails */
};

static const char *const names[HOSTS] = { "a", "b", "c" };

static int set_up(void **state)
{
	static struct shards shards;
	static const char *const variants[HOSTS] = { "cluster", "sht", "esht" };
	for (size_t i = 0; i < HOSTS; i++) {
		struct workload workload;
		const struct histree_tree_options tree = { .variant = variants[i],
							   .node_size = 4096,
							   .fan_out = 4 };
		memory_io_init(&shards.memory[i]);
		assert_true(workload_make(&workload, &workload_kinds[i], i + 1));
		assert_ok(memory_history_build(&shards.memory[i], &tree, &workload, NULL));
		workload_release(&workload);
		faulty_io_init(&shards.faulty[i], &shards.memory[i].io);
		shards.parts[i].name = names[i];
	}
	*state = &shards;
	return 0;
}

static int tear_down(void **state)
{
	struct shards *shards = *state;
	for (size_t i = 0; i < HOSTS; i++)
		memory_io_release(&shards->memory[i]);
	return 0;
}

static void open_parts(struct shards *shards)
{
	const struct histree_open_options options = { .cache_bytes = CACHE_BYTES };
	for (size_t i = 0; i < HOSTS; i++) {
		struct block_file *file;
		assert_ok(block_file_open(&shards->faulty[i].io, "f", &file, NULL));
		assert_ok(history_open_file(file, &options, &shards->parts[i].history, NULL));
	}
}

/* ---- what is asked ---------------------------------------------------------------------------------------- */

static void add(uint64_t *sum, const struct histree_interval *interval)
{
	*sum += (uint64_t)interval->start * 31 + (uint64_t)interval->end * 7 + interval->quark +
		(uint64_t)interval->value.type;
}

/* A single query of each host, then a full one, a range, and rows. */
static enum histree_status ask_all(struct histree_history *joined, uint64_t *sum, struct histree_error *error)
{
	const struct histree_history_info *info = histree_history_info(joined);
	const histree_time middle = info->start + (info->end - info->start) / 2;
	const histree_quark quarks[] = { 0, 3, 61, 62, 200, 370, 400 };
	const struct histree_region regions[] = {
		{ .from = middle, .to = middle },
		{ .quarks = quarks, .quark_count = 7, .from = info->start, .to = info->end },
	};
	struct histree_cursor *query = NULL;
	struct histree_cursor *rows = NULL;
	struct histree_interval interval;
	*sum = 0;
	enum histree_status status = histree_query_create(joined, &query, error);
	for (size_t i = 0; i < 7 && status == HISTREE_OK; i++) {
		status = histree_query_single(query, quarks[i], middle, &interval, error);
		if (status == HISTREE_OK)
			add(sum, &interval);
	}
	for (size_t i = 0; i < 2 && status == HISTREE_OK; i++) {
		status = histree_query_start(query, &regions[i], error);
		while (status == HISTREE_OK && (status = histree_cursor_next(query, error)) == HISTREE_OK) {
			interval = *histree_cursor_interval(query);
			add(sum, &interval);
		}
		status = status == HISTREE_END ? HISTREE_OK : status;
	}
	if (status == HISTREE_OK)
		status = histree_rows_create(joined, &rows, error);
	const struct histree_rows_request request = {
		.quarks = quarks, .quark_count = 7, .from = info->start, .to = info->end, .pixels = 10
	};
	if (status == HISTREE_OK)
		status = histree_rows_start(rows, &request, error);
	for (struct histree_row row; status == HISTREE_OK;) {
		status = histree_cursor_next(rows, error);
		if (status == HISTREE_OK)
			row = *histree_cursor_row(rows);
		*sum += status == HISTREE_OK ? row.quark + row.cells[5].value : 0;
	}
	histree_cursor_free(rows);
	histree_cursor_free(query);
	return status == HISTREE_END ? HISTREE_OK : status;
}

/* ---- memory ----------------------------------------------------------------------------------------------- */

TEST(every_request_for_memory_is_refused_once)
{
	struct shards *shards = *state;
	struct histree_history *joined;
	struct histree_error error;
	uint64_t sum, number = 0;
	open_parts(shards);
	assert_ok(histree_history_unite(shards->parts, HOSTS, &joined, NULL));
	assert_ok(ask_all(joined, &shards->sum, NULL));
	histree_history_close(joined);
	do {
		open_parts(shards);
		faulty_memory_begin(++number, false);
		enum histree_status status = histree_history_unite(shards->parts, HOSTS, &joined, &error);
		if (status == HISTREE_OK)
			status = ask_all(joined, &sum, &error);
		bool refused = faulty_memory.refused;
		faulty_memory_end();
		if (status != HISTREE_OK)
			assert_int_equal(status, HISTREE_ERR_MEMORY);
		else
			assert_int_equal(sum, shards->sum);
		if (joined != NULL && status != HISTREE_OK) { /* it is as good as before */
			assert_ok(ask_all(joined, &sum, NULL));
			assert_int_equal(sum, shards->sum);
		}
		histree_history_close(joined);
		if (!refused)
			break;
	} while (number < 10000);
	assert_in_range(number, 20, 9999);
}

/* Once nodes are in memory, single queries of any host take no more of it. */
TEST(single_queries_take_no_memory)
{
	struct shards *shards = *state;
	struct histree_history *joined;
	struct histree_cursor *query;
	struct histree_interval interval;
	open_parts(shards);
	assert_ok(histree_history_unite(shards->parts, HOSTS, &joined, NULL));
	const struct histree_history_info *info = histree_history_info(joined);
	assert_ok(histree_query_create(joined, &query, NULL));
	for (int turn = 0; turn < 2; turn++) {
		if (turn == 1)
			faulty_memory_begin(1, true);
		for (histree_quark quark = 0; quark < info->attribute_count; quark++)
			assert_ok(histree_query_single(query, quark, info->end, &interval, NULL));
	}
	bool refused = faulty_memory.refused;
	faulty_memory_end();
	assert_false(refused);
	histree_cursor_free(query);
	histree_history_close(joined);
}

/* ---- reads ------------------------------------------------------------------------------------------------ */

TEST(every_read_of_a_shard_fails_once)
{
	struct shards *shards = *state;
	for (size_t host = 0; host < HOSTS; host++) {
		uint64_t after = 0, failed = 0;
		for (bool is_over = false; !is_over && after < 1000; after++) {
			struct histree_history *joined;
			struct histree_error error;
			uint64_t sum;
			open_parts(shards);
			assert_ok(histree_history_unite(shards->parts, HOSTS, &joined, NULL));
			struct faulty_io *faulty = &shards->faulty[host];
			faulty->operations = 0;
			faulty->fail_at = after + 1;
			enum histree_status status = ask_all(joined, &sum, &error);
			is_over = faulty->operations <= after;
			faulty->fail_at = 0;
			if (status == HISTREE_OK) {
				assert_true(is_over);
				assert_int_equal(sum, shards->sum);
			} else {
				char prefix[16];
				snprintf(prefix, sizeof(prefix), "host '%s': ", names[host]);
				assert_int_equal(status, HISTREE_ERR_IO);
				assert_memory_equal(error.message, prefix, strlen(prefix));
				assert_ok(ask_all(joined, &sum, NULL));
				assert_int_equal(sum, shards->sum);
				failed++;
			}
			histree_history_close(joined);
		}
		assert_in_range(failed, 1, 999);
	}
}

TEST_FILE(set_up, tear_down)
