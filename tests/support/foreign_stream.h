/* SPDX-License-Identifier: MIT */
/*
 * foreign_stream.h - an Arrow stream that is not ours: every type that can be exported, arrays that do not begin at
 * their first value, nulls that nobody counted, empty batches, dictionaries that grow or are others each time.
 */
#ifndef SUPPORT_FOREIGN_STREAM_H
#define SUPPORT_FOREIGN_STREAM_H

#include "histree/columns.h"

struct foreign_options {
	uint64_t seed;
	unsigned batches;
	bool replaces;      /* each batch has dictionaries of its own */
	const char *format; /* of one more column, or NULL */
	bool has_null_rows; /* of the batch as a whole */
	bool loses_column;  /* the last batch has one less than the schema says */
	unsigned fail_at;   /* the batch, from 1, at which the stream fails with EIO; 0: none */
};

struct ArrowArrayStream foreign_stream(const struct foreign_options *options);

/* How many batches of such streams have not been released. */
extern int foreign_batches;

#endif
