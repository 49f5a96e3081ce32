/* SPDX-License-Identifier: MIT */
/*
 * interval_sink.h - where the intervals of a state system go: a history file, or the memory of a test.
 */
#ifndef STATE_INTERVAL_SINK_H
#define STATE_INTERVAL_SINK_H

#include "base/table.h"
#include "histree/history.h"
#include "histree/value.h"

struct attribute_tree;
struct leaf_pack;

/* The sections that the producer of a history may fill, in the order of the file. */
enum told_section {
	TOLD_LABELS, /* LABL: what its values mean */
	TOLD_CHARTS, /* CHRT: which charts there are */
	TOLD_SECTIONS,
};

struct interval_sink {
	struct table_space *tables; /* for what grows with the attributes; NULL: it is in memory */
	/* Add an interval, whose bytes are borrowed for the call. */
	enum histree_status (*add)(void *context, const struct histree_interval *interval,
				   struct histree_error *error);
	/*
	 * Add intervals, as many calls of `add` would; *added becomes the number of those that the sink has.
	 * NULL: it takes one at a time only.
	 */
	enum histree_status (*add_many)(void *context, const struct histree_interval *intervals, size_t count,
					size_t *added, struct histree_error *error);
	/*
	 * A state has ended whose value is not decided yet (undecided_states.h): `interval` says what is believed.
	 * Its intervals come late, by `add_late`, with the token that is set here.  Both NULL: they are added as
	 * any others.
	 */
	enum histree_status (*withhold)(void *context, const struct histree_interval *interval, uint32_t *token,
					struct histree_error *error);
	enum histree_status (*add_late)(void *context, const struct histree_interval *interval, uint32_t token,
					struct histree_error *error);
	/*
	 * Begin a pack of leaves that the caller makes from intervals, and take it (tree_writer.h).  NULL: the
	 * sink takes intervals only.
	 */
	enum histree_status (*begin_pack)(void *context, size_t kept_max, struct leaf_pack **out,
					  struct histree_error *error);
	enum histree_status (*take_pack)(void *context, const struct leaf_pack *pack, struct histree_error *error);
	/*
	 * The ongoing state of an attribute gets another value than this from its start on, without an interval; a
	 * change is refused because the attribute holds another type.  May be NULL.
	 */
	enum histree_status (*replaced)(void *context, histree_quark quark, histree_time since,
					const struct histree_value *value, struct histree_error *error);
	enum histree_status (*refused)(void *context, histree_quark quark, uint8_t fixed_type,
				       struct histree_error *error);
	/*
	 * Set the bytes of a section, which are borrowed for the call; a size of 0: no section.  NULL: the sink
	 * keeps no sections.
	 */
	enum histree_status (*set_section)(void *context, enum told_section section, const void *bytes, size_t size,
					   struct histree_error *error);
	/* From here on, intervals that end at `end` are the last of their attributes.  May be NULL. */
	void (*closing)(void *context, histree_time end);
	/* End the history, which has these attributes, at `end`. */
	enum histree_status (*finish)(void *context, const struct attribute_tree *attributes, histree_time end,
				      struct histree_error *error);
	/*
	 * Make a branch, a sink for what ends the history as it is now: it has all that was added here, and what is
	 * added to it is not added here.  It is finished and freed before anything more is added.  With `publish`,
	 * finishing it makes it what others open.
	 */
	enum histree_status (*branch)(void *context, bool publish, struct interval_sink *out,
				      struct histree_error *error);
	/* Open the history of what was finished: of a branch that was not published, or in memory; else NULL. */
	enum histree_status (*open)(void *context, const struct histree_open_options *options,
				    struct histree_history **out, struct histree_error *error);
	/* Release everything; what was not finished leaves nothing. */
	void (*free)(void *context);
	void *context;
	size_t value_size_max; /* bytes of a string or custom value that it takes */
};

#endif
