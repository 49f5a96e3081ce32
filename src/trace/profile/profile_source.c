// SPDX-License-Identifier: MIT
/*
 * profile_source.c - profiles as sources: speedscope, V8 (.cpuprofile), Firefox, pprof (profile_pprof.c), and lines
 * of stacks (profile_lines.c).  The first bytes of a file tell its format.
 *
 * Documents, which are in JSON but those of pprof, are read into memory as a whole, up to PROFILE_DOCUMENT_MAX
 * bytes, also when compressed by gzip.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/table.h"
#include "trace/formats.h"
#include "trace/json/json_text.h"
#include "trace/packed/packed_markers.h"
#include "trace/packed/packed_samples.h"
#include "trace/profile/profile.h"
#include "trace/trace_bytes.h"
#include "trace/trace_source.h"

enum { PROFILE_DOCUMENT_MAX = 256 << 20 };

enum profile_look {
	PROFILE_NONE,
	PROFILE_SPEEDSCOPE,
	PROFILE_V8,
	PROFILE_FIREFOX,
	PROFILE_LINES, /* stacks, line by line */
	PROFILE_PPROF,
};

/* ---- what a file is ------------------------------------------------------------------------------------------ */

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
	    (json_span_is_text(name, "head") && has(value, "\"functionName\"") &&
	     (has(value, "\"hitCount\"") || has(value, "\"selfSize\""))) ||
	    (json_span_is_text(name, "samples") && begins_list_of(value, digits)) ||
	    (json_span_is_text(name, "timeDeltas") && begins_list_of(value, digits)))
		return PROFILE_V8;
	if (json_span_is_text(name, "meta") &&
	    (has(value, "\"preprocessedProfileVersion\"") || has(value, "\"interval\"")))
		return PROFILE_FIREFOX;
	return PROFILE_NONE;
}

/* Firefox's developer tools, to version 97, put the profile last, behind what their own panel drew. */
static bool begins_as_a_recording(struct json_span document)
{
	static const char *const first[] = { "label", "duration", "markers" };
	struct json_span rest = json_span_inside(document, '{'), name, value;
	for (size_t i = 0; i < sizeof(first) / sizeof(first[0]); i++)
		if (!json_span_next_member(&rest, &name, &value) || !json_span_is_text(name, first[i]))
			return false;
	return true;
}

static enum profile_look profile_look(const void *bytes, size_t size)
{
	const uint8_t *at = bytes, *end = at + size;
	if (size >= 3 && memcmp(at, "\xef\xbb\xbf", 3) == 0) /* of UTF-8 */
		at += 3;
	size = (size_t)(end - at);
	const struct json_span whole = json_span_value((struct json_span){ at, end, NULL });
	if (json_span_is(whole, '{')) {
		struct json_span rest = json_span_inside(whole, '{'), name, value;
		if (begins_as_a_recording(whole))
			return PROFILE_FIREFOX;
		while (json_span_next_member(&rest, &name, &value)) {
			enum profile_look look = look_at_member(name, value);
			if (look != PROFILE_NONE)
				return look;
		}
		return PROFILE_NONE;
	}
	if (profile_pprof_begins(at, size))
		return PROFILE_PPROF;
	return profile_lines_look(at, size) != PROFILE_NO_LINES ? PROFILE_LINES : PROFILE_NONE;
}

/* ---- profile speedscope -------------------------------------------------------------------------------------- */

struct speedscope {
	struct profile *profile;
	uint32_t *frames; /* of packed_samples.h, by number */
	size_t count, capacity;
	struct profile_thread thread;
	int scale;         /* of its unit */
	bool is_of_time;   /* the unit is one */
	const char *event; /* what its samples count */
	struct histree_error *error;
};

static enum histree_status no_memory(const struct speedscope *speedscope)
{
	return error_memory(speedscope->error, "a profile");
}

static enum histree_status read_frames(struct speedscope *speedscope, struct json_span frames)
{
	struct json_span rest = json_span_inside(frames, '['), frame;
	while (json_span_next(&rest, &frame)) {
		if (speedscope->count == PACKED_FRAMES_MAX)
			break;
		const uint32_t number = profile_frame(speedscope->profile, json_span_find(frame, "name"),
						      json_span_find(frame, "file"), json_span_find(frame, "line"));
		if (number == INTERN_NONE ||
		    !array_reserve(&speedscope->frames, &speedscope->capacity, speedscope->count + 1))
			return no_memory(speedscope);
		speedscope->frames[speedscope->count++] = number;
	}
	return HISTREE_OK;
}

static bool frame_at(const struct speedscope *speedscope, struct json_span index, uint32_t *out)
{
	int64_t number;
	const bool is = json_span_int(index, &number) && number >= 0 && (uint64_t)number < speedscope->count;
	*out = is ? speedscope->frames[number] : INTERN_NONE;
	return is;
}

/* ---- spans ----------------------------------------------------------------------------------------------- */

/* What is open where the events end lasts as long as the profile, which says when that is. */
static enum histree_status end_open(struct speedscope *speedscope, struct json_span profile, uint64_t open,
				    histree_time last)
{
	struct profile_span span = { .class = TRACK_SPAN_END };
	enum histree_status status = HISTREE_OK;
	json_wide exact;
	if (!json_span_scaled(json_span_find(profile, "endValue"), speedscope->scale, &exact) ||
	    !profile_time(exact, &span.time) || span.time <= last)
		return HISTREE_OK;
	trace_notes_warn(speedscope->profile->packed->base.notes,
			 "%s: spans that are open at the end of the profile: %" PRIu64,
			 speedscope->profile->packed->base.path, open);
	for (; open > 0 && status == HISTREE_OK; open--)
		status = profile_add_span(speedscope->profile, &speedscope->thread, &span, speedscope->error);
	return status;
}

static enum histree_status read_evented(struct speedscope *speedscope, struct json_span profile)
{
	struct json_span rest = json_span_inside(json_span_find(profile, "events"), '['), event;
	enum histree_status status = HISTREE_OK;
	histree_time last = INT64_MIN;
	uint64_t open = 0;
	while (status == HISTREE_OK && json_span_next(&rest, &event)) {
		const struct json_span type = json_span_find(event, "type");
		json_wide exact;
		histree_time time;
		uint32_t frame;
		const bool is_end = json_span_is_text(type, "C");
		if ((!is_end && !json_span_is_text(type, "O")) ||
		    !frame_at(speedscope, json_span_find(event, "frame"), &frame) ||
		    !json_span_scaled(json_span_find(event, "at"), speedscope->scale, &exact) ||
		    !profile_time(exact, &time)) {
			speedscope->profile->left_out++;
			status = packed_source_look(speedscope->profile->packed, speedscope->error);
			continue;
		}
		const struct event_frame *texts = &speedscope->profile->samples.frame_list[frame];
		const struct profile_span span = { .class = is_end ? TRACK_SPAN_END : TRACK_SPAN_BEGIN,
						   .time = time,
						   .name = packed_string(texts->function),
						   .category = packed_string(texts->binary) };
		status = profile_add_span(speedscope->profile, &speedscope->thread, &span, speedscope->error);
		open = is_end ? open - (open > 0) : open + 1;
		last = time;
	}
	return status == HISTREE_OK && open > 0 ? end_open(speedscope, profile, open, last) : status;
}

/* ---- samples --------------------------------------------------------------------------------------------- */

/* Returns false if memory runs out; a sample without frames has no stack. */
static bool read_stack(struct speedscope *speedscope, struct json_span sample, uint32_t *stack)
{
	struct json_span rest = json_span_inside(sample, '['), index;
	*stack = EVENT_NO_STACK;
	for (size_t depth = 0; depth < PACKED_DEEP_MAX && json_span_next(&rest, &index); depth++) {
		uint32_t frame;
		if (!frame_at(speedscope, index, &frame)) {
			speedscope->profile->left_out++;
			continue;
		}
		*stack = packed_samples_stack(&speedscope->profile->samples, *stack, frame);
		if (*stack == EVENT_NO_STACK)
			return false;
	}
	return true;
}

/* Whether there are fractions where time is not counted: they are kept to a thousandth. */
static bool has_fractions(struct json_span weights)
{
	struct json_span rest = json_span_inside(weights, '['), weight;
	int64_t number;
	while (json_span_next(&rest, &weight))
		if (!json_span_int(weight, &number))
			return true;
	return false;
}

static enum histree_status read_sampled(struct speedscope *speedscope, struct json_span profile)
{
	struct profile *to = speedscope->profile;
	const struct json_span weights = json_span_find(profile, "weights");
	struct json_span rest = json_span_inside(json_span_find(profile, "samples"), '['), sample;
	struct json_span weight_rest = json_span_inside(weights, '['), weight;
	const bool is_in_thousandths = !speedscope->is_of_time && has_fractions(weights);
	int scale = speedscope->scale + (is_in_thousandths ? 3 : 0);
	json_wide at = 0, wide;
	histree_time time, end, count = 0;
	enum histree_status status = HISTREE_OK;
	if (is_in_thousandths)
		trace_notes_warn(to->packed->base.notes, "%s: weights have fractions: they are in thousandths",
				 to->packed->base.path);
	if (speedscope->is_of_time)
		json_span_scaled(json_span_find(profile, "startValue"), scale, &at);
	while (status == HISTREE_OK && json_span_next(&rest, &sample)) {
		uint32_t stack;
		const bool has_weight =
			json_span_next(&weight_rest, &weight) && json_span_scaled(weight, scale, &wide);
		int64_t size = -1;
		if (!read_stack(speedscope, sample, &stack))
			return no_memory(speedscope);
		time = count++;
		if (speedscope->is_of_time) {
			const json_wide next = at + (has_weight && wide > 0 ? wide : 0);
			if (!profile_time(at, &time) || !profile_time(next, &end)) {
				to->left_out++;
				continue;
			}
			size = end - time;
			at = next;
		} else if (has_weight && (!profile_time(wide, &size) || size < 0)) {
			size = 0;
		}
		status = stack == EVENT_NO_STACK ? packed_source_look(to->packed, speedscope->error)
						 : profile_sample(to, &speedscope->thread, speedscope->event, time,
								  size, stack, speedscope->error);
	}
	return status;
}

/* ---- the document ---------------------------------------------------------------------------------------- */

static enum histree_status read_profiles(struct speedscope *speedscope, struct json_span profiles)
{
	struct json_span rest = json_span_inside(profiles, '['), profile;
	enum histree_status status = HISTREE_OK;
	while (status == HISTREE_OK && json_span_next(&rest, &profile)) {
		const struct json_span type = json_span_find(profile, "type");
		speedscope->thread.tid++;
		/* Unit by unit: "none", "bytes", "nanoseconds", ... */
		static const struct {
			const char *name, *event;
			int scale;
			bool is_of_time;
		} rows[] = {
			{ "nanoseconds", "wall-clock", PROFILE_SCALE_NS, true },
			{ "microseconds", "wall-clock", PROFILE_SCALE_US, true },
			{ "milliseconds", "wall-clock", PROFILE_SCALE_MS, true },
			{ "seconds", "wall-clock", PROFILE_SCALE_S, true },
			{ "bytes", "bytes", PROFILE_SCALE_NS, false },
		};
		speedscope->event = "samples";
		speedscope->scale = PROFILE_SCALE_NS;
		speedscope->is_of_time = false;
		for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
			if (json_span_is_text(json_span_find(profile, "unit"), rows[i].name)) {
				speedscope->event = rows[i].event;
				speedscope->scale = rows[i].scale;
				speedscope->is_of_time = rows[i].is_of_time;
			}
		status = profile_name(speedscope->profile, &speedscope->thread, false,
				      json_span_find(profile, "name"), speedscope->error);
		if (status == HISTREE_OK && json_span_is_text(type, "evented"))
			status = read_evented(speedscope, profile);
		else if (status == HISTREE_OK && json_span_is_text(type, "sampled"))
			status = read_sampled(speedscope, profile);
		else if (status == HISTREE_OK)
			speedscope->profile->left_out++;
	}
	return status;
}

/* The formats. */
static enum histree_status profile_read_speedscope(struct profile *profile, struct json_span document,
						   struct histree_error *error)
{
	struct speedscope speedscope = { .profile = profile,
					 .thread = { .pid = 1, .has_pid = true, .has_tid = true },
					 .error = error };
	enum histree_status status =
		read_frames(&speedscope, json_span_find(json_span_find(document, "shared"), "frames"));
	if (status == HISTREE_OK)
		status = profile_name(profile, &speedscope.thread, true, json_span_find(document, "name"), error);
	if (status == HISTREE_OK)
		status = read_profiles(&speedscope, json_span_find(document, "profiles"));
	free(speedscope.frames);
	return status;
}

/* ---- profile v8 ---------------------------------------------------------------------------------------------- */

static const struct profile_thread thread = { .pid = 1, .tid = 1, .has_pid = true, .has_tid = true };

static uint32_t stack_of(struct profile *profile, struct json_span id)
{
	char text[32];
	int64_t number;
	if (!json_span_int(id, &number))
		return EVENT_NO_STACK;
	snprintf(text, sizeof(text), "%" PRId64, number);
	return packed_samples_named(&profile->samples, packed_string(text));
}

/* V8 counts lines from 0; "line" in its texts is the next one. */
static struct json_span line_of(struct json_span call, char text[static 32])
{
	int64_t line;
	const struct json_span none = { call.end, call.end, NULL };
	if (!json_span_int(json_span_find(call, "lineNumber"), &line) || line < 0 || line >= INT32_MAX)
		return none;
	int size = snprintf(text, 32, "%" PRId64, line + 1);
	return (struct json_span){ (const uint8_t *)text, (const uint8_t *)text + size, NULL };
}

/* A function that a node is about.  Returns INTERN_NONE when memory runs out. */
static uint32_t frame_of(struct profile *profile, struct json_span name, struct json_span url,
			 struct json_span line)
{
	static const char anonymous[] = "\"(anonymous)\"";
	if (json_span_is_text(name, ""))
		name = (struct json_span){ (const uint8_t *)anonymous,
					   (const uint8_t *)anonymous + sizeof(anonymous) - 1, NULL };
	return profile_frame(profile, name, url, line);
}

static bool read_node(struct profile *profile, struct json_span node)
{
	char line[32];
	const struct json_span call = json_span_find(node, "callFrame"), id = json_span_find(node, "id");
	const struct json_span above = json_span_find(node, "parent");
	int64_t number;
	if (!json_span_int(id, &number)) {
		profile->left_out++;
		return true;
	}
	const uint32_t frame = frame_of(profile, json_span_find(call, "functionName"), json_span_find(call, "url"),
					line_of(call, line));
	const uint32_t stack = stack_of(profile, id);
	if (frame == INTERN_NONE || stack == EVENT_NO_STACK)
		return false;
	packed_samples_set(&profile->samples, stack, stack_of(profile, above), frame);
	return true;
}

/*
 * What a node says that holds its children, beside these: one of old, whose lines count from 1, or one of a
 * .heapprofile, which has a call, and bytes that it allocated.
 */
struct old_node {
	struct json_span id, name, url, line, call, size;
};

static void pass(struct json_span *rest, const char *bytes)
{
	while (json_span_is_there(*rest) && *rest->at != '\0' && strchr(bytes, *rest->at) != NULL)
		rest->at++;
}

static bool pass_byte(struct json_span *rest, char byte)
{
	const bool is = json_span_is(*rest, byte);
	rest->at += is;
	return is;
}

/* Take the value that comes next; nothing where there is no value, and then nothing comes any more. */
static struct json_span take_value(struct json_span *rest)
{
	const struct json_span value = json_span_value(*rest);
	rest->at = json_span_is_there(value) ? value.end : rest->end;
	return value;
}

static enum histree_status put_old_node(struct profile *profile, const struct old_node *node, uint32_t parent,
					struct histree_error *error)
{
	int64_t number;
	char line[32];
	const bool has_line = json_span_int(node->line, &number) && number > 0;
	const struct json_span no_line = { node->name.end, node->name.end, NULL };
	const uint32_t frame = json_span_is_there(node->call)
				       ? frame_of(profile, json_span_find(node->call, "functionName"),
						  json_span_find(node->call, "url"), line_of(node->call, line))
				       : frame_of(profile, node->name, node->url, has_line ? node->line : no_line);
	const uint32_t stack = stack_of(profile, node->id);
	if (frame == INTERN_NONE || stack == EVENT_NO_STACK)
		return error_memory(error, "a profile");
	packed_samples_set(&profile->samples, stack, parent, frame);
	if (!json_span_int(node->size, &number) || number <= 0)
		return HISTREE_OK;
	return profile_sample(profile, &thread, "allocated", (histree_time)profile->samples.added, number, stack,
			      error);
}

/*
 * With those below it, each byte once: *rest moves behind the node, or to where it is no JSON.  V8 keeps 255 frames
 * of a stack, and says of a node what it holds last.
 */
static enum histree_status read_old_node(struct profile *profile, struct json_span *rest, uint32_t parent,
					 unsigned depth, struct histree_error *error)
{
	enum { DEPTH_MAX = 260 };
	static const char between[] = " \t\r\n,";
	struct old_node node = { .id = { NULL, NULL, NULL } };
	int64_t number;
	enum histree_status status = packed_source_look(profile->packed, error);
	if (depth > DEPTH_MAX || !pass_byte(rest, '{')) {
		profile->left_out++;
		take_value(rest);
		return status;
	}
	for (pass(rest, between); status == HISTREE_OK && json_span_is(*rest, '"'); pass(rest, between)) {
		const struct json_span name = take_value(rest);
		pass(rest, " \t\r\n:");
		const bool has_children = json_span_is_text(name, "children") && json_span_int(node.id, &number);
		if (!has_children || !pass_byte(rest, '[')) {
			const struct json_span value = take_value(rest);
			if (json_span_is_text(name, "id"))
				node.id = value;
			else if (json_span_is_text(name, "functionName"))
				node.name = value;
			else if (json_span_is_text(name, "url"))
				node.url = value;
			else if (json_span_is_text(name, "lineNumber"))
				node.line = value;
			else if (json_span_is_text(name, "callFrame"))
				node.call = value;
			else if (json_span_is_text(name, "selfSize"))
				node.size = value;
			continue;
		}
		const uint32_t stack = stack_of(profile, node.id);
		if (stack == EVENT_NO_STACK)
			return error_memory(error, "a profile");
		for (pass(rest, between); status == HISTREE_OK && json_span_is(*rest, '{'); pass(rest, between))
			status = read_old_node(profile, rest, stack, depth + 1, error);
		pass_byte(rest, ']');
	}
	pass_byte(rest, '}');
	if (!json_span_int(node.id, &number))
		profile->left_out++;
	else if (status == HISTREE_OK)
		status = put_old_node(profile, &node, parent, error);
	return status;
}

/* A node says what its children are, which may stand before it. */
static bool read_children(struct profile *profile, struct json_span node)
{
	struct json_span rest = json_span_inside(json_span_find(node, "children"), '['), child;
	const uint32_t parent = stack_of(profile, json_span_find(node, "id"));
	while (parent != EVENT_NO_STACK && json_span_next(&rest, &child)) {
		const uint32_t stack = stack_of(profile, child);
		if (stack != EVENT_NO_STACK)
			packed_samples_adopt(&profile->samples, stack, parent);
	}
	return true;
}

static enum histree_status read_nodes(struct profile *profile, struct json_span nodes,
				      bool (*read)(struct profile *profile, struct json_span node),
				      struct histree_error *error)
{
	struct json_span rest = json_span_inside(nodes, '['), node;
	enum histree_status status = HISTREE_OK;
	while (status == HISTREE_OK && json_span_next(&rest, &node)) {
		status = packed_source_look(profile->packed, error);
		if (status == HISTREE_OK && !read(profile, node))
			status = error_memory(error, "a profile");
	}
	return status;
}

/* When samples were taken: since the one before, or in profiles of old since the clock began. */
struct sample_times {
	struct json_span rest;
	bool are_whole;
};

static struct sample_times sample_times(struct json_span document)
{
	const struct json_span deltas = json_span_find(document, "timeDeltas");
	const bool are_whole = !json_span_is_there(deltas);
	return (struct sample_times){
		json_span_inside(are_whole ? json_span_find(document, "timestamps") : deltas, '['), are_whole
	};
}

/* The time of the next sample; false: nothing says it. */
static bool next_time(struct sample_times *times, json_wide *at)
{
	struct json_span time;
	json_wide wide;
	if (!json_span_next(&times->rest, &time) || !json_span_scaled(time, PROFILE_SCALE_US, &wide))
		return false;
	*at = times->are_whole ? wide : *at + wide;
	return true;
}

/* Clocks may step back: what comes then lasts from the latest time on.  The last one lasts to the end. */
static enum histree_status read_samples(struct profile *profile, struct json_span document,
					struct histree_error *error)
{
	struct json_span rest = json_span_inside(json_span_find(document, "samples"), '['), id;
	struct sample_times times = sample_times(document);
	json_wide at = 0, last = 0, end_time;
	enum histree_status status = HISTREE_OK;
	json_span_scaled(json_span_find(document, "startTime"), PROFILE_SCALE_US, &at);
	const bool has_end = json_span_scaled(json_span_find(document, "endTime"), PROFILE_SCALE_US, &end_time);
	const bool has_times = next_time(&times, &at);
	last = at;
	while (status == HISTREE_OK && json_span_next(&rest, &id)) {
		const uint32_t stack = stack_of(profile, id);
		const json_wide begin = last;
		histree_time time, end;
		if (!next_time(&times, &at) && has_times && has_end)
			at = end_time;
		last = at > last ? at : last;
		int64_t number;
		if (!json_span_int(id, &number) || !profile_time(begin, &time) || !profile_time(last, &end)) {
			profile->left_out++;
			continue;
		}
		if (!has_times)
			time = (histree_time)profile->samples.added;
		status = profile_sample(profile, &thread, has_times ? "wall-clock" : "samples", time,
					has_times ? end - time : -1, stack, error);
	}
	return status;
}

static enum histree_status profile_read_v8(struct profile *profile, struct json_span document,
					   struct histree_error *error)
{
	const struct json_span nodes = json_span_find(document, "nodes");
	struct json_span head = json_span_find(document, "head");
	enum histree_status status = HISTREE_OK;
	if (json_span_is_there(head))
		status = read_old_node(profile, &head, EVENT_NO_STACK, 0, error);
	if (status == HISTREE_OK)
		status = read_nodes(profile, nodes, read_node, error);
	if (status == HISTREE_OK)
		status = read_nodes(profile, nodes, read_children, error);
	/* What was allocated in what order says nothing that the nodes do not say. */
	if (status == HISTREE_OK && profile->samples.added == 0)
		status = read_samples(profile, document, error);
	if (status == HISTREE_OK && profile->samples.added == 0) {
		struct json_span rest = json_span_inside(nodes, '['), node;
		status = HISTREE_OK;
		histree_time time = 0;
		int64_t hits;
		while (status == HISTREE_OK && json_span_next(&rest, &node)) {
			const uint32_t stack = stack_of(profile, json_span_find(node, "id"));
			if (stack != EVENT_NO_STACK && json_span_int(json_span_find(node, "hitCount"), &hits) &&
			    hits > 0)
				status = profile_sample(profile, &thread, "samples", time++, hits, stack, error);
		}
	}
	return status;
}

/* ---- sources ------------------------------------------------------------------------------------------ */

/* They decide what a file is. */
enum { FIRST_BYTES = 4096 };

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
	bool is_read_whole = true;
	if (look == PROFILE_PPROF) {
		status = profile_read_pprof(&source->profile, bytes->at, (size_t)(bytes->end - bytes->at), error);
		is_read_whole = status != HISTREE_END;
		status = status == HISTREE_END ? HISTREE_OK : status;
	} else {
		const struct json_span document =
			json_span_value((struct json_span){ bytes->at, bytes->end, &source->packed.tables });
		status = look == PROFILE_SPEEDSCOPE ? profile_read_speedscope(&source->profile, document, error)
			 : look == PROFILE_V8       ? profile_read_v8(&source->profile, document, error)
						    : profile_read_firefox(&source->profile, document, error);
		is_read_whole = status != HISTREE_OK || is_whole(document);
	}
	if (source->profile.is_out_of_memory)
		return error_memory(error, "a profile");
	if (status != HISTREE_OK || (is_read_whole && !bytes->is_cut))
		return status;
	notes->report.damaged_streams++;
	trace_notes_warn(notes, "%s: is cut, or damaged in some place: what comes after that is lost",
			 source->packed.base.path);
	return packed_source_lose_rest(&source->packed, error);
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
	size_t size = (size_t)(source->packed.content.end - source->packed.content.at);
	size = size < FIRST_BYTES ? size : FIRST_BYTES;
	const uint8_t *at = source->packed.content.at;
	const enum profile_look look = profile_look(at, size);
	status = look == PROFILE_NONE    ? error_set(error, HISTREE_ERR_TRACE, "is no profile any more")
		 : look == PROFILE_LINES ? profile_read_lines(&source->profile, profile_lines_look(at, size), error)
					 : read_document(source, look, error);
	profile_end(&source->profile);
	packed->base.trace.has_only_samples = packed->base.trace.has_samples && source->profile.spans == 0;
	return status;
}

static const struct packed_reader reader = { .read = read_file };

static bool begins(const void *bytes, size_t size)
{
	return profile_look(bytes, size) != PROFILE_NONE;
}

static enum histree_status scan(struct trace_source *base, struct histree_error *error)
{
	return packed_source_scan(base, &reader, TRACK_DOMAIN, "profile", error);
}

static void release(struct trace_source *base)
{
	struct profile_source *source = (struct profile_source *)base;
	profile_release(&source->profile);
	packed_source_release(&source->packed);
}

const struct trace_format_kind profile_format = {
	.size = sizeof(struct profile_source),
	.reads = "profiles of speedscope, V8, Firefox, pprof",
	.name = "a profile of speedscope, V8, Firefox or pprof, or folded stacks",
	.begins = begins,
	.may_be_packed = true,
	.scan = scan,
	PACKED_SOURCE_KIND,
	.release = release,
};
