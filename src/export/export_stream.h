/* SPDX-License-Identifier: MIT */
/*
 * export_stream.h - an Arrow stream whose errors are sentences.
 */
#ifndef EXPORT_EXPORT_STREAM_H
#define EXPORT_EXPORT_STREAM_H

#include "histree/arrow.h"

/* The caller releases the schema. */
enum histree_status export_stream_schema(struct ArrowArrayStream *stream, struct ArrowSchema *schema,
					 struct histree_error *error);

/* Returns HISTREE_END when there is no further batch.  The caller releases the batch. */
enum histree_status export_stream_next(struct ArrowArrayStream *stream, const struct histree_cancel *cancel,
				       struct ArrowArray *batch, struct histree_error *error);

#endif
