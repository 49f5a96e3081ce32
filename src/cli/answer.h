/* SPDX-License-Identifier: MIT */
/*
 * answer.h - the intervals of some attributes, sorted by path and then by start, in bounded memory.
 *
 * A query hands intervals out in the order of the tree.  They are copied, sorted and handed on.  If they would take
 * more than ANSWER_BYTES, the question is cut in two, first by attributes, then by time, and each half is asked
 * separately.  That takes another pass over the nodes that it touches, and gives the same rows in the same order.
 * 64 MiB hold the 821,120 intervals of a kernel trace of 240,000 events in one pass.  If few rows are wanted, the
 * parts are small, and those after the last row are not queried.
 */
#ifndef CLI_ANSWER_H
#define CLI_ANSWER_H

#include "cli/attribute_list.h"
#include "histree/states.h"
#include "histree/status.h"

#define ANSWER_BYTES ((size_t)64 * 1024 * 1024)

struct answer_question {
	struct histree_history *history;
	const struct attribute_list *attributes;
	const histree_time *times; /* ascending, each once; NULL: from `from` to `to` */
	size_t time_count;
	histree_time from, to;
	struct histree_state_filter *filter; /* what passes is wanted; NULL: everything is */
	size_t bytes_max;                    /* for intervals at a time; 0: ANSWER_BYTES, or as row_max wants */
	uint64_t row_max;                    /* hand on no more than the first ones; 0: all */
	struct histree_work work;            /* asked now and then: HISTREE_ERR_CANCELLED */
};

struct answer_stats {
	struct histree_statistics query; /* of all passes */
	uint64_t nodes_damaged;          /* of these too */
	int64_t ns;                      /* in the library's query, without sorting and printing */
};

/* The interval is borrowed until `take` returns. */
typedef void answer_taker(void *context, const struct listed_attribute *attribute,
			  const struct histree_interval *interval);

/* Hands the intervals to `take` in order.  What it took before an error was right. */
enum histree_status answer(const struct answer_question *question, answer_taker *take, void *context,
			   struct answer_stats *stats, struct histree_error *error);

/* Returns what to exit with after a complete answer.  If damage made some of it unknown, that is reported. */
int answer_exit(bool is_damaged, int status);

/*
 * What a chart of a range shows (states.h), cell by cell: of each attribute, what it was for the longest part of
 * each pixel.
 */
struct pixel_question {
	struct histree_history *history;
	const struct attribute_list *attributes;
	histree_time from, to;
	uint32_t pixels;
	struct histree_work work; /* asked before each row: HISTREE_ERR_CANCELLED */
};

/* All of it is borrowed until it was taken. */
struct pixel_cell {
	uint32_t pixel;          /* 0, 1, 2, ... */
	histree_time start, end; /* of it */
	struct histree_value value;
	const char *label; /* what the value means; NULL: nothing is known */
	bool has_other;    /* it was something else too: mostly this, or unknown if that cannot be told */
	struct histree_value other;
	const char *other_label;
};

typedef void pixel_taker(void *context, const struct listed_attribute *attribute, const struct pixel_cell *cell);

/*
 * Passes all cells to `take`: the attributes in their order, the cells of each in the order of time. *is_damaged
 * tells whether damage made some of them unknown.
 *
 * The rows of a host are made without those of other hosts, so that they are the same as if it were alone.
 */
enum histree_status pixel_cells(const struct pixel_question *question, pixel_taker *take, void *context,
				bool *is_damaged, struct histree_error *error);

#endif
