// SPDX-License-Identifier: MIT
/*
 * kernel_sums.c - analyses that keep running sums in rows of tables: the common part, and `network`, `switches`,
 * `cpu-usage` and `kernel-memory`.
 *
 * The attributes of a row are created when something is counted.
 *
 * The order of events decides, not their times, where a clock steps back: `now` never does.
 *
 * The analysis `network`: bytes and packets over each interface, and by thread, so far.
 *
 * 	Interfaces/<name>/bytes_received, packets_received	long: that came from the driver
 * 	Interfaces/<name>/bytes_sent, packets_sent		long: that the driver took
 * 	Threads/<tid>/bytes_received				long: that were copied to it
 * 	Threads/<tid>/bytes_sent, packets_sent			long: that were queued while it ran
 * 	gaps							long: how often events were lost
 *
 * Where events are lost, the sums of interfaces are unknown until something is counted again, and then continue
 * from what was seen; those of threads stay, and `gaps` shows that they are too low.
 *
 * The analysis `cpu-usage`: how long each thread has run on each CPU so far.
 *
 * 	CPUs/<cpu>/<tid>	long: ns, from each switch away from the thread on
 *
 * These are the states of Trace Compass's analysis of CPU usage.  A running thread is counted when it is switched
 * out; the first one of a CPU from the start of the trace on.  Time in a gap is counted for no thread, because it
 * is not known which ran: sums then cover only what was seen.
 *
 * The analysis `switches`: how often CPUs went from thread to thread so far.
 *
 * 	CPUs/<cpu>/switches		long: all of them, also to and from the idle loop
 * 	CPUs/<cpu>/voluntary		long: from threads that went to sleep, or ended
 * 	CPUs/<cpu>/involuntary		long: from threads that could have run on: they were preempted, or gave way
 * 	CPUs/<cpu>/migrations		long: to threads that had run on another CPU before
 * 	Threads/<tid>/voluntary, involuntary, migrations	long: the same by thread
 * 	gaps				long: how often events were lost
 *
 * A thread that gets the number of a dead thread has run on no CPU yet.  The idle loop is not counted as a thread.
 * Where events of a CPU are lost, its sums are unknown until its next switch, and then continue from what was seen;
 * those of threads stay, because any thread may have run there, and `gaps` shows that they are too low.
 *
 * Allocated blocks of pages are kept by their first page, with the thread that allocated them.
 *
 * The kernel hands out blocks of 2^order pages at multiples of that, and may take them back in parts: a block is
 * then split into halves, as the kernel does, down to the size of the part.
 *
 * The analysis `kernel-memory`: what the kernel allocated for each thread, less the part that was freed.
 *
 * 	Threads/<tid>/pages, pages	long: bytes, by kmem_mm_page_alloc and kmem_mm_page_free, 4,096 a page
 * 	Threads/<tid>/heap, heap	long: bytes, by kmem_kmalloc, kmem_cache_alloc and their ends
 * 	gaps				long: how often events were lost
 *
 * An allocation counts for its thread until it is freed, by any thread at any time: so a reused number has a row
 * for each thread that had it, "614 (life 1)" for the second.  What a CPU allocates before its first switch is only
 * in the sums over all threads.  What was allocated before the trace is not counted, and neither is its end. Where
 * events are lost, sums are unknown until their next change, and then continue from what was seen; if a block is
 * allocated where another one was, that one was freed unseen.
 */
#include "analysis/kernel/kernel_sums.h"

#include <inttypes.h>
#include <stdalign.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/analysis.h"
#include "analysis/changes.h"
#include "analysis/kernel/kernel_input.h"
#include "analysis/kernel/kernel_machine.h"
#include "base/arena.h"
#include "base/error.h"
#include "base/hash_index.h"
#include "base/number_text.h"

/* ---- kernel sums --------------------------------------------------------------------------------------------- */

/* NULL when memory runs out, which is remembered. */
static struct kernel_sum_row *add_row(struct kernel_sums *sums, struct kernel_sum_table *table, uint32_t place)
{
	const size_t size = table->kind->row_size > 0 ? table->kind->row_size : sizeof(struct kernel_sum_row);
	struct kernel_sum_row *row = arena_allocate(&sums->records, size, alignof(max_align_t));
	if (row == NULL || !dense_put(&table->rows, place, row)) {
		changes_fail(&sums->changes, HISTREE_ERR_MEMORY, "sums by thread and CPU");
		return NULL;
	}
	memset(row, 0, size);
	row->table = table;
	row->node = NO_ATTRIBUTE;
	for (size_t i = 0; i < KERNEL_SUM_NAMES; i++)
		row->quarks[i] = NO_ATTRIBUTE;
	if (table->last != NULL)
		table->last->next = row;
	else
		table->first = row;
	return table->last = row;
}

struct kernel_sum_row *kernel_sum_row(struct kernel_sums *sums, struct kernel_sum_table *table, uint32_t place,
				      int32_t number)
{
	struct kernel_sum_row *row = dense_find(&table->rows, place);
	if (row == NULL && (row = add_row(sums, table, place)) != NULL)
		row->number = number;
	return row;
}

struct kernel_sum_row *kernel_sum_row_of_thread(struct kernel_sums *sums, struct kernel_sum_table *table,
						const struct machine_thread *thread)
{
	return thread != NULL ? kernel_sum_row(sums, table, thread->place, thread->tid) : NULL;
}

struct kernel_sum_row *kernel_sum_row_of_cpu(struct kernel_sums *sums, struct kernel_sum_table *table,
					     const struct machine_cpu *cpu)
{
	return cpu != NULL ? kernel_sum_row(sums, table, cpu->place, cpu->number) : NULL;
}

struct kernel_sum_row *kernel_sum_next(struct kernel_sums *sums, struct kernel_sum_table *table,
				       const struct kernel_sum_row *row)
{
	enum { ROWS_PER_LOOK = 1024 }; /* some 100 KiB */
	if (row == NULL)
		return table->first;
	if (++sums->walked % ROWS_PER_LOOK == 0)
		table_space_look(sums->records.space);
	return row->next;
}

histree_quark kernel_sum_node(struct kernel_sums *sums, struct kernel_sum_row *row)
{
	const char *folder = row->table->kind->folder;
	char number[NUMBER_TEXT_SIZE + 24];
	if (row->node != NO_ATTRIBUTE || folder == NULL)
		return row->node;
	size_t size = number_format_signed(row->number, number);
	if (row->life != 0)
		size += (size_t)snprintf(number + size, 24, " (life %" PRIu32 ")", row->life);
	const bool is_named = row->name != NULL;
	changes_child(&sums->changes, &row->table->folder, HISTREE_ROOT, folder, strlen(folder));
	return changes_child(&sums->changes, &row->node, row->table->folder, is_named ? row->name : number,
			     is_named ? row->name_size : size);
}

histree_quark kernel_sum_attribute(struct kernel_sums *sums, struct kernel_sum_row *row, size_t which)
{
	const char *name = row->table->kind->names[which];
	if (row->quarks[which] != NO_ATTRIBUTE)
		return row->quarks[which];
	const histree_quark node = kernel_sum_node(sums, row);
	return changes_child(&sums->changes, &row->quarks[which], node, name, strlen(name));
}

void kernel_sum_set(struct kernel_sums *sums, struct kernel_sum_row *row, size_t which, int64_t amount)
{
	histree_quark quark = kernel_sum_attribute(sums, row, which);
	row->sums[which] = amount;
	for (size_t i = 0; i < row->table->kind->sum_count && row->is_lost; i++)
		if (row->quarks[i] != NO_ATTRIBUTE)
			change(&sums->changes, row->quarks[i], histree_long(row->sums[i]));
	row->is_lost = false;
	change(&sums->changes, quark, histree_long(amount));
}

/* Count: the sum is `amount` greater from now on. */
static void kernel_sum_add(struct kernel_sums *sums, struct kernel_sum_row *row, size_t which, int64_t amount)
{
	kernel_sum_set(sums, row, which, row->sums[which] + amount);
}

/* ---- the analysis ------------------------------------------------------------------------------------------- */

static const struct kernel_sum_kind of_gaps = { .names = { "gaps" }, .sum_count = 1 };

static void table_init(struct kernel_sums *sums, struct kernel_sum_table *table, const struct kernel_sum_kind *kind)
{
	*table = (struct kernel_sum_table){ .kind = kind, .folder = NO_ATTRIBUTE };
	table->rows.table.space = sums->records.space;
}

enum histree_status kernel_sums_create(const struct analysis *analysis, struct histree_state_system *system,
				       void *input, void **instance, struct histree_error *error)
{
	const struct kernel_sums_kind *kind = analysis->kind;
	struct kernel_sums *sums = calloc(1, kind->size > 0 ? kind->size : sizeof(*sums));
	*instance = sums;
	if (sums == NULL)
		return error_memory(error, kind->what);
	sums->kind = kind;
	sums->input = input;
	sums->changes.system = system;
	sums->records.space = sums->input->machine.records.space;
	for (size_t i = 0; i < KERNEL_SUM_TABLES; i++)
		table_init(sums, &sums->tables[i], &kind->tables[i]);
	table_init(sums, &sums->gaps, &of_gaps);
	sums->counted = kind->counts_all ? UINT64_MAX : 0;
	for (size_t i = 0; i < kind->role_count; i++) {
		kernel_input_want(input, kind->roles[i]);
		sums->counted |= UINT64_C(1) << kind->roles[i];
	}
	if (kind->needs_machine)
		kernel_input_need_machine(input);
	if (kind->create != NULL)
		kind->create(sums);
	return HISTREE_OK;
}

static void begin_changes(struct kernel_sums *sums, histree_time time)
{
	if ((sums->kind->counts_all || sums->kind->has_time_of_input) && sums->input->now > time)
		time = sums->input->now;
	sums->now = !sums->is_begun || time > sums->now ? time : sums->now;
	sums->is_begun = true;
	changes_begin(&sums->changes, sums->now);
}

bool kernel_sums_wants(const void *instance, const struct event_class *class)
{
	const struct kernel_sums *sums = instance;
	const enum kernel_role role = kernel_input_role(sums->input, class);
	return sums->kind->wants != NULL ? sums->kind->wants(class, role) : (sums->counted >> role & 1) != 0;
}

enum histree_status kernel_sums_event(void *instance, const struct event *event, struct histree_error *error)
{
	struct kernel_sums *sums = instance;
	if ((sums->counted >> sums->input->event.role & 1) == 0)
		return HISTREE_OK;
	begin_changes(sums, event->time);
	sums->has_any |= sums->kind->counts_all || sums->input->event.role != sums->kind->uncounted;
	sums->source = event;
	sums->kind->count(sums, &sums->input->event);
	return changes_end(&sums->changes, error);
}

static void lose_rows(struct kernel_sums *sums, struct kernel_sum_table *table, const struct event_gap *gap)
{
	struct kernel_sum_row *row = NULL;
	if (table->kind->loss == SUMS_ARE_KEPT)
		return;
	while ((row = kernel_sum_next(sums, table, row)) != NULL)
		if (table->kind->loss == SUMS_ARE_LOST || gap->cpu < 0 || row->number == gap->cpu) {
			/* Nobody knows what there is to count from now on. */
			for (size_t i = 0; i < row->table->kind->sum_count && !row->is_lost; i++)
				if (row->quarks[i] != NO_ATTRIBUTE)
					change(&sums->changes, row->quarks[i], histree_unknown());
			row->is_lost = true;
		}
}

enum histree_status kernel_sums_gap(void *instance, const struct event_gap *gap, struct histree_error *error)
{
	struct kernel_sums *sums = instance;
	if (sums->kind->applies != NULL && !sums->kind->applies(gap->trace))
		return HISTREE_OK;
	begin_changes(sums, gap->begin);
	struct kernel_sum_row *gaps = sums->kind->counts_gaps ? kernel_sum_row(sums, &sums->gaps, 0, 0) : NULL;
	if (gaps != NULL)
		kernel_sum_add(sums, gaps, 0, 1);
	for (size_t i = 0; i < KERNEL_SUM_TABLES; i++)
		lose_rows(sums, &sums->tables[i], gap);
	if (sums->kind->lose != NULL)
		sums->kind->lose(sums, gap);
	return changes_end(&sums->changes, error);
}

uint64_t kernel_sums_refused(const void *instance)
{
	const struct kernel_sums *sums = instance;
	return sums->changes.refused;
}

bool kernel_sums_is_empty(const void *instance)
{
	const struct kernel_sums *sums = instance;
	return sums->kind->is_empty != NULL ? sums->kind->is_empty(sums) : !sums->has_any;
}

void kernel_sums_missing(const void *instance, char *text, size_t size)
{
	const struct kernel_sums *sums = instance;
	const char *missing = kernel_sums_is_empty(sums) ? sums->kind->missing : NULL;
	snprintf(text, size, "%s", missing != NULL ? missing : "");
	if (text[0] == '\0' && sums->kind->say_missing != NULL)
		sums->kind->say_missing(sums, text, size);
}

void kernel_sums_free(void *instance)
{
	struct kernel_sums *sums = instance;
	if (sums == NULL)
		return;
	if (sums->kind->release != NULL)
		sums->kind->release(sums);
	for (size_t i = 0; i < KERNEL_SUM_TABLES; i++)
		dense_release(&sums->tables[i].rows);
	dense_release(&sums->gaps.rows);
	arena_release(&sums->records);
	free(sums);
}

/* ---- network ------------------------------------------------------------------------------------------------- */

enum { RECEIVED_BYTES, RECEIVED_PACKETS, SENT_BYTES, SENT_PACKETS };

enum { THREAD_RECEIVED, THREAD_SENT_BYTES, THREAD_SENT_PACKETS };

enum { INTERFACES, NETWORK_THREADS };

struct network {
	struct kernel_sums sums;
	struct intern names; /* of interfaces: their numbers are those of the rows */
};

/* Returns NULL where the interface has no name, or memory runs out, which is remembered. */
static struct kernel_sum_row *interface_of(struct network *network, struct kernel_text name)
{
	if (name.size == 0)
		return NULL;
	const uint32_t number = intern_add(&network->names, name.bytes, name.size);
	if (number == INTERN_NONE || number > INT32_MAX) {
		changes_fail(&network->sums.changes, HISTREE_ERR_MEMORY, "names of interfaces");
		return NULL;
	}
	struct kernel_sum_row *row =
		kernel_sum_row(&network->sums, &network->sums.tables[INTERFACES], number, (int32_t)number);
	if (row != NULL)
		row->name = intern_get(&network->names, number, &row->name_size);
	return row;
}

/*
 * Returns the row of the thread that runs where the event happened; NULL if it is not known, or the idle loop runs.
 */
static struct kernel_sum_row *thread_of(struct network *network, const struct kernel_event *event)
{
	const struct machine_thread *thread = kernel_event_thread(event);
	return thread != NULL && thread->tid != 0
		       ? kernel_sum_row_of_thread(&network->sums, &network->sums.tables[NETWORK_THREADS], thread)
		       : NULL;
}

static void network_add(struct network *network, struct kernel_sum_row *row, size_t which, int64_t amount)
{
	if (row != NULL && amount > 0)
		kernel_sum_add(&network->sums, row, which, amount);
}

static void network_count(struct kernel_sums *sums, const struct kernel_event *event)
{
	struct network *network = (struct network *)sums;
	struct kernel_sum_row *row = NULL;
	switch (event->role) {
	case KERNEL_PACKET_RECEIVE:
		row = interface_of(network, event->name);
		network_add(network, row, RECEIVED_BYTES, event->bytes);
		network_add(network, row, RECEIVED_PACKETS, 1);
		break;
	case KERNEL_PACKET_TRANSMIT:
		if ((event->has & HAS_RESULT) != 0 && event->result != 0)
			break;
		row = interface_of(network, event->name);
		network_add(network, row, SENT_BYTES, event->bytes);
		network_add(network, row, SENT_PACKETS, 1);
		break;
	case KERNEL_PACKET_QUEUE:
		row = thread_of(network, event);
		network_add(network, row, THREAD_SENT_BYTES, event->bytes);
		network_add(network, row, THREAD_SENT_PACKETS, 1);
		break;
	case KERNEL_PACKET_COPY:
		network_add(network, thread_of(network, event), THREAD_RECEIVED, event->bytes);
		break;
	default:
		break;
	}
}

/* ---- the analysis ------------------------------------------------------------------------------------------- */

static void network_release(struct kernel_sums *sums)
{
	intern_release(&((struct network *)sums)->names);
}

static const struct kernel_sums_kind network_sums = {
	.size = sizeof(struct network),
	.what = "the packets of interfaces",
	.tables = {
		[INTERFACES] = {
			.folder = "Interfaces",
			.names = { "bytes_received", "packets_received", "bytes_sent", "packets_sent" },
			.sum_count = 4,
			.loss = SUMS_ARE_LOST,
		},
		[NETWORK_THREADS] = {
			.folder = "Threads",
			.names = { "bytes_received", "bytes_sent", "packets_sent" },
			.sum_count = 3,
		},
	},
	.roles = { KERNEL_PACKET_RECEIVE, KERNEL_PACKET_TRANSMIT, KERNEL_PACKET_QUEUE, KERNEL_PACKET_COPY },
	.role_count = 4,
	.counts_gaps = true,
	.needs_machine = true,
	.count = network_count,
	.release = network_release,
	.missing = "the trace has no packets: record them (lttng enable-event -k 'net_*,netif_*,skb_*', or "
		   "perf record -e 'net:*' -e 'skb:*')",
};

static const struct histree_chart_entry interface_entries[] = {
	{ .parent = HISTREE_CHART_TOP, .path = "Interfaces/*" },
	{ .parent = 0, .path = "bytes_received", .shown = ".", .measure = HISTREE_CHART_RATE },
	{ .parent = 0, .path = "bytes_sent", .shown = ".", .measure = HISTREE_CHART_RATE },
};

static const struct histree_chart_entry network_thread_entries[] = {
	{ .parent = HISTREE_CHART_TOP, .path = "Threads/*" },
	{ .parent = 0, .path = "bytes_received", .shown = ".", .measure = HISTREE_CHART_RATE },
	{ .parent = 0, .path = "bytes_sent", .shown = ".", .measure = HISTREE_CHART_RATE },
};

static const struct histree_chart network_charts[] = {
	{ .name = "interface-bytes",
	  .title = "Bytes over interfaces",
	  .unit = "B/s",
	  CHART_ENTRIES(interface_entries) },
	{ .name = "thread-network-bytes",
	  .title = "Bytes that threads sent and received",
	  .unit = "B/s",
	  CHART_ENTRIES(network_thread_entries) },
};

const struct analysis analysis_network = {
	.name = "network",
	.version = 1,
	.summary = "bytes and packets over each network interface, and of each thread, so far",
	.charts = network_charts,
	.chart_count = sizeof(network_charts) / sizeof(*network_charts),
	.kind = &network_sums,
	KERNEL_SUMS_OF_KERNEL,
};

static const char no_switches[] =
	"the trace has no switches: record sched_switch (lttng enable-event -k sched_switch, or "
	"perf record -e sched:sched_switch)";

/* ---- switches ------------------------------------------------------------------------------------------------ */

enum { VOLUNTARY, INVOLUNTARY, MIGRATIONS, SWITCHES };

enum { CPUS, SWITCHES_THREADS };

struct switches_thread {
	struct kernel_sum_row row;
	bool has_run;
	int32_t cpu; /* where it ran last */
};

static void switches_count_one(struct kernel_sums *sums, struct kernel_sum_row *cpu, struct switches_thread *thread,
			       size_t which)
{
	kernel_sum_add(sums, cpu, which, 1);
	kernel_sum_add(sums, &thread->row, which, 1);
}

/* Returns the thread that is on a CPU now; that it came there may not have been seen.  NULL: the idle loop. */
static struct switches_thread *place(struct kernel_sums *sums, struct kernel_sum_row *cpu,
				     const struct machine_thread *of_event)
{
	if (of_event->tid == 0)
		return NULL;
	struct kernel_sum_row *row = kernel_sum_row_of_thread(sums, &sums->tables[SWITCHES_THREADS], of_event);
	struct switches_thread *thread = (struct switches_thread *)row;
	if (thread == NULL)
		return NULL;
	if (thread->has_run && thread->cpu != cpu->number)
		switches_count_one(sums, cpu, thread, MIGRATIONS);
	thread->has_run = true;
	thread->cpu = cpu->number;
	return thread;
}

static void switches_count(struct kernel_sums *sums, const struct kernel_event *event)
{
	struct kernel_sum_row *cpu = kernel_sum_row_of_cpu(sums, &sums->tables[CPUS], event->on_cpu);
	if (cpu == NULL)
		return;
	kernel_sum_add(sums, cpu, SWITCHES, 1);
	struct switches_thread *previous = place(sums, cpu, event->previous);
	if (previous != NULL)
		switches_count_one(sums, cpu, previous,
				   kernel_event_leave(event) == LEAVES_RUNNABLE ? INVOLUNTARY : VOLUNTARY);
	if (previous != NULL && kernel_event_leave(event) == LEAVES_FOREVER)
		previous->has_run = false;
	place(sums, cpu, event->thread);
}

/* A thread that gets a number has run nowhere yet, whatever another one did that had it before. */
static void begin_life(struct kernel_sums *sums, const struct kernel_event *event)
{
	struct switches_thread *thread = dense_find(&sums->tables[SWITCHES_THREADS].rows, event->thread->place);
	if (thread != NULL)
		thread->has_run = false;
}

static void switches_take(struct kernel_sums *sums, const struct kernel_event *event)
{
	if (event->role == KERNEL_FORK)
		begin_life(sums, event);
	else
		switches_count(sums, event);
}

/* ---- the analysis ------------------------------------------------------------------------------------------- */

static const struct kernel_sums_kind switches_sums = {
	.what = "the switches of CPUs",
	.tables = {
		[CPUS] = {
			.folder = "CPUs",
			.names = { "voluntary", "involuntary", "migrations", "switches" },
			.sum_count = 4,
			.loss = SUMS_ARE_LOST_OF_CPU,
		},
		[SWITCHES_THREADS] = {
			.folder = "Threads",
			.names = { "voluntary", "involuntary", "migrations" },
			.sum_count = 3,
			.row_size = sizeof(struct switches_thread),
		},
	},
	.roles = { KERNEL_SWITCH, KERNEL_FORK },
	.role_count = 2,
	.uncounted = KERNEL_FORK,
	.counts_gaps = true,
	.needs_machine = true,
	.count = switches_take,
	.missing = no_switches,
};

static const struct histree_chart_entry cpu_entries[] = {
	{ .parent = HISTREE_CHART_TOP, .path = "CPUs/*" },
	{ .parent = 0, .path = "*", .shown = ".", .measure = HISTREE_CHART_RATE },
};

static const struct histree_chart_entry switches_thread_entries[] = {
	{ .parent = HISTREE_CHART_TOP, .path = "Threads/*" },
	{ .parent = 0, .path = "*", .shown = ".", .measure = HISTREE_CHART_RATE },
};

static const struct histree_chart switches_charts[] = {
	{ .name = "cpu-switches", .title = "Switches of CPUs", .unit = "1/s", CHART_ENTRIES(cpu_entries) },
	{ .name = "thread-switches",
	  .title = "Switches of threads",
	  .unit = "1/s",
	  CHART_ENTRIES(switches_thread_entries) },
};

const struct analysis analysis_switches = {
	.name = "switches",
	.version = 2, /* 2: a number that is used again has not run yet */
	.summary =
		"how often each CPU and thread was switched so far: of its own accord, preempted, to another CPU",
	.charts = switches_charts,
	.chart_count = sizeof(switches_charts) / sizeof(*switches_charts),
	.kind = &switches_sums,
	KERNEL_SUMS_OF_KERNEL,
};

/* ---- cpu usage ----------------------------------------------------------------------------------------------- */

struct usage_cpu {
	struct kernel_sum_row row;
	histree_time since;    /* time of the last switch, to the thread that runs */
	bool is_met, is_known; /* not known: events were missing since then */
};

/* Of a thread on a CPU. */
struct usage_thread {
	struct usage_thread *next; /* the same thread on another CPU */
	const struct usage_cpu *cpu;
	histree_quark quark;
	uint64_t ns;
};

struct cpu_usage {
	struct kernel_sums sums;
	struct dense_records threads; /* struct usage_thread: that of the CPU on which it was counted last */
	bool lost_all;                /* there was a gap of all CPUs */
};

/* Returns what a thread has of a CPU, which comes to the front; NULL when memory runs out, which is remembered. */
static struct usage_thread *usage_of(struct cpu_usage *usage, const struct machine_thread *of_event,
				     const struct usage_cpu *cpu)
{
	struct usage_thread *first = dense_find(&usage->threads, of_event->place), **at = &first;
	if (first != NULL && first->cpu == cpu)
		return first;
	while (*at != NULL && (*at)->cpu != cpu)
		at = &(*at)->next;
	struct usage_thread *thread = *at;
	if (thread != NULL) {
		*at = thread->next;
	} else {
		thread = arena_allocate(&usage->sums.records, sizeof(*thread), alignof(struct usage_thread));
		if (thread != NULL)
			*thread = (struct usage_thread){ .cpu = cpu, .quark = NO_ATTRIBUTE };
	}
	if (thread == NULL || !dense_put(&usage->threads, of_event->place, thread)) {
		changes_fail(&usage->sums.changes, HISTREE_ERR_MEMORY, usage->sums.kind->what);
		return NULL;
	}
	thread->next = first;
	return thread;
}

static void usage_count(struct kernel_sums *sums, const struct kernel_event *event)
{
	struct cpu_usage *usage = (struct cpu_usage *)sums;
	struct kernel_sum_row *row = kernel_sum_row_of_cpu(sums, &sums->tables[0], event->on_cpu);
	struct usage_cpu *cpu = (struct usage_cpu *)row;
	struct usage_thread *thread = cpu != NULL ? usage_of(usage, event->previous, cpu) : NULL;
	if (thread == NULL)
		return;
	/* What was before the history begins is of no kernel. */
	const histree_time start = histree_state_start(sums->changes.system);
	const histree_time now = sums->now > start ? sums->now : start;
	if (!cpu->is_met) {
		cpu->since = sums->input->start > start ? sums->input->start : start;
		cpu->is_known = !usage->lost_all;
		cpu->is_met = true;
	}
	sums->changes.time = now;
	const histree_quark node = kernel_sum_node(sums, row);
	if (cpu->is_known) {
		char name[NUMBER_TEXT_SIZE];
		thread->ns += (uint64_t)now - (uint64_t)cpu->since;
		if (thread->quark == NO_ATTRIBUTE)
			changes_child(&sums->changes, &thread->quark, node, name,
				      number_format_signed(event->prev_tid, name));
		change(&sums->changes, thread->quark, histree_long((int64_t)thread->ns));
	}
	cpu->since = now;
	cpu->is_known = true;
}

static void usage_lose(struct kernel_sums *sums, const struct event_gap *gap)
{
	struct cpu_usage *usage = (struct cpu_usage *)sums;
	struct kernel_sum_row *row = NULL;
	usage->lost_all |= gap->cpu < 0;
	kernel_sum_row_of_cpu(sums, &sums->tables[0], machine_cpu(&sums->input->machine, gap->cpu));
	while ((row = kernel_sum_next(sums, &sums->tables[0], row)) != NULL)
		if (gap->cpu < 0 || row->number == gap->cpu) {
			((struct usage_cpu *)row)->is_known = false;
			((struct usage_cpu *)row)->is_met = true;
		}
}

static void usage_create(struct kernel_sums *sums)
{
	((struct cpu_usage *)sums)->threads.table.space = sums->records.space;
}

static void usage_release(struct kernel_sums *sums)
{
	dense_release(&((struct cpu_usage *)sums)->threads);
}

static const struct kernel_sums_kind usage_sums = {
	.size = sizeof(struct cpu_usage),
	.what = "the usage of CPUs",
	.tables = { { .folder = "CPUs", .row_size = sizeof(struct usage_cpu) } },
	.roles = { KERNEL_SWITCH },
	.role_count = 1,
	.has_time_of_input = true,
	.needs_machine = true,
	.create = usage_create,
	.count = usage_count,
	.lose = usage_lose,
	.release = usage_release,
	.missing = no_switches,
};

/*
 * A thread's time is counted when it is switched from, so that a rate would have all of it at that moment.  How
 * steep a line is says how busy it was.
 */
static const struct histree_chart_entry usage_entries[] = {
	{ .parent = HISTREE_CHART_TOP, .path = "CPUs/*" },
	{ .parent = 0, .path = "*", .shown = ".", .measure = HISTREE_CHART_VALUE, .factor = 1e-9 },
};

static const struct histree_chart usage_charts[] = {
	{ .name = "cpu-threads",
	  .title = "Time that threads have had on CPUs so far",
	  .unit = "s",
	  CHART_ENTRIES(usage_entries) },
};

const struct analysis analysis_cpu_usage = {
	.name = "cpu-usage",
	.version = 1,
	.summary = "how long each thread has run on each CPU so far, as Trace Compass counts it",
	.charts = usage_charts,
	.chart_count = sizeof(usage_charts) / sizeof(*usage_charts),
	.kind = &usage_sums,
	KERNEL_SUMS_OF_KERNEL,
};

/* ---- kernel memory ------------------------------------------------------------------------------------------- */

enum { PAGE_ORDER_MAX = 20 };

struct page_block {
	bool is_taken;
	uint8_t order;
	struct kernel_sum_row *owner; /* NULL: nobody known */
};

/* Zeroed, with its spaces set, it has none.  Blocks that were freed keep their records, as pages come again. */
struct page_blocks {
	struct id_map blocks; /* by first page */
	struct arena records;
	unsigned order_max; /* of those that were ever taken */
};

/* ---- page blocks --------------------------------------------------------------------------------------------- */

/* Take a block, of PAGE_ORDER_MAX at most; none is taken there.  Returns false when memory runs out. */
static bool page_blocks_take(struct page_blocks *blocks, uint64_t page, unsigned order,
			     struct kernel_sum_row *owner)
{
	struct page_block *block = id_map_find(&blocks->blocks, page);
	if (block == NULL) {
		block = arena_allocate(&blocks->records, sizeof(*block), alignof(struct page_block));
		if (block == NULL || !id_map_add(&blocks->blocks, page, block))
			return false;
	}
	blocks->order_max = order > blocks->order_max ? order : blocks->order_max;
	*block = (struct page_block){ .is_taken = true, .order = (uint8_t)order, .owner = owner };
	return true;
}

/* Returns the block that a page is in, and its first page; NULL: none that is taken. */
static struct page_block *block_with(const struct page_blocks *blocks, uint64_t page, uint64_t *first)
{
	for (unsigned order = 0; order <= blocks->order_max; order++) {
		*first = page >> order << order;
		struct page_block *block = id_map_find(&blocks->blocks, *first);
		if (block != NULL && block->is_taken && page - *first < UINT64_C(1) << block->order)
			return block;
	}
	return NULL;
}

/*
 * Free a block of this order, or all of a smaller one that is there.  Says whose it was and how many pages there
 * were: 0 if it was not known to be taken.  Returns false when memory runs out.
 */
static bool page_blocks_free(struct page_blocks *blocks, uint64_t page, unsigned order,
			     struct kernel_sum_row **owner, uint64_t *pages)
{
	uint64_t first;
	struct page_block *block = block_with(blocks, page, &first);
	*pages = 0;
	if (block == NULL)
		return true;
	*owner = block->owner;
	while (block->order > order || first != page) {
		if (block->order == 0)
			return true; /* that page is no beginning of a block of this order */
		const unsigned half = --block->order;
		const uint64_t second = first + (UINT64_C(1) << half);
		if (!page_blocks_take(blocks, second, half, *owner))
			return false;
		if (page < second)
			continue;
		block = id_map_find(&blocks->blocks, second);
		first = second;
	}
	block->is_taken = false;
	*pages = UINT64_C(1) << block->order;
	return true;
}

/* ---- kernel memory ------------------------------------------------------------------------------------------- */

enum { PAGES, HEAP };

enum { KERNEL_MEMORY_THREADS, ALL };

enum { PAGE_BYTES = 4096, PAGE_STRUCT_BYTES = 64 };

/* Of the heap; freed if it has no bytes. */
struct heap_piece {
	int64_t bytes;
	struct kernel_sum_row *owner; /* NULL: nobody known */
};

struct kernel_memory {
	struct kernel_sums sums;
	struct page_blocks pages;
	struct id_map heap; /* struct heap_piece by address */
};

static void no_memory(struct kernel_memory *memory)
{
	changes_fail(&memory->sums.changes, HISTREE_ERR_MEMORY, "what the kernel allocated");
}

static void kernel_memory_count(struct kernel_memory *memory, struct kernel_sum_row *owner, size_t which,
				int64_t bytes)
{
	struct kernel_sum_row *all = kernel_sum_row(&memory->sums, &memory->sums.tables[ALL], 0, 0);
	if (all != NULL && bytes != 0)
		kernel_sum_add(&memory->sums, all, which, bytes);
	if (owner != NULL && bytes != 0)
		kernel_sum_add(&memory->sums, owner, which, bytes);
}

/* Rows outlive their threads, as what is not freed does: the next life of a number has another one. */
static struct kernel_sum_row *owner_of(struct kernel_memory *memory, const struct kernel_event *event)
{
	struct kernel_sum_table *table = &memory->sums.tables[KERNEL_MEMORY_THREADS];
	const struct machine_thread *thread = kernel_event_thread(event);
	struct kernel_sum_row *row = thread != NULL ? dense_find(&table->rows, thread->place) : NULL;
	if (thread == NULL || (row != NULL && row->life == thread->life))
		return row;
	row = add_row(&memory->sums, table, thread->place);
	if (row != NULL) {
		row->number = thread->tid;
		row->life = thread->life;
	}
	return row;
}

/* ---- pages -------------------------------------------------------------------------------------------------- */

/* Returns false if the event names no block.  Older LTTng has no number of a page, only an address. */
static bool block_of(const struct kernel_event *event, uint64_t *page)
{
	*page = (event->has & HAS_PAGE) != 0 ? (uint64_t)event->page : (uint64_t)event->address / PAGE_STRUCT_BYTES;
	const bool is_failure = (event->has & HAS_PAGE) != 0 ? event->page == -1 : event->address == 0;
	return (event->has & (HAS_PAGE | HAS_ADDRESS)) != 0 && !is_failure && event->number >= 0 &&
	       event->number <= PAGE_ORDER_MAX;
}

static void free_block(struct kernel_memory *memory, uint64_t page, unsigned order)
{
	struct kernel_sum_row *owner;
	uint64_t pages;
	if (!page_blocks_free(&memory->pages, page, order, &owner, &pages))
		no_memory(memory);
	else if (pages > 0)
		kernel_memory_count(memory, owner, PAGES, -(int64_t)(pages * PAGE_BYTES));
}

static void on_pages(struct kernel_memory *memory, const struct kernel_event *event)
{
	uint64_t page;
	if (!block_of(event, &page))
		return;
	const unsigned order = (unsigned)event->number;
	free_block(memory, page, order);
	if (event->role == KERNEL_PAGES_FREE)
		return;
	struct kernel_sum_row *owner = owner_of(memory, event);
	if (!page_blocks_take(&memory->pages, page, order, owner))
		no_memory(memory);
	kernel_memory_count(memory, owner, PAGES, (int64_t)PAGE_BYTES << order);
}

/* ---- the heap ----------------------------------------------------------------------------------------------- */

static void on_heap(struct kernel_memory *memory, const struct kernel_event *event)
{
	if (event->address == 0)
		return;
	struct heap_piece *piece = id_map_find(&memory->heap, (uint64_t)event->address);
	if (piece != NULL && piece->bytes != 0) {
		kernel_memory_count(memory, piece->owner, HEAP, -piece->bytes);
		piece->bytes = 0;
	}
	if (event->role == KERNEL_HEAP_FREE || event->bytes <= 0)
		return;
	if (piece == NULL) {
		piece = arena_allocate(&memory->sums.records, sizeof(*piece), alignof(struct heap_piece));
		if (piece == NULL || !id_map_add(&memory->heap, (uint64_t)event->address, piece)) {
			no_memory(memory);
			return;
		}
	}
	*piece = (struct heap_piece){ .bytes = event->bytes, .owner = owner_of(memory, event) };
	kernel_memory_count(memory, piece->owner, HEAP, piece->bytes);
}

/* ---- the analysis ------------------------------------------------------------------------------------------- */

static void memory_create(struct kernel_sums *sums)
{
	struct kernel_memory *memory = (struct kernel_memory *)sums;
	id_map_use_space(&memory->heap, sums->records.space);
	id_map_use_space(&memory->pages.blocks, sums->records.space);
	memory->pages.records.space = sums->records.space;
}

static void memory_count(struct kernel_sums *sums, const struct kernel_event *event)
{
	struct kernel_memory *memory = (struct kernel_memory *)sums;
	if (event->role == KERNEL_PAGES_ALLOC || event->role == KERNEL_PAGES_FREE)
		on_pages(memory, event);
	else
		on_heap(memory, event);
}

static void memory_release(struct kernel_sums *sums)
{
	struct kernel_memory *memory = (struct kernel_memory *)sums;
	id_map_release(&memory->heap);
	id_map_release(&memory->pages.blocks);
	arena_release(&memory->pages.records);
}

static const struct kernel_sums_kind memory_sums = {
	.size = sizeof(struct kernel_memory),
	.what = "what the kernel allocated",
	.tables = {
		[KERNEL_MEMORY_THREADS] = {
			.folder = "Threads",
			.names = { "pages", "heap" },
			.sum_count = 2,
			.loss = SUMS_ARE_LOST,
		},
		[ALL] = {
			.names = { "pages", "heap" },
			.sum_count = 2,
			.loss = SUMS_ARE_LOST,
		},
	},
	.roles = { KERNEL_PAGES_ALLOC, KERNEL_PAGES_FREE, KERNEL_HEAP_ALLOC, KERNEL_HEAP_FREE },
	.role_count = 4,
	.counts_gaps = true,
	.needs_machine = true,
	.create = memory_create,
	.count = memory_count,
	.release = memory_release,
	.missing = "the trace has no allocations of the kernel: record them (lttng enable-event -k 'kmem_*', "
		   "or perf record -e 'kmem:*'), and sched_switch to know whose they are",
};

static const struct histree_chart_entry all_entries[] = {
	{ .parent = HISTREE_CHART_TOP, .path = "pages", .shown = "." },
	{ .parent = HISTREE_CHART_TOP, .path = "heap", .shown = "." },
};

static const struct histree_chart_entry kernel_memory_thread_entries[] = {
	{ .parent = HISTREE_CHART_TOP, .path = "Threads/*" },
	{ .parent = 0, .path = "*", .shown = "." },
};

static const struct histree_chart kernel_memory_charts[] = {
	{ .name = "kernel-memory",
	  .title = "Memory that the kernel allocated",
	  .unit = "B",
	  CHART_ENTRIES(all_entries) },
	{ .name = "thread-kernel-memory",
	  .title = "Memory that the kernel allocated for threads",
	  .unit = "B",
	  CHART_ENTRIES(kernel_memory_thread_entries) },
};

const struct analysis analysis_kernel_memory = {
	.name = "kernel-memory",
	.version = 2, /* 2: a number that is used again is another row */
	.summary = "how much of what each thread had the kernel allocate is not freed yet: pages and heap",
	.charts = kernel_memory_charts,
	.chart_count = sizeof(kernel_memory_charts) / sizeof(*kernel_memory_charts),
	.kind = &memory_sums,
	KERNEL_SUMS_OF_KERNEL,
};
