/* SPDX-License-Identifier: MIT */
/*
 * faulty_memory.h - memory that is out at the n-th time it is asked for, or above a ceiling, and counted.
 *
 * The program `faults` is linked with the --wrap options of tests/fault/meson.build, so that what histree allocates
 * goes through here; what other libraries allocate does not.  A limit of the process would also hold what a
 * sanitizer needs.
 */
#ifndef SUPPORT_FAULTY_MEMORY_H
#define SUPPORT_FAULTY_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct faulty_memory {
	_Atomic(uint64_t) requests; /* so far, of all threads */
	uint64_t fail_at;           /* the request that is refused, from 1; 0: none */
	bool for_ever;              /* and all after it */
	_Atomic bool refused;       /* one was */
};

/* Of the whole process.  It begins and ends while there is one thread. */
extern struct faulty_memory faulty_memory;

/* From now on, refuse the n-th request. */
void faulty_memory_begin(uint64_t fail_at, bool for_ever);
void faulty_memory_end(void);

/*
 * Count what there is at a time from here on, from nothing, and of libjansson too.  More than the ceiling is
 * refused, as a finding must not cost the machine its memory; 0: none.  For suites of one thread.
 */
void counted_memory_begin(size_t ceiling);

/* Returns the most that there was at a time since then. */
size_t counted_memory_peak(void);

/* Returns whether something was refused since then. */
bool counted_memory_refused(void);

#endif
