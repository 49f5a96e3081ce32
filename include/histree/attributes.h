/* SPDX-License-Identifier: MIT */
/*
 * attributes.h - the attribute tree, read only: path <-> quark, names, children, patterns.
 *
 * Comes from histree_state_attributes() while building and from histree_history_attributes() afterwards
 * and lives as long as its owner.  Written as text, a path joins its components with '/'; a '/' inside a
 * component is "\/" and a backslash "\\".
 *
 * Threads: any number may read at once, as long as no one builds.
 */
#ifndef HISTREE_ATTRIBUTES_H
#define HISTREE_ATTRIBUTES_H

#include "value.h"

struct histree_attributes;

/* How many there are; quarks are 0 .. count - 1. */
HISTREE_API uint32_t histree_attributes_count(const struct histree_attributes *attributes);

/*
 * The quark at an escaped path below `from` (HISTREE_ROOT: absolute).  HISTREE_NOT_FOUND if there is none,
 * HISTREE_ERR_ARGUMENT for an empty component or a stray backslash, HISTREE_ERR_QUARK if `from` is unknown.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status
histree_attributes_find(const struct histree_attributes *attributes, histree_quark from, const char *path,
			histree_quark *out);

/* The child of `parent` with one unescaped name. */
HISTREE_API HISTREE_MUST_CHECK enum histree_status
histree_attributes_child(const struct histree_attributes *attributes, histree_quark parent, const char *name,
			 size_t name_size, histree_quark *out);

/* HISTREE_ROOT for a top-level attribute. */
HISTREE_API histree_quark histree_attributes_parent(const struct histree_attributes *attributes,
						    histree_quark quark);

/*
 * The last component of the path, unescaped, like snprintf(): at most `capacity` bytes with the terminator are
 * written, returned is the length that it has.  It may hold any byte, so only its length says where it ends.
 * An unknown quark has the name "", no parent, no child and the path "".
 */
HISTREE_API size_t histree_attributes_name(const struct histree_attributes *attributes, histree_quark quark,
					   char *buffer, size_t capacity);

/*
 * The whole escaped path, like snprintf(): at most `capacity` bytes with the terminator are written,
 * returned is the length that it has.
 */
HISTREE_API size_t histree_attributes_path(const struct histree_attributes *attributes, histree_quark quark,
					   char *buffer, size_t capacity);

/* Children in the order of their creation: first of a parent, next of a child; HISTREE_ROOT: no more. */
HISTREE_API histree_quark histree_attributes_first_child(const struct histree_attributes *attributes,
							 histree_quark parent);
HISTREE_API histree_quark histree_attributes_next_sibling(const struct histree_attributes *attributes,
							  histree_quark quark);

/*
 * The children of a parent behind `after`, one of them (HISTREE_ROOT: from the first), as many as there is room
 * for; returns how many that are.  For parents with very many: each costs a few nanoseconds.
 */
HISTREE_API size_t histree_attributes_children(const struct histree_attributes *attributes, histree_quark parent,
					       histree_quark after, histree_quark *children, size_t room);

/*
 * Call `found` for each attribute that a pattern names below `from`, each once: depth first, parents before
 * their children, siblings in the order of their creation.  In a pattern `*` stands for any text inside one
 * component (`CPU*`, or alone for the whole component), `**` as a component for any number of levels, also
 * none, and `..` for the parent; a backslash makes the next character stand for itself (`\*`).  `found`
 * returns false to stop.
 * HISTREE_NOT_FOUND if there was none, HISTREE_ERR_ARGUMENT for an empty component.
 *
 * The work is bounded by the number of components times that of attributes, whatever the pattern.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status
histree_attributes_match(const struct histree_attributes *attributes, histree_quark from, const char *pattern,
			 bool (*found)(void *context, histree_quark quark), void *context,
			 struct histree_error *error);

#endif
