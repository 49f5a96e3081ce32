/* SPDX-License-Identifier: MIT */
/*
 * use_cube.h - what all threads of a host together did with their time, of a range that has whole cells of the
 * cube (range_sums.h): these are read there, and states at the two ends alone.
 */
#ifndef VIEW_USE_CUBE_H
#define VIEW_USE_CUBE_H

#include "query/range_sums.h"
#include "view/use_sweep.h"

struct use_cube {
	/*
	 * What is asked for, without its threads, which are all of the host, and without its range, which is cut.
	 * Who asks for calls tells rows apart by nothing else: of other rows nobody knows how many calls are new.
	 */
	struct use_sweep sweep;
	bool has_idle; /* idle loops are counted */
	/* Its own. */
	struct range_cube cells;
	struct histree_thread *threads;
	uint32_t thread_count;
	/* By thread: since when it had no status at the last time that was read; INT64_MAX if it had one. */
	histree_time *gone_since;
};

/* Reads the cells; those that there are not, `cells.is_any` says. */
enum histree_status use_cube_read(struct use_cube *cube, struct histree_error *error);

/* Hands out what was read, and the pieces of what is before and behind it. */
enum histree_status use_cube_hand_out(struct use_cube *cube, struct histree_error *error);

void use_cube_release(struct use_cube *cube);

#endif
