/* SPDX-License-Identifier: MIT */
/*
 * compare_rows.h - the rows of a comparison of two stores, A and B.
 */
#ifndef CLI_COMPARE_ROWS_H
#define CLI_COMPARE_ROWS_H

#include "cli/row_writer.h"
#include "histree/segment_compare.h"
#include "histree/state_compare.h"

/* Both print `top` rows at most; 0: all.  People also see the names of the columns. */
void compare_rows_states(struct output *output, const struct row_format *format,
			 const struct histree_state_comparison *comparison, uint64_t top);

/* People also see the comparison of all segments together. */
void compare_rows_segments(struct output *output, const struct row_format *format,
			   const struct histree_segment_comparison *comparison, uint64_t top);

#endif
