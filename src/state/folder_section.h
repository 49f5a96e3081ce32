/* SPDX-License-Identifier: MIT */
/*
 * folder_section.h - section FOLD: the attributes that are folders.
 *
 * Varints: how many there are; the first; of each other its distance from the one before.  A history without
 * folders has no such section.
 */
#ifndef STATE_FOLDER_SECTION_H
#define STATE_FOLDER_SECTION_H

#include "histree/value.h"
#include "store/block_file.h"

struct attribute_tree;

/* Ascending.  A zeroed one is empty. */
struct folder_list {
	histree_quark *quarks;
	size_t count;
};

/* The folders of a tree. */
enum histree_status folder_list_of(const struct attribute_tree *tree, struct folder_list *out,
				   struct histree_error *error);

bool folder_list_has(const struct folder_list *folders, histree_quark quark);
void folder_list_release(struct folder_list *folders);

/* Write the section, if there are folders. */
enum histree_status folder_section_save(const struct folder_list *folders, struct block_file *file,
					struct histree_error *error);

/* Read it; without one there are no folders.  They are below `count`, or it fails with HISTREE_ERR_FORMAT. */
enum histree_status folder_section_load(const struct block_file *file, uint32_t count, struct folder_list *out,
					struct histree_error *error);

/* Read them from the bytes of a section. */
enum histree_status folder_section_decode(const uint8_t *bytes, size_t size, uint32_t count,
					  struct folder_list *out, struct histree_error *error);

#endif
