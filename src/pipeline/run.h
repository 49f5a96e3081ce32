/* SPDX-License-Identifier: MIT */
/*
 * run.h - one analysis at work, and the file that it fills: a history or a segment store.
 */
#ifndef PIPELINE_RUN_H
#define PIPELINE_RUN_H

#include "base/io.h"
#include "histree/build.h"
#include "histree/store.h"
#include "pipeline/registry.h"

struct run {
	const struct registry_entry *entry;
	struct histree_state_system *system;    /* of a history */
	struct histree_segment_store *segments; /* of a segment store */
	void *instance;
	bool *applies; /* by id of the trace */
	char *file;    /* its name in the store */
};

/* Not started yet.  HISTREE_ERR_MEMORY: there is nothing to release. */
enum histree_status run_init(struct run *run, const struct registry_entry *entry, size_t trace_count,
			     struct histree_error *error);

enum histree_status run_start(struct run *run, const struct io *io, const char *path, histree_time start,
			      const struct histree_build_options *options, struct histree_error *error);

/* An event or a gap, if the analysis applies to its trace. */
enum histree_status run_handle(struct run *run, const struct event *event, struct histree_error *error);

/* Let others see what is known up to `end`; of segments that is nothing before they are complete. */
enum histree_status run_publish(struct run *run, histree_time end, struct histree_error *error);
enum histree_status run_close(struct run *run, histree_time end, struct histree_error *error);

static inline bool run_makes_history(const struct run *run)
{
	return run->entry->analysis != NULL;
}

struct histree_store_history run_describe_history(const struct run *run);
struct histree_store_segments run_describe_segments(const struct run *run);

void run_release(struct run *run);

#endif
