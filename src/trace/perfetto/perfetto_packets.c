// SPDX-License-Identifier: MIT
#include "trace/perfetto/perfetto_packets.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/error.h"
#include "trace/trace_gunzip.h"
#include "trace/trace_window.h"

enum { TAG_OF_PACKET = 1 << 3 | WIRE_BYTES, COMPRESSED_PACKETS = 50, SEARCH_SIZE = 64 << 10 };
/* Extensions of a packet end at 1999. */
enum { FIELD_MAX = 1999 };
enum { HEAD_SIZE_MAX = 1 + VARINT_SIZE_MAX, PACKET_SIZE_MAX = TRACE_WINDOW_SIZE_MAX };

/* The service's own constant, the last field of its packet. */
static const uint8_t marker[] = { 0x82, 0x47, 0x7a, 0x76, 0xb2, 0x8d, 0x42, 0xba,
				  0x81, 0xdc, 0x33, 0x32, 0x6d, 0x57, 0xa0, 0x79 };

/*
 * Text may begin with an empty line, which looks like the tag of a packet: so the fields in it are looked at, as
 * far as they are there.
 */
bool perfetto_packets_begin(const void *bytes, size_t size)
{
	const uint8_t *at = bytes, *end = at + size;
	uint64_t length;
	struct wire_field field;
	at = size > 0 && *at == TAG_OF_PACKET ? get_varint(at + 1, end, &length) : NULL;
	if (at == NULL || length == 0 || length > PACKET_SIZE_MAX)
		return false;
	bool is_whole = length <= (size_t)(end - at);
	struct wire_message packet = wire_message(at, is_whole ? (size_t)length : (size_t)(end - at));
	if (!is_whole)
		return wire_begins(&packet, (size_t)length, FIELD_MAX);
	while (wire_next(&packet, &field))
		if (field.number > FIELD_MAX)
			return false;
	at += length;
	return !packet.is_damaged && (at == end || *at == TAG_OF_PACKET);
}

enum histree_status perfetto_packets_open(struct perfetto_packets *packets, const struct io *io, const char *path,
					  struct histree_error *error)
{
	*packets = (struct perfetto_packets){ 0 };
	return trace_bytes_open(&packets->bytes, io, path, error);
}

void perfetto_packets_close(struct perfetto_packets *packets)
{
	trace_bytes_close(&packets->bytes);
	free(packets->inner);
	*packets = (struct perfetto_packets){ 0 };
}

static enum histree_status broken(const struct perfetto_packets *packets, const char *why,
				  struct histree_error *error)
{
	return error_set(error, HISTREE_ERR_TRACE, "at offset %" PRIu64 "%s %s",
			 trace_bytes_offset(&packets->bytes),
			 packets->bytes.gunzip != NULL ? " of what is packed" : "", why);
}

/* What is wrong inside of a packet does not hide where the next one is. */
static enum histree_status broken_inside(struct perfetto_packets *packets, const char *why,
					 struct histree_error *error)
{
	packets->is_in_place = true;
	return broken(packets, why, error);
}

/* Have so many bytes of the content there, or what is left of it. */
static enum histree_status see(struct perfetto_packets *packets, size_t size, size_t *count,
			       struct histree_error *error)
{
	struct trace_bytes *bytes = &packets->bytes;
	enum histree_status status = HISTREE_OK;
	while (status == HISTREE_OK && (size_t)(bytes->end - bytes->at) < size)
		status = trace_bytes_more(bytes, error);
	*count = (size_t)(bytes->end - bytes->at);
	if (status == HISTREE_ERR_IO)
		return broken(packets, "the file cannot be read any more", error);
	return status == HISTREE_END ? HISTREE_OK : status;
}

/* ---- compressed packets ---------------------------------------------------------------------------------- */

static enum histree_status grow(struct perfetto_packets *packets, struct histree_error *error)
{
	size_t capacity = packets->inner_capacity == 0 ? SEARCH_SIZE : 2 * packets->inner_capacity;
	if (capacity > PACKET_SIZE_MAX)
		return broken_inside(packets, "there are compressed packets of more than 64 MiB", error);
	uint8_t *larger = realloc(packets->inner, capacity);
	if (larger == NULL)
		return error_memory(error, "compressed packets");
	packets->inner = larger;
	packets->inner_capacity = capacity;
	return HISTREE_OK;
}

static enum histree_status unpack_all(struct perfetto_packets *packets, struct trace_gunzip *gunzip,
				      const struct wire_field *field, struct histree_error *error)
{
	size_t at = 0, count = 0, used = 0, got = 0;
	do {
		enum histree_status status = count == packets->inner_capacity ? grow(packets, error) : HISTREE_OK;
		if (status != HISTREE_OK)
			return status;
		got = trace_gunzip(gunzip, field->bytes + at, field->size - at, &used, packets->inner + count,
				   packets->inner_capacity - count);
		at += used;
		count += got == SIZE_MAX ? 0 : got;
		if (!unpack_limit_count(&packets->limit, used, got == SIZE_MAX ? 0 : got))
			return broken(packets, "what is in compressed packets " UNPACK_IS_TOO_MUCH, error);
	} while (got != SIZE_MAX && (got > 0 || used > 0) && !trace_gunzip_is_whole(gunzip));
	packets->inside = wire_message(packets->inner, count);
	packets->is_inner_cut = !trace_gunzip_is_whole(gunzip);
	return HISTREE_OK;
}

static enum histree_status unpack(struct perfetto_packets *packets, const struct wire_field *field,
				  struct histree_error *error)
{
	struct trace_gunzip *gunzip;
	enum histree_status status = trace_gunzip_create(&gunzip, error);
	packets->is_in_place = status == HISTREE_ERR_TRACE;
	if (status == HISTREE_OK)
		status = unpack_all(packets, gunzip, field, error);
	trace_gunzip_free(gunzip);
	return status;
}

/* Returns whether the packet holds others, and where: it has no field before that. */
static bool is_compressed(struct wire_message packet, struct wire_field *out)
{
	return wire_next(&packet, out) && out->number == COMPRESSED_PACKETS && out->bytes != NULL;
}

/* The next one of a packet of packets; compressed ones have none inside. */
static enum histree_status next_inside(struct perfetto_packets *packets, struct wire_message *out,
				       struct histree_error *error)
{
	struct wire_field field;
	while (wire_next(&packets->inside, &field))
		if (field.number == 1 && field.bytes != NULL) {
			*out = wire_inside(&field);
			return HISTREE_OK;
		}
	bool is_damaged = packets->inside.is_damaged || packets->is_inner_cut;
	packets->inside = wire_message(NULL, 0);
	packets->is_inner_cut = false;
	return is_damaged ? broken_inside(packets, "compressed packets are cut or damaged", error) : HISTREE_END;
}

/* ---- packets of the file --------------------------------------------------------------------------------- */

static enum histree_status next_of_file(struct perfetto_packets *packets, struct wire_message *out,
					struct histree_error *error)
{
	struct trace_bytes *bytes = &packets->bytes;
	size_t count;
	uint64_t size;
	enum histree_status status = see(packets, HEAD_SIZE_MAX, &count, error);
	if (status != HISTREE_OK)
		return status;
	if (count == 0)
		return !bytes->is_cut ? HISTREE_END
		       : trace_gunzip_is_over(bytes->gunzip)
			       ? broken(packets, "what is packed by gzip " UNPACK_IS_TOO_MUCH, error)
			       : broken(packets, "what is packed by gzip is cut or damaged", error);
	const uint8_t *body = bytes->at[0] == TAG_OF_PACKET ? get_varint(bytes->at + 1, bytes->end, &size) : NULL;
	if (body == NULL)
		return broken(packets, "there is no packet", error);
	if (size > PACKET_SIZE_MAX)
		return broken(packets, "there is a packet of more than 64 MiB", error);
	size_t head = (size_t)(body - bytes->at);
	status = see(packets, head + (size_t)size, &count, error);
	if (status == HISTREE_OK && count < head + size)
		return broken(packets, "a packet is longer than the rest of the file", error);
	if (status == HISTREE_OK) {
		*out = wire_message(bytes->at + head, (size_t)size);
		bytes->at += head + size;
	}
	return status;
}

enum histree_status perfetto_packets_next(struct perfetto_packets *packets, struct wire_message *out,
					  struct histree_error *error)
{
	struct wire_field inner;
	for (;;) {
		enum histree_status status = next_inside(packets, out, error);
		if (status != HISTREE_END)
			return status;
		status = next_of_file(packets, out, error);
		if (status != HISTREE_OK || !is_compressed(*out, &inner))
			return status;
		status = unpack(packets, &inner, error);
		if (status != HISTREE_OK)
			return status;
	}
}

/* ---- behind damage --------------------------------------------------------------------------------------- */

enum histree_status perfetto_packets_resume(struct perfetto_packets *packets, struct histree_error *error)
{
	struct trace_bytes *bytes = &packets->bytes;
	size_t count;
	if (packets->limit.is_over)
		return HISTREE_END;
	if (packets->is_in_place) {
		packets->is_in_place = false;
		return HISTREE_OK;
	}
	for (;;) {
		enum histree_status status = see(packets, SEARCH_SIZE, &count, error);
		if (status != HISTREE_OK)
			return status == HISTREE_ERR_TRACE ? HISTREE_END : status;
		const uint8_t *found = count == 0 ? NULL : memmem(bytes->at, count, marker, sizeof(marker));
		if (found != NULL)
			bytes->at = found + sizeof(marker);
		if (found != NULL || count < SEARCH_SIZE)
			return found != NULL ? HISTREE_OK : HISTREE_END;
		bytes->at += count - sizeof(marker) + 1;
	}
}
