/* SPDX-License-Identifier: MIT */
/*
 * segment_memory.h - what differs between the kinds of segment stores, as a table of calls; and the store in
 * memory, used while a store is made, with runs on disk if there are too many segments.
 *
 * A store itself provides segments in no order, or by a key of time.  Filters, limits, tokens and other orders are
 * common to all stores: they are in segment_cursor.c and here.
 *
 * Stores in memory share copies of segments, lists of them by a key of time, and the sort by orders that have no
 * bounds in the tree: by a field or by the caller's comparison.
 *
 * The sort is an external merge sort.  Segments gather in memory; when it is full, they are sorted and written as
 * a run (record_sort.h) beside the store; the runs are merged.  With a limit, segments that cannot be among the
 * first are dropped each time, and mostly nothing is written.
 *
 * A segment in a run: its start as a zigzag varint, its duration and its number of arrival as varints, then its
 * values (value.h).
 */
#ifndef SEGMENT_SEGMENT_MEMORY_H
#define SEGMENT_SEGMENT_MEMORY_H

#include <pthread.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "base/io.h"
#include "histree/segments.h"
#include "segment_tree/segment_scan.h"
#include "segment_tree/segment_sweep.h"

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

/* The nodes of a store on disk that is finished. */
struct tree_reader *segment_disk_reader(void *body);

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
 * Start an unsorted query of a store on disk for the chosen segments; the context of the choice is borrowed until
 * the next start.  Its tokens cannot be used.
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

struct segment_repair_report {
	void (*lost)(void *context, const struct histree_loss *loss);
	void *context;
};

/*
 * Write the new store to `path`, which must not exist, with nodes of the same size.  The damaged one was opened to
 * be salvaged.
 */
enum histree_status segment_repair(const struct io *io, struct histree_segment_store *damaged, const char *path,
				   const struct segment_repair_report *report, struct histree_error *error);

struct sorted_segment {
	struct histree_segment segment;
	uint64_t arrival; /* its number among all segments of the sort, by arrival */
};

struct segment_sort;

/* Compare two values of one field: null first, strings by their bytes, doubles in the total order of IEEE 754. */
int segment_value_compare(const struct histree_value *a, const struct histree_value *b);

/* Create a sort, which borrows the query, the schema and the room. */
enum histree_status segment_sort_create(const struct histree_segment_query *query,
					const struct histree_segment_schema *schema,
					const struct segment_room *room, struct segment_sort **out,
					struct histree_error *error);

/* Add a segment.  Equal ones come by their numbers of arrival, no two of which are equal. */
enum histree_status segment_sort_add(struct segment_sort *sort, const struct histree_segment *segment,
				     uint64_t arrival, struct histree_error *error);

/* No more are added. */
enum histree_status segment_sort_finish(struct segment_sort *sort, struct histree_error *error);

/* Get the next segment, whose content is borrowed until the next call, or return HISTREE_END. */
enum histree_status segment_sort_next(struct segment_sort *sort, struct sorted_segment *out,
				      struct histree_error *error);
uint64_t segment_sort_spilled_bytes(const struct segment_sort *sort);
void segment_sort_free(struct segment_sort *sort);

/* Content, and the bytes of strings, each kept once.  A zeroed one is empty. */
struct segment_contents {
	size_t field_count;
	struct arena values;
	struct intern strings;
};

/* Make a copy that lives as long as the contents do.  Returns HISTREE_ERR_MEMORY if memory runs out. */
enum histree_status segment_contents_copy(struct segment_contents *contents, const struct histree_segment *segment,
					  struct histree_segment *out);
void segment_contents_release(struct segment_contents *contents);

/* The lowest and highest times of what was added. */
void segment_info_include(struct histree_segment_store_info *info, const struct histree_segment *segment);

/* The segments of a query, in its order. */
struct segment_list {
	const struct histree_segment **segments;
	size_t count, capacity;
};

/* Returns HISTREE_ERR_MEMORY if memory runs out. */
enum histree_status segment_list_add(struct segment_list *list, const struct histree_segment *segment);
void segment_list_reverse(struct segment_list *list);

/*
 * Sort a list that is sorted by (start, end), equal ones in the order of their arrival, into a query's order.
 * HISTREE_ERR_MEMORY only.
 */
enum histree_status segment_list_sort(struct segment_list *list, struct segment_order order);

/* A cursor over such a list.  The store fills the list. */
struct list_cursor {
	void *body; /* of the store */
	struct segment_list list;
	struct segment_order order;
	size_t at;
	bool sorted; /* by a key of time */
};

enum histree_status list_cursor_create(void *body, void **out, struct histree_error *error);

/* The list has the segments in the order of the query: go to where the token was taken. */
void list_cursor_begin(struct list_cursor *cursor, const struct histree_segment_query *query,
		       const struct histree_segment_token *resume);
enum histree_status list_cursor_next(void *cursor, struct histree_segment *out, struct histree_error *error);
void list_cursor_key(const void *cursor, uint64_t key[2]);
void list_cursor_stats(const void *cursor, struct histree_statistics *stats);
void list_cursor_free(void *cursor);

#endif
