/* SPDX-License-Identifier: MIT */
/*
 * api.h - the interface of the page besides the Trace Server Protocol, below /api/v1.
 *
 * Everything is a GET unless it says otherwise; `experiment` is a UUID.  Times are nanoseconds after the start of
 * the history, so that a browser, whose numbers have 53 bits, can count with them.  Of a history of more than
 * 104 days it rounds them: its end as a double is its end.
 */
#ifndef SERVER_API_API_H
#define SERVER_API_API_H

#include "server/http/http.h"
#include "view/view.h"

/*
 * Lists the experiments: [{uuid, name, store, start, duration, status, hosts: [{name, why, events, from,
 * to, clock: {quality, matches, error, neighbour}}], views: [{name, title, rows}]}].  Of several hosts, rows and
 * events say which is theirs: `host`.  `error` is how wrong a clock is at most, in ns, absent if nothing bounds it.
 * While it is built: progress, from 0 to 1; bytes, bytesTotal; events; elapsed, in ns; and the UUIDs of its traces.
 * To end the build, delete the experiment by the protocol, and then these.
 */
endpoint_function api_experiments;

/*
 * Lists what lies below the folders that the server was started with: {traces: [{name, path, isStore}], all}.
 * Opening is for the Trace Server Protocol.
 */
endpoint_function api_traces;

/*
 * ?view= &sort= &filter= &folded=0|1|2 &toggled=3,17 &pinned=3,17 &early=0|1|2 &first= &count= &from= &to=
 * &pixels= and, sorted by `active`, &activeFrom= &activeTo= &rest=0|1: rows that ran or waited for a CPU then, what
 * ran longest first, by processes, whose threads are below each other or folded into one; and with `rest` the
 * others after them.
 * Rows that are pinned come before all others.  The cells of a window of rows, as spans of pixels that are alike,
 * little-endian:
 *
 *	"HTR1"
 *	for each row	u32 how many spans, then the spans:
 *			u16 first pixel, u16 pixels, u16 style, u16 more, u32 value or text
 *	u32 0xffffffff
 *	JSON		total, first, early: whether these rows are shown only until those of the view are made
 *			pinned: how many rows are; rest, by activity: how many rows did nothing
 *			rows: [{row, name, depth, below, folded, ...}], and of the first row of a process group: the
 *			row by which it is toggled; groupName; ran, waited: how many of its threads did;
 *			estimatedFrom, if its cells are an estimate: of how many of them
 *			styles: [{key, name, light, dark, height}]
 *			texts: {value: text}; of threads, whose numbers may be used again, {text: text}
 *
 * `style` is an index of styles, 0xffff for nothing.  `more`: 1, the pixel also had other states; 2, such a state
 * is shown, because most of the pixel had none, and short states must not vanish; 4, in addition, a call that was
 * open at the end of the trace ends here.  `folded` folds no rows, all rows, or the rows of hosts (2), except the
 * toggled ones; a host that cannot be read has a row with the reason in `why`. `below` is the number of rows below
 * a row in the tree.  Texts are given for values that are wide enough to show one.
 */
endpoint_function api_rows;

/* ?view= &row= &at=: the state of a row at a time, and what else is known of it. */
endpoint_function api_state;

/*
 * ?view= ... as rows, &text= &after= &backwards=0|1 &list=: {count, number, row, hits: [{row, name, ...}]}, how
 * many rows a text means, which of them comes after the row `after`, -1 if there are none, and the first `list`
 * of them: those whose name or number it is, then those that have it in their name or number.
 */
endpoint_function api_search;

/*
 * ?view= ... as rows, &at= and &tid= or &cpu=, &host=; or &row=: {position, row, hiders}, where a view shows what
 * was selected in another one, or a row.  What is folded into other rows is shown once the `hiders` are toggled;
 * until then the position is that of the row that stands for it, or -1.  Both are -1 if it is not to be seen.
 */
endpoint_function api_find_row;

/*
 * ?view= ... as rows, &text= &at= &position= &backwards=0|1: {found, start, end, position, row}, the next state of
 * any row that matches an expression (state_filter.h).  States are in the order of their starts, then of rows; the
 * search begins after one that starts at `at` in the row at `position`, -1 for none, or in `row` instead.
 * {found: false, at, position}: it has come so far in ten seconds, or in as many &states= that did not match, and
 * can go on from there; {found: false}: no match.
 */
endpoint_function api_search_state;

/*
 * ?view= ... as rows, &text= &at= and &position= or &row=, &list=: {count, number, all, hits: [{row, start, end,
 * name, ...}]}, how many states of all rows match an expression, how many of them come before that place, and the
 * first `list` of them, in the order of search-state.  `all` is false if ten seconds were over before.
 */
endpoint_function api_state_hits;

/*
 * ?view= ... as rows, &text= &first= &count= &from= &to= &pixels=: {all, rows: [[first pixel, pixels, ...], ...]},
 * which says where the rows have states that match an expression.  `all` is false if there were too many states to
 * look at.
 */
endpoint_function api_matches;

/*
 * ?from= &to= &pixels=: as many float32: percent of one CPU that threads used; then as many again: percent of one
 * CPU for which it is not known which thread had it, which may be additional usage.
 */
endpoint_function api_usage;

/*
 * ?from= &to= &pixels=: as many float32: events, or states that begin where the store has no index of events; and
 * one more, 0 if these are not counts of each event: up to 64 events may then be in a pixel next to theirs.
 */
endpoint_function api_density;

/*
 * ?view= ... as rows, &from= &to= &pixels=: {all, kinds: [{name, light, dark, ...}], arrows: [{kind, from,
 * fromRow, fromName, to, toRow, toName, tid, cpu, start, end}]}.  `kind` is an index of kinds, from and to are
 * positions in the order of the rows; `all` is true if none was left out, except for those of rows that are not
 * shown.
 */
endpoint_function api_arrows;

/*
 * ?thread=TID or HOST/TID &from= &to= &pixels=, and view= ... as rows: {all, states: [{own, others, style}],
 * threads: [{tid, name, host, position}], steps: [[thread, to, state, start, end], ...]}, the critical path of a
 * thread in a range, by our own rules.  `own` and `others` are ns of the thread and of the threads that it waited
 * for, by enum histree_graph_state; positions are those of rows of the view, -1 if they are not shown; `to` is -1
 * for steps that are not arrows; `all` is false if the path was too long to be walked to the end.
 */
endpoint_function api_path;

/*
 * ?statement= &limit=: {columns: [names], rows: [[value, ...], ...], more, read, ns}, what a statement of SQL
 * gives (histree-sql(1)), at most so many rows; `more`: there are others.  A number beyond 2^53 is a text; of what
 * was wrong on the way `error` and `warning` speak.  It may read, and neither write nor open anything.
 */
endpoint_function api_sql;

/* ?from= &to= (inclusive; default: all): a file of Perfetto with the states of a span, as `histree export` does. */
endpoint_function api_perfetto;

/*
 * POST, ?from= &to= (inclusive; default: all): {path}, a store of a span, as `histree copy --from --to` makes it,
 * in the folder where the server makes stores; one that is there already is not replaced.
 */
endpoint_function api_cut_store;

/* Lists the charts of numbers: [{name, title, unit}]. */
endpoint_function api_charts_list;

/*
 * ?chart= &from= &to= &pixels= &lines=: {all, lines: [{id, name, values}]}, at most so many of the `all` existing
 * lines, those that matter most in the range: a number at the end of each pixel, null if it is not known.  Of
 * the chart cpu-usage-by-thread, threads that ran longest and, with the id -1, all others: percent of one CPU, to
 * be stacked, up to `top`.
 */
endpoint_function api_chart_lines;

/*
 * ?from= &to= &pixels= &by=: {total, isDamaged, nodes: [[name, depth, total, self, style], ...], styles}, the call
 * stacks in a range, added up: a tree, depth first, from depth 1 on; times are ns.  What is much narrower than a
 * pixel of so many is left out.  `style` is an index, -1: none.  by=thread keeps the stacks of threads apart.
 */
endpoint_function api_flame;

/*
 * ?from= &to= (inclusive; default: all) &by=thread,state... &where=EXPRESSION &sort= &descending=0|1 &limit=:
 * {total, isDamaged, states, styles, ns, rows: [{host, thread, process, name, cpu, state, system_call, had_by,
 * threadName, from, hadByName, count, ns}, ...]}, where the time of a span went: the rows of `histree top`
 * (histree/time_use.h), in its order or sorted by a state, by time or by count; the first `limit` of `total`.
 * `styles` say how rows show each of `states`, and `ns` the time in each, of a row and of all rows.  A key that was
 * not asked for, or does not apply, is left out.
 */
endpoint_function api_time_use;

/*
 * ?host= &from= &to= and, of B, &experimentB= &hostB= &fromB= &toB= (inclusive; default: all) &limit=, what
 * differs between two spans, hosts or traces: the rows of `histree compare` (histree/states.h).  Of states,
 * &analysis=: {states: [{what, state, aNs, bNs, a, b, noise, verdict, said}]}: `a` and `b` are how many were in
 * the state on average, `said` is the verdict with its reason.  Of segments, &segments=ANALYSIS: {all, groups:
 * [{name, a: {count, total, p50, p99, max}, b, longer, noise, p, verdict, said}]}.  Both have isDamaged.
 */
endpoint_function api_compare;

/*
 * Lists the bookmarks within the trace: [{uuid, name, start, end}].  They are made and removed by the protocol's
 * own calls.
 */
endpoint_function api_bookmarks;

/* ?from= &to= &pixels=: [{from, to, text}], the times at which events are missing; `to` is inclusive. */
endpoint_function api_gaps;

/*
 * ?first= &count=, or ?at= instead of first, for the first event at or after a time: {total, first, lines:
 * [{time, cpu, type, text}]}.
 */
endpoint_function api_events;

/*
 * ?text= &after= &backwards=0|1: {"number"}, the next event with a cell that matches a regular expression, or -1.
 */
endpoint_function api_event_search;

/*
 * ?from= &to=: [{name, count, total}], the most frequent first: how many events of each type are in the range,
 * and in all of the trace.
 */
endpoint_function api_event_types;

/*
 * [{analysis, count, fields: [{name, type}], name}], the stores of segments; `name` is the field by which they are
 * told apart, absent without such a field.
 */
endpoint_function api_segment_stores;

/*
 * All calls on segments have ?analysis= &filter=, an expression (filter.h); those that show a range also have
 * &from= &to=.
 *
 * &sort= &descending=0|1 &first= &count=, or &at= instead of first, in the order by start, for the first that
 * starts at a time or later: {total, first, rows: [[start, duration, field, ...], ...]}.  A field is null, or as
 * its type; a number beyond 2^53 is a text.  This and the following calls have "isDamaged": true if segments are
 * missing because a node of the store is damaged.
 */
endpoint_function api_segments;

/* &sort= &descending=: all of them, as `histree segments --format csv` prints them. */
endpoint_function api_segments_csv;

/*
 * &pixels= &height=: {segments, series: [{name, points: [start, duration, start, duration, ...]}]}, the longest of
 * each name in each cell of a chart of that size, whose durations are logarithmic.
 */
endpoint_function api_segment_scatter;

/* &buckets=: {edges: [...], counts: [...]}, logarithmic; bucket i is from edges[i] up to before edges[i + 1]. */
endpoint_function api_segment_density;

/*
 * {all, names: [...]}, of {name, count, min, max, total, mean, deviation, p50, p90, p99, p999, shortest, longest},
 * the greatest total first; the last two are [start, end].
 */
endpoint_function api_segment_stats;

/*
 * ?analysis= &width=1200 &height=0: the nodes of a history (the first one unless named), depth first, each with
 * its position in a picture of this width, or, with a height, in one of this shape that is as much wider as a tree
 * of many nodes needs, little-endian:
 *
 *	"HTN1", u32 how many nodes
 *	for each node	f64 start, f64 end, f32 x, f32 y, u32 number,
 *			u32 index of the parent, 0xffffffff for the root, u32 height, u32 children,
 *			u32 smallest key, u32 greatest key, which is smaller where it has no intervals,
 *			u32 intervals, u32 bytes that are used, 0xffffffff where it is damaged
 *	JSON		analysis, variant, nodeSize, depth, intervals, width, analyses: all that there are,
 *			levels: [{rows, lines, size, distance, top, bottom}], leaves first (view/view.h)
 */
endpoint_function api_nodes;

/* Says what colours mean: {thread: [{key, name, light, dark, height}], cpu: [...], ...}. */
endpoint_function api_legend;

#endif
