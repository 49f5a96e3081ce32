// SPDX-License-Identifier: MIT
/*
 * program_scenarios.c - state machines that may have many scenarios under way, and those of functions that are
 * called and return: the rules of Trace Compass's patterns (its user guide, "Defining an XML pattern provider", and
 * dumps of what it makes of them).
 *
 * The number of a scenario that is over is given to another one at once; what stands below its attribute is null
 * except "status", "state" and the time at which it entered its last state.
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

/* Returns NULL if memory is out. */
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

/* ---- program scenarios --------------------------------------------------------------------------------------- */

/* Of one machine, under way at one time: each event is shown to all of them. */
enum { SCENARIOS_MAX = 10000 };

enum status { STATUS_PENDING = 0, STATUS_UNDER_WAY = 1, STATUS_OVER = 2 };

static void program_scenarios_fail(struct program_run *run)
{
	changes_fail(&run->changes, HISTREE_ERR_MEMORY, "no memory for scenarios");
}

static histree_quark child(struct program_run *run, histree_quark parent, const char *name)
{
	return run_child(run, parent, name, strlen(name));
}

/* ---- numbers that are given back ------------------------------------------------------------------------ */

/* Takes the oldest one of a queue; the caller knows that there is one. */
#define TAKE(of) ((of)->free[(of)->first_free++])
#define HAS_FREE(of) ((of)->first_free < (of)->free_count)
/* Moves what is left to the front before the queue grows.  False if memory is out. */
#define GIVE_BACK(of, element)                                                                                   \
	(((of)->first_free > 32 && (of)->first_free * 2 > (of)->free_count                                       \
		  ? ((of)->free_count -= (of)->first_free,                                                       \
		     memmove((of)->free, (of)->free + (of)->first_free, (of)->free_count * sizeof(*(of)->free)), \
		     (of)->first_free = 0)                                                                       \
		  : 0),                                                                                          \
	 array_reserve(&(of)->free, &(of)->free_capacity, (of)->free_count + 1) &&                               \
		 ((of)->free[(of)->free_count++] = (element), true))
/* ---- pools ---------------------------------------------------------------------------------------------- */

static bool pool_has_parent(const void *elements, uint32_t number, const void *key)
{
	return ((const struct number_pool *)elements)[number].parent == *(const histree_quark *)key;
}

static uint64_t hash_of_pool(const void *elements, uint32_t number)
{
	return hash_mix(((const struct number_pool *)elements)[number].parent);
}

static struct number_pool *pool_of(struct program_run *run, histree_quark parent)
{
	uint32_t found = hash_index_find(&run->pool_index, hash_mix(parent), pool_has_parent, run->pools, &parent);
	if (found != HASH_INDEX_NONE)
		return &run->pools[found];
	if (!array_reserve(&run->pools, &run->pool_capacity, run->pool_count + 1) ||
	    !hash_index_reserve(&run->pool_index, run->pool_count + 1, hash_of_pool, run->pools)) {
		program_scenarios_fail(run);
		return NULL;
	}
	run->pools[run->pool_count] = (struct number_pool){ .parent = parent };
	hash_index_add(&run->pool_index, hash_mix(parent), (uint32_t)run->pool_count);
	return &run->pools[run->pool_count++];
}

/* Few are free at a time. */
static histree_quark take_lowest(struct number_pool *pool)
{
	size_t lowest = pool->first_free;
	for (size_t i = lowest + 1; i < pool->free_count; i++)
		if (pool->free[i] < pool->free[lowest])
			lowest = i;
	histree_quark quark = pool->free[lowest];
	pool->free[lowest] = pool->free[pool->first_free++];
	return quark;
}

static bool note_use(struct program_run *run, histree_quark parent, histree_quark quark)
{
	uint32_t use = run->free_use;
	if (use != PROGRAM_NOTHING) {
		run->free_use = run->uses[use].next;
	} else {
		if (!array_reserve(&run->uses, &run->use_capacity, run->use_count + 1))
			return false;
		use = (uint32_t)run->use_count++;
	}
	run->uses[use] = (struct pool_use){ parent, quark, run->scenario->first_use };
	run->scenario->first_use = use;
	return true;
}

histree_quark run_pool(struct program_run *run, histree_quark parent)
{
	if (run->scenario == NULL || run->scenario->is_over || run->changes.status != HISTREE_OK)
		return NO_ATTRIBUTE;
	for (uint32_t use = run->scenario->first_use; use != PROGRAM_NOTHING; use = run->uses[use].next)
		if (run->uses[use].parent == parent)
			return run->uses[use].quark;
	struct number_pool *pool = pool_of(run, parent);
	if (pool == NULL)
		return NO_ATTRIBUTE;
	histree_quark quark = HAS_FREE(pool) ? take_lowest(pool) : run_child_of_number(run, parent, pool->given++);
	if (quark != NO_ATTRIBUTE && !note_use(run, parent, quark))
		program_scenarios_fail(run);
	return quark;
}

/* ---- states --------------------------------------------------------------------------------------------- */

static void enter(struct program_run *run, struct scenario *scenario, program_state state)
{
	const struct state_row *row = &run->program->states[state];
	histree_quark *entered = &scenario->entered[row->number];
	scenario->state = state;
	run_change(run, scenario->state_name, histree_string_n(row->name, row->name_size));
	if (*entered == NO_ATTRIBUTE)
		*entered = child(run, child(run, scenario->state_name, row->name), "startTime");
	run_change(run, *entered, histree_long(run->changes.time));
}

static struct scenario *add_scenario(struct program_run *run, struct fsm_run *fsm, const struct fsm_row *row)
{
	struct scenario *scenario = calloc(1, sizeof(*scenario));
	size_t known = row->state_count + run->program->fixed_count;
	if (scenario != NULL)
		scenario->entered = calloc(known + 1, sizeof(*scenario->entered));
	if (scenario == NULL || scenario->entered == NULL ||
	    !array_reserve(&fsm->scenarios, &fsm->capacity, fsm->count + 1)) {
		free(scenario != NULL ? scenario->entered : NULL);
		free(scenario);
		program_scenarios_fail(run);
		return NULL;
	}
	for (size_t i = 0; i < known; i++)
		scenario->entered[i] = NO_ATTRIBUTE;
	scenario->fixed = scenario->entered + row->state_count;
	if (run->scenarios == NO_ATTRIBUTE)
		run->scenarios = child(run, HISTREE_ROOT, "scenarios");
	if (fsm->quark == NO_ATTRIBUTE)
		fsm->quark = child(run, run->scenarios, row->name);
	scenario->quark = run_child_of_number(run, fsm->quark, (uint32_t)fsm->count);
	scenario->status = child(run, scenario->quark, "status");
	scenario->state_name = child(run, scenario->quark, "state");
	scenario->start_time = NO_ATTRIBUTE;
	fsm->scenarios[fsm->count++] = scenario;
	return scenario;
}

static void refuse_endless(struct program_run *run, const struct fsm_row *row)
{
	char text[256];
	snprintf(text, sizeof(text),
		 "state machine '%.100s' has more than %d scenarios under way at once: its conditions begin them "
		 "and "
		 "end none",
		 row->name, SCENARIOS_MAX);
	changes_fail(&run->changes, HISTREE_ERR_FORMAT, text);
}

static void make_pending(struct program_run *run, struct fsm_run *fsm, const struct fsm_row *row)
{
	if (fsm->active_count >= SCENARIOS_MAX)
		refuse_endless(run, row);
	if (!array_reserve(&fsm->active, &fsm->active_capacity, fsm->active_count + 1))
		program_scenarios_fail(run);
	if (run->changes.status != HISTREE_OK)
		return;
	uint32_t number = HAS_FREE(fsm) ? TAKE(fsm) : (uint32_t)fsm->count;
	struct scenario *scenario = number < fsm->count ? fsm->scenarios[number] : add_scenario(run, fsm, row);
	if (scenario == NULL)
		return;
	scenario->is_started = scenario->is_over = false;
	scenario->first_use = PROGRAM_NOTHING;
	fsm->pending = number;
	fsm->was_begun = true;
	run_change(run, scenario->status, histree_int(STATUS_PENDING));
	enter(run, scenario, row->begin);
}

/*
 * Releases a scenario; the next one may get its number.  Its attributes become null, except those that get
 * another value next.
 */
static void give_back(struct program_run *run, struct fsm_run *fsm, uint32_t number, const histree_quark *kept,
		      size_t kept_count)
{
	struct scenario *scenario = fsm->scenarios[number];
	scenario->is_over = true;
	uint32_t next;
	for (uint32_t use = scenario->first_use; use != PROGRAM_NOTHING; use = next) {
		struct number_pool *pool = pool_of(run, run->uses[use].parent);
		run_delete(run, run->uses[use].quark);
		if (pool != NULL && !GIVE_BACK(pool, run->uses[use].quark))
			program_scenarios_fail(run);
		next = run->uses[use].next;
		run->uses[use].next = run->free_use;
		run->free_use = use;
	}
	scenario->first_use = PROGRAM_NOTHING;
	run_delete_but(run, scenario->quark, kept, kept_count);
	if (!GIVE_BACK(fsm, number))
		program_scenarios_fail(run);
}

/* ---- transitions ---------------------------------------------------------------------------------------- */

static void start(struct program_run *run, struct scenario *scenario)
{
	if (scenario->start_time == NO_ATTRIBUTE)
		scenario->start_time = child(run, scenario->quark, "startTime");
	scenario->is_started = true;
	run_change(run, scenario->status, histree_int(STATUS_UNDER_WAY));
	run_change(run, scenario->start_time, histree_long(run->changes.time));
}

static void take(struct program_run *run, struct fsm_run *fsm, uint32_t number, const struct transition_row *row)
{
	const struct program *program = run->program;
	struct scenario *scenario = fsm->scenarios[number];
	const struct state_row *from = &program->states[scenario->state], *to = &program->states[row->to];
	bool is_other = row->to != scenario->state;
	if (!scenario->is_started)
		start(run, scenario);
	if (is_other)
		run_block(run, from->exit);
	run_block(run, row->block);
	if (is_other)
		run_block(run, to->entry);
	if (to->is_final) {
		const histree_quark kept[] = { scenario->status, scenario->state_name,
					       scenario->entered[to->number] };
		give_back(run, fsm, number, kept, is_other ? 3 : 1);
		run_change(run, scenario->status, histree_int(STATUS_OVER));
	}
	if (is_other)
		enter(run, scenario, row->to);
}

/* Returns whether the scenario took a transition. */
static bool handle(struct program_run *run, struct fsm_run *fsm, uint32_t number)
{
	const struct program *program = run->program;
	struct scenario *scenario = fsm->scenarios[number];
	bool took = false;
	run->scenario = scenario;
	for (uint32_t i = run->binding->first[scenario->state]; i != PROGRAM_NOTHING && !took;
	     i = run->binding->next[i]) {
		const struct transition_row *row = &program->transitions[i];
		took = run_is_true(run, row->condition);
		if (took)
			take(run, fsm, number, row);
	}
	run->scenario = NULL;
	return took;
}

/* One of those that have a condition; others are decided by the name of the event. */
static bool precondition_holds(struct program_run *run, const struct fsm_row *row)
{
	const struct program *program = run->program;
	bool holds = false;
	for (uint32_t i = row->first_precondition; i != PROGRAM_NOTHING && !holds;
	     i = program->preconditions[i].next)
		holds = run->binding->preconditions[i] && run_is_true(run, program->preconditions[i].condition);
	return holds;
}

static void run_fsm(struct program_run *run, struct fsm_run *fsm, const struct fsm_row *row)
{
	bool is_consumed = false;
	size_t kept = 0, at = 0;
	for (; at < fsm->active_count && !is_consumed; at++) {
		uint32_t number = fsm->active[at];
		struct scenario *scenario = fsm->scenarios[number];
		if (run->binding->first[scenario->state] != PROGRAM_NOTHING)
			is_consumed = handle(run, fsm, number) && row->is_consuming;
		if (!scenario->is_over)
			fsm->active[kept++] = number;
	}
	if (kept < at)
		memmove(fsm->active + kept, fsm->active + at, (fsm->active_count - at) * sizeof(*fsm->active));
	fsm->active_count -= at - kept;
	if (is_consumed || fsm->pending == PROGRAM_NOTHING || !handle(run, fsm, fsm->pending))
		return;
	/* Room for it was reserved when it was made. */
	if (!fsm->scenarios[fsm->pending]->is_over)
		fsm->active[fsm->active_count++] = fsm->pending;
	fsm->pending = PROGRAM_NOTHING;
}

void run_scenarios(struct program_run *run)
{
	const struct program *program = run->program;
	for (size_t i = 0; i < program->fsms_count; i++) {
		struct fsm_run *fsm = &run->fsms[i];
		if (fsm->pending == PROGRAM_NOTHING && (program->fsms[i].is_multiple || !fsm->was_begun))
			make_pending(run, fsm, &program->fsms[i]);
	}
	for (size_t i = 0; i < program->fsms_count && run->changes.status == HISTREE_OK; i++) {
		const struct fsm_binding *binding = &run->binding->fsms[i];
		if (!binding->is_idle &&
		    (binding->precondition == PRECONDITION_HOLDS || precondition_holds(run, &program->fsms[i])))
			run_fsm(run, &run->fsms[i], &program->fsms[i]);
	}
}

/* ---- ends ----------------------------------------------------------------------------------------------- */

/*
 * After a gap it is not known how far they are.  A machine of one scenario begins again, if it was not over; a
 * pending one has nothing to forget.
 */
void run_forget_scenarios(struct program_run *run)
{
	for (size_t i = 0; i < run->program->fsms_count; i++) {
		struct fsm_run *fsm = &run->fsms[i];
		for (size_t at = 0; at < fsm->active_count; at++) {
			struct scenario *scenario = fsm->scenarios[fsm->active[at]];
			for (uint32_t use = scenario->first_use; use != PROGRAM_NOTHING;) {
				struct number_pool *pool = pool_of(run, run->uses[use].parent);
				uint32_t next = run->uses[use].next;
				if (pool == NULL || !GIVE_BACK(pool, run->uses[use].quark))
					program_scenarios_fail(run);
				run->uses[use].next = run->free_use;
				run->free_use = use;
				use = next;
			}
			scenario->first_use = PROGRAM_NOTHING;
			scenario->is_over = true;
			run->without_end++;
			fsm->was_begun = false;
			if (!GIVE_BACK(fsm, fsm->active[at]))
				program_scenarios_fail(run);
		}
		fsm->active_count = 0;
		/* Its state is what it was, and is said again. */
		if (fsm->pending != PROGRAM_NOTHING) {
			if (!GIVE_BACK(fsm, fsm->pending))
				program_scenarios_fail(run);
			fsm->pending = PROGRAM_NOTHING;
			fsm->was_begun = false;
		}
	}
}

void run_end_scenarios(struct program_run *run, histree_time end)
{
	run->changes.time = end;
	for (size_t i = 0; i < run->program->fsms_count; i++) {
		struct fsm_run *fsm = &run->fsms[i];
		for (size_t at = 0; at < fsm->active_count; at++) {
			give_back(run, fsm, fsm->active[at], NULL, 0);
			run->without_end++;
		}
		fsm->active_count = 0;
	}
}

void run_release_scenarios(struct program_run *run)
{
	for (size_t i = 0; run->fsms != NULL && i < run->program->fsms_count; i++) {
		struct fsm_run *fsm = &run->fsms[i];
		for (size_t number = 0; number < fsm->count; number++) {
			free(fsm->scenarios[number]->entered);
			free(fsm->scenarios[number]);
		}
		free(fsm->scenarios);
		free(fsm->free);
		free(fsm->active);
	}
	for (size_t i = 0; i < run->pool_count; i++)
		free(run->pools[i].free);
	free(run->fsms);
	free(run->pools);
	free(run->uses);
	hash_index_release(&run->pool_index);
}
