/* SPDX-License-Identifier: MIT */
/*
 * attributes.h - read the attribute tree: paths and quarks, names, children, patterns.
 *
 * histree_state_attributes() lends the tree of a history that is being built, and histree_history_attributes()
 * that of an open one; it is valid as long as its owner.  The text of a path joins its components with '/'; a '/'
 * inside a component is written "\/" and a backslash "\\".
 *
 * Threads: any number of threads may read at once while no thread builds.
 */
#ifndef HISTREE_ATTRIBUTES_H
#define HISTREE_ATTRIBUTES_H

#include "value.h"

struct histree_attributes;

/* Returns how many attributes there are; their quarks are 0 to count - 1. */
HISTREE_API uint32_t histree_attributes_count(const struct histree_attributes *attributes);

/*
 * Find the quark at an escaped path below `from`; the path is absolute if `from` is HISTREE_ROOT.  Returns
 * HISTREE_NOT_FOUND if there is no such attribute, HISTREE_ERR_ARGUMENT if the path has an empty component or a
 * stray backslash, HISTREE_ERR_QUARK if there is no attribute `from`.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status
histree_attributes_find(const struct histree_attributes *attributes, histree_quark from, const char *path,
			histree_quark *out);

/* Find the child of `parent` with this unescaped name.  Returns HISTREE_NOT_FOUND if there is no such child. */
HISTREE_API HISTREE_MUST_CHECK enum histree_status
histree_attributes_child(const struct histree_attributes *attributes, histree_quark parent, const char *name,
			 size_t name_size, histree_quark *out);

/* Returns whether the attribute is a folder: it groups others and has no states (histree_state_folder()). */
HISTREE_API bool histree_attributes_is_folder(const struct histree_attributes *attributes, histree_quark quark);

/* Returns the parent, which is HISTREE_ROOT for a top-level attribute. */
HISTREE_API histree_quark histree_attributes_parent(const struct histree_attributes *attributes,
						    histree_quark quark);

/*
 * Write the last component of the path, unescaped, as snprintf() would: at most `capacity` bytes including the
 * terminator.  Returns the length of the whole name.  A name may contain any byte, so only its length says where it
 * ends.  A quark that does not exist has the name "", the path "", no parent and no children.
 */
HISTREE_API size_t histree_attributes_name(const struct histree_attributes *attributes, histree_quark quark,
					   char *buffer, size_t capacity);

/*
 * Write the whole escaped path as snprintf() would: at most `capacity` bytes including the terminator.  Returns the
 * length of the whole path.
 */
HISTREE_API size_t histree_attributes_path(const struct histree_attributes *attributes, histree_quark quark,
					   char *buffer, size_t capacity);

/* Walk the children of a parent in the order of their creation.  Both return HISTREE_ROOT if no child is left. */
HISTREE_API histree_quark histree_attributes_first_child(const struct histree_attributes *attributes,
							 histree_quark parent);
HISTREE_API histree_quark histree_attributes_next_sibling(const struct histree_attributes *attributes,
							  histree_quark quark);

/*
 * Walk everything below `top`, depth first: down, else to the next sibling, else to that of the nearest ancestor.
 * The walk starts with `top` itself and does not hand it out.  Returns HISTREE_ROOT at the end.
 */
HISTREE_API histree_quark histree_attributes_next_below(const struct histree_attributes *attributes,
							histree_quark top, histree_quark quark);

/*
 * Write the children of `parent` that come after its child `after`, or all if `after` is HISTREE_ROOT, up to
 * `room` of them.  Returns how many were written.  A child costs a few nanoseconds, which matters for parents
 * with very many.
 */
HISTREE_API size_t histree_attributes_children(const struct histree_attributes *attributes, histree_quark parent,
					       histree_quark after, histree_quark *children, size_t room);

/*
 * Call `found` once for each attribute below `from` that matches a pattern: depth first, parents before their
 * children, siblings in the order of their creation.  `found` returns false to stop.  In a pattern, `*` stands for
 * any text inside one component (`CPU*`, or alone for the whole component), `**` as a component for any number of
 * levels including none, and `..` for the parent.  A backslash makes the next character stand for itself (`\*`).
 * Returns HISTREE_NOT_FOUND if nothing matches, HISTREE_ERR_ARGUMENT if the pattern has an empty component.
 *
 * The work is at most the number of components times the number of attributes, whatever the pattern.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status
histree_attributes_match(const struct histree_attributes *attributes, histree_quark from, const char *pattern,
			 bool (*found)(void *context, histree_quark quark), void *context,
			 struct histree_error *error);

/*
 * Call `found` once for each attribute below `from` whose name, its last component unescaped, matches a regular
 * expression: its children, or with `all_levels` everything below it, in the order of histree_attributes_match().
 * `found` returns false to stop.  The expression is a POSIX extended one over bytes, without counts ({3}) and
 * back references, and with \d, \w, \s and their capitals.  It matches anywhere in the name: ^ and $ bind it to
 * its ends.  Returns HISTREE_NOT_FOUND if nothing matches, HISTREE_ERR_ARGUMENT if it is not such an expression
 * or longer than 256 bytes, HISTREE_ERR_QUARK if there is no attribute `from`.
 *
 * The work is at most 256 steps for each byte of the names, whatever the expression.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status
histree_attributes_search(const struct histree_attributes *attributes, histree_quark from, const char *expression,
			  bool all_levels, bool (*found)(void *context, histree_quark quark), void *context,
			  struct histree_error *error);

#endif
