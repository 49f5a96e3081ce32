// SPDX-License-Identifier: MIT
/*
 * link.c - the communication between the ranks of a job: messages over MPI, requests and the sections of their
 * answers, the roll call, and clients.
 */
#include "mpi/link.h"

#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <mpi.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/cancel.h"
#include "base/crew.h"
#include "base/monotonic.h"
#include "base/table.h"
#include "cli/report.h"
#include "histree/build.h"
#include "histree/status.h"

/* ---- launcher ------------------------------------------------------------------------------------------------ */

/* What rank 0 takes to say something, and how long the others let it. */
enum { SAY_MS = 200, SILENT_MS = 2000 };

static const char *volatile last_text;

static volatile sig_atomic_t own_rank; /* a handler of signals may not look at the environment */

int launcher_rank(void)
{
	static const char *const names[] = { "OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK" };
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		const char *text = getenv(names[i]);
		if (text != NULL)
			return atoi(text);
	}
	return -1;
}

/* What mpirun sets if it has bound its ranks, and how it was told to place or to bind them, if it was. */
static bool is_bound_unasked(void)
{
	return getenv("OMPI_MCA_orte_bound_at_launch") != NULL &&
	       getenv("OMPI_MCA_hwloc_base_binding_policy") == NULL &&
	       getenv("OMPI_MCA_rmaps_base_mapping_policy") == NULL;
}

/*
 * Before MPI starts: turn off features of Open MPI that are not needed, unless the user has set them.  If all ranks
 * are on one node, it must not look for networks, which takes longer than the rest of its start; nor may ranks read
 * the data of the launcher under a lock, which a rank that is killed at that time holds for ever, so that the
 * launcher never ends.
 *
 * Also, unless the user has placed the ranks, this process may use all processors of the launcher: with one or two
 * ranks, Open MPI binds each to a core, which all of its threads would have to share.
 */
static void launcher_choose_ways(void)
{
	cpu_set_t set;
	if (is_bound_unasked() && sched_getaffinity(getppid(), sizeof(set), &set) == 0)
		sched_setaffinity(0, sizeof(set), &set); /* or it stays where it is */
	const char *all = getenv("OMPI_COMM_WORLD_SIZE"), *here = getenv("OMPI_COMM_WORLD_LOCAL_SIZE");
	if (all != NULL && here != NULL && strcmp(all, here) == 0)
		setenv("OMPI_MCA_pml", "ob1", 0);
	setenv("PMIX_MCA_gds", "hash", 0);
}

uint32_t launcher_threads(void)
{
	const char *here = getenv("OMPI_COMM_WORLD_LOCAL_SIZE");
	int ranks = here != NULL ? atoi(here) : 1;
	uint32_t share = processors_count() / (ranks > 1 ? (uint32_t)ranks : 1);
	return share > 1 ? share : 1;
}

static void end(int number)
{
	const char *text = last_text;
	const int rank = own_rank;
	ssize_t written = 0;
	(void)number;
	if (rank > 0)
		poll(NULL, 0, rank == 1 && text != NULL ? SAY_MS : SILENT_MS);
	if (rank <= 1 && text != NULL)
		written = write(STDERR_FILENO, text, strlen(text));
	_exit(written < 0 ? CLI_INTERNAL : CLI_INPUT);
}

void launcher_end_with(const char *text)
{
	last_text = text;
	own_rank = launcher_rank();
	signal(SIGTERM, end);
}

void launcher_let_others_speak(void)
{
	poll(NULL, 0, SILENT_MS);
}

/* ---- message ------------------------------------------------------------------------------------------------- */

size_t message_room(struct byte_buffer *message, size_t size)
{
	uint8_t *room = byte_buffer_room(message, size);
	if (room == NULL)
		return SIZE_MAX;
	memset(room, 0, size);
	message->size += size;
	return message->size - size;
}

struct message_text read_text(struct byte_reader *reader)
{
	struct message_text text;
	text.bytes = byte_reader_text(reader, &text.size);
	return text;
}

char *message_text_copy(struct message_text text)
{
	char *copy = malloc(text.size + 1);
	if (copy == NULL)
		return NULL;
	memcpy(copy, text.bytes, text.size);
	copy[text.size] = '\0';
	return copy;
}

void read_text_into(struct byte_reader *reader, char *text, size_t size)
{
	struct message_text found = read_text(reader);
	size_t length = found.size < size ? found.size : size - 1;
	memcpy(text, found.bytes, length);
	text[length] = '\0';
}

/* ---- section ------------------------------------------------------------------------------------------------- */

size_t section_begin(struct byte_buffer *out, uint8_t letter)
{
	byte_buffer_put_byte(out, letter);
	return message_room(out, sizeof(uint32_t));
}

void section_end(struct byte_buffer *out, size_t at)
{
	if (out->failed || at == SIZE_MAX)
		return;
	assert(at + sizeof(uint32_t) <= out->size);
	put_le32(out->bytes + at, (uint32_t)(out->size - at - sizeof(uint32_t)));
}

bool section_next(struct byte_reader *reader, uint8_t *letter, struct byte_reader *section)
{
	if (reader->failed || byte_reader_left(reader) == 0)
		return false;
	*letter = byte_reader_byte(reader);
	uint32_t size = read_le32(reader);
	const uint8_t *bytes = read_bytes(reader, size);
	if (bytes == NULL)
		return false;
	*section = byte_reader(bytes, size);
	return true;
}

/* ---- link ---------------------------------------------------------------------------------------------------- */

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
	int64_t left = (int64_t)wanted - (monotonic_ns() - begun_ns);
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
	link->heard_ns = monotonic_ns();
	return provided >= MPI_THREAD_FUNNELED && MPI_Comm_rank(MPI_COMM_WORLD, &link->rank) == MPI_SUCCESS &&
	       MPI_Comm_size(MPI_COMM_WORLD, &link->count) == MPI_SUCCESS;
}

struct receiving {
	MPI_Request request;
	struct byte_buffer message;
	bool is_begun;
};

void link_end(struct link *link)
{
	MPI_Finalize();
	for (int rank = 0; rank < link->count && link->receiving != NULL; rank++)
		byte_buffer_release(&link->receiving[rank].message);
	free(link->receiving);
	link->receiving = NULL;
}

bool link_send(struct link *link, int rank, const struct byte_buffer *message)
{
	int64_t begun = monotonic_ns();
	assert(rank >= 0 && rank < link->count && rank != link->rank);
	if (message->failed || message->size > INT_MAX ||
	    MPI_Send(message->bytes, (int)message->size, MPI_BYTE, rank, TAG, MPI_COMM_WORLD) != MPI_SUCCESS)
		return false;
	link_hold_back(message->size, link->throttle, begun);
	link->messages_sent++;
	link->bytes_sent += message->size;
	link->heard_ns = monotonic_ns();
	return true;
}

bool link_send_all(struct link *link, const struct byte_buffer *message)
{
	bool sent = true;
	for (int rank = 1; rank < link->count; rank++)
		sent = link_send(link, rank, message) && sent;
	return sent;
}

bool link_tell_all(struct link *link, uint8_t what)
{
	struct byte_buffer message = { 0 };
	byte_buffer_put_byte(&message, what);
	bool sent = link_send_all(link, &message);
	byte_buffer_release(&message);
	return sent;
}

struct posted {
	struct posted *next;
	MPI_Request request;
	uint8_t *bytes;
};

bool link_post(struct link *link, int rank, struct byte_buffer *message)
{
	int64_t begun = monotonic_ns();
	struct posted *posted = message->failed || message->size > INT_MAX ? NULL : calloc(1, sizeof(*posted));
	if (posted == NULL || MPI_Isend(message->bytes, (int)message->size, MPI_BYTE, rank, TAG, MPI_COMM_WORLD,
					&posted->request) != MPI_SUCCESS) {
		free(posted);
		byte_buffer_release(message);
		return false;
	}
	posted->bytes = message->bytes;
	posted->next = link->posted;
	link->posted = posted;
	link_hold_back(message->size, link->throttle, begun);
	link->messages_sent++;
	link->bytes_sent += message->size;
	link->heard_ns = monotonic_ns();
	*message = (struct byte_buffer){ 0 };
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
	link->heard_ns = monotonic_ns();
	return true;
}

/* ---- without waiting ----------------------------------------------------------------------------------------- */

static bool begin_receiving(struct link *link, const MPI_Status *status)
{
	struct receiving *receiving = &link->receiving[status->MPI_SOURCE];
	struct byte_buffer *message = &receiving->message;
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

/* Ranks from which something is coming are not asked: what they sent later comes later. */
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

static void swap_messages(struct byte_buffer *one, struct byte_buffer *other)
{
	const struct byte_buffer kept = *one;
	*one = *other;
	*other = kept;
}

enum link_taken link_take(struct link *link, int *from, struct byte_buffer *message)
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
		link->heard_ns = monotonic_ns();
		swap_messages(message, &receiving->message);
		return LINK_TAKEN;
	}
	return LINK_NOTHING;
}

/* ---- waiting ------------------------------------------------------------------------------------------------- */

/* A message that comes at once is waited for without sleep. */
static void link_rest(const struct link *link)
{
	enum { US = 1000, MS = 1000 * US };
	int64_t quiet = monotonic_ns() - link->heard_ns;
	if (quiet < 50 * US)
		return;
	if (quiet < 20 * MS)
		sleep_ns(20 * US);
	else
		sleep_ns(quiet < INT64_C(1000) * MS ? 100 * US : 2 * MS);
}

bool link_receive(struct link *link, int rank, struct byte_buffer *message)
{
	int from, size;
	MPI_Status status;
	assert(rank == LINK_ANY || (rank >= 0 && rank < link->count && rank != link->rank));
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
	message->failed = false;
	link->messages_received++;
	link->bytes_received += (uint64_t)size;
	return MPI_Recv(message->bytes, size, MPI_BYTE, from, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE) ==
	       MPI_SUCCESS;
}

/* ---- inbox --------------------------------------------------------------------------------------------------- */

static bool is_stop(const struct byte_buffer *message)
{
	return message->size > 0 && message->bytes[0] == JOB_STOP;
}

bool inbox_take(struct inbox *inbox, struct byte_buffer *message)
{
	if (inbox->count > 0) {
		byte_buffer_release(message);
		*message = inbox->kept[0];
		inbox->count--;
		memmove(inbox->kept, inbox->kept + 1, inbox->count * sizeof(*inbox->kept));
	} else if (!link_receive(inbox->link, 0, message)) {
		return false;
	}
	if (is_stop(message))
		inbox->is_stopped = false;
	return true;
}

bool inbox_wants(void *context)
{
	struct inbox *inbox = context;
	int from;
	while (!inbox->is_stopped && link_has_message(inbox->link, 0, &from)) {
		if (!array_reserve(&inbox->kept, &inbox->capacity, inbox->count + 1))
			return true; /* it is found later */
		struct byte_buffer *next = &inbox->kept[inbox->count];
		*next = (struct byte_buffer){ 0 };
		if (!link_receive(inbox->link, 0, next)) {
			byte_buffer_release(next);
			return false;
		}
		inbox->count++;
		inbox->is_stopped = is_stop(next);
	}
	return !inbox->is_stopped;
}

void inbox_release(struct inbox *inbox)
{
	for (size_t i = 0; i < inbox->count; i++)
		byte_buffer_release(&inbox->kept[i]);
	free(inbox->kept);
	*inbox = (struct inbox){ 0 };
}

/* ---- roll call ----------------------------------------------------------------------------------------------- */

enum { VERSION_SIZE = 512, TEXT_SIZE = 1024 };

/* The library's version, and that of each analysis: they decide what is in a store. */
static void write_version(char text[VERSION_SIZE])
{
	const char *pretended = getenv("HISTREE_MPI_VERSION"); /* for tests: histree-mpi(1) */
	struct histree_analysis_info info;
	size_t used = (size_t)snprintf(text, VERSION_SIZE, "%s, messages %d",
				       pretended != NULL ? pretended : histree_version(), LINK_VERSION);
	for (size_t i = 0; used < VERSION_SIZE && histree_analysis(i, &info); i++)
		used += (size_t)snprintf(text + used, VERSION_SIZE - used, "%s%s %u", i == 0 ? " (" : ", ",
					 info.name, info.version);
	if (used + 1 < VERSION_SIZE)
		snprintf(text + used, VERSION_SIZE - used, ")");
}

static void say_name(struct byte_buffer *out)
{
	char version[VERSION_SIZE], node[sizeof(((struct roll_call *)NULL)->node)] = "";
	write_version(version);
	if (gethostname(node, sizeof(node) - 1) != 0)
		node[0] = '\0';
	byte_buffer_put_string(out, version);
	byte_buffer_put_string(out, node);
	byte_buffer_put_number(out, (uint64_t)getpid());
}

struct name {
	char version[VERSION_SIZE];
	struct roll_call where;
};

static bool read_name(const struct byte_buffer *message, struct name *name)
{
	struct byte_reader reader = byte_reader(message->bytes, message->size);
	read_text_into(&reader, name->version, sizeof(name->version));
	read_text_into(&reader, name->where.node, sizeof(name->where.node));
	name->where.pid = (uint32_t)read_varint(&reader);
	return !reader.failed;
}

/* Rank 0 hears all of them, and says whether they are alike. */
static bool hear_all(struct link *link, const struct byte_buffer *own, struct roll_call *first)
{
	struct byte_buffer message = { 0 };
	struct name mine, other;
	bool alike = read_name(own, &mine);
	*first = mine.where;
	for (int rank = 1; rank < link->count; rank++) {
		bool heard = link_receive(link, rank, &message) && read_name(&message, &other);
		if (!heard && alike)
			report("rank %d says nothing that this histree understands", rank);
		else if (alike && strcmp(mine.version, other.version) != 0)
			report("rank %d on %s is histree %s, rank 0 on %s is histree %s; their files and messages "
			       "would differ: install one version on all nodes",
			       rank, other.where.node, other.version, mine.where.node, mine.version);
		alike = alike && heard && strcmp(mine.version, other.version) == 0;
	}
	byte_buffer_release(&message);
	return alike;
}

bool roll_call(struct link *link, struct roll_call *first)
{
	struct byte_buffer own = { 0 }, reply = { 0 };
	struct name name = { 0 };
	bool alike = false;
	say_name(&own);
	if (link->rank == 0) {
		alike = hear_all(link, &own, first);
		byte_buffer_put_byte(&reply, alike);
		byte_buffer_put(&reply, own.bytes, own.size);
		for (int rank = 1; rank < link->count; rank++)
			alike = link_send(link, rank, &reply) && alike;
	} else if (link_send(link, 0, &own) && link_receive(link, 0, &reply) && reply.size > 0) {
		struct byte_buffer rest = { .bytes = reply.bytes + 1, .size = reply.size - 1 };
		alike = reply.bytes[0] == 1 && read_name(&rest, &name);
		*first = name.where;
	}
	byte_buffer_release(&own);
	byte_buffer_release(&reply);
	return alike;
}

bool roll_call_first_is_gone(const struct roll_call *first)
{
	char node[sizeof(first->node)] = "";
	return gethostname(node, sizeof(node) - 1) == 0 && strcmp(node, first->node) == 0 &&
	       kill((pid_t)first->pid, 0) != 0 && errno == ESRCH;
}

bool roll_call_agree(struct link *link, const char *why)
{
	struct byte_buffer message = { 0 };
	char text[TEXT_SIZE];
	bool agreed = why == NULL;
	if (link->rank != 0) {
		byte_buffer_put_string(&message, why != NULL ? why : "");
		agreed = link_send(link, 0, &message) && link_receive(link, 0, &message) && message.size == 1 &&
			 message.bytes[0] == 1;
		byte_buffer_release(&message);
		return agreed;
	}
	if (why != NULL && *why != '\0')
		report("%s", why);
	for (int rank = 1; rank < link->count; rank++) {
		bool heard = link_receive(link, rank, &message);
		struct byte_reader reader = byte_reader(message.bytes, heard ? message.size : 0);
		read_text_into(&reader, text, sizeof(text));
		bool is_well = heard && !reader.failed && *text == '\0';
		if (!is_well && agreed)
			report("rank %d: %s", rank, heard ? text : "it does not answer");
		agreed = agreed && is_well;
	}
	byte_buffer_clear(&message);
	byte_buffer_put_byte(&message, agreed);
	for (int rank = 1; rank < link->count; rank++)
		agreed = link_send(link, rank, &message) && agreed;
	byte_buffer_release(&message);
	return agreed;
}

/* ---- asker --------------------------------------------------------------------------------------------------- */

bool asker_waits(void *context)
{
	struct asker *asker = context;
	if (asker->is_stopped || !cancel_asked(&asker->work))
		return !asker->is_stopped;
	asker->is_stopped = true;
	link_tell_all(asker->link, JOB_STOP);
	return false;
}

bool asker_receive(struct asker *asker, int rank, struct byte_buffer *message)
{
	struct link *link = asker->link;
	int from;
	asker_waits(asker);
	while (!link_has_message(link, rank, &from)) {
		if (link->go_on != NULL && !link->go_on(NULL))
			return false;
		asker_waits(asker);
		link_rest(link);
	}
	return link_receive(link, rank, message);
}
