// SPDX-License-Identifier: MIT
#include "server/http/router.h"

#include <string.h>

#include "base/json_text.h"

/* Of the values of a request: some three times what one for a hundred thousand rows takes. */
enum { REQUEST_MEMORY_MAX = 48 << 20 };

/* Returns whether segments from `at` on match the rest of a pattern. */
static bool matches(const char *pattern, const struct target *target, const char **captured)
{
	size_t captures = 0;
	for (size_t i = 0; i < CALL_CAPTURES_MAX; i++)
		captured[i] = NULL;
	for (size_t at = 0;; at++) {
		size_t size = strcspn(pattern, "/");
		if (size == 1 && *pattern == '*')
			return true;
		if (at == target->segment_count)
			return size == 0;
		const char *segment = target->segments[at];
		if (size == 1 && *pattern == '?') {
			if (captures < CALL_CAPTURES_MAX)
				captured[captures++] = segment;
		} else if (size == 0 || strncmp(pattern, segment, size) != 0 || segment[size] != '\0') {
			return false;
		}
		pattern += size + (pattern[size] == '/');
	}
}

enum router_result router_find(const struct route *table, enum http_method method, const struct target *target,
			       endpoint_function **out, const char *captured[static CALL_CAPTURES_MAX])
{
	bool has_path = false;
	*out = NULL;
	for (const struct route *route = table; route->endpoint != NULL; route++) {
		if (!matches(route->pattern, target, captured))
			continue;
		has_path = true;
		if (route->method == method) {
			*out = route->endpoint;
			return ROUTER_FOUND;
		}
	}
	return has_path ? ROUTER_NO_METHOD : ROUTER_NO_PATH;
}

/* Clients send what they like with a DELETE, and forms without a body: what is no object counts as none there. */
static bool read_body(struct call *call)
{
	const struct http_request *request = call->request;
	json_error_t error = { .text = "" };
	bool has_body = request->body_size > 0 && (request->method == HTTP_POST || request->method == HTTP_PUT);
	size_t weight = has_body ? json_weight(request->body, request->body_size) : 0;
	if (weight > REQUEST_MEMORY_MAX) {
		reply_error(call->reply, HTTP_TOO_LARGE, "the body has more in it than any request of ours");
		return false;
	}
	if (!reply_claim(call->reply, weight))
		return false;
	if (has_body)
		call->body = json_loadb(request->body, request->body_size, 0, &error);
	else
		call->body = json_object();
	if (!json_is_object(call->body)) {
		reply_error(call->reply, HTTP_BAD_REQUEST, "the body is not a JSON object: %s",
			    call->body != NULL ? "it is something else" : error.text);
		return false;
	}
	json_t *parameters = json_object_get(call->body, "parameters");
	call->parameters = json_is_object(parameters) ? parameters : call->body;
	return true;
}

void router_handle(void *context, const struct http_request *request, struct reply *reply)
{
	const struct router *router = context;
	endpoint_function *endpoint;
	struct call call = { .service = router->service, .request = request, .reply = reply };
	switch (router_find(router->routes, request->method, &request->target, &endpoint, call.captured)) {
	case ROUTER_FOUND:
		if (read_body(&call))
			endpoint(&call);
		json_decref(call.body);
		break;
	case ROUTER_NO_METHOD:
		reply_error(reply, HTTP_NOT_ALLOWED, "this address does not take this method");
		break;
	case ROUTER_NO_PATH:
		reply_error(reply, HTTP_NOT_FOUND, "there is nothing at this address");
		break;
	}
}
