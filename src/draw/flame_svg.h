/* SPDX-License-Identifier: MIT */
/*
 * flame_svg.h - a flame graph as SVG whose boxes have titles, which a browser shows below the pointer.  Cairo makes
 * none.
 */
#ifndef DRAW_FLAME_SVG_H
#define DRAW_FLAME_SVG_H

#include "draw/canvas.h"

/* Bytes are handed out when there are enough of them. */
struct flame_svg {
	const struct theme *theme;
	bool (*write)(void *context, const void *bytes, size_t size);
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

void flame_svg_begin(struct flame_svg *svg, uint32_t width, uint32_t height);
void flame_svg_box(struct flame_svg *svg, const struct flame_box *box);

/* Letters stand on `y`. */
void flame_svg_text(struct flame_svg *svg, enum canvas_font font, double x, double y, const char *text);

/* Returns false if a byte could not be written. */
bool flame_svg_end(struct flame_svg *svg);

#endif
