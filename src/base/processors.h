/* SPDX-License-Identifier: MIT */
/*
 * processors.h - how many processors this process may use.
 */
#ifndef BASE_PROCESSORS_H
#define BASE_PROCESSORS_H

#include <stdint.h>

/* Returns how many processors the system gives the process; 1 if it does not say. */
uint32_t processors_count(void);

#endif
