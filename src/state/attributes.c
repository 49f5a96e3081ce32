// SPDX-License-Identifier: MIT
/*
 * attributes.c - the public functions of attributes.h, on the table of functions of whichever source has the
 * attributes: a growing tree, a section, or a union of hosts.
 */
#include "state/attributes.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/error.h"
#include "histree/attributes.h"
#include "histree/status.h"
#include "state/attribute_reader.h"

/* ---- attribute name ------------------------------------------------------------------------------------------ */

struct attribute_name attribute_name_number(uint32_t number)
{
	return (struct attribute_name){ .number = number };
}

struct attribute_name attribute_name(const char *text, size_t size)
{
	const struct attribute_name plain = { .text = text, .size = size };
	if (size == 0 || size > ATTRIBUTE_NUMBER_SIZE || (text[0] == '0' && size > 1))
		return plain;
	uint64_t number = 0;
	for (size_t at = 0; at < size; at++) {
		if (text[at] < '0' || text[at] > '9')
			return plain;
		number = number * 10 + (uint64_t)(text[at] - '0');
	}
	return number > ATTRIBUTE_NUMBER_MAX ? plain : attribute_name_number((uint32_t)number);
}

const char *attribute_name_text(const struct attribute_name *name, char room[ATTRIBUTE_NUMBER_SIZE], size_t *size)
{
	if (name->text != NULL) {
		*size = name->size;
		return name->text;
	}
	char *at = room + ATTRIBUTE_NUMBER_SIZE;
	uint32_t number = name->number;
	do {
		*--at = (char)('0' + number % 10);
		number /= 10;
	} while (number > 0);
	*size = (size_t)(room + ATTRIBUTE_NUMBER_SIZE - at);
	return at;
}

int attribute_name_compare(const struct attribute_name *one, const struct attribute_name *other)
{
	if (one->text == NULL || other->text == NULL) {
		if (one->text != NULL || other->text != NULL)
			return one->text == NULL ? -1 : 1;
		return (one->number > other->number) - (one->number < other->number);
	}
	size_t common = one->size < other->size ? one->size : other->size;
	int order = memcmp(one->text, other->text, common);
	return order != 0 ? order : (one->size > other->size) - (one->size < other->size);
}

/* ---- attribute path ------------------------------------------------------------------------------------------ */

bool path_cut(const char **rest, struct path_component *component)
{
	const char *at = *rest;
	if (at == NULL)
		return false;
	bool escaped = false;
	for (; *at != '\0' && *at != '/'; at++) {
		if (*at != '\\')
			continue;
		escaped = true;
		if (at[1] != '\0')
			at++;
	}
	*component = (struct path_component){ .text = *rest, .size = (size_t)(at - *rest), .escaped = escaped };
	*rest = *at == '/' ? at + 1 : NULL;
	return true;
}

static bool unescape(const struct path_component *component, char *room, size_t *size)
{
	const char *at = component->text;
	const char *end = at + component->size;
	for (*size = 0; at < end; (*size)++) {
		if (*size == ATTRIBUTE_NAME_SIZE_MAX)
			return false;
		if (*at == '\\') {
			at++;
			if (at == end || (*at != '/' && *at != '\\'))
				return false;
		}
		room[*size] = *at++;
	}
	return true;
}

bool path_component_name(const struct path_component *component, char room[ATTRIBUTE_NAME_SIZE_MAX],
			 const char **name, size_t *size)
{
	if (component->escaped) {
		*name = room;
		return unescape(component, room, size);
	}
	*name = component->text;
	*size = component->size;
	return *size > 0 && *size <= ATTRIBUTE_NAME_SIZE_MAX;
}

enum histree_status path_check(const char *path, size_t *component_count, struct histree_error *error)
{
	char room[ATTRIBUTE_NAME_SIZE_MAX];
	struct path_component component;
	const char *name;
	size_t size;
	*component_count = 0;
	for (const char *rest = path; path_cut(&rest, &component); (*component_count)++) {
		if (path_component_name(&component, room, &name, &size))
			continue;
		if (component.size == 0)
			return error_set(error, HISTREE_ERR_ARGUMENT,
					 "the path '%.200s' has an empty component; write 'A/B' for B below A",
					 path);
		if (component.size > ATTRIBUTE_NAME_SIZE_MAX)
			return error_set(error, HISTREE_ERR_ARGUMENT,
					 "a component of the path '%.200s' has %zu bytes, the most is %d", path,
					 component.size, ATTRIBUTE_NAME_SIZE_MAX);
		return error_set(error, HISTREE_ERR_ARGUMENT,
				 "the path '%.200s' has a stray backslash; a slash inside a name is '\\/' and a "
				 "backslash '\\\\'",
				 path);
	}
	return HISTREE_OK;
}

/* ---- attributes ---------------------------------------------------------------------------------------------- */

static bool known(const struct histree_attributes *attributes, histree_quark quark)
{
	return quark < attributes->count;
}

uint32_t histree_attributes_count(const struct histree_attributes *attributes)
{
	return attributes->count;
}

/* ---- looking up ---------------------------------------------------------------------------------- */

enum histree_status histree_attributes_child(const struct histree_attributes *attributes, histree_quark parent,
					     const char *name, size_t name_size, histree_quark *out)
{
	*out = HISTREE_ROOT;
	if (parent != HISTREE_ROOT && !known(attributes, parent))
		return HISTREE_ERR_QUARK;
	struct attribute_name wanted = attribute_name(name, name_size);
	*out = attributes->source->child(attributes, parent, &wanted, NULL);
	return *out == HISTREE_ROOT ? HISTREE_NOT_FOUND : HISTREE_OK;
}

histree_quark attributes_child_near(const struct histree_attributes *attributes, histree_quark parent,
				    const char *name, size_t name_size, struct attribute_near *near)
{
	const struct attribute_name wanted = attribute_name(name, name_size);
	if (parent != HISTREE_ROOT && !known(attributes, parent))
		return HISTREE_ROOT;
	return attributes->source->child(attributes, parent, &wanted, near);
}

/* Apart, so that the look-up of a plain name has no room on its stack. */
static __attribute__((noinline)) enum histree_status escaped_child(const struct histree_attributes *attributes,
								   histree_quark parent,
								   const struct path_component *component,
								   histree_quark *out)
{
	char room[ATTRIBUTE_NAME_SIZE_MAX];
	const char *name;
	size_t size;
	if (!path_component_name(component, room, &name, &size))
		return HISTREE_ERR_ARGUMENT;
	return histree_attributes_child(attributes, parent, name, size, out);
}

enum histree_status histree_attributes_find(const struct histree_attributes *attributes, histree_quark from,
					    const char *path, histree_quark *out)
{
	*out = HISTREE_ROOT;
	histree_quark quark = from;
	struct path_component component;
	const char *rest = path;
	while (path_cut(&rest, &component)) {
		enum histree_status status;
		if (component.size == 0)
			return HISTREE_ERR_ARGUMENT;
		if (component.escaped)
			status = escaped_child(attributes, quark, &component, &quark);
		else
			status =
				histree_attributes_child(attributes, quark, component.text, component.size, &quark);
		if (status != HISTREE_OK)
			return status;
	}
	*out = quark;
	return HISTREE_OK;
}

bool histree_attributes_is_folder(const struct histree_attributes *attributes, histree_quark quark)
{
	return known(attributes, quark) && attributes->source->is_folder(attributes, quark);
}

/* ---- links ------------------------------------------------------------------------------------------- */

histree_quark histree_attributes_parent(const struct histree_attributes *attributes, histree_quark quark)
{
	struct attribute_range near = { 0 };
	return known(attributes, quark) ? attributes->source->parent(attributes, quark, &near) : HISTREE_ROOT;
}

histree_quark histree_attributes_first_child(const struct histree_attributes *attributes, histree_quark parent)
{
	struct attribute_range near = { 0 };
	if (parent != HISTREE_ROOT && !known(attributes, parent))
		return HISTREE_ROOT;
	return attributes->source->first_child(attributes, parent, &near);
}

histree_quark histree_attributes_next_sibling(const struct histree_attributes *attributes, histree_quark quark)
{
	struct attribute_range near = { 0 };
	return known(attributes, quark) ? attributes->source->next_sibling(attributes, quark, &near) : HISTREE_ROOT;
}

histree_quark histree_attributes_next_below(const struct histree_attributes *attributes, histree_quark top,
					    histree_quark quark)
{
	histree_quark next = histree_attributes_first_child(attributes, quark);
	while (next == HISTREE_ROOT && quark != top) {
		next = histree_attributes_next_sibling(attributes, quark);
		quark = histree_attributes_parent(attributes, quark);
	}
	return next;
}

size_t histree_attributes_children(const struct histree_attributes *attributes, histree_quark parent,
				   histree_quark after, histree_quark *children, size_t room)
{
	const struct attribute_source *source = attributes->source;
	struct attribute_range near = { 0 };
	histree_quark child = HISTREE_ROOT;
	size_t count = 0;
	if (known(attributes, after) && source->parent(attributes, after, &near) == parent)
		child = source->next_sibling(attributes, after, &near);
	else if (after == HISTREE_ROOT && (parent == HISTREE_ROOT || known(attributes, parent)))
		child = source->first_child(attributes, parent, &near);
	for (; child != HISTREE_ROOT && count < room; child = source->next_sibling(attributes, child, &near))
		children[count++] = child;
	return count;
}

histree_quark attributes_next(const struct histree_attributes *attributes, histree_quark top, histree_quark quark,
			      struct attribute_range *near)
{
	const struct attribute_source *source = attributes->source;
	histree_quark child = source->first_child(attributes, quark, near);
	if (child != HISTREE_ROOT)
		return child;
	for (; quark != top; quark = source->parent(attributes, quark, near)) {
		histree_quark sibling = source->next_sibling(attributes, quark, near);
		if (sibling != HISTREE_ROOT)
			return sibling;
	}
	return HISTREE_ROOT;
}

/* ---- names and paths ----------------------------------------------------------------------------------- */

size_t histree_attributes_name(const struct histree_attributes *attributes, histree_quark quark, char *buffer,
			       size_t capacity)
{
	struct attribute_range near = { 0 };
	struct attribute_name name = { .text = "" };
	if (known(attributes, quark))
		name = attributes->source->name(attributes, quark, &near);
	char room[ATTRIBUTE_NUMBER_SIZE];
	size_t size;
	const char *text = attribute_name_text(&name, room, &size);
	if (capacity > 0) {
		size_t fits = size < capacity ? size : capacity - 1;
		memcpy(buffer, text, fits);
		buffer[fits] = '\0';
	}
	return size;
}

static bool needs_escape(char character)
{
	return character == '/' || character == '\\';
}

static size_t escaped_size(const char *name, size_t size)
{
	size_t escaped = size;
	for (size_t at = 0; at < size; at++)
		escaped += needs_escape(name[at]);
	return escaped;
}

/* A text that is written from its end to its start, of which only the first `room` bytes are kept. */
struct backward_text {
	char *buffer;
	size_t at, room;
};

static void put_before(struct backward_text *text, char character)
{
	if (--text->at < text->room)
		text->buffer[text->at] = character;
}

static void put_name_before(struct backward_text *text, const char *name, size_t size)
{
	while (size-- > 0) {
		put_before(text, name[size]);
		if (needs_escape(name[size]))
			put_before(text, '\\');
	}
}

size_t histree_attributes_path(const struct histree_attributes *attributes, histree_quark quark, char *buffer,
			       size_t capacity)
{
	const struct attribute_source *source = attributes->source;
	struct attribute_range near = { 0 };
	char room[ATTRIBUTE_NUMBER_SIZE];
	size_t length = 0, size;
	for (histree_quark at = quark; known(attributes, at); at = source->parent(attributes, at, &near)) {
		struct attribute_name name = source->name(attributes, at, &near);
		const char *text = attribute_name_text(&name, room, &size);
		length += escaped_size(text, size) + (at != quark);
	}
	if (capacity == 0)
		return length;

	struct backward_text text = { .buffer = buffer, .at = length, .room = capacity - 1 };
	for (histree_quark at = quark; known(attributes, at); at = source->parent(attributes, at, &near)) {
		struct attribute_name name = source->name(attributes, at, &near);
		const char *component = attribute_name_text(&name, room, &size);
		if (at != quark)
			put_before(&text, '/');
		put_name_before(&text, component, size);
	}
	buffer[length < capacity ? length : capacity - 1] = '\0';
	return length;
}

/* ---- errors ------------------------------------------------------------------------------------------- */

enum histree_status attributes_check(const struct histree_attributes *attributes, histree_quark quark,
				     struct histree_error *error)
{
	if (known(attributes, quark))
		return HISTREE_OK;
	return error_set(error, HISTREE_ERR_QUARK, "no attribute has the quark %u; there are %u", quark,
			 attributes->count);
}

void attributes_prefix(const struct histree_attributes *attributes, histree_quark quark,
		       struct histree_error *error)
{
	char path[160];
	if (error == NULL)
		return;
	size_t length = histree_attributes_path(attributes, quark, path, sizeof(path));
	error_prefix(error, "attribute '%s%s'", path, length < sizeof(path) ? "" : "...");
}
