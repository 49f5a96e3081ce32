// SPDX-License-Identifier: MIT
#include "trace/perfetto/perfetto_reading.h"

#include <inttypes.h>

#include "base/error.h"
#include "trace/perfetto/perfetto_ftrace.h"
#include "trace/perfetto/perfetto_processes.h"
#include "trace/perfetto/perfetto_sequence.h"

struct reading {
	struct packed_source *packed;
	const struct perfetto_file *file;
	enum perfetto_part part;
	bool tells;
	bool is_damaged;
	struct perfetto_sequences sequences;
	struct perfetto_ftrace ftrace;
	uint64_t elsewhere; /* packets of other machines */
	uint64_t cut;       /* packets that are damaged inside */
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
	return read_ftrace_packet(reading, sequence, packet, time, error);
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
static void lose_rest(struct reading *reading)
{
	const struct id_entry *entry;
	for (size_t at = 0; (entry = id_map_next(&reading->sequences.map, &at)) != NULL;) {
		const struct perfetto_sequence *sequence = entry->record;
		if (sequence->is_losing && sequence->has_ftrace)
			perfetto_ftrace_lose(&reading->ftrace);
	}
}

static void note_rest(const struct reading *reading)
{
	struct trace_stream *stream = &reading->packed->stream;
	if (!reading->tells)
		return;
	if (reading->cut > 0)
		trace_notes_warn(stream->notes,
				 "%s: %" PRIu64 " packet%s damaged inside; what is before that is read",
				 stream->name, reading->cut, reading->cut == 1 ? " is" : "s are");
	if (reading->elsewhere > 0)
		trace_notes_warn(stream->notes,
				 "%s: %" PRIu64
				 " packet%s of other machines %s left out: only the machine that the "
				 "tracing service ran on is read",
				 stream->name, reading->elsewhere, reading->elsewhere == 1 ? "" : "s",
				 reading->elsewhere == 1 ? "is" : "are");
	if (reading->sequences.budget.left_out > 0)
		trace_notes_warn(stream->notes,
				 "%s: %" PRIu64 " interned text%s left out: all of them may take 32 MiB",
				 stream->name, reading->sequences.budget.left_out,
				 reading->sequences.budget.left_out == 1 ? " is" : "s are");
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
	if (status < 0)
		return status;
	lose_rest(reading);
	return perfetto_ftrace_finish(&reading->ftrace, error);
}

enum histree_status perfetto_reading(struct packed_source *packed, struct perfetto_packets *packets,
				     const struct perfetto_file *file, enum perfetto_part part, bool tells,
				     struct histree_error *error)
{
	struct reading reading = {
		.packed = packed,
		.file = file,
		.part = part,
		.tells = tells,
		.ftrace = { .packed = packed, .clocks = &file->clocks },
	};
	enum histree_status status = read_all(&reading, packets, error);
	if (status == HISTREE_OK)
		note_rest(&reading);
	perfetto_ftrace_release(&reading.ftrace);
	perfetto_sequences_release(&reading.sequences);
	return status;
}
