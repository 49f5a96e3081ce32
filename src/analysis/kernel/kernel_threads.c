// SPDX-License-Identifier: MIT
#include "analysis/kernel/kernel_threads.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char *const attribute_names[THREAD_ATTRIBUTE_COUNT] = {
	[THREAD_STATUS] = "Status",
	[THREAD_SYSTEM_CALL] = "System_call",
	[THREAD_RUN_QUEUE] = "Current_cpu_rq",
	[THREAD_EXEC_NAME] = "Exec_name",
	[THREAD_PPID] = "PPID",
	[THREAD_PID] = "PID",
	[THREAD_PRIO] = "Prio",
};

static struct kernel_thread *add_thread(struct kernel_model *model, uint64_t id, int32_t tid)
{
	struct kernel_thread *thread = kernel_record_in(model, &model->threads, id, sizeof(*thread));
	if (thread == NULL)
		return NULL;
	thread->tid = tid;
	thread->node = NO_ATTRIBUTE;
	thread->said = INT64_MIN;
	for (int attribute = 0; attribute < THREAD_ATTRIBUTE_COUNT; attribute++)
		thread->attributes[attribute] = NO_ATTRIBUTE;
	return thread;
}

static void name_thread(struct kernel_model *model, struct kernel_thread *thread, int32_t tid, int32_t cpu)
{
	char name[32];
	int size = tid == 0 ? snprintf(name, sizeof(name), "0_%" PRId32, cpu)
			    : snprintf(name, sizeof(name), "%" PRId32, tid);
	changes_child(&model->changes, &thread->node, kernel_group(model, GROUP_THREADS), name, (size_t)size);
	if (model->status_on_node)
		thread->attributes[THREAD_STATUS] = thread->node;
}

struct kernel_thread *kernel_thread(struct kernel_model *model, int32_t tid, int32_t cpu)
{
	if (tid == 0 && cpu < 0)
		return NULL;
	/* Idle threads are in the upper half, by CPU. */
	uint64_t id = tid == 0 ? UINT64_C(1) << 32 | (uint32_t)cpu : (uint32_t)tid;
	struct kernel_thread *thread = id_map_find(&model->threads, id);
	if (thread == NULL)
		thread = add_thread(model, id, tid);
	if (thread != NULL && thread->node == NO_ATTRIBUTE)
		name_thread(model, thread, tid, cpu);
	return thread == NULL || thread->node == NO_ATTRIBUTE ? NULL : thread;
}

histree_quark thread_attribute(struct kernel_model *model, struct kernel_thread *thread,
			       enum thread_attribute attribute)
{
	histree_quark *quark = &thread->attributes[attribute];
	if (*quark != NO_ATTRIBUTE)
		return *quark;
	const char *name = attribute_names[attribute];
	return changes_child(&model->changes, quark, thread->node, name, strlen(name));
}

bool thread_has(const struct kernel_thread *thread, enum thread_attribute attribute)
{
	return thread->attributes[attribute] != NO_ATTRIBUTE;
}

struct histree_value thread_value(struct kernel_model *model, struct kernel_thread *thread,
				  enum thread_attribute attribute)
{
	return changes_value(&model->changes, thread_attribute(model, thread, attribute));
}

/* A thread that is heard of first after a gap may be in a system call: where it began is lost. */
static void appear(struct kernel_model *model, struct kernel_thread *thread)
{
	if (model->has_gaps && thread_value(model, thread, THREAD_STATUS).type == HISTREE_NULL)
		change(&model->changes, thread_attribute(model, thread, THREAD_SYSTEM_CALL), histree_unknown());
}

/* It runs, and not where events are being lost: this is said by an event. */
static bool is_held(struct kernel_model *model, struct kernel_thread *thread)
{
	struct histree_value status = thread_value(model, thread, THREAD_STATUS);
	return status.type == HISTREE_INT &&
	       (status.int32 == THREAD_RUNS_USERMODE || status.int32 == THREAD_RUNS_SYSCALL ||
		status.int32 == THREAD_INTERRUPTED);
}

void thread_change(struct kernel_model *model, struct kernel_thread *thread, enum thread_attribute attribute,
		   struct histree_value value)
{
	if (attribute == THREAD_STATUS) {
		thread->said = model->changes.time;
		if (value.type != HISTREE_NULL)
			appear(model, thread);
	}
	change(&model->changes, thread_attribute(model, thread, attribute), value);
	if (kernel_is_losing(model) && !is_held(model, thread))
		thread_doubt(model, thread);
}

static bool lives(struct kernel_model *model, struct kernel_thread *thread)
{
	return thread_has(thread, THREAD_STATUS) && thread_value(model, thread, THREAD_STATUS).type != HISTREE_NULL;
}

/* What a thread that nobody sees changes; its status comes first. */
static const enum thread_attribute in_doubt[] = { THREAD_STATUS, THREAD_SYSTEM_CALL, THREAD_RUN_QUEUE,
						  THREAD_PRIO };
enum { IN_DOUBT_COUNT = sizeof(in_doubt) / sizeof(in_doubt[0]) };

void thread_doubt(struct kernel_model *model, struct kernel_thread *thread)
{
	bool alive = lives(model, thread);
	if (alive)
		thread_attribute(model, thread, THREAD_SYSTEM_CALL); /* where there is none, it is in no call */
	for (size_t i = 0; i < IN_DOUBT_COUNT; i++) {
		histree_quark quark = thread->attributes[in_doubt[i]];
		/* The dead keep what is left of them until they are freed. */
		if (quark != NO_ATTRIBUTE && (alive || changes_value(&model->changes, quark).type != HISTREE_NULL))
			change(&model->changes, quark, histree_unknown());
	}
	thread->call = PROGRESS_UNKNOWN;
}

void thread_lose_sight(struct kernel_model *model, struct kernel_thread *thread)
{
	if (!lives(model, thread))
		return;
	if (model->has_calls)
		thread_attribute(model, thread, THREAD_SYSTEM_CALL);
	for (size_t i = 0; i < IN_DOUBT_COUNT; i++) {
		histree_quark quark = thread->attributes[in_doubt[i]];
		bool is_no_call = in_doubt[i] == THREAD_SYSTEM_CALL && !model->has_calls;
		if (quark != NO_ATTRIBUTE && !is_no_call)
			change_after(&model->changes, quark, thread->said, histree_unknown());
	}
	thread->call = PROGRESS_UNKNOWN;
}

void thread_rename(struct kernel_model *model, struct kernel_thread *thread, struct kernel_text name)
{
	thread_change(model, thread, THREAD_EXEC_NAME, histree_string_n(name.bytes, name.size));
}

bool thread_learn(struct kernel_model *model, struct kernel_thread *thread, enum thread_attribute attribute,
		  struct histree_value value)
{
	if (thread_value(model, thread, attribute).type != HISTREE_NULL)
		return false;
	thread_change(model, thread, attribute, value);
	return true;
}

void thread_run(struct kernel_model *model, struct kernel_thread *thread)
{
	appear(model, thread);
	enum histree_type call = thread_value(model, thread, THREAD_SYSTEM_CALL).type;
	thread_change(model, thread, THREAD_STATUS,
		      call == HISTREE_UNKNOWN ? histree_unknown()
		      : call == HISTREE_NULL  ? histree_int(THREAD_RUNS_USERMODE)
					      : histree_int(THREAD_RUNS_SYSCALL));
}

bool thread_is_doubtful(struct kernel_model *model, struct kernel_thread *thread)
{
	enum histree_type status = thread_value(model, thread, THREAD_STATUS).type;
	if (status == HISTREE_NULL && model->has_gaps)
		thread_change(model, thread, THREAD_STATUS, histree_unknown());
	return status == HISTREE_UNKNOWN || (status == HISTREE_NULL && model->has_gaps);
}

void thread_wake(struct kernel_model *model, struct kernel_thread *thread)
{
	struct histree_value status = thread_value(model, thread, THREAD_STATUS);
	bool runs = thread->runs_on != NULL ||
		    (status.type == HISTREE_INT &&
		     (status.int32 == THREAD_RUNS_USERMODE || status.int32 == THREAD_RUNS_SYSCALL));
	if (!runs && !thread_is_doubtful(model, thread))
		thread_change(model, thread, THREAD_STATUS, histree_int(THREAD_WAITS_FOR_CPU));
}

struct histree_value thread_status_of_task_state(int32_t task_state)
{
	/* include/linux/sched.h as of the traces that Trace Compass was written for. */
	enum { TASK_STATE_MASK = 0x3ff, TASK_INTERRUPTIBLE = 1, TASK_UNINTERRUPTIBLE = 2, TASK_DEAD = 64 };

	int32_t state = task_state & TASK_STATE_MASK;
	if (state == 0)
		return histree_int(THREAD_WAITS_FOR_CPU);
	if ((state & (TASK_INTERRUPTIBLE | TASK_UNINTERRUPTIBLE)) != 0)
		return histree_int(THREAD_BLOCKED);
	if ((state & TASK_DEAD) != 0)
		return histree_null();
	return histree_int(THREAD_WAITS_UNKNOWN);
}

void thread_inherit_system_call(struct kernel_model *model, struct kernel_thread *parent,
				struct kernel_thread *child)
{
	appear(model, parent);
	if (model->has_gaps) /* the child is new: it is in no other call than its parent */
		thread_change(model, child, THREAD_SYSTEM_CALL, histree_null());
	if (thread_value(model, parent, THREAD_SYSTEM_CALL).type == HISTREE_NULL)
		return;
	histree_quark quark = thread_attribute(model, child, THREAD_SYSTEM_CALL);
	change(&model->changes, quark, thread_value(model, parent, THREAD_SYSTEM_CALL));
	child->call = parent->call;
}

void thread_remove(struct kernel_model *model, struct kernel_thread *thread)
{
	for (int attribute = 0; attribute < THREAD_ATTRIBUTE_COUNT; attribute++)
		if (thread_has(thread, attribute))
			thread_change(model, thread, attribute, histree_null());
}
