/* SPDX-License-Identifier: MIT */
/*
 * chart_section.h - section CHRT: the charts of a history.
 *
 * All numbers are varints, but where a size is said.  A text is its size and its bytes, none of which is zero.
 *
 *	1, the version of the section
 *	the number of charts, and for each
 *		name, title, unit (texts)
 *		kind, and 1 if it names a table of labels, then that (text)
 *		the number of entries, and for each
 *			parent + 1, 0 at the top
 *			which texts there are, see enum chart_texts, and flags
 *			measure; path, and the texts that there are, in the order of their bits
 *			with CHART_HAS_FACTOR: the factor (8 bytes, a double)
 *
 * A history without charts has no such section.  One with another version is read as if there was none.
 */
#ifndef STATE_CHART_SECTION_H
#define STATE_CHART_SECTION_H

#include "base/arena.h"
#include "histree/charts.h"

enum { CHART_SECTION_VERSION = 1, CHART_SECTION_SIZE_MAX = 64 << 10 };

enum chart_texts {
	CHART_HAS_SHOWN = 1,
	CHART_HAS_LABEL = 2,
	CHART_HAS_NAME = 4,
	CHART_HAS_ID = 8,
	CHART_HAS_ABOVE = 16,
	CHART_HAS_FACTOR = 32,
	CHART_SHOWS_TEXT = 64,
	CHART_FLAGS = 127, /* all of them */
};

/* A zeroed one is empty. */
struct chart_list {
	struct histree_chart *charts;
	size_t count;
	struct arena memory; /* of everything */
};

void chart_list_release(struct chart_list *list);

/* Returns HISTREE_ERR_ARGUMENT with a sentence if these are no charts. */
enum histree_status charts_check(const struct histree_chart *charts, size_t count, struct histree_error *error);

/*
 * Returns the bytes of charts that were checked; the caller frees *out.  HISTREE_ERR_ARGUMENT: they are more than
 * such a section has.
 */
enum histree_status chart_section_encode(const struct histree_chart *charts, size_t count, uint8_t **out,
					 size_t *size, struct histree_error *error);

/*
 * Returns HISTREE_ERR_FORMAT if they are no such section, HISTREE_NOT_FOUND if it is of another version; *out is
 * empty then.
 */
enum histree_status chart_section_decode(const uint8_t *bytes, size_t size, struct chart_list *out,
					 struct histree_error *error);

#endif
