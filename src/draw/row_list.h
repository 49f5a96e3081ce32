/* SPDX-License-Identifier: MIT */
/*
 * row_list.h - which rows a picture has, and what is said of each.
 */
#ifndef DRAW_ROW_LIST_H
#define DRAW_ROW_LIST_H

#include "base/arena.h"
#include "histree/draw.h"

struct picture_row {
	histree_quark quark;
	histree_quark text; /* the attribute whose value is written into states, HISTREE_ROOT: its own, or none */
	const struct histree_label_table *table; /* of what its values mean; NULL: nothing is known */
	uint32_t indent;
	uint32_t thread;    /* index in the tree of threads, or HISTREE_NO_INDEX */
	const char *label;  /* on the left */
	const char *detail; /* on the right of the label: a tid; "" */
};

/* A zeroed one is empty. */
struct row_list {
	const struct histree_history *history; /* whose labels name the states of threads and resources */
	struct picture_row *rows;
	size_t count, capacity;
	struct arena texts;
	histree_quark *asked; /* the quarks of the options, ascending */
	size_t asked_count;
	char note[160]; /* which rows these are: "40 of 8,595 threads, the busiest" */
};

/* Adds the busiest of the threads asked for, up to `rows_max`, in their tree's order; `usage` is of the range. */
enum histree_status row_list_threads(struct row_list *list, const struct histree_draw_options *options,
				     const struct histree_control_flow *flow, const struct histree_cpu_usage *usage,
				     size_t rows_max, struct histree_error *error);
enum histree_status row_list_resources(struct row_list *list, const struct histree_draw_options *options,
				       const struct histree_resources *resources, size_t rows_max,
				       struct histree_error *error);
/* Adds the attributes asked for, or the first ones, in the order of the tree: what belongs together stands so. */
enum histree_status row_list_attributes(struct row_list *list, const struct histree_draw_options *options,
					const struct histree_history *history, size_t rows_max,
					struct histree_error *error);

void row_list_release(struct row_list *list);

#endif
