/* SPDX-License-Identifier: MIT */
/*
 * xml_document.h - a file of XML as a tree of elements, with where each of them is.
 *
 * Read by libexpat, and bounded: no document type, and so no entities of its own and none from other files, at most
 * 64 levels and 100,000 elements.  Text between elements is left out.
 */
#ifndef ANALYSIS_XML_XML_DOCUMENT_H
#define ANALYSIS_XML_XML_DOCUMENT_H

#include <stdbool.h>

#include "base/arena.h"
#include "histree/status.h"

struct xml_attribute {
	const char *name, *value;
};

struct xml_element {
	const char *name;
	const struct xml_attribute *attributes;
	size_t attribute_count;
	unsigned long line, column; /* from 1 */
	struct xml_element *parent, *first, *last, *next;
	bool is_open; /* for whoever follows names from one to another: it is being looked into */
};

/* A zeroed one is empty. */
struct xml_document {
	const char *path; /* borrowed: for messages */
	struct xml_element *root;
	struct arena memory;
};

enum histree_status xml_document_read(struct xml_document *document, const char *path, const char *bytes,
				      size_t size, struct histree_error *error);
void xml_document_release(struct xml_document *document);

/* Returns the value of an attribute, NULL if the element has none. */
const char *xml_attribute(const struct xml_element *element, const char *name);

/* Returns the first child, or the next sibling, of a name; NULL for any name.  NULL if there is none. */
struct xml_element *xml_child(const struct xml_element *element, const char *name);
struct xml_element *xml_next(const struct xml_element *element, const char *name);

static inline bool xml_is(const struct xml_element *element, const char *name)
{
	return __builtin_strcmp(element->name, name) == 0;
}

#endif
