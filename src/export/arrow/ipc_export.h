/* SPDX-License-Identifier: MIT */
/*
 * ipc_export.h - the export of histree/export.h with the file calls of a table.
 */
#ifndef EXPORT_ARROW_IPC_EXPORT_H
#define EXPORT_ARROW_IPC_EXPORT_H

#include "base/io.h"
#include "histree/export.h"

enum histree_status ipc_export(const struct io *io, struct ArrowArrayStream *stream, const char *path,
			       const struct histree_ipc_options *options, struct histree_error *error);

#endif
