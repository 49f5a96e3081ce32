/* SPDX-License-Identifier: MIT */
/*
 * attribute_section.h - the names of attributes as bytes: the section ATTR of a history file
 * (docs/design/0003-names.md).  attribute_view.h reads it where it lies.
 *
 *	texts	the names that are no numbers, each once: text_list.h
 *	runs	the attributes, by quark: run_table.h, attribute_run.h
 *	shapes	of the groups of the runs: a text_list
 *	order	the numbers of the runs, as bits: by parent; of one parent the oldest, then the others by name
 *	footer	how many attributes, texts, shapes and runs there are (4 bytes each); the sizes of the blocks of
 *		texts, shapes and runs (8 bytes each)
 *
 * A group ends before an attribute whose parent is not in it, or is the head while the name is a number; and with
 * its 32nd.
 * histree-format(5) says the same to the world.
 */
#ifndef STATE_ATTRIBUTE_SECTION_H
#define STATE_ATTRIBUTE_SECTION_H

#include "state/attribute_tree.h"
#include "state/section_writer.h"

enum { ATTRIBUTE_FOOTER_SIZE = 4 * 4 + 3 * 8 };

enum histree_status attribute_section_save(const struct attribute_tree *tree, const struct section_sink *sink,
					   struct histree_error *error);

#endif
