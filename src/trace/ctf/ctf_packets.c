// SPDX-License-Identifier: MIT
/*
 * An LTTng index (version 1) is a header of four big-endian 32-bit numbers - magic, major, minor, size of
 * an entry - and an entry a packet of big-endian 64-bit numbers: offset in bytes, packet size and content
 * size in bits, begin, end, events discarded, stream id, and more in later versions.
 */
#include "trace/ctf/ctf_packets.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "base/io.h"

#define INDEX_MAGIC UINT32_C(0xc1f1dcc1)
/* A time that is damaged must not overflow when the offset of the clock is added. */
#define CYCLES_MAX (UINT64_MAX / 8)
enum { INDEX_HEADER_SIZE = 16, INDEX_ENTRY_SIZE = 7 * 8, INDEX_SIZE_MAX = 64 << 20 };

struct walk {
	const struct ctf_layout *layout;
	const struct ctf_packet_layout *stream; /* of the first packet, thus of all */
	struct ctf_packets *packets;
	int file;
};

static uint64_t min_u64(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static void set_damage(struct walk *walk, uint64_t offset, const char *what)
{
	struct ctf_packets *packets = walk->packets;
	snprintf(packets->damage, sizeof(packets->damage), "packet %zu at offset %llu %s", packets->count,
		 (unsigned long long)offset, what);
}

/* The layout of a packet whose header is in `bytes`; NULL, with damage set, if there cannot be one. */
static const struct ctf_packet_layout *identify(struct walk *walk, const uint8_t *bytes, uint64_t size,
						uint64_t offset)
{
	const struct ctf_layout *layout = walk->layout;
	if (size < layout->header_size) {
		set_damage(walk, offset, "is cut short in its header");
		return NULL;
	}
	if (ctf_location_read(&layout->magic, bytes) != CTF_MAGIC_NUMBER) {
		set_damage(walk, offset, "does not begin with the magic number");
		return NULL;
	}
	const struct ctf_packet_layout *stream = &layout->streams[0];
	if (layout->stream_id.size > 0)
		stream = ctf_layout_find(layout, ctf_location_read(&layout->stream_id, bytes));
	if (stream == NULL)
		set_damage(walk, offset, "names a stream that the metadata does not have");
	else if (walk->stream != NULL && stream != walk->stream)
		set_damage(walk, offset, "names another stream than the ones before it");
	else if (size < stream->size)
		set_damage(walk, offset, "is cut short in its context");
	else
		return stream;
	return NULL;
}

/* The size of a packet in bytes; 0, with damage set, if it is none. */
static uint64_t measure(struct walk *walk, const struct ctf_packet_layout *stream, const uint8_t *bytes,
			uint64_t offset)
{
	const struct ctf_location *locations = stream->locations;
	bool has_size = locations[CTF_PACKET_SIZE].size > 0, has_content = locations[CTF_CONTENT_SIZE].size > 0;
	if (!has_size && !has_content)
		return walk->packets->file_size - offset;
	uint64_t size = ctf_location_read(&locations[has_size ? CTF_PACKET_SIZE : CTF_CONTENT_SIZE], bytes);
	uint64_t content = ctf_location_read(&locations[has_content ? CTF_CONTENT_SIZE : CTF_PACKET_SIZE], bytes);
	if (size % 8 == 0 && size / 8 >= stream->size && content <= size && size <= INT64_MAX)
		return size / 8;
	set_damage(walk, offset, "has an impossible size");
	return 0;
}

/*
 * Times and counters are never all ones: that is how source.ctf.fs marks what a packet does not have, and
 * it aborts the process where it meets the mark in a packet that has it.
 */
static bool check_counters(struct walk *walk, const struct ctf_packet_layout *stream, const uint8_t *bytes,
			   uint64_t offset)
{
	static const enum ctf_packet_field counters[] = { CTF_TIMESTAMP_BEGIN, CTF_TIMESTAMP_END,
							  CTF_EVENTS_DISCARDED, CTF_PACKET_SEQ_NUM };
	for (size_t index = 0; index < sizeof(counters) / sizeof(counters[0]); index++)
		if (ctf_location_read(&stream->locations[counters[index]], bytes) == UINT64_MAX) {
			set_damage(walk, offset, "has an impossible time or counter");
			return false;
		}
	return true;
}

/* HISTREE_END where the walk ends: at the end of the file or at damage. */
static enum histree_status walk_packet(struct walk *walk, uint64_t offset, struct histree_error *error)
{
	struct ctf_packets *packets = walk->packets;
	uint64_t left = packets->file_size - offset;
	uint8_t bytes[CTF_PREFIX_SIZE_MAX];
	uint64_t wanted = walk->layout->header_size;
	for (size_t index = 0; index < walk->layout->stream_count; index++)
		if (wanted < walk->layout->streams[index].size)
			wanted = walk->layout->streams[index].size;
	wanted = min_u64(wanted, left);
	enum histree_status status = io_read_all(&io_posix, walk->file, bytes, wanted, offset, error);
	if (status != HISTREE_OK)
		return status;

	const struct ctf_packet_layout *stream = identify(walk, bytes, wanted, offset);
	if (stream == NULL || !check_counters(walk, stream, bytes, offset))
		return HISTREE_END;
	uint64_t size = measure(walk, stream, bytes, offset);
	if (size == 0)
		return HISTREE_END;
	if (size > left)
		set_damage(walk, offset, "is cut short by the end of the file");
	walk->stream = stream;

	if (!array_reserve(&packets->packets, &packets->capacity, packets->count + 1))
		return error_memory(error, "the packets of a stream");
	uint64_t begin = ctf_location_read(&stream->locations[CTF_TIMESTAMP_BEGIN], bytes);
	uint64_t end = ctf_location_read(&stream->locations[CTF_TIMESTAMP_END], bytes);
	packets->packets[packets->count++] = (struct ctf_packet){
		.offset = offset,
		.size = min_u64(size, left),
		.begin = begin <= CYCLES_MAX ? begin : 0,
		.end = end <= CYCLES_MAX ? end : 0,
	};
	return size >= left ? HISTREE_END : HISTREE_OK;
}

enum histree_status ctf_packets_walk(const struct ctf_layout *layout, const char *path, struct ctf_packets *out,
				     struct histree_error *error)
{
	*out = (struct ctf_packets){ 0 };
	struct walk walk = { .layout = layout, .packets = out };
	enum histree_status status = HISTREE_OK;
	off_t size = 0;
	walk.file = io_posix.open(NULL, path, O_RDONLY, 0);
	if (walk.file < 0 || io_posix.size(NULL, walk.file, &size) != 0) {
		status = error_set(error, HISTREE_ERR_IO, "cannot open: %s", strerror(errno));
		goto out;
	}
	out->file_size = (uint64_t)size;
	uint64_t offset = 0;
	while (status == HISTREE_OK && offset < out->file_size) {
		status = walk_packet(&walk, offset, error);
		if (out->count > 0)
			offset = out->packets[out->count - 1].offset + out->packets[out->count - 1].size;
	}
	if (status == HISTREE_END)
		status = HISTREE_OK;
	if (out->damage[0] != '\0' && out->count > 0) {
		struct ctf_packet *last = &out->packets[out->count - 1];
		last->size = out->file_size - last->offset;
	}
out:
	if (walk.file >= 0)
		io_posix.close(NULL, walk.file);
	if (status != HISTREE_OK)
		ctf_packets_release(out);
	return status;
}

static uint64_t get_be(const uint8_t *at, unsigned size)
{
	uint64_t number = 0;
	for (unsigned index = 0; index < size; index++)
		number = number << 8 | at[index];
	return number;
}

static void put_be(uint8_t *at, uint64_t number, unsigned size)
{
	for (unsigned index = size; index-- > 0; number >>= 8)
		at[index] = (uint8_t)number;
}

static bool entries_match(const struct ctf_packets *packets, const uint8_t *bytes, size_t size)
{
	if (size < INDEX_HEADER_SIZE || get_be(bytes, 4) != INDEX_MAGIC)
		return false;
	uint64_t entry_size = get_be(bytes + 12, 4);
	if (entry_size < INDEX_ENTRY_SIZE || (size - INDEX_HEADER_SIZE) / entry_size != packets->count ||
	    (size - INDEX_HEADER_SIZE) % entry_size != 0)
		return false;
	const uint8_t *entry = bytes + INDEX_HEADER_SIZE;
	for (size_t index = 0; index < packets->count; index++, entry += entry_size)
		if (get_be(entry, 8) != packets->packets[index].offset ||
		    get_be(entry + 8, 8) != 8 * packets->packets[index].size)
			return false;
	return true;
}

bool ctf_packets_match_index(const struct ctf_packets *packets, const char *index_path)
{
	bool matches = false;
	uint8_t *bytes = NULL;
	off_t size = 0;
	int file = io_posix.open(NULL, index_path, O_RDONLY, 0);
	if (file < 0)
		return true;
	if (io_posix.size(NULL, file, &size) != 0 || size <= 0 || size > INDEX_SIZE_MAX)
		goto out;
	bytes = malloc((size_t)size);
	if (bytes != NULL && io_read_all(&io_posix, file, bytes, (size_t)size, 0, NULL) == HISTREE_OK)
		matches = entries_match(packets, bytes, (size_t)size);
out:
	free(bytes);
	io_posix.close(NULL, file);
	return matches;
}

enum histree_status ctf_packets_write_index(const struct ctf_packets *packets, size_t first, const char *index_path,
					    struct histree_error *error)
{
	size_t size = INDEX_HEADER_SIZE + (packets->count - first) * INDEX_ENTRY_SIZE;
	uint8_t *bytes = calloc(1, size);
	if (bytes == NULL)
		return error_memory(error, "the index of a stream");
	put_be(bytes, INDEX_MAGIC, 4);
	put_be(bytes + 4, 1, 4);
	put_be(bytes + 12, INDEX_ENTRY_SIZE, 4);
	uint8_t *entry = bytes + INDEX_HEADER_SIZE;
	for (size_t index = first; index < packets->count; index++, entry += INDEX_ENTRY_SIZE) {
		const struct ctf_packet *packet = &packets->packets[index];
		uint64_t left_out = index + 1 == packets->count ? packets->packets[first].offset : 0;
		put_be(entry, packet->offset, 8);
		put_be(entry + 8, 8 * (packet->size + left_out), 8);
		put_be(entry + 16, 8 * packet->size, 8);
		put_be(entry + 24, packet->begin, 8);
		put_be(entry + 32, packet->begin, 8);
	}
	enum histree_status status = HISTREE_OK;
	int file = io_posix.open(NULL, index_path, O_WRONLY | O_CREAT | O_EXCL, 0600);
	if (file < 0)
		status = error_set(error, HISTREE_ERR_IO, "cannot make \"%s\": %s", index_path, strerror(errno));
	else
		status = io_write_all(&io_posix, file, bytes, size, 0, error);
	if (file >= 0)
		io_posix.close(NULL, file);
	free(bytes);
	return status;
}

void ctf_packets_release(struct ctf_packets *packets)
{
	free(packets->packets);
	*packets = (struct ctf_packets){ 0 };
}
