/* SPDX-License-Identifier: MIT */
/*
 * tree_reader.h - a finished tree: what it is, and every interval of a region of time x key.
 *
 * A reader may be used by any number of threads; each has iterators of its own.
 */
#ifndef TREE_TREE_READER_H
#define TREE_TREE_READER_H

#include "histree/history.h"
#include "histree/query.h"
#include "store/block_file.h"

struct tree_reader;
struct tree_iter;

/*
 * Open the tree in a file, which outlives the reader.  Returns HISTREE_ERR_FORMAT if it claims to have more keys
 * than its bytes could be of.
 */
enum histree_status tree_reader_open(const struct block_file *file, size_t cache_bytes, struct tree_reader **out,
				     struct histree_error *error);
/* Open a tree of segments for segment_iter.h; `salvages` says whether to do so as tree_reader_salvage() does. */
enum histree_status tree_reader_open_segments(const struct block_file *file, size_t cache_bytes, bool salvages,
					      struct tree_reader **out, struct histree_error *error);
void tree_reader_close(struct tree_reader *reader);

/* Have the readers share one ceiling for the nodes in memory (node_cache.h).  Nobody uses `reader` yet. */
void tree_reader_share_cache(struct tree_reader *reader, struct tree_reader *with);

/* Fill in the part of a histree_history_info that the tree knows: all but provider and attributes. */
void tree_reader_info(const struct tree_reader *reader, struct histree_history_info *info);

/*
 * Open a tree of which only the section TREE needs to be whole.  What damaged nodes and other sections said is
 * then unknown, and so is what the disk does not give.
 */
enum histree_status tree_reader_salvage(const struct block_file *file, size_t cache_bytes, struct tree_reader **out,
					struct histree_error *error);

/* Keys are below it.  The file has bytes for as many. */
uint32_t tree_reader_key_count(const struct tree_reader *reader);

/*
 * An iterator over a region (histree/query.h: what it is, who owns its lists, in which order intervals
 * come).  The region must be inside the tree's time and keys, its lists sorted: the caller checks.
 */
enum histree_status tree_iter_create(struct tree_reader *reader, struct tree_iter **out,
				     struct histree_error *error);
void tree_iter_start(struct tree_iter *iter, const struct histree_region *region);
/* Drop what is left, and the pinned node; the next call of tree_iter_next() is the end. */
void tree_iter_stop(struct tree_iter *iter);
enum histree_status tree_iter_next(struct tree_iter *iter, struct histree_interval *out,
				   struct histree_error *error);
/* Get up to `room` intervals, at least one, or return HISTREE_END.  `room` is not 0. */
enum histree_status tree_iter_read(struct tree_iter *iter, struct histree_interval *out, size_t room, size_t *count,
				   struct histree_error *error);
/*
 * Have so many threads read leaves ahead, from the next start on; 1: none.  Drops what is left, also if it fails.
 */
enum histree_status tree_iter_set_threads(struct tree_iter *iter, unsigned threads, struct histree_error *error);
/* Returns whether nothing of the region is left: the nodes that were read have all of it. */
bool tree_iter_is_whole(const struct tree_iter *iter);

/*
 * From here on, hand out only what nodes and lifetimes say, and nothing of type unknown for what they cannot say.
 */
void tree_iter_keep_to_nodes(struct tree_iter *iter);
struct histree_query_stats tree_iter_stats(const struct tree_iter *iter);
void tree_iter_free(struct tree_iter *iter);

/* Returns the bytes of a string or custom value at most, as tree_writer_value_size_max() did. */
size_t tree_reader_value_size_max(const struct tree_reader *reader);

/* Returns whether the tree has some intervals only, and nobody unknown ones in place of the others. */
bool tree_reader_is_partial(const struct tree_reader *reader);

/* Returns whether the tree says by lifetimes what this null says. */
bool tree_reader_implies(const struct tree_reader *reader, const struct histree_interval *null);

/* See histree_history_nodes(). */
enum histree_status tree_nodes(struct tree_reader *reader,
			       bool (*visit)(void *context, const struct histree_node *node), void *context,
			       struct histree_error *error);

/* See histree_history_verify(). */
enum histree_status tree_verify(struct tree_reader *reader, void (*report)(void *context, const char *fault),
				void *context, struct histree_error *error);

#endif
