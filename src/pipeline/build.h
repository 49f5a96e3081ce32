/* SPDX-License-Identifier: MIT */
/*
 * build.h - histree_build() on a table of file calls, so that a test can make each of them fail.
 */
#ifndef PIPELINE_BUILD_H
#define PIPELINE_BUILD_H

#include "base/io.h"
#include "histree/build.h"

enum histree_status pipeline_build(const struct histree_build_options *options, const struct io *io,
				   struct histree_error *error);

#endif
