// SPDX-License-Identifier: MIT
#include "draw/tree_picture.h"

#include <math.h>
#include <stdio.h>

#include "draw/canvas.h"

enum {
	MARGIN = 24,
	HEAD = 72,
	FOOT = 56,
	CURVES_MAX = 800, /* more lines than that are a fan from a parent to all of its children */
};

struct picture {
	const struct histree_history_info *info;
	const struct histree_layout_node *nodes;
	uint32_t count;
	const struct histree_node_level *levels;
	struct canvas canvas;
	uint32_t width, height;
};

/* ---- nodes ------------------------------------------------------------------------------------------------ */

static uint32_t mix(uint32_t from, uint32_t to, double share)
{
	uint32_t mixed = 0;
	for (unsigned shift = 0; shift < 24; shift += 8) {
		double low = from >> shift & 255, high = to >> shift & 255;
		mixed |= (uint32_t)lround(low + (high - low) * share) << shift;
	}
	return mixed;
}

/* By yellow, which is lighter than both: so also those who see red and green alike see half from full. */
static uint32_t fill_colour(double fill)
{
	static const uint32_t red = 0xc4342b, yellow = 0xecc54a, green = 0x1f8a4c;
	return fill < 0.5 ? mix(red, yellow, fill * 2) : mix(yellow, green, fill * 2 - 1);
}

/* Between no two colours of a fill, and neither light nor dark. */
static const uint32_t damaged_colour = 0x7a4fb5;

static double fill_of(const struct histree_node *node)
{
	return node->bytes > 0 ? (double)node->bytes_used / node->bytes : 0;
}

enum shape { SHAPE_ROOT, SHAPE_CORE, SHAPE_LEAF };

static enum shape shape_of(const struct histree_node *node)
{
	return node->parent == HISTREE_NO_NODE ? SHAPE_ROOT : node->height > 0 ? SHAPE_CORE : SHAPE_LEAF;
}

static void draw_symbol(struct canvas *canvas, enum shape shape, double x, double y, double size, uint32_t colour)
{
	double half = size / 2;
	lib_cairo.new_sub_path(canvas->cairo);
	if (shape == SHAPE_ROOT) {
		canvas_add_box(canvas, x - half, y - half, size, size);
	} else if (shape == SHAPE_CORE) {
		lib_cairo.move_to(canvas->cairo, x, y - half);
		lib_cairo.line_to(canvas->cairo, x + half, y + half);
		lib_cairo.line_to(canvas->cairo, x - half, y + half);
		lib_cairo.close_path(canvas->cairo);
	} else {
		lib_cairo.arc(canvas->cairo, x, y, half, 0, 2 * M_PI);
	}
	canvas_colour(canvas, colour, 1);
	if (size < 8) { /* an outline would be all there is */
		canvas_fill(canvas);
		return;
	}
	lib_cairo.fill_preserve(canvas->cairo);
	canvas_colour(canvas, canvas->theme->text, 0.55);
	lib_cairo.set_line_width(canvas->cairo, shape == SHAPE_ROOT ? 2 : 1);
	lib_cairo.stroke(canvas->cairo);
}

/* ---- text of a node --------------------------------------------------------------------------------------- */

/* "103.2 - 143.9 ms" since the start of the history, in a unit and with decimals that tell its nodes apart. */
static void say_times(const struct histree_history_info *info, const struct histree_node *node, char *text,
		      size_t size)
{
	static const struct {
		const char *name;
		double ns;
	} units[] = { { "h", 3600e9 }, { "s", 1e9 }, { "ms", 1e6 }, { "us", 1e3 }, { "ns", 1 } };
	double length = (double)((uint64_t)info->end - (uint64_t)info->start);
	int unit = 0;
	while (unit < 4 && length < 2 * units[unit].ns)
		unit++;
	double from = (double)((uint64_t)node->start - (uint64_t)info->start) / units[unit].ns;
	double to = (double)((uint64_t)node->end - (uint64_t)info->start) / units[unit].ns;
	int decimals = unit == 4 || length >= 1000 * units[unit].ns ? 0 : 1;
	snprintf(text, size, "%.*f \u2013 %.*f %s", decimals, from, decimals, to, units[unit].name);
}

static void draw_texts(const struct picture *picture, struct canvas *canvas,
		       const struct histree_layout_node *placed, const struct histree_node_level *level)
{
	const struct histree_node *node = &placed->node;
	char texts[4][96];
	if (node->parent == HISTREE_NO_NODE)
		snprintf(texts[0], sizeof(texts[0]), "node %u, the root", node->number);
	else
		snprintf(texts[0], sizeof(texts[0]), level->lines > 2 ? "node %u, of %u" : "%u, of %u",
			 node->number, node->parent);
	if (node->is_damaged)
		snprintf(texts[1], sizeof(texts[1]), "damaged");
	else
		snprintf(texts[1], sizeof(texts[1]), "%.0f %% full", fill_of(node) * 100);
	say_times(picture->info, node, texts[2], sizeof(texts[2]));
	if (node->is_damaged)
		snprintf(texts[3], sizeof(texts[3]), "keys not known");
	else if (node->key_min <= node->key_max)
		snprintf(texts[3], sizeof(texts[3]), "keys %u \u2013 %u", node->key_min, node->key_max);
	else
		snprintf(texts[3], sizeof(texts[3]), "no intervals");
	for (unsigned line = 0; line < level->lines; line++) {
		canvas_colour(canvas, line == 0 ? canvas->theme->text : canvas->theme->soft_text, 1);
		canvas_text(canvas, FONT_SMALL, ALIGN_CENTRE, placed->x,
			    placed->y + level->size / 2 + 13 + line * 13, fmax(level->distance - 6, 44),
			    texts[line]);
	}
}

/* ---- lines ------------------------------------------------------------------------------------------------ */

static double bottom_of(const struct picture *picture, const struct histree_layout_node *node)
{
	const struct histree_node_level *level = &picture->levels[node->node.height];
	return node->y + level->size / 2 + level->lines * 13 + (level->lines > 0 ? 6 : 0);
}

static void draw_curves(struct picture *picture)
{
	struct canvas *canvas = &picture->canvas;
	canvas_colour(canvas, canvas->theme->line, 1);
	lib_cairo.set_line_width(canvas->cairo, 1);
	for (uint32_t i = 1; i < picture->count; i++) {
		const struct histree_layout_node *node = &picture->nodes[i];
		const struct histree_layout_node *parent = &picture->nodes[node->parent];
		double from = bottom_of(picture, parent);
		double to = node->y - picture->levels[node->node.height].size / 2;
		double middle = (from + to) / 2;
		lib_cairo.move_to(canvas->cairo, parent->x, from);
		lib_cairo.curve_to(canvas->cairo, parent->x, middle, node->x, middle, node->x, to);
		lib_cairo.stroke(canvas->cairo);
	}
}

static void draw_fans(struct picture *picture)
{
	struct canvas *canvas = &picture->canvas;
	for (uint32_t i = 0; i < picture->count; i++) {
		const struct histree_layout_node *node = &picture->nodes[i];
		if (node->first_child == HISTREE_NO_INDEX)
			continue;
		const struct histree_layout_node *first = &picture->nodes[node->first_child];
		const struct histree_layout_node *last = &picture->nodes[node->last_child];
		const struct histree_node_level *level = &picture->levels[first->node.height];
		lib_cairo.move_to(canvas->cairo, node->x, bottom_of(picture, node));
		lib_cairo.line_to(canvas->cairo, last->x + level->size / 2, level->top - 2);
		lib_cairo.line_to(canvas->cairo, first->x - level->size / 2, level->top - 2);
		lib_cairo.close_path(canvas->cairo);
		canvas_colour(canvas, canvas->theme->line, i % 2 == 0 ? 0.30 : 0.42);
		canvas_fill(canvas);
	}
}

/* ---- around the tree -------------------------------------------------------------------------------------- */

static void draw_head(struct picture *picture, const char *title)
{
	struct canvas *canvas = &picture->canvas;
	const struct histree_history_info *info = picture->info;
	char text[200], nodes[GROUPED_NUMBER_SIZE], intervals[GROUPED_NUMBER_SIZE];
	canvas_colour(canvas, canvas->theme->text, 1);
	canvas_text(canvas, FONT_TITLE, ALIGN_LEFT, MARGIN, 30, picture->width - 2 * MARGIN, title);
	snprintf(text, sizeof(text), "tree %s, %s node%s of %u KiB in %u level%s, %.0f %% full, %s intervals",
		 info->variant, grouped_number(info->node_count, nodes), info->node_count == 1 ? "" : "s",
		 info->node_size >> 10, info->depth, info->depth == 1 ? "" : "s",
		 100 * (double)info->node_bytes_used / ((double)info->node_count * info->node_size),
		 grouped_number(info->interval_count, intervals));
	canvas_colour(canvas, canvas->theme->soft_text, 1);
	canvas_text(canvas, FONT_LABEL, ALIGN_LEFT, MARGIN, 48, picture->width - 2 * MARGIN, text);
}

static uint32_t count_damaged(const struct picture *picture)
{
	uint32_t count = 0;
	for (uint32_t i = 0; i < picture->count; i++)
		count += picture->nodes[i].node.is_damaged;
	return count;
}

static void draw_legend(struct picture *picture)
{
	static const char *const names[] = { "root", "core node", "leaf" };
	struct canvas *canvas = &picture->canvas;
	char text[48];
	double x = MARGIN + 8, y = picture->height - FOOT / 2.0 + 4;
	for (int shape = SHAPE_ROOT; shape <= SHAPE_LEAF; shape++) {
		draw_symbol(canvas, (enum shape)shape, x, y, 13, canvas->theme->panel);
		canvas_colour(canvas, canvas->theme->soft_text, 1);
		canvas_text(canvas, FONT_SMALL, ALIGN_LEFT, x + 13, y + 4, 100, names[shape]);
		x += 34 + canvas_text_width(canvas, FONT_SMALL, names[shape]);
	}
	canvas_text(canvas, FONT_SMALL, ALIGN_LEFT, x, y + 4, 100, "empty");
	x += canvas_text_width(canvas, FONT_SMALL, "empty") + 8;
	for (int i = 0; i < 60; i++) {
		canvas_colour(canvas, fill_colour(i / 59.0), 1);
		canvas_box(canvas, x + i * 2, y - 6, 2, 12);
	}
	canvas_colour(canvas, canvas->theme->soft_text, 1);
	canvas_text(canvas, FONT_SMALL, ALIGN_LEFT, x + 128, y + 4, 100, "full");
	uint32_t damaged = count_damaged(picture);
	if (damaged == 0)
		return;
	x += 128 + canvas_text_width(canvas, FONT_SMALL, "full") + 24;
	canvas_colour(canvas, damaged_colour, 1);
	canvas_box(canvas, x, y - 6, 13, 12);
	snprintf(text, sizeof(text), "damaged: %u", damaged);
	canvas_colour(canvas, canvas->theme->soft_text, 1);
	canvas_text(canvas, FONT_SMALL, ALIGN_LEFT, x + 21, y + 4, 200, text);
}

static void draw_tree(struct picture *picture)
{
	if (picture->count <= CURVES_MAX)
		draw_curves(picture);
	else
		draw_fans(picture);
	for (uint32_t i = 0; i < picture->count; i++) {
		const struct histree_layout_node *node = &picture->nodes[i];
		const struct histree_node_level *level = &picture->levels[node->node.height];
		draw_symbol(&picture->canvas, shape_of(&node->node), node->x, node->y, level->size,
			    node->node.is_damaged ? damaged_colour : fill_colour(fill_of(&node->node)));
		draw_texts(picture, &picture->canvas, node, level);
	}
}

enum histree_status tree_picture(struct histree_history *history, const struct histree_draw_options *options,
				 picture_write *write, void *context, struct histree_error *error)
{
	struct picture picture = {
		.info = histree_history_info(history),
		.width = options->width != 0 ? options->width : 1200,
	};
	const struct histree_tree_layout_options room = {
		.left = MARGIN,
		.width = picture.width - 2 * MARGIN,
		.top = HEAD,
		.height = options->height != 0 ? fmax((double)options->height - HEAD - FOOT, 1) : 0,
	};
	struct histree_tree_layout *layout;
	uint32_t level_count;
	enum histree_status status = histree_tree_layout_create(history, &room, options->cancel, &layout, error);
	if (status == HISTREE_OK) {
		picture.nodes = histree_tree_layout_nodes(layout, &picture.count);
		picture.levels = histree_tree_layout_levels(layout, &level_count);
		double needed = picture.levels[0].bottom + FOOT;
		picture.height = options->height != 0 ? options->height
						      : (uint32_t)fmin(ceil(needed), HISTREE_DRAW_SIZE_MAX);
		status =
			canvas_open(&picture.canvas, options, picture.width, picture.height, write, context, error);
	}
	if (status == HISTREE_OK) {
		draw_head(&picture, options->title != NULL ? options->title : picture.info->provider);
		draw_tree(&picture);
		draw_legend(&picture);
		status = canvas_finish(&picture.canvas, error);
	}
	canvas_release(&picture.canvas);
	histree_tree_layout_free(layout);
	return status;
}
