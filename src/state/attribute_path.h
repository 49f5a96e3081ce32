/* SPDX-License-Identifier: MIT */
/*
 * attribute_path.h - the text of a path: components joined with '/', "\/" and "\\" inside a component.
 *
 *	const char *rest = path;
 *	while (path_cut(&rest, &component))
 *		...;
 *
 * Every text has at least one component: that of "" is empty, and so is the last one of "a/".
 */
#ifndef STATE_ATTRIBUTE_PATH_H
#define STATE_ATTRIBUTE_PATH_H

#include <stdbool.h>
#include <stddef.h>

#include "histree/status.h"

/*
 * The longest name in bytes; the shortest has one.  Nobody reads a longer name; the limit lets a name be
 * unescaped on the stack, and bounds the work of a pattern.
 */
enum { ATTRIBUTE_NAME_SIZE_MAX = (64 << 10) - 1 };

struct path_component {
	const char *text; /* as written; inside the path */
	size_t size;
	bool escaped; /* has a backslash */
};

/* Cut the first component off *rest, which is NULL after the last one.  Returns false if no component was left. */
bool path_cut(const char **rest, struct path_component *component);

/*
 * Get the name that a component writes: inside the path if nothing is escaped there, else in `room`.  Returns
 * false if it is empty, too long, or has a backslash before anything but '/' and '\'.
 */
bool path_component_name(const struct path_component *component, char room[ATTRIBUTE_NAME_SIZE_MAX],
			 const char **name, size_t *size);

/* Count the components of a path.  Returns HISTREE_ERR_ARGUMENT if it is not well formed. */
enum histree_status path_check(const char *path, size_t *component_count, struct histree_error *error);

#endif
