/* SPDX-License-Identifier: MIT */
/*
 * columns_batch.h - batches of columns in the Arrow format: arrays, texts, dictionaries, schemas.
 *
 * *Texts* lie one after the other in the Arrow format and only grow.  Text i lies between offsets i and i + 1.  A
 * view has the texts that existed when it was taken: it holds their memory, so it outlives the texts, and nothing
 * in it ever changes.  If texts have to move to grow, the old memory stays as long as a view holds it. Views may be
 * dropped on any thread.
 *
 * *Ids* number distinct texts in the order in which they were met.  Strings of a leaf are mostly in its dictionary,
 * once for many states.  So the id is first searched by the address of the bytes, and the bytes are hashed only if
 * that fails.
 *
 * A *batch* is rows as columns: buffers that are filled, and then are an ArrowArray.  It is one block of memory
 * with the buffers of all columns and the structs that present them to a consumer.  The struct of the batch, each
 * column and each dictionary hold a reference to it, since a consumer may move any of them elsewhere and release
 * them in any order; after the last release it goes back to the pool of its stream, or is freed if that no longer
 * exists.
 */
#ifndef COLUMNS_COLUMNS_BATCH_H
#define COLUMNS_COLUMNS_BATCH_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/hash_index.h"
#include "histree/columns.h"
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

/* They are empty then. */
void columns_texts_release(struct columns_texts *texts);

enum { COLUMNS_PLACES = 1024 };

struct columns_place {
	const void *bytes; /* NULL: free */
	uint32_t size, id;
};

/* A zeroed struct columns_dictionary is an empty one. */
struct columns_dictionary {
	struct columns_texts texts;
	struct hash_index index; /* of ids, by the text */
	struct columns_repair room;
	struct columns_place places[COLUMNS_PLACES];
};

/* Get the id of a text, which is repaired if it is not UTF-8, without a look at its place. */
enum histree_status columns_dictionary_add(struct columns_dictionary *dictionary, const void *bytes, size_t size,
					   uint32_t *id, struct histree_error *error);

/* The same for bytes as lowercase hexadecimal digits. */
enum histree_status columns_dictionary_add_digits(struct columns_dictionary *dictionary, const void *bytes,
						  size_t size, uint32_t *id, struct histree_error *error);

/* Get the id of a text that probably lies where it lay when it was met before. */
static inline enum histree_status columns_dictionary_id(struct columns_dictionary *dictionary, const void *bytes,
							uint32_t size, uint32_t *id, struct histree_error *error)
{
	struct columns_place *place = &dictionary->places[((uintptr_t)bytes * UINT64_C(0x9e3779b97f4a7c15)) >> 54];
	if (place->bytes == bytes && place->size == size && bytes != NULL) {
		size_t known_size;
		const char *known = columns_texts_get(&dictionary->texts, place->id, &known_size);
		if (known_size == size && memcmp(known, bytes, size) == 0) {
			*id = place->id;
			return HISTREE_OK;
		}
	}
	enum histree_status status = columns_dictionary_add(dictionary, bytes, size, id, error);
	if (status == HISTREE_OK)
		*place = (struct columns_place){ bytes, size, *id };
	return status;
}

void columns_dictionary_release(struct columns_dictionary *dictionary);

enum columns_kind {
	COLUMN_UINT32,
	COLUMN_UINT64,
	COLUMN_INT32,
	COLUMN_INT64,
	COLUMN_TIME,
	COLUMN_REAL,
	COLUMN_BOOL,  /* a byte a row while it is filled */
	COLUMN_TEXT,  /* utf8; no buffer of its own, but texts of the batch alone */
	COLUMN_WORD,  /* dictionary<uint32, utf8> */
	COLUMN_SHORT, /* dictionary<uint8, utf8> */
};

/* What every event has, 240 fields of one type, and the rest of them as JSON. */
enum { COLUMNS_MAX = 6 + 240 };

struct columns_column {
	const char *name; /* borrowed */
	enum columns_kind kind;
	bool is_nullable;
	/* For COLUMN_WORD and COLUMN_SHORT: the dictionary, borrowed.  For COLUMN_TEXT: the texts of the batch. */
	struct columns_texts *texts;
};

struct columns_layout {
	struct columns_column columns[COLUMNS_MAX];
	size_t count;
	uint32_t rows_max;
};

struct columns_pool;

struct columns_batch {
	const struct columns_layout *layout;
	uint32_t rows;             /* filled by the caller, as the rest */
	void *values[COLUMNS_MAX]; /* by column; NULL for COLUMN_TEXT */
	/*
	 * By column: a byte a row, 1, or 0 where it is null; NULL if the column is not nullable.  A null must
	 * have some value written, too.
	 */
	uint8_t *valid[COLUMNS_MAX];
	struct columns_block *block;
};

/* A pool keeps up to two blocks for the batches to come. */
enum histree_status columns_pool_create(const struct columns_layout *layout, struct columns_pool **out,
					struct histree_error *error);

/* The stream is gone. */
void columns_pool_leave(struct columns_pool *pool);

/* Returns an empty batch. */
enum histree_status columns_batch_begin(struct columns_pool *pool, const struct columns_layout *layout,
					struct columns_batch *out, struct histree_error *error);

/* Hand the batch out.  If it fails, it is dropped. */
enum histree_status columns_batch_finish(struct columns_batch *batch, struct ArrowArray *out,
					 struct histree_error *error);
void columns_batch_drop(struct columns_batch *batch);

/* Write the schema of a layout, which is the caller's to release.  Returns HISTREE_ERR_MEMORY. */
enum histree_status columns_schema(const struct columns_layout *layout, struct ArrowSchema *out,
				   struct histree_error *error);

#endif
