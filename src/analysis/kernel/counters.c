// SPDX-License-Identifier: MIT
/*
 * counters.c - the analysis `counters`: the values of counters that are recorded with events, by CPU and by thread.
 *
 * 	CPUs/<cpu>/<counter>		long: since the first event of the CPU that has it, such as perf_cpu_cycles
 * 	Threads/<tid>/<counter>		long: the same of a thread
 *
 * In LTTng, a counter is a context whose name begins with perf_. Counters of a program (perf_thread_*, of
 * LTTng-UST) belong to its thread, which the context vtid names.  All others belong to the CPU: the count between
 * two events is also added to the thread that ran there, according to the switches.  What was counted while events
 * were missing is added to no thread; the sum of the CPU includes it, because the counter went on.
 *
 * In perf, a counter is one of a group that a sample reads (perf_read_*).  Each CPU, or each thread, that perf
 * follows has its own counter, identified by the id of the sample; samples without a CPU belong to threads that
 * perf follows.
 *
 * perf multiplexes groups if the processor has too few counters.  If the trace says for how long a group was
 * enabled and for how long it counted, its count is scaled by the ratio of the two since the previous reading, as
 * perf stat does from interval to interval.  If it did not count at all, that time is added to the next reading.
 */
#include <inttypes.h>
#include <stdalign.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/analysis.h"
#include "analysis/kernel/kernel_sums.h"
#include "base/arena.h"
#include "base/exact_sum.h"
#include "event/event.h"

/* What all counters that a sample reads have in common: fields of its class. */
struct counter_group {
	uint32_t id; /* whose counters these are */
	uint32_t enabled, running;
};

struct counter_reading {
	uint64_t value;
	bool has_times;
	uint64_t enabled, running; /* ns so far */
};

/* A zeroed one has none. */
struct counter_readings {
	struct id_map last; /* struct counter_reading by id and counter */
	struct arena memory;
};

/* ---- counter readings ---------------------------------------------------------------------------------------- */

/* Reads the times of a group, and returns its id. */
static uint64_t counter_group_read(const struct counter_group *group, const struct event *event,
				   struct counter_reading *reading)
{
	int64_t id = 0, enabled = 0, running = 0;
	event_int(event, group->id, &id);
	reading->has_times =
		event_int(event, group->enabled, &enabled) && event_int(event, group->running, &running);
	reading->enabled = (uint64_t)enabled;
	reading->running = (uint64_t)running;
	return (uint64_t)id;
}

/* A counter that is lower than before was restarted: what it counted in between is unknown. */
static uint64_t grown(uint64_t before, uint64_t now)
{
	return now >= before ? now - before : 0;
}

/* Rounded to the nearest; what is too large for a sum stays as it is. */
static uint64_t scale(uint64_t amount, uint64_t enabled, uint64_t running)
{
	const wide_uint scaled = ((wide_uint)amount * enabled + running / 2) / running;
	return scaled <= INT64_MAX ? (uint64_t)scaled : amount;
}

/*
 * Says what was counted since the reading before; 0 of the first one, and of a counter that began anew.  Returns
 * false if memory runs out.
 */
static bool counter_readings_take(struct counter_readings *readings, uint64_t id, uint32_t counter,
				  const struct counter_reading *reading, uint64_t *amount)
{
	const uint64_t key = hash_mix(id) ^ counter;
	struct counter_reading *last = id_map_find(&readings->last, key);
	*amount = 0;
	if (last == NULL) {
		last = arena_allocate(&readings->memory, sizeof(*last), alignof(struct counter_reading));
		if (last == NULL || !id_map_add(&readings->last, key, last))
			return false;
		*last = *reading;
		return true;
	}
	const bool has_times = last->has_times && reading->has_times;
	const uint64_t enabled = grown(last->enabled, reading->enabled),
		       running = grown(last->running, reading->running);
	if (has_times && running == 0 && reading->running == last->running)
		return true;
	*amount = grown(last->value, reading->value);
	if (has_times && running > 0 && running < enabled)
		*amount = scale(*amount, enabled, running);
	*last = *reading;
	return true;
}

/* ---- counters ------------------------------------------------------------------------------------------------ */

enum { NOT_KNOWN = -1, DENIED = -2 };
enum { CPUS, THREADS };

/* A CPU or a thread. */
struct counter_owner {
	struct kernel_sum_row row;
	/* Of a CPU: who runs there. */
	bool has_tid;
	int32_t tid;
};

/* One counter of a CPU or a thread. */
struct counter_sum {
	histree_quark quark;
	uint64_t sum;
	uint64_t last; /* value of the counter */
	bool has_last;
	/* Of a CPU: up to here, threads have what was counted. */
	uint64_t shared;
	bool has_shared;
};

struct counter_field {
	uint32_t field, counter; /* of the class; of the names */
	bool is_thread;
};

struct counter_binding {
	uint32_t tid;               /* field */
	struct counter_group group; /* of perf */
	bool is_perf;
	uint32_t count;
	struct counter_field fields[];
};

struct counters {
	struct kernel_sums sums;
	struct intern names;              /* of counters */
	struct id_map counts[2];          /* of CPUs and of threads: struct counter_sum by counter and number */
	struct counter_readings readings; /* of perf */
	struct class_table bindings;
	uint64_t events, of_nobody; /* with counters, and those of threads that do not say of which */
	bool has_cpu_counters, has_switches;
};

/* ---- what an event has ------------------------------------------------------------------------------------- */

static bool is_of_perf(const struct event_trace *trace)
{
	return strcmp(trace->tracer_name, "perf") == 0;
}

static bool knows(const struct event_trace *trace)
{
	return strncmp(trace->tracer_name, "lttng", 5) == 0 || is_of_perf(trace);
}

/* Other fields of perf's events and of their conversions begin so, too, and count nothing. */
static bool is_counter(const struct event_class *class, uint32_t field)
{
	const char *prefix = is_of_perf(class->trace) ? "perf_read_" : "perf_";
	return strncmp(class->fields[field], prefix, strlen(prefix)) == 0;
}

static uint32_t count_counters(const struct event_class *class)
{
	uint32_t count = 0;
	for (uint32_t i = 0; knows(class->trace) && i < class->field_count; i++)
		count += is_counter(class, i);
	return count;
}

/* A switch says who counts on from there. */
static bool has_something(const struct event_class *class, enum kernel_role role)
{
	return role == KERNEL_SWITCH || count_counters(class) > 0;
}

/* Returns NULL when memory runs out. */
static const struct counter_binding *bind(struct counters *counters, const struct event_class *class)
{
	const uint32_t count = count_counters(class);
	size_t size = sizeof(struct counter_binding) + count * sizeof(struct counter_field);
	struct counter_binding *binding = malloc(size);
	if (binding == NULL)
		return NULL;
	const bool is_perf = is_of_perf(class->trace);
	*binding = (struct counter_binding){
		.is_perf = is_perf,
		.group = (struct counter_group){ .id = event_class_field(class, "perf_id"),
						 .enabled = event_class_field(class, "perf_time_enabled"),
						 .running = event_class_field(class, "perf_time_running") },
		.tid = is_perf ? event_class_field(class, "perf_tid") : event_class_context_field(class, "vtid"),
	};
	if (binding->tid == EVENT_NO_FIELD)
		binding->tid = event_class_field(class, "vtid");
	const struct counter_binding *kept = NULL;
	for (uint32_t i = 0; binding->count < count; i++) {
		if (!is_counter(class, i))
			continue;
		const char *name = class->fields[i];
		uint32_t number = intern_add(&counters->names, name, strlen(name));
		if (number == INTERN_NONE)
			goto out;
		binding->fields[binding->count++] = (struct counter_field){
			.field = i, .counter = number, .is_thread = strncmp(name, "perf_thread_", 12) == 0
		};
	}
	kept = class_table_add(&counters->bindings, class, binding, size);
out:
	free(binding);
	return kept;
}

/* ---- records and sums --------------------------------------------------------------------------------------- */

/*
 * Of a thread or a CPU, `whose`; NULL when memory runs out, which is remembered.  Events of programs are no event
 * of the machine's, which has but places for them.
 */
static struct counter_owner *owner_of(struct counters *counters, int whose, int32_t number)
{
	struct kernel_sums *sums = &counters->sums;
	struct machine *machine = &sums->input->machine;
	struct kernel_sum_table *table = &sums->tables[whose];
	return (struct counter_owner *)(whose == CPUS
						? kernel_sum_row_of_cpu(sums, table, machine_cpu(machine, number))
						: kernel_sum_row_of_thread(sums, table,
									   machine_thread(machine, number)));
}

static struct counter_sum *sum_of(struct counters *counters, int whose, uint32_t counter, int32_t number)
{
	const uint64_t id = (uint64_t)counter << 32 | (uint32_t)number;
	struct counter_sum *sum = id_map_find(&counters->counts[whose], id);
	if (sum != NULL)
		return sum;
	sum = arena_allocate(&counters->sums.records, sizeof(*sum), alignof(struct counter_sum));
	if (sum == NULL || !id_map_add(&counters->counts[whose], id, sum)) {
		changes_fail(&counters->sums.changes, HISTREE_ERR_MEMORY, "counters of the trace");
		return NULL;
	}
	*sum = (struct counter_sum){ .quark = NO_ATTRIBUTE };
	return sum;
}

static void write_sum(struct counters *counters, struct counter_owner *owner, uint32_t counter,
		      struct counter_sum *sum)
{
	struct changes *changes = &counters->sums.changes;
	if (sum->quark == NO_ATTRIBUTE) {
		size_t size;
		const char *name = intern_get(&counters->names, counter, &size);
		changes_child(changes, &sum->quark, kernel_sum_node(&counters->sums, &owner->row), name, size);
	}
	change(changes, sum->quark, histree_long((int64_t)sum->sum));
}

static void count_in_thread(struct counters *counters, int32_t tid, uint32_t counter, uint64_t amount)
{
	struct counter_owner *owner = owner_of(counters, THREADS, tid);
	struct counter_sum *sum = owner != NULL ? sum_of(counters, THREADS, counter, tid) : NULL;
	if (sum == NULL)
		return;
	sum->sum += amount;
	write_sum(counters, owner, counter, sum);
}

static void take_of_thread(struct counters *counters, int32_t tid, uint32_t counter, uint64_t value)
{
	struct counter_sum *sum = sum_of(counters, THREADS, counter, tid);
	if (sum == NULL)
		return;
	uint64_t amount = sum->has_last ? grown(sum->last, value) : 0;
	sum->last = value;
	sum->has_last = true;
	count_in_thread(counters, tid, counter, amount);
}

/* `tid` is who ran there up to the event, or NOT_KNOWN, or DENIED. */
static void take_of_cpu(struct counters *counters, int32_t cpu, int64_t tid, uint32_t counter, uint64_t value)
{
	struct counter_owner *owner = owner_of(counters, CPUS, cpu);
	struct counter_sum *sum = owner != NULL ? sum_of(counters, CPUS, counter, cpu) : NULL;
	if (sum == NULL)
		return;
	sum->sum += sum->has_last ? grown(sum->last, value) : 0;
	sum->last = value;
	sum->has_last = true;
	write_sum(counters, owner, counter, sum);
	if (sum->has_shared && tid == NOT_KNOWN)
		return;
	if (sum->has_shared && tid != DENIED)
		count_in_thread(counters, (int32_t)tid, counter, grown(sum->shared, value));
	sum->shared = value;
	sum->has_shared = true;
}

/*
 * One of perf's counters was read: what it counted since is counted on from what the CPU, or the thread, has so
 * far, as if that had one counter of its own.
 */
static void take_of_perf(struct counters *counters, const struct event *source, int64_t running, int64_t tid,
			 uint64_t id, uint32_t counter, const struct counter_reading *reading)
{
	const bool is_thread = source->cpu < 0;
	const int32_t number = is_thread ? (int32_t)tid : source->cpu;
	uint64_t amount;
	struct counter_sum *sum = sum_of(counters, is_thread ? THREADS : CPUS, counter, number);
	if (!counter_readings_take(&counters->readings, id, counter, reading, &amount))
		changes_fail(&counters->sums.changes, HISTREE_ERR_MEMORY, "counters of the trace");
	if (sum == NULL)
		return;
	const uint64_t now = (sum->has_last ? sum->last : 0) + amount;
	if (is_thread)
		take_of_thread(counters, number, counter, now);
	else
		take_of_cpu(counters, number, running, counter, now);
}

/* ---- events ------------------------------------------------------------------------------------------------- */

/* Returns who ran there up to the event; NOT_KNOWN: a switch may say it later; DENIED: it says another one. */
static int64_t running_thread(struct counters *counters, const struct kernel_event *event, int32_t number)
{
	const struct counter_owner *cpu = number >= 0 ? owner_of(counters, CPUS, number) : NULL;
	const int64_t known = cpu != NULL && cpu->has_tid ? cpu->tid : NOT_KNOWN;
	if (event->role != KERNEL_SWITCH)
		return known;
	return known == NOT_KNOWN || known == event->prev_tid ? event->prev_tid : DENIED;
}

static void counters_take(struct counters *counters, const struct event *source, int64_t running,
			  const struct counter_binding *binding)
{
	int64_t tid = -1, value;
	uint64_t id = 0;
	struct counter_reading reading = { .has_times = false };
	bool is_named = event_int(source, binding->tid, &tid);
	if (!is_named && !binding->is_perf && running > 0) { /* of a program */
		tid = running;
		is_named = true;
	}
	if (binding->is_perf)
		id = counter_group_read(&binding->group, source, &reading);
	counters->events++;
	for (uint32_t i = 0; i < binding->count; i++) {
		const struct counter_field *field = &binding->fields[i];
		if (!event_int(source, field->field, &value))
			continue;
		if (binding->is_perf) {
			counters->of_nobody += source->cpu < 0 && !is_named;
			counters->has_cpu_counters |= source->cpu >= 0;
			reading.value = (uint64_t)value;
			if (source->cpu >= 0 || is_named)
				take_of_perf(counters, source, running, tid, id, field->counter, &reading);
		} else if (field->is_thread) {
			counters->of_nobody += !is_named;
			if (is_named)
				take_of_thread(counters, (int32_t)tid, field->counter, (uint64_t)value);
		} else if (source->cpu >= 0) {
			counters->has_cpu_counters = true;
			take_of_cpu(counters, source->cpu, running, field->counter, (uint64_t)value);
		}
	}
}

/* ---- the analysis ------------------------------------------------------------------------------------------- */

static void counters_begin(struct kernel_sums *sums)
{
	struct counters *counters = (struct counters *)sums;
	id_map_use_space(&counters->counts[THREADS], sums->records.space);
	id_map_use_space(&counters->readings.last, sums->records.space);
	counters->readings.memory.space = sums->records.space;
}

static void counters_count(struct kernel_sums *sums, const struct kernel_event *event)
{
	struct counters *counters = (struct counters *)sums;
	const struct event *source = sums->source;
	const struct counter_binding *binding = class_table_find(&counters->bindings, source->class);
	if (binding == NULL)
		binding = bind(counters, source->class);
	if (binding == NULL) {
		changes_fail(&sums->changes, HISTREE_ERR_MEMORY, "classes of events");
		return;
	}
	if (binding->count > 0)
		counters_take(counters, source, running_thread(counters, event, source->cpu), binding);
	if (event->role == KERNEL_SWITCH) {
		struct counter_owner *cpu = event->cpu >= 0 ? owner_of(counters, CPUS, event->cpu) : NULL;
		counters->has_switches |= event->cpu >= 0;
		if (cpu != NULL) {
			cpu->has_tid = event->tid != NOT_KNOWN;
			cpu->tid = event->tid;
		}
	}
}

static void counters_lose(struct kernel_sums *sums, const struct event_gap *gap)
{
	struct kernel_sum_row *row = NULL;
	while ((row = kernel_sum_next(sums, &sums->tables[CPUS], row)) != NULL)
		if (gap->cpu < 0 || row->number == gap->cpu) {
			/* It is not known which thread has run there since. */
			struct counters *counters = (struct counters *)sums;
			((struct counter_owner *)row)->has_tid = false;
			for (uint32_t counter = 0; counter < counters->names.count; counter++) {
				const uint64_t id = (uint64_t)counter << 32 | (uint32_t)row->number;
				struct counter_sum *sum = id_map_find(&counters->counts[CPUS], id);
				if (sum != NULL)
					sum->has_shared = false;
			}
		}
}

static bool counters_is_empty(const struct kernel_sums *sums)
{
	return ((const struct counters *)sums)->events == 0;
}

static void counters_say_missing(const struct kernel_sums *sums, char *text, size_t size)
{
	const struct counters *counters = (const struct counters *)sums;
	if (counters->of_nobody > 0)
		snprintf(text, size,
			 "%" PRIu64 " counters of threads do not say of which thread they are, and are left out; "
			 "record with 'lttng add-context -u -t vtid'",
			 counters->of_nobody);
	else if (counters->has_cpu_counters && !counters->has_switches)
		snprintf(text, size,
			 "the trace has no switches, so that counters of CPUs are no thread's: record sched_switch "
			 "(lttng enable-event -k sched_switch, or perf record -e sched:sched_switch)");
}

static void counters_release(struct kernel_sums *sums)
{
	struct counters *counters = (struct counters *)sums;
	intern_release(&counters->names);
	id_map_release(&counters->counts[CPUS]);
	id_map_release(&counters->counts[THREADS]);
	id_map_release(&counters->readings.last);
	arena_release(&counters->readings.memory);
	class_table_release(&counters->bindings);
}

static const struct kernel_sums_kind counter_sums = {
	.size = sizeof(struct counters),
	.what = "counters of the trace",
	.tables = {
		[CPUS] = { .folder = "CPUs", .row_size = sizeof(struct counter_owner) },
		[THREADS] = { .folder = "Threads", .row_size = sizeof(struct counter_owner) },
	},
	.roles = { KERNEL_SWITCH },
	.role_count = 1,
	.counts_all = true,
	.wants = has_something,
	.applies = kernel_input_knows,
	.create = counters_begin,
	.count = counters_count,
	.lose = counters_lose,
	.release = counters_release,
	.missing = "the events have no counters: record them with 'lttng add-context -k -t perf:cpu:cycles', of "
		   "programs with 'lttng add-context -u -t perf:thread:cycles -t vtid', or with perf record -e "
		   "'{cycles,instructions}:S'",
	.is_empty = counters_is_empty,
	.say_missing = counters_say_missing,
};

static const struct histree_chart_entry cpu_entries[] = {
	{ .parent = HISTREE_CHART_TOP, .path = "CPUs/*" },
	{ .parent = 0, .path = "*", .shown = ".", .measure = HISTREE_CHART_RATE },
};

static const struct histree_chart_entry thread_entries[] = {
	{ .parent = HISTREE_CHART_TOP, .path = "Threads/*" },
	{ .parent = 0, .path = "*", .shown = ".", .measure = HISTREE_CHART_RATE },
};

static const struct histree_chart charts[] = {
	{ .name = "cpu-counters",
	  .title = "What counters of CPUs counted",
	  .unit = "1/s",
	  CHART_ENTRIES(cpu_entries) },
	{ .name = "thread-counters",
	  .title = "What counters counted for threads",
	  .unit = "1/s",
	  CHART_ENTRIES(thread_entries) },
};

const struct analysis analysis_counters = {
	.name = "counters",
	.version = 4,
	.summary = "what counters in the contexts and samples of events counted so far, by CPU and thread",
	.charts = charts,
	.chart_count = sizeof(charts) / sizeof(*charts),
	.input = &kernel_input_kind,
	.applies = knows,
	.kind = &counter_sums,
	.create = kernel_sums_create,
	KERNEL_SUMS_FUNCTIONS,
};
