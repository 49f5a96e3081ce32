/* SPDX-License-Identifier: MIT */
/*
 * segments.h - segments, such as system calls: what they are, and stores of them.
 */
#ifndef HISTREE_SEGMENTS_H
#define HISTREE_SEGMENTS_H

#include "cursor.h"
#include "status.h"
#include "value.h"

/* ==== segment ================================================================================================= */

/*
 * Something that lasted: a system call, an interrupt, a function (thesis 5.4).
 *
 * A segment has a start, an end and a content, but no attribute, so segments may overlap and may be equal.  Its
 * duration is end - start in nanoseconds and may be 0.  Start and end may be any time, including negative ones.  A
 * schema declares what the content is.  Stores of segments are declared below.
 */

struct histree_segment_field {
	const char *name;       /* such as "tid"; unique within its schema */
	enum histree_type type; /* int, long, double, bool or string; a value may also be null */
};

enum { HISTREE_SEGMENT_FIELDS_MAX = 32 };

struct histree_segment_schema {
	const char *provider; /* the analysis that made it and knows what it means, such as "system_calls" */
	uint32_t provider_version;
	const struct histree_segment_field *fields;
	size_t field_count; /* 0: segments without content */
};

struct histree_segment {
	histree_time start;
	histree_time end; /* start or later */
	/*
	 * One value for each field of the schema.  A function that takes a segment reads them only during the call,
	 * and takes NULL to mean that all are null.  An iterator that hands out a segment lends them, with their
	 * bytes, until its next call.
	 */
	const struct histree_value *content;
};

/* Returns end - start.  The result is unsigned, so that no duration overflows. */
static inline uint64_t histree_segment_duration(const struct histree_segment *segment)
{
	return (uint64_t)segment->end - (uint64_t)segment->start;
}

/* ==== segment store =========================================================================================== */

/*
 * Store segments and get them in any order (thesis 5.4).
 *
 * A store is filled, finished and then read; once finished it never changes:
 *
 *	histree_segment_store_create(&options, &store, &error);
 *	histree_segment_store_add(store, &segment, &error);			// many times
 *	histree_segment_store_finish(store, &error);
 *
 *	histree_segments_create(store, &cursor, &error);
 *	struct histree_segment_query query = HISTREE_SEGMENTS_ALL;
 *	query.order = HISTREE_SEGMENTS_BY_DURATION, query.descending = true;
 *	histree_segments_start(cursor, &query, NULL, &error);
 *	while ((status = histree_cursor_next(cursor, &error)) == HISTREE_OK)
 *		segment = histree_cursor_segment(cursor);			// cursor.h
 *	histree_cursor_free(cursor);
 *	histree_segment_store_close(store);
 *
 * A call that fails changes nothing, with one exception: when a store on disk can no longer be written, every later
 * addition is refused with that status, and the caller can only close the store.
 *
 * Threads: one thread fills a store; once it is finished, any number of threads may read it, each with cursors of
 * its own.
 */

/* ---- stores ------------------------------------------------------------------------------------- */

/* The stores of thesis 5.4.  All of them give the same answers. */
enum histree_segment_store_kind {
	HISTREE_SEGMENTS_DISK,  /* a segment tree in a file; its memory is bounded */
	HISTREE_SEGMENTS_ARRAY, /* an array in memory that each addition keeps sorted by start */
	HISTREE_SEGMENTS_LAZY,  /* an array in memory that is sorted when a query needs it */
	HISTREE_SEGMENTS_MAP,   /* two balanced trees in memory, by start and by end */
	/* The stores of several hosts as one: histree_segment_store_unite(); never created */
	HISTREE_SEGMENTS_UNION,
	HISTREE_SEGMENTS_SOURCE, /* the store of another process (struct histree_segment_source); never created */
};

struct histree_segment_store;

/* A zero selects the default. */
struct histree_segment_store_options {
	enum histree_segment_store_kind kind;
	const char *path;                     /* disk: the file to make, which must not exist */
	struct histree_segment_schema schema; /* copied */
	/*
	 * In memory only: keep equal segments once.  Adding a segment with the start, end and content of one in
	 * the store does nothing.  This takes about as much memory again.
	 */
	bool distinct;
	uint32_t node_size; /* disk: bytes, a power of two from 4 KiB to 1 MiB; default 64 KiB */
	size_t memory_max;  /* disk: bytes for the buffer, approximately; default 80 MiB */
};

/*
 * A side table has the locations of all segments in the order of a field, in a file next to the store that is
 * called STORE.N.order for field N.  With it, a query in the order of that field has its first segments at once;
 * without it, the query sorts.  A table that is damaged or belongs to another store is not used, and a query does
 * without a table that cannot be made.
 */
enum histree_segment_tables {
	/* made by the first query for all segments of a large store in the order of a field */
	HISTREE_TABLES_ON_DEMAND,
	HISTREE_TABLES_AS_THEY_ARE, /* used if they exist; only temporary files are written */
	HISTREE_TABLES_NEVER,       /* neither made nor used */
};

struct histree_segment_open_options {
	size_t cache_bytes; /* size of the node cache; 0 means 48 MiB */
	size_t queue_bytes; /* memory of one sorted iterator, approximately; 0 means 32 MiB */
	enum histree_segment_tables tables;
	bool salvage;      /* treat what the disk fails to read as damage; overviews are not used then */
	bool no_overviews; /* do not use overviews */
};

/* Create a store.  Returns HISTREE_ERR_ARGUMENT if an option is wrong.  If the call fails, no file is left. */
HISTREE_API HISTREE_MUST_CHECK enum histree_status
histree_segment_store_create(const struct histree_segment_store_options *options,
			     struct histree_segment_store **out, struct histree_error *error);

/*
 * Add a segment.  Segments may come in any order, but a store on disk is best if they come roughly in the order of
 * their ends, as an analysis makes them.  Returns HISTREE_ERR_TIME_RANGE if the segment ends before it starts,
 * HISTREE_ERR_TYPE if a value has another type than its field, HISTREE_ERR_TOO_LARGE if no node can hold the
 * content, HISTREE_ERR_CLOSED if the store is finished.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status histree_segment_store_add(struct histree_segment_store *store,
									     const struct histree_segment *segment,
									     struct histree_error *error);

/*
 * Add all segments of a finished store `from`, in the order of their ends.  Returns HISTREE_ERR_TYPE if its
 * fields have other types, whatever their names are.  After a failure, the segments that were added stay.  *loss,
 * unless `loss` is NULL, becomes what is lost of `from` and so was not added.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status
histree_segment_store_add_all(struct histree_segment_store *store, struct histree_segment_store *from,
			      struct histree_loss *loss, struct histree_error *error);

/* Finish the store, and complete its file if it has one.  From then on it can be read. */
HISTREE_API HISTREE_MUST_CHECK enum histree_status histree_segment_store_finish(struct histree_segment_store *store,
										struct histree_error *error);

/* Open a finished store on disk.  `options` may be NULL. */
HISTREE_API HISTREE_MUST_CHECK enum histree_status
histree_segment_store_open(const char *path, const struct histree_segment_open_options *options,
			   struct histree_segment_store **out, struct histree_error *error);

/*
 * Make the side table of a field of a finished store on disk now, and replace the one that exists.  Queries that
 * start later use it.  If the call fails, the old table stays.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status
histree_segment_store_make_table(struct histree_segment_store *store, size_t field, struct histree_error *error);

/*
 * Overviews of a store are smaller stores beside it, STORE.overview1, ...2: summaries of its segments by cells of
 * time, buckets of duration, and the values of its text field "name", or else of its first text field.
 * Statistics, densities and charts of all segments together or by that field are made from them if they exist,
 * and then cost what they show rather than what the store has; they are as exact as their functions promise.  An
 * overview that is damaged or belongs to another store is not used.
 *
 * Make the overviews of a finished store on disk, in one pass by start, and replace those that exist.  The store
 * must not be read meanwhile.  They take at most 15 % of the bytes of the store; a store that is small, or whose
 * segments have too little in common, gets no overviews.  If the call fails, there may be no overviews.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status
histree_segment_store_make_overviews(struct histree_segment_store *store, struct histree_work work,
				     struct histree_error *error);

/* ---- several hosts ------------------------------------------------------------------------------ */

/* The store of one host, as a part of a union. */
struct histree_segment_part {
	const char *name;                    /* of the host; unique */
	struct histree_segment_store *store; /* finished; NULL: it is missing or damaged */
	const char *why;                     /* if `store` is NULL: a sentence that says why */
};

/*
 * Unite the stores of several hosts.  The schema has the fields of all parts by name, null where a part lacks
 * one, and at its end a text field "host".  The segments of all parts come in a common order; segments that are
 * equal in that order come in the order of the parts.  The segments of a missing part count as lost: each query
 * says so once, at its beginning.
 *
 * The names are copied.  The union owns the stores, which must not be read meanwhile, and closes them; it closes
 * them also if the call fails.  Returns HISTREE_ERR_TYPE if a field has different types in two parts, or has the
 * name "host"; HISTREE_ERR_ARGUMENT if there is no part, a store is not finished, or there are too many fields.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status
histree_segment_store_unite(const struct histree_segment_part *parts, size_t count,
			    struct histree_segment_store **out, struct histree_error *error);

/* Returns the parts of a union, borrowed from it; NULL and a *count of 0 if the store is not a union. */
HISTREE_API const struct histree_segment_part *
histree_segment_store_parts(const struct histree_segment_store *store, size_t *count);

/*
 * Close the store, whose cursors must have been freed before, or do nothing if it is NULL.  A file that was not
 * finished is removed.
 */
HISTREE_API void histree_segment_store_close(struct histree_segment_store *store);

struct histree_segment_store_info {
	enum histree_segment_store_kind kind;
	struct histree_segment_schema schema; /* borrowed from the store */
	uint64_t segment_count;
	/* Bounds of all segments, or 0 if there are no segments. */
	histree_time start, end;
	uint64_t duration_min, duration_max;
	/* The rest is 0 unless the store is on disk. */
	uint32_t node_size, depth, format_version;
	uint64_t identity; /* identifies the content (histree-format(5)) */
	uint64_t node_count, node_bytes, file_bytes;
};

enum { HISTREE_SEGMENT_OVERVIEWS_MAX = 16 };

struct histree_segment_overviews_info {
	uint32_t count;
	uint64_t summary_count, file_bytes; /* of all overviews together */
	/* For each overview, by increasing length of cells: this length, and how many summaries it has. */
	uint64_t cell_ns[HISTREE_SEGMENT_OVERVIEWS_MAX], summaries[HISTREE_SEGMENT_OVERVIEWS_MAX];
};

/* Returns what overviews a finished store has.  Any number of threads may ask. */
HISTREE_API struct histree_segment_overviews_info
histree_segment_store_overviews(struct histree_segment_store *store);

/* Returns what a finished store is; borrowed from the store. */
HISTREE_API const struct histree_segment_store_info *
histree_segment_store_info(const struct histree_segment_store *store);

/*
 * Look for a segment with this start, end and content in a finished store.  Returns HISTREE_OK if it is there,
 * HISTREE_NOT_FOUND if it is not there or is lost: *loss, unless `loss` is NULL, becomes what is lost of the
 * segments at that time.  The cost is that of a query for the time of its start.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status
histree_segment_store_contains(struct histree_segment_store *store, const struct histree_segment *segment,
			       struct histree_loss *loss, struct histree_error *error);

/* Find the index of the field with this name.  Returns HISTREE_NOT_FOUND if the schema has no such field. */
HISTREE_API HISTREE_MUST_CHECK enum histree_status
histree_segment_store_field(const struct histree_segment_store *store, const char *name, size_t *out);

/*
 * Read every node of a finished store on disk and check every invariant: checksums, addresses, bounds, order and
 * counts.  `report` is called with a sentence for each fault, and may be NULL.  Returns HISTREE_OK if there is no
 * fault, HISTREE_ERR_FORMAT if there is one.  There is nothing to check in a store in memory.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status
histree_segment_store_verify(struct histree_segment_store *store, void (*report)(void *context, const char *fault),
			     void *context, struct histree_error *error);

/* ---- queries ------------------------------------------------------------------------------------ */

/*
 * The order in which segments are handed out.  Segments with equal keys come in the order of their starts, then of
 * their ends; those that are equal in all of these come in an order that is always the same.  Descending order is
 * exactly the reverse.
 */
enum histree_segment_order {
	HISTREE_SEGMENTS_UNSORTED, /* the fastest; it is always the same order */
	HISTREE_SEGMENTS_BY_START,
	HISTREE_SEGMENTS_BY_END,
	HISTREE_SEGMENTS_BY_DURATION,
	HISTREE_SEGMENTS_BY_FIELD, /* null first; strings by their bytes, doubles in the total order of IEEE 754 */
	HISTREE_SEGMENTS_BY_COMPARE, /* by the caller's function */
};

/*
 * A query for the segments that overlap [from, to], both inclusive, and pass the filter, in an order.  By start,
 * end or duration, or by a field that has a side table, segments come lazily, without all being sorted first
 * (thesis, algorithm 5.2).  In any other order they are sorted first, on disk next to the store if memory is
 * short; with a `limit`, only that many are kept.
 */
struct histree_segment_query {
	histree_time from, to;
	enum histree_segment_order order;
	bool descending; /* ignored if the order is unsorted */
	size_t field;    /* index of the field for HISTREE_SEGMENTS_BY_FIELD */
	/*
	 * For HISTREE_SEGMENTS_BY_COMPARE: returns a negative number, zero or a positive number as for qsort().
	 * The content is borrowed during the call.
	 */
	int (*compare)(void *context, const struct histree_segment *a, const struct histree_segment *b);
	void *compare_context;
	/* Returns true if a segment is wanted.  NULL means that all are. */
	bool (*filter)(void *context, const struct histree_segment *segment);
	void *filter_context;
	/*
	 * In a union: returns true if segments of this host are wanted.  Other hosts are not read.  NULL means
	 * that all are.
	 */
	bool (*host_filter)(void *context, const char *host);
	void *host_context;
	uint64_t limit; /* maximum number of segments; 0 means all */
	/*
	 * For statistics by a field: replaces the value by which a segment is grouped, for example to tell apart
	 * the threads that had the same number.  The bytes of the new value are borrowed until the next call.
	 * NULL: groups are by the values as they are.
	 */
	void (*group)(void *context, const struct histree_segment *segment, struct histree_value *value);
	void *group_context;
	/*
	 * Called now and then while segments are looked for; if it ends the query, that returns
	 * HISTREE_ERR_CANCELLED.
	 */
	struct histree_work work;
};

#define HISTREE_SEGMENTS_ALL                        \
	(struct histree_segment_query)              \
	{                                           \
		.from = INT64_MIN, .to = INT64_MAX, \
	}

/*
 * The position of an iterator, in numbers that may be kept, sent, and used with another iterator on the same store
 * and with the same query, even after the store was opened again.
 */
struct histree_segment_token {
	uint64_t given;    /* number of segments handed out since the query first started */
	uint64_t key[2];   /* key of the last of them, in numbers that depend on the order */
	uint64_t with_key; /* number of segments with that key that were handed out */
};

/*
 * Create a cursor for the segments of a finished store, which must stay open until the cursor is freed.  The
 * cursor has no rows until it is started.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status histree_segments_create(struct histree_segment_store *store,
									   struct histree_cursor **out,
									   struct histree_error *error);

/*
 * Start a query, which drops what was left of the one before.  It starts at its beginning if `resume` is NULL,
 * else after the segment that was the last when `resume` was taken.  The query is copied; what its pointers point
 * to is borrowed until the next start.  Returns HISTREE_ERR_ARGUMENT if an order lacks its field or comparison,
 * or if from > to.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status
histree_segments_start(struct histree_cursor *cursor, const struct histree_segment_query *query,
		       const struct histree_segment_token *resume, struct histree_error *error);

/*
 * Returns the greatest loss that a question about this store (a cursor, statistics, a density, a chart) has met
 * since it was opened, in any thread. histree_segment_store_verify() lists all damage.
 */
HISTREE_API struct histree_loss histree_segment_store_loss(struct histree_segment_store *store);

/* Returns the position after the segment that was handed out last. */
HISTREE_API struct histree_segment_token histree_segments_token(const struct histree_cursor *cursor);

/* ==== segment source ========================================================================================== */

/*
 * A segment store whose segments another process or machine hands out.  It is read like any store, and can be a
 * part of a union.
 *
 * A source is a table of functions that answer the queries that a store answers by itself: orders by start, end,
 * duration, a field, and unsorted.  Filters and limits are applied above it.  A source may leave out segments
 * that no query above it would hand out.
 *
 * Threads: the functions of one store are called by one thread at a time.
 */

struct histree_segment_source {
	void *context;
	enum histree_status (*cursor_create)(void *context, void **cursor, struct histree_error *error);
	/*
	 * Starts a query, possibly again.  Used are its window (segments that overlap it), its order, which is
	 * never by comparison, its field, and, if the order is by a field, its limit and filter.
	 */
	enum histree_status (*cursor_start)(void *cursor, const struct histree_segment_query *query,
					    struct histree_error *error);
	/* As histree_cursor_next() and histree_cursor_losses(). */
	enum histree_status (*cursor_next)(void *cursor, struct histree_segment *out, struct histree_error *error);
	const struct histree_loss *(*cursor_losses)(const void *cursor, size_t *count);
	void (*cursor_free)(void *cursor);
	void (*free)(void *context);
};

/* An overview of a segment store, which is a segment store itself (docs/design/05-pyramid.md). */
struct histree_segment_overview {
	struct histree_segment_store *store;
	unsigned width_log2; /* of its cells, in ns */
	unsigned parts_log2; /* 0: of buckets of duration; else of parts, over all times and all values together */
	size_t field;        /* whose values they tell apart; SIZE_MAX: no field */
};

/*
 * Make a store from a source.  `info` is that of the store that the source reads; its schema is copied.  Overviews
 * are in the order of histree_segment_store_overview(), and the store owns their sources.  If the call fails, it
 * closes the overviews and frees the source.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status
histree_segment_store_of_source(const struct histree_segment_source *source,
				const struct histree_segment_store_info *info,
				const struct histree_segment_overview *overviews, size_t overview_count,
				struct histree_segment_store **out, struct histree_error *error);

/*
 * Get an overview of a finished store by its index, borrowed from the store: those with cells come first, the one
 * of parts last.  Returns HISTREE_NOT_FOUND if there is no overview with that number.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status
histree_segment_store_overview(struct histree_segment_store *store, size_t index,
			       struct histree_segment_overview *out);

#endif
