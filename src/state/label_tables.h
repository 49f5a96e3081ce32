/* SPDX-License-Identifier: MIT */
/*
 * label_tables.h - the tables of labels of a history (histree/labels.h), checked, and with labels in their order.
 */
#ifndef STATE_LABEL_TABLES_H
#define STATE_LABEL_TABLES_H

#include "base/arena.h"
#include "histree/labels.h"

/* A zeroed one is empty. */
struct label_tables {
	struct histree_label_table *tables;
	size_t count;
	struct arena memory; /* of everything */
};

enum {
	LABEL_PATTERNS_MAX = 200, /* of a table */
	LABELS_MAX = 32768,       /* of a table */
	LABEL_HUNDREDTHS = 100,   /* of a height */
};

/*
 * Copy what a caller says, in the order in which it is kept.  Returns HISTREE_ERR_ARGUMENT with a sentence if it
 * cannot be so.
 */
enum histree_status label_tables_copy(const struct histree_label_table *tables, size_t count,
				      struct label_tables *out, struct histree_error *error);

/* Check a table whose labels are in that order: what is kept, and what is read. */
enum histree_status label_table_check(const struct histree_label_table *table, struct histree_error *error);

/* Give labels that have no colour the one that the palette has for their value. */
void label_table_colour(struct histree_label *labels, size_t count);

void label_tables_release(struct label_tables *tables);

#endif
