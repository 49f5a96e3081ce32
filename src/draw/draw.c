// SPDX-License-Identifier: MIT
/*
 * draw.c - draws a history: the structure of its tree, a flame graph, the lines of a chart, or rows.
 *
 * A tree is drawn as in the thesis (section 3.1, figure 3.1): the root a square, core nodes triangles, leaves
 * circles, from red for an empty node to green for a full one.
 *
 * Lines are read first, one point a pixel, then the scale that holds them is chosen, then they are drawn.  A point
 * is drawn at the end of its pixel.  Where the value of one of the lines is unknown, a band shows that.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/search.h"
#include "draw/canvas.h"
#include "draw/pictures.h"
#include "draw/row_list.h"
#include "draw/rows_picture.h"
#include "histree/states.h"

static enum histree_status lines_picture(struct histree_history *history,
					 const struct histree_draw_options *options, picture_write *write,
					 void *context, struct histree_error *error);

/* ---- tree picture -------------------------------------------------------------------------------------------- */

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

	/*
	 * "103.2 - 143.9 ms" since the start of the history, in a unit and with decimals that tell its nodes apart.
	 */
	static const struct {
		const char *name;
		double ns;
	} units[] = { { "h", 3600e9 }, { "s", 1e9 }, { "ms", 1e6 }, { "us", 1e3 }, { "ns", 1 } };
	double length = (double)((uint64_t)picture->info->end - (uint64_t)picture->info->start);
	int unit = 0;
	while (unit < 4 && length < 2 * units[unit].ns)
		unit++;
	double from = (double)((uint64_t)node->start - (uint64_t)picture->info->start) / units[unit].ns;
	double to = (double)((uint64_t)node->end - (uint64_t)picture->info->start) / units[unit].ns;
	int decimals = unit == 4 || length >= 1000 * units[unit].ns ? 0 : 1;
	snprintf(texts[2], sizeof(texts[2]), "%.*f \u2013 %.*f %s", decimals, from, decimals, to, units[unit].name);

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

	uint32_t damaged = 0;
	for (uint32_t i = 0; i < picture->count; i++)
		damaged += picture->nodes[i].node.is_damaged;

	if (damaged == 0)
		return;
	x += 128 + canvas_text_width(canvas, FONT_SMALL, "full") + 24;
	canvas_colour(canvas, damaged_colour, 1);
	canvas_box(canvas, x, y - 6, 13, 12);
	snprintf(text, sizeof(text), "damaged: %u", damaged);
	canvas_colour(canvas, canvas->theme->soft_text, 1);
	canvas_text(canvas, FONT_SMALL, ALIGN_LEFT, x + 21, y + 4, 200, text);
}

static enum histree_status tree_picture(struct histree_history *history, const struct histree_draw_options *options,
					picture_write *write, void *context, struct histree_error *error)
{
	struct picture picture = {
		.info = histree_history_info(history),
		.width = options->look.width != 0 ? options->look.width : 1200,
	};
	const struct histree_tree_layout_options room = {
		.left = MARGIN,
		.width = picture.width - 2 * MARGIN,
		.top = HEAD,
		.height = options->look.height != 0 ? fmax((double)options->look.height - HEAD - FOOT, 1) : 0,
	};
	struct histree_tree_layout *layout;
	uint32_t level_count;
	enum histree_status status = histree_tree_layout_create(history, &room, options->work, &layout, error);
	if (status == HISTREE_OK) {
		picture.nodes = histree_tree_layout_nodes(layout, &picture.count);
		picture.levels = histree_tree_layout_levels(layout, &level_count);
		double needed = picture.levels[0].bottom + FOOT;
		picture.height = options->look.height != 0 ? options->look.height
							   : (uint32_t)fmin(ceil(needed), HISTREE_DRAW_SIZE_MAX);
		status = canvas_open(&picture.canvas, &options->look, picture.width, picture.height, write, context,
				     error);
	}
	if (status == HISTREE_OK) {
		struct canvas *canvas = &picture.canvas;
		const struct histree_history_info *info = picture.info;
		char text[200], nodes[GROUPED_NUMBER_SIZE], intervals[GROUPED_NUMBER_SIZE];
		canvas_colour(canvas, canvas->theme->text, 1);
		canvas_text(canvas, FONT_TITLE, ALIGN_LEFT, MARGIN, 30, picture.width - 2 * MARGIN,
			    options->look.title != NULL ? options->look.title : picture.info->provider);
		snprintf(text, sizeof(text),
			 "tree %s, %s node%s of %u KiB in %u level%s, %.0f %% full, %s intervals", info->variant,
			 grouped_number(info->node_count, nodes), info->node_count == 1 ? "" : "s",
			 info->node_size >> 10, info->depth, info->depth == 1 ? "" : "s",
			 100 * (double)info->node_bytes_used / ((double)info->node_count * info->node_size),
			 grouped_number(info->interval_count, intervals));
		canvas_colour(canvas, canvas->theme->soft_text, 1);
		canvas_text(canvas, FONT_LABEL, ALIGN_LEFT, MARGIN, 48, picture.width - 2 * MARGIN, text);

		if (picture.count <= CURVES_MAX)
			draw_curves(&picture);
		else
			draw_fans(&picture);
		for (uint32_t i = 0; i < picture.count; i++) {
			const struct histree_layout_node *node = &picture.nodes[i];
			const struct histree_node_level *level = &picture.levels[node->node.height];
			draw_symbol(&picture.canvas, shape_of(&node->node), node->x, node->y, level->size,
				    node->node.is_damaged ? damaged_colour : fill_colour(fill_of(&node->node)));
			draw_texts(&picture, &picture.canvas, node, level);
		}

		draw_legend(&picture);
		status = canvas_finish(&picture.canvas, error);
	}
	canvas_release(&picture.canvas);
	histree_tree_layout_free(layout);
	return status;
}

/* ---- lines picture ------------------------------------------------------------------------------------------- */

enum {
	LINES_MAX = 12, /* as many as the palette has colours */
	LINES_USUAL = 8,
	LINES_HEIGHT = 420, /* where nothing says how high */
	NUMBERS_WIDTH = 78, /* of the axis of numbers */
	TICK_DISTANCE = 44,
};

struct lines_picture {
	struct histree_history *history;
	const struct histree_draw_options *options;
	struct histree_chart_view *view;
	uint32_t lines[LINES_MAX];
	size_t count, all; /* all: lines that there are */
	double *values;    /* `points` of each line */
	histree_time *times;
	size_t points;
	double low, high, step; /* of the axis of numbers */
	struct chart chart;
	struct canvas canvas;
};

/* ---- what is drawn ---------------------------------------------------------------------------------------- */

static bool is_line(const struct histree_chart_row *row)
{
	return row->shown != HISTREE_ROOT;
}

/* The lines that patterns ask for, in the order of the chart. */
static void choose_asked(struct lines_picture *picture, const struct histree_chart_row *rows, uint32_t count)
{
	const struct histree_draw_options *options = picture->options;
	for (uint32_t i = 0; i < count && picture->count < LINES_MAX; i++)
		for (size_t k = 0; k < options->quark_count && is_line(&rows[i]); k++)
			if (options->quarks[k] == rows[i].shown || options->quarks[k] == rows[i].attribute) {
				picture->lines[picture->count++] = i;
				break;
			}
}

static enum histree_status choose_lines(struct lines_picture *picture, struct histree_error *error)
{
	uint32_t count;
	const struct histree_draw_options *options = picture->options;
	const struct histree_chart_row *rows = histree_chart_view_rows(picture->view, &count);
	enum histree_status status = HISTREE_OK;
	for (uint32_t i = 0; i < count; i++)
		picture->all += is_line(&rows[i]);
	if (options->quarks != NULL)
		choose_asked(picture, rows, count);
	else
		status = histree_chart_view_busiest(picture->view, options->from, options->to, picture->lines,
						    LINES_USUAL, &picture->count, error);
	/* Nothing happened: the first lines say so. */
	for (uint32_t i = 0; i < count && options->quarks == NULL && picture->count < LINES_USUAL; i++) {
		bool is_there = !is_line(&rows[i]);
		for (size_t k = 0; k < picture->count; k++)
			is_there = is_there || picture->lines[k] == i;
		if (!is_there)
			picture->lines[picture->count++] = i;
	}
	qsort(picture->lines, picture->count, sizeof(picture->lines[0]), compare_u32);
	if (status == HISTREE_OK && picture->count == 0)
		return error_set(error, HISTREE_NOT_FOUND, "nothing to draw: the chart '%s' has no such lines here",
				 options->chart);
	return status;
}

/* Ends of pixels, and what comes before the first one. */
static enum histree_status compute(struct lines_picture *picture, struct histree_error *error)
{
	const struct histree_draw_options *options = picture->options;
	uint32_t pixels = picture->chart.right - picture->chart.left;
	picture->points = (size_t)pixels + 1;
	picture->times = malloc(picture->points * sizeof(*picture->times));
	picture->values = malloc(picture->points * picture->count * sizeof(*picture->values));
	if (picture->times == NULL || picture->values == NULL)
		return error_memory(error, "a picture");
	histree_time start = histree_history_info(picture->history)->start;
	picture->times[0] = options->from > start ? options->from - 1 : options->from;
	for (uint32_t i = 0; i < pixels; i++) {
		histree_time next = histree_pixel_start(options->from, options->to, pixels, i + 1);
		picture->times[i + 1] = next > options->from ? next - 1 : options->from;
	}
	return histree_chart_view_lines(picture->view, picture->lines, picture->count, picture->times,
					picture->points, picture->values, error);
}

/* ---- drawing ---------------------------------------------------------------------------------------------- */

static double height_of(const struct lines_picture *picture, double value)
{
	double room = picture->chart.rows_bottom - picture->chart.rows_top;
	return picture->chart.rows_bottom - (value - picture->low) / (picture->high - picture->low) * room;
}

static void draw_numbers(struct lines_picture *picture)
{
	struct canvas *canvas = &picture->canvas;
	const struct chart *chart = &picture->chart;
	const struct histree_chart *shown = histree_chart_view_chart(picture->view);
	int ticks = (int)lround((picture->high - picture->low) / picture->step);
	for (int i = 0; i <= ticks; i++) {
		char text[48];
		double value = picture->low + i * picture->step, y = floor(height_of(picture, value)) + 0.5;

		/* "2.5 M": what is small stays what it is. */
		double number = fabs(value) < picture->step / 2 ? 0 : value;
		static const char *const prefixes[] = { "", " k", " M", " G", " T", " P" };
		size_t prefix = 0;
		while (fabs(number) >= 1000 && prefix + 1 < sizeof(prefixes) / sizeof(prefixes[0])) {
			number /= 1000;
			prefix++;
		}
		snprintf(text, sizeof(text), "%.4g%s", number, prefixes[prefix]);

		canvas_colour(canvas, canvas->theme->grid, 1);
		canvas_line(canvas, chart->left, y, chart->right, y, 1);
		canvas_colour(canvas, canvas->theme->soft_text, 1);
		canvas_text(canvas, FONT_SMALL, ALIGN_RIGHT, chart->left - 8, y + 4, NUMBERS_WIDTH, text);
	}
	canvas_text(canvas, FONT_SMALL, ALIGN_LEFT, CHART_MARGIN, chart->rows_bottom + 17,
		    chart->left - CHART_MARGIN - 4, shown->unit);
}

static double x_of(const struct lines_picture *picture, size_t point)
{
	return picture->chart.left + (double)point;
}

/* Returns how many rows the entries of the legend take; `draws` them or only counts. */
static unsigned lay_legend(struct lines_picture *picture, bool draws)
{
	enum { ENTRY_HEIGHT = 18, SWATCH = 14, GAP = 18 };
	struct canvas *canvas = &picture->canvas;
	const struct chart *chart = &picture->chart;
	double x = chart->left, y = chart->rows_bottom + CHART_AXIS + 12;
	unsigned rows = 1;
	for (size_t i = 0; i < picture->count; i++) {
		char name[CLEAN_TEXT_SIZE];
		histree_chart_view_name(picture->view, picture->lines[i], name, sizeof(name));
		double width = SWATCH + 6 + canvas_text_width(canvas, FONT_SMALL, name);
		if (x > chart->left && x + width > chart->right) {
			x = chart->left;
			y += ENTRY_HEIGHT;
			rows++;
		}
		if (draws) {
			canvas_colour(canvas, style_colour(canvas, histree_styles(NULL, i)), 1);
			canvas_box(canvas, x, y + 4, SWATCH, 4);
			canvas_colour(canvas, canvas->theme->soft_text, 1);
			canvas_text(canvas, FONT_SMALL, ALIGN_LEFT, x + SWATCH + 6, y + 10,
				    chart->right - x - SWATCH - 6, name);
		}
		x += width + GAP;
	}
	return rows;
}

static enum histree_status draw(struct lines_picture *picture, struct histree_error *error)
{
	const struct histree_chart *shown = histree_chart_view_chart(picture->view);
	struct row_list list = { .count = 0 };
	char all[GROUPED_NUMBER_SIZE];
	const char *title = picture->options->look.title != NULL ? picture->options->look.title : shown->title;
	const bool is_own = strcmp(title, shown->title) == 0; /* then it is not said twice */
	if (picture->all > picture->count)
		snprintf(list.note, sizeof(list.note), "%.90s%s%zu of %s lines, %s", is_own ? "" : shown->title,
			 is_own ? "" : ": ", picture->count, grouped_number(picture->all, all),
			 picture->options->quarks != NULL ? "those asked for" : "those that matter most");
	else
		snprintf(list.note, sizeof(list.note), "%.150s", is_own ? "" : shown->title);
	chart_frame(&picture->canvas, &picture->chart, &list, title);
	draw_numbers(picture);

	const struct chart *chart = &picture->chart;
	canvas_colour(&picture->canvas, picture->canvas.theme->soft_text, 0.3);
	for (size_t k = 1; k < picture->points; k++) {
		bool is_known = true;
		for (size_t i = 0; i < picture->count; i++)
			is_known = is_known && !isnan(picture->values[i * picture->points + k]);
		if (!is_known)
			canvas_add_box(&picture->canvas, x_of(picture, k - 1), chart->rows_top, 1,
				       chart->rows_bottom - chart->rows_top);
	}
	canvas_fill(&picture->canvas);

	for (size_t i = 0; i < picture->count; i++) {
		/* A point belongs to the pixel that ends there. */
		const double *values = picture->values + i * picture->points;
		cairo_t *cairo = picture->canvas.cairo;
		bool is_down = false;
		for (size_t k = 1; k < picture->points; k++) {
			double y = floor(height_of(picture, values[k]) * 4) / 4;
			if (!isnan(values[k]) && is_down)
				lib_cairo.line_to(cairo, x_of(picture, k) - 0.5, y);
			else if (!isnan(values[k]))
				lib_cairo.move_to(cairo, x_of(picture, k) - 0.5, y);
			is_down = !isnan(values[k]);
		}
		canvas_colour(&picture->canvas, style_colour(&picture->canvas, histree_styles(NULL, i)), 1);
		lib_cairo.set_line_width(cairo, 1.4);
		lib_cairo.set_line_join(cairo, CAIRO_LINE_JOIN_ROUND);
		lib_cairo.stroke(cairo);
	}
	lay_legend(picture, true);
	return canvas_finish(&picture->canvas, error);
}

/* ---- layout ----------------------------------------------------------------------------------------------- */

static enum histree_status open_canvas(struct lines_picture *picture, picture_write *write, void *context,
				       struct histree_error *error)
{
	const struct histree_draw_options *options = picture->options;
	struct chart *chart = &picture->chart;
	chart->width = options->look.width != 0 ? options->look.width : 1200;
	chart->height = options->look.height != 0 ? options->look.height : LINES_HEIGHT;
	chart->left = CHART_MARGIN + NUMBERS_WIDTH;
	chart->right = chart->width - CHART_MARGIN;
	enum histree_status status =
		canvas_open(&picture->canvas, &options->look, chart->width, chart->height, write, context, error);
	if (status != HISTREE_OK)
		return status;
	uint32_t below = CHART_AXIS + CHART_LEGEND + 18 * (lay_legend(picture, false) - 1);
	chart->rows_top = CHART_HEAD + 6;
	chart->rows_bottom =
		chart->height > chart->rows_top + below + 40 ? chart->height - below : chart->rows_top + 40;
	chart->axis = time_axis(options->from, options->to, chart->left, chart->right - chart->left, 120);
	return HISTREE_OK;
}

static enum histree_status lines_picture(struct histree_history *history,
					 const struct histree_draw_options *options, picture_write *write,
					 void *context, struct histree_error *error)
{
	struct lines_picture picture = { .history = history, .options = options };
	enum histree_status status =
		histree_chart_view_create(history, options->chart, options->work, &picture.view, error);
	if (status == HISTREE_OK)
		status = choose_lines(&picture, error);
	if (status == HISTREE_OK)
		status = open_canvas(&picture, write, context, error);
	if (status == HISTREE_OK)
		status = compute(&picture, error);
	if (status == HISTREE_OK) {
		/* 1, 2 or 5 times a power of ten, such that ticks are far enough from each other. */
		picture.low = picture.high = 0;
		for (size_t i = 0; i < picture.points * picture.count; i++) {
			double value = picture.values[i];
			picture.low = isfinite(value) && value < picture.low ? value : picture.low;
			picture.high = isfinite(value) && value > picture.high ? value : picture.high;
		}
		if (picture.low == picture.high)
			picture.high = picture.low + 1;
		double height = picture.chart.rows_bottom - picture.chart.rows_top;
		double least = (picture.high - picture.low) * TICK_DISTANCE / height;
		picture.step = pow(10, floor(log10(least)));
		for (int i = 0; picture.step < least; i++)
			picture.step *= i % 3 == 1 ? 2.5 : 2;
		picture.high = ceil(picture.high / picture.step) * picture.step;
		picture.low = floor(picture.low / picture.step) * picture.step;

		status = draw(&picture, error);
	}
	canvas_release(&picture.canvas);
	histree_chart_view_free(picture.view);
	free(picture.values);
	free(picture.times);
	return status;
}

/* ---- draw ---------------------------------------------------------------------------------------------------- */

static enum histree_status check(const struct histree_history_info *info,
				 const struct histree_draw_options *options, struct histree_error *error)
{
	enum histree_status status = picture_look_check(&options->look, error);
	if (status != HISTREE_OK)
		return status;
	if (options->view == HISTREE_DRAW_TREE)
		return HISTREE_OK;
	if (options->view == HISTREE_DRAW_CHART && options->chart == NULL)
		return error_set(error, HISTREE_ERR_ARGUMENT, "a picture of a chart without its name");
	if (options->from > options->to)
		return error_set(error, HISTREE_ERR_ARGUMENT, "a range from %lld to %lld", (long long)options->from,
				 (long long)options->to);
	if (options->from < info->start || options->to > info->end)
		return error_set(error, HISTREE_ERR_TIME_RANGE,
				 "a picture from %lld to %lld; the history goes from %lld to %lld",
				 (long long)options->from, (long long)options->to, (long long)info->start,
				 (long long)info->end);
	for (size_t i = 0; i < options->quark_count; i++)
		if (options->quarks[i] >= info->attribute_count)
			return error_set(error, HISTREE_ERR_QUARK, "there is no attribute %u; the history has %u",
					 options->quarks[i], info->attribute_count);
	return HISTREE_OK;
}

static enum histree_status draw_flame(struct histree_history *history, const struct histree_draw_options *options,
				      picture_write *write, void *context, struct histree_error *error)
{
	struct histree_flame *flame;
	const struct histree_flame_request request = { .history = history,
						       .quarks = options->quarks,
						       .quark_count = options->quark_count,
						       .from = options->from,
						       .to = options->to,
						       .work = options->work };
	const struct histree_draw_flame_options picture = { .look = options->look };
	enum histree_status status = histree_flame_create(&(struct histree_flame_options){ 0 }, &flame, error);
	if (status == HISTREE_OK)
		status = histree_flame_add_history(flame, &request, error);
	if (status == HISTREE_OK)
		status = histree_flame_finish(flame, error);
	if (status == HISTREE_OK)
		status = histree_draw_flame(flame, &picture, write, context, error);
	histree_flame_free(flame);
	return status;
}

static enum histree_status draw_chart(struct histree_history *history, const struct histree_draw_options *options,
				      picture_write *write, void *context, struct histree_error *error)
{
	const struct histree_chart *chart = histree_chart_find(history, options->chart);
	return chart != NULL && chart->kind == HISTREE_CHART_STATES
		       ? rows_picture(history, options, write, context, error)
		       : lines_picture(history, options, write, context, error);
}

enum histree_status histree_draw(struct histree_history *history, const struct histree_draw_options *options,
				 picture_write *write, void *context, struct histree_error *error)
{
	enum histree_status status = check(histree_history_info(history), options, error);
	if (status != HISTREE_OK)
		return status;
	switch (options->view) {
	case HISTREE_DRAW_TREE:
		return tree_picture(history, options, write, context, error);
	case HISTREE_DRAW_FLAME:
		return draw_flame(history, options, write, context, error);
	case HISTREE_DRAW_CHART:
		return draw_chart(history, options, write, context, error);
	default:
		return rows_picture(history, options, write, context, error);
	}
}

bool histree_can_draw(void)
{
	return true;
}
