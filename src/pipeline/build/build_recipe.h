/* SPDX-License-Identifier: MIT */
/*
 * build_recipe.h - the options that decide what a build makes of a trace, as words for 'histree build'.  A build
 * that is repeated with the same words makes the same store; memory, threads and names make no difference.
 */
#ifndef PIPELINE_BUILD_BUILD_RECIPE_H
#define PIPELINE_BUILD_BUILD_RECIPE_H

#include "histree/build.h"

/* The caller frees *out.  Returns HISTREE_ERR_ARGUMENT if an option is wrong. */
enum histree_status build_recipe(const struct histree_build_options *options, char **out,
				 struct histree_error *error);

#endif
