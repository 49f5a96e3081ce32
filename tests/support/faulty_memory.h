/* SPDX-License-Identifier: MIT */
/*
 * faulty_memory.h - memory that is out at the n-th time it is asked for.
 *
 * A program that wants it is linked with the --wrap options of tests/unit/meson.build, so that what histree
 * allocates goes through here; what other libraries allocate does not.
 */
#ifndef SUPPORT_FAULTY_MEMORY_H
#define SUPPORT_FAULTY_MEMORY_H

#include <stdbool.h>
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

#endif
