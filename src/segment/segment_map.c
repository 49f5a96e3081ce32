// SPDX-License-Identifier: MIT
/*
 * The tree map of thesis 5.4: each segment in two balanced trees, by start and by end.  They are treaps (Seidel and
 * Aragon, 1996): search trees by the key and heaps by a random number, which keeps them balanced.
 */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "base/hash.h"
#include "segment/segment_memory.h"

enum map_tree { BY_START, BY_END, MAP_TREES };

struct map_node {
	struct histree_segment segment;
	uint64_t weight; /* no child has a greater one */
	struct map_node *left[MAP_TREES], *right[MAP_TREES];
};

struct segment_map {
	struct segment_contents contents;
	struct arena nodes;
	uint64_t count;
	struct map_node *roots[MAP_TREES];
};

enum histree_status segment_map_create(const struct histree_segment_schema *schema, void **out,
				       struct histree_error *error)
{
	struct segment_map *map = calloc(1, sizeof(*map));
	*out = map;
	if (map == NULL)
		return error_memory(error, "a segment store");
	map->contents.field_count = schema->field_count;
	return HISTREE_OK;
}

static void map_free(void *body)
{
	struct segment_map *map = body;
	segment_contents_release(&map->contents);
	arena_release(&map->nodes);
	free(map);
}

/* Compares by (start, end) or (end, start). */
static bool is_before(enum map_tree tree, const struct histree_segment *a, const struct histree_segment *b)
{
	if (tree == BY_END && a->end != b->end)
		return a->end < b->end;
	return a->start != b->start ? a->start < b->start : a->end < b->end;
}

/*
 * Put a node where it belongs: below all of greater weight, above the rest, which is split into what comes before
 * it and what does not.  Equal ones stay in the order of their arrival.
 */
static void insert(struct map_node **link, struct map_node *node, enum map_tree tree)
{
	while (*link != NULL && (*link)->weight >= node->weight)
		link = is_before(tree, &node->segment, &(*link)->segment) ? &(*link)->left[tree]
									  : &(*link)->right[tree];
	struct map_node *rest = *link, **before = &node->left[tree], **after = &node->right[tree];
	*link = node;
	while (rest != NULL)
		if (is_before(tree, &node->segment, &rest->segment)) {
			*after = rest;
			after = &rest->left[tree];
			rest = *after;
		} else {
			*before = rest;
			before = &rest->right[tree];
			rest = *before;
		}
	*before = *after = NULL;
}

static enum histree_status map_add(void *body, const struct histree_segment *segment, struct histree_error *error)
{
	struct segment_map *map = body;
	struct map_node *node = arena_allocate(&map->nodes, sizeof(*node), _Alignof(struct map_node));
	if (node == NULL || segment_contents_copy(&map->contents, segment, &node->segment) != HISTREE_OK)
		return error_memory(error, "a segment");
	node->weight = hash_mix(++map->count);
	for (enum map_tree tree = 0; tree < MAP_TREES; tree++)
		insert(&map->roots[tree], node, tree);
	return HISTREE_OK;
}

/* ---- the cursor --------------------------------------------------------------------------------- */

/* In the order of the tree; what lies outside the window to the left or right is not entered. */
static enum histree_status collect(const struct map_node *node, enum map_tree tree,
				   const struct histree_segment_query *query, struct segment_list *list)
{
	enum histree_status status = HISTREE_OK;
	while (node != NULL && status == HISTREE_OK) {
		const struct histree_segment *segment = &node->segment;
		if (tree == BY_START || segment->end >= query->from)
			status = collect(node->left[tree], tree, query, list);
		bool meets = segment->start <= query->to && segment->end >= query->from;
		if (status == HISTREE_OK && meets)
			status = segment_list_add(list, segment);
		node = tree == BY_END || segment->start <= query->to ? node->right[tree] : NULL;
	}
	return status;
}

static enum histree_status cursor_start(void *context, const struct histree_segment_query *query,
					const struct histree_segment_token *resume, struct histree_error *error)
{
	struct list_cursor *cursor = context;
	const struct segment_map *map = cursor->body;
	enum map_tree tree = query->order == HISTREE_SEGMENTS_BY_END ? BY_END : BY_START;
	cursor->list.count = 0;
	enum histree_status status = collect(map->roots[tree], tree, query, &cursor->list);
	if (status == HISTREE_OK && query->order == HISTREE_SEGMENTS_BY_DURATION)
		status =
			segment_list_sort(&cursor->list, (struct segment_order){ query->order, query->descending });
	else if (query->order != HISTREE_SEGMENTS_UNSORTED && query->descending)
		segment_list_reverse(&cursor->list);
	if (status != HISTREE_OK)
		return error_memory(error, "an iterator");
	list_cursor_begin(cursor, query, resume);
	return HISTREE_OK;
}

const struct segment_backend segment_backend_map = {
	.add = map_add,
	.free = map_free,
	.cursor_create = list_cursor_create,
	.cursor_start = cursor_start,
	.cursor_next = list_cursor_next,
	.cursor_key = list_cursor_key,
	.cursor_stats = list_cursor_stats,
	.cursor_free = list_cursor_free,
};
