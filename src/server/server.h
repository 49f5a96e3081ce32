/* SPDX-License-Identifier: MIT */
/*
 * server.h - stores over HTTP: the Trace Server Protocol below /tsp/api, the page's own interface below /api/v1,
 * and the page.
 *
 * The server runs in threads of its own from server_start() to server_stop().
 */
#ifndef SERVER_SERVER_H
#define SERVER_SERVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "histree/status.h"
#include "server/http/http.h"

extern const struct route routes[];

struct server_options {
	const char *const *paths; /* stores, and folders below which clients may open traces */
	size_t path_count;
	const char *bind;     /* NULL: 127.0.0.1 */
	uint16_t port;        /* 0: any that is free */
	const char *stores;   /* where stores of traces are made, and bookmarks kept; NULL: the current folder */
	bool trusts_stores;   /* read the traces that stores name wherever they are, not only below `paths` */
	const char *web_root; /* NULL: the page in the program */
	size_t memory;        /* of all answers together; 0: 512 MiB */
	const char *allowed_origin; /* NULL: only pages of this machine and of VS Code */
};

struct server;

/* The options' strings must live as long as the server. */
enum histree_status server_start(const struct server_options *options, struct server **out,
				 struct histree_error *error);

/* Returns the port that the server listens at. */
uint16_t server_port(const struct server *server);

/* Returns a sentence that the caller should show to the user; NULL if there is nothing to say. */
const char *server_warning(const struct server *server);

/* Ends builds and requests that are under way, and frees the server.  NULL is allowed. */
void server_stop(struct server *server);

#endif
