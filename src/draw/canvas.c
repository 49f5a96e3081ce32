// SPDX-License-Identifier: MIT
/*
 * canvas.c - the surface of a picture: texts that cairo can show, axes of time, colours.
 */
#include "draw/canvas.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/json_text.h"
#include "base/number_text.h"
#include "draw/pictures.h"
#include "histree/value.h"

/* ---- picture text -------------------------------------------------------------------------------------------- */

/* Returns the size of a character of a terminated text; 0 if it is no UTF-8, or a control character. */
static size_t shown_size(const unsigned char *at)
{
	const size_t size = utf8_character_size(at, UTF8_SIZE_MAX);
	const bool is_control = size == 1 ? at[0] < 0x20 || at[0] == 0x7f : at[0] == 0xc2 && at[1] < 0xa0;
	return is_control ? 0 : size;
}

void clean_text(char out[CLEAN_TEXT_SIZE], const char *text)
{
	size_t used = 0;
	for (const unsigned char *at = (const unsigned char *)text; *at != '\0';) {
		size_t size = shown_size(at);
		if (used + (size > 0 ? size : 1) >= CLEAN_TEXT_SIZE)
			break;
		if (size > 0)
			memcpy(out + used, at, size);
		else
			out[used] = '?';
		used += size > 0 ? size : 1;
		at += size > 0 ? size : 1;
	}
	out[used] = '\0';
}

size_t clean_text_cut(const char *text, size_t length)
{
	while (length > 0 && ((unsigned char)text[--length] & 0xc0) == 0x80)
		;
	return length;
}

const char *grouped_number(uint64_t number, char text[GROUPED_NUMBER_SIZE])
{
	char digits[24];
	int length = snprintf(digits, sizeof(digits), "%" PRIu64, number), at = 0;
	for (int i = 0; i < length; i++) {
		if (i > 0 && (length - i) % 3 == 0)
			text[at++] = ',';
		text[at++] = digits[i];
	}
	text[at] = '\0';
	return text;
}

/* ---- cairo --------------------------------------------------------------------------------------------------- */

struct lib_cairo lib_cairo;

static struct library cairo =
	LIBRARY("libcairo.so.2", "pictures need cairo (Debian: libcairo2)", CAIRO_FUNCTIONS, lib_cairo);

/* ---- canvas -------------------------------------------------------------------------------------------------- */

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

enum histree_status picture_look_check(const struct histree_draw_look *look, struct histree_error *error)
{
	if (is_size(look->width) && is_size(look->height))
		return HISTREE_OK;
	return error_set(error, HISTREE_ERR_ARGUMENT, "a picture of %u x %u; each is %d to %d", look->width,
			 look->height, HISTREE_DRAW_SIZE_MIN, HISTREE_DRAW_SIZE_MAX);
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
		return error_set(error, HISTREE_ERR_INTERNAL, "drawing failed: %s",
				 lib_cairo.status_to_string(status));
	}
}

enum histree_status canvas_open(struct canvas *canvas, const struct histree_draw_look *look, uint32_t width,
				uint32_t height, picture_write *write, void *context, struct histree_error *error)
{
	*canvas = (struct canvas){
		.theme = theme_of(look->theme),
		.is_png = look->format == HISTREE_DRAW_PNG,
		.write = write,
		.context = context,
	};
	enum histree_status status = library_load(&cairo, error);
	if (status != HISTREE_OK)
		return status;
	canvas->surface = canvas->is_png
				  ? lib_cairo.image_surface_create(CAIRO_FORMAT_RGB24, (int)width, (int)height)
				  : lib_cairo.svg_surface_create_for_stream(write_bytes, canvas, width, height);
	if (!canvas->is_png)
		lib_cairo.svg_surface_set_document_unit(canvas->surface, CAIRO_SVG_UNIT_PX);
	canvas->cairo = lib_cairo.create(canvas->surface);
	canvas_colour(canvas, canvas->theme->ground, 1);
	lib_cairo.paint(canvas->cairo);
	return say(lib_cairo.status(canvas->cairo), error);
}

enum histree_status canvas_finish(struct canvas *canvas, struct histree_error *error)
{
	cairo_status_t status = lib_cairo.status(canvas->cairo);
	if (status == CAIRO_STATUS_SUCCESS && canvas->is_png)
		status = lib_cairo.surface_write_to_png_stream(canvas->surface, write_bytes, canvas);
	if (status == CAIRO_STATUS_SUCCESS) {
		lib_cairo.surface_finish(canvas->surface);
		status = lib_cairo.surface_status(canvas->surface);
	}
	return say(status, error);
}

/* A surface that is given up also produces its end, which is not wanted any more. */
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
		lib_cairo.destroy(canvas->cairo);
	if (canvas->surface != NULL)
		lib_cairo.surface_destroy(canvas->surface);
	*canvas = (struct canvas){ 0 };
}

void canvas_colour(struct canvas *canvas, uint32_t colour, double opacity)
{
	lib_cairo.set_source_rgba(canvas->cairo, (double)(colour >> 16 & 255) / 255,
				  (double)(colour >> 8 & 255) / 255, (double)(colour & 255) / 255, opacity);
}

void canvas_box(struct canvas *canvas, double x, double y, double width, double height)
{
	canvas_add_box(canvas, x, y, width, height);
	canvas_fill(canvas);
}

void canvas_add_box(struct canvas *canvas, double x, double y, double width, double height)
{
	lib_cairo.rectangle(canvas->cairo, x, y, width, height);
}

void canvas_fill(struct canvas *canvas)
{
	lib_cairo.fill(canvas->cairo);
}

void canvas_line(struct canvas *canvas, double x1, double y1, double x2, double y2, double width)
{
	lib_cairo.set_line_width(canvas->cairo, width);
	lib_cairo.move_to(canvas->cairo, x1, y1);
	lib_cairo.line_to(canvas->cairo, x2, y2);
	lib_cairo.stroke(canvas->cairo);
}

/* ---- text ------------------------------------------------------------------------------------------------- */

static void choose_font(struct canvas *canvas, enum canvas_font font)
{
	static const double sizes[] = { [FONT_TITLE] = 15, [FONT_LABEL] = 12, [FONT_SMALL] = 10.5 };
	lib_cairo.select_font_face(canvas->cairo, "sans-serif", CAIRO_FONT_SLANT_NORMAL,
				   font == FONT_TITLE ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
	lib_cairo.set_font_size(canvas->cairo, sizes[font]);
}

static double canvas_advance(struct canvas *canvas, const char *text)
{
	cairo_text_extents_t extents;
	lib_cairo.text_extents(canvas->cairo, text, &extents);
	return extents.x_advance;
}

double canvas_text_width(struct canvas *canvas, enum canvas_font font, const char *text)
{
	char clean[CLEAN_TEXT_SIZE];
	clean_text(clean, text);
	choose_font(canvas, font);
	return canvas_advance(canvas, clean);
}

/* Letters are taken away until there is room; false: not even one fits. */
static bool fit(struct canvas *canvas, char text[CLEAN_TEXT_SIZE], double width)
{
	if (canvas_advance(canvas, text) <= width)
		return true;
	for (size_t length = clean_text_cut(text, strlen(text)); length > 0;
	     length = clean_text_cut(text, length)) {
		char shorter[CLEAN_TEXT_SIZE + 4];
		snprintf(shorter, sizeof(shorter), "%.*s\u2026", (int)length, text);
		if (canvas_advance(canvas, shorter) > width)
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
	double own = align == ALIGN_LEFT ? 0 : canvas_advance(canvas, clean);
	lib_cairo.move_to(canvas->cairo, x - (align == ALIGN_CENTRE ? floor(own / 2) : own), y);
	lib_cairo.show_text(canvas->cairo, clean);
}

uint32_t readable_on(uint32_t colour)
{
	uint32_t red = colour >> 16 & 255, green = colour >> 8 & 255, blue = colour & 255;
	return (red * 299 + green * 587 + blue * 114) / 1000 > 150 ? 0x1d232a : 0xffffff;
}

/* ---- time axis ----------------------------------------------------------------------------------------------- */

#define SECOND INT64_C(1000000000)
#define DAY (86400 * SECOND)
/* Above a second people do not count in tens; beyond a day in days. */
static const int64_t long_steps[] = { 1,     2,     5,      10,     15,      30,       60,       120,
				      300,   600,   900,    1800,   3600,    7200,     10800,    21600,
				      43200, 86400, 172800, 864000, 8640000, 86400000, 864000000 };

static int64_t choose_step(double min)
{
	for (int64_t decade = 1; decade < SECOND; decade *= 10)
		for (int64_t one = 1; one <= 5; one += one == 1 ? 1 : 3)
			if ((double)(one * decade) >= min)
				return one * decade;
	size_t i = 0;
	while (i + 1 < sizeof(long_steps) / sizeof(long_steps[0]) && (double)long_steps[i] * 1e9 < min)
		i++;
	return long_steps[i] * SECOND;
}

struct time_axis time_axis(histree_time from, histree_time to, double x, double width, double distance)
{
	struct time_axis axis = { .from = from, .to = to, .x = x, .width = width };
	double length = (double)((uint64_t)to - (uint64_t)from) + 1;
	axis.step = choose_step(length * distance / width);
	for (int64_t step = axis.step; step % SECOND != 0 && axis.decimals < 9; step *= 10)
		axis.decimals++;
	return axis;
}

double time_axis_x(const struct time_axis *axis, histree_time t)
{
	double length = (double)((uint64_t)axis->to - (uint64_t)axis->from) + 1;
	return axis->x + (double)((uint64_t)t - (uint64_t)axis->from) / length * axis->width;
}

/* Returns whether t + ns is in the range; then that is t. */
static bool time_axis_advance(const struct time_axis *axis, histree_time *t, int64_t ns)
{
	if ((uint64_t)axis->to - (uint64_t)*t < (uint64_t)ns)
		return false;
	*t += ns;
	return true;
}

bool time_axis_first(const struct time_axis *axis, histree_time *tick)
{
	int64_t since = axis->from % axis->step; /* since the last tick, which for times before 1970 is negative */
	*tick = axis->from;
	return since == 0 || time_axis_advance(axis, tick, since > 0 ? axis->step - since : -since);
}

bool time_axis_next(const struct time_axis *axis, histree_time *tick)
{
	return time_axis_advance(axis, tick, axis->step);
}

void time_axis_label(const struct time_axis *axis, histree_time tick, char *text, size_t size)
{
	char clock[TIME_TEXT_SIZE];
	if (time_has_day(tick) && tick % DAY == 0 && (uint64_t)axis->to - (uint64_t)axis->from >= (uint64_t)DAY) {
		time_format_date(tick, clock);
		snprintf(text, size, "%.10s", clock);
		return;
	}
	time_format_clock(tick, clock);
	const int whole = (int)strcspn(clock, ".");
	snprintf(text, size, "%.*s%s", axis->decimals > 0 ? whole + 1 + axis->decimals : whole, clock,
		 time_has_day(tick) ? "" : " s");
}
