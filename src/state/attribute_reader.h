/* SPDX-License-Identifier: MIT */
/*
 * attribute_reader.h - the parts of the section ATTR, read where they lie (attribute_format.h).
 */
#ifndef STATE_ATTRIBUTE_READER_H
#define STATE_ATTRIBUTE_READER_H

#include <stdbool.h>

#include "base/block_directory.h"
#include "base/bytes.h"
#include "histree/value.h"
#include "state/attribute_format.h"

/* ---- texts ------------------------------------------------------------------------------------------- */

struct text_list {
	struct block_directory blocks;
	uint32_t count;
};

struct text_list text_list_read(struct byte_reader *reader, uint64_t size, uint32_t count);

/* Returns the bytes of a text; the reader has failed if there is no such number, or if it makes no sense. */
struct byte_reader text_list_get(const struct text_list *list, uint64_t number);

/* ---- ranges ------------------------------------------------------------------------------------------ */

struct range_table {
	struct block_directory blocks;
	uint32_t count;
};

struct range_table range_table_read(struct byte_reader *reader, uint64_t size, uint32_t count);

/* Returns whether the first row begins with quark 0, and each with a greater one than the row before it. */
bool range_table_ascends(const struct range_table *table);

/*
 * Get a row.  `after` is the first quark of the next row, UINT32_MAX for the last.  Returns false if there is no
 * such row, or if one makes no sense.
 */
bool range_table_get(const struct range_table *table, uint32_t number, struct range_row *row, uint32_t *after);

/* Returns the number of the last row that does not begin after `quark`, or `count` if there is none. */
uint32_t range_table_find(const struct range_table *table, uint32_t quark);

/* ---- groups ------------------------------------------------------------------------------------------ */

/* A zeroed one is no range. */
struct attribute_range {
	uint32_t number;
	histree_quark first;  /* the leader of the first group */
	histree_quark parent; /* of all leaders */
	uint32_t count;       /* attributes in all groups; 0: none */
	uint32_t size;        /* of a group */
	uint32_t name;        /* of the first leader */
	uint32_t next;        /* from the last leader to the next child of the parent; 0: there is none */
	bool late;            /* an attribute in it has children that came after its group */
	uint32_t host;        /* of a history of several hosts: whose it is, + 1 */
	struct byte_reader members;
};

struct group_member {
	uint32_t number; /* its position in the group, from 1 */
	uint32_t parent; /* a position below it */
	uint32_t name;
};

/*
 * Get the next member: from a zeroed member on, with a copy of the range's reader.  Returns false after the last,
 * or where bytes make no sense.
 */
bool group_member_next(struct byte_reader *members, uint32_t group_size, struct group_member *member);

#endif
