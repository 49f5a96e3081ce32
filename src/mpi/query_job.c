// SPDX-License-Identifier: MIT
/*
 * query_job.c - ranks that answer questions about one store together, and the Unix socket for these questions.
 *
 * A message is four bytes of size and its bytes.  The answer's first byte carries a file descriptor: the rows are
 * in that file, which is complete before the client gets it.
 */
#include "mpi/query_job.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/error.h"
#include "base/io.h"
#include "base/table.h"
#include "cli/option.h"
#include "cli/report.h"
#include "histree/status.h"
#include "mpi/host_remote.h"
#include "mpi/host_server.h"
#include "mpi/link.h"

/* ---- question socket ----------------------------------------------------------------------------------------- */

/* A command line is no longer, and a client that was stopped while it spoke is not waited for. */
enum { WORDS_MAX = 1024 * 1024, PATIENCE_S = 2, WAITING = 64 };

char *question_socket_name(const char *store, const char *chosen)
{
	char *name = NULL;
	size_t size = strlen(store);
	if (chosen != NULL)
		return strdup(chosen);
	while (size > 1 && store[size - 1] == '/')
		size--;
	return asprintf(&name, "%.*s.socket", (int)size, store) < 0 ? NULL : name;
}

static bool set_path(struct sockaddr_un *address, const char *path)
{
	*address = (struct sockaddr_un){ .sun_family = AF_UNIX };
	if (strlen(path) >= sizeof(address->sun_path))
		return false;
	memcpy(address->sun_path, path, strlen(path) + 1);
	return true;
}

static enum histree_status too_long(const char *path, struct histree_error *error)
{
	return error_set(error, HISTREE_ERR_ARGUMENT,
			 "'%s' is too long for the name of a socket; choose one with '--socket'", path);
}

/* Connects; -1 if nobody listens. */
static int connect_to(const struct sockaddr_un *address)
{
	int file = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (file >= 0 && connect(file, (const struct sockaddr *)address, sizeof(*address)) != 0) {
		close(file);
		file = -1;
	}
	return file;
}

static bool is_socket(const char *path)
{
	struct stat status;
	return lstat(path, &status) == 0 && S_ISSOCK(status.st_mode);
}

/*
 * Who waits for the name asks as soon as it is there, so the socket gets it when it listens already: a link, which
 * never takes the place of a file or of the socket of a job that starts at the same time.
 */
static bool listen_at(int file, const struct sockaddr_un *own, const char *path)
{
	mode_t mask = umask(0177);
	bool bound = bind(file, (const struct sockaddr *)own, sizeof(*own)) == 0;
	umask(mask);
	if (!bound)
		return false;
	bool listens = listen(file, WAITING) == 0 && link(own->sun_path, path) == 0;
	int reason = errno;
	unlink(own->sun_path);
	errno = reason;
	return listens;
}

enum histree_status question_socket_open(struct question_socket *out, const char *path, struct histree_error *error)
{
	struct sockaddr_un own, others;
	char name[sizeof(own.sun_path)];
	int size = snprintf(name, sizeof(name), "%s.%d", path, (int)getpid());
	if (size < 0 || (size_t)size >= sizeof(name) || !set_path(&own, name) || !set_path(&others, path))
		return too_long(path, error);
	int other = connect_to(&others);
	if (other >= 0) {
		close(other);
		return error_set(error, HISTREE_ERR_EXISTS,
				 "another job answers at '%s'; choose another '--socket'", path);
	}
	if (is_socket(path)) /* of a job that was killed */
		unlink(path);
	*out = (struct question_socket){ .file = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0) };
	memcpy(out->path, path, strlen(path) + 1);
	if (out->file >= 0 && listen_at(out->file, &own, path))
		return HISTREE_OK;
	error_set(error, HISTREE_ERR_IO, "cannot listen at '%s': %s", path, strerror(errno));
	if (out->file >= 0)
		close(out->file);
	out->file = -1;
	return HISTREE_ERR_IO;
}

void question_socket_close(struct question_socket *socket)
{
	if (socket->file < 0)
		return;
	close(socket->file);
	unlink(socket->path);
	socket->file = -1;
}

static bool write_all(int file, const void *bytes, size_t size)
{
	const uint8_t *at = bytes;
	while (size > 0) {
		ssize_t written = send(file, at, size, MSG_NOSIGNAL);
		if (written < 0 && errno == EINTR)
			continue;
		if (written <= 0)
			return false;
		at += written;
		size -= (size_t)written;
	}
	return true;
}

static bool read_all(int file, void *bytes, size_t size)
{
	uint8_t *at = bytes;
	while (size > 0) {
		ssize_t got = read(file, at, size);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return false;
		at += got;
		size -= (size_t)got;
	}
	return true;
}

/* Four bytes of size, and the bytes. */
static bool read_message(int file, struct byte_buffer *message, size_t max)
{
	uint8_t bytes[sizeof(uint32_t)];
	if (!read_all(file, bytes, sizeof(bytes)) || get_le32(bytes) > max)
		return false;
	byte_buffer_clear(message);
	if (!array_reserve(&message->bytes, &message->capacity, (size_t)get_le32(bytes) + 1))
		return false;
	message->size = get_le32(bytes);
	return read_all(file, message->bytes, message->size);
}

static bool is_allowed(int connection)
{
	struct ucred peer;
	socklen_t size = sizeof(peer);
	return getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 &&
	       (peer.uid == getuid() || peer.uid == 0);
}

int question_socket_accept(const struct question_socket *socket, int timeout_ms, struct byte_buffer *words)
{
	struct pollfd waiting = { .fd = socket->file, .events = POLLIN };
	const struct timeval patience = { .tv_sec = PATIENCE_S };
	if (poll(&waiting, 1, timeout_ms) <= 0)
		return -1;
	int connection = accept4(socket->file, NULL, NULL, SOCK_CLOEXEC);
	if (connection < 0)
		return -1;
	if (setsockopt(connection, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience)) == 0 &&
	    setsockopt(connection, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience)) == 0 &&
	    is_allowed(connection) && read_message(connection, words, WORDS_MAX))
		return connection;
	close(connection);
	return -1;
}

int question_socket_spool(void)
{
	int file = open(io_temporary_folder(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	return file >= 0 ? file : memfd_create("answer", MFD_CLOEXEC);
}

/* One that only says no more is not gone. */
bool question_socket_is_gone(int connection)
{
	struct pollfd client = { .fd = connection, .events = 0 };
	return poll(&client, 1, 0) > 0 && (client.revents & (POLLHUP | POLLERR | POLLNVAL)) != 0;
}

/* The first byte carries the file with it. */
static bool send_file(int connection, int file)
{
	char byte = 'A';
	union {
		char bytes[CMSG_SPACE(sizeof(int))];
		struct cmsghdr aligned;
	} control = { .bytes = { 0 } };
	struct iovec part = { .iov_base = &byte, .iov_len = 1 };
	struct msghdr message = { .msg_iov = &part,
				  .msg_iovlen = 1,
				  .msg_control = control.bytes,
				  .msg_controllen = sizeof(control.bytes) };
	struct cmsghdr *header = CMSG_FIRSTHDR(&message);
	header->cmsg_level = SOL_SOCKET;
	header->cmsg_type = SCM_RIGHTS;
	header->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(header), &file, sizeof(file));
	return sendmsg(connection, &message, MSG_NOSIGNAL) == 1;
}

void question_socket_reply(int connection, int spool, int status, const char *text)
{
	struct byte_buffer reply = { 0 };
	uint8_t size[sizeof(uint32_t)];
	byte_buffer_put_number(&reply, (uint64_t)status);
	byte_buffer_put_string(&reply, text);
	put_le32(size, (uint32_t)reply.size);
	if (!reply.failed && send_file(connection, spool) && write_all(connection, size, sizeof(size)))
		write_all(connection, reply.bytes, reply.size); /* a client that is gone needs none */
	byte_buffer_release(&reply);
	close(connection);
	close(spool);
}

/* ---- the client ------------------------------------------------------------------------------------------- */

static int receive_file(int connection)
{
	char byte;
	int file = -1;
	union {
		char bytes[CMSG_SPACE(sizeof(int))];
		struct cmsghdr aligned;
	} control;
	struct iovec part = { .iov_base = &byte, .iov_len = 1 };
	struct msghdr message = { .msg_iov = &part,
				  .msg_iovlen = 1,
				  .msg_control = control.bytes,
				  .msg_controllen = sizeof(control.bytes) };
	ssize_t got;
	do
		got = recvmsg(connection, &message, MSG_CMSG_CLOEXEC);
	while (got < 0 && errno == EINTR);
	struct cmsghdr *header = got == 1 ? CMSG_FIRSTHDR(&message) : NULL;
	if (header != NULL && header->cmsg_level == SOL_SOCKET && header->cmsg_type == SCM_RIGHTS &&
	    header->cmsg_len == CMSG_LEN(sizeof(int)))
		memcpy(&file, CMSG_DATA(header), sizeof(file));
	return file;
}

static enum histree_status copy_out(int spool, struct histree_error *error)
{
	char bytes[64 * 1024];
	off_t at = 0;
	for (ssize_t got; (got = pread(spool, bytes, sizeof(bytes), at)) != 0; at += got) {
		if (got < 0)
			return error_set(error, HISTREE_ERR_IO, "cannot read the answer: %s", strerror(errno));
		for (ssize_t done = 0, written; done < got; done += written) {
			written = write(STDOUT_FILENO, bytes + done, (size_t)(got - done));
			if (written < 0)
				return error_set(error, HISTREE_ERR_IO, "cannot write to standard output: %s",
						 strerror(errno));
		}
	}
	return HISTREE_OK;
}

static enum histree_status take_reply(int connection, int spool, int *status, struct histree_error *error)
{
	enum { TEXT_MAX = 65536 };
	struct byte_buffer reply = { 0 };
	enum histree_status result = HISTREE_OK;
	char *text = malloc(TEXT_MAX);
	if (text == NULL || spool < 0 || !read_message(connection, &reply, TEXT_MAX)) {
		result = error_set(error, HISTREE_ERR_IO, "the job ended before it had answered");
	} else {
		struct byte_reader reader = byte_reader(reply.bytes, reply.size);
		*status = (int)read_varint(&reader);
		read_text_into(&reader, text, TEXT_MAX);
		result = reader.failed ? error_set(error, HISTREE_ERR_FORMAT, "the answer of the job is damaged")
				       : copy_out(spool, error);
		for (char *rest = text, *line; (line = strsep(&rest, "\n")) != NULL;)
			if (*line != '\0')
				report("%s", line);
	}
	free(text);
	byte_buffer_release(&reply);
	return result;
}

/*
 * The client's side: asks, copies the answer to standard output and reports the messages.  Returns
 * HISTREE_NOT_FOUND if nobody listens there.
 */
static enum histree_status question_socket_ask(const char *path, const struct byte_buffer *words, int *status,
					       struct histree_error *error)
{
	struct sockaddr_un address;
	uint8_t size[sizeof(uint32_t)];
	if (!set_path(&address, path))
		return too_long(path, error);
	int connection = connect_to(&address);
	if (connection < 0)
		return error_set(error, HISTREE_NOT_FOUND,
				 "no job answers at '%s': start one with 'mpirun histree-mpi serve STORE'", path);
	put_le32(size, (uint32_t)words->size);
	enum histree_status result = HISTREE_OK;
	if (words->failed || !write_all(connection, size, sizeof(size)) ||
	    !write_all(connection, words->bytes, words->size)) {
		result = error_set(error, HISTREE_ERR_IO, "the job at '%s' does not listen", path);
	} else {
		int spool = receive_file(connection);
		result = take_reply(connection, spool, status, error);
		if (spool >= 0)
			close(spool);
	}
	close(connection);
	return result;
}

/* ---- job client ---------------------------------------------------------------------------------------------- */

/* The words of the command line, the store by its full path: the job may run in another folder. */
static enum cli_exit write_words(int argc, char **argv, const char *store, struct byte_buffer *out)
{
	char *path = realpath(store, NULL);
	byte_buffer_put_number(out, (uint64_t)argc);
	for (int i = 0; i < argc; i++)
		byte_buffer_put_string(out, i > 0 && argv[i] == store && path != NULL ? path : argv[i]);
	free(path);
	return out->failed ? report_no_memory() : CLI_OK;
}

bool job_client_ask(int argc, char **argv, const char *store, const char *socket, int *status)
{
	struct byte_buffer message = { 0 };
	struct histree_error error = { 0 };
	char *path = question_socket_name(store, socket);
	enum histree_status result = HISTREE_ERR_MEMORY;
	*status = path != NULL ? (int)write_words(argc, argv, store, &message) : (int)report_no_memory();
	if (*status == CLI_OK)
		result = question_socket_ask(path, &message, status, &error);
	else
		result = HISTREE_OK; /* it was reported */
	bool is_done = result != HISTREE_NOT_FOUND || socket != NULL;
	if (socket == NULL && result == HISTREE_ERR_ARGUMENT)
		is_done = false; /* no job can have so long a name */
	if (is_done && result != HISTREE_OK)
		*status = result == HISTREE_NOT_FOUND ? report_exit(CLI_INPUT, "%s", error.message)
						      : report_error(&error);
	free(path);
	byte_buffer_release(&message);
	return is_done;
}

/* ---- query follow -------------------------------------------------------------------------------------------- */

static bool answer_request(struct query_job *job, struct byte_reader *request)
{
	struct byte_buffer reply = { 0 };
	job->server.set = &job->set;
	job->server.work = (struct histree_work){ .go_on = inbox_wants, .context = &job->inbox };
	host_server_answer(&job->server, request, &reply);
	bool sent = link_send(job->link, 0, &reply);
	byte_buffer_release(&reply);
	return sent;
}

void query_job_answer(struct query_job *job)
{
	struct byte_buffer message = { 0 };
	bool goes_on = true;
	while (goes_on && inbox_take(&job->inbox, &message)) {
		struct byte_reader reader = byte_reader(message.bytes, message.size);
		switch (byte_reader_byte(&reader)) {
		case JOB_REQUEST:
			goes_on = answer_request(job, &reader);
			break;
		case JOB_STOP: /* no further answers come to this question */
			host_server_reset(&job->server);
			break;
		default:
			goes_on = false;
		}
	}
	byte_buffer_release(&message);
}

/* ---- who has which hosts ---------------------------------------------------------------------------------- */

struct places {
	uint8_t *of;    /* [rank][host]: enum shard_place */
	int *rank_of;   /* of a host */
	uint64_t *load; /* of a rank: events */
	size_t host_count;
};

/* The nearest rank, and of several the one with the fewest events; -1: none. */
static int choose_rank(const struct places *places, int ranks, size_t host)
{
	int best = -1;
	for (int rank = 0; rank < ranks; rank++) {
		uint8_t place = places->of[(size_t)rank * places->host_count + host];
		uint8_t best_place =
			best < 0 ? (uint8_t)SHARD_NOWHERE : places->of[(size_t)best * places->host_count + host];
		if (place > best_place ||
		    (place == best_place && place != SHARD_NOWHERE && places->load[rank] < places->load[best]))
			best = rank;
	}
	return best;
}

/* The largest first; a host that no rank has goes to the first that has another, and says that it is missing. */
static bool assign(const struct shard_set *set, struct places *places, int ranks)
{
	int some = -1;
	for (size_t i = 0; i < set->count; i++)
		places->rank_of[i] = -2;
	for (size_t done = 0; done < set->count; done++) {
		size_t largest = SIZE_MAX;
		for (size_t i = 0; i < set->count; i++)
			if (places->rank_of[i] == -2 &&
			    (largest == SIZE_MAX || set->hosts[i].event_count > set->hosts[largest].event_count))
				largest = i;
		int rank = places->rank_of[largest] = choose_rank(places, ranks, largest);
		if (rank >= 0)
			places->load[rank] += set->hosts[largest].event_count + 1;
		if (rank >= 0 && (some < 0 || rank < some))
			some = rank;
	}
	for (size_t i = 0; i < set->count; i++)
		if (places->rank_of[i] < 0)
			places->rank_of[i] = some;
	return some >= 0;
}

static void write_places(const struct shard_set *set, struct byte_buffer *out)
{
	for (size_t i = 0; i < set->count; i++)
		byte_buffer_put_byte(out, (uint8_t)set->hosts[i].place);
}

static bool keep(struct shard_set *set, const uint8_t *mine)
{
	bool *flags = calloc(set->count + 1, sizeof(*flags));
	for (size_t i = 0; flags != NULL && i < set->count; i++)
		flags[i] = mine[i] != 0;
	if (flags != NULL)
		shard_set_keep(set, flags);
	free(flags);
	return flags != NULL;
}

/* Collects what each rank has, and assigns the hosts to ranks. */
static bool deal_out(struct query_job *job, struct places *places)
{
	struct link *link = job->link;
	struct byte_buffer message = { 0 };
	size_t count = job->set.count;
	bool fine = true;
	write_places(&job->set, &message);
	fine = !message.failed;
	for (int rank = 0; rank < link->count && fine; rank++) {
		fine = (rank == 0 || link_receive(link, rank, &message)) && message.size == count;
		if (fine)
			memcpy(places->of + (size_t)rank * count, message.bytes, count);
	}
	if (fine && !assign(&job->set, places, link->count)) {
		report("no rank can open the store of any host: %s", job->set.hosts[0].why);
		fine = false;
	}
	for (int rank = link->count - 1; rank >= 0; rank--) {
		byte_buffer_clear(&message);
		for (size_t i = 0; i < count && fine; i++)
			byte_buffer_put_byte(&message, places->rank_of[i] == rank);
		fine = fine && !message.failed;
		if (rank > 0)
			fine = link_send(link, rank, &message) && fine;
		else
			fine = fine && keep(&job->set, message.bytes);
	}
	byte_buffer_release(&message);
	return fine;
}

static bool deal_out_hosts(struct query_job *job)
{
	size_t count = job->set.count;
	struct places places = {
		.of = calloc((size_t)job->link->count * (count + 1), 1),
		.rank_of = calloc(count + 1, sizeof(*places.rank_of)),
		.load = calloc((size_t)job->link->count, sizeof(*places.load)),
		.host_count = count,
	};
	bool fine = places.of != NULL && places.rank_of != NULL && places.load != NULL &&
		    remotes_begin(&job->remotes, &job->asker);
	if (!fine)
		report_no_memory();
	fine = fine && deal_out(job, &places);
	for (size_t i = 0; i < count && fine; i++)
		if (places.of[(size_t)places.rank_of[i] * count + i] == SHARD_NOWHERE)
			places.rank_of[i] = -1;
	free(places.of);
	job->rank_of = places.rank_of;
	free(places.load);
	return fine;
}

static bool take_hosts(struct query_job *job)
{
	struct byte_buffer message = { 0 };
	write_places(&job->set, &message);
	bool fine = link_send(job->link, 0, &message) && link_receive(job->link, 0, &message) &&
		    message.size == job->set.count && keep(&job->set, message.bytes);
	byte_buffer_release(&message);
	return fine;
}

/* ---- begin ------------------------------------------------------------------------------------------------ */

static bool describe(struct query_job *job, const char *path, struct byte_buffer *out)
{
	struct histree_error error = { 0 };
	if (histree_store_open(path, &job->store, &error) != HISTREE_OK) {
		report_error(&error);
		return false;
	}
	shard_set_describe(histree_store_info(job->store), out);
	if (out->failed) {
		report_no_memory();
		return false;
	}
	return true;
}

bool query_job_begin(struct query_job *job, struct link *link, const char *path, const char *local)
{
	*job = (struct query_job){ .link = link, .asker.link = link, .inbox.link = link };
	struct byte_buffer message = { 0 };
	struct histree_error error = { 0 };
	bool fine = link->rank == 0 ? describe(job, path, &message) : link_receive(link, 0, &message);
	if (link->rank == 0 && !fine)
		byte_buffer_clear(&message);
	for (int rank = 1; link->rank == 0 && rank < link->count; rank++)
		fine = link_send(link, rank, &message) && fine;
	if (fine && message.size > 0) {
		struct byte_reader reader = byte_reader(message.bytes, message.size);
		fine = shard_set_find(&job->set, path, local, &reader, &error) == HISTREE_OK;
		fine = roll_call_agree(link, fine ? NULL : error.message);
	} else {
		fine = false;
	}
	byte_buffer_release(&message);
	if (fine)
		fine = link->rank == 0 ? deal_out_hosts(job) : take_hosts(job);
	return fine;
}

/* ---- what ranks have ---------------------------------------------------------------------------------------- */

static const char *why_missing(const struct query_job *job, size_t host)
{
	const char *why = histree_store_info(job->store)->hosts[host].why;
	return why != NULL ? why : job->set.hosts[host].why;
}

static enum histree_status open_history(void *context, size_t host, const char *analysis,
					const struct histree_open_options *options, struct histree_history **out,
					struct histree_error *error)
{
	struct query_job *job = context;
	int rank = job->rank_of[host];
	*out = NULL;
	if (rank > 0)
		return remotes_history(&job->remotes, rank, host, analysis, out, error);
	if (rank == 0)
		return histree_store_history(job->set.hosts[host].store, analysis, true, options, out, error);
	return error_set(error, HISTREE_ERR_IO, "%s", why_missing(job, host));
}

static enum histree_status open_segments(void *context, size_t host, const char *analysis,
					 struct histree_segment_store **out, struct histree_error *error)
{
	struct query_job *job = context;
	int rank = job->rank_of[host];
	*out = NULL;
	if (rank > 0)
		return remotes_segments(&job->remotes, rank, host, analysis, out, error);
	if (rank == 0)
		return histree_store_segments(job->set.hosts[host].store, analysis, true, NULL, out, error);
	return error_set(error, HISTREE_ERR_IO, "%s", why_missing(job, host));
}

static enum histree_status open_events(void *context, size_t host, struct histree_events **out,
				       struct histree_error *error)
{
	struct query_job *job = context;
	int rank = job->rank_of[host];
	*out = NULL;
	if (rank > 0)
		return remotes_events(&job->remotes, rank, host, out, error);
	if (rank == 0)
		return histree_events_open(job->set.hosts[host].store, out, error);
	return error_set(error, HISTREE_ERR_IO, "host '%s': %s", job->set.hosts[host].name, why_missing(job, host));
}

static void set_openers(struct query_job *job, struct histree_store *store)
{
	if (histree_store_info(store)->host_count == 0)
		return;
	histree_store_set_history_opener(store, open_history, job);
	histree_store_set_segment_opener(store, open_segments, job);
	histree_store_set_event_opener(store, open_events, job);
}

enum histree_status query_job_open_store(struct query_job *job, const char *path, struct histree_store **out,
					 struct histree_error *error)
{
	enum histree_status status = histree_store_open(path, out, error);
	if (status != HISTREE_OK)
		return status;
	size_t count = histree_store_info(*out)->host_count;
	if (count != 0 && count != job->set.count) {
		histree_store_close(*out);
		*out = NULL;
		return error_set(error, HISTREE_ERR_FORMAT, "'%s' was built again since the job began", path);
	}
	set_openers(job, *out);
	return HISTREE_OK;
}

enum histree_status query_job_history(struct query_job *job, const char *analysis, struct histree_history **out,
				      struct histree_error *error)
{
	struct job_history history = { 0 };
	const char *name = analysis != NULL ? analysis : "";
	for (size_t i = 0; i < job->history_count; i++) {
		*out = job->histories[i].history;
		if (strcmp(job->histories[i].analysis, name) == 0)
			return HISTREE_OK;
	}
	*out = NULL;
	set_openers(job, job->store);
	enum histree_status status =
		histree_store_history(job->store, analysis, true, NULL, &history.history, error);
	if (status == HISTREE_OK && job->asker.is_stopped) { /* a host that was not waited for is not missing */
		histree_history_close(history.history);
		status = error_set(error, HISTREE_ERR_CANCELLED, "the answer is no longer wanted");
	}
	if (status != HISTREE_OK)
		return status;
	history.analysis = strdup(name);
	if (history.analysis == NULL ||
	    !array_reserve(&job->histories, &job->history_capacity, job->history_count + 1)) {
		histree_history_close(history.history);
		free(history.analysis);
		return error_memory(error, "the histories");
	}
	job->histories[job->history_count++] = history;
	*out = history.history;
	return HISTREE_OK;
}

void query_job_end(struct query_job *job)
{
	if (job->link->rank == 0 && !job->is_lost)
		link_tell_all(job->link, JOB_END);
	for (size_t i = 0; i < job->history_count; i++) {
		histree_history_close(job->histories[i].history);
		free(job->histories[i].analysis);
	}
	free(job->histories);
	free(job->rank_of);
	remotes_release(&job->remotes);
	host_server_release(&job->server);
	inbox_release(&job->inbox);
	shard_set_release(&job->set);
	histree_store_close(job->store);
}
