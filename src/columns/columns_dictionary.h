/* SPDX-License-Identifier: MIT */
/*
 * columns_dictionary.h - an id for each distinct text, in the order in which they were met.
 *
 * Strings of a leaf of the tree mostly lie in its dictionary, once for many states.  So the id is looked for by the
 * place of the bytes first, which is compared, and hashed only if that fails.
 */
#ifndef COLUMNS_DICTIONARY_H
#define COLUMNS_DICTIONARY_H

#include <string.h>

#include "base/hash_index.h"
#include "columns/columns_texts.h"

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

#endif
