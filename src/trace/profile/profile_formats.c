// SPDX-License-Identifier: MIT
/*
 * profile_formats.c - profiles of speedscope and of V8.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/table.h"
#include "base/error.h"
#include "trace/profile/profile.h"

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

/* Unit by unit: "none", "bytes", "nanoseconds", ... */
static void read_unit(struct speedscope *speedscope, struct json_span unit)
{
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
		if (json_span_is_text(unit, rows[i].name)) {
			speedscope->event = rows[i].event;
			speedscope->scale = rows[i].scale;
			speedscope->is_of_time = rows[i].is_of_time;
		}
}

/* ---- spans ----------------------------------------------------------------------------------------------- */

static enum histree_status read_evented(struct speedscope *speedscope, struct json_span profile)
{
	struct json_span rest = json_span_inside(json_span_find(profile, "events"), '['), event;
	enum histree_status status = HISTREE_OK;
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
		const struct event_frame *texts = profile_frame_texts(speedscope->profile, frame);
		const struct profile_span span = { .class = is_end ? TRACK_SPAN_END : TRACK_SPAN_BEGIN,
						   .time = time,
						   .name = packed_string(texts->function),
						   .category = packed_string(texts->binary) };
		status = profile_add_span(speedscope->profile, &speedscope->thread, &span, speedscope->error);
	}
	return status;
}

/* ---- samples --------------------------------------------------------------------------------------------- */

/* Returns false if memory is out; a sample without frames has no stack. */
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
		read_unit(speedscope, json_span_find(profile, "unit"));
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

enum histree_status profile_read_speedscope(struct profile *profile, struct json_span document,
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

static bool read_node(struct profile *profile, struct json_span node)
{
	static const char anonymous[] = "\"(anonymous)\"";
	char line[32];
	const struct json_span call = json_span_find(node, "callFrame"), id = json_span_find(node, "id");
	const struct json_span above = json_span_find(node, "parent");
	struct json_span name = json_span_find(call, "functionName");
	int64_t number;
	if (!json_span_int(id, &number)) {
		profile->left_out++;
		return true;
	}
	if (json_span_is_text(name, ""))
		name = (struct json_span){ (const uint8_t *)anonymous,
					   (const uint8_t *)anonymous + sizeof(anonymous) - 1, NULL };
	const uint32_t frame = profile_frame(profile, name, json_span_find(call, "url"), line_of(call, line));
	const uint32_t stack = stack_of(profile, id);
	if (frame == INTERN_NONE || stack == EVENT_NO_STACK)
		return false;
	packed_samples_set(&profile->samples, stack, stack_of(profile, above), frame);
	return true;
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

static enum histree_status read_hits(struct profile *profile, struct json_span nodes, struct histree_error *error)
{
	struct json_span rest = json_span_inside(nodes, '['), node;
	enum histree_status status = HISTREE_OK;
	histree_time time = 0;
	int64_t hits;
	while (status == HISTREE_OK && json_span_next(&rest, &node)) {
		const uint32_t stack = stack_of(profile, json_span_find(node, "id"));
		if (stack != EVENT_NO_STACK && json_span_int(json_span_find(node, "hitCount"), &hits) && hits > 0)
			status = profile_sample(profile, &thread, "samples", time++, hits, stack, error);
	}
	return status;
}

/* The time of the next sample; false: nothing says it. */
static bool next_time(struct json_span *deltas, json_wide *at)
{
	struct json_span delta;
	json_wide wide;
	if (!json_span_next(deltas, &delta) || !json_span_scaled(delta, PROFILE_SCALE_US, &wide))
		return false;
	*at += wide;
	return true;
}

/* Clocks may step back: what comes then lasts from the latest time on. */
static enum histree_status read_samples(struct profile *profile, struct json_span document,
					struct histree_error *error)
{
	struct json_span rest = json_span_inside(json_span_find(document, "samples"), '['), id;
	struct json_span deltas = json_span_inside(json_span_find(document, "timeDeltas"), '[');
	json_wide at = 0, last = 0;
	enum histree_status status = HISTREE_OK;
	json_span_scaled(json_span_find(document, "startTime"), PROFILE_SCALE_US, &at);
	const bool has_times = next_time(&deltas, &at);
	last = at;
	while (status == HISTREE_OK && json_span_next(&rest, &id)) {
		const uint32_t stack = stack_of(profile, id);
		const json_wide begin = last;
		histree_time time, end;
		next_time(&deltas, &at);
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

enum histree_status profile_read_v8(struct profile *profile, struct json_span document, struct histree_error *error)
{
	const struct json_span nodes = json_span_find(document, "nodes");
	enum histree_status status = read_nodes(profile, nodes, read_node, error);
	if (status == HISTREE_OK)
		status = read_nodes(profile, nodes, read_children, error);
	if (status == HISTREE_OK)
		status = read_samples(profile, document, error);
	if (status == HISTREE_OK && profile->samples.added == 0)
		status = read_hits(profile, nodes, error);
	return status;
}
