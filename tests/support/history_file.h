/* SPDX-License-Identifier: MIT */
/*
 * history_file.h - a history on disk or in memory, made from a workload through the public interface, and what it
 * must hold.
 */
#ifndef SUPPORT_HISTORY_FILE_H
#define SUPPORT_HISTORY_FILE_H

#include "histree/history.h"
#include "support/reference.h"
#include "support/workload.h"

/*
 * Attribute `key` of the workload is "Group/<key % 7>/<key>", so that there are attributes below others; only those
 * at the bottom have states.  `quarks`, by key, has room for all.  On failure nothing is left.
 */
enum histree_status history_file_build(const char *path, const struct histree_tree_options *options,
				       const struct workload *workload, histree_quark *quarks,
				       struct histree_error *error);

/* The same, of numbers with names, so that there are sums of them (docs/design/05-pyramid.md). */
enum histree_status history_file_build_statuses(const char *path, const struct histree_tree_options *options,
						const struct workload *workload, histree_quark *quarks,
						struct histree_error *error);

/* The same in memory; the caller closes *out. */
enum histree_status history_in_memory(const struct histree_tree_options *options, const struct workload *workload,
				      histree_quark *quarks, struct histree_history **out,
				      struct histree_error *error);

/* What the changes say, and one null each for "Group" and "Group/N".  Values are borrowed from the workload. */
bool history_file_reference(const struct workload *workload, const histree_quark *quarks, struct reference *out);

/* Remove a history and all pyramids beside it. */
void history_files_remove(const char *history_path);

#endif
