// SPDX-License-Identifier: MIT
/*
 * ctf_reader.c - the events of one stream, packet by packet.  Packets are found by their headers; lost and damaged
 * packets become gaps, and reading continues.
 */
#include "trace/ctf/ctf_reader.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/hash_index.h"
#include "base/table.h"
#include "trace/ctf/ctf_decoder.h"
#include "trace/trace_bytes.h"
#include "trace/trace_source.h"

/* All marks of a file are forgotten when they are more: they have a MiB then. */
enum { CTF_EVENTS_PER_MARK = 64, CTF_MARKS_MAX = 1 << 16 };

/* ---- ctf marks ----------------------------------------------------------------------------------------------- */

static struct ctf_packet_marks *marks_of(struct ctf_marks *marks, uint64_t packet)
{
	struct ctf_packet_marks *found = id_map_find(&marks->packets, packet);
	if (found != NULL)
		return found;
	found = calloc(1, sizeof(*found));
	if (found != NULL && id_map_add(&marks->packets, packet, found))
		return found;
	free(found);
	return NULL;
}

/* Add the next mark of a packet.  Memory that is out costs the mark. */
static void ctf_marks_add(struct ctf_marks *marks, uint64_t packet, struct ctf_mark mark)
{
	if (marks->count == CTF_MARKS_MAX)
		ctf_marks_release(marks);
	struct ctf_packet_marks *of = marks_of(marks, packet);
	if (of == NULL || !array_reserve(&of->marks, &of->capacity, of->count + 1))
		return;
	of->marks[of->count++] = mark;
	marks->count++;
}

/* Returns how many marks a packet has; *out becomes the last one that is not behind an event. */
static size_t ctf_marks_find(const struct ctf_marks *marks, uint64_t packet, uint64_t event, struct ctf_mark *out,
			     uint64_t *event_of_mark)
{
	const struct ctf_packet_marks *of = id_map_find(&marks->packets, packet);
	uint64_t number = event / CTF_EVENTS_PER_MARK;
	*event_of_mark = 0;
	if (of == NULL)
		return 0;
	if (number > of->count)
		number = of->count;
	if (number > 0) {
		*out = of->marks[number - 1];
		*event_of_mark = number * CTF_EVENTS_PER_MARK;
	}
	return of->count;
}

void ctf_marks_release(struct ctf_marks *marks)
{
	for (size_t i = 0; i < marks->packets.count; i++) {
		struct ctf_packet_marks *of = marks->packets.entries[i].record;
		free(of->marks);
		free(of);
	}
	id_map_release(&marks->packets);
	*marks = (struct ctf_marks){ 0 };
}

/* ---- ctf packets --------------------------------------------------------------------------------------------- */

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
static enum ctf_outcome ctf_packets_read_head(struct walk *walk, uint64_t offset, struct ctf_head *head,
					      const char **why, enum histree_status *status)
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
	return ctf_packets_read_head(walk, offset, &head, &why, &status) == CTF_DONE &&
	       (head.size == CTF_UNKNOWN || head.size / 8 <= walk->packets->file_size - offset);
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
	for (unsigned i = 0; i < 4; i++) {
		unsigned shift = 8 * (decoder->magic->integer.is_big ? 3 - i : i);
		magic[i] = (uint8_t)(CTF_MAGIC_NUMBER >> shift);
	}
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

/* Take the packet at an offset, or what is damaged there, and step over it.  Returns false if memory runs out. */
static bool walk_packet(struct walk *walk, uint64_t *offset)
{
	struct ctf_packets *packets = walk->packets;
	struct ctf_head head = { .size = CTF_UNKNOWN };
	const char *why = "";
	enum histree_status status;
	uint64_t at = *offset, left = packets->file_size - at;
	enum ctf_outcome outcome = ctf_packets_read_head(walk, at, &head, &why, &status);
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

/* ---- ctf reader ---------------------------------------------------------------------------------------------- */

static struct ctf_piece piece_of(const struct ctf_reader *reader, uint64_t packet)
{
	return reader->pieces != NULL ? reader->pieces[packet]
	       : reader->is_live      ? (struct ctf_piece){ 0 }
				      : (struct ctf_piece){ .packet = (uint32_t)packet };
}

static const struct ctf_packet *packet_of(const struct ctf_reader *reader, struct ctf_piece piece)
{
	return &reader->files[piece.file].packets.packets[piece.packet];
}

enum histree_status ctf_reader_init(struct ctf_reader *reader, struct histree_error *error)
{
	reader->slot_capacity = reader->stream->type->slot_count;
	reader->cursor.slots = calloc(reader->slot_capacity, sizeof(uint64_t));
	reader->place_capacity = reader->decoder->place_count + 1;
	reader->cursor.places = calloc(reader->place_capacity, sizeof(struct ctf_place));
	reader->cursor.texts = &reader->texts;
	reader->head.discarded = reader->head.sequence = CTF_UNKNOWN;
	trace_window_init(&reader->window, reader->io, reader->files[0].path, reader->stays_open);
	return reader->cursor.slots != NULL && reader->cursor.places != NULL ? HISTREE_OK
									     : error_memory(error, "a stream");
}

void ctf_reader_release(struct ctf_reader *reader)
{
	trace_window_release(&reader->window);
	ctf_texts_release(&reader->texts);
	free(reader->cursor.slots);
	free(reader->cursor.places);
	free(reader->pieces);
	reader->cursor.slots = NULL;
	reader->cursor.places = NULL;
	reader->pieces = NULL;
}

/* ---- the window ------------------------------------------------------------------------------------------ */

/* Let the cursor see what the window has; it stands at a bit of the packet. */
static void look(struct ctf_reader *reader, uint64_t bit)
{
	struct ctf_cursor *cursor = &reader->cursor;
	uint64_t origin = 8 * (reader->window.offset - reader->offset);
	cursor->bytes = reader->window.bytes;
	cursor->origin = origin;
	cursor->at = bit - origin;
	cursor->content = reader->content - origin;
	cursor->end = 8 * (uint64_t)reader->window.count;
	if (cursor->end > cursor->content)
		cursor->end = cursor->content;
}

/*
 * Move the window on to a bit of the packet, and make it larger if it begins there already.  Returns HISTREE_END if
 * that brings nothing: *why says so.  What else fails ends more than the packet.
 */
static enum histree_status see_more(struct ctf_reader *reader, uint64_t bit, const char **why,
				    struct histree_error *error)
{
	struct trace_window *window = &reader->window;
	uint64_t first = bit / 8, left = (reader->size + 7) / 8 - first, wanted = reader->window_size;
	bool is_there = window->offset == reader->offset + first;
	size_t had = is_there ? window->count : 0;
	if (had > 0 && wanted <= had)
		wanted = 4 * (uint64_t)had;
	if (wanted > TRACE_WINDOW_SIZE_MAX)
		wanted = TRACE_WINDOW_SIZE_MAX;
	if (wanted > left)
		wanted = left;
	enum histree_status status = trace_window_move(window, reader->offset + first, (size_t)wanted, error);
	if (status != HISTREE_OK && status != HISTREE_ERR_IO)
		return status;
	look(reader, bit);
	if (status == HISTREE_OK && window->count > had)
		return HISTREE_OK;
	*why = status != HISTREE_OK       ? "the file cannot be read any more"
	       : wanted == had && had > 0 ? "an event is larger than 64 MiB"
					  : "the file has become shorter";
	return HISTREE_END;
}

/* ---- losses ---------------------------------------------------------------------------------------------- */

/* Returns the time of a clock value; INT64_MIN if that is not known. */
static histree_time time_of(const struct ctf_reader *reader, uint64_t ticks)
{
	histree_time time;
	return ctf_decoder_time(reader->stream, ticks, &time) ? time : INT64_MIN;
}

static void lose(struct ctf_reader *reader, const char *what, uint64_t count, struct trace_span span,
		 uint64_t gap_events)
{
	trace_stream_note_loss(&reader->base, what, &count, span);
	trace_stream_lose(&reader->base, span, gap_events);
}

/* What the tracer says that it lost before this packet: its counters go on, but where they begin again. */
static void note_losses(struct ctf_reader *reader)
{
	const struct ctf_head *head = &reader->head, *before = &reader->before;
	struct trace_report *report = &reader->base.notes->report;
	bool is_timed =
		ctf_stream_has(reader->stream, CTF_ROLE_BEGIN) && ctf_stream_has(reader->stream, CTF_ROLE_END);
	bool has_before = reader->has_before;
	histree_time begin = is_timed ? time_of(reader, head->begin) : INT64_MIN;
	histree_time end = is_timed ? time_of(reader, head->end) : INT64_MIN;
	histree_time last = is_timed && has_before ? time_of(reader, before->end) : INT64_MIN;
	if (head->discarded != CTF_UNKNOWN) {
		bool goes_on = has_before && head->discarded >= before->discarded;
		uint64_t lost = head->discarded - (goes_on ? before->discarded : 0);
		struct trace_span span = { .begin = has_before ? last : begin, .end = end };
		if (lost != 0) {
			report->discarded_events += lost;
			lose(reader, "event", lost, span, lost);
		}
	}
	if (head->sequence != CTF_UNKNOWN && has_before && head->sequence > before->sequence + 1) {
		uint64_t lost = head->sequence - before->sequence - 1;
		report->discarded_packets += lost;
		lose(reader, "packet", lost, (struct trace_span){ .begin = last, .end = begin }, 0);
	}
}

/* Returns when the packet after those begun begins; INT64_MAX if that is not known. */
static histree_time next_begin(const struct ctf_reader *reader)
{
	histree_time time;
	if (reader->packets >= reader->packet_count)
		return INT64_MAX;
	const struct ctf_packet *next = packet_of(reader, piece_of(reader, reader->packets));
	return ctf_decoder_time(reader->stream, next->begin, &time) ? time : INT64_MIN;
}

/* The rest of the packet is left out. */
static void leave_packet(struct ctf_reader *reader, const char *why)
{
	struct ctf_piece piece = piece_of(reader, reader->packets - 1);
	const struct ctf_packets *packets = &reader->files[piece.file].packets;
	bool is_expected = packets->is_cut && piece.packet == packets->count - 1;
	if (!is_expected)
		trace_notes_warn(reader->base.notes,
				 "%s: packet %" PRIu32 " cannot be decoded (%s); the events before that are read",
				 reader->files[piece.file].path,
				 reader->is_live ? (uint32_t)(reader->packets - 1) : piece.packet, why);
	const struct ctf_file *file = &reader->files[piece_of(reader, reader->packets - 1).file];
	if (!reader->is_damaged && !file->packets.is_damaged)
		reader->base.notes->report.damaged_streams++;
	reader->is_damaged = true;
	trace_stream_lose(&reader->base, (struct trace_span){ .begin = INT64_MIN, .end = next_begin(reader) }, 0);
	reader->is_open = false;
}

/* ---- packets --------------------------------------------------------------------------------------------- */

static enum histree_status ctf_reader_read_head(struct ctf_reader *reader, const char **why,
						struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	for (;;) {
		look(reader, 0);
		enum ctf_outcome outcome =
			ctf_head_read(reader->decoder, &reader->cursor, reader->stream, &reader->head, why);
		if (outcome != CTF_SHORT)
			return outcome == CTF_DONE ? HISTREE_OK : HISTREE_END;
		status = see_more(reader, 0, why, error);
		if (status != HISTREE_OK)
			return status;
	}
}

/* What is missing between the packet before and this one was seen when the files were walked. */
static void note_hole(struct ctf_reader *reader, struct ctf_piece piece)
{
	const struct ctf_packet *packet = packet_of(reader, piece);
	uint64_t expected = 0;
	if (piece.packet > 0)
		expected = packet[-1].offset + packet[-1].size;
	if (packet->offset != expected)
		trace_stream_lose(&reader->base,
				  (struct trace_span){ .begin = INT64_MIN, .end = time_of(reader, packet->begin) },
				  0);
}

/* The packet is taken elsewhere.  What is lost after it is lost all the same. */
static void pass_packet(struct ctf_reader *reader)
{
	histree_time end = time_of(reader, reader->head.end);
	reader->is_open = false;
	reader->base.upcoming.cpu = reader->cpu;
	if (end == INT64_MIN || (reader->base.has_events && reader->base.last >= end))
		return;
	reader->base.last = end;
	reader->base.has_events = true;
}

/* Begin the next packet.  Returns HISTREE_END after the last one. */
static enum histree_status open_packet(struct ctf_reader *reader, struct histree_error *error)
{
	if (reader->packets >= reader->packet_count)
		return HISTREE_END;
	struct ctf_piece piece = piece_of(reader, reader->packets++);
	const struct ctf_packet *packet = packet_of(reader, piece);
	if (piece.file != reader->window_file) {
		trace_window_release(&reader->window);
		trace_window_init(&reader->window, reader->io, reader->files[piece.file].path, reader->stays_open);
		reader->window_file = piece.file;
	}
	note_hole(reader, piece);
	reader->packet_events = 0;
	reader->offset = packet->offset;
	reader->size = reader->content = 8 * packet->size;
	reader->before = reader->head;
	reader->is_open = true;
	const char *why = "";
	uint64_t size = packet->size < reader->window_size ? packet->size : reader->window_size;
	enum histree_status status = trace_window_move(&reader->window, packet->offset, (size_t)size, error);
	if (status == HISTREE_OK)
		status = ctf_reader_read_head(reader, &why, error);
	if (status < 0 && status != HISTREE_ERR_IO)
		return status;
	if (status != HISTREE_OK) {
		reader->head = reader->before;
		leave_packet(reader, status == HISTREE_ERR_IO ? "the file cannot be read any more" : why);
		return HISTREE_OK;
	}
	if (reader->head.content != CTF_UNKNOWN && reader->head.content < reader->content)
		reader->content = reader->head.content;
	if (!packet->repeats_loss)
		note_losses(reader);
	reader->has_before = true;
	reader->cpu = reader->head.cpu;
	look(reader, reader->head.bits);
	if (packet->is_repeated)
		pass_packet(reader);
	return HISTREE_OK;
}

/* ---- events ---------------------------------------------------------------------------------------------- */

/* Room for what an event has; its class may be younger than the reader. */
static bool need_room(struct ctf_reader *reader, const struct ctf_class *class)
{
	size_t count = class->procedure.body.count;
	if (class->slot_count > reader->slot_capacity) {
		uint64_t *slots = realloc(reader->cursor.slots, class->slot_count * sizeof(*slots));
		if (slots == NULL)
			return false;
		memset(slots + reader->slot_capacity, 0,
		       (class->slot_count - reader->slot_capacity) * sizeof(*slots));
		reader->cursor.slots = slots;
		reader->slot_capacity = class->slot_count;
	}
	if (count <= reader->place_capacity)
		return true;
	struct ctf_place *places = realloc(reader->cursor.places, count * sizeof(*places));
	if (places == NULL)
		return false;
	reader->cursor.places = places;
	reader->place_capacity = count;
	return true;
}

/* Step over an event.  Returns CTF_BROKEN, with the reason, if the bytes are not an event. */
static enum ctf_outcome decode(struct ctf_reader *reader, struct ctf_class **class, const char **why,
			       enum histree_status *status, struct histree_error *error)
{
	struct ctf_cursor *cursor = &reader->cursor;
	uint64_t start = cursor->at;
	*why = "an event reaches behind the end of the packet";
	enum ctf_outcome outcome = ctf_event_header_read(reader->stream, cursor);
	if (outcome != CTF_DONE)
		return outcome;
	if (!cursor->has_id)
		cursor->id =
			reader->stream->type->events.count == 1 ? reader->stream->type->events.entries[0].id : 0;
	*status = ctf_decoder_class(reader->decoder, reader->stream, cursor->id, class, error);
	if (*status == HISTREE_OK && *class != NULL && !need_room(reader, *class))
		*status = error_memory(error, "an event");
	if (*status != HISTREE_OK)
		return CTF_BROKEN;
	if (*class == NULL) {
		snprintf(reader->why, sizeof(reader->why), "event id %" PRIu64 " has no class in the metadata",
			 cursor->id);
		*why = reader->why;
		return CTF_BROKEN;
	}
	reader->ticks = cursor->clock;
	cursor->fields = cursor->at;
	outcome = ctf_cursor_run(cursor, &(*class)->procedure);
	if (outcome == CTF_DONE && cursor->at == start) {
		*why = "an event has no bits";
		return CTF_BROKEN;
	}
	return outcome;
}

/*
 * The events of a trace without any clock have an order: the byte of the file at which one begins stands for its
 * time, as a reader that begins in the middle knows it too.
 */
static bool take_order(struct ctf_reader *reader, uint64_t start, histree_time *out, const char **why)
{
	*why = reader->stream->type->clock != NULL ? "the time of an event does not fit 64 bits"
						   : "its events have no clock, and so no time";
	if (!reader->is_in_order)
		return false;
	*out = (histree_time)(reader->offset + start / 8);
	return true;
}

/* `start` is the bit of the packet at which it begins. */
static bool put_event(struct ctf_reader *reader, const struct ctf_class *class, uint64_t start, const char **why)
{
	struct event event = { .cpu = reader->cpu, .class = &class->class, .handle = &reader->cursor };
	if (!ctf_decoder_time(reader->stream, reader->ticks, &event.time) &&
	    !take_order(reader, start, &event.time, why))
		return false;
	int64_t cpu;
	if (event.cpu < 0 && class->cpu_field != EVENT_NO_FIELD && ctf_field_int(&event, class->cpu_field, &cpu) &&
	    cpu >= 0 && cpu <= INT32_MAX)
		event.cpu = (int32_t)cpu;
	trace_stream_put(&reader->base, &event);
	reader->packet_events++;
	return true;
}

/* Make the next event of the packet the upcoming one.  HISTREE_END if the packet has no more. */
static enum histree_status next_in_packet(struct ctf_reader *reader, struct histree_error *error)
{
	struct ctf_cursor *cursor = &reader->cursor;
	const char *why = "";
	for (;;) {
		if (cursor->at == cursor->content) {
			bool is_whole =
				reader->head.content == CTF_UNKNOWN || reader->head.content <= reader->content;
			if (is_whole) {
				reader->is_open = false;
				/* Some tracers close a packet before its last event, or do not say when. */
				if (reader->head.end != CTF_UNKNOWN && reader->head.end < reader->cursor.clock)
					reader->head.end = reader->cursor.clock;
			} else {
				leave_packet(reader, "the file ends before it");
			}
			return HISTREE_END;
		}
		uint64_t start = cursor->origin + cursor->at, clock = cursor->clock;
		struct ctf_class *class;
		enum histree_status status = HISTREE_OK;
		enum ctf_outcome outcome = decode(reader, &class, &why, &status, error);
		if (status != HISTREE_OK)
			return status;
		if (outcome == CTF_DONE && put_event(reader, class, start, &why))
			return HISTREE_OK;
		cursor->clock = outcome == CTF_DONE ? cursor->clock : clock;
		if (outcome == CTF_SHORT) {
			status = see_more(reader, start, &why, error);
			if (status == HISTREE_OK)
				continue;
			if (status < 0)
				return status;
		}
		leave_packet(reader, why);
		return HISTREE_END;
	}
}

void ctf_reader_end(struct ctf_reader *reader)
{
	if (!reader->is_done)
		trace_stream_end(&reader->base);
	reader->is_done = true;
}

enum histree_status ctf_reader_next(struct trace_stream *base, struct histree_error *error)
{
	struct ctf_reader *reader = (struct ctf_reader *)base;
	reader->base.has_upcoming = false;
	if (reader->texts.kept != NULL)
		ctf_texts_clear(&reader->texts);
	for (;;) {
		if (trace_stream_put_gap(&reader->base))
			return HISTREE_OK;
		enum histree_status status =
			reader->is_open ? next_in_packet(reader, error) : open_packet(reader, error);
		if (status < 0)
			return status;
		if (reader->base.has_upcoming)
			return HISTREE_OK;
		if (status == HISTREE_END && !reader->is_open && reader->packets >= reader->packet_count &&
		    !reader->base.has_gap) {
			if (reader->is_live)
				return reader->is_done ? HISTREE_END : HISTREE_NOT_FOUND;
			bool was_done = reader->is_done;
			if (!reader->is_done) {
				reader->is_done = true;
				/* There may be damage behind the last packet of a file. */
				const struct ctf_packets *packets = &reader->files[reader->file_count - 1].packets;
				const struct ctf_packet *last = &packets->packets[packets->count - 1];
				if (reader->file_count == 1 && last->offset + last->size < packets->file_size)
					trace_stream_lose(
						&reader->base,
						(struct trace_span){ .begin = INT64_MIN, .end = INT64_MAX }, 0);
				trace_stream_end(&reader->base);
				trace_window_release(&reader->window);
			}
			if (was_done || !reader->base.has_gap)
				return HISTREE_END;
		}
	}
}

/* ---- places ---------------------------------------------------------------------------------------------- */

/* Go on at a mark of the packet that is open. */
static enum histree_status go_to_mark(struct ctf_reader *reader, struct ctf_mark mark, uint64_t event,
				      struct histree_error *error)
{
	const char *why;
	enum histree_status status = see_more(reader, mark.bit, &why, error);
	if (status < 0)
		return status;
	reader->cursor.clock = mark.clock;
	reader->packet_events = event;
	if (status != HISTREE_OK)
		leave_packet(reader, why);
	return HISTREE_OK;
}

enum histree_status ctf_reader_skip(struct trace_stream *base, uint64_t events, struct histree_error *error)
{
	struct ctf_reader *reader = (struct ctf_reader *)base;
	uint64_t packet = reader->packets, left = events, at = 0, marked = 0;
	struct ctf_marks *marks = reader->files[0].marks;
	struct ctf_mark mark;
	enum histree_status status = ctf_reader_next(base, error);
	bool is_begun = status == HISTREE_OK && reader->base.upcoming.gap == NULL && reader->packets == packet + 1;
	is_begun = is_begun && reader->packet_events == 1 && marks != NULL;
	if (is_begun && left >= CTF_EVENTS_PER_MARK) {
		marked = CTF_EVENTS_PER_MARK * (uint64_t)ctf_marks_find(marks, packet, events, &mark, &at);
		left -= at;
		if (at > 0)
			status = go_to_mark(reader, mark, at, error);
		if (at > 0 && status == HISTREE_OK)
			status = ctf_reader_next(base, error);
	}
	while (status == HISTREE_OK && left > 0) {
		bool is_event = reader->base.upcoming.gap == NULL;
		/* What comes next is in the same packet, and has no mark yet. */
		if (is_begun && is_event && reader->is_open && reader->packets == packet + 1 &&
		    reader->packet_events == marked + CTF_EVENTS_PER_MARK &&
		    reader->cursor.at < reader->cursor.content) {
			marked = reader->packet_events;
			ctf_marks_add(marks, packet,
				      (struct ctf_mark){ .bit = reader->cursor.origin + reader->cursor.at,
							 .clock = reader->cursor.clock });
		}
		left -= is_event;
		status = ctf_reader_next(base, error);
	}
	return status < 0 ? status : HISTREE_OK;
}
