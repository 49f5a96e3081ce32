// SPDX-License-Identifier: MIT
#include "trace/ctf/ctf_live_relay.h"

#include <endian.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/cancel.h"
#include "base/error.h"

enum { ANSWER_MS = 5000, LOOK_MS = 50, BYTES_PER_MS = 65, PORT_SIZE = 8, PLACE_SIZE = 256 };

#define DEFAULT_PORT "5344"

/* Each request of the protocol begins so; all its numbers are big-endian (lttng-tools, lttng-viewer-abi.h). */
struct request_head {
	uint64_t size; /* of what follows */
	uint32_t command;
	uint32_t version; /* of the command: 0 */
} __attribute__((packed));

/* ---- the socket ------------------------------------------------------------------------------------------ */

static int socket_of(void *context)
{
	return ((struct live_relay *)context)->socket;
}

static int wait_socket(void *context, bool to_send, int ms)
{
	struct pollfd asked = { .fd = socket_of(context), .events = to_send ? POLLOUT : POLLIN };
	const int ready = poll(&asked, 1, ms);
	return ready < 0 && errno == EINTR ? 0 : ready;
}

static ssize_t send_socket(void *context, const void *bytes, size_t size)
{
	return send(socket_of(context), bytes, size, MSG_NOSIGNAL);
}

/* An answer comes in two parts; the second waits for 40 ms unless the first is acknowledged. */
static ssize_t receive_socket(void *context, void *bytes, size_t size)
{
	setsockopt(socket_of(context), IPPROTO_TCP, TCP_QUICKACK, &(int){ 1 }, sizeof(int));
	return recv(socket_of(context), bytes, size, 0);
}

static int64_t now_ms(void *context)
{
	(void)context;
	struct timespec time;
	clock_gettime(CLOCK_MONOTONIC, &time);
	return (int64_t)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

static void close_socket(void *context)
{
	if (socket_of(context) >= 0)
		close(socket_of(context));
}

static const struct live_wire socket_wire = {
	.wait = wait_socket, .send = send_socket, .receive = receive_socket, .now_ms = now_ms, .close = close_socket
};

/* ---- failures -------------------------------------------------------------------------------------------- */

/* There is no connection from here on. */
static void lose(struct live_relay *relay)
{
	if (relay->wire != NULL)
		relay->wire->close(relay->context);
	relay->wire = NULL;
}

static enum histree_status no_daemon(const struct live_relay *relay, struct histree_error *error)
{
	return error_set(error, HISTREE_ERR_TRACE,
			 "no relay daemon answers at '%.*s'; start lttng-relayd there, or name its port for "
			 "viewers (default: " DEFAULT_PORT "): net://HOST:PORT/host/NAME/SESSION",
			 relay->place_size, relay->place);
}

static enum histree_status is_silent(struct live_relay *relay, struct histree_error *error)
{
	lose(relay);
	if (relay->is_attached)
		return error_set(error, HISTREE_ERR_TRACE, "the relay daemon at '%.*s' has not answered for %d s",
				 relay->place_size, relay->place, ANSWER_MS / 1000);
	return error_set(error, HISTREE_ERR_TRACE,
			 "a connection is taken at '%.*s', but for %d s there was no answer; is that the port of "
			 "lttng-relayd for viewers (default: " DEFAULT_PORT "), and does the daemon still run?",
			 relay->place_size, relay->place, ANSWER_MS / 1000);
}

static enum histree_status is_closed(struct live_relay *relay, struct histree_error *error)
{
	lose(relay);
	return relay->is_attached
		       ? error_set(error, HISTREE_ERR_TRACE, "the relay daemon at '%.*s' has closed the connection",
				   relay->place_size, relay->place)
		       : live_relay_no_answer(relay, error);
}

enum histree_status live_relay_no_answer(struct live_relay *relay, struct histree_error *error)
{
	lose(relay);
	if (relay->is_attached)
		return error_set(error, HISTREE_ERR_TRACE,
				 "the relay daemon at '%.*s' answers what no relay daemon can", relay->place_size,
				 relay->place);
	return error_set(error, HISTREE_ERR_TRACE,
			 "what answers at '%.*s' is no relay daemon of LTTng; name the port of lttng-relayd for "
			 "viewers (default: " DEFAULT_PORT "): net://HOST:PORT/host/NAME/SESSION",
			 relay->place_size, relay->place);
}

/* ---- bytes ----------------------------------------------------------------------------------------------- */

int64_t live_relay_now(const struct live_relay *relay)
{
	return relay->wire != NULL ? relay->wire->now_ms(relay->context) : 0;
}

static bool is_cancelled(struct live_relay *relay)
{
	if (relay->cancel == NULL || !cancel_asked(relay->cancel))
		return false;
	lose(relay);
	return true;
}

/* In short turns, as a signal between two of them ends none. */
static enum histree_status wait_for(struct live_relay *relay, bool to_send, struct histree_error *error)
{
	for (;;) {
		if (relay->wire == NULL)
			return is_closed(relay, error);
		const int ready = relay->wire->wait(relay->context, to_send, LOOK_MS);
		if (ready > 0)
			return HISTREE_OK;
		if (ready < 0)
			return is_closed(relay, error);
		if (is_cancelled(relay))
			return error_set(error, HISTREE_ERR_CANCELLED, "cancelled");
		if (live_relay_now(relay) >= relay->end_ms)
			return is_silent(relay, error);
	}
}

static enum histree_status send_all(struct live_relay *relay, const void *bytes, size_t size,
				    struct histree_error *error)
{
	for (const char *at = bytes; size > 0;) {
		enum histree_status status = wait_for(relay, true, error);
		if (status != HISTREE_OK)
			return status;
		const ssize_t sent = relay->wire->send(relay->context, at, size);
		if (sent < 0 && errno != EAGAIN && errno != EINTR)
			return is_closed(relay, error);
		if (sent > 0)
			at += sent, size -= (size_t)sent;
	}
	return HISTREE_OK;
}

enum histree_status live_relay_ask(struct live_relay *relay, uint32_t command, const void *body, size_t size,
				   struct histree_error *error)
{
	const struct request_head head = { .size = htobe64(size), .command = htobe32(command) };
	char request[sizeof(head) + 64];
	memcpy(request, &head, sizeof(head));
	if (size > 0)
		memcpy(request + sizeof(head), body, size);
	relay->end_ms = live_relay_now(relay) + ANSWER_MS;
	/* A daemon that always answers at once must not keep its reader for ever. */
	if (is_cancelled(relay))
		return error_set(error, HISTREE_ERR_CANCELLED, "cancelled");
	return send_all(relay, request, sizeof(head) + size, error);
}

enum histree_status live_relay_receive(struct live_relay *relay, void *bytes, size_t size,
				       struct histree_error *error)
{
	relay->end_ms += (int64_t)(size / BYTES_PER_MS);
	for (char *at = bytes; size > 0;) {
		enum histree_status status = wait_for(relay, false, error);
		if (status != HISTREE_OK)
			return status;
		const ssize_t received = relay->wire->receive(relay->context, at, size);
		if (received == 0 || (received < 0 && errno != EAGAIN && errno != EINTR))
			return is_closed(relay, error);
		if (received > 0)
			at += received, size -= (size_t)received;
	}
	return HISTREE_OK;
}

/* ---- connecting ------------------------------------------------------------------------------------------ */

static enum histree_status connect_to(struct live_relay *relay, const struct addrinfo *address,
				      struct histree_error *error)
{
	relay->socket = socket(address->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (relay->socket < 0)
		return no_daemon(relay, error);
	relay->wire = &socket_wire;
	relay->context = relay;
	relay->end_ms = live_relay_now(relay) + ANSWER_MS;
	if (connect(relay->socket, address->ai_addr, address->ai_addrlen) == 0)
		return HISTREE_OK;
	if (errno != EINPROGRESS)
		return no_daemon(relay, error);
	enum histree_status status = wait_for(relay, true, error);
	int failure = 0;
	socklen_t size = sizeof(failure);
	if (status == HISTREE_OK &&
	    (getsockopt(relay->socket, SOL_SOCKET, SO_ERROR, &failure, &size) != 0 || failure != 0))
		status = HISTREE_ERR_TRACE;
	return status == HISTREE_ERR_TRACE ? no_daemon(relay, error) : status;
}

static enum histree_status connect_to_any(struct live_relay *relay, const char *host, const char *port,
					  struct histree_error *error)
{
	const struct addrinfo wanted = { .ai_family = AF_INET, .ai_socktype = SOCK_STREAM };
	struct addrinfo *found = NULL;
	if (getaddrinfo(host, port, &wanted, &found) != 0)
		return no_daemon(relay, error);
	enum histree_status status = HISTREE_ERR_TRACE;
	for (const struct addrinfo *address = found; address != NULL && status == HISTREE_ERR_TRACE;
	     address = address->ai_next) {
		lose(relay);
		status = connect_to(relay, address, error);
	}
	freeaddrinfo(found);
	return status;
}

enum histree_status live_relay_connect(struct live_relay *relay, const char *place,
				       const struct histree_cancel *cancel, struct histree_error *error)
{
	char host[PLACE_SIZE], port[PORT_SIZE] = DEFAULT_PORT;
	*relay = (struct live_relay){
		.socket = -1, .place = place, .place_size = (int)strcspn(place, "/"), .cancel = cancel
	};
	const int name_size = (int)strcspn(place, ":/"), port_size = relay->place_size - name_size - 1;
	if (name_size >= PLACE_SIZE || port_size >= PORT_SIZE)
		return no_daemon(relay, error);
	snprintf(host, sizeof(host), "%.*s", name_size, place);
	if (port_size > 0)
		snprintf(port, sizeof(port), "%.*s", port_size, place + name_size + 1);
	return connect_to_any(relay, host, port, error);
}

void live_relay_close(struct live_relay *relay)
{
	lose(relay);
}
