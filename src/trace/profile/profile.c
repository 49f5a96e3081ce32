// SPDX-License-Identifier: MIT
/*
 * profile.c - profiles that are one document: the common part, which the readers of the formats fill.
 */
#include "trace/profile/profile.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "trace/json/json_text.h"
#include "trace/packed/packed_markers.h"
#include "trace/packed/packed_samples.h"
#include "trace/trace_source.h"

bool profile_begin(struct profile *profile, struct packed_source *packed, struct histree_error *error)
{
	profile->packed = packed;
	profile->left_out = profile->first_left_out = profile->spans = 0;
	profile->is_out_of_memory = false;
	packed_samples_begin(&profile->samples, packed, &packed->base.trace);
	return packed_track_classes(packed, NULL, profile->classes, error);
}

void profile_end(struct profile *profile)
{
	packed_samples_end(&profile->samples);
	if (profile->first_left_out > 0)
		trace_notes_warn(profile->packed->base.notes,
				 "%s: lines are left out that are no stack with a number from 0 to 2^63-1: %" PRIu64
				 ", the first is line %" PRIu64,
				 profile->packed->base.path, profile->left_out, profile->first_left_out);
	else if (profile->left_out > 0)
		trace_notes_warn(
			profile->packed->base.notes,
			"%s: samples, spans or frames are left out that have no time, no number or no stack: "
			"%" PRIu64,
			profile->packed->base.path, profile->left_out);
}

void profile_release(struct profile *profile)
{
	packed_samples_release(&profile->samples);
	for (size_t i = 0; i < sizeof(profile->texts) / sizeof(profile->texts[0]); i++)
		json_text_release(&profile->texts[i]);
	packed_parts_release(&profile->args);
}

/* Times are read in 10^-9 ns, and rounded when they are added: durations add up to their ends. */
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

static struct packed_cell number_cell(bool is_known, int64_t number)
{
	return is_known ? packed_int(number) : (struct packed_cell){ .kind = PACKED_ABSENT };
}

enum histree_status profile_name(struct profile *profile, const struct profile_thread *thread, bool is_process,
				 struct json_span name, struct histree_error *error)
{
	const struct packed_cell text =
		packed_name(json_span_text(name, &profile->texts[0], &profile->is_out_of_memory));
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

/* Returns false if memory runs out; what is no object, or large, says nothing. */
static bool read_args(struct profile *profile, struct json_span value, struct packed_cell *out)
{
	struct json_text *text = &profile->texts[0];
	if (!json_span_is(value, '{') || value.end - value.at > JSON_SPAN_TEXT_MAX)
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
		[TRACK_NAME] = packed_name(span->name),
		[TRACK_CATEGORY] = packed_name(span->category),
		[TRACK_TRACK] = packed_name(span->track),
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
