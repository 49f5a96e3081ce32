// SPDX-License-Identifier: MIT
/*
 * uftrace_stream.c - the entries and exits of one task, record by record (libmcount/record.c of uftrace).
 */
#include "trace/uftrace/uftrace_stream.h"

#include <inttypes.h>
#include <string.h>

#include "base/error.h"

/* Arguments have no more bytes than libmcount has room for, 1 KiB; a little more is looked through. */
enum { MAGIC = 5, ADDRESS_BITS = 48, ARGUMENTS_MAX = 3072 };

/* ---- records --------------------------------------------------------------------------------------------- */

static uint64_t read_u64(const uint8_t *bytes, bool is_big)
{
	uint64_t number;
	memcpy(&number, bytes, sizeof(number));
	bool is_ours = is_big == (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	return is_ours ? number : __builtin_bswap64(number);
}

static uint64_t cut(uint64_t word, unsigned from, unsigned bits, bool is_big)
{
	unsigned shift = is_big ? 64 - from - bits : from;
	return word >> shift & ((UINT64_C(1) << bits) - 1);
}

static struct uftrace_record decode(const uint8_t *bytes, bool is_big)
{
	uint64_t word = read_u64(bytes + 8, is_big);
	return (struct uftrace_record){
		.time = read_u64(bytes, is_big),
		.type = (enum uftrace_type)cut(word, 0, 2, is_big),
		.has_more = cut(word, 2, 1, is_big),
		.is_one = cut(word, 3, 3, is_big) == MAGIC,
		.depth = (uint16_t)cut(word, 6, 10, is_big),
		.address = cut(word, 16, ADDRESS_BITS, is_big),
	};
}

/* Have `size` bytes of the file at an offset; NULL if there are fewer, or they cannot be read. */
static const uint8_t *look(struct uftrace_stream *stream, uint64_t at, size_t size, enum histree_status *status,
			   struct histree_error *error)
{
	struct trace_window *window = &stream->window;
	*status = HISTREE_OK;
	if (at > stream->size || size > stream->size - at)
		return NULL;
	bool is_there = at >= window->offset && at - window->offset <= window->count &&
			size <= window->count - (size_t)(at - window->offset);
	if (!is_there)
		*status = trace_window_move(window, at, size > stream->window_size ? size : stream->window_size,
					    error);
	if (*status != HISTREE_OK || at - window->offset + size > window->count)
		return NULL;
	return window->bytes + (at - window->offset);
}

/* ---- what follows a record ------------------------------------------------------------------------------- */

static bool is_plausible(const struct uftrace_stream *stream, const struct uftrace_record *record)
{
	return record->is_one && record->type != UFTRACE_LOST && record->time >= stream->time &&
	       record->time <= stream->last_time;
}

/* What follows an event has its size in front. */
static enum histree_status pass_value(struct uftrace_stream *stream, struct histree_error *error)
{
	enum histree_status status;
	const uint8_t *bytes = look(stream, stream->at, 2, &status, error);
	if (bytes == NULL)
		return status == HISTREE_OK ? HISTREE_END : status;
	uint64_t size = stream->is_big ? (uint64_t)bytes[0] << 8 | bytes[1] : (uint64_t)bytes[1] << 8 | bytes[0];
	stream->at += (2 + size + 7) / 8 * 8;
	return HISTREE_OK;
}

static enum histree_status pass_arguments(struct uftrace_stream *stream, struct histree_error *error)
{
	enum histree_status status;
	for (uint64_t skipped = 0; skipped <= ARGUMENTS_MAX; skipped += 8) {
		uint64_t at = stream->at + skipped;
		const uint8_t *bytes = look(stream, at, UFTRACE_RECORD_SIZE, &status, error);
		if (status != HISTREE_OK)
			return status;
		if (bytes == NULL)
			break;
		const struct uftrace_record first = decode(bytes, stream->is_big);
		bool is_lost = first.is_one && first.type == UFTRACE_LOST && first.time == 0 && first.depth == 0;
		if (!is_lost && !is_plausible(stream, &first))
			continue;
		bytes = look(stream, at + UFTRACE_RECORD_SIZE, UFTRACE_RECORD_SIZE, &status, error);
		if (status != HISTREE_OK)
			return status;
		const struct uftrace_record second = bytes == NULL ? first : decode(bytes, stream->is_big);
		if ((first.has_more && !is_lost) || is_plausible(stream, &second)) {
			stream->at = at;
			return HISTREE_OK;
		}
	}
	/* The arguments of the last record end the file. */
	if (stream->size - stream->at <= ARGUMENTS_MAX) {
		stream->at = stream->size;
		return HISTREE_OK;
	}
	return HISTREE_END;
}

static enum histree_status pass_more(struct uftrace_stream *stream, const struct uftrace_record *record,
				     struct histree_error *error)
{
	if (!record->has_more)
		return HISTREE_OK;
	return record->type == UFTRACE_EVENT ? pass_value(stream, error) : pass_arguments(stream, error);
}

/* ---- the file -------------------------------------------------------------------------------------------- */

/* A record that may be the last one is of a time within half a year of the first. */
static bool may_be_last(const struct uftrace_record *record, uint64_t first_time)
{
	enum { HALF_A_YEAR_BITS = 54 };
	return record->is_one && (record->type == UFTRACE_ENTRY || record->type == UFTRACE_EXIT) &&
	       record->time >= first_time && (record->time - first_time) >> HALF_A_YEAR_BITS == 0;
}

/* No record is later than the last one of the file, which only arguments can follow. */
static enum histree_status find_last_time(struct uftrace_stream *stream, struct histree_error *error)
{
	enum histree_status status;
	stream->last_time = INT64_MAX;
	const uint8_t *bytes = look(stream, 0, UFTRACE_RECORD_SIZE, &status, error);
	if (bytes == NULL)
		return status;
	uint64_t first_time = decode(bytes, stream->is_big).time, end = stream->size / 8 * 8;
	uint64_t tail = end < ARGUMENTS_MAX + UFTRACE_RECORD_SIZE ? end : ARGUMENTS_MAX + UFTRACE_RECORD_SIZE;
	for (uint64_t back = UFTRACE_RECORD_SIZE; back <= tail; back += 8) {
		bytes = look(stream, end - tail, (size_t)tail, &status, error);
		if (bytes == NULL)
			return status;
		const struct uftrace_record record = decode(bytes + (tail - back), stream->is_big);
		if (!may_be_last(&record, first_time))
			continue;
		stream->last_time = record.time;
		break;
	}
	return HISTREE_OK;
}

enum histree_status uftrace_stream_open(struct uftrace_stream *stream, const struct io *io, bool stays_open,
					uint64_t at, struct histree_error *error)
{
	trace_window_init(&stream->window, io, stream->path, stays_open);
	stream->at = at;
	stream->time = 0;
	stream->session = NULL;
	stream->session_until = 0;
	stream->has_lost = stream->is_damaged = false;
	enum histree_status status = trace_window_size(&stream->window, &stream->size, error);
	return status == HISTREE_OK ? find_last_time(stream, error) : status;
}

void uftrace_stream_close(struct uftrace_stream *stream)
{
	trace_window_release(&stream->window);
}

/* ---- events ---------------------------------------------------------------------------------------------- */

/* What comes behind damage is not read: where a record begins is not known there. */
static void break_off(struct uftrace_stream *stream, const char *what)
{
	struct trace_notes *notes = stream->base.notes;
	stream->is_damaged = true;
	notes->report.damaged_streams++;
	trace_notes_warn(notes, "%s: %s at byte %" PRIu64 "; the calls before that are read", stream->base.name,
			 what, stream->at);
	const struct trace_span rest = { .begin = INT64_MIN, .end = INT64_MAX };
	trace_stream_lose(&stream->base, rest, 0);
}

static enum histree_status name_function(struct uftrace_stream *stream, struct histree_error *error)
{
	const struct uftrace_record *record = &stream->record;
	if (record->time >= stream->session_until || stream->session == NULL)
		stream->session =
			uftrace_names_session(stream->names, stream->task, record->time, &stream->session_until);
	return uftrace_names_find(stream->names, stream->session, record->time, record->address, &stream->name,
				  error);
}

static enum histree_status put(struct uftrace_stream *stream, struct histree_error *error)
{
	const struct uftrace_record *record = &stream->record;
	enum histree_status status = name_function(stream, error);
	if (status != HISTREE_OK)
		return status;
	const struct event event = {
		.time = (histree_time)record->time,
		.cpu = -1,
		.class = stream->classes[record->type == UFTRACE_EXIT],
		.handle = stream,
	};
	trace_stream_put(&stream->base, &event);
	return HISTREE_OK;
}

/* Records were lost before this one; the gap comes first, and then this record again. */
static bool put_loss(struct uftrace_stream *stream, const struct uftrace_record *record)
{
	const struct trace_span span = { .begin = INT64_MIN, .end = (histree_time)record->time };
	if (!stream->has_lost)
		return false;
	stream->has_lost = false;
	stream->base.notes->report.discarded_events += stream->lost;
	trace_stream_note_loss(
		&stream->base, "record", &stream->lost,
		(struct trace_span){ stream->base.has_events ? stream->base.last : INT64_MIN, span.end });
	trace_stream_lose(&stream->base, span, stream->lost);
	return trace_stream_put_gap(&stream->base);
}

/*
 * Read a record that is an event, or the end of a gap.  HISTREE_END: there is no further one, or it is not known.
 * The record that a gap ends with is read again.
 */
static enum histree_status read_record(struct uftrace_stream *stream, bool *is_gap, struct histree_error *error)
{
	enum histree_status status;
	*is_gap = false;
	for (;;) {
		uint64_t at = stream->at;
		const uint8_t *bytes = look(stream, at, UFTRACE_RECORD_SIZE, &status, error);
		if (bytes == NULL)
			return status == HISTREE_OK ? HISTREE_END : status;
		const struct uftrace_record record = decode(bytes, stream->is_big);
		bool is_lost = record.type == UFTRACE_LOST;
		if (!record.is_one || (!is_lost && record.time > INT64_MAX)) {
			break_off(stream, "no record");
			return HISTREE_END;
		}
		if (!is_lost && put_loss(stream, &record)) {
			*is_gap = true;
			return HISTREE_OK;
		}
		stream->at += UFTRACE_RECORD_SIZE;
		stream->time = is_lost ? stream->time : record.time;
		stream->lost = is_lost ? record.address + (stream->has_lost ? stream->lost : 0) : stream->lost;
		stream->has_lost = stream->has_lost || is_lost;
		status = pass_more(stream, &record, error);
		if (status < 0)
			return status;
		stream->upcoming_at = at;
		stream->record = record;
		if (status == HISTREE_END)
			break_off(stream, "no record behind the arguments of one");
		if (record.type == UFTRACE_ENTRY || record.type == UFTRACE_EXIT)
			return HISTREE_OK;
		if (status == HISTREE_END)
			return status;
	}
}

enum histree_status uftrace_stream_next(struct uftrace_stream *stream, struct histree_error *error)
{
	struct histree_error why;
	bool is_gap = false;
	stream->base.has_upcoming = false;
	enum histree_status status = stream->is_damaged ? HISTREE_END : read_record(stream, &is_gap, &why);
	if (status == HISTREE_ERR_MEMORY)
		return error_set(error, status, "%s", why.message);
	if (status == HISTREE_OK)
		return is_gap ? HISTREE_OK : put(stream, error);
	if (status < 0)
		break_off(stream, why.message);
	if (trace_stream_put_gap(&stream->base))
		return HISTREE_OK;
	trace_stream_end(&stream->base);
	return HISTREE_END;
}

/* ---- fields ---------------------------------------------------------------------------------------------- */

bool uftrace_event_int(const struct event *event, uint32_t field, int64_t *out)
{
	const struct uftrace_stream *stream = event->handle;
	switch (field) {
	case UFTRACE_ADDRESS:
		*out = (int64_t)stream->record.address;
		return true;
	case UFTRACE_DEPTH:
		*out = stream->record.depth;
		return true;
	case UFTRACE_TID:
		*out = stream->tid;
		return true;
	case UFTRACE_PID:
		*out = stream->task == NULL ? 0 : stream->task->pid;
		return stream->task != NULL;
	default:
		return false;
	}
}

bool uftrace_event_string(const struct event *event, uint32_t field, const char **text, size_t *size)
{
	const struct uftrace_stream *stream = event->handle;
	*text = NULL;
	if (field == UFTRACE_NAME)
		*text = stream->name;
	else if (field == UFTRACE_PROCESS && stream->session != NULL)
		*text = stream->session->name;
	*size = *text == NULL ? 0 : strlen(*text);
	return *text != NULL;
}
