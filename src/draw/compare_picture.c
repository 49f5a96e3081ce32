// SPDX-License-Identifier: MIT
/*
 * compare_picture.c - two runs beside each other: time in states as pairs of bars, and how long segments last as
 * two distributions over one axis.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "draw/canvas.h"

enum {
	WIDTH = 1200,
	HEAD = 58,
	FOOT = 30,
	MARGIN = 18,
	ROW = 34,
	LABELS = 250,
	NUMBERS = 230,
	ROWS = 24,
	CURVES = 320
};

static uint32_t colour_of_side(const struct canvas *canvas, int side)
{
	if (side == 0)
		return canvas->theme->is_dark ? 0x6ea8e5 : 0x2a6cb8;
	return canvas->theme->is_dark ? 0xf08a5d : 0xc8502f;
}

struct compare_picture {
	const struct histree_draw_comparison_options *options;
	struct canvas canvas;
	uint32_t width, height;
};

static enum histree_status picture_begin(struct compare_picture *picture, uint32_t height, picture_write *write,
					 void *context, struct histree_error *error)
{
	const struct histree_draw_comparison_options *options = picture->options;
	picture->width = options->look.width != 0 ? options->look.width : WIDTH;
	picture->height = options->look.height != 0 ? options->look.height : height;
	return canvas_open(&picture->canvas, &options->look, picture->width, picture->height, write, context,
			   error);
}

/* The title, and which colour is whose. */
static void draw_head(struct compare_picture *picture)
{
	static const char *const letters[] = { "A", "B" };
	struct canvas *canvas = &picture->canvas;
	const struct histree_draw_comparison_options *options = picture->options;
	double x = MARGIN;
	canvas_colour(canvas, canvas->theme->text, 1);
	canvas_text(canvas, FONT_TITLE, ALIGN_LEFT, MARGIN, 24, picture->width - 2 * MARGIN,
		    options->look.title != NULL ? options->look.title : "Comparison");
	for (int side = 0; side < 2; side++) {
		char text[160];
		snprintf(text, sizeof(text), "%s  %.140s", letters[side],
			 options->names[side] != NULL ? options->names[side] : "");
		canvas_colour(canvas, colour_of_side(canvas, side), 1);
		canvas_box(canvas, x, 35, 10, 10);
		canvas_colour(canvas, canvas->theme->soft_text, 1);
		canvas_text(canvas, FONT_SMALL, ALIGN_LEFT, x + 15, 44, picture->width / 2.0 - 40, text);
		x += fmin(canvas_text_width(canvas, FONT_SMALL, text), picture->width / 2.0 - 40) + 40;
	}
}

/* ---- states ------------------------------------------------------------------------------------------------- */

static void draw_state(struct compare_picture *picture, const struct histree_state_difference *state, size_t row,
		       double most)
{
	char text[256];
	struct canvas *canvas = &picture->canvas;
	const double left = MARGIN + LABELS, top = HEAD + (double)row * ROW;
	const double scale = (picture->width - left - NUMBERS - MARGIN) / most;
	const double shares[] = { state->a_share, state->b_share };
	const bool is_noise = fabs(state->b_share - state->a_share) <= state->noise;

	const size_t size = sizeof(text);
	const struct histree_value *value = &state->value;
	if (state->label != NULL)
		snprintf(text, size, "%s: %s", state->kind, state->label);
	else if (value->type == HISTREE_STRING)
		snprintf(text, size, "%.*s", (int)(value->size < 80 ? value->size : 80),
			 (const char *)value->bytes);
	else if (value->type == HISTREE_INT)
		snprintf(text, size, "%s%d", state->kind, value->int32);
	else if (value->type == HISTREE_LONG)
		snprintf(text, size, "%s%lld", state->kind, (long long)value->int64);
	else
		snprintf(text, size, "%s %s", state->kind, histree_type_name(value->type));

	canvas_colour(canvas, canvas->theme->text, is_noise ? 0.6 : 1);
	canvas_text(canvas, FONT_LABEL, ALIGN_RIGHT, left - 8, top + 18, LABELS - 16, text);
	for (int side = 0; side < 2; side++) {
		canvas_colour(canvas, colour_of_side(canvas, side), is_noise ? 0.45 : 1);
		canvas_box(canvas, left, top + 3 + 12 * side, fmax(shares[side] * scale, 1), 11);
	}
	snprintf(text, sizeof(text), "%.4f  \u2192  %.4f   %s", state->a_share, state->b_share,
		 is_noise                          ? "noise"
		 : state->b_share > state->a_share ? "more"
						   : "less");
	canvas_colour(canvas, canvas->theme->soft_text, 1);
	canvas_text(canvas, FONT_SMALL, ALIGN_LEFT, left + fmax(shares[0], shares[1]) * scale + 8, top + 18,
		    NUMBERS, text);
}

static size_t rows_that_fit(const struct histree_draw_comparison_options *options)
{
	if (options->look.height == 0)
		return ROWS;
	return options->look.height > HEAD + FOOT + ROW ? (options->look.height - HEAD - FOOT) / ROW : 1;
}

enum histree_status histree_draw_states_compared(const struct histree_state_comparison *comparison,
						 const struct histree_draw_comparison_options *options,
						 picture_write *write, void *context, struct histree_error *error)
{
	struct compare_picture picture = { .options = options };
	const struct histree_state_difference *state;
	size_t count = 0;
	double most = 0;
	enum histree_status status = picture_look_check(&options->look, error);
	if (status != HISTREE_OK)
		return status;
	for (;
	     count < rows_that_fit(options) && (state = histree_state_comparison_state(comparison, count)) != NULL;
	     count++)
		most = fmax(most, fmax(state->a_share, state->b_share));
	if (count == 0 || most <= 0)
		return error_set(error, HISTREE_NOT_FOUND, "there is nothing to compare");
	uint32_t height = HEAD + FOOT + (uint32_t)count * ROW;
	status = picture_begin(&picture, height > HISTREE_DRAW_SIZE_MIN ? height : HISTREE_DRAW_SIZE_MIN, write,
			       context, error);
	if (status == HISTREE_OK) {
		draw_head(&picture);
		for (size_t i = 0; i < count; i++)
			draw_state(&picture, histree_state_comparison_state(comparison, i), i, most);
		canvas_colour(&picture.canvas, picture.canvas.theme->soft_text, 1);
		canvas_text(&picture.canvas, FONT_SMALL, ALIGN_LEFT, MARGIN, picture.height - 10,
			    picture.width - 2 * MARGIN,
			    "a bar is the mean number of attributes in the state; pale: no more than the halves of "
			    "one run "
			    "differ");
		status = canvas_finish(&picture.canvas, error);
	}
	canvas_release(&picture.canvas);
	return status;
}

/* ---- durations ---------------------------------------------------------------------------------------------- */

struct curves {
	const struct histree_duration_bucket *buckets[2];
	size_t counts[2];
	const struct histree_segment_density *densities[2];
	double total[2], low, high, most; /* of durations, as logarithms; of shares */
};

static double share_of(const struct curves *curves, int side, size_t bucket)
{
	uint64_t sum = 0;
	for (size_t group = 0; histree_segment_density_group(curves->densities[side], group) != NULL; group++)
		sum += histree_segment_density_count(curves->densities[side], group, 0, bucket);
	return curves->total[side] > 0 ? (double)sum / curves->total[side] : 0;
}

static double x_of(const struct compare_picture *picture, const struct curves *curves, double ns)
{
	double span = fmax(curves->high - curves->low, 0.1);
	return MARGIN + 30 + (log10(fmax(ns, 1)) - curves->low) / span * (picture->width - 2.0 * MARGIN - 60);
}

static double y_of(const struct compare_picture *picture, const struct curves *curves, double share)
{
	const double bottom = picture->height - FOOT - 14.0;
	return bottom - share / curves->most * (bottom - HEAD - 10);
}

/* Powers of ten. */
static void draw_axis(struct compare_picture *picture, const struct curves *curves)
{
	static const char *const names[] = { "1 ns", "10 ns", "100 ns", "1 \u00b5s", "10 \u00b5s", "100 \u00b5s",
					     "1 ms", "10 ms", "100 ms", "1 s",       "10 s",       "100 s" };
	struct canvas *canvas = &picture->canvas;
	for (int power = (int)ceil(curves->low); power <= curves->high && power < 12; power++) {
		double x = x_of(picture, curves, pow(10, power));
		canvas_colour(canvas, canvas->theme->grid, 1);
		canvas_line(canvas, x, HEAD, x, picture->height - FOOT - 14, 1);
		canvas_colour(canvas, canvas->theme->soft_text, 1);
		canvas_text(canvas, FONT_SMALL, ALIGN_CENTRE, x, picture->height - FOOT + 2, 80, names[power]);
	}
}

/* A step for each bucket: filled and pale, and its upper edge. */
static void draw_curve(struct compare_picture *picture, const struct curves *curves, int side)
{
	struct canvas *canvas = &picture->canvas;
	const double bottom = y_of(picture, curves, 0);
	double before = bottom;
	for (size_t i = 0; i < curves->counts[side]; i++) {
		const struct histree_duration_bucket *bucket = &curves->buckets[side][i];
		double left = x_of(picture, curves, (double)bucket->min);
		double right = x_of(picture, curves, (double)bucket->max + 1);
		double top = y_of(picture, curves, share_of(curves, side, i));
		canvas_colour(canvas, colour_of_side(canvas, side), 0.22);
		canvas_box(canvas, left, top, right - left, bottom - top);
		canvas_colour(canvas, colour_of_side(canvas, side), 1);
		canvas_line(canvas, left, before, left, top, 1.5);
		canvas_line(canvas, left, top, right, top, 1.5);
		if (i + 1 == curves->counts[side])
			canvas_line(canvas, right, top, right, bottom, 1.5);
		before = top;
	}
}

static void draw_percentiles(struct compare_picture *picture, const struct curves *curves,
			     const struct histree_segment_group *group, int side)
{
	static const struct {
		enum histree_percentile percentile;
		const char *name;
	} marks[] = { { HISTREE_P50, "p50" }, { HISTREE_P99, "p99" } };
	struct canvas *canvas = &picture->canvas;
	for (size_t i = 0; group->count > 0 && i < sizeof(marks) / sizeof(*marks); i++) {
		double x = x_of(picture, curves, (double)group->percentiles[marks[i].percentile]);
		canvas_colour(canvas, colour_of_side(canvas, side), 0.9);
		canvas_line(canvas, x, HEAD + 16 * side, x, picture->height - FOOT - 14, 1);
		canvas_text(canvas, FONT_SMALL, ALIGN_LEFT, x + 3, HEAD + 10 + 16 * side, 60, marks[i].name);
	}
}

enum histree_status histree_draw_segments_compared(const struct histree_segment_difference *difference,
						   const struct histree_segment_density *a,
						   const struct histree_segment_density *b,
						   const struct histree_draw_comparison_options *options,
						   picture_write *write, void *context, struct histree_error *error)
{
	struct compare_picture picture = { .options = options };
	struct curves curves = { .densities = { a, b } };
	enum histree_status status = picture_look_check(&options->look, error);
	if (status != HISTREE_OK)
		return status;

	curves.low = INFINITY;
	curves.high = -INFINITY;
	for (int side = 0; side < 2; side++) {
		const struct histree_density_group *group;
		const struct histree_segment_density *density = curves.densities[side];
		curves.buckets[side] = histree_segment_density_buckets(density, &curves.counts[side]);
		for (size_t i = 0; (group = histree_segment_density_group(density, i)) != NULL; i++)
			curves.total[side] += (double)group->count;
		for (size_t i = 0; i < curves.counts[side]; i++)
			curves.most = fmax(curves.most, share_of(&curves, side, i));
		if (curves.counts[side] == 0)
			continue;
		curves.low = fmin(curves.low, log10(fmax((double)curves.buckets[side][0].min, 1)));
		curves.high =
			fmax(curves.high, log10((double)curves.buckets[side][curves.counts[side] - 1].max + 1));
	}

	if (!(curves.most > 0))
		return error_set(error, HISTREE_NOT_FOUND, "there is nothing to compare");
	status = picture_begin(&picture, CURVES, write, context, error);
	if (status == HISTREE_OK) {
		draw_head(&picture);
		draw_axis(&picture, &curves);
		for (int side = 0; side < 2; side++)
			draw_curve(&picture, &curves, side);
		draw_percentiles(&picture, &curves, &difference->a, 0);
		draw_percentiles(&picture, &curves, &difference->b, 1);
		canvas_colour(&picture.canvas, picture.canvas.theme->soft_text, 1);
		canvas_text(&picture.canvas, FONT_SMALL, ALIGN_LEFT, MARGIN, picture.height - 8,
			    picture.width - 2 * MARGIN, "how long segments last, as shares of those of each side");
		status = canvas_finish(&picture.canvas, error);
	}
	canvas_release(&picture.canvas);
	return status;
}
