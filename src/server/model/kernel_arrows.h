/* SPDX-License-Identifier: MIT */
/*
 * kernel_arrows.h - the arrows of the views of a kernel, between their rows.
 */
#ifndef SERVER_MODEL_KERNEL_ARROWS_H
#define SERVER_MODEL_KERNEL_ARROWS_H

#include "histree/arrows.h"
#include "server/model/kernel_view.h"

/*
 * Whose rows the arrows connect: threads have switches, forks and wake-ups, CPUs have migrations.  Asking for
 * those of threads makes their tree.
 */
enum kernel_rows { KERNEL_THREADS, KERNEL_RESOURCES };

/* Makes the arrows that meet a range, which is cut at the history; *out is NULL if nothing of the range is left. */
enum histree_status kernel_arrows_make(const struct kernel_view *view, enum kernel_rows rows, histree_time from,
				       histree_time to, uint32_t pixels, struct histree_cancel cancel,
				       struct histree_arrows **out, struct histree_error *error);

/* Finds the rows of an arrow, as indexes of threads or resources; returns false if it has none in this view. */
bool kernel_arrow_rows(const struct kernel_view *view, enum kernel_rows rows, const struct histree_arrow *arrow,
		       uint32_t *from, uint32_t *to);

/* Adds what a row is called: "bash (42)", "CPU 0". */
void kernel_row_name(const struct kernel_view *view, enum kernel_rows rows, uint32_t row, struct piece *name);

#endif
