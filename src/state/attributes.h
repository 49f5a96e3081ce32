/* SPDX-License-Identifier: MIT */
/*
 * attributes.h - the inside of struct histree_attributes: what attributes.h asks, and who answers.
 *
 * There are two of them: the tree that grows while a history is built (attribute_tree.h), and the section of a
 * finished history, searched where it lies (attribute_view.h).
 */
#ifndef STATE_ATTRIBUTES_H
#define STATE_ATTRIBUTES_H

#include "histree/attributes.h"
#include "state/attribute_name.h"
#include "state/attribute_reader.h"

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
