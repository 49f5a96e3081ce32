/* SPDX-License-Identifier: MIT */
/*
 * section.h - what rank 0 asks another rank for besides rows of `query`, and the sections of its answer.
 *
 * A request is SEGMENT_REQUEST and any number of steps (segment_server.h, event_server.h, state_server.h,
 * view_server.h).  It is answered by one message: a section for each step that has one, in their order.  A section
 * is a letter, four bytes of size, and its bytes.
 */
#ifndef MPI_SECTION_H
#define MPI_SECTION_H

#include "histree/status.h"
#include "mpi/message.h"

/* What a request begins with, and no other message to a rank. */
enum { SEGMENT_REQUEST = 'S' };

enum rank_step {
	STEP_OPEN = 'O',
	STEP_START = 'S',
	STEP_NEXT = 'N',
	STEP_CLOSE = 'C',
	STEP_EVENTS = 'E',
	STEP_READ = 'R',
	STEP_LEAVE = 'L',
	STEP_HISTORY = 'H',
	STEP_STATES = 'Q',
	STEP_MORE = 'M',
	STEP_DROP = 'D',
	STEP_VIEW = 'V',
};

/* Returns where its size belongs, for section_end(). */
size_t section_begin(struct message *out, enum rank_step step);
void section_end(struct message *out, size_t at);

void section_status(struct message *out, enum histree_status status, const struct histree_error *error);

#endif
