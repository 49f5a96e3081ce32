/* SPDX-License-Identifier: MIT */
/*
 * ipc.h - Arrow IPC: the messages of a stream (a schema, dictionaries, batches of columns), and the files and
 * streams that they make.
 */
#ifndef EXPORT_ARROW_IPC_H
#define EXPORT_ARROW_IPC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/io.h"
#include "base/zstd.h"
#include "export/export_output.h"
#include "histree/columns.h"
#include "histree/export.h"

enum histree_status ipc_export(const struct io *io, struct ArrowArrayStream *stream, const char *path,
			       const struct histree_ipc_options *options, struct histree_error *error);

#endif
