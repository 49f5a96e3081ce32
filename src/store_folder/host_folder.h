/* SPDX-License-Identifier: MIT */
/*
 * host_folder.h - where in a store of several hosts the store of a host is.
 *
 * Its folder is called as the host, but for what a name of a file cannot have, or means something in ours: '%XX'
 * stands for '/', '%', bytes below the blank, a dot at the beginning and the one of ".building" at the end.
 */
#ifndef STORE_FOLDER_HOST_FOLDER_H
#define STORE_FOLDER_HOST_FOLDER_H

#include <stddef.h>
#include <stdint.h>

#include "histree/store.h"

#define HOSTS_FOLDER "hosts"

/* With room for the names that a build gives the folder meanwhile, in the 255 bytes that a name can have. */
enum { HOST_FOLDER_SIZE = sizeof(HOSTS_FOLDER) + 240 };

/* Writes "hosts/NAME".  Returns false if no folder can be called so: the name is empty, or too long. */
bool host_folder_name(const char *host, char out[HOST_FOLDER_SIZE]);

/* Returns whether the store of that path is that of a host in a store of several, which means it by its files. */
bool host_folder_is_inside(const char *path);

/* Returns what the files of a complete store are together; hardly any other store has it.  Never 0. */
uint64_t host_folder_identity(const struct histree_store_info *info);

#endif
