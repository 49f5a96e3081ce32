// SPDX-License-Identifier: MIT
#include "trace/perfetto/perfetto_source.h"

#include <stdlib.h>

#include "base/error.h"
#include "event/track_vocabulary.h"
#include "trace/packed/packed_source.h"
#include "trace/perfetto/perfetto_reading.h"

struct perfetto_source {
	struct packed_source packed;
	enum perfetto_part part;
	struct perfetto_file file;
	struct perfetto_samples samples;
	struct perfetto_packets packets; /* while the events are read */
};

static struct perfetto_source *source_of(struct packed_source *packed)
{
	return (struct perfetto_source *)packed;
}

/* ---- reading --------------------------------------------------------------------------------------------- */

/* What is wrong with the file is said once. */
static bool tells_damage(const struct perfetto_source *source)
{
	return source->part == PERFETTO_FTRACE || !source->file.has_ftrace;
}

static enum histree_status read_events(struct packed_source *packed, struct histree_error *error)
{
	struct perfetto_source *source = source_of(packed);
	enum histree_status status = perfetto_packets_open(&source->packets, packed->io, packed->base.path, error);
	if (status == HISTREE_OK)
		status = perfetto_reading(packed, &source->packets, &source->file, &source->samples, source->part,
					  tells_damage(source), error);
	perfetto_packets_close(&source->packets);
	return status;
}

static uint64_t bytes_read(const struct packed_source *packed)
{
	uint64_t at = ((const struct perfetto_source *)packed)->packets.bytes.taken;
	return at < packed->base.bytes ? at : packed->base.bytes;
}

static const struct packed_reader reader = { .read = read_events, .bytes_read = bytes_read };

/* ---- what it is ------------------------------------------------------------------------------------------ */

static struct trace_source *create(enum perfetto_part part)
{
	struct perfetto_source *source = calloc(1, sizeof(*source));
	if (source == NULL)
		return NULL;
	source->part = part;
	packed_source_init(&source->packed, &reader);
	return &source->packed.base;
}

static struct trace_source *create_ftrace(void)
{
	return create(PERFETTO_FTRACE);
}

static struct trace_source *create_tracks(void)
{
	return create(PERFETTO_TRACKS);
}

static void describe(struct perfetto_source *source)
{
	struct trace_source *base = &source->packed.base;
	const struct perfetto_file *file = &source->file;
	base->facts = file->facts;
	base->file_count = 1;
	/* Bytes of the file count once. */
	base->bytes = tells_damage(source) ? file->size : 0;
	base->trace = (struct event_trace){
		.id = base->trace.id,
		.path = base->path,
		.domain = source->part == PERFETTO_FTRACE ? "kernel" : TRACK_DOMAIN,
		.tracer_name = "perfetto",
		.tracer_major = -1,
		.tracer_minor = -1,
		.hostname = base->facts.hostname,
		.machine = file->machine,
		.has_new_task_states = trace_release_has_new_task_states(base->facts.kernel),
		.get_int = packed_event_int,
		.get_string = packed_event_string,
		.visit = packed_event_visit,
	};
}

static enum histree_status scan(struct trace_source *base, const char *path, struct histree_error *error)
{
	struct perfetto_source *source = (struct perfetto_source *)base;
	const struct perfetto_file *file = &source->file;
	base->path = strdup(path);
	enum histree_status status = base->path == NULL ? error_memory(error, "a path")
							: perfetto_file_read(&source->file, base->io, path, error);
	bool is_there = source->part == PERFETTO_FTRACE ? file->has_ftrace : file->has_tracks;
	if (status == HISTREE_OK && !is_there) {
		if (source->part == PERFETTO_FTRACE || file->has_ftrace)
			return HISTREE_END;
		status = error_set(
			error, HISTREE_ERR_TRACE,
			"it has neither events of ftrace nor of tracks nor samples, which are what is read "
			"of traces of Perfetto; record with the data sources linux.ftrace, track_event or "
			"linux.perf");
	}
	if (status == HISTREE_OK)
		describe(source);
	else
		error_prefix(error, "trace \"%s\"", path);
	return status;
}

static enum histree_status read_facts(const char *path, struct trace_facts *out, struct histree_error *error)
{
	struct perfetto_file file = { 0 };
	enum histree_status status = perfetto_file_read(&file, &io_posix, path, error);
	if (status == HISTREE_OK)
		*out = file.facts;
	else
		error_prefix(error, "trace \"%s\"", path);
	perfetto_file_release(&file);
	return status;
}

static void free_source(struct trace_source *base)
{
	struct perfetto_source *source = (struct perfetto_source *)base;
	packed_source_release(&source->packed);
	perfetto_samples_release(&source->samples);
	perfetto_packets_close(&source->packets);
	perfetto_file_release(&source->file);
	free(base->path);
	free(source);
}

#define PACKED                                                                                          \
	.scan = scan, .open = packed_source_open, .leave = packed_source_leave,                         \
	.has_places = packed_source_has_places, .has_position = packed_source_has_position,             \
	.span = packed_source_span, .last = packed_source_last, .bytes_done = packed_source_bytes_done, \
	.facts = read_facts, .free = free_source

static const struct trace_format_kind tracks = { .create = create_tracks, PACKED };

const struct trace_format_kind perfetto_format = {
	.reads = "Perfetto", .create = create_ftrace, .beside = &tracks, PACKED
};
