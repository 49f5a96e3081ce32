/* SPDX-License-Identifier: MIT */
/*
 * occupancy.h - which thread each CPU runs at a moment, and whether threads and CPUs say the same of that.
 *
 * A CPU runs at most one thread; a thread that runs is run by exactly one CPU; and a thread that a CPU runs does
 * run, or nothing is known of it.  The pseudo-thread -1 stands for the threads of all CPUs whose thread is not
 * named yet.
 *
 * 	occupancy_init(&occupancy, threads, resources, report, context, &error);
 * 	... set what changes at a time, then occupancy_settle(&occupancy, time), time after time ...
 * 	occupancy_finish(&occupancy, end, &error);
 * 	occupancy_release(&occupancy);
 */
#ifndef VIEW_OCCUPANCY_H
#define VIEW_OCCUPANCY_H

#include "base/hash_index.h"
#include "view/view.h"
#include "view/thread_list.h"

enum occupancy_fault { OCCUPANCY_SOUND, OCCUPANCY_NO_CPU, OCCUPANCY_SEVERAL_CPUS, OCCUPANCY_RUNS_NOT };

struct occupancy_thread {
	int32_t tid, cpu; /* of an idle thread, its CPU */
	struct histree_value status;
	uint32_t cpu_count;         /* that run it, by their own word */
	int32_t last_cpu;           /* of them */
	enum occupancy_fault fault; /* that goes on */
	histree_time fault_since;
	struct histree_value at_fault; /* its status then */
	bool is_touched;
};

struct occupancy_cpu {
	int32_t number;
	struct occupancy_thread *thread; /* NULL: none is known */
	bool is_nameless;
};

struct occupancy {
	struct occupancy_thread *threads;
	struct occupancy_cpu *cpus;
	size_t thread_count, cpu_count, nameless_count;
	struct id_map by_tid;              /* struct occupancy_thread; idle threads as in occupancy.c */
	struct occupancy_thread **touched; /* since the last time that was settled */
	size_t touched_count;
	void (*report)(void *context, const char *fault);
	void *context;
	uint64_t faults;
};

#endif
