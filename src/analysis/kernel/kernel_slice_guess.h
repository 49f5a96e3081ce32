/* SPDX-License-Identifier: MIT */
/*
 * kernel_slice_guess.h - what CPUs do when a slice begins, guessed.
 */
#ifndef ANALYSIS_KERNEL_KERNEL_SLICE_GUESS_H
#define ANALYSIS_KERNEL_KERNEL_SLICE_GUESS_H

#include "analysis/kernel/kernel_cpus.h"
#include "analysis/kernel/kernel_slice.h"

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

/* What was guessed, as bytes, and back. */
void kernel_slice_save_guesses(const struct kernel_slice *slice, struct saved_bytes *out);
void kernel_slice_load_guesses(struct kernel_slice *slice, struct byte_reader *reader);

/* Returns the system call in which the thread of a CPU is guessed to be; null: it is in none. */
struct histree_value guessed_call_value(const struct guessed_cpu *cpu);

#endif
