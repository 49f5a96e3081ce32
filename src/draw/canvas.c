// SPDX-License-Identifier: MIT
#include "draw/canvas.h"

#include <cairo-svg.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "draw/picture_text.h"

static const struct theme light = {
	.ground = 0xffffff,
	.panel = 0xf7f8fa,
	.text = 0x232a31,
	.soft_text = 0x646e79,
	.line = 0xb8c0c9,
	.grid = 0xe3e7eb,
	.accent = 0xa3262f,
};

static const struct theme dark = {
	.is_dark = true,
	.ground = 0x15191e,
	.panel = 0x1c2127,
	.text = 0xe4e8ec,
	.soft_text = 0x98a2ad,
	.line = 0x4a535d,
	.grid = 0x2a3138,
	.accent = 0xf0717a,
};

const struct theme *theme_of(enum histree_draw_theme theme)
{
	return theme == HISTREE_DRAW_DARK ? &dark : &light;
}

static bool is_size(uint32_t size)
{
	return size == 0 || (size >= HISTREE_DRAW_SIZE_MIN && size <= HISTREE_DRAW_SIZE_MAX);
}

enum histree_status picture_size_check(uint32_t width, uint32_t height, struct histree_error *error)
{
	if (is_size(width) && is_size(height))
		return HISTREE_OK;
	return error_set(error, HISTREE_ERR_ARGUMENT, "a picture of %u x %u; each is %d to %d", width, height,
			 HISTREE_DRAW_SIZE_MIN, HISTREE_DRAW_SIZE_MAX);
}

static cairo_status_t write_bytes(void *closure, const unsigned char *bytes, unsigned size)
{
	const struct canvas *canvas = closure;
	return canvas->write(canvas->context, bytes, size) ? CAIRO_STATUS_SUCCESS : CAIRO_STATUS_WRITE_ERROR;
}

static enum histree_status say(cairo_status_t status, struct histree_error *error)
{
	switch (status) {
	case CAIRO_STATUS_SUCCESS:
		return HISTREE_OK;
	case CAIRO_STATUS_NO_MEMORY:
		return error_memory(error, "a picture");
	case CAIRO_STATUS_WRITE_ERROR:
		return error_set(error, HISTREE_ERR_IO, "the picture could not be written");
	default:
		return error_set(error, HISTREE_ERR_INTERNAL, "drawing failed: %s", cairo_status_to_string(status));
	}
}

enum histree_status canvas_open(struct canvas *canvas, const struct histree_draw_options *options, uint32_t width,
				uint32_t height, bool (*write)(void *context, const void *bytes, size_t size),
				void *context, struct histree_error *error)
{
	*canvas = (struct canvas){
		.theme = theme_of(options->theme),
		.is_png = options->format == HISTREE_DRAW_PNG,
		.write = write,
		.context = context,
	};
	canvas->surface = canvas->is_png ? cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)width, (int)height)
					 : cairo_svg_surface_create_for_stream(write_bytes, canvas, width, height);
	if (!canvas->is_png)
		cairo_svg_surface_set_document_unit(canvas->surface, CAIRO_SVG_UNIT_PX);
	canvas->cairo = cairo_create(canvas->surface);
	canvas_colour(canvas, canvas->theme->ground, 1);
	cairo_paint(canvas->cairo);
	return say(cairo_status(canvas->cairo), error);
}

enum histree_status canvas_finish(struct canvas *canvas, struct histree_error *error)
{
	cairo_status_t status = cairo_status(canvas->cairo);
	if (status == CAIRO_STATUS_SUCCESS && canvas->is_png)
		status = cairo_surface_write_to_png_stream(canvas->surface, write_bytes, canvas);
	if (status == CAIRO_STATUS_SUCCESS) {
		cairo_surface_finish(canvas->surface);
		status = cairo_surface_status(canvas->surface);
	}
	return say(status, error);
}

/* A surface that is given up hands out its end too; no one wants it any more. */
static bool drop(void *context, const void *bytes, size_t size)
{
	(void)context;
	(void)bytes;
	(void)size;
	return true;
}

void canvas_release(struct canvas *canvas)
{
	canvas->write = drop;
	if (canvas->cairo != NULL)
		cairo_destroy(canvas->cairo);
	if (canvas->surface != NULL)
		cairo_surface_destroy(canvas->surface);
	*canvas = (struct canvas){ 0 };
}

void canvas_colour(struct canvas *canvas, uint32_t colour, double opacity)
{
	cairo_set_source_rgba(canvas->cairo, (double)(colour >> 16 & 255) / 255, (double)(colour >> 8 & 255) / 255,
			      (double)(colour & 255) / 255, opacity);
}

void canvas_box(struct canvas *canvas, double x, double y, double width, double height)
{
	canvas_add_box(canvas, x, y, width, height);
	canvas_fill(canvas);
}

void canvas_add_box(struct canvas *canvas, double x, double y, double width, double height)
{
	cairo_rectangle(canvas->cairo, x, y, width, height);
}

void canvas_fill(struct canvas *canvas)
{
	cairo_fill(canvas->cairo);
}

void canvas_line(struct canvas *canvas, double x1, double y1, double x2, double y2, double width)
{
	cairo_set_line_width(canvas->cairo, width);
	cairo_move_to(canvas->cairo, x1, y1);
	cairo_line_to(canvas->cairo, x2, y2);
	cairo_stroke(canvas->cairo);
}

/* ---- text ------------------------------------------------------------------------------------------------- */

static void choose_font(struct canvas *canvas, enum canvas_font font)
{
	static const double sizes[] = { [FONT_TITLE] = 15, [FONT_LABEL] = 12, [FONT_SMALL] = 10.5 };
	cairo_select_font_face(canvas->cairo, "sans-serif", CAIRO_FONT_SLANT_NORMAL,
			       font == FONT_TITLE ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
	cairo_set_font_size(canvas->cairo, sizes[font]);
}

static double advance(struct canvas *canvas, const char *text)
{
	cairo_text_extents_t extents;
	cairo_text_extents(canvas->cairo, text, &extents);
	return extents.x_advance;
}

double canvas_text_width(struct canvas *canvas, enum canvas_font font, const char *text)
{
	char clean[CLEAN_TEXT_SIZE];
	clean_text(clean, text);
	choose_font(canvas, font);
	return advance(canvas, clean);
}

/* Letters are taken away until there is room; false: not even one fits. */
static bool fit(struct canvas *canvas, char text[CLEAN_TEXT_SIZE], double width)
{
	if (advance(canvas, text) <= width)
		return true;
	for (size_t length = clean_text_cut(text, strlen(text)); length > 0;
	     length = clean_text_cut(text, length)) {
		char shorter[CLEAN_TEXT_SIZE + 4];
		snprintf(shorter, sizeof(shorter), "%.*s\u2026", (int)length, text);
		if (advance(canvas, shorter) > width)
			continue;
		memcpy(text + length, "\u2026", sizeof("\u2026"));
		return true;
	}
	return false;
}

void canvas_text(struct canvas *canvas, enum canvas_font font, enum canvas_align align, double x, double y,
		 double width, const char *text)
{
	char clean[CLEAN_TEXT_SIZE + 4];
	clean_text(clean, text);
	choose_font(canvas, font);
	if (!fit(canvas, clean, width))
		return;
	double own = align == ALIGN_LEFT ? 0 : advance(canvas, clean);
	cairo_move_to(canvas->cairo, x - (align == ALIGN_CENTRE ? floor(own / 2) : own), y);
	cairo_show_text(canvas->cairo, clean);
}

uint32_t readable_on(uint32_t colour)
{
	uint32_t red = colour >> 16 & 255, green = colour >> 8 & 255, blue = colour & 255;
	return (red * 299 + green * 587 + blue * 114) / 1000 > 150 ? 0x1d232a : 0xffffff;
}
