// SPDX-License-Identifier: MIT
/*
 * packed_markers.c - the markers that programs of Android and Chrome write to trace_marker, as events of tracks.
 */
#include "trace/packed/packed_markers.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdalign.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/hash_index.h"
#include "event/event.h"
#include "trace/packed/packed_source.h"

/* ---- packed markers ------------------------------------------------------------------------------------------ */

/*
 * More threads or tracks than that are not remembered: the ends of their spans must name their process, and their
 * tracks have no names.
 */
enum { THREADS_MAX = 1 << 18, TRACKS_MAX = 1 << 17, TEXT_MAX = 1024, ID_SIZE = TEXT_MAX + 64 };

/* A part of a marker. */
struct piece {
	const char *at;
	size_t size;
};

/* A marker that is being read. */
struct marking {
	struct packed_markers *markers;
	struct histree_error *error;
	histree_time time;
	const struct marker_thread *thread;
	char letter;
	bool has_process;
	int64_t process;
	struct piece rest; /* behind the process */
	struct packed_cell cells[TRACK_FIELD_COUNT];
	char id[ID_SIZE];
};

/* ---- parts of a text ------------------------------------------------------------------------------------- */

/* As text of another tool: an integer, all of it. */
static bool is_integer(struct piece piece, int64_t *out)
{
	char copy[32], *end;
	if (piece.size == 0 || piece.size >= sizeof(copy) ||
	    (piece.at[0] != '-' && (piece.at[0] < '0' || piece.at[0] > '9')))
		return false;
	memcpy(copy, piece.at, piece.size);
	copy[piece.size] = '\0';
	errno = 0;
	*out = strtoll(copy, &end, 10);
	return *end == '\0' && end > copy && errno == 0;
}

static bool is_real(struct piece piece, double *out)
{
	char copy[48], *end;
	if (piece.size == 0 || piece.size >= sizeof(copy))
		return false;
	memcpy(copy, piece.at, piece.size);
	copy[piece.size] = '\0';
	*out = strtod(copy, &end);
	return *end == '\0' && end > copy;
}

/* Take what stands before the next bar, or all. */
static struct piece marker_piece_take(struct piece *rest)
{
	const char *bar = memchr(rest->at, '|', rest->size);
	struct piece piece = { rest->at, bar == NULL ? rest->size : (size_t)(bar - rest->at) };
	size_t used = piece.size + (bar != NULL);
	rest->at += used;
	rest->size -= used;
	return piece;
}

/* Take what stands behind the last bar, if there is one. */
static bool take_last(struct piece *rest, struct piece *out)
{
	const char *bar = memrchr(rest->at, '|', rest->size);
	if (bar == NULL)
		return false;
	*out = (struct piece){ bar + 1, (size_t)(rest->at + rest->size - bar) - 1 };
	rest->size = (size_t)(bar - rest->at);
	return true;
}

bool packed_marker_is_writer(const char *name, size_t size)
{
	enum { ADDRESS_MIN = 8 }; /* digits; fewer without one below ten are a word */
	static const char function[] = "tracing_mark_write";
	size_t digits = size > 2 && memcmp(name, "0x", 2) == 0 ? 2 : 0;
	while (digits < size && isxdigit((unsigned char)name[digits]) != 0)
		digits++;
	return (size == strlen(function) && memcmp(name, function, size) == 0) ||
	       (size > 0 && digits == size && (isdigit((unsigned char)name[0]) != 0 || size >= ADDRESS_MIN));
}

/*
 * What print events have in front: the function that wrote, or its address, as in "tracing_mark_write: B|100|name".
 * A colon behind the first bar is of a name, and "done: E" is a text.
 */
static struct piece trim(const char *text, size_t size)
{
	struct piece piece = { text, size };
	const char *colon = memmem(text, size, ": ", 2), *bar = memchr(text, '|', size);
	const size_t word = colon != NULL ? (size_t)(colon - text) : 0;
	if (word > 0 && (bar == NULL || bar > colon) && memchr(text, ' ', word) == NULL &&
	    (bar != NULL || packed_marker_is_writer(text, word))) {
		piece.at = colon + 2;
		piece.size -= (size_t)(piece.at - text);
	}
	while (piece.size > 0 && strchr("\n\r \t", piece.at[piece.size - 1]) != NULL)
		piece.size--;
	return piece;
}

/* "B|100|": the letter, and the process if there is one.  Returns false if the text is no marker. */
static bool read_beginning(struct piece piece, struct marking *marking)
{
	static const char letters[] = "BECSFGHIN";
	if (piece.size == 0 || piece.at[0] == '\0' || strchr(letters, piece.at[0]) == NULL)
		return false;
	marking->letter = piece.at[0];
	marking->rest = (struct piece){ piece.at + 1, piece.size - 1 };
	if (marking->rest.size == 0)
		return marking->letter == 'E';
	struct piece bar = marker_piece_take(&marking->rest), process = marker_piece_take(&marking->rest);
	if (bar.size > 0)
		return false;
	marking->has_process =
		is_integer(process, &marking->process) && marking->process >= 0 && marking->process <= INT32_MAX;
	return marking->has_process || (marking->letter == 'E' && process.size == 0);
}

bool packed_marker_is(const char *text, size_t size)
{
	struct marking marking = { 0 };
	return read_beginning(trim(text, size), &marking);
}

/* ---- whose it is ----------------------------------------------------------------------------------------- */

static enum histree_status no_memory(struct histree_error *error)
{
	return error_memory(error, "the markers of a trace");
}

static enum histree_status add_name(struct marking *marking, enum track_class class)
{
	struct packed_cell cells[TRACK_FIELD_COUNT] = { [TRACK_PID] = packed_int(marking->process) };
	cells[TRACK_NAME] = packed_text(marking->thread->name, marking->thread->name_size);
	if (class == TRACK_THREAD_NAME)
		cells[TRACK_TID] = packed_int(marking->thread->number);
	const struct packed_event event = {
		.time = PACKED_NO_TIME, .cpu = -1, .class = marking->markers->classes[class], .cells = cells
	};
	return packed_source_add(marking->markers->packed, &event, marking->error);
}

/* A thread that writes for the first time; a process is called as its first thread. */
static enum histree_status add_thread(struct marking *marking)
{
	struct packed_markers *markers = marking->markers;
	const struct marker_thread *thread = marking->thread;
	int64_t *process = arena_allocate(&markers->memory, sizeof(*process), alignof(int64_t));
	if (process == NULL || !id_map_add(&markers->processes, (uint64_t)thread->number, process))
		return no_memory(marking->error);
	*process = marking->process;
	enum histree_status status = HISTREE_OK;
	if (thread->name_size > 0 && thread->number == marking->process)
		status = add_name(marking, TRACK_PROCESS_NAME);
	if (status == HISTREE_OK && thread->name_size > 0)
		status = add_name(marking, TRACK_THREAD_NAME);
	return status;
}

/* Which process a thread is of, as its markers say. */
static enum histree_status place(struct marking *marking)
{
	struct packed_markers *markers = marking->markers;
	const int64_t thread = marking->thread->number;
	bool is_thread = thread > 0;
	int64_t *known = is_thread ? id_map_find(&markers->processes, (uint64_t)thread) : NULL;
	if (known != NULL && marking->letter == 'E')
		marking->process = *known;
	else if (!marking->has_process)
		return HISTREE_NOT_FOUND;
	else if (known != NULL)
		*known = marking->process;
	marking->cells[TRACK_PID] = packed_int(marking->process);
	if (is_thread)
		marking->cells[TRACK_TID] = packed_int(thread);
	return known == NULL && is_thread && markers->processes.count < THREADS_MAX ? add_thread(marking)
										    : HISTREE_OK;
}

static struct packed_cell text_cell(struct piece piece)
{
	return packed_text(piece.at, piece.size < TEXT_MAX ? piece.size : TEXT_MAX);
}

static enum histree_status packed_markers_add(struct marking *marking, enum track_class class)
{
	const struct packed_event event = {
		.time = marking->time, .cpu = -1, .class = marking->markers->classes[class], .cells = marking->cells
	};
	return packed_source_add(marking->markers->packed, &event, marking->error);
}

static enum histree_status leave_out(struct marking *marking)
{
	marking->markers->others++;
	return HISTREE_OK;
}

/* A track that belongs to no thread: known by the process, a name and, unless that is NULL, a cookie. */
static void put_track(struct marking *marking, struct piece name, const struct piece *cookie)
{
	int size = snprintf(marking->id, ID_SIZE, "%" PRId64 ":%.*s%s%.*s", marking->process,
			    (int)(name.size < TEXT_MAX ? name.size : TEXT_MAX), name.at, cookie == NULL ? "" : ":",
			    cookie == NULL ? 0 : (int)cookie->size, cookie == NULL ? "" : cookie->at);
	marking->cells[TRACK_TRACK] = packed_text(marking->id, (size_t)size < ID_SIZE ? (size_t)size : ID_SIZE - 1);
	marking->cells[TRACK_TID] = (struct packed_cell){ .kind = PACKED_ABSENT };
}

/* Tell the name of a track, once. */
static enum histree_status name_track(struct marking *marking, struct piece name)
{
	struct packed_markers *markers = marking->markers;
	const struct packed_cell *track = &marking->cells[TRACK_TRACK];
	if (intern_find(&markers->tracks, track->bytes, track->size) != INTERN_NONE ||
	    markers->tracks.count >= TRACKS_MAX)
		return HISTREE_OK;
	if (intern_add(&markers->tracks, track->bytes, track->size) == INTERN_NONE)
		return no_memory(marking->error);
	struct packed_cell cells[TRACK_FIELD_COUNT] = {
		[TRACK_TRACK] = *track, [TRACK_PID] = packed_int(marking->process), [TRACK_NAME] = text_cell(name)
	};
	const struct packed_event event = {
		.time = PACKED_NO_TIME, .cpu = -1, .class = markers->classes[TRACK_TRACK_NAME], .cells = cells
	};
	return packed_source_add(markers->packed, &event, marking->error);
}

/* ---- spans ----------------------------------------------------------------------------------------------- */

/* "key=value;key=value", as Chrome writes arguments. */
static void put_args(struct marking *marking, struct piece args)
{
	struct packed_parts *parts = &marking->markers->args;
	packed_parts_clear(parts);
	packed_parts_open(parts, EVENT_STRUCTURE, NULL, 0);
	while (args.size > 0) {
		const char *end = memchr(args.at, ';', args.size);
		struct piece one = { args.at, end == NULL ? args.size : (size_t)(end - args.at) };
		const char *sign = memchr(one.at, '=', one.size);
		if (sign != NULL && sign > one.at)
			packed_parts_text(parts, one.at, (size_t)(sign - one.at), sign + 1,
					  (size_t)(one.at + one.size - sign) - 1);
		size_t used = one.size + (end != NULL);
		args.at += used;
		args.size -= used;
	}
	packed_parts_close(parts);
	marking->cells[TRACK_ARGS] = packed_value(parts);
}

/* Chrome's "name|arguments|category", of which *name becomes the first.  Returns false, and nothing, of others. */
static bool split_chrome(struct piece *name, struct piece *args, struct piece *category)
{
	struct piece rest = *name;
	if (!take_last(&rest, category) || !take_last(&rest, args) || memchr(rest.at, '|', rest.size) != NULL ||
	    (args->size > 0 && memchr(args->at, '=', args->size) == NULL))
		return false;
	*name = rest;
	return true;
}

/*
 * Chrome's "name|arguments|category", and HiTrace's "H:name|level|category|arguments", whose names have no bars; a
 * name that holds them otherwise is one.
 */
static void put_name(struct marking *marking)
{
	struct piece rest = marking->rest, category, args;
	if (rest.size > 2 && memcmp(rest.at, "H:", 2) == 0) {
		marking->cells[TRACK_NAME] = text_cell(marker_piece_take(&rest));
		if (rest.size > 0)
			marking->cells[TRACK_CATEGORY] = text_cell(rest);
		return;
	}
	const bool is_chrome = split_chrome(&rest, &args, &category);
	marking->cells[TRACK_NAME] = text_cell(rest);
	if (!is_chrome)
		return;
	if (category.size > 0)
		marking->cells[TRACK_CATEGORY] = text_cell(category);
	if (args.size > 0)
		put_args(marking, args);
}

/*
 * What an end calls its span is Chrome's to say: it nests on a thread whatever it is called.  The arguments are
 * those that are known only then.
 */
static void put_end(struct marking *marking)
{
	struct piece rest = marking->rest, category, args;
	if (split_chrome(&rest, &args, &category) && args.size > 0)
		put_args(marking, args);
}

/* The last field as it is; before there were fields of HiTrace, what stands behind the last space. */
static bool split_last(struct marking *marking, struct piece *before, struct piece *last)
{
	*before = marking->rest;
	if (take_last(before, last))
		return last->size > 0;
	const char *space = memrchr(before->at, ' ', before->size);
	if (space == NULL)
		return false;
	*last = (struct piece){ space + 1, (size_t)(before->at + before->size - space) - 1 };
	before->size = (size_t)(space - before->at);
	return last->size > 0 && before->size > 0;
}

/*
 * The last field that is a number, after the first field, and the text before it; the text after it is Chrome's
 * arguments and category.
 */
static bool split_number(struct marking *marking, struct piece *before, struct piece *number)
{
	struct piece category = { NULL, 0 };
	double unused;
	*before = marking->rest;
	while (take_last(before, number)) {
		if (is_real(*number, &unused)) {
			if (category.size > 0)
				marking->cells[TRACK_CATEGORY] = text_cell(category);
			return true;
		}
		if (category.at == NULL)
			category = *number;
	}
	return false;
}

static enum histree_status take_asynchronous(struct marking *marking, enum track_class class)
{
	struct piece name, cookie;
	if (!split_number(marking, &name, &cookie) && !split_last(marking, &name, &cookie))
		return leave_out(marking);
	marking->cells[TRACK_NAME] = text_cell(name);
	if (class == TRACK_SPAN_BEGIN)
		marking->cells[TRACK_ONCE] = packed_int(1);
	put_track(marking, name, &cookie);
	return packed_markers_add(marking, class);
}

/* A track has many such spans at a time: the cookie distinguishes them, so that each has a track of its own. */
static enum histree_status take_on_track(struct marking *marking, enum track_class class)
{
	struct piece name, cookie;
	if (!split_number(marking, &name, &cookie) && !split_last(marking, &name, &cookie))
		return leave_out(marking);
	struct piece track = marker_piece_take(&name);
	put_track(marking, track, &cookie);
	if (class == TRACK_SPAN_END) /* it says no name, or the name that the beginning had */
		return packed_markers_add(marking, class);
	marking->cells[TRACK_NAME] = text_cell(name.size > 0 ? name : track);
	enum histree_status status = name_track(marking, track);
	return status == HISTREE_OK ? packed_markers_add(marking, class) : status;
}

/* ---- counters and instants ------------------------------------------------------------------------------- */

static enum histree_status take_counter(struct marking *marking)
{
	struct piece name, number;
	int64_t integer;
	double real;
	double unused;
	if (!split_number(marking, &name, &number) &&
	    (!split_last(marking, &name, &number) || !is_real(number, &unused)))
		return leave_out(marking);
	marking->cells[TRACK_TID] = (struct packed_cell){ .kind = PACKED_ABSENT };
	marking->cells[TRACK_NAME] = text_cell(name);
	if (is_integer(number, &integer))
		marking->cells[TRACK_VALUE] = packed_int(integer);
	else if (is_real(number, &real))
		marking->cells[TRACK_VALUE] = packed_real(real);
	return packed_markers_add(marking, TRACK_COUNTER);
}

/* ---- markers --------------------------------------------------------------------------------------------- */

static enum histree_status take_marker(struct marking *marking)
{
	switch (marking->letter) {
	case 'B':
		put_name(marking);
		return packed_markers_add(marking, TRACK_SPAN_BEGIN);
	case 'E':
		put_end(marking);
		return packed_markers_add(marking, TRACK_SPAN_END);
	case 'C':
		return take_counter(marking);
	case 'S':
	case 'F':
		return take_asynchronous(marking, marking->letter == 'S' ? TRACK_SPAN_BEGIN : TRACK_SPAN_END);
	case 'G':
	case 'H':
		return take_on_track(marking, marking->letter == 'G' ? TRACK_SPAN_BEGIN : TRACK_SPAN_END);
	default:
		if (marking->letter == 'N') {
			struct piece track = marker_piece_take(&marking->rest);
			put_track(marking, track, NULL);
			enum histree_status status = name_track(marking, track);
			if (status != HISTREE_OK)
				return status;
		}
		put_name(marking);
		return packed_markers_add(marking, TRACK_INSTANT);
	}
}

bool packed_markers_begin(struct packed_markers *markers, struct packed_source *packed, struct histree_error *error)
{
	markers->packed = packed;
	return packed_track_classes(packed, NULL, markers->classes, error);
}

enum histree_status packed_markers_take(struct packed_markers *markers, histree_time time,
					const struct marker_thread *thread, const char *text, size_t size,
					struct histree_error *error)
{
	struct marking marking = { .markers = markers, .error = error, .time = time, .thread = thread };
	if (!read_beginning(trim(text, size), &marking))
		return HISTREE_OK;
	enum histree_status status = place(&marking);
	if (status == HISTREE_OK)
		status = take_marker(&marking);
	else if (status == HISTREE_NOT_FOUND)
		status = leave_out(&marking);
	return status == HISTREE_OK && markers->args.has_failed ? no_memory(error) : status;
}

void packed_markers_release(struct packed_markers *markers)
{
	id_map_release(&markers->processes);
	intern_release(&markers->tracks);
	arena_release(&markers->memory);
	packed_parts_release(&markers->args);
	*markers = (struct packed_markers){ 0 };
}

/* ---- packed tracks ------------------------------------------------------------------------------------------- */

bool packed_track_classes(struct packed_source *source, const struct event_trace *trace,
			  const struct packed_class *out[TRACK_CLASS_COUNT], struct histree_error *error)
{
	const bool has_requests = trace != NULL ? trace->has_requests : source->base.trace.has_requests;
	const uint32_t count = has_requests ? TRACK_FIELD_COUNT : TRACK_SERVICE;
	for (int i = 0; i < TRACK_CLASS_COUNT; i++) {
		const struct event_class as = { .trace = trace,
						.name = track_class_names[i],
						.fields = track_field_names,
						.field_count = count,
						.payload_count = count };
		out[i] = packed_source_class(source, &as, error);
		if (out[i] == NULL)
			return false;
	}
	return true;
}
