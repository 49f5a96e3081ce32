/* SPDX-License-Identifier: MIT */
/*
 * kernel_slices.h - a slice of a trace: what it may guess when it begins, its log as bytes, and how the true
 * instance takes over what it has found.
 *
 * What CPUs do when a slice begins is *guessed*.
 *
 * The model of a slice goes as *bytes* to whoever has the true model elsewhere.
 *
 * Of what kernel_slice_commit() asks, nothing else is in them: what was read as it is, with the attributes of the
 * log.
 *
 * The *commit* hands a slice over to the model that has seen all that came before it.
 */
#ifndef ANALYSIS_KERNEL_KERNEL_SLICES_H
#define ANALYSIS_KERNEL_KERNEL_SLICES_H

#include "analysis/kernel/kernel_threads.h"
#include "base/bytes.h"

/*
 * A true model, which has come to some time before the slice, says which interrupts go on for so long that they
 * may be going on still: a softirq that was raised and never handled stays so.  Called before all guesses.
 */
void kernel_slice_hint(struct kernel_model *model, struct saved_bytes *out);
void kernel_slice_take_hint(struct kernel_slice *slice, struct byte_reader *reader);

/* An event before the slice says what CPUs do. */
void kernel_slice_guess(struct kernel_slice *slice, const struct kernel_event *event);

/* The slice begins: its model, which is empty, gets what was guessed. */
void kernel_slice_begin(struct kernel_model *model);

struct kernel_model;

/* Its log is settled then. */
void kernel_slice_save(struct kernel_model *model, struct saved_bytes *out);

/* Into the model of a new slice.  Returns HISTREE_ERR_FORMAT if the bytes make no sense. */
enum histree_status kernel_slice_load(struct kernel_model *model, struct byte_reader *reader,
				      struct histree_error *error);

/* Whether guesses help: where events were lost, most that is read is in doubt. */
bool kernel_slice_can_help(const struct kernel_model *model);

/*
 * Do in the true model, which has come to the beginning of the slice, all that the slice did.  Returns
 * HISTREE_NOT_FOUND, and has done nothing, if the slice took something for true that is not.
 */
enum histree_status kernel_slice_commit(struct kernel_model *model, struct kernel_model *slice,
					struct histree_error *error);

#endif
