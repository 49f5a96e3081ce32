/* SPDX-License-Identifier: MIT */
/*
 * kernel_facts.h - what is known of the states of threads and of resources.
 */
#ifndef SERVER_MODEL_KERNEL_FACTS_H
#define SERVER_MODEL_KERNEL_FACTS_H

#include "server/model/state_fact.h"

/* The views are a struct kernel_threads and a struct kernel_view. */
extern const struct state_fact kernel_thread_facts[], kernel_resource_facts[];

#endif
