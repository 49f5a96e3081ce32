/* SPDX-License-Identifier: MIT */
/*
 * overview_file.h - what all overviews of a history have in common as files.
 */
#ifndef OVERVIEW_OVERVIEW_FILE_H
#define OVERVIEW_OVERVIEW_FILE_H

#include "base/io.h"
#include "histree/history.h"
#include "state/attribute_tree.h"
#include "state/interval_sink.h"

/* Add an attribute that has a number as its name. */
enum histree_status overview_file_name(struct attribute_tree *attributes, histree_quark parent, uint32_t number,
				       histree_quark *out, struct histree_error *error);

/*
 * Every attribute has states from the beginning of the history to its end; the attributes of the root, which only
 * group others, get null.
 */
enum histree_status overview_file_groups(const struct interval_sink *sink, const struct attribute_tree *attributes,
					 const struct histree_history_info *of, struct histree_error *error);

/* Get the size of a file. */
enum histree_status overview_file_bytes(const struct io *io, const char *path, uint64_t *bytes,
					struct histree_error *error);

#endif
