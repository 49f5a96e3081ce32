/* SPDX-License-Identifier: MIT */
/*
 * kernel_threads.h - threads: Threads/<tid> and what is below it.
 */
#ifndef ANALYSIS_KERNEL_KERNEL_THREADS_H
#define ANALYSIS_KERNEL_KERNEL_THREADS_H

#include "analysis/kernel/kernel_layout.h"
#include "analysis/kernel/kernel_model.h"

/* Values of THREAD_STATUS, those of Trace Compass; null: not alive. */
enum thread_status {
	THREAD_UNKNOWN = 0,
	THREAD_BLOCKED = 1,
	THREAD_RUNS_USERMODE = 2,
	THREAD_RUNS_SYSCALL = 3,
	THREAD_INTERRUPTED = 4,
	THREAD_WAITS_FOR_CPU = 5,
	THREAD_WAITS_UNKNOWN = 6,
	THREAD_WAITS_AFTER_FORK = 7,
};

/*
 * What is known of a thread that has no entry and no exit yet: one of the kernel has none (thread_mode()).  Its
 * parent or process tells, and else its name is believed.
 */
enum thread_kind { KIND_NOT_SAID, KIND_PROGRAM, KIND_KERNEL, KIND_TOLD_PROGRAM, KIND_TOLD_KERNEL };

static inline bool thread_kind_is_told(enum thread_kind kind)
{
	return kind >= KIND_TOLD_PROGRAM;
}

static inline bool thread_kind_is_kernel(enum thread_kind kind)
{
	return kind == KIND_KERNEL || kind == KIND_TOLD_KERNEL;
}

struct kernel_cpu;

struct kernel_thread {
	int32_t tid;
	histree_quark node;
	histree_quark attributes[THREAD_ATTRIBUTE_COUNT];
	uint8_t asked;         /* for, by attribute: bits */
	bool is_certain;       /* it is being found to run where nothing is lost */
	bool is_woken_leaving; /* it can run since it left its CPU, as it was being woken then */
	bool was_told;         /* an event said its process once, maybe of a life before */
	bool has_ended;        /* and was not freed: what is known of it is still there */
	bool has_no_room;      /* what it did is as it is believed, with no room to keep it back (thread_mode()) */
	uint8_t kind;          /* enum thread_kind */
	bool is_kind_new;      /* of a slice: what was known before it was that of a thread that is gone */
	uint16_t assumed;      /* or of enum thread_assumption: of a slice (kernel_slice.h) */
	int32_t process;       /* as the last event said it; 0: none did */
	enum kernel_progress call;                /* whether it is in a system call */
	enum kernel_step first_step;              /* of its calls, or of those in a slice */
	histree_time run_queue_since, prio_since; /* where they are a pair, which began when either did */
	struct kernel_cpu *runs_on;               /* kernel_occupancy.h; NULL: no CPU is known */
	struct kernel_cpu *claimed_by;            /* that ran it when a slice began; NULL: it ran nowhere */
	histree_time said;                        /* by the last event that said what it does */
	histree_time cloned;                      /* by an event that comes before that of the fork */
	/* The event that made it, that last denied what was said of it, or that was its, which nobody knew. */
	histree_time unseen_until;
};

/* Returns by what a thread is known: idle threads are in the upper half, by CPU. */
static inline uint64_t kernel_thread_id(int32_t tid, int32_t cpu)
{
	return tid == 0 ? UINT64_C(1) << 32 | (uint32_t)cpu : (uint32_t)tid;
}

/* Returns a thread, new or not.  Every CPU has an idle thread of tid 0 of its own; an unknown CPU (-1) has none. */
struct kernel_thread *kernel_thread(struct kernel_model *model, int32_t tid, int32_t cpu);

/* Returns a thread of a checkpoint (kernel_checkpoint.h), which is new, and whose attribute is there. */
struct kernel_thread *kernel_thread_load(struct kernel_model *model, uint64_t id, int32_t tid, histree_quark node);

/* Have an attribute: it is null, unless it had a state before. */
void thread_ask(struct kernel_model *model, struct kernel_thread *thread, enum thread_attribute attribute);
bool thread_has(const struct kernel_thread *thread, enum thread_attribute attribute);

/* In a slice: a thread that was just met for the first time has no states, which is assumed. */
void thread_assume_new(struct kernel_model *model, struct kernel_thread *thread);

/* Whether an attribute that was asked for is in a slice still as it was before, so that nobody knows its value. */
bool thread_is_before_slice(const struct kernel_model *model, const struct kernel_thread *thread,
			    enum thread_attribute attribute);

/*
 * Returns the value, for thread_change() or cpu_change(), that follows from whether the thread is in a system call,
 * where that is still as it was before the slice.
 */
struct histree_value thread_by_call(struct kernel_model *model, struct kernel_thread *thread, int32_t no_call,
				    int32_t call);

struct histree_value thread_value(struct kernel_model *model, struct kernel_thread *thread,
				  enum thread_attribute attribute);
void thread_change(struct kernel_model *model, struct kernel_thread *thread, enum thread_attribute attribute,
		   struct histree_value value);
void thread_rename(struct kernel_model *model, struct kernel_thread *thread, struct kernel_text name);

/* The thread may do something else by now, unless it is dead (kernel_gap.h). */
void thread_doubt(struct kernel_model *model, struct kernel_thread *thread);

/* The same, since the last event that said what it does: it did something that nobody saw. */
void thread_lose_sight(struct kernel_model *model, struct kernel_thread *thread);

/* Change the attribute if nothing is known of it yet.  Returns whether that was so. */
bool thread_learn(struct kernel_model *model, struct kernel_thread *thread, enum thread_attribute attribute,
		  struct histree_value value);

/*
 * Returns which of two values, for thread_change() or cpu_change(), follows from whether a thread is in a system
 * call.  As long as the thread has no entry and no exit that is not known: it is believed to be in none, or after a
 * loss unknown, and what it does is kept back until its first entry or exit decides (ongoing_states.h).
 */
struct histree_value thread_mode(struct kernel_model *model, struct kernel_thread *thread, int32_t no_call,
				 int32_t call);

/* An event says who made it, if nothing is known of that yet. */
void thread_learn_parent(struct kernel_model *model, struct kernel_thread *thread, int32_t parent);

/* The parent or the process of a thread is known. */
void thread_tell_kind(struct kernel_model *model, struct kernel_thread *thread);

/* What its name says of a thread without an entry or an exit, where nothing else does. */
void thread_learn_kind(struct kernel_model *model, struct kernel_thread *thread, struct kernel_text name);

/* Whether that is still to be decided, for a thread that has no entry and no exit. */
bool thread_may_be_in_call(const struct kernel_model *model, const struct kernel_thread *thread);

/* How much room is taken by what it did until that is decided; at a checkpoint, and back. */
uint32_t thread_count_undecided(const struct kernel_model *model, const struct kernel_thread *thread);
bool thread_resume_undecided(struct kernel_model *model, const struct kernel_thread *thread, uint32_t count);

/* Whether the thread was in a call since then is known, or never will be. */
void thread_decide_call(struct kernel_model *model, struct kernel_thread *thread, enum undecided_outcome outcome,
			histree_time since);

/* The thread runs: in the system call that it is in, else in user mode; nobody may know. */
void thread_run(struct kernel_model *model, struct kernel_thread *thread);

/*
 * What a thread is, was just said.  If it is one of the kernel, which makes no system calls, it is in none,
 * whatever was lost.  Returns whether that was in doubt.
 */
bool thread_settle_call(struct kernel_model *model, struct kernel_thread *thread);

/*
 * The thread waits for a CPU, as it is woken up or moved.  It may be woken while it still runs, about to sleep,
 * and seems to be moved while it makes another.  After a gap nobody knows whether it does: that it waits is then a
 * guess, and not `said`, and becomes unknown again if it is found to run, or if more is lost before anything says
 * that it is so.
 *
 * Not `in_sight`: it does so on a CPU that is not recorded, where it may run; then nobody knows.
 */
void thread_wait(struct kernel_model *model, struct kernel_thread *thread, bool in_sight);
bool thread_is_guessed(const struct kernel_model *model, const struct kernel_thread *thread);

/* The thread can run from now on; one that runs already goes on. */
void thread_wake(struct kernel_model *model, struct kernel_thread *thread, bool in_sight);

/* The status that the thread has was another one all along. */
void thread_correct_status(struct kernel_model *model, struct kernel_thread *thread, struct histree_value status);

/* Returns the status of a thread that leaves its CPU; `task_state` is the kernel's word for why. */
struct histree_value thread_status_of_task_state(int32_t task_state);

/* A new thread goes on in the system call in which its parent made it. */
void thread_inherit_system_call(struct kernel_model *model, struct kernel_thread *parent,
				struct kernel_thread *child);

/* The thread is gone: it and everything that is known of it become null. */
void thread_remove(struct kernel_model *model, struct kernel_thread *thread);

/* Something is about to be said of a thread: if that had ended, and was not freed, it is another one by now. */
void thread_begin_life(struct kernel_model *model, struct kernel_thread *thread);

/*
 * A thread is made with this number.  If another one still has it, that one ended, and nobody saw when: since the
 * last event that said what it does, that is unknown, and who it is is null.
 */
void thread_end_unseen(struct kernel_model *model, struct kernel_thread *thread);

/* An event says of which process the thread is. */
void thread_tell_process(struct kernel_model *model, struct kernel_thread *thread, int32_t process);

/* Returns its process; -1 if no event said it. */
int32_t thread_process(struct kernel_model *model, struct kernel_thread *thread);

#endif
