/* SPDX-License-Identifier: MIT */
/*
 * graph_labels.h - what the values of the graph mean.
 */
#ifndef ANALYSIS_GRAPH_GRAPH_LABELS_H
#define ANALYSIS_GRAPH_GRAPH_LABELS_H

#include "histree/labels.h"

enum { GRAPH_LABEL_TABLES = 2 };

extern const struct histree_label_table graph_labels[GRAPH_LABEL_TABLES];

#endif
