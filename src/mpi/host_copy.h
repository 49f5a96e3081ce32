/* SPDX-License-Identifier: MIT */
/*
 * host_copy.h - the store of a host from a rank's local disk to where the owner of the build wants it.
 *
 * The files are copied into STORE.building/FOLDER.building, the manifest last, so that what was cut off is no
 * store; then it takes its name.  The local one stays, as LOCAL/FOLDER.
 */
#ifndef MPI_HOST_COPY_H
#define MPI_HOST_COPY_H

#include <stdint.h>

#include "histree/status.h"

/* Makes LOCAL.building, which the owner of an experiment makes of its own. */
enum histree_status host_copy_begin(const char *local, struct histree_error *error);

/* `folder` is that of the host in a store: "hosts/NAME". */
enum histree_status host_copy(const char *local, const char *store, const char *folder,
			      struct histree_error *error);

/* Returns the bytes of all files of STORE.building/FOLDER; 0 if there are none. */
uint64_t host_copy_size(const char *store, const char *folder);

#endif
