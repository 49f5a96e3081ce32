/* SPDX-License-Identifier: MIT */
/*
 * ctf_live_session.h - whether the address of a live trace leads to a session.
 *
 * babeltrace2 takes a relay daemon that does not answer, and a session that is not there, for a trace without
 * events, and waits for ever for one that takes a connection and says nothing; so the daemon is asked first.
 */
#ifndef TRACE_CTF_CTF_LIVE_SESSION_H
#define TRACE_CTF_CTF_LIVE_SESSION_H

#include "histree/cancel.h"
#include "histree/status.h"

/*
 * Ask the relay daemon for its sessions.  Returns HISTREE_ERR_TRACE if it does not answer, or the one that the
 * address names is not among them; the message says which, and the way out; HISTREE_ERR_CANCELLED if `cancel`,
 * which may be NULL, wants no answer any more.
 */
enum histree_status ctf_live_session_check(const char *address, const struct histree_cancel *cancel,
					   struct histree_error *error);

#endif
