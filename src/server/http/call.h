/* SPDX-License-Identifier: MIT */
/*
 * call.h - one request on its way through the router and an endpoint.
 */
#ifndef SERVER_HTTP_CALL_H
#define SERVER_HTTP_CALL_H

#include <jansson.h>

#include "server/http/http.h"

enum { CALL_CAPTURES_MAX = 2 };

/* What all endpoints share: catalogue/service.h.  The router only hands it on. */
struct service;

struct call {
	const struct service *service;
	const struct http_request *request;
	struct reply *reply;
	const char *captured[CALL_CAPTURES_MAX]; /* what the wild-cards of the route stand for */
	json_t *body;                            /* an object; empty where the request has none */
	json_t *parameters;                      /* the member of that name, else the body; borrowed */
};

typedef void endpoint_function(struct call *call);

#endif
