/* SPDX-License-Identifier: MIT */
/*
 * experiment.h - a build of several hosts: each into a store of its own inside the common one.
 *
 * The struct of an experiment is for experiment.c, which runs it, experiment_plan.c, which finds its hosts, and
 * experiment_clocks.c.
 */
#ifndef PIPELINE_HOSTS_EXPERIMENT_H
#define PIPELINE_HOSTS_EXPERIMENT_H

#include "base/arena.h"
#include "base/io.h"
#include "histree/build.h"
#include "pipeline/build_plan.h"
#include "store_folder/store_folder.h"
#include "trace/trace_list.h"

struct histree_experiment {
	struct arena arena;                   /* what the options point to, names, clocks, warnings */
	struct histree_build_options options; /* of all */
	const struct io *io;
	struct trace_groups groups;
	struct histree_experiment_host *hosts; /* as many as groups */
	struct histree_clock *clocks;          /* that theirs are in */
	size_t count;
	uint32_t reference;         /* the index of that host */
	char *recipe, *host_recipe; /* of all, and of the store of each host (leftover.h) */
	bool owns;
	struct store_folder folder; /* if it does */
	char *building;             /* STORE.building */
	bool has_clocks;            /* they are those of the build that is gone on with */
	bool is_complete;           /* that build lacks nothing but its name */
	const char **warnings;      /* about clocks */
	size_t warning_count;
	int64_t begun_ns;
};

/* Find the hosts of the options; those that say nothing of hosts are of one if their traces agree so. */
enum histree_status experiment_plan(struct histree_experiment *experiment, struct histree_error *error);

/* Returns the index of the host of that name, or the number of hosts if there is none. */
size_t experiment_find_host(const struct histree_experiment *experiment, const char *name);

/* Returns the clock that the options give for the host, NULL if they give none. */
const struct histree_clock *experiment_given_clock(const struct histree_experiment *experiment, const char *host);

/* Returns the traces of all hosts, which the caller frees, but not their strings; NULL if memory runs out. */
const char **experiment_traces(const struct histree_experiment *experiment, size_t *count);

/* Have the clock of a host; NULL: none. */
void experiment_set_clock(struct histree_experiment *experiment, size_t host, const struct histree_clock *clock);

/* Find the clocks that were not given, by packets. */
enum histree_status experiment_find_clocks(struct histree_experiment *experiment, struct histree_error *error);

/* histree_build() on a table of file calls, so that a test can make each of them fail. */
enum histree_status pipeline_build(const struct histree_build_options *options, const struct io *io,
				   struct histree_error *error);

#endif
