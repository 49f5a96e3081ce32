/* SPDX-License-Identifier: MIT */
/*
 * time_use_inside.h - the body of a use of time, for the files that fill it.
 */
#ifndef VIEW_TIME_USE_INSIDE_H
#define VIEW_TIME_USE_INSIDE_H

#include "base/arena.h"
#include "base/id_map.h"
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

/* The call of a thread that a row counted last. */
struct counted_call {
	histree_time start;
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

/* Returns whether anything of a thread can pass; a piece goes to its row.  The context is the use of time. */
bool time_use_wants(void *context, const struct histree_thread *thread);
enum histree_status time_use_take(void *context, const struct use_piece *piece, struct histree_error *error);

/* Whether the filter lets anything pass of the host that is read, so that one which is missing is missed. */
bool time_use_wants_host(const struct histree_time_use *use);

/* Returns whether idle loops are counted. */
bool time_use_has_idle(const struct histree_time_use *use);

#endif
