// SPDX-License-Identifier: MIT
#include "analysis/xml/xml_document.h"

#include <expat.h>
#include <stdint.h>
#include <string.h>

#include "base/error.h"

enum { DEPTH_MAX = 64, ELEMENTS_MAX = 100000 };

struct reading {
	struct xml_document *document;
	XML_Parser parser;
	struct xml_element *open; /* the element at hand */
	unsigned depth;
	size_t elements;
	enum histree_status status;
	struct histree_error *error;
};

static void stop(struct reading *reading, enum histree_status status, const char *what)
{
	if (reading->status == HISTREE_OK)
		reading->status = error_set(reading->error, status, "%s:%lu:%lu: %s", reading->document->path,
					    XML_GetCurrentLineNumber(reading->parser),
					    XML_GetCurrentColumnNumber(reading->parser) + 1, what);
	XML_StopParser(reading->parser, XML_FALSE);
}

static bool copy_attributes(struct xml_document *document, struct xml_element *element, const char **attributes)
{
	size_t count = 0;
	while (attributes[2 * count] != NULL)
		count++;
	struct xml_attribute *copies =
		arena_allocate(&document->memory, (count + 1) * sizeof(*copies), _Alignof(struct xml_attribute));
	for (size_t i = 0; copies != NULL && i < count; i++) {
		copies[i].name = arena_copy(&document->memory, attributes[2 * i], strlen(attributes[2 * i]));
		copies[i].value =
			arena_copy(&document->memory, attributes[2 * i + 1], strlen(attributes[2 * i + 1]));
		if (copies[i].name == NULL || copies[i].value == NULL)
			return false;
	}
	element->attributes = copies;
	element->attribute_count = count;
	return copies != NULL;
}

static void XMLCALL begin_element(void *context, const char *name, const char **attributes)
{
	struct reading *reading = context;
	struct xml_document *document = reading->document;
	if (++reading->depth > DEPTH_MAX) {
		stop(reading, HISTREE_ERR_ARGUMENT, "elements are within one another more than 64 deep");
		return;
	}
	if (++reading->elements > ELEMENTS_MAX) {
		stop(reading, HISTREE_ERR_ARGUMENT, "more than 100000 elements");
		return;
	}
	struct xml_element *element =
		arena_allocate(&document->memory, sizeof(*element), _Alignof(struct xml_element));
	const char *copy = arena_copy(&document->memory, name, strlen(name));
	if (element == NULL || copy == NULL) {
		stop(reading, HISTREE_ERR_MEMORY, "no memory for the file");
		return;
	}
	*element = (struct xml_element){
		.name = copy,
		.line = XML_GetCurrentLineNumber(reading->parser),
		.column = XML_GetCurrentColumnNumber(reading->parser) + 1,
		.parent = reading->open,
	};
	if (!copy_attributes(document, element, attributes)) {
		stop(reading, HISTREE_ERR_MEMORY, "no memory for the file");
		return;
	}
	if (reading->open == NULL)
		document->root = element;
	else if (reading->open->last == NULL)
		reading->open->first = element;
	else
		reading->open->last->next = element;
	if (reading->open != NULL)
		reading->open->last = element;
	reading->open = element;
}

static void XMLCALL end_element(void *context, const char *name)
{
	struct reading *reading = context;
	(void)name;
	reading->depth--;
	reading->open = reading->open->parent;
}

static void XMLCALL refuse_document_type(void *context, const char *name, const char *system, const char *public,
					 int has_subset)
{
	(void)name, (void)system, (void)public, (void)has_subset;
	stop(context, HISTREE_ERR_ARGUMENT,
	     "the file has a document type, which could define entities: take the <!DOCTYPE> out");
}

enum histree_status xml_document_read(struct xml_document *document, const char *path, const char *bytes,
				      size_t size, struct histree_error *error)
{
	struct reading reading = { .document = document, .parser = XML_ParserCreate(NULL), .error = error };
	*document = (struct xml_document){ .path = path };
	if (reading.parser == NULL)
		return error_memory(error, "a file of XML");
	XML_SetUserData(reading.parser, &reading);
	XML_SetElementHandler(reading.parser, begin_element, end_element);
	XML_SetStartDoctypeDeclHandler(reading.parser, refuse_document_type);
	enum XML_Status parsed = XML_STATUS_ERROR;
	if (size <= INT32_MAX)
		parsed = XML_Parse(reading.parser, bytes, (int)size, 1);
	if (parsed != XML_STATUS_OK && reading.status == HISTREE_OK) {
		enum XML_Error code = XML_GetErrorCode(reading.parser);
		reading.status =
			code == XML_ERROR_NO_MEMORY
				? error_memory(error, "a file of XML")
				: error_set(error, HISTREE_ERR_ARGUMENT, "%s:%lu:%lu: this is no XML: %s", path,
					    XML_GetCurrentLineNumber(reading.parser),
					    XML_GetCurrentColumnNumber(reading.parser) + 1, XML_ErrorString(code));
	}
	XML_ParserFree(reading.parser);
	if (reading.status != HISTREE_OK)
		xml_document_release(document);
	return reading.status;
}

void xml_document_release(struct xml_document *document)
{
	arena_release(&document->memory);
	document->root = NULL;
}

const char *xml_attribute(const struct xml_element *element, const char *name)
{
	for (size_t i = 0; i < element->attribute_count; i++)
		if (strcmp(element->attributes[i].name, name) == 0)
			return element->attributes[i].value;
	return NULL;
}

static struct xml_element *first_of(struct xml_element *element, const char *name)
{
	while (element != NULL && name != NULL && strcmp(element->name, name) != 0)
		element = element->next;
	return element;
}

struct xml_element *xml_child(const struct xml_element *element, const char *name)
{
	return first_of(element->first, name);
}

struct xml_element *xml_next(const struct xml_element *element, const char *name)
{
	return first_of(element->next, name);
}
