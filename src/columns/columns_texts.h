/* SPDX-License-Identifier: MIT */
/*
 * columns_texts.h - texts one after the other as the Arrow format has them, which only grow.
 *
 * Text i lies between offsets i and i + 1.  A view is the texts that there were when it was taken: it holds their
 * memory, so that it outlives the texts, and nothing in it ever changes.  Where texts have to move to grow, the old
 * memory stays as long as a view holds it.  Views may be dropped on any thread.
 */
#ifndef COLUMNS_TEXTS_H
#define COLUMNS_TEXTS_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "histree/status.h"

/* The offsets are int32. */
#define COLUMNS_TEXTS_BYTES_MAX ((size_t)INT32_MAX)

/* Bytes that several hold.  They begin at a multiple of 64. */
struct columns_memory {
	_Atomic uint32_t holders;
	size_t capacity;
	_Alignas(64) uint8_t bytes[];
};

/* A zeroed struct columns_texts has no texts. */
struct columns_texts {
	struct columns_memory *offsets, *bytes;
	uint32_t count;
	size_t size;     /* of the bytes */
	size_t size_max; /* 0: COLUMNS_TEXTS_BYTES_MAX */
};

struct columns_texts_view {
	struct columns_memory *offsets, *bytes; /* NULL: it was dropped */
	uint32_t count;
};

/* Returns HISTREE_ERR_TOO_LARGE if they would be more than size_max; the texts are then as before. */
enum histree_status columns_texts_add(struct columns_texts *texts, const void *bytes, size_t size,
				      struct histree_error *error);

/* Room for a text that had to be changed; the caller frees `bytes`. */
struct columns_repair {
	char *bytes;
	size_t capacity;
};

/* Have U+FFFD for each byte that is part of no character.  A text that is UTF-8 stays where it is. */
enum histree_status columns_repair(struct columns_repair *room, const void **bytes, size_t *size,
				   struct histree_error *error);

static inline const int32_t *columns_texts_offsets(const struct columns_texts *texts)
{
	return (const int32_t *)(const void *)texts->offsets->bytes;
}

static inline const char *columns_texts_get(const struct columns_texts *texts, uint32_t number, size_t *size)
{
	const int32_t *offset = columns_texts_offsets(texts) + number;
	*size = (size_t)(offset[1] - offset[0]);
	return (const char *)texts->bytes->bytes + offset[0];
}

/* Take a view of them, also of none.  Returns HISTREE_ERR_MEMORY. */
enum histree_status columns_texts_view(struct columns_texts *texts, struct columns_texts_view *out,
				       struct histree_error *error);
void columns_texts_drop_view(struct columns_texts_view *view);

/* They are none then. */
void columns_texts_release(struct columns_texts *texts);

#endif
