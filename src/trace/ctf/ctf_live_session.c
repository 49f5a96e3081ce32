// SPDX-License-Identifier: MIT
#include "trace/ctf/ctf_live_session.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "trace/ctf/ctf_live_relay.h"

enum { SESSIONS_SHOWN = 4 };

/* Whether `name`, "/host/NAME/SESSION", is this one's. */
static bool is_named(const struct live_session *session, const char *name)
{
	size_t size = strlen(session->host);
	return strncmp(name, "/host/", 6) == 0 && strncmp(name + 6, session->host, size) == 0 &&
	       name[6 + size] == '/' && strcmp(name + 6 + size + 1, session->name) == 0;
}

static bool contains(const struct live_sessions *there, const char *name)
{
	for (size_t i = 0; i < there->count; i++)
		if (is_named(&there->sessions[i], name))
			return true;
	return false;
}

/* `daemon_size` characters of the address name the daemon. */
static enum histree_status not_among(const struct live_sessions *there, const char *address, size_t daemon_size,
				     struct histree_error *error)
{
	char text[240] = "";
	size_t length = 0;
	for (size_t i = 0; i < there->count && i < SESSIONS_SHOWN && length < sizeof(text); i++)
		length += (size_t)snprintf(text + length, sizeof(text) - length, "%s%.*s/host/%s/%s",
					   i == 0 ? "" : ", ", (int)daemon_size, address, there->sessions[i].host,
					   there->sessions[i].name);
	if (there->count == 0)
		return error_set(error, HISTREE_ERR_TRACE,
				 "the relay daemon has no session; make one with 'lttng create --live'");
	return error_set(error, HISTREE_ERR_TRACE, "the relay daemon has no such session; it has %s%s", text,
			 there->count > SESSIONS_SHOWN ? " and more" : "");
}

enum histree_status ctf_live_session_check(const char *address, const struct histree_cancel *cancel,
					   struct histree_error *error)
{
	const char *place = strstr(address, "://") + 3, *name = place + strcspn(place, "/");
	struct live_sessions there;
	enum histree_status status = live_sessions_ask(place, cancel, &there, error);
	if (status == HISTREE_OK && !contains(&there, name))
		status = not_among(&there, address, (size_t)(name - address), error);
	live_sessions_release(&there);
	if (status == HISTREE_ERR_TRACE)
		error_prefix(error, "'%s'", address);
	return status;
}
