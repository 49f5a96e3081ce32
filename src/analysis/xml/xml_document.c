// SPDX-License-Identifier: MIT
/*
 * xml_document.c - reads a file of Trace Compass, and keeps it while it is compiled into programs.
 */
#include "analysis/xml/xml_document.h"

#include <expat.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "analysis/program/program.h"
#include "base/arena.h"
#include "base/error.h"
#include "histree/status.h"

/* ---- xml reader ---------------------------------------------------------------------------------------------- */

void xml_fail(struct xml_reader *reader, const struct xml_element *element, const char *format, ...)
{
	char text[400];
	va_list arguments;
	if (reader->status != HISTREE_OK)
		return;
	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	reader->status = error_set(reader->error, HISTREE_ERR_ARGUMENT, "%s:%lu:%lu: <%s>: %s",
				   reader->document->path, element->line, element->column, element->name, text);
}

bool xml_has_word(const char *words, const char *word)
{
	size_t size = strlen(word);
	for (const char *at = words; *at != '\0'; at += strcspn(at, " ")) {
		at += strspn(at, " ");
		if (strcspn(at, " ") == size && size > 0 && memcmp(at, word, size) == 0)
			return true;
	}
	return false;
}

void xml_allow(struct xml_reader *reader, const struct xml_element *element, const char *attributes,
	       const char *children)
{
	for (size_t i = 0; i < element->attribute_count; i++) {
		const char *name = element->attributes[i].name;
		if (!xml_has_word(attributes, name) &&
		    (strncmp(name, "xmlns", 5) != 0 && strncmp(name, "xsi:", 4) != 0 &&
		     strncmp(name, "xml:", 4) != 0))
			xml_fail(reader, element, "the attribute '%s' is not known here; there are: %s", name,
				 attributes[0] != '\0' ? attributes : "none");
	}
	for (const struct xml_element *each = element->first; each != NULL && children != NULL; each = each->next)
		if (!xml_has_word(children, each->name))
			xml_fail(reader, each, "is not known in <%s>, which has: %s", element->name,
				 children[0] != '\0' ? children : "nothing inside");
}

const char *xml_need(struct xml_reader *reader, const struct xml_element *element, const char *attribute)
{
	const char *value = xml_attribute(element, attribute);
	if (value == NULL)
		xml_fail(reader, element, "the attribute '%s' is missing", attribute);
	return value != NULL ? value : "";
}

bool xml_flag(struct xml_reader *reader, const struct xml_element *element, const char *attribute, bool otherwise)
{
	const char *value = xml_attribute(element, attribute);
	if (value == NULL)
		return otherwise;
	if (strcmp(value, "true") == 0 || strcmp(value, "1") == 0)
		return true;
	if (strcmp(value, "false") != 0 && strcmp(value, "0") != 0)
		xml_fail(reader, element, "the attribute '%s' is true or false, not '%s'", attribute, value);
	return false;
}

static const struct xml_element *find_defined(const struct xml_reader *reader, const char *name)
{
	for (const struct xml_element *each = xml_child(reader->analysis, "definedValue"); each != NULL;
	     each = xml_next(each, "definedValue"))
		if (xml_attribute(each, "name") != NULL && strcmp(xml_attribute(each, "name"), name) == 0)
			return each;
	return NULL;
}

bool xml_is_defined(const struct xml_reader *reader, const char *text)
{
	return text[0] != '$' || find_defined(reader, text + 1) != NULL;
}

const char *xml_defined(struct xml_reader *reader, const struct xml_element *element, const char *text)
{
	if (text[0] != '$')
		return text;
	const struct xml_element *defined = find_defined(reader, text + 1);
	if (defined != NULL)
		return xml_need(reader, defined, "value");
	xml_fail(reader, element, "there is no <definedValue> '%s'", text + 1);
	return "";
}

/* ---- xml document -------------------------------------------------------------------------------------------- */

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
