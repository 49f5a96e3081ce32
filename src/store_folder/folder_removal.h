/* SPDX-License-Identifier: MIT */
/*
 * folder_removal.h - remove a store, or what is left of one.
 *
 * Only files that we could have made are ever removed, and symbolic links are not followed.
 */
#ifndef STORE_FOLDER_FOLDER_REMOVAL_H
#define STORE_FOLDER_FOLDER_REMOVAL_H

#include <stdbool.h>
#include <stddef.h>

#include "base/io.h"

#define LOCK_FILE "lock"

/*
 * Remove our files, the stores of hosts inside, and the folder; anything else in it stays, and with it the folder.
 * The manifest goes first: what is left of a store that lacks some of its files must not be taken for one.
 */
void folder_remove(const struct io *io, const char *folder);

/* Remove a file in a folder. */
void folder_remove_file(const struct io *io, const char *folder, const char *name);

/* Remove the files that a killed build left: `all` but the lock, or only those that nobody reads. */
void folder_clear(const struct io *io, const char *folder, bool all);

/* Remove the stores of hosts that are not on a list of folders ("hosts/NAME"), built or being built. */
void folder_remove_other_hosts(const struct io *io, const char *folder, const char *const *hosts, size_t count);

#endif
