/* SPDX-License-Identifier: MIT */
/*
 * canvas.h - a surface of cairo, with the few things that pictures are made of: boxes, lines, text.
 *
 * What goes wrong inside cairo is kept by cairo and said at the end, by canvas_finish().
 */
#ifndef DRAW_CANVAS_H
#define DRAW_CANVAS_H

#include <cairo.h>

#include "histree/draw.h"

/* Colours are 0xRRGGBB. */
struct theme {
	bool is_dark;
	uint32_t ground; /* of the picture */
	uint32_t panel;  /* of the chart in it */
	uint32_t text, soft_text;
	uint32_t line, grid;
	uint32_t accent;
};

const struct theme *theme_of(enum histree_draw_theme theme);

enum canvas_font { FONT_TITLE, FONT_LABEL, FONT_SMALL };
enum canvas_align { ALIGN_LEFT, ALIGN_CENTRE, ALIGN_RIGHT };

struct canvas {
	cairo_t *cairo;
	cairo_surface_t *surface;
	const struct theme *theme;
	bool is_png;
	bool (*write)(void *context, const void *bytes, size_t size);
	void *context;
};

/* Returns HISTREE_ERR_ARGUMENT with a sentence if a width or height is beyond the limits; 0 is fine. */
enum histree_status picture_size_check(uint32_t width, uint32_t height, struct histree_error *error);

/* The picture has a ground of one colour.  canvas_release() also after failure. */
enum histree_status canvas_open(struct canvas *canvas, const struct histree_draw_options *options, uint32_t width,
				uint32_t height, bool (*write)(void *context, const void *bytes, size_t size),
				void *context, struct histree_error *error);

/* Hand out what is left of the picture. */
enum histree_status canvas_finish(struct canvas *canvas, struct histree_error *error);
void canvas_release(struct canvas *canvas);

void canvas_colour(struct canvas *canvas, uint32_t colour, double opacity);

/* Fill a box; add it to the path, to be filled with others of its colour. */
void canvas_box(struct canvas *canvas, double x, double y, double width, double height);
void canvas_add_box(struct canvas *canvas, double x, double y, double width, double height);
void canvas_fill(struct canvas *canvas);

void canvas_line(struct canvas *canvas, double x1, double y1, double x2, double y2, double width);

/* Letters stand on `y`.  Text that is wider than `width` ends in an ellipsis, or is left out. */
void canvas_text(struct canvas *canvas, enum canvas_font font, enum canvas_align align, double x, double y,
		 double width, const char *text);
double canvas_text_width(struct canvas *canvas, enum canvas_font font, const char *text);

/* A colour in which text can be read on this one. */
uint32_t readable_on(uint32_t colour);

#endif
