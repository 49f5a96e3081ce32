/* SPDX-License-Identifier: MIT */
/*
 * flame_view.h - the call stacks of a dataset, added up over a range, as nodes that a picture of a given width can
 * show.
 *
 * A flame graph as rows: a group for each thread, or one for all; in it a row for each depth, and on the row
 * adjacent nodes.  A position on the row is accumulated time, from 0 on in each group; the callees of a node lie
 * within it, the longest first.
 */
#ifndef SERVER_MODEL_FLAME_VIEW_H
#define SERVER_MODEL_FLAME_VIEW_H

#include "histree/time_use.h"
#include "server/catalogue/dataset.h"

struct flame_request {
	histree_time from, to;
	uint32_t pixels;
	bool by_thread;
	struct histree_work work;
};

struct flame_list {
	struct histree_flame *flame;
	const struct histree_flame_node *nodes; /* borrowed from it */
	uint32_t count;
	uint64_t least; /* what took less is too narrow to be shown */
};

bool flame_list_applies(const struct dataset *dataset);

/* Release it also after failure. */
enum histree_status flame_list_make(struct flame_list *list, const struct dataset *dataset,
				    const struct flame_request *request, struct histree_error *error);
void flame_list_release(struct flame_list *list);

struct flame_group {
	uint32_t node;      /* of the list; its name is the group's */
	uint32_t top;       /* depth of the nodes on the first row */
	uint32_t row_count; /* 0: nothing is in it */
	size_t first_row;   /* of all rows of all groups */
};

struct flame_rows {
	struct flame_list list;
	uint64_t *starts; /* of nodes */
	struct flame_group *groups;
	size_t group_count, row_count;
	uint64_t width; /* of the widest group */
};

/* Release it also after failure. */
enum histree_status flame_rows_make(struct flame_rows *rows, const struct dataset *dataset,
				    const struct flame_request *request, struct histree_error *error);
void flame_rows_release(struct flame_rows *rows);

/* Returns the next node on a row of a group from this one on, which it may be; HISTREE_NO_INDEX: no more. */
uint32_t flame_rows_next(const struct flame_rows *rows, const struct flame_group *group, uint32_t row,
			 uint32_t node);

/* Returns the node at a place of a row, HISTREE_NO_INDEX if no node is there. */
uint32_t flame_rows_at(const struct flame_rows *rows, const struct flame_group *group, uint32_t row,
		       uint64_t place);

#endif
