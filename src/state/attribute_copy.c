// SPDX-License-Identifier: MIT
#include "state/attribute_copy.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/table.h"
#include "base/error.h"
#include "state/attributes.h"
#include "state/attribute_section.h"

static enum histree_status copy_attribute(const struct histree_attributes *attributes, histree_quark quark,
					  struct attribute_tree *tree, struct histree_error *error)
{
	char name[ATTRIBUTE_NAME_SIZE_MAX + 1];
	size_t size = histree_attributes_name(attributes, quark, name, sizeof(name));
	histree_quark made;
	enum histree_status status = attribute_tree_add(tree, histree_attributes_parent(attributes, quark), name,
							size < sizeof(name) ? size : 0, &made, error);
	if (status == HISTREE_OK && made == quark) {
		if (histree_attributes_is_folder(attributes, quark))
			attribute_tree_make_folder(tree, quark);
		return HISTREE_OK;
	}
	if (status == HISTREE_ERR_MEMORY)
		return status;
	return error_set(error, HISTREE_ERR_FORMAT, "attribute %" PRIu32 " has no name of its own", quark);
}

enum histree_status attribute_copy_to_tree(const struct histree_attributes *attributes, struct attribute_tree *tree,
					   struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	attribute_tree_init(tree);
	for (histree_quark quark = 0; quark < attributes->count && status == HISTREE_OK; quark++)
		status = copy_attribute(attributes, quark, tree, error);
	if (status != HISTREE_OK) {
		attribute_tree_release(tree);
		attribute_tree_init(tree);
	}
	return status;
}

struct section_bytes {
	uint8_t *bytes;
	size_t size, capacity;
};

static enum histree_status gather(void *context, const void *bytes, size_t size, struct histree_error *error)
{
	struct section_bytes *section = context;
	if (!array_reserve(&section->bytes, &section->capacity, section->size + size))
		return error_memory(error, "the names of attributes");
	memcpy(section->bytes + section->size, bytes, size);
	section->size += size;
	return HISTREE_OK;
}

enum histree_status attribute_copy_to_view(const struct attribute_tree *tree, struct attribute_view *view,
					   struct histree_error *error)
{
	struct section_bytes section = { 0 };
	const struct section_sink sink = { .write = gather, .context = &section };
	attribute_view_init(view);
	enum histree_status status = attribute_section_save(tree, &sink, error);
	if (status == HISTREE_OK)
		return attribute_view_open(view, section.bytes, section.size, error);
	free(section.bytes);
	return status;
}
