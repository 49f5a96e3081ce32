/* SPDX-License-Identifier: MIT */
/*
 * experiment.h - build a store of several hosts step by step, as histree_build() does by itself, so that several
 * processes can build hosts.
 *
 *	histree_experiment_open(&options, true, &experiment, &error);
 *	histree_experiment_find_clocks(experiment, &error);
 *	for each host i that is not built yet, in any order, by any thread or process:
 *		histree_experiment_build_host(experiment, i, NULL, &error);
 *	histree_experiment_complete(experiment, &error);
 *	histree_experiment_free(experiment);
 *
 * One process *owns* STORE.building: it holds its lock, writes the manifest and gives the store its name.  Others
 * open the same experiment without owning it, are told the clocks, and build hosts into the folder of the owner.
 * For the same traces and options every process makes the same plan, and every process that builds a host writes
 * the same bytes.
 *
 * A host is built into STORE.building/hosts/NAME.building and takes its name when it is complete: a host that is
 * there under its name need not be built again, and a build with `resume` does not build it.
 *
 * Threads: one thread uses an experiment, except that any number of threads may call
 * histree_experiment_build_host() at a time, for different hosts.  Each call may then take as much memory as the
 * options say.
 */
#ifndef HISTREE_EXPERIMENT_H
#define HISTREE_EXPERIMENT_H

#include "build.h"

struct histree_experiment;

struct histree_experiment_host {
	const char *name;
	const char *folder;       /* of its store, inside of STORE: "hosts/NAME" */
	const char *const *paths; /* of its traces */
	size_t path_count;
	uint64_t bytes; /* of all files at and below them */
	bool is_built;  /* its store is complete: when the experiment was opened, or since it built it */
	const struct histree_clock *clock; /* NULL: its times stay as they are, or it is not known yet */
	size_t neighbour; /* index of the host by whose packets its clock was found; its own index: no host */
};

/*
 * Find the hosts of the traces.  With `own`, take hold of STORE.building, as histree_build() does, with its
 * errors (histree_build_options.force and .resume).  `options` and what it points to are copied, except for
 * callbacks. Returns HISTREE_ERR_ARGUMENT if an option is impossible for a store of several hosts.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status
histree_experiment_open(const struct histree_build_options *options, bool own, struct histree_experiment **out,
			struct histree_error *error);

/* Returns the hosts, in the order of their first traces; borrowed. */
HISTREE_API const struct histree_experiment_host *
histree_experiment_hosts(const struct histree_experiment *experiment, size_t *count);

/*
 * Find the clocks as the options say: from packets, which reads all traces unless an earlier build, cut off
 * since, has found them; as given; or no clocks at all.  Then others can open STORE.building.  The owner calls
 * this.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status
histree_experiment_find_clocks(struct histree_experiment *experiment, struct histree_error *error);

/* Tell a process that does not own the experiment the clock that the owner found.  NULL: times stay as they are. */
HISTREE_API void histree_experiment_set_clock(struct histree_experiment *experiment, size_t host,
					      const struct histree_clock *clock);

/* Callbacks during the build of one host, called by the thread that builds it. */
struct histree_experiment_watch {
	void (*progress)(void *context, const struct histree_progress *progress); /* may be NULL */
	void *progress_context;
	struct histree_cancel cancel;
};

/*
 * Build the store of one host, unless it is built already.  `watch` may be NULL.  Returns what histree_build()
 * does for its traces, also HISTREE_PARTIAL; the message names the host.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status
histree_experiment_build_host(struct histree_experiment *experiment, size_t host,
			      const struct histree_experiment_watch *watch, struct histree_error *error);

/*
 * Complete the store once all hosts are built, by any process: write the manifest, and give the store its name.
 * Returns HISTREE_PARTIAL as histree_build() does, HISTREE_ERR_INCOMPLETE if a host is not built.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status
histree_experiment_complete(struct histree_experiment *experiment, struct histree_error *error);

/*
 * Free the experiment.  Complete hosts stay in STORE.building for a build with `resume`; without any, it is
 * removed.
 */
HISTREE_API void histree_experiment_free(struct histree_experiment *experiment);

#endif
