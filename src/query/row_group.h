/* SPDX-License-Identifier: MIT */
/*
 * row_group.h - a group of rows that are made together: their states are read once and added up by cell; a range of
 * time is cut into pixels (histree/states.h: histree_pixel_start()).
 *
 * Widths of pixels differ by one ns at most: `quotient` or one more. Nothing overflows, whatever the range.
 */
#ifndef QUERY_ROW_GROUP_H
#define QUERY_ROW_GROUP_H

#include "histree/states.h"
#include "query/value_table.h"
#include "state/pyramid.h"

struct pixel_scale {
	histree_time from, to;
	uint32_t pixels;
	uint64_t quotient, remainder; /* of the number of ns by that of pixels; remainder 1 to pixels */
	double per_ns;                /* pixels */
};

struct pixel_scale pixel_scale(histree_time from, histree_time to, uint32_t pixels);

/* Return the first and the last ns of a pixel; the last is not before the first. */
histree_time pixel_first(const struct pixel_scale *scale, uint32_t pixel);
histree_time pixel_last(const struct pixel_scale *scale, uint32_t pixel);

/* Return the first and the last pixel that have the time `t`, which is in the range; mostly they are one. */
uint32_t pixel_from(const struct pixel_scale *scale, histree_time t);
uint32_t pixel_to(const struct pixel_scale *scale, histree_time t);

/* A pixel and its times: those that are asked for one after the other mostly share one. */
struct pixel_cell {
	histree_time first, last;
	uint32_t pixel;
};

static inline struct pixel_cell pixel_cell(const struct pixel_scale *scale, uint32_t pixel)
{
	return (struct pixel_cell){ pixel_first(scale, pixel), pixel_last(scale, pixel), pixel };
}

static inline bool pixel_cell_has(const struct pixel_cell *cell, histree_time start, histree_time end)
{
	return start >= cell->first && end <= cell->last;
}

enum {
	GROUP_CELLS_MAX = 1 << 17,
	SAMPLES_PER_PIXEL = 4,
	INTERVALS_PER_CELL = 16, /* where the request does not say */
	/* A pixel needs this many times fewer cells of an overview, but at least 4 */
	INTERVALS_PER_OVERVIEW_CELL = 4,
	OVERVIEW_CELLS_LEAST = 2, /* but where that is too many and states are not wanted more exactly */
};

/* Where states are read: the history, and its overviews as they are needed. */
struct row_sources {
	struct histree_history *history;
	struct histree_cursor *query;
	/* For each host (a plain history is one host); NULL: not needed yet. */
	struct histree_cursor *(*overviews)[PYRAMID_LEVELS_MAX];
	bool met_damage; /* in the history; that of an overview costs nothing */
};

/* A state that is no shorter than a pixel. */
struct resolved_state {
	histree_time start, end;
	uint32_t row, value;
};

/* How a row was read. */
struct row_reading {
	uint64_t states;
	bool sampled;
	uint32_t overview; /* UINT32_MAX: from the history */
	uint32_t host;     /* the host whose overview it is; 0 if there are no hosts */
	histree_quark own; /* in the overview */
};

/* A zeroed one is empty. */
struct row_group {
	histree_quark *quarks; /* ascending, each once: a row each */
	size_t quark_count, quarks_capacity;
	struct pixel_scale scale;
	struct pixel_cell cell; /* of the state before */
	struct cell_sums sums;
	struct row_reading *readings; /* by row */
	size_t readings_capacity;
	/* Where states are asked for, the sums leave these out.  By (row, start). */
	struct resolved_state *resolved;
	size_t resolved_count, resolved_capacity;
	histree_quark *asked; /* those of one query, as its history calls them */
	uint32_t *asked_rows;
	size_t asked_count, asked_capacity, asked_rows_capacity;
	histree_time *samples;
	size_t sample_count, samples_capacity;
};

void row_sources_release(struct row_sources *sources);

/* Set the attributes; the rows are theirs in ascending order. */
enum histree_status row_group_choose(struct row_group *group, const histree_quark *quarks, size_t count,
				     struct histree_error *error);
size_t row_group_find(const struct row_group *group, histree_quark quark);

/* Read what the request asks for; values are known by their index in `values`. */
enum histree_status row_group_read(struct row_group *group, const struct histree_rows_request *request,
				   struct row_sources *sources, struct value_table *values,
				   struct histree_error *error);
void row_group_release(struct row_group *group);

#endif
