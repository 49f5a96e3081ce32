/* SPDX-License-Identifier: MIT */
/*
 * arrow_model.h - the arrows between the rows of a view, whatever it is of, from as many sources as it has: one for
 * each host.
 *
 * Together the sources give as many arrows as one would: each has its share of the pixels, since what is thinned is
 * thinned to what a chart can show.
 */
#ifndef SERVER_MODEL_ARROW_MODEL_H
#define SERVER_MODEL_ARROW_MODEL_H

#include "view/view.h"
#include "server/text/json_writer.h"

struct arrow_range {
	histree_time from, to;
	uint32_t pixels;
	struct histree_work work;
};

struct arrow_model {
	/* Makes the arrows that meet a range, cut at the history; *out is NULL if nothing of the range is left. */
	enum histree_status (*make)(const void *view, const struct arrow_range *range, struct histree_arrows **out,
				    struct histree_error *error);
	/* Finds the rows of an arrow; returns false if it has none in this view. */
	bool (*rows)(const void *view, const struct histree_arrow *arrow, uint32_t *from, uint32_t *to);
	/* Adds what a row is called: "bash (42)", "CPU 0". */
	void (*name)(const void *view, uint32_t row, struct piece *name);
	/* Returns the row that stands for one that is folded; NULL: none does. */
	uint32_t (*instead)(const void *view, uint32_t row);
};

/* Makes the arrows of a request that meet a range, cut at the history. */
enum histree_status arrow_model_within(struct histree_arrows_request *request, const struct arrow_range *range,
				       struct histree_arrows **out, struct histree_error *error);

/* A view and how to get its arrows.  A zeroed one has none. */
struct arrow_source {
	const struct arrow_model *model;
	const void *view;
	const uint32_t *shown_as; /* by the model's row, the row of who shows it; NULL: they are the same */
	uint32_t first_row;       /* to be added to that */
	uint32_t row_count;       /* after it, of who shows it; 0: it is not said */
};

/* Returns the row of who shows it. */
static inline uint32_t arrow_source_row(const struct arrow_source *source, uint32_t row)
{
	return source->first_row + (source->shown_as != NULL ? source->shown_as[row] : row);
}

/* Packets between hosts; the view is a struct host_rows of threads, and the rows are those of all hosts. */
extern const struct arrow_model arrow_model_packets;

struct arrow_part {
	struct arrow_source source;
	struct histree_arrows *arrows; /* NULL: none of the range */
	const struct histree_arrow *list;
	size_t count;
};

struct arrow_set {
	struct arrow_part *parts;
	size_t count;
	bool are_all;
};

/* Gives the sources in turn; returns false if there are no more. */
typedef bool arrow_next(const void *view, size_t index, struct arrow_source *out);

/* Where arrows come from, and which of it is asked for; a zeroed one has none. */
struct arrow_asked {
	arrow_next *next; /* NULL: no arrows */
	const void *view;
	bool (*wants)(const void *context, const struct arrow_source *source); /* NULL: all */
	const void *context;
};

/* Makes the arrows of a range; release the set even after failure. */
enum histree_status arrow_set_make(struct arrow_set *set, const struct arrow_asked *asked,
				   const struct arrow_range *range, struct histree_error *error);
void arrow_set_release(struct arrow_set *set);

#endif
