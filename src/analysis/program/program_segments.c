// SPDX-License-Identifier: MIT
/*
 * program_segments.c - the segments that a program makes: segments given as a whole, spans with a key from their
 * beginning to their end, and the calls on stacks, from the push to the pop.
 *
 * The content of the segment being made is in the run.  A span that meets a gap, or is open at the end, makes no
 * segment.  Between its beginning and its end, a span may have steps, which come in their order.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/program/program_builder.h"
#include "analysis/program/program_run.h"
#include "base/hash_index.h"
#include "base/table.h"
#include "histree/attributes.h"
#include "state/state_system.h"

/* ---- segments ------------------------------------------------------------------------------------------------ */

void run_clear_content(struct program_run *run)
{
	for (size_t i = 0; i < run->program->segment_fields_count; i++)
		run->content[i] = histree_null();
}

/* A segment cannot have an unknown value. */
void run_set_content(struct program_run *run, struct histree_value *content, uint32_t field,
		     struct histree_value value)
{
	value = value_convert(value, run->program->segment_fields[field].type, &run->scratch);
	content[field] = value.type == HISTREE_UNKNOWN ? histree_null() : value;
}

static void fill(struct program_run *run, const struct action_row *row)
{
	const struct program_field_value *fields = &run->program->field_values[row->first_field];
	for (uint32_t i = 0; i < row->field_count; i++)
		run_set_content(run, run->content, fields[i].field, run_value(run, fields[i].value));
}

void run_add_segment(struct program_run *run, histree_time start, histree_time end)
{
	struct changes *changes = &run->changes;
	const struct histree_segment segment = { .start = start, .end = end, .content = run->content };
	run->segment_count++;
	if (changes->status == HISTREE_OK && run->segments != NULL)
		changes->status = histree_segment_store_add(run->segments, &segment, &changes->error);
}

/* ---- of scenarios ----------------------------------------------------------------------------------------- */

static bool time_of(struct program_run *run, program_value value, histree_time *out)
{
	struct histree_value time = value_convert(run_value(run, value), HISTREE_LONG, &run->scratch);
	if (time.type == HISTREE_LONG)
		*out = time.int64;
	return time.type == HISTREE_LONG;
}

void run_segment(struct program_run *run, const struct action_row *row)
{
	histree_time now = run->changes.time, start = now, end = now, other;
	if (row->at == PROGRAM_NOTHING || !time_of(run, row->at, &start)) {
		struct changes *changes = &run->changes;
		histree_time since = changes->time;
		if (run->scenario != NULL && run->scenario->is_started && run->scenario->start_time != NO_ATTRIBUTE)
			since = changes->system->ongoing.states[run->scenario->start_time].since;
		start = since;
	}
	if (row->end != PROGRAM_NOTHING && time_of(run, row->end, &other) && other >= start)
		end = other;
	run_clear_content(run);
	fill(run, row);
	struct histree_value name = run_value(run, row->value);
	run_set_content(run, run->content, SEGMENT_NAME_FIELD, name);
	if (end < start)
		run->without_end++;
	else
		run_add_segment(run, start, end);
}

/* ---- spans ------------------------------------------------------------------------------------------------ */

enum { KEY_BYTES_MAX = 1024 };

struct span_key {
	uint8_t bytes[KEY_BYTES_MAX]; /* the span, and then each value as text with its length */
	size_t size;
	uint64_t hash;
};

/* Returns whether the event has a key. */
static bool read_key(struct program_run *run, const struct action_row *row, struct span_key *key)
{
	memcpy(key->bytes, &row->span, sizeof(row->span));
	key->size = sizeof(row->span);
	for (uint32_t i = 0; i < row->key_count; i++) {
		struct histree_value value = run_value(run, run->program->keys[row->first_key + i]);
		value = value_convert(value, HISTREE_STRING, &run->scratch);
		if (value.type != HISTREE_STRING || key->size + 4 + value.size > KEY_BYTES_MAX)
			return false;
		memcpy(key->bytes + key->size, &value.size, 4);
		memcpy(key->bytes + key->size + 4, value.bytes, value.size);
		key->size += 4 + value.size;
	}
	key->hash = hash_bytes(key->bytes, key->size);
	return true;
}

/* Of the `values` of an open segment: how long the key is, and when which event took it how far. */
enum { OPEN_KEY_SIZE, OPEN_STEP, OPEN_STEP_TIME, OPEN_STEP_EVENT };

/* What an open segment keeps is in a buffer of its own: the fields, then the key, then texts of fields. */
static struct histree_value *kept_fields(const struct open_segment *segment)
{
	return (struct histree_value *)(void *)segment->text;
}

static bool has_key(const struct program_run *run, const struct open_segment *segment, const struct span_key *key)
{
	const char *bytes = segment->text + run->program->segment_fields_count * sizeof(struct histree_value);
	return (size_t)segment->values[OPEN_KEY_SIZE].int64 == key->size &&
	       memcmp(bytes, key->bytes, key->size) == 0;
}

static bool keep_content(struct program_run *run, struct open_segment *segment, const struct span_key *key)
{
	size_t count = run->program->segment_fields_count, size = count * sizeof(struct histree_value) + key->size;
	for (size_t i = 0; i < count; i++)
		size += run->content[i].type == HISTREE_STRING ? run->content[i].size : 0;
	if (!array_reserve(&segment->text, &segment->text_capacity, size))
		return false;
	struct histree_value *fields = kept_fields(segment);
	char *text = segment->text + count * sizeof(*fields);
	memcpy(text, key->bytes, key->size);
	text += key->size;
	for (size_t i = 0; i < count; i++) {
		fields[i] = run->content[i];
		if (fields[i].type != HISTREE_STRING)
			continue;
		memcpy(text, fields[i].bytes, fields[i].size);
		fields[i].bytes = text;
		text += fields[i].size;
	}
	segment->values[OPEN_KEY_SIZE] = histree_long((int64_t)key->size);
	return true;
}

static void take_step(const struct program_run *run, struct open_segment *segment, uint32_t step)
{
	segment->values[OPEN_STEP] = histree_long(step);
	segment->values[OPEN_STEP_TIME] = histree_long(run->changes.time);
	segment->values[OPEN_STEP_EVENT] = histree_long((int64_t)run->number);
}

/* Returns the open span of an event that has taken this many steps before it; NULL if there is none. */
static struct open_segment *find_open(struct program_run *run, const struct span_key *key, uint32_t steps)
{
	struct open_segment *segment = open_segments_find(&run->spans, key->hash);
	if (segment == NULL || !has_key(run, segment, key) || segment->values[OPEN_STEP].int64 != steps)
		return NULL;
	return steps == 0 || segment->values[OPEN_STEP_EVENT].int64 != (int64_t)run->number ? segment : NULL;
}

/* The fields of the open span, and those of the event. */
static void go_on(struct program_run *run, const struct action_row *row, const struct open_segment *segment)
{
	memcpy(run->content, kept_fields(segment), run->program->segment_fields_count * sizeof(*run->content));
	run->step_began = segment->values[OPEN_STEP_TIME].int64;
	fill(run, row);
	run->step_began = INT64_MIN;
	if (row->value != PROGRAM_NOTHING)
		run_set_content(run, run->content, SEGMENT_NAME_FIELD, run_value(run, row->value));
}

void run_span_begin(struct program_run *run, const struct action_row *row)
{
	struct span_key key;
	if (!read_key(run, row, &key))
		return;
	/* An event that was a step of the open span is no other beginning. */
	const struct open_segment *open = open_segments_find(&run->spans, key.hash);
	if (open != NULL && open->values[OPEN_STEP].int64 > 0 &&
	    open->values[OPEN_STEP_EVENT].int64 == (int64_t)run->number)
		return;
	run_clear_content(run);
	fill(run, row);
	struct histree_value name = row->value != PROGRAM_NOTHING
					    ? run_value(run, row->value)
					    : histree_string(run->program->spans[row->span].name);
	run_set_content(run, run->content, SEGMENT_NAME_FIELD, name);
	if (open != NULL)
		run->without_end++;
	struct open_segment *segment = open_segments_add(&run->spans, key.hash, run->changes.time);
	if (segment != NULL && keep_content(run, segment, &key)) {
		take_step(run, segment, 0);
		return;
	}
	if (segment != NULL)
		open_segments_remove(&run->spans, segment);
	changes_fail(&run->changes, HISTREE_ERR_MEMORY, "no memory for spans");
}

/* An event out of its turn changes nothing. */
void run_span_step(struct program_run *run, const struct action_row *row)
{
	struct span_key key;
	if (!read_key(run, row, &key))
		return;
	struct open_segment *segment = find_open(run, &key, row->step - 1);
	if (segment == NULL || segment->values[OPEN_STEP_EVENT].int64 == (int64_t)run->number)
		return;
	go_on(run, row, segment);
	/* Texts that stay are in the buffer that is written, and are copied before. */
	for (size_t i = 0; i < run->program->segment_fields_count; i++)
		if (run->content[i].type == HISTREE_STRING)
			run->content[i] = scratch_text(&run->scratch, run->content[i].bytes, run->content[i].size);
	if (keep_content(run, segment, &key))
		take_step(run, segment, row->step);
	else
		changes_fail(&run->changes, HISTREE_ERR_MEMORY, "no memory for spans");
}

void run_span_end(struct program_run *run, const struct action_row *row)
{
	struct span_key key;
	if (!read_key(run, row, &key))
		return;
	struct open_segment *segment = find_open(run, &key, run->program->spans[row->span].steps);
	if (segment == NULL) {
		run->without_start++;
		return;
	}
	go_on(run, row, segment);
	if (segment->start > run->changes.time)
		run->without_end++;
	else
		run_add_segment(run, segment->start, run->changes.time);
	open_segments_remove(&run->spans, segment);
}

void run_forget_spans(struct program_run *run)
{
	for (size_t i = 0; i < run->spans.keyed; i++) {
		if (!run->spans.records[i]->is_open)
			continue;
		open_segments_remove(&run->spans, run->spans.records[i]);
		run->without_end++;
	}
}

/* ---- program calls ------------------------------------------------------------------------------------------- */

/* ---- declaring -------------------------------------------------------------------------------------------- */

enum { COMPONENTS_MAX = 256 };

struct call_components {
	const char *texts[COMPONENTS_MAX];
	uint32_t count;
};

static void add_components(struct program_builder *make, const char *path, struct call_components *out)
{
	while (*path != '\0') {
		size_t size = strcspn(path, "/");
		char *copy = size > 0 ? arena_allocate(&make->program.texts, size + 1, 1) : NULL;
		if (size > 0 && copy == NULL)
			builder_fail(make, HISTREE_ERR_MEMORY, "no memory for an analysis");
		else if (out->count == COMPONENTS_MAX)
			builder_fail(make, HISTREE_ERR_ARGUMENT, "the levels of a call stack are too deep");
		if (make->status != HISTREE_OK)
			return;
		if (size > 0) {
			memcpy(copy, path, size);
			copy[size] = '\0';
			out->texts[out->count++] = copy;
		}
		path += size + (path[size] == '/');
	}
}

void program_call_group(struct program_builder *make, const char *const *levels, size_t level_count,
			const struct program_call_whose *thread, const struct program_call_whose *host)
{
	struct call_components components = { .count = 0 };
	struct call_group_row row = { .thread = thread->origin, .host = host->origin };
	for (size_t i = 0; i < level_count; i++) {
		add_components(make, levels[i], &components);
		if (thread->level == i && thread->origin != PROGRAM_CALL_UNSAID)
			row.thread_components = components.count;
		if (host->level == i && host->origin != PROGRAM_CALL_UNSAID)
			row.host_components = components.count;
	}
	row.cpu = thread->origin == PROGRAM_CALL_CPU ? builder_keep(make, thread->path) : NULL;
	row.component_count = components.count;
	const char **kept = arena_allocate(&make->program.texts, (components.count + 1) * sizeof(*kept),
					   _Alignof(const char *));
	if (kept == NULL) {
		builder_fail(make, HISTREE_ERR_MEMORY, "no memory for an analysis");
		return;
	}
	memcpy(kept, components.texts, components.count * sizeof(*kept));
	row.components = kept;
	/* What calls have; a host only if something says it. */
	struct program *program = &make->program;
	row.tid_field = program_segment_field(make, "tid", HISTREE_INT);
	program->call_depth_field = program_segment_field(make, "depth", HISTREE_INT);
	program->call_self_field = program_segment_field(make, "self", HISTREE_LONG);
	program->call_caller_field = program_segment_field(make, "caller", HISTREE_STRING);
	program->call_stack_field = program_segment_field(make, "stack", HISTREE_STRING);
	if (row.host_components > 0)
		row.host_field = program_segment_field(make, "host", HISTREE_STRING);
	program->makes_segments = true;
	program->has_columns = program->has_columns || row.thread == PROGRAM_CALL_CPU;
	(void)BUILDER_ADD(make, call_groups, row);
}

/* ---- which stacks are of calls ----------------------------------------------------------------------------- */

static histree_quark parent_of(const struct program_run *run, histree_quark quark)
{
	return run->changes.system->attributes.attributes[quark].parent;
}

static bool name_fits(const struct program_run *run, histree_quark quark, const char *pattern)
{
	char room[ATTRIBUTE_NUMBER_SIZE];
	size_t size;
	struct attribute_name name = attribute_tree_name(&run->changes.system->attributes, quark);
	const char *text = attribute_name_text(&name, room, &size);
	return stars_fit(pattern, text, size);
}

static bool is_of_group(const struct program_run *run, histree_quark stack, const struct call_group_row *group)
{
	if (!name_fits(run, stack, "CallStack"))
		return false;
	histree_quark quark = parent_of(run, stack);
	for (uint32_t i = group->component_count; i > 0; i--, quark = parent_of(run, quark))
		if (quark == HISTREE_ROOT || !name_fits(run, quark, group->components[i - 1]))
			return false;
	return quark == HISTREE_ROOT;
}

static const struct call_group_row *group_of(const struct program_run *run, histree_quark stack)
{
	for (size_t i = 0; i < run->program->call_groups_count; i++)
		if (is_of_group(run, stack, &run->program->call_groups[i]))
			return &run->program->call_groups[i];
	return NULL;
}

static bool has_quark(const void *stacks, uint32_t number, const void *key)
{
	return ((const struct call_stack *)stacks)[number].quark == *(const histree_quark *)key;
}

static uint64_t hash_of_stack(const void *stacks, uint32_t number)
{
	return hash_mix(((const struct call_stack *)stacks)[number].quark);
}

static struct call_stack *find_stack(const struct program_run *run, histree_quark quark)
{
	const struct call_stacks_run *calls = &run->calls;
	uint32_t found = hash_index_find(&calls->index, hash_mix(quark), has_quark, calls->stacks, &quark);
	return found != HASH_INDEX_NONE ? &calls->stacks[found] : NULL;
}

static void program_calls_fail(struct program_run *run)
{
	changes_fail(&run->changes, HISTREE_ERR_MEMORY, "no memory for calls");
}

/* The path of the attribute that has the stack; NULL after a failure. */
static char *path_of(struct program_run *run, histree_quark stack)
{
	const struct histree_attributes *attributes = histree_state_attributes(run->changes.system);
	histree_quark element = parent_of(run, stack);
	size_t size = histree_attributes_path(attributes, element, NULL, 0) + 1;
	char *path = malloc(size);
	if (path != NULL)
		histree_attributes_path(attributes, element, path, size);
	return path;
}

/* Returns NULL if memory runs out. */
static struct call_stack *add_stack(struct program_run *run, histree_quark quark)
{
	struct call_stacks_run *calls = &run->calls;
	struct call_stack stack = { .quark = quark, .group = group_of(run, quark) };
	if (stack.group != NULL && (stack.path = path_of(run, quark)) == NULL)
		return NULL;
	if (!array_reserve(&calls->stacks, &calls->capacity, calls->count + 1) ||
	    !hash_index_reserve(&calls->index, calls->count + 1, hash_of_stack, calls->stacks)) {
		free(stack.path);
		return NULL;
	}
	if (stack.group != NULL)
		run->touched[quark] |= TOUCHED_CALLS;
	calls->stacks[calls->count] = stack;
	hash_index_add(&calls->index, hash_mix(quark), (uint32_t)calls->count);
	return &calls->stacks[calls->count++];
}

/* ---- whose a call is --------------------------------------------------------------------------------------- */

/* The attribute of the level that `count` components lead to. */
static histree_quark level_of(const struct program_run *run, const struct call_stack *stack, uint32_t components)
{
	histree_quark quark = parent_of(run, stack->quark);
	for (uint32_t i = stack->group->component_count; i > components; i--)
		quark = parent_of(run, quark);
	return quark;
}

/* What the attribute of a level says, by its name, which is written into `room`, or its state. */
static struct histree_value said_by(const struct program_run *run, const struct call_stack *stack,
				    enum program_call_origin origin, uint32_t components,
				    char room[ATTRIBUTE_NUMBER_SIZE])
{
	if (components == 0)
		return histree_null();
	histree_quark quark = level_of(run, stack, components);
	if (origin == PROGRAM_CALL_VALUE)
		return ongoing_states_value(&run->changes.system->ongoing, quark);
	size_t size;
	struct attribute_name name = attribute_tree_name(&run->changes.system->attributes, quark);
	const char *text = attribute_name_text(&name, room, &size);
	return histree_string_n(text, size);
}

static struct histree_value thread_on_cpu(struct program_run *run, const struct call_stack *stack)
{
	const struct changes *changes = &run->changes;
	histree_quark quark;
	if (histree_attributes_find(histree_state_attributes(changes->system), parent_of(run, stack->quark),
				    stack->group->cpu, &quark) != HISTREE_OK)
		return histree_null();
	struct histree_value cpu =
		value_convert(ongoing_states_value(&changes->system->ongoing, quark), HISTREE_LONG, &run->scratch);
	return cpu.type == HISTREE_LONG ? run_thread_on(run, cpu.int64) : histree_null();
}

static void settle(struct program_run *run, const struct call_stack *stack, struct call_frame *frame)
{
	const struct call_group_row *group = stack->group;
	char room[ATTRIBUTE_NUMBER_SIZE];
	struct histree_value tid = histree_null(), host = histree_null();
	if (group->thread == PROGRAM_CALL_CPU)
		tid = thread_on_cpu(run, stack);
	else if (group->thread != PROGRAM_CALL_UNSAID)
		tid = said_by(run, stack, group->thread, group->thread_components, room);
	frame->tid = value_convert(tid, HISTREE_INT, &run->scratch);
	if (group->host_components > 0)
		host = value_convert(said_by(run, stack, group->host, group->host_components, room), HISTREE_STRING,
				     &run->scratch);
	frame->host = -1;
	if (host.type == HISTREE_STRING) {
		uint32_t number = intern_add(&run->calls.texts, host.bytes, host.size);
		if (number == INTERN_NONE)
			program_calls_fail(run);
		else
			frame->host = (int32_t)number;
	}
	frame->is_settled = true;
}

void run_settle_calls(struct program_run *run)
{
	struct call_stacks_run *calls = &run->calls;
	for (size_t i = 0; i < calls->begun_count; i++) {
		const struct call_stack *stack = &calls->stacks[calls->begun[i]];
		for (size_t depth = stack->depth; depth > 0 && !stack->frames[depth - 1].is_settled; depth--)
			settle(run, stack, &stack->frames[depth - 1]);
	}
	calls->begun_count = 0;
}

/* ---- beginnings and ends ----------------------------------------------------------------------------------- */

/* Cuts calls that the stack no longer has and whose ends were not reported. */
static void cut(struct program_run *run, struct call_stack *stack, uint32_t depth)
{
	if (stack->depth <= depth)
		return;
	run->without_end += stack->depth - depth;
	stack->depth = depth;
	if (depth > 0)
		stack->frames[depth - 1].is_whole = false;
}

void run_call_begin(struct program_run *run, histree_quark quark, uint32_t depth, histree_quark slot)
{
	struct call_stacks_run *calls = &run->calls;
	struct call_stack *stack = find_stack(run, quark);
	if (stack == NULL && (stack = add_stack(run, quark)) == NULL) {
		program_calls_fail(run);
		return;
	}
	if (stack->group == NULL)
		return;
	cut(run, stack, depth - 1);
	if (stack->depth < depth - 1) /* what is below it was not pushed */
		return;
	if (!array_reserve(&stack->frames, &stack->capacity, stack->depth + 1) ||
	    !array_reserve(&calls->begun, &calls->begun_capacity, calls->begun_count + 1)) {
		program_calls_fail(run);
		return;
	}
	stack->frames[stack->depth++] =
		(struct call_frame){ .start = run->changes.time, .slot = slot, .is_whole = true, .host = -1 };
	calls->begun[calls->begun_count++] = (uint32_t)(stack - calls->stacks);
}

/* As flame graphs call it: numbers are addresses. */
static struct histree_value name_of(struct program_run *run, const struct call_frame *frame)
{
	char text[24];
	struct histree_value value = ongoing_states_value(&run->changes.system->ongoing, frame->slot);
	if (value.type == HISTREE_INT)
		snprintf(text, sizeof(text), "0x%" PRIx32, (uint32_t)value.int32);
	else if (value.type == HISTREE_LONG)
		snprintf(text, sizeof(text), "0x%" PRIx64, (uint64_t)value.int64);
	else
		return value_convert(value, HISTREE_STRING, &run->scratch);
	return scratch_text(&run->scratch, text, strlen(text));
}

static void add_call(struct program_run *run, const struct call_stack *stack, const struct call_frame *frame)
{
	const struct program *program = run->program;
	histree_time end = run->changes.time;
	uint64_t duration = (uint64_t)end - (uint64_t)frame->start;
	struct histree_value self = histree_null(), *content = run->content;
	if (end < frame->start) {
		run->without_end++;
		return;
	}
	if (frame->is_whole && frame->inside <= duration)
		self = histree_long((int64_t)(duration - frame->inside));
	run_clear_content(run);
	run_set_content(run, content, SEGMENT_NAME_FIELD, name_of(run, frame));
	run_set_content(run, content, stack->group->tid_field, frame->tid);
	run_set_content(run, content, program->call_depth_field, histree_int((int32_t)stack->depth + 1));
	run_set_content(run, content, program->call_self_field, self);
	if (stack->depth > 0)
		run_set_content(run, content, program->call_caller_field, name_of(run, frame - 1));
	run_set_content(run, content, program->call_stack_field, histree_string(stack->path));
	if (frame->host >= 0)
		run_set_content(run, content, stack->group->host_field,
				histree_string(intern_get(&run->calls.texts, (uint32_t)frame->host, NULL)));
	run_add_segment(run, frame->start, end);
}

static void end_innermost(struct program_run *run, struct call_stack *stack)
{
	struct call_frame *frame = &stack->frames[--stack->depth];
	if (!frame->is_settled)
		settle(run, stack, frame);
	add_call(run, stack, frame);
	if (stack->depth > 0 && run->changes.time >= frame->start)
		frame[-1].inside += (uint64_t)run->changes.time - (uint64_t)frame->start;
}

void run_call_end(struct program_run *run, histree_quark quark, uint32_t depth)
{
	struct call_stack *stack = find_stack(run, quark);
	if (stack == NULL || stack->group == NULL)
		return;
	cut(run, stack, depth);
	if (stack->depth == depth)
		end_innermost(run, stack);
	else
		run->without_start++;
}

void run_calls_end(struct program_run *run, histree_quark quark)
{
	if (quark >= run->touched_capacity || (run->touched[quark] & TOUCHED_CALLS) == 0)
		return;
	struct call_stack *stack = find_stack(run, quark);
	while (stack->depth > 0)
		end_innermost(run, stack);
}

void run_forget_calls(struct program_run *run)
{
	for (size_t i = 0; i < run->calls.count; i++) {
		run->without_end += run->calls.stacks[i].depth;
		run->calls.stacks[i].depth = 0;
	}
}

void run_release_calls(struct program_run *run)
{
	struct call_stacks_run *calls = &run->calls;
	for (size_t i = 0; i < calls->count; i++) {
		free(calls->stacks[i].frames);
		free(calls->stacks[i].path);
	}
	free(calls->stacks);
	free(calls->begun);
	hash_index_release(&calls->index);
	intern_release(&calls->texts);
}
