// SPDX-License-Identifier: MIT
/*
 * requests_span.c - one span of a request in JSON: what is one, and what it says.
 *
 * 	OTLP	{"resourceSpans":[{"resource":{"attributes":[..]},"scopeSpans":[{"scope":{"name"},"spans":[
 * 		{"traceId","spanId","parentSpanId","name","kind","startTimeUnixNano","endTimeUnixNano","attributes":
 * 		[{"key","value":{"stringValue"}}],"events":[..],"links":[..],"status":{"code","message"}}]}]}]}
 * 	Jaeger	{"data":[{"processes":{"p1":{"serviceName","tags"}},"spans":[{"traceID","spanID","operationName",
 * 		"references":[{"refType":"CHILD_OF","traceID","spanID"}],"startTime","duration","processID",
 * 		"tags":[{"key","value"}],"logs":[{"timestamp","fields":[..]}]}]}]}, times in us
 * 	Zipkin	[{"traceId","id","parentId","kind","name","timestamp","duration","shared","localEndpoint":
 * 		{"serviceName","ipv4"},"annotations":[{"timestamp","value"}],"tags":{..}}], times in us
 *
 * No name means one thing here and another one there, so one table has the names of all.  Letters of either case
 * are the same in them, and underscores are nothing: writers of OTLP differ in that.  What is around spans is
 * walked through by the names of lists, so that a list of documents, or a document a line, is as good as one.
 */
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/table.h"
#include "trace/requests/requests.h"

enum member {
	IN_TRACE,
	IN_ID,
	IN_PARENT,
	IN_NAME,
	IN_BEGIN_NS,
	IN_BEGIN_US,
	IN_END_NS,
	IN_LENGTH_US,
	IN_KIND,
	IN_STATUS,
	IN_ATTRIBUTES,
	IN_EVENTS,
	IN_LINKS,
	IN_LINK_TYPE,
	IN_OWNER, /* of Zipkin, and of spans of Jaeger as Elasticsearch has them */
	IN_OWNER_ID,
	IN_SHARED,
	IN_KEY,
	IN_VALUE,
	IN_VALUES,
	IN_CODE,
	IN_MESSAGE,
	IN_SERVICE,
	IN_ADDRESS,
	IN_RESOURCE,
	IN_SCOPE,
	IN_OWNERS,
	IN_RESOURCES, /* the lists that lead to spans, the outermost first; data may also be an object */
	IN_DATA,
	IN_SCOPES,
	IN_SPANS,
	IN_COUNT,
};

static const struct name {
	const char *name; /* as fold() has it */
	enum member member;
} names[] = {
	/* in the order of the alphabet */
	{ "annotations", IN_EVENTS },
	{ "attributes", IN_ATTRIBUTES },
	{ "batches", IN_RESOURCES },
	{ "code", IN_CODE },
	{ "data", IN_DATA },
	{ "duration", IN_LENGTH_US },
	{ "endtimeunixnano", IN_END_NS },
	{ "events", IN_EVENTS },
	{ "fields", IN_ATTRIBUTES },
	{ "id", IN_ID },
	{ "instrumentationlibrary", IN_SCOPE },
	{ "instrumentationlibraryspans", IN_SCOPES },
	{ "ipv4", IN_ADDRESS },
	{ "ipv6", IN_ADDRESS },
	{ "key", IN_KEY },
	{ "kind", IN_KIND },
	{ "links", IN_LINKS },
	{ "localendpoint", IN_OWNER },
	{ "logs", IN_EVENTS },
	{ "message", IN_MESSAGE },
	{ "name", IN_NAME },
	{ "operationname", IN_NAME },
	{ "parentid", IN_PARENT },
	{ "parentspanid", IN_PARENT },
	{ "process", IN_OWNER },
	{ "processes", IN_OWNERS },
	{ "processid", IN_OWNER_ID },
	{ "references", IN_LINKS },
	{ "reftype", IN_LINK_TYPE },
	{ "resource", IN_RESOURCE },
	{ "resourcespans", IN_RESOURCES },
	{ "result", IN_DATA },
	{ "scope", IN_SCOPE },
	{ "scopespans", IN_SCOPES },
	{ "servicename", IN_SERVICE },
	{ "shared", IN_SHARED },
	{ "spanid", IN_ID },
	{ "spans", IN_SPANS },
	{ "starttime", IN_BEGIN_US },
	{ "starttimeunixnano", IN_BEGIN_NS },
	{ "status", IN_STATUS },
	{ "tags", IN_ATTRIBUTES },
	{ "timestamp", IN_BEGIN_US },
	{ "timeunixnano", IN_BEGIN_NS },
	{ "trace", IN_DATA },
	{ "traceid", IN_TRACE },
	{ "value", IN_VALUE },
	{ "values", IN_VALUES },
};

/* An object, by its members: the first of each name. */
struct members {
	struct json_span of[IN_COUNT];
	bool is_whole;
};

enum { FOLDED_SIZE = 32 };

static const char *fold(struct json_span name, char folded[FOLDED_SIZE])
{
	size_t size = 0;
	for (const uint8_t *at = name.at; at < name.end && size < FOLDED_SIZE - 1; at++)
		if (*at != '"' && *at != '_')
			folded[size++] = (char)tolower(*at);
	folded[size] = '\0';
	return folded;
}

static int compare_name(const void *folded, const void *name)
{
	return strcmp(folded, ((const struct name *)name)->name);
}

static void read_members(struct json_span object, struct members *out)
{
	struct json_span rest = json_span_inside(object, '{'), name, value;
	char folded[FOLDED_SIZE];
	*out = (struct members){ .is_whole = false };
	while (json_span_next_member(&rest, &name, &value)) {
		fold(name, folded);
		const struct name *known =
			bsearch(folded, names, sizeof(names) / sizeof(names[0]), sizeof(names[0]), compare_name);
		if (known != NULL && !json_span_is_there(out->of[known->member]))
			out->of[known->member] = value;
	}
	out->is_whole = json_span_is(rest, '}');
}

/* ---- values ---------------------------------------------------------------------------------------------- */

/* The number times 10^scale, if it can be a time. */
static bool read_time(struct json_span value, int scale, histree_time *out)
{
	json_wide wide;
	if (!json_span_scaled(value, scale, &wide) || wide < 0 || wide >= INT64_MAX)
		return false;
	*out = (histree_time)wide;
	return true;
}

enum { NS = 0, US = 3 };

/* When a span or an event begins.  Of OTLP, whose messages have no other way to say it, 0 is not a time. */
static bool read_begin(const struct members *in, histree_time *out)
{
	if (json_span_is_there(in->of[IN_BEGIN_NS]))
		return read_time(in->of[IN_BEGIN_NS], NS, out) && *out > 0;
	return read_time(in->of[IN_BEGIN_US], US, out);
}

static struct packed_text text_of(struct requests *requests, struct json_span value, struct json_text *scan)
{
	return json_span_text(value, scan, &requests->is_out_of_memory);
}

/* {"stringValue": "a"} is "a". */
static struct json_span inner(struct json_span value)
{
	struct json_span rest = json_span_inside(value, '{'), name, inside;
	return json_span_next_member(&rest, &name, &inside) ? inside : value;
}

/* Writes the bytes of base64 as digits; returns how many, or 0 if it is not base64 of that many bytes. */
static size_t digits_of_base64(const uint8_t *at, size_t bytes, char digits[REQUEST_ID_SIZE])
{
	static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	uint32_t bits = 0, count = 0;
	for (size_t size = 0; size < 2 * bytes; at++) {
		const char *letter = *at != '\0' ? strchr(letters, *at) : NULL;
		if (letter == NULL)
			return 0;
		bits = (bits << 6 | (uint32_t)(letter - letters)) & 0xffff;
		for (count += 6; count >= 4 && size < 2 * bytes; count -= 4)
			digits[size++] = "0123456789abcdef"[bits >> (count - 4) & 15];
	}
	return 2 * bytes;
}

/* An id as hexadecimal digits, as a rule; some exporters of OTLP write base64, some tests anything. */
static size_t id_text(struct json_span value, char text[REQUEST_ID_SIZE])
{
	const bool is_said = json_span_is(value, '"') || (value.at < value.end && isdigit(*value.at));
	const struct json_span id = is_said ? json_span_bare(value) : (struct json_span){ 0 };
	size_t size = (size_t)(id.end - id.at), count = 0;
	if (size == 24 && id.at[22] == '=')
		count = digits_of_base64(id.at, 16, text);
	else if (size == 12 && id.at[11] == '=')
		count = digits_of_base64(id.at, 8, text);
	if (count > 0)
		return count;
	size = size < REQUEST_ID_SIZE ? size : REQUEST_ID_SIZE;
	for (size_t i = 0; i < size; i++)
		text[i] = (char)tolower(id.at[i]);
	return size;
}

static struct request_id read_id(struct json_span value)
{
	enum { DIGITS_MAX = 32 };
	char text[REQUEST_ID_SIZE];
	const size_t size = id_text(value, text);
	struct request_id id = { 0, 0 };
	bool is_hex = size <= DIGITS_MAX;
	for (size_t i = 0; i < size && is_hex; i++) {
		is_hex = isxdigit((unsigned char)text[i]) != 0;
		id.high = id.high << 4 | id.low >> 60;
		id.low = id.low << 4 | (uint64_t)(text[i] <= '9' ? text[i] - '0' : text[i] - 'a' + 10);
	}
	if (is_hex)
		return id;
	const uint64_t hash = hash_bytes(text, size);
	return (struct request_id){ hash_mix(hash), hash };
}

static bool is_id(struct request_id id)
{
	return id.high != 0 || id.low != 0;
}

static bool is_same_id(struct request_id one, struct request_id other)
{
	return one.high == other.high && one.low == other.low;
}

/* ---- services -------------------------------------------------------------------------------------------- */

static uint32_t intern_text(struct requests *requests, struct packed_text text)
{
	const size_t size = text.size < PACKED_NAME_MAX ? text.size : PACKED_NAME_MAX;
	const uint32_t number = intern_add(&requests->texts, text.bytes, size);
	requests->is_out_of_memory |= number == INTERN_NONE;
	return number;
}

/* Files of one recording are read as one trace, and their processes are told apart by numbers. */
static int64_t pid_of(struct requests *requests, uint32_t name, uint32_t instance, uint32_t *shared_name)
{
	struct trace_services *services = requests->packed->base.services;
	const uint32_t known = services->keys.count, known_names = services->names.count;
	char key[2 * PACKED_NAME_MAX + 1];
	size_t size = 0, more = 0;
	const char *text = intern_get(&requests->texts, name, &size);
	*shared_name = intern_add(&services->names, text, size);
	if (*shared_name == INTERN_NONE ||
	    !array_reserve(&services->instances, &services->capacity, (size_t)*shared_name + 1)) {
		requests->is_out_of_memory = true;
		*shared_name = 0;
		return 0;
	}
	if (*shared_name == known_names)
		services->instances[*shared_name] = 0;
	memcpy(key, text, size);
	key[size++] = '\0';
	text = instance != REQUEST_NONE ? intern_get(&requests->texts, instance, &more) : "";
	memcpy(key + size, text, more);
	const uint32_t number = intern_add(&services->keys, key, size + more);
	requests->is_out_of_memory |= number == INTERN_NONE;
	services->instances[*shared_name] += number == known;
	return services->are_alone ? 1 + (int64_t)number : -1 - (int64_t)number;
}

/* What a resource, a process or an endpoint says of itself: of what tells instances apart, the best there is. */
static uint32_t service_of(struct requests *requests, struct json_span owner)
{
	static const char *const instances[] = { "service.instance.id", "k8s.pod.name", "host.name", "hostname",
						 "ip" };
	enum { INSTANCE_COUNT = sizeof(instances) / sizeof(instances[0]) };
	struct members in, pair;
	read_members(owner, &in);
	struct json_span name = in.of[IN_SERVICE], instance = in.of[IN_ADDRESS], each;
	struct json_span rest = json_span_inside(in.of[IN_ATTRIBUTES], '[');
	for (size_t best = INSTANCE_COUNT; json_span_next(&rest, &each);) {
		read_members(each, &pair);
		if (json_span_is_text(pair.of[IN_KEY], "service.name"))
			name = inner(pair.of[IN_VALUE]);
		for (size_t i = 0; i < best; i++)
			if (json_span_is_text(pair.of[IN_KEY], instances[i])) {
				instance = inner(pair.of[IN_VALUE]);
				best = i;
			}
	}
	const struct packed_text text = text_of(requests, name, &requests->scan[0]);
	const struct packed_text of = text_of(requests, instance, &requests->scan[1]);
	const uint32_t key[] = { intern_text(requests, text.size > 0 ? text : packed_string("unknown")),
				 of.size > 0 ? intern_text(requests, of) : REQUEST_NONE };
	const uint32_t known = requests->service_keys.count;
	const uint32_t number = intern_add(&requests->service_keys, key, sizeof(key));
	if (requests->is_out_of_memory || number == INTERN_NONE ||
	    !array_reserve(&requests->services, &requests->service_capacity, (size_t)number + 1)) {
		requests->is_out_of_memory = true;
		return 0;
	}
	if (number == known) {
		struct request_service service = { key[0], key[1], 0, 0, owner.at, owner.end };
		service.pid = pid_of(requests, key[0], key[1], &service.shared_name);
		requests->services[number] = service;
	}
	return number;
}

/* {"p1": {"serviceName": "cart"}}: those of one trace, which its spans name. */
static void read_owners(struct requests *requests, struct json_span owners)
{
	struct json_span rest = json_span_inside(owners, '{'), key, owner;
	intern_release(&requests->process_keys);
	while (json_span_next_member(&rest, &key, &owner)) {
		const uint32_t number = intern_add(&requests->process_keys, key.at, (size_t)(key.end - key.at));
		if (number == INTERN_NONE ||
		    !array_reserve(&requests->process_services, &requests->process_capacity, (size_t)number + 1)) {
			requests->is_out_of_memory = true;
			return;
		}
		requests->process_services[number] = service_of(requests, owner);
	}
}

static uint32_t service_of_span(struct requests *requests, const struct members *in, uint32_t around)
{
	const struct json_span id = in->of[IN_OWNER_ID];
	if (json_span_is_there(id)) {
		const uint32_t number = intern_find(&requests->process_keys, id.at, (size_t)(id.end - id.at));
		if (number != INTERN_NONE)
			return requests->process_services[number];
	}
	const bool is_said = around != REQUEST_NONE && !json_span_is_there(in->of[IN_OWNER]);
	return is_said ? around : service_of(requests, in->of[IN_OWNER]);
}

enum histree_status requests_name_service(struct requests *requests, uint32_t service)
{
	const struct request_service *of = &requests->services[service];
	const bool is_one_of_many = requests->packed->base.services->instances[of->shared_name] > 1;
	char name[2 * PACKED_NAME_MAX + 2];
	size_t size, more = 0;
	const char *text = intern_get(&requests->texts, of->name, &size);
	memcpy(name, text, size);
	if (is_one_of_many && of->instance != REQUEST_NONE) {
		text = intern_get(&requests->texts, of->instance, &more);
		name[size++] = ' ';
		memcpy(name + size, text, more);
	}
	const struct packed_cell cells[TRACK_FIELD_COUNT] = {
		[TRACK_NAME] = packed_text(name, size + more),
		[TRACK_PID] = packed_int(of->pid),
	};
	const struct packed_event event = {
		.time = PACKED_NO_TIME, .cpu = -1, .class = requests->classes[TRACK_PROCESS_NAME], .cells = cells
	};
	return packed_source_add(requests->packed, &event, requests->error);
}

/* ---- spans ----------------------------------------------------------------------------------------------- */

/* Of Jaeger, the reference to what caused the span: the first that it is a child of, else that it follows. */
static struct json_span find_reference(struct json_span references, struct members *out)
{
	struct json_span rest = json_span_inside(references, '['), each, found = { 0 };
	struct members in;
	while (json_span_next(&rest, &each)) {
		read_members(each, &in);
		const bool is_child = json_span_is_text(in.of[IN_LINK_TYPE], "CHILD_OF");
		if (!is_child &&
		    (json_span_is_there(found) || !json_span_is_text(in.of[IN_LINK_TYPE], "FOLLOWS_FROM")))
			continue;
		found = each;
		*out = in;
		if (is_child)
			break;
	}
	return found;
}

static void read_parent(const struct members *in, struct request_span *span)
{
	struct members reference;
	span->parent = read_id(in->of[IN_PARENT]);
	if (is_id(span->parent) || !json_span_is_there(find_reference(in->of[IN_LINKS], &reference)) ||
	    !is_same_id(read_id(reference.of[IN_TRACE]), span->trace))
		return;
	span->parent = read_id(reference.of[IN_ID]);
	span->is_async = json_span_is_text(reference.of[IN_LINK_TYPE], "FOLLOWS_FROM");
}

static void read_end(const struct members *in, struct request_span *span)
{
	histree_time length;
	bool has_end = read_time(in->of[IN_END_NS], NS, &span->end);
	if (!has_end && read_time(in->of[IN_LENGTH_US], US, &length))
		has_end = !__builtin_add_overflow(span->begin, length, &span->end) && span->end < INT64_MAX;
	span->lacks_end = !has_end || span->end < span->begin;
	if (span->lacks_end)
		span->end = span->begin;
}

static enum histree_status note_span(struct requests *requests, struct json_span value, const struct members *in,
				     uint32_t service, uint32_t scope)
{
	struct request_span span = { .at = value.at,
				     .behind = value.end,
				     .scope = scope,
				     .trace = read_id(in->of[IN_TRACE]),
				     .id = read_id(in->of[IN_ID]),
				     .is_shared = json_span_is(in->of[IN_SHARED], 't') };
	if (!read_begin(in, &span.begin) || requests->count >= REQUEST_NONE) {
		requests->without_time++;
		return HISTREE_OK;
	}
	read_end(in, &span);
	read_parent(in, &span);
	span.service = service_of_span(requests, in, service);
	if (!table_reserve(&requests->span_table, &requests->spans, &requests->capacity, requests->count + 1))
		return error_memory(requests->error, "the spans of requests");
	requests->spans[requests->count++] = span;
	return packed_source_look(requests->packed, requests->error);
}

static bool is_span(const struct members *in)
{
	return json_span_is_there(in->of[IN_TRACE]) && json_span_is_there(in->of[IN_ID]);
}

static enum histree_status walk(struct requests *requests, struct json_span value, uint32_t service, uint32_t scope,
				unsigned depth)
{
	enum { DEEP = 8 };
	enum histree_status status = HISTREE_OK;
	struct members in;
	if (depth == DEEP)
		return HISTREE_OK;
	if (json_span_is(value, '[')) {
		struct json_span rest = json_span_inside(value, '['), each;
		while (status == HISTREE_OK && json_span_next(&rest, &each))
			status = walk(requests, each, service, scope, depth + 1);
		requests->is_damaged |= !json_span_is(rest, ']');
		return status;
	}
	read_members(value, &in);
	requests->is_damaged |= json_span_is(value, '{') && !in.is_whole;
	if (is_span(&in))
		return note_span(requests, value, &in, service, scope);
	if (json_span_is_there(in.of[IN_RESOURCE]))
		service = service_of(requests, in.of[IN_RESOURCE]);
	if (json_span_is_there(in.of[IN_OWNERS]) || json_span_is_there(in.of[IN_TRACE]))
		read_owners(requests, in.of[IN_OWNERS]); /* a trace of Jaeger that names none has none */
	if (json_span_is_there(in.of[IN_SCOPE])) {
		const struct packed_text name =
			text_of(requests, json_span_find(in.of[IN_SCOPE], "name"), &requests->scan[0]);
		scope = name.size > 0 ? intern_text(requests, name) : REQUEST_NONE;
	}
	for (int list = IN_RESOURCES; list <= IN_SPANS && status == HISTREE_OK; list++)
		if (json_span_is(in.of[list], '[') || json_span_is(in.of[list], '{'))
			status = walk(requests, in.of[list], service, scope, depth + 1);
	return status;
}

enum histree_status requests_read(struct requests *requests, struct json_span value)
{
	return walk(requests, value, REQUEST_NONE, REQUEST_NONE, 0);
}

/* Rows of logs have ids of traces and of spans, too (trace_id, span_id), and some a duration, but no owner. */
static bool look(struct json_span value, unsigned depth)
{
	enum { DEEP = 6 };
	struct json_span rest = json_span_inside(value, '['), first;
	struct members in;
	histree_time begin;
	if (depth == DEEP || json_span_is(value, '['))
		return depth < DEEP && json_span_next(&rest, &first) && look(first, depth + 1);
	read_members(value, &in);
	if (is_span(&in)) {
		const bool has_length = json_span_is_there(in.of[IN_LENGTH_US]) && read_begin(&in, &begin);
		return json_span_is_there(in.of[IN_BEGIN_NS]) || json_span_is(in.of[IN_OWNER], '{') ||
		       (has_length &&
			(json_span_is_there(in.of[IN_OWNER_ID]) || json_span_is(in.of[IN_LINKS], '[') ||
			 json_span_is_there(json_span_find(value, "id")))); /* of Zipkin */
	}
	if (json_span_is_there(in.of[IN_TRACE]) && json_span_is(in.of[IN_SPANS], '['))
		return true;
	if (json_span_is(in.of[IN_DATA], '{') && look(in.of[IN_DATA], depth + 1))
		return true;
	for (int list = IN_RESOURCES; list <= IN_SPANS; list++)
		if (json_span_is(in.of[list], '[') &&
		    (list == IN_SCOPES || look(in.of[list], depth + 1) ||
		     (list == IN_RESOURCES && json_span_is_there(json_span_find(value, "resourceSpans")))))
			return true;
	return false;
}

bool requests_look(struct json_span document)
{
	return look(json_span_value(document), 0);
}

/* ---- what a span says ------------------------------------------------------------------------------------ */

/* What of the attributes of a span or an event has a meaning of its own. */
struct said {
	bool is_error, is_ok;
	struct json_span kind, name;
	bool has_args;
};

static void put_pair(struct requests *requests, struct json_span key, struct json_span value, unsigned depth);

/* A value of JSON; what is large says nothing. */
static void put_plain(struct requests *requests, struct packed_text name, struct json_span value)
{
	struct packed_parts *parts = &requests->args;
	const char *bytes = (const char *)value.at;
	const size_t size = (size_t)(value.end - value.at), before = parts->size;
	struct json_text *scan = &requests->scan[1];
	int64_t number;
	if (json_span_int(value, &number))
		packed_parts_int(parts, name.bytes, name.size, number);
	else if (size > 0 && json_number_is(bytes, size))
		packed_parts_real(parts, name.bytes, name.size, json_number_real(bytes, size));
	else if (json_span_is(value, 't') || json_span_is(value, 'f'))
		packed_parts_truth(parts, name.bytes, name.size, json_span_is(value, 't'));
	else if (size <= JSON_SPAN_TEXT_MAX &&
		 (json_span_is(value, '"') || json_span_is(value, '{') || json_span_is(value, '['))) {
		const uint32_t depth = parts->depth;
		requests->is_out_of_memory |= !json_text_begin(scan, value.at, value.end);
		if (!requests->is_out_of_memory && json_scan_parts(scan, parts, name.bytes, name.size) != JSON_OK) {
			parts->size = before; /* it is cut */
			parts->depth = depth;
		}
	}
}

/* A value of any kind, that of OTLP without its envelope. */
static void put_value(struct requests *requests, struct packed_text name, struct json_span value, unsigned depth)
{
	struct packed_parts *parts = &requests->args;
	struct json_span rest = json_span_inside(value, '{'), kind, inside, each;
	struct members in;
	char folded[FOLDED_SIZE];
	int64_t number;
	if (json_span_next_member(&rest, &kind, &inside)) {
		fold(kind, folded);
		const bool is_list = strcmp(folded, "arrayvalue") == 0, is_map = strcmp(folded, "kvlistvalue") == 0;
		if (strcmp(folded, "intvalue") == 0 && json_span_int(json_span_bare(inside), &number)) {
			packed_parts_int(parts, name.bytes, name.size, number);
			return;
		}
		if ((is_list || is_map) && depth < PACKED_DEPTH_MAX / 2) {
			read_members(inside, &in);
			rest = json_span_inside(in.of[IN_VALUES], '[');
			packed_parts_open(parts, is_map ? EVENT_STRUCTURE : EVENT_ARRAY, name.bytes, name.size);
			while (json_span_next(&rest, &each)) {
				read_members(each, &in);
				if (is_map)
					put_pair(requests, in.of[IN_KEY], in.of[IN_VALUE], depth + 1);
				else
					put_value(requests, (struct packed_text){ NULL, 0 }, each, depth + 1);
			}
			packed_parts_close(parts);
			return;
		}
		if (strcmp(folded, "stringvalue") == 0 || strcmp(folded, "boolvalue") == 0 ||
		    strcmp(folded, "doublevalue") == 0 || strcmp(folded, "bytesvalue") == 0)
			value = inside;
	}
	put_plain(requests, name, value);
}

static void put_pair(struct requests *requests, struct json_span key, struct json_span value, unsigned depth)
{
	const struct packed_text name = text_of(requests, key, &requests->scan[0]);
	if (name.size > 0)
		put_value(requests, name, value, depth);
}

static void notice(struct said *said, struct json_span key, struct json_span value)
{
	value = inner(value);
	if (json_span_is_text(key, "error"))
		said->is_error = !json_span_is(value, 'f') && !json_span_is_text(value, "false");
	else if (json_span_is_text(key, "otel.status_code")) {
		said->is_error |= json_span_is_text(value, "ERROR");
		said->is_ok = json_span_is_text(value, "OK");
	} else if (json_span_is_text(key, "span.kind"))
		said->kind = value;
	else if (json_span_is_text(key, "event") ||
		 (json_span_is_text(key, "message") && !json_span_is_there(said->name)))
		said->name = value;
	said->has_args = true;
}

/* Begin the arguments by the attributes: a list of pairs, or an object. */
static void put_attributes(struct requests *requests, struct json_span attributes, struct said *said)
{
	const bool is_object = json_span_is(attributes, '{');
	struct json_span rest = json_span_inside(attributes, is_object ? '{' : '['), key, value;
	struct members in;
	packed_parts_clear(&requests->args);
	packed_parts_open(&requests->args, EVENT_STRUCTURE, NULL, 0);
	while (is_object && json_span_next_member(&rest, &key, &value)) {
		notice(said, key, value);
		put_pair(requests, key, value, 0);
	}
	while (!is_object && json_span_next(&rest, &value)) {
		read_members(value, &in);
		notice(said, in.of[IN_KEY], in.of[IN_VALUE]);
		put_pair(requests, in.of[IN_KEY], in.of[IN_VALUE], 0);
	}
}

/* What a resource or a process says besides its name is an argument of the first span of it. */
static void put_resource(struct requests *requests, struct request_service *service, struct said *said)
{
	struct members in;
	struct json_span each;
	bool is_open = false;
	read_members((struct json_span){ service->at, service->behind, NULL }, &in);
	service->at = service->behind = NULL;
	for (struct json_span rest = json_span_inside(in.of[IN_ATTRIBUTES], '['); json_span_next(&rest, &each);) {
		read_members(each, &in);
		if (json_span_is_text(in.of[IN_KEY], "service.name"))
			continue;
		if (!is_open)
			packed_parts_open(&requests->args, EVENT_STRUCTURE, "resource", strlen("resource"));
		is_open = said->has_args = true;
		put_pair(requests, in.of[IN_KEY], in.of[IN_VALUE], 1);
	}
	if (is_open)
		packed_parts_close(&requests->args);
}

/* {"code": 2, "message": "timed out"} */
static void put_status(struct requests *requests, struct json_span status, struct said *said)
{
	struct members in;
	read_members(status, &in);
	const struct json_span code = in.of[IN_CODE];
	const struct packed_text message = text_of(requests, in.of[IN_MESSAGE], &requests->scan[0]);
	int64_t number = 0;
	json_span_int(code, &number);
	said->is_error |= number == 2 || json_span_is_text(code, "STATUS_CODE_ERROR");
	said->is_ok |= number == 1 || json_span_is_text(code, "STATUS_CODE_OK");
	if (message.size == 0)
		return;
	packed_parts_text(&requests->args, "status.message", strlen("status.message"), message.bytes, message.size);
	said->has_args = true;
}

/* 2, "SPAN_KIND_SERVER", "SERVER" and "server" are one. */
static struct packed_cell kind_cell(struct json_span kind)
{
	static const char *const kinds[] = { "internal", "server", "client", "producer", "consumer" };
	enum { KIND_COUNT = sizeof(kinds) / sizeof(kinds[0]) };
	char folded[FOLDED_SIZE];
	fold(kind, folded);
	const char *word = strncmp(folded, "spankind", 8) == 0 ? folded + 8 : folded;
	for (int i = 0; i < KIND_COUNT; i++)
		if (strcmp(word, kinds[i]) == 0 || (word[0] == '1' + i && word[1] == '\0'))
			return packed_text(kinds[i], strlen(kinds[i]));
	return (struct packed_cell){ .kind = PACKED_ABSENT };
}

static struct packed_cell id_cell(struct json_span value, char text[REQUEST_ID_SIZE])
{
	const struct packed_cell none = { .kind = PACKED_ABSENT };
	return is_id(read_id(value)) ? packed_text(text, id_text(value, text)) : none;
}

static struct packed_cell interned_cell(const struct requests *requests, uint32_t number)
{
	size_t size = 0;
	const char *text = number != REQUEST_NONE ? intern_get(&requests->texts, number, &size) : NULL;
	return size > 0 ? packed_text(text, size) : (struct packed_cell){ .kind = PACKED_ABSENT };
}

enum { TRACK_NAME_SIZE = 32 };

/* Add an event on the track of a span. */
static enum histree_status add_on_track(struct requests *requests, const struct request_span *span,
					enum track_class class, histree_time time,
					struct packed_cell cells[TRACK_FIELD_COUNT])
{
	char track[TRACK_NAME_SIZE];
	const uint32_t trace = requests->packed->base.trace.id; /* tracks of other files are others */
	const int size = trace == 0 ? snprintf(track, sizeof(track), "%" PRIu32, span->track)
				    : snprintf(track, sizeof(track), "%" PRIu32 ":%" PRIu32, trace, span->track);
	cells[TRACK_PID] = packed_int(requests->services[span->service].pid);
	cells[TRACK_TRACK] = packed_text(track, (size_t)size);
	const struct packed_event event = {
		.time = time, .cpu = -1, .class = requests->classes[class], .cells = cells
	};
	if (requests->args.has_failed)
		return error_memory(requests->error, "the spans of requests");
	return packed_source_add(requests->packed, &event, requests->error);
}

/*
 * An arrow from where a span was when another one began, or from its last ns. Where the clocks of two services
 * differ, that one may begin before the span that caused it: the arrow begins there, too, and has no length. By
 * how much the clocks differ is not guessed.
 */
static enum histree_status add_flow(struct requests *requests, uint32_t from, const struct request_span *to,
				    const char *name)
{
	const struct request_span *span = &requests->spans[from];
	char id[48];
	const int size = snprintf(id, sizeof(id), "%" PRIu32 ":%" PRIu32 "-%" PRIu32,
				  requests->packed->base.trace.id, from, (uint32_t)(to - requests->spans));
	struct packed_cell cells[TRACK_FIELD_COUNT] = {
		[TRACK_NAME] = packed_text(name, strlen(name)),
		[TRACK_ID] = packed_text(id, (size_t)size),
	};
	const histree_time last = span->end > span->begin ? span->end - 1 : span->end;
	const enum histree_status status =
		add_on_track(requests, span, TRACK_FLOW_BEGIN, to->begin < last ? to->begin : last, cells);
	return status == HISTREE_OK ? add_on_track(requests, to, TRACK_FLOW_END, to->begin, cells) : status;
}

static enum histree_status add_flows(struct requests *requests, const struct request_span *span,
				     struct json_span links)
{
	struct json_span rest = json_span_inside(links, '['), each;
	struct members in;
	enum histree_status status = HISTREE_OK;
	if (span->above != REQUEST_NONE && requests->spans[span->above].track != span->track)
		status = add_flow(requests, span->above, span, span->is_async ? "follows from" : "child of");
	while (status == HISTREE_OK && json_span_next(&rest, &each)) {
		read_members(each, &in);
		const uint32_t from =
			requests_tree_find(requests, read_id(in.of[IN_TRACE]), read_id(in.of[IN_ID]), span);
		if (from != REQUEST_NONE && from != span->above)
			status = add_flow(requests, from, span, "link");
	}
	return status;
}

static enum histree_status add_instants(struct requests *requests, const struct request_span *span,
					struct json_span events)
{
	struct json_span rest = json_span_inside(events, '['), each;
	struct members in;
	enum histree_status status = HISTREE_OK;
	while (status == HISTREE_OK && json_span_next(&rest, &each)) {
		struct packed_cell cells[TRACK_FIELD_COUNT] = { 0 };
		struct said said = { 0 };
		histree_time time;
		read_members(each, &in);
		if (!read_begin(&in, &time)) {
			requests->events_without_time++;
			continue;
		}
		put_attributes(requests, in.of[IN_ATTRIBUTES], &said);
		packed_parts_close(&requests->args);
		if (said.has_args)
			cells[TRACK_ARGS] = packed_value(&requests->args);
		const struct json_span name = json_span_is_there(in.of[IN_NAME])    ? in.of[IN_NAME]
					      : json_span_is_there(in.of[IN_VALUE]) ? in.of[IN_VALUE]
										    : said.name;
		cells[TRACK_NAME] = packed_name(text_of(requests, name, &requests->scan[2]));
		if (cells[TRACK_NAME].kind == PACKED_ABSENT)
			cells[TRACK_NAME] = packed_text("log", 3);
		status = add_on_track(requests, span, TRACK_INSTANT, time, cells);
	}
	return status;
}

enum histree_status requests_add(struct requests *requests, uint32_t number)
{
	const struct request_span *span = &requests->spans[number];
	struct members in, reference = { .is_whole = false };
	struct said said = { 0 };
	char trace[REQUEST_ID_SIZE], id[REQUEST_ID_SIZE], parent[REQUEST_ID_SIZE];
	read_members((struct json_span){ span->at, span->behind, NULL }, &in);
	put_attributes(requests, in.of[IN_ATTRIBUTES], &said);
	put_status(requests, in.of[IN_STATUS], &said);
	put_resource(requests, &requests->services[span->service], &said);
	packed_parts_close(&requests->args);
	find_reference(in.of[IN_LINKS], &reference);
	const bool has_parent = is_id(read_id(in.of[IN_PARENT]));
	const char *status_word = said.is_error ? "error" : "ok";
	struct packed_cell cells[TRACK_FIELD_COUNT] = {
		[TRACK_NAME] = packed_name(text_of(requests, in.of[IN_NAME], &requests->scan[2])),
		[TRACK_CATEGORY] = interned_cell(requests, span->scope),
		[TRACK_DURATION] = packed_int(span->end - span->begin),
		[TRACK_SERVICE] = interned_cell(requests, requests->services[span->service].name),
		[TRACK_KIND] =
			kind_cell(json_span_is_there(in.of[IN_KIND]) ? in.of[IN_KIND] : json_span_bare(said.kind)),
		[TRACK_TRACE_ID] = id_cell(in.of[IN_TRACE], trace),
		[TRACK_SPAN_ID] = id_cell(in.of[IN_ID], id),
		[TRACK_PARENT_ID] = id_cell(has_parent ? in.of[IN_PARENT] : reference.of[IN_ID], parent),
		[TRACK_SELF] = packed_int(span->self),
		[TRACK_CRITICAL] = packed_int(span->critical),
	};
	if (said.is_error || said.is_ok)
		cells[TRACK_STATUS] = packed_text(status_word, strlen(status_word));
	if (said.has_args)
		cells[TRACK_ARGS] = packed_value(&requests->args);
	enum histree_status status = add_on_track(requests, span, TRACK_SPAN, span->begin, cells);
	if (status == HISTREE_OK)
		status = add_flows(requests, span, in.of[IN_LINKS]);
	return status == HISTREE_OK ? add_instants(requests, span, in.of[IN_EVENTS]) : status;
}
