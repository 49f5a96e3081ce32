/* SPDX-License-Identifier: MIT */
/*
 * link.h - what travels between the ranks of a job, and how.
 *
 * From below:
 *
 * - *launcher*: what the launcher tells a process, and how the process ends on its request.  When a rank dies, or
 *   the launcher is to end, Open MPI sends SIGTERM to all ranks, and SIGKILL a second later, or as soon as one of
 *   them has ended.  So a rank with a message prints it at once, and the others wait.
 * - *message*: numbers and texts, one after the other, in bytes that grow.  Reading is that of base/bytes.h.
 *   Another rank is trusted no more than a file: each number is checked before it is used.
 * - *link*: messages over MPI.  Only the thread that began the link uses it.  A rank that waits sleeps, for longer
 *   periods the longer nothing comes.  So a job that waits for questions leaves its processors to others, and an
 *   answer is delayed by a tenth of a millisecond at most while questions follow each other.
 * - *roll call*: the version of each rank, and where it runs.  Ranks of different versions would make different
 *   files, or misread each other, so all of them end with a message.
 * - *inbox* and *asker*: how a question is cancelled.  On rank 0 the asker watches the client; once that has gone,
 *   the other ranks get a message.  A rank finds it in its inbox while it makes an answer, and stops with what it
 *   was about to send; or it has already answered, and finds it when it waits for another question.
 */
#ifndef MPI_LINK_H
#define MPI_LINK_H

#include <stdint.h>

#include "base/bytes.h"
#include "histree/status.h"

/* The rank that the launcher gave this process, before MPI begins; -1: it was started without one. */
int launcher_rank(void);

/* How many threads this rank has processors for, if all ranks of its node get as many; at least 1. */
uint32_t launcher_threads(void);

/*
 * From now on SIGTERM ends this process.  Rank 0 says the text, a line and a constant, before that; if it does not,
 * as it is gone, rank 1 does so a little later.  NULL: there is nothing to say.
 */
void launcher_end_with(const char *text);

#define LAUNCHER_STORE_IS_COMPLETE \
	"histree-mpi: ended by a signal, or because a rank died, but the store was complete\n"

/* Something else has to be said, or nothing, by another rank: wait until that is done. */
void launcher_let_others_speak(void);

/* The texts that a message has, borrowed from it. */
struct message_text {
	const char *bytes; /* not terminated */
	size_t size;
};

/* Bytes that are filled in later; returns where they begin, or SIZE_MAX without memory. */
size_t message_room(struct byte_buffer *message, size_t size);

struct message_text read_text(struct byte_reader *reader);

/* Returns a terminated copy, to be freed; NULL without memory. */
char *message_text_copy(struct message_text text);

/* Copies a text with a terminating zero, cut to what there is room for. */
void read_text_into(struct byte_reader *reader, char *text, size_t size);

/* A section is a letter, four bytes of size, and its bytes.  Returns where the size belongs, for section_end(). */
size_t section_begin(struct byte_buffer *out, uint8_t letter);
void section_end(struct byte_buffer *out, size_t at);

/* Reads the next section.  Returns false at the end, or if the section ends early, which the reader remembers. */
bool section_next(struct byte_reader *reader, uint8_t *letter, struct byte_reader *section);

#define LINK_ANY (-1)

struct posted;
struct receiving;

struct link {
	int rank, count; /* of ranks */
	/* For experiments: the bytes a second at which a sender waits as its bytes would; 0: it does not wait. */
	uint64_t throttle;
	uint64_t messages_sent, bytes_sent, messages_received, bytes_received;
	int64_t heard_ns; /* when something was sent or came last */
	/* Asked now and then while a message is waited for; false: it is no longer.  NULL: it is. */
	bool (*go_on)(void *context);
	struct posted *posted;       /* on their way: a list */
	struct receiving *receiving; /* by rank: what is coming, for link_take() */
	int receiving_count;         /* of ranks from which something is coming */
};

/* Returns false if MPI cannot begin. */
bool link_begin(struct link *link, int *argc, char ***argv);

/* All ranks end it, after their last message. */
void link_end(struct link *link);

/* Returns false if the message could not be sent, or had no memory. */
bool link_send(struct link *link, int rank, const struct byte_buffer *message);

/* Sends it to all ranks but 0.  Returns false if it could not be sent to one of them. */
bool link_send_all(struct link *link, const struct byte_buffer *message);

/* The same of one byte. */
bool link_tell_all(struct link *link, uint8_t what);

/*
 * Sends it as link_send() does, but does not wait until it is taken: for two ranks that may send each other long
 * messages at a time.  The message's bytes become the link's, and it is empty then.
 */
bool link_post(struct link *link, int rank, struct byte_buffer *message);

/* Frees what was posted and has been taken.  Returns whether anything is left. */
bool link_has_posted(struct link *link);

/* The same; whether anything is on its way, from here or to here. */
bool link_is_moving(struct link *link);

/* Whether a message of this rank, or of any, is there; *from says whose. */
bool link_has_message(struct link *link, int rank, int *from);

/* Takes a message of this rank, waiting for it.  Returns false without memory, or if MPI fails. */
bool link_receive(struct link *link, int rank, struct byte_buffer *message);

enum link_taken {
	LINK_NOTHING,
	LINK_TAKEN,
	LINK_FAILED, /* memory runs out, or MPI fails */
};

/*
 * Takes a message of any rank if all of it is there, and never waits: a rank that dies may have sent half of one.
 * *from says whose it is, or would have been.
 */
enum link_taken link_take(struct link *link, int *from, struct byte_buffer *message);

/* Waits as long as these bytes take at this many bytes a second, less the time since `begun_ns`. */
void link_hold_back(uint64_t bytes, uint64_t bytes_per_second, int64_t begun_ns);

/* A zeroed one with a link is empty. */
struct inbox {
	struct link *link;
	struct byte_buffer *kept; /* that came while one was answered, the first one first */
	size_t count, capacity;
	bool is_stopped; /* the word came; what it is about ends where the word itself is taken */
};

/* Takes the next message, waiting for it. */
bool inbox_take(struct inbox *inbox, struct byte_buffer *message);

/* Returns whether the answer is still wanted.  `inbox` is a struct inbox, as a struct histree_work asks it. */
bool inbox_wants(void *inbox);
void inbox_release(struct inbox *inbox);

/* Where rank 0 runs, and as which process: for the others, should it be gone. */
struct roll_call {
	char node[64];
	uint32_t pid;
};

/* Of all that ranks say to each other; another one for each change. */
enum { LINK_VERSION = 2 };

/* Returns false on all ranks if they cannot work together; rank 0 has reported why. */
bool roll_call(struct link *link, struct roll_call *first);

/* Whether rank 0 is gone, as far as this rank can see: it runs on the same node, and its process is over. */
bool roll_call_first_is_gone(const struct roll_call *first);

/*
 * On each rank: whether all ranks succeeded in something.  A rank that failed has reported nothing yet.
 * Rank 0 reports what the first of them says.
 */
bool roll_call_agree(struct link *link, const char *why);

/* The first byte of what rank 0 sends to a job that answers questions. */
enum job_message { JOB_REQUEST = 'R', JOB_STOP = 'N', JOB_END = 'X' };

struct asker {
	struct link *link;
	struct histree_work work; /* whether the answer is still wanted */
	bool is_stopped;          /* it was not, and the ranks were told so */
};

/* Returns whether the answer is still wanted.  `asker` is a struct asker, as a struct histree_work asks it. */
bool asker_waits(void *asker);

/* Takes a message of a rank; who waits for it looks whether the asker still does.  False: none will come. */
bool asker_receive(struct asker *asker, int rank, struct byte_buffer *message);

#endif
