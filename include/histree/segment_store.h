/* SPDX-License-Identifier: MIT */
/*
 * segment_store.h - segments, stored and handed out in any order (thesis 5.4).
 *
 * A segment is something that lasted: a system call, an interrupt, a function.  It has a start, an end and a
 * content, but no attribute: segments may overlap, and be equal.  Its duration is end - start, in nanoseconds, and
 * may be 0; start and end may be any time, also negative ones.  What the content is, a schema declares.
 *
 * A store is filled, finished, then read, and never changes again:
 *
 *	histree_segment_store_create(&options, &store, &error);
 *	histree_segment_store_add(store, &segment, &error);			// many times
 *	histree_segment_store_finish(store, &error);
 *
 *	histree_segment_iter_create(store, &iter, &error);
 *	struct histree_segment_query query = HISTREE_SEGMENTS_ALL;
 *	query.order = HISTREE_SEGMENTS_BY_DURATION, query.descending = true;
 *	histree_segment_iter_start(iter, &query, NULL, &error);
 *	while ((status = histree_segment_iter_next(iter, &segment, &error)) == HISTREE_OK)
 *		...;								// HISTREE_END, or the error
 *	histree_segment_iter_free(iter);
 *	histree_segment_store_close(store);
 *
 * A call that fails changes nothing.  The one exception is a store on disk that can no longer be written: then
 * every later addition is refused with that same status, and only closing is left.
 *
 * Threads: a store is filled by one thread; once finished, any number may read it, each with iterators of its own.
 */
#ifndef HISTREE_SEGMENT_STORE_H
#define HISTREE_SEGMENT_STORE_H

#include "segment.h"

/* ---- stores ------------------------------------------------------------------------------------- */

/* The stores of thesis 5.4, behind one interface: their answers are the same. */
enum histree_segment_store_kind {
	HISTREE_SEGMENTS_DISK,  /* a segment tree in a file; memory has a ceiling */
	HISTREE_SEGMENTS_ARRAY, /* in memory, an array that is kept sorted by start at every addition */
	HISTREE_SEGMENTS_LAZY,  /* in memory, an array that is sorted when a query needs it */
	HISTREE_SEGMENTS_MAP,   /* in memory, two balanced trees, by start and by end */
};

struct histree_segment_store;

/* Every zero means: the default. */
struct histree_segment_store_options {
	enum histree_segment_store_kind kind;
	const char *path;                     /* disk: the file to make; must not exist */
	struct histree_segment_schema schema; /* copied */
	uint32_t node_size;                   /* disk: bytes, a power of two from 4 KiB to 1 MiB; 0 means 64 KiB */
	size_t memory_max;                    /* disk: bytes for the buffer, about; 0 means 80 MiB */
};

/*
 * The side table of a field: the places of all segments in the order of that field, in a file beside the store with
 * ".N.order" behind its name for field N.  With it a query by the field has its first segments at once; without, it
 * sorts.  A table that is damaged, or of another store, is not used; one that cannot be made is done without.
 */
enum histree_segment_tables {
	/* made by the first query for all segments by a field, of a store that is large */
	HISTREE_TABLES_ON_DEMAND,
	HISTREE_TABLES_AS_THEY_ARE, /* used where they are there; nothing is written but temporary files */
	HISTREE_TABLES_NEVER,       /* neither */
};

struct histree_segment_open_options {
	size_t cache_bytes; /* node cache at most; 0 means 48 MiB */
	size_t queue_bytes; /* that one sorted iterator keeps in memory, about; 0 means 32 MiB */
	enum histree_segment_tables tables;
	bool salvage; /* what the disk refuses to read is taken for damage too */
};

/* On failure there is no store and no file.  HISTREE_ERR_ARGUMENT says what is wrong with an option. */
HISTREE_API HISTREE_MUST_CHECK enum histree_status
histree_segment_store_create(const struct histree_segment_store_options *options,
			     struct histree_segment_store **out, struct histree_error *error);

/*
 * In any order; a store on disk is best where segments come roughly by their ends, as an analysis makes them.
 * HISTREE_ERR_TIME_RANGE: it ends before it starts.  HISTREE_ERR_TYPE: a value of another type than its field.
 * HISTREE_ERR_TOO_LARGE: content that no node can hold.  HISTREE_ERR_CLOSED: the store is finished.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status histree_segment_store_add(struct histree_segment_store *store,
									     const struct histree_segment *segment,
									     struct histree_error *error);

/* No more segments come; on disk, the file is completed.  Then the store can be read. */
HISTREE_API HISTREE_MUST_CHECK enum histree_status histree_segment_store_finish(struct histree_segment_store *store,
										struct histree_error *error);

/* A finished store on disk.  `options` may be NULL. */
HISTREE_API HISTREE_MUST_CHECK enum histree_status
histree_segment_store_open(const char *path, const struct histree_segment_open_options *options,
			   struct histree_segment_store **out, struct histree_error *error);

/*
 * Make the side table of a field now, in the place of the one that is there; of a finished store on disk.  Queries
 * that begin afterwards use it.  On failure what was there is there still.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status
histree_segment_store_make_table(struct histree_segment_store *store, size_t field, struct histree_error *error);

/* All its iterators must be freed before.  A file that was not finished is removed.  NULL is fine. */
HISTREE_API void histree_segment_store_close(struct histree_segment_store *store);

struct histree_segment_store_info {
	enum histree_segment_store_kind kind;
	struct histree_segment_schema schema; /* borrowed from the store */
	uint64_t segment_count;
	/* Of all segments, if there are any; else 0. */
	histree_time start, end;
	uint64_t duration_min, duration_max;
	/* Disk only. */
	uint32_t node_size, depth, format_version;
	uint64_t node_count, node_bytes, file_bytes;
};

/* Of a finished store. */
HISTREE_API const struct histree_segment_store_info *
histree_segment_store_info(const struct histree_segment_store *store);

/* The index of the field with this name; HISTREE_NOT_FOUND if the schema has none. */
HISTREE_API HISTREE_MUST_CHECK enum histree_status
histree_segment_store_field(const struct histree_segment_store *store, const char *name, size_t *out);

/*
 * Read every node of a finished store on disk and check every invariant: checksums, addresses, bounds, order and
 * counts. `report` is called with a sentence for each fault.  HISTREE_OK if there was none, HISTREE_ERR_FORMAT if
 * there were some.  Stores in memory have nothing to check.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status
histree_segment_store_verify(struct histree_segment_store *store, void (*report)(void *context, const char *fault),
			     void *context, struct histree_error *error);

/* ---- queries ------------------------------------------------------------------------------------ */

/*
 * Segments that are equal in their key come by start, then by end, those equal in all of it in an order that is
 * always the same; descending is exactly the reverse.
 */
enum histree_segment_order {
	HISTREE_SEGMENTS_UNSORTED, /* as is quickest; always the same order */
	HISTREE_SEGMENTS_BY_START,
	HISTREE_SEGMENTS_BY_END,
	HISTREE_SEGMENTS_BY_DURATION,
	HISTREE_SEGMENTS_BY_FIELD,   /* null first; strings by their bytes, doubles as IEEE 754's total order */
	HISTREE_SEGMENTS_BY_COMPARE, /* the caller's */
};

/*
 * The segments that meet [from, to], both inclusive, and pass the filter, in an order.  The three keys of time come
 * lazily, without sorting all (algorithm 5.2), and so does a field with a side table; otherwise it is sorted first,
 * on disk beside the store where memory is short, or, given a `limit`, only as many are kept.
 */
struct histree_segment_query {
	histree_time from, to;
	enum histree_segment_order order;
	bool descending; /* of no meaning where the order is unsorted */
	size_t field;    /* by field: its index */
	/* By compare: negative, zero, positive as for qsort().  The content is borrowed during the call. */
	int (*compare)(void *context, const struct histree_segment *a, const struct histree_segment *b);
	void *compare_context;
	/* True for those that are wanted; NULL: all are. */
	bool (*filter)(void *context, const struct histree_segment *segment);
	void *filter_context;
	uint64_t limit; /* hand out so many at most; 0: all */
};

#define HISTREE_SEGMENTS_ALL                        \
	(struct histree_segment_query)              \
	{                                           \
		.from = INT64_MIN, .to = INT64_MAX, \
	}

/*
 * Where an iterator stands, in numbers that may be kept, sent and used with another iterator on the same store,
 * also after it was opened again, with the same query.
 */
struct histree_segment_token {
	uint64_t given;    /* segments handed out, since the query first began */
	uint64_t key[2];   /* of the last of them, in the order's own numbers */
	uint64_t with_key; /* how many with that key were handed out */
};

struct histree_segment_iter;

HISTREE_API HISTREE_MUST_CHECK enum histree_status histree_segment_iter_create(struct histree_segment_store *store,
									       struct histree_segment_iter **out,
									       struct histree_error *error);

/*
 * Begin a query, dropping what was left of the one before; at the beginning, or where `resume` (NULL: none) was
 * taken. The query is copied, what its pointers point to is borrowed until the next start.  HISTREE_ERR_ARGUMENT
 * for an order without its field or comparison, or from > to.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status
histree_segment_iter_start(struct histree_segment_iter *iter, const struct histree_segment_query *query,
			   const struct histree_segment_token *resume, struct histree_error *error);

/*
 * HISTREE_END: no more.  HISTREE_PARTIAL: there is no segment, for some are missing here that a damaged node of the
 * file held; histree_segment_iter_loss() says what is known of them, and the next call goes on.  Each loss is told
 * before any segment is handed out that some of the missing may come before; where the order does not say, at the
 * beginning.  What is handed out is as it was added.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status histree_segment_iter_next(struct histree_segment_iter *iter,
									     struct histree_segment *out,
									     struct histree_error *error);

/* What one damaged node held. */
struct histree_segment_loss {
	histree_time from, to; /* every missing segment lies within */
	uint64_t count_max;    /* so many are missing at most, of the whole store, whatever the query */
	uint32_t node;
};

/* What the last HISTREE_PARTIAL was about. */
HISTREE_API struct histree_segment_loss histree_segment_iter_loss(const struct histree_segment_iter *iter);

/*
 * A query of this store, by any thread, has met a damaged node since it was opened: its answer lacks what that
 * held. For answers that pass over such nodes; histree_segment_store_verify() says which they are.
 */
HISTREE_API bool histree_segment_store_met_damage(const struct histree_segment_store *store);

/* The place behind the segment handed out last. */
HISTREE_API struct histree_segment_token histree_segment_iter_token(const struct histree_segment_iter *iter);

/* Since the query was started. */
struct histree_segment_iter_stats {
	uint64_t nodes_visited; /* disk: each visit, also a second one to a node that left memory in between */
	uint64_t nodes_loaded;  /* of those, read from the file */
	uint64_t segments;      /* handed out */
	uint64_t spilled_bytes; /* written to a temporary file beside the store */
};

HISTREE_API struct histree_segment_iter_stats histree_segment_iter_stats(const struct histree_segment_iter *iter);

/* NULL is fine. */
HISTREE_API void histree_segment_iter_free(struct histree_segment_iter *iter);

#endif
