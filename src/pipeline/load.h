/* SPDX-License-Identifier: MIT */
/*
 * load.h - histree_load() on a table of file calls, so that a test can make each of them fail.
 */
#ifndef PIPELINE_LOAD_H
#define PIPELINE_LOAD_H

#include "base/io.h"
#include "histree/load.h"

enum histree_status pipeline_load(const struct histree_load_options *options, const struct io *io,
				  struct histree_load_result *result, struct histree_error *error);

#endif
