/* SPDX-License-Identifier: MIT */
/*
 * build.h - the build of several hosts by several ranks.
 *
 * Rank 0 owns the experiment: it finds the clocks, assigns hosts, the largest first, to idle ranks, builds some
 * itself, and completes the store when all are built.  The others open the same experiment, get the clocks, and
 * report when a host is built and, five times a second, their progress.
 */
#ifndef MPI_BUILD_H
#define MPI_BUILD_H

#include <pthread.h>
#include <stdint.h>

#include "cli/build_request.h"
#include "histree/build.h"
#include "histree/status.h"
#include "mpi/link.h"

enum build_message {
	BUILD_PLAN = 'P',     /* from rank 0: the hosts and their clocks */
	BUILD_GIVE = 'G',     /* from rank 0: build this host */
	BUILD_CANCEL = 'K',   /* from rank 0: leave it, the build has failed */
	BUILD_CUT = 'C',      /* from rank 0, in place of a plan: one trace is cut in time (verbs.h) */
	BUILD_SLICE = 's',    /* both ways: of pipeline/slices.h */
	BUILD_END = 'X',      /* from rank 0: there is nothing more to do */
	BUILD_PROGRESS = 'p', /* to rank 0: events, bytes */
	BUILD_DONE = 'D',     /* to rank 0: host, status, what is wrong */
};

struct build_job_options {
	const char *local;
	uint64_t throttle_disk;
	uint64_t patience_ns; /* after which a rank that builds and says nothing is taken for lost */
	bool quiet;
	struct progress *progress;
};

/*
 * On rank 0.  Returns the exit status; *is_cut_off: a signal came, and no rank waits for this one any more;
 * *is_one_host: all traces are of one, and the others still wait to be told what to do.
 */
int build_job_lead(struct link *link, const struct build_request *request, const struct build_job_options *options,
		   bool *is_cut_off, bool *is_one_host);

/* On the others; *is_cut: it is one trace, and its slices are what comes (verbs.h). */
void build_job_follow(struct link *link, const struct build_request *request,
		      const struct build_job_options *options, const struct roll_call *first, bool *is_cut_off,
		      bool *is_cut);

#endif
