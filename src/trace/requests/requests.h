/* SPDX-License-Identifier: MIT */
/*
 * requests.h - spans of requests through several services, as OpenTelemetry, Jaeger and Zipkin write them.
 *
 * All three have the same things under other names, so there is one reader.  An object with the id of a trace and
 * of a span is a span; what is around it says its service (requests_span.c).  Messages of protocol buffers are
 * written as the JSON that stands for them, and read as that (requests_wire.c).
 *
 * Spans come in any order.  So the document is in memory as a whole, and is read twice: first what tells the spans
 * from one another, of which the trees of the requests are made (requests_tree.c), then, in the order of time, what
 * else each says.
 */
#ifndef TRACE_REQUESTS_REQUESTS_H
#define TRACE_REQUESTS_REQUESTS_H

#include "base/hash_index.h"
#include "trace/json/json_span.h"
#include "trace/packed/packed_markers.h"

#define REQUEST_NONE UINT32_MAX

/* Of a trace 128 bits, of a span 64.  Both 0: there is none. */
struct request_id {
	uint64_t high, low;
};

enum { REQUEST_ID_SIZE = 64 };

struct request_span {
	struct request_id trace, id, parent;
	histree_time begin, end;
	const uint8_t *at, *behind; /* its object in the document */
	uint32_t service, scope;    /* scope: of `texts`, or REQUEST_NONE */
	bool is_shared; /* of Zipkin: the server's side of a call, whose client's side has the same id */
	bool is_async;  /* it follows from the one that caused it, which does not wait for it */
	bool lacks_end; /* then `end` is `begin` */

	/* Made by requests_tree_make(). */
	bool is_seen;
	uint32_t same;        /* another span with these ids, or REQUEST_NONE */
	uint32_t above;       /* the span that caused it, or REQUEST_NONE */
	uint32_t first, next; /* that it caused, that this one caused: the one that ends last comes first */
	uint32_t depth;       /* 0: nothing that is in the file caused it */
	uint32_t track;       /* from 1 on: spans of a track lie in one another or do not overlap */
	histree_time busy;    /* until then a span that it caused is on its track */
	histree_time path_begin,
		path_end; /* between them the request waited for this span and for those below it */
	int64_t self, critical;
};

/* What spans are sorted by. */
struct request_order {
	histree_time first, last;
	uint32_t depth, span;
};

struct request_service {
	uint32_t name, instance;    /* of `texts`; instance: or REQUEST_NONE */
	uint32_t shared_name;       /* of the services of all files */
	int64_t pid;                /* the same in all files */
	const uint8_t *at, *behind; /* what its resource says, until its first span has said that */
};

struct requests {
	struct packed_source *packed;
	const struct packed_class *classes[TRACK_CLASS_COUNT];
	struct request_span *spans; /* in the order of the file */
	struct hash_index index;    /* of them, by the ids of trace and span, once the tree is made */
	size_t count, capacity;
	struct table span_table;
	struct request_order *order; /* in which they begin, once the tree is made */
	struct table order_table;
	struct intern texts, service_keys, process_keys;
	struct request_service *services; /* by number of the key */
	size_t service_capacity;
	uint32_t *process_services; /* of Jaeger's trace, by number of the key */
	size_t process_capacity;
	struct json_text scan[3]; /* a key, a value, a name */
	struct packed_parts args;
	char *written; /* messages as JSON */
	size_t written_size, written_capacity;
	struct table written_table;
	bool is_out_of_memory;
	bool is_damaged;
	uint64_t without_time, events_without_time, without_end, without_parent, repeated;
	struct histree_error *error;
};

/* Whether the first bytes of a file are such, in JSON, or in messages. */
bool requests_look(struct json_span document);
bool requests_wire_look(const void *bytes, size_t size);

/* Write messages as JSON.  Returns false if memory runs out; damage is noted. */
bool requests_wire_write(struct requests *requests, const void *bytes, size_t size);

/* Note each span of a value of JSON. */
enum histree_status requests_read(struct requests *requests, struct json_span value);

/* Find who caused whom, and on which track each span is. */
enum histree_status requests_tree_make(struct requests *requests);

/* Returns the number of the span with these ids that `other` is nearest to, but not itself; or REQUEST_NONE. */
uint32_t requests_tree_find(const struct requests *requests, struct request_id trace, struct request_id id,
			    const struct request_span *other);

/* Hand out what a span says. */
enum histree_status requests_add(struct requests *requests, uint32_t number);

/* What a process is called: as its service, and as its instance, too, if the files so far tell of several. */
enum histree_status requests_name_service(struct requests *requests, uint32_t service);

#endif
