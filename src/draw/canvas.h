/* SPDX-License-Identifier: MIT */
/*
 * canvas.h - a surface of cairo, with the few things that pictures are made of: boxes, lines, text, axes of time.
 *
 * What goes wrong inside cairo is kept by cairo and said at the end, by canvas_finish().  Names of a trace may
 * hold any bytes, but cairo gives up a whole picture for one that is no UTF-8: texts are made clean.
 */
#ifndef DRAW_CANVAS_H
#define DRAW_CANVAS_H

#include <cairo-svg.h>
#include <cairo.h>
#include <stddef.h>
#include <stdint.h>

#include "base/library.h"
#include "draw/pictures.h"
#include "histree/value.h"

/* clang-format off */
#define CAIRO_FUNCTIONS(F) \
	F(cairo_, arc) F(cairo_, close_path) F(cairo_, create) F(cairo_, curve_to) F(cairo_, destroy) \
	F(cairo_, fill) F(cairo_, fill_preserve) F(cairo_, image_surface_create) F(cairo_, line_to) \
	F(cairo_, move_to) F(cairo_, new_sub_path) F(cairo_, paint) F(cairo_, rectangle) \
	F(cairo_, select_font_face) F(cairo_, set_font_size) F(cairo_, set_line_join) \
	F(cairo_, set_line_width) F(cairo_, set_source_rgba) F(cairo_, show_text) F(cairo_, status) \
	F(cairo_, status_to_string) F(cairo_, stroke) F(cairo_, surface_destroy) \
	F(cairo_, surface_finish) F(cairo_, surface_status) F(cairo_, surface_write_to_png_stream) \
	F(cairo_, svg_surface_create_for_stream) F(cairo_, svg_surface_set_document_unit) \
	F(cairo_, text_extents)
/* clang-format on */

/* Loaded by canvas_open(). */
extern struct lib_cairo {
	CAIRO_FUNCTIONS(LIBRARY_POINTER)
} lib_cairo;

/* What is longer is cut: no row of a picture has room for it. */
enum { CLEAN_TEXT_SIZE = 256 };

/* Makes a terminated copy in which control characters and whatever is no UTF-8 are '?'. */
void clean_text(char out[CLEAN_TEXT_SIZE], const char *text);

/* Returns the length of clean text of `length` bytes without its last character. */
size_t clean_text_cut(const char *text, size_t length);

/* Writes "8,595".  Returns `text`. */
enum { GROUPED_NUMBER_SIZE = 32 };

const char *grouped_number(uint64_t number, char text[GROUPED_NUMBER_SIZE]);

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
	picture_write *write;
	void *context;
};

/* Returns HISTREE_ERR_ARGUMENT with a sentence if a width or height is beyond the limits; 0 is fine. */
enum histree_status picture_look_check(const struct histree_draw_look *look, struct histree_error *error);

/* The picture has a ground of one colour.  canvas_release() also after failure. */
enum histree_status canvas_open(struct canvas *canvas, const struct histree_draw_look *look, uint32_t width,
				uint32_t height, picture_write *write, void *context, struct histree_error *error);

/* Hands out what is left of the picture. */
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

struct time_axis {
	histree_time from, to;
	double x, width; /* of the range, in the picture */
	int64_t step;    /* ns between two ticks */
	int decimals;    /* of a second that a label needs */
};

/* Makes an axis whose ticks are at least `distance` apart. */
struct time_axis time_axis(histree_time from, histree_time to, double x, double width, double distance);
double time_axis_x(const struct time_axis *axis, histree_time t);

/* Set *tick to the first tick, and to the one after it; return false if the range has no such tick. */
bool time_axis_first(const struct time_axis *axis, histree_time *tick);
bool time_axis_next(const struct time_axis *axis, histree_time *tick);

/*
 * Writes "17:46:22.8": the time of day with as many decimals as ticks differ in; in a range of a day or more,
 * where a day begins, "2016-03-04".
 */
void time_axis_label(const struct time_axis *axis, histree_time tick, char *text, size_t size);

#endif
