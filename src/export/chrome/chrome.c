// SPDX-License-Identifier: MIT
/*
 * chrome.c - the Trace Event Format, as chrome://tracing and the page of Perfetto read it.
 *
 * Source: "Trace Event Format", the Chromium project.
 *
 * Times are microseconds with a fraction.  Viewers keep them as doubles, which have no room for nanoseconds since
 * 1970, so they count from the origin, and "baseTimeNanoseconds", as in PyTorch's traces, gives its time. Spans of
 * processes and threads are complete events (X).  A group is a process of its own, with a number that no real
 * process has, and its lanes are threads.  Other lanes are asynchronous events (b, e), identified by an id.
 */
#include <math.h>
#include <stdlib.h>

#include "base/json_text.h"
#include "export/viewer/viewer_file.h"
#include "histree/export.h"

/* Linux has no process above 2^22. */
#define GROUP_PID (INT64_C(1) << 30)

static const struct viewer_text no_text;

struct chrome {
	histree_time origin;
	bool has_events;
};

static void *create(void)
{
	return calloc(1, sizeof(struct chrome));
}

/* ---- pieces ----------------------------------------------------------------------------------------------- */

static void put_string(struct export_buffer *output, struct viewer_text text)
{
	export_char(output, '"');

	const char *bytes = text.bytes;
	size_t size = text.size;
	while (size > 0) {
		struct json_piece piece = json_piece_next(bytes, size);
		export_bytes(output, bytes, piece.plain);
		export_bytes(output, piece.escape, piece.escape_size);
		bytes += piece.taken;
		size -= piece.taken;
	}

	export_char(output, '"');
}

/* Nanoseconds as microseconds. */
static void put_us(struct export_buffer *output, uint64_t ns)
{
	char *at = export_room(output, NUMBER_TEXT_SIZE + 4);
	size_t size = number_format_unsigned(ns / 1000, at);
	unsigned rest = (unsigned)(ns % 1000);
	if (rest > 0) {
		at[size++] = '.';
		at[size++] = (char)('0' + rest / 100);
		at[size++] = (char)('0' + rest / 10 % 10);
		at[size++] = (char)('0' + rest % 10);
	}
	output->used += size;
}

static void put_time(const struct viewer_file *file, const char *member, histree_time time)
{
	struct export_buffer *output = file->output;
	const struct chrome *chrome = file->state;
	export_text(output, member);
	if (time < chrome->origin)
		export_char(output, '-');
	put_us(output, time < chrome->origin ? (uint64_t)chrome->origin - (uint64_t)time
					     : (uint64_t)time - (uint64_t)chrome->origin);
}

/* JSON has no NaN and no infinity: these are texts. */
static void put_real(struct export_buffer *output, double real)
{
	if (isfinite(real)) {
		char *room = export_room(output, NUMBER_TEXT_SIZE);
		output->used += number_format_real(real, room);
		return;
	}
	export_text(output, isnan(real) ? "\"NaN\"" : real < 0 ? "\"-Infinity\"" : "\"Infinity\"");
}

static void put_hexadecimal(struct export_buffer *output, const unsigned char *bytes, size_t size)
{
	static const char digits[] = "0123456789abcdef";
	export_char(output, '"');
	for (size_t i = 0; i < size; i++) {
		export_char(output, digits[bytes[i] >> 4]);
		export_char(output, digits[bytes[i] & 15]);
	}
	export_char(output, '"');
}

static void put_value(struct export_buffer *output, const struct histree_value *value)
{
	switch (value->type) {
	case HISTREE_INT:
		export_signed(output, value->int32);
		break;
	case HISTREE_LONG:
		if (value->size == HISTREE_UNSIGNED)
			export_unsigned(output, (uint64_t)value->int64);
		else
			export_signed(output, value->int64);
		break;
	case HISTREE_DOUBLE:
		put_real(output, value->real);
		break;
	case HISTREE_BOOL:
		export_text(output, value->boolean ? "true" : "false");
		break;
	case HISTREE_STRING:
		put_string(output, (struct viewer_text){ value->bytes, value->size });
		break;
	case HISTREE_CUSTOM:
		put_hexadecimal(output, value->bytes, value->size);
		break;
	case HISTREE_NULL:
	case HISTREE_UNKNOWN:
		export_text(output, "null");
		break;
	}
}

static void begin_event(const struct viewer_file *file, const char *phase)
{
	struct chrome *chrome = file->state;
	export_text(file->output, chrome->has_events ? ",\n{\"ph\":\"" : "\n{\"ph\":\"");
	export_text(file->output, phase);
	export_char(file->output, '"');
	chrome->has_events = true;
}

static void put_name(const struct viewer_file *file, struct viewer_text category, struct viewer_text name)
{
	struct export_buffer *output = file->output;
	if (category.size > 0) {
		export_text(output, ",\"cat\":");
		put_string(output, category);
	}
	export_text(output, ",\"name\":");
	put_string(output, name);
}

static void put_arguments(const struct viewer_file *file, const struct viewer_span *span)
{
	struct export_buffer *output = file->output;
	if (span->argument_count == 0)
		return;
	export_text(output, ",\"args\":");
	for (size_t i = 0; i < span->argument_count; i++) {
		export_char(output, i == 0 ? '{' : ',');
		put_string(output, viewer_text(span->arguments[i].name));
		export_char(output, ':');
		put_value(output, &span->arguments[i].value);
	}
	export_char(output, '}');
}

/* ---- where something is ----------------------------------------------------------------------------------- */

static bool is_of_group(const struct viewer_file *file, const struct viewer_track *track)
{
	const struct viewer_track *parent = track->parent == 0 ? NULL : file->tracks[track->parent - 1];
	return parent != NULL && parent->kind == VIEWER_GROUP;
}

static bool is_asynchronous(const struct viewer_file *file, const struct viewer_track *track)
{
	return track->kind == VIEWER_LANE && !is_of_group(file, track);
}

static void put_number(const struct viewer_file *file, const char *member, int64_t number)
{
	export_text(file->output, member);
	export_signed(file->output, number);
}

static void put_place(const struct viewer_file *file, const struct viewer_track *track)
{
	if (track->kind == VIEWER_GROUP)
		put_number(file, ",\"pid\":", GROUP_PID + track->number);
	else if (is_of_group(file, track))
		put_number(file, ",\"pid\":", GROUP_PID + track->parent);
	else if (track->has_pid)
		put_number(file, ",\"pid\":", track->pid);
	if (track->kind == VIEWER_THREAD)
		put_number(file, ",\"tid\":", track->tid);
	else if (track->kind == VIEWER_LANE && is_of_group(file, track))
		put_number(file, ",\"tid\":", track->number);
	else if (is_asynchronous(file, track))
		put_number(file, track->has_pid ? ",\"id2\":{\"local\":\"" : ",\"id\":\"", track->number);
	if (is_asynchronous(file, track))
		export_text(file->output, track->has_pid ? "\"}" : "\"");
}

/* All events of an asynchronous track have one category: it is part of what tells the track. */
static struct viewer_text category_of(const struct viewer_file *file, const struct viewer_track *track,
				      struct viewer_text category)
{
	return is_asynchronous(file, track) ? viewer_text("lane") : category;
}

/* ---- the file --------------------------------------------------------------------------------------------- */

static void chrome_begin(struct viewer_file *file, const struct viewer_head *head)
{
	struct export_buffer *output = file->output;
	((struct chrome *)file->state)->origin = head->origin;
	export_text(output, "{\"displayTimeUnit\":\"ns\",\"baseTimeNanoseconds\":");
	export_signed(output, head->origin);
	export_text(output, ",\"otherData\":{\"program\":\"histree ");
	export_text(output, histree_version());
	export_text(output, "\",\"content\":");
	put_string(output, viewer_text(head->title));
	export_text(output, "},\"traceEvents\":[");
}

static void put_metadatum(const struct viewer_file *file, const struct viewer_track *track, const char *what)
{
	begin_event(file, "M");
	put_name(file, no_text, viewer_text(what));
	put_place(file, track);
	export_text(file->output, ",\"args\":{");
}

static void describe(struct viewer_file *file, const struct viewer_track *track)
{
	bool is_process = track->kind == VIEWER_PROCESS || track->kind == VIEWER_GROUP;
	bool is_thread = track->kind == VIEWER_THREAD || (track->kind == VIEWER_LANE && is_of_group(file, track));
	if (!is_process && !is_thread)
		return;
	if (track->name != NULL) {
		put_metadatum(file, track, is_process ? "process_name" : "thread_name");
		export_text(file->output, "\"name\":");
		put_string(file->output, (struct viewer_text){ track->name, track->name_size });
		export_text(file->output, "}}");
	}
	/* Groups stand before processes, and their lanes in the order in which they were made. */
	bool is_grouped = track->name != NULL && (track->kind == VIEWER_GROUP || track->kind == VIEWER_LANE);
	if (!is_grouped && track->place == 0)
		return;
	put_metadatum(file, track, is_process ? "process_sort_index" : "thread_sort_index");
	export_text(file->output, "\"sort_index\":");
	export_signed(file->output, !is_grouped  ? (int64_t)track->place
				    : is_process ? (int64_t)track->number - (1 << 20)
						 : track->number);
	export_text(file->output, "}}");
}

static bool wants_ends(const struct viewer_file *file, const struct viewer_track *track)
{
	return is_asynchronous(file, track);
}

static void put_span(struct viewer_file *file, const struct viewer_track *track, const struct viewer_span *span)
{
	bool is_complete = !is_asynchronous(file, track);
	begin_event(file, is_complete ? "X" : "b");
	put_name(file, category_of(file, track, span->category), span->name);
	put_place(file, track);
	put_time(file, ",\"ts\":", span->start);
	if (is_complete) {
		export_text(file->output, ",\"dur\":");
		put_us(file->output, (uint64_t)span->end - (uint64_t)span->start);
	}
	put_arguments(file, span);
	export_char(file->output, '}');
}

static void put_end(struct viewer_file *file, const struct viewer_track *track, histree_time time,
		    struct viewer_text name)
{
	begin_event(file, "e");
	put_name(file, category_of(file, track, no_text), name);
	put_place(file, track);
	put_time(file, ",\"ts\":", time);
	export_char(file->output, '}');
}

/* A NaN or an infinity is no number of JSON, and none that a viewer could draw. */
static void put_count(struct viewer_file *file, const struct viewer_track *track, histree_time time,
		      const struct histree_value *value)
{
	if (value->type == HISTREE_DOUBLE && !isfinite(value->real))
		return;
	begin_event(file, "C");
	put_name(file, no_text, (struct viewer_text){ track->name, track->name_size });
	put_place(file, track);
	put_time(file, ",\"ts\":", time);
	export_text(file->output, ",\"args\":{");
	put_string(file->output, track->series != NULL ? (struct viewer_text){ track->series, track->series_size }
						       : viewer_text("value"));
	export_char(file->output, ':');
	put_value(file->output, value);
	export_text(file->output, "}}");
}

static void put_instant(struct viewer_file *file, const struct viewer_track *track, const struct viewer_span *span)
{
	bool is_plain = !is_asynchronous(file, track);
	begin_event(file, is_plain ? "i" : "n");
	put_name(file, category_of(file, track, span->category), span->name);
	put_place(file, track);
	put_time(file, ",\"ts\":", span->start);
	if (is_plain)
		export_text(file->output, track->kind == VIEWER_PROCESS ? ",\"s\":\"p\"" : ",\"s\":\"t\"");
	put_arguments(file, span);
	export_char(file->output, '}');
}

/* Both ends belong to the span that is open there (bp). */
static void put_flow(struct viewer_file *file, const struct viewer_track *track, const struct viewer_flow *flow)
{
	begin_event(file, flow->is_end ? "f" : "s");
	put_name(file, viewer_text("flow"), viewer_text(flow->name));
	export_text(file->output, ",\"id\":\"");
	export_unsigned(file->output, flow->id);
	export_char(file->output, '"');
	if (is_asynchronous(file, track)) {
		if (track->has_pid)
			put_number(file, ",\"pid\":", track->pid);
	} else {
		put_place(file, track);
	}
	put_time(file, ",\"ts\":", flow->time);
	export_text(file->output, ",\"bp\":\"e\"}");
}

static void finish(struct viewer_file *file)
{
	export_text(file->output, "\n]}\n");
}

const struct viewer_format viewer_chrome = {
	.create = create,
	.free = free,
	.begin = chrome_begin,
	.describe = describe,
	.wants_ends = wants_ends,
	.ends_have_names = true,
	.span = put_span,
	.end = put_end,
	.count = put_count,
	.instant = put_instant,
	.flow = put_flow,
	.finish = finish,
};
