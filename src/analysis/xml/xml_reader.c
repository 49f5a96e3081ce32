// SPDX-License-Identifier: MIT
#include "analysis/xml/xml_reader.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"

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

/* What XML itself says: namespaces, and where the schema is. */
static bool is_of_xml(const char *name)
{
	return strncmp(name, "xmlns", 5) == 0 || strncmp(name, "xsi:", 4) == 0 || strncmp(name, "xml:", 4) == 0;
}

void xml_allow(struct xml_reader *reader, const struct xml_element *element, const char *attributes,
	       const char *children)
{
	for (size_t i = 0; i < element->attribute_count; i++) {
		const char *name = element->attributes[i].name;
		if (!xml_has_word(attributes, name) && !is_of_xml(name))
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
