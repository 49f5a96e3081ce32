/* SPDX-License-Identifier: MIT */
/*
 * host_builder.h - a thread that builds the store of one host at a time, while its rank's main thread exchanges
 * messages.
 *
 * With a local folder, the store is built there, copied to where the owner of the experiment wants it, and kept for
 * questions (`serve --local`): FOLDER/hosts/NAME.
 */
#ifndef MPI_HOST_BUILDER_H
#define MPI_HOST_BUILDER_H

#include <pthread.h>

#include "histree/experiment.h"

struct host_builder {
	struct histree_experiment *experiment;
	const char *store, *local; /* local: NULL: it is built where it belongs */
	uint64_t throttle_disk;    /* bytes a second; 0: as they come */
	bool is_busy;
	pthread_t thread;
	size_t host;
	int64_t begun_ns;
	pthread_mutex_t mutex; /* guards what follows */
	bool is_cancelled, is_over;
	struct histree_progress progress;
	enum histree_status status;
	struct histree_error error;
};

void host_builder_init(struct host_builder *builder, struct histree_experiment *experiment, const char *store,
		       const char *local, uint64_t throttle_disk);

/* Returns false if there is no thread to be had. */
bool host_builder_start(struct host_builder *builder, size_t host);

/* Whether the host is done; then *status and *error say how, and the next one can be started. */
bool host_builder_is_done(struct host_builder *builder, enum histree_status *status, struct histree_error *error);

void host_builder_progress(struct host_builder *builder, struct histree_progress *progress);

/* Lets the build end soon; host_builder_is_done() says when. */
void host_builder_cancel(struct host_builder *builder);

/* Cancels what is being built, and waits for it. */
void host_builder_release(struct host_builder *builder);

#endif
