/* SPDX-License-Identifier: MIT */
/*
 * columns_stream.h - an ArrowArrayStream over a source of rows.
 *
 * A source is a struct that begins with a struct columns_source.  Its columns are appended to the layout; the
 * stream owns the source from columns_stream_open() on, also if that fails.
 */
#ifndef COLUMNS_STREAM_H
#define COLUMNS_STREAM_H

#include "columns/columns_batch.h"

struct columns_source {
	/*
	 * Fill the batch up to the rows of its layout.  HISTREE_END: there are no more; what was filled is handed
	 * out even so.  It is not called again after that, or after an error.
	 */
	enum histree_status (*fill)(struct columns_source *source, struct columns_batch *batch,
				    struct histree_error *error);
	uint64_t (*damage)(const struct columns_source *source); /* nodes met; NULL: there can be none */
	void (*free)(struct columns_source *source);
	struct columns_layout layout;
	struct histree_cancel cancel;
};

enum { COLUMN_NONE = -1 };

/*
 * Take the options, which may be NULL.  `known` are the columns that the source has.  Returns HISTREE_ERR_ARGUMENT
 * if none of them is wanted or an option is wrong.
 */
enum histree_status columns_source_configure(struct columns_source *source,
					     const struct histree_arrow_options *options, uint64_t known,
					     uint64_t *wanted, struct histree_error *error);

/* Append a column to the layout.  Returns its number. */
int columns_source_add(struct columns_source *source, struct columns_column column);

enum histree_status columns_stream_open(struct columns_source *source, struct ArrowArrayStream *out,
					struct histree_error *error);

/* Returns how many bytes the texts of a column may take; `options` may be NULL. */
static inline size_t columns_text_bytes(const struct histree_arrow_options *options)
{
	return options != NULL && options->text_bytes != 0 ? options->text_bytes : (size_t)1 << 30;
}

#endif
