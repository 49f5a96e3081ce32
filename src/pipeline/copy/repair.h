/* SPDX-License-Identifier: MIT */
/*
 * repair.h - histree_repair() on a table of file calls, so that a test can make each of them fail.
 *
 * The damaged store is read like any store, by the file calls of the system; everything else goes through the
 * table.
 */
#ifndef PIPELINE_COPY_REPAIR_H
#define PIPELINE_COPY_REPAIR_H

#include "base/io.h"
#include "histree/store.h"

enum histree_status pipeline_repair(const struct histree_repair_options *options, const struct io *io,
				    struct histree_error *error);

#endif
