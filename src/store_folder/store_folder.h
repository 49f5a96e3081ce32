/* SPDX-License-Identifier: MIT */
/*
 * store_folder.h - the folder of a store while it is made, the folders of its hosts, and how a store is removed.
 *
 * A store is made in a folder next to its final name, which it takes at the end.  A lock on STORE.building keeps
 * two builds of one store apart.  Once it has a manifest it is an incomplete store: others can open it, and a build
 * that is cut off leaves it.  A folder left without a manifest is unused and is cleared.
 *
 * The folder of a host has the name of the host, except that '%XX' stands for '/', '%', bytes below the blank, a
 * dot at the beginning and the one of ".building" at the end.
 *
 * Only files that histree could have made are ever removed, and symbolic links are not followed.
 */
#ifndef STORE_FOLDER_STORE_FOLDER_H
#define STORE_FOLDER_STORE_FOLDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/io.h"
#include "histree/store.h"

/* Remove a file in a folder. */
void folder_remove_file(const struct io *io, const char *folder, const char *name);

/* Remove the stores of hosts that are not on a list of folders ("hosts/NAME"), built or being built. */
void folder_remove_other_hosts(const struct io *io, const char *folder, const char *const *hosts, size_t count);

#define MANIFEST_FILE "manifest.json"
#define HOSTS_FOLDER "hosts"

/* Leaves room for the names that a build gives the folder meanwhile, within the 255 bytes of a name. */
enum { HOST_FOLDER_SIZE = sizeof(HOSTS_FOLDER) + 240 };

/* Writes "hosts/NAME".  Returns false if no folder can be called so: the name is empty, or too long. */
bool host_folder_name(const char *host, char out[HOST_FOLDER_SIZE]);

/* Returns whether the store of that path belongs to a host in a store of several, which lists its files. */
bool host_folder_is_inside(const char *path);

/* Returns what the files of a complete store are together; hardly any other store has it.  Never 0. */
uint64_t host_folder_identity(const struct histree_store_info *info);

struct store_folder {
	const struct io *io;
	char *final;    /* STORE, without slashes at its end */
	char *building; /* STORE.building; NULL once it was published */
	char *aside;    /* STORE.building.old: the replaced store where two names cannot be exchanged */
	int lock;       /* file held open, -1: none */
	bool keep;      /* the folder is worth something as it is: letting go does not remove it */
	bool replace;   /* a store that has the final name */
};

/*
 * Makes STORE.building.  Returns HISTREE_ERR_EXISTS if STORE exists or a build left its folder, unless `replace`,
 * and always if STORE is something else than a store.  With `resume`, what a build left is kept, and may replace
 * a store: the build that left it was allowed to.
 */
enum histree_status store_folder_begin(struct store_folder *folder, const struct io *io, const char *store,
				       bool replace, bool resume, struct histree_error *error);

/*
 * Call before store_folder_begin() where a store is made of another one: returns HISTREE_ERR_EXISTS if that is
 * STORE.building, which would be cleared.
 */
enum histree_status store_folder_check_source(const char *store, const char *source, struct histree_error *error);

/* Returns whether a build has hold of the folder now. */
bool store_folder_is_held(const char *building);

/* Returns STORE.building, which the caller frees; NULL if memory runs out. */
char *store_folder_building(const char *store);

/* Returns the path of a file in the folder, which the caller frees; NULL if memory runs out. */
char *store_folder_path(const struct store_folder *folder, const char *name);

/* Gets the identity of a history or segment store in the folder, for its manifest. */
enum histree_status store_folder_identify(const struct store_folder *folder, const char *name, uint64_t *identity,
					  struct histree_error *error);

/* The same, in any folder. */
enum histree_status store_file_identify(const struct io *io, const char *folder, const char *name,
					uint64_t *identity, struct histree_error *error);

/* Gives the folder its final name at once, and removes what had it before. */
enum histree_status store_folder_publish(struct store_folder *folder, struct histree_error *error);

/* Lets go of the folder; it is removed if it was not published and is not to be kept. */
void store_folder_release(struct store_folder *folder);

#endif
