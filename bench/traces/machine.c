// SPDX-License-Identifier: MIT
#include "machine.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/table.h"

#define NEVER UINT64_MAX

/* Times in ns, as Linux has them on a common machine. */
enum {
	TICK = 4000000,
	SLICE = 3000000,
	RESCHEDULE = 1500, /* from the wake-up to the switch, if another thread is to give way */
};

/* include/linux/interrupt.h */
enum softirq { SOFTIRQ_TIMER = 1, SOFTIRQ_NET_RX = 3, SOFTIRQ_BLOCK = 4, SOFTIRQ_RCU = 9 };

/* A timer's interrupt is the processor's own: the tracer has no event of it. */
static const struct {
	const char *name;
	int32_t irq;
	enum softirq softirq;
} sources[] = {
	[SOURCE_TIMER] = { NULL, 0, SOFTIRQ_TIMER },
	[SOURCE_DISK] = { "ahci[0000:00:1f.2]", 26, SOFTIRQ_BLOCK },
	[SOURCE_NETWORK] = { "eth0", 31, SOFTIRQ_NET_RX },
};

static uint64_t max_time(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static uint64_t min_time(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* ---- time ------------------------------------------------------------------------------------------- */

uint64_t cpu_stamp(struct cpu *cpu)
{
	/* From one event of a kernel path to the next it takes some hundred ns. */
	cpu->now += 200 + (random_bits(&cpu->random) & 511);
	return cpu->now;
}

uint64_t cpu_about(struct cpu *cpu, uint64_t mean)
{
	/*
	 * The negative logarithm of a uniform number: leading zeros are its whole part to base 2, and between
	 * powers of two a straight line is near enough.  16 bits after the point; 45426 is the logarithm of 2.
	 */
	uint64_t uniform = random_bits(&cpu->random) | 1;
	unsigned zeros = (unsigned)__builtin_clzll(uniform);
	uint64_t fraction = zeros == 63 ? 0 : uniform << (zeros + 1) >> 48;
	uint64_t binary = ((uint64_t)(zeros + 1) << 16) - fraction;
	return mean / 2 + ((mean / 2 * binary >> 16) * 45426 >> 16);
}

static bool is_idle(const struct cpu *cpu)
{
	return cpu->current == &cpu->idle;
}

static void find_due(struct cpu *cpu)
{
	uint64_t due = is_idle(cpu) ? NEVER : cpu->step_end;
	if (cpu->queue != NULL)
		due = min_time(due, max_time(cpu->now, is_idle(cpu) ? cpu->queue->ready_at : cpu->preempt_at));
	cpu->due = min_time(due, cpu->tick_at);
}

/* A CPU with nothing to do has no tick; ticks of different CPUs do not coincide. */
static void set_tick(struct cpu *cpu)
{
	uint64_t phase = (uint64_t)cpu->stream.cpu * (TICK / CPUS_MAX);
	if (is_idle(cpu) && cpu->dead == NULL)
		cpu->tick_at = NEVER;
	else if (cpu->tick_at == NEVER)
		cpu->tick_at = (cpu->now - phase) / TICK * TICK + TICK + phase;
}

/* ---- run queues ------------------------------------------------------------------------------------- */

static uint32_t load(const struct cpu *cpu)
{
	return cpu->queued + !is_idle(cpu);
}

static void enqueue(struct cpu *cpu, struct thread *thread, bool first)
{
	thread->cpu = cpu->stream.cpu;
	struct thread **place = first ? &cpu->queue : cpu->queue_end;
	thread->next = *place;
	*place = thread;
	if (thread->next == NULL)
		cpu->queue_end = &thread->next;
	cpu->queued++;
	find_due(cpu);
}

static struct thread *dequeue(struct cpu *cpu)
{
	struct thread *thread = cpu->queue;
	if (thread == NULL)
		return NULL;
	cpu->queue = thread->next;
	if (cpu->queue == NULL)
		cpu->queue_end = &cpu->queue;
	cpu->queued--;
	return thread;
}

/* Its own CPU if that is idle, else another idle one; of busy CPUs its own, for a new thread the least busy. */
static struct cpu *choose_cpu(struct machine *machine, const struct thread *thread, bool new)
{
	struct cpu *best = &machine->cpus[thread->cpu];
	for (uint32_t i = 0; i < machine->cpu_count && load(best) > 0; i++) {
		struct cpu *cpu = &machine->cpus[(thread->cpu + i) % machine->cpu_count];
		if (load(cpu) == 0 || (new &&load(cpu) < load(best)))
			best = cpu;
	}
	return best;
}

/* The next thread for a CPU without any: from the longest queue of those that are busy. */
static struct thread *take_from_others(struct machine *machine, struct cpu *cpu)
{
	struct cpu *longest = cpu;
	for (uint32_t i = 0; i < machine->cpu_count; i++)
		if (!is_idle(&machine->cpus[i]) && machine->cpus[i].queued > longest->queued)
			longest = &machine->cpus[i];
	struct thread *thread = dequeue(longest);
	if (thread == NULL)
		return NULL;
	find_due(longest);
	cpu->now = max_time(cpu->now, thread->ready_at);
	kernel_sched_migrate_task(&cpu->stream, cpu_stamp(cpu), &thread->task, thread->cpu, cpu->stream.cpu);
	return thread;
}

/* ---- switches and wake-ups -------------------------------------------------------------------------- */

static void leave(struct cpu *cpu, struct thread *thread, enum task_state state)
{
	thread->off_cpu_at = cpu->now;
	thread->sleeps = state == TASK_INTERRUPTIBLE || state == TASK_UNINTERRUPTIBLE;
	if (state == TASK_DEAD) {
		thread->next = cpu->dead;
		cpu->dead = thread;
	} else if (state == TASK_RUNNING && thread != &cpu->idle) {
		thread->ready_at = cpu->now;
		enqueue(cpu, thread, false);
	}
}

/* The current thread goes, for the reason that `state` is, and the next one comes. */
static void schedule(struct machine *machine, struct cpu *cpu, enum task_state state)
{
	struct thread *previous = cpu->current;
	struct thread *next = dequeue(cpu);
	if (next == NULL)
		next = take_from_others(machine, cpu);
	if (next == NULL)
		next = &cpu->idle;
	if (state == TASK_RUNNING && previous != &cpu->idle)
		previous->left = cpu->step_end - cpu->now;
	cpu->now = max_time(cpu->now, next->ready_at);
	uint64_t now = cpu_stamp(cpu);
	kernel_sched_switch(&cpu->stream, now, &previous->task, state, &next->task);
	cpu->current = next;
	next->cpu = cpu->stream.cpu;
	cpu->step_end = now + next->left;
	cpu->preempt_at = now + SLICE;
	leave(cpu, previous, state);
	set_tick(cpu);
}

void machine_wake(struct machine *machine, struct cpu *waker, struct thread *thread)
{
	struct cpu *cpu = choose_cpu(machine, thread, false);
	/* The kernel, too, waits until the thread has left its CPU. */
	waker->now = max_time(waker->now, thread->off_cpu_at);
	kernel_sched_waking(&waker->stream, cpu_stamp(waker), &thread->task, thread->cpu);
	if (cpu->stream.cpu != thread->cpu)
		kernel_sched_migrate_task(&waker->stream, cpu_stamp(waker), &thread->task, thread->cpu,
					  cpu->stream.cpu);
	thread->ready_at = cpu_stamp(waker);
	kernel_sched_wakeup(&waker->stream, thread->ready_at, &thread->task, cpu->stream.cpu);
	thread->sleeps = false;
	bool preempts = !thread->computes && cpu->current->computes;
	if (preempts)
		cpu->preempt_at = min_time(cpu->preempt_at, thread->ready_at + RESCHEDULE);
	enqueue(cpu, thread, preempts);
}

void machine_start(struct machine *machine, struct cpu *parent, struct thread *thread)
{
	thread->cpu = parent->stream.cpu;
	struct cpu *cpu = choose_cpu(machine, thread, true);
	thread->ready_at = cpu_stamp(parent);
	kernel_sched_wakeup_new(&parent->stream, thread->ready_at, &thread->task, cpu->stream.cpu);
	enqueue(cpu, thread, false);
}

/* ---- alarms ----------------------------------------------------------------------------------------- */

static bool comes_before(const struct alarm *a, const struct alarm *b)
{
	return a->time != b->time ? a->time < b->time : a->number < b->number;
}

void machine_wake_later(struct machine *machine, struct cpu *cpu, struct thread *thread, enum source source,
			uint64_t delay)
{
	if (!array_reserve(&machine->alarms, &machine->alarm_capacity, machine->alarm_count + 1)) {
		machine->failure = ENOMEM;
		return;
	}
	struct alarm alarm = { cpu->now + delay, machine->alarm_number++, thread, source };
	size_t at = machine->alarm_count++;
	while (at > 0 && comes_before(&alarm, &machine->alarms[(at - 1) / 2])) {
		machine->alarms[at] = machine->alarms[(at - 1) / 2];
		at = (at - 1) / 2;
	}
	machine->alarms[at] = alarm;
}

static struct alarm take_alarm(struct machine *machine)
{
	struct alarm first = machine->alarms[0];
	struct alarm last = machine->alarms[--machine->alarm_count];
	size_t at = 0, child;
	while ((child = 2 * at + 1) < machine->alarm_count) {
		if (child + 1 < machine->alarm_count &&
		    comes_before(&machine->alarms[child + 1], &machine->alarms[child]))
			child++;
		if (!comes_before(&machine->alarms[child], &last))
			break;
		machine->alarms[at] = machine->alarms[child];
		at = child;
	}
	machine->alarms[at] = last;
	return first;
}

/* ---- interrupts ------------------------------------------------------------------------------------- */

/* The current thread stands still while the CPU serves an interrupt. */
static uint64_t begin_interrupt(struct cpu *cpu, uint64_t time)
{
	cpu->now = max_time(cpu->now, time);
	return cpu->now;
}

static void end_interrupt(struct cpu *cpu, uint64_t begin)
{
	cpu->step_end += cpu->now - begin;
	find_due(cpu);
}

static void raise_softirq(struct cpu *cpu, enum softirq softirq)
{
	kernel_irq_softirq_raise(&cpu->stream, cpu_stamp(cpu), softirq);
}

static void enter_softirq(struct cpu *cpu, enum softirq softirq)
{
	kernel_irq_softirq_entry(&cpu->stream, cpu_stamp(cpu), softirq);
}

static void exit_softirq(struct cpu *cpu, enum softirq softirq)
{
	kernel_irq_softirq_exit(&cpu->stream, cpu_stamp(cpu), softirq);
}

static void free_the_dead(struct machine *machine, struct cpu *cpu)
{
	while (cpu->dead != NULL) {
		struct thread *thread = cpu->dead;
		cpu->dead = thread->next;
		kernel_sched_process_free(&cpu->stream, cpu_stamp(cpu), &thread->task);
		machine->user.freed(machine->user.context, thread);
	}
}

static void tick(struct machine *machine, struct cpu *cpu)
{
	uint64_t begin = begin_interrupt(cpu, cpu->tick_at);
	bool some_died = cpu->dead != NULL;
	raise_softirq(cpu, SOFTIRQ_TIMER);
	if (some_died)
		raise_softirq(cpu, SOFTIRQ_RCU);
	enter_softirq(cpu, SOFTIRQ_TIMER);
	exit_softirq(cpu, SOFTIRQ_TIMER);
	if (some_died) {
		enter_softirq(cpu, SOFTIRQ_RCU);
		free_the_dead(machine, cpu);
		exit_softirq(cpu, SOFTIRQ_RCU);
	}
	cpu->tick_at = NEVER;
	set_tick(cpu);
	end_interrupt(cpu, begin);
}

static void ring(struct machine *machine, const struct alarm *alarm)
{
	const char *name = sources[alarm->source].name;
	int32_t irq = sources[alarm->source].irq;
	enum softirq softirq = sources[alarm->source].softirq;
	/* A timer is on the CPU where it was set, a device has its own. */
	uint32_t number = name == NULL ? alarm->thread->cpu : (uint32_t)irq % machine->cpu_count;
	struct cpu *cpu = &machine->cpus[number];

	uint64_t begin = begin_interrupt(cpu, alarm->time);
	if (name != NULL)
		kernel_irq_handler_entry(&cpu->stream, cpu_stamp(cpu), irq, name);
	raise_softirq(cpu, softirq);
	if (name != NULL)
		kernel_irq_handler_exit(&cpu->stream, cpu_stamp(cpu), irq);
	enter_softirq(cpu, softirq);
	machine_wake(machine, cpu, alarm->thread);
	exit_softirq(cpu, softirq);
	end_interrupt(cpu, begin);
}

/* ---- the machine ------------------------------------------------------------------------------------ */

static void take_step(struct machine *machine, struct cpu *cpu)
{
	cpu->now = max_time(cpu->now, cpu->step_end);
	enum task_state state = machine->user.step(machine->user.context, cpu);
	if (state == TASK_RUNNING)
		cpu->step_end = cpu->now + cpu->current->left;
	else
		schedule(machine, cpu, state);
}

/* What is due on the CPU: a tick, an end of idleness or of a slice, or a step of its thread. */
static void advance(struct machine *machine, struct cpu *cpu)
{
	uint64_t time = cpu->due;
	if (cpu->tick_at <= time) {
		tick(machine, cpu);
	} else if (is_idle(cpu)) {
		cpu->now = max_time(cpu->now, time);
		schedule(machine, cpu, TASK_RUNNING);
	} else if (cpu->queue != NULL && cpu->preempt_at <= time && cpu->step_end > time) {
		cpu->now = max_time(cpu->now, time);
		schedule(machine, cpu, TASK_RUNNING);
	} else {
		take_step(machine, cpu);
	}
	find_due(cpu);
	if (cpu->stream.failure != 0)
		machine->failure = cpu->stream.failure;
}

static struct cpu *earliest(struct machine *machine)
{
	struct cpu *first = &machine->cpus[0];
	for (uint32_t i = 1; i < machine->cpu_count; i++)
		if (machine->cpus[i].due < first->due)
			first = &machine->cpus[i];
	return first;
}

int machine_run(struct machine *machine)
{
	while (!machine->done && machine->failure == 0) {
		struct cpu *cpu = earliest(machine);
		if (machine->alarm_count > 0 && machine->alarms[0].time <= cpu->due) {
			struct alarm alarm = take_alarm(machine);
			ring(machine, &alarm);
		} else {
			advance(machine, cpu);
		}
	}
	return machine->failure;
}

static void init_cpu(struct cpu *cpu, uint32_t number, uint64_t seed)
{
	cpu->random.state = hash_mix(hash_mix(seed) + number);
	cpu->now = MACHINE_START;
	cpu->idle.task = (struct task){ .prio = 20 };
	snprintf(cpu->idle.task.comm, sizeof(cpu->idle.task.comm), "swapper/%" PRIu8, (uint8_t)number);
	cpu->current = &cpu->idle;
	cpu->queue_end = &cpu->queue;
	cpu->due = cpu->tick_at = NEVER;
}

int machine_init(struct machine *machine, const struct machine_options *options, const struct ctf_trace *trace,
		 const char *folder)
{
	*machine = (struct machine){ .user = options->user };
	machine->cpus = calloc(options->cpu_count, sizeof(*machine->cpus));
	if (machine->cpus == NULL)
		return ENOMEM;
	int failure = 0;
	while (machine->cpu_count < options->cpu_count && failure == 0) {
		uint32_t number = machine->cpu_count++;
		init_cpu(&machine->cpus[number], number, options->seed);
		failure = ctf_stream_open(&machine->cpus[number].stream, trace, folder, number);
	}
	return failure;
}

int machine_close(struct machine *machine)
{
	int failure = 0;
	for (uint32_t i = 0; i < machine->cpu_count; i++) {
		int ended = ctf_stream_close(&machine->cpus[i].stream);
		failure = failure != 0 ? failure : ended;
	}
	return failure;
}

void machine_release(struct machine *machine)
{
	free(machine->cpus);
	free(machine->alarms);
}
