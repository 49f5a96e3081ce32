// SPDX-License-Identifier: MIT
/*
 * test_flame.c - flame graphs: of random stacks against arrays that say for each nanosecond what each level is in,
 * in random windows of random sizes, on both sides; of stacks that are given, within a number of nodes; and in
 * order.
 */
#include "base/hash_index.h"
#include "histree/history.h"
#include "histree/time_use.h"
#include "support/effort.h"
#include "support/test.h"

enum { STACKS = 3, LEVELS = 5, LENGTH = 500, START = 1000, EMPTY = 0, NOT_KNOWN = -1, WORDS = 6, SUMS_MAX = 4096 };

static const char *const owners[STACKS] = { "Threads/7", "Processes/1/8", "Async/load\\/x/1" };
/* By thread: the second one has a name. */
static const char *const groups[STACKS] = { "Threads/7", "worker (Processes/1/8)", "Async/load\\/x/1" };
static const char *const words[WORDS] = { "", "main", "draw", "0x1f", "read", "a b;c" };

struct world {
	int at[STACKS][LEVELS][LENGTH]; /* a word, EMPTY or NOT_KNOWN */
	struct histree_history *history;
	char path[64];
};

static struct histree_value value_of(int word)
{
	return word == EMPTY       ? histree_null()
	       : word == NOT_KNOWN ? histree_unknown()
	       : word == 3         ? histree_long(0x1f)
				   : histree_string(words[word]);
}

static void put(struct histree_state_system *system, const char *path, histree_time time,
		struct histree_value value)
{
	histree_quark quark;
	assert_ok(histree_state_attribute(system, HISTREE_ROOT, path, &quark, NULL));
	assert_ok(histree_state_modify(system, time, quark, value, NULL));
}

/* Values of an attribute are of one type. */
static void fill(struct random *random, struct histree_state_system *system, const char *path, bool is_long,
		 int at[LENGTH])
{
	const uint64_t often = 1 + random_below(random, 80);
	int now = EMPTY;
	put(system, path, START, histree_null());
	for (int t = 0; t < LENGTH; t++) {
		if (random_below(random, often) == 0) {
			now = (int)random_below(random, WORDS);
			now = now == EMPTY && random_percent(random, 30) ? NOT_KNOWN : now;
			now = now > 0 && is_long ? 3 : now == 3 && !is_long ? 2 : now;
			put(system, path, START + t, value_of(now));
		}
		at[t] = now;
	}
}

static void make(struct world *world, struct random *random)
{
	struct histree_state_system *system;
	char path[64];
	snprintf(world->path, sizeof(world->path), "test_flame.%ld.sht", (long)getpid());
	unlink(world->path);
	const struct histree_history_options options = { .path = world->path,
							 .provider = "tracks",
							 .start = START,
							 .tree = { .node_size = 4096, .threads = 1 } };
	assert_ok(histree_state_create(&options, &system, NULL));
	put(system, "Processes/1/8", START, histree_string("worker"));
	put(system, "Threads/7/CallStack/note", START, histree_string("no level"));
	put(system, "Threads/9/CallStack", START, histree_int(0));
	for (int stack = 0; stack < STACKS; stack++)
		for (int level = LEVELS; level-- > 0;) {
			/* The second one has none of the numbers 2 to 5. */
			int number = stack == 1 && level > 0 ? 4 * level + 2 : level + 1;
			snprintf(path, sizeof(path), "%s/CallStack/%d", owners[stack], number);
			fill(random, system, path, level == 2, world->at[stack][level]);
		}
	assert_ok(histree_state_close(system, START + LENGTH - 1, NULL));
	histree_state_free(system);
	assert_ok(histree_history_open(world->path, NULL, &world->history, NULL));
}

static void drop(struct world *world)
{
	histree_history_close(world->history);
	unlink(world->path);
}

/* ---- the slow sums ------------------------------------------------------------------------------------------ */

/* Of one side, by stack: frames with bars between them. */
struct sums {
	char stacks[SUMS_MAX][256];
	uint64_t ns[SUMS_MAX];
	size_t count;
};

static void sum(struct sums *sums, const char *stack, uint64_t ns)
{
	size_t i = 0;
	while (i < sums->count && strcmp(sums->stacks[i], stack) != 0)
		i++;
	assert_true(i < SUMS_MAX);
	if (i == sums->count) {
		snprintf(sums->stacks[i], sizeof(sums->stacks[i]), "%s", stack);
		sums->ns[i] = 0;
		sums->count++;
	}
	sums->ns[i] += ns;
}

static void add_frame(char stack[256], const char *word)
{
	size_t size = strlen(stack);
	snprintf(stack + size, 256 - size, "|%s", word);
}

/* The stack at a time; false: nothing is there. */
static bool stack_at(const struct world *world, int stack, int t, bool by_thread, char text[256])
{
	bool is_empty = true;
	*text = '\0';
	if (by_thread)
		add_frame(text, groups[stack]);
	for (int level = 0; level < LEVELS; level++) {
		int word = world->at[stack][level][t];
		if (word == EMPTY)
			continue;
		is_empty = false;
		add_frame(text, word == NOT_KNOWN ? "(unknown)" : words[word]);
		if (word == NOT_KNOWN)
			break;
	}
	return !is_empty;
}

static void compare(const struct histree_flame *flame, const struct sums sums[HISTREE_FLAME_SIDES])
{
	uint32_t count;
	const struct histree_flame_node *nodes = histree_flame_nodes(flame, &count);
	size_t found[HISTREE_FLAME_SIDES] = { 0 };
	static char paths[SUMS_MAX][256];
	assert_true(count > 0 && count < SUMS_MAX);
	for (uint32_t i = 0; i < count; i++) {
		*paths[i] = '\0';
		if (i > 0) {
			memcpy(paths[i], paths[nodes[i].parent], sizeof(paths[i]));
			add_frame(paths[i], nodes[i].name);
			assert_int_equal(nodes[i].depth, nodes[nodes[i].parent].depth + 1);
			assert_true(i <= nodes[i].parent + nodes[nodes[i].parent].descendants);
		}
		for (unsigned side = 0; side < HISTREE_FLAME_SIDES; side++) {
			uint64_t ns = 0, below = 0;
			for (size_t k = 0; k < sums[side].count; k++)
				if (strcmp(sums[side].stacks[k], paths[i]) == 0)
					ns = sums[side].ns[k];
			for (uint32_t k = i + 1; k <= i + nodes[i].descendants; k++)
				below += nodes[k].self[side];
			assert_int_equal(nodes[i].self[side], ns);
			assert_int_equal(nodes[i].total[side], ns + below);
			found[side] += ns > 0;
		}
	}
	for (unsigned side = 0; side < HISTREE_FLAME_SIDES; side++)
		assert_int_equal(found[side], sums[side].count);
}

/* ---- tests -------------------------------------------------------------------------------------------------- */

static void add_window(struct random *random, const struct world *world, struct histree_flame *flame, unsigned side,
		       bool by_thread, struct sums *sums)
{
	static const char *const paths[STACKS] = { "Threads/7/CallStack", "Processes/1/8", "Async" };
	histree_quark quarks[STACKS + 1];
	size_t count = 0;
	char stack[256];
	const bool takes_all = random_percent(random, 40);
	unsigned chosen = takes_all ? 7 : 1 + (unsigned)random_below(random, 7);
	const struct histree_attributes *attributes = histree_history_attributes(world->history);
	for (int i = 0; i < STACKS; i++)
		if (chosen & 1U << i)
			assert_ok(histree_attributes_find(attributes, HISTREE_ROOT, paths[i], &quarks[count++]));
	/* Twice is as good as once. */
	quarks[count] = quarks[0];
	int from = (int)random_below(random, LENGTH),
	    to = from + (int)random_below(random, (uint64_t)(LENGTH - from));
	const struct histree_flame_request request = {
		.history = world->history,
		.quarks = takes_all ? NULL : quarks,
		.quark_count = count + 1,
		.from = from == 0 ? INT64_MIN : START + from,
		.to = to == LENGTH - 1 ? INT64_MAX : START + to,
		.side = side,
		.by_thread = by_thread,
		.states_max = random_percent(random, 70) ? 1 + (size_t)random_below(random, 60) : 0,
	};
	assert_ok(histree_flame_add_history(flame, &request, NULL));
	for (int i = 0; i < STACKS; i++)
		for (int t = from; t <= to && (chosen & 1U << i); t++)
			if (stack_at(world, i, t, by_thread, stack))
				sum(sums, stack, 1);
}

TEST(windows_are_as_each_nanosecond_says)
{
	static struct world world;
	static struct sums sums[HISTREE_FLAME_SIDES];
	struct random random = { test_seed() };
	for (uint64_t round = test_effort(60, 8) * test_rounds(); round > 0; round--) {
		make(&world, &random);
		for (int i = 0; i < 6; i++) {
			struct histree_flame *flame;
			const bool by_thread = random_percent(&random, 50);
			sums[0].count = sums[1].count = 0;
			assert_ok(histree_flame_create(&(struct histree_flame_options){ 0 }, &flame, NULL));
			for (unsigned side = 0; side < HISTREE_FLAME_SIDES; side++)
				if (random_percent(&random, 80))
					add_window(&random, &world, flame, side, by_thread, &sums[side]);
			assert_ok(histree_flame_finish(flame, NULL));
			/* A group without time is there, and has none. */
			compare(flame, sums);
			histree_flame_free(flame);
		}
		drop(&world);
	}
}

static void add(struct histree_flame *flame, const char *stack, uint64_t ns)
{
	struct histree_flame_frame frames[64];
	size_t count = 0;
	for (; *stack != '\0'; stack++)
		frames[count++] =
			(struct histree_flame_frame){ stack, 1,
						      *stack == '?' ? HISTREE_FLAME_UNKNOWN : HISTREE_FLAME_FRAME };
	assert_ok(histree_flame_add(flame, 0, frames, count, ns, NULL));
}

/* Nodes as text: "name self/total" with a star for each level. */
static void check(struct histree_flame *flame, const char *expected)
{
	char text[1024] = "";
	uint32_t count;
	assert_ok(histree_flame_finish(flame, NULL));
	const struct histree_flame_node *nodes = histree_flame_nodes(flame, &count);
	for (uint32_t i = 0; i < count; i++) {
		size_t size = strlen(text);
		snprintf(text + size, sizeof(text) - size, "%.*s%s %d/%d, ", (int)nodes[i].depth, "*****",
			 nodes[i].name, (int)nodes[i].self[0], (int)nodes[i].total[0]);
	}
	assert_string_equal(text, expected);
	histree_flame_free(flame);
}

static struct histree_flame *flame_of(uint32_t nodes_max, size_t names_max)
{
	struct histree_flame *flame;
	const struct histree_flame_options options = { .nodes_max = nodes_max, .names_max = names_max };
	assert_ok(histree_flame_create(&options, &flame, NULL));
	return flame;
}

TEST(siblings_are_in_order)
{
	struct histree_flame *flame = flame_of(0, 0);
	check(flame, " 0/0, ");
	flame = flame_of(0, 0);
	add(flame, "ab", 5);
	add(flame, "a?", 50);
	add(flame, "a?x", 1);
	add(flame, "ac", 7);
	add(flame, "d", 62);
	add(flame, "a", 0);
	add(flame, "", 3);
	check(flame, " 3/128, *a 0/63, **c 7/7, **b 5/5, **(unknown) 51/51, *d 62/62, ");
}

TEST(what_has_no_room_is_the_rest)
{
	struct histree_flame *flame = flame_of(4, 0); /* the root, and three others */
	add(flame, "abc", 1);
	add(flame, "abd", 2);
	add(flame, "abdxyz", 4);
	add(flame, "q", 8);
	add(flame, "ab", 16);
	check(flame, " 0/31, *a 0/23, **b 16/23, ***c 1/1, ***(rest) 6/6, *(rest) 8/8, ");
	flame = flame_of(0, 2); /* two letters */
	add(flame, "ab", 1);
	add(flame, "ac", 2);
	add(flame, "ba", 4);
	check(flame, " 0/7, *b 0/4, **a 4/4, *a 0/3, **b 1/1, **(rest) 2/2, ");
}

TEST(wrong_questions_are_refused)
{
	static struct world world;
	struct random random = { test_seed() };
	struct histree_error error = { 0 };
	struct histree_flame *flame = flame_of(0, 0);
	make(&world, &random);
	histree_quark quark = 0;
	struct histree_flame_request request = {
		.history = world.history, .from = START, .to = START + 9, .side = 2
	};
	assert_int_equal(histree_flame_add_history(flame, &request, &error), HISTREE_ERR_ARGUMENT);
	request.side = 0;
	request.quarks = &quark;
	request.quark_count = 1;
	assert_ok(histree_attributes_find(histree_history_attributes(world.history), HISTREE_ROOT, "Threads/9",
					  &quark));
	assert_int_equal(histree_flame_add_history(flame, &request, &error), HISTREE_NOT_FOUND);
	quark = 1U << 20;
	assert_int_equal(histree_flame_add_history(flame, &request, &error), HISTREE_ERR_QUARK);
	request.quarks = NULL;
	request.to = START - 1;
	assert_int_equal(histree_flame_add_history(flame, &request, &error), HISTREE_ERR_ARGUMENT);
	request.from = INT64_MIN;
	assert_ok(histree_flame_add_history(flame, &request, &error));
	assert_int_equal(histree_flame_add(flame, 2, NULL, 0, 1, &error), HISTREE_ERR_ARGUMENT);
	assert_ok(histree_flame_finish(flame, &error));
	assert_int_equal(histree_flame_add(flame, 0, NULL, 0, 1, &error), HISTREE_ERR_ARGUMENT);
	assert_int_equal(histree_flame_add_history(flame, &request, &error), HISTREE_ERR_ARGUMENT);
	check(flame, " 0/0, ");
	drop(&world);
}
