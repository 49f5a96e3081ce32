/* SPDX-License-Identifier: MIT */
/*
 * cube_maker.h - making the cube: its cells, and the input of a window (docs/design/05-pyramid.md).
 *
 * A window consists of lists: for each member thread its statuses, queues and calls, and for each CPU which thread
 * had it. cube_feed.c fills the lists from ended states, and cube_pyramid.c fills cells from the lists.
 */
#ifndef OVERVIEW_CUBE_MAKER_H
#define OVERVIEW_CUBE_MAKER_H

#include "base/arena.h"
#include "base/bytes.h"
#include "base/hash_index.h"
#include "base/search.h"
#include "overview/pyramid_maker.h"
#include "query/thread_pieces.h"
#include "state/pyramid.h"
#include "state/pyramid_cells.h"

struct cube_feed;

enum {
	CUBE_LOG2_MOST = 10, /* cells: the ends of a range that no cell fills are then a thousandth of the time */
	CUBE_LOG2_LEAST = 6, /* with fewer, most of a range is at its ends */
	CUBE_MEMORY_DEFAULT = 64 << 20,
	CUBE_THREAD_BYTES = 96, /* of what a tree may have, so that a cube takes half of it */
	CUBE_CELLS_SHARE = 8,   /* of that, which cells may have until they are written */
};

/* The bytes of a cell, its own. */
struct cube_bytes {
	uint8_t *bytes;
	size_t size;
};

/* A zeroed one is empty. */
struct cube_cells {
	struct histree_history_info of;
	struct pyramid_grid grid;
	struct cube_bytes *cells[CUBE_PARTS];
	uint64_t bytes[CUBE_PARTS]; /* that all have */
	size_t largest[CUBE_PARTS]; /* of them, as long as cells do not become wider */
	size_t bytes_max;           /* of one that is handed out */
	struct intern texts;
	struct cube_cell open; /* the one that is open */
};

/*
 * The facts about a selected thread, and its lists; the lists of CPUs and their threads follow those of all
 * threads.
 */
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
	/* until when it is known which threads had the CPUs for which others waited */
	histree_time time;
	uint32_t count;
};

enum { CUBE_MET_LOG2 = 11, CUBE_SPANS_MAX = 256 };

/* In how many threads more than in the cell before a key fills a cell, by cell. */
struct cube_span {
	struct cube_key key;
	int32_t steps[(1 << CUBE_LOG2_MOST) + 1];
};

/* A zeroed one is empty.  It takes about 45 bytes a thread, and what a choice has. */
struct cube_maker {
	struct thread_quarks threads;
	struct pyramid_maker *pyramid;
	uint32_t *members; /* of the window: threads, by number */
	size_t member_count, member_capacity;
	bool has_owners;   /* whether the threads that have the CPUs are requested */
	bool is_of_no_use; /* no cube can say what is there */
	struct cube_cells cells;
	uint64_t cells_max;            /* bytes of all */
	uint32_t owner_of[CUBE_PARTS]; /* in the file */
	enum cube_part part;           /* at hand, */
	struct byte_buffer room;       /* and a cell of it as bytes */
	histree_time *counted;         /* by thread: the begin of the last counted call; INT64_MIN: no call yet */
	histree_time *next;            /* by thread: pieces were cut up to here */
	struct cube_feed *feed;
	struct cube_span *spans; /* of pieces that fill several cells, which are added to these together */
	size_t span_count, span_capacity;
	/* In the current window: */
	histree_time from, to;
	uint32_t thread; /* at hand */
	struct window_state *states;
	size_t states_capacity;
	struct window_list *lists;
	size_t lists_capacity;
	int32_t *cpus; /* their numbers */
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

/* The number of the cell in which a time is. */
static inline uint64_t cube_cells_at(const struct cube_cells *cells, histree_time time)
{
	return ((uint64_t)time - (uint64_t)cells->grid.origin) >> cells->grid.width_log2;
}

/* Have what a cell of level 1 says in `open`, to add to it, and keep what is there. */
enum histree_status cube_cells_open(struct cube_cells *cells, enum cube_part part, uint64_t cell,
				    struct histree_error *error);
enum histree_status cube_cells_close(struct cube_cells *cells, enum cube_part part, uint64_t cell,
				     struct histree_error *error);

/* The attributes of a thread, by list; HISTREE_ROOT: it has no such. */
void cube_maker_quarks(const struct thread_quark *thread, histree_quark quarks[LISTS_OF_THREAD]);

/* The lists have the states of the window, those of all CPUs among them. */
enum histree_status cube_maker_take_lists(struct cube_maker *maker, struct histree_error *error);

/* Whether cells have no more bytes than they may; and make them wider until they do. */
bool cube_maker_fits(const struct cube_maker *maker);
enum histree_status cube_maker_make_fit(struct cube_maker *maker, struct histree_error *error);

/* Make one cell of each two, with what pieces that fill several of them have; and add that alone. */
enum histree_status cube_maker_widen(struct cube_maker *maker, struct histree_error *error);
enum histree_status cube_maker_flush_spans(struct cube_maker *maker, struct histree_error *error);

/* All but the feed and the maker itself. */
void cube_maker_release(struct cube_maker *maker);

/* The kind, see struct cell_kind: of what all windows had. */
enum histree_status cube_finish(struct pyramid_maker *pyramid, struct histree_error *error);
enum histree_status cube_merge(void *into, const void *cell, struct histree_error *error);
enum histree_status cube_put(struct pyramid_maker *pyramid, void *cell, struct histree_value *out,
			     struct histree_error *error);
void cube_clear(void *cell);

#endif
