/* SPDX-License-Identifier: MIT */
/*
 * http_watch.h - how long each connection may take for what it is doing; then it is shut.
 *
 * A limit of idleness alone lets a client keep a thread for ever with a byte now and then: so a request has to be
 * whole, and an answer taken, by a time.  One thread looks at all connections.
 */
#ifndef SERVER_HTTP_HTTP_WATCH_H
#define SERVER_HTTP_HTTP_WATCH_H

#include "histree/status.h"

struct http_watch;
struct watched;

enum histree_status http_watch_create(struct http_watch **out, struct histree_error *error);

/* Frees the watch, whose connections were all removed.  NULL is allowed. */
void http_watch_free(struct http_watch *watch);

/* Watches a connection, which has no limit yet; returns NULL if memory is out. */
struct watched *http_watch_add(struct http_watch *watch, int socket);

/* Gives a connection so long from now on, instead of what is left.  NULL is allowed. */
void http_watch_allow(struct http_watch *watch, struct watched *watched, int milliseconds);

/* The socket is going to be closed.  NULL is allowed. */
void http_watch_remove(struct http_watch *watch, struct watched *watched);

#endif
