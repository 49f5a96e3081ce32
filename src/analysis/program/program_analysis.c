// SPDX-License-Identifier: MIT
/*
 * program_analysis.c - programs as analyses of the registry's kind, of states, of segments or of both, and the list
 * of those that files define.
 */
#include "analysis/program/program_analysis.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/program/program.h"
#include "analysis/program/program_run.h"
#include "analysis/registry.h"
#include "base/error.h"
#include "base/table.h"

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

static enum histree_status begin(void *input, const struct event *event, struct histree_error *error)
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
	if (run->met_event && run->met != NULL && text[0] == '\0')
		program_missing_say(run->expected, run->met, text, size);
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
				 "there is an analysis '%s' already; see 'histree analyses'", name);
	return HISTREE_OK;
}

static const char *keep_text(struct program_analysis *of, const char *text)
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
		.begin = begin,
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
		.missing = program_makes_states(of->program) ? NULL : missing,
		.free = free_instance,
	};
	of->segments.fields = program_segment_fields(of->program, &of->segments.field_count);
	if (program_makes_states(of->program))
		of->entries[of->entry_count++] = (struct registry_entry){ .analysis = &of->analysis };
	if (program_makes_segments(of->program))
		of->entries[of->entry_count++] = (struct registry_entry){ .segments = &of->segments };
}

/* Returns copies of names in the arena of the analysis, NULL when memory is out. */
static const char *const *keep_names(struct program_analysis *of, const char *const *names, size_t count)
{
	const char **copies = arena_allocate(&of->texts, (count + 1) * sizeof(*copies), _Alignof(const char *));
	for (size_t i = 0; copies != NULL && i < count; i++)
		if ((copies[i] = keep_text(of, names[i])) == NULL)
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
	const char *name = keep_text(of, about->name);
	const char *summary = keep_text(of, about->summary != NULL ? about->summary : about->name);
	of->remark = keep_text(of, about->remark);
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
