/* SPDX-License-Identifier: MIT */
/*
 * parquet_distinct.h - the distinct values of a column: texts of a row group, numbered from 0, and numbers of a
 * chunk in ascending order, each with which of them a value is.
 *
 * A stream with a dictionary has distinct texts already: they are added without comparing them with the others,
 * which saves a hash for each.  Otherwise each is looked up first.
 */
#ifndef EXPORT_PARQUET_PARQUET_DISTINCT_H
#define EXPORT_PARQUET_PARQUET_DISTINCT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/hash_index.h"
#include "base/search.h"

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

/* A zeroed one is empty. */
struct parquet_distinct {
	uint64_t *values; /* ascending, as unsigned numbers */
	size_t count;
	uint32_t *numbers; /* of each value of the chunk its place in `values` */
	/* For finding them: */
	uint32_t *slots;
	struct keyed_index *order;
	size_t value_capacity, number_capacity, slot_capacity, order_capacity;
	bool failed; /* memory was out */
};

/*
 * Returns false if a dictionary is not worth it, with more than a third as many distinct numbers as there are
 * values, and if memory is out.  One of the arrays is NULL.
 */
bool parquet_distinct_find(struct parquet_distinct *distinct, const uint32_t *narrow, const uint64_t *wide,
			   size_t count);
void parquet_distinct_release(struct parquet_distinct *distinct);

#endif
