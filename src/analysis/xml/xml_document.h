/* SPDX-License-Identifier: MIT */
/*
 * xml_document.h - reads a file of Trace Compass, and keeps it while it is compiled into programs.
 *
 * One analysis of such a file while it is compiled, for the files of this folder.
 *
 * The first fault is remembered with its place, and later calls do nothing; values and blocks are then
 * PROGRAM_NOTHING.
 *
 * A file of XML is a tree of elements with their positions.
 *
 * Read by libexpat, and bounded: no document type, and so no entities of its own and none from other files, at most
 * 64 levels and 100,000 elements.  Text between elements is left out.
 */
#ifndef ANALYSIS_XML_XML_DOCUMENT_H
#define ANALYSIS_XML_XML_DOCUMENT_H

#include <stdbool.h>

#include "analysis/program/program.h"
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
	bool is_open; /* for a walk from name to name: it is being visited */
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

/* Returns the value of an attribute, or NULL. */
const char *xml_attribute(const struct xml_element *element, const char *name);

/*
 * Returns the first child, or the next sibling, with a name, or with any name if it is NULL.  Returns NULL if
 * there is none.
 */
struct xml_element *xml_child(const struct xml_element *element, const char *name);
struct xml_element *xml_next(const struct xml_element *element, const char *name);

static inline bool xml_is(const struct xml_element *element, const char *name)
{
	return __builtin_strcmp(element->name, name) == 0;
}

struct xml_reader {
	const struct xml_document *document;
	const struct xml_element *analysis; /* <stateProvider> or <pattern> */
	struct program_builder *make;
	bool saves_fields;     /* some transition saves stored fields */
	bool lacks_definition; /* of a location or a value that some element names */
	unsigned depth;
	enum histree_status status;
	struct histree_error *error;
};

/* Remember what is wrong with an element, as "FILE:LINE:COLUMN: <NAME>: ...". */
void xml_fail(struct xml_reader *reader, const struct xml_element *element, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Returns whether a word is among those that blanks separate. */
bool xml_has_word(const char *words, const char *word);

/* The attributes and children (NULL: any) that an element may have, separated by blanks; others are refused. */
void xml_allow(struct xml_reader *reader, const struct xml_element *element, const char *attributes,
	       const char *children);

/* Returns an attribute that must be there; "" and a failure if it is not. */
const char *xml_need(struct xml_reader *reader, const struct xml_element *element, const char *attribute);

/* Returns whether an attribute is "true" or "1"; `otherwise` if it is absent. */
bool xml_flag(struct xml_reader *reader, const struct xml_element *element, const char *attribute, bool otherwise);

/* Returns whether a text is no "$NAME", or the name of a <definedValue>. */
bool xml_is_defined(const struct xml_reader *reader, const char *text);

/* Returns a text in which "$NAME" stands for a <definedValue>. */
const char *xml_defined(struct xml_reader *reader, const struct xml_element *element, const char *text);

/* ---- xml_script.c ----------------------------------------------------------------------------------------- */

program_value xml_value(struct xml_reader *reader, const struct xml_element *element);

/* The <stateAttribute> children of an element, which has at least one. */
program_path xml_path(struct xml_reader *reader, const struct xml_element *parent);
program_value xml_event_field(struct xml_reader *reader, const char *name);
program_value xml_text(struct xml_reader *reader, const char *text);

/* ---- xml_script.c ----------------------------------------------------------------------------------------- */

program_value xml_script(struct xml_reader *reader, const struct xml_element *element);

/* ---- xml_script.c ------------------------------------------------------------------------------------- */

/* What is in an <if>, or another element with one condition. */
program_value xml_condition(struct xml_reader *reader, const struct xml_element *parent);

/* ---- xml_script.c ---------------------------------------------------------------------------------------- */

/* Add what a <stateChange>, <then> or <else> says to a block. */
void xml_change(struct xml_reader *reader, const struct xml_element *element, program_block block);

/* ---- xml_pattern.c -------------------------------------------------------------------------------------- */

/* The groups of a <callstack>, which the program gets if one is made, and is checked in any case. */
void xml_callstack(struct xml_reader *reader, const struct xml_element *callstack);

/* Those of the file that are about an analysis. */
void xml_callstacks_of(struct xml_reader *reader, const char *analysis);

/* ---- xml_pattern.c ---------------------------------------------------------------------------------------- */

void xml_pattern(struct xml_reader *reader, const struct xml_element *pattern);

/*
 * A <storedField>: what it is called, the attribute of the scenario at work that has it, and its field of
 * segments.
 */
const char *xml_stored_name(struct xml_reader *reader, const struct xml_element *stored);
program_path xml_stored_path(struct xml_reader *reader, const char *alias);
uint32_t xml_stored_field(struct xml_reader *reader, const char *alias);

/* ---- xml_pattern.c --------------------------------------------------------------------------------------- */

void xml_segment(struct xml_reader *reader, const struct xml_element *segment, program_block block);

#endif
