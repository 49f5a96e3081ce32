/* SPDX-License-Identifier: MIT */
/*
 * kernel_slice_commit.h - the hand-over of a slice to the model that has seen all that came before it.
 */
#ifndef ANALYSIS_KERNEL_KERNEL_SLICE_COMMIT_H
#define ANALYSIS_KERNEL_KERNEL_SLICE_COMMIT_H

#include "analysis/kernel/kernel_cpus.h"
#include "analysis/kernel/kernel_slice.h"

/* Whether guesses help: where events were lost, most that is read is in doubt. */
bool kernel_slice_can_help(const struct kernel_model *model);

/*
 * Do in the true model, which has come to the beginning of the slice, all that the slice did.  Returns
 * HISTREE_NOT_FOUND, and has done nothing, if the slice took something for true that is not.
 */
enum histree_status kernel_slice_commit(struct kernel_model *model, struct kernel_model *slice,
					struct histree_error *error);

#endif
