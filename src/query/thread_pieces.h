/* SPDX-License-Identifier: MIT */
/*
 * thread_pieces.h - the states of a thread, cut where its CPU, its system call or who has that CPU changes: in a
 * piece nothing changes.
 */
#ifndef QUERY_THREAD_PIECES_H
#define QUERY_THREAD_PIECES_H

#include "base/intern.h"
#include "query/window_states.h"
#include "state/cube_cell.h"

enum { THREAD_WAITS_FOR_CPU = 5 }; /* a status, histree-states(7) */

/* What CPUs, calls and owners say where there is nothing, or nobody knows: USE_NOTHING, USE_NOT_KNOWN. */
struct thread_piece {
	histree_time start, end; /* inclusive */
	int32_t status;          /* USE_NOT_KNOWN if it is no int */
	int32_t cpu, system_call, had_by;
	bool begins;             /* the state does */
	histree_time call_start; /* if there is a call */
};

/* What is known of a thread in a window; a list without states says nothing. */
struct thread_states {
	struct window_list statuses, queues, calls;
	bool is_idle;
	int32_t cpu; /* of an idle loop, which has it whatever `queues` says; else -1 */
};

/* Who has the CPUs. */
struct thread_owners {
	const int32_t *cpus;
	struct window_list *lists; /* by CPU */
	uint32_t count;
};

struct thread_cutting {
	histree_time from, to;              /* what lies outside is left to others */
	const struct thread_owners *owners; /* NULL: they are not asked for */
	/* In the order of time. */
	enum histree_status (*give)(void *context, const struct thread_piece *piece, struct histree_error *error);
	void *context;
};

/*
 * While others have its CPU, an idle loop waits for that, in the history.  Nobody has to wait then: it is no time
 * of a CPU's queue, and no idle time, as somebody runs.  Such pieces are not handed out.
 */
enum histree_status thread_pieces_cut(const struct thread_cutting *cutting, const struct thread_states *thread,
				      struct histree_error *error);

/* What a state of any list is kept as: an int, the number of a text, USE_NOT_KNOWN; null is not kept. */
enum window_keep thread_pieces_value(struct intern *texts, const struct histree_value *value,
				     enum histree_part part, int64_t *out);

#endif
