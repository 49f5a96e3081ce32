/* SPDX-License-Identifier: MIT */
/*
 * http.h - requests come in, answers go out.  The only file that knows libmicrohttpd.
 *
 * Each connection has a thread, in which its requests are handled one after the other.  Before a handler sees a
 * request, http has checked its size, that `Host` names this machine (else a foreign name bound to our address
 * would make us part of a foreign page, "DNS rebinding"), and that `Origin`, if there is one, may ask us.
 */
#ifndef SERVER_HTTP_HTTP_H
#define SERVER_HTTP_HTTP_H

#include <stdint.h>

#include "server/http/reply.h"
#include "server/http/target.h"

/* As large as a request for the states of a hundred thousand rows. */
enum { HTTP_BODY_MAX = 4 * 1024 * 1024 };

enum http_method { HTTP_GET, HTTP_POST, HTTP_PUT, HTTP_DELETE, HTTP_METHOD_COUNT };

struct http_request {
	enum http_method method;
	struct target target;
	const char *body; /* NULL: there is none */
	size_t body_size;
};

struct http_options {
	const char *bind;           /* an address in numbers, "127.0.0.1", "::1" */
	uint16_t port;              /* 0: any that is free */
	const char *allowed_origin; /* besides those of this machine; NULL: none */
	/* Fill `answer`, which is empty and whose status is HTTP_OK.  From many threads at once. */
	void (*handle)(void *context, const struct http_request *request, struct reply *reply);
	void *context;
};

struct http;

/* Returns HISTREE_ERR_ARGUMENT if the address is none, HISTREE_ERR_IO if the server cannot listen at it. */
enum histree_status http_start(const struct http_options *options, struct http **out, struct histree_error *error);

uint16_t http_port(const struct http *http);

/* Waits for the requests that are under way and frees the server.  NULL is allowed. */
void http_stop(struct http *http);

#endif
