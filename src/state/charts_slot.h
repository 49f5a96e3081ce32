/* SPDX-License-Identifier: MIT */
/*
 * charts_slot.h - the charts of an open history.
 *
 * They are read when somebody asks for them first, and published with one atomic store; who comes second drops what
 * he made.
 */
#ifndef STATE_CHARTS_SLOT_H
#define STATE_CHARTS_SLOT_H

#include <stdatomic.h>

#include "state/chart_section.h"
#include "store/block_file.h"

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
	/* Of a history without a file: its section; NULL: there is none. */
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
 * The section as it is in a file, if it is sound: the caller frees *bytes, which is NULL if there is none, or none
 * that can be read.  Returns HISTREE_ERR_MEMORY if memory is out.
 */
enum histree_status charts_read_raw(const struct block_file *file, uint8_t **bytes, size_t *size,
				    struct histree_error *error);

/* Report what is wrong with the section, which is not what its checksum says. */
enum histree_status charts_verify(const struct block_file *file, void (*report)(void *context, const char *fault),
				  void *context, struct histree_error *error);

#endif
