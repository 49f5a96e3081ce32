/* SPDX-License-Identifier: MIT */
/*
 * labels.h - what values mean: the labels of a history.
 *
 * A status is kept as a number, and only the analysis that made the history knows its meaning.  So a history has
 * tables of labels, each for the attributes that match a pattern.  A label gives a value, or a range of numbers,
 * a name for people, a key for tools, colours and a height.  The tables are a section of the file (LABL,
 * histree-format(5)); the command, pictures, the server and SQL all read them from there.
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
 * A history without labels gets those that this version knows for its provider; histories of the kernel analyses
 * older than labels are such.
 *
 * Threads: any number of threads may ask.  What is returned lives as long as the history.
 */
#ifndef HISTREE_LABELS_H
#define HISTREE_LABELS_H

#include "value.h"

struct histree_history;
struct histree_state_system;

enum {
	HISTREE_LABEL_TABLES_MAX = 200, /* of a history */
	HISTREE_LABEL_TEXT_MAX = 255,   /* bytes of a name, a key, a text or a pattern */
};

/* What is known of the values of an attribute beyond their labels; the numbers are those of the file. */
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
	 * As histree_attributes_match() takes them, without `..`; NULL ends them.  The first table that matches
	 * applies.
	 */
	const char *const *patterns;
	/*
	 * In an open history: numbers by value, then texts by their bytes, then OTHERS.  No value has two labels.
	 */
	const struct histree_label *labels;
	size_t label_count;
	bool uses_palette; /* values without a label have a colour each; else they are not drawn */
};

/* ---- of a history ----------------------------------------------------------------------------------------- */

/*
 * Returns the tables of a history in their order; *count becomes their number.  For several hosts (history.h),
 * each distinct table comes once, with patterns that begin with a level for the host, a star; histree_labels_of()
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
 * Returns the table for an attribute, or NULL if it has none.  The first answer for an attribute costs up to some
 * microseconds, each other one some nanoseconds.
 */
HISTREE_API const struct histree_label_table *histree_labels_of(const struct histree_history *history,
								histree_quark quark);

/*
 * Returns the first table with this meaning: of the history, unless that is NULL, or else of the analysis
 * `kernel`. Returns NULL for HISTREE_MEANS_ANYTHING if the history has no such table.
 */
HISTREE_API const struct histree_label_table *histree_labels_for(const struct histree_history *history,
								 enum histree_meaning meaning);

/* Returns what the values of an attribute mean: the meaning of its table, or HISTREE_MEANS_ANYTHING. */
HISTREE_API enum histree_meaning histree_meaning_of(const struct histree_history *history, histree_quark quark);

/*
 * Returns what a value of an attribute means, for people: "waits for a CPU" for 5.  NULL if the value speaks for
 * itself, as a name does, or if its meaning is not known.  A few nanoseconds for most calls, see
 * histree_labels_of().
 */
HISTREE_API const char *histree_label_of(const struct histree_history *history, histree_quark quark,
					 const struct histree_value *value);

/* ---- of a table of a history; NULL stands for an attribute that has none ------------------------------------ */

/*
 * Returns the label of a value, or NULL.  The labels of a table that is not of a history must be in the order of
 * labels of an open history (struct histree_label_table).
 */
HISTREE_API const struct histree_label *histree_label_find(const struct histree_label_table *table,
							   const struct histree_value *value);

/* Returns the name of that label if it is a code, else NULL. */
HISTREE_API const char *histree_label_words(const struct histree_label_table *table,
					    const struct histree_value *value);

/*
 * Returns how to show a value, or NULL if it is not shown, as null is not.  Where the palette is used, the colour
 * follows from the value and is the same for equal values everywhere; key and name are then those of the palette
 * ("colour 3").  Its colours can be told apart by readers who do not tell red from green.  A value of type
 * unknown has the style "Unknown", whatever the table.
 */
HISTREE_API const struct histree_style *histree_style_of(const struct histree_label_table *table,
							 const struct histree_value *value);

/*
 * Returns one style of a table after the other for a legend, and NULL after the last one: of its labels, then
 * those of the palette if the table uses it, then "Unknown" if no label has that key.
 */
HISTREE_API const struct histree_style *histree_styles(const struct histree_label_table *table, size_t index);

/* Returns whether a style is one of the palette, which shows only that values differ. */
HISTREE_API bool histree_style_is_palette(const struct histree_style *style);

/* ---- of a history that is built ----------------------------------------------------------------------------- */

/*
 * Declare what the values of a history mean, at any time before it is closed; a second call replaces the first.
 * All is copied.  Returns HISTREE_ERR_ARGUMENT with a sentence if a pattern is malformed, two labels of a table
 * are for one value, two that do not look alike have one key, a text is too long, or everything together has more
 * than 4 MiB.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status histree_state_labels(struct histree_state_system *system,
									const struct histree_label_table *tables,
									size_t count, struct histree_error *error);

#endif
