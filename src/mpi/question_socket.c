// SPDX-License-Identifier: MIT
/*
 * question_socket.c - a Unix socket at which a job listens, and the client that asks there.
 *
 * A message is four bytes of size and its bytes.  The answer's first byte carries a file descriptor: the rows are
 * in that file, complete before the client hears of it.
 */
#include "mpi/question_socket.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/table.h"
#include "base/error.h"
#include "cli/report.h"

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
static bool read_message(int file, struct message *message, size_t max)
{
	uint8_t bytes[sizeof(uint32_t)];
	if (!read_all(file, bytes, sizeof(bytes)) || get_le32(bytes) > max)
		return false;
	message_clear(message);
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

int question_socket_accept(const struct question_socket *socket, int timeout_ms, struct message *words)
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
	const char *folder = getenv("TMPDIR");
	int file = open(folder != NULL ? folder : "/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
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
	struct message reply = { 0 };
	uint8_t size[sizeof(uint32_t)];
	message_number(&reply, (uint64_t)status);
	message_string(&reply, text);
	put_le32(size, (uint32_t)reply.size);
	if (!reply.no_memory && send_file(connection, spool) && write_all(connection, size, sizeof(size)))
		write_all(connection, reply.bytes, reply.size); /* a client that is gone needs none */
	message_release(&reply);
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

static void report_lines(char *text)
{
	for (char *line; (line = strsep(&text, "\n")) != NULL;)
		if (*line != '\0')
			report("%s", line);
}

static enum histree_status take_reply(int connection, int spool, int *status, struct histree_error *error)
{
	enum { TEXT_MAX = 65536 };
	struct message reply = { 0 };
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
		report_lines(text);
	}
	free(text);
	message_release(&reply);
	return result;
}

enum histree_status question_socket_ask(const char *path, const struct message *words, int *status,
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
	if (words->no_memory || !write_all(connection, size, sizeof(size)) ||
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
