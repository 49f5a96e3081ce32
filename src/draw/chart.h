/* SPDX-License-Identifier: MIT */
/*
 * chart.h - the frame that pictures over time share: title, time axis, labels of rows, legend.
 */
#ifndef DRAW_CHART_H
#define DRAW_CHART_H

#include "draw/canvas.h"
#include "draw/row_list.h"

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
