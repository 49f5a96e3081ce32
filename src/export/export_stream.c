// SPDX-License-Identifier: MIT
#include "export/export_stream.h"

#include <errno.h>
#include <string.h>

#include "base/cancel.h"

static enum histree_status failed(struct ArrowArrayStream *stream, int number, struct histree_error *error)
{
	const char *sentence = stream->get_last_error(stream);
	enum histree_status status = number == ENOMEM      ? HISTREE_ERR_MEMORY
				     : number == EINVAL    ? HISTREE_ERR_ARGUMENT
				     : number == ECANCELED ? HISTREE_ERR_CANCELLED
							   : HISTREE_ERR_IO;
	return error_set(error, status, "%s", sentence != NULL ? sentence : strerror(number));
}

enum histree_status export_stream_schema(struct ArrowArrayStream *stream, struct ArrowSchema *schema,
					 struct histree_error *error)
{
	int number = stream->get_schema(stream, schema);
	return number == 0 ? HISTREE_OK : failed(stream, number, error);
}

enum histree_status export_stream_next(struct ArrowArrayStream *stream, const struct histree_cancel *cancel,
				       struct ArrowArray *batch, struct histree_error *error)
{
	if (cancel_asked(cancel))
		return error_set(error, HISTREE_ERR_CANCELLED, "the file is no longer wanted");
	int number = stream->get_next(stream, batch);
	if (number != 0)
		return failed(stream, number, error);
	return batch->release != NULL ? HISTREE_OK : HISTREE_END;
}
