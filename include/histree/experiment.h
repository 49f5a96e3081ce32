/* SPDX-License-Identifier: MIT */
/*
 * experiment.h - build a store of several hosts step by step, as histree_build() does by itself: for who builds the
 * hosts in several processes.
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
 * For the same traces and options the plan is the same in each of them, and the files of a host are the same bytes
 * whoever makes them.
 *
 * A host is built into STORE.building/hosts/NAME.building and takes its name when it is complete: what is there
 * under its name need not be built again, and a build with `resume` does not.
 *
 * Threads: one thread uses an experiment, but for histree_experiment_build_host(), which any number of them may
 * call at a time, for different hosts.  Each call may then take as much memory as the options say.
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
	bool is_built;  /* as it was when the experiment was opened or built it: its store is complete */
	const struct histree_clock *clock; /* NULL: its times stay as they are, or it is not known yet */
	size_t neighbour; /* the host by whose packets its clock was found, an index; its own: by none */
};

/*
 * Find the hosts of the traces.  With `own`, take hold of STORE.building, as histree_build() does, with its errors
 * (histree_build_options.force and .resume).  `options` and what it points to is copied, but for callbacks.
 * Returns HISTREE_ERR_ARGUMENT if the options ask for what no store of several hosts can be.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status
histree_experiment_open(const struct histree_build_options *options, bool own, struct histree_experiment **out,
			struct histree_error *error);

/* Returns the hosts, in the order of their first traces; borrowed. */
HISTREE_API const struct histree_experiment_host *
histree_experiment_hosts(const struct histree_experiment *experiment, size_t *count);

/*
 * Find the clocks as the options say: from packets, which reads all traces unless a build that was cut off has
 * found them before; as given; or none.  Then others can open STORE.building.  The owner calls this.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status
histree_experiment_find_clocks(struct histree_experiment *experiment, struct histree_error *error);

/* Who does not own the experiment is told the clocks that the owner found.  NULL: times stay as they are. */
HISTREE_API void histree_experiment_set_clock(struct histree_experiment *experiment, size_t host,
					      const struct histree_clock *clock);

/* How the build of one host is watched and ended, in the thread that builds it. */
struct histree_experiment_watch {
	void (*progress)(void *context, const struct histree_progress *progress); /* may be NULL */
	void *progress_context;
	struct histree_cancel cancel;
};

/*
 * Build the store of one host, unless it is built.  `watch` may be NULL.  Returns what histree_build() does for its
 * traces, HISTREE_PARTIAL too; the message names the host.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status
histree_experiment_build_host(struct histree_experiment *experiment, size_t host,
			      const struct histree_experiment_watch *watch, struct histree_error *error);

/*
 * All hosts are built, by whomever: write the manifest, and give the store its name.  Returns HISTREE_PARTIAL as
 * histree_build() does, HISTREE_ERR_INCOMPLETE if a host is not built.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status
histree_experiment_complete(struct histree_experiment *experiment, struct histree_error *error);

/* Let go of it.  Hosts that are complete stay in STORE.building, for a build with `resume`; without any it goes. */
HISTREE_API void histree_experiment_free(struct histree_experiment *experiment);

#endif
