// SPDX-License-Identifier: MIT
/*
 * trace.c - one trace, or several as one experiment: opens their sources, merges them by time in a heap, corrects
 * times by the clock of the host, and continues from a place where reading had stopped.
 *
 * Events of equal time come in the order of the streams, and those of one stream keep its order.  A recording or
 * packet that the input has more than once, by other paths or as a copy, is read once: traces that are one file are
 * compared as wholes, and packets of CTF one by one (ctf_repeats.c).
 *
 * Events without a time:
 *
 * An event without a time, such as the side events of "perf data convert --all", is recorded with clock 0.  But the
 * first event of a board that has just started is at 0, too, and the board may then sleep for long.  So events that
 * are closer to the zero of their clock than a millionth of what follows are taken for events without a time only
 * if what follows is shorter than the silence after them, and there is other evidence: their packet begins later,
 * several events of one stream are in the very same nanosecond 0, or the silence is longer than any recording.
 */
#include "trace/trace.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/heap.h"
#include "base/io.h"
#include "base/number_text.h"
#include "base/search.h"
#include "base/trace_word.h"
#include "event/event.h"
#include "histree/status.h"
#include "histree/store.h"
#include "trace/ctf/ctf_live.h"
#include "trace/ctf/ctf_source.h"
#include "trace/formats.h"
#include "trace/task_states.h"
#include "trace/trace_bytes.h"
#include "trace/trace_list.h"
#include "trace/trace_source.h"

/* Returns the stream whose event comes first; NULL: there are no more. */
static inline const struct trace_stream *trace_merge_first(const struct trace_merge *merge)
{
	return merge->queue_count == 0 ? NULL : merge->streams[merge->queue[0].stream];
}

/* ---- streams by time ----------------------------------------------------------------------------------------- */

static bool comes_before(const struct trace_upcoming *a, const struct trace_upcoming *b)
{
	return a->time != b->time ? a->time < b->time : a->stream < b->stream;
}

/* Whether the one at the top belongs there. */
static inline bool is_first(const struct trace_merge *merge)
{
	const struct trace_upcoming *queue = merge->queue;
	return merge->queue_count < 2 || (comes_before(&queue[0], &queue[1]) &&
					  (merge->queue_count == 2 || comes_before(&queue[0], &queue[2])));
}

COMPARE_POINTERS(compare_streams, struct trace_stream, BY(trace->id) BY_TEXT(name))

/*
 * Begin with the upcoming events of the streams of sources that are open.  What is handed out is counted in the
 * report.  Returns HISTREE_ERR_MEMORY.
 */
static enum histree_status trace_merge_begin(struct trace_merge *merge, struct trace_source *const *sources,
					     size_t count, struct trace_report *report, struct histree_error *error)
{
	size_t room = 1, stream_count = 0;
	merge->report = report;
	for (size_t index = 0; index < count; index++)
		room += sources[index]->stream_count;
	merge->streams = calloc(room, sizeof(struct trace_stream *));
	merge->queue = calloc(room, sizeof(*merge->queue));
	if (merge->streams == NULL || merge->queue == NULL)
		return error_memory(error, "the streams of a trace");

	for (size_t index = 0; index < count; index++)
		for (size_t stream = 0; stream < sources[index]->stream_count; stream++)
			if (sources[index]->streams[stream]->has_upcoming)
				merge->streams[stream_count++] = sources[index]->streams[stream];
	qsort((void *)merge->streams, stream_count, sizeof(struct trace_stream *), compare_streams);
	for (size_t index = 0; index < stream_count; index++)
		merge->queue[index] = (struct trace_upcoming){ .time = merge->streams[index]->upcoming.time,
							       .stream = (uint32_t)index };
	merge->queue_count = stream_count;
	HEAP_MAKE(merge->queue, stream_count, a, b, comes_before(a, b));
	return HISTREE_OK;
}

static void trace_merge_release(struct trace_merge *merge)
{
	free((void *)merge->streams);
	free(merge->queue);
	*merge = (struct trace_merge){ 0 };
}

static inline enum histree_status advance(struct trace_merge *merge, struct histree_error *error)
{
	struct trace_upcoming *top = &merge->queue[0];
	struct trace_stream *stream = merge->streams[top->stream];
	enum histree_status status = stream->kind->next(stream, error);
	if (status < 0)
		return status;
	if (status == HISTREE_END)
		*top = merge->queue[--merge->queue_count];
	else
		top->time = stream->upcoming.time;
	/* Events of a stream come in bursts: mostly it stays the first. */
	if (!is_first(merge))
		HEAP_SINK(merge->queue, merge->queue_count, 0, a, b, comes_before(a, b));
	return HISTREE_OK;
}

/* Of a merge that has handed out nothing yet: bring each stream to its first event of that time or later. */
static enum histree_status trace_merge_skip(struct trace_merge *merge, histree_time time,
					    struct histree_error *error)
{
	size_t left = 0;
	for (size_t index = 0; index < merge->queue_count; index++) {
		struct trace_stream *stream = merge->streams[merge->queue[index].stream];
		enum histree_status status = HISTREE_OK;
		while (status == HISTREE_OK && stream->upcoming.time < time)
			status = stream->kind->next(stream, error);
		if (status < 0)
			return status;
		if (status == HISTREE_OK)
			merge->queue[left++] = (struct trace_upcoming){ .time = stream->upcoming.time,
									.stream = merge->queue[index].stream };
	}
	merge->queue_count = left;
	HEAP_MAKE(merge->queue, left, a, b, comes_before(a, b));
	return HISTREE_OK;
}

/* Hand out the next event, or gap if those are wanted.  Returns HISTREE_END, HISTREE_ERR_MEMORY. */
static enum histree_status trace_merge_next(struct trace_merge *merge, bool wants_gaps, struct event *out,
					    struct histree_error *error)
{
	do {
		enum histree_status status = merge->is_taken ? advance(merge, error) : HISTREE_OK;
		if (status != HISTREE_OK)
			return status;
		merge->is_taken = merge->queue_count > 0;
		if (!merge->is_taken)
			return HISTREE_END;
		*out = merge->streams[merge->queue[0].stream]->upcoming;
	} while (out->gap != NULL && !wants_gaps);
	merge->report->events += out->gap == NULL;
	merge->report->gaps += out->gap != NULL;
	return HISTREE_OK;
}

/* ---- opening streams ----------------------------------------------------------------------------------------- */

/* What the buffers of all streams may take together, and those of one. */
enum { WINDOWS_SIZE = 16 << 20, WINDOW_SIZE_MAX = 64 << 10, OPEN_FILES_MAX = 256 };

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

/* Open the streams of all sources; their files begin at positions, or at the start if those are NULL. */
static enum histree_status trace_open_sources(struct trace *trace, const struct trace_position *positions,
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

/* ---- places -------------------------------------------------------------------------------------------------- */

size_t trace_file_count(const struct trace *trace)
{
	for (size_t index = 0; index < trace->source_count; index++) {
		const struct trace_source *source = trace->sources[index];
		if (source->kind->has_position == NULL ||
		    (source->kind->has_places != NULL && !source->kind->has_places(source)))
			return 0;
	}
	return trace->file_count;
}

void trace_positions(const struct trace *trace, struct trace_position *out)
{
	const struct trace_merge *merge = &trace->merge;
	for (size_t index = 0; index < trace->file_count; index++)
		out[index] = (struct trace_position){ .packet = TRACE_FILE_DONE };
	for (size_t index = 0; index < merge->queue_count; index++) {
		const struct trace_stream *stream = merge->streams[merge->queue[index].stream];
		const struct trace_source *source = trace->sources[stream->trace->id];
		stream->kind->position(stream, &out[source->first_file + stream->first_file]);
	}
}

size_t trace_position_here(const struct trace *trace, struct trace_position *out)
{
	const struct trace_stream *stream = trace_merge_first(&trace->merge);
	stream->kind->position(stream, out);
	return trace->sources[stream->trace->id]->first_file + stream->first_file;
}

histree_time trace_time_here(const struct trace *trace)
{
	return trace->merge.queue[0].time;
}

static bool positions_fit(const struct trace *trace, const struct trace_position *positions, size_t position_count)
{
	bool fits = position_count == trace->file_count;
	for (size_t index = 0; fits && index < trace->source_count; index++) {
		const struct trace_source *source = trace->sources[index];
		for (size_t file = 0; fits && file < source->file_count; file++, positions++)
			fits = positions->packet == TRACE_FILE_DONE ||
			       (source->kind->has_position != NULL &&
				source->kind->has_position(source, file, positions));
	}
	return fits;
}

/* Returns HISTREE_ERR_TRACE, and what to do, if the positions are not of these files. */
static enum histree_status trace_check_positions(const struct trace *trace, const struct trace_position *positions,
						 size_t position_count, struct histree_error *error)
{
	if (positions_fit(trace, positions, position_count))
		return HISTREE_OK;
	return error_set(error, HISTREE_ERR_TRACE,
			 "the trace has changed since its store was built; build it again");
}

bool trace_can_move(const struct trace *trace)
{
	for (size_t index = 0; index < trace->source_count; index++)
		if (trace->sources[index]->kind->leave == NULL)
			return false;
	return trace->live == NULL;
}

bool trace_can_begin_here(const struct trace *trace)
{
	const struct trace_merge *merge = &trace->merge;
	if (!trace_can_move(trace) || trace_file_count(trace) == 0)
		return false;
	for (size_t index = 0; index < merge->queue_count; index++) {
		const struct trace_stream *stream = merge->streams[merge->queue[index].stream];
		if (stream->upcoming.gap != NULL || stream->has_gap)
			return false;
	}
	return true;
}

enum histree_status trace_move(struct trace *trace, const struct trace_position *positions, size_t position_count,
			       struct histree_error *error)
{
	if (!trace_can_move(trace))
		return error_set(error, HISTREE_ERR_ARGUMENT,
				 "the trace cannot be read from another place; it has to be opened there");
	enum histree_status status = trace_check_positions(trace, positions, position_count, error);
	if (status != HISTREE_OK)
		return status;
	trace_merge_release(&trace->merge);
	for (size_t index = 0; index < trace->source_count; index++) {
		struct trace_source *source = trace->sources[index];
		if (!source->is_copy)
			source->kind->leave(source);
		source->stream_count = 0;
	}
	return trace_open_sources(trace, positions, error);
}

enum histree_status trace_move_silently(struct trace *trace, const struct trace_position *positions,
					size_t position_count, struct histree_error *error)
{
	const struct trace_report said = trace->notes.report;
	const size_t left_out = trace->notes.left_out;
	enum histree_status status = trace_move(trace, positions, position_count, error);
	trace->notes.report = said;
	trace->notes.left_out = left_out;
	return status;
}

/* ---- times of places ----------------------------------------------------------------------------------------- */

/* How many bytes come before a time, about.  Returns false if packets do not say. */
static bool find_bytes(const struct trace *trace, histree_time time, uint64_t *bytes)
{
	*bytes = 0;
	for (size_t index = 0; index < trace->source_count; index++) {
		const struct trace_source *source = trace->sources[index];
		if (source->is_copy)
			continue;
		if (source->kind->find_time == NULL)
			return false;
		for (size_t file = 0; file < source->file_count; file++) {
			struct trace_position at;
			uint64_t of_file;
			if (!source->kind->find_time(source, file, time, &at, &of_file))
				return false;
			*bytes += of_file;
		}
	}
	return true;
}

/* The greatest time that packets speak of. */
static histree_time last_time(const struct trace *trace)
{
	histree_time last = INT64_MIN, of_source;
	for (size_t index = 0; index < trace->source_count; index++) {
		const struct trace_source *source = trace->sources[index];
		of_source = source->kind->last != NULL ? source->kind->last(source) : INT64_MIN;
		last = of_source > last ? of_source : last;
	}
	return last;
}

histree_time trace_time_behind(const struct trace *trace, histree_time from, uint64_t bytes)
{
	const histree_time low = from, high = last_time(trace);
	uint64_t before, all, here;
	if (!trace_can_move(trace) || trace_file_count(trace) == 0 || !find_bytes(trace, from, &before) ||
	    !find_bytes(trace, high, &all))
		return INT64_MIN;
	if (high <= low || all < before || all - before < bytes + bytes / 2)
		return INT64_MAX;
	/* The first time behind `from` before which there are as many bytes; the last one, if none is. */
	bool is_known = true;
	const size_t ns = SEARCH(i, 1, (uint64_t)high - (uint64_t)low,
				 (is_known = is_known && find_bytes(trace, low + (histree_time)i, &here)) &&
					 here < before + bytes);
	return is_known ? low + (histree_time)ns : INT64_MIN;
}

enum histree_status trace_move_before(struct trace *trace, histree_time time, struct histree_error *error)
{
	struct trace_position *positions = calloc(trace->file_count + 1, sizeof(*positions));
	enum histree_status status = HISTREE_OK;
	if (positions == NULL)
		return error_memory(error, "a place in the trace");
	for (size_t index = 0; index < trace->file_count; index++)
		positions[index].packet = TRACE_FILE_DONE;
	for (size_t index = 0; index < trace->source_count && status == HISTREE_OK; index++) {
		const struct trace_source *source = trace->sources[index];
		for (size_t file = 0; !source->is_copy && file < source->file_count && status == HISTREE_OK;
		     file++) {
			uint64_t bytes;
			if (source->kind->find_time == NULL ||
			    !source->kind->find_time(source, file, time, &positions[source->first_file + file],
						     &bytes))
				status = error_set(error, HISTREE_ERR_ARGUMENT,
						   "the packets of the trace do not say when they begin");
		}
	}
	if (status == HISTREE_OK)
		status = trace_move_silently(trace, positions, trace->file_count, error);
	if (status == HISTREE_OK)
		status = trace_merge_skip(&trace->merge, time, error);
	free(positions);
	return status;
}

/* ---- events without a time ----------------------------------------------------------------------------------- */

enum { NEAR_ZERO = 1000000, NS_CLOCK = 1000000000 };

static const uint64_t longest_silence = UINT64_C(365) * 86400 * 1000000000; /* ns: no recording lasts as long */

static bool is_near_zero(const struct trace *trace, const struct event *event)
{
	const struct event_trace *of = event->gap != NULL ? event->gap->trace : event->class->trace;
	histree_time zero = trace->sources[of->id]->facts.zero, end = trace->sources[of->id]->last;
	return event->time >= zero && end > event->time &&
	       (uint64_t)event->time - (uint64_t)zero < ((uint64_t)end - (uint64_t)event->time) / NEAR_ZERO;
}

/* What is said of events near to zero: whether they have none of the times that they seem to have. */
struct suspicion {
	const struct trace_stream *stream; /* of the last event that is at 0 itself */
	bool is_confirmed;
};

static void look_closer(const struct trace *trace, const struct trace_stream *stream, struct suspicion *suspicion)
{
	const struct event *event = &stream->upcoming;
	if (event->gap != NULL)
		return;
	const struct trace_facts *facts = &trace->sources[event->class->trace->id]->facts;
	bool counts_ns = !facts->has_clock || facts->frequency >= NS_CLOCK;
	if (stream->kind->is_before_packet != NULL && stream->kind->is_before_packet(stream))
		suspicion->is_confirmed = true;
	if (event->time != facts->zero || !counts_ns)
		return;
	suspicion->is_confirmed |= suspicion->stream == stream;
	suspicion->stream = stream;
}

/* Whether a trace that was just opened begins so near to the zero of its clock that it may be no time. */
static bool trace_begins_at_zero(struct trace *trace)
{
	const struct trace_stream *first = trace_merge_first(&trace->merge);
	for (size_t index = 0; index < trace->source_count; index++) {
		trace->sources[index]->last =
			trace->sources[index]->is_copy || trace->sources[index]->kind->last == NULL
				? INT64_MIN
				: trace->sources[index]->kind->last(trace->sources[index]);
	}
	return first != NULL && is_near_zero(trace, &first->upcoming);
}

static histree_time end_of(const struct trace *trace)
{
	histree_time end = INT64_MIN;
	for (size_t index = 0; index < trace->source_count; index++)
		if (trace->sources[index]->last > end)
			end = trace->sources[index]->last;
	return end;
}

/* Read such a trace on to the first event that has a time, and say when that is; INT64_MIN: all have one. */
static enum histree_status trace_find_begin(struct trace *trace, histree_time *begin, struct histree_error *error)
{
	histree_time end = end_of(trace), last = INT64_MIN;
	struct suspicion suspicion = { 0 };
	enum histree_status status = HISTREE_OK;
	const struct trace_stream *first;
	*begin = INT64_MIN;
	while (status == HISTREE_OK && (first = trace_merge_first(&trace->merge)) != NULL) {
		const struct event *event = &first->upcoming;
		if (!is_near_zero(trace, event)) {
			uint64_t silence = last == INT64_MIN ? 0 : (uint64_t)event->time - (uint64_t)last;
			bool is_far = end >= event->time && silence > (uint64_t)end - (uint64_t)event->time;
			bool is_otherwise = suspicion.is_confirmed || silence > longest_silence;
			*begin = is_far && is_otherwise ? event->time : INT64_MIN;
			return HISTREE_OK;
		}
		last = event->time;
		look_closer(trace, first, &suspicion);
		status = advance(&trace->merge, error);
	}
	return status;
}

/* ---- copies -------------------------------------------------------------------------------------------------- */

enum { COPIES_PART_SIZE = 64 << 10 };

static enum histree_status compare_bytes(struct trace_window windows[2], uint64_t size, bool *are_same,
					 struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	*are_same = true;
	for (uint64_t at = 0; *are_same && at < size; at += COPIES_PART_SIZE) {
		size_t part = size - at < COPIES_PART_SIZE ? (size_t)(size - at) : COPIES_PART_SIZE;
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
static enum histree_status compare_sources(const struct trace_source *one, const struct trace_source *other,
					   bool *are_same, struct histree_error *error)
{
	const char *path = trace_word_path(one->path), *other_path = trace_word_path(other->path);
	size_t map = (size_t)(path - one->path);
	*are_same = false;
	if (one->kind != other->kind || one->bytes != other->bytes || one->bytes == 0 ||
	    map != (size_t)(other_path - other->path) || memcmp(one->path, other->path, map) != 0)
		return HISTREE_OK;
	struct stat a, b;
	*are_same =
		stat(path, &a) == 0 && stat(other_path, &b) == 0 && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
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
			enum histree_status status = compare_sources(sources[k], source, &source->is_copy, error);
			if (status != HISTREE_OK)
				return status;
			if (source->is_copy)
				trace_notes_warn(notes, "%s: all of it is in %s too; it is taken once",
						 source->path, sources[k]->path);
		}
	}
	return HISTREE_OK;
}

/* ---- opening ------------------------------------------------------------------------------------------------- */

static enum histree_status scan_source(struct trace *trace, const struct trace_entry *entry,
				       const struct trace_source *beside, struct histree_error *error)
{
	struct trace_source *source = trace_source_create(entry->kind, entry->path);
	if (source == NULL)
		return error_memory(error, "the traces");
	trace->sources[trace->source_count++] = source;
	source->trace.id = (uint32_t)(trace->source_count - 1);
	source->io = trace->io;
	source->class_count = &trace->class_count;
	source->services = &trace->services;
	source->notes = &trace->notes;
	source->beside = beside;
	enum histree_status status = entry->kind->scan(source, error);
	source->beside = NULL;
	if (status != HISTREE_OK)
		return status;
	trace->services.are_alone &= source->trace.has_requests;
	source->first_file = trace->file_count;
	trace->notes.report.bytes_total += source->bytes;
	trace->file_count += source->file_count;
	return HISTREE_OK;
}

/*
 * A source that has nothing of its own in the file may hold what the source beside it uses, so it is freed after
 * that one.
 */
static enum histree_status scan_sources(struct trace *trace, const struct trace_list *list,
					struct histree_error *error)
{
	trace->sources = calloc(list->count, sizeof(struct trace_source *));
	if (trace->sources == NULL)
		return error_memory(error, "the traces");
	struct trace_source *before = NULL, *empty = NULL;
	trace->services.are_alone = true;
	enum histree_status status = HISTREE_OK;
	for (size_t index = 0; index < list->count && status == HISTREE_OK; index++) {
		const struct trace_entry *entry = &list->entries[index];
		const bool is_same_file = index > 0 && strcmp(entry->path, entry[-1].path) == 0;
		const size_t count = trace->source_count;
		status = scan_source(trace, entry, is_same_file ? before : NULL, error);
		before = trace->source_count > count ? trace->sources[count] : NULL;
		if (status != HISTREE_END)
			continue;
		trace_source_free(empty);
		empty = before;
		trace->source_count--;
		status = HISTREE_OK;
	}
	trace_source_free(empty);
	return status;
}

/* Returns what the traces say of their hosts, which the caller frees; NULL if memory runs out. */
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
	enum histree_status status = ctf_repeats_find(sources, count, &trace->notes, error);
	if (status == HISTREE_OK)
		status = trace_copies_find(trace->sources, trace->source_count, &trace->notes, error);
	free((void *)sources);
	return status;
}

bool trace_is_address(const char *path)
{
	return strncmp(path, "net://", 6) == 0 || strncmp(path, "net4://", 7) == 0;
}

static enum histree_status open_live(struct trace *trace, const char *address, const struct histree_work *work,
				     struct histree_error *error)
{
	trace->live = calloc(1, sizeof(*trace->live));
	if (trace->live == NULL)
		return error_memory(error, "the traces");
	trace->live->notes = &trace->notes;
	trace->live->class_count = &trace->class_count;
	return ctf_live_open(trace->live, address, work, error);
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
	if (status == HISTREE_OK) {
		/* Beside a trace that says that it is of the kernel, no other one is. */
		bool has_kernel = false;
		for (size_t index = 0; index < trace->source_count; index++)
			has_kernel |= strcmp(trace->sources[index]->trace.domain, "kernel") == 0;
		for (size_t index = 0; has_kernel && index < trace->source_count; index++)
			trace->sources[index]->trace.kernel_words = EVENT_NO_KERNEL;
	}
	if (status == HISTREE_OK)
		status = check_hosts(trace, error);
	if (status == HISTREE_OK)
		status = find_repeats(trace, error);
	if (status == HISTREE_OK)
		status = warn_of_doubled(trace, error);
	if (status == HISTREE_OK && positions != NULL)
		status = trace_check_positions(trace, positions, position_count, error);
	for (size_t index = 0; status == HISTREE_OK && index < trace->source_count; index++)
		status = task_states_look(trace->sources[index], error);
	if (status == HISTREE_OK)
		status = trace_open_sources(trace, positions, error);
	trace_list_release(&list);
	return status;
}

static enum histree_status open_from(const struct io *io, const char *const *paths, size_t path_count,
				     const struct trace_position *positions, size_t position_count,
				     const struct histree_work *work, struct trace **out,
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
	trace->work = work;
	enum histree_status status =
		positions == NULL && path_count == 1 && trace_is_address(paths[0])
			? open_live(trace, paths[0], work, error)
			: open_paths(trace, paths, path_count, positions, position_count, error);
	trace->work = NULL;
	if (status != HISTREE_OK) {
		*out = NULL;
		trace_close(trace);
	}
	return status;
}

static enum histree_status open_from_start(const struct io *io, const char *const *paths, size_t path_count,
					   const struct histree_work *work, struct trace **out,
					   struct histree_error *error)
{
	histree_time begin;
	enum histree_status status = open_from(io, paths, path_count, NULL, 0, work, out, error);
	if (status != HISTREE_OK || !trace_begins_at_zero(*out))
		return status;
	/* Looking for the beginning reads the trace. */
	status = trace_find_begin(*out, &begin, error);
	trace_close(*out);
	*out = NULL;
	if (status == HISTREE_OK)
		status = open_from(io, paths, path_count, NULL, 0, work, out, error);
	if (status == HISTREE_OK && begin != INT64_MIN) {
		/* Leave out what such a trace has before that time, and say so in the notes. */
		struct trace *trace = *out;
		char first[TIME_TEXT_SIZE] = "", real[TIME_TEXT_SIZE];
		uint64_t count = 0;
		status = HISTREE_OK;
		const struct trace_stream *stream = trace_merge_first(&trace->merge);
		if (stream != NULL)
			time_format_date(stream->upcoming.time, first);
		time_format_date(begin, real);
		for (; status == HISTREE_OK && stream != NULL && stream->upcoming.time < begin;
		     stream = trace_merge_first(&trace->merge)) {
			count += stream->upcoming.gap == NULL;
			status = advance(&trace->merge, error);
		}
		trace_notes_warn(&trace->notes,
				 "%llu event%s at %s, when the clock was 0, ha%s no time and %s left out; the "
				 "others begin at "
				 "%s",
				 (unsigned long long)count, count == 1 ? "" : "s", first, count == 1 ? "s" : "ve",
				 count == 1 ? "is" : "are", real);
	}
	if (status != HISTREE_OK) {
		trace_close(*out);
		*out = NULL;
	}
	return status;
}

enum histree_status trace_open_or_cancel(const char *const *paths, size_t path_count,
					 const struct histree_work *work, struct trace **out,
					 struct histree_error *error)
{
	return open_from_start(&io_posix, paths, path_count, work, out, error);
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

/* ---- trace --------------------------------------------------------------------------------------------------- */

uint64_t trace_bytes(const struct trace *trace)
{
	uint64_t bytes = 0;
	for (size_t index = 0; index < trace->source_count; index++)
		bytes += trace->sources[index]->bytes;
	return bytes;
}

bool trace_is_live(const struct trace *trace)
{
	return trace->live != NULL;
}

void trace_want_gaps(struct trace *trace)
{
	trace->wants_gaps = true;
}

void trace_set_clock(struct trace *trace, const struct histree_clock *clock)
{
	trace->has_clock = clock != NULL;
	if (clock != NULL)
		trace->clock = *clock;
}

bool trace_may_have(const struct trace *trace, bool (*is_wanted)(const char *name))
{
	for (size_t index = 0; index < trace->source_count; index++) {
		const struct trace_source *source = trace->sources[index];
		if (source->kind->declares == NULL || source->kind->declares(source, is_wanted))
			return true;
	}
	return trace->live != NULL;
}

size_t trace_count(const struct trace *trace)
{
	return trace->live != NULL ? trace->live->known_count : trace->source_count;
}

const struct event_trace *trace_at(const struct trace *trace, size_t index)
{
	return trace->live != NULL ? ctf_live_trace_at(trace->live, index) : &trace->sources[index]->trace;
}

/* Apart, so that what is read of files need not make room for it. */
__attribute__((noinline)) static enum histree_status next_of_live(struct trace *trace, struct event *out,
								  struct histree_error *error)
{
	enum histree_status status;
	do
		status = ctf_live_next(trace->live, error);
	while (status == HISTREE_OK && trace->live->upcoming.gap != NULL && !trace->wants_gaps);
	if (status != HISTREE_OK)
		return status;
	*out = trace->live->upcoming;
	trace->notes.report.events += out->gap == NULL;
	trace->notes.report.gaps += out->gap != NULL;
	return HISTREE_OK;
}

/* Apart for the same reason. */
__attribute__((noinline)) static void correct_times(struct trace *trace, struct event *event)
{
	event->time = histree_clock_apply(&trace->clock, event->time);
	if (event->gap == NULL)
		return;
	trace->gap = *event->gap;
	trace->gap.begin = histree_clock_apply(&trace->clock, trace->gap.begin);
	if (trace->gap.end != INT64_MAX) /* which is to the end of the stream, by any clock */
		trace->gap.end = histree_clock_apply(&trace->clock, trace->gap.end);
	event->gap = &trace->gap;
}

enum histree_status trace_next(struct trace *trace, struct event *out, struct histree_error *error)
{
	enum histree_status status = trace->live != NULL
					     ? next_of_live(trace, out, error)
					     : trace_merge_next(&trace->merge, trace->wants_gaps, out, error);
	if (trace->has_clock && status == HISTREE_OK)
		correct_times(trace, out);
	return status;
}

const char *trace_stream_name(const struct trace *trace)
{
	/* The one that gave it stays the first until the next event is asked for. */
	const struct trace_stream *stream =
		trace->live == NULL && trace->merge.is_taken ? trace_merge_first(&trace->merge) : NULL;
	return stream == NULL ? NULL : stream->name;
}

struct trace_report trace_report(const struct trace *trace)
{
	struct trace_report report = trace_notes_report(&trace->notes);
	for (size_t index = 0; index < trace->source_count; index++) {
		const struct trace_source *source = trace->sources[index];
		const uint64_t done = source->is_copy ? source->bytes : source->kind->bytes_done(source);
		report.bytes_done += done < source->bytes ? done : source->bytes;
	}
	return report;
}

void trace_close(struct trace *trace)
{
	if (trace == NULL)
		return;
	for (size_t index = 0; index < trace->source_count; index++)
		trace_source_free(trace->sources[index]);
	if (trace->live != NULL)
		ctf_live_close(trace->live);
	trace_merge_release(&trace->merge);
	trace_notes_release(&trace->notes);
	intern_release(&trace->services.keys);
	intern_release(&trace->services.names);
	free(trace->services.instances);
	free(trace->live);
	free((void *)trace->sources);
	free(trace);
}
