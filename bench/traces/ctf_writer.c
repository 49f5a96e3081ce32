// SPDX-License-Identifier: MIT
#include "ctf_writer.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"

#define CTF_MAGIC UINT32_C(0xc1fc1fc1)

enum {
	PACKET_SIZE_MAX = 256 * 1024,
	PACKET_HEAD_SIZE = 84, /* header 32, context 52 */
	PAGE_SIZE = 4096,      /* packets are filled up to it, as a tracer does that maps its buffers */
	EVENT_HEADER_SIZE = 6,
	EVENT_SIZE_MAX = EVENT_HEADER_SIZE + CTF_FIELDS_MAX * CTF_STRING_SIZE_MAX,
	PATH_SIZE_MAX = 4096,
};

/* ---- metadata --------------------------------------------------------------------------------------- */

static const char declarations[] =
	"typealias integer { size = 8; align = 8; signed = false; } := uint8_t;\n"
	"typealias integer { size = 16; align = 8; signed = false; } := uint16_t;\n"
	"typealias integer { size = 32; align = 8; signed = false; } := uint32_t;\n"
	"typealias integer { size = 64; align = 8; signed = false; } := uint64_t;\n"
	"typealias integer { size = 64; align = 8; signed = false; } := unsigned long;\n\n";

static const char stream_class[] = "typealias integer {\n"
				   "\tsize = 32; align = 8; signed = false;\n"
				   "\tmap = clock.monotonic.value;\n"
				   "} := uint32_clock_monotonic_t;\n\n"
				   "typealias integer {\n"
				   "\tsize = 64; align = 8; signed = false;\n"
				   "\tmap = clock.monotonic.value;\n"
				   "} := uint64_clock_monotonic_t;\n\n"
				   "struct packet_context {\n"
				   "\tuint64_clock_monotonic_t timestamp_begin;\n"
				   "\tuint64_clock_monotonic_t timestamp_end;\n"
				   "\tuint64_t content_size;\n"
				   "\tuint64_t packet_size;\n"
				   "\tuint64_t packet_seq_num;\n"
				   "\tunsigned long events_discarded;\n"
				   "\tuint32_t cpu_id;\n"
				   "};\n\n"
				   "struct event_header_large {\n"
				   "\tenum : uint16_t { compact = 0 ... 65534, extended = 65535 } id;\n"
				   "\tvariant <id> {\n"
				   "\t\tstruct {\n"
				   "\t\t\tuint32_clock_monotonic_t timestamp;\n"
				   "\t\t} compact;\n"
				   "\t\tstruct {\n"
				   "\t\t\tuint32_t id;\n"
				   "\t\t\tuint64_clock_monotonic_t timestamp;\n"
				   "\t\t} extended;\n"
				   "\t} v;\n"
				   "} align(8);\n\n"
				   "stream {\n"
				   "\tid = 0;\n"
				   "\tevent.header := struct event_header_large;\n"
				   "\tpacket.context := struct packet_context;\n"
				   "};\n\n";

static void write_trace_class(const uint8_t *uuid, FILE *out)
{
	fputs("trace {\n\tmajor = 1;\n\tminor = 8;\n\tuuid = \"", out);
	for (int byte = 0; byte < 16; byte++)
		fprintf(out, "%s%02x", byte == 4 || byte == 6 || byte == 8 || byte == 10 ? "-" : "", uuid[byte]);
	fputs("\";\n\tbyte_order = le;\n\tpacket.header := struct {\n\t\tuint32_t magic;\n\t\tuint8_t  uuid[16];\n"
	      "\t\tuint32_t stream_id;\n\t\tuint64_t stream_instance_id;\n\t};\n};\n\n",
	      out);
}

static void write_clock(int64_t offset, FILE *out)
{
	fprintf(out,
		"clock {\n\tname = \"monotonic\";\n\tdescription = \"Monotonic Clock\";\n"
		"\tfreq = 1000000000; /* Frequency, in Hz */\n"
		"\t/* clock value offset from Epoch is: offset * (1/freq) */\n\toffset = %" PRId64 ";\n};\n\n",
		offset);
}

/* An underscore before each name is LTTng's way to keep clear of the language's keywords. */
static void write_field(const struct ctf_field *field, FILE *out)
{
	static const char integer[] = "integer { size = %d; align = 8; signed = %d; encoding = none; base = 10; }";
	const char *name = field->name;

	fputs("\t\t", out);
	switch (field->kind) {
	case CTF_COMM:
		fprintf(out, "integer { size = 8; align = 8; signed = 0; encoding = UTF8; base = 10; } _%s[%d]",
			name, CTF_COMM_SIZE);
		break;
	case CTF_STRING:
		fprintf(out, "string _%s", name);
		break;
	case CTF_INT32_LIST:
		fprintf(out, integer, 8, 0);
		fprintf(out, " __%s_length;\n\t\t", name);
		fprintf(out, integer, 32, 1);
		fprintf(out, " _%s[ __%s_length ]", name, name);
		break;
	default: {
		int size = field->kind == CTF_UINT16                               ? 16
			   : field->kind == CTF_INT32 || field->kind == CTF_UINT32 ? 32
										   : 64;
		fprintf(out, integer, size, field->kind == CTF_INT32 || field->kind == CTF_INT64);
		fprintf(out, " _%s", name);
	}
	}
	fputs(";\n", out);
}

static void write_event_class(const struct ctf_event_class *class, size_t id, FILE *out)
{
	fprintf(out, "event {\n\tname = \"%s\";\n\tid = %zu;\n\tstream_id = 0;\n\tfields := struct {\n",
		class->name, id);
	for (const struct ctf_field *field = class->fields; field->kind != CTF_NO_FIELD; field++)
		write_field(field, out);
	fputs("\t};\n};\n\n", out);
}

static void write_environment(const char *host, FILE *out)
{
	fprintf(out,
		"env {\n"
		"\thostname = \"%s\";\n"
		"\tdomain = \"kernel\";\n"
		"\tsysname = \"Linux\";\n"
		"\tkernel_release = \"4.5.0-2-amd64\";\n"
		"\tkernel_version = \"#1 SMP Debian 4.5.3-2 (2016-05-08)\";\n"
		"\ttracer_name = \"lttng-modules\";\n"
		"\ttracer_major = 2;\n"
		"\ttracer_minor = 9;\n"
		"\ttracer_patchlevel = 0;\n"
		"};\n\n",
		host);
}

int ctf_metadata_write(const struct ctf_trace *trace, const char *folder)
{
	char path[PATH_SIZE_MAX];
	if (snprintf(path, sizeof(path), "%s/metadata", folder) >= PATH_SIZE_MAX)
		return ENAMETOOLONG;
	FILE *out = fopen(path, "w");
	if (out == NULL)
		return errno;
	fputs("/* CTF 1.8 */\n\n", out);
	fputs(declarations, out);
	write_trace_class(trace->uuid, out);
	write_environment(trace->host, out);
	write_clock(trace->clock_offset, out);
	fputs(stream_class, out);
	for (size_t id = 0; id < trace->class_count; id++)
		write_event_class(&trace->classes[id], id, out);
	bool whole = ferror(out) == 0;
	if (fclose(out) != 0)
		return errno;
	return whole ? 0 : EIO;
}

/* ---- packets ---------------------------------------------------------------------------------------- */

int ctf_stream_open(struct ctf_stream *stream, const struct ctf_trace *trace, const char *folder, uint32_t cpu)
{
	char path[PATH_SIZE_MAX];
	*stream = (struct ctf_stream){ .classes = trace->classes, .uuid = trace->uuid, .cpu = cpu, .file = -1 };
	if (snprintf(path, sizeof(path), "%s/channel0_%" PRIu32, folder, cpu) >= PATH_SIZE_MAX)
		return ENAMETOOLONG;
	stream->packet = calloc(1, PACKET_SIZE_MAX);
	if (stream->packet == NULL)
		return ENOMEM;
	stream->file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	return stream->file < 0 ? errno : 0;
}

static int write_all(int file, const uint8_t *bytes, size_t size)
{
	while (size > 0) {
		ssize_t written = write(file, bytes, size);
		if (written < 0 && errno != EINTR)
			return errno;
		if (written > 0) {
			bytes += written;
			size -= (size_t)written;
		}
	}
	return 0;
}

static void put_packet_head(struct ctf_stream *stream, size_t packet_size)
{
	uint8_t *at = stream->packet;
	put_le32(at, CTF_MAGIC);
	memcpy(at + 4, stream->uuid, 16);
	put_le32(at + 20, 0); /* stream class */
	put_le64(at + 24, stream->cpu);
	put_le64(at + 32, stream->begin);
	put_le64(at + 40, stream->end);
	put_le64(at + 48, stream->size * 8);
	put_le64(at + 56, packet_size * 8);
	put_le64(at + 64, stream->packet_count);
	put_le64(at + 72, 0); /* events discarded */
	put_le32(at + 80, stream->cpu);
}

static void write_packet(struct ctf_stream *stream)
{
	size_t packet_size = (stream->size + PAGE_SIZE - 1) / PAGE_SIZE * PAGE_SIZE;
	put_packet_head(stream, packet_size);
	memset(stream->packet + stream->size, 0, packet_size - stream->size);
	if (stream->failure == 0)
		stream->failure = write_all(stream->file, stream->packet, packet_size);
	stream->packet_count++;
	stream->byte_count += packet_size;
	stream->size = 0;
}

int ctf_stream_close(struct ctf_stream *stream)
{
	if (stream->size > 0)
		write_packet(stream);
	free(stream->packet);
	stream->packet = NULL;
	if (stream->file >= 0 && close(stream->file) != 0 && stream->failure == 0)
		stream->failure = errno;
	stream->file = -1;
	return stream->failure;
}

/* ---- events ----------------------------------------------------------------------------------------- */

static uint8_t *put_string(uint8_t *at, const char *text)
{
	size_t size = strnlen(text, CTF_STRING_SIZE_MAX - 1);
	memcpy(at, text, size);
	at[size] = '\0';
	return at + size + 1;
}

/* Returns where the next field goes. */
static uint8_t *put_value(uint8_t *at, enum ctf_field_kind kind, union ctf_value value)
{
	switch (kind) {
	case CTF_COMM:
		memcpy(at, value.text, CTF_COMM_SIZE);
		return at + CTF_COMM_SIZE;
	case CTF_STRING:
		return put_string(at, value.text);
	case CTF_UINT16:
		put_le16(at, (uint16_t)value.number);
		return at + 2;
	case CTF_INT32_LIST:
		*at++ = 1;
		put_le32(at, (uint32_t)value.number);
		return at + 4;
	case CTF_INT32:
	case CTF_UINT32:
		put_le32(at, (uint32_t)value.number);
		return at + 4;
	default:
		put_le64(at, (uint64_t)value.number);
		return at + 8;
	}
}

/* Makes sure that a packet has begun which can take an event of this time. */
static void make_room(struct ctf_stream *stream, uint64_t time)
{
	if (stream->size > PACKET_SIZE_MAX - EVENT_SIZE_MAX ||
	    (stream->size > 0 && time - stream->begin > UINT32_MAX))
		write_packet(stream);
	if (stream->size == 0) {
		stream->size = PACKET_HEAD_SIZE;
		stream->begin = time;
	}
}

void ctf_stream_event(struct ctf_stream *stream, uint64_t time, unsigned class, const union ctf_value *values)
{
	make_room(stream, time);
	uint8_t *at = stream->packet + stream->size;
	put_le16(at, (uint16_t) class);
	put_le32(at + 2, (uint32_t)time);
	at += EVENT_HEADER_SIZE;
	for (const struct ctf_field *field = stream->classes[class].fields; field->kind != CTF_NO_FIELD; field++)
		at = put_value(at, field->kind, *values++);
	stream->size = (size_t)(at - stream->packet);
	stream->end = time;
	stream->event_count++;
}
