/* SPDX-License-Identifier: MIT */
/*
 * json_samples.h - samples in JSON, in the words of event.h.
 *
 *	"samples": [{"ts": 1.5, "tid": 8, "sf": 2, "weight": 1}]	with "stackFrames" {"2": {"name", "parent"}}
 *	"samples": [{"timestamp": 1500, "callchain": [{"symbol"}]}]	of "perf data convert --to-json"
 *	{"ph": "P", "name": "ProfileChunk", "args": ...}		of V8, in parts; "CpuProfile" is whole
 *
 * The first is of the Trace Event Format, with times in microseconds; perf's are ns, and its frames innermost
 * first. A sample of V8 lasts until the next one of its profile, which is its weight: the last one has none.
 */
#ifndef TRACE_JSON_JSON_SAMPLES_H
#define TRACE_JSON_JSON_SAMPLES_H

#include "trace/json/json_tracks.h"
#include "trace/packed/packed_samples.h"

enum json_sample_member {
	SAMPLED_TIME,      /* microseconds */
	SAMPLED_TIMESTAMP, /* ns */
	SAMPLED_PID,
	SAMPLED_TID,
	SAMPLED_CPU,
	SAMPLED_COMM,
	SAMPLED_NAME,
	SAMPLED_FRAME,
	SAMPLED_WEIGHT,
	SAMPLED_PERIOD,
	SAMPLED_CATEGORY, /* of a frame */
	SAMPLED_PARENT,
	SAMPLED_COUNT,
};

struct json_call {
	struct json_word symbol, binary;
};

/* An object of "samples" or "stackFrames", as it is written.  A zeroed one can be used again and again. */
struct json_sample {
	struct json_word members[SAMPLED_COUNT];
	struct json_call *calls; /* of the chain, innermost first */
	size_t call_count, call_capacity;
	bool has_calls;
};

/* Of V8: what it has sampled in one thread. */
struct json_profile {
	int64_t pid, tid;
	bool has_pid, has_tid, has_last;
	histree_time time; /* of the sample after the last one that came */
	histree_time last; /* its time, and its stack: how long it lasts is not known yet */
	uint32_t stack;
};

/* A zeroed one can be released. */
struct json_samples {
	struct packed_samples samples;
	struct json_sample sample;
	struct intern profile_ids;
	struct json_profile *profiles; /* by number of the id */
	size_t profile_capacity;
	uint64_t without_time;
	histree_time base; /* as json_tracks has it */
};

void json_samples_begin(struct json_samples *samples, struct packed_source *packed);

/* Read an object, whose brace is next. */
enum json_result json_sample_read(struct json_text *text, struct json_sample *sample);

/* Take what was read: a sample, or the frame of that id. */
enum histree_status json_samples_take(struct json_samples *samples, struct histree_error *error);
enum histree_status json_samples_take_frame(struct json_samples *samples, const char *id,
					    struct histree_error *error);

/* Take an event that says by `sf` in which stack it happened: a sample, called as the event is. */
enum histree_status json_samples_take_event(struct json_samples *samples, const struct json_event *event,
					    struct histree_error *error);

/* Take an event, if it is one of V8's profiles. */
bool json_samples_is_profile(const struct json_event *event);
enum histree_status json_samples_take_profile(struct json_samples *samples, const struct json_event *event,
					      struct histree_error *error);

/* All is read: the trace has its samples.  Says in the notes what was left out. */
enum histree_status json_samples_end(struct json_samples *samples, struct histree_error *error);

void json_samples_release(struct json_samples *samples);

#endif
