// SPDX-License-Identifier: MIT
/*
 * ctf_source.c - one CTF trace in a folder: its stream files and the streams that they make.
 */
#include "trace/ctf/ctf_source.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/io.h"
#include "base/search.h"
#include "base/table.h"
#include "trace/ctf/ctf_metadata.h"
#include "trace/ctf/ctf_reader.h"
#include "trace/ctf/ctf_schema.h"
#include "trace/formats.h"
#include "trace/trace_source.h"

/* ---- the trace ------------------------------------------------------------------------------------------- */

static enum histree_status read_metadata(struct ctf_source *source, struct histree_error *error)
{
	char *text;
	enum histree_status status = ctf_metadata_read(source->base.io, source->base.path, &text, error);
	if (status != HISTREE_OK)
		return status;
	status = ctf_metadata_schema(text, &source->schema, error);
	free(text);
	if (status != HISTREE_OK)
		return status;
	ctf_metadata_facts(&source->schema, &source->base.facts);
	ctf_schema_describe(&source->schema, &source->base.trace);
	source->base.trace.path = source->base.path;
	return ctf_decoder_init(&source->decoder, &source->schema, &source->base.trace, source->base.class_count,
				error);
}

/* ---- files ----------------------------------------------------------------------------------------------- */

/* A stream file is a regular file that is neither hidden, empty nor the metadata. */
static bool is_stream_file(const char *path, const char *name)
{
	struct stat facts;
	return name[0] != '.' && strcmp(name, "metadata") != 0 && stat(path, &facts) == 0 &&
	       S_ISREG(facts.st_mode) && facts.st_size > 0;
}

static int compare_files(const void *a, const void *b)
{
	return strcmp(((const struct ctf_file *)a)->path, ((const struct ctf_file *)b)->path);
}

static enum histree_status add_file(struct ctf_source *source, const char *name, struct histree_error *error)
{
	char *path;
	if (asprintf(&path, "%s/%s", source->base.path, name) < 0)
		return error_memory(error, "the path of a stream file");
	if (!is_stream_file(path, name)) {
		free(path);
		return HISTREE_OK;
	}
	if (!array_reserve(&source->files, &source->file_capacity, source->base.file_count + 1)) {
		free(path);
		return error_memory(error, "the list of stream files");
	}
	struct ctf_file file = { .path = path, .marks = calloc(1, sizeof(*file.marks)) };
	if (file.marks == NULL) {
		free(path);
		return error_memory(error, "the list of stream files");
	}
	source->files[source->base.file_count++] = file;
	return HISTREE_OK;
}

static enum histree_status list_files(struct ctf_source *source, struct histree_error *error)
{
	DIR *directory = opendir(source->base.path);
	if (directory == NULL)
		return error_set(error, HISTREE_ERR_IO, "cannot open the folder: %s", strerror(errno));
	enum histree_status status = HISTREE_OK;
	const struct dirent *entry;
	while (status == HISTREE_OK && (entry = readdir(directory)) != NULL)
		status = add_file(source, entry->d_name, error);
	closedir(directory);
	if (source->base.file_count > 0)
		qsort(source->files, source->base.file_count, sizeof(*source->files), compare_files);
	return status;
}

static enum histree_status scan(struct trace_source *base, struct histree_error *error)
{
	struct ctf_source *source = ctf_source_of(base);
	enum histree_status status = read_metadata(source, error);
	if (status == HISTREE_OK)
		status = list_files(source, error);
	for (size_t i = 0; status == HISTREE_OK && i < source->base.file_count; i++) {
		struct ctf_file *file = &source->files[i];
		status = ctf_packets_walk(&source->decoder, source->base.io, file->path, source->base.notes,
					  &file->packets, error);
		source->packet_count += file->packets.count;
		source->base.bytes += file->packets.file_size;
	}
	if (status != HISTREE_OK)
		error_prefix(error, "trace \"%s\"", base->path);
	return status;
}

/* ---- streams --------------------------------------------------------------------------------------------- */

/* The files of a stream one after the other; those of which nothing can be read are last. */
static int compare_by_stream(const void *a, const void *b)
{
	const struct ctf_packets *first = &((const struct ctf_file *)a)->packets;
	const struct ctf_packets *second = &((const struct ctf_file *)b)->packets;
	if ((first->count == 0) != (second->count == 0))
		return first->count == 0 ? 1 : -1;
	if (first->stream != second->stream)
		return first->stream < second->stream ? -1 : 1;
	if (first->instance != second->instance)
		return first->instance < second->instance ? -1 : 1;
	uint64_t begins[] = { first->count == 0 ? 0 : first->packets[0].begin,
			      second->count == 0 ? 0 : second->packets[0].begin };
	return begins[0] != begins[1] ? (begins[0] < begins[1] ? -1 : 1) : compare_files(a, b);
}

static bool is_same_stream(const struct ctf_packets *first, const struct ctf_packets *second)
{
	return first->stream == second->stream && first->instance == second->instance &&
	       first->instance != CTF_UNKNOWN && first->count > 0 && second->count > 0;
}

/* Whether several files are of one stream. */
static bool has_shared_streams(struct ctf_source *source)
{
	struct ctf_file *copy = array_copy(source->files, source->base.file_count);
	bool has = false;
	if (copy == NULL)
		return false;
	qsort(copy, source->base.file_count, sizeof(*copy), compare_by_stream);
	for (size_t i = 1; i < source->base.file_count && !has; i++)
		has = is_same_stream(&copy[i - 1].packets, &copy[i].packets);
	free(copy);
	return has;
}

struct timed_piece {
	struct ctf_piece piece;
	uint64_t begin;
};

static int compare_pieces(const void *a, const void *b)
{
	const struct timed_piece *first = a, *second = b;
	if (first->begin != second->begin)
		return first->begin < second->begin ? -1 : 1;
	if (first->piece.file != second->piece.file)
		return first->piece.file < second->piece.file ? -1 : 1;
	return (first->piece.packet > second->piece.packet) - (first->piece.packet < second->piece.packet);
}

/* Put the packets of the files of a stream in order. */
static enum histree_status order_pieces(struct ctf_reader *reader, struct histree_error *error)
{
	struct timed_piece *timed = calloc(reader->packet_count, sizeof(*timed));
	reader->pieces = calloc(reader->packet_count, sizeof(*reader->pieces));
	if (timed == NULL || reader->pieces == NULL) {
		free(timed);
		return error_memory(error, "the packets of a stream");
	}
	size_t count = 0;
	for (uint32_t file = 0; file < reader->file_count; file++) {
		const struct ctf_packets *packets = &reader->files[file].packets;
		for (uint32_t i = 0; i < packets->count; i++)
			timed[count++] = (struct timed_piece){ .piece = { .file = file, .packet = i },
							       .begin = packets->packets[i].begin };
	}
	qsort(timed, count, sizeof(*timed), compare_pieces);
	for (size_t i = 0; i < count; i++)
		reader->pieces[i] = timed[i].piece;
	free(timed);
	return HISTREE_OK;
}

static void position(const struct trace_stream *stream, struct trace_position *out)
{
	const struct ctf_reader *reader = (const struct ctf_reader *)stream;
	*out = (struct trace_position){
		.packet = reader->packets - 1,
		.events = reader->packet_events - (stream->upcoming.gap == NULL),
	};
}

static bool is_before_packet(const struct trace_stream *stream)
{
	const struct ctf_reader *reader = (const struct ctf_reader *)stream;
	return reader->head.begin != CTF_UNKNOWN && reader->ticks < reader->head.begin;
}

static const struct trace_stream_kind reader_kind = {
	.next = ctf_reader_next, .skip = ctf_reader_skip, .position = position, .is_before_packet = is_before_packet
};

static enum histree_status add_reader(struct ctf_source *source, const struct ctf_reader *model, size_t first,
				      size_t count, struct histree_error *error)
{
	struct ctf_reader *reader = &source->readers[source->reader_count++];
	*reader = *model;
	reader->files = &source->files[first];
	reader->file_count = count;
	reader->stream = reader->files[0].packets.stream;
	for (size_t i = 0; i < count; i++)
		reader->packet_count += reader->files[i].packets.count;
	enum histree_status status =
		trace_source_add(&source->base, &reader->base, &reader_kind, first, reader->files[0].path, error);
	if (status == HISTREE_OK && count > 1)
		status = order_pieces(reader, error);
	return status == HISTREE_OK ? ctf_reader_init(reader, error) : status;
}

/* Whether no stream of the trace has a clock; beside another trace, where its events belong is not known. */
static bool has_only_order(const struct ctf_source *source, const struct trace_opening *opening)
{
	for (size_t i = 0; i < source->schema.stream_count; i++)
		if (source->schema.streams[i]->clock != NULL)
			return false;
	return opening->is_alone;
}

static enum histree_status open_streams(struct trace_source *base, const struct trace_opening *opening,
					struct histree_error *error)
{
	struct ctf_source *source = ctf_source_of(base);
	struct ctf_reader model = {
		.decoder = &source->decoder,
		.window_size =
			opening->window_size < TRACE_WINDOW_SIZE_MIN ? TRACE_WINDOW_SIZE_MIN : opening->window_size,
		.io = base->io,
		.stays_open = opening->files_stay_open,
		.is_in_order = has_only_order(source, opening),
		.cpu = -1,
	};
	if (model.is_in_order && source->packet_count > 0 && opening->positions == NULL)
		trace_notes_warn(
			base->notes,
			"'%s' has no clock: its events are read in the order of their file, and their times "
			"are the bytes at which they begin, no nanoseconds",
			base->path);
	bool has_shared = has_shared_streams(source);
	source->readers = calloc(base->file_count + 1, sizeof(*source->readers));
	if (source->readers == NULL)
		return error_memory(error, "the streams of a trace");
	if (has_shared)
		qsort(source->files, source->base.file_count, sizeof(*source->files), compare_by_stream);
	enum histree_status status = HISTREE_OK;
	for (size_t i = 0, count; status == HISTREE_OK && i < source->base.file_count; i += count) {
		for (count = 1; i + count < source->base.file_count; count++)
			if (!is_same_stream(&source->files[i].packets, &source->files[i + count].packets))
				break;
		if (source->files[i].packets.count == 0)
			continue;
		/* A reader with positions is of one file; it begins with the packet of its position. */
		model.packets = opening->positions == NULL ? 0
							   : (opening->positions[i].packet == TRACE_FILE_DONE
								      ? source->files[i].packets.count
								      : opening->positions[i].packet);
		status = add_reader(source, &model, i, count, error);
	}
	return status;
}

static void leave_streams(struct trace_source *base)
{
	struct ctf_source *source = ctf_source_of(base);
	for (size_t i = 0; i < source->reader_count; i++)
		ctf_reader_release(&source->readers[i]);
	free(source->readers);
	source->readers = NULL;
	source->reader_count = 0;
}

/* ---- what the packets say -------------------------------------------------------------------------------- */

/* Each file must be a stream, whose packets can be read without those before them. */
static bool has_places(const struct trace_source *base)
{
	const struct ctf_source *source = (const struct ctf_source *)base;
	for (size_t i = 0; i < source->reader_count; i++)
		if (!ctf_stream_knows_clock(source->readers[i].stream, source->schema.version))
			return false;
	return source->reader_count == base->file_count;
}

static bool has_position(const struct trace_source *base, size_t file, const struct trace_position *at)
{
	return at->packet < ((const struct ctf_source *)base)->files[file].packets.count;
}

/* Returns whether the packet says when it begins. */
static bool packet_begin(const struct ctf_packets *packets, size_t packet, histree_time *begin)
{
	return packets->packets[packet].begin != CTF_UNKNOWN &&
	       ctf_decoder_time(packets->stream, packets->packets[packet].begin, begin);
}

/* As if the events of a packet lay evenly in its time. */
static uint64_t bytes_before(const struct ctf_packets *packets, size_t packet, histree_time begin,
			     histree_time time)
{
	const struct ctf_packet *at = &packets->packets[packet];
	histree_time end;
	if (time <= begin)
		return at->offset;
	if (at->end == CTF_UNKNOWN || !ctf_decoder_time(packets->stream, at->end, &end) || end <= time)
		return at->offset + at->size;
	return at->offset + (uint64_t)((double)at->size * ((double)(time - begin) / (double)(end - begin)));
}

static bool find_time(const struct trace_source *base, size_t file, histree_time time, struct trace_position *at,
		      uint64_t *bytes)
{
	const struct ctf_packets *packets = &((const struct ctf_source *)base)->files[file].packets;
	*at = (struct trace_position){ .packet = packets->count > 0 ? 0 : TRACE_FILE_DONE };
	*bytes = 0;
	if (packets->count == 0)
		return true;
	if (!ctf_stream_knows_clock(packets->stream, ((const struct ctf_source *)base)->schema.version))
		return false;
	histree_time begin, first;
	if (!packet_begin(packets, 0, &first))
		return false;
	/* The last one that begins before the time, or the first. */
	bool is_known = true;
	const size_t low = SEARCH(i, 1, packets->count,
				  (is_known = is_known && packet_begin(packets, i, &begin)) && begin < time) -
			   1;
	if (!is_known || !packet_begin(packets, low, &begin))
		return false;
	at->packet = low;
	*bytes = bytes_before(packets, low, begin, time);
	return true;
}

/* Packets whose times are 0 say nothing. */
static bool span(const struct trace_source *base, histree_time *begin, histree_time *end)
{
	/* A time that is damaged is no time of the trace. */
	static const uint64_t ticks_max = UINT64_MAX / 8;
	const struct ctf_source *source = (const struct ctf_source *)base;
	uint64_t first = UINT64_MAX, last = 0;
	*begin = *end = 0;
	for (size_t file = 0; file < base->file_count; file++) {
		const struct ctf_packets *packets = &source->files[file].packets;
		for (size_t i = 0; i < packets->count; i++) {
			const struct ctf_packet *packet = &packets->packets[i];
			if (packet->begin > 0 && packet->begin <= ticks_max && packet->begin < first)
				first = packet->begin;
			if (packet->end <= ticks_max && packet->end > last)
				last = packet->end;
		}
	}
	return first <= last && trace_facts_time(&base->facts, first, begin) &&
	       trace_facts_time(&base->facts, last, end);
}

static histree_time last_time(const struct trace_source *base)
{
	const struct ctf_source *source = (const struct ctf_source *)base;
	histree_time last = INT64_MIN;
	for (size_t file = 0; file < base->file_count; file++) {
		const struct ctf_packets *packets = &source->files[file].packets;
		for (size_t i = 0; i < packets->count; i++) {
			histree_time end;
			if (packets->packets[i].end != CTF_UNKNOWN &&
			    trace_facts_time(&base->facts, packets->packets[i].end, &end) && end > last)
				last = end;
		}
	}
	return last;
}

/* By the packets that were decoded. */
static uint64_t bytes_done(const struct trace_source *base)
{
	const struct ctf_source *source = (const struct ctf_source *)base;
	uint64_t done = 0;
	bool is_done = true;
	for (size_t i = 0; i < source->reader_count; i++) {
		done += source->readers[i].packets - source->readers[i].is_open;
		is_done &= source->readers[i].is_done;
	}
	if (is_done || done >= source->packet_count)
		return base->bytes;
	return (uint64_t)((double)base->bytes * (double)done / (double)source->packet_count);
}

static enum histree_status read_facts(const char *path, struct trace_facts *out, struct histree_error *error)
{
	char *text;
	struct ctf_schema schema = { 0 };
	enum histree_status status = ctf_metadata_read(&io_posix, path, &text, error);
	/* A trace that cannot be understood has no facts here; opening it reports what is wrong with it. */
	if (status == HISTREE_OK && ctf_metadata_schema(text, &schema, NULL) == HISTREE_OK)
		ctf_metadata_facts(&schema, out);
	ctf_schema_release(&schema);
	free(text);
	return status;
}

static void release(struct trace_source *base)
{
	struct ctf_source *source = ctf_source_of(base);
	leave_streams(base);
	for (size_t i = 0; i < base->file_count; i++) {
		ctf_packets_release(&source->files[i].packets);
		free(source->files[i].path);
		if (source->files[i].marks != NULL)
			ctf_marks_release(source->files[i].marks);
		free(source->files[i].marks);
	}
	free(source->files);
	ctf_decoder_release(&source->decoder);
	ctf_schema_release(&source->schema);
}

/* A folder with metadata. */
static bool is_folder(const char *path)
{
	struct stat facts;
	char metadata[PATH_MAX];
	return (size_t)snprintf(metadata, sizeof(metadata), "%s/metadata", path) < sizeof(metadata) &&
	       stat(metadata, &facts) == 0 && S_ISREG(facts.st_mode);
}

static bool declares(const struct trace_source *base, bool (*is_wanted)(const char *name))
{
	const struct ctf_schema *schema = &((const struct ctf_source *)base)->schema;
	for (size_t i = 0; i < schema->event_count; i++)
		if (schema->events[i]->name == NULL || is_wanted(schema->events[i]->name))
			return true;
	return false;
}

const struct trace_format_kind ctf_format = {
	.size = sizeof(struct ctf_source),
	.reads = "CTF, a folder with \"metadata\" (LTTng, barectf)",
	.is_folder = is_folder,
	.scan = scan,
	.open = open_streams,
	.leave = leave_streams,
	.has_places = has_places,
	.has_position = has_position,
	.find_time = find_time,
	.span = span,
	.last = last_time,
	.declares = declares,
	.bytes_done = bytes_done,
	.facts = read_facts,
	.has_states_as_written = true,
	.release = release,
};
