/* SPDX-License-Identifier: MIT */
/*
 * parquet_texts.h - the texts of a column in a row group, numbered from 0.
 *
 * A stream with a dictionary has distinct texts already: they are added without comparing them with the others,
 * which saves a hash for each.  Otherwise each is looked up first.
 */
#ifndef EXPORT_PARQUET_PARQUET_TEXTS_H
#define EXPORT_PARQUET_PARQUET_TEXTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/hash_index.h"

#define PARQUET_TEXTS_NONE UINT32_MAX

struct parquet_text {
	const char *bytes;
	size_t size;
};

/* A zeroed one is empty. */
struct parquet_texts {
	struct arena bytes;
	struct parquet_text *texts;
	uint32_t count;
	size_t capacity;
	struct hash_index index; /* of all texts, or empty until the first look-up */
};

/* Returns the number of a new text, which is copied; PARQUET_TEXTS_NONE if memory is out. */
uint32_t parquet_texts_add(struct parquet_texts *texts, const struct parquet_text *text);

/* Returns the number of a text that is the same, or adds it. */
uint32_t parquet_texts_find_or_add(struct parquet_texts *texts, const struct parquet_text *text);

/* Forget all texts. */
void parquet_texts_clear(struct parquet_texts *texts);

void parquet_texts_release(struct parquet_texts *texts);

#endif
