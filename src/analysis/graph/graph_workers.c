// SPDX-License-Identifier: MIT
/*
 * graph_workers.c - writes the vertices, edges and arrows of workers into a history, and knows the workers by
 * number and by name, also threads whose number is used again.
 */
#include "analysis/graph/graph_workers.h"

#include <inttypes.h>
#include <stdalign.h>
#include <stdio.h>
#include <string.h>

#include "analysis/changes.h"
#include "analysis/kernel/kernel_layout.h"
#include "base/arena.h"
#include "base/hash_index.h"
#include "event/event.h"
#include "histree/critical_path.h"

/* ---- graph lines --------------------------------------------------------------------------------------------- */

static const char *const attribute_names[GRAPH_ATTRIBUTE_COUNT] = {
	[GRAPH_STATE] = "",
	[GRAPH_WOKEN_BY] = "Woken_by",
	[GRAPH_RECEIVED_FROM] = "Received_from",
	[GRAPH_SENT_AT] = "Sent_at",
	[GRAPH_RECEIVED] = "Received",
	[GRAPH_NAME] = "Name",
	[GRAPH_WOKEN_LEAVING_BY] = "Woken_leaving_by",
};

/* What grows with the trace is in this space, which may be NULL. */
static void graph_lines_init(struct graph_lines *lines, struct histree_state_system *system,
			     struct table_space *tables)
{
	*lines = (struct graph_lines){
		.changes.system = system,
		.threads = NO_ATTRIBUTE,
		.gap_end = INT64_MIN,
	};
	id_map_use_space(&lines->lines, tables);
	intern_use_space(&lines->texts, tables);
	lines->records.space = tables;
}

static void graph_lines_release(struct graph_lines *lines)
{
	id_map_release(&lines->lines);
	intern_release(&lines->texts);
	arena_release(&lines->records);
}

struct graph_line *graph_line(struct graph_lines *lines, int32_t tid)
{
	struct graph_line *line = id_map_find(&lines->lines, (uint32_t)tid);
	if (line != NULL)
		return line;
	line = arena_allocate(&lines->records, sizeof(*line), alignof(struct graph_line));
	if (line == NULL || !id_map_add(&lines->lines, (uint32_t)tid, line)) {
		changes_fail(&lines->changes, HISTREE_ERR_MEMORY, "threads of the graph");
		return NULL;
	}
	*line = (struct graph_line){ .tid = tid, .name = INTERN_NONE, .named_since = INT64_MIN };
	for (size_t i = 0; i < GRAPH_ATTRIBUTE_COUNT; i++)
		line->attributes[i] = NO_ATTRIBUTE;
	return line;
}

/* From now on it is called so. */
static void graph_line_name(struct graph_lines *lines, struct graph_line *line, const char *name, size_t size)
{
	line->name = intern_add(&lines->texts, name, size);
	if (line->name == INTERN_NONE)
		changes_fail(&lines->changes, HISTREE_ERR_MEMORY, "names of threads");
}

/* ---- intervals ---------------------------------------------------------------------------------------------- */

static histree_quark attribute_of(struct graph_lines *lines, struct graph_line *line,
				  enum graph_attribute attribute)
{
	struct changes *changes = &lines->changes;
	histree_quark *known = &line->attributes[attribute];
	if (*known != NO_ATTRIBUTE)
		return *known;
	if (attribute != GRAPH_STATE) {
		const char *name = attribute_names[attribute];
		histree_quark state = attribute_of(lines, line, GRAPH_STATE);
		return changes_child(changes, known, state, name, strlen(name));
	}
	char name[16];
	int size = snprintf(name, sizeof(name), "%" PRId32, line->tid);
	changes_folder(changes, &lines->threads, HISTREE_ROOT, "Threads", strlen("Threads"));
	return changes_child(changes, known, lines->threads, name, (size_t)size);
}

static void insert(struct graph_lines *lines, struct graph_line *line, enum graph_attribute attribute,
		   histree_time end, struct histree_value value)
{
	struct changes *changes = &lines->changes;
	const struct histree_interval interval = {
		.quark = attribute_of(lines, line, attribute),
		.start = line->last,
		.end = end,
		.value = value,
	};
	if (changes->status == HISTREE_OK)
		changes->status = histree_state_insert(changes->system, &interval, 1, NULL, &changes->error);
}

static void insert_packet(struct graph_lines *lines, struct graph_line *line, histree_time end)
{
	char text[PACKET_TEXT_SIZE];
	if (!line->packet_into.is_there)
		return;
	size_t size = packet_text(&line->packet_into.key, text);
	insert(lines, line, GRAPH_RECEIVED, end, histree_string_n(text, size));
	line->received_end = end;
}

static void insert_arrow(struct graph_lines *lines, struct graph_line *line, histree_time end)
{
	insert_packet(lines, line, end);
	if (line->is_woken_leaving)
		insert(lines, line, GRAPH_WOKEN_LEAVING_BY, end, histree_int(line->leaving_waker));
	const struct graph_arrow *into = &line->into;
	if (into->kind == ARROW_OF_WAKEUP) {
		insert(lines, line, GRAPH_WOKEN_BY, end, histree_int(into->tid));
	} else if (into->kind == ARROW_OF_PACKET) {
		insert(lines, line, GRAPH_RECEIVED_FROM, end, histree_int(into->tid));
		insert(lines, line, GRAPH_SENT_AT, end, histree_long(into->time));
	}
}

/* ---- vertices ----------------------------------------------------------------------------------------------- */

/* Whether a vertex can be added now: a line has one at a time, and they never go back. */
static bool is_later(const struct graph_lines *lines, const struct graph_line *line)
{
	return !line->has_vertex || lines->changes.time > line->last;
}

static void add_vertex(struct graph_lines *lines, struct graph_line *line)
{
	if (line->has_vertex)
		insert_arrow(lines, line, lines->changes.time - 1);
	line->has_vertex = true;
	line->last = lines->changes.time;
	line->into = (struct graph_arrow){ .kind = NO_ARROW };
	line->is_woken_leaving = false;
	line->packet_into.is_there = false;
}

/* What came last to the vertex at which the edge begins. */
static void take_received(struct graph_line *line)
{
	if (line->received.kind != NO_ARROW && line->last == line->received_at)
		line->into = line->received;
	line->received.kind = NO_ARROW;
	if (line->packet.is_there && line->last == line->packet.time)
		line->packet_into = line->packet;
	line->packet.is_there = false;
}

void graph_line_extend(struct graph_lines *lines, struct graph_line *line, enum histree_graph_state state)
{
	if (!is_later(lines, line))
		return;
	if (line->has_vertex) {
		bool in_doubt = line->last <= lines->gap_end;
		take_received(line);
		insert(lines, line, GRAPH_STATE, lines->changes.time - 1,
		       histree_int(in_doubt ? HISTREE_GRAPH_UNKNOWN : (int32_t)state));
	}
	add_vertex(lines, line);
}

void graph_line_break(struct graph_lines *lines, struct graph_line *line)
{
	if (is_later(lines, line))
		add_vertex(lines, line);
	line->packet.is_there = false; /* an earlier packet wakes no thread now */
}

void graph_line_receive(const struct graph_lines *lines, struct graph_line *line, struct graph_arrow from)
{
	line->received = from;
	line->received_at = lines->changes.time;
}

void graph_line_receive_packet(const struct graph_lines *lines, struct graph_line *line,
			       const struct packet_key *key)
{
	line->packet = (struct graph_packet){ true, *key, lines->changes.time };
}

/* Where the line has another vertex since then, the packet is of the nanosecond in which the earlier one is. */
void graph_line_receive_earlier(struct graph_lines *lines, struct graph_line *line, histree_time time,
				const struct packet_key *key)
{
	const struct graph_packet packet = { true, *key, time }, newer = line->packet_into;
	const histree_time last = line->last;
	if (time > last || time <= line->received_end || (time == last && newer.is_there))
		return;
	line->packet_into = packet;
	if (time == last)
		return;
	line->last = time;
	insert_packet(lines, line, time);
	line->last = last;
	line->packet_into = newer;
}

void graph_line_hand_over(struct graph_line *from, struct graph_line *target)
{
	if (from->received.kind != NO_ARROW)
		target->into = from->received;
	if (from->packet.is_there)
		target->packet_into = from->packet;
	from->received.kind = NO_ARROW;
	from->packet.is_there = false;
}

void graph_line_arrow(struct graph_line *line, struct graph_arrow arrow)
{
	line->into = arrow;
}

void graph_line_woken_leaving(struct graph_line *line, bool is, int32_t waker)
{
	line->is_woken_leaving = is;
	line->leaving_waker = waker;
}

/* ---- ends of lines ------------------------------------------------------------------------------------------ */

/* A thread has its last name all the time. */
static void insert_name(struct graph_lines *lines, struct graph_line *line, histree_time end)
{
	const histree_time last = line->last;
	size_t size;
	if (line->name == INTERN_NONE)
		return;
	const char *name = intern_get(&lines->texts, line->name, &size);
	line->last = line->named_since == INT64_MIN ? lines->start : line->named_since;
	if (line->last <= end)
		insert(lines, line, GRAPH_NAME, end, histree_string_n(name, size));
	line->last = last;
}

/* Another thread has the number from now on. */
static void graph_line_begin_again(struct graph_lines *lines, struct graph_line *line)
{
	const histree_time now = lines->changes.time;
	if (line->has_vertex && now > line->last)
		insert_arrow(lines, line, now - 1);
	if (line->has_vertex)
		insert_name(lines, line, now - 1);
	line->named_since = line->has_vertex ? now : line->named_since;
	line->name = INTERN_NONE;
	line->has_vertex = line->is_woken_leaving = false;
	line->into.kind = line->received.kind = NO_ARROW;
	line->packet.is_there = line->packet_into.is_there = false;
}

void graph_lines_finish(struct graph_lines *lines, histree_time end)
{
	size_t position = 0;
	const struct id_entry *entry;
	while ((entry = id_map_next(&lines->lines, &position)) != NULL) {
		struct graph_line *line = entry->record;
		if (!line->has_vertex)
			continue;
		insert_arrow(lines, line, end);
		insert_name(lines, line, end);
	}
}

/* ---- graph workers ------------------------------------------------------------------------------------------- */

static const enum histree_graph_state state_of_status[WORKER_STATUS_COUNT] = {
	[WORKER_UNKNOWN] = HISTREE_GRAPH_UNKNOWN,
	[WORKER_WAITS_AFTER_FORK] = HISTREE_GRAPH_PREEMPTED,
	[WORKER_WAITS_FOR_CPU] = HISTREE_GRAPH_PREEMPTED,
	[WORKER_EXITS] = HISTREE_GRAPH_RUNNING,
	[WORKER_IS_ZOMBIE] = HISTREE_GRAPH_UNKNOWN,
	[WORKER_WAITS_UNKNOWN] = HISTREE_GRAPH_PREEMPTED,
	[WORKER_RUNS] = HISTREE_GRAPH_RUNNING,
	[WORKER_IS_DEAD] = HISTREE_GRAPH_UNKNOWN,
	[WORKER_IS_BLOCKED] = HISTREE_GRAPH_BLOCKED,
};

void graph_workers_init(struct graph_workers *workers, struct histree_state_system *system,
			struct table_space *tables)
{
	*workers = (struct graph_workers){ 0 };
	graph_lines_init(&workers->lines, system, tables);
	id_map_use_space(&workers->threads, tables);
	workers->records.space = tables;
}

void graph_workers_release(struct graph_workers *workers)
{
	graph_lines_release(&workers->lines);
	id_map_release(&workers->threads);
	id_map_release(&workers->cpus);
	arena_release(&workers->records);
}

/* ---- records ------------------------------------------------------------------------------------------------ */

static void *new_record(struct graph_workers *workers, size_t size)
{
	void *record = arena_allocate(&workers->records, size, alignof(max_align_t));
	if (record == NULL)
		changes_fail(&workers->lines.changes, HISTREE_ERR_MEMORY, "workers of the graph");
	return record;
}

static bool add_record(struct graph_workers *workers, struct id_map *map, int32_t id, void *record)
{
	if (id_map_add(map, (uint32_t)id, record))
		return true;
	changes_fail(&workers->lines.changes, HISTREE_ERR_MEMORY, "workers of the graph");
	return false;
}

struct graph_cpu *graph_cpu(struct graph_workers *workers, int32_t number)
{
	if (number < 0)
		return NULL;
	struct graph_cpu *cpu = id_map_find(&workers->cpus, (uint32_t)number);
	if (cpu != NULL)
		return cpu;
	cpu = new_record(workers, sizeof(*cpu));
	if (cpu == NULL || !add_record(workers, &workers->cpus, number, cpu))
		return NULL;
	*cpu = (struct graph_cpu){ .number = number };
	return cpu;
}

/* The first one of a line names it. */
static void name_first(struct graph_workers *workers, struct graph_line *line, struct kernel_text name)
{
	if (line->name == INTERN_NONE && name.bytes != NULL)
		graph_line_name(&workers->lines, line, name.bytes, name.size);
}

/* The number is another thread's from now on. */
static void begin_again(struct graph_workers *workers, struct graph_worker *worker, struct kernel_text name)
{
	graph_line_begin_again(&workers->lines, worker->line);
	*worker = (struct graph_worker){ .line = worker->line, .waking = INT64_MIN };
	name_first(workers, worker->line, name);
}

static struct graph_worker *new_worker(struct graph_workers *workers, int32_t tid, struct kernel_text name)
{
	struct graph_worker *worker = new_record(workers, sizeof(*worker));
	struct graph_line *line = graph_line(&workers->lines, tid);
	if (worker == NULL || line == NULL)
		return NULL;
	*worker = (struct graph_worker){ .line = line, .waking = INT64_MIN };
	name_first(workers, line, name);
	return worker;
}

struct graph_worker *graph_kernel(struct graph_workers *workers, struct graph_cpu *cpu)
{
	char text[24];
	int size = snprintf(text, sizeof(text), "kernel/%" PRId32, cpu->number);
	if (cpu->kernel != NULL)
		return cpu->kernel;
	cpu->kernel = new_worker(workers, HISTREE_KERNEL_TID, (struct kernel_text){ text, (size_t)size });
	if (cpu->kernel != NULL)
		graph_worker_set(cpu->kernel, WORKER_RUNS);
	return cpu->kernel;
}

struct graph_worker *graph_worker_find(const struct graph_workers *workers, int32_t tid,
				       const struct graph_cpu *cpu)
{
	if (tid == HISTREE_IDLE_TID)
		return cpu != NULL ? cpu->idle : NULL;
	return id_map_find(&workers->threads, (uint32_t)tid);
}

struct graph_worker *graph_worker(struct graph_workers *workers, int32_t tid, struct graph_cpu *cpu,
				  struct kernel_text name)
{
	struct graph_worker *worker = graph_worker_find(workers, tid, cpu);
	if (worker != NULL && worker->has_ended) {
		begin_again(workers, worker, name);
		return worker;
	}
	if (worker != NULL || (tid == HISTREE_IDLE_TID && cpu == NULL) || tid < 0)
		return worker;
	worker = new_worker(workers, tid, name);
	if (worker == NULL)
		return NULL;
	if (tid == HISTREE_IDLE_TID)
		return cpu->idle = worker;
	return add_record(workers, &workers->threads, tid, worker) ? worker : NULL;
}

void graph_worker_name(struct graph_workers *workers, struct graph_worker *worker, struct kernel_text name)
{
	graph_line_name(&workers->lines, worker->line, name.bytes, name.size);
}

/* ---- vertices ----------------------------------------------------------------------------------------------- */

void graph_worker_extend(struct graph_workers *workers, struct graph_worker *worker)
{
	graph_line_extend(&workers->lines, worker->line, state_of_status[worker->status]);
}

void graph_worker_change(struct graph_workers *workers, struct graph_worker *worker)
{
	graph_line_extend(&workers->lines, worker->line, state_of_status[worker->before]);
}

static void forget_cpu(struct graph_cpu *cpu)
{
	cpu->runs = NULL;
	cpu->context_count = 0;
	cpu->early_count = 0;
}

void graph_workers_forget(struct graph_workers *workers, struct graph_cpu *cpu)
{
	size_t position = 0;
	const struct id_entry *entry;
	if (cpu != NULL)
		forget_cpu(cpu);
	while (cpu == NULL && (entry = id_map_next(&workers->cpus, &position)) != NULL)
		forget_cpu(entry->record);
}
