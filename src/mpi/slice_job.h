/* SPDX-License-Identifier: MIT */
/*
 * slice_job.h - the build of one trace by several ranks: it is cut in time (docs/design/13-hosts.md).
 *
 * Rank 0 owns the store, hands slices over, and reads some itself, by threads of the build; its main thread carries
 * the messages of pipeline/slices.h, and does nothing else.  The main thread of another rank does the same for the
 * threads that read there.
 */
#ifndef MPI_SLICE_JOB_H
#define MPI_SLICE_JOB_H

#include "mpi/build.h"

/* Whether what is asked for may be built from slices, as far as the request says. */
bool slice_job_can(const struct link *link, const struct build_request *request);

/* On rank 0; the others are told.  Returns the exit status; *is_cut_off as build_job_lead() has it. */
int slice_job_lead(struct link *link, const struct build_request *request, const struct build_job_options *options,
		   bool *is_cut_off);

/* On rank 0: tell the others that there is nothing for them to do. */
void slice_job_decline(struct link *link);

/* On the others, which were told. */
void slice_job_follow(struct link *link, const struct build_request *request,
		      const struct build_job_options *options, const struct roll_call *first, bool *is_cut_off);

#endif
