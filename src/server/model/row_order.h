/* SPDX-License-Identifier: MIT */
/*
 * row_order.h - the order of rows that a client requests, kept for its next requests.
 *
 * Rows are sorted, filtered and folded.
 *
 * An order is made once and kept for a while, because a page that scrolls asks for many windows of one order.  Its
 * readers hold it.
 */
#ifndef SERVER_MODEL_ROW_ORDER_H
#define SERVER_MODEL_ROW_ORDER_H

#include "server/model/host_rows.h"

enum { ROW_TOGGLES_MAX = 1024, ROWS_PINNED_MAX = 64, ROW_HIDERS_MAX = 64 };

enum row_fold { ROWS_UNFOLDED, ROWS_FOLDED, ROWS_HOSTS_FOLDED, ROW_FOLDS };

struct row_order_request {
	const struct host_rows *rows;
	enum row_sort sort;
	histree_time from, to; /* of ROW_SORT_ACTIVE, both inclusive */
	/* "": all; in a tree the rows above a match stay as well, and all those of a host that matches. */
	const char *filter;
	/* Folded rows hide what is below them: all, none, or those of hosts, except the toggled ones. */
	enum row_fold folded;
	const uint32_t *toggled; /* ascending */
	size_t toggled_count;
	const uint32_t *pinned; /* come first, in this order, whatever the others are sorted by */
	size_t pinned_count;
	bool with_rest; /* of ROW_SORT_ACTIVE: what did nothing in the range comes after what did something */
};

/*
 * The rows of a process, which stand below the busiest of them, or behind it where they are folded.  Sorted by what
 * they did, each position is of a group, if only of its own row.
 */
struct row_group {
	uint32_t row;            /* by which it is toggled: that of its main thread */
	uint32_t first, count;   /* of row_order.members */
	uint32_t ran, waited;    /* how many of them had a CPU; only waited for one */
	bool is_lead, is_folded; /* this position is the first of several; the others are not shown */
};

struct row_order {
	atomic_int holders;
	char *key;
	uint32_t *rows; /* NULL: every row, where it stands */
	uint32_t count;
	uint32_t pinned;          /* how many positions are of rows that are pinned */
	struct row_group *groups; /* by position; NULL: rows are not in groups */
	uint32_t *members;        /* rows, those of a group together */
	uint32_t rest;            /* rows that did nothing, whether they are shown or not */
};

static inline uint32_t row_order_at(const struct row_order *order, uint32_t position)
{
	return order->rows != NULL ? order->rows[position] : position;
}

/* Says where each of `count` rows is shown, if only by the group that it is of; HISTREE_NO_INDEX: nowhere. */
void row_order_positions(const struct row_order *order, uint32_t count, uint32_t *positions);

/* Returns the position at which a row is shown, likewise. */
uint32_t row_order_find(const struct row_order *order, uint32_t row);

/*
 * Says by which rows a row is hidden that is not shown, or only by its group: once all of them are toggled, it is
 * shown.  Returns how many they are, at most ROW_HIDERS_MAX; 0 if it is shown, or is not of the order.
 */
size_t row_order_hiders(const struct row_order *order, const struct row_order_request *request, uint32_t row,
			uint32_t *hiders);

/* Returns the group that a position is the first of several rows of; NULL: it is not. */
static inline const struct row_group *row_order_lead(const struct row_order *order, uint32_t position)
{
	return order->groups != NULL && order->groups[position].is_lead ? &order->groups[position] : NULL;
}

/* Gives an order, made anew or kept from before; the caller releases it.  Any thread may ask. */
struct row_orders;

enum histree_status row_order_get(struct row_orders *orders, const struct row_order_request *request,
				  struct row_order **out, struct histree_error *error);
void row_order_release(struct row_order *order);

/* Returns whether a row, whose facts these are, hides what is below it. */
bool row_is_folded(const struct row_order_request *request, uint32_t row, const struct row_facts *facts);

/* The orders of a dataset are one of its views. */
extern const struct view_kind row_orders_kind;

#endif
