/* SPDX-License-Identifier: MIT */
/*
 * build_message.h - what ranks of a build tell each other.
 */
#ifndef MPI_BUILD_MESSAGE_H
#define MPI_BUILD_MESSAGE_H

#include "histree/experiment.h"
#include "mpi/message.h"

enum build_message {
	BUILD_PLAN = 'P',     /* from rank 0: the hosts and their clocks */
	BUILD_GIVE = 'G',     /* from rank 0: build this host */
	BUILD_CANCEL = 'K',   /* from rank 0: leave it, the build has failed */
	BUILD_CUT = 'C',      /* from rank 0, in place of a plan: one trace is cut in time (slice_job.h) */
	BUILD_SLICE = 's',    /* both ways: of histree/slices.h */
	BUILD_END = 'X',      /* from rank 0: there is nothing more to do */
	BUILD_PROGRESS = 'p', /* to rank 0: events, bytes */
	BUILD_DONE = 'D',     /* to rank 0: host, status, what is wrong */
};

/* What a rank says of the host that it has built. */
struct build_done {
	size_t host;
	struct histree_error error; /* and its status */
};

/* The plan, for ranks that have to find the same hosts. */
void build_plan_write(struct message *out, const struct histree_experiment_host *hosts, size_t count);

/* Tells the clocks of the plan to this rank's experiment.  Returns HISTREE_ERR_ARGUMENT if its hosts are others. */
enum histree_status build_plan_read(struct histree_experiment *experiment, struct byte_reader *reader,
				    struct histree_error *error);

void build_done_write(struct message *out, const struct build_done *done);
bool build_done_read(struct byte_reader *reader, struct build_done *done);

#endif
