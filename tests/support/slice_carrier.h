/* SPDX-License-Identifier: MIT */
/*
 * slice_carrier.h - workers of pipeline/slices.h in this process, and a thread that carries what is said.
 *
 * It may change what workers say, or lose a worker: what a build makes of that is its test's.
 */
#ifndef SUPPORT_SLICE_CARRIER_H
#define SUPPORT_SLICE_CARRIER_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/hash_index.h"
#include "pipeline/slices.h"

enum { CARRIED_WORKERS_MAX = 4 };

struct slice_carrier {
	unsigned workers;
	struct histree_slice_post *post;
	struct histree_slice_worker *worker[CARRIED_WORKERS_MAX];
	struct random random;
	/* One in so many messages of workers is changed by a byte, or is the last of its worker; 0: none. */
	unsigned damages, loses;
	char loses_at; /* only messages of this kind are; '\0': any */
	bool is_gone[CARRIED_WORKERS_MAX];
	uint64_t carried; /* bytes, both ways */
	/* Sees each message of a worker; NULL: nobody does. */
	void (*look)(const void *bytes, size_t size);
	pthread_t thread;
	atomic_bool is_stopping;
};

/* Fill in `workers` and what is to happen first.  Returns false if there is no memory or no thread. */
bool slice_carrier_begin(struct slice_carrier *carrier, unsigned threads);
void slice_carrier_end(struct slice_carrier *carrier);

#endif
