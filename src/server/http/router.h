/* SPDX-License-Identifier: MIT */
/*
 * router.h - which endpoint answers: the first row of a table that matches.
 */
#ifndef SERVER_HTTP_ROUTER_H
#define SERVER_HTTP_ROUTER_H

#include "server/http/call.h"

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
