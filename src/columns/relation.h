/* SPDX-License-Identifier: MIT */
/*
 * relation.h - one interface to states, segments, events and attributes.
 *
 * A relation has a schema, is opened for a region, an expression and an order, and then answers in batches of
 * columns, which the consumer owns; it reports which part of the answer was lost.  Consumers see it as an
 * ArrowArrayStream: only schema and batches have to be passed from one process to another.
 *
 * A kind of relation is a struct that begins with a struct relation, and a row of functions.
 */
#ifndef COLUMNS_RELATION_H
#define COLUMNS_RELATION_H

#include "columns/columns_batch.h"

struct relation;

/* What is asked, of what, which is borrowed until the stream is released; the rest only while it is opened. */
struct relation_question {
	struct histree_history *history;
	const struct histree_region *region;

	struct histree_segment_store *segments;
	const struct histree_segment_query *query; /* region, expression and order; NULL: all */

	const struct histree_events *events;
	histree_time from, to;

	const struct histree_attributes *attributes;

	const struct histree_arrow_options
		*options; /* columns, expression, sizes; to a relation it is never NULL */
};

struct relation_kind {
	size_t size; /* of the struct */

	/* Lay out the schema, and be ready for the first batch. */
	enum histree_status (*open)(struct relation *relation, const struct relation_question *question,
				    struct histree_error *error);

	/*
	 * Fill the batch up to the rows of its layout.  HISTREE_END: there are no more; what was filled is handed
	 * out even so.  It is not called again after that, or after an error.
	 */
	enum histree_status (*next)(struct relation *relation, struct columns_batch *batch,
				    struct histree_error *error);

	struct histree_loss (*loss)(const struct relation *relation); /* so far; NULL: nothing can be lost */

	/* Free what is in it, also if it could not be opened. */
	void (*release)(struct relation *relation);
};

struct relation {
	const struct relation_kind *kind;
	struct columns_layout layout; /* the schema */
	struct histree_work work;

	/* Which columns are wanted, while it is opened: by their names, or if these are NULL, by bits. */
	const char *names;
	uint64_t wanted;
};

enum { COLUMN_NONE = -1 };

/* A column that a relation may have, and its bit in columns.h. */
struct relation_part {
	uint64_t bit;
	struct columns_column column;
};

/*
 * Take the options, which choose among the columns.  Returns HISTREE_ERR_ARGUMENT if they choose nothing, a name
 * is not that of a column, after which `hint` may say more, or an option is wrong.
 */
enum histree_status relation_configure(struct relation *relation, const struct histree_arrow_options *options,
				       const struct relation_part *parts, size_t count, const char *hint,
				       struct histree_error *error);
bool relation_wants(const struct relation *relation, const struct relation_part *part);

/* Append those of the parts that are wanted, and get their numbers; of the others COLUMN_NONE. */
void relation_add_parts(struct relation *relation, const struct relation_part *parts, size_t count, int *numbers);

/* Ask a relation of this kind.  *out is the caller's to release; it has nothing to release if that fails. */
enum histree_status relation_open(const struct relation_kind *kind, const struct relation_question *question,
				  struct ArrowArrayStream *out, struct histree_error *error);

/* Returns how many bytes the texts of a column may take. */
static inline size_t relation_text_bytes(const struct histree_arrow_options *options)
{
	return options->text_bytes != 0 ? options->text_bytes : (size_t)1 << 30;
}

/* A cell of the row that is filled, in a column that may not be wanted. */
static inline void relation_put_uint32(const struct columns_batch *batch, int column, uint32_t value)
{
	if (column != COLUMN_NONE)
		((uint32_t *)batch->values[column])[batch->rows] = value;
}

static inline void relation_put_int64(const struct columns_batch *batch, int column, int64_t value)
{
	if (column != COLUMN_NONE)
		((int64_t *)batch->values[column])[batch->rows] = value;
}

/* The same for 32 bits of either kind; where it is null, the value has to be there even so. */
static inline void relation_put_or_null(const struct columns_batch *batch, int column, uint32_t value,
					bool is_valid)
{
	if (column == COLUMN_NONE)
		return;
	((uint32_t *)batch->values[column])[batch->rows] = value;
	batch->valid[column][batch->rows] = is_valid;
}

#endif
