// SPDX-License-Identifier: MIT
/*
 * test_union.c - a history of several hosts: what it refuses, what it says of itself, hosts that are missing or
 * damaged, and answers so large that threads share the nodes of a shard.
 */
#include <fcntl.h>

#include "histree/histree.h"
#include "support/test.h"

enum { HOSTS = 3, ATTRIBUTES = 20, STEP = 10 };

static char paths[HOSTS][64];

static const struct histree_label labels[] = {
	{ .kind = HISTREE_LABEL_NUMBERS,
	  .first = 0,
	  .last = 2,
	  .is_code = true,
	  .style = { "low", "low", 1, 2, 1 } },
};
static const char *const label_patterns[] = { "a1*", NULL };
static const struct histree_label_table label_table = {
	.name = "levels", .patterns = label_patterns, .labels = labels, .label_count = 1
};

/* Attributes "a0", ... whose states count up; host h begins at 1000 h. */
static void build(size_t host, const char *variant, size_t states)
{
	const struct histree_history_options options = {
		.path = paths[host],
		.provider = "counter",
		.provider_version = 3,
		.start = 1000 * (histree_time)host,
		.tree = { .variant = variant, .node_size = 4096, .fan_out = 4 },
	};
	struct histree_state_system *system;
	snprintf(paths[host], sizeof(paths[host]), "test_union.%ld.%zu.sht", (long)getpid(), host);
	unlink(paths[host]);
	assert_ok(histree_state_create(&options, &system, NULL));
	for (histree_quark i = 0; i < ATTRIBUTES; i++) {
		char name[16];
		histree_quark quark;
		snprintf(name, sizeof(name), "a%u", i);
		assert_ok(histree_state_attribute(system, HISTREE_ROOT, name, &quark, NULL));
	}
	for (size_t i = 0; i < states; i++)
		assert_ok(histree_state_modify(system, options.start + (histree_time)(i * STEP),
					       (histree_quark)(i % ATTRIBUTES),
					       histree_int((int32_t)(i / ATTRIBUTES)), NULL));
	assert_ok(histree_state_labels(system, &label_table, 1, NULL));
	assert_ok(histree_state_close(system, options.start + (histree_time)(states * STEP), NULL));
	histree_state_free(system);
}

static struct histree_history *open_host(size_t host)
{
	struct histree_history *history;
	assert_ok(histree_history_open(paths[host], NULL, &history, NULL));
	return history;
}

static int set_up(void **state)
{
	(void)state;
	build(0, "sht", 2000);
	build(1, "cluster", 3000);
	build(2, "cluster", 500);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	for (size_t i = 0; i < HOSTS; i++)
		unlink(paths[i]);
	return 0;
}

/* ---- refusals --------------------------------------------------------------------------------------------- */

static void refuse(const struct histree_history_part *parts, size_t count, const char *reason)
{
	struct histree_history *history;
	struct histree_error error;
	assert_int_equal(histree_history_unite(parts, count, &history, &error), HISTREE_ERR_ARGUMENT);
	assert_null(history);
	if (strstr(error.message, reason) == NULL)
		fail_msg("'%s' does not say '%s'", error.message, reason);
}

TEST(what_is_no_union_is_refused)
{
	struct histree_history *joined;
	refuse(NULL, 0, "of 0 hosts none has a history");
	struct histree_history_part twice[] = { { .name = "a", .history = open_host(0) },
						{ .name = "b", .history = open_host(1) },
						{ .name = "a", .history = open_host(2) } };
	refuse(twice, 3, "two hosts have the name 'a'");
	struct histree_history_part nameless[] = { { .name = "a", .history = open_host(0) },
						   { .name = "", .history = open_host(1) } };
	refuse(nameless, 2, "host 2 of 2 has no name");
	const struct histree_history_part missing[] = { { .name = "a", .why = "no such file" },
							{ .name = "b" },
							{ .name = "c", .why = "it is damaged" } };
	refuse(missing, 3, "of 3 hosts none has a history: host 'a': no such file; host 'c': it is damaged");
	struct histree_history_part one = { .name = "a", .history = open_host(0) };
	assert_ok(histree_history_unite(&one, 1, &joined, NULL));
	struct histree_history_part nested[] = { { .name = "x", .history = joined },
						 { .name = "y", .history = open_host(1) } };
	refuse(nested, 2, "host 'x' is a history of several hosts itself");
}

/* ---- three hosts, one of them missing, and one that has none ---------------------------------------------- */

static struct histree_history *unite(void)
{
	struct histree_history *joined;
	const struct histree_history_part parts[] = { { .name = "b", .history = open_host(0) },
						      { .name = "gone", .why = "no such file" },
						      { .name = "a", .history = open_host(1) },
						      { .name = "none" } };
	assert_ok(histree_history_unite(parts, 4, &joined, NULL));
	return joined;
}

static bool visit(void *context, const struct histree_node *node)
{
	(void)context, (void)node;
	return true;
}

static void keep_fault(void *context, const char *fault)
{
	snprintf(context, 256, "%s", fault);
}

TEST(it_says_what_it_is)
{
	struct histree_history *joined = unite();
	const struct histree_history_info *info = histree_history_info(joined);
	size_t count;
	const struct histree_history_host *hosts = histree_history_hosts(joined, &count);
	assert_int_equal(count, 4);
	assert_string_equal(hosts[2].name, "a");
	assert_int_equal(hosts[2].folder, ATTRIBUTES + 2);
	assert_int_equal(hosts[2].count, ATTRIBUTES);
	assert_null(hosts[1].history);
	assert_string_equal(hosts[1].why, "no such file");
	assert_null(hosts[3].history);
	assert_null(hosts[3].why);
	assert_int_equal(histree_history_host_of(joined, ATTRIBUTES), 0);
	assert_int_equal(histree_history_host_of(joined, ATTRIBUTES + 1), 1);
	assert_int_equal(histree_history_host_of(joined, 2 * ATTRIBUTES + 3), 3);
	assert_null(histree_history_hosts(hosts[0].history, &count));
	assert_int_equal(count, 0);

	assert_string_equal(info->variant, "mixed");
	assert_string_equal(info->provider, "counter");
	assert_int_equal(info->provider_version, 3);
	assert_int_equal(info->node_size, 4096);
	assert_int_equal(info->start, 0);
	assert_int_equal(info->end, 1000 + 3000 * STEP);
	assert_int_equal(info->attribute_count, 2 * ATTRIBUTES + 4);
	assert_int_equal(info->folder_count, 3);
	assert_true(info->complete);
	assert_int_equal(info->node_count, histree_history_info(hosts[0].history)->node_count +
						   histree_history_info(hosts[2].history)->node_count);
	uint64_t nodes = 0;
	for (uint32_t i = 0; i < info->depth; i++)
		nodes += info->nodes_at_height[i];
	assert_int_equal(nodes, info->node_count);

	struct histree_error error;
	assert_int_equal(histree_history_nodes(joined, visit, NULL, &error), HISTREE_ERR_ARGUMENT);
	assert_non_null(strstr(error.message, "open the store of one host"));
	char fault[256] = "";
	assert_int_equal(histree_history_verify(joined, keep_fault, fault, &error), HISTREE_ERR_FORMAT);
	assert_string_equal(fault, "host 'gone': no such file");
	assert_string_equal(error.message, "host 'gone': no such file");
	assert_int_equal(histree_numbers_verify(joined, keep_fault, fault, &error), HISTREE_ERR_FORMAT);
	histree_history_close(joined);
}

TEST(times_and_attributes_are_those_of_the_union)
{
	struct histree_history *joined = unite();
	struct histree_cursor *query;
	struct histree_interval found;
	struct histree_error error;
	const histree_quark beyond[] = { 3, 2 * ATTRIBUTES + 4 };
	assert_ok(histree_query_create(joined, &query, NULL));
	assert_int_equal(histree_query_single(query, 2 * ATTRIBUTES + 4, 5, &found, &error), HISTREE_ERR_QUARK);
	assert_int_equal(histree_query_single(query, 1, -1, &found, &error), HISTREE_ERR_TIME_RANGE);
	assert_int_equal(histree_query_single(query, 1, 1001 + 3000 * STEP, &found, &error),
			 HISTREE_ERR_TIME_RANGE);
	assert_int_equal(
		histree_query_start(query, &(struct histree_region){ .quarks = beyond, .quark_count = 2 }, &error),
		HISTREE_ERR_QUARK);
	assert_int_equal(histree_cursor_next(query, NULL), HISTREE_END);
	assert_int_equal(histree_query_set_threads(query, 0, &error), HISTREE_ERR_ARGUMENT);
	/* Not yet traced, and traced no more. */
	assert_ok(histree_query_single(query, ATTRIBUTES + 3, 999, &found, &error));
	assert_int_equal(found.start, 0);
	assert_int_equal(found.end, 999);
	assert_int_equal(found.value.type, HISTREE_NULL);
	assert_ok(histree_query_single(query, 1, 2000 * STEP + 1, &found, &error));
	assert_int_equal(found.start, 2000 * STEP + 1);
	assert_int_equal(found.end, 1000 + 3000 * STEP);
	/* The number of a host without a history is null, that of a missing one unknown. */
	struct histree_numbers numbers;
	assert_ok(histree_lookup_numbers(query, 2 * ATTRIBUTES + 3, 10, 19, &numbers, NULL));
	assert_int_equal(numbers.other_ns, 10);
	assert_ok(histree_lookup_numbers(query, ATTRIBUTES + 1, 10, 19, &numbers, NULL));
	assert_int_equal(numbers.unknown_ns, 10);
	assert_int_equal(numbers.other_ns, 0);
	assert_int_equal(histree_cursor_loss(query).nodes, 1);
	histree_cursor_free(query);
	histree_history_close(joined);
}

/* ---- labels ----------------------------------------------------------------------------------------------- */

TEST(labels_are_those_of_the_host)
{
	struct histree_history *joined = unite();
	const struct histree_value two = histree_int(2), three = histree_int(3);
	assert_string_equal(histree_label_of(joined, 2, &two), "low");
	assert_null(histree_label_of(joined, 2, &three));
	assert_null(histree_label_of(joined, 3, &two));
	assert_string_equal(histree_label_of(joined, ATTRIBUTES + 3 + 10, &two), "low");
	assert_null(histree_labels_of(joined, 0));
	assert_null(histree_labels_of(joined, ATTRIBUTES + 1));
	assert_null(histree_labels_of(joined, 9999));
	/* Both hosts have the same table. */
	size_t count;
	const struct histree_label_table *tables = histree_labels(joined, &count);
	assert_int_equal(count, 1);
	assert_string_equal(tables[0].patterns[0], "*/a1*");
	assert_null(tables[0].patterns[1]);
	assert_string_equal(tables[0].name, "levels");
	assert_ptr_equal(histree_labels(joined, &count), tables);
	assert_int_equal(histree_labels_origin(joined), HISTREE_LABELS_OF_FILE);
	histree_history_close(joined);
}

/* ---- damage ----------------------------------------------------------------------------------------------- */

/* Of a damaged shard some is unknown; the others answer as ever. */
TEST(damage_stays_in_its_shard)
{
	int file = open(paths[2], O_RDWR);
	char garbage[64];
	memset(garbage, 0x5a, sizeof(garbage));
	assert_int_equal(pwrite(file, garbage, sizeof(garbage), 4096 + 100), sizeof(garbage));
	close(file);
	struct histree_history *joined;
	const struct histree_history_part parts[] = { { .name = "b", .history = open_host(0) },
						      { .name = "damaged", .history = open_host(2) } };
	assert_ok(histree_history_unite(parts, 2, &joined, NULL));
	struct histree_cursor *query;
	struct histree_interval interval;
	size_t unknown = 0, others = 0;
	assert_ok(histree_query_create(joined, &query, NULL));
	for (unsigned threads = 1; threads <= 2; threads++) {
		enum histree_status status;
		assert_ok(histree_query_set_threads(query, threads, NULL));
		const struct histree_region all = { .from = 0, .to = 2000 * STEP };
		assert_ok(histree_query_start(query, &all, NULL));
		while ((status = histree_cursor_next(query, NULL)) == HISTREE_OK) {
			interval = *histree_cursor_interval(query);
			bool is_unknown = interval.value.type == HISTREE_UNKNOWN;
			unknown += is_unknown;
			others += is_unknown && interval.quark <= ATTRIBUTES;
		}
		assert_int_equal(status, HISTREE_END);
		assert_in_range(histree_cursor_loss(query).nodes, 1, 1000);
	}
	assert_in_range(unknown, 2, 10000);
	assert_int_equal(others, 0);
	char fault[256] = "";
	assert_int_equal(histree_history_verify(joined, keep_fault, fault, NULL), HISTREE_ERR_FORMAT);
	assert_memory_equal(fault, "host 'damaged': ", 16);
	histree_cursor_free(query);
	histree_history_close(joined);
	build(2, "cluster", 500);
}

/* ---- large answers ---------------------------------------------------------------------------------------- */

enum { LARGE = 100000 };

/* One large shard between small ones: its nodes are read by the threads, in the order of one. */
TEST(threads_read_large_shards_too)
{
	build(1, "cluster", LARGE);
	struct histree_history *joined;
	const struct histree_history_part parts[] = { { .name = "b", .history = open_host(0) },
						      { .name = "large", .history = open_host(1) },
						      { .name = "a", .history = open_host(2) } };
	assert_ok(histree_history_unite(parts, 3, &joined, NULL));
	const struct histree_history_info *info = histree_history_info(joined);
	const struct histree_region all = { .from = info->start, .to = info->end };
	struct histree_cursor *one, *three;
	assert_ok(histree_query_create(joined, &one, NULL));
	assert_ok(histree_query_create(joined, &three, NULL));
	assert_ok(histree_query_set_threads(three, 3, NULL));
	for (int turn = 0; turn < 3; turn++) {
		struct histree_interval a, b;
		enum histree_status status;
		uint64_t count = 0, most = turn == 1 ? LARGE / 2 : UINT64_MAX; /* once it is stopped early */
		assert_ok(histree_query_start(one, &all, NULL));
		assert_ok(histree_query_start(three, &all, NULL));
		while (count < most && (status = histree_cursor_next(one, NULL)) == HISTREE_OK) {
			a = *histree_cursor_interval(one);
			assert_ok(histree_cursor_next(three, NULL));
			b = *histree_cursor_interval(three);
			assert_true(a.quark == b.quark && a.start == b.start && a.end == b.end);
			assert_true(histree_value_equal(&a.value, &b.value));
			count++;
		}
		if (turn == 1)
			continue;
		assert_int_equal(histree_cursor_next(three, NULL), HISTREE_END);
		assert_int_equal(count, info->interval_count);
		assert_int_equal(histree_cursor_statistics(three).rows, count);
		assert_int_equal(histree_cursor_statistics(three).nodes_visited,
				 histree_cursor_statistics(one).nodes_visited);
	}
	histree_cursor_free(one);
	histree_cursor_free(three);
	histree_history_close(joined);
}

TEST_FILE(set_up, tear_down)
