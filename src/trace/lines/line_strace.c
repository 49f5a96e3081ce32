// SPDX-License-Identifier: MIT
/*
 * line_strace.c - the text of strace: system calls as spans of threads, signals and exits as instants.
 */
#include "trace/lines/line_strace.h"

#include <inttypes.h>
#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/hash_index.h"
#include "trace/lines/line_text.h"
#include "trace/packed/packed_markers.h"

enum { NO_THREAD = 0, ANCESTORS_MAX = 64, NAME_SIZE_MAX = 64 };

static const histree_time second = 1000000000, day = 86400 * INT64_C(1000000000);

enum strace_kind {
	STRACE_OTHER,
	STRACE_CALL,
	STRACE_UNFINISHED, /* what follows is in the line that resumes it */
	STRACE_RESUMED,
	STRACE_REST, /* the same, of the call before that was broken */
	STRACE_SIGNAL,
	STRACE_EXIT, /* of the thread */
};

enum strace_clock { CLOCK_NONE, CLOCK_EPOCH, CLOCK_DAY, CLOCK_DIFFERENCE };

struct piece {
	const char *at;
	size_t size;
};

/* Texts are parts of the line. */
struct strace_line {
	enum strace_kind kind;
	enum strace_clock clock;
	bool is_broken;
	bool goes_on; /* strace was interrupted again while it wrote the rest of a call, or that call never ended */
	bool is_coarse; /* it has no part of a second */
	histree_time time;
	int64_t thread; /* or NO_THREAD */
	struct piece comm, name, args, result;
	bool has_duration;
	histree_time duration;
};

/* ---- a line ---------------------------------------------------------------------------------------------- */

static bool read_fraction(struct line_scan *scan, histree_time *out)
{
	histree_time unit = second;
	*out = 0;
	if (!line_scan_byte(scan, '.'))
		return false;
	for (; scan->at < scan->end && *scan->at >= '0' && *scan->at <= '9' && unit > 1; scan->at++) {
		unit /= 10;
		*out += (*scan->at - '0') * unit;
	}
	return true;
}

/* "1700000000.25", "12:00:01.5", "0.000123": the first are many seconds. */
static bool read_time(struct line_scan *scan, struct strace_line *out)
{
	enum { EPOCH_MIN = 100000000, SIXTY = 60, HOURS = 24 };
	struct line_scan at = *scan;
	uint64_t number = 0, minutes = 0, seconds = 0;
	histree_time part;
	line_scan_spaces(&at);
	if (!line_scan_number(&at, &number) || number > (uint64_t)(INT64_MAX / 2 / second))
		return false;
	if (line_scan_byte(&at, ':')) {
		if (!line_scan_number(&at, &minutes) || !line_scan_byte(&at, ':') ||
		    !line_scan_number(&at, &seconds) || number >= HOURS || minutes >= SIXTY || seconds > SIXTY)
			return false;
		number = (number * SIXTY + minutes) * SIXTY + seconds;
		out->clock = CLOCK_DAY;
		out->is_coarse = !read_fraction(&at, &part);
	} else {
		bool has_fraction = read_fraction(&at, &part);
		if (!has_fraction && number < EPOCH_MIN)
			return false;
		out->clock = number >= EPOCH_MIN ? CLOCK_EPOCH : CLOCK_DIFFERENCE;
	}
	if (at.at == at.end || *at.at != ' ') {
		out->clock = CLOCK_NONE;
		return false;
	}
	out->time = (histree_time)number * second + part;
	*scan = at;
	return true;
}

/* "[pid  1043] ", "1043 ", "1043<worker> " */
static void read_thread(struct line_scan *scan, struct strace_line *out)
{
	struct line_scan at = *scan;
	struct piece comm = { NULL, 0 };
	uint64_t thread;
	bool is_bracket = line_scan_word(&at, "[pid");
	line_scan_spaces(&at);
	if (!line_scan_number(&at, &thread) || thread == 0 || thread > INT32_MAX)
		return;
	if (line_scan_byte(&at, '<')) {
		char *close = memchr(at.at, '>', (size_t)(at.end - at.at));
		if (close == NULL)
			return;
		comm = (struct piece){ at.at, (size_t)(close - at.at) };
		at.at = close + 1;
	}
	if ((is_bracket && !line_scan_byte(&at, ']')) || !line_scan_byte(&at, ' '))
		return;
	out->thread = (int64_t)thread;
	out->comm = comm;
	*scan = at;
}

/* Take "<0.000027>" off the end. */
static void take_duration(struct line_scan *scan, struct strace_line *out)
{
	uint64_t seconds = 0;
	histree_time part;
	char *open = memrchr(scan->at, '<', (size_t)(scan->end - scan->at));
	if (open == NULL || scan->end[-1] != '>')
		return;
	struct line_scan at = { open + 1, scan->end };
	if (!line_scan_number(&at, &seconds) || seconds > (uint64_t)(INT64_MAX / 4 / second) ||
	    !read_fraction(&at, &part) || !line_scan_byte(&at, '>'))
		return;
	out->has_duration = true;
	out->duration = (histree_time)seconds * second + part;
	scan->end = open;
}

static bool take_end(struct line_scan *scan, const char *word)
{
	const size_t size = strlen(word);
	bool is = (size_t)(scan->end - scan->at) >= size && memcmp(scan->end - size, word, size) == 0;
	scan->end -= is ? size : 0;
	return is;
}

static void trim(struct line_scan *scan)
{
	line_scan_spaces(scan);
	while (scan->end > scan->at && scan->end[-1] == ' ')
		scan->end--;
}

static struct piece piece_of(struct line_scan scan)
{
	trim(&scan);
	return (struct piece){ scan.at, (size_t)(scan.end - scan.at) };
}

/* "args)   = result": the last sign that follows a parenthesis.  Texts in the arguments may look so too. */
static bool split_result(struct line_scan scan, struct strace_line *out)
{
	char *at = scan.end;
	while ((at = memrchr(scan.at, '=', (size_t)(at - scan.at))) != NULL) {
		struct line_scan before = { scan.at, at };
		if (at > scan.at && at[-1] == ' ' && at + 1 < scan.end && at[1] == ' ') {
			trim(&before);
			if (take_end(&before, ")")) {
				out->args = piece_of(before);
				out->result = piece_of((struct line_scan){ at + 1, scan.end });
				return out->result.size > 0;
			}
		}
	}
	return false;
}

static bool read_word(struct line_scan *scan, struct piece *out)
{
	char *begin = scan->at;
	while (scan->at < scan->end && ((*scan->at >= 'a' && *scan->at <= 'z') || *scan->at == '_' ||
					(*scan->at >= '0' && *scan->at <= '9' && scan->at > begin)))
		scan->at++;
	*out = (struct piece){ begin, (size_t)(scan->at - begin) };
	return out->size > 0 && out->size <= NAME_SIZE_MAX;
}

static void read_call(struct line_scan scan, struct strace_line *out)
{
	bool is_resumed = line_scan_word(&scan, "<... ");
	if (!read_word(&scan, &out->name) ||
	    (is_resumed ? !line_scan_word(&scan, " resumed>") : !line_scan_byte(&scan, '(')))
		return;
	/* Where strace says this within the line, the rest is in the next one, or in one that resumes it. */
	if (take_end(&scan, " attached")) {
		char *inside = memmem(scan.at, (size_t)(scan.end - scan.at), "strace: Process ", 16);
		out->is_broken = inside != NULL;
		scan.end = inside != NULL ? inside : scan.end;
	}
	if (out->is_broken || take_end(&scan, "<unfinished ...>")) {
		out->args = piece_of(scan);
		out->kind = STRACE_UNFINISHED;
		out->goes_on = is_resumed;
		return;
	}
	take_duration(&scan, out);
	trim(&scan);
	if (split_result(scan, out))
		out->kind = is_resumed ? STRACE_RESUMED : STRACE_CALL;
}

/* "[  12] [00007f95e191c47] ", the number of the call and the address of the instruction, by "-n" and "-i". */
static void pass_columns(struct line_scan *scan)
{
	struct line_scan at = *scan;
	while (line_scan_byte(&at, '[')) {
		while (at.at < at.end && (*at.at == ' ' || *at.at == '?' || line_scan_digit(*at.at) >= 0))
			at.at++;
		if (!line_scan_word(&at, "] "))
			return;
		*scan = at;
	}
}

static struct strace_line read_line(char *line, size_t size)
{
	struct strace_line out = { .thread = NO_THREAD };
	struct line_scan scan = { line, line + size };
	line_scan_spaces(&scan);
	if (!read_time(&scan, &out)) {
		read_thread(&scan, &out);
		read_time(&scan, &out);
	}
	trim(&scan);
	struct line_scan passed = scan;
	if (line_scan_word(&passed, "(+")) { /* the difference beside the time, by "-r" */
		char *close = memchr(passed.at, ')', (size_t)(passed.end - passed.at));
		if (close != NULL)
			scan.at = close + 1;
		trim(&scan);
	}
	pass_columns(&scan);
	passed = scan;
	if (line_scan_word(&passed, ", ") || line_scan_word(&passed, "=> ")) {
		/* ", 0x7f02) = 1043 <0.0001>", the rest of a call that was broken. */
		take_duration(&scan, &out);
		trim(&scan);
		if (out.has_duration && split_result(scan, &out))
			out.kind = STRACE_REST;
	} else if (line_scan_word(&scan, "--- ") && take_end(&scan, " ---")) {
		const char *space = memchr(scan.at, ' ', (size_t)(scan.end - scan.at));
		size_t name = space == NULL ? (size_t)(scan.end - scan.at) : (size_t)(space - scan.at);
		out.kind = STRACE_SIGNAL;
		out.name = (struct piece){ scan.at, name };
		out.args = piece_of((struct line_scan){ scan.at + name, scan.end });
	} else if (line_scan_word(&scan, "+++ ") && take_end(&scan, " +++")) {
		out.kind = STRACE_EXIT;
		out.name = piece_of(scan);
	} else {
		read_call(scan, &out);
	}
	return out;
}

bool line_strace_is(char *line, size_t size)
{
	const struct strace_line read = read_line(line, size);
	if (read.kind == STRACE_CALL) /* "f(x) = y" alone is of many languages */
		return read.clock != CLOCK_NONE || read.result.at[0] == '?' || read.result.at[0] == '-' ||
		       (read.result.at[0] >= '0' && read.result.at[0] <= '9');
	return read.clock != CLOCK_NONE && read.kind != STRACE_OTHER;
}

/* ---- threads --------------------------------------------------------------------------------------------- */

struct strace_thread {
	int64_t number;
	struct strace_thread *creator; /* of its process; NULL: it is a process itself */
	bool was_created;
	bool clones_thread; /* by the call that is not finished */
	bool is_in_call;
	histree_time begin; /* of that */
	histree_time last;  /* end of a call: the next begins behind it, however times are rounded */
	bool was_named;
};

struct strace {
	struct packed_source *packed;
	const struct packed_class *classes[TRACK_CLASS_COUNT];
	struct packed_parts parts;
	struct id_map threads;
	struct arena memory;
	struct strace_thread *broken; /* whose call was broken last; NULL: it has ended */
	struct strace_thread *first;  /* the thread of lines without a number; NULL: not known */
	histree_time last, shift;     /* of the clock since midnight, or of differences */
	uint64_t others, untimed, endless;
	bool is_coarse; /* times are whole seconds */
	struct histree_error *error;
};

static enum histree_status no_memory(const struct strace *strace)
{
	return error_memory(strace->error, "the threads of a trace");
}

/* Returns NULL if memory runs out. */
static struct strace_thread *thread_of(struct strace *strace, int64_t number)
{
	struct strace_thread *thread = id_map_find(&strace->threads, (uint64_t)number);
	if (thread != NULL)
		return thread;
	thread = arena_allocate(&strace->memory, sizeof(*thread), alignof(struct strace_thread));
	if (thread == NULL || !id_map_add(&strace->threads, (uint64_t)number, thread))
		return NULL;
	*thread = (struct strace_thread){ .number = number, .last = INT64_MIN };
	return thread;
}

static int64_t process_of(const struct strace_thread *thread)
{
	for (unsigned i = 0; i < ANCESTORS_MAX && thread->creator != NULL; i++)
		thread = thread->creator;
	return thread->number;
}

static bool is_word(struct piece piece, const char *word)
{
	return piece.size == strlen(word) && memcmp(piece.at, word, piece.size) == 0;
}

static bool is_creation(struct piece name)
{
	return is_word(name, "clone") || is_word(name, "clone3") || is_word(name, "fork") || is_word(name, "vfork");
}

/*
 * Which thread belongs to which process: read before the events, because lines of a new thread may precede the
 * return of its creator's clone().
 */
static enum histree_status learn(struct strace *strace, const struct strace_line *line)
{
	bool is_rest = line->kind == STRACE_REST;
	if (line->thread == NO_THREAD && !is_creation(line->name) && !is_rest)
		return HISTREE_OK;
	struct strace_thread *thread =
		is_rest && strace->broken != NULL ? strace->broken : thread_of(strace, line->thread);
	if (thread == NULL)
		return no_memory(strace);
	if (line->thread != NO_THREAD && strace->first == NULL && !thread->was_created)
		strace->first = thread;
	bool is_of_thread =
		line->args.size > 0 && memmem(line->args.at, line->args.size, "CLONE_THREAD", 12) != NULL;
	if (!is_creation(line->name) && !is_rest)
		return HISTREE_OK;
	if (line->kind == STRACE_UNFINISHED)
		thread->clones_thread = is_of_thread;
	if (line->is_broken)
		strace->broken = thread;
	if (line->kind != STRACE_CALL && line->kind != STRACE_RESUMED && !is_rest)
		return HISTREE_OK;
	struct line_scan scan = { (char *)(uintptr_t)line->result.at,
				  (char *)(uintptr_t)line->result.at + line->result.size };
	uint64_t number;
	if (!line_scan_number(&scan, &number) || number == 0 || number > INT32_MAX)
		return HISTREE_OK;
	struct strace_thread *created = thread_of(strace, (int64_t)number);
	if (created == NULL)
		return no_memory(strace);
	created->was_created = true;
	if (strace->first == created)
		strace->first = NULL;
	if ((is_of_thread || thread->clones_thread) && created != thread)
		created->creator = thread;
	thread->clones_thread = false;
	return HISTREE_OK;
}

static enum histree_status learn_all(struct strace *strace, const struct line_place *place)
{
	struct line_text text;
	char *line;
	size_t size;
	enum histree_status status = line_text_open(&text, place, strace->error);
	while (status == HISTREE_OK &&
	       (status = line_text_next(&text, &line, &size, strace->error)) == HISTREE_OK) {
		const struct strace_line read = read_line(line, size);
		status = read.kind == STRACE_OTHER ? HISTREE_OK : learn(strace, &read);
	}
	line_text_close(&text);
	/* Lines without a number, before there was a second thread, are of the one that was not created. */
	strace->broken = NULL;
	struct strace_thread *unknown = id_map_find(&strace->threads, NO_THREAD);
	if (unknown != NULL && strace->first != NULL)
		unknown->creator = strace->first;
	return status == HISTREE_END || status == HISTREE_ERR_TRACE ? HISTREE_OK : status;
}

/* ---- events ---------------------------------------------------------------------------------------------- */

static enum histree_status line_strace_add(struct strace *strace, const struct strace_thread *thread,
					   enum track_class class, histree_time time, struct packed_cell *cells)
{
	if (thread->number != NO_THREAD) {
		cells[TRACK_PID] = packed_int(process_of(thread));
		cells[TRACK_TID] = packed_int(thread->number);
	}
	if (class == TRACK_PROCESS_NAME)
		cells[TRACK_TID] = (struct packed_cell){ .kind = PACKED_ABSENT };
	const struct packed_event event = {
		.time = time, .cpu = -1, .class = strace->classes[class], .cells = cells
	};
	return packed_source_add(strace->packed, &event, strace->error);
}

static enum histree_status add_name(struct strace *strace, const struct strace_thread *thread,
				    enum track_class class, struct piece name)
{
	struct packed_cell cells[TRACK_FIELD_COUNT] = { [TRACK_NAME] = packed_text(name.at, name.size) };
	return name.size == 0 || thread->number == NO_THREAD
		       ? HISTREE_OK
		       : line_strace_add(strace, thread, class, PACKED_NO_TIME, cells);
}

static void put_texts(struct strace *strace, const struct strace_line *line, struct packed_cell *cells)
{
	struct packed_parts *parts = &strace->parts;
	packed_parts_clear(parts);
	packed_parts_open(parts, EVENT_STRUCTURE, NULL, 0);
	if (line->args.size > 0)
		packed_parts_text(parts, "args", 4, line->args.at, line->args.size);
	if (line->result.size > 0)
		packed_parts_text(parts, "ret", 3, line->result.at, line->result.size);
	packed_parts_close(parts);
	if (line->args.size > 0 || line->result.size > 0)
		cells[TRACK_ARGS] = packed_value(parts);
}

static enum histree_status take_call(struct strace *strace, struct strace_thread *thread,
				     const struct strace_line *line, histree_time time)
{
	struct packed_cell cells[TRACK_FIELD_COUNT] = { [TRACK_NAME] = packed_text(line->name.at, line->name.size),
							[TRACK_CATEGORY] = packed_text("syscall", 7) };
	enum track_class class = TRACK_SPAN_BEGIN;
	put_texts(strace, line, cells);
	if (time < thread->last)
		time = thread->last;
	if (line->kind == STRACE_UNFINISHED) {
		thread->is_in_call = true;
		thread->begin = time;
		if (line->is_broken)
			strace->broken = thread;
	} else if (line->has_duration) {
		class = TRACK_SPAN;
		cells[TRACK_DURATION] = packed_int(line->duration);
		thread->last = time + line->duration;
	} else {
		class = TRACK_INSTANT;
		strace->endless += line->result.at[0] != '?';
	}
	enum histree_status status = line_strace_add(strace, thread, class, time, cells);
	if (status != HISTREE_OK)
		return status;
	/* A program that is executed gives the process its name: the last part of its path. */
	if (!is_word(line->name, "execve") || line->args.size == 0 || line->args.at[0] != '"' ||
	    (line->kind == STRACE_CALL && !is_word(line->result, "0")))
		return HISTREE_OK;
	struct piece path = { line->args.at + 1, line->args.size - 1 };
	const char *quote = memchr(path.at, '"', path.size);
	if (quote == NULL)
		return HISTREE_OK;
	path.size = (size_t)(quote - path.at);
	const char *slash = memrchr(path.at, '/', path.size);
	if (slash != NULL)
		path = (struct piece){ slash + 1, (size_t)(path.at + path.size - slash) - 1 };
	status = add_name(strace, thread, TRACK_PROCESS_NAME, path);
	return status == HISTREE_OK ? add_name(strace, thread, TRACK_THREAD_NAME, path) : status;
}

/* One whose beginning is not in the text began as long before as it lasted. */
static enum histree_status take_resumed(struct strace *strace, struct strace_thread *thread,
					const struct strace_line *line, histree_time time)
{
	struct packed_cell cells[TRACK_FIELD_COUNT] = { [TRACK_CATEGORY] = packed_text("syscall", 7) };
	if (line->name.size > 0)
		cells[TRACK_NAME] = packed_text(line->name.at, line->name.size);
	put_texts(strace, line, cells);
	if (thread->is_in_call) {
		thread->is_in_call = false;
		thread->last = line->has_duration     ? thread->begin + line->duration
			       : time > thread->begin ? time
						      : thread->begin;
		return line_strace_add(strace, thread, TRACK_SPAN_END, thread->last, cells);
	}
	if (!line->has_duration) {
		strace->endless++;
		return line_strace_add(strace, thread, TRACK_INSTANT, time, cells);
	}
	cells[TRACK_DURATION] = packed_int(line->duration);
	return line_strace_add(strace, thread, TRACK_SPAN, time - line->duration, cells);
}

/* A signal, or the end of a thread, which also ends what it was in. */
static enum histree_status take_instant(struct strace *strace, struct strace_thread *thread,
					const struct strace_line *line, histree_time time)
{
	struct packed_cell cells[TRACK_FIELD_COUNT] = { { .kind = PACKED_ABSENT } };
	bool is_exit = line->kind == STRACE_EXIT;
	enum histree_status status = HISTREE_OK;
	if (is_exit && thread->is_in_call) {
		thread->is_in_call = false;
		status = line_strace_add(strace, thread, TRACK_SPAN_END,
					 time > thread->begin ? time : thread->begin, cells);
	}
	cells[TRACK_NAME] = packed_text(line->name.at, line->name.size);
	cells[TRACK_CATEGORY] = is_exit ? packed_text("exit", 4) : packed_text("signal", 6);
	put_texts(strace, line, cells);
	return status == HISTREE_OK ? line_strace_add(strace, thread, TRACK_INSTANT, time, cells) : status;
}

/* The clock since midnight begins anew, and that of differences goes on. */
static histree_time time_of(struct strace *strace, const struct strace_line *line)
{
	histree_time time = line->time;
	if (line->clock == CLOCK_EPOCH)
		return time;
	if (line->clock == CLOCK_DIFFERENCE) {
		if (__builtin_add_overflow(strace->last, time, &time) || time > INT64_MAX / 2)
			time = strace->last;
	} else {
		time += strace->shift;
		if (time < strace->last - day / 2 && strace->shift < INT64_MAX / 4) {
			strace->shift += day;
			time += day;
		}
	}
	strace->last = time;
	return time;
}

static enum histree_status take_line(struct strace *strace, const struct strace_line *line)
{
	if (line->kind == STRACE_REST && strace->broken != NULL && strace->broken->is_in_call)
		return take_resumed(strace, strace->broken, line, strace->broken->begin);
	if (line->clock == CLOCK_NONE) {
		strace->untimed += line->kind != STRACE_OTHER;
		return HISTREE_OK;
	}
	histree_time time = time_of(strace, line);
	strace->is_coarse |= line->is_coarse;
	if (line->kind == STRACE_OTHER) {
		strace->others++;
		return HISTREE_OK;
	}
	struct strace_thread *thread = thread_of(strace, line->thread);
	if (thread != NULL && thread->number == NO_THREAD && strace->first != NULL)
		thread = strace->first;
	if (thread == NULL)
		return no_memory(strace);
	if (!thread->was_named && line->comm.size > 0) {
		thread->was_named = true;
		enum histree_status status = add_name(strace, thread, TRACK_THREAD_NAME, line->comm);
		if (status != HISTREE_OK)
			return status;
	}
	switch (line->kind) {
	case STRACE_CALL:
	case STRACE_UNFINISHED:
		return line->goes_on && thread->is_in_call ? HISTREE_OK : take_call(strace, thread, line, time);
	case STRACE_RESUMED:
		return take_resumed(strace, thread, line, time);
	default:
		return take_instant(strace, thread, line, time);
	}
}

/* ---- the text -------------------------------------------------------------------------------------------- */

enum histree_status line_strace_read(struct packed_source *packed, const struct line_place *place,
				     struct line_text *text, struct histree_error *error)
{
	struct strace strace = { .packed = packed, .error = error };
	char *line;
	size_t size;
	if (!packed_track_classes(packed, NULL, strace.classes, error))
		return error->status;
	enum histree_status status = learn_all(&strace, place);
	while (status == HISTREE_OK && (status = line_text_next(text, &line, &size, error)) == HISTREE_OK) {
		const struct strace_line read = read_line(line, size);
		status = take_line(&strace, &read);
		if (status == HISTREE_OK && strace.parts.has_failed)
			status = no_memory(&strace);
		if (status == HISTREE_OK && text->lines % 1024 == 0)
			status = packed_source_look(packed, error);
	}
	struct trace_notes *notes = strace.packed->base.notes;
	const char *path = strace.packed->base.path;
	if (strace.endless > 0)
		trace_notes_warn(notes,
				 "%s: how long calls took is not said, so they are instants: %" PRIu64
				 "; 'strace -T' prints it",
				 path, strace.endless);
	if (strace.is_coarse)
		trace_notes_warn(notes,
				 "%s: times are whole seconds, within which calls follow one another; 'strace "
				 "-ttt' prints them as they are",
				 path);
	if (strace.untimed > 0)
		trace_notes_warn(notes, "%s: calls without a time are left out: %" PRIu64, path, strace.untimed);
	if (strace.others > 0)
		trace_notes_warn(notes, "%s: lines that are neither calls nor signals are left out: %" PRIu64, path,
				 strace.others);
	id_map_release(&strace.threads);
	arena_release(&strace.memory);
	packed_parts_release(&strace.parts);
	return status;
}

enum histree_status line_strace_check(const struct line_place *place, struct histree_error *error)
{
	struct line_text text;
	char *line;
	size_t size;
	struct strace_line read = { .kind = STRACE_OTHER };
	enum histree_status status = line_text_open(&text, place, error);
	while (status == HISTREE_OK && read.kind == STRACE_OTHER) {
		status = line_text_next(&text, &line, &size, error);
		if (status == HISTREE_OK)
			read = read_line(line, size);
	}
	line_text_close(&text);
	if (status == HISTREE_OK && read.clock == CLOCK_NONE)
		return error_set(error, HISTREE_ERR_TRACE,
				 "'%.200s' is of strace and has no times: record with 'strace -f -ttt -T'",
				 place->path);
	return status == HISTREE_END ? HISTREE_OK : status;
}
