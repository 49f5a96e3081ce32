/* SPDX-License-Identifier: MIT */
/*
 * catalogue_inside.h - the catalogue for its own files: catalogue_entries.c keeps what there is,
 * catalogue_create.c begins with the stores of the command line, catalogue_open.c adds what clients open,
 * catalogue_find.c looks and forgets.
 *
 * All of this is called under the lock.
 */
#ifndef SERVER_CATALOGUE_CATALOGUE_INSIDE_H
#define SERVER_CATALOGUE_CATALOGUE_INSIDE_H

#include "server/catalogue/allowed_paths.h"
#include "server/catalogue/catalogue.h"

struct catalogue_entries {
	struct catalogue_entry **entries;
	size_t count, capacity;
};

struct catalogue {
	struct builder *builder;
	struct allowed_paths allowed;
	bool trusts_stores;   /* also the traces that stores name are allowed, wherever they are */
	char *stores;         /* resolved */
	pthread_mutex_t lock; /* guards what follows */
	struct catalogue_entries kinds[CATALOGUE_KIND_COUNT];
};

/* Where the traces may be that a store names; NULL: anywhere. */
const struct allowed_paths *catalogue_readable(const struct catalogue *catalogue);

/* Makes an entry, which takes the dataset even on failure.  Returns NULL if memory is out. */
struct catalogue_entry *catalogue_entry_create(const char *uuid, const char *name, struct dataset *dataset);

/* Frees an entry; NULL is allowed. */
void catalogue_entry_free(struct catalogue_entry *entry);

/* Returns the index of the entry, or how many there are if it is not one of them. */
size_t catalogue_index(const struct catalogue *catalogue, enum catalogue_kind kind, const char *uuid);

const struct catalogue_entry *catalogue_find_name(const struct catalogue *catalogue, enum catalogue_kind kind,
						  const char *name);

/* Adds an entry, and takes it even on failure.  `entry` is NULL if making it ran out of memory. */
enum histree_status catalogue_enter(struct catalogue *catalogue, enum catalogue_kind kind,
				    struct catalogue_entry *entry, struct histree_error *error);

/* Forgets the entry at an index; a build that no one else wants is cancelled. */
void catalogue_drop(struct catalogue *catalogue, enum catalogue_kind kind, size_t index);

#endif
