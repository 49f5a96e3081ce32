/* SPDX-License-Identifier: MIT */
/*
 * attributes.h - the attribute tree, what the values of attributes mean, and the charts that show them.
 */
#ifndef HISTREE_ATTRIBUTES_H
#define HISTREE_ATTRIBUTES_H

#include "value.h"

/* ==== attributes ============================================================================================== */

/*
 * Read the attribute tree: paths and quarks, names, children, patterns.
 *
 * histree_state_attributes() lends the tree of a history that is being built, and histree_history_attributes()
 * that of an open one; it is valid as long as its owner.  The text of a path joins its components with '/'; a '/'
 * inside a component is written "\/" and a backslash "\\".
 *
 * Threads: any number of threads may read at once while no thread builds.
 */

struct histree_attributes;

/* Returns how many attributes there are; their quarks are 0 to count - 1. */
HISTREE_API uint32_t histree_attributes_count(const struct histree_attributes *attributes);

/*
 * Find the quark at an escaped path below `from`; the path is absolute if `from` is HISTREE_ROOT.  Returns
 * HISTREE_NOT_FOUND if there is no such attribute, HISTREE_ERR_ARGUMENT if the path has an empty component or a
 * stray backslash, HISTREE_ERR_QUARK if there is no attribute `from`.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status
histree_attributes_find(const struct histree_attributes *attributes, histree_quark from, const char *path,
			histree_quark *out);

/* Find the child of `parent` with this unescaped name.  Returns HISTREE_NOT_FOUND if there is no such child. */
HISTREE_API HISTREE_MUST_CHECK enum histree_status
histree_attributes_child(const struct histree_attributes *attributes, histree_quark parent, const char *name,
			 size_t name_size, histree_quark *out);

/* Returns whether the attribute is a folder: it groups others and has no states (histree_state_folder()). */
HISTREE_API bool histree_attributes_is_folder(const struct histree_attributes *attributes, histree_quark quark);

/* Returns the parent, which is HISTREE_ROOT for a top-level attribute. */
HISTREE_API histree_quark histree_attributes_parent(const struct histree_attributes *attributes,
						    histree_quark quark);

/*
 * Write the last component of the path, unescaped, as snprintf() would: at most `capacity` bytes including the
 * terminator.  Returns the length of the whole name.  A name may contain any byte, so only its length says where it
 * ends.  A quark that does not exist has the name "", the path "", no parent and no children.
 */
HISTREE_API size_t histree_attributes_name(const struct histree_attributes *attributes, histree_quark quark,
					   char *buffer, size_t capacity);

/*
 * Write the whole escaped path as snprintf() would: at most `capacity` bytes including the terminator.  Returns the
 * length of the whole path.
 */
HISTREE_API size_t histree_attributes_path(const struct histree_attributes *attributes, histree_quark quark,
					   char *buffer, size_t capacity);

/* Walk the children of a parent in the order of their creation.  Both return HISTREE_ROOT if no child is left. */
HISTREE_API histree_quark histree_attributes_first_child(const struct histree_attributes *attributes,
							 histree_quark parent);
HISTREE_API histree_quark histree_attributes_next_sibling(const struct histree_attributes *attributes,
							  histree_quark quark);

/*
 * Returns the number of the thread that an attribute belongs to: the attribute is a row of the thread, such as
 * Threads/42, CPUs/0/42 or, of a trace of spans, Processes/7/42, or lies below one.  Returns 0 if it belongs to no
 * thread; the idle loop of a CPU, such as Threads/0_1, does not count as a thread.
 */
HISTREE_API int32_t histree_attributes_thread(const struct histree_attributes *attributes, histree_quark quark);

/*
 * Walk everything below `top`, depth first.  Returns the attribute that follows `quark`: its first child, else
 * its next sibling, else the next sibling of its nearest ancestor that has one; HISTREE_ROOT at the end.  The
 * first call passes `top` itself, which is never returned.
 */
HISTREE_API histree_quark histree_attributes_next_below(const struct histree_attributes *attributes,
							histree_quark top, histree_quark quark);

/*
 * Write the children of `parent` that come after its child `after`, or all if `after` is HISTREE_ROOT, up to
 * `room` of them.  Returns how many were written.  Each child costs a few nanoseconds, which matters if a parent
 * has very many.
 */
HISTREE_API size_t histree_attributes_children(const struct histree_attributes *attributes, histree_quark parent,
					       histree_quark after, histree_quark *children, size_t room);

/*
 * Call `found` once for each attribute below `from` that matches a pattern: depth first, parents before their
 * children, siblings in the order of their creation.  `found` returns false to stop.  In a pattern, `*` stands for
 * any text inside one component (`CPU*`, or alone for the whole component), `**` as a component for any number of
 * levels including none, and `..` for the parent.  A backslash makes the next character stand for itself (`\*`).
 * Returns HISTREE_NOT_FOUND if nothing matches, HISTREE_ERR_ARGUMENT if the pattern has an empty component.
 *
 * The work is at most the number of components times the number of attributes, whatever the pattern.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status
histree_attributes_match(const struct histree_attributes *attributes, histree_quark from, const char *pattern,
			 bool (*found)(void *context, histree_quark quark), void *context,
			 struct histree_error *error);

/*
 * Call `found` once for each attribute below `from` whose name, its last component unescaped, matches a regular
 * expression, in the order of histree_attributes_match().  The children of `from` are searched, or everything
 * below it if `all_levels` is set.  `found` returns false to stop.  The expression is a POSIX extended regular
 * expression over bytes, without counts ({3}) and back references, but with \d, \w, \s, \D, \W and \S.  It may
 * match anywhere in the name; ^ and $ stand for its ends.  Returns HISTREE_NOT_FOUND if nothing matches,
 * HISTREE_ERR_ARGUMENT if the expression is malformed or longer than 256 bytes, HISTREE_ERR_QUARK if there is no
 * attribute `from`.
 *
 * The work is at most 256 steps for each byte of the names, whatever the expression.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status
histree_attributes_search(const struct histree_attributes *attributes, histree_quark from, const char *expression,
			  bool all_levels, bool (*found)(void *context, histree_quark quark), void *context,
			  struct histree_error *error);

/* ==== labels ================================================================================================== */

/*
 * What values mean: the labels of a history.
 *
 * A status is kept as a number, and only the analysis that made the history knows its meaning.  A history
 * therefore has tables of labels, each for the attributes that match its patterns.  A label gives a value, or a
 * range of numbers, a name for people, a key for tools, colours and a height.  The tables are a section of the
 * file (LABL, histree-format(5)); the command, pictures, the server and SQL all read them from there.
 *
 *	label = histree_label_of(history, quark, &interval.value);	"waits for a CPU" for 5, NULL for most
 *
 *	table = histree_labels_of(history, quark);			once for an attribute
 *	style = histree_style_of(table, &interval.value);		how to draw a value of it
 *
 * An analysis of your own says what its values mean before it closes the history:
 *
 *	static const char *const patterns[] = { "Machines/Press *", NULL };
 *	static const struct histree_label labels[] = {
 *		{ .first = 0, .last = 0, .is_code = true, .style = { "OFF", "off", 0x99a1ac, 0x79828f, 0.5 } },
 *		{ .first = 1, .last = 9, .is_code = true, .style = { "ON", "works", 0x12936a, 0x35b98c, 1 } },
 *	};
 *	static const struct histree_label_table table = { .name = "machine status", .patterns = patterns,
 *							  .labels = labels, .label_count = 2 };
 *	histree_state_labels(system, &table, 1, &error);
 *
 * A history without labels, such as one of a kernel analysis that is older than labels, gets those that this
 * version of the library knows for its provider.
 *
 * Threads: any number of threads may ask.  What is returned is borrowed from the history.
 */

struct histree_history;
struct histree_state_system;

enum {
	HISTREE_LABEL_TABLES_MAX = 200, /* in a history */
	HISTREE_LABEL_TEXT_MAX = 255,   /* bytes of a name, a key, a text or a pattern */
};

/* What is known about the values of an attribute beyond their labels.  The file format uses these numbers. */
enum histree_meaning {
	HISTREE_MEANS_ANYTHING,
	HISTREE_MEANS_THREAD_STATUS,
	HISTREE_MEANS_CPU_STATUS,
	HISTREE_MEANS_TID,
	HISTREE_MEANS_IRQ, /* the number of the CPU that handles it */
	HISTREE_MEANS_SOFT_IRQ,
	HISTREE_MEANS_FREQUENCY, /* in Hz */
};
#define HISTREE_MEANING_COUNT 7

/* Returns the word for a meaning in tables of text, such as "thread-status"; "" for HISTREE_MEANS_ANYTHING. */
HISTREE_API const char *histree_meaning_name(enum histree_meaning meaning);

struct histree_style {
	const char *key;      /* for tools; the name in Trace Compass, if it has one ("Wait blocked") */
	const char *name;     /* for people: "blocked" */
	uint32_t light, dark; /* 0xRRGGBB on a light and on a dark background */
	double height;        /* of the row, 0 to 1; kept in hundredths */
};

enum histree_label_kind {
	HISTREE_LABEL_NUMBERS, /* an int, long or bool from `first` to `last`; false is 0 and true is 1 */
	HISTREE_LABEL_TEXT,    /* a string equal to `text` */
	HISTREE_LABEL_OTHERS,  /* every value without another label in the table, except null and unknown */
};

struct histree_label {
	enum histree_label_kind kind;
	int64_t first, last;
	const char *text;
	bool is_code;       /* the name is what the value means; else it says only how the value is drawn */
	bool is_hidden;     /* such values are not drawn, as null is not; it needs no style */
	bool has_no_colour; /* `light` and `dark` are filled in with the colours of the palette for the value */
	struct histree_style style;
};

struct histree_label_table {
	const char *name; /* what the values are: "thread status" */
	enum histree_meaning meaning;
	/*
	 * Patterns as histree_attributes_match() takes them, but without `..`; the last is NULL.  An attribute has
	 * the first table with a pattern that matches it.
	 */
	const char *const *patterns;
	/*
	 * In an open history, labels of numbers come first, ordered by value, then those of texts, ordered by
	 * their bytes, then OTHERS.  No value has two labels.
	 */
	const struct histree_label *labels;
	size_t label_count;
	bool uses_palette; /* values without a label have a colour each; else they are not drawn */
};

/* ---- of a history ----------------------------------------------------------------------------------------- */

/*
 * Returns the tables of a history in order, and sets *count to their number.  For several hosts (history.h), each
 * distinct table comes once, and its patterns begin with a `*` for the level of the host; histree_labels_of()
 * knows which table belongs to which host.
 */
HISTREE_API const struct histree_label_table *histree_labels(const struct histree_history *history, size_t *count);

enum histree_labels_origin {
	HISTREE_LABELS_NONE,    /* the history has no labels */
	HISTREE_LABELS_OF_FILE, /* the history has them */
	HISTREE_LABELS_KNOWN,   /* its own are missing or cannot be read; these are known for its provider */
};
HISTREE_API enum histree_labels_origin histree_labels_origin(const struct histree_history *history);

/*
 * Returns the table for an attribute, or NULL if it has none.  The first call for an attribute costs up to a few
 * microseconds, every later one a few nanoseconds.
 */
HISTREE_API const struct histree_label_table *histree_labels_of(const struct histree_history *history,
								histree_quark quark);

/*
 * Returns the last table of the history with this meaning, which is that of most attributes: those of a few, such
 * as idle loops, come before it.  If the history is NULL or has no such table, returns
 * that of the analysis `kernel`, or NULL for HISTREE_MEANS_ANYTHING.
 */
HISTREE_API const struct histree_label_table *histree_labels_for(const struct histree_history *history,
								 enum histree_meaning meaning);

/* Returns what the values of an attribute mean: the meaning of its table, or HISTREE_MEANS_ANYTHING. */
HISTREE_API enum histree_meaning histree_meaning_of(const struct histree_history *history, histree_quark quark);

/*
 * Returns what a value of an attribute means, for people: "waits for a CPU" for 5.  Returns NULL if the value
 * speaks for itself, as a name does, or if its meaning is not known.  Most calls cost a few nanoseconds, as
 * histree_labels_of() does.
 */
HISTREE_API const char *histree_label_of(const struct histree_history *history, histree_quark quark,
					 const struct histree_value *value);

/* ---- of a table of a history; NULL stands for an attribute without a table ---------------------------------- */

/*
 * Returns the label of a value, or NULL.  If the table does not come from a history, its labels must be in the
 * order that struct histree_label_table describes.
 */
HISTREE_API const struct histree_label *histree_label_find(const struct histree_label_table *table,
							   const struct histree_value *value);

/* Returns the name of that label if it is a code, else NULL. */
HISTREE_API const char *histree_label_words(const struct histree_label_table *table,
					    const struct histree_value *value);

/*
 * Returns how to show a value, or NULL if it is not shown; null is never shown.  Where the palette is used, the
 * colour follows from the value and is the same for equal values everywhere; key and name are then those of the
 * palette ("colour 3").  Readers who cannot distinguish red from green can tell its colours apart.  A value of
 * type unknown has the style "Unknown", whatever the table.
 */
HISTREE_API const struct histree_style *histree_style_of(const struct histree_label_table *table,
							 const struct histree_value *value);

/*
 * Returns the style with this index in the legend of a table, or NULL after the last one.  A legend has the
 * styles of the labels, then those of the palette if the table uses it, then "Unknown" unless a label has that
 * key.
 */
HISTREE_API const struct histree_style *histree_styles(const struct histree_label_table *table, size_t index);

/* Returns whether a style is one of the palette, which shows only that values differ. */
HISTREE_API bool histree_style_is_palette(const struct histree_style *style);

/* ---- of a history that is built ----------------------------------------------------------------------------- */

/*
 * Declare what the values of a history mean, at any time before it is closed; a second call replaces the first.
 * The tables are copied.  Returns HISTREE_ERR_ARGUMENT if a pattern is malformed, two labels of a table apply to
 * the same value, two labels with the same key look different, a text is too long, or the tables together exceed
 * 4 MiB.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status histree_state_labels(struct histree_state_system *system,
									const struct histree_label_table *tables,
									size_t count, struct histree_error *error);

/* ==== charts ================================================================================================== */

/*
 * What is worth looking at: the charts of a history.
 *
 * The analysis that made a history knows which of its attributes belong in one picture.  It therefore declares
 * charts: lines of numbers over time, or rows of states.  A chart has entries, each a pattern of attributes;
 * every attribute that matches becomes a row, and what the row shows and its name are given relative to that
 * attribute.  Declarations are a section of the file (CHRT, histree-format(5)); view/view.h makes rows and lines
 * of them.
 *
 *	static const struct histree_chart_entry entries[] = {
 *		{ .parent = HISTREE_CHART_TOP, .path = "Thread *" },
 *		{ .parent = 0, .path = "bytes_read", .shown = ".", .label = "read", .measure = HISTREE_CHART_RATE },
 *	};
 *	static const struct histree_chart chart = { .name = "thread-bytes", .title = "Bytes of threads",
 *		.unit = "B/s", .entries = entries, .entry_count = 2 };
 *	status = histree_state_charts(system, &chart, 1, &error);
 *
 * A *reference* names an attribute relative to the attribute of a row: "." is that attribute itself, "Status" is
 * its child, and "/CPUs/0" is an absolute path.
 *
 * A history without charts of its own gets those that this version of the library knows for its provider.
 *
 * Threads: any number of threads may ask.  What is returned is borrowed from the history.
 */

struct histree_history;
struct histree_state_system;

enum {
	HISTREE_CHARTS_MAX = 100,        /* in a history */
	HISTREE_CHART_ENTRIES_MAX = 200, /* in a chart */
	HISTREE_CHART_TEXT_MAX = 255,    /* bytes of any text */
	HISTREE_CHART_DEPTH_MAX = 32,    /* levels of entries within one another */
};

/* The parent of an entry at the top. */
#define HISTREE_CHART_TOP UINT32_MAX

enum histree_chart_kind {
	HISTREE_CHART_LINES,  /* numbers over time */
	HISTREE_CHART_STATES, /* rows of states, with names and colours of labels */
};

/*
 * The path of an entry for call stacks, in which each depth is a row, the outermost call first.  The server shows
 * it among the rows of call stacks.
 */
#define HISTREE_CHART_STACKS "CallStack/*"

/* What a point of a line shows. */
enum histree_chart_measure {
	HISTREE_CHART_VALUE,      /* the number that the attribute has at that time */
	HISTREE_CHART_DIFFERENCE, /* the increase since the point before */
	HISTREE_CHART_RATE,       /* the increase per second */
};

struct histree_chart_entry {
	uint32_t parent;   /* HISTREE_CHART_TOP, or the index of an entry before this one */
	const char *path;  /* a pattern as ls takes them, below each attribute of the parent; no `..` */
	const char *shown; /* a reference: whose states or numbers are shown; NULL: the row groups others */
	const char *label; /* the name of the row; NULL: `name` says it */
	/*
	 * A reference whose first value is the name; if it is NULL or has no value, the attribute's own name is
	 * used
	 */
	const char *name;
	/*
	 * References that make a tree of the rows of this entry that stand below the same row, as PPIDs do of
	 * threads: `id` is the identity of a row (NULL: its name), and `above` is the identity of its parent
	 * (NULL: no tree).
	 */
	const char *id, *above;
	enum histree_chart_measure measure;
	double factor;   /* numbers are multiplied by it; 0 stands for 1 */
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
 * Returns the charts of a history in order, and sets *count to their number.  For several hosts (history.h),
 * these are the charts of all hosts, but only the first of those with the same name.
 */
HISTREE_API const struct histree_chart *histree_charts(const struct histree_history *history, size_t *count);

/* Returns the chart with this name, or NULL if the history has no such chart. */
HISTREE_API const struct histree_chart *histree_chart_find(const struct histree_history *history, const char *name);

/* Returns whether the history has any attribute that the chart shows; it may have none, depending on the trace. */
HISTREE_API bool histree_chart_has_rows(const struct histree_history *history, const struct histree_chart *chart);

/* Returns the word for a measure: "value", "difference" or "rate". */
HISTREE_API const char *histree_chart_measure_name(enum histree_chart_measure measure);

/*
 * Declare the charts of a history, at any time before it is closed; a second call replaces the first.  The charts
 * are copied.  Returns HISTREE_ERR_ARGUMENT if a pattern or a reference is invalid, two charts have the same
 * name, a text is too long, or the charts together exceed 64 KiB.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status histree_state_charts(struct histree_state_system *system,
									const struct histree_chart *charts,
									size_t count, struct histree_error *error);

#endif
