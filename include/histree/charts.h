/* SPDX-License-Identifier: MIT */
/*
 * charts.h - what is worth looking at: the charts of a history.
 *
 * The analysis that made a history knows which of its attributes belong into one picture.  So it declares charts:
 * lines of numbers over time, or rows of states.  A chart has entries, each a pattern of attributes, of which every
 * attribute that there is becomes a row; what the row shows, and what it is called, is said relative to it.
 * Declarations are a section of the file (CHRT, histree-format(5)); chart_view.h makes rows and lines of them.
 *
 *	static const struct histree_chart_entry entries[] = {
 *		{ .parent = HISTREE_CHART_TOP, .path = "Thread *" },
 *		{ .parent = 0, .path = "bytes_read", .shown = ".", .label = "read", .measure = HISTREE_CHART_RATE },
 *	};
 *	static const struct histree_chart chart = { .name = "thread-bytes", .title = "Bytes of threads",
 *		.unit = "B/s", .entries = entries, .entry_count = 2 };
 *	status = histree_state_charts(system, &chart, 1, &error);
 *
 * A *reference* names an attribute from that of a row: "." is the row's own, "Status" its child, "/CPUs/0" one from
 * the top.
 *
 * A history that has no charts of its own gets those that this version knows of its provider.
 *
 * Threads: any number of them may ask.  What is returned lives as long as the history.
 */
#ifndef HISTREE_CHARTS_H
#define HISTREE_CHARTS_H

#include "value.h"

struct histree_history;
struct histree_state_system;

enum {
	HISTREE_CHARTS_MAX = 100,        /* of a history */
	HISTREE_CHART_ENTRIES_MAX = 200, /* of a chart */
	HISTREE_CHART_TEXT_MAX = 255,    /* bytes of any text */
	HISTREE_CHART_DEPTH_MAX = 32,    /* of entries within one another */
};

/* In place of an entry that others are below. */
#define HISTREE_CHART_TOP UINT32_MAX

enum histree_chart_kind {
	HISTREE_CHART_LINES,  /* numbers over time */
	HISTREE_CHART_STATES, /* rows of states, with names and colours of labels (labels.h) */
};

/*
 * The path of an entry that shows the depths of call stacks, each a row, the outermost call first: pictures and the
 * server know by it that a history has stacks.
 */
#define HISTREE_CHART_STACKS "CallStack/*"

/* What a point of a line is. */
enum histree_chart_measure {
	HISTREE_CHART_VALUE,      /* the number that the attribute has there */
	HISTREE_CHART_DIFFERENCE, /* by how much it is more than at the point before */
	HISTREE_CHART_RATE,       /* that, a second */
};

struct histree_chart_entry {
	uint32_t parent;   /* HISTREE_CHART_TOP, or the index of an entry before this one */
	const char *path;  /* a pattern as ls has them, below each attribute of the parent; no `..` */
	const char *shown; /* a reference: whose states or numbers are shown; NULL: the row groups others */
	const char *label; /* what the row is called; NULL: as `name` says */
	const char *name;  /* a reference: its first value is the name; NULL, or it has none: the attribute's own */
	/*
	 * References: rows of one entry that stand below the same row form a tree by what they are (`id`; NULL: by
	 * their names) and whose children they are (`above`; NULL: they form none), as threads do by PPID.
	 */
	const char *id, *above;
	enum histree_chart_measure measure;
	double factor;   /* that numbers are multiplied by; 0 stands for 1 */
	bool shows_text; /* states have their names written into them where there is room */
};

struct histree_chart {
	const char *name;  /* for tools: letters, digits, '.', '_', ':' and '-'; no two of a history are equal */
	const char *title; /* for people */
	const char *unit;  /* of the numbers, "" if there is none to say */
	enum histree_chart_kind kind;
	/* Of states: the name of the table of labels that says how to draw them; NULL: that of each attribute. */
	const char *labels;
	const struct histree_chart_entry *entries;
	size_t entry_count;
};

/*
 * Returns the charts of a history in their order; *count becomes their number.  Of several hosts (history.h), those
 * of each host, of one name only the first.
 */
HISTREE_API const struct histree_chart *histree_charts(const struct histree_history *history, size_t *count);

/* Returns the chart of this name, or NULL if there is none. */
HISTREE_API const struct histree_chart *histree_chart_find(const struct histree_history *history, const char *name);

/* Returns the word for a measure: "value", "difference" or "rate". */
HISTREE_API const char *histree_chart_measure_name(enum histree_chart_measure measure);

/*
 * Say which charts a history has, at any time before it is closed; once more replaces what was said.  All is
 * copied.  Returns HISTREE_ERR_ARGUMENT with a sentence if a pattern or a reference is none, two charts have one
 * name, a text is too long, or all of it has more than 64 KiB.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status histree_state_charts(struct histree_state_system *system,
									const struct histree_chart *charts,
									size_t count, struct histree_error *error);

#endif
