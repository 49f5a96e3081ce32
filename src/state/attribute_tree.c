// SPDX-License-Identifier: MIT
/*
 * attribute_tree.c - the attribute tree as it grows: attributes are never removed, quarks are dense and in the
 * order of creation, and a hash index finds a child by parent and name.
 */
#include "state/attribute_tree.h"

#include <assert.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/hash_index.h"
#include "state/attributes.h"

static_assert(HISTREE_ROOT == HASH_INDEX_NONE, "what the index does not find is no attribute");

/* So many children are found by going through them: they are near one another in memory, as a rule. */
enum { FAMILY_MAX = 8, ATTRIBUTES_PER_LOOK = 2048 };

static const struct attribute no_attribute = {
	.parent = HISTREE_ROOT,
	.name = INTERN_NONE,
	.first_child = HISTREE_ROOT,
	.next_sibling = HISTREE_ROOT,
};

/* ---- reading --------------------------------------------------------------------------------------- */

static const struct attribute_tree *tree_of(const struct histree_attributes *attributes)
{
	return (const struct attribute_tree *)attributes;
}

static histree_quark tree_parent(const struct histree_attributes *attributes, histree_quark quark,
				 struct attribute_range *near)
{
	(void)near;
	return tree_of(attributes)->attributes[quark].parent;
}

struct attribute_name attribute_tree_name(const struct attribute_tree *tree, histree_quark quark)
{
	assert(quark < tree->base.count);
	uint32_t name = tree->attributes[quark].name;
	if ((name & ATTRIBUTE_IS_NUMBER) != 0)
		return attribute_name_number(name - ATTRIBUTE_IS_NUMBER);
	struct attribute_name text;
	text.text = intern_get(&tree->texts, name, &text.size);
	text.number = 0;
	return text;
}

static struct attribute_name tree_name(const struct histree_attributes *attributes, histree_quark quark,
				       struct attribute_range *near)
{
	(void)near;
	return attribute_tree_name(tree_of(attributes), quark);
}

static histree_quark tree_first_child(const struct histree_attributes *attributes, histree_quark parent,
				      struct attribute_range *near)
{
	(void)near;
	const struct attribute_tree *tree = tree_of(attributes);
	return parent == HISTREE_ROOT ? tree->root.first_child : tree->attributes[parent].first_child;
}

static histree_quark tree_next_sibling(const struct histree_attributes *attributes, histree_quark quark,
				       struct attribute_range *near)
{
	(void)near;
	return tree_of(attributes)->attributes[quark].next_sibling;
}

struct child_key {
	histree_quark parent;
	uint32_t name;
};

static bool is_child(const void *attributes, uint32_t quark, const void *key)
{
	const struct attribute *attribute = (const struct attribute *)attributes + quark;
	const struct child_key *child = key;
	return attribute->parent == child->parent && attribute->name == child->name;
}

static uint64_t hash_of_child(histree_quark parent, uint32_t name)
{
	return hash_mix((uint64_t)parent << 32 | name);
}

static uint64_t hash_of_attribute(const void *attributes, uint32_t quark)
{
	const struct attribute *attribute = (const struct attribute *)attributes + quark;
	return hash_of_child(attribute->parent, attribute->name);
}

static histree_quark find_indexed(const struct attribute_tree *tree, histree_quark parent, uint32_t name)
{
	uint64_t hash = hash_of_child(parent, name);
	return hash_index_find(&tree->children, hash, is_child, tree->attributes,
			       &(struct child_key){ parent, name });
}

/* Returns the child with that name, or HISTREE_ROOT. */
static histree_quark find_child(const struct attribute_tree *tree, histree_quark parent, uint32_t name)
{
	const struct attribute *above = parent == HISTREE_ROOT ? &tree->root : &tree->attributes[parent];
	if (above->is_indexed)
		return find_indexed(tree, parent, name);
	histree_quark child = above->first_child;
	while (child != HISTREE_ROOT && tree->attributes[child].name != name)
		child = tree->attributes[child].next_sibling;
	return child;
}

static uint32_t find_name(const struct attribute_tree *tree, const struct attribute_name *name)
{
	return name->text == NULL ? name->number | ATTRIBUTE_IS_NUMBER
				  : intern_find(&tree->texts, name->text, name->size);
}

static histree_quark tree_child(const struct histree_attributes *attributes, histree_quark parent,
				const struct attribute_name *name, struct attribute_near *near)
{
	(void)near;
	const struct attribute_tree *tree = tree_of(attributes);
	uint32_t known_name = find_name(tree, name);
	return known_name == INTERN_NONE ? HISTREE_ROOT : find_child(tree, parent, known_name);
}

static bool tree_is_folder(const struct histree_attributes *attributes, histree_quark quark)
{
	return tree_of(attributes)->attributes[quark].is_folder;
}

static const struct attribute_source tree_source = {
	.parent = tree_parent,
	.name = tree_name,
	.first_child = tree_first_child,
	.next_sibling = tree_next_sibling,
	.child = tree_child,
	.is_folder = tree_is_folder,
};

void attribute_tree_make_folder(struct attribute_tree *tree, histree_quark quark)
{
	assert(quark < tree->base.count);
	tree->attributes[quark].is_folder = true;
}

void attribute_tree_init(struct attribute_tree *tree)
{
	*tree = (struct attribute_tree){ .base.source = &tree_source, .root = no_attribute };
}

void attribute_tree_use_space(struct attribute_tree *tree, struct table_space *space)
{
	tree->table.space = tree->children.table.space = space;
	intern_use_space(&tree->texts, space);
}

void attribute_tree_release(struct attribute_tree *tree)
{
	intern_release(&tree->texts);
	table_release(&tree->table, tree->attributes);
	hash_index_release(&tree->children);
	attribute_tree_init(tree);
}

/* ---- growing --------------------------------------------------------------------------------------- */

/* Room for `more` attributes. */
static enum histree_status reserve(struct attribute_tree *tree, size_t more, struct histree_error *error)
{
	if (more > ATTRIBUTE_COUNT_MAX - tree->base.count)
		return error_set(error, HISTREE_ERR_TOO_LARGE, "a history has %d attributes at most",
				 ATTRIBUTE_COUNT_MAX);
	/* Each of them may be the one that makes a family large. */
	size_t indexed = tree->children.count + more * (FAMILY_MAX + 1);
	if (!table_reserve(&tree->table, &tree->attributes, &tree->capacity, tree->base.count + more) ||
	    !hash_index_reserve(&tree->children, indexed, hash_of_attribute, tree->attributes))
		return error_memory(error, "the attribute tree");
	return HISTREE_OK;
}

static void index_attribute(struct attribute_tree *tree, histree_quark quark)
{
	hash_index_add(&tree->children, hash_of_attribute(tree->attributes, quark), quark);
}

/* ---- families that are counted ----------------------------------------------------------------------- */

/* Returns NULL if the children of `parent` are not counted. */
static struct counted_family *counted_family(struct attribute_tree *tree, histree_quark parent)
{
	for (unsigned i = 0; i < tree->counted_count; i++)
		if (tree->counted[i].parent == parent)
			return &tree->counted[i];
	return NULL;
}

static inline void count_child(struct counted_family *family, uint32_t name)
{
	if ((name & ATTRIBUTE_IS_NUMBER) != 0 && name > family->greatest)
		family->greatest = name;
}

static void count_children(struct attribute_tree *tree, histree_quark parent, histree_quark first)
{
	if (tree->counted_count == COUNTED_FAMILIES)
		return;
	struct counted_family *family = &tree->counted[tree->counted_count++];
	*family = (struct counted_family){ .parent = parent };
	for (histree_quark child = first; child != HISTREE_ROOT; child = tree->attributes[child].next_sibling)
		count_child(family, tree->attributes[child].name);
}

/* ------------------------------------------------------------------------------------------------------- */

/* A child was added to a family that is not in the index. */
static void index_if_many(struct attribute_tree *tree, histree_quark parent, struct attribute *above)
{
	unsigned count = 0;
	for (histree_quark child = above->first_child; child != HISTREE_ROOT;
	     child = tree->attributes[child].next_sibling)
		count++;
	if (count <= FAMILY_MAX)
		return;
	assert(!above->is_indexed && above->first_child != HISTREE_ROOT);
	above->is_indexed = true;
	count_children(tree, parent, above->first_child);
	for (histree_quark child = above->first_child; child != HISTREE_ROOT;
	     child = tree->attributes[child].next_sibling)
		index_attribute(tree, child);
}

/* The attribute with that name; if it is new, its room was reserved. */
static histree_quark find_or_append(struct attribute_tree *tree, histree_quark parent, uint32_t name)
{
	assert(parent == HISTREE_ROOT || parent < tree->base.count);
	assert(name != INTERN_NONE);
	struct counted_family *family = counted_family(tree, parent);
	bool is_beyond = family != NULL && (name & ATTRIBUTE_IS_NUMBER) != 0 && name > family->greatest;
	histree_quark known = is_beyond ? HISTREE_ROOT : find_child(tree, parent, name);
	if (known != HISTREE_ROOT)
		return known;
	if (family != NULL)
		count_child(family, name);
	assert(tree->base.count < tree->capacity); /* a caller reserved it */
	histree_quark quark = tree->base.count++;
	tree->attributes[quark] = no_attribute;
	tree->attributes[quark].parent = parent;
	tree->attributes[quark].name = name;

	struct attribute *above = parent == HISTREE_ROOT ? &tree->root : &tree->attributes[parent];
	if (above->first_child == HISTREE_ROOT)
		above->first_child = quark;
	else
		tree->attributes[above->last_child].next_sibling = quark;
	above->last_child = quark & (ATTRIBUTE_COUNT_MAX - 1); /* which it is below */
	if (above->is_indexed)
		index_attribute(tree, quark);
	else
		index_if_many(tree, parent, above);
	if (quark % ATTRIBUTES_PER_LOOK == 0)
		table_space_look(tree->table.space);
	return quark;
}

/* INTERN_NONE when memory is out. */
static uint32_t add_name(struct attribute_tree *tree, const struct attribute_name *name)
{
	return name->text == NULL ? name->number | ATTRIBUTE_IS_NUMBER
				  : intern_add(&tree->texts, name->text, name->size);
}

static enum histree_status check_parent(const struct attribute_tree *tree, histree_quark parent,
					struct histree_error *error)
{
	return parent == HISTREE_ROOT ? HISTREE_OK : attributes_check(&tree->base, parent, error);
}

enum histree_status attribute_tree_add(struct attribute_tree *tree, histree_quark parent, const char *name,
				       size_t name_size, histree_quark *out, struct histree_error *error)
{
	*out = HISTREE_ROOT;
	enum histree_status status = check_parent(tree, parent, error);
	if (status != HISTREE_OK)
		return status;
	if (name_size == 0 || name_size > ATTRIBUTE_NAME_SIZE_MAX)
		return error_set(error, HISTREE_ERR_ARGUMENT, "a name of %zu bytes; an attribute's has 1 to %d",
				 name_size, ATTRIBUTE_NAME_SIZE_MAX);
	status = reserve(tree, 1, error);
	if (status != HISTREE_OK)
		return status;
	struct attribute_name wanted = attribute_name(name, name_size);
	uint32_t added = add_name(tree, &wanted);
	if (added == INTERN_NONE)
		return error_memory(error, "the name of an attribute");
	*out = find_or_append(tree, parent, added);
	return HISTREE_OK;
}

enum histree_status attribute_tree_add_path(struct attribute_tree *tree, histree_quark from, const char *path,
					    histree_quark *out, struct histree_error *error)
{
	char room[ATTRIBUTE_NAME_SIZE_MAX];
	struct path_component component;
	const char *text;
	size_t size, component_count;

	*out = HISTREE_ROOT;
	enum histree_status status = check_parent(tree, from, error);
	if (status == HISTREE_OK)
		status = path_check(path, &component_count, error);
	if (status == HISTREE_OK)
		status = reserve(tree, component_count, error);
	if (status != HISTREE_OK)
		return status;

	/* All that can fail comes before the first attribute of the path is made. */
	for (const char *rest = path; path_cut(&rest, &component);) {
		bool understood = path_component_name(&component, room, &text, &size);
		struct attribute_name name = attribute_name(text, size);
		if (!understood || add_name(tree, &name) == INTERN_NONE)
			return error_memory(error, "the name of an attribute");
	}
	histree_quark quark = from;
	for (const char *rest = path; path_cut(&rest, &component);)
		if (path_component_name(&component, room, &text, &size)) {
			struct attribute_name name = attribute_name(text, size);
			quark = find_or_append(tree, quark, find_name(tree, &name));
		}
	*out = quark;
	return HISTREE_OK;
}
