/* SPDX-License-Identifier: MIT */
/*
 * host_remote.h - on rank 0: segments, sums and events of hosts that other ranks have, as sources of the library.
 *
 * On rank 0: the segment stores of hosts that other ranks have, as stores that can be read and
 * united.
 *
 * A query of several of them is one message a rank: what starts is gathered, and sent when the first segment is
 * wanted; all ranks work at a time.  Then each iterator asks for more when it has handed out what it got.
 *
 * On rank 0: what other ranks add up of their hosts (host_server.h), as a history source asks it.
 *
 * Questions are gathered, so that those of all hosts are one message a rank, and sent together: all ranks work at a
 * time.
 *
 * On rank 0: the events of hosts that other ranks have, as events that can be read and united.
 *
 * The index of a host comes when its events are opened.  The events themselves come in runs, few at first, and the
 * next run is asked for while one is handed out.  Times, CPUs and types are always in them; texts and values from
 * the first time on that the reader asks for one: the run is asked for once more, with them.
 */
#ifndef MPI_HOST_REMOTE_H
#define MPI_HOST_REMOTE_H

#include "histree/event_source.h"
#include "histree/segment_store.h"
#include "mpi/link.h"

struct remote_rank {
	struct message pending; /* steps that were not sent yet */
	uint32_t outstanding;   /* answers that are to come */
};

struct remote_cursor;

/* A zeroed one has no ranks. */
struct segment_remotes {
	struct asker *asker; /* of the question */
	struct remote_rank *ranks;
	struct remote_cursor **cursors; /* that are open */
	size_t cursor_count, cursor_capacity;
	uint64_t next_number;
	struct message received;
	bool is_lost; /* a rank does not answer */
	/* The condition of the question as its words say it, which ranks try as well; NULL: none. */
	const char *where;
	histree_time start, end;
	const char *only_field; /* the one whose values the question looks at besides times; NULL: all */
	/* Takes a section of events (host_remote.h), which come by the same messages; false: it is damaged. */
	bool (*take_events)(void *context, struct byte_reader section);
	void *events;
	/* The same of states (state_remote.h). */
	bool (*take_states)(void *context, struct byte_reader section);
	void *states;
	/* The same of what ranks add up (host_remote.h). */
	bool (*take_views)(void *context, struct byte_reader section);
	void *views;
};

/* Returns false without memory. */
bool segment_remotes_begin(struct segment_remotes *remotes, struct asker *asker);

/* Opens the segments that an analysis made of a host, an index in the set of the rank. */
enum histree_status segment_remotes_open(struct segment_remotes *remotes, int rank, size_t host,
					 const char *analysis, struct histree_segment_store **out,
					 struct histree_error *error);

/*
 * What events and states need: a step of the next message to a rank, messages to one rank or all, and the next
 * answer: HISTREE_ERR_CANCELLED, once nobody waits for it.
 */
struct message *segment_remotes_step(struct segment_remotes *remotes, int rank, enum rank_step step);
enum histree_status segment_remotes_send(struct segment_remotes *remotes, int rank, struct histree_error *error);
enum histree_status segment_remotes_send_all(struct segment_remotes *remotes, struct histree_error *error);

/* *opened is the answer's section on what was opened, if it has one. */
enum histree_status segment_remotes_take(struct segment_remotes *remotes, int rank, struct byte_reader *opened,
					 struct histree_error *error);
enum histree_status segment_remotes_damaged(struct segment_remotes *remotes, int rank, struct histree_error *error);

/* Takes what is still to come of a question, wanted or not; the link is free again then. */
void segment_remotes_drain(struct segment_remotes *remotes);
void segment_remotes_release(struct segment_remotes *remotes);

struct view_asked;

/* A zeroed one has none. */
struct view_remotes {
	struct segment_remotes *ranks; /* by whose messages answers come */
	struct view_asked *asked;      /* a list of those that were not dropped */
	uint64_t next_number;
};

void view_remotes_begin(struct view_remotes *remotes, struct segment_remotes *ranks);

/* Asks the rank about a history by the number that it gave this. */
enum histree_status view_remotes_ask(struct view_remotes *remotes, int rank, uint64_t history, const void *question,
				     size_t size, struct view_asked **out, struct histree_error *error);

/* Waits for the answer, whose bytes are borrowed. */
enum histree_status view_asked_take(struct view_asked *asked, const void **answer, size_t *size,
				    struct histree_error *error);
void view_asked_drop(struct view_asked *asked);

struct event_cursor;

/* A zeroed one has none. */
struct event_remotes {
	struct segment_remotes *ranks; /* by whose messages events come */
	struct event_cursor **cursors; /* that are open */
	size_t cursor_count, cursor_capacity;
	uint64_t next_number;
};

void event_remotes_begin(struct event_remotes *remotes, struct segment_remotes *ranks);

/* Opens the events of a host, an index in the set of the rank. */
enum histree_status event_remotes_open(struct event_remotes *remotes, int rank, size_t host,
				       struct histree_events **out, struct histree_error *error);
void event_remotes_release(struct event_remotes *remotes);

#endif
