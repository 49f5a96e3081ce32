/* SPDX-License-Identifier: MIT */
/*
 * segment_target.h - the segment store that STORE and ANALYSIS name, and the window of --from and --to.
 */
#ifndef CLI_SEGMENT_TARGET_H
#define CLI_SEGMENT_TARGET_H

#include "cli/target.h"
#include "histree/segment_store.h"

/* The store and its window go to *out and `query`; what failed is said on standard error. */
enum cli_exit segment_target_open(struct target *target, const char *path, const char *analysis, const char *from,
				  const char *to, struct histree_segment_store **out,
				  struct histree_segment_query *query);

/* The index of a field; what is wrong with the name of it is said on standard error, with the names there are. */
enum cli_exit segment_target_field(const struct histree_segment_store *store, const char *option, const char *name,
				   size_t *field);

/* Say on standard error that segments are missing in what is printed; returns what to exit with. */
enum cli_exit segment_target_report_loss(const struct histree_segment_loss *loss);

#endif
