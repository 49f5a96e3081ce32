/* SPDX-License-Identifier: MIT */
/*
 * verb_info.h - histree info: what a store is, in facts, of one host or of several.
 *
 * What is known about a store and its histories: named values, in an order.
 *
 * One fact is a column of a row in tsv, csv and json, and a line in text, where its name is its label.
 */
#ifndef CLI_VERB_INFO_H
#define CLI_VERB_INFO_H

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

#endif
