// SPDX-License-Identifier: MIT
#include "trace/ctf/ctf_source.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/array.h"
#include "base/error.h"
#include "trace/ctf/ctf_metadata.h"
#include "trace/ctf/tsdl_reader.h"

/* ---- the trace ------------------------------------------------------------------------------------------- */

static const char *environment_text(const struct ctf_schema *schema, const char *key)
{
	const struct ctf_environment *entry = ctf_schema_environment(schema, key);
	return entry == NULL || entry->text == NULL ? "" : entry->text;
}

static int environment_number(const struct ctf_schema *schema, const char *key)
{
	const struct ctf_environment *entry = ctf_schema_environment(schema, key);
	bool is = entry != NULL && entry->text == NULL && entry->number >= 0 && entry->number <= INT32_MAX;
	return is ? (int)entry->number : -1;
}

/* LTTng says "hostname", perf says "host". */
static void describe(struct ctf_source *source)
{
	const struct ctf_schema *schema = &source->schema;
	const char *hostname = environment_text(schema, "hostname");
	source->trace = (struct event_trace){
		.id = source->trace.id,
		.path = source->path,
		.domain = environment_text(schema, "domain"),
		.tracer_name = environment_text(schema, "tracer_name"),
		.tracer_major = environment_number(schema, "tracer_major"),
		.tracer_minor = environment_number(schema, "tracer_minor"),
		.hostname = hostname[0] != '\0' ? hostname : environment_text(schema, "host"),
		.machine = environment_text(schema, "machine"),
		.get_int = ctf_field_int,
		.get_string = ctf_field_string,
	};
}

static enum histree_status read_metadata(struct ctf_source *source, struct histree_error *error)
{
	char *text;
	enum histree_status status = ctf_metadata_read(source->path, &text, error);
	if (status != HISTREE_OK)
		return status;
	ctf_facts_read(text, &source->facts);
	status = tsdl_read(&source->schema, text, error);
	free(text);
	if (status != HISTREE_OK)
		return status;
	describe(source);
	return ctf_decoder_init(&source->decoder, &source->schema, &source->trace, source->class_count, error);
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
	if (asprintf(&path, "%s/%s", source->path, name) < 0)
		return error_memory(error, "the path of a stream file");
	if (!is_stream_file(path, name)) {
		free(path);
		return HISTREE_OK;
	}
	if (!array_reserve(&source->files, &source->file_capacity, source->file_count + 1)) {
		free(path);
		return error_memory(error, "the list of stream files");
	}
	source->files[source->file_count++] = (struct ctf_file){ .path = path };
	return HISTREE_OK;
}

static enum histree_status list_files(struct ctf_source *source, struct histree_error *error)
{
	DIR *directory = opendir(source->path);
	if (directory == NULL)
		return error_set(error, HISTREE_ERR_IO, "cannot open the folder: %s", strerror(errno));
	enum histree_status status = HISTREE_OK;
	const struct dirent *entry;
	while (status == HISTREE_OK && (entry = readdir(directory)) != NULL)
		status = add_file(source, entry->d_name, error);
	closedir(directory);
	if (source->file_count > 0)
		qsort(source->files, source->file_count, sizeof(*source->files), compare_files);
	return status;
}

enum histree_status ctf_source_scan(struct ctf_source *source, const char *path, struct histree_error *error)
{
	source->path = strdup(path);
	enum histree_status status = source->path == NULL ? error_memory(error, "a path") : HISTREE_OK;
	if (status == HISTREE_OK)
		status = read_metadata(source, error);
	if (status == HISTREE_OK)
		status = list_files(source, error);
	for (size_t i = 0; status == HISTREE_OK && i < source->file_count; i++) {
		struct ctf_file *file = &source->files[i];
		status = ctf_packets_walk(&source->decoder, file->path, source->notes, &file->packets, error);
		source->packet_count += file->packets.count;
		source->bytes += file->packets.file_size;
	}
	if (status != HISTREE_OK)
		error_prefix(error, "trace \"%s\"", path);
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
	struct ctf_file *copy = array_copy(source->files, source->file_count);
	bool has = false;
	if (copy == NULL)
		return false;
	qsort(copy, source->file_count, sizeof(*copy), compare_by_stream);
	for (size_t i = 1; i < source->file_count && !has; i++)
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

static enum histree_status add_reader(struct ctf_source *source, const struct ctf_reader *model, size_t first,
				      size_t count, struct histree_error *error)
{
	struct ctf_reader *reader = &source->readers[source->reader_count++];
	*reader = *model;
	reader->files = &source->files[first];
	reader->file_count = count;
	reader->first_file = first;
	reader->stream = reader->files[0].packets.stream;
	reader->base.name = reader->files[0].path;
	for (size_t i = 0; i < count; i++)
		reader->packet_count += reader->files[i].packets.count;
	enum histree_status status = count > 1 ? order_pieces(reader, error) : HISTREE_OK;
	return status == HISTREE_OK ? ctf_reader_init(reader, error) : status;
}

enum histree_status ctf_source_open(struct ctf_source *source, size_t window_size, bool files_stay_open,
				    const uint64_t *first_packets, struct histree_error *error)
{
	struct ctf_reader model = {
		.base = { .trace = &source->trace, .notes = source->notes },
		.decoder = &source->decoder,
		.window_size = window_size,
		.stays_open = files_stay_open,
		.cpu = -1,
	};
	bool has_shared = has_shared_streams(source);
	source->readers = calloc(source->file_count + 1, sizeof(*source->readers));
	if (source->readers == NULL)
		return error_memory(error, "the streams of a trace");
	if (has_shared)
		qsort(source->files, source->file_count, sizeof(*source->files), compare_by_stream);
	enum histree_status status = HISTREE_OK;
	for (size_t i = 0, count; status == HISTREE_OK && i < source->file_count; i += count) {
		for (count = 1; i + count < source->file_count; count++)
			if (!is_same_stream(&source->files[i].packets, &source->files[i + count].packets))
				break;
		if (source->files[i].packets.count == 0)
			continue;
		model.packets = first_packets == NULL ? 0 : first_packets[i];
		status = add_reader(source, &model, i, count, error);
	}
	return status;
}

bool ctf_source_has_places(const struct ctf_source *source)
{
	return source->reader_count == source->file_count;
}

bool ctf_source_span(const struct ctf_source *source, histree_time *begin, histree_time *end)
{
	/* A time that is damaged is no time of the trace. */
	static const uint64_t ticks_max = UINT64_MAX / 8;
	uint64_t first = UINT64_MAX, last = 0;
	*begin = *end = 0;
	for (size_t file = 0; file < source->file_count; file++) {
		const struct ctf_packets *packets = &source->files[file].packets;
		for (size_t i = 0; i < packets->count; i++) {
			const struct ctf_packet *packet = &packets->packets[i];
			if (packet->begin > 0 && packet->begin <= ticks_max && packet->begin < first)
				first = packet->begin;
			if (packet->end <= ticks_max && packet->end > last)
				last = packet->end;
		}
	}
	return first <= last && ctf_facts_time(&source->facts, first, begin) &&
	       ctf_facts_time(&source->facts, last, end);
}

uint64_t ctf_source_bytes_done(const struct ctf_source *source)
{
	uint64_t done = 0;
	bool is_done = true;
	for (size_t i = 0; i < source->reader_count; i++) {
		done += source->readers[i].packets - source->readers[i].is_open;
		is_done &= source->readers[i].is_done;
	}
	if (is_done || done >= source->packet_count)
		return source->bytes;
	return (uint64_t)((double)source->bytes * (double)done / (double)source->packet_count);
}

void ctf_source_close(struct ctf_source *source)
{
	for (size_t i = 0; i < source->reader_count; i++)
		ctf_reader_release(&source->readers[i]);
	for (size_t i = 0; i < source->file_count; i++) {
		ctf_packets_release(&source->files[i].packets);
		free(source->files[i].path);
	}
	free(source->readers);
	free(source->files);
	ctf_decoder_release(&source->decoder);
	ctf_schema_release(&source->schema);
	free(source->path);
}
