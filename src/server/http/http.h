/* SPDX-License-Identifier: MIT */
/*
 * http.h - HTTP on libmicrohttpd, which only this file uses: which clients may connect, with how much memory; the
 * endpoint that answers, which is the first row of a table that matches; and a request on its way to it.
 *
 * Each connection has a thread, in which its requests are handled one after the other.  Before a handler sees a
 * request, http has checked its size, that `Host` names this machine (else a foreign name bound to our address
 * would make us part of a foreign page, "DNS rebinding"), and that `Origin`, if there is one, may ask us.
 *
 * One ceiling holds for the memory of all answers together, from the turn of each until it was taken.  Their memory
 * is what the process has allocated in addition to its memory when no answer was in progress: stores and their
 * caches are not counted.  This is measured with a delay, so each answer claims some memory beforehand, and more if
 * it is known to be large.  Above the ceiling no answer begins, and of those in progress only the first one
 * continues, so that the ceiling is exceeded by one answer at most, and the excess always shrinks.
 */
#ifndef SERVER_HTTP_HTTP_H
#define SERVER_HTTP_HTTP_H

#include <jansson.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "histree/status.h"
#include "server/http/reply.h"

/* What an answer has of it; zeroed: nothing yet. */
struct memory_share {
	bool is_under_way;
	size_t claimed;
	struct memory_share *before, *after; /* in the order of their beginning */
};

/*
 * Whether a Host header ("localhost:8080") can only mean this machine: localhost or an address in numbers always,
 * the machine's own name where others may reach us (`is_public`).  Any other name could have been bound to our
 * address by its owner.
 */
bool http_guard_host(const char *host, bool is_public);

/*
 * Whether a page of this origin may ask: pages of this machine, of VS Code's webviews, of a public server's own
 * host, and of the one origin that the user has allowed (NULL: none).
 */
bool http_guard_origin(const char *origin, const char *host, const char *allowed);

struct http_watch;
struct watched;

/*
 * What a client may use of time and of the server.  If it asks for more it is told to come back later, or its
 * connection is closed.
 */
struct http_limits {
	/*
	 * Open at once, a thread each; an idle one costs 50 KB: one more shuts that which has been
	 * without a whole request for the longest.
	 */
	int connections;
	int answers;    /* made at the same time; other requests wait for their turn */
	int turn_ms;    /* to wait for it; then the answer is 503 with Retry-After */
	int idle_ms;    /* without a byte of a request or of an answer */
	int request_ms; /* for the first line of a request, and once more for the rest of it */
	int answer_ms;  /* to make an answer and to take it, from the turn on */
	size_t bodies;  /* bytes of all bodies that are being sent or answered; more are 503 */
	size_t memory;  /* bytes of all answers together (http.h); others wait, as for a turn, or are 503 */
};

/* What histree-serve(1) says. */
#define HTTP_LIMITS                                 \
	((struct http_limits){ .connections = 1024, \
			       .answers = 32,       \
			       .turn_ms = 20000,    \
			       .idle_ms = 30000,    \
			       .request_ms = 30000, \
			       .answer_ms = 120000, \
			       .bodies = 64 << 20,  \
			       .memory = 512 << 20 })

enum http_method { HTTP_GET, HTTP_POST, HTTP_PUT, HTTP_DELETE, HTTP_METHOD_COUNT };

struct http_request {
	enum http_method method;
	struct target target;
	const char *body; /* NULL: no body */
	size_t body_size;
};

struct http_options {
	const char *bind;           /* an address in numbers, "127.0.0.1", "::1" */
	uint16_t port;              /* 0: any that is free */
	const char *allowed_origin; /* besides those of this machine; NULL: none */
	struct http_limits limits;
	/* Fill `answer`, which is empty and whose status is HTTP_OK.  From many threads at once. */
	void (*handle)(void *context, const struct http_request *request, struct reply *reply);
	void *context;
};

struct http;

/* Returns HISTREE_ERR_ARGUMENT if it is no address, HISTREE_ERR_IO if the server cannot listen at it. */
enum histree_status http_start(const struct http_options *options, struct http **out, struct histree_error *error);
uint16_t http_port(const struct http *http);

/* Waits for the requests that are under way and frees the server.  NULL is allowed. */
void http_stop(struct http *http);

enum { CALL_CAPTURES_MAX = 3 };

/* What all endpoints share: catalogue/catalogue.h.  The router only hands it on. */
struct service;

struct call {
	const struct service *service;
	const struct http_request *request;
	struct reply *reply;
	struct json_writer *json;                /* of the reply */
	const char *captured[CALL_CAPTURES_MAX]; /* what the wild-cards of the route stand for */
	json_t *body;                            /* an object; empty where the request has none */
	json_t *parameters;                      /* the member of that name, else the body; borrowed */
	/* What an endpoint has found: a dataset, which the reply holds, and a view of it. */
	struct dataset *dataset;
	void *view;
	const char *part; /* of the view: an analysis of segments, a thread, a chart; NULL: it is not told apart */
};

typedef void endpoint_function(struct call *call);

struct route {
	enum http_method method;
	/* "traces/?": a '?' stands for any one segment, a '*' at the end for all that follow. */
	const char *pattern;
	endpoint_function *endpoint; /* NULL ends a table */
};

enum router_result { ROUTER_FOUND, ROUTER_NO_PATH, ROUTER_NO_METHOD };

/* The captures point into the target. */
enum router_result router_find(const struct route *routes, enum http_method method, const struct target *target,
			       endpoint_function **out, const char *captured[static CALL_CAPTURES_MAX]);

struct router {
	const struct route *routes;
	const struct service *service; /* handed to the endpoints */
};

/* Reads the body, finds the endpoint and has it answer; `context` is a struct router. */
void router_handle(void *context, const struct http_request *request, struct reply *reply);

#endif
