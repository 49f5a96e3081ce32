/* SPDX-License-Identifier: MIT */
/*
 * pyramid_file.h - the file of a pyramid of cells while it is made: its attributes, its states, its levels.
 *
 * States of an overview with levels (state/pyramid.h) that are complete, until they are
 * written or compared.
 *
 * What all overviews of a history have in common as files.
 *
 * The file of an overview with levels, while it is made of a finished history: which attributes
 * it has, and its states, which come window by window.
 *
 * 	ladder_file_init(&file, source, PYRAMID_SUMS, &error);
 * 	... file.choice, and the rungs of each of its attributes ...
 * 	ladder_file_begin(&file, rungs, log2, &error);
 * 	ladder_file_write(&file, &states, &error);		// of one window after the other
 * 	ladder_file_finish(&file, &bytes, &error);
 */
#ifndef OVERVIEW_PYRAMID_FILE_H
#define OVERVIEW_PYRAMID_FILE_H

#include <stddef.h>

#include "base/io.h"
#include "histree/history.h"
#include "histree/value.h"
#include "overview/overview_choice.h"
#include "overview/overview_window.h"
#include "state/attribute_tree.h"
#include "state/interval_sink.h"
#include "state/pyramid.h"

/* The rungs of one attribute of a ladder, a level each. */
struct ladder_rungs {
	uint32_t first, count;
	histree_quark own[PYRAMID_LEVELS_MAX]; /* by level, 1 first: what they are called in the overview */
};

/* Null, an int or custom. */
struct ladder_state {
	histree_time start, end;
	histree_quark own;
	enum histree_type type;
	int32_t value;
	uint32_t size; /* of a custom one */
	size_t at;     /* in `bytes` */
};

/* A zeroed one is empty. */
struct ladder_states {
	struct ladder_state *states;
	size_t count, capacity;
	uint8_t *bytes;
	size_t size, bytes_capacity;
};

enum histree_status ladder_states_add(struct ladder_states *states, const struct histree_interval *state,
				      struct histree_error *error);

/* Borrowed until states are added. */
struct histree_interval ladder_states_get(const struct ladder_states *states, size_t index);
void ladder_states_clear(struct ladder_states *states);
void ladder_states_release(struct ladder_states *states);

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

/* Where it comes from; outlives the file. */
struct ladder_source {
	const struct io *io;
	const char *path; /* of the history */
	struct histree_history *history;
	const struct state_counts *counts;
	const struct overview_options *options; /* without zeros */
	const struct overview_progress *progress;
};

struct ladder_file {
	const struct ladder_source *source;
	enum pyramid_id id;
	uint32_t node_size; /* that of the kind, unless a larger one is set before the file is begun */
	struct histree_history_info of;
	char *name;
	struct overview_choice choice;
	bool is_begun; /* the sink and the attributes are there */
	struct interval_sink sink;
	struct attribute_tree attributes;
	struct keyed_index *order, *spare;
	size_t order_capacity, spare_capacity;
};

enum histree_status ladder_file_init(struct ladder_file *file, const struct ladder_source *source,
				     enum pyramid_id id, struct histree_error *error);

/* Have an attribute, which comes after all that are chosen. */
enum histree_status ladder_file_choose(struct ladder_file *file, histree_quark quark, struct histree_error *error);

/*
 * Begin the file, of the attributes that are chosen, and say in `rungs`, one each, what these are called there.
 * Nothing is begun if there are none.
 */
enum histree_status ladder_file_begin(struct ladder_file *file, struct ladder_rungs *rungs, unsigned log2,
				      struct histree_error *error);

/* Write states of a window, none of which ends before those of the window before, and forget them. */
enum histree_status ladder_file_write(struct ladder_file *file, struct ladder_states *states,
				      struct histree_error *error);

/* *bytes is how many it has. */
enum histree_status ladder_file_finish(struct ladder_file *file, uint64_t *bytes, struct histree_error *error);

/* Read what is chosen of the history once more, and hand over its windows, sorted. */
enum histree_status ladder_source_walk(const struct ladder_source *source, const struct overview_choice *choice,
				       enum histree_status (*take)(void *context, struct overview_window *window,
								   struct histree_error *error),
				       void *context, struct histree_error *error);

/* The same of the attributes of the file. */
enum histree_status ladder_file_walk(const struct ladder_file *file,
				     enum histree_status (*take)(void *context, struct overview_window *window,
								 struct histree_error *error),
				     void *context, struct histree_error *error);

/* Remove a file that was finished. */
void ladder_file_remove(const struct ladder_file *file);

/* What was begun and not finished may be there. */
void ladder_file_release(struct ladder_file *file);

#endif
