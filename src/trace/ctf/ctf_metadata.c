// SPDX-License-Identifier: MIT
/*
 * ctf_metadata.c - the text of the metadata of a CTF trace, plain or in packets, its version of CTF, and the
 * properties of the trace as a whole: its host, its tracer, its clock.
 */
#include "trace/ctf/ctf_metadata.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/error.h"
#include "base/io.h"
#include "trace/ctf/ctf2.h"
#include "trace/ctf/ctf_schema.h"
#include "trace/ctf/tsdl.h"
#include "trace/trace_source.h"

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

enum histree_status ctf_metadata_schema(const char *text, struct ctf_schema *schema, struct histree_error *error)
{
	return text[0] == CTF2_SEPARATOR ? ctf2_read(schema, text, error) : tsdl_read(schema, text, error);
}

/* ---- what it says of the trace ---------------------------------------------------------------------------- */

#define NS_PER_SECOND INT64_C(1000000000)

static void take_text(const struct ctf_schema *schema, const char *key, char *out)
{
	const struct ctf_environment *entry = ctf_schema_environment(schema, key);
	if (out[0] == '\0' && entry != NULL && entry->text != NULL)
		snprintf(out, TRACE_FACT_SIZE, "%s", entry->text);
}

/* LTTng says "hostname" and "kernel_release", perf "host" and "release". */
void ctf_metadata_facts(const struct ctf_schema *schema, struct trace_facts *out)
{
	static const struct {
		const char *key;
		size_t place;
	} keys[] = {
		{ "hostname", offsetof(struct trace_facts, hostname) },
		{ "host", offsetof(struct trace_facts, hostname) },
		{ "kernel_release", offsetof(struct trace_facts, kernel) },
		{ "release", offsetof(struct trace_facts, kernel) },
		{ "tracer_name", offsetof(struct trace_facts, tracer) },
	};
	*out = (struct trace_facts){ 0 };
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		take_text(schema, keys[i].key, (char *)out + keys[i].place);
	/* The unique id of the trace, or else the UUID of its metadata. */
	size_t used = 0;
	if (schema->uid != NULL)
		snprintf(out->uuid, TRACE_FACT_SIZE, "%s", schema->uid);
	for (size_t i = 0; schema->uid == NULL && schema->has_uuid && i < sizeof(schema->uuid); i++)
		used += (size_t)snprintf(out->uuid + used, TRACE_FACT_SIZE - used, "%s%02x",
					 i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", schema->uuid[i]);
	/* Of a clock that is only implied, nobody knows where zero is. */
	const struct ctf_clock *clock = &schema->clocks[0];
	if (schema->clock_count != 1 || clock->uid == NULL)
		return;
	ctf_wide ns = (ctf_wide)clock->offset_cycles * NS_PER_SECOND / (ctf_wide)clock->frequency +
		      (ctf_wide)clock->offset_seconds * NS_PER_SECOND;
	out->frequency = clock->frequency;
	out->zero = (int64_t)ns;
	out->has_clock = out->zero == ns;
	if (strncmp(out->tracer, "lttng", 5) == 0)
		snprintf(out->boot, sizeof(out->boot), "%s", clock->uid);
}
