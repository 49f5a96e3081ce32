/* SPDX-License-Identifier: MIT */
/*
 * charts.h - which attributes belong into one chart, and the section of charts in a file, CHRT.
 *
 * The section is as told.h describes it, and has for each chart
 *
 * 		name, title, unit (texts)
 * 		kind, and 1 if it names a table of labels, then that (text)
 * 		the number of entries, and for each
 * 			parent + 1, 0 at the top
 * 			which texts there are, see enum chart_texts, and flags
 * 			measure; path, and the texts that there are, in the order of their bits
 * 			with CHART_HAS_FACTOR: the factor (8 bytes, a double)
 */
#ifndef STATE_CHARTS_H
#define STATE_CHARTS_H

#include "histree/attributes.h"
#include "state/told.h"

/* Returns HISTREE_ERR_ARGUMENT with a sentence if these are no charts. */
enum histree_status charts_check(const struct histree_chart *charts, size_t count, struct histree_error *error);

extern const struct told_kind told_charts;

#endif
