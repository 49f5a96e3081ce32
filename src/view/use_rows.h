/* SPDX-License-Identifier: MIT */
/*
 * use_rows.h - the rows of a use of time (histree/time_use.h): identified by their keys, sorted, and as bytes that
 * go from one process to another.
 */
#ifndef VIEW_USE_ROWS_H
#define VIEW_USE_ROWS_H

#include "base/arena.h"
#include "base/bytes.h"
#include "histree/time_use.h"

/* By key: an int, the id of a text, or USE_NOTHING, USE_NOT_KNOWN (use_sweep.h). */
struct use_key {
	int32_t keys[HISTREE_USE_KEY_COUNT];
	uint32_t host;
	int32_t life;        /* of the thread, if rows are by thread; else 0 */
	int32_t had_by_life; /* of who had the CPU, if rows are by that; else 0 */
};

/* A zeroed one is empty. */
struct use_rows {
	struct intern texts;
	struct use_key *keys; /* by row */
	struct histree_use_row *rows;
	size_t count, key_capacity, row_capacity;
	struct hash_index by_key;
	uint32_t last; /* the row that was found last, which often is the next one, too */
};

/* Returns the value that a number of a key stands for. */
struct histree_value use_rows_value(const struct use_rows *rows, size_t key, int32_t number);

/* Returns the row of a key, or NULL if memory runs out.  A missing row is made: *is_new, without names. */
struct histree_use_row *use_rows_find(struct use_rows *rows, const struct use_key *key, bool *is_new);

/* Forgets the rows after the first `count`. */
void use_rows_cut(struct use_rows *rows, size_t count);

/* Sorts them as histree_time_use_rows() has them; no row can be found any more. */
void use_rows_sort(struct use_rows *rows, unsigned by);

/* Puts all rows, which are of one host, as bytes; what there is in a row, `by` and `has_longest` say. */
void use_rows_put(const struct use_rows *rows, unsigned by, bool has_longest, struct byte_buffer *saved);

/*
 * Adds the rows in these bytes as rows of this host, which has none yet.  Returns HISTREE_ERR_FORMAT if they are
 * malformed; some may have been added then.
 */
enum histree_status use_rows_load(struct use_rows *rows, unsigned by, bool has_longest, uint32_t host,
				  struct byte_reader *reader, struct histree_error *error);
void use_rows_release(struct use_rows *rows);

#endif
