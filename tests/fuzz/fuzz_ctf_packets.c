// SPDX-License-Identifier: MIT
/*
 * fuzz_ctf_packets.c - bytes as a trace: metadata up to the first zero, then the bytes of a stream file.  Whatever
 * they say, there are no more events than bits, and each field of each, with what is inside, is within what was
 * read.
 */
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/io.h"
#include "fuzz.h"
#include "trace/ctf/ctf_metadata.h"
#include "trace/ctf/ctf_reader.h"
#include "trace/ctf/ctf_source.h"

/* The visit of a field begins at the first one: the last ones of many would make the whole work a square. */
enum { FIELDS_VISITED = 64 };

static volatile uint64_t seen; /* so that each byte of a text is looked at */

static bool look_inside(void *context, const struct event_part *part)
{
	(void)context;
	REQUIRE(part->depth < 1000000);
	seen += (uint64_t)part->integer;
	for (size_t i = 0; (part->kind == EVENT_TEXT || part->kind == EVENT_BYTES) && i < part->size; i++)
		seen += (unsigned char)part->bytes[i];
	return true;
}

static void look_at(const struct event *event)
{
	int64_t number;
	const char *text;
	size_t size;
	for (uint32_t field = 0; event->gap == NULL && field < event->class->field_count; field++) {
		if (ctf_field_int(event, field, &number))
			seen += (uint64_t)number;
		else if (ctf_field_string(event, field, &text, &size))
			for (size_t i = 0; i < size; i++)
				seen += (unsigned char)text[i];
		if (field < FIELDS_VISITED)
			REQUIRE(ctf_field_visit(event, field, look_inside, NULL));
	}
}

static void read_events(struct ctf_decoder *decoder, const struct ctf_file *file, struct trace_notes *notes,
			size_t bits)
{
	static const struct event_trace nobody = { .path = "" };
	struct ctf_reader reader = {
		.base = { .trace = &nobody, .notes = notes, .name = file->path },
		.decoder = decoder,
		.io = &io_posix,
		.stream = file->packets.stream,
		.files = file,
		.file_count = 1,
		.packet_count = file->packets.count,
		.window_size = 4096,
		.cpu = -1,
	};
	size_t events = 0;
	REQUIRE(ctf_reader_init(&reader, NULL) == HISTREE_OK);
	for (enum histree_status status; (status = ctf_reader_next(&reader.base, NULL)) != HISTREE_END; events++) {
		REQUIRE(status == HISTREE_OK && events <= 2 * bits + 2);
		look_at(&reader.base.upcoming);
	}
	ctf_reader_release(&reader);
}

static void read_stream(struct ctf_decoder *decoder, const uint8_t *bytes, size_t size)
{
	char path[64];
	struct trace_notes notes = { 0 };
	struct ctf_file file = { .path = path };
	int descriptor = memfd_create("stream", 0);
	REQUIRE(descriptor >= 0 && write(descriptor, bytes, size) == (ssize_t)size);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", descriptor);
	REQUIRE(ctf_packets_walk(decoder, &io_posix, path, &notes, &file.packets, NULL) == HISTREE_OK);
	if (file.packets.count > 0)
		read_events(decoder, &file, &notes, 8 * size);
	ctf_packets_release(&file.packets);
	trace_notes_release(&notes);
	close(descriptor);
}

FUZZ_TARGET(bytes, size)
{
	const uint8_t *zero = size == 0 ? NULL : memchr(bytes, 0, size);
	struct ctf_schema schema = { 0 };
	struct ctf_decoder decoder;
	uint32_t class_count = 0;
	if (zero == NULL)
		return 0;
	if (ctf_metadata_schema((const char *)bytes, &schema, NULL) == HISTREE_OK) {
		REQUIRE(ctf_decoder_init(&decoder, &schema, NULL, &class_count, NULL) == HISTREE_OK);
		read_stream(&decoder, zero + 1, size - (size_t)(zero + 1 - bytes));
		ctf_decoder_release(&decoder);
	}
	ctf_schema_release(&schema);
	return 0;
}
