// SPDX-License-Identifier: MIT
/*
 * profile.c - profiles that are one document: what readers of their formats fill, and the sources that they
 * become.
 *
 * The sources are speedscope, V8, Firefox, and folded stacks.
 */
#include "trace/profile/profile.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "trace/json/json_text.h"
#include "trace/packed/packed_markers.h"
#include "trace/packed/packed_samples.h"
#include "trace/trace_bytes.h"
#include "trace/trace_source.h"

/* Whether it begins so: '{', '[', '"'. */
static inline bool json_span_is(struct json_span span, char byte)
{
	return span.at < span.end && *span.at == (uint8_t)byte;
}

/* Times are read in 10^-9 ns, and rounded when they are added: durations add up to their ends. */
/* A text of more bytes says nothing: names are at most PACKED_NAME_MAX. */
enum { PROFILE_TEXT_MAX = 1 << 20 };

enum { PROFILE_DOCUMENT_MAX = 256 << 20 };

/* ---- profile ------------------------------------------------------------------------------------------------- */

static bool profile_begin(struct profile *profile, struct packed_source *packed, struct histree_error *error)
{
	profile->packed = packed;
	profile->left_out = profile->spans = 0;
	profile->is_out_of_memory = false;
	packed_samples_begin(&profile->samples, packed, &packed->base.trace);
	return packed_track_classes(packed, NULL, profile->classes, error);
}

/* Says in the notes what was left out. */
static void profile_end(struct profile *profile)
{
	packed_samples_end(&profile->samples);
	if (profile->left_out > 0)
		trace_notes_warn(
			profile->packed->base.notes,
			"%s: samples, spans or frames are left out that have no time, no number or no stack: "
			"%" PRIu64,
			profile->packed->base.path, profile->left_out);
}

static void profile_release(struct profile *profile)
{
	packed_samples_release(&profile->samples);
	for (size_t i = 0; i < sizeof(profile->texts) / sizeof(profile->texts[0]); i++)
		json_text_release(&profile->texts[i]);
	packed_parts_release(&profile->args);
}

bool profile_time(json_wide exact, histree_time *out)
{
	const json_wide unit = 1000000000;
	const json_wide ns = (exact + (exact < 0 ? -unit / 2 : unit / 2)) / unit;
	*out = (histree_time)ns;
	return ns > INT64_MIN && ns < INT64_MAX;
}

uint32_t profile_frame(struct profile *profile, struct json_span function, struct json_span binary,
		       struct json_span line)
{
	const struct packed_text function_text =
		json_span_text(function, &profile->texts[0], &profile->is_out_of_memory);
	const struct packed_text binary_text =
		json_span_text(binary, &profile->texts[1], &profile->is_out_of_memory);
	struct packed_text line_text = json_span_text(line, &profile->texts[2], &profile->is_out_of_memory);
	int64_t number;
	if (line_text.size == 0 && json_span_int(line, &number))
		line_text = (struct packed_text){ (const char *)line.at, (size_t)(line.end - line.at) };
	return packed_samples_frame(&profile->samples, function_text, binary_text, line_text);
}

const struct event_frame *profile_frame_texts(const struct profile *profile, uint32_t frame)
{
	return &profile->samples.frame_list[frame];
}

static struct packed_cell cell_of(struct packed_text text)
{
	const struct packed_cell none = { .kind = PACKED_ABSENT };
	size_t size = text.size;
	if (size > PACKED_NAME_MAX)
		for (size = PACKED_NAME_MAX; size > 0 && ((unsigned char)text.bytes[size] & 0xc0) == 0x80;)
			size--;
	return size > 0 ? packed_text(text.bytes, size) : none;
}

static struct packed_cell number_cell(bool is_known, int64_t number)
{
	return is_known ? packed_int(number) : (struct packed_cell){ .kind = PACKED_ABSENT };
}

enum histree_status profile_name(struct profile *profile, const struct profile_thread *thread, bool is_process,
				 struct json_span name, struct histree_error *error)
{
	const struct packed_cell text =
		cell_of(json_span_text(name, &profile->texts[0], &profile->is_out_of_memory));
	const struct packed_cell cells[TRACK_FIELD_COUNT] = {
		[TRACK_NAME] = text,
		[TRACK_PID] = number_cell(thread->has_pid, thread->pid),
		[TRACK_TID] = number_cell(thread->has_tid && !is_process, thread->tid),
	};
	const struct packed_event event = {
		.time = PACKED_NO_TIME,
		.cpu = -1,
		.class = profile->classes[is_process ? TRACK_PROCESS_NAME : TRACK_THREAD_NAME],
		.cells = cells,
	};
	return text.kind == PACKED_TEXT ? packed_source_add(profile->packed, &event, error) : HISTREE_OK;
}

enum histree_status profile_sample(struct profile *profile, const struct profile_thread *thread, const char *event,
				   histree_time time, int64_t weight, uint32_t stack, struct histree_error *error)
{
	const struct packed_sample sample = {
		.time = time,
		.cpu = -1,
		.event = packed_string(event),
		.stack = stack,
		.cells = { [SAMPLE_PID] = number_cell(thread->has_pid, thread->pid),
			   [SAMPLE_TID] = number_cell(thread->has_tid, thread->tid),
			   [SAMPLE_WEIGHT] = number_cell(weight >= 0, weight) },
	};
	return packed_samples_add(&profile->samples, &sample, error);
}

/* Returns false if memory is out; what is no object, or large, says nothing. */
static bool read_args(struct profile *profile, struct json_span value, struct packed_cell *out)
{
	struct json_text *text = &profile->texts[0];
	if (!json_span_is(value, '{') || value.end - value.at > PROFILE_TEXT_MAX)
		return true;
	if (!json_text_begin(text, value.at, value.end))
		return false;
	packed_parts_clear(&profile->args);
	const enum json_result result = json_scan_parts(text, &profile->args, NULL, 0);
	if (result == JSON_OK && !profile->args.has_failed)
		*out = packed_value(&profile->args);
	return result != JSON_NO_MEMORY && !profile->args.has_failed;
}

enum histree_status profile_add_span(struct profile *profile, const struct profile_thread *thread,
				     const struct profile_span *span, struct histree_error *error)
{
	struct packed_cell cells[TRACK_FIELD_COUNT] = {
		[TRACK_NAME] = cell_of(span->name),
		[TRACK_CATEGORY] = cell_of(span->category),
		[TRACK_TRACK] = cell_of(span->track),
		[TRACK_PID] = number_cell(thread->has_pid, thread->pid),
		[TRACK_TID] = number_cell(thread->has_tid && span->track.size == 0, thread->tid),
	};
	if (span->class == TRACK_SPAN)
		cells[TRACK_DURATION] = packed_int(span->end - span->time);
	if (!read_args(profile, span->args, &cells[TRACK_ARGS]))
		return error_memory(error, "a profile");
	const struct packed_event event = {
		.time = span->time, .cpu = -1, .class = profile->classes[span->class], .cells = cells
	};
	profile->spans++;
	return packed_source_add(profile->packed, &event, error);
}

/* ---- profile json -------------------------------------------------------------------------------------------- */

static const uint8_t *behind_space(const uint8_t *at, const uint8_t *end)
{
	while (at < end && (*at == ' ' || *at == '\n' || *at == '\t' || *at == '\r'))
		at++;
	return at;
}

/* Behind the quote that ends a string; the end of the bytes if none does. */
static const uint8_t *behind_string(const uint8_t *at, const uint8_t *end)
{
	for (at++; at < end && *at != '"'; at++)
		at += *at == '\\';
	return at < end ? at + 1 : end;
}

static bool ends_word(uint8_t byte)
{
	return byte == ',' || byte == ']' || byte == '}' || byte == ':' || byte <= ' ';
}

/* Release pages of the document, once in a number of bytes of a walk. */
static void look(struct table_space *space, const uint8_t *from, const uint8_t *at)
{
	enum { LOOK_BITS = 20 };
	if (((uintptr_t)from ^ (uintptr_t)at) >> LOOK_BITS != 0)
		table_space_look(space);
}

/* Returns the value at the beginning of some bytes, behind white space. */
static struct json_span json_span_value(struct json_span bytes)
{
	const uint8_t *begin = behind_space(bytes.at, bytes.end), *at = begin;
	uint64_t depth = 0;
	if (at < bytes.end && *at != '{' && *at != '[' && *at != '"') {
		while (at < bytes.end && !ends_word(*at))
			at++;
		look(bytes.space, bytes.at, at);
		return (struct json_span){ begin, at, bytes.space };
	}
	while (at < bytes.end) {
		const uint8_t *from = at;
		if (*at == '"') {
			at = behind_string(at, bytes.end);
		} else {
			depth += *at == '{' || *at == '[';
			depth -= (*at == '}' || *at == ']') && depth > 0;
			at++;
		}
		look(bytes.space, from, at);
		if (depth == 0)
			break;
	}
	return (struct json_span){ begin, at, bytes.space };
}

struct json_span json_span_inside(struct json_span value, char bracket)
{
	const struct json_span none = { value.end, value.end, value.space };
	return json_span_is(value, bracket) ? (struct json_span){ value.at + 1, value.end, value.space } : none;
}

bool json_span_next(struct json_span *rest, struct json_span *element)
{
	while ((rest->at = behind_space(rest->at, rest->end)) < rest->end && *rest->at == ',')
		rest->at++;
	*element = json_span_value(*rest);
	rest->at = element->end;
	return json_span_is_there(*element);
}

static bool json_span_next_member(struct json_span *rest, struct json_span *name, struct json_span *value)
{
	if (!json_span_next(rest, name) || !json_span_is(*name, '"'))
		return false;
	rest->at = behind_space(rest->at, rest->end);
	if (!json_span_is(*rest, ':'))
		return false;
	rest->at++;
	*value = json_span_value(*rest);
	rest->at = value->end;
	return json_span_is_there(*value);
}

bool json_span_is_text(struct json_span value, const char *text)
{
	const size_t size = strlen(text);
	return (size_t)(value.end - value.at) == size + 2 && *value.at == '"' &&
	       memcmp(value.at + 1, text, size) == 0;
}

struct json_span json_span_find(struct json_span object, const char *name)
{
	struct json_span rest = json_span_inside(object, '{'), key, value;
	while (json_span_next_member(&rest, &key, &value))
		if (json_span_is_text(key, name))
			return value;
	return (struct json_span){ object.end, object.end, object.space };
}

bool json_span_scaled(struct json_span value, int scale, json_wide *out)
{
	const size_t size = (size_t)(value.end - value.at);
	return size > 0 && json_number_scaled((const char *)value.at, size, scale, out);
}

bool json_span_int(struct json_span value, int64_t *out)
{
	json_wide wide;
	const size_t size = (size_t)(value.end - value.at);
	if (size > 0 && json_number_int((const char *)value.at, size, out))
		return true;
	if (!json_span_scaled(value, 6, &wide) || wide % 1000000 != 0)
		return false;
	wide /= 1000000;
	*out = (int64_t)wide;
	return wide >= INT64_MIN && wide <= INT64_MAX;
}

struct packed_text json_span_text(struct json_span value, struct json_text *text, bool *is_out_of_memory)
{
	const struct packed_text none = { "", 0 };
	struct json_word word;
	if (!json_span_is(value, '"') || value.end - value.at > PROFILE_TEXT_MAX)
		return none;
	if (!json_text_begin(text, value.at, value.end)) {
		*is_out_of_memory = true;
		return none;
	}
	if (json_scan_string(text, &word) != JSON_OK)
		return none;
	return (struct packed_text){ word.bytes, word.size };
}

/* ---- documents ------------------------------------------------------------------------------------------- */

static bool has(struct json_span value, const char *text)
{
	return memmem(value.at, (size_t)(value.end - value.at), text, strlen(text)) != NULL;
}

static bool begins_list_of(struct json_span value, const char *bytes)
{
	struct json_span rest = json_span_inside(value, '['), element;
	return json_span_next(&rest, &element) && strchr(bytes, (char)*element.at) != NULL;
}

/* What a member says of the document; the last one may be cut where the first bytes end. */
static enum profile_look look_at_member(struct json_span name, struct json_span value)
{
	static const char digits[] = "-0123456789";
	if ((json_span_is_text(name, "$schema") || json_span_is_text(name, "exporter")) && has(value, "speedscope"))
		return PROFILE_SPEEDSCOPE;
	if (json_span_is_text(name, "activeProfileIndex") ||
	    (json_span_is_text(name, "shared") && has(value, "\"frames\"")) ||
	    (json_span_is_text(name, "profiles") && (has(value, "\"evented\"") || has(value, "\"sampled\""))))
		return PROFILE_SPEEDSCOPE;
	if ((json_span_is_text(name, "nodes") && begins_list_of(value, "{") && has(value, "\"callFrame\"")) ||
	    (json_span_is_text(name, "samples") && begins_list_of(value, digits)) ||
	    (json_span_is_text(name, "timeDeltas") && begins_list_of(value, digits)))
		return PROFILE_V8;
	if (json_span_is_text(name, "meta") &&
	    (has(value, "\"preprocessedProfileVersion\"") || has(value, "\"interval\"")))
		return PROFILE_FIREFOX;
	return PROFILE_NONE;
}

static enum profile_look look_at_document(struct json_span bytes)
{
	struct json_span rest = json_span_inside(bytes, '{'), name, value;
	while (json_span_next_member(&rest, &name, &value)) {
		enum profile_look look = look_at_member(name, value);
		if (look != PROFILE_NONE)
			return look;
	}
	return PROFILE_NONE;
}

/* ---- folded stacks --------------------------------------------------------------------------------------- */

static bool is_folded_line(const uint8_t *at, const uint8_t *end)
{
	const uint8_t *number;
	unsigned points = 0;
	while (end > at && (end[-1] == '\r' || end[-1] == ' '))
		end--;
	for (number = end; number > at && (number[-1] == '.' || (number[-1] >= '0' && number[-1] <= '9')); number--)
		points += number[-1] == '.';
	for (const uint8_t *byte = at; byte < end; byte++)
		if (*byte < ' ')
			return false;
	return points <= 1 && number < end && number > at + 1 && number[-1] == ' ';
}

/* Each line ends with a number, and some have frames with semicolons between them; one that is cut says nothing. */
static bool is_folded(const uint8_t *at, const uint8_t *end)
{
	bool has_frames = false;
	unsigned lines = 0;
	while (at < end) {
		const uint8_t *line_end = memchr(at, '\n', (size_t)(end - at));
		if (line_end == NULL && lines > 0)
			break;
		line_end = line_end != NULL ? line_end : end;
		const bool says_nothing = line_end == at || *at == '#' || *at == '\r';
		if (!says_nothing && !is_folded_line(at, line_end))
			return false;
		has_frames |= !says_nothing && memchr(at, ';', (size_t)(line_end - at)) != NULL;
		lines += !says_nothing;
		at = line_end < end ? line_end + 1 : end;
	}
	return has_frames;
}

enum profile_look profile_look(const void *bytes, size_t size)
{
	const uint8_t *at = bytes, *end = at + size;
	if (size >= 3 && memcmp(at, "\xef\xbb\xbf", 3) == 0) /* of UTF-8 */
		at += 3;
	const struct json_span whole = json_span_value((struct json_span){ at, end, NULL });
	if (json_span_is(whole, '{'))
		return look_at_document(whole);
	return is_folded(at, end) ? PROFILE_FOLDED : PROFILE_NONE;
}

/* ---- profile source ------------------------------------------------------------------------------------------ */

/* The first bytes decide what a file is; a longer line is not one of folded stacks. */
enum { FIRST_BYTES = 4096, FOLDED_LINE_MAX = 1 << 20, PROFILE_DECIMALS = 3 };

struct profile_source {
	struct packed_source packed;
	struct profile profile;
};

/* ---- documents ------------------------------------------------------------------------------------------- */

/* Bring all of the file, or `size` bytes, into the window. */
static enum histree_status bring(struct profile_source *source, size_t size, struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	while (status == HISTREE_OK && (size_t)(source->packed.content.end - source->packed.content.at) < size) {
		status = packed_source_look(&source->packed, error);
		if (status == HISTREE_OK)
			status = trace_bytes_more(&source->packed.content, error);
	}
	return status == HISTREE_END ? HISTREE_OK : status;
}

static bool is_whole(struct json_span document)
{
	struct json_span rest = json_span_inside(document, '{'), name, value;
	while (json_span_next_member(&rest, &name, &value))
		;
	return json_span_is(rest, '}') && rest.end - rest.at == 1;
}

static enum histree_status read_document(struct profile_source *source, enum profile_look look,
					 struct histree_error *error)
{
	const struct trace_bytes *bytes = &source->packed.content;
	struct trace_notes *notes = source->packed.base.notes;
	source->packed.content.table.space = &source->packed.tables;
	enum histree_status status = bring(source, (size_t)PROFILE_DOCUMENT_MAX + 1, error);
	if (status != HISTREE_OK)
		return status;
	if (bytes->end - bytes->at > PROFILE_DOCUMENT_MAX)
		return error_set(
			error, HISTREE_ERR_TRACE,
			"is a profile of more than %d MiB, and such are read as a whole: save a part of it",
			PROFILE_DOCUMENT_MAX >> 20);
	struct json_span document =
		json_span_value((struct json_span){ bytes->at, bytes->end, &source->packed.tables });
	status = look == PROFILE_SPEEDSCOPE ? profile_read_speedscope(&source->profile, document, error)
		 : look == PROFILE_V8       ? profile_read_v8(&source->profile, document, error)
					    : profile_read_firefox(&source->profile, document, error);
	if (source->profile.is_out_of_memory)
		return error_memory(error, "a profile");
	if (status != HISTREE_OK || (is_whole(document) && !bytes->is_cut))
		return status;
	notes->report.damaged_streams++;
	trace_notes_warn(notes, "%s: is cut, or no JSON in some place: what comes after that is lost",
			 source->packed.base.path);
	return packed_source_lose_rest(&source->packed, error);
}

/* ---- folded stacks --------------------------------------------------------------------------------------- */

/* The next line, without what ends it; HISTREE_END behind the last one. */
static enum histree_status next_line(struct profile_source *source, const char **line, size_t *size,
				     struct histree_error *error)
{
	struct trace_bytes *bytes = &source->packed.content;
	enum histree_status status = HISTREE_OK;
	size_t known = 0;
	const uint8_t *end;
	while ((end = bytes->at + known < bytes->end
			      ? memchr(bytes->at + known, '\n', (size_t)(bytes->end - bytes->at) - known)
			      : NULL) == NULL &&
	       status == HISTREE_OK && (known = (size_t)(bytes->end - bytes->at)) < FOLDED_LINE_MAX) {
		status = packed_source_look(&source->packed, error);
		if (status == HISTREE_OK)
			status = trace_bytes_more(bytes, error);
	}
	if (status < 0)
		return status;
	if (bytes->at == bytes->end)
		return HISTREE_END;
	*line = (const char *)bytes->at;
	*size = (size_t)((end != NULL ? end : bytes->end) - bytes->at);
	bytes->at += *size + (end != NULL);
	while (*size > 0 && ((*line)[*size - 1] == '\r' || (*line)[*size - 1] == ' '))
		--*size;
	return HISTREE_OK;
}

/* Returns where the number at the end of a line begins, or NULL. */
static const char *count_of(const char *line, size_t size)
{
	const char *space = memrchr(line, ' ', size);
	json_wide wide;
	const bool is = space != NULL && space > line &&
			json_number_scaled(space + 1, (size_t)(line + size - space) - 1, PROFILE_DECIMALS, &wide) &&
			wide >= 0 && wide <= INT64_MAX;
	return is ? space + 1 : NULL;
}

static uint32_t stack_of_line(struct profile_source *source, const char *at, const char *end)
{
	const struct packed_text none = { "", 0 };
	struct packed_samples *samples = &source->profile.samples;
	uint32_t stack = EVENT_NO_STACK;
	for (size_t depth = 0; depth < PACKED_DEEP_MAX && at <= end; depth++) {
		const char *semicolon = memchr(at, ';', (size_t)(end - at));
		const char *frame_end = semicolon != NULL ? semicolon : end;
		const struct packed_text name = { at, (size_t)(frame_end - at) };
		stack = packed_samples_stack(samples, stack, packed_samples_frame(samples, name, none, none));
		if (stack == EVENT_NO_STACK)
			return stack;
		at = frame_end + 1;
	}
	return stack;
}

static enum histree_status take_line(struct profile_source *source, const char *line, size_t size,
				     bool has_fractions, struct histree_error *error)
{
	static const struct profile_thread nobody = { .has_pid = false };
	struct profile *profile = &source->profile;
	const char *count = count_of(line, size);
	json_wide weight = 0;
	if (size == 0 || *line == '#')
		return HISTREE_OK;
	if (count == NULL) {
		profile->left_out++;
		return HISTREE_OK;
	}
	json_number_scaled(count, (size_t)(line + size - count), has_fractions ? PROFILE_DECIMALS : 0, &weight);
	const char *end = count - 1;
	while (end > line && end[-1] == ' ')
		end--;
	const uint32_t stack = stack_of_line(source, line, end);
	return profile_sample(profile, &nobody, "samples", (histree_time)profile->samples.added, (int64_t)weight,
			      stack, error);
}

/* Whether some weights have fractions, for which the file is walked before. */
static enum histree_status look_for_fractions(struct profile_source *source, bool *out, struct histree_error *error)
{
	const char *line;
	size_t size;
	enum histree_status status;
	*out = false;
	while (!*out && (status = next_line(source, &line, &size, error)) == HISTREE_OK) {
		const char *count = count_of(line, size);
		*out = count != NULL && memchr(count, '.', (size_t)(line + size - count)) != NULL;
	}
	return !*out && status < 0 ? status : packed_source_rewind(&source->packed, error);
}

static enum histree_status read_folded(struct profile_source *source, struct histree_error *error)
{
	const char *line;
	size_t size;
	bool has_fractions;
	struct trace_notes *notes = source->packed.base.notes;
	enum histree_status status = look_for_fractions(source, &has_fractions, error);
	if (status != HISTREE_OK)
		return status;
	trace_notes_warn(notes,
			 "%s: folded stacks have no times: they lie one ns apart, in the order of the file%s",
			 source->packed.base.path,
			 has_fractions ? "; they have fractions: their numbers are in thousandths" : "");
	while ((status = next_line(source, &line, &size, error)) == HISTREE_OK) {
		status = take_line(source, line, size, has_fractions, error);
		if (status != HISTREE_OK)
			return status;
	}
	if (status == HISTREE_END && source->packed.content.is_cut)
		return packed_source_lose_rest(&source->packed, error);
	return status == HISTREE_END ? HISTREE_OK : status;
}

/* ---- the trace ------------------------------------------------------------------------------------------- */

static enum histree_status read_file(struct packed_source *packed, struct histree_error *error)
{
	struct profile_source *source = (struct profile_source *)packed;
	if (!profile_begin(&source->profile, packed, error))
		return error_memory(error, "a profile");
	enum histree_status status = packed_source_rewind(packed, error);
	if (status == HISTREE_OK)
		status = bring(source, FIRST_BYTES, error);
	if (status != HISTREE_OK)
		return status;
	const size_t there = (size_t)(source->packed.content.end - source->packed.content.at);
	if (there >= 3 && memcmp(source->packed.content.at, "\xef\xbb\xbf", 3) == 0) /* of UTF-8 */
		source->packed.content.at += 3;
	const size_t size = (size_t)(source->packed.content.end - source->packed.content.at);
	const enum profile_look look =
		profile_look(source->packed.content.at, size < FIRST_BYTES ? size : FIRST_BYTES);
	status = look == PROFILE_NONE     ? error_set(error, HISTREE_ERR_TRACE, "is no profile any more")
		 : look == PROFILE_FOLDED ? read_folded(source, error)
					  : read_document(source, look, error);
	profile_end(&source->profile);
	packed->base.trace.has_only_samples = packed->base.trace.has_samples && source->profile.spans == 0;
	return status;
}

static const struct packed_reader reader = { .read = read_file };

static struct trace_source *create(void)
{
	return packed_source_create(sizeof(struct profile_source), &reader);
}

static enum histree_status scan(struct trace_source *base, const char *path, struct histree_error *error)
{
	return packed_source_scan(base, path, TRACK_DOMAIN, "profile", error);
}

static void free_source(struct trace_source *base)
{
	struct profile_source *source = (struct profile_source *)base;
	profile_release(&source->profile);
	packed_source_release(&source->packed);
	free(source);
}

const struct trace_format_kind profile_format = {
	.reads = "profiles of speedscope, V8, Firefox",
	.create = create,
	.scan = scan,
	PACKED_SOURCE_KIND,
	.free = free_source,
};
