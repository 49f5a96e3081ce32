// SPDX-License-Identifier: MIT
/*
 * profile_source.c - profiles as sources: speedscope, V8, Firefox, and folded stacks.
 */
#include "trace/profile/profile_source.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "trace/profile/profile.h"
#include "trace/trace_bytes.h"

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
