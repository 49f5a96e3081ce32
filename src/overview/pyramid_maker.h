/* SPDX-License-Identifier: MIT */
/*
 * pyramid_maker.h - a pyramid while it is made: owners, their unfinished cells, their finished cells, and the file
 * into which those go.
 *
 * A kind of cells defines their content.  Everything else is the same for all kinds:
 *
 * 	pyramid_maker_feed(&maker, &number_cells, ...);				// there is no history yet
 * 	pyramid_maker_feed_owner(&maker, quark, now, &error);
 * 	pyramid_maker_add(&maker, owner, &state, &error);			// of each owner in order
 * 	pyramid_maker_feed_end(&maker, end, &error);				// what is kept is of all states
 * 	pyramid_maker_adopt(&maker, &fed, &source, bytes_max, &error);		// owners are chosen, and how wide
 * 	pyramid_maker_end(&maker, &bytes, &error);				// the file
 *
 * The final length of a history is not known while it is made.  So finished cells of level 1 are kept, and become
 * wider each time there are too many.  At the end, owners and the width of their cells are chosen, and the kept
 * cells are added to these.
 */
#ifndef OVERVIEW_PYRAMID_MAKER_H
#define OVERVIEW_PYRAMID_MAKER_H

#include <stddef.h>

#include "base/io.h"
#include "base/search.h"
#include "histree/history.h"
#include "histree/value.h"
#include "overview/overview_choice.h"
#include "state/attributes.h"
#include "state/ongoing_states.h"
#include "state/pyramid.h"

struct feed_window;
struct pyramid_maker;
struct table_space;

/* ---- kinds of cells ---------------------------------------------------------------------------------------- */

struct cell_kind {
	enum pyramid_id id;
	size_t size;        /* of a cell while it is filled; a zeroed one is empty */
	uint32_t cells_max; /* of all owners and levels together, which are in memory */

	/*
	 * Decide whether the pyramid is worthwhile: choose 2^N and the owners that keep their cells, and set
	 * maker->is_wanted. `bytes`: the size of the file for the previous choice, which is too large; 0: the first
	 * choice.  NULL: there is no second choice.
	 */
	enum histree_status (*choose)(struct pyramid_maker *maker, uint64_t bytes, struct histree_error *error);

	/*
	 * For feeding (overview_feed.h): create the kind's own data; take a window of ended states; take the
	 * ongoing states up to the end of the history; free what later windows do not need; and, with the history
	 * open, choose cells like choose().
	 */
	enum histree_status (*feed_begin)(struct pyramid_maker *maker, struct histree_error *error);
	enum histree_status (*feed)(struct pyramid_maker *maker, const struct feed_window *window,
				    struct histree_error *error);
	enum histree_status (*feed_end)(struct pyramid_maker *maker, const struct feed_window *window,
					struct histree_error *error);
	/* Whether states of an attribute are taken at all, which is asked once. */
	bool (*feed_takes)(struct pyramid_maker *maker, const struct histree_attributes *attributes,
			   histree_quark quark);
	/*
	 * Whether the value that an attribute has since a time was used; and from which end on its states come
	 * again, INT64_MAX: none does.
	 */
	bool (*feed_used)(struct pyramid_maker *maker, const struct histree_attributes *attributes,
			  histree_quark quark, histree_time since);
	histree_time (*feed_holds_from)(const struct pyramid_maker *maker, histree_quark quark);
	/*
	 * For kinds that are fed owner by owner (owner_feed.h), which have feed_begin() and feed_end() of these:
	 * add a cell of level 1 that was kept, of 2^maker->kept.log2, to cells as wide or wider; and what is in a
	 * cell that was not full when cells became wider.
	 */
	enum histree_status (*take_kept)(struct pyramid_maker *maker, uint32_t owner,
					 const struct histree_interval *kept, struct histree_error *error);
	void (*go_on)(struct pyramid_maker *maker, uint32_t owner, const void *open);
	void (*feed_free)(struct pyramid_maker *maker); /* before the tables of the history go; NULL: nothing is */
	enum histree_status (*adopt)(struct pyramid_maker *maker, struct histree_error *error);

	/* Add a state. */
	enum histree_status (*add)(struct pyramid_maker *maker, uint32_t owner,
				   const struct histree_interval *state, struct histree_error *error);
	/* What was added is ready, as far as it ever is.  NULL: it was so before. */
	enum histree_status (*flush)(struct pyramid_maker *maker, struct histree_error *error);
	/* All was added.  A kind that has begun no file until now may do so, or say that it is not wanted. */
	enum histree_status (*finish)(struct pyramid_maker *maker, struct histree_error *error);

	/* Add a cell to that of the level above. */
	enum histree_status (*merge)(void *into, const void *cell, struct histree_error *error);
	/* Put it as a value, which is borrowed until the next one. */
	enum histree_status (*put)(struct pyramid_maker *maker, void *cell, struct histree_value *out,
				   struct histree_error *error);
	void (*clear)(void *cell); /* NULL: it becomes zeroed */
	void (*release)(struct pyramid_maker *maker);
};

extern const struct cell_kind number_cells, sum_cells, cube_cells;

/* ---- files ------------------------------------------------------------------------------------------------- */

/* A file of a pyramid that is being written; a zeroed one is no file. */
struct pyramid_file {
	bool is_begun; /* what follows is there */
	struct interval_sink sink;
	struct attribute_tree attributes;
};

/* `tables`: NULL: it has its own. */
enum histree_status pyramid_file_begin(struct pyramid_file *file, enum pyramid_id id, const struct io *io,
				       const char *path, const struct histree_history_info *of, unsigned log2,
				       uint32_t node_size, const struct overview_options *options,
				       struct table_space *tables, struct histree_error *error);

/* Add attribute GROUP/NUMBER. */
enum histree_status pyramid_file_name(struct pyramid_file *file, uint32_t group, uint32_t number,
				      histree_quark *out, struct histree_error *error);
enum histree_status pyramid_file_add(struct pyramid_file *file, const struct histree_interval *state,
				     struct histree_error *error);

/* Complete the file, which is closed then even after a failure.  *bytes is its size. */
enum histree_status pyramid_file_finish(struct pyramid_file *file, const struct io *io, const char *path,
					const struct histree_history_info *of, uint64_t *bytes,
					struct histree_error *error);

/* What is left of it is of no use. */
void pyramid_file_drop(struct pyramid_file *file);

/* ---- makers ------------------------------------------------------------------------------------------------ */

/* Where it comes from; outlives the maker. */
struct pyramid_source {
	const struct io *io;
	const char *path; /* of the history */
	struct histree_history *history;
	const struct state_counts *counts;      /* of what was fed; NULL while a pyramid is made again */
	const struct overview_options *options; /* without zeros */
};

/* Somebody who has cells: an attribute of the history. */
struct pyramid_owner {
	histree_quark quark;
	uint32_t first, level_count;           /* its cells, a level each */
	histree_quark own[PYRAMID_LEVELS_MAX]; /* by level: what they are called in the file */
};

/* Null, an int or custom. */
struct ready_state {
	histree_time start, end;
	histree_quark own;
	enum histree_type type;
	int32_t value;
	uint32_t size; /* of a custom one */
	size_t at;     /* in `bytes` */
};

/* A zeroed one is empty. */
struct ready_states {
	struct ready_state *states;
	size_t count, capacity;
	uint8_t *bytes;
	size_t size, bytes_capacity;
};

/* Borrowed until something else is ready. */
struct histree_interval ready_states_get(const struct ready_states *ready, size_t index);

/* What became ready of level 1 while it was fed, in the order of time of each owner; `own` is its place in `of`. */
struct kept_cells {
	struct ready_states ready;
	unsigned log2;
	histree_quark *of; /* by owner; HISTREE_ROOT: it is of no use */
	size_t of_count, of_capacity;
};

struct pyramid_maker {
	const struct cell_kind *kind;
	const struct pyramid_source *source;
	struct histree_history_info of;
	uint64_t bytes_max;          /* that the file may have, */
	uint64_t bytes_wanted;       /* and what to aim at, for a kind that does so, to get no more */
	size_t memory_max;           /* while it is fed: of the history, as in struct overview_options, */
	struct table_space *tables;  /* and what grows with attributes */
	const struct pyramid *again; /* that is there, and is to be made as it is; NULL: a new one */

	bool is_wanted;
	bool holds; /* while it is fed: some states are to come again, of which kind->feed_holds_from() tells */
	struct overview_choice choice; /* its owners, with how many states each has */
	unsigned log2;                 /* N */
	struct pyramid_grid grid;      /* of kinds of cells of ns */
	struct pyramid_owner *owners;
	size_t owner_count, owners_capacity;
	uint8_t *cells; /* each of the size of the kind */
	size_t cell_count, cells_capacity;
	void *own; /* of the kind */

	struct kept_cells kept; /* of a kind whose owners were fed one by one */
	struct ready_states ready;
	uint8_t room[512]; /* for the value of a cell */

	/* Takes what is ready: into the file, or to the caller. */
	enum histree_status (*give)(void *context, const struct ready_states *ready, struct histree_error *error);
	void *give_context;
	char *name;
	struct pyramid_file file;
	uint32_t node_size; /* that of the kind, unless a larger one is set before the file is begun */
	struct keyed_index *order, *spare;
	size_t order_capacity, spare_capacity;
};

/*
 * Begin one that is there, to be made as it is: its content is given to the caller.  Release the maker also after a
 * failure.  Returns HISTREE_ERR_FORMAT if no history has such a pyramid.
 */
enum histree_status pyramid_maker_again(struct pyramid_maker *maker, const struct cell_kind *kind,
					const struct pyramid_source *source, const struct pyramid *there,
					struct table_space *tables, struct histree_error *error);

/*
 * Begin a new one; and later, with the history at hand, choose for a file of `bytes_max` bytes at most: from *fed,
 * which is empty then.
 */
enum histree_status pyramid_maker_feed(struct pyramid_maker *maker, const struct cell_kind *kind,
				       const char *provider, histree_time start, size_t memory_max,
				       struct table_space *tables, struct histree_error *error);
enum histree_status pyramid_maker_adopt(struct pyramid_maker *maker, struct pyramid_maker *fed,
					const struct pyramid_source *source, uint64_t bytes_max,
					struct histree_error *error);

/* Whether the owners of a kind are fed one by one: of states in the order of time, of each owner all of them. */
static inline bool pyramid_maker_is_by_owner(const struct pyramid_maker *maker)
{
	return maker->kind != NULL && maker->kind->take_kept != NULL;
}

/* Have another owner, of which the first states are added at `now`. */
enum histree_status pyramid_maker_feed_owner(struct pyramid_maker *maker, histree_quark quark, histree_time now,
					     struct histree_error *error);

/* Have fewer cells, which are wider, until no more than so many are kept; of one made again, give them away. */
enum histree_status pyramid_maker_keep_few(struct pyramid_maker *maker, size_t cells_max,
					   struct histree_error *error);

/* The history ends: all owners have their last state. */
enum histree_status pyramid_maker_feed_end(struct pyramid_maker *maker, histree_time end,
					   struct histree_error *error);

/* Whether what was kept of an attribute is of use. */
bool pyramid_maker_has(const struct pyramid_maker *maker, histree_quark quark);

static inline enum histree_status pyramid_maker_add(struct pyramid_maker *maker, uint32_t owner,
						    const struct histree_interval *state,
						    struct histree_error *error)
{
	return maker->kind->add(maker, owner, state, error);
}

/* All was added: what is left becomes ready, and is given away. */
enum histree_status pyramid_maker_finish(struct pyramid_maker *maker, struct histree_error *error);

/*
 * The same, and complete the file.  *bytes is its size, 0: there is no file.  A file that is too large is made
 * again with larger cells, as long as that is worth it.
 */
enum histree_status pyramid_maker_end(struct pyramid_maker *maker, uint64_t *bytes, struct histree_error *error);

/* What was begun and not ended may be there. */
void pyramid_maker_release(struct pyramid_maker *maker);

/* ---- for kinds --------------------------------------------------------------------------------------------- */

/* Forget what was chosen, or the owners and their cells. */
void pyramid_maker_clear_choice(struct pyramid_maker *maker);
void pyramid_maker_clear_owners(struct pyramid_maker *maker);

/* Choose an attribute, which comes after all that are chosen. */
enum histree_status pyramid_maker_choose(struct pyramid_maker *maker, histree_quark quark,
					 struct histree_error *error);

/* Add an owner after all others, with empty cells of `levels` levels. */
enum histree_status pyramid_maker_own(struct pyramid_maker *maker, histree_quark quark, uint32_t levels,
				      struct histree_error *error);

/* Begin a file for the owners; nothing is begun if there are no owners, or the caller takes the content. */
enum histree_status pyramid_maker_begin_file(struct pyramid_maker *maker, struct histree_error *error);

/* A state of a level, 0 being level 1, is ready. */
enum histree_status pyramid_maker_ready(struct pyramid_maker *maker, uint32_t owner, uint32_t level,
					histree_time start, histree_time end, const struct histree_value *value,
					struct histree_error *error);

/* A cell is full: it is ready, is added to the one above, if there is one, and is empty then. */
enum histree_status pyramid_maker_close(struct pyramid_maker *maker, uint32_t owner, uint32_t level,
					histree_time start, histree_time end, struct histree_error *error);

/* Give away what is ready. */
enum histree_status pyramid_maker_give(struct pyramid_maker *maker, struct histree_error *error);

static inline void *pyramid_maker_cell(const struct pyramid_maker *maker, uint32_t owner, uint32_t level)
{
	return maker->cells + (maker->owners[owner].first + (size_t)level) * maker->kind->size;
}

#endif
