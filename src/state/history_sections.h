/* SPDX-License-Identifier: MIT */
/*
 * history_sections.h - small sections of a history: its analysis, and which attributes are folders.
 *
 * PROV: the analysis that made it.
 *
 * 	le32	version
 * 	bytes	name, 0 to 63 of them, none of them zero
 *
 * FOLD: which attributes are folders.
 *
 * Varints: how many there are; the first; of each other its distance from the one before.  A history without
 * folders has no such section.
 */
#ifndef STATE_HISTORY_SECTIONS_H
#define STATE_HISTORY_SECTIONS_H

#include <stddef.h>
#include <stdint.h>

#include "histree/status.h"
#include "histree/value.h"
#include "store/block_file.h"

enum { PROVIDER_NAME_ROOM = 64, PROVIDER_SECTION_SIZE_MAX = 4 + PROVIDER_NAME_ROOM - 1 };

struct provider {
	char name[PROVIDER_NAME_ROOM]; /* terminated */
	uint32_t version;
};

/* `name` NULL means no name.  Returns HISTREE_ERR_ARGUMENT if it is too long. */
enum histree_status provider_init(struct provider *provider, const char *name, uint32_t version,
				  struct histree_error *error);

/* Returns how many of the bytes it fills. */
size_t provider_section_save(const struct provider *provider, uint8_t bytes[PROVIDER_SECTION_SIZE_MAX]);
enum histree_status provider_section_load(struct provider *provider, const uint8_t *bytes, size_t size,
					  struct histree_error *error);

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
