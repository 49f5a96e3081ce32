/* SPDX-License-Identifier: MIT */
/*
 * kernel_threads.h - the threads and CPUs of a kernel: the model with their records and their attributes, and what
 * follows from events about them.
 *
 * A *slice* of a trace is analysed by a model that does not know what came before.
 *
 * What a handler writes from its event alone is written to the change log (change_log.h).  What it reads of the
 * state before the slice is one of these:
 *
 * - which thread a CPU runs, in which system call that is, and which interrupts the CPU handles: guessed from the
 *   events just before the slice, or from the first event of the CPU in it;
 * - whether a thread is in a system call: which of two values follows from that is left to the log, and may be
 *   undecided even then (ongoing_states.h);
 * - something that is nearly always true, such as that a woken thread was not running, or that a new thread had no
 *   states: assumed, thread by thread;
 * - anything else: the slice fails.
 *
 * At the hand-over, the commit (kernel_slices.c) compares all guesses and assumptions with the true model.  If one
 * is wrong, or the slice has failed, nothing is changed, and the slice is analysed again from the true model.
 *
 * A *model* has the threads and CPUs of a kernel, with the quarks of their attributes.
 *
 * Quarks are looked up once and kept in records; but an attribute is created exactly when the analysis first asks
 * for it, because the set of attributes is part of the result.  Reading an attribute counts as asking for it.  In a
 * layout of known states (kernel_machine.h) it is created when it first has one, and the record keeps what was
 * asked for.
 *
 * A function that returns a record returns NULL if there is none (no such CPU, no memory); handlers then leave.
 *
 * Threads: Threads/<tid> and the attributes below it.
 *
 * CPUs: CPUs/<cpu> and the attributes below it, except interrupts (kernel_interrupts.h).
 */
#ifndef ANALYSIS_KERNEL_KERNEL_THREADS_H
#define ANALYSIS_KERNEL_KERNEL_THREADS_H

#include "analysis/change_log.h"
#include "analysis/changes.h"
#include "analysis/kernel/kernel_layout.h"
#include "analysis/kernel/kernel_machine.h"
#include "base/arena.h"
#include "base/hash_index.h"

enum { GUESSED_CALL_SIZE = 40 }; /* longer names are not guessed */

/* What a slice takes for true of a thread at its beginning: bits. */
enum thread_assumption {
	ASSUMES_WAITS = 1, /* it is not said to run */
	ASSUMES_NO_CALL = 2,
	ASSUMES_RUN_QUEUE = 4, /* it has that attribute */
	ASSUMES_NEW = 8,       /* it has no states */
	ASSUMES_NOT_ALIVE = 16,
	ASSUMES_NOT_ENDED = 32, /* or it was freed: its number is not another's */
};

/* An interrupt or softirq that is guessed to be in progress, or raised, at the beginning. */
struct guessed_interrupt {
	int32_t number, value;
	bool is_softirq;
	struct kernel_text name;
	struct guessed_interrupt *next;
};

static inline bool guessed_is_active(const struct guessed_interrupt *interrupt)
{
	return interrupt->is_softirq ? interrupt->value != 0 : interrupt->value >= 0;
}

/* The system call in which the thread of a CPU is. */
enum guessed_call {
	CALL_NOT_GUESSED,
	CALL_IS_NONE,
	CALL_IS_NAMED,
};

struct guessed_cpu {
	int32_t number, tid;
	bool has_thread;
	enum guessed_call call;
	char call_name[GUESSED_CALL_SIZE];
	size_t call_size;
	struct guessed_interrupt *first; /* also those that are over: their value is 0 */
};

struct kernel_slice {
	struct change_log *log; /* borrowed */
	struct id_map cpus;     /* struct guessed_cpu */
	struct arena memory;
	bool no_memory;
};

struct kernel_input;
struct kernel_version;

struct kernel_model {
	struct changes changes;
	const struct kernel_version *version; /* kernel_provider.h */
	const struct kernel_input *input;     /* borrowed */
	bool has_events, has_switches;        /* of which states are made, and that say who runs */
	struct kernel_slice *slice;           /* kernel_threads.h; NULL: this model has seen all that came before */
	const struct kernel_places *places;   /* the attributes that its states go to */
	bool has_gaps;                        /* there was one so far */
	uint32_t
		open_gaps; /* CPUs whose events are being lost: what no other CPU holds on to is in doubt at once */
	bool all_open;     /* the same where it is not said on which CPU, */
	histree_time all_end;   /* and until when */
	bool has_lives;         /* a number that is used again is another thread */
	histree_time loss_end;  /* where the last loss of events ended */
	bool has_calls;         /* the trace records system calls: who ran unseen may be in one */
	bool declares_calls;    /* the same, before any comes */
	bool may_have_calls;    /* or it declares nothing */
	bool has_wakings;       /* it has the beginnings of wake-ups */
	bool has_irqs;          /* it has, or had, interrupts */
	bool has_early_names;   /* those of perf's, of the time before its first event, are known */
	bool doubts_calls;      /* of a thread nobody knew once whether it is in one */
	bool corrects_past;     /* what an event says of the time before it is believed (kernel_gap.h) */
	uint64_t late_exits;    /* of threads of which no more could be kept back (past_of_call()), */
	uint64_t late_ns;       /* and from when on they may have run */
	uint32_t cpus_in_doubt; /* of which it is not said yet what interrupts they handle */
	uint32_t nameless_cpus; /* whose thread nobody named yet: together they have the pseudo-thread -1 */
	struct kernel_conflicts conflicts;
	histree_quark groups[GROUP_COUNT];
	struct id_map threads;  /* struct kernel_thread */
	struct id_map cpus;     /* struct kernel_cpu */
	struct id_map softirqs; /* struct softirq_total */
	struct arena records;   /* all of them, and their names */
};

void kernel_model_init(struct kernel_model *model, struct histree_state_system *system,
		       const struct kernel_places *places);
void kernel_model_release(struct kernel_model *model);

static inline bool kernel_is_losing(const struct kernel_model *model)
{
	return model->open_gaps > 0 || model->all_open;
}

histree_quark kernel_group(struct kernel_model *model, enum kernel_group group);

/* Returns zeroed memory that lives as long as the model; NULL when memory runs out, and the event has failed. */
void *kernel_record(struct kernel_model *model, size_t size);

/* As kernel_record(), and the map has the record as `id`. */
void *kernel_record_in(struct kernel_model *model, struct id_map *map, uint64_t id, size_t size);

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
 * What is known of a thread that has had no entry and no exit yet: kernel threads have none (thread_mode()).  Its
 * parent or process decides, otherwise its name is trusted.
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
	uint16_t assumed;      /* or of enum thread_assumption: of a slice (kernel_threads.h) */
	int32_t process;       /* as the last event said it; 0: none did */
	enum kernel_progress call;                /* whether it is in a system call */
	enum kernel_step first_step;              /* of its calls, or of those in a slice */
	histree_time run_queue_since, prio_since; /* where they are a pair, which began when either did */
	struct kernel_cpu *runs_on;               /* kernel_gap.h; NULL: no CPU is known */
	struct kernel_cpu *claimed_by;            /* that ran it when a slice began; NULL: it ran nowhere */
	histree_time said;                        /* by the last event that said what it does */
	histree_time cloned;                      /* by an event that comes before that of the fork */
	/*
	 * The event that created it, that last contradicted its state, or that was its own without being attributed
	 * to it.
	 */
	histree_time unseen_until;
};

/* Returns by what a thread is known: idle threads are in the upper half, by CPU. */
static inline uint64_t kernel_thread_id(int32_t tid, int32_t cpu)
{
	return tid == 0 ? UINT64_C(1) << 32 | (uint32_t)cpu : (uint32_t)tid;
}

/* Returns a thread, new or not.  Every CPU has an idle thread of tid 0 of its own; an unknown CPU (-1) has none. */
struct kernel_thread *kernel_thread(struct kernel_model *model, int32_t tid, int32_t cpu);

/* Returns a thread of a checkpoint (kernel_provider.h), which is new, and whose attribute is there. */
struct kernel_thread *kernel_thread_load(struct kernel_model *model, uint64_t id, int32_t tid, histree_quark node);

/* Have an attribute: it is null, unless it had a state before. */
void thread_ask(struct kernel_model *model, struct kernel_thread *thread, enum thread_attribute attribute);
bool thread_has(const struct kernel_thread *thread, enum thread_attribute attribute);

/* In a slice: a thread that was just met for the first time has no states, which is assumed. */
void thread_assume_new(struct kernel_model *model, struct kernel_thread *thread);

/* Whether an attribute that was asked for is still as before the slice, so that its value is not known. */
bool thread_is_before_slice(const struct kernel_model *model, const struct kernel_thread *thread,
			    enum thread_attribute attribute);
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

/* An event names its creator, if nothing is known of that yet. */
void thread_learn_parent(struct kernel_model *model, struct kernel_thread *thread, int32_t parent);

/* The parent or the process of a thread is known. */
void thread_tell_kind(struct kernel_model *model, struct kernel_thread *thread);

/* What its name says of a thread without an entry or an exit, where nothing else does. */
void thread_learn_kind(struct kernel_model *model, struct kernel_thread *thread, struct kernel_text name);

/* How much room is taken by what it did until that is decided; at a checkpoint, and back. */
uint32_t thread_count_undecided(const struct kernel_model *model, const struct kernel_thread *thread);
bool thread_resume_undecided(struct kernel_model *model, const struct kernel_thread *thread, uint32_t count);

/* Whether the thread was in a call since then is known, or never will be. */
void thread_decide_call(struct kernel_model *model, struct kernel_thread *thread, enum undecided_outcome outcome,
			histree_time since);

/* The thread runs: in its system call if it is in one, else in user mode; it may be unknown which. */
void thread_run(struct kernel_model *model, struct kernel_thread *thread);

/*
 * What a thread is, was just said.  If it is one of the kernel, which makes no system calls, it is in none,
 * whatever was lost.  Returns whether that was in doubt.
 */
bool thread_settle_call(struct kernel_model *model, struct kernel_thread *thread);

/*
 * The thread waits for a CPU, because it is woken up or moved.  It may be woken while it still runs, about to
 * sleep, and seems to be moved while it creates another thread.  After a gap this is uncertain: that it waits is
 * then a guess, not `said`, and becomes unknown again if the thread is found to run, or if more is lost before
 * there is evidence.
 *
 * Not `in_sight`: it waits for a CPU that is not recorded, on which it may run; then the status is unknown.
 */
void thread_wait(struct kernel_model *model, struct kernel_thread *thread, bool in_sight);
bool thread_is_guessed(const struct kernel_model *model, const struct kernel_thread *thread);

/* The thread can run from now on; one that runs already goes on. */
void thread_wake(struct kernel_model *model, struct kernel_thread *thread, bool in_sight);

/* The status that the thread has was another one all along. */
void thread_correct_status(struct kernel_model *model, struct kernel_thread *thread, struct histree_value status);

/* Returns the status of a thread that leaves its CPU; `task_state` is the kernel's word for why. */
struct histree_value thread_status_after(enum kernel_leave leave);
struct histree_value thread_status_of_task_state(int32_t task_state);

/* A new thread goes on in the system call in which its parent made it. */
void thread_inherit_system_call(struct kernel_model *model, struct kernel_thread *parent,
				struct kernel_thread *child);

/* The thread is gone: it and everything that is known of it become null. */
void thread_remove(struct kernel_model *model, struct kernel_thread *thread);

/* Something is about to be said of a thread: if that had ended, and was not freed, it is another one by now. */
void thread_begin_life(struct kernel_model *model, struct kernel_thread *thread);

/*
 * A thread is created with this number.  If another thread still has it, that one ended unseen: since the last
 * event about it, its state is unknown, and its identity is null.
 */
void thread_end_unseen(struct kernel_model *model, struct kernel_thread *thread);

/* An event says of which process the thread is. */
void thread_tell_process(struct kernel_model *model, struct kernel_thread *thread, int32_t process);

/* Returns its process; -1 if no event said it. */
int32_t thread_process(struct kernel_model *model, struct kernel_thread *thread);

/* Values of CPU_STATUS, those of Trace Compass; null: unknown. */
enum cpu_status {
	CPU_IDLE = 0,
	CPU_RUNS_USERMODE = 2,
	CPU_RUNS_SYSCALL = 4,
	CPU_IN_SOFTIRQ = 8,
	CPU_IN_IRQ = 16,
};

enum cpu_attribute {
	CPU_STATUS,
	CPU_CURRENT_THREAD,
	CPU_IRQS,
	CPU_SOFT_IRQS,
	CPU_FREQUENCY,
	CPU_FREQUENCY_MIN,
	CPU_FREQUENCY_MAX,
	CPU_ATTRIBUTE_COUNT,
};

/* It is not known whether one of these is handled on the CPU. */
enum cpu_doubt { DOUBT_IRQS = 1, DOUBT_SOFTIRQS = 2 };

/*
 * Softirqs that were raised while events were lost are handled one after the other: between two of them a thread is
 * interrupted still, and only what happens after them says that they were all.
 */
enum cpu_raised { RAISED_ARE_SEEN, RAISED_UNSEEN, RAISED_UNSEEN_END };

/* Whether the thread that the CPU runs has had an event since it came.  A slice begins without a word of it. */
enum cpu_turn { TURN_NOT_SEEN, TURN_BEGAN, TURN_GOES_ON };

struct interrupt;

struct kernel_cpu {
	int32_t number;
	histree_quark node;
	histree_quark attributes[CPU_ATTRIBUTE_COUNT];
	struct interrupt *first_irq, *first_softirq; /* kernel_interrupts.h */
	unsigned in_doubt;                           /* or of enum cpu_doubt, since then (kernel_gap.h) */
	histree_time in_doubt_since;                 /* INT64_MIN: since the trace began */
	enum cpu_raised raised;
	bool had_irq;     /* one ended there since in_doubt_since, in a softirq or not */
	bool is_losing;   /* it had no event since a gap began */
	bool has_gaps;    /* there was one: what is heard of first may not be new */
	bool is_nameless; /* something happened there before anybody said in which thread */
	/* The thread that it runs, which then says so too (kernel_gap.h); NULL: none is known. */
	struct kernel_thread *runs;
	/* When a thread that is not known yet entered or left a system call there; INT64_MIN: none did. */
	histree_time stepped;
	/* When another CPU last began to wake that thread (kernel_event_is_woken_leaving); INT64_MIN: not. */
	histree_time waking;
	enum cpu_turn turn;
	/* The thread that was found to be the current one last: it is asked for more often than it changes. */
	int32_t last_tid;
	struct kernel_thread *last_thread;
	/* Of a slice (kernel_threads.h): it is taken for true that it ran this thread at the beginning. */
	bool is_claimed;
	bool is_taken_for_recorded;
	int32_t claimed_tid;
};

/* Returns NULL for a negative number: the trace does not say which CPU it is. */
struct kernel_cpu *kernel_cpu(struct kernel_model *model, int32_t number);

/*
 * Whether something happened on the CPU so far.  Where nothing ever does, it is not recorded, and who is put into
 * its queue may run there.  In a slice that is taken for true.
 */
bool kernel_cpu_is_recorded(struct kernel_model *model, int32_t number);

/* Returns the name of an attribute below the node of a CPU. */
const char *cpu_attribute_name(enum cpu_attribute attribute);
histree_quark cpu_attribute(struct kernel_model *model, struct kernel_cpu *cpu, enum cpu_attribute attribute);
void cpu_change(struct kernel_model *model, struct kernel_cpu *cpu, enum cpu_attribute attribute,
		struct histree_value value);

/*
 * In a slice: take for true that the CPU ran this thread when the slice began, unless that was said before.  A CPU
 * of which nothing is known by any other event was idle, 0.
 */
void cpu_claim(struct kernel_model *model, struct kernel_cpu *cpu, int32_t tid);

/* Returns the thread that runs there: the pseudo-thread -1 before the first switch, NULL while it is unknown. */
struct kernel_thread *cpu_current_thread(struct kernel_model *model, struct kernel_cpu *cpu);

/* Returns what the CPU does if no interrupt is in progress; null before anything is known of it. */
struct histree_value cpu_status_of_thread(struct kernel_model *model, struct kernel_cpu *cpu);

#endif
