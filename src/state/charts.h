/* SPDX-License-Identifier: MIT */
/*
 * charts.h - which attributes belong into one picture: charts, and their section of a file, CHRT.
 *
 * All numbers are varints, except where a size is said.  A text is its size and its bytes, none of which is zero.
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
 *
 * The charts of an open history are read at the first question about them and published with one atomic store; a
 * thread that comes second drops its own.
 */
#ifndef STATE_CHARTS_H
#define STATE_CHARTS_H

#include <stdatomic.h>

#include "base/arena.h"
#include "histree/attributes.h"
#include "store/block_file.h"

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

struct history_charts {
	const struct histree_chart *charts;
	size_t count;
	struct chart_list of_file; /* empty if they are known of the provider */
};

/* What is known of a provider: NULL and a count of 0 if nothing is. */
typedef const struct histree_chart *known_charts(const char *provider, size_t *count);

/* Where a history keeps them. */
struct charts_slot {
	struct history_charts *_Atomic charts;
	/* For a history without a file: its section; NULL: it has no charts. */
	uint8_t *bytes;
	size_t size;
};

/* Returns NULL if memory is out. */
struct charts_slot *charts_slot_create(void);
void charts_slot_free(struct charts_slot *slot);

/* Returns the charts of the file, or else those that are known of the provider; NULL if memory is out. */
const struct history_charts *charts_slot_get(struct charts_slot *slot, const struct block_file *file,
					     const char *provider, known_charts *known);

/* Returns the charts of a history of several hosts: theirs, of one name the first.  NULL if memory is out. */
const struct history_charts *charts_slot_unite(struct charts_slot *slot, const struct history_charts *const *hosts,
					       size_t count);

/*
 * Read the section from a file, if it is sound: the caller frees *bytes, which is NULL if there is no section
 * that can be read.  Returns HISTREE_ERR_MEMORY if memory is out.
 */
enum histree_status charts_read_raw(const struct block_file *file, uint8_t **bytes, size_t *size,
				    struct histree_error *error);

/* Report what is wrong with the section, which is not what its checksum says. */
enum histree_status charts_verify(const struct block_file *file, void (*report)(void *context, const char *fault),
				  void *context, struct histree_error *error);

#endif
