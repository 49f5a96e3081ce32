/* SPDX-License-Identifier: MIT */
/*
 * thread.h - threads of the library, which leave signals to those of the program that it is part of.
 */
#ifndef BASE_THREAD_H
#define BASE_THREAD_H

#include <pthread.h>
#include <stdbool.h>

/* Returns false if the system has no thread to give. */
bool thread_create(pthread_t *out, void *(*run)(void *context), void *context);

#endif
