/* SPDX-License-Identifier: MIT */
/*
 * xml_views.h - <timeGraphView> and <xyView>: what they say of values goes into the labels of the histories that
 * they show.
 */
#ifndef ANALYSIS_XML_XML_VIEWS_H
#define ANALYSIS_XML_XML_VIEWS_H

#include "analysis/xml/xml_reader.h"
#include "histree/labels.h"

struct xml_labels {
	struct histree_label_table *tables;
	size_t count, capacity;
	struct arena texts;
};

/* The tables of labels that the views of the file have for an analysis: one for each <entry> that shows values. */
void xml_labels_read(struct xml_reader *reader, struct xml_labels *labels, const char *analysis);
void xml_labels_release(struct xml_labels *labels);

/* Returns what of a file is not shown, as a sentence for the store of an analysis; NULL: there is nothing. */
const char *xml_views_remark(const struct xml_document *document, const char *analysis);

/* Returns whether a view is of an analysis: one that names none is of all. */
bool xml_view_shows(const struct xml_element *view, const char *analysis);

enum histree_status xml_view_check(const struct xml_document *document, const struct xml_element *view,
				   struct histree_error *error);

#endif
