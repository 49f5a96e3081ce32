// SPDX-License-Identifier: MIT
#include "trace/perfetto/perfetto_file.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/error.h"
#include "trace/perfetto/perfetto_markers.h"
#include "trace/perfetto/perfetto_packet.h"

static void copy_text(char out[TRACE_FACT_SIZE], const struct wire_field *field)
{
	size_t size = field->bytes == NULL ? 0 : field->size < TRACE_FACT_SIZE ? field->size : TRACE_FACT_SIZE - 1;
	if (size > 0)
		memcpy(out, field->bytes, size);
	out[size] = '\0';
}

/* protos/perfetto/common/system_info.proto */
static void read_utsname(struct perfetto_file *file, struct wire_message message)
{
	enum { RELEASE = 3, MACHINE = 4 };
	struct wire_field field;
	while (wire_next(&message, &field)) {
		if (field.number == RELEASE)
			copy_text(file->facts.kernel, &field);
		else if (field.number == MACHINE)
			copy_text(file->machine, &field);
	}
}

static void read_system(struct perfetto_file *file, struct wire_message message)
{
	enum { UTSNAME = 1, MACHINE_NAME = 17 };
	struct wire_field field;
	while (wire_next(&message, &field)) {
		if (field.number == UTSNAME)
			read_utsname(file, wire_inside(&field));
		else if (field.number == MACHINE_NAME)
			copy_text(file->facts.hostname, &field);
	}
}

static void read_uuid(struct perfetto_file *file, struct wire_message message)
{
	uint64_t halves[2] = { 0 };
	struct wire_field field;
	while (wire_next(&message, &field))
		if (field.number == 1 || field.number == 2)
			halves[field.number - 1] = field.value;
	snprintf(file->facts.uuid, sizeof(file->facts.uuid),
		 "%08" PRIx64 "-%04" PRIx64 "-%04" PRIx64 "-%04" PRIx64 "-%012" PRIx64, halves[0] >> 32,
		 halves[0] >> 16 & 0xffff, halves[0] & 0xffff, halves[1] >> 48,
		 halves[1] & UINT64_C(0xffffffffffff));
}

static enum histree_status read_packet(struct perfetto_file *file, struct wire_message message,
				       struct histree_error *error)
{
	const struct perfetto_packet packet = perfetto_packet_read(message);
	if (packet.machine != 0)
		return HISTREE_OK;
	switch (packet.data) {
	case PERFETTO_CLOCK_SNAPSHOT:
		return perfetto_clocks_learn(&file->clocks, packet.content)
			       ? HISTREE_OK
			       : error_memory(error, "the clocks of a trace");
	case PERFETTO_FTRACE_EVENTS:
		file->has_ftrace = true;
		file->has_markers = file->has_markers || perfetto_markers_are_in(packet.content);
		break;
	case PERFETTO_TRACK_EVENT:
		file->has_tracks = true;
		break;
	case PERFETTO_PERF_SAMPLE:
	case PERFETTO_STREAMING_PROFILE:
		file->has_samples = true;
		break;
	case PERFETTO_TRACK_DESCRIPTOR:
		return perfetto_tracks_add(&file->tracks, packet.content)
			       ? HISTREE_OK
			       : error_memory(error, "the tracks of a trace");
	case PERFETTO_SYSTEM_INFO:
		read_system(file, packet.content);
		break;
	case PERFETTO_TRACE_UUID:
		read_uuid(file, packet.content);
		break;
	default:
		break;
	}
	return HISTREE_OK;
}

/* Damage is said by whoever reads the events. */
static enum histree_status read_all(struct perfetto_file *file, struct perfetto_packets *packets,
				    struct histree_error *error)
{
	struct wire_message message;
	enum histree_status status;
	bool is_first = true;
	do {
		status = perfetto_packets_next(packets, &message, error);
		if (status == HISTREE_OK)
			status = read_packet(file, message, error);
		else if (status == HISTREE_ERR_TRACE && !is_first)
			status = perfetto_packets_resume(packets, error);
		is_first = false;
	} while (status == HISTREE_OK);
	return status == HISTREE_END ? HISTREE_OK : status;
}

enum histree_status perfetto_file_read(struct perfetto_file *file, const struct io *io, const char *path,
				       struct histree_error *error)
{
	struct perfetto_packets packets;
	*file = (struct perfetto_file){ .facts = { .tracer = "perfetto" } };
	enum histree_status status = perfetto_packets_open(&packets, io, path, error);
	file->size = packets.bytes.size;
	if (status == HISTREE_OK)
		status = read_all(file, &packets, error);
	perfetto_packets_close(&packets);
	if (status != HISTREE_OK)
		perfetto_file_release(file);
	if (status != HISTREE_OK)
		return status;
	perfetto_clocks_finish(&file->clocks);
	file->has_tracks = file->has_tracks || file->has_markers || file->has_samples;
	file->facts.has_clock = true;
	file->facts.zero = (histree_time)file->clocks.wall;
	file->facts.frequency = 1000000000;
	return HISTREE_OK;
}

void perfetto_file_release(struct perfetto_file *file)
{
	perfetto_clocks_release(&file->clocks);
	perfetto_tracks_release(&file->tracks);
	*file = (struct perfetto_file){ 0 };
}
