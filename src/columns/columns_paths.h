/* SPDX-License-Identifier: MIT */
/*
 * columns_paths.h - an id for each path that is met, and the texts of these as a dictionary.
 *
 * The path of an attribute is that of its parent and its name.  Attributes of one parent mostly come one after the
 * other, so that the parent's is kept.
 */
#ifndef COLUMNS_PATHS_H
#define COLUMNS_PATHS_H

#include "columns/columns_texts.h"
#include "histree/attributes.h"

struct columns_paths {
	const struct histree_attributes *attributes;
	uint32_t quark_count;
	uint32_t *ids; /* by quark, 1 added; 0: not met yet */
	struct columns_texts texts;
	struct columns_repair room;
	char *text; /* room for one path; it begins with that of `parent`, and a slash */
	size_t text_capacity, parent_size;
	histree_quark parent;
	bool has_parent;
};

enum histree_status columns_paths_init(struct columns_paths *paths, const struct histree_attributes *attributes,
				       struct histree_error *error);
void columns_paths_release(struct columns_paths *paths);

/* Get the id of a path that was not met before. */
enum histree_status columns_paths_meet(struct columns_paths *paths, histree_quark quark, uint32_t *id,
				       struct histree_error *error);

static inline enum histree_status columns_paths_id(struct columns_paths *paths, histree_quark quark, uint32_t *id,
						   struct histree_error *error)
{
	if (quark >= paths->quark_count || paths->ids[quark] == 0)
		return columns_paths_meet(paths, quark, id, error);
	*id = paths->ids[quark] - 1;
	return HISTREE_OK;
}

#endif
