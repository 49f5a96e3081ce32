/* SPDX-License-Identifier: MIT */
/*
 * segment_backend.h - what differs between the segment stores: a table of calls, and the body they work on.
 *
 * A cursor knows the orders that a store has by itself: none, and the keys of time.  What all stores have in
 * common, filters, limits, tokens and other orders, is in segment_cursor.c and segment_memory.h.
 */
#ifndef SEGMENT_SEGMENT_BACKEND_H
#define SEGMENT_SEGMENT_BACKEND_H

#include <pthread.h>

#include "base/io.h"
#include "histree/segment_store.h"
#include "segment_tree/segment_scan.h"

/* `finish`, `verify` and `cursor_loss` may be NULL: there is nothing to do, nothing is ever missing. */
struct segment_backend {
	/* The segment was checked against the schema. */
	enum histree_status (*add)(void *body, const struct histree_segment *segment, struct histree_error *error);
	/* `info` has what is common to all stores; the rest is filled in. */
	enum histree_status (*finish)(void *body, struct histree_segment_store_info *info,
				      struct histree_error *error);
	enum histree_status (*verify)(void *body, const struct histree_segment_store_info *info,
				      void (*report)(void *context, const char *fault), void *context,
				      struct histree_error *error);
	/* Make the side table of a field now; NULL: the store has no tables. */
	enum histree_status (*make_table)(void *body, size_t field, struct histree_error *error);
	void (*free)(void *body);

	enum histree_status (*cursor_create)(void *body, void **out, struct histree_error *error);
	/*
	 * Unsorted: after the location of the token; else from its key on, segments with that key included.  NULL:
	 * from the beginning.
	 */
	enum histree_status (*cursor_start)(void *cursor, const struct histree_segment_query *query,
					    const struct histree_segment_token *resume,
					    struct histree_error *error);
	/*
	 * After an unsorted start: hand out only what is chosen, and pass over the rest unread.  NULL: it cannot.
	 */
	void (*cursor_choose)(void *cursor, struct segment_choice choice);
	/*
	 * Start by a field, after the first `rank` segments of that order, ignoring the window.
	 * HISTREE_NOT_FOUND: the store does not have that order, so sort.  NULL: it never has.
	 */
	enum histree_status (*cursor_start_field)(void *cursor, const struct histree_segment_query *query,
						  uint64_t rank, struct histree_error *error);
	/*
	 * HISTREE_PARTIAL: something is missing here, cursor_loss() says what.  HISTREE_NOT_FOUND: the order by a
	 * field cannot be gone on with, so sort.
	 */
	enum histree_status (*cursor_next)(void *cursor, struct histree_segment *out, struct histree_error *error);
	struct histree_loss (*cursor_loss)(const void *cursor);
	/* Place or key of the segment handed out last; by a field its rank, plus one, and 0. */
	void (*cursor_key)(const void *cursor, uint64_t key[2]);
	void (*cursor_stats)(const void *cursor, struct histree_statistics *stats);
	void (*cursor_free)(void *cursor);
};

extern const struct segment_backend segment_backend_disk, segment_backend_array, segment_backend_map,
	segment_backend_union;

/* The bodies.  The info, of which the schema is there, is borrowed and outlives them. */
enum histree_status segment_disk_create(const struct io *io, const struct histree_segment_store_options *options,
					const struct histree_segment_store_info *info, size_t queue_bytes,
					void **out, struct histree_error *error);
/* Fills in all of the info but the kind; its schema is the caller's to release. */
enum histree_status segment_disk_open(const struct io *io, const char *path,
				      const struct histree_segment_open_options *options, size_t queue_bytes,
				      struct histree_segment_store_info *info, void **out,
				      struct histree_error *error);
enum histree_status segment_array_create(const struct histree_segment_schema *schema, bool lazy, void **out,
					 struct histree_error *error);
enum histree_status segment_map_create(const struct histree_segment_schema *schema, void **out,
				       struct histree_error *error);

/* A sorted iterator that is created from now on takes no more memory than this, approximately. */
void segment_disk_limit_queue(void *body, size_t bytes);

/* Have two stores share one ceiling of their node caches.  They must not be read yet. */
void segment_disk_share_cache(void *body, void *with);

struct segment_set;

/* Where a sort may spill, and the memory it may take; io NULL: in memory alone. */
struct segment_room {
	const struct io *io;
	const char *neighbour;
	size_t bytes;
};

struct histree_segment_store {
	const struct segment_backend *backend;
	void *body;
	char *path; /* of a file */
	struct histree_segment_store_info info;
	struct segment_room room;
	bool finished;
	bool no_overviews;
	pthread_mutex_t mutex;               /* of the next two */
	struct segment_overviews *overviews; /* opened when they are first asked for; NULL: not yet */
	struct histree_loss loss;            /* the greatest of a cursor so far */
	struct segment_set *distinct;        /* those that were added; NULL: equal ones may be */
	enum histree_status broken;          /* of an addition that failed: no more can be made */
};

/*
 * Returns the overviews of a finished store, which are opened if they were not, or NULL if it has none.  Any
 * number of threads may ask.
 */
const struct segment_overviews *segment_store_overviews(struct histree_segment_store *store);

/*
 * Start an unsorted query of a store on disk for what is chosen, whose context is borrowed until the next start.
 * Its tokens are of no use.
 */
enum histree_status segments_start_choice(struct histree_cursor *cursor, const struct histree_segment_query *query,
					  struct segment_choice choice, struct histree_error *error);

/*
 * The same as histree_cursor_next(), step by step: HISTREE_PARTIAL, and *loss set, where something is missing; the
 * next call goes on.
 */
enum histree_status segments_step(struct histree_cursor *cursor, struct histree_segment *out,
				  struct histree_loss *loss, struct histree_error *error);

/* Create a store with another table of files, for tests. */
enum histree_status segment_store_create(const struct io *io, const struct histree_segment_store_options *options,
					 struct histree_segment_store **out, struct histree_error *error);
enum histree_status segment_store_open(const struct io *io, const char *path,
				       const struct histree_segment_open_options *options,
				       struct histree_segment_store **out, struct histree_error *error);

#endif
