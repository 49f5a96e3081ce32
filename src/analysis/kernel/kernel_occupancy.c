// SPDX-License-Identifier: MIT
/*
 * kernel_occupancy.c - a thread and its CPU find and lose each other.  kernel_cpu.runs and kernel_thread.runs_on
 * always point at one another; both are changed here, and where a slice
 * begins or is taken over, or a checkpoint is loaded.
 */
#include "analysis/kernel/kernel_occupancy.h"

#include <assert.h>

#include "analysis/kernel/kernel_threads.h"

static void assert_pair(const struct kernel_cpu *cpu)
{
	assert(cpu->runs == NULL || cpu->runs->runs_on == cpu);
}

static void part(struct kernel_cpu *cpu)
{
	assert_pair(cpu);
	if (cpu->runs != NULL)
		cpu->runs->runs_on = NULL;
	cpu->runs = NULL;
}

/* The CPU does not run its thread any more, and nobody saw since when. */
static void lose_sight(struct kernel_model *model, struct kernel_cpu *cpu)
{
	struct kernel_thread *thread = cpu->runs;
	part(cpu);
	if (model->slice != NULL) {
		change_log_fail(model->slice->log, "an event denies who ran");
		return;
	}
	thread_lose_sight(model, thread);
	if (cpu->attributes[CPU_STATUS] != NO_ATTRIBUTE)
		change_after(&model->changes, cpu->attributes[CPU_STATUS], thread->said, histree_unknown());
	change_after(&model->changes, cpu_attribute(model, cpu, CPU_CURRENT_THREAD), thread->said,
		     histree_unknown());
	/* An idle thread leaves to let another run, and is never anywhere else. */
	if (thread->tid == 0)
		thread_change(model, thread, THREAD_STATUS, histree_int(THREAD_WAITS_FOR_CPU));
}

static bool is_said_to_wait(struct kernel_model *model, struct kernel_thread *thread)
{
	return thread_has(thread, THREAD_STATUS) && thread_value(model, thread, THREAD_STATUS).type == HISTREE_INT;
}

void occupancy_find(struct kernel_model *model, struct kernel_cpu *cpu, struct kernel_thread *thread)
{
	cpu_claim(model, cpu, thread->tid);
	assert_pair(cpu);
	if (cpu->runs == thread)
		return;
	bool is_said_to_run = thread->runs_on != NULL, is_denied = cpu->runs != NULL || is_said_to_run;
	if (cpu->runs == NULL && cpu->stepped > thread->unseen_until)
		thread->unseen_until = cpu->stepped;
	cpu->stepped = INT64_MIN;
	if (cpu->runs != NULL)
		lose_sight(model, cpu);
	if (is_said_to_run) {
		lose_sight(model, thread->runs_on);
	} else if (is_said_to_wait(model, thread)) {
		is_denied = !thread_is_guessed(model, thread);
		thread_lose_sight(model, thread);
	}
	model->conflicts.denials[CONFLICT_SWITCH] += is_denied;
}

void occupancy_find_nowhere(struct kernel_model *model, struct kernel_thread *thread)
{
	if (thread->runs_on == NULL)
		return;
	lose_sight(model, thread->runs_on);
	model->conflicts.denials[CONFLICT_SWITCH]++;
}

/* The pseudo-thread has nothing more to do once all CPUs have threads with names. */
static void name_cpu(struct kernel_model *model, struct kernel_cpu *cpu)
{
	cpu->is_nameless = false;
	if (--model->nameless_cpus > 0)
		return;
	struct kernel_thread *pseudo = kernel_thread(model, -1, cpu->number);
	if (pseudo != NULL && pseudo->runs_on == NULL)
		thread_remove(model, pseudo);
}

void occupancy_change(struct kernel_model *model, struct kernel_cpu *cpu, struct kernel_thread *thread)
{
	if (model->changes.status != HISTREE_OK)
		return;
	part(cpu);
	assert(thread->runs_on == NULL);
	cpu->runs = thread;
	thread->runs_on = cpu;
	if (cpu->is_nameless)
		name_cpu(model, cpu);
}

void occupancy_forget(struct kernel_model *model, struct kernel_cpu *cpu)
{
	part(cpu);
	if (cpu->is_nameless)
		model->nameless_cpus--;
	cpu->is_nameless = false;
}
