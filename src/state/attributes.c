// SPDX-License-Identifier: MIT
/*
 * attributes.c - the public functions of attributes.h, on the table of functions of whichever source has the
 * attributes: a growing tree, a section, or a union of hosts.
 */
#include "state/attributes.h"

#include <string.h>

#include "base/error.h"
#include "state/attribute_path.h"

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
