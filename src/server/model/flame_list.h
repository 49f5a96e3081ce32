/* SPDX-License-Identifier: MIT */
/*
 * flame_list.h - call stacks of a dataset, added up over a range, as nodes that a picture of so many pixels can
 * show.
 */
#ifndef SERVER_MODEL_FLAME_LIST_H
#define SERVER_MODEL_FLAME_LIST_H

#include "histree/flame.h"
#include "server/catalogue/dataset.h"

struct flame_request {
	histree_time from, to;
	uint32_t pixels;
	bool by_thread;
	struct histree_cancel cancel;
};

struct flame_list {
	struct histree_flame *flame;
	const struct histree_flame_node *nodes; /* borrowed from it */
	uint32_t count;
	uint64_t least; /* what took less is too narrow to be shown */
};

/* The history with call stacks, of `ust-calls` or `tracks`; NULL: there is none, and graphs are of samples. */
struct histree_history *flame_list_history(const struct dataset *dataset);
bool flame_list_applies(const struct dataset *dataset);

/* Release it also after failure. */
enum histree_status flame_list_make(struct flame_list *list, const struct dataset *dataset,
				    const struct flame_request *request, struct histree_error *error);
void flame_list_release(struct flame_list *list);

#endif
