// SPDX-License-Identifier: MIT
/*
 * trace_open.c - opens the traces of an input.  A recording or packet that the input has more than once, by other
 * paths or as a copy, is read once.
 *
 * Traces that are one file are compared as wholes.  In CTF traces, equal packets are found by their places in time
 * and then by their bytes, and one of them is chosen.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/hash_index.h"
#include "base/io.h"
#include "base/trace_word.h"
#include "trace/ctf/ctf_live.h"
#include "trace/ctf/ctf_source.h"
#include "trace/text/event_text.h"
#include "trace/trace.h"
#include "trace/trace_list.h"
#include "trace/trace_source.h"
#include "trace/trace_bytes.h"

/* ---- trace copies -------------------------------------------------------------------------------------------- */

enum { TRACE_COPIES_PART_SIZE = 64 << 10 };

static bool is_one_inode(const char *one, const char *other)
{
	struct stat a, b;
	return stat(one, &a) == 0 && stat(other, &b) == 0 && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

static enum histree_status compare_bytes(struct trace_window windows[2], uint64_t size, bool *are_same,
					 struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	*are_same = true;
	for (uint64_t at = 0; *are_same && at < size; at += TRACE_COPIES_PART_SIZE) {
		size_t part = size - at < TRACE_COPIES_PART_SIZE ? (size_t)(size - at) : TRACE_COPIES_PART_SIZE;
		for (size_t i = 0; i < 2 && status == HISTREE_OK; i++)
			status = trace_window_move(&windows[i], at, part, error);
		if (status == HISTREE_ERR_MEMORY)
			return status;
		*are_same = status == HISTREE_OK && windows[0].count == part && windows[1].count == part &&
			    memcmp(windows[0].bytes, windows[1].bytes, part) == 0;
	}
	return HISTREE_OK;
}

/* The same file, read by the same map. */
static enum histree_status compare(const struct trace_source *one, const struct trace_source *other, bool *are_same,
				   struct histree_error *error)
{
	const char *path = trace_word_path(one->path), *other_path = trace_word_path(other->path);
	size_t map = (size_t)(path - one->path);
	*are_same = false;
	if (one->kind != other->kind || one->bytes != other->bytes || one->bytes == 0 ||
	    map != (size_t)(other_path - other->path) || memcmp(one->path, other->path, map) != 0)
		return HISTREE_OK;
	*are_same = is_one_inode(path, other_path);
	if (*are_same)
		return HISTREE_OK;
	struct trace_window windows[2];
	trace_window_init(&windows[0], one->io, path, true);
	trace_window_init(&windows[1], other->io, other_path, true);
	enum histree_status status = compare_bytes(windows, one->bytes, are_same, error);
	trace_window_release(&windows[0]);
	trace_window_release(&windows[1]);
	return status;
}

/*
 * Mark the sources of which one before has all bytes, and say so in the notes.  A file that cannot be read is no
 * copy.  Returns HISTREE_ERR_MEMORY.
 */
static enum histree_status trace_copies_find(struct trace_source *const *sources, size_t count,
					     struct trace_notes *notes, struct histree_error *error)
{
	for (size_t i = 1; i < count; i++) {
		struct trace_source *source = sources[i];
		for (size_t k = 0; k < i && source->kind != &ctf_format && !source->is_copy; k++) {
			if (sources[k]->is_copy)
				continue;
			enum histree_status status = compare(sources[k], source, &source->is_copy, error);
			if (status != HISTREE_OK)
				return status;
			if (source->is_copy)
				trace_notes_warn(notes, "%s: all of it is in %s too; it is taken once",
						 source->path, sources[k]->path);
		}
	}
	return HISTREE_OK;
}

/* ---- trace repeats ------------------------------------------------------------------------------------------- */

/* At most this many that look the same are compared with the others. */
enum { KEPT_MAX = 8, TRACE_REPEATS_PART_SIZE = 64 << 10 };

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

/* ---- bytes ----------------------------------------------------------------------------------------------- */

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
		uint64_t size = min_u64(count - done, TRACE_REPEATS_PART_SIZE);
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

/* ---- packets that look the same -------------------------------------------------------------------------- */

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

/* Mark the packets of the traces that are taken elsewhere, and say so in the notes. */
static enum histree_status trace_repeats_find(struct ctf_source *const *sources, size_t count,
					      struct trace_notes *notes, struct histree_error *error)
{
	struct search search = { .sources = sources, .tallies = calloc(count + 1, sizeof(*search.tallies)) };
	search.parts[0] = malloc(2 * TRACE_REPEATS_PART_SIZE);
	enum histree_status status = search.tallies != NULL && search.parts[0] != NULL
					     ? list_packets(&search, count, error)
					     : error_memory(error, "the packets of an input");
	if (status == HISTREE_OK)
		search.parts[1] = search.parts[0] + TRACE_REPEATS_PART_SIZE;
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

/* ---- trace open ---------------------------------------------------------------------------------------------- */

/* What the buffers of all streams may take together, and those of one. */
enum { WINDOWS_SIZE = 16 << 20, WINDOW_SIZE_MAX = 64 << 10, OPEN_FILES_MAX = 256 };

static enum histree_status scan_source(struct trace *trace, const struct trace_entry *entry,
				       const struct trace_source *beside, struct histree_error *error)
{
	struct trace_source *source = entry->kind->create();
	if (source == NULL)
		return error_memory(error, "the traces");
	trace->sources[trace->source_count++] = source;
	source->kind = entry->kind;
	source->trace.id = (uint32_t)(trace->source_count - 1);
	source->io = trace->io;
	source->class_count = &trace->class_count;
	source->notes = &trace->notes;
	source->beside = beside;
	enum histree_status status = entry->kind->scan(source, entry->path, error);
	source->beside = NULL;
	if (status != HISTREE_OK)
		return status;
	source->first_file = trace->file_count;
	trace->notes.report.bytes_total += source->bytes;
	trace->file_count += source->file_count;
	return HISTREE_OK;
}

static void free_source(struct trace_source *source)
{
	if (source != NULL)
		source->kind->free(source);
}

/* A source of which nothing is in its file may know what the one beside it asks for, so it is freed after that. */
static enum histree_status scan_sources(struct trace *trace, const struct trace_list *list,
					struct histree_error *error)
{
	trace->sources = calloc(list->count, sizeof(struct trace_source *));
	if (trace->sources == NULL)
		return error_memory(error, "the traces");
	struct trace_source *before = NULL, *empty = NULL;
	enum histree_status status = HISTREE_OK;
	for (size_t index = 0; index < list->count && status == HISTREE_OK; index++) {
		const struct trace_entry *entry = &list->entries[index];
		const bool is_same_file = index > 0 && strcmp(entry->path, entry[-1].path) == 0;
		const size_t count = trace->source_count;
		status = scan_source(trace, entry, is_same_file ? before : NULL, error);
		before = trace->source_count > count ? trace->sources[count] : NULL;
		if (status != HISTREE_END)
			continue;
		free_source(empty);
		empty = before;
		trace->source_count--;
		status = HISTREE_OK;
	}
	free_source(empty);
	return status;
}

/* Beside a trace that says that it is of the kernel, no other one is. */
static void know_the_kernel(struct trace *trace)
{
	bool has_kernel = false;
	for (size_t index = 0; index < trace->source_count; index++)
		has_kernel |= strcmp(trace->sources[index]->trace.domain, "kernel") == 0;
	for (size_t index = 0; has_kernel && index < trace->source_count; index++)
		trace->sources[index]->trace.kernel_words = EVENT_NO_KERNEL;
}

/* Returns what the traces say of their hosts, which the caller frees; NULL if memory is out. */
static struct trace_host *list_hosts(const struct trace *trace)
{
	struct trace_host *hosts = calloc(trace->source_count + 1, sizeof(*hosts));
	for (size_t index = 0; hosts != NULL && index < trace->source_count; index++) {
		const struct trace_source *source = trace->sources[index];
		struct trace_host *host = &hosts[index];
		*host = (struct trace_host){ .path = source->path,
					     .facts = &source->facts,
					     .is_of_kernel = strcmp(source->trace.domain, "ust") != 0,
					     .has_kernel = strcmp(source->trace.domain, "kernel") == 0 &&
							   source->kind != &event_text_format,
					     .is_left_out = source->is_copy };
		if (source->kind->span == NULL || !source->kind->span(source, &host->begin, &host->end))
			host->begin = 1, host->end = 0;
	}
	return hosts;
}

static enum histree_status check_hosts(const struct trace *trace, struct histree_error *error)
{
	struct trace_host *hosts = list_hosts(trace);
	if (hosts == NULL)
		return error_memory(error, "the hosts of traces");
	enum histree_status status = trace_hosts_check(hosts, trace->source_count, error);
	free(hosts);
	return status;
}

/*
 * Of two recordings of one kernel at one time, packets are different, and events the same.  Those that may be of
 * two kernels, such as texts of two machines, would have their CPUs and threads taken for the same.
 */
static enum histree_status warn_of_doubled(struct trace *trace, struct histree_error *error)
{
	struct trace_host *hosts = list_hosts(trace);
	if (hosts == NULL)
		return error_memory(error, "the hosts of traces");
	size_t second;
	for (size_t first = 0; trace_hosts_find_doubled(hosts, trace->source_count, &first, &second); first++)
		trace_notes_warn(
			&trace->notes,
			"'%s' and '%s' are two recordings of one kernel at the same time: events that both have "
			"count twice; build one of them",
			hosts[first].path, hosts[second].path);
	size_t unnamed = 0;
	if (trace_hosts_find_unnamed(hosts, trace->source_count, &unnamed, &second))
		trace_notes_warn(&trace->notes,
				 "'%s' and '%s' do not say of which host they are, and are taken for traces of "
				 "one: if they are "
				 "not, their CPUs and threads are mixed up; '--host NAME=TRACE' for each says so",
				 hosts[unnamed].path, hosts[second].path);
	free(hosts);
	return HISTREE_OK;
}

/* Packets of CTF can be told from one another; what is one file is so as a whole. */
static enum histree_status find_repeats(struct trace *trace, struct histree_error *error)
{
	size_t count = 0;
	struct ctf_source **sources = calloc(trace->source_count + 1, sizeof(struct ctf_source *));
	if (sources == NULL)
		return error_memory(error, "the packets of an input");
	for (size_t index = 0; index < trace->source_count; index++)
		if (trace->sources[index]->kind == &ctf_format)
			sources[count++] = ctf_source_of(trace->sources[index]);
	enum histree_status status = trace_repeats_find(sources, count, &trace->notes, error);
	if (status == HISTREE_OK)
		status = trace_copies_find(trace->sources, trace->source_count, &trace->notes, error);
	free((void *)sources);
	return status;
}

/* From the first event of the packet of a stream on to the event of its position. */
static enum histree_status skip_events(struct trace_stream *stream, uint64_t events, struct histree_error *error)
{
	if (stream->kind->skip != NULL)
		return stream->kind->skip(stream, events, error);
	enum histree_status status = stream->kind->next(stream, error);
	while (status == HISTREE_OK && events > 0) {
		events -= stream->upcoming.gap == NULL;
		status = stream->kind->next(stream, error);
	}
	return status < 0 ? status : HISTREE_OK;
}

enum histree_status trace_open_sources(struct trace *trace, const struct trace_position *positions,
				       struct histree_error *error)
{
	size_t window_size = WINDOWS_SIZE / (trace->file_count + 1);
	enum histree_status status = HISTREE_OK;
	for (size_t index = 0; status == HISTREE_OK && index < trace->source_count; index++) {
		struct trace_source *source = trace->sources[index];
		const struct trace_opening opening = {
			.window_size = window_size > WINDOW_SIZE_MAX ? WINDOW_SIZE_MAX : window_size,
			.files_stay_open = trace->file_count <= OPEN_FILES_MAX,
			.is_alone = trace->source_count == 1,
			.positions = positions,
			.work = trace->work,
		};
		status = source->is_copy ? HISTREE_OK : source->kind->open(source, &opening, error);
		for (size_t i = 0; status == HISTREE_OK && i < source->stream_count; i++) {
			struct trace_stream *stream = source->streams[i];
			status = skip_events(stream, positions == NULL ? 0 : positions[stream->first_file].events,
					     error);
		}
		if (positions != NULL)
			positions += source->file_count;
	}
	return status == HISTREE_OK ? trace_merge_begin(&trace->merge, trace->sources, trace->source_count,
							&trace->notes.report, error)
				    : status;
}

bool trace_is_address(const char *path)
{
	return strncmp(path, "net://", 6) == 0 || strncmp(path, "net4://", 7) == 0;
}

static enum histree_status open_live(struct trace *trace, const char *address, const struct histree_work *cancel,
				     struct histree_error *error)
{
	trace->live = calloc(1, sizeof(*trace->live));
	if (trace->live == NULL)
		return error_memory(error, "the traces");
	trace->live->notes = &trace->notes;
	trace->live->class_count = &trace->class_count;
	return ctf_live_open(trace->live, address, cancel, error);
}

static enum histree_status open_paths(struct trace *trace, const char *const *paths, size_t path_count,
				      const struct trace_position *positions, size_t position_count,
				      struct histree_error *error)
{
	struct trace_list list = { 0 };
	enum histree_status status = HISTREE_OK;
	for (size_t index = 0; status == HISTREE_OK && index < path_count; index++) {
		if (trace_is_address(paths[index]))
			status = error_set(error, HISTREE_ERR_ARGUMENT, "'%s': a live trace is read alone",
					   paths[index]);
		else
			status = trace_list_find(&list, paths[index], error);
	}
	if (status == HISTREE_OK)
		status = scan_sources(trace, &list, error);
	if (status == HISTREE_OK)
		know_the_kernel(trace);
	if (status == HISTREE_OK)
		status = check_hosts(trace, error);
	if (status == HISTREE_OK)
		status = find_repeats(trace, error);
	if (status == HISTREE_OK)
		status = warn_of_doubled(trace, error);
	if (status == HISTREE_OK && positions != NULL)
		status = trace_check_positions(trace, positions, position_count, error);
	if (status == HISTREE_OK)
		status = trace_open_sources(trace, positions, error);
	trace_list_release(&list);
	return status;
}

static enum histree_status open_from(const struct io *io, const char *const *paths, size_t path_count,
				     const struct trace_position *positions, size_t position_count,
				     const struct histree_work *cancel, struct trace **out,
				     struct histree_error *error)
{
	*out = NULL;
	if (path_count == 0)
		return error_set(error, HISTREE_ERR_ARGUMENT, "no trace was named");
	struct trace *trace = calloc(1, sizeof(*trace));
	if (trace == NULL)
		return error_memory(error, "a trace");
	*out = trace;
	trace->io = io;
	trace->work = cancel;
	enum histree_status status =
		positions == NULL && path_count == 1 && trace_is_address(paths[0])
			? open_live(trace, paths[0], cancel, error)
			: open_paths(trace, paths, path_count, positions, position_count, error);
	trace->work = NULL;
	if (status != HISTREE_OK) {
		*out = NULL;
		trace_close(trace);
	}
	return status;
}

static enum histree_status open_from_start(const struct io *io, const char *const *paths, size_t path_count,
					   const struct histree_work *cancel, struct trace **out,
					   struct histree_error *error)
{
	histree_time begin;
	enum histree_status status = open_from(io, paths, path_count, NULL, 0, cancel, out, error);
	if (status != HISTREE_OK || !trace_begins_at_zero(*out))
		return status;
	/* Looking for the beginning reads the trace. */
	status = trace_find_begin(*out, &begin, error);
	trace_close(*out);
	*out = NULL;
	if (status == HISTREE_OK)
		status = open_from(io, paths, path_count, NULL, 0, cancel, out, error);
	if (status == HISTREE_OK && begin != INT64_MIN)
		status = trace_leave_out_before(*out, begin, error);
	if (status != HISTREE_OK) {
		trace_close(*out);
		*out = NULL;
	}
	return status;
}

enum histree_status trace_open_or_cancel(const char *const *paths, size_t path_count,
					 const struct histree_work *cancel, struct trace **out,
					 struct histree_error *error)
{
	return open_from_start(&io_posix, paths, path_count, cancel, out, error);
}

enum histree_status trace_open(const char *const *paths, size_t path_count, struct trace **out,
			       struct histree_error *error)
{
	return open_from_start(&io_posix, paths, path_count, NULL, out, error);
}

enum histree_status trace_open_by(const struct io *io, const char *const *paths, size_t path_count,
				  struct trace **out, struct histree_error *error)
{
	return open_from_start(io, paths, path_count, NULL, out, error);
}

enum histree_status trace_open_at(const char *const *paths, size_t path_count,
				  const struct trace_position *positions, size_t position_count, struct trace **out,
				  struct histree_error *error)
{
	return open_from(&io_posix, paths, path_count, positions, position_count, NULL, out, error);
}
