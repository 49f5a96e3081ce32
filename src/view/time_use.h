/* SPDX-License-Identifier: MIT */
/*
 * time_use.h - the body of a use of time (histree/time_use.h), for the files that fill it.
 */
#ifndef VIEW_TIME_USE_H
#define VIEW_TIME_USE_H

#include "base/arena.h"
#include "base/hash_index.h"
#include "histree/filter.h"
#include "view/use_rows.h"
#include "view/use_sweep.h"

/* Of the filter. */
enum field {
	FIELD_HOST,
	FIELD_THREAD,
	FIELD_PROCESS,
	FIELD_NAME,
	FIELD_CPU,
	FIELD_STATE,
	FIELD_SYSTEM_CALL,
	FIELD_HAD_BY,
	FIELD_COUNT,
	FIELDS_OF_THREAD = FIELD_CPU, /* those before say nothing of a piece */
};

/* What a thread did last, in one piece. */
struct use_run {
	histree_time start;
	uint64_t ns;
	enum histree_use use;
	uint32_t row;
};

struct histree_time_use {
	struct histree_time_use_request request;
	struct histree_filter *filter; /* NULL: all is counted */
	bool filters_pieces;           /* it names more than threads */
	struct use_rows rows;
	/* The host that is being read. */
	uint32_t host;
	const char *host_name;
	struct histree_history *history;
	const struct histree_control_flow *flow; /* of it; NULL: names are looked up one by one */
	bool has_lives;                          /* it has numbers that several threads had */
	bool is_parted;                          /* it has not, and one was met that it should have told apart */
	struct use_run *runs;                    /* what each thread did; NULL: that is not asked for */
	struct id_map counted;                   /* calls by row and thread, if rows are told apart by calls, */
	struct arena calls;                      /* and where they are */
	bool has_threads, is_damaged;
};

#endif
