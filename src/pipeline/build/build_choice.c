// SPDX-License-Identifier: MIT
/*
 * build_choice.c - which analyses a build makes use of.
 */
#include <stdio.h>

#include "analysis/registry.h"
#include "base/array.h"
#include "base/error.h"
#include "pipeline/build/build.h"
#include "pipeline/build/slice_worker.h"

/* Returns HISTREE_NOT_FOUND if the analysis applies to none of the traces; to which ones goes to the job. */
static enum histree_status find_traces(const struct build *build, struct analysis_job *job)
{
	enum histree_status status = HISTREE_OK;
	bool any = false;
	for (size_t i = 0; i < trace_count(build->stream.trace) && status == HISTREE_OK; i++) {
		bool applies = false;
		status = analysis_job_meet(job, trace_at(build->stream.trace, i), &applies, build->error);
		any = any || applies;
	}
	return status == HISTREE_OK && !any ? HISTREE_NOT_FOUND : status;
}

/* Segments are kept in a store, and in memory there is one history. */
static enum histree_status check_backend(const struct build *build, const struct registry_entry *entry)
{
	if (build_makes_store(build->options))
		return HISTREE_OK;
	if (entry->analysis == NULL)
		return error_set(
			build->error, HISTREE_ERR_ARGUMENT,
			"analysis '%s' makes segments, which are kept in a store: build it with the disk or the "
			"partial backend",
			registry_name(entry));
	if (build->options->backend == HISTREE_BACKEND_MEMORY && build->job_count > 0)
		return error_set(build->error, HISTREE_ERR_ARGUMENT,
				 "a build in memory is of one analysis: choose '%s' or '%s'",
				 registry_name(build->jobs[0].entry), registry_name(entry));
	return HISTREE_OK;
}

/* Returns HISTREE_NOT_FOUND if the analysis does not apply. */
static enum histree_status add_job(struct build *build, const struct registry_entry *entry)
{
	for (size_t i = 0; i < build->job_count; i++)
		if (build->jobs[i].entry == entry)
			return HISTREE_OK;
	if (!array_reserve(&build->jobs, &build->jobs_capacity, build->job_count + 1))
		return error_memory(build->error, "an analysis");
	struct analysis_job *job = &build->jobs[build->job_count];
	enum histree_status status = analysis_job_init(job, entry, build->error);
	if (status != HISTREE_OK)
		return status;
	status = find_traces(build, job);
	if (status == HISTREE_OK)
		status = check_backend(build, entry);
	if (status != HISTREE_OK) {
		analysis_job_release(job);
		return status;
	}
	build->job_count++;
	return HISTREE_OK;
}

static enum histree_status does_not_apply(struct build *build, const struct registry_entry *entry)
{
	const struct event_trace *trace = trace_at(build->stream.trace, 0);
	return error_set(build->error, HISTREE_ERR_ARGUMENT,
			 "analysis '%s' needs %s; this one is by tracer \"%s\", of domain \"%s\"",
			 registry_name(entry), registry_needs(entry), trace->tracer_name, trace->domain);
}

/*
 * Nobody knows what the events mean, but they can be read: a store has them and their index, and says what it
 * lacks.  In memory there would be nothing.
 */
static enum histree_status none_applies(struct build *build)
{
	const struct event_trace *trace = trace_at(build->stream.trace, 0);
	char needs[320];
	registry_default_needs(needs, sizeof(needs));
	if (!build_makes_store(build->options))
		return error_set(build->error, HISTREE_ERR_TRACE,
				 "no analysis applies to '%s', by tracer \"%s\", of domain \"%s\": %s",
				 build->options->traces[0], trace->tracer_name, trace->domain, needs);
	if (asprintf(&build->only_events,
		     "no analysis applies to '%s', which is by tracer \"%s\", of domain \"%s\": the store has "
		     "its events, for 'histree events', 'sql' and 'export --events', and no states; %s%s",
		     build->options->traces[0], trace->tracer_name, trace->domain, needs,
		     trace->kernel_words == EVENT_NO_KERNEL
			     ? ""
			     : "; its sched_switch is that of a kernel: '-a kernel' takes it for a trace of one") >=
	    0)
		return HISTREE_OK;
	build->only_events = NULL;
	return error_memory(build->error, "a message");
}

static enum histree_status choose_named(struct build *build)
{
	for (size_t i = 0; i < build->options->analysis_count; i++) {
		const char *name = build->options->analyses[i];
		const struct registry_entry *entry = registry_find(name);
		if (entry == NULL) {
			char names[512];
			registry_names(names, sizeof(names));
			return error_set(build->error, HISTREE_ERR_ARGUMENT,
					 "there is no analysis '%s'; there are %s", name, names);
		}
		enum histree_status status = add_job(build, entry);
		/* Of several hosts, one need not have all that others have. */
		bool may_lack = build->host->is_one_of_many &&
				(build->job_count > 0 || i + 1 < build->options->analysis_count);
		if (status == HISTREE_NOT_FOUND && !may_lack)
			return does_not_apply(build, entry);
		if (status < 0)
			return status;
	}
	return HISTREE_OK;
}

static bool is_default_here(const struct build *build, const struct registry_entry *entry)
{
	for (size_t i = 0; i < trace_count(build->stream.trace); i++)
		if (registry_is_default(entry, trace_at(build->stream.trace, i)))
			return true;
	return false;
}

static enum histree_status choose_applicable(struct build *build)
{
	for (const struct registry_entry *entry = registry; entry->analysis != NULL || entry->segments != NULL;
	     entry++) {
		bool is_default = is_default_here(build, entry) &&
				  (entry->analysis != NULL || build_makes_store(build->options));
		bool is_wanted = is_default || (build->options->segments && entry->segments != NULL);
		enum histree_status status = is_wanted ? add_job(build, entry) : HISTREE_OK;
		if (status < 0)
			return status;
	}
	return build->job_count > 0 ? HISTREE_OK : none_applies(build);
}

/* Slices are for analyses that can be cut; the others do not mind. */
static enum histree_status check_slices(const struct build *build)
{
	bool can_cut = build->options->slices == 0 ||
		       (build->job_count == 0 && build->options->slice_post == NULL); /* there is nothing to cut */
	for (size_t i = 0; i < build->job_count && !can_cut; i++) {
		const struct analysis *analysis = build->jobs[i].entry->analysis;
		can_cut = analysis != NULL && analysis->slices != NULL;
	}
	if (can_cut)
		return HISTREE_OK;
	if (build->options->slice_post != NULL) {
		slice_post_refuse(build->options->slice_post, "no analysis was asked for that can be cut in time");
		return HISTREE_OK;
	}
	return error_set(build->error, HISTREE_ERR_ARGUMENT,
			 "analysis '%s' needs the trace from its beginning to its end; only 'kernel' can be cut: "
			 "build it without slices",
			 registry_name(build->jobs[0].entry));
}

/* Of the analyses that files define, those that apply; of a build without others, at least one. */
static enum histree_status choose_defined(struct build *build)
{
	const struct registry_entry *lacking = NULL;
	for (size_t i = 0; i < build->definitions.count; i++) {
		size_t count;
		const struct registry_entry *entries =
			program_analysis_entries(build->definitions.analyses[i], &count);
		for (size_t at = 0; at < count; at++) {
			enum histree_status status = add_job(build, &entries[at]);
			if (status < 0)
				return status;
			lacking = status == HISTREE_NOT_FOUND ? &entries[at] : lacking;
		}
	}
	if (build->job_count > 0)
		return HISTREE_OK;
	return lacking != NULL ? does_not_apply(build, lacking)
			       : error_set(build->error, HISTREE_ERR_ARGUMENT,
					   "'%s': defines no analysis, only views of others",
					   build->options->definitions[0]);
}

enum histree_status build_choose_analyses(struct build *build)
{
	enum histree_status status = HISTREE_OK;
	if (build->options->analyses != NULL)
		status = choose_named(build);
	else if (build->options->definition_count == 0)
		status = choose_applicable(build);
	if (status == HISTREE_OK && build->options->definition_count > 0)
		status = choose_defined(build);
	return status == HISTREE_OK ? check_slices(build) : status;
}
