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

/*
 * Returns whose attributes an <entry> shows, for those inside of it: the analysis that it names, or the one that
 * it is inside of; NULL: those that the head of the view names.
 */
const char *xml_entry_owner(const struct xml_element *entry, const char *around);

/* Returns whether an entry of that owner is of an analysis: where the head of the view names none, it is of all. */
bool xml_entry_shows(const struct xml_element *view, const char *owner, const char *analysis);

/* Returns whether an element of the file is a view. */
bool xml_is_view(const struct xml_element *element);

enum histree_status xml_view_check(const struct xml_document *document, const struct xml_element *view,
				   struct histree_error *error);

#endif
