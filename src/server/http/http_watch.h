/* SPDX-License-Identifier: MIT */
/*
 * http_watch.h - how long each connection may take for what it is doing; then it is shut.
 *
 * A limit of idleness alone lets a client keep a thread for ever with a byte now and then: so a request has to be
 * whole, and an answer taken, by a time.  One thread looks at all connections.
 *
 * And where there are more connections than there may be, the one goes that has been without a whole request for
 * the longest: so no number of those that begin one and go no further keeps others out.
 */
#ifndef SERVER_HTTP_HTTP_WATCH_H
#define SERVER_HTTP_HTTP_WATCH_H

#include <stdbool.h>
#include <stddef.h>

#include "histree/status.h"

struct http_watch;
struct watched;

/* Room beyond `connections` for those that come while another one is being shut. */
enum { HTTP_WATCH_MARGIN = 32 };

enum histree_status http_watch_create(size_t connections, struct http_watch **out, struct histree_error *error);

/* Frees the watch, whose connections were all removed.  NULL is allowed. */
void http_watch_free(struct http_watch *watch);

/*
 * Watches a connection, which has no limit yet and no request; if there are too many now, another one is shut.
 * Returns NULL if memory is out.
 */
struct watched *http_watch_add(struct http_watch *watch, int socket);

/*
 * Gives a connection so long from now on, instead of what is left, for a request or, if that is whole, for the
 * answer. NULL is allowed.
 */
void http_watch_allow(struct http_watch *watch, struct watched *watched, int milliseconds, bool has_request);

/* The socket is going to be closed.  NULL is allowed. */
void http_watch_remove(struct http_watch *watch, struct watched *watched);

#endif
