/* SPDX-License-Identifier: MIT */
/*
 * program_views.h - what is said of the states of an analysis from a file: labels of its values and charts, kept
 * with all their texts.
 */
#ifndef ANALYSIS_PROGRAM_PROGRAM_VIEWS_H
#define ANALYSIS_PROGRAM_PROGRAM_VIEWS_H

#include "base/arena.h"
#include "histree/charts.h"
#include "histree/labels.h"

/* A zeroed one is empty. */
struct program_views {
	struct histree_label_table *labels;
	size_t label_table_count, label_table_capacity;
	struct histree_chart *charts;
	size_t chart_count, chart_capacity;
	struct arena texts;
};

/*
 * Copies tables of labels, which come after the existing ones, and charts, except those whose name exists
 * already, as far as a history has room for them.  Returns false if memory is out.
 */
bool program_views_add(struct program_views *views, const struct histree_label_table *labels,
		       size_t label_table_count, const struct histree_chart *charts, size_t chart_count);
void program_views_release(struct program_views *views);

#endif
