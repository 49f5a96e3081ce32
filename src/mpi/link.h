/* SPDX-License-Identifier: MIT */
/*
 * link.h - messages between ranks over MPI.
 *
 * Only the thread that began the link uses it.  Whoever waits sleeps, a little longer the longer nothing comes: the
 * ranks of a job that waits for questions leave their processors to others, and an answer is late by a tenth of a
 * millisecond at most while questions follow each other.
 */
#ifndef MPI_LINK_H
#define MPI_LINK_H

#include "mpi/message.h"

#define LINK_ANY (-1)

struct posted;
struct receiving;

struct link {
	int rank, count; /* of ranks */
	/* For experiments: a sender waits as its bytes would at so many bytes a second; 0: not at all. */
	uint64_t throttle;
	uint64_t messages_sent, bytes_sent, messages_received, bytes_received;
	int64_t heard_ns; /* when something was sent or came last */
	/* Whoever waits for a message asks it now and then; false: it is not waited for any more.  NULL: it is. */
	bool (*go_on)(void *context);
	struct posted *posted;       /* on their way: a list */
	struct receiving *receiving; /* by rank: what is coming, for link_take() */
	int receiving_count;         /* of ranks of which something is */
};

/* Returns false if MPI cannot begin. */
bool link_begin(struct link *link, int *argc, char ***argv);

/* All ranks end it, after their last message. */
void link_end(struct link *link);

/* Returns false if the message could not be sent, or had no memory. */
bool link_send(struct link *link, int rank, const struct message *message);

/* Sends it to all ranks but 0.  Returns false if it could not be sent to one of them. */
bool link_send_all(struct link *link, const struct message *message);

/*
 * Sends it as link_send() does, but does not wait until it is taken: for two ranks that may send each other long
 * messages at a time.  The message's bytes become the link's, and it is empty then.
 */
bool link_post(struct link *link, int rank, struct message *message);

/* Frees what was posted and has been taken.  Returns whether anything is left. */
bool link_has_posted(struct link *link);

/* The same; whether anything is on its way, from here or to here. */
bool link_is_moving(struct link *link);

/* Whether a message of this rank, or of any, is there; *from says whose. */
bool link_has_message(struct link *link, int rank, int *from);

/* Takes a message of this rank, waiting for it.  Returns false without memory, or if MPI fails. */
bool link_receive(struct link *link, int rank, struct message *message);

enum link_taken {
	LINK_NOTHING,
	LINK_TAKEN,
	LINK_FAILED, /* memory is out, or MPI fails */
};

/*
 * Takes a message of any rank of which all is there, and never waits: a rank that dies may have sent half of one.
 * *from says whose it is, or would have been.
 */
enum link_taken link_take(struct link *link, int *from, struct message *message);

/* Sleeps for a moment, as long as fits the time for which nothing came. */
void link_rest(const struct link *link);

/* Waits as long as so many bytes take at so many bytes a second, less the time since `begun_ns`. */
void link_hold_back(uint64_t bytes, uint64_t bytes_per_second, int64_t begun_ns);

int64_t link_now_ns(void);

#endif
