/* SPDX-License-Identifier: MIT */
/*
 * cube_pyramid.h - the cube: what all threads of a kernel did together in a cell of time, by whom and where.
 *
 * The cells of a cube (state/history_cube.h) while it is made: those of level 1, as bytes.
 *
 * Whoever adds to a cell opens and closes it.  Cells may become twice as wide at any time.
 *
 * Windows of the states of all threads of a host become the cells of its cube (cube_pyramid.h).
 *
 * 	cube_maker_begin(&maker, history, width, threads_max, &error);
 * 	while (cube_maker_choose(&maker, counts, NULL, most, &error) == HISTREE_OK && maker.choice.count > 0)
 * 		... cube_maker_take(&maker, attributes, window, &error);	// one window after the other
 * 	cube_cells_each(&maker.cells, ...)
 *
 * Make the cube of a finished kernel history (state/history_cube.h).
 *
 * It is used as a sum_writer is.  The cells are in memory until all windows were taken, and become wider as often
 * as they are too large for the file.
 */
#ifndef OVERVIEW_CUBE_PYRAMID_H
#define OVERVIEW_CUBE_PYRAMID_H

#include "overview/overview_choice.h"
#include "overview/overview_window.h"
#include "overview/pyramid_file.h"
#include "query/thread_pieces.h"
#include "state/pyramid.h"

/* The bytes of a cell, its own. */
struct cube_bytes {
	uint8_t *bytes;
	size_t size;
};

/* A zeroed one is empty. */
struct cube_cells {
	struct histree_history_info of;
	struct pyramid_grid levels;
	struct cube_bytes *cells[CUBE_PARTS];
	uint64_t bytes[CUBE_PARTS]; /* that all have */
	size_t largest[CUBE_PARTS]; /* of them, as long as cells do not become wider */
	size_t bytes_max;           /* of one that is handed out */
	struct intern texts;
	struct cube_cell open; /* the one that is open */
};

/* A cell of a level, 0 being level 1: a value as state/history_cube.h has it. */
struct cube_state {
	enum cube_part part;
	uint32_t level;
	uint64_t cell;
	histree_time start, end;
	struct histree_value value; /* borrowed for the call */
};

/* Hand out the cells of all levels in the order of their ends. */
enum histree_status cube_cells_each(struct cube_cells *cells,
				    enum histree_status (*take)(void *context, const struct cube_state *state,
								struct histree_error *error),
				    void *context, struct histree_error *error);

/* What is known of a thread of a choice, and its lists; those of CPUs, who has them, come after all threads. */
enum { LIST_STATUS, LIST_QUEUE, LIST_CALL, LISTS_OF_THREAD };

/* What a window has of a cell and a key. */
struct cube_entry {
	uint64_t cell;
	struct cube_row row; /* of calls; of owners if it has one */
};

/* An entry that was met: its cell and its key as one number. */
struct cube_met {
	uint64_t id; /* 0: none */
	uint32_t entry;
};

/* A wait for a CPU in a window, both inclusive. */
struct cube_wait {
	histree_time start, end;
	uint32_t cpu; /* an index */
	bool begins;
};

/* How many wait for a CPU, while time goes by in a window. */
struct cube_queue {
	const struct window_state *at, *end; /* who has it */
	histree_time time;                   /* up to which it is known what became of the time of those who wait */
	uint32_t count;
};

enum { CUBE_MET_LOG2 = 11 };

/* A zeroed one is empty.  It takes about 45 bytes a thread, and what a choice has. */
struct cube_maker {
	struct thread_quarks threads;
	bool *are_chosen;              /* by thread: now or before */
	size_t left;                   /* threads that were not */
	struct overview_choice choice; /* attributes of some threads, and who has the CPUs */
	uint32_t *list_of;             /* by attribute of the choice */
	size_t list_capacity;
	uint32_t *members; /* the threads, by number */
	size_t member_count, member_capacity;
	bool has_owners;   /* who has the CPUs is asked for */
	bool is_of_no_use; /* no cube can say what is there */
	struct cube_cells cells;
	histree_time *counted; /* by thread: when the call began that was counted last; INT64_MIN: there is none */
	/* Of a window. */
	uint32_t thread; /* at hand */
	struct window_state *states;
	size_t states_capacity;
	struct window_list *lists; /* by what list_of says */
	size_t lists_capacity;
	int32_t *cpus;  /* their numbers */
	int32_t *texts; /* by value of the window: as a call, USE_NOTHING if it was not looked up; */
	int32_t *ints;  /* as anything else, USE_NOTHING if it is null */
	size_t text_capacity, int_capacity;
	struct cube_entry *entries;
	size_t entry_count, entry_capacity;
	struct hash_index by_key;
	struct cube_met met[1 << CUBE_MET_LOG2]; /* by some bits of the number */
	struct cube_wait *waits;
	size_t wait_count, wait_capacity;
	struct cube_queue *queues; /* by CPU */
	struct keyed_index *order, *ends, *spare;
	size_t order_capacity, ends_capacity, spare_capacity;
};

/* Nothing is left to choose if the history has no threads, or more than `threads_max`. */
enum histree_status cube_maker_begin(struct cube_maker *maker, struct histree_history *history, unsigned width_log2,
				     size_t threads_max, struct histree_error *error);

/*
 * Choose threads that were not chosen: those of which another choice has an attribute, or the next ones that have
 * no more than `attributes_max`.  The choice is empty if there are none.
 */
enum histree_status cube_maker_choose(struct cube_maker *maker, const struct state_counts *counts,
				      const struct overview_choice *among, size_t attributes_max,
				      struct histree_error *error);

/* Take a window, sorted; `attributes` as sum_ladder_add_window() has it. */
enum histree_status cube_maker_take(struct cube_maker *maker, const uint32_t *attributes,
				    const struct overview_window *window, struct histree_error *error);
void cube_maker_release(struct cube_maker *maker);

struct cube_writer;

/* Of `bytes_max` bytes at most. */
enum histree_status cube_writer_begin(const struct ladder_source *source, uint64_t bytes_max,
				      struct cube_writer **out, struct histree_error *error);

/*
 * Choose the threads of which a choice has attributes: theirs are what cube_writer_choice() says.  Others are read
 * in the end, a part of them at a time.  Nothing is chosen if there is no cube, or its threads cost too much.
 */
enum histree_status cube_writer_choose(struct cube_writer *writer, const struct overview_choice *among,
				       struct histree_error *error);

/* Whether there is likely to be a cube. */
bool cube_writer_is_wanted(const struct cube_writer *writer);
const struct overview_choice *cube_writer_choice(const struct cube_writer *writer);
enum histree_status cube_writer_take(struct cube_writer *writer, const uint32_t *attributes,
				     const struct overview_window *window, struct histree_error *error);

/* All windows were taken: now the other threads are read.  *bytes is what the file has, 0 if there is none. */
enum histree_status cube_writer_end(struct cube_writer *writer, uint64_t *bytes, struct histree_error *error);

/* NULL does nothing.  A file that was begun and not ended may be there. */
void cube_writer_free(struct cube_writer *writer);

#endif
