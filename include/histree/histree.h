/* SPDX-License-Identifier: MIT */
/*
 * histree.h - the whole of libhistree, a header for each noun.
 *
 *	status.h	what a call returns, and how a long one is ended from outside
 *	value.h		times, quarks, values and intervals, and times as people write them
 *	cursor.h	the answer to a question, row by row; what is lost of it
 *	attributes.h	the attribute tree, what the values of attributes mean, and the charts that show them
 *	history.h	histories: open one, take one from elsewhere, make one from changes of states
 *	filter.h	expressions about rows, and the window of time that they leave
 *	states.h	questions about the states of a history
 *	segments.h	segments, such as system calls: what they are, and stores of them
 *	segment_stats.h	questions about segments: filters, rows by number, statistics, joins with states
 *	events.h	the events of the trace that a store was built from
 *	critical_path.h	why a thread did not finish earlier
 *	time_use.h	where time went: what threads did with it, and flame graphs
 *	store.h		stores: open one, relate the clocks of its hosts, repair it, convert it
 *	build.h		make a store: from traces, host by host, or from text
 *	columns.h	answers as columns, for tools that take the Arrow C stream interface
 *	export.h	files for other tools: columns, and tracks for viewers of traces
 */
#ifndef HISTREE_HISTREE_H
#define HISTREE_HISTREE_H

#include "attributes.h"
#include "build.h"
#include "columns.h"
#include "critical_path.h"
#include "cursor.h"
#include "events.h"
#include "export.h"
#include "filter.h"
#include "history.h"
#include "segment_stats.h"
#include "segments.h"
#include "states.h"
#include "status.h"
#include "store.h"
#include "time_use.h"
#include "value.h"

#endif
