/* SPDX-License-Identifier: MIT */
/*
 * ctf_live_session.h - which of the sessions of a relay daemon an address names.
 */
#ifndef TRACE_CTF_CTF_LIVE_SESSION_H
#define TRACE_CTF_CTF_LIVE_SESSION_H

#include "trace/ctf/ctf_live_protocol.h"

/* Find the session of an address, "net://HOST/host/NAME/SESSION".  HISTREE_ERR_TRACE says what there is instead. */
enum histree_status live_session_find(struct live_relay *relay, const char *address, uint64_t *out,
				      struct histree_error *error);

#endif
