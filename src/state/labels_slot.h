/* SPDX-License-Identifier: MIT */
/*
 * labels_slot.h - the labels of an open history, and which table is for which attribute.
 *
 * They are read when somebody asks for them first, so that a history whose labels nobody needs costs nothing for
 * them; so are the tables of its attributes, of which each is a byte.  Both are published with one atomic store,
 * and who comes second drops what he made: any number of threads may ask.
 */
#ifndef STATE_LABELS_SLOT_H
#define STATE_LABELS_SLOT_H

#include <stdatomic.h>

#include "histree/attributes.h"
#include "state/label_tables.h"
#include "store/block_file.h"

struct history_labels {
	const struct histree_label_table *tables;
	size_t count;
	enum histree_labels_origin origin;
	struct label_tables of_file; /* empty if they are known of the provider */
};

/* What is known of a provider: NULL and a count of 0 if nothing is. */
typedef const struct histree_label_table *known_labels(const char *provider, size_t *count);

/* Of an attribute: not looked for yet, or no table, or table n - LABELS_FIRST_TABLE. */
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
	/* Of a history without a file: its section; NULL: there is none. */
	uint8_t *bytes;
	size_t size;
};

/* Returns false if nobody asked for the table of this attribute before; *out may be NULL. */
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
 * The section as it is in a file, if it is sound: the caller frees *bytes, which is NULL if there is none, or none
 * that can be read.  Returns HISTREE_ERR_MEMORY if memory is out.
 */
enum histree_status labels_read_raw(const struct block_file *file, uint8_t **bytes, size_t *size,
				    struct histree_error *error);

/* Report what is wrong with the section, which is not what its checksum says. */
enum histree_status labels_verify(const struct block_file *file, void (*report)(void *context, const char *fault),
				  void *context, struct histree_error *error);

#endif
