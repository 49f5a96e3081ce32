/* SPDX-License-Identifier: MIT */
/*
 * kernel_machine.h - which attributes the states of a kernel go to.  The machine is one, the layouts are several.
 *
 * The papers measured a layout in which nodes of threads and CPUs have no states and Status is below them (`2016`).
 * Thesis 5.1 puts the status on the node (`plain`), makes attributes only once something is known, and has
 * interrupts directly below their CPU, softirqs with a minus.  `compact` does all of that, and keeps what is always
 * known together as a pair (value.h).
 *
 * The threads and CPUs of a recorded machine, as all analyses of a kernel trace know them:
 * which thread runs on each CPU, what threads are called, and since when lost events leave that in doubt: those
 * that the tracer told, and those that must be missing where an event finds another thread than the one that was
 * said to run.
 *
 * What an analysis adds to a thread or CPU, such as its attributes in a history, is its own.
 *
 * Functions that give a record, or a text, give NULL or null if memory is out, which is remembered in `no_memory`.
 */
#ifndef ANALYSIS_KERNEL_KERNEL_MACHINE_H
#define ANALYSIS_KERNEL_KERNEL_MACHINE_H

#include <stdbool.h>

#include "analysis/kernel/kernel_conflicts.h"
#include "analysis/kernel/kernel_layout.h"
#include "base/arena.h"
#include "base/hash_index.h"
#include "histree/value.h"
#include "item/value.h"

/* The attributes at the top of the tree. */
enum kernel_group { GROUP_CPUS, GROUP_THREADS, GROUP_IRQS, GROUP_SOFT_IRQS, GROUP_COUNT };

/* The states of a thread. */
enum thread_attribute {
	THREAD_STATUS,
	THREAD_SYSTEM_CALL,
	THREAD_RUN_QUEUE,
	THREAD_EXEC_NAME,
	THREAD_PPID,
	THREAD_PID,
	THREAD_PRIO,
	THREAD_ATTRIBUTE_COUNT,
};

/* An attribute below the node of a thread. */
struct thread_place {
	const char *name;
	enum histree_part part;        /* of its value: a half of a pair, or the whole */
	enum thread_attribute partner; /* that has the other half */
};

struct kernel_places {
	const char *groups[GROUP_COUNT]; /* two that have one name are one attribute */
	bool groups_are_folders;         /* they are declared to have no states */
	bool status_on_node;             /* the status is the value of the node, not of a child */
	bool only_known;                 /* an attribute of a thread is made when it first has a state */
	bool interrupts_have_signs;      /* they are children of the CPU; softirqs have a minus */
	struct thread_place threads[THREAD_ATTRIBUTE_COUNT];
};

extern const struct kernel_places kernel_places_2016, kernel_places_plain, kernel_places_compact;

/*
 * A segment that began at `gap_end` or before may have another's end (kernel_segments_end), because events were
 * lost until then, or the event after it denied who ran.
 */
struct machine_thread {
	int32_t tid;
	uint32_t life;  /* how many threads had the number before it */
	bool is_seen;   /* it was made, did something, or was there when the trace began */
	bool is_cloned; /* it was made, says an event that comes before that of the fork, and did nothing yet */
	bool has_ended; /* whatever the number does next, another thread does */
	struct machine_cpu *cpu; /* where it runs; NULL: nowhere, or not known where */
	histree_time gap_end;    /* of the last gap in which it may have done what nobody saw */
	const char *name;        /* NULL: not known yet */
	size_t name_size;
};

struct machine_cpu {
	int32_t number;
	struct machine_thread *thread; /* that runs; NULL before the first switch, also of those after a gap */
	histree_time gap_end;          /* of its last gap */
	uint64_t turns;                /* how often it was switched to a thread that is not idle */
};

struct machine {
	struct id_map threads, cpus; /* struct machine_thread by tid, struct machine_cpu by number */
	struct arena records;
	struct intern texts;
	histree_time gap_end;              /* of the last one of any CPU; INT64_MIN: there was none */
	histree_time gap_end_anywhere;     /* of the last one of which it is not said on which CPU */
	struct kernel_conflicts conflicts; /* of switches */
	bool no_memory;                    /* a record could not be made */
};

void machine_init(struct machine *machine);
void machine_release(struct machine *machine);

/* Have the threads, CPUs and texts in this space.  There are none yet. */
void machine_use_space(struct machine *machine, struct table_space *tables);

/* Returns the thread with this tid, new or not. */
struct machine_thread *machine_thread(struct machine *machine, int32_t tid);

/* The same of an event that the thread has itself, which begins a life of the number if one had ended. */
struct machine_thread *machine_thread_of_event(struct machine *machine, int32_t tid);

/* Returns the CPU of this number, new or not; NULL for a negative number: the trace does not say which. */
struct machine_cpu *machine_cpu(struct machine *machine, int32_t number);

/* Returns a string that lives as long as the machine. */
struct histree_value machine_text(struct machine *machine, const char *bytes, size_t size);

/* Returns the name of a thread; null if none is known, or for NULL. */
struct histree_value machine_thread_name(const struct machine_thread *thread);

/* An event is met, before anybody handles it: is the thread that it says to run the one that is known to? */
void machine_meet(struct machine *machine, const struct kernel_event *event);

/* The machine learns what an event says of its threads: all that stays after a switch, a fork or a state dump. */
void machine_learn(struct machine *machine, const struct kernel_event *event);

/* A gap begins. */
void machine_begin_gap(struct machine *machine, const struct event_gap *gap);

/* An event comes from a CPU, or from an unknown one for a negative number: it ends the gap of the CPU. */
void machine_end_gap(struct machine *machine, int32_t cpu_number, histree_time now);

#endif
