// SPDX-License-Identifier: MIT
/*
 * test_arrows_flows.c - arrows of random flows between random stacks, against a list of all that is searched
 * linearly.
 */
#include "base/hash_index.h"
#include "histree/history.h"
#include "support/test.h"
#include "view/view.h"

enum { STACKS = 6, DEPTH_MAX = 4, END = 4000, FLOWS_MAX = 70000, NOT_KNOWN = -1 };

struct flow {
	int from, to; /* STACKS: one that is not in the history */
	histree_time start, end;
};

struct world {
	char path[64];
	int depths[STACKS][END + 1];
	histree_quark rows[STACKS][DEPTH_MAX + 1]; /* the stack itself, then its rows */
	struct flow *flows;
	size_t flow_count;
	struct histree_history *history;
	struct histree_segment_store *store;
};

static void make_attributes(struct world *world, struct histree_state_system *system)
{
	char path[64];
	for (int stack = 0; stack < STACKS; stack++)
		for (int depth = 0; depth <= DEPTH_MAX; depth++) {
			int size = snprintf(path, sizeof(path), "Processes/1/%d/CallStack", stack);
			if (depth > 0)
				snprintf(path + size, sizeof(path) - (size_t)size, "/%d", depth);
			assert_ok(histree_state_attribute(system, HISTREE_ROOT, path, &world->rows[stack][depth],
							  NULL));
		}
}

static void make_depths(struct world *world, struct histree_state_system *system, struct random *random)
{
	for (histree_time now = 0; now <= END; now++)
		for (int stack = 0; stack < STACKS; stack++) {
			int *depth = &world->depths[stack][now];
			*depth = now > 0 ? depth[-1] : 0;
			if (now > 0 && !random_percent(random, 20))
				continue;
			*depth = (int)random_below(random, DEPTH_MAX + 2) - 1;
			struct histree_value value = *depth == NOT_KNOWN ? histree_unknown() : histree_int(*depth);
			assert_ok(histree_state_modify(system, now, world->rows[stack][0], value, NULL));
		}
}

static struct histree_value path_of(int stack, char *path, size_t size)
{
	if (stack == STACKS + 1)
		return histree_null();
	snprintf(path, size, "Processes/1/%d/CallStack", stack);
	return histree_string(path);
}

static void make_flows(struct world *world, struct random *random, size_t count)
{
	static const struct histree_segment_field fields[] = { { "from_stack", HISTREE_STRING },
							       { "to_stack", HISTREE_STRING } };
	const struct histree_segment_store_options options = {
		.kind = HISTREE_SEGMENTS_LAZY,
		.schema = { .provider = "track-flows", .fields = fields, .field_count = 2 },
	};
	assert_ok(histree_segment_store_create(&options, &world->store, NULL));
	for (; world->flow_count < count; world->flow_count++) {
		char from[64], to[64];
		struct flow *flow = &world->flows[world->flow_count];
		flow->from = (int)random_below(random, STACKS + 2);
		flow->to = (int)random_below(random, STACKS + 2);
		flow->start = (histree_time)random_below(random, END + 1);
		flow->end = flow->start + (histree_time)random_below(random, (uint64_t)(END - flow->start) / 4 + 1);
		struct histree_value content[] = { path_of(flow->from, from, sizeof(from)),
						   path_of(flow->to, to, sizeof(to)) };
		const struct histree_segment segment = { flow->start, flow->end, content };
		assert_ok(histree_segment_store_add(world->store, &segment, NULL));
	}
	assert_ok(histree_segment_store_finish(world->store, NULL));
}

static void make_world(struct world *world, uint64_t seed, size_t flows)
{
	struct random random = { seed };
	struct histree_state_system *system;
	*world = (struct world){ .flows = calloc(FLOWS_MAX, sizeof(*world->flows)) };
	assert_non_null(world->flows);
	snprintf(world->path, sizeof(world->path), "test_arrows_flows.%ld.sht", (long)getpid());
	const struct histree_history_options options = { .path = world->path };
	unlink(world->path);
	assert_ok(histree_state_create(&options, &system, NULL));
	make_attributes(world, system);
	make_depths(world, system, &random);
	assert_ok(histree_state_close(system, END, NULL));
	histree_state_free(system);
	make_flows(world, &random, flows);
	assert_ok(histree_history_open(world->path, NULL, &world->history, NULL));
}

static void end_world(struct world *world)
{
	histree_history_close(world->history);
	histree_segment_store_close(world->store);
	unlink(world->path);
	free(world->flows);
}

static int32_t row_at(const struct world *world, int stack, histree_time time)
{
	int depth = world->depths[stack][time];
	return (int32_t)world->rows[stack][depth > 0 ? depth : 1];
}

static bool meets(const struct flow *flow, histree_time from, histree_time to)
{
	return flow->from < STACKS && flow->to < STACKS && flow->end >= from && flow->start <= to;
}

/* The pixel of 1 ns in which a flow ends. */
static histree_time last_of(const struct flow *flow, histree_time to)
{
	return flow->end < to ? flow->end : to;
}

static bool is_flow(const struct world *world, const struct histree_arrow *arrow)
{
	for (size_t i = 0; i < world->flow_count; i++) {
		const struct flow *flow = &world->flows[i];
		if (meets(flow, 0, END) && flow->start == arrow->start && flow->end == arrow->end &&
		    row_at(world, flow->from, flow->start) == arrow->from &&
		    row_at(world, flow->to, flow->end) == arrow->to)
			return arrow->kind == HISTREE_ARROW_FLOW && arrow->cpu == -1 && arrow->tid == -1;
	}
	return false;
}

/* Of all that meet the range, one for each stack and ns in which some end. */
static size_t expected(const struct world *world, histree_time from, histree_time to, bool *all)
{
	size_t count = 0;
	*all = true;
	bool(*seen)[END + 1] = calloc(STACKS, sizeof(*seen));
	assert_non_null(seen);
	for (size_t i = 0; i < world->flow_count; i++) {
		const struct flow *flow = &world->flows[i];
		if (!meets(flow, from, to))
			continue;
		bool *one = &seen[flow->to][last_of(flow, to)];
		*all = *all && !*one;
		count += !*one;
		*one = true;
	}
	free(seen);
	return count;
}

static struct histree_arrows *arrows_of(const struct world *world, histree_time from, histree_time to)
{
	struct histree_arrows *arrows;
	const struct histree_arrows_request request = {
		.history = world->history, .flows = world->store, .from = from, .to = to, .pixels = 8192
	};
	assert_ok(histree_arrows_create(&request, &arrows, NULL));
	return arrows;
}

TEST(test_ranges)
{
	struct world world;
	struct random random = { 71 };
	make_world(&world, 70, 600);
	for (int i = 0; i < 300; i++) {
		size_t count;
		bool all;
		histree_time width = (histree_time)random_below(&random, 600);
		histree_time from = (histree_time)random_below(&random, (uint64_t)(END - width) + 1);
		struct histree_arrows *arrows = arrows_of(&world, from, from + width);
		const struct histree_arrow *list = histree_arrows_list(arrows, &count);
		assert_int_equal(count, expected(&world, from, from + width, &all));
		assert_int_equal(histree_arrows_are_all(arrows), all);
		for (size_t k = 0; k < count; k++) {
			assert_true(is_flow(&world, &list[k]));
			assert_true(list[k].end >= from && list[k].start <= from + width);
		}
		histree_arrows_free(arrows);
	}
	end_world(&world);
}

TEST(test_too_many)
{
	size_t count;
	struct world world;
	make_world(&world, 72, FLOWS_MAX);
	struct histree_arrows *arrows = arrows_of(&world, 0, END);
	histree_arrows_list(arrows, &count);
	assert_int_equal(count, 0);
	assert_false(histree_arrows_are_all(arrows));
	histree_arrows_free(arrows);
	end_world(&world);
}

TEST(test_other_segments)
{
	static const struct histree_segment_field fields[] = { { "from_pid", HISTREE_LONG } };
	const struct histree_segment_store_options options = {
		.kind = HISTREE_SEGMENTS_LAZY,
		.schema = { .provider = "track-flows", .fields = fields, .field_count = 1 },
	};
	struct world world;
	struct histree_arrows *arrows;
	make_world(&world, 73, 1);
	struct histree_segment_store *flows = world.store;
	assert_ok(histree_segment_store_create(&options, &world.store, NULL));
	assert_ok(histree_segment_store_finish(world.store, NULL));
	const struct histree_arrows_request request = {
		.history = world.history, .flows = world.store, .from = 0, .to = END, .pixels = 10
	};
	assert_int_equal(histree_arrows_create(&request, &arrows, NULL), HISTREE_ERR_ARGUMENT);
	histree_segment_store_close(flows);
	end_world(&world);
}
