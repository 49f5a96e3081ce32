// SPDX-License-Identifier: MIT
/*
 * kernel_threads.c - the threads and CPUs of a kernel: the model with their records and their attributes, and what
 * follows from events about them.
 *
 * The maps of a model, and the memory of its records, may both be in the table space of a build: the number of
 * threads in a trace is not bounded.
 *
 * Every change of a thread's state goes through thread_change(), which keeps the time of the last evidence about
 * it, where one life of a number ends and the next begins, and what is in doubt while events are lost.
 * thread_mode() tells in which mode a thread runs.
 *
 * CPUs are made when they are first asked for.
 *
 * The thread that a CPU runs is its attribute Current_thread; before the first switch it is null, and the
 * pseudo-thread -1 stands for the unknown thread that runs.  In a slice it is claimed once, by the first event that
 * shows it.
 */
#include "analysis/kernel/kernel_threads.h"

#include <inttypes.h>
#include <stdalign.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/change_log.h"
#include "analysis/changes.h"
#include "analysis/kernel/kernel_layout.h"
#include "analysis/kernel/kernel_machine.h"
#include "base/arena.h"
#include "base/costly.h"
#include "base/hash_index.h"
#include "base/number_text.h"
#include "state/state_system.h"

/* ---- kernel model -------------------------------------------------------------------------------------------- */

void kernel_model_init(struct kernel_model *model, struct histree_state_system *system,
		       const struct kernel_places *places)
{
	*model = (struct kernel_model){
		.changes = { .system = system, .time = INT64_MIN },
		.loss_end = INT64_MIN,
		.places = places,
	};
	for (int group = 0; group < GROUP_COUNT; group++)
		model->groups[group] = NO_ATTRIBUTE;
	struct table_space *tables = state_system_tables(system);
	id_map_use_space(&model->threads, tables);
	id_map_use_space(&model->cpus, tables);
	id_map_use_space(&model->softirqs, tables);
	model->records.space = tables;
}

void kernel_model_release(struct kernel_model *model)
{
	id_map_release(&model->threads);
	id_map_release(&model->cpus);
	id_map_release(&model->softirqs);
	arena_release(&model->records);
	if (model->slice != NULL) {
		id_map_release(&model->slice->cpus);
		arena_release(&model->slice->memory);
		free(model->slice);
	}
	model->slice = NULL;
}

histree_quark kernel_group(struct kernel_model *model, enum kernel_group group)
{
	const char *name = model->places->groups[group];
	histree_quark *known = &model->groups[group];
	return model->places->groups_are_folders
		       ? changes_folder(&model->changes, known, HISTREE_ROOT, name, strlen(name))
		       : changes_child(&model->changes, known, HISTREE_ROOT, name, strlen(name));
}

void *kernel_record(struct kernel_model *model, size_t size)
{
	void *record = arena_allocate(&model->records, size, alignof(max_align_t));
	if (record == NULL)
		changes_fail(&model->changes, HISTREE_ERR_MEMORY,
			     "no memory for the threads and CPUs of the trace");
	else
		memset(record, 0, size);
	return record;
}

void *kernel_record_in(struct kernel_model *model, struct id_map *map, uint64_t id, size_t size)
{
	void *record = kernel_record(model, size);
	if (record != NULL && !id_map_add(map, id, record)) {
		changes_fail(&model->changes, HISTREE_ERR_MEMORY,
			     "no memory for the threads and CPUs of the trace");
		return NULL;
	}
	return record;
}

/* ---- kernel threads ------------------------------------------------------------------------------------------ */

_Static_assert(THREAD_ATTRIBUTE_COUNT <= 8, "a thread has a bit for each of its attributes");

static struct kernel_thread *add_thread(struct kernel_model *model, uint64_t id, int32_t tid)
{
	struct kernel_thread *thread = kernel_record_in(model, &model->threads, id, sizeof(*thread));
	if (thread == NULL)
		return NULL;
	thread->tid = tid;
	thread->node = NO_ATTRIBUTE;
	thread->said = thread->cloned = thread->unseen_until = INT64_MIN;
	thread->run_queue_since = thread->prio_since = INT64_MIN;
	for (int attribute = 0; attribute < THREAD_ATTRIBUTE_COUNT; attribute++)
		thread->attributes[attribute] = NO_ATTRIBUTE;
	return thread;
}

struct kernel_thread *kernel_thread(struct kernel_model *model, int32_t tid, int32_t cpu)
{
	if (tid == 0 && cpu < 0)
		return NULL;
	uint64_t id = kernel_thread_id(tid, cpu);
	struct kernel_thread *thread = id_map_find_again(&model->threads, id);
	if (thread == NULL)
		thread = add_thread(model, id, tid);
	if (thread != NULL && thread->node == NO_ATTRIBUTE) {
		char name[2 + NUMBER_TEXT_SIZE] = "0_";
		const size_t size =
			tid == 0 ? 2 + number_format_signed(cpu, name + 2) : number_format_signed(tid, name);
		changes_child(&model->changes, &thread->node, kernel_group(model, GROUP_THREADS), name, size);
		if (model->places->status_on_node) {
			thread->attributes[THREAD_STATUS] = thread->node;
			thread->asked |= 1U << THREAD_STATUS;
		}
	}
	return thread == NULL || thread->node == NO_ATTRIBUTE ? NULL : thread;
}

struct kernel_thread *kernel_thread_load(struct kernel_model *model, uint64_t id, int32_t tid, histree_quark node)
{
	struct kernel_thread *thread = add_thread(model, id, tid);
	if (thread != NULL)
		thread->node = node;
	return thread;
}

/* ---- its states ---------------------------------------------------------------------------------------------- */

static const struct thread_place *place_of(const struct kernel_model *model, enum thread_attribute attribute)
{
	return &model->places->threads[attribute];
}

static inline histree_quark thread_attribute_made(struct kernel_model *model, struct kernel_thread *thread,
						  enum thread_attribute attribute)
{
	if (thread->attributes[attribute] != NO_ATTRIBUTE)
		return thread->attributes[attribute];
	const char *name = place_of(model, attribute)->name;
	changes_child(&model->changes, &thread->attributes[attribute], thread->node, name, strlen(name));
	if ((thread->assumed & ASSUMES_NEW) != 0 && thread->attributes[attribute] != NO_ATTRIBUTE)
		change_log_guess(model->changes.log, thread->attributes[attribute], histree_null());
	return thread->attributes[attribute];
}

void thread_ask(struct kernel_model *model, struct kernel_thread *thread, enum thread_attribute attribute)
{
	thread->asked |= (uint8_t)(1U << attribute);
	if (thread->attributes[attribute] == NO_ATTRIBUTE && !model->places->only_known)
		thread_attribute_made(model, thread, attribute);
}

bool thread_has(const struct kernel_thread *thread, enum thread_attribute attribute)
{
	return (thread->asked >> attribute & 1) != 0;
}

/* An attribute that is not made yet was null so far; so was a half of a pair that only the other half has made. */
static struct histree_value value_of(struct kernel_model *model, const struct kernel_thread *thread,
				     enum thread_attribute attribute)
{
	if (thread->attributes[attribute] == NO_ATTRIBUTE)
		return histree_null();
	const enum histree_part part = place_of(model, attribute)->part;
	struct histree_value value = changes_value(&model->changes, thread->attributes[attribute]);
	return part == HISTREE_WHOLE ? value : histree_value_part(&value, part);
}

struct histree_value thread_value(struct kernel_model *model, struct kernel_thread *thread,
				  enum thread_attribute attribute)
{
	thread_ask(model, thread, attribute);
	return value_of(model, thread, attribute);
}

/* Since when a half of a pair has its value; NULL: not needed. */
static histree_time *since_of(struct kernel_thread *thread, enum thread_attribute attribute)
{
	return attribute == THREAD_RUN_QUEUE ? &thread->run_queue_since
	       : attribute == THREAD_PRIO    ? &thread->prio_since
					     : NULL;
}

static void put_half(struct kernel_model *model, struct kernel_thread *thread, enum thread_attribute attribute,
		     struct histree_value value)
{
	const struct thread_place *place = place_of(model, attribute);
	struct histree_value before = value_of(model, thread, attribute);
	struct histree_value other = value_of(model, thread, place->partner);
	histree_time *since = since_of(thread, attribute);
	char text[VALUE_PAIR_SIZE];
	if (histree_value_equal(&before, &value))
		return;
	bool is_first = place->part == HISTREE_FIRST_PART;
	change(&model->changes, thread_attribute_made(model, thread, attribute),
	       is_first ? value_pair(value, other, text) : value_pair(other, value, text));
	if (since != NULL)
		*since = model->changes.time;
}

/* What is known of the thread is `value` from now on. */
static void kernel_threads_put(struct kernel_model *model, struct kernel_thread *thread,
			       enum thread_attribute attribute, struct histree_value value)
{
	thread_ask(model, thread, attribute);
	if (thread->attributes[attribute] == NO_ATTRIBUTE && value.type == HISTREE_NULL)
		return;
	if (place_of(model, attribute)->part != HISTREE_WHOLE)
		put_half(model, thread, attribute, value);
	else
		change(&model->changes, thread_attribute_made(model, thread, attribute), value);
}

/*
 * The same since the event after `known`, as change_after().  A pair that began later, for its other half, is that
 * only from its own beginning on: what ended is never touched.
 */
static void put_after(struct kernel_model *model, struct kernel_thread *thread, enum thread_attribute attribute,
		      histree_time known, struct histree_value value)
{
	struct changes *changes = &model->changes;
	if (place_of(model, attribute)->part == HISTREE_WHOLE) {
		change_after(changes, thread_attribute_made(model, thread, attribute), known, value);
		return;
	}
	histree_time now = changes->time, *since = since_of(thread, attribute);
	known = since == NULL || known > *since ? known : *since;
	if (known < now)
		changes->time = known + 1;
	put_half(model, thread, attribute, value);
	changes->time = now;
}

/* ---- in a slice ---------------------------------------------------------------------------------------------- */

bool thread_is_before_slice(const struct kernel_model *model, const struct kernel_thread *thread,
			    enum thread_attribute attribute)
{
	return model->slice != NULL && thread->attributes[attribute] != NO_ATTRIBUTE &&
	       !change_log_knows(model->changes.log, thread->attributes[attribute]);
}

void thread_assume_new(struct kernel_model *model, struct kernel_thread *thread)
{
	if (thread->asked != 0 || thread->runs_on != NULL || thread->assumed != 0)
		return;
	thread->assumed |= ASSUMES_NEW;
	for (int attribute = 0; attribute < THREAD_ATTRIBUTE_COUNT; attribute++)
		if (thread->attributes[attribute] != NO_ATTRIBUTE)
			change_log_guess(model->changes.log, thread->attributes[attribute], histree_null());
}

/*
 * Returns the value, for thread_change() or cpu_change(), that follows from whether the thread is in a system call,
 * where that is still as it was before the slice.
 */
static struct histree_value thread_by_call(struct kernel_model *model, struct kernel_thread *thread,
					   int32_t no_call, int32_t call)
{
	static const enum change_doubt doubts[] = {
		[KIND_NOT_SAID] = DOUBT_AS_BEFORE,   [KIND_PROGRAM] = DOUBT_IF_OPEN,   [KIND_KERNEL] = DOUBT_NEVER,
		[KIND_TOLD_PROGRAM] = DOUBT_IF_OPEN, [KIND_TOLD_KERNEL] = DOUBT_NEVER,
	};
	histree_quark quark = thread->attributes[THREAD_SYSTEM_CALL];
	if (thread->tid == 0) { /* idle threads are in none */
		thread->assumed |= ASSUMES_NO_CALL;
		change_log_guess(model->changes.log, quark, histree_null());
		return histree_int(no_call);
	}
	return change_log_choice(model->changes.log, &(struct change_choice){ .of = quark,
									      .null = no_call,
									      .other = call,
									      .doubt = doubts[thread->kind] });
}

/* ---- what events say of them --------------------------------------------------------------------------------- */

/* It runs, and not where events are being lost: this is said by an event.  In which mode may be unknown. */
static bool is_held(struct kernel_model *model, struct kernel_thread *thread)
{
	struct histree_value status = thread_value(model, thread, THREAD_STATUS);
	if (status.type == HISTREE_UNKNOWN)
		return thread->is_certain || thread->runs_on != NULL;
	return status.type == HISTREE_INT &&
	       (status.int32 == THREAD_RUNS_USERMODE || status.int32 == THREAD_RUNS_SYSCALL ||
		status.int32 == THREAD_INTERRUPTED);
}

static bool lives(struct kernel_model *model, struct kernel_thread *thread)
{
	return thread_has(thread, THREAD_STATUS) && thread_value(model, thread, THREAD_STATUS).type != HISTREE_NULL;
}

enum {
	WHO_IT_IS = 1U << THREAD_EXEC_NAME | 1U << THREAD_PPID | 1U << THREAD_PID,
	ALL_BUT_STATUS = (1U << THREAD_ATTRIBUTE_COUNT) - 1 - (1U << THREAD_STATUS),
};

/* What it did before is settled as far as possible: from now on it is not known whether it is in a call. */
static void lose_call(struct kernel_model *model, struct kernel_thread *thread)
{
	thread_decide_call(model, thread, FACT_STAYS_UNKNOWN, INT64_MIN);
	thread->call = PROGRESS_UNKNOWN;
	if (!thread_kind_is_told(thread->kind))
		thread->kind = KIND_NOT_SAID;
	else if (thread->first_step != STEP_NONE) /* a program that one of the kernel became */
		thread->kind = KIND_TOLD_PROGRAM;
}

/* Who had the number is gone. */
static void forget_kind(struct kernel_model *model, struct kernel_thread *thread)
{
	thread->kind = KIND_NOT_SAID;
	thread->is_kind_new = model->slice != NULL;
}

/*
 * Another thread has the number now: what was known of the old one ended with the last evidence about it.  The name
 * is null in between, which separates the lives (query/thread_list.c).
 */
static void forget(struct kernel_model *model, struct kernel_thread *thread, unsigned attributes)
{
	if (model->slice != NULL) {
		change_log_fail(model->slice->log, "a thread has the number of another one");
		return;
	}
	histree_time known = thread->said, since;
	for (int attribute = 0; attribute < THREAD_ATTRIBUTE_COUNT; attribute++)
		if ((attributes >> attribute & 1) != 0 && thread->attributes[attribute] != NO_ATTRIBUTE &&
		    histree_state_ongoing(model->changes.system, thread->attributes[attribute], NULL, &since,
					  NULL) == HISTREE_OK &&
		    since > known)
			known = since;
	for (int attribute = 0; attribute < THREAD_ATTRIBUTE_COUNT; attribute++)
		if ((attributes >> attribute & 1) != 0 && value_of(model, thread, attribute).type != HISTREE_NULL)
			put_after(model, thread, attribute, known, histree_null());
	lose_call(model, thread);
	forget_kind(model, thread);
	thread->process = 0;
	thread->first_step = STEP_NONE;
	thread->unseen_until = model->changes.time;
}

void thread_begin_life(struct kernel_model *model, struct kernel_thread *thread)
{
	if (thread->has_ended)
		forget(model, thread, ALL_BUT_STATUS);
	thread->has_ended = false;
}

/* Its status is about to change: has one life ended, or does another begin?  Rare: not inside thread_change(). */
__attribute__((noinline)) static void note_life(struct kernel_model *model, struct kernel_thread *thread,
						bool is_alive)
{
	if (is_alive && thread_is_before_slice(model, thread, THREAD_STATUS))
		thread->assumed |= ASSUMES_NOT_ENDED;
	else if (is_alive)
		thread_begin_life(model, thread);
	thread->has_ended =
		!is_alive &&
		(thread->has_ended || thread_is_before_slice(model, thread, THREAD_STATUS) || lives(model, thread));
}

/* ---- threads of the kernel ----------------------------------------------------------------------------------- */

struct name_beginning {
	char text[12];
	uint8_t size;
};

/* Most names begin with none of these letters: each thread is asked at each switch until it makes a call. */
static bool begins_with(const char *letters, const char *name, size_t size)
{
	return size > 0 && name[0] != '\0' && strchr(letters, name[0]) != NULL;
}

static bool begins_with_any(const struct name_beginning *names, size_t count, const char *name, size_t size)
{
	for (size_t i = 0; i < count; i++)
		if (size >= names[i].size && name[0] == names[i].text[0] &&
		    memcmp(name, names[i].text, names[i].size) == 0)
			return true;
	return false;
}

/* The names with which the kernel makes those of its threads that run most. */
static bool is_name_of_kernel(const char *name, size_t size)
{
	static const struct name_beginning names[] = {
		{ "kworker/", 8 },  { "ksoftirqd/", 10 }, { "migration/", 10 }, { "rcu_", 4 },
		{ "rcuo", 4 },      { "irq/", 4 },        { "jbd2/", 5 },       { "kswapd", 6 },
		{ "cpuhp/", 6 },    { "kcompactd", 9 },   { "xfsaild/", 8 },    { "scsi_eh_", 8 },
		{ "watchdog/", 9 }, { "sugov:", 6 },      { "khugepaged", 10 },
	};
	return begins_with("cijkmrswx", name, size) &&
	       begins_with_any(names, sizeof(names) / sizeof(*names), name, size);
}

/*
 * Threads that the kernel creates in a process, and that belong to it: of io_uring, and of vhost since Linux 6.4.
 */
static bool is_name_of_worker(const char *name, size_t size)
{
	static const struct name_beginning names[] = { { "iou-wrk-", 8 }, { "iou-sqp-", 8 }, { "vhost-", 6 } };
	return begins_with("iv", name, size) && begins_with_any(names, sizeof(names) / sizeof(*names), name, size);
}

enum { KTHREADD = 2 };

/* Returns what is known of an attribute; null: nothing, also where that was before a slice. */
static struct histree_value known_value(struct kernel_model *model, const struct kernel_thread *thread,
					enum thread_attribute attribute)
{
	return thread_is_before_slice(model, thread, attribute) ? histree_null()
								: value_of(model, thread, attribute);
}

/* Whether thread 2 is the one that makes those of the kernel: in a container it is a program. */
static bool is_kthreadd_there(struct kernel_model *model)
{
	static const char kthreadd[] = "kthreadd";
	const struct kernel_thread *thread = id_map_find(&model->threads, kernel_thread_id(KTHREADD, -1));
	const struct histree_value name =
		thread != NULL ? known_value(model, thread, THREAD_EXEC_NAME) : histree_null();
	return name.type != HISTREE_STRING ||
	       (name.size == sizeof(kthreadd) - 1 && memcmp(name.bytes, kthreadd, name.size) == 0);
}

static void set_kind(struct kernel_model *model, struct kernel_thread *thread, enum thread_kind kind)
{
	if (thread_kind_is_kernel(kind) && !thread_kind_is_kernel(thread->kind))
		thread_decide_call(model, thread, thread_kind_is_told(kind) ? FACT_STAYS_UNKNOWN : FACT_IS_BELIEVED,
				   INT64_MIN);
	thread->kind = (uint8_t)kind;
}

/*
 * Threads of the kernel are made by kthreadd, and each is a process.  State dumps, forks, and what perf and
 * Perfetto say of all processes tell the parent of most.
 */
void thread_tell_kind(struct kernel_model *model, struct kernel_thread *thread)
{
	const struct histree_value parent = known_value(model, thread, THREAD_PPID);
	const struct histree_value process = known_value(model, thread, THREAD_PID);
	const struct histree_value name = known_value(model, thread, THREAD_EXEC_NAME);
	const bool is_of_another = process.type == HISTREE_INT && process.int32 > 0 && process.int32 != thread->tid;
	const bool has_parent = parent.type == HISTREE_INT && parent.int32 > 0;
	if (thread->tid <= 0 || (!has_parent && !is_of_another))
		return;
	const bool is_made_by_kernel =
		(name.type == HISTREE_STRING && is_name_of_worker(name.bytes, name.size)) ||
		(has_parent && parent.int32 == KTHREADD && !is_of_another && is_kthreadd_there(model));
	set_kind(model, thread, is_made_by_kernel ? KIND_TOLD_KERNEL : KIND_TOLD_PROGRAM);
}

void thread_learn_kind(struct kernel_model *model, struct kernel_thread *thread, struct kernel_text name)
{
	if (name.bytes != NULL && is_name_of_worker(name.bytes, name.size))
		set_kind(model, thread, KIND_TOLD_KERNEL);
	else if (!thread_kind_is_told(thread->kind))
		set_kind(model, thread,
			 name.bytes != NULL && is_name_of_kernel(name.bytes, name.size) ? KIND_KERNEL
											: KIND_PROGRAM);
}

/*
 * Threads of the kernel make no system calls.  A program that one of them becomes makes calls, and one is enough.
 */
static bool is_of_kernel(struct kernel_model *model, const struct kernel_thread *thread)
{
	if (thread->first_step != STEP_NONE)
		return false;
	if (thread_kind_is_told(thread->kind))
		return thread_kind_is_kernel(thread->kind);
	if (thread->tid == KTHREADD)
		return is_kthreadd_there(model);
	const struct histree_value name = value_of(model, thread, THREAD_EXEC_NAME);
	return name.type == HISTREE_STRING && is_name_of_kernel(name.bytes, name.size);
}

/* What the trace does not record cannot be in doubt, and neither can who makes no system calls. */
static bool may_call_unseen(struct kernel_model *model, const struct kernel_thread *thread)
{
	return model->has_calls && thread->tid != 0 && !is_of_kernel(model, thread);
}

static void doubt_call(struct kernel_model *model, struct kernel_thread *thread)
{
	model->doubts_calls = true;
	kernel_threads_put(model, thread, THREAD_SYSTEM_CALL, histree_unknown());
}

/* A thread that is heard of first after a gap may be in a system call: where that began is lost. */
__attribute__((noinline)) static void appear(struct kernel_model *model, struct kernel_thread *thread)
{
	if (!lives(model, thread) && may_call_unseen(model, thread))
		doubt_call(model, thread);
}

bool thread_settle_call(struct kernel_model *model, struct kernel_thread *thread)
{
	if (!model->doubts_calls || value_of(model, thread, THREAD_SYSTEM_CALL).type != HISTREE_UNKNOWN ||
	    !is_of_kernel(model, thread))
		return false;
	thread_decide_call(model, thread, FACT_IS_NULL, INT64_MIN);
	change_ongoing(&model->changes, thread->attributes[THREAD_SYSTEM_CALL], histree_null());
	return true;
}

void thread_change(struct kernel_model *model, struct kernel_thread *thread, enum thread_attribute attribute,
		   struct histree_value value)
{
	if (attribute == THREAD_STATUS) {
		if (model->has_gaps && value.type != HISTREE_NULL)
			appear(model, thread);
		/* Nearly always it goes on as what it was. */
		if (model->has_lives && (value.type == HISTREE_NULL || thread->has_ended || model->slice != NULL))
			note_life(model, thread, value.type != HISTREE_NULL);
		/* What is said of the past (kernel_gap.h) takes nothing back of what was said since. */
		if (thread->said < model->changes.time)
			thread->said = model->changes.time;
	}
	kernel_threads_put(model, thread, attribute, value);
	if (kernel_is_losing(model) && !is_held(model, thread))
		thread_doubt(model, thread);
}

/* What a thread that nobody sees changes; its status comes first. */
static const enum thread_attribute in_doubt[] = { THREAD_STATUS, THREAD_SYSTEM_CALL, THREAD_RUN_QUEUE,
						  THREAD_PRIO };

enum { IN_DOUBT_COUNT = sizeof(in_doubt) / sizeof(in_doubt[0]) };

void thread_doubt(struct kernel_model *model, struct kernel_thread *thread)
{
	lose_call(model, thread);
	bool alive = lives(model, thread), doubts = may_call_unseen(model, thread);
	if (alive && doubts)
		thread_ask(model, thread, THREAD_SYSTEM_CALL); /* where there is none, it is in no call */
	if (alive && thread_is_guessed(model, thread))
		change_ongoing(&model->changes, thread->attributes[THREAD_STATUS], histree_unknown());
	for (size_t i = 0; i < IN_DOUBT_COUNT; i++) {
		enum thread_attribute attribute = in_doubt[i];
		/* The dead keep what is left of them until they are freed. */
		bool is_left = alive || value_of(model, thread, attribute).type != HISTREE_NULL;
		if (!thread_has(thread, attribute) || !is_left)
			continue;
		if (attribute != THREAD_SYSTEM_CALL)
			kernel_threads_put(model, thread, attribute, histree_unknown());
		else if (doubts)
			doubt_call(model, thread);
	}
}

void thread_lose_sight(struct kernel_model *model, struct kernel_thread *thread)
{
	if (!lives(model, thread))
		return;
	lose_call(model, thread);
	bool doubts = may_call_unseen(model, thread);
	if (doubts)
		thread_ask(model, thread, THREAD_SYSTEM_CALL);
	model->doubts_calls = model->doubts_calls || doubts;
	if (thread_is_guessed(model, thread))
		change_ongoing(&model->changes, thread->attributes[THREAD_STATUS], histree_unknown());
	for (size_t i = 0; i < IN_DOUBT_COUNT; i++)
		if (thread_has(thread, in_doubt[i]) && (in_doubt[i] != THREAD_SYSTEM_CALL || doubts))
			put_after(model, thread, in_doubt[i], thread->said, histree_unknown());
	thread->unseen_until = model->changes.time;
}

void thread_rename(struct kernel_model *model, struct kernel_thread *thread, struct kernel_text name)
{
	thread_change(model, thread, THREAD_EXEC_NAME, histree_string_n(name.bytes, name.size));
	if (thread->call == PROGRESS_UNKNOWN && model->corrects_past)
		thread_learn_kind(model, thread, name);
}

bool thread_learn(struct kernel_model *model, struct kernel_thread *thread, enum thread_attribute attribute,
		  struct histree_value value)
{
	if (thread_value(model, thread, attribute).type != HISTREE_NULL)
		return false;
	thread_change(model, thread, attribute, value);
	return true;
}

void thread_learn_parent(struct kernel_model *model, struct kernel_thread *thread, int32_t parent)
{
	if (thread_learn(model, thread, THREAD_PPID, histree_int(parent)))
		thread_tell_kind(model, thread);
}

/* What names the fact: in a layout of known states there may be no attribute of the call yet. */
static histree_quark fact_of_call(const struct kernel_model *model, const struct kernel_thread *thread)
{
	return model->places->only_known ? thread->node : thread->attributes[THREAD_SYSTEM_CALL];
}

void thread_decide_call(struct kernel_model *model, struct kernel_thread *thread, enum undecided_outcome outcome,
			histree_time since)
{
	if (model->corrects_past && thread->call == PROGRESS_UNKNOWN)
		changes_decide(&model->changes, fact_of_call(model, thread), outcome, since);
	thread->has_no_room = false;
}

uint32_t thread_count_undecided(const struct kernel_model *model, const struct kernel_thread *thread)
{
	return state_undecided_count(model->changes.system, fact_of_call(model, thread));
}

bool thread_resume_undecided(struct kernel_model *model, const struct kernel_thread *thread, uint32_t count)
{
	const histree_quark fact = fact_of_call(model, thread);
	return fact != NO_ATTRIBUTE && state_resume_undecided(model->changes.system, fact, count);
}

/* Where a trace does not declare its events, calls come soon or never. */
static bool may_have_calls(const struct kernel_model *model)
{
	enum { FEW = 4096 };
	return model->has_calls || model->declares_calls ||
	       (model->may_have_calls && state_undecided_total(model->changes.system) < FEW);
}

struct histree_value thread_mode(struct kernel_model *model, struct kernel_thread *thread, int32_t no_call,
				 int32_t call)
{
	thread_ask(model, thread, THREAD_SYSTEM_CALL);
	if (thread_is_before_slice(model, thread, THREAD_SYSTEM_CALL))
		return thread_by_call(model, thread, no_call, call);
	const enum histree_type type = value_of(model, thread, THREAD_SYSTEM_CALL).type;
	if (type != HISTREE_NULL && type != HISTREE_UNKNOWN)
		return histree_int(call);
	const struct histree_value believed = type == HISTREE_NULL ? histree_int(no_call) : histree_unknown();
	if (model->slice != NULL && thread->call == PROGRESS_UNKNOWN && thread->tid > 0)
		return thread_by_call(model, thread, no_call, call);
	/* Whether that is still to be decided, for a thread that has no entry and no exit. */
	if (thread->call != PROGRESS_UNKNOWN || thread->tid <= 0 || thread_kind_is_kernel(thread->kind) ||
	    !model->corrects_past)
		return believed;
	/* Not known yet; `believed` is the assumed value until then. */
	if (!may_have_calls(model)) {
		thread->has_no_room = true;
		return believed;
	}
	return changes_undecided(&model->changes,
				 &(struct undecided_value){ .fact = fact_of_call(model, thread),
							    .believed = believed,
							    .if_null = no_call,
							    .if_other = call },
				 &thread->has_no_room);
}

void thread_run(struct kernel_model *model, struct kernel_thread *thread)
{
	if (model->has_gaps)
		appear(model, thread);
	thread_change(model, thread, THREAD_STATUS,
		      thread_mode(model, thread, THREAD_RUNS_USERMODE, THREAD_RUNS_SYSCALL));
}

static bool is_int_other_than(struct histree_value value, int32_t number)
{
	return value.type == HISTREE_INT && value.int32 != number;
}

bool thread_is_guessed(const struct kernel_model *model, const struct kernel_thread *thread)
{
	histree_time since;
	return model->has_gaps && thread_has(thread, THREAD_STATUS) &&
	       thread->attributes[THREAD_STATUS] != NO_ATTRIBUTE &&
	       histree_state_ongoing(model->changes.system, thread->attributes[THREAD_STATUS], NULL, &since,
				     NULL) == HISTREE_OK &&
	       thread->said < since;
}

void thread_wait(struct kernel_model *model, struct kernel_thread *thread, bool in_sight)
{
	if (!in_sight) {
		thread_change(model, thread, THREAD_STATUS, histree_unknown());
		return;
	}
	histree_time said = thread->said;
	bool is_known = !model->has_gaps ||
			is_int_other_than(thread_value(model, thread, THREAD_STATUS), THREAD_WAITS_FOR_CPU);
	thread_change(model, thread, THREAD_STATUS, histree_int(THREAD_WAITS_FOR_CPU));
	if (!is_known)
		thread->said = said;
}

void thread_wake(struct kernel_model *model, struct kernel_thread *thread, bool in_sight)
{
	thread_ask(model, thread, THREAD_STATUS);
	if (thread_is_before_slice(model, thread, THREAD_STATUS)) {
		if (thread->runs_on == NULL) {
			thread->assumed |= ASSUMES_WAITS;
			thread_change(model, thread, THREAD_STATUS, histree_int(THREAD_WAITS_FOR_CPU));
		}
		return;
	}
	struct histree_value status = thread_value(model, thread, THREAD_STATUS);
	bool runs = thread->runs_on != NULL ||
		    (status.type == HISTREE_INT &&
		     (status.int32 == THREAD_RUNS_USERMODE || status.int32 == THREAD_RUNS_SYSCALL));
	if (!runs)
		thread_wait(model, thread, in_sight);
}

void thread_correct_status(struct kernel_model *model, struct kernel_thread *thread, struct histree_value status)
{
	change_ongoing(&model->changes, thread_attribute_made(model, thread, THREAD_STATUS), status);
}

struct histree_value thread_status_after(enum kernel_leave leave)
{
	static const int statuses[] = {
		[LEAVES_RUNNABLE] = THREAD_WAITS_FOR_CPU, [LEAVES_WOKEN] = THREAD_WAITS_FOR_CPU,
		[LEAVES_ASLEEP] = THREAD_BLOCKED,         [LEAVES_STOPPED] = THREAD_WAITS_UNKNOWN,
		[LEAVES_FOREVER] = THREAD_UNKNOWN,
	};
	return leave == LEAVES_FOREVER ? histree_null() : histree_int(statuses[leave]);
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
	if (model->has_gaps) { /* the child is new: it is in no other call than its parent */
		appear(model, parent);
		thread_change(model, child, THREAD_SYSTEM_CALL, histree_null());
	}
	thread_ask(model, parent, THREAD_SYSTEM_CALL);
	if (thread_is_before_slice(model, parent, THREAD_SYSTEM_CALL)) { /* a thread of the kernel makes others */
		parent->assumed |= ASSUMES_NO_CALL;
		return;
	}
	if (thread_value(model, parent, THREAD_SYSTEM_CALL).type == HISTREE_NULL)
		return;
	child->first_step = STEP_INHERITED;
	thread_change(model, child, THREAD_SYSTEM_CALL, value_of(model, parent, THREAD_SYSTEM_CALL));
	child->call = parent->call;
}

void thread_remove(struct kernel_model *model, struct kernel_thread *thread)
{
	for (int attribute = 0; attribute < THREAD_ATTRIBUTE_COUNT; attribute++)
		if (thread_has(thread, attribute))
			thread_change(model, thread, attribute, histree_null());
		else if (model->slice != NULL)
			change_log_end_child(model->slice->log, model->changes.time, thread->node,
					     place_of(model, attribute)->name);
	thread_decide_call(model, thread, FACT_STAYS_UNKNOWN, INT64_MIN);
	forget_kind(model, thread);
	thread->has_ended = false;
	thread->process = 0;
}

void thread_end_unseen(struct kernel_model *model, struct kernel_thread *thread)
{
	if (thread_is_before_slice(model, thread, THREAD_STATUS)) {
		thread->assumed |= ASSUMES_NOT_ALIVE;
		return;
	}
	thread_begin_life(model, thread);
	if (!lives(model, thread))
		return;
	forget(model, thread, WHO_IT_IS);
	thread_lose_sight(model, thread);
	if (thread_has(thread, THREAD_SYSTEM_CALL))
		thread_change(model, thread, THREAD_SYSTEM_CALL, histree_null());
}

/* ---- its process --------------------------------------------------------------------------------------------- */

void thread_tell_process(struct kernel_model *model, struct kernel_thread *thread, int32_t process)
{
	if (thread->process == process || thread->tid <= 0 || process <= 0)
		return;
	thread->process = process;
	thread->was_told = true;
	thread_ask(model, thread, THREAD_PID);
	kernel_threads_put(model, thread, THREAD_PID, histree_int(process));
	if (process != thread->tid)
		thread_tell_kind(model, thread);
}

int32_t thread_process(struct kernel_model *model, struct kernel_thread *thread)
{
	if (thread->process != 0)
		return thread->process;
	if (model->slice != NULL) {
		change_log_fail(model->slice->log, "a thread is made by one whose process is not known");
		return thread->tid;
	}
	struct histree_value process = value_of(model, thread, THREAD_PID);
	return process.type == HISTREE_INT ? process.int32 : -1;
}

/* ---- kernel cpus --------------------------------------------------------------------------------------------- */

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

struct kernel_cpu *kernel_cpu(struct kernel_model *model, int32_t number)
{
	if (number < 0)
		return NULL;
	struct kernel_cpu *cpu = id_map_find_again(&model->cpus, (uint64_t)number);
	if (cpu == NULL)
		cpu = add_cpu(model, number);
	if (cpu != NULL && cpu->node == NO_ATTRIBUTE) {
		char name[16];
		int size = snprintf(name, sizeof(name), "%" PRId32, cpu->number);
		changes_child(&model->changes, &cpu->node, kernel_group(model, GROUP_CPUS), name, (size_t)size);
		if (model->places->status_on_node)
			cpu->attributes[CPU_STATUS] = cpu->node;
	}
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

void cpu_claim(struct kernel_model *model, struct kernel_cpu *cpu, int32_t tid)
{
	if (model->slice == NULL || cpu->is_claimed)
		return;
	cpu->is_claimed = true;
	cpu->claimed_tid = tid;
	struct kernel_thread *thread = kernel_thread(model, tid, cpu->number);
	if (thread == NULL)
		return;
	if (thread->said != INT64_MIN || thread->assumed != 0 || thread->runs_on != NULL) {
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
