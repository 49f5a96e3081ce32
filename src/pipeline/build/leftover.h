/* SPDX-License-Identifier: MIT */
/*
 * leftover.h - what a build that was cut off left in its folder, for the build that resumes it; and the options
 * that determine the result of a build, as words for 'histree build'.
 *
 * A build repeated with the same words makes the same store; memory, threads and names make no difference.
 */
#ifndef PIPELINE_BUILD_LEFTOVER_H
#define PIPELINE_BUILD_LEFTOVER_H

#include "histree/build.h"
#include "histree/store.h"
#include "store_folder/store_folder.h"

/* The caller frees *out.  Returns HISTREE_ERR_ARGUMENT if an option is wrong. */
enum histree_status build_recipe(const struct histree_build_options *options, char **out,
				 struct histree_error *error);

struct leftover {
	histree_time end; /* up to which it was published; INT64_MIN: nothing was */
	bool is_complete; /* it was cut off after its last event: only the name is missing */
};

/*
 * Look at it; what cannot be read is as good as nothing.  Returns HISTREE_ERR_EXISTS if it is complete, but of
 * other traces or made with other options than are asked for.  If it is not, its manifest means no particular
 * files from now on, as those may be made anew.
 */
enum histree_status leftover_look(const struct store_folder *folder, const struct histree_build_options *options,
				  const char *recipe, struct leftover *out, struct histree_error *error);

/* What is published is gone on with by the same options only.  Returns HISTREE_ERR_EXISTS for others. */
enum histree_status leftover_check_options(const struct store_folder *folder, const struct histree_store_info *info,
					   const char *recipe, struct histree_error *error);

/* Returns whether two paths lead to one trace, as far as that can be told now. */
bool leftover_is_same_trace(const char *one, const char *other);

#endif
