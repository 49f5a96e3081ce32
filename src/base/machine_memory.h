/* SPDX-License-Identifier: MIT */
/*
 * machine_memory.h - how much memory the machine has.
 */
#ifndef BASE_MACHINE_MEMORY_H
#define BASE_MACHINE_MEMORY_H

#include <stdint.h>

/* Returns the bytes of memory of the machine, whoever uses them; UINT64_MAX if the system does not say. */
uint64_t machine_memory(void);

#endif
