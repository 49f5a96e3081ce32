/* SPDX-License-Identifier: MIT */
/*
 * segment_repair.h - make a sound segment store of what can be read of a damaged one.
 */
#ifndef SEGMENT_SEGMENT_REPAIR_H
#define SEGMENT_SEGMENT_REPAIR_H

#include "base/io.h"
#include "histree/segment_store.h"

struct segment_repair_report {
	void (*lost)(void *context, const struct histree_segment_loss *loss);
	void *context;
};

/*
 * Write the new store to `path`, which must not exist, with nodes of the same size.  The damaged one was opened to
 * be salvaged.
 */
enum histree_status segment_repair(const struct io *io, struct histree_segment_store *damaged, const char *path,
				   const struct segment_repair_report *report, struct histree_error *error);

#endif
