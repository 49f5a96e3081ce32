// SPDX-License-Identifier: MIT
#include "state/attribute_tree.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/error.h"
#include "base/hash.h"
#include "state/attribute_path.h"

enum { SLOTS_MIN = 64 };

static const struct attribute no_attribute = {
	.parent = HISTREE_ROOT,
	.name = INTERN_NONE,
	.first_child = HISTREE_ROOT,
	.last_child = HISTREE_ROOT,
	.next_sibling = HISTREE_ROOT,
};

void attribute_tree_init(struct histree_attributes *tree)
{
	*tree = (struct histree_attributes){ .root = no_attribute };
}

void attribute_tree_release(struct histree_attributes *tree)
{
	intern_release(&tree->names);
	free(tree->attributes);
	free(tree->slots);
	attribute_tree_init(tree);
}

/* ---- looking up ---------------------------------------------------------------------------------- */

static bool known(const struct histree_attributes *tree, histree_quark quark)
{
	return quark < tree->count;
}

static const struct attribute *attribute_of(const struct histree_attributes *tree, histree_quark quark)
{
	if (quark == HISTREE_ROOT)
		return &tree->root;
	return known(tree, quark) ? &tree->attributes[quark] : &no_attribute;
}

/* The slot that holds the child of that name, or the free slot where it belongs. */
static uint32_t slot_of(const struct histree_attributes *tree, histree_quark parent, uint32_t name)
{
	uint32_t slot = (uint32_t)hash_mix((uint64_t)parent << 32 | name) & tree->slot_mask;
	for (;; slot = (slot + 1) & tree->slot_mask) {
		uint32_t entry = tree->slots[slot];
		if (entry == 0)
			return slot;
		const struct attribute *attribute = &tree->attributes[entry - 1];
		if (attribute->parent == parent && attribute->name == name)
			return slot;
	}
}

enum histree_status histree_attributes_child(const struct histree_attributes *tree, histree_quark parent,
					     const char *name, size_t name_size, histree_quark *out)
{
	*out = HISTREE_ROOT;
	if (parent != HISTREE_ROOT && !known(tree, parent))
		return HISTREE_ERR_QUARK;
	if (tree->count == 0)
		return HISTREE_NOT_FOUND;
	uint32_t id = intern_find(&tree->names, name, name_size);
	if (id == INTERN_NONE)
		return HISTREE_NOT_FOUND;
	uint32_t entry = tree->slots[slot_of(tree, parent, id)];
	if (entry == 0)
		return HISTREE_NOT_FOUND;
	*out = entry - 1;
	return HISTREE_OK;
}

/* Apart, so that the look-up of a plain name has no room on its stack. */
static __attribute__((noinline)) enum histree_status escaped_child(const struct histree_attributes *tree,
								   histree_quark parent,
								   const struct path_component *component,
								   histree_quark *out)
{
	char room[ATTRIBUTE_NAME_SIZE_MAX];
	const char *name;
	size_t size;
	if (!path_component_name(component, room, &name, &size))
		return HISTREE_ERR_ARGUMENT;
	return histree_attributes_child(tree, parent, name, size, out);
}

enum histree_status histree_attributes_find(const struct histree_attributes *tree, histree_quark from,
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
			status = escaped_child(tree, quark, &component, &quark);
		else
			status = histree_attributes_child(tree, quark, component.text, component.size, &quark);
		if (status != HISTREE_OK)
			return status;
	}
	*out = quark;
	return HISTREE_OK;
}

/* ---- growing --------------------------------------------------------------------------------------- */

static bool grow_slots(struct histree_attributes *tree, size_t needed)
{
	size_t count = tree->slots == NULL ? SLOTS_MIN : (size_t)tree->slot_mask + 1;
	while (needed > count / 4 * 3) /* at most three quarters full */
		count *= 2;
	if (tree->slots != NULL && count == (size_t)tree->slot_mask + 1)
		return true;
	uint32_t *slots = calloc(count, sizeof(*slots));
	if (slots == NULL)
		return false;
	free(tree->slots);
	tree->slots = slots;
	tree->slot_mask = (uint32_t)(count - 1);
	for (histree_quark quark = 0; quark < tree->count; quark++) {
		const struct attribute *attribute = &tree->attributes[quark];
		slots[slot_of(tree, attribute->parent, attribute->name)] = quark + 1;
	}
	return true;
}

enum histree_status attribute_tree_reserve(struct histree_attributes *tree, size_t more,
					   struct histree_error *error)
{
	if (more > ATTRIBUTE_COUNT_MAX - tree->count)
		return error_set(error, HISTREE_ERR_TOO_LARGE, "a history has %d attributes at most",
				 ATTRIBUTE_COUNT_MAX);
	size_t needed = tree->count + more;
	if (!array_reserve(&tree->attributes, &tree->capacity, needed) || !grow_slots(tree, needed))
		return error_memory(error, "the attribute tree");
	return HISTREE_OK;
}

bool attribute_tree_append(struct histree_attributes *tree, histree_quark parent, uint32_t name, histree_quark *out)
{
	uint32_t slot = slot_of(tree, parent, name);
	if (tree->slots[slot] != 0) {
		*out = tree->slots[slot] - 1;
		return false;
	}
	histree_quark quark = tree->count++;
	tree->slots[slot] = quark + 1;
	tree->attributes[quark] = no_attribute;
	tree->attributes[quark].parent = parent;
	tree->attributes[quark].name = name;

	struct attribute *above = parent == HISTREE_ROOT ? &tree->root : &tree->attributes[parent];
	if (above->last_child == HISTREE_ROOT)
		above->first_child = quark;
	else
		tree->attributes[above->last_child].next_sibling = quark;
	above->last_child = quark;
	*out = quark;
	return true;
}

static enum histree_status check_parent(const struct histree_attributes *tree, histree_quark parent,
					struct histree_error *error)
{
	return parent == HISTREE_ROOT ? HISTREE_OK : attribute_tree_check(tree, parent, error);
}

enum histree_status attribute_tree_add(struct histree_attributes *tree, histree_quark parent, const char *name,
				       size_t name_size, histree_quark *out, struct histree_error *error)
{
	*out = HISTREE_ROOT;
	enum histree_status status = check_parent(tree, parent, error);
	if (status != HISTREE_OK)
		return status;
	if (name_size == 0 || name_size > ATTRIBUTE_NAME_SIZE_MAX)
		return error_set(error, HISTREE_ERR_ARGUMENT, "a name of %zu bytes; an attribute's has 1 to %d",
				 name_size, ATTRIBUTE_NAME_SIZE_MAX);
	status = attribute_tree_reserve(tree, 1, error);
	if (status != HISTREE_OK)
		return status;
	uint32_t id = intern_add(&tree->names, name, name_size);
	if (id == INTERN_NONE)
		return error_memory(error, "the name of an attribute");
	attribute_tree_append(tree, parent, id, out);
	return HISTREE_OK;
}

enum histree_status attribute_tree_add_path(struct histree_attributes *tree, histree_quark from, const char *path,
					    histree_quark *out, struct histree_error *error)
{
	char room[ATTRIBUTE_NAME_SIZE_MAX];
	struct path_component component;
	const char *name;
	size_t size, component_count;

	*out = HISTREE_ROOT;
	enum histree_status status = check_parent(tree, from, error);
	if (status == HISTREE_OK)
		status = path_check(path, &component_count, error);
	if (status == HISTREE_OK)
		status = attribute_tree_reserve(tree, component_count, error);
	if (status != HISTREE_OK)
		return status;

	/* All that can fail comes before the first attribute of the path is made. */
	for (const char *rest = path; path_cut(&rest, &component);)
		if (!path_component_name(&component, room, &name, &size) ||
		    intern_add(&tree->names, name, size) == INTERN_NONE)
			return error_memory(error, "the name of an attribute");

	histree_quark quark = from;
	for (const char *rest = path; path_cut(&rest, &component);)
		if (path_component_name(&component, room, &name, &size))
			attribute_tree_append(tree, quark, intern_find(&tree->names, name, size), &quark);
	*out = quark;
	return HISTREE_OK;
}

/* ---- reading ---------------------------------------------------------------------------------------- */

uint32_t histree_attributes_count(const struct histree_attributes *tree)
{
	return tree->count;
}

histree_quark histree_attributes_parent(const struct histree_attributes *tree, histree_quark quark)
{
	return attribute_of(tree, quark)->parent;
}

histree_quark histree_attributes_first_child(const struct histree_attributes *tree, histree_quark parent)
{
	return attribute_of(tree, parent)->first_child;
}

histree_quark histree_attributes_next_sibling(const struct histree_attributes *tree, histree_quark quark)
{
	return attribute_of(tree, quark)->next_sibling;
}

const char *histree_attributes_name(const struct histree_attributes *tree, histree_quark quark, size_t *size)
{
	if (!known(tree, quark)) {
		*size = 0;
		return "";
	}
	return intern_get(&tree->names, tree->attributes[quark].name, size);
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

size_t histree_attributes_path(const struct histree_attributes *tree, histree_quark quark, char *buffer,
			       size_t capacity)
{
	size_t length = 0;
	for (histree_quark at = quark; known(tree, at); at = tree->attributes[at].parent) {
		size_t size;
		const char *name = histree_attributes_name(tree, at, &size);
		length += escaped_size(name, size) + (at != quark);
	}
	if (capacity == 0)
		return length;

	struct backward_text text = { .buffer = buffer, .at = length, .room = capacity - 1 };
	for (histree_quark at = quark; known(tree, at); at = tree->attributes[at].parent) {
		size_t size;
		const char *name = histree_attributes_name(tree, at, &size);
		if (at != quark)
			put_before(&text, '/');
		while (size-- > 0) {
			put_before(&text, name[size]);
			if (needs_escape(name[size]))
				put_before(&text, '\\');
		}
	}
	buffer[length < capacity ? length : capacity - 1] = '\0';
	return length;
}

histree_quark attribute_tree_next(const struct histree_attributes *tree, histree_quark top, histree_quark quark)
{
	const struct attribute *attribute = attribute_of(tree, quark);
	if (attribute->first_child != HISTREE_ROOT)
		return attribute->first_child;
	for (; quark != top; quark = attribute->parent) {
		attribute = attribute_of(tree, quark);
		if (attribute->next_sibling != HISTREE_ROOT)
			return attribute->next_sibling;
	}
	return HISTREE_ROOT;
}

/* ---- errors ------------------------------------------------------------------------------------------- */

enum histree_status attribute_tree_check(const struct histree_attributes *tree, histree_quark quark,
					 struct histree_error *error)
{
	if (known(tree, quark))
		return HISTREE_OK;
	return error_set(error, HISTREE_ERR_QUARK, "no attribute has the quark %u; there are %u", quark,
			 tree->count);
}

void attribute_tree_prefix(const struct histree_attributes *tree, histree_quark quark, struct histree_error *error)
{
	char path[160];
	if (error == NULL)
		return;
	size_t length = histree_attributes_path(tree, quark, path, sizeof(path));
	error_prefix(error, "attribute '%s%s'", path, length < sizeof(path) ? "" : "...");
}
