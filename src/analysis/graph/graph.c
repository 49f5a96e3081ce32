// SPDX-License-Identifier: MIT
/*
 * graph.c - the analysis `graph`: which thread waited for which (histree/critical_path.h), as vertices, edges and
 * arrows of a history.
 *
 * Workers are identified by number and name, including threads whose number is reused.
 *
 * A switch is a vertex of both threads, a wake-up one of the waker and of the woken thread, with an arrow between
 * them; the waker in an interrupt is the interrupt, whichever thread it interrupted.  The rules are those of
 * Trace Compass's execution graph, in its order: the state dump, the scheduler, the interrupts, the graph.
 *
 * A packet is a vertex of its sender and of its receiver, and within a host an arrow between them; packets that may
 * be of another host are kept by their numbers.
 *
 * Where events are missing, every edge that meets the gap is unknown: what a thread waited for may have happened
 * unseen.
 */
#include "analysis/graph/graph.h"

#include <inttypes.h>
#include <stdalign.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/analysis.h"
#include "analysis/changes.h"
#include "analysis/kernel/kernel_input.h"
#include "analysis/kernel/kernel_layout.h"
#include "analysis/registry.h"
#include "base/arena.h"
#include "base/error.h"
#include "base/number_text.h"
#include "clock/clock.h"
#include "event/event.h"
#include "histree/attributes.h"
#include "histree/critical_path.h"

/* The first ones have the numbers of the state dump. */
enum worker_status {
	WORKER_UNKNOWN,
	WORKER_WAITS_AFTER_FORK,
	WORKER_WAITS_FOR_CPU,
	WORKER_EXITS,
	WORKER_IS_ZOMBIE,
	WORKER_WAITS_UNKNOWN,
	WORKER_RUNS,
	WORKER_IS_DEAD,
	WORKER_IS_BLOCKED,
	WORKER_STATUS_COUNT,
};

struct graph_worker {
	struct graph_line *line; /* that of all idle loops, or of the kernel of all CPUs, is one */
	uint8_t status, before;  /* enum worker_status */
	bool has_ended;          /* the next that is said of its number is of another thread */
	histree_time waking;     /* while it runs: when its last wake-up began; INT64_MIN: it was not woken */
	int32_t waker;
};

/* What a CPU does on top of the thread that it runs. */
struct graph_context {
	enum kernel_role entered; /* the role of the event by which it was entered */
	int32_t number;           /* of the interrupt or softirq; -1: without a number */
};

/* Who was woken in a softirq of the network before the event of any packet was seen in it. */
struct graph_early {
	struct graph_line *line;
	histree_time time;
};

enum { CONTEXTS_MAX = 16, EARLY_MAX = 4 };

struct graph_cpu {
	int32_t number;
	struct graph_worker *runs; /* NULL: not known */
	struct graph_worker *idle, *kernel;
	struct graph_context contexts[CONTEXTS_MAX];
	uint32_t context_count, early_count;
	struct graph_early early[EARLY_MAX]; /* since the softirq began, or its last packet came */
};

struct graph_workers {
	struct graph_lines lines;
	struct dense_records threads; /* struct graph_worker */
	struct dense_records cpus;    /* struct graph_cpu */
	struct arena records;
};

static inline void graph_worker_set(struct graph_worker *worker, enum worker_status status)
{
	worker->before = worker->status;
	worker->status = (uint8_t)status;
}

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

/* Returns a new line; NULL if memory runs out, which is remembered. */
static struct graph_line *graph_line_add(struct graph_lines *lines, int32_t tid)
{
	struct graph_line *line = arena_allocate(&lines->records, sizeof(*line), alignof(struct graph_line));
	if (line == NULL) {
		changes_fail(&lines->changes, HISTREE_ERR_MEMORY, "threads of the graph");
		return NULL;
	}
	*line = (struct graph_line){ .tid = tid, .name = INTERN_NONE, .named_since = INT64_MIN };
	for (size_t i = 0; i < GRAPH_ATTRIBUTE_COUNT; i++)
		line->attributes[i] = NO_ATTRIBUTE;
	if (lines->last != NULL)
		lines->last->next = line;
	else
		lines->first = line;
	return lines->last = line;
}

/* From now on it is called so. */
static void graph_line_name(struct graph_lines *lines, struct graph_line *line, const char *name, size_t size)
{
	size_t known_size;
	const char *known = line->name != INTERN_NONE ? intern_get(&lines->texts, line->name, &known_size) : NULL;
	if (known != NULL && known_size == size && (size == 0 || memcmp(known, name, size) == 0))
		return;
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
	char name[NUMBER_TEXT_SIZE];
	const size_t size = number_format_signed(line->tid, name);
	changes_folder(changes, &lines->threads, HISTREE_ROOT, "Threads", strlen("Threads"));
	return changes_child(changes, known, lines->threads, name, size);
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

/*
 * Add a vertex now, at the end of an edge of this state.  Where the line has one at this time already, or a later
 * one, nothing is added, and the state is lost.
 */
static void graph_line_extend(struct graph_lines *lines, struct graph_line *line, enum histree_graph_state state)
{
	if (!is_later(lines, line))
		return;
	if (line->has_vertex) {
		bool in_doubt = line->last <= lines->gap_end;
		/* What came last to the vertex at which the edge begins. */
		if (line->received.kind != NO_ARROW && line->last == line->received_at)
			line->into = line->received;
		line->received.kind = NO_ARROW;
		if (line->packet.is_there && line->last == line->packet.time)
			line->packet_into = line->packet;
		line->packet.is_there = false;
		insert(lines, line, GRAPH_STATE, lines->changes.time - 1,
		       histree_int(in_doubt ? HISTREE_GRAPH_UNKNOWN : (int32_t)state));
	}
	add_vertex(lines, line);
}

/* Where the line has another vertex since then, the packet is of the nanosecond in which the earlier one is. */
static void graph_line_receive_earlier(struct graph_lines *lines, struct graph_line *line, histree_time time,
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

/* What came to `from` and was no arrow yet woke `target`, whose last vertex is now. */
static void graph_line_hand_over(struct graph_line *from, struct graph_line *target)
{
	if (from->received.kind != NO_ARROW)
		target->into = from->received;
	if (from->packet.is_there)
		target->packet_into = from->packet;
	from->received.kind = NO_ARROW;
	from->packet.is_there = false;
}

/* Whether the thread, whose last vertex is that at which it left its CPU to sleep, was being woken up then. */
static void graph_line_woken_leaving(struct graph_line *line, bool is, int32_t waker)
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

/* There are no more vertices: the arrows into the last ones, and the names, go into the history. */
static void graph_lines_finish(struct graph_lines *lines, histree_time end)
{
	enum { LINES_PER_LOOK = 1024 };
	size_t walked = 0;
	for (struct graph_line *line = lines->first; line != NULL; line = line->next) {
		if (++walked % LINES_PER_LOOK == 0)
			table_space_look(lines->records.space);
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

static void graph_workers_release(struct graph_workers *workers)
{
	intern_release(&workers->lines.texts);
	arena_release(&workers->lines.records);
	dense_release(&workers->threads);
	dense_release(&workers->cpus);
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

static bool put_record(struct graph_workers *workers, struct dense_records *records, uint32_t place, void *record)
{
	if (dense_put(records, place, record))
		return true;
	changes_fail(&workers->lines.changes, HISTREE_ERR_MEMORY, "workers of the graph");
	return false;
}

/* Each returns NULL if memory runs out, which is remembered, or if the trace does not say on which CPU. */
static struct graph_cpu *graph_cpu(struct graph_workers *workers, const struct machine_cpu *of_event)
{
	if (of_event == NULL)
		return NULL;
	struct graph_cpu *cpu = dense_find(&workers->cpus, of_event->place);
	if (cpu != NULL)
		return cpu;
	cpu = new_record(workers, sizeof(*cpu));
	if (cpu == NULL || !put_record(workers, &workers->cpus, of_event->place, cpu))
		return NULL;
	*cpu = (struct graph_cpu){ .number = of_event->number };
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
	struct graph_line *line = worker->line;
	const histree_time now = workers->lines.changes.time;
	if (line->has_vertex && now > line->last)
		insert_arrow(&workers->lines, line, now - 1);
	if (line->has_vertex)
		insert_name(&workers->lines, line, now - 1);
	line->named_since = line->has_vertex ? now : line->named_since;
	line->name = INTERN_NONE;
	line->has_vertex = line->is_woken_leaving = false;
	line->into.kind = line->received.kind = NO_ARROW;
	line->packet.is_there = line->packet_into.is_there = false;
	*worker = (struct graph_worker){ .line = worker->line, .waking = INT64_MIN };
	name_first(workers, worker->line, name);
}

static struct graph_worker *new_worker(struct graph_workers *workers, struct graph_line *line,
				       struct kernel_text name)
{
	struct graph_worker *worker = new_record(workers, sizeof(*worker));
	if (worker == NULL || line == NULL)
		return NULL;
	*worker = (struct graph_worker){ .line = line, .waking = INT64_MIN };
	name_first(workers, line, name);
	return worker;
}

static struct graph_worker *graph_kernel(struct graph_workers *workers, struct graph_cpu *cpu)
{
	char text[24];
	int size = snprintf(text, sizeof(text), "kernel/%" PRId32, cpu->number);
	if (cpu->kernel != NULL)
		return cpu->kernel;
	if (workers->lines.kernel == NULL)
		workers->lines.kernel = graph_line_add(&workers->lines, HISTREE_KERNEL_TID);
	cpu->kernel = new_worker(workers, workers->lines.kernel, (struct kernel_text){ text, (size_t)size });
	if (cpu->kernel != NULL)
		graph_worker_set(cpu->kernel, WORKER_RUNS);
	return cpu->kernel;
}

/* Returns the worker that a thread is; idle loops are told apart by the CPU.  NULL: not known yet. */
static struct graph_worker *graph_worker_find(struct graph_workers *workers, const struct machine_thread *thread,
					      const struct graph_cpu *cpu)
{
	if (thread->tid == HISTREE_IDLE_TID)
		return cpu != NULL ? cpu->idle : NULL;
	return dense_find(&workers->threads, thread->place);
}

static struct graph_worker *graph_idle(struct graph_workers *workers, struct graph_cpu *cpu,
				       struct kernel_text name)
{
	if (workers->lines.idle == NULL)
		workers->lines.idle = graph_line_add(&workers->lines, HISTREE_IDLE_TID);
	return cpu->idle = new_worker(workers, workers->lines.idle, name);
}

/* The same, made if it is not known or the last one with the number has ended; then it has this name. */
static struct graph_worker *graph_worker(struct graph_workers *workers, const struct machine_thread *thread,
					 struct graph_cpu *cpu, struct kernel_text name)
{
	struct graph_worker *worker = graph_worker_find(workers, thread, cpu);
	if (worker != NULL && worker->has_ended) {
		begin_again(workers, worker, name);
		return worker;
	}
	if (worker != NULL || thread->tid < 0)
		return worker;
	if (thread->tid == HISTREE_IDLE_TID)
		return cpu != NULL ? graph_idle(workers, cpu, name) : NULL;
	worker = new_worker(workers, graph_line_add(&workers->lines, thread->tid), name);
	return worker != NULL && put_record(workers, &workers->threads, thread->place, worker) ? worker : NULL;
}

static void graph_worker_name(struct graph_workers *workers, struct graph_worker *worker, struct kernel_text name)
{
	graph_line_name(&workers->lines, worker->line, name.bytes, name.size);
}

/* ---- vertices ----------------------------------------------------------------------------------------------- */

/* Add a vertex, after an edge with the state of the status that it has, or that it had before that. */
static void graph_worker_extend(struct graph_workers *workers, struct graph_worker *worker)
{
	graph_line_extend(&workers->lines, worker->line, state_of_status[worker->status]);
}

static void graph_worker_change(struct graph_workers *workers, struct graph_worker *worker)
{
	graph_line_extend(&workers->lines, worker->line, state_of_status[worker->before]);
}

static void forget_cpu(struct graph_cpu *cpu)
{
	cpu->runs = NULL;
	cpu->context_count = 0;
	cpu->early_count = 0;
}

/* ---- graph --------------------------------------------------------------------------------------------------- */

/* A zeroed one is empty. */
struct graph_packets {
	struct class_table classes;  /* struct packet_class */
	struct packet_table *halves; /* NULL: there was no packet yet */
	bool has_buckets;
	histree_quark folder, buckets[PACKET_BUCKETS]; /* of what was sent */
};

/* ---- graph packets ------------------------------------------------------------------------------------------- */

static const struct packet_class *class_of(struct graph_packets *packets, const struct event_class *class)
{
	const struct packet_class *known = class_table_find(&packets->classes, class);
	if (known != NULL)
		return known;
	const struct packet_class fresh = packet_class_of(class);
	return class_table_add(&packets->classes, class, &fresh, sizeof(fresh));
}

/* Context `depth` below the top; KERNEL_NO_ROLE: there is no such context. */
static enum kernel_role context_of(const struct graph_cpu *cpu, uint32_t depth)
{
	return cpu->context_count > depth ? cpu->contexts[cpu->context_count - 1 - depth].entered : KERNEL_NO_ROLE;
}

/* The sender: the thread that runs, or the kernel in a softirq; NULL: not known to the graph. */
static struct graph_worker *sender_on(struct graph_workers *workers, struct graph_cpu *cpu)
{
	enum kernel_role context = context_of(cpu, 0);
	if (context == KERNEL_NO_ROLE)
		return cpu->runs;
	return context == KERNEL_SOFTIRQ_ENTRY ? graph_kernel(workers, cpu) : NULL;
}

/* Returns the receiver of a packet on a CPU now; NULL: not known to the graph. */
static struct graph_worker *graph_packets_receiver(struct graph_workers *workers, struct graph_cpu *cpu)
{
	enum kernel_role context = context_of(cpu, 0);
	if (context == KERNEL_RECEPTION_ENTRY)
		context = context_of(cpu, 1);
	bool is_kernel =
		context == KERNEL_SOFTIRQ_ENTRY || context == KERNEL_IRQ_ENTRY || context == KERNEL_WHOLE_IRQ_ENTRY;
	return is_kernel ? graph_kernel(workers, cpu) : cpu->runs;
}

/* The sender of a packet is found by a part of the packet's number, and then in the order of time. */
static void put_sent(struct graph_packets *packets, struct graph_workers *workers, const struct packet_half *half)
{
	struct changes *changes = &workers->lines.changes;
	const uint32_t bucket = packet_bucket(&half->key);
	char name[8], text[PACKET_TEXT_SIZE + 16];
	int name_size = snprintf(name, sizeof(name), "%" PRIu32, bucket);
	size_t size = packet_text(&half->key, text);
	size += (size_t)snprintf(text + size, sizeof(text) - size, "/%" PRId32, half->tid);
	if (!packets->has_buckets)
		for (uint32_t i = 0; i < PACKET_BUCKETS; i++)
			packets->buckets[i] = packets->folder = NO_ATTRIBUTE;
	packets->has_buckets = true;
	changes_folder(changes, &packets->folder, HISTREE_ROOT, "Packets", strlen("Packets"));
	changes_child(changes, &packets->buckets[bucket], packets->folder, name, (size_t)name_size);
	change(changes, packets->buckets[bucket], histree_string_n(text, size));
}

/* If the event is one of a packet, do what it says. */
static void graph_packets_event(struct graph_packets *packets, struct graph_workers *workers,
				struct machine *machine, const struct event *event)
{
	const struct packet_class *class = class_of(packets, event->class);
	struct packet_half half = { .time = event->time };
	if (class == NULL)
		changes_fail(&workers->lines.changes, HISTREE_ERR_MEMORY, "classes of events");
	if (class == NULL || class->place == NULL || !packet_read(class, event, &half.key))
		return;
	struct graph_cpu *cpu = graph_cpu(workers, machine_cpu(machine, event->cpu));
	if (cpu == NULL)
		return;
	struct graph_worker *worker =
		class->is_sent ? sender_on(workers, cpu) : graph_packets_receiver(workers, cpu);
	if (worker == NULL)
		return;
	half.is_sent = class->is_sent;
	half.tid = worker->line->tid;
	half.time = workers->lines.changes.time;
	graph_worker_extend(workers, worker);
	struct graph_lines *lines = &workers->lines;
	struct packet_half other;
	if (packets->halves == NULL)
		packets->halves = packet_table_create();
	if (packets->halves == NULL) {
		changes_fail(&lines->changes, HISTREE_ERR_MEMORY, "packets");
	} else if (packet_table_take(packets->halves, &half, &other)) {
		/*
		 * A packet came to the vertex that was just added: it becomes the arrow into it if an edge follows.
		 */
		struct graph_line *line = worker->line;
		struct graph_arrow from = (struct graph_arrow){ ARROW_OF_PACKET, other.tid, other.time };
		line->received = from;
		line->received_at = lines->changes.time;
	} else if (!half.is_sent) {
		worker->line->packet = (struct graph_packet){ true, half.key, lines->changes.time };
		/* Who was woken before the event of the packet that it was woken by. */
		for (uint32_t i = 0; i < cpu->early_count; i++)
			graph_line_receive_earlier(lines, cpu->early[i].line, cpu->early[i].time, &half.key);
	}
	if (!half.is_sent)
		cpu->early_count = 0;
	if (half.is_sent)
		put_sent(packets, workers, &half);
}

/* ---- graph --------------------------------------------------------------------------------------------------- */

enum { GRAPH_LABEL_TABLES = 2 };

/* ---- graph labels -------------------------------------------------------------------------------------------- */

#define STATE(code, ...)                                                                   \
	{                                                                                  \
		.first = (code), .last = (code), .is_code = true, .style = { __VA_ARGS__ } \
	}
static const struct histree_label states[] = {
	STATE(HISTREE_GRAPH_UNKNOWN, "UNKNOWN", "unknown", 0x99a1ac, 0x79828f, 0.33),
	STATE(HISTREE_GRAPH_RUNNING, "RUNNING", "runs", 0x12936a, 0x35b98c, 1),
	STATE(HISTREE_GRAPH_PREEMPTED, "PREEMPTED", "waits for a CPU", 0xdd6b1f, 0xf08a3c, 0.6),
	STATE(HISTREE_GRAPH_BLOCKED, "BLOCKED", "blocked", 0xe6d193, 0x857441, 0.5),
	STATE(HISTREE_GRAPH_NETWORK, "NETWORK", "waits for a packet", 0xa8408c, 0xd879bb, 0.5),
	STATE(HISTREE_GRAPH_TIMER, "TIMER", "waits for a timer", 0xcfd5dc, 0x4d5561, 0.5),
	STATE(HISTREE_GRAPH_BLOCK_DEVICE, "BLOCK_DEVICE", "waits for a disk", 0x6bb3dc, 0x4c93bd, 0.5),
	STATE(HISTREE_GRAPH_INTERRUPTED, "INTERRUPTED", "interrupted", 0xc49a1a, 0xdfb93f, 0.8),
};

/* A bar for these would say nothing. */
static const struct histree_label tids[] = { { .is_hidden = true } };

static const char *const of_states[] = { "Threads/*", NULL };

static const char *const of_tids[] = { "Threads/*/Woken_by", "Threads/*/Received_from",
				       "Threads/*/Woken_leaving_by", NULL };

static const struct histree_label_table graph_labels[GRAPH_LABEL_TABLES] = {
	{ .name = "edge",
	  .patterns = of_states,
	  .labels = states,
	  .label_count = sizeof(states) / sizeof(*states) },
	{ .name = "thread",
	  .meaning = HISTREE_MEANS_TID,
	  .patterns = of_tids,
	  .labels = tids,
	  .label_count = sizeof(tids) / sizeof(*tids),
	  .uses_palette = true },
};

/* ---- graph --------------------------------------------------------------------------------------------------- */

struct graph {
	struct kernel_input *input; /* borrowed */
	struct graph_workers workers;
	struct graph_packets packets;
	bool has_switches;
	/* There are several events of a wake-up: the one that is nearest to it counts where the trace has it. */
	bool has_waking, has_tries;
};

/* ---- threads ------------------------------------------------------------------------------------------------ */

static void on_process_state(struct graph *graph, const struct kernel_event *event, struct graph_cpu *cpu)
{
	struct graph_worker *worker = graph_worker(&graph->workers, event->thread, cpu, event->comm);
	if (worker == NULL)
		return;
	graph_worker_name(&graph->workers, worker, event->comm);
	bool is_known = event->status >= WORKER_UNKNOWN && event->status <= WORKER_IS_DEAD;
	graph_worker_set(worker, is_known ? (enum worker_status)event->status : WORKER_UNKNOWN);
}

/* The thread that had the number before is gone. */
static void on_fork(struct graph *graph, const struct kernel_event *event, struct graph_cpu *cpu)
{
	struct graph_worker *child = graph_worker_find(&graph->workers, event->thread, cpu);
	if (child != NULL)
		child->has_ended = child->has_ended || child->line->has_vertex;
	child = graph_worker(&graph->workers, event->thread, cpu, event->comm);
	if (child != NULL)
		graph_worker_set(child, WORKER_WAITS_AFTER_FORK);
}

/* Its number may be another's long before this is said of the one that had it. */
static void on_free(struct graph *graph, const struct kernel_event *event, struct graph_cpu *cpu)
{
	struct graph_worker *worker = graph_worker_find(&graph->workers, event->thread, cpu);
	if (worker != NULL && event->tid != HISTREE_IDLE_TID && worker->status == WORKER_EXITS)
		worker->has_ended = true;
}

static void on_exit_of_thread(struct graph *graph, const struct kernel_event *event, struct graph_cpu *cpu)
{
	struct graph_worker *worker = graph_worker_find(&graph->workers, event->thread, cpu);
	if (worker != NULL)
		graph_worker_set(worker, WORKER_EXITS);
}

static void on_exec(struct graph *graph, const struct kernel_event *event, struct graph_cpu *cpu)
{
	if (cpu != NULL && cpu->runs != NULL)
		graph_worker_name(&graph->workers, cpu->runs, event->comm);
}

/* ---- interrupts --------------------------------------------------------------------------------------------- */

static void on_entry(struct graph *graph, const struct kernel_event *event, struct graph_cpu *cpu)
{
	bool has_number = event->role == KERNEL_IRQ_ENTRY || event->role == KERNEL_SOFTIRQ_ENTRY;
	(void)graph;
	if (cpu != NULL && cpu->context_count < CONTEXTS_MAX)
		cpu->contexts[cpu->context_count++] =
			(struct graph_context){ event->role, has_number ? event->number : -1 };
}

enum softirq {
	SOFTIRQ_TIMER = 1,
	SOFTIRQ_NET_TX,
	SOFTIRQ_NET_RX,
	SOFTIRQ_BLOCK,
	SOFTIRQ_BLOCK_POLL,
	SOFTIRQ_SCHED = 7,
	SOFTIRQ_HRTIMER,
};

static void on_softirq_entry(struct graph *graph, const struct kernel_event *event, struct graph_cpu *cpu)
{
	on_entry(graph, event, cpu);
	if (cpu == NULL || (event->number != SOFTIRQ_NET_TX && event->number != SOFTIRQ_NET_RX))
		return;
	cpu->early_count = 0;
	struct graph_worker *kernel = graph_kernel(&graph->workers, cpu);
	if (kernel != NULL) {
		/* Add a vertex now, without an edge before it. */
		struct graph_line *line = kernel->line;
		if (is_later(&graph->workers.lines, line))
			add_vertex(&graph->workers.lines, line);
		line->packet.is_there = false; /* an earlier packet wakes no thread now */
	}
}

/* An exit ends what its entry began, if that is still the current work. */
static void on_exit_of_context(struct graph *graph, const struct kernel_event *event, struct graph_cpu *cpu)
{
	static const enum kernel_role entries[KERNEL_ROLE_COUNT] = {
		[KERNEL_IRQ_EXIT] = KERNEL_IRQ_ENTRY,
		[KERNEL_SOFTIRQ_EXIT] = KERNEL_SOFTIRQ_ENTRY,
		[KERNEL_HRTIMER_EXIT] = KERNEL_HRTIMER_ENTRY,
		[KERNEL_WHOLE_IRQ_EXIT] = KERNEL_WHOLE_IRQ_ENTRY,
		[KERNEL_RECEPTION_EXIT] = KERNEL_RECEPTION_ENTRY,
	};
	(void)graph;
	if (cpu == NULL || cpu->context_count == 0 ||
	    cpu->contexts[cpu->context_count - 1].entered != entries[event->role])
		return;
	cpu->context_count--;
	if (event->role == KERNEL_SOFTIRQ_EXIT)
		cpu->early_count = 0;
}

/* ---- wake-ups ----------------------------------------------------------------------------------------------- */

static enum histree_graph_state state_before_softirq(int32_t number)
{
	switch (number) {
	case SOFTIRQ_TIMER:
	case SOFTIRQ_HRTIMER:
		return HISTREE_GRAPH_TIMER;
	case SOFTIRQ_BLOCK:
	case SOFTIRQ_BLOCK_POLL:
		return HISTREE_GRAPH_BLOCK_DEVICE;
	case SOFTIRQ_NET_TX:
	case SOFTIRQ_NET_RX:
		return HISTREE_GRAPH_NETWORK;
	case SOFTIRQ_SCHED:
		return HISTREE_GRAPH_INTERRUPTED;
	default:
		return HISTREE_GRAPH_BLOCKED;
	}
}

/* What a thread waited for that is woken in such a context. */
static enum histree_graph_state state_before(const struct graph_context *context)
{
	switch (context->entered) {
	case KERNEL_HRTIMER_ENTRY:
		return HISTREE_GRAPH_TIMER;
	case KERNEL_RECEPTION_ENTRY:
		return HISTREE_GRAPH_NETWORK;
	case KERNEL_SOFTIRQ_ENTRY:
		return state_before_softirq(context->number);
	default: /* an interrupt; that of the timer is number 0 */
		return context->number == 0  ? HISTREE_GRAPH_INTERRUPTED
		       : context->number < 0 ? HISTREE_GRAPH_UNKNOWN
					     : HISTREE_GRAPH_BLOCKED;
	}
}

/* An arrow from the running thread to the woken one. */
static void put_wakeup(struct graph *graph, struct graph_worker *from, struct graph_worker *target)
{
	graph_worker_change(&graph->workers, target);
	if (from == NULL)
		return;
	graph_worker_extend(&graph->workers, from);
	/* The arrow into the last vertex; another one that it had is gone. */
	struct graph_arrow arrow =
		(struct graph_arrow){ ARROW_OF_WAKEUP, from->line->tid, graph->workers.lines.changes.time };
	target->line->into = arrow;
}

/*
 * What came as a packet may be what was waited for.  Where none was seen yet, that one may come right after: a
 * socket of packets (packet(7)), as tcpdump has, gets each of them before the protocol whose event it is.
 */
static void put_wakeup_by_interrupt(struct graph *graph, struct graph_cpu *cpu, struct graph_worker *target)
{
	const struct graph_context *context = &cpu->contexts[cpu->context_count - 1];
	bool is_network = state_before(context) == HISTREE_GRAPH_NETWORK;
	graph_line_extend(&graph->workers.lines, target->line, state_before(context));
	struct graph_worker *receiver = is_network ? graph_packets_receiver(&graph->workers, cpu) : NULL;
	if (receiver == NULL || receiver->line == target->line)
		return;
	bool has_come = receiver->line->packet.is_there || receiver->line->received.kind != NO_ARROW;
	if (has_come)
		graph_line_hand_over(receiver->line, target->line);
	else if (context->entered == KERNEL_SOFTIRQ_ENTRY && cpu->early_count < EARLY_MAX)
		cpu->early[cpu->early_count++] =
			(struct graph_early){ target->line, graph->workers.lines.changes.time };
}

static void wake(struct graph *graph, const struct kernel_event *event, struct graph_cpu *cpu)
{
	struct graph_worker *target = graph_worker_find(&graph->workers, event->thread, cpu);
	struct graph_worker *runs = cpu != NULL ? cpu->runs : NULL;
	if (target == NULL || target->has_ended) {
		target = graph_worker(&graph->workers, event->thread, cpu, (struct kernel_text){ 0 });
		if (target == NULL)
			return;
		graph_worker_set(target, WORKER_IS_BLOCKED);
	}
	bool waited = target->status == WORKER_IS_BLOCKED || target->status == WORKER_WAITS_AFTER_FORK ||
		      target->status == WORKER_UNKNOWN;
	if (target != runs && waited)
		graph_worker_set(target, WORKER_WAITS_FOR_CPU);
	if (target->before == WORKER_WAITS_AFTER_FORK)
		put_wakeup(graph, runs, target);
	else if (target->before == WORKER_IS_BLOCKED && cpu != NULL && cpu->context_count > 0)
		put_wakeup_by_interrupt(graph, cpu, target);
	else if (target->before == WORKER_IS_BLOCKED && kernel_event_is_of_interrupt(event))
		graph_line_extend(&graph->workers.lines, target->line, HISTREE_GRAPH_BLOCKED);
	else if (target->before == WORKER_IS_BLOCKED)
		put_wakeup(graph, runs, target);
}

static bool is_of_new_thread(const struct kernel_event *event)
{
	static const char ending[] = "_new";
	const size_t size = sizeof(ending) - 1;
	struct kernel_text name = event->event_name;
	return name.size > size && memcmp(name.bytes + name.size - size, ending, size) == 0;
}

static void on_try_to_wake(struct graph *graph, const struct kernel_event *event, struct graph_cpu *cpu)
{
	graph->has_tries = true;
	wake(graph, event, cpu);
}

static void on_waking(struct graph *graph, const struct kernel_event *event, struct graph_cpu *cpu)
{
	struct graph_worker *target = graph_worker_find(&graph->workers, event->thread, cpu);
	graph->has_waking = true;
	if (graph->has_tries)
		return;
	if (target != NULL) /* who is being woken is not woken again */
		graph_line_woken_leaving(target->line, false, 0);
	if (target != NULL && cpu != NULL && target->status == WORKER_RUNS && target != cpu->runs) {
		/*
		 * Another CPU wakes a thread that runs: it goes on, or is about to sleep
		 * (kernel_event_is_woken_leaving).  To Trace Compass that is nothing; its edges stay as they are.
		 */
		target->waking = event->time;
		const bool is_kernel =
			cpu->context_count > 0 || cpu->runs == NULL || kernel_event_is_of_interrupt(event);
		target->waker = is_kernel ? HISTREE_KERNEL_TID : cpu->runs->line->tid;
	}
	wake(graph, event, cpu);
}

static void on_wakeup(struct graph *graph, const struct kernel_event *event, struct graph_cpu *cpu)
{
	struct graph_worker *target = graph_worker_find(&graph->workers, event->thread, cpu);
	if (target != NULL && target->status == WORKER_RUNS)
		target->waking = INT64_MIN;
	if (!graph->has_tries && (!graph->has_waking || is_of_new_thread(event)))
		wake(graph, event, cpu);
}

/* ---- switches ----------------------------------------------------------------------------------------------- */

static void on_switch(struct graph *graph, const struct kernel_event *event, struct graph_cpu *cpu)
{
	struct graph_workers *workers = &graph->workers;
	const struct kernel_text next_name = machine_name_at_switch(event->comm, event->thread);
	const struct kernel_text name = machine_name_at_switch(event->prev_comm, event->previous);
	struct graph_worker *next = graph_worker(workers, event->thread, cpu, next_name);
	struct graph_worker *previous = graph_worker(workers, event->previous, cpu, name);
	if (cpu == NULL || next == NULL || previous == NULL)
		return;
	cpu->runs = next;
	graph_worker_set(next, WORKER_RUNS);
	if (event->prev_tid != HISTREE_IDLE_TID && name.bytes != NULL)
		graph_worker_name(workers, previous, name);
	/* One that dies is said not to sleep, which is as it is. */
	graph_worker_set(previous,
			 (kernel_event_leave(event) == LEAVES_ASLEEP) ? WORKER_IS_BLOCKED : WORKER_WAITS_FOR_CPU);
	graph_worker_change(workers, previous);
	graph_worker_change(workers, next);
	/* The thread went to sleep while it was being woken up already. */
	if (kernel_event_is_woken_leaving(event, previous->waking))
		graph_line_woken_leaving(previous->line, true, previous->waker);
	previous->waking = INT64_MIN;
	previous->has_ended = event->prev_tid != HISTREE_IDLE_TID && kernel_event_leave(event) == LEAVES_FOREVER;
}

/* ---- the analysis ------------------------------------------------------------------------------------------- */

static void (*const handlers[KERNEL_ROLE_COUNT])(struct graph *, const struct kernel_event *,
						 struct graph_cpu *) = {
	[KERNEL_SWITCH] = on_switch,
	[KERNEL_WAKEUP] = on_wakeup,
	[KERNEL_WAKING] = on_waking,
	[KERNEL_TRY_TO_WAKE] = on_try_to_wake,
	[KERNEL_FORK] = on_fork,
	[KERNEL_FREE] = on_free,
	[KERNEL_EXIT] = on_exit_of_thread,
	[KERNEL_EXEC] = on_exec,
	[KERNEL_PROCESS_STATE] = on_process_state,
	[KERNEL_IRQ_ENTRY] = on_entry,
	[KERNEL_IRQ_EXIT] = on_exit_of_context,
	[KERNEL_SOFTIRQ_ENTRY] = on_softirq_entry,
	[KERNEL_SOFTIRQ_EXIT] = on_exit_of_context,
	[KERNEL_HRTIMER_ENTRY] = on_entry,
	[KERNEL_HRTIMER_EXIT] = on_exit_of_context,
	[KERNEL_WHOLE_IRQ_ENTRY] = on_entry,
	[KERNEL_WHOLE_IRQ_EXIT] = on_exit_of_context,
	[KERNEL_RECEPTION_ENTRY] = on_entry,
	[KERNEL_RECEPTION_EXIT] = on_exit_of_context,
};

static enum histree_status create(const struct analysis *analysis, struct histree_state_system *system, void *input,
				  void **instance, struct histree_error *error)
{
	(void)analysis;
	struct graph *graph = calloc(1, sizeof(*graph));
	*instance = graph;
	if (graph == NULL)
		return error_memory(error, "the graph");
	graph->input = input;
	struct graph_workers *workers = &graph->workers;
	struct table_space *tables = graph->input->machine.records.space;
	*workers = (struct graph_workers){ 0 };
	/* What grows with the trace is in this space, which may be NULL. */
	struct graph_lines *lines = &workers->lines;
	*lines = (struct graph_lines){
		.changes.system = system,
		.threads = NO_ATTRIBUTE,
		.gap_end = INT64_MIN,
	};
	intern_use_space(&lines->texts, tables);
	lines->records.space = tables;
	workers->threads.table.space = tables;
	workers->records.space = tables;
	kernel_input_need_machine(input);
	for (enum kernel_role role = KERNEL_NO_ROLE; role < KERNEL_ROLE_COUNT; role++)
		if (handlers[role] != NULL)
			kernel_input_want(input, role);
	return HISTREE_OK;
}

/* By the times of the input.  Returns until when the trace goes on so far. */
static histree_time begin_changes(struct graph *graph)
{
	/*
	 * Records of the state before the history, such as a name that perf gives before the first event, belong to
	 * no kernel trace.
	 */
	const histree_time start = histree_state_start(graph->workers.lines.changes.system);
	const struct kernel_input *input = graph->input;
	const histree_time now = input->now > start ? input->now : start;
	graph->workers.lines.start = input->start > start ? input->start : start;
	changes_begin(&graph->workers.lines.changes, now);
	return now;
}

static bool wants(const void *instance, const struct event_class *class)
{
	const struct graph *graph = instance;
	return handlers[kernel_input_role(graph->input, class)] != NULL || packet_class_of(class).place != NULL;
}

static enum histree_status on_event(void *instance, const struct event *source, struct histree_error *error)
{
	struct graph *graph = instance;
	const struct kernel_event *event = &graph->input->event;
	begin_changes(graph);
	if (handlers[event->role] != NULL) {
		graph->has_switches = graph->has_switches || event->role == KERNEL_SWITCH;
		handlers[event->role](graph, event, graph_cpu(&graph->workers, event->on_cpu));
	} else {
		graph_packets_event(&graph->packets, &graph->workers, &graph->input->machine, source);
	}
	return changes_end(&graph->workers.lines.changes, error);
}

static enum histree_status on_gap(void *instance, const struct event_gap *gap, struct histree_error *error)
{
	struct graph *graph = instance;
	struct graph_lines *lines = &graph->workers.lines;
	begin_changes(graph);
	lines->gap_end = gap->end > lines->gap_end ? gap->end : lines->gap_end;
	/*
	 * Events are missing, on one CPU or, if that is NULL, on any: which worker runs there is not known any
	 * more.
	 */
	struct graph_cpu *cpu = graph_cpu(&graph->workers, machine_cpu(&graph->input->machine, gap->cpu));
	if (cpu != NULL)
		forget_cpu(cpu);
	for (size_t i = 0; cpu == NULL && i < graph->workers.cpus.count; i++)
		if (graph->workers.cpus.records[i] != NULL)
			forget_cpu(graph->workers.cpus.records[i]);
	return changes_end(&lines->changes, error);
}

static enum histree_status finish(void *instance, histree_time *end, struct histree_error *error)
{
	struct graph *graph = instance;
	*end = INT64_MIN;
	if (!graph->input->has_start)
		return HISTREE_OK;
	graph_lines_finish(&graph->workers.lines, begin_changes(graph));
	graph_workers_release(&graph->workers); /* overviews, which come next, need the memory */
	return changes_end(&graph->workers.lines.changes, error);
}

static uint64_t refused(const void *instance)
{
	return ((const struct graph *)instance)->workers.lines.changes.refused;
}

static bool is_empty(const void *instance)
{
	return !((const struct graph *)instance)->has_switches;
}

static void missing(const void *instance, char *text, size_t size)
{
	const struct graph *graph = instance;
	*text = '\0';
	if (!graph->has_switches)
		snprintf(text, size,
			 "the trace has no switches: record sched_switch, sched_waking and interrupts "
			 "(lttng enable-event -k 'sched_*,irq_*,*timer*', or perf record -e 'sched:*,irq:*')");
}

static void free_graph(void *instance)
{
	struct graph *graph = instance;
	if (graph == NULL)
		return;
	graph_workers_release(&graph->workers);
	class_table_release(&graph->packets.classes);
	packet_table_free(graph->packets.halves);
	free(graph);
}

const struct analysis analysis_graph = {
	.name = "graph",
	.version = 5, /* 5: who is interrupted wakes nobody */
	.summary = "who waited for whom: what critical paths are found in",
	.labels = graph_labels,
	.label_table_count = GRAPH_LABEL_TABLES,
	.input = &kernel_input_kind,
	.applies = kernel_input_knows,
	.create = create,
	.wants = wants,
	.event = on_event,
	.gap = on_gap,
	.finish = finish,
	.refused = refused,
	.is_empty = is_empty,
	.missing = missing,
	.free = free_graph,
};
