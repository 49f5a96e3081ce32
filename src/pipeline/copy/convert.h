/* SPDX-License-Identifier: MIT */
/*
 * convert.h - histree_convert() on a table of file calls, so that a test can make each of them fail.
 */
#ifndef PIPELINE_COPY_CONVERT_H
#define PIPELINE_COPY_CONVERT_H

#include "base/io.h"
#include "histree/convert.h"

enum histree_status pipeline_convert(const struct histree_convert_options *options, const struct io *io,
				     struct histree_error *error);

#endif
