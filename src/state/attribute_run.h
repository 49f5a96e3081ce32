/* SPDX-License-Identifier: MIT */
/*
 * attribute_run.h - attributes that follow one another in the order of their creation and are alike
 * (docs/design/0003-names.md).
 *
 * A *group* is an attribute, its head, and those after it that were created below it: a thread and what is known
 * of it.  Its *shape* is the place of each member in it and its name.  A *run* is groups of one shape whose heads
 * have one parent and names that count up: a thousand threads, one row.
 */
#ifndef STATE_ATTRIBUTE_RUN_H
#define STATE_ATTRIBUTE_RUN_H

#include <stdbool.h>

#include "base/bytes.h"
#include "histree/value.h"

enum { GROUP_SIZE_MAX = 32 }; /* a look at each member must cost little */

/* A zeroed one is no run. */
struct attribute_run {
	uint32_t number;
	histree_quark first;  /* the head of the first group */
	histree_quark parent; /* of all heads */
	uint32_t count;       /* attributes: all groups; 0: none */
	uint32_t size;        /* of a group */
	uint32_t name;        /* of the first head: 2 x number, or 2 x place in the list of texts + 1 */
	uint32_t next;        /* from the last head to the next child of the parent; 0: there is none */
	bool late;            /* some attribute here has children that came after its group: heads of other runs */
	struct byte_reader members;
};

/*
 * A shape is a varint, how many members there are after the head, and for each of them two: the number of its
 * parent in the group, 0 being the head; and its name less the name of the member before it (of the first: less 0)
 * and 2, zigzag: texts that are new follow one another.
 */
struct group_member {
	uint32_t number; /* in the group, from 1 */
	uint32_t parent; /* a number below it */
	uint32_t name;   /* as above */
};

/* From a zeroed member on, with a copy of the run's reader; false after the last, or where bytes make no sense. */
bool group_member_next(struct byte_reader *members, uint32_t group_size, struct group_member *member);

#endif
