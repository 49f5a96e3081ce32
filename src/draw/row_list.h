/* SPDX-License-Identifier: MIT */
/*
 * row_list.h - the rows of a picture with their labels; and the frame that pictures over time share: title, time
 * axis, labels of rows, legend.
 */
#ifndef DRAW_ROW_LIST_H
#define DRAW_ROW_LIST_H

#include "base/arena.h"
#include "draw/canvas.h"
#include "draw/pictures.h"
#include "histree/states.h"

/* The models of a host; of a history of one, there is one without a name. */
struct picture_host {
	const char *name, *why;          /* why: it cannot be read; NULL: it can */
	struct histree_history *history; /* of this host alone; may be NULL */
	/* in the history that is drawn; `first` is the number of its own first attribute */
	histree_quark folder, first;
	struct histree_control_flow *flow;
	struct histree_resources *resources;
	/* of the range; NULL: of no use in this view, or it is the curve of the picture */
	struct histree_cpu_usage *usage;
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

enum {
	CHART_MARGIN = 18,
	CHART_HEAD = 54,    /* title and note */
	CHART_USAGE = 46,   /* the curve of CPU usage, where there is one */
	CHART_AXIS = 24,    /* labels of times */
	CHART_ROW = 20,     /* from one row to the next */
	CHART_BAR = 14,     /* a state of full height */
	CHART_LEGEND = 34,  /* for a line of it */
	CHART_LABELS = 150, /* width of the labels, unless they need less or more */
	CHART_LABELS_MAX = 300,
	CHART_ROWS = 40, /* where nothing says how many */
	CHART_INDENT = 12,
};

/* Where things are, in pixels. */
struct chart {
	uint32_t width, height;
	uint32_t left, right; /* of the states */
	uint32_t usage_top;   /* 0: no curve */
	uint32_t rows_top, rows_bottom;
	struct time_axis axis;
};

void chart_frame(struct canvas *canvas, const struct chart *chart, const struct row_list *list, const char *title);

enum { LEGEND_STYLES = 4200 }; /* no picture has room for more */

/* Which styles were used. */
struct legend {
	const struct histree_style *styles[LEGEND_STYLES];
	size_t count;
	bool more; /* cells that hold more than one state were among them */
};

void legend_add(struct legend *legend, const struct histree_style *style);
void chart_legend(struct canvas *canvas, const struct chart *chart, const struct legend *legend,
		  const struct histree_history *history);
uint32_t style_colour(const struct canvas *canvas, const struct histree_style *style);

#endif
