// SPDX-License-Identifier: MIT
/*
 * json_source.c - a trace in the Trace Event Format, as browsers and many other programs write it: JSON, plain or
 * in gzip, object by object; a file that is cut off gives the events before the cut.
 *
 * The format: "Trace Event Format", Google, 2016, in which the array of events needs no end.  Its events are mapped
 * to those of event.h (json_tracks.h).  One event is read at a time, in memory that does not grow with the file: an
 * event larger than JSON_EVENT_MAX is skipped.
 *
 * 	"samples": [{"ts": 1.5, "tid": 8, "sf": 2, "weight": 1}]	with "stackFrames" {"2": {"name", "parent"}}
 * 	"samples": [{"timestamp": 1500, "callchain": [{"symbol"}]}]	of "perf data convert --to-json"
 * 	{"ph": "P", "name": "ProfileChunk", "args": ...}		of V8, in parts; "CpuProfile" is whole
 *
 * The first form is that of the Trace Event Format, with times in microseconds; perf's times are ns, and its frames
 * innermost first.  The weight of a V8 sample is the time until the next one of its profile: the last one has no
 * weight.
 */
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/table.h"
#include "base/zlib.h"
#include "trace/formats.h"
#include "trace/json/json_page.h"
#include "trace/json/json_text.h"
#include "trace/json/json_tracks.h"
#include "trace/packed/packed_samples.h"
#include "trace/trace_bytes.h"

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
	histree_time end;  /* of the profile; 0: it does not say */
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
};

/* ---- samples ------------------------------------------------------------------------------------------------- */

static const json_wide units_per_ns = 1000000000; /* of json_word_time() */

static enum histree_status no_memory(struct histree_error *error)
{
	return error_memory(error, "the stacks of samples");
}

/* ---- objects --------------------------------------------------------------------------------------------- */

static bool is(const struct json_word *word, const char *text)
{
	return strlen(text) == word->size && memcmp(text, word->bytes, word->size) == 0;
}

/* {"ip": "0x10", "symbol": "main", "dso": "app"} */
static enum json_result read_call(struct json_text *text, struct json_sample *sample)
{
	struct json_word name, other;
	enum json_result result;
	struct json_call call = { .symbol = { .kind = JSON_ABSENT } };
	text->at++;
	while ((result = json_scan_member(text, &name)) == JSON_OK && name.kind != JSON_ABSENT) {
		result = json_scan_word(text, is(&name, "symbol") ? &call.symbol
					      : is(&name, "dso")  ? &call.binary
								  : &other);
		if (result != JSON_OK)
			return result;
	}
	if (result != JSON_OK || sample->call_count == PACKED_DEEP_MAX)
		return result;
	if (!array_reserve(&sample->calls, &sample->call_capacity, sample->call_count + 1))
		return JSON_NO_MEMORY;
	sample->calls[sample->call_count++] = call;
	return JSON_OK;
}

static enum json_result read_calls(struct json_text *text, struct json_sample *sample)
{
	struct json_word other;
	if (!json_scan_space(text))
		return JSON_MORE;
	if (*text->at != '[')
		return json_scan_word(text, &other);
	text->at++;
	sample->has_calls = true;
	while (json_scan_space(text)) {
		if (*text->at == ']') {
			text->at++;
			return JSON_OK;
		}
		if (*text->at == ',') {
			text->at++;
			continue;
		}
		enum json_result result = *text->at == '{' ? read_call(text, sample) : json_scan_word(text, &other);
		if (result != JSON_OK)
			return result;
	}
	return JSON_MORE;
}

/* Read an object, whose brace is next. */
static enum json_result json_sample_read(struct json_text *text, struct json_sample *sample)
{
	static const char *const names[SAMPLED_COUNT] = {
		[SAMPLED_TIME] = "ts",           [SAMPLED_TIMESTAMP] = "timestamp",
		[SAMPLED_PID] = "pid",           [SAMPLED_TID] = "tid",
		[SAMPLED_CPU] = "cpu",           [SAMPLED_COMM] = "comm",
		[SAMPLED_NAME] = "name",         [SAMPLED_FRAME] = "sf",
		[SAMPLED_WEIGHT] = "weight",     [SAMPLED_PERIOD] = "period",
		[SAMPLED_CATEGORY] = "category", [SAMPLED_PARENT] = "parent",
	};
	struct json_word name, other;
	enum json_result result;
	memset(sample->members, 0, sizeof(sample->members));
	sample->call_count = 0;
	sample->has_calls = false;
	text->at++;
	while ((result = json_scan_member(text, &name)) == JSON_OK && name.kind != JSON_ABSENT) {
		struct json_word *word = &other;
		for (int i = 0; i < SAMPLED_COUNT; i++)
			if (is(&name, names[i]))
				word = &sample->members[i];
		result = is(&name, "callchain") ? read_calls(text, sample) : json_scan_word(text, word);
		if (result != JSON_OK)
			return result;
	}
	return result;
}

/* ---- samples --------------------------------------------------------------------------------------------- */

static struct packed_text text_of(const struct json_word *word)
{
	const bool is_text = word->kind == JSON_STRING || word->kind == JSON_NUMBER;
	return is_text ? (struct packed_text){ word->bytes, word->size } : (struct packed_text){ "", 0 };
}

static struct packed_cell int_of(const struct json_word *word)
{
	int64_t number;
	const struct packed_cell none = { .kind = PACKED_ABSENT };
	return json_word_int(word, &number) ? packed_int(number) : none;
}

/* A weight that is no integer is the next one. */
static struct packed_cell weight_of(const struct json_word *word)
{
	json_wide wide;
	const struct packed_cell none = { .kind = PACKED_ABSENT };
	if (!json_word_time(word, &wide))
		return none;
	wide /= units_per_ns; /* in thousandths */
	wide = (wide + 500) / 1000;
	return wide >= 0 && wide <= INT64_MAX ? packed_int((int64_t)wide) : none;
}

static bool read_time(const struct json_samples *samples, histree_time *out)
{
	const struct json_word *members = samples->sample.members;
	json_wide wide;
	if (members[SAMPLED_TIMESTAMP].kind != JSON_ABSENT)
		return json_word_int(&members[SAMPLED_TIMESTAMP], out) &&
		       json_time_round(*out * units_per_ns, samples->samples.packed, out);
	return json_word_time(&members[SAMPLED_TIME], &wide) && json_time_round(wide, samples->samples.packed, out);
}

static uint32_t stack_of_calls(struct json_samples *samples)
{
	struct packed_samples *packed = &samples->samples;
	static const struct packed_text none = { "", 0 };
	uint32_t stack = EVENT_NO_STACK;
	if (samples->sample.call_count == 0) {
		const uint32_t frame = packed_samples_frame(packed, none, none, none);
		return packed_samples_stack(packed, EVENT_NO_STACK, frame);
	}
	for (size_t i = samples->sample.call_count; i-- > 0;) {
		const struct json_call *call = &samples->sample.calls[i];
		const uint32_t frame =
			packed_samples_frame(packed, text_of(&call->symbol), text_of(&call->binary), none);
		stack = packed_samples_stack(packed, stack, frame);
		if (stack == EVENT_NO_STACK)
			return stack;
	}
	return stack;
}

/* Take what was read: a sample, or the frame of that id. */
static enum histree_status json_samples_take(struct json_samples *samples, struct histree_error *error)
{
	const struct json_sample *from = &samples->sample;
	const struct json_word *members = from->members;
	struct packed_sample sample = { .cpu = -1 };
	int64_t cpu;
	if (!read_time(samples, &sample.time)) {
		samples->without_time++;
		return HISTREE_OK;
	}
	const struct packed_text id = text_of(&members[SAMPLED_FRAME]);
	sample.stack = id.size > 0 ? packed_samples_named(&samples->samples, id) : stack_of_calls(samples);
	if (sample.stack == EVENT_NO_STACK)
		return no_memory(error);
	if (json_word_int(&members[SAMPLED_CPU], &cpu) && cpu >= 0 && cpu < INT32_MAX)
		sample.cpu = (int32_t)cpu;
	sample.event = text_of(&members[SAMPLED_NAME]);
	sample.cells[SAMPLE_PID] = int_of(&members[SAMPLED_PID]);
	sample.cells[SAMPLE_TID] = int_of(&members[SAMPLED_TID]);
	sample.cells[SAMPLE_WEIGHT] =
		weight_of(&members[members[SAMPLED_WEIGHT].kind != JSON_ABSENT ? SAMPLED_WEIGHT : SAMPLED_PERIOD]);
	const struct packed_text name = text_of(&members[SAMPLED_COMM]);
	if (name.size > 0)
		sample.cells[SAMPLE_THREAD] = packed_text(name.bytes, name.size);
	return packed_samples_add(&samples->samples, &sample, error);
}

static enum histree_status json_samples_take_frame(struct json_samples *samples, const char *id,
						   struct histree_error *error)
{
	const struct json_word *members = samples->sample.members;
	struct packed_samples *packed = &samples->samples;
	static const struct packed_text none = { "", 0 };
	const struct packed_text above = text_of(&members[SAMPLED_PARENT]);
	const uint32_t stack = packed_samples_named(packed, packed_string(id));
	const uint32_t parent = above.size > 0 ? packed_samples_named(packed, above) : EVENT_NO_STACK;
	const uint32_t frame = packed_samples_frame(packed, text_of(&members[SAMPLED_NAME]),
						    text_of(&members[SAMPLED_CATEGORY]), none);
	if (stack == EVENT_NO_STACK || frame == INTERN_NONE || (above.size > 0 && parent == EVENT_NO_STACK))
		return no_memory(error);
	packed_samples_set(packed, stack, parent, frame);
	return HISTREE_OK;
}

/* Take an event that says by `sf` in which stack it happened: a sample, called as the event is. */
static enum histree_status json_samples_take_event(struct json_samples *samples, const struct json_event *event,
						   struct histree_error *error)
{
	const struct json_word *members = event->members;
	const struct packed_text id = text_of(&members[MEMBER_STACK_FRAME]);
	struct packed_sample sample = { .cpu = -1, .event = text_of(&members[MEMBER_NAME]) };
	json_wide wide;
	if (id.size == 0 || !json_word_time(&members[MEMBER_TIME], &wide) ||
	    !json_time_round(wide, samples->samples.packed, &sample.time))
		return HISTREE_OK;
	sample.stack = packed_samples_named(&samples->samples, id);
	sample.cells[SAMPLE_PID] = int_of(&members[MEMBER_PID]);
	sample.cells[SAMPLE_TID] = int_of(&members[MEMBER_TID]);
	return packed_samples_add(&samples->samples, &sample, error);
}

/* ---- profiles of V8 -------------------------------------------------------------------------------------- */

/* Take an event, if it is one of V8's profiles. */
static bool json_samples_is_profile(const struct json_event *event)
{
	const struct json_word *phase = &event->members[MEMBER_PHASE], *name = &event->members[MEMBER_NAME];
	return phase->kind == JSON_STRING && (is(phase, "P") || is(phase, "I")) && name->kind == JSON_STRING &&
	       (is(name, "Profile") || is(name, "ProfileChunk") || is(name, "CpuProfile"));
}

/* Where a visit of the arguments is: "data", "cpuProfile", "nodes", an element, "callFrame", "functionName". */
enum { PLACE_DEPTH = 7 };

struct chunk {
	struct json_samples *samples;
	struct json_profile *profile;
	uint32_t number; /* of the profile: nodes of several have the same ids */
	const char *names[PLACE_DEPTH];
	int64_t id, parent, line;
	bool has_id, has_parent;
	struct packed_text function, url;
	bool is_out_of_memory;
	/* In the order in which they come; each list stands alone. */
	int64_t *ids, *deltas, *children; /* children: of the node */
	size_t id_count, id_capacity, delta_count, delta_capacity, child_count, child_capacity;
};

static bool is_at(const struct chunk *chunk, uint32_t depth, const char *place)
{
	return depth < PLACE_DEPTH && chunk->names[depth] != NULL && strcmp(chunk->names[depth], place) == 0;
}

static uint32_t stack_of_node(struct chunk *chunk, int64_t id)
{
	char text[64];
	snprintf(text, sizeof(text), "profile %" PRIu32 " %" PRId64, chunk->number, id);
	return packed_samples_named(&chunk->samples->samples, packed_string(text));
}

static bool put_node(struct chunk *chunk)
{
	struct packed_samples *packed = &chunk->samples->samples;
	static const struct packed_text none = { "", 0 };
	char line[32];
	snprintf(line, sizeof(line), "%" PRId64, chunk->line + 1);
	if (!chunk->has_id)
		return true;
	const struct packed_text function =
		chunk->function.size > 0 ? chunk->function : packed_string("(anonymous)");
	const uint32_t frame =
		packed_samples_frame(packed, function, chunk->url, chunk->line >= 0 ? packed_string(line) : none);
	const uint32_t stack = stack_of_node(chunk, chunk->id);
	const uint32_t parent = chunk->has_parent ? stack_of_node(chunk, chunk->parent) : EVENT_NO_STACK;
	if (frame == INTERN_NONE || stack == EVENT_NO_STACK || (chunk->has_parent && parent == EVENT_NO_STACK))
		return false;
	/* A child may precede its caller, and refer to it. */
	if (chunk->has_parent || packed->stacks[stack].parent == EVENT_NO_STACK)
		packed_samples_set(packed, stack, parent, frame);
	else
		packed_samples_set(packed, stack, packed->stacks[stack].parent, frame);
	for (size_t i = 0; i < chunk->child_count; i++) {
		const uint32_t child = stack_of_node(chunk, chunk->children[i]);
		if (child == EVENT_NO_STACK)
			return false;
		packed_samples_adopt(packed, child, stack);
	}
	return true;
}

static bool put_number(int64_t **numbers, size_t *count, size_t *capacity, int64_t number)
{
	if (!array_reserve(numbers, capacity, *count + 1))
		return false;
	(*numbers)[(*count)++] = number;
	return true;
}

static int64_t number_of(const struct event_part *part)
{
	if (part->kind == EVENT_REAL)
		return part->real > -9e15 && part->real < 9e15 ? (int64_t)part->real : 0;
	return part->integer;
}

/* A number or a text of a node, or of its call. */
static void take_of_node(struct chunk *chunk, const struct event_part *part)
{
	const bool is_number = part->kind == EVENT_INT || part->kind == EVENT_UNSIGNED;
	if (part->depth == 5 && is_number && strcmp(part->name, "id") == 0) {
		chunk->id = part->integer;
		chunk->has_id = true;
	} else if (part->depth == 5 && is_number && strcmp(part->name, "parent") == 0) {
		chunk->parent = part->integer;
		chunk->has_parent = true;
	} else if (part->depth == 6 && is_number && strcmp(part->name, "lineNumber") == 0 &&
		   part->integer < INT32_MAX) {
		chunk->line = part->integer;
	} else if (part->depth == 6 && part->kind == EVENT_TEXT && strcmp(part->name, "functionName") == 0) {
		chunk->function = (struct packed_text){ part->bytes, part->size };
	} else if (part->depth == 6 && part->kind == EVENT_TEXT && strcmp(part->name, "url") == 0) {
		chunk->url = (struct packed_text){ part->bytes, part->size };
	}
}

/* Begins and ends of what is inside of one another; a node is taken where it ends. */
static bool take_part(void *context, const struct event_part *part)
{
	struct chunk *chunk = context;
	const bool is_number = part->kind == EVENT_INT || part->kind == EVENT_UNSIGNED || part->kind == EVENT_REAL;
	const bool in_profile = is_at(chunk, 1, "data") && is_at(chunk, 2, "cpuProfile");
	const bool in_nodes = in_profile && is_at(chunk, 3, "nodes");
	if (part->kind == EVENT_END && part->depth == 4 && in_nodes)
		chunk->is_out_of_memory |= !put_node(chunk);
	if (part->kind == EVENT_STRUCTURE || part->kind == EVENT_ARRAY) {
		if (part->depth < PLACE_DEPTH)
			chunk->names[part->depth] = part->name != NULL ? part->name : "";
		if (part->depth == 4 && in_nodes) {
			chunk->has_id = chunk->has_parent = false;
			chunk->child_count = 0;
			chunk->function = chunk->url = (struct packed_text){ "", 0 };
			chunk->line = -1;
		}
		return true;
	}
	if (part->kind == EVENT_END)
		return !chunk->is_out_of_memory;
	if (is_number && part->name != NULL &&
	    ((part->depth == 2 && is_at(chunk, 1, "data")) || (part->depth == 3 && in_profile))) {
		histree_time *time = strcmp(part->name, "startTime") == 0 ? &chunk->profile->time
				     : strcmp(part->name, "endTime") == 0 ? &chunk->profile->end
									  : NULL;
		if (time != NULL &&
		    !json_time_round(1000 * units_per_ns * number_of(part), chunk->samples->samples.packed, time))
			*time = 0;
	}
	if (is_number && part->depth == 4 && in_profile && is_at(chunk, 3, "samples"))
		chunk->is_out_of_memory |=
			!put_number(&chunk->ids, &chunk->id_count, &chunk->id_capacity, number_of(part));
	if (is_number && part->depth == 6 && in_nodes && is_at(chunk, 5, "children"))
		chunk->is_out_of_memory |=
			!put_number(&chunk->children, &chunk->child_count, &chunk->child_capacity, number_of(part));
	if (is_number && ((part->depth == 3 && is_at(chunk, 1, "data") && is_at(chunk, 2, "timeDeltas")) ||
			  (part->depth == 4 && in_profile && is_at(chunk, 3, "timeDeltas"))))
		chunk->is_out_of_memory |=
			!put_number(&chunk->deltas, &chunk->delta_count, &chunk->delta_capacity, number_of(part));
	if (part->name != NULL && in_nodes &&
	    (part->depth == 5 || (part->depth == 6 && is_at(chunk, 5, "callFrame"))))
		take_of_node(chunk, part);
	return !chunk->is_out_of_memory;
}

/*
 * The sample before the next one: until then it lasted.  Differences, and what a file says last of its times, may
 * have moved it to one that cannot be.
 */
static enum histree_status add_last(struct json_samples *samples, const struct json_profile *profile,
				    histree_time next, struct histree_error *error)
{
	static const struct packed_cell none = { .kind = PACKED_ABSENT };
	int64_t lasted;
	if (!packed_time_can_shift(profile->last, samples->samples.packed->shift)) {
		samples->without_time++;
		return HISTREE_OK;
	}
	if (__builtin_sub_overflow(next, profile->last, &lasted))
		lasted = INT64_MAX;
	const struct packed_sample sample = {
		.time = profile->last,
		.cpu = -1,
		.event = packed_string("wall-clock"),
		.stack = profile->stack,
		.cells = { [SAMPLE_WEIGHT] = packed_int(lasted > 0 ? lasted : 0),
			   [SAMPLE_PID] = profile->has_pid ? packed_int(profile->pid) : none,
			   [SAMPLE_TID] = profile->has_tid ? packed_int(profile->tid) : none },
	};
	return packed_samples_add(&samples->samples, &sample, error);
}

/* Clocks of threads may step back: what came later lasts until it is met. */
static enum histree_status add_chunk(struct chunk *chunk, struct histree_error *error)
{
	struct json_profile *profile = chunk->profile;
	enum histree_status status = HISTREE_OK;
	for (size_t i = 0; i < chunk->id_count && status == HISTREE_OK; i++) {
		int64_t delta = i < chunk->delta_count ? chunk->deltas[i] : 0;
		if (__builtin_mul_overflow(delta, 1000, &delta) ||
		    __builtin_add_overflow(profile->time, delta, &profile->time) || profile->time == INT64_MAX)
			return HISTREE_OK;
		const histree_time time =
			profile->has_last && profile->time < profile->last ? profile->last : profile->time;
		if (profile->has_last)
			status = add_last(chunk->samples, profile, time, error);
		profile->stack = stack_of_node(chunk, chunk->ids[i]);
		profile->last = time;
		profile->has_last = true;
	}
	return status;
}

/* A profile in parts is identified by its process and its id; one that is whole is in one event. */
static struct json_profile *profile_of(struct json_samples *samples, const struct json_event *event,
				       uint32_t *number)
{
	char key[128];
	int64_t pid = 0;
	const struct packed_text id = text_of(&event->members[MEMBER_ID]);
	json_word_int(&event->members[MEMBER_PID], &pid);
	const uint32_t known = samples->profile_ids.count;
	const bool is_whole = is(&event->members[MEMBER_NAME], "CpuProfile");
	int size = is_whole ? snprintf(key, sizeof(key), "%" PRIu32, known)
			    : snprintf(key, sizeof(key), "%" PRId64 ":%.*s", pid,
				       (int)(id.size < 64 ? id.size : 64), id.bytes);
	*number = intern_add(&samples->profile_ids, key, (size_t)size);
	if (*number == INTERN_NONE ||
	    !array_reserve(&samples->profiles, &samples->profile_capacity, (size_t)*number + 1))
		return NULL;
	struct json_profile *profile = &samples->profiles[*number];
	if (*number == known) {
		*profile = (struct json_profile){ .stack = EVENT_NO_STACK };
		profile->has_pid = json_word_int(&event->members[MEMBER_PID], &profile->pid);
		profile->has_tid = json_word_int(&event->members[MEMBER_TID], &profile->tid);
		json_wide begin; /* unless its first event says it */
		if (!json_word_time(&event->members[MEMBER_TIME], &begin) ||
		    !json_time_round(begin, samples->samples.packed, &profile->time))
			profile->time = 0;
	}
	return profile;
}

static enum histree_status json_samples_take_profile(struct json_samples *samples, const struct json_event *event,
						     struct histree_error *error)
{
	struct chunk chunk = { .samples = samples, .function = { "", 0 }, .url = { "", 0 } };
	chunk.profile = profile_of(samples, event, &chunk.number);
	enum histree_status status = chunk.profile == NULL ? no_memory(error) : HISTREE_OK;
	if (status == HISTREE_OK && event->has_args)
		packed_parts_visit(event->args.bytes, event->args.size, "args", take_part, &chunk);
	if (status == HISTREE_OK)
		status = chunk.is_out_of_memory ? no_memory(error) : add_chunk(&chunk, error);
	free(chunk.ids);
	free(chunk.deltas);
	free(chunk.children);
	return status;
}

/* All is read: the trace has its samples.  Says in the notes what was left out. */
static enum histree_status json_samples_end(struct json_samples *samples, struct histree_error *error)
{
	const struct packed_source *packed = samples->samples.packed;
	enum histree_status status = HISTREE_OK;
	for (uint32_t i = 0; i < samples->profile_ids.count && status == HISTREE_OK; i++) {
		const struct json_profile *profile = &samples->profiles[i];
		if (profile->has_last)
			status = add_last(samples, profile,
					  profile->end > profile->last ? profile->end : profile->last, error);
	}
	if (samples->without_time > 0)
		trace_notes_warn(packed->base.notes, "%s: samples are left out that have no time: %" PRIu64,
				 packed->base.path, samples->without_time);
	packed_samples_end(&samples->samples);
	return status;
}

enum { JSON_EVENT_MAX = 16 << 20 };

struct json_source {
	struct packed_source packed;
	struct json_text text;
	struct json_event event;
	struct json_tracks tracks;
	struct json_samples samples;
	/* Of the file that is being read. */
	bool is_page;    /* the lists are in elements of HTML */
	bool is_array;   /* the whole is one, and so needs no end */
	bool is_lines;   /* it is events behind one another */
	bool has_events; /* it has a list of them */
	bool has_system; /* it has a text with those of the kernel */
	bool has_base;   /* it has said from when times count */
	bool is_damaged; /* here, and is not read on */
	bool has_ended;  /* its list of events has, and is whole */
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
	bool in_string;
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

/* The file ends between members of its object, or in one that is not read: events before it are whole. */
static void end_of_object(struct json_source *source)
{
	if (!source->has_ended || source->packed.content.is_cut)
		end_of_file(source, true);
	else
		trace_notes_warn(notes_of(source),
				 "%s: is cut at byte %" PRIu64 ", behind its events, which are whole",
				 source->packed.base.path, trace_bytes_offset(&source->packed.content));
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
			end_of_object(source);
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

/* A recorder with a clock of its own says since when it counts, before its events or behind them. */
static enum histree_status read_base(struct json_source *source, struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	histree_time base;
	if (source->packed.content.end - source->packed.content.at < BASE_SIZE)
		status = more(source, error);
	if (status < 0)
		return status;
	const char *digits = (const char *)source->packed.content.at;
	size_t size = 0, room = (size_t)(source->packed.content.end - source->packed.content.at);
	while (size < room && (isdigit((unsigned char)digits[size]) || digits[size] == '-'))
		size++;
	if (source->has_base)
		trace_notes_warn(notes_of(source), "%s: only the first \"baseTimeNanoseconds\" is used",
				 source->packed.base.path);
	else if (!json_number_int(digits, size, &base) || !packed_source_shift(&source->packed, base))
		trace_notes_warn(
			notes_of(source),
			"%s: its \"baseTimeNanoseconds\" is no integer of 64 bits, or moves its events out of "
			"these, and not used",
			source->packed.base.path);
	else
		source->has_base = true;
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
		status = read_events(source, OBJECT_EVENT, error);
		source->has_ended = status == HISTREE_OK;
		return status;
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
	if (status == HISTREE_OK && strcmp(key, "systemTraceEvents") == 0) {
		source->has_system |= *source->packed.content.at == '"';
		if (*source->packed.content.at == '{' || *source->packed.content.at == '[')
			trace_notes_warn(notes_of(source),
					 "%s: its \"systemTraceEvents\" is no text of ftrace, and not read",
					 source->packed.base.path);
	}
	if (status == HISTREE_OK) {
		status = skip_value(source, error);
		if (status == HISTREE_END)
			end_of_object(source);
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

/*
 * Arrays and objects may come behind one another, up to the end of an element of a page.  Returns HISTREE_END when
 * there is nothing more to read.
 */
static enum histree_status read_values(struct json_source *source, struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
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
		} else if (source->is_page && byte == '<') {
			return HISTREE_OK;
		} else if (!is_first && (byte == ',' || byte == ']' || byte == ';' || byte == '\0')) {
			source->packed.content.at++;
		} else if (is_first || source->is_lines) {
			pass_over(source, trace_bytes_offset(&source->packed.content));
			status = find_next(source, OBJECT_EVENT, error);
		} else {
			trace_notes_warn(notes_of(source),
					 "%s: what is behind its events, from byte %" PRIu64 " on, is not read",
					 source->packed.base.path, trace_bytes_offset(&source->packed.content));
			return source->is_page ? HISTREE_OK : HISTREE_END;
		}
	}
	if (status == HISTREE_END)
		end_of_file(source, false);
	return status;
}

static enum histree_status read_page(struct json_source *source, struct histree_error *error)
{
	enum histree_status status;
	while ((status = json_page_next(&source->packed.content, error)) == HISTREE_OK) {
		const uint8_t byte = *source->packed.content.at;
		const bool is_packed = source->packed.content.is_base64;
		source->is_lines = false; /* each element is what it is, whatever the one before it was */
		if (byte == '{' || byte == '[')
			status = read_values(source, error);
		else if (is_packed)
			trace_notes_warn(notes_of(source), "%s: a trace in it that is not JSON is not read",
					 source->packed.base.path);
		if (is_packed && status == HISTREE_END && !source->is_damaged)
			status = HISTREE_OK; /* of what is packed */
		if (status != HISTREE_OK)
			break;
	}
	return status;
}

static enum histree_status read_whole(struct json_source *source, struct histree_error *error)
{
	enum histree_status status = more(source, error);
	if (status != HISTREE_OK)
		return read_values(source, error);
	const uint8_t *at = source->packed.content.at;
	const size_t size = (size_t)(source->packed.content.end - at);
	source->is_page = json_page_begins(at, size);
	if (size >= 3 && memcmp(at, "\xef\xbb\xbf", 3) == 0) /* of UTF-8 */
		source->packed.content.at += 3;
	return source->is_page ? read_page(source, error) : read_values(source, error);
}

static enum histree_status read_file(struct packed_source *packed, struct histree_error *error)
{
	struct json_source *source = (struct json_source *)packed;
	source->is_damaged = source->has_events = source->has_system = source->has_base = false;
	source->is_array = source->is_lines = source->has_ended = false;
	source->passed_over = source->too_large = source->others = source->looked_at = 0;
	enum histree_status status = packed_source_rewind(packed, error);
	if (status == HISTREE_OK)
		status = json_tracks_begin(&source->tracks, packed, error);
	packed_samples_begin(&source->samples.samples, packed, &packed->base.trace);
	intern_release(&source->samples.profile_ids);
	source->samples.without_time = 0;
	if (status == HISTREE_OK)
		status = read_whole(source, error);
	if (status >= 0) {
		enum histree_status last = json_samples_end(&source->samples, error);
		status = last < 0 ? last : status;
	}
	if (status < 0)
		return status;
	if (!source->has_events && !source->has_system && !source->is_page && !source->is_damaged)
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

/* Looking for a member of an object: of the string that is read, how much is its name. */
struct member_search {
	uint64_t depth;
	size_t matched, size;
	bool in_string, is_escaped, is_name;
};

/* Returns whether the byte begins the list of events; the object ends where `depth` is 0 again. */
static bool search_events(struct member_search *search, char byte)
{
	static const char name[] = "traceEvents";
	if (search->in_string) {
		search->in_string = search->is_escaped || byte != '"';
		search->is_escaped = !search->is_escaped && byte == '\\';
		search->is_name = !search->in_string && search->depth == 1 && search->size == strlen(name) &&
				  search->matched == strlen(name);
		search->matched += search->matched == search->size && search->size < strlen(name) &&
				   byte == name[search->size];
		search->size++;
		return false;
	}
	if (search->is_name && byte == '[')
		return true;
	search->is_name &= byte == ':' || byte == ' ' || byte == '\t' || byte == '\r' || byte == '\n';
	search->in_string = byte == '"';
	search->matched = search->size = 0;
	search->depth += byte == '{' || byte == '[';
	search->depth -= (byte == '}' || byte == ']') && search->depth > 0;
	return false;
}

/* Go to the first byte that is no space, behind the mark of UTF-8.  Returns whether an object begins there. */
static bool begins_object(struct trace_bytes *bytes)
{
	if (bytes->end - bytes->at >= 3 && memcmp(bytes->at, "\xef\xbb\xbf", 3) == 0)
		bytes->at += 3;
	while (bytes->at < bytes->end && *bytes->at != '\0' && strchr(" \t\r\n", *bytes->at) != NULL)
		bytes->at++;
	return bytes->at < bytes->end && *bytes->at == '{';
}

/* Whether a file is an object that has events behind more than the first bytes of it. */
static bool has_late_events(const char *path)
{
	struct trace_bytes bytes = { 0 };
	struct member_search search = { 0 };
	bool has = false;
	enum histree_status status = trace_bytes_open(&bytes, &io_posix, path, NULL);
	if (status == HISTREE_OK)
		status = trace_bytes_more(&bytes, NULL);
	bool goes_on = status == HISTREE_OK && begins_object(&bytes);
	while (goes_on && status == HISTREE_OK) {
		for (; bytes.at < bytes.end && goes_on; bytes.at++) {
			has = search_events(&search, (char)*bytes.at);
			goes_on = !has && search.depth > 0;
		}
		if (goes_on)
			status = trace_bytes_more(&bytes, NULL);
	}
	trace_bytes_close(&bytes);
	return has;
}

static bool is_file(const char *path)
{
	const struct json_page page = json_page_look(&io_posix, path);
	return (page.has_json && !page.has_text) || has_late_events(path);
}

/* Of a page that has a text of ftrace, which is read first: its bytes count once. */
static enum histree_status scan_in_page(struct trace_source *base, struct histree_error *error)
{
	if (!json_page_look(base->io, base->path).has_json)
		return HISTREE_END;
	enum histree_status status = scan(base, error);
	base->bytes = 0;
	return status;
}

static void release(struct trace_source *base)
{
	struct json_source *source = (struct json_source *)base;
	json_text_release(&source->text);
	json_event_release(&source->event);
	json_tracks_release(&source->tracks);
	packed_samples_release(&source->samples.samples);
	intern_release(&source->samples.profile_ids);
	free(source->samples.sample.calls);
	free(source->samples.profiles);
	packed_source_release(&source->packed);
}

const struct trace_format_kind json_format = {
	.size = sizeof(struct json_source),
	.reads = "Trace Event JSON (Chrome)",
	.name = "a trace in JSON",
	.begins = begins,
	.may_be_packed = true,
	.is_file = is_file,
	.scan = scan,
	PACKED_SOURCE_KIND,
	.release = release,
};

const struct trace_format_kind json_in_page_format = {
	.size = sizeof(struct json_source),
	.scan = scan_in_page,
	PACKED_SOURCE_KIND,
	.release = release,
};
