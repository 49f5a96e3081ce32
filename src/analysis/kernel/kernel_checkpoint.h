/* SPDX-License-Identifier: MIT */
/*
 * kernel_checkpoint.h - what a kernel analysis knows besides its states, so that another run can begin in the
 * middle of a trace.
 *
 * Little of it has to be said.  Which threads and attributes there are, the state system knows; since when a thread
 * does what it does, too, as a rule.  So the bytes are those of CPUs and their interrupts, and of the few threads
 * of which there is something else to say.  What only counts events that deny others is left out: no state follows
 * from it.
 */
#ifndef ANALYSIS_KERNEL_KERNEL_CHECKPOINT_H
#define ANALYSIS_KERNEL_KERNEL_CHECKPOINT_H

#include "analysis/kernel/kernel_threads.h"
#include "base/bytes.h"

void kernel_checkpoint_save(struct kernel_model *model, struct saved_bytes *out);

/*
 * Load a fresh model, whose state system has the states of the checkpoint.  Of its attributes, those below
 * `attribute_count` were there.  Returns HISTREE_ERR_FORMAT if the bytes make no sense, or HISTREE_ERR_MEMORY.
 */
enum histree_status kernel_checkpoint_load(struct kernel_model *model, uint32_t attribute_count,
					   struct byte_reader *reader, struct histree_error *error);

#endif
