/* SPDX-License-Identifier: MIT */
/*
 * store_inside.h - the body of an open store, for store.c and store_hosts.c.
 */
#ifndef STORE_FOLDER_STORE_INSIDE_H
#define STORE_FOLDER_STORE_INSIDE_H

#include "base/arena.h"
#include "histree/store.h"

struct histree_store {
	struct arena arena; /* all strings */
	struct histree_store_info info;
	char *asked;                          /* the path that was asked for */
	bool is_successor;                    /* of one that was replaced while it was open */
	struct histree_store **stores;        /* of the hosts; NULL: it cannot be opened, and its host says why */
	histree_history_opener *open_history; /* of a host; NULL: of its store in the folder */
	void *open_history_context;
	histree_segment_opener *open_segments; /* of a host; NULL: of its store in the folder */
	void *open_segments_context;
	histree_event_opener *open_events; /* likewise */
	void *open_events_context;
};

/* Returns folder/name; NULL if memory is out. */
char *store_join(struct arena *arena, const char *folder, const char *name);

/* Open a store that is one of a host: it has no hosts itself. */
enum histree_status store_open_inside(const char *path, struct histree_store **out, struct histree_error *error);

/*
 * Open the stores of the hosts of a store whose manifest was read, and list what their analyses made where the
 * manifest does not.  Only memory can make it fail: of a host that cannot be opened, the list says why.
 */
enum histree_status store_hosts_open(struct histree_store *store, struct histree_error *error);
void store_hosts_close(struct histree_store *store);

/* The unions of what one analysis made of each host. */
enum histree_status store_hosts_history(struct histree_store *store, const char *analysis, bool any_version,
					const struct histree_open_options *options, struct histree_history **out,
					struct histree_error *error);
enum histree_status store_hosts_segments(struct histree_store *store, const char *analysis, bool any_version,
					 const struct histree_segment_open_options *options,
					 struct histree_segment_store **out, struct histree_error *error);

#endif
