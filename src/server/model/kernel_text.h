/* SPDX-License-Identifier: MIT */
/*
 * kernel_text.h - what is written for people in the views of a kernel.
 */
#ifndef SERVER_MODEL_KERNEL_TEXT_H
#define SERVER_MODEL_KERNEL_TEXT_H

#include "server/model/kernel_view.h"

/*
 * Adds a thread with the name of its program, "bash (42)"; adds nothing for the idle thread.  The tree of threads
 * knows all names; until it is made the history is asked.
 */
void kernel_thread_label(const struct kernel_view *view, int32_t tid, struct piece *text);

/*
 * Adds the text of a thread's state, or of a resource's, which has none if its colour says it all.  `view` is
 * that of the row model or output.
 */
void kernel_thread_text(const void *view, const struct histree_label_table *table,
			const struct histree_value *value, struct piece *text);
void kernel_resource_text(const void *view, const struct histree_label_table *table,
			  const struct histree_value *value, struct piece *text);

#endif
