// SPDX-License-Identifier: MIT
#include "trace/perfetto/perfetto_reading.h"

#include <inttypes.h>

#include "base/error.h"
#include "trace/perfetto/perfetto_ftrace.h"
#include "trace/perfetto/perfetto_markers.h"
#include "trace/perfetto/perfetto_processes.h"
#include "trace/perfetto/perfetto_samples.h"
#include "trace/perfetto/perfetto_sequence.h"
#include "trace/perfetto/perfetto_track_events.h"

struct reading {
	struct packed_source *packed;
	struct perfetto_file *file;
	enum perfetto_part part;
	bool tells;
	bool is_damaged;
	struct perfetto_sequences sequences;
	struct perfetto_ftrace ftrace;
	struct perfetto_track_events tracks;
	struct packed_markers markers;
	struct perfetto_samples *samples;
	uint64_t elsewhere;    /* packets of other machines */
	uint64_t cut;          /* packets that are damaged inside */
	uint64_t without_time; /* events of tracks */
	uint64_t skipped;      /* the same: what they refer to is lost */
};

/* ---- packets --------------------------------------------------------------------------------------------- */

static enum histree_status read_ftrace_packet(struct reading *reading, struct perfetto_sequence *sequence,
					      const struct perfetto_packet *packet, histree_time time,
					      struct histree_error *error)
{
	if (packet->data == PERFETTO_PROCESS_TREE)
		return perfetto_processes_of_kernel(reading->packed, packet->content, time, error);
	if (packet->data == PERFETTO_FTRACE_STATS)
		perfetto_ftrace_count(&reading->ftrace, packet->content);
	/* Which CPU's events are missing nobody says. */
	if (sequence->is_losing && sequence->has_ftrace)
		perfetto_ftrace_lose(&reading->ftrace);
	sequence->is_losing = false;
	if (packet->data != PERFETTO_FTRACE_EVENTS)
		return HISTREE_OK;
	sequence->has_ftrace = true;
	return perfetto_ftrace_read(&reading->ftrace, packet->content, error);
}

/* Whose the events of a sequence are, as writers of old say (thread_descriptor.proto). */
static void read_thread(struct perfetto_sequence *sequence, struct wire_message message)
{
	enum { PID = 1, TID = 2, REFERENCE_US = 6 };
	struct wire_field field;
	while (wire_next(&message, &field)) {
		if (field.number == PID)
			sequence->pid = (int32_t)field.value;
		else if (field.number == TID)
			sequence->tid = (int32_t)field.value;
		else if (field.number == REFERENCE_US)
			sequence->last_us = field.value;
	}
}

/* What a sequence lost ends before its next event. */
static enum histree_status end_loss(struct reading *reading, struct perfetto_sequence *sequence, histree_time next,
				    struct histree_error *error)
{
	struct trace_span span = { .begin = sequence->last + 1, .end = next == INT64_MAX ? next : next - 1 };
	sequence->is_losing = false;
	if (!sequence->has_events || sequence->last == INT64_MAX)
		return HISTREE_OK;
	if (span.end < span.begin)
		span.end = span.begin;
	if (next != INT64_MAX)
		trace_stream_note_loss(&reading->packed->stream, "packet", NULL, span);
	return packed_source_lose(reading->packed, -1, span, 0, error);
}

static enum histree_status read_track_event(struct reading *reading, struct perfetto_sequence *sequence,
					    struct wire_message content, histree_time time,
					    struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	if (time == PACKED_NO_TIME &&
	    !perfetto_sequence_time_of_old(sequence, &reading->file->clocks, content, &time)) {
		reading->without_time++;
		return HISTREE_OK;
	}
	if (sequence->is_losing)
		status = end_loss(reading, sequence, time, error);
	uint64_t added = reading->packed->added;
	if (status == HISTREE_OK)
		status = perfetto_track_events_read(&reading->tracks, sequence, content, time, error);
	if (reading->packed->added == added)
		return status;
	if (!sequence->has_events || time > sequence->last)
		sequence->last = time;
	sequence->has_events = true;
	return status;
}

static enum histree_status read_track_packet(struct reading *reading, struct perfetto_sequence *sequence,
					     const struct perfetto_packet *packet, histree_time time,
					     struct histree_error *error)
{
	if (packet->data == PERFETTO_THREAD_DESCRIPTOR)
		read_thread(sequence, packet->content);
	if (packet->data == PERFETTO_FTRACE_EVENTS && reading->file->has_markers)
		return perfetto_markers_read(&reading->markers, &reading->file->clocks, packet->content, error);
	if (packet->data == PERFETTO_PROCESS_TREE && reading->file->has_samples)
		return perfetto_samples_name(reading->samples, packet->content, error);
	const bool is_sample = packet->data == PERFETTO_PERF_SAMPLE || packet->data == PERFETTO_STREAMING_PROFILE;
	if (packet->data != PERFETTO_TRACK_EVENT && !is_sample)
		return HISTREE_OK;
	if (packet->needs_state && !sequence->is_valid) {
		sequence->is_losing = true;
		reading->skipped++;
		return HISTREE_OK;
	}
	if (packet->data == PERFETTO_PERF_SAMPLE)
		return perfetto_samples_read(reading->samples, sequence, packet->content, time, error);
	if (packet->data == PERFETTO_STREAMING_PROFILE)
		return perfetto_samples_stream(reading->samples, sequence, &reading->file->clocks, packet->content,
					       error);
	return read_track_event(reading, sequence, packet->content, time, error);
}

static enum histree_status read_packet(struct reading *reading, const struct perfetto_packet *packet,
				       struct histree_error *error)
{
	struct perfetto_sequence *sequence = perfetto_sequences_of(&reading->sequences, packet->sequence);
	histree_time time = PACKED_NO_TIME;
	if (sequence == NULL)
		return error_memory(error, "the sequences of a trace");
	enum histree_status status = perfetto_sequence_begin(sequence, &reading->sequences.budget, packet, error);
	if (status != HISTREE_OK)
		return status;
	if (packet->data == PERFETTO_CLOCK_SNAPSHOT)
		perfetto_own_clocks_learn(&sequence->clocks, &reading->file->clocks, packet->content);
	if (!perfetto_sequence_time(sequence, &reading->file->clocks, packet, &time))
		time = PACKED_NO_TIME;
	return reading->part == PERFETTO_FTRACE ? read_ftrace_packet(reading, sequence, packet, time, error)
						: read_track_packet(reading, sequence, packet, time, error);
}

static enum histree_status take_packet(struct reading *reading, struct wire_message message,
				       struct histree_error *error)
{
	const struct perfetto_packet packet = perfetto_packet_read(message);
	if (packet.machine != 0) {
		reading->elsewhere++;
		return HISTREE_OK;
	}
	enum histree_status status = read_packet(reading, &packet, error);
	if (packet.is_damaged) {
		reading->cut++;
		perfetto_sequences_lose(&reading->sequences);
	}
	return status == HISTREE_OK ? packed_source_look(reading->packed, error) : status;
}

/* ---- damage ---------------------------------------------------------------------------------------------- */

/* Go on behind what is no packet.  HISTREE_END: there is nothing to go on with. */
static enum histree_status pass_damage(struct reading *reading, struct perfetto_packets *packets,
				       const struct histree_error *why, struct histree_error *error)
{
	struct trace_stream *stream = &reading->packed->stream;
	enum histree_status found = perfetto_packets_resume(packets, error);
	if (found < 0)
		return found;
	if (reading->tells)
		trace_notes_warn(stream->notes, "%s: %s; %s", stream->name, why->message,
				 found == HISTREE_OK ? "reading goes on behind it"
						     : "the packets before that are read");
	if (reading->tells && !reading->is_damaged)
		stream->notes->report.damaged_streams++;
	reading->is_damaged = true;
	perfetto_sequences_lose(&reading->sequences);
	return found;
}

/* Nothing followed a loss: it reaches to the end. */
static enum histree_status lose_rest(struct reading *reading, struct histree_error *error)
{
	const struct id_entry *entry;
	enum histree_status status = HISTREE_OK;
	for (size_t at = 0; status == HISTREE_OK && (entry = id_map_next(&reading->sequences.map, &at)) != NULL;) {
		struct perfetto_sequence *sequence = entry->record;
		if (sequence->is_losing && sequence->has_ftrace)
			perfetto_ftrace_lose(&reading->ftrace);
		if (sequence->is_losing && sequence->has_events)
			status = end_loss(reading, sequence, INT64_MAX, error);
	}
	return status;
}

/* "... 3 events of tracks have no time" */
static void note_count(const struct reading *reading, uint64_t count, const char *one, const char *many)
{
	struct trace_stream *stream = &reading->packed->stream;
	if (count > 0)
		trace_notes_warn(stream->notes, "%s: %" PRIu64 " %s", stream->name, count, count == 1 ? one : many);
}

static void note_rest(const struct reading *reading)
{
	const struct perfetto_track_events *tracks = &reading->tracks;
	note_count(reading, reading->without_time, "event of a track has no time, and is left out",
		   "events of tracks have no time, and are left out");
	note_count(reading, reading->skipped, "event of a track refers to what was lost before it, and is left out",
		   "events of tracks refer to what was lost before them, and are left out");
	note_count(reading, tracks->undefined + tracks->arguments.undefined,
		   "reference is to a text that is not interned", "references are to texts that are not interned");
	note_count(reading, reading->markers.others, "marker of a program is not whole, and is left out",
		   "markers of programs are not whole, and are left out");
	note_count(reading, reading->samples->undefined, "part of a stack is not interned, and has no name",
		   "parts of stacks are not interned, and have no names");
	note_count(reading, reading->samples->skipped, "sample has no stack or no time, and is left out",
		   "samples have no stack or no time, and are left out");
	note_count(reading, reading->samples->lost, "record of samples was lost by the kernel",
		   "records of samples were lost by the kernel");
	note_count(reading, tracks->unknown, "event of a track is of a type that is not known",
		   "events of tracks are of types that are not known");
	note_count(reading, reading->part == PERFETTO_TRACKS ? reading->file->tracks.left_out : 0,
		   "description of a track is left out: 131,072 tracks are the limit",
		   "descriptions of tracks are left out: 131,072 tracks are the limit");
	if (!reading->tells)
		return;
	note_count(reading, reading->cut, "packet is damaged inside; what is before that is read",
		   "packets are damaged inside; what is before that is read");
	note_count(reading, reading->elsewhere,
		   "packet of another machine is left out: only that of the tracing service is read",
		   "packets of other machines are left out: only that of the tracing service is read");
	note_count(reading, reading->sequences.budget.left_out,
		   "interned text is left out: all of them may take 32 MiB",
		   "interned texts are left out: all of them may take 32 MiB");
}

static enum histree_status read_all(struct reading *reading, struct perfetto_packets *packets,
				    struct histree_error *error)
{
	struct wire_message message;
	struct histree_error why;
	enum histree_status status;
	do {
		status = perfetto_packets_next(packets, &message, &why);
		if (status == HISTREE_OK)
			status = take_packet(reading, message, error);
		else if (status == HISTREE_ERR_TRACE)
			status = pass_damage(reading, packets, &why, error);
		else if (status == HISTREE_ERR_MEMORY)
			return error_memory(error, "a packet");
	} while (status == HISTREE_OK);
	if (status == HISTREE_END)
		status = lose_rest(reading, error);
	return status == HISTREE_OK ? perfetto_ftrace_finish(&reading->ftrace, error) : status;
}

enum histree_status perfetto_reading(struct packed_source *packed, struct perfetto_packets *packets,
				     struct perfetto_file *file, struct perfetto_samples *samples,
				     enum perfetto_part part, bool tells, struct histree_error *error)
{
	struct reading reading = {
		.packed = packed,
		.file = file,
		.part = part,
		.tells = tells,
		.samples = samples,
		.ftrace = { .packed = packed, .clocks = &file->clocks },
		.tracks = { .packed = packed, .tracks = &file->tracks },
	};
	enum histree_status status =
		part == PERFETTO_TRACKS ? perfetto_track_events_begin(&reading.tracks, error) : HISTREE_OK;
	if (status == HISTREE_OK && part == PERFETTO_TRACKS && file->has_markers &&
	    !packed_markers_begin(&reading.markers, packed, error))
		status = error->status;
	if (part == PERFETTO_TRACKS)
		perfetto_samples_begin(samples, packed, reading.tracks.classes);
	if (status == HISTREE_OK)
		status = read_all(&reading, packets, error);
	if (part == PERFETTO_TRACKS)
		packed_samples_end(&samples->samples);
	if (status == HISTREE_OK)
		note_rest(&reading);
	perfetto_ftrace_release(&reading.ftrace);
	perfetto_track_events_release(&reading.tracks);
	packed_markers_release(&reading.markers);
	perfetto_sequences_release(&reading.sequences);
	return status;
}
