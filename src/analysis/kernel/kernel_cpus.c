// SPDX-License-Identifier: MIT
/*
 * kernel_cpus.c - CPUs and their attributes, made when they are first asked for.
 *
 * Which thread a CPU runs is its attribute Current_thread; before the first switch it is null, and the pseudo-
 * thread -1 stands for whoever runs.  In a slice it is claimed once, by the first event that says it.
 */
#include "analysis/kernel/kernel_cpus.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "analysis/kernel/kernel_slice.h"
#include "base/costly.h"

static const char *const attribute_names[CPU_ATTRIBUTE_COUNT] = {
	[CPU_STATUS] = "Status",
	[CPU_CURRENT_THREAD] = "Current_thread",
	[CPU_IRQS] = "IRQs",
	[CPU_SOFT_IRQS] = "Soft_IRQs",
	[CPU_FREQUENCY] = "Frequency",
	[CPU_FREQUENCY_MIN] = "Min frequency",
	[CPU_FREQUENCY_MAX] = "Max frequency",
};

const char *cpu_attribute_name(enum cpu_attribute attribute)
{
	return attribute_names[attribute];
}

static struct kernel_cpu *add_cpu(struct kernel_model *model, int32_t number)
{
	struct kernel_cpu *cpu = kernel_record_in(model, &model->cpus, (uint64_t)number, sizeof(*cpu));
	if (cpu == NULL)
		return NULL;
	cpu->number = number;
	cpu->node = NO_ATTRIBUTE;
	cpu->waking = cpu->stepped = INT64_MIN;
	cpu->in_doubt_since = INT64_MIN;
	if (model->corrects_past && model->slice == NULL) {
		cpu->in_doubt = DOUBT_IRQS | DOUBT_SOFTIRQS;
		model->cpus_in_doubt++;
	}
	for (int attribute = 0; attribute < CPU_ATTRIBUTE_COUNT; attribute++)
		cpu->attributes[attribute] = NO_ATTRIBUTE;
	return cpu;
}

static void name_cpu(struct kernel_model *model, struct kernel_cpu *cpu)
{
	char name[16];
	int size = snprintf(name, sizeof(name), "%" PRId32, cpu->number);
	changes_child(&model->changes, &cpu->node, kernel_group(model, GROUP_CPUS), name, (size_t)size);
	if (model->places->status_on_node)
		cpu->attributes[CPU_STATUS] = cpu->node;
}

struct kernel_cpu *kernel_cpu(struct kernel_model *model, int32_t number)
{
	if (number < 0)
		return NULL;
	struct kernel_cpu *cpu = id_map_find_again(&model->cpus, (uint64_t)number);
	if (cpu == NULL)
		cpu = add_cpu(model, number);
	if (cpu != NULL && cpu->node == NO_ATTRIBUTE)
		name_cpu(model, cpu);
	return cpu == NULL || cpu->node == NO_ATTRIBUTE ? NULL : cpu;
}

bool kernel_cpu_is_recorded(struct kernel_model *model, int32_t number)
{
	struct kernel_cpu *cpu = id_map_find_again(&model->cpus, (uint64_t)number);
	if (cpu != NULL && cpu->attributes[CPU_CURRENT_THREAD] != NO_ATTRIBUTE)
		return true;
	if (model->slice == NULL)
		return false;
	if (cpu == NULL)
		cpu = add_cpu(model, number);
	if (cpu != NULL)
		cpu->is_taken_for_recorded = true;
	return true;
}

histree_quark cpu_attribute(struct kernel_model *model, struct kernel_cpu *cpu, enum cpu_attribute attribute)
{
	histree_quark *quark = &cpu->attributes[attribute];
	bool is_group = attribute == CPU_IRQS || attribute == CPU_SOFT_IRQS;
	if (is_group && model->places->interrupts_have_signs)
		return cpu->node;
	if (*quark != NO_ATTRIBUTE)
		return *quark;
	const char *name = attribute_names[attribute];
	return changes_child(&model->changes, quark, cpu->node, name, strlen(name));
}

void cpu_change(struct kernel_model *model, struct kernel_cpu *cpu, enum cpu_attribute attribute,
		struct histree_value value)
{
	change(&model->changes, cpu_attribute(model, cpu, attribute), value);
}

/* It was seen in the slice already, where it did not run. */
static bool is_seen(const struct kernel_thread *thread)
{
	return thread->said != INT64_MIN || thread->assumed != 0 || thread->runs_on != NULL;
}

void cpu_claim(struct kernel_model *model, struct kernel_cpu *cpu, int32_t tid)
{
	if (model->slice == NULL || cpu->is_claimed)
		return;
	cpu->is_claimed = true;
	cpu->claimed_tid = tid;
	struct kernel_thread *thread = kernel_thread(model, tid, cpu->number);
	if (thread == NULL)
		return;
	if (is_seen(thread)) {
		change_log_fail(model->changes.log, "a thread is found to run that was seen to wait");
		return;
	}
	change_log_guess(model->changes.log, cpu_attribute(model, cpu, CPU_CURRENT_THREAD), histree_int(tid));
	cpu->runs = thread;
	thread->runs_on = cpu;
	thread->claimed_by = cpu;
}

struct kernel_thread *cpu_current_thread(struct kernel_model *model, struct kernel_cpu *cpu)
{
	cpu_claim(model, cpu, 0);
	struct histree_value current =
		changes_value(&model->changes, cpu_attribute(model, cpu, CPU_CURRENT_THREAD));
	if (current.type == HISTREE_UNKNOWN)
		return NULL;
	int32_t tid = current.type == HISTREE_INT ? current.int32 : -1;
	if (current.type == HISTREE_NULL && !cpu->is_nameless) {
		cpu->is_nameless = true;
		model->nameless_cpus++;
	}
	if (cpu->last_thread == NULL || cpu->last_tid != tid) {
		cpu->last_thread = kernel_thread(model, tid, cpu->number);
		cpu->last_tid = tid;
	}
	costly_assert(cpu->last_thread == NULL || tid <= 0 ||
		      cpu->last_thread == id_map_find(&model->threads, (uint32_t)tid));
	return cpu->last_thread;
}

struct histree_value cpu_status_of_thread(struct kernel_model *model, struct kernel_cpu *cpu)
{
	cpu_claim(model, cpu, 0);
	struct histree_value current =
		changes_value(&model->changes, cpu_attribute(model, cpu, CPU_CURRENT_THREAD));
	if (current.type != HISTREE_INT) /* null, or unknown */
		return current;
	if (current.int32 == 0)
		return histree_int(CPU_IDLE);
	struct kernel_thread *thread = cpu_current_thread(model, cpu);
	if (thread == NULL)
		return histree_null();
	return thread_mode(model, thread, CPU_RUNS_USERMODE, CPU_RUNS_SYSCALL);
}
