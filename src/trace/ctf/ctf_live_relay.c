// SPDX-License-Identifier: MIT
#include "trace/ctf/ctf_live_relay.h"

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/cancel.h"
#include "base/error.h"

enum { ANSWER_MS = 5000, LOOK_MS = 50, SESSIONS_MAX = 4096, PORT_SIZE = 8, PLACE_SIZE = 256 };

#define DEFAULT_PORT "5344"

enum { COMMAND_CONNECT = 1, COMMAND_LIST_SESSIONS = 2 };
enum { VERSION_MAJOR = 2, VERSION_MINOR = 4, KIND_COMMANDS = 1 };

struct request_head {
	uint64_t size; /* of what follows */
	uint32_t command;
	uint32_t version; /* of the command: 0 */
} __attribute__((packed));

struct connect_body { /* of the request and of the answer */
	uint64_t id;
	uint32_t major, minor;
	uint32_t kind;
} __attribute__((packed));

struct session_body {
	uint64_t id;
	uint32_t live_timer, clients, streams;
	char host[64], name[255];
} __attribute__((packed));

/* A connection, and by when the daemon must have answered. */
struct relay {
	int socket;
	const char *place;
	int place_size;
	const struct histree_cancel *cancel;
	int64_t end_ms;
	struct histree_error *error;
};

static int64_t now_ms(void)
{
	struct timespec time;
	clock_gettime(CLOCK_MONOTONIC, &time);
	return (int64_t)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

static void expect_answer(struct relay *relay)
{
	relay->end_ms = now_ms() + ANSWER_MS;
}

static enum histree_status no_daemon(const struct relay *relay)
{
	return error_set(relay->error, HISTREE_ERR_TRACE,
			 "no relay daemon answers at '%.*s'; start lttng-relayd there, or name its port for "
			 "viewers (default: " DEFAULT_PORT "): net://HOST:PORT/host/NAME/SESSION",
			 relay->place_size, relay->place);
}

static enum histree_status no_answer(const struct relay *relay)
{
	return error_set(relay->error, HISTREE_ERR_TRACE,
			 "a connection is taken at '%.*s', but for %d s there was no answer; is that the port of "
			 "lttng-relayd for viewers (default: " DEFAULT_PORT "), and does the daemon still run?",
			 relay->place_size, relay->place, ANSWER_MS / 1000);
}

static enum histree_status not_a_daemon(const struct relay *relay)
{
	return error_set(relay->error, HISTREE_ERR_TRACE,
			 "what answers at '%.*s' is no relay daemon of LTTng; name the port of lttng-relayd for "
			 "viewers (default: " DEFAULT_PORT "): net://HOST:PORT/host/NAME/SESSION",
			 relay->place_size, relay->place);
}

/* Wait until the socket is ready; in short turns, as a signal between two of them ends none. */
static enum histree_status wait_for(const struct relay *relay, short events)
{
	for (;;) {
		struct pollfd asked = { .fd = relay->socket, .events = events };
		const int ready = poll(&asked, 1, LOOK_MS);
		if (ready > 0)
			return HISTREE_OK;
		if (ready < 0 && errno != EINTR)
			return no_daemon(relay);
		if (relay->cancel != NULL && cancel_asked(relay->cancel))
			return error_set(relay->error, HISTREE_ERR_CANCELLED, "cancelled");
		if (now_ms() >= relay->end_ms)
			return no_answer(relay);
	}
}

static enum histree_status send_all(const struct relay *relay, const void *bytes, size_t size)
{
	for (const char *at = bytes; size > 0;) {
		enum histree_status status = wait_for(relay, POLLOUT);
		if (status != HISTREE_OK)
			return status;
		const ssize_t sent = send(relay->socket, at, size, MSG_NOSIGNAL);
		if (sent < 0 && errno != EAGAIN && errno != EINTR)
			return not_a_daemon(relay);
		if (sent > 0)
			at += sent, size -= (size_t)sent;
	}
	return HISTREE_OK;
}

static enum histree_status receive_all(const struct relay *relay, void *bytes, size_t size)
{
	for (char *at = bytes; size > 0;) {
		enum histree_status status = wait_for(relay, POLLIN);
		if (status != HISTREE_OK)
			return status;
		const ssize_t received = recv(relay->socket, at, size, 0);
		if (received == 0 || (received < 0 && errno != EAGAIN && errno != EINTR))
			return not_a_daemon(relay);
		if (received > 0)
			at += received, size -= (size_t)received;
	}
	return HISTREE_OK;
}

/* ---- connecting ---------------------------------------------------------------------------------------- */

static enum histree_status connect_to(struct relay *relay, const struct addrinfo *address)
{
	relay->socket = socket(address->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (relay->socket < 0)
		return no_daemon(relay);
	expect_answer(relay);
	if (connect(relay->socket, address->ai_addr, address->ai_addrlen) == 0)
		return HISTREE_OK;
	if (errno != EINPROGRESS)
		return no_daemon(relay);
	enum histree_status status = wait_for(relay, POLLOUT);
	int failure = 0;
	socklen_t size = sizeof(failure);
	if (status == HISTREE_OK &&
	    (getsockopt(relay->socket, SOL_SOCKET, SO_ERROR, &failure, &size) != 0 || failure != 0))
		status = no_daemon(relay);
	return status == HISTREE_ERR_TRACE ? no_daemon(relay) : status;
}

static enum histree_status connect_to_any(struct relay *relay, const char *host, const char *port)
{
	const struct addrinfo wanted = { .ai_family = AF_INET, .ai_socktype = SOCK_STREAM };
	struct addrinfo *found = NULL;
	if (getaddrinfo(host, port, &wanted, &found) != 0)
		return no_daemon(relay);
	enum histree_status status = HISTREE_ERR_TRACE;
	for (const struct addrinfo *address = found; address != NULL && status == HISTREE_ERR_TRACE;
	     address = address->ai_next) {
		if (relay->socket >= 0)
			close(relay->socket);
		status = connect_to(relay, address);
	}
	freeaddrinfo(found);
	return status;
}

static enum histree_status connect_place(struct relay *relay)
{
	char host[PLACE_SIZE], port[PORT_SIZE] = DEFAULT_PORT;
	const int name_size = (int)strcspn(relay->place, ":/");
	const int port_size = relay->place_size - name_size - 1;
	if (name_size >= PLACE_SIZE || port_size >= PORT_SIZE)
		return no_daemon(relay);
	snprintf(host, sizeof(host), "%.*s", name_size, relay->place);
	if (port_size > 0)
		snprintf(port, sizeof(port), "%.*s", port_size, relay->place + name_size + 1);
	return connect_to_any(relay, host, port);
}

/* ---- asking -------------------------------------------------------------------------------------------- */

static enum histree_status introduce(struct relay *relay)
{
	const struct {
		struct request_head head;
		struct connect_body body;
	} __attribute__((packed)) request = {
		.head = { .size = htobe64(sizeof(struct connect_body)), .command = htobe32(COMMAND_CONNECT) },
		.body = { .major = htobe32(VERSION_MAJOR),
			  .minor = htobe32(VERSION_MINOR),
			  .kind = htobe32(KIND_COMMANDS) },
	};
	struct connect_body answer;
	expect_answer(relay);
	enum histree_status status = send_all(relay, &request, sizeof(request));
	if (status == HISTREE_OK)
		status = receive_all(relay, &answer, sizeof(answer));
	if (status == HISTREE_OK && be32toh(answer.major) != VERSION_MAJOR)
		status = not_a_daemon(relay);
	return status;
}

static enum histree_status list(struct relay *relay, struct live_sessions *out)
{
	const struct request_head request = { .command = htobe32(COMMAND_LIST_SESSIONS) };
	uint32_t count = 0;
	expect_answer(relay);
	enum histree_status status = send_all(relay, &request, sizeof(request));
	if (status == HISTREE_OK)
		status = receive_all(relay, &count, sizeof(count));
	if (status != HISTREE_OK)
		return status;
	count = be32toh(count);
	if (count > SESSIONS_MAX)
		return not_a_daemon(relay);
	out->sessions = calloc((size_t)count + 1, sizeof(*out->sessions));
	if (out->sessions == NULL)
		return error_memory(relay->error, "the sessions of a relay daemon");
	while (status == HISTREE_OK && out->count < count) {
		struct session_body body;
		status = receive_all(relay, &body, sizeof(body));
		if (status != HISTREE_OK)
			break;
		struct live_session *session = &out->sessions[out->count++];
		memcpy(session->host, body.host, sizeof(body.host));
		memcpy(session->name, body.name, sizeof(body.name));
	}
	return status;
}

enum histree_status live_sessions_ask(const char *place, const struct histree_cancel *cancel,
				      struct live_sessions *out, struct histree_error *error)
{
	*out = (struct live_sessions){ 0 };
	struct relay relay = { .socket = -1,
			       .place = place,
			       .place_size = (int)strcspn(place, "/"),
			       .cancel = cancel,
			       .error = error };
	enum histree_status status = connect_place(&relay);
	if (status == HISTREE_OK)
		status = introduce(&relay);
	if (status == HISTREE_OK)
		status = list(&relay, out);
	if (relay.socket >= 0)
		close(relay.socket);
	if (status != HISTREE_OK)
		live_sessions_release(out);
	return status;
}

void live_sessions_release(struct live_sessions *sessions)
{
	free(sessions->sessions);
	*sessions = (struct live_sessions){ 0 };
}
