// SPDX-License-Identifier: MIT
/*
 * Profiles of V8 as "node --cpu-prof" and the tools of Chrome write them, .cpuprofile (Profiler.Profile of the
 * Chrome DevTools Protocol):
 *
 *	{"nodes": [{"id": 1, "callFrame": {"functionName", "url", "lineNumber"}, "children": [2]}, ...],
 *	 "startTime": us, "endTime": us, "samples": [ids], "timeDeltas": [us]}
 *
 * A delta is how long before a sample the one before it was, the first one since the start.  A sample lasts until
 * the next one, which is its weight: the last one has none.  Where there are no samples, hits are counted.
 */
#include <inttypes.h>
#include <stdio.h>

#include "base/error.h"
#include "trace/profile/profile.h"

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
	const struct json_span none = { call.end, call.end };
	if (!json_span_int(json_span_find(call, "lineNumber"), &line) || line < 0 || line >= INT32_MAX)
		return none;
	int size = snprintf(text, 32, "%" PRId64, line + 1);
	return (struct json_span){ (const uint8_t *)text, (const uint8_t *)text + size };
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
					   (const uint8_t *)anonymous + sizeof(anonymous) - 1 };
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
