/* SPDX-License-Identifier: MIT */
/*
 * attributes.h - attributes: their public functions, which call the table of functions of their source; the bytes
 * of the finished section; and the tree that grows.
 *
 * The *section* ATTR of a history file has the names of attributes (docs/design/03-names-and-labels.md, histree-
 * format(5)):
 *
 * 	texts	the names that are not numbers, each once: a list of texts
 * 	ranges	the attributes, by quark: a table of ranges
 * 	shapes	the shapes of the groups in the ranges: a list of texts
 * 	order	the numbers of the ranges, as bits: by parent; of one parent the oldest, then the others by name
 * 	footer	how many attributes, texts, shapes and ranges there are (4 bytes each); the sizes of the blocks of
 * 		texts, shapes and ranges (8 bytes each)
 *
 * A *group* is an attribute, its leader, and the attributes after it that were created below it: a thread and its
 * properties.  Its *shape* is the position and the name of each member.  A *range* is groups of one shape whose
 * leaders have one parent and names that count up: a thousand threads are one row.  A group ends before an
 * attribute whose parent is not in it, before one whose parent is the leader and whose name is a number, and with
 * its 32nd attribute.
 *
 * A shape is a varint, how many members follow the leader, and for each of them two: the position of its parent in
 * the group, 0 being the leader; and its name less the name of the member before it (less 0 for the first) and 2,
 * zigzag, so that texts that are new take the smallest number.  A name is 2 x its number, or 2 x the number of its
 * text + 1.
 *
 * A list of texts has blocks of 32: the smallest size, a varint; the width of the sizes, a byte; as bits, each size
 * above the smallest; then the texts, one after the other.
 *
 * A table of ranges has blocks of 64 rows with a column for each property.  The number of row i is: base + i x step
 * + what the row itself has.  As varints the base and the step of each column, then a byte each for their widths,
 * then, as bits, the columns one after the other.  So numbers that grow evenly, as quarks and new texts do, take no
 * bits.  Rows are sorted by their first quark, the base of which is that of row 0.
 *
 * The directory of its blocks follows a list or a table (bytes.h).
 *
 * A *source* of attributes is a table of functions that answers questions about them.
 *
 * A name is a text, or a number if the text is the decimal form of that number. Most attributes of a trace are
 * named by an id: a thread, a CPU, a request. As numbers, such names take no additional memory, and names that
 * count up need not be stored one by one.
 *
 * A *path* is a text: components joined with '/', "\/" and "\\" inside a component.
 *
 * 	const char *rest = path;
 * 	while (path_cut(&rest, &component))
 * 		...;
 *
 * Every text has at least one component: that of "" is empty, and so is the last one of "a/".
 *
 * There are three sources: the tree that grows while a history is built (attributes.h), the section of a finished
 * history, searched in place (attribute_section.h), and a union of hosts (history_union.h).
 *
 * The *tree* grows while a history is built.
 *
 * Attributes are rows of one array, by quark.  A parent is always older than its children, so its quark is smaller;
 * siblings are linked in the order of their creation, which is that of their quarks.  Most attributes have few
 * children, which are searched one by one; for attributes with more, a hash index finds children by (parent, name).
 *
 * Memory an attribute: 20 bytes here; 5 to 11 in the index if it has many siblings.  A name that is no number costs
 * another 17 to 28 and its own bytes, once, however many attributes have it.
 */
#ifndef STATE_ATTRIBUTES_H
#define STATE_ATTRIBUTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "base/hash_index.h"
#include "histree/attributes.h"
#include "histree/status.h"
#include "histree/value.h"

enum range_column {
	RANGE_FIRST,  /* the first quark */
	RANGE_GROUPS, /* how many groups, less 1 */
	RANGE_PARENT, /* the parent of the leaders, + 1; 0 at the top */
	RANGE_SHAPE,  /* the number of the shape */
	RANGE_NAME,   /* the name of the first leader */
	RANGE_NEXT,   /* from the last leader to the next child of the parent; 0 if it is the last child */
	RANGE_LATE,   /* 1 if an attribute in it has children that came after its group: leaders of other ranges */
	RANGE_COLUMNS
};

enum {
	GROUP_SIZE_MAX = 32, /* a look at each member must cost little */
	TEXTS_IN_BLOCK = 32,
	RANGES_IN_BLOCK = 64,
	ATTRIBUTE_FOOTER_SIZE = 4 * 4 + 3 * 8,
};

struct range_row {
	uint32_t columns[RANGE_COLUMNS];
};

/* ---- texts ------------------------------------------------------------------------------------------- */

struct text_list {
	struct block_directory blocks;
	uint32_t count;
};

struct text_list text_list_read(struct byte_reader *reader, uint64_t size, uint32_t count);

/* Returns the bytes of a text; the reader has failed if there is no such number, or if it makes no sense. */
struct byte_reader text_list_get(const struct text_list *list, uint64_t number);

/* ---- ranges ------------------------------------------------------------------------------------------ */

struct range_table {
	struct block_directory blocks;
	uint32_t count;
};

struct range_table range_table_read(struct byte_reader *reader, uint64_t size, uint32_t count);

/* Returns whether the first row begins with quark 0, and each with a greater one than the row before it. */
bool range_table_ascends(const struct range_table *table);

/*
 * Get a row.  `after` is the first quark of the next row, UINT32_MAX for the last.  Returns false if there is no
 * such row, or if one makes no sense.
 */
bool range_table_get(const struct range_table *table, uint32_t number, struct range_row *row, uint32_t *after);

/* Returns the number of the last row that does not begin after `quark`, or `count` if there is no such row. */
uint32_t range_table_find(const struct range_table *table, uint32_t quark);

/* ---- groups ------------------------------------------------------------------------------------------ */

/* A zeroed one is no range. */
struct attribute_range {
	uint32_t number;
	histree_quark first;  /* the leader of the first group */
	histree_quark parent; /* of all leaders */
	uint32_t count;       /* attributes in all groups; 0: none */
	uint32_t size;        /* of a group */
	uint32_t name;        /* of the first leader */
	uint32_t next;        /* from the last leader to the next child of the parent; 0: it is the last child */
	bool late;            /* an attribute in it has children that came after its group */
	uint32_t host;        /* of a history of several hosts: whose it is, + 1 */
	struct byte_reader members;
};

struct group_member {
	uint32_t number; /* its position in the group, from 1 */
	uint32_t parent; /* a position below it */
	uint32_t name;
};

/*
 * Get the next member: from a zeroed member on, with a copy of the range's reader.  Returns false after the last,
 * or where bytes make no sense.
 */
bool group_member_next(struct byte_reader *members, uint32_t group_size, struct group_member *member);

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

/* Count the components of a path.  Returns HISTREE_ERR_ARGUMENT if it is not well formed. */
enum histree_status path_check(const char *path, size_t *component_count, struct histree_error *error);

/* Where a child was found last, so that one near it is found soon.  It is zeroed at first. */
struct attribute_near {
	struct attribute_range parent;
	uint32_t oldest, named; /* positions in the order of names (attributes.h); any are good */
};

/*
 * `near` remembers where the caller's last question was answered, so that a question about a nearby attribute costs
 * little; it is zeroed at first.  Quarks are below `count`, except that of a parent, which may be HISTREE_ROOT.
 * Parents are older than their children, siblings come by age, and each child names its parent: whatever the bytes
 * of a section say, a walk comes to an end.
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

/* In `name`: the rest is a number, not the id of a text. */
#define ATTRIBUTE_IS_NUMBER (UINT32_C(1) << 31)

struct attribute {
	histree_quark parent;
	uint32_t name; /* in `texts`, or a number */
	histree_quark first_child, next_sibling;
	uint32_t last_child : 30; /* if there is a first one */
	uint32_t is_folder : 1;   /* it has no states, for good */
	uint32_t is_indexed : 1;  /* its children are in the index, because they are many */
};

/* Ids count up mostly: a child that is named by a greater number than all others is new, and need not be sought. */
struct counted_family {
	histree_quark parent;
	/* The greatest number among the names of its children, as struct attribute has it; 0: no numbers */
	uint32_t greatest;
};

enum { COUNTED_FAMILIES = 4 };

struct attribute_tree {
	struct histree_attributes base;
	struct intern texts;
	struct attribute root; /* not an attribute: only its children count */
	struct attribute *attributes;
	size_t capacity;
	struct table table;         /* of `attributes` */
	struct hash_index children; /* of those with many siblings, by parent and name */
	/* The first families that are in the index. */
	struct counted_family counted[COUNTED_FAMILIES];
	unsigned counted_count;
};

void attribute_tree_init(struct attribute_tree *tree);

/* Have the memory from this space.  The tree is empty yet. */
void attribute_tree_use_space(struct attribute_tree *tree, struct table_space *space);
void attribute_tree_release(struct attribute_tree *tree);

/*
 * Find the child with that name, or the attribute at a path, and create it if missing.  See histree_state_child().
 */
enum histree_status attribute_tree_add(struct attribute_tree *tree, histree_quark parent, const char *name,
				       size_t name_size, histree_quark *out, struct histree_error *error);
enum histree_status attribute_tree_add_path(struct attribute_tree *tree, histree_quark from, const char *path,
					    histree_quark *out, struct histree_error *error);

/* The attribute has no states, for good. */
void attribute_tree_make_folder(struct attribute_tree *tree, histree_quark quark);

/* Returns the name of an attribute of the tree. */
struct attribute_name attribute_tree_name(const struct attribute_tree *tree, histree_quark quark);

/* Returns the number of the process that an attribute is of, at or below Processes/<number>; 0: it is of none. */
int32_t attributes_process(const struct histree_attributes *attributes, histree_quark quark);

#endif
