/* SPDX-License-Identifier: MIT */
/*
 * ctf_live_relay.h - the sessions of a relay daemon, asked for within a time.
 *
 * babeltrace2 waits for ever for a daemon that takes a connection and says nothing.  So that one is asked here
 * first, by the protocol of LTTng's viewers, 2.4 (lttng-tools, lttng-viewer-abi.h): numbers are big-endian.
 */
#ifndef TRACE_CTF_CTF_LIVE_RELAY_H
#define TRACE_CTF_CTF_LIVE_RELAY_H

#include <stddef.h>

#include "histree/cancel.h"
#include "histree/status.h"

struct live_session {
	char host[65]; /* that is traced */
	char name[256];
};

struct live_sessions {
	struct live_session *sessions; /* live_sessions_release() frees them */
	size_t count;
};

/*
 * Ask the daemon at "HOST" or "HOST:PORT" (up to a slash or the end) for its sessions; each answer may take five
 * seconds.  Returns HISTREE_ERR_TRACE if none answers, and the message says what does; HISTREE_ERR_CANCELLED as
 * soon as `cancel`, which may be NULL, says so; HISTREE_ERR_MEMORY.
 */
enum histree_status live_sessions_ask(const char *place, const struct histree_cancel *cancel,
				      struct live_sessions *out, struct histree_error *error);

void live_sessions_release(struct live_sessions *sessions);

#endif
