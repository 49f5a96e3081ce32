/* SPDX-License-Identifier: MIT */
/*
 * switch_records.h - what the records of switches that perf itself writes (perf record --switch-events) do not say
 * by themselves, but with those before them.
 *
 * A record says that a thread leaves its CPU, and whether it could run on (PERF_RECORD_MISC_SWITCH_OUT_PREEMPT).
 * One that is dead has no number any more by then, and is the one that ran there; and that another left for good
 * is known from its end, shortly before (perf_event_exit_task() comes before the last switch in do_exit()).
 */
#ifndef TRACE_SWITCH_RECORDS_H
#define TRACE_SWITCH_RECORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* No more threads are between their end and their last switch at a time: who is pushed out looks blocked. */
enum { SWITCH_RECORDS_EXITS = 256 };

/* A zeroed one is empty. */
struct switch_records {
	int32_t exits[SWITCH_RECORDS_EXITS]; /* a ring */
	size_t exit_count;
	int32_t *runs; /* by CPU: the thread, by the last record; 0 or less: nobody, or not known */
	size_t cpu_count, cpu_capacity;
};

/* Of the classes "perf_switch", "perf_leave" and "perf_come" (perf_class.h). */
struct switch_record {
	int32_t cpu;  /* negative: it is of one thread alone, and says of no other */
	int32_t tid;  /* who leaves or comes; negative: it is not said */
	int32_t next; /* who comes, where one leaves */
	bool is_out, could_run;
	int32_t left_as; /* as prev_state of Linux 4.14 and later has it */
};

void switch_records_exit(struct switch_records *records, int32_t tid);

/* Find what the record does not say; events come in the order of time.  False: memory runs out. */
bool switch_records_meet(struct switch_records *records, struct switch_record *record);
void switch_records_release(struct switch_records *records);

#endif
