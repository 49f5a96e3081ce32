// SPDX-License-Identifier: MIT
/*
 * ctf_repeats.c - makes sure that packets which an input has more than once, by other paths or as copies, are read
 * once.
 *
 * Equal packets are found by their times and then by their bytes, and one of them is chosen.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/hash_index.h"
#include "base/io.h"
#include "trace/ctf/ctf_source.h"
#include "trace/trace_source.h"

/* At most this many that look the same are compared with the others. */
enum { KEPT_MAX = 8, PART_SIZE = 64 << 10 };

/* Where a packet is. */
struct place {
	uint64_t key; /* the same for packets that may be the same */
	uint32_t source, file;
	uint64_t packet;
};

/* What is said of a trace in the end. */
struct tally {
	uint64_t repeated, undecided;
	size_t other; /* the trace that has the first of them */
};

struct search {
	struct ctf_source *const *sources;
	struct place *places;
	size_t place_count;
	struct tally *tallies; /* one a trace */
	uint8_t *parts[2];     /* of two packets that are compared */
};

static struct ctf_packet *packet_at(const struct search *search, const struct place *place)
{
	return &search->sources[place->source]->files[place->file].packets.packets[place->packet];
}

/* Traces whose keys are equal by chance are told apart by the bytes of the packets. */
static uint64_t hash_of_trace(const struct trace_facts *facts)
{
	return hash_mix(hash_bytes(facts->uuid, strlen(facts->uuid))) ^
	       hash_bytes(facts->tracer, strlen(facts->tracer));
}

static int compare_places(const void *a, const void *b)
{
	const struct place *first = a, *second = b;
	if (first->key != second->key)
		return first->key < second->key ? -1 : 1;
	if (first->source != second->source)
		return first->source < second->source ? -1 : 1;
	if (first->file != second->file)
		return first->file < second->file ? -1 : 1;
	return first->packet < second->packet ? -1 : first->packet > second->packet;
}

static enum histree_status list_packets(struct search *search, size_t source_count, struct histree_error *error)
{
	size_t count = 0;
	for (size_t i = 0; i < source_count; i++)
		count += search->sources[i]->packet_count;
	search->places = calloc(count + 1, sizeof(*search->places));
	if (search->places == NULL)
		return error_memory(error, "the packets of an input");
	for (uint32_t i = 0; i < source_count; i++) {
		const struct ctf_source *source = search->sources[i];
		const uint64_t trace = hash_of_trace(&source->base.facts);
		for (uint32_t file = 0; file < source->base.file_count; file++) {
			const struct ctf_packets *packets = &source->files[file].packets;
			for (size_t k = 0; k < packets->count; k++)
				search->places[search->place_count++] =
					(struct place){ .key = packets->packets[k].identity ^ trace,
							.source = i,
							.file = file,
							.packet = k };
		}
	}
	qsort(search->places, search->place_count, sizeof(*search->places), compare_places);
	return HISTREE_OK;
}

static const struct io *io_of(const struct search *search, const struct place *place)
{
	return search->sources[place->source]->base.io;
}

static int open_file(const struct search *search, const struct place *place)
{
	const struct io *io = io_of(search, place);
	return io->open(io->context, search->sources[place->source]->files[place->file].path, O_RDONLY, 0);
}

static uint64_t min_u64(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* Returns whether `size` bytes of two files, from two offsets on, are the same; false if they cannot be read. */
static bool are_same_bytes(const struct search *search, const struct io *io, const int files[2],
			   const uint64_t offsets[2], uint64_t count)
{
	for (uint64_t done = 0; done < count;) {
		uint64_t size = min_u64(count - done, PART_SIZE);
		for (int i = 0; i < 2; i++)
			if (io_read_all(io, files[i], search->parts[i], size, offsets[i] + done, NULL) !=
			    HISTREE_OK)
				return false;
		if (memcmp(search->parts[0], search->parts[1], size) != 0)
			return false;
		done += size;
	}
	return true;
}

/* Whether one of two packets has all the bytes of events that the other has. */
static bool begins_like(const struct search *search, const struct place *a, const struct place *b)
{
	const struct ctf_packet *first = packet_at(search, a), *second = packet_at(search, b);
	const struct io *io = io_of(search, a); /* all sources of a trace are read by the same calls */
	uint64_t count = min_u64(first->content - first->head, second->content - second->head);
	const uint64_t offsets[2] = { first->offset + first->head, second->offset + second->head };
	const int files[2] = { open_file(search, a), open_file(search, b) };
	bool same = files[0] >= 0 && files[1] >= 0 && are_same_bytes(search, io, files, offsets, count);
	for (int i = 0; i < 2; i++)
		if (files[i] >= 0)
			io->close(io->context, files[i]);
	return same;
}

static void leave_out(struct search *search, const struct place *place, const struct place *twin)
{
	struct ctf_packet *packet = packet_at(search, place);
	struct tally *tally = &search->tallies[place->source];
	packet->is_repeated = true;
	packet->repeats_loss = twin->packet > 0;
	if (tally->repeated++ == 0)
		tally->other = twin->source;
}

/* The longer one; else the one with more before it in its file, which says what was lost there. */
static bool is_better(const struct search *search, const struct place *a, const struct place *b)
{
	uint64_t first = packet_at(search, a)->content, second = packet_at(search, b)->content;
	return first != second ? first > second : a->packet > b->packet;
}

/* Packets that are certainly one. */
static void take_longest(struct search *search, const struct place *places, size_t count)
{
	const struct place *kept = &places[0];
	for (size_t i = 1; i < count; i++)
		if (is_better(search, &places[i], kept))
			kept = &places[i];
	for (size_t i = 0; i < count; i++) {
		if (&places[i] == kept)
			continue;
		search->tallies[places[i].source].undecided += !begins_like(search, &places[i], kept);
		leave_out(search, &places[i], kept);
	}
}

/* Packets that may be different ones: of those with the same bytes one is taken. */
static void take_different(struct search *search, const struct place *places, size_t count)
{
	const struct place *kept[KEPT_MAX];
	size_t kept_count = 0;
	for (size_t i = 0; i < count; i++) {
		size_t twin = 0;
		const struct ctf_packet *packet = packet_at(search, &places[i]);
		if (packet->content == packet->head)
			continue;
		while (twin < kept_count && (packet_at(search, kept[twin])->content != packet->content ||
					     !begins_like(search, &places[i], kept[twin])))
			twin++;
		if (twin < kept_count)
			leave_out(search, &places[i], kept[twin]);
		else if (kept_count < KEPT_MAX)
			kept[kept_count++] = &places[i];
	}
}

static void say(const struct search *search, size_t index, struct trace_notes *notes)
{
	const struct tally *tally = &search->tallies[index];
	const struct ctf_source *of = search->sources[index], *other = search->sources[tally->other];
	if (tally->repeated == 0)
		return;
	notes->report.repeated_packets += tally->repeated;
	if (of == other)
		trace_notes_warn(notes, "%s: %llu of %llu packets are in it more than once; each is taken once",
				 of->base.path, (unsigned long long)tally->repeated,
				 (unsigned long long)of->packet_count);
	else
		trace_notes_warn(notes, "%s: %llu of %llu packets are in %s too; each is taken once", of->base.path,
				 (unsigned long long)tally->repeated, (unsigned long long)of->packet_count,
				 other->base.path);
	if (tally->undecided > 0)
		trace_notes_warn(notes,
				 "%s: %llu of these packets have other events in %s; which are right cannot be "
				 "decided, and the longer packet is taken",
				 of->base.path, (unsigned long long)tally->undecided, other->base.path);
}

enum histree_status ctf_repeats_find(struct ctf_source *const *sources, size_t count, struct trace_notes *notes,
				     struct histree_error *error)
{
	struct search search = { .sources = sources, .tallies = calloc(count + 1, sizeof(*search.tallies)) };
	search.parts[0] = malloc(2 * PART_SIZE);
	enum histree_status status = search.tallies != NULL && search.parts[0] != NULL
					     ? list_packets(&search, count, error)
					     : error_memory(error, "the packets of an input");
	if (status == HISTREE_OK)
		search.parts[1] = search.parts[0] + PART_SIZE;
	for (size_t i = 0, end; i < search.place_count; i = end) {
		for (end = i + 1; end < search.place_count && search.places[end].key == search.places[i].key;)
			end++;
		if (end - i == 1)
			continue;
		if (packet_at(&search, &search.places[i])->is_certain)
			take_longest(&search, &search.places[i], end - i);
		else
			take_different(&search, &search.places[i], end - i);
	}
	for (size_t i = 0; i < count && status == HISTREE_OK; i++)
		say(&search, i, notes);
	free(search.places);
	free(search.tallies);
	free(search.parts[0]);
	return status;
}
