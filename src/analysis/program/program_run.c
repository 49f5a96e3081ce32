// SPDX-License-Identifier: MIT
/*
 * program_run.c - a program at work on the events of a trace: what each class of events has for it, the history or
 * store that it fills, which names the trace should have and has not, and the labels and charts of its states.
 */
#include "analysis/program/program_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/analysis.h"
#include "analysis/changes.h"
#include "analysis/open_segments.h"
#include "analysis/program/program.h"
#include "base/arena.h"
#include "base/error.h"
#include "base/table.h"
#include "event/event.h"
#include "histree/attributes.h"
#include "histree/segments.h"

/* ---- program missing ----------------------------------------------------------------------------------------- */

enum { SAID_MAX = 3 }; /* names of a kind */

/* Note what a class of the trace has: `met` is one flag an event, and then one a field. */
static void program_missing_note(const struct program_expected *expected, const struct event_class *class,
				 bool is_handled, bool *met)
{
	for (size_t i = 0; i < expected->event_count; i++)
		met[i] = met[i] || strcmp(expected->events[i], class->name) == 0;
	met += expected->event_count;
	for (size_t i = 0; is_handled && i < expected->field_count; i++)
		met[i] = met[i] || event_class_field(class, expected->fields[i]) != EVENT_NO_FIELD;
}

/* Append "KIND 'a', 'b'"; returns the length of the text. */
static size_t say(const char *kind, const char *const *names, const bool *met, size_t count, char *text,
		  size_t size, size_t length)
{
	size_t said = 0;
	for (size_t i = 0; i < count && length < size; i++) {
		if (met[i] || said++ >= SAID_MAX)
			continue;
		if (said == 1)
			length += (size_t)snprintf(text + length, size - length, "%s%s ",
						   length > 0 ? ", and " : "", kind);
		if (length < size)
			length += (size_t)snprintf(text + length, size - length, "%s'%.60s'", said > 1 ? ", " : "",
						   names[i]);
	}
	if (said > SAID_MAX && length < size)
		length += (size_t)snprintf(text + length, size - length, " and %zu more", said - SAID_MAX);
	return length;
}

void program_missing_say(const struct program_expected *expected, const bool *met, char *text, size_t size)
{
	text[0] = '\0';
	size_t length = say("no event of the trace has the name", expected->events, met, expected->event_count,
			    text, size, 0);
	say("none that it handles has the field", expected->fields, met + expected->event_count,
	    expected->field_count, text, size, length);
}

/* ---- program views ------------------------------------------------------------------------------------------- */

/* NULL stands for none; or memory is out. */
static const char *keep_text(struct program_views *views, const char *text)
{
	return text != NULL ? arena_copy(&views->texts, text, strlen(text)) : NULL;
}

static bool keep_patterns(struct program_views *views, const char *const *patterns, const char *const **out)
{
	size_t count = 0;
	while (patterns[count] != NULL)
		count++;
	const char **copy =
		arena_allocate(&views->texts, (count + 1) * sizeof(const char *), _Alignof(const char *));
	for (size_t i = 0; copy != NULL && i <= count; i++) {
		copy[i] = keep_text(views, patterns[i]);
		if (copy[i] == NULL && patterns[i] != NULL)
			return false;
	}
	*out = copy;
	return copy != NULL;
}

/* Returns false if memory is out. */
static bool keep_all(struct program_views *views, const char **texts[], size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (*texts[i] != NULL && (*texts[i] = keep_text(views, *texts[i])) == NULL)
			return false;
	return true;
}

static bool keep_chart(struct program_views *views, const struct histree_chart *chart, struct histree_chart *out)
{
	struct histree_chart_entry *entries = arena_allocate(
		&views->texts, (chart->entry_count + 1) * sizeof(*entries), _Alignof(struct histree_chart_entry));
	*out = *chart;
	out->entries = entries;
	bool is_kept = entries != NULL &&
		       keep_all(views, (const char **[]){ &out->name, &out->title, &out->unit, &out->labels }, 4);
	for (size_t i = 0; i < chart->entry_count && is_kept; i++) {
		struct histree_chart_entry *to = &entries[i];
		*to = chart->entries[i];
		is_kept = keep_all(
			views,
			(const char **[]){ &to->path, &to->shown, &to->label, &to->name, &to->id, &to->above }, 6);
	}
	return is_kept;
}

static bool add_table(struct program_views *views, const struct histree_label_table *table)
{
	if (views->label_table_count == HISTREE_LABEL_TABLES_MAX)
		return true;
	if (!array_reserve(&views->labels, &views->label_table_capacity, views->label_table_count + 1))
		return false;
	struct histree_label_table *out = &views->labels[views->label_table_count++];
	struct histree_label *labels = arena_allocate(&views->texts, (table->label_count + 1) * sizeof(*labels),
						      _Alignof(struct histree_label));
	*out = *table;
	out->name = keep_text(views, table->name);
	if (labels == NULL || out->name == NULL || !keep_patterns(views, table->patterns, &out->patterns))
		return false;
	for (size_t i = 0; i < table->label_count; i++) {
		labels[i] = table->labels[i];
		labels[i].text = keep_text(views, labels[i].text);
		labels[i].style.key = keep_text(views, labels[i].style.key);
		labels[i].style.name = keep_text(views, labels[i].style.name);
	}
	out->labels = labels;
	return true;
}

static bool add_chart(struct program_views *views, const struct histree_chart *chart)
{
	for (size_t i = 0; i < views->chart_count; i++)
		if (strcmp(views->charts[i].name, chart->name) == 0)
			return true;
	if (views->chart_count == HISTREE_CHARTS_MAX)
		return true;
	return array_reserve(&views->charts, &views->chart_capacity, views->chart_count + 1) &&
	       keep_chart(views, chart, &views->charts[views->chart_count++]);
}

bool program_views_add(struct program_views *views, const struct histree_label_table *labels,
		       size_t label_table_count, const struct histree_chart *charts, size_t chart_count)
{
	bool is_kept = true;
	for (size_t i = 0; i < label_table_count && is_kept; i++)
		is_kept = add_table(views, &labels[i]);
	for (size_t i = 0; i < chart_count && is_kept; i++)
		is_kept = add_chart(views, &charts[i]);
	return is_kept;
}

void program_views_release(struct program_views *views)
{
	free(views->labels);
	free(views->charts);
	arena_release(&views->texts);
	*views = (struct program_views){ 0 };
}

/* ---- program run --------------------------------------------------------------------------------------------- */

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
	for (uint32_t i = 0; i < program->fields.count; i++) {
		/* What a name in a program is called in the trace: contexts have a prefix in Trace Compass. */
		const char *name = intern_get(&program->fields, i, NULL);
		static const char context[] = "context._";
		uint32_t field = event_class_field(class, name);
		if (field == EVENT_NO_FIELD && strncmp(name, context, sizeof(context) - 1) == 0)
			field = event_class_context_field(class, name + sizeof(context) - 1);
		binding.fields[i] = field == EVENT_NO_FIELD && strpbrk(name, ".[") != NULL ? FIELD_INSIDE : field;
	}
	for (size_t i = 0; i < program->handlers_count; i++)
		if (fits(program->handlers[i].events, class))
			binding.handlers[binding.handler_count++] = (uint32_t)i;
	for (size_t i = 0; i < program->preconditions_count; i++)
		binding.preconditions[i] = fits(program->preconditions[i].events, class);
	run_bind_columns(class, &binding.columns);
	bool has_any = false;
	for (size_t i = 0; i < program->fsms_count; i++) {
		const struct fsm_row *row = &program->fsms[i];
		struct fsm_binding *fsm = &binding.fsms[i];
		bool has_transition = false;
		for (uint32_t state = row->first_state; state != PROGRAM_NOTHING;
		     state = program->states[state].next)
			has_transition = bind_state(program, class, &binding, state) || has_transition;
		fsm->precondition = (uint8_t)bind_preconditions(program, &binding, row);
		fsm->is_idle = fsm->precondition == PRECONDITION_FAILS ||
			       (fsm->precondition == PRECONDITION_HOLDS && !has_transition);
		has_any = has_any || has_transition;
	}
	bool has_transition = has_any;
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
