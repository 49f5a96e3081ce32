// SPDX-License-Identifier: MIT
/*
 * tree_layout.c - the positions of the nodes of a tree, from left to right and from top to bottom; and how arrows
 * are drawn.  The styles of states are labels of the history (histree/attributes.h).
 */
#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "base/cancel.h"
#include "base/table.h"
#include "view/view.h"

/* ---- style --------------------------------------------------------------------------------------------------- */

#define ORANGE 0xdd6b1f, 0xf08a3c
#define BLUE 0x2a6cb8, 0x5c9df0
#define PURPLE 0xa8408c, 0xd879bb
#define GREY 0x99a1ac, 0x79828f
#define INK 0x2b323b, 0xe3e8ee /* over bars of any colour, as spans are */
static const struct histree_style arrow_styles[HISTREE_ARROW_KIND_COUNT] = {
	[HISTREE_ARROW_SWITCH] = { "CPU transition", "next on the CPU", GREY, 0.1 },
	[HISTREE_ARROW_FORK] = { "Fork", "fork", ORANGE, 0.1 },
	[HISTREE_ARROW_WAKEUP] = { "Wake-up", "wake-up", BLUE, 0.1 },
	[HISTREE_ARROW_MIGRATION] = { "CPU migration", "went on on another CPU", PURPLE, 0.1 },
	[HISTREE_ARROW_FLOW] = { "Flow", "flow", INK, 0.1 },
	[HISTREE_ARROW_PACKET] = { "Packet", "packet", PURPLE, 0.1 },
	[HISTREE_ARROW_INSTANT] = { "Instant", "instant", ORANGE, 0.1 },
};

const struct histree_style *histree_arrow_style(enum histree_arrow_kind kind)
{
	return &arrow_styles[kind];
}

enum histree_meaning histree_resource_meaning(enum histree_resource_kind kind)
{
	switch (kind) {
	case HISTREE_RESOURCE_CPU:
		return HISTREE_MEANS_CPU_STATUS;
	case HISTREE_RESOURCE_CURRENT_THREAD:
		return HISTREE_MEANS_TID;
	case HISTREE_RESOURCE_FREQUENCY:
		return HISTREE_MEANS_FREQUENCY;
	case HISTREE_RESOURCE_IRQ:
		return HISTREE_MEANS_IRQ;
	case HISTREE_RESOURCE_SOFT_IRQ:
		return HISTREE_MEANS_SOFT_IRQ;
	}
	return HISTREE_MEANS_ANYTHING;
}

/* ---- tree layout --------------------------------------------------------------------------------------------- */

enum {
	SYMBOL_MIN = 4, /* with the space around it: a wall's cell */
	SYMBOL_MAX = 26,
	LINE_HEIGHT = 13,
	EDGE_SPACE = 46, /* between two levels */
	/*
	 * A tree that has degenerated (thesis 4.3) has hundreds of levels: they share this, and nothing is
	 * written.
	 */
	HEIGHT_SHARED = 2400,
	TEXT_LEVELS_MAX = 12,
};

/* How far a level is while positions are found. */
struct progress {
	uint32_t placed;
	double leftmost; /* x of the node placed last, from right to left */
};

struct histree_tree_layout {
	struct histree_layout_node *nodes;
	size_t count, capacity;
	struct histree_node_level *levels; /* by height */
	struct progress *progress;         /* likewise */
	size_t level_count;
};

/* ---- nodes ------------------------------------------------------------------------------------------------ */

struct collecting {
	struct histree_tree_layout *layout;
	const struct histree_work *work;
	uint32_t *index; /* by number of the node */
	enum histree_status status;
	struct histree_error *error;
};

static bool collect(void *context, const struct histree_node *node)
{
	struct collecting *collecting = context;
	struct histree_tree_layout *layout = collecting->layout;
	collecting->status = cancel_check(collecting->work, layout->count * 64, collecting->error);
	if (collecting->status == HISTREE_OK &&
	    !array_reserve(&layout->nodes, &layout->capacity, layout->count + 1))
		collecting->status = error_memory(collecting->error, "the nodes of a tree");
	if (collecting->status != HISTREE_OK)
		return false;
	uint32_t index = (uint32_t)layout->count++;
	struct histree_layout_node *placed = &layout->nodes[index];
	*placed = (struct histree_layout_node){ .node = *node,
						.parent = HISTREE_NO_INDEX,
						.first_child = HISTREE_NO_INDEX,
						.last_child = HISTREE_NO_INDEX };
	collecting->index[node->number] = index;
	if (node->parent != HISTREE_NO_NODE) {
		placed->parent = collecting->index[node->parent];
		assert(placed->parent < index); /* depth first */
		struct histree_layout_node *parent = &layout->nodes[placed->parent];
		if (parent->first_child == HISTREE_NO_INDEX)
			parent->first_child = index;
		parent->last_child = index;
	}
	return true;
}

static enum histree_status collect_nodes(struct histree_tree_layout *layout, struct histree_history *history,
					 const struct histree_work *work, struct histree_error *error)
{
	const struct histree_history_info *info = histree_history_info(history);
	struct collecting collecting = { .layout = layout, .work = work, .error = error };
	collecting.index = malloc((info->node_count + 1) * sizeof(*collecting.index));
	if (collecting.index == NULL)
		return error_memory(error, "the nodes of a tree");
	enum histree_status status = histree_history_nodes(history, collect, &collecting, error);
	free(collecting.index);
	return status != HISTREE_OK ? status : collecting.status;
}

static enum histree_status count_levels(struct histree_tree_layout *layout, struct histree_error *error)
{
	layout->level_count = layout->nodes[0].node.height + 1;
	layout->levels = calloc(layout->level_count, sizeof(*layout->levels));
	layout->progress = calloc(layout->level_count, sizeof(*layout->progress));
	if (layout->levels == NULL || layout->progress == NULL)
		return error_memory(error, "the nodes of a tree");
	for (size_t i = 0; i < layout->count; i++) {
		if (layout->nodes[i].node.height >= layout->level_count)
			return error_set(error, HISTREE_ERR_FORMAT, "node %u is higher than the root",
					 layout->nodes[i].node.number);
		layout->levels[layout->nodes[i].node.height].count++;
	}
	return HISTREE_OK;
}

/* ---- from top to bottom ----------------------------------------------------------------------------------- */

static void place_down(struct histree_tree_layout *layout, const struct histree_tree_layout_options *options)
{
	double needed = 0, gaps = 0;
	for (size_t h = 0; h < layout->level_count; h++) {
		struct histree_node_level *level = &layout->levels[h];
		double size_max = fmin(SYMBOL_MAX, HEIGHT_SHARED * 0.6 / (double)layout->level_count);
		if (level->rows > 1)
			level->distance = options->width / ((level->count + level->rows - 1) / level->rows);
		level->size = fmax(SYMBOL_MIN - 1, fmin(size_max, level->distance * 0.78));
		if (layout->level_count <= TEXT_LEVELS_MAX)
			level->lines = level->distance >= 96 ? 4 : level->distance >= 52 ? 2 : 0;
		level->bottom = level->rows > 1 ? level->rows * (level->size + 1)
						: level->size + level->lines * LINE_HEIGHT;
		needed += layout->levels[h].bottom;
		gaps += h > 0;
	}
	double gap = fmin(EDGE_SPACE, HEIGHT_SHARED * 0.6 / (double)layout->level_count);
	if (options->height > 0 && gaps > 0)
		gap = fmax(1, (options->height - needed) / gaps);
	double top = options->top;
	for (size_t h = layout->level_count; h-- > 0;) {
		struct histree_node_level *level = &layout->levels[h];
		level->top = top;
		level->bottom += top;
		layout->progress[h].placed = 0;
		top = level->bottom + gap;
	}
	for (size_t i = 0; i < layout->count; i++) {
		struct histree_node_level *level = &layout->levels[layout->nodes[i].node.height];
		uint32_t row = layout->progress[layout->nodes[i].node.height].placed++ % level->rows;
		layout->nodes[i].y = level->top + level->size / 2 + row * (level->size + 1);
	}
}

/* ----------------------------------------------------------------------------------------------------------- */

enum histree_status histree_tree_layout_create(struct histree_history *history,
					       const struct histree_tree_layout_options *options,
					       struct histree_work work, struct histree_tree_layout **out,
					       struct histree_error *error)
{
	*out = NULL;
	struct histree_tree_layout *layout = calloc(1, sizeof(*layout));
	enum histree_status status = layout == NULL ? error_memory(error, "the nodes of a tree")
						    : collect_nodes(layout, history, &work, error);
	if (status == HISTREE_OK)
		status = count_levels(layout, error);
	if (status != HISTREE_OK) {
		histree_tree_layout_free(layout);
		return status;
	}
	histree_tree_layout_arrange(layout, options);
	*out = layout;
	return HISTREE_OK;
}

void histree_tree_layout_arrange(struct histree_tree_layout *layout,
				 const struct histree_tree_layout_options *options)
{
	/* Children come after their parent, so from the last node to the first each finds its children placed. */
	for (size_t h = 0; h < layout->level_count; h++) {
		struct histree_node_level *level = &layout->levels[h];
		level->rows = level->count == 0 ? 1 : (uint32_t)ceil(level->count * SYMBOL_MIN / options->width);
		level->distance = options->width;
		layout->progress[h].placed = level->count;
	}
	for (size_t i = layout->count; i-- > 0;) {
		struct histree_layout_node *node = &layout->nodes[i];
		struct histree_node_level *level = &layout->levels[node->node.height];
		struct progress *progress = &layout->progress[node->node.height];
		assert(progress->placed > 0);
		uint32_t position = --progress->placed;
		if (node->first_child == HISTREE_NO_INDEX || level->rows > 1) {
			uint32_t columns = (level->count + level->rows - 1) / level->rows;
			node->x = options->left + options->width * (position / level->rows + 0.5) / columns;
		} else {
			node->x = (layout->nodes[node->first_child].x + layout->nodes[node->last_child].x) / 2;
		}
		if (position + 1 < level->count)
			level->distance = fmin(level->distance, progress->leftmost - node->x);
		progress->leftmost = node->x;
	}
	place_down(layout, options);
}

const struct histree_layout_node *histree_tree_layout_nodes(const struct histree_tree_layout *layout,
							    uint32_t *count)
{
	*count = (uint32_t)layout->count;
	return layout->nodes;
}

const struct histree_node_level *histree_tree_layout_levels(const struct histree_tree_layout *layout,
							    uint32_t *count)
{
	*count = (uint32_t)layout->level_count;
	return layout->levels;
}

void histree_tree_layout_free(struct histree_tree_layout *layout)
{
	if (layout == NULL)
		return;
	free(layout->nodes);
	free(layout->levels);
	free(layout->progress);
	free(layout);
}
