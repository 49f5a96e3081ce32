// SPDX-License-Identifier: MIT
/*
 * test_critical_path.c - paths in graphs that no kernel makes: they end, soon, and go forward in time; and from
 * host to host.
 */
#include "base/hash_index.h"
#include "event/event.h"
#include "histree/history.h"
#include "histree/states.h"
#include "state/history.h"
#include "state/state_file.h"
#include "support/effort.h"
#include "support/faulty_io.h"
#include "support/forging.h"
#include "support/random_graph.h"
#include "support/test.h"

enum { BYTES_MAX = 4 * 1000 };

/* Walks the paths of a graph and returns how many steps they have together. */
static uint64_t walk(const uint8_t *bytes, size_t size, const char *what)
{
	struct memory_io memory;
	struct block_file *file;
	struct histree_history *history;
	enum histree_status status;
	uint64_t steps;
	struct histree_error error = { 0 };
	memory_io_init(&memory);
	assert_ok(random_graph_build(&memory, bytes, size, &error));
	assert_ok(block_file_open(&memory.io, "g", &file, &error));
	assert_ok(history_open_file(file, NULL, &history, &error));
	const char *fault = random_graph_walk(history, &steps, &status, &error);
	if (fault != NULL || status != HISTREE_OK)
		fail_msg("%s: %s", what, fault != NULL ? fault : error.message);
	histree_history_close(history);
	memory_io_release(&memory);
	return steps;
}

TEST(any_bytes_have_paths)
{
	static uint8_t bytes[BYTES_MAX];
	struct random random = { test_seed() };
	char what[64];
	for (uint64_t round = 0; round < test_effort(40, 20) * test_rounds(); round++) {
		/* Some have many waits, some many arrows, some both. */
		uint8_t waits = (uint8_t)random_below(&random, 100), arrows = (uint8_t)random_below(&random, 100);
		size_t edges = random_below(&random, BYTES_MAX / 4);
		for (size_t i = 0; i < 4 * edges; i++)
			bytes[i] = (uint8_t)random_below(&random, 256);
		for (size_t i = 0; i < edges; i++) {
			if (random_percent(&random, waits))
				bytes[4 * i + 1] = HISTREE_GRAPH_BLOCKED;
			if (random_percent(&random, arrows))
				bytes[4 * i + 3] = (uint8_t)random_below(&random, 8);
		}
		snprintf(what, sizeof(what), "round %llu", (unsigned long long)round);
		walk(bytes, 4 * edges, what);
	}
}

/* Each waits for the next one, which waits for the next one: as deep as there are edges. */
TEST(waits_within_waits_end)
{
	static uint8_t bytes[BYTES_MAX];
	for (size_t i = 0; i < BYTES_MAX / 4; i++)
		memcpy(bytes + 4 * i,
		       (uint8_t[]){ (uint8_t)(i % 6), HISTREE_GRAPH_BLOCKED, 1, (uint8_t)((i + 1) % 6) }, 4);
	assert_true(walk(bytes, BYTES_MAX, "waits within waits") > 0);
}

/*
 * A wait at the end, and before it vertices with an arrow each that can be followed or not: as many ways back as
 * there are subsets of them.
 */
TEST(forks_without_number_end)
{
	static uint8_t bytes[BYTES_MAX];
	for (size_t i = 0; i < BYTES_MAX / 4; i++) {
		bool is_last = i + 8 > BYTES_MAX / 4;
		memcpy(bytes + 4 * i,
		       (uint8_t[]){ (uint8_t)(i % 3), is_last ? HISTREE_GRAPH_BLOCKED : HISTREE_GRAPH_RUNNING, 0,
				    (uint8_t)((i + 1) % 3) },
		       4);
	}
	/* The threads that are met first begin late, so that the way back ends in each of them. */
	assert_true(walk(bytes, BYTES_MAX, "forks without number") > 0);
}

/* ---- damage ------------------------------------------------------------------------------------------------- */

static struct histree_history *open_sound(struct memory_io *memory)
{
	struct block_file *file;
	struct histree_history *history;
	assert_ok(block_file_open(&memory->io, "g", &file, NULL));
	assert_ok(history_open_file(file, NULL, &history, NULL));
	return history;
}

/* What is said of a thread is what the sound history has there. */
static void expect_true(struct histree_cursor *sound, const struct histree_path_step *step)
{
	char name[32];
	histree_quark quark;
	struct histree_interval edge;
	if (step->is_arrow || step->state == HISTREE_GRAPH_UNKNOWN || step->state == HISTREE_GRAPH_DEFAULT ||
	    step->start == step->end)
		return;
	snprintf(name, sizeof(name), "Threads/%d", step->tid);
	const struct histree_attributes *attributes = histree_history_attributes(histree_query_history(sound));
	assert_ok(histree_attributes_find(attributes, HISTREE_ROOT, name, &quark));
	assert_ok(histree_query_single(sound, quark, step->start, &edge, NULL));
	/* By our own rules, who was woken again waited for a CPU. */
	bool is_corrected = step->state == HISTREE_GRAPH_PREEMPTED && edge.value.int32 > HISTREE_GRAPH_PREEMPTED;
	assert_true(edge.value.int32 == (int32_t)step->state || is_corrected);
	assert_true(edge.end + 1 >= step->end);
}

/* Returns whether the damaged history could be asked at all. */
static bool walk_damaged(const struct io *io, struct histree_cursor *sound)
{
	struct block_file *file;
	struct histree_history *history;
	struct histree_cursor *path;
	struct histree_path_step step;
	static const enum histree_path_rules rules[] = { HISTREE_PATH_RULES_TRACE_COMPASS, HISTREE_PATH_RULES_OWN };
	if (block_file_open(io, "g", &file, NULL) != HISTREE_OK)
		return false;
	if (history_open_file(file, NULL, &history, NULL) != HISTREE_OK)
		return false;
	enum histree_status status = histree_critical_path_create(history, &path, NULL);
	for (int32_t tid = 0; tid < 2 * RANDOM_GRAPH_THREADS && status == HISTREE_OK; tid++) {
		const struct histree_history_info *info = histree_history_info(history);
		const struct histree_path_request request = {
			.rules = rules[tid % 2], .tid = tid / 2, .from = info->start, .to = info->end + 1
		};
		if (histree_critical_path_start(path, &request, NULL) != HISTREE_OK)
			continue;
		while (histree_cursor_next(path, NULL) == HISTREE_OK) {
			step = *histree_cursor_path_step(path);
			expect_true(sound, &step);
		}
	}
	histree_cursor_free(path);
	histree_history_close(history);
	return true;
}

/* Bytes that are flipped or cut off, and each operation of the file failing: nothing is invented. */
TEST(damage_invents_nothing)
{
	static uint8_t bytes[BYTES_MAX];
	struct random random = { test_seed() };
	struct memory_io memory, damaged;
	unsigned asked = 0;
	for (size_t i = 0; i < BYTES_MAX; i++)
		bytes[i] = (uint8_t)random_below(&random, i % 4 == 1 ? 8 : 256);
	memory_io_init(&memory);
	memory_io_init(&damaged);
	assert_ok(random_graph_build(&memory, bytes, sizeof(bytes), NULL));
	assert_ok(random_graph_build(&damaged, bytes, sizeof(bytes), NULL));
	struct histree_history *history = open_sound(&memory);
	struct histree_cursor *sound;
	assert_ok(histree_query_create(history, &sound, NULL));
	const struct memory_file *whole = memory_io_find(&memory, "g");
	struct memory_file *file = memory_io_find(&damaged, "g");
	const size_t size = whole->size;
	for (uint64_t left = test_effort(30, 15); left > 0; left--) {
		memcpy(file->bytes, whole->bytes, size);
		struct forged forged = { .random = &random, .bytes = file->bytes, .size = size };
		forge_damage(&forged);
		file->size = forged.size;
		asked += walk_damaged(&damaged.io, sound);
		file->size = size;
	}
	assert_true(asked > 0);
	memcpy(file->bytes, whole->bytes, size);
	struct faulty_io faulty;
	uint64_t failures = 0;
	for (bool has_failed = true; has_failed; failures++) {
		faulty_io_init(&faulty, &damaged.io);
		faulty.fail_at = failures + 1;
		walk_damaged(&faulty.io, sound);
		has_failed = faulty.operations > failures;
	}
	assert_true(failures > 5);
	histree_cursor_free(sound);
	histree_history_close(history);
	memory_io_release(&memory);
	memory_io_release(&damaged);
}

/* ---- two hosts ---------------------------------------------------------------------------------------------- */

/* A state of an attribute, and "" for the end of a list. */
struct written {
	const char *path;
	histree_time start, end;
	int32_t number;
	const char *text; /* NULL: the number */
};

static struct histree_history *host_of(struct memory_io *memory, const char *file, const struct written *states)
{
	const struct histree_history_options options = {
		.path = file, .provider = "graph", .start = 0, .tree = { .node_size = 4096, .threads = 1 }
	};
	struct histree_state_system *system;
	struct block_file *blocks;
	struct histree_history *history;
	assert_ok(state_file_create(&memory->io, &options, &system, NULL));
	for (; states->path != NULL; states++) {
		struct histree_interval interval = { .start = states->start, .end = states->end };
		interval.value = states->text != NULL ? histree_string(states->text) : histree_int(states->number);
		assert_ok(histree_state_attribute(system, HISTREE_ROOT, states->path, &interval.quark, NULL));
		assert_ok(histree_state_insert(system, &interval, 1, NULL, NULL));
	}
	assert_ok(histree_state_close(system, 100, NULL));
	histree_state_free(system);
	assert_ok(block_file_open(&memory->io, file, &blocks, NULL));
	assert_ok(history_open_file(blocks, NULL, &history, NULL));
	return history;
}

/* Returns how many steps are on the other host, where `from` sent what `to` waits for. */
static unsigned steps_elsewhere(const struct written *from, const struct written *to)
{
	struct memory_io memory;
	struct histree_history *both;
	struct histree_cursor *path;
	struct histree_path_step step;
	unsigned steps = 0;
	memory_io_init(&memory);
	const struct histree_history_part parts[] = { { .name = "a", .history = host_of(&memory, "a", from) },
						      { .name = "b", .history = host_of(&memory, "b", to) } };
	assert_ok(histree_history_unite(parts, 2, &both, NULL));
	assert_ok(histree_critical_path_create(both, &path, NULL));
	const struct histree_path_request request = { .host = 1, .tid = 7, .from = 0, .to = 101 };
	assert_ok(histree_critical_path_start(path, &request, NULL));
	while (histree_cursor_next(path, NULL) == HISTREE_OK) {
		step = *histree_cursor_path_step(path);
		assert_true(step.start <= step.end);
		steps += step.host == 0;
		if (step.is_arrow && step.host == 0 && step.to_host == 1) {
			assert_int_equal(step.state, HISTREE_GRAPH_NETWORK);
			assert_int_equal(step.start, 30);
			assert_int_equal(step.end, 40);
			assert_int_equal(step.tid, 9);
			assert_int_equal(step.to_tid, 7);
		}
	}
	histree_cursor_free(path);
	histree_history_close(both);
	memory_io_release(&memory);
	return steps;
}

TEST(packets_lead_to_other_hosts)
{
	const struct packet_key key = { 1, 2, 16 };
	char list[24];
	snprintf(list, sizeof(list), "Packets/%u", packet_bucket(&key));
	const struct written receiver[] = { { "Threads/7", 10, 19, HISTREE_GRAPH_RUNNING, NULL },
					    { "Threads/7", 20, 39, HISTREE_GRAPH_NETWORK, NULL },
					    { "Threads/7", 40, 49, HISTREE_GRAPH_RUNNING, NULL },
					    { "Threads/7/Received", 40, 49, 0, "1/2/16" },
					    { .path = NULL } };
	struct written sender[] = { { "Threads/9", 5, 29, HISTREE_GRAPH_RUNNING, NULL },
				    { list, 10, 29, 0, "1/2/17/9" },
				    { list, 30, 34, 0, "1/2/16/9" }, /* the one */
				    { list, 35, 44, 0, "4/2/16/9" },
				    { list, 45, 100, 0, "1/2/16/9" }, /* too late */
				    { "Threads/9", 30, 60, HISTREE_GRAPH_RUNNING, NULL },
				    { .path = NULL } };
	assert_int_equal(steps_elsewhere(sender, receiver), 2); /* from 20 on it ran there, and then sent */
	/* What is no packet, of no thread, or of another packet is no arrow. */
	static const char *const others[] = {
		"1/2/16/10", "1/2/16",    "1/2/16/", "1/2/16/-",  "/2/16/9",
		"1/2/15/9",  "1/2/16/9/", "",        "1/2/16/9 ", "1/2/16/99999999999999999999"
	};
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++) {
		sender[2].text = others[i];
		assert_int_equal(steps_elsewhere(sender, receiver), 0);
	}
}
