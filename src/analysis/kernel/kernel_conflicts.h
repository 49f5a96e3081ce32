/* SPDX-License-Identifier: MIT */
/*
 * kernel_conflicts.h - how many events deny what the events before them said: others are missing then, lost by a
 * tracer that did not say so, or never recorded.
 *
 * A few are no sign: a recorder ends on one CPU before the other.  Many are, of one kind, if there are
 * CONFLICTS_MANY at least, and more than one in CONFLICTS_RATE events of that kind.
 *
 * No event is lost where a tracer was asked for some programs only, as perf is: CPUs become idle at the end of such
 * a program, and never cease to be.
 */
#ifndef ANALYSIS_KERNEL_KERNEL_CONFLICTS_H
#define ANALYSIS_KERNEL_KERNEL_CONFLICTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CONFLICTS_MANY = 10, CONFLICTS_RATE = 1000 };

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

/* What a slice of a trace saw first of something: what was before it, whoever knows says later. */
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

#endif
