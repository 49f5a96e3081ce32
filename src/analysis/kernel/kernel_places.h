/* SPDX-License-Identifier: MIT */
/*
 * kernel_places.h - which attributes the states of a kernel go to.  The machine is one, the layouts are several.
 *
 * The papers measured a layout in which nodes of threads and CPUs have no states and Status is below them (`2016`).
 * Thesis 5.1 puts the status on the node (`plain`), makes attributes only once something is known, and has
 * interrupts directly below their CPU, softirqs with a minus.  `compact` does all of that, and keeps what is always
 * known together as a pair (value_pair.h).
 */
#ifndef ANALYSIS_KERNEL_KERNEL_PLACES_H
#define ANALYSIS_KERNEL_KERNEL_PLACES_H

#include <stdbool.h>

#include "item/value_pair.h"

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

#endif
