/* SPDX-License-Identifier: MIT */
/*
 * ctf_live_relay.h - a connection to a relay daemon of LTTng, on which nothing is waited for without end.
 *
 * An answer must begin within five seconds, and each 64 KiB of it may take one more.  The first failure ends the
 * connection: every call after it fails too.
 */
#ifndef TRACE_CTF_CTF_LIVE_RELAY_H
#define TRACE_CTF_CTF_LIVE_RELAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "histree/cancel.h"
#include "histree/status.h"

/* What carries the bytes.  Tests have others than the socket. */
struct live_wire {
	/* Wait up to so many ms until something can be sent, or received; -1: the connection is broken. */
	int (*wait)(void *context, bool to_send, int ms);
	/* As send(2) and recv(2) of a socket that does not block. */
	ssize_t (*send)(void *context, const void *bytes, size_t size);
	ssize_t (*receive)(void *context, void *bytes, size_t size);
	int64_t (*now_ms)(void *context);
	void (*close)(void *context);
};

struct live_relay {
	const struct live_wire *wire; /* NULL: there is no connection */
	void *context;
	int socket;
	const char *place; /* "HOST" or "HOST:PORT", up to a slash or the end; borrowed */
	int place_size;
	const struct histree_cancel *cancel; /* asked while something is waited for; may be NULL */
	bool is_attached;                    /* what fails now is a session that was read, not an address */
	int64_t end_ms;                      /* by when the daemon must have answered */
};

/*
 * Connect to the daemon at a place.  Returns HISTREE_ERR_TRACE if none answers, and the message says what does;
 * HISTREE_ERR_CANCELLED as soon as `cancel` says so.
 */
enum histree_status live_relay_connect(struct live_relay *relay, const char *place,
				       const struct histree_cancel *cancel, struct histree_error *error);

void live_relay_close(struct live_relay *relay);

int64_t live_relay_now(const struct live_relay *relay);

/* Send a command and what belongs to it; an answer is then expected. */
enum histree_status live_relay_ask(struct live_relay *relay, uint32_t command, const void *body, size_t size,
				   struct histree_error *error);

/* Receive exactly so many bytes of the answer. */
enum histree_status live_relay_receive(struct live_relay *relay, void *bytes, size_t size,
				       struct histree_error *error);

/* What was received is no answer.  Returns HISTREE_ERR_TRACE. */
enum histree_status live_relay_no_answer(struct live_relay *relay, struct histree_error *error);

#endif
