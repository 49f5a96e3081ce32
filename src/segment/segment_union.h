/* SPDX-License-Identifier: MIT */
/*
 * segment_union.h - the stores of several hosts as one: its parts, and the cursor that merges theirs.
 *
 * Each part gives every order by itself, so the union keeps one segment of each at hand, in a heap
 * (docs/design/0054-many-hosts-segments-events.md).
 */
#ifndef SEGMENT_SEGMENT_UNION_H
#define SEGMENT_SEGMENT_UNION_H

#include "segment/segment_backend.h"

#define SEGMENT_UNION_HOST "host"

struct union_part {
	struct histree_segment_store *store;        /* NULL: it is missing */
	struct histree_value host;                  /* its name */
	uint8_t fields[HISTREE_SEGMENT_FIELDS_MAX]; /* of the part, by those of the union */
};

/* A field that a part has not. */
enum { UNION_NO_FIELD = UINT8_MAX };

struct segment_union {
	struct histree_segment_part *parts; /* as the caller gave them, with texts of our own */
	struct union_part *sources;         /* the same, as cursors need them */
	size_t part_count;
	size_t field_count; /* the last one is the host */
};

enum histree_status union_cursor_create(void *body, void **out, struct histree_error *error);
enum histree_status union_cursor_start(void *cursor, const struct histree_segment_query *query,
				       const struct histree_segment_token *resume, struct histree_error *error);
enum histree_status union_cursor_start_field(void *cursor, const struct histree_segment_query *query, uint64_t rank,
					     struct histree_error *error);
enum histree_status union_cursor_next(void *cursor, struct histree_segment *out, struct histree_error *error);
struct histree_segment_loss union_cursor_loss(const void *cursor);
void union_cursor_key(const void *cursor, uint64_t key[2]);
void union_cursor_stats(const void *cursor, struct histree_segment_iter_stats *stats);
void union_cursor_free(void *cursor);

#endif
