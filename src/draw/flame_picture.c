// SPDX-License-Identifier: MIT
/*
 * flame_picture.c - a flame graph as a picture, and as SVG whose boxes have titles.
 *
 * A flame graph as SVG whose boxes have titles, which a browser shows below the pointer.  Cairo
 * makes none.
 *
 * A flame graph has a box for each node, as wide as its share, on top of the box of its parent.
 *
 * The outermost frames are at the bottom.  Siblings that are too narrow to be seen share one box, so that their
 * time does not look like that of the frame below them.  With two sides, a box is as wide as the mean of its
 * shares, and its colour shows on which side it has more.
 */
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "draw/canvas.h"

/* Bytes are handed out when there are enough of them. */
struct flame_svg {
	const struct theme *theme;
	picture_write *write;
	void *context;
	bool has_failed;
	size_t used;
	char bytes[16384];
};

struct flame_box {
	double x, y, width, height;
	uint32_t colour;
	const char *label; /* cut to the width, or left out */
	const char *title;
};

/* ---- flame svg ----------------------------------------------------------------------------------------------- */

/* A letter of labels, which are monospaced so that their width is known without a font. */
static const double LETTER = 6.05;

enum { LABEL_SIZE = 10, LABEL_MARGIN = 3 };

static void flush(struct flame_svg *svg)
{
	svg->has_failed = svg->has_failed || !svg->write(svg->context, svg->bytes, svg->used);
	svg->used = 0;
}

static void svg_put(struct flame_svg *svg, const char *text, size_t size)
{
	if (svg->used + size > sizeof(svg->bytes))
		flush(svg);
	memcpy(svg->bytes + svg->used, text, size);
	svg->used += size;
}

__attribute__((format(printf, 2, 3))) static void put_format(struct flame_svg *svg, const char *format, ...)
{
	char text[512];
	va_list arguments;
	va_start(arguments, format);
	int size = vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	svg_put(svg, text, size < (int)sizeof(text) ? (size_t)size : sizeof(text) - 1);
}

/* Clean text, in which nothing is markup. */
static void put_text(struct flame_svg *svg, const char *text)
{
	for (; *text != '\0'; text++)
		switch (*text) {
		case '<':
			svg_put(svg, "&lt;", 4);
			break;
		case '>':
			svg_put(svg, "&gt;", 4);
			break;
		case '&':
			svg_put(svg, "&amp;", 5);
			break;
		default:
			svg_put(svg, text, 1);
		}
}

static size_t count_characters(const char *text)
{
	size_t count = 0;
	for (; *text != '\0'; text++)
		count += ((unsigned char)*text & 0xc0) != 0x80;
	return count;
}

/* Letters stand on `y`. */
static void flame_svg_text(struct flame_svg *svg, enum canvas_font font, double x, double y, const char *text)
{
	char clean[CLEAN_TEXT_SIZE];
	clean_text(clean, text);
	put_format(svg, "<text x=\"%.2f\" y=\"%.2f\" fill=\"#%06x\" style=\"font:%s sans-serif\">", x, y,
		   font == FONT_TITLE ? svg->theme->text : svg->theme->soft_text,
		   font == FONT_TITLE ? "bold 15px" : "10.5px");
	put_text(svg, clean);
	put_format(svg, "</text>\n");
}

/* Returns false if a byte could not be written. */
static bool flame_svg_end(struct flame_svg *svg)
{
	put_format(svg, "</svg>\n");
	flush(svg);
	return !svg->has_failed;
}

/* ---- flame picture ------------------------------------------------------------------------------------------- */

enum { ROW = 17, HEAD = 52, FOOT = 12, MARGIN = 14, WIDTH = 1200, TITLE_SIZE = CLEAN_TEXT_SIZE };

static const double VISIBLE = 0.5; /* pixels */

struct flame_picture {
	const struct histree_draw_flame_options *options;
	const struct histree_flame_node *nodes;
	const char *unit; /* of weights; NULL: ns */
	uint32_t count, width, height;
	uint32_t rows;        /* that there is room for */
	uint32_t left_out;    /* nodes above them */
	struct canvas canvas; /* PNG */
	struct flame_svg svg;
};

/* ---- weights and words -------------------------------------------------------------------------------------- */

/* The share of a side that so much of it is. */
static double part(const struct flame_picture *picture, uint64_t ns, unsigned side)
{
	const uint64_t all = picture->nodes[0].total[side];
	return all > 0 ? (double)ns / (double)all : 0;
}

static double share(const struct flame_picture *picture, const struct histree_flame_node *node, unsigned side)
{
	return part(picture, node->total[side], side);
}

/* How many pixels wide these shares of both sides are. */
static double width_of(const struct flame_picture *picture, double a, double b)
{
	const double pixels = picture->width - 2.0 * MARGIN;
	if (!picture->options->is_difference)
		return a * pixels;
	bool has_both = picture->nodes[0].total[0] > 0 && picture->nodes[0].total[1] > 0;
	return (has_both ? (a + b) / 2 : a + b) * pixels;
}

static double node_width(const struct flame_picture *picture, const struct histree_flame_node *node)
{
	return width_of(picture, share(picture, node, 0), share(picture, node, 1));
}

/* Returns whether what is below a node can be seen, if only as one grey box. */
static bool shows_below(const struct flame_picture *picture, const struct histree_flame_node *node)
{
	return node->descendants > 0 && width_of(picture, part(picture, node->total[0] - node->self[0], 0),
						 part(picture, node->total[1] - node->self[1], 1)) >= VISIBLE;
}

static void put_duration(char *text, size_t size, uint64_t ns)
{
	static const struct {
		double ns;
		const char *unit;
	} units[] = { { 1e9, "s" }, { 1e6, "ms" }, { 1e3, "\u00b5s" }, { 1, "ns" } };
	size_t unit = 0;
	while (unit < 3 && (double)ns < units[unit].ns)
		unit++;
	snprintf(text, size, "%.*f %s", unit == 3 ? 0 : 3, (double)ns / units[unit].ns, units[unit].unit);
}

static void put_weight(const struct flame_picture *picture, char *text, size_t size, uint64_t weight)
{
	if (picture->unit != NULL)
		snprintf(text, size, "%" PRIu64 " %.16s", weight, picture->unit);
	else
		put_duration(text, size, weight);
}

static void put_title(const struct flame_picture *picture, const struct histree_flame_node *node,
		      char title[TITLE_SIZE])
{
	char total[40], self[40];
	const char *name = node->kind == HISTREE_FLAME_ROOT ? "all" : node->name;
	if (picture->options->is_difference) {
		double a = 100 * share(picture, node, 0), b = 100 * share(picture, node, 1);
		snprintf(title, TITLE_SIZE, "%.160s: %.2f %% of A, %.2f %% of B, %+.2f", name, a, b, b - a);
		return;
	}
	put_weight(picture, total, sizeof(total), node->total[0]);
	put_weight(picture, self, sizeof(self), node->self[0]);
	snprintf(title, TITLE_SIZE, "%.150s: %s, %.2f %%; %s of it itself", name, total,
		 100 * share(picture, node, 0), self);
}

/* ---- colours ------------------------------------------------------------------------------------------------ */

static uint32_t mix(uint32_t from, uint32_t to, double part)
{
	uint32_t colour = 0;
	for (int shift = 0; shift <= 16; shift += 8) {
		double a = from >> shift & 255, b = to >> shift & 255;
		colour |= (uint32_t)lround(a + (b - a) * part) << shift;
	}
	return colour;
}

/* Blue: less of it on side B; red: more. */
static uint32_t colour_of_difference(const struct flame_picture *picture, const struct histree_flame_node *node)
{
	const bool is_dark = picture->options->look.theme == HISTREE_DRAW_DARK;
	double a = share(picture, node, 0), b = share(picture, node, 1);
	double change = a + b > 0 ? (b - a) / (a + b) : 0;
	return mix(is_dark ? 0x4a535d : 0xe6e8eb, change < 0 ? 0x2a6cb8 : 0xc8402f, fabs(change));
}

static uint32_t colour_of(const struct flame_picture *picture, const struct histree_flame_node *node)
{
	const bool is_dark = picture->options->look.theme == HISTREE_DRAW_DARK;
	const struct histree_value name =
		node->kind == HISTREE_FLAME_UNKNOWN ? histree_unknown() : histree_string(node->name);
	if (node->kind == HISTREE_FLAME_ROOT || node->kind == HISTREE_FLAME_REST)
		return is_dark ? 0x4a535d : 0xb8c0c9;
	if (picture->options->is_difference)
		return colour_of_difference(picture, node);
	const struct histree_style *style = histree_style_of(NULL, &name);
	return style == NULL ? 0xb8c0c9 : is_dark ? style->dark : style->light;
}

/* ---- boxes -------------------------------------------------------------------------------------------------- */

static void draw_box(struct flame_picture *picture, struct flame_box box, uint32_t row)
{
	box.y = picture->height - FOOT - (double)(row + 1) * ROW;
	box.height = ROW - 1;
	/* A hairline between neighbours. */
	if (box.width > 2)
		box.width -= 0.6;
	if (picture->options->look.format == HISTREE_DRAW_SVG) {
		char title[CLEAN_TEXT_SIZE];
		clean_text(title, box.title);
		put_format(&picture->svg,
			   "<g><rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" fill=\"#%06x\"/><title>",
			   box.x, box.y, box.width, box.height, box.colour);
		put_text(&picture->svg, title);
		put_format(&picture->svg, "</title>");

		char label[CLEAN_TEXT_SIZE];
		const double room = (box.width - 2 * LABEL_MARGIN) / LETTER;
		clean_text(label, box.label);
		size_t characters = count_characters(label), length = strlen(label);
		if (room >= 3 && characters != 0) {
			const bool is_cut = (double)characters > room;
			for (; is_cut && (double)characters > room - 1; characters--)
				length = clean_text_cut(label, length);
			label[length] = '\0';
			put_format(&picture->svg,
				   "<text x=\"%.2f\" y=\"%.2f\" fill=\"#%06x\" pointer-events=\"none\">",
				   box.x + LABEL_MARGIN, box.y + box.height / 2 + 3.5, readable_on(box.colour));
			put_text(&picture->svg, label);
			put_format(&picture->svg, "%s</text>", is_cut ? "\u2026" : "");
		}

		put_format(&picture->svg, "</g>\n");

		return;
	}
	canvas_colour(&picture->canvas, box.colour, 1);
	canvas_box(&picture->canvas, box.x, box.y, box.width, box.height);
	canvas_colour(&picture->canvas, readable_on(box.colour), 1);
	if (box.width > 20)
		canvas_text(&picture->canvas, FONT_SMALL, ALIGN_LEFT, box.x + 3, box.y + box.height / 2 + 4,
			    box.width - 6, box.label);
}

static void draw_node(struct flame_picture *picture, const struct histree_flame_node *node, double x, double width)
{
	char title[TITLE_SIZE];
	put_title(picture, node, title);
	draw_box(picture,
		 (struct flame_box){ .x = x,
				     .width = width,
				     .colour = colour_of(picture, node),
				     .label = node->kind == HISTREE_FLAME_ROOT ? "all" : node->name,
				     .title = title },
		 node->depth);
}

/* Draws siblings that are too narrow to be seen one by one as one box. */
static void draw_narrow(struct flame_picture *picture, uint32_t count, uint32_t depth, double x, double width)
{
	char title[TITLE_SIZE];
	const bool is_dark = picture->options->look.theme == HISTREE_DRAW_DARK;
	if (width < VISIBLE)
		return;
	snprintf(title, sizeof(title), "%" PRIu32 " frames, too narrow to be drawn", count);
	draw_box(picture,
		 (struct flame_box){ .x = x,
				     .width = width,
				     .colour = is_dark ? 0x39414a : 0xd9dde2,
				     .label = "",
				     .title = title },
		 depth);
}

static void draw_children(struct flame_picture *picture, uint32_t parent, double x, double *left)
{
	const struct histree_flame_node *nodes = picture->nodes;
	const uint32_t end = parent + nodes[parent].descendants;
	double narrow = 0;
	uint32_t narrow_count = 0;
	for (uint32_t child = parent + 1; child <= end; child += nodes[child].descendants + 1) {
		double width = node_width(picture, &nodes[child]);
		left[child] = x;
		if (width >= VISIBLE) {
			draw_narrow(picture, narrow_count, nodes[child].depth, x - narrow, narrow);
			draw_node(picture, &nodes[child], x, width);
			narrow = narrow_count = 0;
		} else {
			left[child] = -1;
			narrow += width;
			narrow_count++;
		}
		x += width;
	}
	draw_narrow(picture, narrow_count, nodes[parent].depth + 1, x - narrow, narrow);
}

/* ---- the picture -------------------------------------------------------------------------------------------- */

/* How many rows the nodes have that can be seen. */
static uint32_t count_rows(const struct flame_picture *picture)
{
	uint32_t rows = 1;
	for (uint32_t i = 0; i < picture->count; i++) {
		const struct histree_flame_node *node = &picture->nodes[i];
		uint32_t needed = node->depth + 1 + shows_below(picture, node);
		if (node_width(picture, node) < VISIBLE)
			i += node->descendants;
		else if (needed > rows)
			rows = needed;
	}
	return rows;
}

static void measure(struct flame_picture *picture)
{
	const struct histree_draw_flame_options *options = picture->options;
	picture->width = options->look.width != 0 ? options->look.width : WIDTH;
	uint32_t rows = count_rows(picture), height = HEAD + FOOT + rows * ROW;
	picture->height = options->look.height != 0 ? options->look.height : height;
	if (picture->height > HISTREE_DRAW_SIZE_MAX)
		picture->height = HISTREE_DRAW_SIZE_MAX;
	if (picture->height < HISTREE_DRAW_SIZE_MIN)
		picture->height = HISTREE_DRAW_SIZE_MIN;
	picture->rows = (picture->height - HEAD - FOOT) / ROW;
}

static void draw_head(struct flame_picture *picture)
{
	char note[TITLE_SIZE];
	const char *title = picture->options->look.title != NULL ? picture->options->look.title : "Flame graph";

	char total[40];
	put_weight(picture, total, sizeof(total), picture->nodes[0].total[0]);
	if (picture->options->is_difference)
		snprintf(note, TITLE_SIZE,
			 "A to B: red is more in B, blue is less; as wide as the mean of both shares");
	else
		snprintf(note, TITLE_SIZE,
			 "%s in %" PRIu32 " different stacks; the outermost call is at the bottom", total,
			 picture->count - 1);
	size_t size = strlen(note);
	if (picture->left_out > 0)
		snprintf(note + size, TITLE_SIZE - size, "; %" PRIu32 " of them do not fit in", picture->left_out);

	if (picture->options->look.format == HISTREE_DRAW_SVG) {
		flame_svg_text(&picture->svg, FONT_TITLE, MARGIN, 24, title);
		flame_svg_text(&picture->svg, FONT_SMALL, MARGIN, 41, note);
		return;
	}
	canvas_colour(&picture->canvas, picture->canvas.theme->text, 1);
	canvas_text(&picture->canvas, FONT_TITLE, ALIGN_LEFT, MARGIN, 24, picture->width - 2 * MARGIN, title);
	canvas_colour(&picture->canvas, picture->canvas.theme->soft_text, 1);
	canvas_text(&picture->canvas, FONT_SMALL, ALIGN_LEFT, MARGIN, 41, picture->width - 2 * MARGIN, note);
}

static enum histree_status draw(struct flame_picture *picture, picture_write *write, void *context,
				struct histree_error *error)
{
	const struct histree_draw_flame_options *options = picture->options;
	enum histree_status status = HISTREE_OK;
	picture->svg.theme = theme_of(options->look.theme);
	picture->svg.write = write;
	picture->svg.context = context;
	if (options->look.format == HISTREE_DRAW_SVG) {
		put_format(&picture->svg,
			   "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
			   "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%u\" height=\"%u\" viewBox=\"0 0 %u "
			   "%u\">\n",
			   picture->width, picture->height, picture->width, picture->height);
		put_format(&picture->svg,
			   "<style>text{font:%dpx monospace} rect:hover{stroke:#%06x;stroke-width:1.5}</style>\n",
			   LABEL_SIZE, picture->svg.theme->text);
		put_format(&picture->svg, "<rect width=\"%u\" height=\"%u\" fill=\"#%06x\"/>\n", picture->width,
			   picture->height, picture->svg.theme->ground);
	} else {
		status = canvas_open(&picture->canvas, &options->look, picture->width, picture->height, write,
				     context, error);
	}
	if (status == HISTREE_OK) {
		const struct histree_flame_node *nodes = picture->nodes;
		double *left = malloc(picture->count * sizeof(*left)); /* by node; below 0: it is not drawn */
		if (left == NULL) {
			status = error_memory(error, "a flame graph");
		} else {
			left[0] = MARGIN;
			draw_node(picture, &nodes[0], left[0], picture->width - 2.0 * MARGIN);
			for (uint32_t i = 0; i < picture->count; i++)
				if (left[i] < 0) {
					i += nodes[i].descendants;
				} else if (nodes[i].depth + 1 < picture->rows) {
					draw_children(picture, i, left[i], left);
				} else {
					picture->left_out +=
						shows_below(picture, &nodes[i]) ? nodes[i].descendants : 0;
					i += nodes[i].descendants;
				}
			free(left);
		}
	}
	if (status == HISTREE_OK)
		draw_head(picture);
	if (status == HISTREE_OK && options->look.format != HISTREE_DRAW_SVG)
		status = canvas_finish(&picture->canvas, error);
	else if (status == HISTREE_OK && !flame_svg_end(&picture->svg))
		status = error_set(error, HISTREE_ERR_IO, "the picture could not be written");
	canvas_release(&picture->canvas);
	return status;
}

enum histree_status histree_draw_flame(const struct histree_flame *flame,
				       const struct histree_draw_flame_options *options, picture_write *write,
				       void *context, struct histree_error *error)
{
	enum histree_status status = picture_look_check(&options->look, error);
	if (status != HISTREE_OK)
		return status;
	struct flame_picture *picture = calloc(1, sizeof(*picture));
	if (picture == NULL)
		return error_memory(error, "a flame graph");
	picture->options = options;
	picture->unit = histree_flame_unit(flame);
	picture->nodes = histree_flame_nodes(flame, &picture->count);
	if (picture->nodes == NULL || picture->nodes[0].total[0] + picture->nodes[0].total[1] == 0)
		status = error_set(error, HISTREE_NOT_FOUND, "nothing is going on in that time");
	if (status == HISTREE_OK) {
		measure(picture);
		status = draw(picture, write, context, error);
	}
	free(picture);
	return status;
}
