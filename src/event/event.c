// SPDX-License-Identifier: MIT
/*
 * event.c - the neutral event: its fields, the words that formats and analyses share, and the packets that events
 * describe.
 */
#include "event/event.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "histree/value.h"

/* ---- sample vocabulary --------------------------------------------------------------------------------------- */

const char *const sample_field_names[SAMPLE_FIELD_COUNT] = {
	[SAMPLE_STACK] = "sample_stack", [SAMPLE_WEIGHT] = "sample_weight",   [SAMPLE_PID] = "sample_pid",
	[SAMPLE_TID] = "sample_tid",     [SAMPLE_PROCESS] = "sample_process", [SAMPLE_THREAD] = "sample_thread",
};

/* ---- track vocabulary ---------------------------------------------------------------------------------------- */

const char *const track_class_names[TRACK_CLASS_COUNT] = {
	[TRACK_SPAN_BEGIN] = "span_begin",
	[TRACK_SPAN_END] = "span_end",
	[TRACK_SPAN] = "span",
	[TRACK_INSTANT] = "instant",
	[TRACK_COUNTER] = "counter",
	[TRACK_FLOW_BEGIN] = "flow_begin",
	[TRACK_FLOW_STEP] = "flow_step",
	[TRACK_FLOW_END] = "flow_end",
	[TRACK_PROCESS_NAME] = "process_name",
	[TRACK_THREAD_NAME] = "thread_name",
	[TRACK_TRACK_NAME] = "track_name",
	[TRACK_LOSS] = "loss",
};

const char *const track_field_names[TRACK_FIELD_COUNT] = {
	[TRACK_NAME] = "name",
	[TRACK_CATEGORY] = "category",
	[TRACK_PID] = "pid",
	[TRACK_TID] = "tid",
	[TRACK_TRACK] = "track",
	[TRACK_ID] = "id",
	[TRACK_DURATION] = "duration",
	[TRACK_THREAD_DURATION] = "thread_duration",
	[TRACK_THREAD_TIME] = "thread_time",
	[TRACK_SERIES] = "series",
	[TRACK_VALUE] = "value",
	[TRACK_SORT_INDEX] = "sort_index",
	[TRACK_ONCE] = "once",
	[TRACK_ARGS] = "args",
	[TRACK_SERVICE] = "service",
	[TRACK_KIND] = "kind",
	[TRACK_STATUS] = "status",
	[TRACK_TRACE_ID] = "trace_id",
	[TRACK_SPAN_ID] = "span_id",
	[TRACK_PARENT_ID] = "parent_id",
	[TRACK_SELF] = "self",
	[TRACK_CRITICAL] = "critical",
};

/* ---- event --------------------------------------------------------------------------------------------------- */

static uint32_t find(const struct event_class *class, uint32_t from, const char *name)
{
	for (uint32_t field = from; field < class->field_count; field++)
		if (strcmp(class->fields[field], name) == 0)
			return field;
	return EVENT_NO_FIELD;
}

uint32_t event_class_field(const struct event_class *class, const char *name)
{
	return find(class, 0, name);
}

uint32_t event_class_context_field(const struct event_class *class, const char *name)
{
	return find(class, class->payload_count, name);
}

/* ---- what is inside of fields ---------------------------------------------------------------------------- */

bool event_visit(const struct event *event, uint32_t field, event_visitor visitor, void *context)
{
	const struct event_trace *trace = event->class->trace;
	struct event_part part = { .kind = EVENT_NOTHING, .name = event->class->fields[field] };
	if (trace->visit != NULL)
		return trace->visit(event, field, visitor, context);
	if (event_int_as_written(event, field, &part.integer))
		part.kind = EVENT_INT;
	else if (trace->get_string(event, field, &part.bytes, &part.size))
		part.kind = EVENT_TEXT;
	return visitor(context, &part);
}

uint64_t event_part_unsigned(const struct event_part *part)
{
	uint64_t number = (uint64_t)part->integer;
	bool is_cut = part->bits > 0 && part->bits < 64;
	return is_cut ? number & ((UINT64_C(1) << part->bits) - 1) : number;
}

void event_part_digits(const struct event_part *part, char text[EVENT_DIGITS_SIZE])
{
	uint64_t number = event_part_unsigned(part);
	if (part->base == 16) {
		snprintf(text, EVENT_DIGITS_SIZE, "0x%" PRIx64, number);
	} else if (part->base == 8) {
		snprintf(text, EVENT_DIGITS_SIZE, "%#" PRIo64, number);
	} else if (part->base == 2) {
		int bit = 63;
		while (bit > 0 && (number >> bit & 1) == 0)
			bit--;
		text += sprintf(text, "0b");
		for (; bit >= 0; bit--)
			*text++ = (char)('0' + (number >> bit & 1));
		*text = '\0';
	} else if (part->kind == EVENT_UNSIGNED) {
		snprintf(text, EVENT_DIGITS_SIZE, "%" PRIu64, (uint64_t)part->integer);
	} else {
		snprintf(text, EVENT_DIGITS_SIZE, "%" PRId64, part->integer);
	}
}

/* Where a path has come to: what is left of it names something at a depth. */
struct search {
	const char *path;
	uint32_t depth;
	struct event_part *out;
	bool found;
};

/* Returns what is behind the name of a part in a path, NULL if the path does not begin with it. */
static const char *behind(const char *path, const struct event_part *part)
{
	if (part->name == NULL) {
		char *end;
		if (*path != '[' || !isdigit((unsigned char)path[1]) ||
		    strtoull(path + 1, &end, 10) != part->index || *end != ']')
			return NULL;
		return end + 1;
	}
	size_t size = strlen(part->name);
	if (part->depth > 0 && *path++ != '.')
		return NULL;
	if (strncmp(path, part->name, size) != 0)
		return NULL;
	path += size;
	return *path == '\0' || *path == '.' || *path == '[' ? path : NULL;
}

static bool look(void *context, const struct event_part *part)
{
	struct search *search = context;
	if (part->depth < search->depth) /* the end of where it should have been */
		return false;
	const char *rest =
		part->depth > search->depth || part->kind == EVENT_END ? NULL : behind(search->path, part);
	if (rest == NULL)
		return true;
	if (*rest == '\0') {
		*search->out = *part;
		search->found =
			part->kind != EVENT_STRUCTURE && part->kind != EVENT_ARRAY && part->kind != EVENT_NOTHING;
		return false;
	}
	if (part->kind != EVENT_STRUCTURE && part->kind != EVENT_ARRAY)
		return false;
	search->path = rest;
	search->depth++;
	return true;
}

bool event_find(const struct event *event, const char *path, struct event_part *out)
{
	const struct event_class *class = event->class;
	for (uint32_t field = 0; field < class->field_count; field++) {
		const struct event_part part = { .name = class->fields[field] };
		struct search search = { .path = path, .out = out };
		if (behind(path, &part) == NULL)
			continue;
		event_visit(event, field, look, &search);
		if (search.found)
			return true;
	}
	return false;
}

bool event_name_is_system_call(const char *name, size_t size)
{
	static const char *const prefixes[] = { "syscall_", "exit_syscall",  "compat_sys",
						"sys_",     "raw_syscalls:", "syscalls:" };
	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++)
		if (size >= strlen(prefixes[i]) && memcmp(name, prefixes[i], strlen(prefixes[i])) == 0)
			return true;
	return false;
}

/* ---- packet -------------------------------------------------------------------------------------------------- */

/* Tracers have had several places for them. */
static const struct packet_place packet_places[] = {
	{ "seq", "seq", "ack_seq", "flags" },
	{ "network_header", "network_header.transport_header.seq", "network_header.transport_header.ack_seq",
	  "network_header.transport_header.flags" },
	{ "transport_fields", "transport_fields.thtype_tcp.seq", "transport_fields.thtype_tcp.ack_seq",
	  "transport_fields.thtype_tcp.flags" },
};

static const struct {
	const char *name;
	bool is_sent;
} packet_events[] = {
	{ "inet_sock_local_out", true }, { "inet_sock_local_in", false }, { "net_dev_queue", true },
	{ "netif_receive_skb", false },  { "net_if_receive_skb", false },
};

bool packet_name_is_known(const char *name)
{
	for (size_t i = 0; i < sizeof(packet_events) / sizeof(*packet_events); i++)
		if (strcmp(name, packet_events[i].name) == 0)
			return true;
	return false;
}

struct packet_class packet_class_of(const struct event_class *class)
{
	struct packet_class out = { .is_known = true };
	for (size_t i = 0; i < sizeof(packet_events) / sizeof(*packet_events); i++) {
		if (strcmp(class->name, packet_events[i].name) != 0)
			continue;
		out.is_sent = packet_events[i].is_sent;
		for (size_t j = 0; j < sizeof(packet_places) / sizeof(*packet_places) && out.place == NULL; j++)
			if (event_class_field(class, packet_places[j].field) != EVENT_NO_FIELD)
				out.place = &packet_places[j];
	}
	return out;
}

static bool find_number(const struct event *event, const char *path, uint32_t *out)
{
	struct event_part part;
	if (!event_find(event, path, &part) || (part.kind != EVENT_INT && part.kind != EVENT_UNSIGNED))
		return false;
	*out = (uint32_t)part.integer;
	return true;
}

bool packet_read(const struct packet_class *class, const struct event *event, struct packet_key *out)
{
	return find_number(event, class->place->seq, &out->seq) &&
	       find_number(event, class->place->ack_seq, &out->ack_seq) &&
	       find_number(event, class->place->flags, &out->flags);
}
