/* SPDX-License-Identifier: MIT */
/*
 * draw.h - pictures of a history, as SVG or PNG, without a browser.
 *
 * A library that was built without cairo has these functions too, and says so when it is asked for a picture.
 */
#ifndef HISTREE_DRAW_H
#define HISTREE_DRAW_H

#include "view.h"

enum histree_draw_view {
	HISTREE_DRAW_CONTROL_FLOW, /* threads, as a tree */
	HISTREE_DRAW_RESOURCES,    /* CPUs and interrupts */
	HISTREE_DRAW_ATTRIBUTES,   /* any attributes */
	HISTREE_DRAW_TREE,         /* the nodes on disk (thesis 3.1) */
};

enum histree_draw_format { HISTREE_DRAW_SVG, HISTREE_DRAW_PNG };
enum histree_draw_theme { HISTREE_DRAW_LIGHT, HISTREE_DRAW_DARK };

/* Pixels, and points of an SVG. */
#define HISTREE_DRAW_SIZE_MIN 200
#define HISTREE_DRAW_SIZE_MAX 30000

struct histree_draw_options {
	enum histree_draw_view view;
	enum histree_draw_format format;
	enum histree_draw_theme theme;
	uint32_t width, height; /* 0: 1200, and what the rows need */
	histree_time from, to;  /* inside the history; not used for its nodes */
	/*
	 * Only rows of these attributes: a thread's node or its status, a resource, anything.  NULL: the busiest
	 * threads of the range, resources and attributes from the first on, as many as there is room for.
	 */
	const histree_quark *quarks;
	size_t quark_count;
	const char *title; /* NULL: the name of the analysis */
	struct histree_cancel cancel;
};

/*
 * Draw; `write` is given the bytes of the picture piece by piece, and returns false if they cannot be kept.
 * HISTREE_NOT_FOUND: there is nothing to show, such as threads of a history without any.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status
histree_draw(struct histree_history *history, const struct histree_draw_options *options,
	     bool (*write)(void *context, const void *bytes, size_t size), void *context,
	     struct histree_error *error);

/* Whether this library can draw. */
HISTREE_API bool histree_can_draw(void);

#endif
