/* SPDX-License-Identifier: MIT */
/*
 * pictures.h - draw a history as an SVG or PNG picture, without a browser.
 *
 * A library that was built without cairo has these functions as well; histree_draw() then fails and says why.
 */
#ifndef DRAW_PICTURES_H
#define DRAW_PICTURES_H

#include "histree/critical_path.h"
#include "histree/segment_stats.h"
#include "histree/segments.h"
#include "histree/states.h"
#include "histree/time_use.h"
#include "view/view.h"

enum histree_draw_view {
	HISTREE_DRAW_CONTROL_FLOW, /* threads, as a tree */
	HISTREE_DRAW_RESOURCES,    /* CPUs and interrupts */
	HISTREE_DRAW_ATTRIBUTES,   /* any attributes */
	HISTREE_DRAW_TREE,         /* the nodes on disk (thesis 3.1) */
	HISTREE_DRAW_FLAME,        /* call stacks, added up (time_use.h) */
	HISTREE_DRAW_CHART,        /* a chart of the history: lines of numbers, or rows of states (view/view.h) */
};

enum histree_draw_format { HISTREE_DRAW_SVG, HISTREE_DRAW_PNG };
enum histree_draw_theme { HISTREE_DRAW_LIGHT, HISTREE_DRAW_DARK };

/* Limits of width and height, in pixels of a PNG and points of an SVG. */
#define HISTREE_DRAW_SIZE_MIN 200
#define HISTREE_DRAW_SIZE_MAX 30000

/* How a picture looks. */
struct histree_draw_look {
	enum histree_draw_format format;
	enum histree_draw_theme theme;
	uint32_t width, height; /* 0 means 1200, and as high as what is drawn needs */
	const char *title;      /* NULL: what is drawn */
};

typedef bool picture_write(void *context, const void *bytes, size_t size);

struct histree_draw_options {
	enum histree_draw_view view;
	struct histree_draw_look look;
	histree_time from, to; /* inside the history; not used by HISTREE_DRAW_TREE */
	/*
	 * Draw only the rows of these attributes: a thread's node or its status, a resource, or any other.  If this
	 * is NULL, draw as many rows as there is room for: the busiest threads of the range, or the first resources
	 * or attributes.  With several hosts, threads and resources stand below a row for their host; the row of a
	 * missing host says why it is missing.  For a flame graph, the stacks at and below these attributes; for
	 * the lines of a chart, those that matter most in the range.
	 */
	const histree_quark *quarks;
	size_t quark_count;
	const char *chart; /* the name, for HISTREE_DRAW_CHART */
	/*
	 * The segments `track-flows`, for a history of `tracks`: HISTREE_DRAW_ATTRIBUTES draws an arrow from span
	 * to span where both have rows.  NULL: no arrows.
	 */
	struct histree_segment_store *flows;
	struct histree_work work;
};

/*
 * Draw a picture.  `write` gets its bytes piece by piece and returns false if it cannot keep them.  Returns
 * HISTREE_NOT_FOUND if there is nothing to show, such as threads in a history without threads.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status histree_draw(struct histree_history *history,
								const struct histree_draw_options *options,
								picture_write *write, void *context,
								struct histree_error *error);

/* A critical path (critical_path.h). */
struct histree_draw_path_options {
	struct histree_draw_look look;
	size_t host; /* in histree_history_hosts(); 0 if the history is of one host */
	int32_t tid;
	histree_time from, to; /* as those of histree_critical_path_start() */
	struct histree_work work;
	enum histree_path_rules rules;
};

/*
 * Draw the critical path of a thread: a row for each thread on it, in the order of their first appearance, and an
 * arrow wherever the path goes from one to another.  If there is no room for all threads, those with the most
 * time on the path are drawn.  Returns HISTREE_NOT_FOUND as histree_critical_path_start() does.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status
histree_draw_path(struct histree_history *history, const struct histree_draw_path_options *options,
		  picture_write *write, void *context, struct histree_error *error);

/* A flame graph (time_use.h). */
struct histree_draw_flame_options {
	struct histree_draw_look look;
	/* Draw both sides: colours say which side has more, and widths are means of shares.  Else draw side 0. */
	bool is_difference;
};

/*
 * Draw a finished flame graph: a box for each node, as wide as its share, the outermost calls at the bottom.  In
 * SVG each box has a title with its name, time and share, which browsers show.  Boxes too narrow to be seen are
 * drawn together as a grey one.  Returns HISTREE_NOT_FOUND if the graph has no time at all.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status
histree_draw_flame(const struct histree_flame *flame, const struct histree_draw_flame_options *options,
		   picture_write *write, void *context, struct histree_error *error);

/* The differences between two runs (states.h, segment_stats.h). */
struct histree_draw_comparison_options {
	struct histree_draw_look look;
	const char *names[2]; /* of A and B */
};

/*
 * Draw the shares of states as pairs of bars, the greatest differences first, at most 24 or as many as there is
 * room for; noise is pale.  Returns HISTREE_NOT_FOUND if there is nothing to compare.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status
histree_draw_states_compared(const struct histree_state_comparison *comparison,
			     const struct histree_draw_comparison_options *options, picture_write *write,
			     void *context, struct histree_error *error);

/*
 * Draw the durations of segments of both sides over each other: the densities, which have one column, as shares,
 * and the 50th and 99th percentile of the difference.  Returns HISTREE_NOT_FOUND if neither side has a segment.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status
histree_draw_segments_compared(const struct histree_segment_difference *difference,
			       const struct histree_segment_density *a, const struct histree_segment_density *b,
			       const struct histree_draw_comparison_options *options, picture_write *write,
			       void *context, struct histree_error *error);

/* Returns true if this library was built with cairo. */
HISTREE_API bool histree_can_draw(void);

#endif
