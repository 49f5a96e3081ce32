/* SPDX-License-Identifier: MIT */
/*
 * charts.h - what is worth looking at: the charts of a history.
 *
 * The analysis that made a history knows which of its attributes belong into one picture.  So it declares charts:
 * lines of numbers over time, or rows of states.  A chart has entries, each a pattern of attributes; every
 * attribute that matches becomes a row, and what the row shows and its name are given relative to that attribute.
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
 * A *reference* names an attribute relative to that of a row: "." is the row's own, "Status" its child, "/CPUs/0"
 * one from the top.
 *
 * A history that has no charts of its own gets those that this version knows for its provider.
 *
 * Threads: any number of threads may ask.  What is returned lives as long as the history.
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
	HISTREE_CHART_DEPTH_MAX = 32,    /* levels of entries within one another */
};

/* The parent of an entry at the top. */
#define HISTREE_CHART_TOP UINT32_MAX

enum histree_chart_kind {
	HISTREE_CHART_LINES,  /* numbers over time */
	HISTREE_CHART_STATES, /* rows of states, with names and colours of labels (labels.h) */
};

/*
 * The path of an entry for the depths of call stacks, each a row, the outermost call first; pictures and the
 * server recognise by it that a history has stacks.
 */
#define HISTREE_CHART_STACKS "CallStack/*"

/* What a point of a line is. */
enum histree_chart_measure {
	HISTREE_CHART_VALUE,      /* the number that the attribute has then */
	HISTREE_CHART_DIFFERENCE, /* the increase since the point before */
	HISTREE_CHART_RATE,       /* the increase a second */
};

struct histree_chart_entry {
	uint32_t parent;   /* HISTREE_CHART_TOP, or the index of an entry before this one */
	const char *path;  /* a pattern as ls takes them, below each attribute of the parent; no `..` */
	const char *shown; /* a reference: whose states or numbers are shown; NULL: the row groups others */
	const char *label; /* the name of the row; NULL: `name` says it */
	/* A reference whose first value is the name; NULL, or it has no value: the attribute's own name */
	const char *name;
	/*
	 * References: rows of one entry that stand below the same row form a tree by an identity (`id`; NULL:
	 * their names) and the identity of their parent (`above`; NULL: no tree), as threads do by PPID.
	 */
	const char *id, *above;
	enum histree_chart_measure measure;
	double factor;   /* that numbers are multiplied by; 0 stands for 1 */
	bool shows_text; /* write the names of states into them where there is room */
};

struct histree_chart {
	const char *name;  /* for tools: letters, digits, '.', '_', ':' and '-'; unique within a history */
	const char *title; /* for people */
	const char *unit;  /* of the numbers, or "" */
	enum histree_chart_kind kind;
	/* For states: the name of the table of labels that says how to draw them; NULL: that of each attribute. */
	const char *labels;
	const struct histree_chart_entry *entries;
	size_t entry_count;
};

/*
 * Returns the charts of a history in their order; *count becomes their number.  For several hosts (history.h),
 * the charts of each host; of those with the same name only the first.
 */
HISTREE_API const struct histree_chart *histree_charts(const struct histree_history *history, size_t *count);

/* Returns the chart with this name, or NULL if the history has no such chart. */
HISTREE_API const struct histree_chart *histree_chart_find(const struct histree_history *history, const char *name);

/* Returns whether the history has an attribute that a chart shows: the trace may have nothing of it. */
HISTREE_API bool histree_chart_has_rows(const struct histree_history *history, const struct histree_chart *chart);

/* Returns the word for a measure: "value", "difference" or "rate". */
HISTREE_API const char *histree_chart_measure_name(enum histree_chart_measure measure);

/*
 * Declare the charts of a history, at any time before it is closed; a second call replaces the first.  All is
 * copied.  Returns HISTREE_ERR_ARGUMENT with a sentence if a pattern or a reference is invalid, two charts have
 * one name, a text is too long, or everything together has more than 64 KiB.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status histree_state_charts(struct histree_state_system *system,
									const struct histree_chart *charts,
									size_t count, struct histree_error *error);

#endif
