// SPDX-License-Identifier: MIT
/*
 * property_losses.c - a loss that is told ends: what it leaves in doubt is known again once an event says it anew.
 *
 * The events of a machine that is made up are written down, those of a random time on a random CPU are lost, and
 * that is said.  Of a thread, what it does is unknown at most from the last event before the loss to the first one
 * after it that names the thread; of the CPU, to the first one that says who runs there; of other CPUs never.  So
 * it is whatever kinds of events the trace has.
 *
 * In which mode a thread runs, and so its CPU, an entry or exit says, if the trace has any.  Where it is not
 * running, or is interrupted, that is known before.
 *
 * And what a trace that begins in the middle says of the modes of threads and CPUs is, from their first turns on,
 * as it is for who knows from the beginning what their first entries and exits will say.
 */
#include "base/hash_index.h"
#include "driver.h"
#include "state/state_system.h"
#include "support/analysis_feed.h"
#include "support/recorded_history.h"
#include "support/test.h"
#include "support/written_events.h"

enum { CPUS = 3, THREADS = 8, EVENTS_MAX = 600, EVENTS_ROOM = EVENTS_MAX + THREADS };

struct kind {
	const char *name;
	const struct analysis *analysis;
	bool has_contexts, has_wakeups, has_calls, has_irqs;
};

struct made_event {
	histree_time time;
	int cpu, tids[3]; /* that it names; 0: no thread, or an idle one */
	bool says_who_runs;
	int runs; /* the thread on the CPU before the event; 0: idle */
	char name[32], fields[160];
};

struct machine {
	const struct kind *kind;
	struct random random;
	histree_time now;
	int current[CPUS], on_cpu[THREADS + 1];
	bool in_call[THREADS + 1], in_irq[CPUS];
	struct made_event events[EVENTS_ROOM];
	size_t count;
};

/* An event, which has room for its fields then. */
static struct made_event *add(struct machine *machine, int cpu, const char *name)
{
	struct made_event *event = &machine->events[machine->count++];
	bool has_context = machine->kind->has_contexts;
	machine->now += 1 + (histree_time)random_below(&machine->random, 20);
	*event = (struct made_event){
		.time = machine->now, .cpu = cpu, .says_who_runs = has_context, .runs = machine->current[cpu]
	};
	event->tids[2] = has_context ? machine->current[cpu] : 0;
	snprintf(event->name, sizeof(event->name), "%s", name);
	return event;
}

static void say_fields(struct machine *machine, struct made_event *event, int context, const char *fields)
{
	char text[32] = "";
	if (machine->kind->has_contexts)
		snprintf(text, sizeof(text), " | tid=%d", context);
	snprintf(event->fields, sizeof(event->fields), "%s%s", fields, text);
}

static void say(struct machine *machine, int cpu, const char *name, const char *fields)
{
	say_fields(machine, add(machine, cpu, name), machine->current[cpu], fields);
}

static void wake(struct machine *machine, int cpu, int tid)
{
	char fields[64];
	struct made_event *event = add(machine, cpu, "sched_waking");
	event->tids[0] = tid;
	snprintf(fields, sizeof(fields), "comm=t tid=%d prio=20 target_cpu=%d", tid, cpu);
	say_fields(machine, event, machine->current[cpu], fields);
}

static void switch_threads(struct machine *machine, int cpu)
{
	char fields[128];
	int previous = machine->current[cpu], next = (int)random_below(&machine->random, THREADS + 1);
	if (next == previous || (next != 0 && machine->on_cpu[next] >= 0))
		return;
	if (next != 0 && machine->kind->has_wakeups)
		wake(machine, cpu, next);
	struct made_event *event = add(machine, cpu, "sched_switch");
	event->says_who_runs = true;
	event->tids[0] = previous;
	event->tids[1] = next;
	snprintf(fields, sizeof(fields),
		 "prev_comm=t prev_tid=%d prev_prio=20 prev_state=%d next_comm=t next_tid=%d next_prio=20",
		 previous, previous == 0 ? 0 : (int)random_below(&machine->random, 2), next);
	say_fields(machine, event, previous, fields);
	machine->on_cpu[previous] = -1;
	machine->on_cpu[next] = cpu;
	machine->current[cpu] = next;
}

static void step(struct machine *machine)
{
	int cpu = (int)random_below(&machine->random, CPUS), tid = machine->current[cpu];
	unsigned what = (unsigned)random_below(&machine->random, 4);
	if (machine->in_irq[cpu]) {
		say(machine, cpu, "irq_handler_exit", "irq=5 ret=1");
		machine->in_irq[cpu] = false;
	} else if (what < 2) {
		switch_threads(machine, cpu);
	} else if (what == 2 && machine->kind->has_irqs) {
		say(machine, cpu, "irq_handler_entry", "irq=5 name=disk");
		machine->in_irq[cpu] = true;
	} else if (what == 3 && machine->kind->has_calls && tid != 0) {
		say(machine, cpu, machine->in_call[tid] ? "syscall_exit_read" : "syscall_entry_read", "ret=0");
		machine->in_call[tid] = !machine->in_call[tid];
	}
}

static void make(struct machine *machine, const struct kind *kind, uint64_t seed)
{
	memset(machine, 0, sizeof(*machine));
	machine->kind = kind;
	machine->random = (struct random){ seed };
	for (int tid = 1; tid <= THREADS; tid++)
		machine->on_cpu[tid] = -1;
	while (machine->count + 4 < EVENTS_MAX)
		step(machine);
}

/* ---- a loss ------------------------------------------------------------------------------------------------ */

/* The events of a CPU after `begin` and before `end`. */
struct loss {
	int cpu;
	histree_time begin, end;
};

static struct loss choose_loss(struct machine *machine)
{
	struct loss loss = { .cpu = (int)random_below(&machine->random, CPUS), .begin = -1, .end = -1 };
	size_t from = EVENTS_MAX / 8 + (size_t)random_below(&machine->random, EVENTS_MAX / 2);
	size_t left = 1 + (size_t)random_below(&machine->random, 20);
	for (size_t i = 0; i < machine->count && loss.end < 0; i++) {
		const struct made_event *event = &machine->events[i];
		if (event->cpu != loss.cpu)
			continue;
		if (i < from)
			loss.begin = event->time;
		else if (left-- == 0)
			loss.end = event->time;
	}
	return loss;
}

static bool is_lost(const struct loss *loss, const struct made_event *event)
{
	return event->cpu == loss->cpu && event->time > loss->begin && event->time < loss->end;
}

static void run(const struct machine *machine, const struct loss *loss, struct recorded_history *history)
{
	const struct analysis *analysis = machine->kind->analysis;
	struct histree_error error = { 0 };
	struct histree_state_system *system;
	struct analysis_inputs inputs = { 0 };
	struct written_events written;
	void *instance;
	struct interval_sink sink = recorded_history_sink(history);
	written_events_init(&written, "lttng-modules", 2, 8);
	const struct event_gap gap = {
		.trace = &written.trace, .cpu = loss->cpu, .begin = loss->begin, .end = loss->end
	};
	assert_ok(state_system_create(0, &sink, &system, &error));
	assert_ok(feed_create(&inputs, analysis, system, &instance, &error));
	bool is_told = false;
	for (size_t i = 0; i < machine->count; i++) {
		const struct made_event *made = &machine->events[i];
		if (!is_told && made->time > loss->begin) {
			const struct event event = { .time = gap.begin, .cpu = gap.cpu, .gap = &gap };
			assert_ok(feed_event(&inputs, analysis, instance, &event, &error));
			is_told = true;
		}
		if (is_lost(loss, made))
			continue;
		struct event event = written_event(&written, made->time, made->cpu, made->name, made->fields);
		assert_ok(feed_event(&inputs, analysis, instance, &event, &error));
	}
	assert_ok(histree_state_close(system, machine->now, &error));
	analysis->free(instance);
	analysis_inputs_release(&inputs);
	histree_state_free(system);
}

/* ---- until when -------------------------------------------------------------------------------------------- */

/* Whether something says of a thread after the loss what it does; a wake-up says it of one that does not run. */
static histree_time named_at(const struct machine *machine, const struct loss *loss, int tid)
{
	for (size_t i = 0; i < machine->count; i++) {
		const struct made_event *event = &machine->events[i];
		if (event->time >= loss->end)
			for (int j = 0; j < 3; j++)
				if (event->tids[j] == tid)
					return event->time;
	}
	return machine->now + 1;
}

static histree_time who_runs_said_at(const struct machine *machine, const struct loss *loss)
{
	for (size_t i = 0; i < machine->count; i++) {
		const struct made_event *event = &machine->events[i];
		if (event->time >= loss->end && event->cpu == loss->cpu && event->says_who_runs)
			return event->time;
	}
	return machine->now + 1;
}

/* What is true of a thread at some time, and what the events that are not lost say of its mode. */
struct follow {
	const struct loss *loss;
	int tid, cpu; /* -1: it runs nowhere */
	bool is_told, has_begun;
	bool is_named; /* who runs on the CPU whose events were lost */
};

static void begin_loss(struct follow *follow)
{
	if (!follow->has_begun && (follow->cpu < 0 || follow->cpu == follow->loss->cpu))
		follow->is_told = false;
	follow->is_named = follow->is_named && follow->has_begun;
	follow->has_begun = true;
}

static void follow_event(struct follow *follow, const struct made_event *event)
{
	bool is_switch = strcmp(event->name, "sched_switch") == 0, is_seen = !is_lost(follow->loss, event);
	if (event->time > follow->loss->begin)
		begin_loss(follow);
	if (event->cpu == follow->loss->cpu && event->says_who_runs && is_seen)
		follow->is_named = true;
	if (strncmp(event->name, "syscall", 7) == 0 && event->runs == follow->tid && is_seen &&
	    (follow->is_named || event->cpu != follow->loss->cpu))
		follow->is_told = true;
	if (is_switch && event->tids[0] == follow->tid) {
		follow->cpu = -1;
		/* It may go on where nothing is seen. */
		follow->is_told = follow->is_told && !(follow->has_begun && event->time < follow->loss->end);
	}
	if (is_switch && event->tids[1] == follow->tid)
		follow->cpu = event->cpu;
}

/* Whether the thread runs from one time to another, on this CPU or on any (-1), and no event says in which mode. */
static bool runs_in_unknown_mode(const struct machine *machine, const struct loss *loss, int tid, int cpu,
				 histree_time from, histree_time to)
{
	struct follow follow = { .loss = loss, .tid = tid, .cpu = -1, .is_told = true };
	size_t i = 0;
	for (; i < machine->count && machine->events[i].time <= from; i++)
		follow_event(&follow, &machine->events[i]);
	if (from > loss->begin)
		begin_loss(&follow);
	bool is = machine->kind->has_calls && tid > 0 && follow.cpu >= 0 && !follow.is_told &&
		  (cpu < 0 || cpu == follow.cpu);
	for (; i < machine->count && machine->events[i].time <= to; i++)
		is = is &&
		     (machine->events[i].cpu != follow.cpu || strcmp(machine->events[i].name, "sched_waking") == 0);
	return is;
}

/* The thread that a CPU runs after all events up to a time. */
static int runs_at(const struct machine *machine, int cpu, histree_time time)
{
	int tid = 0;
	for (size_t i = 0; i < machine->count && machine->events[i].time <= time; i++)
		if (machine->events[i].cpu == cpu)
			tid = strcmp(machine->events[i].name, "sched_switch") == 0 ? machine->events[i].tids[1]
										   : machine->events[i].runs;
	return tid;
}

/* The same of a CPU, whoever it runs meanwhile. */
static bool runs_all_in_unknown_mode(const struct machine *machine, const struct loss *loss, int cpu,
				     histree_time from, histree_time to)
{
	for (size_t i = 0; i < machine->count && machine->events[i].time <= to; i++) {
		const struct made_event *event = &machine->events[i];
		if (event->cpu != cpu || event->time <= from || strcmp(event->name, "sched_switch") != 0)
			continue;
		if (!runs_in_unknown_mode(machine, loss, event->tids[0], cpu, from, event->time - 1))
			return false;
		from = event->time;
	}
	return runs_in_unknown_mode(machine, loss, runs_at(machine, cpu, from), cpu, from, to);
}

static void check_unknown(const struct machine *machine, const struct loss *loss, const char *path,
			  const struct recorded_interval *interval)
{
	int number, size = 0;
	histree_time end;
	bool is_cpu = false;
	if (sscanf(path, "Threads/%d%n", &number, &size) == 1 && path[size] == '\0' && number > 0)
		end = named_at(machine, loss, number);
	else if (sscanf(path, "CPUs/%d%n", &number, &size) == 1 && path[size] == '\0')
		end = number == loss->cpu ? who_runs_said_at(machine, loss) : INT64_MIN, is_cpu = true;
	else
		return;
	const histree_time from = interval->start > end ? interval->start : end;
	bool is_of_mode = is_cpu ? runs_all_in_unknown_mode(machine, loss, number, from, interval->end)
				 : runs_in_unknown_mode(machine, loss, number, -1, from, interval->end);
	if (interval->start < loss->begin || (interval->end >= end && !is_of_mode))
		fail_msg(
			"events of CPU %d were lost from %lld to %lld; '%s' is unknown from %lld to %lld, not only "
			"before %lld",
			loss->cpu, (long long)loss->begin, (long long)loss->end, path, (long long)interval->start,
			(long long)interval->end, (long long)end);
}

static void a_loss_ends(const void *chosen, uint64_t seed)
{
	static struct machine machine;
	make(&machine, chosen, seed);
	const struct loss loss = choose_loss(&machine);
	struct recorded_history history = { 0 };
	unsigned unknown = 0;
	if (loss.begin < 0 || loss.end < 0)
		return;
	run(&machine, &loss, &history);
	for (size_t i = 0; i < history.count; i++) {
		if (history.intervals[i].type != HISTREE_UNKNOWN)
			continue;
		check_unknown(&machine, &loss, history.paths[history.intervals[i].quark], &history.intervals[i]);
		unknown++;
	}
	assert_true(unknown > 0);
	recorded_history_release(&history);
}

/* ---- the beginning ----------------------------------------------------------------------------------------- */

/* Threads are in calls already: the first event of a call that is said of one may be its end. */
static void make_from_the_middle(struct machine *machine, const struct kind *kind, uint64_t seed)
{
	struct random random = { seed ^ 77 };
	memset(machine, 0, sizeof(*machine));
	machine->kind = kind;
	machine->random = (struct random){ seed };
	for (int tid = 1; tid <= THREADS; tid++) {
		machine->on_cpu[tid] = -1;
		machine->in_call[tid] = random_below(&random, 2) == 0;
	}
	size_t most = 20 + (size_t)random_below(&random, EVENTS_MAX - 20 - 4);
	while (machine->count < most)
		step(machine);
}

/* Whether the first event of a call of the thread, from some event on, is an end. */
static bool ends_first(const struct machine *machine, int tid, size_t from)
{
	for (size_t i = from; i < machine->count; i++)
		if (machine->events[i].runs == tid && strncmp(machine->events[i].name, "syscall_", 8) == 0)
			return strcmp(machine->events[i].name, "syscall_exit_read") == 0;
	return false;
}

/*
 * Of a trace whose reader knows what is to come: who is in a call, as its first exit says, enters it at the moment
 * at which it is first switched to.
 */
static void foretell(const struct machine *machine, struct machine *told)
{
	bool is_met[THREADS + 1] = { true };
	*told = *machine;
	told->count = 0;
	for (size_t i = 0; i < machine->count; i++) {
		const struct made_event *event = &machine->events[i];
		told->events[told->count++] = *event;
		int tid = strcmp(event->name, "sched_switch") == 0 ? event->tids[1] : 0;
		if (!is_met[tid] && ends_first(machine, tid, i)) {
			struct made_event *entry = &told->events[told->count++];
			*entry = *event;
			snprintf(entry->name, sizeof(entry->name), "syscall_entry_read");
			snprintf(entry->fields, sizeof(entry->fields),
				 machine->kind->has_contexts ? "fd=0 | tid=%d" : "fd=0", tid);
		}
		is_met[tid] = true;
	}
}

/* Whether two intervals of the same attribute are one state. */
static bool is_one_state(const struct recorded_interval *one, const struct recorded_interval *next)
{
	return one->quark == next->quark && one->type == next->type && strcmp(one->value, next->value) == 0;
}

/* Returns the end of the state that begins at `*at`, which becomes the index of the one after it. */
static histree_time end_of_state(const struct recorded_history *history, size_t *at)
{
	size_t first = (*at)++;
	while (*at < history->count && is_one_state(&history->intervals[first], &history->intervals[*at]))
		++*at;
	return history->intervals[*at - 1].end;
}

static size_t find_first(const struct recorded_history *history, const char *path)
{
	histree_quark quark = recorded_history_find(history, path);
	size_t at = 0;
	assert_true(quark != HISTREE_ROOT);
	while (history->intervals[at].quark != quark)
		at++;
	return at;
}

static void check_states(const struct recorded_history *history, const struct recorded_history *told,
			 const char *path)
{
	size_t at = find_first(history, path), in_told = find_first(told, path);
	const histree_quark quark = history->intervals[at].quark;
	while (at < history->count && history->intervals[at].quark == quark) {
		const struct recorded_interval *state = &history->intervals[at], *other = &told->intervals[in_told];
		histree_time end = end_of_state(history, &at), other_end = end_of_state(told, &in_told);
		if (state->type != other->type || strcmp(state->value, other->value) != 0 || end != other_end)
			fail_msg("'%s' is %s from %lld to %lld, and would be %s from %lld to %lld for who knows "
				 "what is to come",
				 path, state->value, (long long)state->start, (long long)end, other->value,
				 (long long)other->start, (long long)other_end);
	}
}

static void the_beginning_is_as_the_future_says(const void *chosen, uint64_t seed)
{
	static struct machine machine, told;
	const struct loss nothing = { .cpu = 0, .begin = INT64_MAX, .end = INT64_MAX };
	struct recorded_history history = { 0 }, of_told = { 0 };
	make_from_the_middle(&machine, chosen, seed);
	foretell(&machine, &told);
	run(&machine, &nothing, &history);
	run(&told, &nothing, &of_told);
	for (histree_quark quark = 0; quark < history.attribute_count; quark++) {
		const char *path = history.paths[quark];
		int number, size = 0;
		bool is_thread = sscanf(path, "Threads/%d%n", &number, &size) == 1 && path[size] == '\0';
		bool is_cpu = sscanf(path, "CPUs/%d%n", &number, &size) == 1 && path[size] == '\0';
		if ((is_thread && number > 0) || is_cpu)
			check_states(&history, &of_told, path);
	}
	recorded_history_release(&history);
	recorded_history_release(&of_told);
}

static const struct kind kinds[] = {
	{ "switches alone", &analysis_kernel, false, false, false, false },
	{ "switches with contexts", &analysis_kernel, true, false, false, false },
	{ "wake-ups", &analysis_kernel, true, true, false, false },
	{ "system calls", &analysis_kernel, true, false, true, false },
	{ "interrupts", &analysis_kernel, false, false, false, true },
	{ "all events", &analysis_kernel, true, true, true, true },
	{ "all events, no contexts", &analysis_kernel, false, true, true, true },
	{ "all events, compact", &analysis_kernel_compact, true, true, true, true },
	{ NULL, NULL, false, false, false, false },
};

static bool has_calls(const void *chosen)
{
	return ((const struct kind *)chosen)->has_calls;
}

PROPERTIES({ KINDS(kinds), .rounds = 40, .check = a_loss_ends },
	   { KINDS(kinds), .rounds = 40, .check = the_beginning_is_as_the_future_says, .applies = has_calls })
