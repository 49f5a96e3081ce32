/* SPDX-License-Identifier: MIT */
/*
 * attribute_section.h - the attribute tree as bytes: the section ATTR of a history file.
 *
 *	varint	number of attributes
 *	varint	number of names
 *	names, each once:
 *		varint	size, 1 to 65535
 *		bytes
 *	attributes by quark:
 *		varint	0: a top-level attribute; else its quark - that of its parent
 *		varint	0: the name behind the last one that was new; else 1 + the number of its name
 *
 * A new name is the one behind the greatest that was used before.  Parents come before their children, and
 * no parent has two children of one name.  Most attributes take 2 to 4 bytes beside their name.
 * histree-format(5) says the same to the world.
 */
#ifndef STATE_ATTRIBUTE_SECTION_H
#define STATE_ATTRIBUTE_SECTION_H

#include <stddef.h>
#include <stdint.h>

#include "state/attribute_tree.h"

/* Where the bytes go, in pieces. */
struct section_sink {
	enum histree_status (*write)(void *context, const void *bytes, size_t size, struct histree_error *error);
	void *context;
};

enum histree_status attribute_section_save(const struct histree_attributes *tree, const struct section_sink *sink,
					   struct histree_error *error);

/* Fill an empty tree, which stays empty on failure.  HISTREE_ERR_FORMAT says what is wrong with the bytes. */
enum histree_status attribute_section_load(struct histree_attributes *tree, const uint8_t *bytes, size_t size,
					   struct histree_error *error);

#endif
