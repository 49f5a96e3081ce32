// SPDX-License-Identifier: MIT
/*
 * json_samples.c - samples in JSON become events in the words of event.h.
 */
#include "trace/json/json_samples.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/table.h"

static const json_wide units_per_ns = 1000000000; /* of json_word_time() */

void json_samples_begin(struct json_samples *samples, struct packed_source *packed)
{
	packed_samples_begin(&samples->samples, packed, &packed->base.trace);
	intern_release(&samples->profile_ids);
	samples->without_time = 0;
	samples->base = 0;
}

void json_samples_release(struct json_samples *samples)
{
	packed_samples_release(&samples->samples);
	intern_release(&samples->profile_ids);
	free(samples->sample.calls);
	free(samples->profiles);
}

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

enum json_result json_sample_read(struct json_text *text, struct json_sample *sample)
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

static bool to_ns(json_wide exact, histree_time base, histree_time *out)
{
	json_wide half = units_per_ns / 2;
	json_wide ns = (exact + (exact < 0 ? -half : half)) / units_per_ns + base;
	*out = (histree_time)ns;
	return ns > INT64_MIN && ns < INT64_MAX;
}

static bool read_time(const struct json_samples *samples, histree_time *out)
{
	const struct json_word *members = samples->sample.members;
	json_wide wide;
	if (members[SAMPLED_TIMESTAMP].kind != JSON_ABSENT)
		return json_word_int(&members[SAMPLED_TIMESTAMP], out) && *out > INT64_MIN && *out < INT64_MAX;
	return json_word_time(&members[SAMPLED_TIME], &wide) && to_ns(wide, samples->base, out);
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

enum histree_status json_samples_take(struct json_samples *samples, struct histree_error *error)
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

enum histree_status json_samples_take_frame(struct json_samples *samples, const char *id,
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

enum histree_status json_samples_take_event(struct json_samples *samples, const struct json_event *event,
					    struct histree_error *error)
{
	const struct json_word *members = event->members;
	const struct packed_text id = text_of(&members[MEMBER_STACK_FRAME]);
	struct packed_sample sample = { .cpu = -1, .event = text_of(&members[MEMBER_NAME]) };
	json_wide wide;
	if (id.size == 0 || !json_word_time(&members[MEMBER_TIME], &wide) ||
	    !to_ns(wide, samples->base, &sample.time))
		return HISTREE_OK;
	sample.stack = packed_samples_named(&samples->samples, id);
	sample.cells[SAMPLE_PID] = int_of(&members[MEMBER_PID]);
	sample.cells[SAMPLE_TID] = int_of(&members[MEMBER_TID]);
	return packed_samples_add(&samples->samples, &sample, error);
}

/* ---- profiles of V8 -------------------------------------------------------------------------------------- */

bool json_samples_is_profile(const struct json_event *event)
{
	const struct json_word *phase = &event->members[MEMBER_PHASE], *name = &event->members[MEMBER_NAME];
	return phase->kind == JSON_STRING && (is(phase, "P") || is(phase, "I")) && name->kind == JSON_STRING &&
	       (is(name, "Profile") || is(name, "ProfileChunk") || is(name, "CpuProfile"));
}

/* Where a visit of the arguments is: "data", "cpuProfile", "nodes", an element, "callFrame", "functionName". */
enum { PLACE_DEPTH = 7, SAMPLES_AT_ONCE = 1 << 16 };

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
	/* A child may stand before its caller, and know of it. */
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
	if (is_number && part->name != NULL && strcmp(part->name, "startTime") == 0 &&
	    ((part->depth == 2 && is_at(chunk, 1, "data")) || (part->depth == 3 && in_profile)) &&
	    !__builtin_mul_overflow(number_of(part), 1000, &chunk->profile->time))
		chunk->profile->time += chunk->samples->base;
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

/* The sample before the next one: until then it lasted. */
static enum histree_status add_last(struct json_samples *samples, const struct json_profile *profile,
				    histree_time next, struct histree_error *error)
{
	static const struct packed_cell none = { .kind = PACKED_ABSENT };
	const struct packed_sample sample = {
		.time = profile->last,
		.cpu = -1,
		.event = packed_string("wall-clock"),
		.stack = profile->stack,
		.cells = { [SAMPLE_WEIGHT] = packed_int(next > profile->last ? next - profile->last : 0),
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

/* A profile is identified by its process and its id. */
static struct json_profile *profile_of(struct json_samples *samples, const struct json_event *event,
				       uint32_t *number)
{
	char key[128];
	int64_t pid = 0;
	const struct packed_text id = text_of(&event->members[MEMBER_ID]);
	json_word_int(&event->members[MEMBER_PID], &pid);
	int size =
		snprintf(key, sizeof(key), "%" PRId64 ":%.*s", pid, (int)(id.size < 64 ? id.size : 64), id.bytes);
	const uint32_t known = samples->profile_ids.count;
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
		    !to_ns(begin, samples->base, &profile->time))
			profile->time = 0;
	}
	return profile;
}

enum histree_status json_samples_take_profile(struct json_samples *samples, const struct json_event *event,
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

enum histree_status json_samples_end(struct json_samples *samples, struct histree_error *error)
{
	const struct packed_source *packed = samples->samples.packed;
	enum histree_status status = HISTREE_OK;
	for (uint32_t i = 0; i < samples->profile_ids.count && status == HISTREE_OK; i++)
		if (samples->profiles[i].has_last)
			status = add_last(samples, &samples->profiles[i], samples->profiles[i].last, error);
	if (samples->without_time > 0)
		trace_notes_warn(packed->base.notes, "%s: samples are left out that have no time: %" PRIu64,
				 packed->base.path, samples->without_time);
	packed_samples_end(&samples->samples);
	return status;
}
