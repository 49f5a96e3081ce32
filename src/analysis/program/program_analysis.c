// SPDX-License-Identifier: MIT
/*
 * program_analysis.c - programs as analyses of the registry's kind, of states, of segments or of both; a run of
 * one on the events of a trace; and the list of those that files define.
 *
 * A run has the bindings of event classes, the history or store that it fills, and the names that the trace should
 * have but lacks; labels and charts of its states are kept with all their texts.
 */
#include "analysis/program/program_analysis.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/analysis.h"
#include "analysis/changes.h"
#include "analysis/open_segments.h"
#include "analysis/program/program.h"
#include "analysis/program/program_run.h"
#include "analysis/registry.h"
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

/* ---- program views ------------------------------------------------------------------------------------------- */

/* NULL stands for none; or memory runs out. */
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

/* Returns false if memory runs out. */
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

/*
 * Copies tables of labels, which come after the existing ones, and charts, except those whose name exists already,
 * as far as a history has room for them.  Returns false if memory runs out.
 */
static bool program_views_add(struct program_views *views, const struct histree_label_table *labels,
			      size_t label_table_count, const struct histree_chart *charts, size_t chart_count)
{
	bool is_kept = true;
	for (size_t i = 0; i < label_table_count && is_kept; i++)
		is_kept = add_table(views, &labels[i]);
	for (size_t i = 0; i < chart_count && is_kept; i++)
		is_kept = add_chart(views, &charts[i]);
	return is_kept;
}

static void program_views_release(struct program_views *views)
{
	free(views->labels);
	free(views->charts);
	arena_release(&views->texts);
	*views = (struct program_views){ 0 };
}

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

/* Returns what names in the program are in events of this class; NULL if memory runs out. */
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
	run->met_event = run->met_event || has_any || binding.handler_count > 0;
	if (run->met != NULL)
		program_missing_note(run->expected, class, binding.handler_count > 0, run->met);
	return class_table_add(&run->classes, class, &binding, sizeof(binding));
}

/* ---- program run --------------------------------------------------------------------------------------------- */

static void program_run_free(struct program_run *run)
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

static enum histree_status program_run_create(const struct program *program, struct program_run **out,
					      struct histree_error *error)
{
	struct program_run *run = *out = calloc(1, sizeof(*run));
	if (run == NULL)
		return error_memory(error, "an analysis");
	run->program = program;
	run->scenarios = NO_ATTRIBUTE;
	run->free_use = PROGRAM_NOTHING;
	run->step_began = INT64_MIN;
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

/* ---- events ----------------------------------------------------------------------------------------------- */

static enum histree_status program_run_event(struct program_run *run, const struct event *event,
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
static enum histree_status program_run_gap(struct program_run *run, const struct event_gap *gap,
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
static enum histree_status program_run_finish(struct program_run *run, struct histree_error *error)
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

static bool program_analysis_add_views(struct program_analysis *analysis, const struct histree_label_table *labels,
				       size_t label_table_count, const struct histree_chart *charts,
				       size_t chart_count);
static void program_analysis_free(struct program_analysis *analysis);

/* ---- program analysis ---------------------------------------------------------------------------------------- */

struct program_analysis {
	struct program *program;
	struct analysis_input_kind input;
	struct analysis analysis;
	struct segment_analysis segments;
	struct registry_entry entries[2];
	size_t entry_count;
	struct program_views views;
	struct arena texts;
	const char *remark;
	struct program_expected expected;
};

/* ---- the input -------------------------------------------------------------------------------------------- */

static enum histree_status create_run(const struct analysis_input_kind *kind, void **input,
				      struct histree_error *error)
{
	const struct program_analysis *of =
		(const struct program_analysis *)(const void *)((const char *)kind -
								offsetof(struct program_analysis, input));
	struct program_run *run;
	enum histree_status status = program_run_create(of->program, &run, error);
	*input = run;
	if (status != HISTREE_OK)
		return status;
	run->remark = of->remark;
	run->expected = &of->expected;
	size_t count = of->expected.event_count + of->expected.field_count;
	if (count > 0 && (run->met = calloc(count, sizeof(*run->met))) == NULL) {
		program_run_free(run);
		*input = NULL;
		return error_memory(error, "an analysis");
	}
	return HISTREE_OK;
}

static enum histree_status program_analysis_begin(void *input, const struct event *event,
						  struct histree_error *error)
{
	(void)input, (void)event, (void)error;
	return HISTREE_OK;
}

static void free_run(void *input)
{
	program_run_free(input);
}

/* ---- the history ------------------------------------------------------------------------------------------ */

static bool applies_to_any(const struct event_trace *trace)
{
	(void)trace;
	return true;
}

static bool applies_to_kernel(const struct event_trace *trace)
{
	return strcmp(trace->domain, "kernel") == 0;
}

static bool applies_to_ust(const struct event_trace *trace)
{
	return strcmp(trace->domain, "ust") == 0;
}

static enum histree_status create(const struct analysis *analysis, struct histree_state_system *system, void *input,
				  void **instance, struct histree_error *error)
{
	(void)analysis;
	struct program_run *run = *instance = input;
	(void)error;
	run->changes.system = system;
	return HISTREE_OK;
}

static enum histree_status handle(void *instance, const struct event *event, struct histree_error *error)
{
	return program_run_event(instance, event, error);
}

static enum histree_status handle_gap(void *instance, const struct event_gap *gap, struct histree_error *error)
{
	return program_run_gap(instance, gap, error);
}

static enum histree_status finish(void *instance, histree_time *end, struct histree_error *error)
{
	(void)end;
	return program_run_finish(instance, error);
}

static uint64_t refused(const void *instance)
{
	const struct program_run *run = instance;
	return run->changes.refused;
}

static void missing(const void *instance, char *text, size_t size)
{
	const struct program_run *run = instance;
	const char *remark = run->remark != NULL ? run->remark : "";
	snprintf(text, size, "%s", run->met_event ? remark : "the trace has none of the events that it handles");
	if (run->met_event && run->met != NULL && text[0] == '\0') {
		/* Write a sentence about those that were not met, or "". */
		const struct program_expected *expected = run->expected;
		const bool *met = run->met;
		size_t length = say("no event of the trace has the name", expected->events, met,
				    expected->event_count, text, size, 0);
		say("none that it handles has the field", expected->fields, met + expected->event_count,
		    expected->field_count, text, size, length);
	}
}

/* The run is the input's. */
static void free_instance(void *instance)
{
	(void)instance;
}

/* ---- the segments ----------------------------------------------------------------------------------------- */

static enum histree_status create_segments(const struct segment_analysis *analysis,
					   struct histree_segment_store *store, void *input, void **instance,
					   struct histree_error *error)
{
	(void)analysis;
	struct program_run *run = *instance = input;
	(void)error;
	run->segments = store;
	return HISTREE_OK;
}

static enum histree_status handle_for_segments(void *instance, const struct event *event,
					       struct histree_error *error)
{
	struct program_run *run = instance;
	return run->changes.system != NULL ? HISTREE_OK : program_run_event(run, event, error);
}

static enum histree_status gap_for_segments(void *instance, const struct event_gap *gap,
					    struct histree_error *error)
{
	struct program_run *run = instance;
	return run->changes.system != NULL ? HISTREE_OK : program_run_gap(run, gap, error);
}

static enum histree_status finish_segments(void *instance, histree_time *end, struct histree_error *error)
{
	struct program_run *run = instance;
	(void)end;
	return run->changes.system != NULL ? HISTREE_OK : program_run_finish(run, error);
}

static struct segment_counts counts(const void *instance)
{
	const struct program_run *run = instance;
	return (struct segment_counts){ run->without_start, run->without_end };
}

static bool made_none(const void *instance)
{
	const struct program_run *run = instance;
	return run->segment_count == 0;
}

/* ---- making it -------------------------------------------------------------------------------------------- */

static enum histree_status check_name(const char *name, struct histree_error *error)
{
	static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
	size_t size = strlen(name);
	if (size == 0 || size > 100 || strspn(name, allowed) != size || name[0] == '.' || name[0] == '-')
		return error_set(error, HISTREE_ERR_ARGUMENT,
				 "'%.100s' is no name of an analysis: it is the name of a file in the store, and "
				 "has letters, digits, '.', '_' and '-', at most 100 of them",
				 name);
	if (registry_find(name) != NULL)
		return error_set(error, HISTREE_ERR_ARGUMENT,
				 "there is an analysis '%s' already; see 'histree info --analyses'", name);
	return HISTREE_OK;
}

static const char *keep_own_text(struct program_analysis *of, const char *text)
{
	return text != NULL ? arena_copy(&of->texts, text, strlen(text)) : NULL;
}

static void fill(struct program_analysis *of, const struct program_about *about, const char *name,
		 const char *summary)
{
	bool (*applies)(const struct event_trace *) = about->domain == NULL                  ? applies_to_any
						      : strcmp(about->domain, "kernel") == 0 ? applies_to_kernel
											     : applies_to_ust;
	of->input = (struct analysis_input_kind){
		.needs = about->domain == NULL                  ? "a trace"
			 : strcmp(about->domain, "kernel") == 0 ? "a trace of a kernel"
								: "a trace of user space",
		.create_of = create_run,
		.is_one = true,
		.begin = program_analysis_begin,
		.free = free_run,
	};
	of->analysis = (struct analysis){
		.name = name,
		.version = program_version(of->program),
		.summary = summary,
		.applies = applies,
		.input = &of->input,
		.create = create,
		.event = handle,
		.gap = handle_gap,
		.finish = finish,
		.refused = refused,
		.missing = missing,
		.free = free_instance,
	};
	of->segments = (struct segment_analysis){
		.name = name,
		.version = program_version(of->program),
		.summary = summary,
		.applies = applies,
		.input = &of->input,
		.create = create_segments,
		.event = handle_for_segments,
		.gap = gap_for_segments,
		.finish = finish_segments,
		.counts = counts,
		.is_empty = made_none,
		.missing = program_makes_states(of->program) ? NULL : missing,
		.free = free_instance,
	};
	of->segments.fields = program_segment_fields(of->program, &of->segments.field_count);
	if (program_makes_states(of->program))
		of->entries[of->entry_count++] = (struct registry_entry){ .analysis = &of->analysis };
	if (program_makes_segments(of->program))
		of->entries[of->entry_count++] = (struct registry_entry){ .segments = &of->segments };
}

/* Returns copies of names in the arena of the analysis, NULL when memory runs out. */
static const char *const *keep_names(struct program_analysis *of, const char *const *names, size_t count)
{
	const char **copies = arena_allocate(&of->texts, (count + 1) * sizeof(*copies), _Alignof(const char *));
	for (size_t i = 0; copies != NULL && i < count; i++)
		if ((copies[i] = keep_own_text(of, names[i])) == NULL)
			return NULL;
	return copies;
}

static bool keep_expected(struct program_analysis *of, const struct program_about *about)
{
	of->expected = about->expected;
	of->expected.events = keep_names(of, about->expected.events, about->expected.event_count);
	of->expected.fields = keep_names(of, about->expected.fields, about->expected.field_count);
	return of->expected.events != NULL && of->expected.fields != NULL;
}

enum histree_status program_analysis_create(struct program *program, const struct program_about *about,
					    struct program_analysis **out, struct histree_error *error)
{
	*out = NULL;
	enum histree_status status = check_name(about->name, error);
	if (status == HISTREE_OK && !program_makes_states(program) && !program_makes_segments(program))
		status = error_set(error, HISTREE_ERR_ARGUMENT, "analysis '%s' makes neither states nor segments",
				   about->name);
	struct program_analysis *of = status == HISTREE_OK ? calloc(1, sizeof(*of)) : NULL;
	if (of == NULL) {
		program_free(program);
		return status != HISTREE_OK ? status : error_memory(error, "an analysis");
	}
	of->program = program;
	const char *name = keep_own_text(of, about->name);
	const char *summary = keep_own_text(of, about->summary != NULL ? about->summary : about->name);
	of->remark = keep_own_text(of, about->remark);
	if (name == NULL || summary == NULL || !keep_expected(of, about)) {
		program_analysis_free(of);
		return error_memory(error, "an analysis");
	}
	fill(of, about, name, summary);
	if (!program_analysis_add_views(of, about->labels, about->label_table_count, about->charts,
					about->chart_count)) {
		program_analysis_free(of);
		return error_memory(error, "an analysis");
	}
	*out = of;
	return HISTREE_OK;
}

/* As program_views_add() does, before the analysis is used. */
static bool program_analysis_add_views(struct program_analysis *of, const struct histree_label_table *labels,
				       size_t label_table_count, const struct histree_chart *charts,
				       size_t chart_count)
{
	if (!program_views_add(&of->views, labels, label_table_count, charts, chart_count))
		return false;
	of->analysis.labels = of->views.labels;
	of->analysis.label_table_count = of->views.label_table_count;
	of->analysis.charts = of->views.charts;
	of->analysis.chart_count = of->views.chart_count;
	return true;
}

static void program_analysis_free(struct program_analysis *of)
{
	if (of == NULL)
		return;
	program_free(of->program);
	program_views_release(&of->views);
	arena_release(&of->texts);
	free(of);
}

void program_analysis_keep_if_any(struct program_analysis *of)
{
	for (size_t i = 0; i < of->entry_count; i++)
		of->entries[i].if_any = of->entries[i].is_of_line = true;
}

const struct registry_entry *program_analysis_entries(const struct program_analysis *of, size_t *count)
{
	*count = of->entry_count;
	return of->entries;
}

/* ---- definitions --------------------------------------------------------------------------------------------- */

static const char *name_of(const struct program_analysis *analysis)
{
	size_t count;
	return registry_name(program_analysis_entries(analysis, &count));
}

enum histree_status definitions_add(struct definitions *definitions, struct program_analysis *analysis,
				    struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	for (size_t i = 0; i < definitions->count && status == HISTREE_OK; i++)
		if (strcmp(name_of(definitions->analyses[i]), name_of(analysis)) == 0)
			status = error_set(error, HISTREE_ERR_ARGUMENT, "analysis '%s' is defined twice",
					   name_of(analysis));
	if (status == HISTREE_OK &&
	    !array_reserve(&definitions->analyses, &definitions->capacity, definitions->count + 1))
		status = error_memory(error, "an analysis");
	if (status != HISTREE_OK) {
		program_analysis_free(analysis);
		return status;
	}
	definitions->analyses[definitions->count++] = analysis;
	for (size_t i = 0; i < definitions->foreign_count; i++) {
		const struct foreign_views *foreign = &definitions->foreign[i];
		const struct program_views *views = &foreign->views;
		if (strcmp(foreign->analysis, name_of(analysis)) == 0 &&
		    !program_analysis_add_views(analysis, views->labels, views->label_table_count, views->charts,
						views->chart_count))
			return error_memory(error, "an analysis");
	}
	return HISTREE_OK;
}

static struct foreign_views *foreign_of(struct definitions *definitions, const char *analysis)
{
	for (size_t i = 0; i < definitions->foreign_count; i++)
		if (strcmp(definitions->foreign[i].analysis, analysis) == 0)
			return &definitions->foreign[i];
	char *name = strdup(analysis);
	if (name == NULL ||
	    !array_reserve(&definitions->foreign, &definitions->foreign_capacity, definitions->foreign_count + 1)) {
		free(name);
		return NULL;
	}
	definitions->foreign[definitions->foreign_count] = (struct foreign_views){ .analysis = name };
	return &definitions->foreign[definitions->foreign_count++];
}

enum histree_status definitions_add_views(struct definitions *definitions, const char *analysis,
					  const struct histree_label_table *labels, size_t label_table_count,
					  const struct histree_chart *charts, size_t chart_count,
					  struct histree_error *error)
{
	for (size_t i = 0; i < definitions->count; i++)
		if (strcmp(name_of(definitions->analyses[i]), analysis) == 0)
			return program_analysis_add_views(definitions->analyses[i], labels, label_table_count,
							  charts, chart_count)
				       ? HISTREE_OK
				       : error_memory(error, "an analysis");
	struct foreign_views *foreign = foreign_of(definitions, analysis);
	return foreign != NULL && program_views_add(&foreign->views, labels, label_table_count, charts, chart_count)
		       ? HISTREE_OK
		       : error_memory(error, "an analysis");
}

void definitions_release(struct definitions *definitions)
{
	for (size_t i = 0; i < definitions->count; i++)
		program_analysis_free(definitions->analyses[i]);
	free(definitions->analyses);
	for (size_t i = 0; i < definitions->foreign_count; i++) {
		free(definitions->foreign[i].analysis);
		program_views_release(&definitions->foreign[i].views);
	}
	free(definitions->foreign);
	*definitions = (struct definitions){ 0 };
}
