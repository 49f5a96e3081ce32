// SPDX-License-Identifier: MIT
/*
 * What the names in a program are in events of one class: so that an event costs no comparison of texts.
 */
#include <stdlib.h>
#include <string.h>

#include "analysis/program/program_run.h"

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

const struct class_binding *run_bind(struct program_run *run, const struct event_class *class)
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
