// SPDX-License-Identifier: MIT
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "trace/ctf/ctf_cause.h"
#include "trace/ctf/ctf_live.h"

static const char *keep_text(struct ctf_live *live, const char *text)
{
	const char *copy = arena_copy(&live->texts, text, strlen(text));
	return copy == NULL ? "" : copy;
}

static const char *environment_text(struct ctf_live *live, const bt_trace *trace, const char *name)
{
	const bt_value *value = bt_trace_borrow_environment_entry_value_by_name_const(trace, name);
	return value != NULL && bt_value_is_string(value) ? keep_text(live, bt_value_string_get(value)) : "";
}

static int environment_int(const bt_trace *trace, const char *name)
{
	const bt_value *value = bt_trace_borrow_environment_entry_value_by_name_const(trace, name);
	if (value == NULL || !bt_value_is_signed_integer(value))
		return -1;
	int64_t number = bt_value_integer_signed_get(value);
	return number >= 0 && number <= INT32_MAX ? (int)number : -1;
}

/* LTTng says "hostname", perf says "host". */
static void describe_trace(struct ctf_live *live, const bt_trace *trace)
{
	struct event_trace *out = &live->trace;
	out->domain = environment_text(live, trace, "domain");
	out->tracer_name = environment_text(live, trace, "tracer_name");
	out->tracer_major = environment_int(trace, "tracer_major");
	out->tracer_minor = environment_int(trace, "tracer_minor");
	out->hostname = environment_text(live, trace, "hostname");
	if (out->hostname[0] == '\0')
		out->hostname = environment_text(live, trace, "host");
	out->machine = environment_text(live, trace, "machine");
}

static void begin_stream(struct ctf_live *live, const bt_message *message)
{
	const bt_stream *source = bt_message_stream_beginning_borrow_stream_const(message);
	const char *name = bt_stream_get_name(source);
	live->base.name = keep_text(live, name == NULL ? "" : name);
	if (live->trace.tracer_name[0] == '\0')
		describe_trace(live, bt_stream_borrow_trace_const(source));
}

/* -1 if the packet does not say.  The packets of several streams are open at a time: each event asks its own. */
static int32_t cpu_of_packet(const bt_packet *packet)
{
	const bt_field *context = bt_packet_borrow_context_field_const(packet);
	const bt_field *field = NULL;
	int64_t cpu;
	if (context != NULL)
		field = bt_field_structure_borrow_member_field_by_name_const(context, "cpu_id");
	bool known = field != NULL && ctf_live_field_int(field, &cpu) && cpu >= 0 && cpu <= INT32_MAX;
	return known ? (int32_t)cpu : -1;
}

static bool snapshot_time(const bt_clock_snapshot *snapshot, int64_t *out)
{
	if (bt_clock_snapshot_get_ns_from_origin(snapshot, out) == BT_CLOCK_SNAPSHOT_GET_NS_FROM_ORIGIN_STATUS_OK)
		return true;
	ctf_cause_drop();
	return false;
}

/* Where the tracer says that it lost something, and how much if it knows. */
static void note_loss(struct ctf_live *live, const char *what, const uint64_t *count,
		      const bt_clock_snapshot *begin, const bt_clock_snapshot *end, uint64_t gap_events)
{
	struct trace_span span;
	if (begin == NULL || !snapshot_time(begin, &span.begin))
		span.begin = INT64_MIN;
	if (end == NULL || !snapshot_time(end, &span.end))
		span.end = INT64_MIN;
	trace_stream_note_loss(&live->base, what, count, span);
	trace_stream_lose(&live->base, span, gap_events);
}

static void discarded_events(struct ctf_live *live, const bt_message *message)
{
	const bt_stream_class *class =
		bt_stream_borrow_class_const(bt_message_discarded_events_borrow_stream_const(message));
	uint64_t count = 0;
	bool counted = bt_message_discarded_events_get_count(message, &count) == BT_PROPERTY_AVAILABILITY_AVAILABLE;
	live->base.notes->report.discarded_events += counted ? count : 0;
	const bt_clock_snapshot *begin = NULL, *end = NULL;
	if (bt_stream_class_discarded_events_have_default_clock_snapshots(class)) {
		begin = bt_message_discarded_events_borrow_beginning_default_clock_snapshot_const(message);
		end = bt_message_discarded_events_borrow_end_default_clock_snapshot_const(message);
	}
	note_loss(live, "event", counted ? &count : NULL, begin, end, counted ? count : 0);
}

static void discarded_packets(struct ctf_live *live, const bt_message *message)
{
	const bt_stream_class *class =
		bt_stream_borrow_class_const(bt_message_discarded_packets_borrow_stream_const(message));
	uint64_t count = 0;
	bool counted =
		bt_message_discarded_packets_get_count(message, &count) == BT_PROPERTY_AVAILABILITY_AVAILABLE;
	live->base.notes->report.discarded_packets += counted ? count : 0;
	const bt_clock_snapshot *begin = NULL, *end = NULL;
	if (bt_stream_class_discarded_packets_have_default_clock_snapshots(class)) {
		begin = bt_message_discarded_packets_borrow_beginning_default_clock_snapshot_const(message);
		end = bt_message_discarded_packets_borrow_end_default_clock_snapshot_const(message);
	}
	note_loss(live, "packet", counted ? &count : NULL, begin, end, 0);
}

/* HISTREE_END where the event has no time that can be said. */
static enum histree_status take_event(struct ctf_live *live, const bt_message *message, struct histree_error *error)
{
	const bt_event *source = bt_message_event_borrow_event_const(message);
	struct event event = { .cpu = cpu_of_packet(bt_event_borrow_packet_const(source)), .handle = source };
	if (bt_message_event_borrow_stream_class_default_clock_class_const(message) == NULL) {
		snprintf(live->cause, sizeof(live->cause), "its events have no time");
		return HISTREE_END;
	}
	if (!snapshot_time(bt_message_event_borrow_default_clock_snapshot_const(message), &event.time)) {
		snprintf(live->cause, sizeof(live->cause), "the time of an event does not fit 64 bits");
		return HISTREE_END;
	}
	event.class = ctf_live_classes_get(&live->classes, bt_event_borrow_class_const(source), &live->trace);
	if (event.class == NULL)
		return error_memory(error, "the classes of events");
	if (event.cpu < 0)
		event.cpu = ctf_live_event_own_cpu(&event);
	trace_stream_put(&live->base, &event);
	live->current = message;
	return HISTREE_OK;
}

static void take_message(struct ctf_live *live, const bt_message *message)
{
	switch (bt_message_get_type(message)) {
	case BT_MESSAGE_TYPE_STREAM_BEGINNING:
		begin_stream(live, message);
		break;
	case BT_MESSAGE_TYPE_PACKET_BEGINNING:
		live->packets++;
		break;
	case BT_MESSAGE_TYPE_DISCARDED_EVENTS:
		discarded_events(live, message);
		break;
	case BT_MESSAGE_TYPE_DISCARDED_PACKETS:
		discarded_packets(live, message);
		break;
	case BT_MESSAGE_TYPE_EVENT:
	case BT_MESSAGE_TYPE_PACKET_END:
	case BT_MESSAGE_TYPE_STREAM_END:
	case BT_MESSAGE_TYPE_MESSAGE_ITERATOR_INACTIVITY:
		break;
	}
}

static void release_messages(struct ctf_live *live)
{
	if (live->current != NULL)
		bt_message_put_ref(live->current);
	live->current = NULL;
	while (live->next < live->count)
		bt_message_put_ref(live->messages[live->next++]);
}

void ctf_live_stream_release(struct ctf_live *live)
{
	release_messages(live);
	bt_message_iterator_put_ref(live->iterator);
	live->iterator = NULL;
}

static void end_stream(struct ctf_live *live)
{
	trace_stream_end(&live->base);
	ctf_live_stream_release(live);
}

void ctf_live_stream_damaged(struct ctf_live *live)
{
	trace_notes_warn(live->base.notes,
			 "%s: packet %" PRIu64 " cannot be decoded (%s); the events before that are read",
			 live->base.name, live->packets == 0 ? 0 : live->packets - 1, live->cause);
	live->base.notes->report.damaged_streams++;
	trace_stream_lose(&live->base, (struct trace_span){ .begin = INT64_MIN, .end = INT64_MAX }, 0);
	end_stream(live);
}

/* The next batch.  HISTREE_END if there is none, HISTREE_NOT_FOUND if there is none yet. */
static enum histree_status pull(struct ctf_live *live)
{
	live->pulls = true;
	live->pulled_status = BT_MESSAGE_ITERATOR_NEXT_STATUS_ERROR;
	if (bt_graph_run_once(live->graph) != BT_GRAPH_RUN_ONCE_STATUS_OK)
		ctf_cause_take(live->cause, sizeof(live->cause));
	live->pulls = false;
	if (live->pulled_status == BT_MESSAGE_ITERATOR_NEXT_STATUS_OK)
		return HISTREE_OK;
	if (live->pulled_status == BT_MESSAGE_ITERATOR_NEXT_STATUS_AGAIN)
		return HISTREE_NOT_FOUND;
	if (live->pulled_status == BT_MESSAGE_ITERATOR_NEXT_STATUS_END)
		end_stream(live);
	else
		ctf_live_stream_damaged(live);
	return HISTREE_END;
}

enum histree_status ctf_live_next(struct ctf_live *live, struct histree_error *error)
{
	if (live->current != NULL)
		bt_message_put_ref(live->current);
	live->current = NULL;
	while (live->iterator != NULL && !live->base.has_gap) {
		if (live->next == live->count) {
			enum histree_status pulled = pull(live);
			if (pulled == HISTREE_NOT_FOUND)
				return pulled;
			if (pulled != HISTREE_OK)
				break;
			continue;
		}
		const bt_message *message = live->messages[live->next++];
		if (bt_message_get_type(message) != BT_MESSAGE_TYPE_EVENT) {
			take_message(live, message);
			bt_message_put_ref(message);
			continue;
		}
		enum histree_status status = take_event(live, message, error);
		if (status == HISTREE_OK)
			return HISTREE_OK;
		bt_message_put_ref(message);
		if (status < 0)
			return status;
		ctf_live_stream_damaged(live);
	}
	return trace_stream_put_gap(&live->base) ? HISTREE_OK : HISTREE_END;
}
