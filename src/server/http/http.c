// SPDX-License-Identifier: MIT
/*
 * http.c - HTTP on libmicrohttpd: which clients may connect, with how much memory, for how long.
 *
 * A limit on idle time alone would let a client keep a thread for ever with a byte now and then: so a request must
 * be complete, and an answer taken, within a time; then the connection is closed.  One thread watches all
 * connections.
 *
 * Above the limit of connections, the one that has been without a complete request for the longest is closed: so
 * clients that begin a request and then stall cannot keep others out.
 */
#include "server/http/http.h"

#include <arpa/inet.h>
#include <errno.h>
#include <jansson.h>
#include <malloc.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/crew.h"
#include "base/error.h"
#include "base/json_text.h"
#include "base/library.h"
#include "base/monotonic.h"
#include "base/table.h"
#include "histree/status.h"
#include "server/http/reply.h"

struct http_memory {
	size_t ceiling;
	pthread_mutex_t mutex; /* of all that follows, and of the shares */
	size_t claimed;
	size_t resting; /* what was allocated when the first of those under way began */
	size_t taken;   /* by the answers, when it was measured last */
	int64_t measured_ns;
	struct memory_share *first, *last;
};

/* ---- router -------------------------------------------------------------------------------------------------- */

/* Of the values of a request: some three times what one for a hundred thousand rows takes. */
enum { REQUEST_MEMORY_MAX = 48 << 20 };

/* Returns whether segments from `at` on match the rest of a pattern. */
static bool matches(const char *pattern, const struct target *target, const char **captured)
{
	size_t captures = 0;
	for (size_t i = 0; i < CALL_CAPTURES_MAX; i++)
		captured[i] = NULL;
	for (size_t at = 0;; at++) {
		size_t size = strcspn(pattern, "/");
		if (size == 1 && *pattern == '*')
			return true;
		if (at == target->segment_count)
			return size == 0;
		const char *segment = target->segments[at];
		if (size == 1 && *pattern == '?') {
			if (captures < CALL_CAPTURES_MAX)
				captured[captures++] = segment;
		} else if (size == 0 || strncmp(pattern, segment, size) != 0 || segment[size] != '\0') {
			return false;
		}
		pattern += size + (pattern[size] == '/');
	}
}

enum router_result router_find(const struct route *table, enum http_method method, const struct target *target,
			       endpoint_function **out, const char *captured[static CALL_CAPTURES_MAX])
{
	bool has_path = false;
	*out = NULL;
	for (const struct route *route = table; route->endpoint != NULL; route++) {
		if (!matches(route->pattern, target, captured))
			continue;
		has_path = true;
		if (route->method == method) {
			*out = route->endpoint;
			return ROUTER_FOUND;
		}
	}
	return has_path ? ROUTER_NO_METHOD : ROUTER_NO_PATH;
}

/* Clients send what they like with a DELETE, and forms without a body: what is no object counts as none there. */
static bool read_body(struct call *call)
{
	const struct http_request *request = call->request;
	json_error_t error = { .text = "" };
	bool has_body = request->body_size > 0 && (request->method == HTTP_POST || request->method == HTTP_PUT);
	size_t weight = has_body ? json_weight(request->body, request->body_size) : 0;
	if (weight > REQUEST_MEMORY_MAX)
		return reply_error(call->reply, HTTP_TOO_LARGE, "the body has more in it than any request of ours");
	if (!reply_claim(call->reply, weight))
		return false;
	if (has_body)
		call->body = json_loadb(request->body, request->body_size, 0, &error);
	else
		call->body = json_object();
	if (!json_is_object(call->body))
		return reply_error(call->reply, HTTP_BAD_REQUEST, "the body is not a JSON object: %s",
				   call->body != NULL ? "it is something else" : error.text);
	json_t *parameters = json_object_get(call->body, "parameters");
	call->parameters = json_is_object(parameters) ? parameters : call->body;
	return true;
}

void router_handle(void *context, const struct http_request *request, struct reply *reply)
{
	const struct router *router = context;
	endpoint_function *endpoint;
	struct call call = { .service = router->service, .request = request, .reply = reply, .json = &reply->json };
	switch (router_find(router->routes, request->method, &request->target, &endpoint, call.captured)) {
	case ROUTER_FOUND:
		if (read_body(&call))
			endpoint(&call);
		json_decref(call.body);
		break;
	case ROUTER_NO_METHOD:
		reply_error(reply, HTTP_NOT_ALLOWED, "this address does not take this method");
		break;
	case ROUTER_NO_PATH:
		reply_error(reply, HTTP_NOT_FOUND, "there is nothing at this address");
		break;
	}
}

/* ---- http ---------------------------------------------------------------------------------------------------- */

union http_address {
	struct sockaddr any;
	struct sockaddr_in four;
	struct sockaddr_in6 six;
};

/* Room beyond `connections` for those that come while another one is being shut. */
enum { HTTP_WATCH_MARGIN = 32 };

/* As large as a request for the states of a hundred thousand rows. */
enum { HTTP_BODY_MAX = 4 * 1024 * 1024 };

/* ---- http address -------------------------------------------------------------------------------------------- */

/* Reads "127.0.0.1" or "::1".  `is_public`: other machines may reach it.  Returns false if it is not an address. */
static bool http_address_read(const char *text, uint16_t port, union http_address *out, bool *is_public)
{
	*out = (union http_address){ 0 };
	if (inet_pton(AF_INET, text, &out->four.sin_addr) == 1) {
		out->four.sin_family = AF_INET;
		out->four.sin_port = htons(port);
		*is_public = ntohl(out->four.sin_addr.s_addr) >> 24 != 127;
		return true;
	}
	if (inet_pton(AF_INET6, text, &out->six.sin6_addr) == 1) {
		out->six.sin6_family = AF_INET6;
		out->six.sin6_port = htons(port);
		*is_public = !IN6_IS_ADDR_LOOPBACK(&out->six.sin6_addr);
		return true;
	}
	return false;
}

/* ---- http memory --------------------------------------------------------------------------------------------- */

enum {
	ANSWER_CLAIM = 4 << 20, /* most answers take less */
	MEASURE_NS = 5 * 1000 * 1000,
	NAP_NS = 5 * 1000 * 1000,
};

static size_t allocated(void)
{
	struct mallinfo2 info = mallinfo2();
	return info.uordblks + info.hblkhd;
}

/* ---- all under the mutex --------------------------------------------------------------------------------- */

/* The greater of what is taken and of what is claimed counts, as what is claimed is taken sooner or later. */
static bool fits(struct http_memory *memory, size_t more)
{
	int64_t now = monotonic_ns();
	if (now - memory->measured_ns >= MEASURE_NS) {
		size_t bytes = allocated();
		memory->taken = bytes > memory->resting ? bytes - memory->resting : 0;
		memory->measured_ns = now;
	}
	return memory->taken <= memory->ceiling && memory->claimed <= memory->ceiling &&
	       more <= memory->ceiling - memory->claimed;
}

/* Returns whether an answer that is under way may take `more` bytes. */
static bool may_take(struct http_memory *memory, const struct memory_share *share, size_t more)
{
	return memory->first == share || fits(memory, more);
}

/* ---- waiting --------------------------------------------------------------------------------------------- */

static bool take_now(struct http_memory *memory, struct memory_share *share, size_t more)
{
	pthread_mutex_lock(&memory->mutex);
	bool taken =
		share->is_under_way ? may_take(memory, share, more) : memory->first == NULL || fits(memory, more);
	if (taken && !share->is_under_way) {
		if (memory->first == NULL) {
			memory->resting = allocated();
			memory->taken = 0;
			memory->first = share;
		} else {
			memory->last->after = share;
		}
		share->before = memory->last;
		memory->last = share;
		share->is_under_way = true;
	}
	if (taken) {
		share->claimed += more;
		memory->claimed += more;
	}
	pthread_mutex_unlock(&memory->mutex);
	return taken;
}

/* Waits until the answer may take `more` bytes, and claims them.  Returns false if time is over. */
static bool http_memory_claim(struct http_memory *memory, struct memory_share *share, size_t more, int milliseconds)
{
	static const struct timespec nap = { .tv_nsec = NAP_NS };
	const int64_t until = monotonic_ns() + (int64_t)milliseconds * 1000000;
	while (!take_now(memory, share, more)) {
		if (monotonic_ns() >= until)
			return false;
		nanosleep(&nap, NULL);
	}
	return true;
}

/* Waits until there is room for another answer, for so long.  Returns false if there was none. */
static bool http_memory_begin(struct http_memory *memory, struct memory_share *share, int milliseconds)
{
	return http_memory_claim(memory, share, ANSWER_CLAIM, milliseconds);
}

/* Returns whether an answer may go on. */
static bool http_memory_goes_on(struct http_memory *memory, const struct memory_share *share)
{
	pthread_mutex_lock(&memory->mutex);
	bool goes_on = may_take(memory, share, 0);
	pthread_mutex_unlock(&memory->mutex);
	return goes_on;
}

/* The answer was taken, or given up; it may not have begun. */
static void http_memory_end(struct http_memory *memory, struct memory_share *share)
{
	if (!share->is_under_way)
		return;
	pthread_mutex_lock(&memory->mutex);
	*(share->before != NULL ? &share->before->after : &memory->first) = share->after;
	*(share->after != NULL ? &share->after->before : &memory->last) = share->before;
	memory->claimed -= share->claimed;
	pthread_mutex_unlock(&memory->mutex);
	*share = (struct memory_share){ 0 };
}

/* ---- http guard ---------------------------------------------------------------------------------------------- */

enum { NAME_SIZE = 256 };

/* The name in "name:port" or "[address]:port", lower or upper case; false if it is not of that form. */
static bool host_name(const char *host, char name[NAME_SIZE])
{
	bool is_bracketed = host[0] == '[';
	const char *from = host + is_bracketed;
	size_t size = strcspn(from, is_bracketed ? "]" : ":");
	const char *rest = from + size + (is_bracketed && from[size] == ']');
	if (size == 0 || size >= NAME_SIZE || (is_bracketed && from[size] != ']'))
		return false;
	if (*rest == ':')
		rest += 1 + strspn(rest + 1, "0123456789");
	if (*rest != '\0')
		return false;
	memcpy(name, from, size);
	name[size] = '\0';
	return true;
}

static bool is_address(const char *name)
{
	struct in6_addr address;
	return inet_pton(AF_INET, name, &address) == 1 || inet_pton(AF_INET6, name, &address) == 1;
}

static bool is_loopback(const char *name)
{
	struct in_addr address;
	if (strcasecmp(name, "localhost") == 0 || strcmp(name, "::1") == 0)
		return true;
	return inet_pton(AF_INET, name, &address) == 1 && ntohl(address.s_addr) >> 24 == 127;
}

static bool is_own_name(const char *name)
{
	char own[NAME_SIZE] = "";
	if (gethostname(own, sizeof(own) - 1) != 0 || own[0] == '\0')
		return false;
	size_t size = strlen(own);
	/* Alone, or with a domain after it. */
	return strncasecmp(name, own, size) == 0 && (name[size] == '\0' || name[size] == '.');
}

bool http_guard_host(const char *host, bool is_public)
{
	char name[NAME_SIZE];
	if (host == NULL || !host_name(host, name))
		return false;
	if (is_loopback(name))
		return true;
	return is_public && (is_address(name) || is_own_name(name));
}

bool http_guard_origin(const char *origin, const char *host, const char *allowed)
{
	static const char *const schemes[] = { "http://", "https://" };
	char name[NAME_SIZE];
	if (allowed != NULL && strcasecmp(origin, allowed) == 0)
		return true;
	if (strncmp(origin, "vscode-webview://", strlen("vscode-webview://")) == 0)
		return true;
	for (size_t i = 0; i < sizeof(schemes) / sizeof(schemes[0]); i++) {
		size_t size = strlen(schemes[i]);
		if (strncasecmp(origin, schemes[i], size) != 0)
			continue;
		if (host != NULL && strcasecmp(origin + size, host) == 0)
			return true;
		return host_name(origin + size, name) && is_loopback(name);
	}
	return false;
}

/* ---- http watch ---------------------------------------------------------------------------------------------- */

enum { LOOK_MS = 250 }; /* between two looks, while there are connections */

#define NO_LIMIT INT64_MAX
struct watched {
	struct watched *next, **link; /* what points to it */
	int socket;
	bool is_shut;
	int64_t until_ms;    /* of the monotonic clock */
	uint64_t waits_from; /* the turn at which it began to have no whole request; NOT_WAITING: it has one */
};

#define NOT_WAITING UINT64_MAX
/* Always holds: a socket in the list is open, so that none of a stranger is shut which has its number. */
struct http_watch {
	pthread_mutex_t mutex;
	pthread_cond_t wake;
	pthread_t thread;
	struct watched *first;
	size_t count, count_max; /* of those that are not closed yet */
	uint64_t turn;
	bool ends;
};

/* Its thread finds out, and has it removed. */
static void shut(struct http_watch *watch, struct watched *watched)
{
	shutdown(watched->socket, SHUT_RDWR);
	watched->until_ms = NO_LIMIT;
	watched->waits_from = NOT_WAITING;
	watch->count -= !watched->is_shut;
	watched->is_shut = true;
}

static void *look(void *context)
{
	struct http_watch *watch = context;
	pthread_mutex_lock(&watch->mutex);
	while (!watch->ends) {
		int64_t next = monotonic_ms() + LOOK_MS;
		const struct timespec until = { .tv_sec = next / 1000, .tv_nsec = next % 1000 * 1000000 };
		if (watch->first == NULL)
			pthread_cond_wait(&watch->wake, &watch->mutex);
		else
			pthread_cond_clockwait(&watch->wake, &watch->mutex, CLOCK_MONOTONIC, &until);
		int64_t now = monotonic_ms();
		for (struct watched *each = watch->first; each != NULL; each = each->next)
			if (each->until_ms <= now)
				shut(watch, each);
	}
	pthread_mutex_unlock(&watch->mutex);
	return NULL;
}

static enum histree_status http_watch_create(size_t connections, struct http_watch **out,
					     struct histree_error *error)
{
	struct http_watch *watch = *out = calloc(1, sizeof(*watch));
	if (watch == NULL)
		return error_memory(error, "a server");
	watch->count_max = connections;
	pthread_mutex_init(&watch->mutex, NULL);
	pthread_cond_init(&watch->wake, NULL);
	if (thread_create(&watch->thread, look, watch))
		return HISTREE_OK;
	pthread_cond_destroy(&watch->wake);
	pthread_mutex_destroy(&watch->mutex);
	free(watch);
	*out = NULL;
	return error_memory(error, "a thread");
}

/* Frees the watch, whose connections were all removed.  NULL is allowed. */
static void http_watch_free(struct http_watch *watch)
{
	if (watch == NULL)
		return;
	pthread_mutex_lock(&watch->mutex);
	watch->ends = true;
	pthread_cond_signal(&watch->wake);
	pthread_mutex_unlock(&watch->mutex);
	pthread_join(watch->thread, NULL);
	pthread_cond_destroy(&watch->wake);
	pthread_mutex_destroy(&watch->mutex);
	free(watch);
}

/*
 * Watches a connection, which has no limit yet and no request; if there are too many now, another one is shut.
 * Returns NULL if memory runs out.
 */
static struct watched *http_watch_add(struct http_watch *watch, int socket)
{
	struct watched *watched = malloc(sizeof(*watched));
	if (watched == NULL)
		return NULL;
	pthread_mutex_lock(&watch->mutex);
	if (watch->count >= watch->count_max) {
		/*
		 * The one that has been without a whole request for the longest; none, if all that there are have
		 * one.
		 */
		struct watched *oldest = NULL;
		for (struct watched *each = watch->first; each != NULL; each = each->next)
			if (each->waits_from != NOT_WAITING &&
			    (oldest == NULL || each->waits_from < oldest->waits_from))
				oldest = each;
		if (oldest != NULL)
			shut(watch, oldest);
	}
	watch->count++;
	*watched = (struct watched){ .next = watch->first,
				     .link = &watch->first,
				     .socket = socket,
				     .until_ms = NO_LIMIT,
				     .waits_from = watch->turn++ };
	if (watch->first != NULL)
		watch->first->link = &watched->next;
	watch->first = watched;
	pthread_cond_signal(&watch->wake);
	pthread_mutex_unlock(&watch->mutex);
	return watched;
}

/*
 * Gives a connection so long from now on, instead of what is left, for a request or, if that is whole, for the
 * answer. NULL is allowed.
 */
static void http_watch_allow(struct http_watch *watch, struct watched *watched, int milliseconds, bool has_request)
{
	if (watched == NULL)
		return;
	pthread_mutex_lock(&watch->mutex);
	if (!watched->is_shut)
		watched->until_ms = monotonic_ms() + milliseconds;
	if (has_request || watched->is_shut)
		watched->waits_from = NOT_WAITING;
	else if (watched->waits_from == NOT_WAITING)
		watched->waits_from = watch->turn++;
	pthread_mutex_unlock(&watch->mutex);
}

/* The socket is going to be closed.  NULL is allowed. */
static void http_watch_remove(struct http_watch *watch, struct watched *watched)
{
	if (watched == NULL)
		return;
	pthread_mutex_lock(&watch->mutex);
	watch->count -= !watched->is_shut;
	*watched->link = watched->next;
	if (watched->next != NULL)
		watched->next->link = watched->link;
	pthread_mutex_unlock(&watch->mutex);
	free(watched);
}

/* ---- http ---------------------------------------------------------------------------------------------------- */

enum {
	THREAD_STACK_SIZE = 512 * 1024,
	HEADERS_SIZE_MAX = 32 * 1024,
	ZIP_SIZE_MIN = 1024 /* below, a packet more or less */
};

// clang-format off
#define MICROHTTPD_FUNCTIONS(F)                              \
	F(MHD_, add_response_header)                                \
	F(MHD_, create_response_from_buffer)                        \
	F(MHD_, create_response_from_callback)                      \
	F(MHD_, destroy_response)                                   \
	F(MHD_, get_connection_info)                                \
	F(MHD_, get_daemon_info)                                    \
	F(MHD_, lookup_connection_value)                            \
	F(MHD_, queue_response)                                     \
	F(MHD_, start_daemon)                                       \
	F(MHD_, stop_daemon)
// clang-format on
static struct {
	MICROHTTPD_FUNCTIONS(LIBRARY_POINTER)
} lib_microhttpd;

static struct library microhttpd = LIBRARY("libmicrohttpd.so.12", "the server needs it (Debian: libmicrohttpd12)",
					   MICROHTTPD_FUNCTIONS, lib_microhttpd);

struct http {
	struct MHD_Daemon *daemon;
	struct http_options options;
	char *allowed_origin;
	bool is_public; /* not only reachable from this machine */
	uint16_t port;
	sem_t turns; /* how many more answers may be made now */
	struct http_watch *watch;
	struct http_memory memory; /* of all answers */
	atomic_size_t bodies;      /* bytes that requests have announced or sent */
};

/* One request, from its first line to the last byte of the reply. */
struct exchange {
	struct http_request request;
	enum target_result target_result;
	bool has_begun; /* the headers were looked at */
	char *body;
	size_t body_size, body_capacity;
	size_t body_claimed; /* of the bytes of all bodies */
	struct watched *watched;
	struct http *http;
	struct memory_share memory;
	struct reply reply;
	const char *ready; /* made, not yet sent */
	size_t ready_size;
};

/* ---- requests ---------------------------------------------------------------------------------------- */

/* libmicrohttpd would decode before the path is cut; target.h does both. */
static size_t keep_escapes(void *context, struct MHD_Connection *connection, char *text)
{
	(void)context;
	(void)connection;
	return strlen(text);
}

/* A connection was accepted, or is going to be closed. */
static void notice_connection(void *context, struct MHD_Connection *connection, void **watched,
			      enum MHD_ConnectionNotificationCode what)
{
	const struct http *http = context;
	const union MHD_ConnectionInfo *info;
	if (what == MHD_CONNECTION_NOTIFY_CLOSED) {
		http_watch_remove(http->watch, *watched);
		*watched = NULL;
		return;
	}
	info = lib_microhttpd.get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
	*watched = info != NULL ? http_watch_add(http->watch, info->connect_fd) : NULL;
	http_watch_allow(http->watch, *watched, http->options.limits.request_ms, false);
}

/* With the first line of a request. */
static void *begin_exchange(void *context, const char *uri, struct MHD_Connection *connection)
{
	const struct http *http = context;
	struct exchange *exchange = calloc(1, sizeof(*exchange));
	if (exchange == NULL)
		return NULL;
	reply_init(&exchange->reply);
	exchange->target_result = target_parse(&exchange->request.target, uri);
	const union MHD_ConnectionInfo *info =
		lib_microhttpd.get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
	exchange->watched = info != NULL ? info->socket_context : NULL;
	http_watch_allow(http->watch, exchange->watched, http->options.limits.request_ms, false);
	return exchange;
}

static void end_exchange(void *context, struct MHD_Connection *connection, void **request,
			 enum MHD_RequestTerminationCode reason)
{
	(void)connection;
	struct http *http = context;
	struct exchange *exchange = *request;
	if (exchange == NULL)
		return;
	if (reason == MHD_REQUEST_TERMINATED_COMPLETED_OK)
		http_watch_allow(http->watch, exchange->watched, http->options.limits.request_ms, false);
	atomic_fetch_sub(&http->bodies, exchange->body_claimed);
	reply_release(&exchange->reply);
	http_memory_end(&http->memory, &exchange->memory);
	target_release(&exchange->request.target);
	free(exchange->body);
	free(exchange);
	*request = NULL;
}

/* Counts bytes of a body before they come.  Returns false if that is too many of all bodies. */
static bool claim_body(struct http *http, struct exchange *exchange, size_t size)
{
	if (size <= exchange->body_claimed)
		return true;
	size_t more = size - exchange->body_claimed;
	if (atomic_fetch_add(&http->bodies, more) + more > http->options.limits.bodies) {
		atomic_fetch_sub(&http->bodies, more);
		return false;
	}
	exchange->body_claimed = size;
	return true;
}

static bool take_body(struct http *http, struct exchange *exchange, const char *bytes, size_t size)
{
	if (size > HTTP_BODY_MAX - exchange->body_size || !claim_body(http, exchange, exchange->body_size + size) ||
	    !array_reserve(&exchange->body, &exchange->body_capacity, exchange->body_size + size))
		return false;
	memcpy(exchange->body + exchange->body_size, bytes, size);
	exchange->body_size += size;
	return true;
}

static const char *header(struct MHD_Connection *connection, const char *name)
{
	return lib_microhttpd.lookup_connection_value(connection, MHD_HEADER_KIND, name);
}

/* Returns the size of the body as announced; a body that is sent in chunks does not say it. */
static unsigned long long announced_size(struct MHD_Connection *connection)
{
	const char *size = header(connection, "Content-Length");
	return size != NULL ? strtoull(size, NULL, 10) : 0;
}

/* What is wrong with a request before the server looks at what it asks for; false if nothing is. */
static bool refuse(struct http *http, struct exchange *exchange, struct MHD_Connection *connection)
{
	struct reply *reply = &exchange->reply;
	const char *host = header(connection, "Host"), *origin = header(connection, "Origin");
	if (!http_guard_host(host, http->is_public))
		reply_error(reply, HTTP_FORBIDDEN, "'%.80s' is not a name of this machine; use localhost",
			    host != NULL ? host : "");
	else if (origin != NULL && !http_guard_origin(origin, host, http->allowed_origin))
		reply_error(reply, HTTP_FORBIDDEN, "pages of '%.80s' may not ask; see --allow-origin", origin);
	else if (exchange->target_result == TARGET_TOO_LARGE)
		reply_error(reply, HTTP_URI_TOO_LONG, "the address is too long");
	else if (exchange->target_result != TARGET_OK)
		reply_error(reply, HTTP_BAD_REQUEST, "the address cannot be read");
	else if (announced_size(connection) > HTTP_BODY_MAX)
		reply_error(reply, HTTP_TOO_LARGE, "the request is larger than %d bytes", HTTP_BODY_MAX);
	else if (!claim_body(http, exchange, (size_t)announced_size(connection)))
		reply_error(reply, HTTP_BUSY, "the server is busy; try again soon");
	else
		return false;
	return true;
}

/* ---- answers ----------------------------------------------------------------------------------------- */

static ssize_t read_reply(void *context, uint64_t position, char *bytes, size_t room)
{
	(void)position;
	struct exchange *exchange = context;
	if (exchange->ready_size == 0 && !reply_next(&exchange->reply, &exchange->ready, &exchange->ready_size))
		return MHD_CONTENT_READER_END_WITH_ERROR;
	if (exchange->ready_size == 0)
		return MHD_CONTENT_READER_END_OF_STREAM;
	size_t size = exchange->ready_size < room ? exchange->ready_size : room;
	memcpy(bytes, exchange->ready, size);
	exchange->ready += size;
	exchange->ready_size -= size;
	return (ssize_t)size;
}

static bool may_zip(struct MHD_Connection *connection)
{
	const char *accepted = header(connection, "Accept-Encoding");
	const char *found = accepted != NULL ? strcasestr(accepted, "gzip") : NULL;
	if (found == NULL)
		return false;
	/* "gzip;q=0" refuses it. */
	const char *rest = found + strlen("gzip");
	return strncmp(rest, ";q=0", 4) != 0 ||
	       (rest[4] == '.' && strspn(rest + 5, "0") < strcspn(rest + 5, ",; "));
}

/*
 * The first piece is made before the headers are sent, so that what fails at once is an error like any other, and
 * what fits in a piece goes out in one go, with its length.
 */
static void make_first_piece(struct exchange *exchange, struct MHD_Connection *connection)
{
	struct reply *reply = &exchange->reply;
	bool is_small = reply->fixed == NULL && reply->steps.state == NULL && reply->body.size < ZIP_SIZE_MIN;
	if (!is_small && may_zip(connection))
		reply_zip(reply);
	if (reply_next(reply, &exchange->ready, &exchange->ready_size) && !reply->is_crowded)
		return;
	reply_unzip(reply);
	reply->is_cut = false;
	if (!reply->is_crowded && reply->error.message[0] == '\0')
		error_memory(&reply->error, "an answer");
	reply_failure(reply);
	if (!reply_next(reply, &exchange->ready, &exchange->ready_size))
		exchange->ready_size = 0;
}

/*
 * What a page of ours may load and ask: files of this server.  A name of a trace that became markup, which it must
 * not, could run nothing and send nothing anywhere.  Pictures to be saved are made of text (save.js).
 */
static const char page_policy[] = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
				  "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'";

static enum MHD_Result send_reply(struct exchange *exchange, struct MHD_Connection *connection)
{
	const struct reply *reply = &exchange->reply;
	struct MHD_Response *response;
	make_first_piece(exchange, connection);
	if (reply->is_done && exchange->ready_size <= PIECE_SIZE) {
		/* The bytes live until the exchange ends, which is after the response. */
		response = lib_microhttpd.create_response_from_buffer(
			exchange->ready_size, (void *)(uintptr_t)exchange->ready, MHD_RESPMEM_PERSISTENT);
	} else {
		response = lib_microhttpd.create_response_from_callback(MHD_SIZE_UNKNOWN, PIECE_SIZE, read_reply,
									exchange, NULL);
	}
	if (response == NULL)
		return MHD_NO;
	static const char *const for_all[][2] = {
		{ "Access-Control-Allow-Origin", "*" },
		{ "Access-Control-Allow-Headers", "origin, content-type, accept, authorization" },
		{ "Access-Control-Allow-Methods", "GET, POST, PUT, DELETE, OPTIONS, HEAD" },
		{ "Access-Control-Max-Age", "600" },
		{ "X-Content-Type-Options", "nosniff" },
		{ "Vary", "Accept-Encoding, Origin" },
	};
	/* A page that was refused is not let read why. */
	for (size_t i = reply->status == HTTP_FORBIDDEN ? 3 : 0; i < sizeof(for_all) / sizeof(for_all[0]); i++)
		lib_microhttpd.add_response_header(response, for_all[i][0], for_all[i][1]);
	lib_microhttpd.add_response_header(response, "Content-Type", reply->content_type);
	if (strncmp(reply->content_type, "text/html", strlen("text/html")) == 0)
		lib_microhttpd.add_response_header(response, "Content-Security-Policy", page_policy);
	lib_microhttpd.add_response_header(response, "Cache-Control",
					   reply->cache_control != NULL ? reply->cache_control : "no-store");
	if (reply->gzip != NULL)
		lib_microhttpd.add_response_header(response, "Content-Encoding", "gzip");
	if (reply->status == HTTP_BUSY)
		lib_microhttpd.add_response_header(response, "Retry-After", "1");
	enum MHD_Result result = lib_microhttpd.queue_response(connection, (unsigned)reply->status, response);
	lib_microhttpd.destroy_response(response);
	return result;
}

/* Clients that want no more of an answer close the connection: at least their half of it. */
static bool is_wanted(void *context)
{
	const union MHD_ConnectionInfo *info =
		lib_microhttpd.get_connection_info(context, MHD_CONNECTION_INFO_CONNECTION_FD);
	if (info == NULL)
		return true;
	struct pollfd asked = { .fd = info->connect_fd, .events = POLLRDHUP };
	return poll(&asked, 1, 0) <= 0 || (asked.revents & (POLLRDHUP | POLLHUP | POLLERR)) == 0;
}

static bool has_room(void *context, size_t more)
{
	struct exchange *exchange = context;
	struct http_memory *memory = &exchange->http->memory;
	return more == 0
		       ? http_memory_goes_on(memory, &exchange->memory)
		       : http_memory_claim(memory, &exchange->memory, more, exchange->http->options.limits.turn_ms);
}

static struct timespec in_ms(int milliseconds)
{
	struct timespec time;
	clock_gettime(CLOCK_MONOTONIC, &time);
	time.tv_nsec += (long)(milliseconds % 1000) * 1000000;
	time.tv_sec += milliseconds / 1000 + time.tv_nsec / 1000000000;
	time.tv_nsec %= 1000000000;
	return time;
}

static bool wait_for_turn(struct http *http)
{
	const struct timespec until = in_ms(http->options.limits.turn_ms);
	int result;
	do {
		result = sem_clockwait(&http->turns, CLOCK_MONOTONIC, &until);
	} while (result != 0 && errno == EINTR);
	return result == 0;
}

/* A turn is for making an answer, up to its first piece: a client that reads or sends slowly does not hold one. */
static enum MHD_Result make_answer(struct http *http, struct exchange *exchange, struct MHD_Connection *connection)
{
	const struct http_limits *limits = &http->options.limits;
	http_watch_allow(http->watch, exchange->watched, 2 * limits->turn_ms + limits->answer_ms, true);
	if (!wait_for_turn(http)) {
		reply_error(&exchange->reply, HTTP_BUSY, "the server is busy; try again soon");
		return send_reply(exchange, connection);
	}
	if (!http_memory_begin(&http->memory, &exchange->memory, limits->turn_ms)) {
		sem_post(&http->turns);
		reply_error(&exchange->reply, HTTP_BUSY, "the server is busy; try again soon");
		return send_reply(exchange, connection);
	}
	exchange->http = http;
	exchange->reply.has_room = has_room;
	exchange->reply.room_context = exchange;
	const struct timespec deadline = in_ms(limits->answer_ms);
	exchange->reply.deadline_ns = (int64_t)deadline.tv_sec * 1000000000 + deadline.tv_nsec;
	http_watch_allow(http->watch, exchange->watched, limits->answer_ms, true);
	http->options.handle(http->options.context, &exchange->request, &exchange->reply);
	enum MHD_Result result = send_reply(exchange, connection);
	sem_post(&http->turns);
	return result;
}

/* Called with the headers, then for each part of the body, then once more. */
static enum MHD_Result take_request(void *context, struct MHD_Connection *connection, const char *url,
				    const char *method, const char *version, const char *bytes, size_t *size,
				    void **request)
{
	(void)url;
	(void)version;
	struct http *http = context;
	struct exchange *exchange = *request;
	if (exchange == NULL)
		return MHD_NO;
	if (!exchange->has_begun) {
		exchange->has_begun = true;
		return refuse(http, exchange, connection) ? send_reply(exchange, connection) : MHD_YES;
	}
	if (*size > 0) {
		/* In the middle of a body there is no answering: the connection is closed. */
		enum MHD_Result result = take_body(http, exchange, bytes, *size) ? MHD_YES : MHD_NO;
		*size = 0;
		return result;
	}
	exchange->reply.is_wanted = is_wanted;
	exchange->reply.wanted_context = connection;
	exchange->request.body = exchange->body;
	exchange->request.body_size = exchange->body_size;
	if (strcmp(method, "OPTIONS") == 0)
		return send_reply(exchange, connection);
	static const char *const names[HTTP_METHOD_COUNT] = { "GET", "POST", "PUT", "DELETE" };
	for (size_t i = 0; i < HTTP_METHOD_COUNT; i++) {
		if (strcmp(method, names[i]) == 0) {
			exchange->request.method = (enum http_method)i;
			return make_answer(http, exchange, connection);
		}
	}
	exchange->request.method = HTTP_GET; /* of a HEAD, libmicrohttpd drops the body */
	if (strcmp(method, "HEAD") == 0)
		return make_answer(http, exchange, connection);
	reply_error(&exchange->reply, HTTP_NOT_ALLOWED, "no method '%.20s'", method);
	return send_reply(exchange, connection);
}

/* ---- the server -------------------------------------------------------------------------------------- */

static enum histree_status start_daemon(struct http *http, struct histree_error *error)
{
	union http_address address;
	const struct http_options *options = &http->options;
	if (!http_address_read(options->bind, options->port, &address, &http->is_public))
		return error_set(error, HISTREE_ERR_ARGUMENT,
				 "'%s' is not an address in numbers, like 127.0.0.1 or ::1", options->bind);
	unsigned flags = MHD_USE_THREAD_PER_CONNECTION | MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_POLL |
			 (address.any.sa_family == AF_INET6 ? MHD_USE_IPv6 : 0);
	enum histree_status status = library_load(&microhttpd, error);
	if (status != HISTREE_OK)
		return status;
	errno = 0;
	http->daemon = lib_microhttpd.start_daemon(
		flags, options->port, NULL, NULL, take_request, http,  /* */
		MHD_OPTION_SOCK_ADDR, &address.any,                    /* */
		MHD_OPTION_URI_LOG_CALLBACK, begin_exchange, http,     /* */
		MHD_OPTION_NOTIFY_COMPLETED, end_exchange, http,       /* */
		MHD_OPTION_NOTIFY_CONNECTION, notice_connection, http, /* */
		MHD_OPTION_UNESCAPE_CALLBACK, keep_escapes, NULL,      /* */
		MHD_OPTION_CONNECTION_LIMIT, (unsigned)options->limits.connections + HTTP_WATCH_MARGIN,
		MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)(options->limits.idle_ms + 999) / 1000,
		MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)HEADERS_SIZE_MAX, MHD_OPTION_THREAD_STACK_SIZE,
		(size_t)THREAD_STACK_SIZE, MHD_OPTION_END);
	if (http->daemon == NULL)
		return error_set(error, HISTREE_ERR_IO,
				 "cannot listen at %s port %u: %s; choose another with --port", options->bind,
				 options->port, errno != 0 ? strerror(errno) : "refused");
	const union MHD_DaemonInfo *info = lib_microhttpd.get_daemon_info(http->daemon, MHD_DAEMON_INFO_BIND_PORT);
	http->port = info != NULL && info->port != 0 ? info->port : options->port;
	return HISTREE_OK;
}

/* Connections are files, and stores need some too: without one left, no client could be let in and shut out. */
static int connections_that_fit(int wanted)
{
	struct rlimit files;
	if (getrlimit(RLIMIT_NOFILE, &files) != 0 || files.rlim_cur / 2 > (rlim_t)wanted)
		return wanted;
	return (int)(files.rlim_cur / 2) + 1;
}

enum histree_status http_start(const struct http_options *options, struct http **out, struct histree_error *error)
{
	*out = NULL;
	struct http *http = calloc(1, sizeof(*http));
	if (http == NULL)
		return error_memory(error, "a server");
	http->options = *options;
	http->memory.ceiling = options->limits.memory;
	pthread_mutex_init(&http->memory.mutex, NULL);
	sem_init(&http->turns, 0, (unsigned)options->limits.answers);
	http->options.limits.connections = connections_that_fit(options->limits.connections);
	enum histree_status status =
		http_watch_create((size_t)http->options.limits.connections, &http->watch, error);
	if (status == HISTREE_OK && options->allowed_origin != NULL) {
		http->allowed_origin = strdup(options->allowed_origin);
		if (http->allowed_origin == NULL)
			status = error_memory(error, "a server");
	}
	if (status == HISTREE_OK)
		status = start_daemon(http, error);
	if (status != HISTREE_OK) {
		http_stop(http);
		return status;
	}
	*out = http;
	return HISTREE_OK;
}

uint16_t http_port(const struct http *http)
{
	return http->port;
}

void http_stop(struct http *http)
{
	if (http == NULL)
		return;
	if (http->daemon != NULL)
		lib_microhttpd.stop_daemon(http->daemon);
	http_watch_free(http->watch);
	sem_destroy(&http->turns);
	pthread_mutex_destroy(&http->memory.mutex);
	free(http->allowed_origin);
	free(http);
}
