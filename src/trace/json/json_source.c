// SPDX-License-Identifier: MIT
/*
 * json_source.c - a trace in the Trace Event Format, as browsers and many other programs write it: JSON, plain or
 * in gzip, object by object; a file that is cut off gives the events before the cut.
 *
 * The format: "Trace Event Format", Google, 2016, of which an array of events needs no end.  Its events become
 * those of event.h (json_tracks.h).  An event is read at a time, in memory that does not grow
 * with the file: one that is larger than JSON_EVENT_MAX is passed over.
 */
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/zlib.h"
#include "trace/formats.h"
#include "trace/json/json_samples.h"
#include "trace/json/json_text.h"
#include "trace/json/json_tracks.h"
#include "trace/trace_bytes.h"

enum { JSON_EVENT_MAX = 16 << 20 };

struct json_source {
	struct packed_source packed;
	struct json_text text;
	struct json_event event;
	struct json_tracks tracks;
	struct json_samples samples;
	/* Of the file that is being read. */
	bool is_array;   /* the whole is one, and so needs no end */
	bool is_lines;   /* it is events behind one another */
	bool has_events; /* it has a list of them */
	bool has_system; /* it has a text with those of the kernel */
	bool is_damaged; /* here, and is not read on */
	uint64_t passed_over, too_large, others;
	uint64_t first_passed; /* the byte at which the first of those begins that were passed over */
	uint64_t looked_at;    /* bytes, to find where events go on */
};

/* ---- bytes ----------------------------------------------------------------------------------------------- */

/* Bring more bytes; without more, the file is cut here. */
static enum histree_status more(struct json_source *source, struct histree_error *error)
{
	enum histree_status status = packed_source_look(&source->packed, error);
	return status == HISTREE_OK ? trace_bytes_more(&source->packed.content, error) : status;
}

/* Pass over white space, to a byte that is there.  Returns HISTREE_END if none is. */
static enum histree_status peek(struct json_source *source, struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	for (;;) {
		source->text.at = source->packed.content.at;
		source->text.end = source->packed.content.end;
		bool is_there = json_scan_space(&source->text);
		source->packed.content.at = source->text.at;
		if (is_there || status != HISTREE_OK)
			return is_there ? HISTREE_OK : status;
		status = more(source, error);
	}
}

/* Passing over a value: what was seen of it. */
struct skip {
	uint64_t depth;
	bool in_string, in_word;
};

/* Returns where the value ends; NULL if it goes on. */
static const uint8_t *skip_bytes(struct skip *skip, const uint8_t *at, const uint8_t *end, bool *is_escaped)
{
	for (; at < end; at++) {
		uint8_t byte = *at;
		if (*is_escaped) {
			*is_escaped = false;
		} else if (skip->in_string) {
			*is_escaped = byte == '\\';
			skip->in_string = byte != '"';
			if (byte == '"' && skip->depth == 0)
				return at + 1;
		} else if (byte == '"') {
			skip->in_string = true;
		} else if (byte == '{' || byte == '[') {
			skip->depth++;
		} else if (byte == '}' || byte == ']') {
			if (skip->depth <= 1)
				return skip->depth == 0 ? at : at + 1;
			skip->depth--;
		} else if (skip->depth == 0 && (byte == ',' || byte <= ' ')) {
			return at;
		}
	}
	return NULL;
}

/* Pass over the value that is next, however large.  Returns HISTREE_END if the file ends within it. */
static enum histree_status skip_value(struct json_source *source, struct histree_error *error)
{
	struct skip skip = { 0 };
	bool is_escaped = false;
	for (;;) {
		const uint8_t *end =
			skip_bytes(&skip, source->packed.content.at, source->packed.content.end, &is_escaped);
		source->packed.content.at = end != NULL ? end : source->packed.content.end;
		if (end != NULL)
			return HISTREE_OK;
		enum histree_status status = more(source, error);
		if (status != HISTREE_OK)
			return status;
	}
}

/* ---- damage ---------------------------------------------------------------------------------------------- */

static struct trace_notes *notes_of(const struct json_source *source)
{
	return source->packed.base.notes;
}

static void end_by_damage_at(struct json_source *source, const char *what, uint64_t offset)
{
	if (source->is_damaged)
		return;
	source->is_damaged = true;
	notes_of(source)->report.damaged_streams++;
	trace_notes_warn(notes_of(source), "%s: %s at byte %" PRIu64 "%s: what comes after that is lost",
			 source->packed.base.path, what, offset,
			 source->packed.content.gunzip != NULL ? " of what is packed" : "");
}

static void end_by_damage(struct json_source *source, const char *what)
{
	end_by_damage_at(source, what, trace_bytes_offset(&source->packed.content));
}

/* The file ends: of an array that is no damage, unless it is in the middle of something. */
static void end_of_file(struct json_source *source, bool is_in_the_middle)
{
	if (source->packed.content.is_cut)
		end_by_damage(source, gunzip_is_over(source->packed.content.gunzip)
					      ? "is packed, and " UNPACK_IS_TOO_MUCH
					      : "is packed, and is cut or damaged");
	else if (is_in_the_middle)
		end_by_damage(source, "is cut");
}

/* An object that is not an event is skipped, and does not make the other events less true. */
static void pass_over(struct json_source *source, uint64_t offset)
{
	if (source->passed_over++ == 0)
		source->first_passed = offset;
}

/* ---- events ---------------------------------------------------------------------------------------------- */

/* What an object of a list or of a table is. */
enum object_kind { OBJECT_EVENT, OBJECT_SAMPLE, OBJECT_FRAME };

/* An object, whose brace is next: read as often as it takes until all of it is there. */
static enum json_result read_object(struct json_source *source, enum object_kind kind, enum histree_status *status,
				    struct histree_error *error)
{
	for (;;) {
		if (!json_text_begin(&source->text, source->packed.content.at, source->packed.content.end))
			return JSON_NO_MEMORY;
		enum json_result result = kind == OBJECT_EVENT
						  ? json_event_read(&source->text, &source->event)
						  : json_sample_read(&source->text, &source->samples.sample);
		size_t size = (size_t)(source->packed.content.end - source->packed.content.at);
		if (result == JSON_OK)
			source->packed.content.at = source->text.at;
		if (result != JSON_MORE || size > JSON_EVENT_MAX)
			return result;
		*status = more(source, error);
		if (*status != HISTREE_OK)
			return JSON_MORE;
	}
}

/* ---- where events go on ---------------------------------------------------------------------------------- */

/* An object that is larger is not found to be an event. */
enum { LOOK_MAX = 64 << 10 };

/* Have `size` bytes in the window, or all that are left. */
static enum histree_status have(struct json_source *source, size_t size, struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	while (status == HISTREE_OK && (size_t)(source->packed.content.end - source->packed.content.at) < size)
		status = more(source, error);
	return status == HISTREE_END ? HISTREE_OK : status;
}

/* Whether the object whose brace is next is an event: it says its phase, or it is of `kind`.  It is read then. */
static enum json_result look_at_object(struct json_source *source, enum object_kind kind)
{
	const uint8_t *end = source->packed.content.end;
	if (end - source->packed.content.at > LOOK_MAX)
		end = source->packed.content.at + LOOK_MAX;
	if (!json_text_begin(&source->text, source->packed.content.at, end))
		return JSON_NO_MEMORY;
	enum json_result result = kind == OBJECT_EVENT ? json_event_read(&source->text, &source->event)
						       : json_sample_read(&source->text, &source->samples.sample);
	const struct json_word *phase = &source->event.members[MEMBER_PHASE];
	source->looked_at += (uint64_t)(source->text.at - source->packed.content.at);
	if (result == JSON_OK && kind == OBJECT_EVENT && (phase->kind != JSON_STRING || phase->size != 1))
		return JSON_BAD;
	return result;
}

/*
 * Behind something that is no event: find the next brace that an event begins with.  Quotes do not help, as one may
 * be missing.  A brace within an event may be tried in vain; how much is looked at is bounded by what was read.
 */
static enum histree_status find_next(struct json_source *source, enum object_kind kind, struct histree_error *error)
{
	for (;;) {
		source->packed.content.at++;
		enum histree_status status = have(source, LOOK_MAX, error);
		if (status != HISTREE_OK)
			return status;
		size_t size = (size_t)(source->packed.content.end - source->packed.content.at);
		const uint8_t *brace = memchr(source->packed.content.at, '{', size);
		source->packed.content.at = brace != NULL ? brace : source->packed.content.end - (size > 0);
		if (brace == NULL && size <= 1)
			return HISTREE_END;
		if (brace == NULL)
			continue;
		if (source->looked_at / 8 > trace_bytes_offset(&source->packed.content) + (1 << 20)) {
			end_by_damage(source, "is no JSON in too many places, the last one");
			return HISTREE_END;
		}
		status = have(source, LOOK_MAX, error);
		if (status != HISTREE_OK)
			return status;
		enum json_result result = look_at_object(source, kind);
		if (result == JSON_NO_MEMORY)
			return error_memory(error, "an event");
		if (result == JSON_OK)
			return HISTREE_OK;
	}
}

/* ---- lists ----------------------------------------------------------------------------------------------- */

static enum histree_status read_event(struct json_source *source, enum object_kind kind, const char *id,
				      struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	enum json_result result = read_object(source, kind, &status, error);
	if (result == JSON_NO_MEMORY)
		return error_memory(error, "an event");
	if (status == HISTREE_END && kind != OBJECT_FRAME && !source->packed.content.is_cut) {
		/*
		 * The file ends within an object. It is cut, or a quote or a bracket is missing, and other
		 * events lie inside.
		 */
		uint64_t begin = trace_bytes_offset(&source->packed.content);
		status = find_next(source, kind, error);
		if (status == HISTREE_END)
			end_by_damage_at(source, "is cut", begin);
		if (status == HISTREE_OK)
			pass_over(source, begin);
		return status;
	}
	if (status == HISTREE_END)
		end_of_file(source, true);
	if (status != HISTREE_OK)
		return status;
	if (result == JSON_OK) {
		/* What was read; a frame is known by its name in the table. */
		struct json_samples *samples = &source->samples;
		samples->base = source->tracks.base;
		if (kind == OBJECT_FRAME)
			return json_samples_take_frame(samples, id, error);
		if (kind == OBJECT_SAMPLE)
			return json_samples_take(samples, error);
		if (json_samples_is_profile(&source->event))
			return json_samples_take_profile(samples, &source->event, error);
		status = json_tracks_take(&source->tracks, &source->event, error);
		return status == HISTREE_OK ? json_samples_take_event(samples, &source->event, error) : status;
	}
	source->too_large += result == JSON_MORE;
	pass_over(source, trace_bytes_offset(&source->packed.content));
	if (result == JSON_BAD && kind != OBJECT_FRAME)
		return find_next(source, kind, error);
	status = skip_value(source, error);
	if (status == HISTREE_END)
		end_of_file(source, true);
	return status;
}

/* An array of events or samples, behind its bracket.  Returns HISTREE_END if the file is not read on behind it. */
static enum histree_status read_events(struct json_source *source, enum object_kind kind,
				       struct histree_error *error)
{
	enum histree_status status;
	source->has_events = true;
	while ((status = peek(source, error)) == HISTREE_OK) {
		uint8_t byte = *source->packed.content.at;
		if (byte == '{') {
			status = read_event(source, kind, NULL, error);
		} else if (byte == '"' || byte == '[' || byte == '-' || (byte >= '0' && byte <= '9') ||
			   (byte != '\0' && strchr("tfnNI", byte) != NULL)) {
			source->others++;
			status = skip_value(source, error);
		} else if (byte == ',' || byte == ']') {
			source->packed.content.at++;
		} else {
			pass_over(source, trace_bytes_offset(&source->packed.content));
			status = find_next(source, kind, error);
		}
		if (status != HISTREE_OK || byte == ']')
			return status;
	}
	if (status == HISTREE_END)
		end_of_file(source, !source->is_array);
	return status;
}

/* ---- the whole ------------------------------------------------------------------------------------------- */

enum { KEY_SIZE = 32, BASE_SIZE = 32 };

/* The name of a member of the whole; "" where the object ends. */
static enum histree_status read_key(struct json_source *source, char key[static KEY_SIZE],
				    struct histree_error *error)
{
	for (;;) {
		struct json_word name;
		if (!json_text_begin(&source->text, source->packed.content.at, source->packed.content.end))
			return error_memory(error, "a name");
		enum json_result result = json_scan_member(&source->text, &name);
		size_t size = name.size < KEY_SIZE - 1 ? name.size : KEY_SIZE - 1;
		if (result == JSON_OK) {
			if (size > 0)
				memcpy(key, name.bytes, size);
			key[size] = '\0';
			source->packed.content.at = source->text.at;
			return name.kind != JSON_ABSENT ? HISTREE_OK : HISTREE_END;
		}
		bool is_damaged = result != JSON_MORE ||
				  (size_t)(source->packed.content.end - source->packed.content.at) > JSON_EVENT_MAX;
		enum histree_status status = is_damaged ? HISTREE_END : more(source, error);
		if (status == HISTREE_END && is_damaged)
			end_by_damage(source, "is no JSON");
		else if (status == HISTREE_END)
			end_of_file(source, true);
		if (status != HISTREE_OK)
			return status;
	}
}

/* A table of frames by their ids, behind its brace. */
static enum histree_status read_frames(struct json_source *source, struct histree_error *error)
{
	char id[KEY_SIZE];
	enum histree_status status;
	while ((status = read_key(source, id, error)) == HISTREE_OK) {
		status = peek(source, error);
		if (status == HISTREE_OK)
			status = *source->packed.content.at == '{' ? read_event(source, OBJECT_FRAME, id, error)
								   : skip_value(source, error);
		if (status == HISTREE_END)
			end_of_file(source, true);
		if (status != HISTREE_OK)
			return status;
	}
	return status == HISTREE_END && !source->is_damaged ? HISTREE_OK : status;
}

/*
 * A recorder with a clock of its own says since when it counts; if it does so behind the events, that is too late
 * for a reader in their order.
 */
static enum histree_status read_base(struct json_source *source, struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	if (source->packed.content.end - source->packed.content.at < BASE_SIZE)
		status = more(source, error);
	if (status < 0)
		return status;
	const char *digits = (const char *)source->packed.content.at;
	size_t size = 0, room = (size_t)(source->packed.content.end - source->packed.content.at);
	while (size < room && (isdigit((unsigned char)digits[size]) || digits[size] == '-'))
		size++;
	if (source->has_events || !json_number_int(digits, size, &source->tracks.base))
		trace_notes_warn(notes_of(source), "%s: its \"baseTimeNanoseconds\" is %s, and not used",
				 source->packed.base.path,
				 source->has_events ? "behind its events" : "no integer of 64 bits");
	return HISTREE_OK;
}

static enum histree_status read_member(struct json_source *source, struct histree_error *error)
{
	char key[KEY_SIZE];
	enum histree_status status = read_key(source, key, error);
	if (status != HISTREE_OK)
		return status;
	status = peek(source, error);
	if (status == HISTREE_END)
		end_of_file(source, true);
	if (status == HISTREE_OK && strcmp(key, "traceEvents") == 0 && *source->packed.content.at == '[') {
		source->packed.content.at++;
		return read_events(source, OBJECT_EVENT, error);
	}
	if (status == HISTREE_OK && strcmp(key, "samples") == 0 && *source->packed.content.at == '[') {
		source->packed.content.at++;
		return read_events(source, OBJECT_SAMPLE, error);
	}
	if (status == HISTREE_OK && strcmp(key, "stackFrames") == 0 && *source->packed.content.at == '{') {
		source->packed.content.at++;
		return read_frames(source, error);
	}
	if (status == HISTREE_OK && strcmp(key, "baseTimeNanoseconds") == 0)
		status = read_base(source, error);
	/* A text of ftrace, which is read as a trace of its own (line_text.h). */
	if (status == HISTREE_OK && strcmp(key, "systemTraceEvents") == 0 && *source->packed.content.at == '"')
		source->has_system = true;
	if (status == HISTREE_OK) {
		status = skip_value(source, error);
		if (status == HISTREE_END)
			end_of_file(source, true);
	}
	return status;
}

/* An object outside of all lists: one that has them as members, or an event. */
static enum histree_status read_outside(struct json_source *source, struct histree_error *error)
{
	enum histree_status status = have(source, LOOK_MAX, error);
	enum json_result result = status == HISTREE_OK ? look_at_object(source, OBJECT_EVENT) : JSON_BAD;
	if (status != HISTREE_OK)
		return status;
	if (result == JSON_NO_MEMORY)
		return error_memory(error, "an event");
	if (result == JSON_OK || source->is_lines) {
		source->is_lines = source->has_events = true;
		return read_event(source, OBJECT_EVENT, NULL, error);
	}
	source->packed.content.at++;
	while (status == HISTREE_OK)
		status = read_member(source, error);
	return status == HISTREE_END && !source->is_damaged ? HISTREE_OK : status;
}

/* Arrays and objects may come behind one another.  Returns HISTREE_END when there is nothing more to read. */
static enum histree_status read_whole(struct json_source *source, struct histree_error *error)
{
	enum histree_status status = more(source, error);
	if (status == HISTREE_OK && source->packed.content.end - source->packed.content.at >= 3 &&
	    memcmp(source->packed.content.at, "\xef\xbb\xbf", 3) == 0) /* of UTF-8 */
		source->packed.content.at += 3;
	bool is_first = true;
	for (; status == HISTREE_OK && (status = peek(source, error)) == HISTREE_OK; is_first = false) {
		uint8_t byte = *source->packed.content.at;
		if (byte == '[') {
			source->packed.content.at++;
			source->is_array = true;
			status = read_events(source, OBJECT_EVENT, error);
			source->is_array = false;
		} else if (byte == '{') {
			status = read_outside(source, error);
		} else if (!is_first && (byte == ',' || byte == ']' || byte == ';' || byte == '\0')) {
			source->packed.content.at++;
		} else if (is_first || source->is_lines) {
			pass_over(source, trace_bytes_offset(&source->packed.content));
			status = find_next(source, OBJECT_EVENT, error);
		} else {
			trace_notes_warn(notes_of(source),
					 "%s: what is behind its events, from byte %" PRIu64 " on, is not read",
					 source->packed.base.path, trace_bytes_offset(&source->packed.content));
			return HISTREE_END;
		}
	}
	if (status == HISTREE_END)
		end_of_file(source, false);
	return status;
}

static enum histree_status read_file(struct packed_source *packed, struct histree_error *error)
{
	struct json_source *source = (struct json_source *)packed;
	source->is_damaged = source->has_events = source->has_system = false;
	source->is_array = source->is_lines = false;
	source->passed_over = source->too_large = source->others = source->looked_at = 0;
	enum histree_status status = packed_source_rewind(packed, error);
	if (status == HISTREE_OK)
		status = json_tracks_begin(&source->tracks, packed, error);
	json_samples_begin(&source->samples, packed);
	if (status == HISTREE_OK)
		status = read_whole(source, error);
	if (status >= 0) {
		enum histree_status last = json_samples_end(&source->samples, error);
		status = last < 0 ? last : status;
	}
	if (status < 0)
		return status;
	if (!source->has_events && !source->has_system && !source->is_damaged)
		return error_set(
			error, HISTREE_ERR_TRACE,
			"is JSON without \"traceEvents\", a list of events; an array of events is a trace, "
			"too, and lines of JSON with a time are with the map 'text:time=NAME:FILE'");
	status = json_tracks_end(&source->tracks, error);
	if (status == HISTREE_OK && source->is_damaged)
		status = packed_source_lose_rest(packed, error);
	const char *path = source->packed.base.path;
	if (source->passed_over > source->too_large)
		trace_notes_warn(notes_of(source),
				 "%s: events that are no JSON were passed over: %" PRIu64
				 ", the first at byte %" PRIu64 "%s",
				 path, source->passed_over - source->too_large, source->first_passed,
				 source->packed.content.gunzip != NULL ? " of what is packed" : "");
	if (source->too_large > 0)
		trace_notes_warn(notes_of(source), "%s: events larger than %d MiB were passed over: %" PRIu64, path,
				 JSON_EVENT_MAX >> 20, source->too_large);
	if (source->others > 0)
		trace_notes_warn(notes_of(source), "%s: values among its events that are no objects: %" PRIu64,
				 path, source->others);
	return status < 0 ? status : HISTREE_OK;
}

static const struct packed_reader reader = { .read = read_file };

/* ---- the trace ------------------------------------------------------------------------------------------- */

static bool begins(const void *bytes, size_t size)
{
	return json_look(bytes, size) == LOOK_TRACE;
}

static enum histree_status scan(struct trace_source *base, struct histree_error *error)
{
	return packed_source_scan(base, &reader, TRACK_DOMAIN, "json", error);
}

static void release(struct trace_source *base)
{
	struct json_source *source = (struct json_source *)base;
	json_text_release(&source->text);
	json_event_release(&source->event);
	json_tracks_release(&source->tracks);
	json_samples_release(&source->samples);
	packed_source_release(&source->packed);
}

const struct trace_format_kind json_format = {
	.size = sizeof(struct json_source),
	.reads = "Trace Event JSON (Chrome)",
	.name = "a trace in JSON",
	.begins = begins,
	.may_be_packed = true,
	.scan = scan,
	PACKED_SOURCE_KIND,
	.beside = &line_in_json_format,
	.release = release,
};
