// SPDX-License-Identifier: MIT
/*
 * ctf_source.c - one CTF trace in a folder: its stream files and the streams that they make; the text of its
 * metadata, plain or in packets, and which version of CTF it is; and the field that a length or a tag refers to,
 * found by its location.
 */
#include "trace/ctf/ctf_source.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/bytes.h"
#include "base/error.h"
#include "base/io.h"
#include "base/search.h"
#include "base/table.h"
#include "trace/ctf/ctf2.h"
#include "trace/ctf/ctf_facts.h"
#include "trace/ctf/ctf_reader.h"
#include "trace/ctf/ctf_reference.h"
#include "trace/ctf/ctf_schema.h"
#include "trace/ctf/tsdl.h"
#include "trace/trace_source.h"

/* ---- ctf metadata -------------------------------------------------------------------------------------------- */

/* ---- ctf location -------------------------------------------------------------------------------------------- */

/*
 * A walk along the names of a location.  `chain` has the structures around the field that needs the location, the
 * outermost first: what is in them is decoded up to the member that leads on to the field.
 */
struct walk {
	const struct ctf_around *chain[2 * CTF_NESTING_MAX];
	size_t chain_count;
	const char *names[2 * CTF_NESTING_MAX];
	size_t name_count;
	uint64_t *searches;
	struct ctf_targets *targets;
};

#define OFF_CHAIN SIZE_MAX
static void add_target(struct walk *walk, struct ctf_member *member)
{
	struct ctf_targets *targets = walk->targets;
	if (targets->count < CTF_TARGETS_MAX)
		targets->members[targets->count++] = member;
	else
		targets->are_too_many = true;
}

static void step(struct walk *walk, const struct ctf_type *structure, size_t level, size_t name);

/* Go on inside of a member that is decoded. */
static void descend(struct walk *walk, struct ctf_member *member, size_t name)
{
	struct ctf_type *type = member->type;
	if (walk->targets->are_too_many || *walk->searches > CTF_SEARCHES_MAX)
		return;
	if (type->kind == CTF_VARIANT) {
		for (size_t i = 0; i < type->member_count; i++)
			descend(walk, &type->members[i], name);
	} else if (type->kind == CTF_STRUCTURE && name < walk->name_count) {
		step(walk, type, OFF_CHAIN, name);
	} else if (ctf_type_is_integer(type) && name == walk->name_count) {
		add_target(walk, member);
	}
}

/* Find a name in a structure, which is one of the chain or is all decoded. */
static void step(struct walk *walk, const struct ctf_type *structure, size_t level, size_t name)
{
	size_t end = level == OFF_CHAIN ? structure->member_count : walk->chain[level]->before + 1;
	*walk->searches += end;
	for (size_t i = 0; i < end && i < structure->member_count; i++) {
		if (strcmp(structure->members[i].name, walk->names[name]) != 0)
			continue;
		if (level == OFF_CHAIN || i < walk->chain[level]->before)
			descend(walk, &structure->members[i], name + 1);
		else if (level + 1 < walk->chain_count && name + 1 < walk->name_count)
			step(walk, walk->chain[level + 1]->structure, level + 1, name + 1);
		return;
	}
}

/* A null goes back from the name before it.  Returns how many go up from where the walk begins. */
static size_t take_names(struct walk *walk, const struct ctf_location *location)
{
	size_t up = 0;
	for (size_t i = 0; i < location->count; i++) {
		if (location->names[i] != NULL && walk->name_count < 2 * CTF_NESTING_MAX)
			walk->names[walk->name_count++] = location->names[i];
		else if (location->names[i] == NULL && walk->name_count > 0)
			walk->name_count--;
		else if (location->names[i] == NULL)
			up++;
	}
	return up;
}

void ctf_location_find(const struct ctf_finder *finder, const struct ctf_location *location,
		       const struct ctf_around *around, struct ctf_targets *out)
{
	struct walk walk = { .searches = &finder->schema->searches, .targets = out };
	size_t up = take_names(&walk, location), depth = 0;
	*out = (struct ctf_targets){ .scope = finder->scope };
	for (const struct ctf_around *at = around; at != NULL; at = at->outer)
		depth++;
	if (depth > 2 * CTF_NESTING_MAX || location->count > 2 * CTF_NESTING_MAX || walk.name_count == 0)
		return;
	walk.chain_count = depth;
	for (const struct ctf_around *at = around; at != NULL; at = at->outer)
		walk.chain[--depth] = at;
	if (location->origin < 0) {
		if (up < walk.chain_count)
			step(&walk, walk.chain[walk.chain_count - 1 - up]->structure, walk.chain_count - 1 - up, 0);
		return;
	}
	out->scope = (enum ctf_scope_kind)location->origin;
	if (up > 0 || out->scope > finder->scope || finder->scopes[out->scope] == NULL)
		return;
	step(&walk, finder->scopes[out->scope], out->scope == finder->scope ? 0 : OFF_CHAIN, 0);
}

/* ---- ctf metadata -------------------------------------------------------------------------------------------- */

/*
 * A packet: magic (32 bits), uuid (16 bytes), checksum, content size, packet size (32 bits each, sizes in
 * bits and with the header), compression, encryption, checksum scheme, major, minor (8 bits each), text.
 * Numbers have the byte order in which the magic number is right.
 */
#define PACKET_MAGIC UINT32_C(0x75d11d57)
enum { PACKET_HEADER_SIZE = 37, CONTENT_SIZE_AT = 24, PACKET_SIZE_AT = 28, SCHEMES_AT = 32, SCHEME_COUNT = 3 };

struct content {
	uint8_t *bytes;
	size_t size;
};

static enum histree_status read_file(const struct io *io, const char *path, struct content *out,
				     struct histree_error *error)
{
	enum histree_status status;
	off_t size = 0;
	*out = (struct content){ 0 };
	int file = io->open(io->context, path, O_RDONLY, 0);
	if (file < 0 || io->size(io->context, file, &size) != 0) {
		status = error_set(error, HISTREE_ERR_TRACE, "cannot open the metadata: %s", strerror(errno));
	} else if (size == 0 || size > CTF_METADATA_SIZE_MAX) {
		status = error_set(error, HISTREE_ERR_TRACE, "the metadata is %s",
				   size == 0 ? "empty" : "larger than 64 MiB");
	} else if ((out->bytes = malloc((size_t)size + 1)) == NULL) {
		status = error_memory(error, "the metadata");
	} else {
		out->size = (size_t)size;
		status = io_read_all(io, file, out->bytes, out->size, 0, error);
	}
	if (file >= 0)
		io->close(io->context, file);
	if (status != HISTREE_OK) {
		free(out->bytes);
		*out = (struct content){ 0 };
	}
	return status;
}

static uint32_t get_number(const uint8_t *at, bool big_endian)
{
	uint32_t number = get_le32(at);
	return big_endian ? __builtin_bswap32(number) : number;
}

bool ctf_metadata_is_packetized(const uint8_t *bytes, size_t size, bool *big_endian)
{
	if (size < 4)
		return false;
	*big_endian = get_number(bytes, true) == PACKET_MAGIC;
	return *big_endian || get_number(bytes, false) == PACKET_MAGIC;
}

/* The sizes of the packet `at` some bytes, of which `left` are there; HISTREE_END if they are too few. */
static enum histree_status check_packet(const uint8_t *at, size_t left, size_t offset, bool big_endian,
					size_t *text_size, size_t *packet_size, struct histree_error *error)
{
	if (left < PACKET_HEADER_SIZE)
		return HISTREE_END;
	if (get_number(at, big_endian) != PACKET_MAGIC)
		return error_set(error, HISTREE_ERR_TRACE, "the metadata is damaged at offset %zu", offset);
	for (int scheme = 0; scheme < SCHEME_COUNT; scheme++)
		if (at[SCHEMES_AT + scheme] != 0)
			return error_set(error, HISTREE_ERR_TRACE,
					 "the metadata at offset %zu is compressed, encrypted or has a checksum, "
					 "which histree cannot read",
					 offset);
	uint32_t content_bits = get_number(at + CONTENT_SIZE_AT, big_endian);
	uint32_t packet_bits = get_number(at + PACKET_SIZE_AT, big_endian);
	if (content_bits % 8 != 0 || packet_bits % 8 != 0 || content_bits / 8 < PACKET_HEADER_SIZE ||
	    content_bits > packet_bits)
		return error_set(error, HISTREE_ERR_TRACE, "the metadata is damaged at offset %zu", offset);
	if (packet_bits / 8 > left)
		return HISTREE_END;
	*text_size = content_bits / 8 - PACKET_HEADER_SIZE;
	*packet_size = packet_bits / 8;
	return HISTREE_OK;
}

enum histree_status ctf_metadata_unpack(uint8_t *bytes, size_t size, bool big_endian, size_t *used,
					size_t *text_size, struct histree_error *error)
{
	*used = *text_size = 0;
	while (*used < size) {
		size_t text = 0, packet = 0;
		enum histree_status status =
			check_packet(bytes + *used, size - *used, *used, big_endian, &text, &packet, error);
		if (status != HISTREE_OK)
			return status == HISTREE_END ? HISTREE_OK : status;
		memmove(bytes + *text_size, bytes + *used + PACKET_HEADER_SIZE, text);
		*text_size += text;
		*used += packet;
	}
	return HISTREE_OK;
}

static enum histree_status join_packets(struct content *content, bool big_endian, struct histree_error *error)
{
	size_t used, text_size;
	enum histree_status status =
		ctf_metadata_unpack(content->bytes, content->size, big_endian, &used, &text_size, error);
	if (status == HISTREE_OK && used < content->size)
		return error_set(error, HISTREE_ERR_TRACE, "the metadata is cut short at offset %zu", used);
	content->size = text_size;
	return status;
}

enum histree_status ctf_metadata_read(const struct io *io, const char *folder, char **out,
				      struct histree_error *error)
{
	*out = NULL;
	char *path;
	bool big_endian;
	struct content content = { 0 };
	if (asprintf(&path, "%s/metadata", folder) < 0)
		return error_memory(error, "a path");
	enum histree_status status = read_file(io, path, &content, error);
	if (status == HISTREE_OK && ctf_metadata_is_packetized(content.bytes, content.size, &big_endian))
		status = join_packets(&content, big_endian, error);
	if (status == HISTREE_OK && memchr(content.bytes, '\0', content.size) != NULL)
		status = error_set(error, HISTREE_ERR_TRACE, "the metadata is damaged: it is not text");
	if (status == HISTREE_OK) {
		content.bytes[content.size] = '\0';
		*out = (char *)content.bytes;
	} else {
		free(content.bytes);
	}
	free(path);
	return status;
}

static bool is_ctf_2(const char *text)
{
	return text[0] == CTF2_SEPARATOR;
}

enum histree_status ctf_metadata_schema(const char *text, struct ctf_schema *schema, struct histree_error *error)
{
	return is_ctf_2(text) ? ctf2_read(schema, text, error) : tsdl_read(schema, text, error);
}

void ctf_metadata_facts(const char *text, struct trace_facts *out)
{
	struct ctf_schema schema = { 0 };
	*out = (struct trace_facts){ 0 };
	if (!is_ctf_2(text)) {
		ctf_facts_read(text, out);
		return;
	}
	if (ctf2_read(&schema, text, NULL) == HISTREE_OK)
		ctf_facts_take(&schema, out);
	ctf_schema_release(&schema);
}

/* ---- ctf source ---------------------------------------------------------------------------------------------- */

/* ---- the trace ------------------------------------------------------------------------------------------- */

static enum histree_status read_metadata(struct ctf_source *source, struct histree_error *error)
{
	char *text;
	enum histree_status status = ctf_metadata_read(source->base.io, source->base.path, &text, error);
	if (status != HISTREE_OK)
		return status;
	status = ctf_metadata_schema(text, &source->schema, error);
	if (status == HISTREE_OK && source->schema.version == 2)
		ctf_facts_take(&source->schema, &source->base.facts);
	else if (status == HISTREE_OK)
		ctf_facts_read(text, &source->base.facts);
	free(text);
	if (status != HISTREE_OK)
		return status;
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

static enum histree_status scan(struct trace_source *base, const char *path, struct histree_error *error)
{
	struct ctf_source *source = ctf_source_of(base);
	source->base.path = strdup(path);
	enum histree_status status = source->base.path == NULL ? error_memory(error, "a path") : HISTREE_OK;
	if (status == HISTREE_OK)
		status = read_metadata(source, error);
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

static enum histree_status next_event(struct trace_stream *stream, struct histree_error *error)
{
	return ctf_reader_next((struct ctf_reader *)stream, error);
}

static enum histree_status skip_events(struct trace_stream *stream, uint64_t events, struct histree_error *error)
{
	return ctf_reader_skip((struct ctf_reader *)stream, events, error);
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
	.next = next_event, .skip = skip_events, .position = position, .is_before_packet = is_before_packet
};

static enum histree_status add_reader(struct ctf_source *source, const struct ctf_reader *model, size_t first,
				      size_t count, struct histree_error *error)
{
	struct ctf_reader *reader = &source->readers[source->reader_count++];
	*reader = *model;
	source->base.streams[source->base.stream_count++] = &reader->base;
	reader->files = &source->files[first];
	reader->file_count = count;
	reader->base.first_file = first;
	reader->stream = reader->files[0].packets.stream;
	reader->base.name = reader->files[0].path;
	for (size_t i = 0; i < count; i++)
		reader->packet_count += reader->files[i].packets.count;
	enum histree_status status = count > 1 ? order_pieces(reader, error) : HISTREE_OK;
	return status == HISTREE_OK ? ctf_reader_init(reader, error) : status;
}

/* A reader with positions is of one file; it begins with the packet of its position. */
static uint64_t first_packet(const struct ctf_file *file, const struct trace_position *position)
{
	return position->packet == TRACE_FILE_DONE ? file->packets.count : position->packet;
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
		.base = { .kind = &reader_kind, .trace = &base->trace, .notes = base->notes },
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
	base->streams = calloc(base->file_count + 1, sizeof(struct trace_stream *));
	if (source->readers == NULL || base->streams == NULL)
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
		model.packets =
			opening->positions == NULL ? 0 : first_packet(&source->files[i], &opening->positions[i]);
		status = add_reader(source, &model, i, count, error);
	}
	return status;
}

static void leave_streams(struct trace_source *base)
{
	struct ctf_source *source = ctf_source_of(base);
	for (size_t i = 0; i < source->reader_count; i++)
		ctf_reader_release(&source->readers[i]);
	free((void *)base->streams);
	free(source->readers);
	base->streams = NULL;
	source->readers = NULL;
	base->stream_count = source->reader_count = 0;
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
	char *metadata;
	enum histree_status status = ctf_metadata_read(&io_posix, path, &metadata, error);
	if (status == HISTREE_OK)
		ctf_metadata_facts(metadata, out);
	free(metadata);
	return status;
}

static struct trace_source *create(void)
{
	struct ctf_source *source = calloc(1, sizeof(*source));
	return source == NULL ? NULL : &source->base;
}

static void free_source(struct trace_source *base)
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
	free(base->path);
	free(source);
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
	.reads = "CTF, a folder with \"metadata\" (LTTng, barectf)",
	.create = create,
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
	.free = free_source,
};
