// SPDX-License-Identifier: MIT
/*
 * fuzz_request.c - a request as the server takes it apart: the first line is its address, the second one Host and
 * Origin, the rest the body.
 */
#include <string.h>

#include "fuzz.h"
#include "server/api/page_request.h"
#include "server/http/http.h"
#include "server/server.h"
#include "server/tsp/parameters.h"
#include "server/tsp/replies.h"

/* The next line, terminated; the caller frees it. */
static char *next_line(const uint8_t **bytes, size_t *size)
{
	const uint8_t *end = *size > 0 ? memchr(*bytes, '\n', *size) : NULL;
	size_t length = end != NULL ? (size_t)(end - *bytes) : *size;
	char *line = malloc(length + 1);
	REQUIRE(line != NULL);
	memcpy(line, *bytes, length);
	line[length] = '\0';
	length += end != NULL;
	*bytes += length;
	*size -= length;
	return line;
}

static void check_times(const struct call *call)
{
	struct parameter_times times;
	int64_t *items;
	size_t count;
	if (parameters_times(call, &times)) {
		REQUIRE(times.count >= 1 && times.count <= 2 * PARAMETER_TIMES_MAX);
		for (size_t i = 1; i < times.count; i++)
			REQUIRE(times.times[i - 1] < times.times[i]);
	} else {
		REQUIRE(call->reply->status != HTTP_OK);
	}
	if (parameters_items(call, &items, &count)) {
		REQUIRE(count <= PARAMETER_ITEMS_MAX);
	}
}

static const char *cell_of(void *line, unsigned column)
{
	static const char *const cells[] = { "", "a", "17:46:22.794", "sched_switch" };
	(void)line;
	return cells[column % 4];
}

static void check_table(const struct call *call)
{
	enum { COLUMNS = 5 };
	struct table_request table;
	if (table_request_read(call, COLUMNS, &table)) {
		REQUIRE(table.column_count <= COLUMNS);
		for (unsigned i = 0; i < table.column_count; i++)
			REQUIRE(table.columns[i] < COLUMNS);
		REQUIRE(cell_match_line(&table.match, cell_of, NULL) || table.has_match);
	} else {
		REQUIRE(call->reply->status != HTTP_OK);
	}
	table_request_release(&table);
}

static void check_body(const uint8_t *bytes, size_t size, struct call *call)
{
	call->body = json_loadb((const char *)bytes, size, 0, NULL);
	if (json_is_object(call->body)) {
		json_t *parameters = json_object_get(call->body, "parameters");
		call->parameters = json_is_object(parameters) ? parameters : call->body;
		check_times(call);
		check_table(call);
	}
	json_decref(call->body);
}

/* What is decoded is found again, and in the range that was asked for. */
static void check_query(struct call *call)
{
	struct page_range range;
	const struct target *target = &call->request->target;
	for (size_t i = 0; i < target->parameter_count; i++)
		REQUIRE(target_parameter(target, target->parameters[i].name) != NULL);
	if (page_range(call, -5, 1000, &range))
		REQUIRE(range.from >= -5 && range.from <= range.to && range.to <= 1000 && range.pixels >= 1);
}

FUZZ_TARGET(bytes, size)
{
	char *uri = next_line(&bytes, &size), *host = next_line(&bytes, &size);
	struct http_request request = { .method = HTTP_POST };
	struct reply reply;
	struct call call = { .request = &request, .reply = &reply, .json = &reply.json };
	endpoint_function *endpoint;
	reply_init(&reply);
	bool is_loopback = http_guard_host(host, false);
	REQUIRE(!is_loopback || http_guard_host(host, true));
	http_guard_origin(host, "localhost:8080", NULL);
	if (target_parse(&request.target, uri) == TARGET_OK) {
		router_find(routes, HTTP_GET, &request.target, &endpoint, call.captured);
		router_find(routes, request.method, &request.target, &endpoint, call.captured);
		check_query(&call);
		check_body(bytes, size, &call);
	}
	target_release(&request.target);
	reply_release(&reply);
	free(uri);
	free(host);
	return 0;
}
