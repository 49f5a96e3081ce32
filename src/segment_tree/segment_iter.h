/* SPDX-License-Identifier: MIT */
/*
 * segment_iter.h - the segments of a tree that meet a window of time: as they lie in the file (algorithm 5.1), or
 * sorted by one of the keys of time (algorithm 5.2).
 *
 * Content is handed out until the next call, from a node that stays pinned for as long.  After an error other than
 * HISTREE_ERR_ARGUMENT an iterator must be started again.  HISTREE_PARTIAL in the place of a segment: a damaged
 * node held some, the loss says what is known of them, and the next call goes on.
 */
#ifndef SEGMENT_TREE_SEGMENT_ITER_H
#define SEGMENT_TREE_SEGMENT_ITER_H

#include "histree/segment_store.h"
#include "store/block_file.h"
#include "tree/tree_reader.h"

/* What both need to know; borrowed. */
struct segment_source {
	struct tree_reader *reader;
	const struct histree_segment_field *fields;
	size_t field_count;
	const struct io *io; /* for a temporary file beside `path` */
	const char *path;
	size_t queue_bytes;
};

struct segment_window {
	histree_time from, to; /* both inclusive */
};

/* What a scan skips: parts of the tree whose bounds show that they hold no wanted segment. */
struct segment_bounds {
	histree_time start_min, start_max;
	uint64_t duration_min, duration_max;
};

struct segment_choice {
	/* Returns true if a segment within the bounds may be wanted; of one segment, whether it is. */
	bool (*may_have)(void *context, const struct segment_bounds *bounds);
	void *context;
	size_t field_count; /* how many fields of the content are wanted, the first ones; 0: all */
};

struct segment_scan;

enum histree_status segment_scan_create(const struct segment_source *source, struct segment_scan **out,
					struct histree_error *error);

/* Start from the beginning, or after the segment with these keys of a token. */
void segment_scan_start(struct segment_scan *scan, struct segment_window window,
			const struct histree_segment_token *resume);

/* After it was started: hand out only what is chosen.  The context is borrowed until the next start. */
void segment_scan_choose(struct segment_scan *scan, struct segment_choice choice);
enum histree_status segment_scan_next(struct segment_scan *scan, struct histree_segment *out,
				      struct histree_error *error);
struct histree_segment_loss segment_scan_loss(const struct segment_scan *scan);

/* Get where the segment handed out last lies: the node, and its location in it. */
void segment_scan_location(const struct segment_scan *scan, uint64_t key[2]);
void segment_scan_stats(const struct segment_scan *scan, struct histree_segment_iter_stats *stats);
void segment_scan_free(struct segment_scan *scan);

struct segment_sweep;

enum histree_status segment_sweep_create(const struct segment_source *source, struct segment_sweep **out,
					 struct histree_error *error);

/*
 * Start by start, end or duration: from the beginning, or from the key of a token on, with all segments that have
 * that key.
 */
enum histree_status segment_sweep_start(struct segment_sweep *sweep, enum histree_segment_order by, bool descending,
					struct segment_window window, const struct histree_segment_token *resume,
					struct histree_error *error);
enum histree_status segment_sweep_next(struct segment_sweep *sweep, struct histree_segment *out,
				       struct histree_error *error);
struct histree_segment_loss segment_sweep_loss(const struct segment_sweep *sweep);

/* Get the key of the segment handed out last. */
void segment_sweep_key(const struct segment_sweep *sweep, uint64_t key[2]);
void segment_sweep_stats(const struct segment_sweep *sweep, struct histree_segment_iter_stats *stats);
void segment_sweep_free(struct segment_sweep *sweep);

#endif
