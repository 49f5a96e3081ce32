/* SPDX-License-Identifier: MIT */
/*
 * histree.h - the whole of libhistree.
 *
 *	status.h	statuses and errors
 *	cancel.h	end a long call from outside
 *	cursor.h	the answer to a question, row by row
 *	time_text.h	times as people write them
 *	value.h		times, quarks, values, intervals
 *	attributes.h	the attribute tree
 *	state_system.h	build a history from state changes
 *	backend.h	where the intervals go, other than into a file
 *	history.h	open a finished history
 *	history_source.h	a history whose states another process hands out
 *	query.h		ask single, full, range and 2D queries
 *	lookup.h	tops of stacks, first values, numbers over a range, changes in the order of time
 *	snapshot.h	all states at a time, and a history that begins with them
 *	charts.h	which charts a history has
 *	rows.h		rows of a chart: one row an attribute, one cell a pixel
 *	segment.h	segments: a start, an end and a content
 *	segment_store.h	store segments and get them in any order
 *	filter.h	filter expressions over named fields
 *	segment_filter.h	filter expressions over segments
 *	window.h	what comparisons leave of the times of a question
 *	selection.h	which states a question can be about
 *	state_filter.h	filter expressions over states
 *	critical_path.h	what a thread waited for, and what that waited for in turn
 *	join.h		which states and which segments overlap
 *	segment_rows.h	rows of a table of segments, by number, in any order
 *	segment_source.h	a segment store whose segments another process hands out
 *	segment_stats.h	statistics of durations
 *	segment_compare.h	durations of two stores: longer, shorter, or noise
 *	state_compare.h	time in each state, of two histories
 *	segment_density.h	how many segments last how long
 *	store.h		the folder that a build makes
 *	build.h		from a trace to a store
 *	experiment.h	a store of several hosts, step by step
 *	slices.h	a build whose slices other processes analyse
 *	events.h	the events of the trace of a store
 *	event_query.h	events in a range that pass an expression
 *	event_source.h	events that another process hands out
 *	repair.h	from a damaged store to a sound one
 *	sync.h		clocks of several hosts, from the packets between them
 *	convert.h	a store with another kind of tree
 *	load.h		from states, changes or segments as text to a store
 *	segment_view.h	charts of how long segments last
 *	flame.h		stacks with a time each, added up: flame graphs
 *	time_in_state.h	how long attributes had each of their values
 *	time_use.h	how long threads ran, waited and were blocked
 *	view.h		threads as a tree, resources, CPU usage, colours
 *	chart_view.h	the rows and lines of a chart
 *	columns.h	answers as columns, for tools that take the Arrow C stream interface
 *	arrows.h	what connects threads and CPUs: switches, forks, wake-ups, migrations
 *	draw.h		pictures as SVG and PNG
 *	export.h	files for other tools: columns, and tracks for viewers of traces
 */
#ifndef HISTREE_HISTREE_H
#define HISTREE_HISTREE_H

#include "arrows.h"
#include "attributes.h"
#include "backend.h"
#include "build.h"
#include "cancel.h"
#include "chart_view.h"
#include "charts.h"
#include "columns.h"
#include "convert.h"
#include "critical_path.h"
#include "cursor.h"
#include "draw.h"
#include "event_query.h"
#include "event_source.h"
#include "events.h"
#include "experiment.h"
#include "export.h"
#include "filter.h"
#include "flame.h"
#include "history.h"
#include "history_source.h"
#include "join.h"
#include "labels.h"
#include "load.h"
#include "lookup.h"
#include "query.h"
#include "repair.h"
#include "rows.h"
#include "segment.h"
#include "segment_compare.h"
#include "segment_density.h"
#include "segment_filter.h"
#include "segment_rows.h"
#include "segment_source.h"
#include "segment_stats.h"
#include "segment_store.h"
#include "segment_view.h"
#include "selection.h"
#include "slices.h"
#include "snapshot.h"
#include "state_compare.h"
#include "state_filter.h"
#include "state_system.h"
#include "status.h"
#include "store.h"
#include "sync.h"
#include "time_in_state.h"
#include "time_text.h"
#include "time_use.h"
#include "value.h"
#include "view.h"
#include "window.h"

#endif
