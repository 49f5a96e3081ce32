/* SPDX-License-Identifier: MIT */
/*
 * api.h - what the page asks for beside the Trace Server Protocol, below /api/v1.
 *
 * Everything is a GET; `experiment` is a UUID.  Times are nanoseconds after the start of the history, so that a
 * browser, whose numbers have 53 bits, can count with them.
 */
#ifndef SERVER_API_H
#define SERVER_API_H

#include "histree/view.h"
#include "server/call.h"

/* What there is: [{uuid, name, start, duration, status, progress, views: [{name, title, rows}]}]. */
endpoint_function api_experiments;

/*
 * ?view= &sort= &filter= &folded=0|1 &toggled=3,17 &early=0|1|2 &first= &count= &from= &to= &pixels=
 * The cells of a window of rows, as runs of pixels, little-endian:
 *
 *	"HTR1"
 *	for each row	u32 how many runs, then the runs:
 *			u16 first pixel, u16 pixels, u16 style, u16 more, u32 value
 *	u32 0xffffffff
 *	JSON		total, first, early: whether these rows are but there until those of the view are made
 *			rows: [{row, name, depth, below, folded, ...}]
 *			styles: [{key, name, light, dark, height}]
 *			texts: {value: text}
 *
 * `style` is an index of styles, 0xffff for nothing.  `more`: 1, the pixel had other states too; 2, what is shown
 * is such a state, because there was nothing for most of the pixel, and no short state shall vanish.  `below` is
 * how many rows are below a row in the tree.  Texts are those of values that are wide enough to hold one.
 */
endpoint_function api_rows;

/* ?view= &row= &at=: the state of a row at a time, and what else is known of it. */
endpoint_function api_state;

/* ?view= ... as rows, &text= &after= &backwards=0|1: {"position": ...}, the next row of the order that matches, or
 * -1. */
endpoint_function api_search;

/* ?view= &row= &text= &at= &backwards=0|1: {"start", "end"}, the next state of a row whose label contains the text.
 */
endpoint_function api_search_state;

/*
 * ?from= &to= &pixels=: as many float32: percent of one CPU; events, or states that begin where the store has no
 * index of events.
 */
endpoint_function api_usage, api_density;

/*
 * ?first= &count=, or ?at= in place of first, for the first event at or after a time:
 * {total, first, lines: [{time, cpu, type, text}]}.
 */
endpoint_function api_events;

/* ?text= &after= &backwards=0|1: {"number"}, the next event with a cell that matches a regular expression, or -1.
 */
endpoint_function api_event_search;

/* ?from= &to=: [{name, count, total}], most first: events of each type in the range, and in all of the trace. */
endpoint_function api_event_types;

/*
 * ?analysis= &width=1200: the nodes of a history (the first one unless named), depth first, each with its place in
 * a picture of this width, little-endian:
 *
 *	"HTN1", u32 how many nodes
 *	for each node	f64 start, f64 end, f32 x, f32 y, u32 number,
 *			u32 index of the parent, 0xffffffff for the root, u32 height, u32 children,
 *			u32 least key, u32 greatest key, which is less where it has no intervals,
 *			u32 intervals, u32 bytes that are used
 *	JSON		analysis, variant, nodeSize, depth, intervals, analyses: all that there are,
 *			levels: [{rows, lines, size, distance, top, bottom}], leaves first (histree/view.h)
 */
endpoint_function api_nodes;

/* {thread: [{key, name, light, dark, height}], cpu: [...], ...}: what colours mean. */
endpoint_function api_legend;

/* The object of a style, with both of its colours. */
void api_write_style(struct json_writer *json, const struct histree_style *style);

#endif
