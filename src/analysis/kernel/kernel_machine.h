/* SPDX-License-Identifier: MIT */
/*
 * kernel_machine.h - the threads and CPUs of a recorded machine, shared by all analyses of a kernel trace; the
 * attributes of their states; and how many events contradict the events before them.
 *
 * Events that contradict (*deny*) the events before them show that others are missing, lost by a tracer that did
 * not report it, or never recorded.  A few mean nothing: a recorder stops on one CPU before the other.  Many of one
 * kind do, if there are at least CONFLICTS_MANY, and more than one in CONFLICTS_RATE events of that kind.
 *
 * No event is lost if the tracer recorded only some programs, as perf can: CPUs become idle at the end of such a
 * program, and stay idle.
 *
 * A *layout* says which attributes hold the states of a kernel.  There is one machine, but several layouts.
 *
 * The papers measured a layout in which nodes of threads and CPUs have no states and Status is below them (`2016`).
 * Thesis 5.1 puts the status on the node (`plain`), makes attributes only once something is known, and has
 * interrupts directly below their CPU, softirqs with a minus.  `compact` does all of that, and keeps what is always
 * known together as a pair (value.h).
 *
 * The *machine* keeps which thread runs on each CPU, the names of threads, and since when lost events leave that in
 * doubt: losses that the tracer reported, and losses inferred where an event finds another thread than the one that
 * should be running.
 *
 * What an analysis adds to a thread or CPU, such as its attributes in a history, belongs to the analysis.
 *
 * Functions that give a record, or a text, give NULL or null if memory runs out, which is remembered as a fault.
 */
#ifndef ANALYSIS_KERNEL_KERNEL_MACHINE_H
#define ANALYSIS_KERNEL_KERNEL_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/kernel/kernel_layout.h"
#include "base/arena.h"
#include "base/hash_index.h"
#include "histree/value.h"
#include "item/value.h"

enum kernel_conflict {
	CONFLICT_SWITCH,    /* a thread is found where no switch had brought it */
	CONFLICT_CALL,      /* a system call begins in another, or ends outside of any */
	CONFLICT_INTERRUPT, /* the same of interrupts and softirqs of one CPU */
	CONFLICT_KINDS,
};

/* A zeroed one has counted nothing.  Who counts no events of a kind has no denials of it. */
struct kernel_conflicts {
	uint64_t events[CONFLICT_KINDS], denials[CONFLICT_KINDS];
	uint64_t to_idle, from_idle; /* switches */
};

/* What an entry or exit may find: nothing that is known, what the exit before left, or what an entry began. */
enum kernel_progress { PROGRESS_UNKNOWN, PROGRESS_OUTSIDE, PROGRESS_INSIDE };

/*
 * The first thing that a slice of a trace saw of something; the state before it is decided later by the true
 * instance.
 */
enum kernel_step { STEP_NONE, STEP_BEGAN, STEP_ENDED, STEP_INHERITED };

static inline void conflicts_first_step(enum kernel_step *first, bool begins)
{
	if (*first == STEP_NONE)
		*first = begins ? STEP_BEGAN : STEP_ENDED;
}

/* Something begins or ends. */
static inline void conflicts_step(struct kernel_conflicts *conflicts, enum kernel_conflict kind,
				  enum kernel_progress *progress, bool begins)
{
	conflicts->events[kind]++;
	conflicts->denials[kind] += *progress == (begins ? PROGRESS_INSIDE : PROGRESS_OUTSIDE);
	*progress = begins ? PROGRESS_INSIDE : PROGRESS_OUTSIDE;
}

/*
 * Writes a sentence, lower case, no full stop, about what many events deny, and `what_follows` from that; "" if
 * there is nothing to say.
 */
void conflicts_describe(const struct kernel_conflicts *conflicts, const char *what_follows, char *text,
			size_t size);

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
	uint32_t place; /* dense: where analyses keep what they know of it (struct dense_records) */
	uint32_t life;  /* how many threads had the number before it */
	bool is_seen;   /* it was made, did something, or was there when the trace began */
	bool is_cloned; /* it was made, says an event that comes before that of the fork, and did nothing yet */
	bool has_ended; /* whatever the number does next, another thread does */
	struct machine_cpu *cpu; /* where it runs; NULL: nowhere, or not known where */
	histree_time gap_end;    /* of the last gap in which it may have done something unseen */
	const char *name;        /* NULL: not known yet */
	size_t name_size;
};

struct machine_cpu {
	int32_t number;
	uint32_t place;                /* dense, among CPUs */
	uint32_t place_of_unknown;     /* among threads: of the one that runs there before an event says which */
	struct machine_thread *thread; /* that runs; NULL before the first switch, also of those after a gap */
	struct machine_thread *left;   /* by the last switch, as long as no event was of the one that came */
	histree_time left_at;
	histree_time gap_end; /* of its last gap */
	uint64_t turns;       /* how often it was switched to a thread that is not idle */
};

/* What ends a build. */
enum machine_fault {
	MACHINE_IS_WELL,
	MACHINE_HAS_NO_MEMORY,  /* for a record */
	MACHINE_IS_NOT_DECLARED /* an analysis asks it, and has not said so in time: it has learned nothing */
};

enum { MACHINE_RECENT = 64 };

/* A text that was there lately, as the names of all idle threads are; without bytes, the place is free. */
struct machine_recent {
	uint64_t ends;     /* its first and last bytes, and its size, as one number */
	const char *bytes; /* of the texts */
	size_t size;
};

struct machine {
	struct id_map threads, cpus; /* struct machine_thread by tid, struct machine_cpu by number */
	uint32_t place_count;        /* of threads */
	struct arena records;
	struct intern texts;
	struct machine_recent recent[MACHINE_RECENT];
	histree_time gap_end;              /* of the last one of any CPU; INT64_MIN: there was none */
	histree_time gap_end_anywhere;     /* of the last one of which it is not said on which CPU */
	struct kernel_conflicts conflicts; /* of switches */
	enum machine_fault fault;
	bool has_early_names; /* those of perf's, of the time before its first event */
};

void machine_init(struct machine *machine);
void machine_release(struct machine *machine);

/* Put the threads, CPUs and texts into this space.  There must be none yet. */
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

/* Returns the name that a switch says of a thread, or else the known one; no bytes if neither is there. */
struct kernel_text machine_name_at_switch(struct kernel_text said, const struct machine_thread *thread);

/* Whether an event is of the thread that the CPU is just leaving, which denies nothing (kernel_layout.h). */
bool machine_is_in_switch(const struct kernel_event *event);

/* Returns the thread that leaves a CPU at a switch. */
struct machine_thread *machine_thread_leaving(struct machine *machine, const struct kernel_event *event);

/* An event is met, before anybody handles it: is the thread that it says to run the one that is known to? */
void machine_meet(struct machine *machine, const struct kernel_event *event);

/* The machine learns what an event says of its threads: all that stays after a switch, a fork or a state dump. */
void machine_learn(struct machine *machine, const struct kernel_event *event);

/* An analysis asks for what is not there: that is a fault if nobody keeps it, as none has said that it asks. */
void machine_asked_in_vain(const struct kernel_event *event);

/* Returns the thread in which an event happened; NULL: nobody knows (yet). */
static inline struct machine_thread *kernel_event_thread(const struct kernel_event *event)
{
	if (event->in_thread == NULL)
		machine_asked_in_vain(event);
	return event->in_thread;
}

/* Returns the thread that wakes another one in this event; NULL: nobody knows, or an interrupt does. */
static inline struct machine_thread *kernel_event_waker(const struct kernel_event *event)
{
	return kernel_event_is_of_interrupt(event) ? NULL : event->in_thread;
}

/* Returns the CPU on which it happened; NULL where the trace does not say. */
static inline struct machine_cpu *kernel_event_cpu(const struct kernel_event *event)
{
	if (event->on_cpu == NULL)
		machine_asked_in_vain(event);
	return event->on_cpu;
}

/* A gap begins. */
void machine_begin_gap(struct machine *machine, const struct event_gap *gap);

/* An event comes from a CPU, or from an unknown one for a negative number: it ends the gap of the CPU. */
void machine_end_gap(struct machine *machine, int32_t cpu_number, histree_time now);

#endif
