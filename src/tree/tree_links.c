// SPDX-License-Identifier: MIT
#include "tree/tree_links.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/error.h"
#include "tree/tree_bounds.h"

/* What is known of a node. */
struct node_link {
	uint32_t parent; /* its number + 1; 0: no node that was opened has it as a child */
	uint32_t said;   /* the bounds that its parent has of it, mixed */
	uint32_t own;    /* if it was opened: its own, mixed */
	uint16_t height; /* if it was opened */
	bool is_open;
};

struct tree_links {
	pthread_mutex_t mutex;    /* of all links */
	struct node_link nodes[]; /* by number */
};

enum histree_status tree_links_create(uint32_t node_count, struct tree_links **out, struct histree_error *error)
{
	*out = calloc(1, sizeof(**out) + node_count * sizeof(struct node_link));
	if (*out == NULL)
		return error_memory(error, "a tree");
	pthread_mutex_init(&(*out)->mutex, NULL);
	return HISTREE_OK;
}

void tree_links_free(struct tree_links *links)
{
	if (links == NULL)
		return;
	pthread_mutex_destroy(&links->mutex);
	free(links);
}

/* ---- bounds --------------------------------------------------------------------------------------------- */

/*
 * What two nodes can compare, in 32 bits: different bounds are equal here once in 2^32 times.  A bound that the
 * variant does not keep of a child is as wide as can be, and is left out.
 */
static uint32_t mix_bounds(const struct node_child *bounds, uint32_t kept)
{
	uint64_t mixed = (uint64_t)bounds->start * UINT64_C(0x9e3779b97f4a7c15);
	mixed = (mixed ^ mixed >> 32 ^ (uint64_t)bounds->end) * UINT64_C(0xbf58476d1ce4e5b9);
	if (kept & NODE_CHILD_KEYS)
		mixed = (mixed ^ mixed >> 32 ^ ((uint64_t)bounds->key_min << 32 | bounds->key_max)) *
			UINT64_C(0x94d049bb133111eb);
	if (kept & NODE_CHILD_SEGMENTS) {
		mixed = (mixed ^ mixed >> 32 ^ (uint64_t)bounds->start_max) * UINT64_C(0x9e3779b97f4a7c15);
		mixed = (mixed ^ mixed >> 32 ^ (uint64_t)bounds->end_min) * UINT64_C(0xbf58476d1ce4e5b9);
		mixed = (mixed ^ mixed >> 32 ^ bounds->duration_min) * UINT64_C(0x94d049bb133111eb);
		mixed = (mixed ^ mixed >> 32 ^ bounds->duration_max) * UINT64_C(0x9e3779b97f4a7c15);
	}
	return (uint32_t)(mixed >> 32);
}

/* ---- children ------------------------------------------------------------------------------------------- */

static enum histree_status check_child(const struct tree_links *links, const struct node_view *view,
				       const struct node_child *child, struct histree_error *error)
{
	if (child->number >= view->number)
		return error_set(error, HISTREE_ERR_FORMAT, "has node %u as a child", child->number);
	if (child->start < view->start || child->end > view->end)
		return error_set(error, HISTREE_ERR_FORMAT, "does not enclose its child %u in time", child->number);
	const struct node_link *link = &links->nodes[child->number];
	bool was_open = links->nodes[view->number].is_open;
	if (link->parent != (was_open ? view->number + 1 : 0))
		return error_set(error, HISTREE_ERR_FORMAT, "has node %u as a child, and so has node %u",
				 child->number, link->parent - 1);
	if (!link->is_open)
		return HISTREE_OK;
	if (link->height >= view->height)
		return error_set(error, HISTREE_ERR_FORMAT, "has a child, %u, that is not below it", child->number);
	if (link->own != mix_bounds(child, view->layout->child_bounds))
		return error_set(error, HISTREE_ERR_FORMAT, "has other bounds of its child %u than that has",
				 child->number);
	return HISTREE_OK;
}

/* Its first children no longer have it as their parent. */
static void disown(struct tree_links *links, const struct node_view *view, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		links->nodes[node_view_child(view, i).number].parent = 0;
}

/* Take the children, and widen the keys of the node by theirs. */
static enum histree_status adopt(struct tree_links *links, const struct node_view *view, struct node_child *bounds,
				 struct histree_error *error)
{
	bool is_first = !links->nodes[view->number].is_open;
	for (uint32_t i = 0; i < view->child_count; i++) {
		const struct node_child child = node_view_child(view, i);
		enum histree_status status = check_child(links, view, &child, error);
		if (status != HISTREE_OK) {
			if (is_first)
				disown(links, view, i);
			return status;
		}
		struct node_link *link = &links->nodes[child.number];
		link->parent = view->number + 1;
		link->said = mix_bounds(&child, view->layout->child_bounds);
		bounds->key_min = child.key_min < bounds->key_min ? child.key_min : bounds->key_min;
		bounds->key_max = child.key_max > bounds->key_max ? child.key_max : bounds->key_max;
	}
	return HISTREE_OK;
}

/* ---- the node itself ------------------------------------------------------------------------------------ */

static enum histree_status check_parent(const struct tree_links *links, const struct node_view *view, uint32_t own,
					struct histree_error *error)
{
	const struct node_link *link = &links->nodes[view->number];
	if (link->parent == 0)
		return HISTREE_OK;
	uint32_t parent = link->parent - 1;
	if (view->height >= links->nodes[parent].height)
		return error_set(error, HISTREE_ERR_FORMAT, "is not below its parent %u", parent);
	if (own != link->said)
		return error_set(error, HISTREE_ERR_FORMAT, "its parent %u has other bounds of it", parent);
	return HISTREE_OK;
}

static enum histree_status check(struct tree_links *links, const struct node_view *view,
				 struct histree_error *error)
{
	struct node_link *link = &links->nodes[view->number];
	struct node_child bounds = tree_bounds(view);
	bounds.key_min = view->key_min;
	bounds.key_max = view->key_max;
	enum histree_status status = adopt(links, view, &bounds, error);
	if (status != HISTREE_OK)
		return status;
	uint32_t own = mix_bounds(&bounds, view->layout->child_bounds);
	status = check_parent(links, view, own, error);
	if (status != HISTREE_OK) {
		if (!link->is_open)
			disown(links, view, view->child_count);
		return status;
	}
	link->own = own;
	link->height = (uint16_t)view->height;
	link->is_open = true;
	return HISTREE_OK;
}

enum histree_status tree_links_check(struct tree_links *links, const struct node_view *view,
				     struct histree_error *error)
{
	pthread_mutex_lock(&links->mutex);
	enum histree_status status = check(links, view, error);
	pthread_mutex_unlock(&links->mutex);
	return status;
}
