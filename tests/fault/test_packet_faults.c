// SPDX-License-Identifier: MIT
/*
 * test_packet_faults.c - the packets between two hosts while memory is out or reads fail: an error, or all of them,
 * never fewer; and who asks again is told all of them.
 */
#include "event/event.h"
#include "histree/critical_path.h"
#include "histree/history.h"
#include "state/history.h"
#include "state/state_file.h"
#include "support/faulty_io.h"
#include "support/faulty_memory.h"
#include "support/memory_io.h"
#include "support/test.h"

enum { PACKETS = 40, RECEIVERS = 5, STEP = 100, END = (PACKETS + 1) * STEP };

struct hosts {
	struct memory_io memory;
	struct faulty_io faulty;
	struct histree_history *both;
	struct histree_cursor *path;
};

/* What was visited: packets come in no order. */
struct visited {
	unsigned count;
	uint64_t which; /* a bit for each */
};

static void insert(struct histree_state_system *system, const char *path, histree_time start, histree_time end,
		   struct histree_value value)
{
	struct histree_interval interval = { .start = start, .end = end, .value = value };
	assert_ok(histree_state_attribute(system, HISTREE_ROOT, path, &interval.quark, NULL));
	assert_ok(histree_state_insert(system, &interval, 1, NULL, NULL));
}

/* Packet i: thread 99 of the first host sends it at 100 i + 30, a thread of the second has it at 100 i + 40. */
static void write_host(struct memory_io *memory, const char *file, bool receives)
{
	const struct histree_history_options options = {
		.path = file, .provider = "graph", .start = 0, .tree = { .node_size = 4096, .threads = 1 }
	};
	struct histree_state_system *system;
	assert_ok(state_file_create(&memory->io, &options, &system, NULL));
	for (uint32_t i = 0; i < PACKETS; i++) {
		const struct packet_key key = { 1, i + 1, 16 };
		const histree_time at = (histree_time)i * STEP;
		char path[40], text[40];
		if (receives) {
			snprintf(path, sizeof(path), "Threads/%u", 7 + i % RECEIVERS);
			insert(system, path, at + 20, at + 39, histree_int(HISTREE_GRAPH_NETWORK));
			insert(system, path, at + 40, at + 49, histree_int(HISTREE_GRAPH_RUNNING));
			snprintf(path, sizeof(path), "Threads/%u/Received", 7 + i % RECEIVERS);
			snprintf(text, sizeof(text), "1/%u/16", i + 1);
			insert(system, path, at + 40, at + 49, histree_string(text));
		} else {
			insert(system, "Threads/99", at + 5, at + 60, histree_int(HISTREE_GRAPH_RUNNING));
			snprintf(path, sizeof(path), "Packets/%u", packet_bucket(&key));
			snprintf(text, sizeof(text), "1/%u/16/99", i + 1);
			insert(system, path, at + 30, at + 45, histree_string(text));
		}
	}
	assert_ok(histree_state_close(system, END, NULL));
	histree_state_free(system);
}

static int set_up(void **state)
{
	static struct hosts hosts;
	memory_io_init(&hosts.memory);
	write_host(&hosts.memory, "a", false);
	write_host(&hosts.memory, "b", true);
	*state = &hosts;
	return 0;
}

static int tear_down(void **state)
{
	struct hosts *hosts = *state;
	memory_io_release(&hosts->memory);
	return 0;
}

static struct histree_history *open_host(struct hosts *hosts, const char *name)
{
	struct block_file *file;
	struct histree_history *history;
	assert_ok(block_file_open(&hosts->faulty.io, name, &file, NULL));
	assert_ok(history_open_file(file, NULL, &history, NULL));
	return history;
}

/* With nothing in a cache yet. */
static void begin(struct hosts *hosts)
{
	faulty_io_init(&hosts->faulty, &hosts->memory.io);
	const struct histree_history_part parts[] = { { .name = "a", .history = open_host(hosts, "a") },
						      { .name = "b", .history = open_host(hosts, "b") } };
	assert_ok(histree_history_unite(parts, 2, &hosts->both, NULL));
	assert_ok(histree_critical_path_create(hosts->both, &hosts->path, NULL));
}

static void end(struct hosts *hosts)
{
	histree_cursor_free(hosts->path);
	histree_history_close(hosts->both);
}

static enum histree_status visit(void *context, const struct histree_path_step *packet, struct histree_error *error)
{
	(void)error;
	struct visited *visited = context;
	const uint64_t i = (uint64_t)packet->end / STEP;
	assert_true(packet->is_arrow && packet->state == HISTREE_GRAPH_NETWORK && i < PACKETS);
	assert_true(packet->host == 0 && packet->to_host == 1);
	assert_int_equal(packet->start, i * STEP + 30);
	assert_int_equal(packet->end, i * STEP + 40);
	assert_int_equal(packet->tid, 99);
	assert_int_equal(packet->to_tid, 7 + i % RECEIVERS);
	visited->count++;
	visited->which |= UINT64_C(1) << i;
	return HISTREE_OK;
}

static enum histree_status ask(struct hosts *hosts, struct visited *visited, struct histree_error *error)
{
	*visited = (struct visited){ 0 };
	const struct histree_packets_request request = {
		.from = 0, .to = END, .count_max = PACKETS, .visit = visit, .context = visited
	};
	return histree_critical_path_packets(hosts->path, &request, error);
}

static void check_all(const struct visited *visited)
{
	assert_int_equal(visited->count, PACKETS);
	assert_true(visited->which == (UINT64_C(1) << PACKETS) - 1);
}

static void ask_again(struct hosts *hosts)
{
	struct visited visited;
	assert_ok(ask(hosts, &visited, NULL));
	check_all(&visited);
}

TEST(memory_that_is_out_hides_no_packet)
{
	struct hosts *hosts = *state;
	struct histree_error error;
	struct visited visited;
	bool refused = true;
	uint64_t number = 0;
	begin(hosts);
	ask_again(hosts);
	end(hosts);
	while (refused) {
		begin(hosts);
		faulty_memory_begin(++number, false);
		enum histree_status status = ask(hosts, &visited, &error);
		refused = faulty_memory.refused;
		faulty_memory_end();
		if (status == HISTREE_OK)
			check_all(&visited);
		else
			assert_int_equal(status, HISTREE_ERR_MEMORY);
		ask_again(hosts);
		end(hosts);
	}
	assert_true(number > 1);
}

TEST(a_read_that_fails_hides_no_packet)
{
	struct hosts *hosts = *state;
	struct histree_error error;
	struct visited visited;
	bool was_reached = true;
	uint64_t number = 0;
	while (was_reached) {
		begin(hosts);
		hosts->faulty.operations = 0;
		hosts->faulty.fail_at = ++number;
		enum histree_status status = ask(hosts, &visited, &error);
		was_reached = hosts->faulty.operations >= number;
		hosts->faulty.fail_at = 0;
		if (status == HISTREE_OK)
			check_all(&visited);
		else
			assert_int_equal(status, HISTREE_ERR_IO);
		assert_true(was_reached == (status != HISTREE_OK));
		ask_again(hosts);
		end(hosts);
	}
	assert_true(number > 1);
}

TEST_FILE(set_up, tear_down)
