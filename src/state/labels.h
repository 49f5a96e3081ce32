/* SPDX-License-Identifier: MIT */
/*
 * labels.h - what values mean, and how they are drawn: tables of labels (histree/attributes.h), and their section,
 * LABL.
 *
 * All numbers are varints, except where a size is said.  A text is its size and its bytes, none of which is zero.
 *
 *	1, the version of the section
 *	the number of tables, and for each
 *		name (text)
 *		meaning, flags: 1, values without a label have a colour of the palette
 *		the number of patterns, and they (texts)
 *		the number of labels, and for each
 *			flags (1 byte), see enum label_flags
 *			NUMBERS: the first in zigzag, and with LABEL_IS_RANGE last - first; TEXT: it (text)
 *			unless hidden: key, name (texts), height in hundredths (1 byte)
 *			unless hidden or without a colour: light, dark (3 bytes each, red first)
 *
 * A history without labels has no such section.  One with another version is read as if there was none.
 *
 * The labels of an open history are checked, sorted, and read at the first question about them, so that a history
 * costs nothing for labels that are not used; the same goes for the table of each attribute, which is a byte.
 * Both are published with one atomic store, and a thread that comes second drops its own: any number of threads
 * may ask.
 */
#ifndef STATE_LABELS_H
#define STATE_LABELS_H

#include <stdatomic.h>

#include "base/arena.h"
#include "histree/attributes.h"
#include "store/block_file.h"

/* A zeroed one is empty. */
struct label_tables {
	struct histree_label_table *tables;
	size_t count;
	struct arena memory; /* of everything */
};

enum {
	LABEL_PATTERNS_MAX = 200, /* of a table */
	LABELS_MAX = 32768,       /* of a table */
	LABEL_HUNDREDTHS = 100,   /* of a height */
};

/*
 * Copy what a caller says, in the order in which it is kept.  Returns HISTREE_ERR_ARGUMENT with a sentence if it
 * cannot be so.
 */
enum histree_status label_tables_copy(const struct histree_label_table *tables, size_t count,
				      struct label_tables *out, struct histree_error *error);

/* Check a table whose labels are in that order: what is kept, and what is read. */
enum histree_status label_table_check(const struct histree_label_table *table, struct histree_error *error);
void label_tables_release(struct label_tables *tables);

enum {
	LABEL_SECTION_VERSION = 1,
	LABEL_SECTION_SIZE_MAX = 4 << 20,
};

/*
 * Returns the bytes of tables that were checked; the caller frees *out.  HISTREE_ERR_ARGUMENT: they are more than
 * such a section has.
 */
enum histree_status label_section_encode(const struct label_tables *tables, uint8_t **out, size_t *size,
					 struct histree_error *error);

/*
 * Returns HISTREE_ERR_FORMAT if they are no such section, HISTREE_NOT_FOUND if it is of another version; *out is
 * empty then.
 */
enum histree_status label_section_decode(const uint8_t *bytes, size_t size, struct label_tables *out,
					 struct histree_error *error);

struct history_labels {
	const struct histree_label_table *tables;
	size_t count;
	enum histree_labels_origin origin;
	struct label_tables of_file; /* empty if they are known of the provider */
};

/* What is known of a provider: NULL and a count of 0 if nothing is. */
typedef const struct histree_label_table *known_labels(const char *provider, size_t *count);

/* For an attribute: not looked for yet, or no table, or table n - LABELS_FIRST_TABLE. */
enum { LABELS_NOT_KNOWN, LABELS_NO_TABLE, LABELS_FIRST_TABLE };

struct labels_of_quarks {
	const struct histree_label_table *tables;
	uint32_t count;
	_Atomic uint8_t numbers[];
};

/* Where a history keeps them. */
struct labels_slot {
	struct history_labels *_Atomic labels;
	struct labels_of_quarks *_Atomic known;
	/* For a history without a file: its section; NULL: it has no labels. */
	uint8_t *bytes;
	size_t size;
};

/* Returns false if the table of this attribute has not been looked for yet; *out may be NULL. */
static inline bool labels_slot_known(const struct labels_slot *slot, histree_quark quark,
				     const struct histree_label_table **out)
{
	const struct labels_of_quarks *known = atomic_load_explicit(&slot->known, memory_order_acquire);
	if (known == NULL || quark >= known->count)
		return false;
	uint8_t number = atomic_load_explicit(&known->numbers[quark], memory_order_relaxed);
	*out = number >= LABELS_FIRST_TABLE ? &known->tables[number - LABELS_FIRST_TABLE] : NULL;
	return number != LABELS_NOT_KNOWN;
}

/* Returns NULL if memory is out. */
struct labels_slot *labels_slot_create(void);
void labels_slot_free(struct labels_slot *slot);

/*
 * Returns the labels of the file (NULL: of the section in the slot), or else those that are known of the provider;
 * NULL if memory is out.
 */
const struct history_labels *labels_slot_get(struct labels_slot *slot, const struct block_file *file,
					     const char *provider, known_labels *known);

/*
 * Returns the labels of a history of several hosts, made of theirs: each table once, with patterns for any host.
 * NULL if memory is out.
 */
const struct history_labels *labels_slot_unite(struct labels_slot *slot, const struct history_labels *const *hosts,
					       size_t count);

/* Returns the table for an attribute, which is known from then on, or NULL if it has none. */
const struct histree_label_table *labels_slot_look(struct labels_slot *slot,
						   const struct histree_attributes *attributes,
						   const struct history_labels *labels, histree_quark quark);

/*
 * Read the section from a file, if it is sound: the caller frees *bytes, which is NULL if there is no section
 * that can be read.  Returns HISTREE_ERR_MEMORY if memory is out.
 */
enum histree_status labels_read_raw(const struct block_file *file, uint8_t **bytes, size_t *size,
				    struct histree_error *error);

/* Report what is wrong with the section, which is not what its checksum says. */
enum histree_status labels_verify(const struct block_file *file, void (*report)(void *context, const char *fault),
				  void *context, struct histree_error *error);

#endif
