/* SPDX-License-Identifier: MIT */
/*
 * told.h - what a history declares about its values: tables of labels (labels.h) and charts (charts.h).  Each is a
 * list, a section of the file, and a slot of the open history.
 *
 * A section is its version and the number of items, as varints, then each item.  A text is its size, a varint, and
 * its bytes, none of which is zero.  A history without items has no such section.  A section of another version is
 * ignored.
 *
 * The functions that write and read do not return errors: once something is wrong, the others do nothing, and the
 * caller checks at the end.
 *
 * An open history reads a list at the first question about it and publishes it with one atomic store; a thread that
 * comes second drops its own.
 */
#ifndef STATE_TOLD_H
#define STATE_TOLD_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "histree/attributes.h"
#include "histree/status.h"

struct block_file;

/* In the order of the file. */
enum told_section {
	TOLD_LABELS, /* LABL: what its values mean */
	TOLD_CHARTS, /* CHRT: which charts there are */
	TOLD_SECTIONS,
};

/* A zeroed one is empty. */
struct told_list {
	union {
		void *items;
		struct histree_label_table *tables;
		struct histree_chart *charts;
	};
	size_t count;
	struct arena memory; /* of everything */
};

void told_list_release(struct told_list *list);

struct told_reader {
	struct byte_reader reader;
	struct arena *memory; /* of texts and arrays */
	bool no_memory;
};

static inline bool told_is_sound(const struct told_reader *reading)
{
	return !reading->reader.failed && !reading->no_memory;
}

/* Returns "" once something was wrong, as with a text that is longer than `most` or has a zero. */
const char *told_take_text(struct told_reader *reading, size_t most);

/* A number of things that have `size` bytes each at least; 0 if something is wrong. */
size_t told_take_count(struct told_reader *reading, size_t size, size_t max);

/* Room for one more than `count`; NULL if memory runs out. */
void *told_take_room(struct told_reader *reading, size_t count, size_t size);
uint8_t told_take_byte(struct told_reader *reading, uint8_t max);

struct history_told;

/* What the two differ in. */
struct told_kind {
	const char *what; /* "labels" */
	const char *tag;  /* "LABL" */
	enum told_section section;
	uint32_t id;
	unsigned version;
	size_t size_max; /* of the section */
	size_t count_max;
	size_t item_size, item_bytes_min; /* in memory, in the section */
	void (*put)(struct byte_buffer *out, const void *items, size_t index);
	/* HISTREE_ERR_ARGUMENT, with a sentence: what was read cannot be. */
	enum histree_status (*take)(struct told_reader *reading, struct told_list *list,
				    struct histree_error *error);
	/* The same of all of them; NULL: there is nothing more to ask. */
	enum histree_status (*check)(const struct told_list *list, struct histree_error *error);
	/* Put what hosts tell into one; false: memory runs out. */
	bool (*unite)(struct history_told *made, const struct history_told *const *hosts, size_t count);
	const char *consequence; /* of a damaged section, as a sentence; or NULL */
};

/* ---- the section -------------------------------------------------------------------------------------------- */

/* The caller frees the bytes.  Returns HISTREE_ERR_ARGUMENT if the section would be too large. */
enum histree_status told_encode(const struct told_kind *kind, const void *items, size_t count, uint8_t **out,
				size_t *size, struct histree_error *error);

/* Returns HISTREE_NOT_FOUND if the version is another one, HISTREE_ERR_FORMAT if the bytes are no such things. */
enum histree_status told_decode(const struct told_kind *kind, const uint8_t *bytes, size_t size,
				struct told_list *out, struct histree_error *error);

/*
 * Get the bytes of the section, to put them into another file; the caller frees them.  NULL if there is no such
 * section, or it cannot be read.  HISTREE_ERR_MEMORY only.
 */
enum histree_status told_read_raw(const struct told_kind *kind, const struct block_file *file, uint8_t **bytes,
				  size_t *size, struct histree_error *error);

/* Report what is wrong with the section, which is not what its checksum says. */
enum histree_status told_verify(const struct told_kind *kind, const struct block_file *file,
				void (*report)(void *context, const char *fault), void *context,
				struct histree_error *error);

/* ---- of an open history ------------------------------------------------------------------------------------- */

struct history_told {
	union {
		const void *items;
		const struct histree_label_table *tables;
		const struct histree_chart *charts;
	};
	size_t count;
	enum histree_labels_origin origin;
	struct told_list of_file; /* empty if they are known of the provider */
};

struct labels_of_quarks;

/* Where a history keeps its labels or charts. */
struct told_slots {
	struct {
		struct history_told *_Atomic told;
		/* For a history without a file: its section; NULL: it has none. */
		uint8_t *bytes;
		size_t size;
	} of[TOLD_SECTIONS];
	struct labels_of_quarks *_Atomic known; /* labels.h */
};

/* Returns NULL if memory runs out. */
struct told_slots *told_slots_create(void);
void told_slots_free(struct told_slots *slots);

/* What is known of a provider: a count of 0 if nothing is. */
typedef const void *told_known(const char *provider, size_t *count);

/* Returns what the file has, or else what is known of the provider; NULL if memory runs out. */
const struct history_told *told_slots_get(struct told_slots *slots, const struct told_kind *kind,
					  const struct block_file *file, const char *provider, told_known *known);

/* Returns what a history of several hosts declares, combined from its hosts.  NULL if memory runs out. */
const struct history_told *told_slots_unite(struct told_slots *slots, const struct told_kind *kind,
					    const struct history_told *const *hosts, size_t count);

/* By section (history.c). */
extern const struct told_kind *const told_kinds[TOLD_SECTIONS];

#endif
