// SPDX-License-Identifier: MIT
/*
 * ctf_live_relay.c - requests to a relay daemon of LTTng, and its answers.
 */
#include "trace/ctf/ctf_live_relay.h"

#include <endian.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

#include "base/cancel.h"
#include "base/error.h"
#include "histree/status.h"

static enum histree_status live_relay_ask(struct live_relay *relay, uint32_t command, const void *body, size_t size,
					  struct histree_error *error);

/* ---- ctf live protocol --------------------------------------------------------------------------------------- */

enum {
	COMMAND_CONNECT = 1,
	COMMAND_SESSIONS = 2,
	COMMAND_ATTACH = 3,
	COMMAND_INDEX = 4,
	COMMAND_BYTES = 5,
	COMMAND_METADATA = 6,
	COMMAND_STREAMS = 7,
	COMMAND_VIEWER = 8,
};

enum { VERSION_MAJOR = 2, VERSION_MINOR = 4, KIND_COMMANDS = 1, SEEK_BEGINNING = 1, VIEWER_MADE = 1 };

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

struct attach_body {
	uint64_t session, offset;
	uint32_t seek;
} __attribute__((packed));

struct streams_head { /* of the answers to two requests */
	uint32_t status, count;
} __attribute__((packed));

struct stream_body {
	uint64_t id, trace;
	uint32_t is_metadata;
	char path[4096], channel[255];
} __attribute__((packed));

struct index_body {
	uint64_t offset, size, content, begin, end, discarded, stream;
	uint32_t status, flags;
} __attribute__((packed));

struct bytes_request {
	uint64_t stream, offset;
	uint32_t size;
} __attribute__((packed));

struct bytes_head {
	uint32_t status, size, flags;
} __attribute__((packed));

struct metadata_head {
	uint64_t size;
	uint32_t status;
} __attribute__((packed));

static enum histree_status ask(struct live_relay *relay, uint32_t command, const void *body, size_t size,
			       void *answer, size_t answer_size, struct histree_error *error)
{
	enum histree_status status = live_relay_ask(relay, command, body, size, error);
	return status == HISTREE_OK ? live_relay_receive(relay, answer, answer_size, error) : status;
}

/* Texts of the daemon become part of messages. */
static void take_text(char *out, const char *from, size_t size)
{
	for (size_t i = 0; i < size && from[i] != '\0'; i++)
		out[i] = (unsigned char)from[i] < ' ' || from[i] == 0x7f ? '?' : from[i];
}

static enum histree_status introduce(struct live_relay *relay, struct histree_error *error)
{
	const struct connect_body request = { .major = htobe32(VERSION_MAJOR),
					      .minor = htobe32(VERSION_MINOR),
					      .kind = htobe32(KIND_COMMANDS) };
	struct connect_body answer;
	enum histree_status status =
		ask(relay, COMMAND_CONNECT, &request, sizeof(request), &answer, sizeof(answer), error);
	if (status == HISTREE_OK && be32toh(answer.major) != VERSION_MAJOR)
		return live_relay_no_answer(relay, error);
	return status;
}

/* Introduce the viewer, and receive the list of sessions. */
static enum histree_status live_ask_sessions(struct live_relay *relay, live_take_session take, void *context,
					     struct histree_error *error)
{
	uint32_t count = 0;
	enum histree_status status = introduce(relay, error);
	if (status == HISTREE_OK)
		status = ask(relay, COMMAND_SESSIONS, NULL, 0, &count, sizeof(count), error);
	count = be32toh(count);
	if (status == HISTREE_OK && count > LIVE_SESSIONS_MAX)
		return live_relay_no_answer(relay, error);
	while (status == HISTREE_OK && count-- > 0) {
		struct session_body body;
		struct live_session session = { 0 };
		status = live_relay_receive(relay, &body, sizeof(body), error);
		if (status != HISTREE_OK)
			break;
		session.id = be64toh(body.id);
		take_text(session.host, body.host, sizeof(body.host));
		take_text(session.name, body.name, sizeof(body.name));
		status = take(context, &session, error);
	}
	return status;
}

static enum histree_status receive_streams(struct live_relay *relay, uint32_t count, live_take_stream take,
					   void *context, struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	if (count > LIVE_STREAMS_MAX)
		return live_relay_no_answer(relay, error);
	while (status == HISTREE_OK && count-- > 0) {
		struct stream_body body;
		struct live_stream_facts facts = { 0 };
		status = live_relay_receive(relay, &body, sizeof(body), error);
		if (status != HISTREE_OK)
			break;
		facts.id = be64toh(body.id);
		facts.trace = be64toh(body.trace);
		facts.is_metadata = be32toh(body.is_metadata) != 0;
		take_text(facts.path, body.path, sizeof(body.path));
		take_text(facts.channel, body.channel, sizeof(body.channel));
		status = take(context, &facts, error);
	}
	return status;
}

enum histree_status live_ask_attach(struct live_relay *relay, uint64_t session, live_take_stream take,
				    void *context, enum live_attachment *out, struct histree_error *error)
{
	const struct attach_body request = { .session = htobe64(session), .seek = htobe32(SEEK_BEGINNING) };
	uint32_t made = 0;
	struct streams_head answer = { 0 };
	enum histree_status status = ask(relay, COMMAND_VIEWER, NULL, 0, &made, sizeof(made), error);
	if (status == HISTREE_OK && be32toh(made) != VIEWER_MADE)
		return live_relay_no_answer(relay, error);
	if (status == HISTREE_OK)
		status = ask(relay, COMMAND_ATTACH, &request, sizeof(request), &answer, sizeof(answer), error);
	*out = (enum live_attachment)be32toh(answer.status);
	if (status != HISTREE_OK || *out != LIVE_ATTACHED)
		return status;
	return receive_streams(relay, be32toh(answer.count), take, context, error);
}

enum histree_status live_ask_streams(struct live_relay *relay, uint64_t session, live_take_stream take,
				     void *context, enum live_news *out, struct histree_error *error)
{
	const uint64_t request = htobe64(session);
	struct streams_head answer = { 0 };
	enum histree_status status =
		ask(relay, COMMAND_STREAMS, &request, sizeof(request), &answer, sizeof(answer), error);
	*out = (enum live_news)be32toh(answer.status);
	if (status != HISTREE_OK || *out != LIVE_STREAMS)
		return status;
	return receive_streams(relay, be32toh(answer.count), take, context, error);
}

enum histree_status live_ask_index(struct live_relay *relay, uint64_t stream, struct live_index *out,
				   struct histree_error *error)
{
	const uint64_t request = htobe64(stream);
	struct index_body answer = { 0 };
	enum histree_status status =
		ask(relay, COMMAND_INDEX, &request, sizeof(request), &answer, sizeof(answer), error);
	*out = (struct live_index){ .kind = (enum live_index_kind)be32toh(answer.status),
				    .flags = be32toh(answer.flags),
				    .offset = be64toh(answer.offset),
				    .size = be64toh(answer.size),
				    .content = be64toh(answer.content),
				    .end = be64toh(answer.end),
				    .stream = be64toh(answer.stream) };
	return status;
}

enum histree_status live_ask_bytes(struct live_relay *relay, uint64_t stream, uint64_t offset, void *bytes,
				   size_t size, enum live_bytes *out, uint32_t *flags, struct histree_error *error)
{
	const struct bytes_request request = { .stream = htobe64(stream),
					       .offset = htobe64(offset),
					       .size = htobe32((uint32_t)size) };
	struct bytes_head answer = { 0 };
	enum histree_status status =
		ask(relay, COMMAND_BYTES, &request, sizeof(request), &answer, sizeof(answer), error);
	*out = (enum live_bytes)be32toh(answer.status);
	*flags = be32toh(answer.flags);
	if (status != HISTREE_OK || *out != LIVE_BYTES)
		return status;
	if (be32toh(answer.size) != size)
		return live_relay_no_answer(relay, error);
	return live_relay_receive(relay, bytes, size, error);
}

enum histree_status live_ask_metadata(struct live_relay *relay, uint64_t stream, enum live_piece *out,
				      uint64_t *size, struct histree_error *error)
{
	const uint64_t request = htobe64(stream);
	struct metadata_head answer = { 0 };
	enum histree_status status =
		ask(relay, COMMAND_METADATA, &request, sizeof(request), &answer, sizeof(answer), error);
	*out = (enum live_piece)be32toh(answer.status);
	*size = be64toh(answer.size);
	return status;
}

/* ---- ctf live session ---------------------------------------------------------------------------------------- */

enum { SESSIONS_SHOWN = 4 };

/* A walk over the sessions of a daemon: the one that is wanted, and the names of the first others. */
struct search {
	const char *address;
	size_t daemon_size; /* length of the name of the daemon in the address; the rest names the session */
	bool is_found;
	uint64_t id;
	size_t count, length;
	char text[240];
};

/* Whether `name`, "/host/NAME/SESSION", is this one's. */
static bool is_named(const struct live_session *session, const char *name)
{
	size_t size = strlen(session->host);
	return strncmp(name, "/host/", 6) == 0 && strncmp(name + 6, session->host, size) == 0 &&
	       name[6 + size] == '/' && strcmp(name + 6 + size + 1, session->name) == 0;
}

static enum histree_status look_at(void *context, const struct live_session *session, struct histree_error *error)
{
	(void)error;
	struct search *search = context;
	if (is_named(session, search->address + search->daemon_size)) {
		search->is_found = true;
		search->id = session->id;
	}
	if (search->count < SESSIONS_SHOWN && search->length < sizeof(search->text))
		search->length +=
			(size_t)snprintf(search->text + search->length, sizeof(search->text) - search->length,
					 "%s%.*s/host/%s/%s", search->count == 0 ? "" : ", ",
					 (int)search->daemon_size, search->address, session->host, session->name);
	search->count++;
	return HISTREE_OK;
}

enum histree_status live_session_find(struct live_relay *relay, const char *address, uint64_t *out,
				      struct histree_error *error)
{
	const char *place = strstr(address, "://") + 3;
	struct search search = { .address = address,
				 .daemon_size = (size_t)(place - address) + strcspn(place, "/") };
	enum histree_status status = live_ask_sessions(relay, look_at, &search, error);
	if (status != HISTREE_OK)
		return status;
	*out = search.id;
	if (search.is_found)
		return HISTREE_OK;
	if (search.count == 0)
		return error_set(error, HISTREE_ERR_TRACE,
				 "the relay daemon has no session; make one with 'lttng create --live'");
	return error_set(error, HISTREE_ERR_TRACE, "the relay daemon has no such session; it has %s%s", search.text,
			 search.count > SESSIONS_SHOWN ? " and more" : "");
}

/* ---- ctf live relay ------------------------------------------------------------------------------------------ */

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
	if (relay->work == NULL || !cancel_asked(relay->work))
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

/* Send a command and what belongs to it; an answer is then expected. */
static enum histree_status live_relay_ask(struct live_relay *relay, uint32_t command, const void *body, size_t size,
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

enum histree_status live_relay_connect(struct live_relay *relay, const char *place, const struct histree_work *work,
				       struct histree_error *error)
{
	char host[PLACE_SIZE], port[PORT_SIZE] = DEFAULT_PORT;
	*relay = (struct live_relay){
		.socket = -1, .place = place, .place_size = (int)strcspn(place, "/"), .work = work
	};
	const int name_size = (int)strcspn(place, ":/"), port_size = relay->place_size - name_size - 1;
	if (name_size >= PLACE_SIZE || port_size >= PORT_SIZE)
		return no_daemon(relay, error);
	snprintf(host, sizeof(host), "%.*s", name_size, place);
	if (port_size > 0)
		snprintf(port, sizeof(port), "%.*s", port_size, place + name_size + 1);
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

void live_relay_close(struct live_relay *relay)
{
	lose(relay);
}
