// SPDX-License-Identifier: MIT
/*
 * ctf_packets.c - the packets of one stream file, found by their headers, and damage between them.
 */
#include "trace/ctf/ctf_packets.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/array.h"
#include "base/error.h"
#include "base/hash.h"

enum {
	HEAD_SIZE = 512,         /* of most heads, and more */
	HEAD_SIZE_MAX = 1 << 20, /* of any head */
	SEARCH_SIZE = 64 << 10,  /* bytes searched for the magic number at a time */
	CANDIDATES_MAX = 10000,  /* magic numbers looked behind in one file */
};

struct walk {
	const struct ctf_decoder *decoder;
	struct ctf_packets *packets;
	struct trace_window window;
	struct ctf_cursor cursor;
	struct trace_notes *notes;
	size_t candidates;
};

/* Read the head at an offset of the file.  Returns CTF_BROKEN, with the reason, if there is no head. */
static enum ctf_outcome read_head(struct walk *walk, uint64_t offset, struct ctf_head *head, const char **why,
				  enum histree_status *status)
{
	enum ctf_outcome outcome = CTF_SHORT;
	for (size_t size = HEAD_SIZE; outcome == CTF_SHORT && size <= HEAD_SIZE_MAX; size *= 8) {
		*status = trace_window_move(&walk->window, offset, size, NULL);
		if (*status != HISTREE_OK) {
			*why = "cannot be read";
			return CTF_BROKEN;
		}
		struct ctf_cursor *cursor = &walk->cursor;
		uint64_t count = 8 * (uint64_t)walk->window.count;
		cursor->bytes = walk->window.bytes;
		cursor->at = 0;
		cursor->end = count;
		cursor->content = walk->window.count < size ? count : UINT64_MAX / 2;
		outcome = ctf_head_read(walk->decoder, cursor, walk->packets->stream, head, why);
	}
	if (outcome == CTF_SHORT) {
		*why = "has a header and a context that are too large";
		return CTF_BROKEN;
	}
	const struct ctf_packets *packets = walk->packets;
	if (outcome == CTF_DONE && packets->stream != NULL && head->instance != packets->instance) {
		*why = "names another stream than the ones before it";
		return CTF_BROKEN;
	}
	return outcome;
}

/* Whether a sound packet, or none at all, begins there. */
static bool is_packet_at(struct walk *walk, uint64_t offset)
{
	struct ctf_head head;
	const char *why;
	enum histree_status status;
	if (offset >= walk->packets->file_size)
		return offset == walk->packets->file_size;
	return read_head(walk, offset, &head, &why, &status) == CTF_DONE &&
	       (head.size == CTF_UNKNOWN || head.size / 8 <= walk->packets->file_size - offset);
}

static void magic_bytes(const struct ctf_decoder *decoder, uint8_t *out)
{
	for (unsigned i = 0; i < 4; i++) {
		unsigned shift = 8 * (decoder->magic->integer.is_big ? 3 - i : i);
		out[i] = (uint8_t)(CTF_MAGIC_NUMBER >> shift);
	}
}

/* Returns the offset of the next sound packet from an offset on, or of the end of the file. */
static uint64_t search(struct walk *walk, uint64_t offset)
{
	const struct ctf_decoder *decoder = walk->decoder;
	uint64_t file_size = walk->packets->file_size;
	uint8_t magic[4];
	if (decoder->magic == NULL || decoder->magic->offset != 0 || decoder->magic->operation != 0 ||
	    decoder->magic->integer.size != 32 || decoder->magic->integer.form != 0)
		return file_size;
	magic_bytes(decoder, magic);
	while (offset + sizeof(magic) <= file_size && walk->candidates < CANDIDATES_MAX) {
		if (trace_window_move(&walk->window, offset, SEARCH_SIZE, NULL) != HISTREE_OK ||
		    walk->window.count < sizeof(magic))
			return file_size;
		const uint8_t *found = memmem(walk->window.bytes, walk->window.count, magic, sizeof(magic));
		if (found == NULL) {
			offset += walk->window.count - (sizeof(magic) - 1);
			continue;
		}
		offset += (uint64_t)(found - walk->window.bytes);
		walk->candidates++;
		if (is_packet_at(walk, offset))
			return offset;
		offset++;
	}
	return file_size;
}

static void note_damage(struct walk *walk, uint64_t offset, const char *why, const char *then)
{
	struct ctf_packets *packets = walk->packets;
	trace_notes_warn(walk->notes, "%s: packet %zu at offset %llu %s; %s", walk->window.path, packets->count,
			 (unsigned long long)offset, why, then);
	walk->notes->report.damaged_streams += !packets->is_damaged;
	packets->is_damaged = true;
}

/* What tells a packet from others, and where its events are. */
static void identify(const struct ctf_head *head, struct ctf_packet *packet)
{
	uint64_t instance = head->instance != CTF_UNKNOWN ? head->instance
			    : head->cpu >= 0              ? (uint64_t)head->cpu
							  : CTF_UNKNOWN;
	const uint64_t numbers[] = { instance, head->sequence, head->begin };
	packet->is_certain = head->begin != 0;
	packet->identity = hash_mix(head->stream->type->id);
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		packet->is_certain = packet->is_certain && numbers[i] != CTF_UNKNOWN;
		packet->identity = hash_mix(packet->identity ^ numbers[i]);
	}
	packet->head = (uint32_t)((head->bits + 7) / 8);
	packet->content =
		head->content == CTF_UNKNOWN || head->content / 8 > packet->size ? packet->size : head->content / 8;
	if (packet->content < packet->head)
		packet->content = packet->head;
}

static bool add_packet(struct walk *walk, uint64_t offset, uint64_t size, const struct ctf_head *head)
{
	struct ctf_packets *packets = walk->packets;
	if (!array_reserve(&packets->packets, &packets->capacity, packets->count + 1))
		return false;
	packets->stream = head->stream;
	packets->instance = head->instance;
	struct ctf_packet *packet = &packets->packets[packets->count++];
	*packet = (struct ctf_packet){ .offset = offset, .size = size, .begin = head->begin, .end = head->end };
	identify(head, packet);
	return true;
}

/* No tracer compresses the files of a trace, but people do.  Returns what is to be done; NULL: it is not packed. */
static const char *unpacking_of(const struct trace_window *window)
{
	static const struct {
		const char *bytes, *why;
		size_t size;
	} magics[] = { { "\x1f\x8b", "is compressed (gunzip unpacks the file)", 2 },
		       { "\x28\xb5\x2f\xfd", "is compressed (unzstd unpacks the file)", 4 },
		       { "\xfd\x37zXZ", "is compressed (unxz unpacks the file)", 5 },
		       { "BZh", "is compressed (bunzip2 unpacks the file)", 3 } };
	for (size_t i = 0; i < sizeof(magics) / sizeof(magics[0]); i++)
		if (window->count >= magics[i].size && memcmp(window->bytes, magics[i].bytes, magics[i].size) == 0)
			return magics[i].why;
	return NULL;
}

/* Take the packet at an offset, or what is damaged there, and step over it.  Returns false if memory is out. */
static bool walk_packet(struct walk *walk, uint64_t *offset)
{
	struct ctf_packets *packets = walk->packets;
	struct ctf_head head = { .size = CTF_UNKNOWN };
	const char *why = "";
	enum histree_status status;
	uint64_t at = *offset, left = packets->file_size - at;
	enum ctf_outcome outcome = read_head(walk, at, &head, &why, &status);
	if (status == HISTREE_ERR_MEMORY)
		return false;
	if (at == 0 && outcome != CTF_DONE && walk->decoder->magic != NULL && unpacking_of(&walk->window) != NULL)
		why = unpacking_of(&walk->window);
	uint64_t size = outcome == CTF_DONE && head.size != CTF_UNKNOWN ? head.size / 8 : left;
	if (outcome == CTF_DONE && size <= left) {
		*offset = at + size;
		return add_packet(walk, at, size, &head);
	}
	uint64_t next = search(walk, at + 1);
	*offset = next;
	if (outcome == CTF_DONE && next == packets->file_size) {
		/* What is there of it can be decoded. */
		packets->is_cut = true;
		note_damage(walk, at, "is cut short by the end of the file", "the events before that are read");
		return add_packet(walk, at, left, &head);
	}
	char then[80] = "nothing of it is read";
	if (next < packets->file_size)
		snprintf(then, sizeof(then), "the packets from offset %llu on are read", (unsigned long long)next);
	else if (packets->count > 0)
		snprintf(then, sizeof(then), "the events before that are read");
	note_damage(walk, at, outcome == CTF_DONE ? "has an impossible size" : why, then);
	return true;
}

enum histree_status ctf_packets_walk(const struct ctf_decoder *decoder, const struct io *io, const char *path,
				     struct trace_notes *notes, struct ctf_packets *out,
				     struct histree_error *error)
{
	struct stat facts;
	struct walk walk = { .decoder = decoder, .packets = out, .notes = notes };
	enum histree_status status = HISTREE_OK;
	*out = (struct ctf_packets){ .instance = CTF_UNKNOWN };
	trace_window_init(&walk.window, io, path, true);
	struct histree_error told;
	enum histree_status moved = trace_window_move(&walk.window, 0, HEAD_SIZE, &told);
	bool can_read = moved == HISTREE_OK;
	if (moved == HISTREE_ERR_MEMORY) {
		status = error_memory(error, "the packets of a stream");
		goto out;
	}
	if (!can_read || stat(path, &facts) != 0) {
		trace_notes_warn(notes, "%s: %s", path, can_read ? "is gone" : told.message);
		notes->report.damaged_streams++;
		out->is_damaged = true;
		goto out;
	}
	out->file_size = (uint64_t)facts.st_size;
	walk.cursor.slots = calloc(CTF_SHARED_SLOTS, sizeof(uint64_t));
	walk.cursor.places = calloc(decoder->place_count + 1, sizeof(struct ctf_place));
	bool ok = walk.cursor.slots != NULL && walk.cursor.places != NULL;
	for (uint64_t offset = 0; ok && offset < out->file_size;)
		ok = walk_packet(&walk, &offset);
	if (!ok)
		status = error_memory(error, "the packets of a stream");
out:
	free(walk.cursor.slots);
	free(walk.cursor.places);
	trace_window_release(&walk.window);
	if (status != HISTREE_OK)
		ctf_packets_release(out);
	return status;
}

void ctf_packets_release(struct ctf_packets *packets)
{
	free(packets->packets);
	*packets = (struct ctf_packets){ 0 };
}
