/* SPDX-License-Identifier: MIT */
/*
 * xml_views.h - <timeGraphView> and <xyView> as charts of the histories that they show (histree/charts.h).
 *
 * <timeGraphView> and <xyView>: what they say of values goes into the labels of the histories that
 * they show.
 */
#ifndef ANALYSIS_XML_XML_VIEWS_H
#define ANALYSIS_XML_XML_VIEWS_H

#include "analysis/xml/xml_document.h"
#include "histree/charts.h"
#include "histree/labels.h"

struct xml_charts {
	struct histree_chart *charts;
	size_t count, capacity;
	struct arena texts;
};

/* The charts that the views of the file are of an analysis.  What a chart cannot say of an entry, it leaves out. */
void xml_charts_read(struct xml_reader *reader, struct xml_charts *charts, const char *analysis);
void xml_charts_release(struct xml_charts *charts);

struct xml_labels {
	struct histree_label_table *tables;
	size_t count, capacity;
	struct arena texts;
};

/* The tables of labels that the views of the file have for an analysis: one for each <entry> that shows values. */
void xml_labels_read(struct xml_reader *reader, struct xml_labels *labels, const char *analysis);
void xml_labels_release(struct xml_labels *labels);

/* Returns whether an element of the file is a view. */
bool xml_is_view(const struct xml_element *element);
enum histree_status xml_view_check(const struct xml_document *document, const struct xml_element *view,
				   struct histree_error *error);

#endif
