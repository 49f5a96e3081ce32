// SPDX-License-Identifier: MIT
#include "trace/ctf/ctf_live_session.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"

enum { SESSIONS_SHOWN = 4 };

/* A walk over the sessions of a daemon: the one that is wanted, and the names of the first others. */
struct search {
	const char *address;
	size_t daemon_size; /* so many characters of the address name the daemon, and the others the session */
	bool is_found;
	uint64_t id;
	size_t count, length;
	char text[240];
};

/* Whether `name`, "/host/NAME/SESSION", is this one's. */
static bool is_named(const struct live_session *session, const char *name)
{
	size_t size = strlen(session->host);
	return strncmp(name, "/host/", 6) == 0 && strncmp(name + 6, session->host, size) == 0 &&
	       name[6 + size] == '/' && strcmp(name + 6 + size + 1, session->name) == 0;
}

static enum histree_status look_at(void *context, const struct live_session *session, struct histree_error *error)
{
	(void)error;
	struct search *search = context;
	if (is_named(session, search->address + search->daemon_size)) {
		search->is_found = true;
		search->id = session->id;
	}
	if (search->count < SESSIONS_SHOWN && search->length < sizeof(search->text))
		search->length +=
			(size_t)snprintf(search->text + search->length, sizeof(search->text) - search->length,
					 "%s%.*s/host/%s/%s", search->count == 0 ? "" : ", ",
					 (int)search->daemon_size, search->address, session->host, session->name);
	search->count++;
	return HISTREE_OK;
}

enum histree_status live_session_find(struct live_relay *relay, const char *address, uint64_t *out,
				      struct histree_error *error)
{
	const char *place = strstr(address, "://") + 3;
	struct search search = { .address = address,
				 .daemon_size = (size_t)(place - address) + strcspn(place, "/") };
	enum histree_status status = live_ask_sessions(relay, look_at, &search, error);
	if (status != HISTREE_OK)
		return status;
	*out = search.id;
	if (search.is_found)
		return HISTREE_OK;
	if (search.count == 0)
		return error_set(error, HISTREE_ERR_TRACE,
				 "the relay daemon has no session; make one with 'lttng create --live'");
	return error_set(error, HISTREE_ERR_TRACE, "the relay daemon has no such session; it has %s%s", search.text,
			 search.count > SESSIONS_SHOWN ? " and more" : "");
}
