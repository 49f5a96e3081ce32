// SPDX-License-Identifier: MIT
#include "mpi/link.h"

#include <limits.h>
#include <mpi.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include "base/array.h"
#include "cli/report.h"
#include "mpi/launcher.h"

/* Linux wakes a sleeper up to 50 us late, so that it can wake several at once: longer than a message takes. */
enum { TAG = 17, BEGIN_SECONDS = 300, SLACK_NS = 1000 };

/* A launcher that loses a rank while that begins may wait for it for ever. */
static void give_up(int number)
{
	static const char text[] =
		"histree-mpi: MPI has not begun for five minutes: a rank died, or a node is not to be "
		"reached; nothing was changed\n";
	(void)number;
	ssize_t written = write(STDERR_FILENO, text, sizeof(text) - 1);
	_exit(written > 0 ? CLI_INPUT : CLI_INTERNAL);
}

int64_t link_now_ns(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static void sleep_ns(int64_t ns)
{
	const struct timespec time = { .tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000 };
	nanosleep(&time, NULL);
}

void link_hold_back(uint64_t bytes, uint64_t bytes_per_second, int64_t begun_ns)
{
	if (bytes_per_second == 0)
		return;
	double wanted = (double)bytes * 1e9 / (double)bytes_per_second;
	int64_t left = (int64_t)wanted - (link_now_ns() - begun_ns);
	if (left > 0)
		sleep_ns(left);
}

bool link_begin(struct link *link, int *argc, char ***argv)
{
	int provided;
	*link = (struct link){ .count = 1 };
	launcher_choose_ways();
	signal(SIGALRM, give_up);
	alarm(BEGIN_SECONDS);
	int begun = MPI_Init_thread(argc, argv, MPI_THREAD_FUNNELED, &provided);
	alarm(0);
	if (begun != MPI_SUCCESS)
		return false;
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	prctl(PR_SET_TIMERSLACK, SLACK_NS); /* of this thread alone */
	link->heard_ns = link_now_ns();
	return provided >= MPI_THREAD_FUNNELED && MPI_Comm_rank(MPI_COMM_WORLD, &link->rank) == MPI_SUCCESS &&
	       MPI_Comm_size(MPI_COMM_WORLD, &link->count) == MPI_SUCCESS;
}

struct receiving {
	MPI_Request request;
	struct message message;
	bool is_begun;
};

void link_end(struct link *link)
{
	MPI_Finalize();
	for (int rank = 0; rank < link->count && link->receiving != NULL; rank++)
		message_release(&link->receiving[rank].message);
	free(link->receiving);
	link->receiving = NULL;
}

bool link_send(struct link *link, int rank, const struct message *message)
{
	int64_t begun = link_now_ns();
	if (message->no_memory || message->size > INT_MAX ||
	    MPI_Send(message->bytes, (int)message->size, MPI_BYTE, rank, TAG, MPI_COMM_WORLD) != MPI_SUCCESS)
		return false;
	link_hold_back(message->size, link->throttle, begun);
	link->messages_sent++;
	link->bytes_sent += message->size;
	link->heard_ns = link_now_ns();
	return true;
}

bool link_send_all(struct link *link, const struct message *message)
{
	bool sent = true;
	for (int rank = 1; rank < link->count; rank++)
		sent = link_send(link, rank, message) && sent;
	return sent;
}

struct posted {
	struct posted *next;
	MPI_Request request;
	uint8_t *bytes;
};

bool link_post(struct link *link, int rank, struct message *message)
{
	int64_t begun = link_now_ns();
	struct posted *posted = message->no_memory || message->size > INT_MAX ? NULL : calloc(1, sizeof(*posted));
	if (posted == NULL || MPI_Isend(message->bytes, (int)message->size, MPI_BYTE, rank, TAG, MPI_COMM_WORLD,
					&posted->request) != MPI_SUCCESS) {
		free(posted);
		message_release(message);
		return false;
	}
	posted->bytes = message->bytes;
	posted->next = link->posted;
	link->posted = posted;
	link_hold_back(message->size, link->throttle, begun);
	link->messages_sent++;
	link->bytes_sent += message->size;
	link->heard_ns = link_now_ns();
	*message = (struct message){ 0 };
	return true;
}

bool link_has_posted(struct link *link)
{
	struct posted **at = &link->posted;
	while (*at != NULL) {
		struct posted *posted = *at;
		int is_done = 0;
		if (MPI_Test(&posted->request, &is_done, MPI_STATUS_IGNORE) == MPI_SUCCESS && !is_done) {
			at = &posted->next;
			continue;
		}
		*at = posted->next;
		free(posted->bytes);
		free(posted);
	}
	return link->posted != NULL;
}

bool link_is_moving(struct link *link)
{
	return link_has_posted(link) || link->receiving_count > 0;
}

bool link_has_message(struct link *link, int rank, int *from)
{
	int found = 0;
	MPI_Status status;
	if (MPI_Iprobe(rank == LINK_ANY ? MPI_ANY_SOURCE : rank, TAG, MPI_COMM_WORLD, &found, &status) !=
		    MPI_SUCCESS ||
	    !found)
		return false;
	*from = status.MPI_SOURCE;
	link->heard_ns = link_now_ns();
	return true;
}

/* ---- without waiting ----------------------------------------------------------------------------------------- */

static bool begin_receiving(struct link *link, const MPI_Status *status)
{
	struct receiving *receiving = &link->receiving[status->MPI_SOURCE];
	struct message *message = &receiving->message;
	int size;
	if (MPI_Get_count(status, MPI_BYTE, &size) != MPI_SUCCESS || size < 0 ||
	    !array_reserve(&message->bytes, &message->capacity, (size_t)size + 1) ||
	    MPI_Irecv(message->bytes, size, MPI_BYTE, status->MPI_SOURCE, TAG, MPI_COMM_WORLD,
		      &receiving->request) != MPI_SUCCESS)
		return false;
	message->size = (size_t)size;
	receiving->is_begun = true;
	link->receiving_count++;
	return true;
}

/* Ranks of which something is coming are not asked: what they sent later comes later. */
static enum link_taken begin_all(struct link *link, int *from)
{
	MPI_Status status;
	bool any = link->receiving_count == 0;
	for (int rank = 0; rank < link->count; rank++) {
		int found = 0;
		if (link->receiving[rank].is_begun)
			continue;
		*from = rank;
		if (MPI_Iprobe(any ? MPI_ANY_SOURCE : rank, TAG, MPI_COMM_WORLD, &found, &status) != MPI_SUCCESS)
			return LINK_FAILED;
		if (found && !begin_receiving(link, &status)) {
			*from = status.MPI_SOURCE;
			return LINK_FAILED;
		}
		if (any)
			break;
	}
	return LINK_NOTHING;
}

static void swap_messages(struct message *one, struct message *other)
{
	const struct message kept = *one;
	*one = *other;
	*other = kept;
}

enum link_taken link_take(struct link *link, int *from, struct message *message)
{
	if (link->receiving == NULL)
		link->receiving = calloc((size_t)link->count, sizeof(*link->receiving));
	if (link->receiving == NULL || begin_all(link, from) == LINK_FAILED)
		return LINK_FAILED;
	for (int rank = 0; rank < link->count && link->receiving_count > 0; rank++) {
		struct receiving *receiving = &link->receiving[rank];
		int is_done = 0;
		*from = rank;
		if (!receiving->is_begun)
			continue;
		if (MPI_Test(&receiving->request, &is_done, MPI_STATUS_IGNORE) != MPI_SUCCESS)
			return LINK_FAILED;
		if (!is_done)
			continue;
		receiving->is_begun = false;
		link->receiving_count--;
		link->messages_received++;
		link->bytes_received += receiving->message.size;
		link->heard_ns = link_now_ns();
		swap_messages(message, &receiving->message);
		return LINK_TAKEN;
	}
	return LINK_NOTHING;
}

/* ---- waiting ------------------------------------------------------------------------------------------------- */

/* A message that comes at once is waited for without sleep. */
void link_rest(const struct link *link)
{
	enum { US = 1000, MS = 1000 * US };
	int64_t quiet = link_now_ns() - link->heard_ns;
	if (quiet < 50 * US)
		return;
	if (quiet < 20 * MS)
		sleep_ns(20 * US);
	else
		sleep_ns(quiet < INT64_C(1000) * MS ? 100 * US : 2 * MS);
}

bool link_receive(struct link *link, int rank, struct message *message)
{
	int from, size;
	MPI_Status status;
	while (!link_has_message(link, rank, &from)) {
		if (link->go_on != NULL && !link->go_on(NULL))
			return false;
		link_rest(link);
	}
	if (MPI_Probe(from, TAG, MPI_COMM_WORLD, &status) != MPI_SUCCESS ||
	    MPI_Get_count(&status, MPI_BYTE, &size) != MPI_SUCCESS || size < 0 ||
	    !array_reserve(&message->bytes, &message->capacity, (size_t)size + 1))
		return false;
	message->size = (size_t)size;
	message->no_memory = false;
	link->messages_received++;
	link->bytes_received += (uint64_t)size;
	return MPI_Recv(message->bytes, size, MPI_BYTE, from, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE) ==
	       MPI_SUCCESS;
}
