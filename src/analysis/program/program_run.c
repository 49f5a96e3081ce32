// SPDX-License-Identifier: MIT
/*
 * program_run.c - a program at work on the events of a trace: what it knows, and the history or store that it
 * fills.
 */
#include "analysis/program/program_run.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/changes.h"
#include "analysis/class_table.h"
#include "analysis/open_segments.h"
#include "analysis/program/program_inside.h"
#include "analysis/program/program_missing.h"
#include "base/array.h"
#include "base/error.h"
#include "event/event.h"
#include "histree/attributes.h"
#include "histree/segment_store.h"

/* ---- program binding ----------------------------------------------------------------------------------------- */

static void *allocate(struct program_run *run, size_t count, size_t size)
{
	void *memory = arena_allocate(&run->classes.memory, count * size + 1, _Alignof(max_align_t));
	if (memory != NULL)
		memset(memory, 0, count * size);
	return memory;
}

static bool fits(const char *events, const struct event_class *class)
{
	return events == NULL || pattern_fits(events, class->name, strlen(class->name));
}

/* What a name in a program is called in the trace: contexts have a prefix in Trace Compass. */
static uint32_t find_field(const struct event_class *class, const char *name)
{
	static const char context[] = "context._";
	uint32_t field = event_class_field(class, name);
	if (field == EVENT_NO_FIELD && strncmp(name, context, sizeof(context) - 1) == 0)
		field = event_class_context_field(class, name + sizeof(context) - 1);
	return field == EVENT_NO_FIELD && strpbrk(name, ".[") != NULL ? FIELD_INSIDE : field;
}

/* Chain the transitions of a state that the name fits.  Returns whether there is one. */
static bool bind_state(const struct program *program, const struct event_class *class,
		       const struct class_binding *binding, program_state state)
{
	uint32_t *link = &binding->first[state];
	for (uint32_t i = program->states[state].first_transition; i != PROGRAM_NOTHING;
	     i = program->transitions[i].next) {
		if (!fits(program->transitions[i].events, class))
			continue;
		*link = i;
		link = &binding->next[i];
	}
	*link = PROGRAM_NOTHING;
	return binding->first[state] != PROGRAM_NOTHING;
}

/* One that has a condition is asked, even for a machine that has nothing to do: a look at an attribute makes it. */
static enum precondition bind_preconditions(const struct program *program, const struct class_binding *binding,
					    const struct fsm_row *row)
{
	enum precondition bound =
		row->first_precondition == PROGRAM_NOTHING ? PRECONDITION_HOLDS : PRECONDITION_FAILS;
	for (uint32_t i = row->first_precondition; i != PROGRAM_NOTHING && bound == PRECONDITION_FAILS;
	     i = program->preconditions[i].next)
		if (binding->preconditions[i])
			bound = program->preconditions[i].condition == PROGRAM_NOTHING ? PRECONDITION_HOLDS
										       : PRECONDITION_ASK;
	return bound;
}

/* Returns whether a machine of the program has a transition at such events. */
static bool bind_fsms(const struct program *program, const struct event_class *class,
		      const struct class_binding *binding)
{
	bool has_any = false;
	for (size_t i = 0; i < program->fsms_count; i++) {
		const struct fsm_row *row = &program->fsms[i];
		struct fsm_binding *fsm = &binding->fsms[i];
		bool has_transition = false;
		for (uint32_t state = row->first_state; state != PROGRAM_NOTHING;
		     state = program->states[state].next)
			has_transition = bind_state(program, class, binding, state) || has_transition;
		fsm->precondition = (uint8_t)bind_preconditions(program, binding, row);
		fsm->is_idle = fsm->precondition == PRECONDITION_FAILS ||
			       (fsm->precondition == PRECONDITION_HOLDS && !has_transition);
		has_any = has_any || has_transition;
	}
	return has_any;
}

/* Returns what names in the program are in events of this class; NULL if memory is out. */
static const struct class_binding *run_bind(struct program_run *run, const struct event_class *class)
{
	const struct program *program = run->program;
	struct class_binding binding = {
		.fields = allocate(run, program->fields.count, sizeof(*binding.fields)),
		.handlers = allocate(run, program->handlers_count, sizeof(*binding.handlers)),
		.preconditions = allocate(run, program->preconditions_count, sizeof(*binding.preconditions)),
		.fsms = allocate(run, program->fsms_count, sizeof(*binding.fsms)),
		.first = allocate(run, program->states_count, sizeof(*binding.first)),
		.next = allocate(run, program->transitions_count, sizeof(*binding.next)),
	};
	if (binding.fields == NULL || binding.handlers == NULL || binding.preconditions == NULL ||
	    binding.fsms == NULL || binding.first == NULL || binding.next == NULL)
		return NULL;
	for (uint32_t i = 0; i < program->fields.count; i++)
		binding.fields[i] = find_field(class, intern_get(&program->fields, i, NULL));
	for (size_t i = 0; i < program->handlers_count; i++)
		if (fits(program->handlers[i].events, class))
			binding.handlers[binding.handler_count++] = (uint32_t)i;
	for (size_t i = 0; i < program->preconditions_count; i++)
		binding.preconditions[i] = fits(program->preconditions[i].events, class);
	run_bind_columns(class, &binding.columns);
	bool has_transition = bind_fsms(program, class, &binding);
	run->met_event = run->met_event || has_transition || binding.handler_count > 0;
	if (run->met != NULL)
		program_missing_note(run->expected, class, binding.handler_count > 0, run->met);
	return class_table_add(&run->classes, class, &binding, sizeof(binding));
}

/* ---- program run --------------------------------------------------------------------------------------------- */

enum histree_status program_run_create(const struct program *program, struct program_run **out,
				       struct histree_error *error)
{
	struct program_run *run = *out = calloc(1, sizeof(*run));
	if (run == NULL)
		return error_memory(error, "an analysis");
	run->program = program;
	run->scenarios = NO_ATTRIBUTE;
	run->free_use = PROGRAM_NOTHING;
	run->fields = calloc(program->fields.count + 1u, sizeof(*run->fields));
	run->known = calloc(program->steps_count + 1, sizeof(*run->known));
	run->fsms = calloc(program->fsms_count + 1, sizeof(*run->fsms));
	run->content = calloc(program->segment_fields_count + 1, sizeof(*run->content));
	if (run->fields == NULL || run->known == NULL || run->fsms == NULL || run->content == NULL) {
		program_run_free(run);
		*out = NULL;
		return error_memory(error, "an analysis");
	}
	for (size_t i = 0; i < program->fsms_count; i++)
		run->fsms[i] = (struct fsm_run){ .quark = NO_ATTRIBUTE, .pending = PROGRAM_NOTHING };
	for (size_t i = 0; i < program->steps_count; i++)
		for (size_t slot = 0; slot < STEP_CACHE_SIZE; slot++)
			run->known[i][slot].child = NO_ATTRIBUTE;
	return HISTREE_OK;
}

void program_run_free(struct program_run *run)
{
	if (run == NULL)
		return;
	run_forget_future(run);
	run_release_scenarios(run);
	run_release_subtrees(run);
	run_release_columns(run);
	run_release_calls(run);
	class_table_release(&run->classes);
	scratch_release(&run->scratch);
	open_segments_release(&run->spans);
	free(run->future);
	free(run->fields);
	free(run->known);
	free(run->touched);
	free(run->content);
	free(run->met);
	free(run);
}

/* ---- events ----------------------------------------------------------------------------------------------- */

enum histree_status program_run_event(struct program_run *run, const struct event *event,
				      struct histree_error *error)
{
	const struct program *program = run->program;
	const struct class_binding *binding = class_table_find(&run->classes, event->class);
	if (binding == NULL)
		binding = run_bind(run, event->class);
	if (binding == NULL)
		return error_memory(error, "the events of an analysis");
	run->event = event;
	run->binding = binding;
	run->number++;
	scratch_clear(&run->scratch);
	changes_begin(&run->changes, event->time);
	if (run->future_count > 0)
		run_future(run, event->time);
	for (uint32_t i = 0; i < binding->handler_count; i++) {
		const struct handler_row *row = &program->handlers[binding->handlers[i]];
		if (run_is_true(run, row->condition))
			run_block(run, row->block);
	}
	if (program->fsms_count > 0)
		run_scenarios(run);
	run->scenario = NULL;
	if (program->has_columns && binding->columns.learns != COLUMN_LEARNS_NOTHING)
		run_learn_columns(run);
	if (run->calls.begun_count > 0)
		run_settle_calls(run);
	if (run->scratch.failed)
		return error_memory(error, "the values of an analysis");
	return changes_end(&run->changes, error);
}

/*
 * Any of the events that are missing may have changed any state.  What is not null and not unknown by now was
 * touched; an attribute that never was only groups others.
 */
enum histree_status program_run_gap(struct program_run *run, const struct event_gap *gap,
				    struct histree_error *error)
{
	changes_begin(&run->changes, gap->begin);
	run_forget_future(run);
	run_forget_spans(run);
	run_forget_scenarios(run);
	run_forget_columns(run, gap);
	run_forget_calls(run);
	if (run->changes.system == NULL)
		return changes_end(&run->changes, error);
	uint32_t count = histree_attributes_count(histree_state_attributes(run->changes.system));
	for (histree_quark quark = 0; quark < count && quark < run->touched_capacity; quark++)
		if (run->touched[quark] != 0)
			change(&run->changes, quark, histree_unknown());
	return changes_end(&run->changes, error);
}

/* Trace Compass ends what is under way one nanosecond before the last change. */
enum histree_status program_run_finish(struct program_run *run, struct histree_error *error)
{
	if (run->changes.system == NULL) {
		run->without_end += run->spans.count;
		return HISTREE_OK;
	}
	histree_time start = histree_state_start(run->changes.system);
	histree_time end = histree_state_current_end(run->changes.system);
	changes_begin(&run->changes, end);
	run_end_scenarios(run, end > start ? end - 1 : end);
	run_forget_future(run);
	run_forget_calls(run);
	run->without_end += run->spans.count;
	return changes_end(&run->changes, error);
}
