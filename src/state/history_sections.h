/* SPDX-License-Identifier: MIT */
/*
 * history_sections.h - small sections of a history, which say what made it and which attributes are folders; and
 * how the sections are written and read in which it says what its states mean.
 *
 * Of the latter, writing and reading never fail by themselves: once something is wrong the rest does nothing, and
 * who writes or reads asks at the end.
 *
 * PROV: which analysis made it.
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

#include "base/arena.h"
#include "base/bytes.h"
#include "histree/status.h"
#include "histree/value.h"
#include "store/block_file.h"

/* A zeroed one is empty; `bytes` are malloc'd. */
struct told_writer {
	uint8_t *bytes;
	size_t size, capacity;
	bool failed; /* memory is out */
};

void told_put_number(struct told_writer *out, uint64_t number);
void told_put_bytes(struct told_writer *out, const void *bytes, size_t size);
void told_put_text(struct told_writer *out, const char *text);

struct told_reader {
	struct byte_reader reader;
	struct arena *memory; /* of texts and arrays */
	bool no_memory;
};

static inline bool told_is_sound(const struct told_reader *reading)
{
	return !reading->reader.failed && !reading->no_memory;
}

/* Returns "" once something was wrong, as with a text that is longer than `most` or has a zero. */
const char *told_take_text(struct told_reader *reading, size_t most);

/* A number of things that have `size` bytes each at least; 0 if something is wrong. */
size_t told_take_count(struct told_reader *reading, size_t size, size_t max);

/* Room for one more than `count`; NULL if memory is out. */
void *told_take_room(struct told_reader *reading, size_t count, size_t size);
uint8_t told_take_byte(struct told_reader *reading, uint8_t max);

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
