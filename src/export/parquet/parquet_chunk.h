/* SPDX-License-Identifier: MIT */
/*
 * parquet_chunk.h - a column of a row group as bytes: a dictionary page if it needs one, and data pages.
 *
 * Which encoding is the smallest nobody knows before zstd has seen it: a chunk can be made in each way that its
 * type has, and the smallest be kept.
 */
#ifndef EXPORT_PARQUET_PARQUET_CHUNK_H
#define EXPORT_PARQUET_PARQUET_CHUNK_H

#include "export/parquet/parquet_codec.h"
#include "export/parquet/parquet_distinct.h"
#include "export/parquet/parquet_format.h"
#include "export/parquet/parquet_values.h"

/* How the values of a chunk are written. */
enum parquet_form {
	PARQUET_FORM_PLAIN,
	PARQUET_FORM_DELTA,         /* integers: differences; texts: their sizes as differences, then their bytes */
	PARQUET_FORM_SPLIT,         /* doubles: their first bytes, their second bytes, ... */
	PARQUET_FORM_DICTIONARY,    /* numbers of values, in as many bits as the greatest needs */
	PARQUET_FORM_WHOLE_NUMBERS, /* the same in whole bytes, so that zstd finds what is repeated */
	PARQUET_FORM_COUNT
};

struct parquet_chunk {
	struct parquet_bytes bytes; /* its pages with their headers, as they are in the file */
	size_t dictionary_size;     /* of the first page, if it is a dictionary, with its header; else 0 */
	uint64_t uncompressed_size; /* of all pages and headers */
	enum parquet_encoding encoding;
	size_t *page_ends; /* of the data pages: where they end in `bytes` */
	size_t page_count, page_capacity;
};

/* What encoders need again and again.  A zeroed one is empty. */
struct parquet_workshop {
	struct parquet_codec codec;
	struct parquet_bytes page;
	struct parquet_distinct distinct; /* of numbers */
	bool page_is_too_large;           /* for the format: 2 GiB */
};

/*
 * Returns whether the values can be written in this form, and are worth a trial.  Makes what the dictionary forms
 * of numbers need.
 */
bool parquet_chunk_can(struct parquet_workshop *workshop, const struct parquet_values *values,
		       enum parquet_form form);

/* Make the pages.  Returns false if memory is out, or, as the workshop says, a page would be too large. */
bool parquet_chunk_make(struct parquet_chunk *chunk, struct parquet_workshop *workshop,
			const struct parquet_values *values, enum parquet_form form);

void parquet_chunk_release(struct parquet_chunk *chunk);

/* Let go of the memory for pages, but keep the codec. */
void parquet_workshop_shrink(struct parquet_workshop *workshop);
void parquet_workshop_release(struct parquet_workshop *workshop);

#endif
