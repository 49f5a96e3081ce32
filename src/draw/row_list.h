/* SPDX-License-Identifier: MIT */
/*
 * row_list.h - which rows a picture has, and what is said of each.
 */
#ifndef DRAW_ROW_LIST_H
#define DRAW_ROW_LIST_H

#include "base/arena.h"
#include "histree/draw.h"
#include "histree/rows.h"

/* The models of a host; of a history of one, there is one without a name. */
struct picture_host {
	const char *name, *why;          /* why: it cannot be read; NULL: it can */
	struct histree_history *history; /* of this host alone; may be NULL */
	histree_quark folder, first;     /* in the history that is drawn; `first` is that of its own attributes */
	struct histree_control_flow *flow;
	struct histree_resources *resources;
	struct histree_cpu_usage *usage; /* of the range, in one pixel; NULL: of no use in this view */
};

struct picture_row {
	histree_quark quark; /* in the history that is drawn */
	histree_quark text;  /* the attribute whose value is written into states, HISTREE_ROOT: its own, or none */
	const struct histree_label_table *table; /* of what its values mean; NULL: nothing is known */
	const struct picture_host *host;
	bool is_host;   /* the row is that of the host, above its own */
	bool is_silent; /* nothing is written into its states */
	uint32_t indent;
	struct histree_row_life life; /* the states outside of it are another thread's; both 0: all are its own */
	uint32_t thread;              /* index in the tree of threads of its host, or HISTREE_NO_INDEX */
	const char *label;            /* on the left */
	const char *detail;           /* on the right of the label: a tid; "" */
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

/*
 * Adds the busiest of the threads asked for, up to `rows_max` with the rows of their hosts, in their tree's order,
 * each host after the other.  A host that cannot be read has a row as well.
 */
enum histree_status row_list_threads(struct row_list *list, const struct histree_draw_options *options,
				     const struct picture_host *hosts, size_t host_count, size_t rows_max,
				     struct histree_error *error);
enum histree_status row_list_resources(struct row_list *list, const struct histree_draw_options *options,
				       const struct picture_host *hosts, size_t host_count, size_t rows_max,
				       struct histree_error *error);

/* Adds the attributes asked for, or the first ones, in the order of the tree: what belongs together stands so. */
enum histree_status row_list_attributes(struct row_list *list, const struct histree_draw_options *options,
					const struct histree_history *history, const struct picture_host *hosts,
					size_t rows_max, struct histree_error *error);

/* Adds the rows of a chart that show states, or those of the attributes asked for, in the order of the chart. */
enum histree_status row_list_chart(struct row_list *list, const struct histree_draw_options *options,
				   struct histree_history *history, const struct picture_host *hosts,
				   size_t rows_max, struct histree_error *error);
void row_list_release(struct row_list *list);

#endif
