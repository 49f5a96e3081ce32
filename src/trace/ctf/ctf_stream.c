// SPDX-License-Identifier: MIT
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/time_text.h"
#include "trace/ctf/ctf_cause.h"
#include "trace/ctf/ctf_input.h"

static const char *keep_text(struct ctf_input *input, const char *text)
{
	const char *copy = arena_copy(&input->texts, text, strlen(text));
	return copy == NULL ? "" : copy;
}

static const char *environment_text(struct ctf_input *input, const bt_trace *trace, const char *name)
{
	const bt_value *value = bt_trace_borrow_environment_entry_value_by_name_const(trace, name);
	return value != NULL && bt_value_is_string(value) ? keep_text(input, bt_value_string_get(value)) : "";
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
static void describe_trace(struct ctf_input *input, const bt_trace *trace)
{
	struct event_trace *out = &input->trace;
	out->domain = environment_text(input, trace, "domain");
	out->tracer_name = environment_text(input, trace, "tracer_name");
	out->tracer_major = environment_int(trace, "tracer_major");
	if (out->tracer_major < 0)
		out->tracer_major = environment_int(trace, CTF_HIDDEN_MAJOR);
	out->tracer_minor = environment_int(trace, "tracer_minor");
	out->hostname = environment_text(input, trace, "hostname");
	if (out->hostname[0] == '\0')
		out->hostname = environment_text(input, trace, "host");
	out->machine = environment_text(input, trace, "machine");
}

static void begin_stream(struct ctf_stream *stream, const bt_message *message)
{
	struct ctf_input *input = stream->input;
	const bt_stream *source = bt_message_stream_beginning_borrow_stream_const(message);
	const char *name = bt_stream_get_name(source);
	if (name == NULL)
		name = "";
	stream->file = ctf_folder_find(&input->folder, name);
	if (stream->file != NULL)
		stream->packets = stream->file->first_packet;
	if (stream->file != NULL && input->folder.stand_in != NULL) {
		char path[4096];
		snprintf(path, sizeof(path), "%s/%s", input->folder.path, stream->file->name);
		stream->name = keep_text(input, path);
	} else {
		stream->name = keep_text(input, name);
	}
	if (input->trace.tracer_name[0] == '\0')
		describe_trace(input, bt_stream_borrow_trace_const(source));
}

/* -1 if the packet does not say. */
static int32_t cpu_of_packet(const bt_packet *packet)
{
	const bt_field *context = bt_packet_borrow_context_field_const(packet);
	const bt_field *field = NULL;
	int64_t cpu;
	if (context != NULL)
		field = bt_field_structure_borrow_member_field_by_name_const(context, "cpu_id");
	bool known = field != NULL && ctf_field_int(field, &cpu) && cpu >= 0 && cpu <= INT32_MAX;
	return known ? (int32_t)cpu : -1;
}

/* In a live trace the packets of several streams are open at a time: each event asks its own. */
static void begin_packet(struct ctf_stream *stream, const bt_message *message)
{
	stream->packets++;
	stream->packet_events = 0;
	if (!stream->input->is_live)
		stream->cpu = cpu_of_packet(bt_message_packet_beginning_borrow_packet_const(message));
}

static int32_t cpu_of_event(const struct ctf_stream *stream, const bt_event *event)
{
	return stream->input->is_live ? cpu_of_packet(bt_event_borrow_packet_const(event)) : stream->cpu;
}

static bool snapshot_time(const bt_clock_snapshot *snapshot, int64_t *out)
{
	if (bt_clock_snapshot_get_ns_from_origin(snapshot, out) == BT_CLOCK_SNAPSHOT_GET_NS_FROM_ORIGIN_STATUS_OK)
		return true;
	ctf_cause_drop();
	return false;
}

/* Where the tracer says that it lost something, and how much if it knows. */
static void note_loss(struct ctf_stream *stream, const char *what, bool counted, uint64_t count,
		      const bt_clock_snapshot *begin, const bt_clock_snapshot *end)
{
	char lost[48], range[2 * TIME_TEXT_SIZE + 16] = "", from_text[TIME_TEXT_SIZE], to_text[TIME_TEXT_SIZE];
	int64_t from, to;
	if (counted)
		snprintf(lost, sizeof(lost), "%" PRIu64 " %s%s", count, what, count == 1 ? "" : "s");
	else
		snprintf(lost, sizeof(lost), "an unknown number of %ss", what);
	if (begin != NULL && end != NULL && snapshot_time(begin, &from) && snapshot_time(end, &to)) {
		time_format_date(from, from_text);
		time_format_date(to, to_text);
		snprintf(range, sizeof(range), " between %s and %s", from_text, to_text);
	}
	trace_notes_warn(stream->input->notes, "%s: the tracer lost %s%s", stream->name, lost, range);
}

/*
 * The stream lacks what comes from one time to the other.  What it had before its first event is not known anyway;
 * and what its last event said is known at that event's time.
 */
static void begin_gap(struct ctf_stream *stream, histree_time begin, histree_time end, uint64_t events)
{
	if (!stream->input->wants_gaps || !stream->has_events || stream->last == INT64_MAX)
		return;
	if (begin <= stream->last)
		begin = stream->last + 1;
	if (stream->has_gap && stream->gap.begin < begin)
		begin = stream->gap.begin;
	events += stream->has_gap ? stream->gap.events : 0;
	stream->gap = (struct event_gap){
		.trace = &stream->input->trace,
		.cpu = stream->input->is_live ? -1 : stream->upcoming.cpu,
		.begin = begin,
		.end = end > begin ? end : begin,
		.events = events,
	};
	stream->has_gap = true;
}

/* The times between which something was lost; where the trace does not say, as much as can be. */
static void lose(struct ctf_stream *stream, const bt_clock_snapshot *begin, const bt_clock_snapshot *end,
		 uint64_t events)
{
	histree_time from = INT64_MIN, to = INT64_MIN;
	if (begin == NULL || !snapshot_time(begin, &from))
		from = INT64_MIN;
	if (end == NULL || !snapshot_time(end, &to))
		to = INT64_MIN;
	begin_gap(stream, from, to, events);
}

static void discarded_events(struct ctf_stream *stream, const bt_message *message)
{
	const bt_stream_class *class =
		bt_stream_borrow_class_const(bt_message_discarded_events_borrow_stream_const(message));
	bool timed = bt_stream_class_discarded_events_have_default_clock_snapshots(class);
	uint64_t count = 0;
	bool counted = bt_message_discarded_events_get_count(message, &count) == BT_PROPERTY_AVAILABILITY_AVAILABLE;
	stream->input->notes->report.discarded_events += counted ? count : 0;
	const bt_clock_snapshot *begin = NULL, *end = NULL;
	if (timed) {
		begin = bt_message_discarded_events_borrow_beginning_default_clock_snapshot_const(message);
		end = bt_message_discarded_events_borrow_end_default_clock_snapshot_const(message);
	}
	note_loss(stream, "event", counted, count, begin, end);
	lose(stream, begin, end, counted ? count : 0);
}

static void discarded_packets(struct ctf_stream *stream, const bt_message *message)
{
	const bt_stream_class *class =
		bt_stream_borrow_class_const(bt_message_discarded_packets_borrow_stream_const(message));
	bool timed = bt_stream_class_discarded_packets_have_default_clock_snapshots(class);
	uint64_t count = 0;
	bool counted =
		bt_message_discarded_packets_get_count(message, &count) == BT_PROPERTY_AVAILABILITY_AVAILABLE;
	stream->input->notes->report.discarded_packets += counted ? count : 0;
	const bt_clock_snapshot *begin = NULL, *end = NULL;
	if (timed) {
		begin = bt_message_discarded_packets_borrow_beginning_default_clock_snapshot_const(message);
		end = bt_message_discarded_packets_borrow_end_default_clock_snapshot_const(message);
	}
	note_loss(stream, "packet", counted, count, begin, end);
	lose(stream, begin, end, 0);
}

/* HISTREE_END where the event has no time that can be said. */
static enum histree_status take_event(struct ctf_stream *stream, const bt_message *message,
				      struct histree_error *error)
{
	struct ctf_input *input = stream->input;
	const bt_event *source = bt_message_event_borrow_event_const(message);
	const bt_event_class *class = bt_event_borrow_class_const(source);
	int64_t time;
	if (bt_message_event_borrow_stream_class_default_clock_class_const(message) == NULL) {
		snprintf(input->cause, sizeof(input->cause), "its events have no time");
		return HISTREE_END;
	}
	if (!snapshot_time(bt_message_event_borrow_default_clock_snapshot_const(message), &time)) {
		snprintf(input->cause, sizeof(input->cause), "the time of an event does not fit 64 bits");
		return HISTREE_END;
	}
	const struct event_class *known = ctf_classes_get(input->classes, class, &input->trace);
	if (known == NULL)
		return error_memory(error, "the classes of events");
	if (stream->has_events && time < stream->last) {
		if (stream->steps_back++ == 0)
			stream->first_step_back = time;
		input->notes->report.clock_steps_back++;
	}
	stream->has_events = true;
	stream->last = time;
	stream->upcoming = (struct event){
		.time = time, .cpu = cpu_of_event(stream, source), .class = known, .handle = source
	};
	if (stream->upcoming.cpu < 0)
		stream->upcoming.cpu = ctf_event_own_cpu(&stream->upcoming);
	stream->current = message;
	stream->packet_events++;
	return HISTREE_OK;
}

static void take_message(struct ctf_stream *stream, const bt_message *message)
{
	switch (bt_message_get_type(message)) {
	case BT_MESSAGE_TYPE_STREAM_BEGINNING:
		begin_stream(stream, message);
		break;
	case BT_MESSAGE_TYPE_PACKET_BEGINNING:
		begin_packet(stream, message);
		break;
	case BT_MESSAGE_TYPE_PACKET_END:
		stream->input->packets_done++;
		break;
	case BT_MESSAGE_TYPE_DISCARDED_EVENTS:
		discarded_events(stream, message);
		break;
	case BT_MESSAGE_TYPE_DISCARDED_PACKETS:
		discarded_packets(stream, message);
		break;
	case BT_MESSAGE_TYPE_EVENT:
	case BT_MESSAGE_TYPE_STREAM_END:
	case BT_MESSAGE_TYPE_MESSAGE_ITERATOR_INACTIVITY:
		break;
	}
}

static void release_messages(struct ctf_stream *stream)
{
	if (stream->current != NULL)
		bt_message_put_ref(stream->current);
	stream->current = NULL;
	while (stream->next < stream->count)
		bt_message_put_ref(stream->messages[stream->next++]);
}

void ctf_stream_release(struct ctf_stream *stream)
{
	release_messages(stream);
	bt_message_iterator_put_ref(stream->iterator);
	stream->iterator = NULL;
}

static void end_stream(struct ctf_stream *stream)
{
	if (stream->steps_back > 0) {
		char first[TIME_TEXT_SIZE];
		time_format_date(stream->first_step_back, first);
		trace_notes_warn(stream->input->notes,
				 "%s: the clock steps back %" PRIu64
				 " time%s, first to %s; its events are taken in the order of the file",
				 stream->name, stream->steps_back, stream->steps_back == 1 ? "" : "s", first);
	}
	stream->input->streams_ended++;
	ctf_stream_release(stream);
}

void ctf_stream_damaged(struct ctf_stream *stream)
{
	struct trace_notes *notes = stream->input->notes;
	const struct ctf_file *file = stream->file;
	bool counted = file != NULL && file->damaged;
	/* The last packet of a file that was found to be damaged is expected to break off. */
	if (!counted || stream->packets < file->packets.count)
		trace_notes_warn(
			notes, "%s: packet %" PRIu64 " cannot be decoded (%s); the events before that are read",
			stream->name, stream->packets == 0 ? 0 : stream->packets - 1, stream->input->cause);
	if (!counted)
		notes->report.damaged_streams++;
	begin_gap(stream, INT64_MIN, INT64_MAX, 0);
	end_stream(stream);
}

/* The next batch.  HISTREE_END if there is none, HISTREE_NOT_FOUND if there is none yet. */
static enum histree_status pull(struct ctf_stream *stream)
{
	struct ctf_input *input = stream->input;
	input->pulled = stream;
	input->pulled_status = BT_MESSAGE_ITERATOR_NEXT_STATUS_ERROR;
	if (bt_graph_run_once(input->graph) != BT_GRAPH_RUN_ONCE_STATUS_OK)
		ctf_cause_take(input->cause, sizeof(input->cause));
	input->pulled = NULL;
	if (input->pulled_status == BT_MESSAGE_ITERATOR_NEXT_STATUS_OK)
		return HISTREE_OK;
	if (input->pulled_status == BT_MESSAGE_ITERATOR_NEXT_STATUS_AGAIN)
		return HISTREE_NOT_FOUND;
	if (input->pulled_status == BT_MESSAGE_ITERATOR_NEXT_STATUS_END)
		end_stream(stream);
	else
		ctf_stream_damaged(stream);
	return HISTREE_END;
}

enum histree_status ctf_stream_next(struct ctf_stream *stream, struct histree_error *error)
{
	if (stream->current != NULL)
		bt_message_put_ref(stream->current);
	stream->current = NULL;
	while (stream->iterator != NULL && !stream->has_gap) {
		if (stream->next == stream->count) {
			enum histree_status pulled = pull(stream);
			if (pulled == HISTREE_NOT_FOUND)
				return pulled;
			if (pulled != HISTREE_OK)
				break;
			continue;
		}
		const bt_message *message = stream->messages[stream->next++];
		if (bt_message_get_type(message) != BT_MESSAGE_TYPE_EVENT) {
			take_message(stream, message);
			bt_message_put_ref(message);
			continue;
		}
		enum histree_status status = take_event(stream, message, error);
		if (status == HISTREE_OK)
			return HISTREE_OK;
		bt_message_put_ref(message);
		if (status < 0)
			return status;
		ctf_stream_damaged(stream);
	}
	if (!stream->has_gap)
		return HISTREE_END;
	stream->has_gap = false;
	stream->upcoming = (struct event){ .time = stream->gap.begin, .cpu = stream->gap.cpu, .gap = &stream->gap };
	return HISTREE_OK;
}
