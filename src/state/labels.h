/* SPDX-License-Identifier: MIT */
/*
 * labels.h - what values mean, and how they are drawn: tables of labels (histree/attributes.h), and their section,
 * LABL.
 *
 * All numbers are varints, except where a size is said.  A text is its size and its bytes, none of which is zero.
 *
 * 	1, the version of the section
 * 	the number of tables, and for each
 * 		name (text)
 * 		meaning, flags: 1, values without a label have a colour of the palette
 * 		the number of patterns, and they (texts)
 * 		the number of labels, and for each
 * 			flags (1 byte), see enum label_flags
 * 			NUMBERS: the first in zigzag, and with LABEL_IS_RANGE last - first; TEXT: it (text)
 * 			unless hidden: key, name (texts), height in hundredths (1 byte)
 * 			unless hidden or without a colour: light, dark (3 bytes each, red first)
 *
 * A history without labels has no such section.  A section of another version is ignored.
 *
 * The labels of an open history are checked, sorted, and read at the first question about them, so labels that are
 * not used cost nothing; the same holds for the table of each attribute, which takes a byte.  Both are published
 * with one atomic store, and a thread that comes second drops its own copy: any number of threads may call.
 */
#ifndef STATE_LABELS_H
#define STATE_LABELS_H

#include <stdatomic.h>

#include "histree/attributes.h"
#include "state/told.h"

enum {
	LABEL_PATTERNS_MAX = 200, /* of a table */
	LABELS_MAX = 32768,       /* of a table */
	LABEL_HUNDREDTHS = 100,   /* of a height */
};

/*
 * Copy what a caller says, in the order in which it is kept.  Returns HISTREE_ERR_ARGUMENT with a sentence if it
 * cannot be so.
 */
enum histree_status label_tables_copy(const struct histree_label_table *tables, size_t count, struct told_list *out,
				      struct histree_error *error);

/* For qsort(): numbers by value, then texts by their bytes, then the others, as histree/attributes.h wants them. */
int label_order(const void *one, const void *other);

/* Check a table whose labels are in that order: what is kept, and what is read. */
enum histree_status label_table_check(const struct histree_label_table *table, struct histree_error *error);

enum { LABEL_SECTION_SIZE_MAX = 4 << 20 };

extern const struct told_kind told_labels;

/* For an attribute: not looked for yet, or no table, or table n - LABELS_FIRST_TABLE. */
enum { LABELS_NOT_KNOWN, LABELS_NO_TABLE, LABELS_FIRST_TABLE };

struct labels_of_quarks {
	const struct histree_label_table *tables;
	uint32_t count;
	_Atomic uint8_t numbers[];
};

/* Returns false if the table of this attribute has not been looked for yet; *out may be NULL. */
static inline bool labels_known(const struct told_slots *slots, histree_quark quark,
				const struct histree_label_table **out)
{
	const struct labels_of_quarks *known = atomic_load_explicit(&slots->known, memory_order_acquire);
	if (known == NULL || quark >= known->count)
		return false;
	uint8_t number = atomic_load_explicit(&known->numbers[quark], memory_order_relaxed);
	*out = number >= LABELS_FIRST_TABLE ? &known->tables[number - LABELS_FIRST_TABLE] : NULL;
	return number != LABELS_NOT_KNOWN;
}

/* Returns the table for an attribute, which is known from then on, or NULL if it has none. */
const struct histree_label_table *labels_look(struct told_slots *slots, const struct histree_attributes *attributes,
					      const struct history_told *labels, histree_quark quark);

#endif
