/* SPDX-License-Identifier: MIT */
/*
 * memory_history.h - a history made from a workload, in a file in memory: easy to damage, and to open again.
 */
#ifndef SUPPORT_MEMORY_HISTORY_H
#define SUPPORT_MEMORY_HISTORY_H

#include "histree/history.h"
#include "support/memory_io.h"
#include "support/reference.h"
#include "support/workload.h"

/* Make the file "f", in which attribute `key` of the workload is called "a<key>" and has that quark. */
enum histree_status memory_history_build(struct memory_io *memory, const struct histree_tree_options *options,
					 const struct workload *workload, struct histree_error *error);

/* What it must hold; values are borrowed from the workload.  Returns false if memory is out. */
bool memory_history_reference(const struct workload *workload, struct reference *out);

/* Open a file as it is now. */
enum histree_status memory_history_open(struct memory_io *memory, const char *path, bool salvage,
					struct histree_history **out, struct histree_error *error);

#endif
