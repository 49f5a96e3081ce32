/* SPDX-License-Identifier: MIT */
/*
 * call_stacks.h - the functions that programs of LTTng-UST call, by thread, and the two analyses of them.
 *
 * Where events are lost, the calls of programs are in doubt for a while.
 *
 * Where events of a CPU are lost, any thread may have run there.  That ends with the next event of the CPU, as for
 * the kernel (kernel_gap.h), or where the trace says.
 *
 * lttng-ust-cyg-profile records the entries and exits of functions that gcc's -finstrument-functions marks, and
 * uftrace those that -pg marks too, with the names of functions.  The thread is given by the context vtid (or tid)
 * of the event; without it, by the kernel trace of the same host, which shows who ran on the CPU. A CPU alone does
 * not identify it, because threads move.  The fast variant has no address in its exits: then the innermost call
 * ends.  With an address, the innermost call of that function ends, together with the calls that it made, whose
 * exits were lost or never happened (longjmp); and an exit from a function in which the thread is not ends nothing.
 * uftrace also says how many calls a function is in: those that are not above it are gone, as after longjmp() and
 * exec().
 *
 * Memory: a stack for each thread, of CALL_DEPTH_MAX calls at most.  Calls below that are not kept.
 */
#ifndef ANALYSIS_UST_CALL_STACKS_H
#define ANALYSIS_UST_CALL_STACKS_H

#include "analysis/analysis.h"
#include "analysis/kernel/kernel_input.h"
#include "analysis/ust/call_symbols.h"
#include "base/arena.h"
#include "base/hash_index.h"
#include "event/event.h"
#include "histree/history.h"

struct cpu_gaps {
	histree_time end;          /* of the last gap of any CPU; INT64_MIN: no gap yet */
	histree_time end_anywhere; /* of the last one of which it is not said on which CPU */
	struct id_map cpus;        /* the end of the last gap, by trace and CPU */
	struct arena records;
};

void cpu_gaps_init(struct cpu_gaps *gaps);
void cpu_gaps_release(struct cpu_gaps *gaps);

/* A gap begins.  Where there is no memory to keep its CPU apart, it is one of all CPUs. */
void cpu_gaps_begin(struct cpu_gaps *gaps, const struct event_gap *gap);

/* An event comes: it ends the gap of its CPU.  Returns whether it is in another one still. */
bool cpu_gaps_meet(struct cpu_gaps *gaps, const struct event *event);

/* Linux's stack of 8 MiB has room for this many calls of 128 bytes; an exit visits all of them at worst. */
enum { CALL_DEPTH_MAX = 1 << 16 };

enum call_role { CALL_NONE, CALL_ENTRY, CALL_EXIT };

struct call_frame {
	uint64_t address;               /* of the function */
	uint64_t site;                  /* where the call returns to; 0: the trace does not say */
	const char *name;               /* of it; NULL: the trace has only the address */
	struct call_function *function; /* NULL: it has a name, or none is looked for */
	histree_time start;
	uint64_t inside; /* ns in calls that it made */
	int64_t level;   /* how many calls it is in, as the trace says; -1: it does not */
	bool is_whole;   /* no call that it made is missing from that */
};

/* A process; where events do not say which one they are of, all that a trace has are one. */
struct call_process {
	histree_time last; /* of its events */
};

struct call_thread {
	uint32_t number; /* dense from 0, for what analyses add to it */
	int32_t tid;
	struct call_process *process;
	histree_time last;         /* of its time, which never goes back */
	bool in_doubt;             /* since a gap: it is not known what it is in */
	struct call_frame *frames; /* the outermost first */
	size_t depth, capacity;
	uint64_t too_deep;        /* calls that are not kept, below all frames */
	const char *name;         /* of its process when its outermost call began; NULL: not said */
	struct call_space *space; /* that of its process; NULL: no names are looked for */
};

enum call_outcome {
	/* the event does not say of which thread; its entry or exit is alone, as are the next three */
	CALL_OF_NOBODY,
	CALL_IN_GAP, /* the thread is in doubt */
	CALL_TOO_DEEP,
	CALL_UNMATCHED, /* an exit: the thread is not in such a function */
	CALL_BEGAN,     /* the innermost frame is new */
	CALL_ENDED,     /* `ended` frames are gone, of which only the outermost has its exit */
};

/* What one event did. */
struct call_event {
	enum call_role role; /* CALL_NONE: it is of another kind, and the rest says nothing */
	enum call_outcome outcome;
	struct call_thread *thread; /* NULL: no thread */
	size_t cut;                 /* frames that were gone before, without an exit: the event is above them */
	bool is_anew;               /* the first event after a gap: the stack was forgotten, and begins anew */
	size_t ended;               /* they stay readable above the depth until the next event */
	const char *process;        /* its name, borrowed from the event; NULL: not said */
	size_t process_size;
};

/* The input of all analyses of such a trace. */
struct call_stacks {
	struct call_event event;     /* what the current event did */
	struct kernel_input *kernel; /* who runs; its own */
	struct class_table bindings;
	struct id_map threads;          /* struct call_thread by tid */
	struct id_map by_pid, by_trace; /* struct call_process */
	struct arena records;
	struct intern names; /* of functions */
	struct call_symbols symbols;
	struct cpu_gaps gaps; /* in which any thread may make calls that are not seen */
	uint64_t forgotten;   /* calls that were open when gaps began */
	histree_time latest;  /* of all events, of other traces too */
	/* Entries and exits so far, and those of them that do not identify their thread. */
	uint64_t entries_and_exits, of_nobody;
	bool is_unnamed; /* one of these does not name its process either */
};

/*
 * When an event begins, the stacks are as they are after it.
 *
 * Where events are lost, any thread may have run, and its frames are forgotten.
 */
extern const struct analysis_input_kind call_stacks_kind;

enum { CALL_NAME_SIZE = sizeof("0xffffffffffffffff") };

/* How a function is called: by its name, or by its address, "0x40472b", for which there is room. */
const char *call_name(const struct call_frame *frame, char room[static CALL_NAME_SIZE]);

/* Where it was called from, see call_symbols_site(); *site is NULL if that is not known. */
enum histree_status call_site(struct call_stacks *stacks, const struct call_thread *thread,
			      const struct call_frame *frame, const char **site, struct histree_error *error);

#endif
