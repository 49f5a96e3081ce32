// SPDX-License-Identifier: MIT
/*
 * program_run.c - a program at work on the events of a trace: what it knows, and the history or store that it
 * fills.
 */
#include "analysis/program/program_run.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "histree/attributes.h"

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
