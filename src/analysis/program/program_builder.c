// SPDX-License-Identifier: MIT
/*
 * program_builder.c - a program while a front end makes it, and how it is finished.
 */
#include "analysis/program/program_builder.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/program/program.h"
#include "analysis/program/program_run.h"
#include "base/bytes.h"
#include "base/error.h"
#include "base/hash_index.h"
#include "base/table.h"

static void program_release(struct program *program);

/* ---- program builder ----------------------------------------------------------------------------------------- */

struct program_builder *program_builder_create(void)
{
	struct program_builder *make = calloc(1, sizeof(*make));
	if (make != NULL)
		program_segment_field(make, "name", HISTREE_STRING);
	return make;
}

void program_builder_free(struct program_builder *make)
{
	if (make == NULL)
		return;
	program_release(&make->program);
	free(make);
}

void builder_fail(struct program_builder *make, enum histree_status status, const char *what)
{
	if (make->status == HISTREE_OK)
		make->status = error_set(&make->error, status, "%s", what);
}

bool builder_has_room(struct program_builder *make, void *array, size_t *capacity, size_t count, size_t size)
{
	if (make->status != HISTREE_OK)
		return false;
	if (count >= PROGRAM_ROWS_MAX)
		builder_fail(make, HISTREE_ERR_TOO_LARGE, "the analysis is too large");
	else if (!array_reserve_bytes(array, capacity, count + 1, size))
		builder_fail(make, HISTREE_ERR_MEMORY, "no memory for an analysis");
	return make->status == HISTREE_OK;
}

/* Returns whether a number is that of a row; the numbers from a failed builder are not. */
static bool check(struct program_builder *make, uint32_t number, size_t count)
{
	if (make->status == HISTREE_OK && number >= count)
		builder_fail(make, HISTREE_ERR_ARGUMENT, "the analysis has a part that does not exist");
	return make->status == HISTREE_OK;
}

static bool check_optional(struct program_builder *make, uint32_t number, size_t count)
{
	return number == PROGRAM_NOTHING ? make->status == HISTREE_OK : check(make, number, count);
}

const char *builder_keep(struct program_builder *make, const char *text)
{
	if (make->status != HISTREE_OK || text == NULL)
		return NULL;
	const char *copy = arena_copy(&make->program.texts, text, strlen(text));
	if (copy == NULL)
		builder_fail(make, HISTREE_ERR_MEMORY, "no memory for an analysis");
	return copy;
}

static struct histree_value keep_value(struct program_builder *make, struct histree_value value)
{
	if (make->status != HISTREE_OK || (value.type != HISTREE_STRING && value.type != HISTREE_CUSTOM))
		return value;
	value.bytes = arena_copy(&make->program.texts, value.bytes, value.size);
	if (value.bytes == NULL)
		builder_fail(make, HISTREE_ERR_MEMORY, "no memory for an analysis");
	return value;
}

/* ---- values ----------------------------------------------------------------------------------------------- */

program_value program_constant(struct program_builder *make, struct histree_value value)
{
	value = keep_value(make, value);
	return BUILDER_ADD(make, values, (struct value_row){ .kind = VALUE_CONSTANT, .constant = value });
}

program_value program_field(struct program_builder *make, const char *name)
{
	uint32_t number = intern_add(&make->program.fields, name, strlen(name));
	if (number == INTERN_NONE)
		builder_fail(make, HISTREE_ERR_MEMORY, "no memory for an analysis");
	return BUILDER_ADD(make, values, (struct value_row){ .kind = VALUE_FIELD, .first = number });
}

program_value program_field_or_fact(struct program_builder *make, const char *name, enum program_fact fact)
{
	program_value otherwise = program_fact(make, fact), field = program_field(make, name);
	if (field == PROGRAM_NOTHING || otherwise == PROGRAM_NOTHING)
		return PROGRAM_NOTHING;
	make->program.values[field].second = otherwise + 1;
	return field;
}

program_value program_fact(struct program_builder *make, enum program_fact fact)
{
	make->program.has_columns = make->program.has_columns || fact == PROGRAM_TID || fact == PROGRAM_PID;
	return BUILDER_ADD(make, values, (struct value_row){ .kind = VALUE_FACT, .detail = (uint8_t)fact });
}

program_value program_look_up(struct program_builder *make, enum program_look look, program_path path, bool creates)
{
	if (!check(make, path, make->program.paths_count))
		return PROGRAM_NOTHING;
	return BUILDER_ADD(
		make, values,
		(struct value_row){
			.kind = VALUE_LOOK_UP, .detail = (uint8_t)look, .creates = creates, .first = path });
}

program_value program_convert(struct program_builder *make, program_value value, enum histree_type type)
{
	if (!check(make, value, make->program.values_count))
		return PROGRAM_NOTHING;
	return BUILDER_ADD(make, values,
			   (struct value_row){ .kind = VALUE_CONVERT, .detail = (uint8_t)type, .first = value });
}

program_value program_map(struct program_builder *make, program_value value, const struct program_pair *pairs,
			  size_t count)
{
	if (!check(make, value, make->program.values_count))
		return PROGRAM_NOTHING;
	uint32_t first = (uint32_t)make->program.pairs_count;
	for (size_t i = 0; i < count; i++) {
		struct program_pair pair = { keep_value(make, pairs[i].from), keep_value(make, pairs[i].to) };
		(void)BUILDER_ADD(make, pairs, pair);
	}
	return BUILDER_ADD(
		make, values,
		(struct value_row){ .kind = VALUE_MAP, .first = value, .second = first, .third = (uint32_t)count });
}

unsigned program_operands(enum program_operator operator)
{
	switch (operator) {
	case PROGRAM_NOT:
	case PROGRAM_NEGATE:
	case PROGRAM_BIT_NOT:
	case PROGRAM_LENGTH:
	case PROGRAM_LOWER_CASE:
	case PROGRAM_UPPER_CASE:
		return 1;
	case PROGRAM_CHOOSE:
	case PROGRAM_SUBSTRING:
		return 3;
	default:
		return 2;
	}
}

program_value program_operation(struct program_builder *make, enum program_operator operator, program_value first,
				program_value second, program_value third)
{
	const program_value operands[] = { first, second, third };
	for (unsigned i = 0; i < program_operands(operator); i++) {
		bool is_optional = operator== PROGRAM_SUBSTRING && i == 2;
		if (is_optional ? !check_optional(make, operands[i], make->program.values_count)
				: !check(make, operands[i], make->program.values_count))
			return PROGRAM_NOTHING;
	}
	return BUILDER_ADD(make, values,
			   (struct value_row){ .kind = VALUE_OPERATION,
					       .detail = (uint8_t) operator,
					       .operands =(uint8_t) program_operands(operator),
					       .first = first,
					       .second = second,
					       .third = third });
}

/* ---- paths ------------------------------------------------------------------------------------------------ */

program_path program_path_create(struct program_builder *make, enum program_base base)
{
	return BUILDER_ADD(make, paths,
			   (struct path_row){ .base = base, .first = PROGRAM_NOTHING, .fixed = PROGRAM_NOTHING });
}

static void add_step(struct program_builder *make, program_path path, program_value name)
{
	struct program *program = &make->program;
	uint32_t step = BUILDER_ADD(make, steps, (struct step_row){ .name = name, .next = PROGRAM_NOTHING });
	if (step == PROGRAM_NOTHING)
		return;
	struct path_row *row = &program->paths[path];
	if (row->first == PROGRAM_NOTHING)
		row->first = step;
	else
		program->steps[row->last].next = step;
	row->last = step;
}

void program_path_add(struct program_builder *make, program_path path, program_value name)
{
	if (check(make, path, make->program.paths_count) && check(make, name, make->program.values_count))
		add_step(make, path, name);
}

void program_path_add_pool(struct program_builder *make, program_path path)
{
	if (check(make, path, make->program.paths_count))
		add_step(make, path, PROGRAM_NOTHING);
}

/* ---- blocks ----------------------------------------------------------------------------------------------- */

program_block program_block_create(struct program_builder *make)
{
	return BUILDER_ADD(make, blocks, (struct block_row){ .first = PROGRAM_NOTHING });
}

static void add_action(struct program_builder *make, program_block block, struct action_row row)
{
	struct program *program = &make->program;
	row.next = PROGRAM_NOTHING;
	if (!check(make, block, program->blocks_count))
		return;
	uint32_t action = BUILDER_ADD(make, actions, row);
	if (action == PROGRAM_NOTHING)
		return;
	struct block_row *of = &program->blocks[block];
	if (of->first == PROGRAM_NOTHING)
		of->first = action;
	else
		program->actions[of->last].next = action;
	of->last = action;
}

void program_add_change(struct program_builder *make, program_block block, enum program_change change,
			program_path path, program_value value, program_value at)
{
	const struct program *program = &make->program;
	bool needs_value = change <= PROGRAM_PUSH;
	if (at != PROGRAM_NOTHING && change != PROGRAM_SET && change != PROGRAM_PUSH && change != PROGRAM_POP)
		builder_fail(make, HISTREE_ERR_ARGUMENT, "only a change, a push or a pop can be in the future");
	if (check(make, path, program->paths_count) && check_optional(make, at, program->values_count) &&
	    (needs_value ? check(make, value, program->values_count)
			 : check_optional(make, value, program->values_count)))
		add_action(make, block,
			   (struct action_row){ .kind = ACTION_CHANGE,
						.change = (uint8_t)change,
						.path = path,
						.value = value,
						.at = at });
	make->program.makes_states = true;
}

void program_add_if(struct program_builder *make, program_block block, program_value condition, program_block then,
		    program_block otherwise)
{
	const struct program *program = &make->program;
	if (check(make, condition, program->values_count) && check_optional(make, then, program->blocks_count) &&
	    check_optional(make, otherwise, program->blocks_count))
		add_action(make, block,
			   (struct action_row){
				   .kind = ACTION_IF, .value = condition, .then = then, .otherwise = otherwise });
}

/* ---- segments --------------------------------------------------------------------------------------------- */

static enum histree_type wider(enum histree_type first, enum histree_type second)
{
	bool numbers = first >= HISTREE_INT && first <= HISTREE_DOUBLE && second >= HISTREE_INT &&
		       second <= HISTREE_DOUBLE;
	if (first == second)
		return first;
	return !numbers ? HISTREE_STRING : first > second ? first : second;
}

uint32_t program_segment_field(struct program_builder *make, const char *name, enum histree_type type)
{
	struct program *program = &make->program;
	for (size_t i = 0; i < program->segment_fields_count; i++) {
		struct histree_segment_field *field = &program->segment_fields[i];
		if (strcmp(field->name, name) != 0)
			continue;
		field->type = wider(field->type, type);
		return (uint32_t)i;
	}
	if (program->segment_fields_count == HISTREE_SEGMENT_FIELDS_MAX)
		builder_fail(make, HISTREE_ERR_ARGUMENT, "segments have more than 31 fields besides their name");
	const char *copy = builder_keep(make, name);
	return BUILDER_ADD(make, segment_fields, (struct histree_segment_field){ .name = copy, .type = type });
}

static bool add_field_values(struct program_builder *make, struct action_row *row,
			     const struct program_field_value *fields, size_t count)
{
	row->first_field = (uint32_t)make->program.field_values_count;
	row->field_count = (uint32_t)count;
	for (size_t i = 0; i < count; i++) {
		if (!check(make, fields[i].field, make->program.segment_fields_count) ||
		    !check(make, fields[i].value, make->program.values_count))
			return false;
		(void)BUILDER_ADD(make, field_values, fields[i]);
	}
	make->program.makes_segments = true;
	return make->status == HISTREE_OK;
}

void program_add_segment(struct program_builder *make, program_block block, program_value name, program_value start,
			 program_value end, const struct program_field_value *fields, size_t field_count)
{
	size_t values = make->program.values_count;
	struct action_row row = { .kind = ACTION_SEGMENT, .value = name, .at = start, .end = end };
	if (check(make, name, values) && check_optional(make, start, values) && check_optional(make, end, values) &&
	    add_field_values(make, &row, fields, field_count))
		add_action(make, block, row);
}

program_span program_span_create(struct program_builder *make, const char *name)
{
	const struct span_row row = { .name = builder_keep(make, name) };
	return BUILDER_ADD(make, spans, row);
}

static void add_span(struct program_builder *make, enum action_kind kind, program_block block, program_span span,
		     const program_value *key, size_t key_count, program_value name,
		     const struct program_field_value *fields, size_t field_count)
{
	struct program *program = &make->program;
	struct action_row row = { .kind = (uint8_t)kind,
				  .value = name,
				  .span = span,
				  .first_key = (uint32_t)program->keys_count,
				  .key_count = (uint32_t)key_count };
	if (key_count > PROGRAM_KEY_MAX)
		builder_fail(make, HISTREE_ERR_ARGUMENT, "a key has more than 8 values");
	if (!check(make, span, program->spans_count) || !check_optional(make, name, program->values_count))
		return;
	if (kind == ACTION_SPAN_STEP)
		row.step = ++program->spans[span].steps;
	for (size_t i = 0; i < key_count; i++) {
		if (!check(make, key[i], program->values_count))
			return;
		(void)BUILDER_ADD(make, keys, key[i]);
	}
	if (add_field_values(make, &row, fields, field_count))
		add_action(make, block, row);
}

void program_add_span_begin(struct program_builder *make, program_block block, program_span span,
			    const program_value *key, size_t key_count, program_value name,
			    const struct program_field_value *fields, size_t field_count)
{
	add_span(make, ACTION_SPAN_BEGIN, block, span, key, key_count, name, fields, field_count);
}

void program_add_span_end(struct program_builder *make, program_block block, program_span span,
			  const program_value *key, size_t key_count, program_value name,
			  const struct program_field_value *fields, size_t field_count)
{
	add_span(make, ACTION_SPAN_END, block, span, key, key_count, name, fields, field_count);
}

void program_add_span_step(struct program_builder *make, program_block block, program_span span,
			   const program_value *key, size_t key_count, program_value name,
			   const struct program_field_value *fields, size_t field_count)
{
	add_span(make, ACTION_SPAN_STEP, block, span, key, key_count, name, fields, field_count);
}

/* ---- handlers and scenarios ------------------------------------------------------------------------------- */

void program_on(struct program_builder *make, const char *events, program_value condition, program_block block)
{
	const char *copy = builder_keep(make, events);
	if (check_optional(make, condition, make->program.values_count) &&
	    check(make, block, make->program.blocks_count))
		(void)BUILDER_ADD(make, handlers,
				  (struct handler_row){ .events = copy, .condition = condition, .block = block });
}

program_fsm program_fsm_create(struct program_builder *make, const struct program_fsm_options *options)
{
	const char *copy = builder_keep(make, options->name);
	make->program.makes_states = true;
	return BUILDER_ADD(make, fsms,
			   (struct fsm_row){ .name = copy,
					     .is_multiple = options->is_multiple,
					     .is_consuming = options->is_consuming,
					     .begin = PROGRAM_NOTHING,
					     .first_precondition = PROGRAM_NOTHING,
					     .first_state = PROGRAM_NOTHING });
}

void program_fsm_precondition(struct program_builder *make, program_fsm fsm, const char *events,
			      program_value condition)
{
	struct program *program = &make->program;
	const char *copy = builder_keep(make, events);
	if (!check(make, fsm, program->fsms_count) || !check_optional(make, condition, program->values_count))
		return;
	uint32_t row = BUILDER_ADD(
		make, preconditions,
		(struct precondition_row){ .events = copy, .condition = condition, .next = PROGRAM_NOTHING });
	if (row == PROGRAM_NOTHING)
		return;
	struct fsm_row *of = &program->fsms[fsm];
	if (of->first_precondition == PROGRAM_NOTHING)
		of->first_precondition = row;
	else
		program->preconditions[of->last_precondition].next = row;
	of->last_precondition = row;
}

program_state program_fsm_state(struct program_builder *make, program_fsm fsm, const char *name, bool is_final)
{
	struct program *program = &make->program;
	const char *copy = builder_keep(make, name);
	if (!check(make, fsm, program->fsms_count))
		return PROGRAM_NOTHING;
	uint32_t state = BUILDER_ADD(make, states,
				     (struct state_row){ .name = copy,
							 .name_size = (uint32_t)strlen(copy),
							 .is_final = is_final,
							 .number = program->fsms[fsm].state_count,
							 .next = PROGRAM_NOTHING,
							 .entry = PROGRAM_NOTHING,
							 .exit = PROGRAM_NOTHING,
							 .first_transition = PROGRAM_NOTHING });
	if (state == PROGRAM_NOTHING)
		return state;
	struct fsm_row *of = &program->fsms[fsm];
	if (of->first_state == PROGRAM_NOTHING)
		of->begin = of->first_state = state;
	else
		program->states[of->last_state].next = state;
	of->last_state = state;
	of->state_count++;
	return state;
}

void program_fsm_begin(struct program_builder *make, program_fsm fsm, program_state state)
{
	if (check(make, fsm, make->program.fsms_count) && check(make, state, make->program.states_count))
		make->program.fsms[fsm].begin = state;
}

void program_fsm_on_change(struct program_builder *make, program_state state, program_block entry,
			   program_block exit)
{
	if (!check(make, state, make->program.states_count) ||
	    !check_optional(make, entry, make->program.blocks_count) ||
	    !check_optional(make, exit, make->program.blocks_count))
		return;
	make->program.states[state].entry = entry;
	make->program.states[state].exit = exit;
}

void program_fsm_transition(struct program_builder *make, program_fsm fsm, program_state from, program_state to,
			    const char *events, program_value condition, program_block block)
{
	struct program *program = &make->program;
	const char *copy = builder_keep(make, events);
	if (!check(make, fsm, program->fsms_count) || !check(make, from, program->states_count) ||
	    !check(make, to, program->states_count) || !check_optional(make, condition, program->values_count) ||
	    !check_optional(make, block, program->blocks_count))
		return;
	uint32_t row = BUILDER_ADD(make, transitions,
				   (struct transition_row){ .events = copy,
							    .condition = condition,
							    .block = block,
							    .to = to,
							    .next = PROGRAM_NOTHING });
	if (row == PROGRAM_NOTHING)
		return;
	struct state_row *of = &program->states[from];
	if (of->first_transition == PROGRAM_NOTHING)
		of->first_transition = row;
	else
		program->transitions[of->last_transition].next = row;
	of->last_transition = row;
}

/* ---- program columns ----------------------------------------------------------------------------------------- */

enum { CPUS_MAX = 1 << 16 };

/* ---- classes ---------------------------------------------------------------------------------------------- */

static uint32_t first_field(const struct event_class *class, const char *const *names)
{
	uint32_t field = EVENT_NO_FIELD;
	for (; *names != NULL && field == EVENT_NO_FIELD; names++)
		field = event_class_field(class, *names);
	return field;
}

/* Of the contexts of an event, or, where traces have it so, of each event. */
static uint32_t first_context(const struct event_class *class, const char *const *names)
{
	uint32_t field = EVENT_NO_FIELD;
	for (; *names != NULL && field == EVENT_NO_FIELD; names++)
		field = event_class_context_field(class, *names);
	return field;
}

static bool is_called(const struct event_class *class, const char *name)
{
	const char *colon = strchr(class->name, ':');
	return strcmp(colon != NULL ? colon + 1 : class->name, name) == 0;
}

void run_bind_columns(const struct event_class *class, struct column_binding *binding)
{
	static const char *const tids[] = { "vtid", "tid", NULL }, *const pids[] = { "vpid", "pid", NULL };
	static const char *const next[] = { "next_tid", "next_pid", NULL };
	static const char *const child[] = { "child_tid", NULL }, *const child_process[] = { "child_pid", NULL };
	static const char *const dumped[] = { "tid", NULL }, *const dumped_process[] = { "pid", NULL };
	*binding = (struct column_binding){ .tid = first_context(class, tids),
					    .pid = first_context(class, pids),
					    .learns = COLUMN_LEARNS_NOTHING,
					    .thread = EVENT_NO_FIELD,
					    .process = EVENT_NO_FIELD };
	if (is_called(class, "sched_switch")) {
		binding->learns = COLUMN_LEARNS_SWITCH;
		binding->thread = first_field(class, next);
	} else if (is_called(class, "sched_process_fork")) {
		binding->learns = COLUMN_LEARNS_PROCESS;
		binding->thread = first_field(class, child);
		binding->process = first_field(class, child_process);
	} else if (is_called(class, "lttng_statedump_process_state")) {
		binding->learns = COLUMN_LEARNS_PROCESS;
		binding->thread = first_field(class, dumped);
		binding->process = first_field(class, dumped_process);
	}
	if (binding->thread == EVENT_NO_FIELD)
		binding->learns = COLUMN_LEARNS_NOTHING;
}

/* ---- processes of threads --------------------------------------------------------------------------------- */

static bool has_tid(const void *threads, uint32_t number, const void *key)
{
	return ((const struct column_thread *)threads)[number].tid == *(const int32_t *)key;
}

static uint64_t hash_of_thread(const void *threads, uint32_t number)
{
	return hash_mix((uint32_t)((const struct column_thread *)threads)[number].tid);
}

static struct column_thread *find_thread(struct columns *columns, int32_t tid)
{
	uint32_t found = hash_index_find(&columns->index, hash_mix((uint32_t)tid), has_tid, columns->threads, &tid);
	return found != HASH_INDEX_NONE ? &columns->threads[found] : NULL;
}

static bool set_process(struct columns *columns, int32_t tid, int32_t pid)
{
	struct column_thread *known = find_thread(columns, tid);
	if (known != NULL) {
		known->pid = pid;
		return true;
	}
	if (!array_reserve(&columns->threads, &columns->thread_capacity, columns->thread_count + 1) ||
	    !hash_index_reserve(&columns->index, columns->thread_count + 1, hash_of_thread, columns->threads))
		return false;
	columns->threads[columns->thread_count] = (struct column_thread){ tid, pid };
	hash_index_add(&columns->index, hash_mix((uint32_t)tid), (uint32_t)columns->thread_count++);
	return true;
}

/* ---- values ----------------------------------------------------------------------------------------------- */

static struct histree_value context(const struct event *event, uint32_t field)
{
	int64_t number;
	return event_int(event, field, &number) && number >= INT32_MIN && number <= INT32_MAX
		       ? histree_int((int32_t)number)
		       : histree_null();
}

struct histree_value run_tid(const struct program_run *run)
{
	const struct columns *columns = &run->columns;
	const struct event *event = run->event;
	if (event->cpu < 0 || (size_t)event->cpu >= columns->cpu_count)
		return context(event, run->binding->columns.tid);
	const struct column_cpu *cpu = &columns->cpus[event->cpu];
	struct histree_value tid = cpu->since < event->time ? cpu->now : cpu->before;
	return tid.type == HISTREE_INT || run->binding->columns.tid == EVENT_NO_FIELD
		       ? tid
		       : context(event, run->binding->columns.tid);
}

struct histree_value run_pid(struct program_run *run)
{
	struct histree_value pid = context(run->event, run->binding->columns.pid);
	if (pid.type == HISTREE_INT)
		return pid;
	struct histree_value tid = run_tid(run);
	const struct column_thread *thread = tid.type == HISTREE_INT ? find_thread(&run->columns, tid.int32) : NULL;
	if (thread != NULL)
		return histree_int(thread->pid);
	return tid.type == HISTREE_UNKNOWN ? tid : histree_null();
}

struct histree_value run_thread_on(const struct program_run *run, int64_t cpu)
{
	const struct columns *columns = &run->columns;
	if (cpu >= 0 && (uint64_t)cpu < columns->cpu_count && columns->cpus[cpu].now.type != HISTREE_NULL)
		return columns->cpus[cpu].now;
	return cpu == run->event->cpu ? context(run->event, run->binding->columns.tid) : histree_null();
}

/* ---- learning --------------------------------------------------------------------------------------------- */

static bool learn_switch(struct columns *columns, const struct event *event, int32_t tid)
{
	if (event->cpu < 0 || event->cpu >= CPUS_MAX)
		return true;
	size_t wanted = (size_t)event->cpu + 1;
	if (!array_reserve(&columns->cpus, &columns->cpu_capacity, wanted))
		return false;
	while (columns->cpu_count < wanted)
		columns->cpus[columns->cpu_count++] = (struct column_cpu){ .since = INT64_MIN };
	struct column_cpu *cpu = &columns->cpus[event->cpu];
	if (cpu->since < event->time)
		cpu->before = cpu->now;
	cpu->now = histree_int(tid);
	cpu->since = event->time;
	return true;
}

void run_learn_columns(struct program_run *run)
{
	const struct column_binding *binding = &run->binding->columns;
	const struct event *event = run->event;
	struct histree_value thread = context(event, binding->thread), process = context(event, binding->process);
	if (thread.type != HISTREE_INT)
		return;
	bool is_done = true;
	if (binding->learns == COLUMN_LEARNS_SWITCH)
		is_done = learn_switch(&run->columns, event, thread.int32);
	else if (process.type == HISTREE_INT)
		is_done = set_process(&run->columns, thread.int32, process.int32);
	else /* older kernels do not say whether a child is a thread or a process; most are processes */
		is_done = set_process(&run->columns, thread.int32, thread.int32);
	if (!is_done)
		changes_fail(&run->changes, HISTREE_ERR_MEMORY, "no memory for the threads of an analysis");
}

/* Any thread may have been switched to meanwhile. */
void run_forget_columns(struct program_run *run, const struct event_gap *gap)
{
	for (size_t i = 0; i < run->columns.cpu_count; i++)
		if (gap->cpu < 0 || (size_t)gap->cpu == i)
			run->columns.cpus[i] = (struct column_cpu){ .now = histree_unknown(),
								    .before = histree_unknown(),
								    .since = gap->begin };
}

void run_release_columns(struct program_run *run)
{
	free(run->columns.cpus);
	free(run->columns.threads);
	hash_index_release(&run->columns.index);
}

/* ---- program finish ------------------------------------------------------------------------------------------ */

/* ---- depth and weight --------------------------------------------------------------------------------------- */

/*
 * How deep a value is, and how many others are looked at for it; of one that leads back to itself there is no
 * end.
 */
struct measure {
	uint8_t depth; /* 0: not measured yet */
	bool is_open;  /* it is being measured */
	uint32_t weight;
};

struct measures {
	const struct program *program;
	struct measure *values, *blocks;
};

static bool measure_value(struct measures *measures, program_value value, struct measure *of);

static bool add_value(struct measures *measures, program_value value, struct measure *to)
{
	struct measure of;
	if (value == PROGRAM_NOTHING)
		return true;
	if (!measure_value(measures, value, &of))
		return false;
	to->depth = of.depth > to->depth ? of.depth : to->depth;
	to->weight += of.weight;
	return to->weight <= PROGRAM_ROWS_MAX;
}

static bool add_operands(struct measures *measures, const struct value_row *row, struct measure *to)
{
	const struct program *program = measures->program;
	switch ((enum program_value_kind)row->kind) {
	case VALUE_CONSTANT:
	case VALUE_FACT:
		return true;
	case VALUE_FIELD:
		return row->second == 0 || add_value(measures, row->second - 1, to);
	case VALUE_LOOK_UP:
		for (uint32_t step = program->paths[row->first].first; step != PROGRAM_NOTHING;
		     step = program->steps[step].next)
			if (!add_value(measures, program->steps[step].name, to))
				return false;
		return true;
	case VALUE_CONVERT:
	case VALUE_MAP:
		return add_value(measures, row->first, to);
	case VALUE_OPERATION:
		break;
	}
	const program_value operands[] = { row->first, row->second, row->third };
	for (unsigned i = 0; i < program_operands((enum program_operator)row->detail); i++)
		if (!add_value(measures, operands[i], to))
			return false;
	return true;
}

static bool measure_value(struct measures *measures, program_value value, struct measure *of)
{
	struct measure *known = &measures->values[value];
	if (known->depth == 0) {
		struct measure sum = { .weight = 1 };
		if (known->is_open)
			return false;
		known->is_open = true;
		if (!add_operands(measures, &measures->program->values[value], &sum) ||
		    sum.depth == PROGRAM_DEPTH_MAX)
			return false;
		*known = (struct measure){ .depth = (uint8_t)(sum.depth + 1), .weight = sum.weight };
	}
	*of = *known;
	return true;
}

static bool measure_block(struct measures *measures, program_block block, struct measure *of)
{
	const struct program *program = measures->program;
	struct measure *known = block != PROGRAM_NOTHING ? &measures->blocks[block] : NULL;
	*of = (struct measure){ .weight = 1 };
	if (known == NULL)
		return true;
	if (known->depth != 0) {
		*of = *known;
		return true;
	}
	if (known->is_open)
		return false;
	known->is_open = true;
	for (uint32_t i = program->blocks[block].first; i != PROGRAM_NOTHING; i = program->actions[i].next) {
		const struct action_row *row = &program->actions[i];
		const program_block parts[] = { row->then, row->otherwise };
		of->weight++;
		for (size_t part = 0; part < 2 && row->kind == ACTION_IF; part++) {
			struct measure inner;
			if (!measure_block(measures, parts[part], &inner))
				return false;
			of->depth = inner.depth > of->depth ? inner.depth : of->depth;
			of->weight += inner.weight;
		}
		if (of->weight > PROGRAM_ROWS_MAX || of->depth == PROGRAM_DEPTH_MAX)
			return false;
	}
	of->depth++;
	*known = *of;
	return true;
}

static bool fits(struct measures *measures)
{
	struct measure of;
	for (size_t i = 0; i < measures->program->values_count; i++)
		if (!measure_value(measures, (program_value)i, &of))
			return false;
	for (size_t i = 0; i < measures->program->blocks_count; i++)
		if (!measure_block(measures, (program_block)i, &of))
			return false;
	return true;
}

/* ---- version ---------------------------------------------------------------------------------------------- */

struct sum {
	uint32_t crc;
};

static void sum_bytes(struct sum *sum, const void *bytes, size_t size)
{
	uint64_t length = size;
	sum->crc = crc32c(sum->crc, &length, sizeof(length));
	sum->crc = crc32c(sum->crc, bytes, size);
}

static void sum_numbers(struct sum *sum, const uint32_t *numbers, size_t count)
{
	sum_bytes(sum, numbers, count * sizeof(*numbers));
}

#define SUM(sum, ...) \
	sum_numbers((sum), (const uint32_t[]){ __VA_ARGS__ }, sizeof((const uint32_t[]){ __VA_ARGS__ }) / 4)
static void sum_text(struct sum *sum, const char *text)
{
	sum_bytes(sum, text != NULL ? text : "\xff", text != NULL ? strlen(text) : 1);
}

static void sum_value(struct sum *sum, const struct histree_value *value)
{
	SUM(sum, value->type, value->size);
	if (value->type == HISTREE_STRING || value->type == HISTREE_CUSTOM)
		sum_bytes(sum, value->bytes, value->size);
	else if (value->type == HISTREE_INT)
		sum_bytes(sum, &value->int32, sizeof(value->int32));
	else if (value->type == HISTREE_BOOL)
		SUM(sum, value->boolean);
	else if (value->type != HISTREE_NULL && value->type != HISTREE_UNKNOWN)
		sum_bytes(sum, &value->int64, sizeof(value->int64));
}

static void sum_states(struct sum *sum, const struct program *program)
{
	for (size_t i = 0; i < program->handlers_count; i++) {
		const struct handler_row *row = &program->handlers[i];
		sum_text(sum, row->events);
		SUM(sum, row->condition, row->block);
	}
	for (size_t i = 0; i < program->fsms_count; i++) {
		const struct fsm_row *row = &program->fsms[i];
		sum_text(sum, row->name);
		SUM(sum, row->is_multiple, row->is_consuming, row->begin, row->first_precondition,
		    row->first_state);
	}
	for (size_t i = 0; i < program->preconditions_count; i++) {
		sum_text(sum, program->preconditions[i].events);
		SUM(sum, program->preconditions[i].condition, program->preconditions[i].next);
	}
	for (size_t i = 0; i < program->states_count; i++) {
		const struct state_row *row = &program->states[i];
		sum_text(sum, row->name);
		SUM(sum, row->is_final, row->next, row->entry, row->exit, row->first_transition);
	}
	for (size_t i = 0; i < program->transitions_count; i++) {
		const struct transition_row *row = &program->transitions[i];
		sum_text(sum, row->events);
		SUM(sum, row->condition, row->block, row->to, row->next);
	}
}

static uint32_t sum_of(const struct program *program)
{
	struct sum sum = { 0 };
	for (size_t i = 0; i < program->values_count; i++) {
		const struct value_row *row = &program->values[i];
		SUM(&sum, row->kind, row->detail, row->creates, row->first, row->second, row->third);
		sum_value(&sum, &row->constant);
	}
	for (size_t i = 0; i < program->pairs_count; i++) {
		sum_value(&sum, &program->pairs[i].from);
		sum_value(&sum, &program->pairs[i].to);
	}
	for (size_t i = 0; i < program->paths_count; i++)
		SUM(&sum, program->paths[i].base, program->paths[i].first);
	for (size_t i = 0; i < program->steps_count; i++)
		SUM(&sum, program->steps[i].name, program->steps[i].next);
	for (size_t i = 0; i < program->actions_count; i++) {
		const struct action_row *row = &program->actions[i];
		SUM(&sum, row->kind, row->change, row->next, row->path, row->value, row->at, row->end, row->then,
		    row->otherwise, row->span, row->first_key, row->key_count, row->first_field, row->field_count);
	}
	for (size_t i = 0; i < program->blocks_count; i++)
		SUM(&sum, program->blocks[i].first);
	sum_numbers(&sum, program->keys, program->keys_count);
	for (size_t i = 0; i < program->field_values_count; i++)
		SUM(&sum, program->field_values[i].field, program->field_values[i].value);
	for (size_t i = 0; i < program->spans_count; i++)
		sum_text(&sum, program->spans[i].name);
	for (size_t i = 0; i < program->segment_fields_count; i++) {
		sum_text(&sum, program->segment_fields[i].name);
		SUM(&sum, program->segment_fields[i].type);
	}
	for (uint32_t i = 0; i < program->fields.count; i++)
		sum_text(&sum, intern_get(&program->fields, i, NULL));
	for (size_t i = 0; i < program->call_groups_count; i++) {
		const struct call_group_row *row = &program->call_groups[i];
		for (uint32_t k = 0; k < row->component_count; k++)
			sum_text(&sum, row->components[k]);
		sum_text(&sum, row->cpu);
		SUM(&sum, row->thread, row->host, row->thread_components, row->host_components);
	}
	sum_states(&sum, program);
	return sum.crc != 0 ? sum.crc : 1;
}

/* ---- paths that a scenario finds once ------------------------------------------------------------------------ */

static bool is_fixed(const struct program *program, const struct path_row *row)
{
	for (uint32_t i = row->first; i != PROGRAM_NOTHING; i = program->steps[i].next) {
		program_value name = program->steps[i].name;
		if (name == PROGRAM_NOTHING || program->values[name].kind != VALUE_CONSTANT)
			return false;
	}
	return row->base == PROGRAM_SCENARIO && row->first != PROGRAM_NOTHING;
}

/* ---- the end ---------------------------------------------------------------------------------------------- */

/* Free what is in a program. */
static void program_release(struct program *program)
{
#define RELEASE(type, name) free(program->name);
	PROGRAM_TABLES(RELEASE)
#undef RELEASE
	intern_release(&program->fields);
	arena_release(&program->texts);
}

static void check_whole(struct program_builder *make)
{
	const struct program *program = &make->program;
	for (size_t i = 0; i < program->fsms_count; i++)
		if (program->fsms[i].begin == PROGRAM_NOTHING)
			builder_fail(make, HISTREE_ERR_ARGUMENT, "a state machine has no states");
	if (make->status == HISTREE_OK) {
		struct measures measures = {
			.program = program,
			.values = calloc(program->values_count + 1, sizeof(*measures.values)),
			.blocks = calloc(program->blocks_count + 1, sizeof(*measures.blocks)),
		};
		if (measures.values == NULL || measures.blocks == NULL)
			builder_fail(make, HISTREE_ERR_MEMORY, "no memory for an analysis");
		else if (!fits(&measures))
			builder_fail(make, HISTREE_ERR_ARGUMENT,
				     "the analysis is too deep, or a part of it contains itself");
		free(measures.values);
		free(measures.blocks);
	}
}

enum histree_status program_finish(struct program_builder *make, struct program **out, struct histree_error *error)
{
	*out = NULL;
	check_whole(make);
	struct program *program = make->status == HISTREE_OK ? malloc(sizeof(*program)) : NULL;
	if (program == NULL) {
		enum histree_status status = make->status;
		status = status != HISTREE_OK ? error_set(error, status, "%s", make->error.message)
					      : error_memory(error, "an analysis");
		program_builder_free(make);
		return status;
	}
	*program = make->program;
	program->version = sum_of(program);
	for (size_t i = 0; i < program->paths_count; i++)
		if (is_fixed(program, &program->paths[i]))
			program->paths[i].fixed = program->fixed_count++;
	free(make);
	*out = program;
	return HISTREE_OK;
}

void program_free(struct program *program)
{
	if (program == NULL)
		return;
	program_release(program);
	free(program);
}

uint32_t program_version(const struct program *program)
{
	return program->version;
}

bool program_makes_states(const struct program *program)
{
	return program->makes_states;
}

bool program_makes_segments(const struct program *program)
{
	return program->makes_segments;
}

const struct histree_segment_field *program_segment_fields(const struct program *program, size_t *count)
{
	*count = program->segment_fields_count;
	return program->segment_fields;
}
