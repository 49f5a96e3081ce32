/* SPDX-License-Identifier: MIT */
/*
 * store.h - an open store, of one host or of several: its histories, segments and events.
 *
 * The struct of an open store is private to the layers above the public interface.
 */
#ifndef STORE_FOLDER_STORE_H
#define STORE_FOLDER_STORE_H

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

#endif
