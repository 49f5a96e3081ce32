/* SPDX-License-Identifier: MIT */
/*
 * ctf_live_session.h - whether the address of a live trace leads to a session.
 *
 * babeltrace2 takes a relay daemon that does not answer, and a session that is not there, for a trace without
 * events; its query "sessions" tells them apart.
 */
#ifndef TRACE_CTF_CTF_LIVE_SESSION_H
#define TRACE_CTF_CTF_LIVE_SESSION_H

#include <babeltrace2/babeltrace.h>

#include "histree/status.h"

/*
 * Ask the relay daemon for its sessions.  Returns HISTREE_ERR_TRACE if it does not answer, or the one that the
 * address names is not among them; the message says which, and the way out.
 */
enum histree_status ctf_live_session_check(const bt_plugin *plugin, const char *address,
					   struct histree_error *error);

#endif
