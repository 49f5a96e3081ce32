/* SPDX-License-Identifier: MIT */
/*
 * attributes.h - attributes from the inside: their names, their paths, and the table of functions that answers
 * questions about them.
 *
 * A name is a text, or a number where the text is how one would write it. Most attributes of a trace are named by
 * an id: a thread, a CPU, a request. As numbers these names take no memory of their own, and those that count up
 * need not be written one by one.
 *
 * The text of a path: components joined with '/', "\/" and "\\" inside a component.
 *
 * 	const char *rest = path;
 * 	while (path_cut(&rest, &component))
 * 		...;
 *
 * Every text has at least one component: that of "" is empty, and so is the last one of "a/".
 *
 * Three answer: the tree that grows while a history is built (attribute_tree.h), the section of a finished history,
 * searched where it lies (attribute_view.h), and a union of hosts (history_union.h).
 */
#ifndef STATE_ATTRIBUTES_H
#define STATE_ATTRIBUTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "histree/attributes.h"
#include "histree/status.h"
#include "state/attribute_reader.h"

enum {
	ATTRIBUTE_NUMBER_MAX = INT32_MAX - 1,
	ATTRIBUTE_NUMBER_SIZE = 10, /* digits of that */
};

struct attribute_name {
	const char *text; /* borrowed; NULL: the name is a number */
	size_t size;      /* of the text */
	uint32_t number;
};

/* Returns the name that a text is: a number if it is one up to ATTRIBUTE_NUMBER_MAX without leading zeros. */
struct attribute_name attribute_name(const char *text, size_t size);
struct attribute_name attribute_name_number(uint32_t number);

/* Returns the text of a name; that of a number is written into `room`. */
const char *attribute_name_text(const struct attribute_name *name, char room[ATTRIBUTE_NUMBER_SIZE], size_t *size);

/* Compare names: numbers come first, by value, then texts, byte by byte. */
int attribute_name_compare(const struct attribute_name *one, const struct attribute_name *other);

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

/* Where a child was found last, so that one near it is found soon.  It is zeroed at first. */
struct attribute_near {
	struct attribute_range parent;
	uint32_t oldest, named; /* positions in the order of names (attribute_reader.h); any are good */
};

/*
 * `near` is where the caller's last question was answered, so that a question about an attribute near it costs
 * little; it is zeroed at first.  Quarks are below `count`, except that of a parent, which may be HISTREE_ROOT.
 * Parents are older than their children, siblings come by age, and each child names its parent: whatever the
 * bytes of a section say, a walk comes to an end.
 */
struct attribute_source {
	histree_quark (*parent)(const struct histree_attributes *attributes, histree_quark quark,
				struct attribute_range *near);
	struct attribute_name (*name)(const struct histree_attributes *attributes, histree_quark quark,
				      struct attribute_range *near);
	histree_quark (*first_child)(const struct histree_attributes *attributes, histree_quark parent,
				     struct attribute_range *near);
	histree_quark (*next_sibling)(const struct histree_attributes *attributes, histree_quark quark,
				      struct attribute_range *near);
	bool (*is_folder)(const struct histree_attributes *attributes, histree_quark quark);
	/* HISTREE_ROOT if there is no such child.  `near` may be NULL. */
	histree_quark (*child)(const struct histree_attributes *attributes, histree_quark parent,
			       const struct attribute_name *name, struct attribute_near *near);
};

struct histree_attributes {
	const struct attribute_source *source;
	uint32_t count;
};

/* So that slot counts fit 32 bits. */
enum { ATTRIBUTE_COUNT_MAX = 1 << 30 };

/*
 * Returns the attribute after `quark` in a walk of everything below `top`, depth first, parents before their
 * children.  The walk begins with `top` itself and is over at HISTREE_ROOT.  It does not recurse, however deep it
 * is.
 */
histree_quark attributes_next(const struct histree_attributes *attributes, histree_quark top, histree_quark quark,
			      struct attribute_range *near);

/*
 * Returns the child with this name, or HISTREE_ROOT: fast for successive children that are near one another, of
 * one parent or of neighbouring parents.
 */
histree_quark attributes_child_near(const struct histree_attributes *attributes, histree_quark parent,
				    const char *name, size_t name_size, struct attribute_near *near);

/* Returns HISTREE_ERR_QUARK unless `quark` is an attribute. */
enum histree_status attributes_check(const struct histree_attributes *attributes, histree_quark quark,
				     struct histree_error *error);

/* Put "attribute 'PATH': " before the message of an error. */
void attributes_prefix(const struct histree_attributes *attributes, histree_quark quark,
		       struct histree_error *error);

#endif
