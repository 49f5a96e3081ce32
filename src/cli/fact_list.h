/* SPDX-License-Identifier: MIT */
/*
 * fact_list.h - what is known about a store and its histories: named values, in an order.
 *
 * One fact is a column of a row in tsv, csv and json, and a line in text, where its name is its label.
 */
#ifndef CLI_FACT_LIST_H
#define CLI_FACT_LIST_H

#include "base/arena.h"
#include "cli/row_writer.h"
#include "histree/history.h"
#include "histree/store.h"

enum fact_kind {
	FACT_UNSIGNED,
	FACT_TIME,
	FACT_REAL,
	FACT_BOOL,
	FACT_TEXT,
	FACT_NUMBERS, /* one for each of 0, 1, 2, ... */
	FACT_SHARES,  /* one for each equal share of 100 % */
};

struct fact {
	const char *name; /* "interval_count" */
	enum fact_kind kind;
	union {
		uint64_t count;
		histree_time time;
		double real;
		bool truth;
		const char *text; /* several are joined by LF */
		const uint64_t *numbers;
	};
	const char *json; /* what a text is in JSON; NULL: the text */
	size_t number_count;
	char note[64]; /* for people: the value in readable form, or what it means; may be empty */
};

enum { FACTS_MAX = 64 };

/* A zeroed list is empty.  Facts borrow from the store and from the history. */
struct fact_list {
	struct fact facts[FACTS_MAX];
	size_t count;
	struct arena texts;
	bool no_memory;
};

void fact_list_add_store(struct fact_list *list, const struct histree_store_info *info);

/* Adds the facts of a history.  `in_store` has what only the manifest knows; it is NULL for a single file. */
void fact_list_add_history(struct fact_list *list, const struct histree_history_info *info,
			   const struct histree_store_history *in_store);

/* Adds how many labels say what the values of a history mean. */
void fact_list_add_labels(struct fact_list *list, const struct histree_history *history);

/* Adds the facts of a segment store. */
void fact_list_add_segments(struct fact_list *list, const struct histree_segment_store_info *info,
			    const struct histree_segment_overviews_info *overviews,
			    const struct histree_store_segments *in_store);

/* Writes the value as a cell. */
void fact_put(const struct fact *fact, struct row_writer *rows);

void fact_list_release(struct fact_list *list);

#endif
