// SPDX-License-Identifier: MIT
#include "trace/ctf/ctf_live_session.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "trace/ctf/ctf_cause.h"

enum { SESSIONS_SHOWN = 4 };

/* The map {"url": url}; NULL when memory is out. */
static bt_value *make_parameters(const char *url)
{
	bt_value *parameters = bt_value_map_create();
	if (parameters != NULL && bt_value_map_insert_string_entry(parameters, "url", url) ==
					  BT_VALUE_MAP_INSERT_ENTRY_STATUS_OK)
		return parameters;
	bt_value_put_ref(parameters);
	return NULL;
}

/* Returns the sessions of the daemon, an array of maps; NULL if it does not answer. */
static const bt_value *ask(const bt_plugin *plugin, const char *url)
{
	const bt_component_class *class = bt_component_class_source_as_component_class_const(
		bt_plugin_borrow_source_component_class_by_name_const(plugin, "lttng-live"));
	const bt_value *sessions = NULL;
	bt_value *parameters = make_parameters(url);
	bt_query_executor *executor =
		parameters != NULL ? bt_query_executor_create(class, "sessions", parameters) : NULL;
	if (executor != NULL &&
	    bt_query_executor_query(executor, &sessions) != BT_QUERY_EXECUTOR_QUERY_STATUS_OK)
		sessions = NULL;
	ctf_cause_drop();
	bt_query_executor_put_ref(executor);
	bt_value_put_ref(parameters);
	return sessions;
}

static const char *text_of(const bt_value *session, const char *key)
{
	const bt_value *value = bt_value_map_borrow_entry_value_const(session, key);
	return value != NULL && bt_value_is_string(value) ? bt_value_string_get(value) : "";
}

/* Whether `name`, "/host/NAME/SESSION", is this one's. */
static bool is_named(const bt_value *session, const char *name)
{
	const char *host = text_of(session, "target-hostname");
	size_t size = strlen(host);
	return strncmp(name, "/host/", 6) == 0 && strncmp(name + 6, host, size) == 0 && name[6 + size] == '/' &&
	       strcmp(name + 6 + size + 1, text_of(session, "session-name")) == 0;
}

static bool contains(const bt_value *sessions, const char *name)
{
	for (uint64_t i = 0; i < bt_value_array_get_length(sessions); i++)
		if (is_named(bt_value_array_borrow_element_by_index_const(sessions, i), name))
			return true;
	return false;
}

static enum histree_status not_among(const bt_value *sessions, const char *address, const char *url,
				     struct histree_error *error)
{
	uint64_t count = bt_value_array_get_length(sessions);
	char text[240] = "";
	size_t length = 0;
	for (uint64_t i = 0; i < count && i < SESSIONS_SHOWN && length < sizeof(text); i++) {
		const bt_value *session = bt_value_array_borrow_element_by_index_const(sessions, i);
		length += (size_t)snprintf(text + length, sizeof(text) - length, "%s%s/host/%s/%s",
					   i == 0 ? "" : ", ", url, text_of(session, "target-hostname"),
					   text_of(session, "session-name"));
	}
	if (count == 0)
		return error_set(error, HISTREE_ERR_TRACE,
				 "'%s': the relay daemon has no session; "
				 "make one with 'lttng create --live'",
				 address);
	return error_set(error, HISTREE_ERR_TRACE, "'%s': the relay daemon has no such session; it has %s%s",
			 address, text, count > SESSIONS_SHOWN ? " and more" : "");
}

enum histree_status ctf_live_session_check(const bt_plugin *plugin, const char *address,
					   struct histree_error *error)
{
	const char *host = strstr(address, "://") + 3, *name = strchr(host, '/');
	size_t size = name != NULL ? (size_t)(name - address) : strlen(address);
	char *url = strndup(address, size);
	if (url == NULL)
		return error_memory(error, "an address");
	enum histree_status status = HISTREE_OK;
	const bt_value *sessions = ask(plugin, url);
	if (sessions == NULL || !bt_value_is_array(sessions))
		status = error_set(error, HISTREE_ERR_TRACE,
				   "'%s': no relay daemon answers at '%s'; start lttng-relayd there, or name "
				   "its port for viewers (default: 5344): net://HOST:PORT/host/NAME/SESSION",
				   address, url + (host - address));
	else if (!contains(sessions, name != NULL ? name : ""))
		status = not_among(sessions, address, url, error);
	bt_value_put_ref(sessions);
	free(url);
	return status;
}
